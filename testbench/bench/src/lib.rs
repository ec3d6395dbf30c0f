//! Benchmarks, side by side in one run; comparisons with Verilator run in alternating [`slices`].
//!
//! [`Bench`] measures and keeps the figures; [`suites`] is what there is to measure. `txbar bench` and `cargo bench` run the
//! same suites. The command takes the median of [`Samples`]; `cargo bench` measures with criterion, for longer and compared with
//! the run before, so that only benches depend on criterion. What is counted in clock cycles, and so is the same in every run, is
//! in [`rates`] and [`phases`].

pub mod phases;
pub mod rates;
pub mod slices;
pub mod suites;

use phases::Phase;
use rates::Rates;
use serde::{Deserialize, Serialize};
use slices::Ratio;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};
use txbar_export::tables::columns;

/// A measured rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The suite.
    pub suite: String,
    /// What was measured: an engine, for example.
    pub name: String,
    /// Size.
    pub size: String,
    /// What is counted: `cycles`, `operations`, `instructions`, `exports`.
    pub unit: String,
    /// How many a second: the median of samples, or of slices.
    pub per_second: f64,
    /// The rate over that of the first of its suite and size, where both were measured in slices that took turns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ratio: Option<Ratio>,
    /// Instructions of the processor for each, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions: Option<f64>,
    /// Seconds that it took to build what was measured, if that takes long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built_seconds: Option<f64>,
}

/// Stored results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Logical processors of the machine.
    pub processors: usize,
    /// Processes that wanted a processor, on average over the minute before the run and over its last one, where the system
    /// tells. What is measured alone has 0 and 1.
    pub load_average: Option<[f64; 2]>,
    /// Measurements that failed.
    pub missing: Vec<String>,
    /// Rates of this machine.
    pub figures: Vec<Figure>,
    /// Rates in clock cycles, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rates: Option<Rates>,
    /// Cycles of phases, if they were counted.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub phases: Vec<Phase>,
}

/// Processes that wanted a processor, on average over the last minute, where the system tells.
pub fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// How the time of a routine is measured.
pub trait Stopwatch {
    /// Seconds of a call, the median of several; nothing if the benchmark is left out. `count` things are done in a call.
    fn seconds(&mut self, names: [&str; 3], count: u64, routine: &mut dyn FnMut()) -> Option<f64>;
}

/// Ten samples of as many calls as fit into a tenth of the time, after a quarter of the time to warm up.
pub struct Samples {
    /// The time for a routine.
    pub time: Duration,
}

impl Stopwatch for Samples {
    fn seconds(&mut self, _: [&str; 3], _: u64, routine: &mut dyn FnMut()) -> Option<f64> {
        const SAMPLES: u32 = 10;
        let mut calls = |fits: &dyn Fn(u32, Duration) -> bool| {
            let (mut calls, began) = (0, Instant::now());
            while fits(calls, began.elapsed()) {
                routine();
                calls += 1;
            }
            (calls, began.elapsed())
        };
        let warm_up = self.time / 4;
        let (warm, took) = calls(&|calls, elapsed| calls == 0 || elapsed < warm_up);
        let sample = (self.time.as_secs_f64() / f64::from(SAMPLES) / (took.as_secs_f64() / f64::from(warm))) as u32;
        let mut samples: Vec<f64> = (0..SAMPLES)
            .map(|_| calls(&|calls, _| calls < sample.max(1)))
            .map(|(calls, took)| took.as_secs_f64() / f64::from(calls))
            .collect();
        samples.sort_by(f64::total_cmp);
        let middle = samples.len() / 2;
        Some((samples[middle - 1] + samples[middle]) / 2.0)
    }
}

/// A run of benchmarks.
pub struct Bench<'a> {
    stopwatch: &'a mut dyn Stopwatch,
    /// Pairs of slices in which two engines are compared.
    pub pairs: usize,
    /// Measurements.
    pub figures: Vec<Figure>,
    /// What has been counted in clock cycles.
    pub rates: Option<Rates>,
    /// The same of phases, beside those of an H200.
    pub phases: Vec<Phase>,
    /// What could not be measured, and why.
    pub missing: Vec<String>,
}

impl<'a> Bench<'a> {
    /// Nothing measured yet.
    pub fn new(stopwatch: &'a mut dyn Stopwatch) -> Self {
        Self { stopwatch, pairs: 20, figures: Vec::new(), rates: None, phases: Vec::new(), missing: Vec::new() }
    }

