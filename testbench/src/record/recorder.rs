//! Records the handshakes of units.

use super::columns::{Event, Events, FLIP, How, PREDICATE, SUSPENDED, Wait, Waits};
use super::operations::{class, operand, operation_number, operations, parity};
use super::series::Series;
use super::steps::Steps;
use super::{Barrier, Class, Count, Mark, Timeline, WaitJson};
use crate::engine::rtl::{effects_of, request_of, response_of};
use crate::engine::{Done, Engine};
use crate::model;
use crate::request::{Request, Response};
use crate::run::Observer;
use crate::scoreboard::{Effects, each, rank};
use std::collections::{BTreeMap, HashMap, VecDeque};
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::{Contents, PHASE};

/// Cycles after which what a copy stores is in the memory for sure.
const STORED: u64 = 4;

/// A request that is accepted and has not taken effect.
#[derive(Clone, Copy, Debug)]
struct Issued {
    accepted: u64,
    index: usize,
    request: Request,
}

/// A request that has taken effect and is answered later.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    accepted: u64,
    /// Number of its row, counted from the first of all; nothing if it has none.
    row: Option<u64>,
}

/// A wait that is suspended.
#[derive(Clone, Copy, Debug)]
struct Parked {
    wait: Wait,
    tag: u16,
    /// Cycle in which its phase completed.
    completed: Option<u64>,
}

/// What is remembered of a port.
#[derive(Clone, Debug, Default)]
struct Port {
    issued: VecDeque<Issued>,
    waiting: VecDeque<Waiting>,
    parked: Vec<Parked>,
}

/// What is remembered of a unit.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Every word as the reference model has it.
    pub(super) words: Vec<u64>,
    ports: Vec<Port>,
    /// Numbers of the barriers, by word.
    pub(super) barriers: HashMap<usize, usize>,
    /// Words that copies store: they are read back in this cycle.
    stored: VecDeque<(u64, usize)>,
    /// Steps of loads and stores of warps.
    pub(super) steps: Steps,
}

/// Writes down what happens in a run. It is shown a run as an [`Observer`], or with [`look`](Recorder::look) a cluster.
#[derive(Clone, Debug)]
pub struct Recorder {
    pub(super) parameters: Parameters,
    port_names: Vec<String>,
    pub(super) units: Vec<Unit>,
    /// Of each CTA, the number of the entry for operations whose address names no word.
    nowhere: HashMap<usize, usize>,
    barriers: Vec<Barrier>,
    events: VecDeque<Event>,
    dropped: u64,
    kept: usize,
    waits: VecDeque<Wait>,
    marks: Vec<Mark>,
    pub(super) series: Series,
    latency: Vec<u64>,
    wake_latency: Vec<u64>,
    pub(super) counts: BTreeMap<(u8, u8), u64>,
    effects: Effects,
    cycles: u64,
    over: bool,
}

/// Counts one more in a histogram.
fn count(histogram: &mut Vec<u64>, value: u64) {
    let value = value as usize;
    if histogram.len() <= value {
        histogram.resize(value + 1, 0);
    }
    histogram[value] += 1;
}

impl Recorder {
    /// Rows that are kept of a run if nothing else is said.
    pub const KEPT: usize = 200_000;

    /// Records a unit that has been reset and whose memory is all zero. Of the operations on barriers, and of the waits, the
    /// last `kept` are kept.
    pub fn of_unit(parameters: &Parameters, kept: usize) -> Self {
        let names = (0..parameters.ports).map(|port| format!("port {port}"));
        Self::new(*parameters, 1, names.collect(), kept)
    }

    /// Records a cluster that has been reset and whose memories are all zero; see [`of_unit`](Self::of_unit).
    pub fn of_cluster(parameters: &ClusterParameters, kept: usize) -> Self {
        let unit = parameters.built_unit();
        let name = |port: usize| match port {
            _ if port < parameters.unit.ports => format!("port {port}"),
            _ if port < parameters.askers() => "warps".to_owned(),
            _ if port == parameters.copy_port() => "copies".to_owned(),
            _ => "network".to_owned(),
        };
        Self::new(unit, parameters.ctas, (0..unit.ports).map(name).collect(), kept)
    }

