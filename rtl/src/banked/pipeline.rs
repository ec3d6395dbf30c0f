//! A bank's pipeline: one request a cycle, in order.
//!
//! **What.** [`Decode`], [`Bank`] and [`Lane`] of the low-latency build, unchanged. With one port there is no arbitration, combining or
//! replay: a request enters in any cycle, and the pipeline never stalls.
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
    /// A bank's pipeline: one request a cycle, in order.
    pub module Pipeline = "pipeline" {
        /// Request valid (in c0, as all inputs).
        pub accept: Signal<In, Bit>,
        /// Opcode.
        pub op: Signal<In, OpCode, OpView>,
        /// Request of another CTA.
        pub remote: Signal<In, Bit>,
        /// Address not a multiple of 8.
        pub misaligned: Signal<In, Bit>,
        /// Address outside the memory.
        pub outside: Signal<In, Bit>,
        /// Row.
        pub row: Signal<In, RowIndex>,
        /// Operand.
        pub data: Signal<In, Word>,
        /// Byte enables of a store.
        pub strobe: Signal<In, Bits<8>>,
        /// Tag.
        pub tag: Signal<In, Tag>,

        /// Outcome valid (in c5, as all outputs).
        pub done: OutControlReg<Bit>,
        /// The request has an answer.
        pub answers: OutControlReg<Bit>,
        /// The request completes the phase.
        pub flips: OutControlReg<Bit>,
        /// Row.
        pub done_row: OutReg<RowIndex>,
        /// Tag.
        pub done_tag: OutReg<Tag>,
        /// Status.
        pub status: OutReg<StatusCode, StatusView>,
        /// Predicate of a wait.
        pub predicate: OutReg<Bit>,
        /// Token, word or pending count.
        pub content: OutReg<Word>,

        /// Decoder.
        pub decode: Decode = Decode::new(false),
        /// Bank.
        pub bank: Bank = Bank::new(rows, 1, 0, false),
        /// Lane.
        pub lane: Lane,
    }
    processes { Outcome, Tell, Enter, Lead, Gather, Written }
    /// The pipeline of a bank of `rows` words (a power of two).
    built by pub fn new(rows: usize) {}
}

#[processes]
impl Pipeline {
    fn outcome(&mut self) {
        self.lane.advance.next = true;
        self.lane.done.next = self.bank.done.val().any();
        self.lane.replayed.next = false;
        connect!(self.lane.* <<= self.bank.*: old, fault, flips);
    }

    fn tell(&mut self) {
        self.done.d.next = self.bank.done.val().any();
        self.answers.d.next = self.lane.answer.val();
        self.flips.d.next = self.bank.flips.val();
        self.done_row.d.next = self.bank.row_c4.q.val();
        self.done_tag.d.next = self.lane.tag_c4.q.val();
        connect!(self.* <<= self.lane.*: status, predicate, content);
    }

    fn enter(&mut self) {
        self.decode.advance.next = true;
        connect!(self.decode.* <<= self.*: op, remote, misaligned, outside, data, strobe);
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

    /// Deltas of the group (c2), which has one member.
    fn gather(&mut self) {
        connect!(self.lane.* <<= self.decode.*: refusal, posted, waits, wait_phase, reveal_upper, reveal_lower,
            updates);
        clear!(self.lane.ahead, self.lane.ahead_tx, self.bank.arrivals, self.bank.arrivals_negative, self.bank.drops);
        clear!(self.bank.drops_negative, self.bank.tx, self.bank.tx_negative);
        if self.decode.arrives.q.val() {
            connect!(self.bank.* <<= self.decode.*: arrivals, arrivals_negative);
        }
        if self.decode.arrives.q.val() & self.decode.leaves.q.val() {
            self.bank.drops.d.next = self.decode.arrivals.q.val();
            self.bank.drops_negative.d.next = self.decode.arrivals_negative.q.val();
        }
        if self.decode.updates.q.val() {
            connect!(self.bank.* <<= self.decode.*: tx, tx_negative);
        }
        connect!(self.bank.* <<= self.decode.*: arrives, updates, marks, expects, completes, replace, insert);
        // a single request is never replayed
        clear!(self.bank.turn_arrivals, self.bank.turn_arrivals_negative, self.bank.turn_leaves, self.bank.turn_tx);
        clear!(self.bank.turn_tx_negative, self.bank.turn_updates, self.bank.turn_marks);
    }

    fn written(&mut self) {
        self.bank.writes.next = self.bank.members_c1.q.val().any() & self.decode.writes.val();
    }
}
