//! The tensor map: 128 bytes, and what they mean. The table of its bits is in `testbench/silicon/tensor/README.md`.

use super::element::Element;
use super::limits::{ADDRESS_BITS, BadMap, corner_bits};

/// 64-bit words of a tensor map.
pub const WORDS: usize = 16;

/// Shape of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A box of the tensor.
    Tile {
        /// Its size in each dimension, innermost first: 1 to 256.
        box_sizes: Vec<u32>,
    },
    /// Pixels of a box of pixels.
    Im2col {
        /// Lower corner of the box in each dimension but the channels' and the outermost.
        lower: Vec<i32>,
        /// Upper corner, from the end of the dimension.
        upper: Vec<i32>,
        /// Channels of a pixel: 1 to 256.
        channels: u32,
        /// Pixels of a copy: 1 to 1024.
        pixels: u32,
    },
}

impl Shape {
    /// Elements of a row in shared memory.
    pub(super) fn inner(&self) -> u32 {
        match self {
            Shape::Tile { box_sizes } => box_sizes.first().copied().unwrap_or(0),
            Shape::Im2col { channels, .. } => *channels,
        }
    }
}

/// A tensor map, as `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` take it. Dimensions are counted from the innermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Type of an element.
    pub element: Element,
    /// Where the tensor begins in global memory.
    pub address: u64,
    /// Elements of each dimension: the rank is how many there are.
    pub sizes: Vec<u64>,
    /// Bytes from one to the next along each dimension but the first.
    pub strides: Vec<u64>,
    /// Shape of a copy.
    pub shape: Shape,
    /// Element strides: along each dimension, one of this many elements is copied, 1 to 8.
    pub element_strides: Vec<u32>,
    /// Channels in slices: 0 none, 1 of 16 bytes, 2 of 32 bytes.
    pub interleave: u32,
    /// Swizzle of shared memory: 0 none, 1 to 3: 32, 64 and 128 bytes.
    pub swizzle: u32,
    /// What lies outside of the tensor: 0 zeros, 1 NaN.
    pub fill: u32,
    /// L2 promotion, 0 to 3: of no effect.
    pub promotion: u32,
}

/// Bits of a word of the map.
fn field(words: &[u64; WORDS], word: usize, low: u32, bits: u32) -> u64 {
    words[word] >> low & (u64::MAX >> (64 - bits))
}

/// Number `index` of 32 bits from the lower or upper half of a word on.
fn half(word: usize, upper: bool, index: usize) -> (usize, u32) {
    let number = 2 * word + usize::from(upper) + index;
    (number / 2, number as u32 % 2 * 32)
}

impl TensorMap {
    /// Dimensions of the tensor.
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// Its words, as the driver writes them.
    ///
    /// # Errors
    /// The first limit that it does not keep.
    pub fn encode(&self) -> Result<[u64; WORDS], BadMap> {
        self.check()?;
        let mut words = [0; WORDS];
        words[0] = self.address;
        words[1] = u64::from(matches!(self.shape, Shape::Im2col { .. }))
            | (self.rank() as u64 - 1) << 4
            | self.element.code() << 7
            | u64::from(self.interleave) << 11
            | u64::from(self.swizzle) << 13
            | u64::from(self.fill) << 15
            | u64::from(self.element.rounds()) << 16
            | u64::from(self.promotion) << 17;
        for (index, stride) in self.strides.iter().map(|stride| stride / 16).enumerate() {
            let (word, low) = half(1, true, index);
            words[word] |= (stride & 0xffff_ffff) << low;
            words[3] |= (stride >> 32) << (32 + 4 * index);
        }
        for (index, size) in self.sizes.iter().enumerate() {
            let (word, low) = half(4, false, index);
            words[word] |= (size - 1) << low;
        }
        for (index, stride) in self.element_strides.iter().enumerate() {
            words[6] |= u64::from(stride - 1) << (32 + 3 * index);
        }
        words[6] |= u64::from(self.shape.inner() - 1) << 56;
        match &self.shape {
            Shape::Tile { box_sizes } => {
                for (index, size) in box_sizes[1..].iter().enumerate() {
                    words[7] |= u64::from(size - 1) << (8 * index);
                }
            }
            Shape::Im2col { lower, upper, pixels, .. } => {
                let bits = corner_bits(self.rank());
                for (low, corners) in [(0, lower), (16, upper)] {
                    for (index, corner) in (0..).zip(corners) {
                        words[7] |= (*corner as u64 & ((1 << bits) - 1)) << (low + bits * index);
                    }
                }
                words[7] |= u64::from(pixels - 1) << 32;
            }
        }
        // the driver's own: bytes of the box, and the alignment that its swizzle needs
        words[8] = self.box_bytes();
        words[9] = if self.swizzle == 0 { 16 } else { 128 << self.swizzle };
        Ok(words)
    }

    /// What 128 bytes mean. Words 8 and up, and bits that no field has, are not looked at.
    ///
    /// # Errors
    /// The first limit that the map does not keep.
    pub fn decode(words: &[u64; WORDS]) -> Result<TensorMap, BadMap> {
        let number = |word, low, bits| field(words, word, low, bits) as u32;
        let rank = field(words, 1, 4, 3) as usize + 1;
        if rank > 5 {
            return Err(BadMap::Rank(rank));
        }
        let (code, rounds) = (field(words, 1, 7, 4), field(words, 1, 16, 1) == 1);
        let element = Element::of_code(code, rounds).ok_or(match rounds && code <= 10 {
            true => BadMap::RoundedElement(code),
            false => BadMap::Element(code),
        })?;
        let stride = |index| {
            let (word, low) = half(1, true, index);
            (field(words, word, low, 32) | field(words, 3, 32 + 4 * index as u32, 4) << 32) * 16
        };
        let size = |index| {
            let (word, low) = half(4, false, index);
            field(words, word, low, 32) + 1
        };
        let inner = number(6, 56, 8) + 1;
        let shape = if field(words, 1, 0, 1) == 0 {
            let outer = (0..rank as u32 - 1).map(|index| number(7, 8 * index, 8) + 1);
            Shape::Tile { box_sizes: [inner].into_iter().chain(outer).collect() }
        } else {
            if rank < 3 {
                return Err(BadMap::Im2colRank(rank));
            }
            let bits = corner_bits(rank);
            let corners = |from| {
                let corner = |index| (number(7, from + bits * index, bits) << (32 - bits)) as i32 >> (32 - bits);
                (0..rank as u32 - 2).map(corner).collect()
            };
            Shape::Im2col { lower: corners(0), upper: corners(16), channels: inner, pixels: number(7, 32, 10) + 1 }
        };
        let map = TensorMap {
            element,
            address: field(words, 0, 0, ADDRESS_BITS),
            sizes: (0..rank).map(size).collect(),
            strides: (0..rank - 1).map(stride).collect(),
            shape,
            element_strides: (0..rank as u32).map(|index| number(6, 32 + 3 * index, 3) + 1).collect(),
            interleave: number(1, 11, 2),
            swizzle: number(1, 13, 2),
            fill: number(1, 15, 1),
            promotion: number(1, 17, 2),
        };
        map.check().map(|()| map)
    }
}
