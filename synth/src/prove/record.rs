//! Results of proofs, stored with a hash of all inputs of each proof, so that outdated results are known.
//!
//! Proofs that are not in the core set take too long for every run of the tests. They are made when what they are about changes, and
//! `synth/formal/proved.json` keeps what came of them.

use super::problem::FlowError;
use super::solve::Limit;
use super::{Line, Proof, Report, Verdict};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::{fs, io};
use txbar_export::hash;

/// Stored result of a proof.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// How it ended, and after how long.
    #[serde(flatten)]
    pub line: Line,
    /// The defects of its list that it found.
    pub defects: usize,
    /// [`Proof::hash`] of then.
    pub of: String,
}

/// The records in a file.
///
/// # Errors
/// It cannot be read, or holds none.
pub fn read(path: &Path) -> io::Result<Vec<Record>> {
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

impl Proof {
    /// A hash of all that it is made of: what tools see of the exported Verilog, harness and models, what Yosys is told, engine, defects
    /// and events.
    pub fn hash(&self) -> String {
        let Proof { engine, defects, covers, .. } = self;
        hash::of(format!("{}\n{engine:?} {defects:?} {covers:?}", self.harness.recipe()).as_bytes())
    }

    /// Looks for the defects that it must find, one after the other; gives what came of each.
    ///
    /// # Errors
    /// As [`Proof::attempt`].
    pub fn hunts(&self, limit: Limit) -> impl Iterator<Item = Result<Report, FlowError>> {
        let verilog = self.harness.export();
        self.defects.iter().map(move |(sound, defect)| self.hunt(&verilog.replace(sound, defect), limit))
    }

    /// Result to store.
    ///
    /// # Errors
    /// As [`Proof::attempt`].
    pub fn record(&self, line: Line, limit: Limit) -> Result<Record, FlowError> {
        let mut defects = 0;
        for hunted in self.hunts(limit) {
            defects += usize::from(matches!(hunted?.verdict, Verdict::Fails { .. }));
        }
        Ok(Record { line, defects, of: self.hash() })
    }
}

/// Puts a record in the place of the one of the same proof, in the order of the list.
pub fn put(records: &mut Vec<Record>, new: Record) {
    records.retain(|record| record.line.name != new.line.name);
    records.push(new);
    records.sort_by_key(|record| super::list::PROOFS.iter().position(|proof| proof.name == record.line.name));
}
