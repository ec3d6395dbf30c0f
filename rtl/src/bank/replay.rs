//! Replay: sends the members of a group that was split through c3 and c4 one by one, the arbiter's choice first and then in
//! the order of the ports. A bank has one if there is more than one port.
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
    /// Replay: sends the members of a group that was split through c3 and c4 one by one.
    pub module Replay = "replay" {
        /// The pipeline moves.
        pub advance: Signal<In, Bit>,
        /// The port that leads the group in c0.
        pub first: InStageReg<PortMask>,
        /// Members of the group in c4.
        pub members: Signal<In, PortMask>,
        /// It cannot be done whole.
        pub splits: Signal<In, Bit>,

        /// The member that is in c3.
        pub turn: OutControlReg<PortMask>,
        /// The member that is in c4.
        pub turn_c4: OutControlReg<PortMask>,
        /// Members that have not had their turn.
        pub left: OutControlReg<PortMask>,
        /// The pipeline stood still in the last cycle.
        pub stood: OutControlReg<Bit>,

        /// The port that leads the group in c2.
        pub first_c2: StageReg<PortMask>,
        /// The port that leads the group in c3.
        pub first_c3: StageReg<PortMask>,
        /// The port that leads the group in c4.
        pub first_c4: StageReg<PortMask>,
        /// Members whose turn comes before the ports begin at 0 again.
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
        // the next of those that are left, counting up from the one whose turn it is
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
