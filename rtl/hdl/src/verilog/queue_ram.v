// Small memory with registers at both ends: what is given to write in one cycle is written in the next, and the address of
// one cycle shows its entry two cycles later. What is read of an entry that is written in the same cycle is never looked at.
module PREFIX_queue_ram #(
  parameter WIDTH = 8,
  parameter DEPTH = 32,
  parameter ADDRESS_BITS = 5
) (
  input  wire                    clk,
  input  wire                    rst,
  input  wire [ADDRESS_BITS-1:0] read_address,
  output reg  [WIDTH-1:0]        read_data,
  input  wire                    write_enable,
  input  wire [ADDRESS_BITS-1:0] write_address,
  input  wire [WIDTH-1:0]        write_data
);
  reg [ADDRESS_BITS-1:0] place;
  reg [WIDTH-1:0]        entering;
  integer i;

  always @(posedge clk) begin
    place <= write_address;
    entering <= write_data;
  end

`ifdef MACROS_ECP5
  // distributed RAM has 16 entries, so there are two halves, and their choice is the second cycle; the output of a block RAM
  // without its register would come too late
  (* ram_style = "distributed", no_rw_check *) reg [WIDTH-1:0] low_half  [0:15];
  (* ram_style = "distributed", no_rw_check *) reg [WIDTH-1:0] high_half [0:15];
  reg [WIDTH-1:0] low;
  reg [WIDTH-1:0] high;
  reg             high_read;
  reg             to_low;
  reg             to_high;

  always @(posedge clk) begin
    to_low <= write_enable & ~write_address[ADDRESS_BITS-1];
    to_high <= write_enable & write_address[ADDRESS_BITS-1];
    if (rst) begin  // in this form the reset of the registers, not an input of logic: it may be a global signal
      to_low <= 1'b0;
      to_high <= 1'b0;
    end
    if (to_low) low_half[place[3:0]] <= entering;
    if (to_high) high_half[place[3:0]] <= entering;
    low <= low_half[read_address[3:0]];
    high <= high_half[read_address[3:0]];
    high_read <= read_address[ADDRESS_BITS-1];
    read_data <= high_read ? high : low;
  end
  initial for (i = 0; i < 16; i = i + 1) begin
    low_half[i] = {WIDTH{1'b0}};
    high_half[i] = {WIDTH{1'b0}};
  end
`else
  (* no_rw_check *)
  reg [WIDTH-1:0] mem [0:DEPTH-1];
  reg [WIDTH-1:0] latch;
  reg             writes;

  always @(posedge clk) begin
    writes <= write_enable;
    if (rst) writes <= 1'b0;
    if (writes) mem[place] <= entering;
    latch <= mem[read_address];
    read_data <= latch;
  end
  initial for (i = 0; i < DEPTH; i = i + 1) mem[i] = {WIDTH{1'b0}};
`endif
endmodule
