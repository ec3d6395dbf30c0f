//! Where the command writes: full devices, closed pipes, links, files that are the same, and options that are looked at before the work.

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
    &["sim", "--plant", "list"],
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
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("testbench/ptx/broken_deadlock.ptx");
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
    refused(here.path(), &sim(&["--vcd", "x.gtkw", "--views"]), twice("--vcd and --views"));
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
