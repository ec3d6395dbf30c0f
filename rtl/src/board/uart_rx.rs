//! UART receiver: 8 data bits, no parity, one stop bit.
//!
//! **What.** Bytes from a line that idles at 1. The line belongs to another clock, so it is synchronised by two flip-flops.
//!
//! ```text
//!   line     ‾‾‾\_start_/‾‾0‾‾\__1__/ ... /‾stop‾‾‾‾‾‾‾
//! samples         ^       ^     ^           ^            at the middle of each bit
//!   valid    __________________________________/‾\_____    for a cycle, with the byte
//! ```
//! A start bit is sampled again in its middle, so a glitch is not a byte. A byte whose stop bit is 0 is reported as `broken`; after it, the
//! line must be 1 before the next start bit is accepted.
//!
//! **Speed.** A bit takes `bit_cycles` cycles, 4 or more. The middle of a bit is found to within a cycle, so the clocks of the two ends may
//! differ by some 4 % if a bit has 20 cycles or more.

use crate::hardware;
use crate::hdl::*;

/// Width of the counter of cycles within a bit.
pub(crate) const CYCLE_BITS: usize = 16;
/// Range of cycles per bit.
pub const BIT_CYCLES: std::ops::Range<usize> = 4..1 << CYCLE_BITS;
/// Bits of a byte on the line, including start and stop bits.
pub(crate) const LINE_BITS: u64 = 10;

hardware! {
    /// UART receiver: 8 data bits, no parity, one stop bit.
    pub module UartRx = "uart_rx" {
        /// Serial line, idle at 1.
        pub line: InReg<Bit>,
        /// Byte valid.
        pub valid: OutControlReg<Bit>,
        /// Byte received.
        pub octet: OutReg<Bits<8>>,
        /// Framing error: no stop bit.
        pub broken: OutControlReg<Bit>,

        /// Cycles per bit, less one.
        pub bit_last: usize,
        /// Cycles from the beginning of a bit to its middle, less one.
        pub half_last: usize,
        /// Serial line, synchronised.
        pub steady: Reg<Bit>,
        /// The line is 0 since a missing stop bit.
        pub stuck: ControlReg<Bit>,
        /// Bits still to sample; 0 between bytes.
        pub left: ControlReg<Bits<4>>,
        /// Cycles until the next sample.
        pub remaining: Reg<Bits<CYCLE_BITS>>,
        /// Data bits received.
        pub gathered: Reg<Bits<8>>,
    }
    constants {
        /// Bits of a byte on the line, including start and stop bits.
        ALL_BITS: Bits<4> = Bits::constant(LINE_BITS);
    }
    processes { Receive }
}

#[processes]
impl UartRx {
    #[inline]
    fn receive(&mut self) {
        self.steady.d.next = self.line.q.val();
        clear!(self.valid, self.broken);
        keep!(self.octet, self.gathered, self.left);
        self.stuck.d.next = self.stuck.q.val() & !self.steady.q.val();
        self.remaining.d.next = self.remaining.q.val() - 1;
        if !self.left.q.val().any() {
            self.remaining.d.next = self.half_last.to_bits();
            if !self.steady.q.val() & !self.stuck.q.val() {
                self.left.d.next = ALL_BITS;
            }
        } else if !self.remaining.q.val().any() {
            self.remaining.d.next = self.bit_last.to_bits();
            self.left.d.next = self.left.q.val() - 1;
            self.gathered.d.next = (bit_cast::<8, 1>(self.steady.q.val().into()) << 7) | (self.gathered.q.val() >> 1);
            if (self.left.q.val() == ALL_BITS) & self.steady.q.val() {
                self.left.d.next = 0.into();
            }
            if self.left.q.val() == 1 {
                self.octet.d.next = self.gathered.q.val();
                self.valid.d.next = self.steady.q.val();
                self.broken.d.next = !self.steady.q.val();
                self.stuck.d.next = !self.steady.q.val();
            }
        }
    }
}

impl UartRx {
    /// A receiver for bits of this many cycles.
    pub fn new(bit_cycles: usize) -> Self {
        assert!(BIT_CYCLES.contains(&bit_cycles));
        Self { bit_last: bit_cycles - 1, half_last: bit_cycles / 2 - 1, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drives levels, each for this many cycles; returns the bytes received, `None` for a framing error.
    fn received(bit_cycles: usize, levels: &[(bool, usize)]) -> Vec<Option<u64>> {
        let mut rx = UartRx::new(bit_cycles);
        let mut bytes = Vec::new();
        let idle = [(true, 4 * bit_cycles)];
        for (level, cycles) in idle.iter().chain(levels).chain(&idle) {
            for _ in 0..*cycles {
                rx.line.d.next = *level;
                rx.settle();
                rx.tick();
                if rx.valid.q.val() {
                    bytes.push(Some(rx.octet.q.val().raw()));
                }
                if rx.broken.q.val() {
                    bytes.push(None);
                }
            }
        }
        bytes
    }

    fn byte(value: u64, bit: usize) -> Vec<(bool, usize)> {
        let data = (0..8).map(|position| (value >> position & 1 != 0, bit));
        std::iter::once((false, bit)).chain(data).chain([(true, bit)]).collect()
    }

    #[test]
    fn every_byte_is_received_also_back_to_back() {
        for bit in [4, 5, 16, 217] {
            let all: Vec<u64> = (0..256).collect();
            let levels: Vec<_> = all.iter().flat_map(|value| byte(*value, bit)).collect();
            assert_eq!(received(bit, &levels), all.into_iter().map(Some).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_other_end_may_be_a_little_faster_or_slower() {
        for other in [97, 103] {
            assert_eq!(received(100, &byte(0x5a, other)), [Some(0x5a)]);
        }
    }

    #[test]
    fn a_spike_is_no_byte() {
        assert_eq!(received(16, &[(false, 5), (true, 40)]), []);
    }

    #[test]
    fn a_break_is_told_once_and_the_next_byte_is_received() {
        let levels = [vec![(false, 16 * 30), (true, 16)], byte(0x41, 16)].concat();
        assert_eq!(received(16, &levels), [None, Some(0x41)]);
    }
}
