//! `txbar sim` on a unit, and `txbar litmus`.

mod common;

use common::{directory, json, refused, txbar};
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::Value;
use std::path::Path;

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
fn sim_shows_an_injected_fault_with_its_seed_and_a_short_history() {
    let here = directory();
    let figures = here.path().join("figures.json");
    txbar(here.path())
        .args(["sim", "--seed", "4", "--stall", "20", "--inject-fault", "flip-without-reload", "--json"])
        .arg(&figures)
        .assert()
        .code(2)
        .stdout(starts_with("FAILED with seed 4: "))
        .stdout(contains("\nreduced from ").and(contains("\nrequests:\n  port ")))
        .stdout(contains("init"))
        .stderr("");
    let figures = json(&figures);
    assert_eq!((&figures["mismatches"], &figures["seed"]), (&Value::from(1), &Value::from(4)));
    txbar(here.path())
        .args(["sim", "--inject-fault", "list"])
        .assert()
        .success()
        .stdout(contains("forward-any-address").and(contains("forwarding is not qualified by the address")));
}

#[test]
fn every_build_has_its_own_faults_to_inject() {
    let here = directory();
    let one = ["--build", "high-clock", "--words", "64"];
    let several = ["--build", "banked-high-clock", "--words", "64", "--ports", "2", "--banks", "2", "--waiters", "4"];
    for (build, fault) in [(&one[..], "ahead-one-lost"), (&several[..], "batch-lost")] {
        let sim = |fault: &'static str| {
            txbar(here.path())
                .arg("sim")
                .args(build)
                .args(["--seed", "1", "--stall", "20", "--inject-fault", fault])
                .assert()
        };
        let list = ["--inject-fault", "list"];
        txbar(here.path())
            .arg("sim")
            .args(build)
            .args(list)
            .assert()
            .success()
            .stdout(contains(fault).and(contains("flip-without-reload").not()));
        sim(fault).code(2).stdout(starts_with("FAILED with seed 1: "));
        sim("flip-without-reload").code(1).stderr(contains("there is no fault `flip-without-reload` in this"));
    }
}

