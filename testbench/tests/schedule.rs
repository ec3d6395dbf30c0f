//! What the fast simulation takes for granted, checked slowly.

use txbar_rtl::hdl::{Name, Part, RegisterView, SignalView, Symbol, Type, Visitor};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::unit::Unit;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::run::{self, Observer};
use txbar_testbench::traffic::Plan;

/// Every value in the unit, with its name and width.
struct Sample {
    parameters: Parameters,
    path: Vec<String>,
    values: Vec<(String, usize, u64)>,
}

impl Sample {
    fn of(unit: &Unit, parameters: Parameters) -> Self {
        let mut sample = Self { parameters, path: Vec::new(), values: Vec::new() };
        unit.visit("unit".into(), "", &mut sample);
        sample
    }

    fn note(&mut self, name: Name, side: &str, ty: Type, value: u64) {
        let width = Symbol::from_code(ty.bits).map_or(ty.bits, |symbol| self.parameters.width(symbol));
        self.values.push((format!("{}.{name}{side}", self.path.join(".")), width, value));
    }
}

impl Visitor for Sample {
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

/// In every cycle: settling again changes nothing, and every value fits the wires that carry it.
struct Checker {
    parameters: Parameters,
    cycles: u64,
}

impl Observer<Rtl> for Checker {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        let first = Sample::of(engine.unit(), self.parameters).values;
        let mut again = engine.unit().clone();
        again.settle();
        let second = Sample::of(&again, self.parameters).values;
        for ((name, width, value), (_, _, settled)) in first.iter().zip(&second) {
            assert_eq!(value, settled, "cycle {cycle}: {name} had not settled");
            assert!(
                *width >= 64 || *value < 1 << width,
                "cycle {cycle}: {name} = {value:#x} has more than {width} bits"
            );
        }
        self.cycles += 1;
    }
}

/// The processes of a unit run once a cycle in an order that is written down by hand. If one ran before what it depends
/// on, running them all again would change something.
#[test]
fn the_written_order_is_an_order_of_the_data() {
    for (ports, banks, words, tag_bits, queue_depth) in
        [(4, 1, 512, 8, 8), (1, 1, 16, 1, 1), (3, 4, 64, 5, 5), (8, 2, 16, 16, 6), (6, 32, 128, 8, 8)]
    {
        let parameters = Parameters { ports, banks, words, tag_bits, queue_depth, ..Parameters::default() };
        let mut checker = Checker { parameters, cycles: 0 };
        let mut engine = Rtl::new(parameters);
        assert_eq!(engine.parameters().ports, ports);
        let plan = Plan { stall: 25, bank_stall: 10, ..Plan::new(21, 1500) };
        run::plan(&mut engine, &plan, &mut checker).unwrap_or_else(|failure| panic!("{failure}"));
        assert!(checker.cycles >= 300);
    }
}
