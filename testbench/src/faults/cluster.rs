//! Faults to inject into a cluster: known defects of the network, the copies and barrier.cluster. Those of the memories are in
//! [`super::low_latency`].

use super::{Fault, faults};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::{Cluster, Point};
use txbar_rtl::hdl::{Bits, Lanes};
use txbar_rtl::op::Op;

/// What the faults of this file are injected into.
type Design = Cluster;
/// Point of injection.
type Place = Point;

/// The faults that there are for this cluster, but for those of the memories.
pub fn all(parameters: &ClusterParameters) -> Vec<Fault<Cluster, Point>> {
    let memory = if parameters.warp_memory { super::cluster_memory::FAULTS } else { &[] };
    [FAULTS, memory].concat()
}

/// Sets bits of a value of any width.
fn flip<const N: usize>(value: &mut Bits<N>, bits: u64) {
    *value = *value ^ Bits::from(bits);
}

faults! {
    // the network
    "link-loses", "a request that goes into a link is lost", |cluster, point, memo| {
        if point == Point::Settled {
            for link in cluster.requests.iter_mut() {
                if link.queue.push.val() && memo.every(40) {
                    link.queue.push.next = false;
                    link.queue.settle_2();
                }
            }
        }
    }
    "link-repeats", "a request that is accepted stays in its link", |cluster, point, memo| {
        if point == Point::Settled {
            for link in cluster.requests.iter_mut() {
                if link.take.val() && memo.every(40) {
                    link.take.next = false;
                    link.settle_2();
                }
            }
        }
    }
    "link-neighbour", "a request goes to the CTA next to the one that it names", |cluster, point, memo| {
        if point == Point::Sent {
            let ctas = cluster.ctas;
            for cta in &mut cluster.cta {
                for send in cta.send.iter_mut() {
                    if send.val().any() && memo.every(40) {
                        let target = send.val().raw();
                        let next = if target << 1 >> ctas != 0 { 1 } else { target << 1 };
                        if cta.link_room[0].val().raw() & next != 0 {
                            send.next = next.into();
                        }
                    }
                }
            }
        }
    }
    "link-overtakes", "a request that comes finds its data mixed up with that of the next", |cluster, point, memo| {
        if point == Point::Settled {
            for link in cluster.requests.iter_mut() {
                if link.send.val() && memo.every(40) {
                    flip(&mut link.words[1].next, 1 << 3);
                    link.settle_2();
                }
            }
        }
    }
    "link-unfair", "the lowest CTA always goes first", |cluster, point, memo| {
        if point == Point::Settled {
            for arbiter in cluster.asks.iter_mut() {
                arbiter.served.d.next = 0.into();
            }
        }
    }
    "credit-lost", "a credit does not come back", |cluster, point, memo| {
        if point == Point::Settled {
            for link in cluster.requests.iter_mut() {
                if link.take.val() && memo.every(40) {
                    link.back.enter.next = false;
                }
            }
        }
    }
    "credit-free", "a link is given more than it has room for", |cluster, point, memo| {
        if point == Point::Settled {
            for link in cluster.requests.iter_mut() {
                link.flying.d.next = 0.into();
                link.room.d.next = true;
            }
        }
    }
    "answer-elsewhere", "an answer goes to another port than the one that asked", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                for replies in cta.replies.iter_mut() {
                    if replies.push.val() && memo.every(40) {
                        flip(&mut replies.words[0].next, 1 << txbar_rtl::copies::messages::answer::PORT);
                        replies.settle_2();
                    }
                }
            }
        }
    }
    "answer-switches", "an answer that is shown gives way to one that comes", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                for prefers in cta.prefers.iter_mut() {
                    prefers.d.next = true;
                }
            }
        }
    }
    "release-waits-for-nobody", "what a port has elsewhere is forgotten as soon as it has left", |cluster, point, memo| {
        if point == Point::Settled {
            for away in cluster.cta.iter_mut().flat_map(|cta| cta.away.iter_mut()) {
                away.d.next = 0.into();
            }
        }
    }
    "acquire-holds-nobody", "a load elsewhere that acquires does not hold its port", |cluster, point, memo| {
        if point == Point::Settled {
            for acquires in cluster.cta.iter_mut().flat_map(|cta| cta.acquires.iter_mut()) {
                acquires.d.next = false;
            }
        }
    }

    // copies
    "beat-next-block", "a beat lands in the block behind its own", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                if cta.copier.beat_valid.d.val() && cta.copier.beat_ready.val() && memo.every(20) {
                    flip(&mut cta.copier.beat_address.d.next, 32);
                }
            }
        }
    }
    "beat-whole", "all bytes of a beat are stored, also those that are not its own", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                cta.copier.beat_strobe.d.next = 0xffff_ffff.into();
            }
        }
    }
    "beat-crossed", "two words of a beat change places", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                let data: &mut Lanes<_> = &mut cta.copier.beat_data;
                let (low, high) = (data[0].d.val(), data[1].d.val());
                data[0].d.next = high;
                data[1].d.next = low;
            }
        }
    }
    "bytes-uncounted", "the bytes of a burst are not completed", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                if cta.completer.add.val() && memo.every(10) {
                    cta.completer.add.next = false;
                    cta.completer.settle_2();
                }
            }
        }
    }
    "bytes-early", "the bytes of a burst are completed before its last beat has landed", |cluster, point, memo| {
        if point == Point::Settled {
            for (number, cta) in cluster.cta.iter_mut().enumerate() {
                let taken = cta.unit.write_taken[0].val() && !cta.foreign.val();
                let bytes = cta.copier.beat_bytes.q.val().raw();
                if taken && bytes == 0 && !cta.copier.beat_copy.q.val() && memo.data[number] == 0 {
                    memo.data[number] = 16; // the burst goes on: 16 bytes of it are told now, and not at its end
                    cta.completer.add.next = true;
                    cta.completer.bytes.next = 128.into();
                    cta.completer.settle_2();
                } else if taken && bytes != 0 {
                    memo.data[number] = 0;
                }
            }
        }
    }
    "multicast-forgets", "a beat for several CTAs counts as taken by those that had no room", |cluster, point, memo| {
        if point == Point::Routed {
            for cta in &mut cluster.cta {
                let casts = cta.cast[0].val();
                if casts.any() && casts != cta.cast_taken[0].val() {
                    cta.cast_taken[0].next = casts;
                }
            }
        }
    }
    "multicast-repeats", "a beat that one of several CTAs has had goes there again", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                cta.served.d.next = 0.into();
            }
        }
    }
    "beat-torn", "the door turns to another beat before it has the first whole", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                cta.beat_turn.d.next = !cta.foreign.val();
            }
        }
    }
    "copy-lands-early", "all copies of a thread count as landed when one has", |cluster, point, memo| {
        if point == Point::Settled {
            for tracker in cluster.cta.iter_mut().map(|cta| &mut cta.copier.tracker) {
                for thread in 0..tracker.head.len() {
                    if tracker.present[thread].d.val().any() {
                        tracker.present[thread].d.next = tracker.used[thread].d.val();
                    }
                }
            }
        }
    }
    "arrive-without-end", "cp.async.mbarrier.arrive does not lower the tx-count again", |cluster, point, memo| {
        if point == Point::Settled {
            for tracker in cluster.cta.iter_mut().map(|cta| &mut cta.copier.tracker) {
                if tracker.op_valid.d.val() && tracker.op.d.val() == Op::CpAsyncEnd {
                    tracker.op.d.next = Op::Load.into();
                }
            }
        }
    }
    // tensor copies
    "box-column-late", "a box begins 16 bytes behind its coordinate", |cluster, point, memo| {
        if point == Point::Settled {
            for tensor in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()) {
                if tensor.origin.done.d.val() && !tensor.origin.done.q.val() {
                    tensor.origin.first.d.next = tensor.origin.first.d.val() + 1;
                }
            }
        }
    }
    "box-too-deep", "a box goes on behind its last row", |cluster, point, memo| {
        if point == Point::Settled {
            for rows in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.rows) {
                if rows.take.val() && rows.moves.val().get_bit(1) && memo.every(20) {
                    rows.offset[1].d.next = 0.into();
                }
            }
        }
    }
    "box-sign-lost", "a negative coordinate counts as one inside the tensor", |cluster, point, memo| {
        if point == Point::Settled {
            for cutter in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.cutter) {
                cutter.is_inside.d.next = true;
            }
        }
    }
    "fill-too-long", "a whole piece is filled where the tensor ends within it", |cluster, point, memo| {
        if point == Point::Settled {
            for cutter in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.cutter) {
                if cutter.tail_of.d.val().any() && cutter.load.val() {
                    cutter.end_of.d.next = cutter.end_of.d.val() - 1;
                    cutter.tail_of.d.next = 0.into();
                }
            }
        }
    }
    "tail-unfilled", "what lies behind the end of a tensor within a piece is not filled", |cluster, point, memo| {
        if point == Point::Settled {
            for cutter in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.cutter) {
                cutter.tail_of.d.next = 0.into();
            }
        }
    }
    "swizzle-of-64", "a swizzle of 128 bytes takes two bits of the address only", |cluster, point, memo| {
        if point == Point::Settled {
            for lander in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.lander) {
                if lander.style.d.val().raw() & 3 == 3 {
                    flip(&mut lander.style.d.next, 1);
                }
            }
        }
    }
    "fill-uncounted", "bytes that are filled are not completed", |cluster, point, memo| {
        if point == Point::Settled {
            for lander in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.lander) {
                if lander.fills.val() && memo.every(20) {
                    lander.beat_bytes.d.next = 0.into();
                }
            }
        }
    }
    "box-bytes-early", "the bytes of a box are completed when they are asked for", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                for lander in cta.tensor.iter_mut().map(|tensor| &mut tensor.lander) {
                    lander.beat_bytes.d.next = 0.into();
                    if lander.mem_req_valid.q.val() && lander.mem_req_taken.val() && cta.completer.room.val() {
                        cta.completer.add.next = true;
                        cta.completer.barrier.next = lander.barrier_of.q.val();
                        cta.completer.bytes.next = (32 * lander.mem_req_beats.q.val().raw()).into();
                        cta.completer.settle_2();
                    }
                }
            }
        }
    }
    "rest-forgotten", "a piece that is left over of a burst is not stored", |cluster, point, memo| {
        if point == Point::Settled {
            for lander in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.lander) {
                if lander.rest.d.val() && !lander.rest.q.val() {
                    lander.rest.d.next = false;
                }
            }
        }
    }
    "map-stale", "a map takes the words of the one that it replaces", |cluster, point, memo| {
        if point == Point::Settled {
            for maps in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.maps) {
                let replaces = maps.whole.q.val().raw().count_ones() == 3;
                for store in maps.store.iter_mut().filter(|_| replaces) {
                    store.write_enable.next = false;
                }
            }
        }
    }
    "store-unswizzled", "a swizzled box is read for a store as if it were none", |cluster, point, memo| {
        if point == Point::Settled {
            for sender in cluster.cta.iter_mut().map(|cta| &mut cta.sender) {
                sender.swizzle.d.next = 0.into();
            }
        }
    }
    "store-outside", "a store writes behind the end of a row of the tensor", |cluster, point, memo| {
        if point == Point::Settled {
            for tensor in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()) {
                if tensor.begins.val() && tensor.stores.val() {
                    tensor.cutter.end_of.d.next = tensor.cutter.count_of.d.val();
                }
            }
        }
    }
    "store-short", "the last piece of a part of a store stays behind", |cluster, point, memo| {
        if point == Point::Settled {
            for outward in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.outward) {
                let count = outward.box_count.d.val().raw();
                if outward.burst_valid.val() && count > 1 && memo.every(10) {
                    outward.box_count.d.next = (count - 1).into();
                }
            }
        }
    }
    "store-lost", "a part of a store that has to wait is forgotten", |cluster, point, memo| {
        if point == Point::Settled {
            for outward in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()).map(|tensor| &mut tensor.outward) {
                if outward.box_valid.q.val() && !outward.box_taken.val() && memo.every(20) {
                    outward.box_valid.d.next = false;
                }
            }
        }
    }
    "store-in-no-group", "a thread commits its group before its tensor stores have been handed over", |cluster, point, memo| {
        if point == Point::Settled {
            for tensor in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()) {
                if tensor.begins.val() {
                    flip(&mut tensor.outward.owner.d.next, 1);
                }
            }
        }
    }
    "store-other-operation", "a tensor reduction does something else than the instruction says", |cluster, point, memo| {
        if point == Point::Settled {
            for tensor in cluster.cta.iter_mut().flat_map(|cta| cta.tensor.iter_mut()) {
                if tensor.begins.val() && tensor.outward.box_reduction.d.val().any() {
                    flip(&mut tensor.outward.box_reduction.d.next, 1);
                }
            }
        }
    }

    "word-unstored", "a word of a beat is not stored", |cluster, point, memo| {
        if point == Point::Settled {
            for bank in cluster.cta.iter_mut().flat_map(|cta| cta.unit.bank.iter_mut()) {
                for copies in bank.copies_c2.iter_mut() {
                    if copies.d.val() && memo.every(20) {
                        copies.d.next = false;
                    }
                }
            }
        }
    }

    "fault-elsewhere-unmarked", "a fault of a request from another CTA leaves no trace in the word", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in cluster.cta.iter_mut().filter(|cta| cta.nets > 0) {
                let network = cta.net_port;
                cta.unit.decode[network].marks.d.next = false;
                cta.unit.decode[network].taints.d.next = false;
            }
        }
    }

    // out of shared memory
    "put-crossed", "a word that is read for a copy has a bit wrong", |cluster, point, memo| {
        if point == Point::Settled {
            for outlet in cluster.cta.iter_mut().map(|cta| &mut cta.outlet) {
                if outlet.blocks.push.val() && memo.every(20) {
                    flip(&mut outlet.blocks.words[0].next, 1 << 5);
                    outlet.blocks.settle_2();
                }
            }
        }
    }
    "put-unread", "what is read for a copy out of shared memory is zero", |cluster, point, memo| {
        if point == Point::Settled {
            for outlet in cluster.cta.iter_mut().map(|cta| &mut cta.outlet) {
                if outlet.blocks.push.val() {
                    outlet.blocks.words.iter_mut().for_each(|word| word.next = 0.into());
                    outlet.blocks.settle_2();
                }
            }
        }
    }
    "put-unmasked", "a copy writes the bytes that its mask leaves out", |cluster, point, memo| {
        if point == Point::Settled {
            for sender in cluster.cta.iter_mut().map(|cta| &mut cta.sender) {
                sender.mask.d.next = 0xffff.into();
            }
        }
    }
    "put-past-the-line", "a burst does not end at 128 bytes", |cluster, point, memo| {
        if point == Point::Settled {
            for cta in &mut cluster.cta {
                if cta.outlet.way.push.val() && !cta.sender.is_last.val() {
                    let last = 1 << txbar_rtl::copies::messages::movement::LAST;
                    cta.outlet.way.words[0].next = cta.outlet.way.words[0].val() & !Bits::from(last);
                    cta.outlet.way.settle_2();
                }
            }
        }
    }
    "group-read-early", "the sources of a group count as read when it is committed", |cluster, point, memo| {
        if point == Point::Settled {
            for ledger in cluster.cta.iter_mut().map(|cta| &mut cta.sender.ledger) {
                ledger.unread.iter_mut().for_each(|count| count.d.next = 0.into());
            }
        }
    }
    "group-written-early", "a burst counts as written when it has been sent", |cluster, point, memo| {
        if point == Point::Settled {
            for ledger in cluster.cta.iter_mut().map(|cta| &mut cta.sender.ledger) {
                ledger.over.d.next = ledger.used.d.val();
            }
        }
    }
    "post-beside", "a store of a thread that completes on a barrier lands beside its place", |cluster, point, memo| {
        if point == Point::Settled {
            for post in cluster.cta.iter_mut().map(|cta| &mut cta.poster) {
                if post.begins.val() && memo.every(10) {
                    flip(&mut post.beat_address.d.next, 32);
                }
            }
        }
    }
    "reduction-wrong", "a reduction has a bit wrong", |cluster, point, memo| {
        if point == Point::Settled {
            for reducer in cluster.cta.iter_mut().map(|cta| &mut cta.reducer) {
                if memo.every(20) {
                    reducer.result.iter_mut().for_each(|word| flip(&mut word.d.next, 1 << 40));
                }
            }
        }
    }
    "reduction-stale", "a reduction works on what the one before it has read", |cluster, point, memo| {
        if point == Point::Settled {
            for reducer in cluster.cta.iter_mut().map(|cta| &mut cta.reducer) {
                if reducer.found_valid.val() && memo.every(5) {
                    reducer.old.iter_mut().for_each(|word| word.d.next = word.q.val());
                }
            }
        }
    }
    "reduction-kind", "a minimum is a maximum", |cluster, point, memo| {
        if point == Point::Settled {
            for post in cluster.cta.iter_mut().map(|cta| &mut cta.poster) {
                if post.begins.val() && post.beat_reduction.d.val().raw() & 15 == 2 {
                    flip(&mut post.beat_reduction.d.next, 1);
                }
            }
        }
    }
    "junction-torn", "another source's beat is shown before all CTAs have had the first", |cluster, point, memo| {
        if point == Point::Settled {
            for junction in cluster.cta.iter_mut().map(|cta| &mut cta.junction) {
                junction.held.d.next = false;
            }
        }
    }

    // barrier.cluster
    "round-alone", "a CTA's round is complete when its own threads have arrived", |cluster, point, memo| {
        if point == Point::Brought {
            for cta in &mut cluster.cta {
                let all = if cta.arrived.val() { Bits::from((1 << cta.ctas) - 1) } else { 0.into() };
                cta.arrived_of.next = all;
            }
        }
    }
    "round-forgets-exits", "a CTA whose threads have all exited is waited for", |cluster, point, memo| {
        if point == Point::Brought {
            for cta in &mut cluster.cta {
                cta.empty_of.next = 0.into();
            }
        }
    }
    "round-loses-a-warp", "a warp that waits is not woken", |cluster, point, memo| {
        if point == Point::Settled {
            for rendezvous in cluster.cta.iter_mut().map(|cta| &mut cta.rendezvous) {
                if rendezvous.complete.val() {
                    rendezvous.woken.d.next = rendezvous.woken.d.val() & (rendezvous.woken.d.val() - 1);
                }
            }
        }
    }
}
