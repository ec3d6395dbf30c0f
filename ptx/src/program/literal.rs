//! Bits of a literal of a type.

use crate::ast::{Number, Type};
use crate::program::types;

/// Bits of a literal as a value of this type, zero-extended.
///
/// # Errors
/// It is a number of another kind: what to write instead.
pub(crate) fn bits(number: Number, ty: Type) -> Result<u64, &'static str> {
    let whole = ty.bits();
    let value = match (number, ty) {
        (Number::Integer(value), Type::Pred) => u64::from(value != 0),
        (Number::Integer(_), Type::F32) => return Err("a 32-bit float is written as 0f3F800000 or 1.0"),
        (Number::Integer(_), Type::F64) => return Err("a 64-bit float is written as 0d3FF0000000000000 or 1.0"),
        (Number::Integer(value), _) => value as u64, // modulo the width, as in PTX
        (Number::Single(bits), Type::F32 | Type::B32) => u64::from(bits),
        (Number::Single(bits), Type::F64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Number::Double(bits), Type::F64 | Type::B64) => bits,
        (Number::Double(bits), Type::F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        (Number::Single(_) | Number::Double(_), _) => return Err("a whole number is needed here"),
    };
    Ok(value & types::mask(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_the_bits_of_their_type() {
        assert_eq!(bits(Number::Integer(-1), Type::S16), Ok(0xffff));
        assert_eq!(bits(Number::Integer(i128::from(u64::MAX)), Type::U64), Ok(u64::MAX));
        assert_eq!(bits(Number::Integer(2), Type::Pred), Ok(1));
        assert_eq!(bits(Number::Single(0x3f80_0000), Type::F64), Ok(1f64.to_bits()));
        assert_eq!(bits(Number::Double(0.5f64.to_bits()), Type::F32), Ok(u64::from(0.5f32.to_bits())));
        assert!(bits(Number::Integer(1), Type::F32).is_err());
        assert!(bits(Number::Double(0), Type::U32).is_err());
    }
}
