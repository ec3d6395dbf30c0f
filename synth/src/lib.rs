//! From the hardware in Rust HDL to Verilog: the export and its manifest.

pub mod manifest;
pub mod tables;
pub mod tools;
pub mod verilog;