    fn new(parameters: Parameters, ctas: usize, port_names: Vec<String>, kept: usize) -> Self {
        let unit = Unit {
            words: vec![0; parameters.words],
            ports: vec![Port::default(); parameters.ports],
            barriers: HashMap::new(),
            stored: VecDeque::new(),
            steps: Steps::default(),
        };
        Self {
            parameters,
            port_names,
            units: vec![unit; ctas],
            nowhere: HashMap::new(),
            barriers: Vec::new(),
            events: VecDeque::new(),
            dropped: 0,
            kept: kept.max(1),
            waits: VecDeque::new(),
            marks: Vec::new(),
            series: Series::default(),
            latency: Vec::new(),
            wake_latency: Vec::new(),
            counts: BTreeMap::new(),
            effects: Effects::default(),
            cycles: 0,
            over: false,
        }
    }

    /// A cluster has settled in a cycle. To be called before the clock edge.
    pub fn look(&mut self, cluster: &Cluster, cycle: u64) {
        for (cta, hardware) in cluster.cta.iter().enumerate() {
            let unit = &hardware.unit;
            for port in each(unit.req_ready.val().raw() & unit.req_valid.val().raw()) {
                let elsewhere = hardware.is_of_the_network(port);
                let request = request_of(unit, port);
                let threads = hardware.threads_of(port, request.data);
                self.accept(cycle, cta, port, &Request { elsewhere, threads, ..request });
            }
            let of_unit = &mut self.units[cta];
            while let Some(&(_, index)) = of_unit.stored.front().filter(|(when, _)| *when <= cycle) {
                of_unit.words[index] = unit.word(index);
                of_unit.stored.pop_front();
            }
            of_unit.stored.extend(unit.stored_by_copies().map(|index| (cycle + STORED, index)));
            self.steps(cluster, cta, cycle);
            let mut effects = std::mem::take(&mut self.effects);
            effects.done.clear();
            effects.done.extend(effects_of(unit));
            effects.flips.clear();
            effects.flips.extend(each(unit.flip_valid.val().raw()).map(|bank| unit.flip_index[bank].val().index()));
            self.effects(cycle, cta, &mut effects);
            self.effects = effects;
            for port in each(unit.rsp_valid.val().raw() & unit.rsp_ready.val().raw()) {
                self.answer(cycle, cta, port, &response_of(unit, port));
            }
        }
    }

    /// Adds a mark in a cycle.
    pub fn mark(&mut self, cycle: u64, text: impl Into<String>) {
        self.cycles = self.cycles.max(cycle + 1);
        self.marks.push(Mark { cycle, text: text.into() });
    }

    /// Clock cycles so far.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// A request is accepted.
    fn accept(&mut self, cycle: u64, cta: usize, port: usize, request: &Request) {
        self.cycles = self.cycles.max(cycle + 1);
        self.series.accept(cycle);
        let unit = &mut self.units[cta];
        let index = (request.address as usize / 8) % unit.words.len();
        unit.ports[port].issued.push_back(Issued { accepted: cycle, index, request: *request });
    }

    /// What takes effect in a cycle.
    fn effects(&mut self, cycle: u64, cta: usize, effects: &mut Effects) {
        self.cycles = self.cycles.max(cycle + 1);
        let Effects { done, flips, .. } = effects;
        let unit = &mut self.units[cta];
        for port in unit.ports.iter_mut().filter(|port| !port.parked.is_empty()) {
            for parked in &mut port.parked {
                let index = self.barriers[parked.wait.barrier].address.map(|address| address as usize / 8);
                if parked.completed.is_none() && index.is_some_and(|index| flips.contains(&index)) {
                    parked.completed = Some(cycle);
                }
            }
        }
        let order = |(_, done): &(usize, Done)| {
            let issued = unit.ports[done.port].issued.iter();
            let request = issued.clone().find(|issued| (issued.request.tag, issued.index) == (done.tag, done.index));
            let op = request.and_then(|issued| issued.request.operation());
            (done.index, op.map_or(0, rank), done.port)
        };
        // in a fabric they stand in their order
        if done.len() > 1 && !self.parameters.is_banked() {
            done.sort_by_key(order);
        }
        for (_, done) in done.iter() {
            self.effect(cycle, cta, done.port, done);
        }
    }

