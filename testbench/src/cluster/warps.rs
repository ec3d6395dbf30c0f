//! The port for warps of a CTA: its instructions, in order, and the expected answers of its lanes.
//!
//! Groups of lanes that ask for something of a barrier are requests of the CTA's memory, and its scoreboard judges them. A step of a load or
//! store takes effect when the memory shows what it has found (`gate_seen`): at that moment the reference model does the same for its lanes.
//! Neither passes the other, and every lane is answered once.

use crate::engine::rtl::effects_of;
use crate::scoreboard::Scoreboard;
pub use crate::warp::Asked;
use crate::warp::engine::MemoryTold;
use crate::warp::engine::rtl::step_of;
use crate::warp::memory::{self, Access, Reach};
use crate::warp::memory_board::MemoryBoard;
use crate::warp::scoreboard::groups;
use crate::warp::traffic::{LIMITS, instruction};
use crate::warp::{Instruction, Lane};
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, HashMap, VecDeque};
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::Order;
use txbar_rtl::word::address::mapa;

/// Where the words are of what warps ask at random: barriers from here on, and data behind them.
const BASE: u32 = 0xd0;

/// Something random for a CTA's warp, mostly in words that copies and threads use as well ([`super::traffic`]).
/// Some of it goes to other CTAs, too.
pub fn random(parameters: &ClusterParameters, random: &mut Xoshiro256PlusPlus) -> Asked {
    let ClusterParameters { lanes, ctas, .. } = *parameters;
    if parameters.warp_memory && random.random_ratio(3, 4) {
        let mut access = Access { elsewhere: false, ..memory::random(lanes, random) };
        access.lanes.iter_mut().flatten().for_each(|lane| lane.address = lane.address.wrapping_add(BASE));
        return Asked::Memory(access);
    }
    let mut instruction = loop {
        let instruction = instruction(lanes, random);
        if !matches!(instruction.op, Op::Load | Op::Store) {
            break Instruction { remote: random.random_ratio(1, 4), elsewhere: false, ..instruction };
        }
    };
    let spread = random.random_range(1..=ctas);
    let (remote, first) = (instruction.remote, random.random_range(0..ctas));
    for lane in instruction.lanes.iter_mut().flatten() {
        lane.address = lane.address.wrapping_add(BASE);
        if remote {
            lane.address = mapa(lane.address, (first + random.random_range(0..spread)) % ctas);
        }
    }
    Asked::Barriers(instruction, LIMITS[random.random_range(0..4)])
}

/// Cycles after which requests of ports that wait are let in: 15, and a lock of the banks that is shorter than that.
const CROWDED: u32 = 30;

/// A port for warps.
pub struct WarpPort {
    cta: usize,
    /// Its number at the CTA's memory.
    port: usize,
    lanes: usize,
    tags: u32,
    words: usize,
    loads: bool,
    /// Instructions to request.
    queue: VecDeque<Asked>,
    /// What stands at the port, with its tag.
    front: Option<(Asked, u16)>,
    tag: u16,
    /// By tag, lanes that have not been answered, and the place of what they asked.
    left: HashMap<u16, (u32, u64)>,
    board: MemoryBoard,
    /// Of each word, the places of the instructions that have asked something of it that has not been done.
    asked: HashMap<usize, VecDeque<u64>>,
    /// Groups of instructions that have not been done, by the place of the instruction.
    open: BTreeMap<u64, usize>,
    places: u64,
    /// A beat has gone through the door while a step could have gone through the gate, in the last cycle in which the memory moved.
    passed: bool,
    /// Cycles in a row in which requests of ports waited, and something else had banks.
    crowded: u32,
    /// The answer to a load or store that is shown and has not been taken.
    shown: Option<MemoryTold>,
    /// The answers to loads and stores, each with the place of the load or store among what was asked.
    pub told: Vec<(u64, MemoryTold)>,
}

impl WarpPort {
    /// The port of this CTA.
    pub fn new(parameters: &ClusterParameters, cta: usize) -> Self {
        Self {
            cta,
            port: parameters.unit.ports,
            lanes: parameters.lanes,
            tags: 1 << parameters.unit.tag_bits,
            words: parameters.unit.words,
            loads: parameters.warp_memory,
            queue: VecDeque::new(),
            front: None,
            tag: 0,
            left: HashMap::new(),
            board: MemoryBoard::default(),
            asked: HashMap::new(),
            open: BTreeMap::new(),
            places: 0,
            passed: false,
            crowded: 0,
            shown: None,
            told: Vec::new(),
        }
    }

    /// Asks for something, behind what was asked for before.
    pub fn ask(&mut self, asked: Asked) {
        self.queue.push_back(asked);
    }

