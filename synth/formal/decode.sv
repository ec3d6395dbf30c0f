// What an operation asks for: a request goes through the decoder of a port, and what comes out two cycles later is that of the
// sequential model (golden.sv), for any word: whether it is refused for what it is, what it adds to which count, what it
// writes, and what of the word it answers with.
module top (
  input wire clk,
  input wire advance,
  input wire [OP_BITS-1:0] op,
  input wire remote,
  input wire [31:0] address,
  input wire [63:0] data,
  input wire [7:0] strobe,
  input wire [63:0] word
);
  localparam WIDTH = OP_BITS + 1 + 32 + 64 + 8;
  reg [WIDTH-1:0] request_1, request_2;
  reg [1:0] age = 0;                     // the decoder is full when both are set
  wire writes;
  reg writes_2;
  always @(posedge clk) if (advance) begin
    {request_2, request_1} <= {request_1, op, remote, address, data, strobe};
    writes_2 <= writes;
    age <= {age[0], 1'b1};
  end

  wire [STATUS_BITS-1:0] refusal;
  wire [PENDING_BITS-1:0] arrivals, arrivals_negative;
  wire [TX_BITS-1:0] tx, tx_negative;
  wire arrives, leaves, expects, completes, updates, posted, marks, waits, wait_phase, reveal_upper, reveal_lower;
  wire [63:0] replace, insert;
  txbar_decode dut (
    .clk(clk), .advance(advance), .op(op), .remote(remote), .misaligned(address[2:0] != 0), .outside(address >= WORDS * 8),
    .data(data), .strobe(strobe), .writes(writes), .refusal(refusal), .arrivals(arrivals),
    .arrivals_negative(arrivals_negative), .arrives(arrives), .leaves(leaves), .tx(tx), .tx_negative(tx_negative),
    .expects(expects), .completes(completes), .updates(updates), .posted(posted), .marks(marks), .replace(replace),
    .insert(insert), .waits(waits), .wait_phase(wait_phase), .reveal_upper(reveal_upper), .reveal_lower(reveal_lower)
  );

  // the same request in the model
  wire [OP_BITS-1:0] its_op;
  wire its_remote;
  wire [31:0] its_address;
  wire [63:0] its_data;
  wire [7:0] its_strobe;
  assign {its_op, its_remote, its_address, its_data, its_strobe} = request_2;
  wire is_posted, needs_word, predicate, moves, early;
  wire [STATUS_BITS-1:0] status;
  wire [63:0] answer, after;
  wire [31:0] its_arrivals, its_drops;
  wire signed [33:0] bytes;
  golden model (
    .word(word), .op(its_op), .remote(its_remote), .address(its_address), .data(its_data), .strobe(its_strobe),
    .posted(is_posted), .needs_word(needs_word), .status(status), .predicate(predicate), .answer(answer), .after(after),
    .moves(moves), .arrivals(its_arrivals), .drops(its_drops), .bytes(bytes), .early(early)
  );
  wire [63:0] found = (word & ~replace) | insert;        // the word with what is inserted
  wire [63:0] content = {reveal_upper ? found[63:32] : 32'd0, reveal_lower ? found[31:0] : 32'd0};
  always @* if (age == 3) begin
    refused: assert (refusal == (early ? status : STATUS_OK));
    updating: assert (updates == (moves && !early));
    marking: assert (!updates || marks == is_posted);
    posting: assert (early || posted == is_posted);
    if (updates) begin
      arriving: assert ((arrives ? arrivals : 0) == its_arrivals);
      arriving_negative: assert (!arrives || arrivals_negative == PENDING_BITS'(-its_arrivals));
      leaving: assert ((arrives && leaves ? arrivals : 0) == its_drops);
      moving: assert (tx == TX_BITS'(-bytes) && tx_negative == TX_BITS'(bytes));
      expecting: assert (bytes <= 0 || expects);
      completing: assert (bytes >= 0 || completes);
      one_way: assert (!(expects && completes));
      keeping: assert (replace == 0 && insert == 0);
    end else begin
      nothing_arrives: assert (!arrives && !expects && !completes);
      if (its_op != OP_PENDING_COUNT) inserting: assert (found == after);
    end
    writing: assert (writes_2 || after == word);
    waiting: assert (status != STATUS_OK || predicate == (waits && word[PHASE_LSB] != wait_phase));
    answering: assert (status != STATUS_OK || content == answer);
    asks: cover (updates && its_arrivals != 0 && bytes > 1);
    refuses: cover (early && status == STATUS_OPERAND_RANGE);
  end
endmodule
