//! Expressions as Verilog text, each at its exact width.
//!
//! rust-hdl's syntax tree has no types, but Rust has checked them: both sides of an operator have the same width, and a
//! literal takes the width of the other side. So widths are found bottom up from the declarations, and whatever does not
//! fit is a defect of the printer or of a kernel, which stops it with the name of the place.

use super::kernel::Printer;
use rust_hdl_core::ast::{VerilogLiteral, VerilogOp, VerilogOpUnary};

/// What comparisons of two fixed numbers come to.
pub(super) const TRUE: &str = "1'b1";
pub(super) const FALSE: &str = "1'b0";

/// An expression in Verilog.
#[derive(Clone, Debug)]
pub(super) enum Text {
    /// A number whose width follows from where it stands.
    Number(u64),
    /// A net or constant, which can be sliced.
    Name { text: String, width: usize, vector: bool },
    /// Anything else; `text` needs no parentheses.
    Compound { text: String, width: usize },
}

impl Text {
    pub(super) fn width(&self) -> Option<usize> {
        match self {
            Text::Number(_) => None,
            Text::Name { width, .. } | Text::Compound { width, .. } => Some(*width),
        }
    }

    /// The text at a width that the expression already has, or takes.
    pub(super) fn at(&self, width: usize) -> String {
        match self {
            Text::Number(value) => sized(*value, width),
            Text::Name { text, width: own, .. } | Text::Compound { text, width: own } => {
                assert_eq!(*own, width, "`{text}` has {own} bits where {width} are needed");
                text.clone()
            }
        }
    }
}

