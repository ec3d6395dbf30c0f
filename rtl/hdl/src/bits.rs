//! `Bits<N>`: an N-bit vector held in one `u64`.
//!
//! rust-hdl's macro looks only at *names*, so this type stands in for rust-hdl's own `Bits<N>` (which keeps wide values as
//! `[bool; N]`) and yields the same Verilog at a fraction of the simulation time.
//!
//! An `N` of [`SYMBOLIC`] or more is not a width but the name of one that is fixed only when a design is elaborated
//! (see [`symbols!`](crate::symbols!)): one compiled block then serves every parameter set. A symbolic value is **not** masked by
//! its operations; a kernel that could grow one past its width must bound it itself, which the lockstep tests check.

use crate::symbols::SYMBOLIC;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

/// A vector of `N` bits, `N <= 64`; arithmetic wraps at `N` bits, as hardware does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits<const N: usize>(u64);

/// A single bit.
pub type Bit = bool;

impl<const N: usize> Bits<N> {
    /// Ones in every bit that exists.
    pub const MASK: u64 = if N >= 64 { u64::MAX } else { (1 << N) - 1 };

    /// The bits of a number that exist.
    #[inline(always)]
    const fn wrapped(value: u64) -> Self {
        Self(value & Self::MASK)
    }

    /// The value as a plain number.
    #[inline(always)]
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// A constant known to fit; refuses at compile time (or in a test) what does not.
    pub const fn constant(value: u64) -> Self {
        assert!(value <= Self::MASK, "the constant does not fit its width");
        Self(value)
    }

    /// The width, as rust-hdl's macro asks for it when it emits a cast.
    #[inline(always)]
    pub const fn bits(self) -> usize {
        N
    }

    /// The value as an index; in a kernel it is emitted as the signal itself.
    #[inline(always)]
    pub const fn index(&self) -> usize {
        self.0 as usize
    }

    /// Whether any bit is set.
    #[inline(always)]
    pub const fn any(&self) -> bool {
        self.0 != 0
    }

    /// Bit `position`, which must exist.
    #[inline(always)]
    pub const fn get_bit(&self, position: usize) -> bool {
        debug_assert!(position < N);
        (self.0 >> position) & 1 != 0
    }

    /// The numbers below `count` at which a loop that asks each bit of this mask has something to do: those of bits that are set, in
    /// order; of a small `count` all numbers.
    #[inline(always)]
    pub fn ones(self, count: usize) -> Ones {
        debug_assert!(count <= N.min(64));
        Ones { left: self.0 & (1_u64.checked_shl(count as u32).unwrap_or(0).wrapping_sub(1)), at: 0, count }
    }

    /// `K` bits from `lsb` up; all of them must exist (Verilog would read x past the end).
    #[inline(always)]
    pub const fn get_bits<const K: usize>(&self, lsb: usize) -> Bits<K> {
        debug_assert!(K >= SYMBOLIC || lsb + K <= N);
        Bits((self.0 >> lsb) & Bits::<K>::MASK)
    }
}

/// See [`Bits::ones`].
#[derive(Clone, Debug)]
pub struct Ones {
    left: u64,
    at: usize,
    count: usize,
}

impl Ones {
    /// Up to this many turns all are taken: they are unrolled where the count is known.
    const FEW: usize = 8;
}

impl Iterator for Ones {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.count <= Self::FEW {
            let at = self.at;
            self.at += 1;
            return (at < self.count).then_some(at);
        }
        let at = self.left.trailing_zeros() as usize;
        let any = self.left != 0;
        self.left &= self.left.wrapping_sub(1);
        any.then_some(at)
    }
}

impl<const N: usize> From<u64> for Bits<N> {
    #[inline(always)]
    fn from(value: u64) -> Self {
        debug_assert!(value <= Self::MASK, "{value:#x} does not fit {N} bits");
        Self::wrapped(value)
    }
}

impl<const N: usize> PartialEq<u64> for Bits<N> {
    #[inline(always)]
    fn eq(&self, other: &u64) -> bool {
        self.0 == *other
    }
}

/// A literal of a given width.
#[inline(always)]
pub fn bits<const N: usize>(value: u64) -> Bits<N> {
    value.into()
}

/// Turns a loop index or a parameter into a vector.
pub trait ToBits {
    /// The value in `N` bits, which must hold it.
    fn to_bits<const N: usize>(self) -> Bits<N>;
}

impl ToBits for usize {
    #[inline(always)]
    fn to_bits<const N: usize>(self) -> Bits<N> {
        (self as u64).into()
    }
}

/// Zero-extends or truncates to `K` bits.
#[inline(always)]
pub const fn bit_cast<const K: usize, const N: usize>(value: Bits<N>) -> Bits<K> {
    Bits(value.0 & Bits::<K>::MASK)
}

/// A one-bit vector from a wire, so that it can be widened and shifted into place.
impl From<bool> for Bits<1> {
    #[inline(always)]
    fn from(value: bool) -> Self {
        Self(value as u64)
    }
}

macro_rules! binary_operator {
    ($operator:ident, $method:ident, $on_u64:ident) => {
        impl<const N: usize> $operator for Bits<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::wrapped(self.0.$on_u64(other.0))
            }
        }
        impl<const N: usize> $operator<u64> for Bits<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: u64) -> Self {
                Self::wrapped(self.0.$on_u64(Self::from(other).0))
            }
        }
    };
}
binary_operator!(Add, add, wrapping_add);
binary_operator!(Sub, sub, wrapping_sub);
binary_operator!(BitAnd, bitand, bitand);
binary_operator!(BitOr, bitor, bitor);
binary_operator!(BitXor, bitxor, bitxor);

impl<const N: usize> Not for Bits<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self::wrapped(!self.0)
    }
}

impl<const N: usize> Shl<usize> for Bits<N> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: usize) -> Self {
        Self::wrapped(self.0 << by)
    }
}

impl<const N: usize> Shr<usize> for Bits<N> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: usize) -> Self {
        Self(self.0 >> by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_wraps_at_the_width() {
        let a = Bits::<20>::from(0xfffff);
        assert_eq!(a + 1, 0);
        assert_eq!(Bits::<20>::from(0) - 1, 0xfffff);
        assert_eq!(!Bits::<3>::from(0b101), 0b010);
        assert_eq!(Bits::<4>::from(0b1001) << 1, 0b0010);
        assert_eq!(bit_cast::<21, 20>(a) + 1, 0x10_0000);
    }

    #[test]
    fn slices_select_what_verilog_would() {
        let word = Bits::<64>::from(0x8000_0bff_ffff_ffff);
        assert_eq!(word.get_bits::<20>(43), 1);
        assert!(word.get_bit(63));
        assert!(!word.get_bit(42));
    }
}
