//! Why nothing moves: the mistakes that a hang looks like.
//!
//! **What has been found already.** If something was wrong with the use of a barrier before the threads came to a halt, the
//! halt follows from it. Only where nothing was found is there anything to guess.
//!
//! **What a barrier lacks.** Otherwise each barrier that is waited for is looked at: is it one at all, is the wait for a
//! phase that is long over, for another phase than the thread arrived in, are there bytes that nobody copies, and is there
//! anybody left who could make the arrivals that are missing? Whoever waits somewhere else could, unless those beside it
//! (that wait for the same with the same instruction) have arrived already.
//!
//! **Nobody ever arrived.** Then threads wait for each other. One of them may have to begin with parity 1, because what it
//! waits for is an empty slot: the one that fills something behind its wait, rather than reading it.

use super::hang::{Group, Standing, Waits};
use super::*;
use crate::machine::bars::BarStanding;
use crate::machine::observe::Watch;
use crate::machine::registers::RegisterStanding;

/// A mistake that a hang looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// Which.
    pub bug: Bug,
    /// The instruction to look at.
    pub pc: usize,
    /// What speaks for it.
    pub why: String,
    /// It has been told already, with what to do about it.
    pub above: bool,
}

impl Diagnosis {
    pub(super) fn new(bug: Bug, pc: usize, why: impl Into<String>) -> Self {
        Self { bug, pc, why: why.into(), above: false }
    }
}

