//! Formal proofs on the exported Verilog.
//!
//! A proof is a harness in SystemVerilog (`synth/formal/`) around an exported module: it drives the inputs with anything that
//! its assumptions allow, and asserts what must hold. Yosys makes a circuit of it, abc looks for inputs that break an
//! assertion. What it finds is run on the circuit and written as VCD, with every wire by its name.
//!
//! ```text
//!   list ─► problem (Yosys) ─► solve (abc) ─┬─► proved, or sound for this many cycles
//!                                           └─► inputs ─► aiger (runs them) ─► trace (VCD)
//! ```
//! | module | what it is |
//! | --- | --- |
//! | [`list`] | the proofs |
//! | [`names`] | opcodes, statuses and sizes for the harnesses |
//! | [`problem`] | from a harness to a circuit |
//! | [`solve`] | engines |
//! | [`covers`] | events that are to be reachable |
//! | [`ways`] | ways to them that are kept |
//! | [`record`] | what became of those that take long |
//! | [`mutants`] | does every proof fail when it should? |
//! | [`aiger`] | circuits, and runs of them |
//! | [`trace`] | runs as VCD |

pub mod aiger;
pub mod covers;
pub mod list;
pub mod mutants;
pub mod names;
pub mod problem;
pub mod record;
pub mod solve;
pub mod trace;
pub mod ways;

use crate::prove::aiger::literal;
use problem::{FlowError, Harness, Problem};
use serde::{Deserialize, Serialize};
use solve::{Answer, Engine, Limit};
use std::path::Path;
use std::time::{Duration, Instant};
use txbar_rtl::parameters::Parameters;

/// A proof.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    /// Its name on the command line.
    pub name: &'static str,
    /// What holds if it succeeds, in one sentence.
    pub says: &'static str,
    /// The harness that says it precisely.
    pub harness: Harness,
    /// Engine.
    pub engine: Engine,
    /// It is quick, and belongs to what every change must pass. Others have a [`record`].
    pub core: bool,
    /// Modules (without prefix) that it says something about: mutants of these are to fail it.
    pub blocks: &'static [&'static str],
    /// What of the hardware's size matters to it; nothing if it holds for any size.
    pub sizes: &'static [Size],
    /// Defects that it must find: each makes it fail.
    pub defects: &'static [Defect],
    /// Events that must be able to happen in its harness, within its reach: a proof in which nothing happens proves nothing.
    pub covers: &'static [Event],
}

/// A text of the Verilog, and what makes a defect of it.
pub type Defect = (&'static str, &'static str);

/// The label of a `cover` in a harness, and what happens.
pub type Event = (&'static str, &'static str);

/// A size of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Ports.
    Ports,
    /// Banks.
    Banks,
    /// Words of the memory.
    Words,
    /// Places of a response queue.
    Queue,
    /// Entries of each table of suspended waits.
    Waits,
    /// Lanes of a warp.
    Lanes,
}

impl Size {
    /// How large it is, for people.
    fn of(self, parameters: &Parameters) -> String {
        let (count, one, more) = match self {
            Size::Ports => (parameters.ports, "port", "ports"),
            Size::Banks => (parameters.banks, "bank", "banks"),
            Size::Words => (parameters.words, "word", "words"),
            Size::Queue => (parameters.queue_depth, "place", "places"),
            Size::Waits => (parameters.entries(), "entry of a table", "entries a table"),
            Size::Lanes => (problem::LANES, "lane", "lanes"),
        };
        format!("{count} {}", if count == 1 { one } else { more })
    }
}

/// Verdict of a proof.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Holds, within the reach of the engine.
    Holds,
    /// Does not hold.
    Fails {
        /// The assertion that is broken: file and line.
        place: String,
        /// The inputs that break it, a row a cycle.
        steps: Vec<Vec<bool>>,
        /// The circuit that they break it on.
        problem: Box<Problem>,
    },
    /// Vacuous: an event does not happen within its reach.
    Vacuous(&'static str),
    /// Time was over; nothing goes wrong in this many cycles.
    Undecided(usize),
}

/// Result of a proof.
#[derive(Clone, Debug)]
pub struct Report {
    /// Verdict.
    pub verdict: Verdict,
    /// Run time.
    pub time: Duration,
}

/// A line about a proof, for people's scripts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Name of the proof.
    pub name: String,
    /// Output of the tool.
    pub says: String,
    /// Engine that solved it.
    pub engine: String,
    /// `unbounded`, or a number of cycles.
    pub reach: String,
    /// How large the hardware is, as far as it matters.
    pub size: String,
    /// `holds`, `fails`, `vacuous` or `undecided`.
    pub verdict: String,
    /// How long it took, in seconds.
    pub seconds: f64,
}

