//! `txbar sim --scenario`: typical uses of barriers, on a cluster under the scoreboard.

mod picture;

use crate::Verdict;
use crate::report::{self, Outputs};
use crate::shell::junit::{Ending, Junit, Tested};
use crate::shell::output::{self, Lines, OutputFile};
use crate::shell::wave_writer::{self, WaveWriter, WavesWritten};
use crate::shell::{progress, stop};
use crate::sim::cluster::Counts;
use crate::{say, say_text};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use txbar_rtl::cluster::Cluster;
use txbar_rtl::op::Op;
use txbar_testbench::cluster::rig::{FaultHook, Report, Rig};
use txbar_testbench::cluster::scenarios::Scenario;
use txbar_testbench::record::Recorder;
use txbar_testbench::scoreboard::{Failure, each};

/// Options of scenarios.
#[derive(Args)]
#[group(skip)]
#[command(next_help_heading = "Scenario")]
pub struct Arguments {
    /// Run a typical use of barriers on a cluster, in place of random traffic, and draw it; `list` names the scenarios
    #[arg(long, value_name = "NAME", value_parser = choice)]
    pub scenario: Option<Choice>,
    /// Run a scenario with N seeds, one after the other
    #[arg(long, default_value_t = 1, value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Where to draw a scenario (its first run, or the one that fails); `txbar-SCENARIO.svg` if it is not given
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Arguments {
    /// Where a scenario is drawn, if one is.
    pub fn picture(&self) -> Option<PathBuf> {
        let Some(Choice::One(scenario)) = self.scenario else { return None };
        Some(self.svg.clone().unwrap_or_else(|| format!("txbar-{}.svg", scenario.name()).into()))
    }
}

/// Argument of `--scenario`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The names.
    List,
    /// One of them.
    One(Scenario),
}

fn choice(text: &str) -> std::result::Result<Choice, String> {
    if text == "list" { Ok(Choice::List) } else { text.parse().map(Choice::One) }
}

/// Files that are to be written.
pub struct Wanted<'a> {
    /// Waves.
    pub waves: &'a wave_writer::Arguments,
    /// Figures.
    pub json: Option<&'a Path>,
    /// The record of the run, and its page.
    pub outputs: &'a Outputs,
    /// The run, if it fails.
    pub save: Option<&'a Path>,
    /// Test results.
    pub junit: &'a Junit,
}

/// Runs the command.
pub fn run(choice: Choice, arguments: &Arguments, seed: Option<u64>, files: &Wanted) -> Result<Verdict> {
    let scenario = match choice {
        Choice::One(scenario) => scenario,
        Choice::List => {
            let widest = Scenario::ALL.map(|scenario| scenario.name().len()).into_iter().max().unwrap_or(0);
            for scenario in Scenario::ALL {
                say!("{:widest$}  {}", scenario.name(), scenario.meaning());
            }
            return Ok(Verdict::Pass);
        }
    };
    let seed = seed.unwrap_or_else(|| rand::random::<u32>().into());
    let svg = arguments.picture().context("there is a scenario")?;
    let mut figures = Figures::new(scenario, seed, arguments.runs);
    // the run that is drawn: the first, or the one that fails
    let (mut drawn, mut stopped) = (None, None);
    let bar = progress::bar(arguments.runs, "simulating");
    let under_way = stop::Run::begin();
    for run in 0..arguments.runs {
        let played = play(scenario, seed.wrapping_add(run), &mut |_, _| {}, &mut |_, _| {});
        bar.inc(1);
        match &played.outcome {
            Ok(report) => figures.add(report),
            Err(failure) if failure.is_stop() => {
                stopped = Some(run);
                break;
            }
            Err(_) => {
                drawn = Some(played);
                break;
            }
        }
        drawn.get_or_insert(played);
    }
    bar.finish_and_clear();
    drop(under_way);
    let Some(drawn) = drawn else { bail!("stopped by a signal in run 1 of {}", arguments.runs) };
    figures.stopped_after = stopped;
    let waves = wave_writer(&drawn, files.waves, &svg)?;
    let (summary, lines) = match &drawn.outcome {
        Ok(_) => {
            match stopped {
                Some(run) => say!("STOPPED in run {} of {}: those before it passed", run + 1, arguments.runs),
                None => say!("{}", report::passed(seed, None).1),
            }
            let lines = figures.lines();
            lines.print();
            if let Some(path) = files.json {
                output::write_json(path, &figures)?;
            }
            (scenario.meaning().to_owned(), lines)
        }
        Err(failure) => {
            let summary = summary_of(scenario, drawn.seed, failure);
            say_text!("{summary}");
            if let Some(path) = files.json {
                output::write_json(path, &FailedFigures::new(&drawn, failure))?;
            }
            (summary, Lines::default())
        }
    };
    let verdict = if drawn.outcome.is_ok() { Verdict::Pass } else { Verdict::Fail };
    let ended = |run: u64| {
        let ending = match &drawn.outcome {
            Err(_) if seed.wrapping_add(run) == drawn.seed => Ending::failed("mismatch", summary.clone()),
            _ => Ending::Passed,
        };
        Tested::new(format!("seed {}", seed.wrapping_add(run)), ending)
    };
    let ran = match &drawn.outcome {
        Ok(_) => stopped.unwrap_or(arguments.runs),
        Err(_) => drawn.seed.wrapping_sub(seed) + 1,
    };
    files.junit.write([(format!("txbar sim --scenario {}", scenario.name()), (0..ran).map(ended).collect())])?;
    if let Some(recorder) = recorded(&drawn, files.outputs)? {
        files.outputs.write(&report::simulated(verdict, summary, &lines, Some(recorder)))?;
    }
    say!("picture           {}", svg.display());
    if let Some(waves) = waves {
        say!("{waves}");
    }
    Ok(verdict)
}

