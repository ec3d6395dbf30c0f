//! What a request is, once it is decoded: a vector of bits that travels with it. The positions are named here.

use crate::hdl::Bits;
use crate::word::status::Status;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $position:literal;)*) => {
        $($(#[doc = $doc])* pub const $name: usize = $position;)*

        /// Every position by its name, as kernels spell it.
        pub const NUMBERS: &[(&str, usize)] = &[$((concat!("kind::", stringify!($name)), $position),)*];
    };
}

kinds! {
    /// Why it is refused without a look at the word (5 bits); everything but `POSTED` is 0 if it is.
    REFUSAL = 0;
    /// Nobody waits for an answer.
    POSTED = 5;
    /// Arrivals, counted by the operand.
    COUNTED = 6;
    /// One arrival.
    SINGLE = 7;
    /// Arrivals that leave the later phases too, counted by the operand.
    DROPS_COUNTED = 8;
    /// One such arrival.
    DROPS_SINGLE = 9;
    /// It expects the operand's bytes.
    EXPECTS = 10;
    /// It completes the operand's bytes.
    COMPLETES = 11;
    /// It expects one byte.
    BEGINS = 12;
    /// It completes one byte.
    ENDS = 13;
    /// It makes a barrier.
    INITS = 14;
    /// It asks for a pending count, and touches no word.
    COUNTS = 15;
    /// It stores one byte or more.
    STORES = 16;
    /// It stores one byte or more, and not all eight.
    PARTIAL = 17;
    /// Some bits of the word are replaced, whatever they were.
    REPLACES = 18;
    /// It moves counts.
    UPDATES = 19;
    /// There are arrivals.
    ARRIVES = 20;
    /// They leave the later phases.
    LEAVES = 21;
    /// Refused for its operand, and posted: the word's fault bit says so.
    TAINTS = 22;
    /// The word is written.
    WRITES = 23;
    /// The answer is a predicate.
    WAITS = 24;
    /// Phase whose completion is waited for.
    WAIT_PHASE = 25;
    /// The answer carries the upper half of the old word.
    REVEALS_UPPER = 26;
    /// The answer carries the lower half.
    REVEALS_LOWER = 27;
}

/// Width of a [`Kind`].
pub const BITS: usize = 28;

/// What a request is.
pub type Kind = Bits<BITS>;

const _: () = assert!(POSTED == REFUSAL + Status::BITS && REVEALS_LOWER + 1 == BITS);
