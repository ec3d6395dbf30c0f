//! Masks of ended waits, as they appear on the wires of a port with the wake mask.

use std::fmt;
use txbar_rtl::status::Status;

/// Threads whose suspended waits are over, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Masks {
    /// Their phase has completed.
    pub completed: u64,
    /// Their time is over.
    pub expired: u64,
    /// Their barrier was ended or replaced.
    pub ended: u64,
}

impl Masks {
    /// Adds a thread whose wait ended so.
    pub fn add(&mut self, thread: u16, status: u8, predicate: bool) {
        let mask = match (status == Status::Ok.code(), predicate) {
            (true, true) => &mut self.completed,
            (true, false) => &mut self.expired,
            (false, _) => &mut self.ended,
        };
        *mask |= 1 << thread;
    }

    /// The status and predicate that a thread's wait is answered with, if it is in one of the masks.
    pub fn answer(&self, thread: u16) -> Option<(Status, bool)> {
        let has = |mask: u64| mask.checked_shr(thread.into()).unwrap_or(0) & 1 != 0;
        let answers = [
            (self.completed, (Status::Ok, true)),
            (self.expired, (Status::Ok, false)),
            (self.ended, (Status::Invalidated, false)),
        ];
        answers.into_iter().find(|(mask, _)| has(*mask)).map(|(_, answer)| answer)
    }

    /// Whether nothing is in them.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Masks {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { completed, expired, ended } = self;
        write!(f, "completed {completed:#b}, expired {expired:#b}, ended {ended:#b}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_in_the_mask_that_says_how_its_wait_ended() {
        let mut masks = Masks::default();
        assert!(masks.is_empty());
        masks.add(0, Status::Ok.code(), true);
        masks.add(3, Status::Ok.code(), false);
        masks.add(63, Status::Invalidated.code(), false);
        assert_eq!(masks, Masks { completed: 1, expired: 8, ended: 1 << 63 });
        assert_eq!(masks.answer(0), Some((Status::Ok, true)));
        assert_eq!(masks.answer(3), Some((Status::Ok, false)));
        assert_eq!(masks.answer(63), Some((Status::Invalidated, false)));
        assert_eq!((masks.answer(1), masks.answer(64)), (None, None));
    }
}
