//! Reusable cells: small blocks that do not depend on the design around them.

pub mod arbiter;
pub mod fifo;
pub mod lane_count;
pub mod level;
pub mod lfsr;
pub mod steps;
pub mod timer;
