// {{ manifest.generator }}: types of {{ name }}. Generated with it: see {{ name }}.json.
package {{ name }}_pkg;

  // Opcodes: the PTX instruction that each serves.
  typedef enum logic [4:0] {
{%- for one in manifest.opcodes %}
    OP_{{ one.name|upper }} = 5'd{{ one.code }}{% if !loop.last %},{% endif %}  // {{ one.ptx }}
{%- endfor %}
  } op_e;

  // How a request ended.
  typedef enum logic [4:0] {
{%- for one in manifest.statuses %}
    STATUS_{{ one.name|upper }} = 5'd{{ one.code }}{% if !loop.last %},{% endif %}  // {{ one.meaning }}
{%- endfor %}
  } status_e;

  // The barrier word.
  typedef struct packed {
{%- for (kind, name, holds) in self.word() %}
    {{ kind }} {{ name }};  // {{ holds }}
{%- endfor %}
  } word_t;
{% for channel in channels %}
  typedef struct packed {
{%- for field in channel.fields %}
    {{ field.kind }} {{ field.name }};  // {{ field.description }}
{%- endfor %}
  } {{ channel.name }}_t;
{% endfor %}
endpackage
