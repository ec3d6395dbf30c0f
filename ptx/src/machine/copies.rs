//! Asynchronous copies into shared memory: `cp.async` and its groups, and bulk copies (PTX ISA 9.7.9.25).
//!
//! Arrivals with them are in `arrivals`.
//!
//! **cp.async.** The tracker has fewer rings than a CTA has threads. A thread is given a ring with its first copy and keeps
//! it until all its copies are complete; who finds none free waits. A copy with fewer bytes at its source than at its
//! destination reads them from a place of its own, where they are followed by zeros.

use super::*;
use crate::address::Location;
use crate::effect::Effect;
use crate::machine::races::Bytes;
use txbar_rtl::copies::tracker::Kind;
use txbar_testbench::cluster::thread::Bulk;
use txbar_testbench::scoreboard::each;

/// Copies whose source is padded that may be under way in a CTA: more than the tracker has entries.
const PADDED: usize = 4096;

impl Machine<'_> {
    /// A thread copies, or has to do with its copies.
    pub(super) fn copy(&mut self, cta: usize, thread: usize, effect: Effect, memory: &mut GlobalMemory) -> Performed {
        let runner = &mut self.blocks[cta].runners[thread];
        let settled = runner.is_settled();
        let id = ThreadId::new(cta, thread);
        match effect {
            Effect::CopyCommit => {
                runner.copies.commit();
                self.commits(id, false);
                Performed::NOTHING
            }
            Effect::CopyWait(left) => {
                let done = match left {
                    Some(groups) => runner.copies.at_most(groups as usize),
                    None => runner.copies.done == runner.copies.begun,
                };
                if !done {
                    return Performed::Later;
                }
                self.async_waited(id, left);
                Performed::NOTHING
            }
            Effect::BulkCommit => self.commit_group(cta, thread),
            Effect::BulkWait { groups, read } => self.wait_for_groups(cta, thread, groups, read),
            _ if !settled => Performed::Later,
            Effect::CopyAsync { shared, global, bytes, source_bytes } => {
                let Some(spot) = self.spot(cta, thread, shared, u32::from(bytes)) else { return Performed::Later };
                let Some(ring) = self.ring(cta, thread) else { return Performed::Later };
                self.over_barrier(cta, thread, spot, u32::from(bytes));
                self.wrote(cta, thread, spot, u32::from(bytes));
                // without bytes of it the source may be anywhere
                let data = if source_bytes == 0 { Ok(&[][..]) } else { memory.read(global, usize::from(source_bytes)) };
                let Some(data) = self.granted(cta, thread, data) else { return Performed::Later };
                let source = (global, source_bytes);
                let global = if source_bytes == bytes {
                    global
                } else {
                    let mut padded = [0; 16];
                    padded[..data.len()].copy_from_slice(data);
                    self.blocks[cta].padded(padded, memory)
                };
                let block = &mut self.blocks[cta];
                block.runners[thread].copies.begun += 1;
                self.begins_async(id, source, spot, bytes);
                let block = &mut self.blocks[cta];
                let (thread, shared) = (thread as u16, spot.offset);
                block.asyncs.push_back(AsyncOffer { thread, ring, global, shared, bytes });
                Performed::Wait(State::Offered)
            }
            Effect::BulkToShared { shared, global, bytes, barrier, multicast } => {
                let Some((to, on)) = self.same_cta(cta, thread, (shared, bytes), barrier, None) else {
                    return Performed::Later;
                };
                let read = memory.read(global, bytes as usize);
                let Some(_) = self.granted(cta, thread, read) else { return Performed::Later };
                let from = [Bytes::At(global, bytes)];
                let Some(ctas) = self.sends_to_each(cta, thread, (&from, to, bytes), on, multicast) else {
                    return Performed::Later;
                };
                let (shared, barrier, status) = (to.offset, on.offset, Status::Ok);
                let bulk = Bulk { global, shared, bytes, barrier, ctas, status };
                self.blocks[cta].bulks.push_back(BulkOffer { thread: thread as u16, bulk });
                Performed::Wait(State::Offered)
            }
            Effect::BulkToGlobal { .. } | Effect::BulkToCluster { .. } | Effect::Post { .. } => {
                self.send(cta, thread, effect, memory)
            }
            _ => Performed::NOTHING,
        }
    }

    /// Where this many bytes go, and the barrier on which they are completed: in the same CTA.
    pub(super) fn same_cta(
        &mut self,
        cta: usize,
        thread: usize,
        (to, bytes): (Location, u32),
        barrier: Location,
        status: Option<Status>,
    ) -> Option<(Spot, Spot)> {
        let to = self.spot(cta, thread, to, bytes)?;
        let on = self.spot(cta, thread, barrier, 8)?;
        if to.cta != on.cta {
            let what = format!("the bytes go to CTA {}, and the barrier is of CTA {}", to.cta, on.cta);
            self.refuse_as(cta, thread, what, status);
            return None;
        }
        Some((to, on))
    }

    /// Bytes are on their way to the CTAs of a mask, or to the one that was named: the mask of those.
    pub(super) fn sends_to_each(
        &mut self,
        cta: usize,
        thread: usize,
        (reads, to, bytes): (&[Bytes], Spot, u32),
        on: Spot,
        multicast: Option<u16>,
    ) -> Option<u64> {
        let ctas = multicast.map_or(1 << to.cta, u64::from);
        if ctas == 0 || ctas >> self.blocks.len() != 0 {
            let what = format!("CTA mask {ctas:#x} in a cluster of {}", self.blocks.len());
            self.refuse(cta, thread, what);
            return None;
        }
        for there in each(ctas) {
            let there = there as u8;
            self.sends_to(cta, thread, (reads, Spot { cta: there, ..to }, bytes), Spot { cta: there, ..on }, 0);
        }
        Some(ctas)
    }

    /// Remembers who has something completed on a barrier.
    pub(super) fn blame(&mut self, cta: usize, thread: usize, spot: Spot) {
        let pc = self.blocks[cta].runners[thread].lane.pc;
        self.copiers.insert(spot, (ThreadId::new(cta, thread), pc));
    }

    /// The ring of a thread's copies.
    fn ring(&mut self, cta: usize, thread: usize) -> Option<usize> {
        let block = &mut self.blocks[cta];
        let runner = &mut block.runners[thread];
        if runner.ring.is_none() {
            let free = block.rings.iter().position(Option::is_none)?;
            block.rings[free] = Some(thread as u16);
            runner.ring = Some(free);
        }
        runner.ring
    }

    /// A thread whose copies are all complete has no use for its ring.
    fn give_back_ring(&mut self, cta: usize, thread: usize) {
        let block = &mut self.blocks[cta];
        let runner = &mut block.runners[thread];
        if runner.copies.begun == runner.copies.done
            && let Some(ring) = runner.ring.take()
        {
            block.rings[ring] = None;
        }
    }

    /// Drives what has to do with copies.
    pub(super) fn drive_copies(&mut self, cta: usize, memory: &GlobalMemory) {
        let cycle = self.cycle;
        let (cluster, block) = (&mut self.cluster, &mut self.blocks[cta]);
        cluster.bulk[cta].valid.next = !block.bulks.is_empty();
        if let Some(offer) = block.bulks.front() {
            offer.bulk.drive(cluster, cta);
        }
        cluster.r#async[cta].valid.next = !block.asyncs.is_empty();
        if let Some(&AsyncOffer { ring, global, shared, bytes, .. }) = block.asyncs.front() {
            cluster.r#async[cta].kind.next = u64::from(Kind::Copy.code()).into();
            cluster.r#async[cta].thread.next = (ring as u64).into();
            cluster.r#async[cta].global.next = global.into();
            cluster.r#async[cta].shared.next = u64::from(shared).into();
            cluster.r#async[cta].bytes.next = u64::from(bytes).into();
        }
        let shown = block.bursts.show(cycle, |address| memory.word(address));
        cluster.mem_rsp[cta].valid.next = shown.is_some();
        if let Some(beat) = shown {
            cluster.mem_rsp[cta].id.next = beat.id.into();
            for (lane, word) in beat.data.into_iter().enumerate() {
                cluster.mem_rsp[cta].data[lane].next = word.into();
            }
        }
        cluster.mem_req[cta].ready.next = true;
    }

    /// Evaluates the outputs of the copies.
    pub(super) fn watch_copies(&mut self, cta: usize) {
        let cycle = self.cycle;
        if self.cluster.bulk[cta].valid.val() && self.cluster.bulk[cta].ready.val() {
            let offer = self.blocks[cta].bulks.pop_front().expect("it is valid");
            let status = self.cluster.bulk[cta].status.val().raw();
            self.copy_begun(cta, offer.thread, "cp.async.bulk", status);
        }
        if self.cluster.r#async[cta].valid.val() && self.cluster.r#async[cta].ready.val() {
            let offer = self.blocks[cta].asyncs.pop_front().expect("it is valid");
            let status = self.cluster.r#async[cta].status.val().raw();
            self.copy_begun(cta, offer.thread, Kind::Copy.ptx(), status);
        }
        if self.cluster.mem_req[cta].valid.val() && self.cluster.mem_req[cta].ready.val() {
            self.blocks[cta].bursts.ask(
                cycle,
                self.cluster.mem_req[cta].id.val().raw(),
                self.cluster.mem_req[cta].address.val().raw(),
                self.cluster.mem_req[cta].beats.val().raw(),
                self.cluster.mem_req[cta].narrow.val(),
            );
        }
        if self.cluster.mem_rsp[cta].valid.val() && self.cluster.mem_rsp[cta].ready.val() {
            self.blocks[cta].bursts.take();
            self.progress = cycle;
        }
        for ring in each(self.cluster.copy_done[cta].val().raw()) {
            let Some(thread) = self.blocks[cta].rings[ring] else { continue };
            self.blocks[cta].runners[usize::from(thread)].copies.done += 1;
            self.give_back_ring(cta, usize::from(thread));
        }
    }

    /// A copy that a thread waits with was accepted, or refused.
    pub(super) fn copy_begun(&mut self, cta: usize, thread: u16, what: &str, status: u64) {
        let pc = self.blocks[cta].runners[usize::from(thread)].lane.pc;
        if !self.copy_refused(cta, thread, pc, what, status) {
            self.resume(cta, usize::from(thread), &[]);
        }
    }

    /// A copy, of this instruction, was accepted, or refused: whether it was.
    pub(super) fn copy_refused(&mut self, cta: usize, thread: u16, pc: usize, what: &str, status: u64) -> bool {
        let status = Status::from_code(status);
        if status == Some(Status::Ok) {
            return false;
        }
        let meaning = status.map_or("it means nothing", Status::meaning);
        let what = format!("{what} is refused: {meaning}");
        self.fault(Fault {
            what,
            pc,
            thread: ThreadId::new(cta, usize::from(thread)),
            status,
            spot: None,
            bug: None,
            beside: None,
        });
        true
    }
}

impl Block {
    /// A place in global memory that holds these bytes until they have been copied: there are more places than copies can
    /// be under way.
    fn padded(&mut self, bytes: [u8; 16], memory: &mut GlobalMemory) -> u64 {
        let (begin, next) = *self.padding.get_or_insert_with(|| (memory.allocate(vec![0; 16 * PADDED]), 0));
        self.padding = Some((begin, (next + 1) % PADDED));
        let place = begin + 16 * next as u64;
        let written = memory.write(place, &bytes);
        debug_assert!(written.is_ok(), "it has been allocated");
        place
    }
}
