//! `txbar report`, and `--report` and `--record` of other commands, as a user meets them.

use assert_cmd::Command;
use predicates::prelude::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use txbar_testbench::record::{RunRecord, Verdict};

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room")
}

fn txbar(folder: &TempDir, arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("txbar").expect("it is built").current_dir(folder.path()).args(arguments).assert()
}

/// Runs something that is to be recorded, and reads the record.
fn recorded(folder: &TempDir, arguments: &[&str], code: i32) -> (RunRecord, String) {
    let arguments = [arguments, &["--record", "run.json"]].concat();
    let assert = txbar(folder, &arguments).code(code);
    let text = fs::read_to_string(folder.path().join("run.json")).expect("there is a record");
    let printed = String::from_utf8(assert.get_output().stdout.clone()).expect("it is text");
    (RunRecord::read(&text).expect("it is a record"), printed)
}

fn file(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testbench").join(name).display().to_string()
}

#[test]
fn a_simulation_says_the_same_on_its_page_as_in_the_terminal() {
    let folder = folder();
    let sim = ["sim", "--ops", "3000", "--seed", "4", "--stall", "10", "--report", "page.html"];
    let (record, printed) = recorded(&folder, &sim, 0);
    assert_eq!(record.verdict, Verdict::Pass);
    assert_eq!(record.title, "txbar sim --ops 3000 --seed 4 --stall 10 --report page.html --record run.json");
    let lines: Vec<String> =
        record.figures.iter().map(|figure| format!("{:<17} {}", figure.name, figure.value)).collect();
    assert_eq!(format!("{}\n{}\n", record.summary, lines.join("\n")), printed, "the verdict comes first");
    let conformance = record.conformance.expect("it was compared with the model");
    assert_eq!(conformance.rows.iter().map(|row| row.records).sum::<u64>(), 3000);
    assert!(conformance.rows.iter().all(|row| row.records == row.matched));

    // the page of the record is the one that was written at once
    txbar(&folder, &["report", "run.json"]).success().stdout("run.html\n");
    let page = |name: &str| fs::read_to_string(folder.path().join(name)).expect("there is a page");
    assert!(page("page.html") == page("run.html"), "they differ");
    assert!(page("page.html").starts_with("<!DOCTYPE html>"));
    txbar(&folder, &["report", "run.json", "-o", "other.html"]).success();
    assert!(page("other.html") == page("run.html"), "they differ");
}

#[test]
fn only_the_last_rows_are_kept_if_that_is_wanted() {
    let folder = folder();
    let (record, _) = recorded(&folder, &["sim", "--ops", "3000", "--report-rows", "100"], 0);
    let timeline = record.timeline.expect("it has a clock");
    assert_eq!(timeline.events.cycle.len(), 100);
    assert!(timeline.dropped > 1000);
    assert_eq!(timeline.series.accepted.iter().sum::<u64>(), 3000, "plots are of the whole run");
}

#[test]
fn an_injected_fault_leaves_a_mark() {
    let folder = folder();
    let (record, printed) =
        recorded(&folder, &["sim", "--ops", "3000", "--seed", "1", "--inject-fault", "flip-without-reload"], 2);
    assert_eq!(record.verdict, Verdict::Fail);
    assert_eq!(record.summary, printed);
    assert!(record.summary.starts_with("FAILED with seed 1: "));
    assert_eq!(record.conformance, None);
    let timeline = record.timeline.expect("it has a clock");
    let [mark] = &timeline.marks[..] else { panic!("there are {:?}", timeline.marks) };
    assert!(mark.cycle < timeline.cycles && !mark.text.is_empty(), "{mark:?}");
}

#[test]
fn a_hang_has_its_table_and_its_waits() {
    let folder = folder();
    let kernel = file("../ptx/kernels/broken/broken_deadlock.ptx");
    let (record, printed) = recorded(&folder, &["run", &kernel, "--block", "64", "--report", "page.html"], 3);
    assert_eq!(record.verdict, Verdict::Hang);
    assert_eq!(record.summary, printed);
    assert_eq!(record.hang.len(), 2, "{:?}", record.hang);
    for (row, name) in record.hang.iter().zip(["left", "right"]) {
        assert_eq!((row.threads.len(), row.barrier.as_deref(), row.arrivals_missing), (32, Some(name), Some(32)));
    }
    let timeline = record.timeline.expect("it has a clock");
    let names: Vec<Option<&str>> = timeline.barriers.iter().map(|barrier| barrier.name.as_deref()).collect();
    assert_eq!(names, [Some("left"), Some("right")]);
    let mark = timeline.marks.first().expect("there is one");
    assert_eq!(format!("hang: {} cycle {}", mark.text, mark.cycle), printed.lines().next().expect("it is told"));
    // a wait that is suspended for so long is told that its phase is not complete, and the thread waits again
    let last = timeline.waits.end.iter().map(|end| end.unwrap_or(timeline.cycles)).max();
    assert!(
        last.is_some_and(|last| last + 50 > timeline.cycles),
        "some wait to the end: {last:?} of {}",
        timeline.cycles
    );
}

#[test]
fn a_kernel_that_faults_says_so_with_its_line() {
    let folder = folder();
    let kernel = file("../ptx/kernels/broken/broken_arrive_over_pending.ptx");
    let arguments = fs::read_to_string(kernel.replace(".ptx", ".run")).expect("it is there");
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let (record, _) = recorded(&folder, &[&["run", &kernel], &arguments[..]].concat(), 2);
    assert_eq!(record.verdict, Verdict::Fault);
    let remark = record.remarks.last().expect("there is one");
    assert!(record.summary.contains(&format!("line {}", remark.line)), "{}", record.summary);
    let timeline = record.timeline.expect("it has a clock");
    assert_eq!(timeline.marks.len(), 1);
    let status =
        timeline.statuses.iter().position(|[name, _]| Some(name) == remark.status.as_ref()).expect("it has one");
    assert!(timeline.events.status.contains(&(status as u8)), "its operation is in the timeline");
    assert_eq!(record.hang, [], "who waits would go on");
}

