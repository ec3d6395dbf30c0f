//! Whether a warp can ever do anything again that others can see, if nobody else does.
//!
//! Nothing moves any more if that holds of every warp: then all that threads wait for or look at stays as it is, for ever. So each
//! thread is followed ([`Shadow`]) through all that it may do while memory and barriers are as they are now, and nothing is
//! known of the time. A loop that counts its rounds would never be over: where it comes by with more and more values in a register,
//! that register is taken to hold anything; so are bytes of local memory. What is followed is then a little more than what can happen, never less. If
//! a thread comes to no instruction that changes something, ends it, or is a fault, it never will.
//!
//! **Lanes.** Where lanes of a warp exchange values, a thread goes on only when all lanes that it waits for have come. Each of them may come
//! several times: with the same values, then the result is known, or with others.
//!
//! **What keeps it.** The values that were read, and that branches depended on: those are what it waits for.

use super::access::{atomic, atomic_in_global};
use super::answer::extract;
use super::hang::{Place, Polled};
use super::*;
use crate::address::Location;
use crate::effect::{Access, Effect, Together};
use crate::thread::Now;
use crate::thread::shadow::{Moved, SOURCES, Shade, Shadow, UNKNOWN};
use std::mem::{Discriminant, discriminant};
use txbar_rtl::op::{Op, Operand, Reply};
use txbar_rtl::word::PHASE;
use txbar_testbench::scoreboard::each;

/// Instructions that a warp is followed through at most.
const STEPS: usize = 1 << 19;
/// States at an instruction after which registers are taken to hold anything that have had more than [`VALUES`] values in them.
const STATES: usize = 8;
/// States after which that is so of all that differ.
const MANY_STATES: usize = 32;
/// Values.
const VALUES: usize = 4;

/// A value that a thread reads, and on which a branch depends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Read {
    /// From memory.
    Memory { place: Place, bytes: u8, value: u64, pc: usize },
    /// The answer of a wait.
    Wait(Failing),
}

/// What keeps a thread from ever moving again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// A wait on a barrier whose answer will stay the same.
    pub wait: Option<Failing>,
    /// Values in memory that will.
    pub polls: Vec<Polled>,
}

/// States in which a thread has come to an instruction.
#[derive(Default)]
struct Seen {
    states: Vec<Shadow>,
    /// Registers and bytes of local memory that hold anything.
    wide: Vec<bool>,
}

impl Seen {
    /// Notes a state, wider than it was if there are many; nothing if it is one of those that were followed already.
    fn admit(&mut self, state: &mut Shadow) -> bool {
        self.wide.resize(self.wide.len().max(state.size()), false);
        let widen = |wide: &[bool], state: &mut Shadow| {
            wide.iter().enumerate().filter(|(_, wide)| **wide).for_each(|(register, _)| state.forget(register));
        };
        widen(&self.wide, state);
        if self.states.iter().any(|known| state.is_among(known)) {
            return false;
        }
        if self.states.len() >= STATES {
            for register in 0..state.size() {
                let mut values: Vec<Option<u64>> = self.states.iter().map(|state| state.known(register)).collect();
                values.push(state.known(register));
                values.sort_unstable();
                values.dedup();
                let most = if self.states.len() < MANY_STATES { VALUES } else { 1 };
                self.wide[register] |= values.len() > most;
            }
            widen(&self.wide, state);
            if self.states.iter().any(|known| state.is_among(known)) {
                return false;
            }
        }
        self.states.retain(|known| !known.is_among(state));
        self.states.push(state.clone());
        true
    }
}

/// What a lane brings to the others.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Brings {
    Always(Together),
    Varies(Together),
}

/// Lanes that wait for each other.
#[derive(Default)]
struct Meeting {
    brings: [Option<Brings>; 32],
    /// Everybody who has come.
    come: Vec<(usize, Shadow)>,
}

/// What is answered to a thread that wants something of the world.
enum Answer {
    /// Results.
    Results([u64; 8], usize, Shade),
    /// It is among lanes that wait for each other.
    Meets(u32, Together, Shade),
    /// It is something that others can see.
    Loose,
}

