//! Elements of matrices: their formats.

/// The format of an element of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are called what they are called in PTX
pub(crate) enum Element {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    S8,
    U8,
    F64,
}

/// The format of an element of C and D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are called what they are called in PTX
pub(crate) enum Total {
    F16,
    F32,
    S32,
    F64,
}

/// A number: `significand` times two to the power `exponent - fraction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// A finite one. The exponent of zero and of subnormal numbers is the least of the format.
    Finite {
        /// With its sign.
        significand: i64,
        /// Of the place before the point.
        exponent: i32,
    },
    /// An infinity, negative or not.
    Infinite(bool),
    /// Not a number.
    Nan,
}

impl Number {
    /// The same number with a significand as large as that of normal numbers: what it is in a format of wider range.
    pub(crate) fn normal(self, fraction: u32) -> Number {
        match self {
            Number::Finite { significand, exponent } if significand != 0 => {
                let places = (significand.unsigned_abs().leading_zeros() as i32 - (63 - fraction as i32)).max(0); // 63 at most
                Number::Finite { significand: significand << places, exponent: exponent - places }
            }
            number => number,
        }
    }
}

/// How the bits of a float are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits behind the point.
    pub fraction: u32,
    /// The largest exponent means infinity and NaN; in `e4m3` it is an exponent like others, and only all ones are NaN.
    pub infinities: bool,
}

/// Layout of `f16`.
pub(crate) const HALF: Format = Format { exponent: 5, fraction: 10, infinities: true };
/// Layout of `f32`.
pub(crate) const SINGLE: Format = Format { exponent: 8, fraction: 23, infinities: true };

impl Element {
    /// Its width in a register or in memory, in bits.
    pub(crate) const fn bits(self) -> usize {
        match self {
            Element::E4m3 | Element::E5m2 | Element::S8 | Element::U8 => 8,
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 => 32,
            Element::F64 => 64,
        }
    }

    /// Its layout, if it is a float that the sum takes apart. The 13 lowest bits of the 32 of `tf32` are not looked at.
    pub(crate) const fn format(self) -> Option<Format> {
        let (exponent, fraction, infinities) = match self {
            Element::F16 => (5, 10, true),
            Element::Bf16 => (8, 7, true),
            Element::Tf32 => (8, 10, true),
            Element::E4m3 => (4, 3, false),
            Element::E5m2 => (5, 2, true),
            Element::S8 | Element::U8 | Element::F64 => return None,
        };
        Some(Format { exponent, fraction, infinities })
    }

    /// The bits of an element that its format looks at.
    pub(crate) const fn trimmed(self, bits: u64) -> u64 {
        if matches!(self, Element::Tf32) { bits >> 13 } else { bits }
    }
}

impl Total {
    /// Width in bits.
    pub(crate) const fn bits(self) -> usize {
        match self {
            Total::F16 => 16,
            Total::F32 | Total::S32 => 32,
            Total::F64 => 64,
        }
    }
}

impl Format {
    /// What the exponents are counted from.
    pub(crate) const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The number that some bits are.
    pub(crate) fn number(self, bits: u64) -> Number {
        let fraction = bits & ((1 << self.fraction) - 1);
        let all = (1 << self.exponent) - 1;
        let field = bits >> self.fraction & all;
        let negative = bits >> (self.fraction + self.exponent) & 1 != 0;
        if field == all {
            match (self.infinities, fraction) {
                (true, 0) => return Number::Infinite(negative),
                (true, _) => return Number::Nan,
                (false, fraction) if fraction == (1 << self.fraction) - 1 => return Number::Nan,
                (false, _) => {}
            }
        }
        let whole = if field == 0 { fraction } else { fraction | 1 << self.fraction } as i64; // 24 bits at most
        let exponent = field.max(1) as i32 - self.bias(); // 8 bits
        Number::Finite { significand: if negative { -whole } else { whole }, exponent }
    }
}
