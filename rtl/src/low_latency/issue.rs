//! Issue: selects which of a port's requests goes to the banks next.
//!
//! **What.** A port's requests are accepted in order, and may wait in front of the banks in one slot: because the bank is
//! busy with another port or stalled from outside, because an acquire wait of the same thread has not ended, or because
//! a release waits for accesses to other CTAs. The next request may pass the one in the slot if nothing forbids it; so a
//! stalled bank does not stop the port, and relaxed requests are reordered.
//!
//! ```text
//!             ┌────────────────────────────┐
//!   req ──┬───┤ passes                     ├──► asks (to the arbiters)
//!         │   └────────────────────────────┘
//!         └─► slot ─ goes first if it can go ──►
//!
//!   cycle       0         1         2          3
//!   bank 0      stalled   stalled   free
//!   req         A (b.0)   B (b.1)   C (b.1)
//!   ready       ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//!   slot        -         A         A          C
//!   granted     -         B         A          C        B passes A
//! ```
//! **Reordering rules.** A younger `Y` passes an older `O` in the slot if they go to different banks and have different tags,
//! `O` does not acquire and `Y` does not release (nor may `Y` be an acquire wait of the same thread: it would hold `O`); or if
//! `O` is held by a wait of its thread, and `Y` is another thread's (it may be what the wait waits for). Otherwise not: requests
//! on one word keep their order, whatever they are.
//!
//! **No starvation.** The request in the slot has priority.
//!
//! **Timing.** With an empty slot, a request goes to the arbiters in the cycle in which it arrives; the slot costs no cycle. While an
//! acquire wait of the port is in flight, a request must be checked first ([`crate::low_latency::waiters::holds`]), which is done on the
//! way through the slot.

use crate::hardware;
use crate::hdl::*;
use crate::pins::Operation;
use crate::sizes::Usual;
use crate::word::op::sets::{self, OpSet};
use crate::word::ordering::Order;

hardware! {
    /// Issue: selects which of a port's requests goes to the banks next.
    pub module Issue = "issue" {
        /// Request valid, with space for its answer.
        pub valid: Signal<In, Bit>,
        /// Incoming request.
        pub req: Flat<Operation<In>>,
        /// Memory ordering of the incoming request.
        pub order: Signal<In, OrderCode>,
        /// The incoming request has not been checked against acquire waits of its thread.
        pub unsure: Signal<In, Bit>,
        /// The request in the slot is blocked by an acquire wait of its thread.
        pub slot_held: Signal<In, Bit>,
        /// The port has accesses to other CTAs in flight.
        pub remote_pending: Signal<In, Bit>,
        /// Banks that take no request in this cycle.
        pub stalled: Signal<In, BankMask>,
        /// The banks accept requests in this cycle.
        pub open: Signal<In, Bit>,
        /// The request to the banks is granted.
        pub granted: Signal<In, Bit>,

        /// Request to the banks valid.
        pub asks: Signal<Out, Bit>,
        /// Request to the banks.
        pub ask: Operation<Out>,
        /// The request to the banks is an acquire wait.
        pub ask_holds: Signal<Out, Bit>,
        /// The incoming request is accepted.
        pub accepts: Signal<Out, Bit>,
        /// The slot loads: it is empty, or its request is granted.
        pub loads: Signal<Out, Bit>,
        /// An acquire wait of the incoming request's thread leaves the slot.
        pub follows: Signal<Out, Bit>,

        /// Bits of a tag below those that name the thread.
        pub number_bits: usize = number_bits,
        /// Last bank number.
        pub last_bank: usize = banks - 1,
        /// The slot is occupied.
        pub full: ControlReg<Bit>,
        /// Opcode of the request in the slot.
        pub slot_op: Reg<OpCode, OpView>,
        /// The request in the slot comes from another CTA.
        pub slot_remote: Reg<Bit>,
        /// Address of the request in the slot.
        pub slot_address: Reg<Bits<32>>,
        /// Data of the request in the slot.
        pub slot_data: Reg<Word>,
        /// Byte enables of the request in the slot.
        pub slot_strobe: Reg<Bits<8>>,
        /// Tag of the request in the slot.
        pub slot_tag: Reg<Tag>,
        /// Memory ordering of the request in the slot.
        pub slot_order: Reg<OrderCode>,

        /// The incoming request is for another CTA; present in clusters.
        pub elsewhere: Lanes<Signal<In, Bit>> = Lanes::new(networks),
        /// The incoming request may leave for another CTA.
        pub departs: Lanes<Signal<Out, Bit>> = Lanes::new(networks),
        /// With the wake mask: the incoming request is of another thread than the one in the slot, and was checked.
        pub apart: Single<Signal<In, Bit>> = Single::new(masks),
        /// The request in the slot waits only for its bank, or for something else of bounded duration.
        pub waits: Lanes<Signal<Out, Bit>> = Lanes::new(networks),
        /// The slot is occupied; present if other accesses are ordered with it.
        pub occupied: Single<Signal<Out, Bit>> = Single::new(gates),
        /// 1 with the wake mask.
        pub masks: usize = masks,
        /// 1 if loads and stores of warps are ordered with the port's requests.
        pub gates: usize = gates,
        /// 1 if the port may send requests to other CTAs.
        pub networks: usize = networks,

        /// Bank of the incoming request.
        pub bank: Signal<Local, BankIndex>,
        /// Bank of the request in the slot.
        pub slot_bank: Signal<Local, BankIndex>,
        /// The incoming request may issue.
        pub can_go: Signal<Local, Bit>,
        /// The request in the slot may issue; it then has priority.
        pub slot_can_go: Signal<Local, Bit>,
        /// The incoming request may pass the one in the slot.
        pub may_pass: Signal<Local, Bit>,
        /// The incoming request and the one in the slot are of the same thread.
        pub same_thread: Signal<Local, Bit>,
        /// The request in the slot is granted.
        pub leaves: Signal<Local, Bit>,
    }
    constants {
        /// Operations that may be suspended: `try_wait`.
        SUSPENDING: OpSet = sets::SUSPENDING;
    }
    processes { Stand, Choose, Take }
    /// For a unit with this many banks; tags have `number_bits` bits below those that name the thread; `gates` is 1 if loads and stores of
    /// warps are ordered with the port's requests, `masks` is 1 with the wake mask.
    built by pub fn new(banks: usize, number_bits: usize, networks: usize, gates: usize, masks: usize) {}
}