/// Ports for warps, of a unit and in a cluster, have traffic, figures, waves and faults of their own.
#[test]
fn sim_knows_ports_for_warps() {
    let here = directory();
    let lanes = ["sim", "--lanes", "8", "--counters=false"];
    let sim = |more: &[&str]| {
        let always = ["--seed", "3", "--cycles", "4000"];
        txbar(here.path()).args(lanes).args(always).args(more).assert()
    };
    let unit = ["--warp-ports", "2", "--warp-memory"];
    sim(&[&unit[..], &["--stall", "25", "--json", "unit.json", "--vcd", "unit.vcd"]].concat())
        .success()
        .stdout(contains("instructions of warps").and(contains("loads and stores")))
        .stdout(starts_with("PASSED with seed 3: "));
    let figures = json(&here.path().join("unit.json"));
    assert!(["instructions", "groups", "lanes", "threads", "flips"].iter().all(|key| figures[key].as_u64() > Some(5)));
    assert_eq!((&figures["mismatches"], &figures["seed"]), (&Value::from(0), &Value::from(3)));
    let waves = std::fs::read_to_string(here.path().join("unit.vcd")).expect("it is written");
    assert!(waves.contains(" warp_req_mask_1 ") && waves.contains(" warp_mem_valid_0 "));
    for (design, faults) in [
        (&unit[..], ["lane-forgotten", "broadcast-lost"]),
        (&["--ctas", "2", "--warp-memory"], ["link-loses", "gate-in-lock"]),
    ] {
        let list = ["--inject-fault", "list"];
        let listed = txbar(here.path()).args(lanes).args(design).args(list).assert().success();
        let listed = String::from_utf8(listed.get_output().stdout.clone()).expect("text");
        for fault in faults {
            assert!(listed.lines().any(|line| line.starts_with(fault)), "{fault} of {design:?}: {listed}");
        }
        sim(&[design, &["--inject-fault", faults[1]]].concat()).code(2).stdout(starts_with("FAILED with seed 3: "));
    }
    sim(&["--ctas", "1"]).success();
    // only with loads and stores of warps
    sim(&["--inject-fault", "broadcast-lost"]).code(1).stderr(contains("there is no fault `broadcast-lost`"));
    let refusals: [(&[&str], &str); 6] = [
        (&["--checked"], "what checked mode says to warps: leave --checked or --lanes out"),
        (&["--ctas", "2", "--warp-memory", "--checked"], "leave --checked or --warp-memory out"),
        (&["--report", "x.html"], "--report cannot be used with --lanes"),
        (&["--engine", "verilator"], "--ctas and --lanes need --engine rtl"),
        (&["--ops", "9"], "--ops cannot be used with --lanes"),
        (&["--scenario", "ring"], "cannot be used with --scenario"),
    ];
    for (options, why) in refusals {
        sim(options).code(1).stderr(contains(why));
    }
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
    refused(
        here.path(),
        &["sim", "--ports", "-1"],
        contains("invalid value '-1' for '--ports <N>': it must be a whole number"),
    );
    refused(here.path(), &["sim", "--inject-fault", "none-such"], contains("there is no fault `none-such`"));
    refused(here.path(), &["sim", "--engine", "model"], contains("the model has no clock cycles"));
    refused(
        here.path(),
        &["sim", "--engine", "verilator", "--vcd", "x.vcd"],
        contains("--vcd cannot be used with --engine verilator"),
    );
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
    let sizes = ["--build", "banked-high-clock"];
    let run = |sizes: &[&str]| {
        let mut command = txbar(here.path());
        command.args(["sim", "--ops", "5000", "--seed", "1", "--stall", "10", "--json", "figures.json"]).args(sizes);
        command.assert().success().stdout(contains("mismatches        0"));
        json(&here.path().join("figures.json"))
    };
    let figures = run(&sizes);
    assert!(
        figures["suspended"].as_u64() > Some(10) && figures["latency_cycles"]["min"] == txbar_rtl::banked::LATENCY,
        "{figures}"
    );
    assert_eq!(run(&["--build", "high-clock"])["latency_cycles"]["min"], 16, "one port and one bank");
    run(&["--build", "banked-high-clock", "--ports", "1", "--banks", "1", "--waiters", "4"]);
    let mut command = txbar(here.path());
    command.args(["verilog", "-o", "out"]).args(sizes).assert().success();
    let manifest = json(&here.path().join("out/txbar_unit_p4_b8_w512_t8_q32_n32_c10_uncounted_banked_high_clock.json"));
    let names: Vec<&str> =
        manifest["ports"].as_array().unwrap().iter().filter_map(|port| port["name"].as_str()).collect();
    assert!(["done_port_7", "done_status_7", "req_op_3"].iter().all(|name| names.contains(name)), "{names:?}");
    assert!(!names.contains(&"req_op_4"));
    let rule = |option: &str, value: &str, error: &'static str| {
        let arguments = ["sim", "--build", "banked-high-clock", "--ports", "2", option, value];
        refused(here.path(), &arguments, starts_with(error));
    };
    rule("--banks", "16", "error: banks = 16 cannot be built: the banked-high-clock build has 8 at most");
    rule("--queue-depth", "8", "error: queue-depth = 8 cannot be built: a high-clock build has 32");
    rule("--waiters", "65", "error: waiters = 65 cannot be built");
    refused(here.path(), &["sim", "--build", "high-clock", "--ports", "2"], contains("banked-high-clock has up to 8"));
    let counters = ["sim", "--build", "banked-high-clock", "--counters=true"];
    refused(here.path(), &counters, contains("a high-clock build counts nothing"));
    let board = ["verilog", "--top", "bridge", "--build", "banked-high-clock"];
    refused(here.path(), &board, contains("the banked-high-clock build is in no top for boards"));
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let here = directory();
    for option in ["--link-cycles", "--warps", "--remote-depth", "--copiers", "--outstanding", "--bursts", "--cycles"] {
        let error = format!("error: {option} needs --ctas");
        refused(here.path(), &["sim", option, "2"], starts_with(error.clone()));
        refused(here.path(), &["sim", "--ops", "9", option, "2"], starts_with(error));
    }
    refused(here.path(), &["sim", "--mix", "arrive=1,arrive=2"], contains("`arrive` has two weights"));
    refused(here.path(), &["sim", "--mix", "wait=1,try_wait_parity=2"], contains("`try_wait_parity` has two weights"));
    for option in ["--ports", "--banks", "--words", "--tag-bits", "--waiters", "--queue-depth"] {
        let error = format!("invalid value '-1' for '{option} <");
        refused(
            here.path(),
            &["sim", option, "-1"],
            contains(error).and(contains("it must be a whole number, not below 0")),
        );
    }
    for period in ["-1", "6.", ".5", "6.6667", "6,5", "1e1"] {
        let argument = format!("--clock-ns={period}");
        refused(
            here.path(),
            &["sim", &argument],
            contains("it must be a number of nanoseconds, with three decimals at most"),
        );
    }
    refused(
        here.path(),
        &["sim", "--clock-ns", "1000.5"],
        contains("clock-ns = 1000 cannot be built: it must be from 1 to 1000"),
    );
    refused(here.path(), &["verilog", "--ctas", "-2"], contains("it must be a whole number, not below 0"));
    refused(
        here.path(),
        &["verilog", "--top", "bridge", "--warps", "2"],
        starts_with("error: --warps cannot be used with --top\n"),
    );
    refused(here.path(), &["prove", "--mutants", "0"], contains("0 is not in 1.."));
    refused(here.path(), &["prove", "list", "--json", "f.json"], contains("--json cannot be used with `list`"));
    refused(here.path(), &["prove", "list", "bank"], contains("`list` cannot be combined with other names"));
    refused(
        here.path(),
        &["host", "--simulate", "--json", "f.json"],
        contains("--json cannot be used with --simulate"),
    );
    for option in [&["--from", "3"][..], &["--cycles", "3"], &["--signals", "clk"], &["--fold"]] {
        refused(
            here.path(),
            &[&["wave", "run.vcd"], option].concat(),
            starts_with(format!("error: {} needs --svg\n", option[0])),
        );
    }
}

