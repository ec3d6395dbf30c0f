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
//! | [`link`] | what joins the CTAs |
//! | [`parameters`] | what a cluster is built for |

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

/// Places on the way through [`Cluster::settle_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// What the links bring has reached the CTAs.
    Brought,
    /// The units are settled, and what goes to the links is there.
    Sent,
    /// It is decided what goes into each link.
    Routed,
    /// Everything is settled; registers have not taken their values yet.
    Settled,
}

hardware! {
    /// Cluster: CTAs with shared memories, joined by links.
    pub module Cluster = "cluster" {
        /// A request is there, a bit each port.
        pub req_valid: Lanes<Signal<In, UserMask>>,
        /// It is accepted.
        pub req_ready: Lanes<Signal<Out, UserMask>>,
        /// A request of a thread.
        pub req: Lanes<Lanes<PortRequest<In>>>,
        /// An answer is there, a bit each port.
        pub rsp_valid: Lanes<Signal<Out, UserMask>>,
        /// It is taken.
        pub rsp_ready: Lanes<Signal<In, UserMask>>,
        /// An answer to a thread.
        pub rsp: Lanes<Lanes<PortAnswer<Out>>>,
        /// With the wake mask, suspended waits of a port are over and not taken, a bit each port: the masks of the port are shown.
        pub resume_valid: Lanes<Signal<Out, UserMask>>,
        /// They are taken.
        pub resume_ready: Lanes<Signal<In, UserMask>>,
        /// The ends of suspended waits of a port, with the wake mask.
        pub resume: Lanes<Lanes<PortResume<Out>>>,
        /// An instruction of a warp is there.
        pub warp_req_valid: Lanes<Signal<In, Bit>>,
        /// It is accepted.
        pub warp_req_ready: Lanes<Signal<Out, Bit>>,
        /// Opcode; stores are refused.
        pub warp_req_op: Lanes<Signal<In, OpCode, OpView>>,
        /// Its addresses are those of `.shared::cluster`.
        pub warp_req_cluster: Lanes<Signal<In, Bit>>,
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
        /// What each lane of a load or store takes: 4 (0), 8 (1) or 16 (2) bytes.
        pub warp_req_size: Lanes<Signal<In, Bits<2>>>,
        /// What each lane stores: its first 8 bytes; 4 in bits 31:0.
        pub warp_req_lower: Lanes<WarpLanes<Signal<In, Word>>>,
        /// The next 8.
        pub warp_req_upper: Lanes<WarpLanes<Signal<In, Word>>>,
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
        /// Token, word or pending count of all of them, if the status is ok.
        pub warp_rsp_data: Lanes<Signal<Out, Word>>,
        /// Lanes of a load or store are answered.
        pub warp_mem_valid: Lanes<Signal<Out, Bit>>,
        /// It is taken.
        pub warp_mem_ready: Lanes<Signal<In, Bit>>,
        /// Tag of the load or store.
        pub warp_mem_tag: Lanes<Signal<Out, Tag>>,
        /// Which lanes.
        pub warp_mem_lanes: Lanes<Signal<Out, LaneMask>>,
        /// How it ended for all of them.
        pub warp_mem_status: Lanes<Signal<Out, StatusCode, StatusView>>,
        /// What each of them has loaded: its first 8 bytes; 4 in bits 31:0.
        pub warp_mem_lower: Lanes<WarpLanes<Signal<Out, Word>>>,
        /// The next 8.
        pub warp_mem_upper: Lanes<WarpLanes<Signal<Out, Word>>>,
        /// A bulk copy from global to shared memory.
        pub bulk: Lanes<BulkCopy<In>>,
        /// A cp.async copy of a thread, or its arrival after its copies.
        pub r#async: Lanes<AsyncCopy<In>>,
        /// A copy of each of these threads is complete, and all before it.
        pub copy_done: Lanes<Signal<Out, CopierMask>>,
        /// No copy is under way.
        pub copy_idle: Lanes<Signal<Out, Bit>>,
        /// A burst to read from global memory.
        pub mem_req: Lanes<MemoryRead<Out>>,
        /// A beat of a burst that is read.
        pub mem_rsp: Lanes<MemoryBeat<In>>,
        /// A copy out of shared memory, or a commit of those before it.
        pub put: Lanes<Store<In>>,
        /// A wait for bulk groups.
        pub group: Lanes<GroupWait<In>>,
        /// A few bytes that a thread stores or reduces in the memory of a CTA.
        pub post: Lanes<SmallStore<In>>,
        /// A beat to write to global memory.
        pub mem_wr: Lanes<MemoryWrite<Out>>,
        /// The end of a burst that is written.
        pub mem_ack: Lanes<WriteDone<In>>,
        /// Copies of tensors, and what became of them.
        pub tiles: Lanes<Flat<Tiles<In>>>,
        /// What a warp asks of barrier.cluster.
        pub bar_req: Lanes<RoundRequest<In>>,
        /// An answer of barrier.cluster.
        pub bar_rsp: Lanes<RoundAnswer<Out>>,

        /// Number of CTAs.
        pub ctas: usize,
        /// Number of thread ports of each.
        pub users: usize,
        /// CTAs that have a port for warps: all or none.
        pub warped: usize,
        /// CTAs whose warps load and store: all or none.
        pub gated: usize,
        /// How many of these are checked.
        pub checked_gates: usize,
        /// Banks that they go to.
        pub banks: usize,
        /// CTAs where the ends of suspended waits are told as masks: all or none.
        pub masked: usize,
        /// CTAs that have an engine for tensor copies: all or none.
        pub tensored: usize,
        /// Lanes of a warp.
        pub width: usize,
        /// Bits of a tag below those that name the thread.
        pub number_bits: usize,
        /// Links of each kind: one a CTA if there are several.
        pub links: usize,
        /// One if there are links.
        pub nets: usize,
        /// Words of a beat.
        pub beat_words: usize,
        /// Words that a thread posts at most.
        pub post_words: usize,
        /// Words of a request.
        pub request_words: usize,
        /// Words of an answer.
        pub answer_words: usize,
        /// Words of a beat on its way.
        pub cast_words: usize,
        /// What makes requests of the lanes of each CTA's warps.
        pub coalesce: Vec<Coalesce>,
        /// What gives answers to them.
        pub scatter: Vec<Scatter>,
        /// What makes steps of their loads and stores.
        pub access: Vec<Access>,
        /// What gives the answers to these to lanes.
        pub deliver: Vec<Deliver>,
        /// What comes at a CTA's port for warps is a load or store of its own memory, where these are not requests as others are.
        pub claims: Lanes<Signal<Local, Bit>>,
        /// The CTAs.
        pub cta: Vec<Cta>,
        /// Requests to each CTA.
        pub requests: Lanes<Link>,
        /// Answers to each CTA.
        pub answers: Lanes<Link>,
        /// Beats to each CTA.
        pub beats: Lanes<Link>,
        /// Who goes into each link of requests.
        pub asks: Lanes<CtaArbiter>,
        /// Who goes into each link of answers.
        pub replies: Lanes<CtaArbiter>,
        /// Who goes into each link of beats.
        pub casts: Lanes<CtaArbiter>,
        /// How the rounds of each CTA stand, on their way to the others.
        pub arrivals: Lanes<ControlDelay<Bit>>,
        /// Which CTAs are empty, on its way to the others.
        pub exits: Lanes<ControlDelay<Bit>>,
        /// A bit each port of a CTA's threads, on its way in.
        pub entering: Signal<Local, UserMask>,
        /// A bit each port whose masks are shown, on its way out, if there are any.
        pub leaving: Single<Signal<Local, AskerMask>>,
        /// Data of a thread's request.
        pub content: Signal<Local, Word>,
        /// Links of requests that have room.
        pub room: Lanes<Signal<Local, CtaMask>>,
        /// How the rounds of the CTAs stand, as the others see them.
        pub arrived: Signal<Local, CtaMask>,
        /// Which CTAs are empty, as the others see them.
        pub empty: Signal<Local, CtaMask>,
    }
    constants {
        /// Operations that count the lanes of a warp, above an operand of 32 bits.
        SINGLE: OpSet = sets::SINGLE;
    }
    processes { Heed, Drive, Bring, Ask, Route, Take, Show, Gather, Hand }
}

