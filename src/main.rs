//! `txbar`: the command line over the crates. One file a subcommand; `sim/` where it needs several, `shell/` what all share.

mod bench;
mod check;
mod explore;
mod host;
mod litmus;
mod manual;
mod merge;
mod modes;
mod prove;
mod ptx;
mod report;
mod run;
mod shell;
mod sim;
mod synth;
mod tour;
mod verilog;
mod wave;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use shell::diagnostics::Printer;
use shell::files::Files;
use shell::{output, print, stop};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use txbar_ptx::source::{PtxError, ReadError};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_synth::flow::simulated::{ECP5, ICE40};
use txbar_testbench::engine::compiled::Flow;

/// Open mbarrier hardware, bit-exact to an NVIDIA H200.
///
/// Without a subcommand it runs the tour: it exports the Verilog, replays the recordings of a real H200 on the hardware,
/// runs random traffic on four ports under a scoreboard, and draws one phase of a barrier.
#[derive(Parser)]
#[command(version, about, long_about, args_conflicts_with_subcommands = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    tour: tour::Arguments,
}

#[derive(Subcommand)]
enum Command {
    /// Replay recordings of a real H200 and compare every word, token and predicate
    ///
    /// Not with --checked: the words are stored and not initialised, and its warnings of that would hide the faults that are compared.
    Check(check::Arguments),
    /// Replay recordings on a board, over a serial port
    Host(host::Arguments),
    /// Run random traffic on many ports, or a scenario on a cluster, under a scoreboard
    Sim(Box<sim::Arguments>),
    /// Run small programs that show in which order memory accesses take effect
    Litmus(litmus::Arguments),
    /// Prove properties of the exported Verilog
    Prove(prove::Arguments),
    /// Check the synchronisation instructions of a PTX file: forms, operands, versions and targets
    Ptx(ptx::Arguments),
    /// Run a PTX kernel on the hardware
    ///
    /// Its threads are interpreted; shared memory, barriers, asynchronous copies and the cluster are the simulated hardware,
    /// cycle by cycle. Prints every buffer, and what is wrong with the kernel.
    ///
    /// A kernel that faults or misuses a barrier ends with exit code 2, one that hangs with 3.
    Run(Box<run::Arguments>),
    /// Export the hardware as Verilog, with a manifest in JSON
    Verilog(verilog::Arguments),
    /// Synthesise, place and route the hardware: area, clock, critical path, bitstream
    Synth(Box<synth::Arguments>),
    /// Make an HTML page of a recorded run
    Report(report::Arguments),
    /// Draw a timing diagram of a wave file
    Wave(wave::Arguments),
    /// Merge the results of the shards of a run
    Merge(merge::Arguments),
    /// Measure rates, latencies and speed of the simulation
    Bench(bench::Arguments),
    /// Print what a shell needs to complete this command
    Completions(manual::Shell),
    /// Write a page for man(1) of each command
    Man(manual::Arguments),
}

/// Builds by name.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PipelineName {
    /// Five cycles from a request to its answer
    LowLatency,
    /// Sixteen cycles, at a higher clock; one port and one bank, no suspended waits
    HighClock,
    /// Twelve cycles, at a high clock; several ports and banks, and suspended waits
    BankedHighClock,
}

impl From<PipelineName> for txbar_rtl::parameters::Build {
    fn from(name: PipelineName) -> Self {
        match name {
            PipelineName::LowLatency => Self::LowLatency,
            PipelineName::HighClock => Self::HighClock,
            PipelineName::BankedHighClock => Self::BankedHighClock,
        }
    }
}

/// A number of the command line. Which ones can be built is a matter of all of them together.
fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "it must be a whole number, not below 0".to_owned())
}

/// The period of a clock.
#[derive(Clone, Copy)]
struct Period {
    /// Whole nanoseconds.
    clock_ns: usize,
    /// Picoseconds besides.
    clock_ps: usize,
}

impl Period {
    /// What it is if nothing else is said.
    const DEFAULT: Self = Self { clock_ns: Parameters::DEFAULT.clock_ns, clock_ps: Parameters::DEFAULT.clock_ps };
}

impl std::fmt::Display for Period {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { clock_ns, clock_ps } = *self;
        f.write_str(&Parameters { clock_ns, clock_ps, ..Parameters::DEFAULT }.period_text())
    }
}

impl std::str::FromStr for Period {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let period = Parameters::read_period(text).map(|[clock_ns, clock_ps]| Self { clock_ns, clock_ps });
        period.ok_or("it must be a number of nanoseconds, with three decimals at most")
    }
}

