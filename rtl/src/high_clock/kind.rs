//! A decoded request: a vector of bits that travels with the request. The positions are named here.

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
    /// Refusal status, independent of the word (5 bits); all bits but `POSTED` are 0 if there is one.
    REFUSAL = 0;
    /// Posted: no answer.
    POSTED = 5;
    /// Arrivals, counted by the operand.
    COUNTED = 6;
    /// One arrival.
    SINGLE = 7;
    /// Arrivals counted by the operand that are taken from the expected count, too.
    DROPS_COUNTED = 8;
    /// One arrival that is taken from the expected count, too.
    DROPS_SINGLE = 9;
    /// Expects the operand's bytes.
    EXPECTS = 10;
    /// Completes the operand's bytes.
    COMPLETES = 11;
    /// Expects one byte.
    BEGINS = 12;
    /// Completes one byte.
    ENDS = 13;
    /// `init`.
    INITS = 14;
    /// `pending_count`: no access to a word.
    COUNTS = 15;
    /// Stores one byte or more.
    STORES = 16;
    /// Stores one byte or more, but not all eight.
    PARTIAL = 17;
    /// Replaces bits of the word, whatever their value.
    REPLACES = 18;
    /// Changes counts.
    UPDATES = 19;
    /// Has arrivals.
    ARRIVES = 20;
    /// The arrivals are taken from the expected count, too.
    LEAVES = 21;
    /// Posted and refused for its operand: sets the word's fault bit.
    TAINTS = 22;
    /// Writes the word.
    WRITES = 23;
    /// The answer is a predicate.
    WAITS = 24;
    /// Phase that the wait tests for completion.
    WAIT_PHASE = 25;
    /// The answer carries the upper half of the old word.
    REVEALS_UPPER = 26;
    /// The answer carries the lower half of the old word.
    REVEALS_LOWER = 27;
}

/// Width of a [`Kind`].
pub const BITS: usize = 28;

/// A decoded request.
pub type Kind = Bits<BITS>;

const _: () = assert!(POSTED == REFUSAL + Status::BITS && REVEALS_LOWER + 1 == BITS);
