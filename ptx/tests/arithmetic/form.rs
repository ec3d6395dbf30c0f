//! An instruction from its opcode and modifiers, and the required agreement with a recording.

use txbar_ptx::ast::{Instruction, Spanned};
use txbar_ptx::source::Span;

/// `add.sat.s32` as an instruction without operands.
pub fn instruction(text: &str) -> Instruction {
    let span = Span { start: 0, end: text.len() as u32 };
    let mut words = text.split('.').map(|word| Spanned { value: word.to_owned(), span });
    let opcode = words.next().unwrap_or_else(|| Spanned { value: String::new(), span });
    Instruction { guard: None, opcode, modifiers: words.collect(), operands: Vec::new(), span }
}

/// How far a result may be from the recorded one, relative to it and absolutely, if PTX promises no more than a bound.
fn tolerance(form: &str, operand: u64) -> Option<(f64, f64)> {
    if !form.contains(".approx") && !form.contains(".full") {
        return None;
    }
    let operand = f32::from_bits(operand as u32);
    Some(match form.split('.').next() {
        // Beyond pi PTX promises less and less: the recorded values are right in the last bits no more.
        Some("sin" | "cos") if operand.abs() > 3.2 => (0.0, 2.0),
        Some("sin" | "cos") => (0.0, 2f64.powi(-20)),
        Some("lg2") => (2f64.powi(-22), 2f64.powi(-22)),
        Some("tanh") => (2f64.powi(-10), 0.0),
        Some("rsqrt") if form.ends_with("f64") => (2f64.powi(-51), 0.0),
        // Subnormal results may be off by one unit, too.
        _ => (2f64.powi(-22), 2f64.powi(-149)),
    })
}

/// Whether a result is the recorded one, or near enough where it is an approximation.
pub fn agrees(form: &str, operand: u64, result: u64, recorded: u64) -> bool {
    let Some((relative, absolute)) = tolerance(form, operand) else { return result == recorded };
    let number =
        |bits: u64| if form.ends_with("f64") { f64::from_bits(bits) } else { f32::from_bits(bits as u32).into() };
    let (ours, theirs) = (number(result), number(recorded));
    result == recorded || (ours - theirs).abs() <= absolute + relative * theirs.abs()
}
