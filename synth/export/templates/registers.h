/* Registers, opcodes and statuses of a txbar unit behind a bus. Generated from the table that its decoder is generated from. */
#ifndef TXBAR_REGISTERS_H
#define TXBAR_REGISTERS_H
{% for (_, registers) in pages %}
{%- for register in registers %}
/* {{ register.holds }} */
#define TXBAR_{{ register.name|upper }} {{ "{:#x}"|format(register.offset) }}u
{%- for field in register.fields %}{% if field.bits < 32 %}
#define TXBAR_{{ register.name|upper }}_{{ field.name|upper }}_LSB {{ field.lsb }}u
#define TXBAR_{{ register.name|upper }}_{{ field.name|upper }}_MASK {{ self::mask(field) }}u /* {{ field.holds }} */
{%- endif %}{% endfor %}
{% endfor %}
{%- endfor %}
/* Opcodes. */
{%- for op in ops %}
#define TXBAR_OP_{{ op.name()|upper }} {{ op.code() }}u /* {{ self::takes_and_gives(op) }} */
{%- endfor %}

/* Statuses. */
{%- for status in statuses %}
#define TXBAR_STATUS_{{ status.name()|upper }} {{ status.code() }}u /* {{ status.meaning() }} */
{%- endfor %}

#endif
