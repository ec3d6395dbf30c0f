//! The copier in its [`rig`]: random copies, every alignment and size, rates, refusals.

mod rig;
mod settled;

use crate::copies::tracker::tests::Noise;
use crate::word::status::Status;
use rig::{Async, Bulk, IDEAL, Pace, Rig};

/// Gives away the shared memory from below, with gaps, the upper end being for barriers.
struct Random {
    noise: Noise,
    next: u64,
    limit: u64,
    barriers: u64,
    ctas: u64,
    copiers: u64,
    large: bool,
}

impl Random {
    fn place(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let gap = if self.noise.chance(8) { 0 } else { alignment * self.noise.below(5) };
        let place = self.next.next_multiple_of(alignment) + gap;
        (place + bytes <= self.limit).then(|| {
            self.next = place + bytes;
            place
        })
    }

    /// An address of its own for each arrival's barrier.
    fn barrier(&mut self) -> u64 {
        self.barriers += 8;
        self.limit + self.barriers % 0x4000
    }

    fn global(&mut self, alignment: u64) -> u64 {
        // some at the very end of the address space
        let address = self.noise.below(1 << 20) | if self.noise.chance(2) { 0xffff_ffe0_0000 } else { 0x12_3400_0000 };
        address - address % alignment
    }

    fn bulk(&mut self) -> Option<Bulk> {
        let most = if self.large && self.noise.chance(4) { 256 } else { 20 };
        let bytes = 16 * self.noise.below(most);
        let mut bulk = Bulk {
            global: self.global(16),
            shared: self.place(bytes, 16)?,
            bytes,
            barrier: self.limit + 8 * self.noise.below(16),
            ctas: 1 + self.noise.below((1 << self.ctas) - 1),
        };
        if self.noise.chance(2) {
            match self.noise.below(8) {
                0 => bulk.global += 1 + self.noise.below(15),
                1 => bulk.shared += 1 + self.noise.below(15),
                2 => bulk.bytes += 1 + self.noise.below(15),
                3 => bulk.barrier += 1 + self.noise.below(7),
                4 => bulk.barrier |= 0x10000 << self.noise.below(16),
                5 => bulk.shared |= 0x10000 << self.noise.below(16),
                6 => bulk.bytes |= 0x10000 << self.noise.below(16),
                _ => (bulk.shared, bulk.bytes) = (0xffff_fff0, 16 * self.noise.below(3)), // it wraps
            }
        }
        Some(bulk)
    }

    fn copy(&mut self) -> Option<Async> {
        let kind = if self.noise.chance(12) { 0 } else { 1 + self.noise.below(2) };
        let thread = self.noise.below(self.copiers) as usize;
        let bytes = 4 << self.noise.below(3);
        let shared = if kind == 0 { self.place(bytes, bytes)? } else { self.barrier() };
        let mut copy = Async { kind, thread, global: self.global(bytes), shared, bytes };
        if self.noise.chance(2) {
            match self.noise.below(5) {
                0 => copy.kind = 3,
                1 => copy.bytes = self.noise.below(32),
                2 => copy.global += 1 + self.noise.below(3),
                3 => copy.shared += 1 + self.noise.below(3),
                _ => copy.shared |= 0x10000 << self.noise.below(16),
            }
            // what happens to be allowed has a place that was not given to it
            if copy.status(1 << 16) == Status::Ok && (copy.bytes > bytes || copy.kind != kind) {
                copy.bytes = bytes;
            }
        }
        Some(copy)
    }
}

/// A random run of this many cycles, and what comes after; the bytes that bulk copies and threads copied.
fn random_run(size: [usize; 4], seed: u64, length: u64, settled: Option<settled::Check>) -> [u64; 2] {
    println!("{size:?}, seed {seed}");
    let mut noise = Noise::new(seed);
    let mut chance = || if noise.chance(6) { 16 } else { 1 + noise.below(16) };
    let [request, answer, beat, op, bulks, copies] = std::array::from_fn(|_| chance());
    let latency = 1 + noise.below(40);
    let pace = Pace { request, answer, beat, op, latency, mixed: seed & 3 != 0 };
    let mut rig = Rig { settled, ..Rig::new(size, pace, seed) };
    let mut random = Random {
        noise: Noise::new(seed + 1000),
        next: 0,
        limit: 0xc000,
        barriers: 0,
        ctas: size[0] as u64,
        copiers: size[1] as u64,
        large: seed.is_multiple_of(3),
    };
    // runs with both, with bulk copies alone, and with the threads' alone
    let [with_bulk, with_copies] = [seed % 5 != 1, seed % 5 != 2];
    let (mut bulk, mut copy) = (None, None);
    for _ in 0..length {
        if bulk.is_none() && with_bulk && noise.chance(bulks) {
            bulk = random.bulk();
        }
        if copy.is_none() && with_copies && noise.chance(copies) {
            copy = random.copy();
        }
        let accepted = rig.cycle(bulk, copy);
        bulk = bulk.filter(|_| !accepted.0);
        copy = copy.filter(|_| !accepted.1);
    }
    rig.finish();
    let mut landed = [0; 2];
    for item in &rig.items {
        landed[item.thread.is_some() as usize] += item.landed;
    }
    landed
}

