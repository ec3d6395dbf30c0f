//! `txbar verilog`: exports the hardware.

use crate::output;
use crate::{ClusterBuild, Verdict};
use anyhow::Result;
use clap::Args;
use std::path::{Path, PathBuf};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::{Design, Parameters};
use txbar_synth::manifest::Manifest;
use txbar_synth::verilog::{self, Export};

/// Writes one self-contained Verilog file and a JSON manifest of its parameters, ports, opcodes and statuses: of a unit of
/// shared memory, or with --ctas of a cluster.
#[derive(Args)]
pub struct Arguments {
    /// Directory to write to
    #[arg(short, long, default_value = ".", value_name = "DIR")]
    output: PathBuf,
    /// Beginning of every module's name
    #[arg(long, default_value = "txbar", value_name = "NAME")]
    prefix: String,
    #[command(flatten)]
    build: ClusterBuild,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let Arguments { output, prefix, build } = arguments;
    let files = match build.parameters()? {
        Some(cluster) => export_cluster(&cluster, prefix, output)?,
        None => export(&build.build.parameters()?, prefix, output)?,
    };
    for path in files {
        println!("{}", path.display());
    }
    Ok(Verdict::Pass)
}

/// Writes the Verilog of a unit and its manifest; gives their names.
pub fn export(parameters: &Parameters, prefix: &str, directory: &Path) -> Result<[PathBuf; 2]> {
    let export = verilog::unit(parameters, prefix)?;
    write(&export, parameters, directory, |file| Manifest::new(&export, parameters, file))
}

/// The same of a cluster.
pub fn export_cluster(parameters: &ClusterParameters, prefix: &str, directory: &Path) -> Result<[PathBuf; 2]> {
    let export = verilog::cluster(parameters, prefix)?;
    write(&export, parameters, directory, |file| Manifest::of_cluster(&export, parameters, file))
}

fn write(
    export: &Export,
    design: &dyn Design,
    directory: &Path,
    manifest: impl Fn(&str) -> Manifest,
) -> Result<[PathBuf; 2]> {
    output::make_directory(directory)?;
    let stem = format!("{}_{}", export.top, design.label());
    let [verilog, json] = ["v", "json"].map(|extension| directory.join(format!("{stem}.{extension}")));
    output::write_text(&verilog, &export.text)?;
    output::write_text(&json, &manifest(&format!("{stem}.v")).json())?;
    Ok([verilog, json])
}
