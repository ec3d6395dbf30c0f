//! VCD files. The declarations are those of the crate `vcd`; changes, which are nearly all of a file, are put together here, many
//! times faster, and without leading zeros (a vector that is too short is extended with zeros: IEEE 1800, 21.7.2.1).

use super::{DIGITS, Header, WRITER};
use crate::layout::Entry;
use std::io::{self, Write};
use vcd::{IdCode, ReferenceIndex, TimescaleUnit, VarType, Writer};

/// Bytes that are collected before they are written: few enough to stay near the processor.
const BLOCK: usize = 16 << 10;

/// Bytes of the longest change: `b`, 64 digits, and what a code takes.
const LINE: usize = 1 + 64 + 8 + 8;

/// How a signal is named in the changes.
struct Code {
    /// The code with what stands before and behind it.
    text: [u8; 8],
    length: u8,
    is_bit: bool,
}

impl Code {
    fn new(id: IdCode, width: usize) -> Self {
        let is_bit = width == 1;
        let line = if is_bit { format!("{id}\n") } else { format!(" {id}\n") };
        let mut text = [0; 8];
        text[..line.len()].copy_from_slice(line.as_bytes()); // a code of six characters would be that of the 94^5th signal
        Self { text, length: line.len() as u8, is_bit }
    }
}

/// Bytes to be written, with room behind them: eight are written at a time, also where fewer count.
struct Block {
    bytes: Vec<u8>,
    used: usize,
}

impl Block {
    /// Makes room for a change.
    #[inline]
    fn reserve(&mut self) {
        if self.bytes.len() < self.used + LINE {
            self.bytes.resize(self.used + LINE + BLOCK, 0);
        }
    }

    #[inline]
    fn push(&mut self, eight: [u8; 8], count: usize) {
        // always there: see `reserve`
        if let Some(place) = self.bytes[self.used..].first_chunk_mut() {
            *place = eight;
        }
        self.used += count;
    }

    /// Takes a line that is not a change.
    fn append(&mut self, text: &[u8]) {
        self.reserve();
        self.bytes[self.used..self.used + text.len()].copy_from_slice(text);
        self.used += text.len();
    }

    fn take(&mut self) -> &[u8] {
        let used = std::mem::take(&mut self.used);
        &self.bytes[..used]
    }
}

/// A VCD file under way.
pub(crate) struct VcdFile<W> {
    output: W,
    block: Block,
    codes: Vec<Code>,
}

impl<W: Write> VcdFile<W> {
    /// Begins a file.
    pub fn new(output: W, header: &Header) -> io::Result<Self> {
        let mut writer = Writer::new(Vec::new());
        let mut codes = Vec::new();
        writer.version(WRITER)?;
        if !header.comment.is_empty() {
            writer.comment(header.comment)?;
        }
        writer.timescale(1, TimescaleUnit::NS)?;
        for entry in header.entries {
            match entry {
                Entry::Scope(name) => writer.add_module(name)?,
                Entry::Up => writer.upscope()?,
                Entry::Var(var) => {
                    let range = (var.width > 1).then(|| ReferenceIndex::Range(var.width as i32 - 1, 0));
                    let id = writer.add_var(VarType::Wire, var.width as u32, &var.name, range)?;
                    codes.push(Code::new(id, var.width));
                }
            }
        }
        writer.enddefinitions()?;
        let bytes = std::mem::take(writer.writer());
        Ok(Self { output, block: Block { used: bytes.len(), bytes }, codes })
    }

    /// What follows happens at this time.
    pub fn time(&mut self, time: u64) -> io::Result<()> {
        if self.block.used >= BLOCK {
            self.output.write_all(self.block.take())?;
        }
        self.block.append(format!("#{time}\n").as_bytes());
        Ok(())
    }

    /// A signal takes a value, or none that is known.
    #[inline]
    pub fn change(&mut self, var: u32, value: Option<u64>) {
        let code = &self.codes[var as usize];
        let block = &mut self.block;
        block.reserve();
        match (value, code.is_bit) {
            (Some(value), true) => block.push([b'0' + (value & 1) as u8; 8], 1),
            (None, true) => block.push([b'x'; 8], 1),
            (None, false) => block.push(*b"bx      ", 2),
            (Some(value), false) => {
                block.push([b'b'; 8], 1);
                let bytes = value.to_be_bytes();
                let first = (value.leading_zeros() as usize / 8).min(7);
                let zeros = (bytes[first].leading_zeros() as usize).min(7);
                // the first digits without the zeros before them
                let digits = u64::from_be_bytes(DIGITS[usize::from(bytes[first])]) << (8 * zeros);
                block.push(digits.to_be_bytes(), 8 - zeros);
                for byte in &bytes[first + 1..] {
                    block.push(DIGITS[usize::from(*byte)], 8);
                }
            }
        }
        block.push(code.text, usize::from(code.length));
    }

    /// Bytes that are held until they can be written.
    pub fn held(&self) -> usize {
        self.block.used
    }

    /// Ends the file at this time.
    pub fn finish(mut self, time: u64) -> io::Result<()> {
        self.time(time)?;
        self.output.write_all(self.block.take())?;
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Kind, Var};

    #[test]
    fn values_are_written_without_leading_zeros() {
        let var = |name: &str, width| Entry::Var(Var { name: name.to_owned(), width, kind: Kind::Plain });
        let entries = [Entry::Scope("top".to_owned()), var("bit", 1), var("wide", 64), Entry::Up];
        let mut file = VcdFile::new(Vec::new(), &Header { comment: "", entries: &entries }).expect("there is memory");
        file.block.take();
        file.change(0, Some(1));
        file.change(0, None);
        for value in [0, 1, 0b1_0010_0000, u64::MAX] {
            file.change(1, Some(value));
        }
        file.change(1, None);
        let ones = "1".repeat(64);
        let text = String::from_utf8(file.block.take().to_vec()).expect("text");
        assert_eq!(text, format!("1!\nx!\nb0 \"\nb1 \"\nb100100000 \"\nb{ones} \"\nbx \"\n"));
    }
}
