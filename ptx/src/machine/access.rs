//! Loads, stores and atomic operations of threads.
//!
//! Global memory is read and written at once. Shared memory is the hardware's: a load asks for its words and waits, a store
//! sends its words and goes on. An atomic operation is a load and a store; meanwhile nobody else stores to the word. What of
//! loads and stores is a warp's does not come here but to `reach`.

use super::*;
use crate::address::Location;
use crate::effect::{Access, Atom, Meaning, Values};
use crate::machine::races::Bytes;
use txbar_rtl::op::Op;
use txbar_testbench::request::Request;

/// What makes a NaN of f64 a quiet one. The others of its bits stay; NaNs of f32 are all the same.
const QUIET_NAN: u64 = 1 << 51;

/// The value that an atomic operation leaves in memory.
pub(super) fn atomic(atom: Atom, meaning: Meaning, width: u8, old: u64, [b, c]: [u64; 2]) -> u64 {
    let mask = u64::MAX >> (64 - 8 * u32::from(width));
    let signed = |value: u64| (value << (64 - 8 * u32::from(width))) as i64 >> (64 - 8 * u32::from(width));
    let new = match (atom, meaning) {
        (Atom::And, _) => old & b,
        (Atom::Or, _) => old | b,
        (Atom::Xor, _) => old ^ b,
        (Atom::Exch, _) => b,
        (Atom::Cas, _) if old == b & mask => c,
        (Atom::Cas, _) => old,
        (Atom::Add, Meaning::Float) if width == 4 => match f32::from_bits(old as u32) + f32::from_bits(b as u32) {
            sum if sum.is_nan() => 0x7fff_ffff,
            sum => u64::from(sum.to_bits()),
        },
        (Atom::Add, Meaning::Float) => {
            let [x, y] = [old, b].map(f64::from_bits);
            match x + y {
                _ if x.is_nan() => old | QUIET_NAN,
                _ if y.is_nan() => b | QUIET_NAN,
                sum if sum.is_nan() => 1 << 63 | 0x7ff << 52 | QUIET_NAN,
                sum => sum.to_bits(),
            }
        }
        (Atom::Add, _) => old.wrapping_add(b),
        (Atom::Inc, _) if old >= b & mask => 0,
        (Atom::Inc, _) => old + 1,
        (Atom::Dec, _) if old == 0 || old > b & mask => b,
        (Atom::Dec, _) => old - 1,
        (Atom::Min, Meaning::Signed) if signed(b) < signed(old) => b,
        (Atom::Max, Meaning::Signed) if signed(b) > signed(old) => b,
        (Atom::Min, Meaning::Unsigned) if b & mask < old => b,
        (Atom::Max, Meaning::Unsigned) if b & mask > old => b,
        (Atom::Min | Atom::Max, _) => old,
        (Atom::Insert, _) => old & !b | c & b,
    };
    new & mask
}

/// The sum that an addition of f32 leaves in global memory: unlike one in shared memory it takes subnormal numbers for
/// zero (PTX ISA 9.7.13.7, and recorded from an H200).
fn flushing_add(old: u64, b: u64) -> u64 {
    let flush = |bits: u64| if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
    flush(atomic(Atom::Add, Meaning::Float, 4, flush(old), [flush(b & 0xffff_ffff), 0]))
}

/// The value that an atomic operation leaves in global memory.
pub(super) fn atomic_in_global(atom: Atom, meaning: Meaning, width: u8, old: u64, operands: [u64; 2]) -> u64 {
    match (meaning, width) {
        (Meaning::Float, 4) => flushing_add(old, operands[0]),
        // a NaN of f64 stays as it is, while shared memory makes it quiet (recorded from an H200)
        (Meaning::Float, 8) if f64::from_bits(old).is_nan() => old,
        (Meaning::Float, 8) if f64::from_bits(operands[0]).is_nan() => operands[0],
        _ => atomic(atom, meaning, width, old, operands),
    }
}

