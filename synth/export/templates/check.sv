// {{ manifest.generator }}: checks {{ name }} in any simulation: its handshakes, the effect of each operation, and each answer, in every cycle.
// Bind it, and link the simulation with txbar's kit (include/txbar_kit.h):
//
//   bind {{ name }} {{ name }}_check check (.*);
//
// The unit's memory must be all zero at the beginning. A mismatch ends the simulation with $fatal.
module {{ name }}_check (
{%- for port in manifest.ports %}
  input wire {% if port.width > 1 %}[{{ port.width - 1 }}:0] {% endif %}{{ port.name }}{% if !loop.last %},{% endif %}
{%- endfor %}
);

  import "DPI-C" function chandle txbar_check_new(input string parameters);
  import "DPI-C" function int txbar_check_pin(input chandle handle, input string name);
  import "DPI-C" function void txbar_check_set(input chandle handle, input int pin, input longint unsigned value);
  import "DPI-C" function int txbar_check_clock(input chandle handle, input int reset);
  import "DPI-C" function string txbar_check_message(input chandle handle);
  import "DPI-C" function int txbar_check_idle(input chandle handle);

  chandle handle;
{%- for port in manifest.ports %}{% if self.is_data(port) %}
  int pin_{{ port.name }};
{%- endif %}{% endfor %}

  initial begin
    handle = txbar_check_new("{{ manifest.parameters.text() }}");
{%- for port in manifest.ports %}{% if self.is_data(port) %}
    pin_{{ port.name }} = txbar_check_pin(handle, "{{ port.name }}");
{%- endif %}{% endfor %}
  end

  always @(posedge clk) begin
{%- for port in manifest.ports %}{% if self.is_data(port) %}
    txbar_check_set(handle, pin_{{ port.name }}, {% if port.width == 64 %}{{ port.name }}{% else %}64'({{ port.name }}){% endif %});
{%- endif %}{% endfor %}
    if (txbar_check_clock(handle, int'({{ self.in_reset() }})) == 0) $fatal(1, "{{ name }}: %s", txbar_check_message(handle));
  end

  final if (txbar_check_idle(handle) == 0) $display("{{ name }}: requests without an answer at the end");

endmodule
