//! Rates and latencies over time, in a limited number of slices.

use serde::{Deserialize, Serialize};

/// What happened in each slice of time. The slices are of one width, a power of two; when there are too many, each two
/// become one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Series {
    /// Cycles of a slice.
    pub width: u64,
    /// Requests accepted.
    pub accepted: Vec<u64>,
    /// Answers taken, but those of suspended waits.
    pub answered: Vec<u64>,
    /// Their latencies, added up, in cycles.
    pub latency_sum: Vec<u64>,
    /// The longest of them.
    pub latency_max: Vec<u64>,
    /// Phases completed.
    pub flips: Vec<u64>,
    /// Operations that ended with another status than `ok`.
    pub faults: Vec<u64>,
}

impl Default for Series {
    fn default() -> Self {
        let [accepted, answered, latency_sum, latency_max, flips, faults] = [const { Vec::new() }; 6];
        Self { width: 1, accepted, answered, latency_sum, latency_max, flips, faults }
    }
}

impl Series {
    /// Slices at most.
    pub const BUCKETS: usize = 2048;

    /// Number of the slice of a cycle, which is there then.
    fn slice(&mut self, cycle: u64) -> usize {
        while cycle / self.width >= Self::BUCKETS as u64 {
            self.halve();
        }
        let slice = (cycle / self.width) as usize;
        if self.accepted.len() <= slice {
            let (sums, greatest) = self.columns();
            for column in sums.into_iter().chain([greatest]) {
                column.resize(slice + 1, 0);
            }
        }
        slice
    }

    /// Columns whose values are added up when two slices become one, and the one of which the greater stays.
    fn columns(&mut self) -> ([&mut Vec<u64>; 5], &mut Vec<u64>) {
        let Self { accepted, answered, latency_sum, latency_max, flips, faults, .. } = self;
        ([accepted, answered, latency_sum, flips, faults], latency_max)
    }

    /// Makes one of each two slices.
    fn halve(&mut self) {
        let (sums, greatest) = self.columns();
        for column in sums {
            *column = column.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        *greatest = greatest.chunks(2).map(|pair| pair.iter().copied().max().unwrap_or(0)).collect();
        self.width *= 2;
    }

    /// A request is accepted.
    pub(super) fn accept(&mut self, cycle: u64) {
        let slice = self.slice(cycle);
        self.accepted[slice] += 1;
    }

    /// An answer is taken, this many cycles after its request was accepted.
    pub(super) fn answer(&mut self, cycle: u64, latency: u64) {
        let slice = self.slice(cycle);
        self.answered[slice] += 1;
        self.latency_sum[slice] += latency;
        self.latency_max[slice] = self.latency_max[slice].max(latency);
    }

    /// A phase completes.
    pub(super) fn flip(&mut self, cycle: u64) {
        let slice = self.slice(cycle);
        self.flips[slice] += 1;
    }

    /// An operation ends with another status than `ok`.
    pub(super) fn fault(&mut self, cycle: u64) {
        let slice = self.slice(cycle);
        self.faults[slice] += 1;
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let slices = self.accepted.len();
        let others = [&self.answered, &self.latency_sum, &self.latency_max, &self.flips, &self.faults];
        if self.width == 0 || others.iter().any(|column| column.len() != slices) {
            return Err("the columns of `series` are not of one length, or its `width` is 0".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_double_and_nothing_is_lost() {
        let mut series = Series::default();
        let cycles = 10 * Series::BUCKETS as u64 + 3;
        for cycle in 0..cycles {
            series.accept(cycle);
            series.answer(cycle, cycle % 7);
        }
        assert_eq!(series.width, 16);
        assert!(series.accepted.len() <= Series::BUCKETS);
        assert_eq!(series.accepted.iter().sum::<u64>(), cycles);
        assert_eq!(series.latency_sum.iter().sum::<u64>(), (0..cycles).map(|cycle| cycle % 7).sum::<u64>());
        assert!(series.latency_max[..series.latency_max.len() - 1].iter().all(|max| *max == 6));
        assert_eq!(series.check(), Ok(()));
    }
}
