//! Tensor copies as an H200 does them: a reference model that shares nothing with any hardware. The rules and the recordings that
//! they were read off are in `testbench/silicon/tensor/README.md`.
//!
//! ```text
//!   map (limits, element) ─► address: rows of the box ─► copy: loads, stores, reductions ◄─ reduce: one element
//!                                  recording: rows of CSV ─► check: what differs
//!   replace: one field of a map, as PTX names it
//!                                  engine: the hardware's engine between two memories; outflow: what stands behind it for stores
//! ```

pub mod address;
pub mod check;
pub mod copy;
pub mod element;
pub mod engine;
pub mod limits;
pub mod map;
pub mod outflow;
pub mod recording;
pub mod reduce;
pub mod replace;

/// A number in little-endian bytes, 8 at most.
pub fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
