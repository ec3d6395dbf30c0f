//! Sources of the arrivals and bytes that a phase lacks.
//!
//! In this order, the first that explains them all:
//! * the threads that wait elsewhere and would arrive behind that: they bring them, and are asked themselves what they wait for;
//! * threads that arrived in earlier phases and are past their last arrival, or have exited;
//! * those that wait for this very phase, and arrive behind that;
//! * threads that have exited and never arrived, where others of their kind have;
//! * those that expected bytes and did not arrive with that; or nobody at all;
//! * and only then the count is wrong.

use super::diagnose::{Case, Diagnosis, Node, Part, Why, sentence};
use super::hang::{Group, Standing, Waits};
use super::*;
use crate::machine::ahead::Coming;
use crate::machine::findings::plural;
use crate::machine::observe::Watch;
use std::collections::{BTreeMap, BTreeSet};

/// A thread that could bring what others wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bringer {
    pub(super) who: ThreadId,
    /// With which instruction: that of an arrival or a copy.
    pub(super) pc: Option<usize>,
}

/// What is said behind the place where threads have ended, one or more, of the branch that led them there.
pub(super) fn branched(one: bool, parted: usize) -> Why {
    sentence![if one { ", where it" } else { ", where they" }, " had branched to in ", Part::Line(parted)]
}

impl Machine<'_> {
    /// The branch that led a thread to its end, which no other instruction on that way decided.
    pub(super) fn parted(&self, who: ThreadId) -> Option<usize> {
        let runner = self.runner(who);
        let (from, to) = runner.branched;
        let ended = runner.state == State::Exited && from < to;
        (ended && self.program.is_straight(to, runner.lane.pc)).then_some(from)
    }
}

impl Case<'_, '_> {
    /// What keeps threads that wait for a phase.
    pub(super) fn about_phase(&self, group: &Group, spot: Spot) -> Node {
        let because = |cause| Node { cause: Some(cause), bringers: Vec::new() };
        let watch = self.machine.observer.at(spot);
        let (Some(watch), Some(standing)) = (watch.filter(|watch| watch.live), self.standing(spot)) else {
            let why = match watch.and_then(|watch| watch.ended) {
                Some(pc) => sentence!["the barrier has been invalidated in ", Part::Line(pc)],
                None => sentence!["nobody has initialised the barrier"],
            };
            return because(Diagnosis::new(Bug::MissingInit, group.pc, why));
        };
        if let Some(astray) = self.astray(group, spot, watch) {
            return because(astray);
        }
        let mut node =
            if standing.arrivals_missing > 0 { self.about_arrivals(group, standing, watch) } else { Node::default() };
        if standing.bytes_missing != 0 && node.cause.is_none() {
            let sender = |(who, ahead): (&ThreadId, &ahead::Ahead)| {
                let (pc, next) = ahead.copy(spot)?;
                // if no arrival is missing, bytes behind one are those of the phase that comes
                let of_next = next && standing.arrivals_missing == 0;
                let waits_here = self.group_of(*who).and_then(Group::spot) == Some(spot);
                (!of_next && !waits_here).then_some(Bringer { who: *who, pc: Some(pc) })
            };
            let senders: Vec<Bringer> = self.ahead.iter().filter_map(sender).collect();
            match standing.bytes_missing > 0 && !senders.is_empty() {
                true => node.bringers.extend(senders),
                false if node.bringers.is_empty() => node.cause = Some(self.about_bytes(standing.bytes_missing, watch)),
                false => {}
            }
        }
        node
    }

