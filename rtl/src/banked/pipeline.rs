//! A bank's pipeline: one request a cycle, each done in its turn.
//!
//! **What.** [`Decode`], [`Bank`] and [`Lane`] of the low-latency build, as they stand there. For one port there is nothing to arbitrate, to
//! combine or to do again: a request enters in any cycle, and nothing ever stops.
//!
//! ```text
//!   cycle    0          1           2                    3         4                  5
//!   stage    c0         c1          c2                   c3        c4                 c5
//!   accept ─► [ decode  checks ───── deltas, replace ─►] ALU ────► word, outcome      registers ─► parking
//!   row ────► [ bank    RAM, compare ─ choose, forward ─►]   ▲        │    │
//!   tag ────► [ lane    ...          refusal, ...      ─►]   └────────┘    └► status, answer ─► registers
//! ```

use crate::bank::Bank;
use crate::bank::decode::Decode;
use crate::bank::lane::Lane;
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// A bank's pipeline: one request a cycle, each done in its turn.
    pub module Pipeline = "pipeline" {
        /// A request comes (in c0, as all inputs).
        pub accept: Signal<In, Bit>,
        /// Opcode.
        pub op: Signal<In, OpCode, OpView>,
        /// It comes from another CTA.
        pub remote: Signal<In, Bit>,
        /// Its address is no multiple of 8.
        pub misaligned: Signal<In, Bit>,
        /// Its address is outside of the memory.
        pub outside: Signal<In, Bit>,
        /// Row of its word.
        pub row: Signal<In, RowIndex>,
        /// Operand.
        pub data: Signal<In, Word>,
        /// Byte enables of a store.
        pub strobe: Signal<In, Bits<8>>,
        /// Tag.
        pub tag: Signal<In, Tag>,

        /// A request is done (in c5, as all outputs).
        pub done: OutControlReg<Bit>,
        /// It is answered.
        pub answers: OutControlReg<Bit>,
        /// It completes the phase.
        pub flips: OutControlReg<Bit>,
        /// Row of its word.
        pub done_row: OutReg<RowIndex>,
        /// Its tag.
        pub done_tag: OutReg<Tag>,
        /// How it ended.
        pub status: OutReg<StatusCode, StatusView>,
        /// Predicate of a wait.
        pub predicate: OutReg<Bit>,
        /// Token, word or pending count.
        pub content: OutReg<Word>,

        /// Decoder.
        pub decode: Decode,
        /// Bank.
        pub bank: Bank,
        /// Lane.
        pub lane: Lane,
    }
    processes { Outcome, Tell, Enter, Lead, Gather, Written }
}

#[processes]
impl Pipeline {
    fn outcome(&mut self) {
        self.lane.advance.next = true;
        self.lane.done.next = self.bank.done.val().any();
        self.lane.replayed.next = false;
        self.lane.old.next = self.bank.old.val();
        self.lane.fault.next = self.bank.fault.val();
        self.lane.flips.next = self.bank.flips.val();
    }

    fn tell(&mut self) {
        self.done.d.next = self.bank.done.val().any();
        self.answers.d.next = self.lane.answer.val();
        self.flips.d.next = self.bank.flips.val();
        self.done_row.d.next = self.bank.row_c4.q.val();
        self.done_tag.d.next = self.lane.tag_c4.q.val();
        self.status.d.next = self.lane.status.val();
        self.predicate.d.next = self.lane.predicate.val();
        self.content.d.next = self.lane.content.val();
    }

    fn enter(&mut self) {
        self.decode.advance.next = true;
        self.decode.op.d.next = self.op.val();
        self.decode.remote.d.next = self.remote.val();
        self.decode.misaligned.d.next = self.misaligned.val();
        self.decode.outside.d.next = self.outside.val();
        self.decode.data.d.next = self.data.val();
        self.decode.strobe.d.next = self.strobe.val();
        self.lane.tag.d.next = self.tag.val();
        self.lane.index.d.next = bit_cast::<WORD_INDEX, ROW_INDEX>(self.row.val());
        self.bank.advance.next = true;
        self.bank.request.next = bit_cast::<PORTS, 1>(self.accept.val().into());
        self.bank.row.d.next = self.row.val();
    }

    fn lead(&mut self) {
        self.bank.members.next = self.bank.lead.val();
        self.bank.group.d.next = false;
    }

    /// What moves the word (c2): nobody but the request itself.
    fn gather(&mut self) {
        self.lane.refusal.d.next = self.decode.refusal.q.val();
        self.lane.posted.d.next = self.decode.posted.q.val();
        self.lane.waits.d.next = self.decode.waits.q.val();
        self.lane.wait_phase.d.next = self.decode.wait_phase.q.val();
        self.lane.reveal_upper.d.next = self.decode.reveal_upper.q.val();
        self.lane.reveal_lower.d.next = self.decode.reveal_lower.q.val();
        self.lane.updates.d.next = self.decode.updates.q.val();
        self.lane.ahead.d.next = 0.into();
        self.lane.ahead_tx.d.next = 0.into();
        self.bank.arrivals.d.next = 0.into();
        self.bank.arrivals_negative.d.next = 0.into();
        self.bank.drops.d.next = 0.into();
        self.bank.drops_negative.d.next = 0.into();
        self.bank.tx.d.next = 0.into();
        self.bank.tx_negative.d.next = 0.into();
        if self.decode.arrives.q.val() {
            self.bank.arrivals.d.next = self.decode.arrivals.q.val();
            self.bank.arrivals_negative.d.next = self.decode.arrivals_negative.q.val();
        }
        if self.decode.arrives.q.val() & self.decode.leaves.q.val() {
            self.bank.drops.d.next = self.decode.arrivals.q.val();
            self.bank.drops_negative.d.next = self.decode.arrivals_negative.q.val();
        }
        if self.decode.updates.q.val() {
            self.bank.tx.d.next = self.decode.tx.q.val();
            self.bank.tx_negative.d.next = self.decode.tx_negative.q.val();
        }
        self.bank.arrives.d.next = self.decode.arrives.q.val();
        self.bank.updates.d.next = self.decode.updates.q.val();
        self.bank.marks.d.next = self.decode.marks.q.val();
        self.bank.expects.d.next = self.decode.expects.q.val();
        self.bank.completes.d.next = self.decode.completes.q.val();
        self.bank.replace.d.next = self.decode.replace.val();
        self.bank.insert.d.next = self.decode.insert.val();
        // a single request is never replayed
        self.bank.turn_arrivals.next = 0.into();
        self.bank.turn_arrivals_negative.next = 0.into();
        self.bank.turn_leaves.next = false;
        self.bank.turn_tx.next = 0.into();
        self.bank.turn_tx_negative.next = 0.into();
        self.bank.turn_updates.next = false;
        self.bank.turn_marks.next = false;
    }

    fn written(&mut self) {
        self.bank.writes.next = self.bank.members_c1.q.val().any() & self.decode.writes.val();
    }
}

impl Pipeline {
    /// The pipeline of a bank of `rows` words (a power of two).
    pub fn new(rows: usize) -> Self {
        Self { decode: Decode::new(false), bank: Bank::new(rows, 1, 0, false), ..Self::default() }
    }
}
