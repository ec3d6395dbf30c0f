//! Diagnosis of a hang: who waits for what, and who could still provide it.
//!
//! **What has been found already.** If something was wrong with the use of a barrier before the threads came to a halt, the
//! halt follows from it.
//!
//! **Who waits for whom.** Otherwise each group of threads that wait for the same is asked who could bring it: of a barrier in
//! memory by `owed`, of a barrier of the CTA or the cluster it is who has not come. That is a graph:
//!
//! ```text
//!   group ──► groups of threads that would bring it, if their own waits came to an end
//!   group ──► nobody: the cause is here                        (they have exited, none arrives, the count is wrong, ...)
//!   group ──► ... ──► the same group, and nobody outside: the circle is the cause       (a deadlock, a wrong first parity)
//! ```
//! Groups that wait for others who are to blame, or who wait for those, are victims, and nothing is said of them.

use super::across::Store;
use super::ahead::Ahead;
use super::hang::{Group, Polled, Standing, Waits};
use super::owed::Bringer;
use super::spun::named;
use super::*;
use crate::machine::bars::BarStanding;
use crate::machine::registers::RegisterStanding;
use crate::residency::PARTS;
use std::collections::BTreeMap;

/// Stores to global memory that are remembered of a cluster.
const STORES: usize = 4096;

/// A part of a sentence about a hang: the report knows names and lines.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Words.
    Text(String),
    /// `line 12`.
    Line(usize),
    /// `threads 0-31`.
    Threads(Vec<ThreadId>),
    /// The name of a barrier.
    Barrier(Spot),
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Part::Text(text)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Part::Text(text.to_string())
    }
}

/// Evidence for a cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Why(pub Vec<Part>);

impl Why {
    /// Goes on with this.
    pub(super) fn add(&mut self, more: Why) {
        self.0.extend(more.0);
    }
}

impl<T: Into<Part>> From<T> for Why {
    fn from(text: T) -> Self {
        Why(vec![text.into()])
    }
}

/// A sentence of parts, each of which is a [`Part`] or becomes one.
macro_rules! sentence {
    ($($part:expr),* $(,)?) => { Why(vec![$(Part::from($part)),*]) };
}
pub(super) use sentence;

/// A mistake that a hang looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// Kind of mistake.
    pub bug: Bug,
    /// The instruction to look at.
    pub pc: usize,
    /// Evidence.
    pub why: Why,
    /// Already reported, with advice.
    pub above: bool,
}

impl Diagnosis {
    pub(super) fn new(bug: Bug, pc: usize, why: impl Into<Why>) -> Self {
        Self { bug, pc, why: why.into(), above: false }
    }
}

/// What keeps a group of threads.
#[derive(Default)]
pub(super) struct Node {
    /// What is wrong here, whoever else waits.
    pub(super) cause: Option<Diagnosis>,
    /// Threads that could provide it.
    pub(super) bringers: Vec<Bringer>,
}

/// A hang as it is diagnosed.
pub(super) struct Case<'a, 'p> {
    pub(super) machine: &'a Machine<'p>,
    pub(super) groups: &'a [Group],
    pub(super) barriers: &'a [Standing],
    bars: &'a [BarStanding],
    registers: &'a [RegisterStanding],
    /// Future of each thread.
    pub(super) ahead: BTreeMap<ThreadId, Ahead>,
    /// The group of each thread.
    home: HashMap<ThreadId, usize>,
}

