//! What README and documents quote comes from files that programs wrote, or is counted here. `TXBAR_UPDATE_DOCS=1 cargo test --test
//! figures` brings the tables up to date.
//!
//! * Tables of docs/comparison.md: `docs/figures/peers.json` beside `synth/reports` and `docs/figures/bench_rates.json`.
//! * The table in docs/verification.md: `docs/figures/tests.json`, of `scripts/test-suites --record`.
//! * Numbers in the README's table of figures and in the tables of docs/results.md: each is a number of the row's own [`SOURCES`], as
//!   it is written there or rounded: a report or a record of what was measured, or what is counted here.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use txbar_bench::Record;
use txbar_bench::phases;
use txbar_bench::rates::{Rates, Wake};
use txbar_export::tables::{check_document, table, with_tables};
use txbar_synth::prove::list::PROOFS;
use txbar_synth::prove::mutants::report;
use txbar_synth::prove::mutants::run::Outcome;
use txbar_testbench::faults::{banked, cluster, high_clock, low_latency};
use txbar_testbench::silicon;
use txbar_testbench::warp::recording;

const ADVICE: &str = "cargo test --test figures";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn json(file: &str) -> Value {
    let text = fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn rates() -> Rates {
    let record: Record = serde_json::from_value(json("docs/figures/bench_rates.json")).expect("`txbar bench` wrote it");
    record.rates.expect("`txbar bench rates` wrote it")
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Area and clock on an ECP5-85F of speed 6: the others', and those of reports here with the rate on one barrier that they have.
fn peers_clock() -> String {
    let rates = rates();
    let four = |build: &str| rates.phases[build][&4];
    let reports = [
        ("unit_1x1", "txbar, one port, low latency", 0, rates.one_bank["same"]),
        ("unit_1x1_high_clock", "txbar, one port, high clock", 0, rates.one_bank["same"]),
        ("unit_4x8", "txbar, 4 ports and 8 banks, low latency", 32, four("low-latency")),
        ("unit_4x8_high_clock", "txbar, 4 ports and 8 banks, banked high clock", 32, four("banked-high-clock")),
    ];
    let row = |unit: String, waiters: String, lut4: &Value, ff: &Value, mhz: f64, rate: f64| {
        let millions = format!("{:.0}", mhz * rate);
        vec![unit, waiters, text(lut4), text(ff), format!("{mhz:.1}"), format!("{rate:.2}"), millions]
    };
    let peers = json("docs/figures/peers.json");
    let others = peers["clock"].as_array().expect("a list").iter().map(|peer| {
        let number = |key: &str| peer[key].as_f64().expect("a number");
        row(
            text(&peer["unit"]),
            text(&peer["waiters"]),
            &peer["lut4"],
            &peer["ff"],
            number("mhz"),
            number("operations_per_cycle"),
        )
    });
    let own = reports.into_iter().map(|(report, unit, waiters, rate)| {
        let rows = json(&format!("synth/reports/{report}.json"));
        let row_of = |row: &&Value| row["part"] == "ECP5-85F" && row["speed"] == "6";
        let measured = rows.as_array().expect("a list").iter().find(row_of).expect("it is measured on this part");
        let mhz = measured["fmax_mhz"]["median"].as_f64().expect("it fits");
        row(unit.to_owned(), waiters.to_string(), &measured["lut4"], &measured["ff"], mhz, rate)
    });
    let header = ["unit", "waiters", "LUT4", "FF", "MHz", "operations a cycle", "million operations a second"];
    table(&header, others.chain(own).collect::<Vec<_>>())
}

/// Rates and wake-ups in cycles.
fn peers_rates() -> String {
    let peers = json("docs/figures/peers.json");
    let rates = rates();
    let cell = |value: &Value| value.as_f64().map_or(String::new(), |number| format!("{number:.2}"));
    let others = peers["rates"].as_array().expect("a list").iter().map(|peer| {
        let name = format!("{}, memory of {} cycles", text(&peer["unit"]), peer["memory_cycles"]);
        let [first, last] = ["first_waiter", "last_waiter"].map(|key| text(&peer[key]));
        vec![name, cell(&peer["one_barrier"]), cell(&peer["round_robin"]), String::new(), first, last]
    });
    let wake = |unit: &str| -> &Wake {
        rates.wakes.iter().find(|wake| wake.unit == unit && wake.waits > 30).expect("it was measured")
    };
    let own = [
        ("low-latency 1x1", rates.one_bank["same"], rates.one_bank["random"]),
        ("low-latency 4x8", rates.phases["low-latency"][&4], rates.random_words),
    ];
    let own = own.map(|(unit, one, many)| {
        let Wake { told, first_answer, last_answer, .. } = wake(unit);
        let [one, many] = [one, many].map(|rate| format!("{rate:.2}"));
        vec![format!("txbar, {unit}"), one, many, told.to_string(), first_answer.to_string(), last_answer.to_string()]
    });
    let header = [
        "unit",
        "arrivals on one barrier",
        "on many",
        "last arrival to `wake_valid`",
        "to the first of 31 or 32",
        "to the last",
    ];
    table(&header, others.chain(own).collect::<Vec<_>>())
}

/// The crates with the sums of their suites.
fn crates() -> String {
    let record = json("docs/figures/tests.json");
    let mut crates: BTreeMap<String, [f64; 3]> = BTreeMap::new();
    for suite in record["suites"].as_array().expect("a list") {
        let name = text(&suite["suite"]);
        let name = name.split("::").next().unwrap_or_default().to_owned();
        let sums = crates.entry(name).or_default();
        let counted = ["seconds", "processor_seconds"].map(|key| suite[key].as_f64().expect("a number"));
        [1.0].into_iter().chain(counted).zip(sums).for_each(|(more, sum)| *sum += more);
    }
    let row = |(name, sums): (String, [f64; 3])| {
        let package = if name == "txbar" { name } else { format!("txbar-{name}") };
        std::iter::once(format!("`{package}`")).chain(sums.map(|sum| format!("{sum:.0}"))).collect()
    };
    table(&["crate", "suites", "seconds", "processor seconds"], crates.into_iter().map(row))
}

#[test]
fn tables_are_up_to_date() {
    for (document, tables) in [
        ("docs/comparison.md", vec![("peers clock", peers_clock()), ("peers rates", peers_rates())]),
        ("docs/verification.md", vec![("test crates", crates())]),
    ] {
        let text = check_document(&root().join(document), |text| with_tables(text, &tables), ADVICE);
        for (mark, _) in tables {
            assert!(text.contains(&format!("<!-- {mark} -->")), "{document} has lost its table {mark}");
        }
    }
}

/// Every number in some JSON, those that stand for something included.
fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Number(number) => found.extend(number.as_f64()),
        Value::Array(values) => values.iter().for_each(|value| numbers(value, found)),
        Value::Object(values) => {
            found.extend(values.keys().filter_map(|key| key.parse::<f64>().ok()));
            values.values().for_each(|value| numbers(value, found));
        }
        _ => {}
    }
}

