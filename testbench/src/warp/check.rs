//! Replays recordings of warps: each on words of its own, which are written first and read afterwards.

use super::recording::{Expected, Record};
use super::{Instruction, LANES};
use crate::check::{Mismatch, Replay};
use crate::model::{self, Memory};
use crate::request::{Request, Response};
use crate::silicon::ResultKind;
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;

/// Anything that executes instructions of warps.
pub trait Target {
    /// Words of memory that it has.
    fn words(&self) -> usize;
    /// Lanes of a warp.
    fn lanes(&self) -> usize;
    /// Stores words, side by side from address 0; executes instructions one after the other; loads the words.
    fn execute(&mut self, words: &[u64], instructions: &[Instruction]) -> Seen;
}

/// Results of instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// What each lane was answered, for each instruction; nothing if it was not active, or what it did is posted.
    pub answers: Vec<Vec<Option<Response>>>,
    /// The words afterwards.
    pub words: Vec<u64>,
}

/// Whether a lane was told of a fault: the kernel is dead then, and there is no second half.
pub(super) fn faults(answers: &[Vec<Option<Response>>]) -> bool {
    answers.iter().flatten().flatten().any(|answer| answer.status() != Some(Status::Ok))
}

impl Target for Memory {
    fn words(&self) -> usize {
        self.len()
    }

    fn lanes(&self) -> usize {
        super::LANES
    }

    fn execute(&mut self, words: &[u64], instructions: &[Instruction]) -> Seen {
        for (number, word) in words.iter().enumerate() {
            self.serve(&Request::new(Op::Store, number as u32 * 8).with(*word));
        }
        let mut answers = Vec::new();
        for instruction in instructions {
            let told = instruction.execute(self);
            answers.push(told.into_iter().map(|told| model::response(&told?, 0)).collect());
            if faults(&answers) {
                break;
            }
        }
        Seen { answers, words: (0..words.len()).map(|number| self.word(number)).collect() }
    }
}

/// Records replayed before `progress` is told.
const BATCH: usize = 64;

/// Replays `records`; `progress` is told how many are done.
pub fn replay(target: &mut dyn Target, records: &[Record], mut progress: impl FnMut(usize)) -> Replay {
    let mut replay = Replay::default();
    for record in records {
        let seen = target.execute(&record.words_before, &record.instructions);
        replay.count(record.op.name, judge(record, &seen));
        if replay.records.is_multiple_of(BATCH) {
            progress(replay.records);
        }
    }
    replay
}

/// What differs, if anything does.
fn judge(record: &Record, seen: &Seen) -> Option<Mismatch> {
    let mismatch = |what: String, expected: String, got: String| {
        let on = format!("by lanes {:08x}", record.instructions[0].mask());
        Some(Mismatch { line: record.line, op: record.op.name.to_owned(), on, what, expected, got })
    };
    let lanes = |answers: &[Option<Response>]| answers.iter().copied().enumerate().collect::<Vec<_>>();
    let all: Vec<(usize, Response)> =
        seen.answers.iter().flat_map(|answers| lanes(answers)).filter_map(|(lane, got)| Some((lane, got?))).collect();
    // nobody dies of what is done to another CTA's words: the fault is left there
    let traps = !record.op.remote;
    let fault = all.iter().find(|(_, response)| traps && response.status() != Some(Status::Ok));
    // a recording does not say why: the reference model does
    let known = Memory::new(LANES).execute(&record.words_before, &record.instructions);
    let status = |answer: Option<Response>| answer.and_then(|answer| answer.status()).map_or("none", Status::name);
    let causes = known.answers[0].iter().zip(seen.answers.first().into_iter().flatten()).enumerate();
    for (lane, (known, got)) in causes {
        if fault.is_some() || record.op.remote {
            let (known, got) = (status(*known), status(*got));
            if known != got {
                return mismatch(format!("the status of lane {lane}"), known.to_owned(), got.to_owned());
            }
        }
    }
    let (words_after, results) = match (&record.expected, fault) {
        (Expected::Trap, Some(_)) => return None,
        (Expected::Trap, None) => return mismatch("the status of every lane".into(), "a trap".into(), "ok".into()),
        (Expected::Done { .. }, Some((lane, response))) => {
            return mismatch(format!("the status of lane {lane}"), "no trap".into(), response.to_string());
        }
        (Expected::Done { words_after, results }, None) => (words_after, results),
    };
    for (number, (expected, got)) in words_after.iter().zip(&seen.words).enumerate() {
        if expected != got {
            return mismatch(format!("word {number} after"), format!("{expected:016x}"), format!("{got:016x}"));
        }
    }
    let active = record.instructions.last()?.lanes.iter();
    for (number, (lane, expected)) in active.zip(results.as_ref()?).enumerate() {
        let answer = seen.answers.last().and_then(|answers| *answers.get(number)?);
        let Some(answer) = answer else {
            if lane.is_some() {
                return mismatch(format!("the answer of lane {number}"), format!("{expected:x}"), "none".into());
            }
            continue;
        };
        let got = match record.op.result {
            ResultKind::Token => (answer.data >> 32) as u32,
            ResultKind::Count => answer.data as u32,
            ResultKind::Predicate => answer.predicate as u32,
            ResultKind::None => continue,
        };
        if got != *expected {
            return mismatch(format!("the result of lane {number}"), format!("{expected:x}"), format!("{got:x}"));
        }
    }
    None
}
