//! Typical uses of barriers, as programs of threads whose consumers compare every word with global memory.
//!
//! | scenario | shape |
//! | --- | --- |
//! | `multistage` | cp.async into a few stages: producers copy pieces of 4, 8 and 16 bytes, arrive with `cp.async.mbarrier.arrive` (with and without `.noinc`), consumers arrive when a stage is free again |
//! | `ring` | a ring of buffers filled by bulk copies, with a full and an empty barrier for each; bytes often complete before they are expected |
//! | `specialised` | producer and consumer warps; consumers are through at different times and leave with arrive_drop |
//! | `multicast` | every CTA copies its slice to all CTAs; consumers tell every CTA by remote arrives that a buffer is free |
//! | `tiles` | a ring of buffers filled by tensor loads: swizzled boxes, parts of them outside the tensor |

use crate::cluster::global;
use crate::cluster::rig::Environment;
use crate::cluster::thread::{Async, Bulk, Program, Step, Thread, Tile};
use crate::request::Request;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::address::mapa;

/// Where the buffers begin; barriers are below.
const BUFFERS: u32 = 0x200;
/// Bytes between the buffers of two stages.
const STRIDE: u32 = 0x200;

/// Bytes between the buffers of two tiles: a swizzle is the same in each.
const TILES: u32 = 0x400;

/// A scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scenario {
    /// cp.async into a few stages.
    Multistage,
    /// A ring filled by bulk copies.
    Ring,
    /// Producer and consumer warps, which leave one by one.
    Specialised,
    /// Slices for all CTAs.
    Multicast,
    /// A ring filled by tensor loads.
    Tiles,
}

impl Scenario {
    /// All of them.
    pub const ALL: [Scenario; 5] =
        [Scenario::Multistage, Scenario::Ring, Scenario::Specialised, Scenario::Multicast, Scenario::Tiles];

    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Scenario::Multistage => "multistage",
            Scenario::Ring => "ring",
            Scenario::Specialised => "specialised",
            Scenario::Multicast => "multicast",
            Scenario::Tiles => "tiles",
        }
    }

    /// What it is about, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Scenario::Multistage => "cp.async into a few stages, arrivals when the copies of a thread are done",
            Scenario::Ring => "a ring of buffers filled by bulk copies, bytes that complete before they are expected",
            Scenario::Specialised => "producer and consumer warps, consumers that leave with arrive_drop",
            Scenario::Multicast => "slices copied to all CTAs, remote arrives when a buffer is free",
            Scenario::Tiles => "a ring of buffers filled by tensor loads, swizzled, and filled up outside the tensor",
        }
    }

    /// The cluster that it is made for.
    pub fn parameters(self) -> ClusterParameters {
        let ctas = if self == Scenario::Multicast { 4 } else { 1 };
        let unit = Parameters { ports: 2, number_bits: 1, counters: false, ..Parameters::default() };
        let tensors = if self == Scenario::Tiles { 8 } else { 0 };
        ClusterParameters { unit, ctas, link_cycles: 4, warps: 8, tensors, ..ClusterParameters::default() }
    }

    /// What is random about a run with this seed, besides the programs.
    pub fn environment(seed: u64) -> Environment {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x77ea_7e12);
        let fastest = rng.random_range(1..30);
        Environment {
            seed,
            stall: *[0, 0, 20, 60].choose(&mut rng).unwrap_or(&0),
            memory: fastest..=fastest + rng.random_range(0..100),
        }
    }

    /// The threads of a run with this seed.
    pub fn threads(self, parameters: &ClusterParameters, seed: u64) -> Vec<Thread> {
        let mut builder =
            Builder { rng: Xoshiro256PlusPlus::seed_from_u64(seed), threads: Vec::new(), parameters: *parameters };
        for cta in 0..parameters.ctas {
            match self {
                Scenario::Multistage => builder.multistage(cta),
                Scenario::Ring => builder.ring(cta),
                Scenario::Specialised => builder.specialised(cta),
                Scenario::Tiles => builder.tiles(cta),
                Scenario::Multicast => {}
            }
        }
        if self == Scenario::Multicast {
            builder.multicast();
        }
        builder.finish()
    }
}

impl std::str::FromStr for Scenario {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Scenario::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|scenario| scenario.name() == text)
            .ok_or_else(|| format!("it must be one of {}", names()))
    }
}

