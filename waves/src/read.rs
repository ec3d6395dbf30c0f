//! Reads wave files with wellen, as Surfer does.

mod whole;

use std::collections::HashMap;
use std::path::Path;
use thiserror::Error;
use wellen::simple::Waveform;
use wellen::{SignalRef, SignalValueRef};

/// Error of reading waves.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file is missing, or is not a wave file.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: String,
        /// Description of the error.
        problem: String,
    },
    /// Unknown signal.
    #[error("there is no signal `{0}`; signals are named like `unit.bank_0.alu.word`")]
    NoSignal(String),
    /// No barrier at an address.
    #[error("there is no barrier at {address:#x} in these cycles: there are {}", some(all))]
    NoBarrier {
        /// The address.
        address: u64,
        /// Addresses of barriers.
        all: Vec<String>,
    },
    /// The end of a name is that of several signals.
    #[error("`{name}` may be {}: give more of its name", some(all))]
    Ambiguous {
        /// Name given.
        name: String,
        /// Full names of those that end so.
        all: Vec<String>,
    },
}

/// The first names of a list, as `a`, `b`, `c` or 9 others.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 3;
    if names.is_empty() {
        return "none".to_owned();
    }
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    shown.extend((names.len() > SHOWN).then(|| format!("{} others", names.len() - SHOWN)));
    let last = shown.pop().unwrap_or_default();
    if shown.is_empty() { last } else { format!("{} or {last}", shown.join(", ")) }
}

/// A value at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaveValue {
    /// Bits.
    Bits {
        /// The bits as a number.
        value: u64,
        /// Width in bits.
        width: u32,
    },
    /// A string.
    Text(String),
    /// Unknown, or more than 64 bits.
    Unknown,
    /// No meaning.
    Nothing,
}

/// A signal's changes: times and values, in order.
pub type Changes = Vec<(u64, WaveValue)>;

/// A wave file.
pub struct WaveFile {
    waveform: Waveform,
    /// Full names, in the order of the file.
    names: Vec<String>,
    signals: HashMap<String, SignalRef>,
}

impl WaveFile {
    /// Opens a VCD or FST file.
    ///
    /// # Errors
    /// It cannot be read, or is neither.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let problem = |problem: String| ReadError::File { path: path.display().to_string(), problem };
        whole::check(path).map_err(&problem)?;
        let waveform = wellen::simple::read(path).map_err(|error| problem(format!("is not a wave file: {error}")))?;
        let hierarchy = waveform.hierarchy();
        let all = hierarchy.all_vars().map(|var| (hierarchy[var].full_name(hierarchy), hierarchy[var].signal_ref()));
        let all: Vec<_> = all.collect();
        let names = all.iter().map(|(name, _)| name.clone()).collect();
        let mut signals = HashMap::new();
        for (name, signal) in all {
            signals.entry(name).or_insert(signal); // of several with a name the first is meant
        }
        Ok(Self { waveform, names, signals })
    }

    /// Full names of all signals, in the order of the file.
    pub fn signals(&self) -> Vec<String> {
        self.names.clone()
    }

    /// The full name of a signal of which the full name is given, or so much of its end, from a dot on, that only one is meant:
    /// `bank_0.alu.word`, or `alu.word` where there is one bank.
    ///
    /// # Errors
    /// None ends so, or several do.
    pub fn resolve(&self, name: &str) -> Result<String, ReadError> {
        if self.signals.contains_key(name) {
            return Ok(name.to_owned());
        }
        let ends_so =
            |full: &&String| full.strip_suffix(name).is_some_and(|before| before.ends_with('.') && !name.is_empty());
        let mut all: Vec<String> = self.names.iter().filter(ends_so).cloned().collect();
        all.dedup();
        match all.len() {
            0 => Err(ReadError::NoSignal(name.to_owned())),
            1 => Ok(all.remove(0)),
            _ => Err(ReadError::Ambiguous { name: name.to_owned(), all }),
        }
    }

    /// The time at which the file begins: that of the first value of its first signal, which is the clock.
    pub fn begin(&mut self) -> u64 {
        let clock = self.names.first().cloned().unwrap_or_default();
        let changes = self.changes(&clock).unwrap_or_default();
        changes.iter().find(|(_, value)| *value != WaveValue::Unknown).map_or(0, |(time, _)| *time)
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
        self.load([name])?;
        let signal = self.find(name)?;
        let Some(loaded) = self.waveform.get_signal(signal) else { return Ok(Changes::new()) };
        let times = self.waveform.time_table();
        Ok(loaded.iter_changes().map(|(time, value)| (times[time as usize], convert(value))).collect())
    }

    /// Reads several signals at once: much faster than one after the other.
    ///
    /// # Errors
    /// One of them is not there.
    pub fn load<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Result<(), ReadError> {
        let signals = names.into_iter().map(|name| self.find(name)).collect::<Result<Vec<_>, _>>()?;
        let missing: Vec<SignalRef> =
            signals.into_iter().filter(|signal| self.waveform.get_signal(*signal).is_none()).collect();
        self.waveform.load_signals(&missing);
        Ok(())
    }

    fn find(&self, name: &str) -> Result<SignalRef, ReadError> {
        self.signals.get(name).copied().ok_or_else(|| ReadError::NoSignal(name.to_owned()))
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
