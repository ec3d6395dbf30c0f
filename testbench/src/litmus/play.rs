//! Runs litmus tests on an engine and counts their outcomes.

use super::Rule::{Allowed, Forbidden, Seen};
use super::{Barrier, Litmus, Place, Rule, Step, reads};
use crate::engine::Engine;
use crate::request::{Request, Response};
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;

/// Outcomes of a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Histogram {
    /// Name of the test.
    pub name: String,
    /// Number of runs.
    pub runs: u64,
    /// Clock cycles, all runs together.
    pub cycles: u64,
    /// Whether the weak outcome may be seen.
    pub rule: Rule,
    /// Number of weak outcomes.
    pub weak: u64,
    /// How often each outcome was seen, by the registers' values.
    pub outcomes: BTreeMap<String, u64>,
    /// Random seed.
    pub seed: u64,
}

impl Histogram {
    /// Whether the weak outcome was never seen where it is forbidden, and was seen where it must be.
    pub fn is_as_it_should(&self) -> bool {
        match self.rule {
            Forbidden => self.weak == 0,
            Seen => self.weak > 0,
            Allowed => true,
        }
    }

    /// Adds more runs of the same test. It does not matter which are added to which.
    pub fn add(&mut self, other: &Histogram) {
        self.runs += other.runs;
        self.cycles += other.cycles;
        self.weak += other.weak;
        for (outcome, count) in &other.outcomes {
            *self.outcomes.entry(outcome.clone()).or_insert(0) += count;
        }
    }
}

/// As litmus tools print it: `*>` marks the weak outcome.
impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { name, runs, rule, weak, outcomes, .. } = self;
        writeln!(f, "Test {name} {}", if *rule == Forbidden { "Forbidden" } else { "Allowed" })?;
        writeln!(f, "Histogram ({} states)", outcomes.len())?;
        for (outcome, count) in outcomes {
            writeln!(f, "{count:<8}{outcome}")?;
        }
        let verdict = if self.is_as_it_should() { "Ok" } else { "No" };
        writeln!(f, "{verdict}\nWitnesses\nPositive: {weak}, Negative: {}", runs - weak)?;
        let observed = match weak {
            0 => "Never",
            _ if weak == runs => "Always",
            _ => "Sometimes",
        };
        write!(f, "Observation {name} {observed} {weak} {}", runs - weak)
    }
}

/// What litmus tests run on: four ports, and requests of one thread that can be told apart.
pub const PARAMETERS: Parameters = Parameters {
    ports: 4,
    banks: 4,
    words: 64,
    tag_bits: 4,
    number_bits: 2,
    waiters: 8,
    counters: false,
    ..Parameters::DEFAULT
};

/// Words that a copy of the places is spread over.
const COPY: usize = 8;

/// Cycles after which a run is called stuck.
const PATIENCE: u64 = 10_000;

/// What is asked of one step.
#[derive(Clone, Copy)]
struct Issue {
    request: Request,
    reads: bool,
}

/// Runs of a block, at most.
pub const BLOCK: u64 = 100_000;

/// Runs one of the blocks that this many runs are cut into, each with a seed of its own: what comes of a block does not depend on
/// the others, so that they can be run at once, or on several machines. The first has the seed that is given; the histogram
/// tells that one of every block.
///
/// # Errors
/// As those of [`run`].
pub fn block(engine: &mut impl Engine, test: &Litmus, runs: u64, seed: u64, number: u64) -> Result<Histogram, String> {
    let of_block = runs.saturating_sub(number.saturating_mul(BLOCK)).min(BLOCK);
    let histogram = run(engine, test, of_block, seed.wrapping_add(number << 32))?;
    Ok(Histogram { seed, ..histogram })
}

/// One run's thread: what it has to issue, and what it still waits for.
struct Thread {
    issues: Vec<Issue>,
    next: usize,
    pause: u64,
    answers: Vec<Option<Response>>,
    unanswered: usize,
}

