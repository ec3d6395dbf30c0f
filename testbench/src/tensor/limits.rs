//! What a tensor map may hold, and an error for each limit. The limits are those that the driver of an H200 was seen to keep
//! (`testbench/silicon/tensor/README.md`).

use super::map::{Shape, TensorMap};
use thiserror::Error;

/// Something that no tensor map can hold, or that the driver refuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum BadMap {
    #[error("rank {0}: a tensor has 1 to 5 dimensions")]
    Rank(usize),
    #[error("rank {rank}: there {what} where {needed} are needed")]
    Count { rank: usize, what: String, needed: usize },
    #[error("rank {0}: an im2col map needs 3 to 5 dimensions")]
    Im2colRank(usize),
    #[error("rank {0}: interleaved channels need 3 dimensions or more")]
    InterleaveRank(usize),
    #[error("element type {0} is unknown: the codes are 0 to 10")]
    Element(u64),
    #[error("only f32 can be rounded to tf32, and the element type is {0}")]
    RoundedElement(u64),
    #[error("interleave {0} is unknown: 0 is none, 1 slices of 16 bytes, 2 of 32 bytes")]
    Interleave(u32),
    #[error("swizzle {0} is unknown: 0 is none, 1 to 3 are 32, 64 and 128 bytes")]
    Swizzle(u32),
    #[error("fill {0} is unknown: 0 is zeros, 1 NaN")]
    Fill(u32),
    #[error("only floating-point elements can be filled with NaN, and they are {0}")]
    FillOfIntegers(&'static str),
    #[error("L2 promotion {0} is unknown: 0 is none, 1 to 3 are 64, 128 and 256 bytes")]
    Promotion(u32),
    #[error("address {address:#x} is not a multiple of {multiple}")]
    Address { address: u64, multiple: u64 },
    #[error("address {0:#x} has more than 57 bits")]
    AddressRange(u64),
    #[error("size {size} of dimension {dimension} is not from 1 to 2^32")]
    Size { dimension: usize, size: u64 },
    #[error("stride {stride} of dimension {dimension} is not a multiple of {multiple}")]
    Stride { dimension: usize, stride: u64, multiple: u64 },
    #[error("stride {stride} of dimension {dimension} is 2^40 or more")]
    StrideRange { dimension: usize, stride: u64 },
    #[error("box {size} of dimension {dimension} is not from 1 to 256")]
    Box { dimension: usize, size: u32 },
    #[error("element stride {stride} of dimension {dimension} is not from 1 to 8")]
    ElementStride { dimension: usize, stride: u32 },
    #[error("a row of the box has {0} bytes, which is not a multiple of 16")]
    BoxRow(u64),
    #[error("a row of the box has {bytes} bytes, more than the {span} of its swizzle")]
    BoxOverSwizzle { bytes: u64, span: u64 },
    #[error("the box has {0} bytes, more than 228 KiB")]
    BoxBytes(u64),
    #[error("{0} channels are not from 1 to 256")]
    Channels(u32),
    #[error("{0} pixels are not from 1 to 1024")]
    Pixels(u32),
    #[error("corner {corner} of dimension {dimension} is not from -{limit} to {limit} - 1")]
    Corner { dimension: usize, corner: i32, limit: i32 },
    #[error("the corners {lower} and {upper} of dimension {dimension}, of size {size}, leave no pixel")]
    NoPixels { dimension: usize, size: u64, lower: i32, upper: i32 },
}

/// Bytes that a box may have: all of the shared memory of an SM, 1 KiB more than a CTA can have. (The driver of the H200 accepts
/// 233,472 and refuses 233,520.)
const BOX_BYTES: u64 = 228 << 10;
/// Bits of addresses in a map.
pub(super) const ADDRESS_BITS: u32 = 57;

fn ensure(holds: bool, otherwise: BadMap) -> Result<(), BadMap> {
    if holds { Ok(()) } else { Err(otherwise) }
}

impl TensorMap {
    /// Whether it keeps all limits.
    ///
    /// # Errors
    /// The first that it does not.
    pub fn check(&self) -> Result<(), BadMap> {
        self.check_numbers()?;
        self.check_tensor()?;
        self.check_shape()
    }

