//! A unit with ports for warps: one instruction of up to 32 lanes at a time.
//!
//! **What.** Beside its ports for single threads, a unit has ports that take the instruction of a whole warp: opcode, active lanes,
//! address and operand of each lane. Lanes that name one word are one update of it, as on an H200 (`testbench/vectors/README.md`, "Warps"), and
//! one request of the unit.
//!
//! ```text
//!   warp_req ─► coalesce ──── ask ────►┌────────┐
//!                  │ group             │        │
//!                  ▼                   │  unit  │
//!   warp_rsp ◄─ scatter ◄──── told ────│        │
//!                                      │        │
//!   req ──────────────────────────────►│        │
//!   rsp ◄──────────────────────────────└────────┘
//!
//!   cycle           0         1         2         3         4 ... 8    9
//!                   accept    choose    add       granted   the unit   shown
//!   warp_req_valid  ‾‾‾‾\____
//!   warp_rsp_valid                                                     /‾‾‾‾    one group: nine cycles
//! ```
//! Lanes that name different words leave one word a cycle. Instructions whose lanes name one word each are taken in every cycle.
//!
//! **Answers.** An instruction is answered by one or more answers, each for some of its lanes: all groups of it, in the order in which they
//! were done. It is over when every active lane has been answered. What is posted is not answered at all.
//!
//! **Order.** What `req_order` is to a thread's request, `warp_req_order` is to each group of an instruction. A warp whose `try_wait`
//! acquires must have its answer before it asks for more: the port holds nothing back for it.
//!
//! **Other CTAs.** With `warp_req_remote` an instruction comes from another CTA: no tokens are given, and a fault is left in the word, and
//! told besides.

pub mod coalesce;
pub mod parameters;
pub mod plant;
pub mod scatter;

use crate::decode::Decode;
use crate::hardware;
use crate::hdl::*;
use crate::parameters::Parameters;
use crate::unit::Unit;
use coalesce::Coalesce;
use parameters::WarpParameters;
use scatter::Scatter;

/// Groups of lanes that a port has under way at most.
pub const GROUPS: usize = 32;
/// Number of a group.
pub type GroupIndex = Bits<5>;
/// One bit a group.
pub type GroupMask = Bits<32>;

/// Cycles from the acceptance of an instruction to its first answer, if nobody is in the way.
pub const LATENCY: usize = 9;

