//! Parking: what a bank's pipeline says of each request, and what becomes of waits that are to be suspended.
//!
//! ```text
//!   cycle   a1               a4           ...   p7             p9       p10        p11              p12
//!   limit ─► which, none? ──► memories          read ────────► limit ─► deadline ─► table: park,     ─► done
//!   port  ─► ───────────────► (a place of the                  port              wake, turn out ─► answer
//!                              ring each)                verdict ─────► parks?      │
//!                                                                        who is over ◄┘ goes where no answer does
//! ```
//! **Order.** One request a cycle is in p11: either it is parked, or it completes a phase, or it ends a barrier, or none of that.
//! So what is parked has been parked before whatever comes next to its word: no wake-up is lost.
//!
//! **Where two want to answer.** A request's answer goes first. A wait that is over takes a cycle without one; so that there is
//! one, `pending` keeps every other request from the pipeline.

use super::table::{Limits, Table};
use crate::deep::{ENTRIES as PLACES, PositionBits};
use crate::hardware;
use crate::hdl::*;
use crate::parameters::Parameters;
use crate::status::Status;
use crate::waiters::Timer;

/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

hardware! {
    /// Parking: what a bank's pipeline says of each request, and its suspended waits.
    pub module Parking = "parking" {
        /// Port of a request that enters the pipeline.
        pub port: InReg<PortNumber>,
        /// Its opcode.
        pub op: Signal<In, OpCode, OpView>,
        /// It is in a1.
        pub enters: Signal<In, Bit>,
        /// Its operand, in a1.
        pub data_a1: Signal<In, Word>,
        /// Its place in the ring.
        pub place_a1: Signal<In, PositionBits>,
        /// Place of the request in p7.
        pub place_p7: Signal<In, PositionBits>,
        /// A request is done (in p10, as all that follows).
        pub is_done: Signal<In, Bit>,
        /// It is answered.
        pub answers: Signal<In, Bit>,
        /// It completes the phase.
        pub completes: Signal<In, Bit>,
        /// Number of its word within the bank.
        pub index: Signal<In, WordIndex>,
        /// Its tag.
        pub tag: Signal<In, Tag>,
        /// How it ended.
        pub status: Signal<In, StatusCode, StatusView>,
        /// Predicate of a wait.
        pub predicate: Signal<In, Bit>,
        /// Its data.
        pub data: Signal<In, Word>,

        /// A request takes effect (in p12, as all that follows).
        pub done: OutControlReg<Bit>,
        /// Port that it came from.
        pub done_port: OutReg<PortNumber>,
        /// Its tag.
        pub done_tag: OutReg<Tag>,
        /// How it ended.
        pub done_status: OutReg<StatusCode, StatusView>,
        /// Number of its word within the bank.
        pub done_index: OutReg<WordIndex>,
        /// It is suspended.
        pub suspended: OutControlReg<Bit>,
        /// It completes the phase.
        pub flips: OutControlReg<Bit>,
        /// Suspended waits have been woken.
        pub woken: OutControlReg<Bit>,
        /// Port that is answered.
        pub back: OutControlReg<PortMask>,
        /// Whether the phase of a suspended wait is over, status, predicate and tag, side by side.
        pub outcome: OutReg<Outcome>,
        /// Data.
        pub content: OutReg<Word>,
        /// Waits are over that have not been answered.
        pub pending: OutControlReg<Bit>,

        /// Number of ports.
        pub(crate) ports: usize,
        /// Width of a tag.
        pub(crate) resumed_lsb: usize,
        /// Period of the clock in nanoseconds.
        pub(crate) clock_ns: usize,
        /// How many tables of suspended waits there are.
        pub(crate) tables: usize,
        /// Ports of the requests in the ring.
        pub(crate) origins: QueueRam<PortNumber, PositionBits>,
        /// Time limits of those that may be suspended.
        pub(crate) limits: Single<Limits>,
        /// Nanoseconds since reset, of the next cycle. A bank has its own: one for all would be far from most.
        pub(crate) timer: Single<Timer>,
        /// Those that are.
        pub(crate) table: Single<Table>,
        /// Port of the request in p10.
        pub(crate) port_p10: Reg<PortNumber>,
        /// A request is in p11.
        pub(crate) done_p11: ControlReg<Bit>,
        /// It is answered.
        pub(crate) answers_p11: ControlReg<Bit>,
        /// It completes the phase.
        pub(crate) flips_p11: ControlReg<Bit>,
        /// Port that it came from.
        pub(crate) port_p11: Reg<PortNumber>,
        /// Number of its word.
        pub(crate) index_p11: Reg<RowIndex>,
        /// Its tag.
        pub(crate) tag_p11: Reg<Tag>,
        /// How it ended.
        pub(crate) status_p11: Reg<StatusCode, StatusView>,
        /// Predicate of a wait.
        pub(crate) predicate_p11: Reg<Bit>,
        /// Its data.
        pub(crate) data_p11: Reg<Word>,
        /// Suspended waits have been woken by the request in p12.
        pub(crate) woken_p12: ControlReg<Bit>,

        /// Time limit of the request in p10.
        pub(crate) limit: Signal<Local, Bits<32>>,
        /// The same, as a time.
        pub(crate) span: Signal<Local, Time>,
        /// The request in p11 is answered now.
        pub(crate) replies: Signal<Local, Bit>,
        /// Tag of what is answered.
        pub(crate) back_tag: Signal<Local, Tag>,
        /// How that ended.
        pub(crate) back_status: Signal<Local, StatusCode, StatusView>,
        /// Predicate of it.
        pub(crate) back_predicate: Signal<Local, Bit>,
        /// It had been suspended.
        pub(crate) resumed: Signal<Local, Outcome>,
    }
    processes { Enter, Weigh, Tell, Reply }
}

