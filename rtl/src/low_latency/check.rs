//! Checked mode: finds misuse of barriers that silicon lets pass.
//!
//! **What.** Beside every word the unit keeps two bits ([`Shadow`]): the word is a live barrier, and a wait has seen its last phase
//! complete. From them, each port's [`Check`] reports misuse by a status of its own. The operation is performed exactly as without checks;
//! only its status differs. Without checked mode, none of this exists.
//!
//! | status | said of |
//! | --- | --- |
//! | `missing_init` | an operation on a barrier where there is none |
//! | `reinit_without_inval` | `init` of a live barrier |
//! | `store_to_barrier` | a plain store to a live barrier; it is none any more |
//! | `missing_wait` | an arrival in a phase before anybody saw the previous one complete |
//! | `no_complete_completed` | an arrival that promised not to complete the phase, and did |
//! | `inval_with_waiters` | `inval` while waits are suspended on the barrier |
//!
//! ```text
//!   cycle        c4
//!   row ───────► shadow: live, seen ─┐
//!   lane's status, predicate ────────┴─► verdict ─► answer, done_status, waiters
//!   shadow'      after init 11, after inval and store 0-; a flip clears `seen` unless it wakes somebody; a wait that is
//!                true sets it
//! ```
//! Of a group, arrivals come before waits (see `lane.rs`), so they go by what was seen before the group.

use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;
use crate::word::op::sets::{self, OpSet, any_of, set};
use crate::word::status::Status;

/// Mask with one bit per status.
type StatusSet = Bits<{ 1 << Status::BITS }>;

/// Set of these statuses.
const fn statuses(list: &[Status]) -> StatusSet {
    let mut mask = 0;
    let mut position = 0;
    while position < list.len() {
        mask |= 1 << list[position].code();
        position += 1;
    }
    Bits::constant(mask)
}

hardware! {
    /// Shadow: two bits beside each word of a bank.
    pub module Shadow = "shadow" {
        /// Row of the word in c4.
        pub row: Signal<In, RowIndex>,
        /// The group or request in c4 is performed.
        pub done: Signal<In, Bit>,
        /// A phase completes.
        pub flips: Signal<In, Bit>,
        /// Waits are suspended on the word.
        pub waited: Signal<In, Bit>,
        /// The word becomes a live barrier.
        pub begins: Signal<In, Bit>,
        /// The word ceases to be a live barrier.
        pub ends: Signal<In, Bit>,
        /// A wait sees that its phase has completed.
        pub sees: Signal<In, Bit>,

        /// The word is a live barrier.
        pub live: Signal<Out, Bit>,
        /// A wait has seen its last phase complete.
        pub seen: Signal<Out, Bit>,

        /// Bit 0: live. Bit 1: seen.
        pub bits: LutRam<Bits<2>, RowIndex> = LutRam::new(rows),
        /// Both bits of the word in c4.
        pub now: Signal<Local, Bits<2>>,
        /// Next value of bit 0.
        pub lives: Signal<Local, Bit>,
        /// Next value of bit 1.
        pub saw: Signal<Local, Bit>,
    }
    processes { Point, Known, Follow }
    /// A shadow memory of this many rows.
    built by pub fn new(rows: usize) {}
}

#[processes]
impl Shadow {
    fn point(&mut self) {
        self.bits.read_address.next = self.row.val();
    }

    fn known(&mut self) {
        self.now.next = self.bits.read_data.val();
        self.live.next = self.now.val().get_bit(0);
        self.seen.next = self.now.val().get_bit(1);
    }

    fn follow(&mut self) {
        self.lives.next = (self.live.val() & !self.ends.val()) | self.begins.val();
        self.saw.next = self.seen.val();
        if self.flips.val() {
            self.saw.next = self.waited.val();
        }
        if self.sees.val() | self.begins.val() {
            self.saw.next = true;
        }
        self.bits.write_enable.next = self.done.val();
        self.bits.write_address.next = self.row.val();
        self.bits.write_data.next =
            bit_cast::<2, 1>(self.lives.val().into()) | (bit_cast::<2, 1>(self.saw.val().into()) << 1);
    }
}

