//! `cp.async.mbarrier.arrive` (PTX ISA 9.7.13.15.15): lanes of a warp arrive when its copies are done.
//!
//! **One update.** An instruction of a warp is one update of each word that its lanes name. It is made when all copies are done that the
//! warp has begun before: those of its other lanes, too. An H200 does it so (`testbench/vectors/copies`); PTX allows a thread's
//! arrival to come later than its own copies are done.
//!
//! ```text
//!   .noinc:    (lanes) ──────────────────────► arrivals ── copies done ──► one request, cp_async_arrive
//!   without:   (lanes) ─► cp_async_begin ────► arrivals ── copies done ──► one request, cp_async_end
//! ```
//! **Who it was.** Nobody waits for such a request, so it has no entry in the table of groups, and its tag may be another's, too. What is asked
//! of one word with one tag takes effect in the order in which the unit accepted it; by that it is told apart.

use super::ports::tag;
use super::warps::{Brought, Head, Instruction};
use super::*;
use crate::address::Location;
use txbar_rtl::op::{Op, Operand};
use txbar_testbench::engine::rtl::request_of;
use txbar_testbench::request::Request;
use txbar_testbench::scoreboard::each;

/// Lanes of a warp that arrive when its copies are done.
#[derive(Clone, Debug)]
pub struct Arrival {
    warp: usize,
    /// Their instruction.
    pc: usize,
    /// Operation performed then.
    op: Op,
    mask: u32,
    /// The barrier of each.
    lanes: [Brought; 32],
    /// For each lane of the warp, its copies that have to be done.
    copies: [u64; 32],
}

/// Lanes whose copies are done, and that name one word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Update {
    warp: usize,
    pc: usize,
    op: Op,
    word: u32,
    lanes: u32,
}

/// A request that the unit has accepted of the port for warps: its word and tag, and the lanes, if they arrive with their copies.
pub(super) type Accepted = (u32, u16, Option<Update>);

impl Machine<'_> {
    /// A lane's part in an arrival with the copies of its warp: what it asks for at once, if anything; nothing at all if it faults.
    pub(super) fn arrives(
        &mut self,
        cta: usize,
        thread: usize,
        number: usize,
        (location, noinc): (Location, bool),
        arrival: &mut Option<Arrival>,
    ) -> Option<Option<(Head, Brought)>> {
        let spot = self.spot(cta, thread, location, 8)?;
        if usize::from(spot.cta) != cta {
            self.refuse(cta, thread, "cp.async.mbarrier.arrive is for barriers of the own CTA".to_string());
            return None;
        }
        let (warp, lane) = (thread / 32, thread % 32);
        self.use_barrier(cta, thread, Op::CpAsyncArrive, spot, 0, 0);
        self.blame(cta, thread, spot);
        self.arrives_with_copies(ThreadId::new(cta, thread), spot);
        let brought = Brought { address: spot.offset, ..Brought::default() };
        let runners = &mut self.blocks[cta].runners;
        let pc = runners[thread].lane.pc;
        let arrival = arrival.get_or_insert_with(|| {
            let copies = |lane: usize| runners.get(warp * 32 + lane).map_or(0, |runner| runner.copies.begun);
            let op = if noinc { Op::CpAsyncArrive } else { Op::CpAsyncEnd };
            Arrival { warp, pc, op, mask: 0, lanes: [Brought::default(); 32], copies: std::array::from_fn(copies) }
        });
        arrival.mask |= 1 << lane;
        arrival.lanes[lane] = brought;
        // the lanes themselves raise the tx-count; the copies lower it
        let begin = (!noinc).then(|| {
            let op = Op::CpAsyncBegin;
            let asked = Asked::Barrier { op, operand: 0, answered: false, v1: false };
            runners[thread].pending[number] = Some(Pending { asked, spot, pc, data: 0, before: None, mark: 0 });
            (head(warp, number, op), brought)
        });
        self.resume(cta, thread, &[]);
        Some(begin)
    }

    /// Sends those arrivals to the port for warps whose copies are done.
    pub(super) fn arrive_with_copies(&mut self, cta: usize) {
        let block = &mut self.blocks[cta];
        let runners = &block.runners;
        let is_due = |arrival: &mut Arrival| {
            let mut lanes = runners[arrival.warp * 32..].iter().zip(arrival.copies);
            lanes.all(|(runner, copies)| runner.copies.done >= copies)
        };
        for Arrival { warp, pc, op, mask, lanes, .. } in block.arrivals.extract_if(.., is_due) {
            block.instructions.push_back(Instruction { head: head(warp, 0, op), mask, lanes });
            // the order of its groups
            let mut left = mask;
            while left != 0 {
                let word = lanes[left.trailing_zeros() as usize].address / 8;
                let names = |lane: &usize| lanes[*lane].address / 8 == word;
                let group = each(u64::from(left)).filter(names).fold(0, |group, lane| group | 1 << lane);
                block.updates.push(Update { warp, pc, op, word, lanes: group });
                left &= !group;
            }
        }
    }

    /// The unit accepts a request of the port for warps.
    pub(super) fn watch_accepted(&mut self, cta: usize, port: usize) {
        let request = request_of(&self.cluster.cta[cta].unit, port);
        let Some(op) = request.operation() else { return };
        // a wait that is suspended never shares its tag
        if matches!(op.operand(), Operand::TokenAndLimit | Operand::ParityAndLimit) {
            return;
        }
        let word = request.address / 8;
        let block = &mut self.blocks[cta];
        let place = block.updates.iter().position(|update| (update.op, update.word) == (op, word));
        let update = place.map(|place| block.updates.remove(place));
        block.accepted.push_back((word, request.tag, update));
    }

    /// A request of the port for warps takes effect: the lanes that arrive with it, if they do so with their copies.
    pub(super) fn with_copies(&mut self, cta: usize, word: u32, tag: u16) -> Option<Update> {
        let accepted = &mut self.blocks[cta].accepted;
        let place = accepted.iter().position(|(also, its, _)| (*also, *its) == (word, tag))?;
        accepted.remove(place).and_then(|(.., update)| update)
    }

    /// Lanes have arrived with their copies.
    pub(super) fn arrived_with_copies(&mut self, spot: Spot, update: Update, status: Status) {
        self.progress();
        let Update { warp, pc, op, lanes, .. } = update;
        self.trace.note(Traced { cycle: self.cycle, spot, op, pc });
        let thread = |lane: usize| ThreadId::new(usize::from(spot.cta), warp * 32 + lane);
        if status == Status::Ok || status.is_remark() {
            for lane in each(u64::from(lanes)) {
                self.observer.done(spot, op, 0, (Some(thread(lane)), pc));
                self.arrived_with_its_copies(thread(lane), spot);
            }
        }
        let first = thread(lanes.trailing_zeros() as usize);
        self.landed_wrong(spot, op, (first, pc), status, lanes.count_ones());
    }
}

/// What lanes of a warp have in common.
fn head(warp: usize, number: usize, op: Op) -> Head {
    let order = Request::new(op, 0).order;
    Head { tag: tag(warp as u16, number), op, cluster: false, order, limit: 0, size: None }
}
