//! Ring: ring buffer of the requests that are accepted and not yet committed.
//!
//! **What.** Requests enter at `tail` and are read at `next`, one a cycle. A request stays in its entry until it is
//! committed, so that it can be read again: after a mis-speculation (`surprise`) `next` goes back to the first request that
//! is to be replayed.
//!
//! ```text
//!   cycle        0      1      2      3      4
//!   push         A
//!   next                       A
//!   early_index                       of A
//!   valid                                    A     it is in p0
//!   surprise     1
//!   next                back
//!   valid               0      0      1            the first that is replayed
//! ```
//! Entries are numbered by an LFSR (31 of the 32 numbers: all ones is never used): the next number takes one level of logic, and
//! no carry.
//!
//! Whether there is something to read is known from the places of a cycle ago, what has come since and what has gone: one
//! level of logic.

use super::kind::Kind;
use super::{ENTRIES, PositionBits};
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Ring: ring buffer of the requests that are accepted and not yet committed.
    pub module Ring = "ring" {
        /// Write enable: request valid.
        pub push: Signal<In, Bit>,
        /// Decoded request.
        pub push_kind: Signal<In, Kind>,
        /// Byte enables.
        pub push_mask: Signal<In, Bits<8>>,
        /// Request data.
        pub push_data: Signal<In, Word>,
        /// Operand, negated.
        pub push_negative: Signal<In, TxCount>,
        /// Word index.
        pub push_index: Signal<In, WordIndex>,
        /// Tag.
        pub push_tag: Signal<In, Tag>,
        /// Mis-speculation: requests in flight are flushed and replayed.
        pub surprise: Signal<In, Bit>,
        /// Index of the first request to replay.
        pub again: Signal<In, PositionBits>,

        /// Request in p0 valid (p0, as all that follows).
        pub valid: OutControlReg<Bit>,
        /// Index of the request in the ring.
        pub position: OutReg<PositionBits>,
        /// Decoded request.
        pub kind: Signal<Out, Kind>,
        /// Byte enables.
        pub mask: Signal<Out, Bits<8>>,
        /// Request data.
        pub data: Signal<Out, Word>,
        /// Operand, negated.
        pub negative: Signal<Out, TxCount>,
        /// Word index.
        pub index: OutReg<WordIndex>,
        /// Word index, one cycle early.
        pub early_index: OutReg<WordIndex>,
        /// Tag.
        pub tag: Signal<Out, Tag>,

        /// Write index.
        pub tail: ControlReg<PositionBits>,
        /// Read index.
        pub next: ControlReg<PositionBits>,
        /// Decoded requests.
        pub kinds: QueueRam<Kind, PositionBits> = QueueRam::new(ENTRIES),
        /// Byte enables.
        pub masks: QueueRam<Bits<8>, PositionBits> = QueueRam::new(ENTRIES),
        /// Request data.
        pub contents: QueueRam<Word, PositionBits> = QueueRam::new(ENTRIES),
        /// Operands, negated.
        pub negatives: QueueRam<TxCount, PositionBits> = QueueRam::new(ENTRIES),
        /// Word indices.
        pub early: LutRam<WordIndex, PositionBits> = LutRam::new(ENTRIES),
        /// `next`, inverted: the read address of the memories, separate from the register that selects the next index, for fan-out.
        pub mirror: Reg<PositionBits>,
        /// Word index being written.
        pub entering: Reg<WordIndex>,
        /// Write index of `entering`.
        pub written: Reg<PositionBits>,
        /// Tags.
        pub tags: QueueRam<Tag, PositionBits> = QueueRam::new(ENTRIES),

        /// Index after the last readable request.
        pub limit: ControlReg<PositionBits>,
        /// Index of the last readable request.
        pub youngest: ControlReg<PositionBits>,
        /// A request is being written.
        pub arrived: ControlReg<Bit>,
        /// A request was readable a cycle ago, or has become readable since.
        pub some: ControlReg<Bit>,
        /// The last readable request was read, and none has become readable since.
        pub spent: ControlReg<Bit>,

        /// A request was read and enters p0 after the next cycle.
        pub coming: ControlReg<Bit>,
        /// Index of that request.
        pub place: Reg<PositionBits>,

        /// Successor of `tail`.
        pub after_tail: Signal<Local, PositionBits>,
        /// Successor of `next`.
        pub after_next: Signal<Local, PositionBits>,
        /// Read enable.
        pub goes: Signal<Local, Bit>,
    }
    processes { Show, Address, Step }
    /// A ring without requests.
    built by pub fn empty() {}
}

