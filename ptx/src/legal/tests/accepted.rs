use super::*;

/// Instructions as they are written in the manual's listings.
const LISTINGS: &[&str] = &[
    "mbarrier.init.b64 [%rd1], %r1;",
    "mbarrier.init.shared::cta.b64 [bar], 12;",
    "@%p1 mbarrier.init.b64 [%rd1], %r1;",
    "@%p1 mbarrier.inval.b64 [%rd1];",
    "mbarrier.init.shared.b64 [bar], 12;",
    "@%p1 mbarrier.init.shared.b64 [bar], 24;",
    "@%p1 mbarrier.inval.shared.b64 [bar];",
    "@%p1 mbarrier.inval.shared::cta.b64 [bar];",
    "mbarrier.expect_tx.b64 [%rd1], 32;",
    "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 512;",
    "mbarrier.complete_tx.b64 [%rd1], 32;",
    "mbarrier.complete_tx.shared.b64 [bar], 512;",
    "mbarrier.complete_tx.relaxed.cta.b64 [%rd1], 32;",
    "mbarrier.arrive.shared.b64 %rd0, [bar];",
    "mbarrier.arrive.shared::cta.b64 %rd0, [bar];",
    "mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r1];",
    "mbarrier.arrive.release.cluster.b64 _, [%rd1], %r1;",
    "mbarrier.arrive.expect_tx.release.cluster.b64 _, [%rd1], %r1;",
    "mbarrier.arrive.noComplete.b64 %rd1, [%rd2], 2;",
    "mbarrier.arrive.relaxed.cta.b64 %rd1, [%rd2], 4;",
    "mbarrier.arrive.b64 %rd1, [%rd2], %r1;",
    "@%p1 mbarrier.arrive_drop.shared.b64 _, [bar];",
    "@%p1 mbarrier.arrive_drop.noComplete.shared.b64 _, [bar], %r1;",
    "@!%p1 mbarrier.arrive.shared.b64 %rd1, [bar];",
    "@!%p1 mbarrier.test_wait.shared.b64 %p2, [bar], %rd1;",
    "mbarrier.arrive_drop.shared::cluster.b64 _, [%rd1];",
    "mbarrier.arrive_drop.shared::cta.release.cluster.b64 _, [%rd1], %r1;",
    "mbarrier.arrive_drop.expect_tx.shared::cta.relaxed.cluster.b64 state, [%rd1], %r1;",
    "cp.async.mbarrier.arrive.shared.b64 [bar];",
    "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];",
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];",
    "mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;",
    "mbarrier.try_wait.relaxed.cluster.shared.b64 %p1, [bar], %rd1;",
    "mbarrier.test_wait.parity.shared.b64 %p1, [bar], %r1;",
    "mbarrier.test_wait.shared::cta.b64 %p1, [bar], state;",
    "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0;",
    "barrier.cluster.arrive;",
    "barrier.cluster.wait;",
    "mbarrier.arrive.noComplete.b64 state, [bar], 1;",
    "mbarrier.pending_count.b64 %r1, state;",
    "barrier.cluster.arrive.aligned;",
    "barrier.cluster.wait.aligned;",
    "barrier.cluster.arrive.relaxed.aligned;",
];

/// The same of PTX ISA 9.3.
const LISTINGS_9_3: &[&str] = &[
    "mbarrier.init.layout::v1.shared::cta.b64 [bar], 4;",
    "mbarrier.init.layout::v0.shared.b64 [bar], %r1;",
    "mbarrier.pending_count.layout::v0.b64 %r1, state;",
    "mbarrier.check_layout.layout::v1.shared::cta.b64 %p1, [bar];",
    "mbarrier.init.layout::v1.b64 [%rd1], 511;",
    "mbarrier.init.layout::v0.b64 [%rd1], 1048575;",
];

/// Orders of qualifiers, operands and types that people and compilers write.
const IN_USE: &[&str] = &[
    "mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [%r1], %r2;",
    "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2, 0x989680;",
    "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 1, -1;",
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 1048575;",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%rd1+8], 0;",
    "mbarrier.init.shared.b64 [bars+24], 1048575;",
    "mbarrier.init.shared.b64 [bytes+16], 1;",
    "mbarrier.init.shared.b64 [dynamic+4096], 1;",
    "mbarrier.init.shared.b64 [pair], 1;",
    "mbarrier.init.shared.b64 [u32], u32;",
    "mbarrier.init.b64 [s64], s32;",
    "mbarrier.init.b64 [bar], %v.y;",
    "mbarrier.arrive.b64 u64, [%w.w];",
    "mbarrier.test_wait.b64 %p1, [bar], s64;",
    "mbarrier.pending_count.b64 u32, u64;",
    "mbarrier.arrive.release.cluster.b64 state, [%rd1];",
];

#[test]
fn listings_and_what_is_in_use_are_accepted() {
    for line in LISTINGS.iter().chain(IN_USE) {
        assert_eq!(complaints(line, 90, ptx("8.6")), [], "{line}");
    }
    for line in LISTINGS.iter().chain(LISTINGS_9_3) {
        assert_eq!(complaints(line, 90, ptx("9.3")), [], "{line}");
    }
    let all: String = LISTINGS.iter().map(|line| format!("{line}\n")).collect();
    let checked = check(&module(&source(&all)), Target::sm(90), ptx("8.6"));
    assert_eq!((checked.instructions, checked.refused), (LISTINGS.len(), 0));
}

#[test]
fn names_of_all_instructions_are_looked_at() {
    let lines =
        "@nobody add.u32 %r1, %r2, %r9; mov.u64 %rd1, nothing; bra AWAY; add.u32 %r1, %r1, txCont; { .reg .b32 inner; }
        mov.b32 inner, %r1; call nowhere, (%r1); st.shared.b32 [bra], %tid.q; mbarrier.arrive.b64 zz, [bars];
        @p bra HERE; HERE: mov.u32 %r1, %clock; mov.b64 %rd1, bars; setp.eq.u32 p|waitComplete, %r1, WARP_SZ;";
    let told = complaints(lines, 90, ptx("8.6"));
    let names: Vec<&str> = told.iter().filter_map(|told| told.message.strip_suffix(" is not declared")).collect();
    let wanted = ["nobody", "%r9", "nothing", "AWAY", "txCont", "inner", "nowhere", "bra", "zz"];
    assert_eq!(names, wanted.map(|name| format!("`{name}`")), "{told:#?}");
    let help = |place: usize| told[place].help.as_deref().unwrap_or_default();
    assert_eq!(help(4), "did you mean `txCount`?");
}

#[test]
fn other_instructions_are_not_looked_at_further() {
    let others = "nonsense.arrive.b64 1; st.global.u32 [global], 1; st.bulk.weak.shared::cta [bytes], 16, 0; red.add.u32 [global], 1;";
    assert_eq!(check(&module(&source(others)), Target::sm(75), ptx("6.5")), Checked::default());
}
