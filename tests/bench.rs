//! `txbar bench` as a user meets it.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::fs;

fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("txbar").expect("it has been built");
    command.arg("bench").args(arguments);
    command
}

#[test]
fn suites_are_listed() {
    bench(&["list"]).assert().success().stdout(contains("engines ").and(contains("ptx ")));
}

#[test]
fn a_suite_is_measured_and_its_figures_are_kept() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("figures.json");
    let path = file.to_str().expect("the path is text");
    bench(&["ptx", "--seconds", "0.01", "--json", path]).assert().success().stdout(contains(" instructions"));
    let record: Value = serde_json::from_str(&fs::read_to_string(file).expect("it was written")).expect("it is JSON");
    let sizes: Vec<&str> =
        record["figures"].as_array().expect("a list").iter().filter_map(|figure| figure["size"].as_str()).collect();
    assert_eq!(sizes, ["1 CTAs of 256", "2 CTAs of 256", "4 CTAs of 256", "8 CTAs of 256"]);
    for figure in record["figures"].as_array().expect("a list") {
        assert!(figure["per_second"].as_f64().expect("a number") > 1000.0, "{figure}");
    }
}

#[test]
fn bad_input_is_refused() {
    let refused = |arguments: &[&str], error: &str| {
        bench(arguments).assert().code(2).stdout("").stderr(contains(error.to_owned()));
    };
    refused(&["speed"], "error: there is no suite `speed`; `txbar bench list` names them");
    refused(&["--seconds", "0"], "error: invalid value '0' for '--seconds <SECONDS>': it must be from 0.01 to 3600");
}
