//! `txbar host` as a user meets it, at a simulated board behind a pseudo-terminal.
#![cfg(unix)]

use assert_cmd::Command;
use assert_cmd::cargo::CommandCargoExt;
use predicates::prelude::*;
use predicates::str::{contains, ends_with, starts_with};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{self, Child, Stdio};
use tempfile::TempDir;

/// A simulated board; it ends with its owner.
struct Board {
    child: Child,
    port: String,
}

impl Board {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(options: &[&str]) -> Self {
        let mut command = process::Command::cargo_bin("txbar").expect("it has been built");
        command.args(["host", "--simulate", "--ports", "1", "--banks", "1", "--waiters", "0"]).args(options);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it can be started");
        let mut port = String::new();
        let output = child.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut port).expect("it tells the path");
        Self { child, port: port.trim().to_owned() }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

fn txbar() -> Command {
    Command::cargo_bin("txbar").expect("it has been built")
}

/// Every 50th record of both recordings; all of them if `TXBAR_ALL_RECORDS` is set.
fn recording(directory: &TempDir) -> (String, usize) {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("testbench/vectors");
    let step = if txbar_testbench::test_env::all("RECORDS") { 1 } else { 50 };
    let mut lines = Vec::new();
    for name in ["h200_legal.csv", "h200_edge.csv"] {
        let text = fs::read_to_string(vectors.join(name)).expect("it is there");
        let mut all = text.lines().map(str::to_owned);
        let header = all.next().expect("there is a header");
        if lines.is_empty() {
            lines.push(header);
        }
        lines.extend(all.step_by(step));
    }
    let path = directory.path().join("some.csv");
    fs::write(&path, lines.join("\n") + "\n").expect("it can be written");
    (path.to_str().expect("it is text").to_owned(), lines.len() - 1)
}

#[test]
fn a_board_is_identified_and_recordings_are_replayed_on_it() {
    let (board, directory) = (Board::new(), tempfile::tempdir().expect("it can be made"));
    txbar()
        .args(["host", "--port", &board.port, "--identify"])
        .assert()
        .success()
        .stdout(starts_with("txbar bridge, protocol version 1\nports     1\n").and(contains("words     512\n")));
    let (file, records) = recording(&directory);
    // twice: a host may come and go
    for _ in 0..2 {
        txbar()
            .args(["host", "--port", &board.port, &file])
            .assert()
            .success()
            .stdout(format!("{records} of {records} records match\n"));
    }
}

#[test]
fn what_differs_is_told_as_check_tells_it() {
    let (board, directory) = (Board::new(), tempfile::tempdir().expect("it can be made"));
    let path = directory.path().join("wrong.csv");
    let text = "op,arg,word_before,token,word_after,result\narrive,,7fffe000001ffff8,,7fffe800001ffff9,7fffe000\n";
    fs::write(&path, text).expect("it can be written");
    let path = path.to_str().expect("it is text");
    let checked = txbar().args(["check", path]).output().expect("it can be started");
    let hosted = txbar().args(["host", "--port", &board.port, path]).output().expect("it can be started");
    assert_eq!(hosted.status.code(), Some(2));
    assert_eq!((hosted.status, hosted.stdout), (checked.status, checked.stdout));
}

#[test]
fn a_board_with_checked_mode_replays_nothing() {
    let (board, directory) = (Board::with(&["--checked"]), tempfile::tempdir().expect("it can be made"));
    let (file, _) = recording(&directory);
    let host = |argument: &str| txbar().args(["host", "--port", &board.port, argument]).assert();
    host("--identify").success().stdout(contains("checked   yes\n"));
    host(&file).code(1).stdout("").stderr(ends_with("this takes a bridge that was built without --checked\n"));
}

#[test]
fn what_is_not_there_is_told_in_one_line() {
    txbar()
        .args(["host", "--port", "/dev/no-such-port", "--identify"])
        .assert()
        .code(1)
        .stderr("error: /dev/no-such-port: there is no such serial port, or it is in use\n");
    txbar().args(["host", "--identify"]).assert().code(1).stderr(contains("--port"));
    txbar().args(["host", "--port", "x", "no-such.csv"]).assert().code(1).stderr(starts_with("error: no-such.csv"));
    // a terminal at which nobody is
    let (_line, terminal) = serialport::TTYPort::pair().expect("there are pseudo-terminals");
    let name = serialport::SerialPort::name(&terminal).expect("it has a name");
    let told = format!("error: {name}: no answer: is the bridge on the board, and does the baud rate agree?\n");
    txbar().args(["host", "--port", &name, "--identify"]).assert().code(1).stderr(ends_with(told));
}
