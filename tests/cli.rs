//! The command as a user meets it: what it prints, what it writes, how it ends, and what it says of bad input.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn txbar(directory: &Path) -> Command {
    let mut command = Command::cargo_bin("txbar").expect("it has been built");
    command.current_dir(directory);
    command
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

fn vectors(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testbench/vectors").join(name)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("it was written")).expect("it is JSON")
}

/// Bad input: exit code 2, one line of error, nothing on standard output, no panic, nothing left behind.
fn refused(directory: &Path, arguments: &[&str], error: impl Predicate<str>) {
    let before = fs::read_dir(directory).expect("it exists").count();
    let output = txbar(directory).args(arguments).output().expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(error.eval(&said), "{arguments:?}: {said}");
    assert!(!said.contains("panicked") && !said.contains("backtrace"), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
    assert_eq!(fs::read_dir(directory).expect("it exists").count(), before, "{arguments:?} left a file behind");
}

#[test]
fn the_tour_runs_and_leaves_its_files() {
    let here = directory();
    txbar(here.path())
        .assert()
        .success()
        .stdout(contains("10571 of 10571 records match"))
        .stdout(contains("operations/cycle  2.7"))
        .stdout(contains("mismatches        0"));
    let tour = here.path().join("txbar-tour");
    let mut names: Vec<_> =
        fs::read_dir(tour).expect("it was made").map(|entry| entry.expect("readable").file_name()).collect();
    names.sort();
    let expected = [
        ".surfer",
        "one_phase.gtkw",
        "one_phase.html",
        "one_phase.sucl",
        "one_phase.svg",
        "one_phase.vcd",
        "txbar_op.txt",
        "txbar_status.txt",
        "txbar_unit_p4_b8_w512_t8_q8_n32_c10.json",
        "txbar_unit_p4_b8_w512_t8_q8_n32_c10.v",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_picture_in_the_gallery_is_the_one_of_the_tour() {
    let here = directory();
    txbar(here.path()).assert().success();
    let drawn = fs::read_to_string(here.path().join("txbar-tour/one_phase.svg")).expect("it was drawn");
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("waves/gallery/one_phase.svg");
    let kept = fs::read_to_string(gallery).expect("it is in the gallery");
    assert!(drawn == kept, "run `txbar` and copy txbar-tour/one_phase.svg to waves/gallery/");
}

#[test]
fn check_passes_on_both_recordings() {
    let here = directory();
    for engine in ["model", "rtl"] {
        let figures = here.path().join("figures.json");
        txbar(here.path())
            .args(["check", "--engine", engine, "--json"])
            .args([&figures, &vectors("h200_legal.csv"), &vectors("h200_edge.csv")])
            .assert()
            .success()
            .stdout("10571 of 10571 records match\n");
        assert_eq!(json(&figures), serde_json::json!({ "matched": 10571, "records": 10571 }));
    }
}

#[test]
fn check_runs_on_the_verilog() {
    for engine in ["verilator", "cxxrtl", "netlist"] {
        txbar(Path::new(env!("CARGO_MANIFEST_DIR")))
            .args(["check", "--engine", engine, "--ports", "1", "--banks", "1", "--waiters", "0", "--counters=false"])
            .arg(vectors("h200_edge.csv"))
            .assert()
            .success()
            .stdout("571 of 571 records match\n");
    }
}

#[test]
fn check_names_the_tool_that_is_missing() {
    let here = directory();
    for (engine, tool) in [("verilator", "verilator"), ("cxxrtl", "yosys"), ("netlist", "yosys")] {
        txbar(here.path())
            .env("PATH", here.path())
            .env_remove("TXBAR_TOOLS")
            .args(["check", "--engine", engine])
            .arg(vectors("h200_edge.csv"))
            .assert()
            .code(2)
            .stderr(contains(format!("error: {tool} is not installed; ")))
            .stderr(contains(format!("`apt-get install {tool}`, or `pip install ")));
    }
}

#[test]
fn check_tells_of_mismatches_and_stops_at_twenty() {
    let here = directory();
    let mut text = "op,arg,word_before,token,word_after,result\n".to_owned();
    for _ in 0..25 {
        text += "arrive,,7fffe000001ffff8,,7fffe800001ffff9,7fffe000\n";
    }
    text += "arrive,,7fffe000001ffff8,,7fffe800001ffff8,7fffe000\n";
    fs::write(here.path().join("wrong.csv"), &text).expect("it can be written");
    let output = txbar(here.path()).args(["check", "wrong.csv", "wrong.csv"]).output().expect("it can be started");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 21);
    let first = "wrong.csv: line 2: arrive on 7fffe000001ffff8: the word after is 7fffe800001ffff8, the H200 has 7fffe800001ffff9";
    assert_eq!(lines[0], first);
    assert_eq!(lines[20], "2 of 52 records match");
}

#[test]
fn check_refuses_what_is_no_recording() {
    let here = directory();
    let header = "op,arg,word_before,token,word_after,result\n";
    let cases = [
        ("empty.csv", String::new(), "error: empty.csv: the file is empty"),
        ("header.csv", header.to_owned(), "error: header.csv: the file holds no records"),
        ("columns.csv", format!("{header}arrive,,0,,0\n"), "error: columns.csv:2:12: 5 columns where 6 are needed"),
        ("op.csv", format!("{header}arrive,,0,,0,0\nwait,,0,,0,0\n"), "error: op.csv:3:1: unknown operation `wait`"),
        (
            "hex.csv",
            format!("{header}arrive,,10000000000000000,,0,0\n"),
            "error: hex.csv:2:9: word_before `10000000000000000` has more than 16",
        ),
        (
            "wide.csv",
            format!("{header}arrive_n,4294967296,0,,0,0\n"),
            "error: wide.csv:2:10: operand 4294967296 does not fit 32 bits",
        ),
        ("not.csv", "hello\n".to_owned(), "error: not.csv:1:1: the first line must be `op,arg,"),
    ];
    for (name, text, _) in &cases {
        fs::write(here.path().join(name), text).expect("it can be written");
    }
    fs::write(here.path().join("binary.csv"), [0xff, 0xfe, 0, 1, 10]).expect("it can be written");
    for (name, _, error) in &cases {
        refused(here.path(), &["check", name], starts_with(*error));
    }
    refused(here.path(), &["check", "binary.csv"], starts_with("error: binary.csv:1:1: "));
    refused(here.path(), &["check", "missing.csv"], starts_with("error: missing.csv: No such file"));
    refused(here.path(), &["check", "."], starts_with("error: .: "));
    refused(here.path(), &["check"], contains("required arguments were not provided"));
    refused(here.path(), &["check", "op.csv", "--engine", "magic"], contains("invalid value 'magic'"));
}

#[test]
fn sim_prints_and_writes_its_figures() {
    let here = directory();
    let figures = here.path().join("figures.json");
    txbar(here.path())
        .args(["sim", "--ports", "1", "--ops", "5000", "--seed", "7", "--pattern", "same", "--waiters", "0", "--json"])
        .arg(&figures)
        .assert()
        .success()
        .stdout(contains("operations        5000\ncycles            5000\noperations/cycle  1.000\n"))
        .stdout(contains("latency (cycles)  min 5  median 5  p99 5  max 5\n"))
        .stdout(contains("seed              7\n"));
    let figures = json(&figures);
    for (key, value) in [("operations", 5000), ("cycles", 5000), ("mismatches", 0), ("seed", 7)] {
        assert_eq!(figures[key], value, "{key}");
    }
    assert_eq!(figures["operations_per_cycle"], 1.0);
    assert_eq!(figures["latency_cycles"], serde_json::json!({ "min": 5, "median": 5, "p99": 5, "max": 5 }));
    assert!(figures["faults"].as_u64().expect("a count") > 0);
}

#[test]
fn sim_draws_a_seed_if_it_is_given_none() {
    let here = directory();
    let seed = || {
        let output = txbar(here.path()).args(["sim", "--ops", "10"]).output().expect("it can be started");
        String::from_utf8(output.stdout).expect("text").lines().last().map(str::to_owned)
    };
    assert_ne!(seed(), seed());
}

#[test]
fn sim_runs_on_the_verilog_with_the_same_figures() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let figures = |engine| {
        let arguments = ["sim", "--ops", "3000", "--seed", "2", "--stall", "25", "--roles", "--engine", engine];
        txbar(project).args(arguments).output().expect("it can be started").stdout
    };
    assert_eq!(figures("rtl"), figures("verilator"));
}

#[test]
fn sim_shows_a_planted_fault_with_its_seed_and_a_short_history() {
    let here = directory();
    let figures = here.path().join("figures.json");
    txbar(here.path())
        .args(["sim", "--seed", "4", "--stall", "20", "--plant", "flip-without-reload", "--json"])
        .arg(&figures)
        .assert()
        .code(1)
        .stdout(starts_with("FAILED with seed 4: "))
        .stdout(contains("requests to"))
        .stdout(contains("init"))
        .stderr("");
    let figures = json(&figures);
    assert_eq!((&figures["mismatches"], &figures["seed"]), (&Value::from(1), &Value::from(4)));
    txbar(here.path())
        .args(["sim", "--plant", "list"])
        .assert()
        .success()
        .stdout(contains("forward-any-address").and(contains("forwarding is not qualified by the address")));
}

#[test]
fn every_build_has_its_own_faults_to_plant() {
    let here = directory();
    let one = ["--build", "high-clock", "--words", "64"];
    let several = [&one[..], &["--ports", "2", "--banks", "2", "--waiters", "4"]].concat();
    for (build, fault) in [(&one[..], "ahead-one-lost"), (&several[..], "batch-lost")] {
        let sim = |plant: &'static str| {
            txbar(here.path()).arg("sim").args(build).args(["--seed", "1", "--stall", "20", "--plant", plant]).assert()
        };
        sim("list").success().stdout(contains(fault).and(contains("flip-without-reload").not()));
        sim(fault).code(1).stdout(starts_with("FAILED with seed 1: "));
        sim("flip-without-reload").code(2).stderr(contains("there is no fault `flip-without-reload` to plant in this"));
    }
}

