//! CTA: one CTA of the cluster: its shared memory, its copy engines and its connection to the other CTAs.
//!
//! **What.** The ports of the CTA's threads go to its [`Unit`], or to the network if their address names another CTA. Two more ports of the
//! unit serve the network (requests of other CTAs) and the copies (posted operations on barriers); beside them, 32 bytes of copied data a
//! cycle enter through the unit's door (DMA port).
//! ```text
//!   thread ports ──┬─────────────────────► unit ports 0 ..      ──┬──► answers, thread ports
//!                  └─► arbiter ─► send                            │
//!   get ─────────────────────────────────► unit port  users     ──┼──► replies ─► reply
//!   back ─► answers of each port ─────────────────────────────────┘
//!   copier: operations ─┬─────────────────► unit port  users + 1
//!           completions ┘
//!           beats ┐         ┌─► door ────► banks ──► read ─► outlet ─┬─► mem_wr
//!   outlet: beats ┼─ junction ─► cast                   ▲            └─► junction
//!   tensor: beats ┤
//!   post:   beats ┘                         tensor: boxes ─► sender: moves
//!   drop (beats of other CTAs) ─► door, by way of the reducer if they are reductions
//!
//!   cycle         0                 L                  L+4       L+6     2L+7
//!   request       accepted, sent    in the other CTA   done      reply   shown at the port        L: cycles of a link
//! ```
//! **Requests to other CTAs.** Each is answered once: with its status, and with the word if it is a load; never with a
//! token. `away` counts those of a port that are not done yet: a release of the cluster waits for them, and so does
//! everything behind a load that acquires. A place for the answer is kept before a request is sent, so answers never wait
//! on the network.
//!
//! **Copies.** A beat is taken when its data has entered the pipelines of the banks. Only then is anything completed on a
//! barrier because of it, through a port of the same unit: whoever sees the phase complete asks later than that, and finds
//! the data.
//!
//! A `cp.async.mbarrier.arrive` raises the tx-count at once. Until it has, requests that release wait: the arrival that a
//! thread makes next on the same barrier must not complete the phase before.
//!
//! **Loads and stores of warps** come as steps through the unit's gate (`crate::low_latency::inlets::gate`). They are this CTA's own: what is elsewhere is
//! asked for by the ports. A step waits as a request of the warps' port would: behind a load elsewhere that acquires, and while a
//! reduction has the banks. With the door it takes turns ([`turns`](crate::low_latency::inlets::turns)).
//!
//! **barrier.cluster.** While an arrival that releases stands at the port of the rendezvous, the thread ports are closed;
//! it is accepted when all that they asked for before has gone to its bank and all that is away is done.
//!
//! Drawn from a run: `waves/gallery/blocks/remote_arrive.svg`.

mod copies;
mod threads;

use crate::cells::arbiter::RoundRobin;
use crate::cells::fifo::Fifo;
use crate::cluster::channels::PortRequest;
use crate::cluster::parameters::ClusterParameters;
use crate::cluster::rendezvous::{Rendezvous, RoundAnswer, RoundRequest};
use crate::copies::channels::*;
use crate::copies::completer::Completer;
use crate::copies::copier::Copier;
use crate::copies::junction::Junction;
use crate::copies::messages::{answer, beat, landing, request};
use crate::copies::outlet::Outlet;
use crate::copies::post::Post;
use crate::copies::reducer::Reducer;
use crate::copies::reduction::{REDUCTION_BITS, ReductionCode};
use crate::copies::sender::Sender;
use crate::copies::tensor::inlet::Inlet;
use crate::copies::tensor::{Tensor, Tiles};
use crate::hardware;
use crate::hdl::*;
use crate::low_latency::unit::Unit;
use crate::pins::{PortAnswer, PortResume};
use crate::word::address::{self, ABOVE_BITS, BEAT_WORDS, OFFSET_BITS, RANK_BITS};
use crate::word::op::Op;
use crate::word::ordering::Order;
use crate::word::parameters::index_bits;
use crate::word::status::Status;

/// Words of a request on a link: header and data.
pub const REQUEST_WORDS: usize = 2;
/// Words of an answer on a link: header and data.
pub const ANSWER_WORDS: usize = 2;
/// Words of a beat on a link: header, barrier, and the data.
pub const CAST_WORDS: usize = 2 + BEAT_WORDS;
/// Sources of beats: incoming copies, outgoing copies and threads; with tensor copies one more.
const SOURCES: usize = 3;
/// Entries of the request and answer queues.
const QUEUE: usize = 4;

