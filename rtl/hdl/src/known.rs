//! Sizes known when the simulator is compiled.
//!
//! One compiled block serves every configuration: how many there are of what stands in fields, and loops read them. For a
//! configuration that is simulated often, whoever settles a block can compile that once more for known counts: loops
//! are unrolled then, and what the configuration leaves out costs nothing. The block lists its counts for that size ([`Counts`]);
//! [`fits`] looks whether they hold, once, when a design is elaborated, and [`know`] tells the compiler. It is the only
//! place where speed asks for `unsafe`.
//!
//! ```
//! use txbar_hdl::*;
//!
//! #[derive(Default)]
//! struct Sums {
//!     terms: usize,
//!     sum: Lanes<Signal<Out, Bits<8>>, 4>,
//!     carry: Single<Signal<Out, Bit>>,
//! }
//! /// A size.
//! struct Terms<const N: usize>;
//!
//! impl<const N: usize> Counts<Terms<N>> for Sums {
//!     #[inline(always)]
//!     fn counts(&self, each: &mut impl FnMut(usize, usize)) {
//!         counts!(self, each: N => terms, sum; 0 => carry);
//!     }
//! }
//!
//! let sums = Sums { terms: 3, sum: Lanes::new(3), ..Sums::default() };
//! assert!(fits::<Terms<3>, _>(&sums) && !fits::<Terms<2>, _>(&sums));
//! ```

/// A block that can be settled by code for the size `S`.
pub trait Counts<S> {
    /// Calls `each` with every count that is fixed when the block is elaborated, and with what it is for this size.
    fn counts(&self, each: &mut impl FnMut(usize, usize));
}

/// Whether a block has this size.
pub fn fits<S, B: Counts<S>>(block: &B) -> bool {
    let mut all = true;
    block.counts(&mut |count, known| all &= count == known);
    all
}

/// Tells the compiler that a block has this size. Debug builds look.
///
/// # Safety
/// It [`fits`].
#[inline(always)]
pub unsafe fn know<S, B: Counts<S>>(block: &B) {
    block.counts(&mut |count, known| {
        debug_assert_eq!(count, known, "a block of another size");
        // SAFETY: the caller says so.
        unsafe { std::hint::assert_unchecked(count == known) }
    });
}

/// What has a count: a number, or [`Lanes`](crate::Lanes).
pub trait Count {
    /// Number.
    fn count(&self) -> usize;
}

impl Count for usize {
    #[inline(always)]
    fn count(&self) -> usize {
        *self
    }
}

/// Lists fields with their counts: see [`Counts`].
#[macro_export]
macro_rules! counts {
    ($block:ident, $each:ident: $($count:expr => $($field:ident),+);+ $(;)?) => {
        $($( $each($crate::Count::count(&$block.$field), $count); )+)+
    };
}
