//! Runs with parameters drawn at random: design, traffic, stalls and seed.
//!
//! What is found so needs no idea of where to look. A run is reported as the command that repeats it.

use crate::cluster::traffic as cluster;
use crate::engine::rtl::Rtl;
use crate::run::{self, Until};
use crate::traffic::{Mix, Pattern, Plan};
use crate::warp::engine::Rtl as WarpRtl;
use crate::warp::traffic as warp;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::{Build, Design, Parameters};
use txbar_rtl::warp::parameters::WarpParameters;

/// Names that a mix is drawn from: no operation is in two of them.
const MIXED: [&str; 11] =
    ["load", "store", "init", "inval", "arrive", "drop", "expect", "complete", "test", "try", "copy"];

/// Lanes of a warp.
const LANES: [usize; 5] = [1, 4, 8, 16, 32];

/// A run that has been drawn.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// Of a unit; with the mix of operations as it is written, if it is not the usual one.
    Unit(Parameters, Plan, Option<String>),
    /// Of a unit with ports for warps.
    Warps(warp::Plan),
    /// Of a cluster.
    Cluster(cluster::Plan),
}

/// One of these.
fn one<T: Copy>(rng: &mut impl Rng, of: &[T]) -> T {
    *of.choose(rng).expect("there are some")
}

/// One of these, or any other of a range.
fn near(rng: &mut impl Rng, of: &[usize], range: RangeInclusive<usize>) -> usize {
    if rng.random_range(0..3) == 0 { rng.random_range(range) } else { one(rng, of) }
}

/// Clock cycles of a run of a cluster or of warps: this many at most, but for one run of sixteen, which may have five times as many. What
/// needs many cycles, or many chances, is met by those.
fn cycles(rng: &mut impl Rng, most: u64) -> u64 {
    let most = if rng.random_range(0..16) == 0 { 5 * most } else { most };
    rng.random_range(1..=most.max(1))
}

/// A power of two up to this one.
fn power(rng: &mut impl Rng, most: u32) -> usize {
    1 << rng.random_range(0..=most)
}

impl Drawn {
    /// Draws a run of at most this many requests, or, of a cluster or of warps, a fifth of this many cycles (but see `cycles`). What cannot be built is
    /// drawn again.
    pub fn draw(rng: &mut impl Rng, length: u64) -> Self {
        loop {
            let drawn = match rng.random_range(0..8) {
                0..2 => Self::cluster(rng, length / 5),
                2 => Self::warps(rng, length / 5),
                _ => Self::unit(rng, length),
            };
            if let Some(drawn) = drawn {
                return drawn;
            }
        }
    }

    fn parameters(rng: &mut impl Rng, build: Build) -> Parameters {
        let low_latency = build == Build::LowLatency;
        let one_port = build == Build::HighClock;
        let tag_bits = one(rng, &[1, 1, 2, 3, 4, 6, 8, 12]);
        let wake_mask = low_latency && rng.random_range(0..4) == 0;
        let clock_ns = near(rng, &[1, 3, 10, 100, 1000], 1..=1000);
        Parameters {
            build,
            ports: if one_port { 1 } else { rng.random_range(1..=8) },
            banks: power(
                rng,
                if one_port {
                    0
                } else if low_latency {
                    5
                } else {
                    3
                },
            ),
            words: 16 * power(rng, 8),
            tag_bits,
            number_bits: if rng.random() { 0 } else { rng.random_range(0..tag_bits) },
            queue_depth: if low_latency { near(rng, &[1, 2, 3, 6, 8, 17, 64], 1..=64) } else { 32 },
            waiters: if one_port { 0 } else { near(rng, &[0, 1, 2, 8, 32, 64], 0..=64) },
            wake_mask,
            whole_groups: !low_latency || rng.random_range(0..4) != 0,
            clock_ns,
            clock_ps: if clock_ns < 1000 && rng.random_range(0..4) == 0 { rng.random_range(0..1000) } else { 0 },
            counters: low_latency && !wake_mask && rng.random(),
            checked: low_latency && rng.random(),
        }
    }

