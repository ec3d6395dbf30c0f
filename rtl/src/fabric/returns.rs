//! Returns: the answers of all banks to one port, one after the other in the order in which they were given.
//!
//! ```text
//!   cycle    0                        1            2       3      4                              5                        6          7
//!   bank 0 ─► registers ─► memory 0 ──────────────────────────────┐
//!   bank 1 ─► registers ─► memory 1 ──────────────────── at the place of their batch ──► registers ─► whose turn ─► registers ─► answers ─► shown
//!   who    ─► batches: come ─► came ─► head ─► left ─► next ───────┘
//! ```
//! **Room.** There is room for 31 answers here and for 31 more in `answers`; the port's entrance stops the port at about
//! 52 owed answers. While 24 are known to be in `answers`, no more go there; so 28 at most wait here.

use super::batches::{Batches, PLACES, Place, Places, Sources};
use super::level::Level;
use crate::deep::answers::Answers;
use crate::hardware;
use crate::hdl::*;
use crate::status::Status;

/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

hardware! {
    /// Returns: the answers of all banks to one port, in the order in which they were given.
    pub module Returns = "returns" {
        /// Banks that bring an answer to this port.
        pub come: Signal<In, Sources>,
        /// Whether it had been suspended, status, predicate and tag.
        pub outcome: Lanes<Signal<In, Outcome>>,
        /// Its data.
        pub data: Lanes<Signal<In, Word>>,
        /// The port takes the answer that is shown.
        pub ready: Signal<In, Bit>,

        /// An answer is shown.
        pub valid: Signal<Out, Bit>,
        /// Whether it had been suspended, status, predicate and tag.
        pub shown: Signal<Out, Outcome>,
        /// Its data.
        pub shown_data: Signal<Out, Word>,
        /// An answer has been taken in the cycle before.
        pub taken: Signal<Out, Bit>,

        /// Number of banks.
        pub(crate) banks: usize,
        /// The largest tag.
        pub(crate) last_tag: usize,
        /// Bit of an outcome that says that the wait had been suspended.
        pub(crate) resumed_lsb: usize,
        /// Whose turn it is.
        pub(crate) batches: Batches,
        /// What has been brought in the cycle before: the outcome.
        pub(crate) brought_outcome: Lanes<Reg<Outcome>>,
        /// Its data.
        pub(crate) brought_data: Lanes<Reg<Word>>,
        /// Where each bank's memories are written and read.
        pub(crate) places: Lanes<Places>,
        /// Outcomes.
        pub(crate) outcomes: Lanes<LutRam<Outcome, Place>>,
        /// Data.
        pub(crate) contents: Lanes<LutRam<Word, Place>>,
        /// What has been read of each bank's: the outcome.
        pub(crate) read_outcome: Lanes<Reg<Outcome>>,
        /// And its data.
        pub(crate) read_data: Lanes<Reg<Word>>,
        /// An answer goes to `answers`.
        pub(crate) passes_on: ControlReg<Bit>,
        /// Its outcome.
        pub(crate) chosen_outcome: Reg<Outcome>,
        /// Its data.
        pub(crate) chosen_data: Reg<Word>,
        /// Those that have gone on.
        pub(crate) answers: Answers,
        /// One has been taken two cycles before.
        pub(crate) gone: ControlReg<Bit>,
        /// How many there are.
        pub(crate) held: Level,
        /// Many.
        pub(crate) full: ControlReg<Bit>,
    }
    processes { Show, Wait, Address, Take, Choose }
}

impl Process<Show> for Returns {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.valid.next = self.answers.valid[0].q.val();
        self.shown.next = self.answers.shown.val();
        self.shown_data.next = self.answers.shown_data.val();
        self.taken.next = self.answers.taken.q.val();
    }
}

impl Process<Wait> for Returns {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.batches.come.next = self.come.val();
        self.batches.pause.next = self.full.q.val();
        self.held.comes.next = self.batches.next.q.val().any();
        self.gone.d.next = self.answers.taken.q.val();
        self.held.goes.next = self.gone.q.val();
        self.full.d.next = (self.held.count.q.val().get_bit(4) & self.held.count.q.val().get_bit(3))
            | self.held.count.q.val().get_bit(5);
    }
}

