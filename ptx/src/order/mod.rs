//! The order of what threads and copies do: which accesses to memory are ordered, by what, and which are not.
//!
//! Whoever runs a kernel reports what happens; this says which accesses conflict. It judges by the order that the PTX memory model
//! gives (PTX ISA 8), not by what came first in the run: two accesses that nothing orders are a conflict even if they were far apart.
//!
//! ```text
//!   threads, barriers, groups of copies ── a component each of vector clocks (`clock`)
//!   bar, warps, barrier.cluster, barriers in memory, flags ── hand clocks on (`sync`)
//!   bytes of shared and global memory ── the last accesses to each (`shadow`), compared with each new one (`judge`)
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

mod clock;
mod copies;
mod groups;
mod judge;
mod shadow;
mod sync;
#[cfg(test)]
mod tests;

pub use clock::Space;
pub use copies::Ends;
pub use judge::{Conflict, Side, Wrong};
pub use shadow::{Manner, Place};
pub use sync::{Home, Scope};

use crate::effect::Visit;
use clock::{Clock, Component, Gathered, Known};
use copies::{Copies, Copy, Kind};
use groups::Groups;
use judge::{Actor, side};
use shadow::{Agent, By, Entry, Shadow, WORD};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use sync::Sync;

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
    /// Its number in the CTA.
    pub thread: u16,
}

impl Who {
    /// Its CTA.
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
    /// Its instruction.
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

/// A fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// `fence`, `membar`, `fence.mbarrier_init`: what it is of both.
    Memory(Ordered),
    /// `fence.proxy.async`: of one space, or of both.
    Async(Option<Space>),
    /// `fence.proxy.tensormap::generic.release`, of this scope: a release besides.
    MapRelease(Scope),
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

/// A barrier of a CTA.
#[derive(Debug, Default)]
struct Bar {
    /// What has come in this phase.
    all: Gathered,
    /// What it has counted in this phase, and in the one before.
    came: [Vec<Came>; 2],
}

/// An instruction of a warp that a barrier of its CTA has counted.
#[derive(Debug)]
struct Came {
    /// The first lane that executed it, and its epoch.
    component: Component,
    epoch: u32,
    at: At,
    visit: Visit,
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

/// A barrier in memory.
#[derive(Debug)]
struct Barrier {
    component: Component,
    home: Home,
    /// Phases that have completed, ever and since it was initialised.
    count: u32,
    phase: u32,
    /// Who initialised it.
    init: Option<(Component, u32)>,
    /// What has been released in this phase.
    current: Sync,
    /// What has been in those that have completed: all of them, and all but the last.
    done: [Sync; 2],
    /// Copies that are to complete here, with their bytes left; those that have none left.
    coming: VecDeque<(u32, u64)>,
    landed: Vec<u32>,
    /// Arrivals of threads with their `cp.async`: epoch, and copies.
    arriving: HashMap<Who, VecDeque<(u32, u32)>>,
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
}

/// A buffer in global memory.
#[derive(Clone, Debug)]
struct Buffer {
    name: String,
    begin: u64,
    /// Where what was given at the launch ends, and the buffer.
    ends: [u64; 2],
}

fn space_of(place: Place) -> Space {
    if matches!(place, Place::Global(_)) { Space::Global } else { Space::Shared }
}

/// What is released, with which scope, and what of it is the thread's own.
type Released<'a> = (Scope, Cow<'a, Known>, Option<Own>);

impl Thread {
    /// What an operation of this thread releases, with which scope: all that it knows and has done up to an epoch, if that is what it is
    /// for; else what fences have made ready.
    fn released(&self, own: Own, ordered: Ordered) -> [Option<Released<'_>>; 4] {
        if ordered.releases {
            return [Some((ordered.scope, Cow::Borrowed(&self.known), Some(own))), None, None, None];
        }
        let by_fence = |scope: Scope| {
            let known = self.fences[scope as usize].as_ref()?;
            Some((scope.min(ordered.scope), Cow::Borrowed(known), None))
        };
        let ready = self.known.made_ready().map(|known| (ordered.scope, Cow::Owned(known), None));
        [by_fence(Scope::Cta), by_fence(Scope::Cluster), by_fence(Scope::Gpu), ready]
    }

