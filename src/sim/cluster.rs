//! `txbar sim --ctas`: random traffic on a cluster, with all its features, under a scoreboard in every CTA.

use crate::report::{self, Outputs};
use crate::shell::output::Lines;
use crate::shell::wave_writer::{self, WaveWriter};
use crate::shell::{progress, stop};
use crate::sim::case::Head;
use crate::sim::scenario::Wanted;
use crate::sim::verdict::{self, Bench, Played, Watched, Work};
use crate::{Verdict, sim};
use anyhow::Result;
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::{Cluster, Point};
use txbar_testbench::case::cluster::Cluster as Case;
use txbar_testbench::cluster::rig::{FaultHook, Report};
use txbar_testbench::cluster::traffic::Plan;
use txbar_testbench::faults::{self, Fault};
use txbar_testbench::run::Latency;
use txbar_testbench::shrink::{Limits, Shortened};

/// What belongs to random traffic on a cluster.
#[derive(Args)]
#[group(skip)]
#[command(next_help_heading = "Random traffic of clusters and warps")]
pub struct Arguments {
    /// Clock cycles of random traffic on a cluster or with ports for warps, after which no new requests are made
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub cycles: u64,
    /// In a cluster: all CTAs also make requests to the first one all the time
    #[arg(long)]
    pub rush: bool,
}

/// A cluster, with an injected fault or without.
struct Design<'a> {
    parameters: ClusterParameters,
    chosen: Option<Fault<Cluster, Point>>,
    outputs: &'a Outputs,
}

impl Design<'_> {
    /// Hook that injects the fault.
    fn hand(&self) -> Box<FaultHook<'static>> {
        match self.chosen.map(Fault::injected) {
            None => Box::new(|_, _| {}),
            Some(mut injected) => Box::new(move |cluster, point| injected.inject(cluster, point)),
        }
    }
}

impl Bench for Design<'_> {
    type Plan = Plan;
    type Case = Case;
    type Report = Report;
    type Figures = Figures;

    fn design(&self) -> &dyn txbar_rtl::parameters::Design {
        &self.parameters
    }

    fn play(&self, work: &Work<&Plan, &Case>, waves: Option<&wave_writer::Arguments>) -> Result<Played<Report>> {
        let begin = |waves| WaveWriter::begin(waves, &Cluster::new(&self.parameters), &self.parameters);
        let mut wave_writer = waves.map(begin).transpose()?.flatten();
        let mut recorder = self.outputs.of_cluster(&self.parameters);
        let bar = progress::bar(if let Work::Plan(plan) = work { plan.cycles } else { 0 }, "simulating");
        let mut look = |cluster: &Cluster, cycle: u64| {
            advance(&bar, cycle);
            if let Some(recorder) = &mut recorder {
                recorder.look(cluster, cycle);
            }
            if let Some(wave_writer) = &mut wave_writer {
                wave_writer.sample(cluster, cycle);
            }
        };
        let outcome = match work {
            Work::Plan(plan) => plan.run_until(stop::requested, &mut *self.hand(), look),
            Work::Case(case) => case.play(stop::requested, &mut *self.hand(), &mut look),
        };
        bar.finish_and_clear();
        Ok((outcome, Watched { wave_writer, recorder }))
    }

    fn shortened(&self, plan: &Plan) -> Option<Shortened<Case>> {
        Case::shortened(|| self.hand(), plan, Limits::CLUSTER.until(stop::requested))
    }

    fn seed(plan: &Plan) -> u64 {
        plan.seed
    }

    fn figures(report: Report, seed: u64) -> (Figures, Lines, Option<u64>) {
        let figures = Figures::new(&report, seed);
        let lines = figures.lines();
        (figures, lines, report.stopped.then_some(report.cycles))
    }
}

/// Runs the command.
pub fn run(work: &Work<Plan, Case>, fault: Option<&str>, of: (Option<&Head>, &Wanted)) -> Result<Verdict> {
    let parameters = match work {
        Work::Plan(plan) => {
            plan.check()?;
            plan.parameters
        }
        Work::Case(case) => case.parameters,
    };
    let chosen = fault.map(|name| sim::named(name, &faults::cluster::all(&parameters))).transpose()?;
    verdict::run(&Design { parameters, chosen, outputs: of.1.outputs }, work, fault, of)
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
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stopped: bool,
}

impl Figures {
    fn new(report: &Report, seed: u64) -> Self {
        let Report { cycles, operations, latency_cycles, .. } = *report;
        let mut counts = Counts::default();
        counts.add(report, cycles);
        let operations_per_cycle = operations as f64 / cycles.max(1) as f64;
        Self { operations, cycles, operations_per_cycle, latency_cycles, counts, seed, stopped: report.stopped }
    }

    fn lines(&self) -> Lines {
        let Self { operations, cycles, operations_per_cycle, latency_cycles, counts, seed, .. } = self;
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
