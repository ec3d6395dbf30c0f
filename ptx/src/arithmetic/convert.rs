//! Conversions: `cvt` between all integers and floats of 16 bits and more.

use super::float::ROUNDINGS;
use super::kind::{Format, Int, Types, is_float, ones};
use super::narrow;
use super::number::{finish, flush, number, raw, with_format};
use super::words::{Misfit, Words};
use super::{Arithmetic, Read};
use crate::ast::Type;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operation {
    from: Type,
    to: Type,
    round: Option<Rounding>,
    /// `.ftz`: of 32-bit floats.
    flush: bool,
    saturate: bool,
    relu: bool,
    /// To a pair of floats, from two operands: the first is the upper one.
    pair: bool,
}

/// A rounding modifier.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rounding {
    /// To a float: `.rn`.
    Float(Round),
    /// To a whole number: `.rni`.
    Whole(Round),
}

const WHOLE: [(&str, Round); 4] = [
    ("rni", Round::NearestTiesToEven),
    ("rzi", Round::TowardZero),
    ("rmi", Round::TowardNegative),
    ("rpi", Round::TowardPositive),
];
const TYPES: [Type; 12] = [
    Type::U8,
    Type::S8,
    Type::U16,
    Type::S16,
    Type::U32,
    Type::S32,
    Type::U64,
    Type::S64,
    Type::F16,
    Type::Bf16,
    Type::F32,
    Type::F64,
];

/// Modifiers of conversions that are not carried out.
const UNSUPPORTED: [(&str, &str); 2] = [("pack", "`cvt.pack`"), ("rs", "stochastic rounding")];

/// Reads one.
pub(super) fn read(opcode: &str, words: Words) -> Read {
    (opcode == "cvt").then(|| cvt(words))
}

fn cvt(mut words: Words) -> Result<Arithmetic, Misfit> {
    for (word, what) in UNSUPPORTED {
        if words.flag(word) {
            return Err(Misfit::Unsupported(what));
        }
    }
    if let Some(read) = narrow::read(&mut words) {
        return read;
    }
    let whole = words.one_of(&WHOLE).map(Rounding::Whole);
    let round = whole.or_else(|| words.one_of(&ROUNDINGS).map(Rounding::Float));
    let (relu, flush, saturate) = (words.flag("relu"), words.flag("ftz"), words.flag("sat"));
    let pair = words.one_of(&[("f16x2", (Type::F16x2, Type::F16)), ("bf16x2", (Type::Bf16x2, Type::Bf16))]);
    let to = match pair {
        Some((_, half)) => half,
        None => words.ty(&TYPES)?,
    };
    let from = words.ty(if pair.is_some() { &[Type::F32] } else { &TYPES })?;
    words.end()?;
    let operation = Operation { from, to, round, flush, saturate, relu, pair: pair.is_some() };
    operation.check()?;
    Ok(Arithmetic {
        operation: super::Operation::Convert(operation),
        destinations: Types::new(&[pair.map_or(to, |(pair, _)| pair)]),
        sources: Types::repeat(from, if pair.is_some() { 2 } else { 1 }),
    })
}

impl Operation {
    /// Which types and modifiers go together.
    fn check(&self) -> Result<(), Misfit> {
        let Self { from, to, flush, saturate, relu, pair, .. } = *self;
        let stray = |word: &str| Err(Misfit::Stray(word.to_owned()));
        match (from, to) {
            (Type::U8 | Type::S8, Type::Bf16) | (Type::Bf16, Type::U8 | Type::S8) => return stray("bf16"),
            _ => (),
        }
        if relu && !(from == Type::F32 && is_float(to) && to.bits() == 16) {
            return stray("relu");
        }
        // To pairs and with `.relu`, conversions are of a younger kind, which has none of the following.
        if flush && (relu || pair || from != Type::F32 && to != Type::F32) {
            return stray("ftz");
        }
        if saturate && (relu || pair || !self.can_exceed()) {
            return stray("sat");
        }
        match self.round {
            Some(Rounding::Float(Round::TowardNegative)) if relu || pair => stray("rm"),
            Some(Rounding::Float(Round::TowardPositive)) if relu || pair => stray("rp"),
            _ => self.check_rounding(),
        }
    }

    /// Between whole numbers, between floats of one kind and to wider floats there is nothing to round; but floats can
    /// be rounded to whole numbers.
    fn check_rounding(&self) -> Result<(), Misfit> {
        let Self { from, to, round, .. } = *self;
        let exact = match (is_float(from), is_float(to)) {
            (false, false) => true,
            (true, true) => from == to || from.bits() < to.bits(),
            _ => false,
        };
        match (exact, round) {
            (true, None) => Ok(()),
            (true, Some(Rounding::Whole(_))) if from == to && is_float(from) => Ok(()),
            (false, Some(Rounding::Float(_))) if is_float(to) => Ok(()),
            (false, Some(Rounding::Whole(_))) if !is_float(to) => Ok(()),
            (false, _) if is_float(to) => Err(Misfit::Missing("a rounding modifier such as `.rn`")),
            (false, _) => Err(Misfit::Missing("a rounding modifier such as `.rzi`")),
            (true, Some(Rounding::Float(round))) => Err(Misfit::Stray(name(&ROUNDINGS, round))),
            (true, Some(Rounding::Whole(round))) => Err(Misfit::Stray(name(&WHOLE, round))),
        }
    }

