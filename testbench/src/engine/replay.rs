//! Replays what was recorded at a design's pins on its Verilog, and compares every output in every cycle.
//!
//! ```text
//!   Rust ──PinRecorder──► Pins ──inputs──► Verilator or Icarus ──outputs──┐
//!                           └────────────────outputs──────────────────────┴─► differences
//! ```
//! Outputs are compared from the first cycle after reset was held, also while they mean nothing: what is done with them
//! comes from one source. Icarus knows unknown values, so it also shows that nothing depends on a state before reset;
//! only an output that means nothing (see [`PinRecorder::new`](super::pins::PinRecorder::new)) may have unknown bits.

use super::build::{BuildError, Effort, icarus_program, run, verilator_library};
use super::pins::{Pin, Pins};
use libloading::Library;
use std::ffi::c_void;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use txbar_synth::tools::VVP;
use txbar_synth::verilog::Export;

/// Differences that are told.
const TOLD: usize = 10;

/// Replays a recording under Verilator; see [`Verilated::differences`]. For several, compile once.
///
/// # Errors
/// A tool is missing or fails.
pub fn verilator_differences(export: &Export, pins: &Pins) -> Result<String, BuildError> {
    Ok(Verilated::new(export)?.differences(pins))
}

/// Replays a recording under Icarus Verilog; see [`Icarus::differences`]. For several, compile once.
///
/// # Errors
/// A tool is missing or fails.
pub fn icarus_differences(export: &Export, pins: &Pins) -> Result<String, BuildError> {
    Icarus::new(export)?.differences(pins)
}

/// A port of the top module, but for clock and reset.
struct Terminal {
    name: String,
    output: bool,
    width: usize,
}

impl Terminal {
    /// Hexadecimal digits of its value.
    fn digits(&self) -> usize {
        self.width.div_ceil(4)
    }
}

/// The terminals of a design.
fn terminals(export: &Export) -> Vec<Terminal> {
    let ports = export.ports.iter().filter(|port| !["clk", "rst"].contains(&port.name.as_str()));
    ports
        .map(|port| Terminal { name: port.name.clone(), output: port.direction == "output", width: port.width })
        .collect()
}

/// # Panics
/// The recording is not of this design, or has a value that no port of it can carry.
fn check(terminals: &[Terminal], pins: &Pins) {
    let of_design = terminals.iter().map(|terminal| (&terminal.name, terminal.output));
    assert!(of_design.eq(pins.pins().iter().map(|pin| (&pin.name, pin.output))), "a recording of another design");
    for cycle in 0..pins.cycles() {
        for (Terminal { name, width, .. }, value) in terminals.iter().zip(pins.row(cycle)) {
            let fits = *width >= 64 || *value >> *width == 0;
            assert!(fits, "cycle {cycle}: {name} = {value:x} has more than {width} bits");
        }
    }
}

/// A design compiled by Verilator, for any number of recordings.
pub struct Verilated {
    terminals: Vec<Terminal>,
    create: unsafe extern "C" fn() -> *mut c_void,
    settle: unsafe extern "C" fn(*mut c_void, u32, *const u64, *mut u64),
    clock: unsafe extern "C" fn(*mut c_void),
    delete: unsafe extern "C" fn(*mut c_void),
    // in this order: the library must go before the file that it was loaded from
    _library: Library,
    _directory: TempDir,
}

impl Verilated {
    /// Compiles a design that has a clock and a reset.
    ///
    /// # Errors
    /// A tool is missing or fails.
    pub fn new(export: &Export) -> Result<Self, BuildError> {
        let terminals = terminals(export);
        let (mut drive, mut sample) = (String::new(), String::new());
        for (number, Terminal { name, output, .. }) in terminals.iter().enumerate() {
            match output {
                false => writeln!(drive, "  m.{name} = in[{number}];"),
                true => writeln!(sample, "  out[{number}] = m.{name};"),
            }
            .expect("writing to a String");
        }
        let harness = include_str!("replay.cpp").replace("/* DRIVE */\n", &drive).replace("/* SAMPLE */\n", &sample);
        let directory = tempfile::tempdir()?;
        let file = verilator_library(export, &harness, Effort::Quick, directory.path())?;
        // SAFETY: the library was made a moment ago from `replay.cpp`, whose functions have exactly these types and
        // whose initialisers do nothing but register Verilator's own globals.
        unsafe {
            let library = Library::new(file)?;
            Ok(Self {
                terminals,
                create: *library.get(b"txbar_new\0")?,
                settle: *library.get(b"txbar_settle\0")?,
                clock: *library.get(b"txbar_clock\0")?,
                delete: *library.get(b"txbar_delete\0")?,
                _library: library,
                _directory: directory,
            })
        }
    }

    /// Replays a recording. Gives the first ten differences, a line each, such as
    /// `cycle 17: rsp_data_1 is 12, should be 34` with values in hexadecimal; nothing if there is none.
    ///
    /// # Panics
    /// The recording is not of this design.
    pub fn differences(&self, pins: &Pins) -> String {
        check(&self.terminals, pins);
        let first_known = pins.first_known();
        let (mut text, mut found) = (String::new(), 0);
        let mut seen = vec![0; self.terminals.len()];
        // SAFETY: the library is loaded as long as `self` is.
        let model = unsafe { (self.create)() };
        for cycle in 0..pins.cycles() {
            let row = pins.row(cycle);
            // SAFETY: the model is alive; both rows have a value for every pin and are used only during the call.
            unsafe { (self.settle)(model, pins.reset(cycle).into(), row.as_ptr(), seen.as_mut_ptr()) };
            for ((pin, is), should) in pins.pins().iter().zip(&seen).zip(row) {
                if pin.output && is != should && cycle >= first_known && found < TOLD {
                    let Pin { name, .. } = pin;
                    writeln!(text, "cycle {cycle}: {name} is {is:x}, should be {should:x}")
                        .expect("writing to a String");
                    found += 1;
                }
            }
            // SAFETY: the model is alive.
            unsafe { (self.clock)(model) };
        }
        // SAFETY: the model came from `create` and is not used again.
        unsafe { (self.delete)(model) };
        text
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

    /// Replays a recording; the differences are told as [`Verilated::differences`] does.
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
