//! The banked high-clock build: several ports and several banks, and suspended waits. ("Fabric" is the network between ports and
//! banks; it has nothing to do with the fabric of an FPGA.)
//!
//! **What.** A pipeline for each bank, with a table of suspended waits; and a crossbar that brings the requests of all ports to it and
//! its answers back. Nothing is arbitrated: requests that come in one cycle make a batch, and batches are served in their order.
//!
//! ```text
//!   cycle    0            1                     2                              3 ... 7     8          9                     10                      11        12
//!   port 0 ─ entrance 0 ──┬─ memories of bank 0 ─ in order: gather 0 ────────── pipeline 0 ─ parking 0 ┬─ memories of port 0 ─ in order: returns 0 ─── backlog ─ shown
//!   port 1 ─ entrance 1 ──┼─ memories of bank 1 ─ in order: gather 1 ────────── pipeline 1 ─ parking 1 ┼─ memories of port 1 ─ in order: returns 1 ─── backlog ─ shown
//!   ...                   │        ...                                                                 │        ...
//!                         └── every port to every bank                                     done_*      └── every bank to every port
//! ```
//! | cycle | registered at its end |
//! | --- | --- |
//! | 0 | acceptance, bank and row, checks of the address |
//! | 1 | the request is in the bank's memory for its port; the port to serve next, if none waits |
//! | 2 | the request is read, and enters the pipeline (c0 there) |
//! | 3 to 6 | decoded and word read; deltas and word chosen; sums; outcome (c1 to c4) |
//! | 7 | whether it may be suspended, and until when (c5) |
//! | 8 | whether it is suspended; port and contents of the answer (c6) |
//! | 9 | the answer is in the port's memory for that bank; `done_*` valid |
//! | 10 | the answer is read |
//! | 11 | the answer is in the output register, valid in cycle 12 |
//!
//! **Order.** Requests on one word take effect in the order in which they were accepted; those of one cycle in the order of
//! the ports. So every observer sees them as if all had been done in the order of acceptance, although banks may lag behind each other.
//! An acquire wait therefore holds nothing back, and a release waits for nothing in this unit.
//!
//! **Answers.** Those of a port come in the order in which its requests took effect; those of one cycle in the order of the
//! banks; those of suspended waits when they end.
//!
//! **Rates.** Each port one operation a cycle, each bank one operation a cycle; nothing is combined.
//!
//! Drawn from a run: `waves/gallery/blocks/fabric.svg`.

pub mod backlog;
pub mod batches;
pub mod entrance;
pub mod gather;
pub mod parking;
pub mod pipeline;
pub mod returns;
pub mod table;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod unit;

use crate::hardware;
use crate::hdl::*;
use crate::pins::{Operation, PortAnswer};
use crate::word::parameters::{BANKED_ROOM, Build, Parameters};
use crate::word::status::Status;
use entrance::Entrance;
use gather::Gather;
use parking::Parking;
use pipeline::Pipeline;
use returns::Returns;

/// Cycles from the acceptance of a request to its answer, without contention.
pub const LATENCY: usize = Build::BankedHighClock.latency();

/// Answers not yet accepted and suspended waits that a port may have while its requests are still accepted.
pub const ROOM: usize = BANKED_ROOM;

/// Requests that may still be accepted after the limit is reached, because the count is delayed.
pub const LATE: usize = 2;

/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

hardware! {
    /// The fabric: several ports and several banks at a high clock.
    pub module Fabric = "fabric" {
        /// Request accepted.
        pub accept: Lanes<Signal<In, Bit>> = Lanes::new(ports),
        /// Request.
        pub req: Lanes<Flat<Operation<In>>> = Lanes::new(ports),
        /// The port accepts the answer at the output.
        pub rsp_ready: Lanes<Signal<In, Bit>> = Lanes::new(ports),
        /// Banks that take no request.
        pub stall: Signal<In, BankMask>,

        /// Space for one more request.
        pub ready: Lanes<Signal<Out, Bit>> = Lanes::new(ports),
        /// Answer valid.
        pub rsp_valid: Lanes<Signal<Out, Bit>> = Lanes::new(ports),
        /// Answer.
        pub rsp: Lanes<PortAnswer<Out>> = Lanes::new(ports),
        /// The answer is that of a suspended wait.
        pub rsp_resumed: Lanes<Signal<Out, Bit>> = Lanes::new(ports),
        /// A request takes effect in a bank.
        pub done: Lanes<Signal<Out, Bit>> = Lanes::new(banks),
        /// Port of that request.
        pub done_port: Lanes<Signal<Out, PortNumber>> = Lanes::new(banks),
        /// Tag of that request.
        pub done_tag: Lanes<Signal<Out, Tag>> = Lanes::new(banks),
        /// Status of that request.
        pub done_status: Lanes<Signal<Out, StatusCode, StatusView>> = Lanes::new(banks),
        /// Index of its word.
        pub done_index: Lanes<Signal<Out, WordIndex>> = Lanes::new(banks),
        /// The request is suspended.
        pub suspended: Lanes<Signal<Out, Bit>> = Lanes::new(banks),
        /// Phase completed.
        pub flips: Lanes<Signal<Out, Bit>> = Lanes::new(banks),
        /// Suspended waits were woken in the cycle before.
        pub woken: Lanes<Signal<Out, Bit>> = Lanes::new(banks),

        /// Number of ports.
        pub ports: usize = ports,
        /// Number of banks.
        pub banks: usize = banks,
        /// Width of a bank number.
        pub bank_bits: usize = banks.ilog2() as usize,
        /// Largest tag.
        pub last_tag: usize = (1 << tag_bits) - 1,
        /// Position of the suspended flag in an outcome.
        pub resumed_lsb: usize = STATUS_BITS + 1 + tag_bits,
        /// Entrances, one per port.
        pub entrance: Lanes<Entrance> = Lanes::of(ports, || Entrance::new(banks, parameters.rows())),
        /// Gatherers, one per bank.
        pub gather: Lanes<Gather> = Lanes::of(banks, || Gather::new(ports)),
        /// Pipelines, one per bank.
        pub pipeline: Lanes<Pipeline> = Lanes::of(banks, || Pipeline::new(parameters.rows())),
        /// Outcomes and suspended waits, one per bank.
        pub parking: Lanes<Parking> = Lanes::of(banks, || Parking::new(parameters)),
        /// Answer mergers, one per port.
        pub returns: Lanes<Returns> = Lanes::of(ports, || Returns::new(banks)),
        /// A bank has many batches waiting: no request is accepted.
        pub stop: ControlReg<Bit>,

        /// Row of a word within its bank.
        pub row: Signal<Local, RowIndex>,
    }
    processes { Show, Enter, Stop, Bring, Gathered, Park, Return }
    /// A fabric with these parameters.
    built by pub fn new(parameters: &Parameters) {
        let Parameters { ports, banks, tag_bits, .. } = *parameters;
    }
}