/// Address of a barrier.
fn barrier(number: usize) -> u32 {
    // in banks of their own and together with others, as it comes
    0x20 + number as u32 * 0x18
}

/// Address of the buffer of a stage.
fn buffer(stage: usize) -> u32 {
    BUFFERS + stage as u32 * STRIDE
}

/// Builds the programs of the threads.
struct Builder {
    rng: Xoshiro256PlusPlus,
    threads: Vec<Thread>,
    parameters: ClusterParameters,
}

impl Builder {
    /// A thread; those of a CTA are spread over its ports.
    fn enter(&mut self, cta: usize, program: Program) {
        let warp = self.threads.iter().filter(|thread| thread.cta == cta).count();
        let ports = self.parameters.unit.ports;
        let thread = Thread { cta, port: warp % ports, number: warp as u16, warp, program: program.0 };
        self.threads.push(thread);
    }

    /// Adds warps that have nothing to do, and exit.
    fn finish(mut self) -> Vec<Thread> {
        for cta in 0..self.parameters.ctas {
            while self.threads.iter().filter(|thread| thread.cta == cta).count() < self.parameters.warps {
                let mut program = Program::default();
                program.pause(self.rng.random_range(0..50)).then(Step::Round { act: Act::Exit, releases: false });
                self.enter(cta, program);
            }
        }
        self.threads
    }

    /// A short pause, or none.
    fn breath(&mut self, program: &mut Program) {
        if self.rng.random_range(0..3) == 0 {
            program.pause(self.rng.random_range(1..40));
        }
    }

    /// Barriers for this many arrivals each, made by the first thread; then everybody meets.
    fn begin(&self, first: bool, counts: &[usize]) -> Program {
        let mut program = Program::default();
        if first {
            for (number, count) in counts.iter().enumerate() {
                program.ask(Request::new(Op::Init, barrier(number)).with(*count as u64));
            }
        }
        program.round();
        program
    }

    fn arrive(number: usize) -> Request {
        Request::new(Op::Arrive, barrier(number)).with(1)
    }

    fn multistage(&mut self, cta: usize) {
        let (stages, tiles) = (self.rng.random_range(2..5), self.rng.random_range(4..9));
        let (producers, consumers) = (self.rng.random_range(1..4), self.rng.random_range(1..4));
        let noinc = self.rng.random_bool(0.5);
        let counts: Vec<usize> =
            (0..2 * stages).map(|number| if number < stages { producers } else { consumers }).collect();
        let piece = 16 * self.rng.random_range(1..5u32);
        let source = |tile: usize, producer: usize| (cta << 20 | tile << 12 | producer << 8) as u64;
        for producer in 0..producers {
            let mut program = self.begin(producer == 0, &counts);
            for tile in 0..tiles {
                let stage = tile % stages;
                if tile >= stages {
                    program.wait(barrier(stages + stage), tile / stages - 1);
                }
                self.breath(&mut program);
                let (mut offset, place) = (0, buffer(stage) + producer as u32 * piece);
                while offset < piece {
                    let fits = [4, 8, 16].into_iter().filter(|bytes| offset % bytes == 0 && offset + bytes <= piece);
                    let bytes = fits.choose(&mut self.rng).unwrap_or(4);
                    let global = source(tile, producer) + u64::from(offset);
                    program.then(Step::Async(Async::Copy { global, shared: place + offset, bytes }));
                    offset += bytes;
                }
                program.copies_arrive(barrier(stage), noinc);
                if !noinc {
                    // its tx-count goes up and down again: the arrival itself is still due
                    program.ask(Self::arrive(stage));
                }
            }
            program.round();
            self.enter(cta, program);
        }
        for _ in 0..consumers {
            let mut program = self.begin(false, &counts);
            for tile in 0..tiles {
                let stage = tile % stages;
                program.wait(barrier(stage), tile / stages);
                for producer in 0..producers {
                    program.compare(buffer(stage) + producer as u32 * piece, source(tile, producer), piece);
                }
                self.breath(&mut program);
                program.ask(Self::arrive(stages + stage));
            }
            program.round();
            self.enter(cta, program);
        }
    }

