//! Reordering rules of a port's requests in the low-latency build.

use super::{Failure, Scoreboard, Suspended, Waiting, holds};
use crate::engine::Done;
use crate::request::Request;

impl Scoreboard {
    /// What has taken effect stays where it is, and holds others, while the unit stands still, and what was suspended for two
    /// cycles more: for this many cycles at most.
    fn standstill(&self) -> u64 {
        self.parameters.ports as u64 + 3
    }

    /// Banks that the next request of a port has to do with: its own, and those of requests ahead of it.
    pub fn banks_of(&self, port: usize, next: Option<&Request>) -> u64 {
        let bank = |index: usize| 1 << (index % self.parameters.banks);
        let issued = self.issued[port].iter().map(|issued| bank(issued.index));
        issued.chain(next.map(|request| bank(request.address as usize / 8))).fold(0, |banks, bank| banks | bank)
    }

    /// Whether a request may be kept waiting by acquire waits: of its own thread, or of those of requests ahead of it.
    pub fn may_be_held(&self, cycle: u64, port: usize, tag: u16) -> bool {
        let issued = || self.issued[port].iter();
        let waits = |tag: u16| {
            let thread = self.parameters.thread(tag);
            let of_thread = |request: &Request| self.parameters.thread(request.tag) == thread && holds(request);
            issued().any(|issued| of_thread(&issued.request))
                || self.suspended[port].iter().any(|wait| wait.over.is_none() && of_thread(&wait.waiting.request))
                || self.held.get(&(port, thread)).is_some_and(|(_, over)| over + self.standstill() >= cycle)
        };
        self.parameters.waiters > 0
            && self.fabric.is_none()
            && (waits(tag) || issued().any(|issued| waits(issued.request.tag)))
    }

    /// Where the request of a port is that takes effect: one that may.
    pub(super) fn next(&mut self, cycle: u64, port: usize, done: &Done) -> Result<usize, Box<Failure>> {
        let Some(position) = self.find(port, done) else {
            let due = self.issued[port].front().map_or("nothing".to_owned(), |issued| issued.request.to_string());
            let what = format!("port {port} reports an effect without a request: {done}; expected was {due}");
            return Err(Box::new(Failure { cycle, what, history: None }));
        };
        match self.disorder(port, position, cycle) {
            Some(what) => Err(self.failure(cycle, what, done.index)),
            None => Ok(position),
        }
    }

    /// The request of a port that an effect belongs to: the first of its tag on its word.
    pub(super) fn find(&self, port: usize, done: &Done) -> Option<usize> {
        self.issued[port].iter().position(|issued| (issued.request.tag, issued.index) == (done.tag, done.index))
    }

    /// What is wrong with a request of a port taking effect now, before those that the port made earlier.
    fn disorder(&self, port: usize, position: usize, cycle: u64) -> Option<String> {
        let younger = &self.issued[port][position];
        let thread = |tag: u16| self.parameters.thread(tag);
        let suspended = || self.suspended[port].iter().filter(|wait| holds(&wait.waiting.request));
        let overtaken = suspended().find(|wait| {
            let Waiting { request, accepted, .. } = &wait.waiting;
            let of_thread = thread(request.tag) == thread(younger.request.tag) && *accepted < younger.accepted;
            of_thread && wait.over.is_none_or(|over| over >= cycle)
        });
        if let Some(wait) = overtaken {
            return Some(format!(
                "`{}` of port {port} takes effect before `{}`, which acquires, has ended",
                younger.request, wait.waiting.request
            ));
        }
        let standstill = self.standstill();
        for older in self.issued[port].range(..position) {
            let (first, second) = (&older.request.order.semantics, &younger.request.order.semantics);
            let banks = self.parameters.banks;
            let same_thread = thread(older.request.tag) == thread(younger.request.tag);
            let free = older.index % banks != younger.index % banks
                && older.request.tag != younger.request.tag
                && !first.acquires()
                && !second.releases()
                && !(holds(&younger.request) && same_thread);
            let is_held = || {
                let waits = |wait: &Suspended| {
                    let Waiting { request, accepted, .. } = &wait.waiting;
                    thread(request.tag) == thread(older.request.tag) && *accepted < older.accepted
                };
                let until = self.held.get(&(port, thread(older.request.tag)));
                suspended().any(waits)
                    || until
                        .is_some_and(|(began, over)| *began < older.accepted && over + standstill >= younger.accepted)
            };
            if !free && (same_thread || !is_held()) {
                return Some(format!(
                    "`{}` of port {port} takes effect before `{}`, which came earlier",
                    younger.request, older.request
                ));
            }
        }
        None
    }
}
