// The address generator of the tensor engine, rows and bursts wired as in the engine, on its own: of a box of any size, anywhere, every
// element comes exactly once, at its address, and nothing outside of the box or of the tensor is asked for.
//
// `index` and `offset` are five nested loops over the box, the innermost dimension first, as it is defined: a dimension goes on by its
// element stride. One piece of 16 bytes (`piece`) of one row, no matter which (`chosen`: how many steps from the first, a dimension), is
// followed. It comes once if it is of the box, and never if it is not; its address is that of the first row and, for each of its
// steps, the increment of the dimension. Those are added as the loops come nearer to it, from the outermost on (`its_row`).
module top (
  input wire clk,
  input wire load, burst_ready, fill_ready,
  input wire [ADDRESS-1:0] first,
  input wire [5*ADDRESS-1:0] increment,
  input wire [5*32-1:0] at, last,
  input wire [5*3-1:0] step,
  input wire [5*8-1:0] box_last,
  input wire [2:0] rank,
  input wire sliced,
  input wire [PLACE-1:0] to,
  input wire [7:0] count, pitch, lead, bound,
  input wire [3:0] tail
);
  localparam ADDRESS = 44, PLACE = 20;
  reg started = 0;
  always @(posedge clk) started <= 1;
  (* anyconst *) reg [5*8-1:0] chosen;              // steps to a row, 8 bits a dimension
  (* anyconst *) reg [7:0] piece;
  wire valid, row_inside, take, active, burst_valid, fill_valid;
  wire [ADDRESS-1:0] row_address, burst_from;
  wire [PLACE-1:0] burst_to;
  wire [3:0] burst_count, burst_tail;
  wire [7:0] fill_count;
  generate if (1) begin : dut
    txbar_tensor_rows rows (
      .clk(clk), .rst(!started), .load(load), .first(first),
      .increment_0(increment[0 +: 44]), .increment_1(increment[44 +: 44]), .increment_2(increment[88 +: 44]),
      .increment_3(increment[132 +: 44]), .increment_4(increment[176 +: 44]),
      .at_0(at[0 +: 32]), .at_1(at[32 +: 32]), .at_2(at[64 +: 32]), .at_3(at[96 +: 32]), .at_4(at[128 +: 32]),
      .last_0(last[0 +: 32]), .last_1(last[32 +: 32]), .last_2(last[64 +: 32]), .last_3(last[96 +: 32]), .last_4(last[128 +: 32]),
      .step_0(step[0 +: 3]), .step_1(step[3 +: 3]), .step_2(step[6 +: 3]), .step_3(step[9 +: 3]), .step_4(step[12 +: 3]),
      .box_last_0(box_last[0 +: 8]), .box_last_1(box_last[8 +: 8]), .box_last_2(box_last[16 +: 8]),
      .box_last_3(box_last[24 +: 8]), .box_last_4(box_last[32 +: 8]),
      .rank(rank), .sliced(sliced), .valid(valid), .address(row_address), .is_inside(row_inside), .take(take)
    );
    txbar_tensor_bursts bursts (
      .clk(clk), .rst(!started), .load(load), .to(to), .count(count), .pitch(pitch), .lead(lead), .bound(bound), .tail(tail),
      .row_valid(valid), .row_address(row_address), .row_inside(row_inside), .row_take(take), .active(active),
      .burst_ready(burst_ready), .burst_valid(burst_valid), .burst_from(burst_from), .burst_to(burst_to),
      .burst_count(burst_count), .burst_tail(burst_tail), .fill_ready(fill_ready), .fill_valid(fill_valid), .fill_count(fill_count)
    );
  end endgenerate
  // what the engine keeps to: a copy begins behind the one before it, of a map that has been found good
  integer d;
  always @* begin
    assume (!load || started && !valid && !active);
    assume (rank <= 4 && (!sliced || rank >= 2));
    for (d = 0; d < 5; d = d + 1) assume (d <= rank || box_last[8*d +: 8] == 0);
    assume (count != 0 && lead <= count && bound <= count);
  end

  // the copy, as it was when it began
  reg copying = 0;
  reg [ADDRESS-1:0] base;
  reg [5*ADDRESS-1:0] pace;
  reg [5*32-1:0] corner, limit;
  reg [5*3-1:0] pause;
  reg [5*8-1:0] side;                               // box - 1; a row has all of dimension 0, a slice all of the last but one
  reg [4:0] counts;                                 // dimensions in which a row may be outside the tensor
  reg [7:0] pieces, ahead, behind, distance;
  reg [3:0] rest;
  always @(posedge clk) if (load) begin
    copying <= 1;
    {base, pace, corner, limit, pause} <= {first, increment, at, last, step};
    {pieces, ahead, behind, distance, rest} <= {count, lead, bound, pitch, tail};
    for (d = 0; d < 5; d = d + 1) begin
      side[8*d +: 8] <= (sliced ? d + 1 == rank : d == 0) ? 0 : box_last[8*d +: 8];
      counts[d] <= d <= rank && (sliced || d != 0);
    end
  end

  // the loops
  reg [5*8-1:0] index, index_next, offset, offset_next;
  reg [PLACE-1:0] place;                            // of the row, in shared memory
  reg [4:0] nearer;                                 // the dimension that goes on is the outermost that differs from the chosen row's
  reg goes_on, differs;
  always @* begin
    {index_next, offset_next, goes_on} = {index, offset, 1'b0};
    for (d = 0; d < 5; d = d + 1) if (!goes_on) begin
      goes_on = offset[8*d +: 8] + pause[3*d +: 3] + 10'd1 <= side[8*d +: 8];
      index_next[8*d +: 8] = goes_on ? index[8*d +: 8] + 8'd1 : 8'd0;
      offset_next[8*d +: 8] = goes_on ? offset[8*d +: 8] + pause[3*d +: 3] + 8'd1 : 8'd0;
    end
    {nearer, differs} = 0;
    for (d = 4; d >= 0; d = d - 1) begin
      nearer[d] = !differs && index_next[8*d +: 8] != index[8*d +: 8] && index[8*d +: 8] < chosen[8*d +: 8];
      differs = differs || index[8*d +: 8] != chosen[8*d +: 8];
    end
  end
  reg looping = 0;
  reg [ADDRESS-1:0] its_row;
  always @(posedge clk) begin
    if (take && started) {index, offset, looping, place} <= {index_next, offset_next, goes_on, place + distance};
    for (d = 0; d < 5; d = d + 1) if (take && started && nearer[d]) its_row <= its_row + pace[44*d +: 44];
    if (load) {index, offset, looping, place, its_row} <= {40'd0, 40'd0, 1'b1, to, first};
  end
  wire [4:0] inside_of, in_step, chosen_in_step;
  genvar g;
  generate
    for (g = 0; g < 5; g = g + 1) begin : dimension
      wire signed [33:0] from = $signed(corner[32*g +: 32]), size = {2'b0, limit[32*g +: 32]};
      wire signed [33:0] beside = {26'b0, offset[8*g +: 8]};
      wire [3:0] stride = pause[3*g +: 3] + 4'd1;
      wire [11:0] reach = index[8*g +: 8] * stride, chosen_reach = chosen[8*g +: 8] * stride;
      assign inside_of[g] = !counts[g] || (from + beside >= 0 && from + beside <= size);
      assign in_step[g] = offset[8*g +: 8] == reach && reach <= side[8*g +: 8];
      assign chosen_in_step[g] = chosen_reach <= side[8*g +: 8];
    end
  endgenerate
  wire of_the_box = &chosen_in_step && piece < pieces;

  // the row that is cut
  reg [5*8-1:0] cut;
  reg [PLACE-1:0] cut_place;
  reg cut_inside, cutting = 0;
  reg [7:0] position;
  wire goes = burst_valid || fill_valid;
  wire [7:0] done = burst_valid ? burst_count : fill_count, reached = position + done;
  always @(posedge clk) begin
    if (goes && started) {position, cutting} <= {reached, reached != pieces};
    if (take && started) {cut, cut_place, cut_inside, position, cutting} <= {index, place, &inside_of, 8'd0, 1'b1};
  end
  // the chosen piece
  reg seen = 0;
  wire comes = goes && cut == chosen && position <= piece && piece < reached;
  wire is_inside = cut_inside && ahead <= piece && piece < behind;
  always @(posedge clk) seen <= (seen || comes) && !load && started;

  always @* if (started) begin
    a_row_is_of_the_box: assert (!valid || &in_step);
    its_place_in_the_tensor: assert (!valid || row_inside == &inside_of);
    once: assert (!comes || !seen);
    of_the_box_only: assert (!comes || of_the_box);
    each: assert (!copying || valid || active || seen == of_the_box);
    read_or_filled: assert (!comes || burst_valid == is_inside);
    from_its_address: assert (!comes || !burst_valid || burst_from + (piece - position) == its_row + piece);
    to_its_place: assert (!comes || burst_to + (piece - position) == cut_place + piece);
    one_of_two: assert (!(burst_valid && fill_valid));
    some: assert (!goes || done != 0 && reached <= pieces && reached > position);
    no_boundary: assert (!burst_valid || burst_from[2:0] + burst_count <= 8);
    no_byte_behind: assert (!burst_valid || burst_tail == (reached == behind ? rest : 0));
    // so a copy ends: each cycle takes a row, or some pieces of one
    no_pause: assert (!(active && burst_ready && fill_ready) || goes);
    no_pause_of_rows: assert (!(valid && !active) || take);
    asked_only: assert ((!burst_valid || burst_ready) && (!fill_valid || fill_ready));
  end

  // Lemmas: what the registers hold (connected by the flow). With them each step follows from the one before.
  (* keep *) wire [5*ADDRESS-1:0] levels, paces;
  (* keep *) wire [5*8-1:0] offsets, boxes;
  (* keep *) wire [5*3-1:0] steps;
  (* keep *) wire [5*32-1:0] corners, limits;
  (* keep *) wire [4*8+4-1:0] shape;
  (* keep *) wire [7:0] cut_position;
  (* keep *) wire [PLACE-1:0] next_to, cut_to;
  (* keep *) wire [ADDRESS-1:0] cut_from;
  (* keep *) wire cut_is_inside;
  wire passed = copying && (!valid || index > chosen);        // its row has been taken
  generate
    for (g = 0; g < 5; g = g + 1) begin : lemma
      always @* if (started && copying) begin
        assert (paces[44*g +: 44] == pace[44*g +: 44] && steps[3*g +: 3] == pause[3*g +: 3] && boxes[8*g +: 8] == side[8*g +: 8]);
        assert (limits[32*g +: 32] == limit[32*g +: 32] && corners[32*g +: 32] == (counts[g] ? corner[32*g +: 32] : 0));
        assert (counts[g] || side[8*g +: 8] == 0);
        if (valid) assert (offsets[8*g +: 8] == offset[8*g +: 8] && in_step[g]);
      end
    end
  endgenerate
  reg [ADDRESS-1:0] near;                           // the level of the outermost dimension in which the row differs from the chosen one
  always @* begin
    near = levels[0 +: 44];
    for (d = 0; d < 5; d = d + 1) if (index[8*d +: 8] != chosen[8*d +: 8]) near = levels[44*d +: 44];
  end
  always @* if (started) begin
    on_the_way: assert (!valid || passed || !(&chosen_in_step) || its_row == near);
    in_phase: assert (valid == looping && active == cutting && (copying || !valid && !active && !seen));
    if (copying) begin
      the_shape: assert (shape == {pieces, distance, ahead, behind, rest});
      a_row: assert (pieces != 0 && ahead <= pieces && behind <= pieces);
      the_next: assert (!valid || next_to == place);
      is_seen: assert (seen == (of_the_box && passed && !(active && cut == chosen && position <= piece)));
    end
    if (active) begin
      the_row: assert (cut_position == position && position < pieces && cut_is_inside == cut_inside);
      where: assert (cut_to == cut_place + position);
      its_address: assert (cut != chosen || cut_from == its_row + position);
      behind_it: assert (cut != chosen || passed && &chosen_in_step);
    end
  end else begin
    nothing: assert (!copying && !seen && !looping && !cutting);
  end

  always @* if (started) begin
    three_parts: cover (active && burst_valid && cut_inside && ahead != 0 && behind + 1 < pieces && burst_from[2:0] + burst_count == 8);
    carried: cover (valid && index[16 +: 8] != 0 && index[8 +: 8] == 0 && side[8 +: 8] > pause[3 +: 3] && pause[3 +: 3] != 0 && seen);
    outside: cover (comes && fill_valid && !cut_inside && cut[8 +: 8] != 0);
    slices: cover (comes && burst_valid && chosen[0 +: 8] != 0);
  end
endmodule
