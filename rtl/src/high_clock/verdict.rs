//! Verdict: commits each operation, or detects that it or those behind it were computed on a wrong assumption (a mis-speculation: the
//! signal `surprise` flushes them).
//!
//! ```text
//!   p7 compare            p8 judge                p9 act                        p10 tell
//!   old, result ─► bits ─► fault? ─► surprise ──► stages before p9 are emptied
//!                          redo?  ─► again ─────► the ring goes back
//!                                 ─► write ─────► memory
//!                                 ─► taints ────► (next cycle) memory
//!                                 ─► commit ────► status, data ───────────────► done, answer
//! ```
//! Everything is found from the word before the operation, and nothing from the assumptions of the lookahead:
//!
//! | mis-speculation | the operation | those behind |
//! | --- | --- | --- |
//! | it faults | is done: the word stays, or gets its fault bit | are replayed |
//! | it should have completed the phase and has not | is replayed | too |
//! | `hazard` (see `lookahead.rs`) | is replayed | too |
//!
//! A replayed operation comes to p0 three cycles later, with nothing ahead of it on which it could mis-speculate again.

use super::PositionBits;
use super::kind::{self, Kind};
use crate::hardware;
use crate::hdl::*;
use crate::word::status::Status;
use crate::word::{self, TX_BITS};

/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

