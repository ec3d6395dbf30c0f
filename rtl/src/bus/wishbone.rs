//! Wishbone B4: a slave of 32 bits with a granularity of 8, for classic and for pipelined masters.
//!
//! ```text
//!   cyc, stb  /‾‾‾‾‾‾‾‾‾‾‾‾\___
//!   access    /‾\_____________
//!   stall     ‾‾‾‾‾‾‾‾‾\___/‾‾     a pipelined master holds its request until it is acknowledged
//!   ack       _________/‾‾‾\___     or `err`
//! ```
//! A master may give a cycle up: what was begun is done, and nobody is told.

use super::access::Access;
use crate::bundle;
use crate::hardware;
use crate::hdl::*;

bundle! {
    /// Pins of Wishbone.
    pub bundle Wishbone {
        /// A bus cycle is under way.
        pub cyc: Forth<Bit>,
        /// It asks for an access.
        pub stb: Forth<Bit>,
        /// The access writes.
        pub we: Forth<Bit>,
        /// Byte address; the low two bits count for nothing.
        pub adr: Forth<BusAddress>,
        /// What it writes.
        pub dat_w: Forth<Bits<32>>,
        /// Bytes to write.
        pub sel: Forth<Bits<4>>,
        /// What was read.
        pub dat_r: Back<Bits<32>>,
        /// It is done.
        pub ack: Back<Bit>,
        /// It ended with an error.
        pub err: Back<Bit>,
        /// For pipelined masters: it is not taken yet.
        pub stall: Back<Bit>,
    }
}

hardware! {
    /// Wishbone, to the register bus.
    pub module WishboneFront = "wishbone" {
        /// The bus.
        pub bus: Flat<Wishbone<In>>,
        /// Its accesses.
        pub access: Access<Out>,

        /// An access is under way.
        pub busy: ControlReg<Bit>,
        /// The master has given it up.
        pub orphaned: ControlReg<Bit>,

        /// An access is asked for.
        pub asks: Signal<Local, Bit>,
        /// The access that was asked for is over.
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
