//! A bank's suspended waits, and the time limits of the requests that may become such.
//!
//! **What.** A wait that is parked is an entry: {row, deadline, port, tag}. A phase that completes wakes all that wait for
//! its word in one step; a barrier that is ended turns them out; a deadline that passes gives up. Then they leave, one at a time, in
//! cycles in which the bank has no other answer (`gap`).
//!
//! ```text
//!   cycle      t (p11)   t+1       ...   f (p11)   f+1       f+2       f+3
//!   wants      /‾‾‾\_____
//!   parked     __________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___________
//!   flips                                /‾‾‾\_____
//!   over                                           /‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___
//!   leaving                                                  /‾‾‾‾‾‾‾‾‾\___     until there is a gap
//! ```
//! A wait that is parked in cycle t with a limit of n cycles gives up in t + n, unless its phase completes then or before.
//!
//! **Timing.** What is compared with the entries is known a cycle early: the time, and the word of the request that follows. So
//! both comparisons end in registers (`due`, `met`); for an entry that is given away in the same cycle, `hasty` and the word of what
//! is parked stand in.

use crate::decode::{self, OpSet};
use crate::deep::{ENTRIES as PLACES, PositionBits};
use crate::hardware;
use crate::hdl::*;
use crate::op::{self, Op};
use crate::status::Status;

hardware! {
    /// Limits: what the table has to know of the requests in the ring.
    pub module Limits = "limits" {
        /// Opcode of a request that enters.
        pub op: InReg<OpCode, OpView>,
        /// It is in a1.
        pub enters: Signal<In, Bit>,
        /// Its operand.
        pub data_a1: Signal<In, Word>,
        /// Its place in the ring.
        pub place_a1: InReg<PositionBits>,
        /// Place of the request in p7.
        pub place_p7: Signal<In, PositionBits>,

        /// The request in p10 may be suspended.
        pub suspends: OutReg<Bit>,
        /// It ends or replaces a barrier.
        pub ends: OutReg<Bit>,
        /// Its time limit in nanoseconds.
        pub limit: OutReg<Bits<32>>,

        /// A request is in a2.
        pub(crate) enters_a2: ControlReg<Bit>,
        /// It may be suspended.
        pub(crate) suspends_a2: Reg<Bit>,
        /// It ends a barrier.
        pub(crate) ends_a2: Reg<Bit>,
        /// The limit that it names.
        pub(crate) limit_a2: Reg<Bits<32>>,
        /// A request is in a3.
        pub(crate) enters_a3: ControlReg<Bit>,
        /// Its place.
        pub(crate) place_a3: Reg<PositionBits>,
        /// It may be suspended.
        pub(crate) suspends_a3: Reg<Bit>,
        /// It ends a barrier.
        pub(crate) ends_a3: Reg<Bit>,
        /// The limit that it names.
        pub(crate) limit_a3: Reg<Bits<32>>,
        /// The limit is none.
        pub(crate) unlimited_a3: Reg<Bit>,
        /// Limits by place.
        pub(crate) limits: QueueRam<Bits<32>, PositionBits>,
        /// Whether they may be suspended (bit 0), or end a barrier (bit 1).
        pub(crate) marks: QueueRam<Bits<2>, PositionBits>,
    }
    constants {
        /// Operations that may be suspended.
        SUSPENDING: OpSet = decode::SUSPENDING;
        /// Operations that end or replace a barrier.
        ENDING: OpSet = decode::set(&[Op::Store, Op::Init, Op::Inval]);
        /// A limit that is none.
        NO_LIMIT: Bits<32> = Bits::constant(op::NO_LIMIT as u64);
        /// The limit of a wait that names none, in nanoseconds.
        DEFAULT_LIMIT_NS: Bits<32> = Bits::constant(op::DEFAULT_LIMIT_NS as u64);
    }
    processes { Name, Keep }
}

impl Process<Name> for Limits {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.enters_a2.d.next = self.enters.val();
        self.suspends_a2.d.next = SUSPENDING.get_bit(self.op.q.val().index());
        self.ends_a2.d.next = ENDING.get_bit(self.op.q.val().index());
        self.limit_a2.d.next = self.data_a1.val().get_bits::<32>(0);
        if self.op.q.val() == Op::TryWaitParity {
            self.limit_a2.d.next = self.data_a1.val().get_bits::<32>(32);
        }
        self.enters_a3.d.next = self.enters_a2.q.val();
        self.place_a3.d.next = self.place_a1.q.val();
        self.suspends_a3.d.next = self.suspends_a2.q.val() & self.limit_a2.q.val().any();
        self.ends_a3.d.next = self.ends_a2.q.val();
        self.limit_a3.d.next = self.limit_a2.q.val();
        self.unlimited_a3.d.next = self.limit_a2.q.val() == NO_LIMIT;
    }
}

