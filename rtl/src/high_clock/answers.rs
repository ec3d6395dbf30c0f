//! Answers: response queue of the high-clock unit.
//!
//! **What.** Four output registers, and a memory behind them that takes answers while they are full. While the memory is empty, answers go
//! directly to the output registers:
//!
//! ```text
//!   cycle        0      1      2      3      4      5
//!   push         A                                         front free: A goes past the memory
//!   valid               A
//!
//!   push         B                                         front full: B goes into the memory
//!   (inside)            to write
//!   fetch                      B                           front has room again: B is read
//!   comes                                    B
//!   valid                                           B
//! ```
//! Entries are numbered as in the ring (see `ring.rs`). No path leads from `ready` to `valid`. Overflow is prevented where requests are
//! accepted, not here.

use super::{ENTRIES, PositionBits};
use crate::hardware;
use crate::hdl::*;
use crate::word::status::Status;

/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

/// Number of output registers.
const FRONT: usize = 4;

hardware! {
    /// Answers: response queue of the high-clock unit.
    pub module Answers = "answers" {
        /// Write enable: answer valid.
        pub push: Signal<In, Bit>,
        /// Tag of the answer.
        pub push_tag: Signal<In, Tag>,
        /// Status of the answer.
        pub push_status: Signal<In, StatusCode, StatusView>,
        /// Predicate of the answer.
        pub push_predicate: Signal<In, Bit>,
        /// Data of the answer.
        pub push_data: Signal<In, Word>,
        /// The port accepts the answer at the output.
        pub ready: Signal<In, Bit>,

        /// Lane 0: answer valid. Lane k: at least k more answers are in output registers.
        pub valid: Lanes<OutControlReg<Bit>> = Lanes::new(FRONT),
        /// Status, predicate and tag of the answer at the output.
        pub shown: Signal<Out, Outcome>,
        /// Data of the answer at the output.
        pub shown_data: Signal<Out, Word>,
        /// An answer was accepted in the cycle before.
        pub taken: OutControlReg<Bit>,

        /// Number of output registers.
        pub front: usize = FRONT,
        /// Number of output registers besides the first.
        pub behind: usize = FRONT - 1,
        /// Status, predicate and tag in each output register.
        pub outcome: Lanes<Reg<Outcome>> = Lanes::new(FRONT),
        /// Data in each output register.
        pub content: Lanes<Reg<Word>> = Lanes::new(FRONT),
        /// Output register to fill next, one-hot; lane 0 is inverted, so that reset selects it.
        pub fill: Lanes<ControlReg<Bit>> = Lanes::new(FRONT),
        /// Output register at the output, one-hot; lane 0 is inverted.
        pub turn: Lanes<ControlReg<Bit>> = Lanes::new(FRONT),
        /// Write enables of the output registers: `fill`, if that register is free. Separate registers, for their fan-out.
        pub open: Lanes<Reg<Bit>> = Lanes::new(FRONT),
        /// All output registers but the one at the output: a copy of `turn`, for fan-out.
        pub others_turn: Lanes<Reg<Bit>> = Lanes::new(FRONT),
        /// Status, predicate and tag of each entry of the memory.
        pub outcomes: QueueRam<Outcome, PositionBits> = QueueRam::new(ENTRIES),
        /// Data of each entry.
        pub contents: QueueRam<Word, PositionBits> = QueueRam::new(ENTRIES),
        /// Write index.
        pub tail: ControlReg<PositionBits>,
        /// Read index.
        pub head: ControlReg<PositionBits>,
        /// Index after the last readable entry.
        pub limit: ControlReg<PositionBits>,
        /// Index of the last readable entry.
        pub youngest: ControlReg<PositionBits>,
        /// An answer is being written.
        pub arrived: ControlReg<Bit>,
        /// The memory held answers a cycle ago.
        pub some: ControlReg<Bit>,
        /// The memory held exactly one answer a cycle ago.
        pub one: Reg<Bit>,
        /// One more answer is readable than in the cycle before.
        pub spilled: ControlReg<Bit>,
        /// No answer is in the memory or on its way from it.
        pub quiet: ControlReg<Bit>,
        /// An entry was read in the cycle before.
        pub fetched: ControlReg<Bit>,
        /// An entry was read two cycles ago and is at the memory's output.
        pub comes: ControlReg<Bit>,

        /// Status, predicate and tag of the pushed answer.
        pub pushed: Signal<Local, Outcome>,
        /// The pushed answer goes to an output register.
        pub passes: Signal<Local, Bit>,
        /// The pushed answer goes into the memory.
        pub spills: Signal<Local, Bit>,
        /// The memory is empty.
        pub empty: Signal<Local, Bit>,
        /// Successor of `tail`.
        pub after_tail: Signal<Local, PositionBits>,
        /// Successor of `head`.
        pub after_head: Signal<Local, PositionBits>,
        /// Read enable of the memory.
        pub fetch: Signal<Local, Bit>,
        /// The answer at the output is accepted.
        pub pop: Signal<Local, Bit>,
        /// One more output register is filled.
        pub up: Signal<Local, Bit>,
        /// One output register less is filled.
        pub down: Signal<Local, Bit>,
        /// After a load, all output registers are full.
        pub fills_up: Signal<Local, Bit>,
        /// Without a load, all output registers are full.
        pub stays_full: Signal<Local, Bit>,
        /// An output register is loaded.
        pub load: Signal<Local, Bit>,
        /// Status, predicate and tag to load.
        pub coming: Signal<Local, Outcome>,
        /// Data to load.
        pub coming_data: Signal<Local, Word>,
    }
    constants {
        /// Mask of the upper half of the data.
        HIGH: Word = Bits::constant(0xffff_ffff_0000_0000);
        /// Mask of the lower half of the data.
        LOW: Word = Bits::constant(0x0000_0000_ffff_ffff);
    }
    processes { Store, Front, Show }
    /// A response queue without answers.
    built by pub fn empty() {}
}

