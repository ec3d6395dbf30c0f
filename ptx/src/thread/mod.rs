//! Threads: each executes the steps of a [`Program`], one at a time.
//!
//! ```text
//!            ┌── step ──► Effect::Done: it has moved on
//!   Lane ────┤
//!            └── step ──► another effect ──► the machine performs it ──► finish(results): it moves on
//! ```
//!
//! Registers, arithmetic, control flow, local memory and parameters are a thread's own business; nothing else is.

mod ask;
mod call;
mod lane;
mod place;
pub(crate) mod shadow;
#[cfg(test)]
mod tests;

pub use lane::Lane;
pub use place::{Now, Whereabouts};

use crate::effect::Effect;
use crate::program::Program;
use crate::program::code::{Action, Value, What};
use crate::program::types;
use crate::source::Complaint;
use std::sync::Arc;

/// Reason that a thread cannot continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The instruction is one that txbar does not execute.
    Unsupported(Complaint),
    /// What it does is an error of the kernel: a misaligned address, endless recursion.
    Fault(Complaint),
}

impl From<Halt> for Complaint {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Unsupported(complaint) | Halt::Fault(complaint) => complaint,
        }
    }
}

/// What operands are evaluated with.
#[derive(Clone, Copy)]
struct Eyes<'a> {
    lane: &'a Lane,
    place: &'a Whereabouts,
    now: Now,
}

impl Eyes<'_> {
    /// Value of an operand.
    #[inline]
    fn value(&self, value: Value) -> u64 {
        match value {
            Value::Register(slot) => self.lane.read(slot),
            Value::Constant(bits) => bits,
            Value::Part { slot, bits } => self.lane.read(slot) & types::mask(u32::from(bits)),
            Value::Not(slot) => self.lane.read(slot) ^ 1,
            Value::Local { offset, window } => u64::from(self.lane.begin.wrapping_add(offset)).wrapping_add(window),
            Value::Special(special, bits) => special.value(bits, self.place, self.now),
        }
    }
}

impl Program {
    /// A thread at the beginning of the entry. `parameters` are the bytes of [`Program::parameters`], for all threads
    /// the same.
    pub(crate) fn lane(&self, parameters: Arc<[u8]>) -> Lane {
        let entry = self.routines.first().cloned().unwrap_or_default(); // the entry is the first
        Lane::new(&entry, self.local, parameters)
    }

    /// Executes the instruction at `lane.pc` up to its effect. After [`Effect::Done`] the thread has moved on; any other
    /// effect is to be performed and its results given to [`Program::finish`].
    ///
    /// # Errors
    /// The instruction is not supported, or what it does is an error of the kernel.
    pub(crate) fn step(&self, lane: &mut Lane, place: &Whereabouts, now: Now) -> Result<Effect, Halt> {
        let Some(step) = self.steps.get(lane.pc) else { return Ok(Effect::Exit) };
        if let Some(guard) = step.guard
            && lane.skips(guard)
        {
            lane.pc += 1;
            return Ok(Effect::Done);
        }
        let eyes = Eyes { lane, place, now };
        match &step.action {
            Action::Nothing => {}
            Action::Move { to, from } => {
                let value = eyes.value(*from);
                lane.write(*to, value);
            }
            Action::Compute(compute) => {
                let sources = compute.from.map(|source| eyes.value(source));
                let results = compute.arithmetic.evaluate(sources, &mut lane.carry);
                for (to, result) in compute.to.iter().zip(results) {
                    lane.write(*to, result);
                }
            }
            Action::Convert(convert) => {
                let value = eyes.value(convert.from).wrapping_add(convert.addend) & convert.mask;
                lane.write(convert.to, value);
            }
            Action::Pack { to, bits, from } => {
                let parts = from.iter().rev().map(|part| eyes.value(*part));
                let value = parts.fold(0, |whole, part| whole << bits | part); // parts of 8 to 32 bits
                lane.write(*to, value);
            }
            Action::Unpack { to, bits, from } => {
                let mut whole = eyes.value(*from);
                for target in to {
                    lane.write(*target, whole & types::mask(u32::from(*bits)));
                    whole >>= bits;
                }
            }
            Action::Map(map) => {
                let value = self.map(&eyes, map)?;
                lane.write(map.to, value);
            }
            Action::Ask(ask) => {
                let value = self.ask(&eyes, ask)?;
                lane.write(ask.to, value);
            }
            Action::Branch(target) => {
                lane.pc = *target;
                return Ok(Effect::Done);
            }
            Action::Switch { index, list } => {
                let (index, targets) = (eyes.value(*index), self.labels(*list));
                let Some(target) = usize::try_from(index).ok().and_then(|index| targets.get(index)) else {
                    let message = format!("brx.idx has no label for index {index}");
                    return Err(self.fault(lane.pc, message, format!("its list has {} labels", targets.len())));
                };
                lane.pc = *target;
                return Ok(Effect::Done);
            }
            Action::Call(call) => {
                self.call(lane, place, now, call)?;
                return Ok(Effect::Done);
            }
            Action::Return => return self.leave(lane),
            Action::World(world) => return self.world(lane, place, now, world),
            Action::Unsupported(complaint) => return Err(Halt::Unsupported(Complaint::clone(complaint))),
        }
        lane.pc += 1;
        Ok(Effect::Done)
    }

    /// Gives a thread the results of the effect of its instruction: it writes them, and moves on. Results that are not
    /// wanted, or too few, do no harm.
    pub(crate) fn finish(&self, lane: &mut Lane, results: &[u64]) {
        if let Some(Action::World(world)) = self.steps.get(lane.pc).map(|step| &step.action) {
            // what is not answered is zero
            for (to, result) in world.to.iter().zip(results.iter().chain(std::iter::repeat(&0))) {
                lane.write(*to, result & types::mask(u32::from(to.from)));
            }
            if let What::Library { result: Some(offset), .. } = world.what {
                // a variable of the frame, which is there
                let _ = lane.store(lane.begin.wrapping_add(offset), 4, results.first().copied().unwrap_or(0));
            }
        }
        lane.pc += 1;
    }

    /// A byte of a thread's local memory.
    pub(crate) fn local_byte(&self, lane: &Lane, address: u32) -> Option<u8> {
        lane.load(address, 1).ok().map(|byte| byte as u8)
    }

    /// An error of the kernel at an instruction.
    fn fault(&self, pc: usize, message: impl Into<String>, label: impl Into<String>) -> Halt {
        Halt::Fault(Complaint::new(self.span(pc), message, label))
    }
}
