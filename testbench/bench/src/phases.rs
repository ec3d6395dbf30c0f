//! Clock cycles of a barrier's phase: the same PTX on an H200 and on txbar, each in cycles of its own clock.
//!
//! The kernels are those of `ptx/kernels/cuda/phases.ptx`; the cycles of an H200 (sm_90, CUDA 13.0) are recorded in
//! `testbench/silicon/timing/h200_phases.csv`. What is counted here is the same on every machine.

use serde::{Deserialize, Serialize};
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::End;
use txbar_ptx::parse;
use txbar_ptx::program::Program;
use txbar_ptx::source::Source;

/// Phases that a run has.
const PHASES: u32 = 1_000;

const KERNELS: &str = include_str!("../recorded/phases.ptx");
const RECORDED: &str = include_str!("../recorded/h200_phases.csv");

/// A kernel at a size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// The kernel.
    pub kernel: String,
    /// Threads of its CTA.
    pub threads: u32,
    /// Cycles that an H200 takes for a phase.
    pub h200: f64,
    /// Cycles that txbar takes.
    pub cycles: f64,
}

impl Phase {
    /// Cycles of txbar for one of an H200.
    pub fn ratio(&self) -> f64 {
        self.cycles / self.h200
    }
}

/// Description of each kernel.
const WHAT: [(&str, &str); 5] = [
    ("p_all", "all arrive, all wait"),
    ("p_elect", "a lane of each warp arrives, all wait"),
    ("p_warps", "a barrier for each warp"),
    ("p_lanes", "a barrier for each thread"),
    ("p_ring", "2 KB stages, a stage a phase"),
];

/// Kernels and sizes that an H200 has been timed with: kernel, threads, cycles.
pub fn recorded() -> Vec<(String, u32, f64)> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: usize| cells[cell].parse::<f64>().expect("the file has numbers");
        (cells[0].to_owned(), number(1) as u32, number(2))
    };
    RECORDED.lines().skip(1).map(row).collect()
}

/// Cycles of a phase of a kernel with this many threads, as thread 0 counts them.
///
/// # Panics
/// The kernel does not come to its end.
pub fn cycles(kernel: &str, threads: u32) -> f64 {
    let source = Source::new("phases.ptx", KERNELS);
    let module = parse::parse(&source).expect("the kernels are sound");
    let program = Program::new(&module, kernel).expect("it has this entry");
    let input = (kernel == "p_ring").then_some("in:u32:512:1");
    let texts = [Some("out:u64:2000".to_owned()), input.map(str::to_owned), Some(format!("u32:{PHASES}"))];
    let arguments: Vec<Argument> =
        texts.iter().flatten().map(|text| Argument::read(text).expect("it is sound")).collect();
    let settings = Settings { block: [threads, 1, 1], ..Settings::default() };
    let grid = Grid::new(&program, settings).expect("it fits");
    let outcome = grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("the arguments fit");
    assert!(outcome.end == End::Done && outcome.findings.is_empty(), "{kernel} with {threads} threads is sound");
    let out = outcome.buffers[0].bytes[..8].try_into().map_or(0, u64::from_le_bytes);
    out as f64 / f64::from(PHASES)
}

/// All kernels and sizes.
pub fn measure() -> Vec<Phase> {
    let measured = |(kernel, threads, h200): (String, u32, f64)| {
        let cycles = cycles(&kernel, threads);
        Phase { kernel, threads, h200, cycles }
    };
    recorded().into_iter().map(measured).collect()
}

/// The geometric mean of the ratios.
pub fn mean(phases: &[Phase]) -> f64 {
    (phases.iter().map(|phase| phase.ratio().ln()).sum::<f64>() / phases.len() as f64).exp()
}

/// Titles of the columns of [`rows`].
pub const TITLES: [&str; 5] = ["kernel", "threads", "H200", "txbar", "txbar / H200"];

/// Rows of a table.
pub fn rows(phases: &[Phase]) -> Vec<[String; 5]> {
    let mut last = "";
    let row = |phase: &Phase| {
        let Phase { kernel, threads, h200, cycles } = phase;
        let what = WHAT.iter().find(|(name, _)| name == kernel).map_or("", |(_, what)| what);
        let name = if last == what { String::new() } else { format!("{kernel}: {what}") };
        last = what;
        [name, threads.to_string(), format!("{h200:.1}"), format!("{cycles:.1}"), format!("{:.2}", phase.ratio())]
    };
    phases.iter().map(row).collect()
}

/// Titles of the columns of [`summary`].
pub const SUMMARY: [&str; 4] = ["kernels and sizes", "geometric mean of txbar / H200", "lowest", "highest"];

/// All of them in a line.
pub fn summary(phases: &[Phase]) -> [String; 4] {
    let ratios = || phases.iter().map(Phase::ratio);
    let (low, high) = ratios().fold((f64::MAX, 0.0f64), |(low, high), ratio| (low.min(ratio), high.max(ratio)));
    [phases.len().to_string(), format!("**{:.2}**", mean(phases)), format!("{low:.2}"), format!("{high:.2}")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_geometric() {
        let phase = |h200, cycles| Phase { kernel: "p_all".to_owned(), threads: 32, h200, cycles };
        let phases = [phase(100.0, 50.0), phase(100.0, 200.0)];
        assert!((mean(&phases) - 1.0).abs() < 1e-12);
        assert_eq!(summary(&phases), ["2", "**1.00**", "0.50", "2.00"]);
        assert_eq!(rows(&phases)[1], ["", "32", "100.0", "200.0", "2.00"]);
    }

    #[test]
    fn every_kernel_has_been_timed_on_an_h200() {
        for (kernel, _) in WHAT {
            assert!(recorded().iter().filter(|(name, ..)| name == kernel).count() > 2, "{kernel}");
        }
    }
}
