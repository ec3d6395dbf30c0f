//! Results of the hardware in a cycle: requests that took effect, and answers.

use super::access::atomic;
use super::outward::words;
use super::ports::untag;
use super::*;
use crate::address::Location;
use crate::effect::Access;
use crate::machine::early::Pass;
use crate::machine::races::Bytes;
use txbar_rtl::copies::messages::request;
use txbar_rtl::op::{Amount, Op, Reply};
use txbar_testbench::engine::rtl::request_of;
use txbar_testbench::request::Request;
use txbar_testbench::scoreboard::each;

/// An answer at a port.
pub(super) struct Answer {
    pub(super) status: Status,
    pub(super) predicate: bool,
    /// What is loaded; with a load of its warp, a lane's own bytes alone, the first 8 of them.
    pub(super) data: u64,
    /// The next 8.
    pub(super) upper: u64,
    /// How many lanes are answered with it.
    pub(super) lanes: u32,
}

/// What this many lanes do, as it is written in PTX.
fn of_lanes(op: Op, lanes: u32) -> String {
    if lanes > 1 { format!("{} of {lanes} lanes", op.ptx()) } else { op.ptx().to_owned() }
}

/// Whether an operation arrives.
fn arrives(op: Op) -> bool {
    matches!(op.meaning().arrives, Amount::One | Amount::Operand)
}

/// Whether an operation asks without changing anything.
fn only_asks(op: Op) -> bool {
    matches!(op.reply(), Reply::Predicate | Reply::Count | Reply::Word)
}

