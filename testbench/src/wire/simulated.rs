//! A bridge, simulated cycle by cycle, with bits on its line; and a line that may lose and damage them.

use super::Line;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::collections::VecDeque;
use std::io;
use txbar_rtl::board::bridge_top::BridgeTop;
use txbar_rtl::board::parameters::BoardParameters;

/// Bits of a byte on the line, with start and stop.
const LINE_BITS: u32 = 10;

/// Cycles of the reset with which a simulated board begins.
pub const RESET_CYCLES: u64 = 3;

/// What happens to bytes on the line.
#[derive(Clone, Debug)]
pub struct Noise {
    /// One byte in this many loses, gains or turns over a bit, start and stop bits included.
    pub flipped: u32,
    /// One byte in this many is lost.
    pub lost: u32,
    /// Chooses them.
    pub random: Xoshiro256PlusPlus,
}

impl Noise {
    /// Noise of this kind.
    pub fn new(flipped: u32, lost: u32, seed: u64) -> Self {
        Self { flipped, lost, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// The levels of a byte, the first in the lowest bit; nothing if it is lost.
    fn spoil(&mut self, levels: u32) -> Option<u32> {
        if self.random.random_range(0..self.lost) == 0 {
            return None;
        }
        let hit = self.random.random_range(0..self.flipped) == 0;
        Some(if hit { levels ^ 1 << self.random.random_range(0..LINE_BITS) } else { levels })
    }
}

/// A simulated board with the bridge on it.
pub struct SimulatedBoard {
    top: BridgeTop,
    bit_cycles: usize,
    noise: Option<Noise>,
    /// Cycles since reset.
    cycles: u64,
    /// Bytes that wait to be sent to it.
    waiting: VecDeque<u8>,
    /// Levels of the byte that is sent, the next in the lowest bit; how many; and cycles that the first has left.
    sending: (u32, u32, usize),
    /// Levels of the byte that is received; how many; and cycles until the next is looked at.
    receiving: (u32, u32, usize),
    /// Bytes that have come from it.
    heard: Vec<u8>,
}

impl SimulatedBoard {
    /// A board that begins with a reset of [`RESET_CYCLES`].
    pub fn new(parameters: &BoardParameters) -> Self {
        Self {
            top: BridgeTop::new(parameters),
            bit_cycles: parameters.bit_cycles,
            noise: None,
            cycles: 0,
            waiting: VecDeque::new(),
            sending: (0, 0, 0),
            receiving: (0, 0, 0),
            heard: Vec::new(),
        }
    }

    /// With noise on the line.
    pub fn noisy(parameters: &BoardParameters, noise: Noise) -> Self {
        Self { noise: Some(noise), ..Self::new(parameters) }
    }

    /// The top, to look into.
    pub fn top(&self) -> &BridgeTop {
        &self.top
    }

    /// Cycles since reset.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Bytes that are to go to it.
    pub fn push(&mut self, bytes: &[u8]) {
        self.waiting.extend(bytes);
    }

    /// Bytes that have come from it.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.heard)
    }

    /// No output until there is input.
    pub fn rests(&self) -> bool {
        self.waiting.is_empty() && self.sending.1 == 0 && self.receiving.1 == 0 && self.top.rests()
    }

    /// The same at a line that lets `look` see the top in every cycle, when it has settled.
    pub fn watched<'a>(self, look: &'a mut dyn FnMut(&BridgeTop)) -> Watched<'a> {
        Watched { board: self, look }
    }

    /// A clock cycle; `look` sees the top when it has settled.
    pub fn cycle(&mut self, look: &mut dyn FnMut(&BridgeTop)) {
        let level = self.level();
        self.top.uart_rx.next = level;
        self.top.settle();
        look(&self.top);
        let line = self.top.uart_tx.val();
        self.listen(line);
        if self.cycles < RESET_CYCLES {
            self.top.clock_in_reset()
        } else {
            self.top.clock()
        }
        self.cycles += 1;
    }

    /// Runs until something comes from the board, or nothing will.
    fn hear(&mut self, into: &mut Vec<u8>, look: &mut dyn FnMut(&BridgeTop)) {
        while self.heard.is_empty() && !self.rests() {
            self.cycle(look);
        }
        into.append(&mut self.heard);
    }

    /// The level of the line to the board.
    fn level(&mut self) -> bool {
        if self.sending.1 == 0
            && self.cycles >= RESET_CYCLES
            && let Some(byte) = self.waiting.pop_front()
        {
            let levels = u32::from(byte) << 1 | 1 << 9;
            let mutated = self.noise.as_mut().map_or(Some(levels), |noise| noise.spoil(levels));
            if let Some(levels) = mutated {
                self.sending = (levels, LINE_BITS, self.bit_cycles);
            }
        }
        let (levels, left, span) = self.sending;
        if left == 0 {
            return true;
        }
        self.sending = if span > 1 { (levels, left, span - 1) } else { (levels >> 1, left - 1, self.bit_cycles) };
        levels & 1 != 0
    }

    /// Looks at the line from the board.
    fn listen(&mut self, line: bool) {
        let (levels, count, span) = self.receiving;
        if count == 0 && span == 0 {
            if !line {
                self.receiving = (0, 1, self.bit_cycles + self.bit_cycles / 2 - 1);
            }
            return;
        }
        if span > 0 {
            self.receiving.2 = span - 1;
            return;
        }
        let levels = levels | u32::from(line) << count;
        if count + 1 < LINE_BITS {
            self.receiving = (levels, count + 1, self.bit_cycles - 1);
            return;
        }
        self.receiving = (0, 0, 0);
        let mutated = self.noise.as_mut().map_or(Some(levels), |noise| noise.spoil(levels));
        // a receiver drops what has no stop bit
        if let Some(levels) = mutated.filter(|levels| levels >> 9 & 1 != 0) {
            self.heard.push((levels >> 1) as u8);
        }
    }
}

/// In no time: silence is when the board rests.
impl Line for SimulatedBoard {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.push(bytes);
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<()> {
        self.hear(into, &mut |_| {});
        Ok(())
    }
}

/// A board that somebody watches.
pub struct Watched<'a> {
    board: SimulatedBoard,
    look: &'a mut dyn FnMut(&BridgeTop),
}

impl Line for Watched<'_> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.board.send(bytes)
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<()> {
        self.board.hear(into, self.look);
        Ok(())
    }
}
