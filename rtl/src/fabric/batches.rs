//! Batches: which sources came in the same cycle, and which is served next.
//!
//! **What.** In every cycle up to eight sources may each bring an item; together these are a batch. Each source keeps
//! its item in a memory of its own, all at the same address; this block keeps which sources these were. Batches are
//! served in their order, and those of one batch in the order of the sources, one a cycle: so all are served in the order of
//! arrival, and nothing has to be arbitrated.
//!
//! ```text
//!   cycle     0        1        2        3        4        5        6        7
//!   come      A, C     B
//!   came               A, C     B                                               and `pushed`, if any has
//!   head                        A, C     B
//!   goes                        1        0        1        0
//!   left                                 A, C     C        B                    the batch that is served
//!   next                                          A        C        B           one of it, unless there is a pause
//!   turn                                                   A        C        B
//!   ended                                                  1        1           that was the last of its batch
//!
//!   brought            A, C     B                                               [`Places`], one for each source's memory:
//!   tail               0        1        2                                      written at `tail`, for the batch that has come,
//!   at                                            0        0        1        2  and read at `at`, for the one that is `next`
//!   read                                                   A        C        B
//! ```
//! Each memory has counters of its own, although all of them count the same: as registers they would have hundreds of loads in
//! every corner of a chip. (Synthesis would merge copies that do not count by themselves.)
//!
//! **Timing.** Whether a batch is there is known from the places of a cycle ago, what has come since and what has gone; whether the
//! one that is served has more than one left is kept beside it. No path has more than four levels of logic, and the signals that
//! drive all memories (`came`, `pushed`, `ended`) are registers.
//!
//! **Room.** 32 places. `crowded` says that seven or more batches wait, three cycles late.

use super::level::Level;
use super::tally::Tally;
use crate::hardware;
use crate::hdl::*;

/// How many batches there is room for.
pub const PLACES: usize = 32;

/// Number of a place for a batch.
pub type Place = Bits<5>;

/// One bit a source.
pub type Sources = Bits<8>;

hardware! {
    /// Batches: who came in the same cycle, and whose turn it is.
    pub module Batches = "batches" {
        /// Who comes.
        pub come: Signal<In, Sources>,
        /// Nobody's turn comes in this cycle.
        pub pause: Signal<In, Bit>,
        /// Who came in the cycle before.
        pub came: OutControlReg<Sources>,
        /// Somebody did.
        pub pushed: OutControlReg<Bit>,
        /// Whose turn comes in the next cycle.
        pub next: OutControlReg<Sources>,
        /// Whose turn it is.
        pub turn: OutControlReg<Sources>,
        /// `next` is the last of its batch.
        pub ended: OutControlReg<Bit>,
        /// Seven or more wait.
        pub crowded: OutControlReg<Bit>,

        /// Who came with each batch.
        pub(crate) masks: LutRam<Sources, Place>,
        /// Whether it was more than one.
        pub(crate) plurals: LutRam<Bit, Place>,
        /// Where the next batch goes.
        pub(crate) tail: ControlReg<Place>,
        /// The batch to be served next.
        pub(crate) head: ControlReg<Place>,
        /// The place of the youngest batch.
        pub(crate) youngest: ControlReg<Place>,
        /// A batch has come two cycles before.
        pub(crate) arrived: ControlReg<Bit>,
        /// There was one in the cycle before.
        pub(crate) some: ControlReg<Bit>,
        /// There was just one.
        pub(crate) one: Reg<Bit>,
        /// It went.
        pub(crate) went: ControlReg<Bit>,
        /// Those of the batch that is served whose turn has not come.
        pub(crate) left: ControlReg<Sources>,
        /// They are more than one.
        pub(crate) several: ControlReg<Bit>,
        /// How many batches there are.
        pub(crate) held: Level,
        /// How many came in the cycle before.
        pub(crate) comers: Tally,
        /// How many are left.
        pub(crate) rest: Tally,

        /// The next batch is served from the next cycle on.
        pub(crate) goes: Signal<Local, Bit>,
        /// There is a batch.
        pub(crate) there: Signal<Local, Bit>,
        /// All sources, unless there is a pause.
        pub(crate) open: Signal<Local, Sources>,
    }
    constants {
        /// Every source.
        ALL_SOURCES: Sources = Bits::constant(Sources::MASK);
    }
    processes { Count, Address, Come, Serve }
}

