//! History of each barrier while a kernel runs: phases, arrivals, and bytes. Not needed for execution; needed to explain errors.
//!
//! **Exact order.** The units say in which cycle each request takes effect (`done_valid`) and which phases complete in it
//! (`flip_valid`), so arrivals are counted to the phase that they were in, whatever order their answers come in. What is
//! ordered by barriers is not said here but in [`crate::order`].

use crate::machine::ledger::{Copy, Ledger};
use crate::machine::state::{Spot, ThreadId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use txbar_rtl::op::Op;

/// An arrival, or several in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Thread.
    pub who: ThreadId,
    /// Number.
    pub count: u32,
}

/// What a thread has arrived on a barrier so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriver {
    /// Arrivals in all phases.
    pub count: u64,
    /// The phases of the first and of the last.
    pub phases: [u64; 2],
    /// The instruction of the last.
    pub pc: usize,
}

/// Origin of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Thread that initialised it.
    pub who: ThreadId,
    /// Index of the instruction.
    pub pc: usize,
    /// For how many arrivals.
    pub count: u32,
}

/// A barrier.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Barrier.
    pub spot: Spot,
    /// Initialisation.
    pub origin: Origin,
    /// Initialised and not ended.
    pub live: bool,
    /// Phases that have completed since.
    pub phase: u64,
    /// The cycle in which the last of them did.
    pub completed_in: u64,
    /// Arrivals in this phase.
    pub arrivals: Vec<Arrival>,
    /// Threads that have arrived at all.
    pub arrivers: BTreeMap<ThreadId, Arriver>,
    /// Bytes expected in this phase.
    pub expected: u64,
    /// Bytes completed in this phase.
    pub completed: u64,
    /// Whether bytes have ever been expected or completed.
    pub tracks_bytes: bool,
    /// Thread and instruction that last expected bytes.
    pub expected_by: Option<(ThreadId, usize)>,
    /// Thread and instruction that last completed or copied bytes.
    pub completed_by: Option<(ThreadId, usize)>,
    /// The copy that was begun last.
    pub last_copy: Option<Copy>,
    /// Threads and instructions that expected bytes in this phase.
    pub expecters: Vec<(ThreadId, usize)>,
    /// Bytes of copies that have begun and of those that were expected, one against the other.
    pub ledger: Ledger,
    /// The last `cp.async.mbarrier.arrive` on it that adds the arrival that it makes.
    pub counted_alone: Option<usize>,
    /// The instruction that has invalidated it.
    pub ended: Option<usize>,
    /// Threads that arrived in the previous phase.
    previous: Vec<ThreadId>,
    /// Bytes that were expected in it.
    pub expected_before: u64,
    /// Phases that somebody has seen complete.
    seen: u64,
    /// An arrival, and its phase, on the barrier while nobody had seen the phase before complete, in which whoever arrives
    /// had not arrived: those of one phase run over into the next. (Who leaves out a wait has arrived in that phase, or
    /// somebody has arrived twice in it.)
    pub crowded: Option<(ThreadId, u64)>,
}

impl Watch {
    fn new(spot: Spot, origin: Origin) -> Self {
        Self {
            spot,
            origin,
            live: false,
            phase: 0,
            completed_in: 0,
            arrivals: Vec::new(),
            arrivers: BTreeMap::new(),
            expected: 0,
            completed: 0,
            tracks_bytes: false,
            expected_by: None,
            completed_by: None,
            last_copy: None,
            expecters: Vec::new(),
            ledger: Ledger::default(),
            counted_alone: None,
            ended: None,
            previous: Vec::new(),
            expected_before: 0,
            seen: 0,
            crowded: None,
        }
    }

    /// Threads that arrived in an earlier phase and not in this one.
    pub fn absent(&self) -> Vec<ThreadId> {
        let here: BTreeSet<ThreadId> = self.arrivals.iter().map(|arrival| arrival.who).collect();
        self.arrivers.keys().filter(|who| !here.contains(who)).copied().collect()
    }

    /// Whether a thread may have an arrival to make in this phase: it has made none, or fewer than in each phase before.
    pub fn owes(&self, who: ThreadId) -> bool {
        let own = self.arrivals.iter().filter(|arrival| arrival.who == who);
        let here: u64 = own.map(|arrival| u64::from(arrival.count)).sum();
        let before = self.arrivers.get(&who).map_or(0, |arriver| arriver.count - here);
        here == 0 || self.phase > 0 && here < before / self.phase
    }

