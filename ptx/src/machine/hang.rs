//! Detection of a hang, and its cause.
//!
//! **When.** A run hangs when nothing that others can see has happened for a while (no phase completed, nothing arrived,
//! no byte copied, no memory changed, nobody exited), so that nothing is under way any more, and no thread can ever do such a thing,
//! which `standstill` finds out. A thread that may come out of its loop is left alone until the limit of cycles. Clusters
//! may wait for each other through global memory: what happens in one counts for all of its grid, and none hangs before all do.
//!
//! **What is shown.** Of each barrier that is waited for: its word, who arrived, how many arrivals and bytes are missing.
//! Which mistake that looks like is a matter of [`diagnose`].

use super::across::Store;
use super::diagnose::Diagnosis;
use super::kept::{Kept, Look};
use super::*;
use crate::effect::{Effect, Together};
use crate::machine::bars::BarStanding;
use crate::machine::observe::{Arrival, Watch};
use crate::machine::registers::RegisterStanding;
use crate::memory::LastWrite;
use crate::program::Placed;
use crate::residency::{MULTIPROCESSORS, Residency};
use std::collections::BTreeMap;
use txbar_rtl::op::Op;
use txbar_rtl::word::{Contents, PHASE};

/// Cycles without anything happening, after which nothing is under way any more.
const QUIET: u64 = 5_000;
/// The same if the hardware has nothing to do.
const RESTED: u64 = 512;

/// Event that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waits {
    /// A phase of a barrier in memory.
    Phase {
        /// The barrier.
        spot: Spot,
        /// By parity rather than by token.
        by_parity: bool,
        /// Parity of the phase.
        parity: u8,
    },
    /// `bar.sync`.
    Bar(u8),
    /// Registers, at `setmaxnreg`.
    Registers,
    /// `barrier.cluster.wait`.
    Round,
    /// Other lanes of its warp.
    Lanes(u32),
    /// Other warps of its warpgroup, at `wgmma.mma_async`: the number of its first warp.
    Warpgroup(u8),
    /// Copies.
    Copies,
    /// It is in a loop that it cannot leave, because of what is in memory: see [`Group::polls`].
    Memory,
    /// Executing.
    Nothing,
}

/// Why a run was ended that was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No thread can move any more.
    Standstill,
    /// The limit of cycles was reached: some threads were still at work.
    Limit,
    /// Stopped by the user: some threads were still executing.
    Stopped,
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In shared memory: the byte, which need not be a word's first.
    Shared(Spot),
    /// In global memory.
    Global(u64),
}

impl Place {
    /// Whether this many bytes from here and this many from there have some in common.
    pub fn overlaps(self, bytes: u32, other: Place, others: u32) -> bool {
        let within = |from: u64, other: u64| from < other + u64::from(others) && other < from + u64::from(bytes);
        match (self, other) {
            (Place::Global(address), Place::Global(other)) => within(address, other),
            (Place::Shared(spot), Place::Shared(other)) => {
                spot.cta == other.cta && within(u64::from(spot.offset), u64::from(other.offset))
            }
            _ => false,
        }
    }
}

/// A value in memory that a loop looks at again and again, and that decides whether the loop is left.
#[derive(Clone, Debug, PartialEq)]
pub struct Polled {
    /// Place in memory.
    pub place: Place,
    /// What that is called, with the bytes from its beginning: a variable, or a buffer. No name is known of other places.
    pub name: Option<(String, u64)>,
    /// Its bytes: 1 to 8.
    pub bytes: u8,
    /// What is there: nobody who is left will change it.
    pub value: u64,
    /// The instruction that looks at it.
    pub pc: usize,
    /// Last writer.
    pub written: LastWrite,
}

impl Polled {
    /// What the place is called, if it has a name.
    pub(crate) fn label(&self) -> Option<String> {
        let (name, bytes) = self.name.as_ref()?;
        Some(if *bytes == 0 { format!("`{name}`") } else { format!("`{name}+{bytes:#x}`") })
    }

