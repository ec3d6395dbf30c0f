//! Reports events to [`crate::order`], and turns its results into findings.
//!
//! Nothing is reported if races are not to be looked for. Accesses are reported when a thread executes them, synchronisation when it takes
//! effect.

use super::*;
use crate::effect::Visit;
use crate::matrix::Matrix;
use crate::order::{At, Conflict, Ends, Fence, Home, Manner, Order, Place, Scope, Side, Space, Who, Wrong};
use crate::program::marks::Misread;
use crate::program::ordering::{Groups, Ordering};
use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

/// The order of the grid that a cluster is part of, and its number there.
#[derive(Clone, Debug)]
pub struct Races {
    /// Shared by all clusters.
    pub order: Rc<RefCell<Order>>,
    /// This one.
    pub cluster: u32,
    /// A synchronisation that is ignored.
    pub ignored: Rc<Ignored>,
}

/// A synchronisation of which nothing is reported.
#[derive(Debug, Default)]
pub struct Ignored {
    /// Index of the instruction.
    pub pc: Option<usize>,
    /// How often threads have executed it.
    pub times: Cell<u64>,
}

impl Races {
    fn who(&self, ThreadId { cta, thread }: ThreadId) -> Who {
        Who { cluster: self.cluster, cta, thread }
    }

    fn place(&self, Spot { cta, offset }: Spot) -> Place {
        Place::Shared { cluster: self.cluster, cta, offset }
    }

    /// Bytes: the first, and how many.
    fn of(&self, bytes: Bytes) -> (Place, u64) {
        match bytes {
            Bytes::Of(spot, bytes) => (self.place(spot), u64::from(bytes)),
            Bytes::At(address, bytes) => (Place::Global(address), u64::from(bytes)),
        }
    }
}

/// Bytes of memory, somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bytes {
    /// Shared memory.
    Of(Spot, u32),
    /// Global memory.
    At(u64, u32),
}