hardware! {
    /// mbarrier unit with ports for warps.
    pub module WarpUnit = "warp_unit" {
        /// A request of a thread is there, a bit each port.
        pub req_valid: Signal<In, UserMask>,
        /// It is accepted.
        pub req_ready: Signal<Out, UserMask>,
        /// Opcode.
        pub req_op: Lanes<Signal<In, OpCode, OpView>>,
        /// The request comes from another CTA: no token is given back, and only some operations are allowed.
        pub req_remote: Lanes<Signal<In, Bit>>,
        /// Byte address, a multiple of 8.
        pub req_address: Lanes<Signal<In, Bits<32>>>,
        /// Count, bytes, parity or token; the data of a store.
        pub req_data: Lanes<Signal<In, Word>>,
        /// Byte enables of a store.
        pub req_strobe: Lanes<Signal<In, Bits<8>>>,
        /// Comes back with the answer, and names the thread.
        pub req_tag: Lanes<Signal<In, Tag>>,
        /// Memory ordering: acquire (bit 0), release (bit 1), of the cluster (bit 2).
        pub req_order: Lanes<Signal<In, OrderCode>>,
        /// An answer is there, a bit each port.
        pub rsp_valid: Signal<Out, UserMask>,
        /// It is taken.
        pub rsp_ready: Signal<In, UserMask>,
        /// Tag of the request.
        pub rsp_tag: Lanes<Signal<Out, Tag>>,
        /// How it ended.
        pub rsp_status: Lanes<Signal<Out, StatusCode, StatusView>>,
        /// Predicate of a wait: the phase has completed.
        pub rsp_predicate: Lanes<Signal<Out, Bit>>,
        /// Token (bits 63:32), word, or pending count (bits 31:0), if the status is ok.
        pub rsp_data: Lanes<Signal<Out, Word>>,
        /// It is the answer of a suspended wait.
        pub rsp_resumed: Lanes<Signal<Out, Bit>>,

        /// An instruction of a warp is there.
        pub warp_req_valid: Lanes<Signal<In, Bit>>,
        /// It is accepted.
        pub warp_req_ready: Lanes<Signal<Out, Bit>>,
        /// Opcode; stores are refused.
        pub warp_req_op: Lanes<Signal<In, OpCode, OpView>>,
        /// The warp is one of another CTA: no tokens are given back, and a fault is left in the word.
        pub warp_req_remote: Lanes<Signal<In, Bit>>,
        /// Memory ordering.
        pub warp_req_order: Lanes<Signal<In, OrderCode>>,
        /// How long a `try_wait` may be suspended, in nanoseconds.
        pub warp_req_limit: Lanes<Signal<In, Bits<32>>>,
        /// Lanes that are active; one at least.
        pub warp_req_mask: Lanes<Signal<In, LaneMask>>,
        /// Byte address of each lane, a multiple of 8.
        pub warp_req_address: Lanes<WarpLanes<Signal<In, Bits<32>>>>,
        /// Count, bytes or parity of each lane; the upper half of its token.
        pub warp_req_operand: Lanes<WarpLanes<Signal<In, Bits<32>>>>,
        /// Comes back with every answer, and names the warp.
        pub warp_req_tag: Lanes<Signal<In, Tag>>,
        /// Lanes of a warp are answered.
        pub warp_rsp_valid: Lanes<Signal<Out, Bit>>,
        /// It is taken.
        pub warp_rsp_ready: Lanes<Signal<In, Bit>>,
        /// Tag of the instruction.
        pub warp_rsp_tag: Lanes<Signal<Out, Tag>>,
        /// Which lanes.
        pub warp_rsp_lanes: Lanes<Signal<Out, LaneMask>>,
        /// How it ended for all of them.
        pub warp_rsp_status: Lanes<Signal<Out, StatusCode, StatusView>>,
        /// Predicate of each lane.
        pub warp_rsp_predicates: Lanes<Signal<Out, LaneMask>>,
        /// Token (bits 63:32), word, or pending count (bits 31:0) of all of them, if the status is ok.
        pub warp_rsp_data: Lanes<Signal<Out, Word>>,
        /// They were suspended.
        pub warp_rsp_resumed: Lanes<Signal<Out, Bit>>,

        /// Ports for threads.
        pub(crate) users: usize,
        /// Ports for warps.
        pub(crate) warps: usize,
        /// Lanes of a warp.
        pub(crate) width: usize,
        /// What makes requests of lanes.
        pub coalesce: Lanes<Coalesce>,
        /// What gives answers to lanes.
        pub scatter: Lanes<Scatter>,
        /// The unit.
        pub unit: Unit,
    }
    processes { Answer, Drive, Accept, Show }
}

/// Before the unit: requests and what is taken of its answers.
impl Process<Drive> for WarpUnit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.unit.bank_stall.next = 0.into();
        self.unit.remote_pending.next = 0.into();
        self.unit.req_valid.next = 0.into();
        self.unit.rsp_ready.next = 0.into();
        for k in 0..self.users {
            if self.req_valid.val().get_bit(k) {
                self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << k);
            }
            if self.rsp_ready.val().get_bit(k) {
                self.unit.rsp_ready.next = self.unit.rsp_ready.val() | (bits::<PORTS>(1) << k);
            }
            self.unit.req_op[k].next = self.req_op[k].val();
            self.unit.req_remote[k].next = self.req_remote[k].val();
            self.unit.req_address[k].next = self.req_address[k].val();
            self.unit.req_data[k].next = self.req_data[k].val();
            self.unit.req_strobe[k].next = self.req_strobe[k].val();
            self.unit.req_tag[k].next = self.req_tag[k].val();
            self.unit.req_order[k].next = self.req_order[k].val();
        }
        for w in 0..self.warps {
            if self.coalesce[w].ask_valid.q.val() {
                self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << (w + self.users));
            }
            if self.scatter[w].told_ready.val() {
                self.unit.rsp_ready.next = self.unit.rsp_ready.val() | (bits::<PORTS>(1) << (w + self.users));
            }
            self.unit.req_op[w + self.users].next = self.coalesce[w].ask_op.q.val();
            self.unit.req_remote[w + self.users].next = self.coalesce[w].ask_remote.q.val();
            self.unit.req_address[w + self.users].next = self.coalesce[w].ask_address.q.val();
            self.unit.req_data[w + self.users].next = self.coalesce[w].ask_data.q.val();
            self.unit.req_strobe[w + self.users].next = 0.into();
            self.unit.req_tag[w + self.users].next = self.coalesce[w].ask_tag.q.val();
            self.unit.req_order[w + self.users].next = self.coalesce[w].ask_order.q.val();
        }
    }
}

