//! The table of forms: every synchronisation instruction of PTX up to 9.5, as ptxas takes it (the manual's chapters 9.7.9.25 to
//! 9.7.9.27, 9.7.13 and 9.7.14; `tests/legality` compares with what ptxas says).
//!
//! The qualifiers are in the manual's order; ptxas takes them in any, but for the state spaces of destination and source.

use super::table::Arg::{self, May, Must};
use super::table::Slot::*;
use super::table::{Line, Verb};
use crate::ast::Version;
use crate::target::Least;
use txbar_rtl::op::Op;

/// Memory ordering of arrivals.
macro_rules! arrival {
    () => {
        "{.release|.relaxed@8.6,90&.cta|.cluster@,90}@8.0"
    };
}
/// Of waits.
macro_rules! wait {
    () => {
        "{.acquire|.relaxed@8.6,90&.cta|.cluster@,90}@8.0"
    };
}
/// The own CTA.
macro_rules! own {
    () => {
        "{.shared|.shared::cta@7.8}"
    };
}
/// Any CTA of the cluster.
macro_rules! any {
    () => {
        "{.shared|.shared::cta|.shared::cluster}"
    };
}
/// The bytes are completed on a barrier.
macro_rules! bytes {
    () => {
        ".mbarrier::complete_tx::bytes"
    };
}
/// Elements of copies into shared memory that are reported to the barrier.
macro_rules! report {
    () => {
        "{.mbarrier::report::disabled\
         |.mbarrier::report::validity::per_16bytes::80000000\
         |.mbarrier::report::validity::per_16bytes::8000\
         |.mbarrier::report::validity::per_16bytes::80\
         |.mbarrier::report::validity::per_16bytes::8\
         |.mbarrier::report::validity::per_element::ff}@9.4,107a"
    };
}
/// Several CTAs of the cluster.
macro_rules! multicast {
    () => {
        "{.multicast::cluster|.multicast::cluster::32b@9.4,107a}"
    };
}
/// A cache policy.
macro_rules! hint {
    () => {
        "{.L2::cache_hint}"
    };
}
/// Bulk copies that are ordered.
macro_rules! relaxed {
    () => {
        "{.relaxed&.cta|.cluster|.gpu|.sys}@9.3"
    };
}
/// Reductions; which types each goes with says [`reductions`](super::reductions).
macro_rules! operations {
    () => {
        ".add|.min|.max|.inc|.dec|.and|.or|.xor"
    };
}
/// Dimensions of a tensor.
macro_rules! dims {
    () => {
        ".1d|.2d|.3d|.4d|.5d"
    };
}

const POLICY: Arg = Arg::If("L2::cache_hint", Policy);
const MASK: Arg = Arg::If("multicast::cluster", CtaMask);
const MASK_32: Arg = Arg::If("multicast::cluster::32b", CtaMask32);
const BYTE_MASK: Arg = Arg::If("cp_mask", ByteMask);
/// A count of arrivals of a barrier that may complete with them.
const COUNT: Arg = Arg::Later(Arrivals, Version { major: 7, minor: 8 }, Some(Least::sm(90)));

/// The architecture of a line.
macro_rules! least {
    ("90a") => {
        Least::SUFFIXED
    };
    ($number:literal) => {
        Least::sm($number)
    };
}

macro_rules! lines {
    ($($name:literal [$($qualifiers:expr),*]
        [$($arg:expr),*] ptx $major:literal $minor:literal sm $least:tt $verb:ident [$($op:ident),*] $meaning:literal;)*) => {
        /// The table.
        pub const LINES: &[Line] = &[$(Line {
            verb: Verb::$verb,
            name: $name,
            qualifiers: concat!($($qualifiers, " ",)* ""),
            operands: &[$($arg),*],
            since: Version { major: $major, minor: $minor },
            target: least!($least),
            ops: &[$(Op::$op),*],
            meaning: $meaning,
        }),*];
    };
}

