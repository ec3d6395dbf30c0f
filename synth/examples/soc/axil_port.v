// One request port of a txbar unit as an AXI4-Lite slave: software does barrier operations with loads and stores.
//
// A page of 4 KiB with WINDOWS windows of 32 bytes. A window is eight registers that one thread of control has to itself: a core's
// main program, an interrupt handler, a task. So nobody changes an address between another's stores, nor takes another's answer.
//
//   0x00  ADDRESS    rw  byte address of the barrier, or of the word, in the unit's memory
//   0x04  DATA_LO    rw  operand, bits 31:0: a count, bytes, a parity
//   0x08  DATA_HI    rw  operand, bits 63:32: a token, a time limit in ns
//   0x0c  COMMAND    rw  4:0 opcode, 10:8 order, 23:16 anything, 31:24 byte enables of a store.
//                        A write of bits 7:0 asks the unit.
//   0x10  STATUS     r   31 the answer is there, 30 the unit has not answered yet, 23:16 those of COMMAND,
//                        9 resumed, 8 predicate, 4:0 status
//   0x14  RESULT_LO  r   answer, bits 31:0
//   0x18  RESULT_HI  r   answer, bits 63:32: a token
//   0x1c  TAKE       w   the answer has been seen: clears bit 31 of STATUS
//
// Opcodes, orders and statuses are those of docs/operations.md, and the localparams at the top of the unit's file. `irq` is up while bit
// 31 of some window's STATUS is 1. Operations that are posted (18 to 20) have no answer.
//
// A window has one command at a time. A write that asks while the last one has not been answered waits: its response comes when it
// has been put into the register for the unit. So no command is ever lost, whether or not the core looks at responses. Answers are
// always taken from the unit; one that nobody has looked at gives way to that of the window's next command. Nothing waits longer than
// the time limit of a suspended `try_wait`: whoever must not wait for that reads bit 30 of STATUS before.
//
// Bytes that a write has no strobes for stay as they are, and a write without any does nothing. The lowest two address bits and the
// protection bits are ignored. What is outside the windows, and a write to a register that is only read, is answered with SLVERR.
//
//   cycle            0       1       2       3 ...     7       8
//   aw, w            /‾‾‾\___                                        COMMAND is written
//   b                                /‾‾‾\___
//   req_valid                        /‾‾‾\___                        until req_ready
//   rsp_valid                                          /‾‾‾\__       five cycles later, if nothing was in the way
//   irq                                                      /‾‾‾    until TAKE, or the next COMMAND
//
// AXI4-Lite asks for no combinational path from its inputs to its outputs: there is none. All registers are cleared by `rst`.
//
// It has no time scale and needs none:
/* verilator lint_off TIMESCALEMOD */
module axil_port #(
    parameter TAG_BITS = 8, // --tag-bits of the unit
    parameter WINDOWS = 4   // 1 to 128, and not more than 2^TAG_BITS: the tag is the number of the window
) (
    input             clk,
    input             rst,

    input      [11:0] s_axil_awaddr,
    input      [2:0]  s_axil_awprot,
    input             s_axil_awvalid,
    output            s_axil_awready,
    input      [31:0] s_axil_wdata,
    input      [3:0]  s_axil_wstrb,
    input             s_axil_wvalid,
    output            s_axil_wready,
    output reg [1:0]  s_axil_bresp,
    output reg        s_axil_bvalid,
    input             s_axil_bready,
    input      [11:0] s_axil_araddr,
    input      [2:0]  s_axil_arprot,
    input             s_axil_arvalid,
    output            s_axil_arready,
    output reg [31:0] s_axil_rdata,
    output reg [1:0]  s_axil_rresp,
    output reg        s_axil_rvalid,
    input             s_axil_rready,
    output            irq,

    output reg        req_valid,
    input             req_ready,
    output reg [4:0]  req_op,
    output reg [31:0] req_address,
    output reg [63:0] req_data,
    output reg [7:0]  req_strobe,
    output reg [TAG_BITS-1:0] req_tag,
    output reg [2:0]  req_order,
    input             rsp_valid,
    output            rsp_ready,
    input      [TAG_BITS-1:0] rsp_tag,
    input      [4:0]  rsp_status,
    input             rsp_predicate,
    input             rsp_resumed,
    input      [63:0] rsp_data
);
    localparam [2:0] ADDRESS = 0, DATA_LO = 1, DATA_HI = 2, COMMAND = 3, STATUS = 4, RESULT_LO = 5, RESULT_HI = 6, TAKE = 7;
    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10;
    localparam [4:0] FIRST_POSTED = 18, LAST_POSTED = 20;
    localparam WINDOW_BITS = WINDOWS > 1 ? $clog2(WINDOWS) : 1;

    // What each window holds.
    reg [31:0] address [0:WINDOWS-1];
    reg [31:0] data_lo [0:WINDOWS-1];
    reg [31:0] data_hi [0:WINDOWS-1];
    reg [31:0] command [0:WINDOWS-1];
    reg [6:0]  ended   [0:WINDOWS-1]; // resumed, predicate, status
    reg [63:0] result  [0:WINDOWS-1];
    reg [WINDOWS-1:0] answered, busy;

    // The bytes that a write changes.
    function [31:0] merged(input [31:0] old, input [31:0] data, input [3:0] strobe);
        merged = {strobe[3] ? data[31:24] : old[31:24], strobe[2] ? data[23:16] : old[23:16],
                  strobe[1] ? data[15:8] : old[15:8], strobe[0] ? data[7:0] : old[7:0]};
    endfunction

    // A write is kept until both its halves are there and the last one has been answered.
    reg        aw_kept, w_kept;
    reg [9:0]  aw_word;
    reg [31:0] w_data;
    reg [3:0]  w_strobe;
    assign s_axil_awready = !aw_kept;
    assign s_axil_wready = !w_kept;

    wire [2:0]  w_register = aw_word[2:0];
    wire        w_exists = {25'b0, aw_word[9:3]} < WINDOWS;
    wire [WINDOW_BITS-1:0] w_window = w_exists ? aw_word[WINDOW_BITS+2:3] : {WINDOW_BITS{1'b0}};
    wire [31:0] w_command = merged(command[w_window], w_data, w_strobe);
    wire        asks = w_exists && w_register == COMMAND && w_strobe[0];
    wire        do_write = aw_kept && w_kept && !s_axil_bvalid && !(asks && (req_valid || busy[w_window]));

    assign rsp_ready = 1'b1;
    assign irq = |answered;
    wire [WINDOW_BITS-1:0] rsp_window = rsp_tag[WINDOW_BITS-1:0];
    wire [WINDOW_BITS-1:0] req_window = req_tag[WINDOW_BITS-1:0];

    integer w;
    always @(posedge clk) begin
        if (s_axil_awvalid && s_axil_awready) begin
            aw_kept <= 1'b1;
            aw_word <= s_axil_awaddr[11:2];
        end
        if (s_axil_wvalid && s_axil_wready) begin
            w_kept <= 1'b1;
            w_data <= s_axil_wdata;
            w_strobe <= s_axil_wstrb;
        end
        if (s_axil_bvalid && s_axil_bready) s_axil_bvalid <= 1'b0;
        if (req_valid && req_ready) begin
            req_valid <= 1'b0;
            if (req_op >= FIRST_POSTED && req_op <= LAST_POSTED) busy[req_window] <= 1'b0;
        end
        if (do_write) begin
            aw_kept <= 1'b0;
            w_kept <= 1'b0;
            s_axil_bvalid <= 1'b1;
            s_axil_bresp <= OKAY;
            if (w_exists)
                case (w_register)
                    ADDRESS: address[w_window] <= merged(address[w_window], w_data, w_strobe);
                    DATA_LO: data_lo[w_window] <= merged(data_lo[w_window], w_data, w_strobe);
                    DATA_HI: data_hi[w_window] <= merged(data_hi[w_window], w_data, w_strobe);
                    COMMAND: command[w_window] <= w_command;
                    TAKE:    if (|w_strobe) answered[w_window] <= 1'b0;
                    default: if (|w_strobe) s_axil_bresp <= SLVERR;
                endcase
            else if (|w_strobe) s_axil_bresp <= SLVERR;
        end
        if (do_write && asks) begin
            busy[w_window] <= 1'b1;
            answered[w_window] <= 1'b0;
            req_valid <= 1'b1;
            req_op <= w_command[4:0];
            req_order <= w_command[10:8];
            req_strobe <= w_command[31:24];
            req_address <= address[w_window];
            req_data <= {data_hi[w_window], data_lo[w_window]};
            req_tag <= {TAG_BITS{1'b0}};
            req_tag[WINDOW_BITS-1:0] <= w_window;
        end
        if (rsp_valid) begin
            busy[rsp_window] <= 1'b0;
            answered[rsp_window] <= 1'b1;
            ended[rsp_window] <= {rsp_resumed, rsp_predicate, rsp_status};
            result[rsp_window] <= rsp_data;
        end
        if (rst) begin
            aw_kept <= 1'b0;
            w_kept <= 1'b0;
            aw_word <= 10'b0;
            w_data <= 32'b0;
            w_strobe <= 4'b0;
            s_axil_bvalid <= 1'b0;
            s_axil_bresp <= OKAY;
            answered <= {WINDOWS{1'b0}};
            busy <= {WINDOWS{1'b0}};
            req_valid <= 1'b0;
            req_op <= 5'b0;
            req_order <= 3'b0;
            req_strobe <= 8'b0;
            req_address <= 32'b0;
            req_data <= 64'b0;
            req_tag <= {TAG_BITS{1'b0}};
            for (w = 0; w < WINDOWS; w = w + 1) begin
                address[w] <= 32'b0;
                data_lo[w] <= 32'b0;
                data_hi[w] <= 32'b0;
                command[w] <= 32'b0;
                ended[w] <= 7'b0;
                result[w] <= 64'b0;
            end
        end
    end

    wire [2:0] r_register = s_axil_araddr[4:2];
    wire       r_exists = {25'b0, s_axil_araddr[11:5]} < WINDOWS;
    wire [WINDOW_BITS-1:0] r_window = r_exists ? s_axil_araddr[WINDOW_BITS+4:5] : {WINDOW_BITS{1'b0}};
    wire [7:0] r_own = command[r_window][23:16];
    assign s_axil_arready = !s_axil_rvalid;
    always @(posedge clk) begin
        if (s_axil_rvalid && s_axil_rready) s_axil_rvalid <= 1'b0;
        if (s_axil_arvalid && s_axil_arready) begin
            s_axil_rvalid <= 1'b1;
            s_axil_rresp <= r_exists ? OKAY : SLVERR;
            s_axil_rdata <= 32'b0;
            if (r_exists)
                case (r_register)
                    ADDRESS:   s_axil_rdata <= address[r_window];
                    DATA_LO:   s_axil_rdata <= data_lo[r_window];
                    DATA_HI:   s_axil_rdata <= data_hi[r_window];
                    COMMAND:   s_axil_rdata <= command[r_window];
                    STATUS:    s_axil_rdata <= {answered[r_window], busy[r_window], 6'b0, r_own, 6'b0,
                                                ended[r_window][6:5], 3'b0, ended[r_window][4:0]};
                    RESULT_LO: s_axil_rdata <= result[r_window][31:0];
                    RESULT_HI: s_axil_rdata <= result[r_window][63:32];
                    default:   s_axil_rdata <= 32'b0;
                endcase
        end
        if (rst) begin
            s_axil_rvalid <= 1'b0;
            s_axil_rresp <= OKAY;
            s_axil_rdata <= 32'b0;
        end
    end

    wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0], s_axil_awprot, s_axil_arprot, rsp_tag};
endmodule
