//! `st.async`, `red.async`, and bulk copies and reductions out of shared memory (PTX ISA 9.7.9.12, 9.7.9.25.5, 9.7.13.8).

use crate::ast::{Instruction, Space, Type};
use crate::barrier::reduction;
use crate::program::code::{Access, Action, Value, What};
use crate::program::lower::memory::world;
use crate::program::lower::operand::Fit;
use crate::program::lower::qualifiers::Qualifiers;
use crate::program::lower::{Body, Lowered, Refusal};
use txbar_rtl::copies::reduction::{Action as Does, Element, Reduction};
use txbar_rtl::ordering::{Order, Semantics};

/// What completes on a barrier.
const ON_BARRIER: (&str, ()) = ("mbarrier::complete_tx::bytes", ());
/// Operations of reductions.
pub(super) const DOES: [(&str, Does); 8] = [
    ("add", Does::Add),
    ("min", Does::Min),
    ("max", Does::Max),
    ("inc", Does::Inc),
    ("dec", Does::Dec),
    ("and", Does::And),
    ("or", Does::Or),
    ("xor", Does::Xor),
];

impl Body<'_, '_> {
    /// `st.async`.
    pub(super) fn store_async(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.take("async");
        qualifiers.take("weak");
        qualifiers.one(&[("shared::cluster", ()), ("shared::cta", ()), ("shared", ())]);
        qualifiers.need(&[ON_BARRIER])?;
        let count = qualifiers.one(&[("v2", 2u8), ("v4", 4)]).unwrap_or(1);
        let ty = qualifiers.ty()?;
        qualifiers.done()?;
        if !matches!(ty.bits(), 32 | 64) || u32::from(count) * ty.bits() > 128 {
            return Err(Refusal::unsupported(instruction));
        }
        self.count(instruction, 3..=3)?;
        let [address, from, barrier] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let address = self.address(address, Some(Space::Shared))?;
        let values = self.values(from, usize::from(count), ty, Fit::Exact)?;
        let barrier = self.address(barrier, Some(Space::Shared))?;
        let at = Access { address, width: ty.bytes() as u8, count, order: Order::cta(Semantics::Relaxed) };
        Ok(world(What::Post { at, values, barrier, reduction: 0 }, Box::new([])))
    }

    /// `red.async`.
    pub(super) fn red_async(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.take("async");
        qualifiers.need(&[("relaxed", ())])?;
        qualifiers.need(&[("cluster", ())])?;
        qualifiers.take("shared::cluster");
        qualifiers.need(&[ON_BARRIER])?;
        let action = qualifiers.need(&DOES)?;
        let ty = qualifiers.ty()?;
        qualifiers.done()?;
        let reduction = reduction(action, ty, false).filter(|reduction| reduction.is_for_shared());
        let Some(reduction) = reduction else { return Err(Refusal::unsupported(instruction)) };
        self.count(instruction, 3..=3)?;
        let [address, from, barrier] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let address = self.address(address, Some(Space::Shared))?;
        let values = Box::new([self.value(from, ty, Fit::Exact)?]);
        let barrier = self.address(barrier, Some(Space::Shared))?;
        let at = Access { address, width: ty.bytes() as u8, count: 1, order: Order::cta(Semantics::Relaxed) };
        Ok(world(What::Post { at, values, barrier, reduction: reduction.code() }, Box::new([])))
    }

    /// `cp.async.bulk` and `cp.reduce.async.bulk` out of shared memory. The destination's state space stands before the source's.
    pub(super) fn bulk_out(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let reduces = qualifiers.take("reduce");
        qualifiers.take("async");
        qualifiers.take("bulk");
        qualifiers.take("weak");
        let policy = qualifiers.take("L2::cache_hint");
        let global = qualifiers.take("global");
        if !global {
            qualifiers.need(&[("shared::cluster", ())])?;
        }
        qualifiers.need(&[("shared::cta", ())])?;
        qualifiers.need(&[if global { ("bulk_group", ()) } else { ON_BARRIER }])?;
        let masked = !reduces && global && qualifiers.take("cp_mask");
        let mut code = 0;
        if reduces {
            let action = qualifiers.need(&DOES)?;
            let noftz = qualifiers.take("noftz");
            let ty = qualifiers.ty()?;
            let does =
                |it: &Reduction| if global { it.is_for_global() } else { it.is_for_shared() && !is_red_only(*it) };
            match reduction(action, ty, noftz).filter(does) {
                Some(reduction) => code = reduction.code(),
                None => return Err(Refusal::unsupported(instruction)),
            }
        }
        qualifiers.done()?;
        let count = 3 + usize::from(!global) + usize::from(policy) + usize::from(masked);
        self.count(instruction, count..=count)?;
        let [to, from, bytes, rest @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let shared = self.address(from, Some(Space::Shared))?;
        let bytes = self.value(bytes, Type::U32, Fit::Exact)?;
        if !global {
            let [barrier, rest @ ..] = rest else { return Err(Refusal::unsupported(instruction)) };
            self.policies(rest)?;
            let to = self.address(to, Some(Space::Shared))?;
            let barrier = self.address(barrier, Some(Space::Shared))?;
            return Ok(world(What::BulkToCluster { shared, to, bytes, barrier, reduction: code }, Box::new([])));
        }
        let to = self.address(to, Some(Space::Global))?;
        let (policies, masks) = rest.split_at(usize::from(policy));
        self.policies(policies)?;
        let mask = match masks {
            [mask] => self.value(mask, Type::B16, Fit::Exact)?,
            _ => Value::Constant(u64::from(u16::MAX)),
        };
        Ok(world(What::BulkToGlobal { shared, global: to, bytes, mask, reduction: code }, Box::new([])))
    }
}

/// Whether `red.async` alone does it: `cp.reduce.async.bulk` has no `.s64` in shared memory.
fn is_red_only(reduction: Reduction) -> bool {
    reduction.element == Element::S64
}
