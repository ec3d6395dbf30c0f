//! Recordings of tensor maps, tensor copies and reductions, in CSV. The columns are in `testbench/silicon/tensor/README.md`.

use super::element::Element;
use super::map::{Shape, TensorMap, WORDS};
use super::reduce::Operation;
use crate::silicon::{BadRecording, Row, rows};
use std::fmt::Display;
use std::io::Read;
use std::str::FromStr;

/// Columns of the parameters of a map, with which maps and copies begin.
const PARAMETERS: [&str; 11] =
    ["mode", "type", "sizes", "strides", "box", "element_strides", "interleave", "swizzle", "fill", "l2", "corners"];
/// Columns of tensor maps.
pub const MAPS: [&str; 13] = with_parameters(&["address", "words"]);
/// Columns of tensor copies.
pub const COPIES: [&str; 18] =
    with_parameters(&["global_offset", "shared_offset", "at", "offsets", "counted", "digest", "after"]);
/// Columns of reductions of a few elements.
pub const REDUCTIONS: [&str; 7] = ["kind", "operation", "before", "operand", "after", "word_before", "word_after"];

/// The columns of a map's parameters, and others behind them.
const fn with_parameters<const N: usize>(others: &[&'static str]) -> [&'static str; N] {
    assert!(N == PARAMETERS.len() + others.len());
    let (mut all, mut column) = ([""; N], 0);
    while column < N {
        let behind = column.checked_sub(PARAMETERS.len());
        all[column] = match behind {
            Some(other) => others[other],
            None => PARAMETERS[column],
        };
        column += 1;
    }
    all
}

/// Bytes of shared memory of a recorded copy.
pub const SHARED_BYTES: usize = 32_768;
/// Bytes of global memory of a recorded copy.
pub const GLOBAL_BYTES: usize = 65_536;

/// A record of any of the three kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// What the driver made of the parameters of a map.
    Map(MapRecord),
    /// Result of a copy.
    Copy(CopyRecord),
    /// What a reduction of a few elements did, or a store that completes on a barrier.
    Reduction(ReductionRecord),
}

/// What the driver made of the parameters of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapRecord {
    /// Line of the file, from 1.
    pub line: u64,
    /// The parameters.
    pub map: TensorMap,
    /// The words, or nothing where it refused them.
    pub words: Option<[u64; WORDS]>,
}

/// Kind of copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// Global to shared memory; by im2col, if the map is one of it.
    Load,
    /// Shared to global memory, or a reduction with what is there.
    Store(Option<Operation>),
}

/// Result of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyRecord {
    /// Line of the file, from 1.
    pub line: u64,
    /// As the recording calls it.
    pub mode: &'static str,
    /// Kind of copy.
    pub movement: Movement,
    /// The map; its address is that from the start of global memory.
    pub map: TensorMap,
    /// Address of the copy in shared memory.
    pub shared: u64,
    /// Coordinates, innermost first.
    pub at: Vec<i32>,
    /// Offsets of im2col.
    pub offsets: Vec<u32>,
    /// What came of it; nothing if the kernel died.
    pub outcome: Option<Outcome>,
}

/// Result of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Bytes that were completed on the barrier.
    pub counted: u64,
    /// Digest of the memory that it wrote.
    pub digest: u64,
    /// Of some records: each 64-bit word that changed, with its number.
    pub after: Vec<(usize, u64)>,
}

/// How a reduction reached the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `cp.reduce.async.bulk` to global memory.
    ToGlobal,
    /// `cp.reduce.async.bulk` to another CTA.
    ToCluster,
    /// `red.async`.
    Red,
    /// `st.async`.
    St,
}

