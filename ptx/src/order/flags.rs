//! Ordering through memory: fences, and strong operations on words used as flags.

use super::clock::{Clock, Known, Space};
use super::sync::{Home, Scope, Sync};
use super::{MOST_FLAGS, Order, Ordered, Own, Place, Thread, Who};
use std::borrow::Cow;

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

/// What is released, with which scope, and what of it is the thread's own.
type Released<'a> = (Scope, Cow<'a, Known>, Option<Own>);

impl Thread {
    /// What an operation of this thread releases, with which scope: all that it knows and has done up to an epoch, if that is what it is
    /// for; else what fences have made ready.
    pub(super) fn released(&self, own: Own, ordered: Ordered) -> [Option<Released<'_>>; 4] {
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

impl Order {
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

    /// A strong operation has written this many bytes: what it releases.
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
}