/// A run, and the moments in it that a picture is made of.
struct Played {
    scenario: Scenario,
    seed: u64,
    outcome: std::result::Result<Report, Box<Failure>>,
    /// The cycle in which the first request is accepted.
    begin: u64,
    /// The cycles in which phases of CTA 0's barriers complete, and the words.
    flips: Vec<(u64, u64)>,
    /// The cycle in which a drop is accepted first in CTA 0.
    drop: Option<u64>,
    /// All cycles, those after the last thread was through too.
    cycles: u64,
}

/// Runs a scenario. `look` is called in every cycle.
fn play(scenario: Scenario, seed: u64, hand: &mut FaultHook, look: &mut dyn FnMut(&Cluster, u64)) -> Played {
    let parameters = scenario.parameters();
    let mut rig =
        Rig::new(parameters, scenario.threads(&parameters, seed), Scenario::environment(seed)).until(stop::requested);
    let (mut begin, mut flips, mut drop, mut cycles) = (None, Vec::new(), None, 0);
    let outcome = rig.run(hand, |cluster, cycle| {
        if begin.is_none() && is_busy(cluster) {
            begin = Some(cycle);
        }
        let unit = &cluster.cta[0].unit;
        for bank in each(unit.flip_valid.val().raw()) {
            flips.push((cycle, unit.flip_index[bank].val().index() as u64));
        }
        if drop.is_none() && asks(cluster, Op::ArriveDrop) {
            drop = Some(cycle);
        }
        cycles = cycle + 1;
        look(cluster, cycle);
    });
    Played { scenario, seed, outcome, begin: begin.unwrap_or(0), flips, drop, cycles }
}

/// Whether CTA 0 accepts such a request.
fn asks(cluster: &Cluster, op: Op) -> bool {
    let accepted = cluster.req_valid[0].val() & cluster.req_ready[0].val();
    each(accepted.raw()).any(|port| cluster.req[0][port].op.val().raw() == u64::from(op.code()))
}

/// Whether a request is accepted.
fn is_busy(cluster: &Cluster) -> bool {
    let asked =
        cluster.req_valid.iter().zip(cluster.req_ready.iter()).any(|(valid, ready)| (valid.val() & ready.val()).any());
    let meets = cluster.bar_req.iter().any(|request| request.valid.val() & request.ready.val());
    asked || meets
}

/// Runs it again, and records it if that is wanted.
fn recorded(played: &Played, outputs: &Outputs) -> Result<Option<Recorder>> {
    let Some(mut recorder) = outputs.of_cluster(&played.scenario.parameters()) else { return Ok(None) };
    play(played.scenario, played.seed, &mut |_, _| {}, &mut |cluster, cycle| recorder.look(cluster, cycle));
    if let Err(failure) = &played.outcome {
        recorder.mark(failure.cycle, &failure.what);
    }
    Ok(Some(recorder))
}

/// Runs it again, writes its waves, and draws it. Says which waves there are, if there are to be any.
fn wave_writer(played: &Played, waves: &wave_writer::Arguments, svg: &Path) -> Result<Option<WavesWritten>> {
    // an unwritable picture is reported before anything else is written
    let picture = OutputFile::create(svg)?;
    let cycles = picture::window(played);
    // the picture is of waves of its own: those that are asked for may be of other cycles
    let file = tempfile::Builder::new().suffix(".fst").tempfile().context("cannot make a temporary file")?;
    let developed = match waves.path() {
        Some(_) => write_waves(played, waves, played.cycles)?,
        None => None,
    };
    write_waves(played, &wave_writer::Arguments::all(file.path()), cycles.end)?;
    picture::draw(played, file.path(), cycles, picture)?;
    Ok(developed)
}

