//! Memory ordering: litmus tests on every engine, and the rules that they cannot observe.

#[macro_use]
mod engines;

use txbar_rtl::op::Op;
use txbar_rtl::ordering::{Order, Semantics};
use txbar_rtl::parameters::Parameters;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::litmus;
use txbar_testbench::request::Request;
use txbar_testbench::test_env;

fn parameters() -> Parameters {
    litmus::PARAMETERS
}

/// No forbidden outcome is ever seen; those that are allowed are.
#[test]
fn litmus_tests_come_out_as_the_orderings_say() {
    let seed = test_env::seed();
    let mut engine = Rtl::new(parameters());
    for test in litmus::all() {
        let histogram = litmus::run(&mut engine, &test, 10_000, seed).unwrap_or_else(|what| panic!("{what}"));
        assert!(histogram.is_as_it_should(), "{histogram}");
    }
}

/// A few runs of each on the Verilog, cycle for cycle as on the hardware in Rust.
fn few_runs_of_each<E: Engine>(make: impl Fn() -> E) {
    let (mut engine, mut native) = (make(), Rtl::new(parameters()));
    for test in litmus::all() {
        let ran = litmus::run(&mut engine, &test, 200, 7).unwrap_or_else(|what| panic!("{what}"));
        let also = litmus::run(&mut native, &test, 200, 7).unwrap_or_else(|what| panic!("{what}"));
        assert_eq!((ran.outcomes, ran.cycles), (also.outcomes, also.cycles), "{}", test.name);
    }
}

/// Drives one port with requests until they are all accepted, with banks and accesses to other CTAs busy as `busy` says of
/// each cycle; gives the order in which the tags took effect.
fn order_of_effects<E: Engine>(engine: &mut E, requests: &[Request], busy: impl Fn(u64) -> (u64, u64)) -> Vec<u16> {
    let mut next = 0;
    let mut effects = Vec::new();
    engine.drive_ready(1);
    for cycle in 0..60 {
        if let Some(request) = requests.get(next) {
            engine.drive_request(0, request);
        }
        engine.drive_valid((next < requests.len()) as u64);
        let (stalled, remote_pending) = busy(cycle);
        engine.drive_others(stalled, remote_pending);
        engine.settle();
        next += (engine.accepted() & 1) as usize;
        if engine.done() & 1 != 0 {
            effects.push(engine.effect(0).tag);
        }
        engine.clock();
    }
    effects
}

fn load(word: u32, tag: u16, semantics: Semantics) -> Request {
    Request::new(Op::Load, word * 8).tagged(tag).ordered(Order::cta(semantics))
}

use Semantics::{Acquire, AcquireRelease, Relaxed, Release};

/// A request whose bank is stalled is passed by those that may pass it, and by no others.
fn who_passes_whom<E: Engine>(make: impl Fn() -> E) {
    let stalled = |cycle: u64| (if cycle < 20 { 0b0001 } else { 0 }, 0);
    let effects = |requests: &[Request]| order_of_effects(&mut make(), requests, stalled);
    for (older, younger, passes) in [
        (Relaxed, Relaxed, true),
        (Release, Relaxed, true),
        (Relaxed, Acquire, true),
        (Release, Acquire, true),
        (Acquire, Relaxed, false),
        (Relaxed, Release, false),
        (Acquire, Release, false),
        (AcquireRelease, Relaxed, false),
        (Relaxed, AcquireRelease, false),
    ] {
        let seen = effects(&[load(0, 1, older), load(1, 2, younger)]);
        assert_eq!(seen, if passes { [2, 1] } else { [1, 2] }, "{older:?} and then {younger:?}");
    }
    assert_eq!(effects(&[load(0, 1, Relaxed), load(4, 2, Relaxed)]), [1, 2], "the same bank");
    assert_eq!(effects(&[load(0, 1, Relaxed), load(1, 1, Relaxed)]), [1, 1], "the same tag keeps its order");
    let many: Vec<Request> = (1..6).map(|tag| load(u32::from(tag), tag, Relaxed)).collect();
    let behind = effects(&[&[load(0, 0, Relaxed)][..], &many].concat());
    assert_eq!(behind, [1, 2, 3, 0, 4, 5], "the fourth is on the stalled bank, and the slot has one place");
}

/// A release of the cluster waits for accesses to other CTAs; one of the CTA does not, nor do others.
fn a_release_of_the_cluster_waits<E: Engine>(make: impl Fn() -> E) {
    let remote = |cycle: u64| (0, (cycle < 20) as u64);
    for (order, waits) in [
        (Order::cluster(Release), true),
        (Order::cluster(AcquireRelease), true),
        (Order::cluster(Acquire), false),
        (Order::cluster(Relaxed), false),
        (Order::cta(Release), false),
    ] {
        let requests = [load(0, 1, Relaxed).ordered(order), load(1, 2, Relaxed)];
        let seen = order_of_effects(&mut make(), &requests, remote);
        let passed = waits && !order.semantics.acquires();
        assert_eq!(seen, if passed { [2, 1] } else { [1, 2] }, "{order}");
        let mut engine = make();
        let alone = order_of_effects(&mut engine, &requests[..1], |_| (0, 1));
        assert_eq!(alone.is_empty(), waits, "{order}");
    }
}

/// An acquire wait holds the later requests of its thread until it is over, and nobody else's.
fn an_acquire_wait_holds_its_thread<E: Engine>(make: impl Fn() -> E) {
    let number = parameters().number_bits;
    let (waiting, other) = (0u16, 1u16 << number);
    let barrier = 8 * 8;
    let make = || {
        let mut engine = make();
        let init = Request::new(Op::Init, barrier).with(1).tagged(15);
        assert_eq!(order_of_effects(&mut engine, &[init], |_| (0, 0)), [15]);
        engine
    };
    let wait = Request::new(Op::TryWaitParity, barrier).with(200 << 32).tagged(waiting);
    let after = [
        load(1, waiting + 1, Relaxed),
        load(2, other, Relaxed),
        Request::new(Op::Arrive, barrier).with(1).tagged(other + 1),
        load(3, other + 2, Relaxed),
    ];
    let script = |wait: Request| [&[wait][..], &after].concat();
    let seen = order_of_effects(&mut make(), &script(wait), |_| (0, 0));
    assert_eq!(seen, [0, other, other + 1, other + 2, 1], "another thread's arrival lets the wait end");
    let seen = order_of_effects(&mut make(), &script(wait.ordered(Order::cta(Relaxed))), |_| (0, 0));
    assert_eq!(seen, [0, 1, other, other + 1, other + 2], "a relaxed wait holds nobody");
    let expired = order_of_effects(&mut make(), &[wait, after[0]], |_| (0, 0));
    assert_eq!(expired, [0, 1], "its time is over, and it holds no longer");
}

cases!(few_runs_of_each, who_passes_whom, a_release_of_the_cluster_waits, an_acquire_wait_holds_its_thread);
