//! The memories that are made of a vendor's cells do the same as the plain ones, cycle for cycle, with whatever stands at
//! their pins; but for reads that meet a write of the same word, which nobody looks at.

use std::process::Command;
use tempfile::TempDir;
use txbar_export::tools::{IVERILOG, VVP};

const BLOCK_RAM: &str = include_str!("../../rtl/hdl/src/verilog/block_ram.v");
const QUEUE_RAM: &str = include_str!("../../rtl/hdl/src/verilog/queue_ram.v");

const DP16KD: &str = include_str!("../src/flow/dp16kd.v");

const BENCH: &str = r#"
module bench;
  reg clk = 0, rst = 1, we = 0, re = 0;
  reg [4:0] ra = 0, wa = 0, waq = 0;
  reg [63:0] wd = 0;
  wire [63:0] plain_block, ecp5_block, plain_queue, ecp5_queue;
  plain_block_ram #(.WIDTH(64), .DEPTH(32), .ADDRESS_BITS(5)) a
    (.clk(clk), .read_enable(re), .read_address(ra), .read_data(plain_block), .write_enable(we), .write_address(wa), .write_data(wd));
  ecp5_block_ram #(.WIDTH(64), .DEPTH(32), .ADDRESS_BITS(5)) b
    (.clk(clk), .read_enable(re), .read_address(ra), .read_data(ecp5_block), .write_enable(we), .write_address(wa), .write_data(wd));
  plain_queue_ram #(.WIDTH(64), .DEPTH(32), .ADDRESS_BITS(5)) c
    (.clk(clk), .rst(rst), .read_address(ra), .read_data(plain_queue), .write_enable(we), .write_address(wa), .write_data(wd));
  ecp5_queue_ram #(.WIDTH(64), .DEPTH(32), .ADDRESS_BITS(5)) d
    (.clk(clk), .rst(rst), .read_address(ra), .read_data(ecp5_queue), .write_enable(we), .write_address(wa), .write_data(wd));
  integer cycle, seen = 0;
  initial begin
    for (cycle = 0; cycle < 20000; cycle = cycle + 1) begin
      rst = cycle < 2; we = $random; re = cycle < 4 || $random; wa = $random; wd = {$random, $random}; ra = $random;
      // a read never meets a write of the same word, be it written at once or a cycle later
      while (ra == wa || ra == waq) ra = ra + 1;
      #1;
      if (cycle > 8) begin
        if (plain_block !== ecp5_block) $display("cycle %0d: block RAM %h and %h", cycle, plain_block, ecp5_block);
        if (plain_queue !== ecp5_queue) $display("cycle %0d: queue RAM %h and %h", cycle, plain_queue, ecp5_queue);
        if (plain_block !== 0 && plain_queue !== 0) seen = seen + 1;
      end
      waq = wa;
      clk = 1; #1 clk = 0;
    end
    if (seen < 10000) $display("only %0d cycles showed anything", seen);
    $display("done");
  end
endmodule
"#;

#[test]
fn primitives_do_what_is_described() {
    let directory = TempDir::new().expect("a directory for the bench");
    let (source, program) = (directory.path().join("bench.v"), directory.path().join("bench.vvp"));
    let memories = [BLOCK_RAM, QUEUE_RAM].concat().replace("MACROS", "TXBAR");
    let text = [
        memories.replace("PREFIX", "plain"),
        "`define TXBAR_ECP5\n".to_owned(),
        memories.replace("PREFIX", "ecp5"),
        DP16KD.to_owned(),
        BENCH.to_owned(),
    ];
    std::fs::write(&source, text.concat()).expect("the bench is written");
    let find = |tool: txbar_export::tools::Tool| tool.find().unwrap_or_else(|error| panic!("{error}"));
    let compiled = Command::new(find(IVERILOG)).arg("-g2005").arg("-o").arg(&program).arg(&source).output();
    let compiled = compiled.expect("iverilog runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(find(VVP)).arg(&program).output().expect("vvp runs");
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "done");
}
