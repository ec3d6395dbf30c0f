//! Replay of recordings: each record on a word of its own, which is written before and read afterwards.
//!
//! A recording says that an H200 trapped, not why. The reference model says why, and the engine's status must be that.
//!
//! An operation `r_...` that faults traps if its own CTA asked, and sets the word's fault bit if another one did
//! (`testbench/silicon`). The unit tells the asking port in both cases; that the bit is set is the business of the port that a
//! cluster's network has, so a replay on a unit looks at the status. The tests of clusters look at the bit.

use crate::model::{self, Fault, Memory, Operation};
use crate::request::{Request, Response};
use crate::silicon::pins::Answer;
use crate::silicon::{Expected, Record, ResultKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;
use txbar_rtl::word;

/// Anything that serves requests one after the other.
pub trait Target {
    /// Words of memory that it has.
    fn words(&self) -> usize;
    /// Serves them in order; nothing comes back from a posted one.
    fn serve(&mut self, requests: &[Request]) -> Vec<Option<Response>>;
}

impl Target for Memory {
    fn words(&self) -> usize {
        self.len()
    }
    fn serve(&mut self, requests: &[Request]) -> Vec<Option<Response>> {
        requests.iter().map(|request| self.serve(request).response).collect()
    }
}

/// A record that came out differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Line of the recording.
    pub line: u64,
    /// The operation, as the recording names it.
    #[serde(rename = "operation")]
    pub op: String,
    /// The word before, or the lanes that did it.
    pub on: String,
    /// Kind of difference.
    #[serde(rename = "field")]
    pub what: String,
    /// Result in the recording.
    pub expected: String,
    /// Result here.
    pub got: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { line, op, on, what, expected, got } = self;
        write!(f, "line {line}: {op} {on}: {what} is {got}, the recording has {expected}")
    }
}

/// Result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Records replayed.
    pub records: usize,
    /// Records that came out as recorded.
    pub matched: usize,
    /// The first that did not, at most [`Replay::KEPT`].
    pub mismatches: Vec<Mismatch>,
    /// By operation, as the recording names it: records, and those that matched.
    pub operations: BTreeMap<&'static str, [usize; 2]>,
}

impl Replay {
    /// How many mismatches are kept.
    pub const KEPT: usize = 20;

    /// Adds how further records of the recording came out.
    pub fn add(&mut self, other: Replay) {
        self.records += other.records;
        self.matched += other.matched;
        self.mismatches.extend(other.mismatches);
        self.mismatches.truncate(Replay::KEPT);
        for (op, [records, matched]) in other.operations {
            let of_operation = self.operations.entry(op).or_default();
            of_operation[0] += records;
            of_operation[1] += matched;
        }
    }

    /// One more record has been replayed.
    pub(crate) fn count(&mut self, op: &'static str, mismatch: Option<Mismatch>) {
        let of_operation = self.operations.entry(op).or_default();
        self.records += 1;
        of_operation[0] += 1;
        match mismatch {
            None => {
                self.matched += 1;
                of_operation[1] += 1;
            }
            Some(mismatch) if self.mismatches.len() < Replay::KEPT => self.mismatches.push(mismatch),
            Some(_) => {}
        }
    }
}

/// Records served in one go: enough to keep a pipeline busy.
const BATCH: usize = 256;

/// Replays `records`; `progress` is told how many are done.
pub fn replay(target: &mut impl Target, records: &[Record], mut progress: impl FnMut(usize)) -> Replay {
    let mut replay = Replay::default();
    for batch in records.chunks(BATCH.min(target.words())) {
        for (record, served) in batch.iter().zip(serve(target, batch)) {
            replay.count(record.op.name, judge(record, &served));
        }
        progress(replay.records);
    }
    replay
}

/// What a record was answered with.
#[derive(Clone, Copy, Debug, Default)]
struct Served {
    stored: Option<Response>,
    /// Nothing comes of a posted operation.
    operation: Option<Response>,
    loaded: Option<Response>,
}

