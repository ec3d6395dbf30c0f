//! Suggestions for misspelt directives.

use crate::parse::cursor::quote;
use crate::parse::function::DIRECTIVES;
use crate::source::{Complaint, Span};

/// Other directives that PTX has.
const OTHERS: [&str; 31] = [
    ".version",
    ".target",
    ".address_size",
    ".entry",
    ".func",
    ".visible",
    ".extern",
    ".weak",
    ".common",
    ".reg",
    ".shared",
    ".global",
    ".const",
    ".local",
    ".param",
    ".align",
    ".section",
    ".file",
    ".loc",
    ".alias",
    ".attribute",
    ".branchtargets",
    ".calltargets",
    ".callprototype",
    ".pred",
    ".b32",
    ".b64",
    ".u32",
    ".u64",
    ".f32",
    ".f16x2",
];

/// Longest word that is compared with others, in bytes.
const LONGEST: usize = 24;

/// Error: unknown directive.
pub(super) fn unknown(word: &str, span: Span, kind: &str) -> Complaint {
    let complaint = Complaint::new(span, format!("unknown {kind} {}", quote(word)), format!("no {kind} of PTX"));
    match nearest(word) {
        Some(meant) if meant != word => complaint.help(format!("did you mean `{meant}`?")),
        Some(_) => Complaint { message: format!("expected a {kind}, found {}", quote(word)), ..complaint },
        None => complaint,
    }
}

fn nearest(word: &str) -> Option<&'static str> {
    if word.len() > LONGEST {
        return None;
    }
    let far = if word.len() < 6 { 1 } else { 2 };
    let candidates =
        OTHERS.iter().chain(&DIRECTIVES).map(|other| (distance(word.as_bytes(), other.as_bytes()), *other));
    candidates.filter(|(distance, _)| *distance <= far).min().map(|(_, other)| other)
}

/// Letters to change, insert or leave out.
fn distance(left: &[u8], right: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (number, letter) in left.iter().enumerate() {
        let mut diagonal = number;
        let mut last = number + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(right) {
            let best = (diagonal + usize::from(letter != other)).min(*cell + 1).min(last + 1);
            diagonal = std::mem::replace(cell, best);
            last = best;
        }
        if let Some(first) = row.first_mut() {
            *first = number + 1;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}
