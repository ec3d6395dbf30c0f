//! A thread executed ahead as if no other thread ran, with unknown values, such as the time.
//!
//! Every register and every byte of local memory has a [`Shade`]: whether its value is known, and which of the values that were read
//! from memory it follows from. An instruction whose operands are known is executed by [`Program::step`], as ever. What follows from
//! something unknown is unknown. A branch on something unknown goes both ways.

use crate::address::Location;
use crate::effect::Effect;
use crate::program::Program;
use crate::program::code::{Access, Action, Address, Call, Hand, Home, SINK, Transfer, Value, What, World};
use crate::program::outlook::written;
use crate::program::special::Special;
use crate::thread::{Eyes, Lane, Now, Whereabouts};
use txbar_rtl::op::Reply;

/// What is known of a value: bit n is set if it follows from the value read with number n.
pub(crate) type Shade = u16;
/// The bit of a value that is not known.
pub(crate) const UNKNOWN: Shade = 1 << 15;
/// Values read that have a number.
pub(crate) const SOURCES: usize = 15;

/// The thread.
#[derive(Clone)]
pub(crate) struct Shadow {
    lane: Lane,
    registers: Vec<Shade>,
    /// By byte of local memory, as far as there is anything but 0.
    local: Vec<Shade>,
    carry: Shade,
}

/// What became of an instruction.
pub(crate) enum Moved {
    /// The thread has moved on. A branch was decided by this.
    On(Shade),
    /// Whether it is executed is not known: this predicate decides.
    Forks(u32),
    /// It wants this of the world, with operands of this shade.
    Wants(Effect, Shade),
    /// It may do anything: end, fault, or be something that is not followed.
    Loose,
}

impl Shadow {
    /// A thread that knows all its registers.
    pub(crate) fn new(lane: &Lane) -> Self {
        Self { lane: lane.clone(), registers: vec![0; lane.registers.len()], local: Vec::new(), carry: 0 }
    }

    /// Next instruction.
    pub(crate) fn pc(&self) -> usize {
        self.lane.pc
    }

    /// What tells apart where it is: its next instruction, and those of the calls it is in.
    pub(crate) fn path(&self) -> Vec<usize> {
        self.lane.stack.iter().map(|frame| frame.pc).chain([self.lane.pc]).collect()
    }

    /// What it holds: registers of all frames, one behind the other, then bytes of local memory.
    pub(crate) fn size(&self) -> usize {
        self.registers.len() + self.lane.memory().len().max(self.local.len())
    }

    /// The value of one of these, if it is known.
    pub(crate) fn known(&self, at: usize) -> Option<u64> {
        let (value, shade) = match at.checked_sub(self.registers.len()) {
            None => (self.lane.registers.get(at).copied(), self.registers[at]),
            Some(byte) => (self.lane.memory().get(byte).map(|byte| u64::from(*byte)), self.bytes(byte as u32, 1)),
        };
        (shade & UNKNOWN == 0).then(|| value.unwrap_or(0))
    }

    /// The carry flag, if it is known.
    pub(crate) fn carried(&self) -> Option<bool> {
        (self.carry & UNKNOWN == 0).then_some(self.lane.carry)
    }

    /// The value of one of these is not known any more.
    pub(crate) fn forget(&mut self, at: usize) {
        match at.checked_sub(self.registers.len()) {
            None => self.registers[at] |= UNKNOWN,
            Some(byte) => self.paint_bytes(byte as u32, [self.bytes(byte as u32, 1) | UNKNOWN]),
        }
    }

    /// A predicate is known from here on.
    pub(crate) fn decide(&mut self, slot: u32, value: bool) {
        let register = self.lane.base + slot as usize;
        if let (Some(there), Some(shade)) = (self.lane.registers.get_mut(register), self.registers.get_mut(register)) {
            (*there, *shade) = (u64::from(value), 0);
        }
    }

    /// Whether this is one of the states that another stands for, which knows no more than this.
    pub(crate) fn is_among(&self, other: &Self) -> bool {
        let covers = |theirs: Option<u64>, own: Option<u64>| theirs.is_none() || own == theirs;
        let carry = |of: &Self| of.carried().map(u64::from);
        self.path() == other.path()
            && covers(carry(other), carry(self))
            && (0..self.size().max(other.size())).all(|at| covers(other.known(at), self.known(at)))
    }

    /// The shade of an operand.
    fn of(&self, value: Value) -> Shade {
        match value {
            Value::Register(slot) | Value::Part { slot, .. } | Value::Not(slot) => {
                self.registers.get(self.lane.base + slot as usize).copied().unwrap_or(0)
            }
            Value::Special(special, _) => match special {
                Special::Clock | Special::ClockHi | Special::Clock64 => UNKNOWN,
                Special::GlobalTimer | Special::GlobalTimerLo | Special::GlobalTimerHi => UNKNOWN,
                Special::ActiveMask => UNKNOWN,
                _ => 0,
            },
            Value::Constant(_) | Value::Local { .. } => 0,
        }
    }

