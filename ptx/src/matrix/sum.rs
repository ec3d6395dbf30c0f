//! The sum of products of an element of D, as the tensor core of an H200 computes it.
//!
//! ```text
//!   c ──────────────┐
//!   a0 x b0 ──────► │ all at the exponent of the largest, what is below     ┌──────────┐
//!   a1 x b1 ──────► │ the last place that is kept is cut off           ───► │ exact sum│──► rounded: c of the next group
//!   ...             │                                                       └──────────┘
//! ```
//! Whole numbers and sums of which nothing is cut off are exact in any order. The rules were fitted to what an H200 leaves in the kernels
//! `matrix_*` with more rounds, and hold for rounds that were kept back; see `docs/ptx/model.md`.

use super::element::{Format, HALF, Number, SINGLE, Total};

/// The NaN that comes out in `f32`.
const SINGLE_NAN: u64 = 0x7fff_ffff;
/// And in `f16`.
const HALF_NAN: u64 = 0x7fff;

/// Places that the tensor core keeps, but for `wgmma` of floats of 8 bits.
pub(crate) const PLACES: u32 = 25;

/// How products of a format are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Products that are added at once.
    pub together: usize,
    /// Places that are kept behind the place before the point of the largest.
    pub places: u32,
    /// Places behind the point that a sum in `f32` keeps.
    pub kept: u32,
}

/// A product: significand with the bits behind the point that both factors have together, and exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Product {
    pub significand: i64,
    pub exponent: i32,
}

/// The product of two numbers; nothing if it is not finite, then with what it is instead.
fn product(a: Number, b: Number) -> Result<Product, Number> {
    let negative = |number: Number| match number {
        Number::Finite { significand, .. } => significand < 0,
        Number::Infinite(negative) => negative,
        Number::Nan => false,
    };
    let is_zero = |number: Number| matches!(number, Number::Finite { significand: 0, .. });
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Err(Number::Nan),
        (Number::Infinite(_), other) | (other, Number::Infinite(_)) if is_zero(other) => Err(Number::Nan),
        (Number::Infinite(_), _) | (_, Number::Infinite(_)) => Err(Number::Infinite(negative(a) != negative(b))),
        (Number::Finite { significand: a, exponent: above }, Number::Finite { significand: b, exponent: below }) => {
            Ok(Product { significand: a * b, exponent: above + below })
        }
    }
}

/// `value` shifted to the left by this many places, or to the right with what falls out cut off.
fn shifted(value: i64, places: i32) -> i64 {
    match places {
        0.. => value << places,
        -62..0 => value.signum() * (value.abs() >> -places),
        _ => 0,
    }
}

impl Rule {
    /// The bits of c plus the products of `a` and `b`, which have this many bits behind the point.
    pub(crate) fn sum(self, a: &[Number], b: &[Number], fraction: u32, c: u64, total: Total) -> u64 {
        let mut sum = c;
        for (a, b) in a.chunks(self.together).zip(b.chunks(self.together)) {
            sum = self.step(a, b, fraction, sum, total);
        }
        sum
    }

    fn step(self, a: &[Number], b: &[Number], fraction: u32, c: u64, total: Total) -> u64 {
        let (format, nan) = if total == Total::F16 { (HALF, HALF_NAN) } else { (SINGLE, SINGLE_NAN) };
        let infinity = |negative: bool| u64::from(negative) << (format.exponent + format.fraction) | format.infinity();
        let mut infinite: Option<bool> = None;
        let mut terms = [Product { significand: 0, exponent: 0 }; 32];
        let mut special = |number: Number| match (number, infinite) {
            (Number::Infinite(sign), None) => {
                infinite = Some(sign);
                false
            }
            (Number::Infinite(sign), Some(other)) => sign != other,
            _ => true,
        };
        for ((a, b), term) in a.iter().zip(b).zip(&mut terms) {
            match product(*a, *b) {
                Ok(product) => *term = product,
                Err(number) if special(number) => return nan,
                Err(_) => {}
            }
        }
        let added = match format.number(c) {
            Number::Finite { significand, exponent } => Product { significand, exponent },
            number if special(number) => return nan,
            _ => Product { significand: 0, exponent: 0 },
        };
        if let Some(negative) = infinite {
            return infinity(negative);
        }
        let terms = &terms[..a.len()];
        let counts = |term: &&Product| term.significand != 0;
        let Some(largest) = terms.iter().chain([&added]).filter(counts).map(|term| term.exponent).max() else {
            return 0;
        };
        let places = self.places as i32; // below 32
        let aligned = |term: &Product, fraction: u32| {
            shifted(term.significand, places - fraction as i32 - (largest - term.exponent)) // 20 bits at most
        };
        let exact: i64 = terms.iter().map(|term| aligned(term, fraction)).sum::<i64>();
        let bits = rounded(exact + aligned(&added, format.fraction), largest - places, format, total == Total::F16);
        bits & u64::MAX << format.fraction.saturating_sub(self.kept)
    }
}

