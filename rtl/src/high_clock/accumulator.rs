//! Accumulator: the memory of words, and the update loop of every operation.
//!
//! **What.** An operation enters in every cycle, on any word, and needs the word that the ones ahead of it leave. The loop takes
//! three cycles; what the two just ahead move is in the operation's `total` already (see `lookahead.rs`).
//!
//! ```text
//!   p0..p2        p3 choose            p4 add                 p5              p6 complete?          p7
//!   memory ─┐     found ────┐          base + total ────────► sums ─────────► met? ─► word ─┬─────► result
//!   p7..p10 ┴►    result ───┼─► base ─ base = -total? ──────► (ten bits) ───►               │
//!                 word ─────┘   │      expected + reloads ──► one of two ───►               │
//!                   ▲           └────────────────────────────────────────────► old          │
//!                   └───────────────────────────────────────────────────────────────────────┘
//! ```
//! **Where the word comes from.** The memory is read in p0 and written in p9. What is on its way is forwarded:
//!
//! | ahead by | taken in | when it is in |
//! | --- | --- | --- |
//! | 1, 2 | p4 | inside `total` |
//! | 3 | p3 | p6: the word, as it is being made |
//! | 4 | p3 | p7: `result` |
//! | 5 | p2 | p7 |
//! | 6 to 9 | p1 | p7 to p10 (the one in p9 writes in the very cycle in which the memory is read: never looked at there) |
//! | 10 and more | p2 | the memory |
//!
//! If several match, the youngest is taken. Every operation in flight carries its word, whether it writes it or not: one that only reads
//! passes it on unchanged.
//!
//! **Completion.** The phase completes if `base = -total` in the pending and in the tx field: ten comparisons of a few bits in p4, combined
//! in p5. The completion by the operation two ahead is known when this one is in p5, by the one ahead when it is in p6: so sums for both
//! cases are computed in p4 from the expected field, and selected late. That an operation completes a phase right after another did is not
//! detected here; the verdict has it replayed.
//!
//! **Faults** are not detected here, either: an operation behind a faulting one is computed, until the verdict flushes it.

use super::STAGES;
use crate::hardware;
use crate::hdl::*;
use crate::word::{self, COUNT_BITS, TX_BITS};

