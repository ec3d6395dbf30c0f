//! The last cycles of a run: the changes in each, and the values before them.

use std::collections::VecDeque;

/// A change: the number of a value, and the value.
pub(crate) type Change = (u32, u64);

/// The last cycles.
///
/// ```text
///   base ──► cycle n: changes ──► cycle n+1: changes ──► ... ──► now
///    ▲            │
///    └────────────┘  when a cycle is dropped, its changes go into the base
/// ```
#[derive(Debug)]
pub(crate) struct Ring {
    /// Cycles that are kept.
    keep: usize,
    /// What everything was before the first of the cycles.
    base: Vec<u64>,
    cycles: VecDeque<(u64, Vec<Change>)>,
    changes: usize,
}

impl Ring {
    /// Keeps this many cycles of this many values.
    pub fn new(keep: usize, values: usize) -> Self {
        Self { keep: keep.max(1), base: vec![0; values], cycles: VecDeque::new(), changes: 0 }
    }

    /// A cycle and its changes.
    pub fn push(&mut self, cycle: u64, changes: &[Change]) {
        let mut entry = Vec::new();
        if self.cycles.len() >= self.keep
            && let Some(mut oldest) = self.drop_oldest()
        {
            oldest.clear();
            entry = oldest; // its memory is used again
        }
        entry.extend_from_slice(changes);
        self.changes += changes.len();
        self.cycles.push_back((cycle, entry));
    }

    /// Forgets the oldest cycle, which goes into the base.
    fn drop_oldest(&mut self) -> Option<Vec<Change>> {
        let (_, oldest) = self.cycles.pop_front()?;
        for (position, value) in &oldest {
            self.base[*position as usize] = *value;
        }
        self.changes -= oldest.len();
        Some(oldest)
    }

    /// The last cycle; 0 if there is none.
    pub fn last(&self) -> u64 {
        self.cycles.back().map_or(0, |(cycle, _)| *cycle)
    }

    /// Forgets the cycles before this one.
    pub fn begin_at(&mut self, cycle: u64) {
        while self.cycles.len() > 1 && self.cycles.front().is_some_and(|(oldest, _)| *oldest < cycle) {
            self.drop_oldest();
        }
    }

    /// Forgets the cycles, and holds those that another ring holds.
    pub fn restart(&mut self, other: &Ring) {
        self.base.copy_from_slice(&other.base);
        self.cycles.clone_from(&other.cycles);
        self.changes = other.changes;
    }

    /// The cycles, each with its changes; those of the first are all values.
    pub fn take(&mut self) -> Vec<(u64, Vec<Change>)> {
        let mut cycles: Vec<_> = self.cycles.drain(..).collect();
        self.changes = 0;
        if let Some((_, first)) = cycles.first_mut() {
            for (position, value) in first.drain(..) {
                self.base[position as usize] = value;
            }
            first.extend(self.base.iter().enumerate().map(|(position, value)| (position as u32, *value)));
        }
        cycles
    }

    /// Bytes that are held.
    pub fn held(&self) -> usize {
        self.base.len() * size_of::<u64>() + self.changes * size_of::<Change>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_cycles_are_kept_and_begin_with_everything() {
        let mut ring = Ring::new(2, 3);
        ring.push(0, &[(0, 7), (1, 8), (2, 9)]);
        ring.push(1, &[(1, 80)]);
        ring.push(2, &[(0, 70)]);
        ring.push(3, &[(2, 90)]);
        assert_eq!(ring.take(), [(2, vec![(0, 70), (1, 80), (2, 9)]), (3, vec![(2, 90)])]);
        assert_eq!(ring.take(), []);
    }

    #[test]
    fn it_can_begin_again() {
        let mut ring = Ring::new(4, 2);
        ring.push(0, &[(0, 1), (1, 1)]);
        let mut recent = Ring::new(1, 2);
        recent.push(7, &[(0, 5), (1, 5)]);
        recent.push(8, &[(1, 6)]);
        ring.restart(&recent);
        ring.push(9, &[(1, 7)]);
        assert_eq!(ring.take(), [(8, vec![(0, 5), (1, 6)]), (9, vec![(1, 7)])]);
    }

    #[test]
    fn it_can_begin_later() {
        let mut ring = Ring::new(4, 2);
        ring.push(0, &[(0, 1), (1, 1)]);
        ring.push(1, &[(0, 2)]);
        ring.push(2, &[(1, 3)]);
        ring.begin_at(1);
        assert_eq!(ring.held(), 2 * size_of::<u64>() + 2 * size_of::<Change>());
        assert_eq!(ring.take(), [(1, vec![(0, 2), (1, 1)]), (2, vec![(1, 3)])]);
        ring.push(3, &[(0, 4), (1, 5)]);
        ring.begin_at(9);
        assert_eq!(ring.take(), [(3, vec![(0, 4), (1, 5)])], "the last is kept");
    }

    #[test]
    fn what_it_holds_does_not_grow() {
        let mut ring = Ring::new(8, 4);
        let mut most = 0;
        for cycle in 0..10_000 {
            ring.push(cycle, &[(0, cycle), (1, cycle), (2, 0)]);
            most = most.max(ring.held());
        }
        assert_eq!(most, 4 * 8 + 8 * 3 * size_of::<Change>());
    }
}
