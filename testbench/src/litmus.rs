//! Litmus tests: small programs on several ports, run many times over with banks that stall at random, and a histogram of
//! what their registers ended with.
//!
//! A program has an outcome that shows accesses out of order: its *weak* outcome. With the orderings that forbid it, it must
//! never be seen; without them it must be seen now and then, or the test could not see anything. Every request is made as
//! soon as its port takes it: what keeps the order is the hardware, not the program.
//!
//! Locations are not reset between runs: a store writes a value of its own in each run, and a barrier goes on to its next
//! phase, so that "1" means the value, or the phase, of this run.

use crate::engine::Engine;
use crate::request::{Request, Response};
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::order::{Order, Semantics};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;

/// What a program works on; each in a bank of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A word of data.
    X,
    /// Another.
    Y,
    /// A barrier.
    Barrier,
}
use Place::{Barrier, X, Y};

/// One instruction of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub op: Op,
    /// To what.
    pub place: Place,
    /// Ordered how.
    pub order: Order,
}

/// A program and what may come of it.
#[derive(Clone, Debug)]
pub struct Litmus {
    /// Its name.
    pub name: &'static str,
    /// What is asked.
    pub question: &'static str,
    /// One list of steps a port.
    pub ports: Vec<Vec<Step>>,
    /// Registers (one for each load and wait, port by port) in the outcome that shows accesses out of order.
    pub weak: Vec<u8>,
    /// Whether that outcome may be seen.
    pub rule: Rule,
}

/// Whether an outcome may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The orderings forbid it.
    Forbidden,
    /// They allow it, and it must be seen, or the test could not see anything.
    Seen,
    /// They allow it, but this hardware has no way to it.
    Allowed,
}
use Rule::{Allowed, Forbidden, Seen};

const RELAXED: Semantics = Semantics::Relaxed;
const ACQUIRE: Semantics = Semantics::Acquire;
const RELEASE: Semantics = Semantics::Release;
const BOTH: Semantics = Semantics::AcquireRelease;

fn step(op: Op, place: Place, semantics: Semantics) -> Step {
    Step { op, place, order: Order::cta(semantics) }
}
fn load(place: Place, semantics: Semantics) -> Step {
    step(Op::Load, place, semantics)
}
fn store(place: Place, semantics: Semantics) -> Step {
    step(Op::Store, place, semantics)
}
fn on_barrier(op: Op, semantics: Semantics) -> Step {
    step(op, Barrier, semantics)
}
fn wait(semantics: Semantics) -> Step {
    on_barrier(Op::TryWaitParity, semantics)
}
/// The same step of the cluster.
fn cluster(step: Step) -> Step {
    Step { order: Order::cluster(step.order.semantics), ..step }
}

