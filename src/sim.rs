//! `txbar sim`: random traffic under the scoreboard. Scenarios on clusters are in `scenario.rs`.

use crate::files::Files;
use crate::film::{self, Film};
use crate::output::{self, Lines};
use crate::report::{self, Outputs};
use crate::scenario::{self, Wanted};
use crate::shard::Sharding;
use crate::{ClusterBuild, Engine, Json, Verdict, WarpPorts, check, cluster, drawn};
use crate::{progress, say, say_text, stop, warps};
use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use std::path::Path;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::plant::{Plant, Planted};
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_testbench::engine::compiled::Flow;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::record::Recorder;
use txbar_testbench::run::{self, Latency, Observer, Report};
use txbar_testbench::scoreboard::Failure;
use txbar_testbench::shrink::{self, Shortened};
use txbar_testbench::traffic::{Conditions, Mix, MixError, Pattern, Plan};
use txbar_testbench::warp::traffic as warp;

/// Makes random requests on every port and compares each answer with the reference model: some serial order of the operations
/// must explain it. A run that fails prints its seed and the shortest history that still shows the failure.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    build: ClusterBuild,
    /// Requests, all ports together
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    ops: u64,
    /// Seed of everything random; drawn and printed if it is not given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Share of cycles, in percent, in which a port pauses between requests or is not ready for an answer
    #[arg(long, default_value_t = 0, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=95))]
    stall: u8,
    /// Share of cycles, in percent, in which a bank is used by another master
    #[arg(long, default_value_t = 0, value_name = "PERCENT",
        value_parser = clap::value_parser!(u8).range(0..=95))]
    bank_stall: u8,
    /// Which words the requests go to
    #[arg(long, value_enum, default_value_t = PatternName::Hot)]
    pattern: PatternName,
    /// Share of the requests, from 0 to 1, that go to one word whatever the pattern
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = share)]
    hot_spot: f64,
    /// How often each operation is drawn: `arrive=4,complete=2,wait=1`, by operation or group (drop, expect, complete, wait,
    /// test, try, copy); operations that are not named are not drawn, and without `init` or `store` the run begins with a
    /// barrier in every word. Phases complete only if as many bytes are expected as are completed
    #[arg(long, default_value = "as it comes", hide_default_value = true, value_name = "MIX", value_parser = mix)]
    mix: Mix,
    /// Give ports different roles: even ones arrive and wait, odd ones expect and complete bytes
    #[arg(long)]
    roles: bool,
    /// Engine to run it on
    #[arg(long, value_enum, default_value_t = Engine::Rtl)]
    engine: Engine,
    /// Inject a fault into the hardware, to see it found; `list` names the faults of the chosen build
    #[arg(long = "inject-fault", alias = "plant", value_name = "FAULT")]
    plant: Option<String>,
    /// Make N runs with random parameters, traffic and stalls, of units, ports for warps and clusters, on all cores; one that fails is reported as
    /// the command that repeats it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    random_parameters: Option<u64>,
    #[command(flatten)]
    warp_ports: WarpPorts,
    #[command(flatten)]
    waves: film::Arguments,
    #[command(flatten)]
    cluster: cluster::Arguments,
    #[command(flatten)]
    scenario: scenario::Arguments,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    sharding: Sharding,
    #[command(flatten)]
    outputs: Outputs,
}

/// What is simulated.
enum Design {
    Unit(Parameters),
    Warps(WarpParameters),
    Cluster(ClusterParameters),
}