#[processes]
impl Ring {
    fn show(&mut self) {
        self.kind.next = self.kinds.read_data.val();
        self.mask.next = self.masks.read_data.val();
        self.data.next = self.contents.read_data.val();
        self.negative.next = self.negatives.read_data.val();
        self.tag.next = self.tags.read_data.val();
    }

    fn address(&mut self) {
        self.early.read_address.next = self.next.q.val();
    }

    fn step(&mut self) {
        self.after_tail.next = (bit_cast::<5, 4>(self.tail.q.val().get_bits::<4>(0)) << 1)
            | bit_cast::<5, 1>((self.tail.q.val().get_bit(2) == self.tail.q.val().get_bit(4)).into());
        self.after_next.next = (bit_cast::<5, 4>(self.next.q.val().get_bits::<4>(0)) << 1)
            | bit_cast::<5, 1>((self.next.q.val().get_bit(2) == self.next.q.val().get_bit(4)).into());
        if self.push.val() {
            self.tail.d.next = self.after_tail.val();
        }
        self.arrived.d.next = self.push.val();
        self.limit.d.next = self.tail.q.val();
        if self.arrived.q.val() {
            self.youngest.d.next = self.limit.q.val();
        }
        // readable a cycle ago, plus newly written, minus read. After a mis-speculation this is the state of a later index: if anything was
        // readable there, more is now
        self.goes.next = self.some.q.val() & !self.spent.q.val();
        self.some.d.next = self.next.q.val() != self.tail.q.val();
        self.spent.d.next = !self.arrived.q.val() & self.goes.val() & (self.next.q.val() == self.youngest.q.val());
        if self.goes.val() {
            self.next.d.next = self.after_next.val();
        }
        if self.surprise.val() {
            self.next.d.next = self.again.val();
        }
        self.coming.d.next = self.goes.val() & !self.surprise.val();
        self.place.d.next = self.next.q.val();
        self.valid.d.next = self.coming.q.val() & !self.surprise.val();
        self.position.d.next = self.place.q.val();

        // word indices are needed a cycle earlier; so they are written from a register, without a bypass
        self.early.write_enable.next = self.arrived.q.val();
        self.early.write_address.next = self.written.q.val();
        self.early.write_data.next = self.entering.q.val();
        self.written.d.next = self.tail.q.val();
        self.mirror.d.next = !self.next.d.val();
        self.entering.d.next = self.push_index.val();
        self.early_index.d.next = self.early.read_data.val();
        self.index.d.next = self.early_index.q.val();

        self.kinds.read_address.next = self.mirror.q.val();
        self.kinds.write_enable.next = self.push.val();
        self.kinds.write_address.next = !self.tail.q.val();
        self.kinds.write_data.next = self.push_kind.val();
        self.masks.read_address.next = self.mirror.q.val();
        self.masks.write_enable.next = self.push.val();
        self.masks.write_address.next = !self.tail.q.val();
        self.masks.write_data.next = self.push_mask.val();
        self.contents.read_address.next = self.mirror.q.val();
        self.contents.write_enable.next = self.push.val();
        self.contents.write_address.next = !self.tail.q.val();
        self.contents.write_data.next = self.push_data.val();
        self.negatives.read_address.next = self.mirror.q.val();
        self.negatives.write_enable.next = self.push.val();
        self.negatives.write_address.next = !self.tail.q.val();
        self.negatives.write_data.next = self.push_negative.val();
        self.tags.read_address.next = self.mirror.q.val();
        self.tags.write_enable.next = self.push.val();
        self.tags.write_address.next = !self.tail.q.val();
        self.tags.write_data.next = self.push_tag.val();
    }
}
