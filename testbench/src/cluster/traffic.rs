//! Random traffic on a cluster, with everything in it: local and remote operations, copies in all directions, multicast,
//! reductions, bulk groups, and barrier.cluster. The scoreboards predict every fault.

use crate::case::cluster::Item;
use crate::cluster::global;
use crate::cluster::rig::{Environment, FaultHook, Report, Rig};
use crate::cluster::thread::{Async, Bulk, Post, Program, Put, Step, Target, Thread, Tile, TileStore, Want};
use crate::cluster::warps;
use crate::request::Request;
use crate::scoreboard::Failure;
use crate::tensor::reduce::Operation;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::VecDeque;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::copies::ledger::MOST_GROUPS;
use txbar_rtl::copies::reduction::Reduction;
use txbar_rtl::op::{Op, Operand};
use txbar_rtl::ordering::{Order, Scope, Semantics};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::address::mapa;

/// Barriers in each CTA.
const BARRIERS: u32 = 6;
/// Address of the data.
const DATA: u32 = 0x100;
/// Steps that a thread is given at a time, before it meets the others.
const CHUNK: usize = 40;

/// Random traffic.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The cluster.
    pub parameters: ClusterParameters,
    /// Random seed.
    pub seed: u64,
    /// Clock cycles after which nothing new is begun.
    pub cycles: u64,
    /// Share of cycles, in percent, in which somebody is not ready.
    pub stall: u8,
    /// Everybody wants something of CTA 0, all the time.
    pub rush: bool,
}

impl Plan {
    /// A cluster of so many CTAs for random traffic.
    pub fn cluster(ctas: usize) -> ClusterParameters {
        let unit = Parameters {
            ports: 2,
            banks: 4,
            words: 128,
            number_bits: 1,
            waiters: 8,
            counters: false,
            ..Parameters::default()
        };
        ClusterParameters { unit, ctas, link_cycles: 3, warps: 4, copiers: 8, ..ClusterParameters::default() }
    }

    /// Refuses clusters that the programs do not fit, or whose answers cannot be predicted.
    ///
    /// # Errors
    /// Says what there must be more of, or what must be off.
    pub fn check(&self) -> Result<(), PlanError> {
        let ClusterParameters { unit, warps, copiers, warp_memory, .. } = self.parameters;
        let refuse = |name, least| Err(PlanError::TooSmall { name, least });
        if warp_memory && unit.checked {
            return Err(PlanError::Checked);
        }
        if unit.words < 64 {
            return refuse("words", 64);
        }
        if 1 << unit.tag_bits < 2 * warps {
            return refuse("tag-bits", (2 * warps).next_power_of_two().ilog2() as usize);
        }
        if copiers < warps {
            return refuse("copiers", warps); // each warp copies for itself
        }
        Ok(())
    }

    /// Runs it.
    ///
    /// # Errors
    /// The first thing that the cluster did and should not have done.
    pub fn run(&self, hand: &mut FaultHook, look: impl FnMut(&Cluster, u64)) -> Result<Report, Box<Failure>> {
        self.run_until(|| false, hand, look)
    }

