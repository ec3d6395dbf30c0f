//! APB4: a completer of 32 bits.
//!
//! ```text
//!   psel     /‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___
//!   penable  ____/‾‾‾‾‾‾‾‾‾‾\___
//!   access   ____/‾\____________
//!   pready   ___________/‾‾‾\___
//! ```

use super::access::Access;
use crate::bundle;
use crate::hardware;
use crate::hdl::*;

bundle! {
    /// Pins of APB4.
    pub bundle Apb {
        /// Address.
        pub paddr: Forth<BusAddress>,
        /// Protection; unused here, left to the address map.
        pub pprot: Forth<Bits<3>>,
        /// Completer selected.
        pub psel: Forth<Bit>,
        /// Second or later cycle of an access.
        pub penable: Forth<Bit>,
        /// Write access.
        pub pwrite: Forth<Bit>,
        /// Write data.
        pub pwdata: Forth<Bits<32>>,
        /// Byte enables.
        pub pstrb: Forth<Bits<4>>,
        /// Access complete.
        pub pready: Back<Bit>,
        /// Read data.
        pub prdata: Back<Bits<32>>,
        /// Error.
        pub pslverr: Back<Bit>,
    }
}

hardware! {
    /// APB4 completer: translates to the register bus.
    pub module ApbFront = "apb" {
        /// Bus.
        pub bus: Flat<Apb<In>>,
        /// Accesses.
        pub access: Access<Out>,
    }
    processes { Ask, End }
}

#[processes]
impl ApbFront {
    #[inline]
    fn ask(&mut self) {
        self.access.valid.next = self.bus.psel.val() & self.bus.penable.val();
        self.access.write.next = self.bus.pwrite.val();
        self.access.address.next = self.bus.paddr.val();
        self.access.data.next = self.bus.pwdata.val();
        self.access.strobe.next = self.bus.pstrb.val();
    }

    #[inline]
    fn end(&mut self) {
        self.bus.pready.next = self.access.done.val();
        self.bus.prdata.next = self.access.read.val();
        self.bus.pslverr.next = self.access.done.val() & self.access.error.val();
    }
}
