//! Hangs, each with its corrected form, with every way to write a wait.
//!
//! A kernel is a few lines: those that begin with `-` are of the broken form alone, those with `+` of the mended one. The line of
//! the broken form at which the cause is told ends with `// here`. `WAIT bar parity` is a wait in one of [`FORMS`].

use super::kernels::program;
use rayon::prelude::*;
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::findings::Bug;
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;
use txbar_ptx::position::texts::Texts;
use txbar_ptx::program::Program;
use txbar_ptx::report::Reporter;
use txbar_ptx::source::Source;
use txbar_testbench::test_env;

/// Ways to wait for the phase with parity `P` of the barrier at `A`; `N` makes labels unique.
const FORMS: [(&str, &str); 7] = [
    ("a loop", "WN: mbarrier.try_wait.parity.shared.b64 w, [A], P; @!w bra WN;"),
    ("a branch over the jump back", "WN: mbarrier.try_wait.parity.shared.b64 w, [A], P; @w bra DN; bra WN; DN:"),
    (
        "test_wait, through a register",
        "WN: mbarrier.test_wait.parity.shared.b64 w, [A], P; selp.u32 c, 1, 0, w; setp.eq.u32 w, c, 0; @w bra WN;",
    ),
    (
        "unrolled",
        "WN: mbarrier.try_wait.parity.shared.b64 w, [A], P; @w bra DN;
         mbarrier.try_wait.parity.shared.b64 w, [A], P; @w bra DN;
         mbarrier.test_wait.parity.shared.b64 w, [A], P; @!w bra WN; DN:",
    ),
    ("predicated", "setp.ne.u32 w, 0, 0; WN: @!w mbarrier.try_wait.parity.shared.b64 w, [A], P; @!w bra WN;"),
    (
        "with the test at the top",
        "bra TN; WN: @w bra DN; TN: mbarrier.try_wait.parity.shared.b64 w, [A], P; bra WN; DN:",
    ),
    ("a function", "mov.b32 c, P; call wait, (A, c);"),
];

