//! The address generator: elements that a copy moves, and their addresses.
//!
//! A copy is rows of units, which follow one another in shared memory. A unit is one element, or with interleave one slice of 16
//! or 32 bytes; and dimension 0 counts units.

use super::map::{Shape, TensorMap};

/// Bytes that a store writes whole.
pub(super) const PIECE: u64 = 16;

/// A row of a copy: units along dimension 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Bytes from the start of the copy in shared memory, before the swizzle.
    pub shared: u64,
    /// Coordinates of its first unit, innermost first.
    pub at: Vec<i64>,
}

/// One unit of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Bytes from the start of the copy in shared memory, before the swizzle.
    pub shared: u64,
    /// Its address in global memory, if it is inside the tensor.
    pub global: Option<u64>,
}

/// Exchanges 16-byte pieces of shared memory: bits 6:4 of an address are XORed with bits 9:7, of which a swizzle of 32 bytes takes
/// one, of 64 bytes two, of 128 bytes three.
pub const fn swizzled(address: u64, swizzle: u32) -> u64 {
    address ^ (address >> 7 & ((1 << swizzle) - 1)) << 4
}

impl TensorMap {
    /// Bytes of a unit.
    pub fn unit(&self) -> u64 {
        match self.interleave {
            0 => self.element.bytes(),
            interleave => 16 * u64::from(interleave),
        }
    }

    /// Units of a row.
    pub fn row_units(&self) -> u64 {
        match (&self.shape, self.interleave) {
            (Shape::Tile { .. }, 1..) => self.extent(0),
            (_, 0) => self.shape.inner().into(),
            (Shape::Im2col { .. }, _) => 1,
        }
    }

    /// Bytes from one row to the next in shared memory.
    pub fn row_pitch(&self) -> u64 {
        match (self.interleave, self.swizzle) {
            (0, 1..) => 16 << self.swizzle,
            _ => self.row_units() * self.unit(),
        }
    }

    /// Bytes that a load completes on its barrier.
    pub fn bytes(&self) -> u64 {
        let rows: u64 = match &self.shape {
            Shape::Tile { .. } => (1..self.rank()).map(|dimension| self.extent(dimension)).product(),
            Shape::Im2col { pixels, .. } => (*pixels).into(),
        };
        rows * self.row_units() * self.unit()
    }

    /// Units that a box has along a dimension. Interleaved, it is one deep in slices of channels.
    fn extent(&self, dimension: usize) -> u64 {
        let Shape::Tile { box_sizes } = &self.shape else { return 1 };
        match self.interleave {
            1.. if dimension == self.rank() - 2 => 1,
            _ => box_sizes[dimension].div_ceil(self.element_strides[dimension]).into(),
        }
    }

    /// The rows of a copy at coordinates (innermost first), and for im2col with offsets: in the order of shared memory.
    pub fn rows(&self, at: &[i32], offsets: &[u32]) -> Vec<Row> {
        let at: Vec<i64> = at.iter().copied().map(i64::from).collect();
        let rows = match &self.shape {
            Shape::Tile { .. } => self.tile(at),
            Shape::Im2col { upper, lower, pixels, .. } => self.pixels(at, offsets, lower, upper, *pixels),
        };
        (0..).zip(rows).map(|(index, at)| Row { shared: index * self.row_pitch(), at }).collect()
    }

    /// The rows of a box: dimension 1 is the fastest.
    fn tile(&self, at: Vec<i64>) -> Vec<Vec<i64>> {
        let mut rows = vec![at];
        for dimension in 1..self.rank() {
            let stride = i64::from(self.element_strides[dimension]);
            let moved = |row: &Vec<i64>, index: i64| {
                let mut row = row.clone();
                row[dimension] += index * stride;
                row
            };
            let extent = 0..self.extent(dimension) as i64;
            rows = extent.flat_map(|index| rows.iter().map(move |row| moved(row, index)).collect::<Vec<_>>()).collect();
        }
        rows
    }

    /// The pixels of im2col: along each dimension from one corner to the other, then on in the next.
    fn pixels(&self, at: Vec<i64>, offsets: &[u32], lower: &[i32], upper: &[i32], pixels: u32) -> Vec<Vec<i64>> {
        let spatial = self.first_spatial()..;
        let mut pixel = at;
        let mut found = Vec::new();
        for _ in 0..pixels {
            let mut shifted = pixel.clone();
            for (dimension, offset) in spatial.clone().zip(offsets) {
                shifted[dimension] += i64::from(*offset);
            }
            found.push(shifted);
            let mut carry = true;
            for (dimension, (lower, upper)) in spatial.clone().zip(lower.iter().zip(upper)) {
                pixel[dimension] += i64::from(self.element_strides[dimension]);
                carry = pixel[dimension] >= self.sizes[dimension] as i64 + i64::from(*upper);
                if !carry {
                    break;
                }
                pixel[dimension] = i64::from(*lower);
            }
            if carry {
                let image = self.rank() - 1;
                pixel[image] += i64::from(self.element_strides[image]);
            }
        }
        found
    }

    /// Whether a pixel is between the corners of im2col; always, of a tile.
    pub(super) fn is_between_corners(&self, at: &[i32]) -> bool {
        let Shape::Im2col { lower, upper, .. } = &self.shape else { return true };
        let mut corners = (self.first_spatial()..).zip(lower.iter().zip(upper));
        corners.all(|(dimension, (lower, upper))| {
            let end = self.sizes[dimension] as i64 + i64::from(*upper);
            (i64::from(*lower)..end).contains(&at[dimension].into())
        })
    }

    /// The units of a row.
    pub fn units<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = Unit> + 'a {
        let step = if self.interleave == 0 { 1 } else { i64::from(self.element_strides[0]) };
        let start = self.outer_address(&row.at);
        (0..self.row_units()).map(move |index| {
            let at = row.at[0] + index as i64 * step;
            let inside = u64::try_from(at).ok().filter(|at| *at < self.sizes[0]);
            let global = start.zip(inside).map(|(start, at)| start + at * self.unit());
            Unit { shared: row.shared + index * self.unit(), global }
        })
    }

    /// Pieces of 16 bytes that a store writes: bytes from the start of the copy in shared memory, before the swizzle, and the address in
    /// global memory. A piece whose first unit is inside the tensor is written whole.
    pub fn pieces(&self, at: &[i32], offsets: &[u32]) -> Vec<(u64, u64)> {
        let mut pieces = Vec::new();
        for row in self.rows(at, offsets) {
            let units: Vec<Unit> = self.units(&row).collect();
            for piece in units.chunks((PIECE / self.unit()).max(1) as usize) {
                let Some(global) = piece[0].global else { continue };
                let inside = (0..self.unit() * piece.len() as u64).step_by(PIECE as usize);
                pieces.extend(inside.map(|offset| (piece[0].shared + offset, global + offset)));
            }
        }
        pieces
    }

    /// Address of what has coordinate 0 in dimension 0, if the others are inside the tensor.
    fn outer_address(&self, at: &[i64]) -> Option<u64> {
        let mut address = self.address;
        for ((&at, &size), &stride) in at.iter().zip(&self.sizes).skip(1).zip(&self.strides) {
            let at = u64::try_from(at).ok().filter(|at| *at < size)?;
            address += at * stride;
        }
        Some(address)
    }
}