/// CTAs, copiers, outstanding and bursts.
const SIZES: [[usize; 4]; 6] =
    [[2, 16, 8, 16], [1, 1, 1, 1], [3, 3, 4, 5], [8, 64, 2, 2], [4, 7, 32, 16], [2, 2, 8, 16]];

#[test]
fn random_copies_land_where_they_should() {
    let mut landed = [0; 2];
    for size in SIZES {
        for seed in 0..60 {
            let [bulk, copies] = random_run(size, seed, 2500, None);
            landed = [landed[0] + bulk, landed[1] + copies];
        }
    }
    println!("{} bytes of bulk copies, {} bytes of threads' copies", landed[0], landed[1]);
    assert!(landed[0] > 1_000_000 && landed[1] > 100_000, "{landed:?}");
}

#[test]
fn the_written_order_is_an_order_of_the_data() {
    for size in SIZES {
        for seed in 0..5 {
            random_run(size, seed, 200, Some(settled::Check::new(size)));
        }
    }
}

#[test]
fn every_alignment_and_size_lands() {
    for from in (0..128).step_by(16) {
        for to in [0, 16] {
            for bytes in (0..=288).step_by(16) {
                let mut rig = Rig::new([2, 2, 2, 4], Pace { mixed: true, latency: 9, ..IDEAL }, from + bytes);
                rig.offer_all(&[Bulk { global: 0x5000 + from, shared: 0x40 + to, bytes, barrier: 8, ctas: 3 }]);
                rig.finish();
            }
        }
    }
    for bytes in [4, 8, 16] {
        for from in (0..32).step_by(bytes as usize) {
            for to in (0..32).step_by(bytes as usize) {
                let mut rig = Rig::new([2, 2, 2, 4], IDEAL, 0);
                let copy = Async { kind: 0, thread: 1, global: 0x5000 + from, shared: 0x40 + to, bytes };
                assert!(rig.cycle(None, Some(copy)).1);
                rig.finish();
            }
        }
    }
}

/// Cycles from the acceptance of the first to the last beat, and those from the first beat to the last.
fn cycles(bulks: &[Bulk], pace: Pace) -> (u64, u64) {
    let mut rig = Rig::new([2, 4, 4, 16], pace, 0);
    rig.offer_all(bulks);
    rig.finish();
    let [first, last] = [rig.beats[0], rig.beats[rig.beats.len() - 1]];
    (last + 1, last + 1 - first)
}

#[test]
fn an_ideal_memory_is_used_in_every_cycle() {
    let wide = Bulk { global: 0x1000, shared: 0x400, bytes: 4096, barrier: 8, ctas: 1 };
    let latency = IDEAL.latency;
    // accepted, found, requested and landed: 3 cycles besides the memory's
    assert_eq!(cycles(&[wide], IDEAL), (128 + 3 + latency, 128));
    let narrow = Bulk { shared: 0x410, ..wide };
    assert_eq!(cycles(&[narrow], IDEAL), (129 + 3 + latency, 129), "what is left over of a burst joins the next one");
    let narrow = Bulk { global: 0x1010, ..wide };
    assert_eq!(cycles(&[narrow], IDEAL), (129 + 3 + latency, 128), "the first beat lands nothing");
    let far = Pace { latency: 50, ..IDEAL };
    assert_eq!(cycles(&[wide], far).1, 128, "16 bursts of 4 beats hide 50 cycles");
    // many small ones: one request a cycle
    let small: Vec<Bulk> = (0..100).map(|n| Bulk { bytes: 16, shared: 16 * n, ..wide }).collect();
    assert_eq!(cycles(&small, IDEAL).1, 100);
    let lines: Vec<Bulk> = (0..32).map(|n| Bulk { bytes: 128, shared: 128 * n, ..wide }).collect();
    assert_eq!(cycles(&lines, IDEAL).1, 128);
}

