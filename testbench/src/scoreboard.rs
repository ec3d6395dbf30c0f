//! The scoreboard: says whether what the unit did has an explanation.
//!
//! The unit tells when each request takes effect (`done_valid`). That is a witness of an order: requests are replayed on
//! the reference model in it, and every status, answer and completed phase is compared with the one foretold. Since a
//! request takes effect after it was accepted and before it is answered, and those of one port on one word must do so in
//! the order in which the port made them, an order that explains everything makes the run linearizable.
//!
//! Waits that are suspended are followed, too: each must be woken by the next completion of its phase, turned out by what
//! ends its barrier, or given up when its time is over, whichever comes first; and none may be suspended, or answered at
//! once, but as the room in its port's table allows.
//!
//! If an answer differs, the calls on its word are searched for any other order that explains them ([`linearize`]), so
//! that a unit whose witness is wrong, but whose answers are right, is not blamed for these. Calls that were over before
//! all open ones began are taken in the order foretold, which keeps the search short.

use crate::checked::{Deed, Life, Remark};
use crate::counted::Counted;
use crate::engine::{Done, Engine};
use crate::linearize::{self, Call};
use crate::model::{Fault, Memory, Outcome, serve};
use crate::request::{Request, Response};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::{Contents, PHASE};

/// Something that no order of the operations explains, or that the protocol forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Cycle in which it was seen.
    pub cycle: u64,
    /// What was seen.
    pub what: String,
    /// The calls on the word that it is about, since the word was last quiet, and the word before them.
    pub history: Option<(usize, u64, Vec<Call>)>,
}

impl Failure {
    /// What is seen begins with this if a run is stuck.
    pub(crate) const STUCK: &str = "nothing has happened";

    /// Whether the run is stuck.
    pub fn is_hang(&self) -> bool {
        self.what.starts_with(Self::STUCK)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "cycle {}: {}", self.cycle, self.what)?;
        let Some((index, word, calls)) = &self.history else { return Ok(()) };
        write!(f, "\n  word {index} was {word:016x} ({})", Contents::from(*word))?;
        for call in calls {
            write!(f, "\n  cycle {:>6} port {}: {}", call.accepted, call.port, call.request)?;
            if let Some(done) = call.done {
                write!(f, "  done in {done}")?;
            }
            match &call.answered {
                Some((cycle, response)) => write!(f, "  -> cycle {cycle}: {response}")?,
                None => write!(f, "  -> no answer")?,
            }
        }
        Ok(())
    }
}

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
                self.over = Some(self.until); // with what was foretold when it began: not yet
            }
        }
    }
}

/// The calls on a word that may still be reordered.
#[derive(Clone, Debug, Default)]
struct History {
    /// The word before them.
    word: u64,
    /// Number of the first.
    first: u64,
    calls: VecDeque<Call>,
}

/// How many calls a history may hold before it is looked through for some that are over.
const TRIM_AT: usize = 64;

impl History {
    fn push(&mut self, call: Call, bytes: usize) -> u64 {
        if self.calls.len() >= TRIM_AT {
            self.trim(call.accepted, bytes);
        }
        self.calls.push_back(call);
        self.first + self.calls.len() as u64 - 1
    }

