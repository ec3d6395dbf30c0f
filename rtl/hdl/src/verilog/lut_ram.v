// Small memory that is read in the same cycle.
module PREFIX_lut_ram #(
  parameter WIDTH = 8,
  parameter DEPTH = 8,
  parameter ADDRESS_BITS = 3
) (
  input  wire                    clk,
  input  wire [ADDRESS_BITS-1:0] read_address,
  output wire [WIDTH-1:0]        read_data,
  input  wire                    write_enable,
  input  wire [ADDRESS_BITS-1:0] write_address,
  input  wire [WIDTH-1:0]        write_data
);
  reg [WIDTH-1:0] mem [0:DEPTH-1];

  integer i;
  initial for (i = 0; i < DEPTH; i = i + 1) mem[i] = {WIDTH{1'b0}};

  assign read_data = mem[read_address];

  always @(posedge clk) begin
    if (write_enable) mem[write_address] <= write_data;
  end
endmodule
