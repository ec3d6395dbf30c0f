//! Flattens a design of modules, whose cells are gates and registers, into one circuit.
//!
//! ```text
//!   Yosys ─► design.json: each module once, however often it is used
//!              │ instances are walked: a net of a module is a net of the circuit, once for each instance
//!              ▼
//!            Logic: inputs, registers, outputs by their names, AND gates between them
//! ```
//! Yosys could do that itself (`flatten`, `write_aiger`), but needs a kilobyte for each gate. As WebAssembly it has 4 GB, which a unit of four ports
//! and eight banks exceeds; here such a unit takes some hundred MB.
//!
//! Names are those that Yosys gives: those of instances and what is in them with points between them, bits of vectors in brackets.
//! A cell with the attribute [`BOX`] is not looked into: its outputs are inputs of the circuit, its inputs are outputs. What nothing drives is 0.

use crate::prove::aiger::{Circuit, FormatError, Start, bad};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// The attribute of cells that are not looked into.
pub(super) const BOX: &str = "txbar_box";

/// Names of a register, and what it is at first.
pub(super) type Register = (Vec<String>, Start);

/// A circuit with names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Logic {
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Registers.
    pub registers: Vec<Register>,
    /// What has a name and is always the same: synthesis makes that of a register that may begin with any value and is only ever given one.
    pub constants: HashMap<String, bool>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Inputs, registers as latches, and the outputs in the place of what must never be 1; latches are taken as if they were 0 at first.
    pub circuit: Circuit,
}

#[derive(Deserialize)]
struct Design {
    modules: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    attributes: Attributes,
    ports: BTreeMap<String, Port>,
    cells: BTreeMap<String, Cell>,
    #[serde(default)]
    netnames: BTreeMap<String, Named>,
}

#[derive(Deserialize)]
struct Port {
    direction: Direction,
    bits: Vec<Bit>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Input,
    Output,
    Inout,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    attributes: Attributes,
    connections: BTreeMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    hide_name: u8,
    bits: Vec<Bit>,
    #[serde(default)]
    attributes: Attributes,
}

/// The attributes that matter.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Attributes {
    blackbox: Option<String>,
    txbar_box: Option<String>,
    init: Option<String>,
}

/// A bit of a module: one of its nets, or a constant.
#[derive(Clone, Copy)]
enum Bit {
    Net(u32),
    Constant(bool),
}

impl<'de> Deserialize<'de> for Bit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Bit;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the number of a net, or a constant")
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Bit, E> {
                u32::try_from(number).map(Bit::Net).map_err(E::custom)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Bit, E> {
                Ok(Bit::Constant(text == "1"))
            }
        }
        from.deserialize_any(Either)
    }
}

/// What a net of the whole is driven by.
#[derive(Clone, Copy)]
enum Driver {
    Nothing,
    Constant(bool),
    Net(u32),
    Gate(Gate, [u32; 3]),
    Input(u32),
    Register(u32),
}

/// A gate of those that Yosys' `techmap` makes.
#[derive(Clone, Copy)]
enum Gate {
    Not,
    And,
    Or,
    Xor,
    Mux,
}

impl Gate {
    /// The gate that a cell is.
    fn of(kind: &str) -> Option<Self> {
        let gates = [Gate::Not, Gate::And, Gate::Or, Gate::Xor, Gate::Mux];
        let names = ["$_NOT_", "$_AND_", "$_OR_", "$_XOR_", "$_MUX_"];
        names.iter().position(|name| *name == kind).map(|place| gates[place])
    }

    /// Its inputs. The last one of a multiplexer says which of the others it is: the second, if it is 1.
    fn pins(self) -> &'static [&'static str] {
        match self {
            Gate::Not => &["A"],
            Gate::Mux => &["A", "B", "S"],
            _ => &["A", "B"],
        }
    }
}

