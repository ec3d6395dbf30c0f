//! The tour: `txbar` without a subcommand.

use crate::output::{self, OutputFile};
use crate::sim::{self, Camera};
use crate::{Verdict, verilog};
use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::time::Instant;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::check::{Replay, replay};
use txbar_testbench::engine::Serial;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::run;
use txbar_testbench::scenario;
use txbar_testbench::silicon;
use txbar_testbench::traffic::{Conditions, Plan};
use txbar_waves::picture;
use txbar_waves::read::WaveFile;

/// The tour.
#[derive(Args)]
pub struct Arguments {
    /// Directory for the files of the tour
    #[arg(short, long, default_value = "txbar-tour", value_name = "DIR")]
    output: PathBuf,
}

/// Requests of the tour's random traffic.
const OPERATIONS: u64 = 1_000_000;
/// What it follows from.
const SEED: u64 = 1;

/// Runs the tour.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let directory = &arguments.output;
    let parameters = Parameters::default();
    output::make_directory(directory)?;
    println!("txbar {}: open mbarrier hardware\n", env!("CARGO_PKG_VERSION"));

    let files = verilog::export(&parameters, "txbar", directory)?;
    println!("1. the hardware as Verilog: {} ports, {} words", parameters.ports, parameters.words);

    let replays = recordings()?;
    let (matched, records) =
        replays.iter().fold((0, 0), |sum, replay| (sum.0 + replay.matched, sum.1 + replay.records));
    println!("2. recordings of an NVIDIA H200, replayed on the hardware: {matched} of {records} records match");

    println!("3. {} ports hammer barriers and plain words, a scoreboard compares:\n", parameters.ports);
    let begin = Instant::now();
    let outcome = sim::on_rtl(parameters, &Plan::new(SEED, OPERATIONS), None, None)?;
    let seconds = begin.elapsed().as_secs_f64();
    let Ok(report) = outcome else {
        bail!("the random traffic failed; `txbar sim --ops {OPERATIONS} --seed {SEED}` shows how");
    };
    sim::print_report(&report);
    println!("simulated         {:.2} million cycles a second, comparing each\n", report.cycles as f64 / seconds / 1e6);

    let (waves, picture) = (directory.join("one_phase.vcd"), directory.join("one_phase.svg"));
    film(&parameters, &waves)?;
    draw(&waves, &picture)?;
    println!("4. one phase of a barrier, two threads and a copy of 32 bytes: waves and a picture\n");

    for file in files.iter().chain([&waves, &picture]) {
        println!("  {}", file.display());
    }
    println!("\nnext: `txbar --help`, or open the picture");
    Ok(if matched == records { Verdict::Pass } else { Verdict::Fail })
}

fn recordings() -> Result<Vec<Replay>> {
    let mut target = Serial(Rtl::new(Parameters::default()));
    let mut replays = Vec::new();
    for (name, text) in [("h200_legal.csv", silicon::LEGAL), ("h200_edge.csv", silicon::EDGE)] {
        let records = silicon::read(name, text.as_bytes())?;
        let bar = output::bar(records.len() as u64, "replaying");
        replays.push(replay(&mut target, &records, |done| bar.set_position(done as u64)));
        bar.finish_and_clear();
    }
    Ok(replays)
}

/// Films [`scenario::one_phase`].
fn film(parameters: &Parameters, path: &Path) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let mut engine = Rtl::new(*parameters);
    let mut file = OutputFile::create(path)?;
    let bar = ProgressBar::hidden();
    let mut camera = Camera::new(&bar, file.writer(), &engine).with_context(failed)?;
    let result = run::source(&mut engine, scenario::one_phase(), Conditions::CALM, &mut camera);
    camera.finish().with_context(failed)?;
    file.finish()?;
    match result {
        Ok(_) => Ok(()),
        Err(failure) => bail!("the scenario of one phase failed: {failure}"),
    }
}

fn draw(waves: &Path, path: &Path) -> Result<()> {
    let mut file = WaveFile::open(waves)?;
    let lanes = picture::overview(&file.signals());
    let title = "One phase of a barrier: two arrivals, 32 bytes";
    output::write_text(path, &picture::draw(&mut file, title, &lanes, 0..17)?)
}
