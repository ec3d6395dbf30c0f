//! Races in kernels of a few lines: each file is a broken kernel and what mends it. Of the broken one the mistake is told in
//! one run, with the lines of both accesses; of the mended one nothing is told, under any schedule. In `races` is a kernel for each kind of
//! mistake, in `idioms` are the forms in which libraries and compilers synchronise; some of those are sound only (`none`).
//!
//! Of the broken kernel the lines that end with `//+` are left out, of the mended one those that end with `//-`. The accesses of
//! which is told are in the lines that end with `//1` and `//2`. Every kernel begins with `races/prologue.ptx`: at `s` are 2048 bytes of
//! shared memory (`a`), at `bar` four barriers (`b`), `i` and `o` are buffers, `t` and `w` the thread and its warp, `x` its bytes of `s`
//! (4), `y` those of a thread of the other warp, `g` its bytes of `o`, `first` thread 0, `other` the second warp, `lane` lane 0 of a warp.
//! To a kernel that names it, `map` is the address in global memory of a tensor map: `i` as 16 x 16 numbers, in tiles of 8 x 4.

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
    /// It is told with `--fence-reads` only.
    fence_reads: bool,
    /// The mistake.
    bug: String,
    body: String,
}

impl Case {
    /// Whether it uses the tensor map.
    fn has_map(&self) -> bool {
        self.body.contains("[map]")
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(name)
}

/// All cases: the first line of a file says what it is about, the second how it is launched and what is told.
fn cases() -> Vec<Case> {
    let files = ["races", "idioms"].map(|name| std::fs::read_dir(folder(name)).expect("the folder is there"));
    let paths: BTreeSet<PathBuf> =
        files.into_iter().flatten().map(|file| file.expect("it can be read").path()).collect();
    let is_case =
        |path: &PathBuf| path.extension().is_some_and(|ends| ends == "ptx") && !path.ends_with("prologue.ptx");
    let case = |path: PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let body = std::fs::read_to_string(path).expect("it can be read");
        let launch = body.lines().nth(1).unwrap_or_default().to_owned();
        let words: Vec<&str> = launch.split([' ', ',', ':']).filter(|word| !word.is_empty()).collect();
        let ["//", "ctas", ctas, "threads", threads, ref option @ .., bug] = words[..] else {
            panic!("{name}: {launch}")
        };
        let fence_reads = option == ["--fence-reads"];
        assert!(fence_reads || option.is_empty(), "{name}: {launch}");
        let number = |text: &str| text.parse().expect("a number");
        Case { name, ctas: number(ctas), threads: number(threads), fence_reads, bug: bug.to_owned(), body }
    };
    let cases: Vec<Case> = paths.into_iter().filter(is_case).map(case).collect();
    assert!(!cases.is_empty());
    cases
}

fn text(case: &Case, mended: bool) -> (String, BTreeSet<usize>) {
    let mut text = std::fs::read_to_string(folder("races").join("prologue.ptx")).expect("it can be read");
    if case.has_map() {
        text = text.replace("out)", "out, .param .u64 map)");
    }
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
    let judged = Settings { races, fence_reads: case.fence_reads, ..Settings::default() };
    run_judged(case, mended, schedule, judged)
}

fn run_judged(case: &Case, mended: bool, schedule: Schedule, judged: Settings) -> Outcome {
    let (text, _) = text(case, mended);
    let (grid, block) = ([case.ctas, 1, 1], [case.threads, 1, 1]);
    let settings = Settings { grid, cluster: Some(grid), block, schedule, ..judged };
    let map = case.has_map().then_some("map:tensormap:in,type=u32,sizes=16x16,strides=64,box=8x4");
    launch(&text, settings, &[&["in:u32:256:7", "out:u32:512"], map.as_slice()].concat())
}

fn launch(text: &str, settings: Settings, parameters: &[&str]) -> Outcome {
    let program = program("races", text, "k");
    let grid = Grid::new(&program, Settings { max_cycles: 100_000, ..settings }).expect("it can be built");
    let arguments: Vec<_> = parameters.iter().map(|text| Argument::read(text).expect("it is right")).collect();
    grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("it can be run")
}

/// Names of the mistakes in a kernel of these lines, run by two CTAs of 64 threads.
fn told(lines: &str, input: &str) -> Vec<&'static str> {
    let prologue = std::fs::read_to_string(folder("races").join("prologue.ptx")).expect("it can be read");
    let text = format!("{prologue}{lines}\nret;\n}}\n");
    let settings = Settings { grid: [2, 1, 1], cluster: Some([2, 1, 1]), block: [64, 1, 1], ..Settings::default() };
    let outcome = launch(&text, settings, &[input, "out:u32:512"]);
    assert_eq!(outcome.end, End::Done, "{text}");
    outcome.findings.iter().map(|(_, found)| found.bug.name()).collect()
}

