//! What is written for debuggers and compilers: checked for its form, and dropped.

use crate::parse::cursor::{Parsed, Parser};
use crate::parse::lex::Kind;

impl Parser<'_> {
    /// Skips `.loc`, `.file`, `.section`, `.pragma` or `.tex`; whether one was there.
    pub fn debugging(&mut self) -> Parsed<bool> {
        let start = self.peek();
        match self.at_token(start) {
            ".loc" => self.loc()?,
            ".file" => self.file()?,
            ".section" => {
                self.next();
                if !self.is(Kind::Dotted) && !self.is(Kind::Word) {
                    return Err(self.unexpected("the name of a section"));
                }
                self.next();
                let open = self.expect(b'{', "after the name of the section")?;
                self.skip_brackets(open, b'{', b'}')?;
            }
            ".pragma" | ".tex" => self.skip_statement(start.span)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `.loc 1 20 3, function_name $L_info+16, inlined_at 1 7 5`, which no semicolon ends.
    fn loc(&mut self) -> Parsed<()> {
        self.next();
        self.line_place()?;
        while self.is_mark(b',') {
            self.next();
            match self.word("`function_name` or `inlined_at`")?.value {
                "function_name" => {
                    self.word("a label")?;
                    self.offset()?;
                }
                "inlined_at" => self.line_place()?,
                _ => return Err(self.unexpected("`function_name` or `inlined_at` before this")),
            }
        }
        Ok(())
    }

    /// File, line and column.
    fn line_place(&mut self) -> Parsed<()> {
        for _ in 0..3 {
            self.skip_number()?;
        }
        Ok(())
    }

    /// `.file 1 "kernel.cu", 1700000000, 1234`, which no semicolon ends.
    fn file(&mut self) -> Parsed<()> {
        self.next();
        self.skip_number()?;
        if !self.is(Kind::Quoted) {
            return Err(self.unexpected("the name of a file"));
        }
        self.next();
        while self.take(b',').is_some() {
            self.skip_number()?;
        }
        Ok(())
    }
}
