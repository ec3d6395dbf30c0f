//! Compares the signals inside a CTA with the reference model.
//!
//! The unit of every CTA has a scoreboard of its own ([`Scoreboard`]), which sees all its ports: those of the threads, that of
//! the network and that of the copies; and what copies store beside them. Above it:
//!
//! * what a port sends to another CTA is asked for there once, unchanged, and in order; and the answer comes back unchanged;
//! * what copies store are the bytes of global memory that a descriptor names, each of them once;
//! * an arrival of `cp.async` comes when all copies of its thread before it have landed;
//! * no more bytes are completed on a barrier than have been stored for it, and in the end as many.
//!
//! Requests and answers are followed here, what passes the door in `tap/door.rs`.

mod door;

use crate::cluster::global;
use crate::cluster::outgoing::Due;
use crate::cluster::thread::{Async, Bulk, Tile};
use crate::engine::rtl::{effects_of, request_of, response_of};
use crate::request::{Request, Response};
use crate::scoreboard::{Effects, Failure, Scoreboard, each};
use crate::wake_masks::Masks;
use std::collections::{HashMap, VecDeque};
use txbar_rtl::cluster::cta::Cta;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::copies::messages::request;
use txbar_rtl::op::Op;
use txbar_rtl::word::address::BEAT_WORDS;

/// A beat that has been shown to the banks and not been stored yet.
#[derive(Clone, Copy, Debug)]
struct Landing {
    index: usize,
    strobe: u32,
    data: [u64; BEAT_WORDS],
    /// Words of it that are still to be stored, a bit each.
    missing: u64,
}

/// A range of shared memory that a copy is about to fill.
#[derive(Clone, Debug)]
struct Range {
    shared: u32,
    global: u64,
    /// What a box of a tensor leaves there.
    content: Option<Vec<Option<u8>>>,
    /// Which of its bytes have come.
    came: Vec<bool>,
    /// A bulk copy: its barrier.
    barrier: Option<u32>,
    /// A `cp.async` copy: its thread, and its number among what that thread began.
    copy: Option<(usize, u64)>,
}

/// What a reduction's result is made of.
#[derive(Clone, Copy, Debug)]
struct Combined {
    /// The words that were there.
    before: [u64; BEAT_WORDS],
    /// Those that came.
    operand: [u64; BEAT_WORDS],
    /// Code of the reduction.
    reduction: u8,
}

/// What a thread asked of the tracker and is not over.
#[derive(Clone, Copy, Debug)]
enum Entry {
    /// A copy.
    Copy { number: u64, landed: bool },
    /// An arrival.
    Arrive { barrier: u32, noinc: bool },
}

/// Bytes on one barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bytes {
    announced: u64,
    landed: u64,
    completed: u64,
}

/// What a port sent to another CTA.
type Sent = VecDeque<Request>;

/// Looks on in one CTA.
pub struct Tap {
    rank: usize,
    parameters: ClusterParameters,
    scoreboard: Scoreboard,
    effects: Effects,
    landings: VecDeque<Landing>,
    /// Word and bytes of a beat that is shown and has not been taken. With few banks, parts of it may be stored before it is.
    shown: Option<(usize, u32)>,
    ranges: Vec<Range>,
    /// Beats that other CTAs, or this one, have sent here, with their barriers.
    awaited: Vec<(u32, Due)>,
    /// What the beat that is shown comes from, if it is a reduction's result: then as long as the ports are kept out.
    combined: Option<Combined>,
    /// Blocks that are being read for copies: address, bytes, and whether it is for a tensor store.
    reading: VecDeque<(u32, u32, bool)>,
    /// The bytes of one that has been.
    read: Option<(Vec<(u64, u8)>, bool)>,
    bytes: HashMap<u32, Bytes>,
    /// What each thread asked of the tracker, in program order.
    entries: Vec<VecDeque<Entry>>,
    /// Number of operations begun.
    begun: u64,
    /// Requests of other CTAs that have been accepted and not answered: rank, port and tag.
    asked: VecDeque<(usize, usize, u16)>,
    /// With the wake mask, what the CTA shows at each port of its threads, and whether it is taken.
    pub masks: Vec<(Masks, bool)>,
    /// Waits that are answered by that, with their ports.
    pub resumed: Vec<(usize, Response)>,
    /// Bytes stored by copies.
    pub copied: u64,
    /// Bytes changed by reductions.
    pub reduced: u64,
    /// Requests of other CTAs that were accepted.
    pub remote: u64,
}

