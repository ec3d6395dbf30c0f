//! Recordings of a real H200, in CSV (see `vectors/README.md`), and of somebody's own unit: reading them, with an error that names the
//! place of anything that is not a recording.

pub mod pins;
mod rows;

use crate::tensor::recording as tensors;
use crate::warp::recording as warps;
pub use rows::BadRecording;
pub(crate) use rows::{Row, rows};
use std::io::Read;
use txbar_rtl::op::Op;

/// 400 records for each operation: legal words and operands.
pub const LEGAL: &str = include_str!("../vectors/h200_legal.csv");
/// 571 records at and past every limit, with set fault and unused bits.
pub const EDGE: &str = include_str!("../vectors/h200_edge.csv");
/// 500 records that fault: 164 that trap, some of each operation, and arrivals of copies.
pub const FAULTS: &str = include_str!("../silicon/h200_faults.csv");
/// All of them by name.
pub const RECORDINGS: [(&str, &str); 3] = [("legal", LEGAL), ("edge", EDGE), ("faults", FAULTS)];

/// The half of a 64-bit register that is a state token. What was in the other half when the token was recorded means
/// nothing; here it is a time limit of zero, so that a replayed wait is answered at once.
const TOKEN_HALF: u64 = 0xffff_ffff_0000_0000;

const HEADER: [&str; 6] = ["op", "arg", "word_before", "token", "word_after", "result"];

/// What the `arg` column holds for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// It is empty, and the operand means nothing.
    None,
    /// It is empty, and the count is one.
    One,
    /// The 32-bit operand.
    Operand,
}

/// What the `result` column holds for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// It is empty.
    None,
    /// Upper 32 bits of the token, in hex.
    Token,
    /// 0 or 1.
    Predicate,
    /// A pending count, in hex.
    Count,
}

/// An operation as the recordings name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Name.
    pub name: &'static str,
    /// What it is here: one operation, or two in a row.
    pub ops: &'static [Op],
    /// Whether it was done from another CTA of the cluster.
    pub remote: bool,
    /// Kind of operand.
    pub argument: Argument,
    /// Whether it takes a state token.
    pub token: bool,
    /// Kind of result.
    pub result: ResultKind,
}

const fn recorded(
    name: &'static str,
    ops: &'static [Op],
    remote: bool,
    argument: Argument,
    token: bool,
    result: ResultKind,
) -> Recorded {
    Recorded { name, ops, remote, argument, token, result }
}

/// Every name that a recording may use.
pub const RECORDED: [Recorded; 27] = {
    use Argument::{None as Nothing, One, Operand};
    use ResultKind::{Count, None as Empty, Predicate, Token};
    [
        recorded("init", &[Op::Init], false, Operand, false, Empty),
        recorded("inval", &[Op::Inval], false, Nothing, false, Empty),
        recorded("arrive", &[Op::Arrive], false, One, false, Token),
        recorded("arrive_n", &[Op::Arrive], false, Operand, false, Token),
        recorded("arrive_nc", &[Op::ArriveNoComplete], false, Operand, false, Token),
        recorded("arrive_tx", &[Op::ArriveExpectTx], false, Operand, false, Token),
        recorded("drop", &[Op::ArriveDrop], false, One, false, Token),
        recorded("drop_n", &[Op::ArriveDrop], false, Operand, false, Token),
        recorded("drop_nc", &[Op::ArriveDropNoComplete], false, Operand, false, Token),
        recorded("drop_tx", &[Op::ArriveDropExpectTx], false, Operand, false, Token),
        recorded("expect_tx", &[Op::ExpectTx], false, Operand, false, Empty),
        recorded("complete_tx", &[Op::CompleteTx], false, Operand, false, Empty),
        recorded("test_state", &[Op::TestWait], false, Nothing, true, Predicate),
        recorded("test_parity", &[Op::TestWaitParity], false, Operand, false, Predicate),
        recorded("try_state", &[Op::TryWait], false, Nothing, true, Predicate),
        recorded("try_parity", &[Op::TryWaitParity], false, Operand, false, Predicate),
        recorded("pending", &[Op::PendingCount], false, Nothing, true, Count),
        recorded("cpasync", &[Op::CpAsyncBegin, Op::CpAsyncEnd], false, Nothing, false, Empty),
        recorded("cpasync_noinc", &[Op::CpAsyncArrive], false, Nothing, false, Empty),
        recorded("r_arrive", &[Op::Arrive], true, One, false, Empty),
        recorded("r_arrive_n", &[Op::Arrive], true, Operand, false, Empty),
        recorded("r_arrive_tx", &[Op::ArriveExpectTx], true, Operand, false, Empty),
        recorded("r_drop", &[Op::ArriveDrop], true, One, false, Empty),
        recorded("r_drop_n", &[Op::ArriveDrop], true, Operand, false, Empty),
        recorded("r_drop_tx", &[Op::ArriveDropExpectTx], true, Operand, false, Empty),
        recorded("r_expect", &[Op::ExpectTx], true, Operand, false, Empty),
        recorded("r_complete", &[Op::CompleteTx], true, Operand, false, Empty),
    ]
};

