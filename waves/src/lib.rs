//! Waves of txbar's hardware: VCD files that GTKWave and Surfer open, and pictures of them.

pub mod picture;
pub mod read;
pub mod write;
