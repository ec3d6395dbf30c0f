//! Bridge: executes frames, and keeps the answers until the host has received them.
//!
//! **What.** A host may send again whatever it has no answer to, and nothing is ever done twice. A request carries a number:
//!
//! | number of the request | action |
//! | --- | --- |
//! | the expected one, with a free slot | the request is performed; the next number is expected |
//! | one of the [`WINDOW`] before it, answered | its answer is sent again |
//! | one of these, in flight | none: its answer will follow |
//! | any other | `gap` is sent, with the expected number |
//!
//! A damaged frame, one of an unknown kind, or one for a port that does not exist is answered with `damaged` and the expected number. An
//! `identify` sets the expected number to the one after its own and clears all answers, once nothing is in flight.
//!
//! ```text
//!   frame ─► number ─► held ─► unit ─► answer ─► history[slot] ─► due ─► framer
//!                       │                          ▲
//!                       └─ posted: done, status ───┘
//!
//!   complete   __/‾\________________________
//!   req_valid  ______/‾‾‾‾‾\________________      until the unit accepts it
//!   hold       ______/‾‾‾‾‾\________________      the frame's fields are needed; if it is posted, until it is done
//!   due        _________________/‾\_________      slot by slot
//! stage      0                  1 2 3 0         history is read; in 3 the framer accepts the reply
//! ```
//! **Slots.** The lowest bits of a number name the slot of its answer. They go to the unit as the lowest bits of the tag, below
//! the thread's number, so whatever order answers come in, each finds its slot.
//!
//! **Posted requests** have no answer of the unit; the bridge makes one from the status at `done`. While one is in flight no other request
//! is sent, so that `done` is its own.

use super::deframer::HEAD_BITS;
use super::framer;
use super::protocol::{self, Question, Reply, SLOT_BITS, TAG_BITS, WINDOW, question, reply};
use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;
use crate::word::op::sets::{self, OpSet};
use crate::word::status::Status;

/// Slot number.
pub type Slot = Bits<SLOT_BITS>;
/// Mask with one bit per slot.
pub type Slots = Bits<WINDOW>;
/// Answer without its data: the upper half of a reply's header.
type Outcome = Bits<16>;
/// Tag of a bridge's request.
type BridgeTag = Bits<TAG_BITS>;

