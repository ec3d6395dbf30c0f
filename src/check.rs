//! `txbar check`: replays recordings.

use crate::report::{self, Outputs};
use crate::shell::files::Files;
use crate::shell::junit::{Ending, Junit, Tested};
use crate::shell::output::Lines;
use crate::shell::shard::{Findings, Sharding};
use crate::shell::{progress, stop};
use crate::{Build, Engine, Json, Verdict};
use crate::{modes, say};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_testbench::check::{Mismatch, Replay, Target, replay};
use txbar_testbench::engine::Serial;
use txbar_testbench::engine::compiled::{Compiled, Effort, Flow};
use txbar_testbench::engine::recorded::Recorded;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::model::Memory;
use txbar_testbench::record::{Conformance, ConformanceRow, Recorder, Shown};
use txbar_testbench::request::{Request, Response};
use txbar_testbench::silicon::{self, Recording};
use txbar_testbench::{input, tensor, warp};

/// Replays recordings in the silicon CSV form, each record on words of its own: of single threads, of whole warps on a unit that has
/// a port for them besides, or of tensor copies on the model. Prints the mismatches (the first 20) and how many records match;
/// exits with 0 only if all do.
#[derive(Args)]
pub struct Arguments {
    /// Recordings: op,arg,word_before,token,word_after,result, or for warps
    /// op,mask,word_of_lane,operand_of_lane,words_before,words_after,results;
    /// or tensor maps, tensor copies or reductions, as in testbench/vectors/tensor; or of a unit's pins
    /// req_op,req_remote,req_data,req_strobe,word_before,word_after,rsp_status,rsp_predicate,rsp_data
    #[arg(required = true, value_name = "FILE.csv")]
    files: Vec<PathBuf>,
    /// What to replay them on [default: rtl; model for tensor copies, which nothing else executes]
    #[arg(long, value_enum)]
    engine: Option<Engine>,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    junit: Junit,
    #[command(flatten)]
    sharding: Sharding,
    #[command(flatten)]
    outputs: Outputs,
}

/// The figures of a replay.
#[derive(Serialize)]
struct Figures<'a> {
    matched: usize,
    records: usize,
    /// The first mismatches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mismatches: Vec<&'a Told>,
    /// Records that were not replayed, because somebody has stopped it.
    #[serde(skip_serializing_if = "is_zero")]
    left: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A mismatch of a file.
#[derive(Serialize, Deserialize)]
struct Told {
    file: String,
    #[serde(flatten)]
    mismatch: Mismatch,
}

/// What came of a replay, or of a part of its records.
#[derive(Default, Serialize, Deserialize)]
pub struct Found {
    matched: usize,
    records: usize,
    /// The first mismatches, with the number of the recording.
    mismatches: Vec<(usize, Told)>,
    /// Records that were not replayed, because somebody has stopped it.
    #[serde(default)]
    left: usize,
}

impl Findings for Found {
    fn add(&mut self, other: Self) {
        self.matched += other.matched;
        self.records += other.records;
        self.left += other.left;
        self.mismatches.extend(other.mismatches);
        self.mismatches.sort_by_key(|(recording, told)| (*recording, told.mismatch.line));
        self.mismatches.truncate(Replay::KEPT);
    }

    fn tell(&self) -> Verdict {
        self.mismatches.iter().for_each(|(_, Told { file, mismatch })| say!("{file}: {mismatch}"));
        if self.left > 0 {
            say!("STOPPED: {} records were not replayed", self.left);
        }
        say!("{} of {} records match", self.matched, self.records);
        if self.matched == self.records { Verdict::Pass } else { Verdict::Fail }
    }

    fn figures(&self) -> impl Serialize {
        let mismatches = self.mismatches.iter().map(|(_, told)| told).collect();
        Figures { matched: self.matched, records: self.records, mismatches, left: self.left }
    }
}

/// Recordings by name.
pub type Recordings = Vec<(String, Recording)>;

