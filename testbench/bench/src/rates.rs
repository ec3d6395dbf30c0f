//! Rates and latencies in clock cycles. They follow from the design alone: every run of this gives the same figures, on any
//! machine.
//!
//! All of them are taken from runs under the scoreboard, so that what is counted is also right.

use rand::prelude::*;
use rand::rngs::StdRng;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_synth::frontier;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::{Request, Response};
use txbar_testbench::run::{self, Observer, Script};
use txbar_testbench::traffic::{Conditions, Pattern, Plan};

/// Everything that is counted in cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Requests a cycle of one port on one bank, by the pattern of its addresses.
    pub one_bank: BTreeMap<String, f64>,
    /// Requests a cycle of 4 ports on 8 banks and random words.
    pub random_words: f64,
    /// Cycles from a request to its answer, if nobody is in the way, by build.
    pub latency: BTreeMap<String, usize>,
    /// 4 ports on one barrier, by build: arrivals accepted a cycle, by the number of arrivals that a phase takes.
    pub phases: BTreeMap<String, BTreeMap<u32, f64>>,
    /// Arrivals a cycle, where each request of the 4 ports arrives for a warp of 32.
    pub warps: f64,
    /// Waits on one barrier, by unit.
    pub wakes: Vec<Wake>,
}

/// How waits on one barrier are woken. Cycles count from the one in which the last arrival was accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wake {
    /// The unit: its build, ports and banks.
    pub unit: String,
    /// Number of waits.
    pub waits: usize,
    /// Cycles until `wake_valid` tells of all.
    pub told: u64,
    /// Cycles until the first of their answers is at its port.
    pub first_answer: u64,
    /// Cycles until the last of their answers is at its port.
    pub last_answer: u64,
}

/// Requests of a run that a rate is taken from.
const OPERATIONS: u64 = 100_000;
/// Arrivals that a number of them a phase is tried with.
const ARRIVALS: u32 = 6_000;
/// Arrivals of a phase that are tried.
pub const PHASES: [u32; 13] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 32, 33];

const BARRIER: u32 = 0x40;
const LOW_LATENCY: Parameters = Parameters::DEFAULT;

/// The banked high-clock unit of the same size.
fn high_clock() -> Parameters {
    Parameters::banked_high_clock(LOW_LATENCY.ports, LOW_LATENCY.banks)
}

/// Measures all of it: some seconds.
pub fn measure() -> Rates {
    let patterns = [("same", Pattern::Same), ("neighbours", Pattern::Neighbours), ("random", Pattern::Random)];
    let one = Parameters { ports: 1, banks: 1, waiters: 0, ..LOW_LATENCY };
    let by_build = || [LOW_LATENCY, high_clock()].into_iter().map(|unit| (unit.build.name().to_owned(), unit));
    let single = Parameters { ports: 1, banks: 1, ..LOW_LATENCY };
    Rates {
        one_bank: patterns.map(|(name, pattern)| (name.to_owned(), rate(one, pattern))).into(),
        random_words: rate(LOW_LATENCY, Pattern::Random),
        latency: by_build().map(|(name, parameters)| (name, latency(parameters))).collect(),
        phases: by_build()
            .map(|(name, parameters)| (name, PHASES.map(|n| (n, arrivals(parameters, n, 1))).into()))
            .collect(),
        warps: arrivals(LOW_LATENCY, 32 * 400, 32),
        wakes: [(single, 1), (single, 31), (LOW_LATENCY, 1), (LOW_LATENCY, 31), (high_clock(), 1)]
            .map(|(parameters, waits)| wake(parameters, waits))
            .into(),
    }
}

/// What a unit of any size does, for [`frontier`]: a second or two.
pub fn of_unit(parameters: Parameters) -> frontier::Rates {
    frontier::Rates {
        random_words: stream(parameters, 32, 1, parameters.words),
        one_barrier: arrivals(parameters, 32, 1),
        latency: latency(parameters),
    }
}

/// Columns of [`Rates::rows`].
pub const TITLES: [&str; 3] = ["what", "unit", "figure"];

impl Rates {
    /// All of it, a line each: what, of which unit, and the figure.
    pub fn rows(&self) -> Vec<[String; 3]> {
        let mut rows = Vec::new();
        let mut row = |what: String, unit: &str, figure: String| rows.push([what, unit.to_owned(), figure]);
        for (pattern, rate) in &self.one_bank {
            row(format!("requests a cycle, {pattern}"), "low-latency 1x1", format!("{rate:.3}"));
        }
        row("requests a cycle, random words".to_owned(), "low-latency 4x8", format!("{:.2}", self.random_words));
        row(
            "arrivals a cycle on one barrier, 32 a request".to_owned(),
            "low-latency 4x8",
            format!("{:.1}", self.warps),
        );
        for (build, latency) in &self.latency {
            row("request to answer".to_owned(), &format!("{build} 4x8"), format!("{latency} cycles"));
        }
        for (build, phases) in &self.phases {
            let figures: BTreeSet<String> = phases.values().map(|rate| format!("{rate:.3}")).collect();
            for figure in figures {
                let same = phases.iter().filter(|(_, rate)| format!("{rate:.3}") == figure);
                let numbers = same.map(|(n, _)| n.to_string()).collect::<Vec<_>>().join(", ");
                row(format!("arrivals a cycle on one barrier, {numbers} a phase"), &format!("{build} 4x8"), figure);
            }
        }
        for Wake { unit, waits, told, first_answer, last_answer } in &self.wakes {
            let what = format!("last arrival to wake_valid, first and last answer of {waits} waits");
            row(what, unit, format!("{told}, {first_answer}, {last_answer} cycles"));
        }
        rows
    }
}

