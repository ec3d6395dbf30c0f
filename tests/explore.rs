//! `txbar synth --explore` and `txbar advise` as a user meets them: what is kept is not measured again, parts come to the whole, advice
//! is a command that works, and bad input is refused.
#![cfg(unix)]

mod common;

use assert_cmd::Command;
use common::{directory, json, refused, txbar};
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;
use txbar_synth::flow::equivalence::Equivalence;
use txbar_synth::flow::figures::{Figures, Fmax, Tools};
use txbar_synth::frontier::{self, Choice, Point, Rates, Set};
use txbar_testbench::test_env;

/// Three smallest units.
const SET: &str = r#"{ "parts": ["ecp5-25f-6"], "units": [
    { "build": "low-latency", "ports": [1, 2], "banks": [1], "waiters": [0], "words": [16] },
    { "build": "high-clock", "ports": [1], "banks": [1], "waiters": [0], "words": [16] } ] }"#;

/// A directory with the set, and with tools that have a version and fail at everything else.
fn with_tools_that_fail() -> TempDir {
    let here = directory();
    fs::write(here.path().join("set.json"), SET).expect("it can be written");
    fs::create_dir_all(here.path().join("tools/bin")).expect("it can be made");
    for tool in ["yosys", "nextpnr-ecp5", "berkeley-abc"] {
        let path = here.path().join("tools/bin").join(tool);
        let script =
            "#!/bin/sh\ncase $1 in --version) echo 'Tool 9.9';; *) echo 'ERROR: it was asked'; exit 1;; esac\n";
        fs::write(&path, script).expect("it can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be run");
    }
    here
}

/// `txbar synth --explore set.json`, with those tools.
fn explore(here: &Path, more: &[&str]) -> Command {
    let mut command = txbar(here);
    command.env("TXBAR_TOOLS", here.join("tools")).args(["synth", "--explore", "set.json"]).args(more);
    command
}

/// A point as if it had been measured with those tools.
fn measured(choice: &Choice, mhz: f64) -> Point {
    let source = choice.source().expect("it can be exported");
    let figures = Figures {
        top: source.design.clone(),
        parameters: source.parameters.clone(),
        verilog: String::new(),
        part: choice.part.device.to_owned(),
        speed: choice.part.speed.to_owned(),
        board: None,
        seeds: choice.seeds,
        goal_mhz: 300.0,
        fmax_mhz: Some(Fmax::of(vec![mhz])),
        lut4: (10.0 * mhz) as u64,
        ff: 1,
        bram: 2,
        carry: 3,
        lut_ram: 4,
        alone: None,
        critical_path: Vec::new(),
        critical_path_seed: None,
        failure: None,
        netlist: String::new(),
        equivalence: Equivalence::Proved,
        tools: Tools { yosys: "9.9".to_owned(), nextpnr: "9.9".to_owned() },
    };
    let rates = Rates { random_words: 1.0, one_barrier: 0.5, latency: 5 };
    Point::new(choice, choice.recipe(&source), rates, figures)
}

/// All three, in the order in which they are kept.
fn all() -> Vec<Point> {
    let (_, choices) = Set::read(SET).expect("it is a set");
    let mut points = Vec::new();
    for (choice, mhz) in choices.iter().zip([50.0, 60.0, 70.0]) {
        frontier::keep(&mut points, measured(choice, mhz));
    }
    points
}

fn keep(here: &Path, name: &str, points: &[Point]) {
    let text = serde_json::to_string_pretty(points).expect("it is JSON") + "\n";
    fs::write(here.join(name), text).expect("it can be written");
}

#[test]
fn what_is_kept_is_not_measured_again() {
    let here = with_tools_that_fail();
    keep(here.path(), "frontier.json", &all());
    let text = || fs::read_to_string(here.path().join("frontier.json")).expect("it is there");
    let before = text();
    explore(here.path(), &["--json", "all.json", "--svg", "all.svg"])
        .assert()
        .success()
        .stdout(contains("low-latency").and(contains("high-clock, one pipeline")))
        .stderr(contains("3 units, 3 of them measured before"));
    assert_eq!(text(), before);
    let points: Vec<Point> = serde_json::from_value(json(&here.path().join("all.json"))).expect("they are points");
    assert_eq!(points, all());
    let svg = fs::read_to_string(here.path().join("all.svg")).expect("it was drawn");
    assert!(svg.contains("Units on ecp5-25f-6") && svg.contains("1x1, 16 words"), "{svg}");
}

