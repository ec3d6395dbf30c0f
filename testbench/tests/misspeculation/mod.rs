//! Mis-speculation in the single-port high-clock build: every operation that may flush those behind it, ahead of every operation
//! that may be flushed.

use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::check::Target;
use txbar_testbench::engine::{Engine, Serial};
use txbar_testbench::model::Memory;
use txbar_testbench::request::Request;

/// Every operation that may cause a flush, at every distance ahead of every one that may be flushed, with others on other words in
/// between: as the model says.
pub fn at_every_distance<E: Engine>(target: &mut Serial<E>) {
    let Parameters { banks, words, .. } = *target.0.parameters();
    // all words are in one bank
    let at = |word: u32| word * 8 * banks as u32;
    let word = |phase: u64, pending: u64, fault: u64, tx: u64, expected: u64| {
        phase << 63
            | (0u64.wrapping_sub(pending) & 0xf_ffff) << 43
            | fault << 42
            | tx << 21
            | (0u64.wrapping_sub(expected) & 0xf_ffff) << 1
    };
    // a word, and what happens to it: flips, faults of each kind, stores of all bytes and of some
    let causes: Vec<(u64, Request)> = {
        let on = |op: Op, data: u64| Request::new(op, at(1)).with(data);
        let part = |strobe: u8| Request { strobe, ..on(Op::Store, 0x8000_17ff_fff0_0003) };
        vec![
            (word(0, 1, 0, 0, 2), on(Op::Arrive, 1)),
            (word(1, 2, 0, 0, 1), on(Op::Arrive, 2)),
            (word(0, 1, 0, 0, 1), on(Op::ArriveDrop, 1)),
            (word(0, 0, 0, 5, 3), on(Op::ExpectTx, 5)),
            (word(0, 1, 0, 0, 1), on(Op::Arrive, 2)),
            (word(0, 3, 0, 0, 1), on(Op::ArriveDrop, 2)),
            (word(0, 3, 0, 1 << 20, 1), on(Op::ExpectTx, 1)),
            (word(0, 3, 1, 0, 3), on(Op::Arrive, 1)),
            (word(0, 0, 0, 0, 3), on(Op::CpAsyncArrive, 0)),
            (word(0, 3, 0, 0, 3), on(Op::BulkCompleteTx, 1 << 20)),
            (word(0, 3, 0, 0, 3), on(Op::Init, 1)),
            (word(0, 3, 0, 0, 3), on(Op::Init, 0)),
            (word(0, 3, 0, 0, 3), on(Op::Store, word(1, 1, 0, 0, 1))),
            (word(0, 3, 0, 0, 3), part(0b0110_1001)),
            (word(0, 1, 0, 0, 3), part(0b0000_0001)),
            (word(0, 3, 0, 0, 3), part(0)),
            (word(0, 3, 0, 0, 3), on(Op::PendingCount, word(0, 9, 0, 0, 0))),
            (word(0, 2, 0, 0, 2), on(Op::Arrive, 1)),
        ]
    };
    for (before, cause) in &causes {
        for distance in 1..=11u32 {
            for op in Op::ALL {
                for data in [0, 1, 1 << 20] {
                    let follower = Request { strobe: 0b1011_0111, ..Request::new(*op, at(1)).with(data << 32 | data) };
                    let mut all = vec![Request::new(Op::Store, at(1)).with(*before)];
                    all.extend((0..12).map(|_| Request::new(Op::Load, at(3))));
                    all.push(*cause);
                    let between = |step| Request::new(if step % 2 == 0 { Op::Arrive } else { Op::Load }, at(4)).with(1);
                    all.extend((1..distance).map(between));
                    all.extend([follower, Request::new(Op::Arrive, at(1)).with(1), Request::new(Op::Load, at(1))]);
                    all.extend((0..14).map(|_| Request::new(Op::Load, at(1))));
                    let mut model = Memory::new(words);
                    // what earlier rounds left in the other words does not matter
                    all.insert(0, Request::new(Op::Init, at(4)).with(100));
                    all.insert(0, Request::new(Op::Init, at(3)).with(1));
                    let expected = Target::serve(&mut model, &all);
                    for ((request, expected), got) in all.iter().zip(&expected).zip(target.serve(&all)) {
                        let agree = match (expected, got) {
                            (Some(expected), Some(got)) => got.agrees_with(expected),
                            (expected, got) => *expected == got,
                        };
                        let what = format!("{cause} on {before:016x}, {distance} ahead of {follower}");
                        assert!(agree, "{what}: {request} is answered {got:?}, not {expected:?}");
                    }
                }
            }
        }
    }
}
