//! The tables of the documentation are those of the definition. `TXBAR_UPDATE_DOCS=1 cargo test -p txbar-synth --test
//! tables` brings them up to date.

use std::path::Path;
use txbar_export::tables::{check_document, columns};
use txbar_synth::prove::mutants::report;
use txbar_synth::prove::mutants::run::{Fate, Outcome};
use txbar_synth::tables::{proofs_in_short, refresh};

#[test]
fn documents_are_up_to_date() {
    let pages =
        ["unit", "operations", "bus", "warps", "cluster", "board", "proofs"].map(|page| format!("docs/{page}.md"));
    let beside = ["testbench/vectors/README.md", "synth/formal/README.md"];
    for name in pages.iter().map(String::as_str).chain(beside) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        check_document(&path, refresh, "cargo test -p txbar-synth --test tables");
    }
}

/// README and results say how many proofs there are, and how many are bounded.
#[test]
fn the_readme_counts_the_proofs() {
    for name in ["README.md", "docs/results.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        let text = std::fs::read_to_string(path).expect("it is there").replace("**", "");
        assert!(text.contains(&proofs_in_short()), "{name} is to say `{}`", proofs_in_short());
    }
}

/// What is told of mutants is what came of them, and of each that survives there is a reason.
#[test]
fn the_report_on_mutants_is_up_to_date() {
    let outcomes: Vec<Outcome> = serde_json::from_str(report::KEPT).expect("they are outcomes");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/mutants.md");
    check_document(&path, |_| report::report(&outcomes, 1), "cargo test -p txbar-synth --test tables");
    let open = |outcome: &&Outcome| matches!(outcome.fate, Fate::Differs(_) | Fate::Unknown(_));
    for Outcome { mutant, .. } in outcomes.iter().filter(open) {
        assert!(report::reason(mutant).is_some(), "why does `{}` of {} survive?", mutant.after, mutant.module);
    }
}

#[test]
fn a_stale_row_is_replaced() {
    let fresh = refresh("before\n\n<!-- word -->\n\nafter\n");
    let stale = fresh.replace("| 42 |", "| 41 |");
    assert_ne!(fresh, stale);
    assert_eq!(refresh(&stale), fresh);
    assert!(fresh.starts_with("before\n") && fresh.ends_with("\nafter\n"));
}

#[test]
fn columns_are_as_wide_as_their_longest_cell() {
    let rows = [["unit", "MHz"], ["4x8", "±9"], ["a longer one", "100.0"]].map(|row| row.map(str::to_owned));
    assert_eq!(columns(&rows, 1), "unit            MHz\n4x8              ±9\na longer one  100.0\n");
    assert_eq!(columns(&rows[..2], 2), "unit  MHz\n4x8   ±9\n");
}