impl Proof {
    /// How large the hardware is for which it is proved, as far as that matters.
    pub fn size(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(|size| size.of(&self.harness.parameters)).collect();
        if sizes.is_empty() { "any size".to_owned() } else { sizes.join(", ") }
    }

    /// Attempts the proof on the exported Verilog, within this limit for the solver; if it holds, looks whether its events happen.
    ///
    /// # Errors
    /// A tool is missing or fails.
    pub fn attempt(&self, limit: Limit) -> Result<Report, FlowError> {
        self.attempt_on(&self.harness.export(), limit)
    }

    /// Attempts it on other Verilog.
    ///
    /// # Errors
    /// As [`Proof::attempt`].
    pub fn attempt_on(&self, verilog: &str, limit: Limit) -> Result<Report, FlowError> {
        let solve = |problem: &Problem, directory: &Path| solve::solve(&problem.circuit, self.engine, limit, directory);
        self.with(|directory| self.harness.problem(verilog, directory), solve, limit)
    }

    /// Looks only for inputs that break it, on Verilog that may have a defect: quicker, but what holds is undecided.
    ///
    /// # Errors
    /// As [`Proof::attempt`].
    pub fn hunt(&self, verilog: &str, limit: Limit) -> Result<Report, FlowError> {
        let hunt = |problem: &Problem, directory: &Path| {
            let answer = solve::hunt(&problem.circuit, self.engine.cycles(), limit, directory)?;
            Ok(if answer == Answer::Never { Answer::Unknown(self.engine.cycles()) } else { answer })
        };
        self.with(|directory| self.harness.rough_problem(verilog, directory), hunt, limit)
    }

    fn with(
        &self,
        problem: impl FnOnce(&Path) -> Result<Problem, FlowError>,
        solve: impl FnOnce(&Problem, &Path) -> Result<Answer, FlowError>,
        limit: Limit,
    ) -> Result<Report, FlowError> {
        let start = Instant::now();
        let directory = tempfile::tempdir()?;
        let problem = problem(directory.path())?;
        let verdict = match solve(&problem, directory.path())? {
            Answer::Never => self.reached(&problem, limit, directory.path())?,
            Answer::Unknown(cycles) => Verdict::Undecided(cycles),
            Answer::Happens(steps) => {
                Verdict::Fails { place: broken(&problem, &steps), steps, problem: Box::new(problem) }
            }
        };
        Ok(Report { verdict, time: start.elapsed() })
    }

    /// It holds, if each of its events can happen.
    fn reached(&self, problem: &Problem, limit: Limit, directory: &Path) -> Result<Verdict, FlowError> {
        for (event, _) in self.covers {
            let Some(circuit) = problem.cover(event) else { return Ok(Verdict::Vacuous(event)) };
            match solve::hunt(&circuit, self.engine.cycles(), limit, directory)? {
                Answer::Happens(_) => {}
                Answer::Never => return Ok(Verdict::Vacuous(event)),
                Answer::Unknown(cycles) => return Ok(Verdict::Undecided(cycles)),
            }
        }
        Ok(Verdict::Holds)
    }

    /// Result, as a line of the report.
    pub fn line(&self, report: &Report) -> Line {
        let (verdict, reach) = match &report.verdict {
            Verdict::Holds => ("holds", self.engine.reach()),
            Verdict::Fails { steps, .. } => ("fails", format!("cycle {}", steps.len() - 1)),
            Verdict::Vacuous(event) => ("vacuous", format!("no {event}")),
            Verdict::Undecided(cycles) => ("undecided", format!("{cycles} cycles")),
        };
        Line {
            name: self.name.to_owned(),
            says: self.says.to_owned(),
            engine: self.engine.name().to_owned(),
            reach,
            size: self.size(),
            verdict: verdict.to_owned(),
            seconds: (report.time.as_secs_f64() * 10.0).round() / 10.0,
        }
    }
}

/// The assertion that is broken at the end of these steps.
fn broken(problem: &Problem, steps: &[Vec<bool>]) -> String {
    let rows = problem.circuit.run(steps);
    let last = rows.last().expect("a counterexample has steps");
    let first = problem.circuit.bad.iter().position(|bad| literal(last, *bad));
    first.and_then(|first| problem.places.get(first)).cloned().unwrap_or_else(|| "an assertion".to_owned())
}
