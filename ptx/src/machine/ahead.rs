//! Follows waiting threads as if their waits ended.
//!
//! A copy of the thread, registers and all, goes on alone: each of its waits passes, a load gives what is in shared memory, other
//! lanes of its warp are taken to do as it does. Neither the hardware nor another thread sees anything of it. So it makes no
//! difference how a loop is written: what comes behind a wait is what the thread executes behind it. A thread that spins on memory reads
//! the first value there that lets it leave its loop.

use super::*;
use crate::address::Location;
use crate::effect::{Access, Bar, Claim, Effect, Together, Visit};
use crate::machine::hang::{Place, Polled, parity_of};
use crate::thread::Now;
use std::collections::BTreeMap;
use txbar_rtl::op::{Op, Reply};
use txbar_testbench::scoreboard::each;

/// Instructions that all threads together are followed for.
const INSTRUCTIONS: usize = 2 << 20;
/// And of one of them, at least and at most.
const OF_ONE: [usize; 2] = [2_000, 50_000];
/// Deeds of a thread that are remembered.
const DEEDS: usize = 400;
/// Places that it stores to.
const STORES: usize = 256;
/// How often a thread may look at a place it has left the loop for.
const LOOKS: usize = 4;

/// Something that a thread does to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Waits for a phase with this parity.
    Waits(Spot, u8),
    /// Makes this many arrivals.
    Arrives(Spot, u32),
    /// Starts a copy that completes on this barrier.
    Sends(Spot),
    /// Writes shared memory, starts a copy into it, or expects bytes.
    Fills,
    /// Reads shared memory, or starts a copy out of it.
    Reads,
}

/// What a thread would do, in order, each with its instruction.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    deeds: Vec<(usize, Deed)>,
    /// So many bytes from a place on that it stores to, or changes atomically, each place once.
    stores: Vec<(usize, Place, u32)>,
    /// The first `setmaxnreg.dec` that it comes to.
    pub gives_back: Option<usize>,
    /// Barriers of its CTA that it comes to, a bit each.
    comes: u16,
    /// It was followed to its end, or for so many deeds that what is missing does not matter.
    pub whole: bool,
}

/// An arrival that a thread would make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coming {
    /// Index of the instruction.
    pub pc: usize,
    /// Number of arrivals.
    pub count: u32,
    /// It comes behind a wait of the same thread for the phase that lacks it.
    pub behind: bool,
}

impl Ahead {
    fn push(&mut self, pc: usize, deed: Deed) {
        if self.deeds.last().is_none_or(|(_, last)| *last != deed || matches!(deed, Deed::Arrives(..))) {
            self.deeds.push((pc, deed));
        }
    }

    /// The first arrival on a barrier, whose phase with this parity is going on.
    pub fn arrival(&self, on: Spot, parity: u8) -> Option<Coming> {
        let arrives = |(_, deed): &(usize, Deed)| matches!(deed, Deed::Arrives(spot, _) if *spot == on);
        let place = self.deeds.iter().position(arrives)?;
        let (pc, Deed::Arrives(_, count)) = self.deeds[place] else { return None };
        let behind = self.deeds[..place].iter().any(|(_, deed)| *deed == Deed::Waits(on, parity));
        Some(Coming { pc, count, behind })
    }

    /// The first store to some of these bytes.
    pub fn store(&self, to: Place, bytes: u32) -> Option<usize> {
        self.stores.iter().find(|(_, place, stored)| place.overlaps(*stored, to, bytes)).map(|(pc, ..)| *pc)
    }

    /// What it stores to global memory: with which instruction, where, how many bytes.
    pub fn stores_to_global(&self) -> impl Iterator<Item = (usize, Place, u32)> {
        self.stores.iter().copied().filter(|(_, place, _)| matches!(place, Place::Global(_)))
    }

    /// Whether it comes to a barrier of its CTA.
    pub fn comes(&self, number: u8) -> bool {
        self.comes >> number & 1 != 0
    }

    fn notes_store(&mut self, pc: usize, place: Option<Place>, bytes: u32) {
        let Some(place) = place.filter(|_| self.stores.len() < STORES) else { return };
        if self.stores.iter().all(|(_, known, _)| *known != place) {
            self.stores.push((pc, place, bytes));
        }
    }

    /// The first copy that completes on a barrier, and whether it comes behind an arrival there.
    pub fn copy(&self, on: Spot) -> Option<(usize, bool)> {
        let place = self.deeds.iter().position(|(_, deed)| *deed == Deed::Sends(on))?;
        let arrives = |(_, deed): &(usize, Deed)| matches!(deed, Deed::Arrives(spot, _) if *spot == on);
        Some((self.deeds[place].0, self.deeds[..place].iter().any(arrives)))
    }

