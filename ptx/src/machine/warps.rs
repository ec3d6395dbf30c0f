//! Instructions of warps: the lanes that execute one together are one instruction of the CTA's port for warps. Of those on barriers
//! it makes as few requests as it can; loads and stores are in `reach`.
//!
//! **Order.** Some of a lane's loads and stores go through another port than its warp's instructions. So an instruction waits until
//! what its lanes have asked for there has been answered, and such a load or store waits for the lane's instructions on the words
//! that it names; one that releases, for all of them.
//!
//! **Who is in a group** is what the hardware says: when a group takes an entry of its table (`allocate`), and by that entry when its
//! request takes effect.

use super::ports::{tag, untag};
use super::*;
use crate::address::Location;
use crate::effect::Effect;
use txbar_rtl::op::{DEFAULT_LIMIT_NS, NO_LIMIT, Op, Operand, Reply};
use txbar_rtl::ordering::Order;
use txbar_rtl::warp::GROUPS;
use txbar_rtl::warp::access::Size;
use txbar_testbench::request::Request;
use txbar_testbench::scoreboard::each;

/// Lanes that are one request of the hardware: tag of their instruction, and a bit each.
pub(super) type Group = (u16, u32);

/// What the lanes of an instruction of a warp have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Head {
    pub(super) tag: u16,
    pub(super) op: Op,
    pub(super) cluster: bool,
    pub(super) order: Order,
    pub(super) limit: u32,
    /// What each lane of a load or store takes.
    pub(super) size: Option<Size>,
}

/// Operand of a lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Brought {
    pub(super) address: u32,
    pub(super) operand: u32,
    pub(super) stored: u128,
}

/// An instruction of a warp at the wires of its CTA's port.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub(super) head: Head,
    pub(super) mask: u32,
    pub(super) lanes: [Brought; 32],
}

/// The groups of a CTA's port for warps, by number.
pub(super) const NO_GROUPS: [Group; GROUPS] = [(0, 0); GROUPS];

/// A lane's operand on the wires, and the time limit of its wait. An H200 gives up after its own time whatever longer hint there is.
fn operand_of(op: Op, data: u64) -> (u32, u32) {
    let (upper, lower) = ((data >> 32) as u32, data as u32);
    let limit = |hint: u32| if hint < DEFAULT_LIMIT_NS { hint } else { NO_LIMIT };
    match op.operand() {
        Operand::Token => (upper, 0),
        Operand::TokenAndLimit => (upper, limit(lower)),
        Operand::ParityAndLimit => (lower, limit(upper)),
        _ => (lower, 0),
    }
}

