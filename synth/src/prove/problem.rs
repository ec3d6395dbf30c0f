//! From a harness to a circuit: export, Yosys, AIGER.
//!
//! ```text
//!   Rust HDL ─export─► dut.v ─┐
//!   harness, golden model ────┼─ Yosys: flatten, connect, lower to gates ─► problem.aig  what must never happen
//!   names.sv ─────────────────┘                                           ─► problem.map  names of its wires
//! ```
//! The Verilog is the exported file as it is. Where a proof has no use for all of the memory, the module `txbar_block_ram`
//! is replaced, as its header invites everybody to do; so is `txbar_ring` where it does not matter who comes when, and modules are
//! taken out whose outputs may be anything. docs/proofs.md says which proof leaves what out.

use super::aiger::{Circuit, FormatError};
use super::names;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Output};
use thiserror::Error;
use txbar_export::tools::{self, MissingTool, YOSYS};
use txbar_export::verilog::{self, Export, ExportedPort, logic_of};
use txbar_rtl::bus::parameters::{Bus, BusParameters};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::{Build, Parameters};
use txbar_rtl::warp::GROUPS;
use txbar_rtl::warp::parameters::WarpParameters;

/// Why a proof could not be attempted.
#[derive(Debug, Error)]
pub enum FlowError {
    /// A tool is not there.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// A tool fails.
    #[error("{program} fails on {what}: {said}")]
    Tool {
        /// Name.
        program: &'static str,
        /// Purpose of the run.
        what: String,
        /// The end of what it said.
        said: String,
    },
    /// What a tool wrote cannot be understood.
    #[error("{what}: {problem}")]
    Format {
        /// Name of the input.
        what: String,
        /// Description of the error.
        problem: FormatError,
    },
    /// A file cannot be read or written.
    #[error("a temporary file: {0}")]
    File(#[from] io::Error),
}

/// What stands for the memory of the banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The exported one, zero at first.
    Whole,
    /// One word, whichever the proof chooses, with anything in it at first (`one_word_ram.sv`).
    OneWord,
    /// Every read shows anything: what is proved does not depend on what is in the words.
    Anything,
}

/// The hardware that is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hardware {
    /// The unit.
    Unit,
    /// The unit with a port for warps of [`LANES`] lanes.
    WarpUnit,
    /// The same, with loads and stores of warps.
    WarpMemory,
    /// The unit behind a bus, with three windows.
    Front(Bus),
    /// The tensor engine of a CTA, with 16 bursts under way and a shared memory of 64 KB.
    TensorEngine,
}

/// Lanes of a warp in proofs.
pub const LANES: usize = 4;

/// A harness with the hardware in it.
#[derive(Clone, Copy, Debug)]
pub struct Harness {
    /// Name of its file in `synth/formal/`.
    pub file: &'static str,
    /// Hardware under proof.
    pub hardware: Hardware,
    /// What the hardware is built for.
    pub parameters: Parameters,
    /// Model of the memory.
    pub memory: Memory,
    /// `any_requests.sv` stands for the ring of the high-clock build: what is proved does not depend on who comes when.
    pub any_requests: bool,
    /// Modules (without prefix) that are taken out: what they would drive is anything in every cycle.
    pub free: &'static [&'static str],
    /// Macros that are defined for it.
    pub defines: &'static [&'static str],
    /// Wires of the harness that show something inside of the hardware, and what: `("alu_holds", "dut.holds")`. For lemmas. A star
    /// stands for the numbers of a table's entries, the highest first; a `#` for those of the table of a warp's groups.
    pub taps: &'static [(&'static str, &'static str)],
}

