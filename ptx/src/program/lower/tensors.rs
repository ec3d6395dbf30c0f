//! Tensor copies, and operations on tensor maps.

use crate::ast::{Base, Instruction, Number, Operand, Space, Spanned, Type};
use crate::program::code::{Action, Address, Value, What};
use crate::program::lower::asynchronous::DOES;
use crate::program::lower::memory::world;
use crate::program::lower::operand::Fit;
use crate::program::lower::qualifiers::Qualifiers;
use crate::program::lower::{Body, Lowered, Refusal};
use crate::source::Complaint;
use txbar_testbench::tensor::replace::Field;

/// Dimensions that an instruction names.
const RANKS: [(&str, usize); 5] = [("1d", 1), ("2d", 2), ("3d", 3), ("4d", 4), ("5d", 5)];

impl Body<'_, '_> {
    /// `cp.async.bulk.tensor` from global to shared memory.
    pub(super) fn tensor(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        for said in ["async", "bulk", "tensor"] {
            qualifiers.take(said);
        }
        let rank = qualifiers.need(&RANKS)?;
        qualifiers.need(&[("shared::cluster", ()), ("shared::cta", ())])?;
        qualifiers.need(&[("global", ())])?;
        qualifiers.take("tile");
        qualifiers.need(&[("mbarrier::complete_tx::bytes", ())])?;
        let multicast = qualifiers.take("multicast::cluster");
        let policy = qualifiers.take("L2::cache_hint");
        qualifiers.done()?;
        let count = 3 + usize::from(multicast) + usize::from(policy);
        self.count(instruction, count..=count)?;
        let [shared, tensor, barrier, rest @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let shared = self.address(shared, Some(Space::Shared))?;
        let (map, at) = self.place_in_tensor(tensor, rank)?;
        let barrier = self.address(barrier, Some(Space::Shared))?;
        let (multicast, rest) = match rest {
            [mask, rest @ ..] if multicast => (Some(self.value(mask, Type::B16, Fit::Exact)?), rest),
            rest => (None, rest),
        };
        self.policies(rest)?;
        Ok(world(What::TensorToShared { shared, map, at, barrier, multicast }, Box::new([])))
    }

    /// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` from shared to global memory.
    pub(super) fn tensor_out(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let reduces = qualifiers.take("reduce");
        for said in ["async", "bulk", "tensor"] {
            qualifiers.take(said);
        }
        let rank = qualifiers.need(&RANKS)?;
        qualifiers.need(&[("global", ())])?;
        qualifiers.need(&[("shared::cta", ())])?;
        let action = if reduces { qualifiers.need(&DOES)?.code() } else { 0 };
        qualifiers.take("tile");
        qualifiers.need(&[("bulk_group", ())])?;
        let policy = qualifiers.take("L2::cache_hint");
        qualifiers.done()?;
        let count = 2 + usize::from(policy);
        self.count(instruction, count..=count)?;
        let [tensor, shared, rest @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let (map, at) = self.place_in_tensor(tensor, rank)?;
        let shared = self.address(shared, Some(Space::Shared))?;
        self.policies(rest)?;
        Ok(world(What::TensorToGlobal { shared, map, at, action }, Box::new([])))
    }

    /// `cp.async.bulk.prefetch.tensor`.
    pub(super) fn tensor_prefetch(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        for said in ["async", "bulk", "prefetch", "tensor"] {
            qualifiers.take(said);
        }
        let rank = qualifiers.need(&RANKS)?;
        qualifiers.need(&[("L2", ())])?;
        qualifiers.need(&[("global", ())])?;
        qualifiers.take("tile");
        let policy = qualifiers.take("L2::cache_hint");
        qualifiers.done()?;
        let count = 1 + usize::from(policy);
        self.count(instruction, count..=count)?;
        let [tensor, rest @ ..] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let (map, at) = self.place_in_tensor(tensor, rank)?;
        self.policies(rest)?;
        Ok(world(What::TensorPrefetch { map, at }, Box::new([])))
    }

    /// `[map, {x, y}]`: a generic address and coordinates.
    fn place_in_tensor(&mut self, operand: &Spanned<Operand>, rank: usize) -> Lowered<(Address, Box<[Value]>)> {
        let Operand::Compound(parts) = &operand.value else {
            let message = "a tensor map and coordinates are needed here";
            return Err(Complaint::new(operand.span, message, "write [map, {x, y}]").into());
        };
        let [map, at] = &parts[..] else {
            let label = format!("{} parts", parts.len());
            return Err(Complaint::new(operand.span, "a tensor map and coordinates are needed here", label).into());
        };
        let (base, offset) = match &map.value {
            Operand::Name(name) => (Base::Name(name.clone()), 0),
            Operand::Sum(name, offset) => (Base::Name(name.clone()), *offset),
            Operand::Number(Number::Integer(address)) => (Base::Absolute(*address as u64), 0),
            _ => return Err(Complaint::new(map.span, "the address of a tensor map is needed here", "is none").into()),
        };
        let map = self.address(&Spanned { value: Operand::Address { base, offset }, span: map.span }, None)?;
        Ok((map, self.values(at, rank, Type::B32, Fit::Exact)?))
    }

    /// `tensormap.replace` and `tensormap.cp_fenceproxy`.
    pub(super) fn tensor_map(&mut self, instruction: &Instruction) -> Lowered<Action> {
        match instruction.modifiers.first().map(|first| first.value.as_str()) {
            Some("replace") => self.replace(instruction),
            Some("cp_fenceproxy") => self.publish(instruction),
            _ => Err(Refusal::unsupported(instruction)),
        }
    }

    fn replace(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.take("replace");
        qualifiers.need(&[("tile", ())])?;
        let field = qualifiers.need(&Field::ALL.map(|field| (field.ptx(), field)))?;
        let spaces = [("global", Space::Global), ("shared::cta", Space::Shared), ("shared", Space::Shared)];
        let space = qualifiers.one(&spaces);
        qualifiers.need(&[("b1024", ())])?;
        let wide = field.is_wide();
        let ty = qualifiers.need(&[if wide { ("b64", Type::B64) } else { ("b32", Type::B32) }])?;
        qualifiers.done()?;
        let ordinal = usize::from(field.is_ordinal());
        self.count(instruction, 2 + ordinal..=2 + ordinal)?;
        let [map, middle @ .., value] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let map = self.address(map, space)?;
        let dimension = match middle {
            [] => 0,
            [Spanned { value: Operand::Number(Number::Integer(number @ 0..=4)), .. }, ..] => *number as u8,
            [other, ..] => {
                let message = "the dimension of a tensor map's field is a constant";
                return Err(Complaint::new(other.span, message, "0 to 4 are possible").into());
            }
        };
        let value = self.value(value, ty, Fit::Exact)?;
        Ok(world(What::MapReplace { map, field, dimension, value }, Box::new([])))
    }

    fn publish(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.take("cp_fenceproxy");
        qualifiers.need(&[("global", ())])?;
        qualifiers.need(&[("shared::cta", ()), ("shared", ())])?;
        qualifiers.need(&[("tensormap::generic", ())])?;
        qualifiers.need(&[("release", ())])?;
        qualifiers.need(&[("cta", ()), ("cluster", ()), ("gpu", ()), ("sys", ())])?;
        qualifiers.need(&[("sync", ())])?;
        qualifiers.take("aligned");
        qualifiers.done()?;
        self.count(instruction, 3..=3)?;
        let [to, from, size] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        self.size_of_map(size)?;
        let to = self.address(to, Some(Space::Global))?;
        let from = self.address(from, Some(Space::Shared))?;
        Ok(world(What::MapPublish { to, from }, Box::new([])))
    }

    /// `fence.proxy.tensormap::generic`: of one that acquires, the map is forgotten.
    pub(super) fn tensor_fence(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let [map, size] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        self.size_of_map(size)?;
        let map = self.address(map, None)?;
        Ok(world(What::MapFence { map }, Box::new([])))
    }

    /// `prefetch.tensormap`.
    pub(super) fn prefetch(&mut self, instruction: &Instruction) -> Lowered<Action> {
        if !instruction.has("tensormap") {
            return Ok(Action::Nothing);
        }
        let mut qualifiers = Qualifiers::new(instruction);
        let space = qualifiers.one(&[("param", Space::Param), ("const", Space::Const)]);
        qualifiers.take("tensormap");
        qualifiers.done()?;
        self.count(instruction, 1..=1)?;
        let [map] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let map = self.address(map, space)?;
        Ok(world(What::MapPrefetch { map }, Box::new([])))
    }

    /// The size of a map where an instruction wants it to be said.
    fn size_of_map(&self, size: &Spanned<Operand>) -> Lowered<()> {
        match &size.value {
            Operand::Number(Number::Integer(128)) => Ok(()),
            _ => Err(Complaint::new(size.span, "a tensor map has 128 bytes", "128 is needed, as a constant").into()),
        }
    }
}