impl Process<Enter> for Parking {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.origins.write_enable.next = self.enters.val();
        self.origins.write_address.next = self.place_a1.val();
        self.origins.write_data.next = self.port.q.val();
        self.origins.read_address.next = self.place_p7.val();
        self.port_p10.d.next = self.origins.read_data.val();
        for t in 0..self.tables {
            self.limits[t].op.d.next = self.op.val();
            self.limits[t].enters.next = self.enters.val();
            self.limits[t].data_a1.next = self.data_a1.val();
            self.limits[t].place_a1.d.next = self.place_a1.val();
            self.limits[t].place_p7.next = self.place_p7.val();
        }
    }
}

impl Process<Weigh> for Parking {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.done_p11.d.next = self.is_done.val();
        self.answers_p11.d.next = self.answers.val();
        self.flips_p11.d.next = self.completes.val();
        self.port_p11.d.next = self.port_p10.q.val();
        self.index_p11.d.next = bit_cast::<ROW_INDEX, WORD_INDEX>(self.index.val());
        self.tag_p11.d.next = self.tag.val();
        self.status_p11.d.next = self.status.val();
        self.predicate_p11.d.next = self.predicate.val();
        self.data_p11.d.next = self.data.val();
        self.limit.next = 0.into();
        self.span.next = 0.into();
        for t in 0..self.tables {
            self.table[t].wants.d.next = self.answers.val()
                & self.limits[t].suspends.q.val()
                & !self.predicate.val()
                & (self.status.val() == Status::Ok);
            self.table[t].ends.d.next =
                self.is_done.val() & self.limits[t].ends.q.val() & (self.status.val() == Status::Ok);
            self.limit.next = self.limits[t].limit.q.val();
            self.span.next = bit_cast::<TIME_BITS, 32>(self.limit.val());
            self.table[t].deadline.d.next = self.timer[t].now.q.val() + self.span.val();
            self.table[t].hasty.d.next = self.limit.val() <= self.clock_ns.to_bits();
            self.table[t].flips.next = self.flips_p11.q.val();
            self.table[t].index.next = self.index_p11.q.val();
            self.table[t].port.next = self.port_p11.q.val();
            self.table[t].tag.next = self.tag_p11.q.val();
            self.table[t].coming.next = bit_cast::<ROW_INDEX, WORD_INDEX>(self.index.val());
            self.table[t].soon.next = self.timer[t].now.q.val();
            self.table[t].gap.next = !self.answers_p11.q.val();
        }
    }
}

