//! Instructions, by their results in memory.

use super::World;
use crate::address::Windows;

/// What is tested; declarations of the module; instructions; words of the buffer in the end.
pub type Case = (&'static str, &'static str, &'static str, &'static [u64]);

/// With addresses of 64 bits.
pub const CASES: &[Case] = &[
    ("mov of numbers", "", "mov.u64 %rd1, -1; st.global.u64 [%out], %rd1; mov.b32 %r1, 0x80000000; st.global.u32 [%out+8], %r1;",
        &[u64::MAX, 0x8000_0000]),
    ("mov of a predicate", "", "mov.pred %p1, 1; selp.u32 %r1, 7, 9, %p1; st.global.u32 [%out], %r1;", &[7]),
    ("arithmetic", "", "mov.u32 %r1, 6; mul.lo.u32 %r2, %r1, 7; mad.wide.u32 %rd1, %r2, %r2, 1; st.global.u64 [%out], %rd1;",
        &[42 * 42 + 1]),
    ("carry from one instruction to the next", "", "mov.u32 %r1, 0xffffffff; add.cc.u32 %r2, %r1, 1; addc.u32 %r3, 5, 0;
        st.global.v2.u32 [%out], {%r2, %r3};", &[6 << 32]),
    ("guards", "", "mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 1; @%p1 mov.u32 %r2, 10; @!%p1 mov.u32 %r2, 20;
        @%p1 st.global.u32 [%out], %r2; @!%p1 st.global.u32 [%out+4], %r2;", &[10]),
    ("two predicates", "", "setp.lt.u32 %p1|%p2, 1, 2; selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2;
        st.global.v2.u32 [%out], {%r1, %r2};", &[1]),
    ("a negated predicate as an operand", "", "setp.eq.u32 %p1, 1, 2; setp.eq.and.u32 %p2, 3, 3, !%p1; selp.u32 %r1, 1, 0, %p2;
        st.global.u32 [%out], %r1;", &[1]),
    ("conversion of the low part of a wider register", "", "mov.u32 %r1, 0x1234f7; cvt.s32.s8 %r2, %r1; st.global.u32 [%out], %r2;
        mov.b16 %rs1, 0x80ff; cvt.u32.u8 %r3, %rs1; st.global.u32 [%out+4], %r3;", &[0xff_ffff_fff7]),
    ("conversion into a wider register", "", "mov.u32 %r1, 0x80; cvt.s8.s32 %rs1, %r1; st.global.u16 [%out], %rs1;", &[0xff80]),
    ("packing 2 of 32 bits", "", "mov.b64 %rd1, {0x11, 0x22}; st.global.b64 [%out], %rd1; mov.b64 {%r1, %r2}, %rd1;
        st.global.b32 [%out+8], %r2;", &[0x22_0000_0011, 0x22]),
    ("packing 4 of 16 bits", "", "mov.b16 %rs1, 1; mov.b16 %rs2, 2; mov.b64 %rd1, {%rs1, %rs2, 3, 4}; st.global.b64 [%out], %rd1;
        mov.b64 {_, %rs5, _, %rs6}, %rd1; mov.b32 %r1, {%rs5, %rs6}; st.global.b32 [%out+8], %r1;",
        &[0x0004_0003_0002_0001, 0x0004_0002]),
    ("packing bytes", "", ".reg .b8 %b<4>; mov.b32 {%b0, %b1, %b2, %b3}, 0x44332211; mov.b32 %r1, {%b3, %b2, %b1, %b0};
        st.global.b32 [%out], %r1;", &[0x1122_3344]),
    ("elements of a vector register", "", ".reg .v2 .u32 %v; mov.u32 %v.x, 3; mov.u32 %v.y, 4; st.global.v2.u32 [%out], %v;
        ld.global.v2.u32 %v, [%out]; add.u32 %r1, %v.x, %v.g; st.global.u32 [%out+8], %r1;", &[0x4_0000_0003, 7]),
    ("loads extend to the register", "", "mov.b64 %rd1, 0xfedcba9876543281; st.global.b64 [%out], %rd1;
        ld.global.u8 %r1, [%out]; ld.global.s8 %r2, [%out]; ld.global.s16 %rd2, [%out+6]; ld.global.u16 %r3, [%out+6]; ld.global.s8 %rs1, [%out];
        st.global.b32 [%out+8], %r1; st.global.b32 [%out+12], %r2; st.global.b64 [%out+16], %rd2; st.global.b32 [%out+24], %r3;
        st.global.b16 [%out+28], %rs1;",
        &[0xfedc_ba98_7654_3281, 0xffff_ff81_0000_0081, 0xffff_ffff_ffff_fedc, 0xff81_0000_fedc]),
    ("stores of the low part of a register", "", "mov.u32 %r1, 0x11223344; st.global.u8 [%out+1], %r1; st.global.u16 [%out+4], %r1;
        mov.u64 %rd1, 0x5566778899; st.global.u32 [%out+8], %rd1;", &[0x3344_0000_4400, 0x6677_8899]),
    ("vectors of every width", "", "st.global.v4.u8 [%out], {1, 2, 3, 4}; st.global.v4.u16 [%out+8], {5, 6, 7, 8};
        st.global.v2.b64 [%out+16], {9, 10}; st.global.v8.b32 [%out+32], {11, 12, 13, 14, 15, 16, 17, 18};
        ld.global.v4.b32 {%r1, _, %r2, %r3}, [%out+48]; add.u32 %r1, %r1, %r3; st.global.u32 [%out+64], %r1;",
        &[0x0403_0201, 0x0008_0007_0006_0005, 9, 10, 12 << 32 | 11, 14 << 32 | 13, 16 << 32 | 15, 18 << 32 | 17, 33]),
    ("cache qualifiers and orders", "", "mov.u64 %rd1, 5; st.relaxed.gpu.global.u64 [%out], %rd1; ld.acquire.sys.global.u64 %rd2, [%out];
        ld.global.nc.L1::no_allocate.L2::128B.u64 %rd3, [%out]; ld.volatile.global.u64 %rd4, [%out]; ldu.global.u64 %rd5, [%out];
        createpolicy.fractional.L2::evict_last.b64 %rd6, 1.0; ld.global.L2::cache_hint.u64 %rd7, [%out], %rd6; ld.global.cg.u64 %rd8, [%out];
        add.u64 %rd1, %rd2, %rd3; add.u64 %rd1, %rd1, %rd4; add.u64 %rd1, %rd1, %rd5; add.u64 %rd1, %rd1, %rd7; add.u64 %rd1, %rd1, %rd8;
        st.global.wb.u64 [%out+8], %rd1;", &[5, 30]),
    ("shared variables", ".shared .align 16 .b8 first[24]; .shared .u32 second;", "st.shared.u32 [second], 7; st.shared.u64 [first+16], 8;
        mov.u32 %r1, second; mov.u64 %rd1, second; ld.shared.u32 %r2, [%r1]; ld.shared::cta.u32 %r3, [%rd1]; mov.u64 %rd2, first+16;
        ld.shared.u64 %rd3, [%rd2]; st.global.v2.u32 [%out], {%r2, %r3}; st.global.u64 [%out+8], %rd3; st.global.v2.u32 [%out+16], {%r1, 0};",
        &[7 << 32 | 7, 8, 24]),
    ("dynamic shared memory", ".shared .align 4 .b8 fixed[20]; .extern .shared .align 32 .b8 dynamic[];",
        "mov.u32 %r1, fixed; mov.u32 %r2, dynamic; st.global.v2.u32 [%out], {%r1, %r2};", &[32 << 32]),
    ("shared memory through generic addresses", ".shared .u64 word;", "mov.u64 %rd1, word; cvta.shared.u64 %rd2, %rd1; cvta.shared.u64 %rd3, word;
        st.u64 [%rd2], 77; ld.u64 %rd4, [%rd3]; ld.shared.u64 %rd5, [word]; cvta.to.shared.u64 %rd6, %rd3; ld.shared.u64 %rd7, [%rd6];
        st.global.v2.u64 [%out], {%rd4, %rd5}; st.global.u64 [%out+16], %rd7; ld.u64 %rd8, [word]; st.u64 [%out+24], %rd8;", &[77, 77, 77, 77]),
    ("global variables and their initial values", ".global .u32 words[4] = {1, 2, 3}; .const .align 8 .u16 half = 0xabcd; .global .u64 pointer = generic(words)+4;",
        "mov.u64 %rd1, words; ld.global.u32 %r1, [%rd1+8]; ld.const.u16 %rs1, [half]; ld.global.u64 %rd2, [pointer]; ld.global.u32 %r2, [%rd2];
        ld.u32 %r3, [%rd2+4]; cvt.u32.u16 %r4, %rs1; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};", &[2 << 32 | 3, 0xabcd << 32 | 3]),
    ("local memory", "", ".local .align 8 .b8 frame[64]; mov.u64 %rd1, frame; cvta.local.u64 %rd2, %rd1; st.local.u32 [frame+4], 9; st.u32 [%rd2+8], 10;
        ld.local.v2.u32 {%r1, %r2}, [%rd1]; ld.u32 %r3, [%rd2+8]; add.u32 %r2, %r2, %r1; cvta.to.local.u64 %rd3, %rd2; sub.u64 %rd3, %rd3, %rd1;
        st.global.v2.u32 [%out], {%r2, %r3}; st.global.u64 [%out+8], %rd3;", &[10 << 32 | 9, 0]),
    ("parameters through their address", "", "mov.u64 %rd1, out; ld.param.u64 %rd2, [%rd1]; cvta.param.u64 %rd3, %rd1; ld.u64 %rd4, [%rd3];
        sub.u64 %rd5, %rd2, %out; sub.u64 %rd6, %rd4, %out; st.global.v2.u64 [%out], {%rd5, %rd6};", &[0, 0]),
    ("spaces of generic addresses", ".shared .u32 s; .const .u32 c; .global .u32 g;", ".local .u32 l; cvta.shared.u64 %rd1, s; cvta.const.u64 %rd2, c; cvta.global.u64 %rd3, g;
        cvta.local.u64 %rd4, l; cvta.param.u64 %rd5, out; mapa.u64 %rd6, %rd1, 1; mapa.u64 %rd7, %rd1, 2;
        isspacep.shared %p0, %rd1; isspacep.shared::cta %p1, %rd6; isspacep.shared::cluster %p2, %rd6; isspacep.shared %p3, %rd7;
        isspacep.const %p4, %rd2; isspacep.const %p5, %rd3; isspacep.global %p6, %rd3; isspacep.global %p7, %rd1;
        selp.u32 %r0, 1, 0, %p0; selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3;
        selp.u32 %r4, 1, 0, %p4; selp.u32 %r5, 1, 0, %p5; selp.u32 %r6, 1, 0, %p6; selp.u32 %r7, 1, 0, %p7;
        st.global.v4.u8 [%out], {%r0, %r1, %r2, %r3}; st.global.v4.u8 [%out+4], {%r4, %r5, %r6, %r7};
        isspacep.local %p0, %rd4; isspacep.local %p1, %rd5; isspacep.param %p2, %rd5; isspacep.param %p3, %rd4;
        selp.u32 %r0, 1, 0, %p0; selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3; st.global.v4.u8 [%out+8], {%r0, %r1, %r2, %r3};",
        &[0x0001_0001_0101_0001, 0x0001_0001]),
    ("mapa and getctarank", ".shared .u32 pad[2]; .shared .u32 word;", "mov.u32 %r9, pad; mapa.shared::cluster.u32 %r1, word, 3; mov.u64 %rd9, word; mapa.shared::cluster.u64 %rd1, %rd9, 1;
        cvta.shared.u64 %rd2, word; mov.u32 %r8, 0; mapa.u64 %rd3, %rd2, %r8; getctarank.shared::cluster.u32 %r2, %r1; getctarank.u64 %r3, %rd3; getctarank.u64 %r4, %rd2;
        st.shared::cluster.u32 [%r1], 33; st.u32 [%rd3], 44; ld.shared::cluster.u32 %r5, [%rd1]; ld.shared::cluster.u32 %r6, [%r1]; ld.u32 %r7, [%rd3];
        st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%out+16], {%r5, %r6, %r7, 0};", &[3 << 32 | 0x0b00_0008, 2 << 32, 33 << 32, 44]),
    ("atomic operations of 32 bits", ".shared .u32 word;", "atom.shared.add.u32 %r1, [word], 5; atom.shared.max.s32 %r2, [word], -3; atom.shared.min.s32 %r3, [word], -3;
        atom.shared.exch.b32 %r4, [word], 12; atom.shared.cas.b32 %r5, [word], 12, 13; atom.shared.cas.b32 %r6, [word], 12, 14; atom.shared.and.b32 %r7, [word], 5;
        atom.shared.or.b32 %r8, [word], 8; atom.shared.xor.b32 %r9, [word], 1; atom.shared.inc.u32 %r10, [word], 12; atom.shared.dec.u32 %r11, [word], 20; red.shared.add.u32 [word], 100;
        ld.shared.u32 %r12, [word]; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%out+16], {%r5, %r6, %r7, %r8}; st.global.v4.u32 [%out+32], {%r9, %r10, %r11, %r12};",
        &[5 << 32, 0xffff_fffd_0000_0005, 13 << 32 | 12, 5 << 32 | 13, 12 << 32 | 13, 120 << 32]),
    ("atomic operations of 64 bits and floats", "", "atom.global.add.u64 %rd1, [%out], 0x100000000; atom.add.u64 %rd2, [%out], 1; red.global.add.f32 [%out+8], 1.5; atom.global.add.f32 %f1, [%out+8], 1.0;
        red.relaxed.gpu.global.add.f64 [%out+16], 0.25; atom.acq_rel.cta.global.cas.b64 %rd3, [%out], 0x100000001, 9; red.global.max.u64 [%out+24], 6; atom.global.min.s64 _, [%out+24], -1;",
        &[9, 0x4020_0000, 0x3fd0_0000_0000_0000, u64::MAX]),
    ("loops", "", "mov.u32 %r1, 0; mov.u32 %r2, 0; loop: add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 10; @%p1 bra loop; st.global.u32 [%out], %r2;", &[45]),
    ("forward branches and labels of scopes", "", "mov.u32 %r1, 1; { .reg .pred %p1; setp.eq.u32 %p1, %r1, 1; @%p1 bra done; mov.u32 %r1, 5; done: add.u32 %r1, %r1, 10; }
        { setp.eq.u32 %p1, %r1, 11; @%p1 bra.uni done; mov.u32 %r1, 5; done: add.u32 %r1, %r1, 100; bra out_of_here; } mov.u32 %r1, 0; out_of_here: st.global.u32 [%out], %r1;", &[111]),
    ("registers of scopes", "", ".reg .u32 a; mov.u32 a, 1; { .reg .u32 a; mov.u32 a, 2; { .reg .u64 a; mov.u64 a, 3; st.global.u64 [%out], a; } st.global.u32 [%out+8], a; } st.global.u32 [%out+12], a;",
        &[3, 1 << 32 | 2]),
    ("a jump table", "", "mov.u32 %r2, 0; table: .branchtargets one, two, three; mov.u32 %r1, 2; brx.idx %r1, table; one: add.u32 %r2, %r2, 1; two: add.u32 %r2, %r2, 2; three: add.u32 %r2, %r2, 4;
        st.global.u32 [%out], %r2;", &[4]),
    ("instructions that do nothing here", "", "prefetch.global.L2 [%out]; griddepcontrol.wait; griddepcontrol.launch_dependents; discard.global.L2 [%out], 128;
        brkpt; pmevent 3; cp.async.bulk.prefetch.L2.global [%out], 128; mov.u32 %r1, 3; st.global.u32 [%out], %r1;", &[3]),
    ("what is not supported and not reached", "", "bra over; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [nothing, {%f1, %f2}]; wgmma.fence.sync.aligned; mbarrier.arrive.sideways.b64 _, [nowhere]; over: st.global.u32 [%out], 1;", &[1]),
    ("what is in a function that nobody calls", ".func nobody() { bra lost; }", "st.global.u32 [%out], 1;", &[1]),
];

#[test]
fn instructions_leave_what_they_should() {
    for (what, declarations, body, expected) in CASES {
        let world = World::body(declarations, body, 64).run();
        let world = world.unwrap_or_else(|halt| panic!("{what}: {halt:?}"));
        assert_eq!(world.out(expected.len()), *expected, "{what}");
        assert_eq!(world.effects, [], "{what}");
    }
}

#[test]
fn addresses_of_32_bits_work_in_the_same_way() {
    let declarations = ".shared .u32 word; .global .u32 there = 5; .const .u32 fixed = 6;";
    let body = ".local .u32 mine; .reg .u32 %a<8>;
        st.shared.u32 [word], 1; mov.u32 %a0, word; cvta.shared.u32 %a1, %a0; ld.u32 %r1, [%a1];
        mov.u32 %a2, there; ld.global.u32 %r2, [%a2]; ld.const.u32 %r3, [fixed]; ld.u32 %r4, [%a2];
        cvta.local.u32 %a3, mine; st.u32 [%a3], 7; ld.local.u32 %r5, [mine];
        mapa.u32 %a4, %a1, 3; st.u32 [%a4], 8; mapa.shared::cluster.u32 %a5, word, 3; ld.shared::cluster.u32 %r6, [%a5];
        isspacep.shared %p1, %a1; selp.u32 %r7, 1, 0, %p1; isspacep.global %p1, %a2; selp.u32 %r8, 1, 0, %p1;
        st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4}; st.v4.u32 [%out+16], {%r5, %r6, %r7, %r8};";
    let world = World::body(declarations, body, 32).run().unwrap();
    assert_eq!(world.out(4), [5 << 32 | 1, 5 << 32 | 6, 8 << 32 | 7, 1 << 32 | 1]);
}

#[test]
fn special_registers_say_where_a_thread_is() {
    let cases: &[(&str, &str, u64)] = &[
        ("%tid.x", "u32", 5),
        ("%tid.z", "u32", 2),
        ("%ntid.y", "u32", 4),
        ("%ctaid.x", "u32", 6),
        ("%nctaid.z", "u32", 12),
        ("%laneid", "u32", 13),
        ("%warpid", "u32", 2),
        ("%nwarpid", "u32", 3),
        ("%cluster_ctaid.y", "u32", 1),
        ("%cluster_nctaid.x", "u32", 2),
        ("%cluster_ctarank", "u32", 2),
        ("%cluster_nctarank", "u32", 4),
        ("%clusterid.z", "u32", 8),
        ("%nclusterid.y", "u32", 6),
        ("%smid", "u32", 17),
        ("%nsmid", "u32", 132),
        ("%gridid", "u64", 0x1_0000_0009),
        ("%gridid", "u32", 9),
        ("%globaltimer", "u64", 0x3_0000_0007),
        ("%globaltimer_lo", "u32", 7),
        ("%globaltimer_hi", "u32", 3),
        ("%clock_hi", "u32", 2),
        ("%clock64", "u64", 0x2_0000_0002),
        ("%clock", "u32", 2),
        ("%lanemask_eq", "u32", 0x2000),
        ("%lanemask_lt", "u32", 0x1fff),
        ("%lanemask_le", "u32", 0x3fff),
        ("%lanemask_gt", "u32", 0xffff_c000),
        ("%lanemask_ge", "u32", 0xffff_e000),
        ("%dynamic_smem_size", "u32", 512),
        ("%total_smem_size", "u32", 1024),
        ("%aggr_smem_size", "u32", 1024),
    ];
    for (name, ty, expected) in cases {
        let register = if *ty == "u64" { "%rd1" } else { "%r1" };
        let body = format!("mov.{ty} {register}, {name}; st.global.{ty} [%out], {register};");
        assert_eq!(World::body("", &body, 64).run().unwrap().out(1), [*expected], "{name}");
    }
    let body = "mov.pred %p1, %is_explicit_cluster; activemask.b32 %r1; selp.u32 %r2, 1, 0, %p1; mad.lo.u32 %r3, %ctaid.x, %ntid.x, %tid.x;
        st.global.v4.u32 [%out], {%r1, %r2, %r3, 0};";
    assert_eq!(World::body("", body, 64).run().unwrap().out(2), [1 << 32 | 0x2001, 53]);
}

#[test]
fn every_lane_has_its_masks() {
    for lane in 0..32 {
        let body = "mov.u32 %r1, %lanemask_lt; mov.u32 %r2, %lanemask_eq; mov.u32 %r3, %lanemask_gt; st.global.v4.u32 [%out], {%r1, %r2, %r3, 0};";
        let mut world = World::body("", body, 64);
        world.place.lane = lane;
        let out = world.run().unwrap().out(2);
        let (below, own, above) = (out[0] as u32, (out[0] >> 32) as u32, out[1] as u32);
        assert_eq!((own, below ^ own ^ above), (1 << lane, u32::MAX));
        assert_eq!((below.count_ones(), above.count_ones()), (lane, 31 - lane));
    }
}

#[test]
fn variables_lie_where_the_program_says() {
    let declarations = ".shared .b8 unused[1000]; .shared .u8 byte; .shared .align 64 .b8 block[3]; .global .u8 first = 1; .global .align 256 .u32 second = 2; .const .u16 third = 3;";
    let body = ".shared .u64 inside; mov.u32 %r1, block; mov.u32 %r2, byte; st.shared.u64 [inside], 1;";
    let program = World::body(declarations, body, 64).program;
    let places = |placed: &[crate::program::Placed]| -> Vec<(String, u64, u64)> {
        placed.iter().map(|placed| (placed.name.clone(), placed.offset, placed.bytes)).collect()
    };
    let named = |name: &str, offset, bytes| (name.to_string(), offset, bytes);
    assert_eq!(places(&program.shared), [named("byte", 0, 1), named("block", 64, 3), named("inside", 72, 8)]);
    assert_eq!((program.shared_bytes, program.dynamic_offset), (80, 80));
    let third = program.globals[2].offset;
    assert_eq!(places(&program.globals), [named("first", 0, 1), named("second", 256, 4), named("third", third, 2)]);
    assert_eq!(program.image[0], 1);
    assert_eq!(program.image[256..260], [2, 0, 0, 0]);
    assert_eq!(program.image[third as usize..], [3, 0]);
    assert_eq!(Windows::of(64).global % 0x1_0000, 0); // so that offsets are aligned as addresses are
}
