//! The tables of the documentation, made from the table of forms and that of demands.

use super::demands::{DEMANDS, Demand, REMOTE_SINCE, REMOTE_TARGET};
use super::{LINES, Line, Place, Places, Scopes};
use crate::ast::Version;
use txbar_synth::tables::table;

/// A version; a dash if there is none.
fn version(since: Option<Version>) -> String {
    since.map_or("-".to_owned(), |since| since.to_string())
}

/// An architecture; a dash if there is none.
fn target(least: Option<u32>) -> String {
    least.map_or("-".to_owned(), |least| format!("sm_{least}"))
}

/// Operations of the hardware.
fn hardware(line: &Line) -> String {
    if line.ops.is_empty() {
        return "the cluster barrier".to_owned();
    }
    let names: Vec<String> = line.ops.iter().map(|op| format!("`{}`", op.name())).collect();
    names.join(", then ")
}

/// A form as it is shown.
struct Row {
    line: &'static Line,
    syntax: String,
    since: Version,
    target: u32,
}

/// Every form; arrivals in other CTAs have a row of their own.
fn rows() -> impl Iterator<Item = Row> {
    LINES.iter().flat_map(|line| {
        line.syntaxes().into_iter().map(move |(syntax, place)| {
            let (since, target) = match place {
                Place::SharedCluster => (line.since.max(REMOTE_SINCE), line.target.max(REMOTE_TARGET)),
                _ => (line.since, line.target),
            };
            Row { line, syntax, since, target }
        })
    })
}

/// Every form: what it is, since when, where, and what the hardware does.
pub fn forms_markdown() -> String {
    let row = |Row { line, syntax, since, target: least }| {
        let (since, least) = (version(Some(since)), target(Some(least)));
        vec![format!("`{syntax}`"), line.meaning.to_owned(), since, least, hardware(line)]
    };
    table(&["form", "meaning", "PTX ISA", "target", "operation of the hardware"], rows().map(row))
}

/// What the qualifiers and operands demand beyond their form.
pub fn demands_markdown() -> String {
    let row = |demand: &Demand| {
        let verbs: Vec<String> = demand.verbs.iter().map(|verb| format!("`{}`", verb.name())).collect();
        vec![demand.written.to_owned(), verbs.join(", "), version(demand.since), target(demand.target)]
    };
    table(&["written", "of", "PTX ISA", "target"], DEMANDS.iter().map(row))
}

/// What `.sem`, `.scope` and the state space can be.
pub fn qualifiers_markdown() -> String {
    let row = |line: &Line| {
        let names = |names: Vec<&str>| match names.as_slice() {
            [] => "-".to_owned(),
            names => names.iter().map(|name| format!("`.{name}`")).collect::<Vec<_>>().join(", "),
        };
        let scopes = match line.scopes {
            Scopes::None => vec![],
            Scopes::Cta => vec!["cta"],
            Scopes::CtaOrCluster => vec!["cta", "cluster"],
        };
        let places = match line.places {
            Places::None => vec![],
            Places::Own => vec!["shared", "shared::cta"],
            Places::Cta => vec!["shared::cta"],
            Places::Any => vec!["shared", "shared::cta", "shared::cluster"],
        };
        let semantics = line.semantics.iter().map(|semantics| semantics.name()).collect();
        vec![format!("`{}`", line.name()), names(semantics), names(scopes), names(places)]
    };
    table(&["instruction", "`.sem`", "`.scope`", "state space"], LINES.iter().map(row))
}

/// The forms as plain text for a terminal, a line each.
pub fn forms_text() -> String {
    let width = rows().map(|row| row.syntax.len()).max().unwrap_or(0);
    let line = |row: Row| {
        let since = row.since.to_string(); // a version has no width of its own
        format!("{:width$}  {since:>4}  sm_{}  {}\n", row.syntax, row.target, row.line.meaning)
    };
    rows().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::barrier::Verb;

    #[test]
    fn lines_are_in_the_order_of_the_instructions_and_none_is_missing() {
        let mut verbs: Vec<Verb> = LINES.iter().map(|line| line.verb).collect();
        verbs.dedup();
        assert_eq!(verbs, Verb::ALL);
        let mut names: Vec<String> = LINES.iter().map(Line::name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), LINES.len(), "a line is there twice");
    }

    #[test]
    fn tables_have_a_row_for_each_line() {
        let count = |text: &str| text.lines().filter(|row| row.starts_with("| ")).count() - 2; // the head is two
        assert_eq!(count(&forms_markdown()), 28, "the manual's syntax lines, those with a layout once for each");
        assert_eq!(count(&qualifiers_markdown()), LINES.len());
        assert_eq!(count(&demands_markdown()), DEMANDS.len());
        assert_eq!(forms_text().lines().count(), 28);
        // a bar within a row would be a column too many
        for text in [forms_markdown(), qualifiers_markdown(), demands_markdown()] {
            let columns: Vec<usize> = text.lines().map(|row| row.matches('|').count()).collect();
            assert!(columns.iter().all(|count| *count == columns[0]) && !text.contains("\n\n"), "{text}");
        }
    }
}