impl Machine<'_> {
    /// The mistakes that this looks like, the likeliest first, and what threads would store to global memory behind their waits.
    pub(super) fn diagnose(
        &self,
        groups: &[Group],
        barriers: &[Standing],
        bars: &[BarStanding],
        registers: &[RegisterStanding],
    ) -> (Vec<Diagnosis>, Vec<Store>) {
        let mut found: Vec<Diagnosis> = Vec::new();
        // who has not waited for every phase may wait for one that is over; if there are races, because of these
        let missed = |group: &Group| {
            group.spot().is_some_and(|spot| group.ids().iter().any(|who| self.observer.has_missed(spot, *who)))
        };
        let races = groups.iter().any(missed);
        let stops = |bug: Bug| bug.stops_threads() || races && matches!(bug, Bug::DataRace | Bug::CopyNotAwaited);
        for finding in self.findings.list().iter().filter(|finding| stops(finding.bug)) {
            if found.iter().all(|other| other.bug != finding.bug) {
                let why = sentence!["see above; that nothing moves any more follows from it"];
                found.push(Diagnosis { above: true, ..Diagnosis::new(finding.bug, finding.pc, why) });
            }
        }
        if !found.is_empty() {
            return (found, Vec::new());
        }
        let threads = |(number, group): (usize, &Group)| {
            let cta = group.cta;
            group.threads.clone().into_iter().map(move |thread| (ThreadId { cta, thread }, number))
        };
        let home = groups.iter().enumerate().flat_map(threads).collect();
        let spins = groups.iter().filter(|group| group.waits == Waits::Memory);
        let spins = spins.flat_map(|group| group.ids().into_iter().map(|who| (who, &group.polls[..]))).collect();
        let case = Case { machine: self, groups, barriers, bars, registers, ahead: self.all_ahead(&spins), home };
        let stores = case.ahead.iter().flat_map(|(who, ahead)| {
            ahead.stores_to_global().map(|(pc, place, bytes)| Store { who: *who, pc, place, bytes })
        });
        (case.causes(), stores.take(STORES).collect())
    }
}

impl Case<'_, '_> {
    /// All causes.
    fn causes(&self) -> Vec<Diagnosis> {
        let nodes: Vec<Node> = self.groups.iter().map(|group| self.node(group)).collect();
        let next: Vec<Vec<usize>> = nodes.iter().map(|node| self.homes(&node.bringers)).collect();
        let reach: Vec<Vec<bool>> = (0..nodes.len()).map(|from| reachable(&next, from)).collect();
        let mut told = vec![false; nodes.len()];
        let mut found: Vec<Diagnosis> = nodes.iter().filter_map(|node| node.cause.clone()).collect();
        let counts = self.machine.about_bars(self.groups, self.bars, true);
        let miscounted = !counts.is_empty();
        found.extend(counts);
        for start in 0..nodes.len() {
            let is_of_circle = |other: &usize| reach[start][*other] && reach[*other][start];
            let circle: Vec<usize> = (0..nodes.len()).filter(is_of_circle).collect();
            let closed = (0..nodes.len()).all(|other| !reach[start][other] || reach[other][start]);
            if miscounted
                || circle.is_empty()
                || !closed
                || told[start]
                || circle.iter().any(|one| nodes[*one].cause.is_some())
            {
                continue;
            }
            circle.iter().for_each(|one| told[*one] = true);
            found.extend(self.about_circle(&nodes, &next, &circle));
        }
        if found.is_empty() {
            found = self.machine.about_bars(self.groups, self.bars, false);
            found.extend(self.groups.iter().filter_map(|group| match group.waits {
                Waits::Warpgroup(first) => Some(self.machine.about_warpgroup(group, first.into())),
                _ => not_reached(group),
            }));
        }
        found.sort_by_key(|one| (one.bug, one.pc));
        found.dedup_by(|one, other| (one.bug, one.pc) == (other.bug, other.pc));
        found
    }