    /// Where a tile is in global memory: any multiple of 16.
    fn source(&mut self, cta: usize, tile: usize) -> u64 {
        (cta << 20 | tile << 12) as u64 + 16 * self.rng.random_range(0..64)
    }

    /// A bulk copy and the arrival that expects its bytes, in either order.
    fn fill(&mut self, program: &mut Program, bulk: Bulk, expected: u32) {
        self.expect(program, Step::Bulk(bulk), bulk.barrier, expected.into());
    }

    /// A copy and the arrival that expects these bytes on a barrier, in either order.
    fn expect(&mut self, program: &mut Program, copy: Step, barrier: u32, expected: u64) {
        let expect = Request::new(Op::ArriveExpectTx, barrier).with(expected);
        if self.rng.random_bool(0.5) {
            program.ask(expect).then(copy);
        } else {
            program.then(copy);
            if self.rng.random_bool(0.5) {
                program.pause(self.rng.random_range(1..150)); // the bytes may complete before they are expected
            }
            program.ask(expect);
        }
    }

    fn ring(&mut self, cta: usize) {
        let (stages, tiles) = (self.rng.random_range(2..5), self.rng.random_range(4..10));
        let consumers = self.rng.random_range(1..4);
        let counts: Vec<usize> = (0..2 * stages).map(|number| if number < stages { 1 } else { consumers }).collect();
        let shapes: Vec<(u64, u32, u32)> = (0..tiles)
            .map(|tile| {
                let bytes = 16 * self.rng.random_range(1..=20);
                (self.source(cta, tile), 16 * self.rng.random_range(0..4), bytes)
            })
            .collect();
        let mut producer = self.begin(true, &counts);
        for (tile, &(global, offset, bytes)) in shapes.iter().enumerate() {
            let stage = tile % stages;
            if tile >= stages {
                producer.wait(barrier(stages + stage), tile / stages - 1);
            }
            let shared = buffer(stage) + offset;
            let bulk = Bulk { global, shared, bytes, barrier: barrier(stage), ctas: 0, status: Status::Ok };
            self.fill(&mut producer, bulk, bytes);
            self.breath(&mut producer);
        }
        producer.round();
        self.enter(cta, producer);
        for _ in 0..consumers {
            let mut program = self.begin(false, &counts);
            for (tile, &(global, offset, bytes)) in shapes.iter().enumerate() {
                let stage = tile % stages;
                program.wait(barrier(stage), tile / stages).compare(buffer(stage) + offset, global, bytes);
                self.breath(&mut program);
                program.ask(Self::arrive(stages + stage));
            }
            program.round();
            self.enter(cta, program);
        }
    }

    /// A box of a tensor, some of them partly outside of it.
    fn tile(&mut self, stage: usize) -> Tile {
        let map = self.rng.random_range(0..global::maps().len());
        let tensor = &global::maps()[map];
        let mut at = [0; 5];
        for (at, size) in at.iter_mut().zip(&tensor.sizes) {
            *at = self.rng.random_range(-2..*size as i32);
        }
        if tensor.interleave == 0 {
            let each = (16 / tensor.element.bytes()) as i32;
            at[0] = at[0] / each * each;
        }
        Tile { map, at, shared: TILES * (1 + stage as u32), barrier: barrier(stage), ctas: 0 }
    }

    fn tiles(&mut self, cta: usize) {
        let (stages, count) = (self.rng.random_range(2..4), self.rng.random_range(4..10));
        let consumers = self.rng.random_range(1..4);
        let counts: Vec<usize> = (0..2 * stages).map(|number| if number < stages { 1 } else { consumers }).collect();
        let tiles: Vec<Tile> = (0..count).map(|number| self.tile(number % stages)).collect();
        let mut producer = self.begin(true, &counts);
        for (number, tile) in tiles.iter().enumerate() {
            let stage = number % stages;
            if number >= stages {
                producer.wait(barrier(stages + stage), number / stages - 1);
            }
            let (_, bytes) = global::box_of(tile.map, &tile.at, tile.shared);
            self.expect(&mut producer, Step::Tile(*tile), tile.barrier, bytes);
            self.breath(&mut producer);
        }
        producer.round();
        self.enter(cta, producer);
        for _ in 0..consumers {
            let mut program = self.begin(false, &counts);
            for (number, tile) in tiles.iter().enumerate() {
                let stage = number % stages;
                program.wait(tile.barrier, number / stages).compare_box(tile);
                self.breath(&mut program);
                program.ask(Self::arrive(stages + stage));
            }
            program.round();
            self.enter(cta, program);
        }
    }