/// The waves of a run, up to a cycle.
fn write_waves(played: &Played, waves: &wave_writer::Arguments, end: u64) -> Result<Option<WavesWritten>> {
    let parameters = played.scenario.parameters();
    let Some(mut wave_writer) = WaveWriter::begin(waves, &Cluster::new(&parameters), &parameters)? else {
        return Ok(None);
    };
    play(played.scenario, played.seed, &mut |_, _| {}, &mut |cluster, cycle| {
        if cycle < end {
            wave_writer.sample(cluster, cycle);
        }
    });
    wave_writer.finish(wave_writer::end_of(&played.outcome)).map(Some)
}

/// The figures of clean runs, all together.
#[derive(Serialize)]
struct Figures {
    scenario: &'static str,
    about: &'static str,
    runs: u64,
    cycles: u64,
    operations: u64,
    #[serde(flatten)]
    counts: Counts,
    seed: u64,
    /// Runs before the one in which it was stopped, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_after: Option<u64>,
}

impl Figures {
    fn new(scenario: Scenario, seed: u64, runs: u64) -> Self {
        let (scenario, about) = (scenario.name(), scenario.meaning());
        Self { scenario, about, runs, cycles: 0, operations: 0, counts: Counts::default(), seed, stopped_after: None }
    }

    /// Adds a run.
    fn add(&mut self, report: &Report) {
        self.cycles += report.cycles;
        self.operations += report.operations;
        self.counts.add(report, self.cycles);
    }

    fn lines(&self) -> Lines {
        let Self { scenario, about, runs, cycles, operations, counts, seed, .. } = self;
        let mut lines = Lines::default();
        lines.add("scenario", format!("{scenario}: {about}")).add("cycles", cycles).add("operations", operations);
        counts.list(&mut lines);
        if *runs > 1 {
            lines.add("seeds", format!("{seed} to {}, {runs} runs", seed.wrapping_add(runs - 1)));
        } else {
            lines.add("seed", seed);
        }
        lines
    }
}

/// The figures of a run that failed.
#[derive(Serialize)]
struct FailedFigures {
    scenario: &'static str,
    mismatches: u64,
    message: String,
    cycle: u64,
    seed: u64,
}

impl FailedFigures {
    fn new(played: &Played, failure: &Failure) -> Self {
        let Failure { what, cycle, .. } = failure;
        let Played { scenario, seed, .. } = *played;
        Self { scenario: scenario.name(), mismatches: 1, message: what.clone(), cycle: *cycle, seed }
    }
}

/// What is said of a run that failed.
fn summary_of(scenario: Scenario, seed: u64, failure: &Failure) -> String {
    let name = scenario.name();
    let Failure { what, cycle, history } = failure;
    let history = if history.is_some() { format!("what it looks like:\n{failure}\n") } else { String::new() };
    format!(
        "FAILED: {name} with seed {seed}: {what} (cycle {cycle})\n{history}\
         to see it again:  txbar sim --scenario {name} --seed {seed} --vcd {name}.vcd\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use txbar_rtl::cluster::Point;

    #[test]
    fn a_failure_names_its_seed_and_the_command_that_shows_it_again() {
        // the first words of all beats are lost
        let hand: &mut FaultHook = &mut |cluster, point| {
            if point == Point::Sent {
                cluster.cta[0].unit.write_data[0][0].next = 0.into();
            }
        };
        let played = play(Scenario::Ring, 3, hand, &mut |_, _| {});
        let failure = played.outcome.as_ref().expect_err("data is lost");
        let text = summary_of(Scenario::Ring, 3, failure);
        assert!(text.starts_with("FAILED: ring with seed 3: CTA 0: no copy stores [0, "), "{text}");
        assert!(text.ends_with("txbar sim --scenario ring --seed 3 --vcd ring.vcd\n"), "{text}");
        let figures = serde_json::to_value(FailedFigures::new(&played, failure)).expect("it is plain");
        assert_eq!(
            (&figures["mismatches"], &figures["seed"], &figures["cycle"]),
            (&1.into(), &3.into(), &failure.cycle.into())
        );
    }

    #[test]
    fn the_picture_of_a_failure_ends_with_it() {
        let hand: &mut FaultHook = &mut |cluster, point| {
            if point == Point::Sent {
                cluster.cta[0].unit.write_data[0][0].next = 0.into();
            }
        };
        let played = play(Scenario::Ring, 3, hand, &mut |_, _| {});
        assert_eq!(picture::window(&played).end, played.cycles);
    }
}
