//! Random instructions of warps on all ports of a unit at once, with requests of single threads between them, under a scoreboard.

use super::engine::{Engine, Rtl};
use super::memory;
use super::scoreboard::Scoreboard;
use super::{Asked, Instruction, Lane};
use crate::case::warps::{By, Item, Warps};
use crate::request::Request;
use crate::scoreboard::Failure;
use crate::traffic::Conditions;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use serde::Serialize;
use std::collections::VecDeque;
use txbar_rtl::op::Op;
use txbar_rtl::warp::parameters::WarpParameters;

/// Random traffic.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The unit.
    pub parameters: WarpParameters,
    /// Random seed.
    pub seed: u64,
    /// Clock cycles after which nothing new is asked.
    pub cycles: u64,
    /// Share of cycles, in percent, in which a port is not ready for an answer.
    pub stall: u8,
}

/// What random traffic does not know.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("random traffic does not know what checked mode says to warps: leave --checked or --lanes out")]
pub struct Unknown;

/// How a run of random traffic went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Clock cycles.
    pub cycles: u64,
    /// Instructions of warps.
    pub instructions: u64,
    /// Groups of lanes that took effect.
    pub groups: u64,
    /// Requests of threads that did.
    pub threads: u64,
    /// Lanes that were answered.
    pub lanes: u64,
    /// Groups that faulted.
    pub faults: u64,
    /// Phases that completed.
    pub flips: u64,
    /// Groups that were suspended, and those of them whose phase completed.
    pub suspended: [u64; 2],
    /// Loads and stores of warps; steps of them that took effect; lanes that were answered, and those of them that were refused.
    pub memory: [u64; 4],
    /// The run was stopped before its end.
    #[serde(skip_serializing_if = "crate::case::written::is_false")]
    pub stopped: bool,
}

/// Time limits of waits, in nanoseconds.
pub(crate) const LIMITS: [u32; 4] = [0, 100, 2000, 5000];
/// Cycles after the last answer after which the unit is taken for stuck, if no wait is suspended for longer.
const PATIENCE: u64 = 3000;
/// Words that everybody uses.
const WORDS: u32 = memory::BARRIERS;

/// The source of all that is random.
pub fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A barrier operation, an initialisation now and then.
fn op(random: &mut Xoshiro256PlusPlus) -> Op {
    if random.random_ratio(1, 6) {
        return Op::Init;
    }
    Op::ALL[random.random_range(0..Op::ALL.len())]
}

fn operand(op: Op, random: &mut Xoshiro256PlusPlus) -> u32 {
    let large = random.random_ratio(1, 300);
    match op {
        _ if large => random.random_range(0xf_fff0..0x10_0010),
        Op::TestWait | Op::TryWait | Op::PendingCount => random.random(),
        Op::Init => random.random_range(1..4) * [1, 8, 32, 100][random.random_range(0..4)],
        _ => random.random_range(0..4),
    }
}

/// An instruction of a warp with this many lanes.
pub fn instruction(lanes: usize, random: &mut Xoshiro256PlusPlus) -> Instruction {
    let op = op(random);
    let spread = random.random_range(1..=WORDS);
    let (first, active) = (random.random_range(0..WORDS), random.random_range(1..=4));
    let same = random.random_bool(0.5).then(|| operand(op, random));
    let far = random.random_ratio(1, 8);
    let one = |random: &mut Xoshiro256PlusPlus| {
        let word = (first + random.random_range(0..spread)) % WORDS;
        let stray = random.random_ratio(1, 400);
        let address = if stray { random.random_range(0..0x1_0000) } else { word * 8 };
        Lane { address, operand: same.unwrap_or_else(|| operand(op, random)) }
    };
    let mut chosen: Vec<_> = (0..lanes).map(|_| random.random_ratio(active, 4).then(|| one(random))).collect();
    if chosen.iter().all(Option::is_none) {
        chosen[random.random_range(0..lanes)] = Some(one(random));
    }
    Instruction { op, remote: far, elsewhere: far, lanes: chosen }
}