/// A warp that is followed.
struct Walk<'w, 'a> {
    machine: &'w Machine<'a>,
    memory: &'w GlobalMemory,
    cta: usize,
    warp: usize,
    seen: HashMap<(usize, Vec<usize>), Seen>,
    meetings: HashMap<(u32, Discriminant<Together>), Meeting>,
    reads: Vec<Vec<Read>>,
    decisive: [Shade; 32],
    /// Lanes at their next instruction, and whether that is looked up among those seen.
    left: Vec<(usize, Shadow, bool)>,
    steps: usize,
}

impl Machine<'_> {
    /// What keeps each lane of a warp, if no lane of it can ever do anything that others can see, unless others do.
    pub(super) fn kept(&self, cta: usize, warp: usize, memory: &GlobalMemory) -> Option<Vec<Kept>> {
        let block = &self.blocks[cta];
        let lanes = (warp * 32..block.runners.len().min(warp * 32 + 32)).collect::<Vec<_>>();
        let mut left = Vec::new();
        for (lane, thread) in lanes.iter().enumerate() {
            let runner = &block.runners[*thread];
            let mut shadow = Shadow::new(&runner.lane);
            match runner.state {
                // others bring it, or nobody
                State::Exited | State::Offered | State::AtBar { .. } | State::AtRound(_) | State::Asked(_) => continue,
                State::Claims(_) => continue,
                State::Held(effect) if !goes_on(effect) => continue,
                State::Sleeping(_) => shadow.finish(self.program, &[], 0),
                State::Ready | State::Held(_) | State::Answers(_) | State::Together { .. } => {}
            }
            left.push((lane, shadow, true));
        }
        let mut walk = Walk {
            machine: self,
            memory,
            cta,
            warp,
            seen: HashMap::new(),
            meetings: HashMap::new(),
            reads: vec![Vec::new(); lanes.len()],
            decisive: [0; 32],
            left,
            steps: 0,
        };
        while let Some((lane, shadow, looks)) = walk.left.pop() {
            if !walk.follow(lane, shadow, looks) {
                return None;
            }
        }
        let mut kept: Vec<Kept> = (0..lanes.len()).map(|lane| walk.keeps(lane)).collect();
        // lanes that decide by what another brings are kept by what keeps that one
        for meeting in walk.meetings.values() {
            let here: Vec<usize> = (0..lanes.len()).filter(|lane| meeting.brings[*lane].is_some()).collect();
            let by = here.iter().map(|lane| &kept[*lane]).find(|kept| **kept != Kept::default()).cloned();
            for lane in here {
                if kept[lane] == Kept::default() {
                    kept[lane] = by.clone().unwrap_or_default();
                }
            }
        }
        Some(kept)
    }
}

/// Whether a thread that holds this need not wait for others.
fn goes_on(effect: Effect) -> bool {
    use Effect::{Atomic, Barrier, CheckLayout, Fence, Load, Store, Together};
    matches!(
        effect,
        Atomic { .. } | Barrier { .. } | CheckLayout { .. } | Fence(_) | Load(_) | Store(..) | Together { .. }
    )
}

impl Walk<'_, '_> {
    /// Follows a lane until it is where it was, or waits for others: whether it has done nothing that others can see.
    fn follow(&mut self, lane: usize, mut shadow: Shadow, mut looks: bool) -> bool {
        let program = self.machine.program;
        let place = &self.machine.blocks[self.cta].runners[self.warp * 32 + lane].place;
        let now = Now { cycle: 0, nanoseconds: 0, active: 0 };
        loop {
            self.steps += 1;
            if self.steps > STEPS {
                return false;
            }
            if looks && program.is_joined(shadow.pc()) {
                let seen = self.seen.entry((lane, shadow.path())).or_default();
                if !seen.admit(&mut shadow) {
                    return true;
                }
            }
            looks = true;
            match shadow.step(program, place, now) {
                Moved::On(decided) => self.decisive[lane] |= decided,
                Moved::Forks(slot) => {
                    let mut other = shadow.clone();
                    other.decide(slot, false);
                    self.left.push((lane, other, false));
                    shadow.decide(slot, true);
                    looks = false;
                }
                Moved::Wants(effect, shade) => match self.answer(lane, shadow.pc(), effect, shade) {
                    Answer::Results(values, count, shade) => shadow.finish(program, &values[..count], shade),
                    Answer::Meets(mask, what, shade) => return self.meet(lane, shadow, (mask, what), shade),
                    Answer::Loose => return false,
                },
                Moved::Loose => return false,
            }
        }
    }

