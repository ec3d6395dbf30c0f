//! Totals: counters of all ports together.
//!
//! **What.** The cycles since reset, and the phases that have completed in all banks: two of the registers that the counters of
//! every port show ([`crate::low_latency::counters`]).
//!
//! ```text
//!   flip_valid ───────────► how many banks ─┐
//!   more[bank] ─► bit 0 ──► how many banks ─┤ × 1
//!                 bit 1 ──► how many banks ─┤ × 2
//!                 bit 2 ──► how many banks ─┤ × 4
//!                                           └─► sum ─► flips + sum
//! ```
//! **Why this shape.** Each number of banks comes of a tree of adders ([`LaneCount`]). Added one bank after the other, they
//! were the longest path of a unit of eight banks (docs/log/clock.md).
//!
//! **Timing.** Phases that complete in a cycle are counted in `flips` in the next.

use crate::bank::laps::FEW_BITS;
use crate::cells::lane_count::{LANE_COUNT_BITS, LANES, LaneCount};
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Totals: cycles since reset, and phases completed in all banks.
    pub module Totals = "totals" {
        /// Banks in which a phase completes.
        pub flip_valid: Signal<In, BankMask>,
        /// Number of phases completed in each bank besides the first; present if phases may end within groups.
        pub more: Banks<Signal<In, Bits<FEW_BITS>>>,
        /// Cycles since reset.
        pub cycles: OutControlReg<Word>,
        /// Phases completed.
        pub flips: OutControlReg<Word>,

        /// Number of banks in which a phase completes.
        pub completing: LaneCount,
        /// Number of banks in which each bit of `more` is set.
        pub tally: Lanes<LaneCount>,
        /// Width of `more`, or 0 without it.
        pub tallies: usize,
        /// Number of banks with `more`.
        pub banks: usize,
        /// Number of phases completed in this cycle, at most one per port.
        pub now: Signal<Local, Bits<LANE_COUNT_BITS>>,
    }
    processes { Begin, Sum }
}

#[processes]
impl Totals {
    fn begin(&mut self) {
        self.completing.lanes.next = bit_cast::<LANES, BANKS>(self.flip_valid.val());
        for m in 0..self.tallies {
            self.tally[m].lanes.next = 0.into();
            for b in 0..self.banks {
                if self.more[b].val().get_bit(m) {
                    self.tally[m].lanes.next = self.tally[m].lanes.val() | (bits::<LANES>(1) << b);
                }
            }
        }
    }

    fn sum(&mut self) {
        self.now.next = self.completing.count.val();
        for m in 0..self.tallies {
            self.now.next = self.now.val() + (self.tally[m].count.val() << m);
        }
        self.cycles.d.next = self.cycles.q.val() + 1;
        self.flips.d.next = self.flips.q.val() + bit_cast::<64, LANE_COUNT_BITS>(self.now.val());
    }
}

impl Totals {
    /// For this many banks in which phases may end within groups; 0 if they may not.
    pub fn new(banks: usize) -> Self {
        let tallies = if banks > 0 { FEW_BITS } else { 0 };
        Self { more: Banks::new(banks), tally: Lanes::new(tallies), tallies, banks, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of phases counted in a cycle with these completions.
    fn counted(totals: &mut Totals, flip_valid: u64, more: &[u64]) -> u64 {
        totals.flip_valid.next = flip_valid.into();
        for (bank, more) in more.iter().enumerate() {
            totals.more[bank].next = (*more).into();
        }
        totals.settle();
        totals.flips.d.val().raw() - totals.flips.q.val().raw()
    }

    #[test]
    fn one_phase_a_bank_and_the_more_that_each_completes() {
        let mut single = Totals::new(0);
        assert_eq!(counted(&mut single, 0, &[]), 0);
        assert_eq!(counted(&mut single, 0x8000_0001, &[]), 2);
        assert_eq!(counted(&mut single, 0xffff_ffff, &[]), 32);
        let mut groups = Totals::new(4);
        for bank in 0..4 {
            for more in 0..8 {
                let mut each = [0; 4];
                each[bank] = more;
                assert_eq!(counted(&mut groups, 1 << bank, &each), 1 + more);
            }
        }
        assert_eq!(counted(&mut groups, 0b1011, &[7, 1, 0, 4]), 15);
    }
}