    /// The same, stopped as soon as `stops` says so: the report is of what was done until then.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run_until(
        &self,
        stops: fn() -> bool,
        hand: &mut FaultHook,
        mut look: impl FnMut(&Cluster, u64),
    ) -> Result<Report, Box<Failure>> {
        self.run_noting(stops, hand, &mut look, &mut |_| {})
    }

    /// What is around a cluster under random traffic.
    pub(crate) fn environment(seed: u64, stall: u8) -> Environment {
        Environment { seed, stall, memory: 5..=60 }
    }

    /// The same; `note` is told everything that is done. Of a run that fails, how it would have ended, too.
    pub(crate) fn run_noting(
        &self,
        stops: fn() -> bool,
        hand: &mut FaultHook,
        look: &mut dyn FnMut(&Cluster, u64),
        note: &mut dyn FnMut(Item),
    ) -> Result<Report, Box<Failure>> {
        let mut source = Source::new(self);
        let threads = source.threads();
        for Thread { cta, warp, program, .. } in &threads {
            program.iter().for_each(|step| note(Item::Thread { cta: *cta, warp: *warp, step: *step }));
        }
        let environment = Self::environment(self.seed, self.stall);
        let mut rig = Rig::new(self.parameters, threads, environment).tolerant().until(stops);
        let begun = self.begin(&mut rig, &mut source, hand, &mut *look, note);
        // all have met equally often when all leave: by then everybody has the same number of chunks
        let most = source.chunks.iter().copied().max().unwrap_or(0);
        for thread in 0..source.chunks.len() {
            while source.chunks[thread] < most {
                let steps = source.chunk(thread);
                source.give(&mut rig, thread, steps, note);
            }
            let leaves = source.leave(thread);
            source.give(&mut rig, thread, leaves, note);
        }
        let outcome = begun.and_then(|()| rig.run(hand, look));
        rig.stopped(outcome)
    }

    /// Begins something new as long as there is time.
    fn begin(
        &self,
        rig: &mut Rig,
        source: &mut Source,
        hand: &mut FaultHook,
        mut look: &mut dyn FnMut(&Cluster, u64),
        note: &mut dyn FnMut(Item),
    ) -> Result<(), Box<Failure>> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(!self.seed);
        let pace = 1 << random.random_range(0..6);
        while rig.cycle() < self.cycles {
            for thread in 0..source.chunks.len() {
                if rig.left(thread) == 0 {
                    let steps = source.chunk(thread);
                    source.give(rig, thread, steps, note);
                }
            }
            for cta in 0..if self.parameters.lanes > 0 { self.parameters.ctas } else { 0 } {
                if rig.warp_port(cta).is_some_and(|port| port.waiting() < 2) && random.random_ratio(1, pace) {
                    let asked = warps::random(&self.parameters, &mut random);
                    note(Item::Warp { cta, cycle: rig.cycle(), asked: asked.clone() });
                    rig.ask_warp(cta, asked);
                }
            }
            rig.step(hand, &mut look)?;
        }
        Ok(())
    }
}

/// A cluster that is not for random traffic.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum PlanError {
    /// It is too small.
    #[error("random traffic on a cluster needs {name} of {least} or more")]
    TooSmall {
        /// What there is too little of.
        name: &'static str,
        /// Minimum size.
        least: usize,
    },
    /// Answers cannot be predicted.
    #[error(
        "random traffic does not know what checked mode says of loads and stores of warps: leave --checked or --warp-memory out"
    )]
    Checked,
}

/// Source of the steps.
struct Source {
    parameters: ClusterParameters,
    rush: bool,
    rng: Xoshiro256PlusPlus,
    /// How many chunks each thread was given.
    chunks: Vec<usize>,
    /// Global addresses from here on have not been copied from.
    fresh: u64,
}

impl Source {
    fn new(plan: &Plan) -> Self {
        Self {
            parameters: plan.parameters,
            rush: plan.rush,
            rng: Xoshiro256PlusPlus::seed_from_u64(plan.seed),
            chunks: vec![0; plan.parameters.ctas * plan.parameters.warps],
            fresh: 0,
        }
    }

    /// CTA and number of a thread.
    fn place(&self, thread: usize) -> (usize, usize) {
        (thread / self.parameters.warps, thread % self.parameters.warps)
    }

    /// The threads, with nothing to do but make barriers.
    fn threads(&mut self) -> Vec<Thread> {
        let ports = self.parameters.unit.ports;
        (0..self.chunks.len())
            .map(|thread| {
                let (cta, warp) = self.place(thread);
                let mut program = Program::default();
                if warp == 0 {
                    for number in 0..BARRIERS {
                        let count = self.rng.random_range(1..8);
                        program.ask(Request::new(Op::Init, barrier(number)).with(count));
                    }
                }
                program.round();
                Thread { cta, port: warp % ports, number: warp as u16, warp, program: program.0 }
            })
            .collect()
    }

    /// Gives a thread steps.
    fn give(&self, rig: &mut Rig, thread: usize, steps: VecDeque<Step>, note: &mut dyn FnMut(Item)) {
        let (cta, warp) = self.place(thread);
        steps.iter().for_each(|step| note(Item::Thread { cta, warp, step: *step }));
        rig.extend(thread, steps);
    }

