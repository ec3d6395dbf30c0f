//! Loads and stores of warps: the lanes that execute one together are one instruction of the CTA's port for warps, which serves them by bank.
//!
//! **The rule.** A lane goes there if it loads or stores 4, 8 or 16 bytes of its own CTA's memory, at a multiple of that, with an instruction
//! that neither acquires nor releases ([`Machine::reach`]). How the address is written does not matter, nor does `.relaxed` or `.volatile`.
//! All else goes through the port of the thread: what the port for warps would refuse, or does not know.
//!
//! **Order.** At the port everything is done in the order in which it was accepted: an arrival behind a store, a load behind an arrival. What
//! lanes ask for at the ports for threads is ordered with it as with their instructions on barriers (`warps`).
//!
//! **When.** A step takes effect when the memory shows what it has found (`gate_seen`). Whose it is was shown when it went.

use super::outward::words;
use super::ports::{tag, untag};
use super::warps::{Brought, Head};
use super::*;
use crate::address::Location;
use crate::effect::{Access, Effect, Values};
use crate::machine::races::Bytes;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::Semantics;
use txbar_rtl::warp::access::Size;
use txbar_testbench::scoreboard::each;
use txbar_testbench::warp::engine::rtl::step_of;

/// The values of an access, one behind the other, as the wires of a lane carry them.
fn joined(access: Access, values: &Values) -> u128 {
    let bits = 8 * usize::from(access.width);
    let values = values.iter().take(usize::from(access.count)).enumerate();
    values.fold(0, |all, (place, value)| all | u128::from(*value) << (bits * place))
}

