// The entrances of a fabric stop in time. What its bank does is not looked at: it makes a pause whenever it likes, and answers come as
// they may. However it is, no more batches of requests wait or are served than there are places for, and no more than OWED
// answers are owed to a port.
module top (
  input wire clk,
  input wire [1:0] req_valid,
  input wire [OP_BITS-1:0] req_op_0, req_op_1,
  input wire bank_stall
);
  localparam PLACES = 15, OWED = 30;
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
  (* keep *) wire goes;                           // the last request of a batch is given to the bank
  (* keep *) wire [1:0] told;                     // an answer has been taken

  reg [5:0] waiting = 0;                          // batches
  always @(posedge clk) if (started) waiting <= waiting + (come != 0) - goes;
  always @* if (started) begin
    room: assert (waiting <= PLACES);
    out_of_nothing: assert (!goes || waiting != 0);
    last_place: cover (waiting == PLACES);
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
  (* keep *) wire busy, several, queued, more, less, crowded, stop;
  (* keep *) wire [3:0] oldest, behind, filling, serving;
  (* keep *) wire [5:0] count;
  (* keep *) wire [1:0] ready, owes, pays;
  (* keep *) wire [5:0] known_0, known_1;
  // how many steps lead to a place
  function [3:0] steps(input [3:0] place);
    case (place)
      4'b0001: steps = 0;
      4'b0010: steps = 1;
      4'b0100: steps = 2;
      4'b1001: steps = 3;
      4'b0011: steps = 4;
      4'b0110: steps = 5;
      4'b1101: steps = 6;
      4'b1010: steps = 7;
      4'b0101: steps = 8;
      4'b1011: steps = 9;
      4'b0111: steps = 10;
      4'b1111: steps = 11;
      4'b1110: steps = 12;
      4'b1100: steps = 13;
      default: steps = 14;                        // 1000, and where they begin
    endcase
  endfunction
  function [3:0] between(input [3:0] from, input [3:0] to);
    between = steps(to) >= steps(from) ? steps(to) - steps(from) : steps(to) - steps(from) + 4'd15;
  endfunction
  wire [3:0] there = between(oldest, behind);     // batches in the queue
  wire [5:0] counted = count + more - less;
  // at most so many will wait, if none goes: those that may still be accepted before anybody hears that there are many
  wire [5:0] to_come = (come != 0) + (ready != 0) + !stop + !crowded;
  wire [5:0] sum_0 = known_0 + owes[0] - pays[0], sum_1 = known_1 + owes[1] - pays[1];
  always @* in_order: assert (!started || !resetting);
  always @* if (started) begin
    either: assert (!(more && less) && (owes & pays) == 0);
    level: assert (counted == waiting && count <= PLACES);
    begins: assert ((oldest == 0) == (behind == 0) && (oldest == 0) == (filling == 0) && (oldest == 0) == (serving == 0));
    nobody_yet: assert (oldest != 0 || (waiting == 0 && come == 0));
    memory: assert (waiting == there + busy && queued == (there != 0) && (busy || !(queued || several)));
    places: assert (waiting == between(serving, filling) || (waiting == PLACES && serving == filling));
    enough: assert (waiting + to_come <= PLACES);
    known: assert (sum_0 == owed_0[5:0] && sum_1 == owed_1[5:0] && known_0 <= OWED && known_1 <= OWED);
    enough_owed: assert (owed_0 + ready[0] <= OWED && owed_1 + ready[1] <= OWED);
  end else begin
    nothing: assert (waiting == 0 && owed_0 == 0 && owed_1 == 0);
  end
endmodule
