//! `txbar sim`: random traffic under the scoreboard. Scenarios on clusters are in `scenario.rs`.

use crate::film::Film;
use crate::output::{self, OutputFile};
use crate::scenario::{self, Files};
use crate::{ClusterBuild, Engine, Json, Verdict, cannot_write, check, cluster};
use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::plant::{PLANTS, Plant};
use txbar_testbench::engine::Engine as _;
use txbar_testbench::engine::compiled::Flow;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::run::{self, Observer, Report};
use txbar_testbench::scoreboard::Failure;
use txbar_testbench::shrink::{self, Shortened};
use txbar_testbench::traffic::{Conditions, Mix, MixError, Pattern, Plan};

/// Lets every port request at random and compares each answer with the reference model: some order of the operations
/// must explain it. A run that fails prints its seed and the shortest history that still shows the failure.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    build: ClusterBuild,
    /// Requests, all ports together
    #[arg(long, default_value_t = 100_000, value_name = "N", conflicts_with = "ctas", value_parser = clap::value_parser!(u64).range(1..))]
    ops: u64,
    /// Everything random follows from it; drawn anew and printed if it is not given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Share of cycles, in percent, in which a port pauses between requests or is not ready for an answer
    #[arg(long, default_value_t = 0, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=95))]
    stall: u8,
    /// Share of cycles, in percent, in which a bank belongs to somebody else
    #[arg(long, default_value_t = 0, value_name = "PERCENT", conflicts_with = "ctas",
        value_parser = clap::value_parser!(u8).range(0..=95))]
    bank_stall: u8,
    /// Which words the requests go to
    #[arg(long, value_enum, default_value_t = PatternName::Hot, conflicts_with = "ctas")]
    pattern: PatternName,
    /// Share of the requests, from 0 to 1, that go to one word whatever the pattern
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = share, conflicts_with = "ctas")]
    hot_spot: f64,
    /// How often each operation is drawn: `arrive=4,complete=2,wait=1`, by operation or group (drop, expect, complete, wait,
    /// test, try, copy); what is not named is not drawn, and without `init` or `store` the run begins with a barrier in
    /// every word. Phases complete only if as many bytes are expected as are completed
    #[arg(long, default_value = "as it comes", hide_default_value = true, value_name = "MIX", value_parser = mix,
        conflicts_with = "ctas")]
    mix: Mix,
    /// Give ports tasks of their own: even ones arrive and wait, odd ones move bytes
    #[arg(long, conflicts_with = "ctas")]
    roles: bool,
    /// What to run it on
    #[arg(long, value_enum, default_value_t = Engine::Rtl)]
    engine: Engine,
    /// Plant a fault in the hardware, to see it found; `list` names them
    #[arg(long, value_name = "FAULT")]
    plant: Option<String>,
    /// Write the waves of the run
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    #[command(flatten)]
    cluster: cluster::Arguments,
    #[command(flatten)]
    scenario: scenario::Arguments,
    #[command(flatten)]
    json: Json,
}

/// A share of the requests.
fn share(text: &str) -> std::result::Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "it must be a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("it must be from 0 to 1".to_owned()) }
}

/// A mix of operations, or that of ordinary traffic.
fn mix(text: &str) -> std::result::Result<Mix, MixError> {
    if text == "as it comes" { Ok(Mix::default()) } else { text.parse() }
}

/// Patterns by name.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PatternName {
    /// Three quarters to eight words, the rest anywhere
    Hot,
    /// All to one word
    Same,
    /// To two words side by side
    Neighbours,
    /// Anywhere
    Random,
}