#[test]
fn what_is_missing_or_made_of_something_else_is_measured() {
    let here = with_tools_that_fail();
    let tried = |points: &[Point]| {
        keep(here.path(), "other.json", points);
        let before = fs::read_to_string(here.path().join("other.json")).expect("it is there");
        let mut command = explore(here.path(), &["--keep", "other.json"]);
        command.assert().code(1).stderr(contains("error: yosys failed: it was asked"));
        assert_eq!(fs::read_to_string(here.path().join("other.json")).expect("it is there"), before, "nothing is lost");
    };
    tried(&all()[..2]);
    let other = |change: fn(&mut Point)| {
        let mut points = all();
        change(&mut points[1]);
        points
    };
    tried(&other(|point| point.recipe = "0123456789abcdef".to_owned()));
    tried(&other(|point| point.figures.tools.yosys = "9.8".to_owned()));
    tried(&other(|point| point.figures.seeds = 2));
    tried(&other(|point| point.part = "ecp5-25f-8".to_owned()));
}

#[test]
fn parts_of_a_set_come_to_the_whole() {
    let here = with_tools_that_fail();
    keep(here.path(), "frontier.json", &all());
    let whole = explore(here.path(), &["--json", "whole.json"]).output().expect("it runs");
    for part in ["1", "2"] {
        let (shard, file) = (format!("{part}/2"), format!("{part}.json"));
        explore(here.path(), &["--shard", &shard, "--json", &file]).assert().success();
    }
    let merged =
        txbar(here.path()).args(["merge", "2.json", "1.json", "--json", "merged.json"]).output().expect("it runs");
    assert!(merged.status.success(), "{}", String::from_utf8_lossy(&merged.stderr));
    assert_eq!(String::from_utf8_lossy(&merged.stdout), String::from_utf8_lossy(&whole.stdout));
    assert_eq!(json(&here.path().join("merged.json")), json(&here.path().join("whole.json")));
    // what is merged is what a further run begins with
    explore(here.path(), &["--keep", "merged.json"]).assert().success().stderr(contains("3 of them measured before"));
}

#[test]
fn bad_sets_and_files_are_refused() {
    let here = with_tools_that_fail();
    let set = |name: &str, text: &str| fs::write(here.path().join(name), text).expect("it can be written");
    set("text.json", "no JSON");
    set("empty.json", r#"{ "parts": ["ecp5-25f-6"], "units": [] }"#);
    set("part.json", &SET.replace("ecp5-25f-6", "xc7a35t"));
    set("unit.json", &SET.replace("\"banks\": [1]", "\"banks\": [3]"));
    let explore =
        |name: &str, error: &'static str| refused(here.path(), &["synth", "--explore", name], starts_with(error));
    explore("none.json", "error: none.json: No such file");
    explore("text.json", "error: text.json: it is not a set of units: expected ident");
    explore("empty.json", "error: empty.json: it is empty: it names no unit\n");
    explore("part.json", "error: part.json: there is no part `xc7a35t`; there are ecp5-25f-6, ");
    explore("unit.json", "error: unit.json: banks = 3 cannot be built");
    let given = |arguments: &[&str], error: &'static str| refused(here.path(), arguments, contains(error));
    given(&["synth", "--explore", "set.json", "--keep", "text.json"], "error: text.json holds no explored units");
    given(
        &["synth", "--explore", "set.json", "--keep", "set.json"],
        "set.json is a file that is read: --keep cannot write there",
    );
    given(&["synth", "--explore", "set.json", "--ports", "2"], "--ports cannot be used with --explore");
    given(&["synth", "--explore", "set.json", "--part", "ecp5-85f-6"], "--part cannot be used with --explore");
    given(&["synth", "--shard", "1/2"], "--shard needs --explore");
    given(&["synth", "--keep", "x.json"], "--keep needs --explore");
}

/// With the real tools, a unit is measured, kept, and not measured again; all three if `TXBAR_ALL_SETS` is set.
#[test]
fn a_unit_is_measured_and_kept() {
    let here = directory();
    let set = SET.replace("ecp5-25f-6", "ice40-hx8k");
    let mut set: Value = serde_json::from_str(&set).expect("it is JSON");
    if !test_env::all("SETS") {
        set["units"].as_array_mut().expect("a list").truncate(1);
        set["units"][0]["ports"] = json!([1]);
    }
    let units = if test_env::all("SETS") { 3 } else { 1 };
    fs::write(here.path().join("set.json"), set.to_string()).expect("it can be written");
    for there in [0, units] {
        let mut command = txbar(here.path());
        if std::env::var_os("TXBAR_TOOLS").is_none() {
            command.env("TXBAR_TOOLS", Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools"));
        }
        command.args(["synth", "--explore", "set.json"]);
        command.assert().success().stderr(contains(format!("{units} units, {there} of them measured before")));
    }
    let kept = json(&here.path().join("frontier.json"));
    assert_eq!(kept.as_array().map(Vec::len), Some(units));
    let point: Point = serde_json::from_value(kept[0].clone()).expect("it is a point");
    assert!(point.rates.random_words > 0.9 && point.rates.latency >= 5, "{kept}");
    assert!(point.mhz() > Some(10.0) && point.figures.lut4 > 100, "{kept}");
}