    fn unit(rng: &mut impl Rng, length: u64) -> Option<Self> {
        let build = one(rng, &[Build::LowLatency, Build::LowLatency, Build::HighClock, Build::BankedHighClock]);
        let parameters = Self::parameters(rng, build).check().ok()?;
        let mix = rng.random::<bool>().then(|| {
            let mut names = MIXED;
            names.shuffle(rng);
            names[..5].iter().map(|name| format!("{name}={}", rng.random_range(1..=6))).collect::<Vec<_>>().join(",")
        });
        let plan = Plan {
            seed: rng.random::<u32>().into(),
            operations: rng.random_range(1..=length),
            stall: one(rng, &[0, 0, 5, 30, 80]),
            bank_stall: one(rng, &[0, 0, 10, 50]),
            pattern: one(rng, &[Pattern::Hot, Pattern::Same, Pattern::Neighbours, Pattern::Random]),
            hot_spot: one(rng, &[0, 0, 8, 55]),
            mix: mix.as_deref().map_or(Ok(Mix::default()), str::parse).ok()?,
            roles: rng.random_range(0..4) == 0,
        };
        Some(Self::Unit(parameters, plan, mix))
    }

    fn warps(rng: &mut impl Rng, length: u64) -> Option<Self> {
        let any = Self::parameters(rng, Build::LowLatency);
        let unit = Parameters {
            ports: rng.random_range(1..=4),
            tag_bits: one(rng, &[5, 6, 8, 12]),
            number_bits: 0,
            wake_mask: false,
            checked: false,
            ..any
        };
        let (lanes, warp_ports, memory) = (one(rng, &LANES), rng.random_range(1..=4), rng.random());
        let parameters = WarpParameters { unit, lanes, warp_ports, memory };
        let plan = warp::Plan {
            parameters: parameters.check().ok()?,
            seed: rng.random::<u32>().into(),
            cycles: cycles(rng, length),
            stall: one(rng, &[0, 0, 5, 30, 80]),
        };
        plan.check().ok()?;
        Some(Self::Warps(plan))
    }

    fn cluster(rng: &mut impl Rng, length: u64) -> Option<Self> {
        let warps = near(rng, &[1, 2, 4, 8, 32], 1..=32);
        let lanes = if rng.random() { one(rng, &LANES) } else { 0 };
        let warp_memory = lanes > 0 && rng.random();
        let any = Self::parameters(rng, Build::LowLatency);
        let unit = Parameters {
            wake_mask: any.wake_mask && lanes == 0,
            checked: any.checked && !warp_memory,
            tag_bits: if lanes > 0 { any.tag_bits.max(5 + any.number_bits) } else { any.tag_bits },
            ..any
        };
        let parameters = ClusterParameters {
            unit,
            ctas: rng.random_range(1..=8),
            link_cycles: near(rng, &[1, 2, 3, 8, 64], 1..=64),
            remote_depth: near(rng, &[1, 2, 8, 32, 64], 1..=64),
            warps,
            copiers: warps.max(near(rng, &[1, 2, 4, 8, 16, 32, 64], 1..=64)),
            outstanding: power(rng, 5),
            bursts: rng.random_range(1..=16),
            tensors: near(rng, &[0, 0, 1, 3, 16], 0..=16),
            lanes,
            warp_memory,
        };
        let plan = cluster::Plan {
            parameters: parameters.check().ok()?,
            seed: rng.random::<u32>().into(),
            cycles: cycles(rng, length),
            stall: one(rng, &[0, 0, 5, 30, 80]),
            rush: rng.random(),
        };
        plan.check().ok()?;
        Some(Self::Cluster(plan))
    }