/// Runs a test so many times on an engine that was built for at least as much as [`PARAMETERS`].
///
/// # Errors
/// What happened that no program should see: a fault, or a run without an end.
pub fn run(engine: &mut impl Engine, test: &Litmus, runs: u64, seed: u64) -> Result<Histogram, String> {
    let parameters = *engine.parameters();
    let copies = parameters.words / COPY;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    engine.reset();
    let address = |place: Place, copy: usize| {
        // each place in a bank of its own, another one in each copy
        let spread = if parameters.banks >= 4 { (place as usize + copy) % 4 } else { place as usize };
        ((copy * COPY + spread) * 8) as u32
    };
    let mut cycles = 0;
    let mut phases = vec![0u64; copies];
    for copy in 0..copies {
        let init = Request::new(Op::Init, address(Barrier, copy)).with(test.arrivals().max(1));
        let mut threads = [Thread::of(vec![Issue { request: init, reads: false }], 0)];
        cycles += play(engine, &mut threads, &mut rng, cycles)?;
    }
    let registers = test.registers();
    let mut outcomes = BTreeMap::new();
    let mut weak = 0;
    for number in 0..runs {
        let copy = rng.random_range(0..copies);
        let value = number + 1;
        let mut threads: Vec<Thread> = Vec::new();
        for (port, steps) in test.ports.iter().enumerate() {
            let issue = |(number, step): (usize, &Step)| {
                let data = match step.op {
                    Op::Store => value,
                    Op::ArriveExpectTx | Op::BulkCompleteTx => 16,
                    Op::TryWaitParity => u64::from(NO_LIMIT) << 32 | phases[copy] & 1,
                    _ => 1,
                };
                let tag = (port << parameters.number_bits | number) as u16;
                let request = Request::new(step.op, address(step.place, copy)).with(data).tagged(tag);
                Issue { request: request.ordered(step.order), reads: reads(step) }
            };
            threads.push(Thread::of(steps.iter().enumerate().map(issue).collect(), rng.random_range(0..6)));
        }
        cycles += play(engine, &mut threads, &mut rng, cycles)?;
        phases[copy] += (test.arrivals() > 0) as u64;
        let read: Vec<u8> = threads.iter().flat_map(|thread| thread.registers(value)).collect();
        let is_weak = read == test.weak;
        weak += is_weak as u64;
        let text: Vec<String> = registers.iter().zip(&read).map(|(name, value)| format!("{name}={value};")).collect();
        let mark = if is_weak { "*>" } else { ":>" };
        *outcomes.entry(format!("{mark}{}", text.join(" "))).or_insert(0) += 1;
    }
    Ok(Histogram { name: test.name.to_owned(), runs, cycles, rule: test.rule, weak, outcomes, seed })
}

impl Thread {
    fn of(issues: Vec<Issue>, pause: u64) -> Self {
        let unanswered = issues.iter().filter(|issue| !issue.request.is_posted()).count();
        Self { answers: vec![None; issues.len()], issues, next: 0, pause, unanswered }
    }

    /// The registers' values: 1 for the value, or the completed phase, of this run.
    fn registers(&self, value: u64) -> impl Iterator<Item = u8> {
        self.issues
            .iter()
            .zip(&self.answers)
            .filter(|(issue, _)| issue.reads)
            .map(move |(_, answer)| answer.is_some_and(|answer| answer.predicate || answer.data == value) as u8)
    }
}

/// Runs the threads to their end, with banks that stall at random, and then until nothing is under way; gives the cycles
/// that it took.
fn play(
    engine: &mut impl Engine,
    threads: &mut [Thread],
    rng: &mut Xoshiro256PlusPlus,
    began: u64,
) -> Result<u64, String> {
    let Parameters { ports, banks, number_bits, .. } = *engine.parameters();
    // banks, and accesses to other CTAs, are busy for eight cycles on average and then free for as long
    let mut turns = |bits: usize| rng.random::<u64>() & rng.random::<u64>() & rng.random::<u64>() & ((1 << bits) - 1);
    let (mut stalled, mut remote_pending) = (0, 0);
    engine.drive_ready((1 << ports) - 1);
    let mut cycle = 0;
    let mut posted = 0; // what is posted has no answer that could be waited for: it is done after so many quiet cycles
    while posted < 2 * engine.parameters().latency() {
        let mut valid = 0;
        for (port, thread) in threads.iter().enumerate() {
            if let Some(issue) = thread.issues.get(thread.next)
                && cycle >= thread.pause
            {
                engine.drive_request(port, &issue.request);
                valid |= 1 << port;
            }
        }
        let over = threads.iter().all(|thread| thread.unanswered == 0 && thread.next == thread.issues.len());
        engine.drive_valid(valid);
        // at the end the banks are left alone, so that everything gets through
        (stalled, remote_pending) = if over { (0, 0) } else { (stalled ^ turns(banks), remote_pending ^ turns(ports)) };
        engine.drive_others(stalled, remote_pending);
        engine.settle();
        let (accepted, shown) = (engine.accepted(), engine.shown());
        for (port, thread) in threads.iter_mut().enumerate() {
            if accepted >> port & 1 != 0 {
                thread.next += 1;
                thread.pause = cycle + 1 + (turns(4) & 1);
            }
            if shown >> port & 1 != 0 {
                let response = engine.response(port);
                let number = usize::from(response.tag) & ((1 << number_bits) - 1);
                if response.status != Status::Ok.code() {
                    return Err(format!("cycle {}: port {port} is answered `{response}`", began + cycle));
                }
                thread.answers[number] = Some(response);
                thread.unanswered -= 1;
            }
        }
        engine.clock();
        cycle += 1;
        posted = if over { posted + 1 } else { 0 };
        if cycle > PATIENCE {
            return Err(format!("nothing has come to an end since cycle {began}"));
        }
    }
    Ok(cycle)
}
