//! Replay: sends the members of a split group through c3 and c4 one by one, the arbiter's choice first and then in port order. One per bank
//! in a unit with several ports.
//!
//! ```text
//!   cycle         t        t+1      t+2      t+3      t+4       a group of three: m1, m2, m3
//!   splits        /‾\______________________________
//!   turn (c3)     0        m1       m2       m3       0
//!   turn_c4       0        0        m1       m2       m3        their answers and writes
//!   advance       0        0        0        0        1
//!   stood         0        1        1        1        1         everything else in c4 has been done
//! ```
//!
//! Drawn from a run: `waves/gallery/blocks/replay.svg`.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Replay: sends the members of a split group through c3 and c4 one by one.
    pub module Replay = "replay" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// The port that leads the group in c0.
        pub first: InStageReg<PortMask>,
        /// Members of the group in c4.
        pub members: Signal<In, PortMask>,
        /// The group must be split.
        pub splits: Signal<In, Bit>,

        /// Member in c3, one-hot.
        pub turn: OutControlReg<PortMask>,
        /// Member in c4, one-hot.
        pub turn_c4: OutControlReg<PortMask>,
        /// Members not yet replayed.
        pub left: OutControlReg<PortMask>,
        /// The pipeline was stalled in the last cycle.
        pub stood: OutControlReg<Bit>,

        /// Leading port of the group in c2.
        pub first_c2: StageReg<PortMask>,
        /// Leading port of the group in c3.
        pub first_c3: StageReg<PortMask>,
        /// Leading port of the group in c4.
        pub first_c4: StageReg<PortMask>,
        /// Members left above the current one.
        pub later: Signal<Local, PortMask>,
    }
    processes { Turns }
    staged by advance
}

#[processes]
impl Replay {
    fn turns(&mut self) {
        self.first_c2.d.next = self.first.q.val();
        self.first_c3.d.next = self.first_c2.q.val();
        self.first_c4.d.next = self.first_c3.q.val();
        self.stood.d.next = !self.advance.val();
        self.turn_c4.d.next = self.turn.q.val();
        // next remaining member, counting up from the current one
        self.later.next = self.left.q.val() & !(self.turn.q.val() | (self.turn.q.val() - 1));
        if !self.later.val().any() {
            self.later.next = self.left.q.val();
        }
        self.turn.d.next = self.later.val() & (!self.later.val() + 1);
        self.left.d.next = self.left.q.val() & !self.turn.d.val();
        if self.splits.val() {
            self.turn.d.next = self.first_c4.q.val();
            self.left.d.next = self.members.val() & !self.first_c4.q.val();
        }
    }
}
