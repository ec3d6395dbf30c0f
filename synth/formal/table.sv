// A bank's table of suspended waits in the fabric, on its own, with any requests: no wake-up is lost. One wait, no matter which, is
// followed from the cycle in which it is parked: when the phase of its word completes, or its barrier is ended, it leaves within
// BOUND cycles in which the bank has no other answer, says so, and does not leave before. Time stands still.
module top (
  input wire clk,
  input wire wants, ends, flips, gap, track,
  input wire [ROW_BITS-1:0] coming,
  input wire [PORT_BITS-1:0] port,
  input wire [TAG_BITS-1:0] tag
);
  // its turn comes after those that were over before it, and after those of the round that was over before them
  localparam BOUND = 2 * ENTRIES + 1;
  reg started = 0;
  always @(posedge clk) started <= 1;
  // the request in c6 was in c5 a cycle ago
  reg wanted = 0, ended = 0;
  reg [ROW_BITS-1:0] row;
  always @(posedge clk) {wanted, ended, row} <= {wants && started, ends && started, coming};
  wire parks, wakes, pending, back_predicate;
  wire [PORTS-1:0] back;
  wire [TAG_BITS-1:0] back_tag;
  wire [STATUS_BITS-1:0] back_status;
  txbar_table dut (
    .clk(clk), .rst(!started), .wants(wants), .ends(ends), .deadline(33'd1), .hasty(1'b0), .flips(flips), .row(row),
    .port(port), .tag(tag), .coming(coming), .soon(33'd0), .gap(gap), .parks(parks), .wakes(wakes), .pending(pending),
    .back(back), .back_tag(back_tag), .back_status(back_status), .back_predicate(back_predicate)
  );
  always @* begin
    assume (wants + ends <= 1);                     // a request does one thing at most
    assume (flips + wanted + ended <= 1);
    assume (port < PORTS);
  end
  // port and tag name a wait that is suspended
  wire left = gap && back != 0;
  wire [PORT_BITS-1:0] back_port = back[1];
  reg [(1 << (TAG_BITS + 1))-1:0] busy = 0;
  always @* if (wanted) assume (!busy[{port[0], tag}]);

  reg [7:0] held = 0;
  reg waiting = 0, woken, gone;
  reg [PORT_BITS-1:0] its_port;
  reg [TAG_BITS-1:0] its_tag;
  reg [ROW_BITS-1:0] its_row;
  reg [7:0] patience;
  wire it_leaves = left && back_port == its_port && back_tag == its_tag;
  always @(posedge clk) if (started) begin
    if (parks) busy[{port[0], tag}] <= 1;
    if (left) busy[{back_port[0], back_tag}] <= 0;
    held <= held + parks - left;
    assert (parks == (wanted && held != ENTRIES));  // as long as there is a place
    assert ((back & (back - 1)) == 0);
    if (pending) assert (held != 0);
    if (parks && track && !waiting) begin
      {waiting, woken, gone} <= 3'b100;
      {its_port, its_tag, its_row, patience} <= {port, tag, row, 8'd0};
    end
    if (waiting && !woken && !gone && row == its_row) begin
      {woken, gone} <= {flips, ended};
      if (flips) assert (wakes);
    end
    if (waiting && (woken || gone)) patience <= patience + gap;
    if (waiting && (woken || gone)) assert (patience <= BOUND);
    if (waiting && it_leaves) begin
      waiting <= 0;
      assert (woken || gone);
      assert (back_predicate == woken);
      assert (back_status == (gone ? STATUS_INVALIDATED : STATUS_OK));
    end
  end
endmodule
