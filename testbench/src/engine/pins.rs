//! The pins of any top module, recorded while it runs in Rust. [`super::replay`] replays the recording on its Verilog.
//!
//! ```
//! use txbar_rtl::parameters::{Design, Parameters};
//! use txbar_rtl::any::AnyUnit;
//! use txbar_testbench::engine::pins::PinRecorder;
//! use txbar_testbench::engine::rtl::qualified_by;
//!
//! let parameters = Parameters { ports: 1, banks: 1, words: 16, ..Parameters::default() };
//! let mut unit = AnyUnit::new(&parameters);
//! let mut recorder = PinRecorder::new(&unit, qualified_by);
//! for cycle in 0..5 {
//!     let reset = cycle < 2;
//!     unit.req_valid.next = u64::from(!reset).into();
//!     unit.settle();
//!     recorder.note(&unit, reset);
//!     if reset { unit.clock_in_reset() } else { unit.clock() }
//! }
//! let pins = recorder.finish();
//! assert_eq!(pins.cycles(), 5);
//! assert_eq!(pins.value(3, "req_ready"), 1);
//! ```

use std::collections::HashMap;
use txbar_rtl::hdl::{Name, Part, Port, RegisterView, SignalView, Type, Visitor};

/// A pin: a port of the top module, which may be several bits wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Name in Verilog.
    pub name: String,
    /// Whether the design drives it.
    pub output: bool,
    /// Which pin, by number, and which of its bits, says that this output means something. Without one it always does.
    pub qualifier: Option<(usize, u32)>,
}

/// What was at the pins of a design, cycle by cycle.
#[derive(Clone, Debug)]
pub struct Pins {
    pins: Vec<Pin>,
    numbers: HashMap<String, usize>,
    resets: Vec<bool>,
    /// A row of all pins each cycle.
    values: Vec<u64>,
}

impl Pins {
    /// The pins, in the order in which the design declares them, without clock and reset.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// Cycles recorded.
    pub fn cycles(&self) -> usize {
        self.resets.len()
    }

    /// Whether reset is held at the clock edge that ends a cycle.
    pub fn reset(&self, cycle: usize) -> bool {
        self.resets[cycle]
    }

    /// The values of all pins in a cycle, in their order.
    pub fn row(&self, cycle: usize) -> &[u64] {
        assert!(cycle < self.cycles());
        &self.values[cycle * self.pins.len()..][..self.pins.len()]
    }

    /// The value of a pin in a cycle.
    ///
    /// # Panics
    /// There is no such pin.
    pub fn value(&self, cycle: usize, name: &str) -> u64 {
        self.row(cycle)[self.number(name)]
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// There is no such pin.
    pub fn value_mut(&mut self, cycle: usize, name: &str) -> &mut u64 {
        assert!(cycle < self.cycles());
        let number = self.number(name);
        &mut self.values[cycle * self.pins.len() + number]
    }

    /// Whether a pin means something in a cycle: it is an input, nothing qualifies it, or what qualifies it is set.
    pub fn qualified(&self, cycle: usize, pin: &Pin) -> bool {
        pin.qualifier.is_none_or(|(valid, bit)| self.row(cycle)[valid] >> bit & 1 != 0)
    }

    /// The first cycle in which outputs are known: the one after the first in which reset was held.
    pub fn first_known(&self) -> usize {
        self.resets.iter().position(|reset| *reset).map_or(self.cycles(), |cycle| cycle + 1)
    }

    fn number(&self, name: &str) -> usize {
        *self.numbers.get(name).unwrap_or_else(|| panic!("there is no pin `{name}`"))
    }
}

/// Records the pins of a design.
#[derive(Clone, Debug)]
pub struct PinRecorder {
    pins: Pins,
}

impl PinRecorder {
    /// A recorder of this design's pins, or of those of others with the same pins. `qualified_by` says for the name of
    /// an output which bit of which pin is set while it means something; `None` if it always does.
    ///
    /// # Panics
    /// `qualified_by` names a pin that is not there.
    pub fn new(design: &dyn Part, qualified_by: impl Fn(&str) -> Option<(String, u32)>) -> Self {
        let mut list = List::default();
        design.visit("top".into(), "", &mut list);
        let numbers = list.pins.iter().enumerate().map(|(number, pin)| (pin.name.clone(), number)).collect();
        let mut pins = Pins { pins: list.pins, numbers, resets: Vec::new(), values: Vec::new() };
        for number in 0..pins.pins.len() {
            if pins.pins[number].output {
                let qualifier = qualified_by(&pins.pins[number].name);
                pins.pins[number].qualifier = qualifier.map(|(valid, bit)| (pins.number(&valid), bit));
            }
        }
        Self { pins }
    }

    /// Takes down what is at the pins. To be called once a cycle, when the design has settled and before the clock edge,
    /// at which reset is held or not; from the reset on, of a design whose memories are still all zero.
    pub fn note(&mut self, design: &dyn Part, reset: bool) {
        self.pins.resets.push(reset);
        design.visit("top".into(), "", &mut Sample { depth: 0, values: &mut self.pins.values });
        let expected = self.pins.resets.len() * self.pins.pins.len();
        assert_eq!(self.pins.values.len(), expected, "it is another design");
    }

    /// Recording.
    pub fn finish(self) -> Pins {
        self.pins
    }
}

/// Whether a register has a pin, and whether that is an output.
fn register_pin(view: RegisterView) -> Option<bool> {
    match view.port {
        Port::None => None,
        Port::Input => Some(false),
        Port::Output => Some(true),
    }
}

/// Whether a signal is a pin, and whether that is an output.
fn signal_pin(view: SignalView) -> Option<bool> {
    match view {
        SignalView::Local => None,
        SignalView::Input => Some(false),
        SignalView::Output => Some(true),
    }
}

/// Lists the pins.
#[derive(Default)]
struct List {
    depth: usize,
    pins: Vec<Pin>,
}

impl List {
    fn add(&mut self, name: Name, output: Option<bool>) {
        if let Some(output) = output
            && self.depth == 1
        {
            self.pins.push(Pin { name: name.to_string(), output, qualifier: None });
        }
    }
}

impl Visitor for List {
    fn enter(&mut self, _name: Name, _module: &'static str, _doc: &'static str) {
        self.depth += 1;
    }
    fn leave(&mut self) {
        self.depth -= 1;
    }
    fn signal(&mut self, name: Name, _doc: &'static str, view: SignalView, _ty: Type, _value: u64) {
        self.add(name, signal_pin(view));
    }
    fn register(&mut self, name: Name, _doc: &'static str, view: RegisterView, _d: u64, _q: u64) {
        self.add(name, register_pin(view));
    }
}

/// Takes the values of the pins, in the same order.
struct Sample<'a> {
    depth: usize,
    values: &'a mut Vec<u64>,
}

impl Visitor for Sample<'_> {
    fn enter(&mut self, _name: Name, _module: &'static str, _doc: &'static str) {
        self.depth += 1;
    }
    fn leave(&mut self) {
        self.depth -= 1;
    }
    fn signal(&mut self, _name: Name, _doc: &'static str, view: SignalView, _ty: Type, value: u64) {
        if self.depth == 1 && signal_pin(view).is_some() {
            self.values.push(value);
        }
    }
    fn register(&mut self, _name: Name, _doc: &'static str, view: RegisterView, d: u64, q: u64) {
        if self.depth == 1
            && let Some(output) = register_pin(view)
        {
            self.values.push(if output { q } else { d });
        }
    }
}