    /// Codes, and how many numbers there are of each kind.
    fn check_numbers(&self) -> Result<(), BadMap> {
        let rank = self.sizes.len();
        ensure((1..=5).contains(&rank), BadMap::Rank(rank))?;
        ensure(self.interleave <= 2, BadMap::Interleave(self.interleave))?;
        ensure(self.interleave == 0 || rank >= 3, BadMap::InterleaveRank(rank))?;
        ensure(self.swizzle <= 3, BadMap::Swizzle(self.swizzle))?;
        ensure(self.fill <= 1, BadMap::Fill(self.fill))?;
        ensure(self.fill == 0 || self.element.is_float(), BadMap::FillOfIntegers(self.element.name()))?;
        ensure(self.promotion <= 3, BadMap::Promotion(self.promotion))?;
        let count = |what: &str, many: usize, needed| {
            let are = if many == 1 { "is" } else { "are" };
            ensure(many == needed, BadMap::Count { rank, what: format!("{are} {many} {what}"), needed })
        };
        count("strides", self.strides.len(), rank - 1)?;
        count("element strides", self.element_strides.len(), rank)?;
        match &self.shape {
            Shape::Tile { box_sizes } => count("box sizes", box_sizes.len(), rank),
            Shape::Im2col { lower, upper, .. } => {
                ensure(rank >= 3, BadMap::Im2colRank(rank))?;
                count("lower corners", lower.len(), rank - 2)?;
                count("upper corners", upper.len(), rank - 2)
            }
        }
    }

    fn check_tensor(&self) -> Result<(), BadMap> {
        let multiple = if self.interleave == 2 { 32 } else { 16 };
        let address = self.address;
        ensure(address.is_multiple_of(multiple), BadMap::Address { address, multiple })?;
        ensure(address >> ADDRESS_BITS == 0, BadMap::AddressRange(address))?;
        for (dimension, &size) in self.sizes.iter().enumerate() {
            ensure((1..=1 << 32).contains(&size), BadMap::Size { dimension, size })?;
        }
        for (dimension, &stride) in (1..).zip(&self.strides) {
            ensure(stride.is_multiple_of(multiple), BadMap::Stride { dimension, stride, multiple })?;
            ensure(stride >> 40 == 0, BadMap::StrideRange { dimension, stride })?;
        }
        for (dimension, &stride) in self.element_strides.iter().enumerate() {
            ensure((1..=8).contains(&stride), BadMap::ElementStride { dimension, stride })?;
        }
        Ok(())
    }

    fn check_shape(&self) -> Result<(), BadMap> {
        match &self.shape {
            Shape::Tile { box_sizes } => {
                for (dimension, &size) in box_sizes.iter().enumerate() {
                    ensure((1..=256).contains(&size), BadMap::Box { dimension, size })?;
                }
            }
            Shape::Im2col { lower, upper, channels, pixels } => {
                ensure((1..=256).contains(channels), BadMap::Channels(*channels))?;
                ensure((1..=1024).contains(pixels), BadMap::Pixels(*pixels))?;
                let limit = 1 << (corner_bits(self.rank()) - 1);
                for (dimension, (&lower, &upper)) in (self.first_spatial()..).zip(lower.iter().zip(upper)) {
                    for corner in [lower, upper] {
                        ensure((-limit..limit).contains(&corner), BadMap::Corner { dimension, corner, limit })?;
                    }
                    let size = self.sizes[dimension];
                    // the driver computes with the low 32 bits of a size, as a signed number
                    let left = i64::from(size as i32) + i64::from(upper) - i64::from(lower);
                    ensure(left > 0, BadMap::NoPixels { dimension, size, lower, upper })?;
                }
            }
        }
        let bytes = u64::from(self.shape.inner()) * self.element.bytes();
        ensure(bytes.is_multiple_of(16), BadMap::BoxRow(bytes))?;
        if self.interleave == 0 && self.swizzle > 0 {
            let span = 16 << self.swizzle;
            ensure(bytes <= span, BadMap::BoxOverSwizzle { bytes, span })?;
        }
        ensure(self.box_bytes() <= BOX_BYTES, BadMap::BoxBytes(self.box_bytes()))
    }

    /// The first dimension of im2col's pixels. Interleaved, that is dimension 0, and slices of channels are the last but one.
    pub(super) fn first_spatial(&self) -> usize {
        usize::from(self.interleave == 0)
    }

    /// Bytes of the box as the driver computes them, and writes them into word 8: element strides divide and round down.
    pub(super) fn box_bytes(&self) -> u64 {
        let elements: u64 = match &self.shape {
            Shape::Tile { box_sizes } => {
                box_sizes.iter().zip(&self.element_strides).map(|(size, stride)| u64::from(size / stride)).product()
            }
            Shape::Im2col { channels, pixels, .. } => u64::from(*channels) * u64::from(*pixels),
        };
        elements * self.element.bytes()
    }
}

/// Bits of one corner of an im2col map of a rank of 3, 4 or 5.
pub(super) fn corner_bits(rank: usize) -> u32 {
    match rank {
        3 => 16,
        4 => 8,
        _ => 5,
    }
}
