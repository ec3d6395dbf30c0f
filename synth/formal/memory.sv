// A unit of one port. The golden word goes through every request as it is accepted; the answer to one of them, no matter
// which, must be the one that the golden word gave.
module top (
  input wire clk,
  input wire req_valid, rsp_ready, bank_stall, remote_pending,
  input wire [OP_BITS-1:0] req_op,
  input wire req_remote,
  input wire [31:0] req_address,
  input wire [63:0] req_data,
  input wire [7:0] req_strobe,
  input wire [TAG_BITS-1:0] req_tag,
  input wire [2:0] req_order,
  input wire track
);
  (* anyconst *) wire [INDEX_BITS-1:0] chosen;
  (* keep *) wire [INDEX_BITS-1:0] chosen_row = chosen;
  (* keep *) wire [63:0] held_0;          // what the memory holds: connected by the flow
  reg resetting = 1, started = 0;       // two cycles of reset: what is in the pipeline at first may be written in one of them
  wire rst = !started;
  always @(posedge clk) {started, resetting} <= {!resetting, 1'b0};

  wire req_ready, rsp_valid, rsp_predicate;
  wire [TAG_BITS-1:0] rsp_tag;
  wire [STATUS_BITS-1:0] rsp_status;
  wire [63:0] rsp_data;
  wire done_valid, done_flips;
  wire [STATUS_BITS-1:0] done_status;
  wire [INDEX_BITS-1:0] done_index;
  (* keep *) wire writes_0;               // and what is written to it
  (* keep *) wire [63:0] written_0;
  txbar_unit dut (
    .clk(clk), .rst(rst), .req_valid(req_valid), .req_ready(req_ready), .req_op_0(req_op), .req_remote_0(req_remote),
    .req_address_0(req_address), .req_data_0(req_data), .req_strobe_0(req_strobe), .req_tag_0(req_tag),
    .req_order_0(req_order), .bank_stall(bank_stall), .remote_pending(remote_pending), .rsp_valid(rsp_valid),
    .rsp_ready(rsp_ready), .rsp_tag_0(rsp_tag), .rsp_status_0(rsp_status), .rsp_predicate_0(rsp_predicate),
    .rsp_data_0(rsp_data), .done_valid(done_valid), .done_index_0(done_index),
    .done_status_0(done_status), .flip_valid(done_flips)
  );

  // the golden word
  reg [63:0] word;
  wire [63:0] after, answer;
  wire posted, needs_word, predicate, flips;
  wire [STATUS_BITS-1:0] status;
  golden model (
    .word(word), .op(req_op), .remote(req_remote), .address(req_address), .data(req_data), .strobe(req_strobe),
    .posted(posted), .needs_word(needs_word), .status(status), .predicate(predicate), .answer(answer), .after(after),
    .flips(flips)
  );
  wire accepted = started && req_valid && req_ready;
  wire named = req_address[3 +: INDEX_BITS] == chosen;
  always @(posedge clk) begin
    if (!started && !resetting) assume (word == held_0);
    if (accepted && named) word <= after;
  end

  // What the golden word becomes, request by request, until each takes effect. What is written when it does is the same.
  reg [63:0] line [IN_FLIGHT-1:0];
  reg [5:0] flying = 0;
  wire enters = accepted && named, leaves = started && done_valid && done_index == chosen;
  integer i;
  wire [5:0] kept = flying - leaves;
  always @(posedge clk) begin
    for (i = 0; i < IN_FLIGHT; i = i + 1) begin
      if (leaves && i + 1 < IN_FLIGHT) line[i] <= line[i + 1];
      if (enters && kept == i) line[i] <= after;
    end
    flying <= kept + enters;
    assert (kept < IN_FLIGHT);
  end
  // The first disagreement is looked for; before it, the solver may take it that there is agreement.
  reg agreed = 1;
`ifdef HIGH_CLOCK
  // The word is written a cycle before the request takes effect: the memory holds it then, but for the fault bit that a posted
  // request leaves behind, which is written a cycle later. Each field is a question of its own, which is quicker.
  reg [IN_FLIGHT-1:0] silent, completes;        // of each in `line`: posted; it completes the phase
  reg [STATUS_BITS-1:0] statuses [IN_FLIGHT-1:0];
  always @(posedge clk) for (i = 0; i < IN_FLIGHT; i = i + 1) begin
    if (leaves && i + 1 < IN_FLIGHT)
      {statuses[i], silent[i], completes[i]} <= {statuses[i + 1], silent[i + 1], completes[i + 1]};
    if (enters && kept == i) {statuses[i], silent[i], completes[i]} <= {status, posted, flips};
  end
  wire late = leaves && silent[0] && (done_status == STATUS_PENDING_UNDERFLOW || done_status == STATUS_EXPECTED_UNDERFLOW
    || done_status == STATUS_TX_RANGE || done_status == STATUS_FAULTED_WORD);
  reg due = 0;
  reg [63:0] left;
  always @(posedge clk) {due, left} <= {late, line[0]};
  wire [63:0] wanted = due ? left : line[0];
  wire compared = due || leaves && !late;
  wire same_pending = !compared || held_0[PENDING_LSB +: PENDING_BITS] == wanted[PENDING_LSB +: PENDING_BITS];
  wire same_expected = !compared || held_0[EXPECTED_LSB +: EXPECTED_BITS] == wanted[EXPECTED_LSB +: EXPECTED_BITS];
  wire same_tx = !compared || held_0[TX_LSB +: TX_BITS] == wanted[TX_LSB +: TX_BITS];
  wire same_bits = !compared || {held_0[PHASE_LSB], held_0[FAULT_LSB], held_0[0]} == {wanted[PHASE_LSB], wanted[FAULT_LSB], wanted[0]};
  wire same_status = !leaves || done_status == statuses[0];
  wire same_flip = !leaves || done_flips == completes[0];
  wire agrees = same_pending && same_expected && same_tx && same_bits && same_status && same_flip;
  always @(posedge clk) if (started && agreed) begin
    pending: assert (same_pending || completes[0]);
    reloaded: assert (same_pending || !completes[0]);
    tx: assert (same_tx);
    single_bits: assert (same_bits);
    expected: assert (same_expected);
    flip: assert (same_flip);
    refusal: assert (same_status);
  end
`else
  // no other name for writes_0: what connects it from outside would cut that name off, and it would be anything
  wire agrees = !leaves || !writes_0 || written_0 == line[0];
  always @(posedge clk) if (started) assert (!agreed || agrees);
`endif
  always @(posedge clk) agreed <= agreed && agrees;

  reg [1:0] effects = 0;                    // requests that have moved the word
  always @(posedge clk) if (leaves && line[0] != last && effects != 3) effects <= effects + 1;
  reg [63:0] last;                          // what the one before has left
  always @(posedge clk) if (!started) last <= word; else if (leaves) last <= line[0];
  always @(posedge clk) if (started) begin
`ifdef HIGH_CLOCK
    second: cover (leaves && effects == 1 && line[0] != last);
    first_answer: cover (waiting && taken && ahead == 0 && effects == 1);
`else
    third: cover (leaves && effects == 2 && line[0] != last);
    answer_of_a_flip: cover (waiting && taken && ahead == 0 && effects == 2 && completed && expected_status == STATUS_OK);
`endif
  end
  reg completed = 0;                        // the one that is looked at completes the phase
  always @(posedge clk) if (accepted && track && !waiting) completed <= flips;

  // one request that is answered, and how many answers come before its own
  reg waiting = 0, answered = 0;
  reg [7:0] outstanding = 0, ahead;
  reg [63:0] expected_answer;
  reg [STATUS_BITS-1:0] expected_status;
  reg expected_predicate;
  reg [TAG_BITS-1:0] expected_tag;
  wire taken = started && rsp_valid && rsp_ready;
  always @(posedge clk) if (started) begin
    outstanding <= outstanding + (accepted && !posted) - taken;
    if (accepted && !posted && track && !waiting && !answered && (named || !needs_word)) begin
      waiting <= 1;
      ahead <= outstanding - taken;
      expected_answer <= answer;
      expected_status <= status;
      expected_predicate <= predicate;
      expected_tag <= req_tag;
    end
    if (taken) assert (outstanding != 0);
    if (waiting && taken) begin
      ahead <= ahead - 1;
      if (ahead == 0) begin
        waiting <= 0;
        answered <= 1;
        assert (!agreed || rsp_status == expected_status);
        assert (!agreed || rsp_tag == expected_tag);
        if (expected_status == STATUS_OK) begin
          assert (!agreed || rsp_predicate == expected_predicate);
          assert (!agreed || rsp_data == expected_answer);
        end
      end
    end
  end
endmodule