    /// The value, as it is written.
    pub(crate) fn shown(&self) -> String {
        let value = self.value;
        if value < 10 { value.to_string() } else { format!("{value} ({value:#x})") }
    }
}

/// Threads of a CTA that wait for the same with the same instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The number of their cluster in the grid.
    pub cluster: u32,
    /// Their CTA.
    pub cta: u8,
    /// Their numbers.
    pub threads: Vec<u16>,
    /// Their instruction.
    pub pc: usize,
    /// Event that the threads wait for.
    pub waits: Waits,
    /// Threads that they wait for: those of a barrier of the CTA, lanes, or a warpgroup, that have not come.
    pub missing: Vec<u16>,
    /// The loop that they are in, if they are at work: that of the first of them.
    pub rounds: Option<Rounds>,
    /// What in memory keeps those in their loops that are in one that they cannot leave, each place once. None if nothing does.
    pub polls: Vec<Polled>,
}

impl Group {
    /// The barrier in memory that it waits for.
    pub fn spot(&self) -> Option<Spot> {
        if let Waits::Phase { spot, .. } = self.waits { Some(spot) } else { None }
    }

    /// Whether it waits for the same barrier as another.
    pub fn waits_with(&self, other: &Self) -> bool {
        match self.waits {
            Waits::Phase { .. } => self.spot() == other.spot(),
            Waits::Bar(_) => (self.cta, self.waits) == (other.cta, other.waits),
            _ => false,
        }
    }

    /// Whether its threads look again and again at some of these bytes.
    pub fn looks_at(&self, place: Place, bytes: u32) -> bool {
        self.polls.iter().any(|polled| polled.place.overlaps(polled.bytes.into(), place, bytes))
    }

    /// The verb for one thread, or for more.
    pub(crate) fn does(&self, one: &'static str, more: &'static str) -> &'static str {
        if self.threads.len() == 1 { one } else { more }
    }

    /// Threads.
    pub fn ids(&self) -> Vec<ThreadId> {
        self.threads.iter().map(|thread| ThreadId { cta: self.cta, thread: *thread }).collect()
    }

    /// Whether it waits, by parity, for a phase with this one.
    pub fn is_for_parity(&self, wanted: u8) -> bool {
        matches!(self.waits, Waits::Phase { by_parity: true, parity, .. } if parity == wanted)
    }
}

/// What threads of a group have in common: CTA, instruction, what they wait for, and the places in memory that keep them.
type Same = (u8, usize, Waits, Vec<Place>);

/// Groups at an instruction that are told apart by what they look at; if there are more, they are one.
const APART: usize = 32;

/// A barrier that is waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Barrier.
    pub spot: Spot,
    /// Word.
    pub word: u64,
    /// Phases that have completed; nothing if it has not been initialised.
    pub phase: Option<u64>,
    /// Arrivals that the phase lacks.
    pub arrivals_missing: u32,
    /// Arrivals that a phase has.
    pub arrivals_expected: u32,
    /// Bytes that the phase lacks; below zero if too many came.
    pub bytes_missing: i64,
    /// Arrivals of this phase.
    pub arrived: Vec<Arrival>,
    /// Threads that arrived in an earlier phase and not in this one.
    pub absent: Vec<ThreadId>,
    /// Bytes expected and completed in this phase.
    pub bytes: [u64; 2],
    /// The instruction that initialised it.
    pub initialised: Option<usize>,
    /// The one that expected bytes last.
    pub expected: Option<usize>,
}

/// CTAs of a grid that could not begin before others had ended, and all that had begun waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotBegun {
    /// Number of CTAs.
    pub ctas: u32,
    /// Number of CTAs that had begun.
    pub begun: u32,
    /// CTAs that an H200 holds at once.
    pub most: u32,
    /// Those of a multiprocessor, and why no more.
    pub residency: Residency,
}

