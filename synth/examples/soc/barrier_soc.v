// A unit with 2 request ports, each of them an AXI4-Lite slave: the barriers of a system.
//
// Made by barrier_soc.py from the manifest of txbar_unit; it and axil_port.v belong to it. The pins of port n begin with sN_axil.
// `aresetn` is AXI's reset, active low; the unit's is synchronous, so the system has to release it with the clock. The unit's memory is
// whatever it was, but nothing in it is a barrier before `init`.
/* verilator lint_off TIMESCALEMOD */
module barrier_soc (
    input         aclk,
    input         aresetn,

    input  [11:0] s0_axil_awaddr,
    input  [2:0]  s0_axil_awprot,
    input         s0_axil_awvalid,
    output        s0_axil_awready,
    input  [31:0] s0_axil_wdata,
    input  [3:0]  s0_axil_wstrb,
    input         s0_axil_wvalid,
    output        s0_axil_wready,
    output [1:0]  s0_axil_bresp,
    output        s0_axil_bvalid,
    input         s0_axil_bready,
    input  [11:0] s0_axil_araddr,
    input  [2:0]  s0_axil_arprot,
    input         s0_axil_arvalid,
    output        s0_axil_arready,
    output [31:0] s0_axil_rdata,
    output [1:0]  s0_axil_rresp,
    output        s0_axil_rvalid,
    input         s0_axil_rready,

    input  [11:0] s1_axil_awaddr,
    input  [2:0]  s1_axil_awprot,
    input         s1_axil_awvalid,
    output        s1_axil_awready,
    input  [31:0] s1_axil_wdata,
    input  [3:0]  s1_axil_wstrb,
    input         s1_axil_wvalid,
    output        s1_axil_wready,
    output [1:0]  s1_axil_bresp,
    output        s1_axil_bvalid,
    input         s1_axil_bready,
    input  [11:0] s1_axil_araddr,
    input  [2:0]  s1_axil_arprot,
    input         s1_axil_arvalid,
    output        s1_axil_arready,
    output [31:0] s1_axil_rdata,
    output [1:0]  s1_axil_rresp,
    output        s1_axil_rvalid,
    input         s1_axil_rready,

    output [1:0]  irq
);
    wire rst = !aresetn;

    wire [1:0]  req_valid;
    wire [1:0]  req_ready;
    wire [1:0]  rsp_valid;
    wire [1:0]  rsp_ready;
    wire [1:0]  rsp_resumed;
    wire [4:0]  req_op_0, req_op_1;
    wire [31:0] req_address_0, req_address_1;
    wire [63:0] req_data_0, req_data_1;
    wire [7:0]  req_strobe_0, req_strobe_1;
    wire [7:0]  req_tag_0, req_tag_1;
    wire [2:0]  req_order_0, req_order_1;
    wire [7:0]  rsp_tag_0, rsp_tag_1;
    wire [4:0]  rsp_status_0, rsp_status_1;
    wire        rsp_predicate_0, rsp_predicate_1;
    wire [63:0] rsp_data_0, rsp_data_1;

    axil_port #(.TAG_BITS(8), .WINDOWS(4)) port_0 (
        .clk(aclk), .rst(rst),
        .s_axil_awaddr(s0_axil_awaddr),
        .s_axil_awprot(s0_axil_awprot),
        .s_axil_awvalid(s0_axil_awvalid),
        .s_axil_awready(s0_axil_awready),
        .s_axil_wdata(s0_axil_wdata),
        .s_axil_wstrb(s0_axil_wstrb),
        .s_axil_wvalid(s0_axil_wvalid),
        .s_axil_wready(s0_axil_wready),
        .s_axil_bresp(s0_axil_bresp),
        .s_axil_bvalid(s0_axil_bvalid),
        .s_axil_bready(s0_axil_bready),
        .s_axil_araddr(s0_axil_araddr),
        .s_axil_arprot(s0_axil_arprot),
        .s_axil_arvalid(s0_axil_arvalid),
        .s_axil_arready(s0_axil_arready),
        .s_axil_rdata(s0_axil_rdata),
        .s_axil_rresp(s0_axil_rresp),
        .s_axil_rvalid(s0_axil_rvalid),
        .s_axil_rready(s0_axil_rready),
        .irq(irq[0]),
        .req_valid(req_valid[0]),
        .req_ready(req_ready[0]),
        .rsp_valid(rsp_valid[0]),
        .rsp_ready(rsp_ready[0]),
        .rsp_resumed(rsp_resumed[0]),
        .req_op(req_op_0),
        .req_address(req_address_0),
        .req_data(req_data_0),
        .req_strobe(req_strobe_0),
        .req_tag(req_tag_0),
        .req_order(req_order_0),
        .rsp_tag(rsp_tag_0),
        .rsp_status(rsp_status_0),
        .rsp_predicate(rsp_predicate_0),
        .rsp_data(rsp_data_0)
    );

    axil_port #(.TAG_BITS(8), .WINDOWS(4)) port_1 (
        .clk(aclk), .rst(rst),
        .s_axil_awaddr(s1_axil_awaddr),
        .s_axil_awprot(s1_axil_awprot),
        .s_axil_awvalid(s1_axil_awvalid),
        .s_axil_awready(s1_axil_awready),
        .s_axil_wdata(s1_axil_wdata),
        .s_axil_wstrb(s1_axil_wstrb),
        .s_axil_wvalid(s1_axil_wvalid),
        .s_axil_wready(s1_axil_wready),
        .s_axil_bresp(s1_axil_bresp),
        .s_axil_bvalid(s1_axil_bvalid),
        .s_axil_bready(s1_axil_bready),
        .s_axil_araddr(s1_axil_araddr),
        .s_axil_arprot(s1_axil_arprot),
        .s_axil_arvalid(s1_axil_arvalid),
        .s_axil_arready(s1_axil_arready),
        .s_axil_rdata(s1_axil_rdata),
        .s_axil_rresp(s1_axil_rresp),
        .s_axil_rvalid(s1_axil_rvalid),
        .s_axil_rready(s1_axil_rready),
        .irq(irq[1]),
        .req_valid(req_valid[1]),
        .req_ready(req_ready[1]),
        .rsp_valid(rsp_valid[1]),
        .rsp_ready(rsp_ready[1]),
        .rsp_resumed(rsp_resumed[1]),
        .req_op(req_op_1),
        .req_address(req_address_1),
        .req_data(req_data_1),
        .req_strobe(req_strobe_1),
        .req_tag(req_tag_1),
        .req_order(req_order_1),
        .rsp_tag(rsp_tag_1),
        .rsp_status(rsp_status_1),
        .rsp_predicate(rsp_predicate_1),
        .rsp_data(rsp_data_1)
    );

    // One connection a line, in the order of the manifest's list of ports.
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
        .bank_stall(2'b0),
        .remote_pending(2'b0),
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
