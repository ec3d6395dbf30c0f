//! Races in kernels of a few lines: each case is a broken kernel and what mends it. Of the broken one the mistake is told in one run, with
//! the lines of both accesses; of the mended one nothing is told, under any schedule.

use super::kernels::program;
use rayon::prelude::*;
use std::collections::BTreeSet;
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::findings::{Bug, Finding};
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;

/// Random schedules that a mended kernel is run with.
const SCHEDULES: u64 = 5;

/// A case: what it is called, CTAs of a cluster, the mistake, the body. Of the broken kernel the lines that end with `//+` are left out, of
/// the mended one those that end with `//-`. The accesses of which is told are in the lines that end with `//1` and `//2`.
struct Case {
    name: &'static str,
    ctas: u32,
    bug: Bug,
    body: &'static str,
}

/// Two warps a CTA. At `s` are 256 bytes of shared memory, at `b` barriers, `i` and `o` are buffers, `t` and `w` the thread and its warp,
/// `x` its bytes of `s` (4), `y` those of a thread of the other warp, `first` thread 0 and `other` the second warp.
fn text(case: &Case, mended: bool) -> (String, Vec<usize>) {
    let mut text = String::from(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n\
         .shared .align 128 .b8 s[512]; .shared .align 8 .b64 bar[4]; .reg .b32 t, w, v, x, y, a, b, r; .reg .b64 i, o, g, q;\n\
         .reg .pred p, first, other, zero, lane;\n\
         ld.param.u64 i, [in]; ld.param.u64 o, [out]; mov.u32 t, %tid.x; shr.u32 w, t, 5; mov.u32 x, s; mad.lo.u32 x, t, 4, x;\n\
         xor.b32 y, t, 32; shl.b32 y, y, 2; mov.u32 a, s; add.u32 y, y, a; mov.u32 b, bar; mov.u32 r, %cluster_ctarank;\n\
         mul.wide.u32 q, t, 4; add.u64 g, o, q;\n\
         setp.eq.u32 first, t, 0; setp.ne.u32 other, w, 0; setp.eq.u32 zero, r, 0; and.b32 v, t, 31; setp.eq.u32 lane, v, 0; mov.u32 v, t;\n",
    );
    let mut marked = [0; 2];
    for line in case.body.lines() {
        let left_out = if mended { "//-" } else { "//+" };
        if line.trim_end().ends_with(left_out) {
            continue;
        }
        let number = text.lines().count() + 1;
        for (mark, place) in ["//1", "//2"].iter().zip(&mut marked) {
            if line.contains(mark) {
                *place = number;
            }
        }
        text += line.split("//").next().unwrap_or(line);
        text += "\n";
    }
    text += "ret;\n}\n";
    (text, marked.into_iter().filter(|line| *line > 0).collect())
}

fn run(case: &Case, mended: bool, schedule: Schedule) -> Outcome {
    let (text, _) = text(case, mended);
    let program = program("races", &text, "k");
    let grid = [case.ctas, 1, 1];
    let settings =
        Settings { grid, cluster: Some(grid), block: [64, 1, 1], schedule, max_cycles: 100_000, ..Settings::default() };
    let grid = Grid::new(&program, settings).expect("it can be built");
    let arguments = ["in:u32:64:7", "out:u32:256"].map(|text| Argument::read(text).expect("it is right"));
    grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("it can be run")
}

/// A barrier for `count` arrivals, made by thread 0, and known to all.
macro_rules! begins {
    ($count:literal) => {
        concat!(
            "@first mbarrier.init.shared.b64 [b], ",
            $count,
            ";\n@first fence.mbarrier_init.release.cluster;\n",
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
        )
    };
}

