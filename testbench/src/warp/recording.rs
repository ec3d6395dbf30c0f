//! Recordings of what one instruction of a warp did on an H200, in CSV (see `vectors/README.md`, "Warps").

use super::{Instruction, LANES, Lane};
use crate::silicon::{Argument, BadRecording, Recorded, ResultKind, Row, rows};
use std::io::Read;

/// 300 records for each operation: legal words and operands.
pub const LEGAL: &str = include_str!("../../vectors/h200_warp_legal.csv");
/// 40 records for each operation at and past the limits, with set fault and unused bits.
pub const EDGE: &str = include_str!("../../vectors/h200_warp_edge.csv");
/// 1,300 records of both kinds, also on 32 words and of operations that the others have not.
pub const MORE: &str = include_str!("../../vectors/h200_warp_more.csv");

/// The columns.
pub const HEADER: [&str; 7] =
    ["op", "mask", "word_of_lane", "operand_of_lane", "words_before", "words_after", "results"];

/// Result on the H200.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The kernel died.
    Trap,
    /// The thread continued.
    Done {
        /// The words afterwards.
        words_after: Vec<u64>,
        /// Token, predicate or count of each lane, if the operation gives one.
        results: Option<Vec<u32>>,
    },
}

/// One record: one instruction of a warp on words of its own, which lie side by side from address 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Line of the file, from 1.
    pub line: u64,
    /// The operation, as the recording names it.
    pub op: Recorded,
    /// What is done, in this order: one instruction, or two for what is done in two halves.
    pub instructions: Vec<Instruction>,
    /// The words before.
    pub words_before: Vec<u64>,
    /// Result.
    pub expected: Expected,
}

/// Reads a recording. `file` is its name in errors.
///
/// # Errors
/// The first thing that is not a recording.
pub fn read(file: &str, input: impl Read) -> Result<Vec<Record>, BadRecording> {
    rows(file, input, &[&HEADER], |_, rows| rows.iter().map(record).collect())
}

/// Reads one row.
pub(crate) fn record(row: &Row) -> Result<Record, BadRecording> {
    let op = row.operation()?;
    let words_before = row.hex_list(4, 16, None)?;
    if words_before.len() > LANES {
        return Err(row.bad(4, format!("{} words where {LANES} are the most", words_before.len())));
    }
    let mask = row.hex(1, 8)? as u32;
    if mask == 0 {
        return Err(row.bad(1, "no lane is active: set a bit of the mask for each that is".to_owned()));
    }
    let words = words_of_lanes(row, mask, words_before.len())?;
    if words.len() < LANES && mask >> words.len() != 0 {
        return Err(
            row.bad(1, format!("mask `{}` names a lane that is not there: there are {}", row.fields[1], words.len()))
        );
    }
    let operands = row.hex_list(3, 8, Some(words.len()))?;
    let lanes = words.iter().zip(&operands).enumerate().map(|(number, (word, operand))| {
        let operand = if op.argument == Argument::One { 1 } else { *operand as u32 };
        (mask >> number & 1 == 1).then_some(Lane { address: *word as u32 * 8, operand })
    });
    let lanes: Vec<Option<Lane>> = lanes.collect();
    let instruction =
        |code: &_| Instruction { op: *code, remote: op.remote, elsewhere: op.remote, lanes: lanes.clone() };
    let expected = expected(row, op, &lanes, words_before.len())?;
    Ok(Record { line: row.line, op, instructions: op.ops.iter().map(instruction).collect(), words_before, expected })
}

/// Which word each lane names: a digit each, in base 32. An inactive lane has a digit, too, but names nothing with it.
fn words_of_lanes(row: &Row, mask: u32, words: usize) -> Result<Vec<usize>, BadRecording> {
    let digits = &row.fields[2];
    let count = digits.chars().count();
    if !(1..=LANES).contains(&count) {
        return Err(row.bad(2, format!("word_of_lane has {count} digits: give one for each of 1 to {LANES} lanes")));
    }
    let word = |(lane, digit): (usize, char)| {
        let bad = |problem| row.bad_within(2, lane, problem);
        let word =
            digit.to_digit(32).ok_or_else(|| bad(format!("`{digit}` is not a digit of 0 to 9 and a to v")))? as usize;
        let is_active = mask >> lane & 1 == 1;
        if word < words || !is_active {
            Ok(word)
        } else {
            Err(bad(format!("lane {lane} names word {word}, and there are {words}")))
        }
    };
    digits.chars().enumerate().map(word).collect()
}

fn expected(row: &Row, op: Recorded, lanes: &[Option<Lane>], words: usize) -> Result<Expected, BadRecording> {
    if row.fields[5] == "trap" {
        row.must_be_empty(6, "an instruction that traps gives nothing back")?;
        return Ok(Expected::Trap);
    }
    let words_after = row.hex_list(5, 16, Some(words))?;
    if op.result == ResultKind::None {
        row.must_be_empty(6, &format!("{} gives nothing back", op.name))?;
        return Ok(Expected::Done { words_after, results: None });
    }
    let results = row.hex_list(6, 8, Some(lanes.len()))?;
    for (number, (lane, result)) in lanes.iter().zip(&results).enumerate() {
        if lane.is_none() && *result != 0 {
            return Err(row.bad(6, format!("the result of lane {number} must be 0: it is not active")));
        }
        if op.result == ResultKind::Predicate && *result > 1 {
            return Err(row.bad(6, format!("predicate `{result:x}` of lane {number} is neither 0 nor 1")));
        }
    }
    Ok(Expected::Done { words_after, results: Some(results.into_iter().map(|result| result as u32).collect()) })
}
