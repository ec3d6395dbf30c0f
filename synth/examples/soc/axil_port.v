// One request port of a txbar unit as an AXI4-Lite slave: a core does barrier operations with loads and stores.
//
// Registers, 32 bits each, in a page of 4 KiB. Writes are of whole registers.
//
//   0x00  ADDRESS    rw  byte address of the barrier, or of the word, in the unit's memory
//   0x04  DATA_LO    rw  operand, bits 31:0: a count, bytes, a parity
//   0x08  DATA_HI    rw  operand, bits 63:32: a token, a time limit in ns
//   0x0c  COMMAND    w   4:0 opcode, 10:8 order, 23:16 tag, 31:24 byte enables of a store: asks the unit
//   0x10  STATUS     r   31 an answer is there, 30 the command waits for the unit, 23:16 tag, 9 resumed,
//                        8 predicate, 4:0 status
//   0x14  RESULT_LO  r   answer, bits 31:0
//   0x18  RESULT_HI  r   answer, bits 63:32: a token
//   0x1c  TAKE       w   the answer has been seen: make room for the next one
//
// Opcodes, orders and statuses are those of docs/interface.md. `irq` is up while an answer is there.
//
// The bus never waits for a barrier. A command is put into a register and the write is answered at once; if the unit has
// not accepted the command before (it does not while this port's answers are not taken), the write is answered with SLVERR
// and nothing is asked. A suspended wait is a command whose answer comes later.
//
//   cycle            0       1       2       3 ...     7       8
//   aw, w            /‾‾‾\___                                        COMMAND is written
//   b                                /‾‾‾\___
//   req_valid                        /‾‾‾\___                        until req_ready
//   rsp_valid, irq                                     /‾‾‾‾‾‾‾      five cycles later, if nothing was in the way
//
// AXI4-Lite asks for no combinational path from its inputs to its outputs: there is none.
module axil_port (
    input         clk,
    input         rst,

    input  [11:0] awaddr,
    input         awvalid,
    output        awready,
    input  [31:0] wdata,
    input  [3:0]  wstrb,
    input         wvalid,
    output        wready,
    output reg [1:0] bresp,
    output reg    bvalid,
    input         bready,
    input  [11:0] araddr,
    input         arvalid,
    output        arready,
    output reg [31:0] rdata,
    output reg [1:0] rresp,
    output reg    rvalid,
    input         rready,
    output        irq,

    output reg    req_valid,
    input         req_ready,
    output reg [4:0]  req_op,
    output reg [31:0] req_address,
    output reg [63:0] req_data,
    output reg [7:0]  req_strobe,
    output reg [7:0]  req_tag,
    output reg [2:0]  req_order,
    input         rsp_valid,
    output        rsp_ready,
    input  [7:0]  rsp_tag,
    input  [4:0]  rsp_status,
    input         rsp_predicate,
    input         rsp_resumed,
    input  [63:0] rsp_data
);
    localparam [11:0] ADDRESS = 12'h00, DATA_LO = 12'h04, DATA_HI = 12'h08, COMMAND = 12'h0c,
                      STATUS = 12'h10, RESULT_LO = 12'h14, RESULT_HI = 12'h18, TAKE = 12'h1c;
    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10;

    reg [31:0] address, data_lo, data_hi;

    // A write is kept until both its halves are there and the last one has been answered.
    reg        aw_kept, w_kept;
    reg [11:0] aw_address;
    reg [31:0] w_data;
    reg        w_whole;
    assign awready = !aw_kept;
    assign wready = !w_kept;
    wire do_write = aw_kept && w_kept && !bvalid;
    wire command = do_write && w_whole && aw_address == COMMAND;
    wire take = do_write && w_whole && aw_address == TAKE;
    assign rsp_ready = take;
    assign irq = rsp_valid;

    always @(posedge clk) begin
        if (awvalid && awready) begin
            aw_kept <= 1'b1;
            aw_address <= awaddr;
        end
        if (wvalid && wready) begin
            w_kept <= 1'b1;
            w_data <= wdata;
            w_whole <= &wstrb;
        end
        if (bvalid && bready) bvalid <= 1'b0;
        if (req_valid && req_ready) req_valid <= 1'b0;
        if (do_write) begin
            aw_kept <= 1'b0;
            w_kept <= 1'b0;
            bvalid <= 1'b1;
            bresp <= w_whole ? OKAY : SLVERR;
            case (aw_address)
                ADDRESS: if (w_whole) address <= w_data;
                DATA_LO: if (w_whole) data_lo <= w_data;
                DATA_HI: if (w_whole) data_hi <= w_data;
                COMMAND: if (req_valid) bresp <= SLVERR;
                TAKE:    if (!rsp_valid) bresp <= SLVERR;
                default: bresp <= SLVERR;
            endcase
        end
        if (command && !req_valid) begin
            req_valid <= 1'b1;
            req_op <= w_data[4:0];
            req_order <= w_data[10:8];
            req_tag <= w_data[23:16];
            req_strobe <= w_data[31:24];
            req_address <= address;
            req_data <= {data_hi, data_lo};
        end
        if (rst) begin
            aw_kept <= 1'b0;
            w_kept <= 1'b0;
            bvalid <= 1'b0;
            req_valid <= 1'b0;
        end
    end

    assign arready = !rvalid;
    always @(posedge clk) begin
        if (rvalid && rready) rvalid <= 1'b0;
        if (arvalid && arready) begin
            rvalid <= 1'b1;
            rresp <= OKAY;
            case (araddr)
                ADDRESS:   rdata <= address;
                DATA_LO:   rdata <= data_lo;
                DATA_HI:   rdata <= data_hi;
                STATUS:    rdata <= {rsp_valid, req_valid, 6'b0, rsp_tag, 6'b0, rsp_resumed, rsp_predicate, 3'b0, rsp_status};
                RESULT_LO: rdata <= rsp_data[31:0];
                RESULT_HI: rdata <= rsp_data[63:32];
                default: begin
                    rdata <= 32'b0;
                    rresp <= SLVERR;
                end
            endcase
        end
        if (rst) rvalid <= 1'b0;
    end
endmodule
