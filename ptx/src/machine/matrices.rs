//! Matrix instructions: when all lanes of a warp have arrived at one, it is executed and its results are distributed.
//!
//! The warps of a warpgroup meet at each `wgmma.mma_async`: none goes on before all four have come. `wgmma.fence`,
//! `wgmma.commit_group` and `wgmma.wait_group` make no warp wait for another (H200, one warp 200 µs late at each of them; kernel `wgmma_meets`).
//!
//! The tensor core is not txbar's hardware. What `wgmma` reads of shared memory it reads at once, beside the ports, out of the memory as
//! the hardware has it in this cycle, so that there is nothing left for `wgmma.wait_group` to wait for.

use super::bar_verdict::does;
use super::diagnose::Diagnosis;
use super::hang::Group;
use super::*;
use crate::effect::Together;
use crate::matrix::{Matrix, Registers};
use crate::thread::Now;
use std::ops::Range;

/// Warps of a warpgroup.
const WARPS: usize = 4;

/// The warps of the warpgroup of a warp.
pub(super) fn warpgroup(warp: usize) -> Range<usize> {
    let first = warp / WARPS * WARPS;
    first..first + WARPS
}

impl Machine<'_> {
    /// The lanes of a warp that live have come to matrix instructions.
    pub(super) fn come_to_matrices(&mut self, cta: usize, warp: usize, live: u32, asked: &[Option<Together>; 32]) {
        let first = warp * 32;
        let thread = first + live.trailing_zeros() as usize;
        if live != u32::MAX {
            let missing = (!live).trailing_zeros();
            return self.refuse(
                cta,
                thread,
                format!("a matrix instruction is for all lanes of a warp: lane {missing} is not there"),
            );
        }
        if asked.iter().any(|also| *also != asked[0]) {
            return self.refuse(cta, thread, "lanes of a warp have come to different matrix instructions".to_string());
        }
        let Some(Together::Matrix { pc, grouped }) = asked[0] else { return };
        if !grouped {
            return self.compute_matrices(cta, warp..warp + 1, pc);
        }
        let warps = warpgroup(warp);
        if warps.end * 32 > self.blocks[cta].runners.len() {
            return self.refuse(cta, thread, "wgmma is for four warps, and the CTA lacks some of them".to_string());
        }
        for other in warps.clone() {
            match self.multiplies_at(cta, other) {
                Some(at) if at == pc => {}
                Some(_) => {
                    let what =
                        format!("warps {other} and {warp} of a warpgroup have come to different wgmma instructions");
                    return self.refuse(cta, thread, what);
                }
                None => return,
            }
        }
        self.compute_matrices(cta, warps, pc);
    }

    /// The `wgmma.mma_async` to which all lanes of a warp have come.
    fn multiplies_at(&self, cta: usize, warp: usize) -> Option<usize> {
        let at = |runner: &Runner| match runner.state {
            State::Together { what: Together::Matrix { pc, grouped: true }, .. } => Some(pc),
            _ => None,
        };
        let runners = &self.blocks[cta].runners[warp * 32..(warp + 1) * 32];
        let first = at(&runners[0])?;
        runners.iter().all(|runner| at(runner) == Some(first)).then_some(first)
    }

    /// Why warps of a warpgroup wait at `wgmma.mma_async` for ever.
    pub(super) fn about_warpgroup(&self, group: &Group, first: usize) -> Diagnosis {
        let block = &self.blocks[usize::from(group.cta)];
        let [mut here, mut elsewhere, mut ended] = [0; 3];
        for warp in warpgroup(first) {
            let misses = group.missing.iter().any(|thread| usize::from(thread / 32) == warp);
            let which = match block.warps[warp].live {
                0 => &mut ended,
                _ if misses => &mut elsewhere,
                _ => &mut here,
            };
            *which |= 1u32 << warp;
        }
        let each = [
            does(here, "executes wgmma.mma_async", "execute wgmma.mma_async"),
            does(elsewhere, "waits elsewhere", "wait elsewhere"),
            does(ended, "has ended", "have ended"),
        ];
        let each: Vec<String> = each.into_iter().flatten().collect();
        let why = format!("all four warps of a warpgroup execute it together: {}", each.join(", "));
        Diagnosis::new(Bug::NotReached, group.pc, why)
    }

    /// Warps execute a matrix instruction together.
    fn compute_matrices(&mut self, cta: usize, warps: Range<usize>, pc: usize) {
        let results: Vec<_> = warps.clone().map_while(|warp| self.compute_matrix(cta, warp, pc)).collect();
        if results.len() < warps.len() {
            return;
        }
        let threads = warps.start * 32..warps.end * 32;
        self.lanes_meet(cta, threads.clone(), false);
        for (thread, results) in threads.zip(results.iter().flatten()) {
            self.resume(cta, thread, results);
        }
    }

    /// The results of a warp's matrix instruction; nothing if it cannot be executed.
    fn compute_matrix(&mut self, cta: usize, warp: usize, pc: usize) -> Option<Registers> {
        let first = warp * 32;
        let now =
            Now { cycle: self.cycle, nanoseconds: self.parameters.unit.nanoseconds(self.cycle), active: u32::MAX };
        let runners = &self.blocks[cta].runners[first..first + 32];
        let brought = |runner: &Runner| self.program.matrix(pc, &runner.lane, &runner.place, now);
        let (matrix, _) = brought(&runners[0])?;
        let operands: Registers = runners.iter().filter_map(brought).map(|(_, operands)| operands).collect();
        let words = std::cell::RefCell::new(std::collections::BTreeSet::new());
        let results = match matrix {
            Matrix::Exchange(exchange) => Ok(exchange.resolve(&operands)),
            Matrix::Multiply(multiply) => multiply.resolve(warp % WARPS, &operands, &|address| {
                if address + 8 > self.shared_bytes.next_multiple_of(8) {
                    let bytes = self.shared_bytes;
                    return Err(format!(
                        "a matrix descriptor leads to {address:#x}: the CTA has {bytes} bytes of shared memory"
                    ));
                }
                words.borrow_mut().insert(address);
                Ok(self.word(Spot { cta: cta as u8, offset: address })) // there are 8 CTAs at most
            }),
        };
        let results = self.granted(cta, first, results)?;
        self.multiplies(cta, warp, &matrix, &words.into_inner().into_iter().collect::<Vec<_>>());
        Some(results)
    }
}