impl Format {
    /// The bits of infinity.
    const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }
}

/// The bits of `value` times two to the power `exponent`: the nearest, ties to even, or cut off.
fn rounded(value: i64, exponent: i32, format: Format, nearest: bool) -> u64 {
    let sign = u64::from(value < 0) << (format.exponent + format.fraction);
    let whole = value.unsigned_abs();
    if whole == 0 {
        return 0;
    }
    let top = 63 - whole.leading_zeros() as i32; // at most 63
    // exponent of the last place of the result: that of subnormal numbers at least
    let last = (top + exponent).max(1 - format.bias()) - format.fraction as i32;
    let drop = last - exponent;
    let (mut kept, half, rest) = match drop {
        ..=0 => (whole << -drop, false, false),
        1..=64 => {
            let kept = if drop == 64 { 0 } else { whole >> drop };
            (kept, whole >> (drop - 1) & 1 != 0, whole & ((1 << (drop - 1)) - 1) != 0)
        }
        _ => (0, false, true),
    };
    if nearest && half && (rest || kept & 1 != 0) {
        kept += 1;
    }
    if kept == 0 {
        return 0; // also of a negative sum
    }
    // a carry into the next exponent comes out right by itself
    let field = (last + format.fraction as i32 + format.bias() - 1) as u64; // at least 0
    let bits = (field << format.fraction) + kept;
    sign | bits.min(format.infinity())
}

/// The rule of `mma` for floats of 8 bits, which an H200 has no unit for: they become `f16`; of each four elements along k the first
/// two are one sum, the others are added to it, and c at last, as `add.rn` does.
pub(crate) fn widened(a: &[Number], b: &[Number], fraction: u32, c: u64, total: Total) -> u64 {
    let half = |numbers: &[Number], second: bool| -> Vec<Number> {
        numbers.iter().enumerate().filter(|(k, _)| (k % 4 >= 2) == second).map(|(_, number)| *number).collect()
    };
    let rule = Rule { together: 16, places: PLACES, kept: SINGLE.fraction };
    let first = rule.sum(&half(a, false), &half(b, false), fraction, 0, total);
    let products = rule.sum(&half(a, true), &half(b, true), fraction, first, total);
    if total == Total::F16 {
        let one = Number::Finite { significand: 1, exponent: 0 };
        let exact = Rule { together: 1, places: 40, kept: SINGLE.fraction }; // all places that f16 has
        return exact.sum(&[HALF.number(products)], &[one], HALF.fraction, c, total);
    }
    match f32::from_bits(products as u32) + f32::from_bits(c as u32) {
        sum if sum.is_nan() => SINGLE_NAN,
        sum => u64::from(sum.to_bits()),
    }
}

/// c plus the products, one rounded multiply-add after the other.
pub(crate) fn doubles(a: &[f64], b: &[f64], c: f64) -> f64 {
    a.iter().zip(b).fold(c, |sum, (a, b)| a.mul_add(*b, sum))
}

/// c plus the products of whole numbers: modulo 2^32, or with `.satfinite` the nearest that there is.
pub(crate) fn integers(a: &[i64], b: &[i64], c: i32, saturates: bool) -> i32 {
    let sum = a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>() + i64::from(c);
    if saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32 } else { sum as i32 }
}
