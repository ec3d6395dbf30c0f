//! VCD files. The declarations are those of the crate `vcd`; changes, which are nearly all of a file, are put together here, many
//! times faster, and without leading zeros (a vector that is too short is extended with zeros: IEEE 1800, 21.7.2.1).
//!
//! ```text
//!   a bit      0!ab\n               eight bytes that are ready, with the digit added to the first
//!   a vector   b 00101100 0111....  !ab\n
//!                └ eight digits of a byte at a time, from the first 1 on: more than there are, and the code over the rest
//! ```
//! Processors guess wrongly what kind of signal changes next, and how long its value is. So a cycle is written kind by kind, bits,
//! then narrow vectors, then wide ones, and of each as many digits as it may have.

use super::{CLOCK, CYCLE_NS, Header, WRITER, digits};
use crate::differ::{Mask, both, each, masks};
use crate::layout::Entry;
use std::io::{self, Write};
use std::mem::take;
use vcd::{IdCode, ReferenceIndex, TimescaleUnit, VarType, Writer};

/// Bytes that are collected before they are written.
const BLOCK: usize = 64 << 10;

/// Digits of the longest value.
const DIGITS: usize = u64::BITS as usize;

/// Bytes of the longest change: `b`, digits, and what a code takes.
const LINE: usize = 1 + DIGITS + 8;

/// Digits of a narrow vector, at most.
const NARROW: usize = 16;

/// Kinds of signals that are written in different ways, by their widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bit,
    Narrow,
    Wide,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Bit, Self::Narrow, Self::Wide];

    fn of(width: usize) -> Self {
        match width {
            1 => Kind::Bit,
            ..=NARROW => Kind::Narrow,
            _ => Kind::Wide,
        }
    }
}

/// How a signal is named in the changes.
#[derive(Clone, Copy)]
struct Code {
    /// The code with what stands before and behind it: of a bit its digit, which is 0 here. The first character is the lowest byte.
    text: u64,
    length: u32,
    kind: Kind,
    /// The bits of the signal: in the simulator a value may have more, above a width that is fixed when the design is elaborated.
    mask: u64,
}

impl Code {
    fn new(id: IdCode, width: usize) -> Self {
        let kind = Kind::of(width);
        let line = if kind == Kind::Bit { format!("0{id}\n") } else { format!(" {id}\n") };
        let mut text = [0; 8];
        text[..line.len()].copy_from_slice(line.as_bytes()); // a code of seven characters would be that of the 94^6th signal
        Self { text: u64::from_le_bytes(text), length: line.len() as u32, kind, mask: u64::MAX >> (DIGITS - width) }
    }

    /// Puts a bit's change at the beginning of the room that there is, and gives the rest, as do those that follow. There must
    /// be room for a [`LINE`].
    #[inline(always)]
    fn bit(self, room: &mut [u8], value: u64) -> &mut [u8] {
        room[..8].copy_from_slice(&(self.text + (value & 1)).to_le_bytes());
        &mut room[self.length as usize..]
    }

    /// That of a vector with this many digits at most.
    #[inline(always)]
    fn vector<const MOST: usize>(self, room: &mut [u8], value: u64) -> &mut [u8] {
        let value = value & self.mask & u64::MAX >> (DIGITS - MOST);
        let zeros = (value | 1).leading_zeros() as usize;
        let (count, bytes) = (DIGITS - zeros, (value << zeros).to_be_bytes());
        let line: &mut [u8; LINE] = room.first_chunk_mut().expect("there is room for a line");
        line[0] = b'b';
        let (places, _) = line[1..].as_chunks_mut();
        for (place, byte) in places.iter_mut().zip(&bytes[..MOST / 8]) {
            *place = digits(*byte);
        }
        line[1 + count..][..8].copy_from_slice(&self.text.to_le_bytes());
        &mut room[1 + count + self.length as usize..]
    }

    /// That of any signal.
    fn change(self, room: &mut [u8], value: u64) -> &mut [u8] {
        match self.kind {
            Kind::Bit => self.bit(room, value),
            Kind::Narrow => self.vector::<NARROW>(room, value),
            Kind::Wide => self.vector::<DIGITS>(room, value),
        }
    }

    /// That of any signal whose value is not known.
    fn unknown(self) -> String {
        let text = String::from_utf8_lossy(&self.text.to_le_bytes()[..self.length as usize]).into_owned();
        if self.kind == Kind::Bit { format!("x{}", &text[1..]) } else { format!("bx{text}") }
    }
}

/// Bytes to be written, with room behind them.
struct Block {
    bytes: Vec<u8>,
    used: usize,
}

impl Block {
    /// Takes what `write` puts into room for this many changes; it gives the rest of that room.
    #[inline(always)]
    fn put(&mut self, changes: usize, write: impl FnOnce(&mut [u8]) -> &mut [u8]) {
        let end = self.used + changes * LINE;
        if self.bytes.len() < end {
            self.bytes.resize(end + BLOCK, 0);
        }
        let rest = write(&mut self.bytes[self.used..end]).len();
        self.used = end - rest;
    }

