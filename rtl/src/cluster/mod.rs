//! The cluster: CTAs, each with its shared memory, joined by links.
//!
//! **What.** 1 to 8 CTAs ([`cta`]). Requests and copies to another CTA's memory, answers, and the rounds of barrier.cluster
//! travel on links that take `link_cycles` cycles.
//!
//! ```text
//!            thread ports          copies, global memory        barrier.cluster
//!                 │                        │                          │
//!           ┌─────┴────────────────────────┴──────────────────────────┴─────┐
//!           │ CTA 0                                                         │ ... CTA C-1
//!           └─┬───────▲───────┬───────▲───────┬───────▲───────┬─────────▲───┘
//!        send │   get │ reply │  back │  cast │  drop │arrived│         │ arrived of all
//!             ▼       │       ▼       │       ▼       │       ▼         │
//!        arbiter ─► link   arbiter ─► link   arbiter ─► link    delay ──┘
//!        of each CTA: who goes into it next, round robin
//! ```
//! Each CTA has one link in for requests, one for answers and one for beats of copies: one of each comes in a cycle. The sender is
//! granted before the link, so a link never stops; what would find no room at its end waits at the sender.
//!
//! **Warps.** With `lanes`, each CTA has one more port, behind those of its threads, which takes the instruction of a whole warp: its
//! lanes are gathered before it ([`coalesce`](crate::warp::coalesce)) and answered behind it ([`scatter`](crate::warp::scatter)), as in
//! a unit with ports for warps ([`crate::warp`]). What it asks of another CTA travels as one request, too.
//! While a warp has a request for `barrier.cluster`, no instruction is accepted, and that request is served only when those that were
//! accepted before have been sent.
//!
//! **Loads and stores of warps.** With `warp_memory`, those of a CTA's own memory go into all its banks at once, past the ports of its unit, as
//! in a unit with ports for warps ([`access`](crate::warp::access), [`deliver`](crate::warp::deliver)). What names `.shared::cluster` goes the other
//! way, as without it.
//!
//! ```text
//!   cycle           0         1         2         3 ... 6    7         8
//!                   accept    choose    step c0   c1    c4   shown
//!   warp_req_valid  ‾‾‾‾\____
//!   warp_mem_valid                                           /‾‾‾‾‾‾‾‾‾‾‾‾‾‾    two steps
//! ```
//!
//! | file | block |
//! | --- | --- |
//! | [`cta`] | a CTA: unit, [copies](crate::copies), rendezvous, and the ports to the links |
//! | [`rendezvous`] | barrier.cluster |
//! | [`link`] | links between CTAs |
//! | [`parameters`] | parameters of a cluster |

pub mod channels;
pub mod cta;
pub mod link;
pub mod parameters;
pub mod rendezvous;
mod warps;
mod wiring;

use crate::cells::arbiter::CtaArbiter;
use crate::copies::channels::*;
use crate::copies::tensor::Tiles;
use crate::hardware;
use crate::hdl::*;
use crate::pins::{PortAnswer, PortResume};
use crate::warp::access::Access;
use crate::warp::coalesce::Coalesce;
use crate::warp::deliver::Deliver;
use crate::warp::scatter::Scatter;
use crate::word::address::BEAT_WORDS;
use crate::word::op::Op;
use crate::word::op::sets::{self, OpSet};
use channels::PortRequest;
use cta::{ANSWER_WORDS, CAST_WORDS, Cta, REQUEST_WORDS};
use link::Link;
use parameters::ClusterParameters;
use rendezvous::{RoundAnswer, RoundRequest};

/// Points of evaluation in [`Cluster::settle_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// Outputs of the links have reached the CTAs.
    Brought,
    /// The units are evaluated, and requests to the links are valid.
    Sent,
    /// The links have granted.
    Routed,
    /// All signals are evaluated; registers have not changed yet.
    Settled,
}

