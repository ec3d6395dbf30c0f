//! Constant expressions: a stack of operators and a stack of values, so that no depth of brackets costs more than a
//! place in a vector.

use crate::ast::Spanned;
use crate::parse::cursor::{Parsed, Parser, quote};
use crate::parse::lex::{Double, Kind};
use crate::parse::number::{Binary, Unary, Value, Wrong};
use crate::source::{Complaint, Span};

/// How many operators and brackets may wait for their operands.
const DEEPEST: usize = 256;

/// Threads of a warp: what `WARP_SZ` stands for.
const WARP_SZ: i64 = 32;

/// Operator that waits for operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    Unary(Unary),
    Binary(Binary),
    /// `(`.
    Bracket,
    /// `?`: its condition is known.
    Question,
    /// `:`: so is its first alternative.
    Colon,
}

/// Values and what waits for them.
#[derive(Default)]
struct Stacks {
    pending: Vec<(Pending, Span)>,
    values: Vec<Value>,
}

impl Stacks {
    fn push(&mut self, pending: Pending, span: Span) -> Parsed<()> {
        if self.pending.len() >= DEEPEST {
            let message = format!("an expression is nested more than {DEEPEST} deep");
            return Err(Complaint::new(span, message, "this is too deep"));
        }
        self.pending.push((pending, span));
        Ok(())
    }

    /// Calculates what is pending, from the top on, as long as it binds.
    fn reduce(&mut self, binds: impl Fn(Pending) -> bool) -> Parsed<()> {
        while let Some((pending, span)) = self.pending.pop_if(|(pending, _)| binds(*pending)) {
            let value = self.calculate(pending).map_err(|wrong| Complaint::new(span, wrong, "here"))?;
            self.values.push(value);
        }
        Ok(())
    }

    fn calculate(&mut self, pending: Pending) -> Result<Value, Wrong> {
        // the loop in `expression` pushes a value before everything that takes one
        let mut pop = || self.values.pop().ok_or("an operand is missing");
        let right = pop()?;
        match pending {
            Pending::Unary(operator) => right.unary(operator),
            Pending::Binary(operator) => pop()?.binary(operator, right),
            Pending::Colon => {
                let left = pop()?;
                Ok(if pop()?.is_true() { left } else { right })
            }
            Pending::Question => Err("`:` is missing behind this `?`"),
            Pending::Bracket => Err("`)` is missing"),
        }
    }

    fn has(&self, wanted: Pending) -> bool {
        let inside =
            self.pending.iter().rev().take_while(|(pending, _)| *pending != Pending::Bracket || *pending == wanted);
        inside.into_iter().any(|(pending, _)| *pending == wanted)
    }
}

impl Pending {
    /// Precedence.
    fn rank(self) -> u8 {
        match self {
            Pending::Unary(_) => 12,
            Pending::Binary(operator) => match operator {
                Binary::Multiply | Binary::Divide | Binary::Remainder => 11,
                Binary::Add | Binary::Subtract => 10,
                Binary::ShiftLeft | Binary::ShiftRight => 9,
                Binary::Less | Binary::Greater | Binary::LessEqual | Binary::GreaterEqual => 8,
                Binary::Equal | Binary::NotEqual => 7,
                Binary::BitAnd => 6,
                Binary::BitXor => 5,
                Binary::BitOr => 4,
                Binary::And => 3,
                Binary::Or => 2,
            },
            Pending::Colon => 1,
            Pending::Question | Pending::Bracket => 0,
        }
    }
}

