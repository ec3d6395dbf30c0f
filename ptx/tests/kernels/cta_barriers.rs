//! Barriers of a CTA as an H200 counts: random programs that were recorded there, each as a kernel.

use super::kernels::program;
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::End;
use txbar_ptx::machine::findings::Bug;
use txbar_rtl::parameters::Parameters;

/// `program,outcome,progress`: see `testbench/vectors`.
const RECORDED: &str = include_str!("../../../testbench/vectors/h200_cta_barriers.csv");
/// The recording's slots are 10 microseconds apart: a hundred cycles of this clock.
const CLOCK_NS: usize = 100;
/// Nanoseconds of a slot.
const SLOT: u64 = 10_000;
/// Slots after which whoever waits does so for ever.
const SLOTS: u64 = 12;

/// The kernel of a program: `sync:2:64@3` of a warp is `bar.sync 2, 64` in slot 3. Each warp stores how many instructions it has
/// executed.
fn kernel(warps: &[&str]) -> String {
    let mut text = String::from(
        ".version 8.6 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 out)
        {
          .reg .pred mine, first, q; .reg .b32 warp, lane, n; .reg .b64 to, now, left;
          ld.param.u64 to, [out]; mov.u32 warp, %tid.x; shr.u32 warp, warp, 5;
          mov.u32 lane, %laneid; setp.eq.u32 first, lane, 0;\n",
    );
    for number in 0..warps.len() {
        text += &format!("setp.eq.u32 mine, warp, {number}; @mine bra W{number};\n");
    }
    for (number, program) in warps.iter().enumerate() {
        text += &format!("W{number}:\n");
        for (done, instruction) in program.split_whitespace().enumerate() {
            let (what, slot) = instruction.split_once('@').expect("a slot");
            let [kind, bar, count] = what.split(':').collect::<Vec<_>>()[..] else { panic!("{instruction}") };
            let time = SLOT * (1 + slot.parse::<u64>().expect("a number"));
            let count = if count == "0" { String::new() } else { format!(", {count}") };
            let name = match kind {
                "red" => format!("bar.red.and.pred q, {bar}{count}, first"),
                _ => format!("bar.{kind} {bar}{count}"),
            };
            text += &format!(
                "mov.u64 now, %globaltimer; sub.s64 left, {time}, now; max.s64 left, left, 0; cvt.u32.u64 n, left;
                 nanosleep.u32 n; {name}; mov.u32 n, {}; @first st.global.u32 [to+{}], n;\n",
                done + 1,
                4 * number
            );
        }
        text += "ret;\n";
    }
    text + "}\n"
}

/// How a kernel with one buffer ends, and what each of its warps has stored there.
fn run(name: &str, text: &str, warps: u32) -> (End, String) {
    let program = program(name, text, "k");
    let settings = Settings {
        block: [32 * warps, 1, 1],
        max_cycles: SLOTS * SLOT / CLOCK_NS as u64,
        unit: Parameters { clock_ns: CLOCK_NS, ..Settings::default().unit },
        ..Settings::default()
    };
    let out = Argument::read(&format!("out:u32:{warps}")).expect("a buffer");
    let grid = Grid::new(&program, settings).expect("it can be launched");
    let outcome = grid.run(&[out], &mut |_, _| {}, &mut |_| true).expect("its arguments fit");
    let done = outcome.buffers[0].bytes.chunks(4).map(|bytes| bytes[0].to_string()).collect::<Vec<_>>().join(" ");
    (outcome.end, done)
}

/// `done`, `hang` or `trap`.
fn word(end: &End) -> &'static str {
    match end {
        End::Done => "done",
        End::Hang(_) => "hang",
        End::Fault(fault) if fault.bug == Some(Bug::BarMismatch) => "trap",
        other => panic!("{other:?}"),
    }
}

