//! The kit in testbenches in SystemVerilog, C and Python: an exported unit passes under random requests, and errors are reported.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use txbar_export::manifest::Manifest;
use txbar_export::package;
use txbar_export::tools::{GCC, PYTHON, VERILATOR, said};
use txbar_export::verilog;
use txbar_rtl::parameters::Parameters;

/// The library that the tests' own build has made.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a file");
    let folder = test.parent().expect("in a folder");
    let file = folder.join("libtxbar_kit.so");
    assert!(file.exists(), "{} is there", file.display());
    file
}

#[test]
fn the_model_is_there_for_c() {
    let here = TempDir::new().expect("there is room");
    write(here.path());
    let (kit, library) = (Path::new(env!("CARGO_MANIFEST_DIR")), library());
    let mut gcc = GCC.command().unwrap_or_else(|missing| panic!("{missing}"));
    gcc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-I.", "-o", "model", "-I"]);
    gcc.args([kit.join("include"), kit.join("tests/model.c"), library.clone()]);
    gcc.arg(format!("-Wl,-rpath,{}", library.parent().expect("a folder").display()));
    let built = gcc.current_dir(here.path()).output().expect("it can be started");
    assert!(built.status.success(), "{}", said(&built));
    let run = std::process::Command::new(here.path().join("model")).output().expect("it can be started");
    assert_eq!((run.status.success(), said(&run).trim()), (true, "PASS"));
}

/// Builds the bench.
fn build(here: &Path) {
    let library = library();
    let link = format!("{} -Wl,-rpath,{}", library.display(), library.parent().expect("a folder").display());
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench.sv");
    let options =
        ["--binary", "--timing", "--assert", "--quiet", "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"];
    let files = ["--top-module", "bench", "-LDFLAGS", &link, "-f", "mb.f", "mb_check.sv", "mb_assert.sv"];
    let mut verilator = VERILATOR.command().unwrap_or_else(|missing| panic!("{missing}"));
    let built = verilator.args(options).args(files).arg(bench).current_dir(here).output().expect("it can be started");
    assert!(built.status.success(), "{}", said(&built));
}

/// Runs the bench: whether it ended well, and what it printed.
fn simulate(here: &Path, breaks: usize) -> (bool, String) {
    let seed = txbar_testbench::test_env::seed();
    let mut bench = std::process::Command::new(here.join("obj_dir/Vbench"));
    let bench = bench.arg(format!("+seed={}", seed as u32)).arg(format!("+breaks={breaks}")).current_dir(here);
    let run = bench.output().expect("it can be started");
    (run.status.success(), format!("seed {seed}:\n{}", said(&run)))
}

/// Writes the package of a unit of two ports.
fn write(here: &Path) {
    let parameters = Parameters { ports: 2, banks: 2, words: 64, waiters: 4, ..Parameters::default() };
    let export = verilog::unit(&parameters, "mb").expect("the prefix is right").named("mb").expect("the name is right");
    for file in package::files("mb", &export.text, &Manifest::new(&export, &parameters, "mb.v")) {
        fs::write(here.join(file.name), file.text).expect("it can be written");
    }
}

/// What is wrong at the pins, and who tells it: the check, or an assertion.
#[test]
fn a_bench_in_systemverilog_checks_an_exported_unit() {
    let here = TempDir::new().expect("there is room");
    let here = here.path();
    write(here);
    build(here);
    let (well, said) = simulate(here, 0);
    assert!(well && said.contains("PASS"), "{said}");
    let told = [
        "port ",
        "asked_for",
        "stays",
        "stays_the_same",
        "known_status",
        "accepted_if_there",
        "suspended_if_done",
        "answered_in_time",
    ];
    for (breaks, told) in (1..).zip(told) {
        let (well, said) = simulate(here, breaks);
        assert!(!well && !said.contains("PASS") && said.contains(told), "{breaks}: {told} is not told: {said}");
    }
}

/// The cocotb agent drives the unit at its own pins, covers what it says, plays the named files, and notices pins that are exchanged.
#[test]
fn a_bench_in_python_drives_and_checks_an_exported_unit() {
    let here = TempDir::new().expect("there is room");
    let here = here.path();
    write(here);
    let verilator = VERILATOR.find().unwrap_or_else(|missing| panic!("{missing}"));
    let tools = verilator.parent().expect("it is in a folder");
    let mut python = PYTHON.command().unwrap_or_else(|missing| panic!("{missing}"));
    let seed = txbar_testbench::test_env::seed() as u32;
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cocotb/tests/bench.py");
    python.arg(bench).arg(here).arg("mb").env("TXBAR_KIT", library()).env("SEED", seed.to_string());
    python.env("PYTHONDONTWRITEBYTECODE", "1");
    python.env("PATH", format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default()));
    let run = python.current_dir(here).output().expect("it can be started");
    assert!(run.status.success(), "seed {seed}:\n{}", said(&run));
}
