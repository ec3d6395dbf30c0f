//! The sixteen barriers of a CTA, `bar` and `barrier{.cta}` (PTX ISA 9.7.13.1), as an H200 counts
//! (`testbench/vectors`, CTA barriers).
//!
//! A barrier counts instructions of warps, whichever warp executes them: each adds 32 threads. It is free, or in use with
//! a number of threads (or none) and a kind. It completes when as many threads have arrived as it was given; without a
//! number, when 32 have for each warp of the CTA that has not ended. Then the warps that wait go on, and it is free.

use crate::effect::{Bar, Visit};
use std::collections::BTreeMap;
use txbar_testbench::scoreboard::each;

/// Barriers that a CTA has.
pub const BARS: usize = 16;
/// Threads that an instruction of a warp adds, however many of its lanes execute it.
pub const WARP: u32 = 32;

/// An instruction of a warp that a barrier has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The warp.
    pub warp: usize,
    /// Lanes that executed it.
    pub lanes: u32,
    /// The first of their instructions.
    pub pc: usize,
    /// Barrier instruction.
    pub visit: Visit,
}

/// A barrier that is in use.
#[derive(Clone, Debug, Default)]
struct Use {
    arrivals: Vec<Arrival>,
    /// Threads with a predicate that holds, and all.
    yes: u32,
    all: u32,
}

impl Use {
    fn arrived(&self) -> u32 {
        WARP * self.arrivals.len() as u32
    }
}

/// A barrier.
#[derive(Clone, Debug, Default)]
struct One {
    current: Use,
    /// How often it has completed.
    completed: u64,
    /// The last completion that some warp made more than one arrival of: its number, and the arrivals.
    surplus: Option<(u64, Vec<Arrival>)>,
    /// The arrivals of the last completion.
    last: Vec<Arrival>,
    /// Instructions that were executed on it, and the warps (a bit each).
    users: BTreeMap<usize, u32>,
}

/// A barrier that has completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete {
    /// Arrivals counted.
    pub arrivals: Vec<Arrival>,
    /// `.red.popc`.
    pub count: u32,
    /// `.red.and`.
    pub and: bool,
}

impl Complete {
    /// The result of a thread that waits, of a reduction.
    pub fn result(&self, bar: Bar) -> Option<u64> {
        match bar {
            Bar::Popc(_) => Some(u64::from(self.count)),
            Bar::And(_) => Some(self.and as u64),
            Bar::Or(_) => Some((self.count > 0) as u64),
            Bar::Sync | Bar::Arrive => None,
        }
    }
}

/// Lanes of a warp that stand at a barrier of the CTA and are not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The warp.
    pub warp: usize,
    /// Instructions, and the lanes that stand at the barrier by each.
    pub here: Vec<(usize, u32)>,
    /// The lanes that are elsewhere and have not exited.
    pub elsewhere: u32,
}

/// What is known of a barrier of a CTA that threads wait for.
#[derive(Clone, Debug, PartialEq)]
pub struct BarStanding {
    /// The CTA.
    pub cta: u8,
    /// Number, 0 to 15.
    pub number: u8,
    /// Threads that it counts by its instructions; nothing: all of the CTA.
    pub threads: Option<u32>,
    /// Threads that it completes with: the same, or those of the warps that have not ended.
    pub wanted: u32,
    /// What it has counted since it completed last, 32 threads each.
    pub arrivals: Vec<Arrival>,
    /// How often it has completed.
    pub completed: u64,
    /// The last completion to which a warp contributed more than once: its number from 0, and what it counted.
    pub surplus: Option<(u64, Vec<Arrival>)>,
    /// What the last completion counted.
    pub last: Vec<Arrival>,
    /// Every instruction that has been executed on it, and the warps that have (a bit each).
    pub users: BTreeMap<usize, u32>,
    /// Warps some lanes of which have come and are not counted as long as others are elsewhere.
    pub partial: Vec<Partial>,
}

impl BarStanding {
    /// Threads that it has counted.
    pub fn arrived(&self) -> u32 {
        WARP * self.arrivals.len() as u32
    }

    /// Warps that have ever been counted.
    pub fn visitors(&self) -> u32 {
        self.users.values().fold(0, |all, warps| all | warps)
    }
}

/// Warps that made more than one of some arrivals.
pub fn repeated(arrivals: &[Arrival]) -> u32 {
    let (mut once, mut more) = (0, 0);
    for Arrival { warp, .. } in arrivals {
        more |= once & 1 << warp;
        once |= 1 << warp;
    }
    more
}

/// All barriers of a CTA.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    bars: [One; BARS],
}

impl Bars {
    /// A warp executes an instruction: `predicates` of its lanes hold.
    ///
    /// # Errors
    /// The barrier is in use with another number of threads or kind: by this arrival. The warp traps.
    pub fn arrive(&mut self, arrival: Arrival, predicates: u32) -> Result<(), Arrival> {
        let one = &mut self.bars[usize::from(arrival.visit.number)];
        if let Some(first) = one.current.arrivals.first().filter(|first| !first.visit.goes_with(&arrival.visit)) {
            return Err(*first);
        }
        *one.users.entry(arrival.pc).or_default() |= 1 << arrival.warp;
        one.current.yes += predicates.count_ones();
        one.current.all += arrival.lanes.count_ones();
        one.current.arrivals.push(arrival);
        Ok(())
    }

