//! Export of the hardware to Verilog with its manifest, also for boards; and the external tools shared by other crates.

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
