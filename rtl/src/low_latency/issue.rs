//! Issue: which of a port's requests goes to the banks next.
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
//! **Who may pass whom.** A younger `Y` passes an older `O` in the slot if they go to different banks and have different tags,
//! `O` does not acquire and `Y` does not release (nor may `Y` be an acquire wait of the same thread: it would hold `O`); or if
//! `O` is held by a wait of its thread, and `Y` is another thread's (it may be what the wait waits for). Otherwise not: requests
//! on one word keep their order, whatever they are.
//!
//! **No starvation.** The request in the slot has priority.
//!
//! **Timing.** With an empty slot, a request goes to the arbiters in the cycle in which it comes; the slot costs no cycle. But while an
//! acquire wait of the port is under way, it must have been looked at before ([`crate::low_latency::waiters::holds`]), and that is done on the way
//! through the slot.

use crate::hardware;
use crate::hdl::*;
use crate::pins::Operation;
use crate::sizes::Usual;
use crate::word::op::sets::{self, OpSet};
use crate::word::ordering::Order;

hardware! {
    /// Issue: which of a port's requests goes to the banks next.
    pub module Issue = "issue" {
        /// A request comes, and there is room for its answer.
        pub valid: Signal<In, Bit>,
        /// It.
        pub req: Flat<Operation<In>>,
        /// Its memory ordering.
        pub order: Signal<In, OrderCode>,
        /// It is not known yet that no wait of its thread holds it.
        pub unsure: Signal<In, Bit>,
        /// A wait of its thread holds what is in the slot.
        pub slot_held: Signal<In, Bit>,
        /// The port has accesses to other CTAs under way.
        pub remote_pending: Signal<In, Bit>,
        /// Banks that may not be asked in this cycle.
        pub stalled: Signal<In, BankMask>,
        /// The banks take a request in this cycle.
        pub open: Signal<In, Bit>,
        /// What asks is granted.
        pub granted: Signal<In, Bit>,

        /// A request asks the banks.
        pub asks: Signal<Out, Bit>,
        /// The request.
        pub ask: Operation<Out>,
        /// It is a wait that acquires.
        pub ask_holds: Signal<Out, Bit>,
        /// The request that comes is accepted.
        pub accepts: Signal<Out, Bit>,
        /// The slot takes what comes: it is empty, or what is in it is granted.
        pub loads: Signal<Out, Bit>,
        /// What leaves the slot is a wait that acquires, of the thread of the request that comes.
        pub follows: Signal<Out, Bit>,

        /// Bits of a tag below those that name the thread.
        pub number_bits: usize = number_bits,
        /// The largest bank number.
        pub last_bank: usize = banks - 1,
        /// There is something in the slot.
        pub full: ControlReg<Bit>,
        /// Its opcode.
        pub slot_op: Reg<OpCode, OpView>,
        /// It comes from another CTA.
        pub slot_remote: Reg<Bit>,
        /// Its address.
        pub slot_address: Reg<Bits<32>>,
        /// Its data.
        pub slot_data: Reg<Word>,
        /// Its byte enables.
        pub slot_strobe: Reg<Bits<8>>,
        /// Its tag.
        pub slot_tag: Reg<Tag>,
        /// Its memory ordering.
        pub slot_order: Reg<OrderCode>,

        /// The request that comes goes to another CTA, if there are any.
        pub elsewhere: Lanes<Signal<In, Bit>> = Lanes::new(networks),
        /// It may.
        pub departs: Lanes<Signal<Out, Bit>> = Lanes::new(networks),
        /// With the wake mask: it is of another thread than what is in the slot, and has been looked at.
        pub apart: Single<Signal<In, Bit>> = Single::new(masks),
        /// What is in the slot waits for nothing but its bank, or what else delays it for a bounded time.
        pub waits: Lanes<Signal<Out, Bit>> = Lanes::new(networks),
        /// There is something in the slot, where somebody else's accesses are in order with it.
        pub occupied: Single<Signal<Out, Bit>> = Single::new(gates),
        /// One with the wake mask.
        pub masks: usize = masks,
        /// One if there are such accesses.
        pub gates: usize = gates,
        /// One if the port may go elsewhere.
        pub networks: usize = networks,

        /// Bank of the request that comes.
        pub bank: Signal<Local, BankIndex>,
        /// Bank of what is in the slot.
        pub slot_bank: Signal<Local, BankIndex>,
        /// The request that comes waits for nothing but its turn.
        pub can_go: Signal<Local, Bit>,
        /// What is in the slot does: then it is what asks.
        pub slot_can_go: Signal<Local, Bit>,
        /// The request that comes may pass the slot.
        pub may_pass: Signal<Local, Bit>,
        /// It comes from the thread that what is in the slot comes from.
        pub same_thread: Signal<Local, Bit>,
        /// What is in the slot leaves it.
        pub leaves: Signal<Local, Bit>,
    }
    constants {
        /// Operations that may be suspended.
        SUSPENDING: OpSet = sets::SUSPENDING;
    }
    processes { Stand, Choose, Take }
    /// For a unit with so many banks, whose tags have so many bits below those that name the thread; `gates` is one if loads and stores
    /// of warps are in order with its requests, `masks` with the wake mask.
    built by pub fn new(banks: usize, number_bits: usize, networks: usize, gates: usize, masks: usize) {}
}

#[processes]
impl Issue {
    /// Whether there is anything. Depends on registers only.
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
            // what is held is passed a cycle later: nobody compares threads in the cycle of the grant
            if self.full.q.val() & self.slot_held.val() {
                self.may_pass.next = self.apart[m].val();
            }
        }
        for n in 0..self.networks {
            self.waits[n].next = self.full.q.val() & !self.slot_held.val();
            self.departs[n].next = false;
            if self.elsewhere[n].val() {
                // no bank stands between it and what is in the slot, only order; and a release of the cluster there waits
                // for what is elsewhere, which must not become more
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
        // a request that comes is granted itself, or finds the slot empty, or follows what leaves it
        self.accepts.next = self.valid.val() & self.open.val() & (!self.full.q.val() | self.granted.val());
        for n in 0..self.networks {
            if self.elsewhere[n].val() {
                self.accepts.next = false;
            }
        }
        self.leaves.next = self.granted.val() & self.slot_can_go.val();
        self.loads.next = !self.full.q.val() | self.leaves.val();
        self.follows.next = self.leaves.val() & self.ask_holds.val() & self.same_thread.val();
        // what comes is in the slot if it is accepted, and not what is granted; otherwise nothing looks at what was loaded
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
