//! Barriers of CTAs and of the cluster in loops that are followed: who arrives, and whether they may complete.
//!
//! A barrier may complete if as many may come as it needs, whenever that is. Then all who come to it go on, whenever that is: what is
//! followed is more than what can happen, never less. Lanes of a warp wait for each other first, as ever (`at_bar`, `rounds`). A warp
//! that arrives with `bar.arrive` goes on at once, and may do so again and again: then it alone may bring all that the barrier needs.

use super::bars::WARP;
use super::standstill::Walk;
use super::*;
use crate::effect::{Bar, Round, Visit};
use crate::thread::shadow::{Shade, Shadow, UNKNOWN};
use std::collections::{BTreeMap, BTreeSet};

/// A barrier of a CTA that threads come to.
#[derive(Default)]
pub(super) struct Crossing {
    /// Who has come, at its instruction: all, until it may complete; then those whose result may be another yet.
    come: Vec<(usize, Shadow, Visit)>,
    /// Warps that have come, a bit each: in part, and with an instruction that some lanes may pass over.
    warps: u32,
    alone: u32,
    /// The numbers of threads that its instructions name.
    counts: BTreeSet<Option<u32>>,
    /// The barrier may complete.
    opens: bool,
    /// `.arrive` is executed on it, and may be counted; a reduction is.
    arrives: bool,
    reduces: bool,
    /// The predicate that each thread brings to a reduction: nothing if it varies. How many hold, and how many vary.
    brings: BTreeMap<usize, Option<bool>>,
    yes: usize,
    varies: usize,
}

impl Crossing {
    /// Threads that contribute to a reduction.
    pub(super) fn bringers(&self) -> Vec<usize> {
        self.brings.keys().copied().collect()
    }

    /// A thread brings a predicate, which may not be known: whether that makes a difference to anybody's result.
    fn takes(&mut self, by: usize, holds: Option<bool>, live: usize) -> bool {
        let before = self.brings.get(&by).copied();
        let brings = if before.is_none_or(|before| before == holds) { holds } else { None };
        if before == Some(brings) {
            return false;
        }
        let all = |of: &Self| {
            let kinds = [Bar::Popc(true), Bar::And(true), Bar::Or(true)];
            kinds.map(|bar| [None, Some(WARP)].map(|threads| of.result(bar, threads, live)))
        };
        let results = all(self);
        self.yes += usize::from(brings == Some(true));
        self.yes -= usize::from(before == Some(Some(true)));
        self.varies += usize::from(brings.is_none());
        self.brings.insert(by, brings);
        results != all(self)
    }

    /// The result of a reduction of this many threads, in a CTA of which this many have not exited; nothing if it is not known.
    fn result(&self, bar: Bar, threads: Option<u32>, live: usize) -> Option<u64> {
        let (all, yes) = (self.brings.len(), self.yes);
        let of_all = threads.is_none() && all == live;
        if self.varies > 0 || !of_all && yes != 0 && (yes != all || matches!(bar, Bar::Popc(_))) {
            return None;
        }
        Some(match bar {
            Bar::Popc(_) => yes as u64,
            Bar::And(_) => (yes == all) as u64,
            _ => (yes != 0) as u64,
        })
    }
}

/// The barrier of the cluster.
pub(super) struct Gathering {
    /// Lanes of each warp that have come to a barrier of their CTA.
    at_bars: Vec<u32>,
    /// Lanes of each warp that have come to this one.
    lanes: Vec<u32>,
    /// Those that wait for other lanes of their warp.
    come: Vec<(usize, Shadow, Round)>,
    waits: Vec<(usize, Shadow)>,
    /// Threads that have arrived in the round that is going on, or come to it.
    arrived: Vec<bool>,
    opens: bool,
}

impl Gathering {
    pub(super) fn new(machine: &Machine, warps: usize) -> Self {
        let runners = || machine.blocks.iter().flat_map(|block| &block.runners);
        let round = machine.round();
        let arrived = runners().map(|runner| runner.state == State::Exited || runner.round > round).collect();
        let none = vec![0; warps];
        Self { at_bars: none.clone(), lanes: none, come: Vec::new(), waits: Vec::new(), arrived, opens: false }
    }
}

