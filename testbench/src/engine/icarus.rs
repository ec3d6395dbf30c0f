//! The exported Verilog under Icarus Verilog: replays what was recorded at another engine's wires and compares every
//! output in every cycle. Icarus knows unknown values, so it also shows that nothing depends on a state before reset.

use super::Done;
use super::recorded::Row;
use super::verilator::BuildError;
use crate::request::Request;
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

/// A bit for each that is there.
fn mask<T>(items: &[Option<T>]) -> u64 {
    items.iter().enumerate().fold(0, |mask, (position, item)| mask | (item.is_some() as u64) << position)
}

/// One line a cycle: what is driven, then what is expected, in hex.
fn vectors(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let Row { reset, valid, ready, stalled, remote_pending, requests, accepted, .. } = row;
        let Row { responses, effects, flips, woken, .. } = row;
        write!(text, "{} {valid:x} {ready:x} {stalled:x} {remote_pending:x}", *reset as u8)
            .expect("writing to a String");
        for request in requests {
            let Request { op, remote, address, data, strobe, tag, order } = request;
            let (remote, order) = (*remote as u8, order.code());
            write!(text, " {op:x} {remote} {address:x} {data:x} {strobe:x} {tag:x} {order:x}")
                .expect("writing to a String");
        }
        let suspended = effects
            .iter()
            .enumerate()
            .fold(0, |mask, (port, effect)| mask | (effect.is_some_and(|effect| effect.suspended) as u64) << port);
        let resumed = responses.iter().enumerate().fold(0, |mask, (port, response)| {
            mask | (response.is_some_and(|response| response.resumed) as u64) << port
        });
        let (shown, done, flipped) = (mask(responses), mask(effects), mask(flips));
        write!(text, " {accepted:x} {shown:x} {done:x} {suspended:x} {resumed:x} {woken:x} {flipped:x}")
            .expect("writing to a String");
        for response in responses {
            match response {
                Some(got) => write!(text, " {:x} {:x} {} {:x}", got.tag, got.status, got.predicate as u8, got.data),
                None => write!(text, " 0 0 0 0"),
            }
            .expect("writing to a String");
        }
        for effect in effects {
            match effect {
                Some(Done { tag, status, index, .. }) => write!(text, " {tag:x} {status:x} {index:x}"),
                None => write!(text, " 0 0 0"),
            }
            .expect("writing to a String");
        }
        for flip in flips {
            write!(text, " {:x}", flip.unwrap_or(0)).expect("writing to a String");
        }
        text.push('\n');
    }
    text
}

/// A test bench in Verilog for a unit with these parameters.
fn bench(parameters: &Parameters, top: &str) -> String {
    let Parameters { ports, banks, .. } = *parameters;
    let width = |symbol| parameters.width(symbol) - 1;
    let (tag, index) = (width(Symbol::Tag), width(Symbol::WordIndex));
    let mut declarations = String::new();
    let mut connections = String::new();
    let mut compares = String::new();
    let mut targets: Vec<String> = ["rst", "valid", "ready", "stalled", "remote_pending"].map(str::to_owned).into();
    for k in 0..ports {
        for (name, bits) in
            [("op", 4), ("remote", 0), ("address", 31), ("data", 63), ("strobe", 7), ("tag", tag), ("order", 2)]
        {
            writeln!(declarations, "  reg [{bits}:0] {name}_{k};").expect("writing to a String");
            writeln!(connections, "    .req_{name}_{k}({name}_{k}),").expect("writing to a String");
            targets.push(format!("{name}_{k}"));
        }
    }
    targets.extend(
        ["x_accepted", "x_shown", "x_done", "x_suspended", "x_resumed", "x_woken", "x_flips"].map(str::to_owned),
    );
    // payloads, each compared while its valid is there
    let answer = [("tag", tag), ("status", 4), ("predicate", 0), ("data", 63)];
    let effect = [("tag", tag), ("status", 4), ("index", index)];
    let answers = (0..ports).flat_map(|k| answer.map(|field| ("rsp", "shown", k, field)));
    let effects = (0..ports).flat_map(|k| effect.map(|field| ("done", "done", k, field)));
    let flips = (0..banks).map(|b| ("flip", "flips", b, ("index", index)));
    for (group, valid, k, (name, bits)) in answers.chain(effects).chain(flips) {
        let net = format!("{group}_{name}_{k}");
        writeln!(declarations, "  wire [{bits}:0] {net}; reg [{bits}:0] x_{net};").expect("writing to a String");
        writeln!(connections, "    .{net}({net}),").expect("writing to a String");
        writeln!(compares, "        if ({valid}[{k}] && {net} !== x_{net}) differs(\"{net}\", {net}, x_{net});")
            .expect("writing to a String");
        targets.push(format!("x_{net}"));
    }
    let formats = vec!["%h"; targets.len()];
    let last_bank = banks - 1;
    let (last, fields) = (ports - 1, targets.len());
    format!(
        r#"module bench;
  reg clk, rst;
  reg [{last}:0] valid, ready, remote_pending, x_accepted, x_shown, x_done, x_suspended, x_resumed, x_woken;
  wire [{last}:0] accepted, shown, done, suspended, resumed, woken;
  wire [{last_bank}:0] flips;
  reg [{last_bank}:0] stalled, x_flips;
  reg live;
  integer rows, cycle, wrong, got;
{declarations}
  {top} unit (
    .clk(clk), .rst(rst),
    .req_valid(valid), .req_ready(accepted), .bank_stall(stalled), .remote_pending(remote_pending), .rsp_valid(shown), .rsp_ready(ready),
{connections}    .done_valid(done), .done_suspended(suspended), .rsp_resumed(resumed), .wake_valid(woken), .flip_valid(flips)
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
        if (done !== x_done) differs("done_valid", done, x_done);
        if (suspended !== x_suspended) differs("done_suspended", suspended, x_suspended);
        if (resumed !== x_resumed) differs("rsp_resumed", resumed, x_resumed);
        if (woken !== x_woken) differs("wake_valid", woken, x_woken);
        if (flips !== x_flips) differs("flip_valid", flips, x_flips);
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
