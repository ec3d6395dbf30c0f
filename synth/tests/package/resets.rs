//! Every kind of reset leaves the design as the usual one does, and clears it when it says.

use crate::shared::{SLANG, reads, run};
use std::fmt::Write;
use std::fs;
use tempfile::TempDir;
use txbar_export::reset::Reset;
use txbar_export::tools::{IVERILOG, VERILATOR, VVP};
use txbar_export::verilog::{self, Export};
use txbar_rtl::parameters::Parameters;

const SEED: u32 = 1;

/// A bench in which both designs get the same random requests, and resets between them. Their outputs are the same after each clock edge; and an
/// asynchronous reset takes an answer away that is being shown, before there is an edge.
fn bench(usual: &Export, other: &Export) -> String {
    let facts = &other.reset;
    let inputs: Vec<_> = usual.ports.iter().filter(|port| port.is_data() && port.direction == "input").collect();
    let outputs: Vec<_> = usual.ports.iter().filter(|port| port.direction == "output").collect();
    let mut declared = String::new();
    let mut connected = [String::new(), String::new()];
    for port in &inputs {
        writeln!(declared, "  reg [{}:0] {} = 0;", port.width - 1, port.name).expect("writing to a String");
        connected.iter_mut().for_each(|pins| *pins += &format!(", .{0}({0})", port.name));
    }
    for port in &outputs {
        writeln!(declared, "  wire [{}:0] a_{1}, b_{1};", port.width - 1, port.name).expect("writing to a String");
        for (pins, side) in connected.iter_mut().zip(["a", "b"]) {
            *pins += &format!(", .{0}({side}_{0})", port.name);
        }
    }
    // what goes with a valid counts only with it
    let compare = |name: &String| {
        let valid = format!("{}_valid", name.split('_').next().unwrap_or_default());
        let number = name.rsplit('_').next().and_then(|last| last.parse::<usize>().ok());
        let is_known = *name != valid && outputs.iter().any(|port| port.name == valid);
        let (condition, mask) = match number.filter(|_| is_known) {
            Some(number) => (format!("a_{valid}[{number}] && "), String::new()),
            None if is_known => (String::new(), format!(" & a_{valid}")),
            None => (String::new(), String::new()),
        };
        format!("        if ({condition}(a_{name}{mask}) !== (b_{name}{mask})) fail(\"{name} differs\");\n")
    };
    let compared: String = outputs.iter().map(|port| compare(&port.name)).collect();
    let random: String = inputs
        .iter()
        .map(|port| match port.name.as_str() {
            // barriers of few arrivals in a small memory, so that phases end and requests meet
            name if name.starts_with("req_address") => format!("      {name} = {{$urandom(seed)}} % 8 * 8;\n"),
            name if name.starts_with("req_data") => format!("      {name} = {{$urandom(seed)}} % 3;\n"),
            name if name.starts_with("bank_stall") || name.starts_with("remote_pending") => {
                format!("      {name} = 0;\n")
            }
            name if name.starts_with("req_valid") => format!("      {name} = quiet ? 0 : $urandom(seed);\n"),
            name if name.starts_with("req_op") => format!("      {name} = $urandom(seed) % 20;\n"),
            name => format!("      {name} = {{$urandom(seed), $urandom(seed)}};\n"),
        })
        .collect();
    let level = if facts.active == 1 { "rst" } else { "!rst" };
    let at_once = if facts.asynchronous {
        "if (b_rsp_valid !== 0) fail(\"is not cleared without a clock edge\");"
    } else {
        "if (b_rsp_valid !== a_rsp_valid) fail(\"is cleared without a clock edge\");"
    };
    format!(
        "module bench;
  reg clk = 0, rst = 1, quiet = 1, started = 0;
  integer seed = {SEED}, cycle, round, resets = 0, shown = 0, wrong = 0;
{declared}
  {usual} a (.clk(clk), .rst(rst){a});
  {other} b (.clk(clk), .{pin}({level}){b});
  task fail(input [8*40:1] what);
    begin
      wrong = wrong + 1;
      if (wrong < 5) $display(\"seed {SEED}, round %0d, cycle %0d: %0s\", round, cycle, what);
    end
  endtask
  task step;
    begin
      #5 clk = 1;
      #1 if (started) begin
{compared}      end
      #4 clk = 0;
      #1;
    end
  endtask
  task drive;
    begin
{random}    end
  endtask
  initial begin
    // before that, registers are unknown, for a cycle more or less
    for (cycle = 0; cycle < 8; cycle = cycle + 1) begin drive; step; end
    started = 1;
    for (round = 0; round < 12; round = round + 1) begin
      rst = 0;
      quiet = 0;
      for (cycle = 0; cycle < 60; cycle = cycle + 1) begin drive; step; end
      // what is under way ends, so that the reset meets no write; answers are still shown
      quiet = 1;
      for (cycle = 0; cycle < 80; cycle = cycle + 1) begin drive; rsp_ready = 0; step; end
      if (a_rsp_valid != 0) shown = shown + 1;
      rst = 1;
      #1 {at_once}
      resets = resets + 1;
      for (cycle = 0; cycle < 3; cycle = cycle + 1) begin drive; step; end
    end
    if (wrong == 0 && shown > 6) $display(\"PASS\");
    else $display(\"FAIL: %0d, answers shown at %0d of %0d resets\", wrong, shown, resets);
    $finish;
  end
endmodule
",
        usual = usual.top,
        other = other.top,
        a = connected[0],
        b = connected[1],
        pin = facts.pin,
    )
}

/// What the bench says of two designs.
pub fn compare(room: &TempDir, usual: &Export, other: &Export) -> String {
    let here = room.path();
    for (name, text) in [("a.v", &usual.text), ("b.v", &other.text), ("bench.v", &bench(usual, other))] {
        fs::write(here.join(name), text).expect("there is room");
    }
    reads(IVERILOG, here, &["-g2005", "-s", "bench", "-o", "bench.vvp", "a.v", "b.v", "bench.v"]);
    run(VVP, here, &["-n", "bench.vvp"]).1
}

#[test]
fn each_reset_leaves_the_design_as_the_usual_one() {
    let room = TempDir::new().expect("there is room");
    let small = Parameters { words: 64, waiters: 4, ..Parameters::default() };
    let units = [
        Parameters { ports: 2, banks: 2, ..small },
        Parameters::high_clock(64),
        Parameters { words: 64, waiters: 4, ..Parameters::banked_high_clock(2, 2) },
    ];
    for parameters in units {
        let usual = verilog::unit(&parameters, "usual").expect("the prefix is right");
        for reset in Reset::ALL.into_iter().skip(1) {
            let other = verilog::unit(&parameters, "other").expect("the prefix is right").with_reset(reset, None);
            let text = compare(&room, &usual, &other);
            assert!(text.contains("PASS"), "{} {:?}:\n{text}", reset.name(), parameters.build);
            reads(VERILATOR, room.path(), &["--lint-only", "-Wall", "--quiet", "--top-module", &other.top, "b.v"]);
            reads(SLANG, room.path(), &["-Wextra", "--top", &other.top, "b.v"]);
        }
    }
}

/// The bench sees a register that is not cleared, and one that waits for the clock.
#[test]
fn the_bench_sees_defects() {
    let room = TempDir::new().expect("there is room");
    let parameters = Parameters { ports: 2, banks: 2, words: 64, waiters: 4, ..Parameters::default() };
    let usual = verilog::unit(&parameters, "usual").expect("the prefix is right");
    let other = verilog::unit(&parameters, "other").expect("the prefix is right").with_reset(Reset::AsyncLow, None);
    for (sound, defect) in [
        ("posedge rst)", "negedge clk)"),
        ("or posedge rst)", "or negedge rst)"),
        ("valid <= 1'b0;", "valid <= valid;"),
    ] {
        let text = other.text.replace(sound, defect);
        assert_ne!(text, other.text, "{sound}");
        let text = compare(&room, &usual, &Export { text, ..other.clone() });
        assert!(text.contains("FAIL"), "{defect}:\n{text}");
    }
}