    fn call(&mut self, number: u64) -> Option<&mut Call> {
        self.calls.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// Takes the calls for granted that were over before the first open one began.
    fn trim(&mut self, now: u64, bytes: usize) {
        let over = |call: &Call| match call.answered {
            Some((cycle, _)) => Some(cycle),
            None => call.done.filter(|_| call.request.is_posted()),
        };
        let open = self.calls.iter().find(|call| over(call).is_none()).map_or(now, |call| call.accepted);
        let kept = self.calls.iter().position(|call| over(call).is_none_or(|cycle| cycle >= open));
        let mut gone: Vec<Call> = self.calls.drain(..kept.unwrap_or(self.calls.len())).collect();
        self.first += gone.len() as u64;
        gone.sort_by_key(|call| (call.done, rank_of(call), call.port));
        for call in gone {
            self.word = serve(self.word, &call.request, bytes).0;
        }
    }
}

/// What the scoreboard has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests accepted.
    pub accepted: u64,
    /// Requests that faulted, as foretold.
    pub faults: u64,
    /// Phases completed.
    pub flips: u64,
    /// Requests that took effect together with another on the same word.
    pub combined: u64,
    /// Waits that were suspended.
    pub suspended: u64,
    /// Waits that would have been suspended, had there been room.
    pub turned_away: u64,
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

/// How many remarks of checked mode are kept; all are counted.
const REMARKS_KEPT: usize = 20;

/// What a request did besides its answer.
enum Effect {
    /// It completed the phase of a word.
    Completes(usize),
    /// It ended or replaced the barrier in a word.
    Ends(usize),
    /// Nothing.
    Other,
}

/// Compares a unit with the reference model, request by request.
#[derive(Clone)]
pub struct Scoreboard {
    bytes: usize,
    memory: Memory,
    issued: Vec<VecDeque<Issued>>,
    waiting: Vec<VecDeque<Waiting>>,
    /// By port, in the order in which they began.
    suspended: Vec<Vec<Suspended>>,
    parameters: Parameters,
    /// Of the last acquire wait of a port and thread that is over: when it was accepted, and until when it held others.
    held: HashMap<(usize, u16), (u64, u64)>,
    histories: Vec<History>,
    counted: Vec<Counted>,
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
    /// Requests that take effect, with their ports.
    pub done: Vec<(usize, Done)>,
    /// Words whose phase completes.
    pub flips: Vec<usize>,
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
        self.done.extend(each(engine.done()).map(|port| (port, engine.effect(port))));
        self.flips.clear();
        self.flips.extend(each(engine.flips()).map(|bank| engine.flip_index(bank)));
    }
}

impl Scoreboard {
    /// A scoreboard for a unit with these parameters, whose memory is all zero.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ports, words, .. } = *parameters;
        Self {
            suspended: vec![Vec::new(); ports],
            parameters: *parameters,
            bytes: words * 8,
            memory: Memory::new(words),
            issued: vec![VecDeque::new(); ports],
            waiting: vec![VecDeque::new(); ports],
            held: HashMap::new(),
            histories: vec![History::default(); words],
            counted: vec![Counted::NOTHING; ports],
            lives: vec![Life::default(); words],
            remarks: Vec::new(),
            flipped: 0,
            copied: Vec::new(),
            tally: Tally::default(),
        }
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

    /// Answers that a port waits for, without those of suspended waits.
    pub fn outstanding(&self, port: usize) -> usize {
        self.issued[port].iter().filter(|issued| !issued.request.is_posted()).count() + self.waiting[port].len()
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
        self.issued[port].push_back(Issued { accepted: cycle, request: *request, index, call });
    }

