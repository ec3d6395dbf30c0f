//! Kernels as Verilog text: statements, names, and which bits of which net are read.

use super::netlist::{Module, Net};
use super::operators::{FALSE, TRUE, Text, literal_value, without_outer};
use crate::names::Code;
use crate::{Names, Widths, place};
use rust_hdl_core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogOp, VerilogStatement,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Prints the kernels of one module.
pub struct Printer<'a> {
    pub(super) module: &'a Module,
    widths: &'a dyn Widths,
    known: &'a Names,
    loops: Vec<(String, u64)>,
    /// Constants that were named.
    pub used: RefCell<BTreeSet<String>>,
    /// Codes that were named.
    pub codes: RefCell<BTreeSet<Code>>,
    /// Nets that were read: which of their bits.
    pub read: RefCell<BTreeMap<String, u64>>,
    /// Nets that the kernel which is being printed drives, and the nets that it takes to say what they are driven with.
    pub driven: BTreeMap<String, BTreeSet<String>>,
    /// Nets that were read since the last statement.
    reading: RefCell<BTreeSet<String>>,
    /// What decides whether the statement that is being printed is executed: the nets of each condition around it.
    under: Vec<BTreeSet<String>>,
}

impl<'a> Printer<'a> {
    /// A printer for `module`, of a design that has these names.
    pub fn new(module: &'a Module, widths: &'a dyn Widths, known: &'a Names) -> Self {
        Self {
            module,
            widths,
            known,
            loops: Vec::new(),
            used: RefCell::default(),
            codes: RefCell::default(),
            read: RefCell::default(),
            driven: BTreeMap::new(),
            reading: RefCell::default(),
            under: Vec::new(),
        }
    }

    /// A kernel's statements.
    pub fn block(&mut self, block: &VerilogBlock, indent: usize, out: &mut String) {
        for statement in block {
            self.statement(statement, indent, out);
        }
    }

    fn statement(&mut self, statement: &VerilogStatement, indent: usize, out: &mut String) {
        let pad = "  ".repeat(indent);
        match statement {
            VerilogStatement::Assignment(left, right) => {
                let net = self.target(left);
                let value = self.expression(right).at(net.width);
                writeln!(out, "{pad}{} = {};", net.name, without_outer(&value)).expect("writing to a String");
                self.note_driven(&net.name);
            }
            VerilogStatement::If(conditional) => self.conditional(conditional, indent, out),
            VerilogStatement::Loop(over) => {
                for value in over.from.as_usize()..over.to.as_usize() {
                    self.loops.push((over.index.clone(), value as u64));
                    self.block(&over.block, indent, out);
                    self.loops.pop();
                }
            }
            VerilogStatement::Macro(block) => self.block(block, indent, out),
            VerilogStatement::Comment(text) => writeln!(out, "{pad}// {text}").expect("writing to a String"),
            other => panic!("{}: no Verilog for {other:?}", self.module.kind),
        }
    }

    fn conditional(&mut self, conditional: &VerilogConditional, indent: usize, out: &mut String) {
        let pad = "  ".repeat(indent);
        let test = self.condition(conditional);
        if test == TRUE || test == FALSE {
            self.under.pop();
            // decided at elaboration, by loop variables or parameters: what is not there needs no text
            let none = matches!(conditional.otherwise, VerilogBlockOrConditional::None);
            assert!(none, "{}: a condition that is fixed has no `else`", self.module.kind);
            if test == TRUE {
                self.block(&conditional.then, indent, out);
            }
            return;
        }
        write!(out, "{pad}").expect("writing to a String");
        self.chain(&test, conditional, indent, out);
        self.under.pop();
    }

    /// The condition, which those statements are under that are printed until it is taken away.
    fn condition(&mut self, conditional: &VerilogConditional) -> String {
        let test = self.expression(&conditional.test).at(1);
        let nets = self.taken();
        self.under.push(nets);
        test
    }

    /// `if ... else if ...`, from the first `if` on, which has been indented.
    fn chain(&mut self, test: &str, conditional: &VerilogConditional, indent: usize, out: &mut String) {
        let pad = "  ".repeat(indent);
        writeln!(out, "if ({}) begin", without_outer(test)).expect("writing to a String");
        self.block(&conditional.then, indent + 1, out);
        match &conditional.otherwise {
            VerilogBlockOrConditional::None => writeln!(out, "{pad}end").expect("writing to a String"),
            VerilogBlockOrConditional::Block(block) => {
                writeln!(out, "{pad}end else begin").expect("writing to a String");
                self.block(block, indent + 1, out);
                writeln!(out, "{pad}end").expect("writing to a String");
            }
            VerilogBlockOrConditional::Conditional(next) => {
                let VerilogStatement::If(next) = next.as_ref() else { unreachable!("`else if` holds an if") };
                write!(out, "{pad}end else ").expect("writing to a String");
                let test = self.condition(next);
                self.chain(&test, next, indent, out);
                self.under.pop();
            }
        }
    }

