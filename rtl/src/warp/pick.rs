//! Pick: the row that a bank serves next, and what is stored there.
//!
//! **What.** Of the lanes of a load or store that name a word of one bank, the lowest chooses the row; all lanes that name this row
//! are served with it, in one step. So one word that several lanes read goes to all of them, and what several lanes store into one word is
//! merged.
//!
//! **Merge.** Lanes store halves of a word, 4 bytes, or both. Where several lanes store one half, the highest of them wins. (PTX
//! does not say which.)
//!
//! ```text
//!   here     1 1 0 1 1      lanes 0, 1, 3, 4 name words of the bank
//!   rows     5 5 - 2 5      lane 0 chooses row 5
//!   lanes    1 1 0 0 1      served; lane 3 is left for another step
//!   low      1 0 0 0 1      they store the lower half: lane 4's is stored
//! ```
//! **Timing.** Everything follows in the same cycle.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Pick: which row a bank serves, for which lanes, and what is stored there.
    pub module Pick = "pick" {
        /// Lanes that are left and name a word of the bank.
        pub here: Signal<In, LaneMask>,
        /// Row of each lane's word.
        pub rows: WarpLanes<Signal<In, RowIndex>> = WarpLanes::new(lanes),
        /// What each lane stores, at its place in the word.
        pub words: WarpLanes<Signal<In, Word>> = WarpLanes::new(lanes),
        /// Lanes that take the lower half of their word.
        pub low: Signal<In, LaneMask>,
        /// Lanes that take the upper half.
        pub high: Signal<In, LaneMask>,
        /// The row.
        pub row: Signal<Out, RowIndex>,
        /// Lanes that are served with it.
        pub lanes: Signal<Out, LaneMask>,
        /// Halves of the word that they take.
        pub halves: Signal<Out, Bits<2>>,
        /// What they store there.
        pub word: Signal<Out, Word>,

        /// The lowest lane.
        pub leader: Signal<Local, LaneMask>,
        /// Those that take the lower half; with all lanes below them.
        pub low_below: Signal<Local, LaneMask>,
        /// Those that take the upper half; with all lanes below them.
        pub high_below: Signal<Local, LaneMask>,
        /// The highest that takes the lower half.
        pub low_top: Signal<Local, LaneMask>,
        /// The highest that takes the upper half.
        pub high_top: Signal<Local, LaneMask>,
        /// The lower half.
        pub low_half: Signal<Local, Bits<32>>,
        /// The upper half.
        pub high_half: Signal<Local, Bits<32>>,
    }
    processes { Serve, Merge }
    /// For warps of so many lanes.
    built by pub fn new(lanes: usize) {}
}

#[processes]
impl Pick {
    fn serve(&mut self) {
        self.leader.next = self.here.val() & (!self.here.val() + 1);
        self.row.next = 0.into();
        for l in 0..self.rows.len() {
            if self.leader.val().get_bit(l) {
                self.row.next = self.row.val() | self.rows[l].val();
            }
        }
        self.lanes.next = 0.into();
        for l in 0..self.rows.len() {
            if self.here.val().get_bit(l) & (self.rows[l].val() == self.row.val()) {
                self.lanes.next = self.lanes.val() | (bits::<WARP_LANES>(1) << l);
            }
        }
    }

    fn merge(&mut self) {
        self.low_below.next = self.lanes.val() & self.low.val();
        self.high_below.next = self.lanes.val() & self.high.val();
        self.halves.next = bit_cast::<2, 1>(self.low_below.val().any().into())
            | (bit_cast::<2, 1>(self.high_below.val().any().into()) << 1);
        self.low_below.next = self.low_below.val() | (self.low_below.val() >> 1);
        self.low_below.next = self.low_below.val() | (self.low_below.val() >> 2);
        self.low_below.next = self.low_below.val() | (self.low_below.val() >> 4);
        self.low_below.next = self.low_below.val() | (self.low_below.val() >> 8);
        self.low_below.next = self.low_below.val() | (self.low_below.val() >> 16);
        self.high_below.next = self.high_below.val() | (self.high_below.val() >> 1);
        self.high_below.next = self.high_below.val() | (self.high_below.val() >> 2);
        self.high_below.next = self.high_below.val() | (self.high_below.val() >> 4);
        self.high_below.next = self.high_below.val() | (self.high_below.val() >> 8);
        self.high_below.next = self.high_below.val() | (self.high_below.val() >> 16);
        self.low_top.next = self.low_below.val() & !(self.low_below.val() >> 1);
        self.high_top.next = self.high_below.val() & !(self.high_below.val() >> 1);
        clear!(self.low_half, self.high_half);
        for l in 0..self.words.len() {
            if self.low_top.val().get_bit(l) {
                self.low_half.next = self.low_half.val() | self.words[l].val().get_bits::<32>(0);
            }
            if self.high_top.val().get_bit(l) {
                self.high_half.next = self.high_half.val() | self.words[l].val().get_bits::<32>(32);
            }
        }
        self.word.next = bit_cast::<64, 32>(self.low_half.val()) | (bit_cast::<64, 32>(self.high_half.val()) << 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the lanes: what is served is the row of the lowest, for all that name it; the highest writer of a half wins.
    #[test]
    fn the_lowest_lane_chooses_and_the_highest_writes() {
        let mut noise = 0x2545_f491_4f6c_dd1du64;
        let mut random = move || {
            noise = noise.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            noise >> 7
        };
        for lanes in [1, 4, 8, 16, 32] {
            let mut pick = Pick::new(lanes);
            for _ in 0..2000 {
                let mask = u64::MAX >> (64 - lanes);
                let [here, low, high] = [random() & mask, random() & mask, random() & mask];
                let rows: Vec<u64> = (0..lanes).map(|_| random() & 3).collect();
                let words: Vec<u64> = (0..lanes).map(|_| random() << 8 ^ random()).collect();
                pick.here.next = here.into();
                pick.low.next = low.into();
                pick.high.next = high.into();
                for lane in 0..lanes {
                    pick.rows[lane].next = rows[lane].into();
                    pick.words[lane].next = words[lane].into();
                }
                pick.settle();
                let among = |mask: u64| (0..lanes).filter(move |lane| mask >> lane & 1 == 1);
                let Some(first) = among(here).next() else {
                    assert_eq!((pick.lanes.val().raw(), pick.halves.val().raw()), (0, 0));
                    continue;
                };
                let served = among(here).filter(|lane| rows[*lane] == rows[first]).map(|lane| 1 << lane).sum::<u64>();
                let half = |takes: u64, shift: u32| {
                    among(served & takes).next_back().map_or(0, |lane| words[lane] >> shift & 0xffff_ffff) << shift
                };
                let halves = u64::from(served & low != 0) | u64::from(served & high != 0) << 1;
                let seen = (pick.row.val().raw(), pick.lanes.val().raw(), pick.halves.val().raw());
                assert_eq!(seen, (rows[first], served, halves));
                assert_eq!(pick.word.val().raw(), half(low, 0) | half(high, 32));
            }
        }
    }
}
