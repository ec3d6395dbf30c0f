//! Shortens a failing run: which requests are needed to show it?
//!
//! The requests that were accepted up to the failure are taken as a list, and parts of the list are left out as long as
//! what remains still fails (delta debugging: halves first, then quarters, down to single requests). Then pauses and
//! stalls are left out, if it fails without them too.

use crate::engine::Engine;
use crate::request::{Request, Response};
use crate::run::{self, Script};
use crate::scoreboard::Failure;
use crate::traffic::{Conditions, Generator, Plan, Source};

/// A request of a port, after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The port.
    pub port: usize,
    /// Cycles that it pauses before.
    pub pause: u32,
    /// The request.
    pub request: Request,
}

/// The shortest failing run that was found.
#[derive(Clone, Debug)]
pub struct Shortened {
    /// Its requests, in the order in which they were accepted at first.
    pub items: Vec<Item>,
    /// What it happens under.
    pub conditions: Conditions,
    /// How it fails.
    pub failure: Failure,
    /// Requests of the run that failed at first.
    pub from: usize,
}

/// How many runs may be tried.
const TRIES: usize = 10_000;

/// Notes what a source gives out.
struct Recorder<'a, S> {
    source: S,
    items: &'a mut Vec<Item>,
}

impl<S: Source> Source for Recorder<'_, S> {
    fn next(&mut self, port: usize) -> Option<(u32, Request)> {
        let (pause, request) = self.source.next(port)?;
        self.items.push(Item { port, pause, request });
        Some((pause, request))
    }
    fn answered(&mut self, port: usize, request: &Request, response: &Response) {
        self.source.answered(port, request, response);
    }
}

/// Runs a plan on a fresh engine and, if it fails, shortens it; nothing if it does not fail.
pub fn plan<E: Engine>(make: impl Fn() -> E, plan: &Plan) -> Option<Shortened> {
    let mut items = Vec::new();
    let mut engine = make();
    let source = Recorder { source: Generator::new(plan, engine.parameters()), items: &mut items };
    let failure = run::source(&mut engine, source, plan.conditions(), &mut run::Blind).err()?;
    Some(shorten(make, plan.conditions(), items, *failure))
}

fn shorten<E: Engine>(make: impl Fn() -> E, conditions: Conditions, items: Vec<Item>, failure: Failure) -> Shortened {
    let from = items.len();
    let mut best = Shortened { items, conditions, failure, from };
    let mut tries = 0;
    let mut fails = |items: &[Item], conditions: Conditions| -> Option<Failure> {
        tries += 1;
        if tries > TRIES {
            return None;
        }
        let mut engine = make();
        let mut script = Script::new(engine.parameters().ports);
        for item in items {
            script.push(item.port, item.pause, item.request);
        }
        run::source(&mut engine, script, conditions, &mut run::Blind).err().map(|failure| *failure)
    };

    loop {
        let before = best.items.len();
        // leave out halves, then quarters, down to single requests
        let mut size = before.div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start < best.items.len() {
                let end = (start + size).min(best.items.len());
                let rest: Vec<Item> = best.items[..start].iter().chain(&best.items[end..]).copied().collect();
                match fails(&rest, best.conditions) {
                    Some(failure) => (best.items, best.failure) = (rest, failure),
                    None => start = end,
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        let eager: Vec<Item> = best.items.iter().map(|item| Item { pause: 0, ..*item }).collect();
        if let Some(failure) = fails(&eager, best.conditions) {
            (best.items, best.failure) = (eager, failure);
        }
        let calmer = [
            Conditions { stall: 0, bank_stall: 0, ..best.conditions },
            Conditions { stall: 0, ..best.conditions },
            Conditions { bank_stall: 0, ..best.conditions },
        ];
        for conditions in calmer.into_iter().filter(|calmer| *calmer != best.conditions) {
            if let Some(failure) = fails(&best.items, conditions) {
                (best.conditions, best.failure) = (conditions, failure);
                break;
            }
        }
        if best.items.len() == before {
            return best;
        }
    }
}
