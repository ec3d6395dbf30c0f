//! PTX: parser, legality, and execution of kernels on the hardware.
//!
//! ```text
//!   text ──► parse ──► ast ──┬──► legal                    is every barrier instruction one of the manual's forms?
//!   source                   │    barrier (the forms)
//!                            └──► program ──► launch ──► machine ──► report
//!                                 thread       argument    the hardware, a cycle at a time
//!                                 arithmetic   memory
//! ```
//! | file | what |
//! | --- | --- |
//! | [`source`] | the text, places in it, errors that point there |
//! | [`ast`], [`parse`] | a file as it is written |
//! | [`barrier`], [`legal`] | the forms of the barrier family, and what each needs |
//! | [`program`] | an entry, resolved: registers, labels, variables |
//! | [`position`], [`symbol`] | the lines of the source that instructions are from; names as they are written there |
//! | `thread` | executes one thread, up to what it wants of the world |
//! | [`arithmetic`] | instructions from values to values, as an H200 computes them |
//! | `matrix` | what the lanes of a warp compute on matrices |
//! | `effect` | what an instruction wants of the world |
//! | [`machine`] | threads of a cluster on the hardware of a cluster |
//! | [`launch`], [`argument`], `memory`, [`outcome`] | a grid, its arguments, global memory, what came of it |
//! | [`report`] | faults, mistakes and hangs in words |
//! | [`tables`] | tables of the documents |
//!
//! What reads a file and says whether it is legal ([`source`], [`ast`], [`parse`], [`target`], [`barrier`], [`legal`]) knows of the
//! hardware only names and numbers: `txbar_rtl`'s `op`, `order` and `word`. From [`program`] on there are also the testbench's tensor
//! maps, and [`machine`] drives the hardware with its requests.

mod address;
pub mod argument;
pub mod arithmetic;
pub mod ast;
pub mod barrier;
mod effect;
pub mod element;
pub mod launch;
pub mod legal;
pub mod machine;
pub mod map_argument;
mod matrix;
pub mod memory;
pub mod order;
pub mod outcome;
pub mod parse;
pub mod position;
mod print;
pub mod program;
pub mod report;
pub mod residency;
pub mod source;
pub mod symbol;
pub mod tables;
pub mod target;
mod thread;
