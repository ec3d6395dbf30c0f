//! The bank: one memory of 64-bit words and the pipeline that updates them.
//!
//! **What.** One operation enters in every cycle, on any word; every one sees all that entered before it, as if they were
//! done one after the other. The answer (or the report of a fault) leaves four cycles later.
//!
//! ```text
//!        c0 fetch       c1 classify         c2 select              c3 update    c4 commit          c5, c6
//!   in ─► RAM address ─► RAM read ─────────► RAM output ─┐
//!                        compare addresses ─► choose ────┴► fetched ─► sums ─► outcome ─► word ──► kept to be
//!        (registered) ─► decode ───────────► deltas ────────────────► (ALU)       │        │       forwarded
//!                                                                                 ▼        ▼
//!                                                                               answer   RAM write
//! ```
//!
//! **Forwarding.** An operation reads the memory in c0, but those up to four ahead of it have not written by then. Its
//! word comes from the youngest of them that writes the same word:
//!
//! | ahead by | it is, while this one is in c2 | taken |
//! | --- | --- | --- |
//! | 1 | in c3 | inside the ALU (`followed`) |
//! | 2 | in c4 | the ALU's word |
//! | 3 | in c5 | `word_c5` |
//! | 4 | in c6 | `word_c6` (it writes in the very cycle in which the memory is read: never looked at there) |
//!
//! Only operations that write are compared with, and always on the whole address.
//!
//! **Reset** empties the pipeline. The memory keeps what it holds.

use crate::alu::Alu;
use crate::decode::Decode;
use crate::hardware;
use crate::hdl::*;
use crate::status::Status;
use crate::word;

hardware! {
    /// Bank: a memory of 64-bit words that takes one operation a cycle on any address pattern.
    pub module Bank = "bank" {
        /// A request enters (c0).
        pub valid: InControlReg<Bit>,
        /// Opcode.
        pub op: Signal<In, OpCode, OpView>,
        /// The request comes from another CTA.
        pub remote: Signal<In, Bit>,
        /// Byte address.
        pub address: Signal<In, Bits<32>>,
        /// Operand.
        pub data: Signal<In, Word>,
        /// Byte enables of a store.
        pub strobe: Signal<In, Bits<8>>,
        /// Port to answer to.
        pub port: InReg<PortIndex>,
        /// Tag to give back.
        pub tag: InReg<Tag>,

        /// An answer leaves (c4, as do all outputs).
        pub answer_valid: Signal<Out, Bit>,
        /// Port that it goes to.
        pub answer_port: Signal<Out, PortIndex>,
        /// Tag of the request.
        pub answer_tag: Signal<Out, Tag>,
        /// How it ended.
        pub answer_status: Signal<Out, StatusCode, StatusView>,
        /// The predicate of a wait.
        pub answer_predicate: Signal<Out, Bit>,
        /// The token, the word or the pending count; means nothing after a fault.
        pub answer_data: Signal<Out, Word>,
        /// A request faulted; of a posted one this is the only trace besides the word's fault bit.
        pub fault_valid: Signal<Out, Bit>,
        /// The word that it was about.
        pub fault_index: Signal<Out, WordIndex>,
        /// A phase completes.
        pub flip_valid: Signal<Out, Bit>,

        /// The largest word number.
        pub(crate) last_word: usize,
        /// The words.
        pub(crate) ram: BlockRam<Word, WordView>,
        /// Decode.
        pub(crate) decode: Decode,
        /// ALU.
        pub(crate) alu: Alu,

        /// A request is in c2.
        pub(crate) valid_c2: ControlReg<Bit>,
        /// It writes its word.
        pub(crate) writes_c2: ControlReg<Bit>,
        /// Number of its word.
        pub(crate) index_c2: Reg<WordIndex>,
        /// Port of the request in c2.
        pub(crate) port_c2: Reg<PortIndex>,
        /// Tag of the request in c2.
        pub(crate) tag_c2: Reg<Tag>,
        /// The request in c3 writes the word of the one in c2.
        pub(crate) follows_c3: Reg<Bit>,
        /// The request in c4 does.
        pub(crate) follows_c4: Reg<Bit>,
        /// The request in c5 does.
        pub(crate) follows_c5: Reg<Bit>,
        /// The request in c6 does.
        pub(crate) follows_c6: Reg<Bit>,

        /// A request is in c3.
        pub(crate) valid_c3: ControlReg<Bit>,
        /// It writes its word.
        pub(crate) writes_c3: ControlReg<Bit>,
        /// Number of its word.
        pub(crate) index_c3: Reg<WordIndex>,
        /// Port of the request in c3.
        pub(crate) port_c3: Reg<PortIndex>,
        /// Tag of the request in c3.
        pub(crate) tag_c3: Reg<Tag>,

        /// A request is in c4.
        pub(crate) valid_c4: ControlReg<Bit>,
        /// It writes its word.
        pub(crate) writes_c4: ControlReg<Bit>,
        /// Number of its word.
        pub(crate) index_c4: Reg<WordIndex>,
        /// Port of the request in c4.
        pub(crate) port_c4: Reg<PortIndex>,
        /// Tag of the request in c4.
        pub(crate) tag_c4: Reg<Tag>,
        /// Why it was refused.
        pub(crate) refusal: Reg<StatusCode, StatusView>,
        /// It waits for an answer.
        pub(crate) answers: Reg<Bit>,
        /// The answer is a predicate.
        pub(crate) waits: Reg<Bit>,
        /// Phase whose completion is waited for.
        pub(crate) wait_phase: Reg<Bit>,
        /// Bits of the old word that the answer carries.
        pub(crate) reveal: Reg<Word>,

        /// The request in c5 wrote its word.
        pub(crate) writes_c5: ControlReg<Bit>,
        /// Number of its word.
        pub(crate) index_c5: Reg<WordIndex>,
        /// That word.
        pub(crate) word_c5: Reg<Word, WordView>,
        /// The word of the request in c6.
        pub(crate) word_c6: Reg<Word, WordView>,

        /// Status of the request in c4.
        pub(crate) status: Signal<Local, StatusCode, StatusView>,
    }
    processes { Answer, Select, Operands, Compare, Fetch }
}

