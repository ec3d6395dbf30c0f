use super::*;

/// An instruction, what of it is underlined, and what is said of it; for sm_90 and PTX ISA 8.6.
#[rustfmt::skip]
const REFUSED: &[(&str, &str, &str)] = &[
    // names and variants
    ("mbarrier.wait.b64 [bar];", "wait", "there is no `mbarrier.wait`"),
    ("mbarrier.arrive_and_wait.b64 [bar];", "arrive_and_wait", "there is no `mbarrier.arrive_and_wait`"),
    ("mbarrier [bar];", "mbarrier", "`mbarrier` alone is no instruction"),
    ("cp.async.mbarrier.wait.b64 [bar];", "wait", "there is no `cp.async.mbarrier.wait`"),
    ("barrier.cluster.sync;", "sync", "there is no `barrier.cluster.sync`"),
    ("mbarrier.arrive.parity.b64 state, [bar];", "parity", "`mbarrier.arrive` has no `.parity`"),
    ("mbarrier.init.expect_tx.b64 [bar], 1;", "expect_tx", "`mbarrier.init` has no `.expect_tx`"),
    ("mbarrier.arrive.noinc.b64 state, [bar];", "noinc", "`mbarrier.arrive` has no `.noinc`"),
    ("mbarrier.try_wait.noComplete.b64 %p1, [bar], state;", "noComplete", "`mbarrier.try_wait` has no `.noComplete`"),
    ("mbarrier.arrive.expect_tx.noComplete.b64 state, [bar], 1;", "noComplete", "both `.expect_tx` and `.noComplete`"),
    ("mbarrier.arrive.expect_tx.expect_tx.b64 state, [bar], 1;", "expect_tx", "`mbarrier.arrive` is `.expect_tx` twice"),
    ("mbarrier.arrive.shared.expect_tx.b64 state, [bar], 1;", "expect_tx", "`.expect_tx` of `mbarrier.arrive` stands too late"),
    ("mbarrier.test_wait.acquire.cta.parity.b64 %p1, [bar], 1;", "parity", "`.parity` of `mbarrier.test_wait` stands too late"),
    ("cp.async.mbarrier.arrive.shared.noinc.b64 [bar];", "noinc", "`.noinc` of `cp.async.mbarrier.arrive` stands too late"),
    ("mbarrier.arrive.sideways.b64 state, [bar];", "sideways", "`mbarrier.arrive` has no `.sideways`"),
    // .sem and .scope
    ("mbarrier.arrive.release.b64 state, [bar];", "release", "`.release` of `mbarrier.arrive` lacks its scope"),
    ("mbarrier.arrive.release.shared.b64 state, [bar];", "release", "`.release` of `mbarrier.arrive` lacks its scope"),
    ("mbarrier.arrive.cta.b64 state, [bar];", "cta", "`.cta` of `mbarrier.arrive` has no `.sem` directly before it"),
    ("mbarrier.test_wait.cluster.b64 %p1, [bar], state;", "cluster", "has no `.sem` directly before it"),
    ("mbarrier.arrive.cta.release.b64 state, [bar];", "cta", "has no `.sem` directly before it"),
    ("mbarrier.arrive.acquire.cta.b64 state, [bar];", "acquire", "`mbarrier.arrive` cannot be `.acquire`"),
    ("mbarrier.arrive_drop.acq_rel.cta.b64 state, [bar];", "acq_rel", "`mbarrier.arrive_drop` cannot be `.acq_rel`"),
    ("mbarrier.test_wait.release.cta.b64 %p1, [bar], state;", "release", "`mbarrier.test_wait` cannot be `.release`"),
    ("mbarrier.try_wait.sc.cta.b64 %p1, [bar], state;", "sc", "`mbarrier.try_wait` cannot be `.sc`"),
    ("mbarrier.expect_tx.release.cta.b64 [bar], 1;", "release", "`mbarrier.expect_tx` cannot be `.release`"),
    ("mbarrier.complete_tx.relaxed.b64 [bar], 1;", "relaxed", "`.relaxed` of `mbarrier.complete_tx` lacks its scope"),
    ("mbarrier.init.release.cta.b64 [bar], 1;", "release", "`mbarrier.init` cannot be `.release`"),
    ("mbarrier.inval.cta.b64 [bar];", "cta", "`mbarrier.inval` has no scope"),
    ("cp.async.mbarrier.arrive.release.cta.b64 [bar];", "release", "`cp.async.mbarrier.arrive` cannot be `.release`"),
    ("mbarrier.pending_count.relaxed.cta.b64 %r1, state;", "relaxed", "`mbarrier.pending_count` cannot be `.relaxed`"),
    ("mbarrier.arrive.release.gpu.b64 state, [bar];", "gpu", "`mbarrier.arrive` cannot be of `.gpu` scope"),
    ("mbarrier.test_wait.acquire.sys.b64 %p1, [bar], state;", "sys", "`mbarrier.test_wait` cannot be of `.sys` scope"),
    ("mbarrier.arrive.noComplete.relaxed.cta.b64 state, [bar], 1;", "relaxed", "`mbarrier.arrive.noComplete` cannot be `.relaxed`"),
    ("mbarrier.arrive.noComplete.release.cluster.b64 state, [bar], 1;", "cluster", "cannot be of `.cluster` scope"),
    ("mbarrier.arrive.release.cta.relaxed.cta.b64 state, [bar];", "relaxed", "two qualifiers that say its `.sem`"),
    ("barrier.cluster.arrive.acquire;", "acquire", "`barrier.cluster.arrive` cannot be `.acquire`"),
    ("barrier.cluster.wait.relaxed;", "relaxed", "`barrier.cluster.wait` cannot be `.relaxed`"),
    ("barrier.cluster.arrive.release.cluster;", "cluster", "`barrier.cluster.arrive` has no scope"),
    ("barrier.cluster.arrive.aligned.relaxed;", "relaxed", "`.relaxed` stands behind `.aligned`"),
    ("barrier.cluster.wait.aligned.aligned;", "aligned", "two qualifiers that say its `.aligned`"),
    ("barrier.cluster.wait.b64;", "b64", "`barrier.cluster.wait` has no type"),
    ("mbarrier.arrive.aligned.b64 state, [bar];", "aligned", "`mbarrier.arrive` has no `.aligned`"),
    // layouts
    ("mbarrier.init.layout::v2.b64 [bar], 1;", "layout::v2", "`mbarrier.init` has no `.layout::v2`"),
    ("mbarrier.init.shared.layout::v1.b64 [bar], 1;", "layout::v1", "`.layout::v1` of `mbarrier.init` stands too late"),
    ("mbarrier.init.layout::v0.layout::v1.b64 [bar], 1;", "layout::v1", "cannot be both `.layout::v0` and `.layout::v1`"),
    ("mbarrier.pending_count.layout::v1.b64 %r1, state;", "layout::v1", "`mbarrier.pending_count` has no `.layout::v1`"),
    ("mbarrier.arrive.layout::v1.b64 state, [bar];", "layout::v1", "`mbarrier.arrive` has no `.layout::v1`"),
    ("mbarrier.check_layout.b64 %p1, [bar];", "mbarrier.check_layout", "`mbarrier.check_layout` lacks its layout"),
    ("mbarrier.check_layout.shared::cta.layout::v1.b64 %p1, [bar];", "mbarrier.check_layout", "lacks its layout"),
    // state space and type
    ("mbarrier.test_wait.shared::cluster.b64 %p1, [bar], state;", "shared::cluster", "`mbarrier.test_wait` works only on"),
    ("mbarrier.try_wait.parity.shared::cluster.b64 %p1, [bar], 0;", "shared::cluster", "`mbarrier.try_wait.parity` works only on"),
    ("mbarrier.init.shared::cluster.b64 [bar], 1;", "shared::cluster", "`mbarrier.init` works only on a barrier of the own CTA"),
    ("mbarrier.inval.shared::cluster.b64 [bar];", "shared::cluster", "`mbarrier.inval` works only on a barrier of the own CTA"),
    ("cp.async.mbarrier.arrive.shared::cluster.b64 [bar];", "shared::cluster", "works only on a barrier of the own CTA"),
    ("mbarrier.arrive.noComplete.shared::cluster.b64 _, [bar], 1;", "shared::cluster", "works only on a barrier of the own CTA"),
    ("mbarrier.pending_count.shared.b64 %r1, state;", "shared", "`mbarrier.pending_count` has no state space"),
    ("barrier.cluster.arrive.shared;", "shared", "`barrier.cluster.arrive` has no state space"),
    ("mbarrier.init.global.b64 [global], 1;", "global", "`mbarrier.init` cannot work in `.global` memory"),
    ("mbarrier.arrive.shared.shared::cta.b64 state, [bar];", "shared::cta", "two qualifiers that say its state space"),
    ("mbarrier.init.shared [bar], 1;", "mbarrier.init.shared", "`mbarrier.init` lacks its type"),
    ("mbarrier.init.shared.u64 [bar], 1;", "u64", "`mbarrier.init` cannot be of type `.u64`"),
    ("mbarrier.init.b64.shared [bar], 1;", "shared", "`.shared` stands behind `.b64`"),
    ("mbarrier.init.b64.b64 [bar], 1;", "b64", "two qualifiers that say its type"),
    // operands: number and kind
    ("mbarrier.init.b64 [bar];", "mbarrier.init.b64 [bar];", "`mbarrier.init` takes 2 operands, here is 1"),
    ("mbarrier.inval.b64 [bar], 1;", "1", "`mbarrier.inval` takes 1 operand, here are 2"),
    ("mbarrier.arrive.b64 [bar];", "mbarrier.arrive.b64 [bar];", "`mbarrier.arrive` takes 2 or 3 operands, here is 1"),
    ("mbarrier.arrive.expect_tx.b64 state, [bar];", "mbarrier.arrive.expect_tx.b64 state, [bar];", "takes 3 operands, here are 2"),
    ("mbarrier.arrive.noComplete.b64 state, [bar];", "mbarrier.arrive.noComplete.b64 state, [bar];", "takes 3 operands, here are 2"),
    ("mbarrier.test_wait.b64 %p1, [bar], state, 10;", "10", "`mbarrier.test_wait` takes 3 operands, here are 4"),
    ("barrier.cluster.arrive 0;", "0", "`barrier.cluster.arrive` takes no operands, here is 1"),
    ("mbarrier.arrive.shared::cluster.b64 state, [bar];", "state", "`mbarrier.arrive` with `.shared::cluster` returns no state"),
    ("mbarrier.arrive_drop.expect_tx.shared::cluster.b64 state, [bar], 1;", "state", "with `.shared::cluster` returns no state"),
    ("mbarrier.test_wait.b64 _, [bar], state;", "_", "`waitComplete` of `mbarrier.test_wait` cannot be `_`"),
    ("mbarrier.pending_count.b64 _, state;", "_", "`count` of `mbarrier.pending_count` cannot be `_`"),
    ("mbarrier.pending_count.b64 %r1, 5;", "5", "`state` of `mbarrier.pending_count` is a 64-bit register"),
    ("mbarrier.arrive.b64 5, [bar];", "5", "`state` of `mbarrier.arrive` is a 64-bit register, or `_`"),
    ("mbarrier.init.b64 bar, 1;", "bar", "the address of `mbarrier.init` is written in brackets"),
    ("mbarrier.init.b64 [bar], 1.5;", "1.5", "`count` of `mbarrier.init` is a 32-bit register or a whole number"),
    ("mbarrier.test_wait.b64 %p1|%p2, [bar], state;", "%p1|%p2", "`waitComplete` of `mbarrier.test_wait` is a predicate register"),
    // literals
    ("mbarrier.init.b64 [bar], 0;", "0", "`count` must be 1 to 1048575"),
    ("mbarrier.init.b64 [bar], 1048576;", "1048576", "`count` must be 1 to 1048575"),
    ("mbarrier.init.b64 [bar], -1;", "-1", "`count` must be 1 to 1048575"),
    ("mbarrier.arrive.b64 state, [bar], 0;", "0", "`count` must be 1 to 1048575"),
    ("mbarrier.arrive.noComplete.b64 state, [bar], 0x100000;", "0x100000", "`count` must be 1 to 1048575"),
    ("mbarrier.arrive_drop.b64 state, [bar], 1048576;", "1048576", "`count` must be 1 to 1048575"),
    ("mbarrier.expect_tx.b64 [bar], 1048576;", "1048576", "`txCount` must be 0 to 1048575"),
    ("mbarrier.complete_tx.b64 [bar], -8;", "-8", "`txCount` must be 0 to 1048575"),
    ("mbarrier.arrive.expect_tx.b64 _, [bar], 1 << 20;", "1 << 20", "`txCount` must be 0 to 1048575"),
    ("mbarrier.test_wait.parity.b64 %p1, [bar], 2;", "2", "`phaseParity` must be 0 or 1"),
    ("mbarrier.try_wait.parity.b64 %p1, [bar], -1;", "-1", "`phaseParity` must be 0 or 1"),
    ("mbarrier.try_wait.b64 %p1, [bar], state, 4294967296;", "4294967296", "`suspendTimeHint` must be of 32 bits"),
    // types of registers
    ("mbarrier.arrive.b64 %r1, [bar];", "%r1", "`state` must be a 64-bit register"),
    ("mbarrier.arrive.b64 f64, [bar];", "f64", "`state` must be a 64-bit register"),
    ("mbarrier.arrive.b64 bar, [bar];", "bar", "`state` must be a 64-bit register"),
    ("mbarrier.test_wait.b64 %r1, [bar], state;", "%r1", "`waitComplete` must be a predicate register"),
    ("mbarrier.test_wait.b64 %p1, [bar], %r1;", "%r1", "`state` must be a 64-bit register"),
    ("mbarrier.try_wait.parity.b64 %p1, [bar], %rd1;", "%rd1", "`phaseParity` must be a 32-bit register"),
    ("mbarrier.try_wait.b64 %p1, [bar], state, state;", "state", "`suspendTimeHint` must be a 32-bit register"),
    ("mbarrier.init.b64 [bar], state;", "state", "`count` must be a 32-bit register"),
    ("mbarrier.init.b64 [bar], b16;", "b16", "`count` must be a 32-bit register"),
    ("mbarrier.init.b64 [bar], %v;", "%v", "`count` must be a 32-bit register"),
    ("mbarrier.expect_tx.b64 [bar], f32;", "f32", "`txCount` must be a 32-bit register"),
    ("mbarrier.pending_count.b64 %rd1, state;", "%rd1", "`count` must be a 32-bit register"),
    ("mbarrier.pending_count.b64 %r1, %r2;", "%r2", "`state` must be a 64-bit register"),
    ("mbarrier.init.shared.b64 [b16], 1;", "[b16]", "`[addr]` must be a 32-bit or 64-bit register"),
    ("mbarrier.init.b64 [f64], 1;", "[f64]", "`[addr]` must be a 32-bit or 64-bit register"),
    ("mbarrier.init.b64 [%r1], 1;", "[%r1]", "a generic address has 64 bits with `.address_size 64`"),
    ("@%r1 mbarrier.inval.b64 [bar];", "%r1", "the guard must be a predicate register"),
    ("@!state barrier.cluster.wait;", "state", "the guard must be a predicate register"),
    // where the barrier is
    ("mbarrier.init.b64 [global], 1;", "[global]", "a barrier is in `.shared` memory, not in `.global`"),
    ("mbarrier.arrive.b64 state, [constant];", "[constant]", "a barrier is in `.shared` memory, not in `.const`"),
    ("mbarrier.inval.shared.b64 [local];", "[local]", "a barrier is in `.shared` memory, not in `.local`"),
    ("mbarrier.expect_tx.b64 [parameter], 8;", "[parameter]", "a barrier is in `.shared` memory, not in `.param`"),
    ("mbarrier.init.shared.b64 [words], 1;", "[words]", "a barrier is aligned to 8 bytes"),
    ("mbarrier.init.shared.b64 [loose+8], 1;", "[loose+8]", "a barrier is aligned to 8 bytes"),
    ("mbarrier.init.shared.b64 [bars+4], 1;", "[bars+4]", "a barrier is aligned to 8 bytes"),
    ("mbarrier.init.shared.b64 [dynamic+20], 1;", "[dynamic+20]", "a barrier is aligned to 8 bytes"),
    ("mbarrier.init.shared.b64 [bars+32], 1;", "[bars+32]", "the barrier's 8 bytes are not within `bars`"),
    ("mbarrier.init.shared.b64 [bytes+20], 1;", "[bytes+20]", "the barrier's 8 bytes are not within `bytes`"),
    ("mbarrier.init.shared.b64 [bars+-8], 1;", "[bars+-8]", "the barrier begins before `bars`"),
    ("mbarrier.init.shared.b64 [60], 1;", "[60]", "a barrier is at a multiple of 8 bytes"),
];

