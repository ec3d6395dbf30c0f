//! Loads and stores of warps: requests at the ports of the hardware, and results in shared memory.
//!
//! Each test is a kernel of a few lines. Its shared memory is `data`, 4,096 bytes that are 0 at first, and at its end they are copied to global
//! memory, a word of 4 bytes by each of its threads in turn.

use super::kernels::program;
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::findings::Bug;
use txbar_ptx::machine::state::Spot;
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::scoreboard::each;
use txbar_testbench::test_env;

/// Bytes of `data`.
const BYTES: usize = 4096;

/// What was asked for in the first CTA.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    /// Loads and stores at the port for warps: opcode, bytes of a lane, lanes.
    warps: Vec<(Op, u32, u32)>,
    /// Steps of them that took effect.
    steps: usize,
    /// Loads and stores at the ports for threads: opcode and bytes that are stored.
    threads: Vec<(Op, u8)>,
}

impl Seen {
    fn look(&mut self, cluster: &Cluster) {
        let access = |code: u64| [Op::Load, Op::Store].into_iter().find(|op| u64::from(op.code()) == code);
        self.steps += cluster.cta[0].unit.gate_seen.iter().filter(|seen| seen.val()).count();
        let op = access(cluster.warp_req_op[0].val().raw());
        if let Some(op) = op.filter(|_| cluster.warp_req_valid[0].val() && cluster.warp_req_ready[0].val()) {
            let bytes = cluster.warp_req_size.first().map_or(0, |size| 4 << size.val().raw());
            self.warps.push((op, bytes, cluster.warp_req_mask[0].val().raw() as u32));
        }
        for port in each(cluster.req_valid[0].val().raw() & cluster.req_ready[0].val().raw()) {
            let strobe = cluster.req[0][port].strobe.val().raw() as u8;
            let op = access(cluster.req[0][port].op.val().raw());
            self.threads.extend(op.map(|op| (op, if op == Op::Store { strobe } else { 0 })));
        }
    }
}

/// How a kernel is launched.
#[derive(Clone, Copy)]
struct Launch {
    threads: u32,
    ctas: u32,
    banks: usize,
    schedule: Schedule,
    /// Races are looked for.
    races: bool,
}

/// A warp in a CTA, its lanes together.
const WARP: Launch = Launch { threads: 32, ctas: 1, banks: 8, schedule: Schedule::RoundRobin, races: false };

/// Runs a kernel: what was seen in the first CTA, and how it ended.
fn launch(body: &str, launch: Launch) -> (Seen, Outcome) {
    let Launch { threads, ctas, banks, schedule, races } = launch;
    let text = format!(
        "
.version 8.6
.target sm_90
.address_size 64
.visible .entry reach(.param .u64 left)
{{
    .shared .align 128 .b8 data[{BYTES}];
    .reg .pred p, q;
    .reg .b16  h<8>;
    .reg .b32  tid, lane, at, rank, a<16>;
    .reg .b64  to, d<8>;
    mov.u32 tid, %tid.x;
    mov.u32 lane, %laneid;
    mov.u32 rank, %cluster_ctarank;
    mov.u32 a1, data;
    {body}
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.ne.u32 p, rank, 0;
    @p ret;
    ld.param.u64 to, [left];
    mov.u32 at, tid;
copy:
    shl.b32 a0, at, 2;
    mov.u32 a1, data;
    add.u32 a1, a1, a0;
    ld.acquire.cta.shared.u32 a2, [a1];
    cvt.u64.u32 d0, a0;
    add.u64 d0, d0, to;
    st.global.u32 [d0], a2;
    add.u32 at, at, {threads};
    setp.lt.u32 p, at, {};
    @p bra copy;
    ret;
}}
",
        BYTES / 4
    );
    let program = program("reach", &text, "reach");
    let left = Argument::read(&format!("left:u32:{}", BYTES / 4)).expect("it is right");
    let unit = Parameters { banks, ..Settings::default().unit };
    let (grid, cluster) = ([ctas, 1, 1], Some([ctas, 1, 1]));
    let settings = Settings {
        grid,
        cluster,
        block: [threads, 1, 1],
        schedule,
        unit,
        races,
        max_cycles: 100_000,
        ..Settings::default()
    };
    let grid = Grid::new(&program, settings).unwrap_or_else(|error| panic!("{error}"));
    let mut seen = Seen::default();
    let outcome = grid.run(&[left], &mut |cluster, _| seen.look(cluster), &mut |_| true).expect("it fits");
    // the copy at the end
    seen.threads.truncate(seen.threads.len() - BYTES / 4);
    (seen, outcome)
}

