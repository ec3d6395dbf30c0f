// The entrances of a fabric stop in time. What its bank does is not looked at: it makes a pause whenever it likes, and answers come as
// they may. However it is, no more batches of requests wait than there are places for (one more is served), and no more than OWED
// answers are owed to a port.
module top (
  input wire clk,
  input wire [1:0] req_valid,
  input wire [OP_BITS-1:0] req_op_0, req_op_1,
  input wire bank_stall
);
  localparam PLACES = 16, OWED = 51;
  reg resetting = 1, started = 0;
  wire rst = !started;
  always @(posedge clk) {started, resetting} <= {!resetting, 1'b0};
  wire [1:0] req_ready;
  txbar_unit dut (
    .clk(clk), .rst(rst), .req_valid(req_valid), .req_ready(req_ready), .req_op_0(req_op_0), .req_op_1(req_op_1),
    .bank_stall(bank_stall)
  );
  // connected by the flow
  (* keep *) wire [1:0] come;                     // ports that bring a request
  (* keep *) wire goes;                           // a batch need not wait any longer
  (* keep *) wire [1:0] told;                     // an answer has been taken

  reg [5:0] waiting = 0;                          // batches
  always @(posedge clk) if (started) waiting <= waiting + (come != 0) - goes;
  always @* if (started) begin
    room: assert (waiting < PLACES);
    out_of_nothing: assert (!goes || waiting != 0);
    last_place: cover (waiting == PLACES - 1);
  end
  reg [6:0] owed_0 = 0, owed_1 = 0;               // answers
  function posted(input [OP_BITS-1:0] op);
    posted = POSTED_OPS[op];
  endfunction
  wire [1:0] asked = req_valid & req_ready & {!posted(req_op_1), !posted(req_op_0)};
  always @* assume (!told[0] || owed_0 != 0);     // what is answered has been asked for
  always @* assume (!told[1] || owed_1 != 0);
  always @(posedge clk) if (started) begin
    owed_0 <= owed_0 + asked[0] - told[0];
    owed_1 <= owed_1 + asked[1] - told[1];
  end
  always @* if (started) bounded: assert (owed_0 <= OWED && owed_1 <= OWED);

  // Lemmas: what the registers hold (connected by the flow). With them each step follows from the one before.
  (* keep *) wire pushed, arrived, some, one, went, more, less, crowded, stop;
  (* keep *) wire [4:0] tail, head, youngest;
  (* keep *) wire [5:0] count;
  (* keep *) wire [1:0] to, valid, stopped, ready, taken, owes, pays;
  (* keep *) wire [5:0] known_0, known_1;
  (* keep *) wire [2*OP_BITS-1:0] ops;
  wire [4:0] there = tail - head;                 // batches that can be read
  wire [4:0] were = there - arrived + went;       // and a cycle ago
  wire [5:0] counted = count + more - less;
  // at most so many will wait, if none goes: those that may still be accepted before anybody hears that there are many
  wire [5:0] to_come =
    (come != 0) + (to != 0) + (valid != 0) + (ready != 0) + (stopped != 3) + !stop + !crowded;
  wire [1:0] counts = valid & {!posted(ops[OP_BITS +: OP_BITS]), !posted(ops[0 +: OP_BITS])};
  wire [5:0] sum_0 = known_0 + owes[0] - pays[0] + counts[0] - taken[0], sum_1 = known_1 + owes[1] - pays[1] + counts[1] - taken[1];
  always @* in_order: assert (!started || !resetting);
  always @* if (started) begin
    either: assert (!(more && less) && (owes & pays) == 0);
    level: assert (counted == waiting);
    memory: assert (waiting == there + pushed);
    was_there: assert (were < PLACES && some == (were != 0) && (!went || were != 0) && (were == 0 || one == (were == 1)));
    newest: assert (there == 0 || youngest == 5'(tail - 1));
    enough: assert (waiting + to_come < PLACES);
    known: assert (sum_0 == owed_0[5:0] && sum_1 == owed_1[5:0]);
    enough_owed: assert (owed_0 + ready[0] <= OWED && owed_1 + ready[1] <= OWED);
  end else begin
    nothing: assert (waiting == 0 && owed_0 == 0 && owed_1 == 0);
  end
endmodule
