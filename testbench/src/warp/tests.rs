//! The model against the recordings, and properties of every instruction.

use super::check::replay;
use super::{Instruction, Lane, recording};
use crate::model::{Memory, Operation};
use crate::request::Request;
use proptest::prelude::*;
use txbar_rtl::op::Op;
use txbar_rtl::word::{Contents, FAULT};

const WORDS: usize = 4;

#[test]
fn the_model_does_what_the_h200_did() {
    for (name, text, count) in
        [("legal", recording::LEGAL, 6300), ("edge", recording::EDGE, 720), ("more", recording::MORE, 1300)]
    {
        let records = recording::read(name, text.as_bytes()).unwrap();
        let replay = replay(&mut Memory::new(32), &records, |_| {});
        let mismatches: Vec<String> = replay.mismatches.iter().map(ToString::to_string).collect();
        assert_eq!(mismatches, Vec::<String>::new(), "{name}");
        assert_eq!((replay.matched, replay.records), (count, count));
    }
}

fn problem(row: &str) -> String {
    let text = format!("{}\n{row}\n", recording::HEADER.join(","));
    recording::read("x.csv", text.as_bytes()).expect_err("is not a recording").to_string()
}

#[test]
fn what_is_no_recording_is_refused_with_its_place() {
    let first = recording::read("x.csv", "hello\n".as_bytes()).expect_err("is not a recording").to_string();
    assert_eq!(first, format!("x.csv:1:1: the first line must be `{}`", recording::HEADER.join(",")));
    assert_eq!(problem("arrive,1,0,0,0,0"), "x.csv:2:16: 6 columns where 7 are needed");
    assert!(problem("arive,1,0,0,0,0,0").starts_with("x.csv:2:1: unknown operation `arive`; known are "));
    assert_eq!(problem("arrive,0,0,0,0,0,0"), "x.csv:2:8: no lane is active: set a bit of the mask for each that is");
    assert_eq!(
        problem("arrive,4,01,0 0,0 0,0 0,0 0"),
        "x.csv:2:8: mask `4` names a lane that is not there: there are 2"
    );
    assert_eq!(
        problem("arrive,1,,0,0,0,0"),
        "x.csv:2:10: word_of_lane has 0 digits: give one for each of 1 to 32 lanes"
    );
    assert_eq!(problem("arrive,1,0w,0 0,0,0,0 0"), "x.csv:2:11: `w` is not a digit of 0 to 9 and a to v");
    assert_eq!(problem("arrive,3,02,0 0,0 0,0 0,0 0"), "x.csv:2:11: lane 1 names word 2, and there are 2");
    assert_eq!(problem("arrive,1,00,0 zz,0,0,0 0"), "x.csv:2:15: operand_of_lane `zz` is not a hex number");
    assert_eq!(problem("arrive,1,00,0,0,0,0 0"), "x.csv:2:13: operand_of_lane has 1 numbers where 2 are needed");
    assert_eq!(problem("arrive,1,0,0,0,0 1,0"), "x.csv:2:16: words_after has 2 numbers where 1 are needed");
    assert!(problem("arrive,1,0,0,12345678123456789,0,0").contains("has more than 16 hex digits"));
    assert!(problem("arrive,1,0,0,0,trap,0").starts_with("x.csv:2:21: results must be empty"));
    assert!(problem("init,1,0,1,0,0,0").starts_with("x.csv:2:16: results must be empty: init gives nothing back"));
    assert_eq!(problem("test_parity,1,0,0,0,0,2"), "x.csv:2:23: predicate `2` of lane 0 is neither 0 nor 1");
    assert_eq!(problem("arrive,1,00,0 0,0,0,0 5"), "x.csv:2:21: the result of lane 1 must be 0: it is not active");
}

