//! Drives a cluster's wires from the programs of its threads, cycle by cycle, with taps inside every CTA.

mod drive;
mod leave;
mod warp;
mod watch;

use crate::cluster::global::{self, Bursts};
use crate::cluster::outgoing::Outgoing;
use crate::cluster::tap::{Network, Tap};
use crate::cluster::thread::{Async, Step, Target, Thread};
use crate::cluster::warps::WarpPort;
use crate::request::{Request, Response};
use crate::run::Latency;
use crate::scoreboard::Failure;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use txbar_rtl::cluster::parameters::{ClusterParameters, WARP};
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::cluster::{Cluster, Point};
use txbar_rtl::copies::sender as out;
use txbar_rtl::copies::tracker::Kind;

/// Cycles without anything happening after which a run is called stuck.
const PATIENCE: u64 = 5_000;
/// Cycles without a step being finished after which a run is called stuck, although its threads go on asking.
const POLLING_PATIENCE: u64 = 20_000;
/// Cycles after which it is asked whether to stop.
const LOOK_UP: u64 = 256;

/// Random conditions around a cluster: stalls, and the latency of global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Random seed.
    pub seed: u64,
    /// Share of cycles, in percent, in which a port is not ready.
    pub stall: u8,
    /// Cycles that global memory takes.
    pub memory: std::ops::RangeInclusive<u64>,
}

impl Environment {
    /// No stalls, and a constant latency.
    pub const IDEAL: Environment = Environment { seed: 0, stall: 0, memory: 20..=20 };
}

/// Result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Clock cycles until the last thread was through.
    pub cycles: u64,
    /// Requests of all ports of all CTAs, those of the network and of the copies too.
    pub operations: u64,
    /// Requests that went to another CTA.
    pub remote_requests: u64,
    /// Bytes that copies have stored.
    pub bytes_copied: u64,
    /// Bytes that reductions have changed.
    pub bytes_reduced: u64,
    /// Bytes that copies have written to global memory.
    pub bytes_written: u64,
    /// Phases completed.
    pub flips: u64,
    /// Requests that faulted, as the model predicted.
    pub faults: u64,
    /// Rounds of `barrier.cluster` that a warp waited for.
    pub rounds: u64,
    /// Cycles from the acceptance of a request by a CTA's memory to its answer.
    pub latency_cycles: Latency,
    /// The run was stopped before its end.
    #[serde(skip_serializing_if = "crate::case::written::is_false")]
    pub stopped: bool,
}

/// How far a thread is with its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Idle: the next step begins.
    Next,
    /// Pausing.
    Pausing(u32),
    /// Offered, not accepted.
    Offered,
    /// Accepted, not answered.
    Answer,
}

/// A thread under way.
struct Runner {
    thread: Thread,
    doing: Doing,
    /// Answers of what it sent that have not come.
    loose: usize,
}

/// What stands at the wires of one CTA, by number of the thread.
#[derive(Clone, Debug)]
struct Stand {
    ports: Vec<Option<usize>>,
    bulk: Option<usize>,
    tensor: Option<usize>,
    copies: Option<usize>,
    put: Option<usize>,
    group: Option<usize>,
    post: Option<usize>,
    round: Option<usize>,
}

/// What is remembered of a port from cycle to cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    /// The answer that was shown and not taken.
    shown: Option<Response>,
    /// A load of it is elsewhere and acquires.
    acquires: bool,
}

/// What `barrier.cluster` is to a warp.
#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    arrivals: u64,
    exited: bool,
}

/// A cluster with everything around it.
pub struct Rig {
    parameters: ClusterParameters,
    /// The hardware.
    pub cluster: Cluster,
    runners: Vec<Runner>,
    stands: Vec<Stand>,
    memories: Vec<Bursts>,
    outgoing: Vec<Outgoing>,
    taps: Vec<Tap>,
    network: Network,
    /// The ports for warps, by CTA.
    warp_ports: Vec<WarpPort>,
    /// By CTA and port.
    ports: Vec<Vec<Port>>,
    /// By CTA and warp.
    warps: Vec<Vec<Warp>>,
    /// Cycles in which each CTA offered something to the network in vain.
    unserved: Vec<(u64, usize)>,
    /// Any status will do: the scoreboards know which are right.
    tolerant: bool,
    environment: Environment,
    rng: Xoshiro256PlusPlus,
    cycle: u64,
    last_event: u64,
    /// Steps that all threads had before them, and the cycle since which it is so many.
    steps_left: (usize, u64),
    rounds: u64,
    /// Whether it is to stop.
    stops: fn() -> bool,
}

/// Called between the steps of a cycle; may change signals, to inject a fault; see [`Cluster::settle_with`].
pub type FaultHook<'a> = dyn FnMut(&mut Cluster, Point) + 'a;

fn failure(cycle: u64, what: String) -> Box<Failure> {
    Box::new(Failure { cycle, what, history: None })
}

