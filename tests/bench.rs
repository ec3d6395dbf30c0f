//! `txbar bench` as a user meets it.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use txbar_bench::slices::Sliced;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::engine::compiled::{Compiled, Effort, Flow};

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
fn rates_in_cycles_are_told_and_kept() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("rates.json");
    let told =
        contains("arrivals a cycle on one barrier, 1, 2, 3, 4, 5").and(contains("first and last answer of 31 waits"));
    bench(&["rates", "--json", file.to_str().expect("the path is text")]).assert().success().stdout(told);
    let record: Value = serde_json::from_str(&fs::read_to_string(file).expect("it was written")).expect("it is JSON");
    assert_eq!(record["rates"]["one_bank"]["same"], 1.0);
}

/// What `bench engines` compares: a slice of Rust and one of Verilator answer the same requests with the same answers.
#[test]
fn slices_of_both_engines_answer_the_same() {
    let parameters = Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..Parameters::default() };
    let compiled =
        Compiled::by(Flow::Verilator, parameters, Effort::Quickest).unwrap_or_else(|error| panic!("{error}"));
    let slice = |library: Option<&Path>| {
        let asked = json!({ "size": "1x1, plain", "cycles": 3000, "library": library }).to_string();
        let output = bench(&[]).env("TXBAR_BENCH_SLICE", asked).assert().success().get_output().stdout.clone();
        serde_json::from_slice::<Sliced>(&output).expect("it is what came of a slice")
    };
    let [rust, verilator] = [slice(None), slice(Some(compiled.file()))];
    assert_eq!(rust.digest, verilator.digest);
    assert!(rust.seconds > 0.0 && verilator.seconds > 0.0);
    bench(&[]).env("TXBAR_BENCH_SLICE", "{}").assert().failure().stderr(contains("TXBAR_BENCH_SLICE: missing field"));
}

#[test]
fn bad_input_is_refused() {
    let refused = |arguments: &[&str], error: &str| {
        bench(arguments).assert().code(1).stdout("").stderr(contains(error.to_owned()));
    };
    refused(&["speed"], "error: there is no suite `speed`; `txbar bench list` names them");
    refused(&["--seconds", "0"], "error: invalid value '0' for '--seconds <SECONDS>': it must be from 0.01 to 3600");
}
