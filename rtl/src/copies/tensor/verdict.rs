//! What becomes of a tensor copy: names and codes.

macro_rules! verdicts {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $snake:literal;)*) => {
        /// What the engine says of an instruction when it has looked at it and at its map. Everything but `Ok` is a fault:
        /// nothing is written, and nothing completed.
        ///
        /// Where several apply, the first is told; limits of the map come before those of the copy.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Verdict {
            $($(#[doc = $doc])* $name = $code,)*
        }

        impl Verdict {
            /// Every verdict, in the order of the codes.
            pub const ALL: &'static [Verdict] = &[$(Verdict::$name),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Verdict::$name => $snake),* }
            }

            /// One sentence for people.
            pub const fn meaning(self) -> &'static str {
                match self { $(Verdict::$name => concat!($($doc),*).trim_ascii()),* }
            }
        }
    };
}

verdicts! {
    /// The copy is done.
    Ok = 0, "ok";
    /// The map's rank is above 5.
    Rank = 1, "rank";
    /// The map's element type is none of the codes 0 to 10.
    Element = 2, "element";
    /// The map rounds to tf32, and its elements are not f32.
    Rounding = 3, "rounding";
    /// The map's interleave is none of the codes 0 to 2.
    Interleave = 4, "interleave";
    /// The map is interleaved, and its rank is below 3.
    InterleaveRank = 5, "interleave_rank";
    /// The map fills with NaN, and its elements are integers.
    Fill = 6, "fill";
    /// The map's address is not a multiple of 16, or of 32 with slices of 32 bytes.
    Address = 7, "address";
    /// The map's address has more than 48 bits.
    AddressRange = 8, "address_range";
    /// A stride of the map is not a multiple of 32, and its slices have 32 bytes.
    Stride = 9, "stride";
    /// The bytes of a row of the map's box are not a multiple of 16.
    BoxRow = 10, "box_row";
    /// A row of the map's box has more bytes than its swizzle spans.
    BoxSwizzle = 11, "box_swizzle";
    /// The map's box has more than 228 KiB.
    BoxBytes = 12, "box_bytes";
    /// The map is one of im2col, which the engine has not.
    Im2col = 13, "im2col";
    /// The address of the map is not a multiple of 64.
    MapAddress = 14, "map_address";
    /// The coordinate of dimension 0 is not a multiple of 16 bytes.
    Coordinate = 15, "coordinate";
    /// The address in shared memory is not a multiple of 128.
    SharedAddress = 16, "shared_address";
    /// The box does not fit into the shared memory behind its address.
    SharedRange = 17, "shared_range";
    /// The address of the barrier is not a multiple of 8, or outside the memory.
    Barrier = 18, "barrier";
    /// A coordinate of a store is negative.
    Negative = 19, "negative";
    /// The reduction is not defined for the map's element type.
    Type = 20, "type";
}

impl Verdict {
    /// Width of a verdict.
    pub const BITS: usize = 5;

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The verdict of a code, if it has one.
    pub fn from_code(code: u64) -> Option<Verdict> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// The code as a constant of a kernel.
    pub(super) const fn constant(self) -> VerdictCode {
        Bits::constant(self as u64)
    }
}

use crate::hdl::Bits;

/// A verdict on the wires.
pub type VerdictCode = Bits<{ Verdict::BITS }>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_dense_and_fit() {
        for (position, verdict) in Verdict::ALL.iter().enumerate() {
            assert_eq!(Verdict::from_code(position as u64), Some(*verdict));
            assert!(!verdict.name().is_empty() && verdict.meaning().ends_with('.'));
        }
        assert_eq!(Verdict::from_code(Verdict::ALL.len() as u64), None);
        assert!(Verdict::ALL.len() <= 1 << Verdict::BITS);
    }
}
