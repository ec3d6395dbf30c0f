//! What is written for debuggers and compilers: checked for its form. Positions in the source of the kernel are kept; the rest is dropped.

use crate::ast::{CallSite, Inlined, Loc, Site};
use crate::parse::cursor::{Parsed, Parser};
use crate::parse::lex::Kind;
use crate::parse::number::Value;
use crate::source::Span;

impl Parser<'_> {
    /// Reads `.loc`, `.file`, `.section`, `.pragma` or `.tex`; whether one was there.
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
                let name = self.next();
                let open = self.expect(b'{', "after the name of the section")?;
                match self.at_token(name) {
                    ".debug_str" => self.strings(open)?,
                    _ => self.skip_brackets(open, b'{', b'}')?,
                }
            }
            ".pragma" | ".tex" => self.skip_statement(start.span)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `.loc 1 20 3, function_name $L_info+16, inlined_at 1 7 5`, which no semicolon ends.
    fn loc(&mut self) -> Parsed<()> {
        let start = self.next().span;
        let site = self.site()?;
        let (mut function, mut at) = (None, None);
        while self.is_mark(b',') {
            self.next();
            match self.word("`function_name` or `inlined_at`")?.value {
                "function_name" => {
                    let label = self.word("a label")?.value.to_owned();
                    function = Some((label, self.offset()?));
                }
                "inlined_at" => at = Some(self.site()?),
                _ => return Err(self.unexpected("`function_name` or `inlined_at` before this")),
            }
        }
        if self.is_in_assembly(start) {
            return Ok(());
        }
        let inlined = at.map(|at| Inlined { function, at });
        let calls = if inlined.is_none() { calls(self.rest_of_line()) } else { Vec::new() };
        self.lines.locs.push(Loc { span: self.since(start), site, inlined, calls });
        Ok(())
    }

    /// Whether a `.loc` stands in inline assembly. LLVM (from 22 on) repeats the position there and counts its line up with the lines of the
    /// assembly, which the source does not have: the `.loc` before it counts.
    fn is_in_assembly(&mut self, loc: Span) -> bool {
        let (searched, inside) = self.assembly;
        let text = self.at(Span { start: searched, end: loc.start });
        let inside = match (text.rfind("// begin inline asm"), text.rfind("// end inline asm")) {
            (None, None) => inside,
            (begin, end) => begin > end,
        };
        self.assembly = (loc.start, inside);
        inside
    }

    /// File, line and column.
    fn site(&mut self) -> Parsed<Site> {
        let [file, line, column] = [self.small()?, self.small()?, self.small()?];
        Ok(Site { file, line, column })
    }

    /// A number of a file, line or column; one that is none of these is as good as 0, which names nothing.
    fn small(&mut self) -> Parsed<u32> {
        let value = match self.skip_number()? {
            Value::Signed(value) => u32::try_from(value).ok(),
            Value::Unsigned(value) => u32::try_from(value).ok(),
            Value::Single(_) | Value::Double(_) => None,
        };
        Ok(value.unwrap_or(0))
    }

    /// What is written behind the last token on its line.
    fn rest_of_line(&self) -> &str {
        let rest = self.at(self.behind().to(Span::between(self.peek().span.start)));
        rest.lines().next().unwrap_or("")
    }

    /// `.file 1 "kernel.cu", 1700000000, 1234`, which no semicolon ends.
    fn file(&mut self) -> Parsed<()> {
        self.next();
        let number = self.small()?;
        if !self.is(Kind::Quoted) {
            return Err(self.unexpected("the name of a file"));
        }
        let path = unquoted(self.at_token(self.peek()));
        self.lines.files.entry(number).or_insert(path);
        self.next();
        while self.take(b',').is_some() {
            self.skip_number()?;
        }
        Ok(())
    }

    /// The bytes of the section `.debug_str`, and where its labels are.
    fn strings(&mut self, open: Span) -> Parsed<()> {
        while !self.is(Kind::End) && !self.is_mark(b'}') && !self.is_mark(b'{') {
            let token = self.next();
            match token.kind {
                Kind::Word if self.is_mark(b':') => {
                    let label = self.at_token(token).to_owned();
                    self.lines.labels.insert(label, self.lines.strings.len());
                }
                Kind::Number => self.lines.strings.extend(self.at_token(token).parse::<u8>()),
                _ => {}
            }
        }
        self.skip_brackets(open, b'{', b'}')
    }
}

/// A string without its quotes, and what its escapes stand for.
fn unquoted(text: &str) -> String {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let mut letters = inside.chars();
    let mut path = String::with_capacity(inside.len());
    while let Some(letter) = letters.next() {
        path.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    path
}

/// The calls in a comment of LLVM behind `.loc`, from the inside out: `// inner.py:168:27 @[ outer.py:13:22 @[ kernel.py:7:5 ] ]`.
fn calls(comment: &str) -> Vec<CallSite> {
    let Some((_, comment)) = comment.trim_start().strip_prefix("//").and_then(|rest| rest.split_once("@[")) else {
        return Vec::new();
    };
    let site = |text: &str| {
        let mut parts = text.trim().trim_end_matches([']', ' ']).rsplitn(3, ':');
        let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(CallSite { file: parts.next()?.to_owned(), line, column })
    };
    comment.split("@[").map(site).collect::<Option<_>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_the_calls_from_the_inside_out() {
        let call = |file: &str, line, column| CallSite { file: file.to_owned(), line, column };
        assert_eq!(calls(" // a.py:1:2"), []);
        assert_eq!(calls("\t// a.py:1:2 @[ b.py:3:4 ]"), [call("b.py", 3, 4)]);
        assert_eq!(calls(" // a.py:1:2 @[ b.py:3:4 @[ C:/c.py:5:6 ] ]"), [call("b.py", 3, 4), call("C:/c.py", 5, 6)]);
        assert_eq!(calls(" // see @[ section 4 ]"), []);
        assert_eq!(calls(""), []);
    }

    #[test]
    fn escapes_in_names_of_files() {
        assert_eq!(unquoted(r#""a \" b\\c.cu""#), "a \" b\\c.cu");
    }
}
