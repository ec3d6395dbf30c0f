//! Requests at the ports of a unit with ports for warps.

use super::{Misfit, all, below};
use crate::request::Request;
use crate::scoreboard::Failure;
use crate::shrink::{Case, Limits, Shortened, shorten};
use crate::traffic::Conditions;
use crate::warp::Asked;
use crate::warp::engine::Rtl;
use crate::warp::traffic::{Plan, Report};
use serde::{Deserialize, Serialize};
use std::fmt;
use txbar_rtl::op::Op;
use txbar_rtl::warp::parameters::WarpParameters;

/// Something that is asked, with a tag that is free then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// The first cycle in which it is asked, if what the port asked before is accepted by then.
    pub cycle: u64,
    /// Source.
    pub by: By,
}

/// Source of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum By {
    /// A thread.
    Thread {
        /// Port.
        port: usize,
        /// Request.
        request: Request,
    },
    /// A warp.
    Warp {
        /// Its port, among those for warps.
        port: usize,
        /// Request.
        asked: Asked,
    },
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "cycle {} ", self.cycle)?;
        match &self.by {
            By::Thread { port, request } => write!(f, "port {port}: {request}"),
            By::Warp { port, asked } => write!(f, "port {port} for warps: {asked}"),
        }
    }
}

/// What is asked in a run, and what it happens under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warps {
    /// The unit.
    pub parameters: WarpParameters,
    /// Seed of the cycles in which a port is not ready for an answer.
    pub seed: u64,
    /// Share of these cycles, in percent.
    pub stall: u8,
    /// What is asked, in this order at each port.
    pub requests: Vec<Item>,
}

/// A cycle after which no run goes on.
const LATEST: u64 = 1 << 40;

impl Warps {
    /// What a plan asks, up to the failure if there is one.
    pub fn of(plan: &Plan, rtl: &mut Rtl, stops: fn() -> bool) -> Self {
        let mut requests = Vec::new();
        let _outcome = plan.run_noting(stops, rtl, &mut |_, _| {}, &mut |item| requests.push(item)); // it is run again
        Self { parameters: plan.parameters, seed: plan.seed, stall: plan.stall, requests }
    }

    /// Refuses what the unit has no wires for.
    ///
    /// # Errors
    /// Names the first.
    pub fn check(&self) -> Result<(), Misfit> {
        let WarpParameters { unit, lanes, warp_ports, memory } = self.parameters;
        all(&self.requests, |Item { cycle, by }| {
            if *cycle > LATEST {
                return Err(format!("cycle {cycle} is too late"));
            }
            match by {
                By::Thread { port, .. } => below("port", *port, unit.ports),
                By::Warp { port, asked } => below("port for warps", *port, warp_ports).and(asked.check(lanes, memory)),
            }
        })
    }

    /// Asks all of that of a unit that has been reset and whose memory is all zero.
    ///
    /// # Errors
    /// The first thing that the unit did and should not have done.
    pub fn play(
        &self,
        stops: fn() -> bool,
        rtl: &mut Rtl,
        look: &mut dyn FnMut(&Rtl, u64),
    ) -> Result<Report, Box<Failure>> {
        Plan::replay(self, stops, rtl, look)
    }

    /// Runs a plan on a fresh unit and, if it fails, shortens it; nothing if it does not fail.
    pub fn shortened(make: impl Fn() -> Rtl, plan: &Plan, limits: Limits) -> Option<Shortened<Self>> {
        let case = Self::of(plan, &mut make(), || false);
        let stops = limits.stops;
        shorten(case, limits, |case| case.play(stops, &mut make(), &mut |_, _| {}).map(|report| report.cycles))
    }
}

impl Case for Warps {
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

    fn calmer(&self) -> Vec<Self> {
        let begin = self.requests.iter().map(|item| item.cycle).min().unwrap_or(0);
        let at = |when: &dyn Fn(u64) -> u64| {
            let requests = self.requests.iter().map(|item| Item { cycle: when(item.cycle), ..item.clone() });
            Self { requests: requests.collect(), ..*self }
        };
        let calmer =
            [at(&|_| 0), at(&|cycle| cycle - begin), Self { stall: 0, requests: self.requests.clone(), ..*self }];
        calmer.into_iter().filter(|calmer| calmer != self).collect()
    }
}

impl Asked {
    /// Refuses what a port for warps of this many lanes has no wires for.
    pub(super) fn check(&self, most: usize, memory: bool) -> Result<(), String> {
        let lanes = match self {
            Asked::Barriers(instruction, _) => instruction.lanes.len(),
            Asked::Memory(_) if !memory => {
                return Err("there are no loads and stores of warps in this design".to_owned());
            }
            Asked::Memory(access) => access.lanes.len(),
        };
        if lanes <= most { Ok(()) } else { Err(format!("it is for {lanes} lanes: there are {most}")) }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let active = |mask: u32| format!("lanes {mask:#x}");
        match self {
            Asked::Barriers(instruction, limit) => {
                let far = if instruction.remote { "remote " } else { "" };
                write!(f, "{far}{} by {}", instruction.op.name(), active(instruction.mask()))?;
                for (number, lane) in instruction.lanes.iter().enumerate() {
                    if let Some(lane) = lane {
                        write!(f, "; {number}: {} @{:#x}", lane.operand, lane.address)?;
                    }
                }
                if matches!(instruction.op, Op::TryWait | Op::TryWaitParity) {
                    write!(f, "; limit {limit} ns")
                } else {
                    Ok(())
                }
            }
            Asked::Memory(access) => {
                let size = access.size.map_or("no size".to_owned(), |size| format!("{} bytes", size.bytes()));
                write!(f, "{} of {size} by {}", access.op().name(), active(access.mask()))?;
                for (number, lane) in access.lanes.iter().enumerate() {
                    match lane {
                        Some(lane) if access.stores => write!(f, "; {number}: {:x} @{:#x}", lane.data, lane.address)?,
                        Some(lane) => write!(f, "; {number}: @{:#x}", lane.address)?,
                        None => {}
                    }
                }
                Ok(())
            }
        }
    }
}