hardware! {
    /// Verdict: commits operations and detects mis-speculations.
    pub module Verdict = "verdict" {
        /// Decoded request in p7.
        pub kind_p7: Signal<In, Kind>,
        /// Decoded request in p8.
        pub kind_p8: Signal<In, Kind>,
        /// Decoded request in p9.
        pub kind_p9: Signal<In, Kind>,
        /// Request in p8 valid.
        pub valid: Signal<In, Bit>,
        /// Index in the ring of the request in p8.
        pub position: Signal<In, PositionBits>,
        /// Word index of the request in p8.
        pub index_p8: Signal<In, WordIndex>,
        /// Word index of the request in p9.
        pub index_p9: Signal<In, WordIndex>,
        /// Tag of the request in p9.
        pub tag_p9: Signal<In, Tag>,
        /// The request in p7 is too close to one ahead (hazard).
        pub hazard_p7: Signal<In, Bit>,
        /// The request in p8 is too close to one ahead (hazard).
        pub hazard: Signal<In, Bit>,
        /// Arrivals of the request in p7, less one; zero without arrivals.
        pub arrivals_less: Signal<In, Count>,
        /// Drops of the request in p7, less one; zero without drops.
        pub drops_less: Signal<In, Count>,
        /// Sign of the addend to the tx field, of the request in p7.
        pub tx_sign: Signal<In, Bit>,
        /// Word before the request in p7.
        pub old_p7: Signal<In, Word, WordView>,
        /// Word before the request in p9.
        pub old_p9: Signal<In, Word, WordView>,
        /// Word after the request in p7.
        pub result_p7: Signal<In, Word, WordView>,
        /// Word after the request in p9.
        pub result_p9: Signal<In, Word, WordView>,
        /// The request in p7 completes the phase.
        pub completes_p7: Signal<In, Bit>,
        /// The request in p9 completes the phase.
        pub completes_p9: Signal<In, Bit>,

        /// Mis-speculation: stages before p9 are flushed.
        pub surprise: Signal<Out, Bit>,
        /// Index in the ring of the first request to replay.
        pub again: OutReg<PositionBits>,
        /// Write enable of the memory (p9).
        pub write: Signal<Out, Bit>,
        /// Word index to write.
        pub write_index: OutReg<WordIndex>,
        /// The request in p9 is posted and faults for its word, whose fault bit is written next, unless the request is replayed.
        pub taints: OutControlReg<Bit>,

        /// A request takes effect (in p10, as all that follows).
        pub done: OutControlReg<Bit>,
        /// Answer valid.
        pub answer: OutControlReg<Bit>,
        /// Phase completed.
        pub flips: OutControlReg<Bit>,
        /// Word index.
        pub index: OutReg<WordIndex>,
        /// Tag.
        pub tag: OutReg<Tag>,
        /// Status.
        pub status: OutReg<StatusCode, StatusView>,
        /// Predicate of a wait.
        pub predicate: OutReg<Bit>,
        /// Token, word or pending count.
        pub data: OutReg<Word>,

        /// The request in p8 changes counts, and its word's fault bit is set or the tx-count leaves its range.
        pub unfit: Reg<Bit>,
        /// `unfit`, or a hazard.
        pub upset: Reg<Bit>,
        /// The fault bit of the word was set, in p8.
        pub faulted: Reg<Bit>,
        /// Carries out of the lower and of the upper half of pending field + arrivals - 1.
        pub pending_carry: Lanes<Reg<Bit>> = Lanes::new(2),
        /// Carry out of the upper half with a carry from the lower one.
        pub pending_passes: Reg<Bit>,
        /// Halves of the pending field that are zero.
        pub pending_empty: Lanes<Reg<Bit>> = Lanes::new(2),
        /// Carries out of the halves of expected field + drops - 1.
        pub expected_carry: Lanes<Reg<Bit>> = Lanes::new(2),
        /// Carry out of the upper half with a carry from the lower one.
        pub expected_passes: Reg<Bit>,
        /// Halves of the expected field that are zero.
        pub expected_empty: Lanes<Reg<Bit>> = Lanes::new(2),
        /// The tx-count leaves its range.
        pub tx_leaves: Reg<Bit>,
        /// The operation changes counts and has not completed the phase, and parts of the resulting counts are zero.
        pub zero: Lanes<Reg<Bit>> = Lanes::new(3),

        /// The request in p9 faults for its word, or is a hazard: one half of `surprise`, which is registered in two halves because it has
        /// more inputs than two levels of logic.
        pub upsets: ControlReg<Bit>,
        /// The request in p9 should have completed the phase: the other half of `surprise`.
        pub misses: ControlReg<Bit>,
        /// The request in p9 is replayed.
        pub redone: Reg<Bit>,
        /// The request in p9 writes its word, unless it is a mis-speculation.
        pub would_write: ControlReg<Bit>,
        /// The fault bit of the word of the request in p10 is written.
        pub writes_fault: ControlReg<Bit>,
        /// The request in p9 commits.
        pub commit: ControlReg<Bit>,
        /// The request in p9 faults for its word.
        pub faults_p9: Reg<Bit>,
        /// The fault bit of the word was set, in p9.
        pub faulted_p9: Reg<Bit>,
        /// Pending underflow, in p9.
        pub pending_fault_p9: Reg<Bit>,
        /// Expected underflow, in p9.
        pub expected_fault_p9: Reg<Bit>,
        /// Tx-count out of range, in p9.
        pub tx_fault_p9: Reg<Bit>,

        /// Halves of pending field + arrivals - 1.
        pub pending_reach: Lanes<Signal<Local, Bits<11>>> = Lanes::new(2),
        /// Upper half with a carry from the lower one.
        pub pending_reach_on: Signal<Local, Bits<12>>,
        /// Halves of expected field + drops - 1.
        pub expected_reach: Lanes<Signal<Local, Bits<11>>> = Lanes::new(2),
        /// Upper half with a carry from the lower one.
        pub expected_reach_on: Signal<Local, Bits<12>>,
        /// Pending underflow.
        pub pending_fault: Signal<Local, Bit>,
        /// Expected underflow.
        pub expected_fault: Signal<Local, Bit>,
        /// The operation faults for its word.
        pub faults: Signal<Local, Bit>,
        /// The operation should have completed the phase, and has not.
        pub missed: Signal<Local, Bit>,
        /// The operation is replayed.
        pub redo: Signal<Local, Bit>,
        /// Mask of the upper half in a token or a word.
        pub upper: Signal<Local, Word>,
        /// Mask of the lower half in a word.
        pub lower: Signal<Local, Word>,
        /// Mask of a pending count.
        pub count: Signal<Local, Word>,
        /// Successor of the request's index in the ring (see `ring.rs`).
        pub after: Signal<Local, PositionBits>,
        /// Request valid, and not flushed.
        pub stands: Signal<Local, Bit>,
    }
    constants {
        /// Mask of the upper half of the word, the state token.
        UPPER_HALF: Word = Bits::constant(0xffff_ffff_0000_0000);
        /// Mask of the lower half of the word, in which a pending count is returned.
        LOWER_HALF: Word = Bits::constant(0x0000_0000_ffff_ffff);
    }
    processes { Write, Weigh, Judge, Tell }
    /// A verdict.
    built by pub fn whole() {}
}

#[processes]
impl Verdict {
    fn write(&mut self) {
        self.surprise.next = self.upsets.q.val() | self.misses.q.val();
        self.write.next = (self.would_write.q.val() & !self.surprise.val()) | self.writes_fault.q.val();
    }