/// Every test.
#[rustfmt::skip] // one line a port, as litmus tests are written
pub fn all() -> Vec<Litmus> {
    let test = |name, question, ports: &[&[Step]], weak: &[u8], rule| Litmus {
        name,
        question,
        ports: ports.iter().map(|steps| steps.to_vec()).collect(),
        weak: weak.to_vec(),
        rule,
    };
    use Op::{Arrive, ArriveExpectTx, BulkCompleteTx, CpAsyncArrive};
    let message = "message passing: is the flag seen without the data?";
    let stores = "store buffering: does neither port see the other's store?";
    let loads = "load buffering: does each port read what the other stores later?";
    let iriw = "independent reads: do two ports see two stores in different orders?";
    let rule_1 = "test_wait rule 1: is data stored before arrive missing after the wait?";
    let rule_2 = "test_wait rule 2: is data of cp.async missing after the wait?";
    let rule_3 = "test_wait rule 3: is data of cp.async.bulk missing after the wait?";
    let rule_4 = "test_wait rule 4: does a load before arrive see a store after the wait?";
    let rule_5 = "test_wait rule 5: may a load between arrive and wait miss the other's data?";
    vec![
        test("MP+relaxed", message, &[&[store(X, RELAXED), store(Y, RELAXED)], &[load(Y, RELAXED), load(X, RELAXED)]], &[1, 0], Seen),
        test("MP+release+relaxed", message, &[&[store(X, RELAXED), store(Y, RELEASE)], &[load(Y, RELAXED), load(X, RELAXED)]], &[1, 0], Seen),
        test("MP+relaxed+acquire", message, &[&[store(X, RELAXED), store(Y, RELAXED)], &[load(Y, ACQUIRE), load(X, RELAXED)]], &[1, 0], Seen),
        test("MP+release+acquire", message, &[&[store(X, RELAXED), store(Y, RELEASE)], &[load(Y, ACQUIRE), load(X, RELAXED)]], &[1, 0], Forbidden),
        test("MP+release.cluster+acquire.cluster", message,
            &[&[store(X, RELAXED), cluster(store(Y, RELEASE))], &[cluster(load(Y, ACQUIRE)), load(X, RELAXED)]], &[1, 0], Forbidden),
        test("SB+relaxed", stores, &[&[store(X, RELAXED), load(Y, RELAXED)], &[store(Y, RELAXED), load(X, RELAXED)]], &[0, 0], Seen),
        test("SB+release+acquire", stores, &[&[store(X, RELEASE), load(Y, ACQUIRE)], &[store(Y, RELEASE), load(X, ACQUIRE)]], &[0, 0], Seen),
        test("SB+acq_rel", stores, &[&[store(X, BOTH), load(Y, BOTH)], &[store(Y, BOTH), load(X, BOTH)]], &[0, 0], Forbidden),
        test("LB+relaxed", loads, &[&[load(X, RELAXED), store(Y, RELAXED)], &[load(Y, RELAXED), store(X, RELAXED)]], &[1, 1], Seen),
        test("LB+acquire", loads, &[&[load(X, ACQUIRE), store(Y, RELAXED)], &[load(Y, ACQUIRE), store(X, RELAXED)]], &[1, 1], Forbidden),
        test("LB+release", loads, &[&[load(X, RELAXED), store(Y, RELEASE)], &[load(Y, RELAXED), store(X, RELEASE)]], &[1, 1], Forbidden),
        // loads of one word that wait for its bank are done together, so no store comes between them
        test("IRIW+relaxed", iriw, &[
            &[store(X, RELAXED)],
            &[store(Y, RELAXED)],
            &[load(X, RELAXED), load(Y, RELAXED)],
            &[load(Y, RELAXED), load(X, RELAXED)],
        ], &[1, 0, 1, 0], Allowed),
        test("IRIW+acquire", iriw, &[
            &[store(X, RELEASE)],
            &[store(Y, RELEASE)],
            &[load(X, ACQUIRE), load(Y, ACQUIRE)],
            &[load(Y, ACQUIRE), load(X, ACQUIRE)],
        ], &[1, 0, 1, 0], Forbidden),
        test("rule1+release+acquire", rule_1, &[
            &[store(X, RELAXED), on_barrier(Arrive, RELEASE)],
            &[wait(ACQUIRE), load(X, RELAXED)],
        ], &[1, 0], Forbidden),
        test("rule1+relaxed+acquire", rule_1, &[
            &[store(X, RELAXED), on_barrier(Arrive, RELAXED)],
            &[wait(ACQUIRE), load(X, RELAXED)],
        ], &[1, 0], Seen),
        test("rule1+release+relaxed", rule_1, &[
            &[store(X, RELAXED), on_barrier(Arrive, RELEASE)],
            &[wait(RELAXED), load(X, RELAXED)],
        ], &[1, 0], Seen),
        test("rule2+release+acquire", rule_2, &[
            &[store(X, RELAXED), on_barrier(CpAsyncArrive, RELEASE)],
            &[wait(ACQUIRE), load(X, RELAXED)],
        ], &[1, 0], Forbidden),
        test("rule2+relaxed+acquire", rule_2, &[
            &[store(X, RELAXED), on_barrier(CpAsyncArrive, RELAXED)],
            &[wait(ACQUIRE), load(X, RELAXED)],
        ], &[1, 0], Seen),
        test("rule3+release+acquire", rule_3, &[
            &[on_barrier(ArriveExpectTx, RELEASE)],
            &[store(X, RELAXED), on_barrier(BulkCompleteTx, RELEASE)],
            &[wait(ACQUIRE), load(X, RELAXED)],
        ], &[1, 0], Forbidden),
        test("rule3+relaxed+acquire", rule_3, &[
            &[on_barrier(ArriveExpectTx, RELEASE)],
            &[store(X, RELAXED), on_barrier(BulkCompleteTx, RELAXED)],
            &[wait(ACQUIRE), load(X, RELAXED)],
        ], &[1, 0], Seen),
        test("rule4+release+acquire", rule_4, &[
            &[load(X, RELAXED), on_barrier(Arrive, RELEASE)],
            &[wait(ACQUIRE), store(X, RELAXED)],
        ], &[1, 1], Forbidden),
        test("rule4+relaxed+acquire", rule_4, &[
            &[load(X, RELAXED), on_barrier(Arrive, RELAXED)],
            &[wait(ACQUIRE), store(X, RELAXED)],
        ], &[1, 1], Seen),
        test("rule4+release+relaxed", rule_4, &[
            &[load(X, RELAXED), on_barrier(Arrive, RELEASE)],
            &[wait(RELAXED), store(X, RELAXED)],
        ], &[1, 1], Seen),
        test("rule5+release+acquire", rule_5, &[
            &[on_barrier(Arrive, RELEASE), load(X, RELAXED), wait(ACQUIRE)],
            &[store(X, RELAXED), on_barrier(Arrive, RELEASE)],
        ], &[0, 1], Seen),
    ]
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            X => "x",
            Y => "y",
            Barrier => "b",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Step { op, place, order } = self;
        write!(f, "{}.{order} {}", op.name(), place.name())
    }
}

