//! Performs effects: at once, by a request to the hardware, or by waiting.

use super::*;
use crate::address::Location;
use crate::effect::{Effect, Together};
use crate::print;
use txbar_rtl::op::Op;
use txbar_rtl::word::COUNT_BITS;

impl Machine<'_> {
    /// A thread wants something. It has been taken out of the lanes that are ready.
    pub(super) fn perform(&mut self, cta: usize, thread: usize, effect: Effect, memory: &mut GlobalMemory) {
        let was_held = matches!(self.blocks[cta].runners[thread].state, State::Held(_));
        match self.attempt(cta, thread, effect, memory) {
            Performed::Results(values, count) => self.resume(cta, thread, &values[..count]),
            Performed::Later => {
                let block = &mut self.blocks[cta];
                block.runners[thread].state = State::Held(effect);
                if !was_held {
                    block.restless.push(thread as u16);
                }
            }
            Performed::Wait(state) => {
                let block = &mut self.blocks[cta];
                block.runners[thread].state = state;
                match state {
                    State::Sleeping(until) => block.sleepers.push(Reverse((until, thread as u16))),
                    State::AtBar { .. } => self.gather_at_bar(cta, thread / 32),
                    State::Claims(_) => self.gather_at_registers(cta, thread / 32),
                    State::Together { mask, what } => self.check_together(cta, thread / 32, mask, what),
                    State::AtRound(_) => self.check_round(cta, thread / 32),
                    State::Exited => self.exited(cta, thread),
                    _ => {}
                }
            }
        }
    }

    fn attempt(&mut self, cta: usize, thread: usize, effect: Effect, memory: &mut GlobalMemory) -> Performed {
        let settled = self.blocks[cta].runners[thread].is_settled();
        match effect {
            Effect::Done => Performed::NOTHING,
            Effect::Load(access) => self.load(cta, thread, access, memory),
            Effect::Store(access, values) => self.store(cta, thread, access, values, memory),
            Effect::Atomic { access, atom, meaning, b, c } => {
                self.atom(cta, thread, access, (atom, meaning), [b, c], memory)
            }
            Effect::Barrier { .. } | Effect::CopyArrive { .. } => {
                unreachable!("the lanes of a warp ask for it together, see `warps`")
            }
            Effect::CheckLayout { location, v1 } => self.check_layout(cta, thread, location, v1),
            Effect::Fence if !settled => Performed::Later,
            Effect::Fence => {
                self.fences(ThreadId::new(cta, thread));
                Performed::NOTHING
            }
            Effect::Claim(_) if self.blocks[cta].registers.is_none() => Performed::NOTHING,
            Effect::Claim(claim) => Performed::Wait(State::Claims(claim)),
            Effect::Bar(_) if !settled => Performed::Later,
            Effect::Bar(visit) => Performed::Wait(State::AtBar { visit, counted: false }),
            Effect::Together { what: Together::Sync, .. } if !settled => Performed::Later,
            Effect::Together { mask, what } => {
                if mask >> (thread % 32) & 1 == 0 {
                    self.refuse(
                        cta,
                        thread,
                        format!("lane {} is not in the mask {mask:#x} that it names", thread % 32),
                    );
                    return Performed::Later;
                }
                Performed::Wait(State::Together { mask, what })
            }
            Effect::Round(round) if round.releases && !settled => Performed::Later,
            Effect::Round(round) => Performed::Wait(State::AtRound(round)),
            Effect::Sleep(nanoseconds) => {
                let cycles = self.parameters.unit.limit_cycles(nanoseconds);
                Performed::Wait(State::Sleeping(self.cycle + cycles.max(1)))
            }
            Effect::Exit => Performed::Wait(State::Exited),
            Effect::Print { .. } if !settled => Performed::Later,
            Effect::Print { format, arguments } => {
                let read = |address| self.byte(cta, thread, address, memory);
                let printed = print::text(format, &read).and_then(|text| print::formatted(&text, arguments, &read));
                let printed = printed.map_err(|address| format!("printf reads {address:#x}, where nothing is"));
                let Some((text, taken)) = self.granted(cta, thread, printed) else { return Performed::Later };
                memory.print(&text);
                Performed::one(u64::from(taken))
            }
            Effect::Assert { message, file, line, function } => {
                let read = |address| self.byte(cta, thread, address, memory);
                let text = |address| print::text(address, &read).unwrap_or_default();
                let (message, file, function) = (text(message), text(file), text(function));
                let place = &self.blocks[cta].runners[thread].place;
                let (block, thread_of) = (place.block, place.thread);
                let what = format!(
                    "{file}:{line}: {function}: block: [{},{},{}], thread: [{},{},{}] Assertion `{message}` failed.",
                    block[0], block[1], block[2], thread_of[0], thread_of[1], thread_of[2]
                );
                self.refuse(cta, thread, what);
                Performed::Later
            }
            Effect::Trap => {
                self.refuse(cta, thread, "the kernel has executed `trap`".to_string());
                Performed::Later
            }
            Effect::CopyAsync { .. }
            | Effect::CopyCommit
            | Effect::CopyWait(_)
            | Effect::BulkToShared { .. }
            | Effect::BulkToGlobal { .. }
            | Effect::BulkToCluster { .. }
            | Effect::Post { .. }
            | Effect::BulkCommit
            | Effect::BulkWait { .. } => self.copy(cta, thread, effect, memory),
            Effect::TensorToShared { .. }
            | Effect::TensorToGlobal { .. }
            | Effect::TensorPrefetch { .. }
            | Effect::MapReplace { .. }
            | Effect::MapPublish { .. }
            | Effect::MapFence { .. }
            | Effect::MapPrefetch { .. } => self.tensor(cta, thread, effect, memory),
        }
    }

    /// The byte at a generic address, as a thread sees it.
    fn byte(&self, cta: usize, thread: usize, address: u64, memory: &GlobalMemory) -> Result<u8, u64> {
        let byte = match self.program.windows.resolve(address) {
            Location::Global(address) => memory.read(address, 1).ok().map(|bytes| bytes[0]),
            Location::Shared { rank, offset } if offset < self.shared_bytes => {
                let there = rank.map_or(cta, usize::from);
                let word =
                    (there < self.blocks.len()).then(|| self.word(Spot { cta: there as u8, offset: offset & !7 }));
                word.map(|word| word.to_le_bytes()[offset as usize % 8])
            }
            Location::Local(offset) => self.program.local_byte(&self.blocks[cta].runners[thread].lane, offset),
            _ => None,
        };
        byte.ok_or(address)
    }

    /// A thread makes use of a barrier, or initialises one.
    pub(super) fn use_barrier(&mut self, cta: usize, thread: usize, op: Op, spot: Spot, operand: u64, data: u64) {
        let id = ThreadId::new(cta, thread);
        let pc = self.blocks[cta].runners[thread].lane.pc;
        if op == Op::Init {
            let origin = observe::Origin { who: id, pc, count: data as u32 };
            self.observer.begins(spot, origin);
            self.makes(id, spot);
            if !(1..1 << COUNT_BITS).contains(&data) {
                let detail = format!("the count is {data}: it must be from 1 to {}", (1 << COUNT_BITS) - 1);
                self.find(Bug::InitCount, pc, id, spot, None, detail);
            }
            return;
        }
        if op == Op::PendingCount {
            return;
        }
        let origin = self.observer.at(spot).map(|watch| watch.origin);
        if let Some(origin) = origin.filter(|_| !self.comes_after_init(id, spot)) {
            let detail = format!("{} initialised it, and nothing orders that before this", self.name(origin.who));
            self.find(Bug::MissingInitFence, pc, id, spot, None, detail);
        }
        let by_parity = waits_by_parity(op);
        if by_parity && operand <= 1 && self.token_waits.contains(&pc) {
            let detail = format!("the operand, {operand:#x}, is made of a token");
            self.find(Bug::TokenAsParity, pc, id, spot, None, detail);
        }
        let low = operand & 0xffff_ffff;
        // all ones are what a compiler makes of `true`: the unit looks at the lowest bit
        if by_parity && low > 1 && low != 0xffff_ffff {
            let is_of = |token: u64| token != 0 && [token, token >> 32, token & 0xffff_ffff].contains(&low);
            let made_of = self.token_waits.contains(&pc);
            let tokens = &self.blocks[cta].runners[thread].tokens;
            let bug = if made_of || tokens.iter().any(|token| is_of(token.value) || token.value == operand) {
                Bug::TokenAsParity
            } else {
                Bug::ParityOperand
            };
            self.find(bug, pc, id, spot, None, format!("the operand is {operand:#x}"));
        }
    }

    /// A mistake has been found.
    pub(super) fn find(
        &mut self,
        bug: Bug,
        pc: usize,
        thread: ThreadId,
        spot: Spot,
        status: Option<Status>,
        detail: String,
    ) {
        let word = Some(self.word(Spot { offset: spot.offset & !7, ..spot }));
        self.findings.push(Finding { status, word, ..Finding::new(bug, pc, thread, spot, detail) });
    }
}
