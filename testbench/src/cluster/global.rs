//! Global memory, with latency and bursts that overtake each other; tensor maps are in it, too.

use crate::tensor::address::swizzled;
use crate::tensor::copy::{Memories, Place};
use crate::tensor::element::Element;
use crate::tensor::map::{Shape, TensorMap, WORDS};
use crate::tensor::reduce::Operation;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::sync::OnceLock;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::copies::reduction::{Action, Element as Type, Reduction};
use txbar_rtl::word::address::BEAT_WORDS;

/// Where the tensor maps are, 128 bytes each; behind the last one they begin again.
pub const MAPS: u64 = 1 << 40;

/// The tensor maps: one of each kind that the hardware treats in another way. Their boxes take 64 to 768 bytes of shared memory.
pub fn maps() -> &'static [TensorMap] {
    static MAPS: OnceLock<Vec<TensorMap>> = OnceLock::new();
    MAPS.get_or_init(|| {
        let map = |element, sizes: &[u64], strides: &[u64], box_sizes: &[u32], swizzle, fill| TensorMap {
            element,
            address: 0x12_3440,
            sizes: sizes.to_vec(),
            strides: strides.to_vec(),
            shape: Shape::Tile { box_sizes: box_sizes.to_vec() },
            element_strides: vec![1; sizes.len()],
            interleave: 0,
            swizzle,
            fill,
            promotion: 0,
        };
        let skips = |element_strides: &[u32], interleave, map| TensorMap {
            element_strides: element_strides.to_vec(),
            interleave,
            ..map
        };
        vec![
            map(Element::F16, &[24, 10], &[64], &[16, 4], 1, 0),
            map(Element::U8, &[100], &[], &[64], 0, 0),
            map(Element::F32, &[13, 9], &[64], &[16, 3], 2, 1),
            skips(&[1, 2, 1], 0, map(Element::Bf16, &[40, 6, 5], &[96, 640], &[8, 4, 3], 0, 0)),
            map(Element::Tf32Ftz, &[50, 8], &[208], &[32, 2], 3, 0),
            map(Element::U64, &[3, 4, 3, 2], &[32, 128, 512], &[2, 2, 2, 2], 0, 0),
            skips(&[2, 1, 1], 1, map(Element::F16, &[6, 3, 4], &[128, 512], &[8, 1, 2], 1, 1)),
            map(Element::F64, &[3, 3, 3, 3, 3], &[32, 96, 288, 864], &[2, 1, 2, 1, 3], 3, 1),
        ]
    })
}

/// The words of the map with this number. There is one more, which is none.
fn map_words(number: usize) -> &'static [u64; WORDS] {
    static ALL: OnceLock<Vec<[u64; WORDS]>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let sound = maps().iter().map(|map| map.encode().unwrap_or([0; WORDS]));
        sound.chain([[u64::MAX; WORDS]]).collect()
    });
    &all[number % all.len()]
}

/// What global memory holds at an address that is a multiple of 8: everywhere something else, so that data from the wrong
/// place is seen.
pub fn word(address: u64) -> u64 {
    if let Some(offset) = address.checked_sub(MAPS) {
        return map_words(offset as usize / (8 * WORDS))[offset as usize / 8 % WORDS];
    }
    let mixed = (address / 8 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

/// What a box of a tensor leaves in shared memory from `shared` on: the bytes that are written; and how many are completed.
pub fn box_of(map: usize, at: &[i32; 5], shared: u32) -> (Vec<Option<u8>>, u64) {
    const ORIGIN: u64 = 0x12_0000;
    const BYTES: u64 = 1 << 16;
    static TENSORS: OnceLock<Vec<u8>> = OnceLock::new();
    let tensors =
        TENSORS.get_or_init(|| (0..BYTES / 8).flat_map(|index| word(ORIGIN + 8 * index).to_le_bytes()).collect());
    let map = &maps()[map];
    // a swizzle looks at the address: it is the same modulo 1,024
    let begin = u64::from(shared) % 1024;
    let mut counted = 0;
    let images = [0, 0xff].map(|before| {
        let (mut memory, mut global) = (vec![before; begin as usize + 1024], tensors.clone());
        let mut memories = Memories { shared: &mut memory, global: &mut global, origin: ORIGIN };
        let place = Place { at: &at[..map.rank()], offsets: &[], shared: begin };
        counted = map.load(place, &mut memories).unwrap_or(0);
        memory.split_off(begin as usize)
    });
    let [zeros, ones] = images;
    (zeros.into_iter().zip(ones).map(|(byte, other)| (byte == other).then_some(byte)).collect(), counted)
}

/// Pieces of 16 bytes that a store of a box writes: where each is in shared memory, and where it goes.
pub fn pieces_of(map: usize, at: &[i32; 5], shared: u32) -> Vec<(u64, u64)> {
    let map = &maps()[map];
    let pieces = map.pieces(&at[..map.rank()], &[]).into_iter();
    pieces.map(|(from, to)| (swizzled(u64::from(shared) + from, map.swizzle), to)).collect()
}

/// The code of what a tensor reduction does with the elements of a map; 0 stores.
pub fn reduction_of(map: usize, operation: Option<Operation>) -> u8 {
    let Some(operation) = operation else { return 0 };
    let element = maps()[map].element;
    let bits = matches!(operation, Operation::And | Operation::Or | Operation::Xor);
    let (action, element) = match element {
        Element::F32Ftz | Element::Tf32Ftz if operation == Operation::Add => (Action::AddFtz, Type::F32),
        Element::F32Ftz | Element::Tf32Ftz | Element::Tf32 => (Action::Add, Type::F32),
        Element::S32 if bits => (Action::named(operation.name()).unwrap_or(Action::Add), Type::U32),
        element => {
            let named = (Action::named(operation.name()), Type::named(element.name()));
            (named.0.unwrap_or(Action::Add), named.1.unwrap_or(Type::U32))
        }
    };
    Reduction { action, element }.code()
}

/// A beat that global memory shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Number of its burst.
    pub id: u64,
    /// Four words.
    pub data: [u64; 4],
}

/// A burst under way.
#[derive(Clone, Copy, Debug)]
struct Burst {
    id: u64,
    address: u64,
    beats: u64,
    narrow: bool,
    /// The first cycle in which it may be shown.
    due: u64,
}

/// A beat that is to be written to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Number of its burst.
    pub id: u64,
    /// Last beat of the burst.
    pub last: bool,
    /// Address of its 32 bytes.
    pub address: u64,
    /// Byte enables.
    pub strobe: u32,
    /// What is done with them: code of the reduction.
    pub reduction: u8,
    /// Words.
    pub data: [u64; BEAT_WORDS],
}