    /// The number of a value that a lane reads, as a shade.
    fn note(&mut self, lane: usize, read: Read) -> Shade {
        let reads = &mut self.reads[lane];
        let number = reads.iter().position(|known| *known == read).unwrap_or_else(|| {
            reads.push(read);
            reads.len() - 1
        });
        if number < SOURCES { 1 << number } else { 0 }
    }

    /// What the world says to a thread as long as nothing changes.
    fn answer(&mut self, lane: usize, pc: usize, effect: Effect, shade: Shade) -> Answer {
        let nothing = Answer::Results([0; 8], 0, 0);
        match effect {
            Effect::Fence(_) | Effect::Sleep(_) | Effect::CopyCommit | Effect::CopyWait(_) => nothing,
            Effect::Load(access) => {
                let Some(values) = self.load(access) else { return Answer::Loose };
                let shade = (0..usize::from(access.count))
                    .fold(0, |shade, number| shade | self.look(lane, pc, access, number, values[number]));
                Answer::Results(values, usize::from(access.count), shade)
            }
            Effect::Store(access @ Access { location: Location::Global(address), .. }, values) => {
                let width = usize::from(access.width);
                let same = (0..usize::from(access.count)).all(|number| {
                    let there = self.memory.value(address + (number * width) as u64, width);
                    there.is_ok_and(|there| there == values[number] & (u64::MAX >> (64 - 8 * width)))
                });
                if same { nothing } else { Answer::Loose }
            }
            Effect::Atomic { access, atom, meaning, b, c } => {
                let Some(values) = self.load(access) else { return Answer::Loose };
                let new = match access.location {
                    Location::Global(_) => atomic_in_global(atom, meaning, access.width, values[0], [b, c]),
                    _ => atomic(atom, meaning, access.width, values[0], [b, c]),
                };
                if new != values[0] {
                    return Answer::Loose;
                }
                let shade = self.look(lane, pc, access, 0, values[0]);
                Answer::Results(values, 1, shade)
            }
            Effect::Barrier { op, location, data, operand, .. } if op.reply() == Reply::Predicate => {
                let Some(spot) = self.spot(location, 8).filter(|spot| spot.offset.is_multiple_of(8)) else {
                    return Answer::Loose;
                };
                let parity = match op.operand() {
                    Operand::Parity | Operand::ParityAndLimit => data & 1,
                    _ => PHASE.of(data),
                };
                let passes = PHASE.of(self.machine.word(spot)) != parity;
                if shade & UNKNOWN != 0 {
                    return Answer::Results([0; 8], 1, UNKNOWN);
                }
                let wait = Failing { spot, op, operand, pc, cycle: 0, times: 0 };
                let shade = self.note(lane, Read::Wait(wait));
                Answer::Results([u64::from(passes), 0, 0, 0, 0, 0, 0, 0], 1, shade)
            }
            Effect::Barrier { op: Op::PendingCount, .. } => Answer::Results([0; 8], 1, UNKNOWN),
            Effect::CheckLayout { location, .. } if self.spot(location, 8).is_some() => {
                Answer::Results([0; 8], 1, UNKNOWN)
            }
            Effect::Together { what: Together::Matrix { .. }, .. } => Answer::Loose,
            Effect::Together { mask, what } if mask >> lane & 1 != 0 => Answer::Meets(mask, what, shade),
            _ => Answer::Loose,
        }
    }

    /// A place in shared memory, if it is there.
    fn spot(&self, location: Location, bytes: u32) -> Option<Spot> {
        let Location::Shared { rank, offset } = location else { return None };
        let cta = rank.map_or(self.cta, usize::from);
        let inside = u64::from(offset) + u64::from(bytes) <= u64::from(self.machine.shared_bytes);
        (inside && cta < self.machine.blocks.len()).then_some(Spot { cta: cta as u8, offset })
    }