hardware! {
    /// Accumulator: the memory of words, and the update loop of every operation.
    pub module Accumulator = "accumulator" {
        /// Row of the request in p0.
        pub row: Signal<In, RowIndex>,
        /// The request this many ahead (lane 0: one) is on the word of the request in p1.
        pub same: Lanes<Signal<In, Bit>, STAGES> = Lanes::new(9),
        /// Bytes of the word that no request replaces before the one in p2.
        pub keeps: Signal<In, Bits<8>>,
        /// Addend in p4 if no phase completes.
        pub total: Signal<In, Word, WordView>,
        /// Pending and tx fields of `total`, negated.
        pub total_negative: Signal<In, Word>,
        /// Addend to the expected field that gives the pending field, if the request one ahead completes the phase.
        pub reload1: Signal<In, Count>,
        /// Addend to the expected field that gives the pending field, if the request two ahead completes the phase.
        pub reload2: Signal<In, Count>,
        /// The tx field if the request one ahead completes the phase.
        pub tx1: Signal<In, TxCount>,
        /// The tx field if the request two ahead completes the phase.
        pub tx2: Signal<In, TxCount>,
        /// The operation in p4 changes counts.
        pub updates: Signal<In, Bit>,
        /// The operation in p5 continues from the word of the one ahead, if that completes the phase.
        pub follows1: Signal<In, Bit>,
        /// The operation in p4 continues from the word of the one two ahead, if that completes the phase.
        pub follows2: Signal<In, Bit>,
        /// The request in p6 is on the word of the one ahead.
        pub behind1: Signal<In, Bit>,
        /// The request in p6 is on the word of the one two ahead.
        pub behind2: Signal<In, Bit>,
        /// Write enable of the memory (p9).
        pub write: Signal<In, Bit>,
        /// Row to write.
        pub write_row: Signal<In, RowIndex>,
        /// Write the fault bit of `tainted` next (p9).
        pub taints: Signal<In, Bit>,
        /// Word whose fault bit is written.
        pub tainted: Signal<In, Word, WordView>,

        /// Word before the request in p7, p8 and p9.
        pub old: Lanes<OutReg<Word, WordView>> = Lanes::new(3),
        /// Word after the request in p7, p8 and p9.
        pub result: Lanes<OutReg<Word, WordView>> = Lanes::new(3),
        /// The request completes the phase; in p7 to p9.
        pub completes: Lanes<OutReg<Bit>> = Lanes::new(3),

        /// Registers after p7.
        pub steps: usize = 2,
        /// The memory.
        pub ram: BlockRam<Word, WordView> = BlockRam::new(words),
        /// Word after the request in p10.
        pub result_p10: Reg<Word, WordView>,

        /// Word of a request six to nine ahead, in p2.
        pub older: Reg<Word, WordView>,
        /// `older` is valid.
        pub is_older: Reg<Bit>,
        /// The request three ahead is on the word of the request in p2.
        pub same3: Reg<Bit>,
        /// The request four ahead is on the word of the request in p2.
        pub same4: Reg<Bit>,
        /// The request five ahead is on the word of the request in p2.
        pub same5: Reg<Bit>,
        /// Word from the memory, or of a request five or more ahead, in p3.
        pub found: Reg<Word, WordView>,
        /// Bytes to take from `found`.
        pub take_found: Reg<Bits<8>>,
        /// Bytes to take from the result of the request four ahead.
        pub take_result: Reg<Bits<8>>,
        /// Bytes to take from the word of the request three ahead.
        pub take_word: Reg<Bits<8>>,

        /// Word after the requests three and more ahead, without the bytes to replace; in p4.
        pub base: Reg<Word, WordView>,
        /// `base`, in p5.
        pub base_p5: Reg<Word, WordView>,
        /// `base`, in p6.
        pub base_p6: Reg<Word, WordView>,

        /// Word in p5, without its pending field, if no phase completes.
        pub rest: Reg<Word, WordView>,
        /// Pending field in p5, if no phase completes.
        pub pending: Reg<Count>,
        /// Pending field if the request one ahead completes the phase.
        pub pending1: Reg<Count>,
        /// Pending field if the request two ahead completes the phase.
        pub pending2: Reg<Count>,
        /// Tx field if the request one ahead completes the phase.
        pub tx1_p5: Reg<TxCount>,
        /// Tx field if the request two ahead completes the phase.
        pub tx2_p5: Reg<TxCount>,
        /// Parts of the pending and tx fields that reach zero.
        pub met: Lanes<Reg<Bit>, STAGES> = Lanes::new(10),
        /// The operation in p5 changes counts.
        pub updates_p5: Reg<Bit>,
        /// The request two ahead of p5 has completed the phase.
        pub after2: Reg<Bit>,

        /// Phase bit in p6.
        pub phase_p6: Reg<Bit>,
        /// Fault bit in p6.
        pub fault_p6: Reg<Bit>,
        /// Unused bit in p6.
        pub unused_p6: Reg<Bit>,
        /// Pending field in p6, if the request one ahead does not complete the phase.
        pub pending_p6: Reg<Count>,
        /// Pending field in p6, if the request one ahead completes the phase.
        pub pending1_p6: Reg<Count>,
        /// Tx field in p6, if the request one ahead does not complete the phase.
        pub tx_p6: Reg<TxCount>,
        /// Tx field in p6, if the request one ahead completes the phase.
        pub tx1_p6: Reg<TxCount>,
        /// Expected field in p6.
        pub expected_p6: Reg<Count>,
        /// Both counts reach zero, unless a phase has just completed.
        pub met_p6: Reg<Bit>,
        /// The request one ahead has completed the phase.
        pub after1: Reg<Bit>,

        /// All bytes, if the request three ahead is on the word of the request in p2.
        pub all3: Signal<Local, Bits<8>>,
        /// All bytes, if the request four ahead is on the word of the request in p2.
        pub all4: Signal<Local, Bits<8>>,
        /// Word of the request six or seven ahead, in p1.
        pub of_six: Signal<Local, Word>,
        /// Word of the request eight or nine ahead, in p1.
        pub of_eight: Signal<Local, Word>,
        /// The operation in p6 completes the phase.
        pub flips: Signal<Local, Bit>,
        /// Phase bit after the operation in p6.
        pub new_phase: Signal<Local, Bit>,
        /// Pending field after the operation in p6.
        pub new_pending: Signal<Local, Count>,
        /// Tx field after the operation in p6.
        pub new_tx: Signal<Local, TxCount>,
        /// Word after the operation in p6.
        pub word: Signal<Local, Word, WordView>,
        /// Bits taken from `word`.
        pub from_word: Signal<Local, Word>,
        /// Bits taken from the result.
        pub from_result: Signal<Local, Word>,
        /// Bits taken from `found`.
        pub from_found: Signal<Local, Word>,
    }
    constants {
        /// The sticky fault bit.
        FAULT: Word = Bits::constant(word::FAULT.mask());
        /// Mask of all bytes.
        ALL_BYTES: Bits<8> = Bits::constant(0xff);
        /// Mask of the bits that are not counts.
        SINGLE_BITS: Word = Bits::constant(word::PHASE.mask() | word::FAULT.mask() | word::UNUSED.mask());
    }
    processes { Fetch, Find, Base, Add, Select, Complete, Keep }
    /// An accumulator with a memory of this many words.
    built by pub fn new(words: usize) {}
}

