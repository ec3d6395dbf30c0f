//! Transfers out of a CTA's shared memory: copies to global memory and to other CTAs, and their bulk groups.
//!
//! A copy that is accepted waits for its bytes to be read. Each block that is read must be the next of the oldest copy, and hold
//! what the model says; then its bytes are due at the pins of global memory, in order, or in the memory of a CTA, by blocks as they are
//! there. Tensor stores have a queue of their own: what is read must be pieces of the oldest, each of them once, and so must be what is
//! written. A wait for groups may be over only if all copies of all groups but
//! the youngest have been read, or written.

use crate::cluster::global::{self, Write};
use crate::cluster::thread::{Put, TileStore};
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::RangeInclusive;
use txbar_rtl::word::address::BEAT_WORDS;

/// Bytes that are due somewhere: what is done with them, and each with its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Code of the reduction.
    pub reduction: u8,
    /// Address and value.
    pub bytes: Vec<(u64, u8)>,
}

/// The bytes of a block that a strobe names, with their addresses.
pub fn named(address: u64, strobe: u32, data: &[u64; BEAT_WORDS]) -> Vec<(u64, u8)> {
    let byte = |byte: usize| (address + byte as u64, (data[byte / 8] >> (byte % 8 * 8)) as u8);
    (0..32).filter(|at| strobe >> at & 1 != 0).map(byte).collect()
}

/// A copy under way.
#[derive(Clone, Debug)]
struct Copy {
    put: Put,
    number: u64,
    /// Offset of the byte that is read next.
    next: u32,
    /// What has been read of a block that is written when more of it has been.
    part: Vec<(u64, u8)>,
}

impl Copy {
    /// Offsets of the bytes from the next one on that are written.
    fn offsets(&self) -> impl Iterator<Item = u32> {
        let (mask, bytes) = (self.put.mask, self.put.bytes);
        (self.next..bytes).filter(move |offset| mask >> (offset % 16) & 1 != 0)
    }
}

/// A tensor store under way.
#[derive(Clone, Debug)]
struct BoxCopy {
    number: u64,
    /// Code of the reduction; 0 stores.
    reduction: u8,
    /// Pieces of 16 bytes that have not been read: where they are, and where they go.
    left: BTreeMap<u64, u64>,
    /// Those that have been read and not been written: where they go, and what they hold.
    due: HashMap<u64, Vec<u8>>,
}

/// A burst that has been sent and not been answered.
#[derive(Clone, Debug)]
struct Burst {
    id: u64,
    copies: Vec<u64>,
    due: u64,
}

/// Transfers out of one CTA.
pub struct Outgoing {
    copies: VecDeque<Copy>,
    boxes: VecDeque<BoxCopy>,
    begun: u64,
    /// Bytes that are due at the pins, with the number of their copy.
    due: VecDeque<(u64, Due)>,
    /// The burst whose beats come: its number, the block of 128 bytes, the copies.
    open: Option<(u64, u64, Vec<u64>)>,
    bursts: Vec<Burst>,
    /// Copies to global memory of which something has not been read, or written.
    unread: HashSet<u64>,
    unwritten: HashMap<u64, u32>,
    /// Numbers of the copies of each thread's groups; the last one is not committed.
    groups: HashMap<u16, Vec<Vec<u64>>>,
    latency: RangeInclusive<u64>,
    rng: Xoshiro256PlusPlus,
    /// Bytes sent to global memory.
    pub written: u64,
}

impl Outgoing {
    /// Nothing yet; bursts are answered after this many cycles, each another number of them.
    pub fn new(seed: u64, latency: RangeInclusive<u64>) -> Self {
        Self {
            copies: VecDeque::new(),
            boxes: VecDeque::new(),
            begun: 0,
            due: VecDeque::new(),
            open: None,
            bursts: Vec::new(),
            unread: HashSet::new(),
            unwritten: HashMap::new(),
            groups: HashMap::new(),
            latency,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            written: 0,
        }
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        let waits = !self.copies.is_empty() || !self.boxes.is_empty();
        !waits && self.due.is_empty() && self.open.is_none() && self.bursts.is_empty()
    }

