//! Ports into the banks besides the request ports: the door for beats of copies, the gate for loads and stores of warps, and the arbiter
//! between them.

pub mod door;
pub mod gate;
pub mod turns;
