//! From the hardware in Rust HDL to Verilog with its manifest, for boards too; and what everybody needs who runs external tools on it.

pub mod boards;
pub mod hash;
pub mod manifest;
pub mod netlist;
pub mod package;
pub mod pins;
pub mod registers;
pub mod reset;
pub mod tables;
pub mod tools;
pub mod verilog;
