# {{ manifest.generator }}: constraints of {{ name }}, for its pins at the top of a chip or an FPGA. Choose the period; within the design every path is of one cycle.
create_clock -name clk -period 10.000 [get_ports clk]
{%- if manifest.reset.asynchronous %}
# Release the reset at an edge of clk: two registers do that.
set_false_path -from [get_ports {{ manifest.reset.pin }}]
{%- endif %}
