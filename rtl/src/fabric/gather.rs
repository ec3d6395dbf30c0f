//! Gather: the requests of all ports to one bank, one after the other in the order in which they were accepted.
//!
//! ```text
//!   cycle    0                        1            2       3      4                              5                        6
//!   port 0 ─► registers ─► memory 0 ──────────────────────────────┐
//!   port 1 ─► registers ─► memory 1 ──────────────────── at the place of their batch ──► registers ─► whose turn ─► registers ─► the bank's pipeline
//!   who    ─► batches: come ─► came ─► head ─► left ─► next ───────┘
//! ```
//! Each port writes into a memory of its own, all at the same place: that of the batch of this cycle (see `batches.rs`).
//!
//! **Room.** 16 places: 15 batches at most wait, and one is served. No more wait since `crowded` says that there are seven, and
//! eight more may come until it has been heard:
//!
//! ```text
//!   cycle    t       t+1   t+2    t+3      t+4   t+5    t+6    t+7   t+8
//!   come     the 7th 8th   9th    10th     11th  12th   13th   14th  15th
//!   known            more  count  crowded  stop  heard  ready              the entrance's `valid` and `to`, and the ways, hold those before
//! ```

use super::batches::{Batches, Places};
use super::entrance::Head;
use crate::hardware;
use crate::hdl::*;
use crate::op::Op;

/// Width of an opcode.
const OP_BITS: usize = Op::BITS;

/// Requests of each port that there is room for: what one LUT RAM holds.
const PLACES: usize = 16;

/// Number of a place for a request: that of its batch without the highest bit, since there are never more than 16 batches.
type Place = Bits<4>;

hardware! {
    /// Gather: the requests of all ports to one bank, in the order in which they were accepted.
    pub module Gather = "gather" {
        /// Ports that bring a request to this bank.
        pub come: Signal<In, PortMask>,
        /// What it is.
        pub head: Lanes<Signal<In, Head>>,
        /// Its row.
        pub row: Lanes<Signal<In, RowIndex>>,
        /// Its operand.
        pub data: Lanes<Signal<In, Word>>,
        /// Its byte enables.
        pub strobe: Lanes<Signal<In, Bits<8>>>,
        /// Its tag.
        pub tag: Lanes<Signal<In, Tag>>,
        /// Suspended waits are over and want to be answered: every other request waits.
        pub pending: InControlReg<Bit>,
        /// Nothing is to be given to the pipeline in this cycle.
        pub stall: Signal<In, Bit>,

        /// Many batches wait.
        pub crowded: Signal<Out, Bit>,
        /// A request goes to the pipeline.
        pub valid: OutControlReg<Bit>,
        /// Port that it comes from.
        pub port: OutReg<PortNumber>,
        /// Opcode.
        pub op: OutReg<OpCode, OpView>,
        /// It comes from another CTA.
        pub remote: OutReg<Bit>,
        /// Its address is no multiple of 8.
        pub misaligned: OutReg<Bit>,
        /// Its address is outside of the memory.
        pub outside: OutReg<Bit>,
        /// Its row.
        pub line: OutReg<RowIndex>,
        /// Its operand.
        pub content: OutReg<Word>,
        /// Its byte enables.
        pub enables: OutReg<Bits<8>>,
        /// Its tag.
        pub name: OutReg<Tag>,

        /// Number of ports.
        pub(crate) ports: usize,
        /// Whose turn it is.
        pub(crate) batches: Batches,
        /// Nothing is given in this cycle.
        pub(crate) pause: ControlReg<Bit>,
        /// That was so for the sake of suspended waits.
        pub(crate) gave_way: ControlReg<Bit>,
        /// What has been brought in the cycle before.
        pub(crate) brought_head: Lanes<Reg<Head>>,
        /// Its row.
        pub(crate) brought_row: Lanes<Reg<RowIndex>>,
        /// Its operand.
        pub(crate) brought_data: Lanes<Reg<Word>>,
        /// Its byte enables.
        pub(crate) brought_strobe: Lanes<Reg<Bits<8>>>,
        /// Its tag.
        pub(crate) brought_tag: Lanes<Reg<Tag>>,
        /// Where each port's memories are written and read.
        pub(crate) places: Lanes<Places>,
        /// What the requests are.
        pub(crate) heads: Lanes<LutRam<Head, Place>>,
        /// Their rows.
        pub(crate) rows: Lanes<LutRam<RowIndex, Place>>,
        /// Their operands.
        pub(crate) contents: Lanes<LutRam<Word, Place>>,
        /// Their byte enables.
        pub(crate) strobes: Lanes<LutRam<Bits<8>, Place>>,
        /// Their tags.
        pub(crate) tags: Lanes<LutRam<Tag, Place>>,

        /// What has been read of each port's: what the request is.
        pub(crate) read_head: Lanes<Reg<Head>>,
        /// Its row.
        pub(crate) read_row: Lanes<Reg<RowIndex>>,
        /// Its operand.
        pub(crate) read_data: Lanes<Reg<Word>>,
        /// Its byte enables.
        pub(crate) read_strobe: Lanes<Reg<Bits<8>>>,
        /// Its tag.
        pub(crate) read_tag: Lanes<Reg<Tag>>,

        /// What it is.
        pub(crate) chosen: Signal<Local, Head>,
    }
    processes { Crowd, Address, Take, Choose }
}

