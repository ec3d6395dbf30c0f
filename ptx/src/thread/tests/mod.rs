//! Kernels executed by one thread, with memory and nothing else.

mod calls;
mod effects;
mod faults;
mod instructions;
mod random;
mod world;

use world::World;