    fn weigh(&mut self) {
        self.faulted.d.next = self.old_p7.val().get_bit(word::FAULT.lsb);
        // carry of field + arrivals - 1: with more arrivals than are missing, the field passes zero. A carry chain of twenty bits takes too
        // long in an iCE40: the carry of the upper half is computed for both carries of the lower half
        self.pending_reach[0].next = bit_cast::<11, 10>(self.old_p7.val().get_bits::<10>(43))
            + bit_cast::<11, 10>(self.arrivals_less.val().get_bits::<10>(0));
        self.pending_carry[0].d.next = self.pending_reach[0].val().get_bit(10);
        self.pending_reach[1].next = bit_cast::<11, 10>(self.old_p7.val().get_bits::<10>(53))
            + bit_cast::<11, 10>(self.arrivals_less.val().get_bits::<10>(10));
        self.pending_carry[1].d.next = self.pending_reach[1].val().get_bit(10);
        self.pending_reach_on.next = ((bit_cast::<12, 10>(self.old_p7.val().get_bits::<10>(53)) << 1) | 1)
            + ((bit_cast::<12, 10>(self.arrivals_less.val().get_bits::<10>(10)) << 1) | 1);
        self.pending_passes.d.next = self.pending_reach_on.val().get_bit(11);
        self.expected_reach[0].next = bit_cast::<11, 10>(self.old_p7.val().get_bits::<10>(1))
            + bit_cast::<11, 10>(self.drops_less.val().get_bits::<10>(0));
        self.expected_carry[0].d.next = self.expected_reach[0].val().get_bit(10);
        self.expected_reach[1].next = bit_cast::<11, 10>(self.old_p7.val().get_bits::<10>(11))
            + bit_cast::<11, 10>(self.drops_less.val().get_bits::<10>(10));
        self.expected_carry[1].d.next = self.expected_reach[1].val().get_bit(10);
        self.expected_reach_on.next = ((bit_cast::<12, 10>(self.old_p7.val().get_bits::<10>(11)) << 1) | 1)
            + ((bit_cast::<12, 10>(self.drops_less.val().get_bits::<10>(10)) << 1) | 1);
        self.expected_passes.d.next = self.expected_reach_on.val().get_bit(11);
        self.pending_empty[0].d.next =
            self.kind_p7.val().get_bit(kind::ARRIVES) & !self.old_p7.val().get_bits::<10>(43).any();
        self.pending_empty[1].d.next = !self.old_p7.val().get_bits::<10>(53).any();
        self.expected_empty[0].d.next =
            self.kind_p7.val().get_bit(kind::LEAVES) & !self.old_p7.val().get_bits::<10>(1).any();
        self.expected_empty[1].d.next = !self.old_p7.val().get_bits::<10>(11).any();
        self.tx_leaves.d.next = (self.old_p7.val().get_bit(word::TX_SIGN) == self.tx_sign.val())
            & (self.result_p7.val().get_bit(word::TX_SIGN) != self.tx_sign.val());
        self.unfit.d.next = self.kind_p7.val().get_bit(kind::UPDATES)
            & (self.old_p7.val().get_bit(word::FAULT.lsb)
                | ((self.old_p7.val().get_bit(word::TX_SIGN) == self.tx_sign.val())
                    & (self.result_p7.val().get_bit(word::TX_SIGN) != self.tx_sign.val())));
        self.upset.d.next = self.hazard_p7.val()
            | (self.kind_p7.val().get_bit(kind::UPDATES)
                & (self.old_p7.val().get_bit(word::FAULT.lsb)
                    | ((self.old_p7.val().get_bit(word::TX_SIGN) == self.tx_sign.val())
                        & (self.result_p7.val().get_bit(word::TX_SIGN) != self.tx_sign.val()))));
        self.zero[0].d.next = self.kind_p7.val().get_bit(kind::UPDATES)
            & !self.completes_p7.val()
            & !self.result_p7.val().get_bits::<14>(43).any();
        self.zero[1].d.next =
            !self.result_p7.val().get_bits::<6>(57).any() & !self.result_p7.val().get_bits::<10>(21).any();
        self.zero[2].d.next = !self.result_p7.val().get_bits::<11>(31).any();
    }

