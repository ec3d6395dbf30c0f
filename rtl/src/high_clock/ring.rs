//! Ring: a ring buffer of the requests that have been accepted and are not yet committed.
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
    /// Ring: the requests that have been accepted and are not yet done for good.
    pub module Ring = "ring" {
        /// A request enters.
        pub push: Signal<In, Bit>,
        /// What it is.
        pub push_kind: Signal<In, Kind>,
        /// Bytes of the word that it stores.
        pub push_mask: Signal<In, Bits<8>>,
        /// Its data.
        pub push_data: Signal<In, Word>,
        /// Its operand, negated.
        pub push_negative: Signal<In, TxCount>,
        /// Number of its word.
        pub push_index: Signal<In, WordIndex>,
        /// Its tag.
        pub push_tag: Signal<In, Tag>,
        /// What is under way is to be done anew.
        pub surprise: Signal<In, Bit>,
        /// From here on.
        pub again: Signal<In, PositionBits>,

        /// A request is in p0 (as all that follows).
        pub valid: OutControlReg<Bit>,
        /// Its place in the ring.
        pub position: OutReg<PositionBits>,
        /// What it is.
        pub kind: Signal<Out, Kind>,
        /// Bytes of the word that it stores.
        pub mask: Signal<Out, Bits<8>>,
        /// Its data.
        pub data: Signal<Out, Word>,
        /// Its operand, negated.
        pub negative: Signal<Out, TxCount>,
        /// Number of its word.
        pub index: OutReg<WordIndex>,
        /// The same a cycle before.
        pub early_index: OutReg<WordIndex>,
        /// Its tag.
        pub tag: Signal<Out, Tag>,

        /// Place of the next request to enter.
        pub tail: ControlReg<PositionBits>,
        /// Place of the next request to be read.
        pub next: ControlReg<PositionBits>,
        /// What they are.
        pub kinds: QueueRam<Kind, PositionBits> = QueueRam::new(ENTRIES),
        /// Bytes that they store.
        pub masks: QueueRam<Bits<8>, PositionBits> = QueueRam::new(ENTRIES),
        /// Their data.
        pub contents: QueueRam<Word, PositionBits> = QueueRam::new(ENTRIES),
        /// Their operands, negated.
        pub negatives: QueueRam<TxCount, PositionBits> = QueueRam::new(ENTRIES),
        /// Numbers of their words.
        pub early: LutRam<WordIndex, PositionBits> = LutRam::new(ENTRIES),
        /// `next`, inverted: the address of all the memories, so that no register drives these and what chooses the next
        /// place, too.
        pub mirror: Reg<PositionBits>,
        /// What is being written there.
        pub entering: Reg<WordIndex>,
        /// And where.
        pub written: Reg<PositionBits>,
        /// Their tags.
        pub tags: QueueRam<Tag, PositionBits> = QueueRam::new(ENTRIES),

        /// The place behind the last request that can be read.
        pub limit: ControlReg<PositionBits>,
        /// The place of that request.
        pub youngest: ControlReg<PositionBits>,
        /// A request is being written.
        pub arrived: ControlReg<Bit>,
        /// Something was there to be read a cycle ago, or can be since.
        pub some: ControlReg<Bit>,
        /// There was one request, which has been read, and none has come since.
        pub spent: ControlReg<Bit>,

        /// What is read will be in p0 after the next cycle.
        pub coming: ControlReg<Bit>,
        /// Its place.
        pub place: Reg<PositionBits>,

        /// The place after `tail`.
        pub after_tail: Signal<Local, PositionBits>,
        /// The place after `next`.
        pub after_next: Signal<Local, PositionBits>,
        /// A request is read.
        pub goes: Signal<Local, Bit>,
    }
    processes { Show, Address, Step }
    /// A ring, empty.
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
        // what there was a cycle ago, what has come since, and what has gone. After a surprise this is what was known of a later
        // place: if anything was there, more is now
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

        // the numbers of the words are wanted a cycle earlier; so they are written from a register, and read past none
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
