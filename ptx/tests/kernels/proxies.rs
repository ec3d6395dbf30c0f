//! Litmus tests of the async proxy: kernels with accesses by the generic proxy and by tensor copies, under many schedules.
//!
//! Each ends with a value in `seen`, and has a weak outcome: a value that shows accesses out of order. With what orders them it must never
//! be seen, and a fault injected into the hardware turns it up; without, it must be seen now and then, or, where PTX allows it and this
//! hardware has no way to it, need not be.

use super::kernels::program;
use txbar_ptx::argument::Argument;
use txbar_ptx::element::Format;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::{End, Schedule};
use txbar_testbench::test_env;

/// Schedules that a test is tried with.
const RUNS: u64 = 60;

/// What `seen` holds before.
const UNSEEN: u32 = 255;

/// Whether the weak outcome may be seen.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// It must not: this injected fault shows it, if there is one; else the test without the ordering does.
    Forbidden(Option<&'static str>),
    /// It must be.
    Seen,
    /// It may be.
    Allowed,
}
use Rule::{Allowed, Forbidden, Seen};

/// What the tests have in common: `stage` is 1,024 bytes, all of a tensor of 128 x 8 bytes, and 0 at first.
const BEGIN: &str = "
.version 8.6
.target sm_90
.address_size 64
.visible .entry litmus(.param .align 64 .b8 map[128], .param .u64 memory, .param .u64 other, .param .u64 kept, .param .u64 seen)
{
    .shared .align 128 .b8 stage[1024];
    .shared .align 8 .b64 bar;
    .reg .pred   first, second, done;
    .reg .b32    thread, at, value;
    .reg .b64    place, to, from, table, result;
    mov.u64      place, map;
    cvta.param.u64 place, place;
    ld.param.u64 to, [memory];
    ld.param.u64 from, [other];
    ld.param.u64 table, [kept];
    ld.param.u64 result, [seen];
    mov.b32      at, 0;
    mov.b32      value, 0;
    mov.u32      thread, %tid.x;
    setp.eq.u32  first, thread, 0;
    setp.eq.u32  second, thread, 32;
    @first mbarrier.init.shared::cta.b64 [bar], 1;
    @first fence.mbarrier_init.release.cluster;
    bar.sync     0;
";

/// A load of the tensor into `stage`, by the first thread.
const LOAD: &str = "
    @first mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
    @first cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [stage], [MAP, {at, at}], [bar];
";
/// A store of `stage` to the tensor.
const STORE: &str = "
    @first cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [place, {at, at}], [stage];
    @first cp.async.bulk.commit_group;
";
/// A change of its last word by the generic proxy.
const WRITE: &str = "
    mov.u32      value, 7;
    @first st.shared.u32 [stage+1020], value;
";
const FENCE: &str = "
    fence.proxy.async.shared::cta;
";
const READ: &str = "
    @first cp.async.bulk.wait_group.read 0;
";
const WRITTEN: &str = "
    @first cp.async.bulk.wait_group 0;
";
/// What is in the tensor, as the first thread sees it.
const LOOK: &str = "
    @first ld.global.u32 value, [to+1020];
";
const SHOW: &str = "
    @first st.global.u32 [result], value;
";

/// A wait for a phase.
fn wait(who: &str, parity: u32) -> String {
    format!(
        "$wait{parity}:\n    setp.ne.u32 done, 0, 0;\n    @{who} mbarrier.try_wait.parity.shared::cta.b64 done, [bar], {parity};\n    \
         not.pred done, done;\n    and.pred done, done, {who};\n    @done bra $wait{parity};\n"
    )
}

/// The body of a kernel, the weak outcome, and whether it may be seen.
fn tests() -> Vec<(&'static str, String, u32, Rule)> {
    let load = LOAD.replace("MAP", "place");
    let (look, show) = ("@second ld.shared.u32 value, [stage+1020];\n", "@second st.global.u32 [result], value;\n");
    // the word is 7 in the tensor's place, whatever comes; 9 is what follows it in shared memory
    let changed = "mov.u32 value, 9;\n    @first st.shared.u32 [stage+1020], value;\n";
    let sent = [WRITE, FENCE, STORE].concat();
    let kept = LOAD.replace("MAP", "table");
    let again = |fence: &str| {
        let replace = "@first tensormap.replace.tile.global_address.global.b1024.b64 [table], from;\n";
        let look = "@first ld.shared.u32 value, [stage+1020];\n";
        [&kept, &*wait("first", 0), replace, fence, &kept, &*wait("first", 1), look, SHOW].concat()
    };
    vec![
        // message passing: is the phase seen without the data?
        ("load+wait", [&load, &*wait("second", 0), look, show].concat(), 0, Forbidden(Some("box-bytes-early"))),
        ("load", [&load, look, &*wait("second", 0), show].concat(), 0, Seen),
        // is what the generic proxy wrote before missing in what is stored? Here the instruction waits for the thread's accesses
        ("write+fence+store", [&*sent, WRITTEN, LOOK, SHOW].concat(), 0, Forbidden(Some("put-unread"))),
        ("write+store", [WRITE, STORE, WRITTEN, LOOK, SHOW].concat(), 0, Allowed),
        // is what the generic proxy writes later in it?
        (
            "store+read+write",
            [&*sent, READ, changed, WRITTEN, LOOK, SHOW].concat(),
            9,
            Forbidden(Some("store-in-no-group")),
        ),
        ("store+write", [&*sent, changed, WRITTEN, LOOK, SHOW].concat(), 9, Seen),
        // is what is stored missing where its group is over?
        ("store+group", [&*sent, WRITTEN, LOOK, SHOW].concat(), 0, Forbidden(Some("group-written-early"))),
        ("store+read", [&*sent, READ, LOOK, SHOW, WRITTEN].concat(), 0, Seen),
        // is a map used as it was before it was changed?
        ("map+fence", again("@first fence.proxy.tensormap::generic.acquire.gpu [table], 0x80;\n"), 1, Forbidden(None)),
        ("map", again(""), 1, Seen),
    ]
}

/// How often each value was seen, with a fault or without.
fn run(name: &str, body: &str, fault: Option<&'static str>, seed: u64) -> Vec<(u32, u64)> {
    let text = [BEGIN, body, "    ret;\n}\n"].concat();
    let program = program(name, &text, "litmus");
    // what is loaded is 0x01010101 everywhere, and 0x02020202 behind the changed map
    let of = |value: u32| vec![value.to_string(); 256].join(",");
    let (input, other) = (of(0x0101_0101), of(0x0202_0202));
    let loads = name.starts_with("load") || name.starts_with("map");
    let first = if loads { format!("memory:u32:256:{input}") } else { "memory:u32:256".to_owned() };
    let shape = "type=u8,sizes=128x8,strides=128,box=128x8";
    let parameters = [
        format!("map:tensormap:memory,{shape}"),
        first,
        format!("other:u32:256:{other}"),
        format!("kept:tensormap:memory,{shape}"),
        format!("seen:u32:1:{UNSEEN}"),
    ];
    let arguments: Vec<Argument> =
        parameters.iter().map(|text| Argument::read(text).unwrap_or_else(|why| panic!("{text}: {why}"))).collect();
    let mut counts = std::collections::BTreeMap::new();
    for number in 0..RUNS {
        let schedule = Schedule::Random(seed + number);
        let settings = Settings { block: [64, 1, 1], schedule, fault, max_cycles: 20_000, ..Settings::default() };
        let grid = Grid::new(&program, settings).unwrap_or_else(|error| panic!("{name}: {error}"));
        let outcome =
            grid.run(&arguments, &mut |_, _| {}, &mut |_| true).unwrap_or_else(|error| panic!("{name}: {error}"));
        // with a fault it may not come to its end: bytes that are told too early are not told of as they land
        assert!(fault.is_some() || outcome.end == End::Done, "{name}, seed {}: {:?}", seed + number, outcome.end);
        let seen = outcome.buffers.iter().find(|buffer| buffer.name == "seen").expect("it is there");
        let value = seen.elements(Format::Hex).next().expect("it has one").to_string();
        let value = u32::from_str_radix(value.trim_start_matches("0x"), 16).expect("a number in hex");
        *counts.entry(value).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

/// The value that shows accesses out of order.
fn weak(value: u32) -> u32 {
    if value == 1 { 0x0101_0101 } else { value }
}

/// How often the weak outcome was seen.
fn count(counts: &[(u32, u64)], value: u32) -> u64 {
    counts.iter().find(|(seen, _)| *seen == weak(value)).map_or(0, |(_, count)| *count)
}

#[test]
fn outcomes_are_as_the_fences_say() {
    let seed = test_env::seed();
    for (name, body, weak, rule) in tests() {
        let counts = run(name, &body, None, seed);
        println!("{name}: {counts:x?}");
        match rule {
            Forbidden(_) => assert_eq!(count(&counts, weak), 0, "{name}, seed {seed}: {counts:x?}"),
            Seen => assert!(count(&counts, weak) > 0, "{name}, seed {seed}: {counts:x?}"),
            Allowed => {}
        }
    }
}

/// Each forbidden outcome is seen if the hardware has a fault, or in the test without what forbids it.
#[test]
fn every_forbidden_outcome_can_be_seen() {
    for (name, body, weak, rule) in tests() {
        if let Forbidden(Some(fault)) = rule {
            let counts = run(name, &body, Some(fault), 0);
            println!("{name}, {fault}: {counts:x?}");
            assert!(count(&counts, weak) > 0, "{name} does not show {fault}: {counts:x?}");
        }
    }
}
