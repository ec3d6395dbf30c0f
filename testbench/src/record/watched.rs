//! An engine with a recorder beside it, for whoever drives an engine by himself.

use super::Recorder;
use crate::engine::{Done, Engine};
use crate::request::{Request, Response};
use crate::run::Observer;
use crate::scoreboard::each;
use txbar_rtl::parameters::Parameters;

/// An engine whose every cycle is shown to a recorder, if there is one.
pub struct Watched<E> {
    engine: E,
    recorder: Option<Recorder>,
    /// What stands on each port.
    requests: Vec<Request>,
    ready: u64,
    cycle: u64,
}

impl<E: Engine> Watched<E> {
    /// Watches an engine that has been reset, and whose memory is all zero.
    pub fn new(engine: E, recorder: Option<Recorder>) -> Self {
        let requests = vec![Request::NOTHING; engine.parameters().ports];
        Self { engine, recorder, requests, ready: 0, cycle: 0 }
    }

    /// The recorder.
    pub fn into_recorder(self) -> Option<Recorder> {
        self.recorder
    }
}

impl<E: Engine> Engine for Watched<E> {
    fn parameters(&self) -> &Parameters {
        self.engine.parameters()
    }
    fn drive_request(&mut self, port: usize, request: &Request) {
        self.requests[port] = *request;
        self.engine.drive_request(port, request);
    }
    fn drive_valid(&mut self, ports: u64) {
        self.engine.drive_valid(ports);
    }
    fn drive_ready(&mut self, ports: u64) {
        self.ready = ports;
        self.engine.drive_ready(ports);
    }
    fn drive_others(&mut self, stalled: u64, remote_pending: u64) {
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
    fn effect(&self, port: usize) -> Done {
        self.engine.effect(port)
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
    fn clock(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            let (engine, cycle) = (&self.engine, self.cycle);
            recorder.settled(engine, cycle);
            for port in each(engine.accepted()) {
                Observer::<E>::accepted(recorder, cycle, port, &self.requests[port]);
            }
            for port in each(engine.shown() & self.ready) {
                Observer::<E>::answered(recorder, cycle, port, &engine.response(port));
            }
            self.cycle += 1;
        }
        self.engine.clock();
    }
    fn clock_in_reset(&mut self) {
        self.engine.clock_in_reset();
    }
}
