//! `txbar sim --scenario` as a user meets it.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const NAMES: [&str; 5] = ["multistage", "ring", "specialised", "multicast", "tiles"];
/// Those in the gallery, with seeds for which there is little to draw until all is seen.
const PICTURES: [(&str, &str); 5] =
    [("multistage", "1"), ("ring", "26"), ("specialised", "9"), ("multicast", "5"), ("tiles", "1")];

fn sim(directory: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("txbar").expect("it has been built");
    command.current_dir(directory).arg("sim").args(arguments).assert()
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Exit code 1, an error, nothing on standard output, nothing left behind.
fn refused(arguments: &[&str], error: impl Predicate<str>) {
    let here = directory();
    sim(here.path(), arguments).code(1).stdout("").stderr(error);
    assert_eq!(fs::read_dir(here.path()).expect("it exists").count(), 0, "{arguments:?} left a file behind");
}

#[test]
fn list_names_the_scenarios_and_what_they_are_about() {
    let here = directory();
    let output = sim(here.path(), &["--scenario", "list"]).success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("text");
    let names: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, NAMES);
    assert!(text.contains("ring         a ring of buffers filled by bulk copies"), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let names = contains("multistage, ring, specialised, multicast, tiles");
    refused(&["--scenario", "none-such"], contains("invalid value 'none-such' for '--scenario").and(names));
    for (option, value) in [
        ("--ops", "9"),
        ("--stall", "9"),
        ("--bank-stall", "9"),
        ("--pattern", "same"),
        ("--hot-spot", "0.5"),
        ("--mix", "arrive=1"),
        ("--inject-fault", "token-after"),
        ("--ports", "2"),
        ("--words", "64"),
        ("--build", "high-clock"),
    ] {
        let error = format!("error: {option} cannot be used with --scenario\n");
        refused(&["--scenario", "ring", option, value], contains(error));
    }
    refused(&["--scenario", "ring", "--roles"], contains("--roles cannot be used with --scenario"));
    refused(&["--scenario", "ring", "--checked"], contains("--checked cannot be used with --scenario"));
    refused(&["--scenario", "ring", "--engine", "verilator"], contains("--scenario needs --engine rtl"));
    refused(&["--scenario", "ring", "--runs", "0"], contains("invalid value '0' for '--runs"));
    refused(&["--runs", "3"], contains("--runs needs --scenario"));
    refused(&["--svg", "x.svg"], contains("--svg needs --scenario"));
    refused(&["--scenario", "ring", "--svg", "no/such.svg"], contains("cannot write no/such.svg: "));
    refused(&["--scenario", "ring", "--vcd", "no/such.vcd"], contains("cannot write no/such.vcd: "));
}

#[test]
fn a_run_prints_and_writes_its_figures() {
    let here = directory();
    let run = || {
        sim(here.path(), &["--scenario", "ring", "--seed", "7", "--json", "ring.json"])
            .success()
            .stdout(contains("scenario          ring: a ring of buffers filled by bulk copies"))
            .stdout(contains("\nfaults            0\nmismatches        0\nseed              7\n"))
            .stdout(contains("\npicture           txbar-ring.svg\n"))
            .get_output()
            .stdout
            .clone()
    };
    let text = String::from_utf8(run()).expect("text");
    assert_eq!(text.as_bytes(), run(), "the same seed gives the same");
    let figures: Value = serde_json::from_str(&read(&here.path().join("ring.json"))).expect("it is JSON");
    let printed = |label: &str| {
        let line =
            text.lines().find_map(|line| line.strip_prefix(label)).unwrap_or_else(|| panic!("{label} is missing"));
        line.trim().to_owned()
    };
    for (label, key) in [
        ("cycles", "cycles"),
        ("operations", "operations"),
        ("remote requests", "remote_requests"),
        ("bytes copied", "bytes_copied"),
        ("phases completed", "phases_completed"),
        ("rounds", "rounds"),
        ("faults", "faults"),
        ("seed", "seed"),
    ] {
        assert_eq!(printed(label), figures[key].to_string(), "{label}");
    }
    let per_cycle = figures["bytes_copied"].as_f64().expect("a count") / figures["cycles"].as_f64().expect("a count");
    assert!(per_cycle > 0.1 && figures["bytes_per_cycle"] == per_cycle, "{figures}");
    assert_eq!(
        (&figures["scenario"], &figures["mismatches"], &figures["runs"]),
        (&"ring".into(), &0.into(), &1.into())
    );
}

#[test]
fn a_seed_is_drawn_if_none_is_given() {
    let here = directory();
    let seed = || {
        let output = sim(here.path(), &["--scenario", "multistage"]).success().get_output().stdout.clone();
        let text = String::from_utf8(output).expect("text");
        text.lines().find(|line| line.starts_with("seed")).map(str::to_owned)
    };
    assert_ne!(seed(), seed());
}

#[test]
fn many_runs_count_together() {
    let here = directory();
    let figures = |seed: &str, runs: &str| -> Value {
        let arguments = ["--scenario", "multistage", "--seed", seed, "--runs", runs, "--json", "runs.json"];
        sim(here.path(), &arguments).success();
        serde_json::from_str(&read(&here.path().join("runs.json"))).expect("it is JSON")
    };
    let count = |figures: &Value, key: &str| figures[key].as_u64().expect("a count");
    let (twenty, first, rest) = (figures("3", "20"), figures("3", "1"), figures("4", "19"));
    for key in ["runs", "cycles", "operations", "bytes_copied", "phases_completed", "rounds"] {
        assert_eq!(count(&twenty, key), count(&first, key) + count(&rest, key), "{key}");
    }
    let arguments = ["--scenario", "ring", "--seed", "3", "--runs", "20"];
    sim(here.path(), &arguments).success().stdout(contains("seeds             3 to 22, 20 runs\n"));
}

#[test]
fn waves_and_picture_are_written_where_they_are_wanted() {
    let here = directory();
    let arguments = ["--scenario", "multicast", "--seed", "2", "--vcd", "m.vcd", "--svg", "m.svg"];
    sim(here.path(), &arguments)
        .success()
        .stdout(contains("picture           m.svg\n").and(contains("waves             m.vcd, cycles 0 to ")));
    assert_eq!(fs::read_dir(here.path()).expect("it exists").count(), 2);
    assert!(read(&here.path().join("m.svg")).starts_with("<svg"));
    let mut wave = Command::cargo_bin("txbar").expect("it has been built");
    wave.current_dir(here.path()).args(["wave", "m.vcd"]).assert().success().stdout(contains("cluster.req_op_3_1\n"));
}

/// The values in the bands of a lane of a picture, one after the other, in all its lines.
fn values(picture: &str, label: &str) -> Vec<String> {
    let lanes =
        picture.split("class=\"label\"").skip(1).filter_map(|lane| lane.split_once('>')?.1.split_once("</text>"));
    let lanes = lanes.filter(|(name, _)| name.trim() == label).flat_map(|(_, lane)| lane.split("<title>").skip(1));
    lanes.filter_map(|lane| Some(lane.split_once("</title>")?.0.trim().to_owned())).collect()
}

/// What the titles say is in the pictures.
#[test]
fn the_pictures_in_the_gallery_show_what_they_are_about() {
    let picture = |name: &str| read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("waves/gallery/{name}.svg")));
    let asked = |picture: &str| [values(picture, "port 0 asks"), values(picture, "port 1 asks")].concat();
    let count = |picture: &str, op: &str| asked(picture).iter().filter(|asked| *asked == op).count();

    let multistage = picture("multistage");
    assert!(values(&multistage, "cp.async").contains(&"copy".to_owned()), "copies");
    assert!(values(&multistage, "cp.async").iter().any(|kind| kind != "copy"), "arrivals of cp.async");
    assert!(values(&multistage, "flip_valid").len() >= 2, "of a few stages");

    let ring = picture("ring");
    let words = values(&ring, "of");
    assert!(words.iter().any(|word| word == "empty0"), "a buffer is free again: {words:?}");
    let bytes = values(&ring, "full0 tx").iter().filter_map(|bytes| bytes.parse::<i64>().ok()).collect::<Vec<_>>();
    assert!(bytes.iter().any(|bytes| *bytes != 0), "bytes are counted: {bytes:?}");
    let filled = values(&ring, "on").iter().filter(|barrier| *barrier == "full0").count();
    assert!(filled >= 2, "the first buffer is filled again");

    let specialised = picture("specialised");
    assert!(count(&specialised, "arrive_drop") >= 1, "consumers leave: {:?}", asked(&specialised));
    let pending = values(&specialised, "flip_valid");
    assert!(pending.len() > 2, "the phase behind the drop completes: {pending:?}");

    let tiles = picture("tiles");
    assert!(values(&tiles, "tensor").iter().all(|act| act == "load"), "boxes are loaded");
    let filled = values(&tiles, "on").iter().filter(|barrier| *barrier == "full0").count();
    assert!(filled >= 2 && values(&tiles, "row").len() >= 2, "the first buffer is filled again, row by row");
    assert!(values(&tiles, "lands at").iter().any(|place| !place.is_empty()), "blocks land");

    let multicast = picture("multicast");
    assert!(values(&multicast, "0: bulk bytes").len() >= 2, "slices are copied");
    let words = values(&multicast, "0: of");
    assert!(words.iter().any(|word| word.starts_with("empty") && word.contains('@')), "remote arrives: {words:?}");
    for cta in 1..4 {
        assert!(
            words.iter().any(|word| word.starts_with("empty") && word.ends_with(&format!("@{cta}"))),
            "to CTA {cta}"
        );
    }
}

#[test]
fn the_pictures_in_the_gallery_are_those_that_are_drawn() {
    let here = directory();
    for (name, seed) in PICTURES {
        sim(here.path(), &["--scenario", name, "--seed", seed]).success();
        let drawn = read(&here.path().join(format!("txbar-{name}.svg")));
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("waves/gallery/{name}.svg"));
        let advice = format!("run `txbar sim --scenario {name} --seed {seed} --svg waves/gallery/{name}.svg`");
        assert!(fs::read_to_string(kept).is_ok_and(|kept| kept == drawn), "{advice}");
    }
}
