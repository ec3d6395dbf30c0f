//! The single-port high-clock build: one port, one bank.
//!
//! **What.** Same function and pins as [`bank`](crate::bank) and the blocks around it, one operation a cycle on any pattern of addresses;
//! but no stage has more than two levels of logic, or a carry chain. The price is latency: 16 cycles from a request to its answer.
//!
//! ```text
//!   cycle     0    1   2   3   4      5   6   7   8    9   10  11   12  13  14   15     16
//!   stage          a1  -   -   -      p0  p1  p2  p3   p4  p5  p6   p7  p8  p9   p10    -
//!   req ────► [ intake ]─► ring ────► [ lookahead  ]─► [ accumulator         ]         rsp
//!                               ▲      [ memory ... ]   └─► [ verdict             ]─► answers
//!                               │                                      │         done
//!                               └──────────────── replay ──────────────┘
//! ```
//! **How.** *Speculate and flush.* An operation may follow one on the same word that is still in the loop of the accumulator: the
//! sums of the deltas ahead are computed before the word is there (`lookahead.rs`), on the assumption that none of them faults.
//! The completion of a phase is expected: words for both cases are computed, and selected late (`accumulator.rs`). A
//! fault is a mis-speculation: the word stays as it is, everything behind is flushed before it has written anything, and is read
//! again from the ring (`verdict.rs`; the signal is called `surprise`). That takes twelve cycles.
//!
//! **Rates.** One operation a cycle, except for mis-speculations: an operation that faults because of its word; one that completes
//! a phase while one that did so on the same word is one or two ahead of it; one that counts on a word that is stored to one or
//! two ahead of it, or the other way round if not all bytes are stored.
//!
//! **Flow control.** A request is accepted only if there is an entry for it in the ring until it commits, and one for its answer. The
//! counts are delayed, so of 31 entries up to seven stay free.
//!
//! Drawn from a run: `waves/gallery/blocks/high_clock.svg`.

pub mod accumulator;
pub mod answers;
pub mod intake;
pub mod kind;
pub mod lookahead;
pub mod ring;
pub mod train;
pub mod unit;
pub mod verdict;

use crate::hardware;
use crate::hdl::*;
use crate::pins::{Operation, PortAnswer};
use crate::word::parameters::{Build, HIGH_CLOCK_ENTRIES, HIGH_CLOCK_ROOM, Parameters};
use crate::word::status::Status;
use accumulator::Accumulator;
use answers::Answers;
use intake::Intake;
use lookahead::Lookahead;
use ring::Ring;
use train::Train;
use verdict::Verdict;

/// Cycles from the acceptance of a request to its answer, without contention.
pub const LATENCY: usize = Build::HighClock.latency();

/// Entries of the ring and of the response queue's memory; one is never used.
pub const ENTRIES: usize = HIGH_CLOCK_ENTRIES;

/// Requests and answers that there is always room for.
pub const ROOM: usize = HIGH_CLOCK_ROOM;

/// Cycles that a mis-speculation costs: flush, and replay from the ring.
pub const FLUSH_CYCLES: usize = 12;

/// Maximum number of registers in a row.
pub(crate) const STAGES: usize = 16;

/// Index in the ring.
pub type PositionBits = Bits<5>;

/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

