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
    ("mbarrier.arrive.expect_tx.noComplete.b64 state, [bar], 1;", "noComplete", "`mbarrier.arrive.expect_tx` has no `.noComplete`"),
    ("mbarrier.arrive.expect_tx.expect_tx.b64 state, [bar], 1;", "expect_tx", "`mbarrier.arrive.expect_tx` has no `.expect_tx`"),
    ("mbarrier.arrive.shared.expect_tx.b64 state, [bar], 1;", "expect_tx", "`.expect_tx` of `mbarrier.arrive` stands too late"),
    ("mbarrier.test_wait.acquire.cta.parity.b64 %p1, [bar], 1;", "parity", "`.parity` of `mbarrier.test_wait` stands too late"),
    ("mbarrier.arrive.sideways.b64 state, [bar];", "sideways", "`mbarrier.arrive` has no `.sideways`"),
    // .sem and .scope
    ("mbarrier.arrive.release.b64 state, [bar];", "release", "`.release` of `mbarrier.arrive` lacks its scope"),
    ("mbarrier.arrive.release.shared.b64 state, [bar];", "release", "`.release` of `mbarrier.arrive` lacks its scope"),
    ("mbarrier.arrive.cta.b64 state, [bar];", "cta", "`.cta` of `mbarrier.arrive` lacks its memory ordering"),
    ("mbarrier.test_wait.cluster.b64 %p1, [bar], state;", "cluster", "lacks its memory ordering"),
    ("mbarrier.arrive.acquire.cta.b64 state, [bar];", "acquire", "`mbarrier.arrive` has no `.acquire`"),
    ("mbarrier.arrive_drop.acq_rel.cta.b64 state, [bar];", "acq_rel", "`mbarrier.arrive_drop` has no `.acq_rel`"),
    ("mbarrier.test_wait.release.cta.b64 %p1, [bar], state;", "release", "`mbarrier.test_wait` has no `.release`"),
    ("mbarrier.try_wait.sc.cta.b64 %p1, [bar], state;", "sc", "`mbarrier.try_wait` has no `.sc`"),
    ("mbarrier.expect_tx.release.cta.b64 [bar], 1;", "release", "`mbarrier.expect_tx` has no `.release`"),
    ("mbarrier.complete_tx.relaxed.b64 [bar], 1;", "relaxed", "`.relaxed` of `mbarrier.complete_tx` lacks its scope"),
    ("mbarrier.init.release.cta.b64 [bar], 1;", "release", "`mbarrier.init` has no `.release`"),
    ("mbarrier.inval.cta.b64 [bar];", "cta", "`mbarrier.inval` has no `.cta`"),
    ("cp.async.mbarrier.arrive.release.cta.b64 [bar];", "release", "`cp.async.mbarrier.arrive` has no `.release`"),
    ("mbarrier.pending_count.relaxed.cta.b64 %r1, state;", "relaxed", "`mbarrier.pending_count` has no `.relaxed`"),
    ("mbarrier.arrive.release.gpu.b64 state, [bar];", "gpu", "`mbarrier.arrive` has no `.gpu`"),
    ("mbarrier.test_wait.acquire.sys.b64 %p1, [bar], state;", "sys", "`mbarrier.test_wait` has no `.sys`"),
    ("mbarrier.arrive.noComplete.relaxed.cta.b64 state, [bar], 1;", "relaxed", "`.relaxed` of `mbarrier.arrive` does not go with"),
    ("mbarrier.arrive.noComplete.release.cluster.b64 state, [bar], 1;", "cluster", "`.cluster` of `mbarrier.arrive` does not go with"),
    ("mbarrier.arrive.release.cta.relaxed.cta.b64 state, [bar];", "relaxed", "`.release` and `.relaxed` of `mbarrier.arrive` exclude each other"),
    ("barrier.cluster.arrive.acquire;", "acquire", "`barrier.cluster.arrive` has no `.acquire`"),
    ("barrier.cluster.wait.relaxed;", "relaxed", "`barrier.cluster.wait` has no `.relaxed`"),
    ("barrier.cluster.arrive.release.cluster;", "cluster", "`barrier.cluster.arrive` has no `.cluster`"),
    ("barrier.cluster.wait.aligned.aligned;", "aligned", "says `.aligned` twice"),
    ("barrier.cluster.wait.b64;", "b64", "`barrier.cluster.wait` has no `.b64`"),
    ("mbarrier.arrive.aligned.b64 state, [bar];", "aligned", "`mbarrier.arrive` has no `.aligned`"),
    // layouts
    ("mbarrier.init.layout::v2.b64 [bar], 1;", "layout::v2", "`mbarrier.init` has no `.layout::v2`"),
    ("mbarrier.init.layout::v0.layout::v1.b64 [bar], 1;", "layout::v1", "`.layout::v1` of `mbarrier.init` does not go with"),
    ("mbarrier.pending_count.layout::v1.b64 %r1, state;", "layout::v1", "`mbarrier.pending_count` has no `.layout::v1`"),
    ("mbarrier.arrive.layout::v1.b64 state, [bar];", "layout::v1", "`mbarrier.arrive` has no `.layout::v1`"),
    ("mbarrier.check_layout.b64 %p1, [bar];", "mbarrier.check_layout.b64", "`mbarrier.check_layout` lacks its layout"),
    // state space and type
    ("mbarrier.test_wait.shared::cluster.b64 %p1, [bar], state;", "shared::cluster", "`mbarrier.test_wait` has no `.shared::cluster`"),
    ("mbarrier.try_wait.parity.shared::cluster.b64 %p1, [bar], 0;", "shared::cluster", "`mbarrier.try_wait.parity` has no `.shared::cluster`"),
    ("mbarrier.init.shared::cluster.b64 [bar], 1;", "shared::cluster", "`mbarrier.init` has no `.shared::cluster`"),
    ("mbarrier.inval.shared::cluster.b64 [bar];", "shared::cluster", "`mbarrier.inval` has no `.shared::cluster`"),
    ("cp.async.mbarrier.arrive.shared::cluster.b64 [bar];", "shared::cluster", "has no `.shared::cluster`"),
    ("mbarrier.arrive.noComplete.shared::cluster.b64 _, [bar], 1;", "noComplete", "`.noComplete` of `mbarrier.arrive` does not go with"),
    ("mbarrier.pending_count.shared.b64 %r1, state;", "shared", "`mbarrier.pending_count` has no `.shared`"),
    ("barrier.cluster.arrive.shared;", "shared", "`barrier.cluster.arrive` has no `.shared`"),
    ("mbarrier.init.global.b64 [global], 1;", "global", "`mbarrier.init` has no `.global`"),
    ("mbarrier.arrive.shared.shared::cta.b64 state, [bar];", "shared::cta", "exclude each other"),
    ("mbarrier.init.shared [bar], 1;", "mbarrier.init.shared", "`mbarrier.init` lacks its `.b64`"),
    ("mbarrier.init.shared.u64 [bar], 1;", "u64", "`mbarrier.init` has no `.u64`"),
    ("mbarrier.init.b64.b64 [bar], 1;", "b64", "says `.b64` twice"),
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
    ("mbarrier.init.shared.b64 [60], 1;", "[60]", "an address is no number here"),
    // other synchronisation instructions
    ("bar.sync 16;", "16", "`a` must be 0 to 15"),
    ("bar.sync 1, 33;", "33", "`b` must be a multiple of 32, 0 or more"),
    ("bar.arrive 1, 0;", "0", "`b` must be a multiple of 32, 32 or more"),
    ("bar.arrive 1;", "bar.arrive 1;", "`bar.arrive` takes 2 operands, here is 1"),
    ("bar.sync.aligned 0;", "aligned", "`bar` has no `.aligned`"),
    ("bar 0;", "bar", "`bar` lacks its `.sync`"),
    ("bar.sync %tid.x;", "%tid.x", "`a` must be a 32-bit register"),
    ("barrier.red.popc.pred %r1, 0, p;", "pred", "`.pred` of `barrier.red` does not go with its other qualifiers"),
    ("barrier.warp.sync 0;", "warp", "`barrier` has no `.warp`"),
    ("elect.sync %r1, 0;", "%r1", "`d|p` of `elect` is a 32-bit register or `_`"),
    ("elect.sync %r1|_, 0;", "%r1|_", "`d|p` must be registers"),
    ("setmaxnreg.set.sync.aligned.u32 24;", "set", "there is no `setmaxnreg.set`"),
    ("fence.proxy.async.shared;", "shared", "`fence.proxy` has no `.shared`"),
    ("fence.proxy.asinc;", "asinc", "`fence.proxy` has no `.asinc`"),
    ("fence.mbarrier_init.cluster;", "fence.mbarrier_init.cluster", "`fence` lacks its `.release`"),
    ("fence.sc;", "fence.sc", "`fence` lacks its scope"),
    ("membar.gpu;", "gpu", "`membar` has no `.gpu`"),
    ("griddepcontrol.launch;", "launch", "`griddepcontrol` has no `.launch`"),
    ("cp.async.ca.shared.global [bytes], [global], 12;", "12", "`cp-size` must be 4, 8 or 16"),
    ("cp.async.cg.shared.global [bytes], [global], 8;", "8", "`16` must be 16"),
    ("cp.async.ca.shared.global [global], [global], 4;", "[global]", "this operand is in `.shared` memory, not in `.global`"),
    ("cp.async.ca.shared.global [bytes], [global], 4, 5;", "5", "`src-size or ignore-src` must be 0 to 4"),
    ("cp.async.wait_group %r1;", "%r1", "`n` of `cp.async.wait_group` is a whole number"),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [bytes], [global], 24, [bar];", "24", "`size` must be 0 to 1048560, a multiple of 16"),
    ("cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [global], [bytes], 16, [bar];", "global", "the state spaces of `cp.async.bulk` are the wrong way round"),
    ("cp.async.bulk.global.shared::cta [global], [bytes], 16;", "cp.async.bulk.global.shared::cta", "`cp.async.bulk` lacks its `.bulk_group`"),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [bytes], [global], 16, [bar], %r1;", "%r1", "`ctaMask` must be a 16-bit register"),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [bytes], [global], 16, [words];", "[words]", "a barrier is aligned to 8 bytes"),
    ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [global], [bytes], 16;", "f16", "`.add` of `cp.reduce.async.bulk` does not go with `.f16`"),
    ("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [bytes], [%rd1, {%r1}], [bar];", "{%r1}", "the coordinates must be 2 values"),
    ("cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [bytes], [%rd1, {%r1, %r2}], [bar], {b16};", "2d", "`.2d` of `cp.async.bulk.tensor` does not go with"),
    ("cp.async.bulk.prefetch.L2.global [global], 8;", "8", "`size` must be 0 to 1048560, a multiple of 16"),
    ("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [bytes], {%r1}, [bar];", "{%r1}", "`value` must be 2 values"),
    ("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [bytes], %rd1, [bar];", "%rd1", "`value` must be of type `.b32`"),
    ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.u32 [bytes], %r1, [bar];", "u32", "`.and` of `red.async` does not go with `.u32`"),
    ("red.async.relaxed.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [bytes], %r1, [bar];", "red.async.relaxed.shared::cluster.mbarrier::complete_tx::bytes.add.u32", "`red.async` lacks its `.cluster`"),
    // names
    ("mbarrier.arrive.b64 zz, [bar];", "zz", "`zz` is not declared"),
    ("mbarrier.arrive.b64 state, [zz];", "[zz]", "`zz` is not declared"),
    ("@zz mbarrier.arrive.b64 state, [bar];", "zz", "`zz` is not declared"),
    ("@%p1 bra nowhere;", "nowhere", "`nowhere` is not declared"),
];

