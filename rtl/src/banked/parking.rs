//! Parking: receives each request's outcome from a bank's pipeline, and suspends waits.
//!
//! ```text
//!   cycle   c0        c1 ... c4            c5          c6                        c7
//!   op, operand ─► [ limits        ] ───► limit ─────► deadline ─► table: park,   ─► done
//!   port ────────► [ on its way    ] ───► port                     wake, turn out ─► answer
//!                                        outcome ────► parks?        │
//!                                                       who is over ◄┘ goes where no answer does
//! ```
//! **Order.** One request a cycle is in c6: either it is parked, or it completes a phase, or it ends a barrier, or none of that.
//! So what is parked has been parked before whatever comes next to its word: no wake-up is lost.
//!
//! **Two answers in a cycle.** A request's answer goes first. A wait that has ended takes a cycle without one; to make such
//! cycles, `pending` keeps every other request from the pipeline.

use super::table::{Limits, Table};
use crate::cells::timer::Timer;
use crate::hardware;
use crate::hdl::*;
use crate::word::parameters::Parameters;
use crate::word::status::Status;

/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

/// Cycles from a request's entering the pipeline to its outcome.
const TRAVEL: usize = 5;

hardware! {
    /// Parking: outcomes of a bank's pipeline, and the bank's suspended waits.
    pub module Parking = "parking" {
        /// Port of a request that enters the pipeline (in c0).
        pub port: Signal<In, PortNumber>,
        /// Opcode of that request.
        pub op: Signal<In, OpCode, OpView>,
        /// Operand of that request.
        pub operand: Signal<In, Word>,
        /// Outcome valid (in c5, as all that follows).
        pub is_done: Signal<In, Bit>,
        /// The request has an answer.
        pub answers: Signal<In, Bit>,
        /// The request completes the phase.
        pub completes: Signal<In, Bit>,
        /// Row of the request.
        pub row: Signal<In, RowIndex>,
        /// Tag of the request.
        pub tag: Signal<In, Tag>,
        /// Status of the request.
        pub status: Signal<In, StatusCode, StatusView>,
        /// Predicate of a wait.
        pub predicate: Signal<In, Bit>,
        /// Data of the answer.
        pub data: Signal<In, Word>,

        /// A request takes effect (in c7, as all that follows).
        pub done: OutControlReg<Bit>,
        /// Port of the request.
        pub done_port: OutReg<PortNumber>,
        /// Tag of the request.
        pub done_tag: OutReg<Tag>,
        /// Status of the request.
        pub done_status: OutReg<StatusCode, StatusView>,
        /// Row of the request.
        pub done_row: OutReg<RowIndex>,
        /// The request is suspended.
        pub suspended: OutControlReg<Bit>,
        /// Phase completed.
        pub flips: OutControlReg<Bit>,
        /// Suspended waits were woken.
        pub woken: OutControlReg<Bit>,
        /// Port of the answer, one-hot; zero without an answer.
        pub back: OutControlReg<PortMask>,
        /// Suspended flag, status, predicate and tag of the answer, concatenated. Zero after reset: initialises the memories behind it.
        pub outcome: OutControlReg<Outcome>,
        /// Data of the answer, also zero after reset.
        pub content: OutControlReg<Word>,
        /// Waits have ended that are not yet answered.
        pub pending: OutControlReg<Bit>,

        /// Number of ports.
        pub ports: usize = ports,
        /// Position of the suspended flag in an outcome.
        pub resumed_lsb: usize = Status::BITS + 1 + tag_bits,
        /// Period of the clock in whole nanoseconds: a limit up to that ends in the next cycle.
        pub clock_ns: usize = clock_ns,
        /// 1 if times have fraction bits.
        pub fractions: usize = parameters.clock().fractions(),
        /// Number of tables of suspended waits: 0 or 1.
        pub tables: usize = tables,
        /// Ports of the requests in the pipeline.
        pub origin: Delay<PortNumber> = Delay::new(TRAVEL),
        /// Time limits of the requests in the pipeline.
        pub limits: Single<Limits> = Lanes::new(tables),
        /// Time since reset, of the next cycle. One per bank, so that wires are short.
        pub timer: Single<Timer> = Lanes::of(tables, || Timer::new(parameters.clock())),
        /// Table of suspended waits.
        pub table: Single<Table> = Lanes::of(tables, || Table::new(ports, entries, parameters.clock())),
        /// Request in c6 valid.
        pub done_c6: ControlReg<Bit>,
        /// The request in c6 has an answer.
        pub answers_c6: ControlReg<Bit>,
        /// The request in c6 completes the phase.
        pub flips_c6: ControlReg<Bit>,
        /// Port of the request in c6.
        pub port_c6: Reg<PortNumber>,
        /// Row of the request in c6.
        pub row_c6: Reg<RowIndex>,
        /// Tag of the request in c6.
        pub tag_c6: Reg<Tag>,
        /// Status of the request in c6.
        pub status_c6: Reg<StatusCode, StatusView>,
        /// Predicate of the request in c6.
        pub predicate_c6: Reg<Bit>,
        /// Data of the request in c6.
        pub data_c6: Reg<Word>,
        /// Suspended waits have been woken by the request in c7.
        pub woken_c7: ControlReg<Bit>,

        /// Time limit of the request in c5.
        pub limit: Signal<Local, Bits<32>>,
        /// Time limit of the request in c5, as a time.
        pub span: Signal<Local, Time>,
        /// The request in c6 is answered in this cycle.
        pub replies: Signal<Local, Bit>,
        /// Tag of the answer.
        pub back_tag: Signal<Local, Tag>,
        /// Status of the answer.
        pub back_status: Signal<Local, StatusCode, StatusView>,
        /// Predicate of the answer.
        pub back_predicate: Signal<Local, Bit>,
        /// Suspended flag of the answer, at its position in the outcome.
        pub resumed: Signal<Local, Outcome>,
    }
    processes { Enter, Weigh, Tell, Reply }
    /// The parking of a bank, with a table of suspended waits if there are any.
    built by pub fn new(parameters: &Parameters) {
        let Parameters { ports, tag_bits, clock_ns, .. } = *parameters;
        let entries = parameters.entries();
        let tables = (entries > 0) as usize;
    }
}

