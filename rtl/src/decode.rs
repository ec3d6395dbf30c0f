//! Decode: turns a request into three deltas on one word.
//!
//! **What.** Whatever the operation, the ALU only ever adds: `arrivals` to the pending field, `drops` to the expected
//! field, `tx` to the tx field (all three are stored negative, so an arrival is an addition). Everything else is said by
//! a few bits: may the operation complete the phase (`updates`)? is it posted? which bits does it overwrite (`insert`
//! where `keep` is 0: stores and `init`)? what does the answer carry?
//!
//! **Why two cycles.** The memory needs two cycles to read the word anyway, so decoding is free if it takes no longer:
//! the negation of the operand has the first cycle to itself, and the ALU gets every operand from a register.
//!
//! ```text
//!   cycle   c1 classify                            c2 deltas                          c3 (the ALU reads)
//!           request ─► checks ──────► refusal ───► go? ──────────────► updates, keep/insert, answer ...
//!                      operand ─► -operand ──────► select by class ──► arrivals, drops, tx and their negatives
//! ```
//!
//! **Checks.** What the request alone shows to be wrong is found here, in the order of `Status::PRECEDENCE`; what only
//! the word can show is found by the ALU.

use crate::hardware;
use crate::hdl::*;
use crate::op::{Op, Operand, Reply};
use crate::status::Status;
use crate::word::{self, COUNT_BITS, TX_BITS};

/// Bits of a 32-bit operand that no count has.
const EXCESS_BITS: usize = 32 - COUNT_BITS;

/// A set of operations: a bit mask on the opcode.
type OpSet = Bits<{ 1 << Op::BITS }>;

/// These operations.
const fn set(ops: &[Op]) -> OpSet {
    let mut mask = 0;
    let mut position = 0;
    while position < ops.len() {
        mask |= 1 << ops[position].code();
        position += 1;
    }
    Bits::constant(mask)
}

/// Operations that are in one of these sets.
const fn any_of(sets: &[OpSet]) -> OpSet {
    let mut mask = 0;
    let mut position = 0;
    while position < sets.len() {
        mask |= sets[position].raw();
        position += 1;
    }
    Bits::constant(mask)
}

/// Operations that take this operand.
const fn taking(operand: Operand) -> OpSet {
    let mut mask = 0;
    let mut position = 0;
    while position < Op::ALL.len() {
        mask |= ((Op::ALL[position].operand() as u64 == operand as u64) as u64) << Op::ALL[position].code();
        position += 1;
    }
    Bits::constant(mask)
}

/// Operations that are answered so.
const fn answering(reply: Reply) -> OpSet {
    let mut mask = 0;
    let mut position = 0;
    while position < Op::ALL.len() {
        mask |= ((Op::ALL[position].reply() as u64 == reply as u64) as u64) << Op::ALL[position].code();
        position += 1;
    }
    Bits::constant(mask)
}

use Op::*;

