//! Returns: merges the answers of all banks to one port, in order.
//!
//! ```text
//!   cycle    0              1                                              2                    3
//!   bank 0 ─► memory 0 ────► at the place of its batch, or of zeros ─┐
//!   bank 1 ─► memory 1 ────► at the place of its batch, or of zeros ─┴ OR ─► registers ─► backlog ─► shown
//!   source ─► batches ─────► next source, its place
//! ```
//! This block never stalls: it passes one answer a cycle to the backlog, which has room for all outstanding answers.
//!
//! **Capacity.** 15 batches, including the one that is served. More never accumulate while at most 30 answers are outstanding:
//! for batches to pile up, answers must come faster than one a cycle. Say that some come in each of t cycles. One has left in each but the first,
//! and a batch has eight at most: so t - (t - 1) / 8 batches at most are left, rounded up; and of 30 answers at most 30 - (t - 1). Whatever t
//! is, one of the two is 15 or less.

use super::backlog::Backlog;
use super::batches::{Batches, Sources};
use crate::cells::steps::{PLACES, Place};
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Returns: merges the answers of all banks to one port, in order.
    pub module Returns = "returns" {
        /// Banks with an answer for this port.
        pub come: Signal<In, Sources>,
        /// Suspended flag, status, predicate and tag of each bank's answer; zero in the first cycle after reset.
        pub outcome: Lanes<Signal<In, Outcome>> = Lanes::new(banks),
        /// Data of each bank's answer; zero in the first cycle after reset.
        pub data: Lanes<Signal<In, Word>> = Lanes::new(banks),
        /// The port accepts the answer at the output.
        pub ready: Signal<In, Bit>,

        /// Answer valid.
        pub valid: Signal<Out, Bit>,
        /// Suspended flag, status, predicate and tag of the answer at the output.
        pub shown: Signal<Out, Outcome>,
        /// Data of the answer at the output.
        pub shown_data: Signal<Out, Word>,
        /// An answer was accepted in the cycle before.
        pub taken: Signal<Out, Bit>,

        /// Number of banks.
        pub banks: usize = banks,
        /// Order of the banks.
        pub batches: Batches = Batches::of(banks),
        /// Outcomes.
        pub outcomes: Lanes<LutRam<Outcome, Place>> = Lanes::of(banks, || LutRam::new(PLACES)),
        /// Data.
        pub contents: Lanes<LutRam<Word, Place>> = Lanes::of(banks, || LutRam::new(PLACES)),
        /// Answer to the backlog valid.
        pub passes_on: ControlReg<Bit>,
        /// Outcome of that answer.
        pub chosen_outcome: ControlReg<Outcome>,
        /// Data of that answer.
        pub chosen_data: ControlReg<Word>,
        /// Output FIFO.
        pub backlog: Backlog = Backlog::empty(),
    }
    processes { Show, Wait, Take, Choose }
    /// Returns of this many banks.
    built by pub fn new(banks: usize) {}
}

#[processes]
impl Returns {
    fn show(&mut self) {
        connect!(self.* <<= self.backlog.*: valid, shown, shown_data, taken);
    }

    fn wait(&mut self) {
        self.batches.come.next = self.come.val();
        self.batches.pause.next = false;
    }

    fn take(&mut self) {
        for b in 0..self.banks {
            self.outcomes[b].write_enable.next = self.come.val().get_bit(b) | self.batches.begins.val();
            self.outcomes[b].write_address.next = self.batches.tail.val();
            self.outcomes[b].write_data.next = self.outcome[b].val();
            self.outcomes[b].read_address.next = self.batches.at[b].q.val();
            self.contents[b].write_enable.next = self.come.val().get_bit(b) | self.batches.begins.val();
            self.contents[b].write_address.next = self.batches.tail.val();
            self.contents[b].write_data.next = self.data[b].val();
            self.contents[b].read_address.next = self.batches.at[b].q.val();
        }
    }

    fn choose(&mut self) {
        self.passes_on.d.next = self.batches.busy.q.val();
        clear!(self.chosen_outcome, self.chosen_data);
        // all banks but one read zeros
        for b in 0..self.banks {
            self.chosen_outcome.d.next = self.chosen_outcome.d.val() | self.outcomes[b].read_data.val();
            self.chosen_data.d.next = self.chosen_data.d.val() | self.contents[b].read_data.val();
        }
        self.backlog.comes.next = self.passes_on.q.val();
        connect!(self.backlog.* <<= self.chosen_*: outcome, data);
        self.backlog.ready.next = self.ready.val();
    }
}
