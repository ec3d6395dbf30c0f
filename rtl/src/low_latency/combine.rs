//! Combine: finds the requests of a cycle that may be performed as one.
//!
//! **What.** For every port, the ports whose requests may join its own in one group: they are on the same address, and
//! both are of a kind whose deltas can be summed up (arrivals, expected and completed bytes) or that only read (loads and
//! waits). Requests that do not join are done alone: stores, `init`, `inval`; a count of 0 (it may have to see a phase that
//! is completed ahead of it), and one above 2^16 - 1 (so that the sums of eight ports stay far from their limits).
//!
//! ```text
//!   op, data ─► joins? ─┐
//!   address  ─► equal? ─┴─► partners (c0, combinational, beside the arbiters)
//! ```
//!
//! Drawn from a run: `waves/gallery/blocks/combine.svg`.

use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;
use crate::word::op::sets::{self, OpSet, any_of, both, set};

/// Operand bits that must be zero.
const EXCESS_BITS: usize = 32 - SUMMED_BITS;

/// Largest width of an operand that may be summed.
pub const SUMMED_BITS: usize = 16;

hardware! {
    /// Combine: finds requests that may be performed as one.
    pub module Combine = "combine" {
        /// Opcode of each port's request.
        pub op: Lanes<Signal<In, OpCode, OpView>>,
        /// Address of each port's request.
        pub address: Lanes<Signal<In, Bits<32>>>,
        /// Low half of each port's request data.
        pub operand: Lanes<Signal<In, Bits<32>>>,
        /// Ports whose request may join this port's.
        pub partners: Lanes<Signal<Out, PortMask>>,

        /// Number of ports.
        pub ports: usize,
        /// Largest width of an operand that may be summed.
        pub summed_bits: usize,
        /// Requests that may be in a group.
        pub joins: Lanes<Signal<Local, Bit>>,
    }
    constants {
        /// Operations that may be in a group.
        JOINING: OpSet = any_of(&[sets::UPDATING, sets::WAITING, set(&[Op::Load])]);
        /// Operations in groups whose operand is a count.
        SUMMING: OpSet = both(sets::BOUNDED, sets::UPDATING);
        /// Operations in groups that do nothing with a count of zero.
        IDLE_AT_ZERO: OpSet = Bits::constant(SUMMING.raw() & !sets::SINGLE.raw());
    }
    processes { Pair }
}

#[processes]
impl Combine {
    fn pair(&mut self) {
        for a in 0..self.ports {
            self.partners[a].next = 0.into();
            self.joins[a].next = JOINING.get_bit(self.op[a].val().index());
            if SUMMING.get_bit(self.op[a].val().index())
                & self.operand[a].val().get_bits::<EXCESS_BITS>(self.summed_bits).any()
            {
                self.joins[a].next = false;
            }
            if IDLE_AT_ZERO.get_bit(self.op[a].val().index()) & !self.operand[a].val().any() {
                self.joins[a].next = false;
            }
        }
        for a in 0..self.ports {
            for b in 0..self.ports {
                if (a < b)
                    & self.joins[a].val()
                    & self.joins[b].val()
                    & (self.address[a].val() == self.address[b].val())
                {
                    self.partners[a].next = self.partners[a].val() | (bits::<PORTS>(1) << b);
                    self.partners[b].next = self.partners[b].val() | (bits::<PORTS>(1) << a);
                }
            }
        }
    }
}

impl Combine {
    /// For this many ports.
    pub fn new(ports: usize) -> Self {
        Self {
            op: Lanes::new(ports),
            address: Lanes::new(ports),
            operand: Lanes::new(ports),
            partners: Lanes::new(ports),
            joins: Lanes::new(ports),
            ports,
            summed_bits: SUMMED_BITS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::op::Op::*;

    fn partners(requests: &[(Op, u64, u64)]) -> Vec<u64> {
        let mut combine = Combine::new(requests.len());
        for (port, (op, address, operand)) in requests.iter().enumerate() {
            combine.op[port].next = (*op).into();
            combine.address[port].next = (*address).into();
            combine.operand[port].next = (*operand).into();
        }
        combine.settle();
        combine.partners.iter().map(|partners| partners.val().raw()).collect()
    }

    #[test]
    fn those_on_one_word_join() {
        let requests = [(Arrive, 8, 1), (ExpectTx, 16, 1), (CompleteTx, 8, 1), (TestWait, 8, 0)];
        assert_eq!(partners(&requests), [0b1100, 0, 0b1001, 0b0101]);
        assert_eq!(partners(&[(Arrive, 8, 1)]), [0]);
    }

    #[test]
    fn what_cannot_be_summed_up_stays_alone() {
        let with_an_arrival = |op, operand| partners(&[(Arrive, 8, 1), (op, 8, operand)]) == [0b10, 0b01];
        for op in Op::ALL {
            assert_eq!(with_an_arrival(*op, 1), !matches!(op, Store | Init | Inval | PendingCount), "{op:?}");
        }
        for op in [Arrive, ArriveDropNoComplete, ExpectTx, BulkCompleteTx] {
            assert!(!with_an_arrival(op, 0) && !with_an_arrival(op, 1 << 16) && with_an_arrival(op, 0xffff), "{op:?}");
        }
        assert!(with_an_arrival(ArriveExpectTx, 0) && !with_an_arrival(ArriveExpectTx, 1 << 20));
        assert!(with_an_arrival(CpAsyncEnd, 0) && with_an_arrival(TestWaitParity, 1 << 30));
    }
}
