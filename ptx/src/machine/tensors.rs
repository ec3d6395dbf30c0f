//! Tensor copies and tensor maps: requests to the hardware's tensor engine, and changes of maps in memory.
//!
//! **Maps.** A map that is a parameter of the kernel is read where the parameters lie in global memory. Fields are replaced word by word,
//! as by atomic operations. `tensormap.cp_fenceproxy` loads a map through the thread's port and writes it to global memory as a whole.
//!
//! **Verdicts.** The hardware says of each instruction what is wrong with it once it has looked at the map: in the order of the
//! instructions, after the thread has gone on.

use super::*;
use crate::address::Location;
use crate::effect::{Access, Atom, Effect, Meaning};
use crate::machine::races::Bytes;
use crate::program::code::PARAMETERS;
use txbar_rtl::copies::tensor::Act;
use txbar_rtl::copies::tensor::verdict::Verdict;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::{Order, Semantics};
use txbar_testbench::cluster::thread::TensorRequest;
use txbar_testbench::request::Request;
use txbar_testbench::tensor::address::Row;
use txbar_testbench::tensor::limits::BadMap;
use txbar_testbench::tensor::map::{TensorMap, WORDS};
use txbar_testbench::tensor::number;
use txbar_testbench::tensor::replace::Field;

/// Bytes of a map.
const MAP_BYTES: usize = 8 * WORDS;
/// What a map's address is a multiple of.
const MAP_ALIGNMENT: u64 = 64;

/// The map at an address of global memory.
fn map_at(memory: &GlobalMemory, address: u64) -> Result<Result<TensorMap, BadMap>, String> {
    let bytes = memory.read(address, MAP_BYTES).map_err(|violation| violation.to_string())?;
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = number(bytes);
    }
    Ok(TensorMap::decode(&words))
}

/// The map of an instruction that names this many dimensions; none if it is no sound one, which the hardware finds itself.
fn map_of(address: u64, rank: usize, memory: &GlobalMemory) -> Result<Option<TensorMap>, String> {
    match map_at(memory, address)? {
        Ok(map) if map.rank() != rank => {
            Err(format!("a copy of {rank} dimensions with a tensor map of {}", map.rank()))
        }
        map => Ok(map.ok()),
    }
}

/// The same, if the box at these coordinates is in global memory as far as it is in the tensor.
fn box_of(address: u64, rank: usize, at: &[i32; 5], memory: &GlobalMemory) -> Result<Option<TensorMap>, String> {
    let Some(map) = map_of(address, rank, memory)? else { return Ok(None) };
    let inside = |row: &Row| {
        let mut inside = map.units(row).filter_map(|unit| unit.global);
        let first = inside.next()?;
        Some((first, inside.last().unwrap_or(first)))
    };
    for (first, last) in map.rows(&at[..rank], &[]).iter().filter_map(inside) {
        // both ends of a row are enough: allocations have gaps between them
        let bytes = (last + map.unit() - first) as usize;
        memory.read(first, bytes).map_err(|violation| format!("a box of the tensor: {violation}"))?;
    }
    Ok(Some(map))
}

/// Bytes of a box: 228 KiB at most.
fn bytes(map: &Option<TensorMap>) -> u32 {
    map.as_ref().map_or(0, |map| map.bytes() as u32)
}

/// What of global memory is in a box.
fn reads(map: &TensorMap, at: &[i32]) -> Vec<Bytes> {
    let mut reads: Vec<Bytes> = Vec::new();
    for global in map.rows(at, &[]).iter().flat_map(|row| map.units(row)).filter_map(|unit| unit.global) {
        match reads.last_mut() {
            Some(Bytes::At(first, bytes)) if *first + u64::from(*bytes) == global => *bytes += map.unit() as u32,
            _ => reads.push(Bytes::At(global, map.unit() as u32)),
        }
    }
    reads
}

/// What is offered about a map alone.
/// The first byte of a word with a bit in a mask, and the one behind the last.
fn bytes_of(mask: u64) -> [u32; 2] {
    [mask.trailing_zeros() / 8, 8 - mask.leading_zeros() / 8]
}

fn offer(act: Act, map: u64) -> TensorOffer {
    TensorOffer { thread: 0, pc: 0, act, map, at: [0; 5], shared: 0, barrier: 0, ctas: 0, action: 0, place: 0 }
}

