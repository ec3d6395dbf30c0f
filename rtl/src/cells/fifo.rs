//! A queue of some 64-bit words side by side: first in, first out.
//!
//! ```text
//!   cycle    0      1      2      3
//!   push     A      B
//!   valid           1      1             from the cycle after; depends on registers only
//!   words           A      B
//!   take            1      1             the entry that is shown leaves
//! ```
//! Push only if `room` is 1, or if it is known otherwise that there is some. With a capacity of two or more, one entry a cycle goes
//! through.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Queue: first in, first out.
    pub module Fifo = "fifo" {
        /// An entry comes.
        pub push: Signal<In, Bit>,
        /// What it is.
        pub words: Lanes<Signal<In, Word>> = Lanes::new(width),
        /// The entry that is shown leaves.
        pub take: Signal<In, Bit>,
        /// One more may come in this cycle.
        pub room: OutControlReg<Bit>,
        /// An entry is shown.
        pub valid: OutControlReg<Bit>,
        /// What it is.
        pub first: Lanes<Signal<Out, Word>> = Lanes::new(width),

        /// Entries at most.
        pub capacity: usize = capacity,
        /// Number of the last place.
        pub last: usize = places - 1,
        /// The entries.
        pub store: Lanes<LutRam<Word, FifoIndex>> = Lanes::of(width, || LutRam::new(places)),
        /// Place of the entry that is shown.
        pub head: ControlReg<FifoIndex>,
        /// Place of the next entry.
        pub tail: ControlReg<FifoIndex>,
        /// Entries.
        pub filled: ControlReg<FifoCount>,
        /// Next `filled`.
        pub filling: Signal<Local, FifoCount>,
    }
    processes { Look, Show, Move }
    /// A queue of `capacity` entries of `width` words. Its memory has `places` places, a power of two.
    built by pub fn new(width: usize, capacity: usize, places: usize) {
        assert!(capacity <= places && places.is_power_of_two());
    }
}

#[processes]
impl Fifo {
    fn look(&mut self) {
        for w in 0..self.store.len() {
            self.store[w].read_address.next = self.head.q.val();
        }
    }

    fn show(&mut self) {
        for w in 0..self.first.len() {
            self.first[w].next = self.store[w].read_data.val();
        }
    }

    fn r#move(&mut self) {
        for w in 0..self.words.len() {
            self.store[w].write_enable.next = self.push.val();
            self.store[w].write_address.next = self.tail.q.val();
            self.store[w].write_data.next = self.words[w].val();
        }
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + 1;
            if self.tail.q.val().index() == self.last {
                self.tail.d.next = 0.into();
            }
        }
        if self.take.val() {
            self.head.d.next = self.head.q.val() + 1;
            if self.head.q.val().index() == self.last {
                self.head.d.next = 0.into();
            }
        }
        self.filling.next = self.filled.q.val();
        if self.push.val() & !self.take.val() {
            self.filling.next = self.filled.q.val() + 1;
        }
        if self.take.val() & !self.push.val() {
            self.filling.next = self.filled.q.val() - 1;
        }
        self.filled.d.next = self.filling.val();
        self.valid.d.next = self.filling.val().any();
        self.room.d.next = self.filling.val().index() != self.capacity;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn first_in_first_out_within_its_capacity() {
        for (capacity, places) in [(1, 4), (2, 4), (3, 4), (4, 4)] {
            let mut fifo = Fifo::new(2, capacity, places);
            let mut model: VecDeque<u64> = VecDeque::new();
            let (mut noise, mut next) = (0x2545_f491_4f6c_dd1du64, 0);
            fifo.settle();
            fifo.tick();
            for _ in 0..2000 {
                noise = noise.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                fifo.settle();
                assert_eq!(fifo.valid.q.val(), !model.is_empty());
                assert_eq!(fifo.room.q.val(), model.len() < capacity);
                if let Some(first) = model.front() {
                    assert_eq!([fifo.first[0].val().raw(), fifo.first[1].val().raw()], [*first, !first]);
                }
                let (push, take) = (fifo.room.q.val() && noise & 3 != 0, fifo.valid.q.val() && noise & 12 != 0);
                fifo.push.next = push;
                fifo.take.next = take;
                (fifo.words[0].next, fifo.words[1].next) = (next.into(), (!next).into());
                fifo.settle();
                fifo.tick();
                if take {
                    model.pop_front();
                }
                if push {
                    model.push_back(next);
                    next += 1;
                }
            }
            assert!(next > 500);
        }
    }
}
