// A bank's table of suspended waits in the fabric, on its own, with any requests at any time: no wake-up is lost. One wait, no matter
// which, is followed from the cycle in which it is parked. When the phase of its word completes, its barrier is ended, or its time is
// over, it leaves within BOUND cycles in which the bank has no other answer, says why, and does not leave before.
module top (
  input wire clk,
  input wire wants, ends, flips, gap, hasty, track,
  input wire [ROW_BITS-1:0] coming,
  input wire [32:0] deadline, soon,
  input wire [PORT_BITS-1:0] port,
  input wire [TAG_BITS-1:0] tag
);
  // its turn comes after those that were over before it, and after those of the round that was over before them
  localparam BOUND = 2 * ENTRIES - 1;
  reg started = 0;
  always @(posedge clk) started <= 1;
  // the request in c6 was in c5 a cycle ago
  reg wanted = 0, ended = 0, in_haste;
  reg [ROW_BITS-1:0] row;
  reg [32:0] until;
  always @(posedge clk) {wanted, ended, row, in_haste, until} <= {wants && started, ends && started, coming, hasty, deadline};
  wire parks, wakes, pending, back_predicate;
  wire [PORTS-1:0] back;
  wire [TAG_BITS-1:0] back_tag;
  wire [STATUS_BITS-1:0] back_status;
  txbar_table dut (
    .clk(clk), .rst(!started), .wants(wants), .ends(ends), .deadline(deadline), .hasty(hasty), .flips(flips), .row(row),
    .port(port), .tag(tag), .coming(coming), .soon(soon), .gap(gap), .parks(parks), .wakes(wakes), .pending(pending),
    .back(back), .back_tag(back_tag), .back_status(back_status), .back_predicate(back_predicate)
  );
  always @* begin
    assume (wants + ends <= 1);                     // a request does one thing at most
    assume (flips + wanted + ended <= 1);
    assume (port < PORTS);
  end
  // port and tag name a wait that is suspended
  localparam NAME_BITS = TAG_BITS + 1;
  wire left = gap && back != 0;
  wire [NAME_BITS-1:0] name = {port[0], tag}, back_name = {back[1], back_tag};
  reg [(1 << NAME_BITS)-1:0] busy = 0;
  always @* if (wanted) assume (!busy[name]);

  // one wait, no matter which: its phase has completed, its barrier is gone, its time is over
  reg [7:0] held = 0;
  reg waiting = 0, woken = 0, gone = 0, expired = 0, due;
  reg [NAME_BITS-1:0] its_name;
  reg [ROW_BITS-1:0] its_row;
  reg [32:0] its_deadline;
  reg [7:0] patience = 0;                           // gaps since then
  wire over = woken || gone || expired;
  wire [32:0] late = soon - its_deadline;           // in the next cycle
  wire it_leaves = left && back_name == its_name;
  always @(posedge clk) if (started) begin
    if (parks) busy[name] <= 1;
    if (left) busy[back_name] <= 0;
    held <= held + parks - left;
    due <= !late[32];
    if (parks && track && !waiting) begin
      {waiting, woken, gone, expired} <= 4'b1000;
      {its_name, its_row, its_deadline, due, patience} <= {name, row, until, in_haste, 8'd0};
    end
    if (waiting && !over) begin
      if (row == its_row) {woken, gone} <= {flips, ended};
      expired <= due;
    end
    if (waiting && over) patience <= patience + gap;
    if (waiting && it_leaves) waiting <= 0;
  end
  always @* if (started) begin
    as_long_as_there_is_a_place: assert (parks == (wanted && held != ENTRIES));
    one_at_most: assert ((back & (back - 1)) == 0);
    out_of_nothing: assert (!pending || held != 0);
    if (waiting && !over && row == its_row && flips) told: assert (wakes);
    if (waiting && over) in_time: assert (patience < BOUND);
    if (waiting && it_leaves) begin
      not_before: assert (over);
      as_it_was: assert (back_predicate == woken && back_status == (gone ? STATUS_INVALIDATED : STATUS_OK));
    end
  end

  // Lemmas: what the registers of the table hold (connected by the flow). With them each step follows from the one before.
  (* keep *) wire table_wants, table_ends, table_hasty;
  (* keep *) wire [32:0] table_deadline;
  (* keep *) wire [ENTRIES-1:0] place, parked, done, success, ending, leaving, round, met, overdue;
  (* keep *) wire [ENTRIES*ROW_BITS-1:0] rows;
  (* keep *) wire [ENTRIES*33-1:0] limits;
  (* keep *) wire [ENTRIES*PORT_BITS-1:0] ports;
  (* keep *) wire [ENTRIES*TAG_BITS-1:0] tags;
  reg [ENTRIES-1:0] its = 0;                        // its entry, one-hot
  always @(posedge clk) if (started && parks && track && !waiting) its <= place;
  reg sat_out = 0;                                  // it was over while others were leaving
  always @(posedge clk) sat_out <= waiting && over && (sat_out || leaving != 0 && ((leaving | round) & its) == 0);
  always @* if (started) begin
    full: cover (held == ENTRIES);
    woken_late: cover (waiting && it_leaves && woken && sat_out);
    barrier_gone: cover (waiting && it_leaves && gone);
    gives_up: cover (waiting && it_leaves && expired && !woken && its_deadline != 0);
  end
  function [7:0] count(input [ENTRIES-1:0] mask);
    integer i;
    begin
      count = 0;
      for (i = 0; i < ENTRIES; i = i + 1) count = count + mask[i];
    end
  endfunction
  // gaps in which others leave before it, at most, and the one in which it does: after the one that leaves, those of the round ahead of it;
  // if it is not in this round, after all of it and of the next. Before a round begins there may be a gap in which nobody leaves
  wire [ENTRIES-1:0] ahead = round & (its - 1);
  wire [7:0] to_come = its & leaving ? 1 : its & round ? 2 + count(ahead) : count(leaving | round) + ENTRIES + (leaving == 0);
  wire [ENTRIES-1:0] held_ones = parked | done;
  genvar e, f;
  generate
    for (e = 0; e < ENTRIES; e = e + 1) begin : entry
      wire [PORT_BITS-1:0] from = ports[PORT_BITS*e +: PORT_BITS];
      wire [NAME_BITS-1:0] id = {from[0], tags[TAG_BITS*e +: TAG_BITS]};
      wire same = rows[ROW_BITS*e +: ROW_BITS] == row;
      always @* if (started) begin
        assert (met[e] == same);
        if (held_ones[e]) assert (busy[id] && from < PORTS);
        if (waiting && its[e]) begin
          assert (parked[e] == !over && done[e] == over && success[e] == woken && ending[e] == gone);
          assert (id == its_name && rows[ROW_BITS*e +: ROW_BITS] == its_row && limits[33*e +: 33] == its_deadline);
          if (!over) assert (overdue[e] == due);
        end
      end
      for (f = 0; f < e; f = f + 1) begin : other
        always @* if (started && held_ones[e] && held_ones[f]) assert (entry[e].id != entry[f].id);
      end
    end
  endgenerate
  always @* if (started) begin
    same_request: assert ({table_wants, table_ends, table_hasty, table_deadline} == {wanted, ended, in_haste, until});
    either: assert ((parked & done) == 0 && ((success | ending) & ~done) == 0);
    one_leaves: assert ((leaving & (leaving - 1)) == 0 && (leaving & round) == 0 && ((leaving | round) & ~done) == 0);
    rounds: assert (leaving != 0 || round == 0);
    counted: assert (held == count(held_ones));
    if (waiting) one_entry: assert (its != 0 && (its & (its - 1)) == 0 && (!gone || !woken));
    if (waiting) turn: assert (over ? patience + to_come <= BOUND : patience == 0);
  end else begin
    empty: assert (held == 0 && busy == 0 && !waiting && !wanted && !ended);
  end
endmodule
