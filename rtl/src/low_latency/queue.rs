//! Response queue of one port: holds answers until the port accepts them, and reserves space for them.
//!
//! **What.** A FIFO, and a count of *reservations*: the port's requests that have been accepted and whose answers the port has not
//! accepted. A request is accepted only while `room` guarantees space for its answer, so the bank never waits, and a slow port delays no
//! other.
//!
//! ```text
//!   cycle      0         1    2    3    4         5                        6
//!   reserve    accept                   push      valid ─ ready: taken     the entry may be reserved again
//! ```
//! A queue of 6 entries therefore keeps one port at one request a cycle. All handshake outputs come from registers:
//! there is no path from `ready` to `valid` or to `room`.
//!
//! **Late inputs.** `reserve`, `push` and `withdraw` are at the end of long paths: the grant, and whether a wait is suspended. A `late`
//! queue computes the next counts for every case of these inputs first, and selects last. The counts are the same. Units with the wake mask
//! have late queues; the figures of the others were measured without them.
//!
//! Drawn from a run: `waves/gallery/blocks/crossbar.svg`.

use crate::hardware;
use crate::hdl::*;
use crate::pins::PortAnswer;
use crate::word::status::Status;

/// Width of a status.
const STATUS_BITS: usize = Status::BITS;

hardware! {
    /// Response queue: answers of one port, with reservations that prevent overflow.
    pub module ResponseQueue = "response_queue" {
        /// A request that will be answered is accepted: reserves an entry.
        pub reserve: Signal<In, Bit>,
        /// Write enable: answer of the bank.
        pub push: Signal<In, Bit>,
        /// Tag of the answer.
        pub push_tag: Signal<In, Tag>,
        /// Status of the answer.
        pub push_status: Signal<In, StatusCode, StatusView>,
        /// Predicate of the answer.
        pub push_predicate: Signal<In, Bit>,
        /// Data of the answer.
        pub push_data: Signal<In, Word>,
        /// Cancels a reservation: the request will not be answered from this queue.
        pub withdraw: Signal<In, Bit>,
        /// The port accepts the answer at the output.
        pub ready: Signal<In, Bit>,

        /// Space for one more request.
        pub room: OutControlReg<Bit>,
        /// Answer valid.
        pub valid: OutControlReg<Bit>,
        /// Answer at the output.
        pub shown: Flat<PortAnswer<Out>>,

        /// Number of entries.
        pub depth: usize = depth,
        /// 1 if the inputs arrive late in the cycle.
        pub late: usize,
        /// Index of the last entry.
        pub last: usize = depth - 1,
        /// Status, predicate and tag of each entry.
        pub outcomes: LutRam<Outcome> = LutRam::new(depth),
        /// Data of each entry.
        pub contents: LutRam<Word> = LutRam::new(depth),
        /// Write index.
        pub tail: ControlReg<QueueIndex>,
        /// Read index.
        pub head: ControlReg<QueueIndex>,
        /// Filled entries.
        pub filled: ControlReg<QueueCount>,
        /// Filled and reserved entries.
        pub reserved: ControlReg<QueueCount>,

        /// The answer at the output is accepted.
        pub pop: Signal<Local, Bit>,
        /// A reservation ends.
        pub leaving: Signal<Local, Bit>,
        /// Next value of `filled`.
        pub filling: Signal<Local, QueueCount>,
        /// Next value of `reserved`.
        pub reserving: Signal<Local, QueueCount>,
        /// Next value of `filled` without a push.
        pub kept: Single<Signal<Local, QueueCount>>,
        /// Next value of `reserved` without a new or cancelled reservation.
        pub promised: Single<Signal<Local, QueueCount>>,
        /// Status, predicate and tag of the answer at the output.
        pub outcome: Signal<Local, Outcome>,
    }
    processes { Address, Show, Count }
    /// A queue of `depth` entries.
    built by pub fn new(depth: usize) {}
}

