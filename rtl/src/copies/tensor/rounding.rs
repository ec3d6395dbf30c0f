//! Rounds two f32 to the 19 bits of tf32.
//!
//! **What.** To nearest, to 10 bits behind the point, and ties to even; every NaN becomes `7fffe000`, infinities stay. As an H200 does.
//!
//! **Timing.** `rounded` follows `word` in the same cycle.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Rounds two f32 to tf32.
    pub module Rounding = "tf32_rounding" {
        /// Two numbers.
        pub word: Signal<In, Word>,
        /// They are rounded; else they stay.
        pub enable: Signal<In, Bit>,
        /// What comes of them.
        pub rounded: Signal<Out, Word>,

        /// Each of the two.
        pub number: Lanes<Signal<Local, Bits<32>>> = Lanes::new(2),
        /// Without its sign.
        pub magnitude: Lanes<Signal<Local, Bits<31>>> = Lanes::new(2),
        /// What is added.
        pub half: Lanes<Signal<Local, Bits<32>>> = Lanes::new(2),
        /// What comes of it.
        pub result: Lanes<Signal<Local, Bits<32>>> = Lanes::new(2),
    }
    constants {
        /// An infinity without its sign.
        INFINITE: Bits<31> = Bits::constant(0x7f80_0000);
        /// The NaN that every NaN becomes.
        ANY_NAN: Bits<32> = Bits::constant(0x7fff_e000);
        /// Half of the last place that stays.
        HALF_PLACE: Bits<32> = Bits::constant(0x1000);
        /// A bit less.
        BELOW_HALF: Bits<32> = Bits::constant(0xfff);
        /// The bits that stay.
        PLACES: Bits<32> = Bits::constant(0xffff_e000);
    }
    processes { Round }
    /// The block.
    built by pub fn new() {}
}

#[processes]
impl Rounding {
    fn round(&mut self) {
        self.number[0].next = self.word.val().get_bits::<32>(0);
        self.number[1].next = self.word.val().get_bits::<32>(32);
        for h in 0..2 {
            self.magnitude[h].next = self.number[h].val().get_bits::<31>(0);
            self.half[h].next = BELOW_HALF;
            // an odd last place makes a half go up
            if self.number[h].val().get_bit(13) {
                self.half[h].next = HALF_PLACE;
            }
            self.result[h].next = (self.number[h].val() + self.half[h].val()) & PLACES;
            if self.magnitude[h].val() == INFINITE {
                self.result[h].next = self.number[h].val();
            }
            if self.magnitude[h].val() > INFINITE {
                self.result[h].next = ANY_NAN;
            }
        }
        self.rounded.next = self.word.val();
        if self.enable.val() {
            self.rounded.next =
                bit_cast::<64, 32>(self.result[0].val()) | (bit_cast::<64, 32>(self.result[1].val()) << 32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_nearest() {
        let mut rounding = Rounding::new();
        let mut rounded = |bits: u32, enable| {
            rounding.word.next = (u64::from(bits) << 32 | u64::from(bits)).into();
            rounding.enable.next = enable;
            rounding.settle();
            let both = rounding.rounded.val().raw();
            assert_eq!(both >> 32, both & 0xffff_ffff);
            both as u32
        };
        for (bits, nearest) in [
            (0, 0),
            (0x3f80_0fff, 0x3f80_0000),
            (0x3f80_1000, 0x3f80_0000),
            (0x3f80_3000, 0x3f80_4000),
            (0xbf80_3000, 0xbf80_4000),
            (0x7f7f_f000, 0x7f80_0000),
            (0x3f80_1001, 0x3f80_2000),
            (0xbfff_f800, 0xc000_0000),
            (0x0000_1800, 0x0000_2000),
            (0x7f7f_ffff, 0x7f80_0000),
            (0x7f80_0000, 0x7f80_0000),
            (0xff80_0000, 0xff80_0000),
            (0x7f80_0001, 0x7fff_e000),
            (0xffff_ffff, 0x7fff_e000),
        ] {
            assert_eq!(rounded(bits, true), nearest, "{bits:08x}");
            assert_eq!(rounded(bits, false), bits);
        }
    }
}
