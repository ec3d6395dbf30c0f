//! Area and delay in gates of a real cell library: OSU's for 0.18 um, from Debian's `qflow-tech-osu018`. For comparison between designs
//! only: no wire lengths, no clock tree, no scan chain.
//!
//! ```text
//!   export ─► yosys: gates, registers, memories left out ─► logic.aig ─► abc: map, size, time ─► area, longest path
//! ```
//! Memories (block RAM, queues, small ones) are black boxes, whose pins are ends of paths; they are listed, and have no area here, as their
//! cells would come from a memory compiler. The longest path is one of logic between registers, memories and ports, without what a
//! register itself takes.

use super::FlowError;
use super::steps::{self, read, run, scratch, write};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use txbar_export::tools::{ABC, Tool, YOSYS};
use txbar_export::verilog::Export;

/// The name of this target, in the place of a part's.
pub const NAME: &str = "osu018";
/// Command that installs the cells.
const CELLS: Tool = Tool { program: "osu018_stdcells.lib", brought_by: "`apt-get install qflow-tech-osu018`" };
/// Path of the library.
const LIBRARY: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
/// The flip-flop of the library.
const FLIP_FLOP: &str = "DFFPOSX1";
/// The gate that areas are counted in.
const GATE: &str = "NAND2X1";

const DESIGN: &str = "design.v";
const LOGIC: &str = "logic.aig";
const CELL_LIST: &str = "cells.json";

/// A design in gates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AsicFigures {
    /// The top module.
    pub top: String,
    /// Parameters of the design.
    pub parameters: String,
    /// The cell library.
    pub library: String,
    /// Area of logic and registers, in gates: two-input NANDs of the least drive.
    pub gates: u64,
    /// The same in square micrometres.
    pub area_um2: u64,
    /// Flip-flops, which are part of it.
    pub registers: u64,
    /// Delay of the longest path of logic, in nanoseconds.
    pub longest_path_ns: f64,
    /// Memories, which are not: how many of each kind and size, as `block_ram 512 x 64`.
    pub memories: BTreeMap<String, u64>,
    /// Versions of Yosys.
    pub yosys: String,
}

/// Synthesises a design.
///
/// # Errors
/// A tool or the library is missing, or a tool fails.
pub fn measure(export: &Export, parameters: String) -> Result<AsicFigures, FlowError> {
    ABC.find()?;
    if !Path::new(LIBRARY).exists() {
        return Err(CELLS.missing().into());
    }
    let library = std::fs::read_to_string(LIBRARY)
        .map_err(|error| FlowError::Files { what: format!("cannot read {LIBRARY}"), error })?;
    let area = |cell: &str| area(&library, cell).ok_or_else(|| unknown(CELLS));
    let directory = scratch()?;
    write(directory.path(), DESIGN, &export.text)?;
    let top = &export.top;
    let yosys = format!(
        "read_verilog {DESIGN}; blackbox *_block_ram *_queue_ram *_lut_ram; hierarchy -check -top {top}; \
         synth -flatten -noabc -top {top}; dffunmap; opt_clean; delete t:$scopeinfo; \
         select t:*_ram t:$_DFF*; write_json -selected {CELL_LIST}; select -clear; \
         expose -evert t:*_ram; setundef -undriven -zero; setundef -zero; simplemap; opt_clean; aigmap; opt_clean; write_aiger {LOGIC}"
    );
    run(YOSYS, &["-q", "-p", &yosys], directory.path())?;
    let abc = format!(
        "read_lib {LIBRARY}; read_aiger {LOGIC}; comb; strash; dch -f; map -B 0.9; topo; buffer -c; upsize; dnsize; stime"
    );
    let said = run(ABC, &["-c", &abc], directory.path())?;
    let logic = told(&said, "Area =").ok_or_else(|| unknown(ABC))?;
    let picoseconds = told(&said, "Delay =").ok_or_else(|| unknown(ABC))?;
    let (registers, memories) = registers_and_memories(&read(directory.path(), CELL_LIST)?)?;
    let area_um2 = logic + registers as f64 * area(FLIP_FLOP)?;
    Ok(AsicFigures {
        top: top.clone(),
        parameters,
        library: NAME.to_owned(),
        gates: (area_um2 / area(GATE)?).round() as u64,
        area_um2: area_um2.round() as u64,
        registers,
        longest_path_ns: (picoseconds / 10.0).round() / 100.0,
        memories,
        yosys: steps::version(YOSYS)?,
    })
}

