//! One port, one bank: what is stored is seen, in order.

use super::*;
use crate::word::status::Status;

/// Sends requests (op, word, data) of one port in consecutive cycles, `None` for a gap; gives status and data of each
/// answer.
fn answers(requests: &[Option<(Op, u64, u64)>]) -> Vec<(u64, u64)> {
    let parameters = Parameters { ports: 1, banks: 1, words: 16, ..Parameters::default() };
    let mut unit = Unit::new(&parameters);
    unit.poison_collisions(0xbad0_bad0_bad0_bad0);
    unit.rsp_ready.next = 1.into();
    unit.settle();
    unit.clock(); // the queue has room from the second cycle on
    let mut answers = Vec::new();
    for cycle in 0..requests.len() + 6 {
        let request = requests.get(cycle).copied().flatten();
        let (op, word, data) = request.unwrap_or((Op::Load, 0, 0));
        unit.req_valid.next = (request.is_some() as u64).into();
        unit.req[0].op.next = op.into();
        unit.req[0].address.next = (word * 8).into();
        unit.req[0].data.next = data.into();
        unit.req[0].strobe.next = 0xff.into();
        unit.req[0].tag.next = (cycle as u64).into();
        unit.settle();
        assert_eq!(unit.req_ready.val().any(), request.is_some(), "nothing stands in the way of one port");
        if unit.rsp_valid.val().any() {
            assert_eq!(unit.rsp[0].tag.val().index(), cycle - LATENCY, "five cycles after the request");
            answers.push((unit.rsp[0].status.val().raw(), unit.rsp[0].data.val().raw()));
        }
        unit.clock();
    }
    answers
}

/// A store and a load of the same word at every distance, with stores to another word in between or nothing.
#[test]
fn a_load_sees_the_store_at_every_distance() {
    for distance in 1..=8 {
        for between in [None, Some((Op::Store, 4, 99)), Some((Op::Load, 3, 0))] {
            let mut requests = vec![Some((Op::Store, 3, 7))];
            requests.resize(distance, between);
            requests.push(Some((Op::Load, 3, 0)));
            assert_eq!(answers(&requests).last(), Some(&(0, 7)), "distance {distance}, {between:?} between");
        }
    }
}

/// Of several stores, the youngest is seen.
#[test]
fn the_youngest_store_wins() {
    for stores in 2..=6u64 {
        let mut requests: Vec<_> = (1..=stores).map(|value| Some((Op::Store, 3, value))).collect();
        for distance in 0..3 {
            requests.extend(std::iter::repeat_n(None, distance));
            requests.push(Some((Op::Load, 3, 0)));
            assert_eq!(answers(&requests).last(), Some(&(0, stores)));
        }
    }
}

#[test]
fn statuses_of_the_word_come_in_their_order() {
    let status = |word, op, data| answers(&[Some((Op::Store, 3, word)), Some((op, 3, data))])[1].0;
    let named = |status: Status| status.code() as u64;
    // nothing pending, nothing expected, tx-count at its top
    let word = 1 << 41;
    assert_eq!(status(word | 1 << 42, Op::ArriveDropExpectTx, 1), named(Status::FaultedWord));
    assert_eq!(status(word, Op::ArriveDropExpectTx, 1), named(Status::PendingUnderflow));
    assert_eq!(status(word | 0xfffff << 43, Op::ArriveDropExpectTx, 1), named(Status::ExpectedUnderflow));
    assert_eq!(status(word | 0xfffff << 43 | 0xfffff << 1, Op::ArriveDropExpectTx, 1), named(Status::TxRange));
    assert_eq!(status(word, Op::Load, 0), named(Status::Ok));
}

#[test]
fn a_posted_request_is_not_answered_and_is_done() {
    let requests = [(Op::Init, 3, 2), (Op::CpAsyncArrive, 3, 0), (Op::Load, 3, 0)].map(Some);
    assert_eq!(answers(&requests), [(0, 0), (0, 0x7ffff800001ffffc)]);
}
