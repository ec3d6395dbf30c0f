//! Reporter: sends the state of the self-test as text.
//!
//! **What.** With every tick it sends a line of hexadecimal numbers, 16 digits each:
//!
//! | line | numbers |
//! | --- | --- |
//! | `P rounds` | no failure so far; rounds completed |
//! | `F record address want got` | the first failure: see [`super::verdict`] |
//!
//! ```text
//!   tick   /‾\___________________________
//! byte      P _ 0 0 ... 4 2 cr lf          each as soon as the transmitter accepts it
//! ```
//! A tick that comes while a line is being sent is ignored.

use super::conductor::ROUND_BITS;
use crate::hardware;
use crate::hdl::*;

/// Part of a line.
type Stretch = Bits<3>;

hardware! {
    /// Reporter: sends the state of the self-test as text.
    pub module Reporter = "reporter" {
        /// Start a line.
        pub tick: Signal<In, Bit>,
        /// A port has failed.
        pub failed: Signal<In, Bit>,
        /// Rounds completed.
        pub rounds: Signal<In, Bits<ROUND_BITS>>,
        /// Record of the failure.
        pub record: Signal<In, Word>,
        /// Address of the request.
        pub address: Signal<In, Bits<32>>,
        /// Expected data.
        pub want: Signal<In, Word>,
        /// Data received.
        pub got: Signal<In, Word>,

        /// Byte valid.
        pub byte_valid: Signal<Out, Bit>,
        /// Byte.
        pub octet: Signal<Out, Bits<8>>,
        /// Byte accepted.
        pub byte_ready: Signal<In, Bit>,

        /// Part of the line that is sent.
        pub part: ControlReg<Stretch>,
        /// The line reports a failure.
        pub failure: Reg<Bit>,
        /// Index of the number.
        pub field: Reg<Bits<2>>,
        /// Index of the digit.
        pub digit: Reg<Bits<4>>,
        /// Digits of a 64-bit number.
        pub digits: usize = 16,
        /// Digits of a 32-bit number.
        pub half: usize = 8,
        /// Digit to send.
        pub nibble: Signal<Local, Bits<4>>,
        /// Digit of the record.
        pub of_record: Signal<Local, Bits<4>>,
        /// Digit of the rounds.
        pub of_rounds: Signal<Local, Bits<4>>,
        /// Digit of the address.
        pub of_address: Signal<Local, Bits<4>>,
        /// Digit of the expected data.
        pub of_want: Signal<Local, Bits<4>>,
        /// Digit of the data received.
        pub of_got: Signal<Local, Bits<4>>,
    }
    constants {
        /// Part: the letter.
        LETTER: Stretch = Bits::constant(1);
        /// Part: a space.
        SPACE: Stretch = Bits::constant(2);
        /// Part: a digit.
        DIGIT: Stretch = Bits::constant(3);
        /// Part: carriage return.
        RETURN: Stretch = Bits::constant(4);
        /// Part: line feed.
        FEED: Stretch = Bits::constant(5);
        /// First digit that is a letter.
        TEN: Bits<4> = Bits::constant(10);
        /// Offset of the digits below ten.
        ZERO: Bits<8> = Bits::constant(b'0' as u64);
        /// Offset of the digits from ten on.
        LETTERS: Bits<8> = Bits::constant(b'a' as u64 - 10);
        /// Letter of a line without failure.
        PASS: Bits<8> = Bits::constant(b'P' as u64);
        /// Letter of a line with a failure.
        FAIL: Bits<8> = Bits::constant(b'F' as u64);
        /// Space between numbers.
        BLANK: Bits<8> = Bits::constant(b' ' as u64);
        /// Carriage return.
        CR: Bits<8> = Bits::constant(b'\r' as u64);
        /// Line feed.
        LF: Bits<8> = Bits::constant(b'\n' as u64);
    }
    processes { Spell, Step }
    /// A reporter.
    built by pub fn of_tests() {}
}

