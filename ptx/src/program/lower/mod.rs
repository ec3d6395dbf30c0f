//! From statements to [`Step`](crate::program::code::Step)s: one for each instruction (`ldmatrix` and `stmatrix` are two), and a
//! `ret` behind the last of each function.
//!
//! What is wrong with names and operands is an error now. An instruction that is not supported becomes a step that
//! complains when it is executed.

mod asynchronous;
mod barriers;
mod body;
mod control;
mod copies;
mod ground;
mod matrices;
mod memory;
mod moves;
mod opcodes;
mod operand;
mod qualifiers;
mod tensors;
mod threads;

pub(crate) use ground::Ground;

use crate::arithmetic::Arithmetic;
use crate::ast::Instruction;
use crate::barrier::{Form, Verb};
use crate::program::code::{Action, Compute, Target, Value};
use crate::program::names;
use crate::source::Complaint;
use body::Body;
use opcodes::OPCODES;
use operand::Fit;

/// Why an instruction cannot be lowered.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The module is wrong.
    Wrong(Complaint),
    /// Not supported: an error if it is executed.
    Unsupported(Complaint),
}

/// A part of an instruction, lowered.
pub(crate) type Lowered<T> = Result<T, Refusal>;

impl From<Complaint> for Refusal {
    fn from(complaint: Complaint) -> Self {
        Refusal::Wrong(complaint)
    }
}

impl Refusal {
    /// This instruction is not supported.
    pub(crate) fn unsupported(instruction: &Instruction) -> Self {
        let opcode = &instruction.opcode;
        if !OPCODES.contains(&&*opcode.value) {
            let message = format!("there is no instruction `{}`", opcode.value);
            let complaint = Complaint::new(opcode.span, message, "it is reached");
            let known = OPCODES.iter().map(|known| known.to_string());
            return Refusal::Unsupported(match names::nearest(&opcode.value, known) {
                Some(near) => complaint.help(format!("did you mean `{near}`?")),
                None => complaint,
            });
        }
        let message = format!("`{}` is not supported", spelled(instruction));
        Refusal::Unsupported(Complaint::new(instruction.span, message, "this instruction is reached"))
    }

    /// This qualifier of it is not.
    pub(crate) fn unsupported_qualifier(instruction: &Instruction, qualifier: &str) -> Self {
        let message = format!("`{}` is not supported", spelled(instruction));
        let label = format!("this instruction is reached; txbar has no `.{qualifier}` of it");
        Refusal::Unsupported(Complaint::new(instruction.span, message, label))
    }
}

/// Opcode and qualifiers as they are written.
fn spelled(instruction: &Instruction) -> String {
    let modifiers = instruction.modifiers.iter().map(|modifier| modifier.value.as_str());
    std::iter::once(instruction.opcode.value.as_str()).chain(modifiers).collect::<Vec<_>>().join(".")
}

impl Body<'_, '_> {
    /// Action of an instruction.
    fn action(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let form = Form::read(instruction).transpose().map_err(Refusal::Unsupported)?;
        match &form {
            Some(form) if form.line().verb != Verb::Other => return self.barrier(instruction, form),
            Some(form) if instruction.opcode.value == "cp" => return self.copy(instruction, form),
            _ => {}
        }
        match instruction.opcode.value.as_str() {
            "mov" => self.mov(instruction),
            "cvta" => self.cvta(instruction),
            "mapa" => self.mapa(instruction),
            "getctarank" | "isspacep" => self.ask(instruction),
            "ld" | "ldu" => self.load(instruction),
            "st" if instruction.has("async") => self.store_async(instruction),
            "st" => self.store(instruction),
            "red" if instruction.has("async") => self.red_async(instruction),
            "atom" | "red" => self.atomic(instruction),
            "bra" => self.branch(instruction),
            "brx" => self.switch(instruction),
            "call" => self.call(instruction),
            "ret" | "exit" | "trap" | "brkpt" | "pmevent" => self.plain(instruction),
            "membar" | "fence" => self.fence(instruction),
            "nanosleep" => self.sleep(instruction),
            "prefetch" => self.prefetch(instruction),
            "tensormap" => self.tensor_map(instruction),
            "setmaxnreg" => self.claim(instruction),
            "griddepcontrol" | "discard" | "applypriority" | "prefetchu" => Ok(Action::Nothing),
            "createpolicy" => self.policy(instruction),
            "bar" | "barrier" => self.bar(instruction),
            "shfl" => self.shuffle(instruction),
            "vote" => self.vote(instruction),
            "activemask" => self.active_mask(instruction),
            "elect" => self.elect(instruction),
            "match" => self.matches(instruction),
            "redux" => self.reduce(instruction),
            "ldmatrix" => self.load_matrix(instruction),
            "stmatrix" => self.store_matrix(instruction),
            "movmatrix" => self.move_matrix(instruction),
            "mma" => self.multiply(instruction),
            "wgmma" => self.multiply_grouped(instruction),
            _ => match Arithmetic::read(instruction) {
                Some(arithmetic) => self.compute(instruction, arithmetic.map_err(Refusal::Unsupported)?),
                None => Err(Refusal::unsupported(instruction)),
            },
        }
    }

    /// Arithmetic: from values to values.
    fn compute(&mut self, instruction: &Instruction, arithmetic: Arithmetic) -> Lowered<Action> {
        let (results, sources) = (arithmetic.destinations(), arithmetic.sources());
        self.count(instruction, sources.len() + 1..=sources.len() + 1)?;
        let fit = if instruction.opcode.value == "cvt" { Fit::Wider } else { Fit::Exact };
        let mut operands = instruction.operands.iter();
        let mut to = [Target::NONE; 2];
        if let (Some(operand), [first, rest @ ..]) = (operands.next(), results) {
            to = match rest {
                [second, ..] => self.target_pair(operand, [*first, *second])?,
                [] => [self.target(operand, *first, fit)?, Target::NONE],
            };
        }
        let mut from = [Value::Constant(0); 4];
        for ((operand, ty), place) in operands.zip(sources).zip(&mut from) {
            *place = self.value(operand, *ty, fit)?;
        }
        Ok(Action::Compute(Box::new(Compute { arithmetic, to, from })))
    }
}