/// The nets that are constants.
const CONSTANTS: [Driver; 2] = [Driver::Constant(false), Driver::Constant(true)];
/// No net, and no literal.
const NONE: u32 = u32::MAX;
/// In the place of a literal: what it depends on is being looked for.
const WAITED_FOR: u32 = NONE - 1;

/// An instance of a module: what it is called, and which nets of the whole its own are.
struct Instance<'a> {
    path: String,
    module: &'a Module,
    nets: Vec<u32>,
}

impl Instance<'_> {
    /// The name of something in it.
    fn name(&self, own: &str) -> String {
        if self.path.is_empty() { own.to_owned() } else { format!("{}.{own}", self.path) }
    }
}

/// A whole that instances are added to.
struct Whole<'a> {
    design: &'a Design,
    drivers: Vec<Driver>,
    inputs: Vec<String>,
    outputs: Vec<(String, u32)>,
    /// The nets of each register: output, next value, clock.
    registers: Vec<[u32; 3]>,
    instances: Vec<Instance<'a>>,
}

impl Logic {
    /// Reads the design that Yosys has written as JSON.
    ///
    /// # Errors
    /// It is none; it has a cell that is neither a gate nor marked as a box, or more than one clock, or a loop.
    pub fn read(text: &str, top: &str) -> Result<Self, FormatError> {
        let design: Design = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        let module = design.modules.get(top).ok_or_else(|| bad(format!("there is no module `{top}`")))?;
        let (drivers, registers) = (CONSTANTS.to_vec(), vec![]);
        let mut whole =
            Whole { design: &design, drivers, inputs: vec![], outputs: vec![], registers, instances: vec![] };
        whole.fill(module)?;
        whole.one_clock()?;
        whole.circuit()
    }
}

impl<'a> Whole<'a> {
    /// Adds all instances.
    fn fill(&mut self, top: &'a Module) -> Result<(), FormatError> {
        let mut pins = HashMap::new();
        for (name, port) in top.ports.iter().filter(|(_, port)| port.direction == Direction::Input) {
            let nets = (0..port.bits.len()).map(|bit| self.input(bit_name(name, bit, port.bits.len()))).collect();
            pins.insert(name.as_str(), nets);
        }
        let top_instance = self.instance(String::new(), top, pins);
        for (name, port) in top.ports.iter().filter(|(_, port)| port.direction != Direction::Input) {
            for (number, bit) in port.bits.iter().enumerate() {
                let net = self.net(&top_instance, *bit);
                self.outputs.push((bit_name(name, number, port.bits.len()), net));
            }
        }
        let mut waiting = vec![top_instance];
        while let Some(instance) = waiting.pop() {
            for (name, cell) in &instance.module.cells {
                waiting.extend(self.cell(&instance, name, cell)?);
            }
            self.instances.push(instance);
        }
        Ok(())
    }

    /// A net that nothing drives yet.
    fn new_net(&mut self, driver: Driver) -> u32 {
        self.drivers.push(driver);
        self.drivers.len() as u32 - 1
    }

    /// An input of the whole.
    fn input(&mut self, name: String) -> u32 {
        self.inputs.push(name);
        self.new_net(Driver::Input(self.inputs.len() as u32 - 1))
    }

    /// The net of the whole that a bit of an instance is.
    fn net(&self, instance: &Instance, bit: Bit) -> u32 {
        match bit {
            Bit::Constant(value) => u32::from(value),
            Bit::Net(own) => instance.nets[own as usize],
        }
    }

