//! Engines: cycle-accurate implementations of the unit. One test body runs on all of them.

mod build;
pub mod compiled;
pub mod flow;
pub mod library;
mod netlist;
pub mod pins;
mod places;
pub mod recorded;
pub mod replay;
pub mod rtl;
mod shelf;
pub mod watched;

use crate::check::Target;
use crate::request::{Request, Response};
use crate::wake_masks::Masks;
use std::collections::VecDeque;
use std::fmt;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;

/// A request takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Done {
    /// Port that it came from.
    pub port: usize,
    /// Tag of the request.
    pub tag: u16,
    /// How it ends, as a status code; what was posted, too.
    pub status: u8,
    /// Number of the word that its address names.
    pub index: usize,
    /// The request is a wait that is suspended: its answer comes later.
    pub suspended: bool,
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { tag, status, index, suspended, .. } = *self;
        let status = Status::from_code(status as u64).map_or("no status", Status::name);
        write!(f, "{status} on word {index} (tag {tag}){}", if suspended { ", suspended" } else { "" })
    }
}

/// The unit's wires, one clock cycle at a time:
///
/// ```text
///   drive_request, drive_valid, ... ─► settle ─► accepted, shown, response, ... ─► clock
/// ```
/// What is driven stays until it is driven anew.
pub trait Engine {
    /// What the unit was built for.
    fn parameters(&self) -> &Parameters;
    /// Puts a request on a port.
    fn drive_request(&mut self, port: usize, request: &Request);
    /// Ports whose request is valid, a bit each.
    fn drive_valid(&mut self, ports: u64);
    /// Ports that are ready for an answer, a bit each.
    fn drive_ready(&mut self, ports: u64);
    /// What others do: banks that may not be asked, and ports with accesses to other CTAs under way, a bit each.
    fn drive_others(&mut self, stalled: u64, remote_pending: u64);
    /// Lets the combinational logic settle.
    fn settle(&mut self);
    /// Ports whose request is accepted in this cycle (`req_ready`).
    fn accepted(&self) -> u64;
    /// Ports that show an answer in this cycle (`rsp_valid`).
    fn shown(&self) -> u64;
    /// The answer that a port shows.
    fn response(&self, port: usize) -> Response;
    /// Places at which a request takes effect in this cycle (`done_valid`): ports; in a high-clock unit, banks.
    fn done(&self) -> u64;
    /// What takes effect at a place.
    fn effect(&self, place: usize) -> Done;
    /// Banks in which a phase completes in this cycle (`flip_valid`).
    fn flips(&self) -> u64;
    /// The word whose phase completes in a bank.
    fn flip_index(&self, bank: usize) -> usize;
    /// Places of which suspended waits were woken in the cycle before (`wake_valid`).
    fn woken(&self) -> u64;
    /// Ports that take the masks that tell which of their suspended waits are over, a bit each (`resume_ready`). Without the wake
    /// mask nobody looks at it.
    fn drive_takes(&mut self, ports: u64);
    /// Ports that show such masks in this cycle (`resume_valid`); none without the wake mask.
    fn resuming(&self) -> u64;
    /// The masks of a port that does.
    fn resumed(&self, port: usize) -> Masks;
    /// The clock edge.
    fn clock(&mut self);
    /// A clock edge with reset held.
    fn clock_in_reset(&mut self);

    /// Resets the unit: two cycles of reset, and one more after which it accepts requests.
    fn reset(&mut self) {
        self.drive_valid(0);
        self.drive_ready(0);
        self.drive_takes(0);
        self.drive_others(0, 0);
        for _ in 0..2 {
            self.settle();
            self.clock_in_reset();
        }
        self.settle();
        self.clock();
    }

    /// Runs `cycles` cycles at full load: every port always requests, taking its requests from `stimulus` in turn and
    /// over again, and is always ready. Gives a digest of all answers. This is what benchmarks time, so an engine that
    /// runs elsewhere may do the whole loop there.
    fn saturate(&mut self, stimulus: &[Vec<Request>], cycles: u64) -> u64 {
        let all = (1 << self.parameters().ports) - 1;
        let mut position = vec![0; stimulus.len()];
        self.drive_valid(all);
        self.drive_ready(all);
        self.drive_takes(all);
        for (port, requests) in stimulus.iter().enumerate() {
            self.drive_request(port, &requests[0]);
        }
        let mut digest = 0u64;
        for _ in 0..cycles {
            self.settle();
            let (mut accepted, mut shown) = (self.accepted(), self.shown());
            while shown != 0 {
                let answer = self.response(shown.trailing_zeros() as usize);
                digest = digest.rotate_left(5) ^ answer.data ^ answer.status as u64;
                shown &= shown - 1;
            }
            self.clock();
            while accepted != 0 {
                let port = accepted.trailing_zeros() as usize;
                accepted &= accepted - 1;
                position[port] += 1;
                if position[port] == stimulus[port].len() {
                    position[port] = 0;
                }
                self.drive_request(port, &stimulus[port][position[port]]);
            }
        }
        digest
    }
}

/// Serves requests on port 0 of an engine, as fast as it takes them. A fabric is given tags that tell the answers apart, which
/// may come in another order there.
pub struct Serial<E>(pub E);

/// Cycles without an answer after which none is awaited any more.
const PATIENCE: usize = 1000;

impl<E: Engine> Target for Serial<E> {
    fn words(&self) -> usize {
        self.0.parameters().words
    }

    fn serve(&mut self, requests: &[Request]) -> Vec<Option<Response>> {
        let engine = &mut self.0;
        let parameters = *engine.parameters();
        let tag = |number: usize| match parameters.is_banked() {
            true => (number & ((1 << parameters.tag_bits) - 1)) as u16,
            false => requests[number].tag,
        };
        let mut responses = vec![None; requests.len()];
        let (mut next, mut waiting, mut idle) = (0, VecDeque::new(), 0);
        while (next < requests.len() || !waiting.is_empty()) && idle < PATIENCE {
            idle += 1;
            if let Some(request) = requests.get(next) {
                engine.drive_request(0, &request.tagged(tag(next)));
            }
            engine.drive_valid((next < requests.len()) as u64);
            engine.drive_ready(1);
            engine.settle();
            if engine.shown() & 1 != 0 {
                let response = engine.response(0);
                let due = |number: &usize| !parameters.is_banked() || tag(*number) == response.tag;
                if let Some(number) = waiting.iter().position(due).and_then(|place| waiting.remove(place)) {
                    let tag = if parameters.is_banked() { requests[number].tag } else { response.tag };
                    responses[number] = Some(Response { tag, ..response });
                    idle = 0;
                }
            }
            engine.drive_takes(1);
            if engine.resuming() & 1 != 0 {
                let masks = engine.resumed(0);
                let answer = |number: usize| {
                    let is_wait = requests[number].limit_ns().is_some();
                    masks.answer(parameters.thread(requests[number].tag)).filter(|_| is_wait)
                };
                while let Some(place) = waiting.iter().position(|number| answer(*number).is_some()) {
                    let number = waiting.remove(place).expect("it was found there");
                    let (status, predicate) = answer(number).expect("it was found");
                    let (tag, status) = (requests[number].tag, status.code());
                    responses[number] = Some(Response { tag, status, predicate, data: 0, resumed: true });
                    idle = 0;
                }
            }
            if engine.accepted() & 1 != 0 {
                if !requests[next].is_posted() {
                    waiting.push_back(next);
                }
                next += 1;
                idle = 0;
            }
            engine.clock();
        }
        responses
    }
}
