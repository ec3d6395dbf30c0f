//! Waits that pass before the first phase: sound for an empty slot, a mistake for a full one.
//!
//! A wait with parity 1 on a barrier in its first phase passes at once. Whether that was meant so shows in what comes after:
//!
//! ```text
//!   wait (parity 1) ──► writes a slot, arrives elsewhere        an empty slot: as it should be
//!                   ──► reads what others write in this phase    it should have waited for the phase
//! ```
//! * Whoever has itself arrived in the first phase, and does not arrive in it again, should have waited for that phase.
//! * Whoever reads what another thread has written with nothing in between that orders the two, or writes before anything
//!   has ordered them, has waited too little. The same holds for a read of bytes that a copy is to write in this phase.
//! * Of a barrier that counts bytes, a wait that passed so, in a warp that has nothing else to do with the barrier, was good
//!   for nothing. That is only suspicious.
//!
//! The same records show a read of bytes that a copy is still writing where nobody has waited at all.

use crate::machine::state::{Spot, ThreadId};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A wait that passed before the first phase of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Who waited.
    pub thread: ThreadId,
    /// On which barrier.
    pub spot: Spot,
    /// With which instruction.
    pub pc: usize,
}

/// Bytes that a bulk copy is writing.
#[derive(Clone, Debug)]
struct Copying {
    cta: u8,
    bytes: Range<u32>,
    on: Spot,
    pc: usize,
}

/// A read of what is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Race {
    /// A wait had passed too early.
    Early(Pass),
    /// A copy, begun with this instruction and completing on this barrier, was under way, and nobody had waited for it.
    Unwaited(Spot, usize),
}

