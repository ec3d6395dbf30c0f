//! The end of a run: who waits for what, and mistakes.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A line of a source file that an instruction is from, for JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameJson {
    /// The file, as the compiler has written it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
    /// The function that the line is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// A line of the hang table, for JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitJson {
    /// Number of the cluster in the grid.
    #[serde(default)]
    pub cluster: u32,
    /// Rank of the CTA.
    pub cta: u8,
    /// The threads.
    pub threads: Vec<u16>,
    /// Line of their instruction in the PTX text, if they are a kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The same in the kernel's source, if the PTX names it: the line of the kernel, then those of functions inlined there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<FrameJson>,
    /// Event that the threads wait for.
    pub waits_for: String,
    /// Name of the barrier in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub barrier: Option<String>,
    /// Address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<u32>,
    /// Parity of the phase that is waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for_parity: Option<u8>,
    /// Its word, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// Parity of the word's phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word_parity: Option<u8>,
    /// Arrivals that the phase lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals_missing: Option<u32>,
    /// Bytes that it lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_missing: Option<i64>,
    /// Threads that have arrived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrived: Vec<String>,
}

/// A fault or a mistake, for JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemarkJson {
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bug: Option<Cow<'static, str>>,
    /// Status of the hardware.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Cow<'static, str>>,
    /// In a line.
    pub message: String,
    /// The line of the PTX text.
    pub line: usize,
    /// The same in the kernel's source, if the PTX names it: the line of the kernel, then those of functions inlined there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<FrameJson>,
    /// Line of another instruction that has to do with it, in the PTX text: of a race, that of the first access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_line: Option<usize>,
    /// The same in the kernel's source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_source: Vec<FrameJson>,
    /// Number of the cluster in the grid.
    pub cluster: u32,
    /// Rank of the CTA.
    pub cta: u8,
    /// The thread.
    pub thread: u16,
    /// The word before, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word_before: Option<String>,
}