#[test]
fn sim_writes_waves_that_can_be_drawn() {
    let here = directory();
    txbar(here.path()).args(["sim", "--ops", "50", "--seed", "1", "--vcd", "run.vcd"]).assert().success();
    txbar(here.path()).args(["wave", "run.vcd"]).assert().success().stdout(contains("unit.bank_0.alu.word\n"));
    txbar(here.path()).args(["wave", "run.vcd", "--svg", "run.svg"]).assert().success().stdout("run.svg\n");
    let picture = fs::read_to_string(here.path().join("run.svg")).expect("it was drawn");
    assert!(picture.starts_with("<svg") && picture.contains("ask_op_0"));
    let few = [
        "wave",
        "run.vcd",
        "--svg",
        "few.svg",
        "--signals",
        "unit.clk,unit.flip_valid",
        "--from",
        "3",
        "--cycles",
        "4",
    ];
    txbar(here.path()).args(few).assert().success();
    let picture = fs::read_to_string(here.path().join("few.svg")).expect("it was drawn");
    assert!(picture.contains("flip_valid") && !picture.contains("ask_op_0"));
    fs::write(here.path().join("text.vcd"), "hello").expect("it can be written");
    refused(here.path(), &["wave", "text.vcd"], starts_with("error: text.vcd: is no wave file"));
    refused(here.path(), &["wave", "none.vcd"], starts_with("error: none.vcd: No such file"));
    refused(
        here.path(),
        &["wave", "run.vcd", "--svg", "x.svg", "--signals", "no"],
        contains("there is no signal `no`"),
    );
    refused(here.path(), &["wave", "run.vcd", "--svg", "x.svg", "--from", "999"], contains("the waves end with cycle"));
}

