//! Testbench of the hardware's tensor engine alone, between two memories.
//!
//! Global memory holds the tensors from address 0 on and the maps behind them; it takes a few cycles, and its bursts overtake each
//! other. Every block that lands is stored, and what is completed is added up by barrier: never more than has landed. What stores hand over
//! goes through the hardware's sender and outlet ([`super::outflow`]); their reads and what lands share the door of shared memory.

use super::map::WORDS;
use super::number;
use super::outflow::Outflow;
use crate::cluster::global::Bursts;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use txbar_rtl::copies::tensor::verdict::Verdict;
use txbar_rtl::copies::tensor::{Act, Tensor};

/// Where the maps begin in global memory.
pub const MAPS: u64 = 1 << 32;
/// Cycles without anything happening after which a run is called stuck.
const PATIENCE: u64 = 2_000;
/// Bytes of a map.
const MAP_BYTES: u64 = 8 * WORDS as u64;

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Action.
    pub act: Act,
    /// Address of its map.
    pub map: u64,
    /// Coordinates, innermost first.
    pub at: [i32; 5],
    /// Destination of the box.
    pub shared: u32,
    /// The barrier.
    pub barrier: u32,
    /// A store: code of the operation, or 0.
    pub action: u8,
}

impl Instruction {
    /// Loads a box at coordinates, with the map of this number.
    pub fn load(map: usize, at: &[i32], shared: u32, barrier: u32) -> Self {
        let mut all = [0x5a5a; 5]; // those of dimensions that there are not mean nothing
        all[..at.len()].copy_from_slice(at);
        Self { act: Act::Load, map: MAPS + map as u64 * MAP_BYTES, at: all, shared, barrier, action: 0 }
    }

    /// Stores a box at coordinates, or reduces with an operation of this code.
    pub fn store(map: usize, at: &[i32], shared: u32, action: u8) -> Self {
        Self { act: Act::Store, action, ..Self::load(map, at, shared, 1) } // a barrier that is none
    }
}

/// How fast everything around it is.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Random seed.
    pub seed: u64,
    /// Share of cycles, in percent, in which the memories are not ready.
    pub stall: u32,
    /// Cycles that global memory takes.
    pub latency: RangeInclusive<u64>,
    /// One cycle of eight is kept for the ports, as the door of a CTA's memory does.
    pub door: bool,
    /// Bursts of global memory come one after the other, as they were asked for; else mixed.
    pub in_order: bool,
}

impl Pace {
    /// No stalls.
    pub const IDEAL: Pace = Pace { seed: 0, stall: 0, latency: 20..=20, door: false, in_order: false };
    /// The same in a CTA.
    pub const DOOR: Pace = Pace { door: true, ..Pace::IDEAL };
}

/// The engine with its memories.
pub struct Rig {
    /// The hardware.
    pub engine: Tensor,
    /// Tensors, from address 0 on.
    pub global: Vec<u8>,
    /// Maps.
    pub maps: Vec<[u64; WORDS]>,
    /// Shared memory.
    pub shared: Vec<u8>,
    /// What the instructions came to, in their order.
    pub verdicts: Vec<Verdict>,
    /// Bytes completed, by barrier.
    pub completed: BTreeMap<u64, u64>,
    /// The first cycle in which a block landed, and the last.
    pub landed: Option<(u64, u64)>,
    /// Bursts that were asked for, of maps too.
    pub requests: u64,
    /// Blocks behind the engine for stores.
    pub outflow: Outflow,
    bytes_landed: u64,
    pending: VecDeque<Instruction>,
    bursts: Bursts,
    rng: Xoshiro256PlusPlus,
    pace: Pace,
    cycle: u64,
    last_event: u64,
    held: Option<[u64; 3]>,
}

/// A word of global memory.
fn word(global: &[u8], maps: &[[u64; WORDS]], address: u64) -> u64 {
    if address >= MAPS {
        let (map, word) = ((address - MAPS) / MAP_BYTES, (address - MAPS) % MAP_BYTES / 8);
        return maps.get(map as usize).map_or(0, |map| map[word as usize]);
    }
    global.get(address as usize..address as usize + 8).map_or(0, number)
}

impl Rig {
    /// An engine for a shared memory of this many bytes, with this many bursts.
    pub fn new(bursts: usize, global: Vec<u8>, shared: Vec<u8>, pace: Pace) -> Self {
        let mut engine = Tensor::new(bursts, shared.len().ilog2() as usize);
        engine.settle();
        txbar_rtl::hdl::Part::tick(&mut engine);
        txbar_rtl::hdl::Part::reset(&mut engine);
        let bursts_of_memory = Bursts::new(pace.seed, pace.latency.clone()).ordered(pace.in_order);
        Self {
            engine,
            outflow: Outflow::new(shared.len().ilog2() as usize, bursts, &bursts_of_memory),
            global,
            maps: Vec::new(),
            shared,
            verdicts: Vec::new(),
            completed: BTreeMap::new(),
            landed: None,
            requests: 0,
            bytes_landed: 0,
            pending: VecDeque::new(),
            bursts: bursts_of_memory,
            rng: Xoshiro256PlusPlus::seed_from_u64(pace.seed),
            pace,
            cycle: 0,
            last_event: 0,
            held: None,
        }
    }

    /// Adds a map; gives its number.
    pub fn add(&mut self, map: [u64; WORDS]) -> usize {
        self.maps.push(map);
        self.maps.len() - 1
    }

