//! Causes of a hang at a barrier of a CTA.

use super::bars::{Arrival, BarStanding, Partial, repeated, threads_of};
use super::diagnose::{Diagnosis, Part, Why, sentence};
use super::hang::{Group, Waits};
use super::owed::branched;
use super::*;

/// Warps, a bit each, as `warp 0` or `warps 0, 2`.
pub(crate) fn named(warps: u32) -> String {
    let numbers: Vec<String> = (0..32).filter(|warp| warps >> warp & 1 != 0).map(|warp| warp.to_string()).collect();
    format!("warp{} {}", if numbers.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// What warps do, with the verb for one and for more: nothing if there are none.
pub(crate) fn does(warps: u32, one: &str, more: &str) -> Option<String> {
    (warps != 0).then(|| format!("{} {}", named(warps), if warps.count_ones() == 1 { one } else { more }))
}

fn warps_of(arrivals: &[Arrival]) -> u32 {
    arrivals.iter().fold(0, |warps, arrival| warps | 1 << arrival.warp)
}

/// `64 of 96 threads have arrived on barrier 1`.
fn has_arrived(bar: &BarStanding) -> String {
    format!("{} of {} threads have arrived on barrier {}", bar.arrived(), bar.wanted, bar.number)
}

impl Machine<'_> {
    /// Lanes of a warp that stand at a barrier of the CTA: those that it has counted, and the others.
    fn lanes_at_bar(&self, cta: usize, number: u8, warp: usize) -> [u32; 2] {
        let block = &self.blocks[cta];
        let mut lanes = [0; 2];
        for thread in threads_of(warp, block.warps[warp].live) {
            match block.runners[thread].state {
                State::AtBar { visit, counted } if visit.number == number => {
                    lanes[usize::from(!counted)] |= 1 << (thread % 32);
                }
                _ => {}
            }
        }
        lanes
    }

    /// Threads that a barrier of the CTA waits for as far as it is known who they are: the other lanes of warps that have
    /// come in part, and without a number of threads all that have not come.
    pub(super) fn missing_at_bar(&self, cta: usize, number: u8) -> Vec<u16> {
        let warps = self.blocks[cta].warps.iter().enumerate();
        let lacks = |(warp, state): (usize, &Warp)| {
            let [counted, standing] = self.lanes_at_bar(cta, number, warp);
            let all = self.counts(cta, number).is_none_or(|visit| visit.threads.is_none());
            let lacking = if all || standing != 0 { state.live & !(counted | standing) } else { 0 };
            threads_of(warp, lacking).map(|thread| thread as u16).collect::<Vec<_>>()
        };
        warps.flat_map(lacks).collect()
    }

    /// What a thread that stands at a barrier of the CTA does there, one that it has counted if there is one.
    fn counts(&self, cta: usize, number: u8) -> Option<crate::effect::Visit> {
        let visits = self.blocks[cta].runners.iter().filter_map(|runner| match runner.state {
            State::AtBar { visit, counted } if visit.number == number => Some((counted, visit)),
            _ => None,
        });
        visits.max_by_key(|(counted, _)| *counted).map(|(_, visit)| visit)
    }

    /// The barriers of CTAs that are waited for.
    pub(super) fn bar_standings(&self, groups: &[Group]) -> Vec<BarStanding> {
        let mut waited: Vec<(u8, u8)> = groups
            .iter()
            .filter_map(|group| if let Waits::Bar(number) = group.waits { Some((group.cta, number)) } else { None })
            .collect();
        waited.sort_unstable();
        waited.dedup();
        let standing = |(cta, number): (u8, u8)| {
            let visit = self.counts(usize::from(cta), number)?;
            let block = &self.blocks[usize::from(cta)];
            let live = block.warps.iter().filter(|warp| warp.live != 0).count() as u32;
            let partial = (0..block.warps.len()).filter_map(|warp| {
                let [_, standing] = self.lanes_at_bar(usize::from(cta), number, warp);
                let mut here: Vec<(usize, u32)> = Vec::new();
                for thread in threads_of(warp, standing) {
                    let (pc, lane) = (block.runners[thread].lane.pc, 1 << (thread % 32));
                    match here.iter_mut().find(|(other, _)| *other == pc) {
                        Some((_, lanes)) => *lanes |= lane,
                        None => here.push((pc, lane)),
                    }
                }
                (standing != 0).then_some(Partial { warp, here, elsewhere: block.warps[warp].live & !standing })
            });
            Some(block.bars.standing(cta, &visit, live, partial.collect()))
        };
        waited.into_iter().filter_map(standing).collect()
    }

    /// What is wrong with barriers of CTAs: first those whose counts cannot come true. Others may wait because of these, or of what
    /// has been `found` already.
    pub(super) fn about_bars(&self, groups: &[Group], bars: &[BarStanding], found: bool) -> Vec<Diagnosis> {
        let pc = |bar: &BarStanding| {
            let here = |group: &&Group| group.cta == bar.cta && group.waits == Waits::Bar(bar.number);
            groups.iter().find(here).map_or(0, |group| group.pc)
        };
        let counts: Vec<Diagnosis> = bars.iter().filter_map(|bar| self.about_count(bar, pc(bar))).collect();
        match counts.is_empty() && !found {
            true => bars.iter().map(|bar| self.about_absence(bar, pc(bar))).collect(),
            false => counts,
        }
    }

    /// The number of threads does not fit those that come.
    fn about_count(&self, bar: &BarStanding, pc: usize) -> Option<Diagnosis> {
        let BarStanding { cta, number, arrivals, last, .. } = bar;
        let (threads, block) = (bar.threads?, &self.blocks[usize::from(*cta)]);
        let (here, now) = (warps_of(arrivals), has_arrived(bar));
        if let Some((completion, counted)) = &bar.surplus {
            let (twice, left_out) = (repeated(counted), bar.visitors() & !warps_of(counted));
            if left_out & here != 0 {
                let again = counted.iter().rfind(|arrival| twice >> arrival.warp & 1 != 0).map_or(pc, |last| last.pc);
                let why = format!(
                    "completion {completion} of barrier {number}, of {threads} threads, counted {} more than once and {} not at all; now {now}",
                    named(twice),
                    named(left_out),
                );
                return Some(Diagnosis::new(Bug::BarSurplus, again, why));
            }
        }
        let (users, warps) = (bar.visitors(), block.warps.len() as u32); // 32 at most
        let nobody_else = users.count_ones() == warps || bar.users.len() == 1;
        if bar.completed > 0 && users.count_ones() * 32 > threads && nobody_else && here & !warps_of(last) != 0 {
            let why = format!(
                "barrier {number} counts {threads} threads, and {} come to it: {} completed it, and now {now}",
                named(users),
                named(warps_of(last)),
            );
            return Some(Diagnosis::new(Bug::BarCount, pc, why));
        }
        let too_many = threads > 32 * warps && repeated(arrivals) == 0;
        too_many.then(|| {
            let why = format!(
                "{now}, and the CTA has {} threads in {}",
                block.runners.len(),
                named(u32::MAX >> (32 - warps))
            );
            Diagnosis::new(Bug::BarCount, pc, why)
        })
    }

    /// A thread does not arrive.
    fn about_absence(&self, bar: &BarStanding, pc: usize) -> Diagnosis {
        let BarStanding { cta, number, threads, arrivals, .. } = bar;
        if let Some(Partial { warp, here, elsewhere }) = bar.partial.first() {
            let come = here.iter().fold(0, |all, (_, lanes)| all | lanes);
            let why = match here.len() {
                1 => format!(
                    "{} of the {} lanes of warp {warp} that have not exited stand at barrier {number}, which counts the warp when all do",
                    come.count_ones(),
                    (come | elsewhere).count_ones(),
                ),
                apart => format!(
                    "lanes of warp {warp} stand at barrier {number} by {apart} instructions, which counts the warp when all execute the same",
                ),
            };
            return Diagnosis::new(Bug::NotReached, pc, why);
        }
        let (mut ended, mut elsewhere) = (0u32, 0u32);
        for (warp, state) in self.blocks[usize::from(*cta)].warps.iter().enumerate() {
            if warps_of(arrivals) >> warp & 1 == 0 {
                *(if state.live == 0 { &mut ended } else { &mut elsewhere }) |= 1 << warp;
            }
        }
        let missing = [
            does(elsewhere, "waits elsewhere", "wait elsewhere"),
            does(ended, "has ended", "have ended").filter(|_| threads.is_some()),
        ];
        let missing: Vec<String> = missing.into_iter().flatten().collect();
        let mut why = sentence![match missing.is_empty() {
            true => has_arrived(bar),
            false => format!("{}: {}", has_arrived(bar), missing.join(", ")),
        }];
        // where the warps have ended, if all have there
        let firsts =
            (0..32).filter(|warp| ended >> warp & 1 != 0).map(|warp| ThreadId::new(usize::from(*cta), 32 * warp));
        let mut ends: Vec<(usize, Option<usize>)> =
            firsts.map(|who| (self.runner(who).lane.pc, self.parted(who))).collect();
        ends.dedup();
        if let ([(end, parted)], true) = (&ends[..], threads.is_some()) {
            why.add(sentence![" in ", Part::Line(*end)]);
            if let Some(parted) = parted {
                why.add(branched(ended.count_ones() == 1, *parted));
            }
        }
        Diagnosis::new(Bug::NotReached, pc, why)
    }
}
