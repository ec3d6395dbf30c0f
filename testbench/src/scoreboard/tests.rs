//! Verdicts of a scoreboard on made-up runs.

use super::history::TRIM_AT;
use super::*;

fn scoreboard(ports: usize) -> Scoreboard {
    Scoreboard::new(&Parameters { ports, banks: 1, words: 16, ..Parameters::default() })
}

fn ok(data: u64) -> Response {
    Response { tag: 0, status: 0, predicate: false, data, resumed: false }
}

/// One request takes effect, with status ok.
fn takes_effect(scoreboard: &mut Scoreboard, cycle: u64, port: usize, index: usize) -> Result<(), Box<Failure>> {
    let mut effects = Effects {
        done: vec![(port, Done { port, tag: 0, status: 0, index, suspended: false })],
        flips: vec![],
        woken: 0,
    };
    scoreboard.effects(cycle, &mut effects)
}

#[test]
fn answers_are_predicted() {
    let mut scoreboard = scoreboard(2);
    scoreboard.accept(0, 0, &Request::new(Op::Init, 8).with(1));
    scoreboard.accept(1, 1, &Request::new(Op::Arrive, 8).with(1));
    assert_eq!(takes_effect(&mut scoreboard, 4, 0, 1), Ok(()));
    assert!(scoreboard.answer(5, 0, &ok(0)).is_ok());
    let done = |flips| Effects {
        done: vec![(1, Done { port: 1, tag: 0, status: 0, index: 1, suspended: false })],
        flips,
        woken: 0,
    };
    assert!(scoreboard.clone().effects(5, &mut done(vec![])).is_err(), "the arrival completes the phase");
    assert!(scoreboard.clone().effects(5, &mut done(vec![1, 2])).is_err(), "and no other");
    assert_eq!(scoreboard.effects(5, &mut done(vec![1])), Ok(()));
    assert!(scoreboard.answer(6, 1, &ok(0x7ffff800_00000000)).is_ok());
    assert!(scoreboard.is_idle());
    assert_eq!(scoreboard.tally().latency, [0, 0, 0, 0, 0, 2]);
    assert_eq!(scoreboard.touched(), [1]);
}

#[test]
fn those_of_one_cycle_come_in_the_order_of_their_kinds() {
    let mut scoreboard = scoreboard(2);
    scoreboard.accept(0, 0, &Request::new(Op::Init, 0).with(1));
    assert_eq!(takes_effect(&mut scoreboard, 4, 0, 0), Ok(()));
    assert!(scoreboard.answer(5, 0, &ok(0)).is_ok());
    scoreboard.accept(1, 0, &Request::new(Op::TestWaitParity, 0));
    scoreboard.accept(1, 1, &Request::new(Op::Arrive, 0).with(1));
    let done = |port| (port, Done { port, tag: 0, status: 0, index: 0, suspended: false });
    assert_eq!(scoreboard.effects(5, &mut Effects { done: vec![done(0), done(1)], flips: vec![0], woken: 0 }), Ok(()));
    assert!(scoreboard.answer(6, 0, &Response { predicate: true, ..ok(0) }).is_ok(), "the wait is last");
    assert_eq!(scoreboard.tally().combined, 2);
}

#[test]
fn another_order_is_an_explanation_too() {
    let mut scoreboard = scoreboard(2);
    scoreboard.accept(0, 0, &Request::new(Op::Store, 0).with(7));
    scoreboard.accept(1, 1, &Request::new(Op::Load, 0));
    assert_eq!(takes_effect(&mut scoreboard, 4, 0, 0), Ok(()));
    assert_eq!(takes_effect(&mut scoreboard, 5, 1, 0), Ok(()));
    assert!(scoreboard.answer(6, 1, &ok(0)).is_ok(), "the load may have come first");
    assert!(scoreboard.answer(7, 0, &ok(0)).is_ok());
}

#[test]
fn what_nothing_explains_is_reported_with_its_history() {
    let mut scoreboard = scoreboard(2);
    scoreboard.accept(0, 0, &Request::new(Op::Store, 0).with(7));
    assert_eq!(takes_effect(&mut scoreboard, 4, 0, 0), Ok(()));
    assert!(scoreboard.answer(5, 0, &ok(0)).is_ok());
    scoreboard.accept(6, 1, &Request::new(Op::Load, 0));
    assert_eq!(takes_effect(&mut scoreboard, 10, 1, 0), Ok(()));
    let failure = scoreboard.answer(11, 1, &ok(0)).expect_err("the store was over");
    let text = failure.to_string();
    assert!(text.starts_with("cycle 11: port 1 got `ok, predicate 0, data 0000000000000000 (tag 0)`"), "{text}");
    assert!(text.contains("cycle      6 port 1: load relaxed @0x0 (tag 0)  done in 10"), "{text}");
    assert!(scoreboard.answer(12, 1, &ok(0)).expect_err("nothing is asked").what.contains("without a request"));
}

#[test]
fn effects_are_predicted() {
    let mut scoreboard = scoreboard(1);
    assert!(takes_effect(&mut scoreboard, 4, 0, 0).is_err(), "nothing was asked");
    scoreboard.accept(0, 0, &Request::new(Op::Arrive, 0).with(1).tagged(9));
    let with = |tag, status: Status, index| {
        scoreboard.clone().effects(
            4,
            &mut Effects {
                done: vec![(0, Done { port: 0, tag, status: status.code(), index, suspended: false })],
                flips: vec![],
                woken: 0,
            },
        )
    };
    assert!(with(9, Status::Ok, 0).is_err(), "nothing is pending");
    assert!(with(8, Status::PendingUnderflow, 0).is_err() && with(9, Status::PendingUnderflow, 1).is_err());
    assert_eq!(with(9, Status::PendingUnderflow, 0), Ok(()));
}

#[test]
fn histories_stay_short() {
    let mut scoreboard = scoreboard(1);
    for cycle in 0..10_000u64 {
        scoreboard.accept(cycle, 0, &Request::new(Op::Load, 0));
        if cycle >= 4 {
            takes_effect(&mut scoreboard, cycle, 0, 0).unwrap();
        }
        if cycle >= 5 {
            scoreboard.answer(cycle, 0, &ok(0)).unwrap();
        }
    }
    assert!(scoreboard.histories[0].calls.len() <= TRIM_AT);
    assert!(scoreboard.histories[0].first > 9000);
}
