//! txbar's hardware: an `mbarrier` unit in Rust HDL, bit-exact to an NVIDIA H200.
pub mod alu;
pub mod arbiter;
pub mod bank;
pub mod decode;
pub mod hdl;
pub mod op;
pub mod parameters;
pub mod plant;
pub mod queue;
pub mod status;
pub mod unit;
pub mod word;
