//! Ending: detects requests of a port that end the barrier in their word: `inval`, `init` and stores.
//!
//! **What.** Follows the request of one port from c0 to c4. Waits that are suspended on the word, on any port, then end with
//! `invalidated` ([`crate::low_latency::waiters`]); so every port has this block, also one that has no waits of its own.
//!
//! ```text
//!   cycle   c0   c1         c2     c3     c4
//!   op      op   store?     ·      ·      ends, if it is done and not refused
//! ```

use crate::hardware;
use crate::hdl::*;
use crate::word::op::sets::{self, OpSet};

hardware! {
    /// Ending: which of a port's requests leaves its word another than the barrier that it was.
    pub module Ending = "ending" {
        /// The pipeline moves.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request in c0.
        pub op: InStageReg<OpCode, OpView>,
        /// The request in c4 is done, and not refused.
        pub done: Signal<In, Bit>,
        /// It leaves its word another than the barrier that it was.
        pub ends: Signal<Out, Bit>,
        /// The request in c2 may.
        pub ends_c2: StageReg<Bit>,
        /// The request in c3 may.
        pub ends_c3: StageReg<Bit>,
        /// The request in c4 may.
        pub ends_c4: StageReg<Bit>,
    }
    constants {
        /// Operations after which the word is not the barrier that it was.
        ENDING: OpSet = sets::ENDING;
    }
    processes { End, Carry }
    staged by advance
}

#[processes]
impl Ending {
    fn end(&mut self) {
        self.ends.next = self.done.val() & self.ends_c4.q.val();
    }

    fn carry(&mut self) {
        self.ends_c2.d.next = ENDING.get_bit(self.op.q.val().index());
        self.ends_c3.d.next = self.ends_c2.q.val();
        self.ends_c4.d.next = self.ends_c3.q.val();
    }
}
