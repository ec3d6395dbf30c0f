//! What a newcomer reads about kernels that are wrong: the hang tables and the mistakes of some of `testbench/ptx`.

use super::*;
use crate::ptx::argument::Argument;
use crate::ptx::launch::{Grid, Settings};
use crate::ptx::machine::Schedule;
use crate::ptx::parse;
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::path::Path;

/// The launch of a kernel of the folder, by its `.run`.
fn launch(name: &str) -> (Settings, Vec<Argument>) {
    let text = std::fs::read_to_string(folder().join(format!("{name}.run"))).expect("there is one");
    let mut words = text.split_whitespace();
    let (mut settings, mut arguments) = (Settings::default(), Vec::new());
    let number = |word: &str| [word.parse().expect("a number"), 1, 1];
    while let (Some(option), Some(value)) = (words.next(), words.next()) {
        match option {
            "--grid" => settings.grid = number(value),
            "--block" => settings.block = number(value),
            "--cluster" => settings.cluster = Some(number(value)),
            "--param" => arguments.push(Argument::read(value).expect("a parameter")),
            _ => assert_eq!(option, "--entry"),
        }
    }
    (settings, arguments)
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/ptx"))
}

/// Everything that is said about a kernel.
fn told(name: &str, schedule: Schedule) -> String {
    let text = std::fs::read_to_string(folder().join(format!("{name}.ptx"))).expect("there is one");
    let source = Source::new(format!("{name}.ptx"), text);
    let module = parse::parse(&source).expect("it is well-formed");
    let program = Program::new(&module, name).expect("it can be executed");
    let (settings, arguments) = launch(name);
    let grid = Grid::new(&program, Settings { schedule, ..settings }).expect("it fits");
    let outcome = grid.run(&arguments, &mut |_, _| {}, &mut |_| {}).expect("it can be launched");
    let reporter = Reporter { source: &source, program: &program, ctas: grid.parameters().ctas };
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let mut told = String::new();
    for (_, finding) in &outcome.findings {
        handler.render_report(&mut told, &reporter.finding(finding)).expect("a string takes everything");
    }
    match &outcome.end {
        End::Fault(fault) => {
            handler.render_report(&mut told, &reporter.fault(fault)).expect("a string takes everything");
        }
        End::Hang(hang) => told += &reporter.hang(hang),
        End::Done | End::Refused(..) => {}
    }
    told
}

#[test]
fn groups_that_wait_for_a_barrier_share_its_lines() {
    insta::assert_snapshot!(told("bug_wrong_starting_parity_ring", Schedule::RoundRobin));
}

#[test]
fn bytes_that_are_missing() {
    insta::assert_snapshot!(told("bug_expect_tx_bytes", Schedule::RoundRobin));
}

#[test]
fn bytes_of_a_multicast_that_are_not_expected() {
    insta::assert_snapshot!(told("bug_expect_tx_bytes_multicast", Schedule::RoundRobin));
}

#[test]
fn too_small_a_count_is_told_before_what_follows_from_it() {
    insta::assert_snapshot!(told("bug_init_count_all_lanes", Schedule::RoundRobin));
}

#[test]
fn too_large_a_count() {
    insta::assert_snapshot!(told("bug_init_count", Schedule::RoundRobin));
}

#[test]
fn a_fault_shows_the_word_before() {
    insta::assert_snapshot!(told("bug_tx_overflow", Schedule::RoundRobin));
}

#[test]
fn threads_that_wait_for_each_other() {
    insta::assert_snapshot!(told("broken_deadlock", Schedule::RoundRobin));
}

#[test]
fn the_first_thing_told_of_every_bug_is_its_name() {
    let mut seen = 0;
    for entry in std::fs::read_dir(folder()).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_string();
        if !name.starts_with("bug_") || path.extension().is_none_or(|extension| extension != "diagnosis") {
            continue;
        }
        seen += 1;
        let diagnosis = std::fs::read_to_string(&path).expect("it can be read");
        let mut lines = diagnosis.lines();
        let wanted = format!("{}: line {}:", lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        // the first name in the text: of a mistake behind its cross, of a hang behind `diagnosis`
        let begins = |told: &str| {
            let name = |line: &str| {
                let line = line.trim_start();
                line.strip_prefix("× ").or(line.strip_prefix("diagnosis: ")).map(|line| line.starts_with(&wanted))
            };
            told.lines().find_map(name) == Some(true)
        };
        let schedules = std::iter::once(Schedule::RoundRobin).chain((0..20).map(Schedule::Random));
        assert!(schedules.into_iter().any(|schedule| begins(&told(&name, schedule))), "{name}: {wanted}");
    }
    assert!(seen > 20, "there are {seen}");
}

#[test]
fn sound_kernels_that_look_odd_are_left_alone() {
    for name in ["odd_lag_one", "odd_elected", "odd_flag_volatile", "odd_in_place", "odd_skipped"] {
        for seed in 0..10 {
            assert_eq!(told(name, Schedule::Random(seed)), "", "{name} with seed {seed}");
        }
    }
}

#[test]
fn numbers_are_shown_as_ranges() {
    assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    assert_eq!(ranges(&[3]), "3");
    assert_eq!(plural(1u32, "byte"), "1 byte");
    assert_eq!(plural(-16, "byte"), "-16 bytes");
}

#[test]
fn long_lines_are_broken_at_spaces() {
    let text = "word ".repeat(40);
    let wrapped = wrapped(text.trim_end(), "name: ", "      ");
    assert!(wrapped.lines().count() > 1 && wrapped.lines().all(|line| line.chars().count() <= COLUMNS));
    assert_eq!(wrapped.split_whitespace().filter(|word| *word == "word").count(), 40);
}