    /// A thread's copy is accepted.
    pub fn begin(&mut self, thread: u16, put: Put) {
        self.begun += 1;
        if put.is_global() {
            self.join(thread, put.written() > 0, put.written());
        }
        if put.written() > 0 {
            self.copies.push_back(Copy { put, number: self.begun, next: 0, part: Vec::new() });
        }
    }

    /// A thread's tensor store is accepted.
    pub fn begin_box(&mut self, thread: u16, tile: &TileStore) {
        self.begun += 1;
        let left: BTreeMap<u64, u64> = global::pieces_of(tile.map, &tile.at, tile.shared).into_iter().collect();
        self.join(thread, !left.is_empty(), 16 * left.len() as u32);
        if !left.is_empty() {
            let reduction = global::reduction_of(tile.map, tile.operation);
            self.boxes.push_back(BoxCopy { number: self.begun, reduction, left, due: HashMap::new() });
        }
    }

    /// The youngest copy is one to global memory of a thread, and writes this many bytes; if it moves any.
    fn join(&mut self, thread: u16, moves: bool, written: u32) {
        let groups = self.groups.entry(thread).or_insert_with(|| vec![Vec::new()]);
        groups.last_mut().expect("one is open").push(self.begun);
        if moves {
            self.unread.insert(self.begun);
            self.unwritten.insert(self.begun, written);
        }
    }

    /// A thread's commit is accepted.
    pub fn commit(&mut self, thread: u16) {
        self.groups.entry(thread).or_insert_with(|| vec![Vec::new()]).push(Vec::new());
    }

    /// A thread's wait is over.
    ///
    /// # Errors
    /// It should not be.
    pub fn over(&self, thread: u16, most: u8, read: bool) -> Result<(), String> {
        let Some(groups) = self.groups.get(&thread) else { return Ok(()) };
        let committed = groups.len() - 1;
        for number in groups[..committed.saturating_sub(usize::from(most))].iter().flatten() {
            if self.unread.contains(number) {
                return Err(format!("copy {number} of thread {thread} has not been read"));
            }
            if !read && self.unwritten.contains_key(number) {
                return Err(format!("copy {number} of thread {thread} has not been written"));
            }
        }
        Ok(())
    }

    /// A block has been read. Gives what is due in the memory of a CTA because of it, with the copy, if it goes there.
    ///
    /// # Errors
    /// It is not the next block of the oldest copy.
    pub fn read(&mut self, bytes: &[(u64, u8)]) -> Result<Vec<(Put, Due)>, String> {
        let Some(copy) = self.copies.front_mut() else { return Err("a block is read for no copy".to_string()) };
        let put = copy.put;
        // up to the end of the block
        let (from, to) = (u64::from(put.shared), put.to());
        let first = u64::from(copy.next);
        let end = u64::from(put.bytes).min((from + first) / 32 * 32 + 32 - from);
        let offsets: Vec<u32> = copy.offsets().take_while(|offset| u64::from(*offset) < end).collect();
        let expected = offsets.iter().map(|offset| from + u64::from(*offset));
        if !expected.eq(bytes.iter().map(|(at, _)| *at)) {
            return Err(format!("{put:?} reads {bytes:x?}, not from {:#x} to {:#x}", from + first, from + end));
        }
        copy.next = end as u32;
        // what is written is blocks there
        let mut blocks = Vec::new();
        for ((_, byte), offset) in bytes.iter().zip(&offsets) {
            let at = to + u64::from(*offset);
            if copy.part.first().is_some_and(|(first, _)| first / 32 != at / 32) {
                blocks.push(std::mem::take(&mut copy.part));
            }
            copy.part.push((at, *byte));
        }
        let is_over = copy.next == put.bytes;
        if is_over || (to + end) % 32 == 0 {
            blocks.push(std::mem::take(&mut copy.part));
        }
        let number = copy.number;
        if is_over {
            self.copies.pop_front();
            self.unread.remove(&number);
        }
        let dues = blocks.into_iter().map(|bytes| Due { reduction: put.reduction, bytes });
        if !put.is_global() {
            return Ok(dues.map(|due| (put, due)).collect());
        }
        self.due.extend(dues.map(|due| (number, due)));
        Ok(Vec::new())
    }

