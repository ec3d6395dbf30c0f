// Drives the wrappers of a package of a unit of two ports: each port uses barriers of its own, both at the same time.
module bench;
  import mb_pkg::*;

  logic clk, rst = 1;
  initial begin
    clk = 0;
    forever #5 clk = !clk;
  end

  logic [1:0] req_valid = 0, req_ready, rsp_valid, rsp_ready = 0;
  req_t [1:0] req = '0;
  rsp_t [1:0] rsp;

  // the interfaces are around the structures, which are around the design
  mb_req_if request[2]();
  mb_rsp_if answer[2]();
  mb_done_if effect[2]();
  mb_flip_if flip[2]();
  for (genvar port = 0; port < 2; port++) begin : each_port
    assign request[port].valid = req_valid[port];
    assign request[port].payload = req[port];
    assign req_ready[port] = request[port].ready;
    assign rsp_valid[port] = answer[port].valid;
    assign rsp[port] = answer[port].payload;
    assign answer[port].ready = rsp_ready[port];
  end
  mb_if dut (
    .clk(clk), .rst(rst), .bank_stall(2'b00), .remote_pending(2'b00), .req(request), .rsp(answer), .done(effect), .flip(flip),
    /* verilator lint_off PINCONNECTEMPTY */
    .wake_valid()
  );

  // Asks for an operation at a port and checks the answer.
  task automatic ask(int port, op_e op, logic [31:0] address, logic [63:0] data, logic predicate, logic [63:0] data_back);
    logic [7:0] tag = 8'(17 * port + 3);
    @(negedge clk);
    req[port] = '{op: op, remote: 0, address: address, data: data, strobe: 8'hff, tag: tag, order: 0};
    req_valid[port] = 1;
    do @(posedge clk); while (!req_ready[port]);
    @(negedge clk);
    req_valid[port] = 0;
    req[port] = '0;
    rsp_ready[port] = 1;
    do @(posedge clk); while (!rsp_valid[port]);
    if (rsp[port].tag != tag || rsp[port].status != STATUS_OK || rsp[port].predicate != predicate || rsp[port].data != data_back) begin
      $display("FAIL: port %0d, %s: tag %0d, %s, predicate %b, data %h", port, op.name(), rsp[port].tag, rsp[port].status.name(),
               rsp[port].predicate, rsp[port].data);
      $fatal;
    end
    @(negedge clk);
    rsp_ready[port] = 0;
  endtask

  task automatic run(int port);
    word_t fresh = '0, last;
    logic [31:0] address = 32'(16 + 8 * port);
    fresh.pending = -20'd2;
    fresh.expected = -20'd2;
    last = fresh;
    last.pending = -20'd1;
    // the ports are never at the same place
    repeat (3 * port) @(negedge clk);
    ask(port, OP_INIT, address, 2, 0, 0);
    ask(port, OP_LOAD, address, 0, 0, fresh);
    ask(port, OP_ARRIVE, address, 1, 0, 64'(fresh) & 64'hffffffff00000000);
    ask(port, OP_LOAD, address, 0, 0, last);
    ask(port, OP_TEST_WAIT_PARITY, address, 0, 0, 0);
    ask(port, OP_ARRIVE, address, 1, 0, 64'(last) & 64'hffffffff00000000);
    ask(port, OP_TEST_WAIT_PARITY, address, 0, 1, 0);
    fresh.phase = 1;
    ask(port, OP_LOAD, address, 0, 0, fresh);
  endtask

  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
    fork
      run(0);
      run(1);
    join
    $display("PASS");
    $finish;
  end

  initial #20000 $fatal(1, "FAIL: no answer");
endmodule