#[processes]
impl Parking {
    fn enter(&mut self) {
        self.origin.enter.next = self.port.val();
        for t in 0..self.tables {
            self.limits[t].op.d.next = self.op.val();
            self.limits[t].data.d.next = self.operand.val();
        }
    }

    fn weigh(&mut self) {
        self.done_c6.d.next = self.is_done.val();
        self.answers_c6.d.next = self.answers.val();
        self.flips_c6.d.next = self.completes.val();
        self.port_c6.d.next = self.origin.leave.val();
        self.row_c6.d.next = self.row.val();
        self.tag_c6.d.next = self.tag.val();
        self.status_c6.d.next = self.status.val();
        self.predicate_c6.d.next = self.predicate.val();
        self.data_c6.d.next = self.data.val();
        clear!(self.limit, self.span);
        for t in 0..self.tables {
            self.table[t].wants.d.next = self.answers.val()
                & self.limits[t].suspends.q.val()
                & !self.predicate.val()
                & (self.status.val() == Status::Ok);
            self.table[t].ends.d.next =
                self.is_done.val() & self.limits[t].ends.q.val() & (self.status.val() == Status::Ok);
            self.limit.next = self.limits[t].limit.q.val();
            self.span.next = bit_cast::<TIME, 32>(self.limit.val());
            for _f in 0..self.fractions {
                self.span.next = bit_cast::<TIME, 32>(self.limit.val()) << 10;
            }
            self.table[t].deadline.d.next = self.timer[t].now.q.val() + self.span.val();
            self.table[t].hasty.d.next = self.limit.val() <= self.clock_ns.to_bits();
            self.table[t].flips.next = self.flips_c6.q.val();
            self.table[t].row.next = self.row_c6.q.val();
            self.table[t].port.next = self.port_c6.q.val();
            self.table[t].tag.next = self.tag_c6.q.val();
            self.table[t].coming.next = self.row.val();
            self.table[t].soon.next = self.timer[t].now.q.val();
            self.table[t].gap.next = !self.answers_c6.q.val();
        }
    }

    fn tell(&mut self) {
        self.done.d.next = self.done_c6.q.val();
        self.done_port.d.next = self.port_c6.q.val();
        self.done_tag.d.next = self.tag_c6.q.val();
        self.done_status.d.next = self.status_c6.q.val();
        self.done_row.d.next = self.row_c6.q.val();
        self.flips.d.next = self.flips_c6.q.val();
        self.replies.next = self.answers_c6.q.val();
        clear!(self.suspended, self.pending, self.woken_c7);
        for t in 0..self.tables {
            self.replies.next = self.answers_c6.q.val() & !self.table[t].parks.val();
            self.suspended.d.next = self.table[t].parks.val();
            self.pending.d.next = self.table[t].pending.val();
            self.woken_c7.d.next = self.table[t].wakes.val();
        }
        self.woken.d.next = self.woken_c7.q.val();
    }

    fn reply(&mut self) {
        self.back.d.next = 0.into();
        for p in 0..self.ports {
            if self.replies.val() & (self.port_c6.q.val() == p.to_bits()) {
                self.back.d.next = self.back.d.val() | (bits::<PORTS>(1) << p);
            }
        }
        self.back_tag.next = self.tag_c6.q.val();
        self.back_status.next = self.status_c6.q.val();
        self.back_predicate.next = self.predicate_c6.q.val();
        self.resumed.next = 0.into();
        self.content.d.next = self.data_c6.q.val();
        for t in 0..self.tables {
            if !self.answers_c6.q.val() {
                connect!(self.* <<= self.table[t].*: back, back_tag, back_status, back_predicate);
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