hardware! {
    /// Bridge: executes frames, and keeps the answers until the host has received them.
    pub module Bridge = "bridge" {
        /// Valid frame received.
        pub complete: Signal<In, Bit>,
        /// Damaged frame received.
        pub damaged: Signal<In, Bit>,
        /// Header of the frame, before the address.
        pub head: Signal<In, Bits<HEAD_BITS>>,
        /// The frame's fields are in use.
        pub hold: Signal<Out, Bit>,

        /// Request valid.
        pub req_valid: Signal<Out, Bit>,
        /// Tag of the request.
        pub req_tag: Signal<Out, BridgeTag>,
        /// Request accepted.
        pub accepted: Signal<In, Bit>,
        /// A request of the frame's port takes effect.
        pub done: Signal<In, Bit>,
        /// Tag of that request.
        pub done_tag: Signal<In, BridgeTag>,
        /// Status of that request.
        pub done_status: Signal<In, StatusCode, StatusView>,

        /// Answer valid; never in the cycle of a `done`.
        pub answer_valid: Signal<In, Bit>,
        /// Tag of the answer.
        pub answer_tag: Signal<In, BridgeTag>,
        /// Status of the answer.
        pub answer_status: Signal<In, StatusCode, StatusView>,
        /// Predicate of a wait.
        pub answer_predicate: Signal<In, Bit>,
        /// The wait was suspended.
        pub answer_resumed: Signal<In, Bit>,
        /// Token, word, or pending count.
        pub answer_data: Signal<In, Word>,

        /// Reply valid.
        pub reply_valid: Signal<Out, Bit>,
        /// Header of the reply, before the data.
        pub reply_head: Signal<Out, Bits<{ framer::HEAD_BITS }>>,
        /// Data of the reply.
        pub reply_data: Signal<Out, Word>,
        /// Reply accepted.
        pub reply_ready: Signal<In, Bit>,

        /// Expected number.
        pub expected: OutControlReg<Bits<8>>,
        /// Slots of requests in flight.
        pub busy: OutControlReg<Slots>,

        /// Identity of the bridge.
        pub identity: usize = identity as usize,
        /// Number of ports.
        pub ports: usize = ports,
        /// Number of slots.
        pub window: usize = WINDOW,
        /// Request waiting for acceptance.
        pub held: ControlReg<Bit>,
        /// A posted request is in flight.
        pub posting: ControlReg<Bit>,
        /// Slots whose request has been answered.
        pub known: ControlReg<Slots>,
        /// Slots whose answer is to be sent.
        pub due: ControlReg<Slots>,
        /// Kind of a further reply to send; 0 for none.
        pub notice: ControlReg<Bits<8>>,
        /// State of reading an answer.
        pub stage: ControlReg<Bits<2>>,
        /// Slot that is read.
        pub slot: Reg<Slot>,
        /// Data of the answers.
        pub words: BlockRam<Word, PlainView, Slot> = BlockRam::new(WINDOW),
        /// Other parts of the answers.
        pub outcomes: BlockRam<Outcome, PlainView, Slot> = BlockRam::new(WINDOW),

        /// Number of the frame.
        pub number: Signal<Local, Bits<8>>,
        /// Kind of the frame.
        pub kind: Signal<Local, Bits<8>>,
        /// Opcode of the frame.
        pub op: Signal<Local, OpCode, OpView>,
        /// Port of the frame.
        pub port: Signal<Local, Bits<3>>,
        /// The port exists.
        pub exists: Signal<Local, Bit>,
        /// Age of the number: the expected number minus it.
        pub age: Signal<Local, Bits<8>>,
        /// Slot of the frame, one-hot.
        pub place: Signal<Local, Slots>,
        /// The frame is a request for a port that exists.
        pub asks: Signal<Local, Bit>,
        /// The request is performed.
        pub begins: Signal<Local, Bit>,
        /// The answer of the request is sent again.
        pub repeats: Signal<Local, Bit>,
        /// The frame is an `identify`.
        pub identifies: Signal<Local, Bit>,
        /// The posted request has taken effect.
        pub posted: Signal<Local, Bit>,
        /// Write enable of the history.
        pub keeps: Signal<Local, Bit>,
        /// Tag of the request that has an answer now.
        pub kept_tag: Signal<Local, BridgeTag>,
        /// Slot of that request, one-hot.
        pub kept: Signal<Local, Slots>,
        /// Header of that request's reply, without number and kind.
        pub kept_head: Signal<Local, Bits<{ framer::HEAD_BITS }>>,
        /// Next slot to send, one-hot.
        pub choice: Signal<Local, Slots>,
        /// Number of that slot.
        pub chosen: Signal<Local, Slot>,
        /// The slot is selected in this cycle.
        pub chooses: Signal<Local, Bit>,
        /// A reply without a slot is sent.
        pub notes: Signal<Local, Bit>,
        /// Upper part of the number of the answer that is sent.
        pub era: Signal<Local, Bits<{ 8 - SLOT_BITS }>>,
    }
    constants {
        /// Posted operations: no answer.
        POSTED: OpSet = sets::POSTED;
        /// Kind: identify.
        IDENTIFY: Bits<8> = Bits::constant(Question::Identify.code() as u64);
        /// Kind: request.
        REQUEST: Bits<8> = Bits::constant(Question::Request.code() as u64);
        /// Kind: identity.
        IDENTITY: Bits<8> = Bits::constant(Reply::Identity.code() as u64);
        /// Kind: answer.
        ANSWER: Bits<8> = Bits::constant(Reply::Answer.code() as u64);
        /// Kind: damaged.
        DAMAGED: Bits<8> = Bits::constant(Reply::Damaged.code() as u64);
        /// Kind: gap.
        GAP: Bits<8> = Bits::constant(Reply::Gap.code() as u64);
        /// Age from which on a number is no longer in the history.
        FORGOTTEN: Bits<8> = Bits::constant(WINDOW as u64 + 1);
    }
    processes { Show, Judge, Keep, Send, Next }
    /// A bridge to this many ports, with this identity.
    built by pub fn new(ports: usize, identity: u64) {}
}

