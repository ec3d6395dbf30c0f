//! Mistakes in kernels of a few lines: the report of each, with and without checked mode.

use super::kernels::program;
use super::warps::{launch, run};
use txbar_ptx::machine::End;
use txbar_ptx::machine::findings::Bug;
use txbar_ptx::machine::hang::Waits;
use txbar_ptx::outcome::Outcome;

/// A kernel of one warp whose lane 0 does what `body` says: its barriers are at `b`, inputs at `g`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.6 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 in)
        {{
          .shared .align 16 .b64 bar[4];
          .reg .pred q, rest; .reg .b32 t, b, n, zero; .reg .b64 g, st, late, bg;
          ld.param.u64 g, [in]; mov.u32 t, %tid.x; mov.u32 b, bar; mov.u32 zero, 0; setp.ne.u32 rest, t, 0;
          @rest bra END;
          {body}
        END:
          ret;
        }}"
    )
}

fn outcome(body: &str, checked: bool) -> Outcome {
    run(&kernel(body), "k", checked, &["in:u32:64:1".to_string()])
}

/// The names of all mistakes that are told, those that a hang looks like behind the others.
fn told(outcome: &Outcome) -> Vec<Bug> {
    let mut bugs = outcome.bugs();
    bugs.dedup();
    bugs
}

#[test]
fn what_silicon_does_not_see_is_told_in_checked_mode_only() {
    let arrive = "mbarrier.init.shared.b64 [b], 1; mbarrier.arrive.shared.b64 st, [b];";
    let cases = [
        ("a parity of 2", "mov.u32 n, 2; mbarrier.test_wait.parity.shared.b64 q, [b], n;", Bug::ParityOperand),
        ("no arrivals", "mov.u32 n, 0; mbarrier.init.shared.b64 [b+8], n;", Bug::InitCount),
        ("a cp.async over a barrier", "cp.async.ca.shared.global [b], [g], 8; cp.async.wait_all;", Bug::StoreToBarrier),
        (
            "a bulk copy over a barrier",
            "mbarrier.init.shared.b64 [b+16], 1; mbarrier.arrive.expect_tx.shared.b64 st, [b+16], 16;
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [b], [g], 16, [b+16];
             W: mbarrier.try_wait.shared.b64 q, [b+16], st; @!q bra W;",
            Bug::StoreToBarrier,
        ),
    ];
    for (what, body, bug) in cases {
        let body = format!("{arrive} {body}");
        assert_eq!(told(&outcome(&body, true)), [bug], "{what}");
        let unchecked = outcome(&body, false);
        assert_eq!((unchecked.end.clone(), told(&unchecked)), (End::Done, vec![]), "{what}, unchecked");
    }
}

#[test]
fn a_barrier_that_was_written_over_was_initialised() {
    let body = "mbarrier.init.shared.b64 [b], 1; cp.async.ca.shared.global [b], [g], 8; cp.async.wait_all;
                mbarrier.arrive.shared.b64 st, [b];";
    let outcome = outcome(body, true);
    let details: Vec<&str> = outcome.findings.iter().map(|(_, finding)| finding.detail.as_str()).collect();
    assert_eq!(told(&outcome)[..2], [Bug::StoreToBarrier, Bug::MissingInit]);
    assert_eq!(details[1], "it was initialised, and something has been written over it");
}

#[test]
fn of_a_barrier_used_behind_its_end_both_lines_are_told() {
    for used in [
        "mbarrier.arrive.shared.b64 st, [b];",
        "mov.u32 n, 0; W: mbarrier.try_wait.parity.shared.b64 q, [b], n; @!q bra W;",
    ] {
        let body = format!("mbarrier.init.shared.b64 [b], 1; mbarrier.inval.shared.b64 [b]; {used}");
        let outcome = outcome(&body, true);
        let (_, finding) = &outcome.findings[0];
        let text = kernel(&body);
        let program = program("mistakes", &text, "k");
        let line = |pc: usize| &text[program.span(pc).start as usize..];
        assert_eq!((finding.bug, finding.detail.as_str()), (Bug::MissingInit, "it has been invalidated"));
        assert!(finding.shows.is_some_and(|pc| line(pc).starts_with("mbarrier.inval")), "{finding:?}");
    }
}

/// Checked mode lets nobody pass where there is no barrier: who goes on to wait there hangs, whatever the word says.
#[test]
fn a_wait_where_a_barrier_was_hangs() {
    let body = "mbarrier.init.shared.b64 [b], 1; st.shared.b64 [b], 0; mov.u32 n, 1;
                W: mbarrier.try_wait.parity.shared.b64 q, [b], n; @!q bra W; st.global.u32 [g], n;";
    let outcome = outcome(body, true);
    assert!(matches!(outcome.end, End::Hang(_)), "{:?}", outcome.end);
    assert_eq!(told(&outcome)[..2], [Bug::StoreToBarrier, Bug::MissingInit]);
}