    /// Whether it fills shared memory behind its first wait, on this barrier, before it reads any or arrives anywhere.
    pub fn fills_behind(&self, on: Spot) -> bool {
        let mut behind = self.deeds.iter().skip_while(|(_, deed)| !matches!(deed, Deed::Waits(spot, _) if *spot == on));
        let first = behind.find(|(_, deed)| !matches!(deed, Deed::Waits(..)));
        matches!(first, Some((_, Deed::Fills | Deed::Sends(_))))
    }
}

/// A place in memory that a thread of a CTA names.
fn place(cta: usize, location: Location) -> Option<Place> {
    match location {
        Location::Global(address) => Some(Place::Global(address)),
        Location::Shared { rank, offset } => Some(Place::Shared(Spot { cta: rank.unwrap_or(cta as u8), offset })),
        _ => None,
    }
}

impl Machine<'_> {
    /// What each thread that has not exited would do. `spins` are those in loops that memory keeps them in, and what they look at.
    pub(super) fn all_ahead(&self, spins: &BTreeMap<ThreadId, &[Polled]>) -> BTreeMap<ThreadId, Ahead> {
        let live = |block: &Block| block.runners.iter().filter(|runner| runner.state != State::Exited).count();
        let threads: usize = self.blocks.iter().map(live).sum();
        let most = (INSTRUCTIONS / threads.max(1)).clamp(OF_ONE[0], OF_ONE[1]);
        let mut all = BTreeMap::new();
        for (cta, block) in self.blocks.iter().enumerate() {
            for (thread, runner) in block.runners.iter().enumerate() {
                if runner.state != State::Exited {
                    let who = ThreadId::new(cta, thread);
                    let ahead = match spins.get(&who) {
                        Some(polls) => self.behind_spin(who, most, polls),
                        None => self.ahead(who, most, &|_, _| None, &mut 0),
                    };
                    all.insert(who, ahead);
                }
            }
        }
        all
    }

    /// What a thread would do behind the loop in which it looks at these places.
    fn behind_spin(&self, who: ThreadId, most: usize, polls: &[Polled]) -> Ahead {
        let others: [fn(u64) -> u64; 7] = [
            |_| 0,
            |_| 1,
            |was| was.wrapping_add(1),
            |was| was.wrapping_sub(1),
            |was| was ^ 1,
            |_| u64::MAX,
            |_| 1 << 20,
        ];
        let leaves = |other: &fn(u64) -> u64| {
            let mut left = LOOKS * polls.len();
            let read = |place, bytes| {
                let polled = polls.iter().find(|polled| (polled.place, polled.bytes) == (place, bytes))?;
                Some(other(polled.value) & u64::MAX >> (64 - 8 * u32::from(polled.bytes.clamp(1, 8))))
            };
            let ahead = self.ahead(who, most, &read, &mut left);
            (left > 0).then_some(ahead)
        };
        others.iter().find_map(leaves).unwrap_or_default()
    }

    /// What a thread would do in this many instructions, if it read from this many bytes at a place what is given: so often at most.
    fn ahead(&self, who: ThreadId, most: usize, reads: &dyn Fn(Place, u8) -> Option<u64>, left: &mut usize) -> Ahead {
        let (cta, thread) = (usize::from(who.cta), usize::from(who.thread));
        let runner = &self.blocks[cta].runners[thread];
        let warp = &self.blocks[cta].warps[thread / 32];
        let mut lane = runner.lane.clone();
        let mut ahead = Ahead::default();
        for number in 0..most {
            let cycle = self.cycle + number as u64;
            let nanoseconds = cycle * self.parameters.unit.clock_ns as u64;
            let pc = lane.pc;
            match self.program.step(&mut lane, &runner.place, Now { cycle, nanoseconds, active: warp.live }) {
                Ok(Effect::Done) => continue,
                Ok(Effect::Exit | Effect::Trap) => {
                    ahead.whole = true;
                    break;
                }
                Ok(effect) => {
                    let mut results = self.imagine(cta, thread, pc, effect, &mut ahead);
                    let read = match effect {
                        Effect::Load(access) | Effect::Atomic { access, .. } => {
                            place(cta, access.location).and_then(|place| reads(place, access.width))
                        }
                        _ => None,
                    };
                    if let Some(other) = read {
                        results = [other; 8];
                        *left = left.saturating_sub(1);
                        if *left == 0 {
                            break;
                        }
                    }
                    self.program.finish(&mut lane, &results);
                }
                Err(_) => break,
            }
            if ahead.deeds.len() >= DEEDS {
                ahead.whole = true;
                break;
            }
        }
        ahead
    }

    /// What an instruction would do to others, and the results that it would have.
    fn imagine(&self, cta: usize, thread: usize, pc: usize, effect: Effect, ahead: &mut Ahead) -> [u64; 8] {
        let place = |location| place(cta, location);
        let spot = |location| if let Some(Place::Shared(spot)) = place(location) { Some(spot) } else { None };
        let one = |value: u64| [value, 0, 0, 0, 0, 0, 0, 0];
        if let Effect::Claim(Claim { grows: false, .. }) = effect {
            ahead.gives_back = ahead.gives_back.or(Some(pc));
        }
        if let Effect::Bar(Visit { number, .. }) = effect {
            ahead.comes |= 1 << number;
        }
        match effect {
            Effect::Barrier { op, location, data, operand, .. } => {
                let Some(on) = spot(location) else { return one(1) };
                let word = self.word_if_any(on);
                if matches!(op, Op::ExpectTx | Op::ArriveExpectTx | Op::ArriveDropExpectTx) {
                    ahead.push(pc, Deed::Fills);
                }
                match observe::arrivals(op, data) {
                    0 => {}
                    count => ahead.push(pc, Deed::Arrives(on, count)),
                }
                match op.reply() {
                    Reply::Predicate => {
                        ahead.push(pc, Deed::Waits(on, parity_of(op, operand)));
                        one(1)
                    }
                    _ => one(word),
                }
            }
            Effect::CopyArrive { location, noinc } => {
                if let Some(on) = spot(location).filter(|_| noinc) {
                    ahead.push(pc, Deed::Arrives(on, 1));
                }
                [0; 8]
            }
            Effect::Load(access) | Effect::Atomic { access, .. } => {
                if let Effect::Atomic { .. } = effect {
                    ahead.notes_store(pc, place(access.location), access.bytes());
                }
                let Some(from) = spot(access.location) else { return [0; 8] };
                ahead.push(pc, Deed::Reads);
                self.values(from, access)
            }
            Effect::Store(access, _) => {
                ahead.notes_store(pc, place(access.location), access.bytes());
                if spot(access.location).is_some() {
                    ahead.push(pc, Deed::Fills);
                }
                [0; 8]
            }
            Effect::CopyAsync { .. } => {
                ahead.push(pc, Deed::Fills);
                [0; 8]
            }
            Effect::BulkToShared { barrier, multicast, .. } | Effect::TensorToShared { barrier, multicast, .. } => {
                ahead.push(pc, Deed::Fills);
                if let Some(on) = spot(barrier) {
                    for cta in each(multicast.map_or(1 << on.cta, u64::from)) {
                        ahead.push(pc, Deed::Sends(Spot { cta: cta as u8, ..on }));
                    }
                }
                [0; 8]
            }
            Effect::BulkToCluster { barrier, .. } | Effect::Post { barrier, .. } => {
                ahead.push(pc, Deed::Fills);
                if let Some(on) = spot(barrier) {
                    ahead.push(pc, Deed::Sends(on));
                }
                [0; 8]
            }
            Effect::BulkToGlobal { .. } | Effect::TensorToGlobal { .. } => {
                ahead.push(pc, Deed::Reads);
                [0; 8]
            }
            Effect::Together { mask, what } => {
                if matches!(what, Together::Matrix { .. }) {
                    ahead.push(pc, Deed::Reads);
                }
                let mut out = [([0; 2], 0); 32];
                let lanes = mask & self.blocks[cta].warps[thread / 32].live;
                together::resolve(lanes, &[Some(what); 32], &mut out);
                let [first, second] = out[thread % 32].0;
                [first, second, 0, 0, 0, 0, 0, 0]
            }
            Effect::Bar(Visit { bar: Bar::Popc(holds) | Bar::And(holds) | Bar::Or(holds), .. }) => {
                one(u64::from(holds))
            }
            Effect::CheckLayout { .. } => one(1),
            _ => [0; 8],
        }
    }

    /// The word of a barrier, or 0 if there is no such place.
    fn word_if_any(&self, spot: Spot) -> u64 {
        let there = usize::from(spot.cta) < self.blocks.len() && spot.offset + 8 <= self.shared_bytes;
        if there { self.word(Spot { offset: spot.offset & !7, ..spot }) } else { 0 }
    }

    /// Values in shared memory.
    fn values(&self, from: Spot, access: Access) -> [u64; 8] {
        let byte = |offset: u32| self.word_if_any(Spot { offset: offset & !7, ..from }) >> (8 * (offset % 8)) & 0xff;
        let width = u32::from(access.width);
        let value = |number: u32| {
            let begin = from.offset.wrapping_add(number * width);
            (0..width).rev().fold(0, |value, place| value << 8 | byte(begin.wrapping_add(place)))
        };
        std::array::from_fn(|number| if number < usize::from(access.count) { value(number as u32) } else { 0 })
    }
}
