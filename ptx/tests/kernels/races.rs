//! Races in kernels of a few lines, the files in `races`: each is a broken kernel and what mends it. Of the broken one the mistake is told in
//! one run, with the lines of both accesses; of the mended one nothing is told, under any schedule.
//!
//! Of the broken kernel the lines that end with `//+` are left out, of the mended one those that end with `//-`. The accesses of
//! which is told are in the lines that end with `//1` and `//2`. Every kernel begins with `races/prologue.ptx`: at `s` are 2048 bytes of
//! shared memory (`a`), at `bar` four barriers (`b`), `i` and `o` are buffers, `t` and `w` the thread and its warp, `x` its bytes of `s`
//! (4), `y` those of a thread of the other warp, `g` its bytes of `o`, `first` thread 0, `other` the second warp, `lane` lane 0 of a warp.

use super::kernels::program;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::findings::Finding;
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;

/// Random schedules that a mended kernel is run with.
const SCHEDULES: u64 = 5;

/// A case.
struct Case {
    name: String,
    /// CTAs of a cluster, and threads of a CTA.
    ctas: u32,
    threads: u32,
    /// The mistake.
    bug: String,
    body: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/races")
}

/// All cases: the first line of a file says what it is about, the second how it is launched and what is told.
fn cases() -> Vec<Case> {
    let files = std::fs::read_dir(folder()).expect("the folder is there");
    let names = files.map(|file| file.expect("it can be read").file_name().into_string().expect("a name"));
    let names: BTreeSet<String> = names.filter(|name| name != "prologue.ptx").collect();
    let case = |name: String| {
        let body = std::fs::read_to_string(folder().join(&name)).expect("it can be read");
        let launch = body.lines().nth(1).unwrap_or_default().to_owned();
        let words: Vec<&str> = launch.split([' ', ',', ':']).filter(|word| !word.is_empty()).collect();
        let ["//", "ctas", ctas, "threads", threads, bug] = words[..] else { panic!("{name}: {launch}") };
        let number = |text: &str| text.parse().expect("a number");
        Case { name, ctas: number(ctas), threads: number(threads), bug: bug.to_owned(), body }
    };
    let cases: Vec<Case> = names.into_iter().map(case).collect();
    assert!(!cases.is_empty());
    cases
}

fn text(case: &Case, mended: bool) -> (String, BTreeSet<usize>) {
    let mut text = std::fs::read_to_string(folder().join("prologue.ptx")).expect("it can be read");
    let mut marked = BTreeSet::new();
    for line in case.body.lines().skip(2) {
        if line.contains(if mended { "//-" } else { "//+" }) {
            continue;
        }
        if line.contains("//1") || line.contains("//2") {
            marked.insert(text.lines().count() + 1);
        }
        text += line.split("//").next().unwrap_or(line);
        text += "\n";
    }
    text += "ret;\n}\n";
    (text, marked)
}

fn run(case: &Case, mended: bool, schedule: Schedule, races: bool) -> Outcome {
    let (text, _) = text(case, mended);
    let program = program("races", &text, "k");
    let (grid, block) = ([case.ctas, 1, 1], [case.threads, 1, 1]);
    let settings =
        Settings { grid, cluster: Some(grid), block, schedule, max_cycles: 100_000, races, ..Settings::default() };
    let grid = Grid::new(&program, settings).expect("it can be built");
    let arguments = ["in:u32:256:7", "out:u32:512"].map(|text| Argument::read(text).expect("it is right"));
    grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("it can be run")
}

#[test]
fn of_a_broken_kernel_both_lines_are_told() {
    cases().par_iter().for_each(|case| {
        let (text, expected) = text(case, false);
        let outcome = run(case, false, Schedule::RoundRobin, true);
        let line = |pc: usize| {
            let start = program("races", &text, "k").span(pc).start as usize;
            text[..start].matches('\n').count() + 1
        };
        let told = |found: &Finding| found.shows.into_iter().chain([found.pc]).map(line).collect::<BTreeSet<usize>>();
        let is_told = outcome.findings.iter().any(|(_, found)| found.bug.name() == case.bug && told(found) == expected);
        assert!(is_told, "{}: {:?}\n{:?}\n{text}", case.name, outcome.end, outcome.findings);
    });
}

#[test]
fn of_a_mended_kernel_nothing_is_told() {
    let seed = txbar_testbench::asked::seed();
    cases().par_iter().for_each(|case| {
        for schedule in std::iter::once(Schedule::RoundRobin).chain((seed..seed + SCHEDULES).map(Schedule::Random)) {
            let outcome = run(case, true, schedule, true);
            assert_eq!(outcome.end, End::Done, "{}, {schedule:?}", case.name);
            assert_eq!(outcome.findings, [], "{}, {schedule:?}\n{}", case.name, text(case, true).0);
        }
    });
}

#[test]
fn nobody_is_told_who_does_not_ask() {
    let case = cases().into_iter().find(|case| case.name == "bytes_of_one_word.ptx").expect("it is there");
    let outcome = run(&case, false, Schedule::RoundRobin, false);
    assert_eq!((outcome.end, outcome.findings), (End::Done, vec![]));
}
