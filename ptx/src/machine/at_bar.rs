//! Arrival of a warp's lanes at a barrier of their CTA, and their release.
//!
//! A barrier counts instructions of warps ([`bars`]). Which lanes make one instruction was found out on an H200
//! (`testbench/vectors`, CTA barriers):
//! * lanes that execute it together, while all others of the warp pass over it because their predicate is false;
//! * else all lanes of the warp that have not exited: those that come first wait for the others, for `.arrive`, too.
//!   Without `.aligned` they may come by several instructions, if these do the same. With it, lanes that stand at one barrier
//!   by several instructions never go on. Lanes that stand at several barriers go one barrier after the other, those
//!   furthest back first; of these a GPU may make what it does of lanes at one barrier: PTX leaves that open.

use super::*;
use crate::effect::{Bar, Visit};
use crate::machine::bars::{Arrival, threads_of};

/// A lane that has come and has not been counted.
#[derive(Clone, Copy)]
struct Standing {
    thread: usize,
    pc: usize,
    visit: Visit,
}

impl Machine<'_> {
    fn stands(&self, cta: usize, thread: usize) -> Option<Standing> {
        let runner = &self.blocks[cta].runners[thread];
        match runner.state {
            State::AtBar { visit, counted: false } => Some(Standing { thread, pc: runner.lane.pc, visit }),
            _ => None,
        }
    }

    /// Lanes of a warp have come to barriers of the CTA, or others have exited: if some of them make an instruction, their
    /// barrier counts it.
    pub(super) fn gather_at_bar(&mut self, cta: usize, warp: usize) {
        let live = self.blocks[cta].warps[warp].live;
        let stands = |thread: usize| self.stands(cta, thread);
        let mut together = threads_of(warp, live).filter_map(stands).map(|one| one.visit.together);
        let come = |lanes: &u32| *lanes != 0 && threads_of(warp, *lanes).all(|thread| stands(thread).is_some());
        let alone = together.find(come);
        let lanes = alone.unwrap_or(live);
        let Some(first) = threads_of(warp, lanes).filter_map(stands).min_by_key(|one| one.pc) else { return };
        if alone.is_none() && !threads_of(warp, live).all(|thread| stands(thread).is_some()) {
            return;
        }
        let all = || threads_of(warp, lanes).filter_map(stands);
        let aligned = all().filter(|one| one.visit.aligned).count();
        let mut others = all().filter(|one| one.pc != first.pc);
        let apart = match aligned {
            0 => others.any(|one| !one.visit.is_of_a_kind_with(&first.visit)),
            _ if all().count() == aligned => others.any(|one| one.visit.number == first.visit.number),
            _ => others.next().is_some(),
        };
        if apart {
            return;
        }
        // what one instruction names must be the same in all lanes
        let is_with = |one: &Standing| aligned == 0 || one.pc == first.pc;
        let names = |visit: &Visit| (visit.number, visit.threads);
        if let Some(other) = all().filter(is_with).find(|one| names(&one.visit) != names(&first.visit)) {
            let what =
                format!("illegal instruction: lanes of a warp execute `{}` and `{}` as one", first.visit, other.visit);
            let beside = (other.pc, format!("thread {} executes `{}`", other.thread, other.visit));
            return self.mismatch(cta, first, what, beside);
        }
        let lanes = all().filter(is_with).fold(0, |lanes, one| lanes | 1 << (one.thread % 32));
        self.arrive_at_bar(cta, warp, lanes, first);
    }

    /// A barrier counts an instruction of a warp.
    fn arrive_at_bar(&mut self, cta: usize, warp: usize, lanes: u32, first: Standing) {
        let Standing { pc, visit, .. } = first;
        let block = &mut self.blocks[cta];
        let mut predicates = 0;
        for thread in threads_of(warp, lanes) {
            let runner = &mut block.runners[thread];
            if let State::AtBar { visit, counted } = &mut runner.state {
                let holds = matches!(visit.bar, Bar::Popc(true) | Bar::And(true) | Bar::Or(true));
                predicates |= u32::from(holds) << (thread % 32);
                *counted = true;
            }
        }
        if let Err(using) = block.bars.arrive(Arrival { warp, lanes, pc, visit }, predicates) {
            let differs = if using.visit.threads == visit.threads { "as another kind" } else { "with another count" };
            let what = format!(
                "illegal instruction: `{visit}` of warp {warp}, and barrier {} is in use {differs}: `{}` of warp {}",
                visit.number, using.visit, using.warp
            );
            let beside =
                (using.pc, format!("warp {} has executed `{}`, which has not completed", using.warp, using.visit));
            return self.mismatch(cta, first, what, beside);
        }
        self.comes_to_bar(threads_of(warp, lanes).map(|thread| ThreadId::new(cta, thread)), pc, visit);
        if visit.bar == Bar::Arrive {
            threads_of(warp, lanes).for_each(|thread| self.resume(cta, thread, &[]));
        }
        self.check_bar(cta, usize::from(visit.number));
    }

    /// Instructions on a barrier of the CTA disagree.
    fn mismatch(&mut self, cta: usize, first: Standing, what: String, beside: (usize, String)) {
        let Standing { pc, thread, .. } = first;
        let thread = ThreadId::new(cta, thread);
        let beside = Some(beside);
        self.fault(Fault { what, pc, thread, status: None, spot: None, bug: Some(Bug::BarMismatch), beside });
    }

    /// Lets the threads go on that wait for a barrier of the CTA, if it is complete.
    pub(super) fn check_bar(&mut self, cta: usize, number: usize) {
        let block = &mut self.blocks[cta];
        let warps = block.warps.iter().filter(|warp| warp.live != 0).count() as u32; // 32 at most
        let Some(complete) = block.bars.complete(number, warps) else { return };
        let waits = complete.arrivals.iter().filter(|one| one.visit.bar != Bar::Arrive);
        let waited: Vec<usize> = waits.flat_map(|one| threads_of(one.warp, one.lanes)).collect();
        self.leave_bar(cta, number, &waited);
        for Arrival { warp, lanes, visit, .. } in complete.arrivals.iter().filter(|one| one.visit.bar != Bar::Arrive) {
            for thread in threads_of(*warp, *lanes) {
                self.resume(cta, thread, complete.result(visit.bar).as_slice());
            }
        }
    }
}
