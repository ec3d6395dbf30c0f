//! Synchronisation of threads: lanes of a warp, warps of a warpgroup, warps at a barrier of their CTA, CTAs at `barrier.cluster`.

use super::clock::{Clock, Component, Gathered, Known};
use super::judge::{Conflict, Side, Wrong};
use super::sync::{Home, Scope};
use super::{At, Cluster, Order, Place, WARP, Who};
use crate::effect::Visit;

/// A barrier of a CTA.
#[derive(Debug, Default)]
pub(super) struct Bar {
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

impl Order {
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
            let is_ordered = is_before(came.component.index as usize) || warp.clone().any(is_before);
            let alone = visit.completes_alone() && other.visit.completes_alone();
            !is_ordered && !alone
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
}
