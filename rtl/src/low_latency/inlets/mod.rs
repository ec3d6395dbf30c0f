//! Ways into the banks that are no request ports: the door for beats of copies, the gate for loads and stores of warps, and who has its turn.

pub mod door;
pub mod gate;
pub mod turns;
