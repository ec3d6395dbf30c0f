//! Holds: finds the requests of a port that are blocked by an acquire wait of their thread.
//!
//! **What.** From its acceptance until it ends, an acquire wait blocks the port's later requests of the same thread. Requests of other
//! threads proceed: one of them may be what the wait waits for. A thread has at most one such wait, since it blocks the next.
//!
//! **Compared a cycle ahead.** The thread of an incoming request is compared with those of all acquire waits, and the result is used in the
//! next cycle. So while such a wait is in flight (`alert`), requests go to the banks through the slot, a cycle later; and one that passes
//! the slot has been at the port for a cycle, or comes from the thread of the one before it (`looked`). Without such a wait, no request is
//! delayed.
//!
//! **The slot.** The wait that blocks the request in the slot was found when the request arrived; from then on only that wait is followed:
//! through the pipeline (`near_c1` to `near_c4`) into the table (`slot_holds`). The request stays blocked for two cycles after the wait has
//! ended.
//!
//! ```text
//!   cycle       t               t+1           t+2
//!   comes       same thread as the wait in c3
//!   slot        empty           full          full
//!   near_c4     ________________/‾‾‾‾‾‾‾‾‾‾‾‾‾\_____________
//!   place                       e
//!   slot_holds  ______________________________/‾ e, until that is over
//! ```

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Holds: finds the requests of a port that are blocked by an acquire wait of their thread.
    pub module Holds = "holds" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// An acquire wait was granted (c0).
        pub acquires: InStageControlReg<Bit>,
        /// Tag of the request in c0.
        pub tag: InStageReg<Tag>,
        /// Tag of the incoming request.
        pub coming: Signal<In, Tag>,
        /// An acquire wait is in flight: requests not yet checked must not issue.
        pub alert: OutControlReg<Bit>,
        /// The incoming request was checked and is not blocked.
        pub looked: Signal<Out, Bit>,
        /// The request in the slot is blocked.
        pub slot_held: OutControlReg<Bit>,
        /// The slot loads the incoming request, if valid.
        pub loads: Signal<In, Bit>,
        /// An acquire wait of the incoming request's thread leaves the slot.
        pub follows: Signal<In, Bit>,
        /// Entry allocated to the request in c4, one-hot.
        pub place: Signal<In, EntryMask>,
        /// Entries whose wait has ended.
        pub ended: Signal<In, EntryMask>,

        /// Bits of a tag below those that name the thread.
        pub number_bits: usize = number_bits,
        /// Number of entries.
        pub entries: usize = entries,
        /// Thread of each entry.
        pub thread: Shelf<Tag> = Shelf::new(entries),
        /// Entries with a suspended acquire wait.
        pub acquiring: ControlReg<EntryMask>,
        /// The request in c2 is an acquire wait.
        pub acquires_c2: StageControlReg<Bit>,
        /// The request in c3 is an acquire wait.
        pub acquires_c3: StageControlReg<Bit>,
        /// The request in c4 is an acquire wait.
        pub acquires_c4: StageControlReg<Bit>,
        /// Thread of the request in c2.
        pub thread_c2: StageReg<Tag>,
        /// Thread of the request in c3.
        pub thread_c3: StageReg<Tag>,
        /// Thread of the request in c4.
        pub thread_c4: StageReg<Tag>,
        /// The wait that blocks the request in the slot is in c1.
        pub near_c1: ControlReg<Bit>,
        /// The wait that blocks the request in the slot is in c2.
        pub near_c2: ControlReg<Bit>,
        /// The wait that blocks the request in the slot is in c3.
        pub near_c3: ControlReg<Bit>,
        /// The wait that blocks the request in the slot is in c4.
        pub near_c4: ControlReg<Bit>,
        /// Entries that block the request in the slot.
        pub slot_holds: ControlReg<EntryMask>,
        /// Thread of the incoming request of the last cycle.
        pub seen: Reg<Tag>,
        /// The incoming request of the last cycle was blocked.
        pub blocked: ControlReg<Bit>,

        /// Thread of the incoming request.
        pub coming_thread: Signal<Local, Tag>,
        /// Thread of the request in c1.
        pub thread_c1: Signal<Local, Tag>,
        /// Entries that block the incoming request.
        pub hits: Signal<Local, EntryMask>,
        /// The incoming request is blocked.
        pub meets: Signal<Local, Bit>,
        /// The wait in c1 blocks the incoming request.
        pub meets_c1: Signal<Local, Bit>,
        /// The wait in c2 blocks the incoming request.
        pub meets_c2: Signal<Local, Bit>,
        /// The wait in c3 blocks the incoming request.
        pub meets_c3: Signal<Local, Bit>,
        /// The wait in c4 blocks the incoming request.
        pub meets_c4: Signal<Local, Bit>,
        /// The wait in c1 blocks the next request in the slot.
        pub from_c1: Signal<Local, Bit>,
        /// The wait in c2 blocks the next request in the slot.
        pub from_c2: Signal<Local, Bit>,
        /// The wait in c3 blocks the next request in the slot.
        pub from_c3: Signal<Local, Bit>,
        /// The wait in c4 blocks the next request in the slot.
        pub from_c4: Signal<Local, Bit>,
    }
    processes { Meet, Follow }
    staged by advance
    /// Holds of a table of this many entries; tags have `number_bits` bits below those that name the thread.
    built by pub fn new(entries: usize, number_bits: usize) {}
}