/// The area of a cell in a library in the Liberty format: the first attribute of the cell.
fn area(library: &str, cell: &str) -> Option<f64> {
    let (_, rest) = library.split_once(&format!("cell ({cell})"))?;
    let (_, rest) = rest.split_once("area :")?;
    rest.split(';').next()?.trim().parse().ok()
}

/// The number behind the last of these words. abc colours what it says.
fn told(said: &str, what: &str) -> Option<f64> {
    let (_, rest) = said.rsplit_once(what)?;
    let number = rest.trim_start().split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
    number.parse().ok()
}

/// How many registers there are, and memories by kind and size.
fn registers_and_memories(text: &str) -> Result<(u64, BTreeMap<String, u64>), FlowError> {
    #[derive(Deserialize)]
    struct Netlist {
        modules: BTreeMap<String, Module>,
    }
    #[derive(Deserialize)]
    struct Module {
        cells: BTreeMap<String, Cell>,
    }
    #[derive(Deserialize)]
    struct Cell {
        #[serde(rename = "type")]
        kind: String,
        parameters: BTreeMap<String, String>,
    }
    let netlist: Netlist =
        serde_json::from_str(text).map_err(|error| FlowError::Unreadable { what: "the cells of a netlist", error })?;
    let (mut registers, mut memories) = (0, BTreeMap::new());
    for cell in netlist.modules.into_values().flat_map(|module| module.cells.into_values()) {
        if cell.kind.starts_with("$_DFF") {
            registers += 1;
            continue;
        }
        let number = |name: &str| cell.parameters.get(name).and_then(|bits| u64::from_str_radix(bits, 2).ok());
        let kind = cell.kind.split_once('_').map_or(cell.kind.as_str(), |(_, kind)| kind);
        let name = match (number("DEPTH"), number("WIDTH")) {
            (Some(depth), Some(width)) => format!("{kind} {depth} x {width}"),
            _ => kind.to_owned(),
        };
        *memories.entry(name).or_insert(0) += 1;
    }
    Ok((registers, memories))
}

fn unknown(tool: Tool) -> FlowError {
    FlowError::Failed { tool: tool.program, said: "it does not say what is expected of it".to_owned() }
}

impl AsicFigures {
    /// A line of a table.
    pub fn row(&self) -> String {
        let memories: Vec<String> = self.memories.iter().map(|(name, count)| format!("{count} {name}")).collect();
        format!(
            "{}  {} gates  {} um2  {} registers  {:.2} ns  memories: {}",
            self.library,
            self.gates,
            self.area_um2,
            self.registers,
            self.longest_path_ns,
            if memories.is_empty() { "none".to_owned() } else { memories.join(", ") }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_say_is_read() {
        let said = "WireLoad = \"none\"  \x1b[1;33mGates =   9519\x1b[0m   Area =   216841.00\x1b[0m ( 83.3 %)   Delay =  1839.43 ps";
        assert_eq!((told(said, "Area ="), told(said, "Delay =")), (Some(216_841.0), Some(1839.43)));
        assert_eq!(told(said, "Power ="), None);
        let library = "cell (NAND2X1) {\narea : 24;\n}\ncell (DFFPOSX1) {\narea : 96;\n";
        assert_eq!(
            (area(library, FLIP_FLOP), area(library, GATE), area(library, "BUF")),
            (Some(96.0), Some(24.0), None)
        );
    }
}
