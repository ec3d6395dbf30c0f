//! Netlists for simulators: the interface that simulators use. Flows for FPGAs implement it, so that simulators do not depend on them.

use crate::verilog::Export;
use std::error::Error;
use std::fmt;

/// A netlist, and what its cells are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// The netlist, as Verilog.
    pub netlist: String,
    /// Models of the cells, as Verilog; empty if they are in the netlist.
    pub cells: String,
}

/// Synthesis for a family of chips for which there is a model of every cell. Two of the same name are the same.
pub struct Synthesis {
    /// Its name, as `--engine` takes it.
    pub name: &'static str,
    /// Its flip-flops hold at power-up what reset gives them, not 0.
    pub starts_as_reset: bool,
    /// All that the netlist depends on, but for the version of Yosys.
    pub recipe: fn(&Export) -> String,
    /// Synthesises a design.
    pub netlist: fn(&Export) -> Result<Simulated, Box<dyn Error + Send + Sync>>,
}

impl fmt::Debug for Synthesis {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Synthesis {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Synthesis {}
