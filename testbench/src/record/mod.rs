//! The record of a run: the operations on every barrier, their cycles, and the words. `txbar report` makes a page of it.
//!
//! **What.** A [`RunRecord`] is one JSON file. It says how the run ended and its figures; the *timeline* of its barriers (a
//! row for every operation that took effect, with the word after it; a row for every suspended wait; rates and latencies
//! over time); what was compared with what (*conformance*); and who waits for what if nothing moves any more (*hang*).
//!
//! **How.** A [`Recorder`] is shown the handshakes of one unit or of all units of a cluster: requests accepted, requests
//! that take effect, phases that complete, answers taken. These are all at the pins, so every engine can be recorded.
//!
//! ```text
//!   cycle            0     1     2     3     4     5          a
//!   request      accepted
//!   takes effect                         event                         the row's `cycle`; `accepted` is 0
//!   answer                                     answered                the row's `answered`
//!   suspended wait                       begin             answer      a row of `waits`
//! ```
//! The word after an operation is not at the pins; it is the one that the reference model has after the same operation.
//! Where hardware and model differ, the run fails, and the record ends with a mark that says so.
//!
//! **How much.** The last [`Recorder::KEPT`] rows are kept, unless another number is given; rates and latencies are kept for the
//! whole run, in at most [`Series::BUCKETS`] slices of time that double as the run grows.
//!
//! The JSON has the fields of these structures, under the same names.

mod columns;
mod listing;
mod operations;
mod recorder;
mod remarks;
mod series;
mod steps;
#[cfg(test)]
mod tests;
mod watched;

pub use columns::{Events, Waits};
pub use listing::{ListedFile, ListedPlace, Listing};
pub use recorder::Recorder;
pub use remarks::{FrameJson, RemarkJson, WaitJson};
pub use series::Series;
pub use watched::Shown;

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use thiserror::Error;
use txbar_rtl::word::Contents;

/// What the `format` of a record says.
const FORMAT: &str = "txbar run record";
/// Version of the format.
const VERSION: u32 = 1;

/// The record of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// `txbar run record`.
    pub format: Cow<'static, str>,
    /// Version of the format: 1.
    pub version: u32,
    /// Description of the run, in one line.
    pub title: String,
    /// Verdict.
    pub verdict: Verdict,
    /// The same in words; more than a line if something went wrong.
    pub summary: String,
    /// The figures of the run, as the command prints them.
    pub figures: Vec<Figure>,
    /// What happened to its barriers; nothing if it had no clock.
    pub timeline: Option<Timeline>,
    /// What was compared with what.
    pub conformance: Option<Conformance>,
    /// Waiting threads, and the events they wait for.
    pub hang: Vec<WaitJson>,
    /// Faults and mistakes of a kernel.
    pub remarks: Vec<RemarkJson>,
    /// The text of a kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing: Option<Listing>,
}

/// Verdict of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Success.
    Pass,
    /// Something differs from what it should be.
    Fail,
    /// A kernel has faulted, or misused a barrier.
    Fault,
    /// Hang.
    Hang,
    /// Somebody has stopped it; nothing is wrong with what it did until then.
    Stopped,
}

/// A figure of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// Name.
    pub name: String,
    /// Its value, with its unit.
    pub value: String,
}

/// What happened to the barriers of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Clock cycles.
    pub cycles: u64,
    /// Names of the ports, by number.
    pub ports: Vec<String>,
    /// The operations that `op` numbers.
    pub operations: Vec<Operation>,
    /// Names of the statuses that `status` numbers, and their meaning.
    pub statuses: Vec<[Cow<'static, str>; 2]>,
    /// Every word that a barrier operation was done on.
    pub barriers: Vec<Barrier>,
    /// Operations on them, in the order in which they took effect.
    pub events: Events,
    /// Rows of `events` that were dropped because there were too many: the earliest.
    pub dropped: u64,
    /// Suspended waits, in the order in which they ended; those that never did come last.
    pub waits: Waits,
    /// Moments to look at.
    pub marks: Vec<Mark>,
    /// Rates and latencies over time.
    pub series: Series,
    /// Answers by latency: how many came 0, 1, 2, ... cycles after their request was accepted. Not those of suspended waits.
    pub latency: Vec<u64>,
    /// Woken waits by latency: cycles from the completion of the phase to the answer.
    pub wake_latency: Vec<u64>,
    /// How often each operation ended with each status.
    pub counts: Vec<Count>,
}

/// An operation, by its opcode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Name.
    pub name: Cow<'static, str>,
    /// Of at most eight characters.
    pub short: Cow<'static, str>,
    /// The PTX instruction.
    pub ptx: Cow<'static, str>,
    /// Effect on a barrier.
    pub class: Class,
    /// What its operand is: `arrivals`, `bytes`, `parity` or `token`; nothing if it has none.
    pub operand: Option<Cow<'static, str>>,
}

/// What an operation does to a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Arrivals.
    Arrive,
    /// Expect-tx.
    Expect,
    /// Complete-tx.
    Complete,
    /// Test or wait.
    Wait,
    /// Initialises, ends or overwrites the barrier.
    Life,
    /// Reads only.
    Read,
}

/// A word that a barrier operation was done on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Barrier {
    /// Rank of its CTA.
    pub cta: usize,
    /// Its byte address in shared memory; nothing for those operations whose address names no word.
    pub address: Option<u64>,
    /// What it is called in the kernel.
    pub name: Option<String>,
    /// The word before the first row that is kept.
    pub before: Word,
    /// Phases that had completed then, since the barrier was made.
    pub phases: u64,
}