/// What comes next at a port for warps of this many lanes, which may load and store.
fn asked(lanes: usize, loads: bool, random: &mut Xoshiro256PlusPlus) -> Asked {
    if loads && random.random_ratio(1, 3) {
        return Asked::Memory(memory::random(lanes, random));
    }
    let instruction = loop {
        let instruction = instruction(lanes, random);
        if !loads || !matches!(instruction.op, Op::Load | Op::Store) {
            break instruction;
        }
    };
    Asked::Barriers(instruction, LIMITS[random.random_range(0..4)])
}

/// A request of a thread. Stores leave a barrier with nothing strange about it.
fn request(tag: u16, random: &mut Xoshiro256PlusPlus) -> Request {
    let op = match op(random) {
        Op::TryWait | Op::TryWaitParity => Op::Load, // the ports for warps have enough of them
        op => op,
    };
    let data = if op == Op::Store { memory::PLAIN } else { u64::from(operand(op, random)) };
    Request::new(op, random.random_range(0..WORDS) * 8).with(data).tagged(tag)
}

/// The next tag that nobody has who waits for an answer at this port of the unit; none if all are taken.
fn next(tag: &mut u16, tags: u32, scoreboard: &Scoreboard, port: usize) -> Option<u16> {
    let free = (1..=tags).map(|step| ((u32::from(*tag) + step) % tags) as u16);
    let free = free.into_iter().find(|tag| scoreboard.is_free(port, *tag))?;
    *tag = free;
    Some(free)
}

impl Plan {
    /// So many cycles on this unit, a quarter of which find a port that takes no answer.
    pub fn new(parameters: WarpParameters, seed: u64, cycles: u64) -> Self {
        Self { parameters, seed, cycles, stall: 25 }
    }

    /// Refuses units whose answers it cannot predict.
    ///
    /// # Errors
    /// Those of checked mode.
    pub fn check(&self) -> Result<(), Unknown> {
        if self.parameters.unit.checked { Err(Unknown) } else { Ok(()) }
    }

    /// Runs it on a unit that was built for it, then waits until everybody is answered. `look` is shown every cycle, once it has settled.
    ///
    /// # Errors
    /// The first thing that the unit did and should not have done.
    pub fn run(&self, rtl: &mut Rtl, look: &mut dyn FnMut(&Rtl, u64)) -> Result<Report, Box<Failure>> {
        self.run_until(|| false, rtl, look)
    }

    /// The same, stopped as soon as `stops` says so: the report is of what was done until then.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run_until(
        &self,
        stops: fn() -> bool,
        rtl: &mut Rtl,
        look: &mut dyn FnMut(&Rtl, u64),
    ) -> Result<Report, Box<Failure>> {
        self.run_noting(stops, rtl, look, &mut |_| {})
    }

    /// The same; `note` is told everything that is asked.
    pub(crate) fn run_noting(
        &self,
        stops: fn() -> bool,
        rtl: &mut Rtl,
        look: &mut dyn FnMut(&Rtl, u64),
        note: &mut dyn FnMut(Item),
    ) -> Result<Report, Box<Failure>> {
        let mut random = random(self.seed);
        let pace = 1 << random.random_range(0..3);
        let source = Source::Random { random, pace, cycles: self.cycles, parameters: self.parameters, note };
        drive(source, (self.seed, self.stall), stops, rtl, look)
    }

    /// Asks what is on a list.
    pub(crate) fn replay(
        case: &Warps,
        stops: fn() -> bool,
        rtl: &mut Rtl,
        look: &mut dyn FnMut(&Rtl, u64),
    ) -> Result<Report, Box<Failure>> {
        let WarpParameters { unit, warp_ports, .. } = case.parameters;
        let (mut threads, mut warps) = (vec![VecDeque::new(); unit.ports], vec![VecDeque::new(); warp_ports]);
        for Item { cycle, by } in &case.requests {
            match by {
                By::Thread { port, request } => threads[*port].push_back((*cycle, *request)),
                By::Warp { port, asked } => warps[*port].push_back((*cycle, asked.clone())),
            }
        }
        drive(Source::Written { threads, warps }, (case.seed, case.stall), stops, rtl, look)
    }
}

