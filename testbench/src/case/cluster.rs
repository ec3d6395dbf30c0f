//! Programs of the threads and warps of a cluster.

use super::{Misfit, all, below};
use crate::cluster::rig::{FaultHook, Report, Rig};
use crate::cluster::thread::{Step, Thread};
use crate::cluster::traffic::Plan;
use crate::request::Request;
use crate::scoreboard::Failure;
use crate::shrink::{Case, Limits, Shortened, shorten};
use crate::traffic::Conditions;
use crate::warp::Asked;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use txbar_rtl::cluster::Cluster as Hardware;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::rendezvous::Act;

/// Something that is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Item {
    /// A thread's next step.
    Thread {
        /// CTA.
        cta: usize,
        /// Its warp: a thread does what there is to do for its warp.
        warp: usize,
        /// The step.
        step: Step,
    },
    /// Asked at a CTA's port for warps.
    Warp {
        /// The CTA.
        cta: usize,
        /// The first cycle in which it is.
        cycle: u64,
        /// Request.
        asked: Asked,
    },
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Item::Thread { cta, warp, step } => write!(f, "CTA {cta} warp {warp}: {step}"),
            Item::Warp { cta, cycle, asked } => write!(f, "CTA {cta}, port for warps, from cycle {cycle} on: {asked}"),
        }
    }
}

/// What is done in a run, and what it happens under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The cluster.
    pub parameters: ClusterParameters,
    /// Seed of stalls and latencies.
    pub seed: u64,
    /// Share of cycles, in percent, in which somebody is not ready.
    pub stall: u8,
    /// What is done, in this order by each thread and at each port for warps.
    pub requests: Vec<Item>,
}

impl Cluster {
    /// What a plan does, up to the failure if there is one.
    pub fn of(plan: &Plan, stops: fn() -> bool, hand: &mut FaultHook) -> Self {
        let mut requests = Vec::new();
        let _outcome = plan.run_noting(stops, hand, &mut |_, _| {}, &mut |item| requests.push(item)); // it is run again
        Self { parameters: plan.parameters, seed: plan.seed, stall: plan.stall, requests }
    }

    /// Refuses what the cluster has no wires for, and rounds of `barrier.cluster` that are not the same for all.
    ///
    /// # Errors
    /// Names the first.
    pub fn check(&self) -> Result<(), Misfit> {
        let ClusterParameters { unit, ctas, warps, lanes, warp_memory, .. } = self.parameters;
        Plan { parameters: self.parameters, seed: self.seed, cycles: 0, stall: self.stall, rush: false }
            .check()
            .map_err(|error| Misfit { number: 1, what: error.to_string() })?;
        all(&self.requests, |item| match item {
            Item::Thread { cta, warp, step } => {
                below("CTA", *cta, ctas)?;
                below("warp", *warp, warps)?;
                match step {
                    Step::Tile(_) | Step::TileStore(_) if self.parameters.tensors == 0 => {
                        Err("there is no engine for tensor copies in this design".to_owned())
                    }
                    Step::Tile(crate::cluster::thread::Tile { map, .. })
                    | Step::TileStore(crate::cluster::thread::TileStore { map, .. }) => {
                        below("tensor map", *map, crate::cluster::global::maps().len())
                    }
                    Step::Ask(Request { tag, .. }, _) | Step::Send(Request { tag, .. }) => {
                        below("tag", (*tag).into(), 1 << unit.tag_bits)
                    }
                    _ => Ok(()),
                }
            }
            Item::Warp { cta, asked, .. } => below("CTA", *cta, ctas).and(asked.check(lanes, warp_memory)),
        })
    }

