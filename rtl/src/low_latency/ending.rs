//! Ending: detects requests of a port that end the barrier in their word: `inval`, `init` and stores.
//!
//! **What.** Follows one port's requests from c0 to c4. Suspended waits on the word, of any port, then end with `invalidated`
//! ([`crate::low_latency::waiters`]); so every port has this block, also a port without suspended waits.
//!
//! ```text
//!   cycle   c0   c1         c2     c3     c4
//!   op      op   store?     ·      ·      ends, if it is done and not refused
//! ```

use crate::hardware;
use crate::hdl::*;
use crate::word::op::sets::{self, OpSet};

hardware! {
    /// Ending: detects requests that end or replace the barrier in their word.
    pub module Ending = "ending" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request in c0.
        pub op: InStageReg<OpCode, OpView>,
        /// The request in c4 is performed and not refused.
        pub done: Signal<In, Bit>,
        /// The request in c4 ends or replaces the barrier in its word.
        pub ends: Signal<Out, Bit>,
        /// The request in c2 ends or replaces a barrier if it is performed.
        pub ends_c2: StageReg<Bit>,
        /// The request in c3 ends or replaces a barrier if it is performed.
        pub ends_c3: StageReg<Bit>,
        /// The request in c4 ends or replaces a barrier if it is performed.
        pub ends_c4: StageReg<Bit>,
    }
    constants {
        /// Operations after which the barrier in the word is ended or replaced.
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
