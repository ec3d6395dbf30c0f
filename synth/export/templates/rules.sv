// What a port of a unit keeps to, by its pins. The proofs `answers` and `held` of txbar are of these two modules: there of one tag, whichever it
// is (FORMAL); in a simulation of every tag.

// Every request is answered once, with its tag, and nothing else is.
module answer_rules #(
  parameter integer OP_BITS = 5,
  parameter integer TAG_BITS = 8,
  parameter integer STATUS_BITS = 5,
  parameter [31:0] POSTED = 0,    // opcodes that are not answered
  parameter [31:0] STATUSES = 0,  // statuses that there are
  parameter [15:0] MOST = 0       // requests of a port and tag that may wait for their answers
) (
`ifdef FORMAL
  input wire [TAG_BITS-1:0] chosen,
`endif
  input wire clk, rst,
  input wire req_valid, req_ready, rsp_valid, rsp_ready,
  input wire [OP_BITS-1:0] req_op,
  input wire [TAG_BITS-1:0] req_tag, rsp_tag,
  input wire [STATUS_BITS-1:0] rsp_status,
  // a request takes effect; and is a wait that no answer will end, but a mask
  input wire done_valid, done_suspended, is_masked,
  input wire [TAG_BITS-1:0] done_tag,
  input wire [STATUS_BITS-1:0] done_status
);
`ifdef FORMAL
  localparam integer CELLS = 1;
  wire asks = req_valid && req_ready && !POSTED[req_op] && req_tag == chosen;
  wire answers = rsp_valid && rsp_ready && rsp_tag == chosen;
  wire leaves = done_valid && is_masked && done_tag == chosen;
  wire asked = 0, answered = 0, left = 0;
`else
  localparam integer CELLS = 1 << TAG_BITS;
  wire asks = req_valid && req_ready && !POSTED[req_op];
  wire answers = rsp_valid && rsp_ready;
  wire leaves = done_valid && is_masked;
  wire [TAG_BITS-1:0] asked = req_tag, answered = rsp_tag, left = done_tag;
`endif
  reg [15:0] owed [0:CELLS-1];
  integer i;
  // one after the other: they may be of one tag
  // verilator lint_off BLKSEQ
  always @(posedge clk)
    if (rst) for (i = 0; i < CELLS; i = i + 1) owed[i] = 0;
    else begin
      if (answers) begin
        asked_for: assert (owed[answered] != 0);
        owed[answered] = owed[answered] - 1;
      end
      if (leaves) owed[left] = owed[left] - 1;
      if (asks) begin
        owed[asked] = owed[asked] + 1;
        answered_in_time: assert (owed[asked] <= MOST);
      end
      if (rsp_valid) known_status: assert (STATUSES[rsp_status]);
      accepted_if_there: assert (!req_ready || req_valid);
      suspended_if_done: assert (!done_suspended || (done_valid && done_status == 0));
    end
  // verilator lint_on BLKSEQ
endmodule

// An answer that is not taken stays, as it is.
module held_rules #(
  parameter integer BITS = 1
) (
  input wire clk, rst,
  input wire rsp_valid, rsp_ready,
  input wire [BITS-1:0] rsp
);
  reg held;
  reg [BITS-1:0] held_rsp;
  always @(posedge clk) begin
    held <= !rst && rsp_valid && !rsp_ready;
    held_rsp <= rsp;
    if (!rst && held) begin
      stays: assert (rsp_valid);
      stays_the_same: assert (rsp == held_rsp);
    end
  end
endmodule
