//! Threads behind a port, as lists of steps.

use crate::case::written;
use crate::cluster::global;
use crate::request::Request;
use crate::tensor::number;
use crate::tensor::reduce::Operation;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::copies::reduction::Action;
use txbar_rtl::copies::sender;
use txbar_rtl::copies::tensor;
use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::status::Status;
use txbar_rtl::word::address::RANK_LSB;

impl Request {
    /// Puts it on the wires of a CTA's port, but for `req_valid`.
    pub fn drive(&self, cluster: &mut Cluster, cta: usize, port: usize) {
        let Self { op, remote, address, data, strobe, tag, order, .. } = *self;
        cluster.req[cta][port].op.next = u64::from(op).into();
        cluster.req[cta][port].cluster.next = remote;
        cluster.req[cta][port].address.next = u64::from(address).into();
        cluster.req[cta][port].data.next = data.into();
        cluster.req[cta][port].strobe.next = u64::from(strobe).into();
        cluster.req[cta][port].tag.next = u64::from(tag).into();
        cluster.req[cta][port].order.next = u64::from(order.code()).into();
    }
}

/// A bulk copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bulk {
    /// Where it is in global memory.
    #[serde(with = "written::hex")]
    pub global: u64,
    /// Where it goes in shared memory.
    #[serde(with = "written::hex")]
    pub shared: u32,
    /// Number of bytes.
    pub bytes: u32,
    /// Address of the barrier on which they complete.
    #[serde(with = "written::hex")]
    pub barrier: u32,
    /// Which CTAs it goes to, a bit each; the own one if it is zero.
    #[serde(with = "written::hex")]
    pub ctas: u64,
    /// Expected status.
    #[serde(with = "written::status")]
    pub status: Status,
}

impl Bulk {
    /// Drives the wires of a CTA with it.
    pub fn drive(&self, cluster: &mut Cluster, cta: usize) {
        cluster.bulk[cta].global.next = self.global.into();
        cluster.bulk[cta].shared.next = u64::from(self.shared).into();
        cluster.bulk[cta].bytes.next = u64::from(self.bytes).into();
        cluster.bulk[cta].barrier.next = u64::from(self.barrier).into();
        cluster.bulk[cta].ctas.next = self.ctas.into();
    }
}

/// What a thread asks of the tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Async {
    /// `cp.async`.
    Copy {
        /// Where it is in global memory.
        #[serde(with = "written::hex")]
        global: u64,
        /// Where it goes in shared memory.
        #[serde(with = "written::hex")]
        shared: u32,
        /// How many bytes: 4, 8 or 16.
        bytes: u32,
    },
    /// `cp.async.mbarrier.arrive`; without `.noinc`, its second half.
    Arrive {
        /// Address of the barrier.
        #[serde(with = "written::hex")]
        barrier: u32,
        /// `.noinc`.
        noinc: bool,
    },
}

/// What is asked of the tensor engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorRequest {
    /// Action.
    pub act: tensor::Act,
    /// Address of its map.
    pub map: u64,
    /// Coordinates, innermost first.
    pub at: [i32; 5],
    /// Where the box is, or goes, in shared memory.
    pub shared: u32,
    /// A load: the barrier on which its bytes are completed.
    pub barrier: u32,
    /// A load: the CTAs that it goes to, a bit each; the own one if it is zero.
    pub ctas: u64,
    /// A store: code of the operation, or 0.
    pub action: u8,
    /// A store: the thread in whose bulk group it is.
    pub thread: u16,
}

impl TensorRequest {
    /// Drives the wires of a CTA with it.
    pub fn drive(&self, cluster: &mut Cluster, cta: usize) {
        cluster.tiles[cta].tensor.act.next = u64::from(self.act.code()).into();
        cluster.tiles[cta].tensor.map.next = (self.map & ((1 << 48) - 1)).into();
        for (pin, at) in cluster.tiles[cta].tensor.at.iter_mut().zip(self.at) {
            pin.next = u64::from(at as u32).into();
        }
        cluster.tiles[cta].tensor.shared.next = u64::from(self.shared).into();
        cluster.tiles[cta].tensor.barrier.next = u64::from(self.barrier).into();
        cluster.tiles[cta].tensor.ctas.next = self.ctas.into();
        cluster.tiles[cta].tensor.action.next = u64::from(self.action).into();
        cluster.tiles[cta].tensor.thread.next = u64::from(self.thread).into();
    }
}

/// A copy of a box of a tensor, by one of the maps in [`global::maps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    /// Number of the map.
    pub map: usize,
    /// Coordinates, innermost first.
    pub at: [i32; 5],
    /// Where it goes in shared memory.
    #[serde(with = "written::hex")]
    pub shared: u32,
    /// Address of the barrier on which its bytes complete.
    #[serde(with = "written::hex")]
    pub barrier: u32,
    /// Which CTAs it goes to, a bit each; the own one if it is zero.
    #[serde(with = "written::hex")]
    pub ctas: u64,
}

