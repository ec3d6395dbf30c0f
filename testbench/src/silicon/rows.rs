//! The rows of a recording, and errors that name their place.

use std::fmt;
use std::io::Read;

/// Something that is not a recording, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecording {
    /// The file.
    pub file: String,
    /// Line from 1, and column in characters from 1, if the problem has a place.
    pub place: Option<(u64, usize)>,
    /// What is wrong and what to do.
    pub problem: String,
}

impl fmt::Display for BadRecording {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some((line, column)) = self.place {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.problem)
    }
}

impl std::error::Error for BadRecording {}

/// A row of the file and the means to complain about it.
pub(crate) struct Row<'a> {
    file: &'a str,
    header: &'static [&'static str],
    /// Its line, from 1.
    pub(crate) line: u64,
    /// What stands in its columns.
    pub(crate) fields: Vec<String>,
}

impl Row<'_> {
    /// Something is wrong with a column.
    pub(crate) fn bad(&self, field: usize, problem: String) -> BadRecording {
        self.bad_within(field, 0, problem)
    }

    /// Something is wrong with a column, so many characters behind its beginning.
    pub(crate) fn bad_within(&self, field: usize, behind: usize, problem: String) -> BadRecording {
        let ahead: usize = self.fields.iter().take(field).map(|text| text.chars().count() + 1).sum();
        BadRecording { file: self.file.to_owned(), place: Some((self.line, 1 + ahead + behind)), problem }
    }

    /// A column that holds one number in hex, of so many digits at most.
    pub(crate) fn hex(&self, field: usize, digits: usize) -> Result<u64, BadRecording> {
        self.hex_of(field, 0, self.header[field], &self.fields[field], digits)
    }

    /// A column that holds numbers in hex, with a space between each two: exactly as many as `count` says, if it does.
    pub(crate) fn hex_list(&self, field: usize, digits: usize, count: Option<usize>) -> Result<Vec<u64>, BadRecording> {
        let (name, text) = (self.header[field], &self.fields[field]);
        let mut behind = 0;
        let mut numbers = Vec::new();
        for number in text.split(' ') {
            numbers.push(self.hex_of(field, behind, name, number, digits)?);
            behind += number.chars().count() + 1;
        }
        match count {
            Some(count) if numbers.len() != count => {
                Err(self.bad(field, format!("{name} has {} numbers where {count} are needed", numbers.len())))
            }
            _ => Ok(numbers),
        }
    }

    fn hex_of(&self, field: usize, behind: usize, name: &str, text: &str, digits: usize) -> Result<u64, BadRecording> {
        let bad = |problem| Err(self.bad_within(field, behind, problem));
        if text.is_empty() {
            return bad(format!("{name} is missing: give it as up to {digits} hex digits"));
        }
        if text.len() > digits {
            return bad(format!("{name} `{text}` has more than {digits} hex digits"));
        }
        if !text.bytes().all(|c| c.is_ascii_hexdigit()) {
            return bad(format!("{name} `{text}` is not a hex number"));
        }
        Ok(u64::from_str_radix(text, 16).expect("at most 16 hex digits"))
    }

    /// A column that says nothing.
    pub(crate) fn must_be_empty(&self, field: usize, why: &str) -> Result<(), BadRecording> {
        if self.fields[field].is_empty() {
            return Ok(());
        }
        Err(self.bad(field, format!("{} must be empty: {why}", self.header[field])))
    }
}

/// The first line of a file in errors: one of many columns without those in the middle.
fn first_line_of(header: &[&str]) -> String {
    match header {
        [first, second, .., last] if header.len() > 8 => format!("{first},{second},...,{last}"),
        _ => header.join(","),
    }
}

/// Reads the rows of a file that begins with one of some headers, and makes something of them: `make` is told which.
pub(crate) fn rows<T>(
    file: &str,
    input: impl Read,
    headers: &[&'static [&'static str]],
    make: impl FnOnce(usize, &[Row]) -> Result<T, BadRecording>,
) -> Result<T, BadRecording> {
    let nowhere = |problem: String| BadRecording { file: file.to_owned(), place: None, problem };
    let first_lines: Vec<String> = headers.iter().map(|header| format!("`{}`", first_line_of(header))).collect();
    let first_line = first_lines.join(" or ");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).quoting(false).from_reader(input);
    let mut rows: Vec<Row> = Vec::new();
    let mut which = None;
    for row in reader.records() {
        let row = row.map_err(|error| match error.kind() {
            csv::ErrorKind::Io(error) => nowhere(error.to_string()),
            csv::ErrorKind::Utf8 { pos: Some(pos), .. } => {
                BadRecording { place: Some((pos.line(), 1)), ..nowhere("the line is not text in UTF-8".to_owned()) }
            }
            _ => nowhere(error.to_string()),
        })?;
        let header = which.map_or(headers[0], |which: usize| headers[which]);
        let line = row.position().map_or(0, csv::Position::line);
        let row = Row { file, header, line, fields: row.iter().map(str::to_owned).collect() };
        if which.is_none() {
            which = headers.iter().position(|header| row.fields == *header);
            if which.is_none() {
                return Err(row.bad(0, format!("the first line must be {first_line}")));
            }
            continue;
        }
        if row.fields.len() != header.len() {
            let problem = format!("{} columns where {} are needed", row.fields.len(), header.len());
            return Err(row.bad(row.fields.len().min(header.len()) - 1, problem));
        }
        rows.push(row);
    }
    match which {
        Some(which) if !rows.is_empty() => make(which, &rows),
        Some(_) => {
            Err(nowhere(format!("the file holds no records after its header; a recording begins with {first_line}")))
        }
        None => Err(nowhere(format!("the file is empty; a recording begins with {first_line}"))),
    }
}
