//! Loads, stores and atomic operations.

use crate::ast::{Instruction, Operand, Space, Spanned, Type};
use crate::effect::{Atom, Meaning};
use crate::program::code::{Access, Action, Target, Value, What, World};
use crate::program::lower::operand::Fit;
use crate::program::lower::qualifiers::Qualifiers;
use crate::program::lower::{Body, Lowered, Refusal};
use crate::source::Complaint;
use txbar_rtl::ordering::Order;

/// Qualifiers that change no value: caches and prefetching.
const CACHES: [&str; 7] = ["ca", "cg", "cs", "lu", "cv", "wb", "wt"];
/// Elements of a vector.
const VECTORS: [(&str, u8); 3] = [("v2", 2), ("v4", 4), ("v8", 8)];

/// What loads and stores have in common.
struct Moved {
    space: Option<Space>,
    order: Order,
    count: u8,
    ty: Type,
}

impl Body<'_, '_> {
    fn moved(&mut self, instruction: &Instruction) -> Lowered<Moved> {
        let mut qualifiers = Qualifiers::new(instruction);
        let space = qualifiers.space();
        let order = qualifiers.order();
        let policy = qualifiers.take("L2::cache_hint");
        let count = qualifiers.one(&VECTORS).unwrap_or(1);
        let ty = qualifiers.ty()?;
        qualifiers.take("nc");
        qualifiers.ignore(&["L1::", "L2::", "unified"]);
        qualifiers.one(&CACHES.map(|name| (name, ())));
        qualifiers.done()?;
        if ty == Type::Pred || u32::from(count) * ty.bits() > 256 {
            return Err(Refusal::unsupported(instruction));
        }
        let operands = 2 + usize::from(policy);
        self.count(instruction, operands..=operands)?;
        Ok(Moved { space, order, count, ty })
    }

    /// `ld`, `ldu`.
    pub(super) fn load(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let moved = self.moved(instruction)?;
        let [to, address, policy @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        self.policies(policy)?;
        let to = self.targets(to, usize::from(moved.count), moved.ty, Fit::Wider)?;
        let address = self.address(address, moved.space)?;
        let at = Access { address, width: moved.ty.bytes() as u8, count: moved.count, order: moved.order };
        Ok(world(What::Load { at }, to))
    }

    /// `st`.
    pub(super) fn store(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let moved = self.moved(instruction)?;
        let [address, from, policy @ ..] = &instruction.operands[..] else {
            return Err(Refusal::unsupported(instruction));
        };
        if moved.space == Some(Space::Const) {
            return Err(Complaint::new(instruction.span, "constants cannot be stored to", "is read-only").into());
        }
        self.policies(policy)?;
        let address = self.address(address, moved.space)?;
        let values = self.values(from, usize::from(moved.count), moved.ty, Fit::Wider)?;
        let at = Access { address, width: moved.ty.bytes() as u8, count: moved.count, order: moved.order };
        Ok(world(What::Store { at, values }, Box::new([])))
    }

    /// Cache policies, which have to be there but change nothing.
    pub(super) fn policies(&mut self, operands: &[Spanned<Operand>]) -> Lowered<()> {
        operands.iter().try_for_each(|operand| self.value(operand, Type::B64, Fit::Exact).map(|_| ()))
    }

    /// `createpolicy`: a policy changes nothing, so any will do.
    pub(super) fn policy(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let Some(to) = instruction.operands.first() else { return Err(Refusal::unsupported(instruction)) };
        Ok(Action::Move { to: self.target(to, Type::B64, Fit::Exact)?, from: Value::Constant(0) })
    }

    /// `atom` and `red`.
    pub(super) fn atomic(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let mut qualifiers = Qualifiers::new(instruction);
        let space = qualifiers.space();
        let order = qualifiers.order();
        let policy = qualifiers.take("L2::cache_hint");
        let atom = qualifiers.need(&[
            ("and", Atom::And),
            ("or", Atom::Or),
            ("xor", Atom::Xor),
            ("exch", Atom::Exch),
            ("cas", Atom::Cas),
            ("add", Atom::Add),
            ("inc", Atom::Inc),
            ("dec", Atom::Dec),
            ("min", Atom::Min),
            ("max", Atom::Max),
        ])?;
        let ty = qualifiers.ty()?;
        qualifiers.done()?;
        let Some(meaning) = meaning(atom, ty) else { return Err(Refusal::unsupported(instruction)) };
        if !matches!(space, None | Some(Space::Shared | Space::Global)) {
            return Err(Refusal::unsupported(instruction));
        }
        let returns = instruction.opcode.value == "atom";
        let inputs = if atom == Atom::Cas { 2 } else { 1 };
        let count = usize::from(returns) + 1 + inputs + usize::from(policy);
        self.count(instruction, count..=count)?;
        let (to, rest) = match &instruction.operands[..] {
            [to, rest @ ..] if returns => (self.target(to, ty, Fit::Exact)?, rest),
            rest => (Target::NONE, rest),
        };
        let [address, b, rest @ ..] = rest else { return Err(Refusal::unsupported(instruction)) };
        let address = self.address(address, space)?;
        let b = self.value(b, ty, Fit::Exact)?;
        let (c, rest) = match rest {
            [c, rest @ ..] if atom == Atom::Cas => (self.value(c, ty, Fit::Exact)?, rest),
            rest => (Value::Constant(0), rest),
        };
        self.policies(rest)?;
        let at = Access { address, width: ty.bytes() as u8, count: 1, order };
        Ok(world(What::Atomic { at, atom, meaning, b, c }, Box::new([to])))
    }
}

/// How an atomic operation takes values of a type; nothing if it does not.
fn meaning(atom: Atom, ty: Type) -> Option<Meaning> {
    let bits = matches!(ty, Type::B32 | Type::B64 | Type::U32 | Type::U64 | Type::S32 | Type::S64);
    match (atom, ty) {
        (Atom::And | Atom::Or | Atom::Xor, _) => bits.then_some(Meaning::Unsigned),
        (Atom::Exch | Atom::Cas, Type::F32 | Type::F64) => Some(Meaning::Unsigned),
        (Atom::Exch | Atom::Cas, _) => bits.then_some(Meaning::Unsigned),
        (Atom::Inc | Atom::Dec, _) => (ty == Type::U32).then_some(Meaning::Unsigned),
        (Atom::Add, Type::F32 | Type::F64) => Some(Meaning::Float),
        (Atom::Add | Atom::Min | Atom::Max, Type::U32 | Type::U64) => Some(Meaning::Unsigned),
        (Atom::Add | Atom::Min | Atom::Max, Type::S32 | Type::S64) => Some(Meaning::Signed),
        _ => None,
    }
}

/// An action that the world takes part in.
pub(super) fn world(what: What, to: Box<[Target]>) -> Action {
    Action::World(Box::new(World { what, to }))
}
