//! Ledger: tracks outstanding bursts to global memory and the bulk groups of each thread.
//!
//! **What.** A burst that is sent and a group that is committed take the next place of a ring. Memory answers bursts in any order; places
//! leave in order. A group has been written when its place leaves: then all bursts before it have been answered. It has been read when its
//! mark has passed behind the data of all copies before it ([`outlet`](super::outlet)). Two counts per thread hold the number of its groups
//! that have not been read, or written; `wait_group` compares them.
//!
//! ```text
//!   take: burst, burst, commit, burst ──►│▯│▯│C│▯│──► leave, in order     ack: in any order
//!                                               └─► groups of the thread: one less to be written
//! ```
//! **Why this shape.** Groups end in the order in which they were committed, by any thread. So one ring, with as many places as there are
//! bursts, is enough for all threads; the end of a group may be reported later than possible, and never too early.

use super::tracker::MOST_COPIERS;
use crate::hardware;
use crate::hdl::*;

/// Maximum number of pending groups of a thread.
pub const MOST_GROUPS: usize = 7;
/// Width of a count of groups.
pub const GROUP_BITS: usize = 3;

hardware! {
    /// Ledger: tracks outstanding bursts and bulk groups.
    pub module Ledger = "ledger" {
        /// Allocates the next place to a burst or mark.
        pub take: Signal<In, Bit>,
        /// The place is for a mark: a group is committed.
        pub mark: Signal<In, Bit>,
        /// Thread of the mark.
        pub thread: Signal<In, CopierIndex>,
        /// Free place available.
        pub room: Signal<Out, Bit>,
        /// Number of the next place: number of the burst.
        pub number: Signal<Out, BurstIndex>,
        /// A burst has been written to memory.
        pub ack: Signal<In, Bit>,
        /// Number of the burst.
        pub ack_number: Signal<In, BurstIndex>,

        /// A thread commits a group.
        pub commit: Signal<In, Bit>,
        /// Thread that commits.
        pub commit_thread: Signal<In, CopierIndex>,
        /// The thread may commit: it has fewer pending groups than the maximum.
        pub commit_room: Signal<Out, Bit>,
        /// The sources of a group have been read.
        pub read: Signal<In, Bit>,
        /// Thread of that group.
        pub read_thread: Signal<In, CopierIndex>,
        /// Thread that waits.
        pub wait_thread: Signal<In, CopierIndex>,
        /// The wait is for the sources to be read only.
        pub wait_read: Signal<In, Bit>,
        /// Number of groups that may be pending at the end of the wait.
        pub wait_most: Signal<In, Bits<GROUP_BITS>>,
        /// No more groups than that are pending.
        pub wait_over: Signal<Out, Bit>,
        /// Threads with a group that has not been written.
        pub open: Signal<Out, CopierMask>,
        /// No burst or group is pending.
        pub idle: Signal<Out, Bit>,

        /// Number of places.
        pub places: usize = places,
        /// Index of the last place.
        pub last: usize = places - 1,
        /// Number of threads with groups.
        pub copiers: usize = copiers,
        /// The oldest place.
        pub head: ControlReg<BurstIndex>,
        /// The next place.
        pub tail: ControlReg<BurstIndex>,
        /// Places in use.
        pub used: ControlReg<BurstMask>,
        /// Places in use that are marks or answered bursts.
        pub over: ControlReg<BurstMask>,
        /// Places in use that are marks.
        pub marks: ControlReg<BurstMask>,
        /// Thread of each mark.
        pub owner: LutRam<CopierIndex, BurstIndex> = LutRam::new(places),
        /// Groups of each thread that have not been read.
        pub unread: Lanes<ControlReg<Bits<GROUP_BITS>>, MOST_COPIERS> = Lanes::new(copiers),
        /// Groups of each thread that have not been written.
        pub unwritten: Lanes<ControlReg<Bits<GROUP_BITS>>, MOST_COPIERS> = Lanes::new(copiers),
        /// The oldest place, one-hot.
        pub oldest: Signal<Local, BurstMask>,
        /// The next place, one-hot.
        pub next_place: Signal<Local, BurstMask>,
        /// The place that is answered, one-hot.
        pub answered: Signal<Local, BurstMask>,
        /// The oldest place leaves.
        pub leaves: Signal<Local, Bit>,
        /// The oldest place is a mark.
        pub written: Signal<Local, Bit>,
        /// Count compared by the wait.
        pub left: Signal<Local, Bits<GROUP_BITS>>,
        /// Pending groups of the committing thread.
        pub groups: Signal<Local, Bits<GROUP_BITS>>,
    }
    constants {
        /// Maximum number of pending groups of a thread.
        FULL: Bits<GROUP_BITS> = Bits::constant(MOST_GROUPS as u64);
    }
    processes { Show, Wait, Move }
    /// For this many threads (1 to 64), with this many places (1 to 16).
    built by pub fn new(copiers: usize, places: usize) {}
}

#[processes]
impl Ledger {
    fn show(&mut self) {
        clear!(self.oldest, self.next_place);
        for p in 0..self.places {
            if self.head.q.val().index() == p {
                self.oldest.next = bits::<BURSTS>(1) << p;
            }
            if self.tail.q.val().index() == p {
                self.next_place.next = bits::<BURSTS>(1) << p;
            }
        }
        self.room.next = !(self.used.q.val() & self.next_place.val()).any();
        self.number.next = self.tail.q.val();
        self.idle.next = !self.used.q.val().any();
        self.leaves.next = (self.used.q.val() & self.over.q.val() & self.oldest.val()).any();
        self.written.next = self.leaves.val() & (self.marks.q.val() & self.oldest.val()).any();
        self.owner.read_address.next = self.head.q.val();
        self.open.next = 0.into();
        for k in 0..self.copiers {
            if self.unwritten[k].q.val().any() {
                self.open.next = self.open.val() | (bits::<COPIERS>(1) << k);
            }
        }
    }

