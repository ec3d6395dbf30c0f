//! Instructions, by their effects and the use of the results.

use super::World;
use crate::address::Location;
use crate::effect::*;
use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::ordering::{Order, Semantics};

/// Shared memory of the own CTA.
const fn own(offset: u32) -> Location {
    Location::Shared { rank: None, offset }
}

const RELAXED: Order = Order::cta(Semantics::Relaxed);
const RELEASE: Order = Order::cta(Semantics::Release);
const ACQUIRE: Order = Order::cta(Semantics::Acquire);

/// A barrier operation on the word at 16.
const fn barrier(op: Op, data: u64, operand: u64, order: Order, answered: bool) -> Effect {
    Effect::Barrier { op, location: own(16), data, operand, order, answered, v1: false }
}

const fn together(what: Together) -> Effect {
    Effect::Together { mask: 0xff, what }
}

const OUT: u64 = 0x10_0100_0000;
const TOKEN: u64 = 0x1122_3344_5566_7788;
const HIGH: u64 = 0x1122_3344_0000_0000;
const LIMIT: u64 = NO_LIMIT as u64;

/// An instruction, and what it asks for. `%r1` is 7, `%rd1` a token, `%r2` the address 16, `%rd2` the same generic, `%p1` true.
pub const EFFECTS: &[(&str, Effect)] = &[
    ("mbarrier.init.shared.b64 [bar], 12;", barrier(Op::Init, 12, 12, RELAXED, false)),
    ("mbarrier.init.b64 [%rd2], %r1;", barrier(Op::Init, 7, 7, RELAXED, false)),
    ("mbarrier.init.layout::v0.b64 [%rd2], 511;", barrier(Op::Init, 511, 511, RELAXED, false)),
    (
        "mbarrier.init.layout::v1.shared::cta.b64 [bar], %r1;",
        Effect::Barrier {
            op: Op::Init,
            location: own(16),
            data: 7,
            operand: 7,
            order: RELAXED,
            answered: false,
            v1: true,
        },
    ),
    ("mbarrier.check_layout.layout::v0.b64 %p2, [%rd2];", Effect::CheckLayout { location: own(16), v1: false }),
    (
        "mbarrier.check_layout.layout::v1.shared::cta.b64 %p2, [bar];",
        Effect::CheckLayout { location: own(16), v1: true },
    ),
    ("mbarrier.inval.shared::cta.b64 [%r2];", barrier(Op::Inval, 0, 0, RELAXED, false)),
    ("mbarrier.arrive.b64 %rd3, [%rd2];", barrier(Op::Arrive, 1, 1, RELEASE, true)),
    ("mbarrier.arrive.shared.b64 _, [%r2], 3;", barrier(Op::Arrive, 3, 3, RELEASE, false)),
    (
        "mbarrier.arrive.noComplete.b64 %rd3, [bar], -1;",
        barrier(Op::ArriveNoComplete, 0xffff_ffff, 0xffff_ffff, RELEASE, true),
    ),
    (
        "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 %rd3, [%r2], 64;",
        barrier(Op::ArriveExpectTx, 64, 64, Order::cluster(Semantics::Relaxed), true),
    ),
    ("mbarrier.arrive_drop.shared.b64 _, [%r2];", barrier(Op::ArriveDrop, 1, 1, RELEASE, false)),
    (
        "mbarrier.arrive_drop.noComplete.shared.b64 %rd3, [%r2], %r1;",
        barrier(Op::ArriveDropNoComplete, 7, 7, RELEASE, true),
    ),
    (
        "mbarrier.arrive_drop.expect_tx.shared.b64 %rd3, [%r2], %r1;",
        barrier(Op::ArriveDropExpectTx, 7, 7, RELEASE, true),
    ),
    ("mbarrier.expect_tx.shared.b64 [%r2], 32;", barrier(Op::ExpectTx, 32, 32, RELAXED, false)),
    ("mbarrier.complete_tx.shared::cluster.b64 [%r2], 32;", barrier(Op::CompleteTx, 32, 32, RELAXED, false)),
    ("mbarrier.test_wait.shared.b64 %p2, [%r2], %rd1;", barrier(Op::TestWait, HIGH, TOKEN, ACQUIRE, true)),
    ("mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 6;", barrier(Op::TestWaitParity, 0, 6, ACQUIRE, true)),
    ("mbarrier.try_wait.b64 %p2, [%rd2], %rd1;", barrier(Op::TryWait, HIGH | LIMIT, TOKEN, ACQUIRE, true)),
    ("mbarrier.try_wait.shared.b64 %p2, [%r2], %rd1, 500;", barrier(Op::TryWait, HIGH | 500, TOKEN, ACQUIRE, true)),
    (
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r2], %r1;",
        barrier(Op::TryWaitParity, LIMIT << 32 | 1, 7, Order::cluster(Semantics::Acquire), true),
    ),
    (
        "mbarrier.try_wait.parity.shared.b64 %p2, [%r2], %r1, %r1;",
        barrier(Op::TryWaitParity, 7 << 32 | 1, 7, ACQUIRE, true),
    ),
    (
        "mbarrier.pending_count.b64 %r3, %rd1;",
        Effect::Barrier {
            op: Op::PendingCount,
            location: own(0),
            data: HIGH,
            operand: TOKEN,
            order: RELAXED,
            answered: true,
            v1: false,
        },
    ),
    (
        "mapa.shared::cluster.u32 %r3, bar, 3; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3], 2;",
        Effect::Barrier {
            op: Op::Arrive,
            location: Location::Shared { rank: Some(3), offset: 16 },
            data: 2,
            operand: 2,
            order: Order::cluster(Semantics::Release),
            answered: false,
            v1: false,
        },
    ),
    (
        "mapa.u64 %rd3, %rd2, 1; mbarrier.arrive.b64 _, [%rd3];",
        Effect::Barrier {
            op: Op::Arrive,
            location: Location::Shared { rank: Some(1), offset: 16 },
            data: 1,
            operand: 1,
            order: RELEASE,
            answered: false,
            v1: false,
        },
    ),
    (
        "mbarrier.arrive.b64 _, [%out+3];",
        Effect::Barrier {
            op: Op::Arrive,
            location: Location::Global(OUT + 3),
            data: 1,
            operand: 1,
            order: RELEASE,
            answered: false,
            v1: false,
        },
    ),
    ("cp.async.mbarrier.arrive.shared.b64 [bar];", Effect::CopyArrive { location: own(16), noinc: false }),
    ("cp.async.mbarrier.arrive.noinc.b64 [%rd2];", Effect::CopyArrive { location: own(16), noinc: true }),
    ("barrier.cluster.arrive;", Effect::Round(Round { wait: false, aligned: false, releases: true })),
    ("barrier.cluster.arrive.relaxed.aligned;", Effect::Round(Round { wait: false, aligned: true, releases: false })),
    ("barrier.cluster.wait.acquire.aligned;", Effect::Round(Round { wait: true, aligned: true, releases: false })),
    (
        "cp.async.ca.shared.global [%r2], [%out], 8;",
        Effect::CopyAsync { shared: own(16), global: OUT, bytes: 8, source_bytes: 8 },
    ),
    (
        "cp.async.cg.shared::cta.global.L2::128B [%r2+16], [%out+32], 16, %r1;",
        Effect::CopyAsync { shared: own(32), global: OUT + 32, bytes: 16, source_bytes: 7 },
    ),
    (
        "cp.async.ca.shared.global [%r2], [%out], 4, %p1;",
        Effect::CopyAsync { shared: own(16), global: OUT, bytes: 4, source_bytes: 0 },
    ),
    (
        "cp.async.ca.shared.global.L2::cache_hint [%r2], [%out], 4, 2, %rd1;",
        Effect::CopyAsync { shared: own(16), global: OUT, bytes: 4, source_bytes: 2 },
    ),
    (
        "cp.async.ca.shared.global.L2::cache_hint [%r2], [%out], 4, %rd1;",
        Effect::CopyAsync { shared: own(16), global: OUT, bytes: 4, source_bytes: 4 },
    ),
    ("cp.async.commit_group;", Effect::CopyCommit),
    ("cp.async.wait_group 2;", Effect::CopyWait(Some(2))),
    ("cp.async.wait_all;", Effect::CopyWait(None)),
    (
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+112], [%out], 256, [bar];",
        Effect::BulkToShared { shared: own(128), global: OUT, bytes: 256, barrier: own(16), multicast: None },
    ),
    (
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r2], [%out], 16, [%r2], %rd1;",
        Effect::BulkToShared { shared: own(16), global: OUT, bytes: 16, barrier: own(16), multicast: None },
    ),
    (
        "mov.b16 %rs1, 5; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%out], 16, [%r2], %rs1;",
        Effect::BulkToShared { shared: own(16), global: OUT, bytes: 16, barrier: own(16), multicast: Some(5) },
    ),
    (
        "cp.async.bulk.global.shared::cta.bulk_group [%out], [bar], 32;",
        Effect::BulkToGlobal { shared: own(16), global: OUT, bytes: 32, mask: 0xffff, reduction: 0 },
    ),
    (
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%out], [bar], 32, %rd1, 5;",
        Effect::BulkToGlobal { shared: own(16), global: OUT, bytes: 32, mask: 5, reduction: 0 },
    ),
    (
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%out], [bar], 32;",
        Effect::BulkToGlobal { shared: own(16), global: OUT, bytes: 32, mask: 0xffff, reduction: 0x51 },
    ),
    (
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r2+112], [bar], 32, [bar];",
        Effect::BulkToCluster { shared: own(16), to: own(128), bytes: 32, barrier: own(16), reduction: 0 },
    ),
    (
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.s32 [%r2], [bar], 32, [bar];",
        Effect::BulkToCluster { shared: own(16), to: own(16), bytes: 32, barrier: own(16), reduction: 0x13 },
    ),
    (
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r2], {%r1, %r1}, [bar];",
        Effect::Post { to: own(16), bytes: 8, data: [0x7_0000_0007, 0], barrier: own(16), reduction: 0 },
    ),
    (
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r2], %r1, [bar];",
        Effect::Post { to: own(16), bytes: 4, data: [7, 0], barrier: own(16), reduction: 8 },
    ),
    ("cp.async.bulk.commit_group;", Effect::BulkCommit),
    ("cp.async.bulk.wait_group 1;", Effect::BulkWait { groups: 1, read: false }),
    ("cp.async.bulk.wait_group.read 0;", Effect::BulkWait { groups: 0, read: true }),
    ("bar.sync 0;", Effect::Bar(Visit { number: 0, threads: None, bar: Bar::Sync, aligned: true, together: 0 })),
    (
        "barrier.cta.sync.aligned 3, 64;",
        Effect::Bar(Visit { number: 3, threads: Some(64), bar: Bar::Sync, aligned: true, together: 0 }),
    ),
    (
        "bar.cta.arrive %r1, 96;",
        Effect::Bar(Visit { number: 7, threads: Some(96), bar: Bar::Arrive, aligned: true, together: 0 }),
    ),
    (
        "barrier.red.popc.aligned.u32 %r3, 1, %p1;",
        Effect::Bar(Visit { number: 1, threads: None, bar: Bar::Popc(true), aligned: true, together: 0 }),
    ),
    (
        "bar.red.and.pred %p2, 1, 32, !%p1;",
        Effect::Bar(Visit { number: 1, threads: Some(32), bar: Bar::And(false), aligned: true, together: 0 }),
    ),
    (
        "bar.red.or.pred %p2, 1, %p1;",
        Effect::Bar(Visit { number: 1, threads: None, bar: Bar::Or(true), aligned: true, together: 0 }),
    ),
    ("setmaxnreg.inc.sync.aligned.u32 168;", Effect::Claim(Claim { registers: 168, grows: true })),
    ("bar.warp.sync 0xff;", together(Together::Sync)),
    (
        "shfl.sync.bfly.b32 %r3|%p2, %r1, 16, 31, 0xff;",
        together(Together::Shuffle { mode: Shuffle::Butterfly, value: 7, lane: 16, clamp: 31 }),
    ),
    (
        "shfl.sync.up.b32 %r3, %r1, 1, 0, 0xff;",
        together(Together::Shuffle { mode: Shuffle::Up, value: 7, lane: 1, clamp: 0 }),
    ),
    (
        "shfl.down.b32 %r3, %r1, 1, 31;",
        Effect::Together {
            mask: 0x2001,
            what: Together::Shuffle { mode: Shuffle::Down, value: 7, lane: 1, clamp: 31 },
        },
    ),
    (
        "shfl.sync.idx.b32 %r3, %r1, 0, 31, 0xff;",
        together(Together::Shuffle { mode: Shuffle::Index, value: 7, lane: 0, clamp: 31 }),
    ),
    ("vote.sync.ballot.b32 %r3, !%p1, 0xff;", together(Together::Vote { mode: Vote::Ballot, predicate: false })),
    ("vote.sync.all.pred %p2, %p1, 0xff;", together(Together::Vote { mode: Vote::All, predicate: true })),
    (
        "vote.any.pred %p2, %p1;",
        Effect::Together { mask: 0x2001, what: Together::Vote { mode: Vote::Any, predicate: true } },
    ),
    ("vote.sync.uni.pred %p2, %p1, 0xff;", together(Together::Vote { mode: Vote::Uniform, predicate: true })),
    ("elect.sync _|%p2, 0xff;", together(Together::Elect)),
    ("match.any.sync.b64 %r3, %rd1, 0xff;", together(Together::Match { all: false, value: TOKEN })),
    ("match.all.sync.b32 %r3|%p2, %r1, 0xff;", together(Together::Match { all: true, value: 7 })),
    (
        "redux.sync.max.s32 %r3, %r1, 0xff;",
        together(Together::Reduce { atom: Atom::Max, meaning: Meaning::Signed, value: 7 }),
    ),
    (
        "redux.sync.xor.b32 %r3, %r1, 0xff;",
        together(Together::Reduce { atom: Atom::Xor, meaning: Meaning::Unsigned, value: 7 }),
    ),
    ("fence.mbarrier_init.release.cluster;", Effect::Fence),
    ("fence.proxy.async;", Effect::Fence),
    ("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", Effect::Fence),
    ("fence.acq_rel.cluster;", Effect::Fence),
    ("fence.sc.sys;", Effect::Fence),
    ("membar.gl;", Effect::Fence),
    ("nanosleep.u32 %r1;", Effect::Sleep(7)),
    ("trap;", Effect::Trap),
];

