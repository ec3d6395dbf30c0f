//! Wave files: VCD and FST. Both are written during the run, with constant memory.

mod fst;
mod vcd;

use crate::differ::Mask;
use crate::layout::{Entry, Slot};
use crate::write::CYCLE_NS;
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

/// Header of a file.
#[derive(Clone, Debug)]
pub(crate) struct Header<'a> {
    /// Something about the contents; formats without comments leave it out.
    pub comment: &'a str,
    /// The declarations, with the clock as the first signal.
    pub entries: &'a [Entry],
    /// Where the values of a cycle go to.
    pub slots: &'a [Slot],
}

/// The number of the clock among the signals.
pub(crate) const CLOCK: u32 = 0;

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

    /// A clock cycle begins at this time, and what differs takes its value; the clock falls when half of it is over.
    pub fn cycle(&mut self, time: u64, differ: &[Mask], values: &[u64]) -> io::Result<()> {
        match self {
            WaveOutput::Vcd(file) => file.cycle(time, differ, values),
            WaveOutput::Fst(file) => file.cycle(time, differ, values),
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

/// Name of the writer.
pub(crate) const WRITER: &str = concat!("txbar ", env!("CARGO_PKG_VERSION"));

/// The eight digits of a byte.
#[inline(always)]
fn digits(byte: u8) -> [u8; 8] {
    // the byte eight times, each copy shifted by one bit more; of each the lowest bit counts
    let copies = u64::from(byte).wrapping_mul(0x8040_2010_0804_0201);
    ((copies >> 7 & 0x0101_0101_0101_0101) | 0x3030_3030_3030_3030).to_le_bytes()
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_have_their_digits() {
        for byte in 0..=u8::MAX {
            assert_eq!(super::digits(byte), format!("{byte:08b}").as_bytes());
        }
    }
}
