//! `setmaxnreg` (PTX ISA 9.7.19.5) and the registers of a CTA.
//!
//! A multiprocessor has four parts, and warps w, w + 4, w + 8 ... of a CTA are in one. What a warp gives back is for warps
//! of its part. Found out on an H200: a warp that exits gives nothing back; `.inc` to fewer registers than the warp has, and
//! `.dec` to more, trap. ptxas leaves the instruction out of kernels whose registers at launch it cannot know.

use super::*;
use crate::effect::Claim;
use crate::machine::bars::threads_of;
use crate::residency::PARTS;

/// Registers of the warps of a CTA that executes `setmaxnreg`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Registers of each thread, by warp.
    pub of_warp: Vec<u32>,
    /// Registers that have been given back, by part.
    pub free: [u32; PARTS],
}

impl Registers {
    /// A CTA of this many warps at launch.
    pub fn new(warps: usize, registers: u32) -> Self {
        Self { of_warp: vec![registers.next_multiple_of(8); warps], free: [0; PARTS] }
    }

    /// Registers that a warp lacks to have this many for each thread.
    pub fn lacks(&self, warp: usize, registers: u32) -> u32 {
        32 * registers.saturating_sub(self.of_warp[warp])
    }

    /// A warp claims registers, or gives some back. Says whether it has them.
    ///
    /// # Errors
    /// It has more than it claims, or fewer than it wants to keep: how many.
    fn claim(&mut self, warp: usize, claim: Claim) -> Result<bool, u32> {
        let (part, has) = (warp % PARTS, self.of_warp[warp]);
        if claim.grows && claim.registers < has || !claim.grows && claim.registers > has {
            return Err(has);
        }
        let lacks = self.lacks(warp, claim.registers);
        if lacks > self.free[part] {
            return Ok(false);
        }
        self.free[part] = self.free[part] - lacks + 32 * has.saturating_sub(claim.registers);
        self.of_warp[warp] = claim.registers;
        Ok(true)
    }
}

/// Warps of a CTA that wait for registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterStanding {
    /// The CTA.
    pub cta: u8,
    /// The instruction.
    pub pc: usize,
    /// The warps, how many registers a thread of each has, how many it claims, and how many are free for it.
    pub warps: Vec<(usize, u32, u32, u32)>,
    /// Registers of each thread of all warps.
    pub of_warp: Vec<u32>,
}

impl Machine<'_> {
    /// Lanes of a warp have come to `setmaxnreg`, or others have exited: the warp executes it when all are there.
    pub(super) fn gather_at_registers(&mut self, cta: usize, warp: usize) {
        let block = &mut self.blocks[cta];
        let live = block.warps[warp].live;
        let mut claims = threads_of(warp, live).map(|thread| match block.runners[thread].state {
            State::Claims(claim) => Some(claim),
            _ => None,
        });
        let Some(Some(claim)) = claims.next() else { return };
        if !claims.all(|other| other == Some(claim)) {
            return;
        }
        match block.registers.as_mut().map_or(Ok(true), |registers| registers.claim(warp, claim)) {
            Ok(false) => return,
            Ok(true) => threads_of(warp, live).for_each(|thread| self.resume(cta, thread, &[])),
            Err(has) => {
                let (action, than) = if claim.grows { ("inc", "fewer") } else { ("dec", "more") };
                let what = format!(
                    "illegal instruction: setmaxnreg.{action} to {} registers, {than} than the {has} that a thread of warp {warp} has",
                    claim.registers
                );
                let thread = threads_of(warp, live).next().unwrap_or_default();
                return self.refuse(cta, thread, what);
            }
        }
        self.progress();
        if !claim.grows {
            let warps = self.blocks[cta].warps.len();
            (warp % PARTS..warps).step_by(PARTS).for_each(|warp| self.gather_at_registers(cta, warp));
        }
    }

    /// Threads that wait for registers.
    pub(super) fn register_standings(&self, groups: &[hang::Group]) -> Vec<RegisterStanding> {
        let standing = |group: &hang::Group| {
            let hang::Waits::Registers = group.waits else { return None };
            let block = &self.blocks[usize::from(group.cta)];
            let registers = block.registers.as_ref()?;
            let mut warps: Vec<(usize, u32, u32, u32)> = Vec::new();
            for thread in &group.threads {
                let (thread, warp) = (usize::from(*thread), usize::from(*thread) / 32);
                let State::Claims(claim) = block.runners[thread].state else { continue };
                if warps.last().is_none_or(|(last, ..)| *last != warp) {
                    warps.push((warp, registers.of_warp[warp], claim.registers, registers.free[warp % PARTS]));
                }
            }
            Some(RegisterStanding { cta: group.cta, pc: group.pc, warps, of_warp: registers.of_warp.clone() })
        };
        groups.iter().filter_map(standing).collect()
    }
}

impl RegisterStanding {
    /// What is missing, as a diagnosis.
    pub fn why(&self) -> Option<String> {
        let (warp, has, wants, free) =
            self.warps.iter().copied().find(|(_, has, wants, free)| 32 * (wants - has) > *free)?;
        let all: u32 = self.of_warp.iter().map(|registers| 32 * registers).sum();
        Some(format!(
            "warp {warp} has {has} registers a thread and asks for {wants}: {} more, and {free} have been given back by warps {}, {}, ... with it in one part of the multiprocessor; the warps of the CTA hold {all}",
            32 * (wants - has),
            warp % PARTS,
            warp % PARTS + PARTS,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an H200 did with 16 warps of 128 registers, of which the first four ask for more.
    #[test]
    fn registers_are_for_warps_of_the_same_part() {
        // warps that give back, how many each keeps, how many the first four ask for, which of these get them
        let cases: [(&[usize], u32, u32, [bool; 4]); 5] = [
            (&[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], 104, 168, [true; 4]),
            (&[4, 5, 6, 7], 104, 168, [false; 4]),
            (&[4, 5, 6, 7], 96, 160, [true; 4]),
            (&[4, 5, 6, 7], 96, 168, [false; 4]),
            (&[4], 24, 168, [true, false, false, false]),
        ];
        for (give, keep, ask, expected) in cases {
            let mut registers = Registers::new(16, 128);
            for warp in give {
                assert_eq!(registers.claim(*warp, Claim { registers: keep, grows: false }), Ok(true));
            }
            let got = [0, 1, 2, 3].map(|warp| registers.claim(warp, Claim { registers: ask, grows: true }) == Ok(true));
            assert_eq!(got, expected, "{give:?} keep {keep}, {ask} are asked for");
        }
    }

    #[test]
    fn the_wrong_way_is_refused() {
        let mut registers = Registers::new(4, 128);
        assert_eq!(registers.claim(0, Claim { registers: 128, grows: true }), Ok(true));
        assert_eq!(registers.claim(0, Claim { registers: 64, grows: true }), Err(128));
        assert_eq!(registers.claim(0, Claim { registers: 104, grows: false }), Ok(true));
        assert_eq!(registers.claim(0, Claim { registers: 120, grows: false }), Err(104));
        assert_eq!(registers.claim(0, Claim { registers: 128, grows: true }), Ok(true), "its own");
    }
}
