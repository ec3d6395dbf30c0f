//! Deadlines: which of a table's suspended waits have reached their time limit.
//!
//! **What.** A limit of n nanoseconds is n / period cycles, rounded up, counted from the cycle in which the wait takes effect. The
//! times are looked at by one comparator, which goes round the table, an entry a cycle. So time limits end together, at *ticks*: cycles
//! whose number since reset is a multiple of the number of entries. A wait ends at the first tick at which its time is over: late
//! by less than a round of the table, and by the same for whichever entry it has.
//!
//! ```text
//!   cycle        x             x+1              x+2 ...   tick f      f+1
//!   turn         e                                        0
//!   memory       read e ─► seen ─► compare with f ─► due                expired
//!   cycle        p (c4)        p+1
//!   park         write e  ─► recent ─► compare with f ─► due
//! ```
//! **Why none is missed.** In the round before the tick f, entry e is read in cycle x. If it was parked before x, it is seen then; if
//! later, but before f, it is compared by itself when it is parked. What is parked in f or later belongs to the next round.
//!
//! **Why in memory.** A comparator of 33 bits for each entry was the larger part of a table, and its longest path.

use crate::hardware;
use crate::hdl::*;
use crate::word::op::sets::{self, OpSet};
use crate::word::op::{self, Op};
use crate::word::parameters::Clock;
use crate::word::status::Status;

hardware! {
    /// Deadlines: finds the suspended waits whose time limit has passed.
    pub module Deadlines = "deadlines" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request in c0.
        pub op: InStageReg<OpCode, OpView>,
        /// Data of the request in c0.
        pub data: InStageReg<Word>,
        /// Refusal status of the request in c2.
        pub refusal: InStageReg<StatusCode, StatusView>,
        /// The request in c4 may be suspended: its time limit is not zero, and it is not refused.
        pub bounded: OutStageReg<Bit>,
        /// Time since reset.
        pub now: Signal<In, Time>,
        /// The request in c4 is suspended.
        pub parks: Signal<In, Bit>,
        /// Its entry, one-hot; zero if it is not suspended.
        pub place: Signal<In, EntryMask>,
        /// Index of the entry that a suspended request would take.
        pub spot: Signal<In, EntryIndex>,
        /// Entries whose wait is suspended.
        pub parked: Signal<In, EntryMask>,
        /// Entries whose time limit has passed.
        pub expired: Signal<Out, EntryMask>,

        /// Index of the last entry.
        pub last: usize = entries - 1,
        /// Mask of all entries.
        pub every: usize = usize::MAX >> (usize::BITS as usize - entries),
        /// Duration of a round of the table less one cycle, as a time.
        pub round: usize = (entries - 1) * clock.period,
        /// Sign bit of a difference of times.
        pub sign: usize = clock.sign(),
        /// 1 if times have fraction bits.
        pub fractions: usize = clock.fractions(),

        /// Deadline of each entry, less one cycle.
        pub deadline: LutRam<Time, EntryIndex> = LutRam::new(entries),
        /// Deadline of the request in c4, less one cycle.
        pub gives_up: Reg<Time>,
        /// The request in c2 may be suspended.
        pub suspends_c2: StageReg<Bit>,
        /// The request in c3 may be suspended.
        pub suspends_c3: StageReg<Bit>,
        /// Time limit of the request in c2, as encoded.
        pub limit_c2: StageReg<Bits<32>>,
        /// Time limit of the request in c3, in nanoseconds.
        pub limit_c3: StageReg<Bits<32>>,
        /// Time limit of the request in c4, in nanoseconds.
        pub limit_c4: StageReg<Bits<32>>,
        /// Entry to read.
        pub turn: ControlReg<EntryIndex>,
        /// Entry that was read in the last cycle, one-hot.
        pub ring: ControlReg<EntryMask>,
        /// The tick was in the last cycle.
        pub ticked: ControlReg<Bit>,
        /// Time of the next tick, less one cycle.
        pub bound: Reg<Time>,
        /// Deadline read.
        pub seen: Reg<Time>,
        /// Deadline written.
        pub recent: Reg<Time>,
        /// Entry of the deadline written, one-hot.
        pub placed: ControlReg<EntryMask>,
        /// Entries whose time limit passes by the next tick.
        pub due: ControlReg<EntryMask>,

        /// Time limit of the request in c1, as encoded.
        pub named: Signal<Local, Bits<32>>,
        /// Time limit of the request that enters c4.
        pub limit: Signal<Local, Bits<32>>,
        /// Time from the deadline read to the next tick; negative if the deadline is later.
        pub seen_rest: Signal<Local, Time>,
        /// Time from the deadline written to the next tick.
        pub recent_rest: Signal<Local, Time>,
        /// Entries newly found to pass their limit by the next tick.
        pub found: Signal<Local, EntryMask>,
    }
    constants {
        /// Operations that may be suspended: `try_wait`.
        SUSPENDING: OpSet = sets::SUSPENDING;
        /// Code of no time limit.
        NO_LIMIT: Bits<32> = Bits::constant(op::NO_LIMIT as u64);
        /// Default time limit, in nanoseconds.
        DEFAULT_LIMIT_NS: Bits<32> = Bits::constant(op::DEFAULT_LIMIT_NS as u64);
    }
    processes { Expire, Limit, Store, Look }
    staged by advance
    /// Deadlines of a table of this many entries, in a unit with this clock.
    built by pub fn new(entries: usize, clock: Clock) {}
}