impl Process<Crowd> for Gather {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.crowded.next = self.batches.crowded.q.val();
        self.batches.come.next = bit_cast::<8, PORTS>(self.come.val());
        self.batches.pause.next = self.pause.q.val();
        self.pause.d.next = self.stall.val() | (self.pending.q.val() & !self.gave_way.q.val());
        self.gave_way.d.next = self.pending.q.val() & !self.gave_way.q.val();
    }
}

impl Process<Address> for Gather {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for p in 0..self.ports {
            self.places[p].pushed.next = self.batches.pushed.q.val();
            self.places[p].ended.next = self.batches.ended.q.val();
            self.heads[p].read_address.next = self.places[p].at.q.val().get_bits::<4>(0);
            self.rows[p].read_address.next = self.places[p].at.q.val().get_bits::<4>(0);
            self.contents[p].read_address.next = self.places[p].at.q.val().get_bits::<4>(0);
            self.strobes[p].read_address.next = self.places[p].at.q.val().get_bits::<4>(0);
            self.tags[p].read_address.next = self.places[p].at.q.val().get_bits::<4>(0);
        }
    }
}

impl Process<Take> for Gather {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        // kept if nobody comes: banks whose registers always did the same would be given one for all by synthesis
        for p in 0..self.ports {
            self.brought_head[p].d.next = self.brought_head[p].q.val();
            self.brought_row[p].d.next = self.brought_row[p].q.val();
            self.brought_data[p].d.next = self.brought_data[p].q.val();
            self.brought_strobe[p].d.next = self.brought_strobe[p].q.val();
            self.brought_tag[p].d.next = self.brought_tag[p].q.val();
            if self.come.val().get_bit(p) {
                self.brought_head[p].d.next = self.head[p].val();
                self.brought_row[p].d.next = self.row[p].val();
                self.brought_data[p].d.next = self.data[p].val();
                self.brought_strobe[p].d.next = self.strobe[p].val();
                self.brought_tag[p].d.next = self.tag[p].val();
            }
            self.heads[p].write_enable.next = self.batches.came.q.val().get_bit(p);
            self.heads[p].write_address.next = self.places[p].tail.q.val().get_bits::<4>(0);
            self.heads[p].write_data.next = self.brought_head[p].q.val();
            self.rows[p].write_enable.next = self.batches.came.q.val().get_bit(p);
            self.rows[p].write_address.next = self.places[p].tail.q.val().get_bits::<4>(0);
            self.rows[p].write_data.next = self.brought_row[p].q.val();
            self.contents[p].write_enable.next = self.batches.came.q.val().get_bit(p);
            self.contents[p].write_address.next = self.places[p].tail.q.val().get_bits::<4>(0);
            self.contents[p].write_data.next = self.brought_data[p].q.val();
            self.strobes[p].write_enable.next = self.batches.came.q.val().get_bit(p);
            self.strobes[p].write_address.next = self.places[p].tail.q.val().get_bits::<4>(0);
            self.strobes[p].write_data.next = self.brought_strobe[p].q.val();
            self.tags[p].write_enable.next = self.batches.came.q.val().get_bit(p);
            self.tags[p].write_address.next = self.places[p].tail.q.val().get_bits::<4>(0);
            self.tags[p].write_data.next = self.brought_tag[p].q.val();
            self.read_head[p].d.next = self.heads[p].read_data.val();
            self.read_row[p].d.next = self.rows[p].read_data.val();
            self.read_data[p].d.next = self.contents[p].read_data.val();
            self.read_strobe[p].d.next = self.strobes[p].read_data.val();
            self.read_tag[p].d.next = self.tags[p].read_data.val();
        }
    }
}