#[processes]
impl Accumulator {
    fn fetch(&mut self) {
        self.ram.read_enable.next = true;
        self.ram.read_address.next = self.row.val();
        self.ram.write_enable.next = self.write.val();
        self.ram.write_address.next = self.write_row.val();
        self.ram.write_data.next = self.result[2].q.val();
    }

    fn find(&mut self) {
        // p1: youngest of those six to nine ahead: the younger of either pair, and of these that of the younger pair
        self.of_six.next = self.result[1].q.val();
        if self.same[5].val() {
            self.of_six.next = self.result[0].q.val();
        }
        self.of_eight.next = self.result_p10.q.val();
        if self.same[7].val() {
            self.of_eight.next = self.result[2].q.val();
        }
        self.older.d.next = self.of_eight.val();
        if self.same[5].val() | self.same[6].val() {
            self.older.d.next = self.of_six.val();
        }
        self.is_older.d.next = self.same[5].val() | self.same[6].val() | self.same[7].val() | self.same[8].val();
        self.same3.d.next = self.same[2].val();
        self.same4.d.next = self.same[3].val();
        self.same5.d.next = self.same[4].val();
        // p2
        self.found.d.next = self.ram.read_data.val();
        if self.is_older.q.val() {
            self.found.d.next = self.older.q.val();
        }
        if self.same5.q.val() {
            self.found.d.next = self.result[0].q.val();
        }
        self.all3.next = 0.into();
        if self.same3.q.val() {
            self.all3.next = ALL_BYTES;
        }
        self.all4.next = 0.into();
        if self.same4.q.val() {
            self.all4.next = ALL_BYTES;
        }
        self.take_word.d.next = self.keeps.val() & self.all3.val();
        self.take_result.d.next = self.keeps.val() & !self.all3.val() & self.all4.val();
        self.take_found.d.next = self.keeps.val() & !self.all3.val() & !self.all4.val();
    }

    fn complete(&mut self) {
        self.flips.next = self.met_p6.q.val() & !self.after1.q.val();
        self.new_phase.next = self.phase_p6.q.val() != (self.met_p6.q.val() | self.after1.q.val());
        self.new_pending.next = self.pending_p6.q.val();
        if self.met_p6.q.val() {
            self.new_pending.next = self.expected_p6.q.val();
        }
        self.new_tx.next = self.tx_p6.q.val();
        if self.after1.q.val() {
            self.new_pending.next = self.pending1_p6.q.val();
            self.new_tx.next = self.tx1_p6.q.val();
        }
        self.word.next = (bit_cast::<64, 1>(self.new_phase.val().into()) << word::PHASE.lsb)
            | (bit_cast::<64, COUNT_BITS>(self.new_pending.val()) << word::PENDING.lsb)
            | (bit_cast::<64, 1>(self.fault_p6.q.val().into()) << word::FAULT.lsb)
            | (bit_cast::<64, TX_BITS>(self.new_tx.val()) << word::TX.lsb)
            | (bit_cast::<64, COUNT_BITS>(self.expected_p6.q.val()) << word::EXPECTED.lsb)
            | bit_cast::<64, 1>(self.unused_p6.q.val().into());
        self.after1.d.next = self.flips.val() & self.follows1.val();
        self.after2.d.next = self.flips.val() & self.follows2.val();
    }

    fn base(&mut self) {
        clear!(self.from_word, self.from_result, self.from_found);
        for byte in 0..8 {
            if self.take_word.q.val().get_bit(byte) {
                self.from_word.next = self.from_word.val() | (bits::<64>(0xff) << (8 * byte));
            }
            if self.take_result.q.val().get_bit(byte) {
                self.from_result.next = self.from_result.val() | (bits::<64>(0xff) << (8 * byte));
            }
            if self.take_found.q.val().get_bit(byte) {
                self.from_found.next = self.from_found.val() | (bits::<64>(0xff) << (8 * byte));
            }
        }
        self.base.d.next = (self.word.val() & self.from_word.val())
            | (self.result[0].q.val() & self.from_result.val())
            | (self.found.q.val() & self.from_found.val());
        self.base_p5.d.next = self.base.q.val();
        self.base_p6.d.next = self.base_p5.q.val();
    }

