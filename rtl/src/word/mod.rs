//! The mbarrier word: its fields and their ranges.
//!
//! As found on an NVIDIA H200 (see `testbench/vectors/README.md`):
//!
//! ```text
//!   63      62 .. 43     42      41 .. 21     20 .. 1      0
//!   phase   -pending     fault   -tx          -expected    unused
//!   parity  mod 2^20     sticky  mod 2^21     mod 2^20     carried through
//! ```
//! The three counts are stored negative, so that they count *up* to zero.

pub mod address;
pub mod op;
pub mod ordering;
pub mod parameters;
pub mod status;
pub mod symbols;

/// A field of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: usize,
    /// Width in bits.
    pub bits: usize,
    /// Description of the contents.
    pub holds: &'static str,
}

impl Field {
    /// Mask of the field's bits in the word.
    pub const fn mask(self) -> u64 {
        ((1 << self.bits) - 1) << self.lsb
    }

    /// The field's bits of `word`, as stored.
    pub const fn of(self, word: u64) -> u64 {
        (word & self.mask()) >> self.lsb
    }
}

/// Parity of the current phase.
pub const PHASE: Field = Field { name: "phase", lsb: 63, bits: 1, holds: "parity of the current phase" };
/// Arrivals that the current phase still waits for, stored negative.
pub const PENDING: Field =
    Field { name: "pending", lsb: 43, bits: 20, holds: "(-pending arrivals) mod 2^20, counts up to zero" };
/// Set for good once an asynchronous operation overflowed the word.
pub const FAULT: Field = Field { name: "fault", lsb: 42, bits: 1, holds: "1 once an asynchronous operation faulted" };
/// Bytes that the current phase still waits for, stored negative.
pub const TX: Field =
    Field { name: "tx", lsb: 21, bits: 21, holds: "(-tx-count) mod 2^21: expect_tx subtracts, complete_tx adds" };
/// Arrivals that the next phases wait for, stored negative.
pub const EXPECTED: Field = Field { name: "expected", lsb: 1, bits: 20, holds: "(-expected arrivals) mod 2^20" };
/// No effect on any operation; carried through, 0 after init. Layout bit of PTX ISA 9.3: 1 is `.layout::v1`.
pub const UNUSED: Field = Field { name: "unused", lsb: 0, bits: 1, holds: "carried through unchanged, 0 after init" };

/// All fields, highest first.
pub const FIELDS: [Field; 6] = [PHASE, PENDING, FAULT, TX, EXPECTED, UNUSED];

/// Width of the two arrival counts.
pub const COUNT_BITS: usize = PENDING.bits;
/// Width of the tx-count.
pub const TX_BITS: usize = TX.bits;
/// Sign of the tx field.
pub const TX_SIGN: usize = TX.lsb + TX.bits - 1;

/// Largest arrival count and largest operand: 2^20 - 1 (PTX ISA 9.7.13.15.2).
pub const COUNT_MAX: u32 = (1 << 20) - 1;
/// Smallest tx-count: -(2^20 - 1).
pub const TX_MIN: i32 = -(COUNT_MAX as i32);
/// Largest tx-count: 2^20, one more than the manual allows; the H200 takes it.
pub const TX_MAX: i32 = 1 << 20;

/// A word with its counts as positive numbers. For waves and messages; neither the hardware nor the reference model uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Parity of the current phase.
    pub phase: bool,
    /// Arrivals still missing in this phase.
    pub pending: u32,
    /// Sticky fault bit.
    pub fault: bool,
    /// Bytes still missing in this phase; negative if more have completed than are expected.
    pub tx: i32,
    /// Arrivals that each later phase waits for.
    pub expected: u32,
}

impl From<u64> for Contents {
    #[inline]
    fn from(word: u64) -> Self {
        let negated = |field: Field| (field.of(word) as u32).wrapping_neg() & ((1 << field.bits) - 1);
        let tx = negated(TX) as i32;
        Self {
            phase: PHASE.of(word) != 0,
            pending: negated(PENDING),
            fault: FAULT.of(word) != 0,
            tx: if tx > TX_MAX { tx - (1 << TX.bits) } else { tx },
            expected: negated(EXPECTED),
        }
    }
}

impl std::fmt::Display for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { phase, pending, fault, tx, expected } = *self;
        write!(f, "phase {} pending {pending} tx {tx} expected {expected}", phase as u8)?;
        if fault { write!(f, " FAULT") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_tile_the_word() {
        let all = FIELDS.iter().fold(0u64, |seen, field| {
            assert_eq!(seen & field.mask(), 0, "{} overlaps", field.name);
            seen | field.mask()
        });
        assert_eq!(all, u64::MAX);
        assert_eq!(EXPECTED.bits, COUNT_BITS, "a flip moves one into the other");
    }

    #[test]
    fn contents_of_recorded_words() {
        // init(4) and init(1), as recorded
        let four = Contents { phase: false, pending: 4, fault: false, tx: 0, expected: 4 };
        assert_eq!(Contents::from(0x7fffe000001ffff8), four);
        assert_eq!(Contents::from(0x7ffff800001ffffe).pending, 1);
        // expect_tx 1 on 7ffff00000000000
        assert_eq!(Contents::from(0x7ffff3ffffe00000).tx, 1);
        // complete_tx 1 on 7ffff800001ffffe
        assert_eq!(Contents::from(0x7ffff800003ffffe).tx, -1);
        assert_eq!(Contents::from(1 << 41).tx, TX_MAX);
        assert_eq!(Contents::from(0x7ffff800003ffffe).to_string(), "phase 0 pending 1 tx -1 expected 1");
    }
}
