//! `mov` in all its forms, and conversions of addresses.

use crate::ast::{Instruction, Operand, Space, Type};
use crate::program::code::{Action, Address, Ask, Convert, Map, Question, Value, Where};
use crate::program::lower::operand::Fit;
use crate::program::lower::qualifiers::Qualifiers;
use crate::program::lower::{Body, Lowered, Refusal};
use crate::program::types;
use crate::source::Complaint;

/// Types of an address.
const SIZES: [(&str, Type); 2] = [("u32", Type::U32), ("u64", Type::U64)];

impl Body<'_, '_> {
    /// `mov`: a value, an address, or a vector to or from one register.
    pub(super) fn mov(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let ty = qualifiers.ty()?;
        qualifiers.done()?;
        self.count(instruction, 2..=2)?;
        let [to, from] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        match (&to.value, &from.value) {
            (_, Operand::Vector(parts)) => {
                let part = self.part(instruction, ty, parts.len())?;
                let to = self.target(to, ty, Fit::Exact)?;
                let bits = part.bits() as u8; // 8, 16 or 32
                Ok(Action::Pack { to, bits, from: self.values(from, parts.len(), part, Fit::Exact)? })
            }
            (Operand::Vector(parts), _) => {
                let part = self.part(instruction, ty, parts.len())?;
                let from = self.value(from, ty, Fit::Exact)?;
                let bits = part.bits() as u8; // 8, 16 or 32
                Ok(Action::Unpack { to: self.targets(to, parts.len(), part, Fit::Exact)?, bits, from })
            }
            _ => Ok(Action::Move { to: self.target(to, ty, Fit::Exact)?, from: self.value(from, ty, Fit::Exact)? }),
        }
    }

    /// Type of the elements of a vector that is as wide as `ty`.
    fn part(&self, instruction: &Instruction, ty: Type, count: usize) -> Lowered<Type> {
        match (ty.bits(), count) {
            (16, 2) | (32, 4) => Ok(Type::B8),
            (32, 2) | (64, 4) => Ok(Type::B16),
            (64, 2) => Ok(Type::B32),
            (bits, _) => {
                let message = format!("{bits} bits cannot be made of {count} elements");
                let complaint = Complaint::new(instruction.span, message, "2 or 4 elements are needed");
                Err(complaint.help("for example mov.b64 %rd1, {%r1, %r2}").into())
            }
        }
    }

    /// `cvta`.
    pub(super) fn cvta(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let to_window = qualifiers.take("to");
        let space = qualifiers.space().ok_or_else(|| Refusal::unsupported(instruction))?;
        let ty = qualifiers.need(&SIZES)?;
        qualifiers.done()?;
        self.count(instruction, 2..=2)?;
        let [to, from] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let window = match space {
            Space::Shared => self.ground.windows.shared,
            Space::Local | Space::Param => self.ground.windows.local,
            Space::Global | Space::Const => 0,
        };
        let addend = if to_window { window.wrapping_neg() } else { window };
        let (to, from) = (self.target(to, ty, Fit::Exact)?, self.value(from, ty, Fit::Exact)?);
        Ok(Action::Convert(Box::new(Convert { to, from, addend, mask: types::mask(ty.bits()) })))
    }

    /// An operand that is an address without brackets, as a value.
    fn bare(&mut self, instruction: &Instruction, operand: usize, ty: Type, place: Where) -> Lowered<Address> {
        let Some(operand) = instruction.operands.get(operand) else { return Err(Refusal::unsupported(instruction)) };
        let base = self.value(operand, ty, Fit::Exact)?;
        // a name of a variable is its address in its own window
        let window = match (base, place) {
            (Value::Constant(_) | Value::Local { .. }, Where::Generic) => Where::Shared,
            _ => place,
        };
        Ok(Address { base, offset: 0, mask: types::mask(ty.bits()), place: window })
    }

    /// `mapa`.
    pub(super) fn mapa(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let window = qualifiers.take("shared::cluster");
        let ty = qualifiers.need(&SIZES)?;
        qualifiers.done()?;
        self.count(instruction, 3..=3)?;
        let [to, _, rank] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let to = self.target(to, ty, Fit::Exact)?;
        let place = if window { Where::Shared } else { Where::Generic };
        let address = self.bare(instruction, 1, ty, place)?;
        let rank = self.value(rank, Type::U32, Fit::Exact)?;
        let window = if window { 0 } else { self.ground.windows.shared };
        Ok(Action::Map(Box::new(Map { to, address, window, rank })))
    }

    /// `getctarank` and `isspacep`.
    pub(super) fn ask(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let constants = &self.ground.memory.constants;
        let (start, end) = (constants.start, constants.end);
        let rank = instruction.opcode.value == "getctarank";
        let (question, place, ty) = if rank {
            let place = if qualifiers.take("shared::cluster") { Where::Shared } else { Where::Generic };
            (Question::Rank, place, qualifiers.need(&SIZES)?)
        } else {
            let question = qualifiers.need(&[
                ("shared", Question::SharedCta),
                ("shared::cta", Question::SharedCta),
                ("shared::cluster", Question::SharedCluster),
                ("global", Question::Global),
                ("const", Question::Const { start, end }),
                ("local", Question::Local),
                ("param", Question::Param),
                ("param::entry", Question::Param),
            ])?;
            (question, Where::Generic, if self.ground.address_size == 32 { Type::U32 } else { Type::U64 })
        };
        qualifiers.done()?;
        self.count(instruction, 2..=2)?;
        let [to, _] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let to = self.target(to, if rank { Type::U32 } else { Type::Pred }, Fit::Exact)?;
        let address = if rank {
            self.bare(instruction, 1, ty, place)?
        } else {
            let base = self.value(&instruction.operands[1], ty, Fit::Exact)?; // there are two
            Address { base, offset: 0, mask: types::mask(ty.bits()), place }
        };
        Ok(Action::Ask(Box::new(Ask { to, address, question })))
    }
}
