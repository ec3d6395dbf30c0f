//! Conflicts of two accesses: they touch the same bytes, one of them writes, and neither is ordered before the other.

use super::clock::{Component, Known, Space};
use super::copies::{Copies, Ends, Kind};
use super::shadow::{Agent, Entry, Manner, Place, Word};
use super::sync::{Home, Scope, include_each_other};
use super::{Shape, Who};
use crate::effect::Visit;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrong {
    /// No order between the accesses.
    Race,
    /// Ordered, but through different proxies.
    Proxy(Space),
    /// A tensor map is used through the tensormap proxy, and no fence of it lies in between.
    MapProxy,
    /// What should order them has too small a scope; the one that is needed.
    Scope(Scope),
    /// The bytes have never been written.
    NeverWritten,
    /// They are ordered, but what the kernel writes is read as if it did not: with `ld.global.nc`.
    ReadOnly,
    /// A copy has not been waited for that still reads them.
    Source(Ends),
    /// A copy has not been waited for that writes them.
    Copy(Ends),
    /// A barrier of the CTA counts an instruction, and nothing orders it behind one that was counted in the phase before: both.
    Bar([Visit; 2]),
    /// Nothing keeps the CTA whose shared memory this is from exiting before the access.
    Exit,
}

/// One side of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The thread, or who began the copy.
    pub who: Who,
    /// The instruction.
    pub pc: usize,
    /// The cycle in which the thread executed it.
    pub cycle: u64,
    /// The access writes.
    pub writes: bool,
    /// A copy, or a matrix instruction that reads shared memory asynchronously.
    pub copies: bool,
}

/// Two accesses that conflict; the second came later in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Kind of error.
    pub wrong: Wrong,
    /// The first of them; none if the bytes were never written, or if an exit is meant.
    pub first: Option<Side>,
    /// The second.
    pub second: Side,
    /// The first byte.
    pub place: Place,
}

/// The thread or copy that accesses memory.
pub(super) struct Actor<'a> {
    /// Accesses ordered before it.
    pub known: &'a Known,
    /// Its thread, and the thread's epoch: all its earlier work comes before it in program order.
    pub own: (Component, u32),
    pub home: Home,
    pub agent: Agent,
    /// A copy: which kind.
    pub kind: Option<Kind>,
    pub pc: usize,
    pub cycle: u64,
    pub copies: &'a Copies,
    pub shape: Shape,
    /// Threads' reads need a proxy fence before a copy writes, as their writes do.
    pub fence_reads: bool,
}

impl Actor<'_> {
    /// An earlier access; of several lanes the first.
    pub(super) fn side(&self, entry: &Entry) -> Side {
        let (who, copies) = match entry.agent {
            Agent::Copy(number) => (self.copies.get(number).map_or(Who::default(), |copy| copy.who), true),
            Agent::Lanes { cluster, first, lanes, .. } => {
                (self.shape.who(Component { cluster, index: first + lanes.trailing_zeros() }), false)
            }
        };
        entry.side(who, copies)
    }

    /// The scope that reaches from there to here.
    fn needed(&self, home: Home) -> Scope {
        match home.cluster == self.home.cluster {
            true if home == self.home => Scope::Cta,
            true => Scope::Cluster,
            false => Scope::Gpu,
        }
    }

    /// What is wrong between an earlier access and this one, if anything is, and who that was.
    pub(super) fn against(&self, entry: &Entry, manner: Manner, space: Space) -> Option<(Wrong, Side)> {
        let first = entry.manner;
        if !(manner.writes || first.writes) || manner.atomic && first.atomic && self.kind.is_some() {
            return None;
        }
        match entry.agent {
            Agent::Copy(number) => {
                let copy = self.copies.get(number)?;
                if first.atomic && manner.atomic || first.constant && manner.constant && self.kind.is_some() {
                    return None;
                }
                let ends = if first.writes { copy.written } else { copy.read };
                let side = || self.side(entry);
                if let Some((component, epoch)) = ends {
                    let over = self.known.over.has(component, epoch);
                    // who writes over it, does not have to see it
                    if self.known.causal.has(component, epoch) || over && manner.writes {
                        return None;
                    }
                    if over {
                        return Some((Wrong::Scope(self.needed(copy.who.home())), side()));
                    }
                }
                let wrong = if first.writes { Wrong::Copy(copy.ends) } else { Wrong::Source(copy.ends) };
                Some((wrong, side()))
            }
            Agent::Lanes { cluster, first: base, lanes, epoch } => {
                for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                    let component = Component { cluster, index: base + lane };
                    if let Some(wrong) = self.against_thread(entry, (component, epoch), manner, space) {
                        return Some((wrong, Side { who: self.shape.who(component), ..self.side(entry) }));
                    }
                }
                None
            }
        }
    }

    fn against_thread(
        &self,
        entry: &Entry,
        (component, epoch): (Component, u32),
        manner: Manner,
        space: Space,
    ) -> Option<Wrong> {
        let own = self.own.0 == component;
        if own && self.kind.is_none() {
            return None;
        }
        let first = entry.manner;
        let home = self.shape.who(component).home();
        if own || self.known.causal.has(component, epoch) {
            let crosses = self.kind.is_some_and(Kind::is_of_async_proxy);
            let fenced = self.known.fenced[space as usize].has(component, epoch);
            // rings in CUDA free a slot that was read without a fence
            let needs_fence = first.writes || self.fence_reads;
            return (crosses && !fenced && needs_fence).then_some(Wrong::Proxy(space));
        }
        if !first.writes && self.known.dependent.has(component, epoch) {
            return None;
        }
        if self.known.over.has(component, epoch) {
            // what was read has been read, and nobody has to see it
            return first.writes.then_some(Wrong::Scope(self.needed(home)));
        }
        // strong operations are ordered with each other if they are of the very same bytes
        if first.strong && manner.strong && first.width == manner.width {
            let (a, b) = ((first.scope, home), (manner.scope, self.home));
            return (!include_each_other(a, b)).then_some(Wrong::Scope(self.needed(home)));
        }
        // lanes that execute one instruction together
        if let (Agent::Lanes { first: a, cluster: c, .. }, Agent::Lanes { first: b, cluster: d, .. }) =
            (entry.agent, self.agent)
            && (a, c) == (b, d)
            && entry.pc as usize == self.pc
        {
            return None;
        }
        Some(Wrong::Race)
    }
}