/// What travels between the CTAs, as the taps saw it leave and come.
#[derive(Default)]
pub struct Network {
    /// By target, source and port.
    sent: HashMap<(usize, usize, usize), Sent>,
    /// Answers on their way, by source and port, with the CTA that they come from.
    answers: HashMap<(usize, usize), VecDeque<(usize, Response)>>,
}

impl Network {
    /// Whether a port has sent something that has not come, and that it is to be answered.
    pub fn has_sent(&self, rank: usize, port: usize) -> bool {
        let waits = |sent: &Sent| sent.iter().any(|request| !request.is_posted());
        self.sent.iter().any(|((_, from, its_port), sent)| (*from, *its_port) == (rank, port) && waits(sent))
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.sent.values().all(VecDeque::is_empty) && self.answers.values().all(VecDeque::is_empty)
    }
}

/// The oldest copies that have landed are over.
fn forget_landed(entries: &mut VecDeque<Entry>) {
    while let Some(Entry::Copy { landed: true, .. }) = entries.front() {
        entries.pop_front();
    }
}

fn failure(cycle: u64, what: String) -> Box<Failure> {
    Box::new(Failure { cycle, what, history: None })
}

impl Tap {
    /// Looks on in the CTA with this rank, whose memory is all zero.
    pub fn new(parameters: &ClusterParameters, rank: usize) -> Self {
        Self {
            rank,
            parameters: *parameters,
            scoreboard: Scoreboard::new(&parameters.built_unit()).from_reset(),
            effects: Effects::default(),
            landings: VecDeque::new(),
            shown: None,
            ranges: Vec::new(),
            awaited: Vec::new(),
            combined: None,
            reading: VecDeque::new(),
            read: None,
            bytes: HashMap::new(),
            entries: vec![VecDeque::new(); parameters.copiers],
            begun: 0,
            asked: VecDeque::new(),
            masks: Vec::new(),
            resumed: Vec::new(),
            copied: 0,
            reduced: 0,
            remote: 0,
        }
    }

    /// The scoreboard of the unit, for what passes its ports by.
    pub(super) fn scoreboard_mut(&mut self) -> &mut Scoreboard {
        &mut self.scoreboard
    }

    /// The scoreboard of the unit.
    pub fn scoreboard(&self) -> &Scoreboard {
        &self.scoreboard
    }

    /// Whether a port of another CTA has asked for something here that is not done.
    pub fn is_asked_by(&self, rank: usize, port: usize) -> bool {
        self.asked.iter().any(|(from, its_port, _)| (*from, *its_port) == (rank, port))
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.scoreboard.is_idle() && self.landings.is_empty() && self.ranges.is_empty() && self.awaited.is_empty()
    }

    /// A bulk copy into this CTA's memory has been accepted.
    pub fn announce(&mut self, bulk: &Bulk) {
        let Bulk { global, shared, bytes, barrier, .. } = *bulk;
        self.bytes.entry(barrier).or_default().announced += u64::from(bytes);
        let came = vec![false; bytes as usize];
        self.expect(Range { shared, global, content: None, came, barrier: Some(barrier), copy: None });
    }

    /// A tensor copy into this CTA's memory has been accepted.
    pub fn announce_tile(&mut self, tile: &Tile) {
        let Tile { map, at, shared, barrier, .. } = *tile;
        let (content, bytes) = global::box_of(map, &at, shared);
        self.bytes.entry(barrier).or_default().announced += bytes;
        let came = content.iter().map(Option::is_none).collect();
        self.expect(Range { shared, global: 0, content: Some(content), came, barrier: Some(barrier), copy: None });
    }

