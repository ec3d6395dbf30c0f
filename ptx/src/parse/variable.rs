//! Declarations of registers and variables.
//!
//! ```text
//!   .visible .global .align 8 .v2 .f32  name[4][2] = { {..}, {..} }, other;
//!   linkage  space   `-- shape -------' `-- declarator -----------'
//! ```

use crate::ast::{Linkage, Number, Registers, Space, Spanned, Type, Variable};
use crate::parse::cursor::{Parsed, Parser, owned, quote};
use crate::parse::hint;
use crate::parse::lex::Kind;
use crate::source::{Complaint, Span};

/// Types of handles to textures, samplers and surfaces.
const HANDLES: [&str; 3] = [".texref", ".samplerref", ".surfref"];

/// What a declaration says before the names.
pub(super) struct Shape {
    alignment: Option<Spanned<u64>>,
    vector: u32,
    ty: Type,
}

impl Shape {
    /// The type.
    pub fn ty(&self) -> Type {
        self.ty
    }
}

/// A state space by its name.
pub(super) fn space(dotted: &str) -> Option<Space> {
    Some(match dotted {
        ".shared" | ".shared::cta" => Space::Shared,
        ".global" => Space::Global,
        ".const" => Space::Const,
        ".local" => Space::Local,
        ".param" => Space::Param,
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    /// `.visible`, `.extern` and the like; nothing is said: the module's own.
    pub fn linkage(&mut self) -> Linkage {
        let mut linkage = Linkage::Module;
        while self.is(Kind::Dotted) {
            linkage = match self.at_token(self.peek()) {
                ".visible" | ".weak" | ".common" => Linkage::Visible,
                ".extern" => Linkage::Extern,
                ".internal" => Linkage::Module,
                _ => break,
            };
            self.next();
        }
        linkage
    }

    /// `.reg .b32 %r<5>, x;`, from `.reg` on.
    pub fn registers(&mut self) -> Parsed<Registers> {
        self.next();
        let Shape { vector, ty, .. } = self.shape()?;
        let mut names = Vec::new();
        loop {
            let name = self.word("the name of a register")?;
            let count = if self.is_mark(b'<') { Some(self.count()?) } else { None };
            match count {
                Some(count) => self.scopes.declare_range(name, count)?,
                None => self.scopes.declare(name, "register")?,
            }
            names.push((owned(name), count));
            if self.take(b',').is_none() {
                self.expect(b';', "after the registers")?;
                return Ok(Registers { ty, vector, names });
            }
        }
    }

    /// `<5>`.
    fn count(&mut self) -> Parsed<u32> {
        self.next();
        if !self.is(Kind::Number) {
            return Err(self.unexpected("a number of registers"));
        }
        let value = self.literal()?;
        let token = self.next();
        let count = match value.number() {
            Number::Integer(count) => u32::try_from(count).ok(),
            _ => None,
        };
        let count = count.ok_or_else(|| Complaint::new(token.span, "too many registers", "expected less than 2^32"))?;
        self.expect(b'>', "after the number of registers")?;
        Ok(count)
    }

    /// Variables of one declaration, from the state space on. Handles of textures and the like are skipped.
    pub fn variables(&mut self, linkage: Linkage, start: Span) -> Parsed<Vec<Variable>> {
        let token = self.next();
        let Some(space) = space(self.at_token(token)) else {
            return Err(hint::unknown(self.at_token(token), token.span, "state space"));
        };
        if let Some(open) = self.take(b'[') {
            self.skip_brackets(open, b'[', b']')?; // the bank of `.const[2]`
        }
        if self.at_handle() {
            self.skip_statement(start)?;
            return Ok(Vec::new());
        }
        let shape = self.shape()?;
        let mut variables = Vec::new();
        loop {
            let first = if variables.is_empty() { start } else { self.peek().span };
            variables.push(self.declarator(space, linkage, &shape, first)?);
            if self.take(b',').is_none() {
                self.expect(b';', "after the declaration")?;
                return Ok(variables);
            }
        }
    }

    fn at_handle(&self) -> bool {
        self.is(Kind::Dotted) && HANDLES.contains(&self.at_token(self.peek()))
    }

    /// `.align 8 .v2 .f32 .ptr .global .align 4`: what may stand between a state space and a name.
    pub fn shape(&mut self) -> Parsed<Shape> {
        let (mut alignment, mut vector, mut ty) = (None, 1, None);
        let mut pointer = false;
        while self.is(Kind::Dotted) {
            let token = self.peek();
            let text = self.at_token(token);
            let found = text.strip_prefix('.').and_then(Type::named);
            if ty.is_some() && found.is_some() {
                return Err(Complaint::new(token.span, "a declaration has one type", "a second type"));
            }
            self.next();
            match text {
                ".align" => {
                    let value = self.alignment()?;
                    // behind `.ptr` it is that of what the pointer points to
                    alignment = if pointer { alignment } else { Some(value) };
                }
                ".v2" => vector = 2,
                ".v4" => vector = 4,
                ".ptr" => pointer = true,
                ".attribute" => {
                    let open = self.expect(b'(', "after `.attribute`")?;
                    self.skip_brackets(open, b'(', b')')?;
                }
                _ if pointer && space(text).is_some() => {}
                _ if HANDLES.contains(&text) => ty = Some(Type::B64),
                _ => match found {
                    Some(found) => ty = Some(found),
                    None => return Err(hint::unknown(text, token.span, "type")),
                },
            }
        }
        let ty = ty.ok_or_else(|| self.unexpected("a type such as `.b32`"))?;
        Ok(Shape { alignment, vector, ty })
    }

    fn alignment(&mut self) -> Parsed<Spanned<u64>> {
        let alignment = self.natural("an alignment in bytes")?;
        if !alignment.value.is_power_of_two() {
            return Err(Complaint::new(alignment.span, "an alignment is a power of two", "this is none"));
        }
        Ok(alignment)
    }

    /// A name with its dimensions and initial values.
    pub fn declarator(&mut self, space: Space, linkage: Linkage, shape: &Shape, start: Span) -> Parsed<Variable> {
        let name = self.word("the name of a variable")?;
        if shape.ty == Type::Pred {
            let message = format!("variable {} cannot be a predicate", quote(name.value));
            return Err(Complaint::new(name.span, message, "`.pred` is for registers only"));
        }
        let (dimensions, open) = self.dimensions()?;
        let mut count = if open { None } else { Some(1_u64) };
        let whole = self.since(name.span);
        let mut total = dimensions.iter().try_fold(1_u64, |product, dimension| product.checked_mul(*dimension));
        count = count.and(total);
        let bytes = shape.ty.bytes() * u64::from(shape.vector);
        total = total.and_then(|total| total.checked_mul(bytes));
        if total.is_none() {
            let message = format!("variable {} needs more than 2^64 bytes", quote(name.value));
            return Err(Complaint::new(whole, message, "this is too much"));
        }
        let mut initial = Vec::new();
        if let Some(sign) = self.take(b'=') {
            if !matches!(space, Space::Global | Space::Const) {
                let message = "only `.global` and `.const` variables have initial values";
                return Err(Complaint::new(sign, message, "values for a variable elsewhere")
                    .help("store the values with instructions"));
            }
            let vector = (shape.vector > 1).then_some(u64::from(shape.vector));
            let limits: Vec<Option<u64>> =
                open.then_some(None).into_iter().chain(dimensions.into_iter().chain(vector).map(Some)).collect();
            let values = self.initial_values(&limits)?;
            if open {
                let row = limits.iter().skip(1).flatten().product::<u64>().max(1); // it fits: see above
                count = Some((values.len() as u64).div_ceil(row) * (row / u64::from(shape.vector)).max(1));
            }
            initial = values;
        }
        let name = owned(name);
        let alignment = shape.alignment;
        let span = self.since(start);
        Ok(Variable { space, linkage, name, alignment, ty: shape.ty, vector: shape.vector, count, initial, span })
    }

    /// `[4][2]`; whether the first has no size.
    fn dimensions(&mut self) -> Parsed<(Vec<u64>, bool)> {
        let (mut dimensions, mut open) = (Vec::new(), false);
        while let Some(bracket) = self.take(b'[') {
            if self.is_mark(b']') {
                if open || !dimensions.is_empty() {
                    return Err(Complaint::new(
                        bracket.to(self.peek().span),
                        "a size is missing",
                        "expected a size here",
                    )
                    .help("only the first dimension may be without its size"));
                }
                open = true;
            } else {
                dimensions.push(self.natural("a number of elements")?.value);
            }
            if self.take(b']').is_none() {
                return Err(self.missing("`]`", "after the number of elements").also(bracket, "for this"));
            }
        }
        Ok((dimensions, open))
    }
}
