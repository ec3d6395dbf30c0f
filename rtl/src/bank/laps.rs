//! Laps: state of a barrier after single arrivals among which its phase ends.
//!
//! **What.** A barrier's pending and expected counts and a few arrivals of one each, at most eight, as those of a group have
//! ([`crate::low_latency::combine`]). Does the phase end with one of them? What is pending then, and how many more phases do the others complete? A phase that
//! ends with so few arrivals had few pending: three bits of the count are enough, and the answer is a table of 64 entries.
//!
//! ```text
//!   pending ──┬─► at most 8? ──────────────┬─► reaches, passes
//!   arrivals ─┴─► + ─► beyond the end ─┬───┘
//!                                      ├─► table: beyond mod, div expected ─┬─► further
//!   expected ──── at most 8? ──────────┘                                    + expected ─► left
//! ```
//! For a phase of three, of which one arrival is missing, and six arrivals: five are beyond the end, another phase
//! completes (`further` is 1), and two have arrived in the next (`left` is 1). An expected count above 8 is more than there
//! can be beyond the end.
//!
//! A bank has two of them ([`crate::bank::overrun`]), and each port one for its token ([`crate::bank::lane`]); a unit of one port has none.

use crate::hardware;
use crate::hdl::*;
use crate::word::COUNT_BITS;

/// Width of the number of arrivals.
pub(crate) const ARRIVALS_BITS: usize = 4;
/// Width of the number of arrivals beyond the end of a phase, and of small counts.
pub(crate) const FEW_BITS: usize = 3;
/// Number of upper bits of a small count, which are all ones in the word.
const UPPER_BITS: usize = COUNT_BITS - FEW_BITS;
/// Width of an index of the tables.
const PLACE_BITS: usize = 2 * FEW_BITS;

/// One bit of the number of arrivals in the last phase, or of the number of phases completed. The index is the number of arrivals beyond
/// the end, and above it the low bits of the expected count as stored: -8 to -1.
const fn table(phases: bool, bit: u32) -> Bits<64> {
    let (mut mask, mut place) = (0, 0);
    while place < 1 << PLACE_BITS {
        let beyond = place & ((1 << FEW_BITS) - 1);
        let expected = (1 << FEW_BITS) - (place >> FEW_BITS);
        let value = if phases { beyond / expected } else { beyond % expected };
        if value >> bit & 1 != 0 {
            mask |= 1 << place;
        }
        place += 1;
    }
    Bits::constant(mask)
}

hardware! {
    /// Laps: state of a barrier after single arrivals among which its phase ends.
    pub module Laps = "laps" {
        /// Pending field before the arrivals.
        pub pending: Signal<In, Count>,
        /// Expected field.
        pub expected: Signal<In, Count>,
        /// Number of arrivals: 0 to 8.
        pub arrivals: Signal<In, Bits<4>>,

        /// The phase ends with one of the arrivals.
        pub reaches: Signal<Out, Bit>,
        /// The phase ends before the last arrival.
        pub passes: Signal<Out, Bit>,
        /// Pending field after the arrivals, if the phase ends with one of them.
        pub left: Signal<Out, Count>,
        /// Number of phases completed besides the first.
        pub further: Signal<Out, Bits<3>>,

        /// Upper bits of the pending field: all ones if the count is small.
        pub pending_upper: Signal<Local, Bits<17>>,
        /// Upper bits of the expected field: all ones if the count is small.
        pub expected_upper: Signal<Local, Bits<17>>,
        /// Lower bits of the expected field.
        pub expected_lower: Signal<Local, Bits<3>>,
        /// Arrivals plus the pending field, offset by 8.
        pub sum: Signal<Local, Bits<4>>,
        /// Arrivals beyond the end of the phase.
        pub beyond: Signal<Local, Bits<3>>,
        /// Index of the tables.
        pub place: Signal<Local, Bits<6>>,
        /// Arrivals in the last phase.
        pub rest: Signal<Local, Bits<3>>,
    }
    constants {
        /// Upper bits of a small count.
        SMALL: Bits<17> = Bits::constant((1 << UPPER_BITS) - 1);
        /// Bit 0 of the arrivals in the last phase.
        REST_0: Bits<64> = table(false, 0);
        /// Bit 1 of the arrivals in the last phase.
        REST_1: Bits<64> = table(false, 1);
        /// Bit 2 of the arrivals in the last phase.
        REST_2: Bits<64> = table(false, 2);
        /// Bit 0 of the phases completed besides the first.
        PHASES_0: Bits<64> = table(true, 0);
        /// Bit 1 of the phases completed besides the first.
        PHASES_1: Bits<64> = table(true, 1);
        /// Bit 2 of the phases completed besides the first.
        PHASES_2: Bits<64> = table(true, 2);
    }
    processes { Run }
}

