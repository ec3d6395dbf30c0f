//! A run under a scoreboard: runs it, shortens it if it fails, and reports it with its files. Text, waves, page, figures and the saved run
//! of a failure all come from one run, the shortened one.

use crate::report::{self, simulated};
use crate::shell::junit::{Ending, Tested};
use crate::shell::output::{self, Lines};
use crate::shell::wave_writer::{self, WaveWriter};
use crate::shell::{progress, stop};
use crate::sim::case::{self, Failing, Head};
use crate::sim::scenario::Wanted;
use crate::{Verdict, note, say, say_text};
use anyhow::{Result, bail};
use serde::Serialize;
use std::fmt::{Debug, Display};
use txbar_rtl::parameters::Design;
use txbar_testbench::record::Recorder;
use txbar_testbench::record::Verdict as Recorded;
use txbar_testbench::scoreboard::Failure;
use txbar_testbench::shrink::{Case, Shortened};

/// Observers of a run.
pub struct Watched {
    /// Waves.
    pub wave_writer: Option<WaveWriter>,
    /// Timeline.
    pub recorder: Option<Recorder>,
}

/// What is run: random traffic, or a saved run.
pub enum Work<P, C> {
    /// Random traffic.
    Plan(P),
    /// A saved run, or one that has been shortened.
    Case(C),
}

/// How a run ended, and what watched it.
pub type Played<R> = (std::result::Result<R, Box<Failure>>, Watched);

/// Hardware under a scoreboard.
pub trait Bench {
    /// Random traffic.
    type Plan: Debug;
    /// A list of requests.
    type Case: Case<Request: Serialize + Display>;
    /// Report of a run.
    type Report;
    /// The same, as it is written.
    type Figures: Serialize;

    /// Design.
    fn design(&self) -> &dyn Design;
    /// Runs something on fresh hardware, and writes its waves if that is wanted.
    fn play(
        &self,
        work: &Work<&Self::Plan, &Self::Case>,
        waves: Option<&wave_writer::Arguments>,
    ) -> Result<Played<Self::Report>>;
    /// Runs random traffic on fresh hardware, and shortens it if it fails.
    fn shortened(&self, plan: &Self::Plan) -> Option<Shortened<Self::Case>>;
    /// The seed of random traffic.
    fn seed(plan: &Self::Plan) -> u64;
    /// The figures of a run, as they are written and as they are printed; and the cycle in which it was stopped.
    fn figures(report: Self::Report, seed: u64) -> (Self::Figures, Lines, Option<u64>);
}

/// Runs something, shortens it if it fails, says how it ended, and writes what is to be written.
pub fn run<B: Bench>(
    bench: &B,
    work: &Work<B::Plan, B::Case>,
    fault: Option<&str>,
    (head, files): (Option<&Head>, &Wanted),
) -> Result<Verdict> {
    let _under_way = stop::Run::begin();
    let waves = files.waves.injected(fault.is_some());
    let (ends, seed) = match work {
        Work::Plan(plan) => (Work::Plan(plan), B::seed(plan)),
        Work::Case(case) => (Work::Case(case), case.conditions().seed),
    };
    let (outcome, watched) = bench.play(&ends, Some(&waves))?;
    match (outcome, work) {
        (Ok(report), _) => {
            let (figures, lines, stopped) = B::figures(report, seed);
            Clean { figures, lines, seed, fault, stopped }.tell(watched, files)
        }
        (Err(failure), Work::Case(case)) => {
            case::compare(head, &failure);
            Failed { case, failure: &failure, original: None, design: bench.design(), fault }.tell(watched, files)
        }
        (Err(failure), Work::Plan(plan)) => {
            // what has gone into a pipe cannot be taken back
            let again = Some(&waves).filter(|waves| !waves.are_for_a_pipe());
            if let Some(wave_writer) = watched.wave_writer.filter(|_| again.is_none()) {
                note!(
                    "{}: of the run before it was reduced",
                    wave_writer.finish(wave_writer::end_of::<()>(&Err(failure.clone())))?
                );
            } // any other file is gone with its handle
            let spinner = progress::spinner("looking for the shortest run that fails");
            let shortened = bench.shortened(plan);
            spinner.finish_and_clear();
            let Some(Shortened { case, failure, first, from }) = shortened else {
                bail!("the run failed, and did not when it was run again; please report this: {plan:?}: {failure}")
            };
            let (_, watched) = bench.play(&Work::Case(&case), again)?;
            let original = Some((&first, from));
            Failed { case: &case, failure: &failure, original, design: bench.design(), fault }.tell(watched, files)
        }
    }
}

/// A run that did not fail.
struct Clean<'a, F> {
    /// Its figures, as JSON and as lines.
    figures: F,
    /// The same.
    lines: Lines,
    /// Seed.
    seed: u64,
    /// The fault that was injected.
    fault: Option<&'a str>,
    /// The cycle in which a signal stopped it.
    stopped: Option<u64>,
}

