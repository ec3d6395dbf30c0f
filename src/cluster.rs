//! `txbar sim --ctas`: random traffic on a cluster, with everything in it, under scoreboards in every CTA.

use crate::Verdict;
use crate::film::{self, Film};
use crate::output::{self, Lines};
use crate::report;
use crate::scenario::Wanted;
use crate::{progress, say, sim, stop};
use anyhow::{Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::plant;
use txbar_rtl::cluster::{Cluster, Point};
use txbar_testbench::cluster::rig::Report;
use txbar_testbench::cluster::traffic::Plan;
use txbar_testbench::record::Recorder;
use txbar_testbench::run::Latency;
use txbar_testbench::scoreboard::Failure;

/// What belongs to random traffic on a cluster.
#[derive(Args)]
#[group(skip)]
pub struct Arguments {
    /// Clock cycles of random traffic on a cluster or with ports for warps, after which no new requests are made
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub cycles: u64,
    /// In a cluster: all CTAs also make requests to the first one all the time
    #[arg(long)]
    rush: bool,
}

/// Runs the command.
pub fn run(
    parameters: ClusterParameters,
    arguments: &Arguments,
    (seed, stall): (u64, u8),
    plant: Option<&str>,
    files: &Wanted,
) -> Result<Verdict> {
    let plan = Plan { parameters, seed, cycles: arguments.cycles, stall, rush: arguments.rush };
    plan.check()?;
    let mut planted = sim::find(plant, &plant::all(&parameters))?;
    let mut hand = |cluster: &mut Cluster, point: Point| {
        if let Some(planted) = &mut planted {
            planted.tamper(cluster, point);
        }
    };
    let under_way = stop::Run::begin();
    let bar = progress::bar(plan.cycles, "simulating");
    let mut recorder = files.outputs.of_cluster(&parameters);
    let mut look = |cluster: &Cluster, cycle: u64| {
        advance(&bar, cycle);
        if let Some(recorder) = &mut recorder {
            recorder.look(cluster, cycle);
        }
    };
    let waves = files.waves.tampered(plant.is_some());
    let (outcome, film) = match Film::begin(&waves, &Cluster::new(&parameters), &parameters)? {
        None => (plan.run_until(stop::requested, &mut hand, look), None),
        Some(mut film) => {
            let look = |cluster: &Cluster, cycle: u64| {
                look(cluster, cycle);
                film.sample(cluster, cycle);
            };
            (plan.run_until(stop::requested, &mut hand, look), Some(film))
        }
    };
    bar.finish_and_clear();
    let outcome = outcome.map(|report| {
        let figures = Figures::new(&report, seed);
        let lines = figures.lines();
        (figures, lines)
    });
    let verdict = conclude(&outcome, (seed, plant), files, film, recorder)?;
    drop(under_way);
    Ok(verdict)
}

/// Says what came of random traffic that a scoreboard has judged, its figures and the lines of them; writes what is to be written.
pub fn conclude<F: Serialize>(
    outcome: &std::result::Result<(F, Lines), Box<Failure>>,
    (seed, plant): (u64, Option<&str>),
    files: &Wanted,
    film: Option<Film>,
    mut recorder: Option<Recorder>,
) -> Result<Verdict> {
    if let Some(failure) = outcome.as_ref().err().filter(|failure| failure.is_stop()) {
        film::finish(film, film::end_of(outcome))?;
        bail!("{} in cycle {}", failure.what, failure.cycle);
    }
    let none = Lines::default();
    let (verdict, summary, lines) = match outcome {
        Ok((figures, lines)) => {
            let (verdict, summary) = report::passed(seed, plant);
            say!("{summary}");
            lines.print();
            if let Some(path) = files.json {
                output::write_json(path, figures)?;
            }
            (verdict, summary, lines)
        }
        Err(failure) => {
            let summary = format!("FAILED with seed {seed}: {failure}");
            say!("{summary}");
            if let Some(recorder) = &mut recorder {
                recorder.mark(failure.cycle, &failure.what);
            }
            if let Some(path) = files.json {
                output::write_json(path, &FailedFigures::new(failure, seed))?;
            }
            (Verdict::Fail, summary, &none)
        }
    };
    if files.outputs.are_wanted() {
        files.outputs.write(&report::simulated(verdict, summary, lines, recorder))?;
    }
    film::finish(film, film::end_of(outcome))?;
    Ok(verdict)
}

/// Moves the bar.
pub fn advance(bar: &ProgressBar, cycle: u64) {
    if cycle.is_multiple_of(4096) {
        bar.set_position(cycle);
    }
}

/// What is counted on a cluster, whatever runs on it.
#[derive(Default, Serialize)]
pub struct Counts {
    remote_requests: u64,
    bytes_copied: u64,
    bytes_reduced: u64,
    bytes_written: u64,
    bytes_per_cycle: f64,
    phases_completed: u64,
    rounds: u64,
    faults: u64,
    mismatches: u64,
}

impl Counts {
    /// One more run; `cycles` are those of all runs.
    pub fn add(&mut self, report: &Report, cycles: u64) {
        self.remote_requests += report.remote_requests;
        self.bytes_copied += report.bytes_copied;
        self.bytes_reduced += report.bytes_reduced;
        self.bytes_written += report.bytes_written;
        self.phases_completed += report.flips;
        self.rounds += report.rounds;
        self.faults += report.faults;
        self.bytes_per_cycle = self.bytes_copied as f64 / cycles.max(1) as f64;
    }

    /// Adds them to the lines that are printed.
    pub fn list(&self, lines: &mut Lines) {
        lines.add("remote requests", self.remote_requests).add("bytes copied", self.bytes_copied);
        lines.add("bytes reduced", self.bytes_reduced).add("bytes written", self.bytes_written);
        lines.add("bytes/cycle", format!("{:.3}", self.bytes_per_cycle)).add("phases completed", self.phases_completed);
        lines.add("rounds", self.rounds).add("faults", report::wanted(self.faults)).add("mismatches", self.mismatches);
    }
}

/// The figures of a clean run.
#[derive(Serialize)]
struct Figures {
    operations: u64,
    cycles: u64,
    operations_per_cycle: f64,
    latency_cycles: Latency,
    #[serde(flatten)]
    counts: Counts,
    seed: u64,
}

impl Figures {
    fn new(report: &Report, seed: u64) -> Self {
        let Report { cycles, operations, latency_cycles, .. } = *report;
        let mut counts = Counts::default();
        counts.add(report, cycles);
        let operations_per_cycle = operations as f64 / cycles.max(1) as f64;
        Self { operations, cycles, operations_per_cycle, latency_cycles, counts, seed }
    }

    fn lines(&self) -> Lines {
        let Self { operations, cycles, operations_per_cycle, latency_cycles, counts, seed } = self;
        let mut lines = Lines::default();
        lines.add("operations", operations).add("cycles", cycles);
        lines.add("operations/cycle", format!("{operations_per_cycle:.3}"));
        let Latency { min, median, p99, max } = latency_cycles;
        let latency = format!("min {min}  median {median}  p99 {p99}  max {max}, within each CTA");
        lines.add("latency (cycles)", latency);
        counts.list(&mut lines);
        lines.add("seed", seed);
        lines
    }
}

/// The figures of a run that failed.
#[derive(Serialize)]
struct FailedFigures {
    mismatches: u64,
    what: String,
    cycle: u64,
    seed: u64,
}

impl FailedFigures {
    fn new(failure: &Failure, seed: u64) -> Self {
        Self { mismatches: 1, what: failure.what.clone(), cycle: failure.cycle, seed }
    }
}