    /// A wait for a phase that is over, or for another one than the thread arrived in.
    fn astray(&self, group: &Group, spot: Spot, watch: &Watch) -> Option<Diagnosis> {
        let Waits::Phase { parity, by_parity, .. } = group.waits else { return None };
        let observer = &self.machine.observer;
        let thread = *group.threads.first()?;
        let id = ThreadId { cta: group.cta, thread };
        // a token says itself of which phase it is
        let runner = self.machine.runner(id);
        let token = runner
            .waiting()
            .filter(|_| !by_parity)
            .and_then(|wait| runner.tokens.iter().find(|token| (token.value, token.spot) == (wait.operand, spot)));
        let foreign = || {
            let wait = runner.waiting().filter(|_| !by_parity && token.is_none())?;
            runner.tokens.iter().rfind(|token| token.value == wait.operand && token.spot != spot)
        };
        if let Some(foreign) = foreign() {
            let why = sentence![
                Part::Threads(group.ids()),
                group.does(" waits", " wait"),
                " on ",
                Part::Barrier(spot),
                self.cta_of(spot),
                format!(" with the token of an arrival in phase {} of ", foreign.phase),
                Part::Barrier(foreign.spot),
                self.cta_of(foreign.spot),
            ];
            return Some(Diagnosis::new(Bug::NoArrival, group.pc, why));
        }
        let meant = token.map_or_else(|| observer.meant(spot, id, u64::from(parity)), |token| token.phase);
        let own = observer.last_arrival(spot, id);
        let mismatched = own.filter(|own| by_parity && own & 1 != u64::from(parity));
        let phase = watch.phase;
        let behind = phase >= meant + 2;
        if (behind || mismatched.is_some()) && watch.outnumbered() && watch.arrivers.contains_key(&id) {
            let (threads, count) = (watch.arrivers.len(), watch.origin.count);
            let why = format!(
                "{threads} threads arrive on a barrier for {count}: what is meant as one phase has been {phase}"
            );
            return Some(Diagnosis::new(Bug::InitCount, watch.origin.pc, sentence![why]));
        }
        if let Some(own) = mismatched {
            let why =
                format!("thread {thread} arrived in phase {own} (parity {}) and waits with parity {parity}", own & 1);
            return Some(Diagnosis::new(Bug::WrongStartingParity, group.pc, sentence![why]));
        }
        behind.then(|| {
            let why = format!(
                "thread {thread} waits for phase {meant}, which is over; phase {phase}, with the same parity, is not"
            );
            Diagnosis::new(Bug::AliasedParity, group.pc, sentence![why])
        })
    }

    /// Whose the arrivals are that a phase lacks.
    fn about_arrivals(&self, group: &Group, standing: &Standing, watch: &Watch) -> Node {
        let Standing { spot, arrivals_missing: missing, ref arrived, .. } = *standing;
        let here: BTreeSet<ThreadId> = arrived.iter().map(|arrival| arrival.who).collect();
        let parity = (watch.phase & 1) as u8;
        let (mut bringers, mut own) = (Vec::new(), Vec::new());
        let mut brought = 0;
        for (who, ahead) in self.ahead.iter().filter(|(who, _)| watch.owes(**who)) {
            match ahead.arrival(spot, parity) {
                Some(Coming { pc, count, behind: false }) => {
                    bringers.push(Bringer { who: *who, pc: Some(pc) });
                    brought += count;
                }
                Some(Coming { pc, .. }) => own.push((*who, pc)),
                None => {}
            }
        }
        let because = |cause| Node { cause: Some(cause), bringers: Vec::new() };
        let bring = |bringers| Node { cause: None, bringers };
        if brought >= missing {
            return bring(bringers);
        }
        if let Some(cause) = self.begins_with_the_second(group, watch).or_else(|| self.skips_a_phase(group)) {
            return because(cause);
        }
        // who may still arrive though it could not be followed so far
        let unclear = self.ahead.iter().any(|(who, ahead)| !ahead.whole && !here.contains(who));
        let is_past = |who: &ThreadId| {
            self.ahead.get(who).is_none_or(|ahead| ahead.whole && ahead.arrival(spot, parity).is_none())
        };
        let past: Vec<ThreadId> = standing.absent.iter().copied().filter(is_past).collect();
        let expecters: Vec<(ThreadId, usize)> =
            watch.expecters.iter().copied().filter(|(who, _)| !here.contains(who) && is_past(who)).collect();
        if !past.is_empty() && !past.iter().any(|who| expecters.iter().any(|(expecter, _)| expecter == who)) {
            return because(self.about_past(group, watch, past));
        }
        if let Some((_, pc)) = own.first().filter(|_| bringers.is_empty()) {
            let why = sentence![
                Part::Threads(group.ids()),
                group.does(" waits", " wait"),
                format!(" for phase {} of ", watch.phase),
                Part::Barrier(spot),
                format!(", which lacks {missing} of {}; ", arrivals(standing.arrivals_expected)),
                Part::Threads(own.iter().map(|(who, _)| *who).collect()),
                if own.len() == 1 { " arrives" } else { " arrive" },
                " on it behind that wait, in ",
                Part::Line(*pc),
            ];
            return because(Diagnosis::new(Bug::OwnArrivalAfterWait, group.pc, why));
        }
        if !bringers.is_empty() || unclear {
            return bring(bringers);
        }
        if let Some(cause) = self.left_early(standing, watch, &here) {
            return because(cause);
        }
        let of = format!("{missing} of {} {}", arrivals(standing.arrivals_expected), are(missing));
        if let Some((who, pc)) = expecters.first() {
            let [expected, completed] = standing.bytes;
            let why = sentence![
                Part::Threads(vec![*who]),
                format!(" expects {expected} bytes in phase {} of ", watch.phase),
                Part::Barrier(spot),
                format!(" and does not arrive in it; {completed} bytes have been completed, {of} missing"),
            ];
            return because(Diagnosis::new(Bug::ExpectWithoutArrive, *pc, why));
        }
        if let Some(cause) = self.on_another(group, standing, watch) {
            return because(cause);
        }
        if watch.arrivers.is_empty() {
            let [expected, completed] = standing.bytes;
            let bytes = match completed {
                0 => String::new(),
                _ => format!(" ({completed} bytes have been completed on it, {expected} expected)"),
            };
            let mut why = sentence![
                format!("{of} missing in phase {} of ", watch.phase),
                Part::Barrier(spot),
                format!(": no thread has ever arrived on it, and none that is left will{bytes}"),
            ];
            if let Some(own) = watch.counted_alone {
                why.add(sentence![
                    "; cp.async.mbarrier.arrive in ",
                    Part::Line(own),
                    " makes an arrival that it has added itself: with .noinc it makes one of those that are counted",
                ]);
            }
            return because(Diagnosis::new(Bug::NoArrival, watch.counted_alone.unwrap_or(group.pc), why));
        }
        let came: u32 = arrived.iter().map(|arrival| arrival.count).sum();
        let why = sentence![
            Part::Barrier(spot),
            format!(" counts {}; in phase {}, ", arrivals(watch.origin.count), watch.phase),
            format!(
                "{came} came: {of} missing, and nobody is left who could make {}",
                if missing == 1 { "it" } else { "them" }
            ),
        ];
        because(Diagnosis::new(Bug::InitCount, watch.origin.pc, why))
    }

