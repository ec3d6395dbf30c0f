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
{%- if let Some(bus) = manifest.bus %}
/* Behind {{ bus.bus }}: where the registers of windows are; what is in them is in txbar_registers.h. */
#define {{ self.upper() }}_WINDOWS {{ bus.windows }}u
#define {{ self.upper() }}_WINDOW_STRIDE {{ self.hex(bus.window_stride) }}u /* bytes from one window to the next */
#define {{ self.upper() }}_MEMORY {{ self.hex(bus.memory_offset) }}u /* bytes from a window to the memory as it sees it */
#define {{ self.upper() }}_MEMORY_BYTES {{ self.hex(bus.memory_bytes) }}u
#define {{ self.upper() }}_PRIVILEGED {{ self.hex(bus.privileged) }}u /* address of the privileged page */
{% endif %}
/* Fields of the barrier word, each as a number. */
{%- for field in manifest.word %}
static inline uint64_t {{ name }}_word_{{ field.name }}(uint64_t word) /* {{ field.holds }} */
{
    return word >> {{ field.lsb }} & (UINT64_MAX >> {{ 64 - field.bits }});
}
{%- endfor %}

#endif