    /// A request takes effect.
    fn effect(&mut self, cycle: u64, cta: usize, port: usize, done: &Done) {
        let bytes = self.parameters.bytes();
        let unit = &mut self.units[cta];
        let Some(Port { issued, .. }) = unit.ports.get_mut(port) else { return };
        let position = issued.iter().position(|issued| (issued.request.tag, issued.index) == (done.tag, done.index));
        // what nobody asked for is a matter for the scoreboard
        let Some(Issued { accepted, index, request }) = position.and_then(|position| issued.remove(position)) else {
            return;
        };
        let before = unit.words[index];
        let (word, outcome) = model::serve(before, &request, bytes);
        unit.words[index] = word;
        *self.counts.entry((operation_number(request.op), done.status)).or_default() += 1;
        if done.status != Status::Ok.code() {
            self.series.fault(cycle);
        }
        let op = request.operation();
        let class = op.map_or(Class::Read, class);
        let known = self.units[cta].barriers.contains_key(&index);
        let (mut row, mut barrier) = (None, None);
        // plain stores count where a barrier is
        if class != Class::Read && (op != Some(Op::Store) || known) {
            let named = request.address.is_multiple_of(8) && (request.address as usize) < bytes;
            let number = self.barrier(cta, named.then_some(index), before);
            let completes = class != Class::Life && PHASE.of(before ^ word) != 0;
            if completes {
                self.series.flip(cycle);
            }
            let flags = if completes { FLIP } else { 0 }
                | if done.suspended { SUSPENDED } else { 0 }
                | if outcome.response.is_some_and(|answer| answer.predicate) { PREDICATE } else { 0 };
            let event = Event {
                cycle,
                accepted,
                answered: None,
                barrier: number,
                port,
                thread: self.parameters.thread(request.tag),
                op: operation_number(request.op),
                operand: operand(&request),
                status: done.status,
                flags,
                word,
            };
            row = Some(self.keep(event));
            barrier = Some(number);
        }
        if request.is_posted() {
            return;
        }
        let of_port = &mut self.units[cta].ports[port];
        match barrier {
            Some(barrier) if done.suspended => {
                let thread = self.parameters.thread(request.tag);
                let wait = Wait {
                    barrier,
                    begin: cycle,
                    end: None,
                    port,
                    thread,
                    parity: parity(&request),
                    how: How::Waiting,
                };
                of_port.parked.push(Parked { wait, tag: request.tag, completed: None });
            }
            _ => of_port.waiting.push_back(Waiting { accepted, row }),
        }
    }

    /// An answer is taken.
    fn answer(&mut self, cycle: u64, cta: usize, port: usize, response: &Response) {
        let of_port = &mut self.units[cta].ports[port];
        if response.resumed {
            let Some(position) = of_port.parked.iter().position(|parked| parked.tag == response.tag) else { return };
            let Parked { mut wait, completed, .. } = of_port.parked.remove(position);
            wait.end = Some(cycle);
            wait.how = match (response.status(), response.predicate) {
                (Some(Status::Invalidated), _) => How::Invalidated,
                (_, true) => How::Woken,
                (_, false) => How::TimedOut,
            };
            if response.predicate {
                count(&mut self.wake_latency, cycle - completed.unwrap_or(cycle));
            }
            if self.waits.len() == self.kept {
                self.waits.pop_front();
            }
            self.waits.push_back(wait);
            return;
        }
        let Some(Waiting { accepted, row }) = of_port.waiting.pop_front() else { return };
        self.replied(cycle, accepted, row.as_slice());
    }

    /// What was accepted in a cycle, and has these rows, is answered.
    pub(super) fn replied(&mut self, cycle: u64, accepted: u64, rows: &[u64]) {
        let latency = cycle - accepted;
        count(&mut self.latency, latency);
        self.series.answer(cycle, latency);
        for row in rows {
            let place = row.checked_sub(self.dropped).and_then(|place| self.events.get_mut(place as usize));
            if let Some(event) = place {
                event.answered = Some(cycle);
            }
        }
    }

