//! Fragments: lane and register of each element of a matrix (PTX ISA 9.7.14.5).
//!
//! ```text
//!   lane = 4 g + t      e elements a register (the second half of f64: none)
//!
//!   A, row g or g + 8:   | t=0: e elements | t=1 | t=2 | t=3 | t=0: e elements of the next register | ...   along k
//!   B, column g:         the same
//!   C, row g or g + 8:   | t=0: 2 elements | t=1 | t=2 | t=3 |                                              8 columns
//! ```
//! The registers of A go through the rows first, then along k. All shapes of `mma` and the registers of `wgmma` follow from this.

use super::element::{Element, Total};

/// A place in the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// The lane.
    pub lane: usize,
    /// Register of the lane.
    pub register: usize,
    /// Lowest bit there.
    pub bit: usize,
}

/// Elements of a register.
pub(crate) const fn in_register(element: Element) -> usize {
    if element.bits() < 32 { 32 / element.bits() } else { 1 }
}

/// Where element (row, k) of a matrix A of this many rows is. For B: (column, k) of 8 rows.
pub(crate) const fn factor(element: Element, rows: usize, row: usize, k: usize) -> Held {
    let each = in_register(element);
    Held {
        lane: row % 8 * 4 + k % (4 * each) / each,
        register: row / 8 + rows / 8 * (k / (4 * each)),
        bit: k % each * element.bits(),
    }
}

/// Registers of a lane for a matrix A of this many rows and so deep. For B: of 8 rows.
pub(crate) const fn factor_registers(element: Element, rows: usize, depth: usize) -> usize {
    rows / 8 * (depth / (4 * in_register(element)))
}

/// Where element (row, column) of C or D of this many rows is.
pub(crate) const fn total(total: Total, rows: usize, row: usize, column: usize) -> Held {
    let lane = row % 8 * 4 + column % 8 / 2;
    let pair = column / 8 * (rows / 8) + row / 8;
    match total {
        Total::F16 => Held { lane, register: pair, bit: column % 2 * 16 },
        _ => Held { lane, register: 2 * pair + column % 2, bit: 0 },
    }
}

/// Registers of a lane for C or D.
pub(crate) const fn total_registers(total: Total, rows: usize, columns: usize) -> usize {
    let pairs = columns / 8 * (rows / 8);
    if matches!(total, Total::F16) { pairs } else { 2 * pairs }
}