hardware! {
    /// The deep pipeline: one port, one bank, at a high clock.
    pub module Deep = "deep" {
        /// Request accepted.
        pub accept: Signal<In, Bit>,
        /// Request.
        pub req: Flat<Operation<In>>,
        /// The port accepts the answer at the output.
        pub ready: Signal<In, Bit>,

        /// Space for one more request.
        pub room: OutControlReg<Bit>,
        /// Answer valid.
        pub rsp_valid: Signal<Out, Bit>,
        /// Answer.
        pub rsp: PortAnswer<Out>,
        /// A request takes effect.
        pub done: Signal<Out, Bit>,
        /// Tag of that request.
        pub done_tag: Signal<Out, Tag>,
        /// Status of that request.
        pub done_status: Signal<Out, StatusCode, StatusView>,
        /// Index of its word.
        pub done_index: Signal<Out, WordIndex>,
        /// Phase completed.
        pub flips: Signal<Out, Bit>,

        /// Stages after p0 that a request is compared with.
        pub indexed: usize = 8,
        /// Intake.
        pub intake: Intake = Intake::new(parameters.words),
        /// Ring.
        pub ring: Ring = Ring::empty(),
        /// Train.
        pub train: Train = Train::whole(),
        /// Lookahead.
        pub lookahead: Lookahead = Lookahead::whole(),
        /// Accumulator.
        pub accumulator: Accumulator = Accumulator::new(parameters.words),
        /// Verdict.
        pub verdict: Verdict = Verdict::whole(),
        /// Answers.
        pub answers: Answers = Answers::empty(),
        /// Requests in the ring, or on their way to it.
        pub under_way: ControlReg<Bits<6>>,
        /// Answers outstanding.
        pub owed: ControlReg<Bits<6>>,

        /// Increment of `under_way`.
        pub starts: ControlReg<Bit>,
        /// Decrement of `under_way`.
        pub ends: ControlReg<Bit>,
        /// Change of `under_way`: 1, 0 or -1.
        pub step: Signal<Local, Bits<6>>,
        /// Increment of `owed`.
        pub owes: ControlReg<Bit>,
        /// Decrement of `owed`.
        pub pays: ControlReg<Bit>,
        /// Change of `owed`: 1, 0 or -1.
        pub owed_step: Signal<Local, Bits<6>>,
        /// A request that will be answered was accepted.
        pub promised: Signal<Local, Bit>,
        /// Status, predicate and tag of the answer at the output.
        pub outcome: Signal<Local, Outcome>,
    }
    constants {
        /// -1, in two's complement.
        LESS: Bits<6> = Bits::constant(63);
    }
    processes { Show, Enter, Feed, Travel, Look, Loop, Weigh, Answer, Count }
    /// A deep pipeline with these parameters.
    built by pub fn new(parameters: &Parameters) {}
}

#[processes]
impl Deep {
    fn show(&mut self) {
        self.rsp_valid.next = self.answers.valid[0].q.val();
        self.outcome.next = self.answers.shown.val();
        self.rsp.status.next = self.outcome.val().get_bits::<STATUS_BITS>(0);
        self.rsp.predicate.next = self.outcome.val().get_bit(Status::BITS);
        self.rsp.tag.next = self.outcome.val().get_bits::<TAG>(Status::BITS + 1);
        self.rsp.data.next = self.answers.shown_data.val();
        self.done.next = self.verdict.done.q.val();
        connect!(self.done_* <<= self.verdict.*: tag, status, index);
        self.flips.next = self.verdict.flips.q.val();
    }

    fn enter(&mut self) {
        self.intake.valid.next = self.accept.val();
        self.intake.req <<= self.req;
    }

    fn feed(&mut self) {
        self.ring.push.next = self.intake.valid_a1.q.val();
        connect!(self.ring.push_* <<= self.intake.*: kind, mask);
        self.ring.push_data.next = self.intake.data_a1.q.val();
        self.ring.push_negative.next = self.intake.negative.val();
        self.ring.push_index.next = self.intake.index_a1.q.val();
        self.ring.push_tag.next = self.intake.tag_a1.q.val();
        connect!(self.ring.* <<= self.verdict.*: surprise, again);
    }

    fn travel(&mut self) {
        self.train.surprise.next = self.verdict.surprise.val();
        connect!(self.train.* <<= self.ring.*: valid, position, kind, index, tag);
    }

    fn look(&mut self) {
        connect!(self.lookahead.* <<= self.ring.*: kind, mask, data, negative, early_index);
        self.lookahead.indices[0].next = self.ring.index.q.val();
        self.lookahead.kinds[0].next = self.train.kinds[0].q.val();
        self.lookahead.kinds[1].next = self.train.kinds[1].q.val();
        self.lookahead.kinds[2].next = self.train.kinds[2].q.val();
        self.lookahead.leaves.next = self.train.kinds[5].q.val().get_bit(kind::LEAVES);
        self.lookahead.live <<= self.train.live;
        for s in 0..self.indexed {
            self.lookahead.indices[s + 1].next = self.train.indices[s].q.val();
        }
    }

