// What operations do to a word in the high-clock build, as soon as they come to its pipeline (any_requests.sv is in place of the
// ring): operations that are looked ahead of, forwarded and undone, on any words. What an operation writes is compared with
// what it does to what the memory holds when it is its turn.
//
//   pins           p9                     p10
//   request ─13──► written, held before ► done, status, flips ── compared; a sticky bit is written now
//
// One of these is defined:
//   FLIP    a phase completes exactly when pending and tx-count both come to zero, and what becomes of the word then
//   RANGES  no count ever leaves its range: an operation that would take it there is refused, and moves nothing
//   STICKY  a fault bit stays, and the word with it, until it is stored to or initialised
//   DROP    a drop takes from the later phases what it takes from this one, and nothing else takes from them
module top (
  input wire clk,
  input wire req_valid,
  input wire [OP_BITS-1:0] req_op,
  input wire req_remote,
  input wire [31:0] req_address,
  input wire [63:0] req_data,
  input wire [7:0] req_strobe
);
  (* anyconst *) wire [INDEX_BITS-1:0] chosen;
  (* keep *) wire [INDEX_BITS-1:0] chosen_row = chosen;
  (* keep *) wire [63:0] held_0;                // what the memory holds, and what is written to it: connected by the flow
  (* keep *) wire writes_0;
  (* keep *) wire [63:0] written_0;
  reg resetting = 1, started = 0;               // two cycles of reset
  wire rst = !started;
  always @(posedge clk) {started, resetting} <= {!resetting, 1'b0};

  wire done, flips, ready;
  wire [STATUS_BITS-1:0] done_status;
  wire [INDEX_BITS-1:0] done_index;
  txbar_unit dut (
    .clk(clk), .rst(rst), .req_valid(req_valid), .req_op_0(req_op), .req_remote_0(req_remote), .req_address_0(req_address),
    .req_data_0(req_data), .req_strobe_0(req_strobe), .req_tag_0(0), .req_order_0(0), .bank_stall(1'b0),
    .remote_pending(1'b0), .rsp_ready(1'b0), .req_ready(ready), .done_valid(done), .done_index_0(done_index), .done_status_0(done_status),
    .flip_valid(flips)
  );

  // the request that is in p10, if none ahead of it has surprised it
  localparam DONE_AFTER = 13;
  localparam REQUEST_BITS = OP_BITS + 1 + 32 + 64 + 8;
  reg [REQUEST_BITS-1:0] line [DONE_AFTER-1:0];
  integer i;
  always @(posedge clk) begin
    line[0] <= {req_op, req_remote, req_address, req_data, req_strobe};
    for (i = 1; i < DONE_AFTER; i = i + 1) line[i] <= line[i - 1];
  end
  wire [OP_BITS-1:0] op;
  wire remote;
  wire [31:0] address;
  wire [63:0] data;
  wire [7:0] strobe;
  assign {op, remote, address, data, strobe} = line[DONE_AFTER-1];

  // the word before it, and what was written a cycle ago
  reg [63:0] before, written;
  reg wrote;
  always @(posedge clk) {before, wrote, written} <= {held_0, writes_0, written_0};
  wire [63:0] after;
  wire posted, completes;
  wire [STATUS_BITS-1:0] status;
  golden model (
    .word(before), .op(op), .remote(remote), .address(address), .data(data), .strobe(strobe), .posted(posted),
    .status(status), .after(after), .flips(completes)
  );
  wire mine = started && done && done_index == chosen;
  // the sticky bit of a fault that was found late is written late
  wire late = mine && posted && (done_status == STATUS_PENDING_UNDERFLOW || done_status == STATUS_EXPECTED_UNDERFLOW
    || done_status == STATUS_TX_RANGE || done_status == STATUS_FAULTED_WORD);
  reg was_late = 0;
  always @(posedge clk) was_late <= late;
  wire [63:0] word = late ? written_0 : wrote ? written : before;

  wire in_time = mine ? !late || writes_0 && !wrote : !wrote || was_late;     // what is done is written, and nothing else
  wire named = !done || address[3 +: INDEX_BITS] == done_index;
  wire same_flip = !mine || flips == completes;
  wire same_status = !mine || done_status == status;
  wire same_pending = !mine || word[PENDING_LSB +: PENDING_BITS] == after[PENDING_LSB +: PENDING_BITS];
  wire same_expected = !mine || word[EXPECTED_LSB +: EXPECTED_BITS] == after[EXPECTED_LSB +: EXPECTED_BITS];
  wire same_tx = !mine || word[TX_LSB +: TX_BITS] == after[TX_LSB +: TX_BITS];
  wire same_phase = !mine || word[PHASE_LSB] == after[PHASE_LSB];
  wire same_fault = !mine || {word[FAULT_LSB], word[0]} == {after[FAULT_LSB], after[0]};
  wire agrees = in_time && named && same_flip && same_status && same_pending && same_expected && same_tx && same_phase && same_fault;

  // The first disagreement is looked for; before it, the solver may take it that there is agreement.
  reg agreed = 1;
  reg done_one = 0;                             // a request has taken effect on the word
  reg awake = 0;                                // requests have been accepted at all
  always @(posedge clk) awake <= started && (ready || awake);
  always @(posedge clk) done_one <= done_one || mine && after != before;
  always @(posedge clk) if (started) begin
    agreed <= agreed && agrees;
    second: cover (mine && done_one && completes);
    second_faults: cover (mine && done_one && status == STATUS_PENDING_UNDERFLOW);
    if (agreed) begin
`ifdef FLIP
      pending_is_reloaded: assert (same_pending || !completes);
      phase_flips: assert (same_phase);
      exactly_when: assert (same_flip);
`endif
`ifdef RANGES
      pending_is_less: assert (same_pending || completes);
      bytes_are_counted: assert (same_tx);
      why: assert (same_status);
`endif
`ifdef STICKY
      nothing_moves: assert (!mine || !before[FAULT_LSB] || status != STATUS_FAULTED_WORD || word == before && !flips);
      marked: assert (same_fault);
`endif
`ifdef DROP
      only_drops: assert (same_expected);
`endif
      any_request_is_taken: assert (ready || !req_valid || !awake);     // so that any_requests.sv can bring whatever the ring may bring
      in_its_time: assert (in_time);
      in_its_place: assert (named);
    end
  end
endmodule
