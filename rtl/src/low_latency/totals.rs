//! Totals: what is counted for all ports together.
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
//! **Timing.** What completes in a cycle is in `flips` in the next.

use crate::bank::laps::FEW_BITS;
use crate::cells::lane_count::{LANE_COUNT_BITS, LANES, LaneCount};
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Totals: cycles since reset, and phases completed in all banks.
    pub module Totals = "totals" {
        /// Banks in which a phase completes.
        pub flip_valid: Signal<In, BankMask>,
        /// How many more phases complete in each, if phases may end in groups.
        pub more: Banks<Signal<In, Bits<FEW_BITS>>>,
        /// Cycles since reset.
        pub cycles: OutControlReg<Word>,
        /// Phases completed.
        pub flips: OutControlReg<Word>,

        /// In how many banks a phase completes.
        pub completing: LaneCount,
        /// For each bit of `more`, in how many banks it is set.
        pub tally: Lanes<LaneCount>,
        /// How many bits of `more` there are.
        pub tallies: usize,
        /// Number of banks that have them.
        pub banks: usize,
        /// Phases completed in this cycle, at most one for each port.
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
    /// For so many banks in which phases may end in groups: none, if they end one by one.
    pub fn new(banks: usize) -> Self {
        let tallies = if banks > 0 { FEW_BITS } else { 0 };
        Self { more: Banks::new(banks), tally: Lanes::new(tallies), tallies, banks, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phases counted in a cycle in which they complete in these banks, so many more in each.
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