/// Behind the unit: what it has accepted, and its answers.
impl Process<Accept> for WarpUnit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for w in 0..self.warps {
            self.coalesce[w].ask_ready.next = self.unit.req_ready.val().get_bit(w + self.users);
            self.coalesce[w].used.next = self.scatter[w].used.q.val();
            self.coalesce[w].valid.next = self.warp_req_valid[w].val();
            self.coalesce[w].op.next = self.warp_req_op[w].val();
            self.coalesce[w].remote.next = self.warp_req_remote[w].val();
            self.coalesce[w].order.next = self.warp_req_order[w].val();
            self.coalesce[w].limit.next = self.warp_req_limit[w].val();
            self.coalesce[w].mask.next = self.warp_req_mask[w].val();
            self.coalesce[w].tag.next = self.warp_req_tag[w].val();
            for l in 0..self.width {
                self.coalesce[w].address[l].next = self.warp_req_address[w][l].val();
                self.coalesce[w].operand[l].next = self.warp_req_operand[w][l].val();
            }
            self.scatter[w].told_valid.next = self.unit.rsp_valid.val().get_bit(w + self.users);
            self.scatter[w].told_tag.next = self.unit.rsp_tag[w + self.users].val();
            self.scatter[w].told_status.next = self.unit.rsp_status[w + self.users].val();
            self.scatter[w].told_predicate.next = self.unit.rsp_predicate[w + self.users].val();
            self.scatter[w].told_data.next = self.unit.rsp_data[w + self.users].val();
            self.scatter[w].told_resumed.next = self.unit.rsp_resumed.val().get_bit(w + self.users);
        }
        self.req_ready.next = 0.into();
        self.rsp_valid.next = 0.into();
        for k in 0..self.users {
            if self.unit.req_ready.val().get_bit(k) {
                self.req_ready.next = self.req_ready.val() | (bits::<USERS>(1) << k);
            }
            if self.unit.rsp_valid.val().get_bit(k) {
                self.rsp_valid.next = self.rsp_valid.val() | (bits::<USERS>(1) << k);
            }
            self.rsp_tag[k].next = self.unit.rsp_tag[k].val();
            self.rsp_status[k].next = self.unit.rsp_status[k].val();
            self.rsp_predicate[k].next = self.unit.rsp_predicate[k].val();
            self.rsp_data[k].next = self.unit.rsp_data[k].val();
            self.rsp_resumed[k].next = self.unit.rsp_resumed.val().get_bit(k);
        }
    }
}

/// The groups that have been made, and the pins of the warps.
impl Process<Show> for WarpUnit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for w in 0..self.warps {
            self.warp_req_ready[w].next = self.coalesce[w].ready.val();
            self.scatter[w].allocate.next = self.coalesce[w].allocate.val();
            self.scatter[w].entry.next = self.coalesce[w].entry.val();
            self.scatter[w].lanes.next = self.coalesce[w].lanes.val();
            self.scatter[w].others.next = self.coalesce[w].others.val();
            self.scatter[w].counts_down.next = self.coalesce[w].counts_down.val();
            self.scatter[w].step.next = self.coalesce[w].step.val();
            self.scatter[w].entry_tag.next = self.coalesce[w].entry_tag.val();
            self.warp_rsp_valid[w].next = self.scatter[w].rsp_valid.q.val();
            self.warp_rsp_tag[w].next = self.scatter[w].rsp_tag.val();
            self.warp_rsp_lanes[w].next = self.scatter[w].rsp_lanes.val();
            self.warp_rsp_status[w].next = self.scatter[w].rsp_status.q.val();
            self.warp_rsp_predicates[w].next = self.scatter[w].rsp_predicates.val();
            self.warp_rsp_data[w].next = self.scatter[w].rsp_data.val();
            self.warp_rsp_resumed[w].next = self.scatter[w].rsp_resumed.q.val();
        }
    }
}

