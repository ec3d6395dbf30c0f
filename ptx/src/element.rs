//! Elements of buffers: types, and the reading and printing of numbers.

use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round, Status};
use std::fmt;
use std::str::FromStr;

/// Type of a scalar or of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementType {
    kind: Kind,
    bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Bits,
    Unsigned,
    Signed,
    Float,
    /// `bf16`.
    Brain,
}

/// Output format of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// The bits in hex, all digits.
    #[default]
    Hex,
    /// Decimal numbers, floats too.
    Decimal,
    /// Floats as decimal numbers, everything else in hex.
    Float,
}

impl ElementType {
    /// Size.
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// A number of this type, little-endian.
    ///
    /// # Errors
    /// It is none, or does not fit.
    pub fn read(self, text: &str) -> Result<Vec<u8>, String> {
        let bits = match self.kind {
            Kind::Float | Kind::Brain => self.read_float(text),
            _ => self.read_integer(text),
        };
        Ok(bits?.to_le_bytes()[..self.bytes].to_vec())
    }

    fn misfit(self, text: &str) -> String {
        format!("`{text}` is no {self}")
    }

    /// What is written as bits: in hex, all digits.
    fn read_bits(self, text: &str) -> Option<u64> {
        let hex = text.strip_prefix("0x").filter(|hex| hex.len() == 2 * self.bytes)?;
        u64::from_str_radix(hex, 16).ok()
    }

    fn read_integer(self, text: &str) -> Result<u64, String> {
        if let Some(bits) = self.read_bits(text) {
            return Ok(bits);
        }
        let misfit = || self.misfit(text);
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => u128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let value = i128::try_from(value.map_err(|_| misfit())?).map_err(|_| misfit())?;
        let value = if negative { -value } else { value };
        let bits = 8 * self.bytes as u32;
        let (least, most) = match self.kind {
            Kind::Unsigned => (0, (1i128 << bits) - 1),
            Kind::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            _ => (-(1i128 << (bits - 1)), (1i128 << bits) - 1),
        };
        if value < least || value > most {
            return Err(format!("{text} does not fit into {self}"));
        }
        Ok(value as u64)
    }

    fn read_float(self, text: &str) -> Result<u64, String> {
        if let Some(bits) = self.read_bits(text) {
            return Ok(bits);
        }
        if text.starts_with("0x") {
            return Err(format!("`{text}` is no {self}: its bits are 0x and {} digits", 2 * self.bytes));
        }
        let value: f64 = text.parse().map_err(|_| self.misfit(text))?;
        match (self.kind, self.bytes) {
            (Kind::Brain, _) => self.nearest::<BFloat>(value, text),
            (_, 2) => self.nearest::<Half>(value, text),
            (_, 4) => self.nearest::<Single>(value, text),
            _ => self.nearest::<Double>(value, text),
        }
    }

    /// The nearest number of a format. `value` is the same of 64 bits, for what is none.
    fn nearest<F: Float>(self, value: f64, text: &str) -> Result<u64, String> {
        let number = if value.is_nan() {
            F::NAN
        } else if text.contains(['i', 'I']) {
            F::INFINITY
        } else {
            let read = F::from_str_r(text, Round::NearestTiesToEven).map_err(|_| self.misfit(text))?;
            if read.status.contains(Status::OVERFLOW) {
                return Err(format!("{text} does not fit into {self}"));
            }
            return Ok(read.value.to_bits() as u64); // formats of 64 bits at most
        };
        let signed = if value.is_sign_negative() { -number } else { number };
        Ok(signed.to_bits() as u64)
    }

    /// A number with 16 bits.
    fn small(self, bits: u64) -> f32 {
        if self.kind == Kind::Brain {
            return f32::from_bits((bits as u32) << 16);
        }
        let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
        let (exponent, fraction) = (bits as i32 >> 10 & 0x1f, (bits & 0x3ff) as f32);
        sign * match exponent {
            0 => fraction * 2f32.powi(-24),
            0x1f if fraction == 0.0 => f32::INFINITY,
            0x1f => f32::NAN,
            _ => (fraction + 1024.0) * 2f32.powi(exponent - 25),
        }
    }

    /// A float in as few digits as name it and no other.
    fn write_float(self, bits: u64, f: &mut fmt::Formatter) -> fmt::Result {
        match self.bytes {
            8 => return write!(f, "{:?}", f64::from_bits(bits)),
            4 => return write!(f, "{:?}", f32::from_bits(bits as u32)),
            _ => {}
        }
        let value = self.small(bits);
        // at most so many: more make no difference
        for digits in 0..6 {
            let text = format!("{value:.digits$e}");
            if let (Ok(read), Ok(short)) = (self.read_float(&text), text.parse::<f64>())
                && read == bits
            {
                return write!(f, "{short:?}");
            }
        }
        write!(f, "{value:?}")
    }
}

const TYPES: &str = "u8, u16, u32, u64, s..., b..., f16, bf16, f32 and f64 are";