/// What the hardware is built for.
#[derive(Args, Clone)]
#[command(next_help_heading = "Hardware")]
struct Build {
    /// Which pipeline: low latency, or a high clock for 1 port, 1 bank and no suspended waits, or a high clock for several ports and up to 8
    /// banks. The latter two have a response queue of 32 entries, no counters and no checked mode
    #[arg(long, value_enum, default_value_t = PipelineName::LowLatency)]
    build: PipelineName,
    /// Request ports, 1 to 8; in a cluster those of each CTA's threads, 1 to 6
    #[arg(long, default_value_t = Parameters::default().ports, default_value_if("build", "high-clock", "1"), value_name = "N", value_parser = number)]
    ports: usize,
    /// Banks that the words are interleaved over, a power of two from 1 to 32
    #[arg(long, default_value_t = Parameters::default().banks, default_value_if("build", "high-clock", "1"), value_name = "N", value_parser = number)]
    banks: usize,
    /// 64-bit words of memory, all banks together, a power of two from 16 to 65536
    #[arg(long, default_value_t = Parameters::default().words, value_name = "N", value_parser = number)]
    words: usize,
    /// Width of a request's tag in bits, 1 to 16
    #[arg(long, hide_short_help = true, default_value_t = Parameters::default().tag_bits, value_name = "N", value_parser = number)]
    tag_bits: usize,
    /// Low bits of the tag that number the requests of one thread; the bits above them identify the thread
    #[arg(long, hide_short_help = true, default_value_t = Parameters::default().number_bits, value_name = "N", value_parser = number)]
    number_bits: usize,
    /// Entries of each port's response queue, 1 to 64
    #[arg(long, hide_short_help = true, default_value_t = Parameters::default().queue_depth, default_value_ifs([("build", "high-clock", "32"), ("build", "banked-high-clock", "32")]), value_name = "N", value_parser = number)]
    queue_depth: usize,
    /// Waits that may be suspended, all ports together, 0 to 64
    #[arg(long, default_value_t = Parameters::default().waiters, default_value_if("build", "high-clock", "0"), value_name = "N", value_parser = number)]
    waiters: usize,
    /// Tell the ends of suspended waits as masks of threads, not as answers; with --counters=false
    #[arg(long, hide_short_help = true, default_value_t = Parameters::default().wake_mask, value_name = "BOOL", action = clap::ArgAction::Set,
        num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    wake_mask: bool,
    /// Do groups of arrivals in which phases end whole, not one by one; low-latency build with several ports, not with --checked
    #[arg(long, hide_short_help = true, default_value_t = Parameters::default().whole_groups, value_name = "BOOL", action = clap::ArgAction::Set,
        num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    whole_groups: bool,
    /// Period of the clock in nanoseconds, 1 to 1000 with three decimals at most, to convert time limits of waits into cycles
    #[arg(long, default_value_t = Period::DEFAULT, value_name = "NS")]
    clock_ns: Period,
    /// Event counters, read by loads from a window of addresses
    #[arg(long, hide_short_help = true, default_value_t = Parameters::default().counters, default_value_ifs([("build", "high-clock", "false"), ("build", "banked-high-clock", "false")]), value_name = "BOOL", action = clap::ArgAction::Set,
        num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    counters: bool,
    /// Checked mode: report misuse that silicon does not notice, by status
    #[arg(long, default_value_t = Parameters::default().checked, value_name = "BOOL", action = clap::ArgAction::Set,
        num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    checked: bool,
}

impl Build {
    fn parameters(&self) -> anyhow::Result<Parameters> {
        let Self { build, ports, banks, words, tag_bits, number_bits, queue_depth, .. } = *self;
        let Self {
            waiters, wake_mask, whole_groups, clock_ns: Period { clock_ns, clock_ps }, counters, checked, ..
        } = *self;
        let build = build.into();
        let memory = Parameters { build, ports, banks, words, tag_bits, number_bits, ..Parameters::default() };
        Ok(Parameters {
            queue_depth,
            waiters,
            wake_mask,
            whole_groups,
            clock_ns,
            clock_ps,
            counters,
            checked,
            ..memory
        }
        .check()?)
    }
}

/// Ports for warps, if there are any.
#[derive(Args, Clone)]
#[command(next_help_heading = "Ports for warps")]
struct WarpPorts {
    /// Give the unit, or every CTA, ports for warps of N lanes: 1, 4, 8, 16 or 32
    #[arg(long, value_name = "N")]
    lanes: Option<usize>,
    /// With --lanes: how many such ports, 1 to 4, besides those for single threads; a CTA has one
    #[arg(long, value_name = "N", default_value_t = 1)]
    warp_ports: usize,
    /// With --lanes: loads and stores of a warp, 4, 8 or 16 bytes a lane, go into all banks at once
    #[arg(long, value_name = "BOOL", default_value_t = false, action = clap::ArgAction::Set, num_args = 0..=1,
        require_equals = true, default_missing_value = "true")]
    warp_memory: bool,
}