impl Write {
    /// What a CTA's wires show, if it is accepted in this cycle.
    pub fn accepted(cluster: &Cluster, cta: usize) -> Option<Self> {
        (cluster.mem_wr[cta].valid.val() && cluster.mem_wr[cta].ready.val()).then(|| Self {
            id: cluster.mem_wr[cta].id.val().raw(),
            last: cluster.mem_wr[cta].last.val(),
            address: cluster.mem_wr[cta].address.val().raw(),
            strobe: cluster.mem_wr[cta].strobe.val().raw() as u32,
            reduction: cluster.mem_wr[cta].reduction.val().raw() as u8,
            data: std::array::from_fn(|word| cluster.mem_wr[cta].data[word].val().raw()),
        })
    }
}

/// Bursts that are to be written to global memory: they are when they are answered, in any order.
#[derive(Clone, Debug)]
pub struct Writes {
    open: Vec<Write>,
    bursts: Vec<(u64, Vec<Write>)>,
    latency: std::ops::RangeInclusive<u64>,
    rng: Xoshiro256PlusPlus,
}

impl Writes {
    /// A beat is accepted.
    pub fn accept(&mut self, cycle: u64, write: Write) {
        self.open.push(write);
        if write.last {
            let due = cycle + self.rng.random_range(self.latency.clone());
            self.bursts.push((due, std::mem::take(&mut self.open)));
        }
    }

    /// The beats of a burst that is answered in this cycle.
    pub fn answered(&mut self, cycle: u64) -> Option<Vec<Write>> {
        let due: Vec<usize> = (0..self.bursts.len()).filter(|&place| self.bursts[place].0 <= cycle).collect();
        let place = *due.choose(&mut self.rng)?;
        Some(self.bursts.swap_remove(place).1)
    }
}

/// One CTA's port to global memory: the bursts under way.
#[derive(Clone, Debug)]
pub struct Bursts {
    bursts: Vec<Burst>,
    shown: Option<Beat>,
    latency: std::ops::RangeInclusive<u64>,
    /// Bursts come one after the other, as they were asked for.
    in_order: bool,
    rng: Xoshiro256PlusPlus,
}

impl Bursts {
    /// A port whose bursts take this many cycles, each another number of them.
    pub fn new(seed: u64, latency: std::ops::RangeInclusive<u64>) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self { bursts: Vec::new(), shown: None, latency, in_order: false, rng }
    }

    /// The same; with `in_order` its bursts come one after the other, as they were asked for, else mixed.
    pub fn ordered(self, in_order: bool) -> Self {
        Self { in_order, ..self }
    }

    /// The other direction, with the same latency.
    pub fn writes(&self) -> Writes {
        let rng = Xoshiro256PlusPlus::seed_from_u64(self.rng.clone().random());
        Writes { open: Vec::new(), bursts: Vec::new(), latency: self.latency.clone(), rng }
    }

    /// A burst is asked for.
    pub fn ask(&mut self, cycle: u64, id: u64, address: u64, beats: u64, narrow: bool) {
        let due = cycle + self.rng.random_range(self.latency.clone());
        self.bursts.push(Burst { id, address, beats, narrow, due });
    }

    /// The beat that is shown in a cycle, from a memory that holds `word` at multiples of 8. It stays until it is taken.
    pub fn show(&mut self, cycle: u64, word: impl Fn(u64) -> u64) -> Option<Beat> {
        if self.shown.is_none() {
            let due: Vec<usize> = (0..self.bursts.len()).filter(|&place| self.bursts[place].due <= cycle).collect();
            let place = match self.in_order {
                true => *due.first().filter(|place| **place == 0)?,
                false => *due.choose(&mut self.rng)?,
            };
            let burst = &mut self.bursts[place];
            let block = burst.address & !31;
            // lanes that a narrow beat does not use carry nonsense
            let lane = |lane: u64| {
                let used = !burst.narrow || lane / 2 == burst.address / 16 % 2;
                if used { word(block + lane * 8) } else { 0xdead_dead_dead_dead }
            };
            self.shown = Some(Beat { id: burst.id, data: [lane(0), lane(1), lane(2), lane(3)] });
            burst.address = if burst.narrow { (burst.address & !15) + 16 } else { block + 32 };
            burst.beats -= 1;
            if burst.beats == 0 {
                match self.in_order {
                    true => self.bursts.remove(place),
                    false => self.bursts.swap_remove(place),
                };
            }
        }
        self.shown
    }

    /// The beat that is shown is taken.
    pub fn take(&mut self) {
        self.shown = None;
    }
}
