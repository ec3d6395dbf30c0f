//! `txbar bench`: how fast everything is, on this machine.

use crate::{Json, Verdict, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use criterion::Criterion;
use serde::Serialize;
use std::time::Duration;
use txbar_testbench::bench::suites::{SUITES, Suite};
use txbar_testbench::bench::{Bench, Figure, table};

/// Measures with criterion, side by side in one run, and prints a table: the simulation in Rust beside the exported Verilog
/// under other simulators, checking, exports, PTX kernels, and how cost grows with size. What a missing tool would measure
/// is left out. For figures to compare, leave the machine alone meanwhile.
#[derive(Args)]
pub struct Arguments {
    /// Suites to run; all if none is named, `list` to see them
    #[arg(value_name = "SUITE")]
    suites: Vec<String>,
    /// Seconds that each measurement takes at least
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS", value_parser = seconds)]
    seconds: f64,
    #[command(flatten)]
    json: Json,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if (0.01..=3600.0).contains(&seconds) { Ok(seconds) } else { Err("it must be from 0.01 to 3600".to_owned()) }
}

/// What is kept of a run.
#[derive(Serialize)]
struct Record<'a> {
    /// Logical processors of the machine.
    processors: usize,
    /// What could not be measured.
    missing: &'a [String],
    figures: &'a [Figure],
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    if arguments.suites.iter().any(|name| name == "list") {
        SUITES.iter().for_each(|(name, what, _)| println!("{name:<10} {what}"));
        return Ok(Verdict::Pass);
    }
    let find = |name: &String| -> Result<&Suite> {
        match SUITES.iter().find(|(known, ..)| known == name) {
            Some(suite) => Ok(suite),
            None => bail!("there is no suite `{name}`; `txbar bench list` names them"),
        }
    };
    let chosen: Vec<&Suite> = match arguments.suites.as_slice() {
        [] => SUITES.iter().collect(),
        names => names.iter().map(find).collect::<Result<_>>()?,
    };
    let directory = tempfile::tempdir().context("a temporary directory")?;
    let mut criterion = Criterion::default()
        .output_directory(directory.path())
        .sample_size(10)
        .warm_up_time(Duration::from_secs_f64(arguments.seconds / 4.0))
        .measurement_time(Duration::from_secs_f64(arguments.seconds));
    let mut bench = Bench::new(&mut criterion, directory.path().to_owned());
    for (_, _, suite) in chosen {
        suite(&mut bench);
    }
    println!("\n{}", table(&bench.figures));
    if let Some(path) = &arguments.json.json {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        output::write_json(path, &Record { processors, missing: &bench.missing, figures: &bench.figures })?;
    }
    Ok(Verdict::Pass)
}
