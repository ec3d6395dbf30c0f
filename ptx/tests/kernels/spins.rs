//! Endless loops in every form, and similar loops that end.

use super::kernels::program;
use rayon::prelude::*;
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::findings::Bug;
use txbar_ptx::machine::hang::{Place, Waits, Why};
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::memory::LastWrite;
use txbar_ptx::outcome::Outcome;
use txbar_testbench::test_env;

/// A form of a loop. `LEFT` in the text stands for what the sibling that ends does otherwise.
struct Form {
    name: &'static str,
    /// What the threads do: `g` is the address of a word in global memory that is 0, `s` one in shared memory, `b` a barrier for 33 arrivals,
    /// `first` is true in thread 0, `n`, `v`, `w`, `x` and `t0`, `t1` are registers of 32 and 64 bits.
    text: &'static str,
    /// What stands for `LEFT` in the form that hangs, and in the one that ends.
    left: [&'static str; 2],
    /// Whether it spins on memory rather than on a barrier.
    on_memory: bool,
}

const FORMS: &[Form] = &[
    Form {
        name: "a poll of global memory that reads the clock",
        text: "LEFT W: mov.u64 t0, %clock64; ld.volatile.global.u32 v, [g]; setp.eq.u32 p, v, 0; @p bra W;",
        left: ["", "@!first bra W; nanosleep.u32 80000; mov.u32 n, 1; st.volatile.global.u32 [g], n;"],
        on_memory: true,
    },
    Form {
        name: "a poll that gives up after a time",
        text: "mov.u64 t0, %clock64; W: mov.u64 t1, %clock64; sub.u64 t1, t1, t0; LEFT
               ld.volatile.global.u32 v, [g]; setp.eq.u32 p, v, 0; @p bra W; END:",
        left: ["", "setp.gt.u64 p, t1, 12000; @p bra END;"],
        on_memory: true,
    },
    Form {
        name: "a poll that gives up by the timer, with a back-off of three stages",
        text: "mov.u64 t0, %globaltimer; mov.u32 n, 0; W: setp.lt.s32 p, n, 16; @p bra MORE; bra.uni LONG;
               MORE: add.s32 n, n, 1; bra.uni LOOK;
               LONG: mov.u64 t1, %globaltimer; sub.s64 t1, t1, t0; setp.lt.s64 p, t1, 400; @p bra LOOK; LEFT
               setp.lt.s64 p, t1, 40000; @p bra SHORT; nanosleep.u32 2000; bra LOOK; SHORT: shr.u64 t1, t1, 2; cvt.u32.u64 w, t1; nanosleep.u32 w;
               LOOK: ld.acquire.gpu.global.u32 v, [g]; setp.eq.u32 p, v, 0; @p bra W; END:",
        left: ["", "setp.gt.s64 p, t1, 100000; @p bra END;"],
        on_memory: true,
    },
    Form {
        name: "a poll that counts its rounds",
        text: "mov.u32 n, 0; W: add.u32 n, n, 1; LEFT ld.relaxed.gpu.global.u32 v, [g]; setp.eq.u32 p, v, 0; @p bra W; END:",
        left: ["", "setp.gt.u32 p, n, 1000; @p bra END;"],
        on_memory: true,
    },
    Form {
        name: "a poll that sleeps longer and longer",
        text: "mov.u32 n, 8; LEFT W: nanosleep.u32 n; add.u32 n, n, n; min.u32 n, n, 1024; ld.relaxed.gpu.global.u32 v, [g];
               setp.eq.u32 p, v, 0; @p bra W;",
        left: ["", "@!first bra W; nanosleep.u32 80000; mov.u32 v, 1; st.relaxed.gpu.global.u32 [g], v;"],
        on_memory: true,
    },
    Form {
        name: "a poll of shared memory, all asleep most of the time",
        text: "LEFT W: nanosleep.u32 4000; ld.volatile.shared.u32 v, [s]; setp.eq.u32 p, v, 0; @p bra W;",
        left: ["", "@!first bra W; nanosleep.u32 80000; mov.u32 v, 1; st.volatile.shared.u32 [s], v;"],
        on_memory: true,
    },
    Form {
        name: "a lock that nobody gives back",
        text: "mov.u32 w, 0; mov.u32 n, 1; mov.u32 x, 2; @first atom.shared.exch.b32 v, [s], n; LEFT bar.sync 0;
               W: atom.shared.cas.b32 v, [s], w, x; setp.ne.u32 p, v, 0; @p bra W; st.volatile.shared.u32 [s], w;",
        left: ["", "@first st.volatile.shared.u32 [s], w;"],
        on_memory: true,
    },
    Form {
        name: "a lock in global memory that is taken with exch",
        text: "mov.u32 w, 0; mov.u32 n, 1; @first st.volatile.global.u32 [g], n; bar.sync 0; LEFT
               W: add.u32 x, x, 1; atom.global.exch.b32 v, [g], n; setp.ne.u32 p, v, 0; @p bra W; st.volatile.global.u32 [g], w;",
        left: ["", "@first nanosleep.u32 80000; @first st.volatile.global.u32 [g], w;"],
        on_memory: true,
    },
    Form {
        name: "four words in turn",
        text: "mov.u32 n, 0; W: add.u32 n, n, 4; and.b32 n, n, 12; add.u32 w, s, n; ld.volatile.shared.u32 v, [w]; add.u32 x, x, 1; LEFT
               setp.eq.u32 p, v, 0; @p bra W; END:",
        left: ["", "setp.gt.u32 p, x, 400; @p bra END;"],
        on_memory: true,
    },
    Form {
        name: "a thousand words in turn, while rounds are counted",
        text: "mov.u32 n, 0; mov.u64 t1, many; W: mul.wide.u32 t0, n, 4; add.u64 t0, t0, t1; ld.volatile.global.u32 v, [t0]; add.u32 n, n, 1;
               and.b32 n, n, 1023; setp.eq.u32 p, n, 0; @p add.u32 x, x, 1; LEFT setp.eq.u32 p, v, 0; @p bra W; END:",
        left: ["", "setp.gt.u32 p, x, 2; @p bra END;"],
        on_memory: true,
    },
    Form {
        name: "lanes that vote on what they have seen",
        text: "LEFT W: mov.u64 t0, %clock64; ld.volatile.shared.u32 v, [s]; setp.ne.u32 p, v, 0; vote.sync.any.pred q, p, -1; @!q bra W;",
        left: ["", "mov.u32 n, 1; @first nanosleep.u32 80000; @first st.volatile.shared.u32 [s], n;"],
        on_memory: true,
    },
    Form {
        name: "a lane that looks for the others",
        text: "LEFT W: add.u32 x, x, 1; @first ld.volatile.global.u32 v, [g]; shfl.sync.idx.b32 v, v, 0, 31, -1; setp.eq.u32 p, v, 0; @p bra W;",
        left: ["", "mov.u32 n, 1; @first nanosleep.u32 80000; @first st.volatile.global.u32 [g], n;"],
        on_memory: true,
    },
    Form {
        name: "a loop in a function",
        text: "LEFT call (v), look, (g);",
        left: ["", "mov.u32 n, 1; @first st.volatile.global.u32 [g], n;"],
        on_memory: true,
    },
    Form {
        name: "a branch over a branch",
        text: "mov.u32 n, 0; LEFT W: ld.volatile.global.u32 v, [g]; setp.ne.u32 p, v, 0; @p bra OUT; add.u32 n, n, 1; bra.uni W; OUT:",
        left: ["", "mov.u32 w, 1; @first nanosleep.u32 80000; @first st.volatile.global.u32 [g], w;"],
        on_memory: true,
    },
    Form {
        name: "a loop with bar.sync in which one thread looks for all",
        text: "LEFT W: @first ld.volatile.global.u32 v, [g]; @first st.volatile.shared.u32 [s], v; bar.sync 0;
               ld.volatile.shared.u32 w, [s]; bar.sync 0; setp.eq.u32 p, w, 0; @p bra W;",
        left: ["", "mov.u32 n, 1; @first nanosleep.u32 80000; @first st.volatile.global.u32 [g], n;"],
        on_memory: true,
    },
    Form {
        name: "a loop with bar.sync that counts",
        text: "mov.u32 x, 0; W: add.u32 x, x, 1; bar.sync 0; ld.volatile.global.u32 v, [g]; bar.sync 0; LEFT setp.eq.u32 p, v, 0; @p bra W; END:",
        left: ["", "setp.gt.u32 p, x, 3000; @p bra END;"],
        on_memory: true,
    },
    Form {
        name: "a reduction over the CTA",
        text: "LEFT W: mov.u32 v, 0; @first ld.volatile.global.u32 v, [g]; setp.ne.u32 p, v, 0; bar.red.or.pred q, 0, p; @!q bra W;",
        left: ["", "mov.u32 n, 1; @first nanosleep.u32 80000; @first st.volatile.global.u32 [g], n;"],
        on_memory: true,
    },
    Form {
        name: "a count over the CTA, of what only one thread decides",
        text: "mov.u32 n, 32; LEFT W: ld.volatile.global.u32 v, [g]; or.b32 v, v, t; setp.ne.u32 p, v, 0; bar.red.popc.u32 w, 0, p;
               setp.ne.u32 q, w, n; @q bra W;",
        left: ["", "mov.u32 n, 31;"],
        on_memory: true,
    },
    Form {
        name: "a loop with barrier.cluster",
        text: "LEFT W: ld.volatile.global.u32 v, [g]; barrier.cluster.arrive; barrier.cluster.wait; setp.eq.u32 p, v, 0; @p bra W;",
        left: ["", "mov.u32 n, 1; @first nanosleep.u32 80000; @first st.volatile.global.u32 [g], n;"],
        on_memory: true,
    },
    Form {
        name: "a suspended wait with a long time hint",
        text: "mbarrier.arrive.shared.b64 t0, [b]; LEFT W: mbarrier.try_wait.parity.shared.b64 p, [b], 0, 0x7fffffff; @!p bra W;",
        left: ["", "@first nanosleep.u32 80000; @first mbarrier.arrive.shared.b64 t0, [b];"],
        on_memory: false,
    },
    Form {
        name: "a test of a barrier that counts and sleeps",
        text: "mbarrier.arrive.shared.b64 t0, [b]; mov.u32 n, 0; W: add.u32 n, n, 1; LEFT nanosleep.u32 n;
               mbarrier.test_wait.shared.b64 p, [b], t0; @!p bra W; END:",
        left: ["", "setp.gt.u32 p, n, 400; @p bra END;"],
        on_memory: false,
    },
    Form {
        name: "a wait with a deadline",
        text: "mbarrier.arrive.shared.b64 t0, [b]; mov.u64 t0, %globaltimer;
               W: mbarrier.try_wait.parity.shared.b64 p, [b], 0; @p bra END; mov.u64 t1, %globaltimer; sub.u64 t1, t1, t0; LEFT bra W; END:",
        left: ["", "setp.gt.u64 p, t1, 100000; @p bra END;"],
        on_memory: false,
    },
];

fn texted(text: &str, settings: Settings, arguments: &[&str]) -> Outcome {
    let program = program("spins", text, "k");
    let grid = Grid::new(&program, settings).expect("it can be built");
    let arguments: Vec<Argument> = arguments.iter().map(|text| Argument::read(text).expect("it is right")).collect();
    grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("it can be run")
}

/// The text of a form, for a warp.
fn kernel(form: &Form, which: usize) -> String {
    let body = form.text.replace("LEFT", form.left[which]);
    format!(
        ".version 8.6 .target sm_90 .address_size 64
        .global .u32 flag; .global .u32 many[1024];
        .func (.reg .b32 out) look(.reg .b64 at)
        {{ .local .b32 kept; .reg .pred p; .reg .b32 n;
          mov.u32 n, 0; st.local.u32 [kept], n;
          W: ld.local.u32 n, [kept]; add.u32 n, n, 1; st.local.u32 [kept], n;
          ld.volatile.global.u32 out, [at]; setp.eq.u32 p, out, 0; @p bra W; ret; }}
        .visible .entry k()
        {{
          .shared .align 16 .b32 word[4]; .shared .align 8 .b64 bar;
          .reg .pred p, q, first; .reg .b32 n, v, w, x, s, b, t; .reg .b64 g, t0, t1;
          mov.u32 t, %tid.x; setp.eq.u32 first, t, 0; mov.u64 g, flag; mov.u32 s, word; mov.u32 b, bar; mov.u32 n, 0; mov.u32 x, 0;
          mov.u32 v, 0; setp.lt.u32 p, t, 4; mad.lo.u32 w, t, 4, s; @p st.shared.u32 [w], n;
          @first mbarrier.init.shared.b64 [b], 33;
          bar.sync 0;
          {body}
          ret;
        }}"
    )
}

fn run(form: &Form, which: usize, schedule: Schedule) -> Outcome {
    let settings = Settings { schedule, block: [32, 1, 1], max_cycles: 1_000_000, ..Settings::default() };
    texted(&kernel(form, which), settings, &[])
}

#[test]
fn what_nobody_can_leave_is_told_at_once() {
    FORMS.par_iter().for_each(|form| {
        for schedule in [Schedule::RoundRobin, Schedule::Random(1), Schedule::Random(2)] {
            let End::Hang(hang) = run(form, 0, schedule).end else { panic!("{}: {schedule:?}: it hangs", form.name) };
            assert_eq!(hang.why, Why::Standstill, "{}", form.name);
            assert!(hang.cycle - hang.since < 6_000, "{}: {} to {}", form.name, hang.since, hang.cycle);
            for group in &hang.groups {
                let polls = group.polls.iter().all(|polled| polled.value < 2);
                assert!(polls, "{}: {:?}", form.name, group.polls);
                match group.waits {
                    Waits::Memory => assert!(form.on_memory && !group.polls.is_empty(), "{}: {group:?}", form.name),
                    Waits::Phase { .. } => assert!(!form.on_memory, "{}: {group:?}", form.name),
                    _ => panic!("{}: {group:?}", form.name),
                }
            }
        }
    });
}

#[test]
fn what_ends_is_no_hang() {
    FORMS.par_iter().for_each(|form| {
        let random = if test_env::all("SCHEDULES") { 100 } else { 3 };
        let schedules = [Schedule::RoundRobin].into_iter().chain((0..random).map(Schedule::Random));
        for schedule in schedules {
            let outcome = run(form, 1, schedule);
            assert_eq!(outcome.end, End::Done, "{}: {schedule:?}", form.name);
            assert_eq!(outcome.bugs(), [], "{}: {schedule:?}", form.name);
        }
    });
}

/// A loop that counts, and behind it a fault: wgmma in a CTA that has no whole warpgroup.
#[test]
fn a_loop_before_a_fault_is_left() {
    let text = ".version 8.6 .target sm_90a .address_size 64
        .visible .entry k()
        {
          .shared .align 16 .b8 factor[128];
          .reg .pred p; .reg .b32 i; .reg .b64 m; .reg .f32 f<4>;
          mov.u32 i, 0; mov.u64 m, 0;
          L: add.u32 i, i, 1; setp.lt.u32 p, i, 20000; @p bra L;
          wgmma.fence.sync.aligned;
          wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, m, m, 0, 1, 1, 0, 0;
          ret;
        }";
    let outcome = texted(text, Settings { block: [32, 1, 1], ..Settings::default() }, &[]);
    let End::Fault(fault) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert!(fault.what.contains("wgmma is for four warps"), "{}", fault.what);
}

/// A grid barrier whose counter goes back to 0: each cluster that spins is told, with the word and who wrote it.
#[test]
fn every_cluster_that_spins_is_told() {
    let text = ".version 8.6 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 counter)
        {
          .reg .pred p, last; .reg .b32 n, v; .reg .b64 g;
          ld.param.u64 g, [counter]; mov.u32 n, %ctaid.x;
          setp.eq.u32 last, n, 2; @last nanosleep.u32 80000; @last bra RESET;
          atom.global.add.u32 v, [g+4], 1;
          W: ld.volatile.global.u32 v, [g+4]; setp.ne.u32 p, v, 3; @p bra W;
          ret;
          RESET: mov.u32 v, 7;
          st.volatile.global.u32 [g+4], v;
          W2: ld.volatile.global.u32 v, [g+4]; setp.ne.u32 p, v, 3; @p bra W2;
          ret;
        }";
    let settings = Settings { grid: [3, 1, 1], block: [1, 1, 1], ..Settings::default() };
    let outcome = texted(text, settings, &["counter:u32:2"]);
    let hangs: Vec<_> = outcome.hangs().collect();
    assert_eq!(hangs.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1, 2]);
    for (number, hang) in hangs {
        let [group] = &hang.groups[..] else { panic!("{:?}", hang.groups) };
        let [polled] = &group.polls[..] else { panic!("{:?}", group.polls) };
        assert_eq!((group.cluster, group.waits), (number, Waits::Memory));
        assert_eq!((polled.name.clone(), polled.value), (Some(("counter".to_string(), 4)), 7));
        assert!(matches!(polled.place, Place::Global(_)), "{polled:?}");
        let LastWrite::By(writer) = polled.written else { panic!("{polled:?}") };
        assert_eq!((writer.cluster, writer.who.thread), (2, 0));
    }
}

