//! The reports in `synth/reports/`: read back, for the documents that quote them.

use super::designs;
use super::figures::{self, Figures};
use std::fs;
use std::path::Path;

/// The figures of a report.
///
/// # Errors
/// There is no such file, or it holds something else; the message names it.
pub fn read(path: &Path) -> Result<Vec<Figures>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{} holds no figures: {error}", path.display()))
}

/// Name of the report of all tops on all boards.
pub const BOARDS: &str = "boards";
/// What it holds, in a sentence.
pub const BOARDS_WHAT: &str = "The tops for boards, with the board's pins, at the board's clock.";

/// Names of the reports.
pub fn names() -> Vec<&'static str> {
    designs::all().iter().map(|measured| measured.name).chain([BOARDS]).collect()
}

/// The tables of all reports, by the marks that stand for them in documents: `synth unit_1x1`.
///
/// # Errors
/// As [`read`].
pub fn tables(directory: &Path) -> Result<Vec<(String, String)>, String> {
    let table = |name| {
        let figures = read(&directory.join(format!("{name}.json")))?;
        Ok((format!("synth {name}"), figures::markdown_table(&figures)))
    };
    names().into_iter().map(table).collect()
}