impl Parser<'_> {
    /// Whether a constant expression begins here.
    pub fn at_expression(&self) -> bool {
        let token = self.peek();
        match token.kind {
            Kind::Number => true,
            Kind::Mark(mark) => b"+-!~(".contains(&mark),
            Kind::Word => self.at_token(token) == "WARP_SZ",
            Kind::Dotted => self.fraction().is_some(),
            _ => false,
        }
    }

    /// A constant expression.
    pub fn expression(&mut self) -> Parsed<Spanned<Value>> {
        let start = self.peek().span;
        let mut stacks = Stacks::default();
        loop {
            self.prefix(&mut stacks)?;
            if !self.infix(&mut stacks)? {
                break;
            }
        }
        let open =
            stacks.pending.iter().rev().find(|(pending, _)| matches!(pending, Pending::Bracket | Pending::Question));
        match open {
            Some((Pending::Bracket, span)) => {
                Err(self.missing("`)`", "in this expression").also(*span, "this is not closed"))
            }
            Some((_, span)) => Err(self.missing("`:`", "in this expression").also(*span, "for this")),
            None => {
                stacks.reduce(|_| true)?;
                let value = stacks.values.pop().ok_or_else(|| self.unexpected("a number"))?;
                Ok(Spanned { value, span: self.since(start) })
            }
        }
    }

    /// Operators and brackets in front of a value, and the value.
    fn prefix(&mut self, stacks: &mut Stacks) -> Parsed<()> {
        loop {
            let token = self.peek();
            let unary = match token.kind {
                Kind::Mark(b'(') => {
                    let pending = self.cast().map_or(Pending::Bracket, Pending::Unary);
                    self.next();
                    stacks.push(pending, token.span)?;
                    continue;
                }
                Kind::Mark(b'+') => Unary::Plus,
                Kind::Mark(b'-') => Unary::Minus,
                Kind::Mark(b'!') => Unary::Not,
                Kind::Mark(b'~') => Unary::Invert,
                _ => break,
            };
            self.next();
            stacks.push(Pending::Unary(unary), token.span)?;
        }
        let token = self.peek();
        let value = match token.kind {
            Kind::Number => self.literal()?,
            Kind::Word if self.at_token(token) == "WARP_SZ" => Value::Signed(WARP_SZ),
            Kind::Dotted => self.fraction().ok_or_else(|| self.unexpected("a number"))?,
            _ => return Err(self.unexpected("a number")),
        };
        self.next();
        stacks.values.push(value);
        Ok(())
    }

    /// What stands behind a value; whether another value follows.
    fn infix(&mut self, stacks: &mut Stacks) -> Parsed<bool> {
        loop {
            let token = self.peek();
            match token.kind {
                Kind::Mark(b')') if stacks.has(Pending::Bracket) => {
                    stacks.reduce(|pending| pending != Pending::Bracket)?;
                    stacks.pending.pop();
                    self.next();
                    continue;
                }
                Kind::Mark(b'?') => {
                    stacks.reduce(|pending| pending.rank() > Pending::Colon.rank())?;
                    stacks.push(Pending::Question, token.span)?;
                }
                Kind::Mark(b':') if stacks.has(Pending::Question) => {
                    stacks.reduce(|pending| pending != Pending::Question)?;
                    stacks.pending.pop();
                    stacks.push(Pending::Colon, token.span)?;
                }
                kind => {
                    let Some(pending) = binary(kind).map(Pending::Binary) else { return Ok(false) };
                    stacks.reduce(|earlier| earlier.rank() >= pending.rank())?;
                    stacks.push(pending, token.span)?;
                }
            }
            self.next();
            return Ok(true);
        }
    }

    /// The value of the number that is next.
    pub fn literal(&self) -> Parsed<Value> {
        let token = self.peek();
        let text = self.at_token(token);
        Value::literal(text).map_err(|wrong| Complaint::new(token.span, format!("{} is no number", quote(text)), wrong))
    }

    /// `.5`, which looks like a modifier.
    fn fraction(&self) -> Option<Value> {
        let text = self.at_token(self.peek());
        let number = text.as_bytes().get(1)?.is_ascii_digit() && !text.contains(':');
        if number { text.parse().ok().map(Value::Double) } else { None }
    }

    /// Goes on to the closing bracket of `(.s64)` or `(.u64)`, if that is next.
    fn cast(&mut self) -> Option<Unary> {
        let unary = match self.at_token(self.peek_at(1)) {
            ".s64" => Unary::CastSigned,
            ".u64" => Unary::CastUnsigned,
            _ => return None,
        };
        (self.peek_at(2).kind == Kind::Mark(b')')).then(|| {
            self.next();
            self.next();
            unary
        })
    }

    /// A constant expression that is a whole number and not negative; `what` it says.
    pub fn natural(&mut self, what: &str) -> Parsed<Spanned<u64>> {
        if !self.at_expression() {
            return Err(self.unexpected(what));
        }
        let Spanned { value, span } = self.expression()?;
        let value = match value {
            Value::Signed(value) => u64::try_from(value).ok(),
            Value::Unsigned(value) => Some(value),
            Value::Single(_) | Value::Double(_) => None,
        };
        let wrong = || Complaint::new(span, format!("expected {what}"), "this is no whole number from 0 on");
        value.map(|value| Spanned { value, span }).ok_or_else(wrong)
    }

    /// What is added to a symbol, `+ 8` or `- 8`; 0 if nothing is.
    pub fn offset(&mut self) -> Parsed<i64> {
        if self.take(b'+').is_none() && !self.is_mark(b'-') {
            return Ok(0);
        }
        if self.is(Kind::Word) && !self.at_expression() {
            return Err(Complaint::new(
                self.peek().span,
                "only a constant can be added to an address",
                "this is no constant",
            )
            .help("add registers with an `add` instruction of their own"));
        }
        let Spanned { value, span } = self.expression()?;
        match value {
            Value::Signed(value) => Ok(value),
            Value::Unsigned(value) => Ok(value as i64), // addresses wrap
            Value::Single(_) | Value::Double(_) => {
                Err(Complaint::new(span, "an offset is a whole number of bytes", "this is a floating-point number"))
            }
        }
    }
}

fn binary(kind: Kind) -> Option<Binary> {
    Some(match kind {
        Kind::Mark(b'*') => Binary::Multiply,
        Kind::Mark(b'/') => Binary::Divide,
        Kind::Mark(b'%') => Binary::Remainder,
        Kind::Mark(b'+') => Binary::Add,
        Kind::Mark(b'-') => Binary::Subtract,
        Kind::Mark(b'<') => Binary::Less,
        Kind::Mark(b'>') => Binary::Greater,
        Kind::Mark(b'&') => Binary::BitAnd,
        Kind::Mark(b'^') => Binary::BitXor,
        Kind::Mark(b'|') => Binary::BitOr,
        Kind::Double(double) => match double {
            Double::ShiftLeft => Binary::ShiftLeft,
            Double::ShiftRight => Binary::ShiftRight,
            Double::LessEqual => Binary::LessEqual,
            Double::GreaterEqual => Binary::GreaterEqual,
            Double::Equal => Binary::Equal,
            Double::NotEqual => Binary::NotEqual,
            Double::And => Binary::And,
            Double::Or => Binary::Or,
        },
        _ => return None,
    })
}
