//! Functional coverage of a unit that is checked from its pins: which operations took effect, with which status, how far behind another on
//! their word, and in what company. The events of `txbar prove --covers` have the same bins.

use crate::request::Request;
use crate::scoreboard::Effects;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, VecDeque};
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;

/// Cycles from one operation on a word to the next that are told apart: as far as the low-latency build forwards.
pub const DISTANCES: u64 = 4;

/// Operations on a word in the company of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// It came alone to its word, and was done alone.
    Alone,
    /// It was done in one cycle with others on its word.
    Combined,
    /// It was accepted in one cycle with others on its word, and done by itself.
    Split,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 3] = [Shape::Alone, Shape::Combined, Shape::Split];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Alone => "alone",
            Shape::Combined => "combined",
            Shape::Split => "split",
        }
    }
}

/// An operation that took effect, as far as it is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Bin {
    /// Nothing for an opcode without meaning.
    op: Option<Op>,
    status: Status,
    /// At most [`DISTANCES`] cycles behind the one before on its word.
    distance: Option<u64>,
    shape: Shape,
}

/// An operation that took effect, as far as it is told apart, and how often.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// The operation; `none` for an opcode without meaning.
    pub operation: &'static str,
    /// Its status.
    pub status: &'static str,
    /// Cycles behind the operation before on its word, or `more`.
    pub distance: String,
    /// Its company.
    pub shape: &'static str,
    /// How often.
    pub count: u64,
}

/// How many there are of some bins, and which have not been hit.
#[derive(Clone, Debug, Serialize)]
pub struct Share {
    /// What the bins are.
    pub of: &'static str,
    /// Bins that have been hit.
    pub hit: usize,
    /// Bins.
    pub bins: usize,
    /// Those that have not been hit.
    pub missing: Vec<String>,
}

/// What has been covered.
#[derive(Clone, Debug, Serialize)]
pub struct Covered {
    /// Of each kind of bins.
    pub shares: Vec<Share>,
    /// The bins of operation, status, distance and shape together that have been hit.
    pub hits: Vec<Hit>,
}

/// A request that has been accepted and has not taken effect.
struct Issued {
    op: Option<Op>,
    in_company: bool,
}

/// Bins that count as one, under a name.
struct Named {
    name: String,
    is: Box<dyn Fn(&Bin) -> bool>,
}

impl Named {
    fn new(name: String, is: impl Fn(&Bin) -> bool + 'static) -> Self {
        Self { name, is: Box::new(is) }
    }
}

/// Counts what is covered.
#[derive(Default)]
pub struct Coverage {
    cycle: u64,
    /// By port and tag.
    issued: HashMap<(usize, u16), VecDeque<Issued>>,
    /// The last cycle in which an operation took effect on a word.
    last: HashMap<usize, u64>,
    hits: BTreeMap<Bin, u64>,
}

fn distance(cycles: Option<u64>) -> String {
    cycles.map_or("more".to_owned(), |cycles| cycles.to_string())
}

impl Coverage {
    /// The unit is reset: what was under way is no more.
    pub fn reset(&mut self) {
        self.issued.clear();
        self.last.clear();
    }

    /// A cycle: the requests that were accepted, with their ports, and what took effect.
    pub fn cycle(&mut self, accepted: &[(usize, Request)], effects: &Effects) {
        for (port, request) in accepted {
            let in_company = accepted.iter().any(|(other, with)| other != port && with.address == request.address);
            let issued = Issued { op: request.operation(), in_company };
            self.issued.entry((*port, request.tag)).or_default().push_back(issued);
        }
        for (place, done) in &effects.done {
            let Some(issued) = self.issued.get_mut(&(done.port, done.tag)).and_then(VecDeque::pop_front) else {
                continue;
            };
            let Some(status) = Status::ALL.iter().copied().find(|status| status.code() == done.status) else {
                continue;
            };
            let company = effects.done.iter().any(|(other, with)| other != place && with.index == done.index);
            let shape = match (company, issued.in_company) {
                (true, _) => Shape::Combined,
                (false, true) => Shape::Split,
                (false, false) => Shape::Alone,
            };
            let behind = self.last.get(&done.index).map(|last| self.cycle - last).filter(|cycles| *cycles <= DISTANCES);
            *self.hits.entry(Bin { op: issued.op, status, distance: behind, shape }).or_default() += 1;
        }
        self.last.extend(effects.done.iter().map(|(_, done)| (done.index, self.cycle)));
        self.cycle += 1;
    }

    /// What has been covered. Statuses that only checked mode, `barrier.cluster` or the end of a suspended wait give are no bins.
    pub fn covered(&self) -> Covered {
        let share = |of: &'static str, bins: Vec<Named>| {
            let total = bins.len();
            let missing = bins.into_iter().filter(|bin| !self.hits.keys().any(|hit| (bin.is)(hit)));
            let missing: Vec<String> = missing.map(|bin| bin.name).collect();
            Share { of, hit: total - missing.len(), bins: total, missing }
        };
        let of_op = |op: &Op| {
            let op = *op;
            Named::new(op.name().to_owned(), move |bin| bin.op == Some(op))
        };
        let at_distances = |op: &Op| {
            let op = *op;
            let at = move |behind: Option<u64>| {
                let name = format!("{} at {}", op.name(), distance(behind));
                Named::new(name, move |bin| bin.op == Some(op) && bin.distance == behind)
            };
            (1..=DISTANCES).map(Some).chain([None]).map(at)
        };
        let is_given = |status: &Status| {
            !status.is_remark() && !Status::OF_ROUNDS.contains(status) && *status != Status::Invalidated
        };
        let of_status = |status: Status| Named::new(status.name().to_owned(), move |bin| bin.status == status);
        let of_shape = |shape: Shape| Named::new(shape.name().to_owned(), move |bin| bin.shape == shape);
        let shares = vec![
            share("operations", Op::ALL.iter().map(of_op).collect()),
            share("operations at distances", Op::ALL.iter().flat_map(at_distances).collect()),
            share("statuses", Status::ALL.iter().copied().filter(is_given).map(of_status).collect()),
            share("shapes", Shape::ALL.map(of_shape).into()),
        ];
        let hit = |(bin, count): (&Bin, &u64)| Hit {
            operation: bin.op.map_or("none", Op::name),
            status: bin.status.name(),
            distance: distance(bin.distance),
            shape: bin.shape.name(),
            count: *count,
        };
        Covered { shares, hits: self.hits.iter().map(hit).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use txbar_synth::prove::covers::EVENTS;

    #[test]
    fn proofs_reach_the_same_bins() {
        let named = |name: &str| EVENTS.iter().any(|(event, _)| *event == name);
        assert!((1..=DISTANCES).all(|cycles| named(&format!("distance_{cycles}"))));
        assert!(!named(&format!("distance_{}", DISTANCES + 1)));
        assert!(named("combined") && named("split"));
    }
}
