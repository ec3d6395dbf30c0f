//! Conversions to and from floats without a register type: pairs of 8-bit floats, and `.tf32`.
//!
//! ```text
//!   cvt.rn.satfinite{.relu}.e4m3x2.f32   d, a, b     d: a above b, 8 bits each        .e5m2x2 likewise
//!   cvt.rn.satfinite{.relu}.e4m3x2.f16x2 d, a
//!   cvt.rn{.relu}.f16x2.e4m3x2           d, a
//!   cvt.rna.tf32.f32                     d, a        the 13 lowest bits of d are zeros
//!   cvt.rn{.relu}.tf32.f32               d, a        .rz likewise
//! ```
//! What is too large for 8 bits becomes the largest finite number; a NaN is `7f`, in a `.f16` `7fff`, in a `.tf32` `7fffe000`, but `.rna` only drops
//! its low bits. With `.relu` a negative number becomes zero. (PTX 8.6, 9.7.9.21; the bits are those of a recording, see `tests/arithmetic`.)

use super::kind::{Format, Types};
use super::number::{finish, number, raw};
use super::words::{Misfit, Words};
use super::{Arithmetic, Operation as Any};
use crate::ast::Type;
use rustc_apfloat::ieee::{Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use txbar_testbench::tensor::copy::round_to_tf32;

/// A format of 8 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Eight {
    /// 1 + 4 + 3 bits, no infinities.
    E4m3,
    /// 1 + 5 + 2 bits.
    E5m2,
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operation {
    kind: Kind,
    relu: bool,
}

/// Kind of conversion.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Two of 32 bits to two of 8.
    FromSingles(Eight),
    /// Two of 16 bits to two of 8.
    FromHalves(Eight),
    /// Two of 8 bits to two of 16.
    ToHalves(Eight),
    /// One of 32 bits to `.tf32`.
    Tf32(Ties),
}

/// How a `.tf32` is rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ties {
    /// `.rna`: to the nearest, ties away from zero.
    Away,
    /// `.rn`: to the nearest, ties to even.
    Even,
    /// `.rz`: toward zero.
    Zero,
}

const EIGHTS: [(&str, Eight); 2] = [("e4m3x2", Eight::E4m3), ("e5m2x2", Eight::E5m2)];
const TIES: [(&str, Ties); 3] = [("rna", Ties::Away), ("rn", Ties::Even), ("rz", Ties::Zero)];

/// Reads one, if it is one.
pub(super) fn read(words: &mut Words) -> Option<Result<Arithmetic, Misfit>> {
    if words.flag("tf32") {
        return Some(tf32(words));
    }
    let widens = EIGHTS.iter().any(|(name, _)| words.last() == Some(name));
    words.one_of(&EIGHTS).map(|eight| pair(eight, widens, words))
}

fn tf32(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let ties = words.need(&TIES, "a rounding modifier such as `.rna`")?;
    let relu = ties != Ties::Away && words.flag("relu");
    words.ty(&[Type::F32])?;
    words.end()?;
    Ok(made(Kind::Tf32(ties), relu, Type::B32, Types::new(&[Type::F32])))
}

fn pair(eight: Eight, widens: bool, words: &mut Words) -> Result<Arithmetic, Misfit> {
    words.need(&[("rn", ())], "`.rn`")?;
    let relu = words.flag("relu");
    if !widens {
        words.need(&[("satfinite", ())], "`.satfinite`")?;
    }
    let other = words.ty(&[Type::F32, Type::F16x2])?;
    words.end()?;
    match (widens, other) {
        (false, Type::F32) => Ok(made(Kind::FromSingles(eight), relu, Type::B16, Types::repeat(Type::F32, 2))),
        (false, _) => Ok(made(Kind::FromHalves(eight), relu, Type::B16, Types::new(&[Type::F16x2]))),
        (true, Type::F16x2) => Ok(made(Kind::ToHalves(eight), relu, Type::F16x2, Types::new(&[Type::B16]))),
        (true, _) => Err(Misfit::Stray("f32".to_owned())),
    }
}

fn made(kind: Kind, relu: bool, to: Type, sources: Types) -> Arithmetic {
    Arithmetic { operation: Any::Narrow(Operation { kind, relu }), destinations: Types::new(&[to]), sources }
}

impl Operation {
    /// Computes.
    pub(super) fn evaluate(&self, [a, b, ..]: [u64; 4]) -> u64 {
        match self.kind {
            Kind::FromSingles(eight) => {
                self.narrow::<Single>(eight, a & 0xffff_ffff) << 8 | self.narrow::<Single>(eight, b & 0xffff_ffff)
            }
            Kind::FromHalves(eight) => {
                self.narrow::<Half>(eight, a >> 16 & 0xffff) << 8 | self.narrow::<Half>(eight, a & 0xffff)
            }
            Kind::ToHalves(eight) => self.half(eight, a >> 8 & 0xff) << 16 | self.half(eight, a & 0xff),
            Kind::Tf32(ties) => self.tf32(ties, a & 0xffff_ffff),
        }
    }

    /// One number in 8 bits.
    fn narrow<F>(&self, eight: Eight, source: u64) -> u64
    where
        F: FloatConvert<Float8E4M3FN> + FloatConvert<Float8E5M2>,
    {
        match eight {
            Eight::E4m3 => self.saturated::<F, Float8E4M3FN>(number(source), 0x7e),
            Eight::E5m2 => self.saturated::<F, Float8E5M2>(number(source), 0x7b),
        }
    }

    fn saturated<F: FloatConvert<G>, G: Float>(&self, value: F, most: u64) -> u64 {
        if value.is_nan() {
            return 0x7f;
        }
        if self.relu && value.is_negative() {
            return 0;
        }
        let result: G = value.convert_r(Round::NearestTiesToEven, &mut false).value;
        if result.is_finite() { raw(result) } else { most | u64::from(value.is_negative()) << 7 }
    }

    /// The number of 8 bits as one of 16.
    fn half(&self, eight: Eight, source: u64) -> u64 {
        let wide: Half = match eight {
            Eight::E4m3 => number::<Float8E4M3FN>(source).convert(&mut false).value,
            Eight::E5m2 => number::<Float8E5M2>(source).convert(&mut false).value,
        };
        finish(Format::Half, wide, false, false, self.relu)
    }

    fn tf32(&self, ties: Ties, source: u64) -> u64 {
        const DROPPED: u64 = (1 << 13) - 1;
        let value: Single = number(source);
        if self.relu && value.is_negative() && !value.is_nan() {
            return 0;
        }
        match ties {
            Ties::Even => round_to_tf32(source as u32).into(), // 32 bits
            Ties::Zero if value.is_nan() => 0x7fff_e000,
            // the bits of floats of one sign are in the order of their sizes
            Ties::Away if value.is_finite() => (source + (1 << 12)) & !DROPPED,
            Ties::Away | Ties::Zero => source & !DROPPED,
        }
    }
}