    /// Number of the barrier in a word, or of the entry for what is in none; a new one holds this word before its first row.
    pub(super) fn barrier(&mut self, cta: usize, index: Option<usize>, before: u64) -> usize {
        let next = self.barriers.len();
        let number = match index {
            Some(index) => *self.units[cta].barriers.entry(index).or_insert(next),
            None => *self.nowhere.entry(cta).or_insert(next),
        };
        if number == next {
            let address = index.map(|index| index as u64 * 8);
            let before = if address.is_some() { before } else { 0 };
            self.barriers.push(Barrier { cta, address, name: None, before: before.into(), phases: 0 });
        }
        number
    }

    /// Adds a row; drops the first if there are too many. Gives its number, counted from the first of all.
    pub(super) fn keep(&mut self, event: Event) -> u64 {
        if self.events.len() == self.kept
            && let Some(first) = self.events.pop_front()
        {
            self.dropped += 1;
            let barrier = &mut self.barriers[first.barrier];
            barrier.before = if barrier.address.is_some() { first.word } else { 0 }.into();
            let made = first.op == Op::Init.code() && first.status == Status::Ok.code();
            barrier.phases = if made { 0 } else { barrier.phases + u64::from(first.flags & FLIP) };
        }
        self.events.push_back(event);
        self.dropped + self.events.len() as u64 - 1
    }

    /// Threads that still wait, and the event: those that wait for the same phase together.
    pub fn waiting(&self) -> Vec<WaitJson> {
        let mut groups: BTreeMap<(usize, u8), Vec<u16>> = BTreeMap::new();
        for parked in self.units.iter().flat_map(|unit| &unit.ports).flat_map(|port| &port.parked) {
            groups.entry((parked.wait.barrier, parked.wait.parity)).or_default().push(parked.wait.thread);
        }
        let row = |((number, parity), mut threads): ((usize, u8), Vec<u16>)| {
            let Barrier { cta, address, .. } = self.barriers[number];
            let address = address.unwrap_or(0);
            let word = self.units[cta].words[address as usize / 8];
            let Contents { phase, pending, tx, .. } = Contents::from(word);
            threads.sort_unstable();
            threads.dedup();
            WaitJson {
                cluster: 0,
                cta: cta as u8,
                threads,
                line: None,
                source: Vec::new(),
                waits_for: format!("the phase with parity {parity} of the word at {address:#x}"),
                barrier: None,
                address: Some(address as u32),
                waits_for_parity: Some(parity),
                word: Some(format!("{word:016x}")),
                word_parity: Some(phase.into()),
                arrivals_missing: Some(pending),
                bytes_missing: Some(tx.into()),
                arrived: Vec::new(),
            }
        };
        groups.into_iter().map(row).collect()
    }

    /// Recording.
    pub fn finish(self) -> Timeline {
        let mut events = Events::default();
        self.events.iter().for_each(|event| events.push(event));
        let mut waits = Waits::default();
        self.waits.iter().for_each(|wait| waits.push(wait));
        let parked = self.units.iter().flat_map(|unit| &unit.ports).flat_map(|port| &port.parked);
        parked.for_each(|parked| waits.push(&parked.wait));
        let count = |((op, status), times): ((u8, u8), u64)| Count { op, status, times };
        Timeline {
            cycles: self.cycles,
            ports: self.port_names,
            operations: operations(),
            statuses: Status::ALL.iter().map(|status| [status.name().into(), status.meaning().into()]).collect(),
            barriers: self.barriers,
            events,
            dropped: self.dropped,
            waits,
            marks: self.marks,
            series: self.series,
            latency: self.latency,
            wake_latency: self.wake_latency,
            counts: self.counts.into_iter().map(count).collect(),
        }
    }
}

impl<E: Engine> Observer<E> for Recorder {
    fn settled(&mut self, engine: &E, cycle: u64) {
        if !self.over {
            let mut effects = std::mem::take(&mut self.effects);
            effects.read(engine);
            self.effects(cycle, 0, &mut effects);
            self.effects = effects;
        }
    }
    fn accepted(&mut self, cycle: u64, port: usize, request: &Request) {
        if !self.over {
            self.accept(cycle, 0, port, request);
        }
    }
    fn answered(&mut self, cycle: u64, port: usize, response: &Response) {
        if !self.over {
            self.answer(cycle, 0, port, response);
        }
    }
    fn drained(&mut self) {
        self.over = true; // what follows is the testbench's own look at every word
    }
}
