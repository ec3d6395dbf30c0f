//! Waiters: one port's waits that are suspended until the phase of their barrier completes.
//!
//! **What.** A `try_wait` whose phase has not completed is parked in a table instead of being answered: {word, deadline,
//! tag}. A phase that completes wakes all that wait for its word in one step; a wait whose time limit has passed ends; a barrier
//! that is ended (`inval`, `init`, a store) cancels the waits on it. Their answers are then given one a
//! cycle, beside those of the response queue. If the table is full, the wait is answered at once, with predicate 0.
//!
//! **Why no wake-up is lost.** A bank does one group of requests after the other, and reading the phase and parking
//! happen in the same stage (c4) as a phase's completion. A wait that takes effect before the completion is in the table when
//! it happens, and one that takes effect with it or after it sees it.
//!
//! ```text
//!   cycle          t        t+1      ...      f        f+1       f+2       f+3
//!   try_wait       c4: not complete
//!   park           /‾‾‾‾‾‾‾‾\____________________________________
//!   parked         ─────────/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\________
//!   last arrival                              c4: flips
//!   met            _______________________________/‾‾‾‾‾‾‾‾\_____   which entries wait for the word
//!   over           _________________________________________/‾‾‾‾‾\_______
//!   answer                                                          /‾‾‾‾   7 cycles after the arrival was accepted
//! ```
//! **Timing.** No stage has more to do than what fits beside a bank. Which entries wait for the word that is operated on is a register
//! (`met`), and so is what happened to it; then their state changes; then one that has ended is chosen; then its tag is read from
//! memory and shown. The entry of the next wait is chosen before it comes: so an entry is used again from the second cycle after its answer
//! has been taken on.
//!
//! **Deadlines.** Time limits end at ticks, a round of the table apart ([`deadlines`]). A completion in the cycle of the tick counts.
//!
//! **Acquire.** From its acceptance until it is over, a wait with acquire semantics holds the port's later requests of the
//! same thread ([`holds`]).
//!
//! **Two answers in a cycle.** The port's queue and this table take turns; an answer that is shown stays until it is
//! taken.
//!
//! Drawn from a run: `waves/gallery/blocks/waiters.svg`.

pub mod deadlines;
pub mod holds;

use crate::hardware;
use crate::hdl::*;
use crate::sizes::Waiting;
use crate::word::parameters::Clock;
use crate::word::status::Status;
use deadlines::Deadlines;
use holds::Holds;

