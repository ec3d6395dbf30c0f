//! Decode: translates a request into three deltas on one word. One per port.
//!
//! **What.** Whatever the operation, the ALU only ever adds: `arrivals` to the pending field, the same to the expected
//! field if the arrivals are drops, `tx` to the tx field (all three are stored negative, so an arrival is an addition).
//! A few bits say the rest: may the operation complete the phase (`updates`)? is it posted? which bits does
//! it overwrite (`replace` and `insert`: stores and `init`)? what does the answer carry?
//!
//! ```text
//!   cycle   c0            c1 decode                                      c2 (bank and lane read)
//!           request ────► checks ──────► refusal ───► go? ─────────────► updates, replace/insert, answer ...
//!           (registered)  operand, -operand ──► select by class ───────► arrivals, tx and their negatives
//! ```
//! The deltas do not wait for the checks: a refused request has deltas, too, but neither `arrives` nor `updates`, and only requests with
//! one of these count.
//!
//! **Checks.** Faults that do not depend on the word are found here, in the order of `Status::PRECEDENCE`; those that do are found by
//! the ALU.
//!
//! **Warps.** A request of a warp port is done for several lanes at once. A count is the sum of theirs; how many they are is in
//! the data, above the count: this many arrivals, or bytes of `cp.async.mbarrier.arrive`, where a single thread has one.
//!
//! **Marks.** An operation sets the fault bit of the word if it faults and there is no thread to trap: a posted operation, or one from
//! another CTA. On an H200 an operation from another CTA that faults does not trap; the next one of the word's own CTA
//! does (`testbench/silicon/h200_other_cta.csv`). Here the other CTA also gets the status in its answer.

use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;
use crate::word::op::sets::{self, OpSet};
use crate::word::status::Status;
use crate::word::{self, COUNT_BITS, TX_BITS};

/// Bits of a 32-bit operand above those of a count.
const EXCESS_BITS: usize = 32 - COUNT_BITS;

/// Width of the number of lanes less one, in the data of a warp's request from bit 32 on: above the count, which is the sum over the lanes.
pub(crate) const LANES_BITS: usize = 5;

