//! The scoreboard's part for loads and stores of warps: those in flight, the expected answers of their lanes, and their order.
//!
//! A step takes effect when the hardware sees its words (`gate_seen` of the unit inside); at that moment the reference model does the same for
//! the step's lanes. Which lanes go in which step is the hardware's choice.

use super::engine::rtl::step_of;
use super::engine::{MemoryTold, Rtl};
use super::memory::Access;
use crate::model::Memory;
use std::collections::{HashMap, VecDeque};
use txbar_rtl::status::Status;

/// A load or store that is under way.
struct Under {
    access: Access,
    tag: u16,
    /// Its place among what the port has accepted.
    place: u64,
    /// Lanes that have not taken effect.
    left: u32,
}

/// Expected answer of a lane.
#[derive(Clone, Copy, Debug)]
struct Due {
    status: Status,
    /// What it has loaded, if it loads.
    loaded: Option<u128>,
}

/// Loads and stores of all ports.
#[derive(Default)]
pub struct MemoryBoard {
    under: HashMap<usize, VecDeque<Under>>,
    /// Lanes of the steps that have gone into the banks and have not been seen.
    gone: HashMap<usize, VecDeque<u32>>,
    due: HashMap<(usize, u16, usize), Due>,
    /// Loads and stores that were accepted; steps that took effect; lanes that were answered, and those of them that were refused.
    pub counts: [u64; 4],
}

impl MemoryBoard {
    /// A port has accepted one, as its `place`th instruction.
    pub fn accepted(&mut self, port: usize, access: &Access, tag: u16, place: u64) {
        self.counts[0] += 1;
        let left = access.mask();
        self.under.entry(port).or_default().push_back(Under { access: access.clone(), tag, place, left });
    }

    /// The place of the oldest that has not wholly taken effect.
    pub fn oldest(&self, port: usize) -> Option<u64> {
        Some(self.under.get(&port)?.front()?.place)
    }

    /// What takes effect in a cycle: the words that are stored. `oldest` is the place of the oldest other instruction of a port that has
    /// not taken effect.
    ///
    /// # Errors
    /// It must not be done, or not yet.
    pub fn effects(
        &mut self,
        rtl: &Rtl,
        memory: &mut Memory,
        oldest: impl Fn(usize) -> Option<u64>,
    ) -> Result<Vec<usize>, String> {
        let unit = rtl.unit();
        let mut stored = Vec::new();
        let seen = unit.unit.gate_seen.iter().any(|seen| seen.val());
        if seen {
            let port = unit.unit.gate_seen_port[0].val().index() - rtl.ports();
            stored = self.seen(port, memory, oldest(port))?;
        }
        for (port, access) in unit.access.iter().enumerate() {
            if let Some((_, lanes)) = step_of(access) {
                self.gone(port, lanes);
            }
        }
        Ok(stored)
    }

    /// A step of a port goes into the banks, for these lanes.
    pub fn gone(&mut self, port: usize, lanes: u32) {
        self.gone.entry(port).or_default().push_back(lanes);
    }

    /// The oldest step of a port that has gone is seen: it takes effect. Gives the words that are stored. `before` is the place of the oldest
    /// other instruction of the port that has not taken effect.
    ///
    /// # Errors
    /// It must not be done, or not yet.
    pub fn seen(&mut self, port: usize, memory: &mut Memory, before: Option<u64>) -> Result<Vec<usize>, String> {
        let lanes = self.gone.get_mut(&port).and_then(VecDeque::pop_front).ok_or("a step is seen that did not go")?;
        self.counts[1] += 1;
        let queue = self.under.entry(port).or_default();
        let under = queue.front_mut().ok_or(format!("a step of port {port}, which has no load or store under way"))?;
        if lanes & !under.left != 0 || lanes == 0 {
            return Err(format!("a step of lanes {lanes:08x} where {:08x} are left: {:?}", under.left, under.access));
        }
        if before.is_some_and(|before| before < under.place) {
            return Err(format!("a load or store of port {port} has passed what was asked for before it"));
        }
        let numbers: Vec<usize> = (0..32).filter(|lane| lanes >> lane & 1 == 1).collect();
        let mut stored = Vec::new();
        for (lane, (status, loaded)) in numbers.iter().zip(under.access.execute(numbers.iter().copied(), memory)) {
            let due = Due { status, loaded: (!under.access.stores && status == Status::Ok).then_some(loaded) };
            if self.due.insert((port, under.tag, *lane), due).is_some() {
                return Err(format!("lane {lane} is done twice: {:?}", under.access));
            }
            if let (true, Status::Ok, Some(reach), Some(size)) =
                (under.access.stores, status, under.access.lanes[*lane], under.access.size)
            {
                stored
                    .extend((reach.address / 8..(reach.address + size.bytes()).div_ceil(8)).map(|word| word as usize));
            }
        }
        under.left &= !lanes;
        if under.left == 0 {
            queue.pop_front();
        }
        Ok(stored)
    }

    /// An answer to lanes of a port was taken.
    ///
    /// # Errors
    /// They must be told something else.
    pub fn told(&mut self, port: usize, told: &MemoryTold) -> Result<(), String> {
        if told.lanes == 0 {
            return Err("an answer to a load or store for no lane".to_owned());
        }
        for lane in (0..told.data.len()).filter(|lane| told.lanes >> lane & 1 == 1) {
            let due = self.due.remove(&(port, told.tag, lane));
            let Some(Due { status, loaded }) = due else {
                return Err(format!("port {port} tells lane {lane} of what it has not done: {told:?}"));
            };
            self.counts[2] += 1;
            self.counts[3] += u64::from(status != Status::Ok);
            if told.status != status.code() || loaded.is_some_and(|loaded| loaded != told.data[lane]) {
                return Err(format!("port {port} tells lane {lane} {told:x?}, and should tell {status:?} {loaded:x?}"));
            }
        }
        Ok(())
    }

    /// Whether everything is done, and everybody told.
    pub fn is_idle(&self) -> bool {
        self.due.is_empty() && self.under.values().all(VecDeque::is_empty)
    }

    /// How many lanes or instructions are waited for.
    pub fn waiting(&self) -> usize {
        self.due.len() + self.under.values().map(VecDeque::len).sum::<usize>()
    }
}
