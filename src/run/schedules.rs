//! `txbar run --runs N`: the same kernel with many schedules.

use super::page::Look;
use super::{Kernel, Show, once, verdict};
use crate::{Verdict, film};
use crate::{say, stop};
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use txbar_testbench::ptx::launch::Settings;
use txbar_testbench::ptx::machine::{End, Schedule};
use txbar_testbench::ptx::outcome::Outcome;
use txbar_testbench::ptx::source::Complaint;

/// Schedules that came to the same.
struct Kind {
    /// How many.
    count: u64,
    /// The first of their seeds.
    seed: u64,
    /// What came of it.
    outcome: Outcome,
}

/// What schedules have in common that came to the same: verdict, mistakes, and what the buffers hold.
type Same = (Verdict, Vec<&'static str>, Vec<Vec<u8>>);

/// What came of all schedules.
pub struct Explored {
    /// The first run.
    pub first: Outcome,
    /// Instructions of all runs.
    pub instructions: u64,
    /// What they came to, by the names of the mistakes and what the buffers held: those that went well first.
    kinds: Vec<Kind>,
    runs: u64,
}

/// The same as JSON.
#[derive(Serialize)]
pub struct Figures {
    runs: u64,
    outcomes: Vec<OutcomeJson>,
}

#[derive(Serialize)]
struct OutcomeJson {
    outcome: &'static str,
    diagnoses: Vec<&'static str>,
    schedules: u64,
    first_seed: u64,
}

/// Names of all mistakes of a run.
fn names(outcome: &Outcome) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = outcome.findings.iter().map(|(_, finding)| finding.bug.name()).collect();
    match &outcome.end {
        End::Hang(hang) => names.extend(hang.bugs.iter().map(|diagnosis| diagnosis.bug.name())),
        End::Fault(fault) => names.push(fault.bug.map_or("fault", |bug| bug.name())),
        End::Done | End::Refused(..) => {}
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Runs with as many random schedules.
///
/// # Errors
/// The kernel cannot be launched.
pub fn explore(
    kernel: &Kernel,
    settings: &Settings,
    runs: u64,
    advance: &mut dyn FnMut(u64) -> bool,
) -> Result<Explored> {
    let seed = if let Schedule::Random(seed) = settings.schedule { seed } else { 0 };
    let mut kinds: BTreeMap<Same, Kind> = BTreeMap::new();
    let (mut first, mut instructions) = (None, 0);
    for run in 0..runs {
        let seed = seed.wrapping_add(run);
        let settings = Settings { schedule: Schedule::Random(seed), ..settings.clone() };
        let outcome = once(kernel, settings, &film::Arguments::default(), &mut Look::default(), advance)?;
        if stop::requested() {
            bail!("stopped by a signal in schedule {} of {runs}", run + 1);
        }
        instructions += outcome.tally.instructions;
        first.get_or_insert_with(|| outcome.clone());
        let verdict = verdict(&outcome);
        // of a run that did not end it says nothing what the buffers hold
        let buffers = match outcome.end {
            End::Done => outcome.buffers.iter().map(|buffer| buffer.bytes.clone()).collect(),
            _ => Vec::new(),
        };
        kinds.entry((verdict, names(&outcome), buffers)).and_modify(|kind| kind.count += 1).or_insert(Kind {
            count: 1,
            seed,
            outcome,
        });
    }
    let first = first.expect("there is one run at least");
    Ok(Explored { first, instructions, kinds: kinds.into_values().collect(), runs })
}

impl Explored {
    /// An instruction that cannot be executed, if a schedule came to one.
    pub fn refused(&self) -> Option<Complaint> {
        self.kinds.iter().find_map(|kind| match &kind.outcome.end {
            End::Refused(complaint, _) => Some(complaint.clone()),
            _ => None,
        })
    }

    /// Prints what they came to: how much they differ, then each.
    pub fn tell(&self, show: &Show) {
        let done = self.done();
        match self.kinds.len() {
            1 if done == 1 && names(&self.first).is_empty() => say!("{} schedules: the same outputs", self.runs),
            1 if done == 1 => say!("{} schedules: the same outputs, and the same mistakes", self.runs),
            1 => say!("{} schedules: the same end", self.runs),
            kinds if done > 1 => {
                say!("{} schedules: {kinds} different outcomes; this kernel has a race", self.runs)
            }
            kinds => say!("{} schedules: {kinds} different outcomes", self.runs),
        }
        for kind in &self.kinds {
            if self.kinds.len() > 1 {
                let Kind { count, seed, .. } = kind;
                say!("{count} of {} schedules (the first: --schedule-seed {seed}):", self.runs);
            }
            show.outcome(&kind.outcome);
        }
    }

    /// Different ways in which the kernel was done.
    fn done(&self) -> usize {
        self.kinds.iter().filter(|kind| kind.outcome.end == End::Done).count()
    }

    /// How all of them together are to be taken.
    pub fn verdict(&self) -> Verdict {
        let worst = self.kinds.iter().map(|kind| verdict(&kind.outcome)).max();
        worst.unwrap_or(Verdict::Pass).max(if self.done() > 1 { Verdict::Fault } else { Verdict::Pass })
    }

    /// The same as JSON.
    pub fn figures(&self) -> Figures {
        let outcome = |kind: &Kind| OutcomeJson {
            outcome: match kind.outcome.end {
                End::Done => "done",
                End::Fault(_) => "fault",
                End::Hang(_) => "hang",
                End::Refused(..) => "refused",
            },
            diagnoses: names(&kind.outcome),
            schedules: kind.count,
            first_seed: kind.seed,
        };
        Figures { runs: self.runs, outcomes: self.kinds.iter().map(outcome).collect() }
    }
}
