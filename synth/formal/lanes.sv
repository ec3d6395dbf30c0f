// The table of a warp's groups, on its own: each active lane is answered exactly once, and no other. One entry, no matter which, is followed from
// the cycle in which a group takes it. A group takes only an entry that is free, and has a lane (`groups` proves both); the unit answers what
// was asked, once (`answers`).
module top (
  input wire clk,
  input wire allocate, counts_down, told_valid, told_predicate, told_resumed, rsp_ready,
  input wire [GROUP_BITS-1:0] entry,
  input wire [LANES-1:0] lanes, others,
  input wire [PENDING_BITS-1:0] step,
  input wire [TAG_BITS-1:0] entry_tag, told_tag,
  input wire [STATUS_BITS-1:0] told_status,
  input wire [63:0] told_data
);
  (* anyconst *) wire [GROUP_BITS-1:0] it;
  reg started = 0;
  always @(posedge clk) started <= 1;
  wire told_ready, rsp_valid, rsp_resumed;
  wire [GROUPS-1:0] used;
  wire [TAG_BITS-1:0] rsp_tag;
  wire [LANES-1:0] rsp_lanes, rsp_predicates;
  wire [STATUS_BITS-1:0] rsp_status;
  wire [63:0] rsp_data;
  txbar_scatter dut (
    .clk(clk), .rst(!started), .allocate(allocate), .entry(entry), .lanes(lanes), .others(others), .counts_down(counts_down),
    .step(step), .entry_tag(entry_tag), .used(used), .told_valid(told_valid), .told_ready(told_ready), .told_tag(told_tag),
    .told_status(told_status), .told_predicate(told_predicate), .told_data(told_data), .told_resumed(told_resumed),
    .rsp_valid(rsp_valid), .rsp_ready(rsp_ready), .rsp_tag(rsp_tag), .rsp_lanes(rsp_lanes), .rsp_status(rsp_status),
    .rsp_predicates(rsp_predicates), .rsp_data(rsp_data), .rsp_resumed(rsp_resumed)
  );

  reg asked = 0, answered = 0;      // its request is under way; its lanes are being answered
  reg [LANES-1:0] its_lanes, its_others, left;
  reg its_counts, its_predicate, its_resumed;
  reg [PENDING_BITS-1:0] its_step;
  reg [TAG_BITS-1:0] its_tag;
  reg [STATUS_BITS-1:0] its_status;
  reg [63:0] its_data;
  wire told = told_valid && told_ready && told_tag == it;
  always @* begin
    if (allocate) assume (started && !used[entry] && lanes != 0);
    if (told_valid && told_tag == it) assume (asked);
  end
  wire one_by_one = its_counts && its_status == STATUS_OK;
  wire [LANES-1:0] now = one_by_one ? left & -left : left;      // lanes that are to be answered at once
  wire [LANES-1:0] predicates = its_status != STATUS_OK ? 0 : its_predicate ? ~its_others : its_others;
  always @(posedge clk) if (started) begin
    if (allocate && entry == it) begin
      asked <= 1;
      {its_lanes, its_others, its_counts, its_step, its_tag} <= {lanes, others, counts_down, step, entry_tag};
    end
    if (told) begin
      asked <= 0;
      answered <= 1;
      left <= its_lanes;
      {its_status, its_predicate, its_resumed, its_data} <= {told_status, told_predicate, told_resumed, told_data};
    end
    if (answered && rsp_ready) begin
      left <= left & ~rsp_lanes;
      its_data <= its_data + ({44'd0, its_step} << PENDING_LSB);
      if (left == now) answered <= 0;
    end
  end

  // Registers of the table (connected by the flow).
  (* keep *) wire [GROUP_BITS-1:0] shown;
  (* keep *) wire [LANES-1:0] served;
  (* keep *) wire [GROUPS*LANES-1:0] masks, phases;
  (* keep *) wire [GROUPS*TAG_BITS-1:0] tags;
  (* keep *) wire [GROUPS*21-1:0] steps;
  wire [LANES-1:0] its_mask_there = masks >> LANES * it, its_phases_there = phases >> LANES * it;
  wire [TAG_BITS-1:0] its_tag_there = tags >> TAG_BITS * it;
  wire [20:0] its_step_there = steps >> 21 * it;
  always @* if (started) begin
    taken: assert (used[it] == (asked || answered));
    out_of_nothing: assert ((rsp_valid && shown == it) == answered);
    free: assert (told_ready == (!rsp_valid || rsp_ready && (!answered || left == now)) || !answered);
    if (answered) begin
      nobody_twice: assert (rsp_lanes == now && (rsp_lanes & ~left) == 0 && rsp_lanes != 0);
      never_inactive: assert ((rsp_lanes & ~its_lanes) == 0);
      as_told: assert ({rsp_tag, rsp_status, rsp_resumed} == {its_tag, its_status, its_resumed});
      each_its_own: assert ((rsp_predicates & rsp_lanes) == (predicates & rsp_lanes));
      token: assert (rsp_data == its_data);
    end
    last_of_three: cover (answered && one_by_one && rsp_ready && its_lanes == 4'b1011 && rsp_lanes == 4'b1000 && its_step == 3);
    both_phases: cover (answered && its_lanes == 4'b0111 && rsp_predicates == 4'b0101 && its_predicate);
  end
  // Lemmas: with them each cycle follows from the one before.
  always @* if (started) begin
    one_state: assert (!asked || !answered);
    if (asked || answered) written: assert (its_lanes != 0
      && {its_mask_there, its_phases_there, its_tag_there, its_step_there} == {its_lanes, its_others, its_tag, its_counts, its_step});
    if (answered) not_done: assert (left != 0 && left == (its_lanes & ~served));
  end else begin
    empty: assert (!asked && !answered);
  end
endmodule
