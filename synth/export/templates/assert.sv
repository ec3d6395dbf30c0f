// {{ manifest.generator }}: assertions of {{ name }} at its pins, to bind; they need no library:
//
//   bind {{ name }} {{ name }}_assert assertions (.*);
//
// nobody need look at every pin, and all stand in one file:
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off DECLFILENAME
module {{ name }}_assert (
{%- for port in manifest.ports %}
  input wire {% if port.width > 1 %}[{{ port.width - 1 }}:0] {% endif %}{{ port.name }}{% if !loop.last %},{% endif %}
{%- endfor %}
);
  wire in_reset = {{ self.in_reset() }};
{% for (port, bit) in self.unit_ports() %}
  {{ name }}_answer_rules #(
    .TAG_BITS({{ unit.tag_bits }}), .POSTED(32'd{{ self.posted() }}), .STATUSES(32'd{{ self.statuses() }}), .MOST(16'd{{ self.most_owed() }})
  ) answers_{{ port }} (
    .clk(clk), .rst(in_reset), .req_valid(req_valid{{ bit }}), .req_ready(req_ready{{ bit }}), .rsp_valid(rsp_valid{{ bit }}),
    .rsp_ready(rsp_ready{{ bit }}), .req_op(req_op_{{ port }}), .req_tag(req_tag_{{ port }}), .rsp_tag(rsp_tag_{{ port }}),
    .rsp_status(rsp_status_{{ port }}),
{%- if unit.is_banked() %}
    // effects are told by bank
    .done_valid(1'b0), .done_suspended(1'b0), .is_masked(1'b0), .done_tag({{ unit.tag_bits }}'d0), .done_status(5'd0)
{%- else %}
    .done_valid(done_valid{{ bit }}), .done_suspended(done_suspended{{ bit }}),
    .is_masked({% if unit.wake_mask %}done_suspended{{ bit }}{% else %}1'b0{% endif %}), .done_tag(done_tag_{{ port }}), .done_status(done_status_{{ port }})
{%- endif %}
  );
  {{ name }}_held_rules #(.BITS({{ unit.tag_bits + 71 }})) held_{{ port }} (
    .clk(clk), .rst(in_reset), .rsp_valid(rsp_valid{{ bit }}), .rsp_ready(rsp_ready{{ bit }}),
    .rsp({rsp_tag_{{ port }}, rsp_status_{{ port }}, rsp_predicate_{{ port }}, rsp_resumed{{ bit }}, rsp_data_{{ port }}})
  );
{% endfor %}
endmodule

{{ self.rules() }}