/// Stores the words, does the operations, loads the words. Where a record is two operations, the second is done unless the
/// first has faulted.
fn serve(target: &mut impl Target, batch: &[Record]) -> Vec<Served> {
    let numbered = || batch.iter().zip((0u32..).step_by(8));
    let mut requests = Vec::new();
    for (record, address) in numbered() {
        let before = Request::new(Op::Store, address).with(record.word_before);
        requests.extend([before, request_of(record, 0, address)]);
    }
    let first = target.serve(&requests);
    let mut served: Vec<Served> = Vec::new();
    let mut requests = Vec::new();
    for ((record, address), answers) in numbered().zip(first.chunks(2)) {
        let done = Served { stored: answers[0], operation: answers[1], loaded: None };
        if record.op.ops.len() > 1 && done.operation.is_none_or(|answer| answer.status() == Some(Status::Ok)) {
            requests.push(request_of(record, 1, address));
        }
        requests.push(Request::new(Op::Load, address));
        served.push(done);
    }
    let loads =
        requests.iter().zip(target.serve(&requests)).filter(|(request, _)| request.operation() == Some(Op::Load));
    for (served, (_, answer)) in served.iter_mut().zip(loads) {
        served.loaded = answer;
    }
    served
}

fn request_of(record: &Record, number: usize, address: u32) -> Request {
    let Record { op, data, strobe, .. } = *record;
    Request { remote: op.remote, strobe, ..Request::new(op.ops[number], address).with(data) }
}

/// Why the H200 refused it, by the rules of the recordings; or nothing, if the operation is not refused or not answered.
fn cause_of(record: &Record) -> Option<Fault> {
    let Record { op, data, word_before, .. } = *record;
    model::step(word_before, &Operation { op: op.ops[0], remote: op.remote, data, threads: 1, strobe: 0xff }).err()
}

/// What differs, if anything does.
fn judge(record: &Record, served: &Served) -> Option<Mismatch> {
    let mismatch = |what: &str, expected: String, got: String| {
        let Record { line, op, word_before, .. } = *record;
        Some(Mismatch {
            line,
            op: op.name.to_owned(),
            on: format!("on {word_before:016x}"),
            what: what.into(),
            expected,
            got,
        })
    };
    let Served { stored: Some(stored), operation, loaded: Some(loaded) } = served else {
        return mismatch("the number of answers", "an answer to the store and the load".into(), "fewer".into());
    };
    if stored.status() != Some(Status::Ok) {
        return mismatch("the store", "ok".into(), stored.to_string());
    }
    if let Expected::Pins { word_after, answer } = record.expected {
        let [field, expected, got] = differs(word_after, &answer, *operation, loaded)?;
        return mismatch(&field, expected, got);
    }
    let got = operation.map_or(Some(Status::Ok), |answer| answer.status());
    let name = || got.map_or("no status", Status::name).to_owned();
    let marked = record.word_before | word::FAULT.mask();
    let (word_after, result) = match (record.expected, cause_of(record)) {
        (Expected::Trap, None) => return mismatch("the fault", "a trap".into(), "none that the rules know".into()),
        (Expected::Trap, Some(cause)) if got != Some(cause.status()) => {
            return mismatch("the status", format!("a trap ({}: {cause})", cause.status().name()), name());
        }
        (Expected::Done { word_after, .. }, Some(cause)) if record.op.remote && word_after == marked => {
            if got != Some(cause.status()) {
                let expected = format!("a fault from another CTA ({}: {cause})", cause.status().name());
                return mismatch("the status", expected, name());
            }
            (record.word_before, None)
        }
        (Expected::Trap, Some(_)) => (record.word_before, None),
        (Expected::Done { .. }, _) if got != Some(Status::Ok) => {
            return mismatch("the status", "no trap".into(), name());
        }
        (Expected::Done { word_after, result }, _) => (word_after, result),
        (Expected::Pins { word_after, .. }, _) => (word_after, None), // they have been compared
    };
    if loaded.data != word_after {
        return mismatch("the word after", format!("{word_after:016x}"), format!("{:016x}", loaded.data));
    }
    let result = result?;
    let Some(answer) = operation else {
        return mismatch("the answer", format!("{result:x}"), "none".into());
    };
    let got = match record.op.result {
        ResultKind::Token => (answer.data >> 32) as u32,
        ResultKind::Count => answer.data as u32,
        ResultKind::Predicate => answer.predicate as u32,
        ResultKind::None => return None,
    };
    if got == result { None } else { mismatch("the result", format!("{result:x}"), format!("{got:x}")) }
}