    /// Whether the last phase had arrivals of others only, and of each no more than one.
    fn was_before(&self, who: ThreadId) -> bool {
        let others: BTreeSet<ThreadId> = self.previous.iter().copied().collect();
        others.len() == self.previous.len() && !others.contains(&who)
    }

    /// Whether there are more arrivers than a phase counts, and more phases than any one of them made arrivals: what
    /// one round of them takes is more than one phase.
    pub fn outnumbered(&self) -> bool {
        let most = self.arrivers.values().map(|arriver| arriver.count).max().unwrap_or(0);
        self.arrivers.len() as u64 > u64::from(self.origin.count) && self.phase > most
    }
}

/// What a thread means by its next wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Standing {
    /// Phases that it has seen complete.
    seen: u64,
    /// The phase that it arrived in last, plus one.
    arrived: u64,
    /// Waits that have passed, those for the phase before the first among them.
    passed: u64,
}

/// The arrivals that a thread has made with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rhythm {
    /// Number.
    count: u64,
    /// None came behind fewer waits of the thread than there were arrivals, or behind more than one more; the first behind one.
    steady: bool,
}

/// All barriers of a cluster.
#[derive(Debug, Default)]
pub struct Observer {
    watches: BTreeMap<Spot, Watch>,
    standings: HashMap<(ThreadId, Spot), Standing>,
    /// Waits of each thread that have passed.
    passes: HashMap<ThreadId, u64>,
    /// Arrivals by thread and instruction.
    rhythms: HashMap<(ThreadId, usize), Rhythm>,
}

/// How many arrivals an operation is.
pub(super) fn arrivals(op: Op, data: u64) -> u32 {
    match op {
        Op::Arrive | Op::ArriveNoComplete | Op::ArriveDrop | Op::ArriveDropNoComplete => data as u32,
        Op::ArriveExpectTx | Op::ArriveDropExpectTx | Op::CpAsyncArrive => 1,
        _ => 0,
    }
}

impl Observer {
    /// The barrier at a place.
    pub fn at(&self, spot: Spot) -> Option<&Watch> {
        self.watches.get(&spot)
    }

    /// A barrier that is live among this many bytes.
    pub fn live_in(&self, from: Spot, bytes: u32) -> Option<Spot> {
        // one may begin before them
        let [first, end] = [from.offset.saturating_sub(7), from.offset + bytes].map(|offset| Spot { offset, ..from });
        self.watches.range(first..end).find(|(_, watch)| watch.live).map(|(spot, _)| *spot)
    }

    /// All barriers that have ever been, in the order of their places.
    pub fn all(&self) -> impl Iterator<Item = (&Spot, &Watch)> {
        self.watches.iter()
    }

    /// A thread sets out to initialise a barrier.
    pub fn begins(&mut self, spot: Spot, origin: Origin) {
        let live = self.watches.get(&spot).is_some_and(|watch| watch.live);
        self.watches.insert(spot, Watch { live, ..Watch::new(spot, origin) });
        self.standings.retain(|(_, at), _| *at != spot);
    }

    /// An operation takes effect: that of a thread, or of a copy that completes.
    pub fn done(&mut self, spot: Spot, op: Op, data: u64, (who, pc): (Option<ThreadId>, usize)) {
        let Some(watch) = self.watches.get_mut(&spot) else { return };
        match op {
            Op::Init => {
                // what was done to it before was lost
                *watch = Watch::new(spot, watch.origin);
                watch.live = true;
            }
            Op::Inval => (watch.live, watch.ended) = (false, Some(pc)),
            Op::CpAsyncEnd => watch.counted_alone = Some(pc),
            _ => {}
        }
        let count = arrivals(op, data);
        if let Some(who) = who.filter(|_| count > 0) {
            if watch.seen < watch.phase && watch.crowded.is_none() && watch.was_before(who) {
                watch.crowded = Some((who, watch.phase));
            }
            watch.arrivals.push(Arrival { who, count });
            let new = Arriver { count: 0, phases: [watch.phase; 2], pc };
            let arriver = watch.arrivers.entry(who).or_insert(new);
            arriver.count += u64::from(count);
            (arriver.phases[1], arriver.pc) = (watch.phase, pc);
            let passed = self.passes.get(&who).copied().unwrap_or(0);
            let rhythm = self.rhythms.entry((who, pc)).or_insert(Rhythm { count: 0, steady: passed == 1 });
            rhythm.count += 1;
            rhythm.steady &= (rhythm.count..=rhythm.count + 1).contains(&passed);
            self.standings.entry((who, spot)).or_default().arrived = watch.phase + 1;
        }
        match op {
            Op::ExpectTx | Op::ArriveExpectTx | Op::ArriveDropExpectTx => {
                watch.expected += data & 0xffff_ffff;
                watch.expected_by = who.map(|who| (who, pc)).or(watch.expected_by);
                watch.ledger.expects(data & 0xffff_ffff);
                watch.expecters.extend(who.map(|who| (who, pc)));
            }
            Op::CompleteTx | Op::BulkCompleteTx => {
                watch.completed += data & 0xffff_ffff;
                watch.completed_by = who.map(|who| (who, pc)).or(watch.completed_by);
            }
            _ => return,
        }
        watch.tracks_bytes = true;
    }

