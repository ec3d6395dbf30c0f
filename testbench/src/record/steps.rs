//! Loads and stores of warps in clusters: steps that go into the banks past the ports. Each counts as a request, and what one stores over a
//! barrier is a row.

use super::columns::Event;
use super::recorder::Recorder;
use crate::scoreboard::each;
use crate::warp::engine::rtl::step_of;
use std::collections::VecDeque;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::warp::access::Access;

/// A word that a step stores into.
#[derive(Clone, Copy, Debug)]
struct Stored {
    index: usize,
    bank: usize,
    mask: u64,
    data: u64,
    thread: u16,
}

/// A step under way.
#[derive(Clone, Debug)]
struct Step {
    begin: u64,
    /// Lanes that have not been answered.
    lanes: u64,
    op: Op,
    status: u8,
    stored: Vec<Stored>,
    /// Its rows, counted from the first of all.
    rows: Vec<u64>,
}

/// The steps of a CTA, each in one of two queues.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Those that have gone.
    gone: VecDeque<Step>,
    /// Those that have taken effect.
    seen: VecDeque<Step>,
}

/// Threads of a warp.
const LANES: u16 = 32;

impl Step {
    /// The step that goes into a CTA's banks in this cycle, if one does.
    fn of(access: &Access, cycle: u64, parameters: &Parameters) -> Option<Self> {
        let (tag, lanes) = step_of(access)?;
        let (warp, lanes) = (parameters.thread(tag), u64::from(lanes));
        let banks = access.go_word.iter().count();
        let double = access.go_size.q.val().raw() == 2;
        let into = |bank: usize| {
            let halves = access.go_stored[bank].q.val().raw();
            let mask = [0, 0xffff_ffff, 0xffff_ffff << 32, u64::MAX][halves as usize];
            let first = |lane: &usize| {
                let named = access.go_bank[*lane].q.val().index();
                named == bank || double && named | 1 == bank
            };
            let lane = each(lanes).find(first)? as u16;
            let index = access.go_row[bank].q.val().index() * banks + bank;
            let data = access.go_word[bank].q.val().raw();
            Some(Stored { index, bank, mask, data, thread: warp * LANES + lane })
        };
        let served = access.go_banks.q.val().raw();
        let stored: Vec<_> = each(served).filter_map(into).filter(|stored| stored.mask != 0).collect();
        let op = if stored.is_empty() { Op::Load } else { Op::Store };
        let status = access.go_status.q.val().raw() as u8;
        Some(Self { begin: cycle, lanes, op, status, stored, rows: Vec::new() })
    }
}

impl Recorder {
    /// Steps of a CTA in a cycle: one that takes effect, lanes that are answered, one that goes.
    pub(super) fn steps(&mut self, cluster: &Cluster, cta: usize, cycle: u64) {
        let Some(access) = cluster.access.get(cta) else { return };
        let unit = &cluster.cta[cta].unit;
        if unit.gate_seen[0].val()
            && let Some(mut step) = self.units[cta].steps.gone.pop_front()
        {
            let struck = unit.gate_struck.iter().next().map_or(0, |banks| banks.val().raw());
            let port = unit.gate_seen_port[0].val().index();
            self.step(cta, cycle, port, struck, &mut step);
            self.units[cta].steps.seen.push_back(step);
        }
        if cluster.warp_mem_valid[cta].val()
            && cluster.warp_mem_ready[cta].val()
            && let Some(step) = self.units[cta].steps.seen.front_mut()
        {
            step.lanes &= !cluster.warp_mem_lanes[cta].val().raw();
            if step.lanes == 0
                && let Some(step) = self.units[cta].steps.seen.pop_front()
            {
                self.replied(cycle, step.begin, &step.rows);
            }
        }
        if let Some(step) = Step::of(access, cycle, &self.parameters) {
            self.series.accept(cycle);
            self.units[cta].steps.gone.push_back(step);
        }
    }

    /// A step takes effect.
    fn step(&mut self, cta: usize, cycle: u64, port: usize, struck: u64, step: &mut Step) {
        let (begin, op) = (step.begin, step.op.code());
        for Stored { index, bank, mask, data, thread } in &step.stored {
            let before = self.units[cta].words[*index];
            let word = before & !mask | data & mask;
            self.units[cta].words[*index] = word;
            let status = if struck >> bank & 1 != 0 { Status::StoreToBarrier } else { Status::Ok }.code();
            // plain stores count where a barrier is
            if self.units[cta].barriers.contains_key(index) {
                let barrier = self.barrier(cta, Some(*index), before);
                let (answered, thread) = (None, *thread);
                let row = Event {
                    cycle,
                    accepted: begin,
                    answered,
                    barrier,
                    port,
                    thread,
                    op,
                    operand: 0,
                    status,
                    flags: 0,
                    word,
                };
                step.rows.push(self.keep(row));
            }
        }
        let status = if struck != 0 { Status::StoreToBarrier.code() } else { step.status };
        *self.counts.entry((op, status)).or_default() += 1;
        if status != Status::Ok.code() {
            self.series.fault(cycle);
        }
    }
}
