//! Building simulators of exported Verilog with the external tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use thiserror::Error;
use txbar_synth::tools::{CXX, IVERILOG, MissingTool, VERILATOR};
use txbar_synth::verilog::Export;

/// Why a simulator could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A tool is missing.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// A tool failed.
    #[error("{tool} failed:\n{output}")]
    Failed {
        /// Its name.
        tool: &'static str,
        /// What it said.
        output: String,
    },
    /// A file could not be written or read.
    #[error("building a simulator: {0}")]
    Io(#[from] std::io::Error),
    /// The library could not be loaded.
    #[error("loading a simulator: {0}")]
    Load(#[from] libloading::Error),
}

/// How hard the C++ compiler tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// `-O0`: compiles fast, for tests.
    Quick,
    /// `-O3`: simulates fast, for benchmarks.
    Best,
}

/// Runs a tool to its end; gives what it says.
pub(super) fn run(tool: &'static str, command: &mut Command) -> Result<String, BuildError> {
    let output = command.output()?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    text += &String::from_utf8_lossy(&output.stderr);
    Err(BuildError::Failed { tool, output: text })
}

/// Compiles a design with Verilator (the model's class is `Vunit`), and `harness`, the C++ that drives it, into a shared
/// library in `directory`.
pub(super) fn verilator_library(
    export: &Export,
    harness: &str,
    effort: Effort,
    directory: &Path,
) -> Result<PathBuf, BuildError> {
    let (verilog, harness_file) = (directory.join("unit.v"), directory.join("harness.cpp"));
    fs::write(&verilog, &export.text)?;
    fs::write(&harness_file, harness)?;
    let root = run("verilator", VERILATOR.command()?.args(["--getenv", "VERILATOR_ROOT"]))?;
    let include = Path::new(root.trim()).join("include");
    let objects = directory.join("objects");
    let mut verilator = VERILATOR.command()?;
    verilator.args(["--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--prefix", "Vunit"]);
    verilator.args(["--top-module", &export.top, "--Mdir"]).arg(&objects).arg(&verilog);
    run("verilator", &mut verilator)?;

    let library = directory.join("libunit.so");
    let mut cxx = CXX.command()?;
    cxx.args([
        "-std=c++17",
        "-shared",
        "-fPIC",
        "-fno-semantic-interposition",
        "-fvisibility=hidden",
        if effort == Effort::Best { "-O3" } else { "-O0" },
    ]);
    cxx.arg("-DVL_TIME_CONTEXT").arg("-I").arg(&include).arg("-I").arg(include.join("vltstd")).arg("-I").arg(&objects);
    for entry in fs::read_dir(&objects)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "cpp") {
            cxx.arg(path);
        }
    }
    cxx.arg(include.join("verilated.cpp")).arg(include.join("verilated_threads.cpp")).arg(&harness_file);
    cxx.args(["-pthread", "-o"]).arg(&library);
    run("g++", &mut cxx)?;
    Ok(library)
}

/// Compiles a design and the test bench around it with Icarus Verilog into `bench.vvp` in `directory`. A warning is a
/// failure.
pub(super) fn icarus_program(export: &Export, bench: &str, directory: &Path) -> Result<PathBuf, BuildError> {
    let path = |name: &str| directory.join(name);
    fs::write(path("unit.v"), &export.text)?;
    fs::write(path("bench.v"), bench)?;
    let mut compile = IVERILOG.command()?;
    compile.arg("-Wall").arg("-o").arg(path("bench.vvp")).arg(path("bench.v")).arg(path("unit.v"));
    let compiled = compile.output()?;
    let complaints = String::from_utf8_lossy(&compiled.stderr).into_owned();
    if !compiled.status.success() || !complaints.is_empty() {
        return Err(BuildError::Failed { tool: "iverilog", output: complaints });
    }
    Ok(path("bench.vvp"))
}