    fn r#loop(&mut self) {
        self.accumulator.row.next = bit_cast::<ROW_INDEX, WORD_INDEX>(self.ring.index.q.val());
        self.accumulator.same <<= self.lookahead.same;
        connect!(self.accumulator.* <<= self.lookahead.*: keeps, total, total_negative, reload1, reload2, tx1, tx2);
        self.accumulator.updates.next = self.train.kinds[3].q.val().get_bit(kind::UPDATES);
        self.accumulator.follows1.next = self.lookahead.follows1[3].q.val();
        self.accumulator.follows2.next = self.lookahead.follows2[2].q.val();
        connect!(self.accumulator.* <<= self.lookahead.*[4]: behind1, behind2);
        self.accumulator.write.next = self.verdict.write.val();
        self.accumulator.write_row.next = bit_cast::<ROW_INDEX, WORD_INDEX>(self.verdict.write_index.q.val());
        self.accumulator.taints.next = self.verdict.taints.q.val();
        self.accumulator.tainted.next = self.accumulator.old[2].q.val();
    }

    fn weigh(&mut self) {
        self.verdict.kind_p7.next = self.train.kinds[6].q.val();
        self.verdict.kind_p8.next = self.train.kinds[7].q.val();
        self.verdict.kind_p9.next = self.train.kinds[8].q.val();
        self.verdict.valid.next = self.train.there[7].q.val();
        self.verdict.position.next = self.train.place[7].q.val();
        self.verdict.index_p8.next = self.train.indices[7].q.val();
        self.verdict.index_p9.next = self.train.indices[8].q.val();
        self.verdict.tag_p9.next = self.train.tags[8].q.val();
        self.verdict.hazard_p7.next = self.lookahead.hazard[5].q.val();
        self.verdict.hazard.next = self.lookahead.hazard[6].q.val();
        self.verdict.arrivals_less.next = self.lookahead.arrivals_less[5].q.val();
        self.verdict.drops_less.next = self.lookahead.drops_less.q.val();
        self.verdict.tx_sign.next = self.lookahead.tx_sign[5].q.val();
        self.verdict.old_p7.next = self.accumulator.old[0].q.val();
        self.verdict.old_p9.next = self.accumulator.old[2].q.val();
        self.verdict.result_p7.next = self.accumulator.result[0].q.val();
        self.verdict.result_p9.next = self.accumulator.result[2].q.val();
        self.verdict.completes_p7.next = self.accumulator.completes[0].q.val();
        self.verdict.completes_p9.next = self.accumulator.completes[2].q.val();
    }

    fn answer(&mut self) {
        self.answers.push.next = self.verdict.answer.q.val();
        connect!(self.answers.push_* <<= self.verdict.*: tag, status, predicate, data);
        self.answers.ready.next = self.ready.val();
    }

    fn count(&mut self) {
        self.promised.next = self.intake.valid_a1.q.val() & !self.intake.posted.q.val();
        self.starts.d.next = self.intake.valid_a1.q.val() & !self.verdict.done.q.val();
        self.ends.d.next = self.verdict.done.q.val() & !self.intake.valid_a1.q.val();
        self.owes.d.next = self.promised.val() & !self.answers.taken.q.val();
        self.pays.d.next = self.answers.taken.q.val() & !self.promised.val();
        // plus one, minus one, or zero
        self.step.next = bit_cast::<6, 1>(self.starts.q.val().into());
        if self.ends.q.val() {
            self.step.next = LESS;
        }
        self.under_way.d.next = self.under_way.q.val() + self.step.val();
        self.owed_step.next = bit_cast::<6, 1>(self.owes.q.val().into());
        if self.pays.q.val() {
            self.owed_step.next = LESS;
        }
        self.owed.d.next = self.owed.q.val() + self.owed_step.val();
        // below 24: up to five may be on their way into the counters
        self.room.d.next = !(self.under_way.q.val().get_bit(5)
            | (self.under_way.q.val().get_bits::<2>(3) == 3)
            | self.owed.q.val().get_bit(5)
            | (self.owed.q.val().get_bits::<2>(3) == 3));
    }
}