hardware! {
    /// Decode: a request becomes three deltas on one word, in two cycles.
    pub module Decode = "decode" {
        /// Opcode.
        pub op: InReg<OpCode, OpView>,
        /// The request comes from another CTA.
        pub remote: InReg<Bit>,
        /// Byte address.
        pub address: InReg<Bits<32>>,
        /// Operand: a count, a parity, a token or the data of a store.
        pub data: InReg<Word>,
        /// Byte enables of a store.
        pub strobe: InReg<Bits<8>>,

        /// Number of the word that the address names (in c1).
        pub index: Signal<Out, WordIndex>,
        /// Whether the request writes it (in c1).
        pub writes: Signal<Out, Bit>,

        /// Why the request is refused without a look at the word; `ok` if it is not (from here on: in c3).
        pub refusal: OutReg<StatusCode, StatusView>,
        /// Arrivals to take from the pending count, as an addend.
        pub arrivals: OutReg<Count>,
        /// The same, negated: the pending field that it brings to zero.
        pub arrivals_negative: OutReg<Count>,
        /// Whether there are any arrivals.
        pub arrives: OutReg<Bit>,
        /// Arrivals to take from the expected count, as an addend.
        pub drops: OutReg<Count>,
        /// The same, negated.
        pub drops_negative: OutReg<Count>,
        /// Whether there are any drops.
        pub leaves: OutReg<Bit>,
        /// What to add to the tx field: -n to expect n bytes, +n to complete them.
        pub tx: OutReg<TxCount>,
        /// The same, negated: the tx field that it brings to zero.
        pub tx_negative: OutReg<TxCount>,
        /// The operation moves counts and may complete the phase.
        pub updates: OutReg<Bit>,
        /// There is nobody to answer to: a fault sets the sticky bit of the word.
        pub posted: OutReg<Bit>,
        /// Bits of the word to keep.
        pub keep: OutReg<Word>,
        /// What to put in place of the others.
        pub insert: OutReg<Word>,
        /// The answer is a predicate.
        pub waits: OutReg<Bit>,
        /// Phase whose completion is waited for.
        pub wait_phase: OutReg<Bit>,
        /// Bits of the old word that the answer carries.
        pub reveal: OutReg<Word>,

        /// Bytes of the memory, as a power of two.
        pub(crate) window_bits: usize,
        /// The largest word number.
        pub(crate) last_word: usize,

        /// Opcode.
        pub(crate) opcode: Reg<OpCode, OpView>,
        /// Whether it comes from another CTA.
        pub(crate) from_afar: Reg<Bit>,
        /// Why it is refused.
        pub(crate) refused: Reg<StatusCode, StatusView>,
        /// Whether it is not.
        pub(crate) go: Reg<Bit>,
        /// It is refused for its operand, and posted: the word's fault bit says so.
        pub(crate) taint: Reg<Bit>,
        /// The operand's low 20 bits; of `pending_count`, the token's pending field.
        pub(crate) operand: Reg<Count>,
        /// The same, negated.
        pub(crate) operand_negative: Reg<TxCount>,
        /// Whether it is not zero.
        pub(crate) operand_any: Reg<Bit>,
        /// The request's data.
        pub(crate) content: Reg<Word>,
        /// Bytes that a store writes.
        pub(crate) enables: Reg<Bits<8>>,

        /// The operand before it is registered.
        pub(crate) count: Signal<Local, Count>,
        /// The address is no multiple of 8.
        pub(crate) misaligned: Signal<Local, Bit>,
        /// The address is outside the memory.
        pub(crate) outside: Signal<Local, Bit>,
        /// The operand is above 2^20 - 1.
        pub(crate) oversized: Signal<Local, Bit>,
        /// Refused for its operand, and posted.
        pub(crate) taints: Signal<Local, Bit>,
        /// Status of the refusal.
        pub(crate) cause: Signal<Local, StatusCode, StatusView>,
        /// Number of arrivals.
        pub(crate) amount: Signal<Local, Count>,
        /// The same, negated.
        pub(crate) amount_negative: Signal<Local, Count>,
        /// Whether there are any.
        pub(crate) amount_any: Signal<Local, Bit>,
        /// Bits that a store writes.
        pub(crate) written: Signal<Local, Word>,
        /// The operand, negated, in its place as a count field.
        pub(crate) negative: Signal<Local, Word>,
    }
    constants {
        /// Opcodes that mean something.
        KNOWN: OpSet = set(Op::ALL);
        /// Operations that another CTA may request.
        REMOTE: OpSet = set(&[
            Load, Store, Arrive, ArriveExpectTx, ArriveDrop, ArriveDropExpectTx, ExpectTx, CompleteTx, BulkCompleteTx,
        ]);
        /// Operations whose operand must be at most 2^20 - 1.
        BOUNDED: OpSet = any_of(&[taking(Operand::Arrivals), taking(Operand::Bytes)]);
        /// Arrivals counted by the operand.
        COUNTED: OpSet = set(&[Arrive, ArriveNoComplete, ArriveDrop, ArriveDropNoComplete]);
        /// Exactly one arrival.
        SINGLE: OpSet = set(&[ArriveExpectTx, ArriveDropExpectTx, CpAsyncArrive]);
        /// Arrivals that leave the later phases too.
        DROPPING: OpSet = set(&[ArriveDrop, ArriveDropNoComplete, ArriveDropExpectTx]);
        /// Operations that expect the operand's bytes.
        EXPECTING: OpSet = set(&[ArriveExpectTx, ArriveDropExpectTx, ExpectTx]);
        /// Operations that complete the operand's bytes.
        COMPLETING: OpSet = set(&[CompleteTx, BulkCompleteTx]);
        /// Operations that move counts.
        UPDATING: OpSet = any_of(&[COUNTED, SINGLE, EXPECTING, COMPLETING, set(&[CpAsyncBegin, CpAsyncEnd])]);
        /// Operations that write the word.
        WRITING: OpSet = any_of(&[UPDATING, set(&[Store, Init])]);
        /// Operations that nobody waits for.
        POSTED: OpSet = answering(Reply::Posted);
        /// Operations that ask whether a phase has completed.
        WAITING: OpSet = answering(Reply::Predicate);
        /// Those that name the phase by its parity.
        PARITY: OpSet = taking(Operand::Parity);
        /// Operations that give back a state token.
        TOKEN: OpSet = answering(Reply::Token);
        /// Every bit of a count field.
        ALL_COUNT_BITS: Count = Bits::constant(Count::MASK);
        /// Every bit of the tx field.
        ALL_TX_BITS: TxCount = Bits::constant(TxCount::MASK);
        /// The sticky fault bit.
        FAULT: Word = Bits::constant(word::FAULT.mask());
        /// The half of the word that is a state token.
        UPPER_HALF: Word = Bits::constant(0xffff_ffff_0000_0000);
        /// The half of the word that a pending count is given back in.
        LOWER_HALF: Word = Bits::constant(0x0000_0000_ffff_ffff);
        /// Every bit of the word.
        ALL_BITS: Word = Bits::constant(u64::MAX);
    }
    processes { Classify, Deltas }
}