impl Machine<'_> {
    /// The order, and who is meant there.
    fn order(&self, id: ThreadId) -> Option<(RefMut<'_, Order>, &Races, Who)> {
        let races = self.races.as_ref()?;
        Some((races.order.borrow_mut(), races, races.who(id)))
    }

    /// Whether a thread is at the synchronisation that is ignored.
    fn is_ignored(&self, id: ThreadId) -> bool {
        let Some(Races { ignored, .. }) = &self.races else { return false };
        let is = ignored.pc.is_some() && ignored.pc == Some(self.now(id).pc);
        ignored.times.set(ignored.times.get() + u64::from(is));
        is
    }

    /// The order for a synchronisation that a thread executes now, if it is not ignored.
    fn synchronises(&self, id: ThreadId) -> Option<(RefMut<'_, Order>, &Races, Who)> {
        self.order(id).filter(|_| !self.is_ignored(id))
    }

    /// A thread executes something now.
    fn now(&self, id: ThreadId) -> At {
        let pc = self.blocks[usize::from(id.cta)].runners[usize::from(id.thread)].lane.pc;
        At { pc, cycle: self.cycle }
    }

    /// A thread reads or writes memory.
    pub(super) fn accesses(&self, id: ThreadId, bytes: Bytes, writes: bool, atomic: bool) {
        let Some((mut order, races, who)) = self.order(id) else { return };
        let at = self.now(id);
        let ordering = self.program.ordering(at.pc);
        let Ordering { strong, constant, read_only, ordered, .. } = ordering;
        let width = if strong { self.program.width(at.pc) } else { 0 };
        let manner = Manner { writes, strong, atomic, width, constant, read_only, scope: ordered.scope };
        let (place, bytes) = races.of(bytes);
        order.accesses(who, at, place, bytes, manner);
        if ordering.strong && writes {
            order.publishes(who, place, bytes, ordering.ordered);
        }
    }

    /// A strong operation of this instruction has read.
    pub(super) fn has_seen(&self, id: ThreadId, pc: usize, bytes: Bytes) {
        let ordering = self.program.ordering(pc);
        let Some((mut order, races, who)) = self.order(id).filter(|_| ordering.strong) else { return };
        let (place, bytes) = races.of(bytes);
        order.sees(who, place, bytes, ordering.ordered);
    }

    /// A thread executes something that releases what it has done: the number of its epoch.
    pub(super) fn marks(&self, id: ThreadId) -> u32 {
        self.order(id).map_or(0, |(mut order, _, who)| order.mark(who))
    }

    /// A thread initialises a barrier.
    pub(super) fn makes(&self, id: ThreadId, spot: Spot) {
        if let Some((mut order, races, who)) = self.order(id) {
            order.inits(who, self.now(id), races.place(spot));
        }
    }

    /// Whether the initialisation of a barrier comes before what a thread does now.
    pub(super) fn comes_after_init(&self, id: ThreadId, spot: Spot) -> bool {
        self.order(id).is_none_or(|(mut order, races, who)| order.is_initialised(who, races.place(spot)))
    }

    /// An arrival takes effect, of a thread that executed it at the end of an epoch.
    pub(super) fn arrived(&self, id: ThreadId, spot: Spot, pc: usize, mark: u32) {
        if let Some((mut order, races, who)) = self.order(id) {
            order.arrives(who, races.place(spot), self.program.ordering(pc).ordered, mark);
        }
    }

    /// A thread executes `cp.async.mbarrier.arrive`.
    pub(super) fn arrives_with_copies(&self, id: ThreadId, spot: Spot) {
        if let Some((mut order, races, who)) = self.order(id) {
            order.copies_arrive(who, races.place(spot));
        }
    }

    /// And that takes effect.
    pub(super) fn arrived_with_its_copies(&self, id: ThreadId, spot: Spot) {
        if let Some((mut order, races, who)) = self.order(id) {
            order.copies_arrived(who, races.place(spot));
        }
    }

    /// Bytes of copies have been completed on a barrier.
    pub(super) fn bytes_land(&self, spot: Spot, bytes: u64) {
        if let Some((mut order, races, _)) = self.order(ThreadId::default()) {
            order.lands(races.place(spot), bytes);
        }
    }

    /// A phase of a barrier completes.
    pub(super) fn barrier_flips(&self, spot: Spot) {
        if let Some((mut order, races, _)) = self.order(ThreadId::default()) {
            order.flips(races.place(spot));
        }
    }

    /// A wait for a phase of this parity was told that it is complete.
    pub(super) fn has_waited(&self, id: ThreadId, spot: Spot, pc: usize, parity: u32) {
        if let Some((mut order, races, who)) = self.order(id) {
            order.passes(who, races.place(spot), parity, self.program.ordering(pc).ordered);
        }
    }

    /// Lanes of a warp have met, or they or those of a warpgroup have executed another instruction together.
    pub(super) fn lanes_meet(&self, cta: usize, threads: impl Iterator<Item = usize> + Clone, orders: bool) {
        let Some((mut order, races, _)) = self.order(ThreadId::default()) else { return };
        let lanes = threads.map(|thread| ThreadId::new(cta, thread));
        // every lane that executes it is counted
        if lanes.clone().filter(|id| self.is_ignored(*id)).count() > 0 {
            return;
        }
        let lanes = lanes.map(|id| races.who(id));
        if orders { order.meet(lanes) } else { order.execute_together(lanes) }
    }

    /// A barrier of a CTA counts an instruction of these lanes.
    pub(super) fn comes_to_bar(&self, lanes: impl Iterator<Item = ThreadId>, pc: usize, visit: Visit) {
        if let Some((mut order, races, _)) = self.order(ThreadId::default()) {
            let lanes = lanes.filter(|id| !self.is_ignored(*id)).map(|id| races.who(id));
            order.bar_comes(lanes, At { pc, cycle: self.cycle }, visit);
        }
    }

    /// A barrier of a CTA has completed.
    pub(super) fn leave_bar(&self, cta: usize, number: usize, waited: &[usize]) {
        let Some((mut order, races, who)) = self.order(ThreadId::new(cta, 0)) else { return };
        let ids = waited.iter().map(|thread| ThreadId::new(cta, *thread));
        let ignored = |id: &ThreadId| races.ignored.pc == Some(self.now(*id).pc);
        let waited = ids.filter(|id| !ignored(id)).map(|id| races.who(id));
        order.bar_completes(who.home(), number as u8, waited);
    }

    /// A thread arrives at `barrier.cluster`, or has waited there.
    pub(super) fn comes_to_round(&self, id: ThreadId, releases: bool) {
        if let Some((mut order, _, who)) = self.order(id) {
            order.round_comes(who, releases);
        }
    }

    /// A thread has waited at `barrier.cluster`.
    pub(super) fn leaves_round(&self, id: ThreadId) {
        if let Some((mut order, _, who)) = self.synchronises(id) {
            order.round_waited(who);
        }
    }

    /// A thread executes a fence.
    pub(super) fn fences(&self, id: ThreadId) {
        let Some(fence) = self.program.ordering(self.now(id).pc).fence else { return };
        if let Some((mut order, _, who)) = self.synchronises(id) {
            order.fence(who, fence);
        }
    }

    /// `fence.proxy.tensormap::generic.acquire`.
    pub(super) fn acquires_map(&self, id: ThreadId, address: u64) {
        if let Some((mut order, _, who)) = self.order(id) {
            let scope = self.program.ordering(self.now(id).pc).ordered.scope;
            order.map_acquires(who, address, scope);
        }
    }

    /// `tensormap.cp_fenceproxy` has written a map, and released it.
    pub(super) fn publishes_map(&self, id: ThreadId, from: Spot, to: u64, bytes: u32) {
        self.accesses(id, Bytes::Of(from, bytes), false, false);
        self.accesses(id, Bytes::At(to, bytes), true, false);
        if let Some((mut order, _, who)) = self.order(id) {
            order.fence(who, Fence::MapRelease(self.program.ordering(self.now(id).pc).ordered.scope));
        }
    }

    /// A copy uses a map of global memory.
    pub(super) fn uses_map(&self, id: ThreadId, address: u64, bytes: usize) {
        if let Some((mut order, _, who)) = self.order(id) {
            order.uses_map(who, self.now(id), address, bytes as u64);
        }
    }

    /// A thread begins a copy that completes on a barrier: the pieces that it reads, and where all of it goes.
    pub(super) fn begins_copy(&self, id: ThreadId, reads: &[Bytes], (to, bytes): (Spot, u32), on: Spot, reduces: bool) {
        let Some((mut order, races, who)) = self.order(id) else { return };
        let how = (reduces, self.program.is_bulk(self.now(id).pc));
        let reads = reads.iter().map(|bytes| races.of(*bytes));
        order.copies_to(who, self.now(id), (reads, races.place(to)), u64::from(bytes), races.place(on), how);
    }

    /// A thread begins a copy out of shared memory, in bulk groups: bytes that it reads and writes, whether it reduces, and is of a tensor.
    pub(super) fn begins_store(&self, id: ThreadId, reads: &[Bytes], writes: &[Bytes], how: (bool, bool)) {
        let Some((mut order, races, who)) = self.order(id) else { return };
        let place = |bytes: &Bytes| races.of(*bytes);
        order.copies_out(who, self.now(id), reads.iter().map(place), writes.iter().map(place), how);
    }

    /// A thread executes `cp.async`.
    pub(super) fn begins_async(&self, id: ThreadId, global: (u64, u8), to: Spot, bytes: u8) {
        if let Some((mut order, races, who)) = self.order(id) {
            let from = (Place::Global(global.0), u64::from(global.1));
            order.copies_async(who, self.now(id), from, (races.place(to), u64::from(bytes)));
        }
    }

    /// `cp.async.commit_group`, or that of bulk copies.
    pub(super) fn commits(&self, id: ThreadId, bulk: bool) {
        match self.order(id) {
            Some((mut order, _, who)) if bulk => order.bulk_commits(who),
            Some((mut order, _, who)) => order.async_commits(who),
            None => {}
        }
    }

    /// `cp.async.wait_group` or `wait_all` has come back.
    pub(super) fn async_waited(&self, id: ThreadId, left: Option<u32>) {
        if let Some((mut order, _, who)) = self.synchronises(id) {
            order.async_waited(who, left);
        }
    }

    /// `cp.async.bulk.wait_group` has come back.
    pub(super) fn bulk_waited(&self, id: ThreadId, left: u32, read: bool) {
        if let Some((mut order, _, who)) = self.synchronises(id) {
            order.bulk_waited(who, left, read);
        }
    }

    /// A thread has executed an instruction that nothing outside of it is wanted for: a step of the groups of `wgmma`, maybe.
    pub(super) fn steps_matrices(&self, id: ThreadId, pc: usize) {
        let Some(step) = self.program.ordering(pc).groups else { return };
        match (self.order(id), step) {
            (Some((mut order, _, who)), Groups::Commit) => order.matrices_commit(who),
            // the thread has moved on already
            (Some((_, races, _)), Groups::Wait(_)) if races.ignored.pc == Some(pc) => {
                races.ignored.times.set(races.ignored.times.get() + 1);
            }
            (Some((mut order, _, who)), Groups::Wait(left)) => order.matrices_waited(who, left),
            (None, _) => {}
        }
    }

    /// A warp executes `wgmma`, and has read these words.
    pub(super) fn multiplies(&self, cta: usize, warp: usize, matrix: &Matrix, words: &[u32]) {
        let Some((mut order, races, _)) = self.order(ThreadId::default()).filter(|_| matrix.is_grouped()) else {
            return;
        };
        let id = |lane: usize| ThreadId::new(cta, warp * 32 + lane);
        let place = |offset: &u32| (races.place(Spot { cta: cta as u8, offset: *offset }), 8);
        order.multiplies((0..32).map(|lane| races.who(id(lane))), self.now(id(0)), words.iter().map(place));
    }

    /// A thread executes an instruction that may read a register too early.
    pub(super) fn follows_registers(&mut self, cta: usize, thread: usize) {
        let ignored = self.races.as_ref().and_then(|races| races.ignored.pc);
        let runner = &mut self.blocks[cta].runners[thread];
        let Some(misread) = self.program.misreads(&runner.lane, &mut runner.marks, ignored) else { return };
        let (pc, id) = (runner.lane.pc, ThreadId::new(cta, thread));
        let first = if let Misread::Pending(first) = misread { first } else { usize::MAX - 2 };
        if self.order(id).is_none_or(|(mut order, ..)| !order.is_news((first, pc))) {
            return;
        }
        let who = self.name(id);
        let (bug, here, there, detail) = match misread {
            Misread::Unwritten(what) => {
                let detail = format!("{what} comes from a register that nobody has written");
                (Bug::NeverWritten, format!("{who} reads, cycle {}", self.cycle), String::new(), detail)
            }
            Misread::Pending(_) => {
                let detail = "a register that wgmma may still write\nwould order the two: wgmma.wait_group";
                let here = format!("{who} reads, cycle {}", self.cycle);
                (Bug::CopyNotAwaited, here, "its results".to_owned(), detail.to_owned())
            }
        };
        let shows = if let Misread::Pending(first) = misread { Some(first) } else { None };
        let finding = Finding::new(bug, pc, id, Spot::default(), detail);
        self.findings.push(Finding { shows, accesses: Some([here, there]), ..finding });
    }

    /// All threads have exited.
    pub(super) fn all_have_exited(&self) {
        if let Some(Races { order, cluster, .. }) = &self.races {
            order.borrow_mut().exits(*cluster);
        }
    }

    /// Tells what has been found.
    pub(super) fn tell_races(&mut self) {
        let Some(races) = &self.races else { return };
        if !races.order.borrow().has_found() {
            return;
        }
        let found = races.order.borrow_mut().found();
        for conflict in found {
            self.tell_race(conflict);
        }
    }

    fn tell_race(&mut self, conflict: Conflict) {
        let Conflict { wrong, first, second, place } = conflict;
        let is_own = |side: &Side| self.races.as_ref().is_some_and(|races| races.cluster == side.who.cluster);
        if let Some(first) = first.filter(is_own) {
            self.look_behind_race(wrong, first, second);
        }
        let bug = match wrong {
            Wrong::Race | Wrong::ReadOnly => Bug::DataRace,
            Wrong::Proxy(_) | Wrong::MapProxy => Bug::MissingProxyFence,
            Wrong::Scope(_) => Bug::ScopeTooSmall,
            Wrong::NeverWritten => Bug::NeverWritten,
            Wrong::Source(_) => Bug::SourceReused,
            Wrong::Copy(_) => Bug::CopyNotAwaited,
            Wrong::Bar([first, second]) if !first.goes_with(&second) => Bug::BarMismatch,
            Wrong::Bar(_) => Bug::BarSurplus,
            Wrong::Exit => Bug::LandsAfterExit,
        };
        let of_bar = if let Wrong::Bar(visits) = wrong { Some(visits) } else { None };
        let (spot, mut detail) = match (of_bar, place) {
            (Some([first, second]), _) => {
                let what = format!("barrier {}", second.number);
                let differ = format!(": `{second}` may come while it is in use by `{first}`, or the other way round");
                (Spot::default(), if bug == Bug::BarMismatch { what + &differ } else { what })
            }
            (None, Place::Shared { cta, offset, .. }) => {
                let of = if self.blocks.len() > 1 { format!(" of CTA {cta}") } else { String::new() };
                let spot = Spot { cta, offset };
                (spot, format!("`{}` (shared {offset:#x}{of})", self.program.shared_symbol(offset)))
            }
            (None, Place::Global(address)) => {
                let order = self.races.as_ref().map(|races| races.order.borrow());
                let global = match order.as_ref().and_then(|order| order.buffer(address)) {
                    Some((name, 0)) => format!("`{name}` (global {address:#x})"),
                    Some((name, from)) => format!("`{name}+{from:#x}` (global {address:#x})"),
                    None => format!("global memory {address:#x}"),
                };
                (Spot::default(), global)
            }
        };
        let several = first.is_some_and(|first| first.who.cluster != second.who.cluster);
        let here = self.side(second, of_bar.is_some(), several);
        let there = first.map_or(String::new(), |first| self.side(first, of_bar.is_some(), several));
        match first {
            Some(first) if first.pc == second.pc => detail += &format!(": {there}, {here}"),
            Some(_) => {}
            None if wrong == Wrong::Exit => detail += ": nothing keeps all threads of that CTA from exiting before",
            None => detail += ": nobody has written it before",
        }
        let remedy = self.remedy(&conflict);
        if !remedy.is_empty() {
            detail += &format!("\nwould order the two: {remedy}");
        }
        // a copy that is not awaited is told of its barrier
        let spot = match wrong {
            Wrong::Copy(Ends::Barrier(Place::Shared { cta, offset, .. }, _)) => Spot { cta, offset },
            _ => spot,
        };
        let thread = ThreadId { cta: second.who.cta, thread: second.who.thread };
        let shows = first.map(|first| first.pc).filter(|pc| *pc != second.pc);
        let finding = Finding::new(bug, second.pc, thread, spot, detail);
        self.findings.push(Finding { shows, accesses: Some([here, there]), ..finding });
    }

    /// What one of the accesses is, in words.
    fn side(&self, Side { who, cycle, writes, copies, .. }: Side, of_bar: bool, of_cluster: bool) -> String {
        let name = self.name(ThreadId { cta: who.cta, thread: who.thread });
        let of = if of_cluster { format!(" of cluster {}", who.cluster) } else { String::new() };
        let what = match (copies, writes) {
            _ if of_bar => "comes to it",
            (false, true) => "writes",
            (false, false) => "reads",
            (true, true) => "has this written",
            (true, false) => "has this read",
        };
        format!("{name}{of} {what}, cycle {cycle}")
    }

    /// What would have ordered two accesses, in words.
    fn remedy(&self, conflict: &Conflict) -> String {
        let Conflict { wrong, first, second, .. } = conflict;
        let symbol = |place: &Place| match *place {
            Place::Shared { offset, .. } => format!("`{}`", self.program.shared_symbol(offset)),
            Place::Global(address) => format!("{address:#x}"),
        };
        match wrong {
            Wrong::NeverWritten => String::new(),
            Wrong::Exit => "barrier.cluster behind the access".into(),
            Wrong::Bar(_) => "a wait for the phase before; two groups of warps need a barrier each".into(),
            Wrong::Proxy(space) => {
                let space = if *space == Space::Shared { ".shared::cta" } else { ".global" };
                format!("fence.proxy.async{space} by the thread of the first access, behind it")
            }
            Wrong::MapProxy => {
                "fence.proxy.tensormap::generic.release behind the store, and .acquire before the copy".into()
            }
            Wrong::ReadOnly => "ld.global without .nc, which is for what no thread writes while the kernel runs".into(),
            Wrong::Scope(scope) => {
                let scope = match scope {
                    Scope::Cta => ".cta",
                    Scope::Cluster => ".cluster",
                    Scope::Gpu => ".gpu",
                };
                format!("a release and an acquire of scope {scope}")
            }
            Wrong::Source(ends) | Wrong::Copy(ends) => match ends {
                Ends::Barrier(on, Some(parity)) => format!("a wait for parity {parity} of {}", symbol(on)),
                Ends::Barrier(on, None) => {
                    format!("a wait for the phase of {} in which the copy completes", symbol(on))
                }
                Ends::Async => "cp.async.wait_group by the thread that began it".into(),
                Ends::Group if matches!(wrong, Wrong::Source(_)) => {
                    "cp.async.bulk.wait_group.read by the thread that began it".into()
                }
                Ends::Group => "cp.async.bulk.wait_group by the thread that began it".into(),
                Ends::Matrix => "wgmma.wait_group".into(),
            },
            Wrong::Race => {
                let Some(first) = first else { return String::new() };
                let home = |who: Who| -> Home { who.home() };
                let (a, b) = (first.who, second.who);
                match () {
                    () if home(a) == home(b) && a.thread / 32 == b.thread / 32 => "bar.warp.sync between them".into(),
                    () if home(a) == home(b) => "bar.sync, or an arrival and a wait on a barrier, between them".into(),
                    () if a.cluster == b.cluster => {
                        "barrier.cluster, or an arrival and a wait of scope .cluster".into()
                    }
                    () => "a release and an acquire of scope .gpu between them".into(),
                }
            }
        }
    }
}