#[test]
fn threads_copy_one_beat_a_cycle() {
    let mut rig = Rig::new([2, 16, 8, 16], IDEAL, 0);
    for number in 0..256 {
        let (global, shared) = (0x1000 + 16 * number, 16 * number);
        let copy = Async { kind: 0, thread: number as usize % 16, global, shared, bytes: 16 };
        assert!(rig.cycle(None, Some(copy)).1, "copy {number} is accepted at once");
    }
    rig.finish();
    assert_eq!(rig.beats[255] - rig.beats[0], 255);
}

#[test]
fn bulk_and_thread_copies_take_turns() {
    let mut rig = Rig::new([2, 16, 8, 16], IDEAL, 0);
    rig.offer_all(&[Bulk { global: 0, shared: 0x4000, bytes: 0x4000, barrier: 8, ctas: 1 }]);
    // while the bulk copy is under way, no copy waits for more than a burst or two
    let mut longest = 0;
    for number in 0..200 {
        let copy = Async { kind: 0, thread: number as usize % 16, global: 0x1000, shared: 4 * number, bytes: 4 };
        let since = rig.now;
        while !rig.cycle(None, Some(copy)).1 {}
        longest = longest.max(rig.now - since);
    }
    assert!(longest <= 8, "a copy waited for {longest} cycles");
    assert!(rig.items[0].landed > 0x800, "the bulk copy goes on, too");
    rig.finish();
}

#[test]
fn a_refused_copy_does_nothing_and_says_why() {
    let mut rig = Rig::new([2, 2, 2, 4], IDEAL, 0);
    let good = Bulk { global: 0x1000, shared: 0x400, bytes: 64, barrier: 8, ctas: 3 };
    let bulks = [
        (Bulk { global: 0x1008, ..good }, Status::Misaligned),
        (Bulk { shared: 0x408, ..good }, Status::Misaligned),
        (Bulk { bytes: 24, ..good }, Status::Misaligned),
        (Bulk { barrier: 12, ..good }, Status::Misaligned),
        (Bulk { barrier: 0x10004, ..good }, Status::Misaligned),
        (Bulk { barrier: 0x10000, ..good }, Status::OutOfRange),
        (Bulk { shared: 0xffd0, ..good }, Status::OutOfRange),
        (Bulk { shared: 0xffff_fff0, bytes: 32, ..good }, Status::OutOfRange),
        (Bulk { shared: 16, bytes: 0xffff_fff0, ..good }, Status::OutOfRange),
        (Bulk { bytes: 0, ..good }, Status::Ok),
        (Bulk { bytes: 0, barrier: 0x10000, ..good }, Status::OutOfRange),
    ];
    for (bulk, status) in bulks {
        assert_eq!(bulk.status(rig.window), status);
        assert!(rig.cycle(Some(bulk), None).0);
    }
    let good = Async { kind: 0, thread: 0, global: 0x1000, shared: 0x400, bytes: 8 };
    let copies = [
        (Async { bytes: 0, ..good }, Status::OperandRange),
        (Async { bytes: 12, ..good }, Status::OperandRange),
        (Async { global: 0x1004, ..good }, Status::Misaligned),
        (Async { shared: 0x404, ..good }, Status::Misaligned),
        (Async { shared: 0x10000, ..good }, Status::OutOfRange),
        (Async { kind: 1, shared: 0x404, ..good }, Status::Misaligned),
        (Async { kind: 2, shared: 0x10000, ..good }, Status::OutOfRange),
        (Async { kind: 3, ..good }, Status::IllegalOperation),
    ];
    for (copy, status) in copies {
        assert_eq!(copy.status(rig.window), status);
        assert!(rig.cycle(None, Some(copy)).1);
    }
    rig.finish();
    assert!(rig.items.iter().all(|item| item.copy.bytes == 0) && rig.ops.is_empty() && rig.beats.is_empty());
    // up to the last byte it is allowed
    rig.offer_all(&[Bulk { global: 0x1000, shared: 0xffc0, bytes: 64, barrier: 0xfff8, ctas: 3 }]);
    rig.finish();
}