#[test]
fn a_failing_run_leaves_its_waves_too() {
    let here = directory();
    let arguments = ["sim", "--seed", "1", "--plant", "token-after", "--vcd", "run.vcd"];
    txbar(here.path()).args(arguments).assert().code(1);
    txbar(here.path()).args(["wave", "run.vcd", "--svg", "run.svg"]).assert().success();
}

#[test]
fn sim_refuses_what_makes_no_sense() {
    let here = directory();
    refused(
        here.path(),
        &["sim", "--ports", "9"],
        starts_with("error: ports = 9 cannot be built: it must be from 1 to 8"),
    );
    refused(here.path(), &["sim", "--ports", "0"], starts_with("error: ports = 0 cannot be built"));
    refused(
        here.path(),
        &["sim", "--words", "100"],
        starts_with("error: words = 100 cannot be built: it must be a power of two"),
    );
    refused(here.path(), &["sim", "--tag-bits", "17"], starts_with("error: tag-bits = 17 cannot be built"));
    refused(here.path(), &["sim", "--queue-depth", "0"], starts_with("error: queue-depth = 0 cannot be built"));
    refused(here.path(), &["sim", "--ops", "0"], contains("invalid value '0' for '--ops"));
    refused(here.path(), &["sim", "--ops", "many"], contains("invalid value 'many'"));
    refused(here.path(), &["sim", "--stall", "100"], contains("100 is not in 0..=95"));
    refused(here.path(), &["sim", "--ports", "-1"], contains("unexpected argument"));
    refused(here.path(), &["sim", "--plant", "none-such"], contains("there is no fault `none-such` to plant"));
    refused(here.path(), &["sim", "--engine", "model"], contains("the model has no clock cycles"));
    refused(here.path(), &["sim", "--engine", "verilator", "--vcd", "x.vcd"], contains("they need --engine rtl"));
    refused(
        here.path(),
        &["sim", "--vcd", "no/such/place.vcd"],
        starts_with("error: cannot write no/such/place.vcd: "),
    );
    refused(here.path(), &["sim", "--ops", "9", "--vcd", "."], starts_with("error: cannot write ."));
}

