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
    /// Values of its columns.
    pub(crate) fields: Vec<String>,
}

impl Row<'_> {
    /// Something is wrong with a column.
    pub(crate) fn bad(&self, field: usize, problem: String) -> BadRecording {
        self.bad_within(field, 0, problem)
    }

    /// Something is wrong with a column, this many characters behind its beginning.
    pub(crate) fn bad_within(&self, field: usize, behind: usize, problem: String) -> BadRecording {
        let ahead: usize = self.fields.iter().take(field).map(|text| text.chars().count() + 1).sum();
        BadRecording { file: self.file.to_owned(), place: Some((self.line, 1 + ahead + behind)), problem }
    }

    /// A column that holds one number in hex, of this many digits at most.
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

/// What some editors put in front of a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The first line of a file in errors: one of many columns without those in the middle.
fn first_line_of(header: &[&str]) -> String {
    match header {
        [first, second, .., last] if header.len() > 8 => format!("{first},{second},...,{last}"),
        _ => header.join(","),
    }
}

/// Counts the lines of a text. `\n`, `\r\n` and a lone `\r` end one; blank lines count as well.
struct Lines<'a> {
    text: &'a [u8],
    /// A byte that begins a line, and the number of that line.
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn of(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The line of a record that the reader began to look for at a byte. Ends of lines come first: that of the record before, and
    /// blank lines. It goes through the text once: records come in order.
    fn line(&mut self, looked_from: u64) -> u64 {
        let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let from = usize::try_from(looked_from).map_or(self.text.len(), |from| from.min(self.text.len()));
        let begin = from + self.text[from..].iter().take_while(|byte| is_end(byte)).count();
        let ends = (self.at..begin).filter(|at| match self.text[*at] {
            b'\n' => *at == 0 || self.text[*at - 1] != b'\r',
            byte => byte == b'\r',
        });
        self.line += ends.count() as u64;
        self.at = begin;
        self.line
    }
}

/// Reads the rows of a file that begins with one of some headers, and makes something of them: `make` is told which.
pub(crate) fn rows<T>(
    file: &str,
    mut input: impl Read,
    headers: &[&'static [&'static str]],
    make: impl FnOnce(usize, &[Row]) -> Result<T, BadRecording>,
) -> Result<T, BadRecording> {
    let nowhere = |problem: String| BadRecording { file: file.to_owned(), place: None, problem };
    let first_lines: Vec<String> = headers.iter().map(|header| format!("`{}`", first_line_of(header))).collect();
    let first_line = first_lines.join(" or ");
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|error| nowhere(error.to_string()))?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    let mut lines = Lines::of(text);
    let mut line_of = |position: Option<&csv::Position>| position.map_or(0, |position| lines.line(position.byte()));
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).quoting(false).from_reader(text);
    let mut rows: Vec<Row> = Vec::new();
    let mut which = None;
    for row in reader.records() {
        let row = row.map_err(|error| match error.kind() {
            csv::ErrorKind::Utf8 { pos, .. } => {
                let place = Some((line_of(pos.as_ref()), 1));
                BadRecording { place, ..nowhere("the line is not text in UTF-8".to_owned()) }
            }
            _ => nowhere(error.to_string()),
        })?;
        let header = which.map_or(headers[0], |which: usize| headers[which]);
        let line = line_of(row.position());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the rows of a text.
    fn lines(text: &str) -> Vec<u64> {
        let made = rows("x", text.as_bytes(), &[&["a", "b"]], |_, rows| Ok(rows.iter().map(|row| row.line).collect()));
        made.unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_row_has_the_line_that_an_editor_shows() {
        for end in ["\n", "\r\n", "\r"] {
            let lines = |text: &str| lines(&text.replace('\n', end));
            assert_eq!(lines("a,b\n1,2\n3,4\n"), [2, 3], "{end:?}");
            assert_eq!(lines("a,b\n1,2\n3,4"), [2, 3], "{end:?}");
            assert_eq!(lines("a,b\n\n\n1,2\n\n3,4\n\n"), [4, 6], "{end:?}");
            assert_eq!(lines("\n\na,b\n1,2\n"), [4], "{end:?}");
            assert_eq!(lines("\u{feff}\na,b\n\n1,2\n"), [4], "{end:?}");
        }
        // some of each
        assert_eq!(lines("a,b\r\n\n1,2\r\r\n3,4\n\r5,6"), [3, 5, 7]);
        // more than the reader takes at a time
        let many = "1,2\r\n\r\n".repeat(20_000);
        let expected: Vec<u64> = (0..20_000).map(|row| 2 + 2 * row).collect();
        assert_eq!(lines(&format!("a,b\r\n{many}")), expected);
    }

    #[test]
    fn what_is_wrong_has_the_line_that_an_editor_shows() {
        let place = |text: &[u8]| rows("x", text, &[&["a", "b"]], |_, _| Ok(())).expect_err("is wrong").place;
        assert_eq!(place(b"\r\n\na,c\n"), Some((3, 1)));
        assert_eq!(place(b"a,b\r\n1,2\r\n\r\n1\r\n"), Some((4, 1)));
        assert_eq!(place(b"a,b\r\n1,2\r\n\xff,2\r\n"), Some((3, 1)));
        assert_eq!(place(b"a,b\n\n\n\xff,2\n"), Some((4, 1)));
    }
}