fn files(folder: &str, kind: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == kind)).collect()
}

/// Files of kernels, in all folders of `ptx/kernels`.
fn kernel_files(kind: &str) -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("ptx/kernels")).expect("the folder is there");
    let folders = folders.map(|entry| entry.expect("it can be read").path()).filter(|path| path.is_dir());
    folders.flat_map(|folder| files(folder.to_str().expect("text"), kind)).collect()
}

/// Recorded operations.
fn operations() -> Vec<usize> {
    let records = [silicon::LEGAL, silicon::EDGE].map(|text| silicon::read("recording", text.as_bytes()));
    vec![records.map(|records| records.expect("the recordings are sound").len()).iter().sum()]
}

/// Recorded instructions of warps: of each recording, and of all.
fn warps() -> Vec<usize> {
    let texts = [recording::LEGAL, recording::EDGE, recording::MORE];
    let records = texts.map(|text| recording::read("recording", text.as_bytes()));
    let mut counts = records.map(|records| records.expect("the recordings are sound").len()).to_vec();
    counts.push(counts.iter().sum());
    counts
}

/// Kernels of which it is known what they leave: all, those that an H200 ran, the others.
fn kernels() -> Vec<usize> {
    let expected = kernel_files("expected");
    let by_hand = |path: &&PathBuf| {
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        let begins =
            ["address32_", "odd_", "layouts", "bulk_mask", "bar_halves", "grid_resident", "registers_given_back"];
        begins.iter().any(|begin| name.starts_with(begin))
    };
    let by_hand = expected.iter().filter(by_hand).count();
    vec![expected.len(), expected.len() - by_hand, by_hand]
}

/// Kernels with a mistake that has a name.
fn broken_kernels() -> Vec<usize> {
    vec![kernel_files("diagnosis").len()]
}

/// Recorded results of arithmetic, and forms that they are of.
fn arithmetic() -> Vec<usize> {
    let text = fs::read_to_string(root().join("ptx/tests/arithmetic/h200_arithmetic.csv")).expect("it is there");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let forms: BTreeSet<&str> =
        rows.clone().filter_map(|row| row.split(',').next()).filter(|form| !form.is_empty()).collect();
    vec![rows.count(), forms.len()]
}

