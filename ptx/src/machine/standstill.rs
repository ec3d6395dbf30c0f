//! Standstill: no thread can ever again have an effect that others can observe.
//!
//! If none can, all that threads wait for or look at stays as it is, for ever. So each
//! thread is followed ([`Shadow`]) through all that it may do while memory and barriers are as they are now, and nothing is
//! known of the time. A loop that counts its rounds would never be over: where it comes by with more and more values in a register,
//! that register is taken to hold anything; so are bytes of local memory. What is followed is then a little more than what can happen, never less. If
//! a thread comes to no instruction that changes something, ends it, or is a fault, it never will.
//!
//! **Lanes.** Where lanes of a warp exchange values, a thread goes on only when all lanes that it waits for have come. Each of them may come
//! several times: with the same values, then the result is known, or with others.
//!
//! **Barriers of CTAs and of the cluster** let threads go on when all that they need may come (`crossing`).
//!
//! **What keeps it.** The values that were read, and that branches depended on: those are what it waits for. Of a value that
//! a thread writes again and again, it is what that thread has read.

use super::access::{atomic, atomic_in_global};
use super::answer::extract;
use super::crossing::{Crossing, Gathering};
use super::hang::Place;
use super::kept::{Kept, Look, Read, Rewrite};
use super::seen::{Admitted, Finely, Seen};
use super::*;
use crate::address::Location;
use crate::effect::{Access, Effect, Round, Together, Visit};
use crate::thread::Now;
use crate::thread::shadow::{Moved, SOURCES, Shade, Shadow, UNKNOWN};
use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};
use txbar_rtl::op::{Op, Operand, Reply};
use txbar_rtl::word::PHASE;
use txbar_testbench::scoreboard::each;

/// Instructions that a warp is followed through at most.
const STEPS: usize = 1 << 19;
/// The same where more states are told apart.
const FINE_STEPS: usize = 1 << 21;
/// And that all threads are followed through then at most.
const MOST_FINE_STEPS: usize = 1 << 24;
/// What a lane brings to the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Brings {
    Always(Together),
    Varies(Together),
}

/// Lanes that wait for each other.
#[derive(Default)]
pub(super) struct Meeting {
    pub(super) brings: [Option<Brings>; 32],
    /// Everybody who has come.
    come: Vec<(usize, Shadow)>,
}

/// What is answered to a thread that wants something of the world.
enum Answer {
    /// Results.
    Results([u64; 8], usize, Shade),
    /// It is among lanes that wait for each other.
    Meets(u32, Together, Shade),
    /// Arrives at a barrier of the CTA.
    Bar(Visit, Shade),
    /// Arrives at the barrier of the cluster.
    Round(Round),
    /// Waits for threads that have not arrived.
    Waits,
    /// Has an effect that others can observe.
    Loose,
}

/// A thread that is followed.
#[derive(Default)]
pub(super) struct Followed {
    /// What it has read, as far as it has numbers; what it has read from memory besides.
    pub(super) reads: Vec<Read>,
    pub(super) more: HashSet<Look>,
    /// Numbers of values on which branches of it depend.
    pub(super) decisive: Shade,
    /// It has gone on at a barrier of the CTA or the cluster.
    pub(super) loops: bool,
}

/// Threads that are followed: all of the cluster, which are numbered through, or those of a warp.
pub(super) struct Walk<'w, 'a> {
    pub(super) machine: &'w Machine<'a>,
    pub(super) memory: &'w GlobalMemory,
    /// Threads of a CTA.
    pub(super) of_cta: usize,
    /// All of the cluster.
    pub(super) whole: bool,
    pub(super) threads: Vec<Followed>,
    seen: HashMap<(usize, Vec<usize>), Seen>,
    /// More states are told apart: those in which threads have come to instructions.
    finely: Option<HashMap<(usize, Vec<usize>), Finely>>,
    pub(super) meetings: HashMap<(usize, u32, Discriminant<Together>), Meeting>,
    /// Lanes of each warp that have come to `wgmma.mma_async`, and to other matrix instructions: by the number of the first.
    multiply: [HashMap<usize, u32>; 2],
    /// Barriers of CTAs, by CTA and number.
    pub(super) crossings: HashMap<(usize, u8), Crossing>,
    pub(super) gathering: Gathering,
    pub(super) rewrites: Vec<Rewrite>,
    /// Threads at their next instruction, and whether that is looked up among those seen.
    pub(super) left: Vec<(usize, Shadow, bool)>,
    steps: usize,
}