impl Process<Tell> for Parking {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.done.d.next = self.done_p11.q.val();
        self.done_port.d.next = self.port_p11.q.val();
        self.done_tag.d.next = self.tag_p11.q.val();
        self.done_status.d.next = self.status_p11.q.val();
        self.done_index.d.next = bit_cast::<WORD_INDEX, ROW_INDEX>(self.index_p11.q.val());
        self.flips.d.next = self.flips_p11.q.val();
        self.replies.next = self.answers_p11.q.val();
        self.suspended.d.next = false;
        self.pending.d.next = false;
        self.woken_p12.d.next = false;
        for t in 0..self.tables {
            self.replies.next = self.answers_p11.q.val() & !self.table[t].parks.val();
            self.suspended.d.next = self.table[t].parks.val();
            self.pending.d.next = self.table[t].pending.val();
            self.woken_p12.d.next = self.table[t].wakes.val();
        }
        self.woken.d.next = self.woken_p12.q.val();
    }
}

impl Process<Reply> for Parking {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.back.d.next = 0.into();
        for p in 0..self.ports {
            if self.replies.val() & (self.port_p11.q.val() == p.to_bits()) {
                self.back.d.next = self.back.d.val() | (bits::<PORTS>(1) << p);
            }
        }
        self.back_tag.next = self.tag_p11.q.val();
        self.back_status.next = self.status_p11.q.val();
        self.back_predicate.next = self.predicate_p11.q.val();
        self.resumed.next = 0.into();
        self.content.d.next = self.data_p11.q.val();
        for t in 0..self.tables {
            if !self.answers_p11.q.val() {
                self.back.d.next = self.table[t].back.val();
                self.back_tag.next = self.table[t].back_tag.val();
                self.back_status.next = self.table[t].back_status.val();
                self.back_predicate.next = self.table[t].back_predicate.val();
                self.resumed.next = 1.into();
                self.content.d.next = 0.into();
            }
        }
        self.outcome.d.next = bit_cast::<OUTCOME, STATUS_BITS>(self.back_status.val())
            | (bit_cast::<OUTCOME, 1>(self.back_predicate.val().into()) << Status::BITS)
            | (bit_cast::<OUTCOME, TAG>(self.back_tag.val()) << (Status::BITS + 1))
            | (self.resumed.val() << self.resumed_lsb);
    }
}

impl Parking {
    /// The parking of a bank, with a table of suspended waits if there are any.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ports, tag_bits, clock_ns, .. } = *parameters;
        let entries = parameters.entries();
        let tables = (entries > 0) as usize;
        Self {
            ports,
            resumed_lsb: Status::BITS + 1 + tag_bits,
            tables,
            origins: QueueRam::new(PLACES),
            limits: Lanes::of(tables, Limits::empty),
            clock_ns,
            timer: Lanes::of(tables, || Timer::new(clock_ns)),
            table: Lanes::of(tables, || Table::new(ports, entries)),
            ..Self::default()
        }
    }

    /// Settles the block, once the inputs are driven.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Enter>::update(self);
        for limits in self.limits.iter_mut() {
            limits.settle();
        }
        for timer in self.timer.iter_mut() {
            timer.settle();
        }
        Process::<Weigh>::update(self);
        for table in self.table.iter_mut() {
            table.settle();
        }
        Process::<Tell>::update(self);
        Process::<Reply>::update(self);
    }
}
