//! Claims: assigns the entry of a thread to its wait, and finds the requests that an acquire wait blocks.
//!
//! **Allocation.** A granted wait is checked in c2: if the entry of its thread is free, the wait has it until it is answered (`lapses`), or
//! until its end has been reported after suspension. Two waits of a thread in close succession do not both get it: waits in c3 and c4 count
//! as suspended.
//!
//! **Blocked requests.** From its acceptance until it ends, an acquire wait with an entry blocks the port's later requests of the same
//! thread, but not those of other threads: one of them may be what the wait waits for. Since an entry belongs to a thread, that is one bit
//! per thread (`holding`) from c3 on; in c1 and c2 the wait's thread is compared. A wait without an entry is answered before any later
//! request is performed, so it blocks none beyond c2.
//!
//! **Compared a cycle ahead.** As in [`crate::low_latency::waiters::holds`]: an incoming request is checked, and the result is used in the
//! next cycle. While an acquire wait is in flight (`alert`), requests go to the banks through the slot, a cycle later; a request that
//! passes the slot has been at the port for a cycle (`looked`). An incoming request does not change until it is accepted, so no tag is
//! compared to recognise it: that comparison, in front of the grant and the reservations, was the longest path.
//!
//! ```text
//!   cycle      t               t+1             t+2             t+3
//!   wait       c1              c2              c3              c4
//!   claim      -               claim_c2        claim_c3        claim_c4: parks, or lapses
//!   holding    ________________________________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾  until it is over
//!   comes      compared        compared        looked up
//! ```

use crate::hardware;
use crate::hdl::*;
use crate::word::op::sets::{self, OpSet};

hardware! {
    /// Claims: assigns entries to waits, and finds the requests that an acquire wait blocks.
    pub module Claims = "claims" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request in c0.
        pub op: InStageReg<OpCode, OpView>,
        /// Tag of the request in c0.
        pub tag: InStageReg<Tag>,
        /// The request in c0 was granted.
        pub granted: InStageControlReg<Bit>,
        /// The request in c0 was granted and is an acquire wait.
        pub acquires: InStageControlReg<Bit>,
        /// Tag of the incoming request.
        pub coming: Signal<In, Tag>,
        /// The incoming request is not accepted.
        pub stands: Signal<In, Bit>,
        /// The slot loads the incoming request, if valid.
        pub loads: Signal<In, Bit>,
        /// An acquire wait of the incoming request's thread leaves the slot.
        pub follows: Signal<In, Bit>,
        /// Entries whose wait is suspended, or has ended and is not yet reported.
        pub taken: Signal<In, EntryMask>,
        /// The request in c4 is performed and not suspended.
        pub lapses: Signal<In, Bit>,
        /// Entries whose wait has ended.
        pub ended: Signal<In, EntryMask>,
        /// An acquire wait is in flight: requests not yet checked must not issue.
        pub alert: OutControlReg<Bit>,
        /// The incoming request was checked and is not blocked.
        pub looked: Signal<Out, Bit>,
        /// The incoming request is of another thread than the one in the slot, and was checked.
        pub apart: Signal<Out, Bit>,
        /// The request in the slot is blocked.
        pub slot_held: OutControlReg<Bit>,
        /// Entry of the wait in c3, one-hot.
        pub claim_c3: OutStageControlReg<EntryMask>,
        /// Entry of the wait in c4, one-hot.
        pub claim_c4: OutStageControlReg<EntryMask>,

        /// Bits of a tag below those that name the thread.
        pub number_bits: usize = number_bits,
        /// Number of entries.
        pub entries: usize = entries,
        /// Width of an entry's index.
        pub entry_bits: usize = entries.ilog2() as usize,
        /// Index of the last entry.
        pub last: usize = entries - 1,
        /// Entry of the wait in c2, one-hot; zero if there is no wait or no entry.
        pub claim_c2: StageControlReg<EntryMask>,
        /// The request in c2 is an acquire wait.
        pub acquires_c2: StageControlReg<Bit>,
        /// Thread of the request in c2.
        pub thread_c2: StageReg<Tag>,
        /// Threads with an acquire wait in c3, in c4 or suspended.
        pub holding: ControlReg<EntryMask>,
        /// The incoming request was there in the last cycle, too.
        pub stood: ControlReg<Bit>,
        /// The incoming request of the last cycle was of another thread than the one in the slot.
        pub differs: Reg<Bit>,
        /// The incoming request of the last cycle was blocked.
        pub blocked: ControlReg<Bit>,
        /// Thread of the request in the slot.
        pub slot_thread: Reg<Tag>,
        /// The wait that blocks the request in the slot is in c1.
        pub near_c1: ControlReg<Bit>,
        /// The wait that blocks the request in the slot is in c2.
        pub near_c2: ControlReg<Bit>,

        /// Thread of the request in c1.
        pub thread_c1: Signal<Local, Tag>,
        /// Entry of that thread, if it has one.
        pub spot_c1: Signal<Local, EntryIndex>,
        /// Thread of the incoming request.
        pub coming_thread: Signal<Local, Tag>,
        /// Entry of that thread, if it has one.
        pub coming_spot: Signal<Local, EntryIndex>,
        /// Entry of the slot's thread, if it has one.
        pub slot_spot: Signal<Local, EntryIndex>,
        /// A suspended wait, or one in c3 or c4, blocks the incoming request.
        pub meets_held: Signal<Local, Bit>,
        /// The wait in c1 blocks the incoming request.
        pub meets_c1: Signal<Local, Bit>,
        /// The wait in c2 blocks the incoming request.
        pub meets_c2: Signal<Local, Bit>,
        /// A suspended wait, or one in c3 or c4, blocks the request in the slot.
        pub slot_meets: Signal<Local, Bit>,
        /// The wait in c1 blocks the next request in the slot.
        pub from_c1: Signal<Local, Bit>,
        /// The wait in c2 blocks the next request in the slot.
        pub from_c2: Signal<Local, Bit>,
    }
    constants {
        /// Operations that may be suspended: `try_wait`.
        SUSPENDING: OpSet = sets::SUSPENDING;
    }
    processes { Meet, Claim, Follow }
    staged by advance
    /// Claims of a table of this many entries (a power of two); tags have `number_bits` bits below those that name the thread.
    built by pub fn new(entries: usize, number_bits: usize) {}
}