impl FromStr for ElementType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no type: {TYPES}");
        let (kind, bits) = match text.split_at_checked(1) {
            _ if text == "bf16" => (Kind::Brain, "16"),
            Some(("b", bits)) => (Kind::Bits, bits),
            Some(("u", bits)) => (Kind::Unsigned, bits),
            Some(("s", bits)) => (Kind::Signed, bits),
            Some(("f", bits)) => (Kind::Float, bits),
            _ => return Err(wrong()),
        };
        let bytes = match (bits, kind) {
            ("8", Kind::Bits | Kind::Unsigned | Kind::Signed) => 1,
            ("16", _) => 2,
            ("32", _) => 4,
            ("64", _) => 8,
            _ => return Err(wrong()),
        };
        Ok(Self { kind, bytes })
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let kind = match self.kind {
            Kind::Bits => "b",
            Kind::Unsigned => "u",
            Kind::Signed => "s",
            Kind::Float => "f",
            Kind::Brain => "bf",
        };
        write!(f, "{kind}{}", self.bytes * 8)
    }
}

/// An element as it is written; with `{:#}` as it is read again, hex with `0x`.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    /// Type.
    pub ty: ElementType,
    /// Output format.
    pub format: Format,
    /// Its bytes, little-endian.
    pub bytes: &'a [u8],
}

impl fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let bits = self.bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        match (self.format, self.ty.kind) {
            (Format::Decimal | Format::Float, Kind::Float | Kind::Brain) => self.ty.write_float(bits, f),
            (Format::Decimal, Kind::Signed) => {
                let unused = 64 - 8 * self.bytes.len();
                write!(f, "{}", (bits << unused).cast_signed() >> unused)
            }
            (Format::Decimal, _) => write!(f, "{bits}"),
            (Format::Hex | Format::Float, _) => {
                let prefix = if f.alternate() { "0x" } else { "" };
                write!(f, "{prefix}{bits:0width$x}", width = 2 * self.bytes.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(ty: &str, format: Format, text: &str) -> String {
        let ty: ElementType = ty.parse().expect("it is a type");
        let bytes = ty.read(text).expect("it is a number");
        let element = Element { ty, format, bytes: &bytes };
        let again = ty.read(&format!("{element:#}")).expect("it is read again");
        assert_eq!(again, bytes, "{ty}: {text}, written {element:#}");
        element.to_string()
    }

    #[test]
    fn numbers_are_written_as_they_are_wanted_and_read_again() {
        for (ty, text, hex, decimal, float) in [
            ("u8", "200", "c8", "200", "c8"),
            ("s8", "-1", "ff", "-1", "ff"),
            ("s64", "-5", "fffffffffffffffb", "-5", "fffffffffffffffb"),
            ("b32", "-1", "ffffffff", "4294967295", "ffffffff"),
            ("f32", "1.5", "3fc00000", "1.5", "1.5"),
            ("f32", "0.1", "3dcccccd", "0.1", "0.1"),
            ("f64", "-3e200", "e98f5aa543c31387", "-3e200", "-3e200"),
            ("f16", "0.1", "2e66", "0.1", "0.1"),
            ("f16", "65504", "7bff", "65500.0", "65500.0"),
            ("f16", "6e-8", "0001", "6e-8", "6e-8"),
            ("bf16", "3.14159", "4049", "3.14", "3.14"),
            ("f16", "-inf", "fc00", "-inf", "-inf"),
            ("f32", "NaN", "7fc00000", "NaN", "NaN"),
            ("f32", "0x7f800001", "7f800001", "NaN", "NaN"),
        ] {
            let all =
                if text == "0x7f800001" { &[Format::Hex][..] } else { &[Format::Hex, Format::Decimal, Format::Float] };
            for (format, wanted) in all.iter().zip([hex, decimal, float]) {
                assert_eq!(written(ty, *format, text), wanted, "{ty} {text} {format:?}");
            }
        }
    }

    #[test]
    fn every_number_of_16_bits_is_read_as_it_is_written() {
        for name in ["f16", "bf16"] {
            let ty: ElementType = name.parse().expect("it is a type");
            for bits in 0..=u16::MAX {
                let bytes = bits.to_le_bytes();
                let text = Element { ty, format: Format::Float, bytes: &bytes }.to_string();
                if text != "NaN" {
                    assert_eq!(ty.read(&text).expect("it is a number"), bytes, "{name} {bits:04x}: {text}");
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused =
            |ty: &str, text: &str| ty.parse::<ElementType>().and_then(|ty| ty.read(text)).expect_err("is wrong");
        assert_eq!(refused("f16", "65520"), "65520 does not fit into f16");
        assert_eq!(refused("f32", "1e39"), "1e39 does not fit into f32");
        assert_eq!(refused("f32", "0x10"), "`0x10` is no f32: its bits are 0x and 8 digits");
        assert_eq!(refused("s8", "0x0ff"), "0x0ff does not fit into s8");
        assert!(refused("f8", "1").contains("`f8` is no type"));
        assert!(refused("bf32", "1").contains("`bf32` is no type"));
    }
}
