//! Backlog: output FIFO of a port's answers.
//!
//! **What.** An output register, and a memory behind it that takes answers while it is full. While the memory is empty, answers go directly
//! to the register:
//!
//! ```text
//!   cycle     0    1    2    3    4    5    6
//!   comes     A    B    C
//! valid          A    A    A    B    C          A is not accepted in cycles 1 and 2
//!   ready                    1    1    1
//! memory              B    B    C               contents, in order of arrival
//!   some                1    1    1
//! ```
//! The memory has two halves, which are filled alternately. The half without the oldest answer is read at the place of zeros (see
//! [`Steps`]).
//!
//! **Capacity.** 30 answers in the memory, and one in the register. Overflow is prevented where requests are accepted.

use crate::cells::steps::{PLACES, Place, Steps};
use crate::hardware;
use crate::hdl::*;

/// Number of halves of the memory.
const HALVES: usize = 2;

hardware! {
    /// Backlog: output FIFO of a port's answers.
    pub module Backlog = "backlog" {
        /// Write enable: answer valid.
        pub comes: Signal<In, Bit>,
        /// Suspended flag, status, predicate and tag of the answer; zero in the first cycle after reset.
        pub outcome: Signal<In, Outcome>,
        /// Data of the answer; zero in the first cycle after reset.
        pub data: Signal<In, Word>,
        /// The port accepts the answer at the output.
        pub ready: Signal<In, Bit>,

        /// Answer valid.
        pub valid: OutControlReg<Bit>,
        /// Suspended flag, status, predicate and tag of the answer at the output.
        pub shown: OutReg<Outcome>,
        /// Data of the answer at the output.
        pub shown_data: OutReg<Word>,
        /// An answer was accepted in the cycle before.
        pub taken: OutControlReg<Bit>,

        /// Number of halves of the memory.
        pub halves: usize = HALVES,
        /// Outcomes.
        pub outcomes: Lanes<LutRam<Outcome, Place>> = Lanes::of(HALVES, || LutRam::new(PLACES)),
        /// Data.
        pub contents: Lanes<LutRam<Word, Place>> = Lanes::of(HALVES, || LutRam::new(PLACES)),
        /// The memory is not empty.
        pub some: ControlReg<Bit>,
        /// Place of the oldest answer.
        pub head: Steps,
        /// The oldest answer is in the second half.
        pub head_upper: ControlReg<Bit>,
        /// Place of the next answer to write.
        pub tail: Steps,
        /// The next answer is written to the second half.
        pub tail_upper: ControlReg<Bit>,
        /// Read address of each half: the oldest answer, or the place of zeros.
        pub at: Lanes<ControlReg<Place>> = Lanes::new(HALVES),

        /// The output register loads.
        pub free: Signal<Local, Bit>,
        /// Write enable of the memory.
        pub push: Signal<Local, Bit>,
        /// Read enable of the memory.
        pub pop: Signal<Local, Bit>,
        /// The memory holds one answer.
        pub last: Signal<Local, Bit>,
        /// Outcome of the oldest answer in the memory.
        pub oldest: Signal<Local, Outcome>,
        /// Data of the oldest answer in the memory.
        pub oldest_data: Signal<Local, Word>,
        /// Write enable of a half.
        pub writes: Signal<Local, Bit>,
    }
    processes { Move, Keep, Show }
    /// A backlog without answers.
    built by pub fn empty() {}
}

#[processes]
impl Backlog {
    fn r#move(&mut self) {
        self.free.next = !self.valid.q.val() | self.ready.val();
        self.push.next = self.comes.val() & (self.some.q.val() | !self.free.val());
        self.pop.next = self.some.q.val() & self.free.val();
        self.head.moves.next = self.pop.val() & self.head_upper.q.val();
        self.tail.moves.next = self.push.val() & self.tail_upper.q.val();
    }

    fn keep(&mut self) {
        self.last.next =
            !self.head_upper.q.val() & self.tail_upper.q.val() & (self.head.place.q.val() == self.tail.place.q.val());
        if self.head_upper.q.val() {
            self.last.next = !self.tail_upper.q.val() & (self.head.after.val() == self.tail.place.q.val());
        }
        self.some.d.next = self.push.val() | (self.some.q.val() & !(self.pop.val() & self.last.val()));
        self.head_upper.d.next = self.head_upper.q.val() != self.pop.val();
        self.tail_upper.d.next = self.tail_upper.q.val() != self.push.val();
        clear!(self.at[0], self.at[1]);
        if self.head_upper.d.val() {
            self.at[1].d.next = self.head.soon.val();
        }
        if !self.head_upper.d.val() {
            self.at[0].d.next = self.head.soon.val();
        }
        for h in 0..self.halves {
            self.writes.next = (self.push.val() & (self.tail_upper.q.val() == (h == 1))) | self.tail.begins.val();
            self.outcomes[h].write_enable.next = self.writes.val();
            self.outcomes[h].write_address.next = self.tail.place.q.val();
            self.outcomes[h].write_data.next = self.outcome.val();
            self.outcomes[h].read_address.next = self.at[h].q.val();
            self.contents[h].write_enable.next = self.writes.val();
            self.contents[h].write_address.next = self.tail.place.q.val();
            self.contents[h].write_data.next = self.data.val();
            self.contents[h].read_address.next = self.at[h].q.val();
        }
    }

    fn show(&mut self) {
        self.taken.d.next = self.valid.q.val() & self.ready.val();
        self.valid.d.next = self.comes.val() | self.some.q.val() | !self.free.val();
        clear!(self.oldest, self.oldest_data);
        for h in 0..self.halves {
            self.oldest.next = self.oldest.val() | self.outcomes[h].read_data.val();
            self.oldest_data.next = self.oldest_data.val() | self.contents[h].read_data.val();
        }
        if self.free.val() {
            self.shown.d.next = self.outcome.val();
            self.shown_data.d.next = self.data.val();
            if self.some.q.val() {
                self.shown.d.next = self.oldest.val();
                self.shown_data.d.next = self.oldest_data.val();
            }
        }
    }
}
