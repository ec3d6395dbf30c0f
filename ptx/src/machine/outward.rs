//! What leaves a CTA's shared memory, and what threads post: bulk copies and reductions to global memory and to CTAs with
//! their groups, `st.async` and `red.async`.
//!
//! The hardware does all of it; global memory, which is not the hardware's, carries out reductions of the beats that it is given.
//! A thread is given a place for its bulk groups with the first that it commits, and keeps it until all are written.
//!
//! **Atomic operations** on shared memory are a load and a store here. A reduction on its way to a word keeps them away, as
//! stores do, and waits while one is at work.

use super::*;
use crate::address::Location;
use crate::effect::Effect;
use crate::machine::races::Bytes;
use txbar_rtl::copies::ledger::MOST_GROUPS;
use txbar_rtl::copies::sender;
use txbar_rtl::copies::tensor::Act;
use txbar_rtl::op::Op;
use txbar_rtl::word::address::{BEAT_WORDS, mapa};
use txbar_testbench::cluster::global::Write;
use txbar_testbench::cluster::thread::{self, Post, Target};
use txbar_testbench::reduction::reduce;

/// Where a spot is in `.shared::cluster`.
fn address(spot: Spot) -> u32 {
    mapa(spot.offset, usize::from(spot.cta))
}

/// The words that a range of bytes touches.
pub(super) fn words(spot: Spot, bytes: u32) -> impl Iterator<Item = u32> {
    (spot.offset & !7..spot.offset + bytes).step_by(8)
}

