//! Literals, and the arithmetic of constant expressions (PTX ISA, "Constants").
//!
//! Integers are 64 bits wide, signed unless they have the suffix `U` or need the 64th bit; an operation on both kinds is
//! unsigned, and all of them wrap.

use crate::ast::Number;

/// A value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// `.s64`.
    Signed(i64),
    /// `.u64`.
    Unsigned(u64),
    /// Bits of `0f...`: nothing but a sign is applied to it.
    Single(u32),
    /// `.f64`.
    Double(f64),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Plus,
    Minus,
    Not,
    Invert,
    CastSigned,
    CastUnsigned,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// What is wrong with a literal or an operation, in words.
pub(super) type Wrong = &'static str;

impl Value {
    /// Value of a literal.
    ///
    /// # Errors
    /// It means nothing.
    pub fn literal(text: &str) -> Result<Self, Wrong> {
        let bytes = text.as_bytes();
        let bits = |digits: &str, wanted: usize| -> Result<u64, Wrong> {
            let hex = digits.len() == wanted && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            u64::from_str_radix(if hex { digits } else { "" }, 16).map_err(|_| match wanted {
                8 => "`0f` needs exactly 8 hexadecimal digits",
                _ => "`0d` needs exactly 16 hexadecimal digits",
            })
        };
        match bytes.get(..2) {
            Some(b"0x" | b"0X") => integer(text.get(2..).unwrap_or(""), 16),
            Some(b"0b" | b"0B") => integer(text.get(2..).unwrap_or(""), 2),
            Some(b"0f" | b"0F") => Ok(Self::Single(bits(text.get(2..).unwrap_or(""), 8)? as u32)), // it has 8 digits
            Some(b"0d" | b"0D") => Ok(Self::Double(f64::from_bits(bits(text.get(2..).unwrap_or(""), 16)?))),
            _ if text.contains(['.', 'e', 'E']) => {
                text.parse().map(Self::Double).map_err(|_| "this is no floating-point number")
            }
            Some([b'0', b'0'..=b'9']) => integer(text.get(1..).unwrap_or(""), 8),
            _ => integer(text, 10),
        }
    }

    /// As the tree keeps it.
    pub fn number(self) -> Number {
        match self {
            Self::Signed(value) => Number::Integer(value.into()),
            Self::Unsigned(value) => Number::Integer(value.into()),
            Self::Single(bits) => Number::Single(bits),
            Self::Double(value) => Number::Double(value.to_bits()),
        }
    }

    /// Whether it is not zero.
    pub fn is_true(self) -> bool {
        match self {
            Self::Signed(value) => value != 0,
            Self::Unsigned(value) => value != 0,
            Self::Single(bits) => bits << 1 != 0,
            Self::Double(value) => value != 0.0,
        }
    }

    /// Its 64 bits, if it is an integer.
    fn bits(self) -> Option<u64> {
        match self {
            Self::Signed(value) => Some(value as u64), // the same bits
            Self::Unsigned(value) => Some(value),
            Self::Single(_) | Self::Double(_) => None,
        }
    }

    /// The value of an operator with one operand.
    ///
    /// # Errors
    /// It is not for operands of this kind.
    pub fn unary(self, operator: Unary) -> Result<Self, Wrong> {
        let bits = self.bits().ok_or("this operator is for integers only");
        Ok(match (operator, self) {
            (Unary::Plus, value) => value,
            (Unary::Minus, Self::Signed(value)) => Self::Signed(value.wrapping_neg()),
            // the literal of the lowest number is one more than the highest one
            (Unary::Minus, Self::Unsigned(value)) if value == 1 << 63 => Self::Signed(i64::MIN),
            (Unary::Minus, Self::Unsigned(value)) => Self::Unsigned(value.wrapping_neg()),
            (Unary::Minus, Self::Single(bits)) => Self::Single(bits ^ 1 << 31),
            (Unary::Minus, Self::Double(value)) => Self::Double(-value),
            (Unary::Not, value) => Self::Signed((!value.is_true()).into()),
            (Unary::Invert, _) => Self::Unsigned(!bits?),
            (Unary::CastSigned, _) => Self::Signed(bits? as i64), // the same bits
            (Unary::CastUnsigned, _) => Self::Unsigned(bits?),
        })
    }

