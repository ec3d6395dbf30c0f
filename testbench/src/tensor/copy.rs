//! Copies between shared and global memory by a tensor map.
//!
//! What lies outside of the tensor is filled in shared memory, and left alone in global memory. Loads round f32 to tf32 where the
//! map says so; subnormal numbers are left as they are, whatever the element type is called: only sums flush them.

use super::address::{PIECE, swizzled};
use super::map::TensorMap;
use super::number;
use super::reduce::Operation;
use thiserror::Error;

/// Cause of a trap of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum Trap {
    #[error("coordinate {0} of dimension 0 is not a multiple of 16 bytes")]
    Coordinate(i32),
    #[error("a store has a negative coordinate, {0}")]
    Negative(i32),
    #[error("the pixel it begins with is not between the corners of the map")]
    Corners,
    #[error("{0} is not defined for {1}")]
    Type(&'static str, &'static str),
    #[error("address {0:#x} in shared memory is outside of it")]
    Shared(u64),
    #[error("address {0:#x} in global memory is outside of it")]
    Global(u64),
}

/// The memories of a copy.
#[derive(Debug)]
pub struct Memories<'a> {
    /// Shared memory, from address 0 of a multiple of 1,024 bytes on.
    pub shared: &'a mut [u8],
    /// Global memory.
    pub global: &'a mut [u8],
    /// Address of the first byte of global memory.
    pub origin: u64,
}

impl Memories<'_> {
    fn shared(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], Trap> {
        part(self.shared, address, bytes).ok_or(Trap::Shared(address))
    }

    fn global(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], Trap> {
        let offset = address.checked_sub(self.origin);
        offset.and_then(|offset| part(self.global, offset, bytes)).ok_or(Trap::Global(address))
    }
}

fn part(memory: &mut [u8], from: u64, bytes: u64) -> Option<&mut [u8]> {
    let from = usize::try_from(from).ok()?;
    memory.get_mut(from..from.checked_add(bytes as usize)?)
}

/// Place of a copy.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Coordinates, innermost first.
    pub at: &'a [i32],
    /// Offsets of im2col.
    pub offsets: &'a [u32],
    /// Address in shared memory.
    pub shared: u64,
}

impl TensorMap {
    /// Loads: global memory to shared memory. Gives the bytes that complete on the barrier.
    ///
    /// # Errors
    /// Why it traps. Nothing is written then, unless a memory is too small.
    pub fn load(&self, place: Place, memories: &mut Memories) -> Result<u64, Trap> {
        self.check_place(place)?;
        let fill = if self.fill == 0 { 0 } else { 0x7ff7_7ff7_7ff7_7ff7u64 };
        for row in self.rows(place.at, place.offsets) {
            for unit in self.units(&row) {
                let mut bytes = match unit.global {
                    Some(address) => memories.global(address, self.unit())?.to_vec(),
                    None => fill.to_le_bytes().repeat(4)[..self.unit() as usize].to_vec(),
                };
                if unit.global.is_some() && self.element.rounds() {
                    bytes.chunks_exact_mut(4).for_each(round);
                }
                for (index, piece) in (0..).zip(bytes.chunks(PIECE as usize)) {
                    let address = swizzled(place.shared + unit.shared + index * PIECE, self.swizzle);
                    memories.shared(address, piece.len() as u64)?.copy_from_slice(piece);
                }
            }
        }
        Ok(self.bytes())
    }

    /// Stores, or reduces with an operation: shared memory to global memory.
    ///
    /// # Errors
    /// Why it traps. Nothing is written then, unless a memory is too small.
    pub fn store(&self, reduction: Option<Operation>, place: Place, memories: &mut Memories) -> Result<(), Trap> {
        self.check_place(place)?;
        if let Some(at) = place.at.iter().find(|at| **at < 0) {
            return Err(Trap::Negative(*at));
        }
        if let Some(operation) = reduction.filter(|operation| !operation.takes(self.element)) {
            return Err(Trap::Type(operation.name(), self.element.name()));
        }
        for (shared, global) in self.pieces(place.at, place.offsets) {
            for index in (0..PIECE).step_by(self.element.bytes() as usize) {
                let from = swizzled(place.shared + shared + index, self.swizzle);
                self.store_element(reduction, from, global + index, memories)?;
            }
        }
        Ok(())
    }

    fn store_element(
        &self,
        reduction: Option<Operation>,
        from: u64,
        to: u64,
        memories: &mut Memories,
    ) -> Result<(), Trap> {
        let bytes = self.element.bytes();
        let operand = memories.shared(from, bytes)?.to_vec();
        let memory = memories.global(to, bytes)?;
        let Some(operation) = reduction else {
            memory.copy_from_slice(&operand);
            return Ok(());
        };
        let result = operation.apply(self.element, number(memory), number(&operand));
        memory.copy_from_slice(&result.to_le_bytes()[..bytes as usize]);
        Ok(())
    }

    /// What holds for loads and stores.
    fn check_place(&self, place: Place) -> Result<(), Trap> {
        let first = place.at[0];
        let bytes = i64::from(first) * self.element.bytes() as i64;
        if self.interleave == 0 && bytes % PIECE as i64 != 0 {
            return Err(Trap::Coordinate(first));
        }
        if !self.is_between_corners(place.at) {
            return Err(Trap::Corners);
        }
        Ok(())
    }
}

/// Rounds an element of 4 bytes in place.
fn round(element: &mut [u8]) {
    let rounded = round_to_tf32(number(element) as u32);
    element.copy_from_slice(&rounded.to_le_bytes());
}

/// Rounds to 10 bits behind the point, to nearest, ties to even; every NaN becomes the same one, and what is too large infinity. So do
/// loads of tensors, and PTX's `cvt.rn.tf32.f32`.
pub fn round_to_tf32(bits: u32) -> u32 {
    const INFINITY: u32 = 0x7f80_0000;
    match bits & 0x7fff_ffff {
        INFINITY => bits,
        magnitude if magnitude > INFINITY => 0x7fff_e000,
        _ => (bits + 0xfff + (bits >> 13 & 1)) & !0x1fff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an H200 made of these (driver 580.159, a copy of one dimension, both types).
    #[test]
    fn tf32_rounds_ties_to_even() {
        for (from, to) in [
            (0x3f80_1000, 0x3f80_0000),
            (0x3f80_3000, 0x3f80_4000),
            (0x3f80_5000, 0x3f80_4000),
            (0xbf80_1000, 0xbf80_0000),
            (0xbf80_3000, 0xbf80_4000),
            (0x3f80_0fff, 0x3f80_0000),
            (0x3f80_1001, 0x3f80_2000),
            (0x3f80_2fff, 0x3f80_2000),
            (0x7f7f_f000, 0x7f80_0000),
            (0x7f7f_efff, 0x7f7f_e000),
            (0x7f7f_ffff, 0x7f80_0000),
            (0xff7f_f000, 0xff80_0000),
            (0x0000_1000, 0x0000_0000),
            (0x0000_3000, 0x0000_4000),
            (0x0000_0fff, 0x0000_0000),
            (0x807f_f000, 0x8080_0000),
            (0x7f80_0000, 0x7f80_0000),
            (0x7f80_0001, 0x7fff_e000),
            (0x7fc0_1000, 0x7fff_e000),
            (0x007f_f000, 0x0080_0000),
        ] {
            assert_eq!(round_to_tf32(from), to, "{from:08x}");
        }
    }
}
