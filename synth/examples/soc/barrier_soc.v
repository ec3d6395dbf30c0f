// A unit with two request ports, each of them an AXI4-Lite slave: the barriers of a system with two cores.
//
//   core 0 ── axil_port ── port 0 ┐
//                                 ├ txbar_unit: txbar verilog --ports 2 --banks 2 --words 64 --waiters 8 --queue-depth 6
//   core 1 ── axil_port ── port 1 ┘
//
// Pins of core n are numbered n. `aresetn` is AXI's reset, active low; the unit's is synchronous, so the system has to
// release it with the clock. The memory is zero after configuration, but nothing in it is a barrier before `init`.
module barrier_soc (
    input         aclk,
    input         aresetn,

    input  [11:0] awaddr_0, awaddr_1,
    input  [1:0]  awvalid,
    output [1:0]  awready,
    input  [31:0] wdata_0, wdata_1,
    input  [3:0]  wstrb_0, wstrb_1,
    input  [1:0]  wvalid,
    output [1:0]  wready,
    output [1:0]  bresp_0, bresp_1,
    output [1:0]  bvalid,
    input  [1:0]  bready,
    input  [11:0] araddr_0, araddr_1,
    input  [1:0]  arvalid,
    output [1:0]  arready,
    output [31:0] rdata_0, rdata_1,
    output [1:0]  rresp_0, rresp_1,
    output [1:0]  rvalid,
    input  [1:0]  rready,
    output [1:0]  irq
);
    wire rst = !aresetn;

    wire [1:0]  req_valid, req_ready, rsp_valid, rsp_ready, rsp_resumed;
    wire [4:0]  req_op_0, req_op_1, rsp_status_0, rsp_status_1;
    wire [31:0] req_address_0, req_address_1;
    wire [63:0] req_data_0, req_data_1, rsp_data_0, rsp_data_1;
    wire [7:0]  req_strobe_0, req_strobe_1, req_tag_0, req_tag_1, rsp_tag_0, rsp_tag_1;
    wire [2:0]  req_order_0, req_order_1;
    wire        rsp_predicate_0, rsp_predicate_1;

    axil_port core_0 (
        .clk(aclk), .rst(rst),
        .awaddr(awaddr_0), .awvalid(awvalid[0]), .awready(awready[0]),
        .wdata(wdata_0), .wstrb(wstrb_0), .wvalid(wvalid[0]), .wready(wready[0]),
        .bresp(bresp_0), .bvalid(bvalid[0]), .bready(bready[0]),
        .araddr(araddr_0), .arvalid(arvalid[0]), .arready(arready[0]),
        .rdata(rdata_0), .rresp(rresp_0), .rvalid(rvalid[0]), .rready(rready[0]), .irq(irq[0]),
        .req_valid(req_valid[0]), .req_ready(req_ready[0]), .req_op(req_op_0), .req_address(req_address_0),
        .req_data(req_data_0), .req_strobe(req_strobe_0), .req_tag(req_tag_0), .req_order(req_order_0),
        .rsp_valid(rsp_valid[0]), .rsp_ready(rsp_ready[0]), .rsp_tag(rsp_tag_0), .rsp_status(rsp_status_0),
        .rsp_predicate(rsp_predicate_0), .rsp_resumed(rsp_resumed[0]), .rsp_data(rsp_data_0)
    );

    axil_port core_1 (
        .clk(aclk), .rst(rst),
        .awaddr(awaddr_1), .awvalid(awvalid[1]), .awready(awready[1]),
        .wdata(wdata_1), .wstrb(wstrb_1), .wvalid(wvalid[1]), .wready(wready[1]),
        .bresp(bresp_1), .bvalid(bvalid[1]), .bready(bready[1]),
        .araddr(araddr_1), .arvalid(arvalid[1]), .arready(arready[1]),
        .rdata(rdata_1), .rresp(rresp_1), .rvalid(rvalid[1]), .rready(rready[1]), .irq(irq[1]),
        .req_valid(req_valid[1]), .req_ready(req_ready[1]), .req_op(req_op_1), .req_address(req_address_1),
        .req_data(req_data_1), .req_strobe(req_strobe_1), .req_tag(req_tag_1), .req_order(req_order_1),
        .rsp_valid(rsp_valid[1]), .rsp_ready(rsp_ready[1]), .rsp_tag(rsp_tag_1), .rsp_status(rsp_status_1),
        .rsp_predicate(rsp_predicate_1), .rsp_resumed(rsp_resumed[1]), .rsp_data(rsp_data_1)
    );

    // One connection a line, so that it can be compared with the manifest's list of ports.
    // What tells when operations take effect and phases complete is left open: it is for tracing.
    /* verilator lint_off PINCONNECTEMPTY */
    txbar_unit unit (
        .clk(aclk),
        .rst(rst),
        .req_valid(req_valid),
        .req_ready(req_ready),
        .req_op_0(req_op_0),
        .req_op_1(req_op_1),
        .req_remote_0(1'b0),
        .req_remote_1(1'b0),
        .req_address_0(req_address_0),
        .req_address_1(req_address_1),
        .req_data_0(req_data_0),
        .req_data_1(req_data_1),
        .req_strobe_0(req_strobe_0),
        .req_strobe_1(req_strobe_1),
        .req_tag_0(req_tag_0),
        .req_tag_1(req_tag_1),
        .req_order_0(req_order_0),
        .req_order_1(req_order_1),
        .bank_stall(2'b00),
        .remote_pending(2'b00),
        .rsp_valid(rsp_valid),
        .rsp_ready(rsp_ready),
        .rsp_tag_0(rsp_tag_0),
        .rsp_tag_1(rsp_tag_1),
        .rsp_status_0(rsp_status_0),
        .rsp_status_1(rsp_status_1),
        .rsp_predicate_0(rsp_predicate_0),
        .rsp_predicate_1(rsp_predicate_1),
        .rsp_data_0(rsp_data_0),
        .rsp_data_1(rsp_data_1),
        .rsp_resumed(rsp_resumed),
        .done_valid(),
        .done_tag_0(),
        .done_tag_1(),
        .done_status_0(),
        .done_status_1(),
        .done_index_0(),
        .done_index_1(),
        .done_suspended(),
        .wake_valid(),
        .flip_valid(),
        .flip_index_0(),
        .flip_index_1()
    );
    /* verilator lint_on PINCONNECTEMPTY */
endmodule
