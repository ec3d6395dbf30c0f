// Events that a unit of two ports is to be able to show: the inputs that make them happen are looked for. A request's tag says what
// it is: 1 an arrival, 2 completed bytes, 3 a drop, 0 anything else.
module top (
  input wire clk,
  input wire [1:0] req_valid, rsp_ready,
  input wire bank_stall,
  input wire [2*OP_BITS-1:0] req_op,
  input wire [2*INDEX_BITS-1:0] req_word,
  input wire [2*64-1:0] req_data
);
  (* anyconst *) wire [INDEX_BITS-1:0] chosen;
  (* keep *) wire [INDEX_BITS-1:0] chosen_row = chosen;
  (* keep *) wire [63:0] held_0, written_0;
  (* keep *) wire writes_0;
  reg resetting = 1, started = 0;
  wire rst = !started;
  always @(posedge clk) {started, resetting} <= {!resetting, 1'b0};
  // an ordinary barrier at first
  always @(posedge clk) if (!started && !resetting)
    assume (!held_0[FAULT_LSB] && !held_0[0] && expected == 2);
  wire [EXPECTED_BITS-1:0] expected = -held_0[EXPECTED_LSB +: EXPECTED_BITS];

  wire [1:0] req_ready, rsp_valid, rsp_predicate, rsp_resumed, done_valid, done_suspended, wake_valid;
  wire [2*TAG_BITS-1:0] rsp_tag, done_tag;
  wire [2*STATUS_BITS-1:0] rsp_status, done_status;
  wire [2*64-1:0] rsp_data;
  wire [2*INDEX_BITS-1:0] done_index;
  wire flip_valid;
  wire [INDEX_BITS-1:0] flip_index;
  function [TAG_BITS-1:0] tag_of(input [OP_BITS-1:0] op);
    case (op)
      OP_ARRIVE, OP_ARRIVE_NO_COMPLETE, OP_CP_ASYNC_ARRIVE: tag_of = 1;
      OP_COMPLETE_TX, OP_BULK_COMPLETE_TX, OP_CP_ASYNC_END: tag_of = 2;
      OP_ARRIVE_DROP, OP_ARRIVE_DROP_NO_COMPLETE: tag_of = 3;
      default: tag_of = 0;
    endcase
  endfunction
  txbar_unit dut (
    .clk(clk), .rst(rst), .req_valid(req_valid), .req_ready(req_ready), .bank_stall(bank_stall), .remote_pending(2'd0),
    .rsp_valid(rsp_valid), .rsp_ready(rsp_ready), .rsp_resumed(rsp_resumed), .done_valid(done_valid),
    .done_suspended(done_suspended), .wake_valid(wake_valid), .flip_valid(flip_valid), .flip_index_0(flip_index),
`define PORT(n) \
    .req_op_``n(req_op[OP_BITS*n +: OP_BITS]), .req_remote_``n(1'b0), \
    .req_address_``n({24'd0, req_word[INDEX_BITS*n +: INDEX_BITS], 3'd0}), .req_data_``n(req_data[64*n +: 64]), \
    .req_strobe_``n(8'hff), .req_tag_``n(tag_of(req_op[OP_BITS*n +: OP_BITS])), .req_order_``n(3'd0), \
    .rsp_tag_``n(rsp_tag[TAG_BITS*n +: TAG_BITS]), .rsp_status_``n(rsp_status[STATUS_BITS*n +: STATUS_BITS]), \
    .rsp_predicate_``n(rsp_predicate[n]), .rsp_data_``n(rsp_data[64*n +: 64]), .done_tag_``n(done_tag[TAG_BITS*n +: TAG_BITS]), \
    .done_status_``n(done_status[STATUS_BITS*n +: STATUS_BITS]), .done_index_``n(done_index[INDEX_BITS*n +: INDEX_BITS])
    `PORT(0), `PORT(1)
  );

  wire [4:0] status = done_status[STATUS_BITS-1:0];
  wire alone = started && done_valid == 1;
  wire on_word = alone && done_index[INDEX_BITS-1:0] == chosen && status == STATUS_OK;
  wire [1:0] tag = done_tag[TAG_BITS-1:0];
  wire both = started && (req_valid & req_ready) == 3 && req_word[INDEX_BITS-1:0] == req_word[2*INDEX_BITS-1:INDEX_BITS];
  reg paired = 0, others = 0;        // two were accepted together, and nothing else was
  reg led = 0;                       // of these two, port 0's arrival has taken effect alone
  reg [5:1] before = 0;              // an arrival took effect on the word so many cycles ago
  always @(posedge clk) begin
    paired <= paired | both;
    others <= others | (started && (req_valid & req_ready) != 0 && !both) | (both && paired);
    led <= led | (paired && !others && on_word && tag == 1);
    before <= {before[4:1], on_word && tag == 1};
  end
  always @(posedge clk) if (started) begin
    flip_by_arrival: cover (on_word && flip_valid && tag == 1);
    flip_by_bytes: cover (on_word && flip_valid && tag == 2);
    flip_by_drop: cover (on_word && flip_valid && tag == 3);
    fault_operand: cover (alone && status == STATUS_OPERAND_RANGE);
    fault_pending: cover (alone && status == STATUS_PENDING_UNDERFLOW);
    fault_expected: cover (alone && status == STATUS_EXPECTED_UNDERFLOW);
    fault_tx: cover (alone && status == STATUS_TX_RANGE);
    fault_sticky: cover (alone && status == STATUS_FAULTED_WORD);
    distance_1: cover (on_word && tag == 1 && before == 1);
    distance_2: cover (on_word && tag == 1 && before == 2);
    distance_3: cover (on_word && tag == 1 && before == 4);
    distance_4: cover (on_word && tag == 1 && before == 8);
    combined: cover (paired && !others && done_valid == 3 && tag == 1);
    split: cover (led && !others && done_valid == 2 && done_tag[2*TAG_BITS-1:TAG_BITS] == 1
      && done_status[2*STATUS_BITS-1:STATUS_BITS] == STATUS_OK && done_index[2*INDEX_BITS-1:INDEX_BITS] == chosen);
    woken: cover (started && rsp_valid == 1 && rsp_resumed == 1 && rsp_predicate[0]);
    deadline: cover (started && rsp_valid == 1 && rsp_resumed == 1 && !rsp_predicate[0] && rsp_status[4:0] == STATUS_OK);
    back_pressure: cover (started && req_valid == 1 && req_ready == 0 && rsp_valid == 1 && rsp_ready == 0 && !bank_stall && dut_idle == 7);
  end
  // cycles in which nothing has taken effect while the port asked: its queue is full
  reg [2:0] dut_idle = 0;
  always @(posedge clk) dut_idle <= !started || done_valid != 0 || !req_valid[0] ? 0 : dut_idle == 7 ? 7 : dut_idle + 1;
endmodule