/// What is there before the instruction that is tested.
const BEFORE: &str = "mov.u32 %r1, 7; mov.b64 %rd1, 0x1122334455667788; mov.u32 %r2, bar; cvta.shared.u64 %rd2, bar; setp.eq.u32 %p1, 0, 0;";
const BAR: &str = ".shared .u64 pad[2]; .shared .align 8 .u64 bar;";

#[test]
fn instructions_ask_for_their_effects() {
    for (instruction, expected) in EFFECTS {
        let body = format!("{BEFORE} mov.u64 %rd19, pad; {instruction}");
        let world = World::body(BAR, &body, 64).run().unwrap_or_else(|halt| panic!("{instruction}: {halt:?}"));
        assert_eq!(world.effects, [*expected], "{instruction}");
    }
}

/// An instruction, the results it is given, a register, and what that holds afterwards.
const RESULTS: &[(&str, &[u64], &str, u64)] = &[
    ("mbarrier.arrive.b64 %rd3, [%rd2];", &[TOKEN], "%rd3", TOKEN),
    ("mbarrier.try_wait.shared.b64 %p2, [%r2], %rd1;", &[1], "%p2", 1),
    // on sm_90 there is no report
    ("mbarrier.test_wait.phase_type::primary.shared.b64 %p2|%p1, [%r2], %rd1;", &[1], "%p1", 0),
    (
        ".reg .b8 %b; mbarrier.try_wait.parity.phase_type::primary.shared.b64 %p2|_, %b, [%r2], 1, %r1; cvt.u32.u8 %r3, %b;",
        &[1],
        "%r3",
        0,
    ),
    ("mbarrier.try_wait.parity.phase_type::conditional.b64 %p2, [%rd2], %r1;", &[1], "%p2", 1),
    ("mbarrier.pending_count.b64 %r3, %rd1;", &[9], "%r3", 9),
    ("bar.red.popc.u32 %r3, 1, %p1;", &[32], "%r3", 32),
    ("bar.red.or.pred %p2, 1, %p1;", &[1], "%p2", 1),
    ("shfl.sync.bfly.b32 %r3|%p2, %r1, 16, 31, 0xff;", &[0x8000_0001, 1], "%r3", 0x8000_0001),
    ("shfl.sync.bfly.b32 %r3|%p2, %r1, 16, 31, 0xff;", &[0x8000_0001, 1], "%p2", 1),
    ("elect.sync _|%p2, 0xff;", &[5, 1], "%p2", 1),
    ("elect.sync %r3|%p2, 0xff;", &[5, 1], "%r3", 5),
    ("vote.sync.ballot.b32 %r3, %p1, 0xff;", &[0xf0], "%r3", 0xf0),
    ("match.all.sync.b32 %r3|%p2, %r1, 0xff;", &[0xff, 1], "%r3", 0xff),
    ("redux.sync.min.s32 %r3, %r1, 0xff;", &[0xffff_ffff], "%r3", 0xffff_ffff),
    ("mbarrier.arrive.shared.b64 _, [%r2];", &[TOKEN], "%rd1", TOKEN),
];

