// Block RAM, one write and one read port, registered output: the address of one cycle shows its word two cycles later,
// not counting cycles in which read_enable is low.
// What a read returns that meets a write to the same word is never looked at. To use a vendor's primitive (or an SRAM
// macro), replace this module. With TXBAR_ECP5 defined, up to 512 words are in ECP5 primitives that use their output
// register, which Yosys does not infer (Lattice FPGA-TN-02204, "Pseudo Dual Port RAM", PDPW16KD). nextpnr 0.11 reports no
// path from or to them: a clock that it gives leaves them out.
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
`ifdef TXBAR_ECP5
  localparam PRIMITIVES = DEPTH > 512 ? 0 : (WIDTH + 35) / 36;
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
`ifdef TXBAR_ECP5
  end else begin : primitives
    wire [36*PRIMITIVES-1:0] entering = {{(36*PRIMITIVES-WIDTH){1'b0}}, write_data};
    wire [36*PRIMITIVES-1:0] leaving;
    wire [8:0] w = {{(9-ADDRESS_BITS){1'b0}}, write_address};
    wire [8:0] r = {{(9-ADDRESS_BITS){1'b0}}, read_address};
    genvar g;
    for (g = 0; g < PRIMITIVES; g = g + 1) begin : part
      wire [35:0] d = entering[36*g +: 36];
      wire [35:0] q;
      assign leaving[36*g +: 36] = q;
      PDPW16KD #(
        .DATA_WIDTH_W(36), .DATA_WIDTH_R(36), .REGMODE("OUTREG"), .GSR("DISABLED"), .CLKWMUX("CLKW"), .CLKRMUX("CLKR")
      ) memory (
        .CLKW(clk), .CEW(write_enable), .CSW0(1'b0), .CSW1(1'b0), .CSW2(1'b0),
        .BE0(1'b1), .BE1(1'b1), .BE2(1'b1), .BE3(1'b1),
        .ADW0(w[0]), .ADW1(w[1]), .ADW2(w[2]), .ADW3(w[3]), .ADW4(w[4]),
        .ADW5(w[5]), .ADW6(w[6]), .ADW7(w[7]), .ADW8(w[8]),
        .DI0(d[0]), .DI1(d[1]), .DI2(d[2]), .DI3(d[3]), .DI4(d[4]), .DI5(d[5]),
        .DI6(d[6]), .DI7(d[7]), .DI8(d[8]), .DI9(d[9]), .DI10(d[10]), .DI11(d[11]),
        .DI12(d[12]), .DI13(d[13]), .DI14(d[14]), .DI15(d[15]), .DI16(d[16]), .DI17(d[17]),
        .DI18(d[18]), .DI19(d[19]), .DI20(d[20]), .DI21(d[21]), .DI22(d[22]), .DI23(d[23]),
        .DI24(d[24]), .DI25(d[25]), .DI26(d[26]), .DI27(d[27]), .DI28(d[28]), .DI29(d[29]),
        .DI30(d[30]), .DI31(d[31]), .DI32(d[32]), .DI33(d[33]), .DI34(d[34]), .DI35(d[35]),
        .CLKR(clk), .CER(read_enable), .OCER(read_enable), .RST(1'b0), .CSR0(1'b0), .CSR1(1'b0), .CSR2(1'b0),
        .ADR0(1'b0), .ADR1(1'b0), .ADR2(1'b0), .ADR3(1'b0), .ADR4(1'b0), .ADR5(r[0]), .ADR6(r[1]),
        .ADR7(r[2]), .ADR8(r[3]), .ADR9(r[4]), .ADR10(r[5]), .ADR11(r[6]), .ADR12(r[7]), .ADR13(r[8]),
        .DO0(q[18]), .DO1(q[19]), .DO2(q[20]), .DO3(q[21]), .DO4(q[22]), .DO5(q[23]),
        .DO6(q[24]), .DO7(q[25]), .DO8(q[26]), .DO9(q[27]), .DO10(q[28]), .DO11(q[29]),
        .DO12(q[30]), .DO13(q[31]), .DO14(q[32]), .DO15(q[33]), .DO16(q[34]), .DO17(q[35]),
        .DO18(q[0]), .DO19(q[1]), .DO20(q[2]), .DO21(q[3]), .DO22(q[4]), .DO23(q[5]),
        .DO24(q[6]), .DO25(q[7]), .DO26(q[8]), .DO27(q[9]), .DO28(q[10]), .DO29(q[11]),
        .DO30(q[12]), .DO31(q[13]), .DO32(q[14]), .DO33(q[15]), .DO34(q[16]), .DO35(q[17])
      );
    end
    assign read_data = leaving[WIDTH-1:0];
`endif
  end endgenerate
endmodule
