//! Floating point: sums, products, quotients, roots and extremes, in all formats and rounding modes.
//!
//! ```text
//!   operands ─► .ftz: subnormal to zero ─► exact operation, rounded once ─► NaN made canonical ─► .ftz ─► .sat, .relu
//! ```

use super::kind::{Format, Types, lanes, ones};
use super::number::{finish, flush, number, one, raw, sqrt, with_format};
use super::words::{Misfit, Words};
use super::{Arithmetic, Read};
use crate::ast::Type;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round};
use std::cmp::Ordering;

/// Rounding modifiers of results that are floats.
pub(super) const ROUNDINGS: [(&str, Round); 4] = [
    ("rn", Round::NearestTiesToEven),
    ("rz", Round::TowardZero),
    ("rm", Round::TowardNegative),
    ("rp", Round::TowardPositive),
];
const NEAREST: [(&str, Round); 1] = [ROUNDINGS[0]];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    /// `div.approx`.
    DivApproximate,
    Rcp,
    Sqrt,
    Neg,
    Abs,
    CopySign,
    /// `.NaN`: a NaN wins rather than loses; `.xorsign.abs`: magnitudes are compared, and signs multiplied.
    Extreme {
        max: bool,
        nan: bool,
        xorsign: bool,
    },
    /// A function that is computed with 64 bits and rounded.
    Approximate(Function),
}

/// A function without exact results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    RSqrt,
    Sin,
    Cos,
    Lg2,
    Ex2,
    Tanh,
}

/// An instruction on floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operation {
    verb: Verb,
    format: Format,
    lanes: u32,
    round: Round,
    /// `.ftz`.
    flush: bool,
    /// `.sat`: to [0, 1], NaN to 0.
    saturate: bool,
    /// `.relu`: what is negative becomes zero.
    relu: bool,
}

const LARGE: [Type; 2] = [Type::F32, Type::F64];
const SMALL: [Type; 4] = [Type::F16, Type::F16x2, Type::Bf16, Type::Bf16x2];
const HALVES: [Type; 2] = [Type::F16, Type::F16x2];
const ALL: [Type; 6] = [Type::F32, Type::F64, Type::F16, Type::F16x2, Type::Bf16, Type::Bf16x2];

/// Reads one.
pub(super) fn read(opcode: &str, mut words: Words) -> Read {
    let words = &mut words;
    let read = match opcode {
        "add" => sum(Verb::Add, 2, false, words),
        "sub" => sum(Verb::Sub, 2, false, words),
        "mul" => sum(Verb::Mul, 2, false, words),
        "fma" => sum(Verb::Fma, 3, true, words),
        "mad" => mad(words),
        "div" => quotient(Verb::Div, 2, words),
        "rcp" => quotient(Verb::Rcp, 1, words),
        "sqrt" => quotient(Verb::Sqrt, 1, words),
        "rsqrt" => approximate(Function::RSqrt, words),
        "sin" => approximate(Function::Sin, words),
        "cos" => approximate(Function::Cos, words),
        "lg2" => approximate(Function::Lg2, words),
        "ex2" => approximate(Function::Ex2, words),
        "tanh" => approximate(Function::Tanh, words),
        "neg" => sign(Verb::Neg, words),
        "abs" => sign(Verb::Abs, words),
        "copysign" => copysign(words),
        "min" => extreme(false, words),
        "max" => extreme(true, words),
        _ => return None,
    };
    Some(read.and_then(|arithmetic| words.end().map(|()| arithmetic)))
}

/// Modifiers that change what is done with the result.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    flush: bool,
    saturate: bool,
    relu: bool,
}

impl Flags {
    /// Types that have these modifiers.
    fn types(self) -> &'static [Type] {
        match self {
            Flags { relu: true, flush: false, .. } => &SMALL,
            Flags { relu: true, flush: true, .. } => &HALVES,
            Flags { flush: false, saturate: false, .. } => &ALL,
            _ => &[Type::F32, Type::F16, Type::F16x2],
        }
    }
}

fn arithmetic(verb: Verb, ty: Type, round: Round, flags: Flags, sources: usize) -> Arithmetic {
    let Flags { flush, saturate, relu } = flags;
    let format = Format::of(ty).unwrap_or(Format::Single); // only types of floats are allowed above
    let operation = Operation { verb, format, lanes: lanes(ty), round, flush, saturate, relu };
    Arithmetic {
        operation: super::Operation::Float(operation),
        destinations: Types::new(&[ty]),
        sources: Types::repeat(ty, sources),
    }
}

