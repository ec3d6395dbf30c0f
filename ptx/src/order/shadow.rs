//! Shadow memory: for each byte, the accesses not ordered before a later one that covers them.

use super::Who;
use super::clock::Component;
use super::copies::Ends;
use super::judge::Side;
use std::collections::HashMap;

/// Bytes of a word.
pub const WORD: u64 = 4;
/// Words of a page.
const PAGE: u64 = 1024;
/// Pages that are remembered at most: 8 MiB of memory.
pub const MOST_PAGES: usize = 2048;
/// Writes of a word that are remembered at most, of those that exclude each other. Of others, and of reads, the last of each who makes them is.
const MOST_ENTRIES: usize = 192;
/// Accesses of a word from which on the last are kept by who makes them.
const MANY_ENTRIES: usize = 24;

/// A byte of the grid's memory: of global memory, or of the shared memory of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Address.
    Global(u64),
    /// Of shared memory.
    Shared {
        /// Number of the cluster in the grid.
        cluster: u32,
        /// Rank of the CTA.
        cta: u8,
        /// Byte address there.
        offset: u32,
    },
}

impl Place {
    /// A number of its own.
    fn number(self) -> u64 {
        match self {
            Place::Global(address) => address,
            Place::Shared { cluster, cta, offset } => {
                1 << 63 | u64::from(cluster) << 32 | u64::from(cta) << 24 | u64::from(offset)
            }
        }
    }

    /// This many bytes further.
    pub fn plus(self, bytes: u64) -> Self {
        match self {
            Place::Global(address) => Place::Global(address + bytes),
            Place::Shared { cluster, cta, offset } => Place::Shared { cluster, cta, offset: offset + bytes as u32 },
        }
    }

    /// Its words: the first byte of each, and a bit for each byte that is meant.
    pub fn words(self, bytes: u64) -> impl Iterator<Item = (Place, u8)> {
        let skipped = self.number() % WORD;
        let first = match self {
            Place::Global(address) => Place::Global(address - skipped),
            Place::Shared { cluster, cta, offset } => Place::Shared { cluster, cta, offset: offset - skipped as u32 },
        };
        let end = skipped + bytes;
        (0..end.div_ceil(WORD)).map(move |word| {
            let (from, to) = (skipped.saturating_sub(word * WORD).min(WORD), (end - word * WORD).min(WORD));
            (first.plus(word * WORD), (0xfu8 << from) & (0xf >> (WORD - to)))
        })
    }
}

/// Agent of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Lanes of a warp in the same epoch: number of the first lane's component.
    Lanes {
        /// Number of the cluster in the grid.
        cluster: u32,
        /// Component of lane 0.
        first: u32,
        /// A bit for each lane.
        lanes: u32,
        /// Their epoch.
        epoch: u32,
    },
    /// A copy, by its number.
    Copy(u32),
}

/// Kind of access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// The access writes.
    pub writes: bool,
    /// Strong operation (PTX ISA 8.5): `.relaxed`, `.volatile`, an atomic operation and the like.
    pub strong: bool,
    /// Atomic operation or reduction.
    pub atomic: bool,
    /// Bytes of one element, if it is strong.
    pub width: u8,
    /// It writes what its instruction says, whoever executes it; or it is a tensor store: several of one tile are taken to write the same.
    pub constant: bool,
    /// Read through the read-only cache: `ld.global.nc`.
    pub read_only: bool,
    /// How far it reaches, if it is strong.
    pub scope: super::sync::Scope,
}

impl Manner {
    /// Whether nothing that is unordered with it may access the same bytes: what conflicts with an access before it conflicts with it, too.
    pub fn excludes(self) -> bool {
        self.writes && !self.strong && !self.atomic && !self.constant
    }

    /// Whether all that conflicts with an access of this other manner, which comes before one of this manner, conflicts with that, too.
    pub fn stands_for(self, other: Manner) -> bool {
        self.excludes() || self == other || !self.writes && !self.strong && !other.writes
    }

    /// Whether it is an atomic operation of threads that has read what another operation has written: PTX ISA 8.8.2, observation.
    pub fn continues(self, other: Manner) -> bool {
        self.atomic && self.strong && other.writes && other.strong && self.width == other.width
    }
}

/// An access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Agent.
    pub agent: Agent,
    /// A bit for each byte.
    pub mask: u8,
    /// Manner of the access.
    pub manner: Manner,
    /// The instruction.
    pub pc: u32,
    /// The cycle.
    pub cycle: u32,
}

impl Entry {
    /// It as a side of a conflict: of this thread, or of a copy that it began.
    pub fn side(&self, who: Who, copies: bool) -> Side {
        let Self { manner, pc, cycle, .. } = *self;
        Side { who, pc: pc as usize, cycle: u64::from(cycle), writes: manner.writes, copies }
    }
}

