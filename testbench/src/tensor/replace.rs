//! `tensormap.replace`: the fields of a map by their PTX names, and their bits.

use super::limits::BadMap;

/// A field that can be replaced (PTX ISA 9.7.9.28).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Address of the tensor.
    Address,
    /// Rank - 1.
    Rank,
    /// Box of a dimension.
    Box,
    /// Size of a dimension.
    Size,
    /// Stride in bytes; the first is that of dimension 1.
    Stride,
    /// Element stride of a dimension.
    ElementStride,
    /// Element type, by PTX's number.
    Element,
    /// Interleave.
    Interleave,
    /// Swizzle.
    Swizzle,
    /// Fill.
    Fill,
}

/// Bits of a 64-bit word of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Number of the word.
    pub word: usize,
    /// Which of its bits.
    pub mask: u64,
    /// New value of the bits.
    pub value: u64,
}

/// This many bits of a word.
fn part(word: usize, low: u32, bits: u32, value: u64) -> Bits {
    let mask = u64::MAX >> (64 - bits) << low;
    Bits { word, mask, value: value << low & mask }
}

/// The 32 bits with this number, counted from the lowest of a word on.
fn half(word: usize, upper: bool, number: usize, value: u64) -> Bits {
    let place = 2 * word + usize::from(upper) + number;
    part(place / 2, place as u32 % 2 * 32, 32, value)
}

impl Field {
    /// All of them.
    pub const ALL: [Field; 10] = {
        use Field::*;
        [Address, Rank, Box, Size, Stride, ElementStride, Element, Interleave, Swizzle, Fill]
    };