impl<F: Serialize> Clean<'_, F> {
    /// Says so, and writes what is to be written.
    fn tell(self, watched: Watched, files: &Wanted) -> Result<Verdict> {
        let Self { figures, lines, seed, fault, stopped } = self;
        let (verdict, summary) = match stopped {
            Some(cycle) => (
                Verdict::Pass,
                format!(
                    "STOPPED in cycle {cycle}, with seed {seed}: every answer until then is as the reference model says"
                ),
            ),
            None => report::passed(seed, fault),
        };
        say!("{summary}");
        lines.print();
        if let Some(path) = files.json {
            output::write_json(path, &figures)?;
        }
        if files.outputs.are_wanted() {
            let mut record = simulated(verdict, summary.clone(), &lines, watched.recorder);
            if stopped.is_some() {
                record.verdict = Recorded::Stopped;
            }
            files.outputs.write(&record)?;
        }
        wave_writer::finish(watched.wave_writer, txbar_waves::write::End::Well)?;
        let ending = match verdict {
            _ if stopped.is_some() => Ending::Skipped(summary),
            Verdict::Pass => Ending::Passed,
            _ => Ending::failed("not_found", summary),
        };
        tested(files, seed, ending)?;
        Ok(verdict)
    }
}

/// A run that failed.
struct Failed<'a, C> {
    /// The run, shortened.
    case: &'a C,
    /// Failure.
    failure: &'a Failure,
    /// How the run failed that it was shortened from, and how many requests it had made; nothing if it was read from a file.
    original: Option<(&'a Failure, usize)>,
    /// Parameters of the design.
    design: &'a dyn Design,
    /// The fault that was injected.
    fault: Option<&'a str>,
}

/// Writes what came of a run as a test case.
fn tested(files: &Wanted, seed: u64, ending: Ending) -> Result<()> {
    files.junit.write([("txbar sim".to_owned(), vec![Tested::new(format!("seed {seed}"), ending)])])
}

/// The figures of a run that failed.
#[derive(Serialize)]
struct Figures<'a, R> {
    mismatches: u64,
    seed: u64,
    cycle: u64,
    message: &'a str,
    /// The failure with the calls that it is about, a line each.
    history: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<Original>,
    parameters: &'a std::collections::BTreeMap<String, serde_json::Value>,
    stall: u8,
    bank_stall: u8,
    inject_fault: Option<&'a str>,
    requests: &'a [R],
}

/// The run that it was shortened from.
#[derive(Serialize)]
struct Original {
    #[serde(flatten)]
    failure: Failing,
    requests: usize,
}

impl<C: Case<Request: Serialize + Display>> Failed<'_, C> {
    /// Says so, and writes what is to be written.
    fn tell(&self, mut watched: Watched, files: &Wanted) -> Result<Verdict> {
        let Self { case, failure, original, design, fault } = *self;
        let summary = self.summary();
        say_text!("{summary}");
        let head = Head::new(design.list(), case.conditions(), fault, Some(failure));
        if let Some(path) = files.json {
            let history = if failure.history.is_some() { failure.to_string() } else { String::new() };
            let figures = Figures {
                mismatches: 1,
                seed: head.seed,
                cycle: failure.cycle,
                message: &failure.what,
                history: history.lines().map(str::to_owned).collect(),
                original: original.map(|(failure, requests)| Original { failure: failure.into(), requests }),
                parameters: &head.parameters,
                stall: head.stall,
                bank_stall: head.bank_stall,
                inject_fault: fault,
                requests: case.requests(),
            };
            output::write_json(path, &figures)?;
        }
        if let Some(path) = files.save {
            case::write(path, &head, case)?;
            say!("saved             {0}; `txbar sim --replay {0}` runs it again", path.display());
        }
        if files.outputs.are_wanted() {
            if let Some(recorder) = &mut watched.recorder {
                recorder.mark(failure.cycle, &failure.what);
            }
            let record = simulated(Verdict::Fail, summary.clone(), &Lines::default(), watched.recorder);
            files.outputs.write(&record)?;
        }
        wave_writer::finish(watched.wave_writer, wave_writer::end_of::<()>(&Err(Box::new(failure.clone()))))?;
        tested(files, head.seed, Ending::Failed("mismatch", failure.what.clone(), summary))?;
        Ok(Verdict::Fail)
    }

    /// Summary.
    fn summary(&self) -> String {
        let Self { case, failure, original, .. } = self;
        let conditions = case.conditions();
        let (seed, count) = (conditions.seed, case.requests().len());
        let stalls = format!("{} % stall and {} % bank stall", conditions.stall, conditions.bank_stall);
        let mut text = match original {
            Some((first, from)) => format!(
                "FAILED with seed {seed}: cycle {}: {}\n\
                 reduced from {from} requests to {count}, with {stalls}; what follows and all files are of this run:\n",
                first.cycle, first.what
            ),
            None => format!("FAILED with seed {seed}: {count} requests, with {stalls}:\n"),
        };
        text += &format!("{failure}\nrequests:\n");
        for request in case.requests() {
            text += &format!("  {request}\n");
        }
        text
    }
}