    /// The phase of a barrier completes.
    pub fn flips(&mut self, spot: Spot, cycle: u64) {
        if let Some(watch) = self.watches.get_mut(&spot) {
            watch.phase += 1;
            watch.completed_in = cycle;
            watch.previous.clear();
            watch.previous.extend(watch.arrivals.drain(..).map(|arrival| arrival.who));
            watch.expected_before = std::mem::take(&mut watch.expected);
            watch.completed = 0;
            watch.expecters.clear();
        }
    }

    /// A wait of a thread has been told that its phase is complete.
    pub fn passes(&mut self, spot: Spot, thread: ThreadId) {
        let Some(watch) = self.watches.get_mut(&spot) else { return };
        let standing = self.standings.entry((thread, spot)).or_default();
        standing.seen = watch.phase;
        standing.passed += 1;
        *self.passes.entry(thread).or_default() += 1;
        watch.seen = watch.phase;
    }

    /// Whether a thread has left out one arrival with an instruction, which it makes behind each of its waits, and waits again: how many waits
    /// have passed, and how often it has arrived.
    pub fn left_out(&self, thread: ThreadId, arrival: usize) -> Option<[u64; 2]> {
        let rhythm = self.rhythms.get(&(thread, arrival))?;
        let passed = self.passes.get(&thread).copied()?;
        (rhythm.steady && rhythm.count > 1 && passed == rhythm.count + 1).then_some([passed, rhythm.count])
    }

    /// A thread has so many bytes copied that will be completed on a barrier.
    pub fn copies(&mut self, spot: Spot, copy: Copy) {
        if let Some(watch) = self.watches.get_mut(&spot) {
            watch.ledger.copies(copy);
            watch.completed_by = Some((copy.who, copy.pc));
            watch.last_copy = Some(copy);
        }
    }

    /// Whether a wait of a thread on a barrier has ever passed.
    pub fn has_passed(&self, spot: Spot, thread: ThreadId) -> bool {
        self.standings.get(&(thread, spot)).is_some_and(|standing| standing.passed > 0)
    }

    /// Whether more phases have completed than waits of a thread on the barrier have passed, when the last of these passed.
    pub fn has_missed(&self, spot: Spot, thread: ThreadId) -> bool {
        self.standings
            .get(&(thread, spot))
            .is_some_and(|standing| standing.passed > 0 && standing.passed < standing.seen)
    }

    /// Phases of a barrier that a thread has seen complete, if each wait of it that passed was for the next one.
    pub fn all_seen(&self, spot: Spot, thread: ThreadId) -> Option<u64> {
        let Standing { seen, passed, .. } = *self.standings.get(&(thread, spot))?;
        (seen > 0 && passed == seen).then_some(seen)
    }

    /// What threads have to do with barriers: who has arrived on which, or has seen a wait on it pass.
    pub fn roles(&self) -> impl Iterator<Item = (ThreadId, (Spot, bool))> {
        let role = |(&(who, spot), standing): (&(ThreadId, Spot), &Standing)| {
            let arrived = (standing.arrived > 0).then_some((who, (spot, true)));
            let passed = (standing.passed > 0).then_some((who, (spot, false)));
            arrived.into_iter().chain(passed)
        };
        self.standings.iter().flat_map(role)
    }

    /// Whether a barrier is in its first phase, and whether this thread has arrived in it.
    pub fn in_first_phase(&self, spot: Spot, thread: ThreadId) -> Option<bool> {
        let first = self.watches.get(&spot).is_some_and(|watch| watch.live && watch.phase == 0);
        first.then(|| self.standings.get(&(thread, spot)).is_some_and(|standing| standing.arrived == 1))
    }

