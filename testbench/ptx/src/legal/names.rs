//! What the names of a body are, as far as barrier instructions care: registers and variables. Any other name, and one
//! that is not declared, is unknown here; whoever executes the instruction will tell.
//!
//! A name has a stack of its meanings, the innermost on top, so that looking it up does not depend on how deeply scopes
//! are nested.

use crate::ast::{Formal, Function, Module, Registers, Statement, Type, Variable};
use std::collections::HashMap;

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Known<'a> {
    /// A register of this type; of so many elements.
    Register(Type, u32),
    /// A variable.
    Variable(&'a Variable),
}

/// A name; of many registers (`%r<5>`), if it is the beginning of their names.
type Key<'a> = (&'a str, bool);

/// Names known at a place.
#[derive(Default)]
pub(super) struct Names<'a> {
    meanings: HashMap<Key<'a>, Vec<Meaning<'a>>>,
    /// What each open scope has declared; the first is the module's.
    scopes: Vec<Vec<Key<'a>>>,
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
        names
    }

    /// A function begins.
    pub fn enter(&mut self, function: &'a Function) {
        self.open();
        for formal in function.results.iter().chain(&function.parameters) {
            match formal {
                Formal::Param(variable) => self.variable(variable),
                Formal::Register { name, ty } => self.declare(&name.value, None, Known::Register(*ty, 1)),
            }
        }
    }

    /// It ends.
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
        self.whole(name).or_else(element)
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
