//! Steps: goes round the places of a small memory.
//!
//! **What.** A LUT RAM has 16 places. One of them is never given away and holds zeros; this block counts the other 15. It
//! shifts and has no carry: each place has one place behind it, all in one ring, but the one of zeros is outside.
//!
//! ```text
//!   cycle    reset  1     2     3     4                      place    0001 0010 0100 1001 0011 0110 1101 1010
//!   moves                       1                                     0101 1011 0111 1111 1110 1100 1000 and again 0001
//!   begins          1
//!   place    0000   0000  0001  0001  0010
//! ```
//! **The place of zeros** is what sources are read at that are not to be seen: so what several memories show needs no multiplexer,
//! only an OR. It is written in the cycle that `begins`, in which all that could be written is zero.

use crate::hardware;
use crate::hdl::*;

/// Number of a place.
pub type Place = Bits<4>;

/// How many places a memory has, the one of zeros among them.
pub const PLACES: usize = 16;

hardware! {
    /// Steps: goes round the places of a small memory.
    pub module Steps = "steps" {
        /// Go to the next place.
        pub moves: Signal<In, Bit>,
        /// The place.
        pub place: OutControlReg<Place>,
        /// The one behind it.
        pub after: Signal<Out, Place>,
        /// The one of the next cycle.
        pub soon: Signal<Out, Place>,
        /// The first cycle after reset.
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
