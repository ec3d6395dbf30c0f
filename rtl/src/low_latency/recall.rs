//! Recall: keeps a request's own deltas, beside the group's sums in the bank, until it is known in c4 whether the group is
//! replayed. Every port of a unit with several has one.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Recall: a request's own deltas, kept until c4 for a replay.
    pub module Recall = "recall" {
        /// The pipeline moves.
        pub advance: Signal<In, Bit>,
        /// Arrivals of the request in c2.
        pub arrivals: InStageReg<Count>,
        /// The same, negated.
        pub arrivals_negative: InStageReg<Count>,
        /// There are any.
        pub arrives: InStageReg<Bit>,
        /// They leave the later phases, too.
        pub leaves: InStageReg<Bit>,
        /// Addend to the tx field.
        pub tx: InStageReg<TxCount>,
        /// The same, negated.
        pub tx_negative: InStageReg<TxCount>,
        /// The request moves counts.
        pub updates: InStageReg<Bit>,
        /// Its fault sets the sticky bit of the word.
        pub marks: InStageReg<Bit>,

        /// Arrivals of the request in c4.
        pub arrivals_c4: OutStageReg<Count>,
        /// The same, negated.
        pub arrivals_negative_c4: OutStageReg<Count>,
        /// There are any.
        pub arrives_c4: OutStageReg<Bit>,
        /// They leave the later phases, too.
        pub leaves_c4: OutStageReg<Bit>,
        /// Addend to the tx field.
        pub tx_c4: OutStageReg<TxCount>,
        /// The same, negated.
        pub tx_negative_c4: OutStageReg<TxCount>,
        /// The request moves counts.
        pub updates_c4: OutStageReg<Bit>,
        /// Its fault sets the sticky bit of the word.
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
