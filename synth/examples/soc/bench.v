// Two cores use barriers through barrier_soc. Prints PASS, or what failed first.
//
// Times are in units of # without a time scale: 10 of them are a clock cycle, so they are nanoseconds if the clock has 10 ns.
/* verilator lint_off TIMESCALEMOD */
module bench;
    localparam [4:0] LOAD = 0, STORE = 1, INIT = 2, ARRIVE = 4, ARRIVE_EXPECT_TX = 6, COMPLETE_TX = 11, TEST_WAIT = 12,
                     TRY_WAIT_PARITY = 15, BULK_COMPLETE_TX = 20;
    localparam [4:0] OK = 0, PENDING_UNDERFLOW = 2, FAULTED_WORD = 5, MISALIGNED = 6;
    localparam [31:0] BARRIER = 32'h40, OTHER = 32'h48, SPOILT = 32'h50, BUSY = 32'h58;
    localparam [2:0] RELAXED = 0, ACQUIRE = 1;
    localparam [11:0] ADDRESS = 12'h00, DATA_LO = 12'h04, DATA_HI = 12'h08, COMMAND = 12'h0c, STATUS = 12'h10;
    localparam [1:0] OKAY = 0, SLVERR = 2;

    reg clk = 1'b0;
    always #5 clk = !clk;
    reg aresetn = 1'b0;

    wire [11:0] awaddr_0, awaddr_1, araddr_0, araddr_1;
    wire [31:0] wdata_0, wdata_1, rdata_0, rdata_1;
    wire [3:0]  wstrb_0, wstrb_1;
    wire [2:0]  awprot_0, awprot_1, arprot_0, arprot_1;
    wire [1:0]  awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready, irq;
    wire [1:0]  bresp_0, bresp_1, rresp_0, rresp_1;

    barrier_soc soc (
        .aclk(clk), .aresetn(aresetn),
        .s0_axil_awaddr(awaddr_0), .s0_axil_awprot(awprot_0), .s0_axil_awvalid(awvalid[0]), .s0_axil_awready(awready[0]),
        .s0_axil_wdata(wdata_0), .s0_axil_wstrb(wstrb_0), .s0_axil_wvalid(wvalid[0]), .s0_axil_wready(wready[0]),
        .s0_axil_bresp(bresp_0), .s0_axil_bvalid(bvalid[0]), .s0_axil_bready(bready[0]),
        .s0_axil_araddr(araddr_0), .s0_axil_arprot(arprot_0), .s0_axil_arvalid(arvalid[0]), .s0_axil_arready(arready[0]),
        .s0_axil_rdata(rdata_0), .s0_axil_rresp(rresp_0), .s0_axil_rvalid(rvalid[0]), .s0_axil_rready(rready[0]),
        .s1_axil_awaddr(awaddr_1), .s1_axil_awprot(awprot_1), .s1_axil_awvalid(awvalid[1]), .s1_axil_awready(awready[1]),
        .s1_axil_wdata(wdata_1), .s1_axil_wstrb(wstrb_1), .s1_axil_wvalid(wvalid[1]), .s1_axil_wready(wready[1]),
        .s1_axil_bresp(bresp_1), .s1_axil_bvalid(bvalid[1]), .s1_axil_bready(bready[1]),
        .s1_axil_araddr(araddr_1), .s1_axil_arprot(arprot_1), .s1_axil_arvalid(arvalid[1]), .s1_axil_arready(arready[1]),
        .s1_axil_rdata(rdata_1), .s1_axil_rresp(rresp_1), .s1_axil_rvalid(rvalid[1]), .s1_axil_rready(rready[1]),
        .irq(irq)
    );
    axil_core core_0 (
        .clk(clk), .resetn(aresetn), .m_axil_awaddr(awaddr_0), .m_axil_awprot(awprot_0), .m_axil_awvalid(awvalid[0]),
        .m_axil_awready(awready[0]), .m_axil_wdata(wdata_0), .m_axil_wstrb(wstrb_0), .m_axil_wvalid(wvalid[0]),
        .m_axil_wready(wready[0]), .m_axil_bresp(bresp_0), .m_axil_bvalid(bvalid[0]), .m_axil_bready(bready[0]),
        .m_axil_araddr(araddr_0), .m_axil_arprot(arprot_0), .m_axil_arvalid(arvalid[0]), .m_axil_arready(arready[0]),
        .m_axil_rdata(rdata_0), .m_axil_rresp(rresp_0), .m_axil_rvalid(rvalid[0]), .m_axil_rready(rready[0])
    );
    axil_core core_1 (
        .clk(clk), .resetn(aresetn), .m_axil_awaddr(awaddr_1), .m_axil_awprot(awprot_1), .m_axil_awvalid(awvalid[1]),
        .m_axil_awready(awready[1]), .m_axil_wdata(wdata_1), .m_axil_wstrb(wstrb_1), .m_axil_wvalid(wvalid[1]),
        .m_axil_wready(wready[1]), .m_axil_bresp(bresp_1), .m_axil_bvalid(bvalid[1]), .m_axil_bready(bready[1]),
        .m_axil_araddr(araddr_1), .m_axil_arprot(arprot_1), .m_axil_arvalid(arvalid[1]), .m_axil_arready(arready[1]),
        .m_axil_rdata(rdata_1), .m_axil_rresp(rresp_1), .m_axil_rvalid(rvalid[1]), .m_axil_rready(rready[1])
    );

    integer failures = 0;
    task check(input good, input [8*40-1:0] what);
        if (good !== 1'b1) begin
            $display("FAIL at %0t: %0s", $time, what);
            failures = failures + 1;
            $finish;
        end
    endtask

    // What the unit keeps for a barrier: see "The word" in docs/operations.md.
    function [63:0] word(input phase, input [19:0] pending, input [19:0] expected, input [20:0] tx);
        word = {phase, -pending, 1'b0, -tx, -expected, 1'b0};
    endfunction

    // STATUS of an answer.
    function [31:0] told(input [4:0] status, input predicate, input resumed);
        told = {8'h80, 8'ha5, 6'b0, resumed, predicate, 3'b0, status};
    endfunction

    reg both = 1'b0, core_1_is_through = 1'b0;
    integer i, n_0, n_1;
    reg [63:0] token, first;
    time wait_began;

    initial begin
        repeat (4) @(negedge clk);
        aresetn = 1'b1;
        repeat (4) @(negedge clk);

        // Nothing is unknown after reset.
        for (i = 0; i < 32; i = i + 1) begin
            core_0.read({5'b0, i[4:0], 2'b0});
            check(!core_0.rejected && core_0.value == 0, "all registers are zero");
        end
        check(irq == 2'b00, "no interrupt");

        // A barrier for three arrivals.
        core_0.operate(0, INIT, BARRIER, 3);
        check(core_0.status == told(OK, 0, 0), "init");
        core_1.operate(1, LOAD, BARRIER, 0);
        check(core_1.status == told(OK, 0, 0) && core_1.result == word(0, 3, 3, 0), "the word after init");

        // Two of them, and 16 bytes that it waits for. An arrival gives back the word's upper half: the token.
        core_0.operate(2, ARRIVE_EXPECT_TX, BARRIER, 16);
        token = core_0.result;
        first = word(0, 3, 3, 0);
        check(core_0.status == told(OK, 0, 0) && token[63:32] == first[63:32], "the first arrival");
        core_1.operate(0, ARRIVE, BARRIER, 1);
        check(core_1.status == told(OK, 0, 0), "the second arrival");
        core_1.operate(0, TEST_WAIT, BARRIER, token);
        check(core_1.status == told(OK, 0, 0), "the phase is not complete");

        // Core 1 waits for the phase, for 100 us at most. Nothing comes until core 0 has done the rest; another window of core 1 is free.
        core_1.ask(3, TRY_WAIT_PARITY, RELAXED, 8'hff, BARRIER, {32'd100_000, 32'd0});
        repeat (200) @(negedge clk);
        check(!irq[1], "the wait is suspended");
        core_1.operate(2, LOAD, BARRIER, 0);
        check(core_1.result[63] == 1'b0, "a load beside it");
        core_0.operate(1, ARRIVE, BARRIER, 1);
        check(!irq[1], "bytes are missing");
        core_0.operate(1, COMPLETE_TX, BARRIER, 16);
        check(irq[1], "the wait is over");
        core_1.answer(3);
        check(core_1.status == told(OK, 1, 1), "the wait's answer");
        check(!irq[1], "it has been taken");
        core_0.operate(0, TEST_WAIT, BARRIER, token);
        check(core_0.status == told(OK, 1, 0), "the phase is complete");
        core_0.operate(3, LOAD, BARRIER, 0);
        check(core_0.result == word(1, 3, 3, 0), "the next phase is ready");

        // A wait whose time is over: 2 us of a clock of 10 ns. The next command of its window waits for it, that of another one does not.
        wait_began = $time;
        core_1.ask(0, TRY_WAIT_PARITY, ACQUIRE, 8'hff, BARRIER, {32'd2_000, 32'd1});
        core_1.operate(1, LOAD, BARRIER, 0);
        check($time - wait_began < 2_000, "another window does not wait");
        core_1.ask(0, LOAD, RELAXED, 8'hff, BARRIER, 0);
        check($time - wait_began >= 2_000, "the same window waits");
        core_1.answer(0);
        check(core_1.status == told(OK, 0, 0) && core_1.result == word(1, 3, 3, 0), "the load after it");
        wait_began = $time;
        core_1.operate(0, TRY_WAIT_PARITY, BARRIER, {32'd2_000, 32'd1});
        check(core_1.status == told(OK, 0, 1) && $time - wait_began >= 2_000, "the time is over");

        // An interrupt between the main program's ADDRESS and COMMAND: its handler has a window of its own.
        core_0.operate(0, INIT, SPOILT, 2);
        core_0.write(ADDRESS, SPOILT);
        core_0.write(DATA_LO, 1);
        core_0.write(DATA_HI, 0);
        core_0.operate(1, ARRIVE, BARRIER, 2);
        check(core_0.status == told(OK, 0, 0), "the handler's arrivals");
        core_0.write(COMMAND, {8'hff, 8'ha5, 11'b0, ARRIVE});
        core_0.answer(0);
        check(core_0.status == told(OK, 0, 0), "the main program's arrival");
        core_0.operate(0, LOAD, BARRIER, 0);
        check(core_0.result == word(1, 1, 3, 0), "two arrivals here");
        core_0.operate(0, LOAD, SPOILT, 0);
        check(core_0.result == word(0, 1, 2, 0), "one there");

        // Faults. What faults changes nothing.
        core_0.operate(2, ARRIVE, BARRIER, 4);
        check(core_0.status == told(PENDING_UNDERFLOW, 0, 0), "four arrivals where one is due");
        core_0.operate(2, ARRIVE, BARRIER + 4, 1);
        check(core_0.status == told(MISALIGNED, 0, 0), "no word begins there");
        core_0.operate(2, LOAD, BARRIER, 0);
        check(core_0.result == word(1, 1, 3, 0), "the word is as it was");
        // a posted operation has no answer: it marks the word, and whoever waits is told
        core_1.operate(1, INIT, SPOILT, 1);
        core_1.ask(1, BULK_COMPLETE_TX, RELAXED, 8'hff, SPOILT, 64'h10_0000);
        core_1.operate(1, TRY_WAIT_PARITY, SPOILT, {32'd100_000, 32'd0});
        check(core_1.status == told(FAULTED_WORD, 0, 0), "a wait on a word that has faulted");

        // The memory is shared memory, too. A store may be of some bytes only.
        core_0.operate(0, STORE, OTHER, 64'h0123_4567_89ab_cdef);
        core_1.ask(0, STORE, RELAXED, 8'h0f, OTHER, 64'hffff_ffff_5555_aaaa);
        core_1.answer(0);
        core_0.ask(0, STORE, RELAXED, 8'hc0, OTHER, 64'h7777_ffff_ffff_ffff);
        core_0.answer(0);
        core_1.operate(0, LOAD, OTHER, 0);
        check(core_1.result == 64'h7777_4567_5555_aaaa, "bytes of both");

        // Both at once: forty arrivals each, and both wait for the eightieth.
        core_0.operate(0, INIT, BUSY, 80);
        both = 1'b1;
        for (n_0 = 0; n_0 < 40; n_0 = n_0 + 1) begin
            core_0.operate(n_0[6:0] & 3, ARRIVE, BUSY, 1);
            check(core_0.status == told(OK, 0, 0), "one of core 0's arrivals");
        end
        core_0.operate(0, TRY_WAIT_PARITY, BUSY, {32'd1_000_000, 32'd0});
        check((core_0.status | 32'h200) == told(OK, 1, 1), "core 0 is let go");
        wait (core_1_is_through);
        core_1.operate(0, LOAD, BUSY, 0);
        check(core_1.result == word(1, 80, 80, 0), "one phase of 80 arrivals");

        // Core 0 looks at no answer and at no response: nothing is lost, and core 1 does not notice.
        for (i = 0; i < 40; i = i + 1)
            core_0.ask(i[6:0] & 1, ARRIVE, RELAXED, 8'hff, BUSY, 1);
        core_1.operate(0, ARRIVE, BUSY, 1);
        check(core_1.status == told(OK, 0, 0), "core 1 goes on");
        core_0.answer(1);
        core_0.answer(0);
        core_0.operate(0, LOAD, BUSY, 0);
        check(core_0.result == word(1, 39, 80, 0), "41 arrivals");
        check(irq == 2'b00, "all answers have been taken");

        // Registers: bytes without a strobe stay, the lowest address bits mean nothing, there is nothing behind the windows.
        core_0.write_bytes(ADDRESS, 32'hffff_ffff, 4'h0);
        check(core_0.write_response == OKAY, "a write of nothing");
        core_0.read(ADDRESS);
        check(core_0.value == BUSY, "it is as it was");
        core_0.write_bytes(ADDRESS + 1, 32'h1234_5678, 4'h2);
        check(core_0.write_response == OKAY, "a byte");
        core_0.read(ADDRESS + 2);
        check(!core_0.rejected && core_0.value == (BUSY | 32'h5600), "one byte has changed");
        core_0.write_bytes(COMMAND, 32'hff00_0000, 4'h8);
        core_0.read(STATUS);
        check(core_0.value[31:30] == 2'b00, "no opcode: nothing is asked");
        core_0.write_bytes(12'hffc, 0, 4'h0);
        check(core_0.write_response == OKAY, "a write of nothing, anywhere");
        core_0.write(12'hffc, 0);
        check(core_0.write_response == SLVERR, "no such register");
        core_0.write(STATUS, 0);
        check(core_0.write_response == SLVERR, "it is only read");
        core_0.read(12'h080);
        check(core_0.rejected, "nothing to read there");

        failures = failures + core_0.errors + core_1.errors + core_0.no_answers + core_1.no_answers;
        if (failures == 0) $display("PASS");
        $finish;
    end

    // A window has one command at a time, so nothing that comes of an order shows at the bus: it is looked at where it enters the unit.
    always @(negedge clk) begin
        if (aresetn && soc.req_valid[0]) check(soc.unit.req_order_0 == soc.port_0.req_order, "the order at port 0");
        if (aresetn && soc.req_valid[1]) check(soc.unit.req_order_1 == soc.port_1.req_order, "the order at port 1");
    end

    // What core 1 does while core 0 does its forty.
    initial begin
        wait (both);
        for (n_1 = 0; n_1 < 40; n_1 = n_1 + 1) begin
            core_1.operate(n_1[6:0] & 3, ARRIVE, BUSY, 1);
            check(core_1.status == told(OK, 0, 0), "one of core 1's arrivals");
        end
        core_1.operate(1, TRY_WAIT_PARITY, BUSY, {32'd1_000_000, 32'd0});
        check((core_1.status | 32'h200) == told(OK, 1, 1), "core 1 is let go");
        core_1_is_through = 1'b1;
    end

    initial begin
        #200_000;
        $display("FAIL: this takes too long");
        $finish;
    end
endmodule
