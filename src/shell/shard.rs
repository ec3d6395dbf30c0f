//! `--shard I/N`: one part of the work, and the data that `txbar merge` needs to join the parts.
//!
//! A command that can be split says what its units of work are (runs, records, tests, mutants), numbered from 0. Part I of N has the
//! units I - 1, I - 1 + N, I - 1 + 2 N and so on: parts are as long as one another, and together they have every unit once. What
//! comes of a unit does not depend on the others, nor on how many threads there are.
//!
//! What a command finds is a [`Findings`]. The whole run writes its figures; a part writes all that it has found in an envelope that
//! says of which command it is, with which options, and which part.

use crate::shell::output;
use crate::{Json, Verdict, modes};
use anyhow::{Context, Result, bail};
use clap::Args;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, str::FromStr};
use txbar_export::hash;
use txbar_testbench::input;

/// A part of the work: one of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Number, from 1.
    pub part: u64,
    /// Number of parts.
    pub of: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            None => Err("write I/N: part I of N, such as 1/4".to_owned()),
            Some((0, _)) => Err("parts are counted from 1".to_owned()),
            Some((part, of)) if part > of => Err(format!("there is no part {part} of {of}")),
            Some((part, of)) => Ok(Self { part, of }),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

/// Which part of its work a command does.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Output")]
pub struct Sharding {
    /// Do only part I of N of the work, on one of several machines: `txbar merge` puts together what the parts write with --json
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

impl Sharding {
    /// The part; nothing if it is all of the work.
    pub fn part(&self) -> Option<Shard> {
        self.shard
    }

    /// Whether a unit of work belongs to the part.
    pub fn holds(&self, unit: u64) -> bool {
        self.shard.is_none_or(|Shard { part, of }| unit % of == part - 1)
    }

    /// Number of the `total` units of work that belong to the part.
    pub fn count(&self, total: u64) -> u64 {
        self.shard.map_or(total, |Shard { part, of }| total.saturating_sub(part - 1).div_ceil(of))
    }

    /// Those units, to be done on all cores.
    pub fn units(&self, total: u64) -> impl ParallelIterator<Item = u64> {
        let Shard { part, of } = self.shard.unwrap_or(Shard { part: 1, of: 1 });
        (0..self.count(total)).into_par_iter().map(move |number| part - 1 + number * of)
    }

    /// The seed, drawn anew if it is not given.
    ///
    /// # Errors
    /// Parts cannot draw theirs: all must have the same.
    pub fn seed(&self, seed: Option<u64>) -> Result<u64> {
        match (seed, self.shard) {
            (Some(seed), _) => Ok(seed),
            (None, None) => Ok(rand::random::<u32>().into()),
            (None, Some(shard)) => bail!("--shard {shard} needs --seed: all parts must have the same"),
        }
    }

    /// Tells what has been found and writes it. `files` are those that were read.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn end<F: Findings>(&self, findings: &F, json: &Json, files: &[PathBuf]) -> Result<Verdict> {
        let verdict = findings.tell();
        match (&json.json, self.shard) {
            (None, _) => {}
            (Some(path), None) => output::write_json(path, &findings.figures())?,
            (Some(path), Some(shard)) => output::write_json(path, &Part::new(shard, findings, files)?)?,
        }
        Ok(verdict)
    }
}

/// What a command that can be split has found.
pub trait Findings: Serialize + DeserializeOwned {
    /// Adds what another part has found. It does not matter which is added to which.
    fn add(&mut self, other: Self);
    /// Prints it.
    fn tell(&self) -> Verdict;
    /// What the command writes with `--json`.
    fn figures(&self) -> impl Serialize;
}

/// File of a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Version of the command.
    pub txbar: String,
    /// The subcommand.
    pub command: String,
    /// What it was given, and what it took where it was given nothing, by the options' names. Files by name and contents.
    pub options: BTreeMap<String, Vec<String>>,
    /// Which part it is.
    pub shard: Shard,
    /// Findings.
    pub findings: serde_json::Value,
}

