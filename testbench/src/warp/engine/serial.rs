//! Instructions one after the other: what recordings of warps are compared with, on any engine.

use super::Engine;
use crate::request::{Request, Response};
use crate::warp::Instruction;
use crate::warp::check::{Seen, Target, faults};
use crate::warp::memory::Access;
use txbar_rtl::op::Op;
use txbar_rtl::warp::access::Size;

/// Cycles without an answer after which none is awaited any more.
const PATIENCE: usize = 1000;

/// Executes instructions one after the other on the first port for warps of an engine; words go through the first port for threads.
pub struct Serial<E>(pub E);

impl<E: Engine> Serial<E> {
    /// Requests of a thread, in order.
    fn threads(&mut self, requests: &[Request]) -> Vec<Response> {
        let engine = &mut self.0;
        let (mut sent, mut answers, mut idle) = (0, Vec::new(), 0);
        engine.drive_thread_ready(0, true);
        while answers.len() < requests.len() && idle < PATIENCE {
            idle += 1;
            // one tag each: on different banks they may change places, and their answers with them
            let tagged = requests.get(sent).map(|request| request.tagged(sent as u16));
            engine.drive_thread(0, tagged.as_ref());
            engine.settle();
            if let Some(told) = engine.thread_told(0) {
                answers.push(told);
                idle = 0;
            }
            sent += usize::from(tagged.is_some() && engine.thread_accepted(0));
            engine.clock(false);
        }
        engine.drive_thread(0, None);
        answers.sort_by_key(|told| told.tag);
        answers
    }

    /// A load or store of a warp: status and data that its lanes are told.
    pub fn memory(&mut self, access: &Access) -> Vec<Option<(u8, u128)>> {
        let engine = &mut self.0;
        let mut told = vec![None; access.lanes.len()];
        let (mut waiting, mut sent, mut idle) = (access.mask(), false, 0);
        engine.drive_memory_ready(0, true);
        while (!sent || waiting != 0) && idle < PATIENCE {
            idle += 1;
            if !sent {
                engine.drive_memory(0, access, 1);
            }
            engine.settle();
            if let Some(answer) = engine.memory_told(0) {
                for (lane, told) in told.iter_mut().enumerate().filter(|(lane, _)| answer.lanes >> lane & 1 == 1) {
                    *told = Some((answer.status, answer.data[lane]));
                }
                waiting &= !answer.lanes;
                idle = 0;
            }
            let accepted = !sent && engine.warp_accepted(0);
            engine.clock(false);
            if accepted {
                sent = true;
                engine.drive_warp(0, None, 0, 0);
            }
        }
        told
    }

    /// An instruction of a warp: what its lanes are told.
    fn warp(&mut self, instruction: &Instruction) -> Vec<Option<Response>> {
        let engine = &mut self.0;
        let mut told = vec![None; instruction.lanes.len()];
        let mut waiting = if instruction.op.is_posted() { 0 } else { instruction.mask() };
        let (mut sent, mut idle) = (false, 0);
        engine.drive_warp_ready(0, true);
        while (!sent || waiting != 0) && idle < PATIENCE {
            idle += 1;
            engine.drive_warp(0, (!sent).then_some(instruction), 1, 0); // a wait is answered at once
            engine.settle();
            if let Some(answer) = engine.warp_told(0) {
                for (lane, told) in told.iter_mut().enumerate().filter(|(lane, _)| answer.lanes >> lane & 1 == 1) {
                    *told = Some(answer.of_lane(lane));
                }
                waiting &= !answer.lanes;
                idle = 0;
            }
            sent |= engine.warp_accepted(0);
            engine.clock(false);
        }
        engine.drive_warp(0, None, 0, 0);
        told
    }
}

impl<E: Engine> Target for Serial<E> {
    fn words(&self) -> usize {
        self.0.parameters().unit.words
    }

    fn lanes(&self) -> usize {
        self.0.parameters().lanes
    }

    fn execute(&mut self, words: &[u64], instructions: &[Instruction]) -> Seen {
        let address = |number: usize| number as u32 * 8;
        let store = |(number, word): (usize, &u64)| Request::new(Op::Store, address(number)).with(*word);
        self.threads(&words.iter().enumerate().map(store).collect::<Vec<_>>());
        let mut answers = Vec::new();
        for instruction in instructions {
            answers.push(self.warp(instruction));
            if faults(&answers) {
                break;
            }
            if instruction.op.is_posted() {
                // nobody says when it is done; the same lanes' loads are done after it
                if self.0.parameters().memory {
                    let addresses = instruction.lanes.iter().flatten().map(|lane| lane.address);
                    self.memory(&Access::load(Size::Eight, addresses));
                } else {
                    self.warp(&Instruction { op: Op::Load, remote: false, elsewhere: false, ..instruction.clone() });
                }
            }
        }
        let load = |number| Request::new(Op::Load, address(number));
        let loaded = self.threads(&(0..words.len()).map(load).collect::<Vec<_>>());
        Seen { answers, words: loaded.into_iter().map(|told| told.data).collect() }
    }
}