impl Rig {
    /// A cluster that has been reset, with these threads.
    pub fn new(parameters: ClusterParameters, threads: Vec<Thread>, environment: Environment) -> Self {
        Self::watched(parameters, threads, environment, &mut |_| {})
    }

    /// The same. `look` is called in every cycle of reset, before the clock edge.
    pub fn watched(
        parameters: ClusterParameters,
        threads: Vec<Thread>,
        environment: Environment,
        look: &mut dyn FnMut(&Cluster),
    ) -> Self {
        let mut cluster = Cluster::new(&parameters);
        for _ in 0..2 {
            cluster.settle();
            look(&cluster);
            cluster.clock_in_reset();
        }
        let seed = |cta: usize| environment.seed.wrapping_mul(31).wrapping_add(cta as u64 + 1);
        Self {
            parameters,
            cluster,
            runners: threads.into_iter().map(|thread| Runner { thread, doing: Doing::Next, loose: 0 }).collect(),
            stands: vec![
                Stand {
                    ports: vec![None; parameters.unit.ports],
                    bulk: None,
                    tensor: None,
                    copies: None,
                    put: None,
                    group: None,
                    post: None,
                    round: None
                };
                parameters.ctas
            ],
            memories: (0..parameters.ctas).map(|cta| Bursts::new(seed(cta), environment.memory.clone())).collect(),
            outgoing: (0..parameters.ctas)
                .map(|cta| Outgoing::new(seed(cta + 100), environment.memory.clone()))
                .collect(),
            taps: (0..parameters.ctas).map(|cta| Tap::new(&parameters, cta)).collect(),
            network: Network::default(),
            warp_ports: (0..parameters.ctas)
                .filter(|_| parameters.lanes > 0)
                .map(|cta| WarpPort::new(&parameters, cta))
                .collect(),
            ports: vec![vec![Port::default(); parameters.askers()]; parameters.ctas],
            warps: vec![vec![Warp::default(); parameters.warps]; parameters.ctas],
            unserved: vec![(0, 0); parameters.ctas],
            tolerant: false,
            rng: Xoshiro256PlusPlus::seed_from_u64(environment.seed),
            environment,
            cycle: 0,
            last_event: 0,
            steps_left: (0, 0),
            rounds: 0,
            stops: || false,
        }
    }

    /// The same, but threads take any status for an answer: only the scoreboards judge.
    pub fn tolerant(self) -> Self {
        Self { tolerant: true, ..self }
    }

    /// Stops as soon as `stops` returns true.
    pub fn until(self, stops: fn() -> bool) -> Self {
        Self { stops, ..self }
    }

    /// The clock cycle that comes next.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Whether all threads are through and nothing is under way.
    pub fn is_done(&self) -> bool {
        let through = |runner: &Runner| runner.thread.program.is_empty() && runner.doing == Doing::Next;
        self.runners.iter().all(|runner| through(runner) && runner.loose == 0)
            && self.taps.iter().all(Tap::is_idle)
            && self.network.is_idle()
            && self.outgoing.iter().all(Outgoing::is_idle)
            && self.warp_ports.iter().all(WarpPort::is_idle)
            && self.cluster.copy_idle.iter().all(|idle| idle.val())
    }

    /// Gives a thread more to do.
    pub fn extend(&mut self, thread: usize, steps: impl IntoIterator<Item = Step>) {
        self.runners[thread].thread.program.extend(steps);
    }

    /// Steps that a thread still has before it.
    pub fn left(&self, thread: usize) -> usize {
        self.runners[thread].thread.program.len()
    }

    /// Runs until all threads are through, then compares every word of every memory with the model. `look` is called in
    /// every cycle, before the clock edge.
    ///
    /// # Errors
    /// The first thing that the cluster did and should not have done.
    pub fn run(&mut self, hand: &mut FaultHook, mut look: impl FnMut(&Cluster, u64)) -> Result<Report, Box<Failure>> {
        while !self.is_done() {
            self.step(hand, &mut look)?;
        }
        let report = self.report();
        for _ in 0..8 {
            self.step(hand, &mut look)?; // what is done is written a few cycles later
        }
        for (tap, cta) in self.taps.iter().zip(&self.cluster.cta) {
            tap.finish(self.cycle, cta)?;
        }
        Ok(report)
    }

    /// What a run came to; one that was stopped, to what has happened so far.
    ///
    /// # Errors
    /// The run failed.
    pub fn stopped(&self, outcome: Result<Report, Box<Failure>>) -> Result<Report, Box<Failure>> {
        match outcome {
            Err(failure) if failure.is_stop() => Ok(Report { stopped: true, ..self.report() }),
            other => other,
        }
    }

    /// Report of the run so far.
    pub fn report(&self) -> Report {
        let mut report = Report { cycles: self.cycle, rounds: self.rounds, ..Report::default() };
        let mut latency: Vec<u64> = Vec::new();
        for tap in &self.taps {
            let tally = tap.scoreboard().tally();
            latency.resize(latency.len().max(tally.latency.len()), 0);
            latency.iter_mut().zip(&tally.latency).for_each(|(sum, count)| *sum += count);
            report.operations += tally.accepted;
            report.remote_requests += tap.remote;
            report.bytes_copied += tap.copied;
            report.bytes_reduced += tap.reduced;
            report.flips += tally.flips;
            report.faults += tally.faults;
        }
        report.bytes_written = self.outgoing.iter().map(|outgoing| outgoing.written).sum();
        report.latency_cycles = Latency::of(&latency);
        report
    }

