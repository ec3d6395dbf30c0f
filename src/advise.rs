//! `txbar advise`: the smallest unit that does what is wanted, of those that `txbar synth --explore` has measured.

use crate::files::Files;
use crate::{Json, Verdict, explore, number, output, say};
use anyhow::{Context, Result};
use clap::Args;
use std::path::PathBuf;
use txbar_synth::flow::parts::Part;
use txbar_synth::frontier::advice::Wish;
use txbar_synth::frontier::{self, Point, Rates};

/// Points that are kept with the program.
const KEPT: &str = include_str!("../docs/figures/frontier.json");

/// Finds the smallest unit that does what is wanted, of those that were measured, and prints its figures and the command that exports it.
/// Without anything that is wanted it is the smallest of all.
#[derive(Args)]
pub struct Arguments {
    /// Part that it is for
    #[arg(long, value_name = "PART")]
    part: String,
    /// Operations a clock cycle on random words, at least
    #[arg(long, value_name = "N", value_parser = amount)]
    rate: Option<f64>,
    /// Million operations a second on random words, at least
    #[arg(long, value_name = "N", value_parser = amount)]
    million_a_second: Option<f64>,
    /// Clock in MHz, at least
    #[arg(long, value_name = "MHZ", value_parser = amount)]
    clock: Option<f64>,
    /// Nanoseconds from a request to its answer, at most
    #[arg(long, value_name = "NS", value_parser = amount)]
    latency_ns: Option<f64>,
    /// Look-up tables of four inputs, at most
    #[arg(long, value_name = "N")]
    luts: Option<u64>,
    /// Request ports, at least
    #[arg(long, value_name = "N", value_parser = number)]
    ports: Option<usize>,
    /// Waits that may be suspended, at least
    #[arg(long, value_name = "N", value_parser = number)]
    waiters: Option<usize>,
    /// 64-bit words of memory, at least
    #[arg(long, value_name = "N", value_parser = number)]
    words: Option<usize>,
    /// File that `txbar synth --explore` keeps its results in [default: the results that are kept with the program]
    #[arg(long, value_name = "FILE.json")]
    from: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// A number above 0.
fn amount(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(amount) if amount > 0.0 && amount.is_finite() => Ok(amount),
        _ => Err("it is not a number above 0".to_owned()),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let part = Part::find(&arguments.part)?;
    arguments.json.list(Files::default().reads(&arguments.from)).check()?;
    let points = match &arguments.from {
        Some(path) => explore::read(path)?,
        None => frontier::read(KEPT).context("the results that are kept with the program")?,
    };
    let wish = Wish {
        part: arguments.part.clone(),
        rate: arguments.rate,
        million_a_second: arguments.million_a_second,
        mhz: arguments.clock,
        latency_ns: arguments.latency_ns,
        lut4: arguments.luts,
        ports: arguments.ports,
        waiters: arguments.waiters,
        words: arguments.words,
    };
    let point = wish.smallest(&points)?;
    tell(point, part);
    if let Some(path) = &arguments.json.json {
        output::write_json(path, point)?;
    }
    Ok(Verdict::Pass)
}

fn tell(point: &Point, part: &Part) {
    let Rates { random_words, one_barrier, latency } = point.rates;
    let (mhz, (speed, ns)) = (point.mhz().unwrap_or_default(), point.speed().unwrap_or_default());
    let (lut4, bram) = (point.figures.lut4, point.figures.bram);
    let Point { ports, banks, waiters, words, .. } = point;
    let seeds = match point.figures.seeds {
        1 => "one seed".to_owned(),
        seeds => format!("median of {seeds} seeds"),
    };
    let share = |count: u64, of: u64| format!("{count}, {:.0} % of the part's {of}", 100.0 * count as f64 / of as f64);
    let mut lines = output::Lines::default();
    lines
        .add(
            "unit",
            format!(
                "{}, {ports}x{banks} (ports x banks), {waiters} suspended waits, {words} words",
                point.kind().name()
            ),
        )
        .add("clock", format!("{mhz:.1} MHz on {}, {seeds}", point.part))
        .add("operations", format!("{random_words:.2} a cycle on random words, {speed:.0} million a second"))
        .add("on one barrier", format!("{one_barrier:.2} a cycle"))
        .add("to an answer", format!("{latency} cycles, {ns:.1} ns"))
        .add("look-up tables", share(lut4, part.lut4))
        .add("block RAM", share(bram, part.bram))
        .add("netlist", format!("compared with the Verilog: {}", point.figures.equivalence))
        .print();
    say!("\ntxbar verilog {}", point.options());
}
