// {{ manifest.generator }}: {{ name }} with an interface for each channel. Generated with it: see {{ name }}.json.
// several in one file; nobody need look at every channel:
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
{%- for channel in channels %}

interface {{ name }}_{{ channel.name }}_if;
  logic valid;
{%- if channel.ready().is_some() %}
  logic ready;
{%- endif %}
  {{ name }}_pkg::{{ channel.name }}_t payload;
  modport source(output valid, output payload{% if channel.ready().is_some() %}, input ready{% endif %});
  modport sink(input valid, input payload{% if channel.ready().is_some() %}, output ready{% endif %});
endinterface
{%- endfor %}

module {{ name }}_if (
{%- for (declaration, comment) in self.plain_ports() %}
  {{ declaration }},  // {{ comment }}
{%- endfor %}
{%- for channel in channels %}
  {{ name }}_{{ channel.name }}_if.{% if channel.direction == "input" %}sink{% else %}source{% endif %} {{ channel.name }} [{{ channel.count() }}]{% if !loop.last %},{% endif %}
{%- endfor %}
);
{% for channel in channels %}
  logic [{{ channel.count() - 1 }}:0] {{ channel.name }}_valid;
{%- if channel.ready().is_some() %}
  logic [{{ channel.count() - 1 }}:0] {{ channel.name }}_ready;
{%- endif %}
  {{ name }}_pkg::{{ channel.name }}_t [{{ channel.count() - 1 }}:0] {{ channel.name }}_payload;
  for (genvar i = 0; i < {{ channel.count() }}; i++) begin : each_{{ channel.name }}
{%- if channel.direction == "input" %}
    assign {{ channel.name }}_valid[i] = {{ channel.name }}[i].valid;
    assign {{ channel.name }}_payload[i] = {{ channel.name }}[i].payload;
{%- if channel.ready().is_some() %}
    assign {{ channel.name }}[i].ready = {{ channel.name }}_ready[i];
{%- endif %}
{%- else %}
    assign {{ channel.name }}[i].valid = {{ channel.name }}_valid[i];
    assign {{ channel.name }}[i].payload = {{ channel.name }}_payload[i];
{%- if channel.ready().is_some() %}
    assign {{ channel.name }}_ready[i] = {{ channel.name }}[i].ready;
{%- endif %}
{%- endif %}
  end
{% endfor %}
  {{ name }}_sv u_{{ name }} (
{%- for pin in self.plain_pins() %}
    .{{ pin }}({{ pin }}),
{%- endfor %}
{%- for channel in channels %}
    .{{ channel.name }}_valid({{ channel.name }}_valid),
{%- if channel.ready().is_some() %}
    .{{ channel.name }}_ready({{ channel.name }}_ready),
{%- endif %}
    .{{ channel.name }}({{ channel.name }}_payload){% if !loop.last %},{% endif %}
{%- endfor %}
  );

endmodule