    fn all(&self, values: &[Value]) -> Shade {
        values.iter().fold(0, |all, value| all | self.of(*value))
    }

    fn is_known(&self, values: &[Value]) -> bool {
        self.all(values) & UNKNOWN == 0
    }

    fn paint(&mut self, base: usize, slot: u32, shade: Shade) {
        if slot != SINK
            && let Some(there) = self.registers.get_mut(base + slot as usize)
        {
            *there = shade;
        }
    }

    /// The shade of bytes of local memory.
    fn bytes(&self, address: u32, bytes: u32) -> Shade {
        let from = self.local.iter().skip(address as usize).take(bytes as usize);
        from.fold(0, |all, shade| all | shade)
    }

    fn paint_bytes(&mut self, address: u32, shades: impl IntoIterator<Item = Shade>) {
        for (at, shade) in (address as usize..).zip(shades) {
            if self.local.len() <= at && shade != 0 {
                self.local.resize(at + 1, 0);
            }
            if let Some(there) = self.local.get_mut(at) {
                *there = shade;
            }
        }
    }

    /// Executes an instruction.
    pub(crate) fn step(&mut self, program: &Program, place: &Whereabouts, now: Now) -> Moved {
        let Some(step) = program.steps.get(self.lane.pc) else { return Moved::Loose };
        let mut decided = 0;
        if let Some(guard) = step.guard {
            let shade = self.of(Value::Register(guard.slot));
            if shade & UNKNOWN != 0 {
                return Moved::Forks(guard.slot);
            }
            if matches!(step.action, Action::Branch(_) | Action::Return | Action::Call(_)) {
                decided = shade;
            }
            if self.lane.read(guard.slot) == guard.skips {
                self.lane.pc += 1;
                return Moved::On(decided);
            }
        }
        let shade = match &step.action {
            Action::Nothing | Action::Branch(_) => 0,
            Action::Move { from, .. } | Action::Unpack { from, .. } => self.of(*from),
            Action::Compute(compute) if compute.arithmetic.carries() => {
                self.carry |= self.all(&compute.from);
                self.carry
            }
            Action::Compute(compute) => self.all(&compute.from),
            Action::Convert(convert) => self.of(convert.from),
            Action::Pack { from, .. } => self.all(from),
            Action::Map(map) if self.is_known(&[map.address.base, map.rank]) => self.all(&[map.address.base, map.rank]),
            Action::Ask(ask) if self.is_known(&[ask.address.base]) => self.of(ask.address.base),
            Action::Switch { index, .. } if self.is_known(&[*index]) => {
                decided |= self.of(*index);
                0
            }
            Action::Call(call) => return self.call(program, place, now, call),
            Action::Return => return self.leave(program, place, now),
            Action::World(world) => return self.world(program, place, now, world),
            // an address or an index that is not known may be wrong
            Action::Map(_) | Action::Ask(_) | Action::Switch { .. } | Action::Unsupported(_) => return Moved::Loose,
        };
        match program.step(&mut self.lane, place, now) {
            Ok(Effect::Done) => {}
            _ => return Moved::Loose,
        }
        for to in written(&step.action) {
            self.paint(self.lane.base, to.slot, shade);
        }
        Moved::On(decided)
    }

    fn call(&mut self, program: &Program, place: &Whereabouts, now: Now, call: &Call) -> Moved {
        let begin = self.lane.begin;
        let given = |transfer: &Transfer| match transfer.hand {
            Hand::Value(value) => vec![self.of(value); transfer.bytes as usize],
            Hand::Memory(from) => {
                let from = begin.wrapping_add(from);
                (from..from + transfer.bytes).map(|byte| self.bytes(byte, 1)).collect()
            }
            Hand::Target(_) => Vec::new(),
        };
        let given: Vec<Vec<Shade>> = call.arguments.iter().map(given).collect();
        let Ok(Effect::Done) = program.step(&mut self.lane, place, now) else { return Moved::Loose };
        self.registers.resize(self.lane.registers.len(), 0);
        for (transfer, shades) in call.arguments.iter().zip(given) {
            match transfer.home {
                Home::Register(slot) => self.paint(self.lane.base, slot, shades.iter().fold(0, |all, one| all | one)),
                Home::Memory(to) => self.paint_bytes(self.lane.begin.wrapping_add(to), shades),
            }
        }
        Moved::On(0)
    }