/// What becomes of a program: `hang,0 0`, as the recording has it.
fn outcome(program: &str) -> String {
    let warps: Vec<&str> = program.split('|').collect();
    let (end, done) = run(program, &kernel(&warps), warps.len() as u32);
    match word(&end) {
        "trap" => "trap,".to_string(),
        other => format!("{other},{done}"),
    }
}

#[test]
fn programs_that_were_recorded_on_an_h200() {
    let records: Vec<&str> = RECORDED.lines().skip(1).collect();
    let differs = |record: &&str| {
        let (program, recorded) = record.split_once(',').expect("a program and what became of it");
        let outcome = outcome(program);
        (outcome != recorded).then(|| format!("{program}: {outcome}, and the H200: {recorded}"))
    };
    let differing: Vec<String> = records.iter().filter_map(differs).collect();
    assert_eq!(records.len(), 400);
    assert!(differing.is_empty(), "{} of {} differ:\n{}", differing.len(), records.len(), differing.join("\n"));
}

/// Kernels of three warps whose lanes are apart, and others that are not random, with what an H100 made of them. `w` is the warp, `l` the lane,
/// `half` lanes 0 to 15, `zero`, `one` and `two` say which warp it is.
const PROBES: &[(&str, &str, &str)] = &[
    ("a warp has ended, and the count is for three", "@zero ret; bar.sync 1, 96;", "hang"),
    ("a warp has ended, and there is no count", "@zero ret; bar.sync 0;", "done"),
    ("three warps and a count for two", "setp.lt.u32 p, t, 16; @p ret; bar.sync 1, 64;", "hang"),
    ("at two places", "@zero bra A; @two ret; mov.u32 n, 1; bar.sync 1, 64; ret; A: bar.sync 1, 64;", "done"),
    ("counts differ", "@zero bra A; @two ret; bar.sync 1, 96; ret; A: bar.sync 1, 64;", "trap"),
    ("halves at two barriers", "@half bra A; bar.sync 2, 32; ret; A: bar.sync 1, 32;", "done"),
    ("half a warp, and the others go on", "@!half bra A; bar.sync 1, 32; A: mov.u32 n, 1;", "done"),
    (
        "half a warp, and the others poll what comes behind",
        "setp.lt.u32 p, t, 16; @p bra A; @!zero bra C; B: ld.volatile.global.u32 n, [to]; setp.eq.u32 q, n, 0; @q bra B; ret;
         A: bar.sync 0; st.volatile.global.u32 [to], 1; ret; C: bar.sync 0;",
        "hang",
    ),
    ("a warp arrives twice", "@zero bra A; @two ret; bar.sync 1, 96; ret; A: bar.arrive 1, 96; bar.arrive 1, 96;", "done"),
    ("arrive and sync", "@zero bra A; @two ret; bar.sync 1, 64; ret; A: bar.arrive 1, 64;", "done"),
    ("two arrive and sync, and one syncs", "@two bra A; bar.arrive 1, 96; A: bar.sync 1, 96;", "hang"),
    (
        "halves at one barrier after another, and the others poll",
        "setp.lt.u32 p, t, 16; @p bra A; @!zero bra C; B: ld.volatile.global.u32 n, [to]; setp.eq.u32 q, n, 0; @q bra B; bar.sync 0; ret;
         A: bar.sync 0; st.volatile.global.u32 [to], 1; ret; C: bar.sync 0; bar.sync 0;",
        "hang",
    ),
    ("all of them", "bar.sync 1, 96;", "done"),
    ("counts of sync and arrive differ", "@zero bra A; @two ret; bar.arrive 1, 96; ret; A: bar.sync 1, 64;", "trap"),
    ("another count after it has completed", "@two bra A; bar.sync 1, 64; A: bar.sync 0; bar.sync 1, 96;", "done"),
    (
        "two halves arrive: one warp",
        "@one bra B; @two ret; @half bra A; bar.arrive 1, 96; ret; A: bar.arrive 1, 96; ret; B: bar.sync 1, 96;",
        "hang",
    ),
    (
        "two arrivals complete it alone",
        "@zero bra A; @two ret; nanosleep.u32 3000; bar.sync 1, 64; ret; A: bar.arrive 1, 64; bar.arrive 1, 64; nanosleep.u32 9000;",
        "hang",
    ),
    ("some lanes of each warp", "setp.gt.u32 p, l, 19; @p bra A; bar.sync 1, 96; A: mov.u32 n, 1;", "done"),
    ("a warp alone", "@!zero bra A; bar.arrive 1, 64; nanosleep.u32 3000; bar.sync 1, 64; A: mov.u32 n, 1;", "done"),
    (
        "a warp in two halves, without .aligned",
        "@zero bra A; @two ret; @half bra B; barrier.sync 1, 64; ret; B: barrier.sync 1, 64; ret; A: barrier.sync 1, 64;",
        "done",
    ),
    ("halves at two barriers, without .aligned", "@half bra A; barrier.sync 2, 96; ret; A: barrier.sync 1, 96;", "trap"),
    ("an extra barrier for half a warp", "@half bar.sync 1, 32; bar.sync 0; bar.sync 1, 96;", "done"),
    ("halves at a barrier each, by predicate", "@half bar.sync 1, 32; @!half bar.sync 2, 32;", "done"),
    ("half of each warp, then all", "@half bar.sync 0; bar.sync 0;", "done"),
    ("half a warp, then half of another", "@two ret; @half bar.sync 1, 64; bar.sync 2;", "done"),
    ("a half waits for the other", "@!zero ret; @half bar.sync 1, 64; @!half bar.sync 1, 64;", "hang"),
    ("halves in loops, one barrier", "@half bra A; @two ret; bar.sync 0; A: bar.sync 0;", "hang"),
    ("arrive and sync of halves", "@!zero ret; @half bra A; bar.sync 1, 64; ret; A: bar.arrive 1, 64;", "hang"),
    ("arrive and sync of halves, without .aligned", "@!zero ret; @half bra A; barrier.sync 1, 32; ret; A: barrier.arrive 1, 32;", "hang"),
    ("sync and arrive of halves, without .aligned", "@!zero ret; @!half bra A; barrier.sync 1, 32; ret; A: barrier.arrive 1, 32;", "hang"),
    ("the other half exits late", "@!zero ret; @half bra A; nanosleep.u32 9000; ret; A: bar.sync 1, 32;", "done"),
    ("the other half exits late, without .aligned", "@!zero ret; @half bra A; nanosleep.u32 9000; ret; A: barrier.sync 1, 32;", "done"),
    ("lanes name different barriers", "mov.u32 n, 1; @half mov.u32 n, 2; bar.sync n, 32;", "trap"),
    ("a count of 0 is none", "mov.u32 n, 0; bar.sync 1, n; @zero bra A; bar.sync 1; ret; A: bar.sync 1, n;", "done"),
    ("different reductions", "@two ret; @zero bra A; bar.red.and.pred q, 1, 64, half; ret; A: bar.red.or.pred q, 1, 64, half;", "trap"),
    ("popc and or", "@two ret; @zero bra A; bar.red.popc.u32 n, 1, 64, half; ret; A: bar.red.or.pred q, 1, 64, half;", "trap"),
];

#[test]
fn lanes_that_are_apart_and_other_probes() {
    for (what, body, expected) in PROBES {
        let text = format!(
            ".version 8.6 .target sm_90 .address_size 64
             .visible .entry k(.param .u64 out)
             {{
               .reg .pred p, q, half, zero, one, two; .reg .b32 t, l, w, n; .reg .b64 to;
               ld.param.u64 to, [out]; mov.u32 t, %tid.x; mov.u32 l, %laneid; shr.u32 w, t, 5; setp.lt.u32 half, l, 16;
               setp.eq.u32 zero, w, 0; setp.eq.u32 one, w, 1; setp.eq.u32 two, w, 2;
               {body}
               ret;
             }}"
        );
        assert_eq!(word(&run(what, &text, 3).0), *expected, "{what}");
    }
}