#[test]
fn what_stands_for_inactive_lanes_is_ignored() {
    let read = |row: &str| {
        let text = format!("{}\n{row}\n", recording::HEADER.join(","));
        recording::read("x", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
    };
    let [before, after] = ["7ffff000001ffffc", "7ffff800001ffffc"];
    let row = |words: &str, operands: &str| format!("arrive_n,2,{words},{operands},{before},{after},0 7ffff000 0");
    let records = read(&row("000", "0 1 0"));
    assert_eq!(read(&row("50v", "ffffffff 1 12345")), records);
    assert_eq!(replay(&mut Memory::new(WORDS), &records, |_| {}).matched, 1);
    // they are there all the same, and digits
    assert!(problem(&row("00", "0 1 0")).contains("operand_of_lane has 3 numbers where 2 are needed"));
    assert!(problem(&row("000", "0 1")).contains("operand_of_lane has 2 numbers where 3 are needed"));
    assert!(problem(&row("w00", "0 1 0")).contains("`w` is not a digit of 0 to 9 and a to v"));
    assert!(problem(&row("000", "z 1 0")).contains("operand_of_lane `z` is not a hex number"));
}

#[test]
fn every_kind_of_difference_is_seen() {
    // two lanes arrive on a word with two pending
    let before = "7ffff000001ffffc";
    let row = |after: &str, results: &str| format!("arrive,3,00,0 0,{before},{after},{results}\n");
    let text = recording::HEADER.join(",")
        + "\n"
        + &row("fffff000001ffffc", "7ffff000 7ffff000")
        + &row("fffff000001ffffd", "7ffff000 7ffff000")
        + &row("fffff000001ffffc", "7ffff000 7ffff800")
        + &row("trap", "")
        + "arrive_n,3,00,1 2,7ffff000001ffffc,7ffff000001ffffc,0 0\n";
    let records = recording::read("x", text.as_bytes()).unwrap();
    let replay = replay(&mut Memory::new(WORDS), &records, |_| {});
    assert_eq!((replay.records, replay.matched), (5, 1));
    let told: Vec<String> = replay.mismatches.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "line 3: arrive by lanes 00000003: word 0 after is fffff000001ffffc, the recording has fffff000001ffffd",
            "line 4: arrive by lanes 00000003: the result of lane 1 is 7ffff000, the recording has 7ffff800",
            "line 5: arrive by lanes 00000003: the status of every lane is ok, the recording has a trap",
            "line 6: arrive_n by lanes 00000003: the status of lane 0 is pending_underflow (tag 0), the recording has no trap",
        ]
    );
}

/// A barrier word: every count is stored negative.
fn encoded(phase: bool, pending: u32, tx: i32, expected: u32) -> u64 {
    let negative = |count: i64, bits: u32, lsb: u32| ((-count) as u64 & ((1 << bits) - 1)) << lsb;
    u64::from(phase) << 63
        | negative(pending.into(), 20, 43)
        | negative(tx.into(), 21, 21)
        | negative(expected.into(), 20, 1)
}

/// A word, most often near its limits.
fn word() -> impl Strategy<Value = u64> {
    let count = || prop_oneof![0..8u32, 0..100u32, 0xf_fff0..0x10_0000u32];
    let tx = prop_oneof![Just(0), -100..100i32, -0xf_ffff..-0xf_fff0i32, 0xf_fff0..0x10_0001i32];
    (count(), count(), tx, any::<[bool; 2]>(), 0..8u8).prop_map(|(pending, expected, tx, [phase, unused], fault)| {
        encoded(phase, pending, tx, expected) | u64::from(fault == 0) << FAULT.lsb | u64::from(unused)
    })
}

fn op() -> impl Strategy<Value = Op> {
    let barrier = |op: &Op| !matches!(op, Op::Load | Op::Store);
    prop::sample::select(Op::ALL.iter().copied().filter(barrier).collect::<Vec<_>>())
}

fn operand() -> impl Strategy<Value = u32> {
    prop_oneof![0..4u32, 0..100u32, 0xf_fff0..0x10_0010u32, any::<u32>()]
}

fn lane() -> impl Strategy<Value = Option<Lane>> {
    prop::option::weighted(
        0.7,
        (0..WORDS as u32, operand()).prop_map(|(word, operand)| Lane { address: word * 8, operand }),
    )
}

fn instruction() -> impl Strategy<Value = Instruction> {
    (op(), any::<[bool; 2]>(), prop::collection::vec(lane(), 1..=32))
        .prop_map(|(op, [remote, far], lanes)| Instruction { op, remote, elsewhere: remote && far, lanes })
}

fn memory(words: &[u64]) -> Memory {
    let mut memory = Memory::new(WORDS);
    for (number, word) in words.iter().enumerate() {
        memory.serve(&Request::new(Op::Store, number as u32 * 8).with(*word));
    }
    memory
}

