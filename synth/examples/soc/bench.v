// Two cores use barriers through barrier_soc. Prints PASS, or what failed first.
`timescale 1ns / 1ns
module bench;
    localparam [4:0] LOAD = 0, STORE = 1, INIT = 2, ARRIVE = 4, ARRIVE_EXPECT_TX = 6, COMPLETE_TX = 11, TEST_WAIT = 12,
                     TEST_WAIT_PARITY = 13, TRY_WAIT_PARITY = 15, BULK_COMPLETE_TX = 20;
    localparam [4:0] OK = 0, PENDING_UNDERFLOW = 2, FAULTED_WORD = 5, MISALIGNED = 6;
    localparam [31:0] BARRIER = 32'h40, OTHER = 32'h48, SPOILT = 32'h50, BUSY = 32'h58;
    localparam [2:0] RELAXED = 0, ACQUIRE = 1;

    reg clk = 1'b0;
    always #5 clk = !clk;
    reg aresetn = 1'b0;

    wire [11:0] awaddr_0, awaddr_1, araddr_0, araddr_1;
    wire [31:0] wdata_0, wdata_1, rdata_0, rdata_1;
    wire [3:0]  wstrb_0, wstrb_1;
    wire [1:0]  awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready, irq;
    wire [1:0]  bresp_0, bresp_1, rresp_0, rresp_1;

    barrier_soc soc (
        .aclk(clk), .aresetn(aresetn),
        .awaddr_0(awaddr_0), .awaddr_1(awaddr_1), .awvalid(awvalid), .awready(awready),
        .wdata_0(wdata_0), .wdata_1(wdata_1), .wstrb_0(wstrb_0), .wstrb_1(wstrb_1), .wvalid(wvalid), .wready(wready),
        .bresp_0(bresp_0), .bresp_1(bresp_1), .bvalid(bvalid), .bready(bready),
        .araddr_0(araddr_0), .araddr_1(araddr_1), .arvalid(arvalid), .arready(arready),
        .rdata_0(rdata_0), .rdata_1(rdata_1), .rresp_0(rresp_0), .rresp_1(rresp_1), .rvalid(rvalid), .rready(rready),
        .irq(irq)
    );
    axil_core core_0 (
        .clk(clk), .awaddr(awaddr_0), .awvalid(awvalid[0]), .awready(awready[0]), .wdata(wdata_0), .wstrb(wstrb_0),
        .wvalid(wvalid[0]), .wready(wready[0]), .bresp(bresp_0), .bvalid(bvalid[0]), .bready(bready[0]), .araddr(araddr_0),
        .arvalid(arvalid[0]), .arready(arready[0]), .rdata(rdata_0), .rresp(rresp_0), .rvalid(rvalid[0]), .rready(rready[0])
    );
    axil_core core_1 (
        .clk(clk), .awaddr(awaddr_1), .awvalid(awvalid[1]), .awready(awready[1]), .wdata(wdata_1), .wstrb(wstrb_1),
        .wvalid(wvalid[1]), .wready(wready[1]), .bresp(bresp_1), .bvalid(bvalid[1]), .bready(bready[1]), .araddr(araddr_1),
        .arvalid(arvalid[1]), .arready(arready[1]), .rdata(rdata_1), .rresp(rresp_1), .rvalid(rvalid[1]), .rready(rready[1])
    );

    integer failures = 0;
    task check(input good, input [8*40-1:0] what);
        if (good !== 1'b1) begin
            $display("FAIL at %0t: %0s", $time, what);
            failures = failures + 1;
            $finish;
        end
    endtask

    // What the unit keeps for a barrier: see "The word" in docs/interface.md.
    function [63:0] word(input phase, input [19:0] pending, input [19:0] expected, input [20:0] tx);
        word = {phase, -pending, 1'b0, -tx, -expected, 1'b0};
    endfunction

    // STATUS of an answer.
    function [31:0] told(input [4:0] status, input predicate, input resumed, input [7:0] tag);
        told = {8'h80, tag, 6'b0, resumed, predicate, 3'b0, status};
    endfunction

    reg both = 1'b0, core_1_is_through = 1'b0;
    integer i, sent, n_0, n_1;
    reg [63:0] token, first;
    time wait_began;

    initial begin
        repeat (4) @(negedge clk);
        aresetn = 1'b1;
        repeat (4) @(negedge clk);

        // A barrier for three arrivals.
        core_0.operate(INIT, 8'h01, BARRIER, 3);
        check(core_0.status == told(OK, 0, 0, 8'h01), "init");
        core_1.operate(LOAD, 8'h02, BARRIER, 0);
        check(core_1.status == told(OK, 0, 0, 8'h02) && core_1.result == word(0, 3, 3, 0), "the word after init");

        // Two of them, and 16 bytes that it waits for. An arrival gives back the word's upper half: the token.
        core_0.operate(ARRIVE_EXPECT_TX, 8'h03, BARRIER, 16);
        token = core_0.result;
        first = word(0, 3, 3, 0);
        check(core_0.status == told(OK, 0, 0, 8'h03) && token[63:32] == first[63:32], "the first arrival");
        core_1.operate(ARRIVE, 8'ha4, BARRIER, 1);
        check(core_1.status == told(OK, 0, 0, 8'ha4), "the second arrival");
        core_1.operate(TEST_WAIT, 8'h05, BARRIER, token);
        check(core_1.status == told(OK, 0, 0, 8'h05), "the phase is not complete");

        // Core 1 waits for the phase, for 100 us at most. Nothing comes until core 0 has done the rest.
        core_1.ask(TRY_WAIT_PARITY, RELAXED, 8'h06, 8'hff, BARRIER, {32'd100_000, 32'd0});
        repeat (200) @(negedge clk);
        check(!irq[1], "the wait is suspended");
        core_0.operate(ARRIVE, 8'h07, BARRIER, 1);
        check(!irq[1], "bytes are missing");
        core_0.operate(COMPLETE_TX, 8'h08, BARRIER, 16);
        check(irq[1], "the wait is over");
        core_1.answer;
        check(core_1.status == told(OK, 1, 1, 8'h06), "the wait's answer");
        core_0.operate(TEST_WAIT, 8'h09, BARRIER, token);
        check(core_0.status == told(OK, 1, 0, 8'h09), "the phase is complete");
        core_0.operate(LOAD, 8'h0a, BARRIER, 0);
        check(core_0.result == word(1, 3, 3, 0), "the next phase is ready");

        // A wait whose time is over: 2 us of a clock of 10 ns. It acquires, so the thread's load comes after it.
        wait_began = $time;
        core_1.ask(TRY_WAIT_PARITY, ACQUIRE, 8'h0b, 8'hff, BARRIER, {32'd2_000, 32'd1});
        core_1.ask(LOAD, RELAXED, 8'h0b, 8'hff, BARRIER, 0);
        core_1.answer;
        check(core_1.status == told(OK, 0, 1, 8'h0b), "the time is over");
        check($time - wait_began >= 2_000, "not too early");
        core_1.answer;
        check(core_1.status == told(OK, 0, 0, 8'h0b) && core_1.result == word(1, 3, 3, 0), "the load after it");

        // Faults. What faults changes nothing.
        core_0.operate(ARRIVE, 8'h0c, BARRIER, 4);
        check(core_0.status == told(PENDING_UNDERFLOW, 0, 0, 8'h0c), "four arrivals where three are due");
        core_0.operate(ARRIVE, 8'h0d, BARRIER + 4, 1);
        check(core_0.status == told(MISALIGNED, 0, 0, 8'h0d), "no word begins there");
        core_0.operate(LOAD, 8'h0e, BARRIER, 0);
        check(core_0.result == word(1, 3, 3, 0), "the word is as it was");
        // a posted operation has no answer: it marks the word, and whoever waits is told
        core_1.operate(INIT, 8'h0f, SPOILT, 1);
        core_1.ask(BULK_COMPLETE_TX, RELAXED, 8'h10, 8'hff, SPOILT, 64'h10_0000);
        core_1.operate(TRY_WAIT_PARITY, 8'h11, SPOILT, {32'd100_000, 32'd0});
        check(core_1.status == told(FAULTED_WORD, 0, 0, 8'h11), "a wait on a word that has faulted");

        // The memory is shared memory, too. A store may be of some bytes only.
        core_0.operate(STORE, 8'h12, OTHER, 64'h0123_4567_89ab_cdef);
        core_1.ask(STORE, RELAXED, 8'h13, 8'h0f, OTHER, 64'hffff_ffff_5555_aaaa);
        core_1.answer;
        core_0.ask(STORE, RELAXED, 8'h14, 8'hc0, OTHER, 64'h7777_ffff_ffff_ffff);
        core_0.answer;
        core_1.operate(LOAD, 8'h15, OTHER, 0);
        check(core_1.result == 64'h7777_4567_5555_aaaa, "bytes of both");

        // Both at once: forty arrivals each, and both wait for the eightieth.
        core_0.operate(INIT, 8'h16, BUSY, 80);
        both = 1'b1;
        for (n_0 = 0; n_0 < 40; n_0 = n_0 + 1) begin
            core_0.operate(ARRIVE, 8'h20, BUSY, 1);
            check(core_0.status == told(OK, 0, 0, 8'h20), "one of core 0's arrivals");
        end
        core_0.operate(TRY_WAIT_PARITY, 8'h21, BUSY, {32'd1_000_000, 32'd0});
        check((core_0.status | 32'h200) == told(OK, 1, 1, 8'h21), "core 0 is let go");
        wait (core_1_is_through);
        core_1.operate(LOAD, 8'h40, BUSY, 0);
        check(core_1.result == word(1, 80, 80, 0), "one phase of 80 arrivals");

        // Core 0 takes no answers: at some point the unit accepts nothing more of it, its bus still answers, and core 1
        // does not notice. Nothing is lost.
        core_0.write(12'h00, BUSY);
        sent = 0;
        core_0.read(12'h10);
        while (!core_0.value[30] && sent < 100) begin
            core_0.write(12'h0c, {8'hff, sent[7:0], 11'b0, LOAD});
            check(core_0.write_response == 2'b00, "a command");
            sent = sent + 1;
            repeat (20) @(negedge clk);
            core_0.read(12'h10);
        end
        check(sent >= 6 && sent < 100, "the unit holds so many");
        core_0.write(12'h0c, {8'hff, 8'hee, 11'b0, LOAD});
        check(core_0.write_response == 2'b10, "one too many is refused");
        core_1.operate(ARRIVE, 8'h41, BUSY, 1);
        check(core_1.status == told(OK, 0, 0, 8'h41), "core 1 goes on");
        for (i = 0; i < sent; i = i + 1) begin
            core_0.answer;
            check(core_0.status[29:0] == {6'b0, i[7:0], 16'b0}, "answers in their order");
        end
        core_0.read(12'h10);
        check(core_0.value[31:30] == 2'b00, "nothing is left over");

        // What the registers refuse.
        core_0.write(12'h1c, 0);
        check(core_0.write_response == 2'b10, "no answer to take");
        core_0.write(12'h20, 0);
        check(core_0.write_response == 2'b10, "no such register");
        core_0.read(12'h20);
        check(core_0.rejected, "nothing to read there");
        core_0.write_bytes(12'h00, 32'hffff_ffff, 4'h1);
        check(core_0.write_response == 2'b10, "a part of a register");
        core_0.read(12'h00);
        check(!core_0.rejected && core_0.value == BUSY, "it is as it was");

        failures = failures + core_0.errors + core_1.errors + core_0.no_answers + core_1.no_answers;
        if (failures == 0) $display("PASS: %0d commands were held while no answers were taken", sent);
        $finish;
    end

    // What core 1 does while core 0 does its forty.
    initial begin
        wait (both);
        for (n_1 = 0; n_1 < 40; n_1 = n_1 + 1) begin
            core_1.operate(ARRIVE, 8'h30, BUSY, 1);
            check(core_1.status == told(OK, 0, 0, 8'h30), "one of core 1's arrivals");
        end
        core_1.operate(TRY_WAIT_PARITY, 8'h31, BUSY, {32'd1_000_000, 32'd0});
        check((core_1.status | 32'h200) == told(OK, 1, 1, 8'h31), "core 1 is let go");
        core_1_is_through = 1'b1;
    end

    initial begin
        #100_000;
        $display("FAIL: this takes too long");
        $finish;
    end
endmodule
