//! `txbar sim`: random traffic under the scoreboard. Scenarios on clusters are in `scenario.rs`.

pub mod case;
pub mod cluster;
pub mod random_parameters;
pub mod scenario;
pub mod unit;
pub mod verdict;
pub mod warps;

use crate::report::Outputs;
use crate::say;
use crate::shell::files::Files;
use crate::shell::junit::Junit;
use crate::shell::shard::Sharding;
use crate::shell::wave_writer;
use crate::sim::verdict::Work;
use crate::{ClusterBuild, Engine, Json, Verdict, WarpPorts};
use anyhow::{Context, Result, bail};
use case::{Design, Run};
use clap::Args;
use scenario::Wanted;
use std::path::Path;
use txbar_testbench::faults::{self, Fault};
use txbar_testbench::traffic::{Mix, MixError, Pattern, Plan};
use txbar_testbench::warp::traffic as warp;

/// Makes random requests on every port and compares each answer with the reference model: some serial order of the operations
/// must explain it. A run that fails prints its seed and the shortest history that still shows the failure.
#[derive(Args)]
#[command(next_help_heading = "Random traffic")]
pub struct Arguments {
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
    #[arg(long = "inject-fault", value_name = "FAULT")]
    fault: Option<String>,
    /// Make N runs with random parameters, traffic and stalls, of units, ports for warps and clusters, on all cores; one that fails is reported as
    /// the command that repeats it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    random_parameters: Option<u64>,
    #[command(flatten)]
    case: case::Arguments,
    #[command(flatten)]
    cluster: cluster::Arguments,
    #[command(flatten)]
    scenario: scenario::Arguments,
    #[command(flatten)]
    build: ClusterBuild,
    #[command(flatten)]
    warp_ports: WarpPorts,
    #[command(flatten)]
    waves: wave_writer::Arguments,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    junit: Junit,
    #[command(flatten)]
    sharding: Sharding,
    #[command(flatten)]
    outputs: Outputs,
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
    let files = arguments.case.list(arguments.waves.list(arguments.junit.list(arguments.json.list(files))));
    arguments.outputs.list(files).check()?;
    let files = Wanted {
        waves: &arguments.waves,
        json: arguments.json.json.as_deref(),
        outputs: &arguments.outputs,
        save: arguments.case.save.as_deref(),
        junit: &arguments.junit,
    };
    if let Some(choice) = arguments.scenario.scenario {
        if arguments.engine != Engine::Rtl {
            bail!("a scenario runs on the cluster in Rust: --scenario needs --engine rtl");
        }
        return scenario::run(choice, &arguments.scenario, arguments.seed, &files);
    }
    if let Some(path) = &arguments.case.replay {
        return replay(path, arguments.engine, &files);
    }
    let design = Design::of(&arguments.build, &arguments.warp_ports)?;
    if arguments.fault.as_deref() == Some("list") {
        match design {
            Design::Cluster(cluster) => list(&faults::cluster::all(&cluster)),
            Design::Warps(warps) => list(&faults::warp::all(&warps)),
            Design::Unit(unit) => list(faults::of_unit(&unit)),
        }
        return Ok(Verdict::Pass);
    }
    let seed = arguments.sharding.seed(arguments.seed)?;
    if let Some(runs) = arguments.random_parameters {
        return random_parameters::run(runs, seed, &arguments.sharding, (&arguments.json, &arguments.junit));
    }
    let fault = arguments.fault.as_deref();
    needs_rtl(arguments.engine, &design)?;
    let stall = arguments.stall;
    match design {
        Design::Cluster(parameters) => {
            let cluster::Arguments { cycles, rush } = arguments.cluster;
            let plan = txbar_testbench::cluster::traffic::Plan { parameters, seed, cycles, stall, rush };
            cluster::run(&Work::Plan(plan), fault, (None, &files))
        }
        Design::Warps(parameters) => {
            let plan = warp::Plan { parameters, seed, cycles: arguments.cluster.cycles, stall };
            warps::run(&Work::Plan(plan), fault, (None, &files))
        }
        Design::Unit(parameters) => {
            let plan = Plan {
                seed,
                operations: arguments.ops,
                stall,
                pattern: arguments.pattern.into(),
                bank_stall: arguments.bank_stall,
                hot_spot: (arguments.hot_spot * 100.0).round() as u8,
                mix: arguments.mix,
                roles: arguments.roles,
            };
            unit::run(arguments.engine, parameters, &Work::Plan(plan), fault, (None, &files))
        }
    }
}

/// Runs what has been saved.
fn replay(path: &Path, engine: Engine, files: &Wanted) -> Result<Verdict> {
    let (head, run) = case::read(path)?;
    let fault = head.inject_fault.as_deref();
    let of = (Some(&head), files);
    let told = match run {
        Run::Unit(parameters, case) => unit::run(engine, parameters, &Work::Case(case), fault, of),
        Run::Warps(case) => {
            needs_rtl(engine, &Design::Warps(case.parameters)).and_then(|()| warps::run(&Work::Case(case), fault, of))
        }
        Run::Cluster(case) => needs_rtl(engine, &Design::Cluster(case.parameters))
            .and_then(|()| cluster::run(&Work::Case(case), fault, of)),
    };
    told.with_context(|| path.display().to_string())
}

/// Refuses engines that cannot be looked into.
fn needs_rtl(engine: Engine, design: &Design) -> Result<()> {
    if engine != Engine::Rtl && !matches!(design, Design::Unit(_)) {
        bail!("runs of clusters and warps look into the hardware in Rust: --ctas and --lanes need --engine rtl");
    }
    Ok(())
}

/// Names the faults that can be injected.
fn list<D: ?Sized, P>(faults: &[Fault<D, P>]) {
    let widest = faults.iter().map(|fault| fault.name.len()).max().unwrap_or(0);
    for fault in faults {
        say!("{:widest$}  {}", fault.name, fault.defect);
    }
}

/// The fault of this name.
pub fn named<D: ?Sized, P>(name: &str, faults: &[Fault<D, P>]) -> Result<Fault<D, P>> {
    Fault::among(faults, name).with_context(|| {
        format!(
            "there is no fault `{name}` in this design; `--inject-fault list` names its faults, with the options of the hardware"
        )
    })
}
