//! Drives a cluster's inputs in each cycle.

use super::*;

impl Rig {
    /// Drives the wires of a CTA.
    pub(super) fn drive(&mut self, cta: usize) {
        let (mut valid, mut ready) = (0u64, 0u64);
        for port in 0..self.parameters.unit.ports {
            if let Some(thread) = self.stands[cta].ports[port] {
                valid |= 1 << port;
                let request = self.request(thread);
                request.drive(&mut self.cluster, cta, port);
            }
            ready |= u64::from(self.is_ready()) << port;
        }
        self.cluster.req_valid[cta].next = valid.into();
        self.cluster.rsp_ready[cta].next = ready.into();
        if self.has_masks() {
            let taken = (0..self.parameters.unit.ports).fold(0, |mask, port| mask | u64::from(self.is_ready()) << port);
            self.cluster.resume_ready[cta].next = taken.into();
        }

        let step = |thread: Option<usize>| thread.map(|thread| self.runners[thread].thread.program[0]);
        let stand = &self.stands[cta];
        let tile = step(stand.tensor);
        let (bulk, copy, round) = (step(stand.bulk), step(stand.copies), step(stand.round));
        let storer = stand.tensor.map_or(0, |thread| self.runners[thread].thread.number);
        let copier = stand.copies.map_or(0, |thread| u64::from(self.runners[thread].thread.number));
        let warp = stand.round.map_or(0, |thread| self.runners[thread].thread.warp as u64);
        let cluster = &mut self.cluster;
        cluster.bulk[cta].valid.next = bulk.is_some();
        if let Some(Step::Bulk(bulk)) = bulk {
            bulk.drive(cluster, cta);
        }
        if self.parameters.tensors > 0 {
            cluster.tiles[cta].tensor.valid.next = tile.is_some();
            match tile {
                Some(Step::Tile(tile)) => tile.request().drive(cluster, cta),
                Some(Step::TileStore(tile)) => tile.request(storer).drive(cluster, cta),
                _ => {}
            }
        }
        cluster.r#async[cta].valid.next = copy.is_some();
        if let Some(Step::Async(what)) = copy {
            let (kind, global, shared, bytes) = match what {
                Async::Copy { global, shared, bytes } => (Kind::Copy, global, shared, bytes),
                Async::Arrive { barrier, noinc: false } => (Kind::Arrive, 0, barrier, 0),
                Async::Arrive { barrier, noinc: true } => (Kind::ArriveNoinc, 0, barrier, 0),
            };
            cluster.r#async[cta].kind.next = u64::from(kind.code()).into();
            cluster.r#async[cta].thread.next = copier.into();
            cluster.r#async[cta].global.next = global.into();
            cluster.r#async[cta].shared.next = u64::from(shared).into();
            cluster.r#async[cta].bytes.next = u64::from(bytes).into();
        }
        cluster.bar_req[cta].valid.next = round.is_some();
        if let Some(Step::Round { act, releases }) = round {
            cluster.bar_req[cta].op.next = u64::from(act.code()).into();
            cluster.bar_req[cta].warp.next = warp.into();
            cluster.bar_req[cta].lanes.next = ((1u64 << WARP) - 1).into();
            cluster.bar_req[cta].aligned.next = true;
            cluster.bar_req[cta].releases.next = releases;
        }
        self.drive_out(cta);
        let shown = self.memories[cta].show(self.cycle, global::word);
        self.cluster.mem_rsp[cta].valid.next = shown.is_some();
        if let Some(beat) = shown {
            self.cluster.mem_rsp[cta].id.next = beat.id.into();
            for (lane, word) in beat.data.into_iter().enumerate() {
                self.cluster.mem_rsp[cta].data[lane].next = word.into();
            }
        }
        self.cluster.mem_req[cta].ready.next = self.is_ready();
        self.cluster.bar_rsp[cta].ready.next = self.is_ready();
    }

    /// Drives what has to do with copies out of shared memory, and with what threads post.
    fn drive_out(&mut self, cta: usize) {
        let at = |thread: Option<usize>| thread.map(|thread| &self.runners[thread].thread);
        let stand = &self.stands[cta];
        let (put, group, post) = (at(stand.put), at(stand.group), at(stand.post));
        let number = |thread: Option<&Thread>| thread.map_or(0, |thread| u64::from(thread.number));
        let step = |thread: Option<&Thread>| thread.map(|thread| thread.program[0]);
        let cluster = &mut self.cluster;
        cluster.put[cta].valid.next = put.is_some();
        cluster.put[cta].thread.next = number(put).into();
        match step(put) {
            Some(Step::Put(put)) => put.drive(cluster, cta),
            _ => cluster.put[cta].kind.next = u64::from(out::Put::Commit.code()).into(),
        }
        cluster.group[cta].valid.next = group.is_some();
        cluster.group[cta].thread.next = number(group).into();
        if let Some(Step::Groups { most, read }) = step(group) {
            cluster.group[cta].most.next = u64::from(most).into();
            cluster.group[cta].read.next = read;
        }
        cluster.post[cta].valid.next = post.is_some();
        if let Some(Step::Post(post)) = step(post) {
            post.drive(cluster, cta);
        }
        let acknowledged = self.outgoing[cta].acknowledge(self.cycle);
        self.cluster.mem_ack[cta].valid.next = acknowledged.is_some();
        self.cluster.mem_ack[cta].id.next = acknowledged.unwrap_or(0).into();
        if acknowledged.is_some() {
            self.last_event = self.cycle;
        }
        self.cluster.mem_wr[cta].ready.next = self.is_ready();
    }
}