    /// What a thread does next: a number of steps, and a round with all others.
    fn chunk(&mut self, thread: usize) -> VecDeque<Step> {
        self.chunks[thread] += 1;
        let mut program = Program::default();
        let (cta, warp) = self.place(thread);
        if warp == 0 {
            // what has faulted would stay so for good
            for number in 0..BARRIERS {
                if self.rng.random_bool(0.4) {
                    let count = self.rng.random_range(1..6);
                    program.ask(Request::new(Op::Init, barrier(number)).with(count));
                }
            }
        }
        if self.rush {
            for turn in 0..CHUNK as u32 {
                let (op, address) =
                    if turn % 8 == 0 { (Op::ExpectTx, barrier(0)) } else { (Op::Store, DATA + turn % 2 * 8) };
                program.then(Step::Send(Request::new(op, mapa(address, 0)).with(u64::from(turn)).from_remote()));
            }
        }
        for _ in 0..self.rng.random_range(1..CHUNK) {
            self.step(cta, &mut program);
        }
        let releases = self.rng.random_bool(0.7);
        program.then(Step::Round { act: Act::Arrive, releases });
        if self.rng.random_bool(0.3) {
            self.step(cta, &mut program);
        }
        program.then(Step::Round { act: Act::Wait, releases: false });
        program.0
    }

    /// The end of a thread: it exits, at once or a little later, while others still wait.
    fn leave(&mut self, thread: usize) -> VecDeque<Step> {
        let mut program = Program::default();
        let (cta, warp) = self.place(thread);
        program.pause(self.rng.random_range(0..60));
        if cta % 2 == 0 && warp % 2 == 0 {
            program.round().round(); // the others are not waited for, some of them whole CTAs
        }
        program.then(Step::Commit).then(Step::Groups { most: 0, read: false });
        program.then(Step::Settle).then(Step::Round { act: Act::Exit, releases: false });
        program.0
    }

    /// A range of a CTA's data, and global memory to copy from.
    fn range(&mut self, unit: u32, bytes: u32) -> (u64, u32) {
        let end = self.parameters.unit.bytes() as u32;
        let shared = self.rng.random_range(DATA / unit..=(end - bytes) / unit) * unit;
        let global = self.fresh + u64::from(self.rng.random_range(0..8) * unit);
        self.fresh += u64::from(bytes + 8 * unit).next_multiple_of(64);
        (global, shared)
    }

    /// A reduction that memory does, or none.
    fn reduction(&mut self, does: fn(Reduction) -> bool) -> u8 {
        if self.rng.random_bool(0.5) {
            return 0;
        }
        Reduction::all()
            .filter(|reduction| does(*reduction))
            .choose(&mut self.rng)
            .map_or(0, |reduction| reduction.code())
    }

    /// Bytes of each 16 that a copy writes: often none, one, or a half of them, which a uniform draw meets once in 65,536.
    fn mask(&mut self) -> u16 {
        const EDGES: [u16; 6] = [0, 1, 1 << 15, 0xff, 0xff00, 0xfffe];
        if self.rng.random_bool(0.4) { *EDGES.choose(&mut self.rng).unwrap_or(&0) } else { self.rng.random() }
    }

    /// More groups in a row than a thread may have that are not written, and copies of 0 to 64 bytes in some of them.
    fn groups(&mut self, program: &mut Program) {
        for _ in 0..self.rng.random_range(MOST_GROUPS..MOST_GROUPS + 3) {
            if self.rng.random_bool(0.5) {
                let bytes = 16 * self.rng.random_range(0..=4);
                let (global, shared) = self.range(16, bytes);
                program.then(Step::Put(Put::new(shared, Target::Global(global | 1 << 44), bytes)));
            }
            program.then(Step::Commit);
        }
    }

    /// What a thread posts, and how many bytes of it.
    fn posted(&mut self) -> (u8, u32) {
        let code = self.reduction(Reduction::is_for_shared);
        let element = Reduction::from_code(code.into()).map(|reduction| reduction.element.bytes());
        (code, element.unwrap_or_else(|| *[4, 8, 16].choose(&mut self.rng).unwrap_or(&4)))
    }

    fn order(&mut self, request: Request) -> Request {
        let semantics = *[Semantics::Relaxed, Semantics::Acquire, Semantics::Release]
            .choose(&mut self.rng)
            .unwrap_or(&Semantics::Relaxed);
        let scope = if self.rng.random_bool(0.5) { Scope::Cta } else { Scope::Cluster };
        request.ordered(Order { semantics, scope })
    }

