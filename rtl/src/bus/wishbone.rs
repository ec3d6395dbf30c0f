//! Wishbone B4: a slave of 32 bits with a granularity of 8, for classic and for pipelined masters.
//!
//! ```text
//!   cyc, stb  /‾‾‾‾‾‾‾‾‾‾‾‾\___
//!   access    /‾\_____________
//!   stall     ‾‾‾‾‾‾‾‾‾\___/‾‾     a pipelined master holds its request until it is acknowledged
//!   ack       _________/‾‾‾\___     or `err`
//! ```
//! A master may abort a cycle: an access that has started is completed, without an acknowledge.

use super::access::Access;
use crate::bundle;
use crate::hardware;
use crate::hdl::*;

bundle! {
    /// Pins of Wishbone.
    pub bundle Wishbone {
        /// Bus cycle in progress.
        pub cyc: Forth<Bit>,
        /// Strobe: access valid.
        pub stb: Forth<Bit>,
        /// Write access.
        pub we: Forth<Bit>,
        /// Byte address; the low two bits are ignored.
        pub adr: Forth<BusAddress>,
        /// Write data.
        pub dat_w: Forth<Bits<32>>,
        /// Byte enables.
        pub sel: Forth<Bits<4>>,
        /// Read data.
        pub dat_r: Back<Bits<32>>,
        /// Acknowledge: access complete.
        pub ack: Back<Bit>,
        /// Error: access complete with an error.
        pub err: Back<Bit>,
        /// Stall, for pipelined masters: access not accepted yet.
        pub stall: Back<Bit>,
    }
}

hardware! {
    /// Wishbone slave: translates to the register bus.
    pub module WishboneFront = "wishbone" {
        /// Bus.
        pub bus: Flat<Wishbone<In>>,
        /// Accesses.
        pub access: Access<Out>,

        /// Access in progress.
        pub busy: ControlReg<Bit>,
        /// The master has aborted the access.
        pub orphaned: ControlReg<Bit>,

        /// Access valid.
        pub asks: Signal<Local, Bit>,
        /// The access ends.
        pub ends: Signal<Local, Bit>,
    }
    processes { Ask, Step }
}

#[processes]
impl WishboneFront {
    #[inline]
    fn ask(&mut self) {
        self.asks.next = self.bus.cyc.val() & self.bus.stb.val();
        self.access.valid.next = self.asks.val() & !self.busy.q.val();
        self.access.write.next = self.bus.we.val();
        self.access.address.next = self.bus.adr.val();
        self.access.data.next = self.bus.dat_w.val();
        self.access.strobe.next = self.bus.sel.val();
    }

    #[inline]
    fn step(&mut self) {
        self.ends.next = self.asks.val() & self.busy.q.val() & self.access.done.val() & !self.orphaned.q.val();
        self.bus.ack.next = self.ends.val() & !self.access.error.val();
        self.bus.err.next = self.ends.val() & self.access.error.val();
        self.bus.stall.next = !self.access.done.val() | self.orphaned.q.val();
        self.bus.dat_r.next = self.access.read.val();
        if self.access.valid.val() & self.access.ready.val() {
            self.busy.d.next = true;
        }
        if self.busy.q.val() & !self.asks.val() {
            self.orphaned.d.next = true;
        }
        if self.access.done.val() {
            self.busy.d.next = false;
            self.orphaned.d.next = false;
        }
    }
}
