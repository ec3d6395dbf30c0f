//! The order in which processes run, compared with the syntax trees: each must run once, after those which drive what it reads.
//!
//! What a process drives and reads stands in its tree, for every value that signals can have; in which order a design's
//! `settle` calls the processes, is noted while it runs once. So this finds an order that is wrong for some rare values, too.
//! Calls are noted in tests of the crate whose kernels they are, and nowhere else: a simulation does not pay for it.

use crate::part::Call;
use crate::{Names, Part, Widths, verilog};
use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    static NOTED: RefCell<Option<Vec<Call>>> = const { RefCell::new(None) };
}

/// Notes a call, if somebody in this thread wants to know.
pub fn note(call: Call) {
    NOTED.with_borrow_mut(|noted| noted.as_mut().into_iter().for_each(|calls| calls.push(call)));
}

/// An order that is one of the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ordered {
    /// How many times a process reads what another one drives.
    pub dependencies: usize,
    /// Processes that did not run: their block was asleep, or they are missing.
    pub asleep: BTreeSet<String>,
}

/// Compares the order in which a design settles with the data. A small memory that is read at once stands between the process
/// that gives the address and those that take the data; whether the read itself is in its place is not seen.
///
/// # Errors
/// What is wrong, a line each.
///
/// # Panics
/// As [`verilog::print`].
pub fn check<D: Part>(
    design: &mut D,
    widths: &dyn Widths,
    names: &Names,
    settle: impl FnOnce(&mut D),
) -> Result<Ordered, String> {
    NOTED.set(Some(Vec::new()));
    settle(design);
    let calls = NOTED.take().expect("nobody else takes them");
    verilog::compare_order(design, widths, names, &calls)
}
