//! Writes a table of values, a column a signal and a row a clock cycle, as VCD.

use crate::write::CYCLE_NS;
use std::collections::BTreeMap;
use std::io::{self, Write};
use vcd::{IdCode, ReferenceIndex, TimescaleUnit, Value, VarType, Writer};

/// A signal and its value in each cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; dots stand between it and the scopes that it is in.
    pub name: String,
    /// Its width in bits, 1 to 64.
    pub width: usize,
    /// Its values.
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

    fn declare<W: Write>(
        &self,
        name: &str,
        writer: &mut Writer<W>,
        declared: &mut Vec<(IdCode, &'a Column)>,
    ) -> io::Result<()> {
        writer.add_module(name)?;
        for (name, column) in &self.signals {
            let range = (column.width > 1).then(|| ReferenceIndex::Range(column.width as i32 - 1, 0));
            declared.push((writer.add_var(VarType::Wire, column.width as u32, name, range)?, *column));
        }
        for (name, scope) in &self.scopes {
            scope.declare(name, writer, declared)?;
        }
        writer.upscope()
    }
}

/// Writes the columns, below a scope of this name, with a clock.
///
/// # Errors
/// The file cannot be written.
pub fn write_table(output: impl Write, top: &str, columns: &[Column]) -> io::Result<()> {
    let mut writer = Writer::new(output);
    writer.version(concat!("txbar ", env!("CARGO_PKG_VERSION")))?;
    writer.timescale(1, TimescaleUnit::NS)?;
    let cycles = columns.iter().map(|column| column.values.len()).max().unwrap_or(0);
    let clock = Column { name: "clk".to_owned(), width: 1, values: Vec::new() };
    let mut scope = Scope::default();
    scope.enter(&clock.name, &clock);
    for column in columns {
        scope.enter(&column.name, column);
    }
    let mut declared = Vec::new();
    scope.declare(top, &mut writer, &mut declared)?;
    writer.enddefinitions()?;
    let (clock, declared) = (declared[0].0, &declared[1..]); // the clock was declared first
    for cycle in 0..cycles {
        writer.timestamp(cycle as u64 * CYCLE_NS)?;
        writer.change_scalar(clock, true)?;
        for (id, column) in declared {
            let value = column.values.get(cycle);
            if cycle > 0 && value == column.values.get(cycle - 1) {
                continue;
            }
            let bit = |position: usize| match value {
                Some(value) if value >> position & 1 != 0 => Value::V1,
                Some(_) => Value::V0,
                None => Value::X,
            };
            match column.width {
                1 => writer.change_scalar(*id, bit(0))?,
                width => writer.change_vector(*id, (0..width).rev().map(bit))?,
            }
        }
        writer.timestamp(cycle as u64 * CYCLE_NS + CYCLE_NS / 2)?;
        writer.change_scalar(clock, false)?;
    }
    writer.timestamp(cycles as u64 * CYCLE_NS)?;
    writer.flush()
}
