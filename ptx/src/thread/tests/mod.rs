//! Kernels executed by one thread in a world that has nothing but memory.

mod calls;
mod effects;
mod faults;
mod instructions;
mod random;
mod world;

use world::World;
