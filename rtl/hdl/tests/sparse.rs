//! Loops over a mask: what the simulator runs (only where bits are set) does what the kernel says, which the Verilog is printed from.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use txbar_hdl::*;

hardware! {
    /// Loops of every kind.
    pub module Loops = "loops" {
        /// A mask, a register.
        pub mask: OutControlReg<Bits<40>>,
        /// Another, a wire.
        pub live: Signal<In, Bits<40>>,
        /// A narrow one.
        pub narrow: Signal<In, Bits<6>>,
        /// How many bits are looked at.
        pub count: usize,
        /// What is added.
        pub term: Lanes<Signal<In, Bits<16>>, 64>,
        /// Sums of each loop.
        pub sum: Lanes<Signal<Out, Bits<16>>, 8>,
        /// A mask that a loop drives.
        pub left: Signal<Out, Bits<40>>,
    }
    processes { Sums, Drives, Not }
}

#[processes]
impl Loops {
    fn sums(&mut self) {
        for s in 0..4 {
            self.sum[s].next = 0.into();
        }
        for e in 0..self.count {
            if self.mask.q.val().get_bit(e) {
                self.sum[0].next = self.sum[0].val() + self.term[e].val();
            }
        }
        for e in 0..self.count {
            if self.live.val().get_bit(e) & !self.mask.q.val().get_bit(e) & self.term[e].val().get_bit(0) {
                self.sum[1].next = self.sum[1].val() + (self.term[e].val() ^ e.to_bits());
            }
        }
        for e in 0..6 {
            if self.narrow.val().get_bit(e) {
                for f in 0..self.count {
                    if self.mask.q.val().get_bit(f) & (self.term[e].val() == self.term[f].val()) {
                        self.sum[2].next = self.sum[2].val() + f.to_bits();
                    }
                }
            }
        }
    }

    /// The loop drives what it asks: only the first bit counts.
    fn drives(&mut self) {
        self.sum[4].next = 0.into();
        self.left.next = self.live.val();
        for e in 0..self.count {
            if self.left.val().get_bit(e) {
                self.left.next = 0.into();
                self.sum[4].next = self.sum[4].val() + self.term[e].val();
            }
        }
    }

    /// What happens where a bit is not set counts as well.
    fn not(&mut self) {
        for s in 5..8 {
            self.sum[s].next = 0.into();
        }
        for e in 0..self.count {
            if self.live.val().get_bit(e) {
                self.sum[5].next = self.term[e].val();
            } else {
                self.sum[5].next = self.sum[5].val() + 1;
            }
        }
        for e in 1..self.count {
            if self.live.val().get_bit(e) {
                self.sum[6].next = self.sum[6].val() + self.term[e].val();
            }
        }
        for e in 0..self.count {
            if self.live.val().get_bit(e) {
                self.sum[7].next = self.sum[7].val() + 1;
            }
            self.sum[7].next = self.sum[7].val() + 2;
        }
    }
}

/// The sums and the mask that a process leaves, run in both ways.
fn both<P>(block: &Loops) -> [Vec<u64>; 2]
where
    Loops: Process<P>,
{
    [Process::<P>::kernel, Process::<P>::sparse].map(|run: fn(&mut Loops)| {
        let mut block = block.clone();
        run(&mut block);
        block.sum.iter().map(|sum| sum.val().raw()).chain([block.left.val().raw()]).collect()
    })
}

#[test]
fn loops_that_skip_do_what_loops_do() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut drawn = || rng.random::<u64>();
    let mut found = [false; 3];
    for round in 0..2000 {
        let count = [0, 1, 5, 8, 9, 31, 40][round % 7];
        let mut block = Loops { count, term: Lanes::new(64), sum: Lanes::new(8), ..Loops::default() };
        // few bits, many, none, all
        let thin = [u64::MAX, drawn(), drawn() & drawn() & drawn(), 0, 1 << (drawn() % 40)][drawn() as usize % 5];
        block.mask.q.next = (drawn() & thin & Bits::<40>::MASK).into();
        block.live.next = ((drawn() | !thin) & thin & Bits::<40>::MASK).into();
        block.narrow.next = (drawn() % 64).into();
        for term in block.term.iter_mut() {
            term.next = (drawn() % 19).into();
        }
        for (process, [plain, sparse]) in
            [both::<Sums>(&block), both::<Drives>(&block), both::<Not>(&block)].into_iter().enumerate()
        {
            assert_eq!(plain, sparse, "round {round}, process {process}, {count} bits");
            found[process] |= plain.iter().any(|sum| *sum != 0);
        }
    }
    assert_eq!(found, [true; 3], "something was added up by each");
}