/// The kernels: the cause, threads, and what they do. Registers are those of [`text`].
const KERNELS: [(Bug, u32, &str); 33] = [
    // a ring of one slot; the consumers take fewer than the producer brings
    (
        Bug::ArriverGone,
        64,
        "mov.u32 i, 0; setp.ge.u32 q, t, 32; @q bra P;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box];
         mbarrier.arrive.shared.b64 _, [empty];
         add.u32 i, i, 1;
         - setp.lt.u32 q, i, 2; @q bra C;
         + setp.lt.u32 q, i, 4; @q bra C;
         - ret; // here
         + ret;
         P: setp.ne.u32 q, t, 32; @q ret;
         R: not.b32 p, i; and.b32 p, p, 1;
         WAIT empty p
         st.shared.u32 [box], i;
         mbarrier.arrive.shared.b64 _, [one];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra R; ret;",
    ),
    // the same, and the consumers wait for everybody at the end: that is not where it went wrong
    (
        Bug::ArriverGone,
        64,
        "mov.u32 i, 0; setp.ge.u32 q, t, 32; @q bra P;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box];
         mbarrier.arrive.shared.b64 _, [empty];
         add.u32 i, i, 1;
         - setp.lt.u32 q, i, 2; @q bra C;
         + setp.lt.u32 q, i, 4; @q bra C;
         E: bar.sync 1; // here
         ret;
         P: setp.ne.u32 q, t, 32; @q bra E;
         R: not.b32 p, i; and.b32 p, p, 1;
         WAIT empty p
         st.shared.u32 [box], i;
         mbarrier.arrive.shared.b64 _, [one];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra R; bra E;",
    ),
    // one thread leaves in the second of three rounds
    (
        Bug::ArriverGone,
        32,
        "mov.u32 i, 0;
         L: and.b32 p, i, 1; setp.eq.u32 q, t, 7; setp.eq.and.u32 q, i, 1, q; @!q bra G;
         + mbarrier.arrive_drop.shared.b64 _, [full];
         - ret; // here
         + ret;
         G: mbarrier.arrive.shared.b64 _, [full];
         WAIT full p
         add.u32 i, i, 1; setp.lt.u32 q, i, 3; @q bra L; ret;",
    ),
    // the producer gives up in the third round; the branch tells where, not the end that all share
    (
        Bug::ArriverGone,
        64,
        "mov.u32 i, 0; setp.ge.u32 q, t, 32; @q bra P;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box];
         mbarrier.arrive.shared.b64 _, [empty];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra C; bra E;
         P: setp.ne.u32 q, t, 32; @q bra E;
         R:
         - setp.eq.u32 q, i, 2; @q bra E; // here
         not.b32 p, i; and.b32 p, p, 1;
         WAIT empty p
         st.shared.u32 [box], i;
         mbarrier.arrive.shared.b64 _, [one];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra R;
         E: ret;",
    ),
    // a warp leaves before the first round; one lane of each arrives
    (
        Bug::ArriverGone,
        128,
        "and.b32 v, t, 31; setp.eq.u32 lead, v, 0; setp.lt.u32 q, t, 96;
         + setp.lt.u32 q, t, 128;
         @q bra G;
         - ret; // here
         + ret;
         G: @lead mbarrier.arrive.shared.b64 _, [four];
         WAIT four 0
         ret;",
    ),
    // each waits for the phase that its own arrival would complete
    (
        Bug::OwnArrivalAfterWait,
        32,
        "+ mbarrier.arrive.shared.b64 _, [full];
         bra S; S:
         - WAIT full 0 // here
         + WAIT full 0
         - mbarrier.arrive.shared.b64 _, [full];
         ret;",
    ),
    // two slots are acquired before one is released, and there is one
    (
        Bug::OwnArrivalAfterWait,
        32,
        "WAIT empty 1
         st.shared.u32 [box], t;
         + mbarrier.arrive.shared.b64 _, [empty];
         - WAIT empty 0 // here
         + WAIT empty 0
         st.shared.u32 [box+4], t;
         - mbarrier.arrive.shared.b64 _, [empty];
         ret;",
    ),
    // bytes are expected, and come, but nobody arrives
    (
        Bug::ExpectWithoutArrive,
        64,
        "setp.lt.u32 q, t, 32; @q bra C; setp.ne.u32 q, t, 32; @q ret;
         - mbarrier.expect_tx.relaxed.cta.shared.b64 [one], 128; // here
         + mbarrier.arrive.expect_tx.shared.b64 _, [one], 128;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [g], 128, [one];
         ret;
         C: bra S; S:
         WAIT one 0
         ld.shared.u32 v, [box]; ret;",
    ),
    // the same in the second round only
    (
        Bug::ExpectWithoutArrive,
        64,
        "setp.lt.u32 q, t, 32; @q bra C; setp.ne.u32 q, t, 32; @q ret;
         mbarrier.arrive.expect_tx.shared.b64 _, [one], 128;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [g], 128, [one];
         WAIT empty 0
         - mbarrier.expect_tx.relaxed.cta.shared.b64 [one], 128; // here
         + mbarrier.arrive.expect_tx.shared.b64 _, [one], 128;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [g], 128, [one];
         ret;
         C: bra S; S:
         WAIT one 0
         ld.shared.u32 v, [box]; mbarrier.arrive.shared.b64 _, [empty];
         WAIT one 1
         ld.shared.u32 v, [box]; ret;",
    ),
    // the barrier that is waited for is not the one that is arrived on
    (
        Bug::NoArrival,
        64,
        "setp.lt.u32 q, t, 32; @q bra C; mbarrier.arrive.shared.b64 _, [full]; ret;
         C: bra S; S:
         - WAIT empty 0 // here
         + WAIT full 0
         ret;",
    ),
    // two slots, one for each operand; the producer wants the first again before it brings the second
    (
        Bug::Deadlock,
        64,
        "mov.u32 i, 0; setp.lt.u32 q, t, 32; @q bra C; setp.ne.u32 q, t, 32; @q ret;
         P: not.b32 p, i; and.b32 p, p, 1;
         - WAIT empty p // here
         + WAIT empty p
         st.shared.u32 [box], i; mbarrier.arrive.shared.b64 _, [one];
         - setp.eq.u32 q, i, 0; @q bra P2;
         B: setp.eq.u32 q, i, 4; @q ret;
         WAIT empty2 p
         st.shared.u32 [box+4], i; mbarrier.arrive.shared.b64 _, [one2];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra P; ret;
         - P2: mov.u32 i, 1; bra P;
         C: and.b32 p, i, 1;
         WAIT one p
         WAIT one2 p
         ld.shared.u32 v, [box]; ld.shared.u32 v, [box+4];
         mbarrier.arrive.shared.b64 _, [empty]; mbarrier.arrive.shared.b64 _, [empty2];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra C; ret;",
    ),
    // through a barrier of the CTA
    (
        Bug::Deadlock,
        64,
        "setp.lt.u32 q, t, 32; @q bra C;
         - bar.sync 1;
         mbarrier.arrive.shared.b64 _, [full];
         + bar.sync 1;
         ret;
         C: bra S; S:
         - WAIT full 0 // here
         + WAIT full 0
         bar.sync 1; ret;",
    ),
    // the producer waits for the end of a phase in which the slot was never used; others wait for it at a barrier of the CTA
    (
        Bug::WrongStartingParity,
        96,
        "mov.u32 i, 0; setp.lt.u32 q, t, 32; @q bra C; setp.ne.u32 q, t, 32; @q bra E;
         P: and.b32 p, i, 1;
         + xor.b32 p, p, 1;
         - WAIT empty p // here
         + WAIT empty p
         st.shared.u32 [box], i;
         mbarrier.arrive.shared.b64 _, [one];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra P;
         E: bar.sync 1; ret;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box];
         mbarrier.arrive.shared.b64 _, [empty];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra C;
         bra E;",
    ),
    // the first wait is for the second phase
    (
        Bug::WrongStartingParity,
        64,
        "setp.lt.u32 q, t, 32; @q bra C; mbarrier.arrive.shared.b64 _, [full]; bar.sync 1; ret;
         C: bar.sync 1;
         - WAIT full 1 // here
         + WAIT full 0
         ret;",
    ),
    // the producer does not wait for the empty slot
    (
        Bug::MissingWait,
        64,
        "mov.u32 i, 0; setp.lt.u32 q, t, 32; @q bra C; setp.ne.u32 q, t, 32; @q ret;
         P: not.b32 p, i; and.b32 p, p, 1;
         + WAIT empty p
         - mbarrier.arrive.expect_tx.shared.b64 _, [one], 128; // here
         + mbarrier.arrive.expect_tx.shared.b64 _, [one], 128;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [g], 128, [one];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra P; ret;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box];
         mbarrier.arrive.shared.b64 _, [empty];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra C; ret;",
    ),
    // one arrival more is counted than are made; the others wait for who waits for that
    (
        Bug::InitCount,
        64,
        "mov.u32 i, 0; setp.lt.u32 q, t, 32; @q bra C; setp.ne.u32 q, t, 32; @q ret;
         P: not.b32 p, i; and.b32 p, p, 1;
         - WAIT more p
         + WAIT empty p
         st.shared.u32 [box], i;
         mbarrier.arrive.shared.b64 _, [one];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra P; ret;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box];
         - mbarrier.arrive.shared.b64 _, [more];
         + mbarrier.arrive.shared.b64 _, [empty];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra C; ret;",
    ),
    // the third tile is skipped, and its slot not given back
    (
        Bug::ArriverGone,
        64,
        "mov.u32 i, 0; setp.ge.u32 q, t, 32; @q bra P;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box];
         - setp.eq.u32 q, i, 2; @q bra N;
         - mbarrier.arrive.shared.b64 _, [empty]; // here
         + mbarrier.arrive.shared.b64 _, [empty];
         N: add.u32 i, i, 1; setp.lt.u32 q, i, 5; @q bra C; ret;
         P: setp.ne.u32 q, t, 32; @q ret;
         R: not.b32 p, i; and.b32 p, p, 1;
         WAIT empty p
         st.shared.u32 [box], i;
         mbarrier.arrive.shared.b64 _, [one];
         add.u32 i, i, 1; setp.lt.u32 q, i, 5; @q bra R; ret;",
    ),
    // the slot is given back on a barrier that nobody waits for
    (
        Bug::NoArrival,
        64,
        "mov.u32 i, 0; setp.ge.u32 q, t, 32; @q bra P;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box];
         - mbarrier.arrive.shared.b64 _, [empty2];
         + mbarrier.arrive.shared.b64 _, [empty];
         add.u32 i, i, 1; setp.lt.u32 q, i, 3; @q bra C; ret;
         P: setp.ne.u32 q, t, 32; @q ret;
         R: not.b32 p, i; and.b32 p, p, 1;
         - WAIT empty p // here
         + WAIT empty p
         st.shared.u32 [box], i;
         mbarrier.arrive.shared.b64 _, [one];
         add.u32 i, i, 1; setp.lt.u32 q, i, 3; @q bra R; ret;",
    ),
    // arrivals of copies that count themselves
    (
        Bug::NoArrival,
        32,
        "@first cp.async.ca.shared.global [box], [g], 4;
         - cp.async.mbarrier.arrive.shared.b64 [full]; // here
         + cp.async.mbarrier.arrive.noinc.shared.b64 [full];
         bra S; S:
         WAIT full 0
         ret;",
    ),
    // one thread looks for a flag that another sets behind a barrier of the CTA to which the first comes behind that
    (
        Bug::Deadlock,
        64,
        "@first st.volatile.shared.u32 [box], 0; bar.sync 0; setp.ge.u32 q, t, 32; @q bra P;
         - F: ld.volatile.shared.u32 v, [box]; setp.eq.u32 q, v, 0; @q bra F; // here
         bar.sync 1, 64;
         + F: ld.volatile.shared.u32 v, [box]; setp.eq.u32 q, v, 0; @q bra F;
         ret;
         P: bar.sync 1, 64; mov.u32 v, 1; setp.eq.u32 q, t, 32; @q st.volatile.shared.u32 [box], v; ret;",
    ),
    // two barriers of the CTA in another order
    (
        Bug::Deadlock,
        64,
        "setp.ge.u32 q, t, 32; @q bra P;
         - bar.sync 1, 64; // here
         bar.sync 2, 64;
         + bar.sync 1, 64;
         ret;
         P: bar.sync 2, 64; bar.sync 1, 64; ret;",
    ),
    // who looks for a flag is a victim: who sets it waits for an arrival that nobody makes
    (
        Bug::InitCount,
        64,
        "@first st.volatile.shared.u32 [box], 0; bar.sync 0; setp.ge.u32 q, t, 32; @q bra P;
         F: ld.volatile.shared.u32 v, [box]; setp.eq.u32 q, v, 0; @q bra F; ret;
         - P: mbarrier.arrive.shared.b64 _, [more];
         + P: mbarrier.arrive.shared.b64 _, [full];
         bra S; S:
         - WAIT more 0
         + WAIT full 0
         mov.u32 v, 1; setp.eq.u32 q, t, 32; @q st.volatile.shared.u32 [box], v; ret;",
    ),
    // three slots, and the parity changes with every fourth tile
    (
        Bug::AliasedParity,
        64,
        "mov.u32 i, 0; mov.u32 p, 0; mov.u32 c, one; setp.lt.u32 q, t, 32; @q bra C; setp.ne.u32 q, t, 32; @q ret;
         mbarrier.arrive.shared.b64 _, [one]; mbarrier.arrive.shared.b64 _, [one2]; bar.warp.sync 1; mbarrier.arrive.shared.b64 _, [third];
         WAIT empty 0
         mbarrier.arrive.shared.b64 _, [one]; ret;
         C: bra S; S:
         WAIT one p
         mbarrier.arrive.shared.b64 _, [empty]; nanosleep.u32 2000;
         WAIT one2 p
         WAIT third p
         + xor.b32 p, p, 1;
         - WAIT one p // here
         - xor.b32 p, p, 1;
         + WAIT one p
         ret;",
    ),
    // one of two warps that take the slot never gives it back
    (
        Bug::ArriverGone,
        96,
        "mov.u32 i, 0; setp.ge.u32 q, t, 64; @q bra P;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box]; setp.ge.u32 q, t, 32;
         - @q bra N;
         mbarrier.arrive.shared.b64 _, [both];
         N: add.u32 i, i, 1; setp.lt.u32 q, i, 3; @q bra C; ret;
         P: setp.ne.u32 q, t, 64; @q ret;
         R: not.b32 p, i; and.b32 p, p, 1;
         WAIT both p
         st.shared.u32 [box], i;
         mbarrier.arrive.shared.b64 _, [one];
         add.u32 i, i, 1; setp.lt.u32 q, i, 3; @q bra R; ret;",
    ),
    // in the second tile one of two copies is left out; the producer has the next behind its wait
    (
        Bug::ExpectTxBytes,
        64,
        "mov.u32 i, 0; setp.lt.u32 q, t, 32; @q bra C; setp.ne.u32 q, t, 32; @q ret;
         P: not.b32 p, i; and.b32 p, p, 1;
         WAIT empty p
         - mbarrier.arrive.expect_tx.shared.b64 _, [one], 128; // here
         + mbarrier.arrive.expect_tx.shared.b64 _, [one], 128;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [g], 64, [one];
         setp.eq.u32 q, i, 1;
         - @q bra N;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box+64], [g], 64, [one];
         N: add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra P; ret;
         C: and.b32 p, i, 1;
         WAIT one p
         ld.shared.u32 v, [box];
         mbarrier.arrive.shared.b64 _, [empty];
         add.u32 i, i, 1; setp.lt.u32 q, i, 4; @q bra C; ret;",
    ),
    // the token is of an arrival on another barrier
    (
        Bug::NoArrival,
        32,
        "mbarrier.arrive.shared.b64 m, [full]; T: mbarrier.try_wait.shared.b64 w, [full], m; @!w bra T;
         mbarrier.arrive.shared.b64 tok, [empty]; mbarrier.arrive.shared.b64 m, [full];
         - U: mbarrier.try_wait.shared.b64 w, [empty], m; @!w bra U; // here
         + U: mbarrier.try_wait.shared.b64 w, [empty], tok; @!w bra U;
         bra S; S:
         WAIT full 1
         ret;",
    ),
    // two locks are taken in another order; all others wait for one of them, or for those who do
    (
        Bug::Deadlock,
        96,
        "setp.lt.u32 q, t, 4; mov.u32 c, box; mad.lo.u32 v, t, 4, c; @q st.shared.u32 [v], 0; bar.sync 0;
         mov.u32 i, box; add.u32 p, i, 4; setp.ge.u32 q, t, 64; @q bra V;
         - setp.lt.u32 q, t, 32; @!q mov.u32 p, box; @!q add.u32 i, p, 4;
         F: atom.shared.cas.b32 v, [i], 0, 1; setp.ne.u32 q, v, 0; @q bra F; nanosleep.u32 1000;
         G: atom.shared.cas.b32 v, [p], 0, 1; setp.ne.u32 q, v, 0; @q bra G; // here
         membar.cta; atom.shared.exch.b32 v, [p], 0; st.volatile.shared.u32 [i], 0; atom.shared.add.u32 v, [box+8], 1; ret;
         V: ld.volatile.shared.u32 v, [box+8]; setp.ne.u32 q, v, 64; @q bra V; ret;",
    ),
    // three locks in a circle, which are looked at before they are taken
    (
        Bug::Deadlock,
        96,
        "setp.lt.u32 q, t, 4; mov.u32 c, box; mad.lo.u32 v, t, 4, c; @q st.shared.u32 [v], 0; bar.sync 0;
         and.b32 v, t, 31; setp.ne.u32 q, v, 0; @q ret; shr.u32 v, t, 5; mad.lo.u32 i, v, 4, c; add.u32 p, i, 4;
         setp.eq.u32 q, v, 2; @q mov.u32 p, box;
         + @q mov.u32 p, i; @q mov.u32 i, box;
         F: ld.volatile.shared.u32 v, [i]; setp.ne.u32 q, v, 0; @q bra F; atom.shared.exch.b32 v, [i], 1; setp.ne.u32 q, v, 0; @q bra F;
         nanosleep.u32 3000;
         G: ld.volatile.shared.u32 v, [p]; setp.eq.u32 q, v, 0; @q bra T; nanosleep.u32 20; bra G; // here
         T: atom.shared.exch.b32 v, [p], 1; setp.ne.u32 q, v, 0; @q bra G;
         membar.cta; st.volatile.shared.u32 [p], 0; st.volatile.shared.u32 [i], 0; ret;",
    ),
    // a lock, and the arrival for which its holder waits
    (
        Bug::Deadlock,
        64,
        "@first st.shared.u32 [box], 0; bar.sync 0; and.b32 v, t, 31; setp.ne.u32 q, v, 0; @q ret;
         setp.ge.u32 q, t, 32; @q nanosleep.u32 1000; @q bra S;
         F: atom.shared.cas.b32 v, [box], 0, 1; setp.ne.u32 q, v, 0; @q bra F;
         - WAIT one 0 // here
         + WAIT one 0
         membar.cta; st.volatile.shared.u32 [box], 0; ret;
         + S: mbarrier.arrive.shared.b64 _, [one];
         + G: atom.shared.cas.b32 v, [box], 0, 1; setp.ne.u32 q, v, 0; @q bra G;
         - S: atom.shared.cas.b32 v, [box], 0, 1; setp.ne.u32 q, v, 0; @q bra S;
         - mbarrier.arrive.shared.b64 _, [one];
         membar.cta; st.volatile.shared.u32 [box], 0; ret;",
    ),
    // a lock that its holder does not give back where it leaves early
    (
        Bug::EndlessSpin,
        64,
        "@first st.shared.u32 [box], 0; bar.sync 0; and.b32 v, t, 31; setp.ne.u32 q, v, 0; @q ret;
         setp.ge.u32 q, t, 32; @!q nanosleep.u32 2000;
         F: atom.shared.cas.b32 v, [box], 0, 1; setp.ne.u32 w, v, 0; @w bra F; // here
         - @q ret;
         membar.cta; atom.shared.exch.b32 v, [box], 0; ret;",
    ),
    // the parity changes with every tile, though there are two slots
    (
        Bug::WrongStartingParity,
        64,
        "setp.lt.u32 q, t, 32; @q bra C; setp.ne.u32 q, t, 32; @q ret;
         st.shared.u32 [box], t; mbarrier.arrive.shared.b64 _, [one];
         st.shared.u32 [box+4], t; mbarrier.arrive.shared.b64 _, [one2];
         WAIT empty 0
         mbarrier.arrive.shared.b64 _, [one]; mbarrier.arrive.shared.b64 _, [one2]; ret;
         C: bra S; S:
         WAIT one 0
         nanosleep.u32 2000;
         - WAIT one2 1 // here
         + WAIT one2 0
         ld.shared.u32 v, [box]; mbarrier.arrive.shared.b64 _, [empty];
         WAIT one 1
         ret;",
    ),
    // one warp of a warpgroup ends before wgmma
    (
        Bug::NotReached,
        128,
        "FACTOR
         - setp.ge.u32 q, t, 96; @q ret;
         bra S; S:
         setp.ne.u32 q, t, 0; @q bra M;
         mbarrier.arrive.shared.b64 _, [one];
         WAIT one 0
         M:
         - MULTIPLY // here
         + MULTIPLY
         ret;",
    ),
    // a warp waits before wgmma for arrivals that another makes behind it
    (
        Bug::Deadlock,
        128,
        "FACTOR
         setp.lt.u32 q, t, 96; @q bra M;
         - WAIT full 0 // here
         M: MULTIPLY
         setp.ge.u32 q, t, 32; @q bra L;
         mbarrier.arrive.shared.b64 _, [full]; ret;
         L: bra S; S:
         + WAIT full 0
         ret;",
    ),
];

