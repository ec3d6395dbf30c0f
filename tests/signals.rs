//! Ctrl-C and SIGTERM: output files are complete or absent, a kernel reports who waits for what, and the exit code is that of shells.
#![cfg(unix)]

mod common;

use common::{directory, files, json, vectors};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use txbar_waves::read::WaveFile;

/// A thread that counts for ever, and others that wait for it at a barrier.
const COUNTS: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry counts()
{
    .shared .align 8 .b64 bar;
    .reg .pred first, done;
    .reg .b32 i;
    .reg .b64 state;
    mov.u32 i, %tid.x;
    setp.eq.u32 first, i, 0;
    @first mbarrier.init.shared.b64 [bar], 32;
    bar.sync 0;
    @first bra again;
    mbarrier.arrive.shared.b64 state, [bar];
wait:
    mbarrier.try_wait.shared.b64 done, [bar], state;
    @!done bra wait;
    ret;
again:
    add.u32 i, i, 1;
    setp.eq.u32 done, i, 0x7fffffff;
    @!done bra again;
    ret;
}
";

/// Starts the command.
fn start(directory: &Path, arguments: &[&str]) -> Child {
    txbar(directory, arguments).spawn().expect("it can be started")
}

fn txbar(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("txbar"));
    command.current_dir(directory).args(arguments).env("TMPDIR", directory);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{what}: it does not come");
}

/// Bytes of the file that is being written in a directory.
fn unfinished(directory: &Path) -> u64 {
    let hidden = files(directory).into_iter().filter(|name| name.starts_with(".tmp"));
    hidden.filter_map(|name| Some(fs::metadata(directory.join(name)).ok().filter(|file| file.is_file())?.len())).sum()
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(status.expect("there is kill").success());
}

/// Exit code, standard output and standard error.
fn end(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_simulation_that_is_interrupted_leaves_waves_that_can_be_read() {
    for (arguments, name, code) in [
        (&["sim", "--ops", "4000000000"][..], "INT", 130),
        (&["sim", "--ops", "4000000000"], "TERM", 143),
        (&["sim", "--ctas", "2", "--cycles", "4000000000"], "INT", 130),
    ] {
        let here = directory();
        let child = start(here.path(), &[arguments, &["--seed", "1", "--vcd", "w.vcd", "--json", "f.json"]].concat());
        until("waves", || unfinished(here.path()) > 1_000_000);
        signal(&child, name);
        let (ended, said, errors) = end(child);
        assert_eq!(ended, Some(code), "{arguments:?}: {said}{errors}");
        assert!(said.starts_with("STOPPED in cycle ") && !errors.contains("error"), "{said}{errors}");
        assert!(said.contains("\noperations ") && said.contains("\nmismatches        0\n"), "{said}");
        assert_eq!(files(here.path()), ["f.json", "w.vcd"], "{arguments:?}");
        let figures = json(&here.path().join("f.json"));
        let count = |key: &str| figures[key].as_u64().unwrap_or_else(|| panic!("{key}: {figures}"));
        assert!(figures["stopped"] == true && count("operations") > 100 && count("mismatches") == 0, "{figures}");
        let waves = WaveFile::open(&here.path().join("w.vcd")).unwrap_or_else(|error| panic!("{error}"));
        assert!(waves.end() > 1000, "{}", waves.end());
    }
}

#[test]
fn a_kernel_that_is_interrupted_tells_who_waits_for_what() {
    let here = directory();
    fs::write(here.path().join("k.ptx"), COUNTS).expect("it can be written");
    let options = ["--vcd", "k.vcd", "--vcd-around", "hang", "--vcd-window", "50", "--json", "f.json"];
    let mut child = start(here.path(), &[&["run", "k.ptx"], &options[..]].concat());
    // where it is, is told now and then
    let mut line = String::new();
    let mut told = BufReader::new(child.stderr.take().expect("it is piped"));
    told.read_line(&mut line).expect("it is text");
    assert!(line.starts_with("running"), "{line}");
    signal(&child, "INT");
    let (code, said, _) = end(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(
        said.starts_with("stopped in cycle ") && said.contains(": no phase has completed, something moved last in"),
        "{said}"
    );
    assert!(said.contains(": is at work in a loop, lines 21 to 23, gone round "), "{said}");
    assert!(said.contains("threads 1-31, line 17: wait for the phase with a token of parity 0 of `bar`"), "{said}");
    assert!(said.contains("1 of 32 arrivals missing; arrived: threads 1-31"), "{said}");
    assert_eq!(files(here.path()), ["f.json", "k.ptx", "k.vcd"]);
    let figures: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(here.path().join("f.json")).expect("it is written")).expect("JSON");
    assert_eq!(figures["outcome"], "stopped");
    assert!(figures["hang"].as_array().expect("a list").iter().any(|row| row["waits_for"] == "nothing"), "{figures}");
    let mut waves = WaveFile::open(&here.path().join("k.vcd")).unwrap_or_else(|error| panic!("{error}"));
    assert!(waves.begin() < waves.end() && waves.end() - waves.begin() <= 1010, "the window around the last arrival");
}

#[test]
fn what_has_no_run_to_stop_ends_at_once_and_leaves_nothing() {
    let here = directory();
    for (arguments, name, code) in [
        (&["litmus", "--runs", "100000000", "--json", "f.json"][..], "INT", 130),
        (&["host", "--simulate"], "INT", 130),
    ] {
        let child = start(here.path(), arguments);
        until("its scratch directory", || !files(here.path()).is_empty());
        signal(&child, name);
        let (ended, _, said) = end(child);
        assert_eq!(ended, Some(code), "{arguments:?}: {said}");
        assert_eq!(files(here.path()), [] as [&str; 0], "{arguments:?}");
    }
}

#[test]
fn a_replay_that_is_interrupted_tells_how_far_it_came() {
    let here = directory();
    let text = fs::read_to_string(vectors("h200_legal.csv")).expect("it is there");
    let (header, records) = text.split_once('\n').expect("there is a header");
    let many = (header.to_owned() + "\n" + &records.repeat(400), records.lines().count() * 400);
    fs::write(here.path().join("many.csv"), many.0).expect("it can be written");
    let files_of = ["--json", "f.json", "--record", "r.json", "--junit", "j.xml"];
    let mut child = start(here.path(), &[&["check", "many.csv"], &files_of[..]].concat());
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("it is piped")).read_line(&mut line).expect("it is text");
    assert!(line.starts_with("replaying: "), "{line}");
    signal(&child, "TERM");
    let (code, said, _) = end(child);
    assert_eq!(code, Some(143), "{said}");
    let figures = json(&here.path().join("f.json"));
    let count = |key: &str| figures[key].as_u64().unwrap_or_else(|| panic!("{key}: {figures}"));
    let (matched, replayed, left) = (count("matched"), count("records"), count("left"));
    assert!(replayed > 0 && replayed == matched && left > 0 && replayed + left == many.1 as u64, "{figures}");
    assert_eq!(said, format!("STOPPED: {left} records were not replayed\n{matched} of {replayed} records match\n"));
    assert_eq!(json(&here.path().join("r.json"))["verdict"], "stopped");
    let junit = fs::read_to_string(here.path().join("j.xml")).expect("it is written");
    assert!(junit.contains(&format!("stopped by a signal: {left} records were not replayed")), "{junit}");
}

