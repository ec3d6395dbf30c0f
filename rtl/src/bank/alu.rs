//! The ALU: next word, phase completion and faults, from a word and three deltas.
//!
//! **What.** One operation enters in every cycle, also when every one of them hits the same word. An operation ends in
//! one of three ways:
//!
//! | outcome | when | the word becomes |
//! | --- | --- | --- |
//! | hold | it moves no counts, or it faults | what it was (with the sticky fault bit, if it faulted and is to mark that) |
//! | step | it moves counts and something is still missing | old fields + deltas |
//! | flip | both pending and tx-count reach zero | phase flipped, pending := expected, tx 0 |
//!
//! **Why this shape.** An operation on the word of the one just ahead needs that one's result a cycle later. Add, find
//! out whether the phase completed or a count overflowed, choose: in one cycle that is too long a path. So the outcome
//! of an operation is found one cycle *after* its sums, and the operation behind it computes its own sums for all three
//! outcomes of the one ahead, and chooses late:
//!
//! ```text
//!   c2 (this operation)   c3 update                                  c4 commit
//!   fetched ─┬─► stored ─► hold?  + deltas ─┐                  ┌► stepped ─► outcome ─► word ─► memory, answer,
//!            │             flip?  + deltas ─┼─► choose ────────┼► old           │              later operations
//!   old of ──┘             step?  + deltas ─┘     ▲            └► flags         │
//!   the one ahead           ▲      (if it follows the one ahead)                │
//!                           │                     └── outcome of the one ahead ─┤
//!                           └──────────────── stepped, flipped of the one ahead ┘
//! ```
//! If the one ahead is on another word, or holds, what counts is `stored`: the word that was fetched, or that the one
//! ahead found. Completion is an equality seen beside the add (`field == -delta`), not a zero test after it; underflow is
//! the carry of the sum. Nothing on the loop waits for a carry chain twice.
//!
//! **Groups.** The deltas may be the sums of several requests (see `combine.rs`). If its members arrive with a count of one, a phase may
//! complete before the last of them, or several may: see `overrun.rs`. Otherwise a group is done whole or not at all: it
//! `splits` if a member would fault, or if the phase might complete before the last of them, and then the bank sends its
//! members through one by one (`replaying`) while everything else stands still: they begin on `old`, and the operation
//! that was behind the group ends up behind the last of them.
//!
//! A group's order is: expected bytes, then arrivals, then completed bytes. Without a delta of nothing among them, its
//! phase can complete too early only where pending comes to zero and
//! * both bytes are expected and completed; or
//! * bytes are completed, and the tx-count does not go from above zero to zero or above; or
//! * bytes are expected without an arrival, and the tx-count goes from below zero (or zero) to above.
//!
//! The tx-count of a group that moves it both ways might leave its range on the way; a group is small (less than 2^19 each
//! way), so it cannot if the count is within 2^19 of zero.
//!
//! **Faults.** A field that is stored negative is `left` if it is not zero. It stays so while nothing is carried out of the
//! sum: then the new field is below zero. If it is not `left` any more and not `met` (zero) either, more was taken than was
//! there. So nothing is compared but for equality, and what is found for one operation is where the next begins. The tx-count
//! leaves its range exactly when the 21-bit sum overflows as a signed number: when its sign is not that of the 22-bit sum.
//!
//! Drawn from a run: `waves/gallery/blocks/fault.svg`.

use crate::bank::laps::ARRIVALS_BITS;
use crate::bank::overrun::Overrun;
use crate::hardware;
use crate::hdl::*;
use crate::sizes::Grouped;
use crate::word::{self, COUNT_BITS, TX_BITS};

/// Width of the tx field with one bit more.
const WIDE_TX_BITS: usize = TX_BITS + 1;
/// The tx field, sign-extended by one bit.
type WideTx = Bits<WIDE_TX_BITS>;