    fn judge(&mut self) {
        self.pending_fault.next = self.pending_carry[1].q.val()
            | (self.pending_carry[0].q.val() & self.pending_passes.q.val())
            | (self.pending_empty[0].q.val() & self.pending_empty[1].q.val());
        self.expected_fault.next = self.expected_carry[1].q.val()
            | (self.expected_carry[0].q.val() & self.expected_passes.q.val())
            | (self.expected_empty[0].q.val() & self.expected_empty[1].q.val());
        self.faults.next = self.unfit.q.val() | self.pending_fault.val() | self.expected_fault.val();
        self.missed.next = self.zero[0].q.val() & self.zero[1].q.val() & self.zero[2].q.val();
        self.redo.next = self.hazard.val() | self.missed.val();
        self.stands.next = self.valid.val() & !self.surprise.val();
        self.after.next = (bit_cast::<5, 4>(self.position.val().get_bits::<4>(0)) << 1)
            | bit_cast::<5, 1>((self.position.val().get_bit(2) == self.position.val().get_bit(4)).into());
        // `upset` includes the hazard, which saves a level of logic
        self.upsets.d.next =
            self.stands.val() & (self.upset.q.val() | self.pending_fault.val() | self.expected_fault.val());
        self.misses.d.next = self.stands.val() & self.missed.val();
        self.again.d.next = self.after.val();
        if self.redo.val() {
            self.again.d.next = self.position.val();
        }
        self.commit.d.next = self.stands.val() & !self.redo.val();
        self.would_write.d.next = self.stands.val() & self.kind_p8.val().get_bit(kind::WRITES);
        self.writes_fault.d.next = self.taints.q.val() & !self.redone.q.val();
        self.write_index.d.next = self.index_p8.val();
        if self.taints.q.val() {
            self.write_index.d.next = self.index_p9.val();
        }
        self.taints.d.next = self.stands.val() & self.faults.val() & self.kind_p8.val().get_bit(kind::POSTED);
        self.redone.d.next = self.redo.val();
        self.faults_p9.d.next = self.faults.val();
        self.faulted_p9.d.next = self.faulted.q.val();
        self.pending_fault_p9.d.next = self.pending_fault.val();
        self.expected_fault_p9.d.next = self.expected_fault.val();
        self.tx_fault_p9.d.next = self.tx_leaves.q.val();
    }

    fn tell(&mut self) {
        self.done.d.next = self.commit.q.val();
        self.answer.d.next = self.commit.q.val() & !self.kind_p9.val().get_bit(kind::POSTED);
        self.flips.d.next = self.commit.q.val() & self.completes_p9.val() & !self.faults_p9.q.val();
        self.index.d.next = self.index_p9.val();
        self.tag.d.next = self.tag_p9.val();
        // in reverse order of precedence: the last cause found is the one reported
        self.status.d.next = self.kind_p9.val().get_bits::<STATUS_BITS>(kind::REFUSAL);
        if self.kind_p9.val().get_bit(kind::UPDATES) {
            if self.tx_fault_p9.q.val() {
                self.status.d.next = Status::TxRange.into();
            }
            if self.expected_fault_p9.q.val() {
                self.status.d.next = Status::ExpectedUnderflow.into();
            }
            if self.pending_fault_p9.q.val() {
                self.status.d.next = Status::PendingUnderflow.into();
            }
        }
        if (self.kind_p9.val().get_bit(kind::UPDATES) | self.kind_p9.val().get_bit(kind::WAITS))
            & self.faulted_p9.q.val()
        {
            self.status.d.next = Status::FaultedWord.into();
        }
        self.predicate.d.next = self.kind_p9.val().get_bit(kind::WAITS)
            & !self.faulted_p9.q.val()
            & (self.old_p9.val().get_bit(word::PHASE.lsb) != self.kind_p9.val().get_bit(kind::WAIT_PHASE));
        self.upper.next = 0.into();
        if self.kind_p9.val().get_bit(kind::REVEALS_UPPER) {
            self.upper.next = UPPER_HALF;
        }
        // the count to return was carried as an expected field
        self.lower.next = 0.into();
        if self.kind_p9.val().get_bit(kind::REVEALS_LOWER) & !self.kind_p9.val().get_bit(kind::COUNTS) {
            self.lower.next = LOWER_HALF;
        }
        self.count.next = 0.into();
        if self.kind_p9.val().get_bit(kind::COUNTS) {
            self.count.next = LOWER_HALF;
        }
        self.data.d.next = (self.old_p9.val() & (self.upper.val() | self.lower.val()))
            | (bit_cast::<64, TX_BITS>(self.result_p9.val().get_bits::<TX_BITS>(0)) & self.count.val());
    }
}
