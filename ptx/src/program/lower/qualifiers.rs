//! Qualifiers of an instruction, consumed one by one; the remaining ones are not supported.

use crate::ast::{Instruction, Space, Type};
use crate::program::lower::{Lowered, Refusal};
use txbar_rtl::ordering::{Order, Scope, Semantics};

/// Qualifiers that are not yet taken.
pub(crate) struct Qualifiers<'i> {
    instruction: &'i Instruction,
    left: Vec<&'i str>,
}

/// Qualifiers that name a state space, and whether they name that of the cluster.
const SPACES: [(&str, Space); 9] = [
    ("shared", Space::Shared),
    ("shared::cta", Space::Shared),
    ("shared::cluster", Space::Shared),
    ("global", Space::Global),
    ("const", Space::Const),
    ("local", Space::Local),
    ("param", Space::Param),
    ("param::entry", Space::Param),
    ("param::func", Space::Param),
];

impl<'i> Qualifiers<'i> {
    /// All of an instruction's.
    pub(crate) fn new(instruction: &'i Instruction) -> Self {
        Self { instruction, left: instruction.modifiers.iter().map(|one| one.value.as_str()).collect() }
    }

    /// Whether this one is there.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        let place = self.left.iter().position(|one| *one == name);
        place.map(|place| self.left.remove(place)).is_some()
    }

    /// What the first of these that is there means.
    pub(crate) fn one<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let place = self.left.iter().position(|one| table.iter().any(|row| row.0 == *one))?;
        let name = self.left.remove(place);
        table.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// As `one`, for a required qualifier.
    pub(crate) fn need<T: Copy>(&mut self, table: &[(&str, T)]) -> Lowered<T> {
        self.one(table).ok_or_else(|| Refusal::unsupported(self.instruction))
    }

    /// What the first that can be read so is read as.
    pub(crate) fn find<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let place = self.left.iter().position(|one| read(one).is_some())?;
        read(self.left.remove(place))
    }

    /// Takes all that begin like this.
    pub(crate) fn ignore(&mut self, begins: &[&str]) {
        self.left.retain(|one| !begins.iter().any(|begin| one.starts_with(begin)));
    }

    /// The first that names a type.
    pub(crate) fn ty(&mut self) -> Lowered<Type> {
        let place = self.left.iter().position(|one| Type::named(one).is_some());
        let name = place.map(|place| self.left.remove(place));
        let ty = name.and_then(Type::named).filter(|ty| *ty != Type::B128);
        ty.ok_or_else(|| Refusal::unsupported(self.instruction))
    }

    /// The state space; nothing: generic addresses.
    pub(crate) fn space(&mut self) -> Option<Space> {
        self.one(&SPACES)
    }

    /// Ordering of an access to memory.
    pub(crate) fn order(&mut self) -> Order {
        let semantics = self.one(&[
            ("acquire", Semantics::Acquire),
            ("release", Semantics::Release),
            ("acq_rel", Semantics::AcquireRelease),
            ("weak", Semantics::Relaxed),
            ("relaxed", Semantics::Relaxed),
            ("volatile", Semantics::Relaxed),
            ("mmio", Semantics::Relaxed),
        ]);
        self.take("relaxed"); // of .mmio.relaxed
        let scopes =
            [("cta", Scope::Cta), ("cluster", Scope::Cluster), ("gpu", Scope::Cluster), ("sys", Scope::Cluster)];
        let semantics = semantics.unwrap_or(Semantics::Relaxed);
        let scope = self.one(&scopes).unwrap_or(Scope::Cta);
        Order { semantics, scope: if semantics == Semantics::Relaxed { Scope::Cta } else { scope } }
    }

    /// Fails if anything is left.
    pub(crate) fn done(self) -> Lowered<()> {
        match self.left.first() {
            None => Ok(()),
            Some(left) => Err(Refusal::unsupported_qualifier(self.instruction, left)),
        }
    }
}
