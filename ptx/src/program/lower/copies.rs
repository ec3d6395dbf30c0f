//! `cp.async` and `cp.async.bulk` into shared memory.

use crate::ast::{Instruction, Number, Operand, Space, Spanned, Type};
use crate::barrier::Form;
use crate::effect::Effect;
use crate::program::code::{Action, Value, What};
use crate::program::lower::memory::world;
use crate::program::lower::operand::Fit;
use crate::program::lower::qualifiers::Qualifiers;
use crate::program::lower::{Body, Lowered, Refusal};
use crate::program::names::Found;
use crate::source::Complaint;

impl Body<'_, '_> {
    /// `cp` with anything behind it but `cp.async.mbarrier.arrive`.
    pub(super) fn copy(&mut self, instruction: &Instruction, form: &Form) -> Lowered<Action> {
        let plain = |effect| Ok(world(What::Plain(effect), Box::new([])));
        match form.line().name {
            "cp.async.commit_group" => plain(Effect::CopyCommit),
            "cp.async.wait_all" => plain(Effect::CopyWait(None)),
            "cp.async.wait_group" => plain(Effect::CopyWait(Some(self.groups(instruction)?))),
            "cp.async.bulk.commit_group" => plain(Effect::BulkCommit),
            "cp.async.bulk.wait_group" => {
                plain(Effect::BulkWait { groups: self.groups(instruction)?, read: form.has("read") })
            }
            "cp.async.bulk.prefetch.tensor" => self.tensor_prefetch(instruction),
            "cp.async.bulk.prefetch" => Ok(Action::Nothing),
            "cp.async.bulk.tensor" if !form.has("bulk_group") => self.tensor(instruction),
            "cp.async.bulk.tensor" | "cp.reduce.async.bulk.tensor" => self.tensor_out(instruction),
            "cp.async.bulk" if form.has("global") && !form.has("bulk_group") => self.bulk(instruction),
            "cp.async.bulk" | "cp.reduce.async.bulk" => self.bulk_out(instruction),
            "cp.async" => self.element(instruction),
            _ => Err(Refusal::unsupported(instruction)),
        }
    }

    /// The number of groups that a wait leaves.
    fn groups(&mut self, instruction: &Instruction) -> Lowered<u32> {
        self.count(instruction, 1..=1)?;
        match &instruction.operands[..] {
            [Spanned { value: Operand::Number(Number::Integer(groups)), span }] => {
                let most =
                    || Complaint::new(*span, "this number of groups is impossible", "0 to 4294967295 are possible");
                Ok(u32::try_from(*groups).map_err(|_| most())?)
            }
            _ => {
                let message = "the number of groups that are left is a constant";
                Err(Complaint::new(instruction.span, message, "a number is needed").into())
            }
        }
    }

    /// `cp.async.ca` and `.cg`: 4, 8 or 16 bytes.
    fn element(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.take("async");
        let whole = qualifiers.need(&[("ca", false), ("cg", true)])?;
        qualifiers.need(&[("shared", ()), ("shared::cta", ())])?;
        qualifiers.need(&[("global", ())])?;
        let policy = qualifiers.take("L2::cache_hint");
        qualifiers.ignore(&["L2::"]);
        qualifiers.done()?;
        self.count(instruction, 3 + usize::from(policy)..=4 + usize::from(policy))?;
        let [shared, global, size, rest @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let bytes = match &size.value {
            Operand::Number(Number::Integer(16)) => 16,
            Operand::Number(Number::Integer(8)) if !whole => 8,
            Operand::Number(Number::Integer(4)) if !whole => 4,
            _ => {
                let may = if whole { "16" } else { "4, 8 or 16" };
                let message = format!("cp.async.{} cannot copy this", if whole { "cg" } else { "ca" });
                return Err(
                    Complaint::new(size.span, message, format!("{may} bytes are possible, as a constant")).into()
                );
            }
        };
        let (optional, policies) = if policy { rest.split_at(rest.len().saturating_sub(1)) } else { (rest, &[][..]) };
        self.policies(policies)?;
        let (mut source, mut ignore) = (Value::Constant(u64::from(bytes)), Value::Constant(0));
        if let [operand] = optional {
            if self.is_predicate(operand) {
                ignore = self.value(operand, Type::Pred, Fit::Exact)?;
            } else {
                source = self.value(operand, Type::U32, Fit::Exact)?;
            }
        }
        let shared = self.address(shared, Some(Space::Shared))?;
        let global = self.address(global, Some(Space::Global))?;
        Ok(world(What::CopyAsync { shared, global, bytes, source, ignore }, Box::new([])))
    }

    /// Whether an operand is a predicate register, negated or not.
    fn is_predicate(&self, operand: &Spanned<Operand>) -> bool {
        match &operand.value {
            Operand::Not(_) => true,
            Operand::Name(name) => matches!(self.names.find(name, operand.span), Ok(Found::Register(_, Type::Pred))),
            _ => false,
        }
    }

    /// `cp.async.bulk` from global to shared memory.
    fn bulk(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.take("async");
        qualifiers.take("bulk");
        qualifiers.take("weak");
        let policy = qualifiers.take("L2::cache_hint");
        qualifiers.need(&[("shared::cluster", ()), ("shared::cta", ())])?;
        qualifiers.need(&[("global", ())])?;
        qualifiers.need(&[("mbarrier::complete_tx::bytes", ())])?;
        let multicast = qualifiers.take("multicast::cluster");
        qualifiers.done()?;
        let count = 4 + usize::from(multicast) + usize::from(policy);
        self.count(instruction, count..=count)?;
        let [shared, global, bytes, barrier, rest @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let shared = self.address(shared, Some(Space::Shared))?;
        let global = self.address(global, Some(Space::Global))?;
        let bytes = self.value(bytes, Type::U32, Fit::Exact)?;
        let barrier = self.address(barrier, Some(Space::Shared))?;
        let (multicast, rest) = match rest {
            [mask, rest @ ..] if multicast => (Some(self.value(mask, Type::B16, Fit::Exact)?), rest),
            rest => (None, rest),
        };
        self.policies(rest)?;
        Ok(world(What::BulkToShared { shared, global, bytes, barrier, multicast }, Box::new([])))
    }
}