/// What goes wrong in no run of a sound unit.
const SOUND: &str = "the unit is sound";

fn rate(parameters: Parameters, pattern: Pattern) -> f64 {
    let plan = Plan { pattern, ..Plan::new(1, OPERATIONS) };
    let report = run::plan(&mut Rtl::new(parameters), &plan, &mut run::Unobserved).expect(SOUND);
    report.operations_per_cycle
}

/// Events and their cycles.
#[derive(Default)]
struct Log {
    /// Cycle and request.
    accepted: Vec<(u64, Request)>,
    /// Cycle, tag and predicate of each answer, when it is taken: at once, where ports are always ready.
    answers: Vec<(u64, u16, bool)>,
    told: Option<u64>,
}

impl<E: Engine> Observer<E> for Log {
    fn settled(&mut self, engine: &E, cycle: u64) {
        if engine.woken() != 0 {
            self.told = self.told.or(Some(cycle));
        }
    }
    fn accepted(&mut self, cycle: u64, _port: usize, request: &Request) {
        self.accepted.push((cycle, *request));
    }
    fn answered(&mut self, cycle: u64, _port: usize, response: &Response) {
        self.answers.push((cycle, response.tag, response.predicate));
    }
}

fn play(parameters: Parameters, script: Script) -> Log {
    let mut log = Log::default();
    run::source(&mut Rtl::new(parameters), script, Conditions::CALM, &mut log).expect(SOUND);
    log
}

fn latency(parameters: Parameters) -> usize {
    let mut script = Script::new(parameters.ports);
    for op in [Op::Init, Op::Arrive, Op::TestWaitParity, Op::Load] {
        script.push(0, 60, Request::new(op, BARRIER).with(1));
    }
    let report = run::source(&mut Rtl::new(parameters), script, Conditions::CALM, &mut run::Unobserved).expect(SOUND);
    report.latency_cycles.max
}

/// All ports stream arrivals to one barrier, whose phases take `n` of them: arrivals a cycle, from the first to the last.
/// Each request arrives `each` times.
fn arrivals(parameters: Parameters, n: u32, each: u32) -> f64 {
    stream(parameters, n, each, 1)
}

/// The same to this many barriers, drawn at random for each request.
fn stream(parameters: Parameters, n: u32, each: u32, barriers: usize) -> f64 {
    let mut script = Script::new(parameters.ports);
    let address = |barrier: usize| if barriers == 1 { BARRIER } else { barrier as u32 * 8 };
    for barrier in 0..barriers {
        script.push(0, 0, Request::new(Op::Init, address(barrier)).with(n.into()));
    }
    let mut random = StdRng::seed_from_u64(1);
    for port in 0..parameters.ports {
        for round in 0..ARRIVALS / parameters.ports as u32 {
            // all begin in one cycle, after the barriers are there
            let pause = if round > 0 { 0 } else { 60 + if port > 0 { barriers as u32 } else { 0 } };
            let address = address(random.random_range(0..barriers));
            script.push(port, pause, Request::new(Op::Arrive, address).with(each.into()));
        }
    }
    let log = play(parameters, script);
    let cycles = || log.accepted.iter().filter(|(_, request)| request.op == Op::Arrive.code()).map(|(cycle, _)| *cycle);
    let (first, last) = (cycles().min().expect("there are arrivals"), cycles().max().expect("there are arrivals"));
    f64::from(each) * cycles().count() as f64 / (last - first + 1) as f64
}

/// So many waits on one barrier, spread over the ports, and the arrival that ends its phase.
fn wake(parameters: Parameters, waits: usize) -> Wake {
    let mut script = Script::new(parameters.ports);
    script.push(0, 0, Request::new(Op::Init, BARRIER).with(1));
    for wait in 0..waits {
        let pause = if wait < parameters.ports { 60 } else { 0 };
        let request = Request::new(Op::TryWait, BARRIER).with(1_000_000).tagged(wait as u16);
        script.push(wait % parameters.ports, pause, request);
    }
    let arrival = 200;
    script.push(0, 100, Request::new(Op::Arrive, BARRIER).with(1).tagged(arrival));
    let log = play(parameters, script);
    let arrived = log.accepted.iter().find(|(_, request)| request.tag == arrival).expect("it was accepted").0;
    let answers = log.answers.iter().filter(|(cycle, tag, predicate)| *cycle > arrived && *tag < arrival && *predicate);
    let shown: Vec<u64> = answers.map(|(cycle, ..)| cycle - arrived).take(waits).collect();
    assert_eq!(shown.len(), waits, "all were suspended, and woken");
    Wake {
        unit: unit(&parameters),
        waits,
        told: log.told.expect("they are woken") - arrived,
        first_answer: shown.iter().copied().min().expect("there are waits"),
        last_answer: shown.iter().copied().max().expect("there are waits"),
    }
}

/// A unit as the tables call it.
fn unit(parameters: &Parameters) -> String {
    format!("{} {}x{}", parameters.build.name(), parameters.ports, parameters.banks)
}
