//! `--save` and `--replay` of `txbar sim`: the shortened run of a failure, as a file.
//!
//! The file is JSON: what was built, by the names of the options that build it; seed and stalls; the injected fault; how it fails; and the
//! requests, a line each.

use crate::shell::files::Files;
use crate::shell::output;
use crate::{ClusterBuild, WarpPorts, note};
use anyhow::{Context, Result, bail};
use clap::{Args, Parser};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::{Design as _, Parameters};
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_testbench::case::cluster::Cluster;
use txbar_testbench::case::unit::Unit;
use txbar_testbench::case::warps::Warps;
use txbar_testbench::input;
use txbar_testbench::scoreboard::Failure;
use txbar_testbench::shrink::Case;
use txbar_testbench::traffic::Conditions;

/// Where the shortened run of a failure goes, and where one comes from.
#[derive(Args, Default)]
#[group(skip)]
pub struct Arguments {
    /// Write the shortened run of a failure, for --replay: requests, stalls, parameters, seed, injected fault; no file is written if the run
    /// does not fail
    #[arg(long, value_name = "FILE.json")]
    pub save: Option<PathBuf>,
    /// Run what --save has written, in place of random traffic
    #[arg(long, value_name = "FILE.json")]
    pub replay: Option<PathBuf>,
}

impl Arguments {
    /// Adds the files to those that are read and written.
    pub fn list(&self, files: Files) -> Files {
        files.reads(&self.replay).writes("--save", &self.save)
    }
}

/// What the `format` of a file says.
const FORMAT: &str = "txbar case";
/// Version of the format.
const VERSION: u32 = 1;

/// Failure of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failing {
    /// The cycle.
    pub cycle: u64,
    /// Observation.
    pub message: String,
}

impl From<&Failure> for Failing {
    fn from(failure: &Failure) -> Self {
        Self { cycle: failure.cycle, message: failure.what.clone() }
    }
}

/// All but the requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    format: String,
    version: u32,
    /// What was built, by the names of the options.
    pub parameters: BTreeMap<String, Value>,
    /// Seed of stalls.
    pub seed: u64,
    /// See [`Conditions`].
    pub stall: u8,
    /// See [`Conditions`].
    pub bank_stall: u8,
    /// The fault that is injected.
    pub inject_fault: Option<String>,
    /// How it failed when it was written.
    pub failure: Failing,
}

impl Head {
    /// A case of a run on a design with these parameters.
    pub fn new(
        parameters: Vec<(&'static str, String)>,
        conditions: Conditions,
        fault: Option<&str>,
        failure: &Failure,
    ) -> Self {
        let plain = |text: String| match (text.parse::<u64>(), text.parse::<bool>()) {
            (Ok(number), _) => number.into(),
            (_, Ok(flag)) => flag.into(),
            _ => Value::String(text),
        };
        let Conditions { seed, stall, bank_stall } = conditions;
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), plain(value))).collect(),
            seed,
            stall,
            bank_stall,
            inject_fault: fault.map(str::to_owned),
            failure: failure.into(),
        }
    }

    fn conditions(&self) -> Conditions {
        Conditions { seed: self.seed, stall: self.stall, bank_stall: self.bank_stall }
    }
}

/// Writes a run.
pub fn write<C: Case<Request: Serialize>>(path: &Path, head: &Head, case: &C) -> Result<()> {
    let text = serde_json::to_string_pretty(head).context("cannot write the run as JSON")?;
    let lines = case.requests().iter().map(|request| Ok(format!("    {}", serde_json::to_string(request)?)));
    let lines = lines.collect::<serde_json::Result<Vec<_>>>().context("cannot write the run as JSON")?;
    let head = text.trim_end_matches("\n}");
    output::write_text(path, &format!("{head},\n  \"requests\": [\n{}\n  ]\n}}\n", lines.join(",\n")))
}

/// A run of each kind.
pub enum Run {
    /// Of a unit.
    Unit(Parameters, Unit),
    /// Of a unit with ports for warps.
    Warps(Warps),
    /// Of a cluster.
    Cluster(Cluster),
}

/// Checked parameters.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Built {
    #[command(flatten)]
    build: ClusterBuild,
    #[command(flatten)]
    warp_ports: WarpPorts,
}

/// Something that a run can be on.
pub enum Design {
    /// A unit.
    Unit(Parameters),
    /// A unit with ports for warps.
    Warps(WarpParameters),
    /// A cluster.
    Cluster(ClusterParameters),
}

