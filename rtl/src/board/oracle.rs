//! Oracle: predicts the result of one operation on one word, for the self-test.
//!
//! **What.** An independent implementation of the rules of `testbench/vectors/README.md` in natural numbers: the counts are extracted from
//! the word as the manual defines them, compared, subtracted, and written back. It shares only the table of operations and the names of
//! fields with the unit's ALU, which adds to negative fields and examines carries.
//!
//! ```text
//!   word ─► pending, expected, tx + 2^20 - 1 ─► fewer than the operation takes? ─► status
//!                                            └► less what it takes ─► nothing left? ─► next word
//! ```
//! All of it is combinational. It takes four carry chains one after the other, which is slow; a board's clock is slower.
//!
//! **tx-counts** go from -(2^20 - 1) to 2^20: that many values are just what 21 bits hold, so with 2^20 - 1 added they are
//! natural numbers, and both limits are those of 21 bits.

use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;
use crate::word::op::sets::{self, OpSet, any_of};
use crate::word::status::Status;
use crate::word::{self, COUNT_BITS, COUNT_MAX, TX_BITS};

/// Width of a tx-count with a carry.
const WIDE_BITS: usize = TX_BITS + 1;
/// Bits of a 32-bit operand above those of a count.
const EXCESS_BITS: usize = 32 - COUNT_BITS;

hardware! {
    /// Oracle: predicts the result of one operation on one word.
    pub module Oracle = "oracle" {
        /// Opcode.
        pub op: Signal<In, OpCode, OpView>,
        /// Request treated as another CTA's.
        pub remote: Signal<In, Bit>,
        /// Address not a multiple of 8.
        pub misaligned: Signal<In, Bit>,
        /// Address outside the memory.
        pub outside: Signal<In, Bit>,
        /// Operand, token, or the data of a store.
        pub data: Signal<In, Word>,
        /// Byte enables of a store.
        pub strobe: Signal<In, Bits<8>>,
        /// Word before the operation.
        pub word: Signal<In, Word, WordView>,

        /// Status.
        pub status: Signal<Out, StatusCode, StatusView>,
        /// Predicate.
        pub predicate: Signal<Out, Bit>,
        /// Data of the answer, if the status is ok.
        pub answer: Signal<Out, Word>,
        /// Posted: no answer.
        pub posted: Signal<Out, Bit>,
        /// Word after the operation.
        pub after: Signal<Out, Word, WordView>,

        /// Bytes of a word.
        pub bytes: usize = 8,
        /// Pending arrivals.
        pub pending: Signal<Local, Count>,
        /// Expected arrivals.
        pub expected: Signal<Local, Count>,
        /// Tx-count, offset by 2^20 - 1.
        pub tx: Signal<Local, TxCount>,
        /// The operand.
        pub amount: Signal<Local, Count>,
        /// The operand is out of range.
        pub excess: Signal<Local, Bit>,
        /// Arrivals.
        pub arrivals: Signal<Local, Count>,
        /// Arrivals that are taken from the expected count, too.
        pub drops: Signal<Local, Count>,
        /// Bytes expected or completed.
        pub moved: Signal<Local, Count>,
        /// Tx-count after the operation, with a carry.
        pub tx_after: Signal<Local, Bits<WIDE_BITS>>,
        /// Pending arrivals after the operation.
        pub pending_after: Signal<Local, Count>,
        /// Expected arrivals after the operation.
        pub expected_after: Signal<Local, Count>,
        /// The operation expects bytes.
        pub expects: Signal<Local, Bit>,
        /// The operation completes bytes.
        pub completes: Signal<Local, Bit>,
        /// The operation changes counts.
        pub moves: Signal<Local, Bit>,
        /// Phase after the operation.
        pub phase: Signal<Local, Bit>,
        /// `pending_after`, as stored.
        pub pending_field: Signal<Local, Count>,
        /// `expected_after`, as stored.
        pub expected_field: Signal<Local, Count>,
        /// `tx_after`, as stored.
        pub tx_field: Signal<Local, TxCount>,
        /// `amount`, as stored.
        pub amount_field: Signal<Local, Count>,
        /// Phase that a wait tests for completion.
        pub awaited: Signal<Local, Bit>,
        /// Bits that a store writes.
        pub written: Signal<Local, Word>,
        /// The fault is one of the word or the operand.
        pub taints: Signal<Local, Bit>,
    }
    constants {
        /// First undefined opcode.
        ILLEGAL: OpCode = Bits::constant(Op::ALL.len() as u64);
        /// Operations that another CTA may request.
        FAR: OpSet = sets::REMOTE;
        /// Operations whose operand is a count.
        BOUNDED: OpSet = sets::BOUNDED;
        /// Arrivals with a count.
        COUNTED: OpSet = sets::COUNTED;
        /// Single arrivals.
        SINGLE: OpSet = sets::SINGLE;
        /// Arrivals that are taken from the expected count, too.
        LEAVING: OpSet = sets::DROPPING;
        /// Operations that expect bytes.
        EXPECTING: OpSet = any_of(&[sets::EXPECTING, sets::EXPECTING_ONE]);
        /// Operations that complete bytes.
        COMPLETING: OpSet = any_of(&[sets::COMPLETING, sets::COMPLETING_ONE]);
        /// Expecting or completing operations of one byte.
        UNIT: OpSet = any_of(&[sets::EXPECTING_ONE, sets::COMPLETING_ONE]);
        /// Operations that change counts.
        MOVING: OpSet = sets::UPDATING;
        /// Waits.
        WAITING: OpSet = sets::WAITING;
        /// Waits for a parity.
        PARITY: OpSet = sets::PARITY;
        /// Operations that return a token.
        TOKEN: OpSet = sets::TOKEN;
        /// Posted operations: no answer.
        SILENT: OpSet = sets::POSTED;
        /// Tx-count of zero, offset.
        NO_BYTES: TxCount = Bits::constant(COUNT_MAX as u64);
        /// Mask of a token's bits.
        UPPER: Word = Bits::constant(0xffff_ffff << 32);
        /// The sticky fault bit.
        FAULT: Word = Bits::constant(word::FAULT.mask());
        /// Mask of the unused bit.
        UNUSED: Word = Bits::constant(word::UNUSED.mask());
    }
    processes { Read, Reckon, Judge, Conclude }
    /// An oracle of words.
    built by pub fn of_words() {}
}

