//! The banked high-clock unit: the pins of a unit around a [fabric](super).

use super::Fabric;
use crate::hardware;
use crate::hdl::*;
use crate::look::Point;
use crate::pins::{Pins, has_pins};
use crate::word::ordering::Order;
use crate::word::parameters::Parameters;

hardware! {
    /// mbarrier unit: request ports, a crossbar, banks of 64-bit words.
    pub module BankedHighClock = "unit" {
        /// Pins.
        pub pins: Pins,

        /// Number of ports.
        pub ports: usize,
        /// Number of banks.
        pub banks: usize,
        /// The network and pipelines.
        pub fabric: Fabric,

        /// Requests accepted, one bit per port.
        pub accepted: Signal<Local, PortMask>,
    }
    processes { Outcome, Respond, Request }
}

has_pins!(BankedHighClock);

#[processes]
impl BankedHighClock {
    #[inline]
    fn outcome(&mut self) {
        clear!(self.flip_valid, self.done_valid, self.done_suspended, self.wake_valid);
        for b in 0..self.banks {
            if self.fabric.flips[b].val() {
                self.flip_valid.next = self.flip_valid.val() | (bits::<BANKS>(1) << b);
            }
            self.flip_index[b].next = self.fabric.done_index[b].val();
            if self.fabric.done[b].val() {
                self.done_valid.next = self.done_valid.val() | (bits::<EFFECTS>(1) << b);
            }
            connect!(self.*[b] <<= self.fabric.*[b]: done_port, done_tag, done_status, done_index);
            if self.fabric.suspended[b].val() {
                self.done_suspended.next = self.done_suspended.val() | (bits::<EFFECTS>(1) << b);
            }
            if self.fabric.woken[b].val() {
                self.wake_valid.next = self.wake_valid.val() | (bits::<EFFECTS>(1) << b);
            }
        }
    }

    #[inline]
    fn respond(&mut self) {
        clear!(self.rsp_valid, self.rsp_resumed);
        for k in 0..self.ports {
            if self.fabric.rsp_valid[k].val() {
                self.rsp_valid.next = self.rsp_valid.val() | (bits::<PORTS>(1) << k);
            }
            self.pins.rsp[k] <<= self.fabric.rsp[k];
            if self.fabric.rsp_resumed[k].val() & self.fabric.rsp_valid[k].val() {
                self.rsp_resumed.next = self.rsp_resumed.val() | (bits::<PORTS>(1) << k);
            }
        }
    }

    #[inline]
    fn request(&mut self) {
        self.accepted.next = 0.into();
        self.fabric.stall.next = self.bank_stall.val();
        for k in 0..self.ports {
            if self.fabric.ready[k].val()
                & self.req_valid.val().get_bit(k)
                & !(self.remote_pending.val().get_bit(k)
                    & self.req_order[k].val().get_bit(Order::RELEASE)
                    & self.req_order[k].val().get_bit(Order::CLUSTER))
            {
                self.accepted.next = self.accepted.val() | (bits::<PORTS>(1) << k);
            }
            self.fabric.accept[k].next = self.accepted.val().get_bit(k);
            self.fabric.req[k] <<= self.pins.req[k];
            self.fabric.rsp_ready[k].next = self.rsp_ready.val().get_bit(k);
        }
        self.req_ready.next = self.accepted.val();
    }
}

impl BankedHighClock {
    /// A unit with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ports, banks, .. } = *parameters;
        let pins = Pins { done_port: Lanes::new(banks), ..Pins::new(ports, banks, parameters.effects()) };
        Self { pins, ports, banks, fabric: Fabric::new(parameters), ..Self::default() }
    }

    /// Like `settle`, with a hook at the end that may change signals.
    pub fn settle_with(&mut self, look: &mut dyn FnMut(&mut Self, Point)) {
        self.settle();
        look(self, Point::Settled);
    }

    /// From now on a read that collides with a write to the same word returns `value`.
    pub fn poison_collisions(&mut self, value: u64) {
        for pipeline in self.fabric.pipeline.iter_mut() {
            pipeline.bank.ram.poison_collisions(value.into());
        }
    }

    /// Contents of the memory word with this index, without the operations in flight.
    pub fn word(&self, index: usize) -> u64 {
        self.fabric.pipeline[index % self.banks].bank.ram.word(index / self.banks).raw()
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