impl Process<Address> for Returns {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for b in 0..self.banks {
            self.places[b].pushed.next = self.batches.pushed.q.val();
            self.places[b].ended.next = self.batches.ended.q.val();
            self.outcomes[b].read_address.next = self.places[b].at.q.val();
            self.contents[b].read_address.next = self.places[b].at.q.val();
        }
    }
}

impl Process<Take> for Returns {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        // kept if nothing comes, see `gather.rs`
        for b in 0..self.banks {
            self.brought_outcome[b].d.next = self.brought_outcome[b].q.val();
            self.brought_data[b].d.next = self.brought_data[b].q.val();
            if self.come.val().get_bit(b) {
                self.brought_outcome[b].d.next = self.outcome[b].val();
                self.brought_data[b].d.next = self.data[b].val();
            }
            self.outcomes[b].write_enable.next = self.batches.came.q.val().get_bit(b);
            self.outcomes[b].write_address.next = self.places[b].tail.q.val();
            self.outcomes[b].write_data.next = self.brought_outcome[b].q.val();
            self.contents[b].write_enable.next = self.batches.came.q.val().get_bit(b);
            self.contents[b].write_address.next = self.places[b].tail.q.val();
            self.contents[b].write_data.next = self.brought_data[b].q.val();
            self.read_outcome[b].d.next = self.outcomes[b].read_data.val();
            self.read_data[b].d.next = self.contents[b].read_data.val();
        }
    }
}

impl Process<Choose> for Returns {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.passes_on.d.next = self.batches.turn.q.val().any();
        self.chosen_outcome.d.next = 0.into();
        self.chosen_data.d.next = 0.into();
        // one bank at most: OR-ing is a multiplexer without priority
        for b in 0..self.banks {
            if self.batches.turn.q.val().get_bit(b) {
                self.chosen_outcome.d.next = self.chosen_outcome.d.val() | self.read_outcome[b].q.val();
                self.chosen_data.d.next = self.chosen_data.d.val() | self.read_data[b].q.val();
            }
        }
        self.answers.push.next = self.passes_on.q.val();
        self.answers.push_status.next = self.chosen_outcome.q.val().get_bits::<STATUS_BITS>(0);
        self.answers.push_predicate.next = self.chosen_outcome.q.val().get_bit(Status::BITS);
        self.answers.push_tag.next =
            self.chosen_outcome.q.val().get_bits::<TAG>(Status::BITS + 1) & self.last_tag.to_bits();
        self.answers.push_resumed[0].next = (self.chosen_outcome.q.val() >> self.resumed_lsb) & 1;
        self.answers.push_data.next = self.chosen_data.q.val();
        self.answers.ready.next = self.ready.val();
    }
}

impl Returns {
    /// What brings the answers of so many banks, with tags of so many bits.
    pub fn new(banks: usize, tag_bits: usize) -> Self {
        Self {
            last_tag: (1 << tag_bits) - 1,
            resumed_lsb: Status::BITS + 1 + tag_bits,
            outcome: Lanes::new(banks),
            data: Lanes::new(banks),
            banks,
            read_outcome: Lanes::new(banks),
            read_data: Lanes::new(banks),
            batches: Batches::empty(),
            brought_outcome: Lanes::new(banks),
            brought_data: Lanes::new(banks),
            places: Lanes::of(banks, Places::default),
            outcomes: Lanes::of(banks, || LutRam::new(PLACES)),
            contents: Lanes::of(banks, || LutRam::new(PLACES)),
            answers: Answers::of_fabric(tag_bits),
            ..Self::default()
        }
    }

    /// Settles what is shown. Depends on registers only.
    #[inline(always)]
    pub fn settle_show(&mut self) {
        self.answers.settle_show();
        Process::<Show>::update(self);
    }

    /// Settles the rest, once the inputs are driven.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Wait>::update(self);
        self.batches.settle();
        self.held.settle();
        Process::<Address>::update(self);
        for b in 0..self.banks {
            self.places[b].settle();
            self.outcomes[b].read();
            self.contents[b].read();
        }
        Process::<Take>::update(self);
        Process::<Choose>::update(self);
        self.answers.settle();
    }
}