/// Takes the answers of the ports for warps.
impl Process<Answer> for WarpUnit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for w in 0..self.warps {
            self.scatter[w].rsp_ready.next = self.warp_rsp_ready[w].val();
        }
    }
}

impl WarpUnit {
    /// A unit with these parameters.
    pub fn new(parameters: &WarpParameters) -> Self {
        let WarpParameters { unit: Parameters { ports: users, .. }, lanes, warp_ports } = *parameters;
        let mut unit = Unit::new(&parameters.inner());
        for decode in unit.decode.iter_mut().skip(users) {
            *decode = Decode::of_warps();
        }
        Self {
            req_op: Lanes::new(users),
            req_remote: Lanes::new(users),
            req_address: Lanes::new(users),
            req_data: Lanes::new(users),
            req_strobe: Lanes::new(users),
            req_tag: Lanes::new(users),
            req_order: Lanes::new(users),
            rsp_tag: Lanes::new(users),
            rsp_status: Lanes::new(users),
            rsp_predicate: Lanes::new(users),
            rsp_data: Lanes::new(users),
            rsp_resumed: Lanes::new(users),
            warp_req_valid: Lanes::new(warp_ports),
            warp_req_ready: Lanes::new(warp_ports),
            warp_req_op: Lanes::new(warp_ports),
            warp_req_remote: Lanes::new(warp_ports),
            warp_req_order: Lanes::new(warp_ports),
            warp_req_limit: Lanes::new(warp_ports),
            warp_req_mask: Lanes::new(warp_ports),
            warp_req_address: Lanes::grid(warp_ports, lanes),
            warp_req_operand: Lanes::grid(warp_ports, lanes),
            warp_req_tag: Lanes::new(warp_ports),
            warp_rsp_valid: Lanes::new(warp_ports),
            warp_rsp_ready: Lanes::new(warp_ports),
            warp_rsp_tag: Lanes::new(warp_ports),
            warp_rsp_lanes: Lanes::new(warp_ports),
            warp_rsp_status: Lanes::new(warp_ports),
            warp_rsp_predicates: Lanes::new(warp_ports),
            warp_rsp_data: Lanes::new(warp_ports),
            warp_rsp_resumed: Lanes::new(warp_ports),
            users,
            warps: warp_ports,
            width: lanes,
            coalesce: Lanes::of(warp_ports, || Coalesce::new(lanes)),
            scatter: Lanes::of(warp_ports, Scatter::new),
            unit,
            ..Self::default()
        }
    }

    /// Settles the whole unit: every process once, in the order of the data. Outputs may be read afterwards.
    pub fn settle(&mut self) {
        self.settle_with(&mut |_, _| {});
    }

    /// The same, with a look in (and a hand in) on the way.
    pub fn settle_with(&mut self, look: &mut dyn FnMut(&mut Self, Point)) {
        Process::<Answer>::update(self);
        for scatter in self.scatter.iter_mut() {
            scatter.settle_show();
        }
        look(self, Point::Shown);
        Process::<Drive>::update(self);
        look(self, Point::Asked);
        self.unit.settle();
        Process::<Accept>::update(self);
        for coalesce in self.coalesce.iter_mut() {
            coalesce.settle_state();
            coalesce.settle();
        }
        look(self, Point::Grouped);
        Process::<Show>::update(self);
        for scatter in self.scatter.iter_mut() {
            scatter.settle();
        }
        look(self, Point::Settled);
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

/// Places on the way through [`WarpUnit::settle_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The answers to warps are shown.
    Shown,
    /// The unit is asked.
    Asked,
    /// The next groups are made.
    Grouped,
    /// Everything is settled; registers have not taken their values yet.
    Settled,
}