#[test]
fn high_clock_units_may_have_several_ports() {
    let here = directory();
    let sizes = ["--build", "high-clock", "--ports", "4", "--banks", "8", "--waiters", "32"];
    let run = |sizes: &[&str]| {
        let mut command = txbar(here.path());
        command.args(["sim", "--ops", "5000", "--seed", "1", "--stall", "10", "--json", "figures.json"]).args(sizes);
        command.assert().success().stdout(contains("mismatches        0"));
        json(&here.path().join("figures.json"))
    };
    let figures = run(&sizes);
    assert!(
        figures["suspended"].as_u64() > Some(10) && figures["latency_cycles"]["min"] == txbar_rtl::fabric::LATENCY,
        "{figures}"
    );
    assert_eq!(run(&sizes[..2])["latency_cycles"]["min"], 16, "one port and one bank unless something else is said");
    run(&["--build", "high-clock", "--waiters", "4"]);
    let mut command = txbar(here.path());
    command.args(["verilog", "-o", "out"]).args(sizes).assert().success();
    let manifest = json(&here.path().join("out/txbar_unit_p4_b8_w512_t8_q32_n32_c10_uncounted_high_clock.json"));
    let names: Vec<&str> =
        manifest["ports"].as_array().unwrap().iter().filter_map(|port| port["name"].as_str()).collect();
    assert!(["done_port_7", "done_status_7", "req_op_3"].iter().all(|name| names.contains(name)), "{names:?}");
    assert!(!names.contains(&"req_op_4"));
    let rule = |option: &str, value: &str, error: &'static str| {
        let arguments = ["sim", "--build", "high-clock", "--ports", "2", option, value];
        refused(here.path(), &arguments, starts_with(error));
    };
    rule("--banks", "16", "error: banks = 16 cannot be built: the high-clock build has 8 at most");
    rule("--queue-depth", "8", "error: queue-depth = 8 cannot be built: the high-clock build has 32");
    rule("--waiters", "65", "error: waiters = 65 cannot be built");
    let counters = ["sim", "--build", "high-clock", "--ports", "2", "--counters=true"];
    refused(here.path(), &counters, contains("the high-clock build counts nothing"));
    let board = ["verilog", "--top", "bridge", "--build", "high-clock", "--ports", "2"];
    refused(here.path(), &board, contains("in a top for boards the high-clock build has 1 port"));
}

