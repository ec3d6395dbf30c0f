//! Small blocks that others are built of; none knows who uses it.

pub mod arbiter;
pub mod fifo;
pub mod lane_count;
pub mod level;
pub mod lfsr;
pub mod steps;
pub mod timer;
