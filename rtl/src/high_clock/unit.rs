//! The single-port high-clock unit: the pins of a unit around a [deep pipeline](super).

use super::Deep;
use crate::hardware;
use crate::hdl::*;
use crate::look::Point;
use crate::pins::{Pins, has_pins};
use crate::word::ordering::Order;
use crate::word::parameters::Parameters;

hardware! {
    /// mbarrier unit: request ports, a crossbar, banks of 64-bit words.
    pub module HighClock = "unit" {
        /// Pins.
        pub pins: Pins = Pins::new(1, 1, 1),

        /// The pipeline.
        pub deep: Single<Deep> = Lanes::of(1, || Deep::new(parameters)),

        /// Ports whose request may be granted.
        pub asking: Signal<Local, PortMask>,
    }
    processes { Outcome, Respond, Request, Taken }
    /// A unit with these parameters.
    built by pub fn new(parameters: &Parameters) {}
}

has_pins!(HighClock);

#[processes]
impl HighClock {
    #[inline]
    fn outcome(&mut self) {
        self.flip_valid.next = 0.into();
        if self.deep[0].flips.val() {
            self.flip_valid.next = 1.into();
        }
        self.flip_index[0].next = self.deep[0].done_index.val();
    }

    #[inline]
    fn respond(&mut self) {
        clear!(self.rsp_valid, self.done_valid);
        if self.deep[0].rsp_valid.val() {
            self.rsp_valid.next = 1.into();
        }
        if self.deep[0].done.val() {
            self.done_valid.next = 1.into();
        }
        self.pins.rsp[0] <<= self.deep[0].rsp;
        connect!(self.*[0] <<= self.deep[0].*: done_tag, done_status, done_index);
        clear!(self.done_suspended, self.rsp_resumed, self.wake_valid);
    }

    #[inline]
    fn request(&mut self) {
        self.asking.next = 0.into();
        if self.deep[0].room.q.val()
            & self.req_valid.val().get_bit(0)
            & !self.bank_stall.val().get_bit(0)
            & !(self.remote_pending.val().get_bit(0)
                & self.req_order[0].val().get_bit(Order::RELEASE)
                & self.req_order[0].val().get_bit(Order::CLUSTER))
        {
            self.asking.next = 1.into();
        }
        self.deep[0].accept.next = self.asking.val().get_bit(0);
        self.deep[0].req <<= self.pins.req[0];
        self.deep[0].ready.next = self.rsp_ready.val().get_bit(0);
    }

    #[inline]
    fn taken(&mut self) {
        self.req_ready.next = 0.into();
        if self.deep[0].accept.val() {
            self.req_ready.next = 1.into();
        }
    }
}

impl HighClock {
    /// Like `settle`, with a hook at the end that may change signals.
    pub fn settle_with(&mut self, look: &mut dyn FnMut(&mut Self, Point)) {
        self.settle();
        look(self, Point::Settled);
    }

    /// From now on a read that collides with a write to the same word returns `value`.
    pub fn poison_collisions(&mut self, value: u64) {
        self.deep[0].accumulator.ram.poison_collisions(value.into());
    }

    /// Contents of the memory word with this index, without the operations in flight.
    pub fn word(&self, index: usize) -> u64 {
        self.deep[0].accumulator.ram.word(index).raw()
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
