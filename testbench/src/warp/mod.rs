//! One instruction of a warp on any number of barrier words: the reference model, and recordings of an H200 to hold it
//! against.
//!
//! **The rules** (`vectors/README.md`, "Warps"). A warp's instruction is not 32 operations one after the other:
//! * The active lanes that name one word are one update: their operands are added up, faults are judged on the sum, the phase
//!   completes once. All of them are given the word before it as their token.
//! * `.noComplete` goes by operands: the lowest active lane and all lanes with its operand, on whatever word, then the lowest
//!   that is left, and so on. The lanes of such a group that name one word are one update; their tokens count down from lane
//!   to lane.
//! * `init` goes by operands, too, for each word: the last of them stays.
//! * Whoever only asks (a wait) is answered for itself.

pub mod check;
pub mod engine;
pub mod memory;
pub(crate) mod memory_board;
pub mod recording;
pub(crate) mod scoreboard;
#[cfg(test)]
mod tests;
pub mod traffic;

use crate::case::written::{self, is_false};
use crate::model::{Answer, Fault, Memory, Operation, counted_down};
use serde::{Deserialize, Serialize};
use txbar_rtl::op::{Op, Operand};

/// Lanes of a warp, at most.
pub const LANES: usize = 32;

/// Operands of an active lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    /// Byte address of its word.
    #[serde(with = "written::hex")]
    pub address: u32,
    /// Its operand: a count, bytes, a parity, or the upper half of a token.
    pub operand: u32,
}

/// An instruction of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instruction {
    /// Operation.
    #[serde(with = "written::op")]
    pub op: Op,
    /// To an address of `.shared::cluster`: no tokens are given back.
    #[serde(default, skip_serializing_if = "is_false")]
    pub remote: bool,
    /// By a warp of another CTA: faults are left in the word.
    #[serde(default, skip_serializing_if = "is_false")]
    pub elsewhere: bool,
    /// Its lanes, at most [`LANES`]; nothing for one that is not active.
    pub lanes: Vec<Option<Lane>>,
}

/// What is asked at a port for warps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Asked {
    /// An instruction on barriers; how long its waits may be suspended, in nanoseconds.
    Barriers(Instruction, u32),
    /// A load or store.
    Memory(memory::Access),
}

impl Asked {
    /// Lanes that are answered.
    pub fn answered(&self) -> u32 {
        match self {
            Asked::Barriers(instruction, _) => instruction.answered(),
            Asked::Memory(access) => access.mask(),
        }
    }
}

/// Answer to a lane.
pub type Told = Result<Answer, Fault>;

impl Instruction {
    /// The lanes that are active, a bit each.
    pub fn mask(&self) -> u32 {
        self.active().map(|(number, _)| 1 << number).sum()
    }

    /// The lanes that will be answered: none of an operation that is posted.
    pub fn answered(&self) -> u32 {
        if self.op.is_posted() { 0 } else { self.mask() }
    }

    fn active(&self) -> impl Iterator<Item = (usize, Lane)> {
        self.lanes.iter().enumerate().filter_map(|(number, lane)| Some((number, (*lane)?)))
    }

    /// The lanes that are one operation on one word, in the order in which these operations are done.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let active: Vec<_> = self.active().collect();
        let groups = match self.op {
            Op::ArriveNoComplete | Op::ArriveDropNoComplete => {
                let by_operand = parts(active, |lane| lane.operand);
                by_operand.into_iter().flat_map(|group| parts(group, |lane| lane.address)).collect()
            }
            Op::Init => parts(active, |lane| (lane.address, lane.operand)),
            Op::Load | Op::Store | Op::Inval | Op::PendingCount => active.into_iter().map(|lane| vec![lane]).collect(),
            Op::TestWait | Op::TestWaitParity | Op::TryWait | Op::TryWaitParity => {
                active.into_iter().map(|lane| vec![lane]).collect()
            }
            _ => parts(active, |lane| lane.address),
        };
        groups.into_iter().map(|group| group.into_iter().map(|(number, _)| number).collect()).collect()
    }

    /// Does it: what each active lane is told.
    pub fn execute(&self, memory: &mut Memory) -> Vec<Option<Told>> {
        let mut told = vec![None; self.lanes.len()];
        for group in self.groups() {
            for (number, answer) in group.iter().zip(self.execute_group(&group, memory)) {
                told[*number] = Some(answer);
            }
        }
        told
    }

    /// Does what one of its groups asks for: what each lane of that is told.
    pub fn execute_group(&self, group: &[usize], memory: &mut Memory) -> Vec<Told> {
        let lanes: Vec<Lane> = group.iter().filter_map(|number| self.lanes[*number]).collect();
        let result = memory.apply(&self.operation(&lanes), lanes[0].address, self.elsewhere);
        let told = |place: usize| match result {
            Ok(Answer::Token(token)) if self.counts_down() => {
                Ok(Answer::Token(counted_down(token, place as u64 * u64::from(lanes[0].operand))))
            }
            other => other,
        };
        (0..lanes.len()).map(told).collect()
    }

    /// Whether the tokens of the lanes of a word are given one after the other.
    fn counts_down(&self) -> bool {
        matches!(self.op, Op::ArriveNoComplete | Op::ArriveDropNoComplete)
    }

    /// What lanes do at once to the word that they name.
    fn operation(&self, lanes: &[Lane]) -> Operation {
        let operand = u64::from(lanes[0].operand);
        let data = match self.op.operand() {
            Operand::Arrivals | Operand::Bytes if self.op != Op::Init => {
                lanes.iter().map(|lane| u64::from(lane.operand)).sum()
            }
            Operand::Token | Operand::TokenAndLimit => operand << 32,
            _ => operand,
        };
        Operation { op: self.op, remote: self.remote, threads: lanes.len() as u32, data, strobe: 0xff }
    }
}

/// The first, and all that are like it; then the first that is left, and so on.
fn parts<K: PartialEq>(lanes: Vec<(usize, Lane)>, key: impl Fn(&Lane) -> K) -> Vec<Vec<(usize, Lane)>> {
    let mut parts: Vec<Vec<(usize, Lane)>> = Vec::new();
    for lane in lanes {
        match parts.iter_mut().find(|part| key(&part[0].1) == key(&lane.1)) {
            Some(part) => part.push(lane),
            None => parts.push(vec![lane]),
        }
    }
    parts
}