    /// Of a cluster of several, the CTA of a barrier.
    fn cta_of(&self, spot: Spot) -> String {
        if self.machine.blocks.len() > 1 { format!(" of CTA {}", spot.cta) } else { String::new() }
    }

    /// As many arrivals as are missing were made on a barrier that nobody has ever waited for.
    fn on_another(&self, group: &Group, standing: &Standing, watch: &Watch) -> Option<Diagnosis> {
        let observer = &self.machine.observer;
        let is_waited_for = |spot: Spot| {
            self.groups.iter().any(|group| group.spot() == Some(spot))
                || observer.roles().any(|(_, role)| role == (spot, false))
        };
        let (_, other) = observer.all().find(|(spot, other)| {
            let made: u64 = other.arrivers.values().map(|arriver| arriver.count).sum();
            other.live && **spot != watch.spot && made == u64::from(standing.arrivals_missing) && !is_waited_for(**spot)
        })?;
        let pc = other.arrivers.values().next()?.pc;
        let who: Vec<ThreadId> = other.arrivers.keys().copied().collect();
        let missing = standing.arrivals_missing;
        let why = sentence![
            format!("{missing} of {} {} missing in phase ", arrivals(standing.arrivals_expected), are(missing)),
            format!("{} of ", watch.phase),
            Part::Barrier(watch.spot),
            self.cta_of(watch.spot),
            " (waited for in ",
            Part::Line(group.pc),
            "); ",
            Part::Threads(who),
            format!(" made {missing} in "),
            Part::Line(pc),
            " on ",
            Part::Barrier(other.spot),
            self.cta_of(other.spot),
            ", which nobody has ever waited for",
        ];
        // if nobody has ever arrived where it is waited for, the wait may be wrong as well
        let pc = if watch.arrivers.is_empty() { group.pc } else { pc };
        Some(Diagnosis::new(Bug::NoArrival, pc, why))
    }

