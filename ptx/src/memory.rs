//! Global memory of a launch: allocations in one address space.

use crate::machine::findings::plural;
use crate::machine::state::ThreadId;
use crate::machine::writers::{Writer, Writers};
use crate::source::Complaint;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Bytes that each allocation begins at a multiple of, and the least that is left free between two of them.
const GRAIN: u64 = 256;

/// Bytes that are kept at least of what threads print: those of CUDA's buffer, unless it is given another size.
const MOST_PRINTED: usize = 1 << 20;

/// An access that hits no allocation.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{} at {address:#x} {} outside of everything that was allocated in global memory{}", plural(*bytes, "byte"),
    if *bytes == 1 { "is" } else { "are" }, beside.as_ref().map_or(String::new(), |beside| format!(": {beside}")))]
pub struct Violation {
    /// The first byte.
    pub address: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// The allocation that is nearest, if it has a name.
    pub beside: Option<Beside>,
}

/// Where an access lies that misses an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The allocation.
    pub name: Arc<str>,
    /// Bytes that it has.
    pub length: u64,
    /// First byte of the access, counted from the beginning of the allocation; below zero before it.
    pub from: i64,
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { name, length, from } = self;
        let has = plural(*length, "byte");
        match from {
            0.. => write!(f, "byte {from} of `{name}`, which has {has}"),
            _ => write!(f, "{} before `{name}`, which has {has}", plural(from.unsigned_abs(), "byte")),
        }
    }
}

/// An allocation.
#[derive(Clone, Debug)]
struct Piece {
    name: Arc<str>,
    address: u64,
    bytes: Vec<u8>,
    writers: Writers,
}

/// Global memory.
#[derive(Clone, Debug, Default)]
pub struct GlobalMemory {
    /// By address.
    pieces: Vec<Piece>,
    end: u64,
    /// Something has been written of which no thread is known.
    anonymous: bool,
    printed: Printed,
}

/// What threads have printed: as much as CUDA's buffer holds, the latest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// Bytes before it that were lost.
    pub lost: usize,
}

/// Last writer of a place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastWrite {
    /// No writer since the launch.
    Nobody,
    /// A thread.
    By(Writer),
    /// Unknown.
    Unknown,
}

impl LastWrite {
    /// The instruction, if it was this thread's of this cluster.
    pub fn of(self, who: ThreadId, cluster: u32) -> Option<usize> {
        match self {
            LastWrite::By(by) if (by.who, by.cluster) == (who, cluster) => Some(by.pc),
            _ => None,
        }
    }
}

impl GlobalMemory {
    /// Empty memory whose first allocation lies at `begin`.
    pub fn new(begin: u64) -> Self {
        Self { end: begin, ..Self::default() }
    }

    /// Allocates memory with this content, and says where.
    pub fn allocate(&mut self, bytes: Vec<u8>) -> u64 {
        self.allocate_as("", bytes)
    }

    /// As `allocate`, with a name for messages.
    pub fn allocate_as(&mut self, name: &str, bytes: Vec<u8>) -> u64 {
        let address = self.end.next_multiple_of(GRAIN);
        self.end = address + bytes.len() as u64 + GRAIN;
        self.pieces.push(Piece { name: name.into(), address, bytes, writers: Writers::default() });
        address
    }

    /// The piece that an access is in, and where in it.
    fn find(&self, address: u64, bytes: usize) -> Result<(usize, usize), Violation> {
        let place = self.pieces.partition_point(|piece| piece.address <= address);
        let within = place.checked_sub(1).filter(|place| {
            let Piece { address: begin, bytes: all, .. } = &self.pieces[*place];
            (address - begin).checked_add(bytes as u64).is_some_and(|end| end <= all.len() as u64)
        });
        match within {
            Some(place) => Ok((place, (address - self.pieces[place].address) as usize)),
            None => Err(Violation { address, bytes: bytes as u64, beside: self.beside(address, place) }),
        }
    }

    /// The allocation nearest to an address, before which `next` begins, if it has a name.
    fn beside(&self, address: u64, next: usize) -> Option<Beside> {
        let around = [next.checked_sub(1), Some(next)];
        let pieces = around.into_iter().flatten().filter_map(|place| self.pieces.get(place));
        let gap = |piece: &&Piece| match address.checked_sub(piece.address) {
            Some(from) => from.saturating_sub(piece.bytes.len() as u64),
            None => piece.address - address,
        };
        let Piece { name, address: begin, bytes, .. } =
            pieces.min_by_key(gap).filter(|piece| !piece.name.is_empty())?;
        Some(Beside { name: Arc::clone(name), length: bytes.len() as u64, from: address.wrapping_sub(*begin) as i64 })
    }

    /// The bytes at an address.
    ///
    /// # Errors
    /// Some of them have not been allocated.
    pub fn read(&self, address: u64, bytes: usize) -> Result<&[u8], Violation> {
        let (place, offset) = self.find(address, bytes)?;
        Ok(&self.pieces[place].bytes[offset..offset + bytes])
    }

