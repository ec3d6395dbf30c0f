//! The copier between a model of the global memory and one of the shared memory.

use super::*;
use crate::cluster::parameters::{BEAT_BYTES, BURST_BYTES};
use crate::cluster::tracker::tests::Noise;
use crate::op::Op;
use crate::status::Status;
use std::collections::HashMap;

mod settled;

/// What every byte of the global memory holds.
fn global_byte(address: u64) -> u8 {
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8
}

/// A bulk copy that is offered.
#[derive(Clone, Copy, Debug, Default)]
struct Bulk {
    global: u64,
    shared: u64,
    bytes: u64,
    barrier: u64,
    ctas: u64,
}

impl Bulk {
    fn status(&self, window: u64) -> Status {
        let unit = self.global | self.shared | self.bytes;
        if !unit.is_multiple_of(16) || !self.barrier.is_multiple_of(8) {
            Status::Misaligned
        } else if self.barrier >= window || self.bytes > 0 && self.shared + self.bytes > window {
            Status::OutOfRange
        } else {
            Status::Ok
        }
    }
}

/// A copy of a thread or an arrival that is offered.
#[derive(Clone, Copy, Debug, Default)]
struct Async {
    kind: u64,
    thread: usize,
    global: u64,
    shared: u64,
    bytes: u64,
}

impl Async {
    fn status(&self, window: u64) -> Status {
        let copies = self.kind == Kind::Copy.code() as u64;
        let alignment = if copies { self.bytes } else { 8 };
        if self.kind >= Kind::ALL.len() as u64 {
            Status::IllegalOperation
        } else if copies && ![4, 8, 16].contains(&self.bytes) {
            Status::OperandRange
        } else if !self.shared.is_multiple_of(alignment) || copies && !self.global.is_multiple_of(alignment) {
            Status::Misaligned
        } else if self.shared >= window {
            Status::OutOfRange
        } else {
            Status::Ok
        }
    }
}

/// A copy that was accepted.
#[derive(Clone, Debug)]
struct Item {
    copy: Bulk,
    /// The thread that copies, and the number of the copy among those of the thread.
    thread: Option<(usize, usize)>,
    landed: u64,
    completed: u64,
}

/// A burst that the global memory works on.
#[derive(Clone, Copy, Debug)]
struct Burst {
    id: u64,
    address: u64,
    beats: u64,
    narrow: bool,
    /// The beat that comes next.
    beat: u64,
    /// The cycle from which on it may come.
    due: u64,
}

/// How fast everything around the copier is: the chances are out of 16.
#[derive(Clone, Copy, Debug)]
struct Pace {
    request: u64,
    answer: u64,
    beat: u64,
    op: u64,
    latency: u64,
    /// Bursts come in any order and mixed, after up to `latency` cycles; else one after the other, after exactly so many.
    mixed: bool,
}

const IDEAL: Pace = Pace { request: 16, answer: 16, beat: 16, op: 16, latency: 4, mixed: false };

struct Rig {
    copier: Copier,
    noise: Noise,
    pace: Pace,
    window: u64,
    own: u64,
    now: u64,
    bursts: Vec<Burst>,
    /// The burst whose beat is shown to the copier, until it takes it, and what is on its lanes.
    answering: Option<(usize, [u64; 4])>,
    items: Vec<Item>,
    /// Which item may write a byte of the shared memory.
    owner: HashMap<u64, usize>,
    /// Whether each of a thread's copies has landed.
    threads: Vec<Vec<bool>>,
    /// Thread and copies before it, of each arrival that is under way, by the address of its barrier.
    arrivals: HashMap<u64, (usize, usize)>,
    done: Vec<usize>,
    /// Bytes that have been accepted and have not landed.
    open: u64,
    ops: Vec<(Op, u64)>,
    /// Cycles in which a beat was taken, and in which a request was.
    beats: Vec<u64>,
    requests: Vec<u64>,
    /// What was shown and not taken: it must stay.
    held_request: Option<[u64; 4]>,
    held_beat: Option<([u64; 5], [u64; 4])>,
    /// Looks at every value in every cycle.
    settled: Option<settled::Check>,
}

