//! Number of CTAs of a kernel that an H200 holds at once: per multiprocessor, by threads, registers and shared memory.
//!
//! The numbers are those of compute capability 9.0, and the rule is what `cuOccupancyMaxActiveBlocksPerMultiprocessor` answers there.

use std::fmt;

/// Multiprocessors.
pub const MULTIPROCESSORS: u32 = 132;
/// CTAs of one at most.
const CTAS: u32 = 32;
/// Warps of one at most.
const WARPS: u32 = 64;
/// Bytes of its shared memory.
const SHARED: u32 = 228 << 10;
/// Bytes that the system keeps of it for each CTA.
const RESERVED: u32 = 1 << 10;
/// Shared memory is given out in pieces of this many bytes.
const PIECE: u32 = 128;
/// Parts of a multiprocessor: warp w is in part w modulo 4, and has its registers there.
pub const PARTS: usize = 4;
/// Registers of 32 bits of each part.
const REGISTERS: u32 = 16 << 10;
/// Registers of all parts.
pub const ALL_REGISTERS: u32 = REGISTERS * PARTS as u32;

/// What bounds the CTAs of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// 32 CTAs.
    Ctas,
    /// 2,048 threads: those of each CTA in whole warps.
    Threads(u32),
    /// 228 KiB: bytes of each CTA, 1 KiB of the system's with them.
    Shared(u32),
    /// 65,536 registers: registers of a thread.
    Registers(u32),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Bound::Ctas => write!(f, "it holds {CTAS} CTAs at most"),
            Bound::Threads(threads) => write!(f, "it has {} threads, and a CTA takes {threads}", 32 * WARPS),
            Bound::Shared(bytes) => {
                write!(
                    f,
                    "it has {SHARED} bytes of shared memory, and a CTA takes {bytes}, {RESERVED} of the system's with them"
                )
            }
            Bound::Registers(registers) => {
                write!(f, "it has {ALL_REGISTERS} registers, and a thread takes {registers}")
            }
        }
    }
}

/// How many CTAs a multiprocessor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// CTAs of each multiprocessor; 0 if there are too few registers for one.
    pub ctas: u32,
    /// Resource that limits the number.
    pub bound: Bound,
}

impl Residency {
    /// For CTAs of this many threads, with this many bytes of shared memory, and registers of a thread if they are known.
    pub fn of(threads: u32, shared_bytes: u32, registers: Option<u32>) -> Self {
        let warps = threads.div_ceil(32).max(1);
        let bytes = (shared_bytes + RESERVED).next_multiple_of(PIECE);
        let bounds =
            [(CTAS, Bound::Ctas), (WARPS / warps, Bound::Threads(32 * warps)), (SHARED / bytes, Bound::Shared(bytes))];
        let by_registers = registers.map(|registers| {
            let of_warp = 32 * registers.max(1).next_multiple_of(8);
            (PARTS as u32 * (REGISTERS / of_warp) / warps, Bound::Registers(registers))
        });
        let least = bounds.into_iter().chain(by_registers).min_by_key(|(ctas, _)| *ctas);
        let (ctas, bound) = least.unwrap_or((CTAS, Bound::Ctas));
        Self { ctas, bound }
    }

    /// CTAs of all multiprocessors.
    pub fn all(&self) -> u32 {
        self.ctas * MULTIPROCESSORS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the driver (580.159) answers on an H200.
    #[test]
    fn as_the_driver_says() {
        let threads = [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 384, 512, 640, 768, 1024];
        let cases: [(Option<u32>, [u32; 15]); 7] = [
            (None, [32, 32, 21, 16, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 2]),
            (Some(40), [32, 24, 16, 12, 9, 8, 6, 6, 5, 4, 4, 3, 2, 2, 1]),
            (Some(56), [32, 18, 12, 9, 7, 6, 5, 4, 4, 3, 3, 2, 1, 1, 1]),
            (Some(96), [20, 10, 6, 5, 4, 3, 2, 2, 2, 2, 1, 1, 1, 0, 0]),
            (Some(101), [16, 8, 5, 4, 3, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0]),
            (Some(168), [12, 6, 4, 3, 2, 2, 1, 1, 1, 1, 1, 0, 0, 0, 0]),
            (Some(255), [8, 4, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]),
        ];
        for (registers, expected) in cases {
            assert_eq!(threads.map(|threads| Residency::of(threads, 0, registers).ctas), expected, "{registers:?}");
        }
        let shared = [
            (6144, [32, 21, 8, 2]),
            (7000, [28, 21, 8, 2]),
            (16384, [13, 13, 8, 2]),
            (57344, [4, 4, 4, 2]),
            (57345, [3, 3, 3, 2]),
            (115_712, [2, 2, 2, 2]),
            (115_713, [1, 1, 1, 1]),
            (232_448, [1, 1, 1, 1]),
        ];
        for (bytes, expected) in shared {
            assert_eq!(
                [32, 96, 256, 1024].map(|threads| Residency::of(threads, bytes, None).ctas),
                expected,
                "{bytes}"
            );
        }
    }
}
