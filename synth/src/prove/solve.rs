//! Solving: abc looks for a counterexample, or shows that there is none.
//!
//! | engine | what it shows |
//! | --- | --- |
//! | `pdr` | unbounded: it finds an invariant (property-directed reachability) |
//! | `bmc3` | that nothing goes wrong in so many cycles from reset |

use super::aiger::{Circuit, witness};
use super::problem::{FlowError, run};
use crate::tools::ABC;
use std::fs;
use std::path::Path;

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Property-directed reachability: unbounded.
    Pdr,
    /// Bounded model checking of so many cycles, reset included.
    Bmc(usize),
}

impl Engine {
    /// What is called, for people.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Pdr => "abc pdr",
            Engine::Bmc(_) => "abc bmc3",
        }
    }

    /// How far it looks.
    pub fn reach(self) -> String {
        match self {
            Engine::Pdr => "unbounded".to_owned(),
            Engine::Bmc(cycles) => format!("{cycles} cycles"),
        }
    }
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It cannot happen (within the reach of the engine).
    Never,
    /// These inputs make it happen, a row a cycle.
    Happens(Vec<Vec<bool>>),
    /// Time was over after so many cycles were known to be sound.
    Unknown(usize),
}

/// Solves a circuit in a directory where there is room for files, within so many seconds.
///
/// # Errors
/// abc is missing, fails, or is not understood.
pub fn solve(circuit: &Circuit, engine: Engine, seconds: u64, directory: &Path) -> Result<Answer, FlowError> {
    let (file, cex) = ("circuit.aig", "cex.aiw");
    fs::write(directory.join(file), circuit.write())?;
    let solver = match engine {
        Engine::Pdr => format!("pdr -T {seconds}"),
        Engine::Bmc(cycles) => format!("bmc3 -F {cycles} -T {seconds}"),
    };
    // `fold` makes the constraints part of the circuit, `scorr` merges what is always equal
    let prepare = "fold; strash; scorr; dc2";
    // without a counterexample `write_cex` says so and writes nothing
    let script = format!("read_aiger {file}; {prepare}; {solver}; print_status; write_cex -a {cex}");
    let said = run(ABC.command()?.args(["-c", &script]).current_dir(directory), "berkeley-abc", file)?;
    // bmc3 refuses a circuit of which nothing is left; pdr sees that it is sound
    if said.contains("Does not work for combinational networks") && engine != Engine::Pdr {
        return solve(circuit, Engine::Pdr, seconds, directory);
    }
    let number = |mark: &str| -> Option<i64> {
        let after = said.rsplit_once("Status =").map(|(_, status)| format!("Status ={status}"))?;
        after.split_once(mark)?.1.split_whitespace().next()?.parse().ok()
    };
    let unclear = || FlowError::Tool {
        program: "berkeley-abc",
        what: file.to_owned(),
        said: said.lines().last().unwrap_or("nothing").to_owned(),
    };
    match (number("Status =").ok_or_else(unclear)?, engine) {
        (1, _) => Ok(Answer::Never),
        (0, _) => {
            let text = fs::read_to_string(directory.join(cex))?;
            let steps = witness(&text, circuit)
                .map_err(|problem| FlowError::Format { what: "the counterexample".to_owned(), problem })?;
            Ok(Answer::Happens(steps))
        }
        (_, Engine::Bmc(cycles)) => {
            let done = number("Frames =").unwrap_or(-1).max(-1) + 1;
            let done = done as usize;
            Ok(if done >= cycles { Answer::Never } else { Answer::Unknown(done) })
        }
        (_, Engine::Pdr) => Ok(Answer::Unknown(number("Frames =").unwrap_or(0).max(0) as usize)),
    }
}