/// Two locks in global memory, which two clusters take in another order; a third waits for both of them, and is not to blame.
#[test]
fn clusters_that_wait_for_each_other_are_told_and_their_victims_are_not() {
    let text = ".version 8.6 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 locks)
        {
          .reg .pred p, q; .reg .b32 n, v; .reg .b64 g, first, second;
          ld.param.u64 g, [locks]; mov.u32 n, %ctaid.x; setp.eq.u32 p, n, 2; @p bra V; setp.eq.u32 p, n, 1;
          mov.u64 first, g; add.u64 second, g, 128; @p add.u64 first, g, 128; @p mov.u64 second, g;
          A: atom.global.cas.b32 v, [first], 0, 1; setp.ne.u32 q, v, 0; @q bra A; nanosleep.u32 20000;
          B: atom.global.cas.b32 v, [second], 0, 1; setp.ne.u32 q, v, 0; @q bra B;
          atom.global.add.u32 v, [g+4], 1; membar.gl; atom.global.exch.b32 v, [second], 0; atom.global.exch.b32 v, [first], 0; ret;
          V: ld.acquire.gpu.global.u32 v, [g+4]; setp.ne.u32 q, v, 2; @q bra V;
        }";
    let settings = Settings { grid: [3, 1, 1], block: [1, 1, 1], ..Settings::default() };
    let outcome = texted(text, settings, &["locks:u32:64"]);
    let told: Vec<(u32, Vec<Bug>)> =
        outcome.hangs().map(|(number, hang)| (number, hang.bugs.iter().map(|one| one.bug).collect())).collect();
    assert_eq!(told, [(0, vec![Bug::Deadlock]), (1, vec![Bug::Deadlock]), (2, vec![])]);
}

