//! Request channel of a CTA's threads; answers are those of [its unit](crate::pins). Valid and ready are masks, one bit per port.

use crate::bundle;
use crate::hdl::*;

bundle! {
    /// A request of a thread.
    pub bundle PortRequest {
        /// Opcode.
        pub op: Forth<OpCode, OpView>,
        /// The address is in `.shared::cluster`.
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
