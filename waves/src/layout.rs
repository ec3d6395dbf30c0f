//! Contents of a design's wave file: scopes, signals, and the view of each.
//!
//! ```text
//!   unit                        the top is called what it is
//!     clk
//!     req_op_0        [4:0]     signals, by the names of the exported Verilog; a lane of a lane is NAME_OUTER_INNER
//!     bank_0                    a block is a scope
//!       alu
//!         word        [63:0]
//!         word_fields           beside a barrier word: its fields in natural units (arrivals and bytes still missing)
//!           phase  pending  fault  tx  expected
//!     events                    what one looks for first, found in the whole design
//!       flip  fault  parked
//! ```
//! Everything is a plain vector of bits. Opcodes and statuses get their names from the viewer ([`crate::views`]), which knows them by
//! [`kind_of`].

use crate::wires::Wires;
use std::collections::HashMap;
use txbar_rtl::hdl::{
    Call, Name, OpView, Part, Port, RegisterView, SignalView, StatusView, Type, View, ViewAs, Visitor, WordView, ast,
};
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Design;
use txbar_rtl::status::Status;
use txbar_rtl::word::{Contents, EXPECTED, PENDING, TX};

/// Width of a tx-count as a signed number: it goes up to 2^20.
const TX_SIGNED_BITS: usize = TX.bits + 1;

/// Names and widths of a word's fields, in the order in which they stand in its scope.
const FIELDS: [(&str, usize); 5] =
    [("phase", 1), ("pending", PENDING.bits), ("fault", 1), ("tx", TX_SIGNED_BITS), ("expected", EXPECTED.bits)];

/// The fields of a word, in that order.
fn fields(word: u64) -> [u64; FIELDS.len()] {
    let Contents { phase, pending, fault, tx, expected } = word.into();
    let tx = tx as u64 & ((1 << TX_SIGNED_BITS) - 1);
    [phase.into(), pending.into(), fault.into(), tx, expected.into()]
}

/// What the bits of a signal are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bits and nothing else.
    Plain,
    /// A barrier word.
    Word,
    /// An opcode.
    Op,
    /// A status.
    Status,
}

impl From<View> for Kind {
    fn from(view: View) -> Self {
        match view {
            WordView::VIEW => Kind::Word,
            OpView::VIEW => Kind::Op,
            StatusView::VIEW => Kind::Status,
            _ => Kind::Plain,
        }
    }
}

/// Parts of names that opcodes have, and no other signal as wide.
const OP_NAMES: [&str; 2] = ["op", "what"];
/// Parts of names that statuses have, and no other signal as wide.
const STATUS_NAMES: [&str; 7] = ["status", "refusal", "cause", "fault", "verdict", "ended", "should"];

/// What the bits of a signal of a wave file are, by its name and width. Wave files do not say it; that names do is tested for every
/// signal of the designs. (Words are told by the scope beside them.)
pub fn kind_of(signal: &str, width: u32) -> Kind {
    let name = signal.rsplit('.').next().unwrap_or(signal);
    let has = |parts: &[&str]| name.split('_').any(|part| parts.contains(&part));
    match width as usize {
        Op::BITS if has(&OP_NAMES) => Kind::Op,
        Status::BITS if has(&STATUS_NAMES) => Kind::Status,
        _ => Kind::Plain,
    }
}

/// The name of a value, if it has one.
pub fn name_of(kind: Kind, value: u64) -> Option<&'static str> {
    match kind {
        Kind::Op => Op::from_code(value).map(Op::name),
        Kind::Status => Status::from_code(value).map(Status::name),
        Kind::Plain | Kind::Word => None,
    }
}

/// A signal of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Name in its scope.
    pub name: String,
    /// Its width in bits, 1 to 64.
    pub width: usize,
    /// Kind of its bits.
    pub kind: Kind,
    /// The number of the signal that it is another name of, if it is; that one stands before it.
    pub same_as: Option<u32>,
}

/// A line of the declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A scope begins.
    Scope(String),
    /// It ends.
    Up,
    /// A signal. Signals are numbered from 0 as they come.
    Var(Var),
}

/// Where a value that a design shows goes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Number of its signal.
    pub var: u32,
    /// Whether it is a word, whose fields follow its signal.
    pub has_fields: bool,
    /// Whether another value of the same wire is written.
    pub is_alias: bool,
}

/// Declarations, and where the values of a design go to.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The declarations, with the clock as the first signal.
    pub entries: Vec<Entry>,
    /// Signals so far.
    vars: u32,
    /// Where values go to: those of the design in the order in which a visitor meets them, then the events, then the fields
    /// of the words.
    pub(crate) slots: Vec<Slot>,
    /// Where in the design the words are, but for those that are other names.
    pub(crate) words: Vec<usize>,
    pub(crate) events: Events,
}

/// Where in a design to see what one looks for first, by the numbers of its values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    pub units: Vec<UnitEvents>,
    /// Entries of suspended waits, a bit each.
    pub parked: Vec<usize>,
    /// Whether a block RAM is written to.
    pub writes: Vec<usize>,
}

