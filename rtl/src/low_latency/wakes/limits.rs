//! Limits: finds the suspended waits of a table whose time limit has passed.
//!
//! **What.** A limit of n nanoseconds is n / period cycles, rounded up, counted from the cycle in which the wait takes effect. When to give
//! up is in memory, and one comparator goes round the table, an entry a cycle: entry e is read in each cycle x whose number since reset
//! is e modulo the number of entries. A wait ends with the first such cycle from which on its time is over in x + 1; a completion in
//! x + 1 still counts. So it is late by less than a round of the table.
//!
//! ```text
//!   cycle        x            x+1                  x+2
//!   turn         e            e+1
//!   memory       read e ───►  seen ─► past? ─────► late, ring: e expires
//!   parked       read e ───►  live ──┘
//! ```
//! What is suspended in x or later was not there when it was read (`live`), and is looked at in the next round.

use crate::hardware;
use crate::hdl::*;
use crate::word::op::{self, Op};
use crate::word::parameters::Clock;

hardware! {
    /// Limits: finds the suspended waits whose time limit has passed.
    pub module Limits = "limits" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request in c0.
        pub op: InStageReg<OpCode, OpView>,
        /// Data of the request in c0.
        pub data: InStageReg<Word>,
        /// The time limit of the request in c3 is not zero.
        pub limited: Signal<Out, Bit>,
        /// Time since reset.
        pub now: Signal<In, Time>,
        /// The request in c4 is performed and may be suspended: its entry is free and may be written.
        pub stores: Signal<In, Bit>,
        /// Entry of the request in c4.
        pub spot: Signal<In, EntryIndex>,
        /// Entries whose wait is suspended.
        pub parked: Signal<In, EntryMask>,
        /// Entry whose time limit has passed, one-hot; its wait may have ended in the last two cycles.
        pub expired: Signal<Out, EntryMask>,

        /// Index of the last entry.
        pub last: usize = entries - 1,
        /// Mask of all entries.
        pub every: usize = usize::MAX >> (usize::BITS as usize - entries),
        /// Sign bit of a difference of times.
        pub sign: usize = clock.sign(),
        /// 1 if times have fraction bits.
        pub fractions: usize = clock.fractions(),
        /// Deadline of each entry, less one cycle.
        pub deadline: LutRam<Time, EntryIndex> = LutRam::new(entries),
        /// Deadline of the request in c4, less one cycle.
        pub gives_up: Reg<Time>,
        /// Time limit of the request in c2, as encoded.
        pub limit_c2: StageReg<Bits<32>>,
        /// Time limit of the request in c3, in nanoseconds.
        pub limit_c3: StageReg<Bits<32>>,
        /// Time limit of the request in c4, in nanoseconds.
        pub limit_c4: StageReg<Bits<32>>,
        /// Entry to read.
        pub turn: ControlReg<EntryIndex>,
        /// Entry 0 was read in the last cycle.
        pub first: ControlReg<Bit>,
        /// Entry that was read two cycles ago, one-hot.
        pub ring: ControlReg<EntryMask>,
        /// Deadline read.
        pub seen: Reg<Time>,
        /// The wait of the entry that was read is suspended.
        pub live: ControlReg<Bit>,
        /// Time since reset, delayed by one cycle.
        pub past: Reg<Time>,
        /// The deadline read two cycles ago has passed.
        pub late: ControlReg<Bit>,

        /// Time limit of the request in c1, as encoded.
        pub named: Signal<Local, Bits<32>>,
        /// Time limit of the request that enters c4.
        pub limit: Signal<Local, Bits<32>>,
        /// Time since the deadline read; negative if it is still to come.
        pub since: Signal<Local, Time>,
    }
    constants {
        /// Code of no time limit.
        NO_LIMIT: Bits<32> = Bits::constant(op::NO_LIMIT as u64);
        /// Default time limit, in nanoseconds.
        DEFAULT_LIMIT_NS: Bits<32> = Bits::constant(op::DEFAULT_LIMIT_NS as u64);
    }
    processes { Expire, Limit, Store, Look }
    staged by advance
    /// Limits of a table of this many entries, in a unit with this clock.
    built by pub fn new(entries: usize, clock: Clock) {}
}

#[processes]
impl Limits {
    fn expire(&mut self) {
        self.expired.next = 0.into();
        if self.late.q.val() {
            self.expired.next = self.ring.q.val();
        }
        self.limited.next = self.limit_c3.q.val().any();
    }

    fn limit(&mut self) {
        self.named.next = self.data.q.val().get_bits::<32>(0);
        if self.op.q.val() == Op::TryWaitParity {
            self.named.next = self.data.q.val().get_bits::<32>(32);
        }
        self.limit_c2.d.next = self.named.val();
        self.limit_c3.d.next = self.limit_c2.q.val();
        if self.limit_c2.q.val() == NO_LIMIT {
            self.limit_c3.d.next = DEFAULT_LIMIT_NS;
        }
        self.limit_c4.d.next = self.limit_c3.q.val();
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
        self.deadline.write_enable.next = self.stores.val();
        self.deadline.write_address.next = self.spot.val();
        self.deadline.write_data.next = self.gives_up.q.val();
    }

    fn look(&mut self) {
        self.turn.d.next = self.turn.q.val() + 1;
        if self.turn.q.val().index() == self.last {
            self.turn.d.next = 0.into();
        }
        self.first.d.next = !self.turn.q.val().any();
        self.ring.d.next = (self.ring.q.val() << 1) & self.every.to_bits();
        if self.first.q.val() {
            self.ring.d.next = 1.into();
        }
        self.seen.d.next = self.deadline.read_data.val();
        self.live.d.next = self.parked.val().get_bit(self.turn.q.val().index());
        self.past.d.next = self.now.val();
        self.since.next = self.past.q.val() - self.seen.q.val();
        self.late.d.next = self.live.q.val() & !self.since.val().get_bit(self.sign);
    }
}