#[test]
fn of_a_broken_kernel_both_lines_are_told() {
    cases().par_iter().filter(|case| case.bug != "none").for_each(|case| {
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
    let seed = txbar_testbench::test_env::seed();
    cases().par_iter().for_each(|case| {
        for schedule in std::iter::once(Schedule::RoundRobin).chain((seed..seed + SCHEDULES).map(Schedule::Random)) {
            let outcome = run(case, true, schedule, true);
            assert_eq!(outcome.end, End::Done, "{}, {schedule:?}", case.name);
            assert_eq!(outcome.findings, [], "{}, {schedule:?}\n{}", case.name, text(case, true).0);
        }
    });
}

#[test]
fn reads_without_a_fence_are_told_if_that_is_asked() {
    let cases = cases();
    let asked: Vec<&Case> = cases.iter().filter(|case| case.fence_reads).collect();
    assert!(!asked.is_empty());
    for case in asked {
        let outcome = run_judged(case, false, Schedule::RoundRobin, Settings::default());
        assert_eq!((outcome.end, outcome.findings), (End::Done, Vec::new()), "{}", case.name);
    }
}

/// Every way in which bytes of a live barrier are written: at [b], of the own CTA, and at [y], of the other; bytes complete at [c+16].
const OVER_A_BARRIER: &[(&str, u32)] = &[
    ("st.shared.u32 [b], n;", 0),
    ("st.shared.u8 [b+3], h;", 0),
    ("st.shared.v4.u32 [b], {n, n, n, n};", 0),
    ("st.volatile.shared.u32 [b+4], n;", 0),
    ("st.release.cta.shared.u32 [b], n;", 0),
    ("cvt.u64.u32 q, b; cvta.shared.u64 q, q; st.u32 [q], n;", 0),
    ("st.shared::cluster.u32 [y], n;", 0),
    ("atom.shared.add.u32 v, [b], 1;", 0),
    ("atom.shared.exch.b64 l, [b], q;", 0),
    ("red.relaxed.cluster.shared::cluster.add.u32 [y], 1;", 0),
    ("cp.async.ca.shared.global [b+4], [i], 4; cp.async.wait_all;", 0),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [b], [i], 16, [b+16];", 16),
    ("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [y], [a], 16, [c+16];", 16),
    ("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [y], [a], 16, [c+16];", 16),
    ("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [y+4], n, [c+16];", 4),
    ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [y], n, [c+16];", 4),
];

#[test]
fn every_write_over_a_live_barrier_is_told() {
    OVER_A_BARRIER.par_iter().for_each(|(writes, bytes)| {
        let lines = format!(
            "@first mbarrier.init.shared.b64 [b], 64; @first mbarrier.init.shared.b64 [b+16], 1; st.shared.u32 [x], v;
            @first mbarrier.arrive.expect_tx.shared.b64 _, [b+16], {bytes}; @first fence.mbarrier_init.release.cluster;
            fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait; cvt.u16.u32 h, t; mov.u32 n, 1; xor.b32 c, r, 1;
            mapa.shared::cluster.u32 y, b, c; mapa.shared::cluster.u32 c, b, c; @!first bra LAND; {writes}
            LAND: mbarrier.try_wait.parity.shared.b64 p, [b+16], 0; @!p bra LAND; barrier.cluster.arrive; barrier.cluster.wait;"
        );
        assert_eq!(told(&lines, "in:u32:256:7"), ["store-to-barrier"], "{writes}");
    });
}

/// Reads of `in` by each thread, and whether some of the 64 lie behind the first 40 numbers with nothing else in the read.
const OF_A_BUFFER: &[(&str, bool)] = &[
    ("add.u64 i, i, q; ld.global.u32 v, [i];", true),
    ("setp.lt.u32 p, t, 40; add.u64 i, i, q; @p ld.global.u32 v, [i];", false),
    ("setp.eq.u32 p, t, 9; shl.b64 q, q, 2; add.u64 i, i, q; @p ld.global.v4.u32 {v, c, n, r}, [i];", false),
    ("add.u64 i, i, q; @other st.global.u32 [i], t; ld.global.u32 v, [i];", false),
    ("add.u64 i, i, q; cp.async.ca.shared.global [x], [i], 4; cp.async.wait_all;", true),
    (
        "setp.lt.u32 p, t, 40; selp.u32 n, 4, 0, p; add.u64 i, i, q; cp.async.ca.shared.global [x], [i], 4, n; cp.async.wait_all;",
        false,
    ),
    ("add.u64 i, i, 160; mov.u32 n, 16; @first bra COPY;", true),
    ("add.u64 i, i, 128; mov.u32 n, 64; @first bra COPY;", false),
];

#[test]
fn what_a_file_does_not_give_is_never_written() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "7 ".repeat(40)).expect("it can be written");
    OF_A_BUFFER.iter().for_each(|(reads, is_told)| {
        let lines = format!(
            "setp.ne.u32 p, r, 0; @p bra END; @first mbarrier.init.shared.b64 [b], 1; bar.sync 0; {reads} bra END;
            COPY: mbarrier.arrive.expect_tx.shared.b64 _, [b], n;
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [i], n, [b];
            LAND: mbarrier.try_wait.parity.shared.b64 p, [b], 0; @!p bra LAND;
            END:"
        );
        let found = told(&lines, &format!("in:u32:256:@{}", file.path().display()));
        assert_eq!(found, if *is_told { &["never-written"][..] } else { &[] }, "{reads}");
        assert_eq!(told(&lines, "in:u32:256:7"), [""; 0], "what a list leaves out is meant to be zero: {reads}");
    });
}

