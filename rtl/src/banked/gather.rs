//! Gather: the requests of all ports to one bank, one after the other in the order in which they were accepted.
//!
//! ```text
//!   cycle    0              1                                              2
//!   port 0 ─► memory 0 ────► at the place of its batch, or of zeros ─┐
//!   port 1 ─► memory 1 ────► at the place of its batch, or of zeros ─┴ OR ─► the bank's pipeline
//!   who    ─► batches ─────► whose turn, and where
//! ```
//! Each port writes into a memory of its own, all at the same place: that of the batch of this cycle (see `batches.rs`). All but
//! the one whose turn it is are read where zeros are, so that nothing has to be chosen.
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
    /// Gather: the requests of all ports to one bank, in the order in which they were accepted.
    pub module Gather = "gather" {
        /// Ports that bring a request to this bank.
        pub come: Signal<In, PortMask>,
        /// What it is; zero in the first cycle after reset, as all that follows.
        pub head: Lanes<Signal<In, Head>> = Lanes::new(ports),
        /// Its row.
        pub row: Lanes<Signal<In, RowIndex>> = Lanes::new(ports),
        /// Its operand.
        pub data: Lanes<Signal<In, Word>> = Lanes::new(ports),
        /// Its byte enables.
        pub strobe: Lanes<Signal<In, Bits<8>>> = Lanes::new(ports),
        /// Its tag.
        pub tag: Lanes<Signal<In, Tag>> = Lanes::new(ports),
        /// Suspended waits are over and want to be answered: every other request waits.
        pub pending: Signal<In, Bit>,
        /// Nothing is to be given to the pipeline in the next cycle.
        pub stall: Signal<In, Bit>,

        /// Many batches wait.
        pub crowded: OutControlReg<Bit>,
        /// A request goes to the pipeline.
        pub valid: Signal<Out, Bit>,
        /// Port that it comes from.
        pub port: Signal<Out, PortNumber>,
        /// Opcode.
        pub op: Signal<Out, OpCode, OpView>,
        /// It comes from another CTA.
        pub remote: Signal<Out, Bit>,
        /// Its address is no multiple of 8.
        pub misaligned: Signal<Out, Bit>,
        /// Its address is outside of the memory.
        pub outside: Signal<Out, Bit>,
        /// Its row.
        pub line: Signal<Out, RowIndex>,
        /// Its operand.
        pub content: Signal<Out, Word>,
        /// Its byte enables.
        pub enables: Signal<Out, Bits<8>>,
        /// Its tag.
        pub name: Signal<Out, Tag>,

        /// Number of ports.
        pub ports: usize = ports,
        /// Whose turn it is.
        pub batches: Batches = Batches::of(ports),
        /// How many batches there are.
        pub held: Level,
        /// Nothing is given in this cycle.
        pub pause: ControlReg<Bit>,
        /// That was so for the sake of suspended waits.
        pub gave_way: ControlReg<Bit>,
        /// What the requests are.
        pub heads: Lanes<LutRam<Head, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),
        /// Their rows.
        pub rows: Lanes<LutRam<RowIndex, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),
        /// Their operands.
        pub contents: Lanes<LutRam<Word, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),
        /// Their byte enables.
        pub strobes: Lanes<LutRam<Bits<8>, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),
        /// Their tags.
        pub tags: Lanes<LutRam<Tag, Place>> = Lanes::of(ports, || LutRam::new(PLACES)),

        /// A port's memories are written.
        pub writes: Signal<Local, Bit>,
        /// What the request is whose turn it is.
        pub chosen: Signal<Local, Head>,
    }
    processes { Wait, Crowd, Take, Choose }
    /// What gathers the requests of so many ports.
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
        // all but one port show zeros
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
