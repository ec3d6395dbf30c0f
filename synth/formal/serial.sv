// A unit of two ports: what both do to one word, no matter which, is what they would do one after the other.
//
// Requests wait in `line` from their acceptance until they take effect (done_valid). The golden word goes through them in
// that order; of two that take effect in the same cycle on the same word, through the one first that docs/interface.md names:
// loads, what only expects bytes, arrivals, what completes bytes, waits; of equals that of the lower port.
module top (
  input wire clk,
  input wire [1:0] req_valid, rsp_ready,
  input wire bank_stall,
  input wire [1:0] remote_pending,
  input wire [2*OP_BITS-1:0] req_op,
  input wire [1:0] req_remote,
  input wire [2*32-1:0] req_address,
  input wire [2*64-1:0] req_data,
  input wire [2*8-1:0] req_strobe,
  input wire [2*TAG_BITS-1:0] req_tag,
  input wire [2*ORDER_BITS-1:0] req_order,
  input wire track, tracked_port
);
  localparam WIDTH = OP_BITS + 1 + 32 + 64 + 8 + TAG_BITS;
  (* anyconst *) wire [INDEX_BITS-1:0] chosen;
  (* keep *) wire [INDEX_BITS-1:0] chosen_row = chosen;
  (* keep *) wire [63:0] held_0;          // what the memory holds: connected by the flow
  (* keep *) wire writes_0;               // and what is written to it
  (* keep *) wire [63:0] written_0;
  reg resetting = 1, started = 0;         // two cycles of reset: what is in the pipeline at first may be written in one of them
  wire rst = !started;
  always @(posedge clk) {started, resetting} <= {!resetting, 1'b0};

  wire [1:0] req_ready, rsp_valid, rsp_predicate, done_valid;
  wire [2*TAG_BITS-1:0] rsp_tag, done_tag;
  wire [2*STATUS_BITS-1:0] rsp_status, done_status;
  wire [2*64-1:0] rsp_data;
  wire [2*INDEX_BITS-1:0] done_index;
  txbar_unit dut (
    .clk(clk), .rst(rst), .req_valid(req_valid), .req_ready(req_ready), .bank_stall(bank_stall),
    .remote_pending(remote_pending), .rsp_valid(rsp_valid), .rsp_ready(rsp_ready), .done_valid(done_valid),
`define PORT(n) \
    .req_op_``n(req_op[OP_BITS*n +: OP_BITS]), .req_remote_``n(req_remote[n]), .req_address_``n(req_address[32*n +: 32]), \
    .req_data_``n(req_data[64*n +: 64]), .req_strobe_``n(req_strobe[8*n +: 8]), .req_tag_``n(req_tag[TAG_BITS*n +: TAG_BITS]), \
    .req_order_``n(req_order[ORDER_BITS*n +: ORDER_BITS]), .rsp_tag_``n(rsp_tag[TAG_BITS*n +: TAG_BITS]), \
    .rsp_status_``n(rsp_status[STATUS_BITS*n +: STATUS_BITS]), .rsp_predicate_``n(rsp_predicate[n]), \
    .rsp_data_``n(rsp_data[64*n +: 64]), .done_tag_``n(done_tag[TAG_BITS*n +: TAG_BITS]), \
    .done_status_``n(done_status[STATUS_BITS*n +: STATUS_BITS]), .done_index_``n(done_index[INDEX_BITS*n +: INDEX_BITS])
    `PORT(0), `PORT(1)
  );

  // with ONE_GROUP: all requests are accepted in one cycle
  reg asked = 0;
  always @(posedge clk) if (started && (req_valid & req_ready) != 0) asked <= 1;
`ifdef ONE_GROUP
  always @* assume (!asked || req_valid == 0);
  always @* assume (asked || bank_stall == 0 && remote_pending == 0);    // in the first cycle that it can be: earlier nothing happens
  always @* if (started && !asked && req_ready != 0) assume (req_valid == 3);
`endif

  // requests under way
  wire [1:0] accepted = req_valid & req_ready & {2{started}};
  wire [1:0] done = done_valid & {2{started}};
  reg [WIDTH-1:0] line [2*IN_FLIGHT-1:0];
  reg [3:0] flying [1:0];
  wire [WIDTH-1:0] head [1:0];
  genvar p;
  generate
    for (p = 0; p < 2; p = p + 1) begin : port
      wire [3:0] kept = flying[p] - done[p];
      assign head[p] = line[p * IN_FLIGHT];
      integer i;
      always @(posedge clk) begin
        if (!started) flying[p] <= 0;
        else begin
          for (i = 0; i < IN_FLIGHT; i = i + 1) begin
            if (done[p] && i + 1 < IN_FLIGHT) line[p * IN_FLIGHT + i] <= line[p * IN_FLIGHT + i + 1];
            if (accepted[p] && kept == i)
              line[p * IN_FLIGHT + i] <= {req_op[OP_BITS*p +: OP_BITS], req_remote[p], req_address[32*p +: 32],
                req_data[64*p +: 64], req_strobe[8*p +: 8], req_tag[TAG_BITS*p +: TAG_BITS]};
          end
          flying[p] <= kept + accepted[p];
          if (done[p]) assert (flying[p] != 0);      // nothing takes effect that was not asked for
          assert (flying[p] < IN_FLIGHT);
        end
      end
    end
  endgenerate

  // which goes first
  wire [OP_BITS-1:0] op [1:0];
  wire [1:0] remote;
  wire [31:0] address [1:0];
  wire [63:0] data [1:0];
  wire [7:0] strobe [1:0];
  wire [TAG_BITS-1:0] tag [1:0];
  wire [1:0] named;
  wire [2:0] rank [1:0];
  assign {op[0], remote[0], address[0], data[0], strobe[0], tag[0]} = head[0];
  assign {op[1], remote[1], address[1], data[1], strobe[1], tag[1]} = head[1];
  generate
    for (p = 0; p < 2; p = p + 1) begin : class
      assign named[p] = done[p] && address[p][3 +: INDEX_BITS] == chosen;
      assign rank[p] =
        op[p] == OP_LOAD ? 0 :
        op[p] == OP_EXPECT_TX || op[p] == OP_CP_ASYNC_BEGIN ? 1 :
        op[p] == OP_COMPLETE_TX || op[p] == OP_BULK_COMPLETE_TX || op[p] == OP_CP_ASYNC_END ? 3 :
        op[p] == OP_TEST_WAIT || op[p] == OP_TEST_WAIT_PARITY || op[p] == OP_TRY_WAIT || op[p] == OP_TRY_WAIT_PARITY ? 4 : 2;
    end
  endgenerate
  wire swap = rank[1] < rank[0];      // port 1 first

  // the golden word
  reg [63:0] word;
  wire [63:0] answer [1:0];
  wire [1:0] posted, needs_word, predicate;
  wire [STATUS_BITS-1:0] status [1:0];
  wire [63:0] first_after, first_answer, second_after, second_answer;
  wire first = swap, second = !swap;
  wire first_posted, first_needs, first_predicate, second_posted, second_needs, second_predicate;
  wire [STATUS_BITS-1:0] first_status, second_status;
  golden one (
    .word(word), .op(op[first]), .remote(remote[first]), .address(address[first]), .data(data[first]),
    .strobe(strobe[first]), .posted(first_posted), .needs_word(first_needs), .status(first_status),
    .predicate(first_predicate), .answer(first_answer), .after(first_after)
  );
  wire [63:0] between = named[first] ? first_after : word;
  golden two (
    .word(between), .op(op[second]), .remote(remote[second]), .address(address[second]), .data(data[second]),
    .strobe(strobe[second]), .posted(second_posted), .needs_word(second_needs), .status(second_status),
    .predicate(second_predicate), .answer(second_answer), .after(second_after)
  );
  assign status[0] = swap ? second_status : first_status;
  assign status[1] = swap ? first_status : second_status;
  assign needs_word[0] = swap ? second_needs : first_needs;
  assign needs_word[1] = swap ? first_needs : second_needs;
  assign posted[0] = swap ? second_posted : first_posted;
  assign posted[1] = swap ? first_posted : second_posted;
  assign predicate[0] = swap ? second_predicate : first_predicate;
  assign predicate[1] = swap ? first_predicate : second_predicate;
  assign answer[0] = swap ? second_answer : first_answer;
  assign answer[1] = swap ? first_answer : second_answer;
  always @(posedge clk) begin
    if (!started && !resetting) assume (word == held_0);
    if (started && named != 0) word <= named[second] ? second_after : between;
  end

  // effects, and one answer, no matter which
  reg waiting = 0, answered = 0;
  reg [7:0] outstanding [1:0];
  reg [7:0] ahead;
  reg [63:0] its_answer;
  reg [STATUS_BITS-1:0] its_status;
  reg its_predicate, its_port;
  reg [TAG_BITS-1:0] its_tag;
  wire [1:0] taken = rsp_valid & rsp_ready & {2{started}};
  reg together = 0;                   // both have arrived on the word, in one cycle
  wire [1:0] arrives = {op[1] == OP_ARRIVE && data[1][31:0] == 1, op[0] == OP_ARRIVE && data[0][31:0] == 1} & named;
  reg [1:0] arrived = 0;
  always @(posedge clk) if (started) begin
    arrived <= arrived | arrives;
    together <= together || arrives == 3;
    combined_answers: cover (waiting && its_port && taken[1] && ahead == 0 && its_status == STATUS_OK && its_answer != 0 && together);
    split: cover (arrives == 2 && arrived == 1);
    overrun: cover (arrives == 3 && between[63] != word[63] && status[0] == STATUS_OK && status[1] == STATUS_OK);
  end
  integer q;
  always @(posedge clk) begin
    for (q = 0; q < 2; q = q + 1) begin
      outstanding[q] <= !started ? 0 : outstanding[q] + (done[q] && !posted[q]) - taken[q];
      if (done[q]) begin
        assert (done_tag[TAG_BITS*q +: TAG_BITS] == tag[q]);
        assert (done_index[INDEX_BITS*q +: INDEX_BITS] == address[q][3 +: INDEX_BITS]);
        if (named[q] || !needs_word[q]) assert (done_status[STATUS_BITS*q +: STATUS_BITS] == status[q]);
      end
      if (taken[q]) assert (outstanding[q] != 0);
      if (started && done[q] && !posted[q] && track && tracked_port == q && !waiting && !answered && (named[q] || !needs_word[q]))
      begin
        waiting <= 1;
        ahead <= outstanding[q] - taken[q];
        its_port <= q;
        its_answer <= answer[q];
        its_status <= status[q];
        its_predicate <= predicate[q];
        its_tag <= tag[q];
      end
      if (waiting && its_port == q && taken[q]) begin
        ahead <= ahead - 1;
        if (ahead == 0) begin
          waiting <= 0;
          answered <= 1;
          assert (rsp_tag[TAG_BITS*q +: TAG_BITS] == its_tag);
          assert (rsp_status[STATUS_BITS*q +: STATUS_BITS] == its_status);
          if (its_status == STATUS_OK) begin
            assert (rsp_predicate[q] == its_predicate);
            assert (rsp_data[64*q +: 64] == its_answer);
          end
        end
      end
    end
  end
endmodule