impl Machine<'_> {
    /// Rounds of the barrier of the cluster that have completed.
    fn round(&self) -> u64 {
        let runners = self.blocks.iter().flat_map(|block| &block.runners);
        runners.filter(|runner| runner.state != State::Exited).map(|runner| runner.round).min().unwrap_or(0)
    }
}

impl Walk<'_, '_> {
    /// The number of a warp in the cluster, and its lanes that have not exited.
    fn warp(&self, at: usize) -> (usize, u32) {
        let (cta, warp, _) = self.place(at);
        let block = &self.machine.blocks[cta];
        (cta * block.warps.len() + warp, block.warps[warp].live)
    }

    /// A thread comes to a barrier of its CTA, `alone` if the other lanes may pass over the instruction.
    pub(super) fn comes_to_bar(&mut self, at: usize, shadow: Shadow, visit: Visit, shade: Shade, alone: bool) {
        let (cta, warp, lane) = self.place(at);
        let (number, live) = self.warp(at);
        self.gathering.at_bars[number] |= 1 << lane;
        let crossing = self.crossings.entry((cta, visit.number)).or_default();
        crossing.warps |= 1 << warp;
        crossing.alone |= u32::from(alone) << warp;
        crossing.counts.insert(visit.threads);
        let mut changes = false;
        if let Bar::Popc(holds) | Bar::And(holds) | Bar::Or(holds) = visit.bar {
            crossing.reduces = true;
            self.threads[at].decisive |= shade & !UNKNOWN;
            let known = (shade & UNKNOWN == 0).then_some(holds);
            changes = crossing.takes(at, known, self.machine.blocks[cta].live);
        }
        crossing.come.push((at, shadow, visit));
        if crossing.opens {
            let from = if changes { 0 } else { crossing.come.len() - 1 };
            return self.lets_go(cta, visit.number, from);
        }
        if !alone && self.gathering.at_bars[number] != live {
            return;
        }
        let mut numbers: Vec<u8> =
            self.crossings.keys().filter(|(of, _)| *of == cta).map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        for number in numbers {
            if self.may_complete(cta, number) {
                self.lets_go(cta, number, 0);
            }
        }
    }

    /// Whether a barrier of a CTA may count a warp: its lanes come to barriers, and some of them to this.
    fn comes(&self, cta: usize, number: u8, warp: usize) -> bool {
        let block = &self.machine.blocks[cta];
        self.crossings.get(&(cta, number)).is_some_and(|crossing| {
            let all = self.gathering.at_bars[cta * block.warps.len() + warp] == block.warps[warp].live;
            crossing.warps >> warp & 1 != 0
                && (crossing.alone >> warp & 1 != 0 || all && !self.stand_apart(crossing, cta, warp))
        })
    }

    /// Whether lanes of a warp have come to a barrier of their CTA by several instructions with `.aligned`, and by one each: they never go on.
    fn stand_apart(&self, crossing: &Crossing, cta: usize, warp: usize) -> bool {
        let first = cta * self.of_cta + 32 * warp;
        let come = || crossing.come.iter().filter(|(at, ..)| (first..first + 32).contains(at));
        let (mut lanes, mut pcs) = (0u32, BTreeSet::new());
        for (at, shadow, visit) in come() {
            let lane = 1 << (at - first);
            if !visit.aligned || lanes & lane != 0 {
                return false;
            }
            lanes |= lane;
            pcs.insert(shadow.pc());
        }
        pcs.len() > 1
    }

    /// Whether instructions that may meet on a barrier of a CTA disagree, which is a fault. That those of a barrier that completes again and
    /// again are of the same kind has shown itself.
    pub(super) fn is_at_odds(&self) -> bool {
        self.crossings.iter().any(|((cta, number), crossing)| {
            let counted = self.machine.blocks[*cta].bars.counted(*number).iter().map(|arrival| arrival.visit);
            let may_be_counted = |(at, ..): &&(usize, Shadow, Visit)| self.comes(*cta, *number, self.place(*at).1);
            let come = crossing.come.iter().filter(may_be_counted).map(|(_, _, visit)| *visit);
            let mut visits = counted.chain(come);
            match visits.next() {
                _ if crossing.opens => crossing.counts.len() > 1 || crossing.arrives && crossing.reduces,
                Some(first) => visits.any(|visit| !visit.goes_with(&first)),
                None => false,
            }
        })
    }