#[test]
fn sim_takes_a_mix_and_a_hot_spot() {
    let here = directory();
    let sim = |options: &[&str]| {
        let output = txbar(here.path()).args(["sim", "--ops", "20000", "--seed", "1"]).args(options).output();
        let output = output.expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (code, text) = sim(&["--mix", "arrive=4,try=1", "--hot-spot", "0.9", "--json", "mix.json"]);
    assert!(code == Some(0) && text.contains("wake-up (cycles)  min "), "{text}");
    let figures = json(&here.path().join("mix.json"));
    assert!(figures["woken"].as_u64().is_some_and(|woken| woken > 100), "{figures}");
    assert!(figures["combined"].as_f64().is_some_and(|combined| combined > 0.3), "{figures}");
    let (code, text) = sim(&["--mix", "arrive=4,snooze=1"]);
    assert!(code == Some(2) && text.contains("there is no operation `snooze`"), "{text}");
    let (code, text) = sim(&["--hot-spot", "1.5"]);
    assert!(code == Some(2) && text.contains("it must be from 0 to 1"), "{text}");
    let (code, text) = sim(&["--checked", "--json", "checked.json"]);
    assert!(code == Some(0) && text.contains("\n  missing_init: word ") && text.contains("\n  ... and "), "{text}");
    assert!(json(&here.path().join("checked.json"))["remarks"][0]["port"].is_u64());
}

#[test]
fn litmus_prints_histograms() {
    let here = directory();
    let run = |names: &[&str]| {
        let output = txbar(here.path()).arg("litmus").args(names).args(["--runs", "2000", "--seed", "3"]).output();
        let output = output.expect("it runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let (code, text) = run(&["MP+relaxed", "MP+release+acquire", "--json", "litmus.json"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("*>1:y=1; 1:x=0;") && text.contains("Observation MP+release+acquire Never 0 2000"), "{text}");
    assert!(text.ends_with("2 of 2 tests are as they should be (seed 3)\n"), "{text}");
    let histograms = json(&here.path().join("litmus.json"));
    assert_eq!((&histograms[1]["weak"], &histograms[1]["rule"]), (&0.into(), &"forbidden".into()));
    assert!(histograms[0]["weak"].as_u64().is_some_and(|weak| weak > 0));
    assert!(run(&["list"]).1.contains("rule5+release+acquire (allowed)"));
    txbar(here.path())
        .args(["litmus", "MP+sloppy"])
        .assert()
        .code(2)
        .stderr("error: there is no litmus test `MP+sloppy`; `txbar litmus list` names those there are\n");
}

#[test]
fn verilog_writes_a_file_and_its_manifest() {
    let here = directory();
    txbar(here.path())
        .args(["verilog", "--ports", "2", "--words", "64", "-o", "out/deep"])
        .assert()
        .success()
        .stdout("out/deep/txbar_unit_p2_b8_w64_t8_q8_n32_c10.v\nout/deep/txbar_unit_p2_b8_w64_t8_q8_n32_c10.json\n");
    let manifest = json(&here.path().join("out/deep/txbar_unit_p2_b8_w64_t8_q8_n32_c10.json"));
    let parameters = serde_json::json!({ "ports": 2, "banks": 8, "words": 64, "tag_bits": 8, "number_bits": 0, "queue_depth": 8,
        "waiters": 32, "clock_ns": 10, "counters": true, "checked": false });
    assert_eq!(manifest["parameters"], parameters);
    let verilog = fs::read_to_string(here.path().join("out/deep").join(manifest["file"].as_str().expect("a name")));
    assert!(verilog.expect("it was written").contains("module txbar_unit ("));
    txbar(here.path()).args(["verilog", "--prefix", "my"]).assert().success();
    assert!(here.path().join("my_unit_p4_b8_w512_t8_q8_n32_c10.v").exists());
}

#[test]
fn verilog_writes_a_cluster() {
    let here = directory();
    let stem = "txbar_cluster_k2_l3_r4_v1_x2_o2_s4_p1_b4_w64_t8_q8_n32_c10";
    txbar(here.path())
        .args(["verilog", "--ctas", "2", "--link-cycles", "3", "--remote-depth", "4", "--warps", "1", "--copiers", "2"])
        .args(["--outstanding", "2", "--bursts", "4", "--ports", "1", "--banks", "4", "--words", "64"])
        .assert()
        .success()
        .stdout(format!("./{stem}.v\n./{stem}.json\n"));
    let manifest = json(&here.path().join(format!("{stem}.json")));
    assert_eq!(manifest["top"], "txbar_cluster");
    assert_eq!(manifest["parameters"]["link_cycles"], 3);
    assert_eq!(manifest["parameters"]["ports"], 1);
    assert_eq!(manifest["cluster"]["remote_latency_cycles"], 13);
    let verilog = fs::read_to_string(here.path().join(manifest["file"].as_str().expect("a name")));
    assert!(verilog.expect("it was written").contains("module txbar_cluster ("));
}

#[test]
fn verilog_refuses_what_makes_no_sense() {
    let here = directory();
    fs::write(here.path().join("file"), "").expect("it can be written");
    refused(here.path(), &["verilog", "--words", "8"], starts_with("error: words = 8 cannot be built"));
    refused(here.path(), &["verilog", "--ctas", "9"], starts_with("error: ctas = 9 cannot be built"));
    refused(
        here.path(),
        &["verilog", "--ctas", "2", "--ports", "7"],
        starts_with("error: ports = 7 cannot be built: in a cluster"),
    );
    // what only a cluster has is nothing without one
    for option in ["--link-cycles", "--remote-depth", "--warps", "--copiers", "--outstanding", "--bursts"] {
        refused(here.path(), &["verilog", option, "2"], contains("--ctas <N>"));
    }
    refused(here.path(), &["verilog", "--prefix", "1x"], starts_with("error: prefix `1x` is no Verilog identifier"));
    refused(here.path(), &["verilog", "-o", "file"], starts_with("error: cannot make the directory file: "));
    refused(
        here.path(),
        &["verilog", "-o", "file/deeper"],
        starts_with("error: cannot make the directory file/deeper: "),
    );
}

#[test]
fn figures_that_cannot_be_written_are_an_error() {
    let here = directory();
    let output =
        txbar(here.path()).args(["sim", "--ops", "10", "--json", "no/f.json"]).output().expect("it can be started");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write no/f.json: "));
}

#[test]
fn devices_and_links_are_written_through() {
    let here = directory();
    let json_to = |target: &str| {
        let mut command = txbar(here.path());
        command.args(["sim", "--ops", "10", "--json", target]).output().expect("it can be started")
    };
    let output = json_to("/dev/full");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: cannot write /dev/full: No space left on device (os error 28)\n"
    );
    assert!(json_to("/dev/null").status.success());
    assert!(!fs::metadata("/dev/null").expect("it is there").is_file());
    fs::write(here.path().join("real.json"), "old").expect("it can be written");
    std::os::unix::fs::symlink("real.json", here.path().join("link.json")).expect("links can be made");
    assert!(json_to("link.json").status.success());
    assert!(here.path().join("link.json").is_symlink());
    assert_eq!(json(&here.path().join("real.json"))["operations"], 10);
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let here = directory();
    txbar(here.path()).args(["sim", "--ops", "50", "--vcd", "run.vcd"]).assert().success();
    let binary = assert_cmd::cargo::cargo_bin("txbar");
    let output = std::process::Command::new("sh")
        .args(["-c", "\"$0\" wave run.vcd | head -1"])
        .arg(binary)
        .current_dir(here.path())
        .output()
        .expect("there is a shell");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "unit.clk\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn help_says_what_a_newcomer_needs() {
    let here = directory();
    for (arguments, text) in [
        (vec!["--help"], "Without a subcommand it gives the tour"),
        (vec!["check", "--help"], "op,arg,word_before,token,word_after,result"),
        (vec!["sim", "--help"], "Everything random follows from it"),
        (vec!["verilog", "--help"], "a power of two from 16 to 65536"),
        (vec!["wave", "--help"], "an overview of requests, words and answers"),
    ] {
        txbar(here.path()).args(arguments).assert().success().stdout(contains(text));
    }
    refused(here.path(), &["nonsense"], contains("unrecognized subcommand 'nonsense'"));
}