/// What is told of a kernel whose body is this, in CTAs of this many threads: groups as CTA, threads and what they wait for, and mistakes.
fn told(body: &str, [ctas, threads]: [u32; 2]) -> (Vec<(u8, usize, &'static str)>, Vec<Bug>) {
    let text = format!(
        ".version 8.6 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 flag)
        {{
          .shared .align 16 .b32 word[4]; .reg .pred p, q, first; .reg .b32 t, v, w, x, r; .reg .b64 g;
          ld.param.u64 g, [flag]; mov.u32 t, %tid.x; setp.eq.u32 first, t, 0; mov.u32 r, %cluster_ctarank; mov.u32 x, 0;
          {body}
          ret;
        }}"
    );
    let settings = Settings {
        grid: [ctas, 1, 1],
        cluster: Some([ctas, 1, 1]),
        block: [threads, 1, 1],
        max_cycles: 300_000,
        ..Settings::default()
    };
    let outcome = texted(&text, settings, &["flag:u32:4"]);
    let End::Hang(hang) = &outcome.end else { return (Vec::new(), outcome.bugs()) };
    let kind = |waits| match waits {
        Waits::Memory => "memory",
        Waits::Bar(_) => "bar",
        Waits::Round => "cluster",
        _ => "else",
    };
    let groups = hang.groups.iter().map(|group| (group.cta, group.threads.len(), kind(group.waits)));
    let groups = if hang.why == Why::Standstill { groups.collect() } else { vec![(0, 0, "limit")] };
    (groups, outcome.bugs())
}

/// Loops with barriers in them, of several warps and CTAs.
#[test]
fn loops_with_barriers_are_followed() {
    let look = "ld.volatile.global.u32 v, [g]; setp.eq.u32 p, v, 0;";
    // 1,024 threads
    let body = format!("W: bar.sync 0; {look} @p bra W;");
    assert_eq!(told(&body, [1, 1024]), (vec![(0, 1024, "memory")], vec![Bug::EndlessSpin]));
    // two warps by a number of their own; the third waits for one of them
    let body = format!("setp.ge.u32 q, t, 64; @q bra C; W: bar.sync 1, 64; {look} @p bra W; C: bar.sync 2, 96;");
    let (groups, bugs) = told(&body, [1, 96]);
    assert_eq!((groups, bugs), (vec![(0, 64, "memory"), (0, 32, "bar")], vec![Bug::EndlessSpin]));
    // one warp arrives and does not wait; the other waits for it, and both look
    let body =
        format!("setp.ge.u32 q, t, 32; W: @q bra S; bar.arrive 1, 64; bra L; S: bar.sync 1, 64; L: {look} @p bra W;");
    assert_eq!(told(&body, [1, 64]), (vec![(0, 64, "memory")], vec![Bug::BarSurplus, Bug::EndlessSpin]));
    // to and fro by two numbers: each side looks for the other's word, which nobody writes
    let body = format!(
        "setp.ge.u32 q, t, 512; W: @q bra C; bar.arrive 1, 1024; bar.sync 2, 1024; bra L;
         C: bar.sync 1, 1024; bar.arrive 2, 1024; L: add.u32 x, x, 1; {look} @p bra W;"
    );
    assert_eq!(told(&body, [1, 1024]), (vec![(0, 1024, "memory")], vec![Bug::EndlessSpin]));
    // an arrival is no wait: who has made it goes on, and ends
    let body = format!("W: add.u32 x, x, 1; setp.gt.u32 q, x, 3000; {look} @q bra A; @p bra W; A: bar.arrive 1, 96;");
    assert_eq!(told(&body, [1, 32]), (vec![], vec![]));
    // lanes that do not come: the others of their warp wait for them, and all others for the warp
    let body = format!("@first bra S; W: bar.sync 0; {look} @p bra W; bra E; S: {look} @p bra S; E:");
    let (groups, bugs) = told(&body, [1, 64]);
    assert_eq!((groups, bugs), (vec![(0, 63, "bar"), (0, 1, "memory")], vec![Bug::EndlessSpin]));
    // the cluster goes round; one CTA looks for all and tells the others
    let body = "W: mov.u32 v, 0; setp.eq.u32 p, r, 0; @p ld.volatile.global.u32 v, [g];
        mapa.shared::cluster.u32 w, word, 1; @p st.volatile.shared::cluster.u32 [w], v;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        mov.u32 x, word; ld.volatile.shared.u32 v, [x]; setp.eq.u32 p, v, 0;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; @p bra W;";
    let (groups, bugs) = told(body, [2, 64]);
    assert!(groups.iter().all(|(_, _, waits)| *waits == "memory"), "{groups:?}");
    assert!(bugs.contains(&Bug::EndlessSpin), "{bugs:?}");
    // one CTA does not come
    let body =
        format!("setp.eq.u32 q, r, 1; W: {look} @!q bra N; @p bra W; N: barrier.cluster.arrive; barrier.cluster.wait;");
    let (groups, bugs) = told(&body, [2, 32]);
    assert_eq!((groups, bugs), (vec![(0, 32, "cluster"), (1, 32, "memory")], vec![Bug::EndlessSpin]));
    // two halves of a warp stand at one barrier by two instructions: that makes none
    let body = "setp.lt.u32 p, t, 16; @p bra A; setp.ge.u32 p, t, 32; @p bra S; bar.arrive 1, 64; bra E; A: bar.arrive 1, 64; bra E;
        S: bar.sync 1, 64; E:";
    let (groups, bugs) = told(body, [1, 64]);
    assert_eq!((groups, bugs), (vec![(0, 16, "bar"), (0, 16, "bar"), (0, 32, "bar")], vec![Bug::NotReached]));
    // it ends
    let body = "W: bar.sync 0; add.u32 x, x, 1; setp.lt.u32 p, x, 5000; @p bra W;";
    assert_eq!(told(body, [1, 64]), (vec![], vec![]));
    let body = "W: barrier.cluster.arrive; barrier.cluster.wait; add.u32 x, x, 1; setp.lt.u32 p, x, 500; @p bra W;";
    assert_eq!(told(body, [2, 64]), (vec![], vec![]));
}