impl Process<Keep> for Limits {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.limits.write_enable.next = self.enters_a3.q.val();
        self.limits.write_address.next = self.place_a3.q.val();
        self.limits.write_data.next = self.limit_a3.q.val();
        if self.unlimited_a3.q.val() {
            self.limits.write_data.next = DEFAULT_LIMIT_NS;
        }
        self.limits.read_address.next = self.place_p7.val();
        self.limit.d.next = self.limits.read_data.val();
        self.marks.write_enable.next = self.enters_a3.q.val();
        self.marks.write_address.next = self.place_a3.q.val();
        self.marks.write_data.next =
            bit_cast::<2, 1>(self.suspends_a3.q.val().into()) | (bit_cast::<2, 1>(self.ends_a3.q.val().into()) << 1);
        self.marks.read_address.next = self.place_p7.val();
        self.suspends.d.next = self.marks.read_data.val().get_bit(0);
        self.ends.d.next = self.marks.read_data.val().get_bit(1);
    }
}

impl Limits {
    /// No requests.
    pub fn empty() -> Self {
        Self { limits: QueueRam::new(PLACES), marks: QueueRam::new(PLACES), ..Self::default() }
    }

    /// Settles the block, once the inputs are driven.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Name>::update(self);
        Process::<Keep>::update(self);
    }
}

hardware! {
    /// Table: a bank's suspended waits.
    pub module Table = "table" {
        /// The request in p11 is to be suspended.
        pub wants: InControlReg<Bit>,
        /// It ends or replaces a barrier.
        pub ends: InControlReg<Bit>,
        /// When it gives up.
        pub deadline: InReg<Time>,
        /// That is in the next cycle at the latest.
        pub hasty: InReg<Bit>,
        /// It completes the phase of its word.
        pub flips: Signal<In, Bit>,
        /// Number of its word.
        pub index: Signal<In, RowIndex>,
        /// Port that it came from.
        pub port: Signal<In, PortNumber>,
        /// Its tag.
        pub tag: Signal<In, Tag>,
        /// Number of the word of the request in p10.
        pub coming: Signal<In, RowIndex>,
        /// Nanoseconds since reset, of the next cycle.
        pub soon: Signal<In, Time>,
        /// The bank has no other answer in this cycle.
        pub gap: Signal<In, Bit>,

        /// The request is parked.
        pub parks: Signal<Out, Bit>,
        /// Waits are woken by the completion of their phase.
        pub wakes: Signal<Out, Bit>,
        /// Waits are over and have not left.
        pub pending: Signal<Out, Bit>,
        /// Port whose wait leaves, if there is a gap.
        pub back: Signal<Out, PortMask>,
        /// Its tag.
        pub back_tag: Signal<Out, Tag>,
        /// How it ended.
        pub back_status: Signal<Out, StatusCode, StatusView>,
        /// Whether the phase has completed.
        pub back_predicate: Signal<Out, Bit>,

        /// Number of ports.
        pub(crate) ports: usize,
        /// Number of entries.
        pub(crate) entries: usize,
        /// Words that are waited for.
        pub(crate) word: Shelf<RowIndex>,
        /// When to give up.
        pub(crate) limit: Shelf<Time>,
        /// Ports.
        pub(crate) origin: Shelf<PortNumber>,
        /// Tags.
        pub(crate) name: Shelf<Tag>,
        /// Entries whose wait is suspended.
        pub(crate) parked: ControlReg<EntryMask>,
        /// Entries whose wait is over and has not left.
        pub(crate) over: ControlReg<EntryMask>,
        /// Those of them whose phase has completed.
        pub(crate) success: ControlReg<EntryMask>,
        /// Those of them whose barrier is gone.
        pub(crate) gone: ControlReg<EntryMask>,
        /// The entry that leaves next, one-hot.
        pub(crate) leaving: ControlReg<EntryMask>,
        /// Entries of the word of the request in p11, waited for or not.
        pub(crate) met: Reg<EntryMask>,
        /// Entries whose limit has passed, waited for or not.
        pub(crate) due: Reg<EntryMask>,

        /// Entries that are free.
        pub(crate) free: Signal<Local, EntryMask>,
        /// The entry that is given away, one-hot.
        pub(crate) place: Signal<Local, EntryMask>,
        /// The request in p10 is for the word of that in p11.
        pub(crate) again: Signal<Local, Bit>,
        /// Entries whose phase completes.
        pub(crate) waking: Signal<Local, EntryMask>,
        /// Entries whose barrier goes.
        pub(crate) going: Signal<Local, EntryMask>,
        /// Entries whose time is over.
        pub(crate) expiring: Signal<Local, EntryMask>,
        /// How long an entry's time will have been over in the next cycle; negative if it will not.
        pub(crate) late: Signal<Local, Time>,
        /// The entry that leaves in this cycle.
        pub(crate) left: Signal<Local, EntryMask>,
        /// Entries that are over and not about to leave.
        pub(crate) rest: Signal<Local, EntryMask>,
        /// Port of the entry that leaves next.
        pub(crate) back_port: Signal<Local, PortNumber>,
    }
    processes { Park, Wake, Foresee, Leave }
}

