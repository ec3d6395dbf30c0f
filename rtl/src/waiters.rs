//! Waiters: one port's waits that are suspended until the phase of their barrier completes.
//!
//! **What.** A `try_wait` whose phase has not completed is parked in a table instead of being answered: {word, deadline,
//! tag}. A phase that completes wakes all that wait for its word in one step; a deadline that passes ends its wait; a barrier
//! that is ended (`inval`, `init`, a store) cancels the waits on it. Their answers are then given one a
//! cycle, beside those of the response queue. If the table is full, the wait is answered at once, with predicate 0.
//!
//! **Why no wake-up is lost.** A bank does one group of requests after the other, and reading the phase and parking
//! happen in the same stage (c4) as a phase's completion. A wait that takes effect before the completion is in the table when
//! it happens, and one that takes effect with it or after it sees it.
//!
//! ```text
//!   cycle          t        t+1      ...      f        f+1
//!   try_wait       c4: not complete
//!   park           /‾‾‾‾‾‾‾‾\____________________________
//!   parked         ─────────/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\_______
//!   last arrival                              c4: flips
//!   over           ───────────────────────────────/‾‾‾‾‾‾  the answer is shown: 5 cycles after the arrival
//! ```
//! **Deadlines.** A limit of n nanoseconds is n / period cycles, rounded up. If nothing else comes first, the answer is
//! shown that many cycles later than it would have been without suspension. A completion in the last of them counts.
//!
//! **Acquire.** From its acceptance until it has ended, a wait with acquire semantics holds the port's later requests of the
//! same thread. Requests of others go on: one of them may be what the wait waits for.
//!
//! **Two answers in a cycle.** The port's queue and this table take turns; an answer that is shown stays until it is
//! taken.
//!
//! Drawn from a run: `waves/gallery/blocks/waiters.svg`.

use crate::decode::{self, OpSet};
use crate::hardware;
use crate::hdl::*;
use crate::op::{self, Op};
use crate::status::Status;

