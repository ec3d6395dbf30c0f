//! The program that records what a GPU does (`testbench/silicon`), as far as it can be tested without one: it knows the
//! operations of the recordings, reads and writes their form, and asks new questions that are legal. And what an H200 did
//! with operations that come from another CTA.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use txbar_rtl::word::FAULT;
use txbar_synth::tools::CXX;
use txbar_testbench::model::{Answer, Operation, step};
use txbar_testbench::silicon::{self, Expected, RECORDED, Record, ResultKind};

fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("silicon")
}

fn text_of(name: &str) -> String {
    fs::read_to_string(program().join(name)).expect("the file is there")
}

/// Without the GPU's part, compiled.
fn host() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let binary = directory.path().join("host");
    let mut compile = CXX.command().unwrap_or_else(|missing| panic!("{missing}"));
    compile.args(["-std=c++17", "-Wall", "-Wno-unused-function", "-o"]).arg(&binary).arg(program().join("host.cpp"));
    let output = compile.output().expect("the compiler can be started");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (directory, binary)
}

fn said(command: &mut Command) -> String {
    let output = command.output().expect("it can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

#[test]
fn the_capture_program_has_the_operations_of_the_recordings() {
    let text = text_of("operations.cuh");
    let rows = text.lines().filter_map(|line| line.trim().strip_prefix("OP(")?.split_once(')').map(|(row, _)| row));
    let listed: Vec<Vec<&str>> = rows.map(|row| row.split(',').map(str::trim).collect()).collect();
    let known: Vec<[&str; 3]> = RECORDED
        .iter()
        .map(|recorded| {
            let result = match recorded.result {
                ResultKind::None => "none",
                ResultKind::Token => "token",
                ResultKind::Predicate => "predicate",
                ResultKind::Count => "count",
            };
            [recorded.name, result, if recorded.remote { "cluster" } else { "here" }]
        })
        .collect();
    assert_eq!(listed.iter().map(|row| [row[0], row[2], row[3]]).collect::<Vec<_>>(), known);
    for [name, _, from] in known {
        let case = text.lines().find(|line| line.trim().starts_with(&format!("case Op::{name}:")));
        let case = case.unwrap_or_else(|| panic!("{name} has no instruction"));
        assert!(from == "here" || case.contains(".shared::cluster"), "{name}: {case}");
    }
}

#[test]
fn the_capture_program_reads_and_writes_recordings() {
    let (_directory, host) = host();
    for (name, text) in [("h200_legal.csv", silicon::LEGAL), ("h200_edge.csv", silicon::EDGE)] {
        let file = program().join("../vectors").join(name);
        assert!(said(Command::new(&host).arg("copy").arg(file)) == text, "{name} is not what was read");
    }
}

#[test]
fn new_questions_are_legal() {
    let (_directory, host) = host();
    let text = said(Command::new(&host).args(["new", "27000", "7"]));
    let records = silicon::read("new", text.as_bytes()).expect("they are a recording");
    assert_eq!(records.len(), 27_000);
    let mut asked = HashMap::new();
    for Record { op, data, word_before, line, .. } in records {
        *asked.entry(op.name).or_insert(0) += 1;
        let mut word = word_before;
        for &op in op.ops {
            let operation = Operation { op, remote: false, data, strobe: 0xff };
            let (next, answer) = step(word, &operation).unwrap_or_else(|fault| panic!("line {line}: {fault}"));
            assert!(!matches!(answer, Answer::Posted(Some(_))), "line {line}: {answer:?}");
            word = next;
        }
    }
    assert!(RECORDED.iter().all(|recorded| asked[recorded.name] == 1000), "{asked:?}");
}

/// An operation that faults kills the kernel if its CTA has the barrier. If it comes from another CTA, nobody is told: the
/// word gets its fault bit.
#[test]
fn a_fault_from_another_cta_sets_the_fault_bit() {
    let own = silicon::read("edge", silicon::EDGE.as_bytes()).expect("it is a recording");
    let other = silicon::read("other", text_of("h200_other_cta.csv").as_bytes()).expect("it is a recording");
    let own: Vec<Record> = own.into_iter().filter(|record| record.op.remote).collect();
    assert_eq!((own.len(), other.len()), (135, 135));
    let mut faults = 0;
    for (own, other) in own.iter().zip(&other) {
        assert_eq!((own.op, own.data, own.word_before), (other.op, other.data, other.word_before));
        let fault = own.expected == Expected::Trap;
        let expected = match fault {
            true => Expected::Done { word_after: own.word_before | 1 << FAULT.lsb, result: None },
            false => own.expected,
        };
        assert_eq!(other.expected, expected, "line {}", other.line);
        faults += fault as usize;
    }
    assert_eq!(faults, 70);
}
