//! `--save` and `--replay` of `txbar sim`: runs as files.

use crate::shell::files::Files;
use crate::shell::output;
use crate::{ClusterBuild, WarpPorts, note};
use anyhow::{Context, Result, bail};
use clap::{Args, Parser};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::{Design as _, Parameters};
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_testbench::case::cluster::Cluster;
use txbar_testbench::case::file;
pub use txbar_testbench::case::file::{Failing, Head};
use txbar_testbench::case::unit::Unit;
use txbar_testbench::case::warps::Warps;
use txbar_testbench::input;
use txbar_testbench::scoreboard::Failure;
use txbar_testbench::shrink::Case;

/// Where the shortened run of a failure goes, and where one comes from.
#[derive(Args, Default)]
#[group(skip)]
pub struct Arguments {
    /// Write the shortened run of a failure, for --replay: requests, stalls, parameters, seed, injected fault; no file is written if the run
    /// does not fail
    #[arg(long, value_name = "FILE.json")]
    pub save: Option<PathBuf>,
    /// Run what --save has written, or other traffic in such a file (testbench/traffic), in place of random traffic
    #[arg(long, value_name = "FILE.json")]
    pub replay: Option<PathBuf>,
}

impl Arguments {
    /// Adds the files to those that are read and written.
    pub fn list(&self, files: Files) -> Files {
        files.reads(&self.replay).writes("--save", &self.save)
    }
}

/// Writes a run.
pub fn write<C: Case<Request: Serialize>>(path: &Path, head: &Head, case: &C) -> Result<()> {
    output::write_text(path, &file::text(head, case.requests()).context("cannot write the run as JSON")?)
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
        let options = file::pairs(parameters).into_iter().map(|pair| format!("--{pair}"));
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
    let design = Design::named(&file::parameters(text)?).context("parameters")?;
    Ok(match design {
        Design::Unit(parameters) => {
            let (head, requests) = file::read(text)?;
            let case = Unit { conditions: head.conditions(), requests };
            case.check(&parameters)?;
            (head, Run::Unit(parameters, case))
        }
        Design::Warps(parameters) => {
            let (head, requests) = file::read(text)?;
            let case = Warps { parameters, seed: head.seed, stall: head.stall, requests };
            case.check()?;
            (head, Run::Warps(case))
        }
        Design::Cluster(parameters) => {
            let (head, requests) = file::read(text)?;
            let case = Cluster { parameters, seed: head.seed, stall: head.stall, requests };
            case.check()?;
            (head, Run::Cluster(case))
        }
    })
}

/// Says if a saved run fails otherwise than when it was saved.
pub fn compare(head: Option<&Head>, failure: &Failure) {
    if let Some(Failing { cycle, message }) =
        head.and_then(|head| head.failure.as_ref()).filter(|saved| **saved != failure.into())
    {
        note!("this is not how it failed when it was saved: cycle {cycle}: {message}");
    }
}
