//! The register bus: one access at a time, whatever bus it came from.
//!
//! ```text
//!   cycle       0      1      2     ...    n     n+1
//!   valid      /‾‾‾‾‾‾\__________________________/‾‾    the payload is taken with it
//!   ready      ‾‾‾‾‾‾‾\_________________________/‾‾‾
//!   done       __________________________/‾‾‾‾‾\____    n is 2, unless the access has to wait
//!   read       --------------------------<  until the next access is taken
//! ```

use crate::bundle;
use crate::hdl::*;

bundle! {
    /// An access to a register, or to the memory, and its end.
    pub bundle Access {
        /// An access is there.
        pub valid: Forth<Bit>,
        /// It is taken.
        pub ready: Back<Bit>,
        /// It writes.
        pub write: Forth<Bit>,
        /// Byte address; the low two bits count for nothing.
        pub address: Forth<BusAddress>,
        /// What it writes.
        pub data: Forth<Bits<32>>,
        /// Which bytes it writes.
        pub strobe: Forth<Bits<4>>,
        /// It is over.
        pub done: Back<Bit>,
        /// What it has read.
        pub read: Back<Bits<32>>,
        /// Nothing was done: there is no such register, or it is not for this, or the word is out of range.
        pub error: Back<Bit>,
    }
}
