//! Bytes expected on a barrier, matched with those of the copies begun for it, in the order of both.
//!
//! In most kernels each `expect_tx` is for the next copy or copies. As long as that is so, copies that are left over were begun before
//! the phase that they are for: their sizes are right.

use crate::machine::state::ThreadId;
use std::collections::VecDeque;

/// Entries that are kept of each side.
const MOST: usize = 256;

/// A copy whose bytes are completed on a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Thread that began it.
    pub who: ThreadId,
    /// Index of the instruction.
    pub pc: usize,
    /// Bytes.
    pub bytes: u64,
}

/// Both sides, without what has come to the same.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    expected: VecDeque<u64>,
    copied: VecDeque<Copy>,
    /// Bytes that were expected at once were not those of one copy or several: no more is said.
    uneven: bool,
}

impl Ledger {
    /// Bytes are expected.
    pub fn expects(&mut self, bytes: u64) {
        self.expected.push_back(bytes);
        self.settle();
    }

    /// A copy begins.
    pub fn copies(&mut self, copy: Copy) {
        self.copied.push_back(copy);
        self.settle();
    }

    /// Forgets what has been copied as it was expected.
    fn settle(&mut self) {
        self.uneven |= self.expected.len().max(self.copied.len()) > MOST;
        while let Some(expected) = self.expected.front().filter(|_| !self.uneven) {
            let (mut copies, mut sum) = (0, 0);
            while sum < *expected {
                let Some(copy) = self.copied.get(copies) else { return };
                sum += copy.bytes;
                copies += 1;
            }
            self.uneven = sum > *expected;
            self.expected.pop_front();
            self.copied.drain(..copies);
        }
        if self.uneven {
            (self.expected, self.copied) = Default::default();
        }
    }

    /// The first copy that was begun before anybody expected its bytes, if all before it were as they were expected.
    pub fn ahead(&self) -> Option<Copy> {
        self.copied.front().copied().filter(|_| self.expected.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(bytes: u64) -> Copy {
        Copy { who: ThreadId::default(), pc: 0, bytes }
    }

    #[test]
    fn what_is_left_over_is_ahead() {
        let mut ledger = Ledger::default();
        ledger.expects(96);
        for bytes in [32, 64, 96] {
            ledger.copies(copy(bytes));
        }
        assert_eq!(ledger.ahead(), Some(copy(96)), "the first two were expected together");
        ledger.expects(96);
        assert_eq!(ledger.ahead(), None);
    }

    #[test]
    fn a_copy_of_another_size_is_not_ahead() {
        let mut ledger = Ledger::default();
        for _ in 0..4 {
            ledger.expects(1024);
            ledger.copies(copy(2048));
            assert_eq!(ledger.ahead(), None);
        }
    }
}
