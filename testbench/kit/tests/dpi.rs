//! The kit in a SystemVerilog testbench: an exported unit passes under random requests, and errors are reported.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use txbar_export::manifest::Manifest;
use txbar_export::package;
use txbar_export::tools::{GCC, VERILATOR, said};
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

/// Builds the bench and runs it: whether it ended well, and what it printed.
fn simulate(here: &Path, define: &str) -> (bool, String) {
    let library = library();
    let link = format!("{} -Wl,-rpath,{}", library.display(), library.parent().expect("a folder").display());
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench.sv");
    let folder = format!("obj{}", define.replace(['+', '='], "_"));
    let arguments = [
        "--binary",
        "--timing",
        "--quiet",
        "-MAKEFLAGS",
        "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
        "--Mdir",
        &folder,
        "--top-module",
        "bench",
        define,
        "-LDFLAGS",
        &link,
        "-f",
        "mb.f",
        "mb_check.sv",
        bench.to_str().expect("a path in UTF-8"),
    ];
    let mut verilator = VERILATOR.command().unwrap_or_else(|missing| panic!("{missing}"));
    let built = verilator.args(arguments).current_dir(here).output().expect("it can be started");
    assert!(built.status.success(), "{}", said(&built));
    let seed = txbar_testbench::test_env::seed();
    let mut bench = std::process::Command::new(here.join(folder).join("Vbench"));
    let run = bench.arg(format!("+seed={}", seed as u32)).current_dir(here).output().expect("it can be started");
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

#[test]
fn a_bench_in_systemverilog_checks_an_exported_unit() {
    let here = TempDir::new().expect("there is room");
    let here = here.path();
    write(here);
    let (well, said) = simulate(here, "+define+AS_IT_IS");
    assert!(well && said.contains("PASS"), "{said}");
    let (well, said) = simulate(here, "+define+EXCHANGED");
    assert!(!well && !said.contains("PASS") && said.contains("port "), "{said}");
}