    /// The values of a load.
    fn load(&self, access: Access) -> Option<[u64; 8]> {
        let mut values = [0; 8];
        let width = usize::from(access.width);
        if let Location::Global(address) = access.location {
            for (number, value) in values.iter_mut().enumerate().take(usize::from(access.count)) {
                *value = self.memory.value(address + (number * width) as u64, width).ok()?;
            }
            return Some(values);
        }
        let spot = self.spot(access.location, access.bytes())?;
        let mut words = [0; NUMBERS];
        for (number, word) in words.iter_mut().enumerate().take(access.bytes().div_ceil(8) as usize) {
            *word = self.machine.word(Spot { offset: (spot.offset & !7) + 8 * number as u32, ..spot });
        }
        extract(&words, access, &mut values);
        Some(values)
    }

    /// A lane has read a value of an access.
    fn look(&mut self, lane: usize, pc: usize, access: Access, number: usize, value: u64) -> Shade {
        let offset = number as u32 * u32::from(access.width);
        let place = match access.location {
            Location::Global(address) => Place::Global(address + u64::from(offset)),
            location => match self.spot(location, access.bytes()) {
                Some(spot) => Place::Shared(Spot { offset: spot.offset + offset, ..spot }),
                None => return 0,
            },
        };
        self.note(lane, Read::Memory { place, bytes: access.width, value, pc })
    }

    /// A lane comes to others. When all are there, they go on.
    fn meet(&mut self, lane: usize, shadow: Shadow, (mask, what): (u32, Together), shade: Shade) -> bool {
        let live = self.machine.blocks[self.cta].warps[self.warp].live & mask;
        let meeting = self.meetings.entry((mask, discriminant(&what))).or_default();
        let known = shade & UNKNOWN == 0;
        let brings = match meeting.brings[lane] {
            None if known => Brings::Always(what),
            Some(Brings::Always(before)) if known && before == what => Brings::Always(what),
            _ => Brings::Varies(what),
        };
        let changes = meeting.brings[lane] != Some(brings);
        meeting.brings[lane] = Some(brings);
        // the others decide by what it brings
        self.decisive[lane] |= shade & !UNKNOWN;
        meeting.come.push((lane, shadow));
        if each(u64::from(live)).any(|lane| meeting.brings[lane].is_none()) {
            return true;
        }
        let asked: [Option<Together>; 32] = std::array::from_fn(|lane| {
            meeting.brings[lane].map(|brings| match brings {
                Brings::Always(what) | Brings::Varies(what) => what,
            })
        });
        let varies = |lane: usize| matches!(meeting.brings[lane], Some(Brings::Varies(_))) && live >> lane & 1 != 0;
        let mut results = [([0; 2], 0); 32];
        together::resolve(live, &asked, &mut results);
        let from = if changes { 0 } else { meeting.come.len() - 1 };
        let mut left = Vec::new();
        for (lane, shadow) in &meeting.come[from..] {
            let shade = match together::needs(*lane, live, &asked) {
                lanes if each(u64::from(lanes)).any(varies) => UNKNOWN,
                _ => 0,
            };
            let (values, count) = results[*lane];
            let mut shadow = shadow.clone();
            shadow.finish(self.machine.program, &values[..count], shade);
            left.push((*lane, shadow, true));
        }
        self.left.extend(left);
        true
    }

    /// What keeps a lane.
    fn keeps(&self, lane: usize) -> Kept {
        let decisive = |(number, read): (usize, &Read)| {
            (number < SOURCES && self.decisive[lane] >> number & 1 != 0).then_some(*read)
        };
        let reads: Vec<Read> = self.reads[lane].iter().enumerate().filter_map(decisive).collect();
        let wait = reads.iter().find_map(|read| if let Read::Wait(wait) = read { Some(*wait) } else { None });
        let polled = |read: &Read| match *read {
            Read::Memory { place, bytes, value, pc } => Some(self.machine.polled(place, bytes, value, pc, self.memory)),
            Read::Wait(_) => None,
        };
        Kept { wait, polls: reads.iter().filter_map(polled).collect() }
    }
}
