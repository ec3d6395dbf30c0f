// In place of the memory: one word of it, whichever `chosen` says, with anything in it at first. A read of any other word,
// or one that meets a write to its word, shows anything. The proof `ram` shows that the memory does nothing that this cannot.
module txbar_block_ram #(
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
  (* keep *) wire [ADDRESS_BITS-1:0] chosen;   // driven by the proof
  (* keep *) reg [WIDTH-1:0] held;             // seen by the proof
  (* anyseq *) reg [WIDTH-1:0] anything;
  reg [WIDTH-1:0] latch;
  wire writes = write_enable && write_address == chosen;
  wire reads = read_address == chosen && !writes;

  always @(posedge clk) begin
    if (writes) held <= write_data;
    if (read_enable) begin
      latch <= reads ? held : anything;
      read_data <= latch;
    end
  end
endmodule
