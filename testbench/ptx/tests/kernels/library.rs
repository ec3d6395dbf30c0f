//! `printf` and `assert`, as nvcc compiles them.

use super::kernels::{folder, program};
use std::collections::BTreeSet;
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;

/// `print_assert.cu` with 64 threads: with 1 every thread prints, with 2 all but five fail.
fn outcome(mode: u32, schedule: Schedule) -> Outcome {
    let text = std::fs::read_to_string(folder().join("print_assert.ptx")).expect("it is there");
    let program = program("print_assert", &text, "k9");
    let settings = Settings { block: [64, 1, 1], schedule, ..Settings::default() };
    let arguments = ["out:u32:64".to_string(), format!("u32:{mode}")];
    let arguments = arguments.map(|argument| Argument::read(&argument).expect("it is right"));
    let grid = Grid::new(&program, settings).expect("it can be built");
    grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("it can be run")
}

#[test]
fn what_threads_print_comes_in_the_order_of_execution() {
    let lines =
        |threads: &mut dyn Iterator<Item = u32>| threads.map(|thread| format!("hello {thread}\n")).collect::<String>();
    let outcome = outcome(1, Schedule::RoundRobin);
    assert_eq!((outcome.end, outcome.printed.text), (End::Done, lines(&mut (0..64))));
    let random = self::outcome(1, Schedule::Random(3));
    let printed: BTreeSet<String> = random.printed.text.lines().map(|line| format!("{line}\n")).collect();
    assert_eq!(printed, (0..64).map(|thread| format!("hello {thread}\n")).collect());
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
