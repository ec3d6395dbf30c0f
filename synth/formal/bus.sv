// The rules of each bus, for the front end alone: whatever its master does, and whenever the access behind it is taken and over. The bus, FRONT and
// ADDRESS_BITS are defined before.
module top (
  input wire clk,
  input wire access_ready, access_done, access_error,
  input wire [31:0] access_read,
  // what the master drives: more than any bus has, each takes what it needs
  input wire [7:0] go,
  input wire [31:0] word,
  input wire [`ADDRESS_BITS-1:0] place, other,
  input wire [3:0] bytes,
  input wire [2:0] code,
  input wire [7:0] source,
  input wire [1:0] size
);
  reg started = 0;
  always @(posedge clk) started <= 1;
  wire rst = !started;
  wire access_valid, access_write;
  wire [`ADDRESS_BITS-1:0] access_address;
  wire [31:0] access_data;
  wire [3:0] access_strobe;

  // One access at a time; what it has read stays until the next one is taken.
  reg under_way = 0, ended = 0;
  reg [32:0] kept;
  wire taken = access_valid && access_ready;
  always @(posedge clk) begin
    under_way <= !rst && (taken || (under_way && !access_done));
    ended <= !rst && !taken && (ended || access_done);
    kept <= {access_error, access_read};
  end
  always @* begin
    if (!under_way) assume (!access_done);
    if (under_way) assume (!access_ready);
    if (ended) assume ({access_error, access_read} == kept);
  end

`ifdef AXIL
  wire awvalid = go[0], wvalid = go[1], arvalid = go[2], bready = go[3], rready = go[4];
  wire awready, wready, arready, bvalid, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  `FRONT dut (
    .clk(clk), .rst(rst), .awaddr(place), .awprot(code), .awvalid(awvalid), .awready(awready), .wdata(word), .wstrb(bytes), .wvalid(wvalid),
    .wready(wready), .bresp(bresp), .bvalid(bvalid), .bready(bready), .araddr(other), .arprot(code), .arvalid(arvalid), .arready(arready),
    .rdata(rdata), .rresp(rresp), .rvalid(rvalid), .rready(rready), .access_valid(access_valid), .access_ready(access_ready),
    .access_write(access_write), .access_address(access_address), .access_data(access_data), .access_strobe(access_strobe),
    .access_done(access_done), .access_read(access_read), .access_error(access_error));
  // what has been taken and not been answered
  reg [2:0] aw_owed = 0, w_owed = 0, ar_owed = 0;
  reg b_waits = 0, r_waits = 0;
  reg [1:0] last_bresp;
  reg [33:0] last_r;
  always @(posedge clk) begin
    aw_owed <= rst ? 0 : aw_owed + (awvalid && awready) - (bvalid && bready);
    w_owed <= rst ? 0 : w_owed + (wvalid && wready) - (bvalid && bready);
    ar_owed <= rst ? 0 : ar_owed + (arvalid && arready) - (rvalid && rready);
    b_waits <= !rst && bvalid && !bready;
    r_waits <= !rst && rvalid && !rready;
    last_bresp <= bresp;
    last_r <= {rresp, rdata};
    if (started) begin
      if (bvalid) assert (aw_owed != 0 && w_owed != 0);
      if (rvalid) assert (ar_owed != 0);
      if (b_waits) assert (bvalid && bresp == last_bresp);
      if (r_waits) assert (rvalid && {rresp, rdata} == last_r);
      assert (aw_owed < 4 && w_owed < 4 && ar_owed < 4);
      if (taken && access_write) assert (aw_owed != 0 && w_owed != 0);
      if (taken && !access_write) assert (ar_owed != 0);
      data_first: cover (w_owed > aw_owed);
      both_wait: cover (b_waits && r_waits);
    end
  end
`endif

`ifdef WB
  wire cyc = go[0], stb = go[1];
  wire ack, err, stall;
  wire [31:0] dat_r;
  `FRONT dut (
    .clk(clk), .rst(rst), .cyc(cyc), .stb(stb), .we(go[2]), .adr(place), .dat_w(word), .sel(bytes), .dat_r(dat_r), .ack(ack), .err(err),
    .stall(stall), .access_valid(access_valid), .access_ready(access_ready), .access_write(access_write), .access_address(access_address),
    .access_data(access_data), .access_strobe(access_strobe), .access_done(access_done), .access_read(access_read), .access_error(access_error));
  // the access under way is the one that is asked for without a break
  reg own = 0;
  always @(posedge clk) begin
    own <= !rst && cyc && stb && (taken || own) && !(ack || err);
    if (started) begin
      assert (!(ack && err));
      if (ack || err) assert (cyc && stb && own && access_done && err == access_error && dat_r == access_read);
      if (own && access_done && cyc && stb) assert (ack || err);
      if (cyc && stb) assert (stall == !(ack || err));
      refused: cover (err);
      given_up: cover (under_way && !own && cyc && stb && !taken);
    end
  end
`endif

`ifdef APB
  wire psel = go[0], penable = go[1];
  wire pready, pslverr;
  wire [31:0] prdata;
  `FRONT dut (
    .paddr(place), .pprot(code), .psel(psel), .penable(penable), .pwrite(go[2]), .pwdata(word), .pstrb(bytes),
    .pready(pready), .prdata(prdata), .pslverr(pslverr), .access_valid(access_valid), .access_ready(access_ready), .access_write(access_write),
    .access_address(access_address), .access_data(access_data), .access_strobe(access_strobe), .access_done(access_done),
    .access_read(access_read), .access_error(access_error));
  // a requester sets up, enables, and holds until it is ready
  reg set_up = 0, enabled = 0;
  always @(posedge clk) begin
    set_up <= !rst && psel && !penable;
    enabled <= !rst && psel && penable && !pready;
  end
  always @* begin
    assume (penable == (psel && (set_up || enabled)));
    if (set_up || enabled) assume (psel);
    // the windows are not ready for another in the cycle in which they are done
    if (access_done) assume (!access_ready);
  end
  always @(posedge clk) if (started) begin
    if (pready) assert (psel && penable && under_way && prdata == access_read && pslverr == access_error);
    if (pslverr) assert (pready);
    if (under_way) assert (psel && penable);
    if (taken) assert (psel && penable);
    wait_state: cover (enabled && !pready);
    refused: cover (pslverr);
  end
`endif

`ifdef TL
  wire a_valid = go[0], d_ready = go[1];
  wire a_ready, d_valid, d_sink, d_denied, d_corrupt;
  wire [2:0] d_opcode;
  wire [1:0] d_param, d_size;
  wire [7:0] d_source;
  wire [31:0] d_data;
  `FRONT dut (
    .clk(clk), .rst(rst), .a_valid(a_valid), .a_ready(a_ready), .a_opcode(code), .a_param(3'd0), .a_size(size), .a_source(source),
    .a_address(place), .a_mask(bytes), .a_data(word), .a_corrupt(go[2]), .d_valid(d_valid), .d_ready(d_ready), .d_opcode(d_opcode),
    .d_param(d_param), .d_size(d_size), .d_source(d_source), .d_sink(d_sink), .d_denied(d_denied), .d_data(d_data), .d_corrupt(d_corrupt),
    .access_valid(access_valid), .access_ready(access_ready), .access_write(access_write), .access_address(access_address),
    .access_data(access_data), .access_strobe(access_strobe), .access_done(access_done), .access_read(access_read), .access_error(access_error));
  wire puts = code == 0 || code == 1, gets = code == 4;
  reg owed = 0, waits = 0, strange = 0;
  reg [2:0] last_code;
  reg [9:0] asked;
  reg [50:0] last;
  always @(posedge clk) begin
    if (a_valid && a_ready) {owed, strange, last_code, asked} <= {1'b1, !(gets || (puts && !go[2])), code, source, size};
    else if (d_valid && d_ready) owed <= 0;
    if (rst) owed <= 0;
    waits <= !rst && d_valid && !d_ready;
    last <= {d_opcode, d_param, d_size, d_source, d_sink, d_denied, d_data, d_corrupt, 1'b0};
    if (started) begin
      if (a_valid && a_ready) assert (!owed);
      if (d_valid) assert (owed && {d_source, d_size} == asked);
      if (d_valid) assert (d_opcode == (last_code == 5 ? 2 : last_code == 2 || last_code == 3 || last_code == 4 || last_code > 5));
      if (d_valid && strange) assert (d_denied);
      if (d_valid && d_opcode == 1 && d_denied) assert (d_corrupt);
      if (waits) assert (d_valid && last == {d_opcode, d_param, d_size, d_source, d_sink, d_denied, d_data, d_corrupt, 1'b0});
      if (taken) assert (a_valid && a_ready && (gets || (puts && !go[2])) && access_write == puts);
      refused: cover (d_valid && d_denied && !strange);
      denied_waits: cover (waits && strange);
    end
  end
`endif
endmodule
