//! Two engines in short alternating slices, so that other load on the machine affects both equally.
//!
//! ```text
//!   rtl | verilator | verilator | rtl | rtl | verilator | ...     a slice: a process of its own, a tenth of a second
//!   '----- pair ----'----- pair ------'----- pair ------'         a pair:  one ratio
//! ```
//! Each slice is a process of its own, because where a process's code and data come to lie moves its speed by some percent, for as
//! long as it lives. Time is processor time of the loop alone, in which requests are driven and answers digested. What counts is the
//! ratio of the two slices of a pair: its median, and its quartiles. Where the quartiles lie on either side of 1, the two are level.
//!
//! Instructions are those of the same loop as Valgrind's callgrind counts them: the difference between two slices, one twice as long
//! as the other. They hardly depend on the machine's state, and say less of the time that they take.

use super::suites;
use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};
use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use thiserror::Error;
use txbar_export::tools;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::compiled::{Compiled, Flow};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::Request;

/// Tells a process that it is to be a slice: a [`Slice`] as JSON.
const ASKED: &str = "TXBAR_BENCH_SLICE";
/// Processor time that a slice should take.
const SECONDS: f64 = 0.1;

/// Runs one slice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Slice {
    /// The size as the tables call it.
    pub size: String,
    /// Clock cycles that are timed.
    pub cycles: u64,
    /// The compiled library, for another engine than Rust.
    pub library: Option<PathBuf>,
}

/// Result of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sliced {
    /// Processor time of the timed cycles.
    pub seconds: f64,
    /// The answers of all of them.
    pub digest: u64,
}

/// Cause of a failed slice.
#[derive(Debug, Error)]
pub enum SliceError {
    /// The process could not be started.
    #[error("starting a slice: {0}")]
    Io(#[from] io::Error),
    /// It failed, or said something else.
    #[error("a slice failed: {0}")]
    Failed(String),
    /// The engines' answers differ.
    #[error("the engines answer differently on {0}")]
    Differ(String),
}

/// Ratios of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// A quarter of the pairs are below.
    pub lower: f64,
    /// Half of them are below.
    pub median: f64,
    /// Three quarters of them are below.
    pub upper: f64,
    /// Pairs.
    pub pairs: usize,
}

