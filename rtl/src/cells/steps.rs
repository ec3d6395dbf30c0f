//! Steps: address generator of a small memory whose place 0 is never written by users.
//!
//! **What.** A LUT RAM has 16 places. Place 0 is reserved and holds zeros; this block cycles through the other 15. It is a shift register
//! without a carry chain: each place has one successor, in one ring that leaves out place 0.
//!
//! ```text
//!   cycle    reset  1     2     3     4                      place    0001 0010 0100 1001 0011 0110 1101 1010
//!   moves                       1                                     0101 1011 0111 1111 1110 1100 1000 and again 0001
//!   begins          1
//!   place    0000   0000  0001  0001  0010
//! ```
//! **Place 0** is the read address of sources that are masked out: so the outputs of several memories are merged with an OR, without a
//! multiplexer. It is cleared in the cycle of `begins`, when all write data is zero.

use crate::hardware;
use crate::hdl::*;

/// Address of a place.
pub type Place = Bits<4>;

/// Places of a memory, including the reserved one.
pub const PLACES: usize = 16;

hardware! {
    /// Steps: cycles through the places of a small memory.
    pub module Steps = "steps" {
        /// Advance to the next place.
        pub moves: Signal<In, Bit>,
        /// Current place.
        pub place: OutControlReg<Place>,
        /// Successor of the current place.
        pub after: Signal<Out, Place>,
        /// Place in the next cycle.
        pub soon: Signal<Out, Place>,
        /// First cycle after reset.
        pub begins: Signal<Out, Bit>,
    }
    processes { Step }
}

#[processes]
impl Steps {
    fn step(&mut self) {
        self.begins.next = !self.place.q.val().any();
        self.after.next = (self.place.q.val() << 1)
            | bit_cast::<4, 1>(
                ((self.place.q.val().get_bit(3) != self.place.q.val().get_bit(2)) | self.begins.val()).into(),
            );
        self.soon.next = self.place.q.val();
        if self.moves.val() | self.begins.val() {
            self.soon.next = self.after.val();
        }
        self.place.d.next = self.soon.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_places_but_that_of_zeros_are_in_one_ring() {
        let mut steps = Steps::default();
        let mut seen = Vec::new();
        for cycle in 0..31 {
            // it stands still in each second cycle
            steps.moves.next = cycle % 2 == 0;
            steps.settle();
            assert_eq!(steps.begins.val(), cycle == 0);
            steps.tick();
            if cycle % 2 == 0 {
                seen.push(steps.place.q.val().raw());
            }
        }
        assert_eq!(seen[0], seen[15], "it goes round");
        seen[..15].sort_unstable();
        assert_eq!(seen[..15], (1..16).collect::<Vec<_>>());
    }
}