    /// Runs it; gives the clock cycles that it took, or nothing if it was stopped.
    ///
    /// # Errors
    /// What went wrong.
    pub fn run(&self, stops: fn() -> bool) -> Result<Option<u64>, String> {
        let run = || match self {
            Drawn::Unit(parameters, plan, _) => run::plan(&mut Rtl::new(*parameters), plan, &mut Until(stops))
                .map(|report| (report.cycles, report.stopped)),
            Drawn::Warps(plan) => plan
                .run_until(stops, &mut WarpRtl::new(plan.parameters), &mut |_, _| {})
                .map(|report| (report.cycles, report.stopped)),
            Drawn::Cluster(plan) => {
                plan.run_until(stops, &mut |_, _| {}, |_, _| {}).map(|report| (report.cycles, report.stopped))
            }
        };
        let run = || run().map(|(cycles, stopped)| (!stopped).then_some(cycles)).map_err(|failure| failure.to_string());
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("it panics".to_owned()))
    }
}

/// The command that repeats it.
impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "txbar sim")?;
        let options = |f: &mut fmt::Formatter, list: Vec<(&str, String)>| {
            list.iter().try_for_each(|(name, value)| write!(f, " --{name}={value}"))
        };
        match self {
            Drawn::Unit(parameters, plan, mix) => {
                options(f, parameters.list())?;
                let Plan { seed, operations, stall, bank_stall, pattern, hot_spot, .. } = plan;
                let pattern = format!("{pattern:?}").to_lowercase();
                write!(f, " --seed {seed} --ops {operations} --stall {stall} --bank-stall {bank_stall}")?;
                write!(f, " --pattern {pattern} --hot-spot {}", f64::from(*hot_spot) / 100.0)?;
                mix.iter().try_for_each(|mix| write!(f, " --mix {mix}"))?;
                if plan.roles { write!(f, " --roles") } else { Ok(()) }
            }
            Drawn::Warps(plan) => {
                options(f, plan.parameters.list())?;
                let warp::Plan { seed, cycles, stall, .. } = plan;
                write!(f, " --seed {seed} --cycles {cycles} --stall {stall}")
            }
            Drawn::Cluster(plan) => {
                options(f, plan.parameters.list())?;
                let cluster::Plan { seed, cycles, stall, rush, .. } = plan;
                write!(f, " --seed {seed} --cycles {cycles} --stall {stall}{}", if *rush { " --rush" } else { "" })
            }
        }
    }
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// Its number, from 0.
    pub number: u64,
    /// The command that repeats it.
    pub command: String,
    /// Description of the error.
    pub what: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}\n{}", self.command, self.what)
    }
}

/// Results of random runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// Number of runs.
    pub runs: u64,
    /// Clock cycles of those that went well.
    pub cycles: u64,
    /// Those that failed, in their order.
    pub failed: Vec<Failed>,
    /// Runs that were not made, or not to their end, because somebody has stopped them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stopped: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Runs {
    /// The same with other runs. It does not matter which are added to which.
    pub fn with(mut self, other: Runs) -> Runs {
        self.runs += other.runs;
        self.cycles += other.cycles;
        self.stopped += other.stopped;
        self.failed.extend(other.failed);
        self.failed.sort_by_key(|failed| failed.number);
        self
    }
}

/// Draws runs and runs them, on all cores, until `stops` says so. Everything follows from the seed and a run's number. `done` is called for
/// each that has ended.
pub fn run(
    numbers: impl ParallelIterator<Item = u64>,
    length: u64,
    seed: u64,
    stops: fn() -> bool,
    done: impl Fn() + Sync + Send,
) -> Runs {
    let one = |number: u64| {
        if stops() {
            return Runs { stopped: 1, ..Runs::default() };
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(number << 32));
        let drawn = Drawn::draw(&mut rng, length);
        let result = drawn.run(stops);
        done();
        match result {
            Ok(Some(cycles)) => Runs { runs: 1, cycles, ..Runs::default() },
            Ok(None) => Runs { stopped: 1, ..Runs::default() },
            Err(what) => {
                let failed = Failed { number, command: drawn.to_string(), what };
                Runs { runs: 1, failed: vec![failed], ..Runs::default() }
            }
        }
    };
    numbers.map(one).reduce(Runs::default, Runs::with)
}
