//! Statements of a body. Scopes are counted, not descended into.

use crate::ast::{Linkage, Spanned, Statement};
use crate::parse::cursor::{Parsed, Parser, owned};
use crate::parse::lex::Kind;
use crate::parse::{hint, variable};
use crate::source::{Complaint, Span};

impl Parser<'_> {
    /// From the opening brace to the closing one, neither kept. The scope is that of the parameters.
    pub fn body(&mut self) -> Parsed<Vec<Statement>> {
        let brace = self.next().span;
        let outermost = self.scopes.depth();
        let mut statements = Vec::new();
        loop {
            let token = self.peek();
            match token.kind {
                Kind::End => {
                    let inner = if self.scopes.depth() > outermost { self.scopes.innermost() } else { brace };
                    return Err(self.missing_close(inner, b'}'));
                }
                Kind::Mark(b'{') => {
                    self.scopes.open(token.span)?;
                    self.next();
                    statements.push(Statement::Open(token.span));
                }
                Kind::Mark(b'}') => {
                    self.next();
                    if self.scopes.depth() == outermost {
                        return Ok(statements);
                    }
                    self.scopes.close();
                    // nothing is left of an empty scope
                    if statements.pop_if(|last| matches!(last, Statement::Open(_))).is_none() {
                        statements.push(Statement::Close(token.span));
                    }
                }
                Kind::Mark(b';') => {
                    self.next();
                }
                Kind::Word if self.peek_at(1).kind == Kind::Mark(b':') => self.label(&mut statements)?,
                Kind::Word | Kind::Mark(b'@') => statements.push(Statement::Instruction(self.instruction()?)),
                Kind::Dotted => self.directive(&mut statements)?,
                _ => return Err(self.unexpected("an instruction, a declaration or `}`")),
            }
        }
    }

    fn label(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let name = self.word("a label")?;
        self.next();
        self.scopes.declare(name, "label")?;
        match self.at_token(self.peek()) {
            ".branchtargets" => {
                self.next();
                let mut labels = Vec::new();
                loop {
                    labels.push(owned(self.word("a label")?));
                    if self.take(b',').is_none() {
                        break;
                    }
                }
                self.expect(b';', "after the labels")?;
                statements.push(Statement::Targets { name: owned(name), labels });
            }
            // of indirect calls
            ".calltargets" | ".callprototype" => self.skip_statement(name.span)?,
            _ => statements.push(Statement::Label(owned(name))),
        }
        Ok(())
    }

    fn directive(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.peek().span;
        if self.debugging()? {
            return Ok(());
        }
        if self.is_dotted(".reg") {
            statements.push(Statement::Registers(self.registers()?));
            return Ok(());
        }
        if matches!(self.at(start), ".branchtargets" | ".calltargets" | ".callprototype") {
            return Err(Complaint::new(start, "this directive needs a label", "expected `label:` before this"));
        }
        let linkage = self.linkage();
        self.inner_variables(linkage, start, statements)
    }

    fn inner_variables(&mut self, linkage: Linkage, start: Span, statements: &mut Vec<Statement>) -> Parsed<()> {
        let token = self.peek();
        let text = self.at_token(token);
        if token.kind != Kind::Dotted {
            return Err(self.unexpected("a state space such as `.shared`"));
        }
        if matches!(text, ".entry" | ".func") {
            let complaint = Complaint::new(token.span, "a function within a function", "expected `}` before this");
            return Err(complaint.also(self.scopes.innermost(), "this is not closed"));
        }
        if variable::space(text).is_none() {
            return Err(hint::unknown(text, token.span, "directive"));
        }
        for variable in self.variables(linkage, start)? {
            let name = Spanned { value: self.at(variable.name.span), span: variable.name.span };
            self.scopes.declare(name, "variable")?;
            statements.push(Statement::Variable(variable));
        }
        Ok(())
    }
}
