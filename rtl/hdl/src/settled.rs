//! Checks of the assumptions of the fast simulation, for tests: that a design was settled when it was read, and that every value fits its
//! wires.

use super::{Name, Part, RegisterView, SignalView, Type, Visitor, Widths};
use std::fmt::Display;

/// Every value in a design, with its width, and with its name if that is asked for.
struct Sample<'a> {
    widths: &'a dyn Widths,
    named: bool,
    path: Vec<String>,
    names: Vec<String>,
    values: Vec<(usize, u64)>,
}

impl<'a> Sample<'a> {
    fn of(design: &dyn Part, widths: &'a dyn Widths, named: bool) -> Self {
        let mut sample = Self { widths, named, path: Vec::new(), names: Vec::new(), values: Vec::new() };
        design.visit("top".into(), "", &mut sample);
        sample
    }

    fn note(&mut self, name: Name, side: &str, ty: Type, value: u64) {
        if self.named {
            self.names.push(format!("{}.{name}{side}", self.path.join(".")));
        }
        self.values.push((ty.width(self.widths), value));
    }
}

impl Visitor for Sample<'_> {
    fn enter(&mut self, name: Name, _module: &'static str, _doc: &'static str) {
        if self.named {
            self.path.push(name.to_string());
        }
    }
    fn leave(&mut self) {
        self.path.pop();
    }
    fn signal(&mut self, name: Name, _doc: &'static str, _view: SignalView, ty: Type, value: u64) {
        self.note(name, "", ty, value);
    }
    fn register(&mut self, name: Name, _doc: &'static str, view: RegisterView, d: u64, q: u64) {
        self.note(name, "_next", view.ty, d);
        self.note(name, "", view.ty, q);
    }
}

/// What has settled once is the same as what has settled `again`, and every value fits its wires.
///
/// # Panics
/// It is not, or one does not; the message begins with `when`.
pub fn check(settled: &dyn Part, again: &dyn Part, widths: &dyn Widths, when: impl Display) {
    let values = |design| Sample::of(design, widths, false).values;
    let (first, second) = (values(settled), values(again));
    // a negative difference of symbolic width has ones above its sign, which no process looks at
    let fits = |(width, value): &(usize, u64)| *width >= 64 || *value < 1 << width || !*value >> (width - 1) == 0;
    if first != second || !first.iter().all(fits) {
        let names = Sample::of(settled, widths, true).names;
        for ((name, once), twice) in names.iter().zip(&first).zip(&second) {
            assert_eq!(once.1, twice.1, "{when}: {name} had not settled");
            assert!(fits(once), "{when}: {name} = {:#x} has more than {} bits", once.1, once.0);
        }
    }
}
