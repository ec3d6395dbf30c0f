//! Names in a body, and those that are not declared.
//!
//! A name has a stack of its meanings, the innermost on top, so that looking it up does not depend on how deeply scopes
//! are nested.

use crate::ast::{Base, Formal, Function, Instruction, Module, Operand, Registers, Spanned, Statement, Type, Variable};
use crate::program::nearest;
use crate::program::special::Special;
use crate::source::{Complaint, Span};
use std::collections::{HashMap, HashSet};

/// Meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Known<'a> {
    /// A register of this type; of this many elements.
    Register(Type, u32),
    /// A variable.
    Variable(&'a Variable),
    /// A special register.
    Special,
    /// A label, a list of labels or a function.
    Code,
}

/// A name; of many registers (`%r<5>`), if it is the beginning of their names.
type Key<'a> = (&'a str, bool);

/// Names known at a place.
#[derive(Default)]
pub(super) struct Names<'a> {
    meanings: HashMap<Key<'a>, Vec<Meaning<'a>>>,
    /// What each open scope has declared; the first is the module's.
    scopes: Vec<Vec<Key<'a>>>,
    /// Functions of the module.
    functions: HashSet<&'a str>,
    /// Labels and lists of labels of the function, wherever in it.
    labels: HashSet<&'a str>,
}

#[derive(Clone, Copy)]
struct Meaning<'a> {
    depth: usize,
    known: Known<'a>,
    /// How many there are.
    count: Option<u32>,
}

impl<'a> Names<'a> {
    /// The names of a module.
    pub fn of(module: &'a Module) -> Self {
        let mut names = Self::default();
        names.open();
        module.variables.iter().for_each(|variable| names.variable(variable));
        names.functions = module.functions.iter().map(|function| function.name.value.as_str()).collect();
        names
    }

    /// A function begins.
    pub fn enter(&mut self, function: &'a Function) {
        self.open();
        let labels = function.body.iter().flatten().filter_map(|statement| match statement {
            Statement::Label(name) | Statement::Targets { name, .. } => Some(name.value.as_str()),
            _ => None,
        });
        self.labels = labels.collect();
        for formal in function.results.iter().chain(&function.parameters) {
            match formal {
                Formal::Param(variable) => self.variable(variable),
                Formal::Register { name, ty } => self.declare(&name.value, None, Known::Register(*ty, 1)),
            }
        }
    }

    /// Leaves the scope.
    pub fn leave(&mut self) {
        while self.scopes.len() > 1 {
            self.close();
        }
    }

