//! Failures that a scoreboard reports.

use crate::linearize::Call;
use std::fmt;
use txbar_rtl::word::Contents;

/// Something that no order of the operations explains, or that the protocol forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Cycle in which it was seen.
    pub cycle: u64,
    /// Observation.
    pub what: String,
    /// The calls on the word that it is about, since the word was last quiet, and the word before them.
    pub history: Option<(usize, u64, Vec<Call>)>,
}

impl Failure {
    /// What is seen begins with this if a run is stuck.
    pub(crate) const STUCK: &str = "nothing has happened";

    /// What is seen begins with this if threads ask and ask, and none gets on.
    pub(crate) const POLLS: &str = "no step has been finished";

    /// What is said of a run that somebody has stopped: nothing is wrong with it.
    const STOPPED: &str = "stopped by a signal";

    /// A run is stopped.
    pub(crate) fn stopped(cycle: u64) -> Box<Self> {
        Box::new(Self { cycle, what: Self::STOPPED.to_owned(), history: None })
    }

    /// Whether the run was stopped.
    pub fn is_stop(&self) -> bool {
        self.what == Self::STOPPED
    }

    /// Whether the run is stuck.
    pub fn is_hang(&self) -> bool {
        [Self::STUCK, Self::POLLS].iter().any(|begin| self.what.starts_with(begin))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "cycle {}: {}", self.cycle, self.what)?;
        let Some((index, word, calls)) = &self.history else { return Ok(()) };
        write!(f, "\n  word {index} was {word:016x} ({})", Contents::from(*word))?;
        for call in calls {
            write!(f, "\n  cycle {:>6} port {}: {}", call.accepted, call.port, call.request)?;
            if let Some(done) = call.done {
                write!(f, "  done in {done}")?;
            }
            match &call.answered {
                Some((cycle, response)) => write!(f, "  -> cycle {cycle}: {response}")?,
                None => write!(f, "  -> no answer")?,
            }
        }
        Ok(())
    }
}
