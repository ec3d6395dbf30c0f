//! Findings: the mistakes that are found in a kernel while it runs or when it hangs, each with a name.

use crate::machine::state::{Spot, ThreadId};
use serde::Serialize;
use txbar_rtl::op::{Op, Reply};
use txbar_rtl::status::Status;

macro_rules! bugs {
    ($($(#[doc = $doc:literal])* $name:ident = $kebab:literal, $advice:literal;)*) => {
        /// Mistakes with barriers that have a name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Bug {
            $($(#[doc = $doc])* $name,)*
        }

        impl Bug {
            /// Every one.
            pub const ALL: &'static [Bug] = &[$(Bug::$name),*];

            /// Name in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Bug::$name => $kebab),* }
            }

            /// Description, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Bug::$name => concat!($($doc),*).trim_ascii()),* }
            }

            /// Advice.
            pub const fn advice(self) -> &'static str {
                match self { $(Bug::$name => $advice),* }
            }
        }
    };
}

bugs! {
    /// A wait began with the wrong parity: it waits for a phase that cannot complete first, or passed before the first phase.
    WrongStartingParity = "wrong-starting-parity",
        "the first phase has parity 0; only who waits for a phase before the first (an empty slot) begins with 1";
    /// A barrier is used that has not been initialised, or has been invalidated.
    MissingInit = "missing-init", "initialise it with mbarrier.init before any other use";
    /// A barrier is used by another thread than the one that initialised it, and nothing orders the two.
    MissingInitFence = "missing-init-fence",
        "put bar.sync between them in a CTA; fence.mbarrier_init.release.cluster and barrier.cluster in a cluster";
    /// The count of mbarrier.init is not the number of arrivals that come.
    InitCount = "init-count", "initialise the barrier for exactly the arrivals of a phase";
    /// A live barrier is initialised again.
    ReinitWithoutInval = "reinit-without-inval", "invalidate it with mbarrier.inval first";
    /// The bytes expected are not the bytes that copies complete.
    ExpectTxBytes = "expect-tx-bytes", "expect exactly the bytes that are copied on this barrier in the phase";
    /// The tx-count left its range.
    TxOverflow = "tx-overflow", "keep the bytes that are expected or completed in a phase below 2^20";
    /// A wait for a phase is missing: somebody arrives in the next, or reads or overwrites what belongs to the phase, before it is over.
    MissingWait = "missing-wait", "wait for each phase before anything of the next: a consumer for the full slot, a producer for the empty one";
    /// A wait on the barrier of another CTA.
    RemoteWait = "remote-wait", "wait on a barrier of the own CTA; others can only arrive on it";
    /// The operand of a .parity wait is part of a state token.
    TokenAsParity = "token-as-parity", "give the token to a wait without .parity, or pass 0 or 1";
    /// The operand of a .parity wait is neither 0 nor 1, nor all ones, which compilers make of `true`.
    ParityOperand = "parity-operand", "pass the phase's number modulo 2";
    /// A wait for a phase that completed two or more phases ago: its parity is that of the phase that is going on.
    AliasedParity = "aliased-parity", "wait for every phase, or at least every second, and have nobody arrive in the next before all have seen it";
    /// An arrival with .noComplete completed its phase.
    NoCompleteCompleted = "no-complete-completed", "leave out .noComplete where the arrival may be the last";
    /// A barrier is invalidated while threads wait on it.
    InvalWithWaiters = "inval-with-waiters", "invalidate it after all waits have come back";
    /// A plain store, or a copy, to a live barrier.
    StoreToBarrier = "store-to-barrier", "invalidate the barrier before its memory is used for something else";
    /// Shared memory of a CTA is accessed or written by copies when all its threads have exited, or may have.
    LandsAfterExit = "lands-after-exit",
        "have no CTA exit before all that others send it has landed, and all that they read is read: barrier.cluster at the end";
    /// The source of a copy is written, and nobody has waited until the copy has read it.
    SourceReused = "source-reused", "wait with cp.async.bulk.wait_group.read, or for the barrier, before the source is used again";
    /// Two accesses to the same bytes, one of them a write, and nothing orders them.
    DataRace = "data-race", "order the two: by a barrier, or by a release and an acquire";
    /// Bytes are accessed by threads and by asynchronous copies, and no proxy fence lies in between.
    MissingProxyFence = "missing-proxy-fence", "put the fence of the proxy between the two: it orders what its own thread has done, and what that thread knows of";
    /// A release or an acquire whose scope does not reach the other thread.
    ScopeTooSmall = "scope-too-small", "write the scope that includes both threads: what names none is .cta on a barrier";
    /// Memory or a register is read that nobody has written.
    NeverWritten = "never-written", "write all bytes before they are read";
    /// Bytes are accessed that a copy is to write, and nobody has waited for the copy.
    CopyNotAwaited = "copy-not-awaited", "wait for the barrier, or the group, of the copy first";
    /// More arrivals than the barrier counts for its phase.
    TooManyArrivals = "too-many-arrivals", "a thread that has dropped out of a barrier does not arrive on it any more";
    /// Arrivals are missing of threads that have exited, have left one out, or have gone past their last arrival on the barrier.
    ArriverGone = "arriver-gone",
        "have them arrive in every phase before they leave, or drop out with mbarrier.arrive_drop; or wait for no more phases than they arrive in";
    /// A thread waits for a phase that lacks its own arrival, which comes behind the wait.
    OwnArrivalAfterWait = "own-arrival-after-wait",
        "arrive before the wait; a pipeline needs as many stages as it acquires before it releases the first";
    /// Bytes are expected in a phase by a thread that does not arrive in it: expect_tx is no arrival.
    ExpectWithoutArrive = "expect-without-arrive", "use mbarrier.arrive.expect_tx, or arrive after mbarrier.expect_tx";
    /// Arrivals that a phase needs are made nowhere, or on another barrier.
    NoArrival = "no-arrival", "arrive on the barrier that is waited for, or wait on the one that is arrived on";
    /// Threads spin on a word in memory, and no thread that could still move writes it.
    EndlessSpin = "endless-spin", "have it written after that, or count up where a value is set back before all have seen it";
    /// Threads wait for each other: each brings what another needs only after a wait that needs the other.
    Deadlock = "deadlock", "arrive before waiting, or change the order of the waits";
    /// Threads wait at a barrier of the CTA or cluster, or at wgmma, that others never reach.
    NotReached = "barrier-not-reached", "have all threads that take part execute the barrier";
    /// Instructions that meet on a barrier of the CTA, or may, name different numbers of threads, or are .red and not.
    BarMismatch = "bar-mismatch",
        "name the same number of threads with every instruction on a barrier, and no .red with .sync or .arrive";
    /// The number of threads of a barrier of the CTA is not that of the warps that come to it.
    BarCount = "bar-count", "count 32 threads for each instruction of a warp that is to come, .arrive and .sync together";
    /// setmaxnreg.inc waits for registers that no warp gives back.
    RegisterPool = "register-pool",
        "give back as many with setmaxnreg.dec in other warps of the same part (warps w, w + 4, w + 8, ...): a warp that exits gives none back";
    /// CTAs of the grid are waited for that cannot begin before others have ended.
    NotResident = "grid-not-resident", "launch no more CTAs than are resident at once if they wait for each other";
    /// A warp arrives on a barrier of the CTA before all others of the phase before have come, or may: it counts in their place.
    BarSurplus = "bar-surplus", "have the warp wait until the barrier has completed before it arrives again; give two groups a barrier each";
}

