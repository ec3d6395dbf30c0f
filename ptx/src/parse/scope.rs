//! Names declared in a scope, to find duplicates.
//!
//! `%r<5>` declares `%r0` to `%r4` without a list of them: the names that begin with `%r` are looked up by their number.

use crate::ast::Spanned;
use crate::parse::cursor::{Parsed, quote};
use crate::source::{Complaint, Span};
use std::collections::HashMap;

/// How deeply scopes may be nested.
pub(super) const DEEPEST: usize = 1_000;

/// Scopes that are open, the innermost last.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    open: Vec<(Span, Scope<'a>)>,
    /// Names outside of functions: where, and whether they are defined there rather than only declared.
    globals: HashMap<&'a str, (Span, bool)>,
}

/// Names declared in a scope.
#[derive(Default)]
struct Scope<'a> {
    /// Single names.
    names: HashMap<&'a str, Span>,
    /// The lowest number among the single names that begin with this, and where that is declared.
    lowest: HashMap<&'a str, (u32, Span)>,
    /// `%r<5>`: its count.
    ranges: HashMap<&'a str, (u32, Span)>,
}

impl<'a> Scopes<'a> {
    /// Opens a scope.
    ///
    /// # Errors
    /// They are nested too deeply.
    pub fn open(&mut self, brace: Span) -> Parsed<()> {
        if self.open.len() >= DEEPEST {
            let message = format!("scopes are nested more than {DEEPEST} deep");
            return Err(Complaint::new(brace, message, "this one is too deep"));
        }
        self.open.push((brace, Scope::default()));
        Ok(())
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        self.open.pop();
    }

    /// Number of open scopes.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Start of the innermost scope.
    pub fn innermost(&self) -> Span {
        self.open.last().map_or(Span::default(), |(brace, _)| *brace)
    }

    /// Notes a name outside of functions. It may be declared more than once, but defined only once.
    ///
    /// # Errors
    /// It is defined already.
    pub fn declare_global(&mut self, name: Spanned<&'a str>, what: &str, defined: bool) -> Parsed<()> {
        let global = self.globals.entry(name.value).or_insert((name.span, false));
        if global.1 && defined {
            let message = format!("{what} {} is defined twice", quote(name.value));
            return Err(Complaint::new(name.span, message, "defined again here").also(global.0, "defined first here"));
        }
        if defined {
            *global = (name.span, true);
        }
        Ok(())
    }

    /// Notes a name; `what` is what it names.
    ///
    /// # Errors
    /// The innermost scope has it already.
    pub fn declare(&mut self, name: Spanned<&'a str>, what: &str) -> Parsed<()> {
        let Some((_, scope)) = self.open.last_mut() else { return Ok(()) };
        let in_range = numbered(name.value)
            .find_map(|(stem, number)| scope.ranges.get(stem).filter(|(count, _)| number < *count))
            .map(|(_, span)| *span);
        if let Some(earlier) = in_range.or(scope.names.insert(name.value, name.span)) {
            return Err(twice(name, what, earlier));
        }
        scope.note_numbers(name.value, name.span);
        Ok(())
    }

    /// Notes the names of `%r<5>`.
    ///
    /// # Errors
    /// The innermost scope has one of them already.
    pub fn declare_range(&mut self, stem: Spanned<&'a str>, count: u32) -> Parsed<()> {
        let Some((_, scope)) = self.open.last_mut() else { return Ok(()) };
        // its own first name may be one of another range: `%r<20>` has `%r10`, the first of `%r1<3>`
        let in_range = numbered(stem.value)
            .filter_map(|(shorter, number)| Some((shorter, number.checked_mul(10)?)))
            .find_map(|(shorter, number)| scope.ranges.get(shorter).filter(|(count, _)| number < *count));
        let single = scope.lowest.get(stem.value).filter(|(lowest, _)| *lowest < count);
        let same = scope.ranges.get(stem.value);
        if let Some((_, earlier)) = same.or(single).or(in_range) {
            let message =
                format!("{} has a register that is declared already", quote(&format!("{}<{count}>", stem.value)));
            return Err(Complaint::new(stem.span, message, "declared again here").also(*earlier, "declared first here"));
        }
        scope.ranges.insert(stem.value, (count, stem.span));
        for (shorter, number) in numbered(stem.value) {
            if let Some(number) = number.checked_mul(10) {
                scope.note(shorter, number, stem.span);
            }
        }
        Ok(())
    }
}

impl<'a> Scope<'a> {
    fn note_numbers(&mut self, name: &'a str, span: Span) {
        for (stem, number) in numbered(name) {
            self.note(stem, number, span);
        }
    }

    fn note(&mut self, stem: &'a str, number: u32, span: Span) {
        let lowest = self.lowest.entry(stem).or_insert((number, span));
        if number < lowest.0 {
            *lowest = (number, span);
        }
    }
}

fn twice(name: Spanned<&str>, what: &str, earlier: Span) -> Complaint {
    let message = format!("{what} {} is declared twice in the same scope", quote(name.value));
    Complaint::new(name.span, message, "declared again here").also(earlier, "declared first here")
}

/// All ways to take a name for a stem and a number: `r12` is `r1` and 2, or `r` and 12; a number does not begin with 0
/// unless it is 0.
fn numbered(name: &str) -> impl Iterator<Item = (&str, u32)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).take(10).count();
    (1..=digits).filter_map(move |digits| {
        let (stem, number) = name.split_at_checked(name.len() - digits)?;
        let canonical = !number.starts_with('0') || number == "0";
        if canonical && !stem.is_empty() { Some((stem, number.parse().ok()?)) } else { None }
    })
}
