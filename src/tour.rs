//! The tour: `txbar` without a subcommand.

use crate::Verdict;
use crate::say;
use crate::shell::output;
use crate::shell::progress;
use crate::shell::wave_writer::{self, WaveWriter};
use crate::sim::unit::{self, Camera};
use crate::verilog::{self, Target};
use anyhow::{Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;
use txbar_export::reset::Reset;
use txbar_report::page;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::check::{Replay, replay};
use txbar_testbench::engine::Serial;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::record::{self, Recorder, RunRecord};
use txbar_testbench::run;
use txbar_testbench::scenario;
use txbar_testbench::silicon;
use txbar_testbench::traffic::{Conditions, Plan};
use txbar_waves::picture;
use txbar_waves::read::WaveFile;

/// The tour.
#[derive(Args)]
#[group(skip)]
pub struct Arguments {
    /// Directory for the files of the tour
    #[arg(short, long, default_value = "txbar-tour", value_name = "DIR")]
    output: PathBuf,
}

/// Requests of the tour's random traffic.
const OPERATIONS: u64 = 1_000_000;
/// Random seed.
const SEED: u64 = 1;

/// Runs the tour.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let directory = &arguments.output;
    let parameters = Parameters::default();
    output::try_directory(directory)?;
    output::make_directory(directory)?;
    say!("txbar {}: open mbarrier hardware\n", env!("CARGO_PKG_VERSION"));

    let files = verilog::export(
        &parameters,
        Target { style: "txbar".into(), name: None, directory, package: false, reset: Reset::High },
    )?;
    say!("1. the hardware as Verilog: {} ports, {} words", parameters.ports, parameters.words);

    let replays = recordings()?;
    let (matched, records) =
        replays.iter().fold((0, 0), |sum, replay| (sum.0 + replay.matched, sum.1 + replay.records));
    say!("2. recordings of an NVIDIA H200, replayed on the hardware: {matched} of {records} records match");

    say!("3. {} ports hammer barriers and plain words, a scoreboard compares:\n", parameters.ports);
    let begin = Instant::now();
    let report = unit::traffic(parameters, &Plan::new(SEED, OPERATIONS))?;
    let seconds = begin.elapsed().as_secs_f64();
    unit::lines(&report).print();
    say!("simulated         {:.2} million cycles a second, comparing each\n", report.cycles as f64 / seconds / 1e6);

    let named = |ending: &str| directory.join("one_phase").with_extension(ending);
    let (waves, view, picture, page) = (named("vcd"), named("vcd.gtkw"), named("svg"), named("html"));
    let recorder = wave_writer(&parameters, &waves)?;
    draw(&waves, &picture)?;
    write_page(recorder, &page)?;
    say!("4. one phase of a barrier, two threads and a copy of 32 bytes: waves, a picture, and a page to open\n");

    for file in files.iter().chain([&waves, &view, &picture, &page]) {
        say!("  {}", file.display());
    }
    let command = std::env::args().next().unwrap_or_else(|| "txbar".to_owned());
    say!("\nnext: `{command} --help`, or open the page in a browser");
    Ok(if matched == records { Verdict::Pass } else { Verdict::Fail })
}

fn recordings() -> Result<Vec<Replay>> {
    let mut target = Serial(Rtl::new(Parameters::default()));
    let mut replays = Vec::new();
    for (name, text) in [("h200_legal.csv", silicon::LEGAL), ("h200_edge.csv", silicon::EDGE)] {
        let records = silicon::read(name, text.as_bytes())?;
        let bar = progress::bar(records.len() as u64, "replaying");
        replays.push(replay(&mut target, &records, |done| bar.set_position(done as u64)));
        bar.finish_and_clear();
    }
    Ok(replays)
}

/// Films and records [`scenario::one_phase`].
fn wave_writer(parameters: &Parameters, path: &Path) -> Result<Recorder> {
    let mut engine = Rtl::new(*parameters);
    let wave_writer = WaveWriter::begin(&wave_writer::Arguments::all(path).with_views(), engine.unit(), parameters)?;
    let bar = ProgressBar::hidden();
    let mut camera = Camera { bar: &bar, wave_writer };
    let mut recorder = Recorder::of_unit(parameters, Recorder::KEPT);
    let mut both = (&mut camera, &mut recorder);
    let result = run::source(&mut engine, scenario::one_phase(), Conditions::CALM, &mut both);
    camera.wave_writer.map(|wave_writer| wave_writer.finish(wave_writer::end_of(&result))).transpose()?;
    match result {
        Ok(_) => Ok(recorder),
        Err(failure) => bail!("the scenario of one phase failed: {failure}"),
    }
}

/// What the picture and the page show.
const SHOWN: Range<u64> = 0..17;
const TITLE: &str = "One phase of a barrier: two arrivals, 32 bytes";

fn draw(waves: &Path, path: &Path) -> Result<()> {
    let mut file = WaveFile::open(waves)?;
    let overview = picture::overview(&mut file, SHOWN, &[])?;
    output::write_text(path, &picture::draw(&mut file, TITLE, &overview.lanes, SHOWN)?)
}

/// The page of what was recorded.
fn write_page(recorder: Recorder, path: &Path) -> Result<()> {
    let summary = "every answer and every word is as the reference model says";
    let mut record = RunRecord::new(TITLE, record::Verdict::Pass, summary);
    record.timeline = Some(recorder.finish());
    output::write_text(path, &page(&record)?)
}
