//! Last writer of each place in memory: 8 bytes for every 4 bytes name an instruction of a thread.

use crate::machine::state::ThreadId;

/// Bytes that have a writer of their own.
const PART: usize = 4;

/// A thread's instruction that wrote to memory, or had a copy or a reduction do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Number of its cluster in the grid, below 2^20.
    pub cluster: u32,
    /// The thread.
    pub who: ThreadId,
    /// The instruction, below 2^30.
    pub pc: usize,
}

impl Writer {
    /// In 64 bits, never 0.
    fn pack(self) -> u64 {
        let ThreadId { cta, thread } = self.who;
        1 << 63
            | (u64::from(self.cluster) & 0xf_ffff) << 43
            | (u64::from(cta) & 7) << 40
            | (u64::from(thread) & 0x3ff) << 30
            | self.pc as u64 & 0x3fff_ffff
    }

    fn unpack(bits: u64) -> Option<Self> {
        (bits != 0).then_some(Self {
            cluster: (bits >> 43 & 0xf_ffff) as u32,
            who: ThreadId { cta: (bits >> 40 & 7) as u8, thread: (bits >> 30 & 0x3ff) as u16 },
            pc: (bits & 0x3fff_ffff) as usize,
        })
    }
}

/// The writers of some memory; it grows as far as it has been written.
#[derive(Clone, Debug, Default)]
pub struct Writers(Vec<u64>);

impl Writers {
    /// Bytes from an offset on have been written.
    pub fn wrote(&mut self, offset: usize, bytes: usize, by: Writer) {
        let (first, end) = (offset / PART, (offset + bytes).div_ceil(PART));
        if self.0.len() < end {
            self.0.resize(end, 0);
        }
        self.0[first..end].fill(by.pack());
    }

    /// Who wrote one of these bytes, the first of them that anybody wrote.
    pub fn last(&self, offset: usize, bytes: usize) -> Option<Writer> {
        (offset / PART..(offset + bytes).div_ceil(PART)).find_map(|part| Writer::unpack(*self.0.get(part)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_writer_of_each_part() {
        let by = |thread, pc| Writer { cluster: 0xf_fffe, who: ThreadId { cta: 7, thread }, pc };
        let mut writers = Writers::default();
        assert_eq!(writers.last(0, 8), None);
        writers.wrote(8, 8, by(1023, 5));
        writers.wrote(13, 1, by(3, 0x3fff_ffff));
        assert_eq!((writers.last(0, 8), writers.last(8, 4)), (None, Some(by(1023, 5))));
        assert_eq!((writers.last(12, 4), writers.last(4, 8)), (Some(by(3, 0x3fff_ffff)), Some(by(1023, 5))));
    }
}