impl Process<Count> for Batches {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.comers.sources.next = self.came.q.val();
        self.rest.sources.next = self.left.q.val();
    }
}

impl Process<Address> for Batches {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.masks.read_address.next = self.head.q.val();
        self.plurals.read_address.next = self.head.q.val();
    }
}

impl Process<Come> for Batches {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.came.d.next = self.come.val();
        self.pushed.d.next = self.come.val().any();
        // until somebody comes, nobody looks at what lies there
        self.masks.write_enable.next = true;
        self.masks.write_address.next = self.tail.q.val();
        self.masks.write_data.next = self.came.q.val();
        self.plurals.write_enable.next = true;
        self.plurals.write_address.next = self.tail.q.val();
        self.plurals.write_data.next = self.comers.several.val();
        self.tail.d.next = self.tail.q.val();
        self.youngest.d.next = self.youngest.q.val();
        if self.pushed.q.val() {
            self.tail.d.next = self.tail.q.val() + 1;
            self.youngest.d.next = self.tail.q.val();
        }
        self.arrived.d.next = self.pushed.q.val();
        self.some.d.next = self.head.q.val() != self.tail.q.val();
        self.one.d.next = self.head.q.val() == self.youngest.q.val();
        // what there was a cycle ago, what has come since, and what has gone
        self.there.next = self.arrived.q.val() | (self.some.q.val() & !(self.one.q.val() & self.went.q.val()));
    }
}

impl Process<Serve> for Batches {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.goes.next = self.there.val() & !self.several.q.val() & !self.pause.val();
        self.went.d.next = self.goes.val();
        self.head.d.next = self.head.q.val();
        self.left.d.next = self.left.q.val();
        self.several.d.next = self.several.q.val();
        // a mask, no multiplexer with a zero: of that, synthesis makes a reset with logic in it
        self.open.next = ALL_SOURCES;
        if self.pause.val() {
            self.open.next = 0.into();
        }
        self.next.d.next = self.rest.first.val() & self.open.val();
        self.ended.d.next = self.rest.any.val() & !self.several.q.val() & !self.pause.val();
        if !self.pause.val() {
            self.left.d.next = self.left.q.val() ^ self.rest.first.val();
            // more than two leave more than one
            self.several.d.next = self.rest.many.val();
        }
        if self.goes.val() {
            self.head.d.next = self.head.q.val() + 1;
            self.left.d.next = self.masks.read_data.val();
            self.several.d.next = self.plurals.read_data.val();
        }
        self.turn.d.next = self.next.q.val();
        self.held.comes.next = self.come.val().any();
        self.held.goes.next = self.goes.val();
        self.crowded.d.next =
            self.held.count.q.val().get_bits::<3>(3).any() | (self.held.count.q.val().get_bits::<3>(0) == 7);
    }
}

impl Batches {
    /// No batches.
    pub fn empty() -> Self {
        Self {
            masks: LutRam::new(PLACES),
            plurals: LutRam::new(PLACES),
            comers: Tally::of_eight(),
            rest: Tally::of_eight(),
            ..Self::default()
        }
    }

    /// Settles the block, once `come` and `pause` are driven.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Count>::update(self);
        self.comers.settle();
        self.rest.settle();
        Process::<Address>::update(self);
        self.masks.read();
        self.plurals.read();
        Process::<Come>::update(self);
        Process::<Serve>::update(self);
        self.held.settle();
    }
}

hardware! {
    /// Where one source's memory is written and read.
    pub module Places = "places" {
        /// A batch has come.
        pub pushed: Signal<In, Bit>,
        /// The batch that is served has ended.
        pub ended: Signal<In, Bit>,
        /// Place of the batch that comes next, or has just come.
        pub tail: OutControlReg<Place>,
        /// Place of the batch that is served.
        pub at: OutControlReg<Place>,
    }
    processes { Step }
}

impl Process<Step> for Places {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.tail.d.next = self.tail.q.val();
        self.at.d.next = self.at.q.val();
        if self.pushed.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.ended.val() {
            self.at.d.next = self.at.q.val() + 1;
        }
    }
}

impl Places {
    /// Settles the block, once its inputs are driven.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Step>::update(self);
    }
}