hardware! {
    /// Decode: translates a request into three deltas on one word.
    pub module Decode = "decode" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Opcode.
        pub op: InStageReg<OpCode, OpView>,
        /// Request of another CTA.
        pub remote: InStageReg<Bit>,
        /// Address not a multiple of 8.
        pub misaligned: InStageReg<Bit>,
        /// Address outside the memory.
        pub outside: InStageReg<Bit>,
        /// Operand: a count, a parity, a token or the data of a store.
        pub data: InStageReg<Word>,
        /// Byte enables of a store.
        pub strobe: InStageReg<Bits<8>>,

        /// The request in c1 writes its word.
        pub writes: Signal<Out, Bit>,

        /// Status of a refusal that does not depend on the word; `ok` if there is none (from here on: in c2).
        pub refusal: OutStageReg<StatusCode, StatusView>,
        /// Arrivals to take from the pending count, as an addend.
        pub arrivals: OutStageReg<Count>,
        /// `arrivals`, negated: the pending field that these arrivals bring to zero.
        pub arrivals_negative: OutStageReg<Count>,
        /// `arrivals` is not zero.
        pub arrives: OutStageReg<Bit>,
        /// The arrivals are subtracted from the expected count, too.
        pub leaves: OutStageReg<Bit>,
        /// What to add to the tx field: -n to expect n bytes, +n to complete them.
        pub tx: OutStageReg<TxCount>,
        /// `tx`, negated: the tx field that this addend brings to zero.
        pub tx_negative: OutStageReg<TxCount>,
        /// The operation expects bytes.
        pub expects: OutStageReg<Bit>,
        /// The operation completes bytes.
        pub completes: OutStageReg<Bit>,
        /// The operation changes counts and may complete the phase.
        pub updates: OutStageReg<Bit>,
        /// Posted operation: no answer.
        pub posted: OutStageReg<Bit>,
        /// A fault sets the sticky bit of the word: the operation is posted, or another CTA's.
        pub marks: OutStageReg<Bit>,
        /// Bits of the word to replace.
        pub replace: Signal<Out, Word>,
        /// New value of the bits to replace.
        pub insert: Signal<Out, Word>,
        /// The answer is a predicate.
        pub waits: OutStageReg<Bit>,
        /// Phase that the wait tests for completion.
        pub wait_phase: OutStageReg<Bit>,
        /// The answer carries the upper half of the old word.
        pub reveal_upper: OutStageReg<Bit>,
        /// The answer carries the lower half of the old word.
        pub reveal_lower: OutStageReg<Bit>,

        /// The request in c2 is a store.
        pub stores: StageReg<Bit>,
        /// The request in c2 is an init.
        pub inits: StageReg<Bit>,
        /// The request in c2 is `pending_count`.
        pub counts: StageReg<Bit>,
        /// The request is refused for its operand and sets the word's fault bit.
        pub taints: StageReg<Bit>,
        /// Operand, negated; of `pending_count`, the token's pending field.
        pub amount_negative: StageReg<Count>,
        /// The token's pending field is not zero.
        pub amount_any: StageReg<Bit>,
        /// Request data.
        pub content: StageReg<Word>,
        /// Byte enables.
        pub enables: StageReg<Bits<8>>,

        /// The operand's low 20 bits.
        pub operand: Signal<Local, Count>,
        /// `operand`, negated.
        pub operand_negative: Signal<Local, Count>,
        /// The operand as an addend to the tx field.
        pub tx_amount: Signal<Local, TxCount>,
        /// `tx_amount`, negated.
        pub tx_amount_negative: Signal<Local, TxCount>,
        /// The operand is above 2^20 - 1.
        pub oversized: Signal<Local, Bit>,
        /// Status of the refusal.
        pub cause: Signal<Local, StatusCode, StatusView>,
        /// No cause of refusal except perhaps the operand.
        pub sound: Signal<Local, Bit>,
        /// The request is not refused.
        pub go: Signal<Local, Bit>,
        /// A fault of the request sets the sticky bit of the word.
        pub marking: Signal<Local, Bit>,
        /// The request is refused for its operand and sets the word's fault bit.
        pub oversized_mark: Signal<Local, Bit>,
        /// 1 if other CTAs request here, over the network.
        pub elsewhere: usize = network as usize,
        /// 1 if the port is a warp's: requests of several lanes at once.
        pub grouped: usize,
        /// 1 if requests may come from another CTA: `remote` is valid.
        pub visited: usize,
        /// The request is not refused and changes counts.
        pub moves: Signal<Local, Bit>,
        /// Bits that a store writes.
        pub written: Signal<Local, Word>,
        /// The operand is not zero.
        pub any: Signal<Local, Bit>,
        /// The token's pending field.
        pub token: Signal<Local, Count>,
        /// The operand, negated, at the position of a count field.
        pub negative: Signal<Local, Word>,
    }
    constants {
        /// Opcodes that are defined.
        KNOWN: OpSet = sets::KNOWN;
        /// Operations that another CTA may request.
        REMOTE: OpSet = sets::REMOTE;
        /// Operations whose operand must be at most 2^20 - 1.
        BOUNDED: OpSet = sets::BOUNDED;
        /// Arrivals counted by the operand.
        COUNTED: OpSet = sets::COUNTED;
        /// Operations with exactly one arrival.
        SINGLE: OpSet = sets::SINGLE;
        /// Arrivals that are taken from the expected count, too.
        DROPPING: OpSet = sets::DROPPING;
        /// Operations that expect the operand's bytes.
        EXPECTING: OpSet = sets::EXPECTING;
        /// Operations that complete the operand's bytes.
        COMPLETING: OpSet = sets::COMPLETING;
        /// Operations that change counts.
        UPDATING: OpSet = sets::UPDATING;
        /// Operations that write the word.
        WRITING: OpSet = sets::WRITING;
        /// Posted operations: no answer.
        POSTED: OpSet = sets::POSTED;
        /// Operations that test whether a phase has completed.
        WAITING: OpSet = sets::WAITING;
        /// Operations with a parity as operand.
        PARITY: OpSet = sets::PARITY;
        /// Operations that return a state token.
        TOKEN: OpSet = sets::TOKEN;
        /// Every bit of a count field.
        ALL_COUNT_BITS: Count = Bits::constant(Count::MASK);
        /// Every bit of the tx field.
        ALL_TX_BITS: TxCount = Bits::constant(TxCount::MASK);
        /// The sticky fault bit.
        FAULT: Word = Bits::constant(word::FAULT.mask());
        /// Every bit of the word.
        ALL_BITS: Word = Bits::constant(u64::MAX);
    }
    processes { Replace, Check, Deltas, Contents }
    staged by advance
    /// A port's decoder: of the network, on which other CTAs request, or of the CTA's own threads.
    built by pub fn new(network: bool) {}
}

