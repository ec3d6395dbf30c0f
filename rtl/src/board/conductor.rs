//! Conductor: starts the rounds of the self-test, tracks the arrivals, and detects a hang.
//!
//! ```text
//!   go       ____/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\______/‾‾‾
//!   closed   ________________________/‾\__________    the leader has closed the round
//!   over     ________________________/‾\__________
//!   place    ----X=====================X======X===    new for each round, while nobody goes
//! ```
//! In every round the words are at other addresses, and the tags begin with another number. A round takes some hundred cycles; one that takes
//! 16,384 counts as a hang. In one round of four the testers leave their own words alone and all operate on the shared one.
//!
//! **Completion.** A phase of the shared barrier is complete for a tester when every port has made the last arrival of that phase.
//! A port that has seen the phase complete may be one phase ahead and have finished that, too; never two.

use super::tester::{PLACE_BITS, Phase, SHARE};
use crate::hardware;
use crate::hdl::*;
use crate::word::{self, COUNT_BITS};

/// Width of the counter of rounds.
pub const ROUND_BITS: usize = 32;
/// Width of the counter of cycles in a round.
const PATIENCE_BITS: usize = 14;

hardware! {
    /// Conductor: starts the rounds of the self-test and tracks the arrivals.
    pub module Conductor = "conductor" {
        /// The tester has completed its part.
        pub done: Lanes<Signal<In, Bit>> = Lanes::new(ports),
        /// Phase that the tester is in.
        pub phase: Lanes<Signal<In, Phase>> = Lanes::new(ports),
        /// Number of phases in which the tester has made its last arrival.
        pub finished: Lanes<Signal<In, Phase>> = Lanes::new(ports),
        /// Arrivals that the tester has dropped.
        pub dropped: Lanes<Signal<In, Bits<4>>> = Lanes::new(ports),
        /// The leader has closed the round.
        pub closed: Signal<In, Bit>,
        /// A port has failed.
        pub halt: Signal<In, Bit>,
        /// Random bits.
        pub roll: Signal<In, Word>,

        /// A round is in progress.
        pub go: OutControlReg<Bit>,
        /// The round ends.
        pub over: Signal<Out, Bit>,
        /// All testers have completed their part.
        pub all_done: Signal<Out, Bit>,
        /// Every port has made its last arrival in the phase of this tester.
        pub complete: Lanes<Signal<Out, Bit>> = Lanes::new(ports),
        /// Mask XORed with word indices.
        pub place: OutReg<Bits<PLACE_BITS>>,
        /// The ports' words are far apart.
        pub apart: OutReg<Bit>,
        /// Only the shared word is accessed while there is work on it.
        pub rush: OutReg<Bit>,
        /// Base of the tags; bit 0 is 0.
        pub tags: OutReg<Tag>,
        /// Expected final value of the shared word.
        pub last_word: Signal<Out, Word, WordView>,
        /// Rounds completed.
        pub rounds: OutControlReg<Bits<ROUND_BITS>>,
        /// The round does not end.
        pub hangs: Signal<Out, Bit>,

        /// Number of testers.
        pub ports: usize = ports,
        /// Arrivals of all ports in a phase.
        pub all_shares: usize = SHARE as usize * ports,
        /// Largest even tag.
        pub last_tag: usize = (1 << tag_bits) - 2,
        /// Cycles since the beginning of the round.
        pub cycles: ControlReg<Bits<PATIENCE_BITS>>,
        /// Arrivals expected at the end of the round.
        pub left: Signal<Local, Count>,
        /// `left`, as stored in a word.
        pub field: Signal<Local, Count>,
        /// Arrivals that a tester has dropped.
        pub drop: Signal<Local, Bits<4>>,
    }
    processes { Know, Turn }
    /// A conductor of this many testers, with tags of this many bits.
    built by pub fn new(ports: usize, tag_bits: usize) {}
}

