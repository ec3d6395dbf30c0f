//! Global memory of a launch: what has been allocated, in one address space.

use crate::machine::writers::{Writer, Writers};
use crate::source::Complaint;
use thiserror::Error;

/// Bytes that each allocation begins at a multiple of, and the least that is left free between two of them.
const GRAIN: u64 = 256;

/// Bytes that are kept at least of what threads print: those of CUDA's buffer, unless it is given another size.
const MOST_PRINTED: usize = 1 << 20;

/// An access that hits no allocation.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{bytes} bytes at {address:#x} are outside of everything that was allocated in global memory")]
pub struct Violation {
    /// The first byte.
    pub address: u64,
    /// How many.
    pub bytes: u64,
}

/// An allocation.
#[derive(Clone, Debug)]
struct Piece {
    name: String,
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

/// Who wrote a place in memory last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastWrite {
    /// Nobody since the launch.
    Nobody,
    /// A thread.
    By(Writer),
    /// That is not known.
    Unknown,
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

    /// The same, with a name for messages.
    pub fn allocate_as(&mut self, name: &str, bytes: Vec<u8>) -> u64 {
        let address = self.end.next_multiple_of(GRAIN);
        self.end = address + bytes.len() as u64 + GRAIN;
        self.pieces.push(Piece { name: name.to_string(), address, bytes, writers: Writers::default() });
        address
    }

    /// The piece that an access is in, and where in it.
    fn find(&self, address: u64, bytes: usize) -> Result<(usize, usize), Violation> {
        let violation = Violation { address, bytes: bytes as u64 };
        let place = self.pieces.partition_point(|piece| piece.address <= address).checked_sub(1).ok_or(violation)?;
        let offset = address - self.pieces[place].address;
        let length = self.pieces[place].bytes.len() as u64;
        let fits = offset.checked_add(bytes as u64).is_some_and(|end| end <= length);
        if fits { Ok((place, offset as usize)) } else { Err(violation) }
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

    /// What has been printed.
    pub fn printed(&self) -> &Printed {
        &self.printed
    }

    /// Something is written of which [`GlobalMemory::wrote`] is not told.
    pub fn is_written_unseen(&mut self) {
        self.anonymous = true;
    }

    /// Who wrote one of these bytes last.
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
    /// The same as a complaint about an instruction.
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
        assert_eq!(memory.value(first + 97, 4), Err(Violation { address: first + 97, bytes: 4 }));
        assert_eq!(memory.value(first - 1, 1), Err(Violation { address: first - 1, bytes: 1 }));
        assert_eq!(memory.value(u64::MAX, 8), Err(Violation { address: u64::MAX, bytes: 8 }));
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