/// What the ports ask.
enum Source<'a> {
    /// Something random, which is noted.
    Random {
        random: Xoshiro256PlusPlus,
        /// A port for warps is asked once in this many cycles.
        pace: u32,
        /// Cycles after which nothing new is asked.
        cycles: u64,
        parameters: WarpParameters,
        note: &'a mut dyn FnMut(Item),
    },
    /// What is on lists, by port, with the first cycle in which it is asked.
    Written { threads: Vec<VecDeque<(u64, Request)>>, warps: Vec<VecDeque<(u64, Asked)>> },
}

impl Source<'_> {
    /// Whether something will be asked, in this cycle or later; `waits`: somebody may still be let in who was not until now.
    fn goes_on(&self, cycle: u64, waits: bool) -> bool {
        match self {
            Source::Random { cycles, .. } => cycle < *cycles,
            Source::Written { threads, warps } => {
                let threads = threads.iter().filter_map(VecDeque::front).map(|(first, _)| *first);
                let mut firsts = threads.chain(warps.iter().filter_map(VecDeque::front).map(|(first, _)| *first));
                firsts.any(|first| first > cycle || waits)
            }
        }
    }

    /// Whether everything has been asked.
    fn is_empty(&self) -> bool {
        match self {
            Source::Random { .. } => true,
            Source::Written { threads, warps } => {
                threads.iter().all(VecDeque::is_empty) && warps.iter().all(VecDeque::is_empty)
            }
        }
    }

    /// What a thread's port, which asks nothing, asks now, with the next free tag.
    fn thread(&mut self, cycle: u64, port: usize, tag: impl FnOnce() -> Option<u16>) -> Option<Request> {
        match self {
            Source::Random { random, cycles, note, .. } => {
                let request =
                    (cycle < *cycles && random.random_ratio(1, 4)).then(tag)?.map(|tag| request(tag, random))?;
                note(Item { cycle, by: By::Thread { port, request } });
                Some(request)
            }
            Source::Written { threads, .. } => {
                threads[port].front().filter(|(first, _)| *first <= cycle)?;
                let tag = tag()?;
                threads[port].pop_front().map(|(_, request)| request.tagged(tag))
            }
        }
    }

    /// The same of a port for warps.
    fn warp(&mut self, cycle: u64, port: usize, tag: impl FnOnce() -> Option<u16>) -> Option<(Asked, u16)> {
        match self {
            Source::Random { random, pace, cycles, parameters, note } => {
                let tag = (cycle < *cycles && random.random_ratio(1, *pace)).then(tag)??;
                let asked = asked(parameters.lanes, parameters.memory, random);
                note(Item { cycle, by: By::Warp { port, asked: asked.clone() } });
                Some((asked, tag))
            }
            Source::Written { warps, .. } => {
                warps[port].front().filter(|(first, _)| *first <= cycle)?;
                let tag = tag()?;
                warps[port].pop_front().map(|(_, asked)| (asked, tag))
            }
        }
    }
}

