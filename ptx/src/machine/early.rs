//! Waits that pass before the first phase: sound for an empty slot, a mistake for a full one.
//!
//! A wait with parity 1 on a barrier in its first phase passes at once. Whether that was meant so shows in what comes after:
//!
//! ```text
//!   wait (parity 1) ──► writes a slot, arrives elsewhere        an empty slot: as it should be
//!                   ──► reads what others write in this phase    it should have waited for the phase
//! ```
//! * Whoever has itself arrived in the first phase, and does not arrive in it again, should have waited for that phase.
//! * Whoever reads what a copy writes that completes in this phase, or what a thread writes that arrives in it, has waited too little.
//!   That nothing orders the two is what [`crate::order`] says; it does not know of a wait that was meant to, as one that passes before
//!   the first phase orders nothing.
//! * Of a barrier that counts bytes, a wait that passed so, in a warp that has nothing else to do with the barrier, was good
//!   for nothing. That is only suspicious.

use crate::machine::state::{Spot, ThreadId};

/// A wait that passed before the first phase of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Thread that waited.
    pub thread: ThreadId,
    /// Barrier.
    pub spot: Spot,
    /// Index of the instruction.
    pub pc: usize,
}

/// The waits that passed so.
#[derive(Debug, Default)]
pub struct Early {
    /// Passes on barriers that are in their first phase still.
    passes: Vec<Pass>,
    /// Of these, those of threads that had arrived in it.
    own: Vec<Pass>,
    /// Passes that nothing has come of yet.
    idle: Vec<Pass>,
    /// Passes of threads that have read what this thread writes, and the instruction in which that shows.
    raced: Vec<(Pass, ThreadId, usize)>,
}

impl Early {
    /// A wait with parity 1 has passed in the first phase; `arrived` says whether the thread has arrived in that.
    pub fn passes(&mut self, pass: Pass, arrived: bool) {
        for (list, wanted) in [(&mut self.passes, true), (&mut self.own, arrived), (&mut self.idle, true)] {
            if wanted && list.iter().all(|known| (known.thread, known.spot) != (pass.thread, pass.spot)) {
                list.push(pass);
            }
        }
    }

    /// A thread arrives on a barrier or expects bytes there: its warp has to do with it.
    pub fn uses(&mut self, thread: ThreadId, spot: Spot) {
        self.own.retain(|pass| (pass.thread, pass.spot) != (thread, spot));
        let warp = |id: ThreadId| (id.cta, id.thread / 32);
        self.idle.retain(|pass| pass.spot != spot || warp(pass.thread) != warp(thread));
    }

    /// A wait of a thread has seen a phase complete.
    pub fn sees(&mut self, thread: ThreadId, spot: Spot) {
        self.idle.retain(|pass| (pass.thread, pass.spot) != (thread, spot));
    }

    /// The wait that let a thread read what a copy writes that completes on this barrier: its own, or another's.
    pub fn before_copy(&self, reader: ThreadId, on: Spot) -> Option<Pass> {
        let mut passes = self.passes.iter().filter(|pass| pass.spot == on);
        passes.clone().find(|pass| pass.thread == reader).or_else(|| passes.next()).copied()
    }

    /// A thread reads what another writes, and nothing orders the two.
    pub fn races(&mut self, reader: ThreadId, writer: ThreadId, pc: usize) {
        let passes = self.passes.iter().filter(|pass| pass.thread == reader && writer != reader);
        self.raced.extend(passes.map(|pass| (*pass, writer, pc)));
    }

    /// The phase of a barrier completes in which these have arrived. Gives the passes of threads that had arrived in it themselves, and of
    /// those that have read what others write who arrived in it.
    pub fn flips(&mut self, spot: Spot, arrived: impl Fn(ThreadId) -> bool) -> (Vec<Pass>, Vec<(Pass, usize)>) {
        self.passes.retain(|pass| pass.spot != spot);
        let raced = self.raced.extract_if(.., |(pass, ..)| pass.spot == spot);
        let raced = raced.filter(|(_, writer, _)| arrived(*writer)).map(|(pass, _, pc)| (pass, pc)).collect();
        (self.own.extract_if(.., |pass| pass.spot == spot).collect(), raced)
    }

    /// At the end of a kernel: passes of threads that had arrived in the phase, and those that were good for nothing.
    pub fn end(&mut self) -> (Vec<Pass>, Vec<Pass>) {
        (std::mem::take(&mut self.own), std::mem::take(&mut self.idle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Spot = Spot { cta: 0, offset: 8 };
    const OTHER: Spot = Spot { cta: 0, offset: 16 };

    fn thread(thread: u16) -> ThreadId {
        ThreadId { cta: 0, thread }
    }

    fn passed(arrived: bool) -> (Early, Pass) {
        let mut early = Early::default();
        let pass = Pass { thread: thread(1), spot: FULL, pc: 7 };
        early.passes(pass, arrived);
        (early, pass)
    }

    #[test]
    fn a_copy_on_the_barrier_is_read_too_early_by_who_has_passed_or_whom_that_lets_go_on() {
        let (mut early, pass) = passed(false);
        let cases = [(1, FULL, Some(pass)), (2, FULL, Some(pass)), (1, OTHER, None)];
        cases.iter().for_each(|(reader, on, found)| assert_eq!(early.before_copy(thread(*reader), *on), *found));
        early.flips(FULL, |_| false);
        assert_eq!(early.before_copy(thread(1), FULL), None, "the phase is over");
    }

    #[test]
    fn what_is_read_too_early_was_written_by_who_arrives_in_the_phase() {
        for (reader, writer, found) in [(1, 5, true), (1, 6, false), (2, 5, false)] {
            let (mut early, pass) = passed(false);
            early.races(thread(reader), thread(writer), 9);
            assert_eq!(early.flips(OTHER, |_| true).1, []);
            let raced = early.flips(FULL, |who| who == thread(5)).1;
            assert_eq!(raced, if found { vec![(pass, 9)] } else { vec![] }, "{reader}, {writer}");
        }
    }

    #[test]
    fn who_arrived_and_arrives_again_is_at_work_on_the_phase() {
        let (mut early, pass) = passed(true);
        assert_eq!(early.flips(FULL, |_| true).0, vec![pass]);
        let (mut early, _) = passed(true);
        early.uses(thread(1), FULL);
        assert_eq!(early.flips(FULL, |_| true).0, vec![]);
    }

    #[test]
    fn a_warp_that_uses_the_barrier_later_did_not_wait_in_vain() {
        let (mut early, pass) = passed(false);
        assert_eq!(early.end(), (vec![], vec![pass]));
        let (mut early, _) = passed(false);
        early.uses(thread(30), FULL);
        assert_eq!(early.end(), (vec![], vec![]));
    }
}
