//! Recall: delay line of a request's own deltas, beside the group's sums in the bank, until c4 decides whether the group is replayed. One
//! per port in units with several ports.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Recall: delay line of a request's deltas, from c2 to c4, for a replay.
    pub module Recall = "recall" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Arrivals of the request in c2.
        pub arrivals: InStageReg<Count>,
        /// `arrivals`, negated.
        pub arrivals_negative: InStageReg<Count>,
        /// `arrivals` is not zero.
        pub arrives: InStageReg<Bit>,
        /// The arrivals are subtracted from the expected count, too.
        pub leaves: InStageReg<Bit>,
        /// Addend to the tx field.
        pub tx: InStageReg<TxCount>,
        /// `tx`, negated.
        pub tx_negative: InStageReg<TxCount>,
        /// The request in c2 changes counts.
        pub updates: InStageReg<Bit>,
        /// A fault of the request in c2 sets the sticky bit of the word.
        pub marks: InStageReg<Bit>,

        /// Arrivals of the request in c4.
        pub arrivals_c4: OutStageReg<Count>,
        /// `arrivals_c4`, negated.
        pub arrivals_negative_c4: OutStageReg<Count>,
        /// `arrivals_c4` is not zero.
        pub arrives_c4: OutStageReg<Bit>,
        /// The arrivals are subtracted from the expected count, too.
        pub leaves_c4: OutStageReg<Bit>,
        /// Addend to the tx field, of the request in c4.
        pub tx_c4: OutStageReg<TxCount>,
        /// `tx_c4`, negated.
        pub tx_negative_c4: OutStageReg<TxCount>,
        /// The request in c4 changes counts.
        pub updates_c4: OutStageReg<Bit>,
        /// A fault of the request in c4 sets the sticky bit of the word.
        pub marks_c4: OutStageReg<Bit>,
    }
    processes { Keep }
    staged by advance
}

#[processes]
impl Recall {
    fn keep(&mut self) {
        self.arrivals_c4.d.next = self.arrivals.q.val();
        self.arrivals_negative_c4.d.next = self.arrivals_negative.q.val();
        self.arrives_c4.d.next = self.arrives.q.val();
        self.leaves_c4.d.next = self.leaves.q.val();
        self.tx_c4.d.next = self.tx.q.val();
        self.tx_negative_c4.d.next = self.tx_negative.q.val();
        self.updates_c4.d.next = self.updates.q.val();
        self.marks_c4.d.next = self.marks.q.val();
    }
}
