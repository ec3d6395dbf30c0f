//! Convergence of a warp's lanes, and the effect of an exit.

use super::*;
use crate::effect::Together;
use txbar_testbench::scoreboard::each;

impl Machine<'_> {
    /// A thread has exited: what its warp and its CTA wait for may be complete now.
    pub(super) fn exited(&mut self, cta: usize, thread: usize) {
        self.progress();
        let (warp, lane) = (thread / 32, thread % 32);
        let block = &mut self.blocks[cta];
        block.warps[warp].live &= !(1 << lane);
        block.live -= 1;
        self.count_out(cta, warp, 1 << lane);
        if self.blocks[cta].warps[warp].live == 0 {
            (0..bars::BARS).for_each(|number| self.check_bar(cta, number));
        } else {
            self.gather_at_bar(cta, warp);
            self.gather_at_registers(cta, warp);
        }
        let waits = (0..32).find_map(|lane| {
            let runner = self.blocks[cta].runners.get(warp * 32 + lane)?;
            if let State::Together { mask, what } = runner.state { Some((mask, what)) } else { None }
        });
        if let Some((mask, what)) = waits {
            self.check_together(cta, warp, mask, what);
        }
        self.check_round(cta, warp);
    }

    /// Lets the lanes of a mask go on, if all of them are there.
    pub(super) fn check_together(&mut self, cta: usize, warp: usize, mask: u32, what: Together) {
        let live = self.blocks[cta].warps[warp].live & mask;
        let mut asked = [None; 32];
        for lane in each(u64::from(live)) {
            match self.blocks[cta].runners[warp * 32 + lane].state {
                State::Together { mask: theirs, what: also }
                    if theirs == mask && std::mem::discriminant(&also) == std::mem::discriminant(&what) =>
                {
                    asked[lane] = Some(also);
                }
                _ => return,
            }
        }
        if let Together::Matrix { .. } = what {
            return self.come_to_matrices(cta, warp, live, &asked);
        }
        let mut results = [([0; 2], 0); 32];
        together::resolve(live, &asked, &mut results);
        self.lanes_meet(cta, bars::threads_of(warp, live), what == Together::Sync);
        for lane in each(u64::from(live)) {
            let (values, count) = results[lane];
            self.resume(cta, warp * 32 + lane, &values[..count]);
        }
    }
}
