//! Recordings of somebody's own unit, by the names of its pins: an operation on a word in each row.

use super::{Argument, BadRecording, Expected, Record, Recorded, ResultKind, Row};
use txbar_rtl::op::{Op, Reply};
use txbar_rtl::status::Status;

/// The first line.
pub(crate) const HEADER: [&str; 9] = [
    "req_op",
    "req_remote",
    "req_data",
    "req_strobe",
    "word_before",
    "word_after",
    "rsp_status",
    "rsp_predicate",
    "rsp_data",
];

/// What the pins of the answer have to be, as far as it is recorded and means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: Option<Status>,
    /// The predicate of a wait.
    pub predicate: Option<bool>,
    /// Token, word or count: the bits that carry it, and what they are.
    pub data: Option<[u64; 2]>,
}

impl Row<'_> {
    /// What a column names, of a list: by its name, or by its code in decimal.
    fn named<T: Copy>(
        &self,
        field: usize,
        all: &[T],
        name: fn(T) -> &'static str,
        code: fn(T) -> u8,
    ) -> Result<T, BadRecording> {
        let text = &self.fields[field];
        let found = all.iter().find(|one| name(**one) == text || text.parse() == Ok(code(**one)));
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|one| name(*one)).collect();
            self.bad(field, format!("there is no `{text}`: give a code in decimal, or one of {}", known.join(", ")))
        })
    }

    fn bit(&self, field: usize) -> Result<bool, BadRecording> {
        match self.fields[field].as_str() {
            "0" => Ok(false),
            "1" => Ok(true),
            other => Err(self.bad(field, format!("`{other}` is neither 0 nor 1"))),
        }
    }

    /// A column that may be empty.
    fn if_given<T>(
        &self,
        field: usize,
        read: impl Fn(&Self) -> Result<T, BadRecording>,
    ) -> Result<Option<T>, BadRecording> {
        if self.fields[field].is_empty() { Ok(None) } else { read(self).map(Some) }
    }
}

/// The record of a row.
pub(super) fn record(row: &Row) -> Result<Record, BadRecording> {
    let op = row.named(0, Op::ALL, Op::name, Op::code)?;
    let position = usize::from(op.code());
    let remote = row.bit(1)?;
    let strobe = row.if_given(3, |row| row.hex(3, 2))?;
    let status = row.if_given(6, |row| row.named(6, Status::ALL, Status::name, Status::code))?;
    let predicate = row.if_given(7, |row| row.bit(7))?;
    let data = row.if_given(8, |row| row.hex(8, 16))?;
    // what the pins carry beside a fault, or beside an answer of another kind, means nothing
    let means = |reply: Reply| op.reply() == reply && status.is_none_or(|status| status == Status::Ok);
    let carries = match op.reply() {
        Reply::Token if !remote => !0 << 32,
        Reply::Count => !0 >> 32,
        Reply::Word => !0,
        _ => 0,
    };
    let answer = Answer {
        status,
        predicate: predicate.filter(|_| means(Reply::Predicate)),
        data: data.filter(|_| means(op.reply()) && carries != 0).map(|data| [carries, data & carries]),
    };
    if op.is_posted() {
        (6..9).try_for_each(|field| row.must_be_empty(field, &format!("{} is not answered", op.name())))?;
    }
    Ok(Record {
        line: row.line,
        op: Recorded {
            name: op.name(),
            ops: &Op::ALL[position..=position],
            remote,
            argument: Argument::None,
            token: false,
            result: ResultKind::None,
        },
        data: row.hex(2, 16)?,
        strobe: strobe.map_or(0xff, |strobe| strobe as u8),
        word_before: row.hex(4, 16)?,
        expected: Expected::Pins { word_after: row.hex(5, 16)?, answer },
    })
}
