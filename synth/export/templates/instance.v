// {{ manifest.generator }}: an instance of {{ name }}, to copy. A wire for each pin, of the same name.
{%- for port in manifest.ports %}
wire {% if port.width > 1 %}[{{ port.width - 1 }}:0] {% endif %}{{ port.name }};  // {{ port.direction }}: {{ port.description }}
{%- endfor %}

{{ name }} u_{{ name }} (
{%- for port in manifest.ports %}
  .{{ port.name }}({{ port.name }}){% if !loop.last %},{% endif %}
{%- endfor %}
);
