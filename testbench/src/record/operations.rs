//! Operations in a record: the description of each kind, and the data of each request.

use super::{Class, Operation};
use crate::request::Request;
use txbar_rtl::op::{Amount, Op, Operand, Reply};
use txbar_rtl::word::PHASE;

/// What an operation does to a barrier.
pub fn class(op: Op) -> Class {
    let meaning = op.meaning();
    match op.reply() {
        Reply::Predicate => Class::Wait,
        _ if meaning.ends => Class::Life,
        _ if meaning.arrives != Amount::Zero => Class::Arrive,
        _ if meaning.expects != Amount::Zero => Class::Expect,
        _ if meaning.completes != Amount::Zero => Class::Complete,
        _ => Class::Read,
    }
}

/// What the operand of an operation is called.
fn operand_name(op: Op) -> Option<&'static str> {
    match op.operand() {
        Operand::None | Operand::Word => None,
        Operand::Arrivals => Some("arrivals"),
        Operand::Bytes => Some("bytes"),
        Operand::Parity | Operand::ParityAndLimit => Some("parity"),
        Operand::Token | Operand::TokenAndLimit => Some("token"),
    }
}

/// The operand of a request, if it is short.
pub fn operand(request: &Request) -> u32 {
    match request.operation().map(Op::operand) {
        None | Some(Operand::None | Operand::Word) => 0,
        Some(Operand::Arrivals | Operand::Bytes) => request.data as u32,
        Some(Operand::Parity | Operand::ParityAndLimit) => request.data as u32 & 1,
        Some(Operand::Token | Operand::TokenAndLimit) => (request.data >> 32) as u32,
    }
}

/// Parity of the phase that a wait is for.
pub fn parity(request: &Request) -> u8 {
    match request.operation().map(Op::operand) {
        Some(Operand::Token | Operand::TokenAndLimit) => PHASE.of(request.data) as u8,
        _ => request.data as u8 & 1,
    }
}

/// The operations, by opcode, with one more for codes without meaning.
pub fn operations() -> Vec<Operation> {
    let known = Op::ALL.iter().map(|&op| Operation {
        name: op.name().into(),
        short: op.short().into(),
        ptx: op.ptx().into(),
        class: class(op),
        operand: operand_name(op).map(Into::into),
    });
    let none = "illegal";
    let illegal =
        Operation { name: none.into(), short: none.into(), ptx: none.into(), class: Class::Read, operand: None };
    known.chain([illegal]).collect()
}

/// Number of an opcode in [`operations`].
pub fn operation_number(code: u8) -> u8 {
    code.min(Op::ALL.len() as u8)
}