/// `20'h1f`, or `1'b1` for a wire.
pub(super) fn sized(value: u64, width: usize) -> String {
    assert!(width == 64 || value < 1 << width, "{value} does not fit {width} bits");
    match width {
        1 => format!("1'b{value}"),
        _ if value < 10 => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

impl Printer<'_> {
    pub(super) fn cast(&self, inner: Text, width: usize) -> Text {
        match inner.width() {
            None => Text::Compound { text: inner.at(width), width },
            Some(own) if own == width => inner,
            Some(own) if own < width => {
                let text = format!("{{{}, {}}}", sized(0, width - own), without_outer(&inner.at(own)));
                Text::Compound { text, width }
            }
            Some(_) => self.slice(inner, width, 0),
        }
    }

    pub(super) fn slice(&self, target: Text, width: usize, lsb: usize) -> Text {
        let Text::Name { text, width: own, .. } = target else {
            panic!("{}: only a signal can be sliced, not `{target:?}`: give it a name", self.module.kind)
        };
        assert!(lsb + width <= own, "`{text}` has no bits {} to {lsb}", lsb + width - 1);
        let text = match width {
            _ if width == own => text,
            1 => format!("{text}[{lsb}]"),
            _ => format!("{text}[{}:{lsb}]", lsb + width - 1),
        };
        Text::Compound { text, width }
    }

    pub(super) fn index(&self, target: Text, index: Text) -> Text {
        let Text::Name { text, width, vector } = target else {
            panic!("{}: only a signal has bits to select, not `{target:?}`", self.module.kind)
        };
        let text = match index {
            Text::Number(position) => {
                assert!((position as usize) < width, "`{text}` has no bit {position}");
                if vector { format!("{text}[{position}]") } else { text }
            }
            Text::Name { text: by, .. } | Text::Compound { text: by, .. } => format!("{text}[{by}]"),
        };
        Text::Compound { text, width: 1 }
    }

    pub(super) fn unary(&self, operator: &VerilogOpUnary, inner: Text) -> Text {
        let own = inner.width().expect("only signals are inverted or reduced");
        let (symbol, width) = match operator {
            VerilogOpUnary::Not => ("~", own),
            VerilogOpUnary::All => ("&", 1),
            VerilogOpUnary::Any => ("|", 1),
            VerilogOpUnary::Xor => ("^", 1),
            VerilogOpUnary::Neg => ("-", own),
        };
        Text::Compound { text: format!("({symbol}{})", inner.at(own)), width }
    }

    pub(super) fn binary(&self, left: Text, operator: &VerilogOp, right: Text) -> Text {
        use VerilogOp::*;
        if let (Text::Number(a), Text::Number(b)) = (&left, &right) {
            return Text::Number(match operator {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Lt | Eq => {
                    let holds = if let Lt = operator { a < b } else { a == b };
                    return Text::Compound { text: (if holds { TRUE } else { FALSE }).to_owned(), width: 1 };
                }
                _ => panic!("{}: {operator:?} of two fixed numbers", self.module.kind),
            });
        }
        if let Shl | Shr = operator {
            let Text::Number(by) = right else { panic!("{}: shifts are by a fixed number of bits", self.module.kind) };
            return self.shift(left, matches!(operator, Shl), by as usize);
        }
        if let BitAnd = operator {
            // one side may be decided at elaboration
            for (decided, other) in [(&left, &right), (&right, &left)] {
                match decided {
                    Text::Compound { text, .. } if text == FALSE => return decided.clone(),
                    Text::Compound { text, .. } if text == TRUE => return other.clone(),
                    _ => {}
                }
            }
        }
        let own = left.width().or(right.width()).expect("one side is no number");
        let (symbol, width) = match operator {
            Add => ("+", own),
            Sub => ("-", own),
            Mul => ("*", own),
            BitAnd => ("&", own),
            BitOr => ("|", own),
            BitXor => ("^", own),
            LogicalAnd => ("&&", own),
            LogicalOr => ("||", own),
            Eq => ("==", 1),
            Ne => ("!=", 1),
            Lt => ("<", 1),
            Le => ("<=", 1),
            Gt => (">", 1),
            Ge => (">=", 1),
            Shl | Shr => unreachable!("handled above"),
        };
        Text::Compound { text: format!("({} {symbol} {})", left.at(own), right.at(own)), width }
    }

    /// A shift by a fixed number of bits: a concatenation where that is possible, as people write it.
    fn shift(&self, value: Text, up: bool, by: usize) -> Text {
        let width = value.width().expect("numbers are not shifted");
        match value {
            Text::Name { .. } if by == 0 => value,
            // a width that follows from the parameters may be less than a fixed shift
            _ if by >= width => Text::Compound { text: sized(0, width), width },
            Text::Name { .. } if up => {
                let kept = self.slice(value, width - by, 0).at(width - by);
                Text::Compound { text: format!("{{{kept}, {}}}", sized(0, by)), width }
            }
            Text::Name { .. } => {
                let kept = self.slice(value, width - by, by).at(width - by);
                Text::Compound { text: format!("{{{}, {kept}}}", sized(0, by)), width }
            }
            _ => {
                let symbol = if up { "<<" } else { ">>" };
                Text::Compound { text: format!("({} {symbol} {by})", value.at(width)), width }
            }
        }
    }
}

/// An expression that stands alone needs no parentheses around it.
pub(super) fn without_outer(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for c in inner.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return text; // the outer two do not belong together
        }
    }
    inner
}

/// rust-hdl shows a literal's value only as Verilog text: `32'h1f`, `3'b101`.
pub(super) fn literal_value(literal: &VerilogLiteral) -> u64 {
    let text = literal.to_string();
    let (_, digits) = text.split_once('\'').expect("a literal has a width");
    let radix = match digits.as_bytes()[0] {
        b'h' => 16,
        _ => 2,
    };
    u64::from_str_radix(&digits[1..], radix).expect("kernels hold no literals above 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_keep_their_value() {
        for value in [0u64, 1, 0x1f, 0xffff_ffff, 0x8000_0000_0000_0000, u64::MAX] {
            assert_eq!(literal_value(&value.into()), value);
        }
        assert_eq!(literal_value(&true.into()), 1);
        assert_eq!(literal_value(&5i32.into()), 5);
    }

    #[test]
    fn outer_parentheses_are_dropped_only_if_they_are_a_pair() {
        assert_eq!(without_outer("(a + b)"), "a + b");
        assert_eq!(without_outer("(a) + (b)"), "(a) + (b)");
        assert_eq!(without_outer("a"), "a");
    }
}