/// The texts in `synth/formal/`.
pub(super) const TEXTS: &[(&str, &str)] = &[
    ("golden.sv", include_str!("../../formal/golden.sv")),
    ("one_word_ram.sv", include_str!("../../formal/one_word_ram.sv")),
    ("answers.sv", include_str!("../../formal/answers.sv")),
    ("memory.sv", include_str!("../../formal/memory.sv")),
    ("waiters.sv", include_str!("../../formal/waiters.sv")),
    ("events.sv", include_str!("../../formal/events.sv")),
    ("ram.sv", include_str!("../../formal/ram.sv")),
    ("serial.sv", include_str!("../../formal/serial.sv")),
    ("arbiter.sv", include_str!("../../formal/arbiter.sv")),
    ("queue.sv", include_str!("../../formal/queue.sv")),
    ("decode.sv", include_str!("../../formal/decode.sv")),
    ("word.sv", include_str!("../../formal/word.sv")),
    ("deep.sv", include_str!("../../formal/deep.sv")),
    ("gather.sv", include_str!("../../formal/gather.sv")),
    ("returns.sv", include_str!("../../formal/returns.sv")),
    ("table.sv", include_str!("../../formal/table.sv")),
    ("stops.sv", include_str!("../../formal/stops.sv")),
    ("requests.sv", include_str!("../../formal/requests.sv")),
    ("box.sv", include_str!("../../formal/box.sv")),
    ("row.sv", include_str!("../../formal/row.sv")),
    ("lanes.sv", include_str!("../../formal/lanes.sv")),
    ("steps.sv", include_str!("../../formal/steps.sv")),
    ("groups.sv", include_str!("../../formal/groups.sv")),
    ("bus.sv", include_str!("../../formal/bus.sv")),
    ("any_requests.sv", include_str!("../../formal/any_requests.sv")),
    ("rules.sv", txbar_export::package::RULES),
];

/// A harness as a circuit.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The circuit.
    pub circuit: Circuit,
    /// Where each thing that must never happen is written, `queue.sv:29`, or its name, if it has one.
    pub places: Vec<String>,
    /// What is to be able to happen, by name, and the literal that says so.
    pub covers: BTreeMap<String, u32>,
    /// The literals of each wire, lowest bit first.
    pub wires: BTreeMap<String, Vec<u32>>,
}

impl Problem {
    /// The circuit in which this event must never happen; nothing if there is no such event.
    pub fn cover(&self, event: &str) -> Option<Circuit> {
        self.covers.get(event).map(|literal| Circuit { bad: vec![*literal], ..self.circuit.clone() })
    }
}

impl Harness {
    /// The text of the exported Verilog.
    pub fn export(&self) -> String {
        self.design().text
    }

    /// The exported Verilog.
    pub fn design(&self) -> Export {
        let export = match self.hardware {
            Hardware::Unit => verilog::unit(&self.parameters, "txbar"),
            Hardware::WarpUnit | Hardware::WarpMemory => verilog::warp_unit(&self.warps(), "txbar"),
            Hardware::Front(bus) => verilog::bus_unit(&self.behind(bus), "txbar"),
            Hardware::TensorEngine => {
                let unit = Parameters { words: 8192, ..self.parameters };
                let cluster = ClusterParameters { unit, tensors: 16, ..ClusterParameters::default() };
                verilog::engine(verilog::Engine::Tensor, &cluster, "txbar")
            }
        };
        export.expect("`txbar` is an identifier")
    }

    /// What a unit with ports for warps is built for: the unit and one port.
    pub fn warps(&self) -> WarpParameters {
        let memory = self.hardware == Hardware::WarpMemory;
        WarpParameters { unit: self.parameters, lanes: LANES, warp_ports: 1, memory }
    }

    /// The unit behind this bus.
    fn behind(&self, bus: Bus) -> BusParameters {
        BusParameters { bus, windows: 3, unit: self.parameters }
    }

    /// Makes a circuit of the harness and this Verilog, in an empty directory.
    ///
    /// # Errors
    /// Yosys is missing or fails.
    pub fn problem(&self, dut: &str, directory: &Path) -> Result<Problem, FlowError> {
        self.problem_by(dut, &lower(), directory)
    }

