//! Ways to events, as they are kept: what stands at the pins in each cycle, and the word at first. A way that a solver finds says
//! what every register and every wire may be; most of it does not matter, and it is different with every change of the
//! hardware. A way that is kept says only what the harness `events.sv` is given by name, and as little of it as leads to the event.
//!
//! ```text
//!   solver ─► steps ─► Way::of: only what has a name, as few of it as will do ─► synth/formal/ways/EVENT.json
//!                                                                                        │
//!   the hardware of today ─────────────────────────────────────────────► Way::steps ◄────┘ ─► reached? picture
//! ```

use super::aiger::literal;
use super::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Pins that are given in each cycle.
const PINS: &[&str] = &["req_valid", "req_op", "req_word", "req_data", "rsp_ready", "bank_stall"];

/// What is given at first: which word is looked at, and what is in it.
const AT_FIRST: &[&str] = &["chosen", "held_0"];

/// A way to an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// What is so at first, by name: hexadecimal numbers.
    pub first: Values,
    /// What is at the pins in each cycle, where it is not zero. The first two are those of reset.
    pub cycles: Vec<Values>,
}

/// Values of wires by name, in hexadecimal digits.
type Values = BTreeMap<String, String>;

/// The inputs of a circuit behind the bits of a wire, lowest first.
fn inputs(problem: &Problem, wire: &str) -> Option<Vec<usize>> {
    let circuit = &problem.circuit;
    let input_of = |bit: &u32| {
        // a value that is free at first comes through gates from one input
        let (mut found, mut open) = (None, vec![*bit as usize / 2]);
        while let Some(variable) = open.pop() {
            match variable {
                0 => {}
                variable if variable <= circuit.inputs => found = Some(variable - 1),
                variable if variable <= circuit.inputs + circuit.latches.len() => {}
                gate => {
                    let gate = circuit.gates[gate - 1 - circuit.inputs - circuit.latches.len()];
                    open.extend(gate.map(|literal| literal as usize / 2));
                }
            }
        }
        found
    };
    problem.wires.get(wire)?.iter().map(input_of).collect()
}

/// What these wires are in a cycle, but for those that are zero.
fn values(problem: &Problem, row: &[bool], names: &[&str]) -> Option<Values> {
    let value = |name: &&str| {
        let bits = problem.wires.get(*name)?.iter().enumerate();
        let value = bits.fold(0, |value, (bit, wire)| value | u128::from(literal(row, *wire)) << bit);
        Some(((*name).to_owned(), value))
    };
    let all: Option<Vec<_>> = names.iter().map(value).collect();
    Some(all?.into_iter().filter(|(_, value)| *value != 0).map(|(name, value)| (name, format!("{value:x}"))).collect())
}

impl Way {
    /// The way that these steps go to this event, and as little of it as leads there. Nothing if
    /// it depends on what has no name.
    pub fn of(problem: &Problem, event: &str, steps: &[Vec<bool>]) -> Option<Self> {
        let rows = problem.circuit.run(steps);
        let cycles = rows.iter().map(|row| values(problem, row, PINS)).collect::<Option<_>>()?;
        // what is in the pipeline at first may be written in the first cycle of reset
        let mut way = Self { first: values(problem, rows.get(1)?, AT_FIRST)?, cycles };
        if !way.reaches(problem, event) {
            return None;
        }
        for cycle in 0..way.cycles.len() {
            for name in PINS {
                let mut less = way.clone();
                if less.cycles[cycle].remove(*name).is_some() && less.reaches(problem, event) {
                    way = less;
                }
            }
        }
        Some(way)
    }

    /// The inputs of the circuit on this way, a row a cycle; nothing if a name is not there.
    pub fn steps(&self, problem: &Problem) -> Option<Vec<Vec<bool>>> {
        let mut steps = vec![vec![false; problem.circuit.inputs]; self.cycles.len()];
        let mut set = |cycle: usize, values: &Values| -> Option<()> {
            for (name, digits) in values {
                let value = u128::from_str_radix(digits, 16).ok()?;
                for (bit, input) in inputs(problem, name)?.into_iter().enumerate() {
                    steps[cycle][input] = value >> bit & 1 == 1;
                }
            }
            Some(())
        };
        set(0, &self.first)?;
        self.cycles.iter().enumerate().try_for_each(|(cycle, pins)| set(cycle, pins))?;
        // what is free at first may come through an inverter
        let row = problem.circuit.run(&steps[..1]).pop()?;
        for name in AT_FIRST {
            let digits = self.first.get(*name).map_or("0", String::as_str);
            let value = u128::from_str_radix(digits, 16).ok()?;
            for (bit, (input, wire)) in inputs(problem, name)?.into_iter().zip(&problem.wires[*name]).enumerate() {
                if literal(&row, *wire) != (value >> bit & 1 == 1) {
                    steps[0][input] ^= true;
                }
            }
        }
        Some(steps)
    }

    /// Whether it leads to this event, in its last cycle, on the hardware of the problem.
    pub fn reaches(&self, problem: &Problem, event: &str) -> bool {
        let (Some(steps), Some(never)) = (self.steps(problem), problem.covers.get(event)) else { return false };
        let rows = problem.circuit.run(&steps);
        let counts = rows.iter().all(|row| problem.circuit.constraints.iter().all(|always| literal(row, *always)));
        counts && rows.last().is_some_and(|row| literal(row, *never))
    }
}