    /// The first wait of threads is for the second phase, in which nobody arrives: the first is over.
    fn begins_with_the_second(&self, group: &Group, watch: &Watch) -> Option<Diagnosis> {
        let spot = group.spot().filter(|_| group.is_for_parity(1) && watch.phase == 1 && watch.arrivals.is_empty())?;
        let observer = &self.machine.observer;
        let first = |who: &ThreadId| !observer.has_passed(spot, *who) && !watch.arrivers.contains_key(who);
        let why = sentence![
            "this is the first wait of ",
            Part::Threads(group.ids()),
            " on ",
            Part::Barrier(spot),
            ", with parity 1: for phase 1, in which nobody has arrived; phase 0 is over",
        ];
        group.ids().iter().all(first).then(|| Diagnosis::new(Bug::WrongStartingParity, group.pc, why))
    }

    /// The same where somebody would arrive: nobody has ever seen the first phase complete.
    pub(super) fn misses_the_first(&self, group: &Group) -> Option<Diagnosis> {
        let watch = self.machine.observer.at(group.spot()?)?;
        let unseen = self.machine.observer.roles().all(|(_, role)| role != (watch.spot, false));
        self.begins_with_the_second(group, watch).filter(|_| unseen)
    }

    /// Threads have seen each phase complete so far, and wait with the same parity again: one phase is over that they have not waited for.
    pub(super) fn skips_a_phase(&self, group: &Group) -> Option<Diagnosis> {
        let watch = self.machine.observer.at(group.spot()?)?;
        let (spot, phase) = (watch.spot, watch.phase);
        let parity = (phase & 1) as u8;
        let skips = |who: &ThreadId| {
            self.machine.observer.all_seen(spot, *who) == phase.checked_sub(1) && !watch.arrivers.contains_key(who)
        };
        if phase < 2 || !group.is_for_parity(parity) || !watch.arrivals.is_empty() || !group.ids().iter().all(skips) {
            return None;
        }
        let [before, skipped] = [phase - 2, phase - 1];
        let why = sentence![
            Part::Threads(group.ids()),
            group.does(" has", " have"),
            format!(" waited for phase {before} of "),
            Part::Barrier(spot),
            format!(
                ", and now with the same parity, {parity}, not for phase {skipped}, which is over: in phase {phase} nobody has arrived"
            ),
        ];
        Some(Diagnosis::new(Bug::AliasedParity, group.pc, why))
    }

    /// Threads that have arrived in earlier phases do so no more.
    fn about_past(&self, group: &Group, watch: &Watch, past: Vec<ThreadId>) -> Diagnosis {
        // those that were the last to arrive in earlier phases
        let last = past.iter().filter_map(|who| Some(watch.arrivers.get(who)?.phases[1])).max().unwrap_or(0);
        let first = past.iter().filter_map(|who| Some(watch.arrivers.get(who)?.phases[0])).min().unwrap_or(0);
        let pc =
            past.first().map_or(group.pc, |who| self.machine.parted(*who).unwrap_or(self.machine.runner(*who).lane.pc));
        let phases = if first == last { format!("phase {last}") } else { format!("phases {first} to {last}") };
        let mut why = sentence![
            format!("phase {} of ", watch.phase),
            Part::Barrier(watch.spot),
            " is waited for in ",
            Part::Line(group.pc),
            "; ",
            Part::Threads(past.clone()),
            format!(" arrived in {phases}"),
        ];
        why.0.extend(
            past.first()
                .and_then(|who| watch.arrivers.get(who))
                .map(|arriver| Part::Line(arriver.pc))
                .into_iter()
                .flat_map(|line| sentence![" (", line, ")"].0),
        );
        why.0.extend(self.whereabouts(&past));
        Diagnosis::new(Bug::ArriverGone, pc, why)
    }

