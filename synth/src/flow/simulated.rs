//! The netlist of a design and its cell models as Verilog, for simulation: the netlist that nextpnr receives, without the wrapper of a
//! design that is only measured.

use super::parts::{Part, Simulation};
use super::steps::{self, NETLIST};
use super::{FlowError, Source, Task};
use txbar_export::netlist::{Simulated, Synthesis};
use txbar_export::tools::YOSYS;
use txbar_export::verilog::Export;

/// Lattice's ECP5.
pub static ECP5: Synthesis = Synthesis {
    name: "netlist:ecp5",
    starts_as_reset: true,
    recipe: |export| recipe(export, part("ecp5-85f-6")),
    netlist: |export| Ok(netlist(export, part("ecp5-85f-6"))?),
};
/// Lattice's iCE40 HX.
pub static ICE40: Synthesis = Synthesis {
    name: "netlist:ice40",
    starts_as_reset: false,
    recipe: |export| recipe(export, part("ice40-hx8k")),
    netlist: |export| Ok(netlist(export, part("ice40-hx8k"))?),
};

/// The part that stands for its family.
fn part(name: &str) -> &'static Part {
    Part::find(name).expect("it is in the table of parts")
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
fn recipe(export: &Export, part: &'static Part) -> String {
    let source = Source::alone(export, String::new());
    format!("{:?}", Task::measure(&source, part, 1, false))
}