    /// A map, coordinates of a box from this one on, its place in shared memory, and its bytes; nothing, if it does not fit.
    fn tile_place(&mut self, least: i32) -> Option<(usize, [i32; 5], u32, u64)> {
        let map = self.rng.random_range(0..global::maps().len());
        let shared = self.rng.random_range(DATA / 128..self.parameters.unit.bytes() as u32 / 128) * 128;
        let tensor = &global::maps()[map];
        let mut at = [0; 5];
        for (at, size) in at.iter_mut().zip(&tensor.sizes) {
            *at = self.rng.random_range(least..*size as i32 + 3);
        }
        if tensor.interleave == 0 {
            let each = (16 / tensor.element.bytes()) as i32;
            at[0] = at[0] / each * each;
        }
        let (content, bytes) = global::box_of(map, &at, shared);
        let end = content.iter().rposition(Option::is_some).map_or(0, |last| last as u32 + 1);
        (shared + end <= self.parameters.unit.bytes() as u32).then_some((map, at, shared, bytes))
    }

    /// A tensor copy, and somebody who expects its bytes in each of the CTAs that it goes to; nothing, if it does not fit.
    fn tile(&mut self, cta: usize, place: u32, program: &mut Program) {
        let Some((map, at, shared, bytes)) = self.tile_place(-3) else { return };
        let all = (1 << self.parameters.ctas) - 1;
        let ctas = if self.rng.random_bool(0.6) { 0 } else { self.rng.random_range(1..=all) };
        program.then(Step::Tile(Tile { map, at, shared, barrier: place, ctas }));
        for target in crate::scoreboard::each(if ctas == 0 { 1 << cta } else { ctas }) {
            let expect = Request::new(Op::ArriveExpectTx, mapa(place, target)).with(bytes);
            program.then(Step::Send(expect.from_remote()));
        }
    }

    /// A tensor store or reduction, and a group behind some of them; nothing, if it does not fit.
    fn tile_store(&mut self, program: &mut Program) {
        let Some((map, at, shared, _)) = self.tile_place(0) else { return };
        let element = global::maps()[map].element;
        let operations = Operation::ALL.into_iter().filter(|operation| operation.takes(element));
        let operation = operations.choose(&mut self.rng).filter(|_| self.rng.random_bool(0.4));
        program.then(Step::TileStore(TileStore { map, at, shared, operation }));
        if self.rng.random_bool(0.5) {
            program.then(Step::Commit);
        }
    }

