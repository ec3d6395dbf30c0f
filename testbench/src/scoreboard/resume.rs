//! The wake mask: which waits may be suspended in the entry of their thread, and the expected masks, to the cycle.

use super::{Failure, Scoreboard};
use crate::request::{Request, Response};
use crate::wake_masks::Masks;

/// Cycles from the event that ends a suspended wait until the masks tell of it.
const TOLD: u64 = 2;

/// Cycles before its effect in which it is decided whether a wait has the entry of its thread.
const DECIDED: u64 = 2;

/// What is known of the entry of a thread, besides whether its wait is suspended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// The last cycle in which the end of a suspended wait was taken.
    taken: Option<u64>,
    /// The last cycle in which a wait that had the entry was answered at once.
    lapsed: Option<u64>,
    /// The same of one that may have had it.
    may_have: Option<u64>,
}

impl Scoreboard {
    /// A wait takes effect that is suspended, or not, where it would be if its thread's entry is free (`would`). Says what is
    /// wrong with that.
    pub(super) fn entry(&mut self, cycle: u64, port: usize, tag: u16, would: bool, suspends: bool) -> Option<String> {
        let thread = self.parameters.thread(tag);
        if usize::from(thread) >= self.parameters.entries() {
            return suspends.then(|| format!("thread {thread} has no entry"));
        }
        let suspended =
            self.suspended[port].iter().any(|wait| self.parameters.thread(wait.waiting.request.tag) == thread);
        // a unit that stands still, in each stage on the way, has decided earlier
        let slack = if self.parameters.ports == 1 { 0 } else { 3 * (self.parameters.ports as u64 + 2) };
        let since = |at: Option<u64>, cycles: u64| at.is_some_and(|at| at + cycles >= cycle);
        let entry = self.entries.entry((port, thread)).or_default();
        let in_use = suspended || since(entry.taken, DECIDED) || since(entry.lapsed, DECIDED);
        let may_be_in_use = in_use || since(entry.taken, DECIDED + slack) || since(entry.may_have, DECIDED + slack);
        if !suspends {
            if !in_use {
                entry.may_have = Some(cycle);
            }
            if !may_be_in_use {
                entry.lapsed = Some(cycle);
            }
        }
        let wrong = if suspends { in_use || !would } else { would && !may_be_in_use };
        wrong.then(|| format!("its entry is {}", if in_use { "in use" } else { "free" }))
    }

    /// A port shows these masks, and takes them or not. Gives the requests that are answered by that.
    ///
    /// # Errors
    /// They do not tell what they should.
    pub fn resumes(
        &mut self,
        cycle: u64,
        port: usize,
        shown: Masks,
        takes: bool,
    ) -> Result<Vec<(Request, Response)>, Box<Failure>> {
        let (mut due, mut answers) = (Masks::default(), Vec::new());
        for wait in self.suspended[port].iter().filter(|wait| wait.over.is_some_and(|over| over + TOLD <= cycle)) {
            let expected = wait.waiting.expected;
            due.add(self.parameters.thread(expected.tag), expected.status, expected.predicate);
            answers.push(expected);
        }
        if shown != due {
            let what = format!("port {port} is shown that {shown}, where {due} was expected");
            return Err(Box::new(Failure { cycle, what, history: None }));
        }
        if !takes {
            return Ok(Vec::new());
        }
        let mut taken = Vec::new();
        for answer in answers {
            self.entries.entry((port, self.parameters.thread(answer.tag))).or_default().taken = Some(cycle);
            taken.push((self.answer(cycle, port, &answer)?, answer));
        }
        Ok(taken)
    }
}