/// Result on the H200, or of somebody's own unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The kernel died.
    Trap,
    /// The thread continued.
    Done {
        /// The word afterwards.
        word_after: u64,
        /// Token, predicate or count.
        result: Option<u32>,
    },
    /// What the pins of somebody's own unit have shown.
    Pins {
        /// The word afterwards.
        word_after: u64,
        /// The answer.
        answer: pins::Answer,
    },
}

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Line of the file, from 1.
    pub line: u64,
    /// The operation.
    pub op: Recorded,
    /// What `req_data` carries: the operand or the token.
    pub data: u64,
    /// Byte enables of a store.
    pub strobe: u8,
    /// The word before.
    pub word_before: u64,
    /// Result.
    pub expected: Expected,
}

impl Row<'_> {
    /// The operation that its first column names.
    pub(crate) fn operation(&self) -> Result<Recorded, BadRecording> {
        RECORDED.into_iter().find(|recorded| recorded.name == self.fields[0]).ok_or_else(|| {
            let known: Vec<&str> = RECORDED.iter().map(|recorded| recorded.name).collect();
            self.bad(0, format!("unknown operation `{}`; known are {}", self.fields[0], known.join(", ")))
        })
    }

    fn record(&self) -> Result<Record, BadRecording> {
        let op = self.operation()?;
        let operand = match op.argument {
            Argument::Operand => self.operand(op.name)?,
            Argument::None | Argument::One => {
                self.must_be_empty(1, &format!("{} takes no operand", op.name))?;
                (op.argument == Argument::One) as u64
            }
        };
        let word_before = self.hex(2, 16)?;
        let data = if op.token {
            self.hex(3, 16)? & TOKEN_HALF
        } else {
            self.must_be_empty(3, &format!("{} takes no token", op.name))?;
            operand
        };
        Ok(Record { line: self.line, op, data, strobe: 0xff, word_before, expected: self.expected(op)? })
    }

    fn operand(&self, op: &str) -> Result<u64, BadRecording> {
        let text = &self.fields[1];
        if text.is_empty() {
            return Err(self.bad(1, format!("{op} needs an operand, in decimal")));
        }
        let value: u64 = match text.parse() {
            Ok(value) => value,
            Err(_) if text.bytes().all(|c| c.is_ascii_digit()) => u64::MAX, // more digits than 64 bits hold
            Err(_) => return Err(self.bad(1, format!("operand `{text}` is not a decimal number"))),
        };
        if value > u32::MAX as u64 {
            return Err(self.bad(1, format!("operand {text} does not fit 32 bits")));
        }
        Ok(value)
    }

    fn expected(&self, op: Recorded) -> Result<Expected, BadRecording> {
        if self.fields[4] == "trap" {
            self.must_be_empty(5, "an operation that traps gives nothing back")?;
            return Ok(Expected::Trap);
        }
        let word_after = self.hex(4, 16)?;
        let result = match op.result {
            ResultKind::None => {
                self.must_be_empty(5, &format!("{} gives nothing back", op.name))?;
                None
            }
            ResultKind::Token | ResultKind::Count => Some(self.hex(5, 8)? as u32),
            ResultKind::Predicate => match self.fields[5].as_str() {
                "0" => Some(0),
                "1" => Some(1),
                other => return Err(self.bad(5, format!("predicate `{other}` is neither 0 nor 1"))),
            },
        };
        Ok(Expected::Done { word_after, result })
    }
}

