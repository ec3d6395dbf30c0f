// Block RAM, one write and one read port, registered output: the address of one cycle shows its word two cycles later,
// not counting cycles in which read_enable is low.
// What a read returns that meets a write to the same word is never looked at. To use a vendor's primitive (or an SRAM
// macro), replace this module. With MACROS_ECP5 defined, up to 1024 words are in ECP5 primitives that use their output
// register, which Yosys does not infer (Lattice FPGA-TN-02204, DP16KD, port A writes and port B reads). It spares 4.6 of
// 5.6 ns from the clock to the data. PDPW16KD would need half as many cells, but nextpnr 0.11 reports no path from or to it.
module PREFIX_block_ram #(
  parameter WIDTH = 64,
  parameter DEPTH = 512,
  parameter ADDRESS_BITS = 9
) (
  input  wire                    clk,
  input  wire                    read_enable,
  input  wire [ADDRESS_BITS-1:0] read_address,
  output wire [WIDTH-1:0]        read_data,
  input  wire                    write_enable,
  input  wire [ADDRESS_BITS-1:0] write_address,
  input  wire [WIDTH-1:0]        write_data
);
`ifdef MACROS_ECP5
  localparam PRIMITIVES = DEPTH > 1024 ? 0 : (WIDTH + 17) / 18;
`else
  localparam PRIMITIVES = 0;
`endif

  generate if (PRIMITIVES == 0) begin : inferred
    (* no_rw_check *)
    reg [WIDTH-1:0] mem [0:DEPTH-1];
    reg [WIDTH-1:0] latch;
    reg [WIDTH-1:0] shown;
    integer i;

    initial begin
      for (i = 0; i < DEPTH; i = i + 1) mem[i] = {WIDTH{1'b0}};
    end

    always @(posedge clk) begin
      if (write_enable) mem[write_address] <= write_data;
      if (read_enable) begin
        latch <= mem[read_address];
        shown <= latch;
      end
    end
    assign read_data = shown;
`ifdef MACROS_ECP5
  end else begin : primitives
    // the lowest four address bits are of no use with words of 18 bits; those of a write are byte enables in their place
    wire [18*PRIMITIVES-1:0] entering = {{(18*PRIMITIVES-WIDTH){1'b0}}, write_data};
    wire [18*PRIMITIVES-1:0] leaving;
    wire [9:0] w = {{(10-ADDRESS_BITS){1'b0}}, write_address};
    wire [9:0] r = {{(10-ADDRESS_BITS){1'b0}}, read_address};
    genvar g;
    for (g = 0; g < PRIMITIVES; g = g + 1) begin : part
      wire [17:0] d = entering[18*g +: 18];
      wire [17:0] q;
      assign leaving[18*g +: 18] = q;
      DP16KD #(
        .DATA_WIDTH_A(18), .DATA_WIDTH_B(18), .REGMODE_A("NOREG"), .REGMODE_B("OUTREG"), .RESETMODE("SYNC"),
        .GSR("DISABLED"), .CLKAMUX("CLKA"), .CLKBMUX("CLKB"), .WRITEMODE_A("NORMAL"), .WRITEMODE_B("NORMAL")
      ) memory (
        .CLKA(clk), .CEA(write_enable), .OCEA(1'b0), .WEA(write_enable), .RSTA(1'b0),
        .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0),
        .ADA0(1'b1), .ADA1(1'b1), .ADA2(1'b0), .ADA3(1'b0),
        .ADA4(w[0]), .ADA5(w[1]), .ADA6(w[2]), .ADA7(w[3]), .ADA8(w[4]),
        .ADA9(w[5]), .ADA10(w[6]), .ADA11(w[7]), .ADA12(w[8]), .ADA13(w[9]),
        .DIA0(d[0]), .DIA1(d[1]), .DIA2(d[2]), .DIA3(d[3]), .DIA4(d[4]), .DIA5(d[5]),
        .DIA6(d[6]), .DIA7(d[7]), .DIA8(d[8]), .DIA9(d[9]), .DIA10(d[10]), .DIA11(d[11]),
        .DIA12(d[12]), .DIA13(d[13]), .DIA14(d[14]), .DIA15(d[15]), .DIA16(d[16]), .DIA17(d[17]),
        .CLKB(clk), .CEB(read_enable), .OCEB(read_enable), .WEB(1'b0), .RSTB(1'b0),
        .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
        .ADB0(1'b0), .ADB1(1'b0), .ADB2(1'b0), .ADB3(1'b0),
        .ADB4(r[0]), .ADB5(r[1]), .ADB6(r[2]), .ADB7(r[3]), .ADB8(r[4]),
        .ADB9(r[5]), .ADB10(r[6]), .ADB11(r[7]), .ADB12(r[8]), .ADB13(r[9]),
        .DOB0(q[0]), .DOB1(q[1]), .DOB2(q[2]), .DOB3(q[3]), .DOB4(q[4]), .DOB5(q[5]),
        .DOB6(q[6]), .DOB7(q[7]), .DOB8(q[8]), .DOB9(q[9]), .DOB10(q[10]), .DOB11(q[11]),
        .DOB12(q[12]), .DOB13(q[13]), .DOB14(q[14]), .DOB15(q[15]), .DOB16(q[16]), .DOB17(q[17])
      );
    end
    assign read_data = leaving[WIDTH-1:0];
`endif
  end endgenerate
endmodule