    /// An instance of a module whose pins are connected to these nets.
    fn instance(&mut self, path: String, module: &'a Module, mut pins: HashMap<&str, Vec<u32>>) -> Instance<'a> {
        let bits = |named: &'a BTreeMap<String, Named>| named.values().flat_map(|named| &named.bits);
        let ports = module.ports.values().flat_map(|port| &port.bits);
        let cells = module.cells.values().flat_map(|cell| cell.connections.values().flatten());
        let own = |bit: &Bit| if let Bit::Net(own) = bit { *own as usize + 1 } else { 0 };
        let count = bits(&module.netnames).chain(ports).chain(cells).map(own).max().unwrap_or(0);
        let mut nets = vec![NONE; count];
        // inputs first: an output may be one of them, handed through
        for inputs in [true, false] {
            let ports = module.ports.iter().filter(|(_, port)| (port.direction == Direction::Input) == inputs);
            for (name, port) in ports {
                let outside = pins.remove(name.as_str()).unwrap_or_default();
                for (position, bit) in port.bits.iter().enumerate() {
                    let Some(&outer) = outside.get(position) else { continue };
                    match *bit {
                        Bit::Net(own) if nets[own as usize] == NONE => nets[own as usize] = outer,
                        Bit::Net(own) if !inputs => self.drivers[outer as usize] = Driver::Net(nets[own as usize]),
                        Bit::Constant(value) if !inputs => self.drivers[outer as usize] = Driver::Constant(value),
                        _ => {}
                    }
                }
            }
        }
        for net in nets.iter_mut().filter(|net| **net == NONE) {
            *net = self.new_net(Driver::Nothing);
        }
        Instance { path, module, nets }
    }

    /// A cell of an instance: an instance, if it is one of a module.
    fn cell(&mut self, within: &Instance<'a>, name: &str, cell: &'a Cell) -> Result<Option<Instance<'a>>, FormatError> {
        let pin = |pin: &str| -> Result<u32, FormatError> {
            let bit = cell.connections.get(pin).and_then(|bits| bits.first());
            bit.map(|bit| self.net(within, *bit)).ok_or_else(|| bad(format!("`{name}` has no pin `{pin}`")))
        };
        if let Some(gate) = Gate::of(&cell.kind) {
            let mut inputs = [0; 3];
            for (input, name) in inputs.iter_mut().zip(gate.pins()) {
                *input = pin(name)?;
            }
            let output = pin("Y")?;
            self.drivers[output as usize] = Driver::Gate(gate, inputs);
            return Ok(None);
        }
        match cell.kind.as_str() {
            "$_DFF_P_" => {
                let [held, next, clock] = [pin("Q")?, pin("D")?, pin("C")?];
                self.drivers[held as usize] = Driver::Register(self.registers.len() as u32);
                self.registers.push([held, next, clock]);
            }
            "$scopeinfo" => {}
            kind => {
                let name = within.name(name);
                let unknown = || bad(format!("`{name}` is a `{kind}`, which is neither a gate nor has a model"));
                let module = self.design.modules.get(kind).ok_or_else(unknown)?;
                let nets = |bits: &[Bit]| bits.iter().map(|bit| self.net(within, *bit)).collect::<Vec<_>>();
                let pins = cell.connections.iter().map(|(pin, bits)| (pin.as_str(), nets(bits)));
                let pins: HashMap<&str, Vec<u32>> = pins.collect();
                if cell.attributes.txbar_box.is_some() {
                    self.not_looked_into(&name, module, pins);
                } else if module.attributes.blackbox.is_some() {
                    return Err(unknown());
                } else {
                    return Ok(Some(self.instance(name, module, pins)));
                }
            }
        }
        Ok(None)
    }

    /// The pins of a cell that is not looked into.
    fn not_looked_into(&mut self, name: &str, module: &Module, mut pins: HashMap<&str, Vec<u32>>) {
        for (pin, port) in &module.ports {
            let nets = pins.remove(pin.as_str()).unwrap_or_default();
            let width = nets.len();
            for (bit, net) in nets.into_iter().enumerate() {
                let name = bit_name(&format!("{name}.{pin}"), bit, width);
                if port.direction == Direction::Input {
                    self.outputs.push((name, net));
                } else {
                    self.drivers[net as usize] = Driver::Input(self.inputs.len() as u32);
                    self.inputs.push(name);
                }
            }
        }
    }

    /// The net that a net is another name of.
    fn source(&self, mut net: u32) -> u32 {
        while let Driver::Net(other) = self.drivers[net as usize] {
            net = other;
        }
        net
    }

