//! Replays recordings of tensor maps, copies and reductions on the model.

use super::copy::{Memories, Place, Trap};
use super::map::TensorMap;
use super::number;
use super::recording::{
    CopyRecord, GLOBAL_BYTES, Kind, MapRecord, Movement, Outcome, Record, ReductionRecord, SHARED_BYTES, listed,
};
use crate::check::{Mismatch, Replay};
use crate::model::{self, Operation};
use txbar_rtl::op::Op;

/// SplitMix64's step: the bytes before a copy, and the digest, are made of it.
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The memories before every copy, shared (1) and global (2): 64-bit words in little-endian bytes.
pub fn pattern(memory: u64, bytes: usize) -> Vec<u8> {
    (0..bytes as u64 / 8).flat_map(|index| mix(index ^ memory << 32).to_le_bytes()).collect()
}

fn word(memory: &[u8], index: usize) -> u64 {
    number(&memory[8 * index..][..8])
}

/// The digest of a memory.
pub fn digest(memory: &[u8]) -> u64 {
    let words = (0..memory.len() / 8).map(|index| mix(word(memory, index).wrapping_add(mix(index as u64))));
    words.fold(0, u64::wrapping_add)
}

/// Records replayed before `progress` is told.
const BATCH: usize = 64;

/// Replays `records`; `progress` is told how many are done.
pub fn replay(records: &[Record], mut progress: impl FnMut(usize)) -> Replay {
    let mut replay = Replay::default();
    let replayer = Replayer::default();
    for record in records {
        replay.count(name(record), replayer.judge(record));
        if replay.records.is_multiple_of(BATCH) {
            progress(replay.records);
        }
    }
    replay
}

/// What a record is called in tables.
fn name(record: &Record) -> &'static str {
    match record {
        Record::Map(_) => "map",
        Record::Copy(copy) => copy.mode,
        Record::Reduction(reduction) => reduction.kind.name(),
    }
}

/// The memories that every copy begins with.
#[derive(Debug)]
pub struct Replayer {
    shared: Vec<u8>,
    global: Vec<u8>,
}

impl Default for Replayer {
    fn default() -> Replayer {
        Replayer { shared: pattern(1, SHARED_BYTES), global: pattern(2, GLOBAL_BYTES) }
    }
}

impl Replayer {
    /// What differs, if anything does.
    pub fn judge(&self, record: &Record) -> Option<Mismatch> {
        match record {
            Record::Map(record) => judge_map(record),
            Record::Copy(record) => self.judge_copy(record),
            Record::Reduction(record) => judge_reduction(record),
        }
    }

    fn judge_copy(&self, record: &CopyRecord) -> Option<Mismatch> {
        let mismatch = |what: &str, expected: String, got: String| {
            let CopyRecord { line, mode, map, at, .. } = record;
            let on = format!("of {} at {}", map.element.name(), listed(at));
            Some(Mismatch { line: *line, op: mode.to_string(), on, what: what.to_owned(), expected, got })
        };
        let (result, memory) = self.copied(record);
        let (counted, expected) = match (result, &record.outcome) {
            (Err(_), None) => return None,
            (Err(trap), Some(_)) => return mismatch("what comes of it", "none".into(), format!("a trap ({trap})")),
            (Ok(_), None) => return mismatch("what comes of it", "a trap".into(), "none".into()),
            (Ok(counted), Some(expected)) => (counted, expected),
        };
        let Outcome { counted: known, digest: sum, after } = expected;
        if counted != *known {
            return mismatch("the number of bytes completed", known.to_string(), counted.to_string());
        }
        for (index, known) in after {
            let got = if 8 * index < memory.len() { word(&memory, *index) } else { 0 };
            if got != *known {
                return mismatch(&format!("word {index:x} after"), format!("{known:016x}"), format!("{got:016x}"));
            }
        }
        let got = digest(&memory);
        if got != *sum {
            return mismatch("the digest of the memory after", format!("{sum:016x}"), format!("{got:016x}"));
        }
        None
    }

    /// Bytes completed, and the memory that a copy writes.
    fn copied(&self, record: &CopyRecord) -> (Result<u64, Trap>, Vec<u8>) {
        let (mut shared, mut global) = (self.shared.clone(), self.global.clone());
        let mut memories = Memories { shared: &mut shared, global: &mut global, origin: 0 };
        let place = Place { at: &record.at, offsets: &record.offsets, shared: record.shared };
        match record.movement {
            Movement::Load => (record.map.load(place, &mut memories), shared),
            Movement::Store(reduction) => (record.map.store(reduction, place, &mut memories).map(|()| 0), global),
        }
    }
}

fn judge_map(record: &MapRecord) -> Option<Mismatch> {
    let MapRecord { line, map, words } = record;
    let mismatch = |what: String, expected: String, got: String| {
        let on = format!("of {} {}", map.element.name(), listed(&map.sizes));
        Some(Mismatch { line: *line, op: "map".to_owned(), on, what, expected, got })
    };
    let (encoded, words) = match (map.encode(), words) {
        (Err(_), None) => return None,
        (Err(error), Some(_)) => return mismatch("the map".into(), "one".into(), format!("refused ({error})")),
        (Ok(_), None) => return mismatch("the map".into(), "refused it".into(), "one".into()),
        (Ok(encoded), Some(words)) => (encoded, words),
    };
    for (index, (expected, got)) in words.iter().zip(&encoded).enumerate() {
        if expected != got {
            return mismatch(format!("word {index}"), format!("{expected:x}"), format!("{got:x}"));
        }
    }
    match TensorMap::decode(words) {
        Ok(decoded) if decoded == *map => None,
        Ok(decoded) => mismatch("what its words mean".into(), format!("{map:?}"), format!("{decoded:?}")),
        Err(error) => mismatch("what its words mean".into(), format!("{map:?}"), format!("refused ({error})")),
    }
}

fn judge_reduction(record: &ReductionRecord) -> Option<Mismatch> {
    let ReductionRecord { line, kind, name, reduction, before, operand, after, words } = record;
    let mismatch = |on: String, what: String, expected: u64, got: u64| {
        let (expected, got) = (format!("{expected:x}"), format!("{got:x}"));
        Some(Mismatch { line: *line, op: kind.name().to_owned(), on, what, expected, got })
    };
    for (index, ((before, operand), after)) in before.iter().zip(operand).zip(after).enumerate() {
        let got = match reduction {
            Some((operation, element)) => operation.apply(*element, *before, *operand),
            None => *operand,
        };
        if got != *after {
            return mismatch(format!("{name} of {before:x} with {operand:x}"), format!("element {index}"), *after, got);
        }
    }
    let (word, word_after) = (*words)?;
    let bytes = before.len() as u64 * reduction.map_or(4, |(_, element)| element.bytes());
    let bulk =
        Operation { op: Op::BulkCompleteTx, remote: *kind != Kind::ToGlobal, threads: 1, data: bytes, strobe: 0xff };
    let got = model::step(word, &bulk).map_or(word, |(word, _)| word);
    if got != word_after {
        return mismatch(format!("{name} on {word:016x}"), "the barrier's word".into(), word_after, got);
    }
    None
}
