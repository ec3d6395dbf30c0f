//! FuseSoC makes units with the generator in `synth/fusesoc`: two configurations in one design, simulated as users do.

mod common;

use common::directory;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;
use txbar_export::tools::{FUSESOC, said};

/// A core of a user: two units, and a bench that makes a barrier in each.
const CORE: &str = "CAPI=2:
name: ::both
filesets:
  bench:
    files: [bench.v: {file_type: verilogSource}]
    depend: [txbar:util:generator]
generate:
  wide:
    generator: txbar
    parameters: {name: wide, ports: 2, banks: 2, words: 64, waiters: 4, reset: async-low}
  fast:
    generator: txbar
    parameters: {name: fast, build: high-clock, ports: 1, banks: 1, words: 64, waiters: 0, counters: false, queue-depth: 32}
targets:
  sim:
    filesets: [bench]
    generate: [wide, fast]
    toplevel: bench
    flow: sim
    flow_options: {tool: icarus}
";

const BENCH: &str = "module bench;
  reg clk = 0, rst = 1;
  always #5 clk = !clk;
  reg [1:0] wide_valid = 0;
  reg fast_valid = 0;
  wire [1:0] wide_ready, wide_answer;
  wire fast_ready, fast_answer;
  wire [4:0] wide_status, fast_status;
  wide a (.clk(clk), .rst_n(!rst), .req_valid(wide_valid), .req_ready(wide_ready), .req_op_0(5'd2), .req_op_1(5'd2), .req_remote_0(1'b0),
    .req_remote_1(1'b0), .req_address_0(32'd0), .req_address_1(32'd8), .req_data_0(64'd3), .req_data_1(64'd3), .req_strobe_0(8'd0),
    .req_strobe_1(8'd0), .req_tag_0(8'd0), .req_tag_1(8'd0), .req_order_0(3'd0), .req_order_1(3'd0), .bank_stall(2'd0),
    .remote_pending(2'd0), .rsp_valid(wide_answer), .rsp_ready(2'b11), .rsp_status_1(wide_status));
  fast b (.clk(clk), .rst(rst), .req_valid(fast_valid), .req_ready(fast_ready), .req_op_0(5'd2), .req_remote_0(1'b0), .req_address_0(32'd0),
    .req_data_0(64'd3), .req_strobe_0(8'd0), .req_tag_0(8'd0), .req_order_0(3'd0), .bank_stall(1'b0), .remote_pending(1'b0),
    .rsp_valid(fast_answer), .rsp_ready(1'b1), .rsp_status_0(fast_status));
  integer good = 0;
  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
    wide_valid = 2'b10;
    fast_valid = 1;
    repeat (60) begin
      @(posedge clk);
      if (wide_answer[1] && wide_status == 0) good = good + 1;
      if (fast_answer && fast_status == 0) good = good + 1;
      if (wide_ready[1]) wide_valid <= 0;
      if (fast_ready) fast_valid <= 0;
    end
    if (good == 2) $display(\"PASS\"); else $display(\"FAIL: %0d\", good);
    $finish;
  end
endmodule
";

fn simulate(room: &TempDir, core: &str) -> Output {
    fs::write(room.path().join("both.core"), core).expect("there is room");
    fs::write(room.path().join("bench.v"), BENCH).expect("there is room");
    let cores = Path::new(env!("CARGO_MANIFEST_DIR")).join("synth/fusesoc");
    let mut fusesoc = FUSESOC.command().unwrap_or_else(|missing| panic!("{missing}"));
    fusesoc.arg("--cores-root").arg(cores).args(["--cores-root", ".", "run", "--target", "sim", "::both"]);
    fusesoc.current_dir(room).env("TXBAR", env!("CARGO_BIN_EXE_txbar")).env("XDG_CACHE_HOME", room.path());
    fusesoc.output().expect("it can be started")
}

#[test]
fn two_units_are_made_and_simulated() {
    let output = simulate(&directory(), CORE);
    assert!(output.status.success() && said(&output).contains("PASS"), "{}", said(&output));
}

#[test]
fn what_cannot_be_built_is_said() {
    let output = simulate(&directory(), &CORE.replace("words: 64, waiters: 4", "words: 63, waiters: 4"));
    assert!(!output.status.success() && said(&output).contains("words"), "{}", said(&output));
    let output = simulate(&directory(), &CORE.replace("name: wide, ", ""));
    assert!(!output.status.success() && said(&output).contains("have no `name`"), "{}", said(&output));
}