    /// The value of an operator with two operands.
    ///
    /// # Errors
    /// It is not for operands of this kind, or the divisor is zero.
    pub fn binary(self, operator: Binary, right: Self) -> Result<Self, Wrong> {
        let truth = |value: bool| Ok(Self::Signed(value.into()));
        match (operator, self, right) {
            (Binary::And, ..) => truth(self.is_true() && right.is_true()),
            (Binary::Or, ..) => truth(self.is_true() || right.is_true()),
            (_, Self::Single(_), _) | (_, _, Self::Single(_)) => Err("`0f` numbers are not calculated with"),
            (_, Self::Double(left), Self::Double(right)) => doubles(left, operator, right),
            (_, Self::Double(_), _) | (_, _, Self::Double(_)) => Err("floating-point numbers and integers do not mix"),
            (Binary::ShiftLeft | Binary::ShiftRight, ..) => Ok(self.shifted(operator, right.bits().unwrap_or(0))),
            (_, Self::Signed(left), Self::Signed(right)) => signed(left, operator, right),
            _ => unsigned(self.bits().unwrap_or(0), operator, right.bits().unwrap_or(0)),
        }
    }

    fn shifted(self, operator: Binary, by: u64) -> Self {
        let by = u32::try_from(by).unwrap_or(u32::MAX);
        match (self, operator) {
            (Self::Signed(value), Binary::ShiftLeft) => Self::Signed(value.checked_shl(by).unwrap_or(0)),
            (Self::Signed(value), _) => Self::Signed(value >> by.min(63)),
            (Self::Unsigned(value), Binary::ShiftLeft) => Self::Unsigned(value.checked_shl(by).unwrap_or(0)),
            (Self::Unsigned(value), _) => Self::Unsigned(value.checked_shr(by).unwrap_or(0)),
            (other, _) => other,
        }
    }
}

fn integer(text: &str, radix: u32) -> Result<Value, Wrong> {
    let digits = text.strip_suffix(['U', 'u']).unwrap_or(text);
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(match radix {
            16 => "`0x` needs hexadecimal digits",
            8 => "a number that begins with 0 is octal: its digits are 0 to 7",
            2 => "`0b` needs binary digits",
            _ => "this is no number",
        });
    }
    let value = u64::from_str_radix(digits, radix).map_err(|_| "this number needs more than 64 bits")?;
    Ok(match i64::try_from(value) {
        Ok(value) if digits.len() == text.len() => Value::Signed(value),
        _ => Value::Unsigned(value),
    })
}

const BY_ZERO: Wrong = "this divides by zero";

fn signed(left: i64, operator: Binary, right: i64) -> Result<Value, Wrong> {
    Ok(Value::Signed(match operator {
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide if right == 0 => return Err(BY_ZERO),
        Binary::Divide => left.wrapping_div(right),
        Binary::Remainder if right == 0 => return Err(BY_ZERO),
        Binary::Remainder => left.wrapping_rem(right),
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        // bits are unsigned; the others have been dealt with
        Binary::BitAnd | Binary::BitXor | Binary::BitOr | Binary::ShiftLeft | Binary::ShiftRight => {
            return unsigned(left as u64, operator, right as u64);
        }
        Binary::And | Binary::Or => 0,
        _ => compared(&left, operator, &right).into(),
    }))
}

fn unsigned(left: u64, operator: Binary, right: u64) -> Result<Value, Wrong> {
    Ok(Value::Unsigned(match operator {
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide => left.checked_div(right).ok_or(BY_ZERO)?,
        Binary::Remainder => left.checked_rem(right).ok_or(BY_ZERO)?,
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::BitAnd => left & right,
        Binary::BitXor => left ^ right,
        Binary::BitOr => left | right,
        _ => return Ok(Value::Signed(compared(&left, operator, &right).into())),
    }))
}

fn doubles(left: f64, operator: Binary, right: f64) -> Result<Value, Wrong> {
    Ok(Value::Double(match operator {
        Binary::Multiply => left * right,
        Binary::Divide => left / right,
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Less
        | Binary::Greater
        | Binary::LessEqual
        | Binary::GreaterEqual
        | Binary::Equal
        | Binary::NotEqual => return Ok(Value::Signed(compared(&left, operator, &right).into())),
        _ => return Err("this operator is for integers only"),
    }))
}

fn compared<T: PartialOrd>(left: &T, operator: Binary, right: &T) -> bool {
    match operator {
        Binary::Less => left < right,
        Binary::Greater => left > right,
        Binary::LessEqual => left <= right,
        Binary::GreaterEqual => left >= right,
        Binary::NotEqual => left != right,
        _ => left == right,
    }
}