impl Rig {
    fn new([ctas, copiers, outstanding, bursts]: [usize; 4], pace: Pace, seed: u64) -> Self {
        let window_bits = 16;
        Self {
            copier: Copier::new(copiers, outstanding, bursts, window_bits),
            noise: Noise::new(seed),
            pace,
            window: 1 << window_bits,
            own: 1 << (ctas - 1),
            now: 0,
            bursts: Vec::new(),
            answering: None,
            items: Vec::new(),
            owner: HashMap::new(),
            threads: vec![Vec::new(); copiers],
            arrivals: HashMap::new(),
            done: vec![0; copiers],
            open: 0,
            ops: Vec::new(),
            beats: Vec::new(),
            requests: Vec::new(),
            held_request: None,
            held_beat: None,
            settled: None,
        }
    }

    /// One cycle; which of the two offers was accepted.
    fn cycle(&mut self, bulk: Option<Bulk>, copy: Option<Async>) -> (bool, bool) {
        self.copier.settle_out();
        if self.copier.idle.val() {
            assert!(self.open == 0 && self.arrivals.is_empty() && self.bursts.is_empty(), "it is not idle");
        }
        let request_ready = self.noise.chance(self.pace.request);
        let beat_ready = self.noise.chance(self.pace.beat);
        let op_ready = self.noise.chance(self.pace.op);
        self.choose_answer();
        self.take_request(request_ready);
        self.take_beat(beat_ready);
        self.take_op(op_ready);
        for thread in 0..self.done.len() {
            if self.copier.done.val().get_bit(thread) {
                self.done[thread] += 1;
                assert!(self.threads[thread][..self.done[thread]].iter().all(|landed| *landed), "done too early");
            }
        }

        let copier = &mut self.copier;
        copier.mem_req_ready.next = request_ready;
        copier.beat_ready.next = beat_ready;
        copier.op_ready.next = op_ready;
        copier.own.next = self.own.into();
        copier.mem_rsp_valid.next = self.answering.is_some();
        let garbage = self.noise.below(1 << 40);
        copier.mem_rsp_id.next = self.answering.map_or(0, |(burst, _)| self.bursts[burst].id).into();
        for (lane, data) in copier.mem_rsp_data.iter_mut().zip(self.answering.map_or([garbage; 4], |(_, data)| data)) {
            lane.next = data.into();
        }
        let Bulk { global, shared, bytes, barrier, ctas } = bulk.unwrap_or_default();
        copier.bulk_valid.next = bulk.is_some();
        copier.bulk_global.next = global.into();
        copier.bulk_shared.next = shared.into();
        copier.bulk_bytes.next = bytes.into();
        copier.bulk_barrier.next = barrier.into();
        copier.bulk_ctas.next = ctas.into();
        let Async { kind, thread, global, shared, bytes } = copy.unwrap_or_default();
        copier.async_valid.next = copy.is_some();
        copier.async_kind.next = kind.into();
        copier.async_thread.next = (thread as u64).into();
        copier.async_global.next = global.into();
        copier.async_shared.next = shared.into();
        copier.async_bytes.next = bytes.into();
        copier.settle();
        if let Some(check) = &self.settled {
            check.check(copier);
        }
        if copier.mem_rsp_ready.val()
            && let Some((at, _)) = self.answering.take()
        {
            self.bursts[at].beat += 1;
            if self.bursts[at].beat == self.bursts[at].beats {
                self.bursts.remove(at);
            }
        }
        let accepted = (bulk.is_some() && copier.bulk_ready.val(), copy.is_some() && copier.async_ready.val());
        let statuses = [copier.bulk_status.val().raw(), copier.async_status.val().raw()];
        copier.tick();
        if let Some(bulk) = bulk.filter(|_| accepted.0) {
            let status = bulk.status(self.window);
            assert_eq!(statuses[0], status.code() as u64, "{bulk:?} is {}", status.name());
            if status == Status::Ok {
                self.accept(bulk, None);
            }
        }
        if let Some(copy) = copy.filter(|_| accepted.1) {
            let status = copy.status(self.window);
            assert_eq!(statuses[1], status.code() as u64, "{copy:?} is {}", status.name());
            if status == Status::Ok {
                self.accept_async(copy);
            }
        }
        self.now += 1;
        accepted
    }