/// A hang.
#[derive(Clone, Debug, PartialEq)]
pub struct Hang {
    /// The cycle in which something happened last.
    pub since: u64,
    /// The cycle in which it was ended.
    pub cycle: u64,
    /// The cycle in which a phase of a barrier completed last, if one did.
    pub last_phase: Option<u64>,
    /// Reason for the end.
    pub why: Why,
    /// Waiting threads, and the events they wait for.
    pub groups: Vec<Group>,
    /// The barriers that are waited for.
    pub barriers: Vec<Standing>,
    /// CTAs that have not begun, if the others may wait for them.
    pub not_begun: Option<NotBegun>,
    /// Warps that wait for registers.
    pub registers: Vec<RegisterStanding>,
    /// The barriers of CTAs that are waited for.
    pub bars: Vec<BarStanding>,
    /// What its threads would store to global memory if their waits came to an end.
    pub stores: Vec<Store>,
    /// The mistakes that this looks like, the likeliest first.
    pub bugs: Vec<Diagnosis>,
}

impl Hang {
    /// Records that some CTAs have not begun.
    pub(crate) fn waits_for_ctas(&mut self, not_begun: NotBegun) {
        self.not_begun = Some(not_begun);
        let NotBegun { ctas, begun, most, residency } = not_begun;
        let spins = self.groups.iter().find(|group| group.waits == Waits::Memory);
        if let Some(spins) = spins.filter(|_| self.why == Why::Standstill) {
            let why = format!(
                "{ctas} of {} CTAs of the grid have not begun: an H200 holds {most}, {} on each of {MULTIPROCESSORS} multiprocessors ({}), and those wait",
                ctas + begun,
                residency.ctas,
                residency.bound,
            );
            let pc = spins.polls.first().map_or(spins.pc, |polled| polled.pc);
            self.bugs.retain(|diagnosis| diagnosis.bug != Bug::EndlessSpin);
            self.bugs.insert(0, Diagnosis::new(Bug::NotResident, pc, why));
        }
    }
}

/// The parity of the phase that a wait is for, whose operand is this.
pub(super) fn parity_of(op: Op, operand: u64) -> u8 {
    let parity = if waits_by_parity(op) { operand & 1 } else { PHASE.of(operand) };
    parity as u8 & 1
}

