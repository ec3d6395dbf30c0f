//! A run: requests from a source into an engine, watched by monitor and scoreboard.

use crate::case::written::is_false;
use crate::checked_model::Remark;
use crate::engine::Engine;
use crate::request::{Request, Response};
use crate::scoreboard::{Failure, Tally, each};
use crate::traffic::{Conditions, Generator, Plan, Source};
use crate::watch::{Driven, Event, Shown, Watch};
use hdrhistogram::Histogram;
use serde::Serialize;
use std::collections::VecDeque;
use txbar_rtl::op::Op;

/// Cycles without anything happening after which a run is called stuck.
const PATIENCE: u64 = 10_000;
/// Cycles after which an observer is asked whether to stop.
const LOOK_UP: u64 = 1024;
/// Significant digits of latencies: exact below 32768 cycles.
const DIGITS: u8 = 4;

/// How long requests waited for their answers, in cycles from acceptance until the answer was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latency {
    /// The shortest.
    pub min: usize,
    /// Half of them were shorter or as long.
    pub median: usize,
    /// 99 of 100 were shorter or as long.
    pub p99: usize,
    /// The longest.
    pub max: usize,
}

impl Latency {
    /// Of a histogram: how many requests waited for 0, 1, 2, ... cycles.
    pub fn of(counts: &[u64]) -> Latency {
        let mut histogram = Histogram::<u64>::new(DIGITS).expect("so many digits can be had");
        for (cycles, count) in (0..).zip(counts) {
            histogram.record_n(cycles, *count).expect("it grows");
        }
        let at = |share| histogram.value_at_quantile(share) as usize;
        Latency { min: at(0.0), median: at(0.5), p99: at(0.99), max: at(1.0) }
    }
}

/// Report of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Requests accepted, without the final look at every word.
    pub operations: u64,
    /// Cycles until the last of them was accepted.
    pub cycles: u64,
    /// Requests accepted a cycle.
    pub operations_per_cycle: f64,
    /// Cycles from acceptance to answer.
    pub latency_cycles: Latency,
    /// Share of the requests that took effect together with others on the same word.
    pub combined: f64,
    /// Waits that were suspended.
    pub suspended: u64,
    /// Waits that were answered at once for want of room in the table.
    pub rejected: u64,
    /// Suspended waits that were woken by the completion of their phase.
    pub woken: u64,
    /// Cycles from the completion of a phase to the answers of the waits that it woke.
    pub wake_latency_cycles: Latency,
    /// Requests that faulted, as the model predicted.
    pub faults: u64,
    /// Operations that checked mode had something to say of.
    pub remarked: u64,
    /// The first of them.
    pub remarks: Vec<Remark>,
    /// Phases completed.
    pub flips: u64,
    /// Answers that nothing explains.
    pub mismatches: u64,
    /// Random seed.
    pub seed: u64,
    /// The run was stopped before its end.
    #[serde(skip_serializing_if = "is_false")]
    pub stopped: bool,
}

/// Requests that come from a list, port by port.
#[derive(Clone, Debug, Default)]
pub struct Script {
    ports: Vec<VecDeque<(u32, Request)>>,
}

impl Script {
    /// A script for this many ports, empty.
    pub fn new(ports: usize) -> Self {
        Self { ports: vec![VecDeque::new(); ports] }
    }

    /// Adds a request of a port, made after a pause of this many cycles.
    pub fn push(&mut self, port: usize, pause: u32, request: Request) -> &mut Self {
        self.ports[port].push_back((pause, request));
        self
    }
}

impl Source for Script {
    fn next(&mut self, port: usize) -> Option<(u32, Request)> {
        self.ports[port].pop_front()
    }
}

/// Observes a run. Each method does nothing unless it is implemented.
pub trait Observer<E> {
    /// The engine has settled in a cycle.
    fn settled(&mut self, _engine: &E, _cycle: u64) {}
    /// This many requests have been accepted.
    fn progress(&mut self, _accepted: u64) {}
    /// A request has been accepted.
    fn accepted(&mut self, _cycle: u64, _port: usize, _request: &Request) {}
    /// An answer has been taken.
    fn answered(&mut self, _cycle: u64, _port: usize, _response: &Response) {}
    /// All requests are answered. What follows is a load of every word that was touched.
    fn drained(&mut self) {}
    /// Whether the run is to stop; polled now and then.
    fn stops(&self) -> bool {
        false
    }
}

/// Two observers.
impl<E, A: Observer<E>, B: Observer<E>> Observer<E> for (A, B) {
    fn settled(&mut self, engine: &E, cycle: u64) {
        self.0.settled(engine, cycle);
        self.1.settled(engine, cycle);
    }
    fn progress(&mut self, accepted: u64) {
        self.0.progress(accepted);
        self.1.progress(accepted);
    }
    fn accepted(&mut self, cycle: u64, port: usize, request: &Request) {
        self.0.accepted(cycle, port, request);
        self.1.accepted(cycle, port, request);
    }
    fn answered(&mut self, cycle: u64, port: usize, response: &Response) {
        self.0.answered(cycle, port, response);
        self.1.answered(cycle, port, response);
    }
    fn drained(&mut self) {
        self.0.drained();
        self.1.drained();
    }
    fn stops(&self) -> bool {
        self.0.stops() || self.1.stops()
    }
}

