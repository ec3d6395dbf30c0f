//! Selection of the warps and lanes that execute an instruction in a cycle.

use super::*;
use crate::effect::{Effect, Visit};
use crate::thread::{Halt, Now};
use txbar_testbench::scoreboard::each;

/// Every this many turns, a warp executes another lane than those furthest back.
const FAIRNESS: u64 = 128;

impl Machine<'_> {
    /// Lanes that are held try again, and those that have slept enough wake up.
    pub(super) fn stir(&mut self, cta: usize, memory: &mut GlobalMemory) {
        // before atomic operations, which come in turn without end where threads try for a lock: who has it gives it back with a store
        self.gather_again(cta);
        while let Some(Reverse((until, thread))) = self.blocks[cta].sleepers.peek().copied()
            && until <= self.cycle
        {
            self.blocks[cta].sleepers.pop();
            self.resume(cta, usize::from(thread), &[]);
        }
        let mut restless = std::mem::take(&mut self.blocks[cta].restless);
        restless.retain(|&thread| {
            let thread = usize::from(thread);
            match self.blocks[cta].runners[thread].state {
                State::Held(effect) => {
                    self.perform(cta, thread, effect, memory);
                    matches!(self.blocks[cta].runners[thread].state, State::Held(_))
                }
                _ => false,
            }
        });
        // what has become restless meanwhile is behind the others
        restless.append(&mut self.blocks[cta].restless);
        self.blocks[cta].restless = restless;
    }

    /// How many warps of a CTA may execute an instruction in a cycle, and which is asked first.
    pub(super) fn turn(&mut self, cta: usize) -> (usize, usize) {
        let Block { ref warps, turn, .. } = self.blocks[cta];
        match self.schedule {
            Schedule::RoundRobin => (ISSUE, turn),
            Schedule::Random(_) => (self.rng.random_range(1..=ISSUE), self.rng.random_range(0..warps.len().max(1))),
        }
    }

    /// Up to [`ISSUE`] warps of a CTA execute an instruction each.
    pub(super) fn issue(&mut self, cta: usize, memory: &mut GlobalMemory) {
        let warps = self.blocks[cta].warps.len();
        let (slots, begin) = self.turn(cta);
        let mut issued = 0;
        for place in 0..warps {
            let number = (begin + place) % warps;
            let warp = &mut self.blocks[cta].warps[number];
            if warp.ready == 0 || issued == slots {
                continue;
            }
            if warp.sloth > 1 && self.rng.random_range(0..warp.sloth) != 0 {
                continue;
            }
            warp.turns += 1;
            issued += 1;
            self.blocks[cta].turn = number + 1;
            let lanes = self.choose(cta, number);
            self.execute(cta, number, lanes, memory);
            if self.end.is_some() {
                return;
            }
        }
    }

    /// The lanes of a warp that execute their instruction together: they are at the same one.
    fn choose(&mut self, cta: usize, number: usize) -> u32 {
        let block = &self.blocks[cta];
        let Warp { ready, turns, .. } = block.warps[number];
        let pc = |lane: u32| block.runners[number * 32 + lane as usize].lane.pc;
        let lanes = || (0..32u32).filter(|lane| ready >> lane & 1 != 0);
        let nth = |turn: u64| lanes().nth((turn % u64::from(ready.count_ones())) as usize);
        let chosen = match self.schedule {
            Schedule::RoundRobin if turns % FAIRNESS == 0 => nth(turns / FAIRNESS).map(pc),
            Schedule::Random(_) if self.rng.random() => nth(self.rng.random()).map(pc),
            _ => lanes().map(pc).min(),
        };
        lanes().filter(|lane| Some(pc(*lane)) == chosen).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// These lanes of a warp execute the instruction that they are at.
    fn execute(&mut self, cta: usize, number: usize, lanes: u32, memory: &mut GlobalMemory) {
        let now = Now { cycle: self.cycle, nanoseconds: self.parameters.unit.nanoseconds(self.cycle), active: lanes };
        let is_whole = lanes == self.blocks[cta].warps[number].live;
        let (mut asking, mut at_bar, mut fetches) = (0, 0, false);
        for lane in each(u64::from(lanes)) {
            let thread = number * 32 + lane;
            if self.races.is_some() {
                self.follows_registers(cta, thread);
            }
            let runner = &mut self.blocks[cta].runners[thread];
            let pc = runner.lane.pc;
            self.tally.instructions += 1;
            match self.program.step(&mut runner.lane, &runner.place, now) {
                Ok(Effect::Done) => {
                    let next = runner.lane.pc;
                    if next != pc + 1 && self.program.is_branch(pc) {
                        runner.branched = (pc, next);
                    }
                    self.steps_matrices(ThreadId::new(cta, thread), pc);
                    if next <= pc {
                        self.jumped_back(cta, thread, pc);
                    }
                }
                Ok(effect) => {
                    self.blocks[cta].warps[number].ready &= !(1 << lane);
                    fetches |= matches!(effect, Effect::Load(_) | Effect::CopyAsync { .. });
                    if matches!(effect, Effect::Barrier { .. } | Effect::CopyArrive { .. })
                        || self.reach(cta, effect).is_some()
                    {
                        self.blocks[cta].runners[thread].state = State::Held(effect);
                        asking |= 1 << lane;
                    } else if let Effect::Bar(_) = effect {
                        self.blocks[cta].runners[thread].state = State::Held(effect);
                        at_bar |= 1 << lane;
                    } else {
                        self.perform(cta, thread, effect, memory);
                    }
                }
                Err(Halt::Unsupported(complaint)) => {
                    let thread = ThreadId::new(cta, thread);
                    self.end.get_or_insert(End::Refused(complaint, thread));
                }
                Err(Halt::Fault(Complaint { message, label, .. })) => {
                    self.refuse(cta, thread, format!("{message}: {label}"));
                }
            }
            if self.end.is_some() {
                return;
            }
        }
        if asking != 0 {
            self.gather(cta, number, asking);
        }
        for thread in bars::threads_of(number, at_bar) {
            let runner = &mut self.blocks[cta].runners[thread];
            let State::Held(Effect::Bar(visit)) = runner.state else { continue };
            runner.state = State::Ready;
            let together = if is_whole && visit.aligned { at_bar } else { 0 };
            self.perform(cta, thread, Effect::Bar(Visit { together, ..visit }), memory);
        }
        if self.schedule == Schedule::RoundRobin {
            self.keep_together(cta, number, lanes, fetches);
        }
    }

    /// Of lanes that have executed an instruction together, those that are done wait for those to whom the hardware owes an
    /// answer: it does not owe it for ever. So do those whose part of a load has come, or whose `cp.async` has been accepted.
    fn keep_together(&mut self, cta: usize, warp: usize, lanes: u32, fetches: bool) {
        let block = &mut self.blocks[cta];
        let kept = lanes & block.warps[warp].ready;
        if kept == lanes || kept == 0 && !fetches {
            return;
        }
        let waits = |lane: &usize| {
            let accesses = |effect| {
                matches!(
                    effect,
                    Effect::Barrier { .. }
                        | Effect::CopyAsync { .. }
                        | Effect::CopyArrive { .. }
                        | Effect::CheckLayout { .. }
                        | Effect::Load(_)
                        | Effect::Atomic { .. }
                )
            };
            match block.runners[warp * 32 + lane].state {
                State::Answers(_) | State::Offered => true,
                State::Held(effect) => accesses(effect),
                _ => false,
            }
        };
        let awaited = each(u64::from(lanes)).filter(waits).fold(0, |mask, lane| mask | 1 << lane);
        if awaited != 0 {
            block.warps[warp].ready &= !kept;
            block.convoys.push(Convoy { warp, awaited, joining: if fetches { awaited } else { 0 }, kept });
        }
    }
}
