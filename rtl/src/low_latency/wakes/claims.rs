//! Claims: which wait has the entry of its thread, and which requests an acquire wait holds.
//!
//! **The entry.** A wait that is granted is looked at in c2: if the entry of its thread is free, the wait has it until it is answered
//! (`lapses`), or is suspended in it and its end has been taken. Two waits of a thread that follow each other closely do not both
//! get it: what is in c3 and c4 counts as suspended.
//!
//! **Who is held.** From its acceptance until it is over, a wait with acquire semantics that has an entry holds the port's later requests
//! of the same thread, but not those of others: one of them may be what the wait waits for. Since the entry is the thread's, that is a
//! bit each thread (`holding`), from when the wait is in c3 on; in c1 and c2 its thread is compared. A wait without an entry is
//! answered before anything that comes later is done, so it holds nobody beyond c2.
//!
//! **Look first.** As in [`crate::low_latency::waiters::holds`]: who comes is looked up, and what that says is used in the next cycle. While an acquire
//! wait is under way (`alert`), requests go to the banks by way of the slot, a cycle later; one that passes the slot has stood at the
//! port for a cycle (`looked`). A request stays as it is until it is accepted, so that no tag is compared to know that it is the same one:
//! that comparison, in front of what is granted and of the reservations, was the longest path.
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
    /// Claims: which wait has the entry of its thread, and which requests an acquire wait holds.
    pub module Claims = "claims" {
        /// The pipeline moves.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request in c0.
        pub op: InStageReg<OpCode, OpView>,
        /// Its tag.
        pub tag: InStageReg<Tag>,
        /// It was granted to the port.
        pub granted: InStageControlReg<Bit>,
        /// It was, and is a wait that acquires.
        pub acquires: InStageControlReg<Bit>,
        /// Tag of the request that comes.
        pub coming: Signal<In, Tag>,
        /// A request comes, and is not accepted.
        pub stands: Signal<In, Bit>,
        /// The slot takes the request that comes, if there is one.
        pub loads: Signal<In, Bit>,
        /// What leaves it is a wait that acquires, of the same thread.
        pub follows: Signal<In, Bit>,
        /// Entries whose wait is suspended, or over and not taken.
        pub taken: Signal<In, EntryMask>,
        /// The request in c4 is done, and not suspended.
        pub lapses: Signal<In, Bit>,
        /// Entries whose wait is over.
        pub ended: Signal<In, EntryMask>,
        /// A wait that acquires is under way: nobody goes to the banks who has not been looked at.
        pub alert: OutControlReg<Bit>,
        /// The request that comes has been: nothing holds it.
        pub looked: Signal<Out, Bit>,
        /// It comes from another thread than the request in the slot, and has been looked at.
        pub apart: Signal<Out, Bit>,
        /// The request in the slot is held.
        pub slot_held: OutControlReg<Bit>,
        /// The entry that the wait in c3 has, one-hot.
        pub claim_c3: OutStageControlReg<EntryMask>,
        /// That of the wait in c4.
        pub claim_c4: OutStageControlReg<EntryMask>,

        /// Bits of a tag below those that name the thread.
        pub number_bits: usize = number_bits,
        /// Number of entries.
        pub entries: usize = entries,
        /// Bits of the number of an entry.
        pub entry_bits: usize = entries.ilog2() as usize,
        /// Number of the last entry.
        pub last: usize = entries - 1,
        /// The entry of the thread of the wait in c2, one-hot; none if it is no wait, or has none.
        pub claim_c2: StageControlReg<EntryMask>,
        /// A wait that acquires is in c2.
        pub acquires_c2: StageControlReg<Bit>,
        /// Its thread.
        pub thread_c2: StageReg<Tag>,
        /// Threads that an acquire wait in c3, in c4 or suspended is of.
        pub holding: ControlReg<EntryMask>,
        /// What comes came in the last cycle, too.
        pub stood: ControlReg<Bit>,
        /// It was of another thread than the request in the slot.
        pub differs: Reg<Bit>,
        /// Some wait held it.
        pub blocked: ControlReg<Bit>,
        /// Thread of the request in the slot.
        pub slot_thread: Reg<Tag>,
        /// The wait that holds it is in c1.
        pub near_c1: ControlReg<Bit>,
        /// In c2.
        pub near_c2: ControlReg<Bit>,

        /// Thread of the request in c1.
        pub thread_c1: Signal<Local, Tag>,
        /// Its entry, if it has one.
        pub spot_c1: Signal<Local, EntryIndex>,
        /// Thread of the request that comes.
        pub coming_thread: Signal<Local, Tag>,
        /// Its entry, if it has one.
        pub coming_spot: Signal<Local, EntryIndex>,
        /// The entry of the request in the slot, if it has one.
        pub slot_spot: Signal<Local, EntryIndex>,
        /// A suspended wait, or one in c3 or c4, holds the request that comes.
        pub meets_held: Signal<Local, Bit>,
        /// The wait in c1 does.
        pub meets_c1: Signal<Local, Bit>,
        /// That in c2.
        pub meets_c2: Signal<Local, Bit>,
        /// A suspended wait, or one in c3 or c4, holds the request in the slot.
        pub slot_meets: Signal<Local, Bit>,
        /// The wait in c1 holds what will be in the slot.
        pub from_c1: Signal<Local, Bit>,
        /// That in c2.
        pub from_c2: Signal<Local, Bit>,
    }
    constants {
        /// Operations that may be suspended.
        SUSPENDING: OpSet = sets::SUSPENDING;
    }
    processes { Meet, Claim, Follow }
    staged by advance
    /// Those of a table of so many entries (a power of two), for tags that have so many bits below those that name the thread.
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
        // a wait that was granted meanwhile may be of any thread
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
