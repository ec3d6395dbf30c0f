//! `txbar verilog`: exports the hardware.

use crate::output;
use crate::{Build, Verdict};
use anyhow::Result;
use clap::Args;
use std::path::{Path, PathBuf};
use txbar_rtl::parameters::Parameters;
use txbar_synth::manifest::Manifest;
use txbar_synth::verilog;

/// Writes one self-contained Verilog file and a JSON manifest of its parameters, ports, opcodes and statuses.
#[derive(Args)]
pub struct Arguments {
    /// Directory to write to
    #[arg(short, long, default_value = ".", value_name = "DIR")]
    output: PathBuf,
    /// Beginning of every module's name
    #[arg(long, default_value = "txbar", value_name = "NAME")]
    prefix: String,
    #[command(flatten)]
    build: Build,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    for path in export(&arguments.build.parameters()?, &arguments.prefix, &arguments.output)? {
        println!("{}", path.display());
    }
    Ok(Verdict::Pass)
}

/// Writes the Verilog and its manifest; gives their names.
pub fn export(parameters: &Parameters, prefix: &str, directory: &Path) -> Result<[PathBuf; 2]> {
    let export = verilog::unit(parameters, prefix)?;
    output::make_directory(directory)?;
    let stem = format!("{}_{}", export.top, parameters.label());
    let [verilog, manifest] = ["v", "json"].map(|extension| directory.join(format!("{stem}.{extension}")));
    output::write_text(&verilog, &export.text)?;
    output::write_text(&manifest, &Manifest::new(&export, parameters, &format!("{stem}.v")).json())?;
    Ok([verilog, manifest])
}