#[processes]
impl Decode {
    fn check(&mut self) {
        // in reverse order of precedence: the last cause found is the one reported
        self.oversized.next = self.data.q.val().get_bits::<EXCESS_BITS>(word::COUNT_BITS).any();
        self.cause.next = Status::Ok.into();
        if self.oversized.val() & BOUNDED.get_bit(self.op.q.val().index()) {
            self.cause.next = Status::OperandRange.into();
        }
        if self.outside.q.val() {
            self.cause.next = Status::OutOfRange.into();
        }
        if self.misaligned.q.val() {
            self.cause.next = Status::Misaligned.into();
        }
        if self.op.q.val() == Op::PendingCount {
            self.cause.next = Status::Ok.into(); // it has no address
        }
        if self.remote.q.val() & !REMOTE.get_bit(self.op.q.val().index()) {
            self.cause.next = Status::RemoteUnsupported.into();
        }
        if !KNOWN.get_bit(self.op.q.val().index()) {
            self.cause.next = Status::IllegalOperation.into();
        }
        // a copy of the decision for signals that cannot wait for the cause
        self.sound.next = KNOWN.get_bit(self.op.q.val().index())
            & !(self.remote.q.val() & !REMOTE.get_bit(self.op.q.val().index()))
            & (!(self.misaligned.q.val() | self.outside.q.val()) | (self.op.q.val() == Op::PendingCount));
        self.go.next = self.sound.val() & !(self.oversized.val() & BOUNDED.get_bit(self.op.q.val().index()));
        self.marking.next = POSTED.get_bit(self.op.q.val().index());
        for _e in 0..self.elsewhere {
            self.marking.next = UPDATING.get_bit(self.op.q.val().index());
        }
        for _v in 0..self.visited {
            if self.remote.q.val() {
                self.marking.next = UPDATING.get_bit(self.op.q.val().index());
            }
        }
        self.oversized_mark.next =
            self.sound.val() & self.oversized.val() & self.marking.val() & BOUNDED.get_bit(self.op.q.val().index());
        self.moves.next = self.go.val() & UPDATING.get_bit(self.op.q.val().index());
        self.writes.next = (self.go.val() & WRITING.get_bit(self.op.q.val().index())) | self.oversized_mark.val();
        self.refusal.d.next = self.cause.val();
        self.updates.d.next = self.moves.val();
        self.posted.d.next = POSTED.get_bit(self.op.q.val().index());
        self.marks.d.next = self.marking.val();
    }

    fn deltas(&mut self) {
        self.operand.next = self.data.q.val().get_bits::<COUNT_BITS>(0);
        self.any.next = self.operand.val().any();
        self.operand_negative.next = !self.operand.val() + 1;
        self.tx_amount.next = bit_cast::<TX_BITS, COUNT_BITS>(self.operand.val());
        // the sign does not wait for the carry
        self.tx_amount_negative.next = bit_cast::<TX_BITS, COUNT_BITS>(self.operand_negative.val())
            | (bit_cast::<TX_BITS, 1>(self.any.val().into()) << word::COUNT_BITS);

        // arrivals
        self.arrivals.d.next = self.operand.val();
        self.arrivals_negative.d.next = self.operand_negative.val();
        self.arrives.d.next = self.go.val() & COUNTED.get_bit(self.op.q.val().index()) & self.any.val();
        if SINGLE.get_bit(self.op.q.val().index()) {
            self.arrivals.d.next = 1.into();
            self.arrivals_negative.d.next = ALL_COUNT_BITS; // minus one
            self.arrives.d.next = self.go.val();
        }
        for _g in 0..self.grouped {
            if SINGLE.get_bit(self.op.q.val().index()) {
                self.arrivals.d.next =
                    bit_cast::<COUNT_BITS, LANES_BITS>(self.data.q.val().get_bits::<LANES_BITS>(32)) + 1;
                self.arrivals_negative.d.next =
                    !bit_cast::<COUNT_BITS, LANES_BITS>(self.data.q.val().get_bits::<LANES_BITS>(32));
            }
        }
        self.leaves.d.next = DROPPING.get_bit(self.op.q.val().index());

        // bytes
        clear!(self.tx, self.tx_negative);
        if EXPECTING.get_bit(self.op.q.val().index()) {
            self.tx.d.next = self.tx_amount_negative.val();
            self.tx_negative.d.next = self.tx_amount.val();
        }
        if COMPLETING.get_bit(self.op.q.val().index()) {
            self.tx.d.next = self.tx_amount.val();
            self.tx_negative.d.next = self.tx_amount_negative.val();
        }
        if self.op.q.val() == Op::CpAsyncBegin {
            self.tx.d.next = ALL_TX_BITS; // minus one
            self.tx_negative.d.next = 1.into();
        }
        if self.op.q.val() == Op::CpAsyncEnd {
            self.tx.d.next = 1.into();
            self.tx_negative.d.next = ALL_TX_BITS;
        }
        for _g in 0..self.grouped {
            if self.op.q.val() == Op::CpAsyncBegin {
                self.tx.d.next = !bit_cast::<TX_BITS, LANES_BITS>(self.data.q.val().get_bits::<LANES_BITS>(32));
                self.tx_negative.d.next =
                    bit_cast::<TX_BITS, LANES_BITS>(self.data.q.val().get_bits::<LANES_BITS>(32)) + 1;
            }
            if self.op.q.val() == Op::CpAsyncEnd {
                self.tx.d.next = bit_cast::<TX_BITS, LANES_BITS>(self.data.q.val().get_bits::<LANES_BITS>(32)) + 1;
                self.tx_negative.d.next =
                    !bit_cast::<TX_BITS, LANES_BITS>(self.data.q.val().get_bits::<LANES_BITS>(32));
            }
        }
        self.expects.d.next =
            self.go.val() & (EXPECTING.get_bit(self.op.q.val().index()) | (self.op.q.val() == Op::CpAsyncBegin));
        self.completes.d.next =
            self.go.val() & (COMPLETING.get_bit(self.op.q.val().index()) | (self.op.q.val() == Op::CpAsyncEnd));
    }

