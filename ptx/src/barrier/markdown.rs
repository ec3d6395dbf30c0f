//! Tables of the documentation, generated from the table of forms.

use super::syntax::Needs;
use super::{Arg, ENTRIES, Entry};
use crate::ast::Version;
use crate::target::Least;
use txbar_export::tables::table;

/// A version; a dash if there is none.
fn version(since: Option<Version>) -> String {
    since.map_or("-".to_owned(), |since| since.to_string())
}

/// An architecture; a dash if there is none.
fn target(least: Option<Least>) -> String {
    least.map_or("-".to_owned(), Least::first)
}

/// Operations of the hardware.
fn hardware(entry: &Entry) -> String {
    let names: Vec<String> = entry.line.ops.iter().map(|op| format!("`{}`", op.name())).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(", then ") }
}

/// Every form: what it is, since when, where, and what the barrier's hardware does.
pub fn forms_markdown() -> String {
    let row = |entry: &Entry| {
        let (since, least) = (version(Some(entry.since())), target(Some(entry.target())));
        vec![
            format!("`{}`", entry.syntax().replace('|', "\\|")),
            entry.line.meaning.to_owned(),
            since,
            least,
            hardware(entry),
        ]
    };
    table(&["form", "meaning", "PTX ISA", "target", "operation of the barrier"], ENTRIES.iter().map(row))
}

/// Something that is there later than its form: how it is written, of which instructions, what it needs.
struct Demand {
    written: String,
    names: Vec<&'static str>,
    needs: Needs,
}

/// What qualifiers and operands need beyond their form.
fn demands() -> Vec<Demand> {
    let mut demands: Vec<Demand> = Vec::new();
    let mut note = |written: String, entry: &Entry, needs: Needs| {
        let since = needs.since.filter(|since| *since > entry.since());
        let target = needs.target.filter(|target| *target > entry.target());
        if since.is_none() && target.is_none() {
            return;
        }
        let same = |demand: &&mut Demand| {
            demand.written == written && demand.needs.since == since && demand.needs.target == target
        };
        let name = entry.line.name;
        match demands.iter_mut().find(same) {
            Some(demand) if demand.names.contains(&name) => {}
            Some(demand) => demand.names.push(name),
            None => demands.push(Demand { written, names: vec![name], needs: Needs { since, target } }),
        }
    };
    for entry in ENTRIES.iter() {
        for group in &entry.groups {
            let text = group.text();
            note(format!("`{}`", text.trim_matches(['{', '}'])), entry, group.needs);
            group.words().for_each(|word| note(format!("`.{}`", word.text), entry, word.needs));
        }
        for arg in entry.line.operands {
            if let Arg::Later(slot, since, target) = arg {
                note(format!("`{}`", slot.name()), entry, Needs { since: Some(*since), target: *target });
            }
        }
    }
    demands
}

/// What the qualifiers and operands demand beyond their form.
pub fn demands_markdown() -> String {
    let row = |demand: &Demand| {
        let names: Vec<String> = demand.names.iter().map(|name| format!("`{name}`")).collect();
        vec![demand.written.clone(), names.join(", "), version(demand.needs.since), target(demand.needs.target)]
    };
    table(&["written", "of", "PTX ISA", "target"], demands().iter().map(row))
}

/// The forms as plain text for a terminal, a line each.
pub fn forms_text() -> String {
    let row = |entry: &Entry| {
        let (since, target) = (entry.since().to_string(), entry.target().first());
        format!("{since:>4}  {target:<7}  {}\n               {}\n", entry.syntax(), entry.line.meaning)
    };
    ENTRIES.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_a_row_for_each_line() {
        let count = |text: &str| text.lines().filter(|row| row.starts_with("| ")).count() - 2; // the head is two
        assert_eq!(count(&forms_markdown()), ENTRIES.len());
        assert_eq!(count(&demands_markdown()), demands().len());
        assert_eq!(forms_text().lines().count(), 2 * ENTRIES.len());
        // a bar within a row would be a column too many
        for text in [forms_markdown(), demands_markdown()] {
            let columns: Vec<usize> = text.lines().map(|row| row.replace("\\|", "").matches('|').count()).collect();
            assert!(columns.iter().all(|count| *count == columns[0]) && !text.contains("\n\n"), "{text}");
        }
    }

    #[test]
    fn no_line_is_there_twice() {
        let mut seen: Vec<String> = ENTRIES.iter().map(Entry::syntax).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), ENTRIES.len());
    }
}
