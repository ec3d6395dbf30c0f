//! Asynchronous copies, from the instruction that begins one to the wait that observes its end.

use super::clock::{Component, Known};
use super::judge::Actor;
use super::look::Look;
use super::shadow::{Agent, Manner, Place};
use super::{At, Order, Who};
use std::collections::VecDeque;

/// Copies that are remembered at most: 2^17, some 15 MB.
const MOST_COPIES: usize = 1 << 17;

/// Kinds of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `cp.async`: it is of no other proxy than its thread.
    Async,
    /// A bulk or tensor copy.
    Bulk,
    /// `st.async`, `red.async`: of no other proxy, either.
    Post,
    /// What `wgmma` reads: its place among the warpgroup's.
    Matrix(Component, u32),
}

impl Kind {
    /// Whether it goes through the async proxy.
    pub(super) fn is_of_async_proxy(self) -> bool {
        !matches!(self, Kind::Async | Kind::Post)
    }
}

/// What has to be waited for to know that a copy has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ends {
    /// A phase of a barrier: its parity, if the phase is known to which the copy belongs.
    Barrier(Place, Option<u32>),
    /// `cp.async.wait_group` or `cp.async.mbarrier.arrive`.
    Async,
    /// `cp.async.bulk.wait_group`.
    Group,
    /// `wgmma.wait_group`.
    Matrix,
}

impl Ends {
    /// The same, in any phase of its barrier.
    pub(super) fn whichever_phase(self) -> Self {
        match self {
            Ends::Barrier(place, _) => Ends::Barrier(place, None),
            ends => ends,
        }
    }
}

/// A copy.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    /// Thread that began it.
    pub who: Who,
    /// Event that ends it.
    pub ends: Ends,
    /// Who knows this much of a component knows that it has been written, and that its source has been read.
    pub written: Option<(Component, u32)>,
    pub read: Option<(Component, u32)>,
    /// All of it, until it has ended on a barrier.
    pub known: Option<Box<Known>>,
}

/// The copies of a grid: the last of them.
#[derive(Debug, Default)]
pub(super) struct Copies {
    all: VecDeque<Copy>,
    /// Number of the first.
    first: u32,
}

impl Copies {
    pub(super) fn push(&mut self, copy: Copy) -> u32 {
        self.all.push_back(copy);
        if self.all.len() > MOST_COPIES {
            self.all.pop_front();
            self.first += 1;
        }
        self.first + self.all.len() as u32 - 1
    }

    /// The copy with a number, if it is not forgotten.
    pub(super) fn get(&self, number: u32) -> Option<&Copy> {
        self.all.get(number.checked_sub(self.first)? as usize)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Copy> {
        self.all.get_mut(number.checked_sub(self.first)? as usize)
    }
}

impl Order {
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
        let Self { shape, copies, shadow, buffers, told, found, incomplete, fence_reads, .. } = self;
        let actor = Actor {
            known: &known,
            own: (shape.component(who), epoch),
            home: who.home(),
            agent: Agent::Copy(number),
            kind: Some(kind),
            pc: at.pc,
            cycle: at.cycle,
            copies,
            shape: *shape,
            fence_reads: *fence_reads,
        };
        let mut look = Look { shadow, buffers, told, found, incomplete, remembers: true };
        look.at(&actor, place, bytes, manner);
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
        let parity = self.parity(on);
        let kind = if bulk { Kind::Bulk } else { Kind::Post };
        let number = self.begins(who, Ends::Barrier(on, Some(parity)), kind);
        self.is_to_complete(on, number, bytes);
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
}
