//! Memories of a file, as modules of their own, so that a flow can substitute a vendor's primitive.

use super::netlist::Memory;
use crate::MemoryKind;
use std::collections::BTreeSet;

const BLOCK_RAM: &str = include_str!("block_ram.v");
const LUT_RAM: &str = include_str!("lut_ram.v");
const QUEUE_RAM: &str = include_str!("queue_ram.v");
const DELAY: &str = include_str!("delay.v");
const CONTROL_DELAY: &str = include_str!("control_delay.v");

/// The memories that were named.
#[derive(Default)]
pub struct Memories {
    /// Sizes of shelves.
    shelves: BTreeSet<usize>,
    /// Texts of the others.
    rest: BTreeSet<&'static str>,
}

impl Memories {
    /// Names a memory; gives its module with its parameters.
    pub fn add(&mut self, memory: &Memory, prefix: &str) -> String {
        let Memory { kind, depth, width } = *memory;
        let (name, text) = match kind {
            MemoryKind::Block => ("block_ram", BLOCK_RAM),
            MemoryKind::Lut => ("lut_ram", LUT_RAM),
            MemoryKind::Queue => ("queue_ram", QUEUE_RAM),
            MemoryKind::Delay => ("delay", DELAY),
            MemoryKind::ControlDelay => ("control_delay", CONTROL_DELAY),
            MemoryKind::Shelf => {
                self.shelves.insert(depth);
                return format!("{prefix}_shelf_{depth} #(.WIDTH({width}))");
            }
        };
        self.rest.insert(text);
        let address = match kind {
            MemoryKind::Delay | MemoryKind::ControlDelay => String::new(),
            _ => format!(", .ADDRESS_BITS({})", (depth.next_power_of_two().ilog2() as usize).max(1)),
        };
        format!("{prefix}_{name} #(.WIDTH({width}), .DEPTH({depth}){address})")
    }

    /// The modules. The names of macros in them begin with `macros`.
    pub fn text(&self, prefix: &str, macros: &str) -> String {
        let rest = self.rest.iter().map(|text| text.replace("PREFIX", prefix).replace("MACROS", macros));
        let shelves = self.shelves.iter().map(|entries| shelf(prefix, *entries));
        rest.chain(shelves).map(|module| format!("\n{module}")).collect()
    }
}

/// The module of registers that are all seen at once: one port an entry, which a template cannot have.
fn shelf(prefix: &str, entries: usize) -> String {
    let ports: String = (0..entries).map(|entry| format!(",\n  output reg  [WIDTH-1:0] entry_{entry}")).collect();
    let writes: String =
        (0..entries).map(|entry| format!("    if (write[{entry}]) entry_{entry} <= write_data;\n")).collect();
    format!(
        "// Registers that are written one at a time and all seen at once.\n\
         module {prefix}_shelf_{entries} #(\n  parameter WIDTH = 8\n) (\n  input  wire             clk,\n  \
         input  wire [{}:0]       write,\n  input  wire [WIDTH-1:0] write_data{ports}\n);\n  \
         always @(posedge clk) begin\n{writes}  end\nendmodule\n",
        entries - 1,
    )
}
