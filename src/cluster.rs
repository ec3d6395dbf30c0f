//! `txbar sim --ctas`: random traffic on a cluster, with everything in it, under scoreboards in every CTA.

use crate::output::{self, OutputFile};
use crate::scenario::Files;
use crate::{Verdict, cannot_write};
use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use std::io;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::plant::{self, PLANTS};
use txbar_rtl::cluster::{Cluster, Point};
use txbar_testbench::cluster::rig::Report;
use txbar_testbench::cluster::traffic::Plan;
use txbar_testbench::run::Latency;
use txbar_testbench::scoreboard::Failure;
use txbar_waves::write::Waves;

/// What belongs to random traffic on a cluster.
#[derive(Args)]
pub struct Arguments {
    /// Clock cycles of random traffic on a cluster, after which nothing new is begun
    #[arg(long, default_value_t = 100_000, value_name = "N", requires = "ctas", value_parser = clap::value_parser!(u64).range(1..))]
    cycles: u64,
    /// In a cluster: all CTAs want something of the first, all the time, besides
    #[arg(long, requires = "ctas")]
    rush: bool,
}

/// Prints the faults that can be planted.
pub fn list_plants() {
    let widest = PLANTS.iter().map(|plant| plant.name.len()).max().unwrap_or(0);
    for plant in PLANTS {
        println!("{:widest$}  {}", plant.name, plant.defect);
    }
}

/// Runs the command.
pub fn run(
    parameters: ClusterParameters,
    arguments: &Arguments,
    (seed, stall): (u64, u8),
    plant: Option<&str>,
    files: &Files,
) -> Result<Verdict> {
    let plan = Plan { parameters, seed, cycles: arguments.cycles, stall, rush: arguments.rush };
    plan.check()?;
    let mut planted = match plant {
        None => None,
        Some(name) => {
            let Some(plant) = plant::find(name) else {
                bail!(
                    "there is no fault `{name}` to plant in a cluster; `--ctas 2 --plant list` names those there are"
                );
            };
            Some(plant.planted())
        }
    };
    let mut hand = |cluster: &mut Cluster, point: Point| {
        if let Some(planted) = &mut planted {
            planted.tamper(cluster, point);
        }
    };
    let bar = output::bar(plan.cycles, "simulating");
    let outcome = match files.vcd {
        None => plan.run(&mut hand, |_, cycle| advance(&bar, cycle)),
        Some(path) => {
            let mut file = OutputFile::create(path)?;
            let mut waves = Waves::new(file.writer(), &Cluster::new(&parameters), &parameters)
                .with_context(|| cannot_write(path))?;
            let (mut written, mut cycles) = (io::Result::Ok(()), 0);
            let outcome = plan.run(&mut hand, |cluster, cycle| {
                advance(&bar, cycle);
                if written.is_ok() {
                    written = waves.sample(cluster, cycle);
                }
                cycles = cycle + 1;
            });
            written.and_then(|()| waves.finish(cycles)).with_context(|| cannot_write(path))?;
            file.finish()?;
            outcome
        }
    };
    bar.finish_and_clear();
    let verdict = match &outcome {
        Ok(report) => {
            let figures = Figures::new(report, seed);
            figures.print();
            if let Some(path) = files.json {
                output::write_json(path, &figures)?;
            }
            Verdict::Pass
        }
        Err(failure) => {
            println!("FAILED with seed {seed}: {failure}");
            if let Some(path) = files.json {
                output::write_json(path, &FailedFigures::new(failure, seed))?;
            }
            Verdict::Fail
        }
    };
    if let Some(path) = files.vcd {
        println!("waves             {}", path.display());
    }
    Ok(verdict)
}

fn advance(bar: &ProgressBar, cycle: u64) {
    if cycle.is_multiple_of(4096) {
        bar.set_position(cycle);
    }
}

/// The figures of a clean run.
#[derive(Serialize)]
struct Figures {
    operations: u64,
    cycles: u64,
    operations_per_cycle: f64,
    latency_cycles: Latency,
    remote_requests: u64,
    bytes_copied: u64,
    bytes_per_cycle: f64,
    phases_completed: u64,
    rounds: u64,
    faults: u64,
    mismatches: u64,
    seed: u64,
}

impl Figures {
    fn new(report: &Report, seed: u64) -> Self {
        let Report { cycles, operations, remote_requests, bytes_copied, flips, faults, rounds, latency_cycles } =
            *report;
        let per_cycle = |count: u64| count as f64 / cycles.max(1) as f64;
        Self {
            operations,
            cycles,
            operations_per_cycle: per_cycle(operations),
            latency_cycles,
            remote_requests,
            bytes_copied,
            bytes_per_cycle: per_cycle(bytes_copied),
            phases_completed: flips,
            rounds,
            faults,
            mismatches: 0,
            seed,
        }
    }

    fn print(&self) {
        let Self { operations, cycles, operations_per_cycle, latency_cycles: latency, remote_requests, .. } = self;
        let Self { bytes_copied, bytes_per_cycle, phases_completed, rounds, faults, mismatches, seed, .. } = self;
        println!("operations        {operations}");
        println!("cycles            {cycles}");
        println!("operations/cycle  {operations_per_cycle:.3}");
        let Latency { min, median, p99, max } = latency;
        println!("latency (cycles)  min {min}  median {median}  p99 {p99}  max {max}, within each CTA");
        println!("remote requests   {remote_requests}");
        println!("bytes copied      {bytes_copied}");
        println!("bytes/cycle       {bytes_per_cycle:.3}");
        println!("phases completed  {phases_completed}");
        println!("rounds            {rounds}");
        println!("faults            {faults}");
        println!("mismatches        {mismatches}");
        println!("seed              {seed}");
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
