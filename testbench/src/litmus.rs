//! Litmus tests: small programs on several ports, run many times over with banks that stall at random, and a histogram of
//! what their registers ended with. The programs are here; `litmus/play.rs` runs them.
//!
//! A program has an outcome that shows accesses out of order: its *weak* outcome. With the orderings that forbid it, it must
//! never be seen; without them it must be seen now and then, or the test could not see anything. Every request is made as
//! soon as its port takes it: what keeps the order is the hardware, not the program.
//!
//! Locations are not reset between runs: a store writes a value of its own in each run, and a barrier goes on to its next
//! phase, so that "1" means the value, or the phase, of this run.

mod play;

pub use play::{BLOCK, Histogram, PARAMETERS, block, run};

use serde::{Deserialize, Serialize};
use std::fmt;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::{Order, Semantics};

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

/// An instruction of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Operation.
    pub op: Op,
    /// To what.
    pub place: Place,
    /// Ordered how.
    pub order: Order,
}

/// A program and what may come of it.
#[derive(Clone, Debug)]
pub struct Litmus {
    /// Name.
    pub name: &'static str,
    /// Request.
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
    /// Allowed by the rules, and must be observed, or the test could not observe anything.
    Seen,
    /// Allowed by the rules, but not reachable in this hardware.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

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
