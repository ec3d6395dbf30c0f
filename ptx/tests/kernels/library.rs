//! `printf` and `assert`, as nvcc compiles them.

use super::kernels::{path, program};
use std::collections::BTreeSet;
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;

/// `print_assert.cu` with 64 threads: with 1 every thread prints, with 2 all but five fail.
fn outcome(mode: u32, schedule: Schedule) -> Outcome {
    let text = std::fs::read_to_string(path("print_assert")).expect("it is there");
    let program = program("print_assert", &text, "k9");
    let settings = Settings { block: [64, 1, 1], schedule, ..Settings::default() };
    let arguments = ["out:u32:64".to_string(), format!("u32:{mode}")];
    let arguments = arguments.map(|argument| Argument::read(&argument).expect("it is right"));
    let grid = Grid::new(&program, settings).expect("it can be built");
    grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("it can be run")
}

#[test]
fn what_threads_print_comes_in_the_order_of_execution() {
    let numbers = |outcome: &Outcome| -> Vec<u32> {
        let number = |line: &str| line.strip_prefix("hello ").and_then(|number| number.parse().ok());
        outcome.printed.text.lines().map(|line| number(line).expect("hello and a number")).collect()
    };
    let outcome = outcome(1, Schedule::RoundRobin);
    assert_eq!(outcome.end, End::Done);
    let printed = numbers(&outcome);
    // a warp's lanes in their order, the warps in any
    assert_eq!(printed.iter().filter(|thread| **thread < 32).copied().collect::<Vec<_>>(), (0..32).collect::<Vec<_>>());
    assert_eq!(printed.iter().copied().collect::<BTreeSet<_>>(), (0..64).collect());
    let random = numbers(&self::outcome(1, Schedule::Random(3)));
    assert_eq!(random.into_iter().collect::<BTreeSet<_>>(), (0..64).collect());
    assert_eq!(self::outcome(0, Schedule::RoundRobin).printed.text, "");
}

#[test]
fn a_failed_assertion_is_a_fault_with_its_text() {
    let End::Fault(fault) = outcome(2, Schedule::RoundRobin).end else { panic!("it fails") };
    let thread = fault.thread.thread;
    assert!(thread >= 5 && fault.status.is_none(), "{fault:?}");
    let what = format!(
        "print_assert.cu:9: void k9(int *, int): block: [0,0,0], thread: [{thread},0,0] Assertion `threadIdx.x < 5` failed."
    );
    assert_eq!(fault.what, what);
}
