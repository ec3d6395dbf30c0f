//! Where threads of a CTA wait for each other without the hardware: its barriers, and what lanes of a warp do together.

use super::*;
use crate::effect::{Bar, Together};
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
        for number in 0..bars::BARS {
            self.check_bar(cta, number);
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

    /// Lets the threads go on that waited for a barrier of the CTA, if it is complete.
    pub(super) fn check_bar(&mut self, cta: usize, number: usize) {
        // those that only arrive go on at once, unless they complete it
        let block = &mut self.blocks[cta];
        let warps = &block.warps;
        let complete = block.bars.complete(number, |warp| warps[warp].live);
        let arrivers: Vec<usize> = (0..block.runners.len())
            .filter(|thread| {
                let state = block.runners[*thread].state;
                matches!(state, State::AtBar { number: at, bar: Bar::Arrive } if usize::from(at) == number)
            })
            .collect();
        for thread in arrivers {
            self.resume(cta, thread, &[]);
        }
        let Some(complete) = complete else { return };
        self.progress();
        let lanes = |masks: &[u32]| -> Vec<usize> {
            let of = |(warp, mask): (usize, &u32)| {
                let mask = *mask;
                each(u64::from(mask)).map(move |lane| warp * 32 + lane)
            };
            masks.iter().enumerate().flat_map(of).collect()
        };
        let runners = &self.blocks[cta].runners;
        let known = lanes(&complete.come).iter().fold(0, |known, thread| known | runners[*thread].knows);
        for thread in lanes(&complete.waiting) {
            let runner = &mut self.blocks[cta].runners[thread];
            runner.knows |= known;
            self.early.orders(ThreadId::new(cta, thread), self.cycle);
            let runner = &self.blocks[cta].runners[thread];
            let State::AtBar { bar, .. } = runner.state else { continue };
            match bar {
                Bar::Popc(_) => self.resume(cta, thread, &[u64::from(complete.count)]),
                Bar::And(_) => self.resume(cta, thread, &[complete.and as u64]),
                Bar::Or(_) => self.resume(cta, thread, &[(complete.count > 0) as u64]),
                _ => self.resume(cta, thread, &[]),
            }
        }
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
            return self.compute_matrices(cta, warp, live, &asked);
        }
        let mut results = [([0; 2], 0); 32];
        together::resolve(live, &asked, &mut results);
        let lanes = each(u64::from(live));
        let runners = &self.blocks[cta].runners;
        let known = lanes.clone().fold(0, |known, lane| known | runners[warp * 32 + lane].knows);
        for lane in lanes {
            let thread = warp * 32 + lane;
            self.blocks[cta].runners[thread].knows |= known;
            self.early.orders(ThreadId::new(cta, thread), self.cycle);
            let (values, count) = results[lane];
            self.resume(cta, thread, &values[..count]);
        }
    }
}