    fn leave(&mut self, program: &Program, place: &Whereabouts, now: Now) -> Moved {
        let Some(frame) = self.lane.stack.last().copied() else { return Moved::Loose };
        let Some(Action::Call(call)) = program.steps.get(frame.pc).map(|step| &step.action) else {
            return Moved::Loose;
        };
        let (base, begin) = (self.lane.base, self.lane.begin);
        let given = |transfer: &Transfer| match transfer.home {
            Home::Register(slot) => vec![self.registers.get(base + slot as usize).copied().unwrap_or(0); 8],
            Home::Memory(from) => {
                let from = begin.wrapping_add(from);
                (from..from + transfer.bytes).map(|byte| self.bytes(byte, 1)).collect()
            }
        };
        let given: Vec<Vec<Shade>> = call.results.iter().map(given).collect();
        let Ok(Effect::Done) = program.step(&mut self.lane, place, now) else { return Moved::Loose };
        self.registers.truncate(self.lane.registers.len());
        self.local.truncate(frame.end as usize);
        for (transfer, shades) in call.results.iter().zip(given) {
            match transfer.hand {
                Hand::Target(to) => self.paint(frame.base, to.slot, shades.iter().fold(0, |all, one| all | one)),
                Hand::Memory(to) => {
                    let to = frame.begin.wrapping_add(to);
                    self.paint_bytes(to, shades.into_iter().take(transfer.bytes as usize));
                }
                Hand::Value(_) => {}
            }
        }
        Moved::On(0)
    }

    /// An instruction that the world takes part in, or local memory.
    fn world(&mut self, program: &Program, place: &Whereabouts, now: Now, world: &World) -> Moved {
        let what = match &world.what {
            What::First { lanes, .. } if place.lane >= *lanes => &What::Plain(Effect::Done),
            what => what.inner(),
        };
        let shade = match what {
            What::Plain(_) | What::Matrix { .. } => 0,
            What::Sleep(_) => return Moved::Wants(Effect::Sleep(0), 0),
            What::Load { at } | What::Store { at, .. } if !self.is_known(&[at.address.base]) => return Moved::Loose,
            What::Load { at } | What::Store { at, .. } if self.in_local(program, place, now, at).is_some() => {
                return self.local(program, place, now, world, what);
            }
            What::Load { .. } => 0,
            What::Store { values, .. } if self.is_known(values) => self.all(values),
            What::Bar { number, threads, predicate, .. }
                if self.is_known(&[*number]) && threads.is_none_or(|threads| self.is_known(&[threads])) =>
            {
                self.of(*predicate)
            }
            What::Atomic { at, b, c, .. } if self.is_known(&[at.address.base, *b, *c]) => 0,
            What::Barrier { op, address, operand, .. }
                if self.is_known(&[address.base]) && (self.is_known(&[*operand]) || op.reply() == Reply::Predicate) =>
            {
                self.of(*operand)
            }
            What::CheckLayout { address, .. } if self.is_known(&[address.base]) => 0,
            What::Shuffle { mask, value, lane, clamp, .. } if self.is_known(&[*mask]) => {
                self.all(&[*value, *lane, *clamp])
            }
            What::Vote { mask, predicate: value, .. } | What::Match { mask, value, .. } if self.is_known(&[*mask]) => {
                self.of(*value)
            }
            What::Reduce { mask, value, .. } if self.is_known(&[*mask]) => self.of(*value),
            What::Together { mask, .. } if self.is_known(&[*mask]) => 0,
            _ => return Moved::Loose,
        };
        match program.step(&mut self.lane, place, now) {
            Ok(Effect::Done) => Moved::On(0),
            Ok(effect) => Moved::Wants(effect, shade),
            Err(_) => Moved::Loose,
        }
    }

    /// The address in local memory of an access, if it is there.
    fn in_local(&self, program: &Program, place: &Whereabouts, now: Now, at: &Access) -> Option<u32> {
        let address: &Address = &at.address;
        match program.locate(&Eyes { lane: &self.lane, place, now }, address) {
            Location::Local(address) => Some(address),
            _ => None,
        }
    }

    /// A load from local memory, or a store to it.
    fn local(&mut self, program: &Program, place: &Whereabouts, now: Now, world: &World, what: &What) -> Moved {
        let (What::Load { at } | What::Store { at, .. }) = what else { return Moved::Loose };
        let Some(address) = self.in_local(program, place, now, at) else { return Moved::Loose };
        let width = u32::from(at.width);
        let element = |number: usize| address.wrapping_add(number as u32 * width);
        let stored: Vec<Shade> = match what {
            What::Store { values, .. } => values.iter().map(|value| self.of(*value)).collect(),
            _ => Vec::new(),
        };
        let Ok(Effect::Done) = program.step(&mut self.lane, place, now) else { return Moved::Loose };
        if let What::Store { .. } = what {
            for (number, shade) in stored.into_iter().enumerate() {
                self.paint_bytes(element(number), (0..width).map(|_| shade));
            }
        } else {
            for (number, to) in world.to.iter().enumerate() {
                self.paint(self.lane.base, to.slot, self.bytes(element(number), width));
            }
        }
        Moved::On(0)
    }

    /// The world gives results, of this shade.
    pub(crate) fn finish(&mut self, program: &Program, results: &[u64], shade: Shade) {
        if let Some(Action::World(world)) = program.steps.get(self.lane.pc).map(|step| &step.action) {
            for to in &world.to {
                self.paint(self.lane.base, to.slot, shade);
            }
        }
        program.finish(&mut self.lane, results);
    }
}
