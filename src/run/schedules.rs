//! `txbar run --runs N`: one kernel under many schedules.

use super::page::Look;
use super::{Arguments, Kernel, Show, figures, once, seed_of, spelled, verdict, was_stopped};
use crate::Verdict;
use crate::say;
use crate::shell::junit::{Ending, Tested};
use crate::shell::shard::{Findings, Sharding};
use crate::shell::stop;
use crate::shell::wave_writer;
use anyhow::{Result, bail};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use txbar_export::hash;
use txbar_ptx::launch::Settings;
use txbar_ptx::machine::findings::Bug;
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;
use txbar_ptx::report::Reporter;
use txbar_ptx::source::Complaint;

/// Outcomes that are shown with all that came of them: of others there are figures alone. So it takes bounded memory to compare schedules.
const SHOWN: usize = 16;

/// Schedules that came to the same.
struct Kind {
    /// Number.
    count: u64,
    /// The number of the first, and its seed.
    first: (u64, u64),
    /// Seeds of all.
    seeds: Vec<u64>,
    /// What came of the first, if it is among those that are shown.
    outcome: Option<Outcome>,
    /// The same in a word.
    ending: &'static str,
    /// All threads exited: the buffers count.
    is_done: bool,
}

/// What schedules have in common that came to the same: verdict, mistakes, and what the buffers hold, as a hash.
type Same = (Verdict, Vec<&'static str>, Vec<String>);

/// Results of schedules.
#[derive(Default)]
pub struct Explored {
    /// The first of them, with its number.
    pub first: Option<(u64, Outcome)>,
    /// Instructions of all runs.
    pub instructions: u64,
    /// What they came to, by the names of the mistakes and what the buffers held: those that went well first.
    kinds: BTreeMap<Same, Kind>,
    runs: u64,
}

/// The same without what was printed of it, of all schedules or of a part of them.
#[derive(Serialize, Deserialize)]
pub struct Found {
    runs: u64,
    instructions: u64,
    /// The number of the first, and its figures.
    first: Option<(u64, Value)>,
    kinds: Vec<FoundKind>,
}

/// Schedules that came to the same: those of the same verdict, diagnoses and buffers.
#[derive(Serialize, Deserialize)]
struct FoundKind {
    verdict: Verdict,
    diagnoses: Vec<String>,
    /// A hash of each.
    buffers: Vec<String>,
    /// As the JSON of one run has it.
    outcome: String,
    /// All threads exited: the buffers count.
    is_done: bool,
    schedules: u64,
    /// The number of the first, and its seed.
    first: (u64, u64),
}

/// As JSON.
#[derive(Serialize)]
pub struct Figures {
    runs: u64,
    outcomes: Vec<OutcomeJson>,
}

#[derive(Serialize)]
struct OutcomeJson {
    outcome: String,
    diagnoses: Vec<String>,
    schedules: u64,
    first_seed: u64,
}

/// Names of all mistakes of a run.
fn names(outcome: &Outcome) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = outcome.bugs().into_iter().map(Bug::name).collect();
    if matches!(&outcome.end, End::Fault(fault) if fault.bug.is_none()) {
        names.push("fault");
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Runs with as many random schedules, or the part of them that is asked for, on all cores.
///
/// # Errors
/// The kernel cannot be launched.
pub fn explore(
    kernel: &Kernel,
    settings: &Settings,
    (runs, sharding): (u64, &Sharding),
    advance: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Explored> {
    let seed = if let Schedule::Random(seed) = settings.schedule { seed } else { 0 };
    let one = |number: u64| {
        let seed = seed.wrapping_add(number);
        let settings = Settings { schedule: Schedule::Random(seed), ..settings.clone() };
        let mut advance = |cycle| advance(cycle);
        let outcome = once(kernel, settings, &wave_writer::Arguments::default(), &mut Look::default(), &mut advance)?;
        if stop::requested() {
            bail!("stopped by a signal in schedule {} of {runs}", number + 1);
        }
        Ok(Explored::one((number, seed), outcome))
    };
    sharding.units(runs).map(one).try_reduce(Explored::default, |one, other| Ok(one.with(other)))
}

/// Tells and writes what a part of the schedules came to.
pub fn part(
    kernel: &Kernel,
    settings: &Settings,
    explored: &Explored,
    arguments: &Arguments,
    inputs: &[PathBuf],
) -> Result<Verdict> {
    if let Some(complaint) = explored.refused() {
        return Err(kernel.source.error(complaint).into());
    }
    if let Some((_, first)) = &explored.first {
        let reporter = kernel.reporter(first.ctas);
        arguments.junit.write([(format!("txbar run {}", kernel.program.spelled), explored.tested(&reporter))])?;
    }
    let of_first = explored.first.as_ref().map(|(_, first)| {
        let reporter = kernel.reporter(first.ctas);
        serde_json::to_value(figures(kernel, &reporter, first, 0.0, seed_of(settings), arguments.format.into()))
    });
    let found = explored.found(of_first.transpose()?);
    arguments.sharding.end(&found, &arguments.json, inputs)
}

impl Kind {
    /// What they came to, in a few words.
    fn described(&self, (_, names, _): &Same) -> String {
        [&[self.ending], names.as_slice()].concat().join(", ")
    }
}

impl Explored {
    /// One run, by its number and seed.
    fn one(first: (u64, u64), outcome: Outcome) -> Self {
        // of a run that did not end it says nothing what the buffers hold
        let buffers = match outcome.end {
            End::Done => outcome.buffers.iter().map(|buffer| hash::of(&buffer.bytes)).collect(),
            _ => Vec::new(),
        };
        let same = (verdict(&outcome), names(&outcome), buffers);
        let kind = Kind {
            count: 1,
            first,
            seeds: vec![first.1],
            ending: spelled(same.0, was_stopped(&outcome)),
            is_done: matches!(outcome.end, End::Done),
            outcome: Some(outcome.clone()),
        };
        let kinds = BTreeMap::from([(same, kind)]);
        Self { runs: 1, instructions: outcome.tally.instructions, kinds, first: Some((first.0, outcome)) }
    }

    /// The same with others. It does not matter which are added to which.
    fn with(mut self, other: Self) -> Self {
        self.runs += other.runs;
        self.instructions += other.instructions;
        let firsts = self.first.into_iter().chain(other.first);
        self.first = firsts.min_by_key(|(number, _)| *number);
        for (same, mut kind) in other.kinds {
            if let Some(known) = self.kinds.remove(&same) {
                let count = kind.count + known.count;
                let seeds = [kind.seeds.as_slice(), &known.seeds].concat();
                kind = Kind { count, seeds, ..if known.first < kind.first { known } else { kind } };
            }
            self.kinds.insert(same, kind);
        }
        if self.kinds.len() > SHOWN {
            let mut firsts: Vec<u64> = self.kinds.values().map(|kind| kind.first.0).collect();
            firsts.sort_unstable();
            let last = firsts[SHOWN - 1];
            self.kinds.values_mut().filter(|kind| kind.first.0 > last).for_each(|kind| kind.outcome = None);
        }
        self
    }

    /// An instruction that cannot be executed, if a schedule came to one.
    pub fn refused(&self) -> Option<Complaint> {
        self.kinds.values().find_map(|kind| match kind.outcome.as_ref().map(|outcome| &outcome.end) {
            Some(End::Refused(complaint, _)) => Some(complaint.clone()),
            _ => None,
        })
    }

    /// Prints what they came to: how much they differ, then each.
    pub fn tell(&self, show: &Show) -> Result<()> {
        say!("{}", self.found(None).headline());
        for (same, kind) in &self.kinds {
            let Kind { count, first: (_, seed), outcome, .. } = kind;
            match outcome {
                Some(_) if self.kinds.len() > 1 => {
                    say!("{count} of {} schedules (the first: --seed {seed}):", self.runs);
                }
                Some(_) => {}
                None => {
                    let what = kind.described(same);
                    say!("{count} of {} schedules: {what} (the first: --seed {seed} shows it)", self.runs);
                }
            }
            outcome.as_ref().map_or(Ok(()), |outcome| show.outcome(outcome))?;
        }
        Ok(())
    }

    /// A test case for each, and one that they agree.
    pub fn tested(&self, reporter: &Reporter) -> Vec<Tested> {
        let all = self.kinds.iter().flat_map(|kind| kind.1.seeds.iter().map(move |seed| (*seed, kind)));
        let mut all: Vec<(u64, (&Same, &Kind))> = all.collect();
        all.sort_by_key(|(seed, _)| *seed);
        let each = all.into_iter().map(|(seed, (same, kind))| match &kind.outcome {
            Some(outcome) => super::tested(reporter, outcome, Some(seed)),
            None if same.0 == Verdict::Pass => Tested::new(format!("schedule seed {seed}"), Ending::Passed),
            None => Tested::new(format!("schedule seed {seed}"), Ending::failed(kind.ending, kind.described(same))),
        });
        let found = self.found(None);
        let agree = if found.done() > 1 { Ending::failed("race", found.headline()) } else { Ending::Passed };
        each.chain([Tested::new("all schedules have the same outputs", agree)]).collect()
    }

    /// What they came to, with the figures of the first.
    pub fn found(&self, figures: Option<Value>) -> Found {
        let kind = |((verdict, names, buffers), kind): (&Same, &Kind)| FoundKind {
            verdict: *verdict,
            diagnoses: names.iter().map(|name| (*name).to_owned()).collect(),
            buffers: buffers.clone(),
            outcome: kind.ending.to_owned(),
            is_done: kind.is_done,
            schedules: kind.count,
            first: kind.first,
        };
        Found {
            runs: self.runs,
            instructions: self.instructions,
            first: self.first.as_ref().map(|(number, _)| *number).zip(figures),
            kinds: self.kinds.iter().map(kind).collect(),
        }
    }
}

impl Found {
    /// Different ways in which the kernel was done.
    fn done(&self) -> usize {
        self.kinds.iter().filter(|kind| kind.is_done).count()
    }

    /// Summary of the differences.
    fn headline(&self) -> String {
        let Self { runs, kinds, .. } = self;
        let done = self.done();
        match kinds.len() {
            0 => "no schedules".to_owned(),
            1 if done == 1 && kinds[0].diagnoses.is_empty() => format!("{runs} schedules: the same outputs"),
            1 if done == 1 => format!("{runs} schedules: the same outputs, and the same mistakes"),
            1 => format!("{runs} schedules: the same end"),
            kinds if done > 1 => {
                format!("{runs} schedules: {kinds} different outcomes; this kernel has a race")
            }
            kinds => format!("{runs} schedules: {kinds} different outcomes"),
        }
    }

    /// How all of them together are to be taken.
    pub fn verdict(&self) -> Verdict {
        let worst = self.kinds.iter().map(|kind| kind.verdict).max();
        worst.unwrap_or(Verdict::Pass).max(if self.done() > 1 { Verdict::Fault } else { Verdict::Pass })
    }

    /// The schedules as JSON.
    pub fn schedules(&self) -> Figures {
        let outcome = |kind: &FoundKind| OutcomeJson {
            outcome: kind.outcome.clone(),
            diagnoses: kind.diagnoses.clone(),
            schedules: kind.schedules,
            first_seed: kind.first.1,
        };
        Figures { runs: self.runs, outcomes: self.kinds.iter().map(outcome).collect() }
    }
}

/// Of a part it is told what it came to, and which seeds show it.
impl Findings for Found {
    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.instructions += other.instructions;
        let firsts = self.first.take().into_iter().chain(other.first);
        self.first = firsts.min_by_key(|(number, _)| *number);
        let same = |one: &FoundKind, other: &FoundKind| {
            (one.verdict, &one.diagnoses, &one.buffers).cmp(&(other.verdict, &other.diagnoses, &other.buffers))
        };
        for kind in other.kinds {
            match self.kinds.binary_search_by(|known| same(known, &kind)) {
                Err(place) => self.kinds.insert(place, kind),
                Ok(place) => {
                    let known = &mut self.kinds[place];
                    known.schedules += kind.schedules;
                    known.first = known.first.min(kind.first);
                }
            }
        }
    }

    fn tell(&self) -> Verdict {
        say!("{}", self.headline());
        for FoundKind { outcome, diagnoses, schedules, first: (_, seed), .. } in &self.kinds {
            let what = [std::slice::from_ref(outcome), diagnoses].concat().join(", ");
            say!("{schedules} of {} schedules: {what} (the first: --seed {seed})", self.runs);
        }
        self.verdict()
    }

    /// Those of the first, as the run on one machine has them, without speeds.
    fn figures(&self) -> impl Serialize {
        let mut figures = self.first.as_ref().map_or(Value::Null, |(_, figures)| figures.clone());
        if let Some(figures) = figures.as_object_mut() {
            let outcome = spelled(self.verdict(), figures["outcome"] == "stopped");
            figures.insert("outcome".to_owned(), outcome.into());
            figures.insert("instructions".to_owned(), self.instructions.into());
            let schedules = serde_json::to_value(self.schedules()).unwrap_or(Value::Null);
            figures.insert("schedules".to_owned(), schedules);
            figures.remove("instructions_per_second");
        }
        figures
    }
}