hardware! {
    /// Waiters: one port's waits that are suspended until the phase of their barrier completes.
    pub module Waiters = "waiters" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Opcode of the granted request (c0, as are the next four).
        pub op: Signal<In, OpCode, OpView>,
        /// Data of the granted request.
        pub data: Signal<In, Word>,
        /// Tag of the granted request.
        pub asking: Signal<In, Tag>,
        /// The granted request is valid and an acquire wait.
        pub acquires: Signal<In, Bit>,
        /// Tag of the incoming request.
        pub coming: Signal<In, Tag>,
        /// The slot loads the incoming request, if valid.
        pub loads: Signal<In, Bit>,
        /// An acquire wait of the incoming request's thread leaves the slot.
        pub follows: Signal<In, Bit>,
        /// An acquire wait is in flight: requests not yet checked must not issue.
        pub alert: Signal<Out, Bit>,
        /// The incoming request was checked and is not blocked by an acquire wait.
        pub looked: Signal<Out, Bit>,
        /// The request in the slot is blocked by an acquire wait of its thread.
        pub slot_held: Signal<Out, Bit>,

        /// Refusal status of the request in c2.
        pub refusal: Signal<In, StatusCode, StatusView>,
        /// Phase that the request in c2 tests for completion.
        pub wait_phase: InStageReg<Bit>,
        /// The request in c4 is performed.
        pub done: Signal<In, Bit>,
        /// Phase bit of the word in c4.
        pub phase: Signal<In, Bit>,
        /// Fault bit of the word in c4.
        pub faulted: Signal<In, Bit>,
        /// The phase completes within the group of the request in c4.
        pub turns: Signal<In, Bit>,
        /// The request in c4 is answered at once, whatever the phase.
        pub prompt: Signal<In, Bit>,
        /// Index of the word in c4.
        pub index: Signal<In, WordIndex>,
        /// Tag of the request in c4.
        pub tag: Signal<In, Tag>,
        /// The request in c4 is suspended.
        pub parks: Signal<Out, Bit>,
        /// The request in c4 is rejected: it would be suspended, but the table is full.
        pub turned_away: Signal<Out, Bit>,

        /// Time since reset.
        pub now: Signal<In, Time>,
        /// Banks in which a phase completes.
        pub flips: InControlReg<BankMask>,
        /// Banks in which a barrier is ended or replaced.
        pub ended: InControlReg<BankMask>,
        /// Index of the word operated on in each bank.
        pub event: Banks<Signal<In, WordIndex>> = Banks::new(banks),

        /// The response queue has an answer for the port.
        pub queue_valid: Signal<In, Bit>,
        /// The port accepts the answer at the output.
        pub ready: Signal<In, Bit>,
        /// Answer of this table valid.
        pub shows: Signal<Out, Bit>,
        /// Tag of the answer.
        pub answer_tag: Signal<Out, Tag>,
        /// Status of the answer.
        pub answer_status: Signal<Out, StatusCode, StatusView>,
        /// Predicate of the answer: the phase has completed.
        pub answer_predicate: Signal<Out, Bit>,
        /// Waits were woken by the completion of their phase in the cycle before.
        pub woken: Signal<Out, Bit>,

        /// Checked mode: banks in which waits are suspended on the word operated on.
        pub hit: Lanes<Signal<Out, BankMask>> = Lanes::new(checked as usize),
        /// Width of `hit`: 0 or 1.
        pub hits: usize = checked as usize,
        /// Number of entries.
        pub entries: usize = entries,
        /// Mask of all entries.
        pub every: usize = usize::MAX >> (usize::BITS as usize - entries),
        /// Number of banks.
        pub banks: usize = banks,
        /// Time limits.
        pub deadlines: Deadlines = Deadlines::new(entries, clock),
        /// Requests blocked by acquire waits.
        pub holds: Holds = Holds::new(entries, number_bits),
        /// Index of each entry's word.
        pub word: Shelf<WordIndex> = Shelf::new(entries),
        /// Tag of each entry.
        pub name: LutRam<Tag, EntryIndex> = LutRam::new(entries),
        /// Entries whose wait is suspended.
        pub parked: ControlReg<EntryMask>,
        /// Entries suspended on the word that was operated on in a bank in the last cycle.
        pub met: Banks<ControlReg<EntryMask>> = Banks::new(banks),
        /// Entries whose wait has ended, before its answer is selected.
        pub over: ControlReg<EntryMask>,
        /// Entries whose phase has completed.
        pub success: ControlReg<EntryMask>,
        /// Entries whose barrier was ended or replaced.
        pub gone: ControlReg<EntryMask>,
        /// Entry whose answer is selected and not yet accepted, one-hot.
        pub chosen: ControlReg<EntryMask>,
        /// `chosen` is valid.
        pub waiting: ControlReg<Bit>,
        /// This table has priority over the queue.
        pub prefer: ControlReg<Bit>,
        /// Phase that the request in c4 tests for completion.
        pub wait_phase_c4: StageReg<Bit>,

        /// Next entry to allocate, one-hot.
        pub spot: ControlReg<EntryMask>,
        /// `spot` is valid.
        pub roomy: ControlReg<Bit>,
        /// Further free entries.
        pub free: Signal<Local, EntryMask>,
        /// Index of the next entry to allocate.
        pub spot_index: Signal<Local, EntryIndex>,
        /// The request in c4 is to be suspended if there is space.
        pub wants: Signal<Local, Bit>,
        /// Entry allocated in this cycle, one-hot.
        pub place: Signal<Local, EntryMask>,
        /// Entries whose phase has completed.
        pub waking: Signal<Local, EntryMask>,
        /// Entries whose barrier is ended or replaced.
        pub going: Signal<Local, EntryMask>,
        /// Entries whose wait ends, for any cause.
        pub ending: Signal<Local, EntryMask>,
        /// Lowest entry whose wait has ended, one-hot.
        pub choice: Signal<Local, EntryMask>,
        /// Index of the entry whose answer is selected.
        pub chosen_index: Signal<Local, EntryIndex>,
        /// The next answer is selected: the current one is accepted, or there is none.
        pub moves: Signal<Local, Bit>,
    }
    processes { End, Watch, Enter, Hold, Choose, Show, Park, Store, Wake, Relate, Answer }
    staged by advance
    /// A table of this many entries, for a unit with this many banks and this clock; tags have `number_bits` bits below those that name the
    /// thread.
    built by pub fn new(entries: usize, banks: usize, clock: Clock, number_bits: usize, checked: bool) {}
}

#[processes]
impl Waiters {
    fn end(&mut self) {
        clear!(self.waking, self.going);
        for b in 0..self.banks {
            if self.flips.q.val().get_bit(b) {
                self.waking.next = self.waking.val() | (self.met[b].q.val() & self.parked.q.val());
            }
            if self.ended.q.val().get_bit(b) {
                self.going.next = self.going.val() | (self.met[b].q.val() & self.parked.q.val());
            }
        }
        self.ending.next = self.waking.val() | self.going.val() | (self.deadlines.expired.val() & self.parked.q.val());
        self.woken.next = self.waking.val().any();
    }

