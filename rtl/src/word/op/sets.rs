//! Sets of operations, as bit masks on the opcode: from the table in [`op`](super).

use super::{Amount, Op, Operand, Reply};
use txbar_hdl::Bits;

/// A set of operations: a bit each opcode.
pub type OpSet = Bits<{ 1 << Op::BITS }>;

/// The operations of which something holds.
macro_rules! all_that {
    ($op:ident => $holds:expr) => {{
        let mut mask = 0;
        let mut position = 0;
        while position < Op::ALL.len() {
            let $op = Op::ALL[position];
            mask |= ($holds as u64) << $op.code();
            position += 1;
        }
        Bits::constant(mask)
    }};
}

/// These operations.
pub const fn set(ops: &[Op]) -> OpSet {
    let mut mask = 0;
    let mut position = 0;
    while position < ops.len() {
        mask |= 1 << ops[position].code();
        position += 1;
    }
    Bits::constant(mask)
}

/// Operations that are in one of these sets.
pub const fn any_of(sets: &[OpSet]) -> OpSet {
    let mut mask = 0;
    let mut position = 0;
    while position < sets.len() {
        mask |= sets[position].raw();
        position += 1;
    }
    Bits::constant(mask)
}

/// Operations that are in both.
pub const fn both(one: OpSet, other: OpSet) -> OpSet {
    Bits::constant(one.raw() & other.raw())
}

/// Operations that take this operand.
pub const fn taking(operand: Operand) -> OpSet {
    all_that!(op => op.operand() as u64 == operand as u64)
}

/// Operations that are answered so.
const fn answering(reply: Reply) -> OpSet {
    all_that!(op => op.reply() as u64 == reply as u64)
}

/// Opcodes that mean something.
pub const KNOWN: OpSet = set(Op::ALL);
/// Operations that another CTA may request.
pub const REMOTE: OpSet = all_that!(op => op.meaning().remote);
/// Operations whose operand must be at most 2^20 - 1.
pub const BOUNDED: OpSet = any_of(&[taking(Operand::Arrivals), taking(Operand::Bytes)]);
/// Arrivals counted by the operand.
pub const COUNTED: OpSet = all_that!(op => matches!(op.meaning().arrives, Amount::Operand));
/// Exactly one arrival.
pub const SINGLE: OpSet = all_that!(op => matches!(op.meaning().arrives, Amount::One));
/// Arrivals.
pub const ARRIVING: OpSet = any_of(&[COUNTED, SINGLE]);
/// Arrivals that leave the later phases too.
pub const DROPPING: OpSet = all_that!(op => op.meaning().drops);
/// Operations that expect the operand's bytes.
pub const EXPECTING: OpSet = all_that!(op => matches!(op.meaning().expects, Amount::Operand));
/// Operations that expect one byte.
pub const EXPECTING_ONE: OpSet = all_that!(op => matches!(op.meaning().expects, Amount::One));
/// Operations that complete the operand's bytes.
pub const COMPLETING: OpSet = all_that!(op => matches!(op.meaning().completes, Amount::Operand));
/// Operations that complete one byte.
pub const COMPLETING_ONE: OpSet = all_that!(op => matches!(op.meaning().completes, Amount::One));
/// Operations that move counts.
pub const UPDATING: OpSet = any_of(&[ARRIVING, EXPECTING, EXPECTING_ONE, COMPLETING, COMPLETING_ONE]);
/// Operations that write the word.
pub const WRITING: OpSet = any_of(&[UPDATING, taking(Operand::Word), set(&[Op::Init])]);
/// Operations that are promised not to complete the phase.
pub const NO_COMPLETE: OpSet = all_that!(op => op.meaning().no_complete);
/// Operations after which the word is not the barrier that it was.
pub const ENDING: OpSet = all_that!(op => op.meaning().ends);
/// Operations that nobody waits for.
pub const POSTED: OpSet = answering(Reply::Posted);
/// Operations that ask whether a phase has completed.
pub const WAITING: OpSet = answering(Reply::Predicate);
/// Operations that take a parity.
pub const PARITY: OpSet = any_of(&[taking(Operand::Parity), taking(Operand::ParityAndLimit)]);
/// Operations that may be suspended.
pub const SUSPENDING: OpSet = any_of(&[taking(Operand::TokenAndLimit), taking(Operand::ParityAndLimit)]);
/// Operations that give back a state token.
pub const TOKEN: OpSet = answering(Reply::Token);