/// Width of a count with a carry.
const WIDE_COUNT_BITS: usize = COUNT_BITS + 1;
/// A count with a carry.
type WideCount = Bits<WIDE_COUNT_BITS>;

hardware! {
    /// ALU: one update of one word a cycle, possibly on the result of the update before.
    pub module Alu = "alu" {
        /// Register enable of c4.
        pub advance: Signal<In, Bit>,
        /// Register enable of c3.
        pub moves_on: Signal<In, Bit>,
        /// The operation in c3 is a member of a split group.
        pub replaying: Signal<In, Bit>,
        /// The operation is the first member of a split group.
        pub restart: Signal<In, Bit>,
        /// The operation is the last member of a split group.
        pub last: Signal<In, Bit>,
        /// The operation is a group.
        pub group: InStageReg<Bit>,
        /// The operation expects and completes bytes.
        pub mixed: InStageReg<Bit>,
        /// The operation completes bytes.
        pub completing: InStageReg<Bit>,
        /// The operation expects bytes and has no arrivals.
        pub expecting_alone: InStageReg<Bit>,
        /// All members that change counts are single arrivals (c3); present with several ports.
        pub singles: Lanes<Signal<In, Bit>> = Lanes::new(overruns),
        /// Word of the next operation, with the results of all operations but the one ahead of it (c2).
        pub fetched: Signal<In, Word, WordView>,
        /// The next operation is on the word that this one writes (c2 of the next, c3 of this one).
        pub followed: Signal<In, Bit>,
        /// Addend to the pending field (c3, as are all inputs from here on).
        pub arrivals: Signal<In, Count>,
        /// `arrivals`, negated.
        pub arrivals_negative: Signal<In, Count>,
        /// Addend to the expected field.
        pub drops: Signal<In, Count>,
        /// `drops`, negated.
        pub drops_negative: Signal<In, Count>,
        /// Addend to the tx field.
        pub tx: Signal<In, TxCount>,
        /// `tx`, negated.
        pub tx_negative: Signal<In, TxCount>,
        /// The operation changes counts.
        pub updates: Signal<In, Bit>,
        /// A fault sets the sticky bit.
        pub marks: Signal<In, Bit>,
        /// Bits of the word to replace.
        pub replace: Signal<In, Word>,
        /// New value of the bits to replace.
        pub insert: Signal<In, Word>,

        /// The word before the operation, with the bits to replace already replaced (c4, as are all outputs).
        pub old: OutStageReg<Word, WordView>,
        /// The word after the operation.
        pub word: Signal<Out, Word, WordView>,
        /// Phase completed.
        pub flips: Signal<Out, Bit>,
        /// Phases completed besides the first; present with several ports.
        pub more: Lanes<Signal<Out, Bits<3>>> = Lanes::new(overruns),
        /// The operation is a group that must be split.
        pub splits: Signal<Out, Bit>,
        /// Pending underflow: more arrivals than pending.
        pub pending_fault: Signal<Out, Bit>,
        /// Expected underflow: more drops than expected.
        pub expected_fault: Signal<Out, Bit>,
        /// Tx-count out of range.
        pub tx_fault: Signal<Out, Bit>,

        /// Groups in which a phase ends; present with several ports.
        pub overrun: Lanes<Overrun> = Lanes::new(overruns),
        /// Number of `overrun` blocks: 0 or 1.
        pub overruns: usize = overruns,
        /// The operation changes counts.
        pub moves: StageReg<Bit>,
        /// The word if the operation ahead does not change it.
        pub stored: Reg<Word, WordView>,
        /// The operation is on the same word as the one ahead.
        pub behind: Reg<Bit>,

        /// The word if the operation steps.
        pub stepped: StageReg<Word, WordView>,
        /// Pending would reach zero.
        pub pending_met: StageReg<Bit>,
        /// Both counts would reach zero.
        pub completes: StageReg<Bit>,
        /// Pending would not reach zero.
        pub pending_left: StageReg<Bit>,
        /// Expected would reach zero.
        pub expected_met: StageReg<Bit>,
        /// Expected would not reach zero.
        pub expected_left: StageReg<Bit>,
        /// The tx-count would reach zero.
        pub tx_met: StageReg<Bit>,
        /// Sign of the tx field before the operation.
        pub tx_sign: StageReg<Bit>,
        /// Sign that the new tx field would have with one bit more.
        pub tx_carry: StageReg<Bit>,
        /// The word holds, whatever the sums.
        pub holds: StageReg<Bit>,
        /// The word holds, or the next operation is on another word.
        pub holds_or_alone: StageReg<Bit>,
        /// A fault sets the sticky bit.
        pub taints: StageReg<Bit>,

        /// Any fault of a count.
        pub refuses: Signal<Local, Bit>,
        /// The phase of a group may complete before its last member.
        pub crosses: Signal<Local, Bit>,
        /// The tx-count of a group may leave its range before its last member.
        pub strays: Signal<Local, Bit>,
        /// The next operation follows the one in c3 on the same word.
        pub follower: Signal<Local, Bit>,
        /// Word after a hold.
        pub held: Signal<Local, Word, WordView>,
        /// Word after a flip.
        pub flipped: Signal<Local, Word, WordView>,

        /// Select the sums on the word that the operation ahead does not change.
        pub choose_held: Signal<Local, Bit>,
        /// Word that the operation ahead does not change.
        pub kept: Signal<Local, Word, WordView>,
        /// The word before this operation.
        pub base: Signal<Local, Word, WordView>,
        /// The word before this operation, with the bits to replace already replaced.
        pub found: Signal<Local, Word, WordView>,
        /// New pending field, with carry.
        pub pending_sum: Signal<Local, WideCount>,
        /// New tx field, one bit wider.
        pub tx_sum: Signal<Local, WideTx>,
        /// Addend to the tx field, one bit wider.
        pub tx_wide: Signal<Local, WideTx>,
        /// New expected field, with carry.
        pub expected_sum: Signal<Local, WideCount>,
        /// Pending field if the operation ahead holds.
        pub kept_pending: Signal<Local, Count>,
        /// Tx field if the operation ahead holds.
        pub kept_tx: Signal<Local, TxCount>,
        /// `kept_tx`, one bit wider.
        pub kept_wide: Signal<Local, WideTx>,
        /// Expected field if the operation ahead holds.
        pub kept_expected: Signal<Local, Count>,
        /// Pending field if the operation ahead steps.
        pub stepped_pending: Signal<Local, Count>,
        /// Tx field if the operation ahead steps.
        pub stepped_tx: Signal<Local, TxCount>,
        /// `stepped_tx`, one bit wider.
        pub stepped_wide: Signal<Local, WideTx>,
        /// Expected field if the operation ahead steps or flips, and pending field if it flips.
        pub stepped_expected: Signal<Local, Count>,
    }
    constants {
        /// The phase bit.
        PHASE: Word = Bits::constant(word::PHASE.mask());
        /// The sticky fault bit.
        FAULT: Word = Bits::constant(word::FAULT.mask());
        /// The fields that a flip keeps.
        KEPT_BY_FLIP: Word = Bits::constant(word::EXPECTED.mask() | word::UNUSED.mask());
        /// The expected field.
        EXPECTED: Word = Bits::constant(word::EXPECTED.mask());
        /// The fields that a step keeps.
        KEPT_BY_STEP: Word = Bits::constant(word::PHASE.mask() | word::FAULT.mask() | word::UNUSED.mask());
    }
    processes { Commit, Update, Overtake }
    staged by advance
    /// An ALU; `overruns` if a phase may end within a group.
    built by pub fn new(overruns: bool) {
        let overruns = overruns as usize;
    }
}

