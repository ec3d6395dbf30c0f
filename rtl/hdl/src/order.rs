//! Order of processes, checked against the syntax trees: each must run once, after the processes that drive what it reads.
//!
//! What a process drives and reads stands in its tree, for every value that signals can have; in which order a design's
//! `settle` calls the processes, is noted while it runs once. So this finds an order that is wrong for some rare values, too.
//! Calls are noted in tests of the crate whose kernels they are, and nowhere else: a simulation does not pay for it.

use crate::part::Call;
use crate::{Names, Part, Widths, verilog};
use std::cell::RefCell;
use std::collections::BTreeSet;
pub use verilog::Point;

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

/// An order for every kind of block in some designs, as methods in Rust: derived from what processes read and drive.
pub struct Derived(verilog::Schedule);

impl Derived {
    /// No blocks yet. Those of the kinds in `whole` are settled at once, never in parts.
    pub fn new(whole: &[&str]) -> Self {
        Self(verilog::Schedule::new(whole))
    }

    /// Adds the blocks of a design.
    ///
    /// # Panics
    /// As [`verilog::print`].
    pub fn add(&mut self, design: &dyn Part, widths: &dyn Widths, names: &Names) {
        verilog::add_to_schedule(&mut self.0, design, widths, names);
    }

    /// Lets others look in while blocks of a kind settle: what is no process by itself, but stands between them.
    ///
    /// # Panics
    /// There is no such kind.
    pub fn look(&mut self, kind: &str, points: &[Point]) {
        self.0.look(kind, points);
    }

    /// The methods, but for kinds that are settled `by_hand`; `awake` names a kind, processes and memories in it, and the condition under
    /// which they are called. Methods of kinds whose paths begin as one in `apart` are inlined only if the compiler likes to.
    ///
    /// # Errors
    /// There is no order: a circle.
    pub fn rust(mut self, by_hand: &[&str], apart: &[&str], awake: &[(&str, &[&str], &str)]) -> Result<String, String> {
        self.0.derive()?;
        Ok(self.0.rust(by_hand, apart, awake))
    }
}
