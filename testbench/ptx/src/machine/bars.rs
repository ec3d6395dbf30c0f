//! The sixteen barriers of a CTA: `bar` and `barrier.cta` (PTX ISA 9.7.13.1).
//!
//! A barrier counts whole warps: a warp is there when all its lanes that have not exited have come, whichever instruction
//! brought them. It completes when the threads that take part are there: all warps of the CTA that have not exited, or as
//! many threads as the instruction says.

use crate::effect::Bar;

/// Barriers that a CTA has.
pub const BARS: usize = 16;

/// One of them.
#[derive(Clone, Debug, Default)]
struct One {
    /// Lanes that have come, by warp.
    come: Vec<u32>,
    /// Those of them that wait.
    waiting: Vec<u32>,
    /// Threads that take part, if somebody said.
    threads: Option<u32>,
    /// How many came with a predicate that holds, and how many came.
    yes: u32,
    all: u32,
}

/// All of them.
#[derive(Clone, Debug)]
pub struct Bars {
    bars: Vec<One>,
}

/// A barrier that has completed: who waited for it, by warp, and what reductions came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete {
    /// Lanes that took part, by warp.
    pub come: Vec<u32>,
    /// Lanes that go on, by warp.
    pub waiting: Vec<u32>,
    /// `.red.popc`.
    pub count: u32,
    /// `.red.and`.
    pub and: bool,
}

impl Bars {
    /// For so many warps.
    pub fn new(warps: usize) -> Self {
        let one = One { come: vec![0; warps], waiting: vec![0; warps], ..One::default() };
        Self { bars: vec![one; BARS] }
    }

    /// Whether a lane that has come already would come once more.
    pub fn is_there(&self, number: usize, warp: usize, lane: usize) -> bool {
        self.bars[number].come[warp] >> lane & 1 != 0
    }

    /// A lane comes.
    pub fn come(&mut self, number: usize, warp: usize, lane: usize, threads: Option<u32>, bar: Bar) {
        let one = &mut self.bars[number];
        one.come[warp] |= 1 << lane;
        if bar != Bar::Arrive {
            one.waiting[warp] |= 1 << lane;
        }
        one.threads = one.threads.or(threads);
        one.all += 1;
        one.yes += matches!(bar, Bar::Popc(true) | Bar::And(true) | Bar::Or(true)) as u32;
    }

    /// A barrier that is complete, given the lanes of each warp that have not exited; it begins anew.
    pub fn complete(&mut self, number: usize, live: impl Fn(usize) -> u32) -> Option<Complete> {
        let one = &mut self.bars[number];
        let warps = one.come.len();
        let there = |warp: usize| one.come[warp] != 0 && live(warp) & !one.come[warp] == 0;
        let present = (0..warps).filter(|warp| there(*warp)).count() as u32 * 32;
        let wanted = match one.threads {
            Some(threads) => threads,
            None => (0..warps).filter(|warp| live(*warp) != 0 || one.come[*warp] != 0).count() as u32 * 32,
        };
        if present == 0 || present < wanted {
            return None;
        }
        let (come, waiting) = (one.come.clone(), one.waiting.clone());
        let complete = Complete { come, waiting, count: one.yes, and: one.yes == one.all };
        *one = One { come: vec![0; warps], waiting: vec![0; warps], ..One::default() };
        Some(complete)
    }

    /// Threads that a barrier lacks: those of warps that have not come, of the ones that have not exited; nothing if it
    /// counts a number of threads that the instruction said.
    pub fn lacks(&self, number: usize, warp: usize, live: u32) -> u32 {
        live & !self.bars[number].come[warp]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lanes_of_all_warps_that_live() {
        let mut bars = Bars::new(2);
        let live = |warp: usize| [0b11, 0b1][warp];
        bars.come(0, 0, 0, None, Bar::Sync);
        bars.come(0, 1, 0, None, Bar::Popc(true));
        assert_eq!(bars.complete(0, live), None, "lane 1 of warp 0 is missing");
        assert_eq!(bars.lacks(0, 0, 0b11), 0b10);
        bars.come(0, 0, 1, None, Bar::Arrive);
        let complete = bars.complete(0, live).expect("all are there");
        assert_eq!((complete.waiting, complete.come), (vec![0b01, 0b1], vec![0b11, 0b1]));
        assert_eq!((complete.count, complete.and), (1, false));
        assert_eq!(bars.complete(0, live), None, "it begins anew");
    }

    #[test]
    fn a_warp_that_exits_is_not_waited_for() {
        let mut bars = Bars::new(2);
        bars.come(3, 0, 0, None, Bar::Sync);
        assert_eq!(bars.complete(3, |_| 1), None);
        assert!(bars.complete(3, |warp| [1, 0][warp]).is_some());
    }

    #[test]
    fn a_number_of_threads_counts_warps() {
        let mut bars = Bars::new(3);
        for warp in [0, 2] {
            assert_eq!(bars.complete(1, |_| 1), None);
            bars.come(1, warp, 0, Some(64), Bar::Sync);
        }
        assert!(bars.complete(1, |_| 1).is_some());
    }
}
