//! FIFO of one or more 64-bit words side by side.
//!
//! ```text
//!   cycle    0      1      2      3
//!   push     A      B
//!   valid           1      1             from the cycle after; depends on registers only
//!   words           A      B
//! take            1      1             the output entry is removed
//! ```
//! Assert `push` only while `room` is 1, or when space is guaranteed otherwise. With a capacity of two or more, throughput is one entry a
//! cycle.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// FIFO.
    pub module Fifo = "fifo" {
        /// Write enable.
        pub push: Signal<In, Bit>,
        /// Words to write.
        pub words: Lanes<Signal<In, Word>> = Lanes::new(width),
        /// Read enable: removes the entry at the output.
        pub take: Signal<In, Bit>,
        /// Space for one more entry.
        pub room: OutControlReg<Bit>,
        /// Output valid.
        pub valid: OutControlReg<Bit>,
        /// Words of the entry at the output.
        pub first: Lanes<Signal<Out, Word>> = Lanes::new(width),

        /// Capacity in entries.
        pub capacity: usize = capacity,
        /// Index of the last location.
        pub last: usize = places - 1,
        /// Memory, one per word of an entry.
        pub store: Lanes<LutRam<Word, FifoIndex>> = Lanes::of(width, || LutRam::new(places)),
        /// Read index.
        pub head: ControlReg<FifoIndex>,
        /// Write index.
        pub tail: ControlReg<FifoIndex>,
        /// Fill level in entries.
        pub filled: ControlReg<FifoCount>,
        /// Next value of `filled`.
        pub filling: Signal<Local, FifoCount>,
    }
    processes { Look, Show, Move }
    /// A FIFO of `capacity` entries of `width` words. Its memory has `places` locations, a power of two.
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