#[processes]
impl Alu {
    fn commit(&mut self) {
        self.tx_fault.next = self.tx_carry.q.val() != self.stepped.q.val().get_bit(word::TX_SIGN);
        self.pending_fault.next = !self.pending_left.q.val() & !self.pending_met.q.val();
        self.expected_fault.next = !self.expected_left.q.val() & !self.expected_met.q.val();
        for o in 0..self.overruns {
            if self.overrun[o].over.q.val() {
                self.pending_fault.next = false;
            }
        }
        self.refuses.next = self.pending_fault.val() | self.expected_fault.val() | self.tx_fault.val();
        self.crosses.next = self.pending_met.q.val()
            & (self.mixed.q.val()
                | (self.completing.q.val()
                    & !(self.tx_sign.q.val() & (self.stepped.q.val().get_bit(word::TX_SIGN) | self.tx_met.q.val())))
                | (self.expecting_alone.q.val() & !self.tx_sign.q.val() & self.stepped.q.val().get_bit(word::TX_SIGN)));
        self.strays.next = self.mixed.q.val()
            & (self.old.q.val().get_bit(word::TX_SIGN) != self.old.q.val().get_bit(word::TX_SIGN - 1));
        self.splits.next = self.group.q.val()
            & (self.old.q.val().get_bit(word::FAULT.lsb)
                | (self.moves.q.val() & (self.refuses.val() | self.crosses.val() | self.strays.val())));
        self.flips.next = self.completes.q.val() & !self.refuses.val() & !self.holds.q.val() & !self.splits.val();
        for o in 0..self.overruns {
            self.more[o].next = 0.into();
            if self.overrun[o].over.q.val() {
                self.flips.next = !self.refuses.val() & !self.holds.q.val() & !self.splits.val();
                self.more[o].next = self.overrun[o].more.q.val();
            }
        }

        self.held.next = self.old.q.val();
        if self.taints.q.val() {
            self.held.next = self.old.q.val() | FAULT;
        }
        self.flipped.next = (self.stepped.q.val() & KEPT_BY_FLIP)
            | ((self.stepped.q.val() & EXPECTED) << (word::PENDING.lsb - word::EXPECTED.lsb))
            | (!self.stepped.q.val() & PHASE);
        for o in 0..self.overruns {
            if self.overrun[o].over.q.val() {
                self.flipped.next = (self.stepped.q.val() & KEPT_BY_FLIP)
                    | self.overrun[o].reload_field.val()
                    | (!self.stepped.q.val() & PHASE);
                if self.overrun[o].more.q.val().get_bit(0) {
                    self.flipped.next =
                        (self.stepped.q.val() & (KEPT_BY_FLIP | PHASE)) | self.overrun[o].reload_field.val();
                }
            }
        }
        self.word.next = self.stepped.q.val();
        if self.completes.q.val() {
            self.word.next = self.flipped.val();
        }
        for o in 0..self.overruns {
            if self.overrun[o].over.q.val() {
                self.word.next = self.flipped.val();
            }
        }
        if self.holds.q.val() | self.refuses.val() {
            self.word.next = self.held.val();
        }
    }

