//! Outcome of a mutant.

use super::mutate::{self, Mutant};
use crate::prove::list::{TWO_PORTS_WAITING, harness};
use crate::prove::problem::{FlowError, Hardware, Harness, Memory, compare};
use crate::prove::solve::{Answer, Engine, Limit, solve};
use crate::prove::{Proof, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::fs;
use txbar_export::tools::{self, IVERILOG, VVP};
use txbar_export::verilog::{Export, ExportedPort};
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::word::COUNT_MAX;

/// A design and those of its modules that are mutated.
#[derive(Debug)]
pub struct Subject {
    /// The modules.
    pub modules: &'static [&'static str],
    /// The design.
    design: Harness,
}

/// What is mutated: a unit, and ports for warps in front of one.
pub const SUBJECTS: &[Subject] = &[
    Subject {
        modules: &["alu", "bank", "decode", "lane", "combine", "replay", "round_robin", "response_queue", "waiters"],
        design: harness("", TWO_PORTS_WAITING, Memory::Whole),
    },
    Subject {
        modules: &["coalesce", "scatter", "access", "pick", "deliver", "gate"],
        design: Harness {
            hardware: Hardware::WarpMemory,
            ..harness("", Parameters { ports: 1, banks: 2, tag_bits: 5, ..TWO_PORTS_WAITING }, Memory::Whole)
        },
    },
];

/// The modules of all of them, in this order.
pub fn modules() -> Vec<&'static str> {
    SUBJECTS.iter().flat_map(|subject| subject.modules).copied().collect()
}

impl Subject {
    /// Group of a module.
    fn of(module: &str) -> Option<&'static Self> {
        SUBJECTS.iter().find(|subject| subject.modules.contains(&module))
    }

    /// Every mutant of its modules.
    pub fn mutants(&self) -> Vec<Mutant> {
        mutate::all(&self.design.export(), "txbar", self.modules)
    }
}

/// Cycles of random traffic.
const CYCLES: usize = 3_000;

/// What a mutant that nobody notices is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// Proofs or tests have noticed it.
    Killed,
    /// Equivalent to the original.
    Equivalent,
    /// Some inputs tell it from the original in so many cycles, but no property is broken that was looked at.
    Differs(usize),
    /// It does what the original does for this many cycles; more is not known.
    Unknown(usize),
}

/// Outcome of a mutant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The mutant.
    pub mutant: Mutant,
    /// The proof that noticed it, if one did.
    pub proof: Option<String>,
    /// Whether random traffic noticed it.
    pub test: bool,
    /// Outcome.
    pub fate: Fate,
}

/// Looks what becomes of a mutant of one of [`SUBJECTS`]. Each solver has this limit.
///
/// # Errors
/// A tool is missing or fails on the original.
pub fn examine(mutant: &Mutant, proofs: &[Proof], limit: Limit, seed: u64) -> Result<Outcome, FlowError> {
    let proof = killer(mutant, proofs, limit)?;
    let Some(subject) = Subject::of(&mutant.module) else { unreachable!("mutants are made from the subjects") };
    let original = subject.design.design();
    let Some(text) = mutate::with(&original.text, "txbar", mutant) else {
        unreachable!("mutants are made from the same export")
    };
    let other = text.replace("txbar_", "mutant_");
    let test = tells_apart(&original, &other, seed, CYCLES)?;
    let fate = match (&proof, test) {
        (None, false) => fate(&original, &other, limit)?,
        _ => Fate::Killed,
    };
    Ok(Outcome { mutant: mutant.clone(), proof, test, fate })
}

/// The first proof that notices it.
fn killer(mutant: &Mutant, proofs: &[Proof], limit: Limit) -> Result<Option<String>, FlowError> {
    for proof in proofs.iter().filter(|proof| proof.blocks.contains(&mutant.module.as_str())) {
        let Some(text) = mutate::with(&proof.harness.export(), "txbar", mutant) else { continue };
        match proof.hunt(&text, limit) {
            // a loop of wires, say: a mutant that cannot be built is noticed by everybody
            Err(FlowError::Tool { .. }) => return Ok(Some(format!("{} (cannot be built)", proof.name))),
            Err(error) => return Err(error),
            Ok(report) => {
                if let Verdict::Fails { .. } = report.verdict {
                    return Ok(Some(proof.name.to_owned()));
                }
            }
        }
    }
    Ok(None)
}

