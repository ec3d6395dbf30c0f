//! Happens-before order of threads and copies: which accesses to memory are ordered, and by what.
//!
//! Whoever runs a kernel reports what happens; this says which accesses conflict. It judges by the order that the PTX memory model
//! gives (PTX ISA 8), not by what came first in the run: two accesses that nothing orders are a conflict even if they were far apart.
//!
//! ```text
//!   threads, barriers, groups of copies ── a component each of vector clocks (`clock`, `copies`, `groups`)
//!   bar, warps, barrier.cluster (`threads`), barriers in memory (`barriers`), fences and flags (`flags`) ── hand clocks on (`sync`)
//!   bytes of shared and global memory ── the last accesses to each (`shadow`), compared with each new one (`look`, `judge`)
//! ```
//! A thread's **epoch** grows with everything that it releases. An access of epoch e comes before what another agent does if that agent's
//! clock has e or more of the thread. A **copy** is an agent of its own: it begins with what its thread knows, and whoever waits for its
//! barrier's phase, or its group, knows that it has ended; so a barrier and the groups of a thread have components, too.
//!
//! **What is taken for ordered** that PTX does not promise:
//! * An instruction that lanes of a warp execute together (`shfl`, `elect`, `ldmatrix` and others), or the four warps of a warpgroup
//!   (`wgmma.mma_async`: on an H200 none goes on before all have come), hands on what any of them has acquired, as cooperative groups do;
//!   and what they have *read* before it has been read behind it: one of them may give a slot back for all. What they have written
//!   themselves is not ordered: that takes `bar.warp.sync`, or a barrier.
//! * A fence of scope `.gpu` makes ready for relaxed operations of any thread that comes behind it, not of its own alone: blocks are
//!   counted so, by one thread, behind `__threadfence()` by all and `__syncthreads()`.
//! * A copy that completes on a barrier hands on what its thread knew when it began.

mod barriers;
mod clock;
mod copies;
mod flags;
mod groups;
mod judge;
mod look;
mod shadow;
mod sync;
#[cfg(test)]
mod tests;
mod threads;

pub use clock::Space;
pub use copies::Ends;
pub use flags::Fence;
pub use judge::{Conflict, Side, Wrong};
pub use shadow::{Manner, Place};
pub use sync::{Home, Scope};

use barriers::Barrier;
use clock::{Clock, Component, Gathered, Known};
use copies::Copies;
use groups::Groups;
use shadow::Shadow;
use std::collections::{HashMap, HashSet};
use sync::Sync;
use threads::Bar;

/// Lanes of a warp.
const WARP: u32 = 32;
/// Warps of a warpgroup.
const GROUP: u32 = 4;
/// Words that are remembered as flags at most, and acquisitions of a tensor map: behind that nothing is told any more.
const MOST_FLAGS: usize = 1 << 16;
/// Pairs of lines that are told at most.
const MOST_TOLD: usize = 64;
/// A thread of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Who {
    /// Number of its cluster.
    pub cluster: u32,
    /// Rank of its CTA there.
    pub cta: u8,
    /// Number in the CTA.
    pub thread: u16,
}

impl Who {
    /// CTA.
    pub fn home(self) -> Home {
        Home { cluster: self.cluster, cta: self.cta }
    }
}

/// Dimensions of each cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// CTAs.
    pub ctas: u32,
    /// Threads of each, rounded up to whole warps.
    pub threads: u32,
}

impl Shape {
    fn component(self, who: Who) -> Component {
        Component { cluster: who.cluster, index: u32::from(who.cta) * self.threads + u32::from(who.thread) }
    }

    fn who(self, Component { cluster, index }: Component) -> Who {
        Who { cluster, cta: (index / self.threads) as u8, thread: (index % self.threads) as u16 }
    }
}

/// What a thread executes: where, when, and how it is ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// Index of the instruction.
    pub pc: usize,
    /// The cycle.
    pub cycle: u64,
}

