//! Lane: the pipeline of one request port (not a lane of a warp). It carries the part of a request that the bank does not need, in step
//! with the bank's pipeline, and combines it with the bank's outcome in c4.
//!
//! ```text
//!   c2 (inputs)                c3               c4
//!   deltas of those ahead ───► ───────────────► + old word ──► token
//!   tag, refusal, ... ───────► ───────────────► status, predicate, data
//! ```
//! In a group the members come in this order: loads, those that only expect bytes, arrivals, those that complete bytes,
//! waits; in each kind, by port. So a load sees the old word, a token the arrivals and the expected bytes ahead of it, and
//! a wait whether the group completes the phase. A phase may end among single arrivals ([`crate::bank::overrun`]): then those behind the one that ends it see the
//! next one, and a wait sees what all of them leave: if two phases have completed, the phase bit is what it was.

use crate::bank::laps::{ARRIVALS_BITS, Laps};
use crate::hardware;
use crate::hdl::*;
use crate::sizes::Grouped;
use crate::word::status::Status;
use crate::word::{self, COUNT_BITS, TX_BITS};

hardware! {
    /// Lane: pipeline of a request beside the bank, and its answer.
    pub module Lane = "lane" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Tag of the request in c1.
        pub tag: InStageReg<Tag>,
        /// Index of its word.
        pub index: InStageReg<WordIndex>,

        /// Refusal status of the request in c2.
        pub refusal: InStageReg<StatusCode, StatusView>,
        /// Posted request: no answer.
        pub posted: InStageReg<Bit>,
        /// The answer is a predicate.
        pub waits: InStageReg<Bit>,
        /// Phase that the wait tests for completion.
        pub wait_phase: InStageReg<Bit>,
        /// The answer carries the upper half of the old word.
        pub reveal_upper: InStageReg<Bit>,
        /// The answer carries the lower half of the old word.
        pub reveal_lower: InStageReg<Bit>,
        /// The request changes counts.
        pub updates: InStageReg<Bit>,
        /// Sum of the pending addends of the members ahead of it in its group.
        pub ahead: InStageReg<Count>,
        /// Sum of their tx addends.
        pub ahead_tx: InStageReg<TxCount>,

        /// The request in c4 is performed in this cycle.
        pub done: Signal<In, Bit>,
        /// The request is replayed alone, not with its group.
        pub replayed: Signal<In, Bit>,
        /// The bank's word before the group, or before the replayed request.
        pub old: Signal<In, Word, WordView>,
        /// Fault of a count; `ok` if there is none.
        pub fault: Signal<In, StatusCode, StatusView>,
        /// The group inverts the phase bit.
        pub flips: Signal<In, Bit>,

        /// Answer valid.
        pub answer: Signal<Out, Bit>,
        /// Tag of the request in c4.
        pub tag_c4: OutStageReg<Tag>,
        /// Index of the word of the request in c4.
        pub index_c4: OutStageReg<WordIndex>,
        /// Status.
        pub status: Signal<Out, StatusCode, StatusView>,
        /// The predicate of a wait.
        pub predicate: Signal<Out, Bit>,
        /// Token, word or pending count; undefined after a fault.
        pub content: Signal<Out, Word>,

        /// The request in c4 changes counts.
        pub updates_c4: StageReg<Bit>,
        /// The request in c4 is posted.
        pub posted_c4: StageReg<Bit>,
        /// Tag in c2.
        pub tag_c2: StageReg<Tag>,
        /// Word index in c2.
        pub index_c2: StageReg<WordIndex>,
        /// Tag in c3.
        pub tag_c3: StageReg<Tag>,
        /// Word index in c3.
        pub index_c3: StageReg<WordIndex>,
        /// Refusal status of the request in c4.
        pub refusal_c4: StageReg<StatusCode, StatusView>,
        /// The answer of the request in c4 is a predicate.
        pub waits_c4: StageReg<Bit>,
        /// Phase that the request in c4 tests for completion.
        pub wait_phase_c4: StageReg<Bit>,
        /// The answer in c4 carries the upper half of the old word.
        pub reveal_upper_c4: StageReg<Bit>,
        /// The answer in c4 carries the lower half of the old word.
        pub reveal_lower_c4: StageReg<Bit>,
        /// Sum of the pending addends of the members ahead, in c4.
        pub ahead_c4: StageReg<Count>,
        /// Sum of the tx addends of the members ahead, in c4.
        pub ahead_tx_c4: StageReg<TxCount>,

        /// State of the barrier after the members ahead; present if phases may end within groups.
        pub laps: Lanes<Laps> = Lanes::new(overruns as usize),
        /// Number of `laps` blocks: 0 or 1.
        pub overruns: usize = overruns as usize,
        /// The word's fault bit.
        pub faulted: Signal<Local, Bit>,
        /// Pending field before the request.
        pub pending: Signal<Local, Count>,
        /// Tx field before the request.
        pub tx_before: Signal<Local, TxCount>,
    }
    constants {
        /// Mask of the upper half of the word, the state token, without the fields that members ahead change.
        UPPER_REST: Word = Bits::constant(0xffff_ffff_0000_0000 & !(word::PENDING.mask() | word::TX.mask()));
        /// Mask of the lower half of the word, in which a pending count is returned.
        LOWER_HALF: Word = Bits::constant(0x0000_0000_ffff_ffff);
        /// Mask of the tx field's bits in the upper half.
        UPPER_TX: Word = Bits::constant(word::TX.mask() & 0xffff_ffff_0000_0000);
        /// The phase bit.
        PHASE: Word = Bits::constant(word::PHASE.mask());
    }
    processes { Follow, Answer, Carry }
    staged by advance
    /// A lane; `overruns` if phases may end within groups.
    built by pub fn new(overruns: bool) {}
}