impl Process<Choose> for Gather {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.valid.d.next = self.batches.turn.q.val().any();
        self.chosen.next = 0.into();
        self.line.d.next = 0.into();
        self.content.d.next = 0.into();
        self.enables.d.next = 0.into();
        self.name.d.next = 0.into();
        self.port.d.next = 0.into();
        // one port at most: OR-ing is a multiplexer without priority
        for p in 0..self.ports {
            if self.batches.turn.q.val().get_bit(p) {
                self.chosen.next = self.chosen.val() | self.read_head[p].q.val();
                self.line.d.next = self.line.d.val() | self.read_row[p].q.val();
                self.content.d.next = self.content.d.val() | self.read_data[p].q.val();
                self.enables.d.next = self.enables.d.val() | self.read_strobe[p].q.val();
                self.name.d.next = self.name.d.val() | self.read_tag[p].q.val();
                self.port.d.next = self.port.d.val() | p.to_bits();
            }
        }
        self.op.d.next = self.chosen.val().get_bits::<OP_BITS>(0);
        self.remote.d.next = self.chosen.val().get_bit(5);
        self.misaligned.d.next = self.chosen.val().get_bit(6);
        self.outside.d.next = self.chosen.val().get_bit(7);
    }
}

impl Gather {
    /// What gathers the requests of so many ports.
    pub fn new(ports: usize) -> Self {
        Self {
            head: Lanes::new(ports),
            row: Lanes::new(ports),
            data: Lanes::new(ports),
            strobe: Lanes::new(ports),
            tag: Lanes::new(ports),
            ports,
            read_head: Lanes::new(ports),
            read_row: Lanes::new(ports),
            read_data: Lanes::new(ports),
            read_strobe: Lanes::new(ports),
            read_tag: Lanes::new(ports),
            batches: Batches::empty(),
            brought_head: Lanes::new(ports),
            brought_row: Lanes::new(ports),
            brought_data: Lanes::new(ports),
            brought_strobe: Lanes::new(ports),
            brought_tag: Lanes::new(ports),
            places: Lanes::of(ports, Places::default),
            heads: Lanes::of(ports, || LutRam::new(PLACES)),
            rows: Lanes::of(ports, || LutRam::new(PLACES)),
            contents: Lanes::of(ports, || LutRam::new(PLACES)),
            strobes: Lanes::of(ports, || LutRam::new(PLACES)),
            tags: Lanes::of(ports, || LutRam::new(PLACES)),
            ..Self::default()
        }
    }

    /// Settles whether many batches wait, and whose turn it is, once the inputs are driven.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Crowd>::update(self);
        self.batches.settle();
        Process::<Address>::update(self);
        for p in 0..self.ports {
            self.places[p].settle();
            self.heads[p].read();
            self.rows[p].read();
            self.contents[p].read();
            self.strobes[p].read();
            self.tags[p].read();
        }
        Process::<Take>::update(self);
        Process::<Choose>::update(self);
    }
}
