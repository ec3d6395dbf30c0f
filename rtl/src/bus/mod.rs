//! A unit behind a bus: AXI4-Lite, Wishbone B4, APB4 or TileLink-UL.
//!
//! ```text
//!   s0_axil_* ──► axi_lite ──access──► windows ──► port 0 ┐
//!                                        └──► irq_0       ├ unit
//!   s1_axil_* ──► axi_lite ──access──► windows ──► port 1 ┘
//! ```
//! Each port of the unit is a port of the bus. Behind it there are [windows], one for each hart or thread; their contents are the same for
//! every bus. An address is
//!
//! ```text
//!     privileged │ window │ memory │ offset in a page
//! ```
//! so a window has two pages of the same size: its registers, and the memory as the window accesses it. The privileged page sets the range
//! of words that each window may access.

pub mod access;
pub mod apb;
pub mod axi_lite;
pub mod parameters;
pub mod registers;
pub mod tilelink;
pub mod windows;
pub mod wishbone;

use crate::any::AnyUnit;
use crate::hardware;
use crate::hdl::*;
use apb::{Apb, ApbFront};
use axi_lite::{AxiLite, AxiLiteFront};
use parameters::{Bus, BusParameters};
use tilelink::{TileLink, TileLinkFront};
use windows::Windows;
use wishbone::{Wishbone, WishboneFront};

hardware! {
    /// A unit of shared memory with mbarrier operations behind a bus.
    pub module BusUnit = "bus_unit" {
        /// AXI4-Lite of each port.
        pub s_axil: Lanes<AxiLite<In>>,
        /// Wishbone of each port.
        pub s_wb: Lanes<Wishbone<In>>,
        /// APB of each port.
        pub s_apb: Lanes<Apb<In>>,
        /// TileLink of each port.
        pub s_tl: Lanes<TileLink<In>>,
        /// Interrupt, one bit per window.
        pub irq: Lanes<Signal<Out, WindowMask>>,

        /// AXI4-Lite subordinate of each port.
        pub axi: Lanes<AxiLiteFront>,
        /// Wishbone slave of each port.
        pub wishbone: Lanes<WishboneFront>,
        /// APB completer of each port.
        pub apb: Lanes<ApbFront>,
        /// TileLink manager of each port.
        pub tilelink: Lanes<TileLinkFront>,
        /// The windows of each port.
        pub windows: Lanes<Windows>,
        /// The unit.
        pub unit: AnyUnit,
    }
    processes { Come, Ask, Drive, Collect, Reply, Go }
}

#[processes]
impl BusUnit {
    /// Inputs from the bus.
    #[inline]
    fn come(&mut self) {
        for p in 0..self.axi.len() {
            self.axi[p].bus <<= self.s_axil[p];
        }
        for p in 0..self.wishbone.len() {
            self.wishbone[p].bus <<= self.s_wb[p];
        }
        for p in 0..self.apb.len() {
            self.apb[p].bus <<= self.s_apb[p];
        }
        for p in 0..self.tilelink.len() {
            self.tilelink[p].bus <<= self.s_tl[p];
        }
    }

    /// Accesses to the windows.
    #[inline]
    fn ask(&mut self) {
        for p in 0..self.axi.len() {
            self.windows[p].access <<= self.axi[p].access;
        }
        for p in 0..self.wishbone.len() {
            self.windows[p].access <<= self.wishbone[p].access;
        }
        for p in 0..self.apb.len() {
            self.windows[p].access <<= self.apb[p].access;
        }
        for p in 0..self.tilelink.len() {
            self.windows[p].access <<= self.tilelink[p].access;
        }
    }

    /// Requests to the unit.
    #[inline]
    fn drive(&mut self) {
        self.unit.req_valid.next = 0.into();
        self.unit.rsp_ready.next = 0.into();
        self.unit.bank_stall.next = 0.into();
        self.unit.remote_pending.next = 0.into();
        for p in 0..self.windows.len() {
            self.unit.req[p] <<= self.windows[p].req;
            self.unit.req_order[p].next = self.windows[p].req_order.val();
            if self.windows[p].req_valid.val() {
                self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << p);
            }
            if self.windows[p].rsp_ready.val() {
                self.unit.rsp_ready.next = self.unit.rsp_ready.val() | (bits::<PORTS>(1) << p);
            }
        }
    }

    /// Answers of the unit.
    #[inline]
    fn collect(&mut self) {
        for p in 0..self.windows.len() {
            self.windows[p].req_ready.next = self.unit.req_ready.val().get_bit(p);
            self.windows[p].rsp_valid.next = self.unit.rsp_valid.val().get_bit(p);
            self.windows[p].rsp <<= self.unit.rsp[p];
            self.windows[p].rsp_resumed.next = self.unit.rsp_resumed.val().get_bit(p);
            self.irq[p].next = self.windows[p].irq.q.val();
        }
    }

    /// Completion of accesses.
    #[inline]
    fn reply(&mut self) {
        for p in 0..self.axi.len() {
            self.windows[p].access >>= self.axi[p].access;
        }
        for p in 0..self.wishbone.len() {
            self.windows[p].access >>= self.wishbone[p].access;
        }
        for p in 0..self.apb.len() {
            self.windows[p].access >>= self.apb[p].access;
        }
        for p in 0..self.tilelink.len() {
            self.windows[p].access >>= self.tilelink[p].access;
        }
    }

    /// Outputs to the bus.
    #[inline]
    fn go(&mut self) {
        for p in 0..self.axi.len() {
            self.axi[p].bus >>= self.s_axil[p];
        }
        for p in 0..self.wishbone.len() {
            self.wishbone[p].bus >>= self.s_wb[p];
        }
        for p in 0..self.apb.len() {
            self.apb[p].bus >>= self.s_apb[p];
        }
        for p in 0..self.tilelink.len() {
            self.tilelink[p].bus >>= self.s_tl[p];
        }
    }
}

impl BusUnit {
    /// The unit with these parameters.
    pub fn new(parameters: &BusParameters) -> Self {
        let ports = parameters.unit.ports;
        let on = |bus: Bus| if parameters.bus == bus { ports } else { 0 };
        let [axis, wishbones, apbs, tilelinks] = Bus::ALL.map(on);
        Self {
            s_axil: Lanes::new(axis),
            s_wb: Lanes::new(wishbones),
            s_apb: Lanes::new(apbs),
            s_tl: Lanes::new(tilelinks),
            irq: Lanes::new(ports),
            axi: Lanes::new(axis),
            wishbone: Lanes::new(wishbones),
            apb: Lanes::new(apbs),
            tilelink: Lanes::new(tilelinks),
            windows: Lanes::of(ports, || Windows::new(parameters)),
            unit: AnyUnit::new(&parameters.unit),
        }
    }

    /// The clock edge, with `rst` low.
    pub fn clock(&mut self) {
        self.tick();
    }

    /// The clock edge, with `rst` high.
    pub fn clock_in_reset(&mut self) {
        self.tick();
        self.reset();
    }
}