hardware! {
    /// Waiters: one port's waits that are suspended until the phase of their barrier completes.
    pub module Waiters = "waiters" {
        /// The pipeline moves.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request in c0.
        pub op: InStageReg<OpCode, OpView>,
        /// Its data.
        pub data: InStageReg<Word>,

        /// A request with acquire semantics was granted to the port (c0).
        pub acquires: InStageControlReg<Bit>,
        /// Tag of the request in c0.
        pub tag_c1: InStageReg<Tag>,
        /// Tag of the request that comes.
        pub coming: Signal<In, Tag>,
        /// Tag of the request in the slot.
        pub in_slot: Signal<In, Tag>,
        /// An acquire wait of the same thread holds the request that comes.
        pub held: Signal<Out, Bit>,
        /// And the one in the slot.
        pub slot_held: Signal<Out, Bit>,

        /// The request in c4 is done, and not refused.
        pub done: Signal<In, Bit>,
        /// It is a wait whose phase has completed.
        pub complete: Signal<In, Bit>,
        /// Number of its word.
        pub index: Signal<In, WordIndex>,
        /// Its tag.
        pub tag: Signal<In, Tag>,
        /// It is parked.
        pub parks: Signal<Out, Bit>,
        /// It would have been, had there been room.
        pub turned_away: Signal<Out, Bit>,

        /// Nanoseconds since reset.
        pub now: Signal<In, Time>,
        /// Banks in which a phase completes.
        pub flips: Signal<In, BankMask>,
        /// Banks in which a barrier is ended or replaced.
        pub ended: Signal<In, BankMask>,
        /// Number of the word that is operated on in each.
        pub event: Banks<Signal<In, WordIndex>>,

        /// The response queue has an answer for the port.
        pub queue_valid: Signal<In, Bit>,
        /// The port takes the answer that is shown.
        pub ready: Signal<In, Bit>,
        /// The port is shown an answer of this table.
        pub shows: Signal<Out, Bit>,
        /// Tag of the wait.
        pub answer_tag: Signal<Out, Tag>,
        /// How it ended.
        pub answer_status: Signal<Out, StatusCode, StatusView>,
        /// Whether the phase has completed.
        pub answer_predicate: Signal<Out, Bit>,
        /// Waits have been woken by the completion of their phase in the last cycle.
        pub woken: OutControlReg<Bit>,

        /// Bits of a tag below those that name the thread.
        pub(crate) number_bits: usize,
        /// Thread of the request that comes.
        pub(crate) coming_thread: Signal<Local, Tag>,
        /// Thread of the request in the slot.
        pub(crate) slot_thread: Signal<Local, Tag>,
        /// Thread of an acquire wait.
        pub(crate) thread: Signal<Local, Tag>,
        /// Tag of an acquire wait that is suspended.
        pub(crate) waiting: Signal<Local, Tag>,
        /// In checked mode: banks in which waits are suspended on the word that is operated on.
        pub hit: Lanes<Signal<Out, BankMask>>,
        /// How many of `hit` there are.
        pub(crate) hits: usize,
        /// Number of entries.
        pub(crate) entries: usize,
        /// Number of banks.
        pub(crate) banks: usize,
        /// Words that are waited for.
        pub(crate) word: Shelf<WordIndex>,
        /// When to give up.
        pub(crate) deadline: Shelf<Time>,
        /// Tags.
        pub(crate) name: Shelf<Tag>,
        /// Entries whose wait is suspended.
        pub(crate) parked: ControlReg<EntryMask>,
        /// Entries whose wait is over and not answered.
        pub(crate) over: ControlReg<EntryMask>,
        /// Those of them whose phase has completed.
        pub(crate) success: ControlReg<EntryMask>,
        /// Those of them whose barrier is gone.
        pub(crate) gone: ControlReg<EntryMask>,
        /// Those of `parked` that acquire.
        pub(crate) acquiring: ControlReg<EntryMask>,
        /// The entry that is shown and was not taken.
        pub(crate) shown: ControlReg<EntryMask>,
        /// This table answers before the queue.
        pub(crate) prefer: ControlReg<Bit>,

        /// The request in c2 may be suspended.
        pub(crate) suspends_c2: StageReg<Bit>,
        /// The request in c3 may be suspended.
        pub(crate) suspends_c3: StageReg<Bit>,
        /// The request in c4 may be suspended.
        pub(crate) suspends_c4: StageReg<Bit>,
        /// Tag of the request in c2.
        pub(crate) tag_c2: StageReg<Tag>,
        /// Tag of the request in c3.
        pub(crate) tag_c3: StageReg<Tag>,
        /// An acquire wait is in c1.
        pub(crate) holds_c1: Signal<Local, Bit>,
        /// In c2.
        pub(crate) holds_c2: StageControlReg<Bit>,
        /// In c3.
        pub(crate) holds_c3: StageControlReg<Bit>,
        /// In c4.
        pub(crate) holds_c4: StageControlReg<Bit>,
        /// Time limit of the request in c2.
        pub(crate) limit_c2: StageReg<Bits<32>>,
        /// Time limit of the request in c3.
        pub(crate) limit_c3: StageReg<Bits<32>>,
        /// Time limit of the request in c4.
        pub(crate) limit_c4: StageReg<Bits<32>>,

        /// Time limit of the request in c1, as it is named.
        pub(crate) named: Signal<Local, Bits<32>>,
        /// Entries that are free.
        pub(crate) free: Signal<Local, EntryMask>,
        /// The entry that is given away, one-hot.
        pub(crate) place: Signal<Local, EntryMask>,
        /// Entries whose phase completes.
        pub(crate) waking: Signal<Local, EntryMask>,
        /// Entries whose barrier goes.
        pub(crate) going: Signal<Local, EntryMask>,
        /// Entries whose time is over.
        pub(crate) expiring: Signal<Local, EntryMask>,
        /// What is left of an entry's time: zero or negative if it is over.
        pub(crate) rest: Signal<Local, Time>,
        /// The entry that is shown, one-hot.
        pub(crate) choice: Signal<Local, EntryMask>,
        /// The entry that is taken.
        pub(crate) taken: Signal<Local, EntryMask>,
    }
    constants {
        /// Operations that may be suspended.
        SUSPENDING: OpSet = decode::SUSPENDING;
        /// A limit that is none.
        NO_LIMIT: Bits<32> = Bits::constant(op::NO_LIMIT as u64);
        /// The limit of a wait that names none, in nanoseconds.
        DEFAULT_LIMIT_NS: Bits<32> = Bits::constant(op::DEFAULT_LIMIT_NS as u64);
    }
    processes { Watch, Hold, Show, Park, Wake, Limit }
    staged by advance
}

hardware! {
    /// Timer: counts the nanoseconds since reset.
    pub module Timer = "timer" {
        /// Nanoseconds since reset; wraps round.
        pub now: OutControlReg<Time>,
        /// Period of the clock in nanoseconds.
        pub(crate) clock_ns: usize,
    }
    processes { Count }
}

impl Process<Count> for Timer {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.now.d.next = self.now.q.val() + self.clock_ns.to_bits();
    }
}

impl Timer {
    /// A timer of a clock with this period.
    pub fn new(clock_ns: usize) -> Self {
        Self { clock_ns, ..Self::default() }
    }

    /// Settles the block.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Count>::update(self);
    }
}

