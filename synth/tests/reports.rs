//! The reports in `synth/reports/` belong together, and documents quote them rightly. `TXBAR_UPDATE_DOCS=1 cargo test -p
//! txbar-synth --test reports` brings the documents up to date.

use std::fs;
use std::path::{Path, PathBuf};
use txbar_export::boards::{BAUD, Board};
use txbar_export::tables::{check_document, with_tables};
use txbar_rtl::board::parameters::Top;
use txbar_rtl::parameters::Design;
use txbar_synth::flow::equivalence::Equivalence;
use txbar_synth::flow::figures::{self, Figures};
use txbar_synth::flow::{Source, designs, parts::Part, reports};

/// What brings documents up to date.
const ADVICE: &str = "cargo test -p txbar-synth --test reports";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn directory() -> PathBuf {
    root().join("synth/reports")
}

fn rows(name: &str) -> Vec<Figures> {
    reports::read(&directory().join(format!("{name}.json"))).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn there_are_no_other_files_and_the_two_forms_of_a_report_agree() {
    let names = reports::names();
    let mut expected: Vec<String> =
        names.iter().flat_map(|name| ["json", "md"].map(|e| format!("{name}.{e}"))).collect();
    let entries = fs::read_dir(directory()).expect("it is there");
    let mut found: Vec<String> =
        entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    found.retain(|name| !name.starts_with("mutants.")); // those are of `txbar prove`
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    for name in names {
        let what =
            designs::all().iter().find(|measured| measured.name == name).map_or(reports::BOARDS_WHAT, |it| it.what);
        let markdown = figures::markdown(name, what, &rows(name));
        check_document(&directory().join(format!("{name}.md")), |_| markdown.clone(), ADVICE);
    }
}

#[test]
fn each_row_says_how_its_netlist_is_known_to_be_the_verilog() {
    for name in reports::names() {
        let unknown = rows(name).iter().any(|row| matches!(row.equivalence, Equivalence::Unchecked { .. }));
        assert!(!unknown, "{name}: `txbar synth --all --report --compare` compares it again");
    }
    let text = fs::read_to_string(directory().join("unit_1x1.json")).expect("it is there");
    let without = text.replacen("\"equivalence\"", "\"other\"", 1);
    let error = serde_json::from_str::<Vec<Figures>>(&without).expect_err("a row says nothing of it");
    assert!(error.to_string().contains("equivalence"), "{error}");
}

#[test]
fn each_report_has_the_parts_and_parameters_of_its_design() {
    for measured in designs::all() {
        let part = |name| Part::find(name).map(|part| (part.device, part.speed)).expect("it is in the table");
        let expected: Vec<(&str, &str)> = measured.parts().into_iter().map(part).collect();
        let rows = rows(measured.name);
        let found: Vec<(&str, &str)> = rows.iter().map(|row| (row.part.as_str(), row.speed.as_str())).collect();
        assert_eq!(found, expected, "{}: `txbar synth --all --report` measures it anew", measured.name);
        assert!(rows.iter().all(|row| row.parameters == measured.built_for.label()), "{}", measured.name);
    }
}

/// Figures are of the hardware of today: whoever changes a unit makes its report anew.
#[test]
fn each_row_is_of_the_verilog_of_today() {
    let stale = |name: &str, row: &Figures, source: &Source| {
        (row.verilog != source.hash()).then(|| format!("{name} ({}): {} is {}", row.part, row.verilog, source.hash()))
    };
    let units = designs::all().into_iter().flat_map(|measured| {
        let export = measured.built_for.export("txbar").expect("it can be exported");
        let source = Source::wrapped(&export, measured.built_for.label());
        rows(measured.name).into_iter().filter_map(move |row| stale(measured.name, &row, &source)).collect::<Vec<_>>()
    });
    let boards = Board::ALL.iter().flat_map(|board| Top::ALL.map(|top| (board, top)));
    let boards = rows(reports::BOARDS).into_iter().zip(boards).filter_map(|(row, (board, top))| {
        stale(board.name, &row, &Source::of_board(board, top, BAUD).expect("it can be exported"))
    });
    let stale: Vec<String> = units.chain(boards).collect();
    assert_eq!(stale, Vec::<String>::new(), "`txbar synth --all --report` measures them anew");
}

#[test]
fn every_top_in_the_report_of_the_boards_meets_its_clock() {
    let rows = rows(reports::BOARDS);
    let builds: Vec<_> = Board::ALL.iter().flat_map(|board| Top::ALL.map(|top| (board, top))).collect();
    assert_eq!(rows.len(), builds.len());
    for (row, (board, top)) in rows.iter().zip(builds) {
        let parameters = board.parameters(top, BAUD).expect("its clock has the usual baud rate");
        assert_eq!((row.board.as_deref(), &row.parameters), (Some(board.name), &parameters.label()));
        assert!(row.top.ends_with(&top.name().replace('-', "_")), "{}", row.top);
        assert_eq!(row.goal_mhz, f64::from(board.clock_hz) / 1e6);
        assert!(row.passes(), "{}", figures::against_clock(row));
    }
}

#[test]
fn documents_quote_the_reports() {
    let tables = reports::tables(&directory()).unwrap_or_else(|error| panic!("{error}"));
    let (name, refresh) = ("docs/fpga.md", |document: &str| with_tables(document, &tables));
    let text = check_document(&root().join(name), refresh, ADVICE);
    for (mark, table) in &tables {
        assert!(text.contains(&format!("<!-- {mark} -->")) && text.contains(table.as_str()), "{name}: {mark}");
    }
}