    /// This many bytes will be completed on a barrier of this CTA.
    pub fn announce_bytes(&mut self, barrier: u32, bytes: u64) {
        self.bytes.entry(barrier).or_default().announced += bytes;
    }

    /// A beat is on its way to this CTA's memory.
    pub fn await_beat(&mut self, barrier: u32, due: Due) {
        self.awaited.push((barrier, due));
    }

    /// The bytes that copies have read in this cycle, and whether it was for a tensor store.
    pub fn take_read(&mut self) -> Option<(Vec<(u64, u8)>, bool)> {
        self.read.take()
    }

    fn expect(&mut self, range: Range) {
        if !range.came.is_empty() {
            self.ranges.push(range);
        }
    }

    /// A thread's request of the tracker has been accepted.
    pub fn begin(&mut self, thread: usize, what: Async) {
        self.begun += 1;
        let number = self.begun;
        match what {
            Async::Copy { global, shared, bytes } => {
                let came = vec![false; bytes as usize];
                self.expect(Range { shared, global, content: None, came, barrier: None, copy: Some((thread, number)) });
                self.entries[thread].push_back(Entry::Copy { number, landed: false });
            }
            Async::Arrive { barrier, noinc } => {
                self.entries[thread].push_back(Entry::Arrive { barrier, noinc });
            }
        }
    }

    /// The cluster has settled in a cycle.
    ///
    /// # Errors
    /// Something happens that should not.
    pub fn settled(&mut self, cycle: u64, cta: &Cta, network: &mut Network) -> Result<(), Box<Failure>> {
        let unit = &cta.unit;
        let accepted = unit.req_ready.val().raw();
        for port in each(accepted) {
            let request = request_of(unit, port);
            let threads = cta.threads_of(port, request.data);
            let request = Request { elsewhere: cta.is_of_the_network(port), threads, ..request };
            self.scoreboard.accept(cycle, port, &request);
            if port == self.parameters.copy_port() {
                self.complete(cycle, cta, &request)?;
            } else if port == self.parameters.askers() {
                self.get(cycle, cta, &request, network)?;
            }
        }
        let errand = unit.write_errand[0].val().raw();
        if unit.write_valid[0].val() && errand == 0 && self.shown.is_none() {
            self.show(cta);
        }
        if unit.write_taken[0].val() && errand == 0 {
            self.land(cycle, cta)?;
        }
        self.look(cycle, cta)?;
        self.store(cycle, cta)?;
        self.effects.done.clear();
        self.effects.done.extend(effects_of(unit));
        self.effects.flips.clear();
        self.effects.flips.extend(each(unit.flip_valid.val().raw()).map(|bank| unit.flip_index[bank].val().index()));
        self.scoreboard.effects(cycle, &mut self.effects)?;
        for port in each(unit.rsp_valid.val().raw() & unit.rsp_ready.val().raw()) {
            let response = response_of(unit, port);
            self.scoreboard.answer(cycle, port, &response)?;
            if port == self.parameters.askers() && self.parameters.ctas > 1 {
                let (rank, port, tag) = self.asked.pop_front().ok_or_else(|| {
                    failure(cycle, format!("CTA {} answers another CTA that did not ask: {response}", self.rank))
                })?;
                let response = Response { tag, ..response };
                network.answers.entry((rank, port)).or_default().push_back((self.rank, response));
            }
        }
        for (port, (masks, taken)) in self.masks.drain(..).enumerate() {
            let answered = self.scoreboard.resumes(cycle, port, masks, taken)?;
            self.resumed.extend(answered.into_iter().map(|(_, response)| (port, response)));
        }
        self.scoreboard.end_of_cycle(unit.req_valid.val().raw() & !accepted);
        Ok(())
    }

    /// A request of this CTA leaves for another.
    pub fn sends(&self, target: usize, port: usize, request: &Request, network: &mut Network) {
        network.sent.entry((target, self.rank, port)).or_default().push_back(*request);
    }

