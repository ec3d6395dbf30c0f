// A unit of one port with room for suspended waits, by its ports only: no wake-up is lost. One suspended wait, no matter which,
// is followed from the cycle in which it takes effect (done_suspended): once the phase of its word completes (flip_valid), its
// answer comes within BOUND cycles in which the port takes what it is shown, and is yes (unless the barrier was ended).
module top (
  input wire clk,
  input wire req_valid, rsp_ready, bank_stall, remote_pending, req_remote, track,
  input wire [OP_BITS-1:0] req_op,
  input wire [31:0] req_address,
  input wire [63:0] req_data,
  input wire [7:0] req_strobe,
  input wire [TAG_BITS-1:0] req_tag,
  input wire [ORDER_BITS-1:0] req_order
);
  // its turn comes after that of each answer that is there, twice as many as the port's queue and table take turns; and it takes
  // two cycles to choose it
  localparam BOUND = 2 * ENTRIES + 4;
  reg resetting = 1, started = 0;
  wire rst = !started;
  always @(posedge clk) {started, resetting} <= {!resetting, 1'b0};
  wire req_ready, rsp_valid, rsp_predicate, rsp_resumed, done_valid, done_suspended, flip_valid;
  wire [TAG_BITS-1:0] rsp_tag, done_tag;
  wire [STATUS_BITS-1:0] rsp_status, done_status;
  wire [63:0] rsp_data;
  wire [INDEX_BITS-1:0] done_index, flip_index;
  txbar_unit dut (
    .clk(clk), .rst(rst), .req_valid(req_valid), .req_ready(req_ready), .req_op_0(req_op), .req_remote_0(req_remote),
    .req_address_0(req_address), .req_data_0(req_data), .req_strobe_0(req_strobe), .req_tag_0(req_tag),
    .req_order_0(req_order), .bank_stall(bank_stall), .remote_pending(remote_pending), .rsp_valid(rsp_valid),
    .rsp_ready(rsp_ready), .rsp_tag_0(rsp_tag), .rsp_status_0(rsp_status), .rsp_predicate_0(rsp_predicate),
    .rsp_data_0(rsp_data), .rsp_resumed(rsp_resumed), .done_valid(done_valid), .done_tag_0(done_tag),
    .done_status_0(done_status), .done_index_0(done_index), .done_suspended(done_suspended), .flip_valid(flip_valid),
    .flip_index_0(flip_index)
  );
  // each tag has one request at most that is to be answered, so that it names it
  reg [(1 << TAG_BITS)-1:0] busy = 0;
  wire posted = POSTED_OPS[req_op];
  always @* if (started && req_valid) assume (!busy[req_tag]);
  // time is never over: limits are longer than the proof looks
  wire [31:0] limit = req_op == OP_TRY_WAIT ? req_data[31:0] : req_data[63:32];
  always @* assume (limit >= 64 * CLOCK_NS && limit != NO_LIMIT);

  reg following = 0, flipped = 0;
  reg [TAG_BITS-1:0] tag;
  reg [INDEX_BITS-1:0] index;
  reg [3:0] patience;
  wire taken = rsp_valid && rsp_ready;
  wire its_answer = rsp_valid && rsp_resumed && rsp_tag == tag;
  always @(posedge clk) if (started) begin
    if (req_valid && req_ready && !posted) busy[req_tag] <= 1;
    if (taken) busy[rsp_tag] <= 0;
    if (done_valid && done_suspended && track && !following) begin
      following <= 1;
      flipped <= 0;
      tag <= done_tag;
      index <= done_index;
    end
    if (following && taken && its_answer) following <= 0;
    if (following && !flipped && flip_valid && flip_index == index) begin
      flipped <= 1;
      patience <= 0;
    end
    if (following && flipped && rsp_ready) patience <= patience + 1;
    if (following && flipped) assert (patience <= BOUND);
    if (following && its_answer && flipped) assert (rsp_predicate || rsp_status == STATUS_INVALIDATED);
    if (its_answer && following && rsp_predicate) assert (flipped && rsp_status == STATUS_OK);
    woken_behind_others: cover (following && taken && its_answer && flipped && patience == 5 && rsp_predicate);
    // a wait on a word whose phase has completed is not suspended
    if (done_suspended) assert (done_valid && done_status == STATUS_OK);
  end
endmodule
