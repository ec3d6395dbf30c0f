//! History of the operations on a word, as long as another order of them may have to be found.

use super::rank_of;
use crate::linearize::Call;
use crate::model::serve;
use std::collections::VecDeque;

/// The calls on a word that may still be reordered.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// The word before them.
    pub(super) word: u64,
    /// Number of the first.
    pub(super) first: u64,
    pub(super) calls: VecDeque<Call>,
}

/// How many calls a history may hold before it is looked through for some that are over.
pub(super) const TRIM_AT: usize = 64;

impl History {
    pub(super) fn push(&mut self, call: Call, bytes: usize) -> u64 {
        if self.calls.len() >= TRIM_AT {
            self.trim(call.accepted, bytes);
        }
        self.calls.push_back(call);
        self.first + self.calls.len() as u64 - 1
    }

    pub(super) fn call(&mut self, number: u64) -> Option<&mut Call> {
        self.calls.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// Takes the calls for granted that were over before the first open one began.
    fn trim(&mut self, now: u64, bytes: usize) {
        let over = |call: &Call| match call.answered {
            Some((cycle, _)) => Some(cycle),
            None => call.done.filter(|_| call.request.is_posted()),
        };
        let open = self.calls.iter().find(|call| over(call).is_none()).map_or(now, |call| call.accepted);
        let kept = self.calls.iter().position(|call| over(call).is_none_or(|cycle| cycle >= open));
        let mut gone: Vec<Call> = self.calls.drain(..kept.unwrap_or(self.calls.len())).collect();
        self.first += gone.len() as u64;
        gone.sort_by_key(|call| (call.done, rank_of(call), call.port));
        for call in gone {
            self.word = serve(self.word, &call.request, bytes).0;
        }
    }
}
