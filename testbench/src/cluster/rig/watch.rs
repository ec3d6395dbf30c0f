//! Evaluates a cluster's outputs in each cycle: results for the threads, and checks.

use super::*;
use crate::cluster::thread::Want;
use crate::request::Response;
use crate::scoreboard::each;
use crate::wake_masks::Masks;
use txbar_rtl::copies::tensor::verdict::Verdict;
use txbar_rtl::ordering::{Order, Scope};
use txbar_rtl::status::Status;
use txbar_rtl::word::address::RANK_LSB;

impl Rig {
    /// Who offers something to a link that has room has its turn after all others at most.
    pub(super) fn watch_links(&mut self) -> Result<(), Box<Failure>> {
        for (number, cta) in self.cluster.cta.iter().enumerate().filter(|_| self.parameters.ctas > 1) {
            let target = cta.send[0].val().raw();
            let in_vain = target != 0 && !cta.send_taken[0].val();
            // when one link runs full, another port may be offered to another link: there it has yet to have its turn
            let (before, cycles) = self.unserved[number];
            let cycles = if before == target { cycles + 1 } else { 1 };
            self.unserved[number] = if in_vain { (target, cycles) } else { (0, 0) };
            if in_vain && cycles >= self.parameters.ctas {
                let what = format!("CTA {number} waits for its link longer than all others have their turn");
                return Err(failure(self.cycle, what));
            }
        }
        Ok(())
    }

    /// The masks of a CTA's ports, for its scoreboard.
    pub(super) fn show_masks(&mut self, cta: usize) -> Result<(), Box<Failure>> {
        if !self.has_masks() {
            return Ok(());
        }
        let cluster = &self.cluster;
        let (valid, ready) = (cluster.resume_valid[cta].val(), cluster.resume_ready[cta].val());
        for port in 0..self.parameters.unit.ports {
            let masks = Masks {
                completed: cluster.resume[cta][port].completed.val().raw(),
                expired: cluster.resume[cta][port].expired.val().raw(),
                ended: cluster.resume[cta][port].ended.val().raw(),
            };
            if valid.get_bit(port) == masks.is_empty() {
                let what = format!("port {port} of CTA {cta}: resume_valid is {} where {masks}", valid.get_bit(port));
                return Err(failure(self.cycle, what));
            }
            self.taps[cta].masks.push((masks, ready.get_bit(port)));
        }
        Ok(())
    }

    /// What happened at the wires of a CTA.
    pub(super) fn watch(&mut self, cta: usize) -> Result<(), Box<Failure>> {
        let cycle = self.cycle;
        let accepted = self.cluster.req_valid[cta].val().raw() & self.cluster.req_ready[cta].val().raw();
        for port in each(accepted) {
            let thread = self.stands[cta].ports[port].take().ok_or_else(|| {
                failure(cycle, format!("CTA {cta} accepts a request of port {port}, which makes none"))
            })?;
            let request = self.request(thread);
            self.leaves(cta, port, &request)?;
            let runner = &mut self.runners[thread];
            match runner.thread.program[0] {
                Step::Ask(..) if !request.is_posted() => runner.doing = Doing::Answer,
                _ => {
                    runner.loose += !request.is_posted() as usize;
                    runner.doing = Doing::Next;
                    runner.thread.program.pop_front();
                }
            }
            self.last_event = cycle;
        }
        let shown = self.cluster.rsp_valid[cta].val().raw();
        for port in 0..self.parameters.unit.ports {
            let response = (shown >> port & 1 != 0).then(|| Response {
                tag: self.cluster.rsp[cta][port].tag.val().raw() as u16,
                status: self.cluster.rsp[cta][port].status.val().raw() as u8,
                predicate: self.cluster.rsp[cta][port].predicate.val(),
                data: self.cluster.rsp[cta][port].data.val().raw(),
                resumed: false,
            });
            let taken = self.cluster.rsp_ready[cta].val().get_bit(port);
            let held = self.ports[cta][port].shown;
            if held.is_some() && held != response {
                let what =
                    format!("port {port} of CTA {cta} was shown {held:?}, did not take it, and is shown {response:?}");
                return Err(failure(cycle, what));
            }
            self.ports[cta][port].shown = response.filter(|_| !taken);
            let Some(response) = response.filter(|_| taken) else { continue };
            if self.cluster.cta[cta].shows_foreign(port) {
                self.taps[cta].returns(cycle, port, &response, &mut self.network)?;
            }
            self.answered(cta, port, &response)?;
            self.last_event = cycle;
        }
        self.watch_copies(cta)?;
        self.watch_out(cta)?;
        self.watch_rounds(cta)
    }