impl WarpPorts {
    /// A cluster with them.
    fn of_cluster(&self, cluster: ClusterParameters) -> anyhow::Result<ClusterParameters> {
        let WarpPorts { lanes, warp_memory, .. } = *self;
        Ok(ClusterParameters { lanes: lanes.unwrap_or(0), warp_memory, ..cluster }.check()?)
    }

    /// A unit with them.
    fn parameters(&self, unit: Parameters) -> anyhow::Result<WarpParameters> {
        let WarpPorts { lanes, warp_ports, warp_memory: memory } = *self;
        Ok(WarpParameters { unit, lanes: lanes.unwrap_or(0), warp_ports, memory }.check()?)
    }
}

/// What the hardware is built for, if it may be a cluster.
#[derive(Args, Clone)]
struct ClusterBuild {
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    cluster: ClusterOptions,
}

/// Data of clusters only.
#[derive(Args, Clone)]
#[command(next_help_heading = "Cluster")]
struct ClusterOptions {
    /// Build a cluster of N CTAs, 1 to 8, each with a memory of its own
    #[arg(long, value_name = "N", value_parser = number)]
    ctas: Option<usize>,
    /// Cycles from one CTA to another, 1 to 64
    #[arg(long, hide_short_help = true, default_value_t = ClusterParameters::default().link_cycles, value_name = "N", value_parser = number)]
    link_cycles: usize,
    /// Requests to other CTAs that a port may have under way, 1 to 64
    #[arg(long, hide_short_help = true, default_value_t = ClusterParameters::default().remote_depth, value_name = "N", value_parser = number)]
    remote_depth: usize,
    /// Warps of 32 threads in each CTA, 1 to 32
    #[arg(long, hide_short_help = true, default_value_t = ClusterParameters::default().warps, value_name = "N", value_parser = number)]
    warps: usize,
    /// Threads of each CTA that may copy with cp.async, 1 to 64
    #[arg(long, hide_short_help = true, default_value_t = ClusterParameters::default().copiers, value_name = "N", value_parser = number)]
    copiers: usize,
    /// Copies and arrivals that each of them may have under way, a power of two from 1 to 32
    #[arg(long, hide_short_help = true, default_value_t = ClusterParameters::default().outstanding, value_name = "N", value_parser = number)]
    outstanding: usize,
    /// Bursts of global memory that may be under way in each CTA, 1 to 16
    #[arg(long, hide_short_help = true, default_value_t = ClusterParameters::default().bursts, value_name = "N", value_parser = number)]
    bursts: usize,
    /// Bursts of tensor copies that may be under way in each CTA, 1 to 16; 0 leaves the engine for them out
    #[arg(long, hide_short_help = true, default_value_t = ClusterParameters::default().tensors, value_name = "N", value_parser = number)]
    tensors: usize,
}

impl ClusterBuild {
    /// The cluster; nothing if it is a unit alone.
    fn parameters(&self) -> anyhow::Result<Option<ClusterParameters>> {
        let unit = self.build.parameters()?;
        let ClusterOptions { ctas, link_cycles, remote_depth, warps, copiers, outstanding, bursts, tensors } =
            self.cluster;
        let parameters = |ctas| {
            let cluster = ClusterParameters { unit, ctas, link_cycles, remote_depth, warps, ..Default::default() };
            ClusterParameters { copiers, outstanding, bursts, tensors, ..cluster }.check()
        };
        Ok(ctas.map(parameters).transpose()?)
    }
}

/// Says which file cannot be written.
fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Implementation to run.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    /// The hardware in Rust, simulated natively
    Rtl,
    /// The reference model
    Model,
    /// The exported Verilog under Verilator
    Verilator,
    /// The exported Verilog as C++ by yosys (CXXRTL)
    Cxxrtl,
    /// The netlist that `txbar synth` makes for an ECP5, with models of its cells
    #[value(name = "netlist:ecp5")]
    Ecp5Netlist,
    /// The same for an iCE40; `netlist` for short
    #[value(name = "netlist:ice40", alias = "netlist")]
    Ice40Netlist,
}

impl Engine {
    /// What makes a library of the exported Verilog; nothing for what is written in Rust.
    fn flow(self) -> Option<Flow> {
        match self {
            Engine::Rtl | Engine::Model => None,
            Engine::Verilator => Some(Flow::Verilator),
            Engine::Cxxrtl => Some(Flow::Cxxrtl),
            Engine::Ecp5Netlist => Some(Flow::Netlist(&ECP5)),
            Engine::Ice40Netlist => Some(Flow::Netlist(&ICE40)),
        }
    }
}

/// The exit codes, for the help.
const EXIT_CODES: &str = "Exit codes: 0 done, 1 bad input, or a file or tool that is missing, 2 a fault or mismatch, 3 a hang; 128 and its \
    number after a signal";

