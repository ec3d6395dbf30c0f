//! Framer: converts a reply to bytes, with flags, escapes and a checksum.
//!
//! ```text
//!   valid   ‾‾\_______________________________
//!   ready   ‾‾\_____________________ ... __/‾‾     depends on registers only
//! byte       7e  n  k  s  t  d ... d  c  c  7e    each as soon as the transmitter accepts it
//! ```
//! The checksum is updated with each byte accepted; at its own positions it replaces the byte.

use super::checksum::{Checksum, Sum};
use super::protocol::{self, reply};
use crate::hardware;
use crate::hdl::*;

/// Width of the header before the data.
pub(crate) const HEAD_BITS: usize = reply::DATA;
/// Width of a position within a frame.
const PLACE_BITS: usize = 5;

hardware! {
    /// Framer: converts a reply to bytes.
    pub module Framer = "framer" {
        /// Reply valid.
        pub valid: Signal<In, Bit>,
        /// Header before the data.
        pub head: Signal<In, Bits<HEAD_BITS>>,
        /// Data.
        pub data: Signal<In, Word>,
        /// Reply accepted.
        pub ready: Signal<Out, Bit>,

        /// Byte valid.
        pub byte_valid: Signal<Out, Bit>,
        /// Byte.
        pub octet: Signal<Out, Bits<8>>,
        /// Byte accepted.
        pub byte_ready: Signal<In, Bit>,

        /// Position of the byte in the frame: 0 none, 1 the first flag.
        pub place: ControlReg<Bits<PLACE_BITS>>,
        /// The byte is escaped, and the escape has been sent.
        pub escaped: ControlReg<Bit>,
        /// First 32 bits of the content still to send.
        pub first: Reg<Bits<HEAD_BITS>>,
        /// Rest of the content still to send.
        pub rest: Reg<Word>,
        /// Checksum of the bytes sent.
        pub sum: Reg<Sum>,
        /// Checksum with the current byte.
        pub checksum: Checksum = Checksum::of_bytes(),
        /// Byte before escaping.
        pub plain: Signal<Local, Bits<8>>,
        /// The byte is a flag between frames.
        pub flag: Signal<Local, Bit>,
        /// The byte needs an escape, which has not been sent.
        pub escapes: Signal<Local, Bit>,
    }
    constants {
        /// Flag between frames.
        FLAG: Bits<8> = Bits::constant(protocol::FLAG as u64);
        /// Escape: the next byte is escaped.
        ESCAPE: Bits<8> = Bits::constant(protocol::ESCAPE as u64);
        /// Bit inverted in an escaped byte.
        ESCAPED_BIT: Bits<8> = Bits::constant(protocol::ESCAPED_BIT as u64);
        /// Initial value of the checksum.
        BEGIN: Sum = Bits::constant(protocol::CHECKSUM_BEGIN as u64);
        /// Position of the first flag.
        OPENING: Bits<PLACE_BITS> = Bits::constant(1);
        /// Position of the checksum's low byte.
        SUM_LOW: Bits<PLACE_BITS> = Bits::constant(2 + reply::BYTES as u64);
        /// Position of the checksum's high byte.
        SUM_HIGH: Bits<PLACE_BITS> = Bits::constant(3 + reply::BYTES as u64);
        /// Position of the last flag.
        CLOSING: Bits<PLACE_BITS> = Bits::constant(4 + reply::BYTES as u64);
    }
    processes { Spell, Step }
    /// A framer.
    built by pub fn of_replies() {}
}

#[processes]
impl Framer {
    #[inline]
    fn spell(&mut self) {
        self.ready.next = !self.place.q.val().any();
        self.byte_valid.next = self.place.q.val().any();
        self.plain.next = self.first.q.val().get_bits::<8>(0);
        if self.place.q.val() == SUM_LOW {
            self.plain.next = !self.sum.q.val().get_bits::<8>(0);
        }
        if self.place.q.val() == SUM_HIGH {
            self.plain.next = !self.sum.q.val().get_bits::<8>(8);
        }
        self.flag.next = (self.place.q.val() == OPENING) | (self.place.q.val() == CLOSING);
        self.escapes.next =
            !self.flag.val() & !self.escaped.q.val() & ((self.plain.val() == FLAG) | (self.plain.val() == ESCAPE));
        self.octet.next = self.plain.val();
        if self.escaped.q.val() {
            self.octet.next = self.plain.val() ^ ESCAPED_BIT;
        }
        if self.escapes.val() {
            self.octet.next = ESCAPE;
        }
        if self.flag.val() {
            self.octet.next = FLAG;
        }
        self.checksum.so_far.next = self.sum.q.val();
        self.checksum.octet.next = self.plain.val();
    }

    #[inline]
    fn step(&mut self) {
        keep!(self.place, self.escaped);
        if self.ready.val() {
            if self.valid.val() {
                self.place.d.next = OPENING;
                self.first.d.next = self.head.val();
                self.rest.d.next = self.data.val();
                self.sum.d.next = BEGIN;
            }
        } else if self.byte_ready.val() {
            self.escaped.d.next = self.escapes.val();
            if !self.escapes.val() {
                self.place.d.next = self.place.q.val() + 1;
                if self.place.q.val() == CLOSING {
                    self.place.d.next = 0.into();
                }
                if !self.flag.val() & (self.place.q.val() != SUM_LOW) & (self.place.q.val() != SUM_HIGH) {
                    self.sum.d.next = self.checksum.after.val();
                    self.first.d.next = (self.first.q.val() >> 8)
                        | (bit_cast::<HEAD_BITS, 8>(self.rest.q.val().get_bits::<8>(0)) << 24);
                    self.rest.d.next = self.rest.q.val() >> 8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::framed;

    #[test]
    fn replies_are_framed_as_the_protocol_says() {
        let mut framer = Framer::of_replies();
        let mut noise = 0x1357_9bdf_2468_ace0u64;
        for _ in 0..500 {
            noise = noise.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let head = (noise >> 7 & 0xffff_ffff) | (0x7d7e_0000 * (noise & 1));
            let data = noise.rotate_left(29) & if noise & 2 != 0 { u64::MAX } else { 0x7e00_00ff_7d7e_7e7d };
            let mut content = head.to_le_bytes()[..4].to_vec();
            content.extend(data.to_le_bytes());
            let mut sent = Vec::new();
            framer.settle();
            assert!(framer.ready.val());
            for cycle in 0.. {
                framer.settle();
                if framer.ready.val() && cycle > 0 {
                    break;
                }
                framer.valid.next = cycle == 0;
                framer.head.next = head.into();
                framer.data.next = data.into();
                framer.byte_ready.next = noise >> (cycle % 60) & 1 != 0;
                if framer.byte_valid.val() && framer.byte_ready.val() {
                    sent.push(framer.octet.val().raw() as u8);
                }
                framer.settle();
                framer.tick();
            }
            assert_eq!(sent, framed(&content));
        }
    }
}