const CASES: &[Case] = &[
    Case {
        name: "no bar.sync between a store and a load of another warp",
        ctas: 1,
        bug: Bug::DataRace,
        body: "st.shared.u32 [x], v; //1
            bar.sync 0; //+
            ld.shared.u32 v, [y]; //2
            st.global.u32 [g], v;",
    },
    Case {
        name: "lanes of one warp that do not meet",
        ctas: 1,
        bug: Bug::DataRace,
        body: "st.shared.u32 [x], v; //1
            xor.b32 y, t, 1; shl.b32 y, y, 2; add.u32 y, y, a;
            bar.warp.sync -1; //+
            ld.shared.u32 v, [y]; //2
            st.global.u32 [g], v;",
    },
    Case {
        name: "bytes of one word",
        ctas: 1,
        bug: Bug::DataRace,
        body: "add.u32 x, a, w; //+
            mov.u32 x, a; //-
            st.shared.u8 [x], v; //1 //2
            bar.sync 0;",
    },
    Case {
        name: "a vector over what another thread reads",
        ctas: 1,
        bug: Bug::DataRace,
        body: "st.shared.u32 [x], v;
            bar.sync 0;
            @first ld.shared.u32 v, [a+140]; //1
            bar.sync 0; //+
            setp.eq.u32 p, t, 32;
            @p st.shared.v4.u32 [a+128], {v, v, v, v}; //2
            @first st.global.u32 [g], v;",
    },
    Case {
        name: "an arrival at bar acquires nothing",
        ctas: 1,
        bug: Bug::DataRace,
        body: "@!other st.shared.u32 [x], v; //1
            @!other bar.sync 1, 64;
            @other bar.arrive 1, 64; //-
            @other bar.sync 1, 64; //+
            @other ld.shared.u32 v, [y]; //2
            st.global.u32 [g], v;",
    },
    Case {
        name: "an atomic operation and a plain load",
        ctas: 1,
        bug: Bug::DataRace,
        body: "@first st.shared.u32 [a], v;
            bar.sync 0;
            @other red.shared.add.u32 [a], v; //1
            bar.sync 0; //+
            @first ld.shared.u32 v, [a]; //2
            @first st.global.u32 [g], v;",
    },
    Case {
        name: "a flag that is stored without release",
        ctas: 1,
        bug: Bug::DataRace,
        body: "@other bra WAIT;
            @first st.shared.u32 [a], t; //1
            @first fence.acq_rel.cta; //+
            @first st.relaxed.cta.global.u32 [o], 1;
            bra END;
        WAIT:
            ld.acquire.cta.global.u32 v, [o]; setp.ne.u32 p, v, 1;
            @p bra WAIT;
            ld.shared.u32 v, [a]; //2
            st.global.u32 [g], v;
        END:",
    },
    Case {
        name: "a flag of scope .cta for another CTA",
        ctas: 2,
        bug: Bug::ScopeTooSmall,
        body: "@!first bra END;
            @!zero bra WAIT;
            st.global.u32 [o+256], t; //1
            st.release.cta.global.u32 [o], 1; //-
            st.release.gpu.global.u32 [o], 1; //+
            bra END;
        WAIT:
            ld.acquire.gpu.global.u32 v, [o]; setp.ne.u32 p, v, 1;
            @p bra WAIT;
            ld.global.u32 v, [o+256]; //2
            st.global.u32 [o+512], v;
        END:",
    },
    Case {
        name: "an arrival that is relaxed",
        ctas: 1,
        bug: Bug::DataRace,
        body: concat!(
            begins!(32),
            "@other bra READ;
            st.shared.u32 [x], v; //1
            mbarrier.arrive.relaxed.cta.shared.b64 _, [b]; //-
            mbarrier.arrive.shared.b64 _, [b]; //+
            bra END;
        READ:
            mbarrier.try_wait.parity.shared.b64 p, [b], 0;
            @!p bra READ;
            ld.shared.u32 v, [y]; //2
            st.global.u32 [g], v;
        END:"
        ),
    },
    Case {
        name: "a wait that is relaxed",
        ctas: 1,
        bug: Bug::DataRace,
        body: concat!(
            begins!(32),
            "@other bra READ;
            st.shared.u32 [x], v; //1
            mbarrier.arrive.shared.b64 _, [b];
            bra END;
        READ:
            mbarrier.try_wait.parity.relaxed.cta.shared.b64 p, [b], 0;
            @!p bra READ;
            fence.acq_rel.cta; //+
            ld.shared.u32 v, [y]; //2
            st.global.u32 [g], v;
        END:"
        ),
    },
    Case {
        name: "an arrival of scope .cta on another CTA's barrier, behind a store there",
        ctas: 2,
        bug: Bug::ScopeTooSmall,
        body: concat!(
            begins!(1),
            "mapa.shared::cluster.u32 y, a, 0; mapa.shared::cluster.u32 b, b, 0; //
            @zero bra READ;
            @first st.shared::cluster.u32 [y], v; //1
            @first mbarrier.arrive.shared::cluster.b64 _, [b]; //-
            @first mbarrier.arrive.release.cluster.shared::cluster.b64 _, [b]; //+
            bra END;
        READ:
            mov.u32 b, bar;
        LOOP:
            mbarrier.try_wait.parity.shared.b64 p, [b], 0; //-
            mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [b], 0; //+
            @!p bra LOOP;
            ld.shared.u32 v, [a]; //2
            st.global.u32 [g], v;
        END:
            barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
        ),
    },
    Case {
        name: "a bulk copy that nobody waits for",
        ctas: 1,
        bug: Bug::CopyNotAwaited,
        body: concat!(
            begins!(1),
            "@!first bra READ;
            mbarrier.arrive.expect_tx.shared.b64 _, [b], 256;
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [i], 256, [b]; //1
        READ:
            nanosleep.u32 20000;
            ld.shared.u32 v, [x]; //2 //-
        WAIT:
            mbarrier.try_wait.parity.shared.b64 p, [b], 0;
            @!p bra WAIT;
            ld.shared.u32 v, [x]; //+
            st.global.u32 [g], v;"
        ),
    },
    Case {
        name: "cp.async of another thread",
        ctas: 1,
        bug: Bug::CopyNotAwaited,
        body: "add.u64 i, i, q; cp.async.ca.shared.global [x], [i], 4; //1
            cp.async.wait_all; //+
            bar.sync 0;
            ld.shared.u32 v, [y]; //2
            cp.async.wait_all; //-
            st.global.u32 [g], v;",
    },
    Case {
        name: "a group of cp.async too few",
        ctas: 1,
        bug: Bug::CopyNotAwaited,
        body: "add.u64 i, i, q; cp.async.ca.shared.global [x+256], [i], 4;
            cp.async.commit_group;
            cp.async.ca.shared.global [x], [i], 4; //1
            cp.async.commit_group;
            cp.async.wait_group 1; //-
            cp.async.wait_group 0; //+
            ld.shared.u32 v, [x]; //2
            st.global.u32 [g], v;",
    },
    Case {
        name: "stores that a bulk copy reads without a proxy fence",
        ctas: 1,
        bug: Bug::MissingProxyFence,
        body: "st.shared.u32 [x], v; //1
            fence.proxy.async.shared::cta; //+
            fence.proxy.async.global; //-
            bar.sync 0;
            @!first bra END;
            cp.async.bulk.global.shared::cta.bulk_group [o], [a], 256; //2
            cp.async.bulk.commit_group;
            cp.async.bulk.wait_group 0;
        END:",
    },
    Case {
        name: "the source of a bulk store is written",
        ctas: 1,
        bug: Bug::SourceReused,
        body: "st.shared.u32 [x], v;
            fence.proxy.async.shared::cta;
            bar.sync 0;
            @!first bra END;
            cp.async.bulk.global.shared::cta.bulk_group [o], [a], 256; //1
            cp.async.bulk.commit_group;
            cp.async.bulk.wait_group.read 0; //+
            nanosleep.u32 20000;
            st.shared.u32 [a], v; //2
            cp.async.bulk.wait_group 0;
        END:",
    },
    Case {
        name: "a bulk copy over the source of another",
        ctas: 1,
        bug: Bug::SourceReused,
        body: concat!(
            begins!(1),
            "st.shared.u32 [x], v;
            fence.proxy.async.shared::cta;
            bar.sync 0;
            @!first bra END;
            cp.async.bulk.global.shared::cta.bulk_group [o], [a], 256; //1
            cp.async.bulk.commit_group;
            cp.async.bulk.wait_group.read 0; //+
            mbarrier.arrive.expect_tx.shared.b64 _, [b], 256;
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [i], 256, [b]; //2
        WAIT:
            mbarrier.try_wait.parity.shared.b64 p, [b], 0;
            @!p bra WAIT;
            cp.async.bulk.wait_group 0;
        END:"
        ),
    },
    Case {
        name: "two copies to the same place",
        ctas: 1,
        bug: Bug::CopyNotAwaited,
        body: concat!(
            begins!(1),
            "@!first bra END;
            mbarrier.arrive.expect_tx.shared.b64 _, [b], 256; //-
            mbarrier.arrive.expect_tx.shared.b64 _, [b], 128; //+
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [i], 128, [b]; //1
        TURN: //+
            mbarrier.try_wait.parity.shared.b64 p, [b], 0; //+
            @!p bra TURN; //+
            mbarrier.arrive.expect_tx.shared.b64 _, [b], 128; //+
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [i], 128, [b]; //2
        WAIT:
            mbarrier.try_wait.parity.shared.b64 p, [b], 0; //-
            mbarrier.try_wait.parity.shared.b64 p, [b], 1; //+
            @!p bra WAIT;
        END:"
        ),
    },
    Case {
        name: "shared memory that nobody has written",
        ctas: 1,
        bug: Bug::NeverWritten,
        body: "@!other st.shared.u32 [x], v; //-
            st.shared.u32 [x], v; //+
            bar.sync 0;
            ld.shared.u32 v, [x]; //2
            st.global.u32 [g], v;",
    },
    Case {
        name: "a store to another CTA that does not wait for its threads",
        ctas: 2,
        bug: Bug::DataRace,
        body: "st.shared.u32 [x], v;
            barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
            ld.shared.u32 v, [x]; //1
            barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; //+
            xor.b32 r, r, 1; mapa.shared::cluster.u32 y, x, r;
            st.shared::cluster.u32 [y], v; //2
            barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
    },
];