#[test]
fn each_case_is_refused_for_its_reason() {
    for (text, underlined, reason) in REFUSED {
        let source = source(&format!("    {text}"));
        let told = check_module(&module(&source), Target::sm(90), ptx("8.6"));
        let [complaint] = told.as_slice() else { panic!("{text}: {told:#?}") };
        assert!(complaint.message.contains(reason), "{text}: {}", complaint.message);
        assert_eq!(source.at(complaint.span).trim_start_matches('.'), *underlined, "{text}: {}", complaint.message);
        assert!(!complaint.label.is_empty() && complaint.help.is_some(), "{text}: {complaint:?}");
    }
}

/// An instruction, target, version, what of it is underlined, what is said of it.
#[rustfmt::skip]
const TOO_EARLY: &[(&str, u32, &str, &str, &str)] = &[
    ("mbarrier.init.b64 [bar], 1;", 75, "8.6", "mbarrier.init.b64", "`mbarrier.init` needs sm_80 or higher"),
    ("mbarrier.init.b64 [bar], 1;", 80, "6.5", "mbarrier.init.b64", "`mbarrier.init` needs PTX ISA 7.0 or later"),
    ("mbarrier.arrive.b64 _, [bar];", 80, "7.0", "_", "`_` for the state of `mbarrier.arrive` needs PTX ISA 7.1 or later"),
    ("mbarrier.test_wait.parity.b64 %p1, [bar], 0;", 80, "7.0", "mbarrier.test_wait.parity.b64", "needs PTX ISA 7.1 or later"),
    ("mbarrier.arrive.b64 state, [bar], 2;", 80, "7.8", "2", "`count` without `.noComplete` of `mbarrier.arrive` needs sm_90 or higher"),
    ("mbarrier.arrive_drop.b64 state, [bar], 2;", 90, "7.7", "2", "of `mbarrier.arrive_drop` needs PTX ISA 7.8 or later"),
    ("mbarrier.arrive.b64 state, [bar], 2;", 80, "7.7", "2", "needs PTX ISA 7.8 or later and sm_90 or higher"),
    ("mbarrier.inval.shared::cta.b64 [bar];", 80, "7.7", "shared::cta", "`.shared::cta` of `mbarrier.inval` needs PTX ISA 7.8 or later"),
    ("mbarrier.arrive.shared::cluster.b64 _, [bar];", 80, "8.6", "shared::cluster", "of `mbarrier.arrive` needs sm_90 or higher"),
    ("mbarrier.arrive.shared::cluster.b64 _, [bar];", 90, "7.8", "shared::cluster", "needs PTX ISA 8.0 or later"),
    ("mbarrier.arrive.release.cta.b64 state, [bar];", 80, "7.8", "release.cta", "`.sem.scope` of `mbarrier.arrive` needs PTX ISA 8.0 or later"),
    ("mbarrier.test_wait.acquire.cluster.b64 %p1, [bar], state;", 80, "8.0", "cluster", "`.cluster` scope of `mbarrier.test_wait` needs sm_90 or higher"),
    ("mbarrier.test_wait.relaxed.cta.b64 %p1, [bar], state;", 90, "8.5", "relaxed", "`.relaxed` of `mbarrier.test_wait` needs PTX ISA 8.6 or later"),
    ("mbarrier.arrive.relaxed.cta.b64 state, [bar];", 80, "8.6", "relaxed", "`.relaxed` of `mbarrier.arrive` needs sm_90 or higher"),
    ("mbarrier.try_wait.b64 %p1, [bar], state;", 80, "8.6", "mbarrier.try_wait.b64", "`mbarrier.try_wait` needs sm_90 or higher"),
    ("mbarrier.try_wait.parity.b64 %p1, [bar], 0;", 90, "7.7", "mbarrier.try_wait.parity.b64", "needs PTX ISA 7.8 or later"),
    ("mbarrier.arrive.expect_tx.b64 state, [bar], 8;", 80, "8.0", "mbarrier.arrive.expect_tx.b64", "needs sm_90 or higher"),
    ("mbarrier.arrive_drop.expect_tx.b64 state, [bar], 8;", 90, "7.8", "mbarrier.arrive_drop.expect_tx.b64", "needs PTX ISA 8.0 or later"),
    ("mbarrier.expect_tx.b64 [bar], 8;", 89, "8.6", "mbarrier.expect_tx.b64", "`mbarrier.expect_tx` needs sm_90 or higher"),
    ("mbarrier.complete_tx.relaxed.cluster.b64 [bar], 8;", 90, "7.8", "mbarrier.complete_tx.relaxed.cluster.b64", "needs PTX ISA 8.0 or later"),
    ("cp.async.mbarrier.arrive.noinc.b64 [bar];", 75, "7.0", "cp.async.mbarrier.arrive.noinc.b64", "needs sm_80 or higher"),
    ("mbarrier.pending_count.b64 %r1, state;", 70, "6.4", "mbarrier.pending_count.b64", "needs PTX ISA 7.0 or later and sm_80 or higher"),
    ("mbarrier.init.layout::v0.b64 [bar], 1;", 90, "9.2", "mbarrier.init.layout::v0.b64", "`mbarrier.init.layout::v0` needs PTX ISA 9.3 or later"),
    ("mbarrier.init.layout::v1.shared::cta.b64 [bar], 1;", 80, "9.3", "mbarrier.init.layout::v1.shared::cta.b64", "needs sm_90 or higher"),
    ("mbarrier.pending_count.layout::v0.b64 %r1, state;", 80, "8.6", "mbarrier.pending_count.layout::v0.b64", "needs PTX ISA 9.3 or later and sm_90 or higher"),
    ("mbarrier.check_layout.layout::v1.b64 %p1, [bar];", 90, "9.2", "mbarrier.check_layout.layout::v1.b64", "needs PTX ISA 9.3 or later"),
    ("barrier.cluster.arrive;", 80, "8.6", "barrier.cluster.arrive", "`barrier.cluster.arrive` needs sm_90 or higher"),
    ("barrier.cluster.wait;", 90, "7.7", "barrier.cluster.wait", "`barrier.cluster.wait` needs PTX ISA 7.8 or later"),
    ("barrier.cluster.arrive.relaxed;", 90, "7.8", "relaxed", "of `barrier.cluster.arrive` needs PTX ISA 8.0 or later"),
    ("barrier.cluster.wait.acquire;", 90, "7.8", "acquire", "of `barrier.cluster.wait` needs PTX ISA 8.0 or later"),
];