impl Actor<'_> {
    /// The threads that made an access, if threads did.
    fn threads(entry: &Entry) -> impl Iterator<Item = (Component, u32)> + use<> {
        let (cluster, first, lanes, epoch) = match entry.agent {
            Agent::Lanes { cluster, first, lanes, epoch } => (cluster, first, lanes, epoch),
            Agent::Copy(_) => (0, 0, 0, 0),
        };
        let lanes = (0..32).filter(move |lane| lanes >> lane & 1 != 0);
        lanes.map(move |lane| (Component { cluster, index: first + lane }, epoch))
    }

    /// Whether an earlier access of threads comes before this one, and all that conflicts with that conflicts with this.
    pub(super) fn covers(&self, entry: &Entry, manner: Manner) -> bool {
        let comes_before = |(component, epoch)| {
            component == self.own.0 && epoch < self.own.1 || self.known.causal.has(component, epoch)
        };
        manner.stands_for(entry.manner)
            && matches!(entry.agent, Agent::Lanes { .. })
            && Self::threads(entry).all(comes_before)
    }

    /// Whether this takes the place of an earlier write, as far as it is remembered: it is an atomic operation that has read what that has
    /// written, so that who comes behind it comes behind both; or another of the same kind with which it needs no order.
    pub(super) fn replaces(&self, entry: &Entry, manner: Manner) -> bool {
        let same = entry.manner == manner && (entry.pc as usize == self.pc || !manner.constant);
        let includes = |(component, _)| {
            let writer = (entry.manner.scope, self.shape.who(component).home());
            include_each_other(writer, (manner.scope, self.home))
        };
        (same || manner.continues(entry.manner)) && Self::threads(entry).all(includes)
    }

    /// Whether this comes behind a strong read of a word that has read what an earlier strong operation has written there, which is not
    /// released: the write comes before what its reader does then (PTX ISA 8.9.4, causality order).
    pub(super) fn has_observed(&self, entry: &Entry, word: &Word) -> bool {
        let Manner { writes: true, strong: true, width, scope, .. } = entry.manner else { return false };
        let is_behind = |(component, epoch)| component == self.own.0 || self.known.causal.has(component, epoch);
        let includes = |component: Component, read: &Entry| {
            let reader = (read.manner.scope, self.shape.who(component).home());
            Self::threads(entry).all(|(writer, _)| include_each_other((scope, self.shape.who(writer).home()), reader))
        };
        let reads =
            word.accesses().filter(|read| !read.manner.writes && read.manner.strong && read.manner.width == width);
        let mut later = reads.filter(|read| read.cycle >= entry.cycle);
        later.any(|read| Self::threads(read).any(|reader| is_behind(reader) && includes(reader.0, read)))
    }
}
