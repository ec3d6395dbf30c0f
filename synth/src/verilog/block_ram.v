// Block RAM, one write and one read port, registered output: the address of one cycle shows its word two cycles later,
// not counting cycles in which read_enable is low.
// What a read returns that meets a write to the same word is never looked at. To use a vendor's primitive (or an SRAM
// macro), replace this module.
module PREFIX_block_ram #(
  parameter WIDTH = 64,
  parameter DEPTH = 512,
  parameter ADDRESS_BITS = 9
) (
  input  wire                    clk,
  input  wire                    read_enable,
  input  wire [ADDRESS_BITS-1:0] read_address,
  output reg  [WIDTH-1:0]        read_data,
  input  wire                    write_enable,
  input  wire [ADDRESS_BITS-1:0] write_address,
  input  wire [WIDTH-1:0]        write_data
);
  (* no_rw_check *)
  reg [WIDTH-1:0] mem [0:DEPTH-1];
  reg [WIDTH-1:0] latch;
  integer i;

  initial begin
    for (i = 0; i < DEPTH; i = i + 1) mem[i] = {WIDTH{1'b0}};
  end

  always @(posedge clk) begin
    if (write_enable) mem[write_address] <= write_data;
    if (read_enable) begin
      latch <= mem[read_address];
      read_data <= latch;
    end
  end
endmodule
