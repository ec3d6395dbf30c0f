//! Gather: merges the requests of all ports to one bank, in the order of acceptance.
//!
//! ```text
//!   cycle    0              1                                              2
//!   port 0 ─► memory 0 ────► at the place of its batch, or of zeros ─┐
//!   port 1 ─► memory 1 ────► at the place of its batch, or of zeros ─┴ OR ─► the bank's pipeline
//!   source ─► batches ─────► next source, its place
//! ```
//! Each port writes into a memory of its own, all at the same place: that of the batch of this cycle (see `batches.rs`). All ports but the
//! selected one are read at the place of zeros, so that no multiplexer is needed.
//!
//! **Room.** 15 places. No more batches wait or are served since `crowded` says that there are ten, and five more may come until it has been
//! heard:
//!
//! ```text
//!   cycle    t          t+1    t+2    t+3      t+4   t+5        t+6
//!   come     the 10th   11th   12th   13th     14th  15th
//!   known               more   count  crowded  stop  not ready             what is accepted in one cycle comes in the next
//! ```

use super::batches::Batches;
use super::entrance::Head;
use crate::cells::level::Level;
use crate::cells::steps::{PLACES, Place};
use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;

/// Width of an opcode.
const OP_BITS: usize = Op::BITS;

hardware! {
    /// Gather: merges the requests of all ports to one bank, in the order of acceptance.
    pub module Gather = "gather" {
        /// Ports with a request for this bank.
        pub come: Signal<In, PortMask>,
        /// Opcode and flags of each port's request; zero in the first cycle after reset, as all that follows.
        pub head: Lanes<Signal<In, Head>> = Lanes::new(ports),
        /// Row of each port's request.
        pub row: Lanes<Signal<In, RowIndex>> = Lanes::new(ports),
        /// Operand of each port's request.
        pub data: Lanes<Signal<In, Word>> = Lanes::new(ports),
        /// Byte enables of each port's request.
        pub strobe: Lanes<Signal<In, Bits<8>>> = Lanes::new(ports),
        /// Tag of each port's request.
        pub tag: Lanes<Signal<In, Tag>> = Lanes::new(ports),
        /// Suspended waits have ended and need a cycle for their answer: every other request waits.
        pub pending: Signal<In, Bit>,
        /// The pipeline gets no request in the next cycle.
        pub stall: Signal<In, Bit>,

        /// Many batches wait.
        pub crowded: OutControlReg<Bit>,
        /// Request to the pipeline valid.
        pub valid: Signal<Out, Bit>,
        /// Port of the request.
        pub port: Signal<Out, PortNumber>,
        /// Opcode.
        pub op: Signal<Out, OpCode, OpView>,
        /// Request of another CTA.
        pub remote: Signal<Out, Bit>,
        /// Address not a multiple of 8.
        pub misaligned: Signal<Out, Bit>,
        /// Address outside the memory.
        pub outside: Signal<Out, Bit>,
        /// Row.
        pub line: Signal<Out, RowIndex>,
        /// Operand.
        pub content: Signal<Out, Word>,
        /// Byte enables.
        pub enables: Signal<Out, Bits<8>>,
        /// Tag.
        pub name: Signal<Out, Tag>,

        /// Number of ports.
        pub ports: usize = ports,
        /// Order of the ports.
        pub batches: Batches = Batches::of(ports),
        /// Number of batches held.
        pub held: Level,
        /// No request is given to the pipeline in this cycle.
        pub pause: ControlReg<Bit>,
        /// The pause of the last cycle was for suspended waits.
        pub gave_way: ControlReg<Bit>,
        /// Opcodes and flags of the requests.
        pub heads: Lanes<LutRam<Head, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),
        /// Rows of the requests.
        pub rows: Lanes<LutRam<RowIndex, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),
        /// Operands of the requests.
        pub contents: Lanes<LutRam<Word, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),
        /// Byte enables of the requests.
        pub strobes: Lanes<LutRam<Bits<8>, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),
        /// Tags of the requests.
        pub tags: Lanes<LutRam<Tag, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),

        /// Write enable of a port's memories.
        pub writes: Signal<Local, Bit>,
        /// Opcode and flags of the selected request.
        pub chosen: Signal<Local, Head>,
    }
    processes { Wait, Crowd, Take, Choose }
    /// A gatherer for this many ports.
    built by pub fn new(ports: usize) {}
}

#[processes]
impl Gather {
    fn wait(&mut self) {
        self.batches.come.next = bit_cast::<8, PORTS>(self.come.val());
        self.batches.pause.next = self.pause.q.val();
        self.pause.d.next = self.stall.val() | (self.pending.val() & !self.gave_way.q.val());
        self.gave_way.d.next = self.pending.val() & !self.gave_way.q.val();
    }

    fn crowd(&mut self) {
        self.held.comes.next = self.batches.comes.val();
        self.held.goes.next = self.batches.ended.val();
        self.crowded.d.next = self.held.count.q.val().get_bit(3)
            & (self.held.count.q.val().get_bit(2) | self.held.count.q.val().get_bit(1));
    }

    fn take(&mut self) {
        for p in 0..self.ports {
            self.writes.next = self.come.val().get_bit(p) | self.batches.begins.val();
            self.heads[p].write_enable.next = self.writes.val();
            self.heads[p].write_address.next = self.batches.tail.val();
            self.heads[p].write_data.next = self.head[p].val();
            self.heads[p].read_address.next = self.batches.at[p].q.val();
            self.rows[p].write_enable.next = self.writes.val();
            self.rows[p].write_address.next = self.batches.tail.val();
            self.rows[p].write_data.next = self.row[p].val();
            self.rows[p].read_address.next = self.batches.at[p].q.val();
            self.contents[p].write_enable.next = self.writes.val();
            self.contents[p].write_address.next = self.batches.tail.val();
            self.contents[p].write_data.next = self.data[p].val();
            self.contents[p].read_address.next = self.batches.at[p].q.val();
            self.strobes[p].write_enable.next = self.writes.val();
            self.strobes[p].write_address.next = self.batches.tail.val();
            self.strobes[p].write_data.next = self.strobe[p].val();
            self.strobes[p].read_address.next = self.batches.at[p].q.val();
            self.tags[p].write_enable.next = self.writes.val();
            self.tags[p].write_address.next = self.batches.tail.val();
            self.tags[p].write_data.next = self.tag[p].val();
            self.tags[p].read_address.next = self.batches.at[p].q.val();
        }
    }

    fn choose(&mut self) {
        self.valid.next = self.batches.busy.q.val() & !self.pause.q.val();
        clear!(self.chosen, self.line, self.content, self.enables, self.name, self.port);
        // all ports but one read zeros
        for p in 0..self.ports {
            self.chosen.next = self.chosen.val() | self.heads[p].read_data.val();
            self.line.next = self.line.val() | self.rows[p].read_data.val();
            self.content.next = self.content.val() | self.contents[p].read_data.val();
            self.enables.next = self.enables.val() | self.strobes[p].read_data.val();
            self.name.next = self.name.val() | self.tags[p].read_data.val();
            if self.batches.turn.q.val().get_bit(p) {
                self.port.next = self.port.val() | p.to_bits();
            }
        }
        self.op.next = self.chosen.val().get_bits::<OP_BITS>(0);
        self.remote.next = self.chosen.val().get_bit(5);
        self.misaligned.next = self.chosen.val().get_bit(6);
        self.outside.next = self.chosen.val().get_bit(7);
    }
}
