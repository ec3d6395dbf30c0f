//! Wakes: one port's suspended waits, an entry each thread, whose ends are told as masks of threads.
//!
//! **What.** With the parameter `wake_mask` this takes the place of [`crate::low_latency::waiters`]. A `try_wait` whose phase has not completed
//! is suspended in the entry of its thread, and nothing answers it on the response channel. A phase that completes, a time limit that is
//! over, or a barrier that ends sets the bits of the threads that waited in one of three masks, `completed`, `expired` and `gone`.
//! All bits of one event are shown in one cycle. They gather until they are taken, all at once.
//!
//! **Who is suspended.** The thread's number is the entry: nothing is given away, chosen, or remembered but the word and the time limit. A
//! wait is answered at once, with predicate 0, if its thread has no entry (its number is too large), or if the entry is in use:
//! another wait of the thread is on its way, suspended, or over and not taken ([`claims`]). So an entry has one wait at most, and no
//! bit can be lost.
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
//! **Timing.** The words of all entries are compared with that which is operated on in a stage of its own, and what happened to it is used a
//! cycle later. An entry that is not suspended takes on the word of whatever is done (`word`), so that nothing of
//! what decides whether a wait is suspended goes to its enables.

pub mod claims;
pub mod limits;

use crate::hardware;
use crate::hdl::*;
use crate::word::parameters::Clock;
use crate::word::status::Status;
use claims::Claims;
use limits::Limits;

hardware! {
    /// Wakes: one port's suspended waits, an entry each thread, whose ends are told as masks of threads.
    pub module Wakes = "wakes" {
        /// The pipeline moves.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request that is granted (c0, as are the next four).
        pub op: Signal<In, OpCode, OpView>,
        /// Its data.
        pub data: Signal<In, Word>,
        /// Its tag.
        pub asking: Signal<In, Tag>,
        /// There is one.
        pub granted: Signal<In, Bit>,
        /// There is one, and it is a wait that acquires.
        pub acquires: Signal<In, Bit>,
        /// Tag of the request that comes.
        pub coming: Signal<In, Tag>,
        /// A request comes, and is not accepted: it stays as it is.
        pub stands: Signal<In, Bit>,
        /// The slot takes the request that comes, if there is one.
        pub loads: Signal<In, Bit>,
        /// What leaves it is a wait that acquires, of the same thread.
        pub follows: Signal<In, Bit>,
        /// An acquire wait is under way: nobody goes to the banks who has not been looked at.
        pub alert: Signal<Out, Bit>,
        /// The request that comes has been: no wait of its thread holds it.
        pub looked: Signal<Out, Bit>,
        /// The request that comes has been, and is of another thread than that in the slot.
        pub apart: Signal<Out, Bit>,
        /// An acquire wait of its thread holds the request in the slot.
        pub slot_held: Signal<Out, Bit>,

        /// Why the request in c2 is refused.
        pub refusal: InStageReg<StatusCode, StatusView>,
        /// Phase whose completion the request in c2 waits for.
        pub wait_phase: InStageReg<Bit>,
        /// The request in c4 is done.
        pub done: Signal<In, Bit>,
        /// Phase bit of its word.
        pub phase: Signal<In, Bit>,
        /// Fault bit of its word.
        pub faulted: Signal<In, Bit>,
        /// The phase completes with it, in a group.
        pub turns: Signal<In, Bit>,
        /// It is to be answered at once, whatever the phase.
        pub prompt: Signal<In, Bit>,
        /// Number of its word.
        pub index: Signal<In, WordIndex>,
        /// Its tag.
        pub tag: Signal<In, Tag>,
        /// It is parked.
        pub parks: Signal<Out, Bit>,

        /// Nanoseconds since reset.
        pub now: Signal<In, Time>,
        /// Banks in which a phase completes.
        pub flips: InControlReg<BankMask>,
        /// Banks in which a barrier is ended or replaced.
        pub ended: InControlReg<BankMask>,
        /// Number of the word that is operated on in each.
        pub event: Banks<Signal<In, WordIndex>> = Banks::new(banks),

        /// The masks that are shown are taken.
        pub ready: Signal<In, Bit>,
        /// Some mask is not empty.
        pub valid: OutControlReg<Bit>,
        /// Threads whose phase has completed.
        pub completed: OutControlReg<EntryMask>,
        /// Threads whose time is over.
        pub expired: OutControlReg<EntryMask>,
        /// Threads whose barrier has ended.
        pub gone: OutControlReg<EntryMask>,
        /// Waits have been woken by a completion of their phase in the cycle before.
        pub woken: Signal<Out, Bit>,

        /// In checked mode: banks in which waits are suspended on the word that is operated on.
        pub hit: Lanes<Signal<Out, BankMask>> = Lanes::new(checked as usize),
        /// How many of `hit` there are.
        pub hits: usize = checked as usize,
        /// Number of entries, a power of two.
        pub entries: usize = entries,
        /// Number of the last.
        pub last: usize = entries - 1,
        /// Number of banks.
        pub banks: usize = banks,
        /// Bits of a tag below those that name the thread.
        pub number_bits: usize = number_bits,
        /// Who has which entry, and who is held.
        pub claims: Claims = Claims::new(entries, number_bits),
        /// Whose time is over.
        pub limits: Limits = Limits::new(entries, clock),
        /// Words that are waited for.
        pub word: Lanes<Reg<WordIndex>, MOST_ENTRIES> = Lanes::new(entries),
        /// Entries whose wait is suspended.
        pub parked: ControlReg<EntryMask>,
        /// Those of them that wait for the word that was operated on in a bank in the last cycle.
        pub met: Banks<ControlReg<EntryMask>> = Banks::new(banks),
        /// Phase that the request in c4 waits for.
        pub wait_phase_c4: StageReg<Bit>,
        /// The request in c4 is a wait for some time that has an entry, and is not refused.
        pub bounded: StageControlReg<Bit>,

        /// Thread of the request in c4.
        pub thread: Signal<Local, Tag>,
        /// Its entry, if it has one.
        pub spot: Signal<Local, EntryIndex>,
        /// The entry of the request in c4, if it is parked, one-hot.
        pub place: Signal<Local, EntryMask>,
        /// Entries whose phase has completed.
        pub waking: Signal<Local, EntryMask>,
        /// Entries whose barrier has gone.
        pub going: Signal<Local, EntryMask>,
        /// Entries whose time is over, and nothing else has happened.
        pub timed: Signal<Local, EntryMask>,
        /// Entries whose wait ends: one of these.
        pub ending: Signal<Local, EntryMask>,
        /// Entries that no other wait may have: theirs is suspended, or over and not taken.
        pub taken: Signal<Local, EntryMask>,
    }
    processes { End, Watch, Enter, Hold, Park, Store, Wake, Relate, Tell }
    staged by advance
    /// A table of so many entries (a power of two), for a unit with so many banks, whose tags have so many bits below those that name
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
        // not again while it stays in c4, where a unit stands still
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