impl Design {
    /// Parameters of these options.
    pub fn of(build: &ClusterBuild, warp_ports: &WarpPorts) -> Result<Self> {
        Ok(match build.parameters()? {
            Some(cluster) => Design::Cluster(warp_ports.of_cluster(cluster)?),
            None if warp_ports.lanes.is_some() => Design::Warps(warp_ports.parameters(build.build.parameters()?)?),
            None => Design::Unit(build.build.parameters()?),
        })
    }

    /// What these parameters build.
    fn named(parameters: &BTreeMap<String, Value>) -> Result<Self> {
        let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let options = parameters.iter().map(|(name, of)| format!("--{name}={}", value(of)));
        let built = Built::try_parse_from(options).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            anyhow::anyhow!("{}", first.strip_prefix("error: ").unwrap_or(first))
        })?;
        let design = Self::of(&built.build, &built.warp_ports)?;
        let of_it = match &design {
            Design::Unit(unit) => unit.list(),
            Design::Warps(warps) => warps.list(),
            Design::Cluster(cluster) => cluster.list(),
        };
        let any = crate::Build::augment_args(clap::Command::new(""));
        let is_of_any = |name: &str| any.get_arguments().any(|option| option.get_long() == Some(name));
        let is_known = |name: &str| is_of_any(name) || of_it.iter().any(|(known, _)| *known == name);
        match parameters.keys().find(|name| !is_known(name)) {
            Some(name) => bail!("there is no {name} in this design"),
            None => Ok(design),
        }
    }
}

/// Reads a run.
///
/// # Errors
/// The file is missing, is no such file, or its parts do not fit together.
pub fn read(path: &Path) -> Result<(Head, Run)> {
    let name = || path.display().to_string();
    let text = input::read_text(path).with_context(name)?;
    parse(&text).with_context(name)
}

fn parse(text: &str) -> Result<(Head, Run)> {
    /// What says which kind of file it is.
    #[derive(Deserialize)]
    struct Kind {
        #[serde(default)]
        format: String,
        #[serde(default)]
        version: u32,
        #[serde(default)]
        parameters: BTreeMap<String, Value>,
    }
    let no_run = "this is not a run that --save has written";
    let kind: Kind = serde_json::from_str(text).context(no_run)?;
    if kind.format != FORMAT {
        bail!("{no_run}: its format is `{}`, not `{FORMAT}`", kind.format);
    }
    if kind.version != VERSION {
        bail!("this is version {} of the format, and this txbar reads version {VERSION}", kind.version);
    }
    let design = Design::named(&kind.parameters).context("parameters")?;
    Ok(match design {
        Design::Unit(parameters) => {
            let (head, requests) = requests(text)?;
            let case = Unit { conditions: head.conditions(), requests };
            case.check(&parameters)?;
            (head, Run::Unit(parameters, case))
        }
        Design::Warps(parameters) => {
            let (head, requests) = requests(text)?;
            let case = Warps { parameters, seed: head.seed, stall: head.stall, requests };
            case.check()?;
            (head, Run::Warps(case))
        }
        Design::Cluster(parameters) => {
            let (head, requests) = requests(text)?;
            let case = Cluster { parameters, seed: head.seed, stall: head.stall, requests };
            case.check()?;
            (head, Run::Cluster(case))
        }
    })
}

/// All of a file, with requests of a kind.
fn requests<R: DeserializeOwned>(text: &str) -> Result<(Head, Vec<R>)> {
    /// All of it.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, bound = "R: DeserializeOwned")]
    struct Whole<R> {
        format: String,
        version: u32,
        parameters: BTreeMap<String, Value>,
        seed: u64,
        #[serde(default)]
        stall: u8,
        #[serde(default)]
        bank_stall: u8,
        #[serde(default)]
        inject_fault: Option<String>,
        failure: Failing,
        requests: Vec<R>,
    }
    let Whole { format, version, parameters, seed, stall, bank_stall, inject_fault, failure, requests } =
        serde_json::from_str(text)?;
    for (name, share) in [("stall", stall), ("bank_stall", bank_stall)] {
        if share > 95 {
            bail!("{name}: {share} is not in 0..=95");
        }
    }
    Ok((Head { format, version, parameters, seed, stall, bank_stall, inject_fault, failure }, requests))
}

/// Says if a saved run fails otherwise than when it was saved.
pub fn compare(head: Option<&Head>, failure: &Failure) {
    if let Some(Failing { cycle, message }) = head.map(|head| &head.failure).filter(|saved| **saved != failure.into()) {
        note!("this is not how it failed when it was saved: cycle {cycle}: {message}");
    }
}