hardware! {
    /// Check: reports misuse by the request in c4 of a port.
    pub module Check = "check" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request in c0.
        pub op: InStageReg<OpCode, OpView>,

        /// The request in c4 is done.
        pub done: Signal<In, Bit>,
        /// Status without checks.
        pub status: Signal<In, StatusCode, StatusView>,
        /// Predicate of the request in c4.
        pub predicate: Signal<In, Bit>,
        /// The word is a live barrier.
        pub live: Signal<In, Bit>,
        /// A wait has seen the word's last phase complete.
        pub seen: Signal<In, Bit>,
        /// Waits are suspended on the word.
        pub waited: Signal<In, Bit>,
        /// The phase of the word completes.
        pub flips: Signal<In, Bit>,
        /// The group has a member after this request.
        pub followed: Signal<In, Bit>,

        /// Status with checks.
        pub verdict: Signal<Out, StatusCode, StatusView>,
        /// The request in c4 is an arrival.
        pub arrives: Signal<Out, Bit>,
        /// The request in c4 completes bytes.
        pub completes: Signal<Out, Bit>,
        /// The request in c4 makes its word a barrier.
        pub begins: Signal<Out, Bit>,
        /// The request in c4 ends the barrier in its word.
        pub ends: Signal<Out, Bit>,
        /// The request in c4 sees that a phase has completed.
        pub sees: Signal<Out, Bit>,

        /// Opcode of the request in c2.
        pub op_c2: StageReg<OpCode, OpView>,
        /// Opcode of the request in c3.
        pub op_c3: StageReg<OpCode, OpView>,
        /// Opcode of the request in c4.
        pub op_c4: StageReg<OpCode, OpView>,
        /// The request in c4 was refused independently of the word.
        pub refused: Signal<Local, Bit>,
    }
    constants {
        /// Operations that need a live barrier.
        NEEDING: OpSet = any_of(&[sets::UPDATING, sets::WAITING, set(&[Op::Inval])]);
        /// Arrivals.
        ARRIVING: OpSet = sets::ARRIVING;
        /// Operations that complete bytes.
        COMPLETING: OpSet = any_of(&[sets::COMPLETING, sets::COMPLETING_ONE]);
        /// Arrivals with `.noComplete`.
        PROMISING: OpSet = sets::NO_COMPLETE;
        /// Statuses that do not depend on the word.
        REFUSALS: StatusSet = statuses(&[
            Status::IllegalOperation,
            Status::RemoteUnsupported,
            Status::Misaligned,
            Status::OutOfRange,
            Status::OperandRange,
        ]);
    }
    processes { Classify, Judge, Move }
    staged by advance
}

#[processes]
impl Check {
    fn classify(&mut self) {
        self.refused.next = REFUSALS.get_bit(self.status.val().index());
        self.arrives.next = self.done.val() & !self.refused.val() & ARRIVING.get_bit(self.op_c4.q.val().index());
        self.completes.next = self.done.val() & !self.refused.val() & COMPLETING.get_bit(self.op_c4.q.val().index());
        self.begins.next = self.done.val() & !self.refused.val() & (self.op_c4.q.val() == Op::Init);
        self.ends.next = self.done.val()
            & !self.refused.val()
            & ((self.op_c4.q.val() == Op::Inval) | (self.op_c4.q.val() == Op::Store));
        self.sees.next = self.done.val() & self.predicate.val();
    }

    fn judge(&mut self) {
        // in reverse order of precedence: the last cause found is the one reported
        self.verdict.next = self.status.val();
        if (self.status.val() == Status::Ok) & self.live.val() {
            if PROMISING.get_bit(self.op_c4.q.val().index()) & self.flips.val() & !self.followed.val() {
                self.verdict.next = Status::NoCompleteCompleted.into();
            }
            if self.arrives.val() & !self.seen.val() {
                self.verdict.next = Status::MissingWait.into();
            }
            if self.op_c4.q.val() == Op::Init {
                self.verdict.next = Status::ReinitWithoutInval.into();
            }
            if self.op_c4.q.val() == Op::Store {
                self.verdict.next = Status::StoreToBarrier.into();
            }
            if (self.op_c4.q.val() == Op::Inval) & self.waited.val() {
                self.verdict.next = Status::InvalWithWaiters.into();
            }
        }
        if NEEDING.get_bit(self.op_c4.q.val().index()) & !self.live.val() & !self.refused.val() {
            self.verdict.next = Status::MissingInit.into();
        }
    }

    fn r#move(&mut self) {
        self.op_c2.d.next = self.op.q.val();
        self.op_c3.d.next = self.op_c2.q.val();
        self.op_c4.d.next = self.op_c3.q.val();
    }
}