#[processes]
impl Oracle {
    #[inline]
    fn read(&mut self) {
        self.pending.next = bits::<COUNT_BITS>(0) - self.word.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
        self.expected.next = bits::<COUNT_BITS>(0) - self.word.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb);
        self.tx.next = NO_BYTES - self.word.val().get_bits::<TX_BITS>(word::TX.lsb);
        self.amount.next = self.data.val().get_bits::<COUNT_BITS>(0);
        self.excess.next =
            BOUNDED.get_bit(self.op.val().index()) & self.data.val().get_bits::<EXCESS_BITS>(word::COUNT_BITS).any();
    }

    #[inline]
    fn reckon(&mut self) {
        self.moves.next = MOVING.get_bit(self.op.val().index());
        self.expects.next = EXPECTING.get_bit(self.op.val().index());
        self.completes.next = COMPLETING.get_bit(self.op.val().index());
        self.arrivals.next = 0.into();
        if COUNTED.get_bit(self.op.val().index()) {
            self.arrivals.next = self.amount.val();
        }
        if SINGLE.get_bit(self.op.val().index()) {
            self.arrivals.next = 1.into();
        }
        self.drops.next = 0.into();
        if LEAVING.get_bit(self.op.val().index()) {
            self.drops.next = self.arrivals.val();
        }
        self.moved.next = self.amount.val();
        if UNIT.get_bit(self.op.val().index()) {
            self.moved.next = 1.into();
        }
        self.pending_after.next = self.pending.val() - self.arrivals.val();
        self.expected_after.next = self.expected.val() - self.drops.val();
        self.tx_after.next = bit_cast::<WIDE_BITS, TX_BITS>(self.tx.val());
        if self.expects.val() {
            self.tx_after.next =
                bit_cast::<WIDE_BITS, TX_BITS>(self.tx.val()) + bit_cast::<WIDE_BITS, COUNT_BITS>(self.moved.val());
        }
        if self.completes.val() {
            self.tx_after.next =
                bit_cast::<WIDE_BITS, TX_BITS>(self.tx.val()) - bit_cast::<WIDE_BITS, COUNT_BITS>(self.moved.val());
        }
    }

    #[inline]
    fn judge(&mut self) {
        // in reverse order of precedence: the last cause found is the one reported
        self.status.next = Status::Ok.into();
        self.taints.next = SILENT.get_bit(self.op.val().index());
        if self.moves.val() & self.tx_after.val().get_bit(word::TX_BITS) {
            self.status.next = Status::TxRange.into();
        }
        if self.expected.val() < self.drops.val() {
            self.status.next = Status::ExpectedUnderflow.into();
        }
        if self.pending.val() < self.arrivals.val() {
            self.status.next = Status::PendingUnderflow.into();
        }
        if (self.moves.val() | WAITING.get_bit(self.op.val().index())) & self.word.val().get_bit(word::FAULT.lsb) {
            self.status.next = Status::FaultedWord.into();
        }
        if self.excess.val() {
            self.status.next = Status::OperandRange.into();
        }
        if self.op.val() != Op::PendingCount {
            if self.outside.val() {
                self.status.next = Status::OutOfRange.into();
                self.taints.next = false;
            }
            if self.misaligned.val() {
                self.status.next = Status::Misaligned.into();
                self.taints.next = false;
            }
        }
        if self.remote.val() & !FAR.get_bit(self.op.val().index()) {
            self.status.next = Status::RemoteUnsupported.into();
            self.taints.next = false;
        }
        if self.op.val() >= ILLEGAL {
            self.status.next = Status::IllegalOperation.into();
        }
        if self.status.val() == Status::Ok {
            self.taints.next = false;
        }
        self.posted.next = SILENT.get_bit(self.op.val().index());
    }

    #[inline]
    fn conclude(&mut self) {
        // word after the operation, from natural numbers
        self.phase.next = self.word.val().get_bit(word::PHASE.lsb);
        self.pending_field.next = bits::<COUNT_BITS>(0) - self.pending_after.val();
        self.expected_field.next = bits::<COUNT_BITS>(0) - self.expected_after.val();
        self.tx_field.next = NO_BYTES - self.tx_after.val().get_bits::<TX_BITS>(0);
        if !self.pending_after.val().any() & (self.tx_after.val().get_bits::<TX_BITS>(0) == NO_BYTES) {
            self.phase.next = !self.word.val().get_bit(word::PHASE.lsb);
            self.pending_field.next = self.expected_field.val();
        }
        self.amount_field.next = bits::<COUNT_BITS>(0) - self.amount.val();
        self.written.next = 0.into();
        for b in 0..self.bytes {
            if self.strobe.val().get_bit(b) {
                self.written.next = self.written.val() | (bits::<64>(0xff) << (b * 8));
            }
        }
        self.after.next = self.word.val();
        if self.taints.val() {
            self.after.next = self.word.val() | FAULT;
        }
        if self.status.val() == Status::Ok {
            if self.moves.val() {
                self.after.next = (bit_cast::<64, 1>(self.phase.val().into()) << word::PHASE.lsb)
                    | (bit_cast::<64, COUNT_BITS>(self.pending_field.val()) << word::PENDING.lsb)
                    | (bit_cast::<64, TX_BITS>(self.tx_field.val()) << word::TX.lsb)
                    | (bit_cast::<64, COUNT_BITS>(self.expected_field.val()) << word::EXPECTED.lsb)
                    | (self.word.val() & UNUSED);
            }
            if self.op.val() == Op::Init {
                self.after.next = (bit_cast::<64, COUNT_BITS>(self.amount_field.val()) << word::PENDING.lsb)
                    | (bit_cast::<64, COUNT_BITS>(self.amount_field.val()) << word::EXPECTED.lsb);
            }
            if self.op.val() == Op::Store {
                self.after.next = (self.word.val() & !self.written.val()) | (self.data.val() & self.written.val());
            }
        }

        // the answer
        self.awaited.next = self.data.val().get_bit(word::PHASE.lsb);
        if PARITY.get_bit(self.op.val().index()) {
            self.awaited.next = self.data.val().get_bit(0);
        }
        self.predicate.next = (self.status.val() == Status::Ok)
            & WAITING.get_bit(self.op.val().index())
            & (self.word.val().get_bit(word::PHASE.lsb) != self.awaited.val());
        self.answer.next = 0.into();
        if TOKEN.get_bit(self.op.val().index()) & !self.remote.val() {
            self.answer.next = self.word.val() & UPPER;
        }
        if self.op.val() == Op::Load {
            self.answer.next = self.word.val();
        }
        if self.op.val() == Op::PendingCount {
            // for a token with nothing pending, the H200 returns 2^20
            self.answer.next = bit_cast::<64, WIDE_BITS>(
                bits::<WIDE_BITS>(0x10_0000)
                    - bit_cast::<WIDE_BITS, COUNT_BITS>(self.data.val().get_bits::<COUNT_BITS>(word::PENDING.lsb)),
            );
        }
    }
}
