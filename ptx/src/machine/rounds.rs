//! `barrier.cluster` (PTX ISA 9.7.13.3): lanes of a warp converge, and the rendezvous receives one request.
//!
//! An instruction that is `.aligned` is for the whole warp, whatever order the schedule brings its lanes in: they are
//! gathered first. If some of them can never come, those that are there go alone, and the status of the hardware says
//! whether that is an error.

use super::*;
use crate::effect::Round;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_testbench::scoreboard::each;

impl Machine<'_> {
    /// Lanes that a warp lacks are counted out from the beginning.
    pub(super) fn count_out_missing_lanes(&mut self, cta: usize) {
        for warp in 0..self.parameters.warps {
            let live = self.blocks[cta].warps.get(warp).map_or(0, |warp| warp.live);
            if live != u32::MAX {
                self.count_out(cta, warp, !live);
            }
        }
    }

    /// Lanes have exited.
    pub(super) fn count_out(&mut self, cta: usize, warp: usize, lanes: u32) {
        let rounds = &mut self.blocks[cta].rounds;
        // those of a warp that exit together are one request; the first in the queue may stand at the wires already
        let last = rounds.len();
        match rounds.back_mut().filter(|ask| last > 1 && ask.act == Act::Exit && ask.warp == warp) {
            Some(ask) => ask.lanes |= lanes,
            None => rounds.push_back(RoundAsk { warp, lanes, act: Act::Exit, aligned: false, releases: false }),
        }
    }

    /// Asks for the lanes of a warp that have come to `barrier.cluster`.
    pub(super) fn check_round(&mut self, cta: usize, warp: usize) {
        let block = &self.blocks[cta];
        let Warp { ready, live, .. } = block.warps[warp];
        let mut come: Option<(Round, u32)> = None;
        let mut stuck = ready == 0;
        for lane in each(u64::from(live)) {
            let runner = &block.runners[warp * 32 + lane];
            match (runner.state, &mut come) {
                (State::AtRound(round), Some((first, lanes))) if *first == round => *lanes |= 1 << lane,
                (State::AtRound(round), None) => come = Some((round, 1 << lane)),
                (State::AtRound(_), _) => {}
                (State::Together { .. } | State::AtBar { .. } | State::Claims(_), _) => {}
                _ => stuck = false,
            }
        }
        let Some((round, lanes)) = come else { return };
        if round.aligned && lanes != live && !stuck {
            return;
        }
        let Round { wait, aligned, releases } = round;
        let act = if wait { Act::Wait } else { Act::Arrive };
        if !wait {
            for lane in each(u64::from(lanes)) {
                self.comes_to_round(ThreadId::new(cta, warp * 32 + lane), releases);
            }
        }
        for lane in each(u64::from(lanes)) {
            self.blocks[cta].runners[warp * 32 + lane].state = State::Asked(round);
        }
        self.blocks[cta].rounds.push_back(RoundAsk { warp, lanes, act, aligned, releases });
    }

    /// Drives the wires of `barrier.cluster`.
    pub(super) fn drive_rounds(&mut self, cta: usize) {
        let (cluster, block) = (&mut self.cluster, &self.blocks[cta]);
        cluster.bar_req[cta].valid.next = !block.rounds.is_empty();
        if let Some(&RoundAsk { warp, lanes, act, aligned, releases }) = block.rounds.front() {
            cluster.bar_req[cta].op.next = u64::from(act.code()).into();
            cluster.bar_req[cta].warp.next = (warp as u64).into();
            cluster.bar_req[cta].lanes.next = u64::from(lanes).into();
            cluster.bar_req[cta].aligned.next = aligned;
            cluster.bar_req[cta].releases.next = releases;
        }
        cluster.bar_rsp[cta].ready.next = true;
    }

    /// What the wires of `barrier.cluster` say.
    pub(super) fn watch_rounds(&mut self, cta: usize) {
        if self.cluster.bar_req[cta].valid.val() && self.cluster.bar_req[cta].ready.val() {
            self.blocks[cta].rounds.pop_front();
            self.rested = 0;
        }
        if !self.cluster.bar_rsp[cta].valid.val() {
            return;
        }
        let warp = self.cluster.bar_rsp[cta].warp.val().index();
        let lanes = self.cluster.bar_rsp[cta].lanes.val().raw() as u32;
        let status =
            Status::from_code(self.cluster.bar_rsp[cta].status.val().raw()).unwrap_or(Status::IllegalOperation);
        self.rested = 0;
        for lane in each(u64::from(lanes)) {
            let thread = warp * 32 + lane;
            let Some(runner) = self.blocks[cta].runners.get_mut(thread) else { continue };
            let State::Asked(Round { wait, .. }) = runner.state else { continue }; // what it is told of is its exit
            let pc = runner.lane.pc;
            if status != Status::Ok {
                let id = ThreadId::new(cta, thread);
                let meaning =
                    status.meaning().trim_start_matches("Checked mode: ").trim_start_matches("`barrier.cluster`: ");
                let what = format!("barrier.cluster is refused: {meaning}");
                return self.fault(Fault {
                    what,
                    pc,
                    thread: id,
                    status: Some(status),
                    spot: None,
                    bug: None,
                    beside: None,
                });
            }
            runner.round += u64::from(!wait);
            if wait {
                self.leaves_round(ThreadId::new(cta, thread));
            }
            self.resume(cta, thread, &[]);
        }
    }
}