    /// A fence acquires what its thread's relaxed operations have seen.
    fn acquires(&mut self, scope: Scope, home: Home) {
        self.polled = None;
        self.seen.acquire((scope, home), &mut self.known);
        // a wider fence may come and acquire more of it
        if scope == Scope::Gpu {
            self.seen = Sync::default();
        }
    }

    /// A fence makes ready what its thread knows, and its own work, for its relaxed operations.
    fn makes_ready(&mut self, scope: Scope, (component, epoch): Own) {
        if scope == Scope::Gpu {
            self.known.ready.join(&self.known.causal);
            self.known.ready.raise(component, epoch);
        }
        let mut ready = self.known.clone();
        ready.raise(component, epoch);
        self.fences[..scope as usize].fill(None);
        self.fences[scope as usize] = Some(ready);
    }
}

/// The work of a thread up to an epoch.
type Own = (Component, u32);

/// The warpgroup of a thread.
fn group_of(who: Who) -> (u8, u32) {
    (who.cta, u32::from(who.thread) / WARP / GROUP)
}

impl Order {
    /// Nothing has happened yet in clusters of this shape.
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
        }
    }

    /// A buffer lies in global memory from this address on: so many bytes of it are given at the launch, of so many.
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

    // ---- threads with each other

    /// Lanes of a warp have met: what each has done comes before what all do from now on.
    pub fn meet(&mut self, all: impl Iterator<Item = Who> + Clone) {
        let mut known = Gathered::default();
        for who in all.clone() {
            let own = (self.shape.component(who), self.mark(who));
            known.add(&self.thread(who).known, Some(own));
        }
        for who in all {
            self.thread(who).known = known.all.clone();
        }
    }

    /// Lanes of a warp, or of a warpgroup, have executed an instruction together: what one knows all know, and what each has read has been read before what all
    /// do from now on.
    pub fn execute_together(&mut self, all: impl Iterator<Item = Who> + Clone) {
        let mut known = Gathered::default();
        let mut read = Clock::default();
        for who in all.clone() {
            read.raise(self.shape.component(who), self.mark(who));
            known.add(&self.thread(who).known, None);
        }
        let mut known = known.all;
        known.dependent.join(&read);
        for who in all {
            self.thread(who).known = known.clone();
        }
    }

    /// A barrier of a CTA counts an instruction of a warp. It must come after all that were counted in the phase before: it might be
    /// counted in the place of one of them, or trap where that one's barrier is in use. Instructions that complete their barrier alone do
    /// so whichever comes first.
    pub fn bar_comes(&mut self, lanes: impl Iterator<Item = Who>, at: At, visit: Visit) {
        let mut first = None;
        for who in lanes {
            let (component, epoch) = (self.shape.component(who), self.mark(who));
            let Cluster { threads, bars, .. } = self.cluster(who.cluster);
            let known = &threads[component.index as usize].known;
            bars.entry((who.cta, visit.number)).or_default().all.add(known, Some((component, epoch)));
            first = first.or(Some((who, Came { component, epoch, at, visit })));
        }
        let Some((who, came)) = first else { return };
        let Self { shape, clusters, told, found, .. } = self;
        let Some(Cluster { threads, bars, .. }) = clusters.get_mut(&who.cluster) else { return };
        let bar = bars.entry((who.cta, visit.number)).or_default();
        let begin = (came.component.index / WARP * WARP) as usize;
        let warp = begin..begin + WARP as usize;
        let may_swap = |other: &&Came| {
            let is_before = |index: usize| {
                let Known { over, dependent, .. } = &threads[index].known;
                index == other.component.index as usize
                    || [over, dependent].iter().any(|known| known.has(other.component, other.epoch))
            };
            !(visit.completes_alone() && other.visit.completes_alone())
                && !is_before(came.component.index as usize)
                && !warp.clone().any(is_before)
        };
        if let Some(other) = bar.came[1].iter().find(may_swap)
            && told.insert((other.at.pc, at.pc))
        {
            let side = |who, At { pc, cycle }| Side { who, pc, cycle, writes: false, copies: false };
            let (first, second) = (side(shape.who(other.component), other.at), side(who, at));
            let place = Place::Shared { cluster: who.cluster, cta: who.cta, offset: 0 };
            found.push(Conflict { wrong: Wrong::Bar([other.visit, visit]), first: Some(first), second, place });
        }
        bar.came[0].push(came);
    }

    /// A barrier of a CTA has completed, and these threads have waited for it.
    pub fn bar_completes(&mut self, home: Home, number: u8, waited: impl Iterator<Item = Who>) {
        let Some(bar) = self.cluster(home.cluster).bars.get_mut(&(home.cta, number)) else { return };
        let known = std::mem::take(&mut bar.all).all;
        bar.came = [Vec::new(), std::mem::take(&mut bar.came[0])];
        for who in waited {
            self.thread(who).known = known.clone();
        }
    }

    /// A thread arrives at `barrier.cluster`.
    pub fn round_comes(&mut self, who: Who, releases: bool) {
        let component = self.shape.component(who);
        let (index, epoch) = (component.index as usize, self.mark(who));
        let Cluster { threads, rounds, .. } = self.cluster(who.cluster);
        let thread = &mut threads[index];
        let round = &mut rounds[thread.rounds % 2];
        thread.rounds += 1;
        if releases {
            return round.add(&thread.known, Some((component, epoch)));
        }
        let wide = [Scope::Cluster, Scope::Gpu].map(|scope| &thread.fences[scope as usize]);
        wide.into_iter().flatten().for_each(|known| round.add(known, None));
        thread.known.made_ready().iter().for_each(|known| round.add(known, None));
    }

    /// A thread has waited at `barrier.cluster`.
    pub fn round_waited(&mut self, who: Who) {
        let index = self.shape.component(who).index as usize;
        let Cluster { threads, rounds, .. } = self.cluster(who.cluster);
        let thread = &mut threads[index];
        thread.waited = thread.rounds;
        thread.known.join(&rounds[(thread.rounds + 1) % 2].all);
    }

    /// A thread executes a fence.
    pub fn fence(&mut self, who: Who, fence: Fence) {
        let (component, epoch) = (self.shape.component(who), self.mark(who));
        let thread = self.thread(who);
        let upto = |clock: &mut Clock, known: &Clock| {
            clock.join(known);
            clock.raise(component, epoch);
        };
        match fence {
            Fence::Memory(Ordered { acquires, releases, scope }) => {
                if acquires {
                    thread.acquires(scope, who.home());
                }
                if releases {
                    thread.makes_ready(scope, (component, epoch));
                }
            }
            Fence::Async(space) => {
                let Known { fenced, causal, .. } = &mut thread.known;
                for (number, clock) in fenced.iter_mut().enumerate() {
                    if space.is_none_or(|space| space as usize == number) {
                        upto(clock, causal);
                    }
                }
            }
            Fence::MapRelease(scope) => {
                upto(&mut thread.known.mapped, &thread.known.causal);
                thread.makes_ready(scope, (component, epoch));
            }
        }
    }

    /// `fence.proxy.tensormap::generic.acquire`, of this scope, of a map at this address: an acquire besides.
    pub fn map_acquires(&mut self, who: Who, address: u64, scope: Scope) {
        let (component, epoch) = (self.shape.component(who), self.mark(who));
        let thread = self.thread(who);
        thread.acquires(scope, who.home());
        let mapped = thread.known.mapped.clone();
        let acquired = self.maps.entry(address).or_default();
        self.is_given_up |= acquired.len() >= MOST_FLAGS;
        if !self.is_given_up {
            acquired.push((component, epoch, mapped));
        }
    }

    // ---- flags: strong operations on memory

    /// A strong operation has written so many bytes: what it releases.
    pub fn publishes(&mut self, who: Who, place: Place, bytes: u64, ordered: Ordered) {
        let component = self.shape.component(who);
        let epoch = self.mark(who);
        let Some(cluster) = self.clusters.get(&who.cluster) else { return };
        let thread = &cluster.threads[component.index as usize];
        for (scope, known, own) in thread.released((component, epoch), ordered).iter().flatten() {
            for (place, _) in place.words(bytes) {
                self.is_given_up |= self.flags.len() >= MOST_FLAGS && !self.flags.contains_key(&place);
                if self.is_given_up {
                    return;
                }
                self.flags.entry(place).or_default().add((*scope, who.home()), known, *own);
            }
        }
    }

    /// A strong operation has read: what it acquires, now or with the next fence. An atomic operation that gives its result is taken to acquire:
    /// PTX does not promise that, and much sound code relies on it.
    pub fn sees(&mut self, who: Who, place: Place, bytes: u64, ordered: Ordered) {
        if self.flags.is_empty() {
            return;
        }
        let index = self.shape.component(who).index as usize;
        self.cluster(who.cluster);
        let Some(cluster) = self.clusters.get_mut(&who.cluster) else { return };
        let thread = &mut cluster.threads[index];
        let flags = || place.words(bytes).filter_map(|(place, _)| self.flags.get(&place));
        let polled = Some((place, ordered, flags().map(Sync::changes).sum()));
        if std::mem::replace(&mut thread.polled, polled) == polled {
            return;
        }
        for flag in flags() {
            match ordered.acquires {
                true => flag.acquire((ordered.scope, who.home()), &mut thread.known),
                false => {
                    flag.depend(&mut thread.known);
                    flag.seen_by((ordered.scope, who.home()), &mut thread.seen);
                }
            }
        }
    }

    // ---- barriers in memory

    fn barrier(&mut self, place: Place) -> &mut Barrier {
        let home = match place {
            Place::Shared { cluster, cta, .. } => Home { cluster, cta },
            Place::Global(_) => Home { cluster: 0, cta: 0 },
        };
        if !self.barriers.contains_key(&place) {
            let component = self.component(home.cluster);
            let barrier = Barrier {
                component,
                home,
                count: 0,
                phase: 0,
                init: None,
                current: Sync::default(),
                done: Default::default(),
                coming: VecDeque::new(),
                landed: Vec::new(),
                arriving: HashMap::new(),
            };
            self.barriers.insert(place, barrier);
        }
        self.barriers.get_mut(&place).expect("it is there now")
    }

    /// A thread initialises a barrier: it writes the word.
    pub fn inits(&mut self, who: Who, at: At, place: Place) {
        let (component, epoch) = (self.shape.component(who), self.thread(who).epoch);
        self.looks(who, at, place, 8, Manner { writes: true, ..Manner::default() }, false);
        for (place, mask) in place.words(8) {
            if let Some(word) = self.shadow.word(place) {
                word.written |= mask;
            }
        }
        let barrier = self.barrier(place);
        barrier.phase = 0;
        barrier.init = Some((component, epoch));
    }

    /// Whether the initialisation of a barrier comes before what a thread does now.
    pub fn is_initialised(&mut self, who: Who, place: Place) -> bool {
        let own = self.shape.component(who);
        let Some((component, epoch)) = self.barriers.get(&place).and_then(|barrier| barrier.init) else { return true };
        component == own || self.thread(who).known.over.has(component, epoch)
    }

    /// An arrival of a thread, which executed it at the end of this epoch, takes effect.
    pub fn arrives(&mut self, who: Who, place: Place, ordered: Ordered, epoch: u32) {
        let component = self.shape.component(who);
        self.barrier(place);
        let Some(cluster) = self.clusters.get(&who.cluster) else { return };
        let Some(barrier) = self.barriers.get_mut(&place) else { return };
        let thread = &cluster.threads[component.index as usize];
        for (scope, known, own) in thread.released((component, epoch), ordered).iter().flatten() {
            barrier.current.add((*scope, who.home()), known, *own);
        }
    }

    /// A thread executes `cp.async.mbarrier.arrive`.
    pub fn copies_arrive(&mut self, who: Who, place: Place) {
        let epoch = self.mark(who);
        let begun = self.thread(who).asyncs.begun;
        self.barrier(place).arriving.entry(who).or_default().push_back((epoch, begun));
    }

    /// And this takes effect.
    pub fn copies_arrived(&mut self, who: Who, place: Place) {
        let Some((epoch, begun)) = self.barrier(place).arriving.get_mut(&who).and_then(VecDeque::pop_front) else {
            return;
        };
        self.arrives(who, place, Ordered { releases: true, ..Ordered::default() }, epoch);
        let Some(ends) = self.thread(who).asyncs.ends else { return };
        let mut known = Known::default();
        known.raise(ends, begun);
        self.barrier(place).current.add((Scope::Gpu, who.home()), &known, None);
    }

    /// Bytes of copies have been completed on a barrier.
    pub fn lands(&mut self, place: Place, mut bytes: u64) {
        let Some(barrier) = self.barriers.get_mut(&place) else { return };
        while let Some((copy, left)) = barrier.coming.front_mut() {
            let part = bytes.min(*left);
            *left -= part;
            bytes -= part;
            if *left > 0 {
                break;
            }
            barrier.landed.push(*copy);
            barrier.coming.pop_front();
        }
    }

    /// A phase of a barrier completes.
    pub fn flips(&mut self, place: Place) {
        let Self { barriers, copies, .. } = self;
        let Some(barrier) = barriers.get_mut(&place) else { return };
        let Barrier { component, home, count, phase, current, done, landed, .. } = barrier;
        *count += 1;
        let parity = *phase & 1;
        *phase += 1;
        done[1] = done[0].clone();
        done[0].merge(&std::mem::take(current));
        // whoever waits there with any scope knows that it has completed
        let mut completed = Known::default();
        completed.raise(*component, *count);
        done[0].add((Scope::Gpu, *home), &completed, None);
        for number in landed.drain(..) {
            let Some(copy) = copies.get_mut(number) else { continue };
            let ended = Some((*component, *count));
            (copy.written, copy.read) = (ended, ended);
            copy.ends = Ends::Barrier(place, Some(parity));
            if let Some(known) = copy.known.take() {
                done[0].add((Scope::Gpu, *home), &known, None);
            }
        }
        // those that have not all landed belong to the phase that comes
        for (number, _) in &barrier.coming {
            if let Some(copy) = copies.get_mut(*number) {
                copy.ends = Ends::Barrier(place, None);
            }
        }
    }

    /// A wait of a thread for a parity was told that the phase has completed.
    pub fn passes(&mut self, who: Who, place: Place, parity: u32, ordered: Ordered) {
        let index = self.shape.component(who).index as usize;
        self.cluster(who.cluster);
        let Some(barrier) = self.barriers.get(&place) else { return };
        let Some(cluster) = self.clusters.get_mut(&who.cluster) else { return };
        let thread = &mut cluster.threads[index];
        // the answer is older than what has completed since
        let late = u32::from(barrier.phase & 1 == parity & 1);
        if barrier.phase <= late {
            return;
        }
        let done = &barrier.done[late as usize];
        if ordered.acquires {
            done.acquire((ordered.scope, who.home()), &mut thread.known);
        } else {
            done.depend(&mut thread.known);
            done.seen_by((ordered.scope, who.home()), &mut thread.seen);
        }
    }

    // ---- memory

    /// A thread accesses memory.
    pub fn accesses(&mut self, who: Who, at: At, place: Place, bytes: u64, manner: Manner) {
        self.looks(who, at, place, bytes, manner, true);
    }

    /// The same, and it may be forgotten again: it is not compared with what comes.
    fn looks(&mut self, who: Who, at: At, place: Place, bytes: u64, manner: Manner, remembers: bool) {
        let component = self.shape.component(who);
        self.cluster(who.cluster);
        let Self { shape, clusters, copies, shadow, buffers, told, found, incomplete, .. } = self;
        let Some(cluster) = clusters.get_mut(&who.cluster) else { return };
        let Cluster { threads, reached, .. } = cluster;
        let Thread { epoch, known, rounds, .. } = &threads[component.index as usize];
        if let Place::Shared { cta, .. } = place
            && cta != who.cta
        {
            let side = Side { who, pc: at.pc, cycle: at.cycle, writes: manner.writes, copies: false };
            reached.insert((cta, component), Reach { epoch: *epoch, rounds: *rounds, side, place });
        }
        let lane = component.index % WARP;
        let first = component.index - lane;
        let actor = Actor {
            known,
            own: (component, *epoch),
            home: who.home(),
            agent: Agent::Lanes { cluster: who.cluster, first, lanes: 1 << lane, epoch: *epoch },
            kind: None,
            pc: at.pc,
            cycle: at.cycle,
        };
        let mut look = Look { shape: *shape, copies, shadow, buffers, told, found, incomplete, remembers };
        look.at(&actor, who, place, bytes, manner);
    }

    /// A thread begins a copy of this kind that ends so.
    fn begins(&mut self, who: Who, ends: Ends, kind: Kind) -> u32 {
        let known = self.handed_on(who);
        let (written, read) = match (kind, ends) {
            (Kind::Matrix(component, epoch), _) => (None, Some((component, epoch))),
            (Kind::Async, _) => {
                let ends = self.async_component(who);
                let groups = &mut self.thread(who).asyncs;
                groups.begun += 1;
                (Some((ends, groups.begun)), Some((ends, groups.begun)))
            }
            (Kind::Bulk, Ends::Group) => {
                let (ends, reads) = self.bulk_components(who);
                let groups = &mut self.thread(who).bulks;
                groups.begun += 1;
                (Some((ends, groups.begun)), Some((reads, groups.begun)))
            }
            (Kind::Bulk | Kind::Post, _) => (None, None),
        };
        let known = Some(Box::new(known));
        self.copies.push(Copy { who, ends, written, read, known })
    }

    /// A copy has begun, and nobody comes to know by its end what came before it.
    fn has_begun(&mut self, number: u32) {
        if let Some(copy) = self.copies.get_mut(number) {
            copy.known = None;
        }
    }

    fn copy_accesses(&mut self, number: u32, kind: Kind, at: At, place: Place, bytes: u64, manner: Manner) {
        let Some(copy) = self.copies.get_mut(number) else { return };
        let who = copy.who;
        let Some(known) = copy.known.take() else { return };
        let epoch = self.thread(who).epoch;
        let Self { shape, copies, shadow, buffers, told, found, incomplete, .. } = self;
        let actor = Actor {
            known: &known,
            own: (shape.component(who), epoch),
            home: who.home(),
            agent: Agent::Copy(number),
            kind: Some(kind),
            pc: at.pc,
            cycle: at.cycle,
        };
        let remembers = true;
        let mut look = Look { shape: *shape, copies, shadow, buffers, told, found, incomplete, remembers };
        look.at(&actor, who, place, bytes, manner);
        if let Some(copy) = self.copies.get_mut(number) {
            copy.known = Some(known);
        }
    }

    /// A thread has bytes copied that are completed on a barrier: the pieces that are read, and where all of it goes.
    pub fn copies_to(
        &mut self,
        who: Who,
        at: At,
        (reads, to): (impl Iterator<Item = (Place, u64)>, Place),
        bytes: u64,
        on: Place,
        (reduces, bulk): (bool, bool),
    ) {
        if bytes == 0 {
            return;
        }
        let phase = self.barrier(on).phase;
        let kind = if bulk { Kind::Bulk } else { Kind::Post };
        let number = self.begins(who, Ends::Barrier(on, Some(phase & 1)), kind);
        self.barrier(on).coming.push_back((number, bytes));
        for (from, bytes) in reads {
            self.copy_accesses(number, kind, at, from, bytes, Manner::default());
        }
        let manner = Manner { writes: true, atomic: reduces, ..Manner::default() };
        self.copy_accesses(number, kind, at, to, bytes, manner);
    }

    /// A thread begins a copy out of shared memory, in bulk groups: the pieces that it reads and writes.
    pub fn copies_out(
        &mut self,
        who: Who,
        at: At,
        reads: impl Iterator<Item = (Place, u64)>,
        writes: impl Iterator<Item = (Place, u64)>,
        (reduces, is_tensor): (bool, bool),
    ) {
        let number = self.begins(who, Ends::Group, Kind::Bulk);
        for (place, bytes) in reads {
            self.copy_accesses(number, Kind::Bulk, at, place, bytes, Manner::default());
        }
        let manner = Manner { writes: true, atomic: reduces, constant: is_tensor, ..Manner::default() };
        for (place, bytes) in writes {
            self.copy_accesses(number, Kind::Bulk, at, place, bytes, manner);
        }
        self.has_begun(number);
    }

    /// A thread executes `cp.async`.
    pub fn copies_async(&mut self, who: Who, at: At, (from, read): (Place, u64), (to, bytes): (Place, u64)) {
        let number = self.begins(who, Ends::Async, Kind::Async);
        self.copy_accesses(number, Kind::Async, at, from, read, Manner::default());
        self.copy_accesses(number, Kind::Async, at, to, bytes, Manner { writes: true, ..Manner::default() });
        self.has_begun(number);
    }

    /// A warp executes `wgmma`: the pieces of shared memory that it reads, through the async proxy. Its warpgroup's other warps execute
    /// the same one.
    pub fn multiplies(
        &mut self,
        lanes: impl Iterator<Item = Who> + Clone,
        at: At,
        reads: impl Iterator<Item = (Place, u64)>,
    ) {
        let Some(first) = lanes.clone().next() else { return };
        lanes.clone().for_each(|who| self.thread(who).matrices.begun += 1);
        let kind = Kind::Matrix(self.warpgroup(first), self.thread(first).matrices.begun);
        let number = self.begins(first, Ends::Matrix, kind);
        for who in lanes {
            let known = self.handed_on(who);
            if let Some(all) = self.copies.get_mut(number).and_then(|copy| copy.known.as_mut()) {
                all.join(&known);
            }
        }
        for (place, bytes) in reads {
            self.copy_accesses(number, kind, at, place, bytes, Manner::default());
        }
        self.has_begun(number);
    }

    /// A tensor map of global memory is used by a thread's copy.
    pub fn uses_map(&mut self, who: Who, at: At, address: u64, bytes: u64) {
        let own = self.shape.component(who);
        let known = self.thread(who).known.clone();
        let Self { shape, shadow, told, found, maps, .. } = self;
        let acquired = maps.get(&address).map_or(&[][..], Vec::as_slice);
        for (place, _) in Place::Global(address).words(bytes) {
            let Some(word) = shadow.word(place) else { return };
            for entry in word.entries.iter().filter(|entry| entry.manner.writes) {
                let Agent::Lanes { cluster, first, lanes, epoch } = entry.agent else { continue };
                let writer = Component { cluster, index: first + lanes.trailing_zeros() };
                let fenced = acquired.iter().any(|(by, then, mapped)| {
                    (*by == own || known.causal.has(*by, *then)) && mapped.has(writer, epoch)
                });
                if !fenced && told.insert((entry.pc as usize, at.pc)) {
                    let [pc, cycle] = [entry.pc as usize, entry.cycle as usize];
                    let side = Side { who: shape.who(writer), pc, cycle: cycle as u64, writes: true, copies: false };
                    let second = Side { who, pc: at.pc, cycle: at.cycle, writes: false, copies: true };
                    found.push(Conflict { wrong: Wrong::MapProxy, first: Some(side), second, place });
                }
            }
        }
    }
}