/// Reads recordings.
pub fn read(files: &[PathBuf]) -> Result<Recordings> {
    let mut recordings = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let file = input::open(path, input::MOST_BYTES).with_context(|| name.clone())?;
        recordings.push((name.clone(), silicon::read_any(&name, file)?));
    }
    Ok(recordings)
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let files = arguments.junit.list(arguments.json.list(Files::default().reads(&arguments.files)));
    arguments.outputs.list(files).check()?;
    let parameters = arguments.build.parameters()?;
    refuse_checked(parameters.checked, "leave --checked out")?;
    let mut recordings = read(&arguments.files)?;
    refuse_tensors(arguments.engine, &recordings)?;
    narrow(&recordings)?;
    let engine = arguments.engine.unwrap_or(Engine::Rtl);
    let recorder = arguments.outputs.of_unit(&parameters);
    let mut warps = warps_of(engine, parameters, &recordings)?;
    let mut numbers = 0..;
    for (_, recording) in &mut recordings {
        recording.retain(|| numbers.next().is_some_and(|number| arguments.sharding.holds(number)));
    }
    let under_way = stop::Run::begin();
    let (replays, recorder) = match (engine, engine.flow()) {
        (Engine::Model, _) => {
            (replay_both(&mut Memory::new(parameters.words), warps.as_deref_mut(), &recordings), None)
        }
        _ if !recordings.iter().any(|(_, recording)| matches!(recording, Recording::Threads(_))) => {
            (replay_both(&mut Nobody, warps.as_deref_mut(), &recordings), None)
        }
        (_, Some(flow)) => watched(compiled(flow, parameters)?.engine(), warps, recorder, &recordings),
        _ => watched(Rtl::new(parameters), warps, recorder, &recordings),
    };
    arguments.junit.write(recordings.iter().zip(&replays).map(|(recording, replay)| tested(recording, replay)))?;
    let verdict = arguments.sharding.end(&found(&recordings, &replays), &arguments.json, &arguments.files)?;
    if arguments.outputs.are_wanted() {
        let mut record = report::record(verdict, SUMMARY.to_owned(), &Lines::default(), recorder);
        record.conformance = Some(conformance(&recordings, &replays));
        if stop::requested() {
            record.verdict = txbar_testbench::record::Verdict::Stopped;
        }
        arguments.outputs.write(&record)?;
    }
    drop(under_way);
    Ok(verdict)
}

/// A test case for each operation of a recording.
fn tested((name, recording): &(String, Recording), replay: &Replay) -> (String, Vec<Tested>) {
    let of = |(operation, [records, matched]): (&&'static str, &[usize; 2])| {
        let told = replay.mismatches.iter().filter(|mismatch| mismatch.op == *operation).map(ToString::to_string);
        let ending = match records - matched {
            0 => Ending::Passed,
            wrong => {
                let told = told.collect::<Vec<_>>().join("\n");
                Ending::Failed("mismatch", format!("{wrong} of {records} records differ"), told)
            }
        };
        Tested::new(*operation, ending)
    };
    let left = recording.records() - replay.records;
    let why = || Ending::Skipped(format!("stopped by a signal: {left} records were not replayed"));
    let stopped = (left > 0).then(|| Tested::new("the other records", why()));
    (name.clone(), replay.operations.iter().map(of).chain(stopped).collect())
}

/// What a page says of a replay.
const SUMMARY: &str = "recordings of a real H200, each record on a word that is stored before and loaded afterwards";

/// What stands in for a unit where no recording is one of single threads.
struct Nobody;

impl Target for Nobody {
    fn words(&self) -> usize {
        0
    }
    fn serve(&mut self, _requests: &[Request]) -> Vec<Option<Response>> {
        Vec::new()
    }
}

/// What executes instructions of warps; nothing if no recording has any.
fn warps_of(engine: Engine, unit: Parameters, recordings: &Recordings) -> Result<Option<Box<dyn warp::check::Target>>> {
    let (mut lanes, mut words) = (0, 0);
    for (name, recording) in recordings {
        let Recording::Warps(records) = recording else { continue };
        for record in records {
            lanes = lanes.max(record.instructions[0].lanes.len());
            words = words.max(record.words_before.len());
            if words > unit.words {
                bail!("{name}:{}: {words} words, and the memory has {}: use --words", record.line, unit.words);
            }
        }
    }
    if lanes == 0 {
        return Ok(None);
    }
    let lanes = if lanes == 1 { 1 } else { lanes.next_power_of_two().max(4) };
    let parameters = || WarpParameters { unit, lanes, ..WarpParameters::default() }.check();
    Ok(Some(match (engine, engine.flow()) {
        (Engine::Model, _) => Box::new(Memory::new(unit.words)),
        (_, Some(flow)) => {
            let parameters = parameters()?;
            let spinner = progress::spinner(compiling(flow));
            let compiled = warp::engine::Compiled::by(flow, parameters, Effort::Quick);
            spinner.finish_and_clear();
            Box::new(warp::engine::Serial(compiled?))
        }
        _ => Box::new(warp::engine::Serial(warp::engine::Rtl::new(parameters()?))),
    }))
}

/// Replays recordings on an engine, with a recorder beside it.
fn watched(
    engine: impl txbar_testbench::engine::Engine,
    mut warps: Option<Box<dyn warp::check::Target>>,
    recorder: Option<Recorder>,
    recordings: &Recordings,
) -> (Vec<Replay>, Option<Recorder>) {
    let mut serial = Serial(Recorded::beside(engine, Shown::to(recorder)));
    let replays = replay_both(&mut serial, warps.as_deref_mut(), recordings);
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
    Sharding::default().end(&found(recordings, replays), json, &[])
}

