//! The low-latency build: [`mod@unit`] on top, and its blocks.
//!
//! | file | block |
//! | --- | --- |
//! | [`issue`] | the order of a port's requests |
//! | [`combine`], [`recall`] | requests of several ports to one word as one update |
//! | [`queue`] | the answers of a port |
//! | [`waiters`], [`wakes`], [`ending`] | suspended waits, answered or told as a mask; what ends them |
//! | [`mod@counters`], [`totals`] | events, read by loads |
//! | [`check`] | checked mode |
//! | [`inlets`] | the ways into the banks of copies and of warps |

pub mod check;
pub mod combine;
pub mod counters;
pub mod ending;
pub mod inlets;
pub mod issue;
pub mod queue;
pub mod recall;
pub mod totals;
pub mod unit;
pub mod waiters;
pub mod wakes;
