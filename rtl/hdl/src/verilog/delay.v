// Registers in a row: what enters leaves DEPTH cycles later.
module PREFIX_delay #(
  parameter WIDTH = 8,
  parameter DEPTH = 1
) (
  input  wire             clk,
  input  wire [WIDTH-1:0] enter,
  output wire [WIDTH-1:0] leave
);
  reg  [WIDTH*DEPTH-1:0]     line;
  wire [WIDTH*(DEPTH+1)-1:0] moved = {line, enter};

  assign leave = moved[WIDTH*(DEPTH+1)-1:WIDTH*DEPTH];

  always @(posedge clk) begin
    line <= moved[WIDTH*DEPTH-1:0];
  end
endmodule
