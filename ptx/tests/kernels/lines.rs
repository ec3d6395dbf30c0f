//! Mistakes in the lines of the source that a kernel was compiled from: CUDA by nvcc with `-lineinfo`, and Triton.

use crate::kernels::{Kernel, path};
use txbar_ptx::machine::Schedule;

/// What is told of a kernel, without the folder of this machine.
fn told(name: &str) -> String {
    let path = path(name);
    let folder = format!("{}/", path.parent().expect("it is in a folder").display());
    Kernel::open(name).told(Schedule::RoundRobin).replace(&folder, "")
}

#[test]
fn a_hang_in_a_function_that_was_inlined_twice() {
    insta::assert_snapshot!(told("lines_hang"));
}

#[test]
fn a_fault_in_functions_of_two_files() {
    insta::assert_snapshot!(told("lines_fault"));
}

#[test]
fn both_accesses_of_a_race() {
    insta::assert_snapshot!(told("lines_race"));
}

#[test]
fn kernels_of_triton_are_told_in_lines_of_python() {
    insta::assert_snapshot!(told("lines_triton_race") + &told("lines_triton_fault"));
}

/// The lines with the mistake are marked in the source.
#[test]
fn the_line_with_the_mistake_is_shown() {
    for (name, marked) in [
        ("lines_hang", "the mistake: parity ^ 1"),
        ("lines_fault", "the mistake: 0 arrivals"),
        ("lines_race", "the mistake: no __syncthreads()"),
        ("lines_triton_race", "the mistake: every program"),
        ("lines_triton_fault", "the mistake: there is no row"),
    ] {
        let told = told(name);
        assert!(told.contains(marked), "{name}:\n{told}");
    }
}
