// A core for the test bench: reads and writes of AXI4-Lite, and barrier operations made of them. Handshakes that a slave
// breaks (a valid that falls before its ready) are told.
`timescale 1ns / 1ns
module axil_core (
    input             clk,
    output reg [11:0] awaddr,
    output reg        awvalid,
    input             awready,
    output reg [31:0] wdata,
    output reg [3:0]  wstrb,
    output reg        wvalid,
    input             wready,
    input      [1:0]  bresp,
    input             bvalid,
    output reg        bready,
    output reg [11:0] araddr,
    output reg        arvalid,
    input             arready,
    input      [31:0] rdata,
    input      [1:0]  rresp,
    input             rvalid,
    output reg        rready
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
        awvalid = 1'b0;
        wvalid = 1'b0;
        bready = 1'b0;
        arvalid = 1'b0;
        rready = 1'b0;
    end

    // Handshakes: what is valid stays, and as it is, until it is taken.
    reg b_waits = 1'b0, r_waits = 1'b0;
    reg [33:0] r_was;
    always @(posedge clk) begin
        if ((b_waits && !bvalid) || (r_waits && (!rvalid || {rresp, rdata} != r_was))) begin
            $display("FAIL: a response was withdrawn");
            errors <= errors + 1;
        end
        b_waits <= bvalid && !bready;
        r_waits <= rvalid && !rready;
        r_was <= {rresp, rdata};
    end

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
            awvalid = 1'b1;
            while (!awready) @(negedge clk);
            @(negedge clk);
            awvalid = 1'b0;
        end
    endtask

    task give_data;
        begin
            wvalid = 1'b1;
            while (!wready) @(negedge clk);
            @(negedge clk);
            wvalid = 1'b0;
        end
    endtask

    // Address and data come in any order, the response is taken some time later.
    task write_bytes(input [11:0] where, input [31:0] what, input [3:0] bytes);
        begin
            awaddr = where;
            wdata = what;
            wstrb = bytes;
            pause;
            if (dice[4]) begin
                give_address;
                give_data;
            end else begin
                give_data;
                give_address;
            end
            pause;
            bready = 1'b1;
            while (!bvalid) @(negedge clk);
            write_response = bresp;
            @(negedge clk);
            bready = 1'b0;
        end
    endtask

    task write(input [11:0] where, input [31:0] what);
        write_bytes(where, what, 4'hf);
    endtask

    task read(input [11:0] where);
        begin
            araddr = where;
            arvalid = 1'b1;
            while (!arready) @(negedge clk);
            @(negedge clk);
            arvalid = 1'b0;
            pause;
            rready = 1'b1;
            while (!rvalid) @(negedge clk);
            value = rdata;
            rejected = rresp != 2'b00;
            @(negedge clk);
            rready = 1'b0;
        end
    endtask

    // Asks the unit; the answer comes later.
    task ask(input [4:0] op, input [2:0] order, input [7:0] tag, input [7:0] strobe, input [31:0] where, input [63:0] data);
        begin
            write(12'h00, where);
            write(12'h04, data[31:0]);
            write(12'h08, data[63:32]);
            write(12'h0c, {strobe, tag, 5'b0, order, 3'b0, op});
        end
    endtask

    // Waits for an answer, and takes it.
    task answer;
        begin
            read(12'h10);
            polls = 0;
            while (!value[31] && polls < 1000) begin
                read(12'h10);
                polls = polls + 1;
            end
            if (!value[31]) begin
                $display("FAIL: no answer");
                no_answers = no_answers + 1;
            end
            status = value;
            read(12'h14);
            result[31:0] = value;
            read(12'h18);
            result[63:32] = value;
            write(12'h1c, 32'b0);
        end
    endtask

    // An operation from its request to its answer.
    task operate(input [4:0] op, input [7:0] tag, input [31:0] where, input [63:0] data);
        begin
            ask(op, 3'b000, tag, 8'hff, where, data);
            answer;
        end
    endtask
endmodule
