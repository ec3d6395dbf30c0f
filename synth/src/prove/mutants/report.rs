//! Report on mutants: a table, and a line for each mutant that neither a proof nor a test notices.

use super::mutate::Mutant;
use super::run::{self, Fate, Outcome};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use txbar_export::tables::table;

/// The outcomes that are kept with the project, as JSON.
pub const KEPT: &str = include_str!("../../../reports/mutants.json");

/// Why a mutant survives, where somebody has looked: module, statement with the defect, and the reason.
const REASONS: &[(&str, &str, &str)] = &[];

/// The reason why a mutant survives, if somebody has found it.
pub fn reason(mutant: &Mutant) -> Option<&'static str> {
    let found = REASONS.iter().find(|(module, after, _)| *module == mutant.module && *after == mutant.after);
    found.map(|(.., reason)| *reason)
}

fn share(part: usize, of: usize) -> String {
    format!("{part} ({:.0} %)", 100.0 * part as f64 / of.max(1) as f64)
}

/// How many mutants of each module that has any are noticed, and by whom.
pub fn summary(outcomes: &[Outcome]) -> String {
    let row = |name: String, mine: &[&Outcome]| {
        let count = |test: fn(&Outcome) -> bool| share(mine.iter().filter(|outcome| test(outcome)).count(), mine.len());
        let proofs = count(|outcome| outcome.proof.is_some());
        let tests = count(|outcome| outcome.test);
        let either = count(|outcome| outcome.fate == Fate::Killed);
        let equivalent = mine.iter().filter(|outcome| outcome.fate == Fate::Equivalent).count();
        vec![name, mine.len().to_string(), proofs, tests, either, equivalent.to_string()]
    };
    let of = |module: &&str| {
        let mine: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.mutant.module == **module).collect();
        (!mine.is_empty()).then(|| row(format!("`{module}`"), &mine))
    };
    let all = row("all".to_owned(), &outcomes.iter().collect::<Vec<_>>());
    let header =
        ["module", "mutants", "noticed by proofs", "by random traffic", "by either", "equivalent, as shown by abc"];
    table(&header, run::modules().iter().filter_map(of).chain([all]))
}

/// The report, as Markdown.
pub fn report(outcomes: &[Outcome], seed: u64) -> String {
    let survivor = |outcome: &Outcome| {
        let Mutant { module, before, after, kind, .. } = &outcome.mutant;
        let known = match &outcome.fate {
            Fate::Killed => return None,
            Fate::Equivalent => "equivalent: shown by abc, unbounded".to_owned(),
            Fate::Differs(cycles) => format!("differs from the original in cycle {}", cycles - 1),
            Fate::Unknown(cycles) => format!("the same for {cycles} cycles"),
        };
        let why = reason(&outcome.mutant).unwrap_or_default().to_owned();
        let code = |text: &str| format!("`{}`", text.replace('|', "\\|"));
        Some(vec![format!("`{module}`"), kind.clone(), code(before), code(after), known, why])
    };
    format!(
        "# Mutants\n\nMutants of the exported Verilog, seed {seed}: who notices them.\n\n{}\n## Survivors\n\n{}",
        summary(outcomes),
        table(&["module", "kind", "statement", "mutant", "what it does", "why"], outcomes.iter().filter_map(survivor))
    )
}

/// What a report says of each mutant; nothing if there is no report.
///
/// # Errors
/// It cannot be read, or is none.
pub fn read(path: &Path) -> io::Result<Vec<Outcome>> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Path of the report.
pub fn file(directory: &Path, extension: &str) -> PathBuf {
    directory.join(format!("mutants.{extension}"))
}