    /// A block has been read for a tensor store.
    ///
    /// # Errors
    /// It holds something else than pieces that the oldest one has left.
    pub fn read_box(&mut self, bytes: &[(u64, u8)]) -> Result<(), String> {
        let Some(copy) = self.boxes.iter_mut().find(|copy| !copy.left.is_empty()) else {
            return Err("a block is read for no tensor store".to_string());
        };
        for piece in bytes.chunks(16) {
            let from = piece[0].0;
            let whole = piece.len() == 16 && from % 16 == 0 && piece[15].0 == from + 15;
            let Some(to) = copy.left.remove(&from).filter(|_| whole) else {
                return Err(format!("a tensor store reads {bytes:x?}; left are {:x?}", copy.left));
            };
            copy.due.insert(to, piece.iter().map(|(_, byte)| *byte).collect());
        }
        if copy.left.is_empty() {
            self.unread.remove(&copy.number);
        }
        Ok(())
    }

    /// The tensor store that a beat is of, if it is of one: it has read these pieces, and not written them.
    fn write_box(&mut self, reduction: u8, bytes: &[(u64, u8)]) -> Option<u64> {
        let is_due = |copy: &BoxCopy, piece: &[(u64, u8)]| {
            let due = copy.due.get(&piece[0].0);
            piece.len() == 16 && due.is_some_and(|due| piece.iter().map(|(_, byte)| *byte).eq(due.iter().copied()))
        };
        let copy = self
            .boxes
            .iter_mut()
            .find(|copy| copy.reduction == reduction && bytes.chunks(16).all(|piece| is_due(copy, piece)))?;
        for piece in bytes.chunks(16) {
            copy.due.remove(&piece[0].0);
        }
        let number = copy.number;
        self.boxes.retain(|copy| !copy.left.is_empty() || !copy.due.is_empty());
        Some(number)
    }

    /// A beat is accepted by global memory.
    ///
    /// # Errors
    /// It is not what is due, or breaks a rule of bursts.
    pub fn write(&mut self, cycle: u64, beat: &Write) -> Result<(), String> {
        let bytes = named(beat.address, beat.strobe, &beat.data);
        if bytes.is_empty() || !beat.address.is_multiple_of(32) {
            return Err(format!("{beat:x?} is written"));
        }
        let is_due = |(_, due): &&(u64, Due)| beat.reduction == due.reduction && bytes == due.bytes;
        let number = match self.due.front().filter(is_due) {
            Some((number, _)) => *number,
            None => self
                .write_box(beat.reduction, &bytes)
                .ok_or_else(|| format!("{beat:x?} is written; due is {:x?}", self.due.front()))?,
        };
        if self.due.front().is_some_and(|(of, _)| *of == number) {
            self.due.pop_front();
        }
        let (id, block, mut copies) = self.open.take().unwrap_or((beat.id, beat.address / 128, Vec::new()));
        if id != beat.id || block != beat.address / 128 || self.bursts.iter().any(|burst| burst.id == id) {
            return Err(format!("{beat:x?} is not part of burst {id} in block {:#x}", block * 128));
        }
        if !copies.contains(&number) {
            copies.push(number);
        }
        self.written += bytes.len() as u64;
        match self.unwritten.get_mut(&number) {
            Some(left) => *left -= bytes.len() as u32,
            None => return Err(format!("copy {number} is over, and writes")),
        }
        if beat.last {
            let due = cycle + self.rng.random_range(self.latency.clone());
            self.bursts.push(Burst { id, copies, due });
        } else {
            self.open = Some((id, block, copies));
        }
        Ok(())
    }

    /// A burst that global memory answers in this cycle.
    pub fn acknowledge(&mut self, cycle: u64) -> Option<u64> {
        let due: Vec<usize> = (0..self.bursts.len()).filter(|&place| self.bursts[place].due <= cycle).collect();
        let place = *due.choose(&mut self.rng)?;
        let burst = self.bursts.swap_remove(place);
        // a copy is written when it has nothing left to send, and no burst of it is open
        for number in burst.copies {
            let sends = self.unread.contains(&number)
                || self.due.iter().any(|(of, _)| *of == number)
                || self.boxes.iter().any(|copy| copy.number == number);
            let opens = self.open.iter().any(|(_, _, copies)| copies.contains(&number));
            let waits = self.bursts.iter().any(|burst| burst.copies.contains(&number));
            if !sends && !opens && !waits {
                self.unwritten.remove(&number);
            }
        }
        Some(burst.id)
    }
}
