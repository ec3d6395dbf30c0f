// What makes requests of a warp's instruction, on its own, with any instructions, any table of groups and any unit behind it: the lanes of one
// word are one update, and no lane of another word is touched. Each group is one request: it has every lane that is left and belongs to
// it, and no other; its operand is the sum of theirs; and no lane is in two groups or in none.
module top (
  input wire clk,
  input wire valid, remote, ask_ready,
  input wire [OP_BITS-1:0] op,
  input wire [ORDER_BITS-1:0] order,
  input wire [31:0] limit,
  input wire [LANES-1:0] mask,
  input wire [32*LANES-1:0] address, operand,
  input wire [TAG_BITS-1:0] tag,
  input wire [GROUPS-1:0] used
);
  localparam HALF = GROUPS / 2;     // entries that suspended waits may take: the first half
  localparam [OP_BITS-1:0] ILLEGAL = -1;
  reg started = 0;
  always @(posedge clk) started <= 1;
  wire ready, allocate, counts_down, ask_valid, ask_remote, busy;
  wire [GROUP_BITS-1:0] entry;
  wire [LANES-1:0] group, others;
  wire [PENDING_BITS-1:0] step;
  wire [TAG_BITS-1:0] entry_tag, ask_tag;
  wire [OP_BITS-1:0] ask_op;
  wire [31:0] ask_address;
  wire [63:0] ask_data;
  wire [ORDER_BITS-1:0] ask_order;
  txbar_coalesce dut (
    .clk(clk), .rst(!started), .valid(valid), .ready(ready), .op(op), .remote(remote), .order(order), .limit(limit), .mask(mask),
`define LANE(n) .address_``n(address[32*n +: 32]), .operand_``n(operand[32*n +: 32])
    `LANE(0), `LANE(1), `LANE(2), `LANE(3), .tag(tag), .used(used), .allocate(allocate), .entry(entry), .lanes(group),
    .others(others), .counts_down(counts_down), .step(step), .entry_tag(entry_tag), .ask_valid(ask_valid), .ask_ready(ask_ready),
    .ask_op(ask_op), .ask_remote(ask_remote), .ask_address(ask_address), .ask_data(ask_data), .ask_tag(ask_tag),
    .ask_order(ask_order), .busy(busy)
  );

  // the instruction, as it came, and its lanes that are in no group yet
  reg [LANES-1:0] left = 0;
  reg [OP_BITS-1:0] its_op;
  reg its_remote;
  reg [ORDER_BITS-1:0] its_order;
  reg [31:0] its_limit;
  reg [TAG_BITS-1:0] its_tag;
  reg [32*LANES-1:0] its_address, its_operand;
  reg again = 0;                    // a group of it has gone, with this operand
  reg [31:0] last_operand;
  (* keep *) wire goes;             // a group goes (connected by the flow)

  wire no_complete = its_op == OP_ARRIVE_NO_COMPLETE || its_op == OP_ARRIVE_DROP_NO_COMPLETE;
  wire uniform = no_complete || its_op == OP_INIT || its_op == OP_PENDING_COUNT;
  wire tries = its_op == OP_TRY_WAIT || its_op == OP_TRY_WAIT_PARITY;
  wire by_parity = its_op == OP_TEST_WAIT_PARITY || its_op == OP_TRY_WAIT_PARITY;
  wire by_token = its_op == OP_TEST_WAIT || its_op == OP_TRY_WAIT;
  wire posted = POSTED_OPS[its_op];

  // which lanes may be in one group, and which phase each waits for
  wire [LANES-1:0] phase, repeats;
  wire [LANES*LANES-1:0] together;
  genvar a, b;
  generate
    for (a = 0; a < LANES; a = a + 1) begin : lane
      wire [31:0] word = its_address[32*a +: 32], count = its_operand[32*a +: 32];
      assign phase[a] = by_parity ? count[0] : by_token && count[31];
      assign repeats[a] = left[a] && again && no_complete && count == last_operand;
      for (b = 0; b < LANES; b = b + 1) begin : beside
        assign together[LANES*a + b] = its_address[32*b +: 32] == word && (!uniform || its_operand[32*b +: 32] == count)
          && (!tries || phase[b] == phase[a]);
      end
    end
  endgenerate
  // the lowest lane of the group speaks for it
  wire [LANES-1:0] speaker = group & -group;
  reg [31:0] its_count, its_word;
  reg its_phase;
  integer i;
  always @* begin
    {its_count, its_word, its_phase} = 0;
    for (i = 0; i < LANES; i = i + 1) if (speaker[i]) begin
      its_count = its_count | its_operand[32*i +: 32];
      its_word = its_word | its_address[32*i +: 32];
      its_phase = its_phase | phase[i];
    end
  end
  wire suspends = tries && used[HALF-1:0] != {HALF{1'b1}};
  wire [OP_BITS-1:0] asked_op = its_op == OP_STORE ? ILLEGAL : !tries || suspends ? its_op
    : its_op == OP_TRY_WAIT ? OP_TEST_WAIT : OP_TEST_WAIT_PARITY;

  // two places behind it: the group in the first, and the request in the second
  reg one = 0, two = 0;
  reg [LANES-1:0] one_lanes;
  reg [32*LANES-1:0] one_operands;
  reg [31:0] one_count, one_limit;
  reg [OP_BITS-1:0] one_op;
  localparam NAME_BITS = OP_BITS + 1 + 32 + GROUP_BITS + ORDER_BITS;
  reg [NAME_BITS-1:0] one_name, two_name;
  reg [63:0] two_data;
  reg [LANES-1:0] two_lanes;
  wire two_moves = !two || ask_ready, one_moves = !one || two_moves;
  reg [36:0] sum;
  reg [5:0] count;
  reg [31:0] bounded;
  always @* begin
    {sum, count} = 0;
    for (i = 0; i < LANES; i = i + 1) begin
      sum = sum + (one_lanes[i] ? one_operands[32*i +: 32] : 32'd0);
      count = count + one_lanes[i];
    end
    bounded = sum > COUNT_MAX ? 32'hffffffff : sum[31:0];
  end
  wire sums = one_op == OP_ARRIVE || one_op == OP_ARRIVE_NO_COMPLETE || one_op == OP_ARRIVE_EXPECT_TX || one_op == OP_ARRIVE_DROP
    || one_op == OP_ARRIVE_DROP_NO_COMPLETE || one_op == OP_ARRIVE_DROP_EXPECT_TX || one_op == OP_EXPECT_TX || one_op == OP_COMPLETE_TX
    || one_op == OP_CP_ASYNC_BEGIN || one_op == OP_CP_ASYNC_END || one_op == OP_CP_ASYNC_ARRIVE || one_op == OP_BULK_COMPLETE_TX;
  wire [63:0] data = sums ? {26'd0, count - 6'd1, bounded}
    : one_op == OP_TEST_WAIT || one_op == OP_PENDING_COUNT ? {one_count, 32'd0}
    : one_op == OP_TRY_WAIT ? {one_count, one_limit}
    : one_op == OP_TRY_WAIT_PARITY ? {one_limit, one_count} : {32'd0, one_count};

  wire accepted = valid && ready;
  always @(posedge clk) if (started) begin
    if (goes) begin
      left <= left & ~group;
      again <= 1;
      last_operand <= its_count;
    end
    if (accepted) begin
      left <= mask;
      again <= 0;
      {its_op, its_remote, its_order, its_limit, its_tag} <= {op, remote, order, limit, tag};
      {its_address, its_operand} <= {address, operand};
    end
    if (one_moves) begin
      one <= goes;
      {one_lanes, one_operands, one_count, one_limit, one_op} <= {group, its_operand, its_count, its_limit, asked_op};
      one_name <= {asked_op, its_remote, its_word, entry, its_order};
    end
    if (two_moves) begin
      two <= one;
      {two_name, two_data, two_lanes} <= {one_name, data, one_lanes};
    end
  end

  always @* if (started) begin
    after_the_last: assert (!accepted || (left & ~(goes ? group : {LANES{1'b0}})) == 0);
    in_time: assert (goes == (left != 0 && one_moves && (posted || suspends || used[GROUPS-1:HALF] != {HALF{1'b1}})));
    if (goes) begin
      some_lane: assert (group != 0);
      in_no_group_yet: assert ((group & ~left) == 0);
      entry_of_its_own: assert (allocate == !posted && (posted || !used[entry]));
      lower_half: assert (posted || suspends == (entry < HALF));
      its_turn: assert (repeats != 0 ? (repeats & speaker) != 0 : (left & -left) == speaker);
      told: assert (entry_tag == its_tag && counts_down == no_complete && (others & ~group) == 0);
      if (no_complete) steps: assert (step == its_count[PENDING_BITS-1:0]);
    end
    if (!goes) none: assert (!allocate);
    as_asked: assert (ask_valid == two);
    if (two) asks: assert ({ask_op, ask_remote, ask_address, ask_tag[GROUP_BITS-1:0], ask_order} == two_name);
    if (two) one_operand: assert (ask_data == two_data);
    idle: assert (busy == (left != 0 || one || two));
    three_together: cover (two && ask_ready && two_lanes == 4'b1011 && ask_op == OP_ARRIVE_EXPECT_TX);
    excess: cover (two && ask_op == OP_ARRIVE && ask_data[31:0] == 32'hffffffff && two_lanes == 4'b0110);
    operand_first: cover (goes && no_complete && again && group == 4'b1000 && left == 4'b1010);
    shared_wait: cover (goes && its_op == OP_TEST_WAIT && group == 4'b0111 && others == 4'b0100);
  end
  generate
    for (a = 0; a < LANES; a = a + 1) begin : each
      always @* if (started && goes && group[a]) begin
        assert (others[a] == (phase[a] != its_phase));
      end
      for (b = 0; b < LANES; b = b + 1) begin : other
        always @* if (started && goes && group[a]) begin
          if (group[b]) assert (together[LANES*a + b]);
          if (left[b] && !group[b]) assert (!together[LANES*a + b]);
        end
      end
    end
  endgenerate

  // Lemmas: what the registers hold (connected by the flow). With them each cycle follows from the one before.
  (* keep *) wire [LANES-1:0] choose_pending, choose_first;
  (* keep *) wire [OP_BITS-1:0] choose_op, add_op;
  (* keep *) wire choose_remote, add_remote, add_valid;
  (* keep *) wire [ORDER_BITS-1:0] choose_order, add_order;
  (* keep *) wire [31:0] choose_limit, add_limit, add_address, add_operand;
  (* keep *) wire [TAG_BITS-1:0] choose_tag;
  (* keep *) wire [32*LANES-1:0] choose_address, choose_operand;
  (* keep *) wire [GROUP_BITS-1:0] add_entry;
  (* keep *) wire [34*LANES-1:0] parts;
  (* keep *) wire [3*LANES-1:0] part_counts;
  always @* if (started) begin
    what_is_left: assert (choose_pending == left && choose_first == repeats);
    if (left != 0) as_it_came: assert ({choose_op, choose_remote, choose_order, choose_limit, choose_tag, choose_address, choose_operand}
      == {its_op, its_remote, its_order, its_limit, its_tag, its_address, its_operand});
    in_between: assert (add_valid == one);
    if (one) someone: assert (one_lanes != 0);
    if (one) named: assert ({add_op, add_remote, add_address, add_entry, add_order} == one_name);
    if (one) added: assert ({add_op, add_operand, add_limit} == {one_op, one_count, one_limit});
  end else begin
    nothing: assert (left == 0 && !one && !two && !again);
  end
  generate
    for (a = 0; a < LANES; a = a + 1) begin : part
      always @* if (started && one)
        assert (parts[34*a +: 34] == (one_lanes[a] ? one_operands[32*a +: 32] : 34'd0) && part_counts[3*a +: 3] == one_lanes[a]);
    end
  endgenerate
endmodule