#[processes]
impl ResponseQueue {
    fn address(&mut self) {
        self.outcomes.read_address.next = self.head.q.val();
        self.contents.read_address.next = self.head.q.val();
    }

    fn show(&mut self) {
        self.outcome.next = self.outcomes.read_data.val();
        self.shown.status.next = self.outcome.val().get_bits::<STATUS_BITS>(0);
        self.shown.predicate.next = self.outcome.val().get_bit(Status::BITS);
        self.shown.tag.next = self.outcome.val().get_bits::<TAG>(Status::BITS + 1);
        self.shown.data.next = self.contents.read_data.val();
    }

    fn count(&mut self) {
        self.outcomes.write_enable.next = self.push.val();
        self.outcomes.write_address.next = self.tail.q.val();
        self.outcomes.write_data.next = bit_cast::<OUTCOME, STATUS_BITS>(self.push_status.val())
            | (bit_cast::<OUTCOME, 1>(self.push_predicate.val().into()) << Status::BITS)
            | (bit_cast::<OUTCOME, TAG>(self.push_tag.val()) << (Status::BITS + 1));
        self.contents.write_enable.next = self.push.val();
        self.contents.write_address.next = self.tail.q.val();
        self.contents.write_data.next = self.push_data.val();

        self.pop.next = self.valid.q.val() & self.ready.val();
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + 1;
            if self.tail.q.val().index() == self.last {
                self.tail.d.next = 0.into();
            }
        }
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
        self.leaving.next = self.pop.val() | self.withdraw.val();
        self.reserving.next = self.reserved.q.val();
        if self.reserve.val() & !self.leaving.val() {
            self.reserving.next = self.reserved.q.val() + 1;
        }
        if (self.leaving.val() & !self.reserve.val()) | (self.pop.val() & self.withdraw.val() & self.reserve.val()) {
            self.reserving.next = self.reserved.q.val() - 1;
        }
        if self.pop.val() & self.withdraw.val() & !self.reserve.val() {
            self.reserving.next = self.reserved.q.val() - 1 - 1;
        }
        self.filled.d.next = self.filling.val();
        self.reserved.d.next = self.reserving.val();
        self.valid.d.next = self.filling.val().any();
        self.room.d.next = self.reserving.val().index() != self.depth;
        for l in 0..self.late {
            self.kept[l].next = self.filled.q.val();
            self.promised[l].next = self.reserved.q.val();
            if self.pop.val() {
                self.kept[l].next = self.filled.q.val() - 1;
                self.promised[l].next = self.reserved.q.val() - 1;
            }
            self.filled.d.next = self.kept[l].val();
            if self.push.val() {
                self.filled.d.next = self.kept[l].val() + 1;
            }
            self.valid.d.next = self.push.val() | self.kept[l].val().any();
            self.reserved.d.next = self.promised[l].val();
            self.room.d.next = self.promised[l].val().index() != self.depth;
            if self.reserve.val() & !self.withdraw.val() {
                self.reserved.d.next = self.promised[l].val() + 1;
                self.room.d.next = self.promised[l].val().index() != self.last;
            }
            if self.withdraw.val() & !self.reserve.val() {
                self.reserved.d.next = self.promised[l].val() - 1;
                self.room.d.next = true;
            }
        }
    }
}

