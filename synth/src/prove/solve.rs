//! Solver: abc searches for a counterexample, or proves that there is none.
//!
//! | engine | what it shows |
//! | --- | --- |
//! | `pdr` | unbounded: it finds an invariant (property-directed reachability) |
//! | `bmc3` | that nothing goes wrong in this many cycles from reset |
//! | induction | unbounded: `bmc3` for the first cycles, then `iprove`: if nothing is wrong in a cycle, whatever the registers hold, nothing is in the next |
//!
//! A solver has a limit of time: of the clock on the wall, which it keeps itself and then tells how far it has come; or of the
//! processor ([`Limit::Processor`]), after which the system ends it. What comes of the latter hardly depends on what else the
//! machine does.

use super::aiger::{Circuit, witness};
use super::problem::{FlowError, told};
use std::fs;
use std::path::Path;
use txbar_export::tools::{self, ABC};

/// Engine of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Property-directed reachability: unbounded.
    Pdr,
    /// Bounded model checking of this many cycles, reset included.
    Bmc(usize),
    /// Induction over one cycle, once this many cycles from reset are known to be sound: unbounded. The assertions must say enough of the
    /// registers that each cycle follows from the one before.
    Induction(usize),
}

/// How long a solver may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Seconds on the wall.
    Wall(u64),
    /// Seconds of the processor. How far a solver has come that is ended by it is not known. Where the system has no such limit, it is
    /// one of the wall.
    Processor(u64),
}

impl Limit {
    /// What a solver is told to keep.
    fn option(self) -> String {
        match self {
            Limit::Processor(_) if cfg!(target_os = "linux") => String::new(),
            Limit::Wall(seconds) | Limit::Processor(seconds) => format!("-T {seconds}"),
        }
    }
}

impl Engine {
    /// Name for users.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Pdr => "abc pdr",
            Engine::Bmc(_) => "abc bmc3",
            Engine::Induction(_) => "induction, abc iprove",
        }
    }

    /// The cycles within which a defect is looked for ([`hunt`]).
    pub fn cycles(self) -> usize {
        match self {
            Engine::Pdr => 16,
            Engine::Bmc(cycles) | Engine::Induction(cycles) => cycles,
        }
    }

    /// The cycles that it looks at, if it does not look for ever.
    pub fn bound(self) -> Option<usize> {
        match self {
            Engine::Pdr | Engine::Induction(_) => None,
            Engine::Bmc(cycles) => Some(cycles),
        }
    }

    /// Reach, for users.
    pub fn reach(self) -> String {
        self.bound().map_or("unbounded".to_owned(), |cycles| format!("{cycles} cycles"))
    }
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Cannot happen (within the reach of the engine).
    Never,
    /// These inputs make it happen, a row a cycle.
    Happens(Vec<Vec<bool>>),
    /// Time was over after this many cycles were known to be sound.
    Unknown(usize),
}

/// What abc has said, if it was not ended by the limit.
fn abc(script: &str, limit: Limit, directory: &Path) -> Result<Option<String>, FlowError> {
    let mut command = ABC.command()?;
    command.args(["-c", script]).current_dir(directory);
    let output = match limit {
        Limit::Processor(seconds) => tools::within(&mut command, seconds)?,
        Limit::Wall(_) => Some(tools::output(&mut command)?),
    };
    output.map(|output| told(&output, "berkeley-abc", "a circuit")).transpose()
}

/// Registers from which on a circuit is solved as it is.
const MANY: usize = 6_000;

/// Looks for inputs that make it happen within so many cycles, and for nothing else: on the circuit as it is, since whoever expects that
/// there are some is done before the circuit would be prepared.
///
/// # Errors
/// As [`solve`].
pub fn hunt(circuit: &Circuit, cycles: usize, limit: Limit, directory: &Path) -> Result<Answer, FlowError> {
    run_solver(circuit, Engine::Bmc(cycles), "fold; strash", limit, directory)
}

/// Solves a circuit in a directory where there is room for files, within this limit.
///
/// # Errors
/// abc is missing, fails, or is not understood.
pub fn solve(circuit: &Circuit, engine: Engine, limit: Limit, directory: &Path) -> Result<Answer, FlowError> {
    // `fold` makes the constraints part of the circuit, `scorr` merges what is always equal: with many registers it takes longer than what
    // it saves
    let prepare = if circuit.latches.len() < MANY { "fold; strash; scorr; dc2" } else { "fold; strash" };
    run_solver(circuit, engine, prepare, limit, directory)
}