    /// The same in less than half the time, but larger: for a circuit that is looked at for some seconds only.
    ///
    /// # Errors
    /// As [`Harness::problem`].
    pub fn rough_problem(&self, dut: &str, directory: &Path) -> Result<Problem, FlowError> {
        self.problem_by(dut, &[BEFORE_GATES, ROUGHLY, TO_A_FILE].concat(), directory)
    }

    fn problem_by(&self, dut: &str, lower: &str, directory: &Path) -> Result<Problem, FlowError> {
        fs::write(directory.join("dut.v"), dut)?;
        fs::write(directory.join(names::FILE), names::text(&self.parameters))?;
        for (name, text) in TEXTS.iter().chain([&COVERS]) {
            fs::write(directory.join(name), text)?;
        }
        build(&self.script(lower), self.file, directory)
    }

    /// All that the circuit is made of, as one text.
    pub(super) fn recipe(&self) -> String {
        let script = self.script(&lower());
        let text_of = |file: &str| TEXTS.iter().find(|(name, _)| *name == file).map_or("", |(_, text)| text);
        let is_used =
            |name: &str| script.contains(name) || text_of(self.file).contains(&format!("`include \"{name}\""));
        let used = TEXTS.iter().filter(|(name, _)| is_used(name)).map(|(_, text)| *text);
        let rest = [names::text(&self.parameters), COVERS.1.to_owned(), script.clone()];
        [logic_of(&self.export()), used.collect(), rest.concat()].concat()
    }

    fn script(&self, lower: &str) -> String {
        let mut defines: String = self.defines.iter().map(|define| format!(" -D {define}")).collect();
        if let Hardware::Front(bus) = self.hardware {
            defines += &format!(" -D ADDRESS_BITS={}", self.behind(bus).address_bits());
        }
        let (replaced, connected) = match self.memory {
            Memory::Whole => (String::new(), String::new()),
            Memory::Anything => (without("block_ram"), String::new()),
            Memory::OneWord => {
                let bank = |bank: usize| {
                    let ram = match self.parameters.build {
                        Build::LowLatency => format!("dut.bank_{bank}.ram"),
                        Build::HighClock => "dut.deep_0.accumulator.ram".to_owned(),
                        Build::BankedHighClock => format!("dut.fabric.pipeline_{bank}.bank.ram"),
                    };
                    let inside =
                        [("chosen", "chosen_row"), ("held", "held"), ("writes", "writes"), ("write_data", "written")];
                    let connect = |(inside, wire): (&str, &str)| match inside {
                        "chosen" => connect(&format!("{ram}.{inside}"), wire),
                        _ => connect(&format!("{wire}_{bank}"), &format!("{ram}.{inside}")),
                    };
                    inside.map(connect).concat()
                };
                let all = (0..self.parameters.banks).map(bank).collect();
                ("delete txbar_block_ram\nread_verilog -formal -sv one_word_ram.sv".to_owned(), all)
            }
        };
        let fed = match self.any_requests {
            true => "delete txbar_ring\nread_verilog -formal -sv any_requests.sv",
            false => "",
        };
        let freed: String = self.free.iter().map(|module| without(module) + "\n").collect();
        let number = |inside: &str| match inside {
            _ if inside.contains('*') => Some(('*', self.parameters.entries())),
            _ if inside.contains('#') => Some(('#', GROUPS)),
            _ => None,
        };
        let tap = |(wire, inside): &(&str, &str)| match number(inside) {
            Some((mark, count)) => {
                let all: Vec<String> = (0..count).rev().map(|entry| inside.replace(mark, &entry.to_string())).collect();
                connect(wire, &all.join(","))
            }
            None => connect(wire, inside),
        };
        // what a memory holds has names once it is made of registers
        let looks_into_memories = self.taps.iter().any(|(_, inside)| inside.contains(".mem["));
        let as_registers = if looks_into_memories { "memory_map\n" } else { "" };
        let tapped = as_registers.to_owned() + &self.taps.iter().map(tap).collect::<String>();
        format!(
            "read_verilog -formal -sv {names}
read_verilog dut.v
{replaced}
{fed}
{freed}read_verilog -formal -sv{defines} golden.sv {harness}
hierarchy -check -top top
proc
flatten
{connected}{tapped}
{lower}",
            names = names::FILE,
            harness = self.file,
        )
    }
}