    /// Gives it more to do.
    pub fn push(&mut self, instruction: Instruction) {
        self.pending.push_back(instruction);
    }

    /// Cycles so far.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Runs until everything is done. `look` is called in every cycle, before the clock edge.
    ///
    /// # Errors
    /// What it does and must not do.
    pub fn run(&mut self, look: &mut dyn FnMut(&Tensor, u64)) -> Result<(), String> {
        loop {
            let offered = !self.pending.is_empty();
            self.step(look)?;
            if !offered && self.engine.idle.val() && self.outflow.is_idle() {
                return Ok(());
            }
            if self.cycle - self.last_event > PATIENCE {
                return Err(format!("nothing happens for {PATIENCE} cycles"));
            }
        }
    }

    fn is_ready(&mut self) -> bool {
        self.rng.random_range(0..100) >= self.pace.stall
    }

    fn step(&mut self, look: &mut dyn FnMut(&Tensor, u64)) -> Result<(), String> {
        let Self { bursts, global, maps, .. } = self;
        let shown = bursts.show(self.cycle, |address| word(global, maps, address));
        let (request_ready, write_ready) = (self.is_ready(), self.is_ready());
        let door = self.is_ready() && !(self.pace.door && self.cycle % 8 == 7);
        // what is read and what lands take turns
        let reads =
            self.outflow.wants_door() && (self.cycle.is_multiple_of(2) || !self.engine.lander.beat_valid.q.val());
        let beat_ready = door && !reads;
        let offer = self.pending.front().copied().filter(|_| self.pace.stall == 0 || self.rng.random());
        let engine = &mut self.engine;
        engine.tile.valid.next = offer.is_some();
        if let Some(Instruction { act, map, at, shared, barrier, action }) = offer {
            engine.tile.act.next = u64::from(act.code()).into();
            engine.tile.map.next = map.into();
            for (pin, at) in engine.tile.at.iter_mut().zip(at) {
                pin.next = u64::from(at as u32).into();
            }
            engine.tile.shared.next = u64::from(shared).into();
            engine.tile.barrier.next = u64::from(barrier).into();
            engine.tile.ctas.next = 1.into();
            engine.tile.action.next = u64::from(action).into();
        }
        engine.mem_req_ready.next = request_ready;
        engine.beat_ready.next = beat_ready;
        engine.mem_rsp_valid.next = shown.is_some();
        if let Some(beat) = shown {
            engine.mem_rsp_id.next = beat.id.into();
            for (lane, word) in engine.mem_rsp_data.iter_mut().zip(beat.data) {
                lane.next = word.into();
            }
        }
        engine.settle();
        self.outflow.settle(self.cycle, engine, &self.shared, door && reads, write_ready);
        engine.settle();
        look(engine, self.cycle);
        if offer.is_some() && engine.tile.ready.val() {
            self.pending.pop_front();
            self.last_event = self.cycle;
        }
        if engine.end.valid.val() {
            let code = engine.end.verdict.val().raw();
            self.verdicts.push(Verdict::from_code(code).ok_or(format!("there is no verdict {code}"))?);
            self.last_event = self.cycle;
        }
        let request = engine.mem_req_valid.val().then(|| {
            [engine.mem_req_address.val().raw(), engine.mem_req_beats.val().raw(), engine.mem_req_id.val().raw()]
        });
        if self.held.is_some() && self.held != request {
            return Err(format!("cycle {}: a request that was shown is gone", self.cycle));
        }
        self.held = request.filter(|_| !request_ready);
        if let Some([address, beats, id]) = request.filter(|_| request_ready) {
            if beats == 0 || address / 128 != (address / 32 * 32 + 32 * beats - 1) / 128 {
                return Err(format!("cycle {}: {beats} beats from {address:#x} cross a boundary", self.cycle));
            }
            self.requests += 1;
            self.bursts.ask(self.cycle, id, address, beats, false);
        }
        if shown.is_some() && engine.mem_rsp_ready.val() {
            self.bursts.take();
            self.last_event = self.cycle;
        }
        if engine.beat_valid.val() && beat_ready {
            self.land()?;
        }
        // rows of a store that lie outside go by in silence
        if self.outflow.clock(self.cycle, &mut self.global)? || self.engine.rows.take.val() {
            self.last_event = self.cycle;
        }
        txbar_rtl::hdl::Part::tick(&mut self.engine);
        self.cycle += 1;
        Ok(())
    }

    /// A block lands.
    fn land(&mut self) -> Result<(), String> {
        let engine = &self.engine;
        let (address, strobe) = (engine.beat_address.val().raw() as usize, engine.beat_strobe.val().raw());
        for byte in (0..32).filter(|byte| strobe >> byte & 1 != 0) {
            let place = self.shared.get_mut(address + byte);
            let data = engine.beat_data[byte / 8].val().raw();
            *place.ok_or(format!("a block lands at {address:#x}"))? = (data >> (byte % 8 * 8)) as u8;
            self.bytes_landed += 1;
        }
        *self.completed.entry(engine.beat_barrier.val().raw()).or_default() += engine.beat_bytes.val().raw();
        let first = self.landed.map_or(self.cycle, |(first, _)| first);
        self.landed = Some((first, self.cycle));
        self.last_event = self.cycle;
        if self.completed.values().sum::<u64>() > self.bytes_landed {
            return Err(format!("cycle {}: more bytes are completed than have landed", self.cycle));
        }
        Ok(())
    }
}
