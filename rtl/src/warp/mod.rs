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
//! **Loads and stores** are requests of 64-bit words as the others are, and there are no stores; or they go into all banks at once, past
//! the unit's ports (`memory` of [`parameters`]):
//!
//! ```text
//!   warp_req ─► access ─── step ──►┌────────────────┐
//!                  │ who           │ gate ─► banks  │
//!                  ▼               │   of the unit  │
//!   warp_mem ◄─ deliver ◄─ words ──└────────────────┘
//!
//!   cycle           0         1         2         3 ... 6    7         8
//!                   accept    choose    step c0   c1    c4   shown
//!   warp_req_valid  ‾‾‾‾\____
//!   warp_mem_valid                                           /‾‾‾‾‾‾‾‾‾‾‾‾‾‾    two steps: 32 words of 4 bytes on eight banks
//! ```
//! A load or store goes once all that its port has accepted before is in the banks, and nothing is accepted behind it but other loads and
//! stores until its last step has gone: a port's instructions take effect in order.
//!
//! **Other CTAs.** With `warp_req_remote` an instruction comes from another CTA: no tokens are given, and a fault sets the fault bit of the
//! word and is reported by its status, too.

pub mod access;
pub mod coalesce;
pub mod deliver;
pub mod parameters;
pub mod pick;
pub mod scatter;

use crate::bank::decode::Decode;
use crate::cells::arbiter::RoundRobin;
use crate::hardware;
use crate::hdl::*;
use crate::low_latency::unit::Unit;
use crate::pins::{Operation, PortAnswer};
use crate::word::op::Op;
use crate::word::parameters::Parameters;
use access::Access;
use coalesce::Coalesce;
use deliver::Deliver;
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

/// The same of a load or store, to its first answer.
pub const MEMORY_LATENCY: usize = 7;

