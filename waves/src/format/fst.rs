//! FST files, with the crate `fst-writer`. It collects changes until it is told to write a section; that is done whenever
//! [`SECTION`] is full.

use super::{CLOCK, CYCLE_NS, Header, WRITER, digits};
use crate::differ::{Mask, each};
use crate::layout::Entry;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType, FstWriteError,
};
use std::io::{self, Seek, Write};

/// Bytes of changes in a section of the file, and so in memory.
const SECTION: usize = 4 << 20;

/// An FST file under way.
pub(crate) struct FstFile<W: Write + Seek> {
    writer: FstBodyWriter<W>,
    ids: Vec<(FstSignalId, usize)>,
    /// Numbers of the signals that values go to.
    vars: Vec<u32>,
}

impl<W: Write + Seek> FstFile<W> {
    /// Begins a file.
    pub fn new(mut output: W, header: &Header) -> io::Result<Self> {
        // what cannot be wound back is told at once: the length of the file goes to its beginning
        output.stream_position().map_err(|_| io::Error::other("FST cannot be written to a pipe; VCD can"))?;
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -9,
            version: WRITER.to_owned(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut writer = FstHeaderWriter::new(output, &info).map_err(failed)?;
        let mut ids: Vec<(FstSignalId, usize)> = Vec::new();
        for entry in header.entries {
            match entry {
                Entry::Scope(name) => writer.scope(name, "", FstScopeType::Module).map_err(failed)?,
                Entry::Up => writer.up_scope().map_err(failed)?,
                Entry::Var(var) => {
                    let name = match var.width {
                        1 => var.name.clone(),
                        width => format!("{} [{}:0]", var.name, width - 1),
                    };
                    let ty = FstSignalType::bit_vec(var.width as u32);
                    let alias = var.same_as.map(|number| ids[number as usize].0);
                    let id =
                        writer.var(name, ty, FstVarType::Wire, FstVarDirection::Implicit, alias).map_err(failed)?;
                    ids.push((id, var.width));
                }
            }
        }
        let mut writer = writer.finish().map_err(failed)?;
        writer.set_deduplicate(false); // only changes come here
        Ok(Self { writer, ids, vars: header.slots.iter().map(|slot| slot.var).collect() })
    }

    /// What follows happens at this time.
    fn time(&mut self, time: u64) -> io::Result<()> {
        if self.writer.size() >= SECTION {
            self.writer.flush().map_err(failed)?; // it must be done right before a new time
        }
        self.writer.time_change(time).map_err(failed)
    }

    /// A clock cycle; see [`super::WaveOutput::cycle`].
    pub fn cycle(&mut self, time: u64, differ: &[Mask], values: &[u64]) -> io::Result<()> {
        self.time(time)?;
        self.change(CLOCK, 1)?;
        let mut result = Ok(());
        each(differ.iter().copied(), |position| {
            if result.is_ok() {
                result = self.change(self.vars[position], values[position]);
            }
        });
        result?;
        self.time(time + CYCLE_NS / 2)?;
        self.change(CLOCK, 0)
    }

    /// A signal takes a value.
    fn change(&mut self, var: u32, value: u64) -> io::Result<()> {
        let (id, width) = self.ids[var as usize];
        let mut text = [0; u64::BITS as usize];
        for (text, byte) in text.chunks_exact_mut(8).zip(value.to_be_bytes()).skip((64 - width) / 8) {
            text.copy_from_slice(&digits(byte));
        }
        self.writer.signal_change(id, &text[64 - width..]).map_err(failed)
    }

    /// Bytes that are held until they can be written.
    pub fn held(&self) -> usize {
        self.writer.size()
    }

    /// Ends the file at this time.
    pub fn finish(mut self, time: u64) -> io::Result<()> {
        self.time(time)?;
        self.writer.finish().map_err(failed)?.flush()
    }
}

fn failed(error: FstWriteError) -> io::Error {
    match error {
        FstWriteError::Io(error) => error,
        error => io::Error::other(error),
    }
}