    fn accept(&mut self, copy: Bulk, thread: Option<(usize, usize)>) {
        for byte in copy.shared..copy.shared + copy.bytes {
            assert!(self.owner.insert(byte, self.items.len()).is_none(), "the test lets copies overlap");
        }
        self.open += copy.bytes;
        self.items.push(Item { copy, thread, landed: 0, completed: 0 });
    }

    fn accept_async(&mut self, Async { kind, thread, global, shared, bytes }: Async) {
        let number = self.threads[thread].len();
        if kind == Kind::Copy.code() as u64 {
            self.threads[thread].push(false);
            self.accept(Bulk { global, shared, bytes, barrier: 0, ctas: self.own }, Some((thread, number)));
        } else {
            assert!(self.arrivals.insert(shared, (thread, number)).is_none(), "arrivals have barriers of their own");
        }
    }

    /// Chooses the beat that the global memory shows, unless one is shown already.
    fn choose_answer(&mut self) {
        if self.answering.is_some() || !self.noise.chance(self.pace.answer) {
            return;
        }
        let due: Vec<usize> = (0..self.bursts.len()).filter(|at| self.bursts[*at].due <= self.now).collect();
        if due.is_empty() || !self.pace.mixed && due[0] != 0 {
            return;
        }
        let at = if self.pace.mixed { due[self.noise.below(due.len() as u64) as usize] } else { 0 };
        let Burst { address, narrow, beat, .. } = self.bursts[at];
        let size = if narrow { 16 } else { BEAT_BYTES as u64 };
        let first = (address / size + beat) * size;
        let block = first - first % BEAT_BYTES as u64;
        let byte = |noise: &mut Noise, address| {
            if (first..first + size).contains(&address) { global_byte(address) } else { noise.below(256) as u8 }
        };
        let data = std::array::from_fn(|word| {
            u64::from_le_bytes(std::array::from_fn(|k| byte(&mut self.noise, block + (8 * word + k) as u64)))
        });
        self.answering = Some((at, data));
    }

    fn take_request(&mut self, ready: bool) {
        let copier = &self.copier;
        let request = copier.mem_req_valid.q.val().then(|| {
            let narrow = copier.mem_req_narrow.q.val();
            let [address, beats] = [copier.mem_req_address.q.val().raw(), copier.mem_req_beats.q.val().raw()];
            [address, beats, narrow as u64, copier.mem_req_id.q.val().raw()]
        });
        if self.held_request.is_some() {
            assert_eq!(request, self.held_request, "a request must stay");
        }
        self.held_request = request.filter(|_| !ready);
        let Some([address, beats, narrow, id]) = request.filter(|_| ready) else { return };
        let narrow = narrow != 0;
        let size = if narrow { 16 } else { BEAT_BYTES as u64 };
        let boundary = BURST_BYTES as u64;
        assert!((1..=boundary / size).contains(&beats));
        assert_eq!(address / boundary, (address / size * size + beats * size - 1) / boundary, "it crosses a boundary");
        assert!(self.bursts.iter().all(|burst| burst.id != id), "a number that is in use");
        assert!(id < copier.bursts as u64);
        let latency = if self.pace.mixed { self.noise.below(self.pace.latency) + 1 } else { self.pace.latency };
        self.bursts.push(Burst { id, address, beats, narrow, beat: 0, due: self.now + latency });
        self.requests.push(self.now);
    }