/// The first pin of somebody's own unit that differs, what it has there, and what here.
fn differs(word_after: u64, answer: &Answer, operation: Option<Response>, loaded: &Response) -> Option<[String; 3]> {
    let differs =
        |field: &str, expected: String, got: String| (expected != got).then(|| [field.to_owned(), expected, got]);
    let status = answer.status.map(Status::name);
    let answered = |what: fn(&Response) -> String| operation.as_ref().map_or("none".to_owned(), what);
    let got = answered(|answer| answer.status().map_or("no status", Status::name).to_owned());
    status
        .and_then(|status| differs("rsp_status", status.to_owned(), got))
        .or_else(|| differs("word_after", format!("{word_after:016x}"), format!("{:016x}", loaded.data)))
        .or_else(|| {
            let got = answered(|answer| u8::from(answer.predicate).to_string());
            differs("rsp_predicate", u8::from(answer.predicate?).to_string(), got)
        })
        .or_else(|| {
            let [carries, data] = answer.data?;
            let got = operation.map_or("none".to_owned(), |answer| format!("{:016x}", answer.data & carries));
            differs("rsp_data", format!("{data:016x}"), got)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::silicon;

    #[test]
    fn the_model_does_what_the_h200_did() {
        for (name, text) in silicon::RECORDINGS {
            let records = silicon::read(name, text.as_bytes()).unwrap();
            let replay = replay(&mut Memory::new(512), &records, |_| {});
            assert_eq!(replay.mismatches, [], "{name}");
            assert_eq!(replay.matched, records.len());
        }
    }

    /// A memory whose faults all have this cause.
    struct Blames(Memory, Status);

    impl Target for Blames {
        fn words(&self) -> usize {
            self.0.words()
        }
        fn serve(&mut self, requests: &[Request]) -> Vec<Option<Response>> {
            let blamed = |answer: Response| match answer.status() {
                Some(Status::Ok) => answer,
                _ => Response { status: self.1.code(), ..answer },
            };
            Target::serve(&mut self.0, requests).into_iter().map(|answer| answer.map(blamed)).collect()
        }
    }

    #[test]
    fn a_trap_has_a_cause() {
        let text = "op,arg,word_before,token,word_after,result\n\
            arrive_n,3,7ffff000001ffffc,,trap,\n\
            cpasync,,7ffffc00001ffffe,,trap,\n\
            cpasync,,7ffffa00001ffffe,,trap,\n\
            r_arrive_n,3,7ffff000001ffffc,,7ffff400001ffffc,\n";
        let records = silicon::read("x", text.as_bytes()).unwrap();
        assert_eq!(replay(&mut Memory::new(16), &records, |_| {}).mismatches, []);
        let blamed = |cause| replay(&mut Blames(Memory::new(16), cause), &records, |_| {});
        let lines = |replay: &Replay| replay.mismatches.iter().map(|mismatch| mismatch.line).collect::<Vec<_>>();
        assert_eq!(lines(&blamed(Status::PendingUnderflow)), [3, 4]);
        assert_eq!(lines(&blamed(Status::FaultedWord)), [2, 4, 5]);
        let replay = blamed(Status::TxRange);
        assert_eq!(lines(&replay), [2, 3, 5]);
        assert_eq!(
            replay.mismatches[0].to_string(),
            "line 2: arrive_n on 7ffff000001ffffc: the status is tx_range, the recording has a trap (pending_underflow: 3 \
             arrivals where 2 are pending)"
        );
    }

    #[test]
    fn every_kind_of_difference_is_seen() {
        let text = "op,arg,word_before,token,word_after,result\n\
            arrive,,7fffe000001ffff8,,7fffe800001ffff9,7fffe000\n\
            arrive,,7fffe000001ffff8,,7fffe800001ffff8,7fffe001\n\
            arrive,,7fffe000001ffff8,,trap,\n\
            arrive,,0000000000000000,,0000000000000000,00000000\n\
            test_parity,0,7fffe000001ffff8,,7fffe000001ffff8,1\n\
            pending,,0,084e4dbd97161a98,0,ef638\n\
            arrive,,7fffe000001ffff8,,7fffe800001ffff8,7fffe000\n";
        let records = silicon::read("x", text.as_bytes()).unwrap();
        let replay = replay(&mut Memory::new(16), &records, |_| {});
        assert_eq!((replay.records, replay.matched), (7, 1));
        let operations = [("arrive", [5, 1]), ("pending", [1, 0]), ("test_parity", [1, 0])];
        assert_eq!(replay.operations, operations.into());
        let what: Vec<&str> = replay.mismatches.iter().map(|mismatch| mismatch.what.as_str()).collect();
        assert_eq!(what, ["the word after", "the result", "the fault", "the status", "the result", "the result"]);
        assert_eq!(
            replay.mismatches[0].to_string(),
            "line 2: arrive on 7fffe000001ffff8: the word after is 7fffe800001ffff8, the recording has 7fffe800001ffff9"
        );
    }
}
