//! Deframer: extracts valid frames from bytes.
//!
//! **What.** Receives the bytes between two flags, undoes escapes, and checks length and checksum. The fields of a valid frame are complete
//! for a cycle (`complete`); anything else between two flags is reported as damaged. Two flags in a row are no frame: a host may send as
//! many as it likes. Each flag starts a new frame, so a lost byte, garbage, or the second half of a frame costs only the bytes up to the
//! next flag.
//!
//! ```text
//!   byte      7e  n  k  ...  c  c  7e
//!   complete  ______________________/‾\___     the fields stay until the next byte
//!   damaged   ____________________________     or this, for a cycle
//! ```
//! The bytes are shifted through the fields as one long register, the last at the top:
//!
//! ```text
//!   byte ─► sum (2 bytes) ─► data (8) ─► address (4) ─► head (6)
//! ```
//! **Hold.** While `hold` is 1 the fields do not change; a frame received meanwhile is damaged.

use super::checksum::{Checksum, Sum};
use super::protocol::{self, question};
use crate::hardware;
use crate::hdl::*;

/// Width of the header before the address.
pub(crate) const HEAD_BITS: usize = question::ADDRESS;
/// Width of the byte counter, which saturates.
const COUNT_BITS: usize = 5;

hardware! {
    /// Deframer: extracts valid frames from bytes.
    pub module Deframer = "deframer" {
        /// Byte valid.
        pub valid: Signal<In, Bit>,
        /// Byte received.
        pub octet: Signal<In, Bits<8>>,
        /// Framing error.
        pub broken: Signal<In, Bit>,
        /// The fields are in use.
        pub hold: Signal<In, Bit>,

        /// Valid frame received.
        pub complete: OutControlReg<Bit>,
        /// Damaged frame received.
        pub damaged: OutControlReg<Bit>,
        /// Header before the address.
        pub head: OutReg<Bits<HEAD_BITS>>,
        /// Address.
        pub address: OutReg<Bits<32>>,
        /// Data.
        pub data: OutReg<Word>,

        /// Checksum received.
        pub sum: Reg<Sum>,
        /// Checksum of the bytes received.
        pub checked: Reg<Sum>,
        /// Checksum with the current byte.
        pub checksum: Checksum = Checksum::of_bytes(),
        /// Bytes since the last flag.
        pub count: ControlReg<Bits<COUNT_BITS>>,
        /// The last byte was an escape.
        pub escaped: ControlReg<Bit>,
        /// An error has occurred since the last flag.
        pub bad: ControlReg<Bit>,
        /// Byte after undoing the escape.
        pub meant: Signal<Local, Bits<8>>,
        /// The bytes between two flags are a valid frame.
        pub sound: Signal<Local, Bit>,
        /// The byte belongs to a frame.
        pub belongs: Signal<Local, Bit>,
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
        /// Checksum over a valid frame with its checksum.
        GOOD: Sum = Bits::constant(protocol::CHECKSUM_GOOD as u64);
        /// Bytes of a frame including its checksum.
        LENGTH: Bits<COUNT_BITS> = Bits::constant(question::BYTES as u64 + 2);
        /// Largest byte count.
        MANY: Bits<COUNT_BITS> = Bits::constant((1 << COUNT_BITS) - 1);
    }
    processes { Meaning, Collect }
    /// A deframer.
    built by pub fn of_frames() {}
}

#[processes]
impl Deframer {
    #[inline]
    fn meaning(&mut self) {
        self.meant.next = self.octet.val();
        if self.escaped.q.val() {
            self.meant.next = self.octet.val() ^ ESCAPED_BIT;
        }
        self.checksum.so_far.next = self.checked.q.val();
        self.checksum.octet.next = self.meant.val();
        self.belongs.next = self.valid.val() & (self.octet.val() != FLAG) & (self.octet.val() != ESCAPE);
        self.sound.next =
            (self.count.q.val() == LENGTH) & (self.checked.q.val() == GOOD) & !self.bad.q.val() & !self.escaped.q.val();
    }

