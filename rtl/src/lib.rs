//! txbar's hardware: an `mbarrier` unit in Rust, bit-exact to an NVIDIA H200. How it is written: `docs/hdl.md`.
//!
//! One idea carries it: every operation is three deltas on one 64-bit word. [`bank::decode`] turns an opcode into deltas,
//! [`bank::alu`] applies them, and everything else moves requests to the ALU and answers back.
//!
//! The folders are layered, from the ground up; none imports from one above it (`tests/rooms.rs`):
//!
//! | folder | contents |
//! | --- | --- |
//! | [`word`] | the word, operations, statuses, memory ordering, addresses, parameters: defined once for hardware, model, export and docs |
//! | [`hdl`] | the HDL of the blocks: the crate [`txbar_hdl`], and this design's widths |
//! | [`look`] | points of evaluation at which testbenches observe a unit |
//! | [`pins`] | the pins of a unit, the same for every build |
//! | [`cells`] | reusable cells that know nothing of barriers |
//! | [`bank`] | the blocks that builds share: bank, ALU, decoder, lane of a port |
//! | [`low_latency`] | the low-latency build, any number of ports and banks |
//! | [`high_clock`] | the high-clock build: one port, one bank, a long pipeline |
//! | [`banked`] | the banked high-clock build: several ports and banks, and suspended waits |
//! | [`any`] | a unit in any of its builds |
//! | [`warp`] | ports for whole warps, in front of a unit |
//! | [`copies`] | copies, reductions and tensor copies, which complete on barriers |
//! | [`cluster`] | several units joined by links, copies into them, and barrier.cluster |
//! | [`bus`] | a unit behind AXI4-Lite, Wishbone, APB or TileLink, with a window for each thread |
//! | [`board`] | tops for FPGA boards: a self-test, and a bridge to a serial line |
//! | [`mod@names`] | registry of the constants and codes that kernels use |
//!
//! The header of a block's file states what it does, why it has its structure, and its timing.

pub mod any;
pub mod bank;
pub mod banked;
pub mod board;
pub mod bus;
pub mod cells;
pub mod cluster;
pub mod copies;
pub mod hdl;
pub mod high_clock;
pub mod look;
pub mod low_latency;
pub mod names;
pub mod pins;
#[cfg(test)]
mod schedule;
#[rustfmt::skip] // it is written by a test
mod settle;
mod sizes;
pub mod warp;
pub mod word;

pub use txbar_hdl::{bundle, hardware, interface};
/// Most used modules, re-exported.
pub use word::{op, ordering, parameters, status};
