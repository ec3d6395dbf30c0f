//! Answers: the response queue; holds answers until the port takes them.
//!
//! **What.** Four registers in front, which the port sees, and a memory behind them for what comes while they are full. What
//! comes while there is nothing in the memory goes to the front at once:
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
//! Entries follow one another as the places of the ring do (see `ring.rs`). No path leads from `ready` to `valid`. That there is room is not looked after here, but where requests are accepted.

use super::{ENTRIES, PositionBits};
use crate::hardware;
use crate::hdl::*;
use crate::word::status::Status;

/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

/// Registers in front.
const FRONT: usize = 4;

hardware! {
    /// Answers: holds them until the port takes them.
    pub module Answers = "answers" {
        /// An answer comes.
        pub push: Signal<In, Bit>,
        /// Its tag.
        pub push_tag: Signal<In, Tag>,
        /// Its status.
        pub push_status: Signal<In, StatusCode, StatusView>,
        /// Its predicate.
        pub push_predicate: Signal<In, Bit>,
        /// Its data.
        pub push_data: Signal<In, Word>,
        /// The port takes the answer that is shown.
        pub ready: Signal<In, Bit>,

        /// An answer is shown (lane 0), and so many more stand behind it.
        pub valid: Lanes<OutControlReg<Bit>> = Lanes::new(FRONT),
        /// Its status, predicate and tag.
        pub shown: Signal<Out, Outcome>,
        /// Its data.
        pub shown_data: Signal<Out, Word>,
        /// An answer has been taken in the cycle before.
        pub taken: OutControlReg<Bit>,

        /// How many registers there are in front.
        pub front: usize = FRONT,
        /// How many of them are not the first.
        pub behind: usize = FRONT - 1,
        /// Status, predicate and tag in each of them.
        pub outcome: Lanes<Reg<Outcome>> = Lanes::new(FRONT),
        /// Data in each of them.
        pub content: Lanes<Reg<Word>> = Lanes::new(FRONT),
        /// The one to fill next; the first lane is inverted, so that reset begins there.
        pub fill: Lanes<ControlReg<Bit>> = Lanes::new(FRONT),
        /// The one that is shown; the first lane is inverted.
        pub turn: Lanes<ControlReg<Bit>> = Lanes::new(FRONT),
        /// The one to fill next, if it is free: enables of `outcome` and `content`, which drive a lot.
        pub open: Lanes<Reg<Bit>> = Lanes::new(FRONT),
        /// All but the one that is shown: the same again, so that no register drives everything.
        pub others_turn: Lanes<Reg<Bit>> = Lanes::new(FRONT),
        /// Status, predicate and tag of each entry of the memory.
        pub outcomes: QueueRam<Outcome, PositionBits> = QueueRam::new(ENTRIES),
        /// Data of each entry.
        pub contents: QueueRam<Word, PositionBits> = QueueRam::new(ENTRIES),
        /// Entry to fill next.
        pub tail: ControlReg<PositionBits>,
        /// Entry to read next.
        pub head: ControlReg<PositionBits>,
        /// The entry behind the last that can be read.
        pub limit: ControlReg<PositionBits>,
        /// That entry.
        pub youngest: ControlReg<PositionBits>,
        /// An answer is being written.
        pub arrived: ControlReg<Bit>,
        /// Something was in the memory a cycle ago.
        pub some: ControlReg<Bit>,
        /// Exactly one answer was.
        pub one: Reg<Bit>,
        /// One can be read that could not in the cycle before.
        pub spilled: ControlReg<Bit>,
        /// Nothing is in the memory, or on its way from it.
        pub quiet: ControlReg<Bit>,
        /// An entry has been read in the cycle before.
        pub fetched: ControlReg<Bit>,
        /// One has been read two cycles ago, and comes.
        pub comes: ControlReg<Bit>,

        /// Status, predicate and tag of what comes.
        pub pushed: Signal<Local, Outcome>,
        /// It goes to the front.
        pub passes: Signal<Local, Bit>,
        /// It goes into the memory.
        pub spills: Signal<Local, Bit>,
        /// Nothing is in the memory.
        pub empty: Signal<Local, Bit>,
        /// The entry after `tail`.
        pub after_tail: Signal<Local, PositionBits>,
        /// The entry after `head`.
        pub after_head: Signal<Local, PositionBits>,
        /// An entry is read.
        pub fetch: Signal<Local, Bit>,
        /// The answer that is shown is taken.
        pub pop: Signal<Local, Bit>,
        /// One more is in front.
        pub up: Signal<Local, Bit>,
        /// One less is.
        pub down: Signal<Local, Bit>,
        /// If something comes, all registers in front are full.
        pub fills_up: Signal<Local, Bit>,
        /// If nothing comes, they are.
        pub stays_full: Signal<Local, Bit>,
        /// Something comes to the front.
        pub load: Signal<Local, Bit>,
        /// Its status, predicate and tag.
        pub coming: Signal<Local, Outcome>,
        /// Its data.
        pub coming_data: Signal<Local, Word>,
    }
    constants {
        /// The upper half of the data.
        HIGH: Word = Bits::constant(0xffff_ffff_0000_0000);
        /// The lower half.
        LOW: Word = Bits::constant(0x0000_0000_ffff_ffff);
    }
    processes { Store, Front, Show }
    /// Without answers.
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
        // what there was a cycle ago, what has come since, and what has gone
        self.some.d.next = self.head.q.val() != self.limit.q.val();
        self.one.d.next = self.head.q.val() == self.youngest.q.val();
        self.empty.next = !self.spilled.q.val() & !(self.some.q.val() & !(self.one.q.val() & self.fetched.q.val()));
        // three may be on their way when the second register is free
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
        // the register to fill next takes what stands there in every cycle, until it is an answer, unless all are full
        for k in 0..self.front {
            if self.open[k].q.val() {
                self.outcome[k].d.next = self.coming.val();
                self.content[k].d.next = self.coming_data.val();
            }
        }
        // all are full after this cycle if it stays so, or if all the others are: nothing comes while all are
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
        // how many there are: `valid` moves up and down
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