impl Machine<'_> {
    /// The mistakes that this looks like, the likeliest first.
    pub(super) fn diagnose(
        &self,
        groups: &[Group],
        barriers: &[Standing],
        bars: &[BarStanding],
        registers: &[RegisterStanding],
    ) -> Vec<Diagnosis> {
        let mut found: Vec<Diagnosis> = Vec::new();
        for finding in self.findings.list().iter().filter(|finding| finding.bug.stops_threads()) {
            if found.iter().all(|other| other.bug != finding.bug) {
                let why = "see above; that nothing moves any more follows from it";
                found.push(Diagnosis { above: true, ..Diagnosis::new(finding.bug, finding.pc, why) });
            }
        }
        if !found.is_empty() {
            return found;
        }
        for standing in barriers {
            found.extend(self.about_barrier(groups, standing));
        }
        for standing in registers {
            found.extend(standing.why().map(|why| Diagnosis::new(Bug::RegisterPool, standing.pc, why)));
        }
        found.extend(self.about_bars(groups, bars, !found.is_empty()));
        found.extend(self.about_order(groups, barriers));
        found.sort_by_key(|one| (one.bug, one.pc));
        found.dedup_by(|one, other| (one.bug, one.pc) == (other.bug, other.pc));
        found
    }

    /// What is wrong with one barrier and the waits on it.
    fn about_barrier(&self, groups: &[Group], standing: &Standing) -> Option<Diagnosis> {
        let Standing { spot, phase, bytes_missing, .. } = *standing;
        let mut here = groups.iter().filter(|group| group.spot() == Some(spot));
        let first = here.clone().next()?;
        let (Some(phase), Some(watch)) = (phase, self.observer.at(spot)) else {
            let ended = self.observer.at(spot).is_some_and(|watch| watch.ended);
            let why = if ended { "the barrier has been invalidated" } else { "nobody has initialised the barrier" };
            return Some(Diagnosis::new(Bug::MissingInit, first.pc, why));
        };
        if let Some(astray) = here.find_map(|group| self.about_phase(group, spot, phase, watch)) {
            return Some(astray);
        }
        if bytes_missing != 0 {
            return Some(about_bytes(bytes_missing, phase, watch));
        }
        self.about_arrivals(groups, standing, watch)
    }

    /// A wait for a phase that is over, or for another one than the thread arrived in.
    fn about_phase(&self, group: &Group, spot: Spot, phase: u64, watch: &Watch) -> Option<Diagnosis> {
        let Waits::Phase { parity, by_parity, .. } = group.waits else { return None };
        let thread = *group.threads.first()?;
        let id = ThreadId { cta: group.cta, thread };
        // a token says itself of which phase it is
        let runner = &self.blocks[usize::from(group.cta)].runners[usize::from(thread)];
        let token = runner
            .waiting()
            .filter(|_| !by_parity)
            .and_then(|wait| runner.tokens.iter().find(|token| (token.value, token.spot) == (wait.operand, spot)));
        let meant = token.map_or_else(|| self.observer.meant(spot, id, u64::from(parity)), |token| token.phase);
        let own = self.observer.last_arrival(spot, id);
        let mismatched = own.filter(|own| by_parity && own & 1 != u64::from(parity));
        let behind = phase >= meant + 2;
        if (behind || mismatched.is_some()) && watch.outnumbered() && watch.arrivers.contains_key(&id) {
            return Some(too_few(watch));
        }
        if let Some(own) = mismatched {
            let why =
                format!("thread {thread} arrived in phase {own} (parity {}) and waits with parity {parity}", own & 1);
            return Some(Diagnosis::new(Bug::WrongStartingParity, group.pc, why));
        }
        behind.then(|| {
            let why = format!(
                "thread {thread} waits for phase {meant}, which is over; phase {phase}, with the same parity, is not"
            );
            Diagnosis::new(Bug::AliasedParity, group.pc, why)
        })
    }

    /// Arrivals are missing that nobody can make, if that is so.
    fn about_arrivals(&self, groups: &[Group], standing: &Standing, watch: &Watch) -> Option<Diagnosis> {
        let Standing { spot, arrivals_missing, arrivals_expected, ref arrived, .. } = *standing;
        if arrivals_missing == 0 {
            return None;
        }
        let has_arrived = |cta: u8, thread: u16| {
            let who = ThreadId { cta, thread };
            arrived.iter().any(|arrival| arrival.who == who)
        };
        let could = |group: &Group| {
            group.spot() != Some(spot)
                && group.threads.iter().all(|thread| !has_arrived(group.cta, *thread))
                && (watch.arrivers.is_empty()
                    || watch.phase == 0
                    || group.threads.iter().any(|thread| {
                        let who = ThreadId { cta: group.cta, thread: *thread };
                        watch.arrivers.contains_key(&who)
                    }))
        };
        if groups.iter().any(could) {
            return None;
        }
        let why = format!(
            "{arrivals_missing} of {arrivals_expected} arrivals {} missing, and nobody is left who could make {}",
            if arrivals_missing == 1 { "is" } else { "are" },
            if arrivals_missing == 1 { "it" } else { "them" }
        );
        Some(Diagnosis::new(Bug::InitCount, watch.origin.pc, why))
    }

    /// Threads that wait for each other.
    fn about_order(&self, groups: &[Group], barriers: &[Standing]) -> Vec<Diagnosis> {
        let mut found = Vec::new();
        for group in groups {
            if group.waits != Waits::Round {
                continue;
            }
            let why = "barrier.cluster is waited for, and some threads do not come to it";
            found.push(Diagnosis::new(Bug::NotReached, group.pc, why));
        }
        let untouched = |spot: Spot| {
            barriers
                .iter()
                .any(|standing| standing.spot == spot && standing.phase == Some(0) && standing.arrived.is_empty())
        };
        let waiting: Vec<&Group> =
            groups.iter().filter(|group| group.spot().is_some_and(untouched) && group.is_for_parity(0)).collect();
        let mut spots: Vec<Option<Spot>> = waiting.iter().map(|group| group.spot()).collect();
        spots.sort_unstable();
        spots.dedup();
        if spots.len() < 2 || !found.is_empty() {
            return found;
        }
        let fills = |group: &&&Group| self.program.fills_behind(group.pc);
        let fillers: Vec<&&Group> = waiting.iter().filter(fills).collect();
        if !fillers.is_empty() && fillers.len() < waiting.len() {
            for group in fillers {
                let why = "nobody has ever arrived on this barrier, and what comes behind the wait fills something: \
                           a slot that is empty at first is waited for with parity 1";
                found.push(Diagnosis::new(Bug::WrongStartingParity, group.pc, why));
            }
            return found;
        }
        if let Some(group) = waiting.first() {
            let why = format!("{} barriers are waited for on which nobody has ever arrived", spots.len());
            found.push(Diagnosis::new(Bug::Deadlock, group.pc, why));
        }
        found
    }
}

/// Bytes are missing, or too many have come.
fn about_bytes(missing: i64, phase: u64, watch: &Watch) -> Diagnosis {
    let Watch { expected, completed, bytes_by, origin, .. } = watch;
    let why = match missing {
        1.. => format!(
            "{expected} bytes are expected in phase {phase}, {completed} have been completed, and no copy is under way"
        ),
        _ => format!("{completed} bytes have been completed in phase {phase}, of which {expected} were expected"),
    };
    let pc = bytes_by[0].or(bytes_by[1]).unwrap_or(origin.pc);
    Diagnosis::new(Bug::ExpectTxBytes, pc, why)
}

/// More threads arrive than the barrier counts.
fn too_few(watch: &Watch) -> Diagnosis {
    let Watch { arrivers, origin, phase, .. } = watch;
    let why = format!(
        "{} threads arrive on a barrier for {}: what is meant as one phase has been {phase}",
        arrivers.len(),
        origin.count
    );
    Diagnosis::new(Bug::InitCount, origin.pc, why)
}
