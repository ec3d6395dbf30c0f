//! Output files of the command: full devices, closed pipes, links, files given twice, and options checked before the work.

mod common;

use common::{directory, files, json, refused, txbar, vectors};
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

/// Each subcommand, with arguments for something small to say.
const SUBCOMMANDS: [&[&str]; 19] = [
    &["-o", "tour"],
    &["check", "few.csv"],
    &["sim", "--ops", "50", "--seed", "1"],
    &["sim", "--ctas", "2", "--cycles", "300", "--seed", "1"],
    &["sim", "--scenario", "ring", "--seed", "1"],
    &["sim", "--inject-fault", "list"],
    &["litmus", "list"],
    &["prove", "list"],
    &["ptx", "--forms"],
    &["run", "kernel.ptx"],
    &["verilog", "--ports", "1", "--banks", "1"],
    &["synth", "--part", "list"],
    &["report", "run.json"],
    &["wave", "run.vcd"],
    &["bench", "list"],
    &["bench", "ptx", "--seconds", "0.01"],
    &["completions", "bash"],
    &["man", "-o", "man"],
    &["--help"],
];

/// A directory with what the subcommands read.
fn material() -> tempfile::TempDir {
    let here = directory();
    fs::copy(vectors("h200_edge.csv"), here.path().join("few.csv")).expect("it can be copied");
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("ptx/kernels/broken/broken_deadlock.ptx");
    fs::copy(kernel, here.path().join("kernel.ptx")).expect("it can be copied");
    let record = ["sim", "--ops", "20", "--seed", "1", "--vcd", "run.vcd", "--record", "run.json"];
    txbar(here.path()).args(record).assert().success();
    here
}

/// Runs a subcommand with its standard output somewhere. Gives the exit code and what it says on standard error.
fn said_to(directory: &Path, arguments: &[&str], output: Stdio) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("txbar"));
    let child = command.current_dir(directory).args(arguments).stdout(output).stderr(Stdio::piped()).spawn();
    let output = child.expect("it can be started").wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_full_device_is_one_error() {
    let here = material();
    for arguments in SUBCOMMANDS {
        let full = fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let (code, said) = said_to(here.path(), arguments, full.into());
        assert_eq!(code, Some(1), "{arguments:?}: {said}");
        let errors = said.lines().filter(|line| line.starts_with("error: ")).collect::<Vec<_>>();
        assert_eq!(
            errors,
            ["error: cannot write to standard output: No space left on device (os error 28)"],
            "{arguments:?}"
        );
    }
    // what goes to files is there all the same
    let full = fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    said_to(here.path(), &["sim", "--ops", "50", "--seed", "1", "--json", "f.json", "--vcd", "f.vcd"], full.into());
    assert_eq!(json(&here.path().join("f.json"))["operations"], 50);
    assert!(here.path().join("f.vcd").exists());
}

