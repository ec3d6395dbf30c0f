//! The reports in `synth/reports/`: read back, for the documents that quote them.

use super::designs;
use super::figures::{self, Figures};
use std::fs;
use std::path::Path;
use txbar_export::tables::table;

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

/// The tables that documents quote, by the marks that stand for them: all designs, and the boards.
///
/// # Errors
/// As [`read`].
pub fn tables(directory: &Path) -> Result<[(&'static str, String); 2], String> {
    let of = |name| read(&directory.join(format!("{name}.json")));
    let mut rows = Vec::new();
    for measured in designs::all() {
        rows.extend(of(measured.name)?.iter().map(|figures| figures.in_short(measured.name)));
    }
    let header = ["design", "part", "LUT4", "FF", "BRAM", "MHz, median", "best", "seeds", "equivalence"];
    Ok([("synth designs", table(&header, rows)), ("synth boards", figures::markdown_table(&of(BOARDS)?))])
}
