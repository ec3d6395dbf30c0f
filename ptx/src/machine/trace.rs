//! Instruction of each operation on a barrier, for reports.

use super::*;
use txbar_rtl::op::Op;

/// An operation that has taken effect on a word of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    /// Cycle.
    pub cycle: u64,
    /// The word.
    pub spot: Spot,
    /// Operation.
    pub op: Op,
    /// The instruction; of bytes that were completed, that of the last copy to this barrier.
    pub pc: usize,
}

/// The last operations of a cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    most: usize,
    rows: VecDeque<Traced>,
}

impl Trace {
    /// Keeps so many.
    pub(super) fn of(most: usize) -> Self {
        Self { most, rows: VecDeque::new() }
    }

    pub(super) fn note(&mut self, traced: Traced) {
        if self.rows.len() == self.most {
            self.rows.pop_front();
        }
        if self.most > 0 {
            self.rows.push_back(traced);
        }
    }

    pub(super) fn take(&mut self) -> Vec<Traced> {
        std::mem::take(&mut self.rows).into()
    }
}
