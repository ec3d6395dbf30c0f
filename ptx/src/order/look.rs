//! Accesses to memory: each is compared with those before it, and recorded.

use super::clock::{Component, Space};
use super::judge::{Actor, Conflict, Side, Wrong};
use super::shadow::{Agent, By, Entry, Manner, Place, Shadow, WORD, Word};
use super::sync::Scope;
use super::{At, Buffer, Cluster, MOST_TOLD, Order, Reach, Thread, WARP, Who};
use std::collections::HashSet;
use std::ops::Range;

/// Accesses of a word up to which it is not looked for those that one stands for.
const FEW: usize = 4;

impl Order {
    /// A thread accesses memory.
    pub fn accesses(&mut self, who: Who, at: At, place: Place, bytes: u64, manner: Manner) {
        self.looks(who, at, place, bytes, manner, true);
    }

    /// The same, and it may be forgotten again: it is not compared with what comes.
    pub(super) fn looks(&mut self, who: Who, at: At, place: Place, bytes: u64, manner: Manner, remembers: bool) {
        let component = self.shape.component(who);
        self.cluster(who.cluster);
        let Self { shape, clusters, copies, shadow, buffers, told, found, incomplete, fence_reads, .. } = self;
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
            copies,
            shape: *shape,
            fence_reads: *fence_reads,
        };
        Look { shadow, buffers, told, found, incomplete, remembers }.at(&actor, place, bytes, manner);
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
                    let side = entry.side(shape.who(writer), false);
                    let second = Side { who, pc: at.pc, cycle: at.cycle, writes: false, copies: true };
                    found.push(Conflict { wrong: Wrong::MapProxy, first: Some(side), second, place });
                }
            }
        }
    }
}

/// What is needed to look at an access.
pub(super) struct Look<'a> {
    pub shadow: &'a mut Shadow,
    pub buffers: &'a [Buffer],
    pub told: &'a mut HashSet<(usize, usize)>,
    pub found: &'a mut Vec<Conflict>,
    pub incomplete: &'a mut bool,
    /// What comes is to be compared with this access.
    pub remembers: bool,
}

impl Look<'_> {
    /// Compares an access to this many bytes with those before it, and remembers it.
    pub fn at(&mut self, actor: &Actor, first: Place, bytes: u64, manner: Manner) {
        let unwritten = self.unwritten(first, bytes);
        let mut is_unwritten = bytes > 0 && !manner.writes && !manner.strong && !unwritten.is_empty();
        for (place, mask) in first.words(bytes) {
            let Some(word) = self.shadow.word(place) else {
                *self.incomplete = true;
                return;
            };
            is_unwritten = is_unwritten && mask & word.written == 0 && unwritten.contains(&address(place));
            let (wrong, has_forgotten) = actor.conflicts(word, mask, manner, space_of(place));
            *self.incomplete |= has_forgotten;
            if self.remembers && !actor.enters(word, mask, manner) {
                *self.incomplete = true;
            }
            for (wrong, side) in wrong {
                self.tell(actor, Conflict { wrong, first: Some(side), second: actor.as_side(manner), place });
            }
        }
        // of a vector, or of a copy's padding, some bytes may be of no use
        if is_unwritten {
            let (wrong, second) = (Wrong::NeverWritten, actor.as_side(manner));
            self.tell(actor, Conflict { wrong, first: None, second, place: first });
        }
    }

    fn tell(&mut self, actor: &Actor, conflict: Conflict) {
        let other = conflict.first.map_or(usize::MAX, |side| side.pc);
        if self.told.len() < MOST_TOLD && self.told.insert((other, actor.pc)) {
            self.found.push(conflict);
        }
    }

    /// Addresses of these bytes of which nobody may have written some: of global memory, those that were left out at the launch.
    fn unwritten(&self, place: Place, bytes: u64) -> Range<u64> {
        let Place::Global(address) = place else { return 0..u64::MAX };
        let left_out = |of: &&Buffer| address < of.ends[1] && address + bytes > of.ends[0];
        let buffer = self.buffers.iter().find(left_out);
        buffer.map_or(0..0, |Buffer { ends, .. }| ends[0].next_multiple_of(WORD)..ends[1])
    }
}

