//! `txbar run` reports mistakes in lines of the kernel's source, and accepts entries by their source names.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/kernels/source");

/// Runs a kernel of `ptx/kernels/source`, or of another folder; gives the exit code and all that it prints.
fn run(folder: &Path, kernel: &str, more: &[&str]) -> (i32, String) {
    let launch = fs::read_to_string(format!("{KERNELS}/{kernel}.run")).expect("it says how it is launched");
    let launch: Vec<String> =
        launch.split_whitespace().map(|word| word.replace('@', &format!("@{KERNELS}/"))).collect();
    let given = more.contains(&"--entry");
    let launch = if given { &launch[2..] } else { &launch[..] };
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("txbar"));
    let output = command.current_dir(folder).args(["run", &format!("{kernel}.ptx")]).args(launch).args(more).output();
    let output = output.expect("it can be run");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn source_beside_the_ptx_is_shown() {
    let (code, text) = run(KERNELS.as_ref(), "lines_hang", &[]);
    assert_eq!(code, 3);
    has(
        &text,
        &[
            "[lines_hang.cu:21:13]",
            "threads 32-63: wait for",
            "diagnosis: wrong-starting-parity: lines_hang.cu:21 (PTX line 113",
        ],
    );
    let first = text.lines().find(|line| line.contains("rings::ring<2>")).expect("the entry is named");
    assert!(first.contains("hang"), "the verdict stands first: {first}");
}

#[test]
fn without_its_source_the_ptx_is_shown_and_that_is_said_once() {
    let folder = tempfile::tempdir().expect("there is room");
    fs::copy(format!("{KERNELS}/lines_fault.ptx"), folder.path().join("lines_fault.ptx")).expect("there is room");
    let (code, text) = run(folder.path(), "lines_fault", &[]);
    assert_eq!(code, 2);
    has(&text, &["lines_fault.cu:13 (PTX line 45", "[lines_fault.ptx:45:2]"]);
    assert_eq!(text.matches("is not at hand").count(), 1, "{text}");
    let (code, text) = run(folder.path(), "lines_fault", &["--source", KERNELS]);
    assert_eq!(code, 2);
    has(&text, &["lines_fault.cu:13:5]", "inlined: this line"]);
    assert!(!text.contains("is not at hand"), "{text}");
}

#[test]
fn folders_without_the_source_are_refused() {
    let empty = tempfile::tempdir().expect("there is room");
    let path = empty.path().display().to_string();
    let (code, text) = run(KERNELS.as_ref(), "lines_race", &["--source", &path]);
    assert_eq!(code, 1);
    has(&text, &[&path, "none of the files that the PTX names: lines_race.cu"]);
    let (code, text) = run(KERNELS.as_ref(), "lines_race", &["--source", &format!("{path}/nowhere")]);
    assert_eq!(code, 1);
    has(&text, &["there is no such folder"]);
    let plain = concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/kernels/cuda/ring.ptx");
    let run = Command::new(assert_cmd::cargo::cargo_bin!("txbar")).args(["run", plain, "--source", KERNELS]).output();
    let run = run.expect("it can be run");
    assert_eq!(run.status.code(), Some(1));
    has(&String::from_utf8_lossy(&run.stderr), &["-lineinfo"]);
}

#[test]
fn a_file_that_has_no_such_line_is_told() {
    let folder = tempfile::tempdir().expect("there is room");
    fs::copy(format!("{KERNELS}/lines_race.ptx"), folder.path().join("lines_race.ptx")).expect("there is room");
    fs::write(folder.path().join("lines_race.cu"), "// another file\n").expect("there is room");
    let (code, text) = run(folder.path(), "lines_race", &[]);
    assert_eq!(code, 2);
    has(&text, &["[lines_race.ptx:51:2]", "lines_race.cu has nothing in line 12"]);
}

#[test]
fn entries_are_taken_by_the_names_of_the_source() {
    for name in ["meet", "meet(int*, int)", "meet(int*,int)", "_Z4meetPii"] {
        let (code, text) = run(KERNELS.as_ref(), "lines_fault", &["--entry", name]);
        assert_eq!(code, 2, "{name}: {text}");
    }
    for name in ["ring", "ring<2>", "rings::ring", "void rings::ring<2>(float const*, float*, int)"] {
        let (code, text) = run(KERNELS.as_ref(), "lines_hang", &["--entry", name, "--max-cycles", "100"]);
        assert_eq!(code, 3, "{name}: {text}");
    }
    let (code, text) = run(KERNELS.as_ref(), "lines_fault", &["--entry", "met"]);
    assert_eq!(code, 1);
    has(&text, &["there is no entry `met`", "did you mean `meet`? Its entries: meet(int*, int)"]);
}

#[test]
fn a_name_that_several_entries_have_is_refused() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("two.ptx");
    let entry = |name: &str| format!(".entry {name}() {{ ret; }}\n");
    let head = ".version 8.6\n.target sm_90\n.address_size 64\n";
    fs::write(&path, head.to_owned() + &entry("_Z4ringPi") + &entry("_Z4ringPf")).expect("there is room");
    let run = |entry: &str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("txbar"));
        let output = command.arg("run").arg(&path).args(["--entry", entry]).output().expect("it can be run");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    has(&run("ring"), &["several entries are called `ring`", "say which: ring(int*), ring(float*)"]);
}

#[test]
fn json_junit_and_pages_have_both_lines() {
    let folder = tempfile::tempdir().expect("there is room");
    let [json, junit, page, runs, runs_junit] = ["out.json", "out.xml", "out.html", "runs.json", "runs.xml"]
        .map(|name| folder.path().join(name).display().to_string());
    run(KERNELS.as_ref(), "lines_race", &["--json", &json, "--junit", &junit, "--report", &page]);
    run(KERNELS.as_ref(), "lines_race", &["--runs", "3", "--json", &runs, "--junit", &runs_junit]);
    for file in [&json, &junit, &page, &runs, &runs_junit] {
        let both = [
            "thread 0 reads, cycle",
            "lines_race.cu:10 (PTX line 44, inlined lines_race.cu:4): thread 63 writes, cycle",
        ];
        let remedy = "would order the two: bar.sync, or an arrival and a wait on a barrier, between them";
        has(&fs::read_to_string(file).expect("it is written"), &[both[0], both[1], remedy]);
    }
    let read = fs::read_to_string(&json).expect("it is written");
    let value: serde_json::Value = serde_json::from_str(&read).expect("it is JSON");
    assert_eq!(value["demangled"], "reverse(float const*, float*, int)");
    let fault = &value["faults"][0];
    assert_eq!(fault["line"], 51);
    let frames: Vec<(&str, u64, &str)> = fault["source"]
        .as_array()
        .expect("frames")
        .iter()
        .map(|frame| {
            let text = |key: &str| frame[key].as_str().expect("a text");
            (text("file"), frame["line"].as_u64().expect("a number"), text("function"))
        })
        .collect();
    let expected =
        [("lines_race.cu", 12, "reverse(float const*, float*, int)"), ("lines_race.cu", 6, "load(float const*, int)")];
    assert_eq!(frames, expected);
    has(&fs::read_to_string(&junit).expect("it is written"), &["lines_race.cu:12 (PTX line 51"]);
}
