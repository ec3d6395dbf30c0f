//! Runs as files: traffic that somebody keeps under a name, and failures that have been reduced.
//!
//! A file is JSON: what was built, by the names of the options that build it; seed and stalls; the injected fault; how it fails, if it does; and the
//! requests, a line each.

use crate::scoreboard::Failure;
use crate::traffic::Conditions;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

/// What the `format` of a file says.
const FORMAT: &str = "txbar case";
/// Version of the format.
const VERSION: u32 = 1;

/// A text that is no run.
#[derive(Debug, Error)]
pub enum FileError {
    /// It is no such JSON.
    #[error("this is not a run that --save has written: {0}")]
    Json(serde_json::Error),
    /// It says that it is something else.
    #[error("this is not a run that --save has written: its format is `{0}`, not `{format}`", format = FORMAT)]
    Format(String),
    /// It is of another version.
    #[error("this is version {0} of the format, and this txbar reads version {version}", version = VERSION)]
    Version(u32),
    /// A share of cycles.
    #[error("{0}: {1} is not in 0..=95")]
    Share(&'static str, u8),
    /// A part is missing, or not what it has to be.
    #[error(transparent)]
    Part(serde_json::Error),
}

/// How a run fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failing {
    /// The cycle.
    pub cycle: u64,
    /// What was seen.
    pub message: String,
}

impl From<&Failure> for Failing {
    fn from(failure: &Failure) -> Self {
        Self { cycle: failure.cycle, message: failure.what.clone() }
    }
}

/// All but the requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Head {
    format: String,
    version: u32,
    /// What was built, by the names of the options.
    pub parameters: BTreeMap<String, Value>,
    /// Seed of stalls.
    pub seed: u64,
    /// See [`Conditions`].
    pub stall: u8,
    /// See [`Conditions`].
    pub bank_stall: u8,
    /// The fault that is injected.
    pub inject_fault: Option<String>,
    /// How it failed when it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failing>,
}

impl Head {
    /// Of a run on a design with these parameters.
    pub fn new(
        parameters: Vec<(&'static str, String)>,
        conditions: Conditions,
        fault: Option<&str>,
        failure: Option<&Failure>,
    ) -> Self {
        let plain = |text: String| match (text.parse::<u64>(), text.parse::<bool>()) {
            (Ok(number), _) => number.into(),
            (_, Ok(flag)) => flag.into(),
            _ => Value::String(text),
        };
        let Conditions { seed, stall, bank_stall } = conditions;
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), plain(value))).collect(),
            seed,
            stall,
            bank_stall,
            inject_fault: fault.map(str::to_owned),
            failure: failure.map(Failing::from),
        }
    }

    /// What the run happens under.
    pub fn conditions(&self) -> Conditions {
        Conditions { seed: self.seed, stall: self.stall, bank_stall: self.bank_stall }
    }
}

/// `name=value` of each parameter.
pub fn pairs(parameters: &BTreeMap<String, Value>) -> Vec<String> {
    let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    parameters.iter().map(|(name, of)| format!("{name}={}", value(of))).collect()
}

/// The text of a file.
///
/// # Errors
/// A request cannot be written as JSON.
pub fn text<R: Serialize>(head: &Head, requests: &[R]) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(head)?;
    let lines = requests.iter().map(|request| Ok(format!("    {}", serde_json::to_string(request)?)));
    let lines = lines.collect::<serde_json::Result<Vec<_>>>()?;
    let head = text.trim_end_matches("\n}");
    Ok(format!("{head},\n  \"requests\": [\n{}\n  ]\n}}\n", lines.join(",\n")))
}

/// What a file is for: the parameters of the design, by the names of the options.
///
/// # Errors
/// It is no such file, or one of another version.
pub fn parameters(text: &str) -> Result<BTreeMap<String, Value>, FileError> {
    /// What says which kind of file it is.
    #[derive(Deserialize)]
    struct Kind {
        #[serde(default)]
        format: String,
        #[serde(default)]
        version: u32,
        #[serde(default)]
        parameters: BTreeMap<String, Value>,
    }
    let kind: Kind = serde_json::from_str(text).map_err(FileError::Json)?;
    if kind.format != FORMAT {
        return Err(FileError::Format(kind.format));
    }
    if kind.version != VERSION {
        return Err(FileError::Version(kind.version));
    }
    Ok(kind.parameters)
}

/// All of a file, with requests of a kind.
///
/// # Errors
/// A part is missing, or not what it has to be.
pub fn read<R: DeserializeOwned>(text: &str) -> Result<(Head, Vec<R>), FileError> {
    /// All of it.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, bound = "R: DeserializeOwned")]
    struct Whole<R> {
        format: String,
        version: u32,
        parameters: BTreeMap<String, Value>,
        seed: u64,
        #[serde(default)]
        stall: u8,
        #[serde(default)]
        bank_stall: u8,
        #[serde(default)]
        inject_fault: Option<String>,
        #[serde(default)]
        failure: Option<Failing>,
        requests: Vec<R>,
    }
    let Whole { format, version, parameters, seed, stall, bank_stall, inject_fault, failure, requests } =
        serde_json::from_str(text).map_err(FileError::Part)?;
    for (name, share) in [("stall", stall), ("bank_stall", bank_stall)] {
        if share > 95 {
            return Err(FileError::Share(name, share));
        }
    }
    Ok((Head { format, version, parameters, seed, stall, bank_stall, inject_fault, failure }, requests))
}
