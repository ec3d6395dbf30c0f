//! Kernels as Verilog text: every expression at its exact width.
//!
//! rust-hdl's syntax tree has no types, but Rust has checked them: both sides of an operator have the same width, and a
//! literal takes the width of the other side. So widths are found bottom up from the declarations, and whatever does not
//! fit is a defect of the exporter or of a kernel, which stops the export with the name of the place.

use super::netlist::{Module, Net};
use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogLiteral, VerilogOp,
    VerilogOpUnary, VerilogStatement,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use txbar_rtl::board::protocol;
use txbar_rtl::cluster::{self, messages};
use txbar_rtl::counters;
use txbar_rtl::deep;
use txbar_rtl::hdl::{Symbol, place};
use txbar_rtl::op::Op;
use txbar_rtl::order::Order;
use txbar_rtl::parameters::Design;
use txbar_rtl::status::Status;
use txbar_rtl::word;

/// What comparisons of two fixed numbers come to.
const TRUE: &str = "1'b1";
const FALSE: &str = "1'b0";

/// An expression in Verilog.
#[derive(Clone, Debug)]
enum Text {
    /// A number whose width follows from where it stands.
    Number(u64),
    /// A net or constant, which can be sliced.
    Name { text: String, width: usize, vector: bool },
    /// Anything else; `text` needs no parentheses.
    Compound { text: String, width: usize },
}

impl Text {
    fn width(&self) -> Option<usize> {
        match self {
            Text::Number(_) => None,
            Text::Name { width, .. } | Text::Compound { width, .. } => Some(*width),
        }
    }

    /// The text at a width that the expression already has, or takes.
    fn at(&self, width: usize) -> String {
        match self {
            Text::Number(value) => sized(*value, width),
            Text::Name { text, width: own, .. } | Text::Compound { text, width: own } => {
                assert_eq!(*own, width, "`{text}` has {own} bits where {width} are needed");
                text.clone()
            }
        }
    }
}