impl Kind {
    const ALL: [(Kind, &'static str); 4] =
        [(Kind::ToGlobal, "to_global"), (Kind::ToCluster, "to_cluster"), (Kind::Red, "red"), (Kind::St, "st")];

    /// As recordings call it.
    pub fn name(self) -> &'static str {
        Kind::ALL.into_iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// Result of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReductionRecord {
    /// Line of the file, from 1.
    pub line: u64,
    /// Kind of reduction.
    pub kind: Kind,
    /// Operation and type, as PTX writes them.
    pub name: String,
    /// The reduction and its type; nothing for a store.
    pub reduction: Option<(Operation, Element)>,
    /// The elements before.
    pub before: Vec<u64>,
    /// The operands.
    pub operand: Vec<u64>,
    /// The elements after.
    pub after: Vec<u64>,
    /// The barrier's word before and after, if it completes on one.
    pub words: Option<(u64, u64)>,
}

/// Reads a recording of any of the three kinds. `file` is its name in errors.
///
/// # Errors
/// The first thing that is not a recording.
pub fn read(file: &str, input: impl Read) -> Result<Vec<Record>, BadRecording> {
    rows(file, input, &[&MAPS, &COPIES, &REDUCTIONS], |which, rows| rows.iter().map(|row| record(which, row)).collect())
}

/// Reads one row of a file of the first, second or third kind.
pub(crate) fn record(which: usize, row: &Row) -> Result<Record, BadRecording> {
    Ok(match which {
        0 => Record::Map(map_record(row)?),
        1 => Record::Copy(copy_record(row)?),
        _ => Record::Reduction(reduction(row)?),
    })
}

/// A column of decimal numbers with a space between each two; none if it is empty.
fn numbers<T: FromStr>(row: &Row, header: &[&str], field: usize) -> Result<Vec<T>, BadRecording> {
    let mut behind = 0;
    let mut numbers = Vec::new();
    for text in row.fields[field].split(' ').filter(|_| !row.fields[field].is_empty()) {
        let bad = |_| row.bad_within(field, behind, format!("{} `{text}` is not a number in its range", header[field]));
        numbers.push(text.parse().map_err(bad)?);
        behind += text.chars().count() + 1;
    }
    Ok(numbers)
}

/// A column of this many decimal numbers.
fn exactly<T: FromStr>(row: &Row, header: &[&str], field: usize, many: usize) -> Result<Vec<T>, BadRecording> {
    let numbers = numbers(row, header, field)?;
    if numbers.len() != many {
        return Err(row.bad(field, format!("{} has {} numbers where {many} are needed", header[field], numbers.len())));
    }
    Ok(numbers)
}

/// A column of one decimal number.
fn number<T: FromStr + Copy>(row: &Row, header: &[&str], field: usize) -> Result<T, BadRecording> {
    exactly(row, header, field, 1).map(|numbers| numbers[0])
}

/// The name in a column.
fn named<T>(row: &Row, field: usize, what: &str, of: impl Fn(&str) -> Option<T>) -> Result<T, BadRecording> {
    of(&row.fields[field]).ok_or_else(|| row.bad(field, format!("unknown {what} `{}`", row.fields[field])))
}

/// The map of its parameters.
fn map(row: &Row, address: u64) -> Result<TensorMap, BadRecording> {
    let sizes: Vec<u64> = numbers(row, &PARAMETERS, 2)?;
    let rank = sizes.len();
    if !(1..=5).contains(&rank) {
        return Err(row.bad(2, format!("{rank} sizes: a tensor has 1 to 5 dimensions")));
    }
    let im2col = row.fields[0] == "im2col";
    let shape = if im2col {
        if rank < 3 {
            return Err(row.bad(2, format!("{rank} sizes: im2col needs 3 to 5 dimensions")));
        }
        let shape: Vec<u32> = exactly(row, &PARAMETERS, 4, 2)?;
        let corners: Vec<i32> = exactly(row, &PARAMETERS, 10, 2 * (rank - 2))?;
        let (lower, upper) = corners.split_at(rank - 2);
        Shape::Im2col { lower: lower.to_vec(), upper: upper.to_vec(), channels: shape[0], pixels: shape[1] }
    } else {
        row.must_be_empty(10, "only im2col has corners")?;
        Shape::Tile { box_sizes: exactly(row, &PARAMETERS, 4, rank)? }
    };
    Ok(TensorMap {
        element: named(row, 1, "element type", Element::named)?,
        address,
        strides: exactly(row, &PARAMETERS, 3, rank - 1)?,
        shape,
        element_strides: exactly(row, &PARAMETERS, 5, rank)?,
        interleave: number(row, &PARAMETERS, 6)?,
        swizzle: number(row, &PARAMETERS, 7)?,
        fill: number(row, &PARAMETERS, 8)?,
        promotion: number(row, &PARAMETERS, 9)?,
        sizes,
    })
}

fn map_record(row: &Row) -> Result<MapRecord, BadRecording> {
    named(row, 0, "mode", |mode| ["load", "im2col"].contains(&mode).then_some(()))?;
    let map = map(row, row.hex(11, 16)?)?;
    let words = match row.fields[12].as_str() {
        "refused" => None,
        _ => row.hex_list(12, 16, Some(WORDS))?.try_into().ok(),
    };
    Ok(MapRecord { line: row.line, map, words })
}

/// Kind of copy of a mode.
fn movement(mode: &str) -> Option<(&'static str, Movement)> {
    match mode {
        "load" => Some(("load", Movement::Load)),
        "im2col" => Some(("im2col", Movement::Load)),
        "store" => Some(("store", Movement::Store(None))),
        _ => Operation::named(mode).map(|operation| (operation.name(), Movement::Store(Some(operation)))),
    }
}

fn copy_record(row: &Row) -> Result<CopyRecord, BadRecording> {
    let (mode, movement) = named(row, 0, "mode", movement)?;
    let map = map(row, number(row, &COPIES, 11)?)?;
    map.check().map_err(|error| row.bad(0, format!("there is no such map: {error}")))?;
    let rank = map.rank();
    let offsets = if mode == "im2col" { rank - 2 } else { 0 };
    let outcome = if row.fields[15] == "trap" {
        row.must_be_empty(16, "a copy that traps leaves nothing")?;
        row.must_be_empty(17, "a copy that traps leaves nothing")?;
        None
    } else {
        Some(Outcome { counted: number(row, &COPIES, 15)?, digest: row.hex(16, 16)?, after: changes(row)? })
    };
    Ok(CopyRecord {
        line: row.line,
        mode,
        movement,
        map,
        shared: number(row, &COPIES, 12)?,
        at: exactly(row, &COPIES, 13, rank)?,
        offsets: exactly(row, &COPIES, 14, offsets)?,
        outcome,
    })
}

/// The words that changed, as `index:word` in hex.
fn changes(row: &Row) -> Result<Vec<(usize, u64)>, BadRecording> {
    let text = &row.fields[17];
    let mut behind = 0;
    let mut changes = Vec::new();
    for change in text.split(' ').filter(|_| !text.is_empty()) {
        let hex = |text| u64::from_str_radix(text, 16).ok();
        let read = change.split_once(':').and_then(|(index, word)| Some((hex(index)? as usize, hex(word)?)));
        let Some(read) = read.filter(|(index, _)| *index < GLOBAL_BYTES / 8) else {
            return Err(row.bad_within(
                17,
                behind,
                format!("`{change}` is not the number of a word and the word, in hex"),
            ));
        };
        changes.push(read);
        behind += change.len() + 1;
    }
    Ok(changes)
}

/// Operation and type of a reduction, such as `add.noftz.f16`.
fn reduction_of(name: &str) -> Option<(Operation, Element)> {
    let (operation, rest) = name.split_once('.')?;
    let ty = rest.strip_prefix("noftz.").unwrap_or(rest);
    let element = match ty {
        "b32" => Element::U32,
        "b64" => Element::U64,
        _ => Element::named(ty)?,
    };
    Some((Operation::named(operation)?, element))
}

fn reduction(row: &Row) -> Result<ReductionRecord, BadRecording> {
    let kind = |name: &str| Kind::ALL.into_iter().find(|(_, known)| *known == name).map(|(kind, _)| kind);
    let kind = named(row, 0, "kind", kind)?;
    let name = row.fields[1].clone();
    let reduction = match kind {
        Kind::St => None,
        _ => Some(named(row, 1, "reduction", reduction_of)?),
    };
    let digits = reduction.map_or(8, |(_, element)| 2 * element.bytes() as usize);
    let before = row.hex_list(2, digits, None)?;
    let many = Some(before.len());
    let words = if kind == Kind::ToGlobal {
        row.must_be_empty(5, "it completes on no barrier")?;
        row.must_be_empty(6, "it completes on no barrier")?;
        None
    } else {
        Some((row.hex(5, 16)?, row.hex(6, 16)?))
    };
    let (operand, after) = (row.hex_list(3, digits, many)?, row.hex_list(4, digits, many)?);
    Ok(ReductionRecord { line: row.line, kind, name, reduction, before, operand, after, words })
}

/// Numbers with a space between each two.
pub(super) fn listed<T: Display>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(" ")
}
