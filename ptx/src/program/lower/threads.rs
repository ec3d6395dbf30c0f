//! Synchronisation of threads other than barriers in memory: `bar`, warp-wide instructions, fences.

use crate::ast::{Instruction, Operand, Spanned, Type};
use crate::effect::{Atom, Claim, Effect, Meaning, Shuffle, Together, Vote};
use crate::program::code::{Action, Bars, Target, Value, What};
use crate::program::lower::memory::world;
use crate::program::lower::operand::Fit;
use crate::program::lower::qualifiers::Qualifiers;
use crate::program::lower::{Body, Lowered, Refusal};
use crate::program::special::Special;

/// The lanes that execute an instruction together, for the forms that do not name a mask.
const ACTIVE: Value = Value::Special(Special::ActiveMask, 32);

impl Body<'_, '_> {
    /// `fence` and `membar` of any kind.
    pub(super) fn fence(&mut self, instruction: &Instruction) -> Lowered<Action> {
        if instruction.has("tensormap::generic") && instruction.has("acquire") {
            return self.tensor_fence(instruction);
        }
        Ok(world(What::Plain(Effect::Fence), Box::new([])))
    }

    /// `nanosleep`.
    pub(super) fn sleep(&mut self, instruction: &Instruction) -> Lowered<Action> {
        self.count(instruction, 1..=1)?;
        match instruction.operands.first() {
            Some(time) => Ok(world(What::Sleep(self.value(time, Type::U32, Fit::Exact)?), Box::new([]))),
            None => Err(Refusal::unsupported(instruction)),
        }
    }

    /// `setmaxnreg`.
    pub(super) fn claim(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let grows = qualifiers.need(&[("inc", true), ("dec", false)])?;
        qualifiers.need(&[("sync", ())])?;
        qualifiers.need(&[("aligned", ())])?;
        qualifiers.need(&[("u32", ())])?;
        qualifiers.done()?;
        self.count(instruction, 1..=1)?;
        let [operand] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        match self.value(operand, Type::U32, Fit::Exact)? {
            Value::Constant(registers) => {
                Ok(world(What::Claim(Claim { registers: registers as u32, grows }), Box::new([]))) // of 32 bits
            }
            _ => Err(Refusal::unsupported(instruction)),
        }
    }

    /// `bar` and `barrier` of the CTA, and `bar.warp.sync`.
    pub(super) fn bar(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.take("cta");
        let aligned = qualifiers.take("aligned") || instruction.opcode.value == "bar";
        if qualifiers.take("warp") {
            qualifiers.need(&[("sync", ())])?;
            qualifiers.done()?;
            self.count(instruction, 1..=1)?;
            let mask = self.mask(instruction.operands.first())?;
            return Ok(world(What::Together { what: Together::Sync, mask }, Box::new([])));
        }
        let mut kind = qualifiers.need(&[("sync", Bars::Sync), ("arrive", Bars::Arrive), ("red", Bars::Popc)])?;
        let mut to = Target::NONE;
        let mut predicate = Value::Constant(0);
        let mut operands = &instruction.operands[..];
        if kind == Bars::Popc {
            kind = qualifiers.need(&[("popc", Bars::Popc), ("and", Bars::And), ("or", Bars::Or)])?;
            let ty = qualifiers.need(&[("u32", Type::U32), ("pred", Type::Pred)])?;
            qualifiers.done()?;
            self.count(instruction, 3..=4)?;
            let [result, middle @ .., condition] = operands else { return Err(Refusal::unsupported(instruction)) };
            to = self.target(result, ty, Fit::Exact)?;
            predicate = self.value(condition, Type::Pred, Fit::Exact)?;
            operands = middle;
        } else {
            qualifiers.done()?;
            let least = if kind == Bars::Arrive { 2 } else { 1 };
            self.count(instruction, least..=2)?;
        }
        let [number, threads @ ..] = operands else { return Err(Refusal::unsupported(instruction)) };
        let number = self.value(number, Type::U32, Fit::Exact)?;
        let threads = threads.first().map(|threads| self.value(threads, Type::U32, Fit::Exact)).transpose()?;
        Ok(world(What::Bar { number, threads, kind, predicate, aligned }, Box::new([to])))
    }

    /// The operand that says which lanes take part; without one all that are there.
    fn mask(&mut self, operand: Option<&Spanned<Operand>>) -> Lowered<Value> {
        operand.map_or(Ok(ACTIVE), |operand| self.value(operand, Type::B32, Fit::Exact))
    }

