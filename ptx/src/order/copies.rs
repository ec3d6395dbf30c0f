//! Copies: what goes on beside the threads, from the instruction that begins it to the wait that knows that it has ended.

use super::Who;
use super::clock::{Component, Known};
use super::shadow::Place;
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
    /// Who began it.
    pub who: Who,
    /// What ends it.
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
