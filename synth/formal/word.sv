// What operations do to a word: the ALU on its own, with any operations in a row, each on the word of the one ahead of it or on
// another. What is asserted of an operation in c4 is told in natural numbers; the ALU adds to negative fields.
//
//   c2 (inputs)            c3 (inputs)                          c4
//   fetched, followed ───► base: the word before ─────────────► before ──┬─ compared
//                          arrivals, leaves, bytes, ... ──────► ALU ─────┘
//
// `followed`: the operation in c2 is on the word of the one in c3. Otherwise its word is `fetched`, which is anything.
// One of these is defined:
//   FLIP    a phase completes exactly when pending and tx-count both come to zero, and what becomes of the word then
//   RANGES  no count ever leaves its range: an operation that would take it there is refused, and moves nothing
//   STICKY  a fault bit stays, and the word with it, until it is stored to or initialised
//   DROP    a drop takes from the later phases what it takes from this one, and nothing else takes from them
module top (
  input wire clk,
  input wire advance, followed,
  input wire [63:0] fetched,
  input wire [PENDING_BITS-1:0] arrivals,      // of the operation in c3: how many arrive
  input wire leaves,                           // they leave the later phases, too
  input wire signed [TX_BITS-1:0] bytes,       // bytes that it expects; completed ones are below zero
  input wire updates, marks,                   // it moves counts; its fault sets the sticky bit
  input wire [63:0] replace, insert            // what it stores
);
  always @* assume (!updates || replace == 0);
  always @* assume ((insert & ~replace) == 0);
  always @* assume (bytes != -(1 << (TX_BITS - 1)));       // 2^20 - 1 bytes at most

  reg [1:0] age = 0;                           // what was in the pipeline at first is gone when both are set
  reg behind;
  reg [63:0] stored, before;
  reg [PENDING_BITS-1:0] arrivals_4;
  reg leaves_4, updates_4, marks_4;
  reg signed [TX_BITS-1:0] bytes_4;
  reg [63:0] replace_4, insert_4;
  wire [63:0] old, word;
  always @(posedge clk) if (advance) begin
    age <= {age[0], 1'b1};
    {behind, stored} <= {followed, fetched};
    before <= behind ? word : stored;
    {arrivals_4, leaves_4, bytes_4, updates_4, marks_4} <= {arrivals, leaves, bytes, updates, marks};
    {replace_4, insert_4} <= {replace, insert};
  end
  always @* assume (!followed || age[0]);
  wire sound = age[1];

  wire [PENDING_BITS-1:0] drops = leaves ? arrivals : 0;
  wire [TX_BITS-1:0] tx = -bytes, tx_negative = bytes;
  wire flips, pending_fault, expected_fault, tx_fault;
  txbar_alu dut (
    .clk(clk), .advance(advance), .moves_on(advance), .replaying(1'b0), .restart(1'b0), .last(1'b1), .group(1'b0),
    .mixed(1'b0), .completing(1'b0), .expecting_alone(1'b0), .fetched(fetched), .followed(followed),
    .arrivals(arrivals), .arrivals_negative(-arrivals), .drops(drops), .drops_negative(-drops), .tx(tx),
    .tx_negative(tx_negative), .updates(updates), .marks(marks), .replace(replace), .insert(insert), .old(old), .word(word),
    .flips(flips), .pending_fault(pending_fault), .expected_fault(expected_fault), .tx_fault(tx_fault)
  );

  // in natural numbers
  wire [PENDING_BITS-1:0] drops_4 = leaves_4 ? arrivals_4 : 0;
  wire [PENDING_BITS-1:0] pending = -before[PENDING_LSB +: PENDING_BITS], pending_after = -word[PENDING_LSB +: PENDING_BITS];
  wire [EXPECTED_BITS-1:0] expected = -before[EXPECTED_LSB +: EXPECTED_BITS], expected_after = -word[EXPECTED_LSB +: EXPECTED_BITS];
  wire [TX_BITS-1:0] stored_tx = -before[TX_LSB +: TX_BITS], stored_tx_after = -word[TX_LSB +: TX_BITS];
  // below zero from 2^20 + 1 on: 2^20 itself is above
  wire signed [TX_BITS:0] tx_count = {stored_tx > TX_MAX, stored_tx}, tx_after = {stored_tx_after > TX_MAX, stored_tx_after};
  wire signed [TX_BITS:0] tx_sum = tx_count + bytes_4;
  wire faulted = before[FAULT_LSB];
  wire too_many = arrivals_4 > pending, too_many_leave = drops_4 > expected, strays = tx_sum > TX_MAX || tx_sum < TX_MIN;
  wire moves = updates_4 && !faulted && !too_many && !too_many_leave && !strays;      // it is done
  wire both_zero = pending == arrivals_4 && tx_sum == 0;
  wire [PENDING_BITS-1:0] pending_left = pending - arrivals_4, expected_left = expected - drops_4;
  reg [63:0] stepped;                          // the word once it is done
  always @* begin
    stepped = before;
    stepped[PENDING_LSB +: PENDING_BITS] = both_zero ? -expected_left : -pending_left;
    stepped[EXPECTED_LSB +: EXPECTED_BITS] = -expected_left;
    stepped[TX_LSB +: TX_BITS] = -tx_sum;
    stepped[PHASE_LSB] = before[PHASE_LSB] ^ both_zero;
  end
  always @* if (sound) begin
`ifdef FLIP
    exactly_when: assert (flips == (moves && both_zero));
    if (flips) begin
      phase_flips: assert (word[PHASE_LSB] != before[PHASE_LSB]);
      pending_is_reloaded: assert (pending_after == expected_after);
      tx_is_zero: assert (tx_after == 0);
    end else if (updates_4) begin
      phase_stays: assert (word[PHASE_LSB] == before[PHASE_LSB]);
    end
`endif
`ifdef RANGES
    why_pending: assert (!updates_4 || faulted || pending_fault == too_many);
    why_expected: assert (!updates_4 || faulted || expected_fault == too_many_leave);
    why_tx: assert (!updates_4 || faulted || tx_fault == strays);
    if (updates_4 && !moves) nothing_moves: assert ((word | 64'd1 << FAULT_LSB) == (before | 64'd1 << FAULT_LSB));
    if (moves && !both_zero) begin
      pending_is_less: assert (pending_after == pending - arrivals_4);
      bytes_are_counted: assert (tx_after == tx_sum);
    end
`endif
`ifdef STICKY
    if (faulted && updates_4) nothing_moves: assert (word == before && !flips);
    if (faulted && replace_4 == 0) stays: assert (word == before);
    if (updates_4 && !faulted) marked: assert (word[FAULT_LSB] == (marks_4 && !moves));
`endif
`ifdef DROP
    if (updates_4) only_drops: assert (expected_after == (moves ? expected - drops_4 : expected));
    if (moves && !flips) this_phase: assert (pending_after == pending - arrivals_4);
`endif
  end

  reg after_flip = 0;                          // the operation is on the word of one that has completed its phase
  always @(posedge clk) if (advance) after_flip <= behind && flips;
  always @* if (sound) begin
    follows_a_flip: cover (after_flip && moves && !flips);
    faults: cover (updates_4 && !faulted && !moves && word[FAULT_LSB]);
  end

  // Lemmas: what registers of the ALU hold (connected by the flow). With them each step follows from the one before.
  (* keep *) wire alu_behind, alu_holds_or_alone, alu_holds, alu_taints;
  (* keep *) wire alu_pending_left, alu_pending_met, alu_expected_left, alu_expected_met;
  (* keep *) wire [63:0] alu_stored;
  always @* begin
    if (age[0]) begin
      follows: assert (alu_behind == behind);
      alone: assert (alu_holds_or_alone == (alu_holds || !behind));
      stored_word: assert (alu_stored == (behind ? old : stored));
      first_is_alone: assert (sound || !behind);
    end
    if (sound) begin
      in_order: assert (age[0] && (!updates_4 || replace_4 == 0) && (insert_4 & ~replace_4) == 0);
      in_range: assert (bytes_4 != -(1 << (TX_BITS - 1)));
      old_word: assert (old == ((before & ~replace_4) | insert_4));
      holding: assert (alu_holds == (!updates_4 || faulted));
      tainting: assert (alu_taints == (updates_4 && marks_4));
      pending_left_is: assert (alu_pending_left == (pending > arrivals_4));
      pending_met_is: assert (alu_pending_met == (pending == arrivals_4));
      expected_left_is: assert (alu_expected_left == (expected > drops_4));
      expected_met_is: assert (alu_expected_met == (expected == drops_4));
      straying: assert (tx_fault == strays);
      flipping: assert (flips == (moves && both_zero));
      its_word: assert (word == (!updates_4 ? old : moves ? stepped : before | (marks_4 ? 64'd1 << FAULT_LSB : 64'd0)));
    end
  end
endmodule
