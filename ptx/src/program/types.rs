//! State spaces by name, and bits.

use crate::ast::Space;

pub(crate) use crate::arithmetic::ones as mask;

/// Name of a state space, with its dot.
pub(crate) fn space(space: Space) -> &'static str {
    match space {
        Space::Shared => ".shared",
        Space::Global => ".global",
        Space::Const => ".const",
        Space::Local => ".local",
        Space::Param => ".param",
    }
}
