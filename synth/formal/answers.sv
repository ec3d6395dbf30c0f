// A unit, by its ports only, keeps to the rules that packages bring as assertions (export/templates/rules.sv): every request is answered once, with its tag,
// and nothing else is; with HELD: an answer that is not taken stays, as it is.
// One port and one tag are looked at, no matter which. What is in the memory does not matter.
`include "rules.sv"
module top (
  input wire clk,
  input wire [PORTS-1:0] req_valid, rsp_ready, remote_pending,
  input wire [BANKS-1:0] bank_stall,
  input wire [PORTS*OP_BITS-1:0] req_op,
  input wire [PORTS-1:0] req_remote,
  input wire [PORTS*32-1:0] req_address,
  input wire [PORTS*64-1:0] req_data,
  input wire [PORTS*8-1:0] req_strobe,
  input wire [PORTS*TAG_BITS-1:0] req_tag,
  input wire [PORTS*ORDER_BITS-1:0] req_order
);
  (* anyconst *) wire [TAG_BITS-1:0] tag;
  (* anyconst *) wire [2:0] port;
  always @* assume (port < PORTS);
  reg resetting = 1, started = 0;
  wire rst = !started;
  always @(posedge clk) {started, resetting} <= {!resetting, 1'b0};

  wire [PORTS-1:0] req_ready, rsp_valid, rsp_predicate, done_valid, done_suspended, rsp_resumed;
  wire [PORTS*TAG_BITS-1:0] rsp_tag, done_tag;
  wire [PORTS*STATUS_BITS-1:0] rsp_status, done_status;
  wire [PORTS*64-1:0] rsp_data;
  txbar_unit dut (
    .clk(clk), .rst(rst), .req_valid(req_valid), .req_ready(req_ready), .bank_stall(bank_stall),
    .remote_pending(remote_pending), .rsp_valid(rsp_valid), .rsp_ready(rsp_ready), .rsp_resumed(rsp_resumed),
    .done_valid(done_valid), .done_suspended(done_suspended),
`define PORT(n) \
    .req_op_``n(req_op[OP_BITS*n +: OP_BITS]), .req_remote_``n(req_remote[n]), .req_address_``n(req_address[32*n +: 32]), \
    .req_data_``n(req_data[64*n +: 64]), .req_strobe_``n(req_strobe[8*n +: 8]), .req_tag_``n(req_tag[TAG_BITS*n +: TAG_BITS]), \
    .req_order_``n(req_order[ORDER_BITS*n +: ORDER_BITS]), .rsp_tag_``n(rsp_tag[TAG_BITS*n +: TAG_BITS]), \
    .rsp_status_``n(rsp_status[STATUS_BITS*n +: STATUS_BITS]), .rsp_predicate_``n(rsp_predicate[n]), \
    .rsp_data_``n(rsp_data[64*n +: 64]), .done_tag_``n(done_tag[TAG_BITS*n +: TAG_BITS]), \
    .done_status_``n(done_status[STATUS_BITS*n +: STATUS_BITS])
    `PORT(0)
`ifdef TWO_PORTS
    , `PORT(1)
`endif
  );

  // the port that is looked at
  wire [OP_BITS-1:0] op = req_op >> OP_BITS * port;
  wire posted = POSTED_OPS[op];
  wire [TAG_BITS-1:0] asked_tag = req_tag >> TAG_BITS * port, answered_tag = rsp_tag >> TAG_BITS * port;
  wire [STATUS_BITS-1:0] status = rsp_status >> STATUS_BITS * port;
  wire valid = rsp_valid >> port, ready = rsp_ready >> port;
  wire [PORTS-1:0] all_accepted = req_valid & req_ready;
  wire asks = started && all_accepted[port] && !posted && asked_tag == tag;
  wire answers = started && valid && ready && answered_tag == tag;
  localparam [31:0] KNOWN = (2 << STATUS_ILLEGAL_OPERATION) - 1 | 1 << STATUS_INVALIDATED;
  reg [7:0] outstanding = 0;
  reg had_two = 0;
  always @(posedge clk) had_two <= had_two || outstanding == 2;
  wire [PORTS*STATUS_BITS-1:0] effect = done_status >> STATUS_BITS * port;
  reg held = 0;
  always @(posedge clk) if (started) begin
    outstanding <= outstanding + asks - answers;
    held <= valid && !ready;
  end
`ifdef HELD
  held_rules #(.BITS(TAG_BITS + STATUS_BITS + 66)) rules (
    .clk(clk), .rst(rst), .rsp_valid(valid), .rsp_ready(ready),
    .rsp({answered_tag, status, |(rsp_predicate >> port & 1), |(rsp_resumed >> port & 1), 64'(rsp_data >> 64 * port)})
  );
  always @(posedge clk) if (started)
    taken_late: cover (held && valid && ready);
`else
  answer_rules #(
    .OP_BITS(OP_BITS), .TAG_BITS(TAG_BITS), .STATUS_BITS(STATUS_BITS), .POSTED(POSTED_OPS), .STATUSES(KNOWN), .MOST(QUEUE_DEPTH + ENTRIES + 1)
  ) rules (
    .chosen(tag), .clk(clk), .rst(rst), .req_valid(|(req_valid >> port & 1)), .req_ready(|(req_ready >> port & 1)), .rsp_valid(valid),
    .rsp_ready(ready), .req_op(op), .req_tag(asked_tag), .rsp_tag(answered_tag), .rsp_status(status),
    .done_valid(|(done_valid >> port & 1)), .done_suspended(|(done_suspended >> port & 1)), .is_masked(1'b0), .done_tag(asked_tag),
    .done_status(effect[STATUS_BITS-1:0])
  );
  always @(posedge clk) if (started)
    last_answer: cover (answers && outstanding == 1 && had_two);
`endif
endmodule
