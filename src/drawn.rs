//! `txbar sim --random-parameters`: many runs, of which everything is drawn at random.

use crate::shard::{Findings, Sharding};
use crate::{Json, Verdict};
use crate::{progress, say};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use txbar_testbench::drawn::{self, Runs};

/// Requests of a drawn run at most.
const LENGTH: u64 = 100_000;

/// What came of the runs.
#[derive(Serialize, Deserialize)]
pub struct Drawn {
    /// What everything random followed from.
    seed: u64,
    #[serde(flatten)]
    runs: Runs,
}

impl Findings for Drawn {
    fn add(&mut self, other: Self) {
        self.runs = std::mem::take(&mut self.runs).with(other.runs);
    }

    fn tell(&self) -> Verdict {
        let Runs { runs, failed, .. } = &self.runs;
        for failed in failed {
            say!("{failed}\n");
        }
        say!("{} of {runs} runs are as the reference model says (seed {})", runs - failed.len() as u64, self.seed);
        if failed.is_empty() { Verdict::Pass } else { Verdict::Fail }
    }

    fn figures(&self) -> impl Serialize {
        self
    }
}

/// Runs so many, or the part of them that is asked for.
pub fn run(runs: u64, seed: u64, sharding: &Sharding, json: &Json) -> Result<Verdict> {
    let bar = progress::bar(sharding.count(runs), "runs");
    let runs = drawn::run(sharding.units(runs), LENGTH, seed, || bar.inc(1));
    bar.finish_and_clear();
    sharding.end(&Drawn { seed, runs }, json, &[])
}
