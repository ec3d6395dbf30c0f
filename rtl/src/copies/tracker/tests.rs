//! The tracker against a plain model: a list of entries for each thread.

use super::*;
use std::collections::VecDeque;

/// Numbers that look random: Marsaglia's xorshift.
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    /// True `of` times in 16.
    pub(crate) fn chance(&mut self, of: u64) -> bool {
        self.below(16) < of
    }
}

/// What the model knows of an entry.
#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    address: u64,
    turn: u64,
    landed: bool,
}

/// What is offered to the tracker in a cycle.
#[derive(Clone, Copy, Default)]
struct Inputs {
    begin: Option<(usize, u64, u64)>,
    landed: Option<(usize, u64)>,
    op_ready: bool,
}

/// A tracker beside its model.
struct Rig {
    tracker: Tracker,
    threads: Vec<VecDeque<Entry>>,
    /// The operation that was shown and not taken.
    shown: Option<(u64, u64)>,
    /// Copies begun and copies done, of all threads.
    copies: [u64; 2],
    /// Operations in the order in which they were taken.
    ops: Vec<(Op, u64)>,
}

impl Rig {
    fn new(copiers: usize, outstanding: usize) -> Self {
        let tracker = Tracker::new(copiers, outstanding);
        let threads = vec![VecDeque::new(); copiers];
        Self { tracker, threads, shown: None, copies: [0; 2], ops: Vec::new() }
    }

    /// One cycle; whether what was offered began.
    fn cycle(&mut self, inputs: Inputs) -> bool {
        let tracker = &mut self.tracker;
        tracker.settle();
        assert_eq!(tracker.idle.val(), self.threads.iter().all(VecDeque::is_empty));
        // an operation that is shown stays until it is taken
        let now = tracker.op_valid.q.val().then(|| (tracker.op.q.val().raw(), tracker.op_address.q.val().raw()));
        if self.shown.is_some() {
            assert_eq!(now, self.shown);
        }
        // copies leave one a cycle and thread, as soon as they are the oldest and have landed
        for (t, ring) in self.threads.iter().enumerate() {
            let due = ring.front().is_some_and(|entry| entry.landed);
            assert_eq!(tracker.done.val().get_bit(t), due, "thread {t}");
        }
        let (thread, kind, address) = inputs.begin.unwrap_or((0, 0, 0));
        tracker.begin_valid.next = inputs.begin.is_some();
        tracker.begin_thread.next = (thread as u64).into();
        tracker.begin_kind.next = kind.into();
        tracker.begin_address.next = address.into();
        tracker.landed.next = inputs.landed.is_some();
        let (landed_thread, landed_turn) = inputs.landed.unwrap_or((0, 0));
        tracker.landed_thread.next = (landed_thread as u64).into();
        tracker.landed_turn.next = landed_turn.into();
        tracker.op_ready.next = inputs.op_ready;
        tracker.settle();
        let (ready, turn) = (tracker.begin_ready.val(), tracker.begin_turn.val().raw());
        // a thread is refused only because its ring is full
        assert_eq!(ready, self.threads[thread].len() < tracker.outstanding);
        tracker.tick();

        for ring in &mut self.threads {
            if ring.front().is_some_and(|entry| entry.landed) {
                ring.pop_front();
                self.copies[1] += 1;
            }
        }
        self.shown = now;
        if let Some((code, address)) = now.filter(|_| inputs.op_ready) {
            self.shown = None;
            self.take(Op::from_code(code).expect("an operation"), address);
        }
        if let Some((thread, turn)) = inputs.landed {
            let entry = self.threads[thread].iter_mut().find(|entry| entry.turn == turn).expect("it is under way");
            entry.landed = true;
        }
        if inputs.begin.is_some() && ready {
            let kind = Kind::ALL[kind as usize];
            assert!(self.threads[thread].iter().all(|entry| entry.turn != turn), "two entries have one number");
            self.threads[thread].push_back(Entry { kind, address, turn, landed: false });
            self.copies[0] += (kind == Kind::Copy) as u64;
        }
        inputs.begin.is_some() && ready
    }

    /// An operation is taken: it must be one that is due. Each arrival has an address of its own.
    fn take(&mut self, op: Op, address: u64) {
        self.ops.push((op, address));
        let at_head = |ring: &VecDeque<Entry>| {
            ring.front().is_some_and(|entry| entry.address == address && entry.kind != Kind::Copy)
        };
        let thread = self.threads.iter().position(at_head).expect("the oldest of its thread");
        let entry = self.threads[thread].pop_front().expect("it was just seen");
        assert_eq!(op, if entry.kind == Kind::Arrive { Op::CpAsyncEnd } else { Op::CpAsyncArrive });
    }

    /// The copies that have not landed.
    fn flying(&self) -> Vec<(usize, u64)> {
        let of = |t: usize| {
            let copies = self.threads[t].iter().filter(|entry| entry.kind == Kind::Copy && !entry.landed);
            copies.map(move |entry| (t, entry.turn))
        };
        (0..self.threads.len()).flat_map(of).collect()
    }