#[processes]
impl Fabric {
    fn show(&mut self) {
        for p in 0..self.ports {
            self.ready[p].next = self.entrance[p].ready.q.val();
            self.rsp_valid[p].next = self.returns[p].valid.val();
            self.rsp[p].status.next = self.returns[p].shown.val().get_bits::<STATUS_BITS>(0);
            self.rsp[p].predicate.next = self.returns[p].shown.val().get_bit(Status::BITS);
            self.rsp[p].tag.next =
                self.returns[p].shown.val().get_bits::<TAG>(Status::BITS + 1) & self.last_tag.to_bits();
            self.rsp_resumed[p].next = self.returns[p].shown.val().get_bit(self.resumed_lsb);
            self.rsp[p].data.next = self.returns[p].shown_data.val();
        }
        for b in 0..self.banks {
            connect!(self.*[b] <<= self.parking[b].*: done, done_port, done_tag, done_status);
            self.row.next = self.parking[b].done_row.q.val();
            self.done_index[b].next =
                (bit_cast::<WORD_INDEX, ROW_INDEX>(self.row.val()) << self.bank_bits) | b.to_bits();
            connect!(self.*[b] <<= self.parking[b].*: suspended, flips, woken);
        }
    }

    fn enter(&mut self) {
        for p in 0..self.ports {
            self.entrance[p].accept.next = self.accept[p].val();
            self.entrance[p].req <<= self.req[p];
            self.entrance[p].taken.next = self.returns[p].taken.val();
            self.entrance[p].stop.next = self.stop.q.val();
        }
    }

    fn stop(&mut self) {
        self.stop.d.next = false;
        for b in 0..self.banks {
            if self.gather[b].crowded.q.val() {
                self.stop.d.next = true;
            }
        }
    }

    fn bring(&mut self) {
        for b in 0..self.banks {
            self.gather[b].come.next = 0.into();
            for p in 0..self.ports {
                if self.entrance[p].to.q.val().get_bit(b) {
                    self.gather[b].come.next = self.gather[b].come.val() | (bits::<PORTS>(1) << p);
                }
                connect!(self.gather[b].*[p] <<= self.entrance[p].*: head, row);
                self.gather[b].data[p].next = self.entrance[p].content.q.val();
                self.gather[b].strobe[p].next = self.entrance[p].enables.q.val();
                self.gather[b].tag[p].next = self.entrance[p].name.q.val();
            }
            self.gather[b].pending.next = self.parking[b].pending.q.val();
            self.gather[b].stall.next = self.stall.val().get_bit(b);
        }
    }

    fn gathered(&mut self) {
        for b in 0..self.banks {
            self.pipeline[b].accept.next = self.gather[b].valid.val();
            connect!(self.pipeline[b].* <<= self.gather[b].*: op, remote, misaligned, outside);
            self.pipeline[b].row.next = self.gather[b].line.val();
            self.pipeline[b].data.next = self.gather[b].content.val();
            self.pipeline[b].strobe.next = self.gather[b].enables.val();
            self.pipeline[b].tag.next = self.gather[b].name.val();
        }
    }

    fn park(&mut self) {
        for b in 0..self.banks {
            connect!(self.parking[b].* <<= self.gather[b].*: port, op);
            self.parking[b].operand.next = self.gather[b].content.val();
            self.parking[b].is_done.next = self.pipeline[b].done.q.val();
            self.parking[b].answers.next = self.pipeline[b].answers.q.val();
            self.parking[b].completes.next = self.pipeline[b].flips.q.val();
            connect!(self.parking[b].* <<= self.pipeline[b].done_*: row, tag);
            connect!(self.parking[b].* <<= self.pipeline[b].*: status, predicate);
            self.parking[b].data.next = self.pipeline[b].content.q.val();
        }
    }

    fn r#return(&mut self) {
        for p in 0..self.ports {
            self.returns[p].come.next = 0.into();
            for b in 0..self.banks {
                if self.parking[b].back.q.val().get_bit(p) {
                    self.returns[p].come.next = self.returns[p].come.val() | (bits::<8>(1) << b);
                }
                self.returns[p].outcome[b].next = self.parking[b].outcome.q.val();
                self.returns[p].data[b].next = self.parking[b].content.q.val();
            }
            self.returns[p].ready.next = self.rsp_ready[p].val();
        }
    }
}