#[processes]
impl Lane {
    /// Members ahead of the request, among which a phase may end.
    fn follow(&mut self) {
        for l in 0..self.overruns {
            self.laps[l].pending.next = self.old.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
            self.laps[l].expected.next = self.old.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb);
            self.laps[l].arrivals.next = self.ahead_c4.q.val().get_bits::<ARRIVALS_BITS>(0);
        }
    }

    fn answer(&mut self) {
        self.faulted.next = self.old.val().get_bit(word::FAULT.lsb);
        // in reverse order of precedence: the last cause found is the one reported
        self.status.next = Status::Ok.into();
        if self.updates_c4.q.val() {
            self.status.next = self.fault.val();
        }
        if (self.updates_c4.q.val() | self.waits_c4.q.val()) & self.faulted.val() {
            self.status.next = Status::FaultedWord.into();
        }
        if self.refusal_c4.q.val() != Status::Ok {
            self.status.next = self.refusal_c4.q.val();
        }
        self.predicate.next = self.waits_c4.q.val()
            & !self.faulted.val()
            & ((self.old.val().get_bit(word::PHASE.lsb) != self.wait_phase_c4.q.val()) != self.flips.val());

        self.pending.next = self.old.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
        self.tx_before.next = self.old.val().get_bits::<TX_BITS>(word::TX.lsb);
        if !self.replayed.val() {
            self.pending.next = self.old.val().get_bits::<COUNT_BITS>(word::PENDING.lsb) + self.ahead_c4.q.val();
            self.tx_before.next = self.old.val().get_bits::<TX_BITS>(word::TX.lsb) + self.ahead_tx_c4.q.val();
            for l in 0..self.overruns {
                if self.laps[l].reaches.val() {
                    self.pending.next = self.laps[l].left.val();
                }
            }
        }
        self.content.next = 0.into();
        if self.reveal_upper_c4.q.val() {
            self.content.next = (self.old.val() & UPPER_REST)
                | (bit_cast::<64, COUNT_BITS>(self.pending.val()) << word::PENDING.lsb)
                | ((bit_cast::<64, TX_BITS>(self.tx_before.val()) << word::TX.lsb) & UPPER_TX);
            for l in 0..self.overruns {
                if self.laps[l].reaches.val() & !self.laps[l].further.val().get_bit(0) & !self.replayed.val() {
                    self.content.next = self.content.val() ^ PHASE;
                }
            }
        }
        if self.reveal_lower_c4.q.val() {
            self.content.next = self.content.val() | (self.old.val() & LOWER_HALF);
        }
        self.answer.next = self.done.val() & !self.posted_c4.q.val();
    }

    fn carry(&mut self) {
        self.tag_c2.d.next = self.tag.q.val();
        self.index_c2.d.next = self.index.q.val();
        self.tag_c3.d.next = self.tag_c2.q.val();
        self.index_c3.d.next = self.index_c2.q.val();
        self.tag_c4.d.next = self.tag_c3.q.val();
        self.index_c4.d.next = self.index_c3.q.val();
        self.refusal_c4.d.next = self.refusal.q.val();
        self.posted_c4.d.next = self.posted.q.val();
        self.waits_c4.d.next = self.waits.q.val();
        self.wait_phase_c4.d.next = self.wait_phase.q.val();
        self.reveal_upper_c4.d.next = self.reveal_upper.q.val();
        self.reveal_lower_c4.d.next = self.reveal_lower.q.val();
        self.updates_c4.d.next = self.updates.q.val();
        self.ahead_c4.d.next = self.ahead.q.val();
        self.ahead_tx_c4.d.next = self.ahead_tx.q.val();
    }
}

impl<const PORTS: usize> Counts<Grouped<PORTS>> for Lane {
    #[inline(always)]
    fn counts(&self, each: &mut impl FnMut(usize, usize)) {
        counts!(self, each: (PORTS > 1) as usize => overruns, laps);
    }
}