#[processes]
impl Claims {
    fn meet(&mut self) {
        self.coming_thread.next = self.coming.val() >> self.number_bits;
        self.coming_spot.next = self.coming_thread.val().get_bits::<ENTRY_INDEX>(0) & self.last.to_bits();
        self.thread_c1.next = self.tag.q.val() >> self.number_bits;
        self.spot_c1.next = self.thread_c1.val().get_bits::<ENTRY_INDEX>(0) & self.last.to_bits();
        self.meets_held.next = self.holding.q.val().get_bit(self.coming_spot.val().index())
            & !(self.coming_thread.val() >> self.entry_bits).any();
        self.meets_c1.next = self.acquires.q.val() & (self.thread_c1.val() == self.coming_thread.val());
        self.meets_c2.next = self.acquires_c2.q.val() & (self.thread_c2.q.val() == self.coming_thread.val());
        // a wait granted meanwhile may be of any thread
        self.looked.next = !self.blocked.q.val() & !self.acquires.q.val() & self.stood.q.val();
        self.apart.next = self.differs.q.val() & self.stood.q.val();
    }

    fn claim(&mut self) {
        self.claim_c2.d.next = 0.into();
        if self.granted.q.val()
            & SUSPENDING.get_bit(self.op.q.val().index())
            & !(self.thread_c1.val() >> self.entry_bits).any()
        {
            for e in 0..self.entries {
                if self.spot_c1.val() == e.to_bits() {
                    // bit by bit: a choice between constants becomes a chain of multiplexers
                    self.claim_c2.d.next = self.claim_c2.d.val() | (bits::<ENTRIES>(1) << e);
                }
            }
        }
        self.claim_c3.d.next =
            self.claim_c2.q.val() & !self.taken.val() & !self.claim_c3.q.val() & !self.claim_c4.q.val();
        self.claim_c4.d.next = self.claim_c3.q.val();
        self.acquires_c2.d.next = self.acquires.q.val();
        self.thread_c2.d.next = self.thread_c1.val();
        self.holding.d.next = self.holding.q.val() & !self.ended.val();
        if self.lapses.val() {
            self.holding.d.next = self.holding.q.val() & !self.ended.val() & !self.claim_c4.q.val();
        }
        if self.advance.val() & self.acquires_c2.q.val() {
            self.holding.d.next = self.holding.d.val() | self.claim_c3.d.val();
        }
        self.alert.d.next =
            self.holding.q.val().any() | self.acquires.d.val() | self.acquires.q.val() | self.acquires_c2.q.val();
        self.stood.d.next = self.stands.val();
        self.differs.d.next = self.coming_thread.val() != self.slot_thread.q.val();
        self.blocked.d.next = self.meets_held.val() | self.meets_c1.val() | self.meets_c2.val();
    }

    fn follow(&mut self) {
        self.slot_spot.next = self.slot_thread.q.val().get_bits::<ENTRY_INDEX>(0) & self.last.to_bits();
        self.slot_meets.next = self.holding.q.val().get_bit(self.slot_spot.val().index())
            & !(self.slot_thread.q.val() >> self.entry_bits).any();
        self.slot_thread.d.next = self.slot_thread.q.val();
        connect!(self.from_* <<= self.near_*: c1, c2);
        self.slot_held.d.next = self.slot_meets.val() | self.near_c1.q.val() | self.near_c2.q.val();
        if self.loads.val() {
            self.slot_thread.d.next = self.coming_thread.val();
            connect!(self.from_* <<= self.meets_*: c1, c2);
            self.slot_held.d.next =
                self.meets_held.val() | self.meets_c1.val() | self.meets_c2.val() | self.follows.val();
        }
        connect!(self.near_* <<= self.from_*: c1, c2);
        if self.advance.val() {
            self.near_c1.d.next = self.loads.val() & self.follows.val();
            self.near_c2.d.next = self.from_c1.val();
        }
    }
}