/// Proofs: all, unbounded, bounded, and the cycles of the bounded ones.
fn proofs() -> Vec<usize> {
    let reach = || PROOFS.iter().map(|proof| proof.engine.reach());
    let unbounded = reach().filter(|reach| *reach == "unbounded").count();
    let cycles = reach().filter_map(|reach| reach.split(' ').next()?.parse().ok());
    [PROOFS.len(), unbounded, PROOFS.len() - unbounded].into_iter().chain(cycles).collect()
}

/// Mutants: all, and those that a proof notices.
fn mutants() -> Vec<usize> {
    let outcomes: Vec<Outcome> = serde_json::from_str(report::KEPT).expect("they are outcomes");
    vec![outcomes.len(), outcomes.iter().filter(|outcome| outcome.proof.is_some()).count()]
}

/// Injected faults: in a unit of each build, and in a cluster.
fn faults() -> Vec<usize> {
    let units = [low_latency::FAULTS.len(), high_clock::FAULTS.len(), banked::FAULTS.len()];
    units.into_iter().chain([cluster::FAULTS.len()]).collect()
}

/// Ways to write a number: as it is, rounded, in millions.
fn written(number: f64) -> impl Iterator<Item = String> {
    // what ends with a 5 may be rounded either way
    [number, number + number.abs() * 1e-12].into_iter().flat_map(|number| {
        let plain = [0, 1, 2, 3].map(|digits| format!("{number:.digits$}"));
        let millions = [1, 2].map(|digits| format!("{:.digits$}", number / 1e6));
        plain.into_iter().chain(millions)
    })
}

/// The numbers of a text, but for those in code. What begins with a letter or goes on with one, such as `H200` and `4x8`, is a name.
fn quoted(text: &str) -> Vec<String> {
    let prose = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let words = prose.split(|c: char| !(c.is_alphanumeric() || ".,_-".contains(c)));
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).replace(',', ""));
    words.filter(|word| word.parse::<f64>().is_ok()).collect()
}

/// The rows of a document's tables, by columns, without the heads.
fn rows(document: &str) -> Vec<Vec<&str>> {
    let mut found: Vec<Vec<&str>> = Vec::new();
    for line in document.lines() {
        let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else { continue };
        if row.starts_with("---") {
            found.pop();
        } else {
            found.push(row.split(" | ").collect());
        }
    }
    found
}

/// What a section of a document says, without its heading.
fn section<'a>(document: &'a str, heading: &str) -> &'a str {
    let (_, rest) = document.split_once(heading).unwrap_or_else(|| panic!("there is no section {heading}"));
    rest.split("\n## ").next().expect("there is always one")
}