impl ResponseQueue {
    /// A queue for inputs that arrive late in the cycle.
    pub fn late(depth: usize) -> Self {
        Self { late: 1, kept: Single::new(1), promised: Single::new(1), ..Self::new(depth) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue with a bank that answers after four cycles, with consecutive numbers.
    struct Rig {
        queue: ResponseQueue,
        pipeline: [Option<u64>; 4],
        asked: u64,
        taken: Vec<u64>,
    }

    impl Rig {
        fn new(depth: usize) -> Self {
            let mut queue = ResponseQueue::new(depth);
            queue.settle();
            queue.tick();
            Self { queue, pipeline: [None; 4], asked: 0, taken: Vec::new() }
        }

        /// One cycle; requests if `asks` and there is room.
        fn cycle(&mut self, asks: bool, ready: bool) {
            let queue = &mut self.queue;
            queue.settle();
            if queue.valid.q.val() && ready {
                self.taken.push(queue.shown.data.val().raw());
            }
            let reserve = asks && queue.room.q.val();
            let answer = self.pipeline[3];
            queue.reserve.next = reserve;
            queue.ready.next = ready;
            queue.push.next = answer.is_some();
            queue.push_data.next = answer.unwrap_or(0).into();
            queue.push_tag.next = (answer.unwrap_or(0) & 7).into();
            queue.push_status.next = (answer.unwrap_or(0) & 31).into();
            queue.push_predicate.next = answer.unwrap_or(0) & 1 != 0;
            queue.settle();
            queue.tick();
            self.pipeline.rotate_right(1);
            self.pipeline[0] = reserve.then_some(self.asked);
            self.asked += reserve as u64;
        }
    }

    /// A queue for late inputs counts as the other does, for all inputs that a unit may drive, in every order.
    #[test]
    fn late_inputs_are_counted_alike() {
        for depth in [1, 2, 5, 8, 13] {
            let mut queues = [ResponseQueue::new(depth), ResponseQueue::late(depth)];
            let (mut chance, mut owed) = (1u64, 0);
            for _ in 0..20_000 {
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let (draw, busy) = (chance >> 60, owed > 0);
                let (push, withdraw) = (busy && draw & 3 == 0, busy && draw & 3 == 1);
                let reserve = queues[0].room.q.val() && draw & 4 != 0;
                for queue in &mut queues {
                    queue.settle();
                    queue.push.next = push;
                    queue.withdraw.next = withdraw;
                    queue.reserve.next = reserve;
                    queue.ready.next = chance >> 58 & 1 != 0;
                    queue.settle();
                    queue.tick();
                }
                owed = owed + reserve as usize - push as usize - withdraw as usize;
                let [plain, late] = &queues;
                assert_eq!((plain.room.q.val(), plain.valid.q.val()), (late.room.q.val(), late.valid.q.val()));
                assert_eq!(plain.reserved.q.val().index(), late.reserved.q.val().index());
                assert_eq!(plain.filled.q.val().index(), late.filled.q.val().index());
            }
        }
    }

    #[test]
    fn six_entries_keep_a_port_at_one_request_a_cycle() {
        for (depth, asked) in [(8, 100), (6, 100), (5, 84), (1, 17)] {
            let mut rig = Rig::new(depth);
            (0..100).for_each(|_| rig.cycle(true, true));
            assert_eq!(rig.asked, asked, "{depth} entries");
        }
    }

    #[test]
    fn nothing_is_lost_or_swapped_when_the_port_is_slow() {
        for depth in [1, 2, 3, 5, 8, 13] {
            let mut rig = Rig::new(depth);
            for cycle in 0..2000u32 {
                rig.cycle(cycle % 7 != 3, cycle.wrapping_mul(2_654_435_761) >> 30 == 0);
                assert!(rig.queue.reserved.q.val().index() <= depth);
            }
            (0..50).for_each(|_| rig.cycle(false, true));
            assert_eq!(rig.taken, (0..rig.asked).collect::<Vec<_>>(), "{depth} entries");
        }
    }

    #[test]
    fn an_answer_is_shown_whole_and_stays() {
        let mut rig = Rig::new(4);
        for _ in 0..12 {
            rig.cycle(rig.asked < 4, false);
        }
        for answer in 0..4 {
            for ready in [false, true] {
                rig.queue.settle();
                let queue = &rig.queue;
                assert_eq!(
                    (queue.valid.q.val(), queue.shown.data.val().raw(), queue.shown.tag.val().raw()),
                    (true, answer, answer)
                );
                assert_eq!((queue.shown.status.val().raw(), queue.shown.predicate.val()), (answer, answer & 1 != 0));
                rig.cycle(false, ready);
            }
        }
        assert!(!rig.queue.valid.q.val());
    }
}
