//! Text of a PTX file, places in it, and errors at those places.

use miette::{Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;
use txbar_testbench::input;

/// Most bytes of a file that [`Source::read`] takes: 1 GiB. Places have 32 bits.
pub const MOST_BYTES: u64 = 1 << 30;
/// A line that is longer (bytes) is shown in errors only around the place that is meant.
const LONG_LINE: usize = 400;
/// Bytes of a long line that are shown before and behind the place.
const SHOWN: usize = 60;

/// A place in a text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Byte behind the last.
    pub end: u32,
}

impl Span {
    /// The place between two bytes.
    pub fn between(place: u32) -> Span {
        Span { start: place, end: place }
    }

    /// From the beginning of one to the end of another.
    pub fn to(self, end: Span) -> Span {
        Span { start: self.start, end: end.end.max(self.start) }
    }
}

impl From<Span> for SourceSpan {
    fn from(span: Span) -> Self {
        (span.start as usize..span.end as usize).into()
    }
}

/// A text and where it comes from.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: Arc<str>,
    /// Byte at which each line begins.
    lines: Vec<u32>,
}

impl Source {
    /// A text, and what it is called in errors (the path of the file).
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let text: Arc<str> = text.into();
        let lines = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(place, _)| place as u32 + 1));
        Self { name: name.into(), lines: lines.collect(), text }
    }

    /// Text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of the line in which a place begins, from 1.
    pub fn line(&self, span: Span) -> usize {
        self.lines.partition_point(|begin| *begin <= span.start)
    }

    /// Text at a place.
    pub fn at(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The statement or expression that begins in a column of a line, both counted from 1: up to where it ends, or the line does. From the
    /// first letter of the line on if the column is not known (0) or beyond its end; nothing if there is nothing in that line.
    pub(crate) fn statement(&self, line: usize, column: usize) -> Option<Span> {
        let bytes = self.line_bytes(line);
        let text = self.text.get(bytes.clone())?.trim_end();
        let blank = text.len() - text.trim_start().len();
        let start = column
            .checked_sub(1)
            .filter(|start| *start >= blank && *start < text.len() && text.is_char_boundary(*start));
        let start = start.unwrap_or(blank);
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let mut depth = 0_usize;
        let ends = |(place, letter): (usize, char)| {
            match letter {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' if depth == 0 => return Some(place),
                ')' | ']' | '}' => depth -= 1,
                ';' | ',' if depth == 0 => return Some(place),
                '#' | '/' if rest.get(place..).is_some_and(|rest| rest.starts_with("//") || rest.starts_with("# ")) => {
                    return Some(place);
                }
                _ => {}
            }
            None
        };
        let end = rest.char_indices().find_map(ends).filter(|end| *end > 0).unwrap_or(rest.len());
        let width = rest.get(..end).map_or(end, |rest| rest.trim_end().len());
        let start = (bytes.start + start) as u32; // a text has less than 4 GiB
        Some(Span { start, end: start + width as u32 })
    }

    /// The text of a file.
    ///
    /// # Errors
    /// It cannot be read, it is too large, or it is no text.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let path = path.as_ref();
        let failed = |source| ReadError::Io { path: path.to_owned(), source };
        let bytes = input::read(path, MOST_BYTES).map_err(failed)?;
        let text = String::from_utf8(bytes).map_err(|error| ReadError::NotText {
            path: path.to_owned(),
            offset: error.utf8_error().valid_up_to(),
            byte: error.as_bytes().get(error.utf8_error().valid_up_to()).copied().unwrap_or(0),
        })?;
        Ok(Self::new(path.display().to_string(), text))
    }

    /// An error of this text.
    pub fn error(&self, complaint: Complaint) -> PtxError {
        let Complaint { span, message, label, help, also } = complaint;
        let (message, label, help) = (brief(message), brief(label), help.map(brief));
        let span = self.brief_span(span);
        let also = also.into_iter().map(|(span, label)| (self.brief_span(span), brief(label)));
        let (far, also): (Vec<_>, Vec<_>) =
            also.partition(|(also, _): &(Span, String)| !self.fit_together(self.line(span), self.line(*also)));
        let line = self.line(span);
        // what cannot be shown is said
        let said = far.into_iter().map(|(also, label)| format!("line {}: {label}", self.line(also)));
        let help = said.chain(help).reduce(|said, help| said + "\n" + &help);
        let shown = if self.is_long(line) { Shown::around(self, span) } else { Shown::all(self) };
        let also = also.into_iter().map(|(span, label)| LabeledSpan::new_with_span(Some(label), span)).collect();
        let inside = (span.start as usize).saturating_sub(shown.skipped);
        let width = ((span.end.max(span.start) - span.start) as usize).min(shown.text.len().saturating_sub(inside));
        let span = (inside.min(shown.text.len()), width).into();
        PtxError { line, message, shown: Arc::new(shown), span, label, help: help.map(Into::into), also }
    }

    /// Bytes of a line, counted from 1, without its end; none if there is no such line.
    fn line_bytes(&self, line: usize) -> Range<usize> {
        let Some(start) = line.checked_sub(1).and_then(|line| self.lines.get(line)) else { return 0..0 };
        // the next line begins behind a line feed
        let end = self.lines.get(line).map_or(self.text.len(), |next| *next as usize - 1);
        *start as usize..end
    }

    /// The beginning of a place that is too long to be underlined: what is underlined is shown in full.
    fn brief_span(&self, span: Span) -> Span {
        let end = (span.start as usize + LONG_SPAN).min(span.end as usize);
        let end = (end..=span.end as usize).find(|end| self.text.is_char_boundary(*end)).unwrap_or(span.end as usize);
        Span { end: end as u32, ..span } // not above span.end
    }

    /// Whether two lines can be shown in one picture, which has all lines between them, too.
    fn fit_together(&self, one: usize, other: usize) -> bool {
        let (first, last) = (one.min(other), one.max(other));
        let bytes = self.line_bytes(last).end.saturating_sub(self.line_bytes(first).start);
        last - first <= MOST_LINES
            && bytes <= MOST_SHOWN
            && (first..=last).step_by(3).chain([last]).all(|line| !self.is_long(line))
    }

    /// Whether a line is too long to be shown, or one beside it, which would be shown with it.
    fn is_long(&self, line: usize) -> bool {
        (line.saturating_sub(2)..=line + 2).any(|line| self.line_bytes(line).len() > LONG_LINE)
    }
}