fn words(memory: &Memory) -> Vec<u64> {
    (0..WORDS).map(|number| memory.word(number)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A warp of one active lane is a thread.
    #[test]
    fn one_lane_is_a_thread(before in [word(), word(), word(), word()], op in op(), remote: bool, number in 0..32usize, word in 0..4u32, operand in operand()) {
        let address = word * 8;
        let mut lanes = vec![None; 32];
        lanes[number] = Some(Lane { address, operand });
        let instruction = Instruction { op, remote, elsewhere: remote, lanes };
        let mut warp = memory(&before);
        let told = instruction.execute(&mut warp);
        let mut thread = memory(&before);
        let data = if matches!(op, Op::TestWait | Op::TryWait | Op::PendingCount) { u64::from(operand) << 32 } else { operand.into() };
        let alone = thread.apply(&Operation { op, remote, threads: 1, data, strobe: 0xff }, address, remote);
        prop_assert_eq!(told[number], Some(alone));
        prop_assert_eq!(told.iter().flatten().count(), 1);
        prop_assert_eq!(words(&warp), words(&thread));
    }

    /// Each active lane is told something, nobody else is; no word changes that no lane names.
    #[test]
    fn active_lanes_are_told_and_other_words_stay(before in [word(), word(), word(), word()], instruction in instruction()) {
        let mut memory = memory(&before);
        let told = instruction.execute(&mut memory);
        for (lane, told) in instruction.lanes.iter().zip(&told) {
            prop_assert_eq!(lane.is_some(), told.is_some());
        }
        for (number, (before, after)) in before.iter().zip(words(&memory)).enumerate() {
            let named = instruction.lanes.iter().flatten().any(|lane| lane.address as usize == number * 8);
            prop_assert!(named || *before == after, "word {} changed", number);
        }
    }

    /// Whoever stands where does not matter to what goes by words alone: with the lanes, the answers change places.
    #[test]
    fn lanes_may_change_places(before in [word(), word(), word(), word()], instruction in instruction(), turn in 0..32usize) {
        prop_assume!(!matches!(instruction.op, Op::ArriveNoComplete | Op::ArriveDropNoComplete | Op::Init));
        let (mut here, mut there) = (memory(&before), memory(&before));
        let mut told = instruction.execute(&mut here);
        let mut turned = instruction.clone();
        let turn = turn % turned.lanes.len();
        turned.lanes.rotate_left(turn);
        told.rotate_left(turn);
        prop_assert_eq!(turned.execute(&mut there), told);
        prop_assert_eq!(words(&here), words(&there));
    }

    /// What does not pass a limit or complete a phase comes to the same as lane after lane, but for the tokens.
    #[test]
    fn far_from_every_limit_it_is_one_lane_after_the_other(op in op(), lanes in prop::collection::vec(lane(), 32)) {
        let small = |lane: Option<Lane>| lane.map(|lane| Lane { operand: lane.operand % 100, ..lane });
        let lanes: Vec<_> = lanes.into_iter().map(small).collect();
        let far = encoded(true, 9000, 4000, 9000);
        let (mut at_once, mut in_turn) = (memory(&[far; WORDS]), memory(&[far; WORDS]));
        Instruction { op, remote: false, elsewhere: false, lanes: lanes.clone() }.execute(&mut at_once);
        for number in 0..lanes.len() {
            let mut one = vec![None; 32];
            one[number] = lanes[number];
            Instruction { op, remote: false, elsewhere: false, lanes: one }.execute(&mut in_turn);
        }
        if op != Op::Init {
            prop_assert_eq!(words(&at_once), words(&in_turn));
        }
    }
}

#[test]
fn more_than_is_pending_faults_as_a_whole() {
    let two = encoded(false, 2, 0, 2);
    let lanes = vec![Some(Lane { address: 0, operand: 1 }); 3];
    let mut memory = memory(&[two, 0, 0, 0]);
    let told =
        Instruction { op: Op::Arrive, remote: false, elsewhere: false, lanes: lanes.clone() }.execute(&mut memory);
    assert!(told.iter().all(|told| matches!(told, Some(Err(_)))), "{told:?}");
    assert_eq!(memory.word(0), two);
    // one after the other the same arrivals complete the phase and begin the next
    let mut in_turn = two;
    for lane in lanes.into_iter().flatten() {
        in_turn = crate::model::serve(in_turn, &Request::new(Op::Arrive, 0).with(lane.operand.into()), 64).0;
    }
    assert_eq!((Contents::from(in_turn).phase, Contents::from(in_turn).pending), (true, 1));
    let told = Instruction {
        op: Op::Arrive,
        remote: true,
        elsewhere: true,
        lanes: vec![Some(Lane { address: 0, operand: 3 })],
    }
    .execute(&mut memory);
    assert!(matches!(told[0], Some(Err(_))));
    assert_eq!(memory.word(0), two | 1 << 42, "from another CTA the fault is left in the word");
}
