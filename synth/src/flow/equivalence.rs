//! Equivalence of the netlist that goes to nextpnr and the exported Verilog.
//!
//! ```text
//!   design.v ──────────── Yosys, nothing optimised ──────► gold.json ─┐ logic, miter
//!                                                                     ├─► circuit.aig ─► abc: can an output ever differ?
//!   netlist.json + Yosys' models of the cells ───────────► gate.json ─┘                ─► simulation, where abc cannot tell
//! ```
//! Compared are all outputs, and all inputs of the cells that neither side looks into ([`Models::boxes`]: block RAM, PLL, buffers of the
//! global network); what these cells give is any value, the same on both sides. So whatever such a cell does, both do the same. Memories
//! made of tables are registers on both sides.
//!
//! Both begin as the part does after configuration. A register that the Verilog gives no initial value may begin with any: the netlist
//! has chosen one, or has made a constant of it, and the Verilog's register of the same name takes that. From there on all inputs are free,
//! reset among them, for ever.
//!
//! The proof is signal correspondence: abc (`&scorr`) guesses from a simulation which signals are always equal, and keeps of these guesses what
//! follows from itself by induction. It takes no names, so that registers may have been merged or removed. Both are checked to have one
//! clock and no latch nor asynchronous reset.

use super::logic::{BOX, Logic, Register};
use super::miter::miter;
use super::parts::{Family, Models};
use super::{FlowError, steps};
use crate::prove::aiger::{Circuit, File, Start, words};
use rand::prelude::*;
use rand::rngs::StdRng;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use txbar_export::tools::{ABC, YOSYS};

/// How it is known that a netlist does what the exported Verilog does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Equivalence {
    /// Proved, for all inputs and any number of cycles.
    Proved,
    /// A proof is out of reach: the two were the same on random inputs.
    Simulated {
        /// Clock cycles.
        cycles: u64,
        /// Reason that there is no proof.
        why: String,
    },
    /// It is not known: no report holds such a row.
    Unchecked {
        /// Cause.
        why: String,
    },
}

impl fmt::Display for Equivalence {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Equivalence::Proved => write!(f, "proved"),
            Equivalence::Simulated { cycles, .. } => write!(f, "simulated, {cycles} cycles"),
            Equivalence::Unchecked { .. } => write!(f, "not known"),
        }
    }
}

/// Where a netlist and the Verilog are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Cycle after power-up in which an output, or a pin of a memory, is different.
    pub cycle: u64,
    /// The cycle in which a register of both is different first, and its name, if there is one: where to look.
    pub register: Option<(u64, String)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "in cycle {} after power-up", self.cycle)?;
        match &self.register {
            Some((cycle, name)) => write!(f, ", its register `{name}` in cycle {cycle}"),
            None => Ok(()),
        }
    }
}

/// Clock cycles of a simulation: so many for each of the [`LANES`] runs that go side by side.
const CYCLES: u64 = 2_500;
/// Runs side by side.
const LANES: u64 = 64;
/// Cycles between two resets of a simulation.
const RESETS: u64 = 500;
/// Registers from which on abc is not asked.
const MANY: usize = 60_000;
/// Why what is proved is not called so where Yosys maps the block RAM.
const MAPPED: &str = "proved but for the block RAM, whose mapping by Yosys is taken as it is";
/// How hard abc tries to tell two signals apart, in conflicts of its solver.
const CONFLICTS: &str = "1000";
/// Seconds of the processor that abc may take each time.
const ABC_SECONDS: u64 = 40;
/// The same for Yosys.
const YOSYS_SECONDS: u64 = 600;
/// Cycles from power-up within which abc looks for a difference, for this many seconds.
const SEARCH: &str = "-F 100 -T 10";

const SCRIPT: &str = "equivalence.ys";
const CIRCUIT: &str = "circuit.aig";
const REDUCED: &str = "reduced.aig";

