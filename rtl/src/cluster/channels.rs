//! What threads ask of a CTA; answers are those of [its unit](crate::pins). Valid and ready are masks, a bit each port.

use crate::bundle;
use crate::hdl::*;

bundle! {
    /// A request of a thread.
    pub bundle PortRequest {
        /// Opcode.
        pub op: Forth<OpCode, OpView>,
        /// The address is one of `.shared::cluster`.
        pub cluster: Forth<Bit>,
        /// Byte address, a multiple of 8.
        pub address: Forth<Bits<32>>,
        /// Operand: count, bytes, parity or token; data of a store.
        pub data: Forth<Word>,
        /// Byte enables of a store.
        pub strobe: Forth<Bits<8>>,
        /// Returned with the answer; identifies the thread.
        pub tag: Forth<Tag>,
        /// Memory ordering.
        pub order: Forth<OrderCode>,
    }
}