    /// A barrier that is complete, in a CTA of which this many warps have not ended; it is free again.
    pub fn complete(&mut self, number: usize, warps: u32) -> Option<Complete> {
        let one = &mut self.bars[number];
        let first = one.current.arrivals.first()?;
        if one.current.arrived() < first.visit.threads.unwrap_or(WARP * warps) {
            return None;
        }
        let Use { arrivals, yes, all } = std::mem::take(&mut one.current);
        if repeated(&arrivals) != 0 {
            one.surplus = Some((one.completed, arrivals.clone()));
        }
        one.completed += 1;
        one.last.clone_from(&arrivals);
        Some(Complete { arrivals, count: yes, and: yes == all })
    }

    /// What a barrier has counted since it completed last.
    pub fn counted(&self, number: u8) -> &[Arrival] {
        &self.bars[usize::from(number)].current.arrivals
    }

    /// What is known of a barrier; `visit` is what a thread that waits for it does there, and `warps` have not ended.
    pub fn standing(&self, cta: u8, visit: &Visit, warps: u32, partial: Vec<Partial>) -> BarStanding {
        let One { current, completed, surplus, last, users } = &self.bars[usize::from(visit.number)];
        let threads = current.arrivals.first().map_or(visit.threads, |first| first.visit.threads);
        BarStanding {
            cta,
            number: visit.number,
            threads,
            wanted: threads.unwrap_or(WARP * warps),
            arrivals: current.arrivals.clone(),
            completed: *completed,
            surplus: surplus.clone(),
            last: last.clone(),
            users: users.clone(),
            partial,
        }
    }
}

/// Threads of a warp's lanes.
pub fn threads_of(warp: usize, lanes: u32) -> impl Iterator<Item = usize> + Clone {
    each(u64::from(lanes)).map(move |lane| warp * 32 + lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn come(bars: &mut Bars, warp: usize, threads: Option<u32>, bar: Bar) -> Result<(), Arrival> {
        let visit = Visit { number: 1, threads, bar, aligned: true, together: 0 };
        let predicates = if matches!(bar, Bar::And(true) | Bar::Or(true) | Bar::Popc(true)) { u32::MAX } else { 0 };
        bars.arrive(Arrival { warp, lanes: u32::MAX, pc: 10 + warp, visit }, predicates)
    }

    fn warps(complete: &Complete) -> Vec<usize> {
        complete.arrivals.iter().map(|arrival| arrival.warp).collect()
    }

    #[test]
    fn instructions_of_warps_are_counted_whoever_executes_them() {
        let mut bars = Bars::default();
        come(&mut bars, 0, Some(96), Bar::Arrive).expect("it is free");
        come(&mut bars, 0, Some(96), Bar::Arrive).expect("a warp may come again");
        assert_eq!(bars.complete(1, 2), None);
        come(&mut bars, 1, Some(96), Bar::Sync).expect("sync and arrive go together");
        assert_eq!(bars.complete(1, 2).map(|complete| warps(&complete)), Some(vec![0, 0, 1]));
        let visit = Visit { number: 1, threads: Some(96), bar: Bar::Sync, aligned: true, together: 0 };
        let standing = bars.standing(0, &visit, 2, Vec::new());
        assert_eq!((standing.completed, standing.arrived(), standing.visitors()), (1, 0, 0b11));
        assert_eq!(standing.surplus.map(|(number, arrivals)| (number, repeated(&arrivals))), Some((0, 0b1)));
    }

    #[test]
    fn without_a_number_the_warps_that_have_not_ended_count() {
        let mut bars = Bars::default();
        assert_eq!(bars.complete(1, 0), None, "a barrier that is free does not complete");
        come(&mut bars, 0, None, Bar::Sync).expect("it is free");
        assert_eq!(bars.complete(1, 2), None);
        assert!(bars.complete(1, 1).is_some(), "the other warp has ended");
    }

    #[test]
    fn reductions_are_of_all_lanes() {
        let mut bars = Bars::default();
        come(&mut bars, 0, None, Bar::And(true)).expect("it is free");
        come(&mut bars, 1, None, Bar::And(false)).expect("it is of the same kind");
        let complete = bars.complete(1, 2).expect("both are there");
        assert_eq!((complete.count, complete.and), (32, false));
        assert_eq!(complete.result(Bar::Or(false)), Some(1));
    }

    #[test]
    fn another_count_or_kind_is_refused_while_it_is_in_use() {
        let cases = [
            (Some(32), Bar::Sync, Some(96), Bar::Sync),
            (Some(32), Bar::Sync, None, Bar::Sync),
            (None, Bar::Sync, Some(32), Bar::Arrive),
            (None, Bar::Sync, None, Bar::Or(true)),
            (Some(32), Bar::And(true), Some(32), Bar::Arrive),
            (Some(32), Bar::And(true), Some(32), Bar::Or(true)),
            (None, Bar::Popc(true), None, Bar::Or(true)),
        ];
        for (threads, bar, others, other) in cases {
            let mut bars = Bars::default();
            come(&mut bars, 0, threads, bar).expect("it is free");
            let refused = come(&mut bars, 1, others, other).expect_err("it is in use");
            assert_eq!((refused.warp, refused.visit.threads), (0, threads), "{bar:?} and {other:?}");
            assert!(bars.complete(1, 1).is_some(), "{threads:?} are there");
            come(&mut bars, 1, others, other).expect("it is free again");
        }
    }
}
