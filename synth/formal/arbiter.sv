// The arbiter on its own: one of those that request, and nobody waits for longer than a round.
module top (
  input wire clk,
  input wire [PORTS-1:0] request
);
  reg started = 0;
  always @(posedge clk) started <= 1;
  wire [PORTS-1:0] grant;
  txbar_round_robin dut (.clk(clk), .rst(!started), .request(request), .grant(grant));

  reg [3:0] waited [PORTS-1:0];     // cycles for which a port has requested in vain
  integer p;
  always @(posedge clk) begin
    for (p = 0; p < PORTS; p = p + 1) waited[p] <= started && request[p] && !grant[p] ? waited[p] + 1 : 0;
    if (started) begin
      only_requesters: assert ((grant & ~request) == 0);
      one_at_most: assert ((grant & (grant - 1)) == 0);
      one_if_any: assert ((grant != 0) == (request != 0));
      for (p = 0; p < PORTS; p = p + 1) assert (waited[p] < PORTS);
      waits_longest: cover (waited[0] == PORTS - 1 && grant[0]);
    end
  end
endmodule
