//! Barriers in memory: what arrivals and copies make visible to the threads that wait for their phases.

use super::clock::{Component, Known};
use super::copies::Ends;
use super::sync::{Home, Scope, Sync};
use super::{At, Manner, Order, Ordered, Place, Who};
use std::collections::{HashMap, VecDeque};

/// A barrier in memory.
#[derive(Debug)]
pub(super) struct Barrier {
    component: Component,
    home: Home,
    /// Phases that have completed, ever and since it was initialised.
    count: u32,
    phase: u32,
    /// Thread that initialised it.
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

impl Order {
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

    /// Parity of the phase of a barrier that is going on.
    pub(super) fn parity(&mut self, place: Place) -> u32 {
        self.barrier(place).phase & 1
    }

    /// A copy is to complete this many bytes there.
    pub(super) fn is_to_complete(&mut self, place: Place, copy: u32, bytes: u64) {
        self.barrier(place).coming.push_back((copy, bytes));
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
}
