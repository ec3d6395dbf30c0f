//! Sets of operations, as bit masks indexed by opcode: derived from the table in [`op`](super).

use super::{Amount, Op, Operand, Reply};
use txbar_hdl::Bits;

/// Set of operations: one bit per opcode.
pub type OpSet = Bits<{ 1 << Op::BITS }>;

/// Operations for which a condition holds.
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

/// Set of these operations.
pub const fn set(ops: &[Op]) -> OpSet {
    let mut mask = 0;
    let mut position = 0;
    while position < ops.len() {
        mask |= 1 << ops[position].code();
        position += 1;
    }
    Bits::constant(mask)
}

/// Union of sets.
pub const fn any_of(sets: &[OpSet]) -> OpSet {
    let mut mask = 0;
    let mut position = 0;
    while position < sets.len() {
        mask |= sets[position].raw();
        position += 1;
    }
    Bits::constant(mask)
}

/// Intersection of two sets.
pub const fn both(one: OpSet, other: OpSet) -> OpSet {
    Bits::constant(one.raw() & other.raw())
}

/// Operations with this kind of operand.
pub const fn taking(operand: Operand) -> OpSet {
    all_that!(op => op.operand() as u64 == operand as u64)
}

/// Operations with this kind of reply.
const fn answering(reply: Reply) -> OpSet {
    all_that!(op => op.reply() as u64 == reply as u64)
}

/// Opcodes that are defined.
pub const KNOWN: OpSet = set(Op::ALL);
/// Operations that another CTA may request.
pub const REMOTE: OpSet = all_that!(op => op.meaning().remote);
/// Operations whose operand must be at most 2^20 - 1.
pub const BOUNDED: OpSet = any_of(&[taking(Operand::Arrivals), taking(Operand::Bytes)]);
/// Arrivals counted by the operand.
pub const COUNTED: OpSet = all_that!(op => matches!(op.meaning().arrives, Amount::Operand));
/// Operations with exactly one arrival.
pub const SINGLE: OpSet = all_that!(op => matches!(op.meaning().arrives, Amount::One));
/// Operations with arrivals.
pub const ARRIVING: OpSet = any_of(&[COUNTED, SINGLE]);
/// Arrivals that are taken from the expected count, too.
pub const DROPPING: OpSet = all_that!(op => op.meaning().drops);
/// Operations that expect the operand's bytes.
pub const EXPECTING: OpSet = all_that!(op => matches!(op.meaning().expects, Amount::Operand));
/// Operations that expect one byte.
pub const EXPECTING_ONE: OpSet = all_that!(op => matches!(op.meaning().expects, Amount::One));
/// Operations that complete the operand's bytes.
pub const COMPLETING: OpSet = all_that!(op => matches!(op.meaning().completes, Amount::Operand));
/// Operations that complete one byte.
pub const COMPLETING_ONE: OpSet = all_that!(op => matches!(op.meaning().completes, Amount::One));
/// Operations that change counts.
pub const UPDATING: OpSet = any_of(&[ARRIVING, EXPECTING, EXPECTING_ONE, COMPLETING, COMPLETING_ONE]);
/// Operations that write the word.
pub const WRITING: OpSet = any_of(&[UPDATING, taking(Operand::Word), set(&[Op::Init])]);
/// Operations with `.noComplete`: the program promises that the phase does not complete.
pub const NO_COMPLETE: OpSet = all_that!(op => op.meaning().no_complete);
/// Operations after which the barrier in the word is ended or replaced.
pub const ENDING: OpSet = all_that!(op => op.meaning().ends);
/// Posted operations: no answer.
pub const POSTED: OpSet = answering(Reply::Posted);
/// Operations that test whether a phase has completed.
pub const WAITING: OpSet = answering(Reply::Predicate);
/// Operations with a parity as operand.
pub const PARITY: OpSet = any_of(&[taking(Operand::Parity), taking(Operand::ParityAndLimit)]);
/// Operations that may be suspended: `try_wait`.
pub const SUSPENDING: OpSet = any_of(&[taking(Operand::TokenAndLimit), taking(Operand::ParityAndLimit)]);
/// Operations that return a state token.
pub const TOKEN: OpSet = answering(Reply::Token);
