//! Numbers of a floating-point format: from and to bits, NaN, `.ftz` and `.sat`, order, and the square root, which the
//! library of formats lacks.

use super::kind::{Format, ones};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round};
use std::cmp::Ordering;

/// Does something with the number format `$F` that a [`Format`] stands for.
macro_rules! with_format {
    ($format:expr, $F:ident => $body:expr) => {
        match $format {
            Format::Half => {
                type $F = Half;
                $body
            }
            Format::BFloat => {
                type $F = BFloat;
                $body
            }
            Format::Single => {
                type $F = Single;
                $body
            }
            Format::Double => {
                type $F = Double;
                $body
            }
        }
    };
}
pub(super) use with_format;

/// The number that bits mean.
pub(super) fn number<F: Float>(raw: u64) -> F {
    F::from_bits(raw.into())
}

/// The bits of a number.
pub(super) fn raw<F: Float>(number: F) -> u64 {
    number.to_bits() as u64 // formats of 64 bits at most
}

/// `.ftz`: a subnormal number becomes a zero of its sign.
pub(super) fn flush<F: Float>(flush: bool, number: F) -> F {
    if flush && number.is_denormal() { F::ZERO.copy_sign(number) } else { number }
}

/// The NaN that operations give: of 64 bits one of the operands, made quiet, otherwise always the same.
const fn nan(format: Format, operand: u64) -> u64 {
    match format {
        Format::Half | Format::BFloat => 0x7fff,
        Format::Single => 0x7fff_ffff,
        Format::Double => operand | 1 << 51,
    }
}

/// One.
pub(super) const fn one(format: Format) -> u64 {
    match format {
        Format::Half => 0x3c00,
        Format::BFloat => 0x3f80,
        Format::Single => 0x3f80_0000,
        Format::Double => 0x3ff0_0000_0000_0000,
    }
}

/// What modifiers do with a result, as bits.
pub(super) fn finish<F: Float>(format: Format, result: F, ftz: bool, saturate: bool, relu: bool) -> u64 {
    if result.is_nan() {
        return if saturate { 0 } else { nan(format, raw(result)) };
    }
    let result = flush(ftz, result);
    if saturate && (result.is_negative() || result.is_zero()) || relu && result.is_negative() {
        return 0;
    }
    if saturate && result > number(one(format)) {
        return one(format);
    }
    raw(result)
}

/// How two values compare; nothing if one is a NaN.
pub(super) fn order(format: Format, ftz: bool, a: u64, b: u64) -> Option<Ordering> {
    let [a, b] = [a, b].map(|value| value & ones(format.bits()));
    with_format!(format, F => flush::<F>(ftz, number(a)).partial_cmp(&flush(ftz, number(b))))
}

/// The square root.
pub(super) fn sqrt(format: Format, value: u64, round: Round) -> u64 {
    match format {
        Format::Double => sqrt_double(f64::from_bits(value), round).to_bits(),
        // Twice the precision and two bits more: rounding twice is harmless, and the square below is exact.
        _ => sqrt_single(f32::from_bits(value as u32), round).to_bits().into(),
    }
}

fn sqrt_single(value: f32, round: Round) -> f32 {
    let root = value.sqrt();
    let square = f64::from(root) * f64::from(root);
    adjust(root, square.partial_cmp(&value.into()), round, f32::next_up, f32::next_down)
}

fn sqrt_double(value: f64, round: Round) -> f64 {
    // Small values are scaled, lest the remainder underflow.
    let scale = if value < 1e-200 { (2f64.powi(400), 2f64.powi(-200)) } else { (1.0, 1.0) };
    let value = value * scale.0;
    let root = value.sqrt();
    let remainder = root.mul_add(root, -value);
    adjust(root, remainder.partial_cmp(&0.0), round, f64::next_up, f64::next_down) * scale.1
}

/// A root that was rounded to the nearest, rounded otherwise: its square is less or greater than what it is the root of.
fn adjust<T: Copy>(root: T, square: Option<Ordering>, round: Round, up: fn(T) -> T, down: fn(T) -> T) -> T {
    match (square, round) {
        (Some(Ordering::Greater), Round::TowardZero | Round::TowardNegative) => down(root),
        (Some(Ordering::Less), Round::TowardPositive) => up(root),
        _ => root,
    }
}
