// What Lattice's DP16KD does as far as txbar uses it (FPGA-TN-02204): 1024 words of 18 bits, port A writes, with a byte
// enable at each of ADA0 and ADA1, and port B reads, with or without its output register. What a read gives that meets a
// write of the same word is not described there; here it is the word before.
module DP16KD #(
  parameter DATA_WIDTH_A = 18, parameter DATA_WIDTH_B = 18, parameter REGMODE_A = "NOREG", parameter REGMODE_B = "NOREG",
  parameter RESETMODE = "SYNC", parameter GSR = "DISABLED", parameter CLKAMUX = "CLKA", parameter CLKBMUX = "CLKB",
  parameter WRITEMODE_A = "NORMAL", parameter WRITEMODE_B = "NORMAL"
) (
  input CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2,
  input CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
  input DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
  input ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
  input ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
  output DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
  reg [17:0] mem [0:1023];
  reg [17:0] latch, q;
  integer i;
  initial for (i = 0; i < 1024; i = i + 1) mem[i] = 18'd0;
  wire [9:0] w = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4};
  wire [9:0] r = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4};
  wire [17:0] d = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] enabled = {{9{ADA1}}, {9{ADA0}}};
  always @(posedge CLKA) if (CEA & WEA) mem[w] <= (d & enabled) | (mem[w] & ~enabled);
  always @(posedge CLKB) begin
    if (CEB) latch <= mem[r];
    if (OCEB) q <= latch;
  end
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} =
    REGMODE_B == "OUTREG" ? q : latch;
endmodule
