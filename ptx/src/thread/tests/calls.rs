//! Calls and returns.

use super::World;

const ADD: &str = ".func (.param .b32 sum) add(.param .b32 a, .param .b32 b) { .reg .b32 %r<4>; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; add.u32 %r3, %r1, %r2;
    st.param.b32 [sum], %r3; ret; }";

#[test]
fn parameters_in_memory_as_compilers_write_them() {
    let body = "{ .param .b32 param0; st.param.b32 [param0+0], 30; .param .b32 param1; st.param.b32 [param1+0], 12; .param .b32 retval0;
        call.uni (retval0), add, (param0, param1); ld.param.b32 %r5, [retval0+0]; } st.global.u32 [%out], %r5;";
    assert_eq!(World::body(ADD, body, 64).run().unwrap().out(1), [42]);
}

#[test]
fn arguments_may_be_registers_and_numbers() {
    let body = "mov.u32 %r1, 40; call (%r2), add, (%r1, 2); st.global.u32 [%out], %r2;";
    assert_eq!(World::body(ADD, body, 64).run().unwrap().out(1), [42]);
}

#[test]
fn parameters_may_be_registers() {
    let function = ".func (.reg .u64 product, .reg .u32 odd) both(.reg .u32 a, .reg .u32 b) { mul.wide.u32 product, a, b; and.b32 odd, a, 1; }";
    let body = "mov.u32 %r1, 7; call (%rd1, %r2), both, (%r1, 9); cvt.u64.u32 %rd2, %r2; st.global.v2.u64 [%out], {%rd1, %rd2};";
    assert_eq!(World::body(function, body, 64).run().unwrap().out(2), [63, 1]);
}

#[test]
fn structures_are_copied() {
    let function = ".func (.param .align 8 .b8 turned[16]) turn(.param .align 8 .b8 pair[16]) { .reg .b64 %rd<3>; ld.param.b64 %rd1, [pair]; ld.param.b64 %rd2, [pair+8];
        st.param.b64 [turned], %rd2; st.param.b64 [turned+8], %rd1; st.param.b64 [pair], 0; ret; }";
    let body = ".param .align 8 .b8 here[16]; .param .align 8 .b8 there[16]; st.param.b64 [here], 1; st.param.b64 [here+8], 2; call (there), turn, (here);
        ld.param.b64 %rd1, [there]; ld.param.b64 %rd2, [there+8]; ld.param.b64 %rd3, [here]; st.global.v2.b64 [%out], {%rd1, %rd2}; st.global.b64 [%out+16], %rd3;";
    assert_eq!(World::body(function, body, 64).run().unwrap().out(3), [2, 1, 1]);
}

#[test]
fn a_function_may_call_itself() {
    let function = ".func (.param .b32 result) factorial(.param .b32 n) { .reg .b32 %r<6>; .reg .pred %p; .local .align 32 .u32 kept; ld.param.u32 %r1, [n]; mov.u32 %r2, 1;
        setp.le.u32 %p, %r1, 1; @%p bra end; st.local.u32 [kept], %r1; sub.u32 %r3, %r1, 1; { .param .b32 p; st.param.b32 [p], %r3; .param .b32 q; call (q), factorial, (p); ld.param.b32 %r4, [q]; }
        ld.local.u32 %r5, [kept]; mul.lo.u32 %r2, %r4, %r5; end: st.param.b32 [result], %r2; ret; }";
    let body = "call (%r1), factorial, (10); st.global.u32 [%out], %r1; call (%r1), factorial, (5); st.global.u32 [%out+4], %r1;";
    let world = World::body(function, body, 64).run().unwrap();
    assert_eq!(world.out(1), [120 << 32 | 3_628_800]);
    assert_eq!(world.lane.depth(), 0);
}

#[test]
fn a_guarded_return_and_an_end_without_one() {
    let function = ".func touch(.reg .u64 where, .reg .u32 what) { .reg .pred p; setp.eq.u32 p, what, 0; @p ret; st.u32 [where], what; }";
    let body = "add.u64 %rd1, %out, 4; call touch, (%out, 0); call touch, (%rd1, 6);";
    assert_eq!(World::body(function, body, 64).run().unwrap().out(1), [6 << 32]);
}

#[test]
fn functions_have_shared_variables_of_their_own() {
    let function = ".func (.reg .u32 before) count() { .shared .u32 calls; ld.shared.u32 before, [calls]; atom.shared.add.u32 _, [calls], 1; }";
    let body = "call (%r1), count; call (%r2), count; st.global.v2.u32 [%out], {%r1, %r2};";
    let world = World::body(function, body, 64).run().unwrap();
    assert_eq!(world.out(1), [1 << 32]);
    assert_eq!(world.program.shared_bytes, 4);
}

#[test]
fn pointers_into_the_caller_s_memory_work() {
    let function = ".func fill(.param .b64 to) { .reg .b64 %rd; ld.param.b64 %rd, [to]; st.u64 [%rd+8], 5; ret; }";
    let body = ".local .align 16 .b8 mine[16]; cvta.local.u64 %rd1, mine; call fill, (%rd1); ld.local.u64 %rd2, [mine+8]; st.global.u64 [%out], %rd2;";
    assert_eq!(World::body(function, body, 64).run().unwrap().out(1), [5]);
}

#[test]
fn endless_recursion_is_a_fault() {
    let complaint = World::body(".func again() { call again; }", "call again;", 64).fault();
    assert!(complaint.message.contains("nested too deeply"), "{complaint:?}");
    let deep = ".func again(.reg .u32 n) { .reg .u32 m; .reg .pred p; setp.eq.u32 p, n, 0; @p ret; sub.u32 m, n, 1; call again, (m); }";
    World::body(deep, "call again, (500);", 64).run().unwrap();
}