    fn add(&mut self) {
        self.pending.d.next = self.base.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb)
            + self.total.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
        self.pending1.d.next = self.base.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb) + self.reload1.val();
        self.pending2.d.next = self.base.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb) + self.reload2.val();
        self.rest.d.next = ((self.base.q.val() | self.total.val()) & SINGLE_BITS)
            | (bit_cast::<64, TX_BITS>(
                self.base.q.val().get_bits::<TX_BITS>(word::TX.lsb)
                    + self.total.val().get_bits::<TX_BITS>(word::TX.lsb),
            ) << word::TX.lsb)
            | (bit_cast::<64, COUNT_BITS>(
                self.base.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb)
                    + self.total.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb),
            ) << word::EXPECTED.lsb);
        self.tx1_p5.d.next = self.tx1.val();
        self.tx2_p5.d.next = self.tx2.val();
        self.updates_p5.d.next = self.updates.val();
        // four bits at a time, five at the end of the tx field
        self.met[0].d.next = self.base.q.val().get_bits::<4>(43) == self.total_negative.val().get_bits::<4>(43);
        self.met[1].d.next = self.base.q.val().get_bits::<4>(47) == self.total_negative.val().get_bits::<4>(47);
        self.met[2].d.next = self.base.q.val().get_bits::<4>(51) == self.total_negative.val().get_bits::<4>(51);
        self.met[3].d.next = self.base.q.val().get_bits::<4>(55) == self.total_negative.val().get_bits::<4>(55);
        self.met[4].d.next = self.base.q.val().get_bits::<4>(59) == self.total_negative.val().get_bits::<4>(59);
        self.met[5].d.next = self.base.q.val().get_bits::<4>(21) == self.total_negative.val().get_bits::<4>(21);
        self.met[6].d.next = self.base.q.val().get_bits::<4>(25) == self.total_negative.val().get_bits::<4>(25);
        self.met[7].d.next = self.base.q.val().get_bits::<4>(29) == self.total_negative.val().get_bits::<4>(29);
        self.met[8].d.next = self.base.q.val().get_bits::<4>(33) == self.total_negative.val().get_bits::<4>(33);
        self.met[9].d.next = self.base.q.val().get_bits::<5>(37) == self.total_negative.val().get_bits::<5>(37);
    }

    fn select(&mut self) {
        self.phase_p6.d.next = self.rest.q.val().get_bit(word::PHASE.lsb) != self.after2.q.val();
        self.fault_p6.d.next = self.rest.q.val().get_bit(word::FAULT.lsb);
        self.unused_p6.d.next = self.rest.q.val().get_bit(word::UNUSED.lsb);
        self.pending_p6.d.next = self.pending.q.val();
        self.tx_p6.d.next = self.rest.q.val().get_bits::<TX_BITS>(word::TX.lsb);
        if self.after2.q.val() {
            self.pending_p6.d.next = self.pending2.q.val();
            self.tx_p6.d.next = self.tx2_p5.q.val();
        }
        self.pending1_p6.d.next = self.pending1.q.val();
        self.tx1_p6.d.next = self.tx1_p5.q.val();
        self.expected_p6.d.next = self.rest.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb);
        self.met_p6.d.next = self.updates_p5.q.val()
            & !self.after2.q.val()
            & self.met[0].q.val()
            & self.met[1].q.val()
            & self.met[2].q.val()
            & self.met[3].q.val()
            & self.met[4].q.val()
            & self.met[5].q.val()
            & self.met[6].q.val()
            & self.met[7].q.val()
            & self.met[8].q.val()
            & self.met[9].q.val();
    }

    fn keep(&mut self) {
        self.result[0].d.next = self.word.val();
        self.completes[0].d.next = self.flips.val();
        self.old[0].d.next = self.base_p6.q.val();
        if self.behind2.val() {
            self.old[0].d.next = self.result[1].q.val();
        }
        if self.behind1.val() {
            self.old[0].d.next = self.result[0].q.val();
        }
        for s in 0..self.steps {
            connect!(self.*[s + 1] <<= self.*[s]: old, completes);
        }
        self.result[1].d.next = self.result[0].q.val();
        self.result[2].d.next = self.result[1].q.val();
        if self.taints.val() {
            self.result[2].d.next = self.tainted.val() | FAULT;
        }
        self.result_p10.d.next = self.result[2].q.val();
    }
}
