//! Matrix instructions: when all lanes of a warp have come to one, what they bring is multiplied, and each is given its part.
//!
//! The tensor core is not txbar's hardware. What `wgmma` reads of shared memory it reads at once, beside the ports, out of the memory as
//! the hardware has it in this cycle. So each warp of the four does its part when it comes, and there is nothing left to be waited for:
//! a schedule that PTX allows.

use super::*;
use crate::effect::Together;
use crate::matrix::{Matrix, Registers};
use crate::thread::Now;

/// Warps that execute `wgmma` together.
const GROUP: usize = 4;

impl Machine<'_> {
    /// The lanes of a warp that live have come to matrix instructions.
    pub(super) fn compute_matrices(&mut self, cta: usize, warp: usize, live: u32, asked: &[Option<Together>; 32]) {
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
        let Some(Together::Matrix { pc }) = asked[0] else { return };
        let now = Now { cycle: self.cycle, nanoseconds: self.parameters.unit.nanoseconds(self.cycle), active: live };
        let runners = &self.blocks[cta].runners[first..first + 32];
        let brought = |runner: &Runner| self.program.matrix(pc, &runner.lane, &runner.place, now);
        let Some((matrix, _)) = brought(&runners[0]) else { return };
        let operands: Registers = runners.iter().filter_map(brought).map(|(_, operands)| operands).collect();
        let words = std::cell::RefCell::new(std::collections::BTreeSet::new());
        let results = match matrix {
            Matrix::Exchange(exchange) => Ok(exchange.resolve(&operands)),
            Matrix::Multiply(multiply)
                if multiply.grouped && (warp / GROUP + 1) * GROUP * 32 > self.blocks[cta].runners.len() =>
            {
                Err("wgmma is for four warps, and the CTA lacks some of them".to_string())
            }
            Matrix::Multiply(multiply) => multiply.resolve(warp % GROUP, &operands, &|address| {
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
        let Some(results) = self.granted(cta, thread, results) else { return };
        self.multiplies(cta, warp, &matrix, &words.into_inner().into_iter().collect::<Vec<_>>());
        self.lanes_meet(cta, warp, live, false);
        for (lane, results) in results.iter().enumerate() {
            self.resume(cta, first + lane, results);
        }
    }
}