/// Takes a module out: what it would drive is driven by nobody.
fn without(module: &str) -> String {
    format!("delete */t:txbar_{module}")
}

/// Drives a wire that nobody drives. (`-nounset`: otherwise other names of the wire are cut off, and are anything from then on.)
fn connect(wire: &str, by: &str) -> String {
    format!("connect -nounset -set {wire} {by}\n")
}

/// What can happen, in place of what must not: a circuit in the AIGER format has only the latter.
const COVERS: (&str, &str) = (
    "covers.v",
    "(* techmap_celltype = \"$cover\" *)
module cover_is_never (input A, EN);
  \\$assert _TECHMAP_REPLACE_ (.A(~A), .EN(EN));
endmodule
",
);

/// From a flat design with assertions to a circuit: registers and initial values.
const BEFORE_GATES: &str = "async2sync
chformal -assume -early
opt_clean
formalff -setundef -clk2ff -ff2anyinit
tee -q -o covers.txt select -list t:$cover
techmap -map covers.v
opt_clean
check
setundef -undriven -anyseq
setattr -unset keep
delete -output
";

/// To gates, as few as Yosys can.
const THOROUGHLY: &str = "opt -full
memory_map -formal
opt -fast
techmap
opt -fast
formalff -clk2ff -ff2anyinit
simplemap
dffunmap
aigmap
opt_clean
";

/// To gates, quickly.
const ROUGHLY: &str = "opt -fast
memory_map -formal
opt_expr
opt_clean
techmap
opt_clean
formalff -clk2ff -ff2anyinit
simplemap
dffunmap
aigmap
";

/// To the files that are read.
const TO_A_FILE: &str = "tee -q -o asserts.txt select -list t:$assert
write_aiger -I -B -zinit -no-startoffset -vmap problem.map problem.aig
";

/// From a flat design with assertions to a circuit.
fn lower() -> String {
    [BEFORE_GATES, THOROUGHLY, TO_A_FILE].concat()
}

/// Runs Yosys on a script, and reads what it leaves.
fn build(script: &str, what: &str, directory: &Path) -> Result<Problem, FlowError> {
    fs::write(directory.join("problem.ys"), script)?;
    // Yosys from a wheel has a /tmp of its own: it sees the directory only as the current one
    run(YOSYS.command()?.args(["-q", "-s", "problem.ys"]).current_dir(directory), "yosys", what)?;
    let mut circuit = Circuit::read(&fs::read(directory.join("problem.aig"))?)
        .map_err(|problem| FlowError::Format { what: format!("the circuit of {what}"), problem })?;
    let read = |name: &str| fs::read_to_string(directory.join(name));
    let covers = places(&read("covers.txt")?);
    let all: Vec<(String, u32)> = places(&read("asserts.txt")?).into_iter().zip(circuit.bad).collect();
    let (covers, asserts): (Vec<_>, Vec<_>) = all.into_iter().partition(|(place, _)| covers.contains(place));
    let places;
    (places, circuit.bad) = asserts.into_iter().unzip();
    let wires = wires(&read("problem.map")?);
    Ok(Problem { circuit, places, covers: covers.into_iter().collect(), wires })
}

