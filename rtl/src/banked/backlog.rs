//! Backlog: a port's answers until it takes them.
//!
//! **What.** A register, which the port sees, and a memory behind it for what comes while it is full. What comes while there is
//! nothing in the memory goes to the register at once:
//!
//! ```text
//!   cycle     0    1    2    3    4    5    6
//!   comes     A    B    C
//!   valid          A    A    A    B    C          A is not taken in cycles 1 and 2
//!   ready                    1    1    1
//!   memory              B    B    C               what is in it, in the order in which it came
//!   some                1    1    1
//! ```
//! The memory has two halves, which are filled in turn. The half that has not the oldest answer is read where zeros are (see [`Steps`]).
//!
//! **Room.** For 30 answers in the memory, and one in front. That no more come is looked after where requests are accepted.

use crate::cells::steps::{PLACES, Place, Steps};
use crate::hardware;
use crate::hdl::*;

/// Halves of the memory.
const HALVES: usize = 2;

hardware! {
    /// Backlog: a port's answers until it takes them.
    pub module Backlog = "backlog" {
        /// An answer comes.
        pub comes: Signal<In, Bit>,
        /// Whether it had been suspended, status, predicate and tag; zero in the first cycle after reset.
        pub outcome: Signal<In, Outcome>,
        /// Its data; zero in the first cycle after reset.
        pub data: Signal<In, Word>,
        /// The port takes the answer that is shown.
        pub ready: Signal<In, Bit>,

        /// An answer is shown.
        pub valid: OutControlReg<Bit>,
        /// Whether it had been suspended, status, predicate and tag.
        pub shown: OutReg<Outcome>,
        /// Its data.
        pub shown_data: OutReg<Word>,
        /// An answer has been taken in the cycle before.
        pub taken: OutControlReg<Bit>,

        /// Halves of the memory.
        pub halves: usize = HALVES,
        /// Outcomes.
        pub outcomes: Lanes<LutRam<Outcome, Place>> = Lanes::of(HALVES, || LutRam::new(PLACES)),
        /// Data.
        pub contents: Lanes<LutRam<Word, Place>> = Lanes::of(HALVES, || LutRam::new(PLACES)),
        /// There are answers in the memory.
        pub some: ControlReg<Bit>,
        /// Place of the oldest.
        pub head: Steps,
        /// It is in the second half.
        pub head_upper: ControlReg<Bit>,
        /// Place of the next that comes.
        pub tail: Steps,
        /// It is in the second half.
        pub tail_upper: ControlReg<Bit>,
        /// Where each half is read: at the place of the oldest, or where zeros are.
        pub at: Lanes<ControlReg<Place>> = Lanes::new(HALVES),

        /// The register in front takes another answer.
        pub free: Signal<Local, Bit>,
        /// An answer goes into the memory.
        pub push: Signal<Local, Bit>,
        /// One leaves it.
        pub pop: Signal<Local, Bit>,
        /// There is only one in it.
        pub last: Signal<Local, Bit>,
        /// Outcome of the oldest in the memory.
        pub oldest: Signal<Local, Outcome>,
        /// Its data.
        pub oldest_data: Signal<Local, Word>,
        /// A half is written.
        pub writes: Signal<Local, Bit>,
    }
    processes { Move, Keep, Show }
    /// Without answers.
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
