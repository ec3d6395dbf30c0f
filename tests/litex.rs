//! The system in LiteX (`synth/litex`): two harts, a copy engine and a unit, simulated with the command that users give. With `TXBAR_ALL` on every CPU
//! and bus; with `TXBAR_BITSTREAMS` it is placed for a ULX3S.

mod common;

use common::directory;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use txbar_export::tools::{PYTHON, VERILATOR, said};

/// A Python that has the package, in a directory, with `txbar` and the tools on `PATH`.
fn python(room: &TempDir, arguments: &[&str]) -> Output {
    let found = VERILATOR.find().unwrap_or_else(|missing| panic!("{missing}"));
    let folders = [Path::new(env!("CARGO_BIN_EXE_txbar")), &found].map(|program| program.parent().expect("a folder"));
    let others = std::env::var_os("PATH").expect("there is a PATH");
    let path = std::env::join_paths(folders.map(Path::to_owned).into_iter().chain(std::env::split_paths(&others)));
    let mut python = PYTHON.command().unwrap_or_else(|missing| panic!("{missing}"));
    python.args(arguments).current_dir(room).env("PATH", path.expect("folders have no colons"));
    python
        .env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("synth/litex"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    python.output().expect("it can be started")
}

fn sim(room: &TempDir, arguments: &[&str]) -> Output {
    python(room, &[&["-m", "litex_txbar.sim"], arguments].concat())
}

/// The exit code, and the last line.
fn verdict(output: &Output) -> (Option<i32>, String) {
    let text = said(output);
    let last = text.lines().last().unwrap_or_default().to_owned();
    (output.status.code(), last)
}

#[test]
fn a_system_passes() {
    let all = std::env::var_os("TXBAR_ALL").is_some();
    for cpu in if all { &["picorv32", "vexriscv", "serv"][..] } else { &["picorv32"] } {
        for bus in ["wishbone", "axi-lite"] {
            let room = directory();
            let output = sim(&room, &["--cpu", cpu, "--bus", bus]);
            let (code, last) = verdict(&output);
            assert!(code == Some(0) && last.starts_with("PASS: "), "{cpu} on {bus}: {}", said(&output));
        }
    }
}

/// A copy engine that reports a byte too few, and pins that are exchanged.
#[test]
fn a_fault_fails() {
    for (bus, fault) in [("wishbone", "short-report"), ("axi-lite", "exchange=irq_0,irq_2")] {
        let output = sim(&directory(), &["--cpu", "picorv32", "--bus", bus, "--inject", fault]);
        let (code, last) = verdict(&output);
        assert!(code == Some(2) && last.starts_with("FAIL: "), "{fault}: {}", said(&output));
    }
}

/// What cannot be done is said in a line, before anything is built.
#[test]
fn what_is_wrong_is_said_in_a_line() {
    for (arguments, word) in [
        (&["--cpu", "z80"][..], "z80"),
        (&["--bus", "apb"], "apb"),
        (&["--inject", "exchange=irq_0,irq_3"], "irq_3"),
        (&["--inject", "exchange=irq_0,clk"], "clk"),
        (&["--inject", "smoke"], "smoke"),
        (&["--cycles", "many"], "many"),
    ] {
        let output = sim(&directory(), arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(
            error.starts_with("error: ") && error.contains(word) && error.lines().count() == 1,
            "{arguments:?}: {error}"
        );
    }
}

/// Without `txbar` it says what makes it.
#[test]
fn a_missing_txbar_is_named() {
    let room = directory();
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("synth/litex/litex_txbar");
    let copied = Command::new("cp").arg("-r").arg(&package).arg(room.path()).status().expect("there is `cp`");
    assert!(copied.success());
    let mut python = PYTHON.command().unwrap_or_else(|missing| panic!("{missing}"));
    python.args(["-m", "litex_txbar.sim"]).current_dir(&room).env("PATH", room.path()).env("PYTHONPATH", room.path());
    let output = python.output().expect("it can be started");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.starts_with("error: there is no `txbar`") && error.contains("cargo build"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

/// For the board there is Verilog with the firmware in it, and its pins; with `TXBAR_BITSTREAMS` a bitstream that keeps its clock.
#[test]
fn a_system_fits_the_ulx3s() {
    let room = directory();
    let write = "import pathlib; from litex_txbar import ulx3s; ulx3s.write('picorv32', pathlib.Path.cwd())";
    let output = python(&room, &["-c", write]);
    assert!(output.status.success(), "{}", said(&output));
    let read = |file: &str| fs::read_to_string(room.path().join(file)).expect("it was written");
    assert!(
        read("ulx3s.v").contains("txbar_unit txbar_unit(")
            && read("ulx3s_rom.init").lines().filter(|word| *word != "00000000").count() > 1000
    );
    assert!(read("ulx3s.lpf").contains("\"serial_tx\" SITE \"L4\""));
    if std::env::var_os("TXBAR_BITSTREAMS").is_some() {
        let output = python(&room, &["-m", "litex_txbar.ulx3s", "--cpu", "picorv32"]);
        let (code, last) = verdict(&output);
        assert!(code == Some(0) && last.starts_with("PASS: "), "{}", said(&output));
        assert!(room.path().join("build/txbar_ulx3s_picorv32/ulx3s.bit").exists());
    }
}