impl Process<Watch> for Waiters {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for h in 0..self.hits {
            self.hit[h].next = 0.into();
            for b in 0..self.banks {
                for e in 0..self.entries {
                    if self.parked.q.val().get_bit(e) & (self.word.entry[e].val() == self.event[b].val()) {
                        self.hit[h].next = self.hit[h].val() | (bits::<BANKS>(1) << b);
                    }
                }
            }
        }
    }
}

impl Process<Hold> for Waiters {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.holds_c1.next = self.acquires.q.val() & SUSPENDING.get_bit(self.op.q.val().index());
        self.coming_thread.next = self.coming.val() >> self.number_bits;
        self.slot_thread.next = self.in_slot.val() >> self.number_bits;
        self.thread.next = 0.into();
        self.waiting.next = 0.into();
        self.held.next = false;
        self.slot_held.next = false;
        if self.holds_c1.val() {
            self.thread.next = self.tag_c1.q.val() >> self.number_bits;
            self.held.next = self.coming_thread.val() == self.thread.val();
            self.slot_held.next = self.slot_thread.val() == self.thread.val();
        }
        if self.holds_c2.q.val() {
            self.thread.next = self.tag_c2.q.val() >> self.number_bits;
            self.held.next = self.held.val() | (self.coming_thread.val() == self.thread.val());
            self.slot_held.next = self.slot_held.val() | (self.slot_thread.val() == self.thread.val());
        }
        if self.holds_c3.q.val() {
            self.thread.next = self.tag_c3.q.val() >> self.number_bits;
            self.held.next = self.held.val() | (self.coming_thread.val() == self.thread.val());
            self.slot_held.next = self.slot_held.val() | (self.slot_thread.val() == self.thread.val());
        }
        if self.holds_c4.q.val() {
            self.thread.next = self.tag.val() >> self.number_bits;
            self.held.next = self.held.val() | (self.coming_thread.val() == self.thread.val());
            self.slot_held.next = self.slot_held.val() | (self.slot_thread.val() == self.thread.val());
        }
        if self.acquiring.q.val().any() {
            for e in 0..self.entries {
                if self.acquiring.q.val().get_bit(e) {
                    self.waiting.next = self.name.entry[e].val();
                    self.thread.next = self.waiting.val() >> self.number_bits;
                    self.held.next = self.held.val() | (self.coming_thread.val() == self.thread.val());
                    self.slot_held.next = self.slot_held.val() | (self.slot_thread.val() == self.thread.val());
                }
            }
        }
    }
}

impl Process<Show> for Waiters {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.choice.next = 0.into();
        self.answer_tag.next = 0.into();
        self.answer_predicate.next = false;
        self.answer_status.next = Status::Ok.into();
        self.shows.next = self.over.q.val().any() & (!self.queue_valid.val() | self.prefer.q.val());
        if self.over.q.val().any() {
            self.choice.next = self.over.q.val() & (!self.over.q.val() + 1);
            if self.shown.q.val().any() {
                self.choice.next = self.shown.q.val();
            }
            self.answer_predicate.next = (self.success.q.val() & self.choice.val()).any();
            if (self.gone.q.val() & self.choice.val()).any() {
                self.answer_status.next = Status::Invalidated.into();
            }
            for e in 0..self.entries {
                if self.choice.val().get_bit(e) {
                    self.answer_tag.next = self.answer_tag.val() | self.name.entry[e].val();
                }
            }
        }
    }
}

impl Process<Park> for Waiters {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.parks.next = false;
        self.turned_away.next = false;
        self.place.next = 0.into();
        self.free.next = 0.into();
        if self.done.val() & self.suspends_c4.q.val() & !self.complete.val() & self.limit_c4.q.val().any() {
            for e in 0..self.entries {
                if !self.parked.q.val().get_bit(e) & !self.over.q.val().get_bit(e) {
                    self.free.next = self.free.val() | (bits::<ENTRIES>(1) << e);
                }
            }
            self.place.next = self.free.val() & (!self.free.val() + 1);
            self.parks.next = self.free.val().any();
            self.turned_away.next = !self.free.val().any();
        }
        self.word.write.next = self.place.val();
        self.word.write_data.next = self.index.val();
        self.deadline.write.next = self.place.val();
        self.deadline.write_data.next = self.now.val() + bit_cast::<TIME_BITS, 32>(self.limit_c4.q.val());
        self.name.write.next = self.place.val();
        self.name.write_data.next = self.tag.val();
    }
}