    /// Where threads are that do not arrive any more: each kind of place once.
    pub(super) fn whereabouts(&self, threads: &[ThreadId]) -> Vec<Part> {
        let mut places: BTreeMap<(bool, usize, Option<usize>), Vec<ThreadId>> = BTreeMap::new();
        for who in threads {
            let group = self.group_of(*who);
            let pc = group.map_or_else(|| self.machine.runner(*who).lane.pc, |group| group.pc);
            places.entry((group.is_some(), pc, self.machine.parted(*who))).or_default().push(*who);
        }
        let several = places.len() > 1;
        let mut parts = Vec::new();
        for ((live, pc, parted), who) in places {
            parts.push(if parts.is_empty() && !several { " and ".into() } else { "; ".into() });
            let one = who.len() == 1;
            if several {
                parts.extend(sentence![Part::Threads(who), " "].0);
            }
            parts.push(match (live, one) {
                (false, _) => "ended in ".into(),
                (true, true) => "waits, and arrives on it no more, in ".into(),
                (true, false) => "wait, and arrive on it no more, in ".into(),
            });
            parts.push(Part::Line(pc));
            parts.extend(parted.into_iter().flat_map(|parted| branched(one, parted).0));
        }
        parts
    }

    /// Bytes are missing, or too many have come.
    fn about_bytes(&self, missing: i64, watch: &Watch) -> Diagnosis {
        let (bug, pc, _, why) = bytes_wrong(missing, watch);
        let mut why = sentence![why];
        // a copy for the same barrier of another CTA may have been meant for this one, too; so may one for a barrier that expects no bytes
        let same = |(spot, other): &(&Spot, &Watch)| {
            let surplus = other.completed.saturating_sub(other.expected);
            **spot != watch.spot && (spot.offset == watch.spot.offset || surplus.cast_signed() == missing)
        };
        let mut others = self.machine.observer.all().filter(same);
        let elsewhere = others.find_map(|(spot, other)| Some((*spot, other.last_copy?)));
        if let Some((spot, copy)) = elsewhere.filter(|_| missing > 0 && watch.completed == 0) {
            why.add(sentence![
                "; the copy in ",
                Part::Line(copy.pc),
                " completes bytes on ",
                Part::Barrier(spot),
                self.cta_of(spot),
                " and not on this"
            ]);
        }
        Diagnosis::new(bug, pc, why)
    }

    /// All who would bring what is missing have gone past an arrival that they made each time before, and wait again.
    pub(super) fn left_out(&self, group: &Group, node: &Node) -> Option<Diagnosis> {
        let standing = self.standing(group.spot()?).filter(|standing| standing.arrivals_missing > 0)?;
        let observer = &self.machine.observer;
        // where it waits now it has waited before
        let again = |one: &Bringer| Some(observer.has_passed(self.group_of(one.who)?.spot()?, one.who));
        let counts = |one: &Bringer| observer.left_out(one.who, one.pc?).filter(|_| again(one) == Some(true));
        let first = node.bringers.first()?;
        let [passed, arrived] = counts(first)?;
        if !node.bringers.iter().all(|one| counts(one).is_some()) {
            return None;
        }
        let pc = first.pc?;
        let alone = node.bringers.len() == 1;
        let why = sentence![
            format!("phase {} of ", standing.phase?),
            Part::Barrier(standing.spot),
            " is waited for in ",
            Part::Line(group.pc),
            "; ",
            Part::Threads(node.bringers.iter().map(|one| one.who).collect()),
            if alone { " waits again in " } else { " wait again in " },
            Part::Line(self.group_of(first.who)?.pc),
            if alone { ": it has" } else { ": each has" },
            format!(" passed {passed} waits and arrived {arrived} times (in "),
            Part::Line(pc),
            "): one arrival was left out",
        ];
        Some(Diagnosis::new(Bug::ArriverGone, pc, why))
    }