#[test]
fn nobody_is_told_who_does_not_ask() {
    let case = cases().into_iter().find(|case| case.name == "bytes_of_one_word.ptx").expect("it is there");
    let outcome = run(&case, false, Schedule::RoundRobin, false);
    assert_eq!((outcome.end, outcome.findings), (End::Done, vec![]));
}

/// Waits that pass before the first phase, with what their threads read behind them, and what is told of it.
const BEHIND_AN_EARLY_WAIT: &[(&str, &[&str])] = &[
    // thread 32 reads what thread 0 writes before it arrives
    (
        "@other bra W; nanosleep.u32 1000; @first st.shared.u32 [a], t; @first mbarrier.arrive.shared.b64 _, [b]; bra END;
        W: mbarrier.try_wait.parity.shared.b64 p, [b], 1; @!p bra W; ld.shared.u32 v, [a];",
        &["data-race", "wrong-starting-parity"],
    ),
    // and what thread 1 writes, who has nothing to do with the barrier: the wait may be for an empty slot
    (
        "setp.eq.u32 p, t, 1; @other bra W; nanosleep.u32 1000; @p st.shared.u32 [a], t;
        @first mbarrier.arrive.shared.b64 _, [b]; bra END;
        W: mbarrier.try_wait.parity.shared.b64 p, [b], 1; @!p bra W; ld.shared.u32 v, [a];",
        &["data-race"],
    ),
    // and what a copy writes that completes there
    (
        "@other bra W; nanosleep.u32 1000; @!first bra END; mbarrier.arrive.expect_tx.shared.b64 _, [b], 16;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [i], 16, [b];
        L: mbarrier.try_wait.parity.shared.b64 p, [b], 0; @!p bra L; bra END;
        W: mbarrier.try_wait.parity.shared.b64 p, [b], 1; @!p bra W; ld.shared.u32 v, [a];",
        &["data-race", "wrong-starting-parity"],
    ),
];

#[test]
fn a_wait_before_the_first_phase_is_the_cause_of_a_race_with_who_completes_that() {
    for (body, expected) in BEHIND_AN_EARLY_WAIT {
        let lines = format!(
            "setp.ne.u32 p, r, 0; @p bra END; st.shared.u32 [x], t; @first mbarrier.init.shared.b64 [b], 1; fence.proxy.async;
            bar.sync 0; {body}
            END:"
        );
        let mut found = told(&lines, "in:u32:256:7");
        found.sort_unstable();
        assert_eq!(found, *expected, "{body}");
    }
}

#[test]
fn of_many_barriers_the_last_is_not_to_be_used_before_its_initialisation_either() {
    for (meet, expected) in [("bar.sync 0;", &[][..]), ("", &["missing-init-fence"])] {
        let lines = format!(
            "mov.u32 c, 0; @!first bra USE;
            INIT: mad.lo.u32 n, c, 8, a; mbarrier.init.shared.b64 [n], 1; add.u32 c, c, 1; setp.lt.u32 p, c, 100; @p bra INIT;
            USE: {meet} nanosleep.u32 10000; setp.eq.u32 p, t, 32; @p mbarrier.arrive.shared.b64 _, [a+792];"
        );
        let mut found = told(&lines, "in:u32:256:7");
        found.dedup();
        assert_eq!(found, expected, "{meet}");
    }
}