    fn wait(&mut self) {
        clear!(self.left, self.groups);
        for k in 0..self.copiers {
            if self.wait_thread.val().index() == k {
                self.left.next = self.unwritten[k].q.val();
                if self.wait_read.val() {
                    self.left.next = self.unread[k].q.val();
                }
            }
            if self.commit_thread.val().index() == k {
                self.groups.next = self.unwritten[k].q.val();
            }
        }
        self.wait_over.next = self.wait_most.val() >= self.left.val();
        self.commit_room.next = self.groups.val() != FULL;
    }

    fn r#move(&mut self) {
        self.answered.next = 0.into();
        for p in 0..self.places {
            if self.ack.val() & (self.ack_number.val().index() == p) {
                self.answered.next = bits::<BURSTS>(1) << p;
            }
        }
        self.over.d.next = self.over.q.val() | self.answered.val();
        if self.leaves.val() {
            self.used.d.next = self.used.q.val() & !self.oldest.val();
            self.head.d.next = self.head.q.val() + 1;
            if self.head.q.val().index() == self.last {
                self.head.d.next = 0.into();
            }
        }
        self.owner.write_enable.next = self.take.val();
        self.owner.write_address.next = self.tail.q.val();
        self.owner.write_data.next = self.thread.val();
        if self.take.val() {
            self.used.d.next = self.used.d.val() | self.next_place.val();
            self.over.d.next = self.over.d.val() & !self.next_place.val();
            self.marks.d.next = self.marks.q.val() & !self.next_place.val();
            if self.mark.val() {
                self.over.d.next = self.over.d.val() | self.next_place.val();
                self.marks.d.next = self.marks.q.val() | self.next_place.val();
            }
            self.tail.d.next = self.tail.q.val() + 1;
            if self.tail.q.val().index() == self.last {
                self.tail.d.next = 0.into();
            }
        }
        for k in 0..self.copiers {
            if self.commit.val() & (self.commit_thread.val().index() == k) {
                self.unread[k].d.next = self.unread[k].q.val() + 1;
                self.unwritten[k].d.next = self.unwritten[k].q.val() + 1;
            }
            if self.read.val() & (self.read_thread.val().index() == k) {
                self.unread[k].d.next = self.unread[k].d.val() - 1;
            }
            if self.written.val() & (self.owner.read_data.val().index() == k) {
                self.unwritten[k].d.next = self.unwritten[k].d.val() - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Random bursts and groups, answered out of order: a group is written when all before it are, and never earlier.
    #[test]
    fn a_group_is_written_when_all_before_it_is() {
        for places in [1, 3, 5, 16] {
            let mut ledger = Ledger::new(2, places);
            let mut noise = 0x2545_f491_4f6c_dd1du64;
            // contents of the ring: a burst (number, answered), or a group of a thread
            let mut ring: VecDeque<(u64, bool, Option<usize>)> = VecDeque::new();
            let mut pending: VecDeque<usize> = VecDeque::new();
            let (mut unwritten, mut ended) = ([0usize; 2], 0);
            for _ in 0..4000 {
                noise = noise.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                ledger.settle();
                // places leave one a cycle, so the ledger is never ahead of the model
                for (thread, least) in unwritten.iter().enumerate() {
                    let open = ledger.unwritten[thread].q.val().index();
                    assert!(open >= *least, "{open} groups are open, {least} should be");
                    assert_eq!(ledger.open.val().get_bit(thread), open > 0);
                }
                let thread = (noise >> 8 & 1) as usize;
                let most = (noise >> 9 & 7) as usize;
                ledger.wait_thread.next = (thread as u64).into();
                ledger.wait_most.next = (most as u64).into();
                ledger.commit_thread.next = (thread as u64).into();
                ledger.settle();
                assert_eq!(ledger.wait_over.val(), ledger.unwritten[thread].q.val().index() <= most);
                let commits = noise & 7 == 0 && ledger.commit_room.val();
                ledger.commit.next = commits;
                let marks = ledger.room.val() && pending.front().is_some();
                let bursts = ledger.room.val() && !marks && noise >> 3 & 1 == 0;
                ledger.take.next = marks || bursts;
                ledger.mark.next = marks;
                ledger.thread.next = (pending.front().copied().unwrap_or(0) as u64).into();
                ledger.read.next = false;
                let open: Vec<usize> = (0..ring.len()).filter(|&at| !ring[at].1).collect();
                let answers = noise >> 4 & 1 == 0 && !open.is_empty();
                let answered = answers.then(|| open[(noise >> 20) as usize % open.len()]);
                ledger.ack.next = answered.is_some();
                ledger.ack_number.next = answered.map_or(0, |at| ring[at].0).into();
                let number = ledger.number.val().raw();
                ledger.settle();
                ledger.tick();
                if let Some(at) = answered {
                    ring[at].1 = true;
                }
                if commits {
                    unwritten[thread] += 1;
                    pending.push_back(thread);
                }
                if marks {
                    ring.push_back((number, true, pending.pop_front()));
                }
                if bursts {
                    ring.push_back((number, false, None));
                }
                while let Some((_, true, of)) = ring.front().copied() {
                    ring.pop_front();
                    if let Some(thread) = of {
                        unwritten[thread] -= 1;
                        ended += 1;
                    }
                }
            }
            assert!(ended > 50, "{ended} groups with {places} places");
        }
    }
}
