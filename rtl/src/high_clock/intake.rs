//! Intake: decodes a request before it enters the ring.
//!
//! ```text
//!   cycle   0                            1 (a1)                   2
//!   port ─► class of the opcode, ranges ─► allowed? ─► kind ────► ring
//!                                          -operand
//! ```
//! Two levels of logic a stage: first the class of the opcode, then the checks, then the ring. A refused request is one without effect, and
//! takes the same path as all others.

use super::kind::{self, Kind};
use crate::hardware;
use crate::hdl::*;
use crate::pins::Operation;
use crate::word::op::Op;
use crate::word::op::sets::{self, OpSet};
use crate::word::status::Status;
use crate::word::{self, COUNT_BITS, TX_BITS};

/// Bits of a 32-bit operand above those of a count.
const EXCESS_BITS: usize = 32 - COUNT_BITS;
/// Width of a status.
const STATUS_BITS: usize = Status::BITS;
/// Width of a decoded request.
const KIND_BITS: usize = kind::BITS;

hardware! {
    /// Intake: decodes a request before it enters the ring.
    pub module Intake = "intake" {
        /// Request accepted.
        pub valid: Signal<In, Bit>,
        /// Request.
        pub req: Flat<Operation<In>>,

        /// Request in a1 valid.
        pub valid_a1: OutControlReg<Bit>,
        /// The request in a1 is posted.
        pub posted: OutReg<Bit>,
        /// Data in a1.
        pub data_a1: OutReg<Word>,
        /// Word index in a1.
        pub index_a1: OutReg<WordIndex>,
        /// Tag in a1.
        pub tag_a1: OutReg<Tag>,
        /// Decoded request.
        pub kind: Signal<Out, Kind>,
        /// Byte enables of the store.
        pub mask: Signal<Out, Bits<8>>,
        /// Operand, negated; of `pending_count`, the count to return.
        pub negative: Signal<Out, TxCount>,

        /// Last word index.
        pub last_word: usize = words - 1,
        /// Size of the memory in bytes, as a power of two.
        pub window_bits: usize = (words * 8).ilog2() as usize,

        /// The opcode is defined.
        pub known: Reg<Bit>,
        /// Request of another CTA for an operation not allowed to it.
        pub foreign: Reg<Bit>,
        /// Address not a multiple of 8.
        pub misaligned: Reg<Bit>,
        /// Address far outside the memory.
        pub far: Reg<Bit>,
        /// Address outside the memory, without regard to its highest bits.
        pub near: Reg<Bit>,
        /// The operand is above 2^20 - 1.
        pub excessive: Reg<Bit>,
        /// The operand must be at most 2^20 - 1.
        pub bounded: Reg<Bit>,
        /// Arrivals, counted by the operand.
        pub counted: Reg<Bit>,
        /// One arrival.
        pub single: Reg<Bit>,
        /// The arrivals are subtracted from the expected count, too.
        pub dropping: Reg<Bit>,
        /// The operation expects the operand's bytes.
        pub expecting: Reg<Bit>,
        /// The operation completes the operand's bytes.
        pub completing: Reg<Bit>,
        /// `cp_async_begin`.
        pub beginning: Reg<Bit>,
        /// `cp_async_end`.
        pub ending: Reg<Bit>,
        /// `init`.
        pub making: Reg<Bit>,
        /// `pending_count`.
        pub counting: Reg<Bit>,
        /// A store of one byte or more.
        pub storing: Reg<Bit>,
        /// A store of all bytes.
        pub whole: Reg<Bit>,
        /// The operation changes counts.
        pub updating: Reg<Bit>,
        /// The operand's low 16 bits are not zero.
        pub amount_low: Reg<Bit>,
        /// The four bits above these are not zero.
        pub amount_high: Reg<Bit>,
        /// The answer is a predicate.
        pub waiting: Reg<Bit>,
        /// Phase that the wait tests for completion.
        pub wait_phase: Reg<Bit>,
        /// The answer carries the upper half of the old word.
        pub upper: Reg<Bit>,
        /// The answer carries the lower half of the old word.
        pub lower: Reg<Bit>,
        /// The operand; of `pending_count`, the token's pending field.
        pub operand: Reg<Count>,
        /// Byte enables.
        pub strobe_a1: Reg<Bits<8>>,

        /// Part of the address that is compared for `near`.
        pub reach: Signal<Local, Bits<32>>,
        /// Minuend of the operand's negation.
        pub minuend: Signal<Local, TxCount>,
        /// Refusal status.
        pub cause: Signal<Local, StatusCode, StatusView>,
        /// The address is misaligned or outside the memory.
        pub misplaced: Signal<Local, Bit>,
        /// The operand is out of range.
        pub oversized: Signal<Local, Bit>,
        /// No cause of refusal except perhaps the operand.
        pub sound: Signal<Local, Bit>,
        /// The operand's low 20 bits are not zero.
        pub amount_any: Signal<Local, Bit>,
        /// The request is not refused.
        pub go: Signal<Local, Bit>,
        /// The request is refused for its operand, and posted.
        pub tainting: Signal<Local, Bit>,
        /// All bytes, if the byte enables are those of a store.
        pub replaced: Signal<Local, Bits<8>>,
    }
    constants {
        /// Opcodes that are defined.
        KNOWN: OpSet = sets::KNOWN;
        /// Operations that another CTA may request.
        REMOTE: OpSet = sets::REMOTE;
        /// Operations whose operand must be at most 2^20 - 1.
        BOUNDED: OpSet = sets::BOUNDED;
        /// Arrivals counted by the operand.
        COUNTED: OpSet = sets::COUNTED;
        /// Operations with exactly one arrival.
        SINGLE: OpSet = sets::SINGLE;
        /// Arrivals that are taken from the expected count, too.
        DROPPING: OpSet = sets::DROPPING;
        /// Operations that expect the operand's bytes.
        EXPECTING: OpSet = sets::EXPECTING;
        /// Operations that complete the operand's bytes.
        COMPLETING: OpSet = sets::COMPLETING;
        /// Operations that change counts.
        UPDATING: OpSet = sets::UPDATING;
        /// Posted operations: no answer.
        POSTED: OpSet = sets::POSTED;
        /// Operations that test whether a phase has completed.
        WAITING: OpSet = sets::WAITING;
        /// Operations with a parity as operand.
        PARITY: OpSet = sets::PARITY;
        /// Operations that return a state token.
        TOKEN: OpSet = sets::TOKEN;
        /// Mask of the address bits below `far`.
        NEAR: Bits<32> = Bits::constant(0x003f_ffff);
        /// Mask of all bytes.
        ALL_BYTES: Bits<8> = Bits::constant(0xff);
    }
    processes { Classify, Judge, Kinds }
    /// An intake for a memory of this many words.
    built by pub fn new(words: usize) {}
}

