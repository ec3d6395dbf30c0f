//! Weights of the operations in random traffic: the defaults, and those of a mix.

use std::str::FromStr;
use thiserror::Error;
use txbar_rtl::op::Op;

/// How often each operation is drawn, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix([u32; Op::ALL.len()]);

impl Default for Mix {
    fn default() -> Self {
        let mut mix = [0; Op::ALL.len()];
        for (op, weight) in WEIGHTS {
            mix[usize::from(op.code())] = *weight;
        }
        Mix(mix)
    }
}

/// How often each operation is drawn, if nobody asks for a mix.
pub(super) const WEIGHTS: &[(Op, u32)] = &[
    (Op::Load, 4),
    (Op::Store, 4),
    (Op::Init, 8),
    (Op::Inval, 1),
    (Op::Arrive, 24),
    (Op::ArriveNoComplete, 4),
    (Op::ArriveExpectTx, 6),
    (Op::ArriveDrop, 2),
    (Op::ArriveDropNoComplete, 1),
    (Op::ArriveDropExpectTx, 2),
    (Op::ExpectTx, 6),
    (Op::CompleteTx, 8),
    (Op::TestWait, 5),
    (Op::TestWaitParity, 5),
    (Op::TryWait, 3),
    (Op::TryWaitParity, 3),
    (Op::PendingCount, 1),
    (Op::CpAsyncBegin, 3),
    (Op::CpAsyncEnd, 3),
    (Op::CpAsyncArrive, 3),
    (Op::BulkCompleteTx, 6),
];

/// Names for several operations at once. What is said of a group is shared out evenly.
const GROUPS: &[(&str, &[Op])] = &[
    ("drop", &[Op::ArriveDrop, Op::ArriveDropNoComplete, Op::ArriveDropExpectTx]),
    ("expect", &[Op::ExpectTx, Op::ArriveExpectTx]),
    ("complete", &[Op::CompleteTx, Op::BulkCompleteTx]),
    ("wait", &[Op::TestWait, Op::TestWaitParity, Op::TryWait, Op::TryWaitParity]),
    ("test", &[Op::TestWait, Op::TestWaitParity]),
    ("try", &[Op::TryWait, Op::TryWaitParity]),
    ("copy", &[Op::CpAsyncBegin, Op::CpAsyncEnd, Op::CpAsyncArrive]),
];

/// A number that every group's size divides.
const SHARES: u32 = 12;

/// A mix that cannot be understood.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MixError {
    /// No `=` in it.
    #[error("`{0}` is not of the form OPERATION=WEIGHT")]
    Form(String),
    /// Not an operation.
    #[error("there is no operation `{name}`; there are the groups {}, and {}", .groups.join(", "), .operations.join(", "))]
    Name {
        /// Text given.
        name: String,
        /// Valid groups.
        groups: Vec<&'static str>,
        /// Valid operations.
        operations: Vec<&'static str>,
    },
    /// Not a weight.
    #[error("`{0}` is not a weight: it must be a number from 0 to 1000000")]
    Weight(String),
    /// An operation twice: which weight is meant?
    #[error("`{0}` has two weights")]
    Twice(&'static str),
    /// Nothing would ever be drawn.
    #[error("some weight must be above 0")]
    Nothing,
}

impl FromStr for Mix {
    type Err = MixError;

    /// Reads `arrive=4,complete=2,wait=1`: operations by name, or groups of them. What is not named is not drawn.
    fn from_str(text: &str) -> Result<Self, MixError> {
        let mut mix = [0u32; Op::ALL.len()];
        let mut named = [false; Op::ALL.len()];
        for part in text.split(',') {
            let (name, weight) = part.split_once('=').ok_or_else(|| MixError::Form(part.to_owned()))?;
            let (name, weight) = (name.trim(), weight.trim());
            let number = weight.parse::<u32>().ok().filter(|number| *number <= 1_000_000);
            let number = number.ok_or_else(|| MixError::Weight(weight.to_owned()))?;
            let single = Op::ALL.iter().find(|op| op.name() == name).map(std::slice::from_ref);
            let group = || GROUPS.iter().find(|(group, _)| *group == name).map(|(_, ops)| *ops);
            let ops = single.or_else(group).ok_or_else(|| MixError::Name {
                name: name.to_owned(),
                groups: GROUPS.iter().map(|(group, _)| *group).collect(),
                operations: Op::ALL.iter().map(|op| op.name()).collect(),
            })?;
            for op in ops {
                if std::mem::replace(&mut named[usize::from(op.code())], true) {
                    return Err(MixError::Twice(op.name()));
                }
                mix[usize::from(op.code())] += number * (SHARES / ops.len() as u32);
            }
        }
        if mix.iter().all(|weight| *weight == 0) { Err(MixError::Nothing) } else { Ok(Mix(mix)) }
    }
}

impl Mix {
    /// The weights, in the order of the opcodes.
    pub(super) fn weights(&self) -> [u32; Op::ALL.len()] {
        self.0
    }

    /// The weight of an operation.
    pub(super) fn weight(&self, op: Op) -> u32 {
        self.0[usize::from(op.code())]
    }

    /// Whether it makes barriers itself. If not, a run begins with them.
    pub(super) fn makes_barriers(&self) -> bool {
        self.weight(Op::Init) > 0 || self.weight(Op::Store) > 0
    }
}
