//! Reads waves back, the way Surfer does: with wellen.

use std::path::Path;
use thiserror::Error;
use wellen::simple::Waveform;
use wellen::{SignalRef, SignalValueRef};

/// Why waves cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file is missing, or is no wave file.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// There is no such signal.
    #[error("there is no signal `{0}`; signals are named like `unit.bank_0.alu.word`")]
    NoSignal(String),
}

/// A value at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaveValue {
    /// Bits.
    Bits {
        /// The bits as a number.
        value: u64,
        /// How many.
        width: u32,
    },
    /// A string.
    Text(String),
    /// Unknown, or more than 64 bits.
    Unknown,
    /// Nothing that means anything.
    Nothing,
}

/// A signal's changes: times and values, in order.
pub type Changes = Vec<(u64, WaveValue)>;

/// A wave file.
pub struct WaveFile {
    waveform: Waveform,
}

impl WaveFile {
    /// Opens a VCD or FST file.
    ///
    /// # Errors
    /// It cannot be read, or is neither.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let problem = |problem: String| ReadError::File { path: path.display().to_string(), problem };
        // wellen's message for a missing file does not say so
        std::fs::File::open(path).map_err(|error| problem(error.to_string()))?;
        let waveform = wellen::simple::read(path).map_err(|error| problem(format!("is no wave file: {error}")))?;
        Ok(Self { waveform })
    }

    /// Full names of all signals, in the order of the file.
    pub fn signals(&self) -> Vec<String> {
        let hierarchy = self.waveform.hierarchy();
        hierarchy.all_vars().map(|var| hierarchy[var].full_name(hierarchy)).collect()
    }

    /// The time at which the file ends.
    pub fn end(&self) -> u64 {
        self.waveform.time_table().last().copied().unwrap_or(0)
    }

    /// Every change of a signal.
    ///
    /// # Errors
    /// There is no such signal.
    pub fn changes(&mut self, name: &str) -> Result<Changes, ReadError> {
        let signal = self.find(name)?;
        self.waveform.load_signals(&[signal]);
        let loaded = self.waveform.get_signal(signal).expect("it has just been loaded");
        let times = self.waveform.time_table();
        Ok(loaded.iter_changes().map(|(time, value)| (times[time as usize], convert(value))).collect())
    }

    fn find(&self, name: &str) -> Result<SignalRef, ReadError> {
        let hierarchy = self.waveform.hierarchy();
        hierarchy
            .all_vars()
            .find(|var| hierarchy[*var].full_name(hierarchy) == name)
            .map(|var| hierarchy[var].signal_ref())
            .ok_or_else(|| ReadError::NoSignal(name.to_owned()))
    }
}

fn convert(value: SignalValueRef) -> WaveValue {
    match value {
        SignalValueRef::String(text) => WaveValue::Text(text.to_owned()),
        SignalValueRef::BitVec(bits) => {
            let (width, text) = (bits.width(), value.to_string());
            match u64::from_str_radix(&text, 2) {
                Ok(value) => WaveValue::Bits { value, width },
                Err(_) => WaveValue::Unknown,
            }
        }
        SignalValueRef::Event | SignalValueRef::Real(_) => WaveValue::Unknown,
    }
}

/// The value that a signal has at a time.
pub fn value_at(changes: &Changes, time: u64) -> Option<&WaveValue> {
    let after = changes.partition_point(|(when, _)| *when <= time);
    Some(&changes[after.checked_sub(1)?].1)
}