/// Who accesses, so that what comes behind the last of its accesses of one kind comes behind all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// The lanes of a warp: the component of the first.
    Warp(Component),
    /// Copies of a thread that end in the same way, one after the other: on one barrier, or in groups.
    Copies(Who, Ends),
}

/// What is remembered of a word.
#[derive(Clone, Debug, Default)]
pub struct Word {
    /// Accesses.
    pub entries: Vec<Entry>,
    /// Reads, and writes that do not exclude each other, that were too many for a list.
    #[expect(clippy::box_collection, reason = "few of many words have it")]
    many: Option<Box<HashMap<By, Vec<Entry>>>>,
    /// A bit for each byte that has ever been written.
    pub written: u8,
}

/// Adds an access to those of who makes it: the last is kept, of each lane and each kind.
fn add_last(accesses: &mut Vec<Entry>, last: Entry) {
    let mut is_in = false;
    accesses.retain_mut(|known| {
        if (known.manner, known.mask) != (last.manner, last.mask) {
            return true;
        }
        match (&mut known.agent, last.agent) {
            (Agent::Lanes { lanes, epoch: then, .. }, Agent::Lanes { lanes: own, epoch, .. }) if *then == epoch => {
                (*lanes, known.pc, known.cycle, is_in) = (*lanes | own, last.pc, last.cycle, true);
                true
            }
            (Agent::Lanes { lanes, .. }, Agent::Lanes { lanes: own, .. }) => {
                *lanes &= !own;
                *lanes != 0
            }
            _ => false,
        }
    });
    if !is_in {
        accesses.push(last);
    }
}

impl Word {
    /// All accesses that are remembered.
    pub fn accesses(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().chain(self.many.iter().flat_map(|many| many.values().flatten()))
    }

    /// Keeps some.
    pub fn retain(&mut self, keep: impl Fn(&Entry) -> bool) {
        self.entries.retain(&keep);
        if let Some(many) = &mut self.many {
            many.values_mut().for_each(|accesses| accesses.retain(&keep));
            many.retain(|_, accesses| !accesses.is_empty());
        }
        self.many.take_if(|many| many.is_empty());
    }

    /// One more, of whom all but the last are forgotten if it is known who; whether there was room.
    pub fn push(&mut self, entry: Entry, by_whom: &dyn Fn(&Entry) -> Option<By>) -> bool {
        if let Some(by) = by_whom(&entry) {
            if let Some(many) = &mut self.many {
                add_last(many.entry(by).or_default(), entry);
                return true;
            }
            if let Some(known) = self.entries.iter_mut().find(|known| known.is_with(&entry)) {
                if let (Agent::Lanes { lanes, .. }, Agent::Lanes { lanes: more, .. }) = (&mut known.agent, entry.agent)
                {
                    *lanes |= more;
                }
                (known.pc, known.cycle) = (entry.pc, entry.cycle);
                return true;
            }
            if self.entries.len() >= MANY_ENTRIES {
                let many = self.many.get_or_insert_default();
                for access in self.entries.extract_if(.., |known| by_whom(known).is_some()).chain([entry]) {
                    if let Some(by) = by_whom(&access) {
                        add_last(many.entry(by).or_default(), access);
                    }
                }
                return true;
            }
        }
        let room = self.entries.len() < MOST_ENTRIES;
        if !room {
            self.entries.remove(0);
        }
        self.entries.push(entry);
        room
    }
}

impl Entry {
    /// Whether it differs from another in the lanes only.
    fn is_with(&self, other: &Entry) -> bool {
        match (self.agent, other.agent) {
            (
                Agent::Lanes { cluster, first, epoch, .. },
                Agent::Lanes { cluster: its, first: theirs, epoch: then, .. },
            ) => (cluster, first, epoch, self.manner, self.mask) == (its, theirs, then, other.manner, other.mask),
            _ => false,
        }
    }
}

/// All memory.
#[derive(Debug, Default)]
pub struct Shadow {
    pages: HashMap<u64, Box<[Word]>>,
}

impl Shadow {
    /// A word; nothing if there is no room for it.
    pub fn word(&mut self, place: Place) -> Option<&mut Word> {
        let number = place.number() / WORD;
        let full = self.pages.len() >= MOST_PAGES;
        let page = match self.pages.entry(number / PAGE) {
            std::collections::hash_map::Entry::Occupied(page) => page.into_mut(),
            std::collections::hash_map::Entry::Vacant(_) if full => return None,
            std::collections::hash_map::Entry::Vacant(room) => {
                room.insert(vec![Word::default(); PAGE as usize].into_boxed_slice())
            }
        };
        page.get_mut((number % PAGE) as usize)
    }

    /// A cluster is over: its shared memory is gone.
    pub fn forget(&mut self, cluster: u32) {
        let of = |page: u64| page * PAGE * WORD;
        self.pages.retain(|page, _| of(*page) >> 63 == 0 || (of(*page) >> 32) as u32 & 0x7fff_ffff != cluster);
    }
}