impl Machine<'_> {
    /// What keeps each thread of the cluster, if none can ever do anything that others can see, unless others do. Of a warp `only` it is asked
    /// for those alone, and whether they can come to anything else than they wait for now.
    pub(super) fn kept(&self, only: Option<(usize, usize)>, memory: &GlobalMemory) -> Option<Vec<Kept>> {
        let mut walk = self.walk(only, memory);
        if let Some(moves) = walk.first_that_moves() {
            if !walk.seen.values().any(Seen::is_wide) {
                return None;
            }
            // it may be that what it looks at in turn was taken to be anywhere
            walk = self.walk(only, memory);
            walk.steps = (FINE_STEPS / STEPS * walk.steps).min(MOST_FINE_STEPS);
            walk.finely = Some(HashMap::new());
            walk.left.sort_by_key(|(at, ..)| *at == moves);
            if walk.first_that_moves().is_some() {
                return None;
            }
        }
        (!walk.is_at_odds()).then(|| walk.all_kept())
    }

    /// The threads of the cluster, or of a warp, that are to be followed.
    fn walk<'w>(&'w self, only: Option<(usize, usize)>, memory: &'w GlobalMemory) -> Walk<'w, 'w> {
        let of_cta = self.blocks.first().map_or(0, |block| block.runners.len());
        let warps: usize = self.blocks.iter().map(|block| block.warps.len()).sum();
        let mut walk = Walk {
            machine: self,
            memory,
            of_cta,
            whole: only.is_none(),
            threads: (0..of_cta * self.blocks.len()).map(|_| Followed::default()).collect(),
            seen: HashMap::new(),
            finely: None,
            meetings: HashMap::new(),
            multiply: Default::default(),
            crossings: HashMap::new(),
            gathering: Gathering::new(self, warps),
            rewrites: Vec::new(),
            left: Vec::new(),
            steps: STEPS * only.map_or(warps, |_| 1),
        };
        for (cta, block) in self.blocks.iter().enumerate() {
            for (thread, runner) in block.runners.iter().enumerate() {
                if only.is_some_and(|only| only != (cta, thread / 32)) {
                    continue;
                }
                let at = cta * of_cta + thread;
                let mut shadow = Shadow::new(&runner.lane);
                match runner.state {
                    // others bring it, or nobody
                    State::Exited | State::Offered | State::Claims(_) => continue,
                    State::AtBar { .. } | State::AtRound(_) | State::Asked(_) if !walk.whole => continue,
                    State::AtBar { visit, .. } | State::Held(Effect::Bar(visit)) if walk.whole => {
                        walk.comes_to_bar(at, shadow, visit, 0, false);
                        continue;
                    }
                    State::AtRound(round) | State::Asked(round) | State::Held(Effect::Round(round)) if walk.whole => {
                        walk.comes_to_round(at, shadow, round);
                        continue;
                    }
                    State::Held(effect) if !goes_on(effect) => continue,
                    State::Sleeping(_) => shadow.finish(self.program, &[], 0),
                    _ => {}
                }
                walk.left.push((at, shadow, true));
            }
        }
        walk
    }
}

/// Whether a thread that holds this need not wait for others.
fn goes_on(effect: Effect) -> bool {
    use Effect::{Atomic, Barrier, CheckLayout, Fence, Load, Store, Together};
    matches!(
        effect,
        Atomic { .. } | Barrier { .. } | CheckLayout { .. } | Fence | Load(_) | Store(..) | Together { .. }
    )
}

impl Walk<'_, '_> {
    /// Follows all threads until one may do something that others can see: which.
    fn first_that_moves(&mut self) -> Option<usize> {
        while let Some((at, shadow, looks)) = self.left.pop() {
            if !self.follow(at, shadow, looks) {
                return Some(at);
            }
        }
        None
    }

    /// The CTA, the warp and the lane of a thread.
    pub(super) fn place(&self, at: usize) -> (usize, usize, usize) {
        let thread = at % self.of_cta;
        (at / self.of_cta, thread / 32, thread % 32)
    }

    fn runner(&self, at: usize) -> &Runner {
        &self.machine.blocks[at / self.of_cta].runners[at % self.of_cta]
    }

