//! Documents quote benchmarks rightly: their tables are those of the figures in `docs/figures/bench_*.json`, which `txbar bench`
//! wrote, and what is counted in clock cycles is counted again. `scripts/update-figures` measures anew and brings the documents
//! up to date.

use std::fs;
use std::path::{Path, PathBuf};
use txbar_bench::suites::SUITES;
use txbar_bench::{Figure, Record, TITLES, phases, rates, rows};
use txbar_export::tables::{check_document, table, with_tables};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn record(suite: &str) -> Record {
    let file = root().join(format!("docs/figures/bench_{suite}.json"));
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let record: Record = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert_eq!(record.missing, Vec::<String>::new(), "{suite}: measured with all tools");
    assert!(record.figures.iter().all(|figure| figure.suite == suite));
    record
}

/// The table of a suite, without the columns that mean nothing in it.
fn of_figures(figures: &[Figure]) -> String {
    let rows = rows(figures);
    let kept: Vec<usize> = (1..TITLES.len()).filter(|&column| rows.iter().any(|row| !row[column].is_empty())).collect();
    let cells = rows.iter().map(|row| kept.iter().map(|&column| row[column].clone()).collect());
    table(&kept.iter().map(|&column| TITLES[column]).collect::<Vec<_>>(), cells)
}

/// What the machine was about while a suite was measured.
fn states(records: &[(&str, Record)]) -> String {
    let row = |(suite, record): &(&str, Record)| {
        let [before, after] = record
            .load_average
            .map_or([String::from("-"), String::from("-")], |load| load.map(|load| format!("{load:.1}")));
        vec![format!("`{suite}`"), record.processors.to_string(), before, after]
    };
    table(&["suite", "processors", "load before", "load at the end"], records.iter().map(row))
}

#[test]
fn documents_quote_the_figures() {
    let records: Vec<(&str, Record)> = SUITES.iter().map(|(suite, ..)| (*suite, record(suite))).collect();
    let mut tables = vec![("bench states".to_owned(), states(&records))];
    for (suite, record) in &records {
        let rows = match &record.rates {
            Some(rates) => table(&rates::TITLES, rates.rows().into_iter().map(Vec::from)),
            None if !record.phases.is_empty() => {
                let line = table(&phases::SUMMARY, [phases::summary(&record.phases).into()]);
                tables.push(("bench phases, all".to_owned(), line));
                table(&phases::TITLES, phases::rows(&record.phases).into_iter().map(Vec::from))
            }
            None => of_figures(&record.figures),
        };
        tables.push((format!("bench {suite}"), rows));
    }
    let tables: Vec<(&str, String)> = tables.iter().map(|(mark, table)| (mark.as_str(), table.clone())).collect();
    let (name, refresh) = ("docs/benchmarks.md", |document: &str| with_tables(document, &tables));
    let text = check_document(&root().join(name), refresh, "cargo test -p txbar-bench --test documents");
    // docs/scaling.md has the rates of the suite of growth, beside what the units cost
    assert_eq!(text.matches("<!-- bench ").count(), SUITES.len() + 1, "{name}");
}

#[test]
fn rates_in_cycles_are_those_of_the_hardware() {
    let kept = record("rates").rates.expect("`txbar bench rates` wrote it");
    // through JSON, which may change the last bit of a fraction
    let measured = serde_json::to_string(&rates::measure()).expect("numbers are JSON");
    let measured: rates::Rates = serde_json::from_str(&measured).expect("they were written a moment ago");
    assert_eq!(kept, measured, "scripts/update-figures rates");
}

#[test]
fn phases_in_cycles_are_those_of_the_hardware() {
    assert_eq!(record("phases").phases, phases::measure(), "scripts/update-figures phases");
}

/// No kernel takes more cycles than on an H200, and they take no more than 0.4 of them on average.
#[test]
fn phases_are_shorter_than_those_of_an_h200() {
    let phases = record("phases").phases;
    assert_eq!(phases.len(), phases::recorded().len());
    assert!(phases.iter().all(|phase| phase.ratio() <= 1.0), "{phases:?}");
    assert!(phases::mean(&phases) <= 0.4, "{}", phases::mean(&phases));
}

/// What the bars of the project ask of them.
#[test]
fn rates_are_what_is_promised() {
    let rates = record("rates").rates.expect("`txbar bench rates` wrote it");
    assert!(rates.one_bank.values().all(|rate| *rate == 1.0), "{:?}", rates.one_bank);
    assert!(rates.random_words >= 2.5);
    let low_latency = &rates.phases["low-latency"];
    assert!(low_latency.iter().filter(|(n, _)| *n % 4 == 0).all(|(_, rate)| *rate > 3.99), "{low_latency:?}");
}
