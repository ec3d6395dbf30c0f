//! Parser of PTX text, from compilers and by hand.
//!
//! ```text
//!   text --lex--> tokens --cursor--+-- function --- body --- instruction --+--> ast::Module
//!                                  +-- variable --- initial --- expression-+
//!                                  +-- debugging: positions in the source --+
//!                                    scope: what is declared twice --------+
//! ```
//!
//! A file is read whole: an opcode that nobody knows is kept as it is written, and only matters if it is executed. What
//! a name means is not looked at here either, but what is malformed, declared twice in a scope, or has no value is an
//! error. The first one is reported.
//!
//! Time and memory are in proportion to the text, whatever it says: sizes such as `%r<4000000000>` are only noted, and
//! nothing is read by a function that calls itself.

mod body;
mod cursor;
mod debugging;
mod expression;
mod function;
mod hint;
mod initial;
mod instruction;
mod lex;
mod number;
mod scope;
#[cfg(test)]
mod tests;
mod variable;

use crate::ast::{LineInfo, Linkage, Module, Spanned, Version};
use crate::source::{Complaint, PtxError, Source, Span};
use cursor::{Parsed, Parser, owned, quote};
use lex::Kind;

/// Reads a PTX file.
///
/// # Errors
/// Its first error: it is malformed, it has no `.version` or `.target`, or a name is declared twice in a scope.
pub fn parse(source: &Source) -> Result<Module, PtxError> {
    read(source.text()).map_err(|complaint| source.error(complaint))
}

fn read(text: &str) -> Result<Module, Complaint> {
    let tokens = lex::tokens(text)?;
    let mut parser = Parser::new(text, &tokens);
    let version = parser.version()?;
    let mut module = Module {
        version,
        targets: parser.targets()?,
        address_size: 32,
        variables: Vec::new(),
        functions: Vec::new(),
        lines: LineInfo::default(),
    };
    let mut address_size = None;
    while !parser.is(Kind::End) {
        parser.top_level(&mut module, &mut address_size)?;
    }
    module.lines = parser.lines;
    Ok(module)
}

impl Parser<'_> {
    fn version(&mut self) -> Parsed<Spanned<Version>> {
        if !self.is_dotted(".version") {
            let file = if self.is(Kind::End) { "the file is empty" } else { "expected `.version` before this" };
            return Err(Complaint::new(self.place(), "the file does not begin with `.version`", file)
                .help("begin it with the version of PTX, the target and the address size: `.version 8.6`, `.target sm_90`, `.address_size 64`"));
        }
        self.next();
        let token = self.peek();
        let parts = self.at_token(token).split_once('.').map(|(major, minor)| (major.parse(), minor.parse()));
        let Some((Ok(major), Ok(minor))) = parts else {
            return Err(self.unexpected("a version such as `8.6`"));
        };
        self.next();
        Ok(Spanned { value: Version { major, minor }, span: token.span })
    }

    /// `.target sm_90, debug`.
    fn targets(&mut self) -> Parsed<Vec<Spanned<String>>> {
        if !self.is_dotted(".target") {
            return Err(self.missing("`.target`", "after `.version`").help("name the architecture: `.target sm_90`"));
        }
        self.next();
        let mut targets = vec![owned(self.word("a target such as `sm_90`")?)];
        while self.take(b',').is_some() {
            targets.push(owned(self.word("a target")?));
        }
        Ok(targets)
    }

    /// A directive outside of functions.
    fn top_level(&mut self, module: &mut Module, address_size: &mut Option<Span>) -> Parsed<()> {
        let start = self.peek().span;
        if self.take(b';').is_some() || self.debugging()? {
            return Ok(());
        }
        match self.at(start) {
            ".version" => {
                let complaint = Complaint::new(start, "`.version` is given twice", "given again here");
                return Err(complaint.also(module.version.span, "given first here"));
            }
            ".target" => module.targets.extend(self.targets()?),
            ".address_size" => {
                self.next();
                let size = self.natural("an address size")?;
                if let Some(earlier) = address_size.replace(size.span) {
                    let complaint = Complaint::new(size.span, "`.address_size` is given twice", "given again here");
                    return Err(complaint.also(earlier, "given first here"));
                }
                module.address_size = match size.value {
                    32 => 32,
                    64 => 64,
                    _ => return Err(Complaint::new(size.span, "an address has 32 or 64 bits", "expected 32 or 64")),
                };
            }
            ".alias" => self.skip_statement(start)?,
            _ => self.definition(module, start)?,
        }
        Ok(())
    }

    /// A function or variables.
    fn definition(&mut self, module: &mut Module, start: Span) -> Parsed<()> {
        let linkage = self.linkage();
        let token = self.peek();
        let text = self.at_token(token);
        match token.kind {
            Kind::Dotted if matches!(text, ".entry" | ".func") => {
                module.functions.push(self.function(linkage, start)?);
            }
            Kind::Dotted if text == ".reg" => {
                return Err(Complaint::new(
                    token.span,
                    "registers are declared within functions",
                    "outside of a function",
                )
                .help("put this between the braces of the function that uses it"));
            }
            Kind::Dotted if variable::space(text).is_some() => {
                for variable in self.variables(linkage, start)? {
                    let name = Spanned { value: self.at(variable.name.span), span: variable.name.span };
                    self.scopes.declare_global(name, "variable", linkage != Linkage::Extern)?;
                    module.variables.push(variable);
                }
            }
            Kind::Dotted => return Err(hint::unknown(text, token.span, "directive")),
            Kind::Mark(b'}') => {
                return Err(Complaint::new(token.span, "a `}` too many", "nothing is open that this could close"));
            }
            Kind::Word => {
                let message = format!("{} is outside of a function", quote(text));
                return Err(Complaint::new(token.span, message, "expected a directive such as `.entry`")
                    .help("instructions stand between the braces of an `.entry` or `.func`"));
            }
            _ => return Err(self.unexpected("a directive such as `.entry` or `.global`")),
        }
        Ok(())
    }
}
