// Whether two numbers of more than sixteen bits are equal: a chain of carries.
//
// abc9 takes a comparison as a box that it knows the delay of and does not look into. It may not see the chain: its step `&mfs` takes the end
// of one for a constant, in some runs and not in others (Yosys 0.70), since no random pattern makes two such numbers equal.
`ifdef BOX

(* abc9_box, blackbox *)
module TXBAR_EQUAL (A, B, Y);
  parameter WIDTH = 20;
  input [WIDTH-1:0] A, B;
  output Y;
  specify
    (A *> Y) = 1600;
    (B *> Y) = 1600;
  endspecify
endmodule

`elsif CHAIN

// Each half of a cell compares two bits and hands the carry on if they are equal; with INJECT1 it makes none of its own. The last cell brings
// the carry out to a wire.
module TXBAR_EQUAL (A, B, Y);
  parameter WIDTH = 20;
  input [WIDTH-1:0] A, B;
  output Y;

  localparam CELLS = (WIDTH + 3) / 4;
  (* force_downto *)
  wire [4*CELLS-1:0] a = A, b = B;
  (* force_downto *)
  wire [CELLS:0] equal;
  // nextpnr wants all pins to be there
  (* force_downto *)
  wire [2*CELLS-1:0] sums;
  wire no_sum, no_carry;
  assign equal[0] = 1'b1;
  genvar i;
  generate for (i = 0; i < CELLS; i = i + 1) begin : part
    CCU2C #(.INIT0(16'h9009), .INIT1(16'h9009), .INJECT1_0("YES"), .INJECT1_1("YES")) two (
      .CIN(equal[i]),
      .A0(a[4*i]), .B0(b[4*i]), .C0(a[4*i+1]), .D0(b[4*i+1]),
      .A1(a[4*i+2]), .B1(b[4*i+2]), .C1(a[4*i+3]), .D1(b[4*i+3]),
      .S0(sums[2*i]), .S1(sums[2*i+1]), .COUT(equal[i+1])
    );
  end endgenerate

  CCU2C #(.INIT0(16'h0000), .INIT1(16'h0000), .INJECT1_0("NO"), .INJECT1_1("NO")) last (
    .CIN(equal[CELLS]),
    .A0(1'b0), .B0(1'b0), .C0(1'b0), .D0(1'b0),
    .A1(1'b0), .B1(1'b0), .C1(1'b0), .D1(1'b0),
    .S0(Y), .S1(no_sum), .COUT(no_carry)
  );
endmodule

`else

(* techmap_celltype = "$eq $ne" *)
module txbar_compare (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter _TECHMAP_CONSTMSK_A_ = 0;
  parameter _TECHMAP_CONSTMSK_B_ = 0;

  (* force_downto *)
  input [A_WIDTH-1:0] A;
  (* force_downto *)
  input [B_WIDTH-1:0] B;
  (* force_downto *)
  output [Y_WIDTH-1:0] Y;

  // a comparison with a constant takes half as many tables
  wire _TECHMAP_FAIL_ = A_WIDTH != B_WIDTH || A_WIDTH <= 16 || |_TECHMAP_CONSTMSK_A_ || |_TECHMAP_CONSTMSK_B_;

  wire all;
  TXBAR_EQUAL #(.WIDTH(A_WIDTH)) compare (.A(A), .B(B), .Y(all));
  assign Y = _TECHMAP_CELLTYPE_ == "$ne" ? !all : all;
endmodule

`endif