/// Compares the files `verilog` and `netlist` in a directory: how it is known that they are the same, or the cycle in which they differ.
///
/// # Errors
/// A tool is missing or fails.
pub(super) fn check(
    family: &Family,
    top: &str,
    [verilog, netlist]: [&str; 2],
    directory: &Path,
) -> Result<Result<Equivalence, Difference>, FlowError> {
    check_within(MANY, family, top, [verilog, netlist], directory)
}

/// The same, with a proof if the two have fewer than this many registers.
pub(super) fn check_within(
    many: usize,
    family: &Family,
    top: &str,
    [verilog, netlist]: [&str; 2],
    directory: &Path,
) -> Result<Result<Equivalence, Difference>, FlowError> {
    let mut sides = Vec::new();
    for (name, script) in [("gold.json", gold(family, top, verilog)), ("gate.json", gate(family, top, netlist))] {
        steps::write(directory, SCRIPT, script + &lowered(family, top, name))?;
        let why = match steps::run_within(YOSYS_SECONDS, YOSYS, &["-q", "-s", SCRIPT], directory) {
            Ok(Some(_)) => None,
            Ok(None) => {
                Some(format!("Yosys was not ready to compare them after {YOSYS_SECONDS} seconds of the processor"))
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = why {
            return Ok(Ok(Equivalence::Unchecked { why }));
        }
        let logic = Logic::read(&steps::read(directory, name)?, top);
        sides.push(logic.map_err(|error| no_comparison(&format!("{name}: {error}")))?);
    }
    let both = miter(&sides[0], &sides[1]).map_err(|error| no_comparison(&error))?;
    let circuit = both.beginning_with(&starts(&sides[0], &sides[1]));
    steps::write(directory, CIRCUIT, circuit.write())?;
    let why = if circuit.latches.len() >= many {
        format!("{} registers, bits of memories among them, are too many for abc", circuit.latches.len())
    } else {
        let reduce = format!("fold; strash; &get; &scorr -c -C {CONFLICTS}; &put; write_aiger {REDUCED}");
        let done = abc(&format!("read_aiger {CIRCUIT}; {reduce}"), directory)?.is_some();
        if done && reduced(directory)?.outputs().iter().all(|output| *output == 0) {
            if family.models.memory.is_empty() {
                return Ok(Ok(Equivalence::Proved));
            }
            MAPPED.to_owned()
        } else {
            let said = abc(&format!("read_aiger {CIRCUIT}; fold; strash; bmc3 {SEARCH}; print_status"), directory)?;
            if let Some(said) = said.filter(|said| said.contains("was asserted")) {
                return Ok(Err(Difference { cycle: asserted(&said), register: None }));
            }
            match done {
                true => "abc finds no invariant that says it".to_owned(),
                false => format!("abc finds no invariant that says it in {ABC_SECONDS} seconds of the processor"),
            }
        }
    };
    let reset = sides[0].inputs.iter().position(|name| name == "rst");
    Ok(match difference(&circuit, reset, &namesakes(&sides[0], &sides[1])) {
        Some(difference) => Err(difference),
        None => Ok(Equivalence::Simulated { cycles: CYCLES * LANES, why }),
    })
}

/// What abc says, if it is done in time.
fn abc(script: &str, directory: &Path) -> Result<Option<String>, FlowError> {
    steps::run_within(ABC_SECONDS, ABC, &["-c", script], directory)
}

/// Makes registers of memories; `memory_dff` would move registers into memories.
const LOWER: &str = "proc; opt_clean; memory -nordff -nomap; memory_map; opt_clean";

/// Makes the Verilog the top.
fn gold(family: &Family, top: &str, verilog: &str) -> String {
    let (defines, Models { library, memory, .. }) = (family.defines, family.models);
    let memory = match memory {
        "" => String::new(),
        map => format!("proc; select *block_ram; opt -full; memory -nomap; {map}; select -clear;"),
    };
    format!(
        "{library}
         read_verilog {defines} {verilog}
         hierarchy -check -top {top}; {memory} {LOWER}
        "
    )
}

/// The same of the netlist.
fn gate(family: &Family, top: &str, netlist: &str) -> String {
    let whole = family.models.around(netlist, top, "");
    format!("{whole}; {LOWER}; setundef -init -zero\n")
}

/// Makes gates and registers of each module, and writes all of them to a file.
fn lowered(family: &Family, top: &str, file: &str) -> String {
    // where a cell with its model has to know its parameters, its module has another name, with that of the cell at its end
    let boxes = family.models.boxes;
    format!(
        "select -assert-none t:$adff* t:$aldff* t:$dffsr* t:$dlatch* t:$adlatch* t:$sr
         setattr -set {BOX} 1 {boxes}
         async2sync; dffunmap; opt_clean; techmap; opt_clean
         hierarchy -purge_lib -top {top}; setattr -unset src c:* w:*
         write_json {file}
        "
    )
}

/// What abc has left of the circuit.
fn reduced(directory: &Path) -> Result<File, FlowError> {
    File::read(&steps::read_bytes(directory, REDUCED)?).map_err(|error| no_comparison(&format!("{REDUCED}: {error}")))
}

/// Error: the two cannot be compared.
fn no_comparison(why: &impl ToString) -> FlowError {
    FlowError::Failed { tool: "a comparison", said: why.to_string() }
}

/// What registers begin with, those of the Verilog first: what that leaves open is what the netlist has chosen for the register of that name.
fn starts(gold: &Logic, gate: &Logic) -> Vec<bool> {
    let mut chosen: HashMap<&str, bool> = gate.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    for (names, start) in &gate.registers {
        chosen.extend(names.iter().map(|name| (name.as_str(), *start == Start::One)));
    }
    let start = |(names, start): &Register| match start {
        Start::Any => names.iter().find_map(|name| chosen.get(name.as_str()).copied()).unwrap_or(false),
        start => *start == Start::One,
    };
    gold.registers.iter().map(start).chain(gate.registers.iter().map(|(_, start)| *start == Start::One)).collect()
}

/// The cycle in which abc says that an output is asserted.
fn asserted(said: &str) -> u64 {
    said.split_once("in frame ")
        .and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

/// Registers of both that have a name in common: their places among all registers, and that name.
fn namesakes<'a>(gold: &Logic, gate: &'a Logic) -> Vec<(usize, usize, &'a str)> {
    let places = gold.registers.iter().enumerate();
    let places: HashMap<&str, usize> =
        places.flat_map(|(place, (names, _))| names.iter().map(move |name| (name.as_str(), place))).collect();
    let of = |(place, (names, _)): (usize, &'a Register)| {
        let found = names.iter().find_map(|name| Some((*places.get(name.as_str())?, name.as_str())));
        found.map(|(own, name)| (own, gold.registers.len() + place, name))
    };
    gate.registers.iter().enumerate().filter_map(of).collect()
}

/// The first cycle in which something differs, on random inputs, 64 runs side by side.
fn difference(circuit: &Circuit, reset: Option<usize>, namesakes: &[(usize, usize, &str)]) -> Option<Difference> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut held = vec![0; circuit.latches.len()];
    let mut register = None;
    (0..CYCLES).find_map(|cycle| {
        let resets = if cycle % RESETS < 4 { u64::MAX } else { 0 };
        let inputs = (0..circuit.inputs).map(|input| if reset == Some(input) { resets } else { rng.random() });
        let values = circuit.cycle(inputs, &mut held);
        if circuit.bad.iter().any(|bad| words(&values, *bad) != 0) {
            return Some(Difference { cycle, register: register.take() });
        }
        if register.is_none() {
            let other = namesakes.iter().find(|(own, other, _)| held[*own] != held[*other]);
            register = other.map(|(_, _, name)| (cycle + 1, (*name).to_owned()));
        }
        None
    })
}
