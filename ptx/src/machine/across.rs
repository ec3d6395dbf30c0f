//! Threads that spin on global memory that another cluster would write: they wait for that cluster.
//!
//! Each cluster that hangs has been diagnosed alone (`diagnose`). If a cluster that would write the word is kept by something else, that is the
//! cause, and nothing is said of those who spin; if each of them spins itself, they wait for each other.

use super::diagnose::{Diagnosis, Part, Why, sentence};
use super::findings::Bug;
use super::hang::{Hang, Place, Polled, Waits};
use super::spun::named;
use super::state::ThreadId;

/// What a thread that is left would store to global memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Store {
    /// Thread.
    pub who: ThreadId,
    /// Index of the instruction.
    pub pc: usize,
    /// Place in memory.
    pub place: Place,
    /// Number of bytes.
    pub bytes: u32,
}

/// The clusters that hang, by number; each has so many CTAs.
pub(crate) fn settle(hangs: &mut [(u32, &mut Hang)], ctas: usize) {
    let spins: Vec<Vec<(usize, Store)>> = (0..hangs.len()).map(|of| waits(hangs, of)).collect();
    let alone = |of: usize| hangs[of].1.bugs.iter().any(|one| one.bug != Bug::EndlessSpin) || spins[of].is_empty();
    let alone: Vec<bool> = (0..hangs.len()).map(alone).collect();
    let leads = |from: usize| {
        let (mut seen, mut open) = (vec![false; spins.len()], vec![from]);
        while let Some(of) = open.pop() {
            for (to, _) in spins[of].iter().filter(|(to, _)| !std::mem::replace(&mut seen[*to], true)) {
                open.push(*to);
            }
        }
        seen
    };
    let changed: Vec<Option<Option<Diagnosis>>> = (0..hangs.len())
        .map(|of| {
            let first = spins[of].first()?;
            let elsewhere = leads(of).into_iter().zip(&alone).any(|(seen, alone)| seen && *alone);
            // of those who wait for others that wait for each other nothing is said
            let back = spins[of].iter().find(|(to, _)| leads(*to)[of]);
            let (to, store) = *back.unwrap_or(first);
            let is_cause = !elsewhere && back.is_some();
            Some(is_cause.then(|| circle((hangs[of].1, hangs[to].1), store, hangs[to].0, ctas)).flatten())
        })
        .collect();
    for ((_, hang), changed) in hangs.iter_mut().zip(changed) {
        if let Some(changed) = changed {
            hang.bugs.retain(|one| one.bug != Bug::EndlessSpin);
            hang.bugs.extend(changed);
        }
    }
}

/// The clusters that would write what threads of one spin on, and with what: not those that spin on the same.
fn waits(hangs: &[(u32, &mut Hang)], of: usize) -> Vec<(usize, Store)> {
    let hang = &hangs[of].1;
    if hang.bugs.iter().all(|one| one.bug != Bug::EndlessSpin) {
        return Vec::new();
    }
    let polls = |hang: &Hang, store: &Store| hang.groups.iter().any(|group| group.looks_at(store.place, store.bytes));
    let others = hangs.iter().enumerate().filter(|(number, _)| *number != of);
    let stores = others.filter_map(|(number, (_, other))| {
        let store = other.stores.iter().find(|store| polls(hang, store) && !polls(other, store))?;
        Some((number, *store))
    });
    stores.collect()
}

/// Threads of one cluster spin on what another one would write behind its own loop.
fn circle((hang, other): (&Hang, &Hang), store: Store, number: u32, ctas: usize) -> Option<Diagnosis> {
    let group = hang.groups.iter().find(|group| group.looks_at(store.place, store.bytes))?;
    let looks = |polled: &&Polled| polled.place.overlaps(polled.bytes.into(), store.place, store.bytes);
    let polled = group.polls.iter().find(looks)?;
    let pc = polled.pc;
    let wrote = polled.written.of(store.who, number);
    let behind = other.groups.iter().find(|group| group.ids().contains(&store.who))?;
    let cta = number as usize * ctas + usize::from(store.who.cta);
    let mut why = sentence![
        Part::Threads(group.ids()),
        group.does(" spins in ", " spin in "),
        Part::Line(pc),
        format!(
            " on {}, which is {}: thread {} of CTA {cta} of the grid ",
            named(polled),
            polled.shown(),
            store.who.thread
        ),
    ];
    if let Some(wrote) = wrote {
        why.add(sentence!["wrote that in ", Part::Line(wrote), ", and "]);
    }
    why.add(sentence![
        if wrote.is_some() { "writes it again in " } else { "writes it in " },
        Part::Line(store.pc),
        if behind.waits == Waits::Memory { ", behind its own loop in " } else { ", behind its own wait in " },
        Part::Line(behind.pc),
    ]);
    Some(Diagnosis::new(Bug::Deadlock, pc, why))
}
