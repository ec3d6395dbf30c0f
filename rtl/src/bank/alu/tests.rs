//! The ALU by hand: what operations right behind each other make of a word.

use super::*;
use crate::word::Contents;

/// init(2), as recorded on an H200.
const TWO: u64 = 0x7ffff000001ffffc;

/// Deltas in natural numbers; `None` is an operation that moves no counts.
type Delta = Option<(u32, u32, i32)>;

fn drive(alu: &mut Alu, delta: Delta) {
    let negative = |value: i64, bits: u32| ((-value) as u64) & ((1 << bits) - 1);
    let (arrivals, drops, bytes) = delta.unwrap_or((0, 0, 0));
    alu.arrivals.next = (arrivals as u64).into();
    alu.arrivals_negative.next = negative(arrivals.into(), 20).into();
    alu.drops.next = (drops as u64).into();
    alu.drops_negative.next = negative(drops.into(), 20).into();
    alu.tx.next = negative(bytes.into(), 21).into();
    alu.tx_negative.next = negative(-i64::from(bytes), 21).into();
    alu.updates.next = delta.is_some();
    alu.replace.next = 0.into();
    alu.insert.next = 0.into();
}

/// Operations right behind each other, all on one word; gives the word after each, and whether it faulted.
fn in_a_row(word: u64, marks: bool, deltas: &[Delta]) -> Vec<(u64, bool)> {
    let mut alu = Alu::default();
    alu.advance.next = true;
    alu.moves_on.next = true;
    let mut results = Vec::new();
    for cycle in 0..deltas.len() + 2 {
        alu.settle();
        if cycle >= 2 {
            let faults = alu.pending_fault.val() | alu.expected_fault.val() | alu.tx_fault.val();
            results
                .push((alu.word.val().raw(), alu.moves.q.val() & (faults | alu.old.q.val().get_bit(word::FAULT.lsb))));
        }
        // the first word is fetched, and every later one comes from the operation ahead; what is fetched then is stale
        alu.fetched.next = if cycle == 0 { word.into() } else { 0x0123_4567_89ab_cdef.into() };
        alu.followed.next = (1..deltas.len()).contains(&cycle);
        alu.marks.next = marks;
        drive(&mut alu, cycle.checked_sub(1).and_then(|position| *deltas.get(position)?));
        alu.settle();
        alu.tick();
    }
    results
}

#[test]
fn an_operation_sees_the_outcome_of_the_one_ahead() {
    let arrive = Some((1, 0, 0));
    let words = in_a_row(TWO, false, &[arrive, None, arrive, arrive, Some((2, 0, 0)), arrive, arrive, arrive]);
    let seen: Vec<(bool, u32, bool)> = words
        .iter()
        .map(|(word, fault)| (Contents::from(*word).phase, Contents::from(*word).pending, *fault))
        .collect();
    let expected = [
        (false, 1, false),
        (false, 1, false), // moves nothing
        (true, 2, false),  // flips
        (true, 1, false),
        (true, 1, true), // two arrivals where one is pending: refused, and the word holds
        (false, 2, false),
        (false, 1, false),
        (true, 2, false),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn the_tx_count_holds_the_phase_back_and_may_come_early() {
    let words = in_a_row(TWO, false, &[Some((0, 0, -5)), Some((2, 0, 0)), Some((0, 0, 8)), Some((0, 0, -3))]);
    let seen: Vec<(bool, u32, i32)> = words
        .iter()
        .map(|(word, _)| (Contents::from(*word).phase, Contents::from(*word).pending, Contents::from(*word).tx))
        .collect();
    assert_eq!(seen, [(false, 2, -5), (false, 0, -5), (false, 0, 3), (true, 2, 0)]);
}

#[test]
fn limits_of_the_tx_count_are_those_of_the_h200() {
    let most = i32::pow(2, 20) - 1;
    let faults = |deltas: &[Delta]| in_a_row(TWO, false, deltas).iter().map(|(_, fault)| *fault).collect::<Vec<_>>();
    assert_eq!(faults(&[Some((0, 0, most)), Some((0, 0, 1)), Some((0, 0, 1))]), [false, false, true]);
    assert_eq!(faults(&[Some((0, 0, -most)), Some((0, 0, -1))]), [false, true]);
}

#[test]
fn a_marking_fault_taints_the_word_and_everything_behind_it_faults() {
    let words = in_a_row(TWO, true, &[Some((3, 0, 0)), Some((1, 0, 0)), None]);
    assert_eq!(words, [(TWO | 1 << 42, true), (TWO | 1 << 42, true), (TWO | 1 << 42, false)]);
}

#[test]
fn a_drop_that_completes_is_in_the_reload() {
    let words = in_a_row(TWO, false, &[Some((1, 1, 0)), Some((1, 0, 0)), Some((1, 1, 0)), Some((1, 1, 0))]);
    let seen: Vec<(u32, u32, bool)> = words
        .iter()
        .map(|(word, fault)| (Contents::from(*word).pending, Contents::from(*word).expected, *fault))
        .collect();
    assert_eq!(seen, [(1, 1, false), (1, 1, false), (0, 0, false), (0, 0, true)]);
}