impl Machine<'_> {
    /// Lanes of a warp execute an instruction for their port, which each of them holds.
    pub(super) fn gather(&mut self, cta: usize, warp: usize, lanes: u32) {
        let left = self.instruct(cta, warp, lanes);
        if left != 0 {
            self.blocks[cta].gathering.push((warp, left));
        }
    }

    /// Lanes that could not go yet try again.
    pub(super) fn gather_again(&mut self, cta: usize) {
        let mut gathering = std::mem::take(&mut self.blocks[cta].gathering);
        gathering.retain_mut(|(warp, lanes)| {
            *lanes = self.instruct(cta, *warp, *lanes);
            *lanes != 0
        });
        self.blocks[cta].gathering = gathering;
    }

    /// The number that an instruction of these lanes has, if they may have one more under way.
    fn number_of(&self, cta: usize, warp: usize, lanes: u32) -> Option<usize> {
        let mut taken = [false; NUMBERS];
        for lane in each(u64::from(lanes)) {
            let pending = &self.blocks[cta].runners[warp * 32 + lane].pending;
            for (taken, pending) in taken.iter_mut().zip(pending) {
                match pending {
                    Some(pending) if pending.is_of_a_warp() => *taken = true,
                    Some(_) => return None,
                    None => {}
                }
            }
        }
        taken.iter().position(|taken| !taken)
    }

    /// Sends the instruction that these lanes hold to the port for warps, if it may go. Lanes that go to another CTA, or wait
    /// for another time, are an instruction of their own. Gives those that may not go.
    fn instruct(&mut self, cta: usize, warp: usize, lanes: u32) -> u32 {
        let Some(number) = self.number_of(cta, warp, lanes) else { return lanes };
        let left = self.locked_out(cta, warp, lanes);
        let mut instructions: Vec<Instruction> = Vec::new();
        let mut arrival = None;
        for lane in each(u64::from(lanes & !left)) {
            let thread = warp * 32 + lane;
            let State::Held(effect) = self.blocks[cta].runners[thread].state else { continue };
            let asks = match effect {
                Effect::Barrier { .. } => self.uses(cta, thread, number, effect),
                Effect::CopyArrive { location, noinc } => {
                    match self.arrives(cta, thread, number, (location, noinc), &mut arrival) {
                        Some(None) => continue,
                        asks => asks.flatten(),
                    }
                }
                _ => self.reaches(cta, thread, number, effect),
            };
            let Some((head, brought)) = asks else { return 0 };
            let place = instructions.iter().position(|other| other.head == head).unwrap_or_else(|| {
                instructions.push(Instruction { head, mask: 0, lanes: [Brought::default(); 32] });
                instructions.len() - 1
            });
            instructions[place].mask |= 1 << lane;
            instructions[place].lanes[lane] = brought;
        }
        let block = &mut self.blocks[cta];
        block.instructions.extend(instructions);
        block.arrivals.extend(arrival);
        left
    }

    /// A lane's part in an instruction on barriers, which has this number.
    fn uses(&mut self, cta: usize, thread: usize, number: usize, effect: Effect) -> Option<(Head, Brought)> {
        let Effect::Barrier { op, location, data, operand, order, answered, v1 } = effect else { return None };
        // of a token alone, wherever
        let of_token = op == Op::PendingCount;
        let location = if of_token { Location::Shared { rank: None, offset: 0 } } else { location };
        let spot = self.spot(cta, thread, location, if of_token { 0 } else { 8 })?;
        if answered && op.reply() == Reply::Token && usize::from(spot.cta) != cta {
            let what = format!("{} of a barrier of another CTA gives no token: its result is `_`", op.ptx());
            self.refuse(cta, thread, what);
            return None;
        }
        self.use_barrier(cta, thread, op, spot, operand, data);
        let answered = v1 || answered && op.reply() != Reply::Status;
        let runner = &mut self.blocks[cta].runners[thread];
        let asked = Asked::Barrier { op, operand, answered, v1 };
        let pending = Pending { asked, spot, pc: runner.lane.pc, data, before: None, mark: 0 };
        let mark = self.marks(ThreadId::new(cta, thread));
        let runner = &mut self.blocks[cta].runners[thread];
        runner.pending[number] = Some(Pending { mark, ..pending });
        if answered {
            runner.state = State::Answers(1);
        } else {
            self.resume(cta, thread, &[]);
        }
        let Request { remote: cluster, address, .. } = self.addressed(cta, spot, Request::new(op, 0));
        let (operand, limit) = operand_of(op, data);
        let head = Head { tag: tag((thread / 32) as u16, number), op, cluster, order, limit, size: None };
        Some((head, Brought { address, operand, stored: 0 }))
    }

    /// Whether a thread has asked for something of one of these words with its warp, and has not been answered.
    pub(super) fn is_asking(&self, cta: usize, thread: usize, spot: Spot, words: u32) -> bool {
        let begin = spot.offset & !7;
        let there = |pending: &Pending| {
            let bytes = if let Asked::Reach { access, .. } = pending.asked { access.bytes() } else { 1 };
            pending.is_of_a_warp()
                && pending.spot.cta == spot.cta
                && pending.spot.offset < begin + 8 * words
                && pending.spot.offset + bytes > begin
        };
        self.blocks[cta].runners[thread].pending.iter().flatten().any(there)
    }

    /// Drives the wires of a CTA's port for warps.
    pub(super) fn drive_warps(&mut self, cta: usize) {
        let cluster = &mut self.cluster;
        let instruction = self.blocks[cta].instructions.front();
        cluster.warp_req_valid[cta].next = instruction.is_some();
        cluster.warp_rsp_ready[cta].next = true;
        if self.parameters.warp_memory {
            cluster.warp_mem_ready[cta].next = true;
        }
        let Some(Instruction { head, mask, lanes }) = instruction else { return };
        cluster.warp_req_op[cta].next = head.op.into();
        cluster.warp_req_cluster[cta].next = head.cluster;
        cluster.warp_req_order[cta].next = u64::from(head.order.code()).into();
        cluster.warp_req_limit[cta].next = u64::from(head.limit).into();
        cluster.warp_req_mask[cta].next = u64::from(*mask).into();
        cluster.warp_req_tag[cta].next = u64::from(head.tag).into();
        for lane in each(u64::from(*mask)) {
            let Brought { address, operand, stored } = lanes[lane];
            cluster.warp_req_address[cta][lane].next = u64::from(address).into();
            cluster.warp_req_operand[cta][lane].next = u64::from(operand).into();
            if head.size.is_some() {
                cluster.warp_req_lower[cta][lane].next = (stored as u64).into();
                cluster.warp_req_upper[cta][lane].next = ((stored >> 64) as u64).into();
            }
        }
        if let Some(size) = head.size {
            cluster.warp_req_size[cta].next = u64::from(size.code()).into();
        }
    }

    /// A group of lanes takes its number.
    pub(super) fn watch_groups(&mut self, cta: usize) {
        let coalesce = &self.cluster.coalesce[cta];
        if coalesce.formed.allocate.val() {
            let group = (coalesce.formed.entry_tag.val().raw() as u16, coalesce.formed.lanes.val().raw() as u32);
            self.blocks[cta].groups[coalesce.formed.entry.val().index()] = group;
        }
    }

    /// The threads of a CTA, and the number of their request, that a tag at one of its ports names.
    pub(super) fn named(&self, cta: usize, port: usize, tag: u16) -> (impl Iterator<Item = u16> + use<>, usize) {
        let (number, lanes, first) = if port < self.parameters.unit.ports {
            let (thread, number) = untag(tag);
            (number, 1, thread)
        } else {
            let (group, _) = untag(tag);
            let (tag, lanes) = self.blocks[cta].groups[usize::from(group) % GROUPS];
            let (warp, number) = untag(tag);
            (number, lanes, warp * 32)
        };
        (each(u64::from(lanes)).map(move |lane| first + lane as u16), number)
    }

    /// The instruction that the port for warps accepts, and lanes that it answers.
    pub(super) fn watch_warps(&mut self, cta: usize) {
        if self.cluster.warp_req_valid[cta].val() && self.cluster.warp_req_ready[cta].val() {
            let instruction = self.blocks[cta].instructions.pop_front();
            self.tally.remote_requests += instruction.is_some_and(|instruction| instruction.head.cluster) as u64;
        }
        if !self.cluster.warp_rsp_valid[cta].val() {
            return;
        }
        let cluster = &self.cluster;
        let status = Status::from_code(cluster.warp_rsp_status[cta].val().raw()).unwrap_or(Status::IllegalOperation);
        let data = cluster.warp_rsp_data[cta].val().raw();
        let predicates = cluster.warp_rsp_predicates[cta].val().raw();
        let lanes = cluster.warp_rsp_lanes[cta].val().raw();
        let (warp, number) = untag(cluster.warp_rsp_tag[cta].val().raw() as u16);
        for lane in each(lanes) {
            let predicate = predicates >> lane & 1 != 0;
            let answer = answer::Answer { status, predicate, data, upper: 0, lanes: lanes.count_ones() };
            self.answered(cta, usize::from(warp) * 32 + lane, number, answer);
            if self.end.is_some() {
                return;
            }
        }
    }
}
