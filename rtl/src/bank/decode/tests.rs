//! Decode by hand: requests and the deltas, refusals and answers that become of them.

use super::*;
use Op::*;

/// Decodes one request for a memory of 16 words; the outputs of c2 are at the registers, `writes` is given.
fn decoded(op: u64, address: u64, data: u64, remote: bool) -> (Decode, bool) {
    let mut decode = Decode::default();
    decode.advance.next = true;
    decode.op.d.next = op.into();
    decode.misaligned.d.next = !address.is_multiple_of(8);
    decode.outside.d.next = address >= 0x80;
    decode.data.d.next = data.into();
    decode.remote.d.next = remote;
    decode.strobe.d.next = 0b1000_0001.into();
    decode.tick();
    decode.settle();
    decode.tick();
    decode.settle();
    let writes = decode.writes.val();
    (decode, writes)
}

fn of(op: Op, data: u64) -> Decode {
    decoded(op.code().into(), 0x28, data, false).0
}

fn refusal(op: u64, address: u64, data: u64, remote: bool) -> Status {
    Status::from_code(decoded(op, address, data, remote).0.refusal.q.val().raw()).expect("it is a status")
}

#[test]
fn operations_become_deltas() {
    let deltas = |op, data| {
        let decode = of(op, data);
        let arrivals = if decode.arrives.q.val() { decode.arrivals.q.val().raw() } else { 0 };
        (arrivals, if decode.leaves.q.val() { arrivals } else { 0 }, decode.tx.q.val().raw())
    };
    let minus = |bytes: u64| (1 << 21) - bytes;
    assert_eq!(deltas(Arrive, 3), (3, 0, 0));
    assert_eq!(deltas(Arrive, 0xdead_0000_0003), (3, 0, 0), "the upper half means nothing");
    assert_eq!(deltas(ArriveExpectTx, 64), (1, 0, minus(64)));
    assert_eq!(deltas(ArriveDrop, 3), (3, 3, 0));
    assert_eq!(deltas(ArriveDropExpectTx, 64), (1, 1, minus(64)));
    assert_eq!(deltas(ExpectTx, 64), (0, 0, minus(64)));
    assert_eq!(deltas(ExpectTx, 0), (0, 0, 0));
    assert_eq!(deltas(CompleteTx, 64), (0, 0, 64));
    assert_eq!(deltas(CpAsyncBegin, 99), (0, 0, minus(1)));
    assert_eq!(deltas(CpAsyncEnd, 99), (0, 0, 1));
    assert_eq!(deltas(CpAsyncArrive, 99), (1, 0, 0));
    assert_eq!(deltas(TestWait, 99), (0, 0, 0));
}

#[test]
fn negatives_are_negatives() {
    for data in [0, 1, 5, 0xf_ffff] {
        let decode = of(ArriveDrop, data);
        assert_eq!(decode.arrivals.q.val() + decode.arrivals_negative.q.val(), 0);
        assert_eq!(decode.arrives.q.val(), data != 0);
        for op in [ExpectTx, CompleteTx, CpAsyncBegin, CpAsyncEnd] {
            let decode = of(op, data);
            assert_eq!(decode.tx.q.val() + decode.tx_negative.q.val(), 0);
        }
    }
}

#[test]
fn what_replaces_the_word() {
    let replaced = |op, data| (of(op, data).replace.val().raw(), of(op, data).insert.val().raw());
    assert_eq!(replaced(Load, 7), (0, 0));
    assert_eq!(replaced(Init, 1), (u64::MAX, 0x7ffff800001ffffe));
    assert_eq!(replaced(Store, 0x1122_3344_5566_7788), (0xff00_0000_0000_00ff, 0x1100_0000_0000_0088));
    assert_eq!(replaced(PendingCount, 5 << 43), (u64::MAX, (1 << 20) - 5));
    assert_eq!(replaced(PendingCount, 0), (u64::MAX, 1 << 20), "as the H200 answers");
    let fault = 1 << 42;
    assert_eq!(replaced(BulkCompleteTx, 1 << 20), (fault, fault), "refused, and nobody to tell");
    assert_eq!(replaced(CompleteTx, 1 << 20), (0, 0));
}

#[test]
fn what_is_refused_moves_nothing() {
    for op in [ArriveDropExpectTx, ArriveDrop, ExpectTx, CompleteTx, CpAsyncBegin, CpAsyncEnd, CpAsyncArrive] {
        let (decode, writes) = decoded(op.code().into(), 0x29, 3, false);
        assert!(!writes && !decode.arrives.q.val() && !decode.expects.q.val() && !decode.completes.q.val());
        assert!(!decode.updates.q.val(), "{op:?}");
    }
}

#[test]
fn refusals_come_in_their_order() {
    let wide = u64::from(u32::MAX);
    assert_eq!(refusal(31, 4, wide, true), Status::IllegalOperation);
    assert_eq!(refusal(Init.code().into(), 4, wide, true), Status::RemoteUnsupported);
    assert_eq!(refusal(Init.code().into(), 0x84, wide, false), Status::Misaligned);
    assert_eq!(refusal(Init.code().into(), 0x80, wide, false), Status::OutOfRange);
    assert_eq!(refusal(Init.code().into(), 0x78, wide, false), Status::OperandRange);
    assert_eq!(refusal(Init.code().into(), 0x78, 0xf_ffff, false), Status::Ok);
    assert_eq!(refusal(PendingCount.code().into(), 0x84, wide, false), Status::Ok, "it has no address");
    assert_eq!(refusal(TestWaitParity.code().into(), 0x78, wide, false), Status::Ok, "any parity will do");
}

#[test]
fn only_what_goes_ahead_writes() {
    let writes = |op: Op, address, data| decoded(op.code().into(), address, data, false).1;
    assert!(writes(Arrive, 0x28, 1) && writes(Store, 0x28, 1) && writes(CpAsyncEnd, 0x28, 0));
    assert!(!writes(Load, 0x28, 1) && !writes(TestWait, 0x28, 1) && !writes(Inval, 0x28, 1));
    assert!(!writes(Arrive, 0x29, 1) && !writes(Arrive, 0x28, 1 << 20));
    assert!(writes(BulkCompleteTx, 0x28, 1 << 20), "its fault bit");
}

#[test]
fn what_the_answer_carries() {
    let reveal = |op: Op, remote| {
        let decode = decoded(op.code().into(), 0x28, 1, remote).0;
        (decode.reveal_upper.q.val(), decode.reveal_lower.q.val())
    };
    assert_eq!(reveal(Arrive, false), (true, false));
    assert_eq!(reveal(Arrive, true), (false, false));
    assert_eq!(reveal(Load, true), (true, true));
    assert_eq!(reveal(PendingCount, false), (false, true));
    assert_eq!(reveal(ExpectTx, false), (false, false));
    let phase = |op, data| of(op, data).wait_phase.q.val();
    assert!(phase(TestWait, 1 << 63) && !phase(TestWait, 1));
    assert!(phase(TryWaitParity, 3) && !phase(TryWaitParity, 2 | 1 << 63));
}
