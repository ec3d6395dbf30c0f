{{ name }}.v
{{ name }}_pkg.sv
{{ name }}_sv.sv
