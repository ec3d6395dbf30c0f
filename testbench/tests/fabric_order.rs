//! The order in which requests take effect in a fabric, as programs observe it.

use txbar_rtl::op::Op;
use txbar_rtl::ordering::{Order, Semantics};
use txbar_rtl::parameters::Parameters;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::litmus;
use txbar_testbench::request::Request;
use txbar_testbench::scoreboard::each;
use txbar_testbench::test_env;

fn engine([ports, banks, waiters]: [usize; 3], words: usize) -> Rtl {
    Rtl::new(
        Parameters { words, waiters, ..Parameters::banked_high_clock(ports, banks) }.check().expect("it can be built"),
    )
}

/// Port 0 stores a message in one bank and a flag in another, port 1 loads the flag and then the message, and others keep the
/// message's bank busy with what has to be done anew. Whoever sees the flag sees the message.
#[test]
fn a_flag_is_never_seen_before_its_message() {
    let mut engine = engine([4, 8, 32], 64);
    let (message, flag, hot) = (8, 16, 8 + 8 * 8);
    let request = move |port: usize, number: u64| match port {
        0 => Request::new(Op::Store, if number.is_multiple_of(2) { message } else { flag }).with(number / 2 + 1),
        1 => Request::new(Op::Load, if number.is_multiple_of(2) { flag } else { message }),
        // nothing is pending there
        _ if number.is_multiple_of(3) => Request::new(Op::CpAsyncArrive, hot),
        _ => Request::new(Op::Arrive, hot).with(1),
    };
    let (mut numbers, mut loads, mut overtaken) = ([0u64; 4], Vec::new(), 0);
    let mut stored = [0u64; 2];
    engine.drive_valid(0b1111);
    engine.drive_ready(0b1111);
    // the loads of port 1 have their number as a tag, since their answers may change places
    let mut answers = vec![None; 1 << engine.parameters().tag_bits];
    for _ in 0..60_000 {
        for (port, number) in numbers.iter().enumerate() {
            engine.drive_request(port, &request(port, *number).tagged(*number as u16 & 0xff));
        }
        engine.settle();
        for port in each(engine.accepted()) {
            numbers[port] += 1;
        }
        for done in each(engine.done()).map(|bank| engine.effect(bank)).filter(|done| done.port == 0) {
            stored[usize::from(done.tag & 1)] += 1;
            overtaken += (stored[1] > stored[0]) as u64;
        }
        if engine.shown() & 0b10 != 0 {
            let response = engine.response(1);
            answers[usize::from(response.tag)] = Some(response.data);
        }
        let next = 2 * loads.len() % answers.len();
        if let (Some(flag), Some(message)) = (answers[next], answers[next + 1]) {
            (answers[next], answers[next + 1]) = (None, None);
            loads.push((flag, message));
        }
        engine.clock();
    }
    let wrong = loads.iter().position(|(flag, message)| message < flag);
    assert_eq!(wrong, None, "{:?}", wrong.map(|at| loads[at]));
    println!("{} pairs of loads, flags stored before their messages: {overtaken}", loads.len());
    assert!(loads.len() > 1000 && loads.last().expect("there are some").0 > 1000 && overtaken > 100);
}

/// Programs without waits are sequentially consistent whatever their orderings, with banks that stall at random.
#[test]
fn no_outcome_shows_accesses_out_of_order() {
    let seed = test_env::seed();
    let Parameters { ports, banks, words, tag_bits, number_bits, .. } = litmus::PARAMETERS;
    let mut engine = Rtl::new(Parameters {
        words,
        waiters: 8,
        tag_bits,
        number_bits,
        ..Parameters::banked_high_clock(ports, banks)
    });
    let waits = |test: &litmus::Litmus| test.ports.iter().flatten().any(|step| step.op == Op::TryWaitParity);
    let tests: Vec<_> = litmus::all().into_iter().filter(|test| !waits(test)).collect();
    assert!(tests.len() > 10);
    for test in tests {
        let histogram = litmus::run(&mut engine, &test, 5_000, seed).unwrap_or_else(|what| panic!("{what}"));
        assert!(histogram.weak == 0 && histogram.outcomes.len() > 1, "{histogram}");
    }
}

/// A release of the cluster waits for the port's accesses to other CTAs; nothing else does.
#[test]
fn a_release_of_the_cluster_waits() {
    for (order, waits) in [
        (Order::cluster(Semantics::Release), true),
        (Order::cluster(Semantics::AcquireRelease), true),
        (Order::cluster(Semantics::Acquire), false),
        (Order::cta(Semantics::Release), false),
    ] {
        let mut engine = engine([2, 2, 2], 64);
        for port in 0..2 {
            engine.drive_request(port, &Request::new(Op::Load, 8).ordered(order));
        }
        engine.drive_valid(0b11);
        engine.drive_others(0, 0b10);
        engine.settle();
        assert_eq!(engine.accepted(), if waits { 0b01 } else { 0b11 }, "{order}");
        engine.drive_others(0, 0);
        engine.settle();
        assert_eq!(engine.accepted(), 0b11, "{order}");
    }
}