    /// All registers have one clock.
    fn one_clock(&self) -> Result<(), FormatError> {
        let mut clocks = self.registers.iter().map(|[_, _, clock]| self.source(*clock));
        let first = clocks.next();
        match clocks.all(|clock| Some(clock) == first) {
            true => Ok(()),
            false => Err(bad("there is more than one clock")),
        }
    }

    /// The gates.
    fn circuit(self) -> Result<Logic, FormatError> {
        let mut gates = Gates {
            whole: &self,
            literals: vec![NONE; self.drivers.len()],
            before: 1 + self.inputs.len() + self.registers.len(),
            gates: vec![],
            known: HashMap::new(),
        };
        let bad = self.outputs.iter().map(|(_, net)| gates.literal(*net)).collect::<Result<_, _>>()?;
        let latches = self.registers.iter().map(|[_, next, _]| gates.literal(*next)).collect::<Result<_, _>>()?;
        let circuit = Circuit { inputs: self.inputs.len(), latches, bad, constraints: vec![], gates: gates.gates };
        let (registers, constants) = self.named();
        Ok(Logic {
            inputs: self.inputs,
            registers,
            constants,
            outputs: self.outputs.into_iter().map(|(name, _)| name).collect(),
            circuit,
        })
    }

    /// What registers are called, and what they are at first; and what is called something and is a constant.
    fn named(&self) -> (Vec<Register>, HashMap<String, bool>) {
        let mut registers = vec![(vec![], Start::Any); self.registers.len()];
        let mut constants = HashMap::new();
        for instance in &self.instances {
            for (name, named) in &instance.module.netnames {
                for (position, bit) in named.bits.iter().enumerate() {
                    let name = || instance.name(&bit_name(name, position, named.bits.len()));
                    let number = match self.drivers[self.source(self.net(instance, *bit)) as usize] {
                        Driver::Register(number) => number,
                        Driver::Constant(value) if named.hide_name == 0 => {
                            constants.insert(name(), value);
                            continue;
                        }
                        _ => continue,
                    };
                    let (names, start) = &mut registers[number as usize];
                    if named.hide_name == 0 {
                        names.push(name());
                    }
                    // the last bit of the attribute is bit 0
                    let init = named.attributes.init.as_ref();
                    match init.and_then(|init| init.as_bytes().iter().rev().nth(position)) {
                        Some(b'0') => *start = Start::Zero,
                        Some(b'1') => *start = Start::One,
                        _ => {}
                    }
                }
            }
        }
        (registers, constants)
    }
}

/// What a bit of a signal is called.
fn bit_name(name: &str, bit: usize, width: usize) -> String {
    if width == 1 { name.to_owned() } else { format!("{name}[{bit}]") }
}

/// Gates that are made as they are needed, none of them twice.
struct Gates<'w, 'a> {
    whole: &'w Whole<'a>,
    /// The literal of each net, as far as it is known.
    literals: Vec<u32>,
    /// Variables before the first gate.
    before: usize,
    gates: Vec<[u32; 2]>,
    known: HashMap<[u32; 2], u32>,
}

impl Gates<'_, '_> {
    /// The literal of a net.
    fn literal(&mut self, net: u32) -> Result<u32, FormatError> {
        // a net stays on the stack, as one that is waited for, until what it depends on is known
        let mut stack = vec![net];
        while let Some(&net) = stack.last() {
            let of = |other: u32| self.literals[other as usize];
            let known = match self.whole.drivers[net as usize] {
                _ if of(net) < WAITED_FOR => of(net),
                Driver::Nothing => 0,
                Driver::Constant(value) => u32::from(value),
                Driver::Input(number) => 2 * (1 + number),
                Driver::Register(number) => 2 * (1 + self.whole.inputs.len() as u32 + number),
                Driver::Net(other) => match of(other) {
                    known if known < WAITED_FOR => known,
                    _ => {
                        self.wait(&mut stack, net, other)?;
                        continue;
                    }
                },
                Driver::Gate(gate, pins) => {
                    let missing = pins[..gate.pins().len()].iter().find(|pin| of(**pin) >= WAITED_FOR);
                    if let Some(&missing) = missing {
                        self.wait(&mut stack, net, missing)?;
                        continue;
                    }
                    self.gate(gate, pins.map(of))
                }
            };
            self.literals[net as usize] = known;
            stack.pop();
        }
        Ok(self.literals[net as usize])
    }

