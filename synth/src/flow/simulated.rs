//! The netlist of a design and the models of its cells as Verilog, for a simulator: the very netlist that nextpnr takes, but for
//! the wrapper of a design that is only measured.

use super::parts::{Part, Simulation};
use super::steps::{self, NETLIST};
use super::{FlowError, Source, Task};
use crate::tools::YOSYS;
use crate::verilog::Export;

/// A netlist, and what its cells are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// The netlist.
    pub netlist: String,
    /// Models of the cells; empty if they are in the netlist.
    pub cells: String,
}

/// The file with a netlist in Verilog.
const VERILOG: &str = "netlist.v";
/// The file with models of cells.
const CELLS: &str = "models.v";

/// Synthesises a design for a part.
///
/// # Errors
/// Yosys is missing or fails, or it has no models of the part's cells.
pub fn netlist(export: &Export, part: &'static Part) -> Result<Simulated, FlowError> {
    let Some(simulation) = part.family.simulation else {
        return Err(FlowError::NoModels { part: part.name });
    };
    let source = Source::alone(export, String::new());
    let directory = steps::netlist(&Task::measure(&source, part, 1, false))?;
    let top = &source.top;
    let script = match simulation {
        // Yosys from a wheel has a file system of its own: `write_file` copies what is there
        Simulation::File(models) => format!("read_json {NETLIST}; write_file {CELLS} {models}"),
        Simulation::InPlace(others) => {
            steps::write(directory.path(), CELLS, others)?;
            let whole = part.family.models.around(NETLIST, top, &format!("read_verilog {CELLS}"));
            format!("{whole}; proc; flatten; opt_expr; memory -nomap; opt_clean; setundef -undriven -zero")
        }
    };
    steps::run(YOSYS, &["-q", "-p", &format!("{script}; write_verilog -noattr {VERILOG}")], directory.path())?;
    let text = |name: &str| steps::read(directory.path(), name);
    Ok(Simulated {
        netlist: text(VERILOG)?,
        cells: if let Simulation::File(_) = simulation { text(CELLS)? } else { String::new() },
    })
}

/// All that [`netlist`] depends on, but for the version of Yosys.
pub fn recipe(export: &Export, part: &'static Part) -> String {
    let source = Source::alone(export, String::new());
    format!("{:?}", Task::measure(&source, part, 1, false))
}