#[processes]
impl Intake {
    fn classify(&mut self) {
        self.valid_a1.d.next = self.valid.val();
        self.tag_a1.d.next = self.req.tag.val();
        self.data_a1.d.next = self.req.data.val();
        self.strobe_a1.d.next = self.req.strobe.val();
        self.index_a1.d.next = self.req.address.val().get_bits::<WORD_INDEX>(3) & self.last_word.to_bits();

        self.known.d.next = KNOWN.get_bit(self.req.op.val().index());
        self.foreign.d.next = self.req.remote.val() & !REMOTE.get_bit(self.req.op.val().index());
        self.misaligned.d.next = self.req.address.val().get_bits::<3>(0).any();
        self.far.d.next = self.req.address.val().get_bits::<10>(22).any();
        self.reach.next = (self.req.address.val() & NEAR) >> self.window_bits;
        self.near.d.next = self.reach.val().any();
        self.excessive.d.next = self.req.data.val().get_bits::<EXCESS_BITS>(word::COUNT_BITS).any();
        self.bounded.d.next = BOUNDED.get_bit(self.req.op.val().index());

        self.counted.d.next = COUNTED.get_bit(self.req.op.val().index());
        self.single.d.next = SINGLE.get_bit(self.req.op.val().index());
        self.dropping.d.next = DROPPING.get_bit(self.req.op.val().index());
        self.expecting.d.next = EXPECTING.get_bit(self.req.op.val().index());
        self.completing.d.next = COMPLETING.get_bit(self.req.op.val().index());
        self.beginning.d.next = self.req.op.val() == Op::CpAsyncBegin;
        self.ending.d.next = self.req.op.val() == Op::CpAsyncEnd;
        self.making.d.next = self.req.op.val() == Op::Init;
        self.counting.d.next = self.req.op.val() == Op::PendingCount;
        self.storing.d.next = (self.req.op.val() == Op::Store) & self.req.strobe.val().any();
        self.whole.d.next = self.req.strobe.val() == ALL_BYTES;
        self.updating.d.next = UPDATING.get_bit(self.req.op.val().index());
        self.posted.d.next = POSTED.get_bit(self.req.op.val().index());
        self.waiting.d.next = WAITING.get_bit(self.req.op.val().index());
        self.wait_phase.d.next = self.req.data.val().get_bit(word::PHASE.lsb);
        if PARITY.get_bit(self.req.op.val().index()) {
            self.wait_phase.d.next = self.req.data.val().get_bit(0);
        }
        self.upper.d.next =
            (TOKEN.get_bit(self.req.op.val().index()) & !self.req.remote.val()) | (self.req.op.val() == Op::Load);
        self.lower.d.next = (self.req.op.val() == Op::Load) | (self.req.op.val() == Op::PendingCount);

        self.amount_low.d.next = self.req.data.val().get_bits::<16>(0).any();
        self.amount_high.d.next = self.req.data.val().get_bits::<4>(16).any();
        self.operand.d.next = self.req.data.val().get_bits::<COUNT_BITS>(0);
        if self.req.op.val().get_bit(4) & !self.req.op.val().get_bit(2) {
            // `pending_count`; other opcodes of this class have no operand
            self.operand.d.next = self.req.data.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
        }
    }

