// What stands for the memory in other proofs can do all that the memory does: if it starts with the same word, and shows
// `anything` as the memory does, it shows the same. The exported module is called `memory` here.
module top (
  input wire clk,
  input wire read_enable, write_enable,
  input wire [INDEX_BITS-1:0] read_address, write_address,
  input wire [63:0] write_data
);
  (* anyconst *) wire [INDEX_BITS-1:0] chosen;
  // whether a read is one of the chosen word, and met no write to it: where it is in the memory's two steps
  wire reads = read_address == chosen && !(write_enable && write_address == chosen);
  reg latched = 0, shown = 0;
  reg [63:0] word = 0, latch, read_word;        // the one word, as one_word_ram.sv keeps it
  wire [63:0] read_data;
  txbar_block_ram #(.WIDTH(64), .DEPTH(WORDS), .ADDRESS_BITS(INDEX_BITS)) dut (
    .clk(clk), .read_enable(read_enable), .read_address(read_address), .read_data(read_data),
    .write_enable(write_enable), .write_address(write_address), .write_data(write_data)
  );
  always @(posedge clk) begin
    if (write_enable && write_address == chosen) word <= write_data;
    if (read_enable) begin
      {latched, shown} <= {reads, latched};
      latch <= word;
      read_word <= latch;
    end
    if (shown) assert (read_data == read_word);
    read_back: cover (shown && read_data != 0);
  end
endmodule