/// A borrowed observer.
impl<E, O: Observer<E>> Observer<E> for &mut O {
    fn settled(&mut self, engine: &E, cycle: u64) {
        (**self).settled(engine, cycle);
    }
    fn progress(&mut self, accepted: u64) {
        (**self).progress(accepted);
    }
    fn accepted(&mut self, cycle: u64, port: usize, request: &Request) {
        (**self).accepted(cycle, port, request);
    }
    fn answered(&mut self, cycle: u64, port: usize, response: &Response) {
        (**self).answered(cycle, port, response);
    }
    fn drained(&mut self) {
        (**self).drained();
    }
    fn stops(&self) -> bool {
        (**self).stops()
    }
}

/// An optional observer.
impl<E, O: Observer<E>> Observer<E> for Option<O> {
    fn settled(&mut self, engine: &E, cycle: u64) {
        self.iter_mut().for_each(|observer| observer.settled(engine, cycle));
    }
    fn progress(&mut self, accepted: u64) {
        self.iter_mut().for_each(|observer| observer.progress(accepted));
    }
    fn accepted(&mut self, cycle: u64, port: usize, request: &Request) {
        self.iter_mut().for_each(|observer| observer.accepted(cycle, port, request));
    }
    fn answered(&mut self, cycle: u64, port: usize, response: &Response) {
        self.iter_mut().for_each(|observer| observer.answered(cycle, port, response));
    }
    fn drained(&mut self) {
        self.iter_mut().for_each(Observer::<E>::drained);
    }
    fn stops(&self) -> bool {
        self.iter().any(Observer::<E>::stops)
    }
}

/// Observes nothing, and stops the run as soon as the function returns true.
pub struct Until(pub fn() -> bool);
impl<E> Observer<E> for Until {
    fn stops(&self) -> bool {
        (self.0)()
    }
}

/// An observer that observes nothing.
pub struct Unobserved;
impl<E> Observer<E> for Unobserved {}

/// State of the driver of a port.
#[derive(Clone, Copy, Debug)]
struct Driver {
    /// The request at the port, or the next one, after the pause.
    request: Option<Request>,
    pause: u32,
    exhausted: bool,
}

/// A run in progress: the engine, its drivers, and what checks it.
pub struct Run<'a, E, S, O> {
    engine: &'a mut E,
    source: S,
    observer: &'a mut O,
    drivers: Vec<Driver>,
    watch: Watch,
    conditions: Conditions,
    last_event: u64,
    last_accept: u64,
}

impl<'a, E: Engine, S: Source, O: Observer<E>> Run<'a, E, S, O> {
    /// A run of a source's requests.
    pub fn new(engine: &'a mut E, source: S, conditions: Conditions, observer: &'a mut O) -> Self {
        let parameters = *engine.parameters();
        let ports = parameters.ports;
        Self {
            engine,
            source,
            observer,
            drivers: vec![Driver { request: None, pause: 0, exhausted: false }; ports],
            watch: Watch::new(&parameters),
            conditions,
            last_event: 0,
            last_accept: 0,
        }
    }

    /// Runs until the source has no more requests and all are answered.
    fn drain(&mut self) -> Result<(), Box<Failure>> {
        while !(self.drivers.iter().all(|driver| driver.exhausted) && self.watch.scoreboard().is_idle()) {
            self.step()?;
        }
        Ok(())
    }

    /// Runs one clock cycle.
    fn step(&mut self) -> Result<(), Box<Failure>> {
        let (cycle, ports) = (self.watch.cycle, self.drivers.len());
        let mut valid = 0;
        for port in 0..ports {
            let driver = &mut self.drivers[port];
            if driver.request.is_none() && !driver.exhausted {
                match self.source.next(port) {
                    Some((pause, request)) => {
                        *driver = Driver { request: Some(request), pause, exhausted: false };
                        self.engine.drive_request(port, &request);
                    }
                    None => driver.exhausted = true,
                }
            }
            if driver.request.is_some() {
                match driver.pause.checked_sub(1) {
                    Some(less) => driver.pause = less,
                    None => valid |= 1 << port,
                }
            }
        }
        self.engine.drive_valid(valid);
        let ready = self.conditions.ready(ports, cycle);
        let stalled = self.conditions.stalled(self.engine.parameters().banks, cycle);
        let remote_pending = self.conditions.remote_pending(ports, cycle);
        let takes = self.conditions.takes(ports, cycle);
        self.engine.drive_ready(ready);
        self.engine.drive_takes(takes);
        self.engine.drive_others(stalled, remote_pending);
        self.engine.settle();
        self.observer.settled(self.engine, cycle);

        let driven = Driven { valid, ready, stalled, remote_pending, takes };
        let Self { engine, observer, source, drivers, watch, .. } = self;
        let request = |port: usize| drivers[port].request;
        let shown = watch.cycle(&**engine, driven, request, |cycle, port, event| match event {
            Event::Accepted(request) => observer.accepted(cycle, port, request),
            Event::Taken(response) => observer.answered(cycle, port, response),
            Event::Answered(request, response) => source.answered(port, request, response),
        })?;
        let Shown { accepted, answers, masks } = shown;
        for port in each(accepted) {
            self.drivers[port].request = None;
            self.last_accept = cycle;
        }
        self.engine.clock();

        if accepted | (answers & ready) | (masks & takes) != 0 || self.drivers.iter().any(|driver| driver.pause > 0) {
            self.last_event = cycle;
        } else if cycle - self.last_event > PATIENCE {
            let waiting: Vec<String> = (0..ports)
                .map(|port| format!("port {port} waits for {} answers", self.watch.scoreboard().outstanding(port)))
                .collect();
            let what = format!("{} for {PATIENCE} cycles: {}", Failure::STUCK, waiting.join(", "));
            return Err(Box::new(Failure { cycle, what, history: None }));
        }
        let cycle = self.watch.cycle;
        if cycle.is_multiple_of(4096) {
            self.observer.progress(self.watch.scoreboard().tally().accepted);
        }
        if cycle.is_multiple_of(LOOK_UP) && self.observer.stops() {
            return Err(Failure::stopped(cycle));
        }
        Ok(())
    }