    /// One step, or a few that belong together.
    fn step(&mut self, cta: usize, program: &mut Program) {
        let rank = self.rng.random_range(0..self.parameters.ctas);
        let number = self.rng.random_range(0..BARRIERS);
        let place = barrier(number);
        let kinds = if self.parameters.tensors > 0 { 32 } else { 26 };
        match self.rng.random_range(0..kinds) {
            0..8 => {
                let op = *Op::ALL.choose(&mut self.rng).unwrap_or(&Op::Load);
                // barriers are seldom replaced, or nothing would ever complete
                let rare = matches!(op, Op::Store | Op::Init | Op::Inval) && self.rng.random_range(0..10) > 0;
                let data_word = DATA + 8 * self.rng.random_range(0..16);
                let address = if rare || (op == Op::Load && self.rng.random_bool(0.5)) { data_word } else { place };
                let op = if rare { Op::Store } else { op };
                let data = match op.operand() {
                    Operand::None => 0,
                    Operand::Arrivals => 1,
                    Operand::Bytes => 16,
                    Operand::Parity | Operand::ParityAndLimit => {
                        self.rng.random_range(0..2) | self.rng.random_range(0..800u64) << 32
                    }
                    Operand::Token | Operand::TokenAndLimit => {
                        self.rng.random_range(0..2u64) << 63 | self.rng.random_range(0..800u64)
                    }
                    Operand::Word => self.rng.random(),
                };
                let mut request = self.order(Request::new(op, address).with(data));
                if self.rng.random_bool(0.5) {
                    request = Request { address: mapa(address, rank), ..request }.from_remote();
                }
                program.then(if self.rng.random_bool(0.3) || request.is_posted() {
                    Step::Send(request)
                } else {
                    Step::Ask(request, Want::Status(Status::Ok))
                });
            }
            8..11 => {
                let mut arrive = self.order(Request::new(Op::Arrive, place).with(1));
                if self.rng.random_bool(0.6) {
                    arrive = Request { address: mapa(place, rank), ..arrive }.from_remote();
                }
                program.then(Step::Send(arrive));
            }
            11..14 => {
                // one bulk copy, and somebody who expects its bytes in each of the CTAs that it goes to
                let bytes = 16 * self.rng.random_range(1..=12);
                let (global, shared) = self.range(16, bytes);
                let all = (1 << self.parameters.ctas) - 1;
                let ctas = if self.rng.random_bool(0.5) { 0 } else { self.rng.random_range(1..=all) };
                program.then(Step::Bulk(Bulk { global, shared, bytes, barrier: place, ctas, status: Status::Ok }));
                let there = if ctas == 0 { 1 << cta } else { ctas };
                for target in crate::scoreboard::each(there) {
                    let expect = Request::new(Op::ArriveExpectTx, mapa(place, target)).with(u64::from(bytes));
                    program.then(Step::Send(expect.from_remote()));
                }
            }
            14..18 => {
                let bytes = *[4, 8, 16].choose(&mut self.rng).unwrap_or(&4);
                let (global, shared) = self.range(bytes, bytes);
                program.then(Step::Async(Async::Copy { global, shared, bytes }));
                if self.rng.random_bool(0.4) {
                    let noinc = self.rng.random_bool(0.5);
                    program.copies_arrive(place, noinc);
                    if !noinc {
                        program.then(Step::Send(Request::new(Op::Arrive, place).with(1)));
                    }
                }
            }
            18..21 => {
                let (reduction, bytes) = self.posted();
                let (_, shared) = self.range(bytes, bytes);
                let data = [self.rng.random(), self.rng.random()];
                let (address, barrier) = (mapa(shared, rank), mapa(place, rank));
                let status = Status::Ok;
                program.then(Step::Post(Post { address, barrier, bytes, data, reduction, status }));
                let expect = Request::new(Op::ArriveExpectTx, barrier).with(u64::from(bytes));
                program.then(Step::Send(expect.from_remote()));
            }
            21..24 => {
                let room = (self.parameters.unit.bytes() as u32 - DATA) / 16;
                let bytes = 16 * self.rng.random_range(1..=room.min(20));
                let (global, shared) = self.range(16, bytes);
                let (_, there) = self.range(16, bytes);
                if self.rng.random_bool(0.5) {
                    let to = Target::Cluster { address: mapa(there, rank), barrier: mapa(place, rank) };
                    let reduction = self.reduction(Reduction::is_for_shared);
                    program.then(Step::Put(Put { reduction, ..Put::new(shared, to, bytes) }));
                    let expect = Request::new(Op::ArriveExpectTx, mapa(place, rank)).with(u64::from(bytes));
                    program.then(Step::Send(expect.from_remote()));
                } else {
                    let reduction = self.reduction(Reduction::is_for_global);
                    let masked = reduction == 0 && self.rng.random_bool(0.3);
                    let mask = if masked { self.mask() } else { u16::MAX };
                    let to = Target::Global(global | 1 << 44);
                    program.then(Step::Put(Put { reduction, mask, ..Put::new(shared, to, bytes) }));
                    if self.rng.random_bool(0.5) {
                        program.then(Step::Commit);
                    }
                }
            }
            24 => {
                if self.rng.random_bool(0.1) {
                    self.groups(program);
                }
                let most = if self.rng.random_bool(0.8) { 0..3 } else { 0..MOST_GROUPS as u8 + 1 };
                let (most, read) = (self.rng.random_range(most), self.rng.random_bool(0.5));
                program.then(Step::Groups { most, read });
            }
            25 => {
                program.pause(self.rng.random_range(1..30));
            }
            26..29 => self.tile(cta, place, program),
            29.. => self.tile_store(program),
            _ => {
                program.then(Step::Settle);
            }
        }
    }
}

/// Address of a barrier.
fn barrier(number: u32) -> u32 {
    0x20 + number * 0x18
}