/// How an operation is ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordered {
    /// `.acquire`.
    pub acquires: bool,
    /// `.release`.
    pub releases: bool,
    /// `.cta` and so on.
    pub scope: Scope,
}

#[derive(Debug)]
struct Thread {
    epoch: u32,
    known: Known,
    /// What its last fence of each scope has made ready to be released by relaxed operations.
    fences: [Option<Known>; 3],
    /// What its relaxed operations have seen, for the next fence.
    seen: Sync,
    /// The word that it has read last with a strong operation since its last fence, how, and the changes of it that it has seen: a
    /// poll that sees no other brings nothing.
    polled: Option<(Place, Ordered, u64)>,
    /// Its `cp.async`, and its bulk copies.
    asyncs: Groups,
    bulks: Groups,
    /// What it has committed of `wgmma`.
    matrices: Groups,
    /// Arrivals at `barrier.cluster`, and waits there.
    rounds: usize,
    waited: usize,
}

#[derive(Debug, Default)]
struct Cluster {
    threads: Vec<Thread>,
    /// Components that have been given out.
    components: u32,
    /// What has come to each barrier of a CTA.
    bars: HashMap<(u8, u8), Bar>,
    /// What has come to `barrier.cluster`, to every other one.
    rounds: [Gathered; 2],
    /// Components of warpgroups, by CTA and number.
    warpgroups: HashMap<(u8, u32), Component>,
    /// The last access of each thread to the shared memory of each other CTA.
    reached: HashMap<(u8, Component), Reach>,
}

/// An access to the shared memory of another CTA.
#[derive(Debug)]
struct Reach {
    epoch: u32,
    /// Arrivals of its thread at `barrier.cluster` so far.
    rounds: usize,
    side: Side,
    place: Place,
}

/// The order of everything in a grid.
#[derive(Debug)]
pub struct Order {
    shape: Shape,
    clusters: HashMap<u32, Cluster>,
    barriers: HashMap<Place, Barrier>,
    flags: HashMap<Place, Sync>,
    /// Who has acquired a tensor map: its thread's epoch, and what had been released to the proxy.
    maps: HashMap<u64, Vec<(Component, u32, Clock)>>,
    copies: Copies,
    shadow: Shadow,
    buffers: Vec<Buffer>,
    told: HashSet<(usize, usize)>,
    found: Vec<Conflict>,
    incomplete: bool,
    /// What orders accesses could not be remembered.
    is_given_up: bool,
    fence_reads: bool,
}

/// A buffer in global memory.
#[derive(Clone, Debug)]
struct Buffer {
    name: String,
    begin: u64,
    /// Where what was given at the launch ends, and the buffer.
    ends: [u64; 2],
}

/// The work of a thread up to an epoch.
type Own = (Component, u32);

/// The warpgroup of a thread.
fn group_of(who: Who) -> (u8, u32) {
    (who.cta, u32::from(who.thread) / WARP / GROUP)
}

impl Order {
    /// The initial state of clusters of this shape.
    pub fn new(ctas: usize, threads: usize) -> Self {
        Self {
            shape: Shape { ctas: ctas as u32, threads: (threads as u32).next_multiple_of(WARP) },
            clusters: HashMap::new(),
            barriers: HashMap::new(),
            flags: HashMap::new(),
            maps: HashMap::new(),
            copies: Copies::default(),
            shadow: Shadow::default(),
            buffers: Vec::new(),
            told: HashSet::new(),
            found: Vec::new(),
            incomplete: false,
            is_given_up: false,
            fence_reads: false,
        }
    }

    /// A read by a thread, too, needs a proxy fence before an asynchronous copy writes the bytes.
    pub fn fence_reads(mut self) -> Self {
        self.fence_reads = true;
        self
    }

