//! Replays recordings: each record on a word of its own, which is written first and read afterwards.

use crate::model::Memory;
use crate::request::{Request, Response};
use crate::silicon::{Expected, Record, ResultKind};
use std::collections::BTreeMap;
use std::fmt;
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Line of the recording.
    pub line: u64,
    /// The operation, as the recording names it.
    pub op: &'static str,
    /// The word before.
    pub word_before: u64,
    /// What differs.
    pub what: &'static str,
    /// What the H200 did.
    pub expected: String,
    /// What came here.
    pub got: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { line, op, word_before, what, expected, got } = self;
        write!(f, "line {line}: {op} on {word_before:016x}: {what} is {got}, the H200 has {expected}")
    }
}

/// How a replay went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Records replayed.
    pub records: usize,
    /// Records that came out as on the H200.
    pub matched: usize,
    /// The first that did not, at most [`Replay::KEPT`].
    pub mismatches: Vec<Mismatch>,
    /// By operation, as the recording names it: records, and those that matched.
    pub operations: BTreeMap<&'static str, [usize; 2]>,
}

impl Replay {
    /// How many mismatches are kept.
    pub const KEPT: usize = 20;
}

/// Records served in one go: enough to keep a pipeline busy.
const BATCH: usize = 256;

/// Replays `records`; `progress` is told how many are done.
pub fn replay(target: &mut impl Target, records: &[Record], mut progress: impl FnMut(usize)) -> Replay {
    let mut replay = Replay::default();
    for batch in records.chunks(BATCH.min(target.words())) {
        let mut requests = Vec::new();
        for (word, record) in batch.iter().enumerate() {
            requests.extend(requests_of(record, word as u32 * 8));
        }
        let mut responses = target.serve(&requests).into_iter();
        for record in batch {
            let count = record.op.ops.len() + 2;
            let of_operation = replay.operations.entry(record.op.name).or_default();
            of_operation[0] += 1;
            match judge(record, &responses.by_ref().take(count).collect::<Vec<_>>()) {
                None => {
                    replay.matched += 1;
                    of_operation[1] += 1;
                }
                Some(mismatch) if replay.mismatches.len() < Replay::KEPT => replay.mismatches.push(mismatch),
                Some(_) => {}
            }
        }
        replay.records += batch.len();
        progress(replay.records);
    }
    replay
}

/// Store the word, do the operation, load the word.
fn requests_of(record: &Record, address: u32) -> impl Iterator<Item = Request> {
    let Record { op, data, word_before, .. } = *record;
    let operations =
        op.ops.iter().map(move |&code| Request { remote: op.remote, ..Request::new(code, address).with(data) });
    let before = Request::new(Op::Store, address).with(word_before);
    std::iter::once(before).chain(operations).chain([Request::new(Op::Load, address)])
}

/// What differs, if anything does. `responses` are those of [`requests_of`].
fn judge(record: &Record, responses: &[Option<Response>]) -> Option<Mismatch> {
    let mismatch = |what, expected: String, got: String| {
        let Record { line, op, word_before, .. } = *record;
        Some(Mismatch { line, op: op.name, word_before, what, expected, got })
    };
    let [Some(stored), operations @ .., Some(loaded)] = responses else {
        return mismatch("the number of answers", "an answer to the store and the load".into(), "fewer".into());
    };
    if stored.status() != Some(Status::Ok) {
        return mismatch("the store", "ok".into(), stored.to_string());
    }
    let (word_after, result) = match record.expected {
        Expected::Trap => {
            if operations.iter().flatten().all(|response| response.status() == Some(Status::Ok)) {
                return mismatch("the status", "a trap".into(), "ok".into());
            }
            (record.word_before, None)
        }
        Expected::Done { word_after, result } => {
            if let Some(fault) = operations.iter().flatten().find(|response| response.status() != Some(Status::Ok)) {
                return mismatch("the status", "no trap".into(), fault.to_string());
            }
            (word_after, result)
        }
    };
    if loaded.data != word_after {
        return mismatch("the word after", format!("{word_after:016x}"), format!("{:016x}", loaded.data));
    }
    let result = result?;
    let Some(Some(answer)) = operations.last() else {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::silicon;

    #[test]
    fn the_model_does_what_the_h200_did() {
        for (name, text) in [("legal", silicon::LEGAL), ("edge", silicon::EDGE)] {
            let records = silicon::read(name, text.as_bytes()).unwrap();
            let replay = replay(&mut Memory::new(512), &records, |_| {});
            assert_eq!(replay.mismatches, [], "{name}");
            assert_eq!(replay.matched, records.len());
        }
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
        let what: Vec<&str> = replay.mismatches.iter().map(|mismatch| mismatch.what).collect();
        assert_eq!(what, ["the word after", "the result", "the status", "the status", "the result", "the result"]);
        assert_eq!(
            replay.mismatches[0].to_string(),
            "line 2: arrive on 7fffe000001ffff8: the word after is 7fffe800001ffff8, the H200 has 7fffe800001ffff9"
        );
    }
}