lines! {
    "mbarrier.init" [own!(), ".b64"]
        [Must(Address), Must(Count)] ptx 7 0 sm 80 Init [Init] "makes a barrier that waits for `count` arrivals in each phase";
    "mbarrier.init" [".layout::v0@9.3,90", own!(), ".b64"]
        [Must(Address), Must(Count)] ptx 7 0 sm 80 Init [Init] "the same";
    "mbarrier.init" [".layout::v1@9.3,90", own!(), ".b64"]
        [Must(Address), Must(CountV1)] ptx 7 0 sm 80 Init [Init, Load, Store] "the same with layout v1, bit 0 of the word; `count` is 511 at most";
    "mbarrier.inval" [own!(), ".b64"]
        [Must(Address)] ptx 7 0 sm 80 Inval [Inval] "ends the barrier; its memory may be used for something else";
    "mbarrier.expect_tx" ["{.relaxed&.cta|.cluster}", any!(), ".b64"]
        [Must(Address), Must(TxCount)] ptx 8 0 sm 90 ExpectTx [ExpectTx] "the phase waits for `txCount` more bytes";
    "mbarrier.expect_tx" ["{.relaxed&.cta|.cluster}", ".multicast::cluster::32b@9.4,107a {.shared::cluster}", ".b64"]
        [Must(Address), Must(TxCount), Must(CtaMask32)] ptx 8 0 sm 90 ExpectTx [] "the same of several CTAs' barriers";
    "mbarrier.complete_tx" ["{.relaxed&.cta|.cluster}", any!(), ".b64"]
        [Must(Address), Must(TxCount)] ptx 8 0 sm 90 CompleteTx [CompleteTx] "the phase waits for `txCount` bytes less, as if a copy had brought them";
    "mbarrier.complete_tx" ["{.relaxed&.cta|.cluster}", ".multicast::cluster::32b@9.4,107a {.shared::cluster}", ".b64"]
        [Must(Address), Must(TxCount), Must(CtaMask32)] ptx 8 0 sm 90 CompleteTx [] "the same of several CTAs' barriers";
    "mbarrier.arrive" [arrival!(), own!(), ".b64"]
        [Must(State), Must(Address), COUNT] ptx 7 0 sm 80 Arrive [Arrive] "`count` arrivals, 1 if it is not said";
    "mbarrier.arrive" [arrival!(), ".shared::cluster@8.0,90", ".b64"]
        [Must(NoState), Must(Address), COUNT] ptx 7 0 sm 80 Arrive [Arrive] "the same on another CTA's barrier";
    "mbarrier.arrive" [arrival!(), ".multicast::cluster::32b@9.4,107a", ".b64"]
        [Must(State), Must(Address), May(Arrivals), Must(CtaMask32)] ptx 7 0 sm 80 Arrive [] "the same on several CTAs' barriers";
    "mbarrier.arrive" [arrival!(), ".multicast::cluster::32b@9.4,107a .shared::cluster", ".b64"]
        [Must(NoState), Must(Address), May(Arrivals), Must(CtaMask32)] ptx 7 0 sm 80 Arrive [] "the same on several CTAs' barriers";
    "mbarrier.arrive.expect_tx" [arrival!(), own!(), ".b64"]
        [Must(State), Must(Address), Must(TxCount)] ptx 8 0 sm 90 Arrive [ArriveExpectTx] "the phase waits for `txCount` more bytes; then one arrival";
    "mbarrier.arrive.expect_tx" [arrival!(), ".shared::cluster", ".b64"]
        [Must(NoState), Must(Address), Must(TxCount)] ptx 8 0 sm 90 Arrive [ArriveExpectTx] "the same on another CTA's barrier";
    "mbarrier.arrive.expect_tx" [arrival!(), ".multicast::cluster::32b@9.4,107a", ".b64"]
        [Must(State), Must(Address), Must(TxCount), Must(CtaMask32)] ptx 8 0 sm 90 Arrive [] "the same on several CTAs' barriers";
    "mbarrier.arrive.expect_tx" [arrival!(), ".multicast::cluster::32b@9.4,107a .shared::cluster", ".b64"]
        [Must(NoState), Must(Address), Must(TxCount), Must(CtaMask32)] ptx 8 0 sm 90 Arrive [] "the same on several CTAs' barriers";
    "mbarrier.arrive" [".noComplete", "{.release&.cta}@8.0", own!(), ".b64"]
        [Must(State), Must(Address), Must(Arrivals)] ptx 7 0 sm 80 Arrive [ArriveNoComplete] "`count` arrivals that are not to complete the phase";
    "mbarrier.arrive_drop" [arrival!(), own!(), ".b64"]
        [Must(State), Must(Address), COUNT] ptx 7 0 sm 80 ArriveDrop [ArriveDrop] "`count` arrivals, 1 if it is not said, that later phases do not wait for any more";
    "mbarrier.arrive_drop" [arrival!(), ".shared::cluster@8.0,90", ".b64"]
        [Must(NoState), Must(Address), COUNT] ptx 7 0 sm 80 ArriveDrop [ArriveDrop] "the same on another CTA's barrier";
    "mbarrier.arrive_drop" [arrival!(), ".multicast::cluster::32b@9.4,107a", ".b64"]
        [Must(State), Must(Address), May(Arrivals), Must(CtaMask32)] ptx 7 0 sm 80 ArriveDrop [] "the same on several CTAs' barriers";
    "mbarrier.arrive_drop" [arrival!(), ".multicast::cluster::32b@9.4,107a .shared::cluster", ".b64"]
        [Must(NoState), Must(Address), May(Arrivals), Must(CtaMask32)] ptx 7 0 sm 80 ArriveDrop [] "the same on several CTAs' barriers";
    "mbarrier.arrive_drop.expect_tx" [arrival!(), own!(), ".b64"]
        [Must(State), Must(Address), Must(TxCount)] ptx 8 0 sm 90 ArriveDrop [ArriveDropExpectTx] "the phase waits for `txCount` more bytes; then one arrival that later phases do not wait for";
    "mbarrier.arrive_drop.expect_tx" [arrival!(), ".shared::cluster", ".b64"]
        [Must(NoState), Must(Address), Must(TxCount)] ptx 8 0 sm 90 ArriveDrop [ArriveDropExpectTx] "the same on another CTA's barrier";
    "mbarrier.arrive_drop.expect_tx" [arrival!(), ".multicast::cluster::32b@9.4,107a", ".b64"]
        [Must(State), Must(Address), Must(TxCount), Must(CtaMask32)] ptx 8 0 sm 90 ArriveDrop [] "the same on several CTAs' barriers";
    "mbarrier.arrive_drop.expect_tx" [arrival!(), ".multicast::cluster::32b@9.4,107a .shared::cluster", ".b64"]
        [Must(NoState), Must(Address), Must(TxCount), Must(CtaMask32)] ptx 8 0 sm 90 ArriveDrop [] "the same on several CTAs' barriers";
    "mbarrier.arrive_drop" [".noComplete", "{.release&.cta}@8.0", own!(), ".b64"]
        [Must(State), Must(Address), Must(Arrivals)] ptx 7 0 sm 80 ArriveDrop [ArriveDropNoComplete] "`count` arrivals that later phases do not wait for and that are not to complete this one";
    "cp.async.mbarrier.arrive" [own!(), ".b64"]
        [Must(Address)] ptx 7 0 sm 80 CpAsyncArrive [CpAsyncBegin, CpAsyncEnd] "the phase waits until the thread's earlier `cp.async` are done";
    "cp.async.mbarrier.arrive" [".noinc", own!(), ".b64"]
        [Must(Address)] ptx 7 0 sm 80 CpAsyncArrive [CpAsyncArrive] "one arrival when the thread's earlier `cp.async` are done, which `init` has counted";
    "mbarrier.test_wait" [wait!(), own!(), ".b64"]
        [Must(WaitComplete), Must(Address), Must(Token)] ptx 7 0 sm 80 TestWait [TestWait] "whether the phase of a token has completed";
    "mbarrier.test_wait" [".phase_type::primary@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitReport), Must(Address), Must(Token)] ptx 7 0 sm 80 TestWait [TestWait] "the same, and whether there is a report";
    "mbarrier.test_wait" [".phase_type::primary@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitReport), Must(Report), Must(Address), Must(Token)] ptx 7 0 sm 80 TestWait [TestWait] "the same, and the report";
    "mbarrier.test_wait.parity" [wait!(), own!(), ".b64"]
        [Must(WaitComplete), Must(Address), Must(Parity)] ptx 7 1 sm 80 TestWait [TestWaitParity] "whether the phase with this parity has completed";
    "mbarrier.test_wait.parity" [".phase_type::primary@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitReport), Must(Address), Must(Parity)] ptx 7 1 sm 80 TestWait [TestWaitParity] "the same, and whether there is a report";
    "mbarrier.test_wait.parity" [".phase_type::primary@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitReport), Must(Report), Must(Address), Must(Parity)] ptx 7 1 sm 80 TestWait [TestWaitParity] "the same, and the report";
    "mbarrier.test_wait.parity" [".phase_type::conditional@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitComplete), Must(Address), Must(Parity)] ptx 7 1 sm 80 TestWait [TestWaitParity] "the same of the conditional phase";
    "mbarrier.try_wait" [wait!(), own!(), ".b64"]
        [Must(WaitComplete), Must(Address), Must(Token), May(SuspendTimeHint)] ptx 7 8 sm 90 TryWait [TryWait] "whether the phase of a token has completed; the thread may be suspended until it has";
    "mbarrier.try_wait" [".phase_type::primary@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitReport), Must(Address), Must(Token), May(SuspendTimeHint)] ptx 7 8 sm 90 TryWait [TryWait] "the same, and whether there is a report";
    "mbarrier.try_wait" [".phase_type::primary@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitReport), Must(Report), Must(Address), Must(Token), May(SuspendTimeHint)] ptx 7 8 sm 90 TryWait [TryWait] "the same, and the report";
    "mbarrier.try_wait.parity" [wait!(), own!(), ".b64"]
        [Must(WaitComplete), Must(Address), Must(Parity), May(SuspendTimeHint)] ptx 7 8 sm 90 TryWait [TryWaitParity] "whether the phase with this parity has completed; the thread may be suspended until it has";
    "mbarrier.try_wait.parity" [".phase_type::primary@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitReport), Must(Address), Must(Parity), May(SuspendTimeHint)] ptx 7 8 sm 90 TryWait [TryWaitParity] "the same, and whether there is a report";
    "mbarrier.try_wait.parity" [".phase_type::primary@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitReport), Must(Report), Must(Address), Must(Parity), May(SuspendTimeHint)] ptx 7 8 sm 90 TryWait [TryWaitParity] "the same, and the report";
    "mbarrier.try_wait.parity" [".phase_type::conditional@9.3,90", wait!(), own!(), ".b64"]
        [Must(WaitComplete), Must(Address), Must(Parity), May(SuspendTimeHint)] ptx 7 8 sm 90 TryWait [TryWaitParity] "the same of the conditional phase";
    "mbarrier.pending_count" ["{.layout::v0}@9.3,90", ".b64"]
        [Must(Pending), Must(Token)] ptx 7 0 sm 80 PendingCount [PendingCount] "pending arrivals before the arrival that gave the token";
    "mbarrier.check_layout" [".layout::v0|.layout::v1", own!(), ".b64"]
        [Must(HasLayout), Must(Address)] ptx 9 3 sm 90 CheckLayout [Load] "whether the barrier has this layout";
    "barrier.cluster.arrive" ["{.release@8.0|.relaxed@8.0}", "{.aligned}"]
        [] ptx 7 8 sm 90 ClusterArrive [] "the thread has come to the cluster's barrier; it does not wait";
    "barrier.cluster.wait" ["{.acquire@8.0}", "{.aligned}"]
        [] ptx 7 8 sm 90 ClusterWait [] "waits until all threads of the cluster have come";
    "bar" [".sync"]
        [Must(Number), May(Threads)] ptx 1 0 sm 10 Other [] "waits until `b` threads, or all of the CTA, have come to barrier `a`";
    "bar.arrive" []
        [Must(Number), Must(SomeThreads)] ptx 1 0 sm 10 Other [] "the thread has come to barrier `a`; it does not wait";
    "bar.red" [".popc", ".u32"]
        [Must(Population), Must(Number), May(Threads), Must(Predicate)] ptx 1 0 sm 10 Other [] "waits, and counts the threads whose predicate is true";
    "bar.red" [".and|.or", ".pred"]
        [Must(Verdict), Must(Number), May(Threads), Must(Predicate)] ptx 1 0 sm 10 Other [] "waits, and combines the predicates";
    "bar.cta" [".sync"]
        [Must(Number), May(Threads)] ptx 7 8 sm 10 Other [] "waits until `b` threads, or all of the CTA, have come to barrier `a`";
    "bar.cta.arrive" []
        [Must(Number), Must(SomeThreads)] ptx 7 8 sm 10 Other [] "the thread has come to barrier `a`; it does not wait";
    "bar.cta.red" [".popc", ".u32"]
        [Must(Population), Must(Number), May(Threads), Must(Predicate)] ptx 7 8 sm 10 Other [] "waits, and counts the threads whose predicate is true";
    "bar.cta.red" [".and|.or", ".pred"]
        [Must(Verdict), Must(Number), May(Threads), Must(Predicate)] ptx 7 8 sm 10 Other [] "waits, and combines the predicates";
    "barrier" [".sync", "{.aligned}"]
        [Must(Number), May(Threads)] ptx 6 0 sm 30 Other [] "waits until `b` threads, or all of the CTA, have come to barrier `a`";
    "barrier.arrive" ["{.aligned}"]
        [Must(Number), Must(SomeThreads)] ptx 6 0 sm 30 Other [] "the thread has come to barrier `a`; it does not wait";
    "barrier.red" [".popc", "{.aligned}", ".u32"]
        [Must(Population), Must(Number), May(Threads), Must(Predicate)] ptx 6 0 sm 30 Other [] "waits, and counts the threads whose predicate is true";
    "barrier.red" [".and|.or", "{.aligned}", ".pred"]
        [Must(Verdict), Must(Number), May(Threads), Must(Predicate)] ptx 6 0 sm 30 Other [] "waits, and combines the predicates";
    "barrier.cta" [".sync", "{.aligned}"]
        [Must(Number), May(Threads)] ptx 7 8 sm 30 Other [] "waits until `b` threads, or all of the CTA, have come to barrier `a`";
    "barrier.cta.arrive" ["{.aligned}"]
        [Must(Number), Must(SomeThreads)] ptx 7 8 sm 30 Other [] "the thread has come to barrier `a`; it does not wait";
    "barrier.cta.red" [".popc", "{.aligned}", ".u32"]
        [Must(Population), Must(Number), May(Threads), Must(Predicate)] ptx 7 8 sm 30 Other [] "waits, and counts the threads whose predicate is true";
    "barrier.cta.red" [".and|.or", "{.aligned}", ".pred"]
        [Must(Verdict), Must(Number), May(Threads), Must(Predicate)] ptx 7 8 sm 30 Other [] "waits, and combines the predicates";
    "bar.warp" [".sync"]
        [Must(Lanes)] ptx 6 0 sm 30 Other [] "waits for the lanes of the mask";
    "elect" [".sync"]
        [Must(Elected), Must(Lanes)] ptx 8 0 sm 90 Other [] "elects one lane of the mask";
    "membar" [".cta|.gl|.sys"]
        [] ptx 1 4 sm 10 Other [] "orders memory accesses of the thread";
    "membar.proxy" [".alias|.async@8.0,90"]
        [] ptx 7 5 sm 70 Other [] "the same as `fence.proxy`";
    "fence" ["{.sc|.acq_rel}", ".cta|.cluster@7.8,90|.gpu|.sys"]
        [] ptx 6 0 sm 70 Other [] "orders memory accesses of the thread";
    "fence" [".acquire|.release", ".cta|.cluster|.gpu|.sys"]
        [] ptx 8 6 sm 90 Other [] "the same in one direction";
    "fence" [".acquire", ".sync_restrict::shared::cluster", ".cluster"]
        [] ptx 8 6 sm 90 Other [] "the same of barriers in the cluster's shared memory";
    "fence" [".release", ".sync_restrict::shared::cta", ".cluster"]
        [] ptx 8 6 sm 90 Other [] "the same of barriers in the CTA's shared memory";
    "fence" [".mbarrier_init", ".release", ".cluster"]
        [] ptx 8 0 sm 90 Other [] "makes `mbarrier.init` known to the cluster";
    "fence.proxy" [".alias"]
        [] ptx 7 5 sm 70 Other [] "orders accesses by different virtual addresses of one place";
    "fence.proxy" [".async@8.0,90", "{.global|.shared::cta|.shared::cluster}"]
        [] ptx 7 5 sm 70 Other [] "orders accesses of the thread and those of asynchronous copies";
    "fence.proxy" [".async::generic@8.6,90", ".acquire", ".sync_restrict::shared::cluster", ".cluster"]
        [] ptx 7 5 sm 70 Other [] "the same in one direction";
    "fence.proxy" [".async::generic@8.6,90", ".release", ".sync_restrict::shared::cta", ".cluster"]
        [] ptx 7 5 sm 70 Other [] "the same in one direction";
    "fence.proxy" [".tensormap::generic@8.3,90", ".release|.acq_rel", ".cta|.cluster|.gpu|.sys"]
        [] ptx 7 5 sm 70 Other [] "makes writes to a tensor map known";
    "fence.proxy" [".tensormap::generic@8.3,90", ".acquire", ".cta|.cluster|.gpu|.sys"]
        [Must(Map), Must(MapSize)] ptx 7 5 sm 70 Other [] "makes a tensor map that was written known";
    "setmaxnreg.inc" [".sync", ".aligned", ".u32|.s32"]
        [Must(Registers)] ptx 8 0 sm "90a" Other [] "takes registers until a thread has so many; waits for them";
    "setmaxnreg.dec" [".sync", ".aligned", ".u32|.s32"]
        [Must(Registers)] ptx 8 0 sm "90a" Other [] "gives registers back";
    "griddepcontrol" [".launch_dependents|.wait"]
        [] ptx 7 8 sm 90 Other [] "lets grids begin that depend on this one; waits for those that this one depends on";
    "cp.async" [".ca", ".shared|.shared::cta", ".global", "{.L2::cache_hint}@7.4", "{.L2::64B|.L2::128B|.L2::256B}@7.4"]
        [Must(ToShared), Must(FromGlobal), Must(SizeCa), May(SourceSize), POLICY] ptx 7 0 sm 80 Other [] "copies a few bytes asynchronously";
    "cp.async" [".cg", ".shared|.shared::cta", ".global", "{.L2::cache_hint}@7.4", "{.L2::64B|.L2::128B|.L2::256B}@7.4"]
        [Must(ToShared), Must(FromGlobal), Must(SizeCg), May(SourceSize), POLICY] ptx 7 0 sm 80 Other [] "copies a few bytes asynchronously";
    "cp.async.commit_group" []
        [] ptx 7 0 sm 80 Other [] "makes a group of the thread's earlier `cp.async`";
    "cp.async.wait_group" []
        [Must(Groups)] ptx 7 0 sm 80 Other [] "waits until at most `n` groups are left";
    "cp.async.wait_all" []
        [] ptx 7 0 sm 80 Other [] "waits for all of the thread's `cp.async`";
    "cp.async.bulk.commit_group" []
        [] ptx 8 0 sm 90 Other [] "makes a group of the thread's earlier bulk copies";
    "cp.async.bulk.wait_group" ["{.read}"]
        [Must(Groups)] ptx 8 0 sm 90 Other [] "waits until at most `n` groups are left, or have their sources still to read";
    "cp.async.bulk" ["{.weak}@9.3", ".shared::cluster .global", bytes!(), report!(), multicast!(), hint!()]
        [Must(ToShared), Must(FromGlobal), Must(Bulk), Must(Address), MASK, MASK_32, POLICY] ptx 8 0 sm 90 Other [] "copies from global to shared memory";
    "cp.async.bulk" ["{.weak}@9.3", ".shared::cta@8.6 .global", bytes!(), report!(), hint!()]
        [Must(ToShared), Must(FromGlobal), Must(Bulk), Must(Address), POLICY] ptx 8 0 sm 90 Other [] "the same to that of the own CTA";
    "cp.async.bulk" ["{.weak}@9.3", ".shared::cta@8.6 .global", bytes!(), ".ignore_oob@9.2", report!(), hint!()]
        [Must(ToShared), Must(FromGlobal), Must(Bulk), Must(Ignored), Must(Ignored), Must(Address), POLICY] ptx 8 0 sm 90 Other [] "the same without some bytes at both ends";
    "cp.async.bulk" ["{.relaxed&.cta|.cluster|.gpu|.sys}@9.3,90a..110", ".shared::cluster .global", bytes!(), multicast!(), hint!(), ".b128"]
        [Must(ToShared), Must(FromGlobal), Must(Bulk), Must(Address), MASK, MASK_32, POLICY] ptx 8 0 sm 90 Other [] "the same by whole 16 bytes";
    "cp.async.bulk" [relaxed!(), ".shared::cta@8.6 .global", bytes!(), hint!(), ".b128"]
        [Must(ToShared), Must(FromGlobal), Must(Bulk), Must(Address), POLICY] ptx 8 0 sm 90 Other [] "the same by whole 16 bytes";
    "cp.async.bulk" ["{.weak}@9.3", ".shared::cluster .shared::cta", bytes!()]
        [Must(ToShared), Must(FromShared), Must(Bulk), Must(Address)] ptx 8 0 sm 90 Other [] "copies to the shared memory of a CTA of the cluster";
    "cp.async.bulk" [relaxed!(), ".shared::cluster .shared::cta", bytes!(), ".b128"]
        [Must(ToShared), Must(FromShared), Must(Bulk), Must(Address)] ptx 8 0 sm 90 Other [] "the same by whole 16 bytes";
    "cp.async.bulk" ["{.weak}@9.3", ".global .shared::cta", ".bulk_group", hint!(), "{.cp_mask}@8.6,100"]
        [Must(ToGlobal), Must(FromShared), Must(Bulk), POLICY, BYTE_MASK] ptx 8 0 sm 90 Other [] "copies from shared to global memory";
    "cp.async.bulk" [relaxed!(), ".global .shared::cta", ".bulk_group", hint!(), "{.cp_mask}@8.6,100", ".b128"]
        [Must(ToGlobal), Must(FromShared), Must(Bulk), POLICY, BYTE_MASK] ptx 8 0 sm 90 Other [] "the same by whole 16 bytes";
    "cp.async.bulk.prefetch" [".L2 .global", hint!()]
        [Must(FromGlobal), Must(Bulk), POLICY] ptx 8 0 sm 90 Other [] "brings global memory into the cache";
    "cp.reduce.async.bulk" [relaxed!(), ".shared::cluster .shared::cta", bytes!(), operations!(), ".u32|.s32|.u64|.s64|.b32|.b64"]
        [Must(ToShared), Must(FromShared), Must(Bulk), Must(Address)] ptx 8 0 sm 90 Other [] "combines shared memory with that of a CTA of the cluster";
    "cp.reduce.async.bulk" [relaxed!(), ".global .shared::cta", ".bulk_group", hint!(), operations!(), "{.noftz}", ".u32|.s32|.u64|.s64|.b32|.b64|.f16|.bf16|.f32|.f64"]
        [Must(ToGlobal), Must(FromShared), Must(Bulk), POLICY] ptx 8 0 sm 90 Other [] "combines shared memory with global memory";
    "cp.async.bulk.tensor" [dims!(), ".shared::cluster .global", "{.tile}", bytes!(), report!(), multicast!(), "{.cta_group::1|.cta_group::2}@8.6,100a..110", hint!()]
        [Must(ToShared), Must(Tensor), Must(Address), MASK, MASK_32, POLICY] ptx 8 0 sm 90 Other [] "copies a box of a tensor to shared memory";
    "cp.async.bulk.tensor" [".3d|.4d|.5d", ".shared::cluster .global", ".im2col", bytes!(), report!(), multicast!(), "{.cta_group::1|.cta_group::2}@8.6,100a..110", hint!()]
        [Must(ToShared), Must(Tensor), Must(Address), Must(Offsets), MASK, MASK_32, POLICY] ptx 8 0 sm 90 Other [] "the same as columns";
    "cp.async.bulk.tensor" [".3d|.4d|.5d", ".shared::cluster .global", ".im2col::w@8.6,100a..110|.im2col::w::128@8.6,100a..110", bytes!(), report!(), multicast!(), "{.cta_group::1|.cta_group::2}@8.6,100a..110", hint!()]
        [Must(ToShared), Must(Tensor), Must(Address), Must(OffsetsW), MASK, MASK_32, POLICY] ptx 8 0 sm 90 Other [] "the same as columns along W";
    "cp.async.bulk.tensor" [".2d", ".shared::cluster .global", ".tile::gather4@8.6,100a..110", bytes!(), report!(), multicast!(), "{.cta_group::1|.cta_group::2}@8.6,100a..110", hint!()]
        [Must(ToShared), Must(Rows), Must(Address), MASK, MASK_32, POLICY] ptx 8 0 sm 90 Other [] "the same of four rows";
    "cp.async.bulk.tensor" [dims!(), ".shared::cta@8.6 .global", "{.tile}", bytes!(), report!(), "{.cta_group::1|.cta_group::2}@8.6,100a..110", hint!()]
        [Must(ToShared), Must(Tensor), Must(Address), POLICY] ptx 8 0 sm 90 Other [] "copies a box of a tensor to that of the own CTA";
    "cp.async.bulk.tensor" [".3d|.4d|.5d", ".shared::cta@8.6 .global", ".im2col", bytes!(), report!(), "{.cta_group::1|.cta_group::2}@8.6,100a..110", hint!()]
        [Must(ToShared), Must(Tensor), Must(Address), Must(Offsets), POLICY] ptx 8 0 sm 90 Other [] "the same as columns";
    "cp.async.bulk.tensor" [".3d|.4d|.5d", ".shared::cta@8.6 .global", ".im2col::w@8.6,100|.im2col::w::128@8.6,100a..110", bytes!(), report!(), "{.cta_group::1|.cta_group::2}@8.6,100a..110", hint!()]
        [Must(ToShared), Must(Tensor), Must(Address), Must(OffsetsW), POLICY] ptx 8 0 sm 90 Other [] "the same as columns along W";
    "cp.async.bulk.tensor" [".2d", ".shared::cta@8.6 .global", ".tile::gather4@8.6,100", bytes!(), report!(), "{.cta_group::1|.cta_group::2}@8.6,100a..110", hint!()]
        [Must(ToShared), Must(Rows), Must(Address), POLICY] ptx 8 0 sm 90 Other [] "the same of four rows";
    "cp.async.bulk.tensor" [dims!(), ".global .shared::cta", "{.tile}", ".bulk_group", hint!()]
        [Must(Tensor), Must(FromShared), POLICY] ptx 8 0 sm 90 Other [] "copies a box from shared memory into a tensor";
    "cp.async.bulk.tensor" [".3d|.4d|.5d", ".global .shared::cta", ".im2col_no_offs|.im2col_no_offs::w@9.4,107a", ".bulk_group", hint!()]
        [Must(Tensor), Must(FromShared), POLICY] ptx 8 0 sm 90 Other [] "the same as columns";
    "cp.async.bulk.tensor" [".2d", ".global .shared::cta", ".tile::scatter4@8.6,100a..110", ".bulk_group", hint!()]
        [Must(Rows), Must(FromShared), POLICY] ptx 8 0 sm 90 Other [] "the same of four rows";
    "cp.reduce.async.bulk.tensor" [dims!(), ".global .shared::cta", operations!(), "{.tile}", ".bulk_group", hint!()]
        [Must(Tensor), Must(FromShared), POLICY] ptx 8 0 sm 90 Other [] "combines a box in shared memory with that of a tensor";
    "cp.reduce.async.bulk.tensor" [".3d|.4d|.5d", ".global .shared::cta", operations!(), ".im2col_no_offs|.im2col_no_offs::w@9.4,107a", ".bulk_group", hint!()]
        [Must(Tensor), Must(FromShared), POLICY] ptx 8 0 sm 90 Other [] "the same as columns";
    "cp.reduce.async.bulk.tensor" [".2d", ".global .shared::cta", operations!(), ".tile::scatter4@8.6,100a..110", ".bulk_group", hint!()]
        [Must(Rows), Must(FromShared), POLICY] ptx 8 0 sm 90 Other [] "the same of four rows";
    "cp.async.bulk.prefetch.tensor" [dims!(), ".L2 .global", "{.tile}", hint!()]
        [Must(Tensor), POLICY] ptx 8 0 sm 90 Other [] "brings a box of a tensor into the cache";
    "cp.async.bulk.prefetch.tensor" [".3d|.4d|.5d", ".L2 .global", ".im2col", hint!()]
        [Must(Tensor), Must(Offsets), POLICY] ptx 8 0 sm 90 Other [] "the same as columns";
    "cp.async.bulk.prefetch.tensor" [".3d|.4d|.5d", ".L2 .global", ".im2col::w@8.6,100a..110|.im2col::w::128@8.6,100a..110", hint!()]
        [Must(Tensor), Must(OffsetsW), POLICY] ptx 8 0 sm 90 Other [] "the same as columns along W";
    "cp.async.bulk.prefetch.tensor" [".2d", ".L2 .global", ".tile::gather4@8.6,100a..110", hint!()]
        [Must(Rows), POLICY] ptx 8 0 sm 90 Other [] "the same of four rows";
    "st.async" ["{.weak}", any!(), bytes!(), "{.v2}", ".b32|.u32|.s32|.f32|.b64|.u64|.s64|.f64"]
        [Must(ToShared), Must(Values), Must(Address)] ptx 8 1 sm 90 Other [] "stores in the shared memory of a CTA of the cluster";
    "st.async" ["{.weak}", any!(), bytes!(), ".v4", ".b32|.u32|.s32|.f32"]
        [Must(ToShared), Must(Values), Must(Address)] ptx 8 1 sm 90 Other [] "the same";
    "st.async" ["{.weak}", any!(), bytes!(), ".b128@9.2"]
        [Must(ToShared), Must(Values), Must(Address)] ptx 8 1 sm 90 Other [] "the same";
    "st.async" ["{.weak}", ".global@8.7,100", ".b8|.u8|.s8|.b16|.u16|.s16|.b32|.u32|.s32|.f32|.b64|.u64|.s64|.f64"]
        [Must(ToGlobal), Must(Values)] ptx 8 1 sm 90 Other [] "stores in global memory";
    "st.async" [".release@8.7,100", ".gpu|.sys", "{.global}", ".b8|.u8|.s8|.b16|.u16|.s16|.b32|.u32|.s32|.f32|.b64|.u64|.s64|.f64"]
        [Must(ToGlobal), Must(Values)] ptx 8 1 sm 90 Other [] "the same";
    "st.async" [".mmio@8.7,100", ".release", ".sys", "{.global}", ".b8|.u8|.s8|.b16|.u16|.s16|.b32|.u32|.s32|.f32|.b64|.u64|.s64|.f64"]
        [Must(ToGlobal), Must(Values)] ptx 8 1 sm 90 Other [] "the same";
    "red.async" [".relaxed", ".cluster", "{.shared::cluster}", bytes!(), operations!(), ".u32|.s32|.u64|.s64|.b32"]
        [Must(ToShared), Must(Values), Must(Address)] ptx 8 1 sm 90 Other [] "combines a value with shared memory of a CTA of the cluster";
    "red.async" [".release@8.7,100", ".gpu|.sys", "{.global}", operations!(), ".u32|.s32|.u64|.s64|.b32"]
        [Must(ToGlobal), Must(Values)] ptx 8 1 sm 90 Other [] "combines a value with global memory";
    "red.async" [".mmio@8.7,100", ".release", ".sys", "{.global}", operations!(), ".u32|.s32|.u64|.s64|.b32"]
        [Must(ToGlobal), Must(Values)] ptx 8 1 sm 90 Other [] "the same";
}