impl Machine<'_> {
    /// What the port for warps takes of a thread: this many bytes, the first of them here.
    pub(super) fn reach(&self, cta: usize, effect: Effect) -> Option<(Size, Spot)> {
        let (Effect::Load(access) | Effect::Store(access, _)) = effect else { return None };
        let Location::Shared { rank, offset } = access.location else { return None };
        let bytes = access.bytes();
        let size = Size::ALL.into_iter().find(|size| size.bytes() == bytes)?;
        let own = rank.is_none_or(|rank| usize::from(rank) == cta);
        let inside = u64::from(offset) + u64::from(bytes) <= u64::from(self.shared_bytes);
        let plain = access.order.semantics == Semantics::Relaxed;
        let takes = self.parameters.warp_memory && own && inside && plain && offset.is_multiple_of(bytes);
        takes.then_some((size, Spot { cta: cta as u8, offset }))
    }

    /// Whether a store of these bytes, which is to go out now, may change shared memory.
    pub(super) fn changes(&self, spot: Spot, bytes: &[u8]) -> bool {
        let storing = &self.blocks[usize::from(spot.cta)].storing;
        let words = || words(spot, bytes.len() as u32); // 16 bytes at most
        let there: Vec<u8> = words().flat_map(|offset| self.word(Spot { offset, ..spot }).to_le_bytes()).collect();
        words().any(|word| storing.get(&word).is_some_and(|storing| storing.changes))
            || there[spot.offset as usize % 8..][..bytes.len()] != *bytes
    }

    /// Of lanes of a warp, those that hold a store to a word on which an atomic operation is at work: each waits for the second half.
    pub(super) fn locked_out(&self, cta: usize, warp: usize, lanes: u32) -> u32 {
        let block = &self.blocks[cta];
        if block.locked.is_empty() {
            return 0;
        }
        let locked = |lane: &usize| {
            let State::Held(effect @ Effect::Store(..)) = block.runners[warp * 32 + lane].state else { return false };
            let reach = self.reach(cta, effect);
            reach.is_some_and(|(size, spot)| words(spot, size.bytes()).any(|word| block.locked.contains(&word)))
        };
        each(u64::from(lanes)).filter(locked).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// A lane's part in a load or store, which has this number.
    pub(super) fn reaches(
        &mut self,
        cta: usize,
        thread: usize,
        number: usize,
        effect: Effect,
    ) -> Option<(Head, Brought)> {
        let (size, spot) = self.reach(cta, effect)?;
        let (access, stored) = match effect {
            Effect::Load(access) => (access, None),
            Effect::Store(access, values) => (access, Some(joined(access, &values))),
            _ => return None,
        };
        let stores = stored.is_some();
        let changes = stored.is_some_and(|stored| self.changes(spot, &stored.to_le_bytes()[..size.bytes() as usize]));
        if stores {
            self.wrote(cta, thread, spot, size.bytes());
        }
        self.accesses(ThreadId::new(cta, thread), Bytes::Of(spot, size.bytes()), stores, false);
        let pc = self.blocks[cta].runners[thread].lane.pc;
        let block = &mut self.blocks[cta];
        let at = Spot { offset: spot.offset & !7, ..spot };
        let pending =
            Pending { asked: Asked::Reach { access, stores, changes }, spot: at, pc, data: 0, before: None, mark: 0 };
        block.runners[thread].pending[number] = Some(pending);
        if stores {
            block.stores(words(spot, size.bytes()), changes);
            self.resume(cta, thread, &[]);
        } else {
            block.runners[thread].state = State::Answers(1);
        }
        let op = if stores { Op::Store } else { Op::Load };
        let tag = tag((thread / 32) as u16, number);
        let head = Head { tag, op, cluster: false, order: access.order, limit: 0, size: Some(size) };
        Some((head, Brought { address: spot.offset, operand: 0, stored: stored.unwrap_or(0) }))
    }

    /// Steps of a CTA: one that takes effect, and one that goes.
    pub(super) fn watch_steps(&mut self, cta: usize) {
        let seen = self.cluster.cta[cta].unit.gate_seen.iter().any(|seen| seen.val());
        if let Some((tag, lanes)) = seen.then(|| self.blocks[cta].steps.pop_front()).flatten() {
            let (warp, number) = untag(tag);
            self.tally.operations += 1;
            for lane in each(u64::from(lanes)) {
                self.reached(cta, usize::from(warp) * 32 + lane, number);
            }
        }
        self.blocks[cta].steps.extend(self.cluster.access.get(cta).and_then(step_of));
    }

    /// A lane's load or store takes effect. Of two words, the one that is remarked on is the barrier that was stored over.
    fn reached(&mut self, cta: usize, thread: usize, number: usize) {
        let unit = &self.cluster.cta[cta].unit;
        let struck = unit.gate_struck.iter().map(|banks| banks.val().raw()).next().unwrap_or(0);
        let strikes = |word: &u32| struck >> (*word as usize / 8 % self.parameters.unit.banks) & 1 != 0;
        let Some(Pending { asked: Asked::Reach { access, stores, changes }, spot, .. }) =
            self.blocks[cta].runners[thread].pending[number]
        else {
            return;
        };
        let word = words(spot, access.bytes()).find(strikes);
        let spot = Spot { offset: word.filter(|_| stores).unwrap_or(spot.offset), ..spot };
        let before = Some(self.word(spot));
        if let Some(pending) = &mut self.blocks[cta].runners[thread].pending[number] {
            *pending = Pending { spot, before, ..*pending };
        }
        if changes {
            self.progress();
        }
    }

    /// Lanes of loads and stores that are answered.
    pub(super) fn watch_reaches(&mut self, cta: usize) {
        let cluster = &self.cluster;
        if !cluster.warp_mem_valid.get(cta).is_some_and(|valid| valid.val()) {
            return;
        }
        let status = Status::from_code(cluster.warp_mem_status[cta].val().raw()).unwrap_or(Status::IllegalOperation);
        let lanes = cluster.warp_mem_lanes[cta].val().raw();
        let (warp, number) = untag(cluster.warp_mem_tag[cta].val().raw() as u16);
        for lane in each(lanes) {
            let thread = usize::from(warp) * 32 + lane;
            let [data, upper] =
                [&self.cluster.warp_mem_lower, &self.cluster.warp_mem_upper].map(|wires| wires[cta][lane].val().raw());
            // each lane stores for itself
            self.answered(cta, thread, number, answer::Answer { status, predicate: false, data, upper, lanes: 1 });
            if self.end.is_some() {
                return;
            }
        }
    }
}