hardware! {
    /// mbarrier unit with ports for warps.
    pub module WarpUnit = "warp_unit" {
        /// A request of a thread is there, a bit each port.
        pub req_valid: Signal<In, UserMask>,
        /// It is accepted.
        pub req_ready: Signal<Out, UserMask>,
        /// The request of each.
        pub req: Lanes<Operation<In>> = Lanes::new(users),
        /// Memory ordering: acquire (bit 0), release (bit 1), of the cluster (bit 2).
        pub req_order: Lanes<Signal<In, OrderCode>> = Lanes::new(users),
        /// An answer is there, a bit each port.
        pub rsp_valid: Signal<Out, UserMask>,
        /// It is taken.
        pub rsp_ready: Signal<In, UserMask>,
        /// The answer of each.
        pub rsp: Lanes<PortAnswer<Out>> = Lanes::new(users),
        /// It is the answer of a suspended wait.
        pub rsp_resumed: Lanes<Signal<Out, Bit>> = Lanes::new(users),

        /// Warp instruction valid.
        pub warp_req_valid: Lanes<Signal<In, Bit>> = Lanes::new(warp_ports),
        /// Instruction accepted.
        pub warp_req_ready: Lanes<Signal<Out, Bit>> = Lanes::new(warp_ports),
        /// Opcode; stores are refused.
        pub warp_req_op: Lanes<Signal<In, OpCode, OpView>> = Lanes::new(warp_ports),
        /// Instruction of another CTA: no tokens are returned, and a fault is left in the word.
        pub warp_req_remote: Lanes<Signal<In, Bit>> = Lanes::new(warp_ports),
        /// Memory ordering.
        pub warp_req_order: Lanes<Signal<In, OrderCode>> = Lanes::new(warp_ports),
        /// Time limit of a `try_wait` in nanoseconds.
        pub warp_req_limit: Lanes<Signal<In, Bits<32>>> = Lanes::new(warp_ports),
        /// Active lanes; one at least.
        pub warp_req_mask: Lanes<Signal<In, LaneMask>> = Lanes::new(warp_ports),
        /// Byte address of each lane, a multiple of 8.
        pub warp_req_address: Lanes<WarpLanes<Signal<In, Bits<32>>>> = Lanes::grid(warp_ports, lanes),
        /// Operand of each lane: count, bytes or parity; the upper half of its token.
        pub warp_req_operand: Lanes<WarpLanes<Signal<In, Bits<32>>>> = Lanes::grid(warp_ports, lanes),
        /// Returned with every answer; identifies the warp.
        pub warp_req_tag: Lanes<Signal<In, Tag>> = Lanes::new(warp_ports),
        /// Size of a load or store: 4 (0), 8 (1) or 16 (2) bytes a lane.
        pub warp_req_size: Lanes<Signal<In, Bits<2>>> = Lanes::new(memories),
        /// Store data of each lane: its first 8 bytes; 4 in bits 31:0.
        pub warp_req_lower: Lanes<WarpLanes<Signal<In, Word>>> = Lanes::grid(memories, lanes),
        /// Store data of each lane: the next 8 bytes.
        pub warp_req_upper: Lanes<WarpLanes<Signal<In, Word>>> = Lanes::grid(memories, lanes),
        /// Answer to lanes of a warp valid.
        pub warp_rsp_valid: Lanes<Signal<Out, Bit>> = Lanes::new(warp_ports),
        /// Answer taken.
        pub warp_rsp_ready: Lanes<Signal<In, Bit>> = Lanes::new(warp_ports),
        /// Tag of the instruction.
        pub warp_rsp_tag: Lanes<Signal<Out, Tag>> = Lanes::new(warp_ports),
        /// Answered lanes.
        pub warp_rsp_lanes: Lanes<Signal<Out, LaneMask>> = Lanes::new(warp_ports),
        /// Status, the same for all of them.
        pub warp_rsp_status: Lanes<Signal<Out, StatusCode, StatusView>> = Lanes::new(warp_ports),
        /// Predicate of each lane.
        pub warp_rsp_predicates: Lanes<Signal<Out, LaneMask>> = Lanes::new(warp_ports),
        /// Token (bits 63:32), word, or pending count (bits 31:0) of all of them, if the status is ok.
        pub warp_rsp_data: Lanes<Signal<Out, Word>> = Lanes::new(warp_ports),
        /// The answer is that of suspended waits.
        pub warp_rsp_resumed: Lanes<Signal<Out, Bit>> = Lanes::new(warp_ports),
        /// Answer to lanes of a load or store valid.
        pub warp_mem_valid: Lanes<Signal<Out, Bit>> = Lanes::new(memories),
        /// Answer taken.
        pub warp_mem_ready: Lanes<Signal<In, Bit>> = Lanes::new(memories),
        /// Tag of the load or store.
        pub warp_mem_tag: Lanes<Signal<Out, Tag>> = Lanes::new(memories),
        /// Answered lanes.
        pub warp_mem_lanes: Lanes<Signal<Out, LaneMask>> = Lanes::new(memories),
        /// Status, the same for all of them.
        pub warp_mem_status: Lanes<Signal<Out, StatusCode, StatusView>> = Lanes::new(memories),
        /// Load data of each lane: its first 8 bytes; 4 in bits 31:0.
        pub warp_mem_lower: Lanes<WarpLanes<Signal<Out, Word>>> = Lanes::grid(memories, lanes),
        /// Load data of each lane: the next 8 bytes.
        pub warp_mem_upper: Lanes<WarpLanes<Signal<Out, Word>>> = Lanes::grid(memories, lanes),

        /// Ports for threads.
        pub users: usize = users,
        /// Ports for warps.
        pub warps: usize = warp_ports,
        /// Lanes of a warp.
        pub width: usize = lanes,
        /// What makes requests of lanes.
        pub coalesce: Lanes<Coalesce> = Lanes::of(warp_ports, || Coalesce::new(lanes, waiters > 0)),
        /// What gives answers to lanes.
        pub scatter: Lanes<Scatter> = Lanes::of(warp_ports, Scatter::new),
        /// Ports for warps that may load and store.
        pub memories: usize = memories,
        /// One if there are any.
        pub gates: usize = gates,
        /// How many of the ports are checked.
        pub checks: usize = if checked { memories } else { 0 },
        /// Banks that they go to.
        pub banks: usize = banks,
        /// What comes at a port is a load or store, where these are not requests as others are.
        pub claims: Single<Signal<Local, Bit>> = Single::new(gates),
        /// The same once more, for who is told that it is accepted.
        pub claimed: Single<Signal<Local, Bit>> = Single::new(gates),
        /// What makes steps of loads and stores.
        pub access: Vec<Access> = (0..memories).map(|_| Access::new(lanes, banks, inner.rows())).collect(),
        /// What gives their answers to lanes.
        pub deliver: Vec<Deliver> = (0..memories).map(|_| Deliver::new(lanes, banks, checked)).collect(),
        /// The port whose step goes next.
        pub turn: Single<RoundRobin> = Single::new(gates),
        /// The unit.
        pub unit: Box<Unit> = unit,
    }
    processes { Answer, Contend, Drive, Enter, Accept, Show }
    /// A unit with these parameters.
    built by pub fn new(parameters: &WarpParameters) {
        let WarpParameters {
            unit: Parameters { ports: users, banks, checked, waiters, .. },
            lanes,
            warp_ports,
            memory,
        } = *parameters;
        let inner = parameters.inner();
        let (memories, gates) = if memory { (warp_ports, 1) } else { (0, 0) };
        let mut unit = Box::new(if memory { Unit::with_gate(&inner) } else { Unit::new(&inner) });
        for decode in unit.decode.iter_mut().skip(users) {
            *decode = Decode::of_warps();
        }
    }
}