#[processes]
impl Bridge {
    #[inline]
    fn show(&mut self) {
        self.number.next = self.head.val().get_bits::<8>(question::NUMBER);
        self.kind.next = self.head.val().get_bits::<8>(question::KIND);
        self.op.next = self.head.val().get_bits::<OP_BITS>(question::OP);
        self.port.next = self.head.val().get_bits::<3>(question::PORT);
        self.hold.next = self.held.q.val() | self.posting.q.val();
        self.req_valid.next = self.held.q.val();
        self.req_tag.next =
            (bit_cast::<TAG_BITS, THREAD_BITS>(self.head.val().get_bits::<THREAD_BITS>(question::THREAD))
                << protocol::SLOT_BITS)
                | bit_cast::<TAG_BITS, SLOT_BITS>(self.number.val().get_bits::<SLOT_BITS>(0));
        self.place.next = 0.into();
        for s in 0..self.window {
            if self.number.val().get_bits::<SLOT_BITS>(0) == s.to_bits() {
                self.place.next = self.place.val() | (bits::<WINDOW>(1) << s);
            }
        }
    }

    #[inline]
    fn judge(&mut self) {
        self.exists.next = false;
        for p in 0..self.ports {
            if self.port.val() == p.to_bits() {
                self.exists.next = true;
            }
        }
        self.age.next = self.expected.q.val() - self.number.val();
        self.asks.next = self.complete.val() & (self.kind.val() == REQUEST) & self.exists.val();
        self.begins.next = self.asks.val()
            & !self.age.val().any()
            & !((self.busy.q.val() | self.due.q.val()) & self.place.val()).any();
        self.repeats.next = self.asks.val()
            & self.age.val().any()
            & (self.age.val() < FORGOTTEN)
            & (self.known.q.val() & self.place.val()).any();
        self.identifies.next = self.complete.val() & (self.kind.val() == IDENTIFY) & !self.busy.q.val().any();
    }

    #[inline]
    fn keep(&mut self) {
        self.posted.next = self.posting.q.val() & self.done.val() & (self.done_tag.val() == self.req_tag.val());
        self.keeps.next = self.posted.val() | self.answer_valid.val();
        self.kept_tag.next = self.answer_tag.val();
        self.kept_head.next = (bit_cast::<REPLY_BITS, STATUS_BITS>(self.answer_status.val()) << reply::STATUS)
            | (bit_cast::<REPLY_BITS, 1>(self.answer_predicate.val().into()) << reply::PREDICATE)
            | (bit_cast::<REPLY_BITS, 1>(self.answer_resumed.val().into()) << reply::RESUMED)
            | (bit_cast::<REPLY_BITS, TAG_BITS>(self.answer_tag.val()) << reply::TAG);
        self.words.write_data.next = self.answer_data.val();
        if self.posted.val() {
            self.kept_tag.next = self.req_tag.val();
            self.kept_head.next = (bit_cast::<REPLY_BITS, STATUS_BITS>(self.done_status.val()) << reply::STATUS)
                | (bits::<REPLY_BITS>(1) << reply::POSTED)
                | (bit_cast::<REPLY_BITS, TAG_BITS>(self.req_tag.val()) << reply::TAG);
            self.words.write_data.next = 0.into();
        }
        self.words.write_enable.next = self.keeps.val();
        self.words.write_address.next = self.kept_tag.val().get_bits::<SLOT_BITS>(0);
        self.outcomes.write_enable.next = self.keeps.val();
        self.outcomes.write_address.next = self.kept_tag.val().get_bits::<SLOT_BITS>(0);
        self.outcomes.write_data.next = self.kept_head.val().get_bits::<16>(reply::STATUS);
        self.kept.next = 0.into();
        for s in 0..self.window {
            if self.keeps.val() & (self.kept_tag.val().get_bits::<SLOT_BITS>(0) == s.to_bits()) {
                self.kept.next = self.kept.val() | (bits::<WINDOW>(1) << s);
            }
        }
    }

