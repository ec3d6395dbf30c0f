// What the ring of the high-clock build shows to its pipeline, compared with what any_requests.sv can show in its place. Where operations
// lead to (lookahead, accumulator) is anything, so the pipeline goes back whenever it likes; who is accepted, what is under way, and
// what goes back where, are as they are.
//
// any_requests.sv shows whatever is pushed two cycles earlier, unless the pipeline goes back in between. So it can show all that the ring
// shows if this holds in each cycle in which the ring shows a request:
//
//   1. what is shown is, in all its fields together, a request that was pushed: it could have been pushed two cycles ago;
//   2. the pipeline has not gone back in the two cycles before;
//   3. its number was shown a cycle before.
//
// The place is one of the ring that the solver chooses: what holds of it holds of all.
module top (
  input wire clk,
  input wire req_valid,
  input wire [OP_BITS-1:0] req_op,
  input wire req_remote,
  input wire [31:0] req_address,
  input wire [63:0] req_data,
  input wire [7:0] req_strobe,
  input wire [TAG_BITS-1:0] req_tag,
  input wire rsp_ready
);
  localparam PLACE_BITS = $clog2(IN_FLIGHT);
  localparam REQUEST_BITS = KIND_BITS + 8 + 64 + TX_BITS + INDEX_BITS + TAG_BITS;
  (* anyconst *) wire [PLACE_BITS-1:0] chosen;
  reg resetting = 1, started = 0;               // two cycles of reset
  wire rst = !started;
  always @(posedge clk) {started, resetting} <= {!resetting, 1'b0};

  txbar_unit dut (
    .clk(clk), .rst(rst), .req_valid(req_valid), .req_op_0(req_op), .req_remote_0(req_remote), .req_address_0(req_address),
    .req_data_0(req_data), .req_strobe_0(req_strobe), .req_tag_0(req_tag), .req_order_0(0), .bank_stall(1'b0),
    .remote_pending(1'b0), .rsp_ready(rsp_ready)
  );

  // inside of the ring: connected by the flow
  (* keep *) wire push, goes_back, valid;
  (* keep *) wire [PLACE_BITS-1:0] tail, position;
  (* keep *) wire [REQUEST_BITS-1:0] entering, shown;
  (* keep *) wire [INDEX_BITS-1:0] index, early_index;

  // what was last pushed to the chosen place
  reg filled = 0, seen = 0;
  reg [REQUEST_BITS-1:0] pushed;
  reg went_back = 0, went_back_before = 0;
  reg [INDEX_BITS-1:0] was_early;
  wire mine = started && valid && position == chosen;
  always @(posedge clk) begin
    if (started && push && tail == chosen) {filled, seen, pushed} <= {1'b1, 1'b0, entering};
    else if (mine) seen <= 1;
    {went_back_before, went_back} <= {went_back, goes_back && started};
    was_early <= early_index;
    if (started) begin
      was_pushed: assert (!mine || filled && shown == pushed);
      nobody_went_back: assert (!mine || !went_back && !went_back_before);
      number_first: assert (!mine || index == was_early);
      shown_again: cover (mine && seen && pushed[TAG_BITS]);
    end
  end
endmodule
