//! Linearizability: searches for an order of the operations on a word that explains every answer.
//!
//! A call spans the cycles from its acceptance to its answer. An order explains a history if
//! * a call that was answered before another was accepted comes before it,
//! * the calls of one port come in the order in which it made them,
//! * replaying the calls in that order on the reference model gives every call the answer that it got.
//!
//! Calls without an answer (posted ones) may come at any time after their acceptance. The search is depth first in the
//! order of acceptance, and remembers the situations that lead nowhere (which calls are done, which word they left), as
//! Wing and Gong, and Lowe, describe it. Words do not influence each other, so each word is a history of its own.

use crate::model;
use crate::request::{Request, Response};
use std::collections::HashSet;

/// A call on one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Port that made it.
    pub port: usize,
    /// Cycle in which it was accepted.
    pub accepted: u64,
    /// Cycle in which it took effect, if it has: the search does not look at it.
    pub done: Option<u64>,
    /// Cycle in which its answer was taken, and the answer; nothing if none came.
    pub answered: Option<(u64, Response)>,
    /// Request.
    pub request: Request,
}

/// Why a history has no order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unexplained {
    /// No order explains it. The calls are those that fit the longest order found, and the next one does not.
    NoOrder {
        /// Positions in the history, in the longest order found.
        longest: Vec<usize>,
    },
    /// The search was given up; so many calls overlap that deciding would take too long.
    Undecided,
}

/// How many situations a search may look at.
const LIMIT: usize = 2_000_000;

struct Search<'a> {
    calls: &'a [Call],
    bytes: usize,
    done: Vec<bool>,
    order: Vec<usize>,
    longest: Vec<usize>,
    dead_ends: HashSet<(Vec<u64>, u64)>,
    looked: usize,
}

/// Looks for an order that explains `calls`, which began on a word `initial` in a memory of `bytes` bytes. Calls must
/// be sorted by acceptance.
///
/// # Errors
/// There is none, or the search was given up.
pub fn explain(initial: u64, calls: &[Call], bytes: usize) -> Result<Vec<usize>, Unexplained> {
    debug_assert!(calls.is_sorted_by_key(|call| call.accepted));
    let mut search = Search {
        calls,
        bytes,
        done: vec![false; calls.len()],
        order: Vec::new(),
        longest: Vec::new(),
        dead_ends: HashSet::new(),
        looked: 0,
    };
    match search.run(initial) {
        Some(true) => Ok(search.order),
        Some(false) => Err(Unexplained::NoOrder { longest: search.longest }),
        None => Err(Unexplained::Undecided),
    }
}