/// A recording of any kind: its first line says which.
#[derive(Clone, Debug)]
pub enum Recording {
    /// Instructions of single threads.
    Threads(Vec<Record>),
    /// Instructions of whole warps.
    Warps(Vec<warps::Record>),
    /// Tensor maps, tensor copies, and reductions that complete asynchronously.
    Tensors(Vec<tensors::Record>),
}

impl Recording {
    /// Number of records.
    pub fn records(&self) -> usize {
        match self {
            Recording::Threads(records) => records.len(),
            Recording::Warps(records) => records.len(),
            Recording::Tensors(records) => records.len(),
        }
    }

    /// The records, this many at a time; those of tensor copies all together, as later ones use what earlier ones have made.
    pub fn parts(&self, at_once: usize) -> Box<dyn Iterator<Item = Recording> + '_> {
        match self {
            Recording::Threads(records) => {
                Box::new(records.chunks(at_once).map(|part| Recording::Threads(part.to_vec())))
            }
            Recording::Warps(records) => Box::new(records.chunks(at_once).map(|part| Recording::Warps(part.to_vec()))),
            Recording::Tensors(_) => Box::new(std::iter::once(self.clone())),
        }
    }

    /// Keeps some of the records, which are asked for one after the other.
    pub fn retain(&mut self, mut keep: impl FnMut() -> bool) {
        match self {
            Recording::Threads(records) => records.retain(|_| keep()),
            Recording::Warps(records) => records.retain(|_| keep()),
            Recording::Tensors(records) => records.retain(|_| keep()),
        }
    }
}

/// Reads a recording of any kind. `file` is its name in errors.
///
/// # Errors
/// The first thing that is not a recording.
pub fn read_any(file: &str, input: impl Read) -> Result<Recording, BadRecording> {
    let headers: [&[&str]; 6] =
        [&HEADER, &warps::HEADER, &tensors::MAPS, &tensors::COPIES, &tensors::REDUCTIONS, &pins::HEADER];
    rows(file, input, &headers, |which, rows| {
        Ok(match which {
            0 => Recording::Threads(rows.iter().map(Row::record).collect::<Result<_, _>>()?),
            1 => Recording::Warps(rows.iter().map(warps::record).collect::<Result<_, _>>()?),
            5 => Recording::Threads(rows.iter().map(pins::record).collect::<Result<_, _>>()?),
            _ => Recording::Tensors(rows.iter().map(|row| tensors::record(which - 2, row)).collect::<Result<_, _>>()?),
        })
    })
}