#[test]
fn drawn_runs_that_are_interrupted_tell_those_that_were_made() {
    let here = directory();
    let mut child = start(here.path(), &["sim", "--random-parameters", "1000000", "--seed", "1", "--json", "f.json"]);
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("it is piped")).read_line(&mut line).expect("it is text");
    signal(&child, "INT");
    let (code, said, _) = end(child);
    assert_eq!(code, Some(130), "{said}");
    let figures = json(&here.path().join("f.json"));
    let count = |key: &str| figures[key].as_u64().unwrap_or_else(|| panic!("{key}: {figures}"));
    assert!(count("stopped") > 0 && count("runs") + count("stopped") == 1_000_000, "{figures}");
    assert!(said.ends_with(&format!("STOPPED: {} runs were not made\n", count("stopped"))), "{said}");
}

#[test]
fn the_tools_that_run_for_it_end_with_it() {
    use std::os::unix::fs::PermissionsExt;
    let here = directory();
    let bin = here.path().join("bin");
    fs::create_dir(&bin).expect("it can be made");
    // none of them ever ends
    for tool in ["yosys", "nextpnr-ecp5"] {
        fs::write(bin.join(tool), "#!/bin/sh\necho $$ >\"$TXBAR_TOOLS\"/bin/process\nexec sleep 600\n")
            .expect("it can be written");
        fs::set_permissions(bin.join(tool), fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let mut command = txbar(here.path(), &["synth", "--part", "ecp5-85f-6"]);
    let child = command.env("TXBAR_TOOLS", here.path()).spawn().expect("it can be started");
    let process = || fs::read_to_string(bin.join("process")).unwrap_or_default();
    until("the tool", || process().ends_with('\n'));
    let tool = PathBuf::from("/proc").join(process().trim());
    signal(&child, "TERM");
    let (ended, _, said) = end(child);
    assert_eq!((ended, said.contains("error")), (Some(143), false), "{said}");
    // one that nobody has waited for yet has no command line any more
    until("the end of the tool", || fs::read(tool.join("cmdline")).unwrap_or_default().is_empty());
}

#[test]
fn a_second_signal_does_not_wait_for_the_run() {
    let here = directory();
    // its other end does not read: the run cannot come to where it looks for signals
    assert!(Command::new("mkfifo").arg(here.path().join("p.vcd")).status().expect("it is there").success());
    let child = start(here.path(), &["sim", "--ops", "4000000000", "--vcd", "p.vcd"]);
    let mut reader = fs::File::open(here.path().join("p.vcd")).expect("it is there");
    std::io::Read::read_exact(&mut reader, &mut [0; 8]).expect("it begins");
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "TERM");
    assert_eq!(end(child).0, Some(143));
    assert_eq!(files(here.path()), ["p.vcd"]);
}
