//! Shortens a failing run to the requests that are needed to show the failure.
//!
//! Parts of the list of requests are left out as long as what remains still fails (delta debugging: halves first, then quarters, down to
//! single requests). Then pauses and stalls are left out, if it fails without them too.

use crate::scoreboard::Failure;
use crate::traffic::Conditions;

/// A run that does not depend on anything but its requests and conditions, so that it can be repeated and shortened.
pub trait Case: Clone {
    /// A request.
    type Request: Clone;
    /// Requests.
    fn requests(&self) -> &[Self::Request];
    /// The run with other requests.
    fn with(&self, requests: Vec<Self::Request>) -> Self;
    /// Conditions of the run.
    fn conditions(&self) -> Conditions;
    /// Of each request, the number of the group that it can only be left out with, from 0; none for one that must stay.
    fn groups(&self) -> Vec<Option<usize>> {
        (0..self.requests().len()).map(Some).collect()
    }
    /// The same run with fewer pauses or stalls, one change each; nothing of changes that change nothing.
    fn calmer(&self) -> Vec<Self>;
}

/// The shortest failing run that was found.
#[derive(Clone, Debug)]
pub struct Shortened<C> {
    /// The run.
    pub case: C,
    /// Failure.
    pub failure: Failure,
    /// How the run failed that it was shortened from.
    pub first: Failure,
    /// Requests that that run had made.
    pub from: usize,
}

/// When to be content with what has been found.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Runs that may be tried.
    pub tries: usize,
    /// Clock cycles that they may take, all together.
    pub cycles: u64,
    /// Asked before each try.
    pub stops: fn() -> bool,
}

impl Limits {
    /// Of a unit: a minute at most.
    pub const UNIT: Limits = Limits { tries: 10_000, cycles: 100_000_000, stops: || false };
    /// Of what is simulated ten times as slowly.
    pub const CLUSTER: Limits = Limits { tries: 5_000, cycles: 4_000_000, stops: || false };

    /// Stops as soon as `stops` returns true.
    pub fn until(self, stops: fn() -> bool) -> Self {
        Self { stops, ..self }
    }
}

/// Tries runs within limits.
struct Trial<R> {
    run: R,
    left: Limits,
    /// Whether a run is to hang, or to fail in another way.
    hangs: Option<bool>,
}

impl<R> Trial<R> {
    /// How a run fails; nothing if it does not, or otherwise, or may not be tried any more.
    fn fails<C>(&mut self, case: &C) -> Option<Failure>
    where
        R: FnMut(&C) -> Result<u64, Box<Failure>>,
    {
        let Limits { tries, cycles, stops } = self.left;
        if tries == 0 || cycles == 0 || stops() {
            return None;
        }
        let outcome = (self.run)(case);
        let taken = outcome.as_ref().map_or_else(|failure| failure.cycle, |cycles| *cycles);
        self.left = Limits { tries: tries - 1, cycles: cycles.saturating_sub(taken), stops };
        let failure = outcome.err().filter(|failure| !failure.is_stop())?;
        self.hangs.is_none_or(|hangs| hangs == failure.is_hang()).then_some(*failure)
    }
}

/// Shortens a run. `run` runs it on fresh hardware, and gives the clock cycles that it took. Nothing if the run does not fail.
pub fn shorten<C: Case>(
    case: C,
    limits: Limits,
    run: impl FnMut(&C) -> Result<u64, Box<Failure>>,
) -> Option<Shortened<C>> {
    let mut trial = Trial { run, left: Limits { stops: || false, ..limits }, hangs: None };
    let first = trial.fails(&case)?;
    (trial.left, trial.hangs) = (limits, Some(first.is_hang()));
    let from = case.requests().len();
    let mut best = Shortened { case, failure: first.clone(), first, from };
    loop {
        let before = best.case.requests().len();
        let (whole, groups) = (best.case.clone(), best.case.groups());
        let mut kept: Vec<usize> = groups.iter().flatten().copied().collect();
        kept.sort_unstable();
        kept.dedup();
        let mut is_kept = vec![true; kept.last().map_or(0, |last| last + 1)];
        // leave out halves, then quarters, down to single groups
        let mut size = kept.len().div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start < kept.len() {
                let end = (start + size).min(kept.len());
                kept[start..end].iter().for_each(|group| is_kept[*group] = false);
                let stays = |group: &Option<usize>| group.is_none_or(|group| is_kept[group]);
                let requests = whole.requests().iter().zip(&groups).filter(|(_, group)| stays(group));
                let rest = whole.with(requests.map(|(request, _)| request.clone()).collect());
                match trial.fails(&rest) {
                    Some(failure) => {
                        (best.case, best.failure) = (rest, failure);
                        kept.drain(start..end);
                    }
                    None => {
                        kept[start..end].iter().for_each(|group| is_kept[*group] = true);
                        start = end;
                    }
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        // a change that has been made is no longer in the list
        while let Some((calmer, failure)) =
            best.case.calmer().into_iter().find_map(|calmer| trial.fails(&calmer).map(|failure| (calmer, failure)))
        {
            (best.case, best.failure) = (calmer, failure);
        }
        if best.case.requests().len() == before {
            return Some(best);
        }
    }
}
