//! AXI4-Lite: a subordinate of 32 bits.
//!
//! A write address, write data and a read address are each kept until they are served: in any order, one after the other, reads and writes by turns. So
//! there is no path from an input to an output, and a manager that does not take a response to a write does not hold up its reads.
//!
//! ```text
//!   awvalid  /‾\__________________________
//!   wvalid   _____/‾\_____________________     before it or behind
//!   access   ________/‾\__________________
//!   done     ______________/‾\____________
//!   bvalid   ________________/‾‾‾‾‾‾‾‾\___     until it is taken
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
        /// Protection of the write; it is up to the address map.
        pub awprot: Forth<Bits<3>>,
        /// A write address is there.
        pub awvalid: Forth<Bit>,
        /// It is taken.
        pub awready: Back<Bit>,
        /// Write data.
        pub wdata: Forth<Bits<32>>,
        /// Bytes to write.
        pub wstrb: Forth<Bits<4>>,
        /// Write data is there.
        pub wvalid: Forth<Bit>,
        /// It is taken.
        pub wready: Back<Bit>,
        /// How the write ended: 0, or SLVERR.
        pub bresp: Back<Bits<2>>,
        /// A write has ended.
        pub bvalid: Back<Bit>,
        /// That is taken.
        pub bready: Forth<Bit>,
        /// Read address.
        pub araddr: Forth<BusAddress>,
        /// Protection of the read; it is up to the address map.
        pub arprot: Forth<Bits<3>>,
        /// A read address is there.
        pub arvalid: Forth<Bit>,
        /// It is taken.
        pub arready: Back<Bit>,
        /// What was read.
        pub rdata: Back<Bits<32>>,
        /// How the read ended: 0, or SLVERR.
        pub rresp: Back<Bits<2>>,
        /// A read has ended.
        pub rvalid: Back<Bit>,
        /// That is taken.
        pub rready: Forth<Bit>,
    }
}

hardware! {
    /// AXI4-Lite, to the register bus.
    pub module AxiLiteFront = "axi_lite" {
        /// The bus.
        pub bus: Flat<AxiLite<In>>,
        /// Its accesses, one after the other.
        pub access: Access<Out>,

        /// A write address is kept.
        pub aw_kept: ControlReg<Bit>,
        /// It.
        pub aw: Reg<BusAddress>,
        /// Write data are kept.
        pub w_kept: ControlReg<Bit>,
        /// They.
        pub w: Reg<Bits<32>>,
        /// Which bytes.
        pub w_strobe: Reg<Bits<4>>,
        /// A read address is kept.
        pub ar_kept: ControlReg<Bit>,
        /// It.
        pub ar: Reg<BusAddress>,
        /// The access under way is a write.
        pub writing: ControlReg<Bit>,
        /// There is one.
        pub busy: ControlReg<Bit>,
        /// A write has ended.
        pub b_kept: ControlReg<Bit>,
        /// With an error.
        pub b_error: ControlReg<Bit>,
        /// A read has ended.
        pub r_kept: ControlReg<Bit>,
        /// With an error.
        pub r_error: ControlReg<Bit>,
        /// What was read.
        pub r: ControlReg<Bits<32>>,

        /// The write can be done.
        pub can_write: Signal<Local, Bit>,
        /// The read can be done.
        pub can_read: Signal<Local, Bit>,
        /// An access begins.
        pub begins: Signal<Local, Bit>,
    }
    constants {
        /// A response.
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
        // by turns
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
