//! Initial values of variables: `{ {1, 2}, {buffer+8, generic(table)} }`, flattened.

use crate::ast::{Initial, Number};
use crate::parse::cursor::{Parsed, Parser, owned};
use crate::parse::lex::Kind;
use crate::parse::number::Value;
use crate::source::{Complaint, Span};

/// Most values that are written out as zeros because their rows are not full.
const MOST_FILLED: u64 = 1 << 20;

/// Braces that are open.
struct Row {
    brace: Span,
    /// Values before it.
    begin: u64,
    /// Values that it has room for; nothing: any number.
    room: Option<u64>,
}

impl Parser<'_> {
    /// What follows `=`. `limits` are the sizes of the dimensions, the outermost first; nothing: not said.
    pub fn initial_values(&mut self, limits: &[Option<u64>]) -> Parsed<Vec<Initial>> {
        let rooms = rooms(limits);
        let mut values = Vec::new();
        let mut rows: Vec<Row> = Vec::new();
        let mut filled = 0;
        loop {
            if self.is_mark(b'{') {
                rows.push(self.row(&rooms, rows.len(), values.len() as u64)?);
                if !self.is_mark(b'}') {
                    continue;
                }
            } else {
                let start = self.peek().span;
                values.push(self.initial_value()?);
                let room = rows.last().map_or(Some(1), |row| row.room);
                let begin = rows.last().map_or(0, |row| row.begin);
                if room.is_some_and(|room| values.len() as u64 - begin > room) {
                    let complaint =
                        Complaint::new(self.since(start), "too many initial values", "no element is left for this");
                    return Err(match rows.last() {
                        Some(row) => complaint.also(row.brace, "in these braces"),
                        None => complaint,
                    });
                }
            }
            // close what ends here
            loop {
                let Some(row) = rows.last() else { return Ok(values) };
                let (begin, room, brace) = (row.begin, row.room, row.brace);
                if self.take(b'}').is_some() {
                    rows.pop();
                    if let (Some(room), false) = (room, rows.is_empty()) {
                        let missing = room.saturating_sub(values.len() as u64 - begin);
                        filled += missing;
                        if missing > MOST_FILLED || filled > MOST_FILLED {
                            return Err(Complaint::new(brace, "this row is much too short", "most of it is missing")
                                .help(format!("at most {MOST_FILLED} values are filled in as zeros")));
                        }
                        values.extend((0..missing).map(|_| Initial::Number(Number::Integer(0))));
                    }
                } else if self.take(b',').is_some() {
                    if self.is_mark(b'}') {
                        continue; // a comma behind the last value
                    }
                    break;
                } else {
                    return Err(self.missing("`,` or `}`", "after this value").also(brace, "the values begin here"));
                }
            }
        }
    }

    /// An opening brace, this many levels deep.
    fn row(&mut self, rooms: &[Option<u64>], depth: usize, begin: u64) -> Parsed<Row> {
        let brace = self.next().span;
        match (rooms.get(depth), depth) {
            (Some(room), _) => Ok(Row { brace, begin, room: *room }),
            // a single value may stand in braces too
            (None, 0) => Ok(Row { brace, begin, room: Some(1) }),
            (None, _) => {
                let label = format!("the variable has {} dimensions", rooms.len());
                Err(Complaint::new(brace, "more braces than dimensions", label))
            }
        }
    }

    fn initial_value(&mut self) -> Parsed<Initial> {
        if self.is(Kind::Number) && self.peek_at(1).kind == Kind::Mark(b'(') {
            let mask = self.natural("a mask")?.value;
            self.next();
            let value = self.symbol(mask)?;
            self.expect(b')', "after the masked address")?;
            return Ok(value);
        }
        if self.at_expression() {
            return Ok(Initial::Number(self.expression()?.value.number()));
        }
        self.symbol(u64::MAX)
    }

    /// `variable+8` or `generic(variable)+8`.
    fn symbol(&mut self, mask: u64) -> Parsed<Initial> {
        let word = self.word("an initial value")?;
        let bracket = if word.value == "generic" { self.take(b'(') } else { None };
        let Some(bracket) = bracket else {
            return Ok(Initial::Address { symbol: owned(word), generic: false, offset: self.offset()?, mask });
        };
        let symbol = owned(self.word("the name of a variable")?);
        let inside = self.offset()?;
        if self.take(b')').is_none() {
            return Err(self.missing("`)`", "after the variable").also(bracket, "for this"));
        }
        Ok(Initial::Address { symbol, generic: true, offset: inside.wrapping_add(self.offset()?), mask })
    }

    /// A number that is only looked at and thrown away.
    pub fn skip_number(&mut self) -> Parsed<Value> {
        if !self.is(Kind::Number) {
            return Err(self.unexpected("a number"));
        }
        let value = self.literal()?;
        self.next();
        Ok(value)
    }
}

/// Values that braces have room for, by their depth: the sizes of the dimensions from there on, multiplied. A product
/// that does not fit is no limit, since no file has this many values.
fn rooms(limits: &[Option<u64>]) -> Vec<Option<u64>> {
    let multiply = |room: &mut Option<u64>, limit: &Option<u64>| {
        *room = room.and_then(|room| room.checked_mul((*limit)?));
        Some(*room)
    };
    let mut rooms: Vec<Option<u64>> = limits.iter().rev().scan(Some(1), multiply).collect();
    rooms.reverse();
    rooms
}