    fn specialised(&mut self, cta: usize) {
        let (stages, consumers) = (self.rng.random_range(2..4), self.rng.random_range(2..5));
        let last: Vec<usize> = (0..consumers).map(|_| self.rng.random_range(1..9)).collect();
        let tiles = last.iter().copied().max().unwrap_or(0);
        let producers = 2;
        let counts: Vec<usize> =
            (0..2 * stages).map(|number| if number < stages { producers } else { consumers }).collect();
        let half = 16 * self.rng.random_range(1..8u32);
        let sources: Vec<u64> = (0..tiles).map(|tile| self.source(cta, tile)).collect();
        for producer in 0..producers {
            let mut program = self.begin(producer == 0, &counts);
            for (tile, source) in sources.iter().enumerate() {
                let stage = tile % stages;
                if tile >= stages {
                    program.wait(barrier(stages + stage), tile / stages - 1);
                }
                let offset = producer as u32 * half;
                let bulk = Bulk {
                    global: source + u64::from(offset),
                    shared: buffer(stage) + offset,
                    bytes: half,
                    barrier: barrier(stage),
                    ctas: 0,
                    status: Status::Ok,
                };
                self.fill(&mut program, bulk, half);
                self.breath(&mut program);
            }
            program.round();
            self.enter(cta, program);
        }
        for &last in &last {
            let mut program = self.begin(false, &counts);
            for (tile, source) in sources.iter().take(last).enumerate() {
                let stage = tile % stages;
                program.wait(barrier(stage), tile / stages).compare(buffer(stage), *source, 2 * half);
                self.breath(&mut program);
                program.ask(Self::arrive(stages + stage));
            }
            // it leaves: from the next phase of each stage on, nobody waits for it
            for tile in last..last + stages {
                let stage = tile % stages;
                if tile >= stages {
                    program.wait(barrier(stages + stage), tile / stages - 1);
                }
                program.ask(Request::new(Op::ArriveDrop, barrier(stages + stage)).with(1));
            }
            program.round();
            self.enter(cta, program);
        }
    }

    fn multicast(&mut self) {
        let ctas = self.parameters.ctas;
        let (stages, tiles) = (self.rng.random_range(2..4), self.rng.random_range(3..7));
        let consumers = self.rng.random_range(1..4);
        let counts: Vec<usize> =
            (0..2 * stages).map(|number| if number < stages { 1 } else { consumers * ctas }).collect();
        let slice = 16 * self.rng.random_range(1..=(STRIDE / 16 / ctas as u32));
        let sources: Vec<Vec<u64>> =
            (0..tiles).map(|tile| (0..ctas).map(|cta| self.source(cta, tile)).collect()).collect();
        for cta in 0..ctas {
            let mut producer = self.begin(true, &counts);
            for (tile, sources) in sources.iter().enumerate() {
                let stage = tile % stages;
                if tile >= stages {
                    producer.wait(barrier(stages + stage), tile / stages - 1);
                }
                let bulk = Bulk {
                    global: sources[cta],
                    shared: buffer(stage) + cta as u32 * slice,
                    bytes: slice,
                    barrier: barrier(stage),
                    ctas: (1 << ctas) - 1,
                    status: Status::Ok,
                };
                self.fill(&mut producer, bulk, slice * ctas as u32);
                self.breath(&mut producer);
            }
            producer.round();
            self.enter(cta, producer);
            for _ in 0..consumers {
                let mut program = self.begin(false, &counts);
                for (tile, sources) in sources.iter().enumerate() {
                    let stage = tile % stages;
                    program.wait(barrier(stage), tile / stages);
                    for (from, source) in sources.iter().enumerate() {
                        program.compare(buffer(stage) + from as u32 * slice, *source, slice);
                    }
                    self.breath(&mut program);
                    for target in 0..ctas {
                        let empty = mapa(barrier(stages + stage), target);
                        program.then(Step::Send(Request::new(Op::Arrive, empty).with(1).from_remote()));
                    }
                }
                program.then(Step::Settle).round();
                self.enter(cta, program);
            }
        }
    }
}
