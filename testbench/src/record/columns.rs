//! The two long tables of a record, stored by column: short as JSON and quick to read.

use super::Word;
use serde::{Deserialize, Serialize};

/// A word as sixteen hex digits: JSON's numbers hold 53 bits.
pub mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn text(word: u64) -> String {
        format!("{word:016x}")
    }

    pub(super) fn word(text: &str) -> Result<u64, String> {
        u64::from_str_radix(text, 16).map_err(|_| format!("`{text}` is not a word: it must be up to 16 hex digits"))
    }

    pub fn serialize<S: Serializer>(word: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&text(*word))
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<u64, D::Error> {
        word(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Words as hex digits.
mod words {
    use super::hex;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(words: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(words.iter().map(|word| hex::text(*word)))
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        texts.iter().map(|text| hex::word(text)).collect::<Result<_, _>>().map_err(D::Error::custom)
    }
}

/// Operations that took effect, a row each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Events {
    /// Cycle.
    pub cycle: Vec<u64>,
    /// When its request was accepted.
    pub accepted: Vec<u64>,
    /// When its answer was taken; nothing if it has none, or none yet, or is a suspended wait.
    pub answered: Vec<Option<u64>>,
    /// Number of the barrier.
    pub barrier: Vec<usize>,
    /// Number of the port.
    pub port: Vec<usize>,
    /// The thread, as its tag names it.
    pub thread: Vec<u16>,
    /// Number of the operation.
    pub op: Vec<u8>,
    /// Its operand: a count, a parity, or the token's upper half; 0 if it has none, or is a stored word.
    pub operand: Vec<u32>,
    /// Number of its status.
    pub status: Vec<u8>,
    /// What was seen of it: bit 0, it completed the phase; bit 1, it was suspended; bit 2, its predicate was true.
    pub flags: Vec<u8>,
    /// The word after it.
    #[serde(with = "words")]
    pub word: Vec<u64>,
    /// Of that word, the parity of the phase.
    pub phase: Vec<u8>,
    /// Arrivals that the phase lacks.
    pub pending: Vec<u32>,
    /// Bytes that the phase lacks; below zero if they came before they were expected.
    pub tx: Vec<i32>,
    /// Arrivals that later phases wait for.
    pub expected: Vec<u32>,
    /// The sticky fault bit.
    pub fault: Vec<u8>,
    /// Line of its instruction in the PTX text, where it is known; no column at all if there is no such text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<Option<usize>>,
}

/// The operation completed the phase.
pub(super) const FLIP: u8 = 1;
/// The operation was suspended.
pub(super) const SUSPENDED: u8 = 2;
/// Its predicate was true.
pub(super) const PREDICATE: u8 = 4;

/// A row of [`Events`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub cycle: u64,
    pub accepted: u64,
    pub answered: Option<u64>,
    pub barrier: usize,
    pub port: usize,
    pub thread: u16,
    pub op: u8,
    pub operand: u32,
    pub status: u8,
    pub flags: u8,
    pub word: u64,
}

impl Events {
    pub(super) fn push(&mut self, event: &Event) {
        let Word { word, phase, pending, tx, expected, fault } = event.word.into();
        self.cycle.push(event.cycle);
        self.accepted.push(event.accepted);
        self.answered.push(event.answered);
        self.barrier.push(event.barrier);
        self.port.push(event.port);
        self.thread.push(event.thread);
        self.op.push(event.op);
        self.operand.push(event.operand);
        self.status.push(event.status);
        self.flags.push(event.flags);
        self.word.push(word);
        self.phase.push(phase);
        self.pending.push(pending);
        self.tx.push(tx);
        self.expected.push(expected);
        self.fault.push(fault);
    }

    pub(super) fn check(
        &self,
        barriers: usize,
        operations: usize,
        statuses: usize,
        ports: usize,
    ) -> Result<(), String> {
        let rows = self.cycle.len();
        let lengths = [
            self.accepted.len(),
            self.answered.len(),
            self.barrier.len(),
            self.port.len(),
            self.thread.len(),
            self.op.len(),
            self.operand.len(),
            self.status.len(),
            self.flags.len(),
            self.word.len(),
            self.phase.len(),
            self.pending.len(),
            self.tx.len(),
            self.expected.len(),
            self.fault.len(),
        ];
        if lengths.iter().any(|length| *length != rows) || !(self.line.is_empty() || self.line.len() == rows) {
            return Err("the columns of `events` are not of one length".into());
        }
        if !self.cycle.is_sorted() {
            return Err("`events` are not in the order of their cycles".into());
        }
        let all_below = |column: &[usize], limit: usize| column.iter().all(|number| *number < limit);
        let codes_below = |column: &[u8], limit: usize| column.iter().all(|code| usize::from(*code) < limit);
        let named = all_below(&self.barrier, barriers)
            && all_below(&self.port, ports)
            && codes_below(&self.op, operations)
            && codes_below(&self.status, statuses);
        if named { Ok(()) } else { Err("`events` name a barrier, port, operation or status that is not there".into()) }
    }
}

/// Suspended waits, a row each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// Number of the barrier.
    pub barrier: Vec<usize>,
    /// Cycle of suspension.
    pub begin: Vec<u64>,
    /// When its answer was taken; nothing if it never was.
    pub end: Vec<Option<u64>>,
    /// Number of the port.
    pub port: Vec<usize>,
    /// The thread, as its tag names it.
    pub thread: Vec<u16>,
    /// Parity of the phase that it waited for.
    pub parity: Vec<u8>,
    /// Kind of end.
    pub how: Vec<How>,
}

/// How a suspended wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Phase completed.
    Woken,
    /// Its time was over.
    TimedOut,
    /// Its barrier was ended or replaced.
    Invalidated,
    /// Never ended.
    Waiting,
}

/// A row of [`Waits`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub barrier: usize,
    pub begin: u64,
    pub end: Option<u64>,
    pub port: usize,
    pub thread: u16,
    pub parity: u8,
    pub how: How,
}

impl Waits {
    pub(super) fn push(&mut self, wait: &Wait) {
        self.barrier.push(wait.barrier);
        self.begin.push(wait.begin);
        self.end.push(wait.end);
        self.port.push(wait.port);
        self.thread.push(wait.thread);
        self.parity.push(wait.parity);
        self.how.push(wait.how);
    }

    pub(super) fn check(&self, barriers: usize, ports: usize) -> Result<(), String> {
        let rows = self.barrier.len();
        let lengths =
            [self.begin.len(), self.end.len(), self.port.len(), self.thread.len(), self.parity.len(), self.how.len()];
        if lengths.iter().any(|length| *length != rows) {
            return Err("the columns of `waits` are not of one length".into());
        }
        if self.barrier.iter().any(|number| *number >= barriers) || self.port.iter().any(|number| *number >= ports) {
            return Err("`waits` name a barrier or port that is not there".into());
        }
        Ok(())
    }
}
