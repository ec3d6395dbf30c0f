//! Finds signals that are one wire: where a kernel only passes one to the other, as from a block to a block inside it.
//!
//! ```text
//!   for k in 0..self.ports {
//!       self.lane[k].advance.next = self.advance.val();      nothing else drives it: lane_0.advance is the wire `advance`
//!   }
//!   self.valid.next = self.ask.val();                        driven twice: a wire of its own
//!   if self.stop.val() { self.valid.next = false; }
//!   for b in 0..self.banks {
//!       self.sum.next = self.bank[b].count.val() + 1;        a variable, in truth: what is passed on of it
//!       self.bank[b].total.next = self.sum.val();            is not what it is in the end
//!   }
//! ```
//! What the wire shows is what drives it. The simulator may be behind there: a queue that is empty does not look at its memory, so
//! the address that it gives it is old, which in the Verilog, and in a wave file, is that of the next entry.
//!
//! It is read off the syntax trees of the kernels, those that the Verilog is printed from, so it holds in every cycle that has
//! settled, of the hardware as it is written. It need not hold if somebody else writes to signals: a fault that is injected.

use std::collections::HashMap;
use txbar_rtl::hdl::ast::{
    Verilog, VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogStatement,
};
use txbar_rtl::hdl::{Name, place};

/// A signal, by the number of its value.
type Position = usize;

/// A block whose signals are being declared.
struct Block {
    name: Name,
    /// Its signals and the ports of blocks within it, as its kernels spell them.
    signals: HashMap<String, Position>,
    numbers: HashMap<String, usize>,
    kernels: Vec<VerilogBlock>,
}

/// Signals as they are declared, and which of them are passed on as which.
#[derive(Default)]
pub(crate) struct Wires {
    open: Vec<Block>,
    widths: Vec<usize>,
    /// For each signal the one that is passed on as it, if that is all that drives it.
    source: Vec<Option<Position>>,
}

impl Wires {
    /// A block begins.
    pub fn enter(&mut self, name: Name) {
        self.open.push(Block { name, signals: HashMap::new(), numbers: HashMap::new(), kernels: Vec::new() });
    }

    /// The next signal, the side `$d` or `$q` of a register or all of a signal (``). A port is seen in the block around, too.
    pub fn signal(&mut self, name: Name, side: &str, is_port: bool, width: usize) {
        let position = self.widths.len();
        self.widths.push(width);
        self.source.push(None);
        let spelled = name.in_kernel();
        let Some((inner, around)) = self.open.split_last_mut() else { return };
        inner.signals.insert(format!("{spelled}{side}"), position);
        if let Some(around) = around.last_mut().filter(|_| is_port) {
            around.signals.insert(format!("{}${spelled}{side}", inner.name.in_kernel()), position);
        }
    }

    /// A number of the block.
    pub fn number(&mut self, name: Name, value: usize) {
        if let Some(block) = self.open.last_mut() {
            block.numbers.insert(name.in_kernel(), value);
        }
    }

    /// A kernel of the block.
    pub fn kernel(&mut self, tree: Verilog) {
        if let (Some(block), Verilog::Combinatorial(kernel)) = (self.open.last_mut(), tree) {
            block.kernels.push(kernel);
        }
    }

    /// The block ends: everything that its kernels name is known.
    pub fn leave(&mut self) {
        let Some(block) = self.open.pop() else { return };
        let mut reader = Reader { block: &block, loops: Vec::new(), driven: HashMap::new(), copied: HashMap::new() };
        for kernel in &block.kernels {
            reader.copied.clear();
            reader.block(kernel, true);
        }
        for (target, source) in reader.driven {
            self.source[target] = source.filter(|source| self.widths[*source] == self.widths[target]);
        }
    }

    /// For each signal the one that is passed on as it, over however many others: itself, if it is driven in another way.
    pub fn drivers(&self) -> Vec<Position> {
        let count = self.source.len();
        let driver = |position| {
            // as many steps as there are signals would be a loop, which hardware has not
            let steps = std::iter::successors(Some(position), |position| self.source[*position]);
            steps.take(count).last().unwrap_or(position)
        };
        (0..count).map(driver).collect()
    }
}

/// Reads the kernels of a block.
struct Reader<'a> {
    block: &'a Block,
    loops: Vec<(&'a str, usize)>,
    /// What is driven: by another signal, if that is passed on and nothing else drives it.
    driven: HashMap<Position, Option<Position>>,
    /// What has been passed on in this kernel, and as what.
    copied: HashMap<Position, Vec<Position>>,
}

impl<'a> Reader<'a> {
    fn block(&mut self, block: &'a VerilogBlock, always: bool) {
        for statement in block {
            self.statement(statement, always);
        }
    }

    /// A statement that is executed in every cycle, or perhaps not.
    fn statement(&mut self, statement: &'a VerilogStatement, always: bool) {
        match statement {
            VerilogStatement::Assignment(target, value) => {
                let value = self.find(value).filter(|_| always);
                self.drive(target, value);
            }
            VerilogStatement::SliceAssignment { base, .. } => self.drive(base, None),
            VerilogStatement::If(conditional) => self.conditional(conditional),
            VerilogStatement::Match(choice) => choice.cases.iter().for_each(|case| self.block(&case.block, false)),
            VerilogStatement::Loop(over) => {
                for value in over.from.as_usize()..over.to.as_usize() {
                    self.loops.push((&over.index, value));
                    self.block(&over.block, always);
                    self.loops.pop();
                }
            }
            VerilogStatement::Macro(block) => self.block(block, always),
            VerilogStatement::Comment(_) | VerilogStatement::Link(_) => {}
        }
    }

    fn conditional(&mut self, conditional: &'a VerilogConditional) {
        self.block(&conditional.then, false);
        match &conditional.otherwise {
            VerilogBlockOrConditional::Block(block) => self.block(block, false),
            VerilogBlockOrConditional::Conditional(next) => self.statement(next, false),
            VerilogBlockOrConditional::None => {}
        }
    }

    fn drive(&mut self, target: &VerilogExpression, value: Option<Position>) {
        let Some(target) = self.find(target) else { return };
        self.driven.entry(target).and_modify(|driver| *driver = None).or_insert(value);
        if let Some(source) = value {
            self.copied.entry(source).or_default().push(target);
        }
        // it was passed on before, and is not any more what it was then
        for copy in self.copied.remove(&target).unwrap_or_default() {
            self.driven.insert(copy, None);
        }
    }

    /// The signal that an expression is, if it is no more than that.
    fn find(&self, expression: &VerilogExpression) -> Option<Position> {
        match expression {
            VerilogExpression::Paren(inner) => self.find(inner),
            VerilogExpression::Signal(name) => {
                let name = name.strip_suffix("$next").unwrap_or(name);
                let variable = |term: &str| self.loops.iter().rev().find(|(name, _)| *name == term);
                let fixed = |term: &str| {
                    let value = variable(term).map(|(_, value)| *value);
                    value.or_else(|| self.block.numbers.get(term).copied()).or_else(|| term.parse().ok())
                };
                self.block.signals.get(&place(name, &fixed)?).copied()
            }
            _ => None,
        }
    }
}
