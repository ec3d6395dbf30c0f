//! Functions that an entry may call, and the names they mention: only these take up shared memory.

use crate::ast::{Base, Initial, Module, Operand, Spanned, Statement};
use std::collections::{HashMap, HashSet};

/// Functions and names that an entry reaches.
#[derive(Debug)]
pub(crate) struct Reach<'m> {
    /// Numbers of the functions in the module; the entry first.
    pub functions: Vec<usize>,
    /// Every name in an operand of theirs or in an initial value.
    pub mentioned: HashSet<&'m str>,
}

impl<'m> Reach<'m> {
    /// What belongs to the entry with this number. `by_name` are the functions of the module.
    pub(crate) fn new(module: &'m Module, by_name: &HashMap<&'m str, usize>, entry: usize) -> Self {
        let mut reach = Reach { functions: vec![entry], mentioned: HashSet::new() };
        let mut known = HashSet::from([entry]);
        for initial in module.variables.iter().flat_map(|variable| &variable.initial) {
            if let Initial::Address { symbol, .. } = initial {
                reach.mentioned.insert(&symbol.value);
            }
        }
        let mut next = 0;
        while let Some(function) = reach.functions.get(next).and_then(|number| module.functions.get(*number)) {
            next += 1;
            for statement in function.body.iter().flatten() {
                let Statement::Instruction(instruction) = statement else { continue };
                reach.mention(&instruction.operands);
                if instruction.opcode.value != "call" {
                    continue;
                }
                for operand in &instruction.operands {
                    if let Operand::Name(name) = &operand.value
                        && let Some(number) = by_name.get(name.as_str())
                        && module.functions.get(*number).is_some_and(|callee| callee.body.is_some())
                        && known.insert(*number)
                    {
                        reach.functions.push(*number);
                    }
                }
            }
        }
        reach
    }

    /// Notes the names of operands. Operands nest, so what is still to be looked at is kept in a list.
    fn mention(&mut self, operands: &'m [Spanned<Operand>]) {
        let mut left: Vec<&'m Operand> = operands.iter().map(|operand| &operand.value).collect();
        while let Some(operand) = left.pop() {
            match operand {
                Operand::Name(name) | Operand::Sum(name, _) | Operand::Not(name) => {
                    self.mentioned.insert(name);
                }
                Operand::Address { base: Base::Name(name), .. } => {
                    self.mentioned.insert(name);
                }
                Operand::Compound(parts) | Operand::Vector(parts) | Operand::List(parts) => {
                    left.extend(parts.iter().map(|part| &part.value));
                }
                Operand::Pair(both) => left.extend([&both.0, &both.1]),
                Operand::Address { base: Base::Absolute(_), .. } | Operand::Number(_) | Operand::Sink => {}
            }
        }
    }
}

/// Functions of a module by name; of several declarations the one that has a body.
pub(crate) fn functions_by_name(module: &Module) -> HashMap<&str, usize> {
    let mut by_name = HashMap::new();
    for (number, function) in module.functions.iter().enumerate() {
        let seen = by_name.entry(function.name.value.as_str()).or_insert(number);
        if function.body.is_some() && module.functions.get(*seen).is_some_and(|other| other.body.is_none()) {
            *seen = number;
        }
    }
    by_name
}