/// Two designs side by side, the other one with `mutant_` in place of `txbar_`, with the same inputs: what must never happen is that an output differs that means something.
/// `differs` says of an output of `a` and `b` when it does.
///
/// # Errors
/// Yosys is missing or fails.
pub fn compare(
    original: &Export,
    other: &str,
    differs: impl Fn(&str) -> String,
    directory: &Path,
) -> Result<Problem, FlowError> {
    let mut text = "module top (\n  input wire clk".to_owned();
    let Export { top, text: original, ports, .. } = original;
    let mut pins = [(top.clone(), "a"), (top.replace("txbar_", "mutant_"), "b")]
        .map(|(top, name)| format!("  {top} {name} (.clk(clk), .rst(!started)"));
    let mut wires = String::new();
    for ExportedPort { name, direction, width, .. } in ports.iter().filter(|port| port.is_data()) {
        let range = format!("[{}:0]", width - 1);
        if *direction == "input" {
            text += &format!(",\n  input wire {range} {name}");
            pins.iter_mut().for_each(|pins| *pins += &format!(", .{name}({name})"));
        } else {
            wires += &format!("  wire {range} a_{name}, b_{name};\n");
            pins[0] += &format!(", .{name}(a_{name})");
            pins[1] += &format!(", .{name}(b_{name})");
        }
    }
    let outputs = ports.iter().filter(|port| port.direction != "input");
    let all: Vec<String> = outputs.map(|port| differs(&port.name)).collect();
    text += &format!(
        "\n);\n  reg resetting = 1, started = 0;\n  always @(posedge clk) {{started, resetting}} <= {{!resetting, 1'b0}};\n\
         {wires}{};\n{};\n  always @(posedge clk) if (started) assert (!({}));\nendmodule\n",
        pins[0].clone() + ")",
        pins[1].clone() + ")",
        all.join(" || ")
    );
    for (name, text) in [("original.v", original.as_str()), ("mutant.v", other), ("compare.sv", &text), COVERS] {
        fs::write(directory.join(name), text)?;
    }
    let read = "read_verilog original.v mutant.v\nread_verilog -formal -sv compare.sv";
    // what reset does not clear may be anything at first, but the same in both: zero will do
    let lower = lower().replace("formalff -setundef -clk2ff -ff2anyinit", "formalff -setundef -clk2ff");
    let script = format!("{read}\nhierarchy -check -top top\nproc\nflatten\n{}", lower.replace(" -ff2anyinit", ""));
    build(&script, "a comparison", directory)
}

/// Runs a tool that must succeed; gives all that it says.
fn run(command: &mut Command, program: &'static str, what: &str) -> Result<String, FlowError> {
    told(&tools::output(command)?, program, what)
}

/// All that a tool has said, which must have succeeded.
pub(super) fn told(output: &Output, program: &'static str, what: &str) -> Result<String, FlowError> {
    match output.status.success() {
        true => Ok(tools::said(output)),
        false => Err(FlowError::Tool { program, what: what.to_owned(), said: tools::complaint(output) }),
    }
}

/// Places of assertions from names like `top/$assert$queue.sv:29$12`, or `top/woken` where they have a name.
fn places(list: &str) -> Vec<String> {
    let place = |line: &str| {
        let own = line.rsplit('/').next().unwrap_or(line);
        own.split('$').find(|part| part.contains(".sv:")).unwrap_or(own).to_owned()
    };
    list.lines().filter(|line| !line.is_empty()).map(place).collect()
}

fn wires(map: &str) -> BTreeMap<String, Vec<u32>> {
    let mut wires: BTreeMap<String, BTreeMap<usize, u32>> = BTreeMap::new();
    for line in map.lines() {
        let Some(rest) = line.strip_prefix("wire ") else { continue };
        let mut parts = rest.splitn(3, ' ');
        let (Some(literal), Some(bit), Some(name)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let (Ok(literal), Ok(bit)) = (literal.parse(), bit.parse()) else { continue };
        if !name.contains('$') {
            wires.entry(name.to_owned()).or_default().insert(bit, literal);
        }
    }
    wires.into_iter().map(|(name, bits)| (name, bits.into_values().collect())).collect()
}
