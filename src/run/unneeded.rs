//! `txbar run --unneeded`: synchronisations without which no two accesses of a run would conflict.
//!
//! A sound run is judged again for each of them, as if that one ordered nothing. Threads execute it as ever, so the run is the same.

use super::page::Look;
use super::{Kernel, once, verdict};
use crate::shell::{stop, wave_writer};
use crate::{Verdict, note, say};
use anyhow::{Result, bail};
use rayon::prelude::*;
use serde::Serialize;
use txbar_ptx::launch::Settings;
use txbar_ptx::outcome::Outcome;
use txbar_ptx::report::Reporter;

/// Findings.
#[derive(Serialize)]
pub struct Unneeded {
    /// Synchronisations that threads executed.
    executed: usize,
    /// Synchronisations not needed, each taken alone.
    unneeded: Vec<Synchronisation>,
}

#[derive(Serialize)]
struct Synchronisation {
    line: usize,
    instruction: String,
    /// How often threads executed it.
    times: u64,
}

/// Looks for them, and tells. Nothing can be said of a run in which something is wrong, or was not judged.
///
/// # Errors
/// Somebody stops it.
pub fn look(kernel: &Kernel, settings: &Settings, reporter: &Reporter, outcome: &Outcome) -> Result<Option<Unneeded>> {
    if verdict(outcome) != Verdict::Pass || outcome.incomplete {
        note!("unneeded: only of a run that is sound, and judged as a whole");
        return Ok(None);
    }
    let without = |pc: usize| -> Result<(usize, Outcome)> {
        let settings = Settings { ignored: Some(pc), ..settings.clone() };
        let go_on = &mut |_| !stop::requested();
        let outcome = once(kernel, settings, &wave_writer::Arguments::default(), &mut Look::default(), go_on)?;
        if stop::requested() {
            bail!("stopped by a signal");
        }
        Ok((pc, outcome))
    };
    let all: Vec<usize> = kernel.program.synchronisations().collect();
    let mut runs = all.into_par_iter().map(without).collect::<Result<Vec<_>>>()?;
    runs.retain(|(_, outcome)| outcome.ignored > 0);
    let executed = runs.len();
    runs.retain(|(_, outcome)| verdict(outcome) == Verdict::Pass);
    let told = |(pc, outcome): &(usize, Outcome)| {
        let span = kernel.program.span(*pc);
        let instruction = kernel.source.at(span).trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ");
        let position = kernel.program.position(reporter.source, *pc);
        say!("  {position}: {instruction}, executed {} times by threads", outcome.ignored);
        Synchronisation { line: position.line, instruction, times: outcome.ignored }
    };
    say!(
        "unneeded: {} of {executed} synchronisations order no two accesses of this run that conflict, each taken alone:",
        runs.len()
    );
    let unneeded = runs.iter().map(told).collect();
    say!(
        "  this rests on {} thread instructions of one run: other arguments, or a larger grid, may need them; waits on barriers in memory, which keep phases apart, and barrier.cluster, which keeps CTAs from exiting, are not looked at",
        outcome.tally.instructions
    );
    Ok(Some(Unneeded { executed, unneeded }))
}