    /// Number of instructions not accepted.
    pub fn waiting(&self) -> usize {
        self.queue.len() + usize::from(self.front.is_some())
    }

    /// Whether all is done, and everybody told.
    pub fn is_idle(&self) -> bool {
        self.waiting() == 0 && self.left.is_empty() && self.open.is_empty() && self.board.is_idle()
    }

    /// Loads and stores that were accepted; steps of them that took effect; lanes that were answered, and those that were refused.
    pub fn counts(&self) -> [u64; 4] {
        self.board.counts
    }

    /// Drives the wires. `ready`: whether answers of barriers, and those of memory, are taken.
    pub fn drive(&mut self, cluster: &mut Cluster, ready: [bool; 2]) {
        let free = (0..self.tags).map(|step| ((u32::from(self.tag) + step) % self.tags) as u16);
        let free = free.into_iter().find(|tag| !self.left.contains_key(tag));
        if let (None, Some(tag)) = (&self.front, free) {
            self.front = self.queue.pop_front().map(|asked| (asked, tag));
            self.tag = ((u32::from(tag) + 1) % self.tags) as u16;
        }
        let cta = self.cta;
        cluster.warp_rsp_ready[cta].next = ready[0];
        if self.loads {
            cluster.warp_mem_ready[cta].next = ready[1];
        }
        cluster.warp_req_valid[cta].next = self.front.is_some();
        let Some((asked, tag)) = &self.front else { return };
        cluster.warp_req_tag[cta].next = u64::from(*tag).into();
        cluster.warp_req_cluster[cta].next = false;
        match asked {
            Asked::Barriers(instruction, limit_ns) => {
                cluster.warp_req_cluster[cta].next = instruction.remote;
                cluster.warp_req_op[cta].next = u64::from(instruction.op.code()).into();
                cluster.warp_req_order[cta].next = u64::from(Order::default_of(instruction.op).code()).into();
                cluster.warp_req_limit[cta].next = u64::from(*limit_ns).into();
                cluster.warp_req_mask[cta].next = u64::from(instruction.mask()).into();
                for (number, lane) in instruction.lanes.iter().enumerate() {
                    let Lane { address, operand } = lane.unwrap_or(Lane { address: 0, operand: 0 });
                    cluster.warp_req_address[cta][number].next = u64::from(address).into();
                    cluster.warp_req_operand[cta][number].next = u64::from(operand).into();
                }
            }
            Asked::Memory(access) => {
                cluster.warp_req_op[cta].next = access.op().into();
                cluster.warp_req_size[cta].next = u64::from(access.size_code()).into();
                cluster.warp_req_mask[cta].next = u64::from(access.mask()).into();
                for (number, lane) in access.lanes.iter().enumerate() {
                    let Reach { address, data } = lane.unwrap_or(Reach { address: 0, data: 0 });
                    cluster.warp_req_address[cta][number].next = u64::from(address).into();
                    cluster.warp_req_lower[cta][number].next = (data as u64).into();
                    cluster.warp_req_upper[cta][number].next = ((data >> 64) as u64).into();
                }
            }
        }
    }

    /// The cluster has settled in a cycle: what takes effect in it, and who is told of it. Gives whether anything has moved.
    ///
    /// # Errors
    /// Something that should not happen.
    pub fn settled(&mut self, cluster: &Cluster, scoreboard: &mut Scoreboard) -> Result<bool, String> {
        let mut moved = self.effects(cluster, scoreboard)?;
        if self.loads {
            moved |= self.tell(cluster)?;
            self.turns(cluster)?;
        }
        let cta = self.cta;
        if cluster.warp_rsp_valid[cta].val() && cluster.warp_rsp_ready[cta].val() {
            let lanes = cluster.warp_rsp_lanes[cta].val().raw() as u32;
            self.answered(cluster.warp_rsp_tag[cta].val().raw() as u16, lanes)?;
            moved = true;
        }
        if cluster.warp_req_valid[cta].val() && cluster.warp_req_ready[cta].val() {
            self.accepted()?;
            moved = true;
        }
        Ok(moved)
    }

    /// Steps that are seen, steps that go, and groups that are done.
    fn effects(&mut self, cluster: &Cluster, scoreboard: &mut Scoreboard) -> Result<bool, String> {
        let unit = &cluster.cta[self.cta].unit;
        let seen = unit.gate_seen.iter().any(|seen| seen.val());
        if seen {
            let before = self.open.first_key_value().map(|(place, _)| *place);
            scoreboard.pass(|memory| self.board.seen(0, memory, before))?;
        }
        if let Some((_, lanes)) = cluster.access.get(self.cta).and_then(step_of) {
            self.board.gone(0, lanes);
        }
        for (_, done) in effects_of(unit).filter(|(_, done)| done.port == self.port) {
            let place = self.asked.get_mut(&done.index).and_then(VecDeque::pop_front);
            let place = place.ok_or_else(|| format!("nobody asked for what is done: {done}"))?;
            if self.board.oldest(0).is_some_and(|oldest| oldest < place) {
                return Err(format!("{done} has passed a load or store that was asked for before it"));
            }
            match self.open.get_mut(&place) {
                Some(groups) if *groups > 1 => *groups -= 1,
                _ => drop(self.open.remove(&place)),
            }
        }
        Ok(seen)
    }

