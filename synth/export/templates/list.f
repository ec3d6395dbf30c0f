{{ name }}.v
{{ name }}_pkg.sv
{{ name }}_sv.sv{% if !channels.is_empty() %}
{{ name }}_if.sv{% endif %}
