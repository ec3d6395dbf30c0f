// A core for the test bench: reads and writes of AXI4-Lite, and barrier operations made of them. Handshakes that a slave
// breaks (a valid that falls before its ready, an X) are told.
/* verilator lint_off TIMESCALEMOD */
module axil_core (
    input             clk,
    input             resetn,
    output reg [11:0] m_axil_awaddr,
    output     [2:0]  m_axil_awprot,
    output reg        m_axil_awvalid,
    input             m_axil_awready,
    output reg [31:0] m_axil_wdata,
    output reg [3:0]  m_axil_wstrb,
    output reg        m_axil_wvalid,
    input             m_axil_wready,
    input      [1:0]  m_axil_bresp,
    input             m_axil_bvalid,
    output reg        m_axil_bready,
    output reg [11:0] m_axil_araddr,
    output     [2:0]  m_axil_arprot,
    output reg        m_axil_arvalid,
    input             m_axil_arready,
    input      [31:0] m_axil_rdata,
    input      [1:0]  m_axil_rresp,
    input             m_axil_rvalid,
    output reg        m_axil_rready
);
    integer    errors = 0;     // responses withdrawn
    integer    no_answers = 0;
    reg [1:0]  write_response; // of the last write
    reg        rejected;       // the last read
    reg [31:0] value;          // of the last read
    reg [31:0] status;         // of the last answer
    reg [63:0] result;
    reg [31:0] dice = 32'h1234_5678;
    integer    polls;

    initial begin
        m_axil_awvalid = 1'b0;
        m_axil_wvalid = 1'b0;
        m_axil_bready = 1'b0;
        m_axil_arvalid = 1'b0;
        m_axil_rready = 1'b0;
    end

    // Handshakes: what is valid stays, and as it is, until it is taken.
    reg b_waits = 1'b0, r_waits = 1'b0;
    reg [1:0]  b_was;
    reg [33:0] r_was;
    wire [33:0] r_is = {m_axil_rresp, m_axil_rdata};
    always @(posedge clk) begin
        if (resetn && ((b_waits && (!m_axil_bvalid || m_axil_bresp != b_was)) || (r_waits && (!m_axil_rvalid || r_is != r_was)))) begin
            $display("FAIL: a response was withdrawn");
            errors <= errors + 1;
        end
        if (resetn && ((m_axil_bvalid && ^m_axil_bresp === 1'bx) || (m_axil_rvalid && ^r_is === 1'bx))) begin
            $display("FAIL: a response has an X");
            errors <= errors + 1;
        end
        b_waits <= resetn && m_axil_bvalid && !m_axil_bready;
        r_waits <= resetn && m_axil_rvalid && !m_axil_rready;
        b_was <= m_axil_bresp;
        r_was <= r_is;
    end
    assign m_axil_awprot = dice[2:0];
    assign m_axil_arprot = dice[5:3];

    // Everything is set, and looked at, while the clock falls: between the edges that the design sees.
    task pause; // 0 to 3 cycles
        begin
            dice = dice ^ (dice << 13);
            dice = dice ^ (dice >> 17);
            dice = dice ^ (dice << 5);
            repeat ({30'b0, dice[9:8]}) @(negedge clk);
        end
    endtask

    task give_address;
        begin
            m_axil_awvalid = 1'b1;
            while (!m_axil_awready) @(negedge clk);
            @(negedge clk);
            m_axil_awvalid = 1'b0;
        end
    endtask

    task give_data;
        begin
            m_axil_wvalid = 1'b1;
            while (!m_axil_wready) @(negedge clk);
            @(negedge clk);
            m_axil_wvalid = 1'b0;
        end
    endtask

    // Address and data come in any order, the response is taken some time later.
    task write_bytes(input [11:0] where, input [31:0] what, input [3:0] bytes);
        begin
            m_axil_awaddr = where;
            m_axil_wdata = what;
            m_axil_wstrb = bytes;
            pause;
            if (dice[4]) begin
                give_address;
                give_data;
            end else begin
                give_data;
                give_address;
            end
            pause;
            m_axil_bready = 1'b1;
            while (!m_axil_bvalid) @(negedge clk);
            write_response = m_axil_bresp;
            @(negedge clk);
            m_axil_bready = 1'b0;
        end
    endtask

    task write(input [11:0] where, input [31:0] what);
        write_bytes(where, what, 4'hf);
    endtask

    task read(input [11:0] where);
        begin
            m_axil_araddr = where;
            m_axil_arvalid = 1'b1;
            while (!m_axil_arready) @(negedge clk);
            @(negedge clk);
            m_axil_arvalid = 1'b0;
            pause;
            m_axil_rready = 1'b1;
            while (!m_axil_rvalid) @(negedge clk);
            value = m_axil_rdata;
            rejected = m_axil_rresp != 2'b00;
            @(negedge clk);
            m_axil_rready = 1'b0;
        end
    endtask

    // Asks the unit through a window; the answer comes later.
    task ask(input [6:0] window, input [4:0] op, input [2:0] order, input [7:0] strobe, input [31:0] where, input [63:0] data);
        begin
            write({window, 5'h00}, where);
            write({window, 5'h04}, data[31:0]);
            write({window, 5'h08}, data[63:32]);
            write({window, 5'h0c}, {strobe, 8'ha5, 5'b0, order, 3'b0, op});
        end
    endtask

    // Waits for a window's answer, and takes it.
    task answer(input [6:0] window);
        begin
            read({window, 5'h10});
            polls = 0;
            while (!value[31] && polls < 1000) begin
                read({window, 5'h10});
                polls = polls + 1;
            end
            if (!value[31]) begin
                $display("FAIL: no answer");
                no_answers = no_answers + 1;
            end
            status = value;
            read({window, 5'h14});
            result[31:0] = value;
            read({window, 5'h18});
            result[63:32] = value;
            write({window, 5'h1c}, 32'b0);
        end
    endtask

    // An operation from its request to its answer.
    task operate(input [6:0] window, input [4:0] op, input [31:0] where, input [63:0] data);
        begin
            ask(window, op, 3'b000, 8'hff, where, data);
            answer(window);
        end
    endtask
endmodule
