//! Mistakes of threads, distinguished by cause and recorded as findings.

use super::*;
use crate::machine::early::Pass;
use crate::machine::findings::{NOT_YET, plural};
use crate::order::{Ends, Place, Side, Wrong};

impl Machine<'_> {
    /// Checked mode has remarked on a request.
    pub(super) fn remarked(&mut self, bug: Bug, pending: Pending, thread: ThreadId, status: Status) {
        let Pending { spot, pc, before: word, .. } = pending;
        let watch = self.observer.at(spot);
        let finding = match watch.filter(|watch| bug == Bug::MissingWait && watch.crowded.is_some()) {
            Some(watch) => {
                let detail = format!(
                    "{} threads arrive on a barrier for {}: arrivals of one phase run over into the next",
                    watch.arrivers.len(),
                    watch.origin.count
                );
                let origin = watch.origin;
                Finding { shows: Some(pc), ..Finding::new(Bug::InitCount, origin.pc, origin.who, spot, detail) }
            }
            None if status == Status::MissingInit
                && watch.is_some_and(|watch| watch.ended.is_none() && !watch.live && watch.origin.who != thread) =>
            {
                let who = watch.map(|watch| watch.origin.who).unwrap_or_default();
                let detail = format!("{} initialises it after this", self.name(who));
                Finding::new(Bug::MissingInitFence, pc, thread, spot, detail)
            }
            None => {
                let ended = watch.and_then(|watch| watch.ended).filter(|_| status == Status::MissingInit);
                let detail = match status {
                    Status::MissingInit if ended.is_some() => "it has been invalidated",
                    Status::MissingInit if watch.is_some_and(|watch| watch.live) => {
                        "it was initialised, and something has been written over it"
                    }
                    Status::MissingInit => NOT_YET,
                    status => status.meaning().trim_start_matches("Checked mode: ").trim_end_matches('.'),
                };
                Finding { status: Some(status), shows: ended, ..Finding::new(bug, pc, thread, spot, detail) }
            }
        };
        self.findings.push(Finding { word, ..finding });
    }

    /// What a thread is called in sentences.
    pub(super) fn name(&self, ThreadId { cta, thread }: ThreadId) -> String {
        if self.blocks.len() > 1 { format!("thread {thread} of CTA {cta}") } else { format!("thread {thread}") }
    }

    /// The mistake behind one that the hardware refuses to make: too many arrivals are a matter of the count that was
    /// initialised unless somebody has dropped out, and a word that is faulty was made so before.
    pub(super) fn cause(
        &mut self,
        bug: Option<Bug>,
        spot: Spot,
        word: u64,
        (who, pc): (ThreadId, usize),
        coming: u32,
    ) -> Option<Bug> {
        let before = self.findings.list().iter().rev().find(|finding| finding.spot == spot);
        let contents = Contents::from(word);
        match (bug?, self.observer.at(spot)) {
            (Bug::TxOverflow, _) if contents.fault => before.map(|finding| finding.bug).or(bug),
            (Bug::TooManyArrivals, Some(watch)) if contents.expected == watch.origin.count => {
                let origin = watch.origin;
                let arrivals: u32 = watch.arrivals.iter().map(|arrival| arrival.count).sum();
                // whoever has arrived in this phase does so again without waiting for its end
                if watch.arrivals.iter().any(|arrival| arrival.who == who)
                    && watch.arrivers.len() <= origin.count as usize
                {
                    return Some(Bug::MissingWait);
                }
                let detail = format!(
                    "it counts {} in a phase: {arrivals} had come in phase {}, and {coming} more come",
                    plural(u64::from(origin.count), "arrival"),
                    watch.phase
                );
                let finding = Finding::new(Bug::InitCount, origin.pc, origin.who, spot, detail);
                self.findings.push(Finding { shows: Some(pc), word: Some(word), ..finding });
                Some(Bug::InitCount)
            }
            _ => bug,
        }
    }

    /// The phase of a barrier completes.
    pub(super) fn phase_completes(&mut self, spot: Spot) {
        let arrivals = self.observer.at(spot).map_or(&[][..], |watch| &watch.arrivals);
        let (own, raced) = self.early.flips(spot, |who| arrivals.iter().any(|arrival| arrival.who == who));
        if self.observer.at(spot).is_none_or(|watch| watch.phase == 0) {
            own.into_iter().for_each(|pass| self.passed_its_own(pass));
            raced.into_iter().for_each(|(pass, pc)| self.read_too_early(pass, pc));
        }
        self.observer.flips(spot, self.cycle);
        self.barrier_flips(spot);
    }

    /// Who had arrived in the first phase did not wait for it.
    fn passed_its_own(&mut self, Pass { thread, spot, pc }: Pass) {
        let detail = "a wait with parity 1 passed in phase 0, in which this thread had arrived".to_string();
        self.find(Bug::WrongStartingParity, pc, thread, spot, None, detail);
    }

    fn read_too_early(&mut self, Pass { thread, spot, pc }: Pass, shows: usize) {
        let detail = "a wait with parity 1 passed in phase 0, and what is written in that phase is read";
        let word = Some(self.word(spot));
        let finding = Finding::new(Bug::WrongStartingParity, pc, thread, spot, detail);
        self.findings.push(Finding { word, shows: Some(shows), ..finding });
    }

    /// What is behind two accesses of this cluster that nothing orders, as far as barriers tell.
    pub(super) fn look_behind_race(&mut self, wrong: Wrong, first: Side, second: Side) {
        let id = |side: Side| ThreadId { cta: side.who.cta, thread: side.who.thread };
        let is_read = |side: Side| !side.writes && !side.copies;
        let on = match wrong {
            Wrong::Copy(Ends::Barrier(Place::Shared { cta, offset, .. }, _)) => Some(Spot { cta, offset }),
            _ if second.copies => {
                let begun = |(_, copier): &(&Spot, &(ThreadId, usize))| **copier == (id(second), second.pc);
                self.copiers.iter().filter(begun).map(|(spot, _)| *spot).min()
            }
            _ => None,
        };
        match (wrong, on) {
            (_, Some(on)) if is_read(first) || is_read(second) => {
                let reader = id(if is_read(first) { first } else { second });
                if let Some(pass) = self.early.before_copy(reader, on) {
                    self.read_too_early(pass, second.pc);
                } else if is_read(second) && self.is_unexpected(on, first.cycle) {
                    self.read_with_wrong_bytes(on, second.pc, reader, first.pc);
                }
            }
            (Wrong::Race, None) if is_read(first) => self.early.races(id(first), id(second), second.pc),
            (Wrong::Race, None) if is_read(second) => self.early.races(id(second), id(first), second.pc),
            _ => {}
        }
    }

    /// A thread reads what a copy is still writing: the bytes that were expected are not the copy's, or came in another phase.
    fn read_with_wrong_bytes(&mut self, spot: Spot, pc: usize, reader: ThreadId, copy: usize) {
        let Some(watch) = self.observer.at(spot) else { return };
        if let Some(early) = watch.ledger.ahead() {
            let detail = format!(
                "a copy of {} bytes was begun before the phase that it is for, and {} still reads what it overwrites",
                early.bytes,
                self.name(reader)
            );
            let finding = Finding::new(Bug::MissingWait, early.pc, early.who, spot, detail);
            self.findings.push(Finding { shows: Some(pc), ..finding });
            return;
        }
        let (expecter, expects) = watch.expected_by.unwrap_or((reader, copy));
        let (phase, expected) = match watch.expected {
            0 => (watch.phase.wrapping_sub(1), watch.expected_before),
            expected => (watch.phase, expected),
        };
        let copied = watch.last_copy.map_or(0, |copy| copy.bytes);
        let detail = format!(
            "{expected} bytes are expected in phase {phase}, and a copy is of {copied}: {} reads them while they are written",
            self.name(reader)
        );
        let finding = Finding::new(Bug::ExpectTxBytes, expects, expecter, spot, detail);
        self.findings.push(Finding { shows: Some(copy).filter(|copy| *copy != expects), ..finding });
    }

    /// Whether bytes of a copy that was begun then and is still under way come in the wrong phase: none are expected in this one, or none
    /// were in the last.
    fn is_unexpected(&self, spot: Spot, begun: u64) -> bool {
        let wrong = |watch: &observe::Watch| watch.expected == 0 || (watch.phase > 0 && watch.expected_before == 0);
        self.observer.at(spot).is_some_and(|watch| begun >= watch.completed_in && wrong(watch))
    }

    /// A thread has this many bytes written: none of them may be of a live barrier.
    pub(super) fn over_barrier(&mut self, cta: usize, thread: usize, to: Spot, bytes: u32) {
        let pc = self.blocks[cta].runners[thread].lane.pc;
        if let Some(barrier) = self.observer.live_in(to, bytes) {
            let detail = "a copy writes over a barrier that has not been invalidated".to_owned();
            self.find(Bug::StoreToBarrier, pc, ThreadId::new(cta, thread), barrier, None, detail);
        }
    }

    /// Waits that passed before the first phase and should not have, at the end of a kernel.
    pub(super) fn look_for_early_waits(&mut self) {
        let (own, idle) = self.early.end();
        for pass in own {
            self.passed_its_own(pass);
        }
        for Pass { thread, spot, pc } in idle {
            let known = |finding: &Finding| (finding.bug, finding.spot) == (Bug::WrongStartingParity, spot);
            if self.observer.at(spot).is_some_and(|watch| watch.tracks_bytes) && !self.findings.list().iter().any(known)
            {
                let detail = "a wait with parity 1 passed in phase 0, and nobody of its warp did anything else here";
                let finding = Finding::new(Bug::WrongStartingParity, pc, thread, spot, detail);
                self.findings.push(Finding { suspected: true, word: Some(self.word(spot)), ..finding });
            }
        }
    }
}