/// `20'h1f`, or `1'b1` for a wire.
pub fn sized(value: u64, width: usize) -> String {
    assert!(width == 64 || value < 1 << width, "{value} does not fit {width} bits");
    match width {
        1 => format!("1'b{value}"),
        _ if value < 10 => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

/// A number of the one definition of word, opcodes and statuses, as kernels spell it: `word::PENDING.lsb`.
fn defined_number(name: &str) -> Option<usize> {
    match name {
        "parameters$RANK_LSB" => Some(cluster::parameters::RANK_LSB),
        "parameters$ABOVE_LSB" => Some(cluster::parameters::ABOVE_LSB),
        "word$COUNT_BITS" => Some(word::COUNT_BITS),
        "word$TX_BITS" => Some(word::TX_BITS),
        "word$TX_SIGN" => Some(word::TX_SIGN),
        "counters$WINDOW_BIT" => Some(counters::WINDOW_BIT),
        "counters$WINDOW_REST" => Some(counters::WINDOW_REST),
        "Order$ACQUIRE" => Some(Order::ACQUIRE),
        "Order$RELEASE" => Some(Order::RELEASE),
        "Order$CLUSTER" => Some(Order::CLUSTER),
        "Op$BITS" => Some(Op::BITS),
        "Status$BITS" => Some(Status::BITS),
        _ => {
            let mut numbers = messages::NUMBERS.iter().chain(protocol::NUMBERS);
            if let Some((_, lsb)) = numbers.find(|(known, _)| *known == name) {
                return Some(*lsb);
            }
            if let Some(position) = name.strip_prefix("kind$").and_then(deep::kind::position) {
                return Some(position);
            }
            let (field, part) = name.strip_prefix("word$")?.split_once('$')?;
            let field = word::FIELDS.into_iter().find(|known| known.name.to_uppercase() == field)?;
            match part {
                "lsb" => Some(field.lsb),
                "bits" => Some(field.bits),
                _ => None,
            }
        }
    }
}

/// `STATUS_OK`, `OP_LOAD`: how a code is called in Verilog.
pub fn code_name(kind: &str, name: &str) -> String {
    format!("{kind}_{}", name.to_uppercase())
}

/// Prints the kernels of one module.
pub struct Printer<'a> {
    module: &'a Module,
    parameters: &'a dyn Design,
    loops: Vec<(String, u64)>,
    /// Constants that were named.
    pub used: RefCell<BTreeSet<String>>,
    /// Codes that were named: name, width, value.
    pub codes: RefCell<BTreeSet<(String, usize, u64)>>,
    /// Nets that were read: which of their bits.
    pub read: RefCell<BTreeMap<String, u64>>,
    /// Nets that the kernel which is being printed drives.
    pub driven: BTreeSet<String>,
}

impl<'a> Printer<'a> {
    /// A printer for `module`.
    pub fn new(module: &'a Module, parameters: &'a dyn Design) -> Self {
        Self {
            module,
            parameters,
            loops: Vec::new(),
            used: RefCell::default(),
            codes: RefCell::default(),
            read: RefCell::default(),
            driven: BTreeSet::new(),
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
                self.driven.insert(net.name.clone());
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
        let test = self.expression(&conditional.test).at(1);
        if test == TRUE || test == FALSE {
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
                let test = self.expression(&next.test).at(1);
                self.chain(&test, next, indent, out);
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

    /// Replaces what is fixed at elaboration in `queue[k]$push`, `combine[c]$op[k]` or `words[w+2]`.
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
        if let Some(value) = defined_number(&name) {
            return Text::Number(value as u64);
        }
        let code = match name.split_once('$') {
            Some(("Op", variant)) => Op::ALL
                .iter()
                .find(|op| format!("{op:?}") == variant)
                .map(|op| (code_name("OP", op.name()), Op::BITS, op.code() as u64)),
            Some(("Status", variant)) => Status::ALL
                .iter()
                .find(|status| format!("{status:?}") == variant)
                .map(|status| (code_name("STATUS", status.name()), Status::BITS, status.code() as u64)),
            _ => None,
        };
        let Some((text, width, value)) = code else { panic!("{}: `{name}` is not declared", self.module.kind) };
        self.codes.borrow_mut().insert((text.clone(), width, value));
        Text::Name { text, width, vector: true }
    }

    fn width_of(&self, code: usize) -> usize {
        Symbol::from_code(code).map_or(code, |symbol| self.parameters.width(symbol))
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
            VerilogExpression::Cast(inner, bits) => self.cast(self.expression(inner), self.width_of(*bits)),
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
                let (target, width) = (self.selected(target), self.width_of(*bits));
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
        }
    }

    fn cast(&self, inner: Text, width: usize) -> Text {
        match inner.width() {
            None => Text::Compound { text: inner.at(width), width },
            Some(own) if own == width => inner,
            Some(own) if own < width => {
                let text = format!("{{{}, {}}}", sized(0, width - own), without_outer(&inner.at(own)));
                Text::Compound { text, width }
            }
            Some(_) => self.slice(inner, width, 0),
        }
    }

    fn slice(&self, target: Text, width: usize, lsb: usize) -> Text {
        let Text::Name { text, width: own, .. } = target else {
            panic!("{}: only a signal can be sliced, not `{target:?}`: give it a name", self.module.kind)
        };
        assert!(lsb + width <= own, "`{text}` has no bits {} to {lsb}", lsb + width - 1);
        let text = match width {
            _ if width == own => text,
            1 => format!("{text}[{lsb}]"),
            _ => format!("{text}[{}:{lsb}]", lsb + width - 1),
        };
        Text::Compound { text, width }
    }

    fn index(&self, target: Text, index: Text) -> Text {
        let Text::Name { text, width, vector } = target else {
            panic!("{}: only a signal has bits to select, not `{target:?}`", self.module.kind)
        };
        let text = match index {
            Text::Number(position) => {
                assert!((position as usize) < width, "`{text}` has no bit {position}");
                if vector { format!("{text}[{position}]") } else { text }
            }
            Text::Name { text: by, .. } | Text::Compound { text: by, .. } => format!("{text}[{by}]"),
        };
        Text::Compound { text, width: 1 }
    }

    fn unary(&self, operator: &VerilogOpUnary, inner: Text) -> Text {
        let own = inner.width().expect("only signals are inverted or reduced");
        let (symbol, width) = match operator {
            VerilogOpUnary::Not => ("~", own),
            VerilogOpUnary::All => ("&", 1),
            VerilogOpUnary::Any => ("|", 1),
            VerilogOpUnary::Xor => ("^", 1),
            VerilogOpUnary::Neg => ("-", own),
        };
        Text::Compound { text: format!("({symbol}{})", inner.at(own)), width }
    }

    fn binary(&self, left: Text, operator: &VerilogOp, right: Text) -> Text {
        use VerilogOp::*;
        if let (Text::Number(a), Text::Number(b)) = (&left, &right) {
            return Text::Number(match operator {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Lt | Eq => {
                    let holds = if let Lt = operator { a < b } else { a == b };
                    return Text::Compound { text: (if holds { TRUE } else { FALSE }).to_owned(), width: 1 };
                }
                _ => panic!("{}: {operator:?} of two fixed numbers", self.module.kind),
            });
        }
        if let Shl | Shr = operator {
            let Text::Number(by) = right else { panic!("{}: shifts are by a fixed number of bits", self.module.kind) };
            return self.shift(left, matches!(operator, Shl), by as usize);
        }
        if let BitAnd = operator {
            // one side may be decided at elaboration
            for (decided, other) in [(&left, &right), (&right, &left)] {
                match decided {
                    Text::Compound { text, .. } if text == FALSE => return decided.clone(),
                    Text::Compound { text, .. } if text == TRUE => return other.clone(),
                    _ => {}
                }
            }
        }
        let own = left.width().or(right.width()).expect("one side is no number");
        let (symbol, width) = match operator {
            Add => ("+", own),
            Sub => ("-", own),
            Mul => ("*", own),
            BitAnd => ("&", own),
            BitOr => ("|", own),
            BitXor => ("^", own),
            LogicalAnd => ("&&", own),
            LogicalOr => ("||", own),
            Eq => ("==", 1),
            Ne => ("!=", 1),
            Lt => ("<", 1),
            Le => ("<=", 1),
            Gt => (">", 1),
            Ge => (">=", 1),
            Shl | Shr => unreachable!("handled above"),
        };
        Text::Compound { text: format!("({} {symbol} {})", left.at(own), right.at(own)), width }
    }

    /// A shift by a fixed number of bits: a concatenation where that is possible, as people write it.
    fn shift(&self, value: Text, up: bool, by: usize) -> Text {
        let width = value.width().expect("numbers are not shifted");
        match value {
            Text::Name { .. } if by == 0 => value,
            // a width that follows from the parameters may be less than a fixed shift
            _ if by >= width => Text::Compound { text: sized(0, width), width },
            Text::Name { .. } if up => {
                let kept = self.slice(value, width - by, 0).at(width - by);
                Text::Compound { text: format!("{{{kept}, {}}}", sized(0, by)), width }
            }
            Text::Name { .. } => {
                let kept = self.slice(value, width - by, by).at(width - by);
                Text::Compound { text: format!("{{{}, {kept}}}", sized(0, by)), width }
            }
            _ => {
                let symbol = if up { "<<" } else { ">>" };
                Text::Compound { text: format!("({} {symbol} {by})", value.at(width)), width }
            }
        }
    }
}

/// An expression that stands alone needs no parentheses around it.
fn without_outer(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for c in inner.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return text; // the outer two do not belong together
        }
    }
    inner
}

/// rust-hdl shows a literal's value only as Verilog text: `32'h1f`, `3'b101`.
fn literal_value(literal: &VerilogLiteral) -> u64 {
    let text = literal.to_string();
    let (_, digits) = text.split_once('\'').expect("a literal has a width");
    let radix = match digits.as_bytes()[0] {
        b'h' => 16,
        _ => 2,
    };
    u64::from_str_radix(&digits[1..], radix).expect("kernels hold no literals above 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_keep_their_value() {
        for value in [0u64, 1, 0x1f, 0xffff_ffff, 0x8000_0000_0000_0000, u64::MAX] {
            assert_eq!(literal_value(&value.into()), value);
        }
        assert_eq!(literal_value(&true.into()), 1);
        assert_eq!(literal_value(&5i32.into()), 5);
    }

    #[test]
    fn outer_parentheses_are_dropped_only_if_they_are_a_pair() {
        assert_eq!(without_outer("(a + b)"), "a + b");
        assert_eq!(without_outer("(a) + (b)"), "(a) + (b)");
        assert_eq!(without_outer("a"), "a");
    }
}