#[processes]
impl Laps {
    fn run(&mut self) {
        self.pending_upper.next = self.pending.val().get_bits::<UPPER_BITS>(3);
        self.expected_upper.next = self.expected.val().get_bits::<UPPER_BITS>(3);
        self.expected_lower.next = self.expected.val().get_bits::<FEW_BITS>(0);
        self.sum.next =
            bit_cast::<ARRIVALS_BITS, FEW_BITS>(self.pending.val().get_bits::<FEW_BITS>(0)) + self.arrivals.val();
        self.beyond.next = self.sum.val().get_bits::<FEW_BITS>(0);
        self.reaches.next = (self.pending_upper.val() == SMALL) & self.sum.val().get_bit(3);
        self.passes.next = self.reaches.val() & self.beyond.val().any() & self.expected.val().any();
        self.place.next = bit_cast::<PLACE_BITS, FEW_BITS>(self.beyond.val())
            | (bit_cast::<PLACE_BITS, FEW_BITS>(self.expected_lower.val()) << 3);
        self.rest.next = self.beyond.val();
        self.further.next = 0.into();
        if self.expected_upper.val() == SMALL {
            self.rest.next = bit_cast::<FEW_BITS, 1>(REST_0.get_bit(self.place.val().index()).into())
                | (bit_cast::<FEW_BITS, 1>(REST_1.get_bit(self.place.val().index()).into()) << 1)
                | (bit_cast::<FEW_BITS, 1>(REST_2.get_bit(self.place.val().index()).into()) << 2);
            self.further.next = bit_cast::<FEW_BITS, 1>(PHASES_0.get_bit(self.place.val().index()).into())
                | (bit_cast::<FEW_BITS, 1>(PHASES_1.get_bit(self.place.val().index()).into()) << 1)
                | (bit_cast::<FEW_BITS, 1>(PHASES_2.get_bit(self.place.val().index()).into()) << 2);
        }
        self.left.next = self.expected.val() + bit_cast::<COUNT_BITS, FEW_BITS>(self.rest.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One arrival after the other: arrivals that are pending then and phases completed; nothing if one is too many.
    fn one_by_one(mut pending: u32, expected: u32, arrivals: u32) -> Option<(u32, u32)> {
        let mut phases = 0;
        for _ in 0..arrivals {
            pending = pending.checked_sub(1)?;
            if pending == 0 {
                (pending, phases) = (expected, phases + 1);
            }
        }
        Some((pending, phases))
    }

    #[test]
    fn as_one_by_one() {
        let counts = (0..=20).chain([255, 256, 1 << 16, (1 << 20) - 9, (1 << 20) - 8, (1 << 20) - 1]);
        let field = |count: u32| u64::from(count.wrapping_neg() & ((1 << COUNT_BITS) - 1));
        let mut laps = Laps::default();
        for pending in counts.clone() {
            for expected in counts.clone() {
                for arrivals in 0..=8 {
                    laps.pending.next = field(pending).into();
                    laps.expected.next = field(expected).into();
                    laps.arrivals.next = u64::from(arrivals).into();
                    laps.settle();
                    let what = format!("{arrivals} arrivals, {pending} pending, {expected} expected");
                    let after = one_by_one(pending, expected, arrivals);
                    let reaches = (1..=arrivals).contains(&pending);
                    assert_eq!(laps.reaches.val(), reaches, "{what}");
                    assert_eq!(laps.passes.val(), reaches && pending < arrivals && expected > 0, "{what}");
                    if let Some((left, phases)) = after.filter(|_| reaches) {
                        assert_eq!(laps.left.val(), field(left), "{what}");
                        assert_eq!(laps.further.val().raw() + 1, u64::from(phases), "{what}");
                    }
                }
            }
        }
    }
}