    /// Whether the ends of suspended waits are told as masks.
    fn has_masks(&self) -> bool {
        self.parameters.unit.wake_mask && self.parameters.unit.waiters > 0
    }

    fn is_ready(&mut self) -> bool {
        self.rng.random_range(0..100) >= self.environment.stall
    }

    /// Runs one clock cycle.
    ///
    /// # Errors
    /// The cluster does what it should not.
    pub fn step(&mut self, hand: &mut FaultHook, look: &mut impl FnMut(&Cluster, u64)) -> Result<(), Box<Failure>> {
        self.begin_steps();
        for cta in 0..self.parameters.ctas {
            self.drive(cta);
            self.drive_warp(cta);
        }
        self.cluster.settle_with(hand);
        look(&self.cluster, self.cycle);
        for cta in 0..self.parameters.ctas {
            self.watch(cta)?;
        }
        self.watch_links()?;
        for cta in 0..self.parameters.ctas {
            self.show_masks(cta)?;
            self.watch_warp(cta)?;
            self.taps[cta].settled(self.cycle, &self.cluster.cta[cta], &mut self.network)?;
            for (port, response) in std::mem::take(&mut self.taps[cta].resumed) {
                self.answered(cta, port, &response)?;
                self.last_event = self.cycle;
            }
        }
        self.hand_on()?;
        self.cluster.clock();
        if self.cycle.is_multiple_of(LOOK_UP) {
            let left = self.runners.iter().map(|runner| runner.thread.program.len()).sum();
            if left != self.steps_left.0 {
                self.steps_left = (left, self.cycle);
            }
        }
        let polled = self.cycle - self.steps_left.1 > POLLING_PATIENCE;
        if polled || self.cycle - self.last_event > PATIENCE {
            let what = match polled {
                true => format!("{} for {POLLING_PATIENCE} cycles", Failure::POLLS),
                false => format!("{} for {PATIENCE} cycles", Failure::STUCK),
            };
            let stuck = self.runners.iter().filter(|runner| !runner.thread.program.is_empty()).map(|runner| {
                let Thread { cta, port, number, program, .. } = &runner.thread;
                format!("\n  CTA {cta} port {port} thread {number}: {} ({:?})", program[0], runner.doing)
            });
            let stuck: String = stuck.collect();
            return Err(failure(self.cycle, format!("{what}:{stuck}")));
        }
        self.cycle += 1;
        if self.cycle.is_multiple_of(LOOK_UP) && (self.stops)() {
            return Err(Failure::stopped(self.cycle));
        }
        Ok(())
    }

    /// Threads that are through with a step begin the next.
    fn begin_steps(&mut self) {
        let offset = self.rng.random_range(0..self.runners.len().max(1));
        for place in 0..self.runners.len() {
            let number = (place + offset) % self.runners.len();
            let runner = &mut self.runners[number];
            if let Doing::Pausing(left) = runner.doing {
                self.last_event = self.cycle;
                runner.doing = if left > 1 { Doing::Pausing(left - 1) } else { Doing::Next };
                if left <= 1 {
                    runner.thread.program.pop_front();
                }
            }
            if runner.doing != Doing::Next {
                continue;
            }
            let Some(step) = runner.thread.program.front() else { continue };
            let stand = &mut self.stands[runner.thread.cta];
            let place = match step {
                Step::Ask(..) | Step::Send(_) => &mut stand.ports[runner.thread.port],
                Step::Bulk(_) => &mut stand.bulk,
                Step::Async(_) => &mut stand.copies,
                Step::Tile(_) | Step::TileStore(_) => &mut stand.tensor,
                Step::Put(_) | Step::Commit => &mut stand.put,
                Step::Groups { .. } => &mut stand.group,
                Step::Post(_) => &mut stand.post,
                Step::Round { .. } => &mut stand.round,
                Step::Settle => {
                    if runner.loose == 0 {
                        runner.thread.program.pop_front();
                    }
                    continue;
                }
                Step::Pause(cycles) => {
                    runner.doing = Doing::Pausing(*cycles);
                    continue;
                }
            };
            if place.is_none() {
                *place = Some(number);
                runner.doing = Doing::Offered;
            }
        }
    }

    /// The request of a port, with its tag: what is sent has a number of its own, so that its answer is told apart.
    fn request(&self, thread: usize) -> Request {
        let Thread { number, program, .. } = &self.runners[thread].thread;
        match program[0] {
            Step::Ask(request, _) => request.tagged(number * 2),
            Step::Send(request) => request.tagged(number * 2 + 1),
            ref other => unreachable!("{other} stands at no port"),
        }
    }
}
