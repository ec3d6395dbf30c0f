//! The scoreboard: checks that the unit's behaviour has an explanation.
//!
//! The unit tells when each request takes effect (`done_valid`). That is a witness of an order: requests are replayed on
//! the reference model in it, and every status, answer and completed phase is compared with the expected one. Since a
//! request takes effect after it was accepted and before it is answered, and those of one port on one word must do so in
//! the order in which the port made them, an order that explains everything makes the run linearizable.
//!
//! Waits that are suspended are followed, too: each must be woken by the next completion of its phase, cancelled by what
//! ends its barrier, or ended by its time limit, whichever comes first; and whether it is suspended or answered at once must
//! agree with the room in its port's table.
//!
//! With the wake mask their ends are reported by masks, which are compared in every cycle: see `scoreboard/resume.rs`.
//!
//! Units with a fabric (the high-clock build with several ports) report effects by bank, and have an order and tables of
//! their own: see `scoreboard/fabric.rs`.
//!
//! If an answer differs, the calls on its word are searched for any other order that explains them ([`crate::linearize`]), so
//! that a unit whose witness is wrong, but whose answers are right, is not blamed for these. Calls that were over before
//! all open ones began are taken in the expected order, which keeps the search short.

mod answer;
mod effect;
mod fabric;
mod failure;
mod history;
mod passing;
mod resume;
#[cfg(test)]
mod tests;

pub use failure::Failure;

use crate::checked_model::{Life, Remark};
use crate::counter_model::{BEGINS, CounterModel};
use crate::engine::{Done, Engine};
use crate::linearize::Call;
use crate::model::Memory;
use crate::request::{Request, Response};
use effect::Effect;
use fabric::Fabric;
use history::History;
use std::collections::{HashMap, VecDeque};
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;

/// Place of an operation among those that take effect on one word in one cycle: loads, then those that only expect bytes,
/// then arrivals, then those that complete bytes, then waits; in each kind, by port.
pub fn rank(op: Op) -> u8 {
    use Op::*;
    match op {
        Load | Store | Init | Inval | PendingCount => 0,
        ExpectTx | CpAsyncBegin => 1,
        Arrive | ArriveNoComplete | ArriveExpectTx | ArriveDrop | ArriveDropNoComplete | ArriveDropExpectTx
        | CpAsyncArrive => 2,
        CompleteTx | BulkCompleteTx | CpAsyncEnd => 3,
        TestWait | TestWaitParity | TryWait | TryWaitParity => 4,
    }
}

fn rank_of(call: &Call) -> u8 {
    call.request.operation().map_or(0, rank)
}

/// A request that has been accepted and has not taken effect.
#[derive(Clone, Debug)]
struct Issued {
    accepted: u64,
    request: Request,
    index: usize,
    /// Number of the call on its word.
    call: u64,
}

/// A request that has taken effect and waits for its answer.
#[derive(Clone, Debug)]
struct Waiting {
    accepted: u64,
    request: Request,
    expected: Response,
    index: usize,
    /// Number of the call on its word.
    call: u64,
}

/// A wait that is suspended.
#[derive(Clone, Debug)]
struct Suspended {
    waiting: Waiting,
    /// The last cycle in which a completion counts.
    until: u64,
    /// How it ended, with the cycle after which its answer may be shown; nothing as long as it waits.
    over: Option<u64>,
}

impl Suspended {
    /// Ends it in a cycle, if it still waits then.
    fn end(&mut self, cycle: u64, status: Status, predicate: bool) {
        if self.over.is_none() {
            if cycle <= self.until {
                self.waiting.expected.status = status.code();
                self.waiting.expected.predicate = predicate;
                self.over = Some(cycle);
            } else {
                self.over = Some(self.until); // with what was expected when it began: not yet
            }
        }
    }
}

/// What the scoreboard has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests accepted.
    pub accepted: u64,
    /// Requests that faulted, as expected.
    pub faults: u64,
    /// Phases completed.
    pub flips: u64,
    /// Requests that took effect together with another on the same word.
    pub combined: u64,
    /// Waits that were suspended.
    pub suspended: u64,
    /// Waits that would have been suspended, had there been room.
    pub rejected: u64,
    /// Suspended waits that were woken by the completion of their phase.
    pub woken: u64,
    /// Operations that checked mode had something to say of.
    pub remarks: u64,
    /// Answers by latency: cycles from acceptance to the answer being taken; but not those of suspended waits.
    pub latency: Vec<u64>,
    /// Woken waits by latency: cycles from the completion of the phase to the answer being taken.
    pub wake_latency: Vec<u64>,
}

/// Whether it holds the later requests of its tag until it is over.
fn holds(request: &Request) -> bool {
    request.order.semantics.acquires() && request.limit_ns().is_some()
}

/// Counts one more in a histogram.
fn count(histogram: &mut Vec<u64>, value: u64) {
    let value = value as usize;
    if histogram.len() <= value {
        histogram.resize(value + 1, 0);
    }
    histogram[value] += 1;
}

