//! From the hardware in Rust HDL to Verilog with its manifest, proofs about it, and with yosys and nextpnr to bitstreams.

pub mod boards;
pub mod flow;
pub mod frontier;
pub mod hash;
pub mod manifest;
pub mod prove;
pub mod tables;
pub mod tools;
pub mod verilog;