#[test]
fn an_injected_fault_that_does_not_show_is_a_failure() {
    let here = directory();
    for (arguments, fault) in [
        (&["--ops", "3", "--ports", "1"][..], "flip-without-reload"),
        (&["--ctas", "2", "--cycles", "1"], "link-loses"),
    ] {
        let told = format!("NOT FOUND with seed 1: `{fault}` is injected, and every answer and every word is as");
        let sim = txbar(here.path()).args(["sim", "--seed", "1", "--inject-fault", fault]).args(arguments).assert();
        sim.code(2).stdout(starts_with(told));
    }
}

#[test]
fn faults_and_remarks_of_random_traffic_are_said_to_be_expected() {
    let here = directory();
    let sim = ["sim", "--ops", "2000", "--seed", "1", "--checked"];
    let sim = txbar(here.path()).args(sim).assert().success();
    let said = String::from_utf8_lossy(&sim.get_output().stdout).into_owned();
    assert!(
        said.starts_with("PASSED with seed 1: every answer and every word is as the reference model says\n"),
        "{said}"
    );
    let line = |name: &str| said.lines().find(|line| line.starts_with(name)).expect("it is told").to_owned();
    assert!(line("faults").ends_with(", all expected by the model"), "{said}");
    assert!(line("checked mode").ends_with(" warnings, all expected by the model"), "{said}");
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
    assert!(code == Some(1) && text.contains("there is no operation `snooze`"), "{text}");
    let (code, text) = sim(&["--hot-spot", "1.5"]);
    assert!(code == Some(1) && text.contains("it must be from 0 to 1"), "{text}");
    let (code, text) = sim(&["--checked", "--json", "checked.json"]);
    assert!(code == Some(0) && text.contains("\n  missing_init: word ") && text.contains("\n  ... and "), "{text}");
    assert!(json(&here.path().join("checked.json"))["remarks"][0]["port"].is_u64());
}