/// Results of recordings.
fn found(recordings: &Recordings, replays: &[Replay]) -> Found {
    let mut found = Found::default();
    for (number, ((name, recording), replay)) in recordings.iter().zip(replays).enumerate() {
        let told =
            replay.mismatches.iter().map(|mismatch| (number, Told { file: name.clone(), mismatch: mismatch.clone() }));
        let left = recording.records() - replay.records;
        found.add(Found { matched: replay.matched, records: replay.records, mismatches: told.collect(), left });
    }
    found
}

/// What is done while a design is compiled.
fn compiling(flow: Flow) -> &'static str {
    match flow {
        Flow::Verilator | Flow::TracedVerilator => "compiling the Verilog with Verilator",
        Flow::Cxxrtl => "compiling the Verilog with yosys and g++",
        Flow::Netlist(_) | Flow::HarshNetlist(_) => "synthesising the Verilog and compiling the netlist",
    }
}

/// The unit as Verilog, compiled.
pub fn compiled(flow: Flow, parameters: Parameters) -> Result<Compiled> {
    let spinner = progress::spinner(compiling(flow));
    let compiled = Compiled::by(flow, parameters, Effort::Quick);
    spinner.finish_and_clear();
    Ok(compiled?)
}

/// Refuses recordings of anything but single threads: there is nothing that could execute them.
pub fn refuse_all_but_threads(recordings: &Recordings, instead: &str) -> Result<()> {
    for (name, recording) in recordings {
        let of = match recording {
            Recording::Threads(_) => continue,
            Recording::Warps(_) => "whole warps",
            Recording::Tensors(_) => "tensor copies",
        };
        bail!("{name}: this is a recording of {of}; {instead}");
    }
    Ok(())
}

/// Refuses a unit with checked mode. A record's word is stored, so it is no live barrier to checked mode, and `missing_init` comes before
/// every fault that the word shows: nobody could tell an operation that is done from one that traps.
pub fn refuse_checked(checked: bool, instead: &str) -> Result<()> {
    if checked {
        bail!(
            "checked mode hides the faults of recordings behind warnings, since their words are stored and not initialised: \
             {instead}"
        );
    }
    Ok(())
}

/// Refuses recordings of tensor copies on an engine that was asked for and is not the model.
fn refuse_tensors(engine: Option<Engine>, recordings: &Recordings) -> Result<()> {
    let tensors = recordings.iter().find(|(_, recording)| matches!(recording, Recording::Tensors(_)));
    match (tensors, engine) {
        (Some((name, _)), Some(engine)) if engine != Engine::Model => {
            bail!(
                "{name}: this is a recording of tensor copies, for which there is no hardware yet: use --engine model"
            )
        }
        _ => Ok(()),
    }
}

/// Refuses options of a unit that no recording is replayed on.
fn narrow(recordings: &Recordings) -> Result<()> {
    let are = |is: fn(&Recording) -> bool| recordings.iter().any(|(_, recording)| is(recording));
    match (are(|it| matches!(it, Recording::Threads(_))), are(|it| matches!(it, Recording::Warps(_)))) {
        (true, _) => Ok(()),
        (false, true) => modes::narrow("recordings of whole warps"),
        (false, false) => modes::narrow("recordings of tensor copies"),
    }
}

/// Replays recordings of single threads, with a progress bar.
pub fn replay_all(target: &mut impl Target, recordings: &Recordings) -> Vec<Replay> {
    replay_both(target, None, recordings)
}

/// Replays recordings of single threads, and of warps where there is something that executes their instructions.
fn replay_both(
    threads: &mut impl Target,
    mut warps: Option<&mut (dyn warp::check::Target + 'static)>,
    recordings: &Recordings,
) -> Vec<Replay> {
    each(recordings, |recording, progress| match (recording, &mut warps) {
        (Recording::Threads(records), _) => replay(threads, records, progress),
        (Recording::Warps(records), Some(warps)) => warp::check::replay(*warps, records, progress),
        (Recording::Warps(_), None) => Replay::default(), // they have been refused
        (Recording::Tensors(records), _) => tensor::check::replay(records, progress),
    })
}

/// Records after which it is asked whether to stop.
const AT_ONCE: usize = 4096;

/// Replays recordings in turn, with a progress bar, until it is to stop.
fn each(recordings: &Recordings, mut replay: impl FnMut(&Recording, &mut dyn FnMut(usize)) -> Replay) -> Vec<Replay> {
    let bar = progress::bar(recordings.iter().map(|(_, recording)| recording.records() as u64).sum(), "replaying");
    let mut before = 0;
    let mut replays = Vec::new();
    for (_, recording) in recordings {
        let mut whole = Replay::default();
        for part in recording.parts(AT_ONCE).take_while(|_| !stop::requested()) {
            whole.add(replay(&part, &mut |done| bar.set_position(before + done as u64)));
            before += part.records() as u64;
        }
        replays.push(whole);
    }
    bar.finish_and_clear();
    replays
}