/// A lane stores with its warp: past the ports, but what it stores over a barrier is in the timeline.
#[test]
fn a_store_of_a_warp_over_a_barrier_is_a_row() {
    let folder = folder();
    let kernel = file("../ptx/kernels/broken/broken_store_to_barrier.ptx");
    let arguments = fs::read_to_string(kernel.replace(".ptx", ".run")).expect("it is there");
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let (record, _) = recorded(&folder, &[&["run", &kernel], &arguments[..]].concat(), 2);
    let timeline = record.timeline.expect("it has a clock");
    let name = |row: usize| timeline.operations[usize::from(timeline.events.op[row])].name.as_ref();
    let names: Vec<&str> = (0..timeline.events.op.len()).map(name).collect();
    assert_eq!(names, ["init", "store", "arrive"]);
    let events = &timeline.events;
    assert_eq!((timeline.ports[events.port[1]].as_str(), events.thread[1], events.word[1]), ("warps", 0, 0));
    assert_eq!(timeline.statuses[usize::from(events.status[1])][0], "store_to_barrier");
    assert!(events.accepted[1] < events.cycle[1] && events.answered[1] > Some(events.cycle[1]));
    assert_eq!(timeline.series.accepted.iter().sum::<u64>(), 3);
    assert_eq!(timeline.counts.iter().map(|count| count.times).sum::<u64>(), 3);
}

#[test]
fn a_replay_is_told_by_operation() {
    let folder = folder();
    let (legal, edge) = (file("vectors/h200_legal.csv"), file("vectors/h200_edge.csv"));
    let (record, _) = recorded(&folder, &["check", &legal, &edge], 0);
    let rows = record.conformance.expect("that is what it is for").rows;
    assert_eq!(rows.iter().map(|row| row.matched).sum::<u64>(), 10_571);
    let timeline = record.timeline.expect("the hardware has a clock");
    assert_eq!(
        timeline.series.accepted.iter().sum::<u64>(),
        timeline.counts.iter().map(|count| count.times).sum::<u64>()
    );
    let arrives = rows.iter().filter(|row| row.operation == "arrive" && row.source == legal);
    assert_eq!(arrives.map(|row| row.records).collect::<Vec<_>>(), [400]);

    let wrong = "op,arg,word_before,token,word_after,result\ninit,1,0000000000000000,,0000000000000000,\n";
    fs::write(folder.path().join("wrong.csv"), wrong).expect("there is room");
    let (record, _) = recorded(&folder, &["check", "wrong.csv", "--engine", "model"], 2);
    assert_eq!((record.verdict, record.timeline), (Verdict::Fail, None));
    let conformance = record.conformance.expect("that is what it is for");
    assert_eq!(conformance.rows.iter().map(|row| (row.records, row.matched)).collect::<Vec<_>>(), [(1, 0)]);
    assert!(conformance.mismatches[0].starts_with("wrong.csv: line 2: init on 0000000000000000: the word after is "));
}

#[test]
fn clusters_and_scenarios_are_recorded_too() {
    let folder = folder();
    let (record, _) = recorded(&folder, &["sim", "--ctas", "2", "--cycles", "2000", "--seed", "3"], 0);
    let timeline = record.timeline.expect("it has a clock");
    assert!(timeline.ports.contains(&"network".to_owned()) && timeline.ports.contains(&"copies".to_owned()));
    assert!(timeline.barriers.iter().any(|barrier| barrier.cta == 1));
    let (record, _) = recorded(&folder, &["sim", "--scenario", "ring", "--seed", "3"], 0);
    assert!(record.figures.iter().any(|figure| figure.name == "scenario" && figure.value.starts_with("ring: ")));
    assert!(record.timeline.is_some_and(|timeline| timeline.events.cycle.len() > 20));
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let folder = folder();
    let refused = |arguments: &[&str], why: &str| {
        txbar(&folder, arguments).failure().stdout("").stderr(predicate::str::contains(why.to_owned()));
    };
    refused(&["report", "none.json"], "none.json: No such file");
    fs::write(folder.path().join("other.json"), "{\"records\": 3}").expect("there is room");
    refused(&["report", "other.json"], "other.json: it is not a record of a run");
    fs::write(folder.path().join("cut.json"), "{\"format\": \"txbar").expect("there is room");
    refused(&["report", "cut.json"], "cut.json: it is not a record of a run, which is JSON that --record has written");
    // told before the run, not after it
    refused(&["sim", "--ops", "1000000000", "--report", "nowhere/page.html"], "cannot write nowhere/page.html");
    refused(&["sim", "--ctas", "2", "--cycles", "1000000000", "--record", "nowhere/r"], "cannot write nowhere/r");
    let kernel = file("../ptx/kernels/broken/broken_deadlock.ptx");
    refused(&["run", &kernel, "--runs", "2", "--report", "page.html"], "--report cannot be used with --runs");
    refused(&["run", &kernel, "--record", &kernel], "is a file that is read");
    refused(&["sim", "--report-rows", "0"], "0 is not in 1..");
    txbar(&folder, &["sim", "--ops", "100", "--record", "run.json"]).success();
    refused(&["report", "run.json", "-o", "run.json"], "run.json is a file that is read");
    assert!(!folder.path().join("page.html").exists());
}