/// What is needed to compare an access with those before it.
struct Look<'a> {
    shape: Shape,
    copies: &'a Copies,
    shadow: &'a mut Shadow,
    buffers: &'a [Buffer],
    told: &'a mut HashSet<(usize, usize)>,
    found: &'a mut Vec<Conflict>,
    incomplete: &'a mut bool,
    /// What comes is to be compared with this access.
    remembers: bool,
}

impl Look<'_> {
    fn at(&mut self, actor: &Actor, who: Who, place: Place, bytes: u64, manner: Manner) {
        let Self { shape, copies, shadow, buffers, told, found, incomplete, remembers } = self;
        let space = space_of(place);
        let second =
            Side { who, pc: actor.pc, cycle: actor.cycle, writes: manner.writes, copies: actor.kind.is_some() };
        let mut tell = |wrong, first: Option<Side>, place| {
            let other = first.map_or(usize::MAX, |side| side.pc);
            if told.len() < MOST_TOLD && told.insert((other, actor.pc)) {
                found.push(Conflict { wrong, first, second, place });
            }
        };
        // of global memory, all but what was left out at the launch has been written before that
        let left_out = match place {
            Place::Global(address) => {
                let left_out = |of: &&Buffer| address < of.ends[1] && address + bytes > of.ends[0];
                buffers
                    .iter()
                    .find(left_out)
                    .map_or(0..0, |Buffer { ends, .. }| ends[0].next_multiple_of(WORD)..ends[1])
            }
            Place::Shared { .. } => 0..0,
        };
        let may_be_unwritten = |place| match place {
            Place::Global(address) => left_out.contains(&address),
            Place::Shared { .. } => true,
        };
        let mut unwritten =
            bytes > 0 && !manner.writes && !manner.strong && (space == Space::Shared || !left_out.is_empty());
        let by_whom = |entry: &Entry| match entry.agent {
            _ if entry.manner.excludes() => None,
            Agent::Lanes { cluster, first, .. } => Some(By::Warp(Component { cluster, index: first })),
            Agent::Copy(number) => copies.get(number).map(|copy| By::Copies(copy.who, copy.ends.whichever_phase())),
        };
        let first_place = place;
        for (place, mask) in place.words(bytes) {
            let Some(word) = shadow.word(place) else {
                **incomplete = true;
                return;
            };
            unwritten = unwritten && mask & word.written == 0 && may_be_unwritten(place);
            // reads do not conflict with reads
            let of_interest = |entry: &&Entry| entry.mask & mask != 0 && (manner.writes || entry.manner.writes);
            for entry in word.accesses().filter(of_interest) {
                let is_forgotten = |number| copies.get(number).is_none();
                **incomplete |= matches!(entry.agent, Agent::Copy(number) if is_forgotten(number));
                let read_only = || {
                    (manner.read_only && entry.manner.writes).then(|| (Wrong::ReadOnly, side(entry, copies, *shape)))
                };
                let wrong = actor.against(entry, manner, space, copies, *shape);
                let wrong =
                    wrong.filter(|(wrong, _)| *wrong != Wrong::Race || !actor.has_observed(entry, word, *shape));
                if let Some((wrong, first)) = wrong.or_else(read_only) {
                    tell(wrong, Some(first), place);
                }
            }
            if !*remembers {
                continue;
            }
            word.written |= if manner.writes { mask } else { 0 };
            if manner.excludes() {
                word.retain(|entry| entry.mask & !mask != 0);
            } else if manner.atomic && actor.kind.is_none() {
                word.retain(|entry| entry.mask & !mask != 0 || !actor.continues(entry, manner, *shape));
            } else if word.entries.len() > 4 && actor.kind.is_none() {
                // whoever comes behind this access comes behind those that it comes behind
                word.entries.retain(|entry| !actor.covers(entry, mask, manner));
            }
            let (pc, cycle) = (actor.pc as u32, actor.cycle as u32);
            if !word.push(Entry { agent: actor.agent, mask, manner, pc, cycle }, &by_whom) {
                **incomplete = true;
            }
        }
        // of a vector, or of a copy's padding, some bytes may be of no use
        if unwritten {
            tell(Wrong::NeverWritten, None, first_place);
        }
    }
}