#[test]
fn of_a_broken_kernel_both_lines_are_told() {
    CASES.par_iter().for_each(|case| {
        let (text, lines) = text(case, false);
        let outcome = run(case, false, Schedule::RoundRobin);
        let line = |pc: usize| {
            let start = program("races", &text, "k").span(pc).start as usize;
            text[..start].matches('\n').count() + 1
        };
        let told = |found: &Finding| found.shows.into_iter().chain([found.pc]).map(line).collect::<BTreeSet<usize>>();
        let expected: BTreeSet<usize> = lines.into_iter().collect();
        let is_told = outcome.findings.iter().any(|(_, found)| found.bug == case.bug && told(found) == expected);
        assert!(is_told, "{}: {:?}\n{:?}\n{text}", case.name, outcome.end, outcome.findings);
    });
}

#[test]
fn of_a_mended_kernel_nothing_is_told() {
    let seed = txbar_testbench::asked::seed();
    CASES.par_iter().for_each(|case| {
        for schedule in std::iter::once(Schedule::RoundRobin).chain((seed..seed + SCHEDULES).map(Schedule::Random)) {
            let outcome = run(case, true, schedule);
            assert_eq!(outcome.end, End::Done, "{}, {schedule:?}", case.name);
            assert_eq!(outcome.findings, [], "{}, {schedule:?}\n{}", case.name, text(case, true).0);
        }
    });
}

#[test]
fn nobody_is_told_who_does_not_ask() {
    let case = &CASES[0];
    let program = program("races", &text(case, false).0, "k");
    let settings = Settings { block: [64, 1, 1], races: false, ..Settings::default() };
    let arguments = ["in:u32:64:7", "out:u32:256"].map(|text| Argument::read(text).expect("it is right"));
    let grid = Grid::new(&program, settings).expect("it can be built");
    let outcome = grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("it can be run");
    assert_eq!((outcome.end, outcome.findings), (End::Done, vec![]));
}
