//! Wakes: one port's suspended waits, one entry per thread; their ends are reported as masks of threads.
//!
//! **What.** With the parameter `wake_mask` this takes the place of [`crate::low_latency::waiters`]. A `try_wait` whose phase has not completed
//! is suspended in the entry of its thread, and nothing answers it on the response channel. A phase that completes, a time limit that is
//! over, or a barrier that ends sets the bits of the threads that waited in one of three masks, `completed`, `expired` and `gone`.
//! All bits of one event are shown in one cycle. They gather until they are taken, all at once.
//!
//! **Allocation.** The thread's number is the index of the entry: there is no allocation, and only the word and the time limit are stored.
//! A wait is answered at once, with predicate 0, if its thread has no entry (its number is too large), or if the entry is in use: another
//! wait of the thread is in flight, suspended, or ended and not yet reported ([`claims`]). So an entry has at most one wait, and no bit is
//! lost.
//!
//! **Why no wake-up is lost.** As in `waiters`: reading the phase and parking happen in the same stage (c4) as a phase's completion.
//!
//! ```text
//!   cycle          t        t+1      ...      f        f+1       f+2
//!   try_wait       c4: not complete
//!   parks          /‾‾‾‾‾‾‾‾\_______________________________________
//!   parked         ─────────/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\__________
//!   last arrival                              c4: flips
//!   met            _______________________________/‾‾‾‾‾‾‾‾\_________   which entries wait for the word
//!   completed                                               /‾‾‾‾‾‾‾   6 cycles after the arrival was accepted
//!   valid          ________________________________________/‾‾‾‾‾‾‾    until `ready`
//! ```
//! **Timing.** The words of all entries are compared with the word operated on in a stage of its own, and the result is used a cycle later.
//! Free entries track the current word (`word`), so that suspending a wait adds no logic to their enables.

pub mod claims;
pub mod limits;

use crate::hardware;
use crate::hdl::*;
use crate::word::parameters::Clock;
use crate::word::status::Status;
use claims::Claims;
use limits::Limits;

hardware! {
    /// Wakes: one port's suspended waits, one entry per thread; their ends are reported as masks of threads.
    pub module Wakes = "wakes" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Opcode of the granted request (c0, as are the next four).
        pub op: Signal<In, OpCode, OpView>,
        /// Data of the granted request.
        pub data: Signal<In, Word>,
        /// Tag of the granted request.
        pub asking: Signal<In, Tag>,
        /// The granted request is valid.
        pub granted: Signal<In, Bit>,
        /// The granted request is valid and an acquire wait.
        pub acquires: Signal<In, Bit>,
        /// Tag of the incoming request.
        pub coming: Signal<In, Tag>,
        /// The incoming request is not accepted: it stays unchanged.
        pub stands: Signal<In, Bit>,
        /// The slot loads the incoming request, if valid.
        pub loads: Signal<In, Bit>,
        /// An acquire wait of the incoming request's thread leaves the slot.
        pub follows: Signal<In, Bit>,
        /// An acquire wait is in flight: requests not yet checked must not issue.
        pub alert: Signal<Out, Bit>,
        /// The incoming request was checked and is not blocked by an acquire wait.
        pub looked: Signal<Out, Bit>,
        /// The incoming request was checked and is of another thread than the one in the slot.
        pub apart: Signal<Out, Bit>,
        /// The request in the slot is blocked by an acquire wait of its thread.
        pub slot_held: Signal<Out, Bit>,

        /// Refusal status of the request in c2.
        pub refusal: InStageReg<StatusCode, StatusView>,
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

        /// Time since reset.
        pub now: Signal<In, Time>,
        /// Banks in which a phase completes.
        pub flips: InControlReg<BankMask>,
        /// Banks in which a barrier is ended or replaced.
        pub ended: InControlReg<BankMask>,
        /// Index of the word operated on in each bank.
        pub event: Banks<Signal<In, WordIndex>> = Banks::new(banks),

        /// Masks accepted.
        pub ready: Signal<In, Bit>,
        /// Masks valid: at least one is not zero.
        pub valid: OutControlReg<Bit>,
        /// Threads whose phase has completed.
        pub completed: OutControlReg<EntryMask>,
        /// Threads whose time limit has passed.
        pub expired: OutControlReg<EntryMask>,
        /// Threads whose barrier was ended or replaced.
        pub gone: OutControlReg<EntryMask>,
        /// Waits were woken by the completion of their phase in the cycle before.
        pub woken: Signal<Out, Bit>,

        /// Checked mode: banks in which waits are suspended on the word operated on.
        pub hit: Lanes<Signal<Out, BankMask>> = Lanes::new(checked as usize),
        /// Width of `hit`: 0 or 1.
        pub hits: usize = checked as usize,
        /// Number of entries, a power of two.
        pub entries: usize = entries,
        /// Index of the last entry.
        pub last: usize = entries - 1,
        /// Number of banks.
        pub banks: usize = banks,
        /// Bits of a tag below those that name the thread.
        pub number_bits: usize = number_bits,
        /// Allocation of entries, and requests blocked by acquire waits.
        pub claims: Claims = Claims::new(entries, number_bits),
        /// Time limits.
        pub limits: Limits = Limits::new(entries, clock),
        /// Index of each entry's word.
        pub word: Lanes<Reg<WordIndex>, MOST_ENTRIES> = Lanes::new(entries),
        /// Entries whose wait is suspended.
        pub parked: ControlReg<EntryMask>,
        /// Entries suspended on the word that was operated on in a bank in the last cycle.
        pub met: Banks<ControlReg<EntryMask>> = Banks::new(banks),
        /// Phase that the request in c4 tests for completion.
        pub wait_phase_c4: StageReg<Bit>,
        /// The request in c4 is a wait with an entry and a time limit other than zero, and is not refused.
        pub bounded: StageControlReg<Bit>,

        /// Thread of the request in c4.
        pub thread: Signal<Local, Tag>,
        /// Entry of that thread, if it has one.
        pub spot: Signal<Local, EntryIndex>,
        /// Entry of the request in c4 if it is suspended, one-hot.
        pub place: Signal<Local, EntryMask>,
        /// Entries whose phase has completed.
        pub waking: Signal<Local, EntryMask>,
        /// Entries whose barrier is ended or replaced.
        pub going: Signal<Local, EntryMask>,
        /// Entries whose time limit passes, without another event.
        pub timed: Signal<Local, EntryMask>,
        /// Entries whose wait ends, for any cause.
        pub ending: Signal<Local, EntryMask>,
        /// Entries in use: the wait is suspended, or has ended and is not yet reported.
        pub taken: Signal<Local, EntryMask>,
    }
    processes { End, Watch, Enter, Hold, Park, Store, Wake, Relate, Tell }
    staged by advance
    /// A table of this many entries (a power of two), for a unit with this many banks; tags have `number_bits` bits below those that name
    /// the thread.
    built by pub fn new(entries: usize, banks: usize, clock: Clock, number_bits: usize, checked: bool) {}
}