#[processes]
impl Conductor {
    #[inline]
    fn know(&mut self) {
        self.all_done.next = true;
        self.left.next = self.all_shares.to_bits();
        self.drop.next = 0.into();
        for p in 0..self.ports {
            if !self.done[p].val() {
                self.all_done.next = false;
            }
            self.drop.next = self.dropped[p].val();
            self.left.next = self.left.val() - bit_cast::<COUNT_BITS, 4>(self.drop.val());
            self.complete[p].next = true;
            for q in 0..self.ports {
                if self.finished[q].val() == self.phase[p].val() {
                    self.complete[p].next = false;
                }
            }
        }
        self.field.next = bits::<COUNT_BITS>(0) - self.left.val();
        self.last_word.next = (bit_cast::<64, COUNT_BITS>(self.field.val()) << word::PENDING.lsb)
            | (bit_cast::<64, COUNT_BITS>(self.field.val()) << word::EXPECTED.lsb);
        self.over.next = self.closed.val() & self.go.q.val();
        self.hangs.next = !(!self.cycles.q.val()).any();
    }

    #[inline]
    fn turn(&mut self) {
        self.go.d.next = !self.over.val();
        keep!(self.place, self.apart, self.rush, self.tags);
        self.cycles.d.next = self.cycles.q.val() + 1;
        if !self.go.q.val() {
            self.place.d.next = self.roll.val().get_bits::<PLACE_BITS>(0);
            self.apart.d.next = self.roll.val().get_bit(20);
            self.rush.d.next = !self.roll.val().get_bits::<2>(21).any();
            self.tags.d.next = self.roll.val().get_bits::<TAG>(24) & self.last_tag.to_bits();
        }
        if self.over.val() | self.halt.val() {
            self.cycles.d.next = 0.into();
        }
        if self.over.val() {
            self.rounds.d.next = self.rounds.q.val() + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(finished: [u64; 2], phase: [u64; 2], dropped: u64) -> Conductor {
        let mut conductor = Conductor::new(2, 4);
        for port in 0..2 {
            conductor.finished[port].next = finished[port].into();
            conductor.phase[port].next = phase[port].into();
        }
        conductor.dropped[1].next = dropped.into();
        conductor.settle();
        conductor
    }

    #[test]
    fn a_phase_is_complete_when_all_have_arrived() {
        let complete = |finished, phase| {
            let conductor = settled(finished, phase, 0);
            [conductor.complete[0].val(), conductor.complete[1].val()]
        };
        assert_eq!(complete([1, 0], [0, 0]), [false, false]);
        assert_eq!(complete([1, 1], [0, 0]), [true, true]);
        assert_eq!(complete([2, 1], [1, 0]), [false, true]);
        assert_eq!(complete([2, 2], [1, 1]), [true, true]);
    }

    #[test]
    fn the_last_word_lacks_what_was_dropped() {
        let word = settled([4, 4], [4, 4], 5).last_word.val().raw();
        assert_eq!(word, (0x10_0000 - 11) << 43 | (0x10_0000 - 11) << 1);
    }

    #[test]
    fn a_round_that_does_not_end_is_noticed() {
        let mut conductor = Conductor::new(1, 2);
        conductor.done[0].next = true;
        let mut cycles = 0;
        loop {
            conductor.settle();
            if conductor.hangs.val() {
                break;
            }
            conductor.tick();
            cycles += 1;
        }
        assert_eq!(cycles, (1 << PATIENCE_BITS) - 1);
    }

    #[test]
    fn places_change_between_rounds_only() {
        let mut conductor = Conductor::new(1, 4);
        let mut places = Vec::new();
        for cycle in 0..200u64 {
            conductor.closed.next = cycle % 20 == 19;
            conductor.roll.next = ((cycle + 1) * 0x0123_4567_89ab_cdef).into();
            conductor.settle();
            let place = conductor.place.q.val();
            conductor.tick();
            if conductor.place.q.val() != place {
                places.push(cycle);
            }
            assert_eq!(conductor.tags.q.val().raw() & !14, 0);
        }
        assert!(places.iter().all(|cycle| cycle % 20 == 0) && places.len() == 10, "{places:?}");
        assert_eq!(conductor.rounds.q.val(), 10);
    }
}
