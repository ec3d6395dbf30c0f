//! Waves of txbar's hardware: VCD files that GTKWave and Surfer open, and pictures of them.
//!
//! | file | what |
//! | --- | --- |
//! | [`mod@write`] | VCD files |
//! | [`read`] | what is in them |
//! | [`picture`] | timing diagrams |
//! | [`cluster`] | what one wants to see of a cluster |
//!
//! Pictures are kept in `gallery/`, and tests draw them anew and compare:
//!
//! | picture | drawn by | what it shows |
//! | --- | --- | --- |
//! | `one_phase.svg` | `txbar` | one phase of a barrier: two arrivals, a copy of 32 bytes |
//! | `multistage.svg` | `txbar sim --scenario multistage --seed 1` | `cp.async` into stages: copies, beats, and the arrivals (`cp.arr`) that complete the phases |
//! | `ring.svg` | `txbar sim --scenario ring --seed 1` | bulk copies: the tx-count rises with `arr.tx`, falls as bytes land, and the phase flips at zero |
//! | `specialised.svg` | `txbar sim --scenario specialised --seed 1` | two producers, and a tx-count below zero: bytes that came before they were expected |
//! | `multicast.svg` | `txbar sim --scenario multicast --seed 1` | four CTAs: beats on the links, and the flips that they bring in each CTA |

pub mod cluster;
pub mod picture;
pub mod read;
pub mod table;
pub mod write;