    /// Takes note of a statement.
    pub fn note(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Open(_) => self.open(),
            Statement::Close(_) if self.scopes.len() > 2 => self.close(),
            Statement::Registers(registers) => self.registers(registers),
            Statement::Variable(variable) => self.variable(variable),
            _ => {}
        }
    }

    fn open(&mut self) {
        self.scopes.push(Vec::new());
    }

    fn close(&mut self) {
        for key in self.scopes.pop().unwrap_or_default() {
            if let Some(stack) = self.meanings.get_mut(&key) {
                stack.pop();
            }
        }
    }

    fn registers(&mut self, registers: &'a Registers) {
        for (name, count) in &registers.names {
            self.declare(&name.value, *count, Known::Register(registers.ty, registers.vector));
        }
    }

    fn variable(&mut self, variable: &'a Variable) {
        self.declare(&variable.name.value, None, Known::Variable(variable));
    }

    fn declare(&mut self, name: &'a str, count: Option<u32>, known: Known<'a>) {
        let key = (name, count.is_some());
        self.meanings.entry(key).or_default().push(Meaning { depth: self.scopes.len(), known, count });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(key);
        }
    }

    /// What a name is here: `bar`, `%r12`, `%v.x`.
    pub fn find(&self, name: &str) -> Option<Known<'a>> {
        let element = || match name.rsplit_once('.') {
            Some((stem, "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a")) => match self.whole(stem)? {
                Known::Register(ty, 2..) => Some(Known::Register(ty, 1)),
                _ => None,
            },
            _ => None,
        };
        let other = || match name {
            _ if self.labels.contains(name) || self.functions.contains(name) => Some(Known::Code),
            _ => Special::read(name).map(|_| Known::Special),
        };
        self.whole(name).or_else(element).or_else(other)
    }

    /// Names of an instruction that are declared nowhere.
    pub fn undeclared(&self, instruction: &Instruction) -> Vec<Complaint> {
        // operands of these are parts of registers, textures and surfaces, and prototypes, which are not kept
        let opcode = instruction.opcode.value.as_str();
        let other = ["tex", "tld4", "su", "txq", "istypep"].iter().any(|begin| opcode.starts_with(begin));
        let video = opcode.starts_with('v') && opcode != "vote";
        if other && opcode != "sub" && opcode != "subc" || video {
            return Vec::new();
        }
        let mut said: Vec<(&str, Span)> = Vec::new();
        if let Some(guard) = &instruction.guard {
            said.push((&guard.register.value, guard.register.span));
        }
        let called = |operand: &&Spanned<Operand>| matches!(operand.value, Operand::Name(_));
        let prototype = opcode == "call" && instruction.operands.iter().filter(called).count() > 1;
        let operands = instruction.operands.len() - usize::from(prototype);
        for operand in instruction.operands.iter().take(operands) {
            collect(&operand.value, operand.span, &mut said);
        }
        said.retain(|(name, _)| *name != "WARP_SZ" && self.find(name).is_none());
        said.dedup_by_key(|(name, _)| *name);
        said.into_iter().map(|(name, span)| self.unknown(name, span)).collect()
    }

    fn unknown(&self, name: &str, span: Span) -> Complaint {
        let complaint =
            Complaint::new(span, format!("`{name}` is not declared"), "no register, variable or label here");
        let declared =
            self.meanings.iter().filter(|(_, stack)| !stack.is_empty()).flat_map(|((known, many), stack)| {
                let count = stack.last().and_then(|meaning| meaning.count).filter(|_| *many);
                let number = name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0);
                let number = count.map(|count| std::cmp::min(number, count.saturating_sub(1)));
                number.map_or(vec![(*known).to_owned()], |number| vec![format!("{known}{number}")])
            });
        let code = self.labels.iter().chain(&self.functions).map(|known| (*known).to_owned());
        match nearest(name, declared.chain(code).chain(Special::names())) {
            Some(near) => complaint.help(format!("did you mean `{near}`?")),
            None => complaint.help("declare it: a register with `.reg`, a variable with its state space"),
        }
    }

    fn whole(&self, name: &str) -> Option<Known<'a>> {
        let single = self.innermost(name, false);
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count().min(10); // of a u32
        let one_of_many = (1..=digits).find_map(|taken| {
            let (stem, number) = name.split_at(name.len() - taken); // before an ASCII digit
            let number: u32 = number.parse().ok().filter(|_| taken == 1 || !number.starts_with('0'))?;
            self.innermost(stem, true).filter(|many| many.count.is_some_and(|count| number < count))
        });
        single.into_iter().chain(one_of_many).max_by_key(|meaning| meaning.depth).map(|meaning| meaning.known)
    }

    fn innermost(&self, name: &str, many: bool) -> Option<Meaning<'a>> {
        self.meanings.get(&(name, many))?.last().copied()
    }
}

/// Every name of an operand.
fn collect<'o>(operand: &'o Operand, span: Span, names: &mut Vec<(&'o str, Span)>) {
    match operand {
        Operand::Name(name) | Operand::Sum(name, _) | Operand::Not(name) => names.push((name, span)),
        Operand::Address { base: Base::Name(name), .. } => names.push((name, span)),
        Operand::Compound(parts) | Operand::Vector(parts) | Operand::List(parts) => {
            parts.iter().for_each(|part| collect(&part.value, part.span, names));
        }
        Operand::Pair(both) => [&both.0, &both.1].into_iter().for_each(|one| collect(one, span, names)),
        Operand::Number(_) | Operand::Sink | Operand::Address { base: Base::Absolute(_), .. } => {}
    }
}

/// Alignment of a variable in bytes that is sure: what is said, or that of its type.
pub(super) fn alignment(variable: &Variable) -> u64 {
    match &variable.alignment {
        Some(said) => said.value,
        None => variable.ty.bytes().saturating_mul(u64::from(variable.vector)),
    }
}

/// Size of a variable in bytes; nothing if it is given at launch.
pub(super) fn bytes(variable: &Variable) -> Option<u64> {
    let element = variable.ty.bytes().saturating_mul(u64::from(variable.vector));
    Some(variable.count?.saturating_mul(element))
}
