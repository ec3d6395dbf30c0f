//! TileLink Uncached Lightweight: a manager of 32 bits: Get, PutFullData, PutPartialData of 1, 2 or 4 bytes.
//!
//! ```text
//!   a_valid  /‾\______________
//!   done     ________/‾\______
//! d_valid  ________/‾‾‾‾‾‾\_     until accepted
//! ```
//! Other messages, and data marked as corrupt, are denied and have no effect.

use super::access::Access;
use crate::bundle;
use crate::hardware;
use crate::hdl::*;

/// Width of a source number.
pub const SOURCE_BITS: usize = 8;

bundle! {
    /// Pins of TileLink: channels A and D.
    pub bundle TileLink {
        /// Request valid.
        pub a_valid: Forth<Bit>,
        /// Request accepted.
        pub a_ready: Back<Bit>,
        /// Opcode: 0 PutFullData, 1 PutPartialData, 4 Get.
        pub a_opcode: Forth<Bits<3>>,
        /// Parameter: 0.
        pub a_param: Forth<Bits<3>>,
        /// Logarithm of the number of bytes: 0 to 2.
        pub a_size: Forth<Bits<2>>,
        /// Source, returned with the answer.
        pub a_source: Forth<Bits<SOURCE_BITS>>,
        /// Byte address.
        pub a_address: Forth<BusAddress>,
        /// Byte enables.
        pub a_mask: Forth<Bits<4>>,
        /// Write data.
        pub a_data: Forth<Bits<32>>,
        /// Write data corrupt.
        pub a_corrupt: Forth<Bit>,
        /// Answer valid.
        pub d_valid: Back<Bit>,
        /// Answer accepted.
        pub d_ready: Forth<Bit>,
        /// Opcode: 0 AccessAck, 1 AccessAckData, 2 HintAck.
        pub d_opcode: Back<Bits<3>>,
        /// Parameter: 0.
        pub d_param: Back<Bits<2>>,
        /// Size of the request.
        pub d_size: Back<Bits<2>>,
        /// Source of the request.
        pub d_source: Back<Bits<SOURCE_BITS>>,
        /// Sink: 0.
        pub d_sink: Back<Bit>,
        /// Request denied: no effect.
        pub d_denied: Back<Bit>,
        /// Read data.
        pub d_data: Back<Bits<32>>,
        /// Read data invalid, because the request was denied.
        pub d_corrupt: Back<Bit>,
    }
}

hardware! {
    /// TileLink manager: translates to the register bus.
    pub module TileLinkFront = "tilelink" {
        /// Bus.
        pub bus: Flat<TileLink<In>>,
        /// Accesses.
        pub access: Access<Out>,

        /// A request is in flight, or its answer not accepted.
        pub busy: ControlReg<Bit>,
        /// Answer valid.
        pub answered: ControlReg<Bit>,
        /// The answer is a denial.
        pub refused: ControlReg<Bit>,
        /// Opcode of the request.
        pub opcode: ControlReg<Bits<3>>,
        /// Size of the request.
        pub size: ControlReg<Bits<2>>,
        /// Source of the request.
        pub source: ControlReg<Bits<SOURCE_BITS>>,

        /// The request is not supported.
        pub strange: Signal<Local, Bit>,
        /// Request accepted.
        pub taken: Signal<Local, Bit>,
        /// The answer carries data.
        pub carries: Signal<Local, Bit>,
    }
    constants {
        /// Opcode of PutFullData.
        PUT_FULL: Bits<3> = Bits::constant(0);
        /// Opcode of PutPartialData.
        PUT_PARTIAL: Bits<3> = Bits::constant(1);
        /// Opcode of Get.
        GET: Bits<3> = Bits::constant(4);
        /// Opcode of Intent.
        INTENT: Bits<3> = Bits::constant(5);
        /// Opcode of AccessAckData.
        ACCESS_ACK_DATA: Bits<3> = Bits::constant(1);
        /// Opcode of HintAck.
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
