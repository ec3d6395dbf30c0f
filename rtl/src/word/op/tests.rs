//! What the table says of an operation is what the decoder of each build and the self-test's oracle make of it: for every opcode,
//! also of none, every reason to refuse, and operands at their limits. The model of the proofs has been proved to agree (`txbar prove decode`).

use super::sets;
use super::*;
use crate::bank::decode::Decode;
use crate::board::oracle::Oracle;
use crate::hdl::*;
use crate::high_clock::intake::Intake;
use crate::high_clock::kind;
use crate::word::status::Status;
use crate::word::{self, COUNT_MAX};

/// Words of the memory.
const WORDS: usize = 16;

/// A request.
#[derive(Clone, Copy, Debug)]
struct Request {
    code: u64,
    remote: bool,
    misaligned: bool,
    outside: bool,
    data: u64,
}

/// What is to come of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outcome {
    refusal: Status,
    arrivals: u64,
    drops: u64,
    expected: u64,
    completed: u64,
}

impl Outcome {
    const fn refused(refusal: Status) -> Self {
        Outcome { refusal, arrivals: 0, drops: 0, expected: 0, completed: 0 }
    }
}

impl Request {
    fn all() -> impl Iterator<Item = Request> {
        let data = [0, 1, 5, 0xf_ffff, 0x10_0000, 0xffff_ffff, 3 << 43, 1 << 63 | 7];
        let flags = (0..8).map(|flags| [0, 1, 2].map(|bit| flags >> bit & 1 == 1));
        flags.flat_map(move |[remote, misaligned, outside]| {
            let of = move |code| data.map(move |data| Request { code, remote, misaligned, outside, data });
            (0..1 << Op::BITS).flat_map(of)
        })
    }

    fn address(&self) -> u64 {
        0x28 | if self.misaligned { 4 } else { 0 } | if self.outside { WORDS as u64 * 8 } else { 0 }
    }

    /// What the table says of it.
    fn expected(&self) -> Outcome {
        let Some(op) = Op::from_code(self.code) else { return Outcome::refused(Status::IllegalOperation) };
        let meaning = op.meaning();
        let operand = self.data & 0xffff_ffff;
        if self.remote && !meaning.remote {
            return Outcome::refused(Status::RemoteUnsupported);
        }
        if op != Op::PendingCount && self.misaligned {
            return Outcome::refused(Status::Misaligned);
        }
        if op != Op::PendingCount && self.outside {
            return Outcome::refused(Status::OutOfRange);
        }
        if matches!(op.operand(), Operand::Arrivals | Operand::Bytes) && operand > u64::from(COUNT_MAX) {
            return Outcome::refused(Status::OperandRange);
        }
        let of = |amount| match amount {
            Amount::Zero => 0,
            Amount::One => 1,
            Amount::Operand => operand,
        };
        let arrivals = of(meaning.arrives);
        let drops = if meaning.drops { arrivals } else { 0 };
        let (expected, completed) = (of(meaning.expects), of(meaning.completes));
        Outcome { refusal: Status::Ok, arrivals, drops, expected, completed }
    }
}

/// Fails at the first request of which something else comes than the table says.
fn agrees(what: &str, outcome: impl Fn(&Request) -> Outcome) {
    for request in Request::all() {
        assert_eq!(outcome(&request), request.expected(), "{what}: {request:?}");
    }
}

#[test]
fn the_decoder_of_the_low_latency_and_banked_builds() {
    agrees("decode", |request| {
        let mut decode = Decode::default();
        decode.advance.next = true;
        decode.op.d.next = request.code.into();
        decode.remote.d.next = request.remote;
        decode.misaligned.d.next = request.misaligned;
        decode.outside.d.next = request.outside;
        decode.data.d.next = request.data.into();
        decode.tick();
        decode.settle();
        decode.tick();
        let refusal = Status::from_code(decode.refusal.q.val().raw()).expect("it is a status");
        let arrivals = if decode.arrives.q.val() { decode.arrivals.q.val().raw() } else { 0 };
        assert_eq!(refusal == Status::Ok && sets::UPDATING.raw() >> request.code & 1 == 1, decode.updates.q.val());
        Outcome {
            refusal,
            arrivals,
            drops: if decode.leaves.q.val() { arrivals } else { 0 },
            // the field is what is still to come, negated
            expected: if decode.expects.q.val() { decode.tx_negative.q.val().raw() } else { 0 },
            completed: if decode.completes.q.val() { decode.tx.q.val().raw() } else { 0 },
        }
    });
}

#[test]
fn the_decoder_of_the_high_clock_build() {
    agrees("intake", |request| {
        let mut intake = Intake::new(WORDS);
        intake.valid.next = true;
        intake.req.op.next = request.code.into();
        intake.req.remote.next = request.remote;
        intake.req.address.next = request.address().into();
        intake.req.data.next = request.data.into();
        intake.settle();
        intake.tick();
        intake.settle();
        let has = |kind| intake.kind.val().get_bit(kind);
        let operand = intake.negative.val().raw().wrapping_neg() & TxCount::MASK;
        let amount = |of_operand, one| match (has(of_operand), has(one)) {
            (false, false) => 0,
            (false, true) => 1,
            (true, false) => operand,
            (true, true) => panic!("{request:?} is both"),
        };
        let arrivals = amount(kind::COUNTED, kind::SINGLE);
        assert_eq!(has(kind::ARRIVES), arrivals != 0, "{request:?}");
        let refusal = intake.kind.val().raw() >> kind::REFUSAL & ((1 << Status::BITS) - 1);
        Outcome {
            refusal: Status::from_code(refusal).expect("it is a status"),
            arrivals,
            drops: amount(kind::DROPS_COUNTED, kind::DROPS_SINGLE),
            expected: amount(kind::EXPECTS, kind::BEGINS),
            completed: amount(kind::COMPLETES, kind::ENDS),
        }
    });
}

#[test]
fn the_oracle_of_the_self_test() {
    agrees("oracle", |request| {
        let mut oracle = Oracle::of_words();
        oracle.op.next = request.code.into();
        oracle.remote.next = request.remote;
        oracle.misaligned.next = request.misaligned;
        oracle.outside.next = request.outside;
        oracle.data.next = request.data.into();
        // 2^20 - 1 pending and expected, no bytes: whatever is asked of it can be done
        oracle.word.next = (1 << word::PENDING.lsb | 1 << word::EXPECTED.lsb).into();
        oracle.settle();
        let refusal = Status::from_code(oracle.status.val().raw()).expect("it is a status");
        if refusal != Status::Ok {
            return Outcome::refused(refusal);
        }
        let moved = |moves: bool| if moves { oracle.moved.val().raw() } else { 0 };
        Outcome {
            refusal,
            arrivals: oracle.arrivals.val().raw(),
            drops: oracle.drops.val().raw(),
            expected: moved(oracle.expects.val()),
            completed: moved(oracle.completes.val()),
        }
    });
}

#[test]
fn codes_are_dense_and_fit() {
    for (position, op) in Op::ALL.iter().enumerate() {
        assert_eq!(op.code() as usize, position);
        assert_eq!(Op::from_code(position as u64), Some(*op));
    }
    assert_eq!(Op::from_code(Op::ALL.len() as u64), None);
    assert!(Op::ALL.len() <= 1 << Op::BITS);
    assert!(Op::ALL.iter().all(|op| op.short().len() <= 8));
}
