//! State of a thread: registers, local memory, calls.

use crate::program::code::{Guard, Home, NULL, PARAMETERS, Routine, SINK, Target};
use crate::program::types;
use std::sync::Arc;

/// Functions that may be waiting for the one they called.
pub(super) const MOST_CALLS: usize = 512;
/// Registers of all of them together.
pub(super) const MOST_REGISTERS: usize = 1 << 17;

/// A thread.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Number of the instruction that it executes next.
    pub pc: usize,
    /// Registers of all frames, 64 bits each, zero-extended.
    pub(super) registers: Vec<u64>,
    /// Start of the frame's slots.
    pub(super) base: usize,
    /// Local memory as far as it has been touched; what is beyond is zero.
    local: Vec<u8>,
    /// Where the frame's local memory begins.
    pub(super) begin: u32,
    /// End address.
    pub(super) end: u32,
    /// Functions that wait for this one.
    pub(super) stack: Vec<Frame>,
    /// The condition code register of `add.cc` and the like.
    pub(super) carry: bool,
    /// Parameters of the entry.
    parameters: Arc<[u8]>,
}

/// A function that waits for the one it called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Number of its call.
    pub pc: usize,
    pub base: usize,
    pub begin: u32,
    pub end: u32,
}

/// Why bytes of local memory or parameters cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denied {
    /// They are at the beginning, where nothing is.
    Null,
    /// They are beyond what the function has.
    Beyond,
    /// Parameters of an entry cannot be written.
    ReadOnly,
}

impl Lane {
    pub(super) fn new(routine: &Routine, used: u32, parameters: Arc<[u8]>) -> Self {
        let (begin, end) = routine.frame(used);
        Self {
            pc: routine.pc,
            registers: vec![0; routine.slots as usize],
            base: 0,
            local: Vec::new(),
            begin,
            end,
            stack: Vec::new(),
            carry: false,
            parameters,
        }
    }

    /// A register of the frame.
    #[inline]
    pub(super) fn read(&self, slot: u32) -> u64 {
        self.registers.get(self.base + slot as usize).copied().unwrap_or(0)
    }

    /// Whether an instruction with this predicate is not executed.
    pub(crate) fn skips(&self, guard: Guard) -> bool {
        self.read(guard.slot) == guard.skips
    }

    /// Writes a register of the frame, or nothing if nobody wants to know.
    #[inline]
    pub(super) fn write(&mut self, target: Target, value: u64) {
        let value = if target.from < target.to {
            let unused = 64 - u32::from(target.from); // from is at least 1
            ((value << unused) as i64 >> unused) as u64 & types::mask(u32::from(target.to))
        } else {
            value
        };
        if target.slot != SINK
            && let Some(register) = self.registers.get_mut(self.base + target.slot as usize)
        {
            *register = value;
        }
    }

    /// Bytes of local memory or parameters.
    pub(super) fn load(&self, address: u32, bytes: u32) -> Result<u64, Denied> {
        let mut value = [0; 8];
        let memory = if address >= PARAMETERS {
            let start = (address - PARAMETERS) as usize;
            self.parameters.get(start..start + bytes as usize).ok_or(Denied::Beyond)?
        } else {
            self.check(address, bytes)?;
            let start = (address as usize).min(self.local.len());
            let end = (address as usize + bytes as usize).min(self.local.len());
            &self.local[start..end] // start is not behind end, and both are within
        };
        for (byte, from) in value.iter_mut().zip(memory) {
            *byte = *from;
        }
        Ok(u64::from_le_bytes(value))
    }

    /// Stores the lowest bytes of a value.
    pub(super) fn store(&mut self, address: u32, bytes: u32, value: u64) -> Result<(), Denied> {
        self.touch(address, bytes)?;
        for (byte, from) in self.local.iter_mut().skip(address as usize).zip(value.to_le_bytes()).take(bytes as usize) {
            *byte = from;
        }
        Ok(())
    }

    /// Copies bytes of local memory.
    pub(super) fn copy(&mut self, to: u32, from: u32, bytes: u32) -> Result<(), Denied> {
        self.touch(to, bytes)?;
        self.touch(from, bytes)?;
        let from = from as usize;
        self.local.copy_within(from..from + bytes as usize, to as usize); // both are there now
        Ok(())
    }

    fn check(&self, address: u32, bytes: u32) -> Result<(), Denied> {
        match address.checked_add(bytes) {
            _ if address < NULL => Err(Denied::Null),
            Some(end) if end <= self.end => Ok(()),
            _ => Err(Denied::Beyond),
        }
    }

    fn touch(&mut self, address: u32, bytes: u32) -> Result<(), Denied> {
        if address >= PARAMETERS {
            return Err(Denied::ReadOnly);
        }
        self.check(address, bytes)?;
        let needed = address as usize + bytes as usize;
        if self.local.len() < needed {
            self.local.resize(needed.next_multiple_of(64).min(self.end as usize), 0); // within the frame, as checked
        }
        Ok(())
    }

    /// What is in the place of an argument or result of this frame, if it fits a register.
    pub(super) fn take(&self, home: Home, bytes: u32) -> Result<u64, Denied> {
        match home {
            Home::Register(slot) => Ok(self.read(slot)),
            Home::Memory(offset) => self.load(self.begin.wrapping_add(offset), bytes),
        }
    }

    /// The frame of a function that is called. The caller's ends where this begins.
    pub(super) fn enter(&mut self, routine: &Routine) {
        self.stack.push(Frame { pc: self.pc, base: self.base, begin: self.begin, end: self.end });
        self.base = self.registers.len();
        self.registers.resize(self.base + routine.slots as usize, 0);
        (self.begin, self.end) = routine.frame(self.end);
        self.pc = routine.pc;
    }

    /// Back to the frame of the caller.
    pub(super) fn leave(&mut self, frame: Frame) {
        self.registers.truncate(self.base);
        self.local.truncate(frame.end as usize);
        Frame { pc: self.pc, base: self.base, begin: self.begin, end: self.end } = frame;
    }

    /// Local memory as far as it has been touched.
    pub(super) fn memory(&self) -> &[u8] {
        &self.local
    }

    /// How many functions wait for the one that is executed.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }
}
