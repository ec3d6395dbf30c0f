//! Lane count: number of bits set in a 32-bit mask, of threads of a warp or of banks.
//!
//! **Why this shape.** A tree of adders that are as narrow as their sums: pairs, fours, then eight fours. It is written out
//! because a loop that adds one bit after the other becomes a chain of 32 adders.
//!
//! **Timing.** `count` follows `lanes` in the same cycle.

use crate::hardware;
use crate::hdl::*;

/// Width of a mask.
pub(crate) const LANES: usize = 32;
/// Mask with one bit per thread or bank.
pub type LaneMask = Bits<LANES>;
/// Width of a count of bits set: 0 to 32.
pub(crate) const LANE_COUNT_BITS: usize = 6;
/// Width of the count of four bits.
const FOUR: usize = 4;

hardware! {
    /// Counts the bits of a mask: in pairs, in fours, then all.
    pub module LaneCount = "lane_count" {
        /// Mask.
        pub lanes: Signal<In, LaneMask>,
        /// Number of bits set in the mask.
        pub count: Signal<Out, Bits<LANE_COUNT_BITS>>,
        /// Count of each pair of bits, 2 bits wide.
        pub pairs: Signal<Local, LaneMask>,
        /// Count of each four bits, 4 bits wide.
        pub fours: Signal<Local, LaneMask>,
    }
    constants {
        /// Low bit of each pair.
        LOW_OF_TWO: LaneMask = Bits::constant(0x5555_5555);
        /// Low two bits of each four.
        LOW_OF_FOUR: LaneMask = Bits::constant(0x3333_3333);
    }
    processes { Add }
}

#[processes]
impl LaneCount {
    fn add(&mut self) {
        self.pairs.next = (self.lanes.val() & LOW_OF_TWO) + ((self.lanes.val() >> 1) & LOW_OF_TWO);
        self.fours.next = (self.pairs.val() & LOW_OF_FOUR) + ((self.pairs.val() >> 2) & LOW_OF_FOUR);
        self.count.next = ((bit_cast::<LANE_COUNT_BITS, FOUR>(self.fours.val().get_bits::<FOUR>(0))
            + bit_cast::<LANE_COUNT_BITS, FOUR>(self.fours.val().get_bits::<FOUR>(4)))
            + (bit_cast::<LANE_COUNT_BITS, FOUR>(self.fours.val().get_bits::<FOUR>(8))
                + bit_cast::<LANE_COUNT_BITS, FOUR>(self.fours.val().get_bits::<FOUR>(12))))
            + ((bit_cast::<LANE_COUNT_BITS, FOUR>(self.fours.val().get_bits::<FOUR>(16))
                + bit_cast::<LANE_COUNT_BITS, FOUR>(self.fours.val().get_bits::<FOUR>(20)))
                + (bit_cast::<LANE_COUNT_BITS, FOUR>(self.fours.val().get_bits::<FOUR>(24))
                    + bit_cast::<LANE_COUNT_BITS, FOUR>(self.fours.val().get_bits::<FOUR>(28))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_counted() {
        let mut counter = LaneCount::default();
        for shift in 0..32 {
            for lanes in [0, 1, u32::MAX, 0x9e37_79b9u32.rotate_left(shift), u32::MAX >> shift, u32::MAX << shift] {
                counter.lanes.next = (lanes as u64).into();
                counter.settle();
                assert_eq!(counter.count.val().raw(), lanes.count_ones() as u64);
            }
        }
    }
}