/// How a command ended. What is worse comes later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
enum Verdict {
    /// Success.
    Pass,
    /// The input is bad; the error has been printed.
    Bad,
    /// Something differs from what it should be; the difference has been printed.
    Fail,
    /// A kernel has faulted, or misused a barrier.
    Fault,
    /// A kernel hangs.
    Hang,
}

impl Verdict {
    /// The exit code.
    fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Verdict::Pass => 0,
            Verdict::Bad => 1,
            Verdict::Fail | Verdict::Fault => 2,
            Verdict::Hang => 3,
        })
    }
}

/// The command line, with numbers below zero taken for values: the error of `--ports -1` is about the number.
fn command() -> clap::Command {
    let negative = |command: clap::Command| {
        command.mut_args(|option| {
            let takes_value = option.get_action().takes_values() && !option.is_positional();
            if takes_value { option.allow_negative_numbers(true) } else { option }
        })
    };
    negative(Cli::command()).mut_subcommands(negative)
}

/// Bytes of stack of each thread that simulates: a unit is one value, of megabytes at its largest.
const STACK: usize = 64 << 20;

fn main() -> ExitCode {
    if let Some(code) = txbar_bench::slices::serve() {
        return code;
    }
    // before anybody asks how many threads there are, which starts them
    if let Err(error) = rayon::ThreadPoolBuilder::new().stack_size(STACK).build_global() {
        note!("error: cannot start threads: {error}");
        return Verdict::Bad.exit_code();
    }
    let parsed = command().try_get_matches().and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return show_usage(&error),
    };
    if let Err(error) = modes::check(&matches) {
        note!("error: {error}");
        return Verdict::Bad.exit_code();
    }
    if modes::value("--json") == Some(output::STANDARD_OUTPUT) {
        print::set_aside();
    }
    stop::listen();
    // what tools need for a while goes with the command, however it ends
    let scratch = tempfile::tempdir().ok();
    if let Some(scratch) = &scratch {
        let _kept = tempfile::env::override_temp_dir(scratch.path()); // nobody else has set it
        stop::keep(scratch.path());
    }
    let result = match cli.command {
        None => tour::run(&cli.tour),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Host(arguments)) => host::run(&arguments),
        Some(Command::Sim(arguments)) => sim::run(&arguments),
        Some(Command::Litmus(arguments)) => litmus::run(&arguments),
        Some(Command::Prove(arguments)) => prove::run(&arguments),
        Some(Command::Ptx(arguments)) => ptx::run(&arguments),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Verilog(arguments)) => verilog::run(&arguments),
        Some(Command::Synth(arguments)) => synth::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Wave(arguments)) => wave::run(&arguments),
        Some(Command::Merge(arguments)) => merge::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Completions(arguments)) => manual::completions(&arguments),
        Some(Command::Man(arguments)) => manual::run(&arguments),
    };
    let result = result.and_then(|verdict| print::finish().map(|()| verdict));
    let code = match result {
        Ok(verdict) => verdict.exit_code(),
        Err(error) => {
            match (error.downcast_ref::<PtxError>(), error.downcast_ref::<ReadError>()) {
                (Some(error), _) => Printer::new().print(error),
                (_, Some(error)) => Printer::new().print(error),
                _ if stop::requested() => note!("{}", with_causes(&error)),
                _ => note!("error: {}", with_causes(&error)),
            }
            Verdict::Bad.exit_code()
        }
    };
    stop::exit_code().map_or(code, ExitCode::from)
}

/// An error and its causes, except for those that are in its text already.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text += if text.is_empty() { "" } else { ": " };
            text += &cause;
        }
    }
    text
}

/// What is gone, and what to use instead.
const GONE: [(&str, &str); 2] = [
    ("--list", "`txbar prove list` names the proofs"),
    ("advise", "the table in docs/frontier.md says which unit to take"),
];

/// Prints what clap says: help, or what is wrong with the command line.
fn show_usage(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    let is_named = |name: &str| error.context().any(|(_, value)| value.to_string() == name);
    if let Some((_, instead)) = GONE.iter().find(|(name, _)| is_named(name)) {
        note!("\n{instead}");
    }
    match printed {
        _ if error.use_stderr() => Verdict::Bad.exit_code(),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => stop::end(stop::BROKEN_PIPE),
        Err(error) => {
            note!("error: cannot write to standard output: {error}");
            Verdict::Bad.exit_code()
        }
    }
}

/// JSON file of the figures.
#[derive(Args, Clone)]
#[command(next_help_heading = "Output")]
struct Json {
    /// Write the same figures to a JSON file; `-` is standard output, and what is printed otherwise goes to standard error
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Json {
    /// Adds the file to those that are written.
    fn list(&self, files: Files) -> Files {
        files.writes("--json", &self.json)
    }
}
