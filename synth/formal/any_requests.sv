// In place of the ring of the high-clock build: requests come to its pipeline two cycles after they are pushed, from any place, and
// nobody goes back. Where there is no request, what is shown is anything. requests.sv shows that the ring shows nothing that this
// cannot: whatever requests the ring brings, in whatever order and as often as it likes, can be pushed.
module txbar_ring (
  input  wire                  clk,
  input  wire                  rst,
  input  wire                  push,
  input  wire [KIND_BITS-1:0]  push_kind,
  input  wire [7:0]            push_mask,
  input  wire [63:0]           push_data,
  input  wire [TX_BITS-1:0]    push_negative,
  input  wire [INDEX_BITS-1:0] push_index,
  input  wire [TAG_BITS-1:0]   push_tag,
  input  wire                  surprise,
  input  wire [$clog2(IN_FLIGHT)-1:0] again,
  output reg                   valid,
  output wire [$clog2(IN_FLIGHT)-1:0] position,
  output reg  [KIND_BITS-1:0]  kind,
  output reg  [7:0]            mask,
  output reg  [63:0]           data,
  output reg  [TX_BITS-1:0]    negative,
  output reg  [INDEX_BITS-1:0] index, early_index,
  output reg  [TAG_BITS-1:0]   tag
);
  (* anyseq *) wire [$clog2(IN_FLIGHT)-1:0] place;
  assign position = place;
  reg coming;
  reg [KIND_BITS-1:0] early_kind;
  reg [7:0] early_mask;
  reg [63:0] early_data;
  reg [TX_BITS-1:0] early_negative;
  reg [TAG_BITS-1:0] early_tag;
  (* anyseq *) wire [KIND_BITS-1:0] any_kind;
  (* anyseq *) wire [7:0] any_mask;
  (* anyseq *) wire [63:0] any_data;
  (* anyseq *) wire [TX_BITS-1:0] any_negative;
  (* anyseq *) wire [TAG_BITS-1:0] any_tag;
  always @(posedge clk) begin
    coming <= push && !surprise && !rst;
    valid <= coming && !surprise && !rst;
    {early_kind, early_mask, early_data} <= {push_kind, push_mask, push_data};
    {early_negative, early_index, early_tag} <= {push_negative, push_index, push_tag};
    index <= early_index;
    {kind, mask, data, negative, tag} <= coming && !surprise && !rst ? {early_kind, early_mask, early_data, early_negative, early_tag}
                                                                     : {any_kind, any_mask, any_data, any_negative, any_tag};
  end
endmodule
