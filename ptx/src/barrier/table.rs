//! Lines of the table of forms: name, qualifiers and operands of an instruction, and the versions and targets that have it.
//!
//! ```text
//!   mbarrier.arrive  {.release/.relaxed .cta/.cluster}  {.shared/.shared::cta}  .b64    state, [addr] {, count}
//!   `--- name ----'  `---------------------- qualifiers ---------------------------'    `------ operands ------'
//! ```

use super::syntax::Group;
use crate::ast::Version;
use crate::target::Least;
use txbar_rtl::op::Op;

/// What an instruction does, as far as a barrier in shared memory or that of the cluster is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // they are called what they are called in PTX
pub enum Verb {
    Init,
    Inval,
    ExpectTx,
    CompleteTx,
    Arrive,
    ArriveDrop,
    TestWait,
    TryWait,
    PendingCount,
    CheckLayout,
    CpAsyncArrive,
    ClusterArrive,
    ClusterWait,
    /// Any other synchronisation instruction.
    Other,
}

/// Kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Destination: a token, or `_`.
    State,
    /// Destination of what returns no token: `_`.
    NoState,
    /// Destination: whether the phase has completed.
    WaitComplete,
    /// The same with a second predicate: whether there is a report.
    WaitReport,
    /// Destination: the report, 8 bits.
    Report,
    /// Destination of check_layout: whether the barrier has the layout.
    HasLayout,
    /// Destination of pending_count.
    Pending,
    /// The barrier.
    Address,
    /// Arrivals.
    Count,
    /// Arrivals of a barrier of layout v1.
    CountV1,
    /// Arrivals, at least one.
    Arrivals,
    /// Bytes of asynchronous copies.
    TxCount,
    /// A token that is used.
    Token,
    /// Parity of a phase.
    Parity,
    /// How long a thread may be suspended, in nanoseconds.
    SuspendTimeHint,
    /// CTAs of the cluster, a bit each.
    CtaMask,
    /// CTAs of a cluster of up to 32, a bit each.
    CtaMask32,
    /// A barrier of the CTA.
    Number,
    /// Threads that take part.
    Threads,
    /// The same where there must be some.
    SomeThreads,
    /// Destination: a number of threads.
    Population,
    /// Destination: a predicate.
    Verdict,
    /// A predicate.
    Predicate,
    /// Lanes of the warp, a bit each.
    Lanes,
    /// Destinations of elect.sync.
    Elected,
    /// Registers of a thread.
    Registers,
    /// Groups that may be left.
    Groups,
    /// An address in shared memory that is copied to.
    ToShared,
    /// Source of a copy.
    FromShared,
    /// An address in global memory that is copied to.
    ToGlobal,
    /// Source of a copy.
    FromGlobal,
    /// Bytes of cp.async.ca.
    SizeCa,
    /// Bytes of cp.async.cg.
    SizeCg,
    /// Bytes that are not zero, or whether all are.
    SourceSize,
    /// Bytes of a bulk copy.
    Bulk,
    /// Bytes at an end of a bulk copy that are not written.
    Ignored,
    /// Which bytes of each 16 are written.
    ByteMask,
    /// A cache policy.
    Policy,
    /// The value or values that are stored: of the type that the instruction names.
    Values,
    /// A tensor map and coordinates.
    Tensor,
    /// A tensor map, the first coordinates and four rows.
    Rows,
    /// Offsets of im2col, two fewer than dimensions.
    Offsets,
    /// Offsets of im2col::w: two.
    OffsetsW,
    /// A tensor map.
    Map,
    /// Bytes of a tensor map.
    MapSize,
}

/// An operand of a line.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// Required.
    Must(Slot),
    /// Optional.
    May(Slot),
    /// Optional from a version and an architecture on.
    Later(Slot, Version, Option<Least>),
    /// Present exactly if this qualifier is.
    If(&'static str, Slot),
}

impl Arg {
    /// What it is.
    pub const fn slot(self) -> Slot {
        match self {
            Arg::Must(slot) | Arg::May(slot) | Arg::Later(slot, ..) | Arg::If(_, slot) => slot,
        }
    }
}

/// A line of the table.
#[derive(Debug)]
pub struct Line {
    /// Kind of instruction.
    pub verb: Verb,
    /// Base.
    pub name: &'static str,
    /// Qualifiers behind the name, in the order of the manual (`Group`).
    pub qualifiers: &'static str,
    /// Operands.
    pub operands: &'static [Arg],
    /// PTX ISA version that introduced it.
    pub since: Version,
    /// Targets that have it.
    pub target: Least,
    /// Operations of the hardware that do it, if it is one of a barrier in shared memory.
    pub ops: &'static [Op],
    /// Description of the effect.
    pub meaning: &'static str,
}

/// A line whose qualifiers have been read.
#[derive(Debug)]
pub struct Entry {
    /// The line.
    pub line: &'static Line,
    /// Qualifiers.
    pub groups: Vec<Group>,
}

impl Entry {
    /// Its syntax: `{}` around what may be left out, `/` between what excludes each other.
    pub fn syntax(&self) -> String {
        let qualifiers: String = self.groups.iter().map(Group::text).collect();
        let operands = self.operands_text();
        let gap = if operands.is_empty() { "" } else { " " };
        format!("{}{qualifiers}{gap}{operands}", self.line.name)
    }

    /// Its operands as the manual writes them.
    fn operands_text(&self) -> String {
        let mut text = String::new();
        for arg in self.line.operands {
            let comma = if text.is_empty() { "" } else { ", " };
            match arg {
                Arg::Must(slot) => text.push_str(&format!("{comma}{}", slot.name())),
                other => text.push_str(&format!("{{{comma}{}}}", other.slot().name())),
            }
        }
        text
    }

    /// The version since which all that must be written of it is there.
    pub fn since(&self) -> Version {
        let needed = self.groups.iter().filter(|group| !group.optional).filter_map(Group::since);
        needed.fold(self.line.since, Version::max)
    }

    /// Where all that must be written of it is there.
    pub fn target(&self) -> Least {
        let needed = self.groups.iter().filter(|group| !group.optional).filter_map(Group::target);
        needed.fold(self.line.target, Least::max)
    }
}