/// Width of an opcode.
const OP_BITS: usize = Op::BITS;
/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

hardware! {
    /// CTA: shared memory, copy engine and the way to the other CTAs.
    pub module Cta = "cta" {
        /// Rank of the CTA in the cluster.
        pub rank: Signal<In, Rank>,

        /// Request valid, one bit per port.
        pub req_valid: Signal<In, AskerMask>,
        /// Request accepted.
        pub req_ready: Signal<Out, AskerMask>,
        /// A request of a thread.
        pub req: Lanes<PortRequest<In>> = Lanes::new(users),
        /// Answer valid, one bit per port.
        pub rsp_valid: Signal<Out, AskerMask>,
        /// Answer accepted.
        pub rsp_ready: Signal<In, AskerMask>,
        /// An answer to a thread.
        pub rsp: Lanes<PortAnswer<Out>> = Lanes::new(users),
        /// Masks of ended waits valid, one bit per port, with the wake mask.
        pub resume_valid: Single<Signal<Out, AskerMask>> = Single::new(resumes),
        /// Masks accepted.
        pub resume_ready: Single<Signal<In, AskerMask>> = Single::new(resumes),
        /// The ends of suspended waits of a port, with the wake mask.
        pub resume: Lanes<PortResume<Out>> = Lanes::new(masked),

        /// Step of a warp's load or store valid; present if warps load and store.
        pub gate_valid: Single<Signal<In, Bit>> = Single::new(gates),
        /// Banks accessed by the step; may be zero.
        pub gate_banks: Single<Signal<In, BankMask>> = Single::new(gates),
        /// Row in each bank.
        pub gate_row: Banks<Signal<In, RowIndex>> = Banks::new(gated_banks),
        /// Halves of each bank's word to store.
        pub gate_stored: Banks<Signal<In, Bits<2>>> = Banks::new(gated_banks),
        /// Store data of each bank.
        pub gate_data: Banks<Signal<In, Word>> = Banks::new(gated_banks),
        /// Step accepted.
        pub gate_taken: Single<Signal<Out, Bit>> = Single::new(gates),
        /// Result of a step valid, four cycles after its acceptance unless delayed.
        pub gate_seen: Single<Signal<Out, Bit>> = Single::new(gates),
        /// Words read from the banks, before the step stores.
        pub gate_word: Banks<Signal<Out, Word>> = Banks::new(gated_banks),
        /// Checked mode: banks in which the step stores to a live barrier.
        pub gate_struck: Single<Signal<Out, BankMask>> = Single::new(checked_gates),

        /// A bulk copy from global to shared memory.
        pub bulk: BulkCopy<In>,
        /// A cp.async copy of a thread, or its arrival after its copies.
        pub r#async: AsyncCopy<In>,
        /// Threads of which a copy is complete, with all copies before it.
        pub copy_done: Signal<Out, CopierMask>,
        /// No copy is in flight.
        pub copy_idle: Signal<Out, Bit>,
        /// Read burst of global memory.
        pub mem_req: MemoryRead<Out>,
        /// Beat of a read burst.
        pub mem_rsp: MemoryBeat<In>,
        /// Copy out of shared memory, or commit of those before it.
        pub put: Store<In>,
        /// Wait for bulk groups.
        pub group: GroupWait<In>,
        /// Small store or reduction of a thread in the memory of a CTA.
        pub post: SmallStore<In>,
        /// Write beat to global memory.
        pub mem_wr: MemoryWrite<Out>,
        /// Completion of a write burst.
        pub mem_ack: WriteDone<In>,
        /// Tensor copies, and their status.
        pub tiles: Single<Flat<Tiles<In>>> = Single::new(tensors),
        /// Request of a warp to barrier.cluster.
        pub bar_req: RoundRequest<In>,
        /// Answer of barrier.cluster.
        pub bar_rsp: RoundAnswer<Out>,
        /// All threads of this CTA have arrived: toggles in each round.
        pub arrived: Signal<Out, Bit>,
        /// All threads of this CTA have exited.
        pub empty: Signal<Out, Bit>,
        /// `arrived` of every CTA, as received.
        pub arrived_of: Signal<In, CtaMask>,
        /// `empty` of every CTA, as received.
        pub empty_of: Signal<In, CtaMask>,

        /// Request to another CTA: destination, one-hot; zero without a request.
        pub send: Lanes<Signal<Out, CtaMask>> = Lanes::new(nets),
        /// Header and data.
        pub send_words: Lanes<Lanes<Signal<Out, Word>>> = Lanes::grid(nets, REQUEST_WORDS),
        /// Request accepted.
        pub send_taken: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// Links into CTAs that have space.
        pub link_room: Lanes<Signal<In, CtaMask>> = Lanes::new(nets),
        /// Request of another CTA valid.
        pub get_valid: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// Header and data.
        pub get_words: Lanes<Lanes<Signal<In, Word>>> = Lanes::grid(nets, REQUEST_WORDS),
        /// Request accepted.
        pub get_taken: Lanes<Signal<Out, Bit>> = Lanes::new(nets),
        /// Answer to another CTA: destination, one-hot; zero without an answer.
        pub reply: Lanes<Signal<Out, CtaMask>> = Lanes::new(nets),
        /// Header and data.
        pub reply_words: Lanes<Lanes<Signal<Out, Word>>> = Lanes::grid(nets, ANSWER_WORDS),
        /// Answer accepted.
        pub reply_taken: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// Answer of another CTA valid; always accepted.
        pub back_valid: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// Header and data.
        pub back_words: Lanes<Lanes<Signal<In, Word>>> = Lanes::grid(nets, ANSWER_WORDS),
        /// Beat to CTAs: destinations; zero without a beat.
        pub cast: Lanes<Signal<Out, CtaMask>> = Lanes::new(nets),
        /// Words of the beat.
        pub cast_words: Lanes<Lanes<Signal<Out, Word>>> = Lanes::grid(nets, CAST_WORDS),
        /// Destinations that accept the beat in this cycle.
        pub cast_taken: Lanes<Signal<In, CtaMask>> = Lanes::new(nets),
        /// Beat of another CTA valid.
        pub drop_valid: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// Words of the beat.
        pub drop_words: Lanes<Lanes<Signal<In, Word>>> = Lanes::grid(nets, CAST_WORDS),
        /// Beat accepted.
        pub drop_taken: Lanes<Signal<Out, Bit>> = Lanes::new(nets),

        /// 1 with the wake mask.
        pub resumes: usize = resumes,
        /// Number of ports with the wake mask.
        pub masked: usize = masked,
        /// 1 if warps load and store.
        pub gates: usize = gates,
        /// 1 if warps load and store in checked mode.
        pub checked_gates: usize = checked_gates,
        /// Index of the warps' port.
        pub warp_port: usize = unit.ports,
        /// Number of CTAs.
        pub ctas: usize = ctas,
        /// 1 if there are other CTAs.
        pub nets: usize = nets,
        /// Number of ports that may send requests to other CTAs.
        pub networked: usize = networked,
        /// Number of those ports with the wake mask.
        pub departing: usize = nets * masked,
        /// Index of the unit's port for the network.
        pub net_port: usize = users,
        /// Index of the unit's port for the copies.
        pub copy_port: usize = parameters.copy_port(),
        /// Maximum number of words of a small store.
        pub post_words: usize = BEAT_WORDS / 2,
        /// Mask of all banks.
        pub all_banks: usize = ((1u64 << unit.banks) - 1) as usize,
        /// Requests to other CTAs that a port may have in flight.
        pub remote_depth: usize = remote_depth,
        /// The shared memory.
        pub unit: Box<Unit> = memory,
        /// Copy engine from global to shared memory.
        pub copier: Copier = Copier::new(copiers, outstanding, bursts, window_bits),
        /// Copy engine out of shared memory: descriptors.
        pub sender: Sender = Sender::new(ctas, window_bits, copiers, bursts),
        /// Copy engine out of shared memory: data.
        pub outlet: Outlet = Outlet::new(places),
        /// `st.async` and `red.async`.
        pub poster: Post = Post::new(ctas, window_bits),
        /// Arbiter of the sources of beats.
        pub junction: Junction = Junction::new(SOURCES + tensors),
        /// Reductions in this CTA's memory.
        pub reducer: Reducer = Reducer::new(),
        /// 1 with tensor copies.
        pub tensors: usize = tensors,
        /// Tensor copy engine.
        pub tensor: Single<Tensor> = Single::of(tensors, || Tensor::new(tensor_bursts, window_bits)),
        /// Arbiter between copier and tensor engine for global memory.
        pub inlet: Single<Inlet> = Single::of(tensors, || Inlet::new(parameters.memory_bits(), index_bits(parameters.tensors + 1))),
        /// The CTA's side of barrier.cluster.
        pub rendezvous: Rendezvous = Rendezvous::new(ctas, warps, unit.checked),
        /// Arbiter of the ports for the network.
        pub arbiter: Lanes<RoundRobin> = Lanes::new(nets),
        /// Answers of other CTAs, per port.
        pub answers: Lanes<Fifo> = Lanes::of(networked, || Fifo::new(ANSWER_WORDS, remote_depth, places)),
        /// Origins of the requests of other CTAs in flight.
        pub askers: Lanes<Fifo> = Lanes::of(nets, || Fifo::new(1, unit.queue_depth, places)),
        /// Answers to other CTAs.
        pub replies: Lanes<Fifo> = Lanes::of(nets, || Fifo::new(ANSWER_WORDS, QUEUE, places)),
        /// Landed bytes to complete on their barriers.
        pub completer: Completer,

        /// Requests of a port in flight to other CTAs.
        pub away: Lanes<ControlReg<FifoCount>> = Lanes::new(networked),
        /// Requests of a port to other CTAs whose answer is not yet accepted.
        pub owed: Lanes<ControlReg<FifoCount>> = Lanes::new(networked),
        /// A request in flight to another CTA acquires.
        pub acquires: Lanes<ControlReg<Bit>> = Lanes::new(networked),
        /// Answers of other CTAs have priority over those of the unit.
        pub prefers: Lanes<ControlReg<Bit>> = Lanes::new(networked),
        /// Port offered to the network in the last cycle, one-hot.
        pub offered: Lanes<ControlReg<PortMask>> = Lanes::new(nets),
        /// Destinations that have accepted the current beat.
        pub served: ControlReg<CtaMask>,
        /// Beats of other CTAs have priority.
        pub beat_turn: ControlReg<Bit>,
        /// The beat at the door was not accepted in the last cycle.
        pub door_held: ControlReg<Bit>,
        /// The beat at the door in the last cycle was a read.
        pub door_read: ControlReg<Bit>,
        /// Reads have priority over writes at the door.
        pub read_turn: ControlReg<Bit>,
        /// Operations of the copies have priority over completions.
        pub copy_turn: ControlReg<Bit>,

        /// This CTA, one-hot.
        pub own: Signal<Local, CtaMask>,
        /// Rank in the address of each port's request.
        pub names: Lanes<Signal<Local, Rank>> = Lanes::new(users),
        /// The request of each port is for another CTA.
        pub goes: Lanes<Signal<Local, Bit>> = Lanes::new(users),
        /// Destination of that request, one-hot.
        pub target: Lanes<Signal<Local, CtaMask>> = Lanes::new(networked),
        /// The port accepts no request.
        pub closed: Lanes<Signal<Local, Bit>> = Lanes::new(users),
        /// The answer at the port is that of another CTA.
        pub shows: Lanes<Signal<Local, Bit>> = Lanes::new(users),
        /// Address of a request within the CTA that it names.
        pub near: Signal<Local, Bits<OFFSET_BITS>>,
        /// Header of the request of another CTA.
        pub asked: Lanes<Signal<Local, Word>> = Lanes::new(nets),
        /// Opcode of the request to send.
        pub sent_op: Lanes<Signal<Local, OpCode, OpView>> = Lanes::new(nets),
        /// Byte enables of the request to send.
        pub sent_strobe: Lanes<Signal<Local, Bits<8>>> = Lanes::new(nets),
        /// Address in the other CTA of the request to send.
        pub sent_address: Lanes<Signal<Local, Bits<OFFSET_BITS>>> = Lanes::new(nets),
        /// Port of the request to send.
        pub sent_port: Lanes<Signal<Local, Bits<3>>> = Lanes::new(nets),
        /// Tag of the request to send.
        pub sent_tag: Lanes<Signal<Local, Tag>> = Lanes::new(nets),
        /// Ports with a request that may be sent.
        pub eligible: Lanes<Signal<Local, PortMask>> = Lanes::new(nets),
        /// The port's request of the last cycle was sent.
        pub departed: Lanes<ControlReg<Bit>> = Lanes::new(nets * masked),
        /// The port sends a request that will be answered.
        pub leaves: Lanes<Signal<Local, Bit>> = Lanes::new(networked),
        /// An answer of another CTA arrives for the port.
        pub returns: Lanes<Signal<Local, Bit>> = Lanes::new(networked),
        /// An answer of another CTA is accepted at the port.
        pub fetched: Lanes<Signal<Local, Bit>> = Lanes::new(networked),
        /// A completion is given to the unit before an operation of the copies.
        pub completing: Signal<Local, Bit>,
        /// The beat of this CTA is for its own memory.
        pub own_beat: Signal<Local, Bit>,
        /// A beat of another CTA is at the door.
        pub foreign: Signal<Local, Bit>,
        /// Header of this CTA's beat.
        pub beat_head: Signal<Local, Word>,
        /// Header of the beat at the door.
        pub head: Signal<Local, Word>,
        /// Barrier and reduction of the beat at the door.
        pub whose: Signal<Local, Word>,
        /// Reduction of the beat at the door.
        pub does: Signal<Local, ReductionCode>,
        /// Data of the beat at the door.
        pub landing: Lanes<Signal<Local, Word>> = Lanes::new(BEAT_WORDS),
        /// A beat is valid, with space for its completion.
        pub admitted: Signal<Local, Bit>,
        /// The beat requests the DMA port.
        pub knocks: Signal<Local, Bit>,
        /// A read is at the door.
        pub reads_now: Signal<Local, Bit>,
        /// A beat has landed.
        pub landed: Signal<Local, Bit>,
        /// Destinations that have accepted the beat after this cycle.
        pub having: Signal<Local, CtaMask>,
        /// Accesses of the threads are in flight.
        pub busy: Signal<Local, Bit>,
        /// Header of the oldest request of another CTA in flight.
        pub asker: Lanes<Signal<Local, Word>> = Lanes::new(nets),
        /// The network port's request is accepted.
        pub got: Lanes<Signal<Local, Bit>> = Lanes::new(nets),
        /// The network port's answer is accepted.
        pub replied: Lanes<Signal<Local, Bit>> = Lanes::new(nets),
    }
    constants {
        /// Read tag: words for other places.
        OUTWARD: Bits<2> = Bits::constant(1);
        /// Read tag: words to combine with a beat's.
        REDUCES: Bits<2> = Bits::constant(2);
        /// Posted operations: no answer.
        POSTED: Bits<{ 1 << Op::BITS }> = crate::word::op::sets::POSTED;
    }
    processes { Stand, Greet, Open, Ask, Show, Meet, Land, Admit, Knock, Depart, Send, Take, Answer, Copy, Sort, Share, Serve, Pass, Hand, Tell }
    /// A CTA of a cluster.
    built by pub fn new(parameters: &ClusterParameters) {
        let ClusterParameters { unit, ctas, remote_depth, warps, copiers, outstanding, bursts, tensors, .. } =
            *parameters;
        let (tensor_bursts, tensors) = (tensors, (tensors > 0) as usize);
        let (users, ports) = (parameters.askers(), parameters.unit_ports());
        let nets = (ctas > 1) as usize;
        let networked = users * nets;
        let places = parameters.fifo_places();
        let window_bits = unit.bytes().ilog2() as usize;
        let gates = parameters.warp_memory as usize;
        let (gated_banks, checked_gates) = (gates * unit.banks, gates * unit.checked as usize);
        let masked = if unit.wake_mask && unit.waiters > 0 { users } else { 0 };
        let resumes = (masked > 0) as usize;
        let mut memory = Box::new(Unit::in_cluster(&parameters.asked_unit(), ports - users, gates > 0));
        if parameters.lanes > 0 {
            // warps of other CTAs request over the network
            for decode in memory.decode.iter_mut().skip(unit.ports).take(1 + nets) {
                decode.serve_warps();
            }
        }
    }
}

#[processes]
impl Cta {
    fn stand(&mut self) {
        connect!(self.* <<= self.rendezvous.*: arrived, empty);
    }
}

impl Cta {
    /// Whether the answer at a port comes from another CTA.
    pub fn shows_foreign(&self, port: usize) -> bool {
        self.shows[port].val()
    }

    /// Whether requests at a port of the unit come over the network, from threads of other CTAs.
    pub fn is_of_the_network(&self, unit_port: usize) -> bool {
        self.nets > 0 && unit_port == self.net_port
    }

    /// Number of threads that a request with this data counts for, at a port of the unit, if it changes counts.
    pub fn threads_of(&self, unit_port: usize, data: u64) -> u32 {
        self.unit.decode[unit_port].threads_of(data)
    }

    /// Whether the request at a port is for another CTA.
    pub fn goes_elsewhere(&self, port: usize) -> bool {
        self.goes[port].val()
    }
}
