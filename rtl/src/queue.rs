//! Response queue of one port: holds answers until the port takes them, and sees that there is always room.
//!
//! **What.** A first-in-first-out memory, and a count of *reservations*: the port's requests that have been accepted and
//! not yet answered to the port. A request is accepted only while `room` says that its answer will fit, so the bank never
//! has to wait and a slow port delays nobody else.
//!
//! ```text
//!   cycle      0         1    2    3    4         5                        6
//!   reserve    accept                   push      valid ─ ready: taken     the room may be given away again
//! ```
//! A queue of 6 entries therefore keeps one port at one request a cycle. All handshake outputs come from registers:
//! there is no path from `ready` to `valid` or to `room`.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Response queue: answers of one port, with the reservations that keep it from overflowing.
    pub module ResponseQueue = "response_queue" {
        /// A request that will be answered is accepted.
        pub reserve: Signal<In, Bit>,
        /// An answer comes from the bank.
        pub push: Signal<In, Bit>,
        /// Its tag.
        pub push_tag: Signal<In, Tag>,
        /// Its status.
        pub push_status: Signal<In, Bits<5>, StatusView>,
        /// Its predicate.
        pub push_predicate: Signal<In, Bit>,
        /// Its data.
        pub push_data: Signal<In, Bits<64>>,
        /// The port takes the answer that is shown.
        pub ready: Signal<In, Bit>,

        /// Another request may be accepted.
        pub room: OutControlReg<Bit>,
        /// An answer is shown.
        pub valid: OutControlReg<Bit>,
        /// Its tag.
        pub tag: Signal<Out, Tag>,
        /// Its status.
        pub status: Signal<Out, Bits<5>, StatusView>,
        /// Its predicate.
        pub predicate: Signal<Out, Bit>,
        /// Its data.
        pub data: Signal<Out, Bits<64>>,

        /// Number of entries.
        pub(crate) depth: usize,
        /// Number of the last entry.
        pub(crate) last: usize,
        /// Status, predicate and tag of each entry.
        pub(crate) outcomes: LutRam<Outcome>,
        /// Data of each entry.
        pub(crate) contents: LutRam<Bits<64>>,
        /// Entry to fill next.
        pub(crate) tail: ControlReg<QueueIndex>,
        /// Entry that is shown.
        pub(crate) head: ControlReg<QueueIndex>,
        /// Entries that are filled.
        pub(crate) filled: ControlReg<QueueCount>,
        /// Entries that are filled or promised.
        pub(crate) reserved: ControlReg<QueueCount>,

        /// The answer that is shown is taken.
        pub(crate) pop: Signal<Local, Bit>,
        /// Next `filled`.
        pub(crate) filling: Signal<Local, QueueCount>,
        /// Next `reserved`.
        pub(crate) reserving: Signal<Local, QueueCount>,
        /// Status, predicate and tag of the entry that is shown.
        pub(crate) outcome: Signal<Local, Outcome>,
    }
    processes { Address, Show, Count }
}

impl Process<Address> for ResponseQueue {
    #[hdl_gen]
    fn update(&mut self) {
        self.outcomes.read_address.next = self.head.q.val();
        self.contents.read_address.next = self.head.q.val();
    }
}

impl Process<Show> for ResponseQueue {
    #[hdl_gen]
    fn update(&mut self) {
        self.outcome.next = self.outcomes.read_data.val();
        self.status.next = self.outcome.val().get_bits::<5>(0);
        self.predicate.next = self.outcome.val().get_bit(5);
        self.tag.next = self.outcome.val().get_bits::<TAG>(6);
        self.data.next = self.contents.read_data.val();
    }
}

impl Process<Count> for ResponseQueue {
    #[hdl_gen]
    fn update(&mut self) {
        self.outcomes.write_enable.next = self.push.val();
        self.outcomes.write_address.next = self.tail.q.val();
        self.outcomes.write_data.next = bit_cast::<OUTCOME, 5>(self.push_status.val())
            | (bit_cast::<OUTCOME, 1>(self.push_predicate.val().into()) << 5)
            | (bit_cast::<OUTCOME, TAG>(self.push_tag.val()) << 6);
        self.contents.write_enable.next = self.push.val();
        self.contents.write_address.next = self.tail.q.val();
        self.contents.write_data.next = self.push_data.val();

        self.pop.next = self.valid.q.val() & self.ready.val();
        self.tail.d.next = self.tail.q.val();
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + 1;
            if self.tail.q.val().index() == self.last {
                self.tail.d.next = 0.into();
            }
        }
        self.head.d.next = self.head.q.val();
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + 1;
            if self.head.q.val().index() == self.last {
                self.head.d.next = 0.into();
            }
        }
        self.filling.next = self.filled.q.val();
        if self.push.val() & !self.pop.val() {
            self.filling.next = self.filled.q.val() + 1;
        }
        if self.pop.val() & !self.push.val() {
            self.filling.next = self.filled.q.val() - 1;
        }
        self.reserving.next = self.reserved.q.val();
        if self.reserve.val() & !self.pop.val() {
            self.reserving.next = self.reserved.q.val() + 1;
        }
        if self.pop.val() & !self.reserve.val() {
            self.reserving.next = self.reserved.q.val() - 1;
        }
        self.filled.d.next = self.filling.val();
        self.reserved.d.next = self.reserving.val();
        self.valid.d.next = self.filling.val().any();
        self.room.d.next = self.reserving.val().index() != self.depth;
    }
}

impl ResponseQueue {
    /// A queue of `depth` entries.
    pub fn new(depth: usize) -> Self {
        Self {
            depth,
            last: depth - 1,
            outcomes: LutRam::new(depth),
            contents: LutRam::new(depth),
            ..Self::default()
        }
    }

    /// Settles what the port sees. Depends on registers only.
    #[inline(always)]
    pub fn settle_show(&mut self) {
        Process::<Address>::update(self);
        self.outcomes.read();
        self.contents.read();
        Process::<Show>::update(self);
    }

    /// Settles the counts, once the inputs are driven.
    #[inline(always)]
    pub fn settle_count(&mut self) {
        Process::<Count>::update(self);
    }
}