    /// Cause that blocks a group.
    fn node(&self, group: &Group) -> Node {
        let comes = |who| Bringer { who, pc: None };
        match group.waits {
            Waits::Phase { spot, .. } => self.about_phase(group, spot),
            Waits::Bar(number) => {
                let cta = group.cta;
                let missing = group.missing.iter().map(|thread| comes(ThreadId { cta, thread: *thread }));
                let elsewhere = |who: &ThreadId| {
                    who.cta == cta && self.group_of(*who).is_some_and(|group| group.waits != Waits::Bar(number))
                };
                let come = self.ahead.iter().filter(|(who, ahead)| elsewhere(who) && ahead.comes(number));
                let mut bringers: Vec<Bringer> = missing.chain(come.map(|(who, _)| comes(*who))).collect();
                bringers.dedup();
                Node { cause: None, bringers }
            }
            Waits::Lanes(_) | Waits::Warpgroup(_) => {
                let cta = group.cta;
                let missing = group.missing.iter().map(|thread| comes(ThreadId { cta, thread: *thread }));
                Node { cause: None, bringers: missing.collect() }
            }
            Waits::Round => {
                let elsewhere =
                    |who: &&ThreadId| self.home.get(who).is_some_and(|home| self.groups[*home].waits != Waits::Round);
                Node { cause: None, bringers: self.ahead.keys().filter(elsewhere).copied().map(comes).collect() }
            }
            Waits::Registers => {
                // warps of the same part that would give some back behind what they wait for
                let part = |thread: u16| usize::from(thread) / 32 % PARTS;
                let gives = |(who, ahead): (&ThreadId, &Ahead)| {
                    let shares = group.threads.iter().any(|thread| part(*thread) == part(who.thread));
                    let elsewhere = self.group_of(*who).is_some_and(|its| its.waits != Waits::Registers);
                    let pc = ahead.gives_back.filter(|_| who.cta == group.cta && shares && elsewhere);
                    pc.map(|pc| Bringer { who: *who, pc: Some(pc) })
                };
                let bringers: Vec<Bringer> = self.ahead.iter().filter_map(gives).collect();
                if !bringers.is_empty() {
                    return Node { cause: None, bringers };
                }
                let mut standing = self.registers.iter().filter(|one| (one.cta, one.pc) == (group.cta, group.pc));
                let cause = standing.find_map(|one| Some(Diagnosis::new(Bug::RegisterPool, one.pc, one.why()?)));
                Node { cause, bringers: Vec::new() }
            }
            Waits::Memory => self.about_memory(group),
            Waits::Copies | Waits::Nothing => Node::default(),
        }
    }

    /// The groups of threads.
    fn homes(&self, bringers: &[Bringer]) -> Vec<usize> {
        let mut homes: Vec<usize> = bringers.iter().filter_map(|one| self.home.get(&one.who).copied()).collect();
        homes.sort_unstable();
        homes.dedup();
        homes
    }