    fn target(&self, expression: &VerilogExpression) -> &'a Net {
        let VerilogExpression::Signal(name) = expression else {
            panic!("{}: {expression:?} cannot be assigned", self.module.kind)
        };
        let name = self.resolve(name.strip_suffix("$next").unwrap_or(name));
        self.net(&name).unwrap_or_else(|| panic!("{}: `{name}` is assigned but not declared", self.module.kind))
    }

    fn net(&self, name: &str) -> Option<&'a Net> {
        self.module.names.get(name).map(|position| &self.module.nets[*position])
    }

    /// Replaces what is fixed at elaboration in `queue[k]$push`, `adder[c]$term[k]` or `words[w+2]`.
    fn resolve(&self, name: &str) -> String {
        place(name, &|term| Some(self.fixed(term) as usize)).expect("an index is closed")
    }

    /// A loop variable, a number of the module, or a literal.
    fn fixed(&self, term: &str) -> u64 {
        let known = self.loop_value(term).or_else(|| self.module.numbers.get(term).copied());
        known.or_else(|| term.parse().ok()).unwrap_or_else(|| panic!("{}: `{term}` is not fixed", self.module.kind))
    }

    fn loop_value(&self, name: &str) -> Option<u64> {
        self.loops.iter().rev().find(|(variable, _)| variable == name).map(|(_, value)| *value)
    }

    fn name(&self, spelled: &str) -> Text {
        if let Some(value) = self.loop_value(spelled) {
            return Text::Number(value);
        }
        let name = self.resolve(spelled);
        if let Some(net) = self.net(&name) {
            return Text::Name { text: net.name.clone(), width: net.width, vector: net.vector };
        }
        if let Some(value) = self.module.numbers.get(&name) {
            return Text::Number(*value);
        }
        if let Some(constant) = self.module.constants.iter().find(|constant| constant.name == name) {
            self.used.borrow_mut().insert(name.clone());
            return Text::Name { text: name, width: constant.width, vector: true };
        }
        if let Some(value) = self.known.find_number(&name) {
            return Text::Number(value as u64);
        }
        let Some(code) = self.known.find_code(&name) else { panic!("{}: `{name}` is not declared", self.module.kind) };
        self.codes.borrow_mut().insert(code.clone());
        Text::Name { text: code.name.clone(), width: code.width, vector: true }
    }

    fn expression(&self, expression: &VerilogExpression) -> Text {
        match expression {
            VerilogExpression::Signal(name) => {
                let name = self.name(name);
                self.note_read(&name, u64::MAX);
                name
            }
            VerilogExpression::Literal(literal) => Text::Number(literal_value(literal)),
            VerilogExpression::Paren(inner) => self.expression(inner),
            VerilogExpression::Cast(inner, bits) => self.cast(self.expression(inner), self.widths.of_type(*bits)),
            VerilogExpression::Binary(left, operator @ (VerilogOp::Shl | VerilogOp::Shr), by) => {
                let (value, by) = (self.selected(left), self.expression(by));
                if let (Some(width), Text::Number(by)) = (value.width(), &by) {
                    let all = u64::MAX >> (64 - width);
                    let stays = if matches!(operator, VerilogOp::Shl) { all >> by } else { all & all << by };
                    self.note_read(&value, stays);
                }
                self.binary(value, operator, by)
            }
            VerilogExpression::Binary(left, operator, right) => {
                let left = self.expression(left);
                // what is decided at elaboration keeps the other side from being read
                match (&left, operator) {
                    (Text::Compound { text, .. }, VerilogOp::BitAnd) if text == FALSE => left,
                    _ => self.binary(left, operator, self.expression(right)),
                }
            }
            VerilogExpression::Unary(operator, inner) => self.unary(operator, self.expression(inner)),
            VerilogExpression::Index(target, index) => {
                let (target, index) = (self.selected(target), self.expression(index));
                self.note_read(&target, if let Text::Number(bit) = index { 1 << bit } else { u64::MAX });
                self.index(target, index)
            }
            VerilogExpression::Slice(target, bits, offset) => {
                let Text::Number(lsb) = self.expression(offset) else { panic!("slices begin at a fixed bit") };
                let (target, width) = (self.selected(target), self.widths.of_type(*bits));
                self.note_read(&target, u64::MAX >> (64 - width) << lsb);
                self.slice(target, width, lsb as usize)
            }
            other => panic!("{}: no Verilog for {other:?}", self.module.kind),
        }
    }

    /// A signal of which bits are selected: those are the ones that are read.
    fn selected(&self, target: &VerilogExpression) -> Text {
        match target {
            VerilogExpression::Signal(name) => self.name(name),
            VerilogExpression::Paren(inner) => self.selected(inner),
            other => self.expression(other),
        }
    }

    fn note_read(&self, text: &Text, bits: u64) {
        if let Text::Name { text, .. } = text {
            *self.read.borrow_mut().entry(text.clone()).or_default() |= bits;
            self.reading.borrow_mut().insert(text.clone());
        }
    }

    /// What was read since the last statement; in the place of what this kernel drove itself, what that took.
    fn taken(&mut self) -> BTreeSet<String> {
        let mut nets = BTreeSet::new();
        for net in self.reading.take() {
            match self.driven.get(&net) {
                Some(through) => nets.extend(through.iter().cloned()),
                None => drop(nets.insert(net)),
            }
        }
        nets
    }

    /// A net is driven with what was read since the last statement, in every cycle or under conditions.
    fn note_driven(&mut self, net: &str) {
        let mut nets = self.taken();
        if !self.under.is_empty() {
            nets.extend(self.under.iter().flatten().cloned());
            nets.extend(self.driven.remove(net).unwrap_or_default());
        }
        self.driven.insert(net.to_owned(), nets);
    }
}
