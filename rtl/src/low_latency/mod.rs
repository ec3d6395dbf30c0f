//! The low-latency build: [`mod@unit`] on top, and its blocks.
//!
//! | file | block |
//! | --- | --- |
//! | [`issue`] | the order of a port's requests |
//! | [`combine`], [`recall`] | requests of several ports to one word as one update |
//! | [`queue`] | the answers of a port |
//! | [`waiters`], [`wakes`], [`ending`] | suspended waits, reported as answers or as a mask; detection of ended barriers |
//! | [`mod@counters`], [`totals`] | event counters, read by loads |
//! | [`check`] | checked mode |
//! | [`inlets`] | ports into the banks for copies and for warps |

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