    /// Groups that wait for each other, and for nobody else.
    fn about_circle(&self, nodes: &[Node], next: &[Vec<usize>], circle: &[usize]) -> Vec<Diagnosis> {
        let groups = || circle.iter().map(|number| &self.groups[*number]);
        let phases = || groups().filter(|group| group.spot().is_some());
        let in_memory =
            |group: &Group| group.spot().is_some() || matches!(group.waits, Waits::Memory | Waits::Registers);
        if !groups().any(in_memory) && !self.is_of_bars(nodes, circle) {
            return Vec::new(); // barriers of the CTA or cluster alone: see `not_reached`
        }
        let early: Vec<&Group> = phases().filter(|group| self.begins_too_early(group)).collect();
        if !early.is_empty() && early.len() < phases().count() {
            return early.into_iter().filter_map(|group| self.wrong_start(group)).collect();
        }
        let late: Vec<Diagnosis> = phases().filter_map(|group| self.misses_the_first(group)).collect();
        if !late.is_empty() {
            return late;
        }
        let skips: Vec<Diagnosis> = phases().filter_map(|group| self.skips_a_phase(group)).collect();
        if !skips.is_empty() {
            return skips;
        }
        if let Some(cause) = circle.iter().find_map(|number| self.left_out(&self.groups[*number], &nodes[*number])) {
            return vec![cause];
        }
        let begins = circle.iter().copied().find(|number| in_memory(&self.groups[*number]));
        let walk = shortest(next, begins.unwrap_or(circle[0]));
        let mut why = Why(Vec::new());
        for (place, [from, to]) in walk.iter().zip(walk.iter().cycle().skip(1)).map(|(a, b)| [*a, *b]).enumerate() {
            let (group, other) = (&self.groups[from], &self.groups[to]);
            let of_other = |one: &&Bringer| self.home.get(&one.who) == Some(&to);
            let bringers: Vec<&Bringer> = nodes[from].bringers.iter().filter(of_other).collect();
            let Some(bringer) = bringers.first() else { continue };
            let who: Vec<ThreadId> =
                bringers.iter().filter(|other| other.pc == bringer.pc).map(|other| other.who).collect();
            let (one, alone) = (group.threads.len() == 1, who.len() == 1);
            let spins = group.waits == Waits::Memory;
            why.add(sentence![
                if place == 0 { "" } else { "; " },
                Part::Threads(group.ids()),
                match (spins, one) {
                    (true, true) => " spins in ",
                    (true, false) => " spin in ",
                    (false, true) => " waits in ",
                    (false, false) => " wait in ",
                },
                Part::Line(group.pc),
                if spins { " on " } else { " for " },
            ]);
            match (group.spot(), bringer.pc) {
                (None, Some(pc)) if group.waits == Waits::Registers => {
                    let gives = if alone { " gives some back in " } else { " give some back in " };
                    why.add(sentence!["registers, and ", Part::Threads(who), gives, Part::Line(pc), ","]);
                }
                (None, Some(pc)) => {
                    let looks = |polled: &&Polled| {
                        bringers.iter().any(|one| {
                            self.ahead
                                .get(&one.who)
                                .is_some_and(|ahead| ahead.store(polled.place, polled.bytes.into()).is_some())
                        })
                    };
                    let Some(polled) = group.polls.iter().find(looks).or(group.polls.first()) else { continue };
                    let only = who.first().filter(|_| alone);
                    let wrote = only.and_then(|by| polled.written.of(*by, self.machine.number));
                    why.add(sentence![format!("{}, which is {}", named(polled), polled.shown())]);
                    why.add(match wrote {
                        Some(wrote) => sentence![
                            ": ",
                            Part::Threads(who),
                            " wrote that in ",
                            Part::Line(wrote),
                            ", and writes it again in "
                        ],
                        None => sentence![
                            ", and ",
                            Part::Threads(who),
                            if alone { " writes it in " } else { " write it in " }
                        ],
                    });
                    why.add(sentence![Part::Line(pc), ","]);
                }
                (Some(spot), Some(pc)) => {
                    let arrives = self.standing(spot).is_some_and(|standing| standing.arrivals_missing > 0);
                    let brings = match (arrives, alone) {
                        (true, true) => " arrives on it in ",
                        (true, false) => " arrive on it in ",
                        (false, true) => " sends bytes in ",
                        (false, false) => " send bytes in ",
                    };
                    why.add(sentence![Part::Barrier(spot), ", and ", Part::Threads(who), brings, Part::Line(pc), ","]);
                }
                _ => {
                    let what = match group.waits {
                        Waits::Bar(number) => format!("barrier {number} of the CTA, and "),
                        Waits::Lanes(_) => "other lanes of the warp, and ".to_string(),
                        Waits::Warpgroup(_) => "the other warps of the warpgroup, and ".to_string(),
                        _ => "barrier.cluster, and ".to_string(),
                    };
                    let comes = match (group.waits, alone) {
                        (Waits::Lanes(_), true) => " is one of them,",
                        (Waits::Lanes(_), false) => " are of them,",
                        (_, true) => " comes to it",
                        (_, false) => " come to it",
                    };
                    why.add(sentence![what, Part::Threads(who), comes]);
                }
            }
            let its = match (other.waits == Waits::Memory, alone) {
                (false, true) => " behind its wait in ",
                (false, false) => " behind their wait in ",
                (true, true) => " behind its loop in ",
                (true, false) => " behind their loop in ",
            };
            why.add(sentence![its, Part::Line(other.pc)]);
        }
        vec![Diagnosis::new(Bug::Deadlock, self.groups[walk[0]].pc, why)]
    }

