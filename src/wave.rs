//! `txbar wave`: draws a picture of a wave file.

use crate::Verdict;
use crate::say;
use crate::shell::files::Files;
use crate::shell::output;
use crate::shell::progress;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use txbar_waves::picture::{self, Lane, Overview};
use txbar_waves::read::WaveFile;
use txbar_waves::write::CYCLE_NS;

/// Draws a timing diagram of some signals of a wave file that txbar wrote, as SVG.
#[derive(Args)]
pub struct Arguments {
    /// The waves, VCD or FST
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The picture; without it, the names of the signals are listed
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// Signals to draw, by their full names or a unique end of them; without it, an overview of requests, barriers and
    /// answers, of a cluster also of copies, links and barrier.cluster
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',')]
    signals: Vec<String>,
    /// Barriers to draw in the overview, by the addresses of their words; those of two with which something happens, if none is given
    #[arg(long, value_name = "ADDRESS,...", value_delimiter = ',', value_parser = address)]
    barriers: Vec<u64>,
    /// First clock cycle to draw; if it is not given, some cycles before the first completion of a phase, or the first of the file
    #[arg(long, value_name = "CYCLE")]
    from: Option<u64>,
    /// Clock cycles to draw
    #[arg(long, default_value_t = 24, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=2000))]
    cycles: u64,
    /// Fold cycles in which nothing changes, and wrap long diagrams
    #[arg(long)]
    fold: bool,
}

/// An address, in hexadecimal or decimal.
fn address(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| u64::from_str_radix(digits, 16));
    number.map_err(|_| "an address is needed, such as 0x38".to_owned())
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    Files::default().reads([&arguments.file]).writes("--svg", &arguments.svg).check()?;
    let reading = progress::spinner("reading");
    let mut file = WaveFile::open(&arguments.file)?;
    reading.finish_and_clear();
    let Some(svg) = &arguments.svg else {
        for signal in file.signals() {
            say!("{signal}");
        }
        return Ok(Verdict::Pass);
    };
    let (first, last) = (file.begin() / CYCLE_NS, file.end() / CYCLE_NS);
    let from = match arguments.from {
        Some(from) => from,
        None => {
            let before = arguments.cycles * 2 / 3;
            picture::first_flip(&mut file)?.map_or(first, |flip| flip.saturating_sub(before).max(first))
        }
    };
    if from >= last {
        bail!("--from {from}: the waves end with cycle {}", last.saturating_sub(1));
    }
    if from < first {
        bail!("--from {from}: the waves begin with cycle {first}");
    }
    let cycles = from..(from + arguments.cycles).min(last);
    let overview = match arguments.signals.as_slice() {
        [] => picture::overview(&mut file, cycles.clone(), &arguments.barriers)?,
        signals => {
            let lanes = signals.iter().map(|signal| Ok(Lane::of(&file.resolve(signal)?)));
            Overview { lanes: lanes.collect::<Result<_, txbar_waves::read::ReadError>>()?, ..Overview::default() }
        }
    };
    let (lanes, remarks) = (&overview.lanes, overview.remarks());
    let name = arguments.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    // who looks at the picture has not seen what was printed
    let title = remarks.iter().fold(name, |title, remark| title + "; " + remark.split(';').next().unwrap_or(remark));
    let draw = if arguments.fold { picture::draw_folded } else { picture::draw };
    output::write_text(svg, &draw(&mut file, &title, lanes, cycles)?)?;
    say!("{}", svg.display());
    remarks.iter().for_each(|remark| say!("{remark}"));
    Ok(Verdict::Pass)
}
