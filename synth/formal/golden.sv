// What one request does to the word that it names, told in natural numbers: counts that are taken away and compared.
// (The hardware adds to negative fields.) The rules are those of testbench/vectors/README.md.
module golden (
  input  wire [63:0] word,
  input  wire [OP_BITS-1:0] op,
  input  wire remote,
  input  wire [31:0] address,
  input  wire [63:0] data,
  input  wire [7:0] strobe,
  output wire posted,          // nobody is answered
  output wire needs_word,      // the status depends on the word
  output reg  [STATUS_BITS-1:0] status,
  output reg  predicate,
  output reg  [63:0] answer,
  output reg  [63:0] after,    // the word afterwards
  output wire flips,           // a phase completes
  // what it asks for
  output reg  moves,           // it moves counts:
  output reg  [31:0] arrivals, drops,
  output reg  signed [33:0] bytes,     // that it expects; what it completes is below zero
  output wire early            // it is refused for what it is, whatever the word
);
  // the word in natural numbers
  wire phase = word[PHASE_LSB];
  wire fault = word[FAULT_LSB];
  wire [PENDING_BITS-1:0] pending = -word[PENDING_LSB +: PENDING_BITS];
  wire [EXPECTED_BITS-1:0] expected = -word[EXPECTED_LSB +: EXPECTED_BITS];
  wire [TX_BITS-1:0] tx_stored = -word[TX_LSB +: TX_BITS];
  wire signed [TX_BITS+1:0] tx = $signed({2'b0, tx_stored}) - (tx_stored > TX_MAX ? $signed(1 << TX_BITS) : 0);

  // what the operation asks for
  wire [31:0] operand = data[31:0];
  reg known, foreign, counts, is_posted;      // has a meaning; another CTA may ask for it; its operand is a count
  always @* begin
    known = 1; foreign = 0; counts = 0; is_posted = 0; moves = 0;
    arrivals = 0; drops = 0; bytes = 0;
    case (op)
      OP_LOAD, OP_STORE: foreign = 1;
      OP_INIT: counts = 1;
      OP_INVAL, OP_TEST_WAIT, OP_TEST_WAIT_PARITY, OP_TRY_WAIT, OP_TRY_WAIT_PARITY, OP_PENDING_COUNT: ;
      OP_ARRIVE: begin moves = 1; counts = 1; foreign = 1; arrivals = operand; end
      OP_ARRIVE_NO_COMPLETE: begin moves = 1; counts = 1; arrivals = operand; end
      OP_ARRIVE_EXPECT_TX: begin moves = 1; counts = 1; foreign = 1; arrivals = 1; bytes = $signed({2'b0, operand}); end
      OP_ARRIVE_DROP: begin moves = 1; counts = 1; foreign = 1; arrivals = operand; drops = operand; end
      OP_ARRIVE_DROP_NO_COMPLETE: begin moves = 1; counts = 1; arrivals = operand; drops = operand; end
      OP_ARRIVE_DROP_EXPECT_TX: begin
        moves = 1; counts = 1; foreign = 1; arrivals = 1; drops = 1; bytes = $signed({2'b0, operand});
      end
      OP_EXPECT_TX: begin moves = 1; counts = 1; foreign = 1; bytes = $signed({2'b0, operand}); end
      OP_COMPLETE_TX: begin moves = 1; counts = 1; foreign = 1; bytes = -$signed({2'b0, operand}); end
      OP_CP_ASYNC_BEGIN: begin moves = 1; bytes = 1; end
      OP_CP_ASYNC_END: begin moves = 1; is_posted = 1; bytes = -1; end
      OP_CP_ASYNC_ARRIVE: begin moves = 1; is_posted = 1; arrivals = 1; end
      OP_BULK_COMPLETE_TX: begin
        moves = 1; counts = 1; is_posted = 1; foreign = 1; bytes = -$signed({2'b0, operand});
      end
      default: known = 0;
    endcase
  end
  assign posted = known & is_posted;

  // why it may be refused, the first that applies
  wire placed = op != OP_PENDING_COUNT;
  wire illegal = !known;
  wire unsupported = remote && !foreign;
  wire misaligned = placed && address[2:0] != 0;
  wire outside = placed && address >= WORDS * 8;
  wire oversized = counts && operand > COUNT_MAX;
  assign early = illegal || unsupported || misaligned || outside || oversized;
  wire waits = op == OP_TEST_WAIT || op == OP_TEST_WAIT_PARITY || op == OP_TRY_WAIT || op == OP_TRY_WAIT_PARITY;
  wire faulted = (moves || waits) && fault;
  wire too_many_arrivals = moves && arrivals > pending;
  wire too_many_drops = moves && drops > expected;
  wire signed [34:0] tx_after = tx + bytes;
  wire tx_leaves = moves && (tx_after > TX_MAX || tx_after < TX_MIN);
  assign needs_word = !early && placed;
  always @* begin
    if (illegal) status = STATUS_ILLEGAL_OPERATION;
    else if (unsupported) status = STATUS_REMOTE_UNSUPPORTED;
    else if (misaligned) status = STATUS_MISALIGNED;
    else if (outside) status = STATUS_OUT_OF_RANGE;
    else if (oversized) status = STATUS_OPERAND_RANGE;
    else if (faulted) status = STATUS_FAULTED_WORD;
    else if (too_many_arrivals) status = STATUS_PENDING_UNDERFLOW;
    else if (too_many_drops) status = STATUS_EXPECTED_UNDERFLOW;
    else if (tx_leaves) status = STATUS_TX_RANGE;
    else status = STATUS_OK;
  end

  // what is left of it
  wire done = status == STATUS_OK;
  wire [PENDING_BITS-1:0] pending_left = pending - arrivals;
  wire [EXPECTED_BITS-1:0] expected_left = expected - drops;
  assign flips = moves && done && pending_left == 0 && tx_after == 0;
  wire [PENDING_BITS-1:0] pending_next = flips ? expected_left : pending_left;
  wire [PENDING_BITS-1:0] initial_count = operand;
  reg [63:0] moved, fresh, stored;
  integer b;
  always @* begin
    moved = word;
    moved[PHASE_LSB] = phase ^ flips;
    moved[PENDING_LSB +: PENDING_BITS] = -pending_next;
    moved[EXPECTED_LSB +: EXPECTED_BITS] = -expected_left;
    moved[TX_LSB +: TX_BITS] = -tx_after;
    fresh = 0;
    fresh[PENDING_LSB +: PENDING_BITS] = -initial_count;
    fresh[EXPECTED_LSB +: EXPECTED_BITS] = -initial_count;
    for (b = 0; b < 8; b = b + 1) stored[8 * b +: 8] = strobe[b] ? data[8 * b +: 8] : word[8 * b +: 8];
    after = word;
    if (done && moves) after = moved;
    if (done && op == OP_INIT) after = fresh;
    if (done && op == OP_STORE) after = stored;
    // nobody can be told of the fault of a posted operation: the word keeps it, if it was found for sure
    if (posted && !done && !unsupported && !misaligned && !outside) after[FAULT_LSB] = 1;
  end

  // the answer, if all went well
  wire [PENDING_BITS-1:0] token_field = data[PENDING_LSB +: PENDING_BITS];
  always @* begin
    answer = 0;
    predicate = 0;
    if (done) begin
      case (op)
        OP_LOAD: answer = word;
        OP_ARRIVE, OP_ARRIVE_NO_COMPLETE, OP_ARRIVE_EXPECT_TX, OP_ARRIVE_DROP, OP_ARRIVE_DROP_NO_COMPLETE,
        OP_ARRIVE_DROP_EXPECT_TX: if (!remote) answer = {word[63:32], 32'd0};
        OP_TEST_WAIT, OP_TRY_WAIT: predicate = phase != data[PHASE_LSB];
        OP_TEST_WAIT_PARITY, OP_TRY_WAIT_PARITY: predicate = phase != data[0];
        OP_PENDING_COUNT: answer = (1 << PENDING_BITS) - token_field;
        default: ;
      endcase
    end
  end
endmodule
