//! Tables in documents and on a terminal.
//!
//! A document marks the place of a table with a comment, `<!-- opcodes -->`; the table is what follows it up to the next
//! empty line. [`with_tables`] puts tables into a document.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A Markdown table.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", header.join(" | "), " --- |".repeat(header.len()));
    for row in rows {
        writeln!(text, "| {} |", row.join(" | ")).expect("writing to a String");
    }
    text
}

/// The same in columns, for a terminal: the header is a row, and columns from a number on are aligned to the right.
pub fn columns<R: AsRef<[String]>>(rows: &[R], right_from: usize) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows.iter().map(AsRef::as_ref) {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows.iter().map(AsRef::as_ref) {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < right_from { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end()).expect("writing to a String");
    }
    text
}

/// The document with these tables, each behind the mark of its name.
pub fn with_tables(document: &str, tables: &[(&str, String)]) -> String {
    let mut text = document.to_owned();
    for (name, table) in tables {
        let mark = format!("<!-- {name} -->");
        let Some(begin) = text.find(&mark).map(|position| position + mark.len()) else { continue };
        // an empty line may stand between the mark and the table
        let skipped = text[begin..].len() - text[begin..].trim_start_matches('\n').len();
        let old = if text[begin + skipped..].starts_with(['|', '`']) && skipped > 0 { begin + skipped } else { begin };
        let end =
            if old == begin { begin } else { text[old..].find("\n\n").map_or(text.len(), |length| old + length + 1) };
        text.replace_range(begin..end, &format!("\n\n{table}"));
    }
    text
}

/// For tests: compares a document with what `refresh` makes of it, and brings it up to date if `TXBAR_UPDATE_DOCS` is set.
/// Gives what it should be. `command` is what brings it up to date.
///
/// # Panics
/// It is out of date, or cannot be read or written.
pub fn check_document(path: &Path, refresh: impl Fn(&str) -> String, command: &str) -> String {
    let name = path.display();
    let document = fs::read_to_string(path).expect("the document is there");
    let fresh = refresh(&document);
    if std::env::var_os("TXBAR_UPDATE_DOCS").is_some() {
        fs::write(path, &fresh).expect("it can be written");
    } else {
        assert!(document == fresh, "{name} is out of date: TXBAR_UPDATE_DOCS=1 {command}");
    }
    assert_eq!(refresh(&fresh), fresh, "{name}: refreshing again changes nothing");
    fresh
}