    fn judge(&mut self) {
        // `pending_count` has no address
        self.misplaced.next = !self.counting.q.val() & (self.misaligned.q.val() | self.far.q.val() | self.near.q.val());
        self.oversized.next = self.excessive.q.val() & self.bounded.q.val();
        self.sound.next = self.known.q.val() & !self.foreign.q.val() & !self.misplaced.val();
        self.go.next = self.sound.val() & !self.oversized.val();
        self.tainting.next = self.sound.val() & self.oversized.val() & self.posted.q.val();
        self.amount_any.next = self.amount_low.q.val() | self.amount_high.q.val();
        // in reverse order of precedence: the last cause found is the one reported
        self.cause.next = Status::Ok.into();
        if self.oversized.val() {
            self.cause.next = Status::OperandRange.into();
        }
        if self.misplaced.val() {
            self.cause.next = Status::OutOfRange.into();
        }
        if self.misplaced.val() & self.misaligned.q.val() {
            self.cause.next = Status::Misaligned.into();
        }
        if self.foreign.q.val() {
            self.cause.next = Status::RemoteUnsupported.into();
        }
        if !self.known.q.val() {
            self.cause.next = Status::IllegalOperation.into();
        }
    }

    fn kinds(&mut self) {
        // `pending_count` returns 2^20 - field: one bit wider than a count
        self.minuend.next = bit_cast::<TX_BITS, 1>(self.counting.q.val().into()) << word::COUNT_BITS;
        self.negative.next = self.minuend.val() - bit_cast::<TX_BITS, COUNT_BITS>(self.operand.q.val());

        // joined by OR alone: a multiplexer here would be mapped to a register's reset, which arrives late
        self.replaced.next = 0.into();
        if self.go.val() & self.storing.q.val() {
            self.replaced.next = ALL_BYTES;
        }
        self.mask.next = self.strobe_a1.q.val() & self.replaced.val();
        self.kind.next = (bit_cast::<KIND_BITS, STATUS_BITS>(self.cause.val()) << kind::REFUSAL)
            | (bit_cast::<KIND_BITS, 1>(self.posted.q.val().into()) << kind::POSTED)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.counted.q.val()).into()) << kind::COUNTED)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.single.q.val()).into()) << kind::SINGLE)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.dropping.q.val() & self.counted.q.val()).into())
                << kind::DROPS_COUNTED)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.dropping.q.val() & self.single.q.val()).into())
                << kind::DROPS_SINGLE)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.expecting.q.val()).into()) << kind::EXPECTS)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.completing.q.val()).into()) << kind::COMPLETES)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.beginning.q.val()).into()) << kind::BEGINS)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.ending.q.val()).into()) << kind::ENDS)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.making.q.val()).into()) << kind::INITS)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.counting.q.val()).into()) << kind::COUNTS)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.storing.q.val()).into()) << kind::STORES)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.storing.q.val() & !self.whole.q.val()).into())
                << kind::PARTIAL)
            | (bit_cast::<KIND_BITS, 1>(
                (self.go.val() & (self.storing.q.val() | self.making.q.val() | self.counting.q.val())).into(),
            ) << kind::REPLACES)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.updating.q.val()).into()) << kind::UPDATES)
            | (bit_cast::<KIND_BITS, 1>(
                (self.go.val() & ((self.counted.q.val() & self.amount_any.val()) | self.single.q.val())).into(),
            ) << kind::ARRIVES)
            | (bit_cast::<KIND_BITS, 1>(
                (self.go.val() & self.dropping.q.val() & (self.amount_any.val() | self.single.q.val())).into(),
            ) << kind::LEAVES)
            | (bit_cast::<KIND_BITS, 1>((self.tainting.val()).into()) << kind::TAINTS)
            // posted operations change counts
            | (bit_cast::<KIND_BITS, 1>(
                (self.sound.val()
                    & (!self.oversized.val() | self.posted.q.val())
                    & (self.updating.q.val() | self.storing.q.val() | self.making.q.val()))
                .into(),
            ) << kind::WRITES)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.waiting.q.val()).into()) << kind::WAITS)
            | (bit_cast::<KIND_BITS, 1>((self.wait_phase.q.val()).into()) << kind::WAIT_PHASE)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.upper.q.val()).into()) << kind::REVEALS_UPPER)
            | (bit_cast::<KIND_BITS, 1>((self.go.val() & self.lower.q.val()).into()) << kind::REVEALS_LOWER);
    }
}
