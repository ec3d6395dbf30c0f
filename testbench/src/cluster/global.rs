//! Global memory, with latency and bursts that overtake each other.

use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;

/// What global memory holds at an address that is a multiple of 8: everywhere something else, so that data from the wrong
/// place is seen.
pub fn word(address: u64) -> u64 {
    let mixed = (address / 8 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

/// A beat that global memory shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Number of its burst.
    pub id: u64,
    /// Its four words.
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

/// One CTA's port to global memory: the bursts under way.
#[derive(Clone, Debug)]
pub struct Bursts {
    bursts: Vec<Burst>,
    shown: Option<Beat>,
    latency: std::ops::RangeInclusive<u64>,
    rng: Xoshiro256PlusPlus,
}

impl Bursts {
    /// A port whose bursts take so many cycles, each another number of them.
    pub fn new(seed: u64, latency: std::ops::RangeInclusive<u64>) -> Self {
        Self { bursts: Vec::new(), shown: None, latency, rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
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
            let place = *due.choose(&mut self.rng)?;
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
                self.bursts.swap_remove(place);
            }
        }
        self.shown
    }

    /// The beat that is shown is taken.
    pub fn take(&mut self) {
        self.shown = None;
    }
}