#[processes]
impl Answers {
    fn store(&mut self) {
        self.pushed.next = bit_cast::<OUTCOME, STATUS_BITS>(self.push_status.val())
            | (bit_cast::<OUTCOME, 1>(self.push_predicate.val().into()) << Status::BITS)
            | (bit_cast::<OUTCOME, TAG>(self.push_tag.val()) << (Status::BITS + 1));
        self.passes.next = self.push.val() & self.quiet.q.val() & !self.valid[3].q.val();
        self.spills.next = self.push.val() & !(self.quiet.q.val() & !self.valid[3].q.val());
        self.arrived.d.next = self.spills.val();
        self.spilled.d.next = self.arrived.q.val();
        self.limit.d.next = self.tail.q.val();
        if self.arrived.q.val() {
            self.youngest.d.next = self.limit.q.val();
        }
        // readable a cycle ago, plus newly written, minus read
        self.some.d.next = self.head.q.val() != self.limit.q.val();
        self.one.d.next = self.head.q.val() == self.youngest.q.val();
        self.empty.next = !self.spilled.q.val() & !(self.some.q.val() & !(self.one.q.val() & self.fetched.q.val()));
        // up to three may be on their way when the second register is free
        self.fetch.next = !self.empty.val() & !self.valid[1].q.val();
        self.fetched.d.next = self.fetch.val();
        self.comes.d.next = self.fetched.q.val();
        self.quiet.d.next = self.empty.val() & !self.spills.val() & !self.arrived.q.val() & !self.fetched.q.val();

        self.outcomes.write_enable.next = self.spills.val();
        self.outcomes.write_address.next = self.tail.q.val();
        self.outcomes.write_data.next = self.pushed.val();
        self.outcomes.read_address.next = self.head.q.val();
        self.contents.write_enable.next = self.spills.val();
        self.contents.write_address.next = self.tail.q.val();
        self.contents.write_data.next = self.push_data.val();
        self.contents.read_address.next = self.head.q.val();
        self.after_tail.next = (bit_cast::<5, 4>(self.tail.q.val().get_bits::<4>(0)) << 1)
            | bit_cast::<5, 1>((self.tail.q.val().get_bit(2) == self.tail.q.val().get_bit(4)).into());
        self.after_head.next = (bit_cast::<5, 4>(self.head.q.val().get_bits::<4>(0)) << 1)
            | bit_cast::<5, 1>((self.head.q.val().get_bit(2) == self.head.q.val().get_bit(4)).into());
        if self.spills.val() {
            self.tail.d.next = self.after_tail.val();
        }
        if self.fetch.val() {
            self.head.d.next = self.after_head.val();
        }
    }