/// Where a figure may come from.
#[derive(Clone, Copy)]
enum Source {
    /// A file that a program wrote.
    File(&'static str),
    /// What is counted here.
    Counted(fn() -> Vec<usize>),
    /// The means of the phases of PTX kernels beside an H200's.
    Phases,
    /// What is written in the test whose name begins so, which fails if it is not so.
    Asserted(&'static str),
}

/// What each row of a table of figures may quote: that of all entries whose words are in the row.
const SOURCES: &[(&str, &[Source])] = &[
    ("h200_legal.csv", &[Source::Counted(operations)]),
    ("h200_warp_legal.csv", &[Source::Counted(warps)]),
    ("--test kernels every_kernel", &[Source::Counted(kernels)]),
    ("--test kernels sound", &[Source::Counted(kernels)]),
    ("--test kernels every_broken", &[Source::Counted(broken_kernels)]),
    ("--test arithmetic", &[Source::Counted(arithmetic)]),
    ("--test injected_faults", &[Source::Counted(faults)]),
    ("prove --all", &[Source::Counted(proofs)]),
    ("prove --mutants", &[Source::Counted(mutants)]),
    ("bench rates", &[Source::File("docs/figures/bench_rates.json")]),
    ("txbar sim --ports", &[Source::File("docs/figures/bench_rates.json")]),
    ("bench engines", &[Source::File("docs/figures/bench_engines.json")]),
    ("bench phases", &[Source::Phases]),
    ("bench ptx", &[Source::File("docs/figures/bench_ptx.json")]),
    ("low-latency build |", &[Source::File("synth/reports/unit_1x1.json")]),
    (
        "clock on an ECP5",
        &[Source::File("synth/reports/unit_1x1.json"), Source::File("synth/reports/unit_1x1_plain.json")],
    ),
    ("HX8K, high-clock build |", &[Source::File("synth/reports/unit_1x1_high_clock.json")]),
    ("high-clock build (16 cycles", &[Source::File("synth/reports/unit_1x1_high_clock.json")]),
    ("[high-clock build]", &[Source::File("synth/reports/unit_1x1_high_clock.json")]),
    ("with the [wake mask]", &[Source::File("synth/reports/unit_1x1_wake_mask.json")]),
    ("with answers to waits", &[Source::File("synth/reports/unit_1x1_waiters.json")]),
    (
        "4 ports, 8 banks, 32 wait", // the latencies are with the rates
        &[
            Source::File("synth/reports/unit_4x8_high_clock.json"),
            Source::File("synth/reports/unit_4x8.json"),
            Source::File("docs/figures/bench_rates.json"),
        ],
    ),
    ("--test cluster one_remote", &[Source::Asserted("one_remote_arrive")]),
    ("--test cluster a_remote_arrive", &[Source::Asserted("a_remote_arrive")]),
    ("--test cluster a_round", &[Source::Asserted("a_round")]),
];

impl Source {
    /// All numbers that are there.
    fn numbers(self) -> Vec<f64> {
        let mut found = Vec::new();
        match self {
            Self::File(file) => numbers(&json(file), &mut found),
            Self::Counted(count) => found.extend(count().into_iter().map(|count| count as f64)),
            Self::Phases => {
                let record: Record = serde_json::from_value(json("docs/figures/bench_phases.json")).expect("a record");
                let summary = phases::summary(&record.phases);
                found.extend(summary.iter().map(|text| text.replace('*', "").parse::<f64>().expect("a number")));
            }
            Self::Asserted(test) => {
                let head = format!("\nfn {test}");
                let sources = files("testbench/tests/cluster", "rs").into_iter();
                let text = sources.map(|file| fs::read_to_string(file).expect("it can be read"));
                let text = text.filter_map(|text| Some(text.split_once(&head)?.1.split_once("\n}\n")?.0.to_owned()));
                found.extend(quoted(&text.collect::<String>()).iter().filter_map(|number| number.parse::<f64>().ok()));
            }
        }
        found
    }
}

/// The figures of a row that none of its sources has.
fn unknown(row: &[&str], figure: usize) -> Vec<String> {
    let line = row.join(" | ");
    let sources = SOURCES.iter().filter(|(words, _)| line.contains(words)).flat_map(|(_, sources)| *sources);
    let known: BTreeSet<String> = sources.flat_map(|source| source.numbers()).flat_map(written).collect();
    let missing = quoted(row[figure]).into_iter().filter(|number| !known.contains(number));
    missing.map(|number| format!("{number} in `{}`", row[0])).collect()
}

#[test]
fn no_figure_is_typed_by_hand() {
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (readme, results) = (read("README.md"), read("docs/results.md"));
    let mut missing = Vec::new();
    // by the number of columns, and the place of the figure among them; the command is the last column
    for (text, columns, figure, least) in [(section(&readme, "\n## Figures\n"), 3, 1, 6), (&results, 4, 2, 25)] {
        let rows = rows(text);
        assert!(rows.len() >= least, "the tables are there");
        for row in rows {
            assert_eq!(row.len(), columns, "{row:?}");
            // what an H200 answered is told in testbench/silicon
            if !row[columns - 1].contains("on an H200") {
                missing.extend(unknown(&row, figure));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "their sources (SOURCES, in this file) do not have these");
}

#[test]
fn a_figure_of_another_measurement_is_refused() {
    // 108 mutants were made, 31 proofs are there
    let row = |figure| ["mutants noticed", "all", figure, "`txbar prove --mutants 108 --seed 1`"];
    assert_eq!(unknown(&row("**108 of 108**"), 2), Vec::<String>::new());
    assert_eq!(unknown(&row("31 of 108"), 2), ["31 in `mutants noticed`"]);
    assert_eq!(unknown(&["what has no source", "", "1", ""], 2), ["1 in `what has no source`"]);
}

#[test]
fn numbers_are_told_from_names() {
    assert_eq!(
        quoted("**145.0** MHz (137.4 to 150.9), 10,571 of an H200 at 4x8 with `--ports 1`; 3."),
        ["145.0", "137.4", "150.9", "10571", "3"]
    );
    assert!(written(145.01).any(|text| text == "145.0") && written(3558312.0).any(|text| text == "3.56"));
}