/// The same for a unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnitEvents {
    /// Phases that complete, a bit each bank.
    pub flip: Vec<usize>,
    /// Requests that take effect, a bit each port, and their statuses.
    pub done: Vec<usize>,
    pub status: Vec<usize>,
    /// Answers that are shown, a bit each port.
    pub shown: Vec<usize>,
}

/// Names of the events: a phase completes, an operation ends with a fault, waits are suspended.
pub const EVENTS: [&str; 3] = ["flip", "fault", "parked"];

impl Layout {
    /// The layout of a design that is built for these parameters. Signals that are one wire share what is written of it.
    pub fn of(design: &impl Part, parameters: &dyn Design) -> Self {
        let Declare { mut layout, wires, .. } = Declare::all(design, parameters);
        layout.join(&wires.drivers());
        layout.add_fields();
        layout
    }

    /// The same with every signal for itself: for a design whose wires are tampered with.
    pub fn apart(design: &impl Part, parameters: &dyn Design) -> Self {
        let mut layout = Declare::all(design, parameters).layout;
        layout.add_fields();
        layout
    }

    /// Gives the fields of words their places.
    fn add_fields(&mut self) {
        for position in 0..self.slots.len() {
            let Slot { var, has_fields, is_alias } = self.slots[position];
            if has_fields && !is_alias {
                self.words.push(position);
                let fields = (var + 1..).take(FIELDS.len());
                self.slots.extend(fields.map(|var| Slot { var, has_fields: false, is_alias: false }));
            }
        }
    }

    /// Completes what stands behind the values of the design: the events, and the fields of its words. Gives the events.
    pub(crate) fn complete(&self, values: &mut [u64]) -> [u64; EVENTS.len()] {
        let (design, behind) = values[..self.slots.len()].split_at_mut(self.slots.len() - self.further());
        let events = self.events.of(design);
        let (place, behind) = behind.split_at_mut(EVENTS.len());
        place.copy_from_slice(&events);
        for (place, word) in behind.as_chunks_mut().0.iter_mut().zip(&self.words) {
            *place = fields(design[*word]);
        }
        events
    }

    /// How many values are not the design's own.
    pub(crate) fn further(&self) -> usize {
        EVENTS.len() + FIELDS.len() * self.words.len()
    }

    /// Makes signals with the same driver one, by the numbers of their values. What is written of it is the driver's value; the
    /// signal that is declared first is the one that the others are other names of.
    fn join(&mut self, drivers: &[usize]) {
        let mut same_as: Vec<Option<u32>> = vec![None; self.vars as usize];
        let mut first = HashMap::new();
        for (position, driver) in drivers.iter().enumerate() {
            let (slot, driving) = (self.slots[position], self.slots[*driver]);
            if slot.has_fields != driving.has_fields {
                continue; // one is shown as a word, the other is not
            }
            self.slots[position].is_alias = position != *driver;
            let first = *first.entry(*driver).or_insert(slot.var);
            if first != slot.var {
                let signals = if slot.has_fields { 1 + FIELDS.len() as u32 } else { 1 };
                for number in 0..signals {
                    same_as[(slot.var + number) as usize] = Some(first + number);
                }
            }
        }
        let vars = self.entries.iter_mut().filter_map(|entry| match entry {
            Entry::Var(var) => Some(var),
            Entry::Scope(_) | Entry::Up => None,
        });
        for (var, same_as) in vars.zip(same_as) {
            var.same_as = same_as;
        }
    }

    /// Adds a signal.
    fn var(&mut self, name: &str, width: usize, kind: Kind) -> u32 {
        self.entries.push(Entry::Var(Var { name: name.to_owned(), width, kind, same_as: None }));
        self.vars += 1;
        self.vars - 1
    }

    /// Full names of the signals, with what they are, by number.
    pub fn signals(&self) -> Vec<(String, &Var)> {
        let mut scopes: Vec<&str> = Vec::new();
        let mut signals = Vec::new();
        for entry in &self.entries {
            match entry {
                Entry::Scope(name) => scopes.push(name),
                Entry::Up => drop(scopes.pop()),
                Entry::Var(var) => signals.push((format!("{}.{}", scopes.join("."), var.name), var)),
            }
        }
        signals
    }

    /// Adds the events to the scope that is open. They stand behind the design's own values.
    fn declare_events(&mut self) {
        let units = self.events.units.len().max(1);
        let widths = [units, units, PARKED_BITS];
        self.entries.push(Entry::Scope("events".to_owned()));
        for (name, width) in EVENTS.into_iter().zip(widths) {
            let var = self.var(name, width, Kind::Plain);
            self.slots.push(Slot { var, has_fields: false, is_alias: false });
        }
        self.entries.push(Entry::Up);
    }
}

/// Width of the count of suspended waits: 8 CTAs with 8 tables of 64 at most.
const PARKED_BITS: usize = 13;

