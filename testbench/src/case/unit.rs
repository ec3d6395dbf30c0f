//! A unit's requests, port by port.

use super::{Misfit, all, below};
use crate::engine::Engine;
use crate::request::{Request, Response};
use crate::run::{self, Observer, Report, Script};
use crate::scoreboard::Failure;
use crate::shrink::{Case, Limits, Shortened, shorten};
use crate::traffic::{Conditions, Generator, Plan, Source};
use serde::{Deserialize, Serialize};
use txbar_rtl::parameters::Parameters;

/// A request of a port, after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// The port.
    pub port: usize,
    /// Cycles that it pauses before.
    pub pause: u32,
    /// The request.
    pub request: Request,
}

impl std::fmt::Display for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "port {} after {} idle cycles: {}", self.port, self.pause, self.request)
    }
}

/// The most cycles that a request may pause.
const LONGEST_PAUSE: u32 = 1_000_000;

/// The requests of a run, and what it happens under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Conditions of the run.
    pub conditions: Conditions,
    /// Requests in the order in which they were drawn; those of a port are made in this order.
    pub requests: Vec<Item>,
}

/// Notes what a source gives out.
struct Noted<'a, S> {
    source: S,
    items: &'a mut Vec<Item>,
}

impl<S: Source> Source for Noted<'_, S> {
    fn next(&mut self, port: usize) -> Option<(u32, Request)> {
        let (pause, request) = self.source.next(port)?;
        self.items.push(Item { port, pause, request });
        Some((pause, request))
    }
    fn answered(&mut self, port: usize, request: &Request, response: &Response) {
        self.source.answered(port, request, response);
    }
}

impl Unit {
    /// The requests of a plan, up to the failure if there is one.
    pub fn of<E: Engine>(plan: &Plan, engine: &mut E) -> Self {
        let (mut requests, parameters) = (Vec::new(), *engine.parameters());
        let source = Noted { source: Generator::new(plan, &parameters), items: &mut requests };
        let _outcome = run::source(engine, source, plan.conditions(), &mut run::Unobserved); // it is run again
        Self { conditions: plan.conditions(), requests }
    }

    /// Refuses requests that a unit with these parameters has no wires for.
    ///
    /// # Errors
    /// Names the first.
    pub fn check(&self, parameters: &Parameters) -> Result<(), Misfit> {
        all(&self.requests, |Item { port, pause, request }| {
            below("port", *port, parameters.ports)?;
            below("tag", request.tag.into(), 1 << parameters.tag_bits)?;
            if *pause > LONGEST_PAUSE { Err(format!("it pauses for more than {LONGEST_PAUSE} cycles")) } else { Ok(()) }
        })
    }

    /// Makes the requests of an engine that has been reset and whose memory is all zero.
    ///
    /// # Errors
    /// The first thing that the unit did and should not have done.
    pub fn play<E: Engine>(&self, engine: &mut E, observer: &mut impl Observer<E>) -> Result<Report, Box<Failure>> {
        let mut script = Script::new(engine.parameters().ports);
        for item in &self.requests {
            script.push(item.port, item.pause, item.request);
        }
        run::source(engine, script, self.conditions, observer)
    }

    /// Runs a plan on a fresh engine and, if it fails, shortens it; nothing if it does not fail.
    pub fn shortened<E: Engine>(make: impl Fn() -> E, plan: &Plan, limits: Limits) -> Option<Shortened<Self>> {
        let case = Self::of(plan, &mut make());
        shorten(case, limits, |case| case.play(&mut make(), &mut run::Unobserved).map(|report| report.cycles))
    }
}

impl Case for Unit {
    type Request = Item;

    fn requests(&self) -> &[Item] {
        &self.requests
    }

    fn with(&self, requests: Vec<Item>) -> Self {
        Self { requests, ..*self }
    }

    fn conditions(&self) -> Conditions {
        self.conditions
    }

    fn calmer(&self) -> Vec<Self> {
        let eager = self.requests.iter().map(|item| Item { pause: 0, ..*item }).collect();
        let with = |conditions| Self { conditions, requests: self.requests.clone() };
        let conditions = self.conditions;
        let calmer = [
            Self { requests: eager, conditions },
            with(Conditions { stall: 0, ..conditions }),
            with(Conditions { bank_stall: 0, ..conditions }),
        ];
        calmer.into_iter().filter(|calmer| calmer != self).collect()
    }
}
