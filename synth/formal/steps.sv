// What makes steps of a warp's load or store, on its own, with anything that comes: each active lane is in exactly one step, and that step
// serves all of its bytes: its bank, or both, with its row, and what it stores there unless a higher lane stores there, too. No bank is touched
// that no lane of the step names.
module top (
  input wire clk,
  input wire valid, remote, taken,
  input wire [OP_BITS-1:0] op,
  input wire [1:0] size,
  input wire [LANES-1:0] mask,
  input wire [32*LANES-1:0] address,
  input wire [64*LANES-1:0] lower, upper,
  input wire [TAG_BITS-1:0] tag
);
  localparam BANK_BITS = $clog2(BANKS);
  reg started = 0;
  always @(posedge clk) started <= 1;
  wire ready, busy, go_valid;
  wire [LANES-1:0] go_lanes, go_above;
  wire [STATUS_BITS-1:0] go_status;
  wire [TAG_BITS-1:0] go_tag;
  wire [1:0] go_size;
  wire [LANES*BANK_BITS-1:0] go_bank;
  wire [BANKS-1:0] go_banks;
  wire [BANKS*ROW_BITS-1:0] go_row;
  wire [BANKS*2-1:0] go_stored;
  wire [BANKS*64-1:0] go_word;
  txbar_access dut (
    .clk(clk), .rst(!started), .valid(valid), .ready(ready), .op(op), .remote(remote), .size(size), .mask(mask), .tag(tag),
`define LANE(n) .address_``n(address[32*n +: 32]), .lower_``n(lower[64*n +: 64]), .upper_``n(upper[64*n +: 64]), \
    .go_bank_``n(go_bank[BANK_BITS*n +: BANK_BITS])
`define BANK(n) .go_row_``n(go_row[ROW_BITS*n +: ROW_BITS]), .go_stored_``n(go_stored[2*n +: 2]), .go_word_``n(go_word[64*n +: 64])
    `LANE(0), `LANE(1), `LANE(2), `LANE(3), `BANK(0), `BANK(1), .busy(busy), .go_valid(go_valid), .taken(taken), .go_lanes(go_lanes),
    .go_status(go_status), .go_tag(go_tag), .go_size(go_size), .go_above(go_above), .go_banks(go_banks)
  );
  always @* assume (!taken || go_valid);

  // the load or store, as it came, and its lanes that are in no step yet; and the one of the step that is there
  reg [LANES-1:0] left = 0, step_lanes;
  reg its_store, its_remote, step_store, step_remote, step = 0;
  reg [1:0] its_size, step_size;
  reg [TAG_BITS-1:0] its_tag, step_tag;
  reg [32*LANES-1:0] its_address, step_address;
  reg [64*LANES-1:0] its_lower, its_upper, step_lower, step_upper;
  (* keep *) wire goes;             // a step is made, of these lanes (connected by the flow)
  (* keep *) wire [LANES-1:0] lanes;
  wire moves = !step || taken;
  wire accepted = valid && ready;
  always @(posedge clk) if (started) begin
    if (goes) left <= left & ~lanes;
    if (accepted) begin
      left <= mask;
      {its_store, its_remote, its_size, its_tag, its_address, its_lower, its_upper}
        <= {op == OP_STORE, remote, size, tag, address, lower, upper};
    end
    if (moves) begin
      step <= goes;
      step_lanes <= lanes;
      {step_store, step_remote, step_size, step_tag, step_address, step_lower, step_upper}
        <= {its_store, its_remote, its_size, its_tag, its_address, its_lower, its_upper};
    end
  end

  // how a lane's access ends: what it takes must be a multiple of 4, 8 or 16 bytes, in the memory
  function [STATUS_BITS-1:0] end_of(input [31:0] at, input [1:0] size, input remote);
    end_of = size == 3 ? STATUS_ILLEGAL_OPERATION : remote ? STATUS_REMOTE_UNSUPPORTED
      : (at & ((32'd4 << size) - 1)) != 0 ? STATUS_MISALIGNED : at >= 8 * WORDS ? STATUS_OUT_OF_RANGE : STATUS_OK;
  endfunction
  // whether a lane takes a half of a word in a bank
  function takes(input [31:0] at, input [1:0] size, input integer bank, input integer half);
    takes = (size == 2 ? (at >> 3) % BANKS / 2 == bank / 2 : (at >> 3) % BANKS == bank) && (size != 0 || at[2] == half);
  endfunction

  always @* if (started) begin
    after_the_last: assert (!accepted || (left & ~(goes ? lanes : {LANES{1'b0}})) == 0);
    in_time: assert (goes == (left != 0 && moves));
    idle: assert (busy == (left != 0 || step));
    as_made: assert (go_valid == step);
    if (goes) begin
      some_lane: assert (lanes != 0);
      in_no_step_yet: assert ((lanes & ~left) == 0);
    end
    if (step) named: assert ({go_lanes, go_tag, go_size} == {step_lanes, step_tag, step_size});
    if (step && go_status != STATUS_OK) nowhere: assert (go_banks == 0);
    merged: cover (step && go_status == STATUS_OK && step_store && step_size == 1 && step_lanes == 4'b1101 && go_banks == 2'b01
      && go_row[ROW_BITS-1:0] == 5);
    two_rows: cover (goes && lanes == 4'b1010 && left == 4'b1110 && its_size == 0 && !its_store);
    pair: cover (step && go_status == STATUS_OK && step_size == 2 && go_banks == 2'b11 && step_lanes == 4'b0011);
    crooked_first: cover (goes && left == 4'b1111 && lanes == 4'b0100);
  end
  genvar a, b, h;
  generate
    for (a = 0; a < LANES; a = a + 1) begin : lane
      wire [31:0] at = step_address[32*a +: 32];
      wire [BANK_BITS-1:0] home = at >> 3;
      always @* if (started && step && step_lanes[a]) begin
        assert (go_status == end_of(at, step_size, step_remote));
        if (go_status == STATUS_OK) assert (go_bank[BANK_BITS*a +: BANK_BITS] == home && go_above[a] == (step_size == 0 && at[2]));
      end
    end
    for (b = 0; b < BANKS; b = b + 1) begin : bank
      for (h = 0; h < 2; h = h + 1) begin : half
        reg [LANES-1:0] who;
        reg [31:0] what;
        integer i;
        always @* begin
          {who, what} = 0;
          for (i = 0; i < LANES; i = i + 1) if (step_lanes[i] && takes(step_address[32*i +: 32], step_size, b, h)) begin
            who[i] = 1;
            what = step_size == 0 ? step_lower[64*i +: 32] : step_size == 2 && b % 2 ? step_upper[64*i+32*h +: 32] : step_lower[64*i+32*h +: 32];
          end
        end
        always @* if (started && step && go_status == STATUS_OK && go_banks[b]) begin
          assert (go_stored[2*b + h] == (step_store && who != 0));
          if (go_stored[2*b + h]) assert (go_word[64*b+32*h +: 32] == what);
        end
      end
      integer l;
      always @* if (started && step && go_status == STATUS_OK) begin
        assert (go_banks[b] == (half[0].who != 0 || half[1].who != 0));
        for (l = 0; l < LANES; l = l + 1)
          if (half[0].who[l] || half[1].who[l]) assert (go_row[ROW_BITS*b +: ROW_BITS] == step_address[32*l+3+BANK_BITS +: ROW_BITS]);
      end
    end
  endgenerate

  // Lemmas: what the registers hold (connected by the flow). With them each cycle follows from the one before.
  (* keep *) wire [LANES-1:0] pending, crooked, outside, above;
  (* keep *) wire [STATUS_BITS-1:0] refusal;
  (* keep *) wire stores;
  (* keep *) wire [TAG_BITS-1:0] choose_tag;
  (* keep *) wire [1:0] choose_size;
  (* keep *) wire [LANES*BANK_BITS-1:0] choose_bank;
  (* keep *) wire [LANES*ROW_BITS-1:0] choose_row;
  (* keep *) wire [LANES*64-1:0] even, odd;
  always @* if (started) begin
    what_is_left: assert (pending == left);
    if (left != 0) as_it_came: assert ({stores, choose_tag, choose_size} == {its_store, its_tag, its_size}
      && refusal == (its_size == 3 ? STATUS_ILLEGAL_OPERATION : its_remote ? STATUS_REMOTE_UNSUPPORTED : STATUS_OK));
    if (step) someone: assert (step_lanes != 0);
  end else begin
    nothing: assert (left == 0 && !step);
  end
  generate
    for (a = 0; a < LANES; a = a + 1) begin : kept
      wire [31:0] at = its_address[32*a +: 32];
      wire [63:0] twice = {2{its_lower[64*a +: 32]}};
      always @* if (started && left != 0) begin
        if (its_size != 3) assert (crooked[a] == ((at & ((32'd4 << its_size) - 1)) != 0) && outside[a] == (at >= 8 * WORDS));
        assert (above[a] == at[2]);
        assert (choose_bank[BANK_BITS*a +: BANK_BITS] == at[3 +: BANK_BITS]);
        assert (choose_row[ROW_BITS*a +: ROW_BITS] == at[3+BANK_BITS +: ROW_BITS]);
        assert (even[64*a +: 64] == (its_size == 0 ? twice : its_lower[64*a +: 64]));
        assert (odd[64*a +: 64] == (its_size == 0 ? twice : its_size == 2 ? its_upper[64*a +: 64] : its_lower[64*a +: 64]));
      end
    end
  endgenerate
endmodule
