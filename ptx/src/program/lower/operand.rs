//! Operands: registers become slots, variables addresses; each is checked against the instruction.

use crate::ast::{Base, Instruction, Operand, Space, Spanned, Type};
use crate::program::code::{Address, Target, Value, Where};
use crate::program::layout::RESERVED_SHARED;
use crate::program::lower::{Body, Lowered, Refusal};
use crate::program::names::{Found, Meaning, Register};
use crate::program::{literal, types};
use crate::source::{Complaint, Span};

/// Registers of a frame at most.
const MOST_SLOTS: u32 = 1 << 16;

/// Whether a register has to be as wide as the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Yes.
    Exact,
    /// Registers may be wider (9.4.1): `ld`, `st`, `cvt`.
    Wider,
}

/// The complaint about an operand that is something else than it has to be.
fn unfit(span: Span, message: impl Into<String>, label: impl Into<String>) -> Refusal {
    Refusal::Wrong(Complaint::new(span, message, label))
}

/// What an operand is, with an article.
fn describe(operand: &Operand) -> &'static str {
    match operand {
        Operand::Name(_) => "a name",
        Operand::Sum(..) => "a sum",
        Operand::Not(_) => "a negated predicate",
        Operand::Number(_) => "a number",
        Operand::Address { .. } => "an address",
        Operand::Compound(_) => "an address of several parts",
        Operand::Vector(_) => "a vector",
        Operand::Pair(_) => "a pair",
        Operand::List(_) => "a list",
        Operand::Sink => "nothing",
    }
}