/// How many warnings of checked mode are kept; all are counted.
const REMARKS_KEPT: usize = 20;

/// Compares a unit with the reference model, request by request.
#[derive(Clone)]
pub struct Scoreboard {
    bytes: usize,
    memory: Memory,
    issued: Vec<VecDeque<Issued>>,
    waiting: Vec<VecDeque<Waiting>>,
    /// By port, in the order in which they began.
    suspended: Vec<Vec<Suspended>>,
    /// By port, the last cycle in which the answer of one of them was taken, and the number of its word.
    freed: Vec<Option<(u64, usize)>>,
    parameters: Parameters,
    /// Cycles from reset to the first of the run.
    begins: u64,
    /// What is known besides of a unit that is a fabric.
    fabric: Option<Fabric>,
    /// With the wake mask, by port and thread.
    entries: HashMap<(usize, u16), resume::Entry>,
    /// Of the last acquire wait of a port and thread that is over: when it was accepted, and until when it held others.
    held: HashMap<(usize, u16), (u64, u64)>,
    histories: Vec<History>,
    counted: Vec<CounterModel>,
    /// What checked mode remembers of each word.
    lives: Vec<Life>,
    remarks: Vec<Remark>,
    /// Phases completed before the cycle that is looked at.
    flipped: u64,
    /// Words that copies have stored in the cycle that is looked at.
    copied: Vec<usize>,
    tally: Tally,
}

/// What a unit reports in one cycle besides answers.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Requests that take effect, with the places where they do, in the order of these.
    pub done: Vec<(usize, Done)>,
    /// Words whose phase completes.
    pub flips: Vec<usize>,
    /// Places of which suspended waits were woken in the cycle before, a bit each.
    pub woken: u64,
}

/// The positions of the bits that are set.
pub fn each(mut mask: u64) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let position = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(position)
    })
}

impl Effects {
    /// Reads them off an engine that has settled.
    #[inline]
    pub fn read(&mut self, engine: &impl Engine) {
        self.done.clear();
        self.done.extend(each(engine.done()).map(|place| (place, engine.effect(place))));
        self.flips.clear();
        self.flips.extend(each(engine.flips()).map(|bank| engine.flip_index(bank)));
        self.woken = engine.woken();
    }
}

