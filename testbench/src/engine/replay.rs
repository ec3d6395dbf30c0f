//! Replays what was recorded at a design's pins on its Verilog, and compares every output in every cycle: here under Icarus
//! Verilog, in [`Library::differences`](super::library::Library::differences) on what the other flows make of it.
//!
//! ```text
//!   Rust ──PinRecorder──► Pins ──inputs──► Verilator, CXXRTL, netlist, Icarus ──outputs──┐
//!                           └───────────────────────outputs──────────────────────────────┴─► differences
//! ```
//! Outputs are compared from the first cycle after reset was held, also while they mean nothing: what is done with them
//! comes from one source. Icarus knows unknown values, so it also shows that nothing depends on a state before reset;
//! only an output that means nothing (see [`PinRecorder::new`](super::pins::PinRecorder::new)) may have unknown bits.

use super::build::{BuildError, icarus_program, run};
use super::library::{TOLD, Terminal, check, terminals};
use super::pins::Pins;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use txbar_export::tools::VVP;
use txbar_export::verilog::Export;

impl Terminal {
    /// Hexadecimal digits of its value.
    fn digits(&self) -> usize {
        self.width.div_ceil(4)
    }
}

/// A design compiled by Icarus Verilog, for any number of recordings.
pub struct Icarus {
    terminals: Vec<Terminal>,
    program: PathBuf,
    _directory: TempDir,
}

impl Icarus {
    /// Compiles a design that has a clock and a reset.
    ///
    /// # Errors
    /// A tool is missing or fails, or has a warning.
    pub fn new(export: &Export) -> Result<Self, BuildError> {
        let terminals = terminals(export);
        let directory = tempfile::tempdir()?;
        let program = icarus_program(export, &bench(&terminals, &export.top), directory.path())?;
        Ok(Self { terminals, program, _directory: directory })
    }

    /// Replays a recording; the differences are told as [`Library::differences`](super::library::Library::differences) does.
    ///
    /// # Errors
    /// The simulator is missing or fails.
    ///
    /// # Panics
    /// The recording is not of this design.
    pub fn differences(&self, pins: &Pins) -> Result<String, BuildError> {
        check(&self.terminals, pins);
        let directory = tempfile::tempdir()?;
        fs::write(directory.path().join("rows.txt"), self.rows(pins))?;
        let mut vvp = VVP.command()?;
        let text = run("vvp", vvp.arg("-n").arg(&self.program).current_dir(directory.path()))?;
        match text.strip_suffix(&format!("{} cycles compared\n", pins.cycles())) {
            Some(differences) => Ok(differences.to_owned()),
            None => Err(BuildError::Failed { tool: "vvp", output: text }),
        }
    }

    /// A line a cycle, in hexadecimal: whether reset is held, and every pin, an output with a digit before it that says
    /// whether it must be known.
    fn rows(&self, pins: &Pins) -> String {
        let mut text = String::new();
        for cycle in 0..pins.cycles() {
            write!(text, "{}", pins.reset(cycle) as u8).expect("writing to a String");
            for ((pin, value), terminal) in pins.pins().iter().zip(pins.row(cycle)).zip(&self.terminals) {
                if pin.output {
                    write!(text, "{}", pins.qualified(cycle, pin) as u8).expect("writing to a String");
                }
                write!(text, "{value:0digits$x}", digits = terminal.digits()).expect("writing to a String");
            }
            text.push('\n');
        }
        text
    }
}

/// A test bench for a design with these terminals. It reads lines as [`Icarus::rows`] writes them.
fn bench(terminals: &[Terminal], top: &str) -> String {
    let bits: usize =
        4 + terminals.iter().map(|terminal| 4 * (terminal.digits() + terminal.output as usize)).sum::<usize>();
    let longest = terminals.iter().map(|terminal| terminal.name.len()).max().unwrap_or(1);
    let (mut declarations, mut connections, mut compares) = (String::new(), String::new(), String::new());
    // the first digit of a line is the highest of the row
    let mut place = bits - 4;
    for terminal in terminals {
        let Terminal { name, output, width } = terminal;
        place -= 4 * (terminal.digits() + *output as usize);
        let value = format!("row[{place}+:{width}]");
        if !output {
            writeln!(connections, "    .{name}({value}),").expect("writing to a String");
            continue;
        }
        let known = format!("row[{}]", place + 4 * terminal.digits());
        writeln!(declarations, "  wire [{}:0] pin_{name};", width - 1).expect("writing to a String");
        writeln!(connections, "    .{name}(pin_{name}),").expect("writing to a String");
        writeln!(
            compares,
            "    if (pin_{name} !== {value} && ({known} || (|(pin_{name} ^ {value})) === 1'b1)) \
             differs(\"{name}\", pin_{name}, {value});"
        )
        .expect("writing to a String");
    }
    format!(
        r#"module bench;
  reg clk, live;
  reg [{last}:0] row;
  integer rows, cycle, wrong, got;
  wire rst = row[{reset}];
{declarations}
  {top} unit (
{connections}    .clk(clk), .rst(rst)
  );

  task differs(input [{name}:0] name, input [63:0] is, input [63:0] should);
    begin
      wrong = wrong + 1;
      if (wrong <= {TOLD}) $display("cycle %0d: %0s is %0h, should be %0h", cycle, name, is, should);
    end
  endtask

  task compare;
    begin
{compares}    end
  endtask

  initial begin
    rows = $fopen("rows.txt", "r");
    cycle = 0;
    wrong = 0;
    live = 0;
    clk = 0;
    got = $fscanf(rows, "%h\n", row);
    while (got == 1) begin
      #5;
      if (live) compare;
      if (rst) live = 1;
      clk = 1;
      #5;
      clk = 0;
      cycle = cycle + 1;
      got = $fscanf(rows, "%h\n", row);
    end
    $display("%0d cycles compared", cycle);
    $finish;
  end
endmodule
"#,
        last = bits - 1,
        reset = bits - 4,
        name = 8 * longest - 1,
    )
}