impl Ratio {
    /// Of these, one a pair.
    ///
    /// # Panics
    /// There is none.
    pub fn of(mut ratios: Vec<f64>) -> Self {
        ratios.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (ratios.len() - 1) as f64;
            let (below, above) = (ratios[place.floor() as usize], ratios[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        Self { lower: at(0.25), median: at(0.5), upper: at(0.75), pairs: ratios.len() }
    }

    /// Whether neither is faster, as far as can be told.
    pub fn is_level(&self) -> bool {
        self.lower <= 1.0 && self.upper >= 1.0
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { lower, median, upper, .. } = self;
        let level = if self.is_level() { ": level" } else { "" };
        write!(f, "{median:.2} ({lower:.2} to {upper:.2}){level}")
    }
}

/// Two engines beside each other.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// Clock cycles a second of the first and of the other, medians of all slices.
    pub per_second: [f64; 2],
    /// The other's rate over the first's.
    pub ratio: Ratio,
    /// Instructions a clock cycle of both, if there is Valgrind.
    pub instructions: Option<[f64; 2]>,
}

/// Makes this process a slice if it was started as one; to be called before anything else is done.
pub fn serve() -> Option<ExitCode> {
    let asked = env::var(ASKED).ok()?;
    Some(match serde_json::from_str(&asked).map_err(|error| error.to_string()).and_then(|slice| carry_out(&slice)) {
        Ok(sliced) => {
            println!("{}", serde_json::to_string(&sliced).expect("numbers are JSON"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{ASKED}: {error}");
            ExitCode::FAILURE
        }
    })
}

fn carry_out(slice: &Slice) -> Result<Sliced, String> {
    let parameters = suites::engine_size(&slice.size).ok_or_else(|| format!("there is no size {}", slice.size))?;
    let stimulus = suites::stimulus(&parameters);
    match &slice.library {
        None => Ok(timed(&mut Rtl::new(parameters), &stimulus, slice.cycles)),
        Some(file) => {
            let compiled = Compiled::open(Flow::Verilator, parameters, file).map_err(|error| error.to_string())?;
            Ok(timed(&mut compiled.engine(), &stimulus, slice.cycles))
        }
    }
}

fn timed(engine: &mut impl Engine, stimulus: &[Vec<Request>], cycles: u64) -> Sliced {
    // caches and branch predictors are to be warm
    engine.saturate(stimulus, cycles / 8);
    // of the C library: what reads the vDSO by itself (rustix) does not run under Valgrind
    let began = ThreadTime::now();
    let digest = engine.saturate(stimulus, cycles);
    Sliced { seconds: began.elapsed().as_secs_f64(), digest }
}

/// Runs a slice in a process of its own, under `wrapper` if there is one; gives what it said on either stream, too.
fn spawn(slice: &Slice, wrapper: &[&str]) -> Result<(Sliced, String), SliceError> {
    let program = env::current_exe()?;
    let mut command = match wrapper {
        [] => Command::new(program),
        [tool, options @ ..] => {
            let mut command = Command::new(tool);
            command.args(options).arg(program);
            command
        }
    };
    let output = tools::output(command.env(ASKED, serde_json::to_string(slice).expect("a slice is JSON")))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    match serde_json::from_str(&answer) {
        Ok(sliced) if output.status.success() => Ok((sliced, said)),
        _ => Err(SliceError::Failed(said + &answer)),
    }
}

/// Puts a compiled engine beside Rust, in this many pairs of slices.
///
/// # Errors
/// A slice fails, or the engines differ.
pub fn beside(size: &str, library: &Path, pairs: usize) -> Result<Beside, SliceError> {
    let slice =
        |cycles, library: Option<&Path>| Slice { size: size.to_owned(), cycles, library: library.map(Path::to_owned) };
    let engines = [None, Some(library)];
    // as many cycles as take the slower of the two its time
    let tried = 10_000;
    let [rust, other] = engines.map(|library| spawn(&slice(tried, library), &[]));
    let slower = rust?.0.seconds.max(other?.0.seconds);
    let cycles = ((tried as f64 * SECONDS / slower) as u64).clamp(1_000, 10_000_000);
    let (mut rates, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
    for pair in 0..pairs {
        let mut sliced = [None; 2];
        // who came last comes first
        for engine in if pair % 2 == 0 { [0, 1] } else { [1, 0] } {
            sliced[engine] = Some(spawn(&slice(cycles, engines[engine]), &[])?.0);
        }
        let [Some(rust), Some(other)] = sliced else { unreachable!("both have run") };
        if rust.digest != other.digest {
            return Err(SliceError::Differ(size.to_owned()));
        }
        rates[0].push(cycles as f64 / rust.seconds);
        rates[1].push(cycles as f64 / other.seconds);
        ratios.push(rust.seconds / other.seconds);
    }
    let instructions = engines.map(|library| {
        // callgrind is some fifty times slower
        let count = |cycles| instructions(&slice(cycles, library));
        let cycles = (cycles / 100).max(500);
        Some((count(2 * cycles)? - count(cycles)?) / (cycles + cycles / 8) as f64)
    });
    let [rust, other] = instructions;
    Ok(Beside {
        per_second: rates.map(|rates| Ratio::of(rates).median),
        ratio: Ratio::of(ratios),
        instructions: rust.zip(other).map(|(rust, other)| [rust, other]),
    })
}

/// Instructions of a slice's process as callgrind counts them, or nothing if it is not there.
fn instructions(slice: &Slice) -> Option<f64> {
    let wrapper = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let (_, said) = spawn(slice, &wrapper).ok()?;
    collected(&said)
}

/// What callgrind says at its end: `==PID== Collected : N`.
fn collected(said: &str) -> Option<f64> {
    said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_say_whether_two_are_level() {
        let ratio = Ratio::of(vec![1.3, 0.9, 1.0, 1.1, 1.2]);
        assert_eq!((ratio.lower, ratio.median, ratio.upper, ratio.pairs), (1.0, 1.1, 1.2, 5));
        assert!(ratio.is_level());
        assert_eq!(ratio.to_string(), "1.10 (1.00 to 1.20): level");
        let faster = Ratio::of(vec![1.2, 1.4]);
        assert!(!faster.is_level());
        assert_eq!(faster.to_string(), "1.30 (1.25 to 1.35)");
    }

    #[test]
    fn what_callgrind_says_is_read() {
        let said = "==7== Events    : Ir\n==7== Collected : 123456\n==7== \n==7== I   refs:      123,456\n";
        assert_eq!(collected(said), Some(123456.0));
        assert_eq!(collected("command not found"), None);
    }
}
