//! Loads and stores of a warp: the reference model, byte by byte, and random ones.
//!
//! **The rules.** A lane loads or stores 4, 8 or 16 bytes at a multiple of that. Lanes that store the same byte: the highest wins (PTX
//! leaves open which). A lane whose address is wrong is refused alone, and the others are served.

use super::LANES;
use crate::case::written::{self, is_false};
use crate::model::Memory;
use crate::request::Request;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;
use txbar_rtl::warp::access::Size;

/// Operands of an active lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    /// Byte address.
    #[serde(with = "written::hex")]
    pub address: u32,
    /// What it stores; nobody looks at it if it loads.
    #[serde(with = "written::hex")]
    pub data: u128,
}

/// A load or store of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// The access stores.
    pub stores: bool,
    /// What each lane takes, in bytes; nothing for a size that has no meaning.
    #[serde(with = "written::size", rename = "bytes")]
    pub size: Option<Size>,
    /// By a warp of another CTA, which is refused.
    #[serde(default, skip_serializing_if = "is_false")]
    pub elsewhere: bool,
    /// Its lanes, at most [`LANES`]; nothing for one that is not active.
    pub lanes: Vec<Option<Reach>>,
}

/// The code of a size that has no meaning.
const NO_SIZE: u8 = 3;

impl Access {
    /// Loads this many bytes each at these addresses, by the lanes from 0 on.
    pub fn load(size: Size, addresses: impl IntoIterator<Item = u32>) -> Self {
        let lanes = addresses.into_iter().map(|address| Some(Reach { address, data: 0 })).collect();
        Self { stores: false, size: Some(size), elsewhere: false, lanes }
    }

    /// Stores this many bytes each, by the lanes from 0 on.
    pub fn store(size: Size, lanes: impl IntoIterator<Item = (u32, u128)>) -> Self {
        let lanes = lanes.into_iter().map(|(address, data)| Some(Reach { address, data })).collect();
        Self { stores: true, size: Some(size), elsewhere: false, lanes }
    }

    /// The opcode on the wires.
    pub fn op(&self) -> Op {
        if self.stores { Op::Store } else { Op::Load }
    }

    /// The size on the wires.
    pub fn size_code(&self) -> u8 {
        self.size.map_or(NO_SIZE, Size::code)
    }

    /// The lanes that are active, a bit each.
    pub fn mask(&self) -> u32 {
        (0..self.lanes.len()).filter(|lane| self.lanes[*lane].is_some()).map(|lane| 1 << lane).sum()
    }

    /// How it ends for a lane, in a memory of this many words.
    fn status(&self, address: u32, words: usize) -> Status {
        let Some(size) = self.size else { return Status::IllegalOperation };
        if self.elsewhere {
            Status::RemoteUnsupported
        } else if !address.is_multiple_of(size.bytes()) {
            Status::Misaligned
        } else if u64::from(address) + u64::from(size.bytes()) > words as u64 * 8 {
            Status::OutOfRange
        } else {
            Status::Ok
        }
    }

    /// Does what some of its lanes ask for, the lowest first: how it ends for each, and what it has loaded.
    pub fn execute(&self, lanes: impl IntoIterator<Item = usize>, memory: &mut Memory) -> Vec<(Status, u128)> {
        let mut told = Vec::new();
        for lane in lanes {
            let Reach { address, data } = self.lanes[lane].expect("it is active");
            let status = self.status(address, memory.len());
            let mut loaded = 0;
            if status == Status::Ok {
                for byte in 0..self.size.map_or(0, Size::bytes) {
                    let (word, place) = ((address + byte) / 8, (address + byte) % 8);
                    if self.stores {
                        let value = (data >> (8 * byte)) as u8;
                        let store = Request::new(Op::Store, word * 8).with(u64::from(value) << (8 * place));
                        memory.serve(&Request { strobe: 1 << place, ..store });
                    } else {
                        loaded |= u128::from(memory.word(word as usize) >> (8 * place) as u64 & 0xff) << (8 * byte);
                    }
                }
            }
            told.push((status, loaded));
        }
        told
    }