    /// `shfl`.
    pub(super) fn shuffle(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let sync = usize::from(qualifiers.take("sync"));
        let mode = qualifiers.need(&[
            ("up", Shuffle::Up),
            ("down", Shuffle::Down),
            ("bfly", Shuffle::Butterfly),
            ("idx", Shuffle::Index),
        ])?;
        qualifiers.need(&[("b32", ())])?;
        qualifiers.done()?;
        self.count(instruction, 4 + sync..=4 + sync)?;
        let [to, value, lane, clamp, mask @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let to = self.target_pair(to, [Type::B32, Type::Pred])?;
        let value = self.value(value, Type::B32, Fit::Exact)?;
        let lane = self.value(lane, Type::B32, Fit::Exact)?;
        let clamp = self.value(clamp, Type::B32, Fit::Exact)?;
        let mask = self.mask(mask.first())?;
        Ok(world(What::Shuffle { mode, value, lane, clamp, mask }, Box::new(to)))
    }

    /// `vote`.
    pub(super) fn vote(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let sync = usize::from(qualifiers.take("sync"));
        let mode = qualifiers.need(&[
            ("all", Vote::All),
            ("any", Vote::Any),
            ("uni", Vote::Uniform),
            ("ballot", Vote::Ballot),
        ])?;
        let ty = if mode == Vote::Ballot { ("b32", Type::B32) } else { ("pred", Type::Pred) };
        let ty = qualifiers.need(&[ty])?;
        qualifiers.done()?;
        self.count(instruction, 2 + sync..=2 + sync)?;
        let [to, predicate, mask @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        let to = self.target(to, ty, Fit::Exact)?;
        let predicate = self.value(predicate, Type::Pred, Fit::Exact)?;
        let mask = self.mask(mask.first())?;
        Ok(world(What::Vote { mode, predicate, mask }, Box::new([to])))
    }

    /// `activemask`.
    pub(super) fn active_mask(&mut self, instruction: &Instruction) -> Lowered<Action> {
        self.count(instruction, 1..=1)?;
        match instruction.operands.first() {
            Some(to) => Ok(Action::Move { to: self.target(to, Type::B32, Fit::Exact)?, from: ACTIVE }),
            None => Err(Refusal::unsupported(instruction)),
        }
    }

    /// `elect.sync`.
    pub(super) fn elect(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.need(&[("sync", ())])?;
        qualifiers.done()?;
        self.count(instruction, 2..=2)?;
        let [to, mask] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let to = self.target_pair(to, [Type::B32, Type::Pred])?;
        let mask = self.mask(Some(mask))?;
        Ok(world(What::Together { what: Together::Elect, mask }, Box::new(to)))
    }

    /// `match.sync`.
    pub(super) fn matches(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let all = qualifiers.need(&[("all", true), ("any", false)])?;
        qualifiers.need(&[("sync", ())])?;
        let ty = qualifiers.need(&[("b32", Type::B32), ("b64", Type::B64)])?;
        qualifiers.done()?;
        self.count(instruction, 3..=3)?;
        let [to, value, mask] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let to = self.target_pair(to, [Type::B32, Type::Pred])?;
        let value = self.value(value, ty, Fit::Exact)?;
        let mask = self.mask(Some(mask))?;
        Ok(world(What::Match { all, value, mask }, Box::new(to)))
    }

    /// `redux.sync` of whole numbers.
    pub(super) fn reduce(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        qualifiers.need(&[("sync", ())])?;
        let atom = qualifiers.need(&[
            ("add", Atom::Add),
            ("min", Atom::Min),
            ("max", Atom::Max),
            ("and", Atom::And),
            ("or", Atom::Or),
            ("xor", Atom::Xor),
        ])?;
        let meaning = match atom {
            Atom::Add | Atom::Min | Atom::Max => {
                qualifiers.need(&[("u32", Meaning::Unsigned), ("s32", Meaning::Signed)])?
            }
            _ => qualifiers.need(&[("b32", Meaning::Unsigned)])?,
        };
        qualifiers.done()?;
        self.count(instruction, 3..=3)?;
        let [to, value, mask] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let to = self.target(to, Type::B32, Fit::Exact)?;
        let value = self.value(value, Type::B32, Fit::Exact)?;
        let mask = self.mask(Some(mask))?;
        Ok(world(What::Reduce { atom, meaning, value, mask }, Box::new([to])))
    }
}