impl Process<Answer> for Bank {
    #[hdl_gen]
    fn update(&mut self) {
        // in reverse order of precedence: the last cause found is the one reported
        self.status.next = Status::Ok.into();
        if self.alu.moves.q.val() & self.alu.tx_fault.val() {
            self.status.next = Status::TxRange.into();
        }
        if self.alu.moves.q.val() & self.alu.expected_fault.val() {
            self.status.next = Status::ExpectedUnderflow.into();
        }
        if self.alu.moves.q.val() & self.alu.pending_fault.val() {
            self.status.next = Status::PendingUnderflow.into();
        }
        if (self.alu.moves.q.val() | self.waits.q.val()) & self.alu.old.q.val().get_bit(word::FAULT.lsb) {
            self.status.next = Status::FaultedWord.into();
        }
        if self.refusal.q.val() != Status::Ok {
            self.status.next = self.refusal.q.val();
        }
        self.answer_valid.next = self.valid_c4.q.val() & self.answers.q.val();
        self.answer_port.next = self.port_c4.q.val();
        self.answer_tag.next = self.tag_c4.q.val();
        self.answer_status.next = self.status.val();
        self.answer_predicate.next = self.waits.q.val()
            & !self.alu.old.q.val().get_bit(word::FAULT.lsb)
            & (self.alu.old.q.val().get_bit(word::PHASE.lsb) != self.wait_phase.q.val());
        self.answer_data.next = self.alu.old.q.val() & self.reveal.q.val();
        self.fault_valid.next = self.valid_c4.q.val() & (self.status.val() != Status::Ok);
        self.fault_index.next = self.index_c4.q.val();
        self.flip_valid.next = self.valid_c4.q.val() & self.alu.flips.val();

        self.ram.write_enable.next = self.writes_c4.q.val();
        self.ram.write_address.next = self.index_c4.q.val();
        self.ram.write_data.next = self.alu.word.val();
        self.writes_c5.d.next = self.writes_c4.q.val();
        self.index_c5.d.next = self.index_c4.q.val();
        self.word_c5.d.next = self.alu.word.val();
        self.word_c6.d.next = self.word_c5.q.val();
    }
}

