//! Faults of a kernel.

use super::World;
use super::world::shown;
use crate::thread::Halt;

/// Instructions that are a fault, and what is said about it.
pub const FAULTS: &[(&str, &str)] = &[
    ("ld.global.u32 %r1, [%out+2];", "is misaligned"),
    ("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%out+8];", "is misaligned"),
    ("st.shared.u64 [4], %rd1;", "is misaligned"),
    ("atom.global.add.u64 %rd1, [%out+4], 1;", "is misaligned"),
    (".local .u32 a[3]; mov.u64 %rd1, a; ld.local.u16 %r1, [%rd1+1];", "is misaligned"),
    ("mov.u64 %rd1, 0; ld.local.u32 %r1, [%rd1];", "null pointer"),
    ("mov.u64 %rd1, 0; cvta.local.u64 %rd1, %rd1; st.u8 [%rd1], 1;", "null pointer"),
    (".local .u32 a[4]; mov.u64 %rd1, a; st.local.u32 [%rd1+16], 1;", "beyond the local memory"),
    (".local .u32 a[4]; mov.u64 %rd1, a; ld.local.u32 %r1, [%rd1+4096];", "beyond the local memory"),
    ("ld.param.u64 %rd1, [out+8];", "beyond the parameters"),
    ("st.param.u64 [out], %rd1;", "cannot be stored to"),
    ("mov.u64 %rd1, 0x10000000; ld.shared.u32 %r1, [%rd1];", "does not exist"),
    ("mov.u64 %rd1, -4; ld.shared.u32 %r1, [%rd1];", "does not exist"),
    ("mov.u64 %rd1, 0x10000000; ld.local.u32 %r1, [%rd1];", "does not exist"),
    (".local .u32 a; cvta.local.u64 %rd1, a; atom.add.u32 %r1, [%rd1], 1;", "atomic operations are for"),
    ("mov.u32 %r1, 3; table: .branchtargets a, b; brx.idx %r1, table; a: b: ret;", "no label for index 3"),
    ("mov.u32 %r1, 512; mbarrier.init.layout::v1.shared.b64 [0], %r1;", "cannot count 512 arrivals"),
    ("bar.sync 16;", "there is no barrier 16"),
    ("mov.u32 %r1, 33; bar.sync 0, %r1;", "cannot count 33 threads"),
    ("bar.arrive 0, 0;", "cannot count 0 threads"),
    ("setmaxnreg.dec.sync.aligned.u32 20;", "setmaxnreg cannot set 20 registers"),
    ("setmaxnreg.inc.sync.aligned.u32 250;", "setmaxnreg cannot set 250 registers"),
    ("mapa.shared::cluster.u32 %r1, %r2, 4;", "no CTA with rank 4"),
    ("mapa.u64 %rd1, %out, 0;", "mapa needs an address in shared memory"),
    ("getctarank.u64 %r1, %out;", "getctarank needs an address in shared memory"),
    ("cp.async.ca.shared.global [8], [%out], 8, 9;", "reads more than it writes"),
    ("cp.async.cg.shared.global [8], [%out], 16;", "misaligned"),
    ("cp.async.ca.shared.global [8], [%out+2], 4;", "misaligned"),
    ("cp.async.bulk.global.shared::cta.bulk_group [%out], [0], 8;", "a bulk copy of 8 bytes"),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [8], [%out], 16, [0];", "misaligned"),
];

#[test]
fn faults_say_what_and_where() {
    for (body, expected) in FAULTS {
        let world = World::body("", body, 64);
        let source = world.source.clone();
        let complaint = world.fault();
        assert!(complaint.message.contains(expected), "{body}: {complaint:?}");
        assert!(
            body.contains(source.at(complaint.span)) && !source.at(complaint.span).is_empty(),
            "{body}: {complaint:?}"
        );
    }
}

/// Instructions that are not supported, and what is said when one is reached.
pub const UNSUPPORTED: &[(&str, &str)] = &[
    ("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [0];", "is not supported"),
    ("frobnicate.b32 %r1, %r99;", "there is no instruction `frobnicate`"),
    ("mbarier.init.shared.b64 [0], 1;", "there is no instruction `mbarier`"),
    ("atom.global.add.noftz.f16 %rs1, [%out], %rs1;", "`atom.global.add.noftz.f16` is not supported"),
    ("call (%r1), malloc_of_host, (%rd1, %rd1);", "the call of `malloc_of_host` is not supported"),
    ("call %rd1, (%r1), prototype;", "`call` is not supported"),
    ("mov.u32 %r1, %envreg3;", "the special register `%envreg3` is not supported"),
    ("mov.u64 %rd1, elsewhere;", "`elsewhere` is .extern"),
    ("ld.global.b128 %rd1, [%out];", "`ld.global.b128` is not supported"),
    ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%out], [0], 16;", "is not supported"),
    ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%out], [0], 16;", "is not supported"),
    (
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u64 [0], [16], 16, [32];",
        "is not supported",
    ),
    (
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.u32 [0], %r1, [16];",
        "is not supported",
    ),
    (
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [0], {%rd1, %rd1, %rd1, %rd1}, [32];",
        "`.v4` of `st.async` does not go with",
    ),
    ("redux.sync.add.f32 %f1, %f2, 1;", "is not supported"),
];

#[test]
fn what_is_not_supported_says_so_when_it_is_reached() {
    let declarations =
        ".extern .func (.param .b32 r) malloc_of_host(.param .b64 a, .param .b64 b); .extern .global .u32 elsewhere;";
    for (body, expected) in UNSUPPORTED {
        let world = World::body(declarations, body, 64);
        assert_eq!(world.program.unsupported().count(), 1, "{body}");
        match world.run() {
            Err(Halt::Unsupported(complaint)) => assert!(complaint.message.contains(expected), "{body}: {complaint:?}"),
            other => panic!("{body}: {:?}", other.map(|world| world.effects)),
        }
    }
}

#[test]
fn an_illegal_barrier_instruction_says_why_when_it_is_reached() {
    let world = World::body("", "mbarrier.test_wait.shared::cluster.b64 %p1, [%r1], %rd1;", 64);
    let source = world.source.clone();
    let Err(Halt::Unsupported(complaint)) = world.run() else { panic!("it was executed") };
    assert!(shown(&source, complaint).contains("mbarrier.test_wait.shared::cluster"));
}