    #[inline]
    fn collect(&mut self) {
        clear!(self.complete, self.damaged);
        keep!(self.head, self.address, self.data, self.sum, self.checked, self.count, self.escaped);
        self.bad.d.next = self.bad.q.val() | self.broken.val();
        if self.belongs.val() {
            self.escaped.d.next = false;
            self.checked.d.next = self.checksum.after.val();
            if self.count.q.val() != MANY {
                self.count.d.next = self.count.q.val() + 1;
            }
            if self.hold.val() {
                self.bad.d.next = true;
            } else {
                self.sum.d.next = (self.sum.q.val() >> 8) | (bit_cast::<16, 8>(self.meant.val()) << 8);
                self.data.d.next =
                    (self.data.q.val() >> 8) | (bit_cast::<64, 8>(self.sum.q.val().get_bits::<8>(0)) << 56);
                self.address.d.next =
                    (self.address.q.val() >> 8) | (bit_cast::<32, 8>(self.data.q.val().get_bits::<8>(0)) << 24);
                self.head.d.next =
                    (self.head.q.val() >> 8) | (bit_cast::<HEAD_BITS, 8>(self.address.q.val().get_bits::<8>(0)) << 40);
            }
        }
        if self.valid.val() & (self.octet.val() == ESCAPE) {
            self.escaped.d.next = true;
            self.bad.d.next = self.bad.q.val() | self.escaped.q.val();
        }
        if self.valid.val() & (self.octet.val() == FLAG) {
            self.complete.d.next = self.sound.val();
            self.damaged.d.next =
                !self.sound.val() & (self.count.q.val().any() | self.bad.q.val() | self.escaped.q.val());
            self.checked.d.next = BEGIN;
            clear!(self.count, self.escaped, self.bad);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::framed;

    /// Results of received bytes: each valid frame as number, address and data, `None` for a damaged one.
    fn collected(bytes: &[u8], hold: bool) -> Vec<Option<(u64, u64, u64)>> {
        let mut deframer = Deframer::of_frames();
        deframer.hold.next = hold;
        let mut seen = Vec::new();
        for byte in bytes.iter().map(|byte| Some(*byte)).chain([None]) {
            deframer.valid.next = byte.is_some();
            deframer.octet.next = u64::from(byte.unwrap_or(0)).into();
            deframer.settle();
            deframer.tick();
            if deframer.complete.q.val() {
                let (address, data) = (deframer.address.q.val().raw(), deframer.data.q.val().raw());
                seen.push(Some((deframer.head.q.val().raw() & 0xff, address, data)));
            }
            if deframer.damaged.q.val() {
                seen.push(None);
            }
        }
        seen
    }

    fn content(number: u64) -> ([u8; question::BYTES], (u64, u64, u64)) {
        let mut content = [0; question::BYTES];
        let (address, data) = (number << 24 | 0x7e_7d00 | number, 0x7d7e_0000_ffff_7e00 ^ number << 40);
        question::field("number").put(&mut content, number);
        question::field("address").put(&mut content, address);
        question::field("data").put(&mut content, data);
        (content, (number, address, data))
    }

    #[test]
    fn frames_come_out_as_they_went_in() {
        let (contents, meant): (Vec<_>, Vec<_>) = (0..256).map(content).map(|(c, m)| (c, Some(m))).unzip();
        let line: Vec<u8> = contents.iter().flat_map(|content| framed(content)).collect();
        // the first flag may be a flag too many
        assert_eq!(collected(&[vec![protocol::FLAG], line].concat(), false), meant);
    }

    /// Every single bit inverted, every byte lost, every byte doubled: the frame is not accepted, and the next is received.
    #[test]
    fn nothing_that_is_damaged_is_sound() {
        let (good, next) = (content(7), content(8));
        let (line, follow) = (framed(&good.0), framed(&next.0));
        let mut damaged: Vec<Vec<u8>> = Vec::new();
        for position in 1..line.len() - 1 {
            for bit in 0..8 {
                let mut bytes = line.clone();
                bytes[position] ^= 1 << bit;
                damaged.push(bytes);
            }
            damaged.push([&line[..position], &line[position + 1..]].concat());
            damaged.push([&line[..position], &line[position - 1..]].concat());
            damaged.push([&line[position..]].concat());
        }
        for bytes in damaged {
            let seen = collected(&[bytes.clone(), follow.clone()].concat(), false);
            assert_eq!(seen.last(), Some(&Some(next.1)), "{bytes:x?}");
            let doubled_flag = bytes.len() == line.len() + 1 && bytes[1] == protocol::FLAG;
            assert!(doubled_flag || !seen.contains(&Some(good.1)), "{bytes:x?}");
            assert!(doubled_flag || seen.len() > 1, "it is told");
        }
    }

    #[test]
    fn a_lost_flag_between_frames_costs_no_more_than_both() {
        let (one, two, three) = (framed(&content(1).0), framed(&content(2).0), framed(&content(3).0));
        let line = [&one[..one.len() - 1], &two[1..], &three].concat();
        assert_eq!(collected(&line, false), [None, Some(content(3).1)]);
    }

    #[test]
    fn what_comes_while_the_fields_are_held_is_damaged() {
        assert_eq!(collected(&framed(&content(1).0), true), [None]);
    }

    #[test]
    fn what_is_broken_is_damaged() {
        let mut deframer = Deframer::of_frames();
        let mut damaged = 0;
        for (position, byte) in framed(&content(1).0).into_iter().enumerate() {
            deframer.valid.next = position != 9;
            deframer.broken.next = position == 9;
            deframer.octet.next = u64::from(byte).into();
            deframer.settle();
            deframer.tick();
            assert!(!deframer.complete.q.val());
            damaged += deframer.damaged.q.val() as usize;
        }
        assert_eq!(damaged, 1);
    }
}
