//! UART transmitter: 8 data bits, no parity, one stop bit.
//!
//! ```text
//!   valid    /‾‾‾‾‾‾‾‾‾‾‾‾‾
//!   ready    ‾‾‾\__________________________ ... ____/‾‾‾    depends on registers only
//!   line     ‾‾‾‾\_start_/‾‾0‾‾\__1__/ ...  /‾stop‾‾‾‾‾
//! ```
//! A byte is accepted in a cycle in which `valid` and `ready` are both 1. A bit takes `bit_cycles` cycles.

use super::uart_rx::{CYCLE_BITS, LINE_BITS};
use crate::hardware;
use crate::hdl::*;

/// Width of the shift register: data and stop bits.
const SHIFTED_BITS: usize = 9;

hardware! {
    /// UART transmitter: 8 data bits, no parity, one stop bit.
    pub module UartTx = "uart_tx" {
        /// Byte valid.
        pub valid: Signal<In, Bit>,
        /// Byte to send.
        pub octet: Signal<In, Bits<8>>,
        /// Byte accepted.
        pub ready: Signal<Out, Bit>,
        /// Serial line, idle at 1.
        pub line: Signal<Out, Bit>,

        /// Cycles per bit, less one.
        pub bit_last: usize,
        /// Inverted line: a register cleared by reset, so that the line idles.
        pub low: ControlReg<Bit>,
        /// Bits still to send; 0 between bytes.
        pub left: ControlReg<Bits<4>>,
        /// Cycles left of the current bit, less one.
        pub remaining: Reg<Bits<CYCLE_BITS>>,
        /// Bits after the current one.
        pub follow: Reg<Bits<SHIFTED_BITS>>,
    }
    constants {
        /// Bits of a byte on the line, including start and stop bits.
        ALL_BITS: Bits<4> = Bits::constant(LINE_BITS);
        /// Stop bit, after the data bits.
        STOP: Bits<SHIFTED_BITS> = Bits::constant(1 << 8);
    }
    processes { Show, Send }
}

#[processes]
impl UartTx {
    #[inline]
    fn show(&mut self) {
        self.ready.next = !self.left.q.val().any();
        self.line.next = !self.low.q.val();
    }

    #[inline]
    fn send(&mut self) {
        keep!(self.low, self.left, self.follow);
        self.remaining.d.next = self.remaining.q.val() - 1;
        if !self.left.q.val().any() {
            self.remaining.d.next = self.bit_last.to_bits();
            if self.valid.val() {
                self.low.d.next = true;
                self.left.d.next = ALL_BITS;
                self.follow.d.next = bit_cast::<SHIFTED_BITS, 8>(self.octet.val()) | STOP;
            }
        } else if !self.remaining.q.val().any() {
            self.remaining.d.next = self.bit_last.to_bits();
            self.left.d.next = self.left.q.val() - 1;
            self.low.d.next = !self.follow.q.val().get_bit(0) & (self.left.q.val() != 1);
            self.follow.d.next = self.follow.q.val() >> 1;
        }
    }
}

impl UartTx {
    /// A transmitter for bits of this many cycles.
    pub fn new(bit_cycles: usize) -> Self {
        assert!((1..1 << CYCLE_BITS).contains(&bit_cycles));
        Self { bit_last: bit_cycles - 1, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::uart_rx::UartRx;

    #[test]
    fn the_receiver_hears_every_byte() {
        for bit in [4, 7, 104] {
            let (mut tx, mut rx) = (UartTx::new(bit), UartRx::new(bit));
            let (mut sent, mut heard) = (0, Vec::new());
            for _ in 0..(256 + 2) * 11 * bit {
                tx.settle();
                tx.valid.next = sent < 256;
                tx.octet.next = (sent % 256).into();
                sent += (tx.valid.val() && tx.ready.val()) as u64;
                tx.settle();
                rx.line.d.next = tx.line.val();
                rx.settle();
                tx.tick();
                rx.tick();
                assert!(!rx.broken.q.val());
                if rx.valid.q.val() {
                    heard.push(rx.octet.q.val().raw());
                }
            }
            assert_eq!(heard, (0..256).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn the_line_idles_at_one_from_reset_on() {
        let mut tx = UartTx::new(16);
        tx.reset();
        tx.settle();
        assert!(tx.line.val() && tx.ready.val());
    }
}