    /// Up to 8 bytes as a little-endian number.
    ///
    /// # Errors
    /// Some of them have not been allocated.
    pub fn value(&self, address: u64, bytes: usize) -> Result<u64, Violation> {
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(self.read(address, bytes)?);
        Ok(u64::from_le_bytes(value))
    }

    /// Writes bytes, and says whether that changed anything.
    ///
    /// # Errors
    /// Some of them have not been allocated.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<bool, Violation> {
        let (place, offset) = self.find(address, bytes.len())?;
        let there = &mut self.pieces[place].bytes[offset..offset + bytes.len()];
        let changes = there != bytes;
        there.copy_from_slice(bytes);
        Ok(changes)
    }

    /// The name of the allocation that an address is in, and the bytes from its beginning.
    pub fn name(&self, address: u64) -> Option<(&str, u64)> {
        let (place, offset) = self.find(address, 1).ok()?;
        Some((&self.pieces[place].name, offset as u64))
    }

    /// A thread has written bytes, or has a copy or a reduction write them.
    pub fn wrote(&mut self, address: u64, bytes: usize, by: Writer) {
        if let Ok((place, offset)) = self.find(address, bytes) {
            self.pieces[place].writers.wrote(offset, bytes, by);
        }
    }

    /// A thread prints.
    pub fn print(&mut self, text: &str) {
        let Printed { text: all, lost } = &mut self.printed;
        all.push_str(text);
        if all.len() > 2 * MOST_PRINTED {
            let cut = (all.len() - MOST_PRINTED..).find(|at| all.is_char_boundary(*at)).unwrap_or(0);
            all.drain(..cut);
            *lost += cut;
        }
    }

    /// Text printed by the kernel.
    pub fn printed(&self) -> &Printed {
        &self.printed
    }

    /// Something is written of which [`GlobalMemory::wrote`] is not told.
    pub fn is_written_unseen(&mut self) {
        self.anonymous = true;
    }

    /// Last writer of one of these bytes.
    pub fn last_write(&self, address: u64, bytes: usize) -> LastWrite {
        let found = self.find(address, bytes).ok();
        match found.and_then(|(place, offset)| self.pieces[place].writers.last(offset, bytes)) {
            _ if self.anonymous => LastWrite::Unknown,
            Some(writer) => LastWrite::By(writer),
            None => LastWrite::Nobody,
        }
    }

    /// The 8 bytes at a multiple of 8, as a burst reads them: what was not allocated is zero.
    pub fn word(&self, address: u64) -> u64 {
        let mut word = [0; 8];
        for (byte, place) in word.iter_mut().zip(address..) {
            *byte = self.read(place, 1).map_or(0, |bytes| bytes[0]);
        }
        u64::from_le_bytes(word)
    }
}

impl Violation {
    /// As an error about an instruction.
    pub fn at(self, span: crate::source::Span) -> Complaint {
        Complaint::new(span, self.to_string(), "executed here")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_apart_and_guarded() {
        let mut memory = GlobalMemory::new(0x1000);
        let (first, second) = (memory.allocate(vec![1; 100]), memory.allocate(vec![2; 8]));
        assert_eq!((first % GRAIN, second % GRAIN), (0, 0));
        assert!(second - first >= 100 + GRAIN);
        assert_eq!(memory.value(first + 96, 4), Ok(0x0101_0101));
        let violation = |address, bytes| Violation { address, bytes, beside: None };
        assert_eq!(memory.value(first + 97, 4), Err(violation(first + 97, 4)));
        assert_eq!(memory.value(first - 1, 1), Err(violation(first - 1, 1)));
        assert_eq!(memory.value(u64::MAX, 8), Err(violation(u64::MAX, 8)));
    }

    #[test]
    fn an_access_that_misses_says_what_is_beside_it() {
        let mut memory = GlobalMemory::new(0x1000);
        let [first, second] = ["in", "out"].map(|name| memory.allocate_as(name, vec![0; 100]));
        let said = |address| memory.read(address, 4).map_err(|violation| violation.to_string());
        let outside = |address| {
            format!("4 bytes at {address:#x} are outside of everything that was allocated in global memory: ")
        };
        let cases = [
            (first + 98, "byte 98 of `in`, which has 100 bytes"),
            (first + 104, "byte 104 of `in`, which has 100 bytes"),
            (second - 8, "8 bytes before `out`, which has 100 bytes"),
            (second + 5000, "byte 5000 of `out`, which has 100 bytes"),
        ];
        for (address, beside) in cases {
            assert_eq!(said(address), Err(outside(address) + beside));
        }
    }

    #[test]
    fn writing_says_whether_anything_changed() {
        let mut memory = GlobalMemory::new(0);
        let place = memory.allocate(vec![0; 16]);
        assert_eq!(memory.write(place + 4, &[0, 0]), Ok(false));
        assert_eq!(memory.write(place + 4, &[0, 7]), Ok(true));
        assert_eq!(memory.word(place), 7 << 40);
        assert_eq!(memory.word(place + 16), 0, "behind the end a burst reads zeros");
        assert!(memory.write(place + 15, &[1, 1]).is_err());
    }
}
