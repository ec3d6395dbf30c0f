//! Wave files: VCD and FST. Both are written as the run goes on: what is held in memory does not grow with it.

mod fst;
mod vcd;

use crate::layout::Entry;
use std::io::{self, Seek, Write};
use std::path::Path;

pub(crate) use vcd::VcdFile;

/// What kind of wave file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Value change dump (IEEE 1800, chapter 21.7): text, understood by everything.
    Vcd,
    /// GTKWave's fast signal trace: binary, compressed, quick to open. It cannot be written to a pipe.
    Fst,
}

impl Format {
    /// The format that a file's ending asks for: FST for `.fst`, VCD for anything else.
    pub fn of(path: &Path) -> Self {
        let is_fst = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fst"));
        if is_fst { Format::Fst } else { Format::Vcd }
    }
}

/// What a file begins with.
#[derive(Clone, Debug)]
pub(crate) struct Header<'a> {
    /// Something about the contents; formats without comments leave it out.
    pub comment: &'a str,
    /// The declarations.
    pub entries: &'a [Entry],
}

/// A wave file under way. Signals are numbered as they are declared, times are nanoseconds and never go back.
pub(crate) enum WaveOutput<W: Write + Seek> {
    Vcd(VcdFile<W>),
    Fst(Box<fst::FstFile<W>>),
}

impl<W: Write + Seek> WaveOutput<W> {
    /// Begins a file.
    pub fn new(format: Format, output: W, header: &Header) -> io::Result<Self> {
        Ok(match format {
            Format::Vcd => WaveOutput::Vcd(VcdFile::new(output, header)?),
            Format::Fst => WaveOutput::Fst(Box::new(fst::FstFile::new(output, header)?)),
        })
    }

    /// What follows happens at this time.
    pub fn time(&mut self, time: u64) -> io::Result<()> {
        match self {
            WaveOutput::Vcd(file) => file.time(time),
            WaveOutput::Fst(file) => file.time(time),
        }
    }

    /// A signal takes a value.
    #[inline]
    pub fn change(&mut self, var: u32, value: u64) -> io::Result<()> {
        match self {
            WaveOutput::Vcd(file) => {
                file.change(var, Some(value));
                Ok(())
            }
            WaveOutput::Fst(file) => file.change(var, value),
        }
    }

    /// Bytes that are held until they can be written.
    pub fn held(&self) -> usize {
        match self {
            WaveOutput::Vcd(file) => file.held(),
            WaveOutput::Fst(file) => file.held(),
        }
    }

    /// Ends the file at this time.
    pub fn finish(self, time: u64) -> io::Result<()> {
        match self {
            WaveOutput::Vcd(file) => file.finish(time),
            WaveOutput::Fst(file) => file.finish(time),
        }
    }
}

/// Who writes.
const WRITER: &str = concat!("txbar ", env!("CARGO_PKG_VERSION"));

/// The eight digits of each byte.
const DIGITS: [[u8; 8]; 256] = {
    let mut table = [[b'0'; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][7 - bit] = b'0' + (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
};