impl Arguments {
    fn design(&self) -> Result<Design> {
        Ok(match self.build.parameters()? {
            Some(cluster) => Design::Cluster(self.warp_ports.of_cluster(cluster)?),
            None if self.warp_ports.lanes.is_some() => {
                Design::Warps(self.warp_ports.parameters(self.build.build.parameters()?)?)
            }
            None => Design::Unit(self.build.build.parameters()?),
        })
    }
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
    let files = Files::default().writes("--svg", arguments.scenario.picture());
    arguments.outputs.list(arguments.waves.list(arguments.json.list(files))).check()?;
    if let Some(choice) = arguments.scenario.scenario {
        if arguments.engine != Engine::Rtl {
            bail!("a scenario runs on the cluster in Rust: --scenario needs --engine rtl");
        }
        let files =
            Wanted { waves: &arguments.waves, json: arguments.json.json.as_deref(), outputs: &arguments.outputs };
        return scenario::run(choice, &arguments.scenario, arguments.seed, &files);
    }
    let design = arguments.design()?;
    if arguments.plant.as_deref() == Some("list") {
        match design {
            Design::Cluster(cluster) => list(&txbar_rtl::cluster::plant::all(&cluster)),
            Design::Warps(warps) => list(&txbar_rtl::warp::plant::all(&warps)),
            Design::Unit(unit) => list(Plant::all(&unit)),
        }
        return Ok(Verdict::Pass);
    }
    let seed = arguments.sharding.seed(arguments.seed)?;
    if let Some(runs) = arguments.random_parameters {
        return drawn::run(runs, seed, &arguments.sharding, &arguments.json);
    }
    let plant = arguments.plant.as_deref();
    let files = Wanted { waves: &arguments.waves, json: arguments.json.json.as_deref(), outputs: &arguments.outputs };
    if arguments.engine != Engine::Rtl && !matches!(design, Design::Unit(_)) {
        bail!(
            "random traffic of clusters and warps looks into the hardware in Rust: --ctas and --lanes need --engine rtl"
        );
    }
    let parameters = match design {
        Design::Unit(parameters) => parameters,
        Design::Cluster(parameters) => {
            return cluster::run(parameters, &arguments.cluster, (seed, arguments.stall), plant, &files);
        }
        Design::Warps(parameters) => {
            let (cycles, stall) = (arguments.cluster.cycles, arguments.stall);
            return warps::run(&warp::Plan { parameters, seed, cycles, stall }, plant, &files);
        }
    };
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
    let plant = plant.map(|name| named(name, Plant::all(&parameters))).transpose()?;
    if arguments.engine != Engine::Rtl && (plant.is_some() || arguments.waves.vcd.is_some()) {
        bail!("--inject-fault and --vcd look into the hardware in Rust: they need --engine rtl");
    }
    let mut recorder = arguments.outputs.of_unit(&parameters);
    let result = match (arguments.engine, arguments.engine.flow()) {
        (_, Some(flow)) => on_compiled(flow, parameters, &plan, &mut recorder)?,
        (Engine::Model, _) => {
            bail!("the model has no clock cycles; `sim` runs on the other engines, `check` on all of them")
        }
        _ => on_rtl(parameters, &plan, plant, &arguments.waves, &mut recorder)?,
    };
    let (verdict, summary, lines) = tell(result, seed, plant.map(|plant| plant.name), arguments.json.json.as_deref())?;
    if arguments.outputs.are_wanted() {
        arguments.outputs.write(&report::simulated(verdict, summary, &lines, recorder))?;
    }
    Ok(verdict)
}

/// Names the faults that can be planted.
fn list<D: ?Sized, P>(plants: &[Plant<D, P>]) {
    let widest = plants.iter().map(|plant| plant.name.len()).max().unwrap_or(0);
    for plant in plants {
        say!("{:widest$}  {}", plant.name, plant.defect);
    }
}

/// The fault of this name.
fn named<D: ?Sized, P>(name: &str, plants: &[Plant<D, P>]) -> Result<Plant<D, P>> {
    Plant::among(plants, name).with_context(|| {
        format!(
            "there is no fault `{name}` in this design; `--inject-fault list` names its faults, with the options of the hardware"
        )
    })
}

/// The fault that is to be planted, if one is.
pub fn find<D: ?Sized, P>(name: Option<&str>, plants: &[Plant<D, P>]) -> Result<Option<Planted<D, P>>> {
    Ok(name.map(|name| named(name, plants)).transpose()?.map(Plant::planted))
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
        Err(failure) if failure.is_stop() => bail!("{} in cycle {}", failure.what, failure.cycle),
        Err(failure) => failure,
    };
    let _progress = progress::spinner("looking for the shortest history that shows the failure");
    match shrink::plan(make, plan) {
        Some(shortened) => Ok(Err(shortened)),
        None => bail!("the run failed, and did not when it was run again; please report this: {plan:?}: {failure}"),
    }
}

/// Runs a plan on the hardware in Rust.
pub fn on_rtl(
    parameters: Parameters,
    plan: &Plan,
    plant: Option<Plant>,
    waves: &film::Arguments,
    recorder: &mut Option<Recorder>,
) -> Result<Outcome> {
    let make = || match plant {
        None => Rtl::new(parameters),
        Some(plant) => Rtl::with_fault(parameters, plant.planted()),
    };
    let mut engine = make();
    let under_way = stop::Run::begin();
    let bar = progress::bar(plan.operations, "simulating");
    let (result, film) = match Film::begin(&waves.tampered(plant.is_some()), engine.unit(), &parameters)? {
        Some(film) => {
            let mut camera = Camera { bar: &bar, film };
            let result = run::plan(&mut engine, plan, &mut (&mut camera, &mut *recorder));
            (result, Some(camera.film))
        }
        None => (run::plan(&mut engine, plan, &mut (Bar(&bar), &mut *recorder)), None),
    };
    bar.finish_and_clear();
    mark(recorder, &result);
    film::finish(film, film::end_of(&result))?;
    drop(under_way);
    shortened(result, plan, make)
}