    /// Measures a routine that does `count` of `unit` in each call.
    pub fn time<T>(
        &mut self,
        [suite, name, size, unit]: [&str; 4],
        count: u64,
        built: Option<Duration>,
        mut routine: impl FnMut() -> T,
    ) {
        let built_seconds = built.map(|built| built.as_secs_f64());
        let mut call = || drop(black_box(routine()));
        let Some(seconds) = self.stopwatch.seconds([suite, name, size], count, &mut call) else { return };
        let [suite, name, size, unit] = [suite, name, size, unit].map(str::to_owned);
        let per_second = count as f64 / seconds;
        let (ratio, instructions) = (None, None);
        self.figures.push(Figure { suite, name, size, unit, per_second, ratio, instructions, built_seconds });
    }

    /// Notes that something is missing.
    pub fn without(&mut self, what: &str, why: impl std::fmt::Display) {
        eprintln!("without {what}: {why}");
        self.missing.push(what.to_owned());
    }
}

/// The figures as people write them: `1.23 M`, `456 k`.
pub fn short(rate: f64) -> String {
    match rate {
        rate if rate >= 999_500.0 => format!("{:.2} M", rate / 1e6),
        rate if rate >= 9_995.0 => format!("{:.0} k", rate / 1e3),
        rate if rate >= 999.5 => format!("{:.2} k", rate / 1e3),
        rate => format!("{rate:.1}"),
    }
}

/// A figure beside the one that it is measured against: the first of its suite and size.
fn against(figures: &[Figure], figure: &Figure) -> Option<f64> {
    let first = figures.iter().find(|other| other.suite == figure.suite && other.size == figure.size)?;
    (first.name != figure.name).then(|| figure.per_second / first.per_second)
}

/// Rows of a table: suite, what, size, rate, against the first of its suite and size, instructions, seconds to build.
pub fn rows(figures: &[Figure]) -> Vec<[String; 7]> {
    let row = |figure: &Figure| {
        let Figure { suite, name, size, unit, per_second, ratio, instructions, built_seconds } = figure;
        let plain = || against(figures, figure).map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let against = ratio.map_or_else(plain, |ratio| ratio.to_string());
        let instructions = instructions.map_or(String::new(), |count| format!("{count:.0}"));
        let built = built_seconds.map_or(String::new(), |seconds| format!("{seconds:.0}"));
        let rate = format!("{} {unit}", short(*per_second));
        [suite.clone(), name.clone(), size.clone(), rate, against, instructions, built]
    };
    figures.iter().map(row).collect()
}

/// Titles of the columns of [`rows`].
pub const TITLES: [&str; 7] = ["suite", "what", "size", "a second", "of the first", "instructions each", "built, s"];

/// The figures in columns.
pub fn table(figures: &[Figure]) -> String {
    let rows: Vec<_> = std::iter::once(TITLES.map(str::to_owned)).chain(rows(figures)).collect();
    columns(&rows, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(name: &str, per_second: f64) -> Figure {
        let [suite, size, unit] = ["engines", "1x1", "cycles"].map(str::to_owned);
        let name = name.to_owned();
        Figure { suite, name, size, unit, per_second, ratio: None, instructions: None, built_seconds: None }
    }

    #[test]
    fn samples_hold_the_time_of_a_call() {
        let mut calls = 0;
        let mut samples = Samples { time: Duration::from_millis(40) };
        let call = Duration::from_millis(2);
        let seconds = samples.seconds(["suite", "name", "size"], 1, &mut || {
            calls += 1;
            std::thread::sleep(call);
        });
        // a call never takes less than it sleeps; each of the ten samples has at least one
        assert!(seconds.is_some_and(|seconds| seconds >= call.as_secs_f64()), "{seconds:?}");
        assert!(calls > 10, "{calls} calls");
    }

    #[test]
    fn rates_are_short() {
        let written = [1.0, 999.9, 1234.0, 12_345.0, 999_400.0, 1_234_567.0].map(short);
        assert_eq!(written, ["1.0", "1.00 k", "1.23 k", "12 k", "999 k", "1.23 M"]);
    }

    #[test]
    fn the_first_of_a_size_is_what_others_are_measured_against() {
        let table = table(&[figure("rtl", 4e6), figure("verilator", 2e6)]);
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["engines", "rtl", "1x1", "4.00", "M", "cycles"]);
        assert_eq!(lines[2], ["engines", "verilator", "1x1", "2.00", "M", "cycles", "0.50"]);
    }
}