impl Tile {
    /// Request to the engine.
    pub fn request(&self) -> TensorRequest {
        let Tile { map, at, shared, barrier, ctas } = *self;
        let map = global::MAPS + 128 * map as u64;
        TensorRequest { act: tensor::Act::Load, map, at, shared, barrier, ctas, action: 0, thread: 0 }
    }
}

/// A copy of a box to a tensor, by one of the maps in [`global::maps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileStore {
    /// Number of the map.
    pub map: usize,
    /// Coordinates, innermost first.
    pub at: [i32; 5],
    /// Where it is in shared memory.
    #[serde(with = "written::hex")]
    pub shared: u32,
    /// The operation of a reduction; none stores.
    pub operation: Option<Operation>,
}

impl TileStore {
    /// What it asks of the engine, for a thread.
    pub fn request(&self, thread: u16) -> TensorRequest {
        let TileStore { map, at, shared, operation } = *self;
        let map = global::MAPS + 128 * map as u64;
        let action = operation.and_then(|operation| Action::named(operation.name())).map_or(0, Action::code);
        TensorRequest { act: tensor::Act::Store, map, at, shared, barrier: 0, ctas: 0, action, thread }
    }
}

/// A copy out of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Put {
    /// Where it is in shared memory.
    #[serde(with = "written::hex")]
    pub shared: u32,
    /// Destination.
    pub to: Target,
    /// Number of bytes.
    pub bytes: u32,
    /// Which bytes of each 16 are written.
    #[serde(with = "written::hex")]
    pub mask: u16,
    /// Code of the reduction; 0 stores.
    pub reduction: u8,
    /// Expected status.
    #[serde(with = "written::status")]
    pub status: Status,
}

/// Destination of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Target {
    /// Global memory.
    Global(#[serde(with = "written::hex")] u64),
    /// A place in `.shared::cluster`, and a barrier of the same CTA.
    Cluster {
        /// The place.
        #[serde(with = "written::hex")]
        address: u32,
        /// The barrier.
        #[serde(with = "written::hex")]
        barrier: u32,
    },
}

impl Put {
    /// A copy that stores all bytes.
    pub fn new(shared: u32, to: Target, bytes: u32) -> Self {
        Self { shared, to, bytes, mask: u16::MAX, reduction: 0, status: Status::Ok }
    }

    /// Drives the wires of a CTA with it.
    pub fn drive(&self, cluster: &mut Cluster, cta: usize) {
        let (kind, global, target, barrier) = match self.to {
            Target::Global(address) => (sender::Put::Global, address, 0, 0),
            Target::Cluster { address, barrier } => (sender::Put::Cluster, 0, address, barrier),
        };
        cluster.put[cta].kind.next = u64::from(kind.code()).into();
        cluster.put[cta].shared.next = u64::from(self.shared).into();
        cluster.put[cta].global.next = global.into();
        cluster.put[cta].target.next = u64::from(target).into();
        cluster.put[cta].barrier.next = u64::from(barrier).into();
        cluster.put[cta].bytes.next = u64::from(self.bytes).into();
        cluster.put[cta].mask.next = u64::from(self.mask).into();
        cluster.put[cta].reduction.next = u64::from(self.reduction).into();
    }

    /// Whether it goes to global memory.
    pub fn is_global(&self) -> bool {
        matches!(self.to, Target::Global(_))
    }

    /// Address of its first byte where it goes; without the rank of a CTA.
    pub fn to(&self) -> u64 {
        match self.to {
            Target::Global(address) => address,
            Target::Cluster { address, .. } => u64::from(address & ((1 << RANK_LSB) - 1)),
        }
    }

    /// Number of bytes written.
    pub fn written(&self) -> u32 {
        self.bytes / 16 * self.mask.count_ones()
    }
}

/// `st.async` or `red.async`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Post {
    /// Where in `.shared::cluster`.
    #[serde(with = "written::hex")]
    pub address: u32,
    /// A barrier of the same CTA.
    #[serde(with = "written::hex")]
    pub barrier: u32,
    /// Number of bytes.
    pub bytes: u32,
    /// The bytes.
    pub data: [u64; 2],
    /// Code of the reduction; 0 stores.
    pub reduction: u8,
    /// Expected status.
    #[serde(with = "written::status")]
    pub status: Status,
}

impl Post {
    /// Drives the wires of a CTA with it.
    pub fn drive(&self, cluster: &mut Cluster, cta: usize) {
        cluster.post[cta].address.next = u64::from(self.address).into();
        cluster.post[cta].barrier.next = u64::from(self.barrier).into();
        cluster.post[cta].bytes.next = u64::from(self.bytes).into();
        cluster.post[cta].reduction.next = u64::from(self.reduction).into();
        for (pin, data) in cluster.post[cta].data.iter_mut().zip(self.data) {
            pin.next = data.into();
        }
    }
}