#[processes]
impl WarpUnit {
    /// The ports whose next step of a load or store may go.
    fn contend(&mut self) {
        for g in 0..self.gates {
            self.turn[g].request.next = 0.into();
            for m in 0..self.memories {
                if self.access[m].go_valid.q.val() & self.deliver[m].room.val() & !self.coalesce[m].busy.val() {
                    self.turn[g].request.next = self.turn[g].request.val() | (bits::<PORTS>(1) << m);
                }
            }
        }
    }

    /// The step that goes.
    fn enter(&mut self) {
        for g in 0..self.gates {
            self.unit.gate_valid[g].next = self.turn[g].grant.val().any();
            clear!(self.unit.gate_port[g], self.unit.gate_banks[g]);
            for b in 0..self.banks {
                clear!(self.unit.gate_row[b], self.unit.gate_stored[b], self.unit.gate_data[b]);
            }
            for m in 0..self.memories {
                if self.turn[g].grant.val().get_bit(m) {
                    self.unit.gate_port[g].next = (m + self.users).to_bits();
                    self.unit.gate_banks[g].next = self.access[m].go_banks.q.val();
                    for b in 0..self.banks {
                        connect!(self.unit.gate_*[b] <<= self.access[m].go_*[b]: row, stored);
                        self.unit.gate_data[b].next = self.access[m].go_word[b].q.val();
                    }
                }
            }
        }
    }

