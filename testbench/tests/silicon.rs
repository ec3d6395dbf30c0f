//! The program that records what a GPU does (`testbench/silicon`), as far as it can be tested without one: it knows the
//! operations of the recordings, reads and writes their form, and asks new questions that are legal. And what an H200 did
//! with operations that come from another CTA.

use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use txbar_export::tables::{check_document, table, with_tables};
use txbar_export::tools::CXX;
use txbar_rtl::op::DEFAULT_LIMIT_NS;
use txbar_rtl::status::Status;
use txbar_rtl::word::FAULT;
use txbar_testbench::model::{Answer, Memory, Operation, step};
use txbar_testbench::silicon::{self, Expected, RECORDED, Record, ResultKind};
use txbar_testbench::warp::check::Target;
use txbar_testbench::warp::recording;

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
fn the_capture_program_of_warps_reads_and_writes_recordings() {
    let (_directory, host) = host();
    for (name, text) in [("h200_warp_legal.csv", recording::LEGAL), ("h200_warp_edge.csv", recording::EDGE)] {
        let file = program().join("../vectors").join(name);
        assert!(said(Command::new(&host).arg("warp-copy").arg(file)) == text, "{name} is not what was read");
    }
}

/// Legal questions leave every word within its limits; those at the limits pass them as often as not.
#[test]
fn new_questions_for_warps_are_what_they_are_called() {
    let (_directory, host) = host();
    for (kind, words, least, most) in [("legal", "4", 0, 0), ("legal", "32", 0, 0), ("edge", "4", 700, 1500)] {
        let text = said(Command::new(&host).args(["warp-new", "2000", "7", kind, words]));
        let records = recording::read("new", text.as_bytes()).expect("they are a recording");
        let traps = |record: &recording::Record| {
            let seen = Memory::new(32).execute(&record.words_before, &record.instructions);
            let mut answers = seen.answers.iter().flatten().flatten();
            let changed = || {
                record.words_before.iter().zip(&seen.words).any(|(before, after)| after & !before & FAULT.mask() != 0)
            };
            answers.any(|answer| answer.status() != Some(Status::Ok)) || changed()
        };
        let faults = records.iter().filter(|record| traps(record)).count();
        assert!((least..=most).contains(&faults), "{kind} {words}: {faults}");
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
            let operation = Operation { op, remote: false, threads: 1, data, strobe: 0xff };
            let (next, answer) = step(word, &operation).unwrap_or_else(|fault| panic!("line {line}: {fault}"));
            assert!(!matches!(answer, Answer::Posted(Some(_))), "line {line}: {answer:?}");
            word = next;
        }
    }
    assert!(RECORDED.iter().all(|recorded| asked[recorded.name] == 1000), "{asked:?}");
}

/// Each operation with every fault that it can have, half of them just over the limit.
#[test]
fn new_questions_fault() {
    use Status::{ExpectedUnderflow, FaultedWord, OperandRange, PendingUnderflow, TxRange};
    let (_directory, host) = host();
    let mut causes: HashMap<&str, BTreeSet<Status>> = HashMap::new();
    for (what, names) in [("faults", 9), ("traps", 24)] {
        let text = said(Command::new(&host).args([what, "24000", "7"]));
        let records = silicon::read(what, text.as_bytes()).expect("they are a recording");
        assert_eq!(records.len(), 24_000);
        causes.clear();
        for Record { op, data, word_before, line, .. } in records {
            let operation = Operation { op: op.ops[0], remote: false, threads: 1, data, strobe: 0xff };
            let fault = match step(word_before, &operation) {
                Err(fault) | Ok((_, Answer::Posted(Some(fault)))) => fault,
                fine => panic!("{what}, line {line}: {fine:?}"),
            };
            causes.entry(op.name).or_default().insert(fault.status());
        }
        assert_eq!(causes.len(), names, "{what}");
    }
    let of = |name: &str| causes[name].iter().copied().collect::<Vec<_>>();
    assert_eq!(of("r_drop_tx"), [OperandRange, PendingUnderflow, ExpectedUnderflow, TxRange, FaultedWord]);
    assert_eq!(of("arrive_n"), [OperandRange, PendingUnderflow, FaultedWord]);
    assert_eq!(of("arrive"), [PendingUnderflow, FaultedWord]);
    assert_eq!(of("complete_tx"), [OperandRange, TxRange, FaultedWord]);
    assert_eq!(of("cpasync"), [TxRange, FaultedWord]);
    assert_eq!(of("try_parity"), [FaultedWord]);
}