#[test]
fn litmus_prints_histograms() {
    let here = directory();
    let run = |names: &[&str]| {
        let mut command = txbar(here.path());
        command.arg("litmus").args(names);
        if names != ["list"] {
            command.args(["--runs", "2000", "--seed", "3"]);
        }
        let output = command.output();
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
        .code(1)
        .stderr("error: there is no litmus test `MP+sloppy`; `txbar litmus list` names them\n");
}

/// The largest units are megabytes: threads have room for them, whatever the system gives a thread.
#[test]
fn random_parameters_of_large_units() {
    let here = directory();
    let mut command = txbar(here.path());
    command.env("RUST_MIN_STACK", "500000").args(["sim", "--random-parameters", "20", "--seed", "7"]);
    command.assert().success().stdout(contains("20 of 20 runs"));
}

/// Runs that fail: what is built and asked for, with an injected fault.
const FAILING: [&[&str]; 3] = [
    &["--ops", "20000", "--inject-fault", "wake-lost-when-parked"],
    &["--lanes", "8", "--cycles", "4000", "--counters=false", "--inject-fault", "lane-forgotten"],
    &["--ctas", "2", "--cycles", "4000", "--stall", "10", "--inject-fault", "beat-crossed"],
];

/// Text, waves, page, figures and the saved run are of one run: the shortened one. What failed at first stands above it.
#[test]
fn a_failing_run_is_one_run() {
    for design in FAILING {
        let here = directory();
        let has_page = !design.contains(&"--lanes");
        let sim = |options: &[&str], name: &str| {
            let [waves, figures, page] = ["fst", "json", "html"].map(|ending| format!("{name}.{ending}"));
            let record = format!("{name}.record");
            let mut files = vec!["--vcd", &waves, "--json", &figures];
            if has_page {
                files.extend(["--report", &page, "--record", &record]);
            }
            let output = txbar(here.path()).arg("sim").args(options).args(files).output().expect("it runs");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), Some(2), "{said}{}", String::from_utf8_lossy(&output.stderr));
            (said, json(&here.path().join(figures)), output.stderr)
        };
        let (said, figures, _) = sim(&[design, &["--seed", "3", "--save", "case.json"]].concat(), "first");
        let cycle = figures["cycle"].as_u64().expect("a number");
        let message = figures["message"].as_str().expect("a text");
        let requests = figures["requests"].as_array().expect("a list");
        let original = &figures["original"];
        // what failed first, then what is left of it
        let lines: Vec<&str> = said.lines().collect();
        let first = format!("FAILED with seed 3: cycle {}: ", original["cycle"]);
        assert!(
            lines[0].starts_with(&first) && original["message"].as_str().is_some_and(|what| said.contains(what)),
            "{said}"
        );
        assert!(
            said.contains(&format!("\nreduced from {} requests to {}, with ", original["requests"], requests.len())),
            "{said}"
        );
        assert!(said.contains(&format!("\ncycle {cycle}: {message}")), "{said}");
        assert!(
            original["requests"].as_u64() > Some(requests.len() as u64) && original["cycle"].as_u64() > Some(cycle),
            "{said}"
        );
        assert!(said.contains("saved             case.json; `txbar sim --replay case.json` runs it again\n"), "{said}");
        let waves = |name: &str| txbar_waves::read::WaveFile::open(&here.path().join(name)).expect("they are waves");
        assert_eq!(waves("first.fst").end(), (cycle + 1) * txbar_waves::write::CYCLE_NS, "{design:?}");
        let record = |name: &str| {
            let text = std::fs::read_to_string(here.path().join(name)).expect("it is written");
            txbar_testbench::record::RunRecord::read(&text).expect("it is a record")
        };
        if has_page {
            let record = record("first.record");
            assert!(said.starts_with(&record.summary), "{}", record.summary);
            let timeline = record.timeline.expect("it has a clock");
            assert_eq!((timeline.marks.len(), timeline.marks[0].cycle, timeline.cycles), (1, cycle, cycle + 1));
            assert!(timeline.marks[0].text == message);
        }
        // run again it is the same: waves, page, figures
        let (again, replayed, told) = sim(&["--replay", "case.json"], "again");
        assert_eq!(String::from_utf8_lossy(&told).matches("not how it failed").count(), 0);
        assert!(again.contains(&format!("cycle {cycle}: {message}")) && !again.contains("reduced"), "{again}");
        let mut without = figures.clone();
        without.as_object_mut().expect("it has fields").remove("original");
        assert_eq!(replayed, without);
        let bytes = |name: &str| std::fs::read(here.path().join(name)).expect("it is written");
        assert!(bytes("first.fst") == bytes("again.fst"), "{design:?}: the waves differ");
        if has_page {
            assert_eq!(record("first.record").timeline, record("again.record").timeline);
        }
        // without the fault it does not fail
        let text = std::fs::read_to_string(here.path().join("case.json")).expect("it is written");
        let fault = design.last().expect("there is one");
        let sound = text.replace(&format!("\"inject_fault\": \"{fault}\""), "\"inject_fault\": null");
        std::fs::write(here.path().join("sound.json"), sound).expect("it can be written");
        txbar(here.path())
            .args(["sim", "--replay", "sound.json"])
            .assert()
            .success()
            .stdout(starts_with("PASSED with seed 3: "));
    }
}