    /// Takes a line that is not a change of a value.
    fn append(&mut self, text: &str) {
        self.put(1, |room| {
            let (place, rest) = room.split_at_mut(text.len());
            place.copy_from_slice(text.as_bytes());
            rest
        });
    }

    fn take(&mut self) -> &[u8] {
        let used = take(&mut self.used);
        &self.bytes[..used]
    }
}

/// A VCD file under way.
pub(crate) struct VcdFile<W> {
    output: W,
    block: Block,
    /// Of every signal.
    codes: Vec<Code>,
    /// Of every value.
    places: Vec<Code>,
    /// Which values are of each kind.
    kinds: [Vec<Mask>; Kind::ALL.len()],
}

impl<W: Write> VcdFile<W> {
    /// Begins a file.
    pub fn new(output: W, header: &Header) -> io::Result<Self> {
        let mut writer = Writer::new(Vec::new());
        let mut codes: Vec<(IdCode, Code)> = Vec::new();
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
                    let width = var.width as u32;
                    codes.push(match var.same_as {
                        Some(original) => {
                            let code = codes[original as usize];
                            writer.var_def(VarType::Wire, width, code.0, &var.name, range)?;
                            code
                        }
                        None => {
                            let id = writer.add_var(VarType::Wire, width, &var.name, range)?;
                            (id, Code::new(id, var.width))
                        }
                    });
                }
            }
        }
        writer.enddefinitions()?;
        let bytes = take(writer.writer());
        let codes: Vec<Code> = codes.into_iter().map(|(_, code)| code).collect();
        let places: Vec<Code> = header.slots.iter().map(|slot| codes[slot.var as usize]).collect();
        let kinds = Kind::ALL.map(|kind| masks(places.iter().map(|code| code.kind == kind)));
        Ok(Self { output, block: Block { used: bytes.len(), bytes }, codes, places, kinds })
    }

    /// What follows happens at this time.
    pub fn time(&mut self, time: u64) -> io::Result<()> {
        if self.block.used >= BLOCK {
            self.output.write_all(self.block.take())?;
        }
        self.block.append(&format!("#{time}\n"));
        Ok(())
    }

    /// A clock cycle; see [`super::WaveOutput::cycle`].
    pub fn cycle(&mut self, time: u64, differ: &[Mask], values: &[u64]) -> io::Result<()> {
        self.time(time)?;
        self.takes(CLOCK, 1);
        let Self { block, places, kinds: [bits, narrow, wide], .. } = self;
        let changes = differ.iter().map(|differ| differ.count_ones() as usize).sum();
        block.put(changes, |mut room| {
            each(both(differ, bits), |at| room = places[at].bit(take(&mut room), values[at]));
            each(both(differ, narrow), |at| room = places[at].vector::<NARROW>(take(&mut room), values[at]));
            each(both(differ, wide), |at| room = places[at].vector::<DIGITS>(take(&mut room), values[at]));
            room
        });
        self.time(time + CYCLE_NS / 2)?;
        self.takes(CLOCK, 0);
        Ok(())
    }

    /// A signal takes a value.
    pub fn takes(&mut self, var: u32, value: u64) {
        let code = self.codes[var as usize];
        self.block.put(1, |room| code.change(room, value));
    }

    /// A signal has no value that is known.
    pub fn is_unknown(&mut self, var: u32) {
        self.block.append(&self.codes[var as usize].unknown());
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
    use crate::layout::{self, Var};

    #[test]
    fn values_are_written_without_leading_zeros() {
        let var = |name: &str, width| {
            Entry::Var(Var { name: name.to_owned(), width, kind: layout::Kind::Plain, same_as: None })
        };
        let entries = [Entry::Scope("top".to_owned()), var("bit", 1), var("wide", 64), var("narrow", 16), Entry::Up];
        let mut file =
            VcdFile::new(Vec::new(), &Header { comment: "", entries: &entries, slots: &[] }).expect("there is memory");
        file.block.take();
        file.takes(0, 1);
        file.is_unknown(0);
        for value in [0, 1, 0b1_0010_0000, 0x1_8000, u64::MAX] {
            file.takes(1, value);
        }
        file.is_unknown(1);
        for value in [0, 1, 0x8001] {
            file.takes(2, value);
        }
        let ones = "1".repeat(64);
        let text = String::from_utf8(file.block.take().to_vec()).expect("text");
        assert_eq!(
            text,
            format!(
                "1!\nx!\nb0 \"\nb1 \"\nb100100000 \"\nb11000000000000000 \"\nb{ones} \"\nbx \"\nb0 #\nb1 #\nb1000000000000001 #\n"
            )
        );
    }
}