    /// A buffer lies in global memory from this address on: this many bytes of it are given at the launch, of so many.
    pub fn allocates(&mut self, name: &str, begin: u64, bytes: [u64; 2]) {
        let ends = bytes.map(|bytes| begin + bytes);
        self.buffers.push(Buffer { name: name.to_owned(), begin, ends });
    }

    /// The buffer that an address is in, and how far from its beginning.
    pub fn buffer(&self, address: u64) -> Option<(&str, u64)> {
        let Buffer { name, begin, .. } =
            self.buffers.iter().find(|Buffer { begin, ends, .. }| (*begin..ends[1]).contains(&address))?;
        Some((name, address - begin))
    }

    /// Conflicts that have been found since it was asked last: each pair of instructions once.
    pub fn found(&mut self) -> Vec<Conflict> {
        let found = std::mem::take(&mut self.found);
        if self.is_given_up { Vec::new() } else { found }
    }

    /// Whether this pair of instructions is told of for the first time.
    pub fn is_news(&mut self, pair: (usize, usize)) -> bool {
        self.told.len() < MOST_TOLD && self.told.insert(pair)
    }

    /// Whether there is something to ask for.
    pub fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Whether some accesses could not be remembered: what is silent about them says nothing.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete || self.is_given_up
    }

    /// All threads of a cluster have exited: the shared memory of a CTA was accessed by others, and no thread of it had waited for that.
    pub fn exits(&mut self, cluster: u32) {
        let Self { shape, clusters, told, found, .. } = self;
        let Some(Cluster { threads, reached, .. }) = clusters.get(&cluster) else { return };
        for ((cta, component), Reach { epoch, rounds, side, place }) in reached {
            let own = threads.iter().skip((u32::from(*cta) * shape.threads) as usize).take(shape.threads as usize);
            let mut own = own.map(|thread| thread.known.over.has(*component, *epoch) || thread.waited > *rounds);
            if !own.any(|waited| waited) && told.insert((usize::MAX - 1, side.pc)) {
                found.push(Conflict { wrong: Wrong::Exit, first: None, second: *side, place: *place });
            }
        }
    }

    /// A cluster is over.
    pub fn ends(&mut self, cluster: u32) {
        self.clusters.remove(&cluster);
        self.shadow.forget(cluster);
        let of = |place: &Place| matches!(place, Place::Shared { cluster: its, .. } if *its == cluster);
        self.barriers.retain(|place, _| !of(place));
        self.flags.retain(|place, _| !of(place));
    }

    fn cluster(&mut self, number: u32) -> &mut Cluster {
        let Shape { ctas, threads } = self.shape;
        self.clusters.entry(number).or_insert_with(|| {
            let thread = |_| Thread {
                epoch: 1,
                known: Known::default(),
                fences: Default::default(),
                seen: Sync::default(),
                polled: None,
                asyncs: Groups::default(),
                bulks: Groups::default(),
                matrices: Groups::default(),
                rounds: 0,
                waited: 0,
            };
            Cluster {
                threads: (0..ctas * threads).map(thread).collect(),
                components: ctas * threads,
                ..Cluster::default()
            }
        })
    }

    fn thread(&mut self, who: Who) -> &mut Thread {
        let index = self.shape.component(who).index as usize;
        &mut self.cluster(who.cluster).threads[index]
    }

    fn component(&mut self, cluster: u32) -> Component {
        let of = self.cluster(cluster);
        of.components += 1;
        Component { cluster, index: of.components - 1 }
    }

    /// Epoch of a thread before something that it releases; a new one begins behind it.
    pub fn mark(&mut self, who: Who) -> u32 {
        let thread = self.thread(who);
        thread.epoch += 1;
        thread.epoch - 1
    }

    /// What a thread knows, its own work included; a new epoch begins.
    fn handed_on(&mut self, who: Who) -> Known {
        let (component, epoch) = (self.shape.component(who), self.mark(who));
        let mut known = self.thread(who).known.clone();
        known.raise(component, epoch);
        known
    }
}
