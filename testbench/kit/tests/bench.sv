// Random requests at both ports of a package's unit. Whether all is right is up to the check module and the assertions that are bound to it.
module bench;
  import mb_pkg::*;

  logic clk, rst = 1;
  initial begin
    clk = 0;
    forever #5 clk = !clk;
  end

  logic [1:0] req_valid = 0, req_ready, rsp_valid, rsp_ready;
  req_t [1:0] req = '0;
  rsp_t [1:0] rsp;
  int unsigned seed, answers;

  mb_sv dut (
    .*, .bank_stall(2'b00), .remote_pending(2'b00),
    /* verilator lint_off PINCONNECTEMPTY */
    .wake_valid(), .done_valid(), .done(), .flip_valid(), .flip()
  );
  // With +breaks=N something is wrong between the unit and one of those who look at it.
  int breaks = 0;
  logic odd = 0;
  always @(posedge clk) odd <= !odd;
  bind mb mb_check check (
    .*, .req_data_0(bench.breaks == 1 ? req_data_1 : req_data_0), .req_data_1(bench.breaks == 1 ? req_data_0 : req_data_1)
  );
  bind mb mb_assert assertions (
    .*, .rsp_tag_0(bench.breaks == 2 ? ~rsp_tag_0 : rsp_tag_0),
    .rsp_valid(bench.breaks == 3 ? rsp_valid & {2{bench.odd}} : bench.breaks == 8 ? 2'b00 : rsp_valid),
    .rsp_data_1(bench.breaks == 4 ? {63'd0, bench.odd} : rsp_data_1),
    .rsp_status_0(bench.breaks == 5 ? 5'd31 : rsp_status_0),
    .req_ready(bench.breaks == 6 ? 2'b11 : req_ready),
    .done_valid(bench.breaks == 7 ? 2'b00 : done_valid),
    .req_tag_0(bench.breaks == 8 ? 8'd0 : req_tag_0)
  );

  localparam op_e OPS[8] = '{OP_INIT, OP_ARRIVE, OP_ARRIVE_EXPECT_TX, OP_EXPECT_TX, OP_COMPLETE_TX, OP_TEST_WAIT_PARITY,
                             OP_TRY_WAIT_PARITY, OP_LOAD};

  task automatic run(int port);
    logic [7:0] tag = 0;
    repeat (400) begin
      automatic op_e op = OPS[$urandom_range(7)];
      automatic logic [63:0] data = 64'($urandom_range(op == OP_INIT ? 3 : 1));
      // a wait lasts 300 ns at most
      if (op == OP_TRY_WAIT_PARITY) data |= 64'd300 << 32;
      @(negedge clk);
      req[port] = '{op: op, remote: 0, address: 32'(8 * $urandom_range(3)), data: data, strobe: 8'hff, tag: tag, order: 0};
      tag++;
      req_valid[port] = 1;
      do @(posedge clk); while (!req_ready[port]);
      @(negedge clk);
      req_valid[port] = 0;
      repeat ($urandom_range(3)) @(negedge clk);
    end
  endtask

  always @(negedge clk) rsp_ready <= 2'($urandom);
  always @(posedge clk) if (!rst) answers <= answers + 32'($countones(rsp_valid & rsp_ready));

  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("breaks=%d", breaks)) breaks = 0;
    void'($urandom(seed));
    repeat (4) @(negedge clk);
    rst = 0;
    fork
      run(0);
      run(1);
    join
    repeat (200) @(negedge clk);
    if (answers < 400) $fatal(1, "only %0d answers", answers);
    $display("PASS: %0d answers", answers);
    $finish;
  end
endmodule
