//! A CTA's share of the cluster: its shared memory, what copies into it, and its way to the other CTAs.
//!
//! **What.** The ports of the CTA's threads go to its [`Unit`], or to the network if their address names another CTA. Two more
//! ports of the unit belong to the network (what other CTAs ask for) and to the copies (operations on barriers that nobody
//! waits for); beside them, 32 bytes of copied data a cycle enter through the unit's door.
//!
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

/// Words of a request on a link: head and data.
pub const REQUEST_WORDS: usize = 2;
/// Words of an answer on a link: head and data.
pub const ANSWER_WORDS: usize = 2;
/// Words of a beat on a link: where and what, the barrier, the data.
pub const CAST_WORDS: usize = 2 + BEAT_WORDS;
/// Sources of beats: copies that come in, copies that go out, and threads. Tensor copies are one more.
const SOURCES: usize = 3;
/// Entries of the queues in which something waits for its turn.
const QUEUE: usize = 4;

/// Width of an opcode.
const OP_BITS: usize = Op::BITS;
/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

hardware! {
    /// CTA: shared memory, copy engine and the way to the other CTAs.
    pub module Cta = "cta" {
        /// Its rank in the cluster.
        pub rank: Signal<In, Rank>,

        /// A request is there, a bit each port.
        pub req_valid: Signal<In, AskerMask>,
        /// It is accepted.
        pub req_ready: Signal<Out, AskerMask>,
        /// A request of a thread.
        pub req: Lanes<PortRequest<In>> = Lanes::new(users),
        /// An answer is there, a bit each port.
        pub rsp_valid: Signal<Out, AskerMask>,
        /// It is taken.
        pub rsp_ready: Signal<In, AskerMask>,
        /// An answer to a thread.
        pub rsp: Lanes<PortAnswer<Out>> = Lanes::new(users),
        /// With the wake mask, suspended waits of a port are over and not taken, a bit each port: the masks of the port are shown.
        pub resume_valid: Single<Signal<Out, AskerMask>> = Single::new(resumes),
        /// They are taken.
        pub resume_ready: Single<Signal<In, AskerMask>> = Single::new(resumes),
        /// The ends of suspended waits of a port, with the wake mask.
        pub resume: Lanes<PortResume<Out>> = Lanes::new(masked),

        /// A step of a warp's load or store is there, if warps load and store.
        pub gate_valid: Single<Signal<In, Bit>> = Single::new(gates),
        /// Banks that it goes to; there may be none.
        pub gate_banks: Single<Signal<In, BankMask>> = Single::new(gates),
        /// Row of each.
        pub gate_row: Banks<Signal<In, RowIndex>> = Banks::new(gated_banks),
        /// Halves of its word that are stored.
        pub gate_stored: Banks<Signal<In, Bits<2>>> = Banks::new(gated_banks),
        /// What is stored there.
        pub gate_data: Banks<Signal<In, Word>> = Banks::new(gated_banks),
        /// It is taken.
        pub gate_taken: Single<Signal<Out, Bit>> = Single::new(gates),
        /// What a step finds is there, four cycles after it was taken, if nothing was in the way.
        pub gate_seen: Single<Signal<Out, Bit>> = Single::new(gates),
        /// What its banks hold, before it stores anything.
        pub gate_word: Banks<Signal<Out, Word>> = Banks::new(gated_banks),
        /// Banks in which it stores over a live barrier, in checked mode.
        pub gate_struck: Single<Signal<Out, BankMask>> = Single::new(checked_gates),

        /// A bulk copy from global to shared memory.
        pub bulk: BulkCopy<In>,
        /// A cp.async copy of a thread, or its arrival after its copies.
        pub r#async: AsyncCopy<In>,
        /// A copy of each of these threads is complete, and all before it.
        pub copy_done: Signal<Out, CopierMask>,
        /// No copy is under way.
        pub copy_idle: Signal<Out, Bit>,
        /// A burst to read from global memory.
        pub mem_req: MemoryRead<Out>,
        /// A beat of a burst that is read.
        pub mem_rsp: MemoryBeat<In>,
        /// A copy out of shared memory, or a commit of those before it.
        pub put: Store<In>,
        /// A wait for bulk groups.
        pub group: GroupWait<In>,
        /// A few bytes that a thread stores or reduces in the memory of a CTA.
        pub post: SmallStore<In>,
        /// A beat to write to global memory.
        pub mem_wr: MemoryWrite<Out>,
        /// The end of a burst that is written.
        pub mem_ack: WriteDone<In>,
        /// Copies of tensors, and what became of them.
        pub tiles: Single<Flat<Tiles<In>>> = Single::new(tensors),
        /// What a warp asks of barrier.cluster.
        pub bar_req: RoundRequest<In>,
        /// An answer of barrier.cluster.
        pub bar_rsp: RoundAnswer<Out>,
        /// This CTA's threads have arrived: toggles each round.
        pub arrived: Signal<Out, Bit>,
        /// All of them have exited.
        pub empty: Signal<Out, Bit>,
        /// The same of every CTA, as it comes in.
        pub arrived_of: Signal<In, CtaMask>,
        /// The same of every CTA, as it comes in.
        pub empty_of: Signal<In, CtaMask>,

        /// To the links: a request goes to another CTA, one-hot; none if it is zero.
        pub send: Lanes<Signal<Out, CtaMask>> = Lanes::new(nets),
        /// Head and data.
        pub send_words: Lanes<Lanes<Signal<Out, Word>>> = Lanes::grid(nets, REQUEST_WORDS),
        /// It is taken.
        pub send_taken: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// Links into CTAs that have room.
        pub link_room: Lanes<Signal<In, CtaMask>> = Lanes::new(nets),
        /// A request of another CTA is there.
        pub get_valid: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// Head and data.
        pub get_words: Lanes<Lanes<Signal<In, Word>>> = Lanes::grid(nets, REQUEST_WORDS),
        /// It is taken.
        pub get_taken: Lanes<Signal<Out, Bit>> = Lanes::new(nets),
        /// An answer goes to another CTA, one-hot; none if it is zero.
        pub reply: Lanes<Signal<Out, CtaMask>> = Lanes::new(nets),
        /// Head and data.
        pub reply_words: Lanes<Lanes<Signal<Out, Word>>> = Lanes::grid(nets, ANSWER_WORDS),
        /// It is taken.
        pub reply_taken: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// An answer of another CTA is there. It is always taken.
        pub back_valid: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// Head and data.
        pub back_words: Lanes<Lanes<Signal<In, Word>>> = Lanes::grid(nets, ANSWER_WORDS),
        /// A beat goes to these CTAs.
        pub cast: Lanes<Signal<Out, CtaMask>> = Lanes::new(nets),
        /// Its words.
        pub cast_words: Lanes<Lanes<Signal<Out, Word>>> = Lanes::grid(nets, CAST_WORDS),
        /// Those that have taken it in this cycle.
        pub cast_taken: Lanes<Signal<In, CtaMask>> = Lanes::new(nets),
        /// A beat of another CTA is there.
        pub drop_valid: Lanes<Signal<In, Bit>> = Lanes::new(nets),
        /// Its words.
        pub drop_words: Lanes<Lanes<Signal<In, Word>>> = Lanes::grid(nets, CAST_WORDS),
        /// It is taken.
        pub drop_taken: Lanes<Signal<Out, Bit>> = Lanes::new(nets),

        /// One if the ends of suspended waits are told as masks.
        pub resumes: usize = resumes,
        /// Ports of which they are.
        pub masked: usize = masked,
        /// One if warps load and store.
        pub gates: usize = gates,
        /// One if that is checked.
        pub checked_gates: usize = checked_gates,
        /// Number of the port of the warps.
        pub warp_port: usize = unit.ports,
        /// Number of CTAs.
        pub ctas: usize = ctas,
        /// One if there are other CTAs.
        pub nets: usize = nets,
        /// Ports that may go there.
        pub networked: usize = networked,
        /// Those of them with the wake mask.
        pub departing: usize = nets * masked,
        /// The port of the unit that the network has.
        pub net_port: usize = users,
        /// The one that the copies have.
        pub copy_port: usize = parameters.copy_port(),
        /// Words that a thread posts at most.
        pub post_words: usize = BEAT_WORDS / 2,
        /// A mask of all banks.
        pub all_banks: usize = ((1u64 << unit.banks) - 1) as usize,
        /// Requests to other CTAs that a port may have under way.
        pub remote_depth: usize = remote_depth,
        /// The shared memory.
        pub unit: Box<Unit> = memory,
        /// What copies.
        pub copier: Copier = Copier::new(copiers, outstanding, bursts, window_bits),
        /// What copies out of shared memory.
        pub sender: Sender = Sender::new(ctas, window_bits, copiers, bursts),
        /// What that reads, on its way out.
        pub outlet: Outlet = Outlet::new(places),
        /// Stores and reductions of threads that complete on a barrier.
        pub poster: Post = Post::new(ctas, window_bits),
        /// Beats of the three.
        pub junction: Junction = Junction::new(SOURCES + tensors),
        /// What reductions do here.
        pub reducer: Reducer = Reducer::new(),
        /// One if tensors are copied.
        pub tensors: usize = tensors,
        /// What copies boxes of tensors.
        pub tensor: Single<Tensor> = Single::of(tensors, || Tensor::new(tensor_bursts, window_bits)),
        /// It and the copier take turns at global memory.
        pub inlet: Single<Inlet> = Single::of(tensors, || Inlet::new(parameters.memory_bits(), index_bits(parameters.tensors + 1))),
        /// The CTA's side of barrier.cluster.
        pub rendezvous: Rendezvous = Rendezvous::new(ctas, warps, unit.checked),
        /// Which port sends.
        pub arbiter: Lanes<RoundRobin> = Lanes::new(nets),
        /// Answers of other CTAs, for each port.
        pub answers: Lanes<Fifo> = Lanes::of(networked, || Fifo::new(ANSWER_WORDS, remote_depth, places)),
        /// Whom the requests of other CTAs that are under way come from.
        pub askers: Lanes<Fifo> = Lanes::of(nets, || Fifo::new(1, unit.queue_depth, places)),
        /// Answers to other CTAs.
        pub replies: Lanes<Fifo> = Lanes::of(nets, || Fifo::new(ANSWER_WORDS, QUEUE, places)),
        /// Bytes that have landed, to be completed on their barriers.
        pub completer: Completer,

        /// Requests of a port that are not done elsewhere yet.
        pub away: Lanes<ControlReg<FifoCount>> = Lanes::new(networked),
        /// The same, and those whose answer has not been taken.
        pub owed: Lanes<ControlReg<FifoCount>> = Lanes::new(networked),
        /// One of those that are away acquires.
        pub acquires: Lanes<ControlReg<Bit>> = Lanes::new(networked),
        /// An answer of another CTA is shown before one of the unit.
        pub prefers: Lanes<ControlReg<Bit>> = Lanes::new(networked),
        /// The port that was offered to the network in the last cycle.
        pub offered: Lanes<ControlReg<PortMask>> = Lanes::new(nets),
        /// CTAs that have had the beat that is there.
        pub served: ControlReg<CtaMask>,
        /// Beats of other CTAs come first.
        pub beat_turn: ControlReg<Bit>,
        /// What was at the door has not been taken.
        pub door_held: ControlReg<Bit>,
        /// It was read.
        pub door_read: ControlReg<Bit>,
        /// What is read comes before what is stored.
        pub read_turn: ControlReg<Bit>,
        /// Operations of the copies come before completions.
        pub copy_turn: ControlReg<Bit>,

        /// The CTA itself, as a mask.
        pub own: Signal<Local, CtaMask>,
        /// Rank in the address of a request.
        pub names: Lanes<Signal<Local, Rank>> = Lanes::new(users),
        /// The request goes to another CTA.
        pub goes: Lanes<Signal<Local, Bit>> = Lanes::new(users),
        /// Which, if it does.
        pub target: Lanes<Signal<Local, CtaMask>> = Lanes::new(networked),
        /// The port is closed.
        pub closed: Lanes<Signal<Local, Bit>> = Lanes::new(users),
        /// The port shows an answer of another CTA.
        pub shows: Lanes<Signal<Local, Bit>> = Lanes::new(users),
        /// Address of a request within the CTA that it names.
        pub near: Signal<Local, Bits<OFFSET_BITS>>,
        /// Head of the request of another CTA.
        pub asked: Lanes<Signal<Local, Word>> = Lanes::new(nets),
        /// Opcode of the request that is sent.
        pub sent_op: Lanes<Signal<Local, OpCode, OpView>> = Lanes::new(nets),
        /// Its byte enables.
        pub sent_strobe: Lanes<Signal<Local, Bits<8>>> = Lanes::new(nets),
        /// Its address in the other CTA.
        pub sent_address: Lanes<Signal<Local, Bits<OFFSET_BITS>>> = Lanes::new(nets),
        /// Its port.
        pub sent_port: Lanes<Signal<Local, Bits<3>>> = Lanes::new(nets),
        /// Its tag.
        pub sent_tag: Lanes<Signal<Local, Tag>> = Lanes::new(nets),
        /// Ports that could send.
        pub eligible: Lanes<Signal<Local, PortMask>> = Lanes::new(nets),
        /// The request that a port showed in the last cycle was sent.
        pub departed: Lanes<ControlReg<Bit>> = Lanes::new(nets * masked),
        /// A port sends, and will be answered.
        pub leaves: Lanes<Signal<Local, Bit>> = Lanes::new(networked),
        /// An answer of another CTA comes for the port.
        pub returns: Lanes<Signal<Local, Bit>> = Lanes::new(networked),
        /// Its answer of another CTA is taken.
        pub fetched: Lanes<Signal<Local, Bit>> = Lanes::new(networked),
        /// A completion goes to the unit before an operation of the copies.
        pub completing: Signal<Local, Bit>,
        /// The beat of this CTA goes to the own memory.
        pub own_beat: Signal<Local, Bit>,
        /// A beat of another CTA goes through the door.
        pub foreign: Signal<Local, Bit>,
        /// Head of this CTA's beat.
        pub beat_head: Signal<Local, Word>,
        /// Head of the beat that goes through the door.
        pub head: Signal<Local, Word>,
        /// Its barrier and reduction.
        pub whose: Signal<Local, Word>,
        /// Its reduction.
        pub does: Signal<Local, ReductionCode>,
        /// Its words.
        pub landing: Lanes<Signal<Local, Word>> = Lanes::new(BEAT_WORDS),
        /// There is one, and room for its bytes.
        pub admitted: Signal<Local, Bit>,
        /// It wants the door.
        pub knocks: Signal<Local, Bit>,
        /// Something is read at the door.
        pub reads_now: Signal<Local, Bit>,
        /// A beat has landed.
        pub landed: Signal<Local, Bit>,
        /// CTAs that have the beat after this cycle.
        pub having: Signal<Local, CtaMask>,
        /// Something of the threads is under way.
        pub busy: Signal<Local, Bit>,
        /// Head of the oldest request of another CTA that is under way.
        pub asker: Lanes<Signal<Local, Word>> = Lanes::new(nets),
        /// The network port's request is accepted.
        pub got: Lanes<Signal<Local, Bit>> = Lanes::new(nets),
        /// Its answer is taken.
        pub replied: Lanes<Signal<Local, Bit>> = Lanes::new(nets),
    }
    constants {
        /// The words that are read are for other places.
        OUTWARD: Bits<2> = Bits::constant(1);
        /// The words that are read are to be combined with a beat's.
        REDUCES: Bits<2> = Bits::constant(2);
        /// Operations that nobody waits for.
        POSTED: Bits<{ 1 << Op::BITS }> = crate::word::op::sets::POSTED;
    }
    processes { Stand, Greet, Open, Ask, Show, Meet, Land, Admit, Knock, Depart, Send, Take, Answer, Copy, Sort, Share, Serve, Pass, Hand, Tell }
    /// One of the CTAs of a cluster.
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
            // other CTAs' warps ask over the network
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
    /// Whether the answer that a port shows comes from another CTA.
    pub fn shows_foreign(&self, port: usize) -> bool {
        self.shows[port].val()
    }

    /// Whether what is asked at a port of the unit comes over the network, from threads of other CTAs.
    pub fn is_of_the_network(&self, unit_port: usize) -> bool {
        self.nets > 0 && unit_port == self.net_port
    }

    /// How many threads ask for what has this data at a port of the unit, if it moves counts.
    pub fn threads_of(&self, unit_port: usize, data: u64) -> u32 {
        self.unit.decode[unit_port].threads_of(data)
    }

    /// Whether the request of a port goes to another CTA.
    pub fn goes_elsewhere(&self, port: usize) -> bool {
        self.goes[port].val()
    }
}