/// A token says of which phase it is, not only of which parity.
#[test]
fn a_token_of_two_phases_ago_is_told() {
    let body = "mbarrier.init.shared.b64 [b], 1; mbarrier.arrive.shared.b64 late, [b];
                W1: mbarrier.try_wait.shared.b64 q, [b], late; @!q bra W1;
                mbarrier.arrive.shared.b64 st, [b];
                W2: mbarrier.try_wait.shared.b64 q, [b], st; @!q bra W2;
                W3: mbarrier.try_wait.shared.b64 q, [b], late; @!q bra W3;";
    assert_eq!(told(&outcome(body, true)), [Bug::AliasedParity]);
}

/// A GPU suspends a wait for 4 us, whatever longer hint there is: a hang is found as soon as without one.
#[test]
fn a_long_hint_hides_no_hang() {
    for hint in ["", ", 0x989680", ", 0x7fffffff", ", 0xfffffffe"] {
        let body = format!(
            "mbarrier.init.shared.b64 [b], 2; mbarrier.arrive.shared.b64 st, [b];
             W: mbarrier.try_wait.parity.shared.b64 q, [b], zero{hint}; @!q bra W;"
        );
        let End::Hang(hang) = outcome(&body, true).end else { panic!("it hangs with the hint {hint:?}") };
        assert!(hang.cycle < 8000, "hint {hint:?}: it is found in cycle {}", hang.cycle);
        assert!(hang.groups.iter().all(|group| matches!(group.waits, Waits::Phase { .. })), "{:?}", hang.groups);
        assert_eq!(hang.bugs.first().map(|diagnosis| diagnosis.bug), Some(Bug::InitCount), "hint {hint:?}");
    }
}

#[test]
fn a_misaligned_address_is_named() {
    let End::Fault(fault) = outcome("mbarrier.arrive.shared.b64 st, [b+4];", true).end else { panic!("it faults") };
    let what = &fault.what;
    assert!(what.starts_with("mbarrier.arrive at 0x") && what.contains("4 is refused: The address is not"), "{what}");
}

/// Faults name the address or the size, and what it should have been, or what lies beside it.
#[test]
fn faults_have_numbers() {
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    let cases = [
        (
            "cp.async.bulk.global.shared::cta.bulk_group [g], [b], 24;".into(),
            "of 24 bytes is impossible: 24 is not a multiple of 16",
        ),
        (format!("{copy} [b+8], [g], 16, [b+16];"), "misaligned: `bar+0x8` (shared 0x8) is not a multiple of 16"),
        (format!("{copy} [b], [g+4], 16, [b+16];"), "misaligned: global memory 0x1000000004 is not a multiple of 16"),
        ("ld.global.u32 n, [g+2];".into(), "misaligned: 0x1000000002 is not a multiple of 4"),
        (
            "ld.global.u32 n, [g+256];".into(),
            "0x1000000100 are outside of everything that was allocated in global memory: byte 256 of `in`, which has 256 bytes",
        ),
        (
            "st.shared.u32 [b+32], n;".into(),
            "4 bytes at 0x20 are outside of shared memory: the CTA has 32 bytes; it would be byte 32 of `bar`, which has 32",
        ),
    ];
    for (body, said) in cases {
        let End::Fault(fault) = outcome(&body, true).end else { panic!("{body}: it faults") };
        assert!(fault.what.ends_with(said), "{body}: {}", fault.what);
    }
}

/// Of an arrival on another CTA's barrier there is no token (PTX ISA 9.7.13.15.13).
#[test]
fn a_token_of_another_cta_is_refused() {
    let text = ".version 8.6 .target sm_90 .address_size 64
        .visible .entry k()
        {
          .shared .align 8 .b64 bar;
          .reg .b32 b, rank; .reg .b64 own, other, st;
          mov.u32 b, bar; mbarrier.init.shared.b64 [b], 1;
          barrier.cluster.arrive; barrier.cluster.wait;
          mov.u32 rank, %cluster_ctarank; xor.b32 rank, rank, 1; cvta.shared.u64 own, bar; mapa.u64 other, own, rank;
          mbarrier.arrive.release.cluster.b64 RESULT, [other];
          barrier.cluster.arrive; barrier.cluster.wait;
          ret;
        }";
    let end = |result: &str| {
        let text = text.replace("RESULT", result).replace("b64 _, [other]", "shared::cluster.b64 _, [other]");
        launch(&text, "k", true, [2, 1], &[]).end
    };
    let End::Fault(fault) = end("st") else { panic!("it faults") };
    assert_eq!(fault.what, "mbarrier.arrive of a barrier of another CTA gives no token: its result is `_`");
}