/// Reads a recording of single threads. `file` is its name in errors.
///
/// # Errors
/// The first thing that is not a recording.
pub fn read(file: &str, input: impl Read) -> Result<Vec<Record>, BadRecording> {
    rows(file, input, &[&HEADER], |_, rows| rows.iter().map(Row::record).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &[u8]) -> String {
        read("x.csv", text).expect_err("is not a recording").to_string()
    }

    fn row_problem(row: &str) -> String {
        problem(format!("{}\n{row}\n", HEADER.join(",")).as_bytes())
    }

    #[test]
    fn the_recordings_are_read_whole() {
        assert_eq!(read("legal", LEGAL.as_bytes()).unwrap().len(), 10_000);
        let edge = read("edge", EDGE.as_bytes()).unwrap();
        assert_eq!(edge.len(), 571);
        let traps = |records: &[Record]| records.iter().filter(|record| record.expected == Expected::Trap).count();
        assert_eq!(traps(&edge), 245);
        let faults = read("faults", FAULTS.as_bytes()).unwrap();
        assert_eq!((faults.len(), traps(&faults)), (500, 164));
    }

    /// The document names every operation, as recordings do, and no other.
    #[test]
    fn the_document_names_the_operations() {
        let document = include_str!("../vectors/README.md");
        let (_, table) = document.split_once("| op | arrivals |").expect("there is a table of operations");
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        let mut named: Vec<&str> = rows
            .flat_map(|row| row.split('|').nth(1).expect("it has cells").split(',').map(str::trim))
            .map(|name| name.split('`').nth(1).unwrap_or(name))
            .collect();
        let mut known = RECORDED.map(|recorded| recorded.name);
        named.sort_unstable();
        known.sort_unstable();
        assert_eq!(named, known);
    }

    #[test]
    fn what_is_no_recording_is_refused_with_its_place() {
        assert_eq!(
            problem(b""),
            "x.csv: the file is empty; a recording begins with `op,arg,word_before,token,word_after,result`"
        );
        assert!(row_problem("").starts_with("x.csv: the file holds no records"));
        assert!(problem(b"a,b\n").starts_with("x.csv:1:1: the first line must be `op,arg"));
        assert_eq!(row_problem("arrive,,0,,0"), "x.csv:2:12: 5 columns where 6 are needed");
        assert_eq!(row_problem("arrive,,0,,0,0,0"), "x.csv:2:14: 7 columns where 6 are needed");
        assert!(row_problem("arive,,0,,0,0").starts_with("x.csv:2:1: unknown operation `arive`; known are init,"));
        assert_eq!(row_problem("arrive,1,0,,0,0"), "x.csv:2:8: arg must be empty: arrive takes no operand");
        assert_eq!(row_problem("arrive_n,,0,,0,0"), "x.csv:2:10: arrive_n needs an operand, in decimal");
        assert_eq!(row_problem("arrive_n,4294967296,0,,0,0"), "x.csv:2:10: operand 4294967296 does not fit 32 bits");
        assert!(row_problem("arrive_n,99999999999999999999999,0,,0,0").ends_with("does not fit 32 bits"));
        assert_eq!(row_problem("arrive_n,-1,0,,0,0"), "x.csv:2:10: operand `-1` is not a decimal number");
        let long = "word_before `10000000000000000` has more than 16 hex digits";
        assert_eq!(row_problem("arrive,,10000000000000000,,0,0"), format!("x.csv:2:9: {long}"));
        assert_eq!(row_problem("arrive,,xyz,,0,0"), "x.csv:2:9: word_before `xyz` is not a hex number");
        assert!(row_problem("arrive,,+5,,0,0").contains("is not a hex number"));
        assert!(row_problem("arrive,,,,0,0").contains("word_before is missing"));
        assert!(row_problem("test_state,,0,,0,0").contains("token is missing"));
        assert!(row_problem("arrive,,0,5,0,0").contains("token must be empty"));
        assert!(row_problem("arrive,,0,,trap,0").contains("result must be empty"));
        assert!(row_problem("init,1,0,,0,0").contains("result must be empty: init gives nothing back"));
        assert!(row_problem("test_parity,0,0,,0,2").contains("predicate `2` is neither 0 nor 1"));
        assert_eq!(
            problem(b"op,arg,word_before,token,word_after,result\n\xff\xfe,,0,,0,0\n"),
            "x.csv:2:1: the line is not text in UTF-8"
        );
    }
}