impl Scoreboard {
    /// A scoreboard for a unit with these parameters, whose memory is all zero.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ports, words, .. } = *parameters;
        Self {
            suspended: vec![Vec::new(); ports],
            freed: vec![None; ports],
            parameters: *parameters,
            begins: BEGINS,
            fabric: parameters.is_banked().then(|| Fabric::new(parameters)),
            bytes: words * 8,
            memory: Memory::new(words),
            issued: vec![VecDeque::new(); ports],
            waiting: vec![VecDeque::new(); ports],
            entries: HashMap::new(),
            held: HashMap::new(),
            histories: vec![History::default(); words],
            counted: vec![CounterModel::NOTHING; ports],
            lives: vec![Life::default(); words],
            remarks: Vec::new(),
            flipped: 0,
            copied: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// The same for a run that begins with the first cycle after reset.
    pub fn from_reset(self) -> Self {
        Self { begins: 0, ..self }
    }

    /// The unit is reset: everything but its memory begins anew, and the first cycle after reset comes next.
    pub fn reset(&mut self) {
        let fresh = Self::new(&self.parameters).from_reset();
        let memory = std::mem::replace(&mut self.memory, Memory::new(0));
        *self = Self { memory, ..fresh };
    }

    /// The first things that checked mode has found.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// What has been counted so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The end of a cycle, in which some ports requested in vain.
    pub fn end_of_cycle(&mut self, stalled: u64) {
        self.flipped = self.tally.flips;
        for port in each(stalled) {
            self.counted[port].stalls += 1;
        }
        for (counted, suspended) in self.counted.iter_mut().zip(&self.suspended) {
            counted.waiting = counted.waiting.max(suspended.len() as u64);
        }
    }

    /// Answers that a port waits for, without those of suspended waits that have no place among them.
    pub fn outstanding(&self, port: usize) -> usize {
        let suspended = if self.fabric.is_some() { self.suspended[port].len() } else { 0 };
        let asked = self.issued[port].iter().filter(|issued| !issued.request.is_posted());
        asked.count() + self.waiting[port].len() + suspended
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.issued.iter().all(VecDeque::is_empty)
            && self.waiting.iter().all(VecDeque::is_empty)
            && self.suspended.iter().all(Vec::is_empty)
    }

    /// A request is accepted.
    pub fn accept(&mut self, cycle: u64, port: usize, request: &Request) {
        let index = self.memory.index(request.address);
        let call = Call { port, accepted: cycle, done: None, answered: None, request: *request };
        let call = self.histories[index].push(call, self.bytes);
        self.tally.accepted += 1;
        if let Some(fabric) = &mut self.fabric {
            fabric.accept(port, index);
        }
        self.issued[port].push_back(Issued { accepted: cycle, request: *request, index, call });
    }

    /// A copy stores bytes of a word, beside the ports. Call it before the effects of the cycle.
    pub fn copy(&mut self, index: usize, data: u64, strobe: u8) {
        let store = Request { strobe, ..Request::new(Op::Store, index as u32 * 8).with(data) };
        self.memory.serve(&store);
        self.overwritten(index);
    }

    /// A step of a warp's load or store does on the memory what `step` does, beside the ports: it gives the words that it stores. Call it
    /// before the effects of the cycle.
    pub(crate) fn pass<E>(&mut self, step: impl FnOnce(&mut Memory) -> Result<Vec<usize>, E>) -> Result<(), E> {
        for index in step(&mut self.memory)? {
            self.overwritten(index);
        }
        Ok(())
    }

    /// Something beside the ports has stored in a word.
    fn overwritten(&mut self, index: usize) {
        self.lives[index].live = false;
        // nothing that was done before can be done after it
        let history = &mut self.histories[index];
        history.first += history.calls.len() as u64;
        history.calls.clear();
        history.word = self.memory.word(index);
        self.copied.push(index);
    }

    /// What the model says that a word holds.
    pub fn word(&self, index: usize) -> u64 {
        self.memory.word(index)
    }

    /// What takes effect in a cycle. Call it before the answers of the cycle.
    ///
    /// # Errors
    /// Something takes effect that was not requested, or out of order, or otherwise than expected.
    pub fn effects(&mut self, cycle: u64, effects: &mut Effects) -> Result<(), Box<Failure>> {
        let Effects { done, flips, woken } = effects;
        if self.fabric.is_some() {
            self.woken(cycle, *woken)?;
        } else {
            // in the order in which those of one cycle on one word are done
            done.sort_by_key(|(_, done)| {
                let issued = self.find(done.port, done).map(|position| &self.issued[done.port][position]);
                let op = issued.and_then(|issued| issued.request.operation());
                (done.index, op.map_or(0, rank), done.port)
            });
        }
        // what is suspended in this cycle is not woken in it: it saw what the others did
        let waited: Vec<usize> = self.suspended.iter().map(Vec::len).collect();
        let mut ended = std::mem::take(&mut self.copied);
        let (mut phases, mut completed, mut combined) = (0, Vec::new(), 0u64);
        for position in 0..done.len() {
            let (place, done_here) = done[position];
            let joined = |other: Option<&(usize, Done)>| other.is_some_and(|(_, other)| other.index == done_here.index);
            if joined(done.get(position + 1)) || position.checked_sub(1).is_some_and(|before| joined(done.get(before)))
            {
                self.tally.combined += 1;
                combined |= 1 << done_here.port;
            }
            match self.effect(cycle, place, &done_here)? {
                Effect::Completes(flip) => {
                    if !flips.contains(&flip) {
                        let what = format!("the phase of word {flip} completes, and the unit does not report it");
                        return Err(self.failure(cycle, what, flip));
                    }
                    phases += 1;
                    if !completed.contains(&flip) {
                        completed.push(flip); // a group may complete several phases of its word
                    }
                }
                Effect::Ends(index) => ended.push(index),
                Effect::Other => {}
            }
        }
        for (port, (suspended, waited)) in self.suspended.iter_mut().zip(waited).enumerate() {
            for wait in &mut suspended[..waited] {
                let waited = wait.over.is_none();
                if flips.contains(&wait.waiting.index) {
                    wait.end(cycle, Status::Ok, true);
                    if let Some(fabric) = self.fabric.as_mut().filter(|_| wait.over == Some(cycle)) {
                        fabric.wakes(cycle, wait.waiting.index);
                    }
                } else if ended.contains(&wait.waiting.index) {
                    wait.end(cycle, Status::Invalidated, false);
                } else if cycle >= wait.until {
                    wait.end(cycle + 1, Status::Ok, false); // its time is over
                }
                if let Some(over) = wait.over
                    && waited
                    && holds(&wait.waiting.request)
                {
                    let thread = self.parameters.thread(wait.waiting.request.tag);
                    self.held.insert((port, thread), (wait.waiting.accepted, over));
                }
            }
        }
        if completed.len() != flips.len() {
            let what =
                format!("the unit reports completed phases of words {flips:?}, of which {completed:?} were expected");
            return Err(self.failure(cycle, what, flips[0]));
        }
        self.tally.flips += phases;
        for port in each(combined) {
            self.counted[port].combined += 1;
        }
        Ok(())
    }

    fn failure(&mut self, cycle: u64, what: String, index: usize) -> Box<Failure> {
        let history = &mut self.histories[index];
        let calls = history.calls.make_contiguous().to_vec();
        Box::new(Failure { cycle, what, history: Some((index, history.word, calls)) })
    }

    /// Words that something was done to.
    pub fn touched(&self) -> Vec<usize> {
        let touched = |history: &History| history.first > 0 || !history.calls.is_empty();
        (0..self.histories.len()).filter(|&index| touched(&self.histories[index])).collect()
    }
}
