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

impl Process<Take> for Slot {
    #[hdl_gen]
    fn update(&mut self) {
        self.taken.next = self.comes.val() & (!self.full.val() | self.goes.val());
        self.filled.d.next = self.taken.val() | (self.full.val() & !self.goes.val());
    }
}

impl Process<Show> for Slot {
    #[hdl_gen]
    fn update(&mut self) {
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

impl Process<Name> for Row {
    #[hdl_gen]
    fn update(&mut self) {
        self.name.d.next = self.names.read_data.val();
    }
}

impl Process<Back> for Row {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.goes.next = self.rest[0].taken.val();
    }
}

impl Process<Enter> for Row {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.comes.next = self.comes.val();
        self.rest[0].goes.next = self.goes.val();
    }
}

impl Process<Forth> for Row {
    #[hdl_gen]
    fn update(&mut self) {
        self.rest[0].comes.next = self.first.full.val();
        self.names.read_address.next = 0.into();
        self.names.write_address.next = 0.into();
        self.names.write_data.next = 0.into();
        self.names.write_enable.next = self.first.full.val();
    }
}

/// The methods that are derived for a row, without documentation and attributes.
fn derived(whole: &[&str], points: &[Point], awake: &[(&str, &[&str], &str)]) -> Result<String, String> {
    let row = Row { rest: Lanes::new(1), names: LutRam::new(16), ..Row::default() };
    let mut derived = Derived::new(whole);
    derived.add(&row, &(), &Names::default());
    if !points.is_empty() {
        derived.look("Row", points);
    }
    let text = derived.rust(&[], &[], awake)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("///") && !line.starts_with('#'));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// The lines of one method.
fn method(text: &str, head: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.contains(head)).skip(1);
    let inside = lines.take_while(|line| !line.starts_with("pub") && !line.starts_with("impl"));
    inside.filter(|line| !matches!(*line, "}" | "")).map(|line| line.replace("Process::<crate::", "")).collect()
}

#[test]
fn a_block_is_split_where_a_whole_would_close_a_circle() {
    let text = derived(&[], &[], &[]).expect("there is an order");
    assert_eq!(method(&text, "impl crate::Row"), [""; 0], "{text}");
    assert_eq!(method(&text, "fn settle_1"), ["Show>::update(self);"], "{text}");
    assert_eq!(method(&text, "fn settle_2"), ["Take>::update(self);"], "{text}");
    let row = text.split("impl crate::Slot").next().expect("a first part");
    let calls = method(row, "fn settle(");
    assert_eq!(calls.len(), 9, "{calls:?}");
    let place =
        |call: &str| calls.iter().position(|line| line.contains(call)).unwrap_or_else(|| panic!("{call}: {calls:?}"));
    let order = [
        ("self.first.settle_1", "Forth"),
        ("Forth", "part.settle_2"),
        ("Enter", "part.settle_2"),
        ("part.settle_1", "part.settle_2"),
        ("Forth", "self.names.read"),
        ("self.names.read", "Name"),
        ("part.settle_2", "Back"),
        ("Back", "self.first.settle_2"),
        ("Enter", "self.first.settle_2"),
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
    let row = method(&text, "fn settle_steps");
    let place =
        |call: &str| row.iter().position(|line| line.starts_with(call)).unwrap_or_else(|| panic!("{call}: {row:?}"));
    let look = place("look(self, crate::Place::Shown);");
    assert!(place("self.first.settle_1") < look && look < place("Enter") && look < place("Forth"), "{row:?}");
    assert_eq!(row.last().map(String::as_str), Some("look(self, crate::Place::Settled);"));
    assert_eq!(place("know(self);"), 0, "before the first step");
}

#[test]
fn what_sleeps_is_called_under_its_condition() {
    let text = derived(&[], &[], &[("Slot", &["Show"], "self.awake")]).expect("there is an order");
    assert_eq!(method(&text, "fn settle_1"), ["if self.awake {", "Show>::update(self);"], "{text}");
}
