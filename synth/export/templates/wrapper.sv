// {{ manifest.generator }}: {{ name }} with a structure for each channel. Generated with it: see {{ name }}.json.
module {{ name }}_sv (
{%- for (declaration, comment) in self.ports() %}
  {{ declaration }}{% if !loop.last %},{% endif %}{% if !comment.is_empty() %}  // {{ comment }}{% endif %}
{%- endfor %}
);
{% for one in self.connections() %}{% if let Some(cast) = one.cast %}
  logic [4:0] {{ one.pin }};
  assign {{ one.to }} = {{ name }}_pkg::{{ cast }}'({{ one.pin }});
{%- endif %}{% endfor %}

  {{ name }} u_{{ name }} (
{%- for one in self.connections() %}
    .{{ one.pin }}({% if one.cast.is_some() %}{{ one.pin }}{% else %}{{ one.to }}{% endif %}){% if !loop.last %},{% endif %}
{%- endfor %}
  );

endmodule