    /// Loads every word that was touched, through the ports, and compares it too.
    fn read_back(&mut self) -> Result<(), Box<Failure>>
    where
        S: From<Script>,
    {
        let mut script = Script::new(self.drivers.len());
        for index in self.watch.scoreboard().touched() {
            script.push(0, 0, Request::new(Op::Load, index as u32 * 8));
        }
        self.source = script.into();
        for driver in &mut self.drivers {
            driver.exhausted = false;
        }
        self.drain()
    }
}

/// Either the requests of a plan or those of a script.
enum AnySource<S> {
    Given(S),
    Script(Script),
}

impl<S> From<Script> for AnySource<S> {
    fn from(script: Script) -> Self {
        AnySource::Script(script)
    }
}

impl<S: Source> Source for AnySource<S> {
    fn next(&mut self, port: usize) -> Option<(u32, Request)> {
        match self {
            AnySource::Given(source) => source.next(port),
            AnySource::Script(script) => script.next(port),
        }
    }
    fn answered(&mut self, port: usize, request: &Request, response: &Response) {
        if let AnySource::Given(source) = self {
            source.answered(port, request, response);
        }
    }
}

/// Runs a source's requests on an engine that has been reset and whose memory is all zero, then loads every word that was
/// touched. If an observer stops it, the report is of what was done until then.
///
/// # Errors
/// The first thing that the unit did and should not have done.
pub fn source<E: Engine>(
    engine: &mut E,
    source: impl Source,
    conditions: Conditions,
    observer: &mut impl Observer<E>,
) -> Result<Report, Box<Failure>> {
    let mut run = Run::new(engine, AnySource::Given(source), conditions, observer);
    let drained = run.drain();
    let stopped = matches!(&drained, Err(failure) if failure.is_stop());
    if !stopped {
        drained?;
    }
    let tally: Tally = run.watch.scoreboard().tally().clone();
    let cycles = run.last_accept + 1;
    let remarks = run.watch.scoreboard().remarks().to_vec();
    if !stopped {
        run.observer.drained();
        run.read_back()?;
    }
    Ok(Report {
        operations: tally.accepted,
        cycles,
        operations_per_cycle: tally.accepted as f64 / cycles as f64,
        latency_cycles: Latency::of(&tally.latency),
        combined: tally.combined as f64 / tally.accepted.max(1) as f64,
        suspended: tally.suspended,
        rejected: tally.rejected,
        woken: tally.woken,
        wake_latency_cycles: Latency::of(&tally.wake_latency),
        faults: tally.faults,
        remarked: tally.remarks,
        remarks,
        flips: tally.flips,
        mismatches: 0,
        seed: conditions.seed,
        stopped,
    })
}

/// Runs a plan; see [`source`].
///
/// # Errors
/// As [`source`].
pub fn plan<E: Engine>(engine: &mut E, plan: &Plan, observer: &mut impl Observer<E>) -> Result<Report, Box<Failure>> {
    let generator = Generator::new(plan, engine.parameters());
    source(engine, generator, plan.conditions(), observer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_of_a_histogram() {
        let latency = Latency::of(&[0, 0, 98, 0, 1, 1]);
        assert_eq!(latency, Latency { min: 2, median: 2, p99: 4, max: 5 });
        assert_eq!(Latency::of(&[]), Latency { min: 0, median: 0, p99: 0, max: 0 });
        let mut counts = vec![1; 32_768];
        assert_eq!(Latency::of(&counts), Latency { min: 0, median: 16_383, p99: 32_440, max: 32_767 });
        counts[..20_001].fill(0);
        assert_eq!(Latency::of(&counts).min, 20_001);
    }
}