impl From<PatternName> for Pattern {
    fn from(name: PatternName) -> Self {
        match name {
            PatternName::Hot => Pattern::Hot,
            PatternName::Same => Pattern::Same,
            PatternName::Neighbours => Pattern::Neighbours,
            PatternName::Random => Pattern::Random,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    if let Some(choice) = arguments.scenario.scenario {
        if arguments.engine != Engine::Rtl {
            bail!("a scenario runs on the cluster in Rust: --scenario needs --engine rtl");
        }
        let files = Files { vcd: arguments.vcd.as_deref(), json: arguments.json.json.as_deref() };
        return scenario::run(choice, &arguments.scenario, arguments.seed, &files);
    }
    let clustered = arguments.build.parameters()?;
    if arguments.plant.as_deref() == Some("list") {
        match clustered {
            Some(_) => list(txbar_rtl::cluster::plant::PLANTS),
            None => list(PLANTS),
        }
        return Ok(Verdict::Pass);
    }
    let seed = arguments.seed.unwrap_or_else(|| rand::random::<u32>().into());
    if let Some(parameters) = clustered {
        if arguments.engine != Engine::Rtl {
            bail!("random traffic on a cluster looks into the hardware in Rust: --ctas needs --engine rtl");
        }
        let files = Files { vcd: arguments.vcd.as_deref(), json: arguments.json.json.as_deref() };
        let plant = arguments.plant.as_deref();
        return cluster::run(parameters, &arguments.cluster, (seed, arguments.stall), plant, &files);
    }
    let parameters = arguments.build.build.parameters()?;
    let plan = Plan {
        seed,
        operations: arguments.ops,
        stall: arguments.stall,
        pattern: arguments.pattern.into(),
        bank_stall: arguments.bank_stall,
        hot_spot: (arguments.hot_spot * 100.0).round() as u8,
        mix: arguments.mix,
        roles: arguments.roles,
    };
    let plant = arguments.plant.as_deref().map(find_plant).transpose()?;
    if arguments.engine != Engine::Rtl && (plant.is_some() || arguments.vcd.is_some()) {
        bail!("--plant and --vcd look into the hardware in Rust: they need --engine rtl");
    }
    let result = match arguments.engine {
        Engine::Model => {
            bail!("the model has no clock cycles; `sim` runs on the other engines, `check` on all of them")
        }
        Engine::Rtl => on_rtl(parameters, &plan, plant, arguments.vcd.as_deref())?,
        Engine::Verilator => on_compiled(Flow::Verilator, parameters, &plan)?,
        Engine::Cxxrtl => on_compiled(Flow::Cxxrtl, parameters, &plan)?,
        Engine::Netlist => on_compiled(Flow::Netlist, parameters, &plan)?,
    };
    tell(result, seed, arguments.json.json.as_deref())
}

/// Names the faults that can be planted.
fn list<D, P>(plants: &[Plant<D, P>]) {
    let widest = plants.iter().map(|plant| plant.name.len()).max().unwrap_or(0);
    for plant in plants {
        println!("{:widest$}  {}", plant.name, plant.defect);
    }
}

fn find_plant(name: &str) -> Result<Plant> {
    Plant::find(name)
        .with_context(|| format!("there is no fault `{name}` to plant; `--plant list` names those there are"))
}

/// Either the report of a clean run or, of one that failed, what it was shortened to.
pub type Outcome = std::result::Result<Report, Shortened>;

/// Shortens a run if it failed.
fn shortened<E: txbar_testbench::engine::Engine>(
    result: std::result::Result<Report, Box<Failure>>,
    plan: &Plan,
    make: impl Fn() -> E,
) -> Result<Outcome> {
    let failure = match result {
        Ok(report) => return Ok(Ok(report)),
        Err(failure) => failure,
    };
    match shrink::plan(make, plan) {
        Some(shortened) => Ok(Err(shortened)),
        None => bail!("the run failed, and did not when it was run again; please report this: {plan:?}: {failure}"),
    }
}

/// Runs a plan on the hardware in Rust.
pub fn on_rtl(parameters: Parameters, plan: &Plan, plant: Option<Plant>, vcd: Option<&Path>) -> Result<Outcome> {
    let make = || match plant {
        None => Rtl::new(parameters),
        Some(plant) => Rtl::with_fault(parameters, plant.planted()),
    };
    let mut engine = make();
    let bar = output::bar(plan.operations, "simulating");
    let mut file = vcd.map(OutputFile::create).transpose()?;
    let result = match (&mut file, vcd) {
        (Some(file), Some(path)) => {
            let failed = || cannot_write(path);
            let mut camera = Camera::new(&bar, file.writer(), &engine).with_context(failed)?;
            let result = run::plan(&mut engine, plan, &mut camera);
            camera.finish().with_context(failed)?;
            result
        }
        _ => run::plan(&mut engine, plan, &mut Bar(&bar)),
    };
    bar.finish_and_clear();
    if let Some(file) = file {
        file.finish()?;
    }
    shortened(result, plan, make)
}

fn on_compiled(flow: Flow, parameters: Parameters, plan: &Plan) -> Result<Outcome> {
    let compiled = check::compiled(flow, parameters)?;
    let bar = output::bar(plan.operations, "simulating");
    let result = run::plan(&mut compiled.engine(), plan, &mut Bar(&bar));
    bar.finish_and_clear();
    shortened(result, plan, || compiled.engine())
}

/// Moves the bar.
struct Bar<'a>(&'a ProgressBar);

impl<E> Observer<E> for Bar<'_> {
    fn progress(&mut self, accepted: u64) {
        self.0.set_position(accepted);
    }
}