#[test]
fn results_go_where_they_belong() {
    for (instruction, results, register, expected) in RESULTS {
        let store = match &register[..2] {
            "%p" => format!("selp.u32 %r19, 1, 0, {register}; st.global.u32 [%out], %r19;"),
            _ if register.starts_with("%rd") => format!("st.global.u64 [%out], {register};"),
            _ => format!("st.global.u32 [%out], {register};"),
        };
        let body = format!("{BEFORE} {instruction} {store}");
        let mut world = World::body(BAR, &body, 64);
        world.answers.push(results.to_vec());
        let world = world.run().unwrap_or_else(|halt| panic!("{instruction}: {halt:?}"));
        assert_eq!(world.out(1), [*expected], "{instruction} {register}");
        assert_eq!(world.effects.len(), 1, "{instruction}");
    }
}

#[test]
fn orders_of_accesses_are_passed_on() {
    let orders = [
        ("ld.acquire.cta.shared.u32 %r1, [0];", ACQUIRE),
        ("ld.acquire.gpu.shared.u32 %r1, [0];", Order::cluster(Semantics::Acquire)),
        ("ld.relaxed.sys.shared.u32 %r1, [0];", RELAXED),
        ("ld.volatile.shared.u32 %r1, [0];", RELAXED),
        ("st.release.cluster.shared.u32 [0], 1;", Order::cluster(Semantics::Release)),
        ("st.mmio.relaxed.sys.shared.u32 [0], 1;", RELAXED),
        ("atom.acq_rel.cta.shared.add.u32 %r1, [0], 1;", Order::cta(Semantics::AcquireRelease)),
        ("red.release.cluster.shared.add.u32 [0], 1;", Order::cluster(Semantics::Release)),
        ("atom.shared.add.u32 %r1, [0], 1;", RELAXED),
    ];
    for (instruction, expected) in orders {
        let mut world = World::body("", instruction, 64);
        let now = crate::thread::Now { cycle: 0, nanoseconds: 0, active: 1 };
        assert_eq!(world.program.step(&mut world.lane, &world.place, now), Ok(Effect::Done), "{instruction}");
        let order = match world.program.step(&mut world.lane, &world.place, now) {
            Ok(Effect::Load(access) | Effect::Store(access, _) | Effect::Atomic { access, .. }) => access.order,
            other => panic!("{instruction}: {other:?}"),
        };
        assert_eq!(order, expected, "{instruction}");
    }
}

#[test]
fn an_instruction_whose_predicate_is_false_asks_for_nothing() {
    let world = World::body(
        BAR,
        &format!("{BEFORE} @!%p1 mbarrier.arrive.b64 _, [%rd2]; @!%p1 trap; @!%p1 exit; exit; trap;"),
        64,
    );
    assert_eq!(world.run().unwrap().effects, []);
}