impl Process<Classify> for Decode {
    #[hdl_gen]
    fn update(&mut self) {
        self.count.next = self.data.q.val().get_bits::<COUNT_BITS>(0);
        if self.op.q.val() == Op::PendingCount {
            self.count.next = self.data.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
        }
        self.operand.d.next = self.count.val();
        self.operand_negative.d.next = !bit_cast::<TX_BITS, COUNT_BITS>(self.count.val()) + 1;
        self.operand_any.d.next = self.count.val().any();

        self.index.next = self.address.q.val().get_bits::<WORD_INDEX>(3) & self.last_word.to_bits();

        // in reverse order of precedence: the last cause found is the one reported
        self.misaligned.next = self.address.q.val().get_bits::<3>(0).any();
        self.outside.next = (self.address.q.val() >> self.window_bits).any();
        self.oversized.next = self.data.q.val().get_bits::<EXCESS_BITS>(word::COUNT_BITS).any();
        self.cause.next = Status::Ok.into();
        if self.oversized.val() & BOUNDED.get_bit(self.op.q.val().index()) {
            self.cause.next = Status::OperandRange.into();
        }
        if self.outside.val() {
            self.cause.next = Status::OutOfRange.into();
        }
        if self.misaligned.val() {
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
        self.refused.d.next = self.cause.val();
        self.go.d.next = self.cause.val() == Status::Ok;
        self.taints.next = (self.cause.val() == Status::OperandRange) & POSTED.get_bit(self.op.q.val().index());
        self.taint.d.next = self.taints.val();
        self.writes.next =
            (WRITING.get_bit(self.op.q.val().index()) & (self.cause.val() == Status::Ok)) | self.taints.val();

        self.opcode.d.next = self.op.q.val();
        self.from_afar.d.next = self.remote.q.val();
        self.content.d.next = self.data.q.val();
        self.enables.d.next = self.strobe.q.val();
    }
}

impl Process<Deltas> for Decode {
    #[hdl_gen]
    fn update(&mut self) {
        self.refusal.d.next = self.refused.q.val();
        self.updates.d.next = self.go.q.val() & UPDATING.get_bit(self.opcode.q.val().index());
        self.posted.d.next = POSTED.get_bit(self.opcode.q.val().index());

        // arrivals and drops
        self.amount.next = 0.into();
        self.amount_negative.next = 0.into();
        self.amount_any.next = false;
        if COUNTED.get_bit(self.opcode.q.val().index()) {
            self.amount.next = self.operand.q.val();
            self.amount_negative.next = self.operand_negative.q.val().get_bits::<COUNT_BITS>(0);
            self.amount_any.next = self.operand_any.q.val();
        }
        if SINGLE.get_bit(self.opcode.q.val().index()) {
            self.amount.next = 1.into();
            self.amount_negative.next = ALL_COUNT_BITS; // minus one
            self.amount_any.next = true;
        }
        self.arrivals.d.next = self.amount.val();
        self.arrivals_negative.d.next = self.amount_negative.val();
        self.arrives.d.next = self.amount_any.val();
        self.drops.d.next = 0.into();
        self.drops_negative.d.next = 0.into();
        self.leaves.d.next = false;
        if DROPPING.get_bit(self.opcode.q.val().index()) {
            self.drops.d.next = self.amount.val();
            self.drops_negative.d.next = self.amount_negative.val();
            self.leaves.d.next = self.amount_any.val();
        }

        // bytes
        self.tx.d.next = 0.into();
        self.tx_negative.d.next = 0.into();
        if EXPECTING.get_bit(self.opcode.q.val().index()) {
            self.tx.d.next = self.operand_negative.q.val();
            self.tx_negative.d.next = bit_cast::<TX_BITS, COUNT_BITS>(self.operand.q.val());
        }
        if COMPLETING.get_bit(self.opcode.q.val().index()) {
            self.tx.d.next = bit_cast::<TX_BITS, COUNT_BITS>(self.operand.q.val());
            self.tx_negative.d.next = self.operand_negative.q.val();
        }
        if self.opcode.q.val() == Op::CpAsyncBegin {
            self.tx.d.next = ALL_TX_BITS; // minus one
            self.tx_negative.d.next = 1.into();
        }
        if self.opcode.q.val() == Op::CpAsyncEnd {
            self.tx.d.next = 1.into();
            self.tx_negative.d.next = ALL_TX_BITS;
        }

        // what replaces the word, or parts of it
        self.written.next = 0.into();
        if self.opcode.q.val() == Op::Store {
            for byte in 0..8 {
                if self.enables.q.val().get_bit(byte) {
                    self.written.next = self.written.val() | (bits::<64>(0xff) << (8 * byte));
                }
            }
        }
        self.negative.next = bit_cast::<64, COUNT_BITS>(self.operand_negative.q.val().get_bits::<COUNT_BITS>(0));
        self.keep.d.next = ALL_BITS;
        self.insert.d.next = 0.into();
        if self.taint.q.val() {
            self.keep.d.next = !FAULT;
            self.insert.d.next = FAULT;
        }
        if self.go.q.val() & (self.opcode.q.val() == Op::Store) {
            self.keep.d.next = !self.written.val();
            self.insert.d.next = self.content.q.val() & self.written.val();
        }
        if self.go.q.val() & (self.opcode.q.val() == Op::Init) {
            self.keep.d.next = 0.into();
            self.insert.d.next =
                (self.negative.val() << word::PENDING.lsb) | (self.negative.val() << word::EXPECTED.lsb);
        }
        if self.go.q.val() & (self.opcode.q.val() == Op::PendingCount) {
            self.keep.d.next = 0.into();
            self.insert.d.next = self.negative.val();
            if !self.operand_any.q.val() {
                self.insert.d.next = bits::<64>(1) << word::COUNT_BITS;
            }
        }

        // what the answer carries
        self.waits.d.next = self.go.q.val() & WAITING.get_bit(self.opcode.q.val().index());
        self.wait_phase.d.next = self.content.q.val().get_bit(word::PHASE.lsb);
        if PARITY.get_bit(self.opcode.q.val().index()) {
            self.wait_phase.d.next = self.content.q.val().get_bit(0);
        }
        self.reveal.d.next = 0.into();
        if self.go.q.val() & TOKEN.get_bit(self.opcode.q.val().index()) & !self.from_afar.q.val() {
            self.reveal.d.next = UPPER_HALF;
        }
        if self.go.q.val() & (self.opcode.q.val() == Op::Load) {
            self.reveal.d.next = ALL_BITS;
        }
        if self.go.q.val() & (self.opcode.q.val() == Op::PendingCount) {
            self.reveal.d.next = LOWER_HALF;
        }
    }
}

impl Decode {
    /// A decoder for a memory of `words` 64-bit words (a power of two).
    pub fn new(words: usize) -> Self {
        Self { window_bits: (words * 8).ilog2() as usize, last_word: words - 1, ..Self::default() }
    }