/// Bytes of text in which two places are shown together, at most.
const MOST_SHOWN: usize = 4096;

/// Lines between them, at most.
const MOST_LINES: usize = 100;

/// Bytes that are underlined at most.
const LONG_SPAN: usize = 400;

/// Bytes of a message, or of what stands under a place, that are shown at most: it may name what is written, which may be long.
const LONG_MESSAGE: usize = 600;

/// A message that is not too long.
fn brief(mut text: String) -> String {
    if text.len() > LONG_MESSAGE {
        let end = (0..=LONG_MESSAGE).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// What an error shows of a text.
#[derive(Debug)]
struct Shown {
    name: String,
    text: Arc<str>,
    /// Bytes of the whole text before it.
    skipped: usize,
    /// Lines before it.
    lines: usize,
    /// Letters of its first line before it.
    columns: usize,
}

impl Shown {
    fn all(source: &Source) -> Self {
        Self { name: source.name.clone(), text: printable(source.text.clone()), skipped: 0, lines: 0, columns: 0 }
    }

    /// A piece of a line.
    fn around(source: &Source, span: Span) -> Self {
        let line = source.line(span);
        let bytes = source.line_bytes(line);
        let place = (span.start as usize).clamp(bytes.start, bytes.end);
        let floor = |place: usize| (bytes.start..=place).rev().find(|place| source.text.is_char_boundary(*place));
        let start = floor(place.saturating_sub(SHOWN).max(bytes.start)).unwrap_or(bytes.start);
        let end = floor(place.saturating_add(SHOWN).min(bytes.end)).unwrap_or(bytes.end);
        let text = printable(source.text.get(start..end).unwrap_or("").into());
        let columns = source.text.get(bytes.start..start).unwrap_or("").chars().count();
        Self { name: source.name.clone(), text, skipped: start, lines: line.saturating_sub(1), columns }
    }
}

/// A text whose control characters cannot disturb a terminal, and with an end of its last line, without which no place
/// behind it would be shown; every byte stays where it is.
fn printable(text: Arc<str>) -> Arc<str> {
    let disturbs = |letter: char| letter.is_ascii_control() && !matches!(letter, '\n' | '\t' | '\r');
    match text.ends_with('\n') && !text.contains(disturbs) {
        true => text,
        false => (text.replace(disturbs, "?") + "\n").into(),
    }
}

impl SourceCode for Shown {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        // columns are letters, not bytes; what is read from the beginning of a line on has none
        let whole_lines = before > 0;
        let upto = self.text.get(..span.offset()).unwrap_or("");
        let letters = upto.rsplit('\n').next().unwrap_or("").chars().count();
        let column = if whole_lines { 0 } else { letters + if inner.line() == 0 { self.columns } else { 0 } };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            inner.line() + self.lines,
            column,
            inner.line_count(),
        )))
    }
}

/// A file that is no PTX text at all.
#[derive(Debug, Error, Diagnostic)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// The file is not UTF-8.
    #[error("{} is no text: byte {offset} is 0x{byte:02x}, which is not UTF-8", path.display())]
    #[diagnostic(help("a PTX file is text; `cuobjdump -ptx FILE` gets it out of a binary"))]
    NotText {
        /// The file.
        path: PathBuf,
        /// Bytes before the first one that is wrong.
        offset: usize,
        /// Value of the byte.
        byte: u8,
    },
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Place in the text.
    pub span: Span,
    /// Message, in one line.
    pub message: String,
    /// What stands under the place.
    pub label: String,
    /// Advice.
    pub help: Option<String>,
    /// Other places that have to do with it, and what stands under them.
    pub also: Vec<(Span, String)>,
}

impl Complaint {
    /// What, and what stands under the place.
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Self {
        Self { span, message: message.into(), label: label.into(), help: None, also: Vec::new() }
    }

    /// Adds advice.
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Adds a related place.
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.also.push((span, label.into()));
        self
    }

    /// Adds advice of any number of lines.
    pub fn helps(self, help: Vec<String>) -> Self {
        if help.is_empty() { self } else { self.help(help.join("\n")) }
    }
}

/// An error in a PTX file that shows the place.
#[derive(Debug, Error, Diagnostic)]
#[error("{message}")]
pub struct PtxError {
    /// Number of its line, from 1.
    pub line: usize,
    /// Message, in one line.
    pub message: String,
    #[source_code]
    shown: Arc<Shown>,
    #[label(primary, "{label}")]
    span: SourceSpan,
    /// What stands under the place.
    pub label: String,
    #[help]
    help: Option<Box<str>>,
    #[label(collection)]
    also: Vec<LabeledSpan>,
}
