//! Writes a table of values, one column per signal and one row per clock cycle, as VCD.

use crate::format::{CLOCK, Header, VcdFile};
use crate::layout::{Entry, Kind, Var};
use crate::write::CYCLE_NS;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A signal and its value in each cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; dots stand between it and the scopes that it is in.
    pub name: String,
    /// Its width in bits, 1 to 64.
    pub width: usize,
    /// Values.
    pub values: Vec<u64>,
}

/// A scope with the signals and scopes in it.
#[derive(Default)]
struct Scope<'a> {
    signals: Vec<(&'a str, &'a Column)>,
    scopes: BTreeMap<&'a str, Scope<'a>>,
}

impl<'a> Scope<'a> {
    fn enter(&mut self, path: &'a str, column: &'a Column) {
        match path.split_once('.') {
            Some((scope, rest)) => self.scopes.entry(scope).or_default().enter(rest, column),
            None => self.signals.push((path, column)),
        }
    }

    fn declare(&self, name: &str, entries: &mut Vec<Entry>, declared: &mut Vec<&'a Column>) {
        entries.push(Entry::Scope(name.to_owned()));
        for (name, column) in &self.signals {
            entries.push(Entry::Var(Var {
                name: (*name).to_owned(),
                width: column.width,
                kind: Kind::Plain,
                same_as: None,
            }));
            declared.push(column);
        }
        for (name, scope) in &self.scopes {
            scope.declare(name, entries, declared);
        }
        entries.push(Entry::Up);
    }
}

/// Writes the columns, below a scope of this name, with a clock.
///
/// # Errors
/// The file cannot be written.
pub fn write_table(output: impl Write, top: &str, columns: &[Column]) -> io::Result<()> {
    let cycles = columns.iter().map(|column| column.values.len()).max().unwrap_or(0);
    let clock = Column { name: "clk".to_owned(), width: 1, values: Vec::new() };
    let mut scope = Scope::default();
    scope.enter(&clock.name, &clock);
    for column in columns {
        scope.enter(&column.name, column);
    }
    let (mut entries, mut declared) = (Vec::new(), Vec::new());
    scope.declare(top, &mut entries, &mut declared);
    let mut file = VcdFile::new(output, &Header { comment: "", entries: &entries, slots: &[] })?;
    for cycle in 0..cycles {
        file.time(cycle as u64 * CYCLE_NS)?;
        file.takes(CLOCK, 1);
        for (var, column) in (0..).zip(&declared).skip(1) {
            let value = column.values.get(cycle);
            if cycle == 0 || value != column.values.get(cycle - 1) {
                match value {
                    Some(value) => file.takes(var, *value),
                    None => file.is_unknown(var),
                }
            }
        }
        file.time(cycle as u64 * CYCLE_NS + CYCLE_NS / 2)?;
        file.takes(CLOCK, 0);
    }
    file.finish(cycles as u64 * CYCLE_NS)
}