/// A word, with what its fields mean; see [`Contents`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// 64 bits.
    #[serde(with = "columns::hex")]
    pub word: u64,
    /// Parity of the phase.
    pub phase: u8,
    /// Arrivals that the phase lacks.
    pub pending: u32,
    /// Bytes that the phase lacks; below zero if they came before they were expected.
    pub tx: i32,
    /// Arrivals that later phases wait for.
    pub expected: u32,
    /// The sticky fault bit.
    pub fault: u8,
}

impl From<u64> for Word {
    fn from(word: u64) -> Self {
        let Contents { phase, pending, fault, tx, expected } = Contents::from(word);
        Self { word, phase: phase.into(), pending, tx, expected, fault: fault.into() }
    }
}

/// A moment to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Cycle.
    pub cycle: u64,
    /// Text of the mark.
    pub text: String,
}

/// How often an operation ended with a status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Its number in [`Timeline::operations`].
    pub op: u8,
    /// Number of the status in [`Timeline::statuses`].
    pub status: u8,
    /// Number of times.
    pub times: u64,
}

/// What was compared with what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conformance {
    /// Reference of the comparison.
    pub against: String,
    /// By source and operation.
    pub rows: Vec<ConformanceRow>,
    /// The first that differ, a line each.
    pub mismatches: Vec<String>,
}

/// How one operation came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConformanceRow {
    /// Where the expectation comes from: a file, or the model.
    pub source: String,
    /// The operation.
    pub operation: String,
    /// Number of records compared.
    pub records: u64,
    /// How many came out as expected.
    pub matched: u64,
}

/// Why something is not a record of a run.
#[derive(Debug, Error)]
pub enum BadRecord {
    /// The file is not the JSON of a record.
    #[error("it is not a record of a run, which is JSON that --record has written: {0}")]
    Json(#[from] serde_json::Error),
    /// Another format.
    #[error("it is not a record of a run: its format is `{0}`, not `{FORMAT}`")]
    Format(String),
    /// Another version of the format.
    #[error(
        "it is a record in version {0} of the format, and this txbar reads version {VERSION}; record the run again"
    )]
    Version(u32),
    /// Parts of it do not fit together.
    #[error("{0}")]
    Inconsistent(String),
}

impl RunRecord {
    /// A record of which only this is known.
    pub fn new(title: impl Into<String>, verdict: Verdict, summary: impl Into<String>) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            title: title.into(),
            verdict,
            summary: summary.into(),
            figures: Vec::new(),
            timeline: None,
            conformance: None,
            hang: Vec::new(),
            remarks: Vec::new(),
            listing: None,
        }
    }

    /// Adds a figure.
    pub fn figure(&mut self, name: impl Into<String>, value: impl ToString) {
        self.figures.push(Figure { name: name.into(), value: value.to_string() });
    }

    /// Reads a record, and sees that its parts fit together.
    ///
    /// # Errors
    /// It is no such record.
    pub fn read(text: &str) -> Result<Self, BadRecord> {
        /// What says which kind of file it is.
        #[derive(Deserialize)]
        struct Head {
            #[serde(default)]
            format: String,
            #[serde(default)]
            version: u32,
        }
        let head: Head = serde_json::from_str(text)?;
        if head.format != FORMAT {
            return Err(BadRecord::Format(head.format));
        }
        if head.version != VERSION {
            return Err(BadRecord::Version(head.version));
        }
        let record: RunRecord = serde_json::from_str(text)?;
        if let Some(timeline) = &record.timeline {
            timeline.check().map_err(BadRecord::Inconsistent)?;
        }
        if let Some(listing) = &record.listing {
            listing.check().map_err(BadRecord::Inconsistent)?;
        }
        Ok(record)
    }
}

impl Timeline {
    /// Sees that columns are of one length and that numbers name something.
    fn check(&self) -> Result<(), String> {
        let Self { barriers, operations, statuses, ports, .. } = self;
        self.events.check(barriers.len(), operations.len(), statuses.len(), ports.len())?;
        self.waits.check(barriers.len(), ports.len())?;
        self.series.check()?;
        let named =
            |count: &Count| usize::from(count.op) < operations.len() && usize::from(count.status) < statuses.len();
        if self.counts.iter().all(named) {
            Ok(())
        } else {
            Err("`counts` names an operation or status that is not there".into())
        }
    }

    /// Notes the line of each operation's instruction, which `line` gives by cycle, CTA, byte address and name of the operation.
    pub fn name_lines(&mut self, line: impl Fn(u64, usize, u64, &str) -> Option<usize>) {
        let Self { events, barriers, operations, .. } = self;
        let of = |row: usize| {
            let barrier = &barriers[events.barrier[row]];
            line(events.cycle[row], barrier.cta, barrier.address?, &operations[usize::from(events.op[row])].name)
        };
        events.line = (0..events.cycle.len()).map(of).collect();
    }

    /// Calls barriers by the names that `name` gives for a CTA and a byte address.
    pub fn name_barriers(&mut self, name: impl Fn(usize, u64) -> Option<String>) {
        for barrier in &mut self.barriers {
            barrier.name = barrier.address.and_then(|address| name(barrier.cta, address));
        }
    }
}