    /// Whether groups wait for each other at different barriers of their CTA, and each warp would come to the other barrier behind its own.
    fn is_of_bars(&self, nodes: &[Node], circle: &[usize]) -> bool {
        circle.len() > 1
            && circle.iter().all(|number| {
                let group = &self.groups[*number];
                let Waits::Bar(bar) = group.waits else { return false };
                let warps: Vec<u16> = group.threads.iter().map(|thread| thread / 32).collect();
                nodes[*number].bringers.iter().all(|one| {
                    self.ahead.get(&one.who).is_some_and(|ahead| ahead.comes(bar))
                        && !warps.contains(&(one.who.thread / 32))
                })
            })
    }

    /// Whether a group waits, as the first thing that its threads do with a barrier, for the end of the first phase, and fills
    /// something behind that: a slot that is empty.
    fn begins_too_early(&self, group: &Group) -> bool {
        let Some(spot) = group.spot().filter(|_| group.is_for_parity(0)) else { return false };
        let untouched = |standing: &Standing| standing.phase == Some(0) && standing.arrived.is_empty();
        let first = || group.ids().into_iter().all(|who| !self.machine.observer.has_passed(spot, who));
        let fills = |who: &ThreadId| self.ahead.get(who).is_some_and(|ahead| ahead.fills_behind(spot));
        self.standing(spot).is_some_and(untouched) && first() && group.ids().iter().any(fills)
    }

    pub(super) fn wrong_start(&self, group: &Group) -> Option<Diagnosis> {
        let why = sentence![
            Part::Threads(group.ids()),
            group.does(" waits", " wait"),
            " for the end of phase 0 of ",
            Part::Barrier(group.spot()?),
            ", in which nobody has arrived, and behind the wait something is filled: a slot that is empty at first is \
             waited for with parity 1",
        ];
        Some(Diagnosis::new(Bug::WrongStartingParity, group.pc, why))
    }

    /// State of a barrier.
    pub(super) fn standing(&self, spot: Spot) -> Option<&Standing> {
        self.barriers.iter().find(|standing| standing.spot == spot)
    }

    /// The group of a thread, if it has not exited.
    pub(super) fn group_of(&self, who: ThreadId) -> Option<&Group> {
        self.home.get(&who).map(|home| &self.groups[*home])
    }
}

/// The barrier of the cluster, that some threads do not come to; those of CTAs are a matter of `bar_verdict`.
fn not_reached(group: &Group) -> Option<Diagnosis> {
    let why = "barrier.cluster is waited for, and some threads do not come to it";
    (group.waits == Waits::Round).then(|| Diagnosis::new(Bug::NotReached, group.pc, why))
}

/// What can be reached from a node, in one step or more.
fn reachable(next: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; next.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for &other in &next[node] {
            if !std::mem::replace(&mut reached[other], true) {
                open.push(other);
            }
        }
    }
    reached
}

/// The nodes of the shortest way from one back to itself, which there is.
fn shortest(next: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut from: Vec<Option<usize>> = vec![None; next.len()];
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        if next[node].contains(&start) {
            let mut walk = vec![node];
            while let Some(before) = from[*walk.last().unwrap_or(&start)].filter(|_| walk.last() != Some(&start)) {
                walk.push(before);
            }
            walk.reverse();
            return walk;
        }
        for &other in &next[node] {
            if other != start && from[other].is_none() {
                from[other] = Some(node);
                open.push_back(other);
            }
        }
    }
    vec![start]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_circle() {
        let next = vec![vec![1, 2], vec![2], vec![3], vec![0], vec![4]];
        assert_eq!(shortest(&next, 0), [0, 2, 3]);
        assert_eq!(shortest(&next, 4), [4]);
        assert_eq!(reachable(&next, 4), [false, false, false, false, true]);
    }
}
