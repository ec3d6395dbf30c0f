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
        /// Protection; it is up to the address map.
        pub pprot: Forth<Bits<3>>,
        /// The completer is selected.
        pub psel: Forth<Bit>,
        /// The second and later cycles of an access.
        pub penable: Forth<Bit>,
        /// The access writes.
        pub pwrite: Forth<Bit>,
        /// What it writes.
        pub pwdata: Forth<Bits<32>>,
        /// Bytes to write.
        pub pstrb: Forth<Bits<4>>,
        /// It is done.
        pub pready: Back<Bit>,
        /// What was read.
        pub prdata: Back<Bits<32>>,
        /// It ended with an error.
        pub pslverr: Back<Bit>,
    }
}

hardware! {
    /// APB4, to the register bus.
    pub module ApbFront = "apb" {
        /// The bus.
        pub bus: Flat<Apb<In>>,
        /// Its accesses.
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
