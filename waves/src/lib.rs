//! Waves of txbar's hardware: VCD and FST files, set-ups for GTKWave and Surfer, and pictures.
//!
//! ```text
//!   design ──► layout: scopes, signals, events ──────────┬──────────► views: .gtkw, .sucl, names
//!      │                                                 ▼
//!      └─ values, each cycle ──► write: what changed ──► format: VCD or FST ──► read ──► picture: SVG
//!                                  │        ▲
//!                                  └► ring ─┘  until what the waves are to be around
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | [`layout`] | what a file holds, and what its signals are |
//! | `wires` | which of its signals are one wire |
//! | [`mod@write`] | waves of a design, while it runs |
//! | `differ` | which values have changed |
//! | [`format`](mod@format) | VCD and FST |
//! | [`table`] | waves of a table of values |
//! | [`views`] | files for GTKWave and Surfer |
//! | [`read`] | what is in a file |
//! | [`picture`] | timing diagrams |
//! | [`cluster`] | what one wants to see of a cluster |
//!
//! How they are used is in `docs/waves.md`.
//!
//! Pictures are kept in `gallery/`, those of the blocks in `gallery/blocks/`, and tests draw them anew and compare:
//!
//! | picture | drawn by | what it shows |
//! | --- | --- | --- |
//! | `one_phase.svg` | `txbar` | one phase of a barrier: two arrivals, a copy of 32 bytes |
//! | `multistage.svg` | `txbar sim --scenario multistage --seed 1` | `cp.async` into stages: copies, beats, and the arrivals (`cp.arr`) that complete the phases |
//! | `ring.svg` | `txbar sim --scenario ring --seed 1` | bulk copies: the tx-count rises with `arr.tx`, falls as bytes land, and the phase flips at zero |
//! | `specialised.svg` | `txbar sim --scenario specialised --seed 1` | two producers, and a tx-count below zero: bytes that came before they were expected |
//! | `multicast.svg` | `txbar sim --scenario multicast --seed 1` | four CTAs: beats on the links, and the flips that they bring in each CTA |
//! | `blocks/*.svg` | `TXBAR_UPDATE_DOCS=1 cargo test -p txbar-waves --test gallery` | what the headers of the blocks draw |

pub mod cluster;
mod differ;
pub mod format;
pub mod layout;
pub mod picture;
pub mod read;
mod ring;
pub mod table;
pub mod views;
mod wires;
pub mod write;

/// The guide's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide/block.md")]
struct Guide;