    /// Whether a conversion can have `.sat`: not where nothing can be out of range, and not with `.bf16`.
    fn can_exceed(&self) -> bool {
        let (source, destination) = (Int::of(self.from), Int::of(self.to));
        match (is_float(self.from), is_float(self.to)) {
            (false, false) => source.least() < destination.least() || source.most() > destination.most(),
            _ => self.from != Type::Bf16 && self.to != Type::Bf16,
        }
    }

    /// Computes.
    pub(super) fn evaluate(&self, [a, b, ..]: [u64; 4]) -> u64 {
        if self.pair {
            return self.one(a) << 16 | self.one(b);
        }
        self.one(a)
    }

    fn one(&self, source: u64) -> u64 {
        let source = source & ones(self.from.bits());
        match (Format::of(self.from), Format::of(self.to)) {
            (None, None) => {
                let value = Int::of(self.from).value(source);
                let to = Int::of(self.to);
                to.raw(if self.saturate { to.clamp(value) } else { value })
            }
            (None, Some(to)) => {
                let value = Int::of(self.from).value(source);
                with_format!(to, F => finish(to, F::from_i128_r(value, self.rounding()).value, false, self.saturate, false))
            }
            (Some(from), None) => {
                with_format!(from, F => self.whole::<F>(flush(self.flush && from == Format::Single, number(source))))
            }
            (Some(from), Some(to)) => {
                with_format!(from, F => with_format!(to, G => self.float::<F, G>(source, from, to)))
            }
        }
    }

    fn rounding(&self) -> Round {
        match self.round {
            Some(Rounding::Float(round) | Rounding::Whole(round)) => round,
            None => Round::NearestTiesToEven, // exact
        }
    }

    fn whole<F: Float>(&self, value: F) -> u64 {
        let to = Int::of(self.to);
        if value.is_nan() {
            let long = to.bits == 64 || self.from == Type::F64;
            return if long { 1 << (to.bits - 1) } else { 0 };
        }
        // One bit more than any type has: the numbers beyond stay beyond.
        to.raw(to.clamp(value.to_i128_r(66, self.rounding(), &mut false).value))
    }

    fn float<F: Float + FloatConvert<G>, G: Float>(&self, source: u64, from: Format, to: Format) -> u64 {
        let value: F = number(source);
        if value.is_nan() && !self.saturate {
            return self.nan(source, from, to);
        }
        // On the way to f16 subnormal numbers stay, seen on an H200.
        let value = flush(self.flush && from == Format::Single && to != Format::Half, value);
        let value = match self.round {
            Some(Rounding::Whole(round)) => value.round_to_integral(round).value,
            _ => value,
        };
        let result: G = value.convert_r(self.rounding(), &mut false).value;
        let flush = self.flush && to == Format::Single;
        // As in other operations, what counts is the result rounded with an unbounded exponent.
        if flush && result.abs() == G::smallest_normalized() {
            let scaled: G = value.scalbn(2).convert_r(self.rounding(), &mut false).value;
            if scaled.abs() < G::smallest_normalized().scalbn(2) {
                return finish(to, G::ZERO.copy_sign(result), flush, self.saturate, self.relu);
            }
        }
        finish(to, result, flush, self.saturate, self.relu)
    }

    /// What becomes of a NaN: between 64 bits and others it is kept as far as there is room, and made quiet; the others
    /// know but one. A conversion that converts nothing leaves everything as it is.
    fn nan(&self, source: u64, from: Format, to: Format) -> u64 {
        let plain = self.round.is_none() && !self.flush;
        match (from, to) {
            (Format::Single, Format::Single) | (Format::Double, Format::Double) if plain => source,
            (Format::BFloat, Format::Single) if plain => source << 16,
            (_, Format::Double) if self.flush => nan::<Single, Double>(number(0x7fff_ffff)),
            (_, Format::Double) | (Format::Double, _) => {
                with_format!(from, F => with_format!(to, G => nan::<F, G>(number(source))))
            }
            _ => with_format!(to, G => finish(to, G::NAN, false, false, false)),
        }
    }
}

/// Name of a rounding mode.
fn name(table: &[(&str, Round)], round: Round) -> String {
    table.iter().find(|(_, meaning)| *meaning == round).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

/// A NaN in another format, made quiet.
fn nan<F: Float + FloatConvert<G>, G: Float>(value: F) -> u64 {
    let converted: G = value.convert_r(Round::TowardZero, &mut false).value;
    raw(converted)
}