    /// Whether a barrier of a CTA, which could not so far, may complete: as many may come as it needs.
    fn may_complete(&mut self, cta: usize, number: u8) -> bool {
        let block = &self.machine.blocks[cta];
        let live = block.warps.iter().filter(|warp| warp.live != 0).count() as u32; // 32 at most
        let comes: Vec<bool> = (0..block.warps.len()).map(|warp| self.comes(cta, number, warp)).collect();
        let Some(crossing) = self.crossings.get_mut(&(cta, number)).filter(|crossing| !crossing.opens) else {
            return false;
        };
        let counted = block.bars.counted(number);
        let waiting = counted.iter().filter(|one| one.visit.bar != Bar::Arrive).fold(0, |all, one| all | 1 << one.warp);
        let more = comes.iter().enumerate().filter(|(warp, comes)| **comes && waiting >> warp & 1 == 0).count();
        let needs = |visit: &Visit| visit.threads.unwrap_or(WARP * live);
        let all = crossing.come.iter().map(|(_, _, visit)| needs(visit));
        let needed = counted.first().map(|first| needs(&first.visit)).or(all.min());
        let come = counted.len() + more;
        let arrives =
            |(at, _, visit): &(usize, Shadow, Visit)| visit.bar == Bar::Arrive && comes[at % self.of_cta / 32];
        crossing.arrives = crossing.come.iter().any(arrives);
        crossing.opens = crossing.arrives || come > 0 && needed.is_some_and(|needed| come as u32 * WARP >= needed);
        crossing.opens
    }

    /// Lets those go on that have come to a barrier of a CTA, all from this one on.
    fn lets_go(&mut self, cta: usize, number: u8, from: usize) {
        let live = self.machine.blocks[cta].live;
        let Some(crossing) = self.crossings.get_mut(&(cta, number)) else { return };
        let come = crossing.come.split_off(from);
        for (at, shadow, visit) in come {
            let mut on = shadow.clone();
            match visit.bar {
                Bar::Sync | Bar::Arrive => on.finish(self.machine.program, &[], 0),
                Bar::Popc(_) | Bar::And(_) | Bar::Or(_) => {
                    let result = crossing.result(visit.bar, visit.threads, live);
                    let shade = if result.is_some() { 0 } else { UNKNOWN };
                    on.finish(self.machine.program, &[result.unwrap_or(0)], shade);
                    crossing.come.push((at, shadow, visit));
                }
            }
            self.threads[at].loops = true;
            self.left.push((at, on, true));
        }
    }

    /// A thread comes to the barrier of the cluster: to arrive or to wait.
    pub(super) fn comes_to_round(&mut self, at: usize, shadow: Shadow, round: Round) {
        let (warp, live) = self.warp(at);
        let lane = at % self.of_cta % 32;
        let first = at - lane;
        self.gathering.lanes[warp] |= 1 << lane;
        self.gathering.come.push((at, shadow, round));
        let all = (self.gathering.lanes[warp] | self.gathering.at_bars[warp]) == live;
        let goes = |(of, _, round): &mut (usize, Shadow, Round)| {
            *of == at && !round.aligned || all && (first..first + 32).contains(of)
        };
        for (at, mut shadow, round) in self.gathering.come.extract_if(.., goes).collect::<Vec<_>>() {
            if !round.wait {
                self.gathering.arrived[at] = true;
            } else if self.gathering.arrived[at] && !self.gathering.opens {
                self.gathering.waits.push((at, shadow));
                continue;
            } else {
                // who has not arrived in the round that is going on waits for one that is over
                self.threads[at].loops = true;
            }
            shadow.finish(self.machine.program, &[], 0);
            self.left.push((at, shadow, true));
        }
        if !self.gathering.opens && self.gathering.arrived.iter().all(|arrived| *arrived) {
            self.gathering.opens = true;
            for (at, mut shadow) in std::mem::take(&mut self.gathering.waits) {
                shadow.finish(self.machine.program, &[], 0);
                self.threads[at].loops = true;
                self.left.push((at, shadow, true));
            }
        }
    }
}