#[processes]
impl Holds {
    fn meet(&mut self) {
        self.coming_thread.next = self.coming.val() >> self.number_bits;
        self.thread_c1.next = self.tag.q.val() >> self.number_bits;
        self.meets_c1.next = self.acquires.q.val() & (self.thread_c1.val() == self.coming_thread.val());
        self.meets_c2.next = self.acquires_c2.q.val() & (self.thread_c2.q.val() == self.coming_thread.val());
        self.meets_c3.next = self.acquires_c3.q.val() & (self.thread_c3.q.val() == self.coming_thread.val());
        self.meets_c4.next = self.acquires_c4.q.val() & (self.thread_c4.q.val() == self.coming_thread.val());
        self.hits.next = 0.into();
        for e in 0..self.entries {
            if self.thread.entry[e].val() == self.coming_thread.val() {
                self.hits.next = self.hits.val() | (bits::<ENTRIES>(1) << e);
            }
        }
        self.meets.next = (self.hits.val() & self.acquiring.q.val()).any()
            | self.meets_c1.val()
            | self.meets_c2.val()
            | self.meets_c3.val()
            | self.meets_c4.val();
        // a wait granted meanwhile may be of any thread
        self.looked.next =
            !self.blocked.q.val() & !self.acquires.q.val() & (self.seen.q.val() == self.coming_thread.val());
    }

    fn follow(&mut self) {
        self.acquires_c2.d.next = self.acquires.q.val();
        self.acquires_c3.d.next = self.acquires_c2.q.val();
        self.acquires_c4.d.next = self.acquires_c3.q.val();
        self.alert.d.next = self.acquiring.q.val().any()
            | self.acquires.d.val()
            | self.acquires.q.val()
            | self.acquires_c2.q.val()
            | self.acquires_c3.q.val()
            | self.acquires_c4.q.val();
        self.seen.d.next = self.coming_thread.val();
        self.blocked.d.next = self.meets.val();
        self.thread_c2.d.next = self.thread_c1.val();
        self.thread_c3.d.next = self.thread_c2.q.val();
        self.thread_c4.d.next = self.thread_c3.q.val();
        self.thread.write.next = self.place.val();
        self.thread.write_data.next = self.thread_c4.q.val();
        self.acquiring.d.next = self.acquiring.q.val() & !self.ended.val();
        if self.acquires_c4.q.val() {
            self.acquiring.d.next = self.acquiring.d.val() | self.place.val();
        }

        connect!(self.from_* <<= self.near_*: c1, c2, c3, c4);
        self.slot_held.d.next = (self.slot_holds.q.val() & self.acquiring.q.val()).any()
            | self.near_c1.q.val()
            | self.near_c2.q.val()
            | self.near_c3.q.val()
            | self.near_c4.q.val();
        self.slot_holds.d.next = self.slot_holds.q.val() & !self.place.val();
        if self.loads.val() {
            self.slot_held.d.next = self.meets.val() | self.follows.val();
            connect!(self.from_* <<= self.meets_*: c1, c2, c3, c4);
            self.slot_holds.d.next = self.hits.val() & !self.place.val();
        }
        if self.from_c4.val() {
            self.slot_holds.d.next = self.slot_holds.d.val() | self.place.val();
        }
        connect!(self.near_* <<= self.from_*: c1, c2, c3, c4);
        if self.advance.val() {
            self.near_c1.d.next = self.loads.val() & self.follows.val();
            self.near_c2.d.next = self.from_c1.val();
            self.near_c3.d.next = self.from_c2.val();
            self.near_c4.d.next = self.from_c3.val();
        }
    }
}
