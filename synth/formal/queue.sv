// The response queue on its own, with a bank that gives answers to those that were promised a place, at any time.
module top (
  input wire clk,
  input wire reserve, push, withdraw, ready, track,
  input wire [TAG_BITS-1:0] push_tag,
  input wire [STATUS_BITS-1:0] push_status,
  input wire push_predicate,
  input wire [63:0] push_data
);
  reg started = 0;
  always @(posedge clk) started <= 1;
  wire room, valid, predicate;
  wire [TAG_BITS-1:0] tag;
  wire [STATUS_BITS-1:0] status;
  wire [63:0] data;
  txbar_response_queue dut (
    .clk(clk), .rst(!started), .reserve(reserve), .push(push), .push_tag(push_tag), .push_status(push_status),
    .push_predicate(push_predicate), .push_data(push_data), .withdraw(withdraw), .ready(ready), .room(room), .valid(valid),
    .tag(tag), .status(status), .predicate(predicate), .data(data)
  );

  // answers that were promised and have not come, and those that have come and were not taken
  reg [7:0] promised = 0, held = 0;
  reg settled = 0;                  // from the second cycle after reset on
  wire taken = valid && ready;
  always @* begin
    assume (!reserve || room);
    assume (push + withdraw <= promised);
  end
  always @(posedge clk) if (started) begin
    promised <= promised + reserve - push - withdraw;
    held <= held + push - taken;
    assert (promised + held <= QUEUE_DEPTH);      // never more than there is room for
    assert (valid == (held != 0));                // shown as soon as it is there, and never without
    if (settled) assert (room == (promised + held != QUEUE_DEPTH));   // room is given when there is some
    settled <= 1;
  end

  // one answer, no matter which: it comes in its turn, as it was
  reg waiting = 0;
  reg [7:0] ahead;
  reg came_last = 0;                // behind as many as there is room for
  reg [TAG_BITS+STATUS_BITS+64:0] it;
  always @(posedge clk) if (started) begin
    if (waiting && taken) ahead <= ahead - 1;
    if (waiting && taken && ahead == 0) waiting <= 0;
    if (push && track && !waiting) begin
      waiting <= 1;
      ahead <= held - taken;
      came_last <= held - taken == QUEUE_DEPTH - 1;
      it <= {push_tag, push_status, push_predicate, push_data};
    end
    if (waiting) assert (ahead < held);
    if (waiting && ahead == 0) assert ({tag, status, predicate, data} == it);
    full: cover (held == QUEUE_DEPTH && !room);
    in_its_turn: cover (waiting && taken && ahead == 0 && came_last);
  end
endmodule