/// Moves the bar and writes the waves.
pub struct Camera<'a> {
    bar: &'a ProgressBar,
    film: Film<'a>,
}

impl<'a> Camera<'a> {
    /// Begins the waves of a unit.
    pub fn new(bar: &'a ProgressBar, output: &'a mut dyn Write, rtl: &Rtl) -> io::Result<Self> {
        Ok(Self { bar, film: Film::new(output, rtl.unit(), rtl.parameters())? })
    }

    /// Ends the waves.
    pub fn finish(self) -> io::Result<()> {
        self.film.finish()
    }
}

impl Observer<Rtl> for Camera<'_> {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        self.film.sample(engine.unit(), cycle);
    }
    fn progress(&mut self, accepted: u64) {
        self.bar.set_position(accepted);
    }
}

/// Prints what came of a run, and writes it as JSON.
fn tell(outcome: Outcome, seed: u64, json: Option<&Path>) -> Result<Verdict> {
    let report = match outcome {
        Ok(report) => report,
        Err(shortened) => {
            print_failure(&shortened, seed);
            if let Some(path) = json {
                output::write_json(path, &FailedFigures { mismatches: 1, seed, requests: shortened.items.len() })?;
            }
            return Ok(Verdict::Fail);
        }
    };
    print_report(&report);
    if let Some(path) = json {
        output::write_json(path, &report)?;
    }
    Ok(Verdict::Pass)
}

/// The figures of a run that failed.
#[derive(Serialize)]
struct FailedFigures {
    mismatches: u64,
    seed: u64,
    requests: usize,
}

/// The figures of a clean run.
pub fn print_report(report: &Report) {
    let Report { operations, cycles, operations_per_cycle, latency_cycles: latency, combined, .. } = report;
    let Report { faults, flips, mismatches, seed, .. } = report;
    println!("operations        {operations}");
    println!("cycles            {cycles}");
    println!("operations/cycle  {operations_per_cycle:.3}");
    println!(
        "latency (cycles)  min {}  median {}  p99 {}  max {}",
        latency.min, latency.median, latency.p99, latency.max
    );
    println!("combined          {:.1} %", combined * 100.0);
    println!(
        "waits             {} suspended, {} woken, {} without room",
        report.suspended, report.woken, report.turned_away
    );
    if report.woken > 0 {
        let wake = &report.wake_latency_cycles;
        println!("wake-up (cycles)  min {}  median {}  p99 {}  max {}", wake.min, wake.median, wake.p99, wake.max);
    }
    println!("faults            {faults}");
    println!("phases completed  {flips}");
    if report.remarked > 0 {
        println!("checked mode      {} remarks", report.remarked);
        for remark in &report.remarks {
            println!("  {remark}");
        }
        if report.remarked > report.remarks.len() as u64 {
            println!("  ... and {} more", report.remarked - report.remarks.len() as u64);
        }
    }
    println!("mismatches        {mismatches}");
    println!("seed              {seed}");
}

fn print_failure(shortened: &Shortened, seed: u64) {
    let Shortened { items, conditions, failure, from } = shortened;
    println!("FAILED with seed {seed}: {} (cycle {})", failure.what, failure.cycle);
    let Conditions { stall, bank_stall, .. } = conditions;
    println!(
        "shortened from {from} requests to {} that still fail, with {stall} % stall and {bank_stall} % bank stall:",
        items.len()
    );
    for item in items {
        println!("  port {} after {} idle cycles: {}", item.port, item.pause, item.request);
    }
    if failure.history.is_some() {
        println!("what it looks like:\n{failure}");
    }
}