/// What is kept of each thread and word.
#[derive(Debug, Default)]
pub struct Early {
    /// Passes on barriers that are in their first phase still.
    passes: Vec<Pass>,
    /// Of these, those of threads that had arrived in it.
    own: Vec<Pass>,
    /// Passes that nothing has come of yet.
    idle: Vec<Pass>,
    /// Words of 32 bits that such threads have read since anything ordered them before others.
    reads: Vec<(Spot, ThreadId)>,
    /// Words that are read again and again: flags.
    flags: HashSet<Spot>,
    /// Who wrote a word last, and when.
    writes: HashMap<Spot, (ThreadId, u64)>,
    /// When anything last ordered a thread behind others.
    ordered: HashMap<ThreadId, u64>,
    copies: Vec<Copying>,
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
        self.hands_on(thread);
    }

    /// A wait of a thread has seen a phase complete.
    pub fn sees(&mut self, thread: ThreadId, spot: Spot) {
        self.idle.retain(|pass| (pass.thread, pass.spot) != (thread, spot));
    }

    /// What a thread has done comes before what others do from now on.
    pub fn hands_on(&mut self, thread: ThreadId) {
        if !self.reads.is_empty() {
            self.reads.retain(|(_, reader)| *reader != thread);
        }
    }

    /// A thread comes after what others have done so far, and before what they do from now on.
    pub fn orders(&mut self, thread: ThreadId, cycle: u64) {
        self.hands_on(thread);
        self.ordered.insert(thread, cycle);
    }

    /// A thread writes a word. Gives the pass of a thread that has read it too early.
    pub fn writes(&mut self, thread: ThreadId, word: Spot, cycle: u64) -> Option<Pass> {
        self.writes.insert(word, (thread, cycle));
        let (_, reader) = *self.reads.iter().find(|(read, reader)| *read == word && *reader != thread)?;
        self.passes.iter().rfind(|pass| pass.thread == reader).copied()
    }

    /// Whether no read can be wrong.
    pub fn is_idle(&self) -> bool {
        self.passes.is_empty() && self.copies.is_empty()
    }

    /// A thread reads a word. Gives what is wrong with that.
    pub fn reads(&mut self, thread: ThreadId, word: Spot) -> Option<Race> {
        let copying = |copy: &&Copying| copy.cta == word.cta && copy.bytes.contains(&word.offset);
        if let Some(copy) = self.copies.iter().find(copying) {
            let pass = self.passes.iter().find(|pass| pass.spot == copy.on && pass.thread == thread);
            let pass = pass.or_else(|| self.passes.iter().find(|pass| pass.spot == copy.on));
            return Some(pass.map_or(Race::Unwaited(copy.on, copy.pc), |pass| Race::Early(*pass)));
        }
        let pass = *self.passes.iter().rfind(|pass| pass.thread == thread)?;
        if self.reads.contains(&(word, thread)) {
            self.flags.insert(word);
            self.reads.retain(|(read, _)| *read != word);
        }
        if self.flags.contains(&word) {
            return None;
        }
        self.reads.push((word, thread));
        let (writer, cycle) = *self.writes.get(&word)?;
        let since = self.ordered.get(&thread).copied().unwrap_or(0);
        (writer != thread && cycle > since).then_some(Race::Early(pass))
    }

    /// A bulk copy begins, with the word where it writes, so many bytes, and the barrier that it completes on. Gives the pass of a
    /// thread that has read there too early.
    pub fn copies(&mut self, to: Spot, bytes: u32, on: Spot, pc: usize) -> Option<Pass> {
        let bytes = to.offset & !7..to.offset.saturating_add(bytes);
        let early = self.reads.iter().find_map(|(word, reader)| {
            let there = word.cta == to.cta && bytes.contains(&word.offset);
            self.passes.iter().find(|pass| there && pass.thread == *reader && pass.spot == on).copied()
        });
        self.copies.push(Copying { cta: to.cta, bytes, on, pc });
        early
    }

    /// The phase of a barrier completes. Gives the passes of threads that had arrived in it.
    pub fn flips(&mut self, spot: Spot) -> Vec<Pass> {
        self.copies.retain(|copy| copy.on != spot);
        self.passes.retain(|pass| pass.spot != spot);
        self.own.extract_if(.., |pass| pass.spot == spot).collect()
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
    const WORD: Spot = Spot { cta: 0, offset: 64 };

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
    fn who_reads_what_another_writes_passed_too_early() {
        let (mut early, pass) = passed(false);
        assert_eq!(early.reads(thread(1), WORD), None, "nobody has written it");
        assert_eq!(early.writes(thread(0), WORD, 5), Some(pass));
        let (mut early, pass) = passed(false);
        early.writes(thread(0), WORD, 5);
        assert_eq!(early.reads(thread(1), WORD), Some(Race::Early(pass)));
        assert_eq!(early.reads(thread(2), WORD), None, "this one has not passed");
    }

    #[test]
    fn what_orders_threads_makes_it_sound() {
        let (mut early, _) = passed(false);
        early.writes(thread(0), WORD, 5);
        early.orders(thread(1), 6);
        assert_eq!(early.reads(thread(1), WORD), None);
        early.hands_on(thread(1));
        assert_eq!(early.writes(thread(0), WORD, 9), None, "the reader arrived somewhere before");
    }

    #[test]
    fn a_word_that_is_read_again_and_again_is_a_flag() {
        let (mut early, _) = passed(false);
        assert_eq!((early.reads(thread(1), WORD), early.reads(thread(1), WORD)), (None, None));
        assert_eq!(early.writes(thread(0), WORD, 5), None);
        assert_eq!(early.reads(thread(1), WORD), None);
    }

    #[test]
    fn bytes_of_a_copy_are_waited_for() {
        let (mut early, pass) = passed(false);
        early.copies(WORD, 16, FULL, 3);
        assert_eq!(early.reads(thread(1), Spot { offset: 72, ..WORD }), Some(Race::Early(pass)));
        assert_eq!(early.reads(thread(1), Spot { offset: 80, ..WORD }), None, "behind it");
        early.flips(FULL);
        assert_eq!(early.reads(thread(1), WORD), None);
        early.copies(WORD, 16, FULL, 3);
        assert_eq!(early.reads(thread(9), WORD), Some(Race::Unwaited(FULL, 3)));
    }

    #[test]
    fn who_arrived_and_arrives_again_is_at_work_on_the_phase() {
        let (mut early, pass) = passed(true);
        assert_eq!(early.flips(FULL), vec![pass]);
        let (mut early, _) = passed(true);
        early.uses(thread(1), FULL);
        assert_eq!(early.flips(FULL), vec![]);
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
