//! From Verilog to proofs about it, and with yosys and nextpnr to bitstreams.

pub mod flow;
pub mod frontier;
pub mod prove;
pub mod tables;
