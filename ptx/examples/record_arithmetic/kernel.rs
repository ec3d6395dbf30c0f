//! A kernel that applies one instruction to a table, one row per thread.
//!
//! ```text
//!   row of the table, 40 bytes:  source 0 | source 1 | source 2 | source 3 | carry in
//!   row of results, 24 bytes:    destination 0 | destination 1 | carry out
//! ```

use std::fmt::Write;
use txbar_ptx::arithmetic::Arithmetic;
use txbar_ptx::ast::Type;

/// The fourth operand of `lop3` is a constant: its values.
pub const TABLES: [u64; 6] = [0x00, 0x1b, 0x80, 0x96, 0xe8, 0xf7];

/// Registers of a type: the letter of their names, and the suffix of a conversion from 64 bits.
fn register(form: &str, ty: Type) -> (char, &'static str) {
    match ty {
        Type::U8 | Type::S8 if form.contains("bf16") => ('h', "u16"),
        Type::Pred => ('p', "pred"),
        Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => ('h', "u16"),
        Type::B64 | Type::U64 | Type::S64 | Type::F64 => ('d', "u64"),
        _ => ('w', "u32"), // 8 bits too: in a wider register
    }
}

/// The PTX of a form. `table` is the fourth operand of `lop3`.
pub fn kernel(form: &str, arithmetic: &Arithmetic, table: u64) -> String {
    let mut body = String::new();
    let mut line = |text: String| writeln!(body, "    {text}").expect("strings can be written to");
    let opcode = form.split('.').next().unwrap_or("");
    let extended = form.contains(".cc.") || ["addc", "subc", "madc"].contains(&opcode);
    for (index, ty) in arithmetic.sources().iter().enumerate() {
        let (letter, suffix) = register(form, *ty);
        line(format!("ld.global.b64 %l{index}, [%in+{}];", 8 * index));
        line(match letter {
            'p' => format!("setp.ne.b64 %sp{index}, %l{index}, 0;"),
            'd' => format!("mov.b64 %sd{index}, %l{index};"),
            _ => format!("cvt.{suffix}.u64 %s{letter}{index}, %l{index};"),
        });
    }
    if extended {
        line("ld.global.b32 %cin, [%in+32];".into());
        line("add.cc.u32 %t, %cin, 0xffffffff;".into());
    }
    let names = |prefix: char, types: &[Type]| -> Vec<String> {
        types.iter().enumerate().map(|(index, ty)| format!("%{prefix}{}{index}", register(form, *ty).0)).collect()
    };
    let mut sources = names('s', arithmetic.sources());
    if opcode == "lop3" {
        sources[3] = format!("{table:#x}");
    }
    let destinations = names('r', arithmetic.destinations()).join("|");
    line(format!("{form} {destinations}, {};", sources.join(", ")));
    if extended {
        line("addc.u32 %t, 0, 0;".into());
        line("st.global.b32 [%out+16], %t;".into());
    }
    for (index, ty) in arithmetic.destinations().iter().enumerate() {
        let (letter, suffix) = register(form, *ty);
        line(match letter {
            'p' => format!("selp.b64 %l0, 1, 0, %rp{index};"),
            'd' => format!("mov.b64 %l0, %rd{index};"),
            _ => format!("cvt.u64.{suffix} %l0, %r{letter}{index};"),
        });
        line(format!("st.global.b64 [%out+{}], %l0;", 8 * index));
    }
    format!(
        ".version 9.0
.target sm_90
.address_size 64
.visible .entry apply(.param .u64 table, .param .u64 results) {{
    .reg .b64 %in, %out, %l<4>, %sd<4>, %rd<2>;
    .reg .b32 %row, %cin, %t, %sw<4>, %rw<2>;
    .reg .b16 %sh<4>, %rh<2>;
    .reg .pred %sp<4>, %rp<2>;
    mov.u32 %row, %tid.x;
    ld.param.u64 %in, [table];
    ld.param.u64 %out, [results];
    mad.wide.u32 %in, %row, 40, %in;
    mad.wide.u32 %out, %row, 24, %out;
{body}    ret;
}}
"
    )
}