impl Machine<'_> {
    /// A thread has something sent.
    pub(super) fn send(&mut self, cta: usize, thread: usize, effect: Effect, memory: &mut GlobalMemory) -> Performed {
        let pc = self.blocks[cta].runners[thread].lane.pc;
        let id = thread as u16;
        match effect {
            Effect::Post { to, bytes, data, barrier, reduction } => {
                let size = u32::from(bytes);
                let Some((to, on)) = self.goes_to(cta, thread, (to, size), barrier, reduction) else {
                    return Performed::Later;
                };
                self.sends_to(cta, thread, (&[], to, size), on, reduction);
                let (address, barrier, status) = (address(to), address(on), Status::Ok);
                let post = Post { address, barrier, bytes: size, data, reduction, status };
                self.blocks[cta].posts.push_back(PostOffer { thread: id, post });
                Performed::Wait(State::Offered)
            }
            Effect::BulkToCluster { shared, to, bytes, barrier, reduction } => {
                let Some(from) = self.source(cta, thread, shared, bytes) else { return Performed::Later };
                let Some((to, on)) = self.goes_to(cta, thread, (to, bytes), barrier, reduction) else {
                    return Performed::Later;
                };
                self.sends_to(cta, thread, (&[Bytes::Of(from, bytes)], to, bytes), on, reduction);
                let to = Target::Cluster { address: address(to), barrier: address(on) };
                let copy = thread::Put { reduction, ..thread::Put::new(from.offset, to, bytes) };
                self.put(cta, id, Put::Copy { copy, pc });
                Performed::NOTHING
            }
            Effect::BulkToGlobal { shared, global, bytes, mask, reduction } => {
                let Some(from) = self.source(cta, thread, shared, bytes) else { return Performed::Later };
                let read = memory.read(global, bytes as usize);
                let Some(_) = self.granted(cta, thread, read) else { return Performed::Later };
                // a copy whose mask is empty reads and writes nothing
                let moved = if mask == 0 { 0 } else { bytes };
                memory.wrote(global, moved as usize, self.writer(cta, thread));
                let source = [Bytes::Of(from, bytes)];
                self.begins_store(
                    ThreadId::new(cta, thread),
                    if mask == 0 { &[] } else { &source },
                    &masked(global, bytes, mask),
                    (reduction != 0, false),
                );
                let to = Target::Global(global);
                let copy = thread::Put { mask, reduction, ..thread::Put::new(from.offset, to, bytes) };
                self.put(cta, id, Put::Copy { copy, pc });
                Performed::NOTHING
            }
            _ => Performed::NOTHING,
        }
    }

    /// A copy waits for its turn; the thread does not wait for it.
    fn put(&mut self, cta: usize, thread: u16, put: Put) {
        let block = &mut self.blocks[cta];
        // a copy that writes nothing reads nothing
        if let Put::Copy { copy, pc } = put
            && copy.written() > 0
        {
            block.sources.push_back(Source { thread, pc, shared: copy.shared, bytes: copy.bytes });
        }
        block.puts.push_back(PutOffer { thread, put });
    }

    /// The source of a copy, in the own CTA.
    pub(super) fn source(&mut self, cta: usize, thread: usize, shared: Location, bytes: u32) -> Option<Spot> {
        let from = self.spot(cta, thread, shared, bytes)?;
        if usize::from(from.cta) != cta {
            self.refuse(cta, thread, "the source is of another CTA".to_string());
            return None;
        }
        Some(from)
    }

    /// Where this many bytes go, and the barrier on which they are completed. Not while an atomic operation is at work there, if
    /// they are a reduction.
    fn goes_to(
        &mut self,
        cta: usize,
        thread: usize,
        (to, bytes): (Location, u32),
        barrier: Location,
        reduction: u8,
    ) -> Option<(Spot, Spot)> {
        let (to, on) = self.same_cta(cta, thread, (to, bytes), barrier, Some(Status::RemoteUnsupported))?;
        let locked = &self.blocks[usize::from(to.cta)].locked;
        let waits = reduction != 0 && !locked.is_empty() && words(to, bytes).any(|word| locked.contains(&word));
        (!waits).then_some((to, on))
    }

    /// Bytes are on their way to a CTA.
    pub(super) fn sends_to(
        &mut self,
        cta: usize,
        thread: usize,
        (reads, to, bytes): (&[Bytes], Spot, u32),
        on: Spot,
        reduction: u8,
    ) {
        self.begins_copy(ThreadId::new(cta, thread), reads, (to, bytes), on, reduction != 0);
        self.use_barrier(cta, thread, Op::BulkCompleteTx, on, 0, 0);
        self.blame(cta, thread, on);
        let pc = self.blocks[cta].runners[thread].lane.pc;
        let copy = ledger::Copy { who: ThreadId::new(cta, thread), pc, bytes: u64::from(bytes) };
        self.observer.copies(on, copy);
        self.flying += u64::from(bytes);
        self.wrote(cta, thread, to, bytes);
        self.over_barrier(cta, thread, to, bytes);
        if reduction == 0 {
            return;
        }
        for word in words(to, bytes) {
            self.blocks[usize::from(to.cta)].stores([word].into_iter(), true);
        }
    }

    /// The place of a thread's bulk groups, if it has one or one is free.
    pub(super) fn place_of_groups(&mut self, cta: usize, thread: usize) -> Option<usize> {
        let block = &mut self.blocks[cta];
        let runner = &mut block.runners[thread];
        if runner.place_of_groups.is_none() {
            let free = block.group_places.iter().position(Option::is_none)?;
            block.group_places[free] = Some(thread as u16);
            runner.place_of_groups = Some(free);
        }
        runner.place_of_groups
    }

    /// `cp.async.bulk.commit_group`.
    pub(super) fn commit_group(&mut self, cta: usize, thread: usize) -> Performed {
        let Some(place) = self.place_of_groups(cta, thread) else { return Performed::Later };
        self.commits(ThreadId::new(cta, thread), true);
        self.blocks[cta].puts.push_back(PutOffer { thread: thread as u16, put: Put::Commit(place) });
        Performed::NOTHING
    }

    /// `cp.async.bulk.wait_group`.
    pub(super) fn wait_for_groups(&mut self, cta: usize, thread: usize, groups: u32, read: bool) -> Performed {
        let block = &mut self.blocks[cta];
        let Some(place) = block.runners[thread].place_of_groups else {
            self.bulk_waited(ThreadId::new(cta, thread), groups, read);
            return Performed::NOTHING;
        };
        // those that it has committed have to be known before they can be waited for
        if block.puts.iter().any(|offer| offer.put == Put::Commit(place)) {
            return Performed::Later;
        }
        let most = groups.min(MOST_GROUPS as u32) as u8;
        block.group_waits.push_back(GroupWait { thread: thread as u16, place, most, read, groups });
        Performed::Wait(State::Offered)
    }

    /// Drives what has to do with all this; global memory answers what it has written.
    pub(super) fn drive_out(&mut self, cta: usize, memory: &mut GlobalMemory) {
        let answered = self.blocks[cta].writes.answered(self.cycle);
        self.cluster.mem_ack[cta].valid.next = answered.is_some();
        self.cluster.mem_wr[cta].ready.next = true;
        if let Some(beats) = answered {
            self.cluster.mem_ack[cta].id.next = beats.first().map_or(0, |beat| beat.id).into();
            beats.iter().for_each(|beat| write(beat, memory));
            self.progress();
        }
        let (cluster, block) = (&mut self.cluster, &mut self.blocks[cta]);
        cluster.put[cta].valid.next = !block.puts.is_empty();
        match block.puts.front().map(|offer| offer.put) {
            Some(Put::Copy { copy, .. }) => copy.drive(cluster, cta),
            Some(Put::Commit(place)) => {
                cluster.put[cta].kind.next = u64::from(sender::Put::Commit.code()).into();
                cluster.put[cta].thread.next = (place as u64).into();
            }
            None => {}
        }
        cluster.group[cta].valid.next = !block.group_waits.is_empty();
        if let Some(&GroupWait { place, most, read, .. }) = block.group_waits.front() {
            cluster.group[cta].thread.next = (place as u64).into();
            cluster.group[cta].most.next = u64::from(most).into();
            cluster.group[cta].read.next = read;
        }
        cluster.post[cta].valid.next = !block.posts.is_empty();
        if let Some(offer) = block.posts.front() {
            offer.post.drive(cluster, cta);
        }
    }

    /// Evaluates the outputs.
    pub(super) fn watch_out(&mut self, cta: usize) {
        let mut committed = None;
        if self.cluster.cta[cta].sender.reads_last() {
            self.blocks[cta].sources.pop_front();
        }
        if let Some(bytes) = self.cluster.cta[cta].sender.reads_of_box()
            && let Some((_, left)) = self.blocks[cta].boxes.front_mut()
        {
            *left = left.saturating_sub(bytes);
            if *left == 0 {
                self.blocks[cta].boxes.pop_front();
            }
        }
        if self.cluster.put[cta].valid.val() && self.cluster.put[cta].ready.val() {
            let PutOffer { thread, put } = self.blocks[cta].puts.pop_front().expect("it is valid");
            let status = self.cluster.put[cta].status.val().raw();
            match put {
                Put::Copy { copy, pc } => {
                    let what = match (copy.to, copy.reduction) {
                        (Target::Global(_), 0) => sender::Put::Global.ptx(),
                        (Target::Cluster { .. }, 0) => sender::Put::Cluster.ptx(),
                        _ => "cp.reduce.async.bulk",
                    };
                    self.copy_refused(cta, thread, pc, what, status);
                }
                Put::Commit(place) => committed = Some(place),
            }
            self.progress();
        }
        if self.cluster.group[cta].valid.val() {
            let wait = self.blocks[cta].group_waits.pop_front().expect("it is valid");
            if self.cluster.group[cta].ready.val() {
                self.bulk_waited(ThreadId::new(cta, usize::from(wait.thread)), wait.groups, wait.read);
                self.resume(cta, usize::from(wait.thread), &[]);
            } else {
                self.blocks[cta].group_waits.push_back(wait);
            }
        }
        if self.cluster.post[cta].valid.val() && self.cluster.post[cta].ready.val() {
            let offer = self.blocks[cta].posts.pop_front().expect("it is valid");
            let status = self.cluster.post[cta].status.val().raw();
            let what = if offer.post.reduction == 0 { "st.async" } else { "red.async" };
            self.copy_begun(cta, offer.thread, what, status);
        }
        if let Some(write) = Write::accepted(&self.cluster, cta) {
            self.blocks[cta].writes.accept(self.cycle, write);
            self.progress();
        }
        self.watch_landings(cta);
        self.give_back_places(cta, committed);
    }

    /// Places whose groups are all written are free for other threads, but for one in which a group was committed just now, or
    /// whose thread has a tensor store that has not been handed over: it is told apart by the place until then.
    fn give_back_places(&mut self, cta: usize, committed: Option<usize>) {
        let open = self.cluster.group[cta].open.val().raw();
        let block = &mut self.blocks[cta];
        for place in 0..block.group_places.len() {
            let Some(thread) = block.group_places[place] else { continue };
            let offered = |offer: &PutOffer| offer.put == Put::Commit(place);
            let waited = |wait: &GroupWait| wait.place == place;
            let stores = |offer: &TensorOffer| offer.act == Act::Store && offer.place == place;
            let engine = self.cluster.cta[cta].tensor.iter().next();
            if block.tensors.iter().chain(&block.judging).any(stores)
                || engine.is_some_and(|engine| engine.has_store_of(place))
            {
                continue;
            }
            if open >> place & 1 == 0
                && committed != Some(place)
                && !block.puts.iter().any(offered)
                && !block.group_waits.iter().any(waited)
            {
                block.group_places[place] = None;
                block.runners[usize::from(thread)].place_of_groups = None;
            }
        }
    }

    /// Beats that land in a CTA: a reduction is over; and somebody should be there still.
    fn watch_landings(&mut self, cta: usize) {
        let hardware = &self.cluster.cta[cta];
        let unit = &hardware.unit;
        if !unit.write_taken[0].val() || unit.write_errand[0].val().raw() != 0 {
            return;
        }
        let (address, strobe) = (unit.write_address[0].val().raw() as u32, unit.write_strobe[0].val().raw());
        let on = Spot { cta: cta as u8, offset: hardware.completer.barrier.val().raw() as u32 };
        let (reduces, completed) = (hardware.reducer.stores.val(), hardware.completer.bytes.val().raw());
        self.flying = self.flying.saturating_sub(completed);
        if reduces {
            let written = (0..BEAT_WORDS as u32).filter(|word| strobe >> (word * 8) & 0xff != 0);
            written.for_each(|word| self.blocks[cta].has_stored(address + word * 8));
        }
        if self.blocks[cta].live == 0
            && completed > 0
            && let Some((thread, pc)) = self.copiers.get(&on).copied()
        {
            let detail = format!("all threads of CTA {cta} have exited");
            self.find(Bug::LandsAfterExit, pc, thread, on, None, detail);
        }
    }
}