impl Process<Wake> for Waiters {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.waking.next = 0.into();
        self.going.next = 0.into();
        self.expiring.next = 0.into();
        self.rest.next = 0.into();
        if self.parked.q.val().any() {
            for e in 0..self.entries {
                self.rest.next = self.deadline.entry[e].val() - self.now.val();
                if self.parked.q.val().get_bit(e) & (self.rest.val().get_bit(32) | !self.rest.val().any()) {
                    self.expiring.next = self.expiring.val() | (bits::<ENTRIES>(1) << e);
                }
            }
            for b in 0..self.banks {
                if self.flips.val().get_bit(b) {
                    for e in 0..self.entries {
                        if self.parked.q.val().get_bit(e) & (self.word.entry[e].val() == self.event[b].val()) {
                            self.waking.next = self.waking.val() | (bits::<ENTRIES>(1) << e);
                        }
                    }
                }
                if self.ended.val().get_bit(b) {
                    for e in 0..self.entries {
                        if self.parked.q.val().get_bit(e) & (self.word.entry[e].val() == self.event[b].val()) {
                            self.going.next = self.going.val() | (bits::<ENTRIES>(1) << e);
                        }
                    }
                }
            }
        }
        self.taken.next = 0.into();
        self.shown.d.next = 0.into();
        self.prefer.d.next = self.shows.val() & !self.ready.val();
        if self.shows.val() {
            if self.ready.val() {
                self.taken.next = self.choice.val();
            }
            if !self.ready.val() {
                self.shown.d.next = self.choice.val();
            }
        }
        if self.queue_valid.val() & !self.shows.val() {
            self.prefer.d.next = self.ready.val();
        }
        self.parked.d.next =
            (self.parked.q.val() & !(self.waking.val() | self.going.val() | self.expiring.val())) | self.place.val();
        self.acquiring.d.next = self.acquiring.q.val() & self.parked.d.val();
        if self.holds_c4.q.val() {
            self.acquiring.d.next = (self.acquiring.q.val() & self.parked.d.val()) | self.place.val();
        }
        self.over.d.next =
            (self.over.q.val() & !self.taken.val()) | self.waking.val() | self.going.val() | self.expiring.val();
        self.success.d.next = (self.success.q.val() & !self.taken.val()) | self.waking.val();
        self.gone.d.next = (self.gone.q.val() & !self.taken.val()) | self.going.val();
        self.woken.d.next = self.waking.val().any();
    }
}

impl Process<Limit> for Waiters {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.named.next = self.data.q.val().get_bits::<32>(0);
        if self.op.q.val() == Op::TryWaitParity {
            self.named.next = self.data.q.val().get_bits::<32>(32);
        }
        self.limit_c2.d.next = self.named.val();
        if self.named.val() == NO_LIMIT {
            self.limit_c2.d.next = DEFAULT_LIMIT_NS;
        }
        self.limit_c3.d.next = self.limit_c2.q.val();
        self.limit_c4.d.next = self.limit_c3.q.val();
        self.suspends_c2.d.next = SUSPENDING.get_bit(self.op.q.val().index());
        self.tag_c2.d.next = self.tag_c1.q.val();
        self.tag_c3.d.next = self.tag_c2.q.val();
        self.holds_c2.d.next = self.holds_c1.val();
        self.holds_c3.d.next = self.holds_c2.q.val();
        self.holds_c4.d.next = self.holds_c3.q.val();
        self.suspends_c3.d.next = self.suspends_c2.q.val();
        self.suspends_c4.d.next = self.suspends_c3.q.val();
    }
}

impl Waiters {
    /// A table of so many entries, for a unit with so many banks, whose tags have so many bits below those that name the
    /// thread.
    pub fn new(entries: usize, banks: usize, number_bits: usize, checked: bool) -> Self {
        Self {
            number_bits,
            hit: Lanes::new(checked as usize),
            hits: checked as usize,
            entries,
            banks,
            event: Banks::new(banks),
            word: Shelf::new(entries),
            deadline: Shelf::new(entries),
            name: Shelf::new(entries),
            ..Self::default()
        }
    }

    /// Settles `hit`, once `event` is driven.
    #[inline(always)]
    pub fn settle_watch(&mut self) {
        Process::<Watch>::update(self);
    }

    /// Settles what is held, once the tags are driven. Depends on registers besides.
    #[inline(always)]
    pub fn settle_hold(&mut self) {
        Process::<Hold>::update(self);
    }

    /// Settles what the port is shown, once `queue_valid` is driven.
    #[inline(always)]
    pub fn settle_show(&mut self) {
        Process::<Show>::update(self);
    }

    /// Settles `parks`, once the request in c4 is driven.
    #[inline(always)]
    pub fn settle_park(&mut self) {
        Process::<Park>::update(self);
    }

    /// Settles the rest, once the events are driven.
    #[inline(always)]
    pub fn settle_wake(&mut self) {
        Process::<Wake>::update(self);
        Process::<Limit>::update(self);
    }
}