    /// The phase that a thread means when it waits for a parity: that of its last arrival if it has not seen that complete,
    /// else the first with this parity that it has not seen complete.
    pub fn meant(&self, spot: Spot, thread: ThreadId, parity: u64) -> u64 {
        let Standing { seen, arrived, .. } = self.standings.get(&(thread, spot)).copied().unwrap_or_default();
        let first = if arrived > seen { arrived - 1 } else { seen };
        if first & 1 == parity & 1 { first } else { first + 1 }
    }

    /// The phase in which a thread arrived last.
    pub fn arrived_in(&self, spot: Spot, thread: ThreadId) -> u64 {
        self.standings.get(&(thread, spot)).map_or(0, |standing| standing.arrived.saturating_sub(1))
    }

    /// The phase in which a thread arrived last, if it has not seen that complete.
    pub fn last_arrival(&self, spot: Spot, thread: ThreadId) -> Option<u64> {
        let Standing { seen, arrived, .. } = *self.standings.get(&(thread, spot))?;
        arrived.checked_sub(1).filter(|phase| *phase >= seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPOT: Spot = Spot { cta: 0, offset: 8 };

    fn thread(thread: u16) -> ThreadId {
        ThreadId { cta: 0, thread }
    }

    fn begun() -> Observer {
        let mut observer = Observer::default();
        observer.begins(SPOT, Origin { who: thread(0), pc: 3, count: 2 });
        observer.done(SPOT, Op::Init, 2, (Some(thread(0)), 3));
        observer
    }

    #[test]
    fn a_thread_that_is_two_phases_behind_means_an_old_phase() {
        let mut observer = begun();
        observer.done(SPOT, Op::Arrive, 1, (Some(thread(1)), 3));
        for _ in 0..2 {
            observer.flips(SPOT, 0);
        }
        assert_eq!(observer.meant(SPOT, thread(1), 0), 0);
        assert_eq!(observer.at(SPOT).map(|watch| watch.phase), Some(2));
        observer.passes(SPOT, thread(2));
        assert_eq!(observer.meant(SPOT, thread(2), 0), 2);
        assert_eq!(observer.meant(SPOT, thread(2), 1), 3);
    }

    #[test]
    fn arrivals_that_run_over_into_the_next_phase_are_crowded() {
        let mut observer = begun();
        let arrive = |observer: &mut Observer, who: u16| {
            observer.done(SPOT, Op::Arrive, 1, (Some(thread(who)), 3));
            if observer.at(SPOT).is_some_and(|watch| watch.arrivals.len() == 2) {
                observer.flips(SPOT, 0);
            }
        };
        let crowded = |observer: &Observer| observer.at(SPOT).and_then(|watch| watch.crowded);
        for who in [0, 1, 0] {
            arrive(&mut observer, who);
        }
        assert_eq!(crowded(&observer), None, "thread 0 leaves out a wait");
        arrive(&mut observer, 2);
        assert_eq!(crowded(&observer), Some((thread(2), 1)));
    }

    #[test]
    fn four_threads_on_a_barrier_for_two_outnumber_it() {
        let mut observer = begun();
        for who in 0..4 {
            observer.passes(SPOT, thread(9));
            observer.done(SPOT, Op::Arrive, 1, (Some(thread(who)), 3));
            if who % 2 == 1 {
                observer.flips(SPOT, 0);
            }
        }
        let watch = observer.at(SPOT).expect("it is there");
        assert!(watch.outnumbered());
        assert_eq!(watch.crowded, None, "the waits lay in between");
    }

    #[test]
    fn the_first_phase_and_who_arrived_in_it() {
        let mut observer = begun();
        observer.done(SPOT, Op::Arrive, 1, (Some(thread(1)), 3));
        assert_eq!(observer.in_first_phase(SPOT, thread(1)), Some(true));
        assert_eq!(observer.in_first_phase(SPOT, thread(2)), Some(false));
        observer.flips(SPOT, 0);
        assert_eq!(observer.in_first_phase(SPOT, thread(1)), None);
        observer.done(SPOT, Op::ExpectTx, 16, (Some(thread(0)), 3));
        assert_eq!(observer.at(SPOT).map(|watch| (watch.expected, watch.completed)), Some((16, 0)));
    }
}
