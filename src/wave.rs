//! `txbar wave`: a picture of a wave file.

use crate::Verdict;
use crate::output;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use txbar_waves::picture::{self, Lane};
use txbar_waves::read::WaveFile;
use txbar_waves::write::CYCLE_NS;

/// Draws a timing diagram of some signals of a wave file that txbar wrote, as SVG.
#[derive(Args)]
pub struct Arguments {
    /// The waves (VCD)
    #[arg(value_name = "FILE.vcd")]
    file: PathBuf,
    /// Where to draw; without it, the names of the signals are listed
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// Signals to draw, by their full names; without it, an overview of requests, words and answers
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',')]
    signals: Vec<String>,
    /// First clock cycle to draw
    #[arg(long, default_value_t = 0, value_name = "CYCLE")]
    from: u64,
    /// Clock cycles to draw
    #[arg(long, default_value_t = 24, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=2000))]
    cycles: u64,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let mut file = WaveFile::open(&arguments.file)?;
    let Some(svg) = &arguments.svg else {
        for signal in file.signals() {
            println!("{signal}");
        }
        return Ok(Verdict::Pass);
    };
    let last = file.end() / CYCLE_NS;
    if arguments.from >= last {
        bail!("--from {}: the waves end with cycle {}", arguments.from, last.saturating_sub(1));
    }
    let lanes: Vec<Lane> = match arguments.signals.as_slice() {
        [] => picture::overview(&file.signals()),
        signals => signals.iter().map(|signal| Lane::of(signal)).collect(),
    };
    let title = arguments.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let until = (arguments.from + arguments.cycles).min(last);
    output::write_text(svg, &picture::draw(&mut file, &title, &lanes, arguments.from..until)?)?;
    println!("{}", svg.display());
    Ok(Verdict::Pass)
}
