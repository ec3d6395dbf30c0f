//! Matrices in shared memory: addresses of elements by a descriptor of `wgmma` (PTX ISA 9.7.15.5).
//!
//! ```text
//!   13:0 address / 16     29:16 leading byte offset / 16     45:32 stride byte offset / 16
//!   51:49 base offset     63:62 swizzle: 0 none, 1 of 128, 2 of 64, 3 of 32 bytes
//!
//!   K-major: 8 rows of `span` bytes lie behind each other, 8 rows further it is the stride. Without a swizzle a row of
//!   16 bytes goes on one leading offset further.
//!   MN-major: 8 columns (along k) of `span` bytes lie behind each other. With a swizzle it is the leading offset to the next
//!   `span` along m or n, the stride to the next 8 along k; without one it is the other way round.
//! ```
//! A swizzle permutes the units of 16 bytes of the address that comes out: bits 6:4 of it by bits 9:7, as many as it has.

/// Which way elements lie next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Major {
    /// Along k.
    K,
    /// Along m or n: `tnsp` of the instruction.
    Mn,
}

/// A descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    start: u32,
    leading: u32,
    stride: u32,
    /// Bytes of a row of the pattern: 16 without a swizzle.
    span: u32,
}

/// Bytes of a unit that stays together.
const UNIT: u32 = 16;
/// Addresses of shared memory that a descriptor can name.
const ADDRESSES: u32 = 1 << 18;

impl Descriptor {
    /// Takes the 64 bits apart.
    ///
    /// # Errors
    /// They have a base offset: a matrix that does not begin where its swizzle does.
    pub(crate) fn new(bits: u64) -> Result<Self, String> {
        let offset = bits >> 49 & 7;
        if offset != 0 {
            return Err(format!("the matrix descriptor {bits:#018x} has base offset {offset}: txbar knows only 0"));
        }
        let field = |lowest: u32| (bits >> lowest & 0x3fff) as u32 * UNIT;
        let span = match bits >> 62 {
            0 => UNIT,
            1 => 128,
            2 => 64,
            _ => 32,
        };
        Ok(Self { start: field(0), leading: field(16), stride: field(32), span })
    }

    /// Address of the first byte of an element: `mn` of 8 rows (or columns) or more, `k` of 32 bytes.
    pub(crate) fn address(&self, major: Major, bytes: u32, mn: u32, k: u32) -> u32 {
        let Self { start, leading, stride, span } = *self;
        let plain = span == UNIT;
        let offset = match major {
            Major::K if plain => mn % 8 * UNIT + mn / 8 * stride + k * bytes % UNIT + k * bytes / UNIT * leading,
            Major::K => mn % 8 * span + mn / 8 * stride + k * bytes,
            Major::Mn => {
                let (next, deeper) = if plain { (stride, leading) } else { (leading, stride) };
                mn * bytes % span + mn * bytes / span * next + k % 8 * span + k / 8 * deeper
            }
        };
        let address = (start + offset) % ADDRESSES;
        let permuted = (span / UNIT - 1) << 4; // bits 6:4, 5:4, 4 or none
        address ^ address >> 3 & permuted
    }
}
