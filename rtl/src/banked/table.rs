//! Table of a bank's suspended waits, and the time limits of requests that may be suspended.
//!
//! **What.** A wait that is parked is an entry: {row, deadline, port, tag}. A phase that completes wakes all that wait for
//! its word in one step; a barrier that is ended cancels them; a deadline that passes ends the wait. Then they leave, one at a time, in
//! cycles in which the bank has no other answer (`gap`): those that have ended at one time make a round, and later ones wait
//! for the next round, so that none is passed over again and again.
//!
//! ```text
//!   cycle      t (c6)   t+1       ...   f (c6)   f+1       f+2       f+3
//!   wants      /‾‾‾\_____
//!   parked     __________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___________
//!   flips                                /‾‾‾\_____
//!   over                                           /‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___
//!   leaving                                                  /‾‾‾‾‾‾‾‾‾\___     until there is a gap
//! ```
//! A wait that is suspended in cycle t with a limit of n cycles times out in t + n, unless its phase completes then or before.
//!
//! **Timing.** What is compared with the entries is known a cycle early: the time, and the word of the request that follows. So
//! both comparisons end in registers (`due`, `met`); for an entry that is given away in the same cycle, `hasty` and the word of what
//! is parked stand in.

use crate::hardware;
use crate::hdl::*;
use crate::word::op::sets::{self, OpSet};
use crate::word::op::{self, Op};
use crate::word::parameters::Clock;
use crate::word::status::Status;

hardware! {
    /// Limits: time limits of the requests in the pipeline.
    ///
    /// ```text
    ///   cycle    c0      c1            c2              c3                  c4                 c5
    ///   op ────► ──────► ────────────► which kind? ──► none? ────────────► ─────────────────► suspends, ends
    ///   data ──► ──────► ────────────► which half? ──► none, or no limit? ► or the default ──► limit
    /// ```
    pub module Limits = "limits" {
        /// Opcode of the request in c0.
        pub op: InReg<OpCode, OpView>,
        /// Operand of the request in c0.
        pub data: InReg<Word>,

        /// The request in c5 may be suspended.
        pub suspends: OutReg<Bit>,
        /// The request in c5 ends or replaces a barrier.
        pub ends: OutReg<Bit>,
        /// Time limit of the request in c5, in nanoseconds.
        pub limit: OutReg<Bits<32>>,

        /// Opcode in c2.
        pub op_c2: Reg<OpCode, OpView>,
        /// Operand in c2.
        pub data_c2: Reg<Word>,
        /// The request in c3 may be suspended.
        pub suspends_c3: Reg<Bit>,
        /// The request in c3 ends or replaces a barrier.
        pub ends_c3: Reg<Bit>,
        /// Time limit of the request in c3, as encoded.
        pub limit_c3: Reg<Bits<32>>,
        /// The request in c4 may be suspended.
        pub suspends_c4: Reg<Bit>,
        /// The request in c4 ends or replaces a barrier.
        pub ends_c4: Reg<Bit>,
        /// Time limit of the request in c4, as encoded.
        pub limit_c4: Reg<Bits<32>>,
        /// The request in c4 has no time limit of its own.
        pub unlimited_c4: Reg<Bit>,
    }
    constants {
        /// Operations that may be suspended: `try_wait`.
        SUSPENDING: OpSet = sets::SUSPENDING;
        /// Operations that end or replace a barrier.
        ENDING: OpSet = sets::ENDING;
        /// Code of no time limit.
        NO_LIMIT: Bits<32> = Bits::constant(op::NO_LIMIT as u64);
        /// Default time limit, in nanoseconds.
        DEFAULT_LIMIT_NS: Bits<32> = Bits::constant(op::DEFAULT_LIMIT_NS as u64);
    }
    processes { Name, Bound }
}

#[processes]
impl Limits {
    fn name(&mut self) {
        self.op_c2.d.next = self.op.q.val();
        self.data_c2.d.next = self.data.q.val();
        self.suspends_c3.d.next = SUSPENDING.get_bit(self.op_c2.q.val().index());
        self.ends_c3.d.next = ENDING.get_bit(self.op_c2.q.val().index());
        self.limit_c3.d.next = self.data_c2.q.val().get_bits::<32>(0);
        if self.op_c2.q.val() == Op::TryWaitParity {
            self.limit_c3.d.next = self.data_c2.q.val().get_bits::<32>(32);
        }
    }

