// Which bytes of a row are inside the tensor: the block that measures a copy, on its own. One byte of the row, no matter which, lies in a
// piece that is read, and is not cut off its end, exactly if its coordinate is one of the tensor's.
module top (
  input wire clk, start,
  input wire [31:0] at, last,
  input wire [1:0] scale, interleave, swizzle,
  input wire [11:0] row_bytes,
  input wire [11:0] offset
);
  reg started = 0;
  always @(posedge clk) started <= 1;
  wire [7:0] count, pitch, lead, bound, gap;
  wire [3:0] tail;
  wire is_aligned;
  txbar_tensor_origin dut (
    .clk(clk), .rst(!started), .start(start), .at_0(at), .last(last), .scale(scale), .interleave(interleave), .swizzle(swizzle),
    .row_bytes(row_bytes), .count(count), .pitch(pitch), .lead(lead), .bound(bound), .tail(tail), .gap(gap), .is_aligned(is_aligned)
  );
  // a map that has been found good: rows of whole pieces; elements of 1 to 8 bytes. Coordinates that are not are refused
  wire signed [39:0] first = $signed(at) * (40'sd1 << scale), bytes = ({8'sd0, last} + 40'sd1) * (40'sd1 << scale);
  always @* begin
    assume (row_bytes[3:0] == 0 && row_bytes != 0 && offset < row_bytes);
    assume (interleave <= 2);
  end

  reg measured = 0, sliced, pairs, is_inside, before, behind, swizzles;
  reg [11:0] byte_of, row;
  wire signed [39:0] coordinate = first + $signed({28'b0, offset});
  always @(posedge clk) begin
    measured <= started && is_aligned;
    {sliced, pairs, byte_of, row, swizzles} <= {interleave != 0, interleave == 2, offset, row_bytes, swizzle != 0};
    is_inside <= coordinate >= 0 && coordinate < bytes;
    {before, behind} <= {first < 0, first + $signed({28'b0, row_bytes}) > bytes};
  end
  wire [7:0] piece = byte_of[11:4];
  always @* if (started) aligned: assert (is_aligned == (interleave != 0 || first[3:0] == 0));
  always @* if (measured && !sliced) begin
    of_the_tensor: assert ((piece >= lead && piece < bound && (tail == 0 || piece + 1 != bound || byte_of[3:0] < tail)) == is_inside);
    whole_row: assert (count == row[11:4] && lead <= count && bound <= count);
  end
  always @* if (measured && sliced) slice: assert (count == 1 + pairs && lead == 0 && bound == count && tail == 0 && (swizzles || pitch == count));
  always @* if (measured) begin
    cut_off: cover (!sliced && before && behind && is_inside && tail != 0 && lead != 0);
    all_outside: cover (!sliced && before && lead == count);
  end
endmodule
