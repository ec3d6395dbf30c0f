//! LFSR: 64 pseudo-random bits a cycle; the sequence is the same after each reset.
//!
//! **What.** A linear feedback shift register, 64 bits long, that makes as many steps at once as a xorshift does (13 up, 7 down, 17
//! up; Marsaglia 2003): every bit depends on many, so those of one cycle may be used for different things. Its period is
//! 2^64 - 1.
//!
//! ```text
//!   state ─ xor seed ─► value ─► three shifts and xors ─ xor seed ─► state'
//! ```
//! Reset clears the state, which is the value without the seed: so the sequence begins with the seed.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// LFSR: 64 random bits a cycle.
    pub module Lfsr = "lfsr" {
        /// Random bits of this cycle.
        pub value: Signal<Out, Word>,

        /// Seed: first value of the sequence; not 0.
        pub seed: usize,
        /// Value xor seed.
        pub state: ControlReg<Word>,
        /// Value after the first shift.
        pub once: Signal<Local, Word>,
        /// Value after the second shift.
        pub twice: Signal<Local, Word>,
    }
    processes { Roll }
}

#[processes]
impl Lfsr {
    #[inline]
    fn roll(&mut self) {
        self.value.next = self.state.q.val() ^ self.seed.to_bits();
        self.once.next = self.value.val() ^ (self.value.val() << 13);
        self.twice.next = self.once.val() ^ (self.once.val() >> 7);
        self.state.d.next = self.twice.val() ^ (self.twice.val() << 17) ^ self.seed.to_bits();
    }
}

impl Lfsr {
    /// LFSR number `number`, with a seed of its own.
    pub fn new(number: usize) -> Self {
        // any odd number will do; this one is 2^64 over the golden ratio
        let seed = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(2 * number as u64 + 1);
        Self { seed: seed as usize, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_set_half_of_the_time_and_dice_differ() {
        let mut lfsr = [Lfsr::new(0), Lfsr::new(1)];
        let (mut ones, mut equal) = ([0; 64], 0);
        for _ in 0..10_000 {
            for lfsr in &mut lfsr {
                lfsr.settle();
            }
            let values = [lfsr[0].value.val().raw(), lfsr[1].value.val().raw()];
            for (bit, ones) in ones.iter_mut().enumerate() {
                *ones += values[0] >> bit & 1;
            }
            equal += (values[0] ^ values[1]).count_zeros();
            for lfsr in &mut lfsr {
                lfsr.tick();
            }
        }
        assert!(ones.iter().all(|ones| (4700..5300).contains(ones)), "{ones:?}");
        assert!((310_000..330_000).contains(&equal), "{equal}");
    }
}