    /// As PTX calls it.
    pub const fn ptx(self) -> &'static str {
        match self {
            Field::Address => "global_address",
            Field::Rank => "rank",
            Field::Box => "box_dim",
            Field::Size => "global_dim",
            Field::Stride => "global_stride",
            Field::ElementStride => "element_stride",
            Field::Element => "elemtype",
            Field::Interleave => "interleave_layout",
            Field::Swizzle => "swizzle_mode",
            Field::Fill => "fill_mode",
        }
    }

    /// Whether its value has 64 bits.
    pub const fn is_wide(self) -> bool {
        matches!(self, Field::Address | Field::Stride)
    }

    /// Whether each dimension has one.
    pub const fn is_ordinal(self) -> bool {
        matches!(self, Field::Box | Field::Size | Field::Stride | Field::ElementStride)
    }

    /// What of a map it is, and what becomes of that.
    ///
    /// # Errors
    /// The limit that the value does not keep.
    pub fn replaced(self, dimension: usize, value: u64) -> Result<Vec<Bits>, BadMap> {
        let ensure = |holds: bool, otherwise: BadMap| if holds { Ok(()) } else { Err(otherwise) };
        let narrow = value as u32; // all but strides and addresses have 32 bits
        Ok(match self {
            Field::Address => {
                ensure(value.is_multiple_of(16), BadMap::Address { address: value, multiple: 16 })?;
                ensure(value >> 57 == 0, BadMap::AddressRange(value))?;
                vec![part(0, 0, 57, value)]
            }
            Field::Rank => {
                ensure(value < 5, BadMap::Rank(value as usize + 1))?;
                vec![part(1, 4, 3, value)]
            }
            Field::Box => {
                ensure((1..=256).contains(&value), BadMap::Box { dimension, size: narrow })?;
                vec![match dimension {
                    0 => part(6, 56, 8, value - 1),
                    _ => part(7, 8 * (dimension as u32 - 1), 8, value - 1),
                }]
            }
            // 0 is 2^32: the value has 32 bits
            Field::Size => vec![half(4, false, dimension, value.wrapping_sub(1) & 0xffff_ffff)],
            Field::Stride => {
                let (dimension, stride) = (dimension + 1, value);
                ensure(dimension < 5, BadMap::Rank(dimension + 1))?;
                ensure(stride.is_multiple_of(16), BadMap::Stride { dimension, stride, multiple: 16 })?;
                ensure(stride >> 40 == 0, BadMap::StrideRange { dimension, stride })?;
                let pieces = stride / 16;
                let upper = part(3, 32 + 4 * (dimension as u32 - 1), 4, pieces >> 32);
                vec![half(1, true, dimension - 1, pieces & 0xffff_ffff), upper]
            }
            Field::ElementStride => {
                ensure((1..=8).contains(&value), BadMap::ElementStride { dimension, stride: narrow })?;
                vec![part(6, 32 + 3 * dimension as u32, 3, value - 1)]
            }
            Field::Element => {
                // tf32 is f32 that is rounded
                let (code, rounds) = match value {
                    0..=10 => (value, 0),
                    11 => (7, 1),
                    12 => (8, 1),
                    _ => return Err(BadMap::Element(value)),
                };
                vec![part(1, 7, 4, code), part(1, 16, 1, rounds)]
            }
            Field::Interleave => {
                ensure(value <= 2, BadMap::Interleave(narrow))?;
                vec![part(1, 11, 2, value)]
            }
            Field::Swizzle => {
                ensure(value <= 3, BadMap::Swizzle(narrow))?;
                vec![part(1, 13, 2, value)]
            }
            Field::Fill => {
                ensure(value <= 1, BadMap::Fill(narrow))?;
                vec![part(1, 15, 1, value)]
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::element::Element;
    use crate::tensor::map::{Shape, TensorMap, WORDS};

    /// A map that is made field by field is the one that the driver makes, but for its own two words.
    #[test]
    fn fields_make_a_map() {
        let map = TensorMap {
            element: Element::Tf32,
            address: 0x12_3456_7890_abc0,
            sizes: vec![1 << 32, 7, 65_537, 3, 12],
            strides: vec![0xff_ffff_fff0, 0x80_0000_0010, 48, 1 << 36],
            shape: Shape::Tile { box_sizes: vec![32, 3, 4, 1, 2] },
            element_strides: vec![1, 8, 2, 3, 4],
            interleave: 0,
            swizzle: 3,
            fill: 1,
            promotion: 0,
        };
        let mut words = [0u64; WORDS];
        let Shape::Tile { box_sizes } = &map.shape else { panic!("it is a tile") };
        let mut set = |field: Field, dimension, value| {
            for Bits { word, mask, value } in field.replaced(dimension, value).expect("it keeps the limits") {
                words[word] = words[word] & !mask | value;
            }
        };
        set(Field::Address, 0, map.address);
        set(Field::Rank, 0, 4);
        for (dimension, side) in box_sizes.iter().enumerate() {
            set(Field::Box, dimension, u64::from(*side));
            set(Field::Size, dimension, map.sizes[dimension] & 0xffff_ffff);
            set(Field::ElementStride, dimension, map.element_strides[dimension].into());
        }
        for (dimension, stride) in map.strides.iter().enumerate() {
            set(Field::Stride, dimension, *stride);
        }
        set(Field::Element, 0, 11);
        set(Field::Interleave, 0, 0);
        set(Field::Swizzle, 0, 3);
        set(Field::Fill, 0, 1);
        assert_eq!(TensorMap::decode(&words), Ok(map.clone()));
        assert_eq!(words[..8], map.encode().expect("it is sound")[..8]);
    }

    #[test]
    fn a_value_outside_its_limit_gets_one_clear_error() {
        let refused = |field: Field, value| field.replaced(1, value).expect_err("it is outside").to_string();
        assert_eq!(refused(Field::Rank, 5), "rank 6: a tensor has 1 to 5 dimensions");
        assert_eq!(refused(Field::Box, 0), "box 0 of dimension 1 is not from 1 to 256");
        assert_eq!(refused(Field::Box, 257), "box 257 of dimension 1 is not from 1 to 256");
        assert_eq!(refused(Field::Stride, 24), "stride 24 of dimension 2 is not a multiple of 16");
        assert_eq!(refused(Field::Element, 13), "element type 13 is unknown: the codes are 0 to 10");
    }
}