#[processes]
impl Issue {
    /// State of the slot. Depends on registers only.
    fn stand(&mut self) {
        for g in 0..self.gates {
            self.occupied[g].next = self.full.q.val();
        }
    }

    fn choose(&mut self) {
        self.bank.next = self.req.address.val().get_bits::<BANK_INDEX>(3) & self.last_bank.to_bits();
        self.slot_bank.next = self.slot_address.q.val().get_bits::<BANK_INDEX>(3) & self.last_bank.to_bits();
        self.can_go.next = self.valid.val()
            & !self.unsure.val()
            & !self.stalled.val().get_bit(self.bank.val().index())
            & !(self.remote_pending.val()
                & self.order.val().get_bit(Order::RELEASE)
                & self.order.val().get_bit(Order::CLUSTER));
        self.slot_can_go.next = self.full.q.val()
            & !self.slot_held.val()
            & !self.stalled.val().get_bit(self.slot_bank.val().index())
            & !(self.remote_pending.val()
                & self.slot_order.q.val().get_bit(Order::RELEASE)
                & self.slot_order.q.val().get_bit(Order::CLUSTER));
        self.same_thread.next = (self.req.tag.val() >> self.number_bits) == (self.slot_tag.q.val() >> self.number_bits);
        self.may_pass.next = !self.full.q.val()
            | ((self.bank.val() != self.slot_bank.val())
                & (self.req.tag.val() != self.slot_tag.q.val())
                & !self.slot_order.q.val().get_bit(Order::ACQUIRE)
                & !self.order.val().get_bit(Order::RELEASE)
                & !(SUSPENDING.get_bit(self.req.op.val().index())
                    & self.order.val().get_bit(Order::ACQUIRE)
                    & self.same_thread.val()));
        if self.slot_held.val() & !self.same_thread.val() {
            self.may_pass.next = true;
        }
        for m in 0..self.masks {
            // a blocked request is passed a cycle later: no comparison of threads in the cycle of the grant
            if self.full.q.val() & self.slot_held.val() {
                self.may_pass.next = self.apart[m].val();
            }
        }
        for n in 0..self.networks {
            self.waits[n].next = self.full.q.val() & !self.slot_held.val();
            self.departs[n].next = false;
            if self.elsewhere[n].val() {
                // only order stands between it and the request in the slot, no bank; and a release of the cluster there waits for accesses
                // to other CTAs, which must not become more
                self.departs[n].next = self.valid.val()
                    & !self.unsure.val()
                    & !(self.remote_pending.val()
                        & self.order.val().get_bit(Order::RELEASE)
                        & self.order.val().get_bit(Order::CLUSTER))
                    & (!self.full.q.val()
                        | ((self.req.tag.val() != self.slot_tag.q.val())
                            & !self.slot_order.q.val().get_bit(Order::ACQUIRE)
                            & !(self.slot_order.q.val().get_bit(Order::RELEASE)
                                & self.slot_order.q.val().get_bit(Order::CLUSTER))
                            & !self.order.val().get_bit(Order::RELEASE))
                        | (self.slot_held.val() & !self.same_thread.val()));
                self.can_go.next = false;
            }
        }
        self.asks.next = self.open.val() & (self.slot_can_go.val() | (self.can_go.val() & self.may_pass.val()));
        self.ask <<= self.req;
        self.ask_holds.next = self.order.val().get_bit(Order::ACQUIRE) & SUSPENDING.get_bit(self.req.op.val().index());
        if self.slot_can_go.val() {
            connect!(self.ask.* <<= self.slot_*: op, remote, address, data, strobe, tag);
            self.ask_holds.next =
                self.slot_order.q.val().get_bit(Order::ACQUIRE) & SUSPENDING.get_bit(self.slot_op.q.val().index());
        }
    }

    fn take(&mut self) {
        // an incoming request is granted itself, finds the slot empty, or follows the request that leaves it
        self.accepts.next = self.valid.val() & self.open.val() & (!self.full.q.val() | self.granted.val());
        for n in 0..self.networks {
            if self.elsewhere[n].val() {
                self.accepts.next = false;
            }
        }
        self.leaves.next = self.granted.val() & self.slot_can_go.val();
        self.loads.next = !self.full.q.val() | self.leaves.val();
        self.follows.next = self.leaves.val() & self.ask_holds.val() & self.same_thread.val();
        // an accepted request that is not granted itself is now in the slot; otherwise the loaded value is unused
        self.full.d.next = (self.full.q.val() & !self.leaves.val())
            | (self.accepts.val() & !(self.granted.val() & !self.slot_can_go.val()));
        if self.loads.val() {
            connect!(self.slot_* <<= self.req.*: op, remote, address, data, strobe, tag);
            self.slot_order.d.next = self.order.val();
        }
    }
}

impl Counts<Usual> for Issue {
    #[inline(always)]
    fn counts(&self, each: &mut impl FnMut(usize, usize)) {
        counts!(self, each: 0 => masks, gates, networks, apart, elsewhere, departs, waits, occupied);
    }
}