/// Zeroes in shared memory for both factors of a `wgmma`: the same 8 rows of 16 bytes again and again.
const FACTOR: &str =
    "mov.u32 v, box; shl.b32 c, t, 2; add.u32 c, c, v; mov.u32 i, 0; setp.lt.u32 q, t, 32; @q st.shared.u32 [c], i;
    fence.proxy.async; bar.sync 0; shr.u32 v, v, 4; cvt.u64.u32 m, v;";
/// The instructions of one `wgmma`.
const MULTIPLY: &str =
    "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, m, m, 0, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";

/// A kernel as a file, and the number of the line that is marked.
fn text(body: &str, broken: bool, form: &str) -> (String, Option<usize>) {
    let mut text = "
.version 8.6
.target sm_90a
.address_size 64
.func wait(.reg .b32 a, .reg .b32 n)
{
  .reg .pred w;
AGAIN: mbarrier.try_wait.parity.shared.b64 w, [a], n;
  @!w bra AGAIN;
  ret;
}
.visible .entry k(.param .u64 in)
{
  .shared .align 8 .b64 full, empty, one, one2, third, empty2, four, more, both;
  .shared .align 16 .b8 box[128];
  .reg .pred q, w, first, lead;
  .reg .b32 t, i, p, v, c;
  .reg .b64 g, m, tok;
  .reg .f32 f0, f1, f2, f3;
  ld.param.u64 g, [in];
  mov.u64 m, 0x0000000800080000;
  mov.u32 t, %tid.x;
  setp.eq.u32 first, t, 0;
  @first mbarrier.init.shared.b64 [full], 32;
  @first mbarrier.init.shared.b64 [empty], 32;
  @first mbarrier.init.shared.b64 [one], 1;
  @first mbarrier.init.shared.b64 [one2], 1;
  @first mbarrier.init.shared.b64 [third], 1;
  @first mbarrier.init.shared.b64 [both], 64;
  @first mbarrier.init.shared.b64 [empty2], 32;
  @first mbarrier.init.shared.b64 [four], 4;
  @first mbarrier.init.shared.b64 [more], 33;
  bar.sync 0;
"
    .to_string();
    let mut marked = None;
    for (number, line) in body.lines().enumerate() {
        let line = line.trim();
        let line = match (line.strip_prefix("- "), line.strip_prefix("+ ")) {
            (Some(line), _) if broken => line,
            (_, Some(line)) if !broken => line,
            (None, None) => line,
            _ => continue,
        };
        if line.ends_with("// here") {
            marked = Some(text.lines().count() + 1);
        }
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("WAIT"), Some(bar), Some(parity)) => {
                let form = form.replace("WN", &format!("W{number}")).replace("DN", &format!("D{number}"));
                let form = form.replace("TN", &format!("T{number}")).replace('\n', " ");
                text += &form.replace('A', bar).replace('P', parity);
            }
            _ => {
                text += &line
                    .trim_end_matches("// here")
                    .replace("MULTIPLY", MULTIPLY)
                    .replace("FACTOR", FACTOR)
                    .replace('\n', " ")
            }
        }
        text.push('\n');
    }
    (text + "}\n", marked)
}