    fn front(&mut self) {
        self.pop.next = self.valid[0].q.val() & self.ready.val();
        self.taken.d.next = self.pop.val();
        self.load.next = self.passes.val() | self.comes.q.val();
        self.coming.next = self.pushed.val();
        self.coming_data.next = self.push_data.val();
        if self.comes.q.val() {
            self.coming.next = self.outcomes.read_data.val();
            self.coming_data.next = self.contents.read_data.val();
        }
        // the register to fill next loads in every cycle until it holds an answer, unless all are full
        for k in 0..self.front {
            if self.open[k].q.val() {
                self.outcome[k].d.next = self.coming.val();
                self.content[k].d.next = self.coming_data.val();
            }
        }
        // all are full after this cycle: without a load, or with one if all others are
        self.fills_up.next = self.valid[2].q.val() & !self.pop.val();
        self.stays_full.next = self.valid[3].q.val() & !self.pop.val();
        self.open[0].d.next = (self.load.val() & self.fill[3].q.val() & !self.fills_up.val())
            | (!self.load.val() & !self.fill[0].q.val() & !self.stays_full.val());
        self.open[1].d.next = (self.load.val() & !self.fill[0].q.val() & !self.fills_up.val())
            | (!self.load.val() & self.fill[1].q.val() & !self.stays_full.val());
        self.open[2].d.next = (self.load.val() & self.fill[1].q.val() & !self.fills_up.val())
            | (!self.load.val() & self.fill[2].q.val() & !self.stays_full.val());
        self.open[3].d.next = (self.load.val() & self.fill[2].q.val() & !self.fills_up.val())
            | (!self.load.val() & self.fill[3].q.val() & !self.stays_full.val());
        self.fill[0].d.next = !((self.load.val() & self.fill[3].q.val()) | (!self.load.val() & !self.fill[0].q.val()));
        self.fill[1].d.next = (self.load.val() & !self.fill[0].q.val()) | (!self.load.val() & self.fill[1].q.val());
        self.fill[2].d.next = (self.load.val() & self.fill[1].q.val()) | (!self.load.val() & self.fill[2].q.val());
        self.fill[3].d.next = (self.load.val() & self.fill[2].q.val()) | (!self.load.val() & self.fill[3].q.val());
        self.turn[0].d.next = !((self.pop.val() & self.turn[3].q.val()) | (!self.pop.val() & !self.turn[0].q.val()));
        self.turn[1].d.next = (self.pop.val() & !self.turn[0].q.val()) | (!self.pop.val() & self.turn[1].q.val());
        self.turn[2].d.next = (self.pop.val() & self.turn[1].q.val()) | (!self.pop.val() & self.turn[2].q.val());
        self.turn[3].d.next = (self.pop.val() & self.turn[2].q.val()) | (!self.pop.val() & self.turn[3].q.val());
        self.others_turn[0].d.next = self.turn[0].d.val();
        self.others_turn[1].d.next = !self.turn[1].d.val();
        self.others_turn[2].d.next = !self.turn[2].d.val();
        self.others_turn[3].d.next = !self.turn[3].d.val();
        // number of filled output registers: `valid` is a shift register
        self.up.next = self.load.val() & !self.pop.val();
        self.down.next = self.pop.val() & !self.load.val();
        self.valid[0].d.next = self.load.val() | self.valid[1].q.val() | (self.valid[0].q.val() & !self.pop.val());
        self.valid[1].d.next = (self.up.val() & self.valid[0].q.val())
            | (self.down.val() & self.valid[2].q.val())
            | (!self.up.val() & !self.down.val() & self.valid[1].q.val());
        self.valid[2].d.next = (self.up.val() & self.valid[1].q.val())
            | (self.down.val() & self.valid[3].q.val())
            | (!self.up.val() & !self.down.val() & self.valid[2].q.val());
        self.valid[3].d.next =
            (self.up.val() & self.valid[2].q.val()) | (!self.up.val() & !self.down.val() & self.valid[3].q.val());
    }

    fn show(&mut self) {
        clear!(self.shown, self.shown_data);
        for k in 0..self.front {
            if !self.others_turn[k].q.val() {
                self.shown.next = self.shown.val() | self.outcome[k].q.val();
                self.shown_data.next = self.shown_data.val() | (self.content[k].q.val() & HIGH);
            }
        }
        if !self.turn[0].q.val() {
            self.shown_data.next = self.shown_data.val() | (self.content[0].q.val() & LOW);
        }
        for k in 0..self.behind {
            if self.turn[k + 1].q.val() {
                self.shown_data.next = self.shown_data.val() | (self.content[k + 1].q.val() & LOW);
            }
        }
    }
}