impl<'m> Body<'_, 'm> {
    /// A slot that no register of the text has.
    pub(crate) fn hidden_slot(&mut self) -> u32 {
        self.slot_count += 1;
        self.slot_count - 1
    }

    /// The slot of a register; registers that nothing mentions have none.
    fn slot(&mut self, register: Register, span: Span) -> Lowered<u32> {
        if let Some(slot) = self.slots.get(&register) {
            return Ok(*slot);
        }
        if self.slot_count >= MOST_SLOTS {
            let message = format!("the function uses more than {MOST_SLOTS} registers");
            return Err(unfit(span, message, "is one too many"));
        }
        let slot = self.slot_count;
        self.slot_count += 1;
        self.slots.insert(register, slot);
        Ok(slot)
    }

    /// Whether a register of one type can be an operand of another.
    fn check(&self, name: &str, span: Span, have: Type, need: Type, fit: Fit) -> Lowered<()> {
        let (has, needs) = (have.bits(), need.bits());
        let predicates = (have == Type::Pred) == (need == Type::Pred);
        if predicates && (has == needs || fit == Fit::Wider && has > needs) {
            return Ok(());
        }
        let what = |ty, bits| match ty {
            Type::Pred => "a predicate".to_string(),
            _ => format!("{bits} bits"),
        };
        let message = format!("`{name}` does not fit: .{} is needed", need.name());
        let label = format!("is .{}: {}, not {}", have.name(), what(have, has), what(need, needs));
        Err(unfit(span, message, label))
    }

    /// An operand that is read as a value of a type.
    pub(crate) fn value(&mut self, operand: &Spanned<Operand>, ty: Type, fit: Fit) -> Lowered<Value> {
        let span = operand.span;
        match &operand.value {
            Operand::Name(name) if name == "WARP_SZ" => Ok(Value::Constant(32)),
            Operand::Name(name) => self.named_value(name, span, ty, fit),
            Operand::Sum(name, offset) => match self.names.find(name, span)? {
                Found::Other(Meaning::Variable { address, .. }) => match address {
                    Value::Local { offset: at, window } => {
                        Ok(Value::Local { offset: at.wrapping_add(*offset as u32), window })
                    }
                    Value::Constant(address) => {
                        self.fixed_address(name, address.wrapping_add_signed(*offset), span, ty)
                    }
                    other => Ok(other),
                },
                Found::Other(Meaning::Elsewhere) => Err(self.elsewhere(name, span)),
                _ => Err(unfit(span, format!("`{name}` is no variable"), "only an address can be added to")),
            },
            Operand::Not(name) => match self.names.find(name, span)? {
                Found::Register(register, Type::Pred) if ty == Type::Pred => Ok(Value::Not(self.slot(register, span)?)),
                Found::Register(_, have) => {
                    let label = format!("`{name}` is .{} and .{} is needed", have.name(), ty.name());
                    Err(unfit(span, "only a predicate can be negated with `!`", label))
                }
                _ => Err(unfit(span, "only a predicate can be negated with `!`", format!("`{name}` is none"))),
            },
            Operand::Number(number) => match literal::bits(*number, ty) {
                Ok(bits) => Ok(Value::Constant(bits)),
                Err(why) => {
                    let message = format!("this literal does not fit: .{} is needed", ty.name());
                    Err(unfit(span, message, why))
                }
            },
            other => {
                let message = format!("a value (.{}) is needed here", ty.name());
                Err(unfit(span, message, format!("is {}", describe(other))))
            }
        }
    }

    fn named_value(&mut self, name: &str, span: Span, ty: Type, fit: Fit) -> Lowered<Value> {
        match self.names.find(name, span)? {
            Found::Register(register, have) => {
                self.check(name, span, have, ty, fit)?;
                let slot = self.slot(register, span)?;
                let bits = ty.bits() as u8; // at most 64: registers of 128 bits fit nothing here
                Ok(if have.bits() > ty.bits() { Value::Part { slot, bits } } else { Value::Register(slot) })
            }
            Found::Special(special) => {
                if (special.ty() == Type::Pred) != (ty == Type::Pred) {
                    self.check(name, span, special.ty(), ty, fit)?;
                }
                Ok(Value::Special(special, ty.bits() as u8))
            }
            Found::UnknownSpecial if name == RESERVED_SHARED => Ok(Value::Constant(self.ground.memory.reserved)),
            Found::UnknownSpecial => {
                let message = format!("the special register `{name}` is not supported");
                Err(Refusal::Unsupported(Complaint::new(span, message, "txbar does not know its value")))
            }
            Found::Vector(..) => {
                let label = "name an element: .x, .y, .z or .w";
                Err(unfit(span, format!("`{name}` is a vector where one value is needed"), label))
            }
            Found::Other(Meaning::Variable { address: Value::Constant(address), .. }) => {
                self.fixed_address(name, address, span, ty)
            }
            Found::Other(Meaning::Variable { address, .. }) => {
                self.fixed_address(name, 0, span, ty)?;
                Ok(address)
            }
            Found::Other(Meaning::Elsewhere) => Err(self.elsewhere(name, span)),
            // calls through it are not supported, but code without optimisation has addresses that nobody calls
            Found::Other(Meaning::Function(number)) => self.fixed_address(name, 16 * (number as u64 + 1), span, ty),
            Found::Other(other) => {
                let message = format!("`{name}` is {}, not a register", other.describe());
                Err(unfit(span, message, format!("a value (.{}) is needed here", ty.name())))
            }
        }
    }

    /// Address of a variable as a value.
    fn fixed_address(&self, name: &str, address: u64, span: Span, ty: Type) -> Lowered<Value> {
        let bits = ty.bits();
        if !matches!(bits, 32 | 64) {
            let message = format!("the address of `{name}` does not fit .{}", ty.name());
            return Err(unfit(span, message, "an address has 32 or 64 bits"));
        }
        if bits == 32 && address > u64::from(u32::MAX) {
            let message = format!("the address of `{name}` does not fit .{}", ty.name());
            return Err(unfit(span, message, "its memory has addresses of 64 bits"));
        }
        Ok(Value::Constant(address))
    }

    fn elsewhere(&self, name: &str, span: Span) -> Refusal {
        let message = format!("`{name}` is .extern: it is not defined in this module");
        Refusal::Unsupported(Complaint::new(span, message, "has no address here"))
    }

    /// An operand that is written as a value of a type; `_` if nobody wants to know.
    pub(crate) fn target(&mut self, operand: &Spanned<Operand>, ty: Type, fit: Fit) -> Lowered<Target> {
        let span = operand.span;
        let from = ty.bits() as u8;
        let name = match &operand.value {
            Operand::Sink => return Ok(Target::NONE),
            Operand::Name(name) => name,
            other => {
                let message = format!("a register (.{}) is needed here", ty.name());
                return Err(unfit(span, message, format!("is {}", describe(other))));
            }
        };
        match self.names.find(name, span)? {
            Found::Register(register, have) => {
                self.check(name, span, have, ty, fit)?;
                let to = if ty.is_signed() { have.bits().min(64) as u8 } else { from };
                Ok(Target { slot: self.slot(register, span)?, from, to })
            }
            Found::Special(_) | Found::UnknownSpecial => {
                Err(unfit(span, format!("`{name}` cannot be written"), "is a special register"))
            }
            Found::Vector(..) => {
                let label = "name an element: .x, .y, .z or .w";
                Err(unfit(span, format!("`{name}` is a vector where one register is needed"), label))
            }
            Found::Other(other) => {
                let label = format!("is {}", other.describe());
                Err(unfit(span, format!("`{name}` cannot be written: a register is needed"), label))
            }
        }
    }

    /// The elements of a vector operand, or the operand alone if one value is needed.
    fn elements(&self, operand: &Spanned<Operand>, count: usize) -> Lowered<Vec<Spanned<Operand>>> {
        let span = operand.span;
        let parts = match &operand.value {
            Operand::Vector(parts) => parts.clone(),
            Operand::Name(name) if count > 1 => match self.names.find(name, span)? {
                Found::Vector(_, _, elements) => [".x", ".y", ".z", ".w"]
                    .iter()
                    .take(elements as usize)
                    .map(|element| Spanned { value: Operand::Name(format!("{name}{element}")), span })
                    .collect(),
                _ => vec![operand.clone()],
            },
            _ => vec![operand.clone()],
        };
        if parts.len() != count {
            let message = format!("{count} values are needed here");
            return Err(unfit(span, message, format!("{} given", parts.len())));
        }
        Ok(parts)
    }

    /// This many values to read.
    pub(crate) fn values(
        &mut self,
        operand: &Spanned<Operand>,
        count: usize,
        ty: Type,
        fit: Fit,
    ) -> Lowered<Box<[Value]>> {
        self.elements(operand, count)?.iter().map(|part| self.value(part, ty, fit)).collect()
    }

    /// This many registers to write.
    pub(crate) fn targets(
        &mut self,
        operand: &Spanned<Operand>,
        count: usize,
        ty: Type,
        fit: Fit,
    ) -> Lowered<Box<[Target]>> {
        self.elements(operand, count)?.iter().map(|part| self.target(part, ty, fit)).collect()
    }

    /// An operand `d` or `d|p` that is written: the second is [`Target::NONE`] if it is not there.
    pub(crate) fn target_pair(&mut self, operand: &Spanned<Operand>, types: [Type; 2]) -> Lowered<[Target; 2]> {
        match &operand.value {
            Operand::Pair(both) => {
                let first = Spanned { value: both.0.clone(), span: operand.span };
                let second = Spanned { value: both.1.clone(), span: operand.span };
                Ok([self.target(&first, types[0], Fit::Exact)?, self.target(&second, types[1], Fit::Exact)?])
            }
            _ => Ok([self.target(operand, types[0], Fit::Exact)?, Target::NONE]),
        }
    }

    /// An address, in this space or (nothing) generic.
    pub(crate) fn address(&mut self, operand: &Spanned<Operand>, said: Option<Space>) -> Lowered<Address> {
        let span = operand.span;
        let Operand::Address { base, offset } = &operand.value else {
            let label = match &operand.value {
                Operand::Name(_) | Operand::Sum(..) | Operand::Number(_) => "is not in brackets".to_string(),
                other => format!("is {}", describe(other)),
            };
            let help = "write it in brackets: [%rd1+8]";
            return Err(Refusal::Wrong(Complaint::new(span, "an address is needed here", label).help(help)));
        };
        let offset = *offset as u64; // two's complement
        let place = match said {
            None => Where::Generic,
            Some(Space::Shared) => Where::Shared,
            Some(Space::Global | Space::Const) => Where::Global,
            Some(Space::Local | Space::Param) => Where::Local,
        };
        let name = match base {
            Base::Absolute(address) => {
                return Ok(Address { base: Value::Constant(*address), offset, mask: u64::MAX, place });
            }
            Base::Name(name) => name,
        };
        match self.names.find(name, span)? {
            Found::Register(register, ty) => {
                let bits = ty.bits();
                let far = matches!(place, Where::Generic | Where::Global) && self.ground.address_size == 64;
                if !matches!(bits, 32 | 64) || far && bits == 32 {
                    let message = format!("`{name}` cannot hold this address");
                    let need = if far { "64" } else { "32 or 64" };
                    return Err(unfit(span, message, format!("is .{}; an address has {need} bits", ty.name())));
                }
                let base = Value::Register(self.slot(register, span)?);
                Ok(Address { base, offset, mask: types::mask(bits), place })
            }
            Found::Other(Meaning::Variable { space, address }) => {
                if said.is_some_and(|said| said != space) {
                    let said = said.map_or("", types::space);
                    let message = format!("`{name}` is not in the {said} state space");
                    return Err(unfit(span, message, format!("is in {}", types::space(space))));
                }
                let place = match space {
                    Space::Shared => Where::Shared,
                    Space::Global | Space::Const => Where::Global,
                    Space::Local | Space::Param => Where::Local,
                };
                Ok(Address { base: address, offset, mask: u64::MAX, place })
            }
            Found::Other(Meaning::Elsewhere) => Err(self.elsewhere(name, span)),
            Found::Other(other) => {
                let message = format!("`{name}` is {}: it has no address in memory", other.describe());
                Err(unfit(span, message, "a register or variable is needed"))
            }
            Found::Special(_) | Found::UnknownSpecial => {
                Err(unfit(span, format!("`{name}` cannot be an address"), "is a special register"))
            }
            Found::Vector(..) => Err(unfit(
                span,
                format!("`{name}` is a vector: it cannot be an address"),
                "name an element, such as .x",
            )),
        }
    }

    /// Complains unless an instruction has this many operands.
    pub(crate) fn count(&self, instruction: &Instruction, allowed: std::ops::RangeInclusive<usize>) -> Lowered<()> {
        let have = instruction.operands.len();
        if allowed.contains(&have) {
            return Ok(());
        }
        let (least, most) = (allowed.start(), allowed.end());
        let needs = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let message =
            format!("`{}` takes {needs} operand{}", instruction.opcode.value, if needs == "1" { "" } else { "s" });
        Err(unfit(instruction.span, message, format!("{have} given")))
    }
}