/// The same as [`REFUSED`], for PTX ISA 9.3.
#[rustfmt::skip]
const REFUSED_9_3: &[(&str, &str, &str)] = &[
    ("mbarrier.init.layout::v1.b64 [bar], 512;", "512", "`count` must be 1 to 511"),
    ("mbarrier.init.layout::v1.b64 [bar], 0;", "0", "`count` must be 1 to 511"),
    ("mbarrier.init.layout::v0.b64 [bar], 1048576;", "1048576", "`count` must be 1 to 1048575"),
    ("mbarrier.init.layout::v1.release.cta.b64 [bar], 1;", "release", "`mbarrier.init.layout::v1` cannot be `.release`"),
    ("mbarrier.init.layout::v1.shared::cluster.b64 [bar], 1;", "shared::cluster", "works only on a barrier of the own CTA"),
    ("mbarrier.check_layout.layout::v0.shared.b64 %p1, [bar];", "shared", "`mbarrier.check_layout.layout::v0` cannot be of `.shared`"),
    ("mbarrier.check_layout.layout::v0.shared::cluster.b64 %p1, [bar];", "shared::cluster", "works only on a barrier of the own CTA"),
    ("mbarrier.check_layout.layout::v0.b64 %r1, [bar];", "%r1", "`p` must be a predicate register"),
    ("mbarrier.check_layout.layout::v0.b64 _, [bar];", "_", "`p` of `mbarrier.check_layout.layout::v0` cannot be `_`"),
    ("mbarrier.check_layout.layout::v1.b64 [bar];", "mbarrier.check_layout.layout::v1.b64 [bar];", "takes 2 operands, here is 1"),
];