    /// Does all of that on a cluster that has been reset and whose memory is all zero.
    ///
    /// # Errors
    /// The first thing that the cluster did and should not have done.
    pub fn play(
        &self,
        stops: fn() -> bool,
        hand: &mut FaultHook,
        mut look: &mut dyn FnMut(&Hardware, u64),
    ) -> Result<Report, Box<Failure>> {
        let ClusterParameters { unit, ctas, warps, .. } = self.parameters;
        let places = (0..ctas).flat_map(|cta| (0..warps).map(move |warp| (cta, warp)));
        let thread =
            |(cta, warp)| Thread { cta, port: warp % unit.ports, number: warp as u16, warp, program: VecDeque::new() };
        let mut rig = Rig::new(self.parameters, places.map(thread).collect(), Plan::environment(self.seed, self.stall));
        rig = rig.tolerant().until(stops);
        let mut asked = VecDeque::new();
        for item in &self.requests {
            match item {
                Item::Thread { cta, warp, step } => rig.extend(cta * warps + warp, [*step]),
                Item::Warp { cta, cycle, asked: instruction } => asked.push_back((*cycle, *cta, instruction)),
            }
        }
        let outcome = loop {
            while asked.front().is_some_and(|(cycle, ..)| *cycle <= rig.cycle())
                && let Some((_, cta, instruction)) = asked.pop_front()
            {
                rig.ask_warp(cta, instruction.clone());
            }
            if asked.is_empty() {
                break rig.run(hand, look);
            }
            if let Err(failure) = rig.step(hand, &mut look) {
                break Err(failure);
            }
        };
        rig.stopped(outcome)
    }

    /// Runs a plan and, if it fails, shortens it; nothing if it does not fail. `hand` gives what injects a fault.
    pub fn shortened<'a>(
        hand: impl Fn() -> Box<FaultHook<'a>>,
        plan: &Plan,
        limits: Limits,
    ) -> Option<Shortened<Self>> {
        let case = Self::of(plan, || false, &mut *hand());
        let stops = limits.stops;
        shorten(case, limits, |case| case.play(stops, &mut *hand(), &mut |_, _| {}).map(|report| report.cycles))
    }
}

impl Case for Cluster {
    type Request = Item;

    fn requests(&self) -> &[Item] {
        &self.requests
    }

    fn with(&self, requests: Vec<Item>) -> Self {
        Self { requests, ..*self }
    }

    fn conditions(&self) -> Conditions {
        Conditions { seed: self.seed, stall: self.stall, bank_stall: 0 }
    }

    /// A round of `barrier.cluster` is left out by all threads; that they exit stays.
    fn groups(&self) -> Vec<Option<usize>> {
        let mut rounds: HashMap<u64, usize> = HashMap::new();
        let mut met: HashMap<(usize, usize), u64> = HashMap::new();
        let mut fresh = 0..;
        let mut group = |item: &Item| {
            let mut next = || fresh.next();
            let Item::Thread { cta, warp, step: Step::Round { act, .. } } = item else { return next() };
            let round = met.entry((*cta, *warp)).or_default();
            *round += u64::from(*act == Act::Arrive);
            match act {
                Act::Exit => None,
                _ => Some(*rounds.entry(*round).or_insert_with(|| next().unwrap_or_default())),
            }
        };
        self.requests.iter().map(&mut group).collect()
    }

    fn calmer(&self) -> Vec<Self> {
        let at = |when: &dyn Fn(u64) -> u64| {
            let moved = |item: &Item| match item {
                Item::Warp { cta, cycle, asked } => Item::Warp { cta: *cta, cycle: when(*cycle), asked: asked.clone() },
                thread => thread.clone(),
            };
            Self { requests: self.requests.iter().map(moved).collect(), ..*self }
        };
        let cycles = self.requests.iter().filter_map(|item| match item {
            Item::Warp { cycle, .. } => Some(*cycle),
            Item::Thread { .. } => None,
        });
        let begin = cycles.min().unwrap_or(0);
        let calmer =
            [at(&|_| 0), at(&|cycle| cycle - begin), Self { stall: 0, requests: self.requests.clone(), ..*self }];
        calmer.into_iter().filter(|calmer| calmer != self).collect()
    }
}