    /// Threads that have exited without an arrival, where others like them have arrived: as many as are missing.
    fn left_early(&self, standing: &Standing, watch: &Watch, here: &BTreeSet<ThreadId>) -> Option<Diagnosis> {
        let missing = standing.arrivals_missing as usize;
        let warp = |who: ThreadId| (who.cta, who.thread / 32);
        let mut roles: BTreeMap<(u8, u16), BTreeSet<(Spot, bool)>> = BTreeMap::new();
        for (who, role) in self.machine.observer.roles() {
            roles.entry(warp(who)).or_default().insert(role);
        }
        let theirs: BTreeSet<(Spot, bool)> =
            watch.arrivers.keys().filter_map(|who| roles.get(&warp(*who))).flatten().copied().collect();
        let ctas: BTreeSet<u8> = here.iter().map(|who| who.cta).collect();
        // of their kind is who has done nothing that they have not
        let alike = |who: &ThreadId| roles.get(&warp(*who)).is_none_or(|roles| roles.is_subset(&theirs));
        let parity = (watch.phase & 1) as u8;
        let is_past = |who: &ThreadId| match self.ahead.get(who) {
            None => true,
            // it lives, and has waited as the others have
            Some(ahead) => {
                let has_waited = roles.get(&warp(*who)).is_some_and(|roles| !roles.is_empty());
                ahead.whole && has_waited && ahead.arrival(standing.spot, parity).is_none()
            }
        };
        let gone = |who: &ThreadId| is_past(who) && !watch.arrivers.contains_key(who) && alike(who);
        let threads = |cta: &u8| {
            let cta = *cta;
            let threads = self.machine.blocks[usize::from(cta)].runners.len();
            (0..threads).map(move |thread| ThreadId::new(usize::from(cta), thread))
        };
        let gone: Vec<ThreadId> = ctas.iter().flat_map(threads).filter(gone).collect();
        let arrived: BTreeSet<(u8, u16)> = watch.arrivers.keys().map(|who| warp(*who)).collect();
        // one lane of a warp arrives for all of it: the others are not meant to
        let by_warps = arrived.len() == watch.arrivers.len();
        let warps: BTreeSet<(u8, u16)> =
            gone.iter().map(|who| warp(*who)).filter(|warp| !arrived.contains(warp)).collect();
        // whole CTAs that brought nothing, where every other brought as much
        let brought =
            |cta: &u8| -> u32 { standing.arrived.iter().filter(|one| one.who.cta == *cta).map(|one| one.count).sum() };
        let most = ctas.iter().map(brought).max().unwrap_or(0);
        let ended = |cta: &u8| self.machine.blocks[usize::from(*cta)].live == 0;
        let silent: Vec<u8> = (0..self.machine.blocks.len() as u8).filter(|cta| !ctas.contains(cta)).collect();
        let by_ctas = !silent.is_empty()
            && (ctas.len() > 1 || silent.iter().all(ended))
            && ctas.iter().all(|cta| brought(cta) == most)
            && silent.len() * most as usize == missing;
        let numbers: BTreeSet<u16> = here.iter().map(|who| who.thread).collect();
        let who: Vec<ThreadId> = match () {
            () if by_ctas => silent.iter().flat_map(threads).filter(|who| numbers.contains(&who.thread)).collect(),
            () if !by_warps && gone.len() == missing => gone,
            () if by_warps && warps.len() == missing => {
                gone.into_iter().filter(|who| warps.contains(&warp(*who))).collect()
            }
            () => return None,
        };
        let first = *who.first()?;
        let pc = self.machine.parted(first).unwrap_or(self.machine.runner(first).lane.pc);
        let mut why = sentence![
            format!("phase {} of ", watch.phase),
            Part::Barrier(standing.spot),
            format!(" lacks {missing} of {}: ", arrivals(standing.arrivals_expected)),
            Part::Threads(here.iter().copied().collect()),
            " arrived, ",
            Part::Threads(who.clone()),
            " did not",
        ];
        why.0.extend(self.whereabouts(&who));
        Some(Diagnosis::new(Bug::ArriverGone, pc, why))
    }
}

fn arrivals(count: u32) -> String {
    plural(u64::from(count), "arrival")
}

fn are(count: u32) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// What is wrong with the bytes of a phase, this many of which are missing, or too many if it is below zero: with which instruction of whom.
pub(super) fn bytes_wrong(missing: i64, watch: &Watch) -> (Bug, usize, ThreadId, String) {
    let Watch { expected, completed, expected_by, completed_by, origin, phase, .. } = watch;
    if let Some(copy) = watch.ledger.ahead().filter(|_| missing < 0 && *expected > 0) {
        let why = format!(
            "a copy of {} bytes was begun before the phase that it is for: {expected} bytes are expected in phase {phase}, and \
             {completed} have been completed",
            copy.bytes
        );
        return (Bug::MissingWait, copy.pc, copy.who, why);
    }
    let why = match missing {
        1.. => format!(
            "{expected} bytes are expected in phase {phase}, {completed} have been completed, and no copy is under way"
        ),
        _ => format!("{completed} bytes have been completed in phase {phase}, of which {expected} were expected"),
    };
    let (who, pc) = expected_by.or(*completed_by).unwrap_or((origin.who, origin.pc));
    (Bug::ExpectTxBytes, pc, who, why)
}