impl Bug {
    /// The one that a status of the hardware tells of.
    pub fn of(status: Status, op: Op) -> Option<Bug> {
        let waits = op.reply() == Reply::Predicate;
        Some(match status {
            Status::MissingInit => Bug::MissingInit,
            Status::ReinitWithoutInval => Bug::ReinitWithoutInval,
            Status::StoreToBarrier => Bug::StoreToBarrier,
            Status::MissingWait => Bug::MissingWait,
            Status::NoCompleteCompleted => Bug::NoCompleteCompleted,
            Status::InvalWithWaiters | Status::Invalidated => Bug::InvalWithWaiters,
            Status::TxRange | Status::FaultedWord => Bug::TxOverflow,
            Status::PendingUnderflow | Status::ExpectedUnderflow => Bug::TooManyArrivals,
            Status::RemoteUnsupported if waits => Bug::RemoteWait,
            _ => return None,
        })
    }

    /// Whether threads may come to a halt because of it.
    pub const fn stops_threads(self) -> bool {
        matches!(
            self,
            Bug::MissingInit
                | Bug::MissingInitFence
                | Bug::InitCount
                | Bug::ReinitWithoutInval
                | Bug::TxOverflow
                | Bug::MissingWait
                | Bug::WrongStartingParity
                | Bug::TokenAsParity
                | Bug::ParityOperand
                | Bug::StoreToBarrier
        )
    }
}

/// A number of things, in words.
pub fn plural(count: u64, of: &str) -> String {
    if count == 1 { format!("1 {of}") } else { format!("{count} {of}s") }
}

/// What is said of a barrier that nobody has initialised so far.
pub const NOT_YET: &str = "nobody has initialised it so far";

