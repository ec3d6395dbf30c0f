//! `txbar check`: replays recordings.

use crate::output::{self, Lines};
use crate::report::{self, Outputs};
use crate::{Build, Engine, Json, Verdict};
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use std::fs::File;
use std::path::PathBuf;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::check::{Replay, Target, replay};
use txbar_testbench::engine::Serial;
use txbar_testbench::engine::compiled::{Compiled, Effort, Flow};
use txbar_testbench::engine::recorded::Recorded;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::model::Memory;
use txbar_testbench::record::{Conformance, ConformanceRow, Recorder, Shown};
use txbar_testbench::silicon::{self, Record};

/// Replays recordings in the silicon CSV form, each record on a word of its own. Prints the mismatches (the first 20) and
/// how many records match; exits with 0 only if all do.
#[derive(Args)]
pub struct Arguments {
    /// Recordings: op,arg,word_before,token,word_after,result
    #[arg(required = true, value_name = "FILE.csv")]
    files: Vec<PathBuf>,
    /// What to replay them on
    #[arg(long, value_enum, default_value_t = Engine::Rtl)]
    engine: Engine,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    outputs: Outputs,
}

/// The figures of a replay.
#[derive(Serialize)]
struct Figures {
    matched: usize,
    records: usize,
}

/// Recordings by name.
pub type Recordings = Vec<(String, Vec<Record>)>;

/// Reads recordings.
pub fn read(files: &[PathBuf]) -> Result<Recordings> {
    let mut recordings = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| name.clone())?;
        recordings.push((name.clone(), silicon::read(&name, file)?));
    }
    Ok(recordings)
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let parameters = arguments.build.parameters()?;
    let recordings = read(&arguments.files)?;
    let recorder = arguments.outputs.of_unit(&parameters)?;
    let (replays, recorder) = match (arguments.engine, arguments.engine.flow()) {
        (_, Some(flow)) => watched(compiled(flow, parameters)?.engine(), recorder, &recordings),
        (Engine::Model, _) => (replay_all(&mut Memory::new(parameters.words), &recordings), None),
        _ => watched(Rtl::new(parameters), recorder, &recordings),
    };
    let verdict = conclude(&recordings, &replays, &arguments.json)?;
    if arguments.outputs.are_wanted() {
        let mut record = report::record(verdict, SUMMARY.to_owned(), &Lines::default(), recorder);
        record.conformance = Some(conformance(&recordings, &replays));
        arguments.outputs.write(&record)?;
    }
    Ok(verdict)
}

/// What a page says of a replay.
const SUMMARY: &str = "recordings of a real H200, each record on a word that is stored before and loaded afterwards";

/// Replays recordings on an engine, with a recorder beside it.
fn watched(
    engine: impl txbar_testbench::engine::Engine,
    recorder: Option<Recorder>,
    recordings: &Recordings,
) -> (Vec<Replay>, Option<Recorder>) {
    let mut serial = Serial(Recorded::beside(engine, Shown::to(recorder)));
    let replays = replay_all(&mut serial, recordings);
    (replays, serial.0.into_notes().into_recorder())
}

/// How recordings came out, by operation.
fn conformance(recordings: &Recordings, replays: &[Replay]) -> Conformance {
    let named = || recordings.iter().map(|(name, _)| name).zip(replays);
    let rows = named().flat_map(|(name, replay)| {
        replay.operations.iter().map(|(operation, [records, matched])| ConformanceRow {
            source: name.clone(),
            operation: (*operation).to_owned(),
            records: *records as u64,
            matched: *matched as u64,
        })
    });
    let mismatches =
        named().flat_map(|(name, replay)| replay.mismatches.iter().map(move |mismatch| format!("{name}: {mismatch}")));
    Conformance {
        against: "on the H200".to_owned(),
        rows: rows.collect(),
        mismatches: mismatches.take(Replay::KEPT).collect(),
    }
}

/// Tells how recordings came out.
pub fn conclude(recordings: &Recordings, replays: &[Replay], json: &Json) -> Result<Verdict> {
    let mut figures = Figures { matched: 0, records: 0 };
    let mut told = 0;
    for ((name, _), replay) in recordings.iter().zip(replays) {
        for mismatch in replay.mismatches.iter().take(Replay::KEPT - told) {
            println!("{name}: {mismatch}");
        }
        told = (told + replay.mismatches.len()).min(Replay::KEPT);
        figures.matched += replay.matched;
        figures.records += replay.records;
    }
    if let Some(path) = &json.json {
        output::write_json(path, &figures)?;
    }
    println!("{} of {} records match", figures.matched, figures.records);
    Ok(if figures.matched == figures.records { Verdict::Pass } else { Verdict::Fail })
}

/// The unit as Verilog, compiled.
pub fn compiled(flow: Flow, parameters: Parameters) -> Result<Compiled> {
    let spinner = output::spinner(match flow {
        Flow::Verilator | Flow::TracedVerilator => "compiling the Verilog with Verilator",
        Flow::Cxxrtl => "compiling the Verilog with yosys and g++",
        Flow::Netlist | Flow::HarshNetlist => "synthesising the Verilog and compiling the netlist",
    });
    let compiled = Compiled::by(flow, parameters, Effort::Quick);
    spinner.finish_and_clear();
    Ok(compiled?)
}

/// Replays recordings, with a progress bar.
pub fn replay_all(target: &mut impl Target, recordings: &Recordings) -> Vec<Replay> {
    let total = recordings.iter().map(|(_, records)| records.len() as u64).sum();
    let bar = output::bar(total, "replaying");
    let mut before = 0;
    let mut replays = Vec::new();
    for (_, records) in recordings {
        replays.push(replay(target, records, |done| bar.set_position(before + done as u64)));
        before += records.len() as u64;
    }
    bar.finish_and_clear();
    replays
}
