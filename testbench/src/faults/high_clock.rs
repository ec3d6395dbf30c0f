//! Injected faults of the single-port high-clock build; see [`super`].

use super::faults;
use txbar_rtl::high_clock::unit::HighClock;
use txbar_rtl::high_clock::{Deep, kind};
use txbar_rtl::look::Point;

/// Applies a fault to the pipeline, just before the clock edge.
fn settled(unit: &mut HighClock, point: Point, hand: impl FnMut(&mut Deep)) {
    if point == Point::Settled {
        unit.deep.iter_mut().for_each(hand);
    }
}

faults! {
    in HighClock;
    "forward-any-address", "a word is forwarded whatever its address", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.same[2].d.next = deep.train.live[2].q.val());
    }
    "forward-not-three", "the word of the operation three ahead is not forwarded", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.same[2].d.next = false);
    }
    "forward-not-four", "the word of the operation four ahead is not forwarded", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.same[3].d.next = false);
    }
    "forward-not-five", "the word of the operation five ahead is not forwarded", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.same[4].d.next = false);
    }
    "forward-not-six", "the word of the operation six ahead is not forwarded", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.same[5].d.next = false);
    }
    "forward-not-nine", "a read that meets a write of the same word trusts the memory", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.same[8].d.next = false);
    }
    "ahead-one-lost", "what the operation ahead moves is not in the sum", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.ahead1.d.next = 0.into());
    }
    "ahead-two-lost", "what the operation two ahead moves is not in the sum", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.ahead2.d.next = 0.into());
    }
    "store-adds", "what a store replaces is not cleared before", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.keeps.d.next = 0xff.into());
    }
    "flip-one-ahead-unseen", "the operation behind one that completes the phase goes on with the old one", |unit, point, memo| {
        settled(unit, point, |deep| deep.accumulator.after1.d.next = false);
    }
    "flip-two-ahead-unseen", "the operation two behind one that completes the phase goes on with the old one", |unit, point, memo| {
        settled(unit, point, |deep| deep.accumulator.after2.d.next = false);
    }
    "second-flip-missed", "a phase that completes right after another is left with nothing pending", |unit, point, memo| {
        settled(unit, point, |deep| deep.verdict.zero[0].d.next = false);
    }
    "hazard-ignored", "a store and an operation that counts may be as near as they like", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.hazard[0].d.next = false);
    }
    "old-without-ahead", "the word before an operation is without what the one ahead moved", |unit, point, memo| {
        settled(unit, point, |deep| deep.lookahead.behind1[0].d.next = false);
    }
    "flush-ignored", "operations behind a fault are not flushed", |unit, point, memo| {
        settled(unit, point, |deep| {
            deep.verdict.upsets.d.next = false;
            deep.verdict.misses.d.next = false;
        });
    }
    "again-too-late", "the first that is to be done anew is passed over", |unit, point, memo| {
        settled(unit, point, |deep| {
            if deep.verdict.redo.val() {
                deep.verdict.again.d.next = deep.verdict.after.val();
            }
        });
    }
    "flushed-is-done", "an operation right behind a mis-speculation takes effect all the same", |unit, point, memo| {
        settled(unit, point, |deep| deep.verdict.commit.d.next = deep.verdict.valid.val() & !deep.verdict.redo.val());
    }
    "fault-writes", "an operation that faults writes the word", |unit, point, memo| {
        settled(unit, point, |deep| {
            if deep.verdict.commit.d.val() & deep.verdict.kind_p8.val().get_bit(kind::WRITES) {
                deep.verdict.writes_fault.d.next = true;
            }
        });
    }
    "taint-lost", "a posted operation that faults leaves no trace in the word", |unit, point, memo| {
        settled(unit, point, |deep| deep.verdict.taints.d.next = false);
    }
    "answers-overtake", "an answer goes past those that are in the memory", |unit, point, memo| {
        settled(unit, point, |deep| deep.answers.quiet.d.next = true);
    }
    "room-for-all", "requests are accepted whether there is room or not", |unit, point, memo| {
        settled(unit, point, |deep| deep.room.d.next = true);
    }
}
