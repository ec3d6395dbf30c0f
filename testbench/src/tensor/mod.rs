//! Tensor copies as an H200 does them: a reference model that shares nothing with any hardware. The rules and the recordings that
//! they were read off are in `testbench/silicon/tensor/README.md`.
//!
//! ```text
//!   map (limits, element) ─► address: rows of the box ─► copy: loads, stores, reductions ◄─ reduce: one element
//!                                  recording: rows of CSV ─► check: what differs
//! ```

pub mod address;
pub mod check;
pub mod copy;
pub mod element;
pub mod limits;
pub mod map;
pub mod recording;
pub mod reduce;
