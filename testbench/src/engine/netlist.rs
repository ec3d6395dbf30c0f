//! The netlist of a design by a [`Synthesis`], with models of its cells.
//!
//! What the models make of what a chip leaves open:
//!
//! | | an iCE40 | its models | [`Cells::Harsh`] |
//! | --- | --- | --- | --- |
//! | flip-flops at power-up | 0 | 0 | random, another for each instance |
//! | a read that meets a write to the same word | undefined | the word before the write | the bits that are written are random |
//!
//! An ECP5's flip-flops hold at power-up what they are set to by reset, in its models as on a chip; its block RAM gives the word before.
//!
//! A unit must work with either: random bits are harder on it than unknown ones (x) would be, as these stay unknown
//! where two paths meet that cancel out. Memories are zeroed by the bit stream, which both kinds of cells obey.

use super::build::{BuildError, run};
use super::shelf;
use std::fs;
use std::path::Path;
use txbar_export::netlist::Synthesis;
use txbar_export::tools::YOSYS;
use txbar_export::verilog::Export;

/// The file with the netlist.
pub(super) const NETLIST: &str = "netlist.v";
/// The file with the models of its cells.
pub(super) const CELLS: &str = "cells_sim.v";

/// Models of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
    /// As they come with yosys.
    AsTheyAre,
    /// What a chip leaves open is random.
    Harsh,
}

/// All that a netlist is made of, as text.
///
/// # Errors
/// Yosys is missing.
pub(super) fn recipe(export: &Export, synthesis: &Synthesis) -> Result<String, BuildError> {
    let version = run("yosys", YOSYS.command()?.arg("-V"))?;
    Ok(format!("{}\n{version}", (synthesis.recipe)(export)))
}

/// Writes a design's netlist and the models of its cells to `directory`.
///
/// # Errors
/// Yosys is missing or fails, or its models are not those that can be made harsh.
pub(super) fn synthesise(
    export: &Export,
    synthesis: &Synthesis,
    cells: Cells,
    directory: &Path,
) -> Result<(), BuildError> {
    let key = recipe(export, synthesis)?;
    let made = shelf::once(&key, |place| {
        let made = (synthesis.netlist)(export).map_err(BuildError::Synthesis)?;
        fs::write(place.join(NETLIST), made.netlist)?;
        Ok(fs::write(place.join(CELLS), made.cells)?)
    })?;
    for file in [NETLIST, CELLS] {
        fs::copy(made.path.join(file), directory.join(file))?;
    }
    if cells == Cells::Harsh {
        let path = directory.join(CELLS);
        let text = harsh(&fs::read_to_string(&path)?).ok_or_else(|| BuildError::Failed {
            tool: "yosys",
            output: "its models of the iCE40's flip-flops or block RAM are not those that txbar knows".to_owned(),
        })?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Models that give nothing away, or nothing if they are not those that are known.
fn harsh(models: &str) -> Option<String> {
    let initial = "`define SB_DFF_INIT initial Q = 0;";
    let read = "RDATA_I <= memory[RADDR[7:0]] & ~RMASK_I;";
    let met = "(WE && WCLKE && WADDR[7:0] == RADDR[7:0]) ? ~WMASK_I & $random : 16'h0000";
    let known = models.matches(initial).count() == 1 && models.matches(read).count() == 1;
    known.then(|| {
        models
            .replace(initial, "`define SB_DFF_INIT")
            .replace(read, &format!("RDATA_I <= (memory[RADDR[7:0]] ^ ({met})) & ~RMASK_I;"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_models_cannot_be_made_harsh() {
        assert_eq!(harsh("module SB_DFF; endmodule"), None);
    }
}