    /// Whether door, gate and ports are let in as is promised: a step waits for one beat, and requests of ports for this many cycles and the
    /// lock of a reduction.
    fn turns(&mut self, cluster: &Cluster) -> Result<(), String> {
        let turns = &cluster.cta[self.cta].unit.turns[0];
        if !turns.advance.val() {
            return Ok(());
        }
        let passed = turns.waits.val() && turns.opened.val() && !turns.locked.val();
        if passed && self.passed {
            return Err("a step waits for a second beat".to_owned());
        }
        self.passed = passed;
        let crowded = turns.crowded.val() && (turns.locked.val() || turns.opened.val() || turns.taken.val());
        self.crowded = if crowded { self.crowded + 1 } else { 0 };
        if self.crowded > CROWDED {
            return Err(format!("requests of ports have waited for {CROWDED} cycles, and none of these was theirs"));
        }
        Ok(())
    }

    /// The answer to a load or store that is shown.
    fn tell(&mut self, cluster: &Cluster) -> Result<bool, String> {
        let cta = self.cta;
        let data = |lane: usize| {
            u128::from(cluster.warp_mem_lower[cta][lane].val().raw())
                | u128::from(cluster.warp_mem_upper[cta][lane].val().raw()) << 64
        };
        let told = cluster.warp_mem_valid[cta].val().then(|| MemoryTold {
            tag: cluster.warp_mem_tag[cta].val().raw() as u16,
            lanes: cluster.warp_mem_lanes[cta].val().raw() as u32,
            status: cluster.warp_mem_status[cta].val().raw() as u8,
            data: (0..self.lanes).map(data).collect(),
        });
        if self.shown.is_some() && self.shown != told {
            return Err(format!("was shown {:x?}, did not take it, and is shown {told:x?}", self.shown));
        }
        let taken = cluster.warp_mem_ready[cta].val();
        self.shown = told.clone().filter(|_| !taken);
        let Some(told) = told.filter(|_| taken) else { return Ok(false) };
        self.board.told(0, &told)?;
        let place = self.answered(told.tag, told.lanes)?;
        self.told.push((place, told));
        Ok(true)
    }

    /// Lanes are answered. Gives the place of what they asked.
    fn answered(&mut self, tag: u16, lanes: u32) -> Result<u64, String> {
        let left = self.left.get_mut(&tag).filter(|(left, _)| lanes != 0 && lanes & !*left == 0);
        let (left, place) =
            left.ok_or_else(|| format!("lanes {lanes:08x} are answered with tag {tag} and asked for nothing"))?;
        let place = *place;
        *left &= !lanes;
        if *left == 0 {
            self.left.remove(&tag);
        }
        Ok(place)
    }

    /// What stands at the port is accepted.
    fn accepted(&mut self) -> Result<(), String> {
        let (asked, tag) = self.front.take().ok_or("something is accepted that was not asked for")?;
        self.places += 1;
        if asked.answered() != 0 {
            self.left.insert(tag, (asked.answered(), self.places));
        }
        match asked {
            Asked::Memory(access) => self.board.accepted(0, &access, tag, self.places),
            Asked::Barriers(instruction, _) => {
                // what goes to other CTAs is done there
                let here = |address: &u32| !instruction.remote || mapa(0, self.cta) == address & !(mapa(0, 1) - 1);
                let groups = groups(&instruction).into_iter();
                let addresses = groups.filter_map(|group| Some(instruction.lanes[group[0]]?.address)).filter(here);
                for address in addresses {
                    *self.open.entry(self.places).or_default() += 1;
                    self.asked.entry(address as usize / 8 % self.words).or_default().push_back(self.places);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is posted is not answered.
    #[test]
    fn lanes_that_are_answered() {
        let instruction = |op| Instruction {
            op,
            remote: false,
            elsewhere: false,
            lanes: vec![Some(Lane { address: 8, operand: 1 }), None, Some(Lane { address: 16, operand: 1 })],
        };
        assert_eq!(Asked::Barriers(instruction(Op::Arrive), 0).answered(), 5);
        assert_eq!(Asked::Barriers(instruction(Op::BulkCompleteTx), 0).answered(), 0);
    }
}