#[processes]
impl Reporter {
    #[inline]
    fn spell(&mut self) {
        self.byte_valid.next = self.part.q.val().any();
        clear!(self.of_record, self.of_rounds, self.of_address, self.of_want, self.of_got);
        for d in 0..self.digits {
            if self.digit.q.val() == (15 - d).to_bits() {
                self.of_record.next = self.record.val().get_bits::<4>(d * 4);
                self.of_want.next = self.want.val().get_bits::<4>(d * 4);
                self.of_got.next = self.got.val().get_bits::<4>(d * 4);
            }
        }
        for d in 0..self.half {
            if self.digit.q.val() == (15 - d).to_bits() {
                self.of_rounds.next = self.rounds.val().get_bits::<4>(d * 4);
                self.of_address.next = self.address.val().get_bits::<4>(d * 4);
            }
        }
        self.nibble.next = self.of_rounds.val();
        if self.failure.q.val() {
            self.nibble.next = self.of_record.val();
        }
        if self.field.q.val() == 1 {
            self.nibble.next = self.of_address.val();
        }
        if self.field.q.val() == 2 {
            self.nibble.next = self.of_want.val();
        }
        if self.field.q.val() == 3 {
            self.nibble.next = self.of_got.val();
        }
        self.octet.next = BLANK;
        if self.part.q.val() == LETTER {
            self.octet.next = PASS;
            if self.failure.q.val() {
                self.octet.next = FAIL;
            }
        }
        if self.part.q.val() == DIGIT {
            self.octet.next = bit_cast::<8, 4>(self.nibble.val()) + ZERO;
            if self.nibble.val() >= TEN {
                self.octet.next = bit_cast::<8, 4>(self.nibble.val()) + LETTERS;
            }
        }
        if self.part.q.val() == RETURN {
            self.octet.next = CR;
        }
        if self.part.q.val() == FEED {
            self.octet.next = LF;
        }
    }

    #[inline]
    fn step(&mut self) {
        self.part.d.next = self.part.q.val();
        if !self.part.q.val().any() {
            self.failure.d.next = self.failed.val();
            self.field.d.next = 0.into();
            if self.tick.val() {
                self.part.d.next = LETTER;
            }
        } else if self.byte_ready.val() {
            if self.part.q.val() == LETTER {
                self.part.d.next = SPACE;
            }
            if self.part.q.val() == SPACE {
                self.part.d.next = DIGIT;
                self.digit.d.next = 0.into();
            }
            if self.part.q.val() == DIGIT {
                self.digit.d.next = self.digit.q.val() + 1;
                if !(!self.digit.q.val()).any() {
                    self.part.d.next = RETURN;
                    if self.failure.q.val() & (self.field.q.val() != 3) {
                        self.part.d.next = SPACE;
                        self.field.d.next = self.field.q.val() + 1;
                    }
                }
            }
            if self.part.q.val() == RETURN {
                self.part.d.next = FEED;
            }
            if self.part.q.val() == FEED {
                self.part.d.next = 0.into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(failed: bool) -> String {
        let mut reporter = Reporter::of_tests();
        reporter.failed.next = failed;
        reporter.rounds.next = 0x1234_abcd.into();
        reporter.record.next = 1.into();
        reporter.address.next = 2.into();
        reporter.want.next = 3.into();
        reporter.got.next = u64::MAX.into();
        let mut text = String::new();
        for cycle in 0..300 {
            reporter.settle();
            reporter.tick.next = cycle == 3 || cycle == 7;
            reporter.byte_ready.next = cycle % 3 == 0;
            if reporter.byte_valid.val() && reporter.byte_ready.val() {
                text.push(char::from(reporter.octet.val().raw() as u8));
            }
            reporter.settle();
            reporter.tick();
        }
        text
    }

    #[test]
    fn lines_say_how_it_stands() {
        assert_eq!(line(false), "P 000000001234abcd\r\n");
        assert_eq!(line(true), "F 0000000000000001 0000000000000002 0000000000000003 ffffffffffffffff\r\n");
    }
}
