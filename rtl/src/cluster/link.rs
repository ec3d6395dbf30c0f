//! Link into a CTA: delays words by a fixed number of cycles, with credit-based flow control.
//!
//! **What.** A shift register with a queue at its end, and credits: the sender sees `room` only while the queue will have space for the
//! words, so nothing on the way ever stalls.
//!
//! ```text
//!                  cycles - 1 registers
//!   send, words ─►▯─▯─▯─ ... ─▯─► queue ─► valid, first        L cycles from sent to shown
//!   room ◄─ credits ◄─ ... ▯─▯─▯─◄──────── take                L cycles back
//!
//!   cycle    0    1   ...  L
//!   send     A    B
//!   valid                  A
//! ```
//! The queue has 2 L + 2 places or more, so that one entry a cycle goes through while it is taken at once.
//!
//! Drawn from a run: `waves/gallery/blocks/remote_arrive.svg`.

use crate::cells::fifo::Fifo;
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Link: delays words by a fixed number of cycles, in order.
    pub module Link = "link" {
        /// Write enable: words valid.
        pub send: Signal<In, Bit>,
        /// Words to send.
        pub words: Lanes<Signal<In, Word>> = Lanes::new(width),
        /// Space for one more entry.
        pub room: OutControlReg<Bit>,
        /// Output valid.
        pub valid: Signal<Out, Bit>,
        /// Words at the output.
        pub first: Lanes<Signal<Out, Word>> = Lanes::new(width),
        /// Read enable: output accepted.
        pub take: Signal<In, Bit>,

        /// Words of an entry.
        pub width: usize = width,
        /// Entries that may be in flight.
        pub capacity: usize = capacity,
        /// Valid bits in flight, if the delay is more than a cycle.
        pub sent: Lanes<ControlDelay<Bit>> = Lanes::of(sents, || ControlDelay::new(cycles - 1)),
        /// Words in flight, if the delay is more than a cycle.
        pub way: Lanes<Delay<Word>> = Lanes::of(ways, || Delay::new(cycles - 1)),
        /// Credits in flight.
        pub back: ControlDelay<Bit> = ControlDelay::new(cycles),
        /// Queue at the end.
        pub queue: Fifo = Fifo::new(width, capacity, places),
        /// Entries sent and not yet credited.
        pub flying: ControlReg<FifoCount>,
        /// Next value of `flying`.
        pub flown: Signal<Local, FifoCount>,
    }
    processes { Show, Move }
    /// A link of `cycles` cycles for `width` words; `capacity` entries may be in flight. The queue's memory has `places` locations.
    built by pub fn new(width: usize, cycles: usize, capacity: usize, places: usize) {
        let (sents, ways) = if cycles > 1 { (1, width) } else { (0, 0) };
    }
}

#[processes]
impl Link {
    fn show(&mut self) {
        self.valid.next = self.queue.valid.q.val();
        self.first <<= self.queue.first;
    }

    fn r#move(&mut self) {
        self.queue.push.next = self.send.val();
        for s in 0..self.sent.len() {
            self.sent[s].enter.next = self.send.val();
            self.queue.push.next = self.sent[s].leave.val();
        }
        self.queue.words <<= self.words;
        for w in 0..self.way.len() {
            self.way[w].enter.next = self.words[w].val();
            self.queue.words[w].next = self.way[w].leave.val();
        }
        self.queue.take.next = self.take.val();
        self.back.enter.next = self.take.val();
        self.flown.next = self.flying.q.val();
        if self.send.val() & !self.back.leave.val() {
            self.flown.next = self.flying.q.val() + 1;
        }
        if self.back.leave.val() & !self.send.val() {
            self.flown.next = self.flying.q.val() - 1;
        }
        self.flying.d.next = self.flown.val();
        self.room.d.next = self.flown.val().index() != self.capacity;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends numbers whenever there is space and accepts them when `ready` says so; returns the numbers received and their cycles.
    fn run(cycles: usize, length: usize, ready: impl Fn(usize) -> bool) -> Vec<(usize, u64)> {
        let capacity = (2 * cycles + 2).next_power_of_two();
        let mut link = Link::new(1, cycles, capacity, capacity);
        link.settle();
        link.tick();
        let (mut sent, mut came) = (0, Vec::new());
        for cycle in 0..length {
            link.settle();
            let take = link.valid.val() && ready(cycle);
            if take {
                came.push((cycle, link.first[0].val().raw()));
            }
            let send = link.room.q.val();
            link.send.next = send;
            link.words[0].next = sent.into();
            sent += send as u64;
            link.take.next = take;
            link.settle();
            link.tick();
        }
        came
    }

    #[test]
    fn one_a_cycle_after_so_many_cycles() {
        for cycles in [1, 2, 3, 8, 17] {
            let came = run(cycles, 200, |_| true);
            let expected: Vec<(usize, u64)> = (cycles..200).map(|cycle| (cycle, (cycle - cycles) as u64)).collect();
            assert_eq!(came, expected, "{cycles} cycles");
        }
    }

    #[test]
    fn nothing_is_lost_when_it_is_taken_late() {
        for cycles in [1, 4] {
            let came = run(cycles, 2000, |cycle| cycle.wrapping_mul(2_654_435_761) >> 13 & 3 == 0);
            assert!(came.len() > 400);
            assert!(came.iter().enumerate().all(|(position, (_, value))| *value == position as u64));
        }
    }
}