impl Machine<'_> {
    /// Requests that take effect in a CTA's unit, and phases that complete.
    pub(super) fn watch_effects(&mut self, cta: usize) {
        let users = self.parameters.askers();
        let copies = self.parameters.copy_port();
        let accepted = self.cluster.cta[cta].unit.req_ready.val().raw();
        if self.parameters.ctas > 1 && accepted >> users & 1 != 0 {
            let unit = &self.cluster.cta[cta].unit;
            let head = self.cluster.cta[cta].get_words[0][0].val().raw();
            let [from, port] = [request::RANK, request::PORT].map(|lsb| (head >> lsb & 7) as usize);
            let word = request_of(unit, users).address / 8;
            let visitor = Visitor { cta: from, port, tag: (head >> request::TAG) as u16, word };
            self.visitors[cta].push_back(visitor);
        }
        let warps = self.parameters.unit.ports;
        if accepted >> warps & 1 != 0 {
            self.watch_accepted(cta, warps);
        }
        if accepted >> copies & 1 != 0 {
            let request = request_of(&self.cluster.cta[cta].unit, copies);
            if let Some(op) = request.operation() {
                self.landing[cta].push_back((request.address / 8, op, request.data));
            }
        }
        // in a group that completes several phases, one phase after the other
        let unit = &self.cluster.cta[cta].unit;
        let done = unit.done_valid.val().raw();
        let last = each(done).map(|port| unit.completions_ahead(port)).max().unwrap_or(0);
        for phase in 0..=last {
            self.take_effects_of(cta, done, phase);
        }
    }

    /// What takes effect at some ports of a CTA when so many phases have completed in the cycle, and the phase that completes then.
    fn take_effects_of(&mut self, cta: usize, done: u64, phase: u32) {
        let users = self.parameters.askers();
        let copies = self.parameters.copy_port();
        for port in each(done) {
            let unit = &self.cluster.cta[cta].unit;
            if unit.completions_ahead(port) != phase {
                continue;
            }
            let index = unit.done_index[port].val().index() as u32;
            let status = Status::from_code(unit.done_status[port].val().raw()).unwrap_or(Status::IllegalOperation);
            let tag = unit.done_tag[port].val().raw() as u16;
            let spot = Spot { cta: cta as u8, offset: index * 8 };
            self.tally.operations += 1;
            let update = if port == self.parameters.unit.ports { self.with_copies(cta, index, tag) } else { None };
            if let Some(update) = update {
                self.arrived_with_copies(spot, update, status);
            } else if port < users {
                self.take_effect(cta, port, tag, spot, status);
            } else if port == copies {
                self.landed(spot, index, status);
            } else if let Some(place) = self.visitors[cta].iter().position(|visitor| visitor.word == index) {
                let Visitor { cta, port, tag, .. } = self.visitors[cta].remove(place).expect("it was just found");
                self.take_effect(cta, port, tag, spot, status);
            }
        }
        let unit = &self.cluster.cta[cta].unit;
        for bank in each(unit.flip_valid.val().raw()) {
            // what completes last completes behind all that has been done
            if self.cluster.cta[cta].unit.completions(bank) <= phase {
                continue;
            }
            let offset = self.cluster.cta[cta].unit.flip_index[bank].val().index() as u32 * 8;
            self.phase_completes(Spot { cta: cta as u8, offset });
            self.tally.phases += 1;
            self.last_phase = Some(self.cycle);
            self.progress();
        }
    }

    /// A request that has this tag at a port of a CTA takes effect.
    fn take_effect(&mut self, cta: usize, port: usize, tag: u16, spot: Spot, status: Status) {
        let (threads, number) = self.named(cta, port, tag);
        for thread in threads {
            self.took_effect(ThreadId { cta: cta as u8, thread }, number, spot, status);
        }
    }

    /// A thread's request takes effect.
    fn took_effect(&mut self, who: ThreadId, number: usize, spot: Spot, status: Status) {
        let before = self.word(spot);
        let runner = &mut self.blocks[usize::from(who.cta)].runners[usize::from(who.thread)];
        let Some(pending) = &mut runner.pending[number] else { return };
        pending.before = Some(before);
        let Pending { asked, data, pc, mark, .. } = *pending;
        if let Asked::Barrier { op, .. } = asked {
            self.trace.note(Traced { cycle: self.cycle, spot, op, pc });
        }
        match asked {
            Asked::Barrier { op, .. } if status == Status::Ok || status.is_remark() => {
                if !only_asks(op) {
                    self.progress();
                }
                match op {
                    Op::Init => {
                        let name = self.name(who);
                        self.findings.initialised(spot, who, &name);
                    }
                    _ if only_asks(op) => {}
                    _ => self.early.uses(who, spot),
                }
                self.observer.done(spot, op, data, (Some(who), pc));
                if arrives(op) {
                    self.arrived(who, spot, pc, mark);
                }
            }
            Asked::Store { changes: true } | Asked::AtomStore { changes: true, .. } | Asked::Layout { .. } => {
                self.progress()
            }
            _ => {}
        }
    }

    /// What a copy does to a barrier takes effect.
    fn landed(&mut self, spot: Spot, index: u32, status: Status) {
        self.progress();
        let landing = &mut self.landing[usize::from(spot.cta)];
        let Some(place) = landing.iter().position(|(word, ..)| *word == index) else { return };
        let (_, op, data) = landing.remove(place).expect("it was just found");
        let (thread, pc) = self.copiers.get(&spot).copied().unwrap_or_default();
        self.trace.note(Traced { cycle: self.cycle, spot, op, pc });
        if status == Status::Ok || status.is_remark() {
            self.observer.done(spot, op, data, (None, pc));
            self.bytes_land(spot, data & 0xffff_ffff);
        }
        self.landed_wrong(spot, op, (thread, pc), status, 1);
    }

    /// What nobody waits for has taken effect for this many lanes: what is wrong with it, if anything is.
    pub(super) fn landed_wrong(
        &mut self,
        spot: Spot,
        op: Op,
        (thread, pc): (ThreadId, usize),
        status: Status,
        lanes: u32,
    ) {
        let Some(bug) = Bug::of(status, op).filter(|_| status != Status::Ok) else { return };
        let bug = self.cause(Some(bug), spot, self.word(spot), (thread, pc), lanes).unwrap_or(bug);
        let detail = format!("{}: {}", of_lanes(op, lanes), status.meaning());
        self.find(bug, pc, thread, spot, Some(status), detail);
    }

    /// Requests that a CTA's ports accept, and answers that they show.
    pub(super) fn watch_ports(&mut self, cta: usize) {
        let accepted = self.cluster.req_valid[cta].val().raw() & self.cluster.req_ready[cta].val().raw();
        for port in each(accepted) {
            let request = self.blocks[cta].ports[port].pop_front();
            self.tally.remote_requests += request.is_some_and(|request| request.remote) as u64;
        }
        for port in each(self.cluster.rsp_valid[cta].val().raw()) {
            let answer = Answer {
                status: Status::from_code(self.cluster.rsp[cta][port].status.val().raw())
                    .unwrap_or(Status::IllegalOperation),
                predicate: self.cluster.rsp[cta][port].predicate.val(),
                data: self.cluster.rsp[cta][port].data.val().raw(),
                upper: 0,
                lanes: 1,
            };
            let (thread, number) = untag(self.cluster.rsp[cta][port].tag.val().raw() as u16);
            self.answered(cta, usize::from(thread), number, answer);
        }
    }

    /// A thread is answered.
    pub(super) fn answered(&mut self, cta: usize, thread: usize, number: usize, answer: Answer) {
        let runner = &mut self.blocks[cta].runners[thread];
        let Some(pending) = runner.pending[number].take() else { return };
        self.rested = 0;
        let Pending { asked, spot, pc, before, .. } = pending;
        let id = ThreadId::new(cta, thread);
        let op = match asked {
            Asked::Barrier { op, .. } => op,
            Asked::Load { .. } | Asked::AtomLoad { .. } | Asked::Carry { .. } => Op::Load,
            Asked::Layout { stored: false } | Asked::CheckLayout { .. } => Op::Load,
            Asked::Store { .. } | Asked::AtomStore { .. } | Asked::Layout { stored: true } => Op::Store,
            Asked::Reach { stores, .. } => [Op::Load, Op::Store][usize::from(stores)],
        };
        // a store to the barrier that the instruction itself has made
        let own = asked == Asked::Layout { stored: true } && answer.status == Status::StoreToBarrier;
        if answer.status != Status::Ok && !own {
            let bug = Bug::of(answer.status, op);
            if !answer.status.is_remark() {
                let misaligned = answer.status == Status::Misaligned;
                let at = if misaligned { format!(" at {:#x}", spot.offset) } else { String::new() };
                let what = format!("{}{at} is refused: {}", of_lanes(op, answer.lanes), answer.status.meaning());
                let spot = Spot { offset: spot.offset & !7, ..spot };
                // a fault from another CTA has marked the word since
                let word = before.unwrap_or_else(|| self.word(spot));
                let coming = observe::arrivals(op, pending.data) * answer.lanes;
                let bug = self.cause(bug, spot, word, (id, pc), coming);
                let again = match self.observer.at(spot).filter(|_| bug == Some(Bug::MissingWait)) {
                    Some(watch) => format!(
                        " {} has arrived in phase {} already, and has waited for nothing that comes behind that",
                        self.name(id),
                        watch.phase
                    ),
                    None => String::new(),
                };
                let what = what + &again;
                let spot = Some((spot, word));
                return self.fault(Fault {
                    what,
                    pc,
                    thread: id,
                    status: Some(answer.status),
                    spot,
                    bug,
                    beside: None,
                });
            }
            if let Some(bug) = bug {
                self.remarked(bug, pending, id, answer.status);
            }
        }
        match asked {
            Asked::Load { word, access } => {
                let runner = &mut self.blocks[cta].runners[thread];
                runner.words[usize::from(word)] = answer.data;
                let Location::Shared { offset, .. } = access.location else { return };
                let from = spot.offset.max(offset);
                let bytes = (spot.offset + 8).min(offset + access.bytes()) - from;
                self.has_seen(id, pc, Bytes::Of(Spot { offset: from, ..spot }, bytes));
                self.one_answer_less(cta, thread, |runner, values| {
                    extract(&runner.words, access, values);
                    usize::from(access.count)
                });
            }
            Asked::Carry { word } => {
                self.blocks[cta].runners[thread].carriage[usize::from(word)] = answer.data;
                self.progress();
            }
            Asked::Store { .. } => self.blocks[usize::from(spot.cta)].has_stored(spot.offset),
            Asked::Reach { access, stores, .. } => {
                let Location::Shared { offset, .. } = access.location else { return };
                if stores {
                    let block = &mut self.blocks[cta];
                    words(Spot { offset, ..spot }, access.bytes()).for_each(|word| block.has_stored(word));
                    return;
                }
                self.has_seen(id, pc, Bytes::Of(Spot { offset, ..spot }, access.bytes()));
                let words = &mut self.blocks[cta].runners[thread].words;
                [words[0], words[1]] = [answer.data << (8 * (offset % 8)), answer.upper];
                self.one_answer_less(cta, thread, |runner, values| {
                    extract(&runner.words, access, values);
                    usize::from(access.count)
                });
            }
            Asked::AtomLoad { access, atom, meaning, operands } => {
                let Location::Shared { offset, .. } = access.location else { return };
                let shift = 8 * (offset % 8);
                let mask = u64::MAX >> (64 - 8 * u32::from(access.width));
                let old = answer.data >> shift & mask;
                let new = atomic(atom, meaning, access.width, old, operands);
                let strobe = (((1u16 << access.width) - 1) << (offset % 8)) as u8;
                if new != old {
                    self.wrote(cta, thread, Spot { offset, ..spot }, u32::from(access.width));
                }
                let request = Request { strobe, ..Request::new(Op::Store, 0) }.with(new << shift);
                self.ask(cta, thread, spot, Asked::AtomStore { access, old, changes: new != old }, request);
            }
            Asked::AtomStore { access, old, .. } => {
                let Location::Shared { offset, .. } = access.location else { return };
                self.blocks[usize::from(spot.cta)].locked.remove(&spot.offset);
                self.has_seen(id, pc, Bytes::Of(Spot { offset, ..spot }, access.bytes()));
                self.one_answer_less(cta, thread, |_, values| {
                    values[0] = old;
                    1
                });
            }
            Asked::Barrier { v1: true, .. } => self.loads_layout(cta, thread, spot),
            Asked::Layout { stored } => self.gives_layout(cta, thread, spot, answer.data, stored),
            Asked::CheckLayout { v1 } => {
                self.has_layout(pending, id);
                self.one_answer_less(cta, thread, |_, values| {
                    values[0] = u64::from((answer.data & 1 != 0) == v1);
                    1
                });
            }
            Asked::Barrier { op, operand, answered, .. } => {
                let result = match op.reply() {
                    Reply::Predicate => answer.predicate as u64,
                    _ => answer.data,
                };
                if op.reply() == Reply::Predicate {
                    self.was_told(cta, thread, spot, (op, operand, pc), answer.predicate);
                }
                let runner = &mut self.blocks[cta].runners[thread];
                if op.reply() == Reply::Token {
                    let phase = self.observer.arrived_in(spot, id);
                    runner.tokens.push_front(Token { value: answer.data, spot, phase });
                    runner.tokens.truncate(TOKENS);
                }
                if answered {
                    self.one_answer_less(cta, thread, |_, values| {
                        values[0] = result;
                        1
                    });
                }
            }
        }
    }

    /// A wait has been answered.
    fn was_told(&mut self, cta: usize, thread: usize, spot: Spot, (op, operand, pc): (Op, u64, usize), passed: bool) {
        let id = ThreadId::new(cta, thread);
        let cycle = self.cycle;
        let runner = &mut self.blocks[cta].runners[thread];
        if passed {
            runner.failing = None;
            self.observer.passes(spot, id);
            let by_parity = waits_by_parity(op);
            // a token has the parity of its phase in its highest bit
            let parity = if by_parity { operand & 1 } else { operand >> 63 };
            self.has_waited(id, spot, pc, parity as u32);
            match self.observer.in_first_phase(spot, id) {
                Some(arrived) if by_parity && operand & 1 == 1 => {
                    self.early.passes(Pass { thread: id, spot, pc }, arrived);
                }
                Some(_) => {}
                None => self.early.sees(id, spot),
            }
            return;
        }
        let times = match runner.failing {
            Some(failing) if (failing.spot, failing.pc, failing.operand) == (spot, pc, operand) => failing.times,
            _ => 0,
        };
        runner.failing = Some(Failing { spot, op, operand, pc, cycle, times: times + 1 });
    }

    /// Counts an answer that a thread waits for; with the last one the thread continues.
    pub(super) fn one_answer_less(
        &mut self,
        cta: usize,
        thread: usize,
        results: impl FnOnce(&Runner, &mut [u64; 8]) -> usize,
    ) {
        let runner = &mut self.blocks[cta].runners[thread];
        let State::Answers(left) = runner.state else { return };
        if left > 1 {
            runner.state = State::Answers(left - 1);
            return;
        }
        let mut values = [0; 8];
        let count = results(runner, &mut values);
        self.resume(cta, thread, &values[..count]);
    }
}

/// The values of a load, out of the words that it reads.
pub(super) fn extract(words: &[u64; NUMBERS], access: Access, values: &mut [u64; 8]) {
    let Location::Shared { offset, .. } = access.location else { return };
    let width = usize::from(access.width);
    let mut bytes = [0u8; 8 * NUMBERS];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let begin = offset as usize % 8;
    for (number, value) in values.iter_mut().enumerate().take(usize::from(access.count)) {
        let mut padded = [0; 8];
        let from = begin + number * width;
        padded[..width].copy_from_slice(&bytes[from..from + width]);
        *value = u64::from_le_bytes(padded);
    }
}