/// `add`, `sub`, `mul`, and `fma`, whose rounding must be written and which has `.relu`.
fn sum(verb: Verb, sources: usize, fused: bool, words: &mut Words) -> Result<Arithmetic, Misfit> {
    let round = match fused {
        true => Some(words.need(&ROUNDINGS, "a rounding modifier such as `.rn`")?),
        false => words.one_of(&ROUNDINGS),
    };
    let round = round.unwrap_or(Round::NearestTiesToEven);
    let (flush, saturate) = (words.flag("ftz"), words.flag("sat"));
    let relu = fused && !saturate && words.flag("relu");
    let flags = Flags { flush, saturate, relu };
    let ty = words.ty(flags.types())?;
    if round != Round::NearestTiesToEven && !LARGE.contains(&ty) {
        return Err(Misfit::Unsupported("this rounding of a 16-bit format"));
    }
    Ok(arithmetic(verb, ty, round, flags, sources))
}

fn mad(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let round = words.need(&ROUNDINGS, "a rounding modifier such as `.rn`")?;
    let flags = Flags { flush: words.flag("ftz"), saturate: words.flag("sat"), relu: false };
    let ty = words.ty(if flags.flush || flags.saturate { &LARGE[..1] } else { &LARGE })?;
    Ok(arithmetic(Verb::Fma, ty, round, flags, 3))
}

/// `div`, `rcp`, `sqrt`: rounded, or `.approx` or `.full`, which are rounded too.
fn quotient(verb: Verb, sources: usize, words: &mut Words) -> Result<Arithmetic, Misfit> {
    let rough = words.flag("approx");
    let approximate = rough || verb == Verb::Div && words.flag("full");
    let verb = if rough && verb == Verb::Div { Verb::DivApproximate } else { verb };
    let round = match approximate {
        true => Round::NearestTiesToEven,
        false => words.need(&ROUNDINGS, "a rounding modifier such as `.rn`")?,
    };
    let flush = words.flag("ftz");
    let f64_too = !flush && !approximate || verb == Verb::Rcp && rough;
    let ty = words.ty(if f64_too { &LARGE } else { &LARGE[..1] })?;
    if approximate && ty == Type::F64 {
        return Err(Misfit::Unsupported("a rough approximation with 64 bits"));
    }
    Ok(arithmetic(verb, ty, round, Flags { flush, ..Flags::default() }, sources))
}

fn approximate(function: Function, words: &mut Words) -> Result<Arithmetic, Misfit> {
    words.need(&[("approx", ())], "`.approx`")?;
    let flush = words.flag("ftz");
    let ty = words.ty(match function {
        Function::RSqrt => &LARGE,
        Function::Ex2 | Function::Tanh => &ALL,
        _ => &LARGE[..1],
    })?;
    if ty != Type::F32 && function != Function::RSqrt {
        return Err(Misfit::Unsupported("this function of other floats than `.f32`"));
    }
    if flush && ty == Type::F64 {
        return Err(Misfit::Unsupported("a rough approximation with 64 bits"));
    }
    if flush && function == Function::Tanh {
        return Err(Misfit::Stray("ftz".to_owned()));
    }
    let flags = Flags { flush, ..Flags::default() };
    Ok(arithmetic(Verb::Approximate(function), ty, Round::NearestTiesToEven, flags, 1))
}

fn sign(verb: Verb, words: &mut Words) -> Result<Arithmetic, Misfit> {
    let flags = Flags { flush: words.flag("ftz"), ..Flags::default() };
    let ty = words.ty(flags.types())?;
    Ok(arithmetic(verb, ty, Round::NearestTiesToEven, flags, 1))
}

fn copysign(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let ty = words.ty(&LARGE)?;
    Ok(arithmetic(Verb::CopySign, ty, Round::NearestTiesToEven, Flags::default(), 2))
}

fn extreme(max: bool, words: &mut Words) -> Result<Arithmetic, Misfit> {
    let flush = words.flag("ftz");
    let nan = words.flag("NaN");
    let xorsign = words.flag("xorsign");
    if xorsign {
        words.need(&[("abs", ())], "`.abs`")?;
    }
    let ty = words.ty(match (flush, nan || xorsign) {
        (true, _) => &[Type::F32, Type::F16, Type::F16x2],
        (false, true) => &[Type::F32, Type::F16, Type::F16x2, Type::Bf16, Type::Bf16x2],
        (false, false) => &ALL,
    })?;
    let flags = Flags { flush, ..Flags::default() };
    Ok(arithmetic(Verb::Extreme { max, nan, xorsign }, ty, NEAREST[0].1, flags, 2))
}

impl Operation {
    /// Computes.
    pub(super) fn evaluate(&self, sources: [u64; 4]) -> u64 {
        let bits = self.format.bits();
        (0..self.lanes).fold(0, |all, index| {
            let shift = index * bits;
            let lane = sources.map(|source| source >> shift & ones(bits));
            all | with_format!(self.format, F => self.scalar::<F>(lane)) << shift
        })
    }

