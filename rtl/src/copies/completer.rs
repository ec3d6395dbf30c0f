//! Completer: collects landed bytes until they are completed on their barriers.
//!
//! **What.** Every burst that has landed is followed by a complete_tx of its bytes. These wait here for the port; those on a barrier for which
//! others are waiting are added to them, so a copy does not have to wait for a bank that is busy with barriers.
//!
//! ```text
//! add ─► last ─► first ─► port        `first` is at the output and does not change; `last` accumulates
//! ```
//! **Flow control.** There is space while `last` is free, or holds bytes of the same barrier as the input. `room` depends on the input and
//! on registers only.

use crate::hardware;
use crate::hdl::*;

/// Width of a sum of bytes.
const SUM_BITS: usize = 20;
/// Bit from which on a sum does not grow, so that it stays a valid operand.
const FULL: usize = SUM_BITS - 1;

hardware! {
    /// Completer: collects landed bytes until they are completed on their barriers.
    pub module Completer = "completer" {
        /// Landed bytes valid.
        pub add: Signal<In, Bit>,
        /// Address of the barrier on which they complete.
        pub barrier: Signal<In, Bits<24>>,
        /// Number of bytes.
        pub bytes: Signal<In, Bits<8>>,
        /// Space for them.
        pub room: Signal<Out, Bit>,
        /// Output valid.
        pub valid: OutControlReg<Bit>,
        /// Address of the barrier at the output.
        pub due_barrier: OutReg<Bits<24>>,
        /// Number of bytes at the output.
        pub due_bytes: OutReg<Bits<SUM_BITS>>,
        /// Output accepted.
        pub take: Signal<In, Bit>,
        /// A second sum is valid.
        pub more: ControlReg<Bit>,
        /// Address of the barrier of the second sum.
        pub more_barrier: Reg<Bits<24>>,
        /// Number of bytes of the second sum.
        pub more_bytes: Reg<Bits<SUM_BITS>>,
    }
    constants {
        /// Bit that is set in a sum that does not grow.
        FULL_BIT: Bits<SUM_BITS> = Bits::constant(1 << FULL);
    }
    processes { Admit, Move }
}

#[processes]
impl Completer {
    fn admit(&mut self) {
        self.room.next = !self.more.q.val()
            | ((self.more_barrier.q.val() == self.barrier.val()) & !(self.more_bytes.q.val() & FULL_BIT).any());
    }

    fn r#move(&mut self) {
        if self.take.val() {
            self.valid.d.next = self.more.q.val();
            connect!(self.due_* <<= self.more_*: barrier, bytes);
            self.more.d.next = false;
        }
        if self.add.val() {
            if !self.valid.d.val() {
                self.valid.d.next = true;
                self.due_barrier.d.next = self.barrier.val();
                self.due_bytes.d.next = bit_cast::<SUM_BITS, 8>(self.bytes.val());
            } else if self.more.d.val() {
                self.more_bytes.d.next = self.more_bytes.q.val() + bit_cast::<SUM_BITS, 8>(self.bytes.val());
            } else if self.take.val() & self.more.q.val() & (self.more_barrier.q.val() == self.barrier.val()) {
                // the second sum moves to the output
                self.due_bytes.d.next = self.more_bytes.q.val() + bit_cast::<SUM_BITS, 8>(self.bytes.val());
            } else {
                self.more.d.next = true;
                self.more_barrier.d.next = self.barrier.val();
                self.more_bytes.d.next = bit_cast::<SUM_BITS, 8>(self.bytes.val());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Random bytes on a few barriers, accepted now and then: the bytes that leave are those that entered, and none leaves early.
    #[test]
    fn no_byte_is_lost_and_none_is_made() {
        for eager in [1, 3, 12] {
            let mut completer = Completer::default();
            let (mut came, mut taken) = (HashMap::new(), HashMap::new());
            let (mut noise, mut added, mut takes) = (0x1234_5678_9abc_def1u64, 0u64, 0u64);
            let mut shown = None;
            for _ in 0..20_000 {
                noise ^= noise << 13;
                noise ^= noise >> 7;
                noise ^= noise << 17;
                let (barrier, bytes) = (noise >> 20 & 1, (noise >> 30 & 7) * 16 + 16);
                completer.barrier.next = barrier.into();
                completer.bytes.next = bytes.into();
                completer.settle();
                completer.add.next = completer.room.val() && noise & 3 != 0;
                let due = completer.valid.q.val();
                let first = (due, completer.due_barrier.q.val().raw(), completer.due_bytes.q.val().raw());
                assert!(shown.is_none_or(|shown| shown == first), "what is shown stays");
                completer.take.next = due && (noise >> 40).is_multiple_of(eager);
                shown = (due && !completer.take.val()).then_some(first);
                if completer.take.val() {
                    takes += 1;
                    *taken.entry(first.1).or_insert(0) += first.2;
                    assert!(taken[&first.1] <= came[&first.1] && first.2 < 1 << SUM_BITS);
                }
                if completer.add.val() {
                    added += 1;
                    *came.entry(barrier).or_insert(0) += bytes;
                }
                completer.settle();
                completer.tick();
            }
            let waiting = completer.due_bytes.q.val().raw() * completer.valid.q.val() as u64
                + completer.more_bytes.q.val().raw() * completer.more.q.val() as u64;
            assert_eq!(came.values().sum::<u64>(), taken.values().sum::<u64>() + waiting);
            assert!(takes <= added, "{takes} of {added}");
        }
    }

    #[test]
    fn a_sum_stays_an_operand() {
        let mut completer = Completer::default();
        for _ in 0..10_000 {
            completer.bytes.next = 128.into();
            completer.settle();
            completer.add.next = completer.room.val();
            completer.settle();
            completer.tick();
        }
        assert!(!completer.room.val());
        assert!((1 << FULL..1 << SUM_BITS).contains(&completer.more_bytes.q.val().raw()));
    }
}