fn fate(original: &Export, other: &str, limit: Limit) -> Result<Fate, FlowError> {
    let directory = tempfile::tempdir()?;
    let problem = compare(original, other, |name| differs(name, "!="), directory.path())?;
    match solve(&problem.circuit, Engine::Pdr, limit, directory.path())? {
        Answer::Never => return Ok(Fate::Equivalent),
        Answer::Happens(steps) => return Ok(Fate::Differs(steps.len())),
        Answer::Unknown(_) => {}
    }
    // one depth after the other: of a solver that was ended it is not known how far it came
    let mut sound = 0;
    for cycles in [6, 8, 10, 14, 20, 40] {
        match solve(&problem.circuit, Engine::Bmc(cycles), limit, directory.path())? {
            Answer::Never => sound = cycles,
            Answer::Happens(steps) => return Ok(Fate::Differs(steps.len())),
            Answer::Unknown(_) => break,
        }
    }
    Ok(Fate::Unknown(sound))
}

/// Whether random traffic sees a difference between two designs.
fn tells_apart(original: &Export, other: &str, seed: u64, cycles: usize) -> Result<bool, FlowError> {
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    fs::write(path("original.v"), &original.text)?;
    fs::write(path("mutant.v"), other)?;
    fs::write(path("bench.v"), bench(original, seed, cycles))?;
    let mut compile = IVERILOG.command()?;
    compile.args(["-g2005", "-o", "bench", "original.v", "mutant.v", "bench.v"]).current_dir(directory.path());
    if !tools::output(&mut compile)?.status.success() {
        return Ok(true);
    }
    let output = tools::output(VVP.command()?.args(["-n", "bench"]).current_dir(directory.path()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(!said.contains("the same"))
}

/// What an input is driven with in each cycle of random traffic: few words, small counts, all operations.
fn traffic(name: &str) -> String {
    let random = "$random(seed)";
    match name.split("_0").next().unwrap_or(name).split("_1").next().unwrap_or(name) {
        "req_op" | "warp_req_op" => format!("$unsigned({random}) % {}", Op::ALL.len() + 1),
        "req_remote" | "warp_req_remote" => format!("$unsigned({random}) % 16 == 0"),
        "req_address" => format!("$unsigned({random}) % 16 == 0 ? {random} : ($unsigned({random}) % 3) * 8"),
        "req_data" => format!(
            "$unsigned({random}) % 16 == 0 ? {{{random}, {random}}} : $unsigned({random}) % 16 == 0 ? {COUNT_MAX} : \
             {{{random}, $unsigned({random}) % 32'd4}}"
        ),
        // lanes of one port: `_0_2` is the third
        _ if name.starts_with("warp_req_address") => format!(
            "$unsigned({random}) % 64 == 0 ? {random} : ($unsigned({random}) % 4) * 8 + ($unsigned({random}) % 16 == 0) * 4"
        ),
        _ if name.starts_with("warp_req_operand") => format!(
            "$unsigned({random}) % 64 == 0 ? {COUNT_MAX} - {random} % 2 : $unsigned({random}) % 4 | ({random} & 1) << 31 & \
             {{32{{warp_req_op_0 >= 12}}}}"
        ),
        "warp_req_limit" => format!("$unsigned({random}) % 64000"),
        "req_strobe" => format!("{random} | {random}"),
        "bank_stall" | "remote_pending" => format!("{random} & {random} & {random}"),
        "rsp_ready" | "req_valid" | "warp_rsp_ready" | "warp_mem_ready" | "warp_req_valid" => {
            format!("{random} | {random}")
        }
        _ => random.to_owned(),
    }
}

/// A bench that drives both designs with the same random traffic.
fn bench(original: &Export, seed: u64, cycles: usize) -> String {
    let Export { top, ports, .. } = original;
    let mut text = format!("module bench;\n  reg clk = 0, rst = 1;\n  integer seed = {}, i;\n", seed as u32 >> 1);
    let pins = |unit: &str| {
        let pin = |port: &ExportedPort| match (port.name.as_str(), port.direction) {
            (name, "input") => format!(".{name}({name})"),
            (name, _) => format!(".{name}({unit}_{name})"),
        };
        ports.iter().map(pin).collect::<Vec<_>>().join(", ")
    };
    let mut write = |line: String| writeln!(text, "{line}").expect("writing to a String");
    let inputs = || ports.iter().filter(|port| port.direction == "input" && port.is_data());
    let outputs = || ports.iter().filter(|port| port.direction != "input");
    for port in inputs() {
        write(format!("  reg [{}:0] {} = 0;", port.width - 1, port.name));
    }
    for port in outputs() {
        write(format!("  wire [{}:0] a_{1}, b_{1};", port.width - 1, port.name));
    }
    let other = top.replace("txbar_", "mutant_");
    write(format!("  {top} a ({});\n  {other} b ({});", pins("a"), pins("b")));
    write(
        "  initial begin\n    for (i = 0; i < 3; i = i + 1) begin #5 clk = 1; #5 clk = 0; end\n    rst = 0;".to_owned(),
    );
    write(format!("    for (i = 0; i < {cycles}; i = i + 1) begin"));
    for port in inputs() {
        write(format!("      {} = {};", port.name, traffic(&port.name)));
    }
    write("      #1;".to_owned());
    let differs: Vec<String> = outputs().map(|port| differs(&port.name, "!==")).collect();
    write(format!("      if ({}) begin $display(\"different\"); $finish; end", differs.join(" || ")));
    write("      #4 clk = 1; #5 clk = 0;\n    end\n    $display(\"the same\");\n    $finish;\n  end".to_owned());
    write("endmodule".to_owned());
    text
}

/// Whether an output of two units, `a` and `b`, differs and means something: payloads do with their valid, data if all is
/// well.
pub fn differs(name: &str, unequal: &str) -> String {
    let differs = format!("a_{name} {unequal} b_{name}");
    let (Some((field, number)), Some((kind, _))) = (name.rsplit_once('_'), name.split_once('_')) else {
        return differs;
    };
    if number.parse::<usize>().is_err() {
        return differs;
    }
    // what a port for warps shows counts with its valid, and what it shows to a lane if that is answered
    for channel in ["warp_rsp", "warp_mem"] {
        let Some(signal) = name.strip_prefix(channel).and_then(|signal| signal.strip_prefix('_')) else { continue };
        let Some((signal, port)) = signal.split_once('_') else { continue };
        let when = match port.split_once('_') {
            _ if signal == "valid" => return differs,
            Some((port, lane)) => format!("a_{channel}_valid_{port} && a_{channel}_lanes_{port}[{lane}]"),
            None => format!("a_{channel}_valid_{port}"),
        };
        return format!("({when} && {differs})");
    }
    if name.starts_with("warp_") {
        return differs;
    }
    let when = format!("a_{kind}_valid[{number}]");
    match field {
        "rsp_data" | "rsp_predicate" => format!("({when} && a_rsp_status_{number} == 0 && {differs})"),
        _ => format!("({when} && {differs})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A design is not told from itself, and is from one with a defect at its pins: that traffic notices a mutant says something.
    #[test]
    fn traffic_tells_only_what_differs_apart() {
        for (subject, defect) in
            SUBJECTS.iter().zip([("pending_met)", "tx_met)"), ("count_less = count - 6'd1", "count_less = count")])
        {
            let original = subject.design.design();
            let same = original.text.replace("txbar_", "mutant_");
            let other = same.replace(defect.0, defect.1);
            assert_ne!(same, other, "{defect:?}");
            let told = |text: &str| tells_apart(&original, text, 1, CYCLES).unwrap_or_else(|error| panic!("{error}"));
            assert!(!told(&same), "the same as itself: {:?}", subject.modules);
            assert!(told(&other), "{defect:?}");
        }
    }
}
