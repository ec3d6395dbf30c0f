//! Errors: message, underlined place, and advice.

use super::{body_error, error, module_error};
use insta::assert_snapshot;

#[test]
fn a_semicolon_is_missing_at_the_end_of_a_line() {
    assert_snapshot!(body_error("mov.u32 %r1, 5\nadd.u32 %r1, %r1, 1;"), @r#"
      × expected `;` after the operands
       ╭─[k.ptx:5:15]
     4 │ .entry k() {
     5 │ mov.u32 %r1, 5
       ·               ▲
       ·               ╰── expected `;` here
     6 │ add.u32 %r1, %r1, 1;
       ╰────
    "#);
}

#[test]
fn a_comma_is_missing() {
    assert_snapshot!(body_error("add.u32 %r1, %r2 %r3;"), @r#"
      × expected `,` or `;` after the operands
       ╭─[k.ptx:5:18]
     4 │ .entry k() {
     5 │ add.u32 %r1, %r2 %r3;
       ·                  ─┬─
       ·                   ╰── expected `,` or `;`, found `%r3`
     6 │ }
       ╰────
    "#);
}

#[test]
fn nothing_follows_an_opcode() {
    assert_snapshot!(body_error("mov.u32\n"), @r#"
      × expected `;` or an operand after the instruction
       ╭─[k.ptx:5:8]
     4 │ .entry k() {
     5 │ mov.u32
       ·        ▲
       ·        ╰── expected `;` or an operand here
     6 │
       ╰────
    "#);
}

#[test]
fn an_assignment() {
    assert_snapshot!(body_error("x = 5;"), @r#"
      × expected `;` or an operand after the instruction
       ╭─[k.ptx:5:3]
     4 │ .entry k() {
     5 │ x = 5;
       ·   ┬
       ·   ╰── expected `;` or an operand, found `=`
     6 │ }
       ╰────
      help: an instruction names its destination first: `add.u32 %r1, %r2, %r3;`
    "#);
}

#[test]
fn a_brace_is_not_closed() {
    assert_snapshot!(error(".version 8.6\n.target sm_90\n.entry k()\n{\n  { ret;\n}\n"), @r#"
      × expected `}`, found the end of the file
       ╭─[k.ptx:6:2]
     3 │ .entry k()
     4 │ {
       · ┬
       · ╰── no `}` closes this
     5 │   { ret;
     6 │ }
       ·  ▲
       ·  ╰── the file ends here
       ╰────
    "#);
}

#[test]
fn a_brace_too_many() {
    assert_snapshot!(module_error(".entry k() { ret; } }"), @r#"
      × a `}` too many
       ╭─[k.ptx:4:21]
     3 │ .address_size 64
     4 │ .entry k() { ret; } }
       ·                     ┬
       ·                     ╰── nothing is open that this could close
       ╰────
    "#);
}

#[test]
fn a_comment_is_not_closed() {
    assert_snapshot!(body_error("ret; /* and so on"), @r#"
      × a comment does not end
       ╭─[k.ptx:5:6]
     4 │ .entry k() {
     5 │ ret; /* and so on
       ·      ─┬
       ·       ╰── it begins here
     6 │ }
       ╰────
      help: close it with `*/`
    "#);
}

#[test]
fn a_string_is_not_closed() {
    assert_snapshot!(module_error(".pragma \"nounroll;"), @r#"
      × a string does not end
       ╭─[k.ptx:4:9]
     3 │ .address_size 64
     4 │ .pragma "nounroll;
       ·         ─────┬────
       ·              ╰── no `"` follows on this line
       ╰────
    "#);
}

#[test]
fn no_version() {
    assert_snapshot!(error("mbarrier.init.b64 [addr], 1;\n"), @r#"
      × the file does not begin with `.version`
       ╭─[k.ptx:1:1]
     1 │ mbarrier.init.b64 [addr], 1;
       · ────┬───
       ·     ╰── expected `.version` before this
       ╰────
      help: begin it with the version of PTX, the target and the address size: `.version 8.6`,
            `.target sm_90`, `.address_size 64`
    "#);
}

#[test]
fn an_empty_file() {
    assert_snapshot!(error(""), @r#"
      × the file does not begin with `.version`
       ╭─[k.ptx:1:1]
     1 │
       · ▲
       · ╰── the file is empty
       ╰────
      help: begin it with the version of PTX, the target and the address size: `.version 8.6`,
            `.target sm_90`, `.address_size 64`
    "#);
}

#[test]
fn no_target() {
    assert_snapshot!(error(".version 8.6\n.address_size 64\n"), @r#"
      × expected `.target` after `.version`
       ╭─[k.ptx:1:13]
     1 │ .version 8.6
       ·             ▲
       ·             ╰── expected `.target` here
     2 │ .address_size 64
       ╰────
      help: name the architecture: `.target sm_90`
    "#);
}

#[test]
fn a_version_without_a_dot() {
    assert_snapshot!(error(".version 8\n.target sm_90\n"), @r#"
      × expected a version such as `8.6`, found `8`
       ╭─[k.ptx:1:10]
     1 │ .version 8
       ·          ┬
       ·          ╰── expected a version such as `8.6`
     2 │ .target sm_90
       ╰────
    "#);
}

#[test]
fn a_second_version() {
    assert_snapshot!(module_error(".version 8.7"), @r#"
      × `.version` is given twice
       ╭─[k.ptx:4:1]
     1 │ .version 8.6
       ·          ─┬─
       ·           ╰── given first here
     2 │ .target sm_90
     3 │ .address_size 64
     4 │ .version 8.7
       · ────┬───
       ·     ╰── given again here
       ╰────
    "#);
}

#[test]
fn an_address_size_of_48() {
    assert_snapshot!(error(".version 8.6\n.target sm_90\n.address_size 48\n"), @r#"
      × an address has 32 or 64 bits
       ╭─[k.ptx:3:15]
     2 │ .target sm_90
     3 │ .address_size 48
       ·               ─┬
       ·                ╰── expected 32 or 64
       ╰────
    "#);
}

#[test]
fn a_label_twice() {
    assert_snapshot!(body_error("loop: bra loop;\nloop: ret;"), @r#"
      × label `loop` is declared twice in the same scope
       ╭─[k.ptx:6:1]
     4 │ .entry k() {
     5 │ loop: bra loop;
       · ──┬─
       ·   ╰── declared first here
     6 │ loop: ret;
       · ──┬─
       ·   ╰── declared again here
     7 │ }
       ╰────
    "#);
}

#[test]
fn a_register_twice() {
    assert_snapshot!(body_error(".reg .b32 %r<5>;\n.reg .b64 %r4;"), @r#"
      × register `%r4` is declared twice in the same scope
       ╭─[k.ptx:6:11]
     4 │ .entry k() {
     5 │ .reg .b32 %r<5>;
       ·           ─┬
       ·            ╰── declared first here
     6 │ .reg .b64 %r4;
       ·           ─┬─
       ·            ╰── declared again here
     7 │ }
       ╰────
    "#);
}

#[test]
fn a_range_over_a_register() {
    assert_snapshot!(body_error(".reg .b64 %r4;\n.reg .b32 %r<5>;"), @r#"
      × `%r<5>` has a register that is declared already
       ╭─[k.ptx:6:11]
     4 │ .entry k() {
     5 │ .reg .b64 %r4;
       ·           ─┬─
       ·            ╰── declared first here
     6 │ .reg .b32 %r<5>;
       ·           ─┬
       ·            ╰── declared again here
     7 │ }
       ╰────
    "#);
}

#[test]
fn ranges_that_meet() {
    assert_snapshot!(body_error(".reg .b32 %r1<3>;\n.reg .b32 %r<11>;"), @r#"
      × `%r<11>` has a register that is declared already
       ╭─[k.ptx:6:11]
     4 │ .entry k() {
     5 │ .reg .b32 %r1<3>;
       ·           ─┬─
       ·            ╰── declared first here
     6 │ .reg .b32 %r<11>;
       ·           ─┬
       ·            ╰── declared again here
     7 │ }
       ╰────
    "#);
}

#[test]
fn a_parameter_twice() {
    assert_snapshot!(module_error(".entry k(.param .u32 n, .param .u32 n) {}"), @r#"
      × parameter `n` is declared twice in the same scope
       ╭─[k.ptx:4:37]
     3 │ .address_size 64
     4 │ .entry k(.param .u32 n, .param .u32 n) {}
       ·                      ┬              ┬
       ·                      │              ╰── declared again here
       ·                      ╰── declared first here
       ╰────
    "#);
}

#[test]
fn a_function_twice() {
    assert_snapshot!(module_error(".func f { ret; }\n.func f { ret; }"), @r#"
      × function `f` is defined twice
       ╭─[k.ptx:5:7]
     3 │ .address_size 64
     4 │ .func f { ret; }
       ·       ┬
       ·       ╰── defined first here
     5 │ .func f { ret; }
       ·       ┬
       ·       ╰── defined again here
       ╰────
    "#);
}

#[test]
fn a_variable_twice() {
    assert_snapshot!(module_error(".shared .b64 bar;\n.shared .b64 bar;"), @r#"
      × variable `bar` is defined twice
       ╭─[k.ptx:5:14]
     3 │ .address_size 64
     4 │ .shared .b64 bar;
       ·              ─┬─
       ·               ╰── defined first here
     5 │ .shared .b64 bar;
       ·              ─┬─
       ·               ╰── defined again here
       ╰────
    "#);
}

#[test]
fn a_number_with_65_bits() {
    assert_snapshot!(body_error("mov.b64 %rd1, 18446744073709551616;"), @r#"
      × `18446744073709551616` is no number
       ╭─[k.ptx:5:15]
     4 │ .entry k() {
     5 │ mov.b64 %rd1, 18446744073709551616;
       ·               ──────────┬─────────
       ·                         ╰── this number needs more than 64 bits
     6 │ }
       ╰────
    "#);
}

#[test]
fn an_octal_digit_too_high() {
    assert_snapshot!(body_error("mov.b32 %r1, 08;"), @r#"
      × `08` is no number
       ╭─[k.ptx:5:14]
     4 │ .entry k() {
     5 │ mov.b32 %r1, 08;
       ·              ─┬
       ·               ╰── a number that begins with 0 is octal: its digits are 0 to 7
     6 │ }
       ╰────
    "#);
}

#[test]
fn a_float_with_too_few_digits() {
    assert_snapshot!(body_error("mov.f32 %f1, 0f3F80;"), @r#"
      × `0f3F80` is no number
       ╭─[k.ptx:5:14]
     4 │ .entry k() {
     5 │ mov.f32 %f1, 0f3F80;
       ·              ───┬──
       ·                 ╰── `0f` needs exactly 8 hexadecimal digits
     6 │ }
       ╰────
    "#);
}

#[test]
fn letters_in_a_number() {
    assert_snapshot!(body_error("mov.b32 %r1, 12abc;"), @r#"
      × `12abc` is no number
       ╭─[k.ptx:5:14]
     4 │ .entry k() {
     5 │ mov.b32 %r1, 12abc;
       ·              ──┬──
       ·                ╰── this is no number
     6 │ }
       ╰────
    "#);
}

#[test]
fn an_alignment_of_12() {
    assert_snapshot!(module_error(".shared .align 12 .b64 bar;"), @r#"
      × an alignment is a power of two
       ╭─[k.ptx:4:16]
     3 │ .address_size 64
     4 │ .shared .align 12 .b64 bar;
       ·                ─┬
       ·                 ╰── this is none
       ╰────
    "#);
}

#[test]
fn a_size_without_end() {
    assert_snapshot!(module_error(".shared .b64 a[4294967296][4294967296];"), @r#"
      × variable `a` needs more than 2^64 bytes
       ╭─[k.ptx:4:14]
     3 │ .address_size 64
     4 │ .shared .b64 a[4294967296][4294967296];
       ·              ────────────┬────────────
       ·                          ╰── this is too much
       ╰────
    "#);
}

#[test]
fn a_negative_size() {
    assert_snapshot!(module_error(".shared .b64 a[-1];"), @r#"
      × expected a number of elements
       ╭─[k.ptx:4:16]
     3 │ .address_size 64
     4 │ .shared .b64 a[-1];
       ·                ─┬
       ·                 ╰── this is no whole number from 0 on
       ╰────
    "#);
}

#[test]
fn a_misspelt_space() {
    assert_snapshot!(module_error(".shraed .b64 bar;"), @r#"
      × unknown directive `.shraed`
       ╭─[k.ptx:4:1]
     3 │ .address_size 64
     4 │ .shraed .b64 bar;
       · ───┬───
       ·    ╰── no directive of PTX
       ╰────
      help: did you mean `.shared`?
    "#);
}

#[test]
fn a_misspelt_type() {
    assert_snapshot!(body_error(".reg .u33 %r<5>;"), @r#"
      × unknown type `.u33`
       ╭─[k.ptx:5:6]
     4 │ .entry k() {
     5 │ .reg .u33 %r<5>;
       ·      ──┬─
       ·        ╰── no type of PTX
     6 │ }
       ╰────
      help: did you mean `.u32`?
    "#);
}

#[test]
fn a_misspelt_directive() {
    assert_snapshot!(module_error(".entry k() .maxnitd 1, 1, 1 { ret; }"), @r#"
      × unknown directive `.maxnitd`
       ╭─[k.ptx:4:12]
     3 │ .address_size 64
     4 │ .entry k() .maxnitd 1, 1, 1 { ret; }
       ·            ────┬───
       ·                ╰── no directive of PTX
       ╰────
      help: did you mean `.maxntid`?
    "#);
}

#[test]
fn no_type() {
    assert_snapshot!(body_error(".reg %r1;"), @r#"
      × expected a type such as `.b32`, found `%r1`
       ╭─[k.ptx:5:6]
     4 │ .entry k() {
     5 │ .reg %r1;
       ·      ─┬─
       ·       ╰── expected a type such as `.b32`
     6 │ }
       ╰────
    "#);
}

#[test]
fn two_types() {
    assert_snapshot!(body_error(".reg .u32 .u64 %r1;"), @r#"
      × a declaration has one type
       ╭─[k.ptx:5:11]
     4 │ .entry k() {
     5 │ .reg .u32 .u64 %r1;
       ·           ──┬─
       ·             ╰── a second type
     6 │ }
       ╰────
    "#);
}

#[test]
fn a_listing_with_something_left_out() {
    assert_snapshot!(body_error("mbarrier.init.shared.b64 [bar], 1;\n...\n"), @r#"
      × `..` is no PTX
       ╭─[k.ptx:6:1]
     5 │ mbarrier.init.shared.b64 [bar], 1;
     6 │ ...
       · ─┬
       ·  ╰── something is left out here
     7 │
       ╰────
      help: the listings of the manual leave code out: write what belongs here
    "#);
}

#[test]
fn a_zero_byte() {
    assert_snapshot!(error("\x7fELF\x02\x01\x01\0\0"), @r#"
      × the file is binary
       ╭─[k.ptx:1:1]
     1 │ ?ELF?????
       · ┬
       · ╰── a byte with the value 0x7f
       ╰────
      help: a PTX file is text; `cuobjdump -ptx FILE` gets it out of a binary
    "#);
}

#[test]
fn a_zero_byte_within() {
    assert_snapshot!(body_error("ret;\0"), @r#"
      × the file is binary
       ╭─[k.ptx:5:5]
     4 │ .entry k() {
     5 │ ret;?
       ·     ┬
       ·     ╰── a byte with the value 0x00
     6 │ }
       ╰────
      help: a PTX file is text; `cuobjdump -ptx FILE` gets it out of a binary
    "#);
}

#[test]
fn a_line_of_the_preprocessor() {
    assert_snapshot!(error("#include <x>\n"), @r#"
      × PTX is not preprocessed here
       ╭─[k.ptx:1:1]
     1 │ #include <x>
       · ┬
       · ╰── a line of the C preprocessor
       ╰────
      help: run the C preprocessor first: `cpp -P in.ptx out.ptx`
    "#);
}

#[test]
fn an_instruction_outside() {
    assert_snapshot!(module_error("mov.u32 %r1, 5;"), @r#"
      × `mov` is outside of a function
       ╭─[k.ptx:4:1]
     3 │ .address_size 64
     4 │ mov.u32 %r1, 5;
       · ─┬─
       ·  ╰── expected a directive such as `.entry`
       ╰────
      help: instructions stand between the braces of an `.entry` or `.func`
    "#);
}

#[test]
fn registers_outside() {
    assert_snapshot!(module_error(".reg .u32 %r1;"), @r#"
      × registers are declared within functions
       ╭─[k.ptx:4:1]
     3 │ .address_size 64
     4 │ .reg .u32 %r1;
       · ──┬─
       ·   ╰── outside of a function
       ╰────
      help: put this between the braces of the function that uses it
    "#);
}

#[test]
fn a_function_within_a_function() {
    assert_snapshot!(error(".version 8.6\n.target sm_90\n.entry a() {\n  ret;\n.entry b() { ret; }\n"), @r#"
      × a function within a function
       ╭─[k.ptx:5:1]
     2 │ .target sm_90
     3 │ .entry a() {
       · ───┬──
       ·    ╰── this is not closed
     4 │   ret;
     5 │ .entry b() { ret; }
       · ───┬──
       ·    ╰── expected `}` before this
       ╰────
    "#);
}

#[test]
fn too_many_initial_values() {
    assert_snapshot!(module_error(".global .u32 a[2][2] = {{1, 2}, {3, 4, 5}};"), @r#"
      × too many initial values
       ╭─[k.ptx:4:40]
     3 │ .address_size 64
     4 │ .global .u32 a[2][2] = {{1, 2}, {3, 4, 5}};
       ·                                 ┬      ┬
       ·                                 │      ╰── no element is left for this
       ·                                 ╰── in these braces
       ╰────
    "#);
}

#[test]
fn initial_values_of_shared_memory() {
    assert_snapshot!(module_error(".shared .u32 a = 5;"), @r#"
      × only `.global` and `.const` variables have initial values
       ╭─[k.ptx:4:16]
     3 │ .address_size 64
     4 │ .shared .u32 a = 5;
       ·                ┬
       ·                ╰── values for a variable elsewhere
       ╰────
      help: store the values with instructions
    "#);
}

#[test]
fn a_variable_that_is_a_predicate() {
    assert_snapshot!(module_error(".global .pred p;"), @r#"
      × variable `p` cannot be a predicate
       ╭─[k.ptx:4:15]
     3 │ .address_size 64
     4 │ .global .pred p;
       ·               ┬
       ·               ╰── `.pred` is for registers only
       ╰────
    "#);
}

#[test]
fn an_address_that_is_not_closed() {
    assert_snapshot!(body_error("ld.shared.b32 %r1, [bar+8;"), @r#"
      × expected `]` after the address
       ╭─[k.ptx:5:26]
     4 │ .entry k() {
     5 │ ld.shared.b32 %r1, [bar+8;
       ·                    ┬     ┬
       ·                    │     ╰── expected `]`, found `;`
       ·                    ╰── the address begins here
     6 │ }
       ╰────
    "#);
}

#[test]
fn a_register_added_to_an_address() {
    assert_snapshot!(body_error("ld.shared.b32 %r1, [bar+%r2];"), @r#"
      × only a constant can be added to an address
       ╭─[k.ptx:5:25]
     4 │ .entry k() {
     5 │ ld.shared.b32 %r1, [bar+%r2];
       ·                         ─┬─
       ·                          ╰── this is no constant
     6 │ }
       ╰────
      help: add registers with an `add` instruction of their own
    "#);
}

#[test]
fn an_index() {
    assert_snapshot!(body_error("ld.global.u32 %r1, a[3];"), @r#"
      × an element of an array is not written like this
       ╭─[k.ptx:5:21]
     4 │ .entry k() {
     5 │ ld.global.u32 %r1, a[3];
       ·                     ┬
       ·                     ╰── an index
     6 │ }
       ╰────
      help: write its address: `[array+8]`, with the offset in bytes
    "#);
}

#[test]
fn a_sign_before_a_register() {
    assert_snapshot!(body_error("add.s32 %r1, %r2, -%r3;"), @r#"
      × a name cannot be negated
       ╭─[k.ptx:5:19]
     4 │ .entry k() {
     5 │ add.s32 %r1, %r2, -%r3;
       ·                   ┬
       ·                   ╰── this sign has a name behind it
     6 │ }
       ╰────
      help: use a `neg` instruction
    "#);
}

#[test]
fn a_division_by_zero() {
    assert_snapshot!(body_error("mov.u32 %r1, 8/(4-4);"), @r#"
      × this divides by zero
       ╭─[k.ptx:5:15]
     4 │ .entry k() {
     5 │ mov.u32 %r1, 8/(4-4);
       ·               ┬
       ·               ╰── here
     6 │ }
       ╰────
    "#);
}

#[test]
fn a_bracket_in_an_expression_is_not_closed() {
    assert_snapshot!(body_error("mov.u32 %r1, (4*(2+1);"), @r#"
      × expected `)` in this expression
       ╭─[k.ptx:5:22]
     4 │ .entry k() {
     5 │ mov.u32 %r1, (4*(2+1);
       ·              ┬       ┬
       ·              │       ╰── expected `)`, found `;`
       ·              ╰── this is not closed
     6 │ }
       ╰────
    "#);
}

#[test]
fn a_choice_without_its_second_half() {
    assert_snapshot!(body_error("mov.u32 %r1, 1 ? 2;"), @r#"
      × expected `:` in this expression
       ╭─[k.ptx:5:19]
     4 │ .entry k() {
     5 │ mov.u32 %r1, 1 ? 2;
       ·                ┬  ┬
       ·                │  ╰── expected `:`, found `;`
       ·                ╰── for this
     6 │ }
       ╰────
    "#);
}

#[test]
fn an_operand_is_missing() {
    assert_snapshot!(body_error("add.u32 %r1, , 5;"), @r#"
      × expected an operand, found `,`
       ╭─[k.ptx:5:14]
     4 │ .entry k() {
     5 │ add.u32 %r1, , 5;
       ·              ┬
       ·              ╰── expected an operand
     6 │ }
       ╰────
    "#);
}

#[test]
fn targets_without_a_label() {
    assert_snapshot!(body_error(".branchtargets a, b;"), @r#"
      × this directive needs a label
       ╭─[k.ptx:5:1]
     4 │ .entry k() {
     5 │ .branchtargets a, b;
       · ───────┬──────
       ·        ╰── expected `label:` before this
     6 │ }
       ╰────
    "#);
}

#[test]
fn a_guard_without_an_instruction() {
    assert_snapshot!(body_error("@p { ret; }"), @r#"
      × expected an instruction, found `{`
       ╭─[k.ptx:5:4]
     4 │ .entry k() {
     5 │ @p { ret; }
       ·    ┬
       ·    ╰── expected an instruction
     6 │ }
       ╰────
    "#);
}

#[test]
fn columns_behind_letters_of_more_than_a_byte() {
    assert_snapshot!(body_error("/* größer */ mov.u32 %r1, ];"), @r#"
      × expected an operand, found `]`
       ╭─[k.ptx:5:27]
     4 │ .entry k() {
     5 │ /* größer */ mov.u32 %r1, ];
       ·                           ┬
       ·                           ╰── expected an operand
     6 │ }
       ╰────
    "#);
}

#[test]
fn lines_that_end_with_carriage_returns() {
    assert_snapshot!(body_error("ret;\r\nmov.u32 %r1, ];\r"), @r#"
      × expected an operand, found `]`
       ╭─[k.ptx:6:14]
     5 │ ret;
     6 │ mov.u32 %r1, ];
       ·              ┬
       ·              ╰── expected an operand
     7 │ }
       ╰────
    "#);
}