impl Process<Park> for Table {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.free.next = 0.into();
        for e in 0..self.entries {
            if !self.parked.q.val().get_bit(e) & !self.over.q.val().get_bit(e) {
                self.free.next = self.free.val() | (bits::<ENTRIES>(1) << e);
            }
        }
        self.place.next = 0.into();
        self.parks.next = false;
        if self.wants.q.val() {
            self.place.next = self.free.val() & (!self.free.val() + 1);
            self.parks.next = self.free.val().any();
        }
        self.word.write.next = self.place.val();
        self.word.write_data.next = self.index.val();
        self.limit.write.next = self.place.val();
        self.limit.write_data.next = self.deadline.q.val();
        self.origin.write.next = self.place.val();
        self.origin.write_data.next = self.port.val();
        self.name.write.next = self.place.val();
        self.name.write_data.next = self.tag.val();
    }
}

impl Process<Wake> for Table {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.expiring.next = self.parked.q.val() & self.due.q.val();
        self.waking.next = 0.into();
        self.going.next = 0.into();
        if self.flips.val() {
            self.waking.next = self.parked.q.val() & self.met.q.val();
        }
        if self.ends.q.val() {
            self.going.next = self.parked.q.val() & self.met.q.val();
        }
        self.wakes.next = self.waking.val().any();
    }
}

impl Process<Foresee> for Table {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.again.next = self.coming.val() == self.index.val();
        self.met.d.next = 0.into();
        self.due.d.next = 0.into();
        for e in 0..self.entries {
            self.late.next = self.soon.val() - self.limit.entry[e].val();
            if (self.place.val().get_bit(e) & self.again.val())
                | (!self.place.val().get_bit(e) & (self.word.entry[e].val() == self.coming.val()))
            {
                self.met.d.next = self.met.d.val() | (bits::<ENTRIES>(1) << e);
            }
            if (self.place.val().get_bit(e) & self.hasty.q.val())
                | (!self.place.val().get_bit(e) & !self.late.val().get_bit(32))
            {
                self.due.d.next = self.due.d.val() | (bits::<ENTRIES>(1) << e);
            }
        }
    }
}

impl Process<Leave> for Table {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.pending.next = self.over.q.val().any();
        self.left.next = 0.into();
        if self.gap.val() {
            self.left.next = self.leaving.q.val();
        }
        self.rest.next = self.over.q.val() & !self.leaving.q.val();
        self.leaving.d.next = self.leaving.q.val();
        if self.gap.val() | !self.leaving.q.val().any() {
            self.leaving.d.next = self.rest.val() & (!self.rest.val() + 1);
        }
        self.parked.d.next =
            (self.parked.q.val() & !(self.waking.val() | self.going.val() | self.expiring.val())) | self.place.val();
        self.over.d.next =
            (self.over.q.val() & !self.left.val()) | self.waking.val() | self.going.val() | self.expiring.val();
        self.success.d.next = (self.success.q.val() & !self.left.val()) | self.waking.val();
        self.gone.d.next = (self.gone.q.val() & !self.left.val()) | self.going.val();

        self.back_tag.next = 0.into();
        self.back_port.next = 0.into();
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

impl Table {
    /// A table of so many entries, for so many ports.
    pub fn new(ports: usize, entries: usize) -> Self {
        Self {
            ports,
            entries,
            word: Shelf::new(entries),
            limit: Shelf::new(entries),
            origin: Shelf::new(entries),
            name: Shelf::new(entries),
            ..Self::default()
        }
    }

    /// Settles the block, once the inputs are driven.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Park>::update(self);
        Process::<Wake>::update(self);
        Process::<Foresee>::update(self);
        Process::<Leave>::update(self);
    }
}