    /// A net waits for another.
    fn wait(&mut self, stack: &mut Vec<u32>, net: u32, missing: u32) -> Result<(), FormatError> {
        if self.literals[missing as usize] == WAITED_FOR {
            return Err(bad("a signal depends on itself"));
        }
        self.literals[net as usize] = WAITED_FOR;
        stack.push(missing);
        Ok(())
    }

    /// The output of a gate with these inputs.
    fn gate(&mut self, gate: Gate, [a, b, s]: [u32; 3]) -> u32 {
        match gate {
            Gate::Not => a ^ 1,
            Gate::And => self.and([a, b]),
            Gate::Or => self.and([a ^ 1, b ^ 1]) ^ 1,
            Gate::Xor => self.gate(Gate::Mux, [a, a ^ 1, b]),
            Gate::Mux => {
                let [first, second] = [self.and([a, s ^ 1]), self.and([b, s])];
                self.and([first ^ 1, second ^ 1]) ^ 1
            }
        }
    }

    /// The AND of two literals.
    fn and(&mut self, [left, right]: [u32; 2]) -> u32 {
        let pair = [left.max(right), left.min(right)];
        match pair {
            [_, 0] => 0,
            [left, 1] => left,
            [left, right] if left == right => left,
            [left, right] if left == right ^ 1 => 0,
            pair => *self.known.entry(pair).or_insert_with(|| {
                self.gates.push(pair);
                2 * (self.before + self.gates.len() - 1) as u32
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::aiger::words;

    /// A cell in the form that Yosys writes.
    fn cell(kind: &str, connections: &str) -> String {
        format!(r#"{{ "type": "{kind}", "connections": {{ {connections} }} }}"#)
    }

    /// `inner` registers the exclusive or of `a` and `b` in `q`, hands `a` through to `same` and drives `one` with 1. `top` has two of them in a row and
    /// a box between.
    fn design(second: &str) -> String {
        let xor = cell("$_XOR_", r#""A": [2], "B": [3], "Y": [5]"#);
        let register = cell("$_DFF_P_", r#""C": [4], "D": [5], "Q": [6]"#);
        let first = cell("inner", r#""a": [2], "b": [3], "clk": [4], "q": [5], "same": [6], "one": [7]"#);
        let between =
            r#"{ "type": "part", "attributes": { "txbar_box": "1" }, "connections": { "IN": [6, 7], "OUT": [8] } }"#;
        format!(
            r#"{{ "modules": {{
                "inner": {{
                    "ports": {{ "a": {{ "direction": "input", "bits": [2] }}, "b": {{ "direction": "input", "bits": [3] }},
                        "clk": {{ "direction": "input", "bits": [4] }}, "q": {{ "direction": "output", "bits": [6] }},
                        "same": {{ "direction": "output", "bits": [2] }}, "one": {{ "direction": "output", "bits": ["1"] }} }},
                    "cells": {{ "xor": {xor}, "register": {register} }},
                    "netnames": {{ "q": {{ "bits": [6], "attributes": {{ "init": "1" }} }}, "tied": {{ "bits": ["0", "1"] }} }}
                }},
                "part": {{ "attributes": {{ "blackbox": "1" }}, "cells": {{}},
                    "ports": {{ "IN": {{ "direction": "input", "bits": [2, 3] }}, "OUT": {{ "direction": "output", "bits": [4] }} }} }},
                "top": {{
                    "ports": {{ "a": {{ "direction": "input", "bits": [2, 3] }}, "clk": {{ "direction": "input", "bits": [4] }},
                        "y": {{ "direction": "output", "bits": [10] }} }},
                    "cells": {{ "first": {first}, "between": {between}, "second": {second} }}
                }}
            }} }}"#
        )
    }

    fn second() -> String {
        cell("inner", r#""a": [5], "b": [8], "clk": [4], "q": [10]"#)
    }

    #[test]
    fn instances_and_boxes_become_one_circuit() {
        let logic = Logic::read(&design(&second()), "top").expect("it is one");
        let Logic { inputs, registers, constants, outputs, circuit } = logic;
        assert_eq!(inputs, ["a[0]", "a[1]", "clk", "between.OUT"]);
        assert_eq!(outputs, ["y", "between.IN[0]", "between.IN[1]"]);
        let tied = ["first", "second"].map(|part| [0, 1].map(|bit| constants[&format!("{part}.tied[{bit}]")]));
        assert_eq!((tied, constants.len()), ([[false, true]; 2], 4));
        let mut named: Vec<(&str, Start)> =
            registers.iter().map(|(names, start)| (names[0].as_str(), *start)).collect();
        named.sort_by_key(|(name, _)| *name);
        assert_eq!(named, [("first.q", Start::One), ("second.q", Start::One)]);
        let mut held = vec![0; 2];
        let (mut first, mut second) = (0, 0);
        for [a, b, out] in [[0b1100, 0b1010, 0b0001], [0b1111, 0b0110, 0b1001], [0b0101, 0, 0b1111]] {
            let values = circuit.cycle([a, b, 0, out].into_iter(), &mut held);
            let seen: Vec<u64> = circuit.bad.iter().map(|output| words(&values, *output)).collect();
            assert_eq!(seen, [second, a, u64::MAX]);
            (first, second) = (a ^ b, first ^ out);
        }
    }

    #[test]
    fn what_is_no_circuit_is_told() {
        let said = |second: &str| Logic::read(&design(second), "top").expect_err("it is none").to_string();
        let other_clock = cell("inner", r#""a": [5], "b": [8], "clk": [2], "q": [10]"#);
        assert_eq!(said(&other_clock), "there is more than one clock");
        let loops = cell("$_AND_", r#""A": [5], "B": [10], "Y": [10]"#);
        assert_eq!(said(&loops), "a signal depends on itself");
        let unknown = cell("part", r#""IN": [5, 8], "OUT": [10]"#);
        assert_eq!(said(&unknown), "`second` is a `part`, which is neither a gate nor has a model");
        assert_eq!(said(&cell("$_AND_", r#""A": [5], "Y": [10]"#)), "`second` has no pin `B`");
        assert!(Logic::read(&design(&second()), "other").is_err() && Logic::read("{", "top").is_err());
    }

    #[test]
    fn gates_do_what_their_names_say() {
        let gates = ["$_NOT_", "$_AND_", "$_OR_", "$_XOR_", "$_MUX_"];
        let of: [fn([u64; 3]) -> u64; 5] =
            [|[a, _, _]| !a, |[a, b, _]| a & b, |[a, b, _]| a | b, |[a, b, _]| a ^ b, |[a, b, s]| (a & !s) | (b & s)];
        for (gate, of) in gates.iter().zip(of) {
            let gate = cell(gate, r#""A": [2], "B": [3], "S": [4], "Y": [5]"#);
            let text = format!(
                r#"{{ "modules": {{ "top": {{ "cells": {{ "gate": {gate} }}, "ports": {{ "p": {{ "direction": "input", "bits": [2, 3, 4] }},
                   "y": {{ "direction": "output", "bits": [5] }} }} }} }} }}"#
            );
            let circuit = Logic::read(&text, "top").expect("it is one").circuit;
            let inputs = [0b1010_1010, 0b1100_1100, 0b1111_0000];
            let values = circuit.cycle(inputs.into_iter(), &mut []);
            assert_eq!(words(&values, circuit.bad[0]), of(inputs), "{gate}");
        }
    }
}
