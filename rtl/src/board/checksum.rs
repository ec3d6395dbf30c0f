//! Checksum: updates the frame check sequence with one byte, combinationally. See [`super::protocol`].
//!
//! ```text
//!   before ─┐
//!   byte ───┴─► eight steps of shift and xor ─► after        the same cycle
//! ```

use super::protocol;
use crate::hardware;
use crate::hdl::*;

/// Checksum of a frame.
pub type Sum = Bits<16>;

hardware! {
    /// Checksum: update with one byte.
    pub module Checksum = "checksum" {
        /// Checksum before the byte.
        pub so_far: Signal<In, Sum>,
        /// Byte.
        pub octet: Signal<In, Bits<8>>,
        /// Checksum after the byte.
        pub after: Signal<Out, Sum>,

        /// Bits of a byte.
        pub bits: usize = 8,
        /// Intermediate checksum.
        pub step: Signal<Local, Sum>,
    }
    constants {
        /// The polynomial.
        POLYNOMIAL: Sum = Bits::constant(protocol::CHECKSUM_POLYNOMIAL as u64);
    }
    processes { Step }
    /// A checksum block.
    built by pub fn of_bytes() {}
}

#[processes]
impl Checksum {
    #[inline]
    fn step(&mut self) {
        self.after.next = self.so_far.val() ^ bit_cast::<16, 8>(self.octet.val());
        self.step.next = 0.into();
        for _b in 0..self.bits {
            self.step.next = self.after.val() >> 1;
            if self.after.val().get_bit(0) {
                self.step.next = (self.after.val() >> 1) ^ POLYNOMIAL;
            }
            self.after.next = self.step.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_steps_as_the_protocol_says() {
        let mut checksum = Checksum::of_bytes();
        for before in [0u16, 1, 0xffff, 0x1234, 0x8408] {
            for byte in 0..=255u8 {
                checksum.so_far.next = u64::from(before).into();
                checksum.octet.next = u64::from(byte).into();
                checksum.settle();
                assert_eq!(checksum.after.val(), u64::from(protocol::checksum_step(before, byte)));
            }
        }
    }
}
