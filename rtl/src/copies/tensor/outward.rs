//! Outward: what of a store goes to the sender.
//!
//! **What.** A store is made ready and cut as a load is. Its bursts, none of which crosses a 128-byte boundary of global memory, are
//! descriptors of the [`sender`](crate::copies::sender): from there on they are moves as those of bulk copies, in the bulk group of their thread.
//! What of a box lies outside the tensor goes nowhere. A thread that commits a group waits until its stores have been handed over.
//!
//! ```text
//!   cutter ──► burst ──► box ──► sender ──► outlet ──► global memory
//!              fill: nothing
//!
//!   cycle      0         1
//!   burst      cut
//!   box                  shown, until it is taken; the register is refilled in that cycle
//! ```
//! The next copy begins when the last box has been taken: so swizzle, reduction and thread are those of the copy for all its boxes.

use super::bursts::PLACE_BITS;
use super::fields::PIECE_ADDRESS;
use crate::copies::reduction::ReductionCode;
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Outward: parts of boxes on their way to the sender.
    pub module Outward = "tensor_outward" {
        /// A copy begins.
        pub load: Signal<In, Bit>,
        /// It is a store.
        pub stores: Signal<In, Bit>,
        /// Swizzle.
        pub swizzle: Signal<In, Bits<2>>,
        /// What is done with the bytes.
        pub reduction: Signal<In, ReductionCode>,
        /// Whose it is.
        pub thread: Signal<In, CopierIndex>,
        /// Something of the copy has not been cut.
        pub cutting: Signal<In, Bit>,

        /// The copy that is cut is a store.
        pub is_store: OutControlReg<Bit>,
        /// A burst is taken: only if no part is shown, or it is taken.
        pub burst_valid: Signal<In, Bit>,
        /// Where it goes in global memory, in pieces.
        pub burst_to: Signal<In, Bits<PIECE_ADDRESS>>,
        /// Where it is in shared memory, in pieces, before the swizzle.
        pub burst_from: Signal<In, Bits<PLACE_BITS>>,
        /// How many pieces.
        pub burst_count: Signal<In, Bits<4>>,
        /// The next one begins where it ends, in both memories.
        pub burst_more: Signal<In, Bit>,

        /// A part of a box is shown.
        pub box_valid: OutControlReg<Bit>,
        /// It is taken.
        pub box_taken: Signal<In, Bit>,
        /// Where it is in shared memory, in pieces, before the swizzle.
        pub box_from: OutReg<Bits<PLACE_BITS>>,
        /// Where it goes in global memory, in pieces.
        pub box_to: OutReg<Bits<PIECE_ADDRESS>>,
        /// How many pieces: 1 to 8.
        pub box_count: OutReg<Bits<4>>,
        /// The next part begins where it ends, in both memories.
        pub box_more: OutReg<Bit>,
        /// Swizzle.
        pub box_swizzle: OutReg<Bits<2>>,
        /// What is done with the bytes.
        pub box_reduction: OutReg<ReductionCode>,
        /// The thread whose copy is cut.
        pub owner: OutReg<CopierIndex>,
        /// A thread.
        pub asker: Signal<In, CopierIndex>,
        /// It has a store of which something is here, or is still to come.
        pub owes: Signal<Out, Bit>,
    }
    processes { Offer, Keep }
}

#[processes]
impl Outward {
    fn offer(&mut self) {
        self.owes.next = (self.box_valid.q.val() | (self.is_store.q.val() & self.cutting.val()))
            & (self.owner.q.val() == self.asker.val());
    }

    fn keep(&mut self) {
        if self.load.val() {
            self.is_store.d.next = self.stores.val();
            connect!(self.box_* <<= self.*: swizzle, reduction);
            self.owner.d.next = self.thread.val();
        }
        self.box_valid.d.next = (self.box_valid.q.val() & !self.box_taken.val()) | self.burst_valid.val();
        if self.burst_valid.val() {
            connect!(self.box_* <<= self.burst_*: from, to, count, more);
        }
    }
}
