//! An engine whose pins are recorded, cycle by cycle.

use super::{Done, Engine};
use crate::request::{Request, Response};
use crate::wake_masks::Masks;
use txbar_rtl::parameters::Parameters;

/// The wires of one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Reset is held at the clock edge that ends the cycle.
    pub reset: bool,
    /// Ports that request.
    pub valid: u64,
    /// Ports that are ready for an answer.
    pub ready: u64,
    /// Banks that may not be asked.
    pub stalled: u64,
    /// Ports with accesses to other CTAs under way.
    pub remote_pending: u64,
    /// Request at each port.
    pub requests: Vec<Request>,
    /// Ports that are accepted.
    pub accepted: u64,
    /// What each port is shown, if anything.
    pub responses: Vec<Option<Response>>,
    /// What takes effect at each place, if anything.
    pub effects: Vec<Option<Done>>,
    /// The word whose phase completes in each bank, if one does.
    pub flips: Vec<Option<usize>>,
    /// Places of which suspended waits have been woken.
    pub woken: u64,
    /// Ports that take the masks of the wake mask.
    pub takes: u64,
    /// What these show, if they do.
    pub resumed: Vec<Option<Masks>>,
}

/// Receiver of a recording.
pub trait Notes<E> {
    /// A cycle's clock edge comes next, with reset held or not. `driven` has what is driven, and nothing else.
    fn write_down(&mut self, engine: &E, driven: &Row, reset: bool);
}

/// An engine whose every clock edge, and so every cycle, is written down first.
pub struct Recorded<E, N = Vec<Row>> {
    engine: E,
    driven: Row,
    notes: N,
}

impl<E: Engine> Recorded<E> {
    /// Writes down rows; begins with a reset.
    pub fn new(engine: E) -> Self {
        Self::with(engine, Vec::new())
    }
}

impl<E: Engine, N: Notes<E>> Recorded<E, N> {
    /// Writes to `notes`; begins with a reset.
    pub fn with(engine: E, notes: N) -> Self {
        let mut recorded = Self::beside(engine, notes);
        for port in 0..recorded.driven.requests.len() {
            recorded.drive_request(port, &Request::NOTHING);
        }
        recorded.reset();
        recorded
    }

    /// Writes to `notes` from now on; the engine has been reset.
    pub fn beside(engine: E, notes: N) -> Self {
        let (Parameters { ports, banks, .. }, places) = (*engine.parameters(), engine.parameters().effects());
        let driven = Row {
            reset: false,
            valid: 0,
            ready: 0,
            stalled: 0,
            remote_pending: 0,
            requests: vec![Request::NOTHING; ports],
            accepted: 0,
            responses: vec![None; ports],
            effects: vec![None; places],
            flips: vec![None; banks],
            woken: 0,
            takes: 0,
            resumed: vec![None; ports],
        };
        Self { engine, driven, notes }
    }

    /// Recording.
    pub fn into_notes(self) -> N {
        self.notes
    }
}

impl<E: Engine> Notes<E> for Vec<Row> {
    fn write_down(&mut self, engine: &E, driven: &Row, reset: bool) {
        let (shown, done, flips) = (engine.shown(), engine.done(), engine.flips());
        let mut row = driven.clone();
        row.reset = reset;
        row.accepted = engine.accepted();
        for (port, response) in row.responses.iter_mut().enumerate() {
            *response = (shown >> port & 1 != 0).then(|| engine.response(port));
        }
        for (place, effect) in row.effects.iter_mut().enumerate() {
            *effect = (done >> place & 1 != 0).then(|| engine.effect(place));
        }
        for (bank, flip) in row.flips.iter_mut().enumerate() {
            *flip = (flips >> bank & 1 != 0).then(|| engine.flip_index(bank));
        }
        row.woken = engine.woken();
        let resuming = engine.resuming();
        for (port, masks) in row.resumed.iter_mut().enumerate() {
            *masks = (resuming >> port & 1 != 0).then(|| engine.resumed(port));
        }
        self.push(row);
    }
}

impl<E: Engine, N: Notes<E>> Engine for Recorded<E, N> {
    fn parameters(&self) -> &Parameters {
        self.engine.parameters()
    }
    fn drive_request(&mut self, port: usize, request: &Request) {
        self.driven.requests[port] = *request;
        self.engine.drive_request(port, request);
    }
    fn drive_valid(&mut self, ports: u64) {
        self.driven.valid = ports;
        self.engine.drive_valid(ports);
    }
    fn drive_ready(&mut self, ports: u64) {
        self.driven.ready = ports;
        self.engine.drive_ready(ports);
    }
    fn drive_others(&mut self, stalled: u64, remote_pending: u64) {
        (self.driven.stalled, self.driven.remote_pending) = (stalled, remote_pending);
        self.engine.drive_others(stalled, remote_pending);
    }
    fn settle(&mut self) {
        self.engine.settle();
    }
    fn accepted(&self) -> u64 {
        self.engine.accepted()
    }
    fn shown(&self) -> u64 {
        self.engine.shown()
    }
    fn response(&self, port: usize) -> Response {
        self.engine.response(port)
    }
    fn done(&self) -> u64 {
        self.engine.done()
    }
    fn effect(&self, place: usize) -> Done {
        self.engine.effect(place)
    }
    fn flips(&self) -> u64 {
        self.engine.flips()
    }
    fn flip_index(&self, bank: usize) -> usize {
        self.engine.flip_index(bank)
    }
    fn woken(&self) -> u64 {
        self.engine.woken()
    }
    fn drive_takes(&mut self, ports: u64) {
        self.driven.takes = ports;
        self.engine.drive_takes(ports);
    }
    fn resuming(&self) -> u64 {
        self.engine.resuming()
    }
    fn resumed(&self, port: usize) -> Masks {
        self.engine.resumed(port)
    }
    fn clock(&mut self) {
        self.notes.write_down(&self.engine, &self.driven, false);
        self.engine.clock();
    }
    fn clock_in_reset(&mut self) {
        self.notes.write_down(&self.engine, &self.driven, true);
        self.engine.clock_in_reset();
    }
}