    /// A port's request is accepted: whether it is its turn, and where it goes.
    pub(super) fn leaves(&mut self, cta: usize, port: usize, request: &Request) -> Result<(), Box<Failure>> {
        let refuse = |what: &str| {
            Err(failure(self.cycle, format!("`{request}` of port {port} of CTA {cta} is accepted before {what}")))
        };
        if self.ports[cta][port].acquires && self.is_pending(cta, port) {
            return refuse("a load elsewhere that acquires is done");
        }
        if !self.cluster.cta[cta].goes_elsewhere(port) {
            return Ok(());
        }
        let Order { semantics, scope } = request.order;
        if semantics.releases() && scope == Scope::Cluster && self.is_pending(cta, port) {
            return refuse("what the port has elsewhere is done");
        }
        let target = (request.address >> RANK_LSB) as usize & 7;
        let there = Request { address: request.address & ((1 << RANK_LSB) - 1), ..*request };
        self.taps[cta].sends(target, port, &there, &mut self.network);
        self.ports[cta][port].acquires = semantics.acquires() && !request.is_posted();
        Ok(())
    }

    /// Whether a port has requests elsewhere that are not done.
    fn is_pending(&self, cta: usize, port: usize) -> bool {
        self.network.has_sent(cta, port) || self.taps.iter().any(|tap| tap.is_asked_by(cta, port))
    }

    /// A thread is answered.
    pub(super) fn answered(&mut self, cta: usize, port: usize, response: &Response) -> Result<(), Box<Failure>> {
        let cycle = self.cycle;
        let number = response.tag / 2;
        let at = |runner: &&mut Runner| {
            let Thread { cta: its_cta, port: its_port, number: its_number, .. } = runner.thread;
            (its_cta, its_port, its_number) == (cta, port, number)
        };
        let place = format!("CTA {cta} port {port} thread {number}");
        let Some(runner) = self.runners.iter_mut().find(at) else {
            return Err(failure(cycle, format!("{place}, which is not there, is given `{response}`")));
        };
        let any = self.tolerant;
        if response.tag % 2 == 1 {
            if runner.loose == 0 || (response.status != Status::Ok.code() && !any) {
                return Err(failure(cycle, format!("{place} is given `{response}` of what it sent")));
            }
            runner.loose -= 1;
            return Ok(());
        }
        let Some(Step::Ask(request, want)) = runner.thread.program.front().filter(|_| runner.doing == Doing::Answer)
        else {
            return Err(failure(cycle, format!("{place} is given `{response}` and asked for nothing")));
        };
        let fits = match want {
            Want::Status(status) => response.status == status.code(),
            Want::Word(word) => response.status == Status::Ok.code() && response.data == *word,
            Want::Predicate => response.status == Status::Ok.code(),
        };
        if !fits && !any {
            return Err(failure(cycle, format!("{place} is given `{response}` to `{request}`, and wants {want:?}")));
        }
        runner.doing = Doing::Next;
        if *want != Want::Predicate || response.predicate || response.status != Status::Ok.code() {
            runner.thread.program.pop_front();
        }
        Ok(())
    }

