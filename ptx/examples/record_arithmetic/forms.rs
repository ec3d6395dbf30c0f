//! Every form of every arithmetic instruction: all modifiers are tried, those that the parser accepts are kept.

use crate::form::instruction;
use txbar_ptx::arithmetic::Arithmetic;

/// For each group of opcodes: what can stand in each place behind them (an empty string: nothing).
const PATTERNS: &[&[&str]] = &[
    &["add sub mul mad fma div rcp sqrt", "rn rz rm rp approx full -", "ftz -", "sat relu -", FLOATS],
    &["neg abs min max copysign", "ftz -", "NaN -", "xorsign.abs -", FLOATS],
    &["rsqrt sin cos lg2 ex2 tanh", "approx", "ftz -", FLOATS],
    &["add sub addc subc", "cc sat -", INTEGERS],
    &["add min max", "relu -", "u16x2 s16x2"],
    &["mul mad madc", "lo hi wide", "cc sat -", INTEGERS],
    &["mul24 mad24", "lo hi", "sat -", INTEGERS],
    &["sad div rem abs neg", INTEGERS],
    &["min max", "relu -", INTEGERS],
    &["dp4a", "u32 s32", "u32 s32"],
    &["dp2a", "lo hi", "u32 s32", "u32 s32"],
    &["mov and or xor not cnot shl shr popc clz brev bfe bfi", "pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"],
    &["bfind", "shiftamt -", INTEGERS],
    &["lop3 fns", "b32"],
    &["shf", "l r", "wrap clamp", "b32"],
    &["bmsk szext", "wrap clamp", "b32 u32 s32"],
    &["prmt", "b32", "f4e b4e rc8 ecl ecr rc16 -"],
    &["setp", OPERATORS, "and or xor -", "ftz -", COMPARED],
    &["set", OPERATORS, "and or xor -", "ftz -", "u32 s32 f32 u16 s16 f16 bf16", COMPARED],
    &["selp", COMPARED],
    &["slct", "ftz -", COMPARED, "s32 f32"],
    &["testp", "finite infinite number notanumber normal subnormal", "f32 f64"],
    &["cvt", "rn rz rm rp rni rzi rmi rpi -", "ftz -", "sat -", CONVERTED, CONVERTED],
    &["cvt", "rn rz rm rp", "relu -", "ftz sat -", "f16 bf16 f16x2 bf16x2", "f32"],
    &["cvt", "rn", "satfinite", "relu -", "e4m3x2 e5m2x2", "f32 f16x2"],
    &["cvt", "rn", "relu -", "f16x2", "e4m3x2 e5m2x2"],
    &["cvt", "rna rn rz", "relu -", "tf32", "f32"],
];
const INTEGERS: &str = "u16 u32 u64 s16 s32 s64";
const FLOATS: &str = "f32 f64 f16 f16x2 bf16 bf16x2";
const OPERATORS: &str = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan";
const COMPARED: &str = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 f16 bf16";
const CONVERTED: &str = "u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64";

/// All of them; those of `cvt` and comparisons with little of their own only now and then.
pub fn forms() -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for pattern in PATTERNS {
        let mut names = vec![String::new()];
        for place in *pattern {
            let extend = |name: &String, word: &str| match (name.as_str(), word) {
                (name, "-") => name.to_owned(),
                ("", word) => word.to_owned(),
                (name, word) => format!("{name}.{word}"),
            };
            names = names.iter().flat_map(|name| place.split(' ').map(move |word| extend(name, word))).collect();
        }
        forms.extend(names.into_iter().filter(|name| matches!(Arithmetic::read(&instruction(name)), Some(Ok(_)))));
    }
    let mut seen = std::collections::HashSet::new();
    forms.retain(|form| seen.insert(form.clone()) && (seen.len() % sampled(form) == 0));
    forms
}

/// Of so many forms one is taken: comparisons have hundreds that differ in independent parts.
fn sampled(form: &str) -> usize {
    match (form.starts_with("set."), form.starts_with("setp."), form.matches('.').count()) {
        (true, ..) => 11,
        (_, true, 3..) => 3,
        _ => 1,
    }
}
