//! The copier between a model of the global memory and one of the shared memory. What is stored must be what some copy that was accepted
//! asked for, and what is shown must stay until it is taken.

use super::super::*;
use super::settled;
use crate::copies::tracker::tests::Noise;
use crate::word::address::{BEAT_BYTES, BURST_BYTES};
use crate::word::op::Op;
use crate::word::status::Status;
use std::collections::HashMap;

/// What every byte of the global memory holds.
fn global_byte(address: u64) -> u8 {
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8
}

/// A bulk copy that is offered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bulk {
    pub(super) global: u64,
    pub(super) shared: u64,
    pub(super) bytes: u64,
    pub(super) barrier: u64,
    pub(super) ctas: u64,
}

impl Bulk {
    pub(super) fn status(&self, window: u64) -> Status {
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
pub(super) struct Async {
    pub(super) kind: u64,
    pub(super) thread: usize,
    pub(super) global: u64,
    pub(super) shared: u64,
    pub(super) bytes: u64,
}

impl Async {
    pub(super) fn status(&self, window: u64) -> Status {
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
pub(super) struct Item {
    pub(super) copy: Bulk,
    /// The thread that copies, and the number of the copy among those of the thread.
    pub(super) thread: Option<(usize, usize)>,
    pub(super) landed: u64,
    pub(super) completed: u64,
}

/// A burst that the global memory works on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub(super) id: u64,
    pub(super) address: u64,
    pub(super) beats: u64,
    pub(super) narrow: bool,
    /// The beat that comes next.
    pub(super) beat: u64,
    /// The cycle from which on it may come.
    pub(super) due: u64,
}

/// How fast everything around the copier is: the chances are out of 16.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) request: u64,
    pub(super) answer: u64,
    pub(super) beat: u64,
    pub(super) op: u64,
    pub(super) latency: u64,
    /// Bursts come in any order and mixed, after up to `latency` cycles; else one after the other, after exactly so many.
    pub(super) mixed: bool,
}

/// Everything at once.
pub(super) const IDEAL: Pace = Pace { request: 16, answer: 16, beat: 16, op: 16, latency: 4, mixed: false };

/// The copier between the two memories.
pub(super) struct Rig {
    pub(super) copier: Copier,
    pub(super) noise: Noise,
    pub(super) pace: Pace,
    pub(super) window: u64,
    pub(super) own: u64,
    pub(super) now: u64,
    pub(super) bursts: Vec<Burst>,
    /// The burst whose beat is shown to the copier, until it takes it, and what is on its lanes.
    pub(super) answering: Option<(usize, [u64; 4])>,
    pub(super) items: Vec<Item>,
    /// Which item may write a byte of the shared memory.
    pub(super) owner: HashMap<u64, usize>,
    /// Whether each of a thread's copies has landed.
    pub(super) threads: Vec<Vec<bool>>,
    /// Thread and copies before it, of each arrival that is under way, by the address of its barrier.
    pub(super) arrivals: HashMap<u64, (usize, usize)>,
    pub(super) done: Vec<usize>,
    /// Bytes that have been accepted and have not landed.
    pub(super) open: u64,
    pub(super) ops: Vec<(Op, u64)>,
    /// Cycles in which a beat was taken, and in which a request was.
    pub(super) beats: Vec<u64>,
    pub(super) requests: Vec<u64>,
    /// What was shown and not taken: it must stay.
    pub(super) held_request: Option<[u64; 4]>,
    pub(super) held_beat: Option<([u64; 5], [u64; 4])>,
    /// Looks at every value in every cycle.
    pub(super) settled: Option<settled::Check>,
}

impl Rig {
    pub(super) fn new([ctas, copiers, outstanding, bursts]: [usize; 4], pace: Pace, seed: u64) -> Self {
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
    pub(super) fn cycle(&mut self, bulk: Option<Bulk>, copy: Option<Async>) -> (bool, bool) {
        self.copier.settle();
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
        copier.bulk.valid.next = bulk.is_some();
        copier.bulk.global.next = global.into();
        copier.bulk.shared.next = shared.into();
        copier.bulk.bytes.next = bytes.into();
        copier.bulk.barrier.next = barrier.into();
        copier.bulk.ctas.next = ctas.into();
        let Async { kind, thread, global, shared, bytes } = copy.unwrap_or_default();
        copier.r#async.valid.next = copy.is_some();
        copier.r#async.kind.next = kind.into();
        copier.r#async.thread.next = (thread as u64).into();
        copier.r#async.global.next = global.into();
        copier.r#async.shared.next = shared.into();
        copier.r#async.bytes.next = bytes.into();
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
        let accepted = (bulk.is_some() && copier.bulk.ready.val(), copy.is_some() && copier.r#async.ready.val());
        let statuses = [copier.bulk.status.val().raw(), copier.r#async.status.val().raw()];
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
    pub(super) fn finish(&mut self) {
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
    pub(super) fn offer_all(&mut self, bulks: &[Bulk]) {
        for bulk in bulks {
            while !self.cycle(Some(*bulk), None).0 {}
        }
    }
}