/// Traffic that is kept under a name passes; the cocotb agent plays the same files.
#[test]
fn named_traffic_passes() {
    let here = directory();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testbench/traffic");
    let files: Vec<_> =
        std::fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("readable").path()).collect();
    assert!(!files.is_empty());
    for file in files {
        txbar(here.path()).args(["sim", "--replay"]).arg(file).assert().success().stdout(starts_with("PASSED"));
    }
}

/// What is no saved run is one error, which says where.
#[test]
fn a_saved_run_that_makes_no_sense_is_refused() {
    let here = directory();
    let save = ["sim", "--seed", "1", "--ops", "20000", "--inject-fault", "token-after", "--save", "case.json"];
    txbar(here.path()).args(save).assert().code(2);
    let text = std::fs::read_to_string(here.path().join("case.json")).expect("it is written");
    let wrong = |change: &dyn Fn(&str) -> String, error: &str| {
        let changed = change(&text);
        assert_ne!(changed, text, "{error}");
        std::fs::write(here.path().join("wrong.json"), changed).expect("it can be written");
        let said = contains("error: wrong.json: ").and(contains(error.to_owned()));
        refused(here.path(), &["sim", "--replay", "wrong.json"], said);
    };
    let set = |from: &'static str, to: &'static str| move |text: &str| text.replacen(from, to, 1);
    wrong(&|_| String::new(), "this is not a run that --save has written: EOF");
    wrong(&|_| "[1, 2]".to_owned(), "this is not a run that --save has written");
    wrong(&|_| "{\"records\": 3}".to_owned(), "its format is ``, not `txbar case`");
    wrong(&|text| text[..text.len() / 2].to_owned(), "EOF while parsing");
    wrong(&set("\"version\": 1", "\"version\": 9"), "this is version 9 of the format, and this txbar reads version 1");
    wrong(&set("\"ports\": 4", "\"ports\": 9"), "ports = 9 cannot be built: it must be from 1 to 8");
    wrong(&set("\"ports\": 4", "\"prts\": 4"), "unexpected argument '--prts'");
    wrong(&set("\"ports\": 4", "\"warps\": 4"), "there is no warps in this design");
    wrong(&set("\"stall\": 0", "\"stall\": 96"), "stall: 96 is not in 0..=95");
    wrong(&set("\"seed\"", "\"sed\""), "unknown field `sed`");
    wrong(&set("token-after", "no-such"), "there is no fault `no-such` in this design");
    wrong(&set("{\"port\":", "{\"port\":7,\"prot\":"), "unknown field `prot`");
    wrong(&set("{\"port\":", "{\"port\":7"), "request 1: there is no port 7");
    wrong(&set("\"op\":\"", "\"op\":\"x"), "there is no operation `x");
    wrong(&set("\"op\":\"", "\"op\":77,\"o\":\""), "there is no opcode 77");
    wrong(&set("\"tag\":", "\"tag\":99"), "request 1: there is no tag ");
    wrong(&set("\"address\":\"0x", "\"address\":\"0y"), "a number is needed, such as 56 or \"0x38\"");
    wrong(&set("\"address\":\"0x", "\"address\":\"0x1000000000"), "is too large");
    wrong(&set("\"order\":\"", "\"order\":\"x"), "there is no ordering `x");
    refused(here.path(), &["sim", "--replay", "none.json"], starts_with("error: none.json: No such file"));
    refused(here.path(), &["sim", "--replay", "/dev/zero"], contains("/dev/zero: "));
    refused(here.path(), &["sim", "--replay", "case.json", "--json", "case.json"], contains("is a file that is read"));
    for option in [
        &["--seed", "1"][..],
        &["--ports", "1"],
        &["--ctas", "2"],
        &["--ops", "5"],
        &["--save", "x"],
        &["--stall", "5"],
    ] {
        refused(here.path(), &[&["sim", "--replay", "case.json"], option].concat(), contains("cannot be used with"));
    }
    refused(
        here.path(),
        &["sim", "--replay", "case.json", "--engine", "verilator"],
        contains("they need --engine rtl"),
    );
    // what does not fail leaves no file
    txbar(here.path()).args(["sim", "--ops", "100", "--save", "sound.json"]).assert().success();
    assert!(!here.path().join("sound.json").exists());
}
