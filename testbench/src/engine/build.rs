//! Builds simulators of exported Verilog with the external tools.

use std::error::Error;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use thiserror::Error;
use txbar_export::tools::{self, IVERILOG, MissingTool};
use txbar_export::verilog::Export;

/// Why a simulator could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A tool is missing.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// A tool failed.
    #[error("{tool} failed:\n{output}")]
    Failed {
        /// Name.
        tool: &'static str,
        /// Output of the tool.
        output: String,
    },
    /// Synthesis failed.
    #[error(transparent)]
    Synthesis(Box<dyn Error + Send + Sync>),
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
    /// `-O0`: compiles fastest, for some thousand clock cycles. Large designs as CXXRTL run [on a deep stack](on_deep_stack) only.
    Quickest,
    /// `-O0`, for CXXRTL `-O1`: compiles fast, for tests of many cycles.
    Quick,
    /// `-O3`: simulates fast, for benchmarks.
    Best,
}

impl Effort {
    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Quickest | Effort::Quick => "quick build",
            Effort::Best => "-O3",
        }
    }
}

/// Does something on a stack that unoptimised CXXRTL of large designs has room on: the one function that evaluates a unit of 5 ports
/// on 32 banks wants 2.3 MB, more than a thread of a test has.
///
/// # Panics
/// As `work` does.
pub fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, work);
        thread.expect("there are threads").join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Runs a tool to its end; gives what it says.
pub(super) fn run(tool: &'static str, command: &mut Command) -> Result<String, BuildError> {
    let output = tools::output(command)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(BuildError::Failed { tool, output: tools::said(&output) })
}

/// Compiles a design and the test bench around it with Icarus Verilog into `bench.vvp` in `directory`. A warning is a
/// failure.
pub(super) fn icarus_program(export: &Export, bench: &str, directory: &Path) -> Result<PathBuf, BuildError> {
    let path = |name: &str| directory.join(name);
    fs::write(path("unit.v"), &export.text)?;
    fs::write(path("bench.v"), bench)?;
    let mut compile = IVERILOG.command()?;
    compile.arg("-Wall").arg("-o").arg(path("bench.vvp")).arg(path("bench.v")).arg(path("unit.v"));
    let compiled = tools::output(&mut compile)?;
    let complaints = String::from_utf8_lossy(&compiled.stderr).into_owned();
    if !compiled.status.success() || !complaints.is_empty() {
        return Err(BuildError::Failed { tool: "iverilog", output: complaints });
    }
    Ok(path("bench.vvp"))
}