    fn bound(&mut self) {
        self.suspends_c4.d.next = self.suspends_c3.q.val() & self.limit_c3.q.val().any();
        self.ends_c4.d.next = self.ends_c3.q.val();
        self.limit_c4.d.next = self.limit_c3.q.val();
        self.unlimited_c4.d.next = self.limit_c3.q.val() == NO_LIMIT;
        self.suspends.d.next = self.suspends_c4.q.val();
        self.ends.d.next = self.ends_c4.q.val();
        self.limit.d.next = self.limit_c4.q.val();
        if self.unlimited_c4.q.val() {
            self.limit.d.next = DEFAULT_LIMIT_NS;
        }
    }
}

hardware! {
    /// Table: a bank's suspended waits.
    pub module Table = "table" {
        /// The request in c6 is to be suspended.
        pub wants: InControlReg<Bit>,
        /// The request in c6 ends or replaces a barrier.
        pub ends: InControlReg<Bit>,
        /// Deadline of the request in c6.
        pub deadline: InReg<Time>,
        /// That deadline is in the next cycle at the latest.
        pub hasty: InReg<Bit>,
        /// The request in c6 completes the phase of its word.
        pub flips: Signal<In, Bit>,
        /// Row of the request in c6.
        pub row: Signal<In, RowIndex>,
        /// Port of the request in c6.
        pub port: Signal<In, PortNumber>,
        /// Tag of the request in c6.
        pub tag: Signal<In, Tag>,
        /// Row of the request in c5.
        pub coming: Signal<In, RowIndex>,
        /// Time since reset, of the next cycle.
        pub soon: Signal<In, Time>,
        /// The bank has no other answer in this cycle.
        pub gap: Signal<In, Bit>,

        /// The request in c6 is suspended.
        pub parks: Signal<Out, Bit>,
        /// Waits are woken by the completion of their phase.
        pub wakes: Signal<Out, Bit>,
        /// Waits have ended that are not yet answered.
        pub pending: Signal<Out, Bit>,
        /// Port of the wait to answer, one-hot, if there is a gap.
        pub back: Signal<Out, PortMask>,
        /// Tag of that wait.
        pub back_tag: Signal<Out, Tag>,
        /// Status of that wait.
        pub back_status: Signal<Out, StatusCode, StatusView>,
        /// Predicate of that wait: the phase has completed.
        pub back_predicate: Signal<Out, Bit>,

        /// Number of ports.
        pub ports: usize = ports,
        /// Number of entries.
        pub entries: usize = entries,
        /// Sign bit of a difference of times.
        pub sign: usize = clock.sign(),
        /// Row of each entry.
        pub word: Shelf<RowIndex> = Shelf::new(entries),
        /// Deadline of each entry.
        pub limit: Shelf<Time> = Shelf::new(entries),
        /// Port of each entry.
        pub origin: Shelf<PortNumber> = Shelf::new(entries),
        /// Tag of each entry.
        pub name: Shelf<Tag> = Shelf::new(entries),
        /// Entries whose wait is suspended.
        pub parked: ControlReg<EntryMask>,
        /// Entries whose wait has ended and is not yet answered.
        pub over: ControlReg<EntryMask>,
        /// Ended entries whose phase has completed.
        pub success: ControlReg<EntryMask>,
        /// Ended entries whose barrier was ended or replaced.
        pub gone: ControlReg<EntryMask>,
        /// Next entry to answer, one-hot.
        pub leaving: ControlReg<EntryMask>,
        /// Entries to answer after it, before any that end later.
        pub round: ControlReg<EntryMask>,
        /// Entries with the row of the request in c6, suspended or not.
        pub met: Reg<EntryMask>,
        /// Entries whose deadline has passed, suspended or not.
        pub due: Reg<EntryMask>,

        /// Free entries.
        pub free: Signal<Local, EntryMask>,
        /// Entry allocated in this cycle, one-hot.
        pub place: Signal<Local, EntryMask>,
        /// The request in c5 is on the word of the request in c6.
        pub again: Signal<Local, Bit>,
        /// Entries whose phase completes.
        pub waking: Signal<Local, EntryMask>,
        /// Entries whose barrier is ended or replaced.
        pub going: Signal<Local, EntryMask>,
        /// Entries whose time limit passes.
        pub expiring: Signal<Local, EntryMask>,
        /// Time by which the deadline will have passed in the next cycle; negative if it will not.
        pub late: Signal<Local, Time>,
        /// Entry answered in this cycle.
        pub left: Signal<Local, EntryMask>,
        /// Candidates for the next answer: those of the round, or all ended entries not yet selected.
        pub rest: Signal<Local, EntryMask>,
        /// Port of the next entry to answer.
        pub back_port: Signal<Local, PortNumber>,
    }
    processes { Park, Wake, Foresee, Leave }
    /// A table of this many entries, for this many ports.
    built by pub fn new(ports: usize, entries: usize, clock: Clock) {}
}