/// The bytes that a copy with a mask writes.
fn masked(global: u64, bytes: u32, mask: u16) -> Vec<Bytes> {
    if mask == u16::MAX {
        return vec![Bytes::At(global, bytes)];
    }
    let written = (0..bytes).filter(|byte| mask >> (byte % 16) & 1 != 0);
    written.map(|byte| Bytes::At(global + u64::from(byte), 1)).collect()
}

/// What global memory does with a beat.
fn write(beat: &Write, memory: &mut GlobalMemory) {
    let bytes: Vec<u8> = beat.data.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut at = 0;
    while at < bytes.len() {
        let run = (at..bytes.len()).take_while(|byte| beat.strobe >> byte & 1 != 0).count();
        let place = beat.address + at as u64;
        // the last piece of a tensor store is written whole: what of it has not been allocated, nobody sees
        let seen = (1..=run).rev().find(|bytes| memory.read(place, *bytes).is_ok());
        if let Some(mut there) = seen.and_then(|seen| memory.read(place, seen).ok()).map(<[u8]>::to_vec) {
            let seen = there.len();
            reduce(beat.reduction, &mut there, &bytes[at..at + seen], u64::MAX);
            let written = memory.write(place, &there);
            debug_assert!(written.is_ok(), "it was read just now");
        }
        at += run.max(1);
    }
}