    /// Settles c2: the operands of the ALU in the next cycle.
    #[inline(always)]
    pub fn settle_deltas(&mut self) {
        Process::<Deltas>::update(self);
    }

    /// Settles c1: checks, `index` and `writes`.
    #[inline(always)]
    pub fn settle_classify(&mut self) {
        Process::<Classify>::update(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes one request for a memory of 16 words; the outputs of c3 are at the registers, those of c1 are given.
    fn decoded(op: u64, address: u64, data: u64, remote: bool) -> (Decode, bool, u64) {
        let mut decode = Decode::new(16);
        decode.op.d.next = op.into();
        decode.address.d.next = address.into();
        decode.data.d.next = data.into();
        decode.remote.d.next = remote;
        decode.strobe.d.next = 0b1000_0001.into();
        decode.tick();
        decode.settle_classify();
        let (writes, index) = (decode.writes.val(), decode.index.val().raw());
        decode.tick();
        decode.settle_deltas();
        decode.tick();
        (decode, writes, index)
    }

    fn of(op: Op, data: u64) -> Decode {
        decoded(op.code().into(), 0x28, data, false).0
    }

    fn refusal(op: u64, address: u64, data: u64, remote: bool) -> Status {
        Status::from_code(decoded(op, address, data, remote).0.refusal.q.val().raw()).expect("it is a status")
    }

    #[test]
    fn operations_become_deltas() {
        let deltas = |op, data| {
            let decode = of(op, data);
            (decode.arrivals.q.val().raw(), decode.drops.q.val().raw(), decode.tx.q.val().raw())
        };
        let minus = |bytes: u64| (1 << 21) - bytes;
        assert_eq!(deltas(Arrive, 3), (3, 0, 0));
        assert_eq!(deltas(Arrive, 0xdead_0000_0003), (3, 0, 0), "the upper half means nothing");
        assert_eq!(deltas(ArriveExpectTx, 64), (1, 0, minus(64)));
        assert_eq!(deltas(ArriveDrop, 3), (3, 3, 0));
        assert_eq!(deltas(ArriveDropExpectTx, 64), (1, 1, minus(64)));
        assert_eq!(deltas(ExpectTx, 64), (0, 0, minus(64)));
        assert_eq!(deltas(ExpectTx, 0), (0, 0, 0));
        assert_eq!(deltas(CompleteTx, 64), (0, 0, 64));
        assert_eq!(deltas(CpAsyncBegin, 99), (0, 0, minus(1)));
        assert_eq!(deltas(CpAsyncEnd, 99), (0, 0, 1));
        assert_eq!(deltas(CpAsyncArrive, 99), (1, 0, 0));
        assert_eq!(deltas(TestWait, 99), (0, 0, 0));
    }

    #[test]
    fn negatives_are_negatives() {
        for data in [0, 1, 5, 0xf_ffff] {
            let decode = of(ArriveDrop, data);
            for (positive, negative, any) in [
                (decode.arrivals.q.val(), decode.arrivals_negative.q.val(), decode.arrives.q.val()),
                (decode.drops.q.val(), decode.drops_negative.q.val(), decode.leaves.q.val()),
            ] {
                assert_eq!(positive + negative, 0);
                assert_eq!(any, data != 0);
            }
            for op in [ExpectTx, CompleteTx, CpAsyncBegin, CpAsyncEnd] {
                let decode = of(op, data);
                assert_eq!(decode.tx.q.val() + decode.tx_negative.q.val(), 0);
            }
        }
    }

    #[test]
    fn what_replaces_the_word() {
        let replaced = |op, data| (of(op, data).keep.q.val().raw(), of(op, data).insert.q.val().raw());
        assert_eq!(replaced(Load, 7), (u64::MAX, 0));
        assert_eq!(replaced(Init, 1), (0, 0x7ffff800001ffffe));
        assert_eq!(replaced(Store, 0x1122_3344_5566_7788), (0x00ff_ffff_ffff_ff00, 0x1100_0000_0000_0088));
        assert_eq!(replaced(PendingCount, 5 << 43), (0, (1 << 20) - 5));
        assert_eq!(replaced(PendingCount, 0), (0, 1 << 20), "as the H200 answers");
        let fault = 1 << 42;
        assert_eq!(replaced(BulkCompleteTx, 1 << 20), (!fault, fault), "refused, and nobody to tell");
        assert_eq!(replaced(CompleteTx, 1 << 20), (u64::MAX, 0));
    }

    #[test]
    fn refusals_come_in_their_order() {
        let wide = u64::from(u32::MAX);
        assert_eq!(refusal(31, 4, wide, true), Status::IllegalOperation);
        assert_eq!(refusal(Init.code().into(), 4, wide, true), Status::RemoteUnsupported);
        assert_eq!(refusal(Init.code().into(), 0x84, wide, false), Status::Misaligned);
        assert_eq!(refusal(Init.code().into(), 0x80, wide, false), Status::OutOfRange);
        assert_eq!(refusal(Init.code().into(), 0x78, wide, false), Status::OperandRange);
        assert_eq!(refusal(Init.code().into(), 0x78, 0xf_ffff, false), Status::Ok);
        assert_eq!(refusal(PendingCount.code().into(), 0x84, wide, false), Status::Ok, "it has no address");
        assert_eq!(refusal(TestWaitParity.code().into(), 0x78, wide, false), Status::Ok, "any parity will do");
    }

    #[test]
    fn only_what_goes_ahead_writes() {
        let writes = |op: Op, address, data| decoded(op.code().into(), address, data, false).1;
        assert!(writes(Arrive, 0x28, 1) && writes(Store, 0x28, 1) && writes(CpAsyncEnd, 0x28, 0));
        assert!(!writes(Load, 0x28, 1) && !writes(TestWait, 0x28, 1) && !writes(Inval, 0x28, 1));
        assert!(!writes(Arrive, 0x29, 1) && !writes(Arrive, 0x28, 1 << 20));
        assert!(writes(BulkCompleteTx, 0x28, 1 << 20), "its fault bit");
        assert_eq!(decoded(Load.code().into(), 0x28, 0, false).2, 5);
    }

    #[test]
    fn what_the_answer_carries() {
        let reveal = |op: Op, remote| decoded(op.code().into(), 0x28, 1, remote).0.reveal.q.val().raw();
        assert_eq!(reveal(Arrive, false), 0xffff_ffff_0000_0000);
        assert_eq!(reveal(Arrive, true), 0);
        assert_eq!(reveal(Load, true), u64::MAX);
        assert_eq!(reveal(PendingCount, false), 0xffff_ffff);
        assert_eq!(reveal(ExpectTx, false), 0);
        let phase = |op, data| of(op, data).wait_phase.q.val();
        assert!(phase(TestWait, 1 << 63) && !phase(TestWait, 1));
        assert!(phase(TryWaitParity, 3) && !phase(TryWaitParity, 2 | 1 << 63));
    }
}