    fn update(&mut self) {
        self.choose_held.next = self.holds_or_alone.q.val() | self.refuses.val() | self.restart.val();
        // the word before this operation, for each way the one ahead may end
        self.kept.next = self.stored.q.val();
        if self.behind.q.val() & self.taints.q.val() {
            self.kept.next = self.stored.q.val() | FAULT;
        }
        if self.replaying.val() {
            self.kept.next = self.old.q.val();
            if self.taints.q.val() & !self.restart.val() {
                self.kept.next = self.old.q.val() | FAULT;
            }
        }
        self.kept_pending.next = self.kept.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
        self.kept_tx.next = self.kept.val().get_bits::<TX_BITS>(word::TX.lsb);
        self.kept_expected.next = self.kept.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb);
        self.stepped_pending.next = self.stepped.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
        self.stepped_tx.next = self.stepped.q.val().get_bits::<TX_BITS>(word::TX.lsb);
        self.stepped_expected.next = self.stepped.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb);

        // a sum leaves the range of the tx field if it is wrong without one bit more
        self.tx_wide.next = bit_cast::<WIDE_TX_BITS, TX_BITS>(self.tx.val())
            | (bit_cast::<WIDE_TX_BITS, 1>(self.tx.val().get_bit(word::TX_BITS - 1).into()) << word::TX_BITS);
        self.kept_wide.next = bit_cast::<WIDE_TX_BITS, TX_BITS>(self.kept_tx.val())
            | (bit_cast::<WIDE_TX_BITS, 1>(self.kept_tx.val().get_bit(word::TX_BITS - 1).into()) << word::TX_BITS);
        self.stepped_wide.next = bit_cast::<WIDE_TX_BITS, TX_BITS>(self.stepped_tx.val())
            | (bit_cast::<WIDE_TX_BITS, 1>(self.stepped_tx.val().get_bit(word::TX_BITS - 1).into()) << word::TX_BITS);

        // the one ahead stepped
        self.base.next = self.stepped.q.val();
        self.pending_sum.next = bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.stepped_pending.val())
            + bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.arrivals.val());
        self.pending_left.d.next = self.pending_left.q.val() & !self.pending_sum.val().get_bit(word::COUNT_BITS);
        self.tx_sum.next = self.stepped_wide.val() + self.tx_wide.val();
        self.expected_sum.next = bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.stepped_expected.val())
            + bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.drops.val());
        self.expected_left.d.next = self.expected_left.q.val() & !self.expected_sum.val().get_bit(word::COUNT_BITS);
        self.expected_met.d.next = self.stepped_expected.val() == self.drops_negative.val();
        self.pending_met.d.next = self.stepped_pending.val() == self.arrivals_negative.val();
        self.tx_met.d.next = self.stepped_tx.val() == self.tx_negative.val();
        self.completes.d.next = (self.stepped_pending.val() == self.arrivals_negative.val())
            & (self.stepped_tx.val() == self.tx_negative.val());
        self.tx_sign.d.next = self.stepped_tx.val().get_bit(word::TX_BITS - 1);
        // it flipped the phase: pending is what was expected, the tx-count is zero
        if self.completes.q.val() {
            self.base.next = self.flipped.val();
            self.pending_sum.next = bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.stepped_expected.val())
                + bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.arrivals.val());
            self.pending_left.d.next = self.expected_left.q.val() & !self.pending_sum.val().get_bit(word::COUNT_BITS);
            self.tx_sum.next = self.tx_wide.val();
            self.pending_met.d.next = self.stepped_expected.val() == self.arrivals_negative.val();
            self.tx_met.d.next = !self.tx.val().any();
            self.completes.d.next =
                (self.stepped_expected.val() == self.arrivals_negative.val()) & !self.tx.val().any();
            self.tx_sign.d.next = false;
        }
        // or several
        for o in 0..self.overruns {
            if self.overrun[o].over.q.val() {
                self.base.next = self.flipped.val();
                self.pending_sum.next =
                    self.overrun[o].reload_wide.val() + bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.arrivals.val());
                self.pending_left.d.next = !self.pending_sum.val().get_bit(word::COUNT_BITS);
                self.tx_sum.next = self.tx_wide.val();
                self.pending_met.d.next = self.overrun[o].reload.q.val() == self.arrivals_negative.val();
                self.tx_met.d.next = !self.tx.val().any();
                self.completes.d.next =
                    (self.overrun[o].reload.q.val() == self.arrivals_negative.val()) & !self.tx.val().any();
                self.tx_sign.d.next = false;
            }
        }
        self.found.next = (self.base.val() & !self.replace.val()) | self.insert.val();
        // it changed no counts, or is on another word: known last, chosen last
        if self.choose_held.val() {
            self.base.next = self.kept.val();
            self.found.next = (self.kept.val() & !self.replace.val()) | self.insert.val();
            self.pending_sum.next = bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.kept_pending.val())
                + bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.arrivals.val());
            self.pending_left.d.next =
                self.kept_pending.val().any() & !self.pending_sum.val().get_bit(word::COUNT_BITS);
            self.tx_sum.next = self.kept_wide.val() + self.tx_wide.val();
            self.expected_sum.next = bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.kept_expected.val())
                + bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.drops.val());
            self.expected_left.d.next =
                self.kept_expected.val().any() & !self.expected_sum.val().get_bit(word::COUNT_BITS);
            self.expected_met.d.next = self.kept_expected.val() == self.drops_negative.val();
            self.pending_met.d.next = self.kept_pending.val() == self.arrivals_negative.val();
            self.tx_met.d.next = self.kept_tx.val() == self.tx_negative.val();
            self.completes.d.next = (self.kept_pending.val() == self.arrivals_negative.val())
                & (self.kept_tx.val() == self.tx_negative.val());
            self.tx_sign.d.next = self.kept_tx.val().get_bit(word::TX_BITS - 1);
        }

        self.old.d.next = self.found.val();
        self.stored.d.next = self.fetched.val();
        if self.followed.val() {
            self.stored.d.next = self.found.val();
        }
        self.behind.d.next = self.followed.val();
        self.follower.next = self.followed.val();
        if !self.moves_on.val() {
            // the operation that was behind the group is now behind the member in c3
            self.stored.d.next = self.stored.q.val();
            if self.behind.q.val() & self.replaying.val() {
                self.stored.d.next = self.found.val();
            }
            self.behind.d.next = self.behind.q.val();
            self.follower.next = self.behind.q.val() | !self.last.val();
        }
        self.stepped.d.next = (self.base.val() & KEPT_BY_STEP)
            | (bit_cast::<64, COUNT_BITS>(self.pending_sum.val().get_bits::<COUNT_BITS>(0)) << word::PENDING.lsb)
            | (bit_cast::<64, TX_BITS>(self.tx_sum.val().get_bits::<TX_BITS>(0)) << word::TX.lsb)
            | (bit_cast::<64, COUNT_BITS>(self.expected_sum.val().get_bits::<COUNT_BITS>(0)) << word::EXPECTED.lsb);
        self.tx_carry.d.next = self.tx_sum.val().get_bit(word::TX_BITS);
        self.moves.d.next = self.updates.val();
        self.taints.d.next = self.updates.val() & self.marks.val();
        self.holds.d.next = !self.updates.val() | (self.choose_held.val() & self.kept.val().get_bit(word::FAULT.lsb));
        self.holds_or_alone.d.next = !self.updates.val()
            | (self.choose_held.val() & self.kept.val().get_bit(word::FAULT.lsb))
            | !self.follower.val();
    }

    /// End of a phase within a group (c3). After the update.
    fn overtake(&mut self) {
        for o in 0..self.overruns {
            self.overrun[o].advance.next = self.advance.val();
            self.overrun[o].singles.next = self.singles[o].val();
            self.overrun[o].arrivals.next = self.arrivals.val().get_bits::<ARRIVALS_BITS>(0);
            connect!(self.overrun[o].* <<= self.*: kept_pending, kept_expected, stepped_pending, stepped_expected,
                completes, choose_held);
            self.overrun[o].tx_met.next = self.tx_met.d.val();
        }
    }
}

impl<const PORTS: usize> Counts<Grouped<PORTS>> for Alu {
    #[inline(always)]
    fn counts(&self, each: &mut impl FnMut(usize, usize)) {
        counts!(self, each: (PORTS > 1) as usize => overruns, singles, more, overrun);
    }
}

#[cfg(test)]
mod tests;