hardware! {
    /// Cluster: CTAs with shared memories, joined by links.
    pub module Cluster = "cluster" {
        /// Request valid, one bit per port.
        pub req_valid: Lanes<Signal<In, UserMask>> = Lanes::new(ctas),
        /// Request accepted, one bit per port.
        pub req_ready: Lanes<Signal<Out, UserMask>> = Lanes::new(ctas),
        /// Request of each thread port.
        pub req: Lanes<Lanes<PortRequest<In>>> = Lanes::grid(ctas, users),
        /// Answer valid, one bit per port.
        pub rsp_valid: Lanes<Signal<Out, UserMask>> = Lanes::new(ctas),
        /// Answer accepted, one bit per port.
        pub rsp_ready: Lanes<Signal<In, UserMask>> = Lanes::new(ctas),
        /// Answer of each thread port.
        pub rsp: Lanes<Lanes<PortAnswer<Out>>> = Lanes::grid(ctas, users),
        /// Masks of ended waits valid, one bit per port, with the wake mask.
        pub resume_valid: Lanes<Signal<Out, UserMask>> = Lanes::new(masked),
        /// Masks accepted, one bit per port.
        pub resume_ready: Lanes<Signal<In, UserMask>> = Lanes::new(masked),
        /// The ends of suspended waits of a port, with the wake mask.
        pub resume: Lanes<Lanes<PortResume<Out>>> = Lanes::grid(masked, users),
        /// Warp instruction valid.
        pub warp_req_valid: Lanes<Signal<In, Bit>> = Lanes::new(warped),
        /// Instruction accepted.
        pub warp_req_ready: Lanes<Signal<Out, Bit>> = Lanes::new(warped),
        /// Opcode; stores are refused.
        pub warp_req_op: Lanes<Signal<In, OpCode, OpView>> = Lanes::new(warped),
        /// The addresses are in `.shared::cluster`.
        pub warp_req_cluster: Lanes<Signal<In, Bit>> = Lanes::new(warped),
        /// Memory ordering.
        pub warp_req_order: Lanes<Signal<In, OrderCode>> = Lanes::new(warped),
        /// Time limit of a `try_wait` in nanoseconds.
        pub warp_req_limit: Lanes<Signal<In, Bits<32>>> = Lanes::new(warped),
        /// Active lanes, at least one.
        pub warp_req_mask: Lanes<Signal<In, LaneMask>> = Lanes::new(warped),
        /// Byte address of each lane, a multiple of 8.
        pub warp_req_address: Lanes<WarpLanes<Signal<In, Bits<32>>>> = Lanes::grid(warped, lanes),
        /// Operand of each lane: count, bytes or parity; the upper half of its token.
        pub warp_req_operand: Lanes<WarpLanes<Signal<In, Bits<32>>>> = Lanes::grid(warped, lanes),
        /// Returned with every answer; identifies the warp.
        pub warp_req_tag: Lanes<Signal<In, Tag>> = Lanes::new(warped),
        /// Size of a load or store: 4 (0), 8 (1) or 16 (2) bytes a lane.
        pub warp_req_size: Lanes<Signal<In, Bits<2>>> = Lanes::new(gated),
        /// Store data of each lane: its first 8 bytes; 4 in bits 31:0.
        pub warp_req_lower: Lanes<WarpLanes<Signal<In, Word>>> = Lanes::grid(gated, lanes),
        /// Store data of each lane: the next 8 bytes.
        pub warp_req_upper: Lanes<WarpLanes<Signal<In, Word>>> = Lanes::grid(gated, lanes),
        /// Answer to lanes of a warp valid.
        pub warp_rsp_valid: Lanes<Signal<Out, Bit>> = Lanes::new(warped),
        /// Answer accepted.
        pub warp_rsp_ready: Lanes<Signal<In, Bit>> = Lanes::new(warped),
        /// Tag of the instruction.
        pub warp_rsp_tag: Lanes<Signal<Out, Tag>> = Lanes::new(warped),
        /// Answered lanes.
        pub warp_rsp_lanes: Lanes<Signal<Out, LaneMask>> = Lanes::new(warped),
        /// Status of all answered lanes.
        pub warp_rsp_status: Lanes<Signal<Out, StatusCode, StatusView>> = Lanes::new(warped),
        /// Predicate of each lane.
        pub warp_rsp_predicates: Lanes<Signal<Out, LaneMask>> = Lanes::new(warped),
        /// Token, word or pending count of all answered lanes, if the status is ok.
        pub warp_rsp_data: Lanes<Signal<Out, Word>> = Lanes::new(warped),
        /// Answer to lanes of a load or store valid.
        pub warp_mem_valid: Lanes<Signal<Out, Bit>> = Lanes::new(gated),
        /// Answer accepted.
        pub warp_mem_ready: Lanes<Signal<In, Bit>> = Lanes::new(gated),
        /// Tag of the load or store.
        pub warp_mem_tag: Lanes<Signal<Out, Tag>> = Lanes::new(gated),
        /// Answered lanes.
        pub warp_mem_lanes: Lanes<Signal<Out, LaneMask>> = Lanes::new(gated),
        /// Status of all answered lanes.
        pub warp_mem_status: Lanes<Signal<Out, StatusCode, StatusView>> = Lanes::new(gated),
        /// Load data of each lane: its first 8 bytes; 4 in bits 31:0.
        pub warp_mem_lower: Lanes<WarpLanes<Signal<Out, Word>>> = Lanes::grid(gated, lanes),
        /// Load data of each lane: the next 8 bytes.
        pub warp_mem_upper: Lanes<WarpLanes<Signal<Out, Word>>> = Lanes::grid(gated, lanes),
        /// A bulk copy from global to shared memory.
        pub bulk: Lanes<BulkCopy<In>> = Lanes::new(ctas),
        /// A cp.async copy of a thread, or its arrival after its copies.
        pub r#async: Lanes<AsyncCopy<In>> = Lanes::new(ctas),
        /// Threads of which a copy is complete, with all copies before it.
        pub copy_done: Lanes<Signal<Out, CopierMask>> = Lanes::new(ctas),
        /// No copy is in flight.
        pub copy_idle: Lanes<Signal<Out, Bit>> = Lanes::new(ctas),
        /// A burst to read from global memory.
        pub mem_req: Lanes<MemoryRead<Out>> = Lanes::new(ctas),
        /// A beat of a burst that is read.
        pub mem_rsp: Lanes<MemoryBeat<In>> = Lanes::new(ctas),
        /// A copy out of shared memory, or a commit of those before it.
        pub put: Lanes<Store<In>> = Lanes::new(ctas),
        /// A wait for bulk groups.
        pub group: Lanes<GroupWait<In>> = Lanes::new(ctas),
        /// Small store or reduction of a thread in the memory of a CTA.
        pub post: Lanes<SmallStore<In>> = Lanes::new(ctas),
        /// A beat to write to global memory.
        pub mem_wr: Lanes<MemoryWrite<Out>> = Lanes::new(ctas),
        /// The end of a burst that is written.
        pub mem_ack: Lanes<WriteDone<In>> = Lanes::new(ctas),
        /// Tensor copies, and their status.
        pub tiles: Lanes<Flat<Tiles<In>>> = Lanes::new(tensored),
        /// Request of a warp to barrier.cluster.
        pub bar_req: Lanes<RoundRequest<In>> = Lanes::new(ctas),
        /// Answer of barrier.cluster.
        pub bar_rsp: Lanes<RoundAnswer<Out>> = Lanes::new(ctas),

        /// Number of CTAs.
        pub ctas: usize = ctas,
        /// Number of thread ports of each CTA.
        pub users: usize = users,
        /// Number of CTAs whose loads and stores of warps are checked.
        pub checked_gates: usize = if unit.checked { gated } else { 0 },
        /// Number of banks of each CTA.
        pub banks: usize = unit.banks,
        /// Number of CTAs with the wake mask: all or none.
        pub masked: usize = masked,
        /// Lanes of a warp.
        pub width: usize = lanes,
        /// Bits of a tag below those that name the thread.
        pub number_bits: usize = unit.number_bits,
        /// 1 if there are links.
        pub nets: usize = (ctas > 1) as usize,
        /// Maximum number of words of a small store.
        pub post_words: usize = BEAT_WORDS / 2,
        /// Requests made of the lanes of each CTA's warps.
        pub coalesce: Vec<Coalesce> = (0..warped).map(|_| Coalesce::new(lanes, parameters.unit.waiters > 0)).collect(),
        /// Answers to those lanes.
        pub scatter: Vec<Scatter> = (0..warped).map(|_| Scatter::new()).collect(),
        /// Steps of the warps' loads and stores.
        pub access: Vec<Access> = (0..gated).map(|_| Access::new(lanes, unit.banks, unit.rows())).collect(),
        /// Answers of those loads and stores to lanes.
        pub deliver: Vec<Deliver> = (0..gated).map(|_| Deliver::new(lanes, unit.banks, unit.checked)).collect(),
        /// The instruction at the port for warps is a load or store of the CTA's own memory, which takes a path of its own.
        pub claims: Lanes<Signal<Local, Bit>> = Lanes::new(gated),
        /// The CTAs.
        pub cta: Vec<Cta> = (0..ctas).map(|_| Cta::new(parameters)).collect(),
        /// Links for requests, one into each CTA.
        pub requests: Lanes<Link> = Lanes::of(links, link(REQUEST_WORDS)),
        /// Links for answers, one into each CTA.
        pub answers: Lanes<Link> = Lanes::of(links, link(ANSWER_WORDS)),
        /// Links for beats, one into each CTA.
        pub beats: Lanes<Link> = Lanes::of(links, link(CAST_WORDS)),
        /// Arbiters of the links for requests.
        pub asks: Lanes<CtaArbiter> = Lanes::new(links),
        /// Arbiters of the links for answers.
        pub replies: Lanes<CtaArbiter> = Lanes::new(links),
        /// Arbiters of the links for beats.
        pub casts: Lanes<CtaArbiter> = Lanes::new(links),
        /// `arrived` of each CTA, delayed on its way to the others.
        pub arrivals: Lanes<ControlDelay<Bit>> = Lanes::of(links, || ControlDelay::new(link_cycles)),
        /// `empty` of each CTA, delayed on its way to the others.
        pub exits: Lanes<ControlDelay<Bit>> = Lanes::of(links, || ControlDelay::new(link_cycles)),
        /// Incoming mask, one bit per thread port.
        pub entering: Signal<Local, UserMask>,
        /// Ports with valid masks of ended waits, if present.
        pub leaving: Single<Signal<Local, AskerMask>> = Single::new((masked > 0) as usize),
        /// Data of a thread's request.
        pub content: Signal<Local, Word>,
        /// Links for requests that have space.
        pub room: Lanes<Signal<Local, CtaMask>> = Lanes::new((ctas > 1) as usize),
        /// `arrived` of the CTAs, as seen by the others.
        pub arrived: Signal<Local, CtaMask>,
        /// `empty` of the CTAs, as seen by the others.
        pub empty: Signal<Local, CtaMask>,
    }
    constants {
        /// Operations whose data has the number of lanes above an operand of 32 bits.
        SINGLE: OpSet = sets::SINGLE;
    }
    processes { Heed, Drive, Bring, Ask, Route, Take, Show, Gather, Hand }
    /// A cluster with these parameters.
    built by pub fn new(parameters: &ClusterParameters) {
        let ClusterParameters { unit, ctas, link_cycles, lanes, .. } = *parameters;
        let warped = if lanes > 0 { ctas } else { 0 };
        let gated = if parameters.warp_memory { ctas } else { 0 };
        let masked = if unit.wake_mask && unit.waiters > 0 { ctas } else { 0 };
        let tensored = if parameters.tensors > 0 { ctas } else { 0 };
        let (users, links) = (unit.ports, if ctas > 1 { ctas } else { 0 });
        let link = |words| move || Link::new(words, link_cycles, parameters.link_depth(), parameters.fifo_places());
    }
}

impl Cluster {
    /// Evaluates the whole cluster: every process once, in data order. Outputs are then valid.
    #[inline(never)]
    pub fn settle(&mut self) {
        self.settle_with(&mut |_, _| {});
    }

    /// Like `settle`, with a hook at each point that may change signals: `look` is called at every [`Point`].
    #[inline(never)]
    pub fn settle_with(&mut self, look: &mut dyn FnMut(&mut Self, Point)) {
        self.settle_steps(|_| {}, look);
    }

    /// The clock edge, with `rst` low.
    #[inline(never)]
    pub fn clock(&mut self) {
        self.tick();
    }

    /// The clock edge, with `rst` high.
    pub fn clock_in_reset(&mut self) {
        self.tick();
        self.reset();
    }
}