    /// Follows a thread until it is where it was, or waits for others: whether it has done nothing that others can see.
    fn follow(&mut self, at: usize, mut shadow: Shadow, mut looks: bool) -> bool {
        let program = self.machine.program;
        let place = &self.machine.blocks[at / self.of_cta].runners[at % self.of_cta].place;
        let now = Now { cycle: 0, nanoseconds: 0, active: 0 };
        loop {
            match self.steps.checked_sub(1) {
                Some(left) => self.steps = left,
                None => return false,
            }
            if looks && program.is_joined(shadow.pc()) {
                let here = (at, shadow.path());
                let admitted = match &mut self.finely {
                    Some(finely) => finely.entry(here).or_default().admit(&mut shadow),
                    None => self.seen.entry(here).or_default().admit(&mut shadow),
                };
                match admitted {
                    Admitted::New => {}
                    Admitted::Known => return true,
                    Admitted::TooMany => return false,
                }
            }
            looks = true;
            match shadow.step(program, place, now) {
                Moved::On(decided) => self.threads[at].decisive |= decided,
                Moved::Forks(slot) => {
                    let mut other = shadow.clone();
                    other.decide(slot, false);
                    self.left.push((at, other, false));
                    shadow.decide(slot, true);
                    looks = false;
                }
                Moved::Wants(effect, shade) => match self.answer(at, shadow.pc(), effect, shade) {
                    Answer::Results(values, count, shade) => shadow.finish(program, &values[..count], shade),
                    Answer::Meets(mask, what, shade) => return self.meet(at, shadow, (mask, what), shade),
                    Answer::Bar(visit, shade) => {
                        let alone = program.steps[shadow.pc()].guard.is_some();
                        self.comes_to_bar(at, shadow, visit, shade, alone);
                        return true;
                    }
                    Answer::Round(round) => {
                        self.comes_to_round(at, shadow, round);
                        return true;
                    }
                    Answer::Waits => return true,
                    Answer::Loose => return false,
                },
                Moved::Loose => return false,
            }
        }
    }

    /// The number of a value that a thread reads, as a shade.
    fn note(&mut self, at: usize, read: Read) -> Shade {
        let Followed { reads, more, .. } = &mut self.threads[at];
        let number = reads.iter().position(|known| *known == read).unwrap_or(reads.len());
        if number == SOURCES {
            if let Read::Memory(look) = read {
                more.insert(look);
            }
            return 0;
        }
        if number == reads.len() {
            reads.push(read);
        }
        1 << number
    }

    /// What the world says to a thread as long as nothing changes.
    fn answer(&mut self, at: usize, pc: usize, effect: Effect, shade: Shade) -> Answer {
        let nothing = Answer::Results([0; 8], 0, 0);
        match effect {
            Effect::Fence | Effect::Sleep(_) | Effect::CopyCommit | Effect::CopyWait(_) => nothing,
            Effect::Load(access) => {
                let Some(values) = self.load(at, access) else { return Answer::Loose };
                let shade = (0..usize::from(access.count))
                    .fold(0, |shade, number| shade | self.look(at, pc, access, number, values[number]));
                Answer::Results(values, usize::from(access.count), shade)
            }
            Effect::Store(access, values) => {
                let Some(there) = self.load(at, access) else { return Answer::Loose };
                let bits = u64::MAX >> (64 - 8 * u32::from(access.width));
                if (0..usize::from(access.count)).any(|number| there[number] != values[number] & bits) {
                    return Answer::Loose;
                }
                if let Some(place) = self.place_of(at, access) {
                    self.rewrites.push(Rewrite { place, bytes: access.bytes(), by: at, from: shade });
                }
                nothing
            }
            Effect::Atomic { access, atom, meaning, b, c } => {
                let Some(values) = self.load(at, access) else { return Answer::Loose };
                let new = match access.location {
                    Location::Global(_) => atomic_in_global(atom, meaning, access.width, values[0], [b, c]),
                    _ => atomic(atom, meaning, access.width, values[0], [b, c]),
                };
                if new != values[0] {
                    return Answer::Loose;
                }
                let shade = self.look(at, pc, access, 0, values[0]);
                Answer::Results(values, 1, shade)
            }
            Effect::Barrier { op, location, data, operand, .. } if op.reply() == Reply::Predicate => {
                let Some(spot) = self.spot(at, location, 8).filter(|spot| spot.offset.is_multiple_of(8)) else {
                    return Answer::Loose;
                };
                let parity = match op.operand() {
                    Operand::Parity | Operand::ParityAndLimit => data & 1,
                    _ => PHASE.of(data),
                };
                // what the hardware has said since anything changed counts: checked mode lets nobody pass where no barrier is
                let refused = self.runner(at).failing.is_some_and(|known| {
                    (known.spot, known.op, known.operand) == (spot, op, operand) && known.cycle > self.machine.progress
                });
                let passes = PHASE.of(self.machine.word(spot)) != parity && !refused;
                if shade & UNKNOWN != 0 {
                    return Answer::Results([0; 8], 1, UNKNOWN);
                }
                let wait = Failing { spot, op, operand, pc, cycle: 0, times: 0 };
                let shade = self.note(at, Read::Wait(wait));
                Answer::Results([u64::from(passes), 0, 0, 0, 0, 0, 0, 0], 1, shade)
            }
            Effect::Barrier { op: Op::PendingCount, .. } => Answer::Results([0; 8], 1, UNKNOWN),
            Effect::CheckLayout { location, .. } if self.spot(at, location, 8).is_some() => {
                Answer::Results([0; 8], 1, UNKNOWN)
            }
            Effect::Together { what: Together::Matrix { grouped, .. }, .. } if self.may_multiply(at, grouped) => {
                Answer::Loose
            }
            Effect::Together { what: Together::Matrix { .. }, .. } => Answer::Waits,
            Effect::Bar(visit) if self.whole => Answer::Bar(visit, shade),
            Effect::Round(round) => Answer::Round(round),
            Effect::Together { mask, what } if mask >> self.place(at).2 & 1 != 0 => Answer::Meets(mask, what, shade),
            _ => Answer::Loose,
        }
    }

