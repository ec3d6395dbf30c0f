//! The testbench of clusters: threads with programs on all ports, a global memory, and a scoreboard in every CTA.
//!
//! ```text
//!   Thread (program) ─┐                                     ┌─► Tap: scoreboard of the unit, network, copies
//!   Thread            ├─► Rig ◄──── wires, each cycle ────► Cluster
//!   ...               ┘    ▲
//!   Bursts (global memory) ┘
//! ```
//! | file | what |
//! | --- | --- |
//! | [`rig`] | drives the wires from the threads' programs, cycle by cycle |
//! | [`thread`] | a thread: a list of steps |
//! | [`global`] | global memory, with latency and bursts that overtake each other |
//! | [`outgoing`] | what leaves shared memory: copies, bursts, bulk groups |
//! | [`tap`] | looks at the wires inside and compares them with the reference model |
//! | [`traffic`] | random programs with everything in them |
//! | [`scenarios`] | what people use barriers for, as programs |
//! | [`warps`] | the ports for warps: what is asked there, and what lanes must be told |
//! | [`noise`] | random pins, beside everything that people do |
//! | [`pins`] | which outputs mean something, for recordings of the pins |

pub mod global;
pub mod noise;
pub mod outgoing;
pub mod pins;
pub mod rig;
pub mod scenarios;
pub mod tap;
pub mod thread;
pub mod traffic;
pub mod warps;
