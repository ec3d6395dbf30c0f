//! `txbar sim --ctas` as a user meets it.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn sim(directory: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("txbar").expect("it has been built");
    command
        .current_dir(directory)
        .args(["sim", "--ctas", "3", "--ports", "2", "--words", "128"])
        .args(arguments)
        .assert()
}

#[test]
fn random_traffic_on_a_cluster_tells_its_figures() {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    let arguments = ["--cycles", "3000", "--seed", "5", "--stall", "10", "--json", "f.json", "--vcd", "w.vcd"];
    sim(here.path(), &arguments).success().stdout(contains("mismatches        0").and(contains("seed              5")));
    let text = fs::read_to_string(here.path().join("f.json")).expect("it is written");
    let figures: Value = serde_json::from_str(&text).expect("it is JSON");
    for key in ["operations", "remote_requests", "bytes_copied", "phases_completed", "rounds", "faults"] {
        assert!(figures[key].as_u64().is_some_and(|count| count > 0), "{key}: {text}");
    }
    assert!(figures["latency_cycles"]["min"].as_u64() >= Some(5) && figures["operations_per_cycle"].is_f64(), "{text}");
    assert!(fs::metadata(here.path().join("w.vcd")).expect("it is written").len() > 100_000);
    let again = sim(here.path(), &["--cycles", "3000", "--seed", "5", "--stall", "10"]).success();
    let said = String::from_utf8_lossy(&again.get_output().stdout).into_owned();
    assert!(said.contains(&format!("operations        {}\n", figures["operations"])), "{said}");
}

#[test]
fn a_fault_in_a_cluster_is_found_and_told() {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    let faulty = ["--cycles", "4000", "--seed", "1", "--inject-fault", "beat-crossed", "--json", "f.json"];
    sim(here.path(), &faulty).code(2).stdout(contains("FAILED with seed 1: cycle ").and(contains("no copy stores")));
    let text = fs::read_to_string(here.path().join("f.json")).expect("it is written");
    assert!(text.contains("\"mismatches\": 1") && text.contains("\"message\": \"CTA "), "{text}");
    sim(here.path(), &["--inject-fault", "list"]).success().stdout(contains("link-loses").and(contains("round-alone")));
    let unknown = contains("no fault `forward-oldest` in this design");
    sim(here.path(), &["--inject-fault", "forward-oldest"]).code(1).stderr(unknown);
}

#[test]
fn what_a_cluster_cannot_be_is_refused() {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    let refused = |arguments: &[&str], error: &str| {
        sim(here.path(), arguments).code(1).stdout("").stderr(contains(error));
    };
    refused(&["--ops", "5"], "--ops cannot be used with --ctas");
    refused(&["--roles"], "--roles cannot be used with --ctas");
    refused(&["--engine", "verilator"], "--ctas and --lanes need --engine rtl");
    refused(&["--link-cycles", "0"], "link-cycles = 0 cannot be built: it must be from 1 to 64");
    refused(&["--tag-bits", "2"], "random traffic on a cluster needs tag-bits of 3 or more");
    refused(&["--copiers", "2"], "random traffic on a cluster needs copiers of 4 or more");
    refused(&["--vcd", "no/such.vcd"], "cannot write no/such.vcd");
}