/// The same for a sound kernel: what is left in `data`, too.
fn run(body: &str, how: Launch) -> (Seen, Vec<u8>) {
    let (seen, outcome) = launch(body, how);
    assert!(outcome.end == End::Done && outcome.findings.is_empty(), "{:?} {:?}", outcome.end, outcome.findings);
    (seen, outcome.buffers[0].bytes.clone())
}

/// The words of 4 bytes that are left.
fn words(left: &[u8]) -> Vec<u32> {
    left.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

const ALL: u32 = u32::MAX;

#[test]
fn lanes_that_load_and_store_together_are_one_instruction() {
    let body = "
    shl.b32 at, lane, 2;
    add.u32 a1, a1, at;
    add.u32 a2, lane, 100;
    st.shared.u32 [a1], a2;
    ld.shared.u32 a3, [a1];
    st.shared.u32 [a1+128], a3;
    add.u32 a1, a1, at;
    st.shared.v2.u32 [a1+256], {-1, 5};
";
    let (seen, left) = run(body, WARP);
    assert_eq!(seen.warps, [(Op::Store, 4, ALL), (Op::Load, 4, ALL), (Op::Store, 4, ALL), (Op::Store, 8, ALL)]);
    assert_eq!((seen.steps, seen.threads), (10, vec![]), "32 consecutive words are two steps on 8 banks");
    assert_eq!(words(&left)[64..128], [u32::MAX, 5].repeat(32));
    let expected: Vec<u32> = (0..64).map(|word| 100 + word % 32).collect();
    assert_eq!(words(&left)[..64], expected);
}

/// The gate is for two banks or more.
#[test]
fn with_one_bank_each_lane_asks_for_itself() {
    let body = "
    shl.b32 at, lane, 2;
    add.u32 a1, a1, at;
    st.shared.u32 [a1], lane;
    ld.shared.u32 a3, [a1];
    st.shared.u32 [a1+128], a3;
";
    let (seen, left) = run(body, Launch { banks: 1, ..WARP });
    assert_eq!((seen.warps, seen.steps, seen.threads.len()), (vec![], 0, 96));
    assert_eq!(words(&left)[..64], (0..64).map(|word| word % 32).collect::<Vec<u32>>());
}

#[test]
fn lanes_that_diverge_are_instructions_of_their_own_masks() {
    let body = "
    mul.lo.u32 at, lane, 8;
    add.u32 a1, a1, at;
    setp.lt.u32 p, lane, 5;
    @p bra low;
    st.shared.u32 [a1], lane;
    bra both;
low:
    not.b32 a2, lane;
    st.shared.u32 [a1+4], a2;
both:
    bar.warp.sync 0xffffffff;
    setp.eq.u32 q, lane, 9;
    @q st.shared.u32 [a1+4], 77;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 a3, [a1];
    st.shared.u32 [a1+1024], a3;
";
    let (seen, left) = run(body, WARP);
    let mut masks: Vec<u32> = seen.warps.iter().map(|(_, _, mask)| *mask).collect();
    assert_eq!((seen.warps.len(), seen.threads), (5, vec![]), "{masks:x?}");
    masks[..2].sort_unstable();
    assert_eq!(masks, [0x1f, 0xffff_ffe0, 1 << 9, ALL, ALL]);
    let left = words(&left);
    for lane in 0..32u32 {
        let upper = if lane < 5 { !lane } else { 77 * u32::from(lane == 9) };
        let lower = if lane < 5 { 0 } else { lane };
        let place = lane as usize * 2;
        assert_eq!(left[place..place + 2], [lower, upper], "lane {lane}");
        assert_eq!(left[256 + place], lower, "lane {lane}");
    }
}

/// A warp stores and loads with each form of instruction, lanes in another order than their places, two of three places left alone.
#[test]
fn each_size_and_form_takes_its_way() {
    // form, registers of a value, bytes, whether the port for warps takes it
    let forms = [
        ("u32", "a4", 4, true),
        ("volatile.u32", "a4", 4, true),
        ("relaxed.cluster.u32", "a4", 4, true),
        ("u64", "d4", 8, true),
        ("v2.u32", "{a4, a5}", 8, true),
        ("v2.u64", "{d4, d5}", 16, true),
        ("v4.u32", "{a4, a5, a6, a7}", 16, true),
        ("v4.u16", "{h4, h5, h6, h7}", 8, true),
        ("v2.u16", "{a4, a5}", 4, true),
        ("v4.u8", "{a4, a5, a6, a7}", 4, true),
        ("u16", "h4", 2, false),
        ("v2.u8", "{h4, h5}", 2, false),
        ("u8", "h4", 1, false),
        ("acq_rel", "a4", 4, false),
    ];
    for (form, registers, bytes, taken) in forms {
        let [store, load] = match form {
            "acq_rel" => ["st.release.cta.shared.u32", "ld.acquire.cta.shared.u32"].map(str::to_owned),
            "volatile.u32" | "relaxed.cluster.u32" => {
                let (first, last) = form.rsplit_once('.').expect("it has two parts");
                ["st", "ld"].map(|op| format!("{op}.{first}.shared.{last}"))
            }
            _ => ["st", "ld"].map(|op| format!("{op}.shared.{form}")),
        };
        // a value has a digit for its register, one for its lane, and another in each byte
        let values: String = (0..4)
            .map(|n| {
                format!(
                    "mad.lo.u32 a{0}, lane, 0x01010101, 0x{1:08x}; cvt.u16.u32 h{0}, a{0};
                     mov.b64 d{0}, {{a{0}, a{0}}}; xor.b64 d{0}, d{0}, 0x8000000000000000;\n",
                    4 + n,
                    0x4030_2010u32 + 0x0404_0404 * n
                )
            })
            .collect();
        let body = format!(
            "
    {values}
    xor.b32 at, lane, 19;
    mul.lo.u32 at, at, {};
    add.u32 a1, a1, at;
    {store} [a1], {registers};
    {load} {registers}, [a1];
    {store} [a1+{}], {registers};
",
            3 * bytes,
            96 * bytes,
        );
        let (seen, left) = run(&body, WARP);
        let (asked, threads) = (seen.warps.len(), seen.threads.len());
        if taken {
            let expected = [Op::Store, Op::Load, Op::Store].map(|op| (op, bytes, ALL));
            assert_eq!((seen.warps.as_slice(), threads), (expected.as_slice(), 0), "{form}");
        } else {
            assert_eq!((asked, threads), (0, 96), "{form}");
        }
        let bytes = bytes as usize;
        let width = match form.rsplit_once('u').map_or("32", |(_, bits)| bits) {
            "8" => 1,
            "16" => 2,
            "64" => 8,
            _ => 4,
        };
        let mut expected = vec![0; BYTES];
        for lane in 0..32 {
            let value: Vec<u8> = (0..bytes / width)
                .flat_map(|n| {
                    let half = 0x4030_2010 + 0x0404_0404 * n as u32 + 0x0101_0101 * lane as u32;
                    let whole = (u64::from(half) << 32 | u64::from(half)) ^ 1 << 63;
                    let value = if width == 8 { whole } else { u64::from(half) };
                    value.to_le_bytes()[..width].to_vec()
                })
                .collect();
            let place = (lane ^ 19) * 3 * bytes;
            expected[place..place + bytes].copy_from_slice(&value);
            expected[place + 96 * bytes..][..bytes].copy_from_slice(&value);
        }
        let wrong = expected.iter().zip(&left).position(|(expected, left)| expected != left);
        assert_eq!(wrong, None, "{form}: byte {wrong:?} of {left:x?}");
    }
}

/// The own memory by whatever address is the warp's, another CTA's is not, and of lanes that name both each goes its way.
#[test]
fn another_memory_is_reached_by_each_lane() {
    let body = "
    shl.b32 at, lane, 2;
    add.u32 a1, a1, at;
    mapa.shared::cluster.u32 a2, a1, rank;
    xor.b32 a3, rank, 1;
    mapa.shared::cluster.u32 a4, a1, a3;
    mad.lo.u32 a5, rank, 1000, lane;
    st.shared::cluster.u32 [a2], a5;
    st.shared::cluster.u32 [a4+128], a5;
    setp.lt.u32 p, lane, 8;
    selp.u32 a6, a2, a4, p;
    st.shared::cluster.u32 [a6+256], a5;
    bar.warp.sync 0xffffffff;
    cvt.u64.u32 d1, a1;
    cvta.shared.u64 d1, d1;
    ld.u32 a7, [d1];
    st.u32 [d1+384], a7;
";
    let (seen, left) = run(body, Launch { ctas: 2, ..WARP });
    let expected = [(Op::Store, 4, ALL), (Op::Store, 4, 0xff), (Op::Load, 4, ALL), (Op::Store, 4, ALL)];
    assert_eq!(seen.warps, expected);
    assert_eq!(seen.threads.len(), 32 + 24);
    let left = words(&left);
    let part = |first: usize| left[first..first + 32].to_vec();
    let (own, other): (Vec<u32>, Vec<u32>) = ((0..32).collect(), (1000..1032).collect());
    assert_eq!([part(0), part(32), part(96)], [own.clone(), other.clone(), own.clone()]);
    assert_eq!(part(64), [&own[..8], &other[8..]].concat());
}

/// A thread's loads and stores of one word take effect in its order, whichever ports they go through.
#[test]
fn what_goes_two_ways_to_one_word_stays_in_order() {
    let body = "
    shl.b32 at, tid, 4;
    add.u32 a8, a1, at;
    shl.b32 at, tid, 3;
    add.u32 a1, a1, at;
    mov.u16 h1, 0x55;
    mov.u32 a2, 0x01020304;
    st.shared.u8 [a1], h1;
    st.shared.u32 [a1], a2;
    st.shared.u8 [a1+1], h1;
    ld.shared.u32 a3, [a1];
    st.shared.u32 [a1+1024], a3;
    st.shared.u8 [a1+1026], h1;
    st.shared.v4.u32 [a8+2048], {a2, a3, a2, a3};
    st.shared.u8 [a8+2062], h1;
    ld.shared.v4.u32 {a4, a5, a6, a7}, [a8+2048];
    st.shared.u32 [a1+4], a7;
";
    let first = test_env::seed();
    for seed in first..first + 10 {
        let (_, left) = run(body, Launch { threads: 128, schedule: Schedule::Random(seed), ..WARP });
        let left = words(&left);
        for thread in 0..128 {
            let [pair, other] = [0, 256].map(|first| [left[first + 2 * thread], left[first + 2 * thread + 1]]);
            let four = &left[512 + 4 * thread..][..4];
            let told = format!("thread {thread}, seed {seed}: {pair:x?} {other:x?} {four:x?}");
            assert_eq!((pair, other), ([0x0102_5504, 0x0155_5504], [0x0155_5504, 0]), "{told}");
            assert_eq!(four, [0x0102_0304, 0x0102_5504, 0x0102_0304, 0x0155_5504], "{told}");
        }
    }
}

/// A store of a warp never comes between the two halves of an atomic operation, and none of the halves before a store that is under way.
#[test]
fn atomic_operations_and_stores_of_warps_do_not_mix() {
    let body = "
    setp.ge.u32 p, tid, 32;
    and.b32 at, tid, 31;
    shl.b32 at, at, 4;
    add.u32 a1, a1, at;
    @!p bra adds;
    st.shared.v4.u32 [a1], {100, 100, 100, 100};
    bra both;
adds:
    atom.shared.add.u32 a2, [a1+8], 1;
both:
";
    let mut orders = std::collections::BTreeMap::new();
    let first = test_env::seed();
    for seed in first..first + 40 {
        let (_, left) = run(body, Launch { threads: 64, schedule: Schedule::Random(seed), ..WARP });
        for (lane, words) in words(&left).chunks(4).take(32).enumerate() {
            assert_eq!([words[0], words[1], words[3]], [100; 3], "lane {lane}, seed {seed}");
            assert!([100, 101].contains(&words[2]), "lane {lane}, seed {seed}: {}", words[2]);
            *orders.entry(words[2]).or_insert(0) += 1;
        }
    }
    assert_eq!(orders.len(), 2, "{orders:?}");
}

/// Stores get through to words that others are at without end: to one lock, which is given back, and by each lane to another flag.
#[test]
fn a_store_gets_through_to_words_that_others_are_at() {
    let lock = "
    setp.ne.u32 p, lane, 0;
    @p bra both;
again:
    atom.shared.cas.b32 a2, [a1], 0, 1;
    setp.ne.u32 p, a2, 0;
    @p bra again;
    ld.volatile.shared.u32 a3, [a1+128];
    add.u32 a3, a3, 1;
    st.volatile.shared.u32 [a1+128], a3;
    fence.acq_rel.cta;
    st.volatile.shared.u32 [a1], 0;
both:
";
    let flags = "
    shl.b32 at, lane, 3;
    add.u32 a1, a1, at;
    setp.ge.u32 p, tid, 32;
    mov.u32 a3, 0;
    @p bra look;
later:
    add.u32 a3, a3, 1;
    setp.lt.u32 q, a3, 200;
    @q bra later;
    st.volatile.shared.u32 [a1], 1;
    bra both;
look:
    atom.shared.or.b32 a2, [a1], 0;
    setp.eq.u32 q, a2, 0;
    @q bra look;
both:
";
    let first = test_env::seed();
    for schedule in std::iter::once(Schedule::RoundRobin).chain((first..first + 3).map(Schedule::Random)) {
        let (_, left) = run(lock, Launch { threads: 512, schedule, ..WARP });
        assert_eq!((words(&left)[0], words(&left)[32]), (0, 16), "{schedule:?}");
        let (_, left) = run(flags, Launch { threads: 160, schedule, ..WARP });
        assert_eq!(words(&left)[..64], [1, 0].repeat(32), "{schedule:?}");
    }
}

/// A store that releases comes behind what the thread has stored with its warp, while other warps keep that port busy.
#[test]
fn a_store_that_releases_comes_behind_those_of_the_warp() {
    let body = "
    shl.b32 at, tid, 4;
    add.u32 a2, a1, at;
    setp.ge.u32 p, tid, 96;
    @p bra one;
    mov.u32 a3, 0;
flood:
    st.shared.v4.u32 [a2+1024], {1, 2, 3, 4};
    add.u32 a3, a3, 1;
    setp.lt.u32 p, a3, 12;
    @p bra flood;
    bra both;
one:
    setp.ne.u32 p, lane, 0;
    @p bra both;
    setp.gt.u32 p, tid, 96;
    @p bra look;
    st.shared.u32 [a1], 7;
    st.release.cta.shared.u32 [a1+64], 1;
    bra both;
look:
    ld.acquire.cta.shared.u32 a5, [a1+64];
    setp.eq.u32 q, a5, 0;
    @q bra look;
    ld.shared.u8 h1, [a1];
    st.shared.u8 [a1+128], h1;
both:
";
    let first = test_env::seed();
    for seed in first..first + 20 {
        let (_, left) = run(body, Launch { threads: 160, schedule: Schedule::Random(seed), ..WARP });
        assert_eq!(left[128], 7, "seed {seed}");
    }
}

/// Each lane stores over two words, the second of which is a barrier.
#[test]
fn a_barrier_that_is_stored_over_is_named() {
    let body = "
    shl.b32 at, lane, 4;
    add.u32 a1, a1, at;
    mbarrier.init.shared.b64 [a1+8], 1;
    st.shared.v4.u32 [a1], {1, 2, 3, 4};
";
    let (_, outcome) = launch(body, WARP);
    let [(_, finding)] = &outcome.findings[..] else { panic!("{:?}", outcome.findings) };
    assert_eq!((finding.bug, finding.spot, finding.times), (Bug::StoreToBarrier, Spot { cta: 0, offset: 8 }, 32));
    assert_eq!(finding.word, Some(0x7fff_f800_001f_fffe), "as it was initialised, for one arrival");
}

/// Lanes that read, or write, bytes that a copy is at work on are found out.
#[test]
fn what_lanes_do_to_bytes_of_copies_is_noticed() {
    let copied = |access: &str| {
        let body = format!(
            "
    ld.param.u64 to, [left];
    setp.eq.u32 p, lane, 0;
    @p mbarrier.init.shared::cta.b64 [a1+2048], 1;
    @p fence.mbarrier_init.release.cluster;
    @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [a1+2048], 1024;
    @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a1], [to], 1024, [a1+2048];
    @p cp.async.bulk.global.shared::cta.bulk_group [to], [a1+3072], 1024;
    @p cp.async.bulk.commit_group;
    shl.b32 at, lane, 2;
    add.u32 a1, a1, at;
    bar.warp.sync 0xffffffff;
    {access}
    mov.u32 a1, data;
wait:
    mbarrier.try_wait.parity.shared::cta.b64 p, [a1+2048], 0;
    @!p bra wait;
    cp.async.bulk.wait_group 0;
"
        );
        let (_, outcome) = launch(&body, Launch { races: true, ..WARP });
        let mut bugs: Vec<Bug> = outcome.findings.iter().map(|(_, finding)| finding.bug).collect();
        bugs.sort_unstable();
        bugs
    };
    // the copies themselves are not ordered
    let without = copied("");
    let with = |bug: Bug| {
        let mut all = without.clone();
        all.push(bug);
        all.sort_unstable();
        all
    };
    assert_eq!(copied("ld.shared.u32 a2, [a1];"), with(Bug::CopyNotAwaited));
    assert_eq!(copied("st.shared.u32 [a1+3072], lane;"), with(Bug::SourceReused));
    assert_eq!(copied("st.shared.u32 [a1+1024], lane; ld.shared.u32 a2, [a1+1024];"), without);
}
