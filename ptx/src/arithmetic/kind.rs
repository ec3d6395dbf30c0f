//! Types as arithmetic sees them: integers with a sign and a width, floats with a format.

use crate::ast::Type;

/// Types by kind: predicates, bits, unsigned and signed numbers, floats; those of 16 bits last.
const BY_KIND: [Type; 16] = [
    Type::Pred,
    Type::B16,
    Type::B32,
    Type::B64,
    Type::U16,
    Type::U32,
    Type::U64,
    Type::S16,
    Type::S32,
    Type::S64,
    Type::F32,
    Type::F64,
    Type::F16,
    Type::Bf16,
    Type::F16x2,
    Type::Bf16x2,
];
/// Those that `mov` moves.
pub(super) const MOVED: &[Type] = BY_KIND.split_at(12).0;
/// Those that `selp` and `slct` choose from.
pub(super) const CHOSEN: &[Type] = MOVED.split_at(1).1;
/// Those that are shifted.
pub(super) const SHIFTED: &[Type] = CHOSEN.split_at(9).0;
/// Those that are compared: bits, from 3 on numbers, from 9 on floats.
pub(super) const COMPARED: &[Type] = BY_KIND.split_at(1).1;

/// This many ones (64 at most).
pub(crate) const fn ones(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Whether a type is one of floats.
pub(super) const fn is_float(ty: Type) -> bool {
    Format::of(ty).is_some()
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Int {
    /// Two's complement.
    pub(super) signed: bool,
    /// Its width: 64 at most.
    pub(super) bits: u32,
}

impl Int {
    /// That of `.u32` and the like; untyped bits are unsigned.
    pub(super) const fn of(ty: Type) -> Self {
        Self { signed: ty.is_signed(), bits: ty.bits() }
    }

    /// The number that the low bits of a register mean.
    pub(super) const fn value(self, raw: u64) -> i128 {
        let raw = raw & ones(self.bits);
        if self.signed && raw >> (self.bits - 1) != 0 { raw as i128 - (1 << self.bits) } else { raw as i128 }
    }

    /// The low bits of a number.
    pub(super) const fn raw(self, value: i128) -> u64 {
        value as u64 & ones(self.bits) // the low bits are meant
    }

    /// The smallest number.
    pub(super) const fn least(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// The largest number.
    pub(super) const fn most(self) -> i128 {
        (1 << (self.bits - self.signed as u32)) - 1
    }

    /// The number, or the end of the range that it lies beyond.
    pub(super) fn clamp(self, value: i128) -> i128 {
        value.clamp(self.least(), self.most())
    }
}

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// 1 + 5 + 10 bits.
    Half,
    /// 1 + 8 + 7 bits.
    BFloat,
    /// 1 + 8 + 23 bits.
    Single,
    /// 1 + 11 + 52 bits.
    Double,
}

impl Format {
    /// That of a type, or of each of its two lanes.
    pub(super) const fn of(ty: Type) -> Option<Self> {
        match ty {
            Type::F16 | Type::F16x2 => Some(Format::Half),
            Type::Bf16 | Type::Bf16x2 => Some(Format::BFloat),
            Type::F32 => Some(Format::Single),
            Type::F64 => Some(Format::Double),
            _ => None,
        }
    }

    /// Width.
    pub(super) const fn bits(self) -> u32 {
        match self {
            Format::Half | Format::BFloat => 16,
            Format::Single => 32,
            Format::Double => 64,
        }
    }
}

/// Values that a type holds side by side.
pub(super) const fn lanes(ty: Type) -> u32 {
    if matches!(ty, Type::F16x2 | Type::Bf16x2) { 2 } else { 1 }
}

/// Types of operands, four at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types {
    list: [Type; 4],
    count: usize,
}

impl Types {
    /// These; a fifth and further ones do not count.
    pub(super) fn new(types: &[Type]) -> Self {
        let mut list = [Type::Pred; 4];
        list.iter_mut().zip(types).for_each(|(place, ty)| *place = *ty);
        Self { list, count: types.len().min(4) }
    }

    /// The same one, this many times.
    pub(super) fn repeat(ty: Type, count: usize) -> Self {
        Self { list: [ty; 4], count: count.min(4) }
    }

    /// As a list.
    pub(super) fn list(&self) -> &[Type] {
        &self.list[..self.count] // at most 4
    }
}
