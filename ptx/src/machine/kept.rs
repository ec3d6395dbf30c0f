//! Cause of a [standstill](super::standstill): the values that the threads' branches depend on.

use super::hang::Place;
use super::standstill::{Followed, Walk};
use super::*;
use crate::thread::shadow::{Shade, UNKNOWN};

/// How often a value that is written again and again is traced back to what its writer has read.
const TRACES: usize = 4;

/// A value that a thread reads, and on which a branch depends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Read {
    /// From memory.
    Memory(Look),
    /// The answer of a wait.
    Wait(Failing),
}

/// A value that was read from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Look {
    /// Place that it was read from.
    pub place: Place,
    /// Bytes.
    pub bytes: u8,
    /// Value.
    pub value: u64,
    /// The instruction.
    pub pc: usize,
}

/// What keeps a thread from ever moving again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// A wait on a barrier whose answer will stay the same.
    pub wait: Option<Failing>,
    /// Values in memory that will.
    pub polls: Vec<Look>,
    /// It goes round in a loop with a barrier of the CTA or the cluster in it, which lets it go on again and again.
    pub loops: bool,
}

impl Kept {
    /// Whether it is known what keeps the thread.
    fn is_by_something(&self) -> bool {
        self.wait.is_some() || !self.polls.is_empty()
    }
}

/// A value that is written where it is already.
pub(super) struct Rewrite {
    pub(super) place: Place,
    pub(super) bytes: u32,
    pub(super) by: usize,
    /// What of the values that the thread has read it follows from.
    pub(super) from: Shade,
}

impl Walk<'_, '_> {
    /// Cause that blocks each thread.
    pub(super) fn all_kept(&self) -> Vec<Kept> {
        let mut kept: Vec<Kept> = (0..self.threads.len()).map(|at| self.keeps(at)).collect();
        // those that decide by what another brings are kept by what keeps that one
        let mut share = |with: Vec<usize>| {
            let by = with.iter().map(|at| &kept[*at]).find(|kept| kept.is_by_something()).cloned();
            for at in with {
                if let (false, Some(by)) = (kept[at].is_by_something(), &by) {
                    kept[at] = Kept { loops: kept[at].loops, ..by.clone() };
                }
            }
        };
        for ((first, ..), meeting) in &self.meetings {
            share((0..32).filter(|lane| meeting.brings[*lane].is_some()).map(|lane| first + lane).collect());
        }
        self.crossings.values().for_each(|crossing| share(crossing.bringers()));
        kept
    }

    /// The values read that have these numbers.
    fn numbered(&self, at: usize, numbers: Shade) -> impl Iterator<Item = Read> {
        let reads = self.threads[at].reads.iter().enumerate();
        reads.filter(move |(number, _)| numbers >> number & 1 != 0).map(|(_, read)| *read)
    }

    /// What a value that a thread reads follows from: of one that a thread writes again and again, what that has read.
    fn traced(&self, read: Read, traces: usize) -> Vec<Read> {
        let Read::Memory(Look { place, bytes, .. }) = read else { return vec![read] };
        let writes = |rewrite: &&Rewrite| {
            rewrite.from & !UNKNOWN != 0 && place.overlaps(u32::from(bytes), rewrite.place, rewrite.bytes)
        };
        let before = |rewrite: &Rewrite| -> Vec<Read> {
            self.numbered(rewrite.by, rewrite.from).flat_map(|read| self.traced(read, traces - 1)).collect()
        };
        match self.rewrites.iter().find(writes).filter(|_| traces > 0).map(before) {
            Some(reads) if !reads.is_empty() => reads,
            _ => vec![read],
        }
    }

    /// Cause that blocks a thread.
    fn keeps(&self, at: usize) -> Kept {
        let Followed { decisive, loops, .. } = self.threads[at];
        let reads: Vec<Read> = self.numbered(at, decisive).flat_map(|read| self.traced(read, TRACES)).collect();
        let wait = reads.iter().find_map(|read| if let Read::Wait(wait) = read { Some(*wait) } else { None });
        // there may be more places than are numbered, which the same instruction looks at
        let of_one =
            |look: &&Look| reads.iter().any(|decisive| matches!(decisive, Read::Memory(other) if other.pc == look.pc));
        let more = self.threads[at].more.iter().filter(of_one);
        let polled = |read: &Read| if let Read::Memory(look) = read { Some(*look) } else { None };
        Kept { wait, polls: reads.iter().filter_map(polled).chain(more.copied()).collect(), loops }
    }
}