impl Process<Operands> for Bank {
    #[hdl_gen]
    fn update(&mut self) {
        self.alu.followed.next = self.follows_c3.q.val();
        self.alu.arrivals.next = self.decode.arrivals.q.val();
        self.alu.arrivals_negative.next = self.decode.arrivals_negative.q.val();
        self.alu.arrives.next = self.decode.arrives.q.val();
        self.alu.drops.next = self.decode.drops.q.val();
        self.alu.drops_negative.next = self.decode.drops_negative.q.val();
        self.alu.leaves.next = self.decode.leaves.q.val();
        self.alu.tx.next = self.decode.tx.q.val();
        self.alu.tx_negative.next = self.decode.tx_negative.q.val();
        self.alu.updates.next = self.decode.updates.q.val();
        self.alu.posted.next = self.decode.posted.q.val();
        self.alu.keep.next = self.decode.keep.q.val();
        self.alu.insert.next = self.decode.insert.q.val();

        self.valid_c4.d.next = self.valid_c3.q.val();
        self.writes_c4.d.next = self.writes_c3.q.val();
        self.index_c4.d.next = self.index_c3.q.val();
        self.port_c4.d.next = self.port_c3.q.val();
        self.tag_c4.d.next = self.tag_c3.q.val();
        self.refusal.d.next = self.decode.refusal.q.val();
        self.answers.d.next = !self.decode.posted.q.val();
        self.waits.d.next = self.decode.waits.q.val();
        self.wait_phase.d.next = self.decode.wait_phase.q.val();
        self.reveal.d.next = self.decode.reveal.q.val();
    }
}

impl Process<Select> for Bank {
    #[hdl_gen]
    fn update(&mut self) {
        self.alu.fetched.next = self.ram.read_data.val();
        if self.follows_c6.q.val() {
            self.alu.fetched.next = self.word_c6.q.val();
        }
        if self.follows_c5.q.val() {
            self.alu.fetched.next = self.word_c5.q.val();
        }
        if self.follows_c4.q.val() {
            self.alu.fetched.next = self.alu.word.val();
        }
        self.valid_c3.d.next = self.valid_c2.q.val();
        self.writes_c3.d.next = self.writes_c2.q.val();
        self.index_c3.d.next = self.index_c2.q.val();
        self.port_c3.d.next = self.port_c2.q.val();
        self.tag_c3.d.next = self.tag_c2.q.val();
    }
}

impl Process<Compare> for Bank {
    #[hdl_gen]
    fn update(&mut self) {
        // the youngest writer of the same word wins; c2..c5 now are c3..c6 when the choice is made
        self.follows_c3.d.next = self.writes_c2.q.val() & (self.decode.index.val() == self.index_c2.q.val());
        self.follows_c4.d.next = self.writes_c3.q.val() & (self.decode.index.val() == self.index_c3.q.val());
        self.follows_c5.d.next = self.writes_c4.q.val() & (self.decode.index.val() == self.index_c4.q.val());
        self.follows_c6.d.next = self.writes_c5.q.val() & (self.decode.index.val() == self.index_c5.q.val());
        self.valid_c2.d.next = self.valid.q.val();
        self.writes_c2.d.next = self.valid.q.val() & self.decode.writes.val();
        self.index_c2.d.next = self.decode.index.val();
        self.port_c2.d.next = self.port.q.val();
        self.tag_c2.d.next = self.tag.q.val();
    }
}

impl Process<Fetch> for Bank {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.read_address.next = self.address.val().get_bits::<WORD_INDEX>(3) & self.last_word.to_bits();
        self.decode.op.d.next = self.op.val();
        self.decode.remote.d.next = self.remote.val();
        self.decode.address.d.next = self.address.val();
        self.decode.data.d.next = self.data.val();
        self.decode.strobe.d.next = self.strobe.val();
    }
}

impl Bank {
    /// A bank of `words` 64-bit words (a power of two).
    pub fn new(words: usize) -> Self {
        Self { ram: BlockRam::new(words), decode: Decode::new(words), last_word: words - 1, ..Self::default() }
    }

    /// Settles c4: answer, and what later operations are given. Depends on registers only.
    #[inline(always)]
    pub fn settle_answer(&mut self) {
        self.alu.settle_commit();
        Process::<Answer>::update(self);
    }