/// What was asked, from the file that the program kept count in.
#[derive(Deserialize)]
struct Counted {
    recording: String,
    op: String,
    rows: u64,
    traps: u64,
    marked: u64,
}

fn asked() -> String {
    let counted = csv::Reader::from_path(program().join("h200_asked.csv")).expect("it is there").into_deserialize();
    let counted: Vec<Counted> = counted.collect::<Result<_, _>>().expect("it has these columns");
    let row = |(recording, options): &(&str, &str)| {
        let of = || counted.iter().filter(|counted| counted.recording == *recording);
        assert!(of().all(|counted| RECORDED.iter().any(|known| known.name == counted.op)));
        let sum = |field: fn(&Counted) -> u64| of().map(field).sum::<u64>().to_string();
        vec![
            format!("`{options}`"),
            of().count().to_string(),
            sum(|of| of.rows),
            sum(|of| of.traps),
            sum(|of| of.marked),
        ]
    };
    let runs = [
        ("legal.csv", "--new 500000 21 legal.csv --from other"),
        ("faults.csv", "--faults 500000 22 faults.csv --from other"),
        ("traps.csv", "--traps 20000 23 traps.csv --seconds 200"),
    ];
    table(&["run", "operations", "rows", "traps", "fault bit came up"], runs.iter().map(row))
}

/// `TXBAR_UPDATE_DOCS=1 cargo test -p txbar-testbench --test silicon` brings it up to date.
#[test]
fn what_was_asked_is_what_the_program_counted() {
    let command = "cargo test -p txbar-testbench --test silicon";
    check_document(&program().join("README.md"), |text| with_tables(text, &[("asked", asked())]), command);
    // the rows that are kept are of these runs
    let faults = silicon::read("faults", silicon::FAULTS.as_bytes()).expect("it is a recording");
    assert!(faults.iter().any(|record| record.op.name == "cpasync" && record.expected == Expected::Trap));
}

/// What the documents and the hardware quote of an H200's time is in the file that `timing/perf.cu` printed on it.
#[test]
fn quoted_timings_were_recorded() {
    let printed = text_of("timing/h200_perf.txt");
    let lines = |begin: &str| {
        let begin = begin.to_owned();
        printed.lines().filter(move |line| line.starts_with(&begin))
    };
    let number = |line: &str, before: &str| -> f64 {
        let rest = line.split_once(before).unwrap_or_else(|| panic!("`{before}` in `{line}`")).1.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        rest[..end].parse().unwrap_or_else(|_| panic!("a number behind `{before}` in `{line}`"))
    };
    // busiest: 16 warps, the longest run
    let remote = lines("remote arrive").rfind(|line| line.contains("warps 16:")).expect("it was measured");
    let round = lines("barrier.cluster arrive+wait, 2 CTAs x 32 threads").next().expect("it was measured");
    let results = fs::read_to_string(program().join("../../docs/results.md")).expect("it is there");
    for (quote, cycles) in [("H200: one in ", number(remote, "cycles (")), ("H200: ", number(round, "threads:"))] {
        let quote = format!("{quote}{cycles:.0}");
        assert!(results.contains(&quote), "docs/results.md does not say `{quote}`");
    }
    let limits: Vec<f64> = lines("try_wait hint").map(|line| number(line, "blocked")).collect();
    let most = limits.iter().copied().fold(0.0, f64::max);
    assert_eq!((limits.len(), most), (10, f64::from(DEFAULT_LIMIT_NS)));
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
