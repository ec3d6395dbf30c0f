//! Shared by all subcommands: terminal, files, progress, signals, parts of a run.

pub mod diagnostics;
pub mod files;
pub mod junit;
pub mod output;
pub mod print;
pub mod progress;
pub mod shard;
pub mod stop;
pub mod views;
pub mod wave_writer;