    /// Before the unit: requests and what is taken of its answers.
    fn drive(&mut self) {
        clear!(self.unit.bank_stall, self.unit.remote_pending, self.unit.req_valid, self.unit.rsp_ready);
        for k in 0..self.users {
            if self.req_valid.val().get_bit(k) {
                self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << k);
            }
            if self.rsp_ready.val().get_bit(k) {
                self.unit.rsp_ready.next = self.unit.rsp_ready.val() | (bits::<PORTS>(1) << k);
            }
            self.unit.req[k] <<= self.req[k];
            self.unit.req_order[k].next = self.req_order[k].val();
        }
        for w in 0..self.warps {
            if self.coalesce[w].ask_valid.q.val() {
                self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << (w + self.users));
            }
            if self.scatter[w].told_ready.val() {
                self.unit.rsp_ready.next = self.unit.rsp_ready.val() | (bits::<PORTS>(1) << (w + self.users));
            }
            connect!(self.unit.req[w + self.users].* <<= self.coalesce[w].ask_*: op, remote, address, data);
            self.unit.req[w + self.users].strobe.next = 0.into();
            self.unit.req[w + self.users].tag.next = self.coalesce[w].ask_tag.q.val();
            self.unit.req_order[w + self.users].next = self.coalesce[w].ask_order.q.val();
        }
    }

    /// Behind the unit: what it has accepted, and its answers.
    fn accept(&mut self) {
        for w in 0..self.warps {
            self.coalesce[w].ask_ready.next = self.unit.req_ready.val().get_bit(w + self.users);
            self.coalesce[w].used.next = self.scatter[w].used.q.val();
            connect!(self.coalesce[w].* <<= self.warp_req_*[w]: valid, op, remote, order, limit, mask, tag);
            for l in 0..self.width {
                connect!(self.coalesce[w].*[l] <<= self.warp_req_*[w][l]: address, operand);
            }
            for g in 0..self.gates {
                // loads and stores go another way, and nothing passes them
                self.claims[g].next =
                    (self.warp_req_op[w].val() == Op::Load) | (self.warp_req_op[w].val() == Op::Store);
                if self.claims[g].val() | self.access[w].busy.val() {
                    self.coalesce[w].valid.next = false;
                }
                self.access[w].valid.next = self.warp_req_valid[w].val() & self.claims[g].val();
                connect!(self.access[w].* <<= self.warp_req_*[w]: op, remote, size, mask, tag);
                for l in 0..self.width {
                    connect!(self.access[w].*[l] <<= self.warp_req_*[w][l]: address, lower, upper);
                }
                self.access[w].taken.next = self.turn[g].grant.val().get_bit(w) & self.unit.gate_taken[g].val();
            }
            self.scatter[w].told_valid.next = self.unit.rsp_valid.val().get_bit(w + self.users);
            self.scatter[w].told <<= self.unit.rsp[w + self.users];
            self.scatter[w].told_resumed.next = self.unit.rsp_resumed.val().get_bit(w + self.users);
        }
        clear!(self.req_ready, self.rsp_valid);
        for k in 0..self.users {
            if self.unit.req_ready.val().get_bit(k) {
                self.req_ready.next = self.req_ready.val() | (bits::<USERS>(1) << k);
            }
            if self.unit.rsp_valid.val().get_bit(k) {
                self.rsp_valid.next = self.rsp_valid.val() | (bits::<USERS>(1) << k);
            }
            self.rsp[k] <<= self.unit.rsp[k];
            self.rsp_resumed[k].next = self.unit.rsp_resumed.val().get_bit(k);
        }
    }

    /// The groups that have been made, and the pins of the warps.
    fn show(&mut self) {
        for w in 0..self.warps {
            self.warp_req_ready[w].next = self.coalesce[w].ready.val();
            self.scatter[w].formed <<= self.coalesce[w].formed;
            connect!(self.warp_*[w] <<= self.scatter[w].*: rsp_valid, rsp_tag, rsp_lanes, rsp_status, rsp_predicates,
                rsp_data, rsp_resumed);
        }
        for m in 0..self.memories {
            self.claimed[0].next = (self.warp_req_op[m].val() == Op::Load) | (self.warp_req_op[m].val() == Op::Store);
            self.warp_req_ready[m].next = self.coalesce[m].ready.val() & !self.access[m].busy.val();
            if self.claimed[0].val() {
                self.warp_req_ready[m].next = self.access[m].ready.val();
            }
            connect!(self.deliver[m].* <<= self.access[m].go_*: lanes, status, tag, size, above);
            for g in 0..self.gates {
                self.deliver[m].push.next = self.turn[g].grant.val().get_bit(m) & self.unit.gate_taken[g].val();
                self.deliver[m].seen.next =
                    self.unit.gate_seen[g].val() & (self.unit.gate_seen_port[g].val() == (m + self.users).to_bits());
            }
            self.deliver[m].words <<= self.unit.gate_word;
            connect!(self.warp_mem_*[m] <<= self.deliver[m].rsp_*: valid, tag, lanes, status);
            for l in 0..self.width {
                self.deliver[m].bank[l].next = self.access[m].go_bank[l].q.val();
                connect!(self.warp_mem_*[m][l] <<= self.deliver[m].rsp_*[l]: lower, upper);
            }
        }
        for c in 0..self.checks {
            self.deliver[c].struck[0].next = self.unit.gate_struck[0].val();
        }
    }

    /// Takes the answers of the ports for warps.
    fn answer(&mut self) {
        for w in 0..self.warps {
            self.scatter[w].rsp_ready.next = self.warp_rsp_ready[w].val();
        }
        for m in 0..self.memories {
            self.deliver[m].rsp_ready.next = self.warp_mem_ready[m].val();
        }
    }
}

impl WarpUnit {
    /// Settles the whole unit: every process once, in the order of the data. Outputs may be read afterwards.
    pub fn settle(&mut self) {
        self.settle_with(&mut |_, _| {});
    }

    /// Like `settle`, with a hook at each point that may change signals.
    pub fn settle_with(&mut self, look: &mut dyn FnMut(&mut Self, Point)) {
        self.settle_steps(|_| {}, look);
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