    /// A place in shared memory, if it is there.
    fn spot(&self, at: usize, location: Location, bytes: u32) -> Option<Spot> {
        let Location::Shared { rank, offset } = location else { return None };
        let cta = rank.map_or(at / self.of_cta, usize::from);
        let inside = u64::from(offset) + u64::from(bytes) <= u64::from(self.machine.shared_bytes);
        (inside && cta < self.machine.blocks.len()).then_some(Spot { cta: cta as u8, offset })
    }

    /// The values of a load.
    fn load(&self, at: usize, access: Access) -> Option<[u64; 8]> {
        let mut values = [0; 8];
        let width = usize::from(access.width);
        if let Location::Global(address) = access.location {
            for (number, value) in values.iter_mut().enumerate().take(usize::from(access.count)) {
                *value = self.memory.value(address + (number * width) as u64, width).ok()?;
            }
            return Some(values);
        }
        let spot = self.spot(at, access.location, access.bytes())?;
        let mut words = [0; NUMBERS];
        for (number, word) in words.iter_mut().enumerate().take(access.bytes().div_ceil(8) as usize) {
            *word = self.machine.word(Spot { offset: (spot.offset & !7) + 8 * number as u32, ..spot });
        }
        extract(&words, access, &mut values);
        Some(values)
    }

    /// Start of an access.
    fn place_of(&self, at: usize, access: Access) -> Option<Place> {
        match access.location {
            Location::Global(address) => Some(Place::Global(address)),
            location => self.spot(at, location, access.bytes()).map(Place::Shared),
        }
    }

    /// A thread has read a value of an access.
    fn look(&mut self, at: usize, pc: usize, access: Access, number: usize, value: u64) -> Shade {
        let offset = number as u32 * u32::from(access.width);
        let place = match self.place_of(at, access) {
            Some(Place::Global(address)) => Place::Global(address + u64::from(offset)),
            Some(Place::Shared(spot)) => Place::Shared(Spot { offset: spot.offset + offset, ..spot }),
            None => return 0,
        };
        self.note(at, Read::Memory(Look { place, bytes: access.width, value, pc }))
    }

    /// A lane comes to a matrix instruction: whether all that execute it together may have come now, or it is a fault.
    fn may_multiply(&mut self, at: usize, grouped: bool) -> bool {
        let (cta, warp, lane) = self.place(at);
        let come = &mut self.multiply[usize::from(grouped)];
        *come.entry(at - lane).or_default() |= 1 << lane;
        let warps = &self.machine.blocks[cta].warps;
        // of a warp that the CTA lacks nobody waits: that is a fault
        let all = |warp: usize| {
            let lanes = come.get(&(cta * self.of_cta + warp * 32)).copied().unwrap_or(0);
            warps.get(warp).is_none_or(|warp| lanes != 0 && lanes == warp.live)
        };
        all(warp) && (!grouped || warps[warp].live != u32::MAX || matrices::warpgroup(warp).all(all))
    }

    /// A lane comes to others. When all are there, they go on.
    fn meet(&mut self, at: usize, shadow: Shadow, (mask, what): (u32, Together), shade: Shade) -> bool {
        let (cta, warp, lane) = self.place(at);
        let live = self.machine.blocks[cta].warps[warp].live & mask;
        let first = at - lane;
        let meeting = self.meetings.entry((first, mask, discriminant(&what))).or_default();
        let known = shade & UNKNOWN == 0;
        let brings = match meeting.brings[lane] {
            None if known => Brings::Always(what),
            Some(Brings::Always(before)) if known && before == what => Brings::Always(what),
            _ => Brings::Varies(what),
        };
        let changes = meeting.brings[lane] != Some(brings);
        meeting.brings[lane] = Some(brings);
        // the others decide by what it brings
        self.threads[at].decisive |= shade & !UNKNOWN;
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
        for (lane, shadow) in &meeting.come[from..] {
            let shade = match together::needs(*lane, live, &asked) {
                lanes if each(u64::from(lanes)).any(varies) => UNKNOWN,
                _ => 0,
            };
            let (values, count) = results[*lane];
            let mut shadow = shadow.clone();
            shadow.finish(self.machine.program, &values[..count], shade);
            self.left.push((first + lane, shadow, true));
        }
        true
    }
}
