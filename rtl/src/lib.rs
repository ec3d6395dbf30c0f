//! txbar's hardware: an `mbarrier` unit in Rust, bit-exact to an NVIDIA H200. How it is written: `docs/hdl.md`.
//!
//! One idea carries it: every operation is three deltas on one 64-bit word. [`decode`] turns an opcode into deltas,
//! [`alu`] applies them, and everything else moves requests to the ALU and answers back.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`word`], [`op`], [`status`], [`order`] | names and positions, defined once for hardware, model, export and docs |
//! | [`parameters`] | what a design is built for, and the widths that follow |
//! | [`hdl`] | what the blocks are written in: the crate [`txbar_hdl`], and this design's widths and names |
//! | [`issue`], [`arbiter`], [`combine`], [`decode`], [`lane`], [`recall`], [`alu`], [`laps`], [`overrun`], [`replay`], [`bank`], [`queue`], [`waiters`], [`wakes`], [`ending`], [`mod@counters`], [`check`], [`mod@unit`] | the blocks, the last one on top |
//! | [`pins`] | the pins of a unit, the same for every build |
//! | [`deep`] | the high-clock build: one port, one bank, a long pipeline |
//! | [`fabric`] | the banked high-clock build: several ports and banks, and suspended waits |
//! | [`any`] | a unit in any of its builds |
//! | [`warp`] | ports for whole warps, in front of a unit |
//! | [`cluster`] | several units joined by links, copies into them, and barrier.cluster |
//! | [`board`] | tops for FPGA boards: a self-test, and a bridge to a serial line |
//! | [`plant`], [`deep::plant`], [`fabric::plant`], [`wakes::plant`], [`warp::plant`], [`warp::memory_plant`], [`cluster::plant`], [`cluster::memory_plant`] | faults to inject into a simulated unit |
//!
//! A block's file begins with what it does, why it has its shape, and its timing.

pub mod alu;
pub mod any;
pub mod arbiter;
pub mod bank;
pub mod board;
pub mod check;
pub mod cluster;
pub mod combine;
pub mod counters;
pub mod decode;
pub mod deep;
pub mod ending;
pub mod fabric;
pub mod hdl;
pub mod issue;
pub mod lane;
pub mod lane_count;
pub mod laps;
pub mod op;
pub mod order;
pub mod overrun;
pub mod parameters;
pub mod pins;
pub mod plant;
pub mod queue;
pub mod recall;
pub mod replay;
#[cfg(test)]
mod schedule;
pub mod status;
pub mod totals;
pub mod unit;
pub mod waiters;
pub mod wakes;
pub mod warp;
pub mod word;

pub use txbar_hdl::{hardware, interface};