    fn watch(&mut self) {
        for h in 0..self.hits {
            self.hit[h].next = 0.into();
            for b in 0..self.banks {
                for e in 0..self.entries {
                    if self.parked.q.val().get_bit(e)
                        & !self.ending.val().get_bit(e)
                        & (self.word.entry[e].val() == self.event[b].val())
                    {
                        self.hit[h].next = self.hit[h].val() | (bits::<BANKS>(1) << b);
                    }
                }
            }
        }
    }

    fn enter(&mut self) {
        self.holds.coming.next = self.coming.val();
    }

    fn hold(&mut self) {
        connect!(self.* <<= self.holds.*: alert, looked, slot_held);
    }

    fn choose(&mut self) {
        self.chosen_index.next = 0.into();
        for e in 0..self.entries {
            if self.chosen.q.val().get_bit(e) {
                self.chosen_index.next = self.chosen_index.val() | e.to_bits();
            }
        }
        self.name.read_address.next = self.chosen_index.val();
    }

    fn show(&mut self) {
        self.shows.next = self.waiting.q.val() & (!self.queue_valid.val() | self.prefer.q.val());
        self.answer_tag.next = self.name.read_data.val();
        self.answer_predicate.next = (self.success.q.val() & self.chosen.q.val()).any();
        self.answer_status.next = Status::Ok.into();
        if (self.gone.q.val() & self.chosen.q.val()).any() {
            self.answer_status.next = Status::Invalidated.into();
        }
    }

    fn park(&mut self) {
        self.spot_index.next = 0.into();
        for e in 0..self.entries {
            if self.spot.q.val().get_bit(e) {
                self.spot_index.next = self.spot_index.val() | e.to_bits();
            }
        }
        self.wants.next = self.done.val()
            & self.deadlines.bounded.q.val()
            & !self.prompt.val()
            & !self.faulted.val()
            & ((self.phase.val() != self.wait_phase_c4.q.val()) == self.turns.val());
        self.place.next = 0.into();
        if self.wants.val() {
            self.place.next = self.spot.q.val();
        }
        self.parks.next = self.wants.val() & self.roomy.q.val();
        self.turned_away.next = self.wants.val() & !self.roomy.q.val();
    }

    fn store(&mut self) {
        self.word.write.next = self.place.val();
        self.word.write_data.next = self.index.val();
        self.name.write_enable.next = self.parks.val();
        self.name.write_address.next = self.spot_index.val();
        self.name.write_data.next = self.tag.val();
        self.wait_phase_c4.d.next = self.wait_phase.q.val();
        connect!(self.deadlines.* <<= self.*: op, data, refusal, advance, now, parks, place);
        self.deadlines.spot.next = self.spot_index.val();
        self.deadlines.parked.next = self.parked.q.val();
        connect!(self.holds.* <<= self.*: advance, acquires);
        self.holds.tag.d.next = self.asking.val();
        connect!(self.holds.* <<= self.*: loads, follows, place);
        self.holds.ended.next = self.ending.val();
    }

    fn wake(&mut self) {
        self.free.next =
            !(self.parked.q.val() | self.over.q.val() | self.chosen.q.val() | self.spot.q.val()) & self.every.to_bits();
        if self.wants.val() | !self.roomy.q.val() {
            self.spot.d.next = self.free.val() & (!self.free.val() + 1);
            self.roomy.d.next = self.free.val().any();
        }
        self.parked.d.next = (self.parked.q.val() & !self.ending.val()) | self.place.val();
        self.success.d.next = (self.success.q.val() & !self.parked.q.val()) | self.waking.val();
        self.gone.d.next = (self.gone.q.val() & !self.parked.q.val()) | self.going.val();
    }

    fn relate(&mut self) {
        clear!(self.met);
        for e in 0..self.entries {
            if self.parked.q.val().get_bit(e) {
                for b in 0..self.banks {
                    if self.word.entry[e].val() == self.event[b].val() {
                        self.met[b].d.next = self.met[b].d.val() | (bits::<ENTRIES>(1) << e);
                    }
                }
            }
        }
    }

    fn answer(&mut self) {
        self.choice.next = self.over.q.val() & (!self.over.q.val() + 1);
        self.moves.next = !self.waiting.q.val() | (self.shows.val() & self.ready.val());
        self.over.d.next = self.over.q.val() | self.ending.val();
        if self.moves.val() {
            self.over.d.next = (self.over.q.val() & !self.choice.val()) | self.ending.val();
            self.chosen.d.next = self.choice.val();
            self.waiting.d.next = self.over.q.val().any();
        }
        self.prefer.d.next = self.shows.val() & !self.ready.val();
        if self.queue_valid.val() & !self.shows.val() {
            self.prefer.d.next = self.ready.val();
        }
    }
}

impl<const PORTS: usize> Counts<Waiting<PORTS>> for Waiters {
    #[inline(always)]
    fn counts(&self, each: &mut impl FnMut(usize, usize)) {
        counts!(self, each: 0 => hits, hit; 1 => banks, event, met);
    }
}