    /// Copies and global memory.
    fn watch_copies(&mut self, cta: usize) -> Result<(), Box<Failure>> {
        let cycle = self.cycle;
        if self.cluster.bulk[cta].valid.val() && self.cluster.bulk[cta].ready.val() {
            let thread = self.stands[cta].bulk.take().expect("it is valid");
            let Some(Step::Bulk(bulk)) = self.runners[thread].thread.program.pop_front() else {
                unreachable!("what stands at the copier's port is a bulk copy")
            };
            let status = self.cluster.bulk[cta].status.val().raw();
            if status != u64::from(bulk.status.code()) {
                return Err(failure(cycle, format!("{bulk:?} of CTA {cta} is answered with status {status}")));
            }
            if bulk.status == Status::Ok {
                let ctas = if bulk.ctas == 0 { 1 << cta } else { bulk.ctas };
                for target in each(ctas) {
                    self.taps[target].announce(&bulk);
                }
            }
            self.runners[thread].doing = Doing::Next;
            self.last_event = cycle;
        }
        if self.parameters.tensors > 0 {
            self.watch_tiles(cta)?;
        }
        if self.cluster.r#async[cta].valid.val() && self.cluster.r#async[cta].ready.val() {
            let thread = self.stands[cta].copies.take().expect("it is valid");
            let Some(Step::Async(what)) = self.runners[thread].thread.program.pop_front() else {
                unreachable!("what stands at the tracker's port is its business")
            };
            let status = self.cluster.r#async[cta].status.val().raw();
            if status != 0 {
                return Err(failure(cycle, format!("{what:?} of CTA {cta} is answered with status {status}")));
            }
            self.taps[cta].begin(usize::from(self.runners[thread].thread.number), what);
            self.runners[thread].doing = Doing::Next;
            self.last_event = cycle;
        }
        if self.cluster.mem_req[cta].valid.val() && self.cluster.mem_req[cta].ready.val() {
            self.memories[cta].ask(
                cycle,
                self.cluster.mem_req[cta].id.val().raw(),
                self.cluster.mem_req[cta].address.val().raw(),
                self.cluster.mem_req[cta].beats.val().raw(),
                self.cluster.mem_req[cta].narrow.val(),
            );
            self.last_event = cycle;
        }
        if self.cluster.mem_rsp[cta].valid.val() && self.cluster.mem_rsp[cta].ready.val() {
            self.memories[cta].take();
            self.last_event = cycle;
        }
        Ok(())
    }

    /// Tensor copies.
    fn watch_tiles(&mut self, cta: usize) -> Result<(), Box<Failure>> {
        let verdict = self.cluster.tiles[cta].tensor_end.verdict.val().raw();
        if self.cluster.tiles[cta].tensor_end.valid.val() && verdict != 0 {
            let name = Verdict::from_code(verdict).map_or("nothing", Verdict::name);
            return Err(failure(self.cycle, format!("a tensor copy of CTA {cta} is refused: {name}")));
        }
        if self.cluster.tiles[cta].tensor.valid.val() && self.cluster.tiles[cta].tensor.ready.val() {
            let thread = self.stands[cta].tensor.take().expect("it is valid");
            match self.runners[thread].thread.program.pop_front() {
                Some(Step::Tile(tile)) => {
                    for target in each(if tile.ctas == 0 { 1 << cta } else { tile.ctas }) {
                        self.taps[target].announce_tile(&tile);
                    }
                }
                Some(Step::TileStore(tile)) => {
                    self.outgoing[cta].begin_box(self.runners[thread].thread.number, &tile);
                }
                _ => unreachable!("what stands at the tensor engine's port is a tensor copy"),
            }
            self.runners[thread].doing = Doing::Next;
            self.last_event = self.cycle;
        }
        Ok(())
    }

    /// `barrier.cluster`.
    fn watch_rounds(&mut self, cta: usize) -> Result<(), Box<Failure>> {
        let cycle = self.cycle;
        if self.cluster.bar_req[cta].valid.val() && self.cluster.bar_req[cta].ready.val() {
            let thread = self.stands[cta].round.take().expect("it is valid");
            self.runners[thread].doing = Doing::Answer;
            let Thread { warp, ref program, .. } = self.runners[thread].thread;
            match program[0] {
                Step::Round { act: Act::Arrive, .. } => self.warps[cta][warp].arrivals += 1,
                Step::Round { act: Act::Exit, .. } => self.warps[cta][warp].exited = true,
                _ => {}
            }
            self.last_event = cycle;
        }
        if self.cluster.bar_rsp[cta].valid.val() && self.cluster.bar_rsp[cta].ready.val() {
            let (warp, status) =
                (self.cluster.bar_rsp[cta].warp.val().index(), self.cluster.bar_rsp[cta].status.val().raw());
            let waits = |runner: &&mut Runner| {
                let Thread { cta: its_cta, warp: its_warp, ref program, .. } = runner.thread;
                let at_round = matches!(program.front(), Some(Step::Round { .. }));
                (its_cta, its_warp) == (cta, warp) && at_round && runner.doing == Doing::Answer
            };
            let Some(runner) = self.runners.iter_mut().find(waits) else {
                return Err(failure(cycle, format!("warp {warp} of CTA {cta} is answered and asked for nothing")));
            };
            if status != 0 {
                let step = runner.thread.program[0];
                return Err(failure(
                    cycle,
                    format!("warp {warp} of CTA {cta}: {step} is answered with status {status}"),
                ));
            }
            let step = runner.thread.program.pop_front();
            runner.doing = Doing::Next;
            if matches!(step, Some(Step::Round { act: Act::Wait, .. })) {
                self.rounds += 1;
                let round = self.warps[cta][warp].arrivals;
                let mut missing = self.warps.iter().flatten().filter(|warp| !warp.exited && warp.arrivals < round);
                if missing.next().is_some() {
                    let what =
                        format!("warp {warp} of CTA {cta} is through with round {round}, and not all have arrived");
                    return Err(failure(cycle, what));
                }
            }
            self.last_event = cycle;
        }
        Ok(())
    }
}
