//! Entries and functions: the part before the body.

use crate::ast::{Directive, Formal, Function, Linkage, Space, Spanned, Variable};
use crate::parse::cursor::{Parsed, Parser, owned};
use crate::parse::hint;
use crate::parse::lex::Kind;
use crate::source::{Complaint, Span};

/// Directives between the parameters and the body.
pub(super) const DIRECTIVES: [&str; 13] = [
    ".maxntid",
    ".reqntid",
    ".minnctapersm",
    ".maxnctapersm",
    ".maxnreg",
    ".noreturn",
    ".reqnctapercluster",
    ".explicitcluster",
    ".maxclusterrank",
    ".blocksareclusters",
    ".abi_preserve",
    ".abi_preserve_control",
    ".pragma",
];

impl Parser<'_> {
    /// From `.entry` or `.func` on.
    pub fn function(&mut self, linkage: Linkage, start: Span) -> Parsed<Function> {
        let keyword = self.next();
        let entry = self.at_token(keyword) == ".entry";
        while self.is_dotted(".attribute") {
            self.next();
            let open = self.expect(b'(', "after `.attribute`")?;
            self.skip_brackets(open, b'(', b')')?;
        }
        self.scopes.open(keyword.span)?;
        let results = match self.take(b'(') {
            Some(open) if entry => {
                return Err(Complaint::new(open, "an entry returns nothing", "expected the name of the entry"));
            }
            Some(open) => self.list(open, b')', Self::formal)?,
            None => Vec::new(),
        };
        let name = self.word(if entry { "the name of the entry" } else { "the name of the function" })?;
        let parameters = match self.take(b'(') {
            Some(open) => self.list(open, b')', Self::formal)?,
            None => Vec::new(),
        };
        let directives = self.directives()?;
        let body = match self.peek().kind {
            Kind::Mark(b'{') => {
                self.scopes.declare_global(name, "function", true)?;
                Some(self.body()?)
            }
            Kind::Mark(b';') => {
                self.scopes.declare_global(name, "function", false)?;
                self.next();
                None
            }
            _ if self.is(Kind::Dotted) => {
                let token = self.peek();
                return Err(hint::unknown(self.at_token(token), token.span, "directive"));
            }
            _ => return Err(self.unexpected("`{` or `;`")),
        };
        self.scopes.close();
        Ok(Function {
            entry,
            linkage,
            name: owned(name),
            results,
            parameters,
            directives,
            body,
            span: self.since(start),
        })
    }

    fn formal(&mut self) -> Parsed<Formal> {
        let start = self.peek().span;
        let register = self.is_dotted(".reg");
        if !register && !self.is_dotted(".param") {
            return Err(self.unexpected("`.param`"));
        }
        self.next();
        let shape = self.shape()?;
        let formal = match register {
            true => Formal::Register { name: owned(self.word("the name of a register")?), ty: shape.ty() },
            false => Formal::Param(self.declarator(Space::Param, Linkage::Module, &shape, start)?),
        };
        let (Formal::Register { name: Spanned { span, .. }, .. }
        | Formal::Param(Variable { name: Spanned { span, .. }, .. })) = formal;
        let name = Spanned { value: self.at(span), span };
        if name.value != "_" {
            self.scopes.declare(name, "parameter")?;
        }
        Ok(formal)
    }

    fn directives(&mut self) -> Parsed<Vec<Directive>> {
        let mut directives = Vec::new();
        while self.is(Kind::Dotted) && DIRECTIVES.contains(&self.at_token(self.peek())) {
            let token = self.next();
            if self.at_token(token) == ".pragma" {
                self.skip_statement(token.span)?;
                continue;
            }
            let name = Spanned { value: self.at_token(token).trim_start_matches('.').to_owned(), span: token.span };
            let mut numbers = Vec::new();
            while self.is(Kind::Number) {
                numbers.push(self.natural("a number")?.value);
                if self.take(b',').is_some() && !self.is(Kind::Number) {
                    return Err(self.unexpected("a number"));
                }
            }
            directives.push(Directive { name, numbers });
        }
        Ok(directives)
    }
}
