//! The exported Verilog under Icarus Verilog: replays what was recorded at another engine's wires and compares every
//! output in every cycle. Icarus knows unknown values, so it also shows that nothing depends on a state before reset.

use super::recorded::Row;
use super::verilator::BuildError;
use std::fmt::Write;
use std::fs;
use txbar_rtl::hdl::Symbol;
use txbar_rtl::parameters::Parameters;
use txbar_synth::tools::{IVERILOG, VVP};
use txbar_synth::verilog::Export;

/// Replays `rows` on the exported unit.
///
/// # Errors
/// A tool is missing or fails. A difference is the `Ok` text, one line each for the first ten; it is empty if there is
/// none.
pub fn differences(parameters: &Parameters, export: &Export, rows: &[Row]) -> Result<String, BuildError> {
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    fs::write(path("unit.v"), &export.text)?;
    fs::write(path("bench.v"), bench(parameters, &export.top))?;
    fs::write(path("rows.txt"), vectors(rows))?;
    let mut compile = IVERILOG.command()?;
    compile.arg("-Wall").arg("-o").arg(path("bench.vvp")).arg(path("bench.v")).arg(path("unit.v"));
    let compiled = compile.output()?;
    let complaints = String::from_utf8_lossy(&compiled.stderr).into_owned();
    if !compiled.status.success() || !complaints.is_empty() {
        return Err(BuildError::Failed { tool: "iverilog", output: complaints });
    }
    let output = VVP.command()?.arg("-n").arg(path("bench.vvp")).current_dir(directory.path()).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.strip_suffix(&format!("{} cycles compared\n", rows.len())) {
        Some(differences) if output.status.success() => Ok(differences.to_owned()),
        _ => Err(BuildError::Failed { tool: "vvp", output: text + &String::from_utf8_lossy(&output.stderr) }),
    }
}

/// One line a cycle: what is driven, then what is expected, in hex.
fn vectors(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let Row { reset, valid, ready, requests, accepted, responses, fault, flip } = row;
        write!(text, "{} {valid:x} {ready:x}", *reset as u8).expect("writing to a String");
        for request in requests {
            let (op, remote, strobe) = (request.op, request.remote as u8, request.strobe);
            write!(text, " {op:x} {remote} {:x} {:x} {strobe:x} {:x}", request.address, request.data, request.tag)
                .expect("writing to a String");
        }
        let shown = responses.iter().enumerate().fold(0, |shown, (port, got)| shown | (got.is_some() as u64) << port);
        write!(text, " {accepted:x} {shown:x} {}", *flip as u8).expect("writing to a String");
        for response in responses {
            match response {
                Some(got) => write!(text, " {:x} {:x} {} {:x}", got.tag, got.status, got.predicate as u8, got.data),
                None => write!(text, " 0 0 0 0"),
            }
            .expect("writing to a String");
        }
        match fault {
            Some(fault) => writeln!(text, " 1 {:x} {:x} {:x} {:x}", fault.port, fault.tag, fault.status, fault.index),
            None => writeln!(text, " 0 0 0 0 0"),
        }
        .expect("writing to a String");
    }
    text
}

/// A test bench in Verilog for a unit with these parameters.
fn bench(parameters: &Parameters, top: &str) -> String {
    let ports = parameters.ports;
    let width = |symbol| parameters.width(symbol) - 1;
    let (tag, port_bits, index) = (width(Symbol::Tag), width(Symbol::PortIndex), width(Symbol::WordIndex));
    let mut declarations = String::new();
    let mut connections = String::new();
    let mut compares = String::new();
    let mut formats = vec!["%h"; 3];
    let mut targets = vec!["rst".to_owned(), "valid".to_owned(), "ready".to_owned()];
    for k in 0..ports {
        for (name, bits) in [("op", 4), ("remote", 0), ("address", 31), ("data", 63), ("strobe", 7), ("tag", tag)] {
            writeln!(declarations, "  reg [{bits}:0] {name}_{k};").expect("writing to a String");
            writeln!(connections, "    .req_{name}_{k}({name}_{k}),").expect("writing to a String");
            targets.push(format!("{name}_{k}"));
            formats.push("%h");
        }
    }
    targets.extend(["x_accepted".to_owned(), "x_shown".to_owned(), "x_flip".to_owned()]);
    formats.extend(["%h"; 3]);
    for k in 0..ports {
        for (name, bits) in [("tag", tag), ("status", 4), ("predicate", 0), ("data", 63)] {
            writeln!(declarations, "  wire [{bits}:0] rsp_{name}_{k}; reg [{bits}:0] x_{name}_{k};")
                .expect("writing to a String");
            writeln!(connections, "    .rsp_{name}_{k}(rsp_{name}_{k}),").expect("writing to a String");
            writeln!(
                compares,
                "        if (shown[{k}] && rsp_{name}_{k} !== x_{name}_{k}) \
                 differs(\"rsp_{name}_{k}\", rsp_{name}_{k}, x_{name}_{k});"
            )
            .expect("writing to a String");
            targets.push(format!("x_{name}_{k}"));
            formats.push("%h");
        }
    }
    for (name, bits) in [("valid", 0), ("port", port_bits), ("tag", tag), ("status", 4), ("index", index)] {
        writeln!(declarations, "  wire [{bits}:0] fault_{name}; reg [{bits}:0] xf_{name};")
            .expect("writing to a String");
        writeln!(connections, "    .fault_{name}(fault_{name}),").expect("writing to a String");
        let condition = if name == "valid" { "" } else { "fault_valid && " };
        writeln!(
            compares,
            "        if ({condition}fault_{name} !== xf_{name}) differs(\"fault_{name}\", fault_{name}, xf_{name});"
        )
        .expect("writing to a String");
        targets.push(format!("xf_{name}"));
        formats.push("%h");
    }
    let (last, fields) = (ports - 1, targets.len());
    format!(
        r#"module bench;
  reg clk, rst;
  reg [{last}:0] valid, ready, x_accepted, x_shown;
  wire [{last}:0] accepted, shown;
  wire flip;
  reg x_flip, live;
  integer rows, cycle, wrong, got;
{declarations}
  {top} unit (
    .clk(clk), .rst(rst),
    .req_valid(valid), .req_ready(accepted), .rsp_valid(shown), .rsp_ready(ready),
{connections}    .flip_valid(flip)
  );

  task differs(input [127:0] name, input [63:0] is, input [63:0] should);
    begin
      wrong = wrong + 1;
      if (wrong <= 10) $display("cycle %0d: %0s is %h, should be %h", cycle, name, is, should);
    end
  endtask

  initial begin
    rows = $fopen("rows.txt", "r");
    cycle = 0;
    wrong = 0;
    live = 0;
    clk = 0;
    got = $fscanf(rows, "{format}\n", {targets});
    while (got == {fields}) begin
      #5;
      if (live) begin
        if (accepted !== x_accepted) differs("req_ready", accepted, x_accepted);
        if (shown !== x_shown) differs("rsp_valid", shown, x_shown);
        if (flip !== x_flip) differs("flip_valid", flip, x_flip);
{compares}      end
      if (rst) live = 1;
      clk = 1;
      #5;
      clk = 0;
      cycle = cycle + 1;
      got = $fscanf(rows, "{format}\n", {targets});
    end
    $display("%0d cycles compared", cycle);
    $finish;
  end
endmodule
"#,
        format = formats.join(" "),
        targets = targets.join(", "),
    )
}