#[test]
fn what_is_wrong_with_a_layout_is_refused_for_its_reason() {
    for (text, underlined, reason) in REFUSED_9_3 {
        let source = source(&format!("    {text}"));
        let told = check_module(&module(&source), Target::sm(90), ptx("9.3"));
        let [complaint] = told.as_slice() else { panic!("{text}: {told:#?}") };
        assert!(complaint.message.contains(reason), "{text}: {}", complaint.message);
        assert_eq!(source.at(complaint.span).trim_start_matches('.'), *underlined, "{text}: {}", complaint.message);
        assert!(!complaint.label.is_empty() && complaint.help.is_some(), "{text}: {complaint:?}");
    }
}

#[test]
fn what_is_too_early_is_refused_for_its_reason() {
    for (text, target, version, underlined, reason) in TOO_EARLY {
        let source = source(&format!("    {text}"));
        let told = check_module(&module(&source), Target::sm(*target), ptx(version));
        let [complaint] = told.as_slice() else { panic!("{text}: {told:#?}") };
        assert!(complaint.message.contains(reason), "{text}: {}", complaint.message);
        assert_eq!(source.at(complaint.span).trim_start_matches('.'), *underlined, "{text}: {}", complaint.message);
        assert!(!complaint.label.is_empty() && complaint.help.is_some(), "{text}: {complaint:?}");
    }
}

#[test]
fn letters_behind_the_target_change_nothing() {
    let module = module(&source("    mbarrier.try_wait.b64 %p1, [bar], state;"));
    for target in ["sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_120"] {
        assert_eq!(check_module(&module, target.parse().expect(target), ptx("8.6")), [], "{target}");
    }
    for target in ["sm_70", "sm_80", "sm_86", "sm_89"] {
        assert_eq!(check_module(&module, target.parse().expect(target), ptx("8.6")).len(), 1, "{target}");
    }
}

#[test]
fn a_generic_address_may_have_32_bits_where_all_addresses_have() {
    let text =
        ".version 7.0\n.target sm_80\n.address_size 32\n.entry e() {\n.reg .b32 a;\nmbarrier.init.b64 [a], 1;\n}\n";
    let source = Source::new("narrow.ptx", text);
    assert_eq!(check_module(&module(&source), Target::sm(80), ptx("7.0")), []);
}
