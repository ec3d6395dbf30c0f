//! The order in which blocks settle follows from what their processes read and drive.

use txbar_hdl::order::{Derived, Point};
use txbar_hdl::*;

hardware! {
    /// A slot: shows that it is full, and takes what comes when it is not, or goes.
    pub module Slot = "slot" {
        /// Something comes.
        pub comes: Signal<In, Bit>,
        /// It goes.
        pub goes: Signal<In, Bit>,
        /// Something is there.
        pub full: Signal<Out, Bit>,
        /// It is taken.
        pub taken: Signal<Out, Bit>,
        /// Something is there.
        pub(crate) filled: ControlReg<Bit>,
    }
    processes { Take, Show }
}

#[processes]
impl Slot {
    fn take(&mut self) {
        self.taken.next = self.comes.val() & (!self.full.val() | self.goes.val());
        self.filled.d.next = self.taken.val() | (self.full.val() & !self.goes.val());
    }

    fn show(&mut self) {
        self.full.next = self.filled.q.val();
    }
}

hardware! {
    /// Two slots in a row: the second says whether the first may go, and a small memory what it is called.
    pub module Row = "row" {
        /// Something comes.
        pub comes: Signal<In, Bit>,
        /// What is at the end goes.
        pub goes: Signal<In, Bit>,
        /// Its name.
        pub name: OutReg<Bits<4>>,
        /// The first slot.
        pub(crate) first: Slot,
        /// Slots behind it.
        pub(crate) rest: Lanes<Slot, 2>,
        /// Names.
        pub(crate) names: LutRam<Bits<4>, Bits<4>>,
    }
    processes { Name, Back, Enter, Forth }
}

#[processes]
impl Row {
    fn name(&mut self) {
        self.name.d.next = self.names.read_data.val();
    }

    fn back(&mut self) {
        self.first.goes.next = self.rest[0].taken.val();
    }

    fn enter(&mut self) {
        self.first.comes.next = self.comes.val();
        self.rest[0].goes.next = self.goes.val();
    }

    fn forth(&mut self) {
        self.rest[0].comes.next = self.first.full.val();
        self.names.read_address.next = 0.into();
        self.names.write_address.next = 0.into();
        self.names.write_data.next = 0.into();
        self.names.write_enable.next = self.first.full.val();
    }
}

/// The order that is derived for a row.
fn derived(whole: &[&str], points: &[Point], awake: &[(&str, &[&str], &str)]) -> Result<String, String> {
    let row = Row { rest: Lanes::new(1), names: LutRam::new(16), ..Row::default() };
    let mut derived = Derived::new(whole);
    derived.add(&row, &(), &Names::default());
    if !points.is_empty() {
        derived.look("Row", points);
    }
    derived.rust(&[], &[], awake)
}

/// The steps of one method of a block.
fn method(text: &str, block: &str, head: &str) -> Vec<String> {
    let block = text.split("settle! { ").find(|each| each.starts_with(block)).unwrap_or_else(|| panic!("{text}"));
    let (_, steps) = block.split_once(&format!(" {head} {{")).unwrap_or_else(|| panic!("no {head} in {block}"));
    let (steps, _) = steps.split_once(" }").expect("it ends");
    steps.split(',').map(|step| step.trim().to_owned()).collect()
}

#[test]
fn a_block_is_split_where_a_whole_would_close_a_circle() {
    let text = derived(&[], &[], &[]).expect("there is an order");
    assert_eq!(method(&text, "[crate] Slot", "settle_1"), ["Show"], "{text}");
    assert_eq!(method(&text, "[crate] Slot", "settle_2"), ["Take"], "{text}");
    let calls = method(&text, "[crate] Row", "settle");
    assert_eq!(calls.len(), 9, "{calls:?}");
    let place = |call: &str| calls.iter().position(|step| step == call).unwrap_or_else(|| panic!("{call}: {calls:?}"));
    let order = [
        ("first.settle_1()", "Forth"),
        ("Forth", "each rest.settle_2()"),
        ("Enter", "each rest.settle_2()"),
        ("each rest.settle_1()", "each rest.settle_2()"),
        ("Forth", "names.read()"),
        ("names.read()", "Name"),
        ("each rest.settle_2()", "Back"),
        ("Back", "first.settle_2()"),
        ("Enter", "first.settle_2()"),
    ];
    for (before, after) in order {
        assert!(place(before) < place(after), "{before} before {after}: {calls:?}");
    }
}

#[test]
fn a_circle_that_no_split_opens_is_told() {
    let error = derived(&["Slot"], &[], &[]).expect_err("the slots may not be split");
    assert!(error.contains("::Row: a circle of") && error.contains("Back"), "{error}");
}

#[test]
fn a_point_stands_between_processes() {
    let point = Point {
        name: "Shown",
        place: "derived::Place",
        given: &[("first", "full")],
        then: &["Enter", "Forth", "Back", "Name"],
    };
    let text = derived(&[], &[point], &[]).expect("there is an order");
    assert!(text.contains("[crate] Row looked into at [crate::Place]:"), "{text}");
    let row = method(&text, "[crate] Row", "settle_steps");
    let place = |call: &str| row.iter().position(|step| step == call).unwrap_or_else(|| panic!("{call}: {row:?}"));
    let look = place("look Shown");
    assert!(place("first.settle_1()") < look && look < place("Enter") && look < place("Forth"), "{row:?}");
    assert_eq!(row.last().map(String::as_str), Some("look Settled"));
}

#[test]
fn what_sleeps_is_called_under_its_condition() {
    let text = derived(&[], &[], &[("Slot", &["Show"], "awake")]).expect("there is an order");
    assert_eq!(method(&text, "[crate] Slot", "settle_1"), ["if [awake] { Show"], "{text}");
}