#[processes]
impl Wakes {
    fn end(&mut self) {
        clear!(self.waking, self.going);
        for b in 0..self.banks {
            if self.flips.q.val().get_bit(b) {
                self.waking.next = self.waking.val() | self.met[b].q.val();
            }
            if self.ended.q.val().get_bit(b) {
                self.going.next = self.going.val() | self.met[b].q.val();
            }
        }
        self.timed.next = self.limits.expired.val() & self.parked.q.val() & !self.waking.val() & !self.going.val();
        self.ending.next = self.waking.val() | self.going.val() | self.timed.val();
        self.woken.next = self.waking.val().any();
        self.taken.next = self.parked.q.val() | self.completed.q.val() | self.expired.q.val() | self.gone.q.val();
    }

    fn watch(&mut self) {
        for h in 0..self.hits {
            self.hit[h].next = 0.into();
            for b in 0..self.banks {
                for e in 0..self.entries {
                    if self.parked.q.val().get_bit(e)
                        & !self.ending.val().get_bit(e)
                        & (self.word[e].q.val() == self.event[b].val())
                    {
                        self.hit[h].next = self.hit[h].val() | (bits::<BANKS>(1) << b);
                    }
                }
            }
        }
    }

    fn enter(&mut self) {
        self.claims.coming.next = self.coming.val();
    }

    fn hold(&mut self) {
        connect!(self.* <<= self.claims.*: alert, looked, apart, slot_held);
    }

    fn park(&mut self) {
        self.thread.next = self.tag.val() >> self.number_bits;
        self.spot.next = self.thread.val().get_bits::<ENTRY_INDEX>(0) & self.last.to_bits();
        self.parks.next = self.done.val()
            & self.bounded.q.val()
            & !self.prompt.val()
            & !self.faulted.val()
            & ((self.phase.val() != self.wait_phase_c4.q.val()) == self.turns.val());
        self.place.next = 0.into();
        if self.parks.val() {
            self.place.next = self.claims.claim_c4.q.val();
        }
    }

    fn store(&mut self) {
        self.wait_phase_c4.d.next = self.wait_phase.q.val();
        self.bounded.d.next =
            self.claims.claim_c3.q.val().any() & self.limits.limited.val() & (self.refusal.q.val() == Status::Ok);
        connect!(self.limits.* <<= self.*: advance, op, data, now);
        // only once if the request stays in c4 while the unit is stalled
        self.limits.stores.next = self.done.val() & self.bounded.q.val();
        connect!(self.limits.* <<= self.*: spot, parked);
        connect!(self.claims.* <<= self.*: advance, op);
        self.claims.tag.d.next = self.asking.val();
        connect!(self.claims.* <<= self.*: granted, acquires, stands, loads, follows, taken);
        self.claims.lapses.next = self.done.val() & !self.parks.val();
        self.claims.ended.next = self.ending.val();
    }

    fn wake(&mut self) {
        self.parked.d.next = (self.parked.q.val() & !self.ending.val()) | self.place.val();
        for e in 0..self.entries {
            self.word[e].d.next = self.word[e].q.val();
            if !self.parked.q.val().get_bit(e) {
                self.word[e].d.next = self.index.val();
            }
        }
    }

    fn relate(&mut self) {
        clear!(self.met);
        for e in 0..self.entries {
            if self.parked.q.val().get_bit(e) & !self.ending.val().get_bit(e) {
                for b in 0..self.banks {
                    if self.word[e].q.val() == self.event[b].val() {
                        self.met[b].d.next = self.met[b].d.val() | (bits::<ENTRIES>(1) << e);
                    }
                }
            }
        }
    }

    fn tell(&mut self) {
        self.valid.d.next = (self.valid.q.val() & !self.ready.val()) | self.ending.val().any();
        self.completed.d.next = self.waking.val();
        self.expired.d.next = self.timed.val();
        self.gone.d.next = self.going.val();
        if !self.ready.val() {
            self.completed.d.next = self.completed.q.val() | self.waking.val();
            self.expired.d.next = self.expired.q.val() | self.timed.val();
            self.gone.d.next = self.gone.q.val() | self.going.val();
        }
    }
}
