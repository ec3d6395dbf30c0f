//! Checks a unit that other code simulates and drives, from its pins: for testbenches in other languages.

use super::places::Places;
use super::{Done, Engine};
use crate::coverage::{Coverage, Covered};
use crate::request::{Request, Response};
use crate::wake_masks::Masks;
use crate::watch::{Driven, Event, Watch};
use std::cell::RefCell;
use std::collections::HashMap;
use txbar_rtl::parameters::Parameters;

/// The pins of a cycle. They are only read: what is driven is what somebody else drives.
struct Seen {
    parameters: Parameters,
    places: Places,
    values: Vec<u64>,
}

/// A unit, and what is expected of it.
pub struct Watched {
    seen: Seen,
    numbers: HashMap<String, usize>,
    watch: Watch,
    coverage: Coverage,
}

impl Watched {
    /// A unit whose memory is all zero and that has not been reset.
    pub fn new(parameters: Parameters) -> Self {
        let numbers = RefCell::new(HashMap::new());
        let places = Places::new(&parameters, |name| {
            let mut numbers = numbers.borrow_mut();
            let next = numbers.len();
            *numbers.entry(name.to_owned()).or_insert(next)
        });
        let numbers = numbers.into_inner();
        let seen = Seen { parameters, places, values: vec![0; numbers.len()] };
        Self { seen, numbers, watch: Watch::new(&parameters), coverage: Coverage::default() }
    }

    /// The number of a pin, if it is one that is looked at.
    pub fn pin(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The value of a pin in this cycle; it stays until the next is given.
    pub fn set(&mut self, pin: usize, value: u64) {
        if let Some(there) = self.seen.values.get_mut(pin) {
            *there = value;
        }
    }

    /// A clock edge. With reset held everything but the memory begins anew.
    ///
    /// # Errors
    /// What is wrong in the cycle that ends here, in words.
    pub fn clock(&mut self, reset: bool) -> Result<(), String> {
        if reset {
            self.watch.reset();
            self.coverage.reset();
            return Ok(());
        }
        let Seen { places, values, .. } = &self.seen;
        let value = |pin: usize| values[pin];
        let driven = Driven {
            valid: value(places.req_valid),
            ready: value(places.rsp_ready),
            stalled: value(places.bank_stall),
            remote_pending: value(places.remote_pending),
            takes: places.resumes.as_ref().map_or(0, |resumes| value(resumes.ready)),
        };
        let request = |port: usize| (driven.valid >> port & 1 != 0).then(|| places.request(port, value));
        let mut accepted = Vec::new();
        let checked = self.watch.cycle(&self.seen, driven, request, |_, port, event| {
            if let Event::Accepted(request) = event {
                accepted.push((port, *request));
            }
        });
        checked.map_err(|failure| failure.to_string())?;
        self.coverage.cycle(&accepted, self.watch.effects());
        Ok(())
    }

    /// Requests that have been accepted so far.
    pub fn accepted(&self) -> u64 {
        self.watch.scoreboard().tally().accepted
    }

    /// What has been covered so far.
    pub fn covered(&self) -> Covered {
        self.coverage.covered()
    }

    /// Whether everything that was accepted is answered.
    pub fn is_idle(&self) -> bool {
        self.watch.scoreboard().is_idle()
    }
}

impl Engine for Seen {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }
    fn drive_request(&mut self, _: usize, _: &Request) {}
    fn drive_valid(&mut self, _: u64) {}
    fn drive_ready(&mut self, _: u64) {}
    fn drive_others(&mut self, _: u64, _: u64) {}
    fn drive_takes(&mut self, _: u64) {}
    fn settle(&mut self) {}
    fn clock(&mut self) {}
    fn clock_in_reset(&mut self) {}
    fn accepted(&self) -> u64 {
        self.values[self.places.req_valid] & self.values[self.places.req_ready]
    }
    fn shown(&self) -> u64 {
        self.values[self.places.rsp_valid]
    }
    fn response(&self, port: usize) -> Response {
        self.places.response(port, |pin| self.values[pin])
    }
    fn done(&self) -> u64 {
        self.values[self.places.done_valid]
    }
    fn effect(&self, place: usize) -> Done {
        self.places.effect(place, |pin| self.values[pin])
    }
    fn flips(&self) -> u64 {
        self.values[self.places.flip_valid]
    }
    fn flip_index(&self, bank: usize) -> usize {
        self.values[self.places.flip_index[bank]] as usize
    }
    fn woken(&self) -> u64 {
        self.values[self.places.wake_valid]
    }
    fn resuming(&self) -> u64 {
        self.places.resumes.as_ref().map_or(0, |resumes| self.values[resumes.valid])
    }
    fn resumed(&self, port: usize) -> Masks {
        self.places.resumed(port, |pin| self.values[pin])
    }
}
