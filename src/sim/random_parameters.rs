//! `txbar sim --random-parameters`: many runs with all parameters drawn at random.

use crate::say;
use crate::shell::junit::{Ending, Junit, Tested};
use crate::shell::shard::{Findings, Sharding};
use crate::shell::{progress, stop};
use crate::{Json, Verdict};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use txbar_testbench::random_runs::{self, Failed, Runs};

/// Requests of a drawn run at most.
const LENGTH: u64 = 100_000;

/// Results of the runs.
#[derive(Serialize, Deserialize)]
pub struct Drawn {
    /// Random seed.
    seed: u64,
    #[serde(flatten)]
    runs: Runs,
}

impl Findings for Drawn {
    fn add(&mut self, other: Self) {
        self.runs = std::mem::take(&mut self.runs).with(other.runs);
    }

    fn tell(&self) -> Verdict {
        let Runs { runs, failed, stopped, .. } = &self.runs;
        for failed in failed {
            say!("{failed}\n");
        }
        let sound = runs - failed.len() as u64;
        say!("{sound} of {runs} runs are as the reference model says (seed {})", self.seed);
        if *stopped > 0 {
            say!("STOPPED: {stopped} runs were not made");
        }
        if failed.is_empty() { Verdict::Pass } else { Verdict::Fail }
    }

    fn figures(&self) -> impl Serialize {
        self
    }
}

/// Runs so many, or the part of them that is asked for.
pub fn run(runs: u64, seed: u64, sharding: &Sharding, (json, junit): (&Json, &Junit)) -> Result<Verdict> {
    let under_way = stop::Run::begin();
    let bar = progress::bar(sharding.count(runs), "runs");
    let found = random_runs::run(sharding.units(runs), LENGTH, seed, stop::requested, || bar.inc(1));
    bar.finish_and_clear();
    junit.write([(
        "txbar sim --random-parameters".to_owned(),
        tested(&found, (0..runs).filter(|run| sharding.holds(*run))),
    )])?;
    let verdict = sharding.end(&Drawn { seed, runs: found }, json, &[]);
    drop(under_way);
    verdict
}

/// A test case for each run. It is not known which were stopped: of these runs only those that failed are there.
fn tested(found: &Runs, numbers: impl Iterator<Item = u64>) -> Vec<Tested> {
    let failed: BTreeMap<u64, &Failed> = found.failed.iter().map(|failed| (failed.number, failed)).collect();
    let of = |number: u64| match failed.get(&number) {
        Some(Failed { command, what, .. }) => {
            let message = what.lines().next().unwrap_or_default().to_owned();
            Some(Tested::new(
                format!("run {number}"),
                Ending::Failed("mismatch", message, format!("{command}\n{what}")),
            ))
        }
        None => (found.stopped == 0).then(|| Tested::new(format!("run {number}"), Ending::Passed)),
    };
    let stopped = (found.stopped > 0).then(|| {
        let (runs, stopped) = (found.runs - found.failed.len() as u64, found.stopped);
        let why = format!("stopped by a signal: {runs} runs passed, {stopped} were not made");
        Tested::new("the other runs", Ending::Skipped(why))
    });
    numbers.filter_map(of).chain(stopped).collect()
}