#[processes]
impl Deadlines {
    fn expire(&mut self) {
        self.expired.next = 0.into();
        if self.ticked.q.val() {
            self.expired.next = self.due.q.val();
        }
    }

    fn limit(&mut self) {
        self.named.next = self.data.q.val().get_bits::<32>(0);
        if self.op.q.val() == Op::TryWaitParity {
            self.named.next = self.data.q.val().get_bits::<32>(32);
        }
        self.suspends_c2.d.next = SUSPENDING.get_bit(self.op.q.val().index());
        self.suspends_c3.d.next = self.suspends_c2.q.val();
        self.limit_c2.d.next = self.named.val();
        self.limit_c3.d.next = self.limit_c2.q.val();
        if self.limit_c2.q.val() == NO_LIMIT {
            self.limit_c3.d.next = DEFAULT_LIMIT_NS;
        }
        self.limit_c4.d.next = self.limit_c3.q.val();
        self.bounded.d.next =
            self.suspends_c3.q.val() & self.limit_c3.q.val().any() & (self.refusal.q.val() == Status::Ok);
        self.limit.next = self.limit_c4.q.val();
        if self.advance.val() {
            self.limit.next = self.limit_c3.q.val();
        }
        self.gives_up.d.next = self.now.val() + bit_cast::<TIME, 32>(self.limit.val());
        for _f in 0..self.fractions {
            self.gives_up.d.next = self.now.val() + (bit_cast::<TIME, 32>(self.limit.val()) << 10);
        }
    }

    fn store(&mut self) {
        self.deadline.read_address.next = self.turn.q.val();
        self.deadline.write_enable.next = self.parks.val();
        self.deadline.write_address.next = self.spot.val();
        self.deadline.write_data.next = self.gives_up.q.val();
    }

    fn look(&mut self) {
        self.turn.d.next = self.turn.q.val() + 1;
        if self.turn.q.val().index() == self.last {
            self.turn.d.next = 0.into();
        }
        self.ring.d.next = (self.ring.q.val() << 1) & self.every.to_bits();
        self.ticked.d.next = false;
        if !self.turn.q.val().any() {
            self.ring.d.next = 1.into();
            self.ticked.d.next = true;
            self.bound.d.next = self.now.val() + self.round.to_bits();
        }
        self.seen.d.next = self.deadline.read_data.val();
        self.recent.d.next = self.gives_up.q.val();
        self.placed.d.next = self.place.val();

        self.seen_rest.next = self.bound.q.val() - self.seen.q.val();
        self.recent_rest.next = self.bound.q.val() - self.recent.q.val();
        self.found.next = 0.into();
        if !self.seen_rest.val().get_bit(self.sign) {
            // a deadline written while it was read was not read
            self.found.next = self.ring.q.val() & !self.placed.q.val();
        }
        if !self.recent_rest.val().get_bit(self.sign) {
            self.found.next = self.found.val() | self.placed.q.val();
        }
        self.due.d.next = self.found.val() & self.parked.val();
        if !self.ticked.q.val() {
            self.due.d.next = (self.found.val() | self.due.q.val()) & self.parked.val();
        }
    }
}