    fn scalar<F: Float>(&self, sources: [u64; 4]) -> u64 {
        let [a, b, c, _] = sources.map(|source| flush(self.flush, number::<F>(source)));
        let (a, b) = if self.verb == Verb::Rcp { (number(one(self.format)), a) } else { (a, b) };
        let result = match self.verb {
            Verb::Neg if !a.is_nan() => -a,
            Verb::Abs if !a.is_nan() => a.abs(),
            Verb::Neg | Verb::Abs => a,
            // Touches nothing but the sign, of a NaN too.
            Verb::CopySign => return raw(b.copy_sign(a)),
            Verb::Extreme { max, nan, xorsign } => extreme_of(a, b, max, nan, xorsign),
            _ => self.compute([a, b, c], self.round),
        };
        let result = if result.is_nan() { self.chosen([a, b, c]).unwrap_or(-F::NAN.abs()) } else { result };
        let result = if self.flush && self.is_tiny([a, b, c], result) { F::ZERO.copy_sign(result) } else { result };
        finish(self.format, result, self.flush, self.saturate, self.relu)
    }

    /// Result before rounding.
    fn compute<F: Float>(&self, [a, b, c]: [F; 3], round: Round) -> F {
        match self.verb {
            Verb::Add => a.add_r(b, round).value,
            Verb::Sub => a.sub_r(b, round).value,
            Verb::Mul => a.mul_r(b, round).value,
            Verb::Fma => a.mul_add_r(b, c, round).value,
            Verb::Div | Verb::Rcp => a.div_r(b, round).value,
            // The reciprocal of the largest numbers is lost.
            Verb::DivApproximate if b.is_finite_non_zero() && b.ilogb() >= 126 => {
                a.mul_r(F::ZERO.copy_sign(b), round).value
            }
            Verb::DivApproximate => a.div_r(b, round).value,
            Verb::Sqrt => number(sqrt(self.format, raw(a), round)),
            Verb::Approximate(function) => number(approximation(self.format, function, raw(a))),
            Verb::Neg | Verb::Abs | Verb::CopySign | Verb::Extreme { .. } => a,
        }
    }

    /// Whether a result counts as subnormal: whether it would be below the normal numbers if it had been rounded with an
    /// unbounded exponent. That differs from what it is only if it is the smallest normal number.
    fn is_tiny<F: Float>(&self, [a, b, c]: [F; 3], result: F) -> bool {
        if result.abs() != F::smallest_normalized() {
            return result.is_denormal();
        }
        let up = |value: F| value.scalbn(2);
        let scaled = match self.verb {
            Verb::Mul | Verb::Div | Verb::DivApproximate | Verb::Rcp => [up(a), b, c],
            Verb::Fma => [up(a), b, up(c)],
            _ => return false, // exact
        };
        self.compute(scaled, self.round).abs() < up(F::smallest_normalized())
    }

    /// The NaN among the operands that becomes the result (of 64 bits; others have but one NaN).
    fn chosen<F: Float>(&self, [a, b, c]: [F; 3]) -> Option<F> {
        let candidates = match self.verb {
            Verb::Div | Verb::Rcp => [a, b, a],
            Verb::Fma => [b, c, a],
            Verb::Add | Verb::Sub | Verb::Mul | Verb::Extreme { .. } => [b, a, a],
            _ => [a, a, a],
        };
        candidates.into_iter().find(|operand| operand.is_nan())
    }
}

/// The smaller or greater number; -0 is smaller than +0.
fn extreme_of<F: Float>(a: F, b: F, max: bool, nan: bool, xorsign: bool) -> F {
    if nan && (a.is_nan() || b.is_nan()) {
        return F::NAN;
    }
    let negative = a.is_negative() != b.is_negative();
    let (a, b) = if xorsign { (a.abs(), b.abs()) } else { (a, b) };
    let chosen = match a.partial_cmp(&b) {
        None => {
            if a.is_nan() {
                b
            } else {
                a
            }
        }
        Some(Ordering::Equal) => {
            if a.is_negative() == max {
                b
            } else {
                a
            }
        }
        Some(order) => {
            if (order == Ordering::Greater) == max {
                a
            } else {
                b
            }
        }
    };
    if xorsign && chosen.is_negative() != negative { -chosen } else { chosen }
}

/// A function of a number, computed with 64 bits.
fn approximation(format: Format, function: Function, value: u64) -> u64 {
    let compute = |x: f64| match function {
        Function::RSqrt => x.sqrt().recip(),
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Lg2 => x.log2(),
        Function::Ex2 => x.exp2(),
        Function::Tanh => x.tanh(),
    };
    match format {
        Format::Double => compute(f64::from_bits(value)).to_bits(),
        _ => (compute(f32::from_bits(value as u32).into()) as f32).to_bits().into(),
    }
}