impl Machine<'_> {
    /// A thread copies a part of a tensor, or has to do with a map.
    pub(super) fn tensor(&mut self, cta: usize, thread: usize, effect: Effect, memory: &mut GlobalMemory) -> Performed {
        match effect {
            Effect::MapPublish { to, from } => return self.publish(cta, thread, (to, from), memory),
            _ if !self.blocks[cta].runners[thread].is_settled() => return Performed::Later,
            _ => {}
        }
        match effect {
            Effect::MapReplace { map, field, dimension, value } => {
                self.replace(cta, thread, map, (field, dimension, value), memory)
            }
            Effect::MapFence { map } => {
                let Some(map) = self.map_place(cta, thread, map) else { return Performed::Later };
                self.acquires_map(ThreadId::new(cta, thread), map);
                self.offer_tensor(cta, thread, offer(Act::Forget, map))
            }
            Effect::MapPrefetch { map } => {
                let Some(map) = self.map_place(cta, thread, map) else { return Performed::Later };
                self.offer_tensor(cta, thread, offer(Act::Prefetch, map))
            }
            Effect::TensorToShared { map, rank, at, shared, barrier, multicast } => {
                let Some(map) = self.map_place(cta, thread, map) else { return Performed::Later };
                let Some(of) = self.granted(cta, thread, box_of(map, usize::from(rank), &at, memory)) else {
                    return Performed::Later;
                };
                self.uses_map(ThreadId::new(cta, thread), map, MAP_BYTES);
                let judged = of.as_ref().filter(|_| self.races.is_some());
                let reads = judged.map_or(Vec::new(), |map| reads(map, &at[..usize::from(rank)]));
                self.load_tensor(cta, thread, (map, at), &reads, (shared, barrier, multicast), bytes(&of))
            }
            Effect::TensorToGlobal { map, rank, at, shared, action } => {
                memory.is_written_unseen();
                let Some(map) = self.map_place(cta, thread, map) else { return Performed::Later };
                let Some(of) = self.granted(cta, thread, box_of(map, usize::from(rank), &at, memory)) else {
                    return Performed::Later;
                };
                // what is outside the tensor is not read, and need not be in shared memory
                let whole = bytes(&of);
                let pieces = of.map_or(Vec::new(), |map| map.pieces(&at[..usize::from(rank)], &[]));
                let bytes = pieces.iter().map(|(from, _)| *from as u32 + 16).max().unwrap_or(0).min(whole);
                let Some(from) = self.source(cta, thread, shared, bytes) else { return Performed::Later };
                let Some(place) = self.place_of_groups(cta, thread) else { return Performed::Later };
                let id = ThreadId::new(cta, thread);
                self.uses_map(id, map, MAP_BYTES);
                let reads: Vec<Bytes> = pieces
                    .iter()
                    .map(|(at, _)| Bytes::Of(Spot { offset: from.offset + *at as u32, ..from }, 16))
                    .collect();
                let writes: Vec<Bytes> = pieces.iter().map(|(_, to)| Bytes::At(*to, 16)).collect();
                self.begins_store(id, &reads, &writes, (action != 0, true));
                let read = 16 * pieces.len() as u32;
                if read > 0 {
                    let pc = self.blocks[cta].runners[thread].lane.pc;
                    let source = Source { thread: thread as u16, pc, shared: from.offset, bytes };
                    self.blocks[cta].boxes.push_back((source, read));
                }
                let shared = from.offset;
                self.offer_tensor(cta, thread, TensorOffer { at, shared, action, place, ..offer(Act::Store, map) })
            }
            Effect::TensorPrefetch { map, rank, at } => {
                let Some(map) = self.map_place(cta, thread, map) else { return Performed::Later };
                let of = map_of(map, usize::from(rank), memory);
                let Some(_) = self.granted(cta, thread, of) else { return Performed::Later };
                self.offer_tensor(cta, thread, TensorOffer { at, ..offer(Act::PrefetchBox, map) })
            }
            _ => Performed::NOTHING,
        }
    }

    fn load_tensor(
        &mut self,
        cta: usize,
        thread: usize,
        (map, at): (u64, [i32; 5]),
        reads: &[Bytes],
        (shared, barrier, multicast): (Location, Location, Option<u16>),
        bytes: u32,
    ) -> Performed {
        let Some((to, on)) = self.same_cta(cta, thread, (shared, bytes), barrier, None) else {
            return Performed::Later;
        };
        let Some(ctas) = self.sends_to_each(cta, thread, (reads, to, bytes), on, multicast) else {
            return Performed::Later;
        };
        let (shared, barrier) = (to.offset, on.offset);
        self.offer_tensor(cta, thread, TensorOffer { at, shared, barrier, ctas, ..offer(Act::Load, map) })
    }

    /// Where a map is in global memory.
    fn map_place(&mut self, cta: usize, thread: usize, location: Location) -> Option<u64> {
        let place = match location {
            Location::Global(address) => Some(address),
            Location::Local(address) if address >= PARAMETERS => {
                self.parameter_block.map(|block| block + u64::from(address - PARAMETERS))
            }
            _ => None,
        };
        let problem = match place {
            None => format!("a tensor map is in global memory or a parameter, not in {}", shown(location)),
            Some(place) if !place.is_multiple_of(MAP_ALIGNMENT) => {
                format!("a tensor map is at a multiple of {MAP_ALIGNMENT} bytes, not at {place:#x}")
            }
            Some(place) => return Some(place),
        };
        self.refuse(cta, thread, problem);
        None
    }

    fn offer_tensor(&mut self, cta: usize, thread: usize, offer: TensorOffer) -> Performed {
        let block = &mut self.blocks[cta];
        let pc = block.runners[thread].lane.pc;
        block.tensors.push_back(TensorOffer { thread: thread as u16, pc, ..offer });
        Performed::Wait(State::Offered)
    }

    /// Replaces a field of a map in shared or global memory.
    fn replace(
        &mut self,
        cta: usize,
        thread: usize,
        map: Location,
        (field, dimension, value): (Field, u8, u64),
        memory: &mut GlobalMemory,
    ) -> Performed {
        let bits = field.replaced(usize::from(dimension), value);
        let bits = bits.map_err(|bad| format!("tensormap.replace.{}: {bad}", field.ptx()));
        let Some(bits) = self.granted(cta, thread, bits) else { return Performed::Later };
        if let Location::Global(address) = map {
            for part in bits {
                let place = address + 8 * part.word as u64;
                let new = memory.value(place, 8).map(|old| old & !part.mask | part.value);
                let written = new.and_then(|new| memory.write(place, &new.to_le_bytes()));
                let Some(changed) = self.granted(cta, thread, written) else { return Performed::Later };
                memory.wrote(place, 8, self.writer(cta, thread));
                let [from, end] = bytes_of(part.mask);
                self.accesses(ThreadId::new(cta, thread), Bytes::At(place + u64::from(from), end - from), true, false);
                if changed {
                    self.progress();
                }
            }
            return Performed::NOTHING;
        }
        let Some(spot) = self.spot(cta, thread, map, MAP_BYTES as u32) else { return Performed::Later };
        if !spot.offset.is_multiple_of(8) {
            self.refuse(cta, thread, format!("a tensor map at {} is misaligned", shown(map)));
            return Performed::Later;
        }
        let words: Vec<Spot> =
            bits.iter().map(|part| Spot { offset: spot.offset + 8 * part.word as u32, ..spot }).collect();
        let there = &mut self.blocks[usize::from(spot.cta)];
        let busy = |word: &Spot| there.storing.contains_key(&word.offset) || there.locked.contains(&word.offset);
        if words.iter().any(busy) {
            return Performed::Later;
        }
        let mut asked = 0;
        for (number, (part, word)) in bits.iter().zip(&words).enumerate() {
            // two parts of one word are one
            if words[..number].contains(word) {
                continue;
            }
            let same = bits.iter().filter(|other| other.word == part.word);
            let (mask, value) = same.fold((0, 0), |(mask, value), part| (mask | part.mask, value | part.value));
            let [from, end] = bytes_of(mask);
            let written = Bytes::Of(Spot { offset: word.offset + from, ..*word }, end - from);
            self.accesses(ThreadId::new(cta, thread), written, true, false);
            self.blocks[usize::from(spot.cta)].locked.insert(word.offset);
            let location = Location::Shared { rank: Some(spot.cta), offset: word.offset };
            let access = Access { location, width: 8, count: 1, order: Order::cta(Semantics::Relaxed) };
            let (atom, meaning, operands) = (Atom::Insert, Meaning::Unsigned, [mask, value]);
            let asks = Asked::AtomLoad { access, atom, meaning, operands };
            self.ask(cta, thread, *word, asks, Request::new(Op::Load, 0));
            asked += 1;
        }
        Performed::Wait(State::Answers(asked))
    }

    /// `tensormap.cp_fenceproxy`: tried again until all words have come.
    fn publish(
        &mut self,
        cta: usize,
        thread: usize,
        (to, from): (u64, Location),
        memory: &mut GlobalMemory,
    ) -> Performed {
        let Some(_) = self.granted(cta, thread, memory.read(to, MAP_BYTES)) else { return Performed::Later };
        let Some(spot) = self.spot(cta, thread, from, MAP_BYTES as u32) else { return Performed::Later };
        if !spot.offset.is_multiple_of(MAP_BYTES as u32) || !to.is_multiple_of(MAP_BYTES as u64) {
            let what = format!("tensormap.cp_fenceproxy: {to:#x} or {} is no multiple of 128", shown(from));
            self.refuse(cta, thread, what);
            return Performed::Later;
        }
        let runner = &mut self.blocks[cta].runners[thread];
        let carried = usize::from(runner.carried);
        if carried == 0 && !runner.is_settled() {
            return Performed::Later;
        }
        if carried == WORDS {
            if !runner.is_settled() {
                return Performed::Later;
            }
            runner.carried = 0;
            let bytes: Vec<u8> = runner.carriage.iter().flat_map(|word| word.to_le_bytes()).collect();
            memory.wrote(to, bytes.len(), self.writer(cta, thread));
            if let Ok(true) = memory.write(to, &bytes) {
                self.progress();
            }
            self.publishes_map(ThreadId::new(cta, thread), spot, to, MAP_BYTES as u32);
            return Performed::NOTHING;
        }
        if runner.free_number().is_some() {
            runner.carried += 1;
            let word = Spot { offset: spot.offset + 8 * carried as u32, ..spot };
            self.ask(cta, thread, word, Asked::Carry { word: carried as u8 }, Request::new(Op::Load, 0));
        }
        Performed::Later
    }

    /// Drives the wires of the tensor engine.
    pub(super) fn drive_tensors(&mut self, cta: usize) {
        if self.parameters.tensors == 0 {
            return;
        }
        let (cluster, block) = (&mut self.cluster, &self.blocks[cta]);
        cluster.tiles[cta].tensor.valid.next = !block.tensors.is_empty();
        if let Some(&TensorOffer { act, map, at, shared, barrier, ctas, action, place, .. }) = block.tensors.front() {
            let thread = place as u16; // groups are kept by place
            TensorRequest { act, map, at, shared, barrier, ctas, action, thread }.drive(cluster, cta);
        }
    }

    /// What the tensor engine's wires say.
    pub(super) fn watch_tensors(&mut self, cta: usize, memory: &GlobalMemory) {
        if self.parameters.tensors == 0 {
            return;
        }
        // rows of a store that lie outside the tensor go by in silence
        if self.cluster.cta[cta].tensor.iter().any(|engine| engine.rows.take.val()) {
            self.progress();
        }
        if self.cluster.tiles[cta].tensor_end.valid.val()
            && let Some(offer) = self.blocks[cta].judging.pop_front()
        {
            self.progress();
            let verdict = Verdict::from_code(self.cluster.tiles[cta].tensor_end.verdict.val().raw());
            if verdict != Some(Verdict::Ok) {
                self.judged(cta, &offer, verdict, memory);
            }
        }
        if self.cluster.tiles[cta].tensor.valid.val() && self.cluster.tiles[cta].tensor.ready.val() {
            let offer = self.blocks[cta].tensors.pop_front().expect("it is valid");
            self.blocks[cta].judging.push_back(offer);
            self.resume(cta, usize::from(offer.thread), &[]);
            self.progress();
        }
    }

    /// The hardware has refused an instruction.
    fn judged(&mut self, cta: usize, offer: &TensorOffer, verdict: Option<Verdict>, memory: &GlobalMemory) {
        let meaning = verdict.map_or("it means nothing", Verdict::meaning);
        // what exactly a map does not keep, if it is the map
        let which = match map_at(memory, offer.map) {
            Ok(Err(bad)) => format!(" ({bad})"),
            _ => String::new(),
        };
        let name = match (offer.act, offer.action) {
            (Act::PrefetchBox, _) => "cp.async.bulk.prefetch.tensor",
            (Act::Store, 1..) => "cp.reduce.async.bulk.tensor",
            _ => "cp.async.bulk.tensor",
        };
        let what = format!("{name} is refused: {meaning}{which}");
        let thread = ThreadId::new(cta, usize::from(offer.thread));
        self.fault(Fault { what, pc: offer.pc, thread, status: None, spot: None, bug: None, beside: None });
    }
}