/// What a kernel does under a schedule, and what is told of it.
fn run(program: &Program, threads: u32, schedule: Schedule) -> Outcome {
    let settings = Settings { block: [threads, 1, 1], schedule, ..Settings::default() };
    let grid = Grid::new(program, settings).expect("it can be built");
    let arguments = [Argument::read("in:u32:32:1").expect("it is right")];
    grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("it can be run")
}

#[test]
fn the_cause_of_a_hang_is_told_however_its_waits_are_written() {
    let cases = KERNELS.iter().flat_map(|kernel| FORMS.iter().map(move |form| (kernel, form)));
    let failures: Vec<String> = cases
        .collect::<Vec<_>>()
        .into_par_iter()
        .filter_map(|((bug, threads, body), (name, form))| {
            let (broken, line) = text(body, true, form);
            let program = program("hangs", &broken, "k");
            let outcome = run(&program, *threads, Schedule::RoundRobin);
            let source = Source::new("hangs", broken.clone());
            let reporter = Reporter { source: &source, program: &program, ctas: 1, texts: &Texts::default() };
            let told: Vec<(Bug, usize)> = match &outcome.end {
                End::Hang(hang) => hang.bugs.iter().map(|one| (one.bug, source.line(program.span(one.pc)))).collect(),
                End::Fault(fault) => {
                    fault.bug.map(|bug| (bug, source.line(program.span(fault.pc)))).into_iter().collect()
                }
                _ => Vec::new(),
            };
            // a wait in a function is where the function waits
            let elsewhere = |line: usize| {
                *name == "a function" && broken.lines().nth(line - 1).is_some_and(|line| line.contains("call"))
            };
            let right =
                told.len() == 1 && told[0].0 == *bug && line.is_none_or(|line| told[0].1 == line || elsewhere(line));
            let report = match &outcome.end {
                End::Hang(_) => reporter.hangs(&outcome),
                end => format!("{end:?}"),
            };
            (!right).then(|| format!("{bug:?} with {name}, line {line:?}: {told:?}\n{report}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn mended_forms_of_hangs_are_silent() {
    let schedules = if test_env::all("SCHEDULES") { 100 } else { 5 };
    let start = test_env::seed() % 1000;
    let cases = KERNELS.iter().flat_map(|kernel| FORMS.iter().map(move |form| (kernel, form)));
    cases.collect::<Vec<_>>().into_par_iter().for_each(|((bug, threads, body), (name, form))| {
        let (mended, _) = text(body, false, form);
        let program = program("hangs", &mended, "k");
        for seed in start..start + schedules {
            let outcome = run(&program, *threads, Schedule::Random(seed));
            let told = (&outcome.end, outcome.bugs());
            assert_eq!(told, (&End::Done, vec![]), "{bug:?} mended, with {name}, seed {seed}:\n{mended}");
        }
    });
}