#[processes]
impl Table {
    fn park(&mut self) {
        self.free.next = 0.into();
        for e in 0..self.entries {
            if !self.parked.q.val().get_bit(e) & !self.over.q.val().get_bit(e) {
                self.free.next = self.free.val() | (bits::<ENTRIES>(1) << e);
            }
        }
        clear!(self.place, self.parks);
        if self.wants.q.val() {
            self.place.next = self.free.val() & (!self.free.val() + 1);
            self.parks.next = self.free.val().any();
        }
        self.word.write.next = self.place.val();
        self.word.write_data.next = self.row.val();
        self.limit.write.next = self.place.val();
        self.limit.write_data.next = self.deadline.q.val();
        self.origin.write.next = self.place.val();
        self.origin.write_data.next = self.port.val();
        self.name.write.next = self.place.val();
        self.name.write_data.next = self.tag.val();
    }

    fn wake(&mut self) {
        self.expiring.next = self.parked.q.val() & self.due.q.val();
        clear!(self.waking, self.going);
        if self.flips.val() {
            self.waking.next = self.parked.q.val() & self.met.q.val();
        }
        if self.ends.q.val() {
            self.going.next = self.parked.q.val() & self.met.q.val();
        }
        self.wakes.next = self.waking.val().any();
    }

    fn foresee(&mut self) {
        self.again.next = self.coming.val() == self.row.val();
        clear!(self.met, self.due);
        for e in 0..self.entries {
            self.late.next = self.soon.val() - self.limit.entry[e].val();
            if (self.place.val().get_bit(e) & self.again.val())
                | (!self.place.val().get_bit(e) & (self.word.entry[e].val() == self.coming.val()))
            {
                self.met.d.next = self.met.d.val() | (bits::<ENTRIES>(1) << e);
            }
            if (self.place.val().get_bit(e) & self.hasty.q.val())
                | (!self.place.val().get_bit(e) & !self.late.val().get_bit(self.sign))
            {
                self.due.d.next = self.due.d.val() | (bits::<ENTRIES>(1) << e);
            }
        }
    }

    fn leave(&mut self) {
        self.pending.next = self.over.q.val().any();
        self.left.next = 0.into();
        if self.gap.val() {
            self.left.next = self.leaving.q.val();
        }
        self.rest.next = self.round.q.val();
        if !self.round.q.val().any() {
            self.rest.next = self.over.q.val() & !self.leaving.q.val();
        }
        if self.gap.val() | !self.leaving.q.val().any() {
            self.leaving.d.next = self.rest.val() & (!self.rest.val() + 1);
            self.round.d.next = self.rest.val() & (self.rest.val() - 1);
        }
        self.parked.d.next =
            (self.parked.q.val() & !(self.waking.val() | self.going.val() | self.expiring.val())) | self.place.val();
        self.over.d.next =
            (self.over.q.val() & !self.left.val()) | self.waking.val() | self.going.val() | self.expiring.val();
        self.success.d.next = (self.success.q.val() & !self.left.val()) | self.waking.val();
        self.gone.d.next = (self.gone.q.val() & !self.left.val()) | self.going.val();

        clear!(self.back_tag, self.back_port);
        for e in 0..self.entries {
            if self.leaving.q.val().get_bit(e) {
                self.back_tag.next = self.back_tag.val() | self.name.entry[e].val();
                self.back_port.next = self.back_port.val() | self.origin.entry[e].val();
            }
        }
        self.back.next = 0.into();
        for p in 0..self.ports {
            if self.leaving.q.val().any() & (self.back_port.val() == p.to_bits()) {
                self.back.next = self.back.val() | (bits::<PORTS>(1) << p);
            }
        }
        self.back_predicate.next = (self.success.q.val() & self.leaving.q.val()).any();
        self.back_status.next = Status::Ok.into();
        if (self.gone.q.val() & self.leaving.q.val()).any() {
            self.back_status.next = Status::Invalidated.into();
        }
    }
}
