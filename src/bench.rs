//! `txbar bench`: how fast everything is, on this machine.

use crate::say;
use crate::shell::files::Files;
use crate::shell::output;
use crate::{Json, Verdict};
use anyhow::{Result, bail};
use clap::Args;
use std::time::Duration;
use txbar_bench::suites::{SUITES, Suite};
use txbar_bench::{Bench, Record, Samples, load_average, phases, rates, table};
use txbar_export::tables::columns;

/// Measures side by side in one run, and prints a table: rates in clock cycles, phases beside an H200's, the simulation in Rust beside the exported
/// Verilog under other simulators, checking, exports, PTX kernels, and how cost grows with size. What needs a missing
/// tool is left out.
///
/// Rust and Verilator take turns in short slices, a process each; their ratio is given with its quartiles, and hardly depends on
/// the load of the machine. For the other figures, do not use it meanwhile.
#[derive(Args)]
pub struct Arguments {
    /// Suites to run; all if none is named, `list` to see them
    #[arg(value_name = "SUITE")]
    suites: Vec<String>,
    /// Seconds that each measurement takes at least; of Rust beside Verilator, 20 pairs of slices a second
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS", value_parser = seconds)]
    seconds: f64,
    #[command(flatten)]
    json: Json,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if (0.01..=3600.0).contains(&seconds) { Ok(seconds) } else { Err("it must be from 0.01 to 3600".to_owned()) }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    if arguments.suites.iter().any(|name| name == "list") {
        SUITES.iter().for_each(|(name, what, _)| say!("{name:<10} {what}"));
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
    arguments.json.list(Files::default()).check()?;
    let mut samples = Samples { time: Duration::from_secs_f64(arguments.seconds) };
    let mut bench = Bench::new(&mut samples);
    bench.pairs = ((20.0 * arguments.seconds) as usize).max(4);
    let before = load_average();
    for (_, _, suite) in chosen {
        suite(&mut bench);
    }
    if let Some(rates) = &bench.rates {
        let rows: Vec<_> = std::iter::once(rates::TITLES.map(str::to_owned)).chain(rates.rows()).collect();
        say!("\n{}", columns(&rows, 2));
    }
    if !bench.phases.is_empty() {
        let rows: Vec<_> =
            std::iter::once(phases::TITLES.map(str::to_owned)).chain(phases::rows(&bench.phases)).collect();
        say!("\n{}", columns(&rows, 1));
        say!("geometric mean of the ratios: {:.3}", phases::mean(&bench.phases));
    }
    if !bench.figures.is_empty() {
        say!("\n{}", table(&bench.figures));
    }
    if let Some(path) = &arguments.json.json {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let load_average = before.zip(load_average()).map(|(before, after)| [before, after]);
        let Bench { missing, figures, rates, phases, .. } = bench;
        output::write_json(path, &Record { processors, load_average, missing, figures, rates, phases })?;
    }
    Ok(Verdict::Pass)
}