fn run_solver(
    circuit: &Circuit,
    engine: Engine,
    prepare: &str,
    limit: Limit,
    directory: &Path,
) -> Result<Answer, FlowError> {
    let (file, cex) = ("circuit.aig", "cex.aiw");
    fs::write(directory.join(file), circuit.write())?;
    let option = limit.option();
    let solver = match engine {
        Engine::Pdr => format!("pdr {option}"),
        Engine::Bmc(cycles) | Engine::Induction(cycles) => format!("bmc3 -F {cycles} {option}"),
    };
    // without a counterexample `write_cex` says so and writes nothing
    let script = format!("read_aiger {file}; {prepare}; {solver}; print_status; write_cex -a {cex}");
    let Some(said) = abc(&script, limit, directory)? else { return Ok(Answer::Unknown(0)) };
    // bmc3 refuses a circuit of which nothing is left; pdr sees that it is sound
    if said.contains("Does not work for combinational networks") && engine != Engine::Pdr {
        return run_solver(circuit, Engine::Pdr, prepare, limit, directory);
    }
    match (number(&said, "Status =")?, engine) {
        (1, _) => Ok(Answer::Never),
        (0, _) => {
            let text = fs::read_to_string(directory.join(cex))?;
            let steps = witness(&text, circuit)
                .map_err(|problem| FlowError::Format { what: "the counterexample".to_owned(), problem })?;
            Ok(Answer::Happens(steps))
        }
        (_, Engine::Pdr) => Ok(Answer::Unknown(number(&said, "Frames =").unwrap_or(0).max(0) as usize)),
        (_, Engine::Bmc(cycles) | Engine::Induction(cycles)) => {
            let done = (number(&said, "Frames =").unwrap_or(-1).max(-1) + 1) as usize;
            match engine {
                _ if done < cycles => Ok(Answer::Unknown(done)),
                Engine::Induction(_) if !step(circuit, limit, directory)? => Ok(Answer::Unknown(done)),
                _ => Ok(Answer::Never),
            }
        }
    }
}

/// Whether a cycle in which nothing is wrong is always followed by another such cycle.
fn step(circuit: &Circuit, limit: Limit, directory: &Path) -> Result<bool, FlowError> {
    let file = "step.aig";
    fs::write(directory.join(file), circuit.step().write())?;
    let script = format!("read_aiger {file}; iprove; print_status");
    let Some(said) = abc(&script, limit, directory)? else { return Ok(false) };
    Ok(number(&said, "Status =")? == 1)
}

/// The number that stands behind a mark in what abc says of its status.
fn number(said: &str, mark: &str) -> Result<i64, FlowError> {
    let find = || {
        let status = said.rsplit_once("Status =").map(|(_, status)| format!("Status ={status}"))?;
        status.split_once(mark)?.1.split_whitespace().next()?.parse().ok()
    };
    find().ok_or_else(|| FlowError::Tool {
        program: "berkeley-abc",
        what: "a circuit".to_owned(),
        said: said.lines().last().unwrap_or("nothing").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long multiplication backwards: which two numbers of 40 bits have this product?
    fn hard() -> Circuit {
        let (bits, mut gates) = (40u32, Vec::new());
        let mut and = |left: u32, right: u32| {
            gates.push([left.max(right), left.min(right)]);
            2 * (2 * bits + gates.len() as u32)
        };
        let mut sum = vec![0u32; 2 * bits as usize];
        for i in 0..bits {
            let mut carry = 0;
            for j in 0..bits {
                let at = (i + j) as usize;
                let product = and(2 * (1 + i), 2 * (1 + bits + j));
                let mut add = |a: u32, b: u32| {
                    let (both, none) = (and(a, b), and(a ^ 1, b ^ 1));
                    (and(both ^ 1, none ^ 1), both)
                };
                let (half, first) = add(sum[at], product);
                let (whole, second) = add(half, carry);
                sum[at] = whole;
                carry = and(first ^ 1, second ^ 1) ^ 1;
            }
            sum[(i + bits) as usize] = carry;
        }
        // both factors are prime
        let target = 1_000_000_000_039u128 * 999_999_999_989;
        let same = sum.iter().enumerate().fold(1, |all, (bit, wire)| and(all, wire ^ (target >> bit & 1 == 0) as u32));
        Circuit { inputs: 2 * bits as usize, latches: vec![], bad: vec![same], constraints: vec![], gates }
    }

    /// What the processor's limit ends is undecided, and no failure.
    #[test]
    fn a_solver_that_takes_too_long_is_ended() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let answer = solve(&hard(), Engine::Pdr, Limit::Processor(1), directory.path());
        assert_eq!(answer.expect("it is no failure"), Answer::Unknown(0));
    }
}