    /// Bits of the word to replace, and their new value (c2).
    fn replace(&mut self) {
        self.written.next = 0.into();
        if self.stores.q.val() {
            for byte in 0..8 {
                if self.enables.q.val().get_bit(byte) {
                    self.written.next = self.written.val() | (bits::<64>(0xff) << (8 * byte));
                }
            }
        }
        self.negative.next = bit_cast::<64, COUNT_BITS>(self.amount_negative.q.val());
        self.replace.next = self.written.val();
        self.insert.next = self.content.q.val() & self.written.val();
        if self.taints.q.val() {
            self.replace.next = FAULT;
            self.insert.next = FAULT;
        }
        if self.inits.q.val() {
            self.replace.next = ALL_BITS;
            self.insert.next = (self.negative.val() << word::PENDING.lsb) | (self.negative.val() << word::EXPECTED.lsb);
        }
        if self.counts.q.val() {
            self.replace.next = ALL_BITS;
            self.insert.next = self.negative.val();
            if !self.amount_any.q.val() {
                self.insert.next = bits::<64>(1) << word::COUNT_BITS;
            }
        }
    }

    fn contents(&mut self) {
        // what replaces the word is made of these
        self.stores.d.next = self.go.val() & (self.op.q.val() == Op::Store);
        self.inits.d.next = self.go.val() & (self.op.q.val() == Op::Init);
        self.counts.d.next = self.go.val() & (self.op.q.val() == Op::PendingCount);
        self.taints.d.next = self.oversized_mark.val();
        self.token.next = self.data.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
        self.amount_any.d.next = self.token.val().any();
        self.amount_negative.d.next = self.operand_negative.val();
        if self.op.q.val() == Op::PendingCount {
            self.amount_negative.d.next = !self.token.val() + 1;
        }
        self.content.d.next = self.data.q.val();
        self.enables.d.next = self.strobe.q.val();

        // what the answer carries
        self.waits.d.next = self.go.val() & WAITING.get_bit(self.op.q.val().index());
        self.wait_phase.d.next = self.data.q.val().get_bit(word::PHASE.lsb);
        if PARITY.get_bit(self.op.q.val().index()) {
            self.wait_phase.d.next = self.data.q.val().get_bit(0);
        }
        self.reveal_upper.d.next = self.go.val()
            & ((TOKEN.get_bit(self.op.q.val().index()) & !self.remote.q.val()) | (self.op.q.val() == Op::Load));
        self.reveal_lower.d.next =
            self.go.val() & ((self.op.q.val() == Op::Load) | (self.op.q.val() == Op::PendingCount));
    }
}

impl Decode {
    /// The decoder of a warp port outside of clusters, where `remote` marks requests of another CTA.
    pub fn of_warps() -> Self {
        Self { grouped: 1, visited: 1, ..Self::default() }
    }

    /// Accepts requests of several lanes at once.
    pub(crate) fn serve_warps(&mut self) {
        self.grouped = 1;
    }

    /// Number of threads that a request with this data counts for, if it changes counts.
    pub(crate) fn threads_of(&self, data: u64) -> u32 {
        if self.grouped > 0 { (data >> 32) as u32 % (1 << LANES_BITS) + 1 } else { 1 }
    }
}

#[cfg(test)]
mod tests;
