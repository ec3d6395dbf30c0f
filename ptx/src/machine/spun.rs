//! Causes of spinning: who would write the word, or who holds the lock.

use super::ahead::Ahead;
use super::diagnose::{Case, Diagnosis, Node, Part, Why, sentence};
use super::hang::{Group, Place, Polled};
use super::owed::Bringer;
use super::*;
use crate::machine::writers::Writer;
use crate::memory::LastWrite;

impl Case<'_, '_> {
    /// What keeps threads that look at memory again and again: who would write there, if that is not one who looks at it, too.
    pub(super) fn about_memory(&self, group: &Group) -> Node {
        let Some(polled) = group.polls.first() else { return Node::default() };
        if let Some(node) = self.about_lock(group, polled) {
            return node;
        }
        let stores = |polled: &Polled, ahead: &Ahead| ahead.store(polled.place, u32::from(polled.bytes));
        let looks = |who: &ThreadId| {
            let at = |other: &Group| group.polls.iter().any(|own| other.looks_at(own.place, own.bytes.into()));
            self.group_of(*who).is_some_and(at)
        };
        let writers = |polled: &Polled| -> Vec<(ThreadId, usize)> {
            self.ahead.iter().filter_map(|(who, ahead)| Some((*who, stores(polled, ahead)?))).collect()
        };
        let all: Vec<(ThreadId, usize)> = group.polls.iter().flat_map(writers).collect();
        let bringers: Vec<Bringer> =
            all.iter().filter(|(who, _)| !looks(who)).map(|(who, pc)| Bringer { who: *who, pc: Some(*pc) }).collect();
        if !bringers.is_empty() {
            return Node { cause: None, bringers };
        }
        let spins = group.does("spins", "spin");
        let (more, them) = match group.polls.len() {
            1 => (String::new(), "it"),
            all => (format!(" (and on {} more places)", all - 1), "any of them"),
        };
        let nobody = match all.is_empty() {
            true => format!("and no thread that is left changes {them}"),
            false => format!("and only threads that spin so themselves would change {them}"),
        };
        let why = sentence![
            Part::Threads(group.ids()),
            format!(" {spins} on {}, which is {}{more}, {nobody}", named(polled), polled.shown()),
        ];
        Node { cause: Some(Diagnosis::new(Bug::EndlessSpin, polled.pc, why)), bringers }
    }

    /// What keeps threads that look at a lock, which they would give back themselves: who has taken it.
    fn about_lock(&self, group: &Group, polled: &Polled) -> Option<Node> {
        let LastWrite::By(Writer { cluster, who: holder, pc: taken }) = polled.written else { return None };
        let stores = |who: &ThreadId| self.ahead.get(who)?.store(polled.place, polled.bytes.into());
        let is_lock = group.polls.len() == 1
            && cluster == self.machine.number
            && self.machine.program.takes(taken)
            && group.ids().iter().all(|who| stores(who).is_some());
        if !is_lock {
            return None;
        }
        let its = self.group_of(holder);
        let itself = its.filter(|its| its.looks_at(polled.place, polled.bytes.into()));
        let gives_back = stores(&holder);
        if itself.is_none_or(|its| its.pc != group.pc)
            && (gives_back.is_some() || self.ahead.get(&holder).is_some_and(|ahead| !ahead.whole))
        {
            return Some(Node { cause: None, bringers: vec![Bringer { who: holder, pc: gives_back }] });
        }
        let mut why = sentence![
            Part::Threads(group.ids()),
            format!(" {} on {}, which is {}: ", group.does("spins", "spin"), named(polled), polled.shown()),
            Part::Threads(vec![holder]),
            " wrote that in ",
            Part::Line(taken),
        ];
        match (itself, its) {
            (Some(its), _) => {
                why.add(sentence![", and looks at it in ", Part::Line(its.pc), " before it gives it back"])
            }
            (None, Some(its)) => why.add(sentence![", waits in ", Part::Line(its.pc), ", and writes it no more"]),
            (None, None) => why.add(Why(self.whereabouts(&[holder]))),
        }
        Some(Node { cause: Some(Diagnosis::new(Bug::EndlessSpin, polled.pc, why)), bringers: Vec::new() })
    }
}

/// What a place that is looked at is called.
pub(super) fn named(polled: &Polled) -> String {
    polled.label().unwrap_or_else(|| match polled.place {
        Place::Shared(spot) => format!("shared memory {:#x}", spot.offset),
        Place::Global(address) => format!("global memory {address:#x}"),
    })
}
