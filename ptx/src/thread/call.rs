//! Calls and returns.

use crate::effect::Effect;
use crate::program::code::{Action, Call, Hand, Home, Transfer};
use crate::program::{MOST_LOCAL, Program, types};
use crate::thread::lane::{Denied, MOST_CALLS, MOST_REGISTERS};
use crate::thread::{Eyes, Halt, Lane, Now, Whereabouts};

impl Program {
    /// Enters a function with its arguments.
    pub(super) fn call(&self, lane: &mut Lane, place: &Whereabouts, now: Now, call: &Call) -> Result<(), Halt> {
        let pc = lane.pc;
        let Some(routine) = self.routines.get(call.routine) else { return Ok(()) }; // every function that is called is there
        if lane.stack.len() >= MOST_CALLS
            || lane.registers.len() + routine.slots as usize > MOST_REGISTERS
            || u64::from(routine.frame(lane.end).1) > MOST_LOCAL
        {
            let message =
                format!("calls are nested too deeply: {} functions wait for each other", lane.stack.len() + 1);
            return Err(self.fault(pc, message, "does this recursion end?"));
        }
        let (base, begin) = (lane.base, lane.begin);
        lane.enter(routine);
        for Transfer { hand, home, bytes } in &call.arguments {
            // operands are the caller's
            let (callee_base, callee_begin) = (lane.base, lane.begin);
            let done = match (hand, home) {
                (Hand::Memory(from), Home::Memory(to)) => {
                    lane.copy(callee_begin.wrapping_add(*to), begin.wrapping_add(*from), *bytes)
                }
                (hand, home) => {
                    (lane.base, lane.begin) = (base, begin);
                    let value = match hand {
                        Hand::Value(value) => Ok(Eyes { lane, place, now }.value(*value)),
                        Hand::Memory(from) => lane.load(begin.wrapping_add(*from), *bytes),
                        Hand::Target(_) => Ok(0), // only results have these
                    };
                    (lane.base, lane.begin) = (callee_base, callee_begin);
                    value.and_then(|value| self.put(lane, *home, *bytes, value))
                }
            };
            done.map_err(|denied| self.denied(pc, u64::from(begin), denied))?;
        }
        Ok(())
    }

    fn put(&self, lane: &mut Lane, home: Home, bytes: u32, value: u64) -> Result<(), Denied> {
        match home {
            Home::Register(slot) => {
                let width = (bytes * 8).min(64) as u8;
                lane.write(crate::program::code::Target { slot, from: width, to: width }, value);
                Ok(())
            }
            Home::Memory(offset) => lane.store(lane.begin.wrapping_add(offset), bytes, value),
        }
    }

    /// `ret`: back to the caller with the results; the entry ends.
    pub(super) fn leave(&self, lane: &mut Lane) -> Result<Effect, Halt> {
        let Some(frame) = lane.stack.pop() else { return Ok(Effect::Exit) };
        let pc = lane.pc;
        if let Some(Action::Call(call)) = self.steps.get(frame.pc).map(|step| &step.action) {
            let (callee_base, callee_begin) = (lane.base, lane.begin);
            for Transfer { hand, home, bytes } in &call.results {
                let done = match (hand, home) {
                    (Hand::Memory(to), Home::Memory(from)) => {
                        lane.copy(frame.begin.wrapping_add(*to), callee_begin.wrapping_add(*from), *bytes)
                    }
                    (hand, home) => lane.take(*home, *bytes).and_then(|value| match hand {
                        Hand::Memory(to) => lane.store(frame.begin.wrapping_add(*to), *bytes, value),
                        Hand::Target(to) => {
                            lane.base = frame.base;
                            lane.write(*to, value & types::mask(u32::from(to.from)));
                            lane.base = callee_base;
                            Ok(())
                        }
                        Hand::Value(_) => Ok(()), // only arguments have these
                    }),
                };
                done.map_err(|denied| self.denied(pc, u64::from(frame.begin), denied))?;
            }
        }
        lane.leave(frame);
        lane.pc += 1;
        Ok(Effect::Done)
    }
}