impl Machine<'_> {
    /// Which word of which CTA is meant; a fault if there is none.
    pub(super) fn spot(&mut self, cta: usize, thread: usize, location: Location, bytes: u32) -> Option<Spot> {
        let (rank, offset) = match location {
            Location::Shared { rank, offset } => (rank.map_or(cta, usize::from), offset),
            other => {
                self.refuse(cta, thread, format!("{} is not in shared memory", shown(other)));
                return None;
            }
        };
        if rank >= self.blocks.len() {
            let what = format!("there is no CTA {rank}: the cluster has {}", self.blocks.len());
            self.refuse(cta, thread, what);
            return None;
        }
        if u64::from(offset) + u64::from(bytes) > u64::from(self.shared_bytes) {
            let what = format!(
                "{bytes} bytes at {offset:#x} are outside of shared memory: the CTA has {} bytes{}",
                self.shared_bytes,
                self.program.beside_shared(offset),
            );
            self.refuse_as(cta, thread, what, Some(Status::OutOfRange));
            return None;
        }
        Some(Spot { cta: rank as u8, offset })
    }

    fn aligned(&mut self, cta: usize, thread: usize, access: &Access) -> bool {
        let bytes = u64::from(access.width) * u64::from(access.count);
        let address = match access.location {
            Location::Shared { offset, .. } => u64::from(offset),
            Location::Global(address) | Location::Nowhere(address) => address,
            Location::Local(address) => u64::from(address),
        };
        if address % bytes != 0 {
            let what = format!("{} is not a multiple of the {bytes} bytes accessed", shown(access.location));
            self.refuse(cta, thread, what);
        }
        address % bytes == 0
    }

    pub(super) fn load(&mut self, cta: usize, thread: usize, access: Access, memory: &mut GlobalMemory) -> Performed {
        let runner = &self.blocks[cta].runners[thread];
        if !runner.is_settled() && (access.order.semantics.acquires() || runner.free_number().is_none()) {
            return Performed::Later;
        }
        if !self.aligned(cta, thread, &access) {
            return Performed::Later;
        }
        let (width, count) = (u32::from(access.width), u32::from(access.count));
        if let Location::Global(address) = access.location {
            let mut values = [0; 8];
            for (number, value) in values.iter_mut().enumerate().take(count as usize) {
                let loaded = memory.value(address + number as u64 * u64::from(width), width as usize);
                let Some(loaded) = self.granted(cta, thread, loaded) else { return Performed::Later };
                *value = loaded;
            }
            let (id, bytes) = (ThreadId::new(cta, thread), Bytes::At(address, width * count));
            self.accesses(id, bytes, false, false);
            self.has_seen(id, self.blocks[cta].runners[thread].lane.pc, bytes);
            return Performed::Results(values, count as usize);
        }
        let Some(spot) = self.spot(cta, thread, access.location, width * count) else { return Performed::Later };
        let words = (width * count).div_ceil(8);
        let runner = &self.blocks[cta].runners[thread];
        if runner.free_numbers() < words as usize || self.is_asking(cta, thread, spot, words) {
            return Performed::Later;
        }
        self.accesses(ThreadId::new(cta, thread), Bytes::Of(spot, width * count), false, false);
        for word in 0..words {
            let at = Spot { offset: (spot.offset & !7) + 8 * word, ..spot };
            let asked = Asked::Load { word: word as u8, access };
            self.ask(cta, thread, at, asked, Request::new(Op::Load, 0).ordered(access.order));
        }
        Performed::Wait(State::Answers(words as u8))
    }

    pub(super) fn store(
        &mut self,
        cta: usize,
        thread: usize,
        access: Access,
        values: Values,
        memory: &mut GlobalMemory,
    ) -> Performed {
        if !self.aligned(cta, thread, &access) {
            return Performed::Later;
        }
        let (width, count) = (usize::from(access.width), usize::from(access.count));
        let mut bytes = [0u8; 64];
        for (place, value) in bytes.chunks_exact_mut(width).zip(values).take(count) {
            place.copy_from_slice(&value.to_le_bytes()[..width]);
        }
        let bytes = &bytes[..width * count];
        let runner = &self.blocks[cta].runners[thread];
        let releases = access.order.semantics.releases();
        if let Location::Global(address) = access.location {
            if releases && !runner.is_settled() {
                return Performed::Later;
            }
            let written = memory.write(address, bytes);
            let Some(changed) = self.granted(cta, thread, written) else { return Performed::Later };
            memory.wrote(address, bytes.len(), self.writer(cta, thread));
            if changed {
                self.progress();
            }
            self.accesses(ThreadId::new(cta, thread), Bytes::At(address, bytes.len() as u32), true, false);
            return Performed::NOTHING;
        }
        let Some(spot) = self.spot(cta, thread, access.location, bytes.len() as u32) else { return Performed::Later };
        let words = bytes.len().div_ceil(8);
        let runner = &self.blocks[cta].runners[thread];
        let released = releases && runner.pending.iter().flatten().any(Pending::is_of_a_warp);
        if runner.free_numbers() < words || released || self.is_asking(cta, thread, spot, words as u32) {
            return Performed::Later;
        }
        // not between the two halves of an atomic operation
        let locked = &self.blocks[usize::from(spot.cta)].locked;
        if !locked.is_empty() && (0..words as u32).any(|word| locked.contains(&((spot.offset & !7) + 8 * word))) {
            return Performed::Later;
        }
        self.accesses(ThreadId::new(cta, thread), Bytes::Of(spot, bytes.len() as u32), true, false);
        for (word, chunk) in bytes.chunks(8).enumerate() {
            let shift = if words == 1 { spot.offset as usize % 8 } else { 0 };
            let mut data = [0; 8];
            data[shift..shift + chunk.len()].copy_from_slice(chunk);
            let strobe = (((1u16 << chunk.len()) - 1) << shift) as u8;
            let at = Spot { offset: (spot.offset & !7) + 8 * word as u32, ..spot };
            let request = Request { strobe, ..Request::new(Op::Store, 0) };
            let request = request.with(u64::from_le_bytes(data)).ordered(access.order);
            let changes = self.changes(Spot { offset: at.offset + shift as u32, ..at }, chunk);
            self.ask(cta, thread, at, Asked::Store { changes }, request);
        }
        self.wrote(cta, thread, spot, bytes.len() as u32);
        Performed::NOTHING
    }

    pub(super) fn atom(
        &mut self,
        cta: usize,
        thread: usize,
        access: Access,
        (atom, meaning): (Atom, Meaning),
        operands: [u64; 2],
        memory: &mut GlobalMemory,
    ) -> Performed {
        let runner = &self.blocks[cta].runners[thread];
        if !runner.is_settled() {
            return Performed::Later;
        }
        if !self.aligned(cta, thread, &access) {
            return Performed::Later;
        }
        let width = usize::from(access.width);
        if let Location::Global(address) = access.location {
            let old = memory.value(address, width);
            let Some(old) = self.granted(cta, thread, old) else { return Performed::Later };
            let new = atomic_in_global(atom, meaning, access.width, old, operands);
            if let Ok(true) = memory.write(address, &new.to_le_bytes()[..width]) {
                memory.wrote(address, width, self.writer(cta, thread));
                self.progress();
            }
            let (id, bytes) = (ThreadId::new(cta, thread), Bytes::At(address, width as u32));
            self.has_seen(id, self.blocks[cta].runners[thread].lane.pc, bytes);
            self.accesses(id, bytes, true, true);
            return Performed::one(old);
        }
        let Some(spot) = self.spot(cta, thread, access.location, u32::from(access.width)) else {
            return Performed::Later;
        };
        let at = Spot { offset: spot.offset & !7, ..spot };
        let there = &mut self.blocks[usize::from(at.cta)];
        if there.storing.contains_key(&at.offset) || !there.locked.insert(at.offset) {
            return Performed::Later;
        }
        self.accesses(ThreadId::new(cta, thread), Bytes::Of(spot, u32::from(access.width)), true, true);
        let asked = Asked::AtomLoad { access, atom, meaning, operands };
        self.ask(cta, thread, at, asked, Request::new(Op::Load, 0));
        Performed::Wait(State::Answers(1))
    }
}
