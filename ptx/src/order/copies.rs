//! Copies: what goes on beside the threads, from the instruction that begins it to the wait that knows that it has ended.

use super::Who;
use super::clock::{Clock, Component, Known};
use super::shadow::Place;
use std::ops::{Index, IndexMut};

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
    /// What came before it in causality order.
    pub start: Option<Clock>,
    /// All of it, until it has ended on a barrier.
    pub known: Option<Box<Known>>,
}

/// All copies of a grid.
#[derive(Debug, Default)]
pub(super) struct Copies {
    all: Vec<Copy>,
}

impl Copies {
    pub(super) fn push(&mut self, copy: Copy) -> u32 {
        self.all.push(copy);
        self.all.len() as u32 - 1
    }
}

impl Index<u32> for Copies {
    type Output = Copy;

    fn index(&self, number: u32) -> &Copy {
        &self.all[number as usize]
    }
}

impl IndexMut<u32> for Copies {
    fn index_mut(&mut self, number: u32) -> &mut Copy {
        &mut self.all[number as usize]
    }
}