/// Sees that an instruction is refused for its reason, at its place; says what is otherwise.
fn compare(text: &str, target: u32, version: &str, underlined: &str, reason: &str) -> Option<String> {
    let source = source(&format!("    {text}"));
    let told = check_module(&module(&source), Target::sm(target), ptx(version));
    let [complaint] = told.as_slice() else { return Some(format!("{text}: {told:#?}")) };
    let at = source.at(complaint.span).trim_start_matches('.');
    let complete = !complaint.label.is_empty() && complaint.help.is_some();
    let same = complaint.message.contains(reason) && at == underlined && complete;
    (!same).then(|| format!("{text} at {at}: {}", complaint.message))
}

#[test]
fn each_case_is_refused_for_its_reason() {
    let old = REFUSED.iter().map(|(text, underlined, reason)| (text, 90, "8.6", underlined, reason));
    let new = REFUSED_9_3.iter().map(|(text, underlined, reason)| (text, 90, "9.3", underlined, reason));
    let early = TOO_EARLY
        .iter()
        .map(|(text, target, version, underlined, reason)| (text, *target, *version, underlined, reason));
    let all = old.chain(new).chain(early);
    let wrong: Vec<String> =
        all.filter_map(|(text, target, version, at, why)| compare(text, target, version, at, why)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An instruction, target, version, what of it is underlined, what is said of it.
#[rustfmt::skip]
const TOO_EARLY: &[(&str, u32, &str, &str, &str)] = &[
    ("setmaxnreg.inc.sync.aligned.u32 24;", 90, "8.6", "setmaxnreg.inc.sync.aligned.u32", "`setmaxnreg.inc` needs sm_90a or higher with a letter behind the number"),
    ("fence.acquire.cta;", 90, "8.5", "fence.acquire.cta", "`fence` needs PTX ISA 8.6 or later"),
    ("fence.proxy.async;", 80, "7.8", "async", "`.async` of `fence.proxy` needs PTX ISA 8.0 or later and sm_90 or higher"),
    ("cp.async.ca.shared.global.L2::128B [bytes], [global], 4;", 80, "7.1", "L2::128B", "needs PTX ISA 7.4 or later"),
    ("cp.async.ca.shared.global [bytes], [global], 4, p;", 80, "7.4", "p", "a predicate of `cp.async` needs PTX ISA 7.5 or later"),
    ("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [bytes], [global], 16, [bar];", 90, "8.5", "shared::cta", "needs PTX ISA 8.6 or later"),
    ("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [global], [bytes], 16, b16;", 90, "9.5", "cp_mask", "needs sm_100 or higher"),
    ("mbarrier.arrive.multicast::cluster::32b.b64 _, [bar], %r1;", 90, "9.5", "multicast::cluster::32b", "needs sm_107a"),
    ("mbarrier.test_wait.parity.phase_type::primary.b64 p|%p1, [bar], 0;", 90, "9.2", "phase_type::primary", "needs PTX ISA 9.3 or later"),
    ("mbarrier.init.b64 [bar], 1;", 75, "8.6", "mbarrier.init.b64", "`mbarrier.init` needs sm_80 or higher"),
    ("mbarrier.init.b64 [bar], 1;", 80, "6.5", "mbarrier.init.b64", "`mbarrier.init` needs PTX ISA 7.0 or later"),
    ("mbarrier.arrive.b64 _, [bar];", 80, "7.0", "_", "`_` for the state of `mbarrier.arrive` needs PTX ISA 7.1 or later"),
    ("mbarrier.test_wait.parity.b64 %p1, [bar], 0;", 80, "7.0", "mbarrier.test_wait.parity.b64", "needs PTX ISA 7.1 or later"),
    ("mbarrier.arrive.b64 state, [bar], 2;", 80, "7.8", "2", "`count` of `mbarrier.arrive` needs sm_90 or higher"),
    ("mbarrier.arrive_drop.b64 state, [bar], 2;", 90, "7.7", "2", "of `mbarrier.arrive_drop` needs PTX ISA 7.8 or later"),
    ("mbarrier.arrive.b64 state, [bar], 2;", 80, "7.7", "2", "needs PTX ISA 7.8 or later and sm_90 or higher"),
    ("mbarrier.inval.shared::cta.b64 [bar];", 80, "7.7", "shared::cta", "`.shared::cta` of `mbarrier.inval` needs PTX ISA 7.8 or later"),
    ("mbarrier.arrive.shared::cluster.b64 _, [bar];", 80, "8.6", "shared::cluster", "of `mbarrier.arrive` needs sm_90 or higher"),
    ("mbarrier.arrive.shared::cluster.b64 _, [bar];", 90, "7.8", "shared::cluster", "needs PTX ISA 8.0 or later"),
    ("mbarrier.arrive.release.cta.b64 state, [bar];", 80, "7.8", "release.cta", "`.release.cta` of `mbarrier.arrive` needs PTX ISA 8.0 or later"),
    ("mbarrier.test_wait.acquire.cluster.b64 %p1, [bar], state;", 80, "8.0", "cluster", "`.cluster` of `mbarrier.test_wait` needs sm_90 or higher"),
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
    ("mbarrier.init.layout::v0.b64 [bar], 1;", 90, "9.2", "layout::v0", "`.layout::v0` of `mbarrier.init` needs PTX ISA 9.3 or later"),
    ("mbarrier.init.layout::v1.shared::cta.b64 [bar], 1;", 80, "9.3", "layout::v1", "needs sm_90 or higher"),
    ("mbarrier.pending_count.layout::v0.b64 %r1, state;", 80, "8.6", "layout::v0", "needs PTX ISA 9.3 or later and sm_90 or higher"),
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
    ("mbarrier.init.layout::v1.release.cta.b64 [bar], 1;", "release", "`mbarrier.init` has no `.release`"),
    ("mbarrier.init.layout::v1.shared::cluster.b64 [bar], 1;", "shared::cluster", "has no `.shared::cluster`"),
    ("mbarrier.check_layout.layout::v0.shared::cluster.b64 %p1, [bar];", "shared::cluster", "has no `.shared::cluster`"),
    ("mbarrier.check_layout.layout::v0.b64 %r1, [bar];", "%r1", "`p` must be a predicate register"),
    ("mbarrier.check_layout.layout::v0.b64 _, [bar];", "_", "`p` of `mbarrier.check_layout` cannot be `_`"),
    ("mbarrier.check_layout.layout::v1.b64 [bar];", "mbarrier.check_layout.layout::v1.b64 [bar];", "takes 2 operands, here is 1"),
];

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
