//! Looks at every value: settling again changes nothing, and each fits its wires.

use super::super::Copier;
use crate::cluster::parameters::ClusterParameters;
use crate::hdl::{Name, Part, RegisterView, SignalView, Symbol, Type, Visitor};
use crate::parameters::Design;

pub(super) struct Check {
    parameters: ClusterParameters,
}

impl Check {
    pub(super) fn new([ctas, copiers, outstanding, bursts]: [usize; 4]) -> Self {
        Self { parameters: ClusterParameters { ctas, copiers, outstanding, bursts, ..ClusterParameters::default() } }
    }

    pub(super) fn check(&self, copier: &Copier) {
        let mut again = copier.clone();
        again.settle_out();
        again.settle();
        let [first, second] = [copier, &again].map(|copier| {
            let mut values = Values { parameters: &self.parameters, path: Vec::new(), values: Vec::new() };
            copier.visit("copier".into(), "", &mut values);
            values.values
        });
        for ((name, width, value), (_, _, settled)) in first.iter().zip(&second) {
            assert_eq!(value, settled, "{name} had not settled");
            assert!(*width >= 64 || *value < 1 << width, "{name} = {value:#x} has more than {width} bits");
        }
    }
}

/// Name, width and value of everything in the block.
struct Values<'a> {
    parameters: &'a ClusterParameters,
    path: Vec<String>,
    values: Vec<(String, usize, u64)>,
}

impl Values<'_> {
    fn note(&mut self, name: Name, side: &str, ty: Type, value: u64) {
        let width = Symbol::from_code(ty.bits).map_or(ty.bits, |symbol| self.parameters.width(symbol));
        self.values.push((format!("{}.{name}{side}", self.path.join(".")), width, value));
    }
}

impl Visitor for Values<'_> {
    fn enter(&mut self, name: Name, _module: &'static str, _doc: &'static str) {
        self.path.push(name.to_string());
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
