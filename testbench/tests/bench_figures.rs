//! Documents quote benchmarks rightly: their tables are those of the figures in `benches/figures.json`, which `txbar bench`
//! wrote. `scripts/update-figures` measures anew and brings the documents up to date.

use serde::Deserialize;
use std::fs;
use std::path::Path;
use txbar_synth::tables::{check_document, table, with_tables};
use txbar_testbench::bench::suites::SUITES;
use txbar_testbench::bench::{Figure, TITLES, rows};

#[derive(Deserialize)]
struct Record {
    processors: usize,
    missing: Vec<String>,
    figures: Vec<Figure>,
}

#[test]
fn documents_quote_the_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join("testbench/benches/figures.json")).expect("it is there");
    let Record { processors, missing, figures } = serde_json::from_str(&text).expect("`txbar bench` wrote it");
    assert!(processors > 0);
    assert_eq!(missing, Vec::<String>::new(), "measured with all tools");
    for (suite, ..) in SUITES {
        assert!(figures.iter().any(|figure| figure.suite == *suite), "{suite} was measured");
    }
    let of = |suite: &str| {
        let figures: Vec<Figure> = figures.iter().filter(|figure| figure.suite == suite).cloned().collect();
        let cells = rows(&figures).into_iter().map(|row| row[1..].to_vec());
        (format!("bench {suite}"), table(&TITLES[1..], cells))
    };
    let tables: Vec<(String, String)> = SUITES.iter().map(|(suite, ..)| of(suite)).collect();
    let tables: Vec<(&str, String)> = tables.iter().map(|(mark, table)| (mark.as_str(), table.clone())).collect();
    for (name, marks) in [("README.md", 1), ("docs/benchmarks.md", SUITES.len())] {
        let refresh = |document: &str| with_tables(document, &tables);
        let text = check_document(&root.join(name), refresh, "cargo test -p txbar-testbench --test bench_figures");
        assert_eq!(text.matches("<!-- bench ").count(), marks, "{name}");
    }
}