    /// Steps that hardware with this many banks needs at least: a bank serves one row in each; and one for each reason to refuse lanes.
    pub fn steps(&self, banks: u32, words: usize) -> usize {
        let mut rows = vec![Vec::new(); banks as usize];
        let mut refusals = Vec::new();
        for Reach { address, .. } in self.lanes.iter().flatten() {
            match self.status(*address, words) {
                Status::Ok => {
                    for word in address / 8..(address + self.size.map_or(0, Size::bytes)).div_ceil(8) {
                        let (bank, row) = ((word % banks) as usize, word / banks);
                        if !rows[bank].contains(&row) {
                            rows[bank].push(row);
                        }
                    }
                }
                refusal if refusals.contains(&refusal) => {}
                refusal => refusals.push(refusal),
            }
        }
        rows.iter().map(Vec::len).max().unwrap_or(0) + refusals.len()
    }
}

/// Words that barriers are in, from address 0 on, in random traffic.
pub(super) const BARRIERS: u32 = 5;
/// Words that random traffic uses.
const REGION: u32 = 48;
/// A barrier with nothing strange about it: four pending.
pub(super) const PLAIN: u64 = 0x7fff_e000_001f_fff8;

/// A load or store of a warp with this many lanes. What is stored over barriers leaves others there, more or less.
pub fn random(lanes: usize, random: &mut Xoshiro256PlusPlus) -> Access {
    assert!(lanes <= LANES);
    let size = *Size::ALL.choose(random).expect("there are some");
    let bytes = size.bytes();
    let stores = random.random_bool(0.4);
    // barriers alone, data alone, or both
    let [first, last] = match random.random_range(0..8) {
        0 => [0, BARRIERS],
        1 => [0, REGION],
        _ => [BARRIERS + 1, REGION],
    };
    let (base, span) = (first * 8, ((last - first) * 8) / bytes);
    let stride = [0, 1, 1, 2, 8, 16][random.random_range(0..6)];
    let (start, scattered) = (random.random_range(0..span), random.random_bool(0.4));
    let (active, strays) = (random.random_range(1..=4), random.random_ratio(1, 8));
    let one = |lane: usize, random: &mut Xoshiro256PlusPlus| {
        let number = if scattered { random.random_range(0..span) } else { (start + lane as u32 * stride) % span };
        let mut address = base.next_multiple_of(bytes) + number * bytes;
        if strays && random.random_ratio(1, 4) {
            address = match random.random_range(0..3) {
                0 => address ^ 1 << random.random_range(0..4),
                1 => address | 1 << random.random_range(9..32),
                _ => random.random(),
            };
        }
        let word = |place: u32, random: &mut Xoshiro256PlusPlus| {
            if place / 8 < BARRIERS { PLAIN >> (place % 8 * 8) } else { random.random() }
        };
        let data = u128::from(word(address, random)) | u128::from(word(address.wrapping_add(8), random)) << 64;
        Reach { address, data }
    };
    let mut chosen: Vec<_> = (0..lanes).map(|lane| random.random_ratio(active, 4).then(|| one(lane, random))).collect();
    if chosen.iter().all(Option::is_none) {
        let lane = random.random_range(0..lanes);
        chosen[lane] = Some(one(lane, random));
    }
    let size = (!random.random_ratio(1, 100)).then_some(size);
    Access { stores, size, elsewhere: random.random_ratio(1, 60), lanes: chosen }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_lanes_are_merged_and_the_highest_lane_wins() {
        let mut memory = Memory::new(8);
        let store = Access::store(Size::Four, [(8, 0x11), (12, 0x22), (8, 0x33), (13, 0x44), (64, 0x55)]);
        let told: Vec<Status> = store.execute(0..5, &mut memory).into_iter().map(|told| told.0).collect();
        assert_eq!(told, [Status::Ok, Status::Ok, Status::Ok, Status::Misaligned, Status::OutOfRange]);
        assert_eq!((memory.word(1), memory.word(2)), (0x22_0000_0033, 0));
        let load = Access::load(Size::Sixteen, [0, 16]);
        assert_eq!(load.execute(0..2, &mut memory), [(Status::Ok, 0x22_0000_0033 << 64), (Status::Ok, 0)]);
    }

    #[test]
    fn steps_are_the_rows_of_the_busiest_bank() {
        let consecutive = |size: Size| Access::load(size, (0..32).map(|lane| lane * size.bytes()));
        assert_eq!(Size::ALL.map(|size| consecutive(size).steps(8, 512)), [2, 4, 8]);
        assert_eq!(Access::load(Size::Four, [40; 32]).steps(8, 512), 1);
        assert_eq!(Access::load(Size::Eight, (0..32).map(|lane| lane * 64)).steps(8, 512), 32);
        assert_eq!(Access::load(Size::Eight, [1, 2, 4096, 8]).steps(8, 512), 3);
    }
}
