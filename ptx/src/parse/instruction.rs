//! Instructions and their operands. Any opcode, any modifiers, any operands of a possible shape: whether they belong
//! together is checked when the program is made of the module.

use crate::ast::{Base, Guard, Instruction, Operand, Spanned};
use crate::parse::cursor::{Parsed, Parser, owned};
use crate::parse::lex::Kind;
use crate::parse::number::Value;
use crate::source::{Complaint, Span};

impl Parser<'_> {
    /// `@p opcode.modifiers operands;`
    pub fn instruction(&mut self) -> Parsed<Instruction> {
        let start = self.peek().span;
        let guard = self.guard()?;
        let opcode = owned(self.word("an instruction")?);
        let mut modifiers = Vec::new();
        while self.is(Kind::Dotted) {
            let token = self.next();
            let value = self.at_token(token).trim_start_matches('.').to_owned();
            modifiers.push(Spanned { value, span: token.span });
        }
        let mut operands = Vec::new();
        if self.take(b';').is_none() {
            loop {
                if operands.is_empty() && !self.at_operand() {
                    return Err(self.no_operand());
                }
                operands.push(self.operand(opcode.value == "call")?);
                if self.take(b',').is_some() {
                    continue;
                }
                if self.take(b';').is_some() {
                    break;
                }
                let what = if self.at_line_end() { "`;`" } else { "`,` or `;`" };
                return Err(self.missing(what, "after the operands"));
            }
        }
        Ok(Instruction { guard, opcode, modifiers, operands, span: self.since(start) })
    }

    fn guard(&mut self) -> Parsed<Option<Guard>> {
        if self.take(b'@').is_none() {
            return Ok(None);
        }
        let negated = self.take(b'!').is_some();
        let register = self.name("a predicate register behind `@`")?;
        Ok(Some(Guard { register, negated }))
    }

    /// No operand begins behind an opcode.
    fn no_operand(&self) -> Complaint {
        let complaint = self.missing("`;` or an operand", "after the instruction");
        match self.peek().kind {
            Kind::Mark(b'=') => complaint.help("an instruction names its destination first: `add.u32 %r1, %r2, %r3;`"),
            Kind::Mark(b':') => complaint.help("a label is one word: letters, digits, `_`, `$`"),
            _ => complaint,
        }
    }

    /// A name with what may be joined to it: `%tid.x`, `%v.y`.
    fn name(&mut self, what: &str) -> Parsed<Spanned<String>> {
        let mut name = owned(self.word(what)?);
        let next = self.peek();
        if next.kind == Kind::Dotted && next.span.start == name.span.end {
            self.next();
            name.value.push_str(self.at_token(next));
            name.span = name.span.to(next.span);
        }
        Ok(name)
    }

    fn at_operand(&self) -> bool {
        self.is(Kind::Word) || self.is_mark(b'{') || self.is_mark(b'[') || self.at_expression()
    }

    fn operand(&mut self, call: bool) -> Parsed<Spanned<Operand>> {
        let start = self.peek().span;
        let value = if let Some(open) = self.take(b'{') {
            Operand::Vector(self.list(open, b'}', Self::simple)?)
        } else if let Some(open) = self.take(b'[') {
            self.address(open)?
        } else if call && self.is_mark(b'(') {
            self.next();
            Operand::List(self.list(start, b')', Self::simple)?)
        } else {
            return self.simple();
        };
        Ok(Spanned { value, span: self.since(start) })
    }

    /// An operand without brackets.
    fn simple(&mut self) -> Parsed<Spanned<Operand>> {
        let start = self.peek().span;
        let word_next = self.peek_at(1).kind == Kind::Word && self.at_token(self.peek_at(1)) != "WARP_SZ";
        let value = match self.peek().kind {
            Kind::Mark(b'!') if word_next => {
                self.next();
                Operand::Not(self.name("a predicate")?.value)
            }
            Kind::Mark(b'-') if word_next => {
                return Err(Complaint::new(start, "a name cannot be negated", "this sign has a name behind it")
                    .help("use a `neg` instruction"));
            }
            _ if self.at_expression() => Operand::Number(self.expression()?.value.number()),
            Kind::Word => self.named()?,
            _ => return Err(self.unexpected("an operand")),
        };
        Ok(Spanned { value, span: self.since(start) })
    }

    /// An operand that begins with a name.
    fn named(&mut self) -> Parsed<Operand> {
        let first = self.name_or_sink()?;
        if self.take(b'|').is_some() {
            let second = self.name_or_sink()?;
            return Ok(Operand::Pair(Box::new((first, second))));
        }
        match first {
            Operand::Name(name) if self.is_mark(b'+') || self.is_mark(b'-') => Ok(Operand::Sum(name, self.offset()?)),
            Operand::Name(_) if self.is_mark(b'[') => {
                let message = "an element of an array is not written like this";
                Err(Complaint::new(self.peek().span, message, "an index")
                    .help("write its address: `[array+8]`, with the offset in bytes"))
            }
            first => Ok(first),
        }
    }

    fn name_or_sink(&mut self) -> Parsed<Operand> {
        let name = self.name("an operand")?.value;
        Ok(if name == "_" { Operand::Sink } else { Operand::Name(name) })
    }

    /// Operand after a `[`.
    fn address(&mut self, open: Span) -> Parsed<Operand> {
        let start = self.peek().span;
        let (base, offset) = if self.at_expression() {
            let Spanned { value, span } = self.expression()?;
            let absolute = match value {
                Value::Signed(value) => value as u64, // addresses wrap
                Value::Unsigned(value) => value,
                Value::Single(_) | Value::Double(_) => {
                    return Err(Complaint::new(
                        span,
                        "an address is a whole number",
                        "this is a floating-point number",
                    ));
                }
            };
            (Base::Absolute(absolute), 0)
        } else {
            let base = Base::Name(self.name("a register, a variable or a number")?.value);
            (base, self.offset()?)
        };
        if self.take(b']').is_some() {
            return Ok(Operand::Address { base, offset });
        }
        if !self.is_mark(b',') {
            return Err(self.missing("`]`", "after the address").also(open, "the address begins here"));
        }
        let first = match base {
            Base::Name(name) if offset == 0 => Operand::Name(name),
            Base::Name(name) => Operand::Sum(name, offset),
            Base::Absolute(value) => Operand::Number(Value::Unsigned(value).number()),
        };
        let mut parts = vec![Spanned { value: first, span: self.since(start) }];
        self.next();
        parts.extend(self.list(open, b']', |parser| match parser.take(b'{') {
            None => parser.simple(),
            Some(open) => {
                let value = Operand::Vector(parser.list(open, b'}', Self::simple)?);
                Ok(Spanned { value, span: parser.since(open) })
            }
        })?);
        Ok(Operand::Compound(parts))
    }
}