impl Cluster {
    /// A cluster with these parameters.
    pub fn new(parameters: &ClusterParameters) -> Self {
        let ClusterParameters { unit, ctas, link_cycles, lanes, .. } = *parameters;
        let warped = if lanes > 0 { ctas } else { 0 };
        let gated = if parameters.warp_memory { ctas } else { 0 };
        let masked = if unit.wake_mask && unit.waiters > 0 { ctas } else { 0 };
        let tensored = if parameters.tensors > 0 { ctas } else { 0 };
        let (users, links) = (unit.ports, if ctas > 1 { ctas } else { 0 });
        let link = |words| move || Link::new(words, link_cycles, parameters.link_depth(), parameters.fifo_places());
        Self {
            req_valid: Lanes::new(ctas),
            req_ready: Lanes::new(ctas),
            req: Lanes::grid(ctas, users),
            rsp_valid: Lanes::new(ctas),
            rsp_ready: Lanes::new(ctas),
            rsp: Lanes::grid(ctas, users),
            resume_valid: Lanes::new(masked),
            resume_ready: Lanes::new(masked),
            resume: Lanes::grid(masked, users),
            warp_req_valid: Lanes::new(warped),
            warp_req_ready: Lanes::new(warped),
            warp_req_op: Lanes::new(warped),
            warp_req_cluster: Lanes::new(warped),
            warp_req_order: Lanes::new(warped),
            warp_req_limit: Lanes::new(warped),
            warp_req_mask: Lanes::new(warped),
            warp_req_address: Lanes::grid(warped, lanes),
            warp_req_operand: Lanes::grid(warped, lanes),
            warp_req_tag: Lanes::new(warped),
            warp_req_size: Lanes::new(gated),
            warp_req_lower: Lanes::grid(gated, lanes),
            warp_req_upper: Lanes::grid(gated, lanes),
            warp_rsp_valid: Lanes::new(warped),
            warp_rsp_ready: Lanes::new(warped),
            warp_rsp_tag: Lanes::new(warped),
            warp_rsp_lanes: Lanes::new(warped),
            warp_rsp_status: Lanes::new(warped),
            warp_rsp_predicates: Lanes::new(warped),
            warp_rsp_data: Lanes::new(warped),
            warp_mem_valid: Lanes::new(gated),
            warp_mem_ready: Lanes::new(gated),
            warp_mem_tag: Lanes::new(gated),
            warp_mem_lanes: Lanes::new(gated),
            warp_mem_status: Lanes::new(gated),
            warp_mem_lower: Lanes::grid(gated, lanes),
            warp_mem_upper: Lanes::grid(gated, lanes),
            bulk: Lanes::new(ctas),
            r#async: Lanes::new(ctas),
            copy_done: Lanes::new(ctas),
            copy_idle: Lanes::new(ctas),
            mem_req: Lanes::new(ctas),
            mem_rsp: Lanes::new(ctas),
            put: Lanes::new(ctas),
            group: Lanes::new(ctas),
            post: Lanes::new(ctas),
            mem_wr: Lanes::new(ctas),
            mem_ack: Lanes::new(ctas),
            tiles: Lanes::new(tensored),
            bar_req: Lanes::new(ctas),
            bar_rsp: Lanes::new(ctas),
            ctas,
            users,
            warped,
            gated,
            checked_gates: if unit.checked { gated } else { 0 },
            banks: unit.banks,
            masked,
            tensored,
            width: lanes,
            number_bits: unit.number_bits,
            coalesce: (0..warped).map(|_| Coalesce::new(lanes, parameters.unit.waiters > 0)).collect(),
            scatter: (0..warped).map(|_| Scatter::new()).collect(),
            access: (0..gated).map(|_| Access::new(lanes, unit.banks, unit.rows())).collect(),
            deliver: (0..gated).map(|_| Deliver::new(lanes, unit.banks, unit.checked)).collect(),
            claims: Lanes::new(gated),
            leaving: Single::new((masked > 0) as usize),
            links,
            nets: (ctas > 1) as usize,
            room: Lanes::new((ctas > 1) as usize),
            beat_words: BEAT_WORDS,
            post_words: BEAT_WORDS / 2,
            request_words: REQUEST_WORDS,
            answer_words: ANSWER_WORDS,
            cast_words: CAST_WORDS,
            cta: (0..ctas).map(|_| Cta::new(parameters)).collect(),
            requests: Lanes::of(links, link(REQUEST_WORDS)),
            answers: Lanes::of(links, link(ANSWER_WORDS)),
            beats: Lanes::of(links, link(CAST_WORDS)),
            asks: Lanes::new(links),
            replies: Lanes::new(links),
            casts: Lanes::new(links),
            arrivals: Lanes::of(links, || ControlDelay::new(link_cycles)),
            exits: Lanes::of(links, || ControlDelay::new(link_cycles)),
            ..Self::default()
        }
    }

    /// Settles the whole cluster: every process once, in the order of the data. Outputs may be read afterwards.
    #[inline(never)]
    pub fn settle(&mut self) {
        self.settle_with(&mut |_, _| {});
    }

    /// The same, with a look in (and a hand in) on the way: `look` is called at every [`Point`].
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