    /// Settles the operands of the ALU. After [`Bank::settle_answer`].
    #[inline(always)]
    pub fn settle_select(&mut self) {
        Process::<Operands>::update(self);
        Process::<Select>::update(self);
    }

    /// Settles the rest of c0 to c3, once the inputs are driven. After [`Bank::settle_select`].
    #[inline(always)]
    pub fn settle_update(&mut self) {
        self.alu.settle_update();
        self.decode.settle_deltas();
        self.decode.settle_classify();
        Process::<Compare>::update(self);
        Process::<Fetch>::update(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;

    /// Sends requests (op, word, data) in consecutive cycles, `None` for a gap; gives status and data of each answer.
    fn answers(requests: &[Option<(Op, u64, u64)>]) -> Vec<(u64, u64)> {
        let mut bank = Bank::new(16);
        bank.ram.poison_collisions(0xbad0_bad0_bad0_bad0u64.into());
        let mut answers = Vec::new();
        for cycle in 0..requests.len() + 5 {
            bank.settle_answer();
            if bank.answer_valid.val() {
                assert_eq!(bank.answer_tag.val().index(), cycle - 4, "four cycles after the request");
                answers.push((bank.answer_status.val().raw(), bank.answer_data.val().raw()));
            }
            let request = requests.get(cycle).copied().flatten();
            let (op, word, data) = request.unwrap_or((Op::Load, 0, 0));
            bank.valid.d.next = request.is_some();
            bank.op.next = (op.code() as u64).into();
            bank.address.next = (word * 8).into();
            bank.data.next = data.into();
            bank.strobe.next = 0xff.into();
            bank.tag.d.next = (cycle as u64).into();
            bank.settle_select();
            bank.settle_update();
            bank.tick();
        }
        answers
    }

    /// A store and a load of the same word at every distance, with stores to another word in between or nothing.
    #[test]
    fn a_load_sees_the_store_at_every_distance() {
        for distance in 1..=8 {
            for between in [None, Some((Op::Store, 4, 99)), Some((Op::Load, 3, 0))] {
                let mut requests = vec![Some((Op::Store, 3, 7))];
                requests.resize(distance, between);
                requests.push(Some((Op::Load, 3, 0)));
                assert_eq!(answers(&requests).last(), Some(&(0, 7)), "distance {distance}, {between:?} between");
            }
        }
    }

    /// Of several stores, the youngest is seen.
    #[test]
    fn the_youngest_store_wins() {
        for stores in 2..=6u64 {
            let mut requests: Vec<_> = (1..=stores).map(|value| Some((Op::Store, 3, value))).collect();
            for distance in 0..3 {
                requests.extend(std::iter::repeat_n(None, distance));
                requests.push(Some((Op::Load, 3, 0)));
                assert_eq!(answers(&requests).last(), Some(&(0, stores)));
            }
        }
    }

    #[test]
    fn statuses_of_the_word_come_in_their_order() {
        let status = |word, op, data| answers(&[Some((Op::Store, 3, word)), Some((op, 3, data))])[1].0;
        let named = |status: Status| status.code() as u64;
        // nothing pending, nothing expected, tx-count at its top
        let word = 1 << 41;
        assert_eq!(status(word | 1 << 42, Op::ArriveDropExpectTx, 1), named(Status::FaultedWord));
        assert_eq!(status(word, Op::ArriveDropExpectTx, 1), named(Status::PendingUnderflow));
        assert_eq!(status(word | 0xfffff << 43, Op::ArriveDropExpectTx, 1), named(Status::ExpectedUnderflow));
        assert_eq!(status(word | 0xfffff << 43 | 0xfffff << 1, Op::ArriveDropExpectTx, 1), named(Status::TxRange));
        assert_eq!(status(word, Op::Load, 0), named(Status::Ok));
    }

    #[test]
    fn a_posted_request_is_not_answered_and_is_done() {
        let requests = [(Op::Init, 3, 2), (Op::CpAsyncArrive, 3, 0), (Op::Load, 3, 0)].map(Some);
        assert_eq!(answers(&requests), [(0, 0), (0, 0x7ffff800001ffffc)]);
    }
}
