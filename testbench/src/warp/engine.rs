//! What drives the wires of a unit with ports for warps: the hardware in Rust ([`rtl`]), its Verilog compiled ([`compiled`]), and
//! instructions one after the other on any of them ([`serial`]).

pub mod compiled;
pub mod rtl;
pub mod serial;

pub use compiled::Compiled;
pub use rtl::{Injection, Rtl};
pub use serial::Serial;

use super::memory::{Access, Reach};
use super::{Instruction, Lane};
use crate::request::{Request, Response};
use txbar_rtl::warp::parameters::WarpParameters;

/// What a port answers to lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanesTold {
    /// Tag of the instruction.
    pub tag: u16,
    /// Mask of lanes.
    pub lanes: u32,
    /// Status code, for all of them.
    pub status: u8,
    /// Predicate of each.
    pub predicates: u32,
    /// Token, word or count, for all of them.
    pub data: u64,
    /// The waits were suspended.
    pub resumed: bool,
}

impl LanesTold {
    /// What one of its lanes is told.
    pub fn of_lane(&self, lane: usize) -> Response {
        let Self { tag, status, predicates, data, resumed, .. } = *self;
        Response { tag, status, predicate: predicates >> lane & 1 == 1, data, resumed }
    }
}

/// What a port answers to lanes of a load or store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTold {
    /// Tag of the load or store.
    pub tag: u16,
    /// Mask of lanes.
    pub lanes: u32,
    /// Status code, for all of them.
    pub status: u8,
    /// What each lane of the warp has loaded, if it is one of them.
    pub data: Vec<u128>,
}

/// The wires of a unit with ports for warps, one clock cycle at a time. What is driven stays until it is driven anew.
pub trait Engine {
    /// Parameters of the design.
    fn parameters(&self) -> &WarpParameters;
    /// Puts a request on a port for threads, or takes it away.
    fn drive_thread(&mut self, port: usize, request: Option<&Request>);
    /// Whether a port for threads is ready for an answer.
    fn drive_thread_ready(&mut self, port: usize, ready: bool);
    /// Puts an instruction on a port for warps, or takes it away. Its waits may be suspended for this many nanoseconds.
    fn drive_warp(&mut self, port: usize, instruction: Option<&Instruction>, tag: u16, limit_ns: u32);
    /// Whether a port for warps is ready for an answer.
    fn drive_warp_ready(&mut self, port: usize, ready: bool);
    /// Puts a load or store on a port for warps that has them, in place of another instruction.
    fn drive_memory(&mut self, port: usize, access: &Access, tag: u16);
    /// Whether a port for warps is ready for an answer to a load or store.
    fn drive_memory_ready(&mut self, port: usize, ready: bool);
    /// The answer to a load or store that a port for warps shows.
    fn memory_told(&self, port: usize) -> Option<MemoryTold>;
    /// Lets the combinational logic settle.
    fn settle(&mut self);
    /// Whether the request of a port for threads is accepted in this cycle.
    fn thread_accepted(&self, port: usize) -> bool;
    /// The answer that a port for threads shows.
    fn thread_told(&self, port: usize) -> Option<Response>;
    /// Whether the instruction of a port for warps is accepted in this cycle.
    fn warp_accepted(&self, port: usize) -> bool;
    /// The answer that a port for warps shows.
    fn warp_told(&self, port: usize) -> Option<LanesTold>;
    /// The clock edge, with reset held or not.
    fn clock(&mut self, reset: bool);

    /// Resets the unit, with nothing on its ports.
    fn reset(&mut self) {
        let WarpParameters { unit, warp_ports, .. } = *self.parameters();
        for port in 0..unit.ports {
            self.drive_thread(port, None);
            self.drive_thread_ready(port, false);
        }
        for port in 0..warp_ports {
            self.drive_warp(port, None, 0, 0);
            self.drive_warp_ready(port, false);
            self.drive_memory_ready(port, false);
        }
        for reset in [true, true, false] {
            self.settle();
            self.clock(reset);
        }
    }
}

/// What stands on the wires of a port without an instruction.
const NOBODY: Lane = Lane { address: 0, operand: 0 };

/// The same where it may load and store.
const NOWHERE: Reach = Reach { address: 0, data: 0 };