/// Whether a step fills a register.
fn reads(step: &Step) -> bool {
    matches!(step.op, Op::Load | Op::TryWaitParity)
}

impl Litmus {
    /// The test of this name.
    pub fn find(name: &str) -> Option<Litmus> {
        all().into_iter().find(|test| test.name == name)
    }

    /// The registers' names, `0:x` for what port 0 read from x.
    pub fn registers(&self) -> Vec<String> {
        let ports = self.ports.iter().enumerate();
        let of_port = |(port, steps): (usize, &Vec<Step>)| {
            let name = move |step: &Step| format!("{port}:{}", step.place.name());
            steps.iter().filter(|step| reads(step)).map(name).collect::<Vec<_>>()
        };
        ports.flat_map(of_port).collect()
    }

    /// Arrivals that a phase of the barrier waits for.
    fn arrivals(&self) -> u64 {
        let arrives = |step: &&Step| matches!(step.op, Op::Arrive | Op::ArriveExpectTx | Op::CpAsyncArrive);
        self.ports.iter().flatten().filter(arrives).count() as u64
    }
}

/// What came of a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Histogram {
    /// Name of the test.
    pub name: String,
    /// How often the program ran.
    pub runs: u64,
    /// Clock cycles, all runs together.
    pub cycles: u64,
    /// Whether the weak outcome may be seen.
    pub rule: Rule,
    /// How often it was.
    pub weak: u64,
    /// How often each outcome was seen, by the registers' values.
    pub outcomes: BTreeMap<String, u64>,
    /// What everything random followed from.
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
pub const PARAMETERS: Parameters =
    Parameters { ports: 4, banks: 4, words: 64, tag_bits: 4, number_bits: 2, ..Parameters::DEFAULT };

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

/// Runs one of the blocks that so many runs are cut into, each with a seed of its own: what comes of a block does not depend on
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_names_its_registers() {
        for test in all() {
            assert_eq!(test.registers().len(), test.weak.len(), "{}", test.name);
            assert!(Litmus::find(test.name).is_some() && test.ports.len() <= PARAMETERS.ports);
            assert!(test.ports.iter().all(|steps| steps.len() <= 1 << PARAMETERS.number_bits));
        }
        assert_eq!(Litmus::find("rule1+release+acquire").unwrap().registers(), ["1:b", "1:x"]);
        assert!(PARAMETERS.check().is_ok());
    }

    #[test]
    fn blocks_come_to_all_runs() {
        use crate::engine::rtl::Rtl;
        let test = Litmus::find("MP+relaxed").unwrap();
        let mut engine = Rtl::new(PARAMETERS);
        let mut block = |number| block(&mut engine, &test, BLOCK + 50, 7, number).unwrap();
        let (second, also, third) = (block(1), block(1), block(2));
        assert_eq!((second.runs, third.runs, second.seed), (50, 0, 7));
        assert_eq!(second.outcomes, also.outcomes, "a block does not depend on what ran before");
        let mut both = second.clone();
        both.add(&also);
        assert_eq!((both.runs, both.cycles, both.weak), (100, 2 * second.cycles, 2 * second.weak));
        assert_eq!(both.outcomes.values().sum::<u64>(), 100);
    }

    #[test]
    fn a_histogram_reads_as_litmus_tools_print_it() {
        let outcomes = BTreeMap::from([("*>1:y=1; 1:x=0;".to_owned(), 1), (":>1:y=0; 1:x=0;".to_owned(), 9)]);
        let histogram =
            Histogram { name: "MP".to_owned(), runs: 10, cycles: 1, rule: Forbidden, weak: 1, outcomes, seed: 0 };
        assert_eq!(
            histogram.to_string(),
            "Test MP Forbidden\nHistogram (2 states)\n1       *>1:y=1; 1:x=0;\n9       :>1:y=0; 1:x=0;\nNo\nWitnesses\n\
             Positive: 1, Negative: 9\nObservation MP Sometimes 1 9"
        );
    }
}
