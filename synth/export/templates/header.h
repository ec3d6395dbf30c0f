/* {{ manifest.generator }}: codes of {{ name }}. Generated with it: see {{ name }}.json. */
#ifndef {{ self.upper() }}_H
#define {{ self.upper() }}_H

#include <stdint.h>

/* Opcodes: the PTX instruction that each serves. */
{%- for one in manifest.opcodes %}
#define {{ self.upper() }}_OP_{{ one.name|upper }} {{ one.code }}u /* {{ one.ptx }} */
{%- endfor %}

/* How a request ended. */
{%- for one in manifest.statuses %}
#define {{ self.upper() }}_STATUS_{{ one.name|upper }} {{ one.code }}u /* {{ one.meaning }} */
{%- endfor %}
{% if !manifest.counters.is_empty() %}
/* Addresses of counters. */
{%- for one in manifest.counters %}
#define {{ self.upper() }}_COUNTER_{{ one.name|upper }} {{ self.number(one.address) }} /* {{ one.counts }} */
{%- endfor %}
{% endif %}
/* Fields of the barrier word, each as a number. */
{%- for field in manifest.word %}
static inline uint64_t {{ name }}_word_{{ field.name }}(uint64_t word) /* {{ field.holds }} */
{
    return word >> {{ field.lsb }} & (UINT64_MAX >> {{ 64 - field.bits }});
}
{%- endfor %}

#endif