impl Search<'_> {
    /// Depth first, with a stack of its own: histories are longer than a thread's stack is deep.
    fn run(&mut self, initial: u64) -> Option<bool> {
        // a frame: the word, and the calls that may come next and have not been tried
        let mut stack = vec![(initial, self.candidates())];
        loop {
            if self.is_explained() {
                return Some(true);
            }
            let Some((word, candidates)) = stack.last_mut() else { return Some(false) };
            let word = *word;
            let Some(next) = candidates.pop() else {
                stack.pop();
                self.dead_ends.insert((self.situation(), word));
                if let Some(last) = self.order.pop() {
                    self.done[last] = false;
                }
                continue;
            };
            self.looked += 1;
            if self.looked > LIMIT {
                return None;
            }
            let call = &self.calls[next];
            let (after, outcome) = model::serve(word, &call.request, self.bytes);
            let fits = match (call.answered, outcome.response) {
                _ if call.request.register().is_some() => true, // it is not about the word
                (Some((_, got)), Some(expected)) => Response { resumed: false, ..got }.agrees_with(&expected),
                (Some(_), None) => false,
                (None, _) => true,
            };
            if !fits {
                continue;
            }
            self.done[next] = true;
            self.order.push(next);
            if self.order.len() > self.longest.len() {
                self.longest.clone_from(&self.order);
            }
            if self.dead_ends.contains(&(self.situation(), after)) {
                self.done[next] = false;
                self.order.pop();
            } else {
                let candidates = self.candidates();
                stack.push((after, candidates));
            }
        }
    }

    /// Every answered call has its place.
    fn is_explained(&self) -> bool {
        self.calls.iter().zip(&self.done).all(|(call, done)| *done || call.answered.is_none())
    }

    /// Calls that may come next, the most promising last.
    fn candidates(&self) -> Vec<usize> {
        let open = || self.calls.iter().enumerate().filter(|(position, _)| !self.done[*position]);
        let first_answer = open().filter_map(|(_, call)| Some(call.answered?.0)).min().unwrap_or(u64::MAX);
        let mut ports = 0u64;
        let mut candidates: Vec<usize> = open()
            .take_while(|(_, call)| call.accepted <= first_answer)
            .filter(|(_, call)| {
                let mine = 1 << call.port;
                let first_of_port = ports & mine == 0;
                ports |= mine;
                first_of_port
            })
            .map(|(position, _)| position)
            .collect();
        candidates.reverse();
        candidates
    }

    fn situation(&self) -> Vec<u64> {
        let bits = |chunk: &[bool]| chunk.iter().enumerate().fold(0, |bits, (bit, done)| bits | (*done as u64) << bit);
        self.done.chunks(64).map(bits).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use txbar_rtl::op::Op;

    const BYTES: usize = 4096;

    fn call(port: usize, accepted: u64, request: Request) -> Call {
        Call { port, accepted, done: None, answered: None, request }
    }

    fn answered(port: usize, accepted: u64, taken: u64, request: Request, data: u64) -> Call {
        let response = Response { tag: 0, status: 0, predicate: false, data, resumed: false };
        Call { answered: Some((taken, response)), ..call(port, accepted, request) }
    }

    fn store(data: u64) -> Request {
        Request::new(Op::Store, 0).with(data)
    }

    fn load() -> Request {
        Request::new(Op::Load, 0)
    }

    #[test]
    fn overlapping_calls_may_come_in_either_order() {
        let early = [answered(0, 0, 9, store(7), 0), answered(1, 1, 8, load(), 0)];
        assert_eq!(explain(0, &early, BYTES), Ok(vec![1, 0]));
        let late = [answered(0, 0, 9, store(7), 0), answered(1, 1, 8, load(), 7)];
        assert_eq!(explain(0, &late, BYTES), Ok(vec![0, 1]));
    }

    #[test]
    fn an_answered_call_comes_before_a_later_one() {
        let stale = [answered(0, 0, 3, store(7), 0), answered(1, 4, 8, load(), 0)];
        assert_eq!(explain(0, &stale, BYTES), Err(Unexplained::NoOrder { longest: vec![0] }));
    }

    #[test]
    fn a_port_keeps_its_order() {
        let swapped = [answered(0, 0, 9, store(7), 0), answered(0, 1, 8, load(), 0)];
        assert!(explain(0, &swapped, BYTES).is_err());
    }

    #[test]
    fn two_loads_do_not_see_two_stores_in_different_orders() {
        let seen = |first, second| {
            [
                answered(0, 0, 20, store(1), 0),
                answered(1, 0, 20, store(2), 0),
                answered(2, 1, 3, load(), first),
                answered(2, 4, 6, load(), second),
                answered(3, 7, 9, load(), first),
                answered(3, 10, 12, load(), second),
            ]
        };
        assert!(explain(0, &seen(1, 1), BYTES).is_ok());
        assert!(explain(0, &seen(1, 2), BYTES).is_err());
    }

    #[test]
    fn a_posted_call_may_come_late_or_not_yet() {
        let begin = Request::new(Op::CpAsyncArrive, 0);
        let two = 0x7ffff000001ffffcu64; // init(2)
        let one_left = 0x7ffff800001ffffcu64;
        let after = [call(0, 0, begin), answered(1, 50, 55, load(), one_left)];
        assert_eq!(explain(two, &after, BYTES), Ok(vec![0, 1]));
        let before = [call(0, 0, begin), answered(1, 50, 55, load(), two)];
        assert_eq!(explain(two, &before, BYTES), Ok(vec![1]));
        let same_port = [call(0, 0, begin), answered(0, 50, 55, load(), two)];
        assert!(explain(two, &same_port, BYTES).is_err(), "the port's own order puts the posted call first");
    }

    #[test]
    fn a_long_history_is_explained_in_its_own_order() {
        let calls: Vec<Call> = (0..5000)
            .map(|k| answered((k % 4) as usize, k, k + 12, if k % 2 == 0 { store(k) } else { load() }, k & !1))
            .map(|mut call| {
                if call.request == store(call.request.data) {
                    call.answered.as_mut().unwrap().1.data = 0;
                }
                call
            })
            .collect();
        assert_eq!(explain(0, &calls, BYTES).map(|order| order.len()), Ok(5000));
    }
}