#[test]
fn a_full_device_for_errors_is_no_panic() {
    let here = material();
    for (arguments, code) in [(&["sim", "--ports", "9"][..], 1), (&["run", "kernel.ptx"], 3), (&["nonsense"], 1)] {
        let full = fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("txbar"));
        let status = command.current_dir(here.path()).args(arguments).stdout(Stdio::null()).stderr(full).status();
        assert_eq!(status.expect("it can be started").code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn a_closed_pipe_ends_every_subcommand_quietly() {
    let here = material();
    for arguments in SUBCOMMANDS {
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let (code, said) = said_to(here.path(), arguments, writer.into());
        assert_eq!(code, Some(141), "{arguments:?}: {said}");
        assert!(!said.contains("error") && !said.contains("panicked"), "{arguments:?}: {said}");
    }
    assert!(!files(here.path()).iter().any(|name| name.starts_with(".tmp")), "{:?}", files(here.path()));
}

#[test]
fn nothing_is_written_twice_and_no_input_is_written() {
    let here = material();
    let at = |name: &str| here.path().join(name);
    symlink("run.vcd", at("link.vcd")).expect("links can be made");
    fs::hard_link(at("run.vcd"), at("hard.vcd")).expect("links can be made");
    symlink("to-be.json", at("dangling.json")).expect("links can be made");
    fs::write(at("numbers"), "1 2 3").expect("it can be written");
    let waves = fs::read(at("run.vcd")).expect("it is there");
    let twice = |options: &'static str| contains(options).and(contains("would write the same file"));
    let read = || contains(" is a file that is read: --").and(contains(" cannot write there; name another"));
    for input in ["run.vcd", "./run.vcd", "link.vcd", "hard.vcd"] {
        refused(here.path(), &["wave", "run.vcd", "--svg", input], read());
    }
    refused(here.path(), &["check", "few.csv", "--json", "few.csv"], read());
    refused(here.path(), &["check", "few.csv", "--record", "few.csv"], read());
    refused(here.path(), &["ptx", "kernel.ptx", "--json", "kernel.ptx"], read());
    refused(here.path(), &["report", "run.json", "-o", "run.json"], read());
    let filled = ["run", "kernel.ptx", "--param", "in:u32:3:@numbers", "--json", "numbers"];
    refused(here.path(), &filled, read());
    let sim = |more: &[&'static str]| [&["sim", "--ops", "9"], more].concat();
    refused(here.path(), &sim(&["--report", "x", "--record", "x"]), twice("--report and --record"));
    refused(here.path(), &sim(&["--vcd", "x", "--report", "./x"]), twice("--vcd and --report"));
    refused(here.path(), &sim(&["--json", "x", "--vcd", "x"]), twice("--json and --vcd"));
    refused(here.path(), &sim(&["--vcd", "hard.vcd", "--record", "run.vcd"]), twice("--vcd and --record"));
    refused(here.path(), &sim(&["--json", "dangling.json", "--record", "to-be.json"]), twice("--json and --record"));
    refused(here.path(), &sim(&["--vcd", "x", "--json", "x.gtkw", "--views"]), twice("--json and --views"));
    refused(here.path(), &["sim", "--scenario", "ring", "--vcd", "txbar-ring.svg"], twice("--svg and --vcd"));
    refused(here.path(), &["run", "kernel.ptx", "--json", "x", "--record", "x"], twice("--json and --record"));
    assert!(fs::read(at("run.vcd")).expect("it is there") == waves, "it is as it was");
    // a device takes what several write
    txbar(here.path()).args(sim(&["--json", "/dev/null", "--record", "/dev/null"])).assert().success();
}

#[test]
fn where_nothing_can_be_written_is_told_before_the_work() {
    let here = material();
    let long = ["--ops", "4000000000"];
    let cannot = |place: &'static str| starts_with(format!("error: cannot write {place}: "));
    for option in ["--json", "--vcd", "--report", "--record"] {
        refused(
            here.path(),
            &[&["sim"], &long[..], &[option, "no/such"]].concat(),
            starts_with("error: cannot write no/such: No such file"),
        );
        refused(here.path(), &[&["sim"], &long[..], &[option, "."]].concat(), cannot("."));
    }
    let endless = ["run", "kernel.ptx", "--json", "no/such"];
    refused(here.path(), &endless, cannot("no/such"));
    refused(here.path(), &["litmus", "--json", "no/such"], cannot("no/such"));
    refused(here.path(), &["prove", "--json", "no/such"], cannot("no/such"));
    refused(here.path(), &["bench", "--json", "no/such"], cannot("no/such"));
    refused(here.path(), &["check", "few.csv", "--json", "no/such"], cannot("no/such"));
    refused(here.path(), &["wave", "run.vcd", "--svg", "no/such"], cannot("no/such"));
    refused(here.path(), &["prove", "-o", "few.csv"], starts_with("error: cannot make the directory few.csv: "));
    refused(here.path(), &["prove", "-o", "few.csv/x"], starts_with("error: cannot make the directory few.csv/x: "));
    // no name of a temporary file is told
    let said = txbar(here.path()).args(["sim", "--json", "no/such"]).output().expect("it runs").stderr;
    assert_eq!(String::from_utf8_lossy(&said), "error: cannot write no/such: No such file or directory (os error 2)\n");
}

#[test]
fn figures_that_cannot_be_written_are_an_error() {
    let here = directory();
    let output =
        txbar(here.path()).args(["sim", "--ops", "10", "--json", "no/f.json"]).output().expect("it can be started");
    assert_eq!(output.status.code(), Some(1));
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
    assert_eq!(output.status.code(), Some(1));
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

/// Test cases as an XML parser that has not written them reads them: suite, name, and the message of a failure.
fn junit(path: &Path) -> Vec<(String, String, Option<String>)> {
    let text = fs::read_to_string(path).expect("it was written");
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let mut cases = Vec::new();
    let (mut tests, mut failures) = (0, 0);
    for suite in root.children().filter(|node| node.has_tag_name("testsuite")) {
        let name = suite.attribute("name").expect("it has a name");
        let before = cases.len();
        for case in suite.children().filter(|node| node.has_tag_name("testcase")) {
            let failure = case.children().find(|node| node.has_tag_name("failure"));
            let message = failure.map(|failure| {
                assert!(
                    failure.attribute("type").is_some() && failure.text().is_some_and(|text| !text.is_empty()),
                    "{text}"
                );
                failure.attribute("message").expect("it has a message").to_owned()
            });
            failures += usize::from(message.is_some());
            cases.push((name.to_owned(), case.attribute("name").expect("it has a name").to_owned(), message));
        }
        assert_eq!(suite.attribute("tests"), Some((cases.len() - before).to_string().as_str()));
        tests += cases.len() - before;
    }
    let counted = |key: &str| root.attribute(key).and_then(|count| count.parse::<usize>().ok());
    assert_eq!((counted("tests"), counted("failures")), (Some(tests), Some(failures)), "{text}");
    cases
}

#[test]
fn what_was_tested_is_written_as_junit() {
    let here = material();
    let run = |arguments: &[&str], code: i32| {
        let arguments = [arguments, &["--junit", "j.xml"]].concat();
        txbar(here.path()).args(&arguments).assert().code(code);
        let cases = junit(&here.path().join("j.xml"));
        fs::remove_file(here.path().join("j.xml")).expect("it is there");
        cases
    };
    let passed = |suite: &str, name: &str| (suite.to_owned(), name.to_owned(), None);
    assert_eq!(run(&["sim", "--ops", "50", "--seed", "7"], 0), [passed("txbar sim", "seed 7")]);
    let failed = run(&["sim", "--seed", "1", "--inject-fault", "token-after", "--json", "f.json"], 2);
    let message = json(&here.path().join("f.json"))["message"].as_str().map(str::to_owned);
    assert_eq!(failed, [("txbar sim".to_owned(), "seed 1".to_owned(), message)]);
    let not_found =
        run(&["sim", "--ops", "3", "--ports", "1", "--seed", "1", "--inject-fault", "flip-without-reload"], 2);
    assert!(
        not_found[0].2.as_deref().is_some_and(|message| message.starts_with("NOT FOUND with seed 1")),
        "{not_found:?}"
    );
    let drawn = run(&["sim", "--random-parameters", "3", "--seed", "1"], 0);
    assert_eq!(drawn, ["run 0", "run 1", "run 2"].map(|name| passed("txbar sim --random-parameters", name)));
    let scenario = run(&["sim", "--scenario", "ring", "--seed", "4", "--runs", "2"], 0);
    assert_eq!(scenario, ["seed 4", "seed 5"].map(|name| passed("txbar sim --scenario ring", name)));
    // recordings: an operation each; what is said of one that differs has nothing in it that XML cannot have
    let wrong = "op,arg,word_before,token,word_after,result\ninit,1,0000000000000000,,0000000000000000,\n";
    fs::write(here.path().join("w.csv"), wrong).expect("it can be written");
    let checked = run(&["check", "few.csv", "w.csv", "--engine", "model"], 2);
    assert!(checked.contains(&passed("few.csv", "arrive")), "{checked:?}");
    assert!(
        checked.contains(&("w.csv".to_owned(), "init".to_owned(), Some("1 of 1 records differ".to_owned()))),
        "{checked:?}"
    );
    // kernels: a schedule each, and whether they agree
    let hang = run(&["run", "kernel.ptx", "--block", "64"], 3);
    assert!(hang.len() == 1 && hang[0].1 == "schedule round-robin", "{hang:?}");
    assert!(hang[0].2.as_deref().is_some_and(|message| message.starts_with("hang: ")), "{hang:?}");
    let schedules = run(&["run", "kernel.ptx", "--block", "64", "--runs", "2", "--schedule-seed", "5"], 3);
    let names: Vec<&str> = schedules.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!(names, ["schedule seed 5", "schedule seed 6", "all schedules have the same outputs"]);
    assert!(schedules[0].2.is_some() && schedules[1].2.is_some() && schedules[2].2.is_none(), "{schedules:?}");
    for mode in [&["list"][..], &["--covers"], &["--mutants", "1"]] {
        refused(here.path(), &[&["prove"], mode, &["--junit", "j.xml"]].concat(), contains("cannot be used with"));
    }
    refused(here.path(), &["sim", "--ops", "9", "--junit", "x", "--json", "x"], contains("would write the same file"));
}

#[test]
fn figures_on_standard_output_stand_alone() {
    let here = material();
    for arguments in [
        &["sim", "--ops", "10", "--seed", "1"][..],
        &["sim", "--scenario", "ring", "--seed", "1"],
        &["sim", "--ctas", "2", "--cycles", "300", "--seed", "1"],
        &["check", "few.csv"],
        &["ptx", "kernel.ptx"],
        &["run", "kernel.ptx"],
        &["litmus", "--runs", "2", "--seed", "1", "rule5+release+acquire"],
    ] {
        let output = txbar(here.path()).args(arguments).args(["--json", "-"]).output().expect("it runs");
        let figures = serde_json::from_slice::<serde_json::Value>(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(figures.is_ok(), "{arguments:?}: {}{said}", String::from_utf8_lossy(&output.stdout));
        assert!(!said.is_empty() && !here.path().join("-").exists(), "{arguments:?}");
    }
    for (arguments, option) in [
        (&["sim", "--vcd", "-"][..], "--vcd"),
        (&["sim", "--report", "-"], "--report"),
        (&["sim", "--record", "-"], "--record"),
        (&["sim", "--scenario", "ring", "--svg", "-"], "--svg"),
        (&["wave", "run.vcd", "--svg", "-"], "--svg"),
        (&["report", "run.json", "-o", "-"], "--output"),
        (&["prove", "--keep", "-"], "--keep"),
    ] {
        let error = format!("error: {option} -: only --json can be written to standard output");
        refused(here.path(), arguments, starts_with(error));
    }
    refused(here.path(), &["verilog", "-o", "-"], starts_with("error: `-` is standard output, not a directory"));
}

#[test]
fn what_has_no_end_is_not_read() {
    let here = directory();
    for arguments in [
        &["check", "/dev/zero"][..],
        &["ptx", "/dev/zero"],
        &["run", "/dev/zero"],
        &["report", "/dev/zero", "-o", "x.html"],
        &["merge", "/dev/zero"],
        &["wave", "/dev/zero"],
        &["sim", "--replay", "/dev/zero"],
        &["synth", "--explore", "/dev/zero"],
        &["synth", "--explore", "--keep", "/dev/zero"],
    ] {
        let output =
            txbar(here.path()).args(arguments).timeout(std::time::Duration::from_secs(20)).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("/dev/zero") && said.contains("is a device, not a "), "{arguments:?}: {said}");
    }
}
