//! Transfers out of the CTAs of a cluster: copies out of shared memory, `st.async` and `red.async`.

use super::*;
use crate::cluster::global::Write;
use crate::cluster::outgoing::Due;
use txbar_rtl::status::Status;
use txbar_rtl::word::address::RANK_LSB;

/// Rank and offset of an address in `.shared::cluster`.
fn parts(address: u32) -> (usize, u32) {
    ((address >> RANK_LSB) as usize & 7, address & ((1 << RANK_LSB) - 1))
}

impl Rig {
    /// Takes a step from the thread that stands at a port: it is done.
    fn accepted(&mut self, thread: usize) -> Step {
        self.last_event = self.cycle;
        let runner = &mut self.runners[thread];
        runner.doing = Doing::Next;
        runner.thread.program.pop_front().expect("it stands there with a step")
    }

    /// Copies out of shared memory, waits for their groups, and what threads post.
    pub(super) fn watch_out(&mut self, cta: usize) -> Result<(), Box<Failure>> {
        let cycle = self.cycle;
        let refuse = |what: String| Err(failure(cycle, format!("CTA {cta}: {what}")));
        if self.cluster.put[cta].valid.val() && self.cluster.put[cta].ready.val() {
            let thread = self.stands[cta].put.take().expect("it is valid");
            let number = self.runners[thread].thread.number;
            let status = self.cluster.put[cta].status.val().raw();
            match self.accepted(thread) {
                Step::Put(put) => {
                    if status != u64::from(put.status.code()) {
                        return refuse(format!("{put:?} is answered with status {status}"));
                    }
                    if put.status == Status::Ok {
                        self.outgoing[cta].begin(number, put);
                        if let Target::Cluster { barrier, .. } = put.to {
                            let (target, barrier) = parts(barrier);
                            self.taps[target].announce_bytes(barrier, u64::from(put.bytes));
                        }
                    }
                }
                _ if status != 0 => return refuse(format!("a commit is answered with status {status}")),
                _ => self.outgoing[cta].commit(number),
            }
        }
        if self.cluster.group[cta].valid.val() && self.cluster.group[cta].ready.val() {
            let thread = self.stands[cta].group.take().expect("it is valid");
            let number = self.runners[thread].thread.number;
            if let Step::Groups { most, read } = self.accepted(thread) {
                self.outgoing[cta].over(number, most, read).or_else(refuse)?;
            }
        }
        if self.cluster.post[cta].valid.val() && self.cluster.post[cta].ready.val() {
            let thread = self.stands[cta].post.take().expect("it is valid");
            let status = self.cluster.post[cta].status.val().raw();
            if let Step::Post(post) = self.accepted(thread) {
                if status != u64::from(post.status.code()) {
                    return refuse(format!("{post:?} is answered with status {status}"));
                }
                if post.status == Status::Ok {
                    let ((target, address), (_, barrier)) = (parts(post.address), parts(post.barrier));
                    let bytes = post.data.iter().flat_map(|word| word.to_le_bytes()).take(post.bytes as usize);
                    let bytes = (u64::from(address)..).zip(bytes).collect();
                    self.taps[target].announce_bytes(barrier, u64::from(post.bytes));
                    self.taps[target].await_beat(barrier, Due { reduction: post.reduction, bytes });
                }
            }
        }
        if let Some(beat) = Write::accepted(&self.cluster, cta) {
            self.outgoing[cta].write(cycle, &beat).or_else(refuse)?;
            self.last_event = cycle;
        }
        Ok(())
    }

    /// What has been read is due where it goes.
    pub(super) fn hand_on(&mut self) -> Result<(), Box<Failure>> {
        for cta in 0..self.parameters.ctas {
            let Some((bytes, of_box)) = self.taps[cta].take_read() else { continue };
            let outgoing = &mut self.outgoing[cta];
            let due = if of_box { outgoing.read_box(&bytes).map(|()| Vec::new()) } else { outgoing.read(&bytes) };
            let due = due.map_err(|what| failure(self.cycle, format!("CTA {cta}: {what}")))?;
            for (put, due) in due {
                if let Target::Cluster { barrier, .. } = put.to {
                    let (target, barrier) = parts(barrier);
                    self.taps[target].await_beat(barrier, due);
                }
            }
            self.last_event = self.cycle;
        }
        Ok(())
    }
}