    fn begin(&mut self, thread: usize, kind: Kind, address: u64) -> bool {
        let begin = Some((thread, kind.code() as u64, address));
        self.cycle(Inputs { begin, op_ready: true, ..Inputs::default() })
    }

    fn wait(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| {
            self.cycle(Inputs { op_ready: true, ..Inputs::default() });
        });
    }

    fn land(&mut self, thread: usize, turn: u64) {
        self.cycle(Inputs { landed: Some((thread, turn)), op_ready: true, ..Inputs::default() });
    }
}

#[test]
fn random_runs_agree_with_the_model() {
    for (copiers, outstanding) in [(1, 1), (1, 8), (2, 2), (3, 4), (5, 1), (16, 8), (64, 2), (64, 32)] {
        for seed in 0..20 {
            println!("{copiers} threads, {outstanding} entries, seed {seed}");
            let mut noise = Noise::new(seed);
            let mut rig = Rig::new(copiers, outstanding);
            // how often things happen, so that rings run full in some runs and empty in others
            let [beginning, landing, ready, copying] = std::array::from_fn(|_| noise.below(16) + 1);
            // some runs have one busy thread, so that also long rings fill
            let busy = if noise.chance(6) { 1 } else { copiers };
            let (mut begun, mut offer) = (0, None);
            for _ in 0..1500 {
                if offer.is_none() && noise.chance(beginning) {
                    let kind = if noise.chance(copying) { 0 } else { 1 + noise.below(2) };
                    offer = Some((noise.below(busy as u64) as usize, kind, 8 * begun));
                    begun += 1;
                } else if noise.chance(2) {
                    offer = offer.map(|(_, kind, address)| (noise.below(busy as u64) as usize, kind, address));
                }
                let flying = rig.flying();
                let lands = !flying.is_empty() && noise.chance(landing);
                let landed = lands.then(|| flying[noise.below(flying.len() as u64) as usize]);
                if rig.cycle(Inputs { begin: offer, landed, op_ready: noise.chance(ready) }) {
                    offer = None;
                }
            }
            // and everything comes to an end
            while let Some((thread, turn)) = rig.flying().first().copied() {
                rig.land(thread, turn);
            }
            rig.wait(2 * copiers * outstanding + 8);
            rig.tracker.settle();
            assert!(rig.tracker.idle.val());
            assert_eq!(rig.copies[0], rig.copies[1]);
        }
    }
}

#[test]
fn with_nothing_outstanding_an_arrival_is_done_at_once() {
    let mut rig = Rig::new(4, 4);
    assert!(rig.begin(2, Kind::Arrive, 0x40));
    rig.wait(3);
    assert_eq!(rig.ops, [(Op::CpAsyncEnd, 0x40)]);
    assert!(rig.begin(1, Kind::ArriveNoinc, 0x48));
    rig.wait(2);
    assert_eq!(rig.ops[1..], [(Op::CpAsyncArrive, 0x48)]);
    rig.tracker.settle();
    assert!(rig.tracker.idle.val());
}

#[test]
fn an_arrival_waits_for_the_earlier_copies_of_its_thread_only() {
    let mut rig = Rig::new(2, 4);
    assert!(rig.begin(0, Kind::Copy, 0));
    assert!(rig.begin(0, Kind::Copy, 0));
    assert!(rig.begin(0, Kind::Arrive, 0x10));
    assert!(rig.begin(0, Kind::Copy, 0));
    assert!(rig.begin(1, Kind::ArriveNoinc, 0x18));
    rig.wait(10);
    assert_eq!(rig.ops, [(Op::CpAsyncArrive, 0x18)]);
    rig.land(0, 1); // the second before the first
    rig.land(0, 3); // and the one after the arrival
    rig.wait(10);
    assert_eq!((rig.ops.len(), rig.copies[1]), (1, 0));
    rig.land(0, 0);
    rig.wait(10);
    assert_eq!(rig.ops[1..], [(Op::CpAsyncEnd, 0x10)]);
    assert_eq!(rig.copies[1], 3);
}

#[test]
fn a_full_ring_is_back_pressure_for_its_thread_alone() {
    let mut rig = Rig::new(2, 4);
    (0..4).for_each(|_| assert!(rig.begin(0, Kind::Copy, 0)));
    for kind in Kind::ALL {
        assert!(!rig.begin(0, kind, 0x10));
    }
    assert!(rig.begin(1, Kind::Copy, 0));
    rig.land(0, 0);
    assert!(!rig.begin(0, Kind::Copy, 0), "its entry leaves in this cycle");
    assert!(rig.begin(0, Kind::Copy, 0));
}

#[test]
fn threads_take_turns_and_the_port_is_busy_every_cycle() {
    let mut rig = Rig::new(4, 8);
    for turn in 0..8 {
        for thread in 0..4 {
            let begin = Some((thread, Kind::ArriveNoinc.code() as u64, 8 * (4 * turn + thread as u64)));
            rig.cycle(Inputs { begin, ..Inputs::default() });
        }
    }
    rig.wait(32);
    let order: Vec<u64> = rig.ops.iter().map(|(_, address)| address / 8 % 4).collect();
    assert_eq!(order, [0, 1, 2, 3].repeat(8));
}
