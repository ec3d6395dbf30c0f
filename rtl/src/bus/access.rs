//! Register bus: one access at a time, the same for every external bus.
//!
//! ```text
//!   cycle       0      1      2     ...    n     n+1
//! valid      /‾‾‾‾‾‾\__________________________/‾‾    payload valid with it
//!   ready      ‾‾‾‾‾‾‾\_________________________/‾‾‾
//!   done       __________________________/‾‾‾‾‾\____    n is 2, unless the access has to wait
//! read       --------------------------<  until the next access is accepted
//! ```

use crate::bundle;
use crate::hdl::*;

bundle! {
    /// Access to a register or to the memory.
    pub bundle Access {
        /// Access valid.
        pub valid: Forth<Bit>,
        /// Access accepted.
        pub ready: Back<Bit>,
        /// Write access.
        pub write: Forth<Bit>,
        /// Byte address; the low two bits are ignored.
        pub address: Forth<BusAddress>,
        /// Write data.
        pub data: Forth<Bits<32>>,
        /// Byte enables.
        pub strobe: Forth<Bits<4>>,
        /// Access complete.
        pub done: Back<Bit>,
        /// Read data.
        pub read: Back<Bits<32>>,
        /// Error: no such register, access not allowed, or word out of range. No effect.
        pub error: Back<Bit>,
    }
}
