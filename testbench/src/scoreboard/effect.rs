//! Effect of a request: as the model computes it, and suspended if there is room.

use super::{Failure, Issued, REMARKS_KEPT, Scoreboard, Suspended, Waiting, holds};
use crate::checked_model::{Deed, Remark};
use crate::engine::Done;
use crate::model::{Fault, Outcome};
use crate::request::Response;
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;
use txbar_rtl::word::PHASE;

/// What a request did besides its answer.
pub(super) enum Effect {
    /// Completion of a word's phase.
    Completes(usize),
    /// End or replacement of the barrier in a word.
    Ends(usize),
    /// Nothing.
    Other,
}

/// Cycles before its effect in which it is decided whether a wait of the banked high-clock build finds an entry.
const DECIDED: u64 = 2;

impl Scoreboard {
    /// A request takes effect.
    pub(super) fn effect(&mut self, cycle: u64, place: usize, done: &Done) -> Result<Effect, Box<Failure>> {
        let port = done.port;
        let position = match &self.fabric {
            Some(_) => self.due(cycle, place, done)?,
            None => self.next(cycle, port, done)?,
        };
        let Some(Issued { accepted, request, index, call }) = self.issued[port].remove(position) else {
            unreachable!("it was found there")
        };
        let before = self.memory.word(index);
        let mut outcome = self.memory.serve(&request);
        if let Some(number) = request.register().filter(|_| self.parameters.counters && request.address % 8 == 0) {
            let answer = Response { tag: request.tag, status: 0, predicate: false, data: 0, resumed: false };
            let data = self.counted[port].register(number, cycle + self.begins, self.flipped);
            outcome = Outcome { response: Some(Response { data, ..answer }), fault: None };
        }
        let silicon = outcome.fault.map_or(Status::Ok, Fault::status);
        let completed = PHASE.of(before ^ self.memory.word(index)) != 0
            && !matches!(request.operation(), Some(Op::Store | Op::Init | Op::Inval));
        let status = if self.parameters.checked {
            let waited = self.suspended.iter().flatten().any(|wait| wait.over.is_none() && wait.waiting.index == index);
            let predicate = outcome.response.is_some_and(|answer| answer.predicate);
            let op = request.operation();
            self.lives[index].judge(Deed { op, status: silicon, predicate, completes: completed, waited })
        } else {
            silicon
        };
        if let Some(answer) = &mut outcome.response {
            answer.status = status.code();
        }
        if status.is_remark() {
            self.tally.remarks += 1;
            if self.remarks.len() < REMARKS_KEPT {
                self.remarks.push(Remark {
                    status: status.name(),
                    word: index,
                    phase: PHASE.of(before) as u8,
                    port,
                    tag: request.tag,
                    cycle,
                    request: request.to_string(),
                });
            }
        }
        let counted = &mut self.counted[port];
        counted.operations[usize::from(request.op)] += 1;
        counted.faults += (status != Status::Ok) as u64;
        if let Some(call) = self.histories[index].call(call) {
            call.done = Some(cycle);
        }
        if done.status != status.code() {
            let what = format!("port {port} reports `{done}` where {} was expected for `{request}`", status.name());
            return Err(self.failure(cycle, what, index));
        }
        self.tally.faults += outcome.fault.is_some() as u64;
        let limit = request.limit_ns().filter(|limit| *limit > 0);
        let limit = limit.filter(|_| outcome.response.is_some_and(|answer| answer.status == 0 && !answer.predicate));
        let suspends = done.suspended;
        let wrong = match self.parameters.wake_mask {
            true if request.limit_ns().is_some() => self.entry(cycle, port, request.tag, limit.is_some(), suspends),
            true => suspends.then(|| "it is not a wait".to_owned()),
            false => self.room(cycle, place, port, limit.is_some(), suspends),
        };
        if let Some(why) = wrong {
            let is = if suspends { "is" } else { "is not" };
            let what = format!("`{request}` of port {port} {is} suspended, where {why}");
            return Err(self.failure(cycle, what, index));
        }
        if let Some(expected) = outcome.response {
            let mut waiting = Waiting { accepted, request, expected, index, call };
            match limit {
                Some(limit) if suspends => {
                    waiting.expected.resumed = true;
                    let until = self.parameters.give_up(cycle + self.begins, limit, request.tag) - self.begins;
                    self.suspended[port].push(Suspended { waiting, until, over: None });
                    self.tally.suspended += 1;
                    self.counted[port].suspended += 1;
                }
                _ => {
                    if holds(&request) {
                        self.held.insert((port, self.parameters.thread(request.tag)), (accepted, cycle));
                    }
                    self.waiting[port].push_back(waiting);
                }
            }
            self.tally.rejected += (limit.is_some() && !suspends) as u64;
            self.counted[port].rejected += (limit.is_some() && !suspends && self.parameters.waiters > 0) as u64;
        }
        if outcome.fault.is_none() && matches!(request.operation(), Some(Op::Store | Op::Init | Op::Inval)) {
            return Ok(Effect::Ends(index));
        }
        Ok(if completed { Effect::Completes(index) } else { Effect::Other })
    }

    /// A request takes effect that is suspended, or not, where it would be if there is room in its table (`would`). Says what is wrong
    /// with that.
    fn room(&self, cycle: u64, place: usize, port: usize, would: bool, suspends: bool) -> Option<String> {
        let taken = match &self.fabric {
            Some(_) => {
                // whether there is room is decided before the effect: an answer that has left meanwhile may still count
                let late =
                    |(freed, index): &&(u64, usize)| freed + DECIDED >= cycle && index % self.parameters.banks == place;
                let taken = self.taken_of_bank(place);
                *taken.start()..=taken.end() + self.freed.iter().flatten().filter(late).count()
            }
            None => {
                // an entry is free from the second cycle after its answer on
                let leaves = self.freed[port].is_some_and(|(freed, _)| freed + 1 == cycle);
                let taken = self.suspended[port].len() + usize::from(leaves);
                taken..=taken
            }
        };
        let entries = self.parameters.entries();
        let may = if suspends { would && *taken.start() < entries } else { *taken.end() >= entries };
        let taken = if suspends { taken.start() } else { taken.end() };
        (!may && (suspends || would)).then(|| format!("{taken} of {entries} entries are taken"))
    }
}
