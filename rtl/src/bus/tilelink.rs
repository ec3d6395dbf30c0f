//! TileLink Uncached Lightweight: a manager of 32 bits: Get, PutFullData, PutPartialData of 1, 2 or 4 bytes.
//!
//! ```text
//!   a_valid  /‾\______________
//!   done     ________/‾\______
//!   d_valid  ________/‾‾‾‾‾‾\_     until it is taken
//! ```
//! Other messages, and data that are marked as corrupt, are denied and do nothing.

use super::access::Access;
use crate::bundle;
use crate::hardware;
use crate::hdl::*;

/// Bits of the number of a requester.
pub const SOURCE_BITS: usize = 8;

bundle! {
    /// Pins of TileLink: channels A and D.
    pub bundle TileLink {
        /// A request is there.
        pub a_valid: Forth<Bit>,
        /// It is taken.
        pub a_ready: Back<Bit>,
        /// 0: PutFullData, 1: PutPartialData, 4: Get.
        pub a_opcode: Forth<Bits<3>>,
        /// 0.
        pub a_param: Forth<Bits<3>>,
        /// Logarithm of the number of bytes: 0 to 2.
        pub a_size: Forth<Bits<2>>,
        /// Comes back with the answer.
        pub a_source: Forth<Bits<SOURCE_BITS>>,
        /// Byte address.
        pub a_address: Forth<BusAddress>,
        /// Bytes to write.
        pub a_mask: Forth<Bits<4>>,
        /// What is written.
        pub a_data: Forth<Bits<32>>,
        /// The data are not right.
        pub a_corrupt: Forth<Bit>,
        /// An answer is there.
        pub d_valid: Back<Bit>,
        /// It is taken.
        pub d_ready: Forth<Bit>,
        /// 0: AccessAck, 1: AccessAckData, 2: HintAck.
        pub d_opcode: Back<Bits<3>>,
        /// 0.
        pub d_param: Back<Bits<2>>,
        /// The request's.
        pub d_size: Back<Bits<2>>,
        /// The request's.
        pub d_source: Back<Bits<SOURCE_BITS>>,
        /// 0.
        pub d_sink: Back<Bit>,
        /// Nothing was done.
        pub d_denied: Back<Bit>,
        /// What was read.
        pub d_data: Back<Bits<32>>,
        /// It is not right, because it was denied.
        pub d_corrupt: Back<Bit>,
    }
}

hardware! {
    /// TileLink, to the register bus.
    pub module TileLinkFront = "tilelink" {
        /// The bus.
        pub bus: Flat<TileLink<In>>,
        /// Its accesses.
        pub access: Access<Out>,

        /// A request is under way or its answer is not taken.
        pub busy: ControlReg<Bit>,
        /// There is an answer.
        pub answered: ControlReg<Bit>,
        /// It is to be denied.
        pub refused: ControlReg<Bit>,
        /// Opcode of the request.
        pub opcode: ControlReg<Bits<3>>,
        /// Its size.
        pub size: ControlReg<Bits<2>>,
        /// Who has it.
        pub source: ControlReg<Bits<SOURCE_BITS>>,

        /// The request is not one of those that there are.
        pub strange: Signal<Local, Bit>,
        /// It is taken.
        pub taken: Signal<Local, Bit>,
        /// The answer carries data.
        pub carries: Signal<Local, Bit>,
    }
    constants {
        /// Opcode of a request.
        PUT_FULL: Bits<3> = Bits::constant(0);
        /// Opcode of a request.
        PUT_PARTIAL: Bits<3> = Bits::constant(1);
        /// Opcode of a request.
        GET: Bits<3> = Bits::constant(4);
        /// Opcode of a request.
        INTENT: Bits<3> = Bits::constant(5);
        /// Opcode of an answer.
        ACCESS_ACK_DATA: Bits<3> = Bits::constant(1);
        /// Opcode of an answer.
        HINT_ACK: Bits<3> = Bits::constant(2);
    }
    processes { Ask, Answer, Step }
}

#[processes]
impl TileLinkFront {
    #[inline]
    fn ask(&mut self) {
        self.strange.next = true;
        if (self.bus.a_opcode.val() == PUT_FULL) | (self.bus.a_opcode.val() == PUT_PARTIAL) {
            self.strange.next = self.bus.a_corrupt.val();
        }
        if self.bus.a_opcode.val() == GET {
            self.strange.next = false;
        }
        self.access.valid.next = self.bus.a_valid.val() & !self.busy.q.val() & !self.strange.val();
        self.access.write.next = self.bus.a_opcode.val() != GET;
        self.access.address.next = self.bus.a_address.val();
        self.access.data.next = self.bus.a_data.val();
        self.access.strobe.next = self.bus.a_mask.val();
    }

    #[inline]
    fn answer(&mut self) {
        self.bus.a_ready.next = !self.busy.q.val() & self.access.ready.val();
        self.bus.d_valid.next = self.answered.q.val() | (self.busy.q.val() & self.access.done.val());
        // Get, ArithmeticData, LogicalData
        self.carries.next =
            (self.opcode.q.val() != PUT_FULL) & (self.opcode.q.val() != PUT_PARTIAL) & (self.opcode.q.val() != INTENT);
        self.bus.d_opcode.next = 0.into();
        if self.carries.val() {
            self.bus.d_opcode.next = ACCESS_ACK_DATA;
        }
        if self.opcode.q.val() == INTENT {
            self.bus.d_opcode.next = HINT_ACK;
        }
        self.bus.d_param.next = 0.into();
        self.bus.d_size.next = self.size.q.val();
        self.bus.d_source.next = self.source.q.val();
        self.bus.d_sink.next = false;
        self.bus.d_denied.next = self.refused.q.val() | self.access.error.val();
        self.bus.d_corrupt.next = self.carries.val() & self.bus.d_denied.val();
        self.bus.d_data.next = self.access.read.val();
        if self.refused.q.val() {
            self.bus.d_data.next = 0.into();
        }
    }

    #[inline]
    fn step(&mut self) {
        self.taken.next = self.bus.a_valid.val() & self.bus.a_ready.val();
        if self.busy.q.val() & self.access.done.val() {
            self.answered.d.next = true;
        }
        if self.bus.d_valid.val() & self.bus.d_ready.val() {
            self.busy.d.next = false;
            self.answered.d.next = false;
        }
        if self.taken.val() {
            self.busy.d.next = true;
            self.answered.d.next = self.strange.val();
            self.refused.d.next = self.strange.val();
            self.opcode.d.next = self.bus.a_opcode.val();
            self.size.d.next = self.bus.a_size.val();
            self.source.d.next = self.bus.a_source.val();
        }
    }
}