/// Options that do not change what is found.
const IRRELEVANT: [&str; 8] = ["--json", "--junit", "--shard", "--jobs", "--output", "--resume", "--keep", "--svg"];

impl Part {
    fn new(shard: Shard, findings: &impl Serialize, files: &[PathBuf]) -> Result<Self> {
        let (command, options) = options(files)?;
        let findings = serde_json::to_value(findings).context("cannot write the findings as JSON")?;
        Ok(Self { txbar: env!("CARGO_PKG_VERSION").to_owned(), command, options, shard, findings })
    }
}

/// The subcommand that runs, and its options.
fn options(files: &[PathBuf]) -> Result<(String, BTreeMap<String, Vec<String>>)> {
    let command = crate::command();
    let matches = command.clone().try_get_matches()?;
    let (name, matches) = matches.subcommand().context("only subcommands can be split")?;
    let marks = files.iter().map(|file| Ok((file.display().to_string(), mark(file)?))).collect::<Result<Vec<_>>>()?;
    let mut options = BTreeMap::new();
    for option in command.find_subcommand(name).into_iter().flat_map(clap::Command::get_arguments) {
        let id = option.get_id().as_str();
        let title = modes::name(option);
        let Ok(Some(values)) = matches.try_get_raw(id) else { continue };
        if !IRRELEVANT.contains(&title.as_str()) {
            let values = values.map(|value| marked(&value.to_string_lossy(), &marks));
            options.insert(title, values.collect());
        }
    }
    Ok((name.to_owned(), options))
}

/// A value of an option; a file in it is told by its mark, as it may be elsewhere on another machine.
fn marked(value: &str, marks: &[(String, String)]) -> String {
    let found = marks.iter().find_map(|(file, mark)| Some(value.strip_suffix(file.as_str())?.to_owned() + mark));
    found.unwrap_or_else(|| value.to_owned())
}

/// A file's name, and a [hash](hash::of) of what is in it.
fn mark(file: &Path) -> Result<String> {
    let bytes = input::read(file, input::MOST_BYTES.max(txbar_ptx::source::MOST_BYTES))
        .with_context(|| file.display().to_string())?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("{name}#{}", hash::of(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_every_unit_once() {
        for of in 1..9 {
            for total in 0..20 {
                let parts: Vec<Sharding> = (1..=of).map(|part| Sharding { shard: Some(Shard { part, of }) }).collect();
                let mut units: Vec<u64> = parts.iter().flat_map(|part| part.units(total).collect::<Vec<_>>()).collect();
                units.sort_unstable();
                assert_eq!(units, (0..total).collect::<Vec<_>>());
                for part in parts {
                    let held = (0..total).filter(|unit| part.holds(*unit)).count() as u64;
                    assert_eq!(held, part.count(total));
                    assert!(held.abs_diff(total / of) <= 1);
                }
            }
        }
    }

    #[test]
    fn a_part_is_one_of_so_many() {
        let shard: Shard = "2/4".parse().expect("it is one");
        assert_eq!((shard, shard.to_string().as_str()), (Shard { part: 2, of: 4 }, "2/4"));
        for (text, error) in [
            ("0/4", "parts are counted from 1"),
            ("5/4", "there is no part 5 of 4"),
            ("1/0", "there is no part 1 of 0"),
            ("4", "write I/N: part I of N, such as 1/4"),
            ("-1/4", "write I/N: part I of N, such as 1/4"),
            ("1/4/2", "write I/N: part I of N, such as 1/4"),
            ("", "write I/N: part I of N, such as 1/4"),
        ] {
            assert_eq!(text.parse::<Shard>(), Err(error.to_owned()), "{text}");
        }
        assert!(serde_json::from_str::<Shard>("\"9/4\"").is_err());
    }

    #[test]
    fn a_file_is_told_by_its_name_and_contents() {
        let marks = [("here/x.csv".to_owned(), "x.csv#1".to_owned())];
        assert_eq!(marked("here/x.csv", &marks), "x.csv#1");
        assert_eq!(marked("in:u32:4:@here/x.csv", &marks), "in:u32:4:@x.csv#1");
        assert_eq!(marked("rtl", &marks), "rtl");
    }
}