/// Expected answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Want {
    /// This status.
    Status(#[serde(with = "written::status")] Status),
    /// This word.
    Word(#[serde(with = "written::hex")] u64),
    /// The predicate: the request is made again until it is.
    Predicate,
}

/// A step of a thread's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Asks and waits for the answer.
    Ask(Request, Want),
    /// Asks, and goes on at once; the answer must be `ok`.
    Send(Request),
    /// Waits for all answers of what was sent.
    Settle,
    /// Has the copy engine copy.
    Bulk(Bulk),
    /// Has the tensor engine load.
    Tile(Tile),
    /// Has it store, or reduce.
    TileStore(TileStore),
    /// Copies with `cp.async`.
    Async(Async),
    /// Copies out of shared memory.
    Put(Put),
    /// Makes a group of its copies to global memory.
    Commit,
    /// Waits for its groups.
    Groups {
        /// Groups that may be left.
        most: u8,
        /// `.read`.
        read: bool,
    },
    /// Stores or reduces in the memory of a CTA.
    Post(Post),
    /// `barrier.cluster` by the whole warp.
    Round {
        /// Action.
        #[serde(with = "written::act")]
        act: Act,
        /// `.release`.
        releases: bool,
    },
    /// Does nothing for this many cycles.
    Pause(u32),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Step::Ask(request, want) => write!(f, "`{request}` until {want:?}"),
            Step::Send(request) => write!(f, "`{request}`"),
            other => write!(f, "{other:?}"),
        }
    }
}

/// A thread of a CTA.
#[derive(Clone, Debug)]
pub struct Thread {
    /// CTA.
    pub cta: usize,
    /// Port there.
    pub port: usize,
    /// Its number among the threads of the port.
    pub number: u16,
    /// Its warp, if it takes part in `barrier.cluster`.
    pub warp: usize,
    /// Steps still to execute.
    pub program: VecDeque<Step>,
}

/// A program under construction.
#[derive(Clone, Debug, Default)]
pub struct Program(pub VecDeque<Step>);

impl Program {
    /// Appends a step.
    pub fn then(&mut self, step: Step) -> &mut Self {
        self.0.push_back(step);
        self
    }

    /// Asks, and is answered with `ok`.
    pub fn ask(&mut self, request: Request) -> &mut Self {
        self.then(Step::Ask(request, Want::Status(Status::Ok)))
    }

    /// Waits for the phase with this parity to complete, as people do: `try_wait.parity` in a loop.
    pub fn wait(&mut self, barrier: u32, parity: usize) -> &mut Self {
        let data = (parity as u64 & 1) | u64::from(NO_LIMIT) << 32;
        self.then(Step::Ask(Request::new(Op::TryWaitParity, barrier).with(data), Want::Predicate))
    }

    /// `cp.async.mbarrier.arrive`, or `.noinc` of it.
    pub fn copies_arrive(&mut self, barrier: u32, noinc: bool) -> &mut Self {
        if !noinc {
            self.ask(Request::new(Op::CpAsyncBegin, barrier));
        }
        self.then(Step::Async(Async::Arrive { barrier, noinc }))
    }

    /// Compares shared memory with what was copied there from global memory.
    pub fn compare(&mut self, shared: u32, global: u64, bytes: u32) -> &mut Self {
        for offset in (0..bytes).step_by(8) {
            let load = Request::new(Op::Load, shared + offset);
            self.then(Step::Ask(load, Want::Word(global::word(global + u64::from(offset)))));
        }
        self
    }

    /// Compares shared memory with what a tensor load has left there.
    pub fn compare_box(&mut self, tile: &Tile) -> &mut Self {
        let (content, _) = global::box_of(tile.map, &tile.at, tile.shared);
        for (offset, bytes) in (0..).step_by(8).zip(content.chunks_exact(8)) {
            if let Some(bytes) = bytes.iter().copied().collect::<Option<Vec<u8>>>() {
                self.then(Step::Ask(Request::new(Op::Load, tile.shared + offset), Want::Word(number(&bytes))));
            }
        }
        self
    }

    /// `barrier.cluster.arrive` and `.wait`.
    pub fn round(&mut self) -> &mut Self {
        self.then(Step::Round { act: Act::Arrive, releases: true })
            .then(Step::Round { act: Act::Wait, releases: false })
    }

    /// Pauses.
    pub fn pause(&mut self, cycles: u32) -> &mut Self {
        if cycles > 0 {
            self.then(Step::Pause(cycles));
        }
        self
    }
}
