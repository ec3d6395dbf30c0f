//! The model by hand: its view of the word, phases, faults and what comes first of several.

use super::*;

fn local(op: Op, data: u64) -> Operation {
    Operation { op, remote: false, threads: 1, data, strobe: 0xff }
}

#[test]
fn any_word_survives_the_view_in_natural_numbers() {
    let mut word = 0x0123_4567_89ab_cdefu64;
    for _ in 0..10_000 {
        word = word.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        assert_eq!(Barrier::from_word(word).to_word(), word);
    }
}

#[test]
fn a_phase_from_the_manual() {
    let (word, _) = step(0, &local(Op::Init, 2)).unwrap();
    let (word, answer) = step(word, &local(Op::Arrive, 1)).unwrap();
    let Answer::Token(token) = answer else { panic!("arrive gives back a token") };
    let waiting = local(Op::TestWait, (token as u64) << 32);
    assert_eq!(step(word, &waiting), Ok((word, Answer::Predicate(false))));
    let (word, _) = step(word, &local(Op::Arrive, 1)).unwrap();
    assert_eq!(step(word, &waiting), Ok((word, Answer::Predicate(true))));
    assert_eq!(Barrier::from_word(word), Barrier { phase: true, ..Barrier::initialised(2) });
}

#[test]
fn every_fault_names_its_cause_and_leaves_the_word() {
    let (one, _) = step(0, &local(Op::Init, 1)).unwrap();
    let underflow = Fault::PendingUnderflow { arrivals: 2, pending: 1 };
    assert_eq!(step(one, &local(Op::Arrive, 2)), Err(underflow));
    assert_eq!(step(one, &local(Op::Arrive, 1 << 20)), Err(Fault::OperandRange(1 << 20)));
    assert_eq!(underflow.to_string(), "2 arrivals where 1 are pending");
    assert_eq!(step(one | 1 << 42, &local(Op::TestWait, 0)), Err(Fault::FaultedWord));
    let remote_wait = Operation { remote: true, ..local(Op::TestWait, 0) };
    assert_eq!(step(one, &remote_wait), Err(Fault::RemoteUnsupported(Op::TestWait)));
    let tx = Barrier { tx: TX_MAX, ..Barrier::initialised(1) }.to_word();
    assert_eq!(step(tx, &local(Op::ExpectTx, 1)), Err(Fault::TxRange(i64::from(TX_MAX) + 1)));
    let dropped = Barrier { expected: 0, ..Barrier::initialised(1) }.to_word();
    let underflow = Fault::ExpectedUnderflow { drops: 1, expected: 0 };
    assert_eq!(step(dropped, &local(Op::ArriveDrop, 1)), Err(underflow));
}

#[test]
fn a_posted_fault_sets_the_bit_and_nothing_else() {
    let (one, _) = step(0, &local(Op::Init, 1)).unwrap();
    let large = Fault::OperandRange(u32::MAX.into());
    let result = step(one, &local(Op::BulkCompleteTx, u32::MAX as u64));
    assert_eq!(result, Ok((one | 1 << 42, Answer::Posted(Some(large)))));
}

#[test]
fn stores_write_the_bytes_that_are_enabled() {
    assert_eq!(merge_bytes(0x1122_3344_5566_7788, u64::MAX, 0b1000_0001), 0xff22_3344_5566_77ff);
}

#[test]
fn what_the_request_shows_comes_before_what_the_word_shows() {
    let faulted = 1 << 42;
    let misaligned = Request::new(Op::Arrive, 4).with(u64::MAX);
    let (word, outcome) = serve(faulted, &misaligned, 64);
    assert_eq!((word, outcome.fault), (faulted, Some(Fault::Misaligned(4))));
    let outside = Request::new(Op::Arrive, 64).with(u64::MAX);
    assert_eq!(serve(faulted, &outside, 64).1.fault, Some(Fault::OutOfRange { address: 64, bytes: 64 }));
    let remote = Request::new(Op::Init, 4).from_remote();
    assert_eq!(serve(faulted, &remote, 64).1.fault, Some(Fault::RemoteUnsupported(Op::Init)));
    let large = Request::new(Op::Arrive, 0).with(1 << 20);
    assert_eq!(serve(faulted, &large, 64).1.fault, Some(Fault::OperandRange(1 << 20)));
    let token = Request::new(Op::PendingCount, 3).with(0);
    assert_eq!(serve(0, &token, 64).1.response.unwrap().data, 1 << 20, "it has no address");
}