/// Asks what a source gives, then waits until everybody is answered. Ports are ready for answers as seed and stall say.
fn drive(
    mut source: Source,
    (seed, stall): (u64, u8),
    stops: fn() -> bool,
    rtl: &mut Rtl,
    look: &mut dyn FnMut(&Rtl, u64),
) -> Result<Report, Box<Failure>> {
    let parameters = *rtl.parameters();
    let WarpParameters { unit, warp_ports, memory: loads, .. } = parameters;
    let tags = 1u32 << unit.tag_bits;
    let patience = PATIENCE.max(500 + LIMITS.map(|limit| unit.limit_cycles(limit)).into_iter().max().unwrap_or(0));
    let conditions = Conditions { seed, stall, bank_stall: 0 };
    let mut scoreboard = Scoreboard::new(parameters);
    let mut threads: Vec<Option<Request>> = vec![None; unit.ports];
    let mut warps: Vec<Option<(Asked, u16)>> = (0..warp_ports).map(|_| None).collect();
    let (mut tag, mut cycle, mut last) = (0u16, 0, 0);
    while source.goes_on(cycle, cycle < last + patience)
        || (!scoreboard.is_idle() && cycle < last + patience)
        || cycle < last + 20
    {
        if stops() {
            return Ok(Report { stopped: true, ..scoreboard.report(cycle) });
        }
        let ready = conditions.ready(unit.ports, cycle);
        for (port, thread) in threads.iter_mut().enumerate() {
            if thread.is_none() {
                *thread = source.thread(cycle, port, || next(&mut tag, tags, &scoreboard, port));
            }
            rtl.drive_thread(port, thread.as_ref());
            rtl.drive_thread_ready(port, ready >> port & 1 != 0);
        }
        let (warps_ready, loads_ready) =
            (conditions.warps_ready(warp_ports, cycle), conditions.memory_ready(warp_ports, cycle));
        for (port, warp) in warps.iter_mut().enumerate() {
            if warp.is_none() {
                *warp = source.warp(cycle, port, || next(&mut tag, tags, &scoreboard, unit.ports + port));
            }
            match warp {
                Some((Asked::Memory(access), tag)) => rtl.drive_memory(port, access, *tag),
                Some((Asked::Barriers(instruction, limit), tag)) => {
                    rtl.drive_warp(port, Some(instruction), *tag, *limit);
                }
                None => rtl.drive_warp(port, None, 0, 0),
            }
            if loads {
                rtl.drive_memory_ready(port, loads_ready >> port & 1 != 0);
            }
            rtl.drive_warp_ready(port, warps_ready >> port & 1 != 0);
        }
        rtl.settle();
        look(rtl, cycle);
        let at = |what: String| Box::new(Failure { cycle, what, history: None });
        scoreboard.effects(cycle, rtl).map_err(at)?;
        for (port, thread) in threads.iter_mut().enumerate() {
            if let Some(told) = rtl.thread_told(port)
                && rtl.unit().rsp_ready.val().get_bit(port)
            {
                scoreboard.thread_told(cycle, port, &told).map_err(at)?;
                last = cycle;
            }
            if rtl.thread_accepted(port)
                && let Some(request) = thread.take()
            {
                scoreboard.thread(port, &request);
                last = cycle;
            }
        }
        for (port, warp) in warps.iter_mut().enumerate() {
            if let Some(told) = rtl.warp_told(port)
                && warps_ready >> port & 1 != 0
            {
                scoreboard.told(cycle, port, &told).map_err(at)?;
                last = cycle;
            }
            if let Some(told) = rtl.memory_told(port)
                && loads_ready >> port & 1 != 0
            {
                scoreboard.memory_told(port, &told).map_err(at)?;
                last = cycle;
            }
            if rtl.warp_accepted(port)
                && let Some((asked, tag)) = warp.take()
            {
                scoreboard.accepted(port, &asked, tag);
                last = cycle;
            }
        }
        rtl.clock(false);
        cycle += 1;
    }
    let fails = |what: String| Box::new(Failure { cycle, what, history: None });
    let is_asked = source.is_empty() && warps.iter().all(Option::is_none) && threads.iter().all(Option::is_none);
    if !scoreboard.is_idle() || !is_asked {
        let waiting = scoreboard.waiting();
        return Err(fails(format!("{} for {patience} cycles, and {waiting} are not answered", Failure::STUCK)));
    }
    scoreboard.end(rtl, cycle).map_err(fails)
}