    /// A copy stores bytes of a word, beside the ports. Call it before the effects of the cycle.
    pub fn copy(&mut self, index: usize, data: u64, strobe: u8) {
        let store = Request { strobe, ..Request::new(Op::Store, index as u32 * 8).with(data) };
        self.memory.serve(&store);
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
    /// Something takes effect that was not requested, or out of order, or otherwise than foretold.
    pub fn effects(&mut self, cycle: u64, effects: &mut Effects) -> Result<(), Box<Failure>> {
        let Effects { done, flips } = effects;
        // in the order in which those of one cycle on one word are done
        done.sort_by_key(|(port, done)| {
            let issued = self.find(*port, done).map(|position| &self.issued[*port][position]);
            let op = issued.and_then(|issued| issued.request.operation());
            (done.index, op.map_or(0, rank), *port)
        });
        // what is suspended in this cycle is not woken in it: it saw what the others did
        let waited: Vec<usize> = self.suspended.iter().map(Vec::len).collect();
        let mut ended = std::mem::take(&mut self.copied);
        let (mut completed, mut combined) = (0, 0u64);
        for position in 0..done.len() {
            let (port, done_here) = done[position];
            let joined = |other: Option<&(usize, Done)>| other.is_some_and(|(_, other)| other.index == done_here.index);
            if joined(done.get(position + 1)) || position.checked_sub(1).is_some_and(|before| joined(done.get(before)))
            {
                self.tally.combined += 1;
                combined |= 1 << port;
            }
            match self.effect(cycle, port, &done_here)? {
                Effect::Completes(flip) => {
                    if !flips.contains(&flip) {
                        let what = format!("the phase of word {flip} completes, and the unit does not report it");
                        return Err(self.failure(cycle, what, flip));
                    }
                    completed += 1;
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
        if completed != flips.len() {
            let what =
                format!("the unit reports completed phases of words {flips:?}, of which {completed} were foretold");
            return Err(self.failure(cycle, what, flips[0]));
        }
        self.tally.flips += completed as u64;
        for port in each(combined) {
            self.counted[port].combined += 1;
        }
        Ok(())
    }

    /// Whether a request may be kept waiting by acquire waits: of its own thread, or of those of requests ahead of it.
    pub fn may_be_held(&self, port: usize, tag: u16) -> bool {
        let issued = || self.issued[port].iter();
        let waits = |tag: u16| {
            let thread = self.parameters.thread(tag);
            let of_thread = |request: &Request| self.parameters.thread(request.tag) == thread && holds(request);
            issued().any(|issued| of_thread(&issued.request))
                || self.suspended[port].iter().any(|wait| wait.over.is_none() && of_thread(&wait.waiting.request))
        };
        self.parameters.waiters > 0 && (waits(tag) || issued().any(|issued| waits(issued.request.tag)))
    }

    /// The request of a port that an effect belongs to: the first of its tag on its word.
    fn find(&self, port: usize, done: &Done) -> Option<usize> {
        self.issued[port].iter().position(|issued| (issued.request.tag, issued.index) == (done.tag, done.index))
    }

    /// What is wrong with a request of a port taking effect now, before those that the port made earlier.
    fn disorder(&self, port: usize, position: usize, cycle: u64) -> Option<String> {
        let younger = &self.issued[port][position];
        let thread = |tag: u16| self.parameters.thread(tag);
        let suspended = || self.suspended[port].iter().filter(|wait| holds(&wait.waiting.request));
        let overtaken = suspended().find(|wait| {
            let Waiting { request, accepted, .. } = &wait.waiting;
            let of_thread = thread(request.tag) == thread(younger.request.tag) && *accepted < younger.accepted;
            of_thread && wait.over.is_none_or(|over| over >= cycle)
        });
        if let Some(wait) = overtaken {
            return Some(format!(
                "`{}` of port {port} takes effect before `{}`, which acquires, is over",
                younger.request, wait.waiting.request
            ));
        }
        // what has taken effect stays where it is, and holds others, while the unit stands still
        let standstill = self.parameters.ports as u64 + 1;
        for older in self.issued[port].range(..position) {
            let (first, second) = (&older.request.order.semantics, &younger.request.order.semantics);
            let banks = self.parameters.banks;
            let same_thread = thread(older.request.tag) == thread(younger.request.tag);
            let free = older.index % banks != younger.index % banks
                && older.request.tag != younger.request.tag
                && !first.acquires()
                && !second.releases()
                && !(holds(&younger.request) && same_thread);
            let is_held = || {
                let waits = |wait: &Suspended| {
                    let Waiting { request, accepted, .. } = &wait.waiting;
                    thread(request.tag) == thread(older.request.tag) && *accepted < older.accepted
                };
                let until = self.held.get(&(port, thread(older.request.tag)));
                suspended().any(waits)
                    || until
                        .is_some_and(|(began, over)| *began < older.accepted && over + standstill >= younger.accepted)
            };
            if !free && (same_thread || !is_held()) {
                return Some(format!(
                    "`{}` of port {port} takes effect before `{}`, which came earlier",
                    younger.request, older.request
                ));
            }
        }
        None
    }

    fn failure(&mut self, cycle: u64, what: String, index: usize) -> Box<Failure> {
        let history = &mut self.histories[index];
        let calls = history.calls.make_contiguous().to_vec();
        Box::new(Failure { cycle, what, history: Some((index, history.word, calls)) })
    }

    /// A request takes effect.
    fn effect(&mut self, cycle: u64, port: usize, done: &Done) -> Result<Effect, Box<Failure>> {
        let Some(position) = self.find(port, done) else {
            let due = self.issued[port].front().map_or("nothing".to_owned(), |issued| issued.request.to_string());
            let what = format!("port {port} is told of an effect that it did not ask for: {done}; due was {due}");
            return Err(Box::new(Failure { cycle, what, history: None }));
        };
        if let Some(what) = self.disorder(port, position, cycle) {
            return Err(self.failure(cycle, what, done.index));
        }
        let Some(Issued { accepted, request, index, call }) = self.issued[port].remove(position) else {
            unreachable!("it was found there")
        };
        let before = self.memory.word(index);
        let mut outcome = self.memory.serve(&request);
        if let Some(number) = request.register().filter(|_| self.parameters.counters && request.address % 8 == 0) {
            let answer = Response { tag: request.tag, status: 0, predicate: false, data: 0, resumed: false };
            let data = self.counted[port].register(number, cycle, self.flipped);
            outcome = Outcome { response: Some(Response { data, ..answer }), fault: None };
        }
        let silicon = outcome.fault.map_or(Status::Ok, Fault::status);
        let completed = PHASE.of(before ^ self.memory.word(index)) != 0
            && !matches!(request.operation(), Some(Op::Store | Op::Init | Op::Inval));
        let status = if self.parameters.checked {
            let waited = self.suspended.iter().flatten().any(|wait| wait.over.is_none() && wait.waiting.index == index);
            let predicate = outcome.response.is_some_and(|answer| answer.predicate);
            let op = request.operation();
            self.lives[index].judge(Deed { op, status: silicon, predicate, completes: completed, waited })
        } else {
            silicon
        };
        if let Some(answer) = &mut outcome.response {
            answer.status = status.code();
        }
        if status.is_remark() {
            self.tally.remarks += 1;
            if self.remarks.len() < REMARKS_KEPT {
                self.remarks.push(Remark {
                    status: status.name(),
                    word: index,
                    phase: PHASE.of(before) as u8,
                    port,
                    tag: request.tag,
                    cycle,
                    request: request.to_string(),
                });
            }
        }
        let counted = &mut self.counted[port];
        counted.operations[usize::from(request.op)] += 1;
        counted.faults += (status != Status::Ok) as u64;
        if let Some(call) = self.histories[index].call(call) {
            call.done = Some(cycle);
        }
        if done.status != status.code() {
            let what = format!("port {port} is told of `{done}` where {} was foretold of `{request}`", status.name());
            return Err(self.failure(cycle, what, index));
        }
        self.tally.faults += outcome.fault.is_some() as u64;
        let limit = request.limit_ns().filter(|limit| *limit > 0);
        let limit = limit.filter(|_| outcome.response.is_some_and(|answer| answer.status == 0 && !answer.predicate));
        let suspends = limit.is_some() && self.suspended[port].len() < self.parameters.entries();
        if suspends != done.suspended {
            let entries = self.parameters.entries();
            let what = format!(
                "`{request}` of port {port} is{} suspended, where {} of {entries} entries are taken",
                if done.suspended { "" } else { " not" },
                self.suspended[port].len(),
            );
            return Err(self.failure(cycle, what, index));
        }
        if let Some(expected) = outcome.response {
            let mut waiting = Waiting { accepted, request, expected, index, call };
            match limit {
                Some(limit) if suspends => {
                    waiting.expected.resumed = true;
                    let until = cycle + self.parameters.limit_cycles(limit);
                    self.suspended[port].push(Suspended { waiting, until, over: None });
                    self.tally.suspended += 1;
                    self.counted[port].suspended += 1;
                }
                _ => {
                    if holds(&request) {
                        self.held.insert((port, self.parameters.thread(request.tag)), (accepted, cycle));
                    }
                    self.waiting[port].push_back(waiting);
                }
            }
            self.tally.turned_away += (limit.is_some() && !suspends) as u64;
            self.counted[port].turned_away += (limit.is_some() && !suspends && self.parameters.waiters > 0) as u64;
        }
        if outcome.fault.is_none() && matches!(request.operation(), Some(Op::Store | Op::Init | Op::Inval)) {
            return Ok(Effect::Ends(index));
        }
        Ok(if completed { Effect::Completes(index) } else { Effect::Other })
    }

    /// An answer is taken. Gives the request that it belongs to.
    ///
    /// # Errors
    /// Nothing explains it.
    pub fn answer(&mut self, cycle: u64, port: usize, response: &Response) -> Result<Request, Box<Failure>> {
        // the port's queue and its table of waits answer independently
        let fits = |waiting: &Waiting| response.agrees_with(&waiting.expected);
        let woken = self.suspended[port]
            .iter()
            .position(|suspended| suspended.over.is_some_and(|over| over < cycle) && fits(&suspended.waiting));
        if response.resumed {
            let Some(position) = woken else { return Err(self.unforeseen(cycle, port, response)) };
            let Suspended { waiting, over, .. } = self.suspended[port].remove(position);
            if waiting.expected.predicate {
                self.tally.woken += 1;
                self.counted[port].woken += 1;
                count(&mut self.tally.wake_latency, cycle - over.unwrap_or(cycle));
            }
            if let Some(call) = self.histories[waiting.index].call(waiting.call) {
                call.answered = Some((cycle, *response));
            }
            return Ok(waiting.request);
        }
        let Some(waiting) = self.waiting[port].pop_front() else {
            return Err(self.unforeseen(cycle, port, response));
        };
        let history = &mut self.histories[waiting.index];
        if let Some(call) = history.call(waiting.call) {
            call.answered = Some((cycle, *response));
        }
        count(&mut self.tally.latency, cycle - waiting.accepted);
        if response.agrees_with(&waiting.expected) {
            return Ok(waiting.request);
        }
        let calls = history.calls.make_contiguous();
        // what a register shows does not follow from any order of the calls on a word
        // nor does what checked mode says
        let is_about_word = waiting.request.register().is_none() && !self.parameters.checked;
        if is_about_word && linearize::explain(history.word, calls, self.bytes).is_ok() {
            return Ok(waiting.request);
        }
        let what = format!(
            "port {port} is given `{response}` where `{}` was foretold, and no order of the calls on word {} explains it",
            waiting.expected, waiting.index
        );
        Err(self.failure(cycle, what, waiting.index))
    }

    /// An answer that nobody waits for.
    fn unforeseen(&self, cycle: u64, port: usize, response: &Response) -> Box<Failure> {
        let waits: Vec<String> = self.suspended[port]
            .iter()
            .map(|suspended| {
                let Suspended { waiting, until, over } = suspended;
                match over {
                    Some(over) => format!("`{}` is over since {over}: `{}`", waiting.request, waiting.expected),
                    None => format!("`{}` is suspended until {until}", waiting.request),
                }
            })
            .collect();
        let known = if waits.is_empty() { String::new() } else { format!("; {}", waits.join("; ")) };
        let what = format!("port {port} is given an answer that it did not ask for: {response}{known}");
        Box::new(Failure { cycle, what, history: None })
    }

    /// Words that something was done to.
    pub fn touched(&self) -> Vec<usize> {
        let touched = |history: &History| history.first > 0 || !history.calls.is_empty();
        (0..self.histories.len()).filter(|&index| touched(&self.histories[index])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scoreboard(ports: usize) -> Scoreboard {
        Scoreboard::new(&Parameters { ports, banks: 1, words: 16, ..Parameters::default() })
    }

    fn ok(data: u64) -> Response {
        Response { tag: 0, status: 0, predicate: false, data, resumed: false }
    }

    /// One request takes effect, with status ok.
    fn takes_effect(scoreboard: &mut Scoreboard, cycle: u64, port: usize, index: usize) -> Result<(), Box<Failure>> {
        let mut effects =
            Effects { done: vec![(port, Done { tag: 0, status: 0, index, suspended: false })], flips: vec![] };
        scoreboard.effects(cycle, &mut effects)
    }

    #[test]
    fn answers_are_foretold() {
        let mut scoreboard = scoreboard(2);
        scoreboard.accept(0, 0, &Request::new(Op::Init, 8).with(1));
        scoreboard.accept(1, 1, &Request::new(Op::Arrive, 8).with(1));
        assert_eq!(takes_effect(&mut scoreboard, 4, 0, 1), Ok(()));
        assert!(scoreboard.answer(5, 0, &ok(0)).is_ok());
        let done = |flips| Effects { done: vec![(1, Done { tag: 0, status: 0, index: 1, suspended: false })], flips };
        assert!(scoreboard.clone().effects(5, &mut done(vec![])).is_err(), "the arrival completes the phase");
        assert!(scoreboard.clone().effects(5, &mut done(vec![1, 2])).is_err(), "and no other");
        assert_eq!(scoreboard.effects(5, &mut done(vec![1])), Ok(()));
        assert!(scoreboard.answer(6, 1, &ok(0x7ffff800_00000000)).is_ok());
        assert!(scoreboard.is_idle());
        assert_eq!(scoreboard.tally().latency, [0, 0, 0, 0, 0, 2]);
        assert_eq!(scoreboard.touched(), [1]);
    }

    #[test]
    fn those_of_one_cycle_come_in_the_order_of_their_kinds() {
        let mut scoreboard = scoreboard(2);
        scoreboard.accept(0, 0, &Request::new(Op::Init, 0).with(1));
        assert_eq!(takes_effect(&mut scoreboard, 4, 0, 0), Ok(()));
        assert!(scoreboard.answer(5, 0, &ok(0)).is_ok());
        scoreboard.accept(1, 0, &Request::new(Op::TestWaitParity, 0));
        scoreboard.accept(1, 1, &Request::new(Op::Arrive, 0).with(1));
        let done = |port| (port, Done { tag: 0, status: 0, index: 0, suspended: false });
        assert_eq!(scoreboard.effects(5, &mut Effects { done: vec![done(0), done(1)], flips: vec![0] }), Ok(()));
        assert!(scoreboard.answer(6, 0, &Response { predicate: true, ..ok(0) }).is_ok(), "the wait is last");
        assert_eq!(scoreboard.tally().combined, 2);
    }

    #[test]
    fn another_order_is_an_explanation_too() {
        let mut scoreboard = scoreboard(2);
        scoreboard.accept(0, 0, &Request::new(Op::Store, 0).with(7));
        scoreboard.accept(1, 1, &Request::new(Op::Load, 0));
        assert_eq!(takes_effect(&mut scoreboard, 4, 0, 0), Ok(()));
        assert_eq!(takes_effect(&mut scoreboard, 5, 1, 0), Ok(()));
        assert!(scoreboard.answer(6, 1, &ok(0)).is_ok(), "the load may have come first");
        assert!(scoreboard.answer(7, 0, &ok(0)).is_ok());
    }

    #[test]
    fn what_nothing_explains_is_reported_with_its_history() {
        let mut scoreboard = scoreboard(2);
        scoreboard.accept(0, 0, &Request::new(Op::Store, 0).with(7));
        assert_eq!(takes_effect(&mut scoreboard, 4, 0, 0), Ok(()));
        assert!(scoreboard.answer(5, 0, &ok(0)).is_ok());
        scoreboard.accept(6, 1, &Request::new(Op::Load, 0));
        assert_eq!(takes_effect(&mut scoreboard, 10, 1, 0), Ok(()));
        let failure = scoreboard.answer(11, 1, &ok(0)).expect_err("the store was over");
        let text = failure.to_string();
        assert!(
            text.starts_with("cycle 11: port 1 is given `ok, predicate 0, data 0000000000000000 (tag 0)`"),
            "{text}"
        );
        assert!(text.contains("cycle      6 port 1: load relaxed @0x0 (tag 0)  done in 10"), "{text}");
        assert!(scoreboard.answer(12, 1, &ok(0)).expect_err("nothing is asked").what.contains("did not ask for"));
    }

    #[test]
    fn effects_are_foretold() {
        let mut scoreboard = scoreboard(1);
        assert!(takes_effect(&mut scoreboard, 4, 0, 0).is_err(), "nothing was asked");
        scoreboard.accept(0, 0, &Request::new(Op::Arrive, 0).with(1).tagged(9));
        let with = |tag, status: Status, index| {
            scoreboard.clone().effects(
                4,
                &mut Effects {
                    done: vec![(0, Done { tag, status: status.code(), index, suspended: false })],
                    flips: vec![],
                },
            )
        };
        assert!(with(9, Status::Ok, 0).is_err(), "nothing is pending");
        assert!(with(8, Status::PendingUnderflow, 0).is_err() && with(9, Status::PendingUnderflow, 1).is_err());
        assert_eq!(with(9, Status::PendingUnderflow, 0), Ok(()));
    }

    #[test]
    fn histories_stay_short() {
        let mut scoreboard = scoreboard(1);
        for cycle in 0..10_000u64 {
            scoreboard.accept(cycle, 0, &Request::new(Op::Load, 0));
            if cycle >= 4 {
                takes_effect(&mut scoreboard, cycle, 0, 0).unwrap();
            }
            if cycle >= 5 {
                scoreboard.answer(cycle, 0, &ok(0)).unwrap();
            }
        }
        assert!(scoreboard.histories[0].calls.len() <= TRIM_AT);
        assert!(scoreboard.histories[0].first > 9000);
    }
}