    fn take_beat(&mut self, ready: bool) {
        let copier = &self.copier;
        let data: [u64; 4] = std::array::from_fn(|word| copier.beat_data[word].q.val().raw());
        let beat = copier.beat_valid.q.val().then(|| {
            let [address, strobe] = [copier.beat_address.q.val().raw(), copier.beat_strobe.q.val().raw()];
            let [bytes, barrier] = [copier.beat_bytes.q.val().raw(), copier.beat_barrier.q.val().raw()];
            ([copier.beat_ctas.q.val().raw(), address, strobe, bytes, barrier], data)
        });
        if self.held_beat.is_some() {
            assert_eq!(beat, self.held_beat, "a beat must stay");
        }
        self.held_beat = beat.filter(|_| !ready);
        let Some(([ctas, address, strobe, bytes, barrier], data)) = beat.filter(|_| ready) else { return };
        assert!(address.is_multiple_of(BEAT_BYTES as u64) && strobe != 0);
        let mut of = None;
        for byte in (0..BEAT_BYTES as u64).filter(|byte| strobe >> byte & 1 != 0) {
            let owner = self.owner.remove(&(address + byte)).expect("a byte that nobody may write, or not again");
            assert_eq!(*of.get_or_insert(owner), owner, "a beat is of one copy");
            let item = &mut self.items[owner];
            let source = item.copy.global + (address + byte - item.copy.shared);
            assert_eq!((data[byte as usize / 8] >> (8 * (byte % 8))) as u8, global_byte(source), "{item:?}");
            item.landed += 1;
            self.open -= 1;
        }
        let item = &mut self.items[of.expect("it writes something")];
        assert_eq!(ctas, item.copy.ctas);
        if let Some((thread, number)) = item.thread {
            assert_eq!((bytes, item.landed), (0, item.copy.bytes), "a copy is one beat");
            self.threads[thread][number] = true;
        }
        if bytes != 0 {
            assert_eq!(barrier, item.copy.barrier);
            item.completed += bytes;
            assert!(item.completed <= item.landed, "completed before it has landed");
        }
        self.beats.push(self.now);
    }

    fn take_op(&mut self, ready: bool) {
        if !(self.copier.op_valid.val() && ready) {
            return;
        }
        let op = Op::from_code(self.copier.op.val().raw()).expect("an operation");
        let address = self.copier.op_address.val().raw();
        self.ops.push((op, address));
        let (thread, copies) = self.arrivals.remove(&address).expect("an arrival that is under way");
        assert!(self.threads[thread][..copies].iter().all(|landed| *landed), "it arrives too early");
    }

    /// Lets everything come to its end, and looks at what is left.
    fn finish(&mut self) {
        self.pace = Pace { latency: self.pace.latency, mixed: self.pace.mixed, ..IDEAL };
        for _ in 0..20_000 {
            self.cycle(None, None);
            if self.copier.idle.val() {
                break;
            }
        }
        assert!(self.copier.idle.val(), "it comes to no end");
        assert!(self.owner.is_empty() && self.arrivals.is_empty(), "something was lost");
        for item in &self.items {
            assert_eq!(item.landed, item.copy.bytes);
            assert_eq!(item.completed, if item.thread.is_some() { 0 } else { item.copy.bytes });
        }
        for (done, copies) in self.done.iter().zip(&self.threads) {
            assert_eq!(*done, copies.len());
        }
    }

    /// Offers bulk copies one after the other, as fast as they are accepted.
    fn offer_all(&mut self, bulks: &[Bulk]) {
        for bulk in bulks {
            while !self.cycle(Some(*bulk), None).0 {}
        }
    }
}

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

/// A random run of so many cycles, and what comes after; the bytes that bulk copies and threads copied.
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