    #[inline]
    fn send(&mut self) {
        self.choice.next = self.due.q.val() & (!self.due.q.val() + 1);
        self.chosen.next = 0.into();
        for s in 0..self.window {
            if self.choice.val().get_bit(s) {
                self.chosen.next = self.chosen.val() | s.to_bits();
            }
        }
        self.notes.next = !self.stage.q.val().any() & self.reply_ready.val() & self.notice.q.val().any();
        self.chooses.next =
            !self.stage.q.val().any() & self.reply_ready.val() & !self.notice.q.val().any() & self.due.q.val().any();
        self.slot.d.next = self.slot.q.val();
        self.stage.d.next = 0.into();
        if self.chooses.val() {
            self.slot.d.next = self.chosen.val();
        }
        if self.chooses.val() | self.stage.q.val().any() {
            self.stage.d.next = self.stage.q.val() + 1;
        }
        self.words.read_enable.next = true;
        self.words.read_address.next = self.slot.q.val();
        self.outcomes.read_enable.next = true;
        self.outcomes.read_address.next = self.slot.q.val();

        // the last number with this slot before the expected one
        self.era.next = self.expected.q.val().get_bits::<ERA_BITS>(protocol::SLOT_BITS);
        if self.slot.q.val() >= self.expected.q.val().get_bits::<SLOT_BITS>(0) {
            self.era.next = self.expected.q.val().get_bits::<ERA_BITS>(protocol::SLOT_BITS) - 1;
        }
        self.reply_valid.next = self.notes.val() | (self.stage.q.val() == 3);
        self.reply_data.next = self.words.read_data.val();
        self.reply_head.next = (bit_cast::<REPLY_BITS, 16>(self.outcomes.read_data.val()) << reply::STATUS)
            | (bit_cast::<REPLY_BITS, 8>(ANSWER) << reply::KIND)
            | (bit_cast::<REPLY_BITS, ERA_BITS>(self.era.val()) << protocol::SLOT_BITS)
            | bit_cast::<REPLY_BITS, SLOT_BITS>(self.slot.q.val());
        if self.notes.val() {
            self.reply_data.next = 0.into();
            if self.notice.q.val() == IDENTITY {
                self.reply_data.next = self.identity.to_bits();
            }
            self.reply_head.next = (bit_cast::<REPLY_BITS, 8>(self.notice.q.val()) << reply::KIND)
                | bit_cast::<REPLY_BITS, 8>(self.expected.q.val());
        }
    }

    #[inline]
    fn next(&mut self) {
        self.expected.d.next = self.expected.q.val();
        self.busy.d.next = self.busy.q.val() & !self.kept.val();
        self.known.d.next = self.known.q.val() | self.kept.val();
        self.due.d.next = self.due.q.val() | self.kept.val();
        if self.chooses.val() {
            self.due.d.next = (self.due.q.val() & !self.choice.val()) | self.kept.val();
        }
        if self.notes.val() {
            self.notice.d.next = 0.into();
        }
        self.held.d.next = self.held.q.val() & !self.accepted.val();
        self.posting.d.next = (self.posting.q.val() & !self.posted.val())
            | (self.held.q.val() & self.accepted.val() & POSTED.get_bit(self.op.val().index()));
        if self.begins.val() {
            self.held.d.next = true;
            self.expected.d.next = self.expected.q.val() + 1;
            self.busy.d.next = (self.busy.q.val() & !self.kept.val()) | self.place.val();
            self.known.d.next = (self.known.q.val() | self.kept.val()) & !self.place.val();
        } else if self.repeats.val() {
            self.due.d.next = self.due.d.val() | self.place.val();
        } else if self.identifies.val() {
            self.expected.d.next = self.number.val() + 1;
            clear!(self.known, self.due);
            self.notice.d.next = IDENTITY;
        } else if self.asks.val() & !(self.busy.q.val() & self.place.val()).any() {
            self.notice.d.next = GAP;
        } else if self.damaged.val() | (self.complete.val() & !self.asks.val() & (self.kind.val() != IDENTIFY)) {
            self.notice.d.next = DAMAGED;
        }
    }
}

// widths and places that kernels name
const OP_BITS: usize = Op::BITS;
const STATUS_BITS: usize = Status::BITS;
const THREAD_BITS: usize = protocol::THREAD_BITS;
const ERA_BITS: usize = 8 - SLOT_BITS;
const REPLY_BITS: usize = framer::HEAD_BITS;