impl Machine<'_> {
    /// Whether a thread waits for what another cluster may bring: it spins on something in memory.
    pub fn waits_for_others(&self, memory: &GlobalMemory) -> bool {
        let groups = self.groups(self.all_kept(memory).as_deref(), memory);
        groups.iter().any(|group| matches!(group.waits, Waits::Memory | Waits::Nothing))
    }

    /// A thread has jumped backwards.
    pub(super) fn jumped_back(&mut self, cta: usize, thread: usize, from: usize) {
        let runner = &mut self.blocks[cta].runners[thread];
        runner.rounds.note(runner.lane.pc, from);
    }

    /// Finds out now and then whether any thread can move: less and less often, the longer some can.
    pub(super) fn look_for_standstill(&mut self, memory: &GlobalMemory) {
        let quiet = self.quiet();
        if quiet < RESTED {
            (self.still, self.patience) = (false, RESTED);
        } else if quiet >= self.patience && !self.still && self.is_drained() {
            self.patience = quiet * 2;
            self.still = self.all_kept(memory).is_some();
        }
    }

    /// Cycles in which nothing has happened that others can see.
    fn quiet(&self) -> u64 {
        self.cycle.saturating_sub(self.progress)
    }

    /// Whether nothing is under way that could change anything.
    fn is_drained(&self) -> bool {
        self.quiet() >= if self.rested > DRAINED { RESTED } else { QUIET }
    }

    /// What keeps each thread of the cluster, if none can do anything that others can see, unless others do.
    pub(super) fn all_kept(&self, memory: &GlobalMemory) -> Option<Vec<Kept>> {
        self.is_drained().then(|| self.kept(None, memory)).flatten()
    }

    /// A value that a loop looks at.
    fn polled(&self, Look { place, bytes, value, pc }: Look, memory: &GlobalMemory) -> Polled {
        let (name, written) = match place {
            Place::Global(address) => {
                let offset = address.wrapping_sub(self.program.windows.global);
                let holds = |placed: &&Placed| (placed.offset..placed.offset + placed.bytes).contains(&offset);
                let variable = self.program.globals.iter().find(holds);
                let name = match variable {
                    Some(placed) => Some((placed.name.clone(), offset - placed.offset)),
                    None => memory
                        .name(address)
                        .filter(|name| !name.0.is_empty())
                        .map(|(name, offset)| (name.to_string(), offset)),
                };
                (name, memory.last_write(address, usize::from(bytes)))
            }
            Place::Shared(Spot { cta, offset }) => {
                let at = u64::from(offset);
                let holds = |placed: &&Placed| (placed.offset..placed.offset + placed.bytes.max(1)).contains(&at);
                let name =
                    self.program.shared.iter().find(holds).map(|placed| (placed.name.clone(), at - placed.offset));
                let writer = self.blocks[usize::from(cta)].writers.last(offset as usize, usize::from(bytes));
                (name, writer.map_or(LastWrite::Nobody, LastWrite::By))
            }
        };
        Polled { place, name, bytes, value, pc, written }
    }

    /// The table of who waits for what.
    pub(super) fn hang(&self, why: Why, kept: Option<&[Kept]>, memory: &GlobalMemory) -> Hang {
        let groups = self.groups(kept, memory);
        let mut spots: Vec<Spot> = groups.iter().filter_map(Group::spot).collect();
        spots.sort_unstable();
        spots.dedup();
        let barriers: Vec<Standing> = spots.into_iter().map(|spot| self.standing(spot)).collect();
        let registers = self.register_standings(&groups);
        let bars = self.bar_standings(&groups);
        // who is at work may still bring what is missing
        let (bugs, stores) = match why {
            Why::Standstill => self.diagnose(&groups, &barriers, &bars, &registers),
            Why::Limit | Why::Stopped => Default::default(),
        };
        let Self { progress: since, cycle, last_phase, .. } = *self;
        Hang { since, cycle, last_phase, why, groups, barriers, bars, registers, stores, bugs, not_begun: None }
    }

    /// What a thread of a warp waits for, and with which instruction.
    fn waits(&self, warp: usize, runner: &Runner, kept: Option<&Kept>) -> (Waits, usize) {
        let for_phase = |Failing { spot, op, operand, pc, .. }: Failing| {
            (Waits::Phase { spot, by_parity: waits_by_parity(op), parity: parity_of(op, operand) }, pc)
        };
        let pc = runner.lane.pc;
        if let Some(Kept { wait: Some(wait), .. }) = kept {
            return for_phase(*wait);
        }
        if let Some(first) = kept.and_then(|kept| kept.polls.first()) {
            return (Waits::Memory, first.pc);
        }
        if kept.is_some_and(|kept| kept.loops) {
            return (Waits::Memory, pc);
        }
        let waits = match runner.state {
            State::AtBar { visit, .. } | State::Held(Effect::Bar(visit)) => Waits::Bar(visit.number),
            State::Claims(_) => Waits::Registers,
            State::AtRound(_) | State::Asked(_) => Waits::Round,
            State::Together { what: Together::Matrix { grouped: true, .. }, .. } => {
                Waits::Warpgroup(matrices::warpgroup(warp).start as u8)
            }
            State::Together { mask, .. } => Waits::Lanes(mask),
            State::Held(_) | State::Offered => Waits::Copies,
            _ => match runner.waiting() {
                Some(failing) => return for_phase(failing),
                None if kept.is_some() => Waits::Memory,
                None => Waits::Nothing,
            },
        };
        (waits, pc)
    }

    /// Threads that wait for the same. What keeps each is found out by warps if some may move.
    fn groups(&self, all_kept: Option<&[Kept]>, memory: &GlobalMemory) -> Vec<Group> {
        let mut groups: BTreeMap<Same, (Vec<u16>, Vec<Polled>)> = BTreeMap::new();
        let mut apart: HashMap<(u8, usize), usize> = HashMap::new();
        for (cta, block) in self.blocks.iter().enumerate() {
            for warp in 0..block.warps.len() {
                let alone = if all_kept.is_none() { self.kept(Some((cta, warp)), memory) } else { None };
                for (lane, runner) in block.runners.iter().skip(warp * 32).take(32).enumerate() {
                    if runner.state == State::Exited {
                        continue;
                    }
                    let at = cta * block.runners.len() + warp * 32 + lane;
                    let kept = all_kept.or(alone.as_deref()).map(|kept| &kept[at]);
                    let (waits, pc) = self.waits(warp, runner, kept);
                    let polls = kept.map_or(&[][..], |kept| &kept.polls);
                    let mut places: Vec<Place> =
                        polls.iter().filter(|_| waits == Waits::Memory).map(|look| look.place).collect();
                    places.sort_unstable();
                    places.dedup();
                    let mut same = (cta as u8, pc, waits, places);
                    if !groups.contains_key(&same) {
                        let apart = apart.entry((same.0, same.1)).or_default();
                        *apart += 1;
                        if *apart > APART {
                            same.3.clear();
                        }
                    }
                    let is_known = !same.3.is_empty() && groups.contains_key(&same);
                    let (threads, all) = groups.entry(same).or_default();
                    threads.push((warp * 32 + lane) as u16);
                    if !is_known {
                        all.extend(polls.iter().map(|look| self.polled(*look, memory)));
                    }
                }
            }
        }
        let whole = |((cta, pc, waits, _), (threads, mut polls)): (Same, (Vec<u16>, Vec<Polled>))| {
            let missing = self.missing(usize::from(cta), &threads, waits);
            let first = threads.first().map(|thread| &self.blocks[usize::from(cta)].runners[usize::from(*thread)]);
            let rounds = first.map(|runner| runner.rounds).filter(|rounds| waits == Waits::Nothing && rounds.count > 0);
            polls.sort_by_key(|polled| (polled.place, polled.pc));
            polls.dedup_by_key(|polled| (polled.place, polled.pc));
            Group { cluster: self.number, cta, threads, pc, waits, missing, rounds, polls }
        };
        groups.into_iter().map(whole).collect()
    }

    /// The threads that threads wait for, if that is a matter of the CTA's barriers or of lanes.
    fn missing(&self, cta: usize, threads: &[u16], waits: Waits) -> Vec<u16> {
        let block = &self.blocks[cta];
        let live = |thread: &u16| block.runners[usize::from(*thread)].state != State::Exited;
        let warp_of = |thread: u16| usize::from(thread / 32);
        let first = threads.first().map(|thread| warp_of(*thread));
        let (warps, mask) = match (waits, first) {
            (Waits::Bar(number), _) => return self.missing_at_bar(cta, number),
            (Waits::Lanes(mask), Some(warp)) => (warp..warp + 1, mask),
            (Waits::Warpgroup(first), _) => (matrices::warpgroup(first.into()), u32::MAX),
            _ => return Vec::new(),
        };
        (0..block.runners.len() as u16)
            .filter(|thread| warps.contains(&warp_of(*thread)) && mask >> (thread % 32) & 1 != 0)
            .filter(live)
            .filter(|thread| !threads.contains(thread))
            .collect()
    }

    /// A thread.
    pub(super) fn runner(&self, ThreadId { cta, thread }: ThreadId) -> &Runner {
        &self.blocks[usize::from(cta)].runners[usize::from(thread)]
    }

    fn standing(&self, spot: Spot) -> Standing {
        let word = self.word(spot);
        let contents = Contents::from(word);
        let watch = self.observer.at(spot).filter(|watch| watch.live);
        Standing {
            spot,
            word,
            phase: watch.map(|watch| watch.phase),
            arrivals_missing: contents.pending,
            arrivals_expected: contents.expected,
            bytes_missing: i64::from(contents.tx),
            arrived: watch.map_or(Vec::new(), |watch| watch.arrivals.clone()),
            initialised: watch.map(|watch| watch.origin.pc),
            absent: watch.map_or(Vec::new(), Watch::absent),
            bytes: watch.map_or([0; 2], |watch| [watch.expected, watch.completed]),
            expected: watch.and_then(|watch| watch.expected_by).map(|(_, pc)| pc),
        }
    }
}