impl Events {
    /// The events of a cycle, in the order of [`EVENTS`], from the values of the design.
    pub fn of(&self, values: &[u64]) -> [u64; EVENTS.len()] {
        let (mut flip, mut fault) = (0, 0);
        for (number, unit) in self.units.iter().enumerate() {
            let flips = unit.flip.iter().any(|position| values[*position] != 0);
            let done = unit.done.first().map_or(0, |position| values[*position]);
            let fails = |(port, position): (usize, &usize)| {
                done >> port & 1 != 0 && values[*position] != u64::from(Status::Ok.code())
            };
            flip |= u64::from(flips) << number;
            fault |= u64::from(unit.status.iter().enumerate().any(fails)) << number;
        }
        let parked = self.parked.iter().map(|position| u64::from(values[*position].count_ones())).sum();
        [flip, fault, parked]
    }

    /// Whether anything moves on: memory is written to. Asking again whether a phase has completed is no progress.
    pub fn is_progress(&self, values: &[u64]) -> bool {
        self.writes.iter().any(|position| values[*position] != 0)
    }
}

/// Writes the declarations down.
struct Declare<'a> {
    layout: Layout,
    wires: Wires,
    parameters: &'a dyn Design,
    /// The kinds of the blocks around.
    modules: Vec<&'static str>,
}

impl<'a> Declare<'a> {
    /// Everything in a design.
    fn all(design: &impl Part, parameters: &'a dyn Design) -> Self {
        let mut declare = Self { layout: Layout::default(), wires: Wires::default(), parameters, modules: Vec::new() };
        design.visit("design".into(), "", &mut declare);
        declare
    }

    fn width(&self, ty: Type) -> usize {
        ty.width(self.parameters)
    }

    /// Adds a signal with what stands beside it.
    fn value(&mut self, name: &str, ty: Type) {
        let width = self.width(ty);
        let layout = &mut self.layout;
        let has_fields = ty.view == WordView::VIEW;
        let var = layout.var(name, width, ty.view.into());
        layout.slots.push(Slot { var, has_fields, is_alias: false });
        if has_fields {
            layout.entries.push(Entry::Scope(format!("{name}_fields")));
            for (name, width) in FIELDS {
                layout.var(name, width, Kind::Plain);
            }
            layout.entries.push(Entry::Up);
        }
    }

    /// Notes a value that the events are seen by: the one that comes next.
    fn watch(&mut self, field: &str) {
        let position = self.layout.slots.len();
        let events = &mut self.layout.events;
        match (self.modules.last().copied(), events.units.last_mut()) {
            (Some("waiters"), _) if field == "parked" => events.parked.push(position + 1), // behind its next value
            (Some("block_ram"), _) if field == "write_enable" => events.writes.push(position),
            (Some(UNIT), Some(unit)) => match field {
                "flip_valid" => unit.flip.push(position),
                "done_valid" => unit.done.push(position),
                "done_status" => unit.status.push(position),
                "rsp_valid" => unit.shown.push(position),
                _ => {}
            },
            _ => {}
        }
    }
}

/// The kind of block that has ports, banks and phases.
const UNIT: &str = "unit";

impl Visitor for Declare<'_> {
    fn enter(&mut self, part: Name, module: &'static str, _doc: &'static str) {
        let is_top = self.modules.is_empty();
        // the top is called what it is
        let name = if is_top { module.to_owned() } else { part.to_string() };
        self.layout.entries.push(Entry::Scope(name));
        self.modules.push(module);
        self.wires.enter(part);
        if is_top {
            self.layout.var("clk", 1, Kind::Plain);
        }
        if module == UNIT {
            self.layout.events.units.push(UnitEvents::default());
        }
    }
    fn leave(&mut self) {
        self.wires.leave();
        self.modules.pop();
        if self.modules.is_empty() {
            self.layout.declare_events();
        }
        self.layout.entries.push(Entry::Up);
    }
    fn signal(&mut self, name: Name, _doc: &'static str, view: SignalView, ty: Type, _value: u64) {
        self.watch(name.field);
        self.wires.signal(name, "", view != SignalView::Local, self.width(ty));
        self.value(&name.to_string(), ty);
    }
    fn register(&mut self, name: Name, _doc: &'static str, view: RegisterView, _d: u64, _q: u64) {
        self.watch(name.field);
        let [d, q] = sides(name, view);
        let width = self.width(view.ty);
        self.wires.signal(name, "$d", view.port == Port::Input, width);
        self.wires.signal(name, "$q", view.port == Port::Output, width);
        self.value(&d, view.ty);
        self.value(&q, view.ty);
    }
    fn number(&mut self, name: Name, _doc: &'static str, value: usize) {
        self.wires.number(name, value);
    }
    fn process(&mut self, _name: &'static str, _call: Call, tree: &dyn Fn() -> ast::Verilog) {
        self.wires.kernel(tree());
    }
}

/// Names of the two sides of a register, as in the Verilog.
fn sides(name: Name, view: RegisterView) -> [String; 2] {
    match view.port {
        Port::Input => [name.to_string(), format!("{name}_q")],
        _ => [format!("{name}_next"), name.to_string()],
    }
}