/// A mistake that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Kind of mistake.
    pub bug: Bug,
    /// The instruction.
    pub pc: usize,
    /// The first thread that made it.
    pub thread: ThreadId,
    /// The barrier.
    pub spot: Spot,
    /// The status that the hardware gave.
    pub status: Option<Status>,
    /// More about it.
    pub detail: String,
    /// The word before, if it is known.
    pub word: Option<u64>,
    /// How often it was made with this instruction.
    pub times: u64,
    /// Another instruction, in which the mistake shows.
    pub shows: Option<usize>,
    /// Of a race: the accesses of this instruction and of the other.
    pub accesses: Option<[String; 2]>,
    /// Only suspected: correct programs may look the same.
    pub suspected: bool,
}

impl Finding {
    /// A mistake, made once.
    pub fn new(bug: Bug, pc: usize, thread: ThreadId, spot: Spot, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            bug,
            pc,
            thread,
            spot,
            status: None,
            detail,
            word: None,
            times: 1,
            shows: None,
            accesses: None,
            suspected: false,
        }
    }
}

/// All that were found, one for each instruction and kind.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    found: Vec<Finding>,
    /// Only what marks a word as faulty is told, as silicon does.
    unchecked: bool,
}

impl Findings {
    /// None so far, of all mistakes or of those that silicon sees.
    pub fn new(checked: bool) -> Self {
        Self { found: Vec::new(), unchecked: !checked }
    }

    /// Adds a finding.
    pub fn push(&mut self, finding: Finding) {
        if self.unchecked && finding.status.is_none_or(Status::is_remark) {
            return;
        }
        match self.found.iter_mut().find(|found| {
            found.accesses.is_none()
                && (found.bug, found.pc, found.suspected) == (finding.bug, finding.pc, finding.suspected)
        }) {
            Some(found) => found.times += 1,
            None => self.found.push(finding),
        }
    }

    /// A barrier is initialised: uses of it by other threads that came before were not too many, but too early.
    pub fn initialised(&mut self, spot: Spot, by: ThreadId, name: &str) {
        let early = |found: &&mut Finding| {
            (found.bug, found.spot) == (Bug::MissingInit, spot) && found.thread != by && found.detail == NOT_YET
        };
        for found in self.found.iter_mut().filter(early) {
            found.bug = Bug::MissingInitFence;
            found.status = None;
            found.detail = format!("{name} initialises it after this");
        }
    }

    /// In the order in which they were made first.
    pub fn list(&self) -> &[Finding] {
        &self.found
    }

    /// Takes them all. That nobody has waited for a copy goes without saying where its barrier is misused.
    pub fn take(mut self) -> Vec<Finding> {
        let is_cause = |found: &&Finding| found.accesses.is_none() && !found.suspected;
        let misused: Vec<Spot> = self.found.iter().filter(is_cause).map(|found| found.spot).collect();
        self.found.retain(|found| found.bug != Bug::CopyNotAwaited || !misused.contains(&found.spot));
        self.found
    }
}

/// Names for JSON.
impl Serialize for Bug {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPOT: Spot = Spot { cta: 0, offset: 8 };

    fn thread(thread: u16) -> ThreadId {
        ThreadId { cta: 0, thread }
    }

    #[test]
    fn the_same_mistake_with_the_same_instruction_is_counted() {
        let mut findings = Findings::default();
        for who in 0..3 {
            findings.push(Finding::new(Bug::MissingWait, 4, thread(who), SPOT, ""));
        }
        findings.push(Finding::new(Bug::MissingWait, 5, thread(0), SPOT, ""));
        let counts: Vec<_> = findings.list().iter().map(|found| (found.pc, found.thread.thread, found.times)).collect();
        assert_eq!(counts, [(4, 0, 3), (5, 0, 1)]);
    }

    #[test]
    fn a_barrier_that_is_initialised_later_was_used_too_early() {
        let mut findings = Findings::default();
        findings.push(Finding::new(Bug::MissingInit, 4, thread(1), SPOT, NOT_YET));
        findings.push(Finding::new(Bug::MissingInit, 5, thread(0), SPOT, NOT_YET));
        findings.push(Finding::new(Bug::MissingInit, 6, thread(1), Spot { offset: 16, ..SPOT }, NOT_YET));
        findings.initialised(SPOT, thread(0), "thread 0");
        let bugs: Vec<Bug> = findings.list().iter().map(|found| found.bug).collect();
        assert_eq!(
            bugs,
            [Bug::MissingInitFence, Bug::MissingInit, Bug::MissingInit],
            "another thread, another barrier"
        );
    }
}
