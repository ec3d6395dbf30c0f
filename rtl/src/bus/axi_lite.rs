//! AXI4-Lite: a subordinate of 32 bits.
//!
//! A write address, write data and a read address are each registered until they are served: in any order, one at a time, reads and writes
//! alternating. So there is no path from an input to an output, and a manager that does not accept a write response does not block its
//! reads.
//!
//! ```text
//!   awvalid  /‾\__________________________
//! wvalid   _____/‾\_____________________     before or after the address
//!   access   ________/‾\__________________
//!   done     ______________/‾\____________
//! bvalid   ________________/‾‾‾‾‾‾‾‾\___     until accepted
//! ```

use super::access::Access;
use crate::bundle;
use crate::hardware;
use crate::hdl::*;

bundle! {
    /// Pins of AXI4-Lite.
    pub bundle AxiLite {
        /// Write address.
        pub awaddr: Forth<BusAddress>,
        /// Protection of the write; unused here, left to the address map.
        pub awprot: Forth<Bits<3>>,
        /// Write address valid.
        pub awvalid: Forth<Bit>,
        /// Write address accepted.
        pub awready: Back<Bit>,
        /// Write data.
        pub wdata: Forth<Bits<32>>,
        /// Byte enables.
        pub wstrb: Forth<Bits<4>>,
        /// Write data valid.
        pub wvalid: Forth<Bit>,
        /// Write data accepted.
        pub wready: Back<Bit>,
        /// Write response: 0, or SLVERR.
        pub bresp: Back<Bits<2>>,
        /// Write response valid.
        pub bvalid: Back<Bit>,
        /// Write response accepted.
        pub bready: Forth<Bit>,
        /// Read address.
        pub araddr: Forth<BusAddress>,
        /// Protection of the read; unused here, left to the address map.
        pub arprot: Forth<Bits<3>>,
        /// Read address valid.
        pub arvalid: Forth<Bit>,
        /// Read address accepted.
        pub arready: Back<Bit>,
        /// Read data.
        pub rdata: Back<Bits<32>>,
        /// Read response: 0, or SLVERR.
        pub rresp: Back<Bits<2>>,
        /// Read data valid.
        pub rvalid: Back<Bit>,
        /// Read data accepted.
        pub rready: Forth<Bit>,
    }
}

hardware! {
    /// AXI4-Lite subordinate: translates to the register bus.
    pub module AxiLiteFront = "axi_lite" {
        /// Bus.
        pub bus: Flat<AxiLite<In>>,
        /// Accesses, one at a time.
        pub access: Access<Out>,

        /// Write address registered.
        pub aw_kept: ControlReg<Bit>,
        /// Write address.
        pub aw: Reg<BusAddress>,
        /// Write data registered.
        pub w_kept: ControlReg<Bit>,
        /// Write data.
        pub w: Reg<Bits<32>>,
        /// Byte enables.
        pub w_strobe: Reg<Bits<4>>,
        /// Read address registered.
        pub ar_kept: ControlReg<Bit>,
        /// Read address.
        pub ar: Reg<BusAddress>,
        /// The access in progress is a write.
        pub writing: ControlReg<Bit>,
        /// Access in progress.
        pub busy: ControlReg<Bit>,
        /// Write response valid.
        pub b_kept: ControlReg<Bit>,
        /// Write error.
        pub b_error: ControlReg<Bit>,
        /// Read response valid.
        pub r_kept: ControlReg<Bit>,
        /// Read error.
        pub r_error: ControlReg<Bit>,
        /// Read data.
        pub r: ControlReg<Bits<32>>,

        /// A write can start.
        pub can_write: Signal<Local, Bit>,
        /// A read can start.
        pub can_read: Signal<Local, Bit>,
        /// An access starts.
        pub begins: Signal<Local, Bit>,
    }
    constants {
        /// Response code of an error.
        SLVERR: Bits<2> = Bits::constant(2);
    }
    processes { Respond, Ask, Step }
}

#[processes]
impl AxiLiteFront {
    #[inline]
    fn respond(&mut self) {
        self.bus.awready.next = !self.aw_kept.q.val();
        self.bus.wready.next = !self.w_kept.q.val();
        self.bus.arready.next = !self.ar_kept.q.val();
        self.bus.bvalid.next = self.b_kept.q.val();
        self.bus.bresp.next = 0.into();
        if self.b_error.q.val() {
            self.bus.bresp.next = SLVERR;
        }
        self.bus.rvalid.next = self.r_kept.q.val();
        self.bus.rdata.next = self.r.q.val();
        self.bus.rresp.next = 0.into();
        if self.r_error.q.val() {
            self.bus.rresp.next = SLVERR;
        }
    }

    #[inline]
    fn ask(&mut self) {
        self.can_write.next = self.aw_kept.q.val() & self.w_kept.q.val() & !self.b_kept.q.val();
        self.can_read.next = self.ar_kept.q.val() & !self.r_kept.q.val();
        self.access.valid.next = !self.busy.q.val() & (self.can_write.val() | self.can_read.val());
        // reads and writes alternate
        self.access.write.next = self.can_write.val() & (!self.can_read.val() | !self.writing.q.val());
        self.access.address.next = self.ar.q.val();
        if self.access.write.val() {
            self.access.address.next = self.aw.q.val();
        }
        self.access.data.next = self.w.q.val();
        self.access.strobe.next = self.w_strobe.q.val();
    }

    #[inline]
    fn step(&mut self) {
        self.begins.next = self.access.valid.val() & self.access.ready.val();
        if self.begins.val() {
            self.busy.d.next = true;
            self.writing.d.next = self.access.write.val();
        }
        if self.b_kept.q.val() & self.bus.bready.val() {
            self.b_kept.d.next = false;
        }
        if self.r_kept.q.val() & self.bus.rready.val() {
            self.r_kept.d.next = false;
        }
        if self.bus.awvalid.val() & !self.aw_kept.q.val() {
            self.aw_kept.d.next = true;
            self.aw.d.next = self.bus.awaddr.val();
        }
        if self.bus.wvalid.val() & !self.w_kept.q.val() {
            self.w_kept.d.next = true;
            self.w.d.next = self.bus.wdata.val();
            self.w_strobe.d.next = self.bus.wstrb.val();
        }
        if self.bus.arvalid.val() & !self.ar_kept.q.val() {
            self.ar_kept.d.next = true;
            self.ar.d.next = self.bus.araddr.val();
        }
        if self.begins.val() & self.access.write.val() {
            self.aw_kept.d.next = false;
            self.w_kept.d.next = false;
        }
        if self.begins.val() & !self.access.write.val() {
            self.ar_kept.d.next = false;
        }
        if self.access.done.val() {
            self.busy.d.next = false;
            if self.writing.q.val() {
                self.b_kept.d.next = true;
                self.b_error.d.next = self.access.error.val();
            }
            if !self.writing.q.val() {
                self.r_kept.d.next = true;
                self.r_error.d.next = self.access.error.val();
                self.r.d.next = self.access.read.val();
            }
        }
    }
}
