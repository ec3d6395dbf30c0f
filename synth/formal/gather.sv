// What gathers the requests of two ports for a bank of the fabric, on its own: each goes to the pipeline once, as it came, in the order
// of coming (in one cycle by port), and as soon as may be. Requests may come in any cycle: that there is room for all is what stops.sv
// proves, and in as few cycles as are looked at here there always is.
module top (
  input wire clk,
  input wire [PORTS-1:0] come,
  input wire [HEAD_BITS-1:0] head_0, head_1,
  input wire [ROW_BITS-1:0] row_0, row_1,
  input wire [63:0] data_0, data_1,
  input wire [7:0] strobe_0, strobe_1,
  input wire [TAG_BITS-1:0] tag_0, tag_1,
  input wire pending, stall, track, which
);
  // cycles from a request's coming to its leaving, less the one in which it comes; and from the end of a pause to that of its effect
  localparam [3:0] TRAVEL = 0, PAUSED = 1;
  reg started = 0, begun = 0;
  always @(posedge clk) {begun, started} <= {started, 1'b1};
  // reset has cleared the registers of the entrances
  always @* if (!begun) assume ({come, head_0, head_1, row_0, row_1, data_0, data_1, strobe_0, strobe_1, tag_0, tag_1} == 0);
  wire crowded, valid, remote, misaligned, outside;
  wire [PORT_BITS-1:0] port;
  wire [OP_BITS-1:0] op;
  wire [ROW_BITS-1:0] line;
  wire [63:0] content;
  wire [7:0] enables;
  wire [TAG_BITS-1:0] name;
  txbar_gather dut (
    .clk(clk), .rst(!started), .come(come), .head_0(head_0), .head_1(head_1), .row_0(row_0), .row_1(row_1), .data_0(data_0),
    .data_1(data_1), .strobe_0(strobe_0), .strobe_1(strobe_1), .tag_0(tag_0), .tag_1(tag_1), .pending(pending), .stall(stall),
    .crowded(crowded), .valid(valid), .port(port), .op(op), .remote(remote), .misaligned(misaligned), .outside(outside),
    .line(line), .content(content), .enables(enables), .name(name)
  );

  reg [7:0] held = 0;               // requests that have come and not gone on
  always @(posedge clk) if (started) begin
    held <= held + come[0] + come[1] - valid;
    if (valid) assert (held != 0);
  end

  // one request, no matter which
  reg waiting = 0;
  reg [7:0] ahead;
  reg had_two = 0;
  reg [3:0] waited, calm = 0;
  reg [PORT_BITS+HEAD_BITS+ROW_BITS+72+TAG_BITS-1:0] it;
  wire [PORT_BITS-1:0] from = which;
  always @(posedge clk) if (started) begin
    calm <= (stall || pending) ? 0 : calm + (calm != PAUSED);
    if (waiting) waited <= waited + (waited != TRAVEL);
    if (waiting && valid) ahead <= ahead - 1;
    if (waiting && valid && ahead == 0) waiting <= 0;
    if (track && come[which] && !waiting) begin
      waiting <= 1;
      waited <= 0;
      had_two <= held - valid + (which && come[0]) == 2;
      ahead <= held - valid + (which && come[0]);
      it <= which ? {from, head_1, row_1, data_1, strobe_1, tag_1} : {from, head_0, row_0, data_0, strobe_0, tag_0};
    end
    if (waiting) assert (ahead < held);
    if (waiting && waited == TRAVEL && calm == PAUSED) assert (valid);
    behind_others: cover (waiting && valid && ahead == 0 && had_two);
    if (waiting && valid && ahead == 0)
      assert ({port, outside, misaligned, remote, op, line, content, enables, name} == it);
  end
endmodule