fn address(place: Place) -> u64 {
    match place {
        Place::Global(address) => address,
        Place::Shared { offset, .. } => u64::from(offset),
    }
}

fn space_of(place: Place) -> Space {
    if matches!(place, Place::Global(_)) { Space::Global } else { Space::Shared }
}

impl Actor<'_> {
    /// Side of a conflict.
    fn as_side(&self, manner: Manner) -> Side {
        let who = self.shape.who(self.own.0);
        Side { who, pc: self.pc, cycle: self.cycle, writes: manner.writes, copies: self.kind.is_some() }
    }

    /// Whether an access is of a copy of which nothing is known any more.
    fn has_forgotten(&self, entry: &Entry) -> bool {
        matches!(entry.agent, Agent::Copy(number) if self.copies.get(number).is_none())
    }

    /// What is wrong between accesses to some bytes of a word and this one, and whether one of them is of a copy of which nothing is known
    /// any more.
    fn conflicts(&self, word: &Word, mask: u8, manner: Manner, space: Space) -> (Vec<(Wrong, Side)>, bool) {
        let (mut found, mut has_forgotten) = (Vec::new(), false);
        // reads do not conflict with reads
        let of_interest = |entry: &&Entry| entry.mask & mask != 0 && (manner.writes || entry.manner.writes);
        for entry in word.accesses().filter(of_interest).filter(|entry| !self.goes_with(entry, manner)) {
            has_forgotten |= self.has_forgotten(entry);
            let wrong = self.against(entry, manner, space);
            let wrong = wrong.filter(|(wrong, _)| *wrong != Wrong::Race || !self.has_observed(entry, word));
            let read_only = manner.read_only && entry.manner.writes;
            found.extend(wrong.or_else(|| read_only.then(|| (Wrong::ReadOnly, self.side(entry)))));
        }
        (found, has_forgotten)
    }

    /// Whether both are accesses of threads that need no order, whoever the threads are: strong ones of scope `.gpu` of the same bytes, or
    /// stores of the same constants by one instruction.
    fn goes_with(&self, entry: &Entry, manner: Manner) -> bool {
        let first = entry.manner;
        let strong = first.strong && manner.strong && first.width == manner.width;
        self.kind.is_none()
            && matches!(entry.agent, Agent::Lanes { .. })
            && (strong && first.scope == Scope::Gpu && manner.scope == Scope::Gpu
                || first.constant && manner.constant && entry.pc as usize == self.pc)
    }

    /// It is remembered in a word, and those are forgotten that it stands for: whether there was room.
    fn enters(&self, word: &mut Word, mask: u8, manner: Manner) -> bool {
        let is_over = |entry: &Entry| entry.mask & !mask == 0;
        word.written |= if manner.writes { mask } else { 0 };
        if manner.excludes() {
            word.retain(|entry| !is_over(entry));
        } else if manner.writes && self.kind.is_none() {
            word.retain(|entry| !is_over(entry) || !self.replaces(entry, manner));
        } else if word.entries.len() > FEW && self.kind.is_none() {
            word.entries.retain(|entry| !is_over(entry) || !self.covers(entry, manner));
        }
        let by_whom = |entry: &Entry| match entry.agent {
            _ if entry.manner.excludes() => None,
            Agent::Lanes { cluster, first, .. } => Some(By::Warp(Component { cluster, index: first })),
            Agent::Copy(number) => {
                self.copies.get(number).map(|copy| By::Copies(copy.who, copy.ends.whichever_phase()))
            }
        };
        let (pc, cycle) = (self.pc as u32, self.cycle as u32);
        word.push(Entry { agent: self.agent, mask, manner, pc, cycle }, &by_whom)
    }
}