/// Marks where a run failed.
fn mark(recorder: &mut Option<Recorder>, result: &std::result::Result<Report, Box<Failure>>) {
    if let (Some(recorder), Err(failure)) = (recorder, result) {
        recorder.mark(failure.cycle, &failure.what);
    }
}

fn on_compiled(flow: Flow, parameters: Parameters, plan: &Plan, recorder: &mut Option<Recorder>) -> Result<Outcome> {
    let compiled = check::compiled(flow, parameters)?;
    let bar = progress::bar(plan.operations, "simulating");
    let result = run::plan(&mut compiled.engine(), plan, &mut (Bar(&bar), &mut *recorder));
    bar.finish_and_clear();
    mark(recorder, &result);
    shortened(result, plan, || compiled.engine())
}

/// Moves the bar.
struct Bar<'a>(&'a ProgressBar);

impl<E> Observer<E> for Bar<'_> {
    fn progress(&mut self, accepted: u64) {
        self.0.set_position(accepted);
    }
    fn stops(&self) -> bool {
        stop::requested()
    }
}

/// Moves the bar and writes the waves.
pub struct Camera<'a> {
    /// The bar.
    pub bar: &'a ProgressBar,
    /// The waves.
    pub film: Film,
}

impl Observer<Rtl> for Camera<'_> {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        self.film.sample(engine.unit(), cycle);
    }
    fn progress(&mut self, accepted: u64) {
        self.bar.set_position(accepted);
    }
    fn stops(&self) -> bool {
        stop::requested()
    }
}

/// Prints what came of a run, and writes it as JSON. Gives it in a few words, and its figures.
fn tell(outcome: Outcome, seed: u64, plant: Option<&str>, json: Option<&Path>) -> Result<(Verdict, String, Lines)> {
    let report = match outcome {
        Ok(report) => report,
        Err(shortened) => {
            let summary = failure(&shortened, seed);
            say_text!("{summary}");
            if let Some(path) = json {
                output::write_json(path, &FailedFigures { mismatches: 1, seed, requests: shortened.items.len() })?;
            }
            return Ok((Verdict::Fail, summary, Lines::default()));
        }
    };
    let (verdict, summary) = report::passed(seed, plant);
    say!("{summary}");
    let lines = lines(&report);
    lines.print();
    if let Some(path) = json {
        output::write_json(path, &report)?;
    }
    Ok((verdict, summary, lines))
}

/// The figures of a run that failed.
#[derive(Serialize)]
struct FailedFigures {
    mismatches: u64,
    seed: u64,
    requests: usize,
}

/// The figures of a clean run.
pub fn lines(report: &Report) -> Lines {
    let Report { operations, cycles, operations_per_cycle, combined, .. } = report;
    let Report { faults, flips, mismatches, seed, remarked, .. } = report;
    let latency = |of: &Latency| {
        let Latency { min, median, p99, max } = of;
        format!("min {min}  median {median}  p99 {p99}  max {max}")
    };
    let mut lines = Lines::default();
    lines.add("operations", operations).add("cycles", cycles);
    lines.add("operations/cycle", format!("{operations_per_cycle:.3}"));
    lines.add("latency (cycles)", latency(&report.latency_cycles));
    lines.add("combined", format!("{:.1} %", combined * 100.0));
    let Report { suspended, woken, turned_away, .. } = report;
    lines.add("waits", format!("{suspended} suspended, {woken} woken, {turned_away} without room"));
    if *woken > 0 {
        lines.add("wake-up (cycles)", latency(&report.wake_latency_cycles));
    }
    lines.add("faults", report::wanted(*faults)).add("phases completed", flips);
    if *remarked > 0 {
        let mut warnings = vec![format!("{remarked} warnings, all expected by the model")];
        warnings.extend(report.remarks.iter().map(|remark| format!("  {remark}")));
        let more = remarked - report.remarks.len() as u64;
        if more > 0 {
            warnings.push(format!("  ... and {more} more"));
        }
        lines.add("checked mode", warnings.join("\n"));
    }
    lines.add("mismatches", mismatches).add("seed", seed);
    lines
}

/// What is said of a run that failed.
fn failure(shortened: &Shortened, seed: u64) -> String {
    let Shortened { items, conditions, failure, from } = shortened;
    let mut text = format!("FAILED with seed {seed}: {} (cycle {})\n", failure.what, failure.cycle);
    let Conditions { stall, bank_stall, .. } = conditions;
    text += &format!(
        "reduced from {from} requests to {} that still fail, with {stall} % stall and {bank_stall} % bank stall:\n",
        items.len()
    );
    for item in items {
        text += &format!("  port {} after {} idle cycles: {}\n", item.port, item.pause, item.request);
    }
    if failure.history.is_some() {
        text += &format!("the failure:\n{failure}\n");
    }
    text
}
