// What brings the answers of two banks of the fabric back to a port, on its own: each is shown once, as it was given, in the order in
// which they were given (in one cycle by bank), and stays until it is taken; without delay, if the port takes all. Answers may be given in
// any cycle: that no more are owed than there is room for is what stops.sv proves, and in as few cycles as are looked at here there are
// not.
module top (
  input wire clk,
  input wire [BANKS-1:0] come,
  input wire [OUTCOME_BITS-1:0] outcome_0, outcome_1,
  input wire [63:0] data_0, data_1,
  input wire ready, track, which
);
  // cycles from an answer's coming to its being shown, less the one in which it comes
  localparam [3:0] TRAVEL = 2;
  reg started = 0, begun = 0;
  always @(posedge clk) {begun, started} <= {started, 1'b1};
  // reset has cleared the registers of the banks
  always @* if (!begun) assume ({come, outcome_0, outcome_1, data_0, data_1} == 0);
  wire valid, taken;
  wire [OUTCOME_BITS-1:0] shown;
  wire [63:0] shown_data;
  txbar_returns dut (
    .clk(clk), .rst(!started), .come({6'd0, come}), .outcome_0(outcome_0), .outcome_1(outcome_1), .data_0(data_0),
    .data_1(data_1), .ready(ready), .valid(valid), .shown(shown), .shown_data(shown_data), .taken(taken)
  );

  reg [7:0] held = 0;               // answers that have come and have not been taken
  reg eager = 1;                    // the port has taken all that it was shown
  reg stays = 0, took = 0;
  reg [OUTCOME_BITS+63:0] before;
  wire takes = valid && ready;
  always @(posedge clk) if (started) begin
    held <= held + come[0] + come[1] - takes;
    eager <= eager && ready;
    {stays, before, took} <= {valid && !ready, shown, shown_data, takes};
    if (valid) out_of_nothing: assert (held != 0);
    if (stays) stays_the_same: assert (valid && {shown, shown_data} == before);
    told: assert (taken == took);
  end

  // one answer, no matter which
  reg waiting = 0;
  reg [7:0] ahead;
  reg had_two = 0;
  reg [3:0] waited;
  reg [OUTCOME_BITS+63:0] it;
  always @(posedge clk) if (started) begin
    if (waiting) waited <= waited + (waited != TRAVEL);
    if (waiting && takes) ahead <= ahead - 1;
    if (waiting && takes && ahead == 0) waiting <= 0;
    if (track && come[which] && !waiting) begin
      waiting <= 1;
      waited <= 0;
      had_two <= held - takes + (which && come[0]) == 2;
      ahead <= held - takes + (which && come[0]);
      it <= which ? {outcome_1, data_1} : {outcome_0, data_0};
    end
    behind_others: cover (waiting && takes && ahead == 0 && had_two);
    if (waiting) kept: assert (ahead < held);
    if (waiting && waited == TRAVEL && eager) no_delay: assert (valid);
    if (waiting && valid && ahead == 0) as_given: assert ({shown, shown_data} == it);
  end
endmodule