    /// An answer of another CTA is shown to a port of this one.
    ///
    /// # Errors
    /// Nobody gave it.
    pub fn returns(&self, cycle: u64, port: usize, got: &Response, network: &mut Network) -> Result<(), Box<Failure>> {
        let answers = network.answers.entry((self.rank, port)).or_default();
        // equal answers of different CTAs cannot be told apart, so they are not held to an order
        let place = answers.iter().position(|(_, answer)| got.agrees_with(answer));
        match place.and_then(|place| answers.remove(place)) {
            Some(_) => Ok(()),
            None => {
                let what = format!("port {port} of CTA {} is given `{got}`; under way were {answers:?}", self.rank);
                Err(failure(cycle, what))
            }
        }
    }

    /// A request of another CTA is accepted.
    fn get(&mut self, cycle: u64, cta: &Cta, got: &Request, network: &mut Network) -> Result<(), Box<Failure>> {
        let head = cta.get_words[0][0].val().raw();
        let (rank, port) = (head >> request::RANK & 7, head >> request::PORT & 7);
        let (rank, port) = (rank as usize, port as usize);
        let tag = (head >> request::TAG) as u16;
        let sent = network.sent.get_mut(&(self.rank, rank, port)).and_then(VecDeque::pop_front);
        let as_sent =
            sent.map(|sent| Request { tag: 0, order: got.order, elsewhere: true, threads: got.threads, ..sent });
        if as_sent != Some(*got) || sent.is_some_and(|sent| sent.tag != tag) {
            let what =
                format!("CTA {} is asked for `{got}` by port {port} of CTA {rank}, which sent {sent:?}", self.rank);
            return Err(failure(cycle, what));
        }
        self.remote += 1;
        if !got.is_posted() {
            self.asked.push_back((rank, port, tag));
        }
        Ok(())
    }

    /// The copies ask for an operation on a barrier.
    fn complete(&mut self, cycle: u64, cta: &Cta, request: &Request) -> Result<(), Box<Failure>> {
        if request.operation() != Some(Op::BulkCompleteTx) {
            return self.arrive(cycle, cta.copier.arriving(), request);
        }
        let bytes = self.bytes.entry(request.address).or_default();
        bytes.completed += request.data;
        if bytes.completed > bytes.landed {
            let what =
                format!("CTA {}, barrier {:#x}: completed before it landed: {bytes:?}", self.rank, request.address);
            return Err(failure(cycle, what));
        }
        Ok(())
    }

    /// An arrival of a thread's copies: all before it must have landed.
    fn arrive(&mut self, cycle: u64, thread: Option<usize>, request: &Request) -> Result<(), Box<Failure>> {
        let noinc_asked = request.operation() == Some(Op::CpAsyncArrive);
        match thread.and_then(|thread| self.entries.get_mut(thread)) {
            Some(entries)
                if matches!(entries.front(), Some(Entry::Arrive { barrier, noinc })
                    if *barrier == request.address && *noinc == noinc_asked) =>
            {
                entries.pop_front();
                forget_landed(entries);
                Ok(())
            }
            _ => Err(self.undue(cycle, request)),
        }
    }

    fn undue(&self, cycle: u64, request: &Request) -> Box<Failure> {
        failure(cycle, format!("CTA {}: `{request}` of the copies is not due", self.rank))
    }

    /// What is left to check when nothing is under way any more.
    ///
    /// # Errors
    /// Bytes are missing, or a word is not what the model says.
    pub fn finish(&self, cycle: u64, cta: &Cta) -> Result<(), Box<Failure>> {
        for (barrier, bytes) in &self.bytes {
            if bytes.landed != bytes.announced || bytes.completed != bytes.announced {
                let what = format!("CTA {}, barrier {barrier:#x}: {bytes:?}", self.rank);
                return Err(failure(cycle, what));
            }
        }
        for index in 0..self.parameters.unit.words {
            let (is, should) = (cta.unit.word(index), self.scoreboard.word(index));
            if is != should {
                let what = format!("CTA {}: word {index} is {is:016x}, should be {should:016x}", self.rank);
                return Err(failure(cycle, what));
            }
        }
        Ok(())
    }
}
