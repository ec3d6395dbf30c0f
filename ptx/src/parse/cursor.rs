//! Cursor over the tokens, shared by all parts of the parser.

use crate::ast::{LineInfo, Spanned};
use crate::parse::lex::{Kind, Token};
use crate::parse::scope::Scopes;
use crate::source::{Complaint, Span};

/// Outcome of reading a piece of a file. There is no way back: what a piece is shows in its first two tokens.
pub(super) type Parsed<T> = Result<T, Complaint>;

/// Longest piece of the text that an error repeats, in characters.
const QUOTED: usize = 40;

/// The state of reading a file.
pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    /// Names that are known here.
    pub scopes: Scopes<'a>,
    /// What has been said about lines of the source.
    pub lines: LineInfo,
    /// Up to which byte the text has been searched for inline assembly, and whether that is inside of some.
    pub assembly: (u32, bool),
}

impl<'a> Parser<'a> {
    /// A cursor at the beginning of a file.
    pub fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens, at: 0, scopes: Scopes::default(), lines: LineInfo::default(), assembly: (0, false) }
    }

    /// The next token.
    pub fn peek(&self) -> Token {
        self.peek_at(0)
    }

    /// The token behind this many others.
    pub fn peek_at(&self, ahead: usize) -> Token {
        let end = Token { kind: Kind::End, span: Span::between(self.text.len() as u32) };
        self.tokens.get(self.at.saturating_add(ahead)).copied().unwrap_or(end)
    }

    /// Whether the next token is this.
    pub fn is(&self, kind: Kind) -> bool {
        self.peek().kind == kind
    }

    /// Whether the next token is this mark.
    pub fn is_mark(&self, mark: u8) -> bool {
        self.is(Kind::Mark(mark))
    }

    /// Whether the next token is this dotted word (given with its dot).
    pub fn is_dotted(&self, word: &str) -> bool {
        self.is(Kind::Dotted) && self.at_token(self.peek()) == word
    }

    /// Goes on; gives the token that was next.
    pub fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len());
        token
    }

    /// Goes on if the next token is this mark.
    pub fn take(&mut self, mark: u8) -> Option<Span> {
        self.is_mark(mark).then(|| self.next().span)
    }

    /// Text at a place.
    pub fn at(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Text of a token.
    pub fn at_token(&self, token: Token) -> &'a str {
        self.at(token.span)
    }

    /// End of the last token.
    pub fn behind(&self) -> Span {
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        Span::between(last.map_or(0, |token| token.span.end))
    }

    /// From a place up to the last token.
    pub fn since(&self, start: Span) -> Span {
        start.to(self.behind())
    }

    /// Whether the next token is on another line than the last one, or there is none.
    pub fn at_line_end(&self) -> bool {
        let between = self.behind().to(Span::between(self.peek().span.start));
        self.is(Kind::End) || self.at(between).contains('\n')
    }

    /// The mark, or what is missing: `expected "," or ";" BEHIND WHAT`.
    pub fn expect(&mut self, mark: u8, behind: &str) -> Parsed<Span> {
        self.take(mark).ok_or_else(|| self.missing(&format!("`{}`", char::from(mark)), behind))
    }

    /// Something is missing behind something else: shown behind the last token if a line ends there, at the next token
    /// otherwise.
    pub fn missing(&self, what: &str, behind: &str) -> Complaint {
        let message = format!("expected {what} {behind}");
        match self.at_line_end() && self.at > 0 {
            true => Complaint::new(self.behind(), message, format!("expected {what} here")),
            false => Complaint::new(self.peek().span, message, format!("expected {what}, found {}", self.found())),
        }
    }

    /// The next token; where there is none, the place behind the last one.
    pub fn place(&self) -> Span {
        if self.is(Kind::End) { self.behind() } else { self.peek().span }
    }

    /// The next token is not what it should be.
    pub fn unexpected(&self, expected: &str) -> Complaint {
        let found = self.found();
        Complaint::new(self.place(), format!("expected {expected}, found {found}"), format!("expected {expected}"))
    }

    /// The next token in words.
    fn found(&self) -> String {
        match self.peek().kind {
            Kind::End => "the end of the file".to_owned(),
            _ => quote(self.at_token(self.peek())),
        }
    }

    /// A name.
    pub fn word(&mut self, what: &str) -> Parsed<Spanned<&'a str>> {
        if !self.is(Kind::Word) {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        Ok(Spanned { value: self.at_token(token), span: token.span })
    }

    /// A list in brackets that are read already up to the closing one: `a, b, c)`. It may be empty.
    pub fn list<T>(&mut self, open: Span, close: u8, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.take(close).is_some() {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.take(close).is_some() {
                return Ok(items);
            }
            if self.take(b',').is_none() {
                let close = format!("`,` or `{}`", char::from(close));
                return Err(self.missing(&close, "in this list").also(open, "the list begins here"));
            }
        }
    }

    /// Skips up to the closing mark of brackets of which the opening one is read already; others inside are skipped.
    pub fn skip_brackets(&mut self, opening: Span, open: u8, close: u8) -> Parsed<()> {
        let mut depth = 1_u32;
        while depth > 0 {
            match self.peek().kind {
                Kind::End => return Err(self.missing_close(opening, close)),
                Kind::Mark(mark) if mark == open => depth = depth.saturating_add(1),
                Kind::Mark(mark) if mark == close => depth -= 1,
                _ => {}
            }
            self.next();
        }
        Ok(())
    }

    /// Skips up to the next semicolon and it.
    pub fn skip_statement(&mut self, start: Span) -> Parsed<()> {
        loop {
            match self.peek().kind {
                Kind::End => return Err(self.missing("`;`", "at the end of this").also(start, "it begins here")),
                Kind::Mark(b';') => {
                    self.next();
                    return Ok(());
                }
                _ => self.next(),
            };
        }
    }

    /// The file ends before brackets are closed.
    pub fn missing_close(&self, opening: Span, close: u8) -> Complaint {
        let close = char::from(close);
        Complaint::new(self.behind(), format!("expected `{close}`, found the end of the file"), "the file ends here")
            .also(opening, format!("no `{close}` closes this"))
    }
}

/// A piece of the text in an error: short, and without control characters.
pub(super) fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("`{}...`", text.get(..end).unwrap_or("").escape_debug()),
        None => format!("`{text}`"),
    }
}

/// A name that the tree keeps.
pub(super) fn owned(name: Spanned<&str>) -> Spanned<String> {
    Spanned { value: name.value.to_owned(), span: name.span }
}
