//! Lookahead: finds the requests in flight on the same word, and adds up the deltas of those just ahead.
//!
//! **What.** A request is turned into a *delta*: 64 bits laid out as the word is. Each of the three counts is added to its
//! field; the other bits, and those that a store or an `init` brings, fall into places that were cleared before. The
//! accumulator takes three cycles to add a delta and to find out whether the phase completes, so it is given the sum of a
//! request's delta and of those of the two ahead of it, if they are on the same word.
//!
//! ```text
//!   p0 compare, choose    p1 gate                    p2 pair                  p3 total              p4 (accumulator)
//!   differs ────► same ─► same, not replaced ─┬────► own + ahead1 ──► pair ─► pair + ahead2 ──────► total
//!           p1..p9        since: ahead1 ──────┘ ┌──────────────────► ahead2 ──┘
//!                                ahead2 ────────┘    own + drops of ahead1 ─► + drops of ahead2 ──► reload1
//!   data ─► delta ──────────────────────────────►                    pair  ─► + drops of ahead2 ──► reload2
//! ```
//! `reload1` is what is added to the expected field if the request one ahead completes the phase, `reload2` if the one two
//! ahead does and the one between does not. The sums of the negatives are made beside the sums, so that "does it come to
//! zero?" is a comparison.
//!
//! **Assumptions.** The two requests ahead neither fault nor complete the phase so that this one completes it again; and no store is near
//! an operation that changes counts of the same word (`hazard`): a carry would run into bytes that a store replaces, and the negation of
//! stored data is not computed. Where an assumption is wrong, the request is replayed.

use super::STAGES;
use super::kind::{self, Kind};
use crate::hardware;
use crate::hdl::*;
use crate::word::{self, COUNT_BITS, TX_BITS};

hardware! {
    /// Lookahead: requests on the same word, and the sums of their deltas.
    pub module Lookahead = "lookahead" {
        /// Decoded request in p0.
        pub kind: Signal<In, Kind>,
        /// Byte enables of the request in p0.
        pub mask: Signal<In, Bits<8>>,
        /// Data of the request in p0.
        pub data: Signal<In, Word>,
        /// Operand of the request in p0, negated.
        pub negative: Signal<In, TxCount>,
        /// Word index of the request that enters p0 next.
        pub early_index: Signal<In, WordIndex>,
        /// Decoded requests in p1, p2 and p3 (lane 0 is p1).
        pub kinds: Lanes<Signal<In, Kind>> = Lanes::new(3),
        /// Arrivals of the request in p6 are drops.
        pub leaves: Signal<In, Bit>,
        /// Requests in p1 to p9 that access a word.
        pub live: Lanes<Signal<In, Bit>, STAGES> = Lanes::new(9),
        /// Word indices in p0 to p8.
        pub indices: Lanes<Signal<In, WordIndex>, STAGES> = Lanes::new(9),

        /// The request one ahead (lane 0), two ahead, and so on, accesses the word of the request in p1.
        pub same: Lanes<OutReg<Bit>, STAGES> = Lanes::new(9),
        /// Bytes of the word that no request replaces before the one in p2.
        pub keeps: OutReg<Bits<8>>,
        /// The request continues from the word of the one ahead, if that completes the phase; in p2 to p5.
        pub follows1: Lanes<OutReg<Bit>> = Lanes::new(rows[0]),
        /// The request continues from the word of the one two ahead, if that completes the phase; in p2 to p4.
        pub follows2: Lanes<OutReg<Bit>> = Lanes::new(rows[1]),
        /// The request one ahead is on the same word; in p2 to p6.
        pub behind1: Lanes<OutReg<Bit>> = Lanes::new(rows[2]),
        /// The request two ahead is on the same word; in p2 to p6.
        pub behind2: Lanes<OutReg<Bit>> = Lanes::new(rows[2]),
        /// A store and an operation that changes counts are too close to each other; in p2 to p8.
        pub hazard: Lanes<OutReg<Bit>> = Lanes::new(rows[3]),
        /// Arrivals of this request less one; zero without arrivals; in p2 to p7.
        pub arrivals_less: Lanes<OutReg<Count>> = Lanes::new(rows[4]),
        /// Drops of this request less one; zero without drops; in p7.
        pub drops_less: OutReg<Count>,
        /// Sign of the addend to the tx field; in p2 to p7.
        pub tx_sign: Lanes<OutReg<Bit>> = Lanes::new(rows[4]),
        /// Addend in p4, if no phase completes among these operations.
        pub total: OutReg<Word, WordView>,
        /// Pending and tx fields of `total`, negated.
        pub total_negative: OutReg<Word>,
        /// Addend to the expected field that gives the pending field, if the request one ahead completes the phase.
        pub reload1: OutReg<Count>,
        /// Addend to the expected field that gives the pending field, if the request two ahead completes the phase.
        pub reload2: OutReg<Count>,
        /// The tx field, if the request one ahead completes the phase.
        pub tx1: OutReg<TxCount>,
        /// The tx field, if the request two ahead completes the phase.
        pub tx2: OutReg<TxCount>,

        /// Number of stages compared with.
        pub stages: usize = 9,
        /// Registers in each row.
        pub steps: Lanes<usize> = Lanes::of(rows.len(), || steps.next().expect("there is one a row")),

        /// Differences between the word index of the next request in p0 and those in p1 and so on, for each pair of bits.
        pub differs: Lanes<Lanes<Reg<Bit>>, STAGES> = Lanes::grid(9, 5),
        /// The request one ahead is on the word of the request in p1 and replaces it.
        pub replaced1: Reg<Bit>,
        /// The request two ahead is on the word of the request in p1 and replaces it.
        pub replaced2: Reg<Bit>,
        /// The request one ahead is on the word of the request in p1 and does not store.
        pub counts1: Reg<Bit>,
        /// The request two ahead is on the word of the request in p1 and does not store.
        pub counts2: Reg<Bit>,
        /// The request in p1 and the one ahead are too close to each other, on one word.
        pub near1: Reg<Bit>,
        /// The request in p1 and the one two ahead are too close to each other, on one word.
        pub near2: Reg<Bit>,
        /// Delta of the request in p1.
        pub delta: Reg<Word, WordView>,
        /// Delta of the request in p2.
        pub own: Reg<Word, WordView>,
        /// Delta in p3, for the request two behind.
        pub own_p3: Reg<Word, WordView>,
        /// Pending and tx fields of the delta in p1, negated.
        pub delta_negative: Reg<Word>,
        /// Pending and tx fields of the delta in p2, negated.
        pub own_negative: Reg<Word>,
        /// Pending and tx fields of the delta in p3, negated.
        pub own_negative_p3: Reg<Word>,
        /// Bytes that the request in p1 replaces.
        pub mask_p1: Reg<Bits<8>>,
        /// Bytes that the request in p2 replaces.
        pub mask_p2: Reg<Bits<8>>,
        /// Bytes that the request in p3 replaces.
        pub mask_p3: Reg<Bits<8>>,
        /// Delta of the request one ahead of p2, zero if on another word.
        pub ahead1: Reg<Word, WordView>,
        /// `ahead1`, negated.
        pub ahead1_negative: Reg<Word>,
        /// Delta of the request two ahead of p2, zero if on another word.
        pub ahead2: Reg<Word, WordView>,
        /// `ahead2`, negated.
        pub ahead2_negative: Reg<Word>,
        /// `ahead2`, in p3.
        pub ahead2_p3: Reg<Word, WordView>,
        /// `ahead2_negative`, in p3.
        pub ahead2_negative_p3: Reg<Word>,
        /// Sum of the deltas in p3 and one ahead.
        pub pair: Reg<Word, WordView>,
        /// Pending and tx fields of `pair`, negated.
        pub pair_negative: Reg<Word>,
        /// Addend to the tx field, of the request in p3.
        pub tx1_p3: Reg<TxCount>,
        /// Sum of the arrivals in p3 and the drops one ahead.
        pub reload1_p3: Reg<Count>,

        /// The operand.
        pub amount: Signal<Local, Count>,
        /// The operand, negated.
        pub amount_negative: Signal<Local, Count>,
        /// The operand, if it counts arrivals.
        pub counted: Signal<Local, Count>,
        /// `counted`, negated.
        pub counted_negative: Signal<Local, Count>,
        /// One arrival.
        pub single: Signal<Local, Count>,
        /// `single`, negated.
        pub single_negative: Signal<Local, Count>,
        /// Value of the count fields after `init`.
        pub made: Signal<Local, Count>,
        /// `made`, negated.
        pub made_negative: Signal<Local, Count>,
        /// The operand, if it counts drops.
        pub dropped: Signal<Local, Count>,
        /// One drop.
        pub left: Signal<Local, Count>,
        /// Bytes completed.
        pub completed: Signal<Local, TxCount>,
        /// Bytes expected.
        pub expected: Signal<Local, TxCount>,
        /// A byte expected.
        pub begun: Signal<Local, TxCount>,
        /// A byte completed.
        pub ended: Signal<Local, TxCount>,
        /// Sum of these, negated.
        pub moved_negative: Signal<Local, TxCount>,
        /// Sum of these.
        pub moved: Signal<Local, TxCount>,
        /// Sum of the addends to the pending field.
        pub arrivals: Signal<Local, Count>,
        /// Sum of the addends to the expected field.
        pub drops: Signal<Local, Count>,
        /// All bytes, if an operation other than a store replaces them all.
        pub whole: Signal<Local, Bits<8>>,
        /// Bits that a store writes.
        pub stored: Signal<Local, Word>,
        /// Result of `pending_count`.
        pub asked: Signal<Local, TxCount>,
        /// Other bits inserted into the word.
        pub rest: Signal<Local, Word>,

        /// All ones if the request in p1 has arrivals.
        pub some_arrive: Signal<Local, Count>,
        /// All ones if the request in p6 has drops.
        pub some_leave: Signal<Local, Count>,
        /// Bytes not replaced.
        pub kept: Signal<Local, Bits<8>>,
        /// Mask of the delta one ahead.
        pub gate1: Signal<Local, Word>,
        /// Mask of the delta two ahead.
        pub gate2: Signal<Local, Word>,
        /// Mask of the negated delta one ahead.
        pub gate1_negative: Signal<Local, Word>,
        /// Mask of the negated delta two ahead.
        pub gate2_negative: Signal<Local, Word>,
        /// Difference of two word indices, bitwise.
        pub difference: Lanes<Signal<Local, WordIndex>, STAGES> = Lanes::new(9),
        /// The request of each stage is on the word of the one in p0.
        pub matches: Lanes<Signal<Local, Bit>, STAGES> = Lanes::new(9),
    }
    constants {
        /// Every bit of a count field.
        ALL_COUNT_BITS: Count = Bits::constant(Count::MASK);
        /// Every bit of the tx field.
        ALL_TX_BITS: TxCount = Bits::constant(TxCount::MASK);
        /// Mask of all bytes.
        ALL_BYTES: Bits<8> = Bits::constant(0xff);
        /// Every bit of the word.
        ALL_BITS: Word = Bits::constant(u64::MAX);
        /// The sticky fault bit.
        FAULT: Word = Bits::constant(word::FAULT.mask());
        /// Mask of the bits that are not counts.
        SINGLE_BITS: Word = Bits::constant(word::PHASE.mask() | word::FAULT.mask() | word::UNUSED.mask());
    }
    processes { Compare, Choose, Gate, Pair, Total, Carry }
    /// A lookahead.
    built by pub fn whole() {
        // registers in each row: p2 to p5, p2 to p4, p2 to p6, p2 to p8, p2 to p7
        let rows = [4, 3, 5, 7, 6];
        let mut steps = rows.iter().map(|registers| registers - 1);
    }
}

#[processes]
impl Lookahead {
    fn compare(&mut self) {
        for s in 0..self.stages {
            // in the cycle before p0: two bits at a time
            self.difference[s].next = self.indices[s].val() ^ self.early_index.val();
            self.differs[s][0].d.next = (self.difference[s].val() & 3).any();
            self.differs[s][1].d.next = ((self.difference[s].val() >> 2) & 3).any();
            self.differs[s][2].d.next = ((self.difference[s].val() >> 4) & 3).any();
            self.differs[s][3].d.next = ((self.difference[s].val() >> 6) & 3).any();
            self.differs[s][4].d.next = (self.difference[s].val() >> 8).any();
            self.matches[s].next = self.live[s].val()
                & !(self.differs[s][0].q.val()
                    | self.differs[s][1].q.val()
                    | self.differs[s][2].q.val()
                    | self.differs[s][3].q.val()
                    | self.differs[s][4].q.val());
            self.same[s].d.next = self.matches[s].val();
        }
        // separate copies for the masks and the negated deltas, for fan-out
        self.replaced1.d.next = self.matches[0].val() & self.kinds[0].val().get_bit(kind::REPLACES);
        self.replaced2.d.next = self.matches[1].val() & self.kinds[1].val().get_bit(kind::REPLACES);
        self.counts1.d.next = self.matches[0].val() & !self.kinds[0].val().get_bit(kind::STORES);
        self.counts2.d.next = self.matches[1].val() & !self.kinds[1].val().get_bit(kind::STORES);
        self.near1.d.next = (self.kind.val().get_bit(kind::PARTIAL) & self.kinds[0].val().get_bit(kind::UPDATES))
            | (self.kind.val().get_bit(kind::UPDATES) & self.kinds[0].val().get_bit(kind::STORES));
        self.near2.d.next = (self.kind.val().get_bit(kind::PARTIAL) & self.kinds[1].val().get_bit(kind::UPDATES))
            | (self.kind.val().get_bit(kind::UPDATES) & self.kinds[1].val().get_bit(kind::STORES));
    }

    /// Delta of the request in p0. At most one part is not zero, so that the parts are joined without priority.
    fn choose(&mut self) {
        self.amount.next = self.data.val().get_bits::<COUNT_BITS>(0);
        self.amount_negative.next = self.negative.val().get_bits::<COUNT_BITS>(0);
        clear!(self.counted, self.counted_negative);
        if self.kind.val().get_bit(kind::COUNTED) {
            self.counted.next = self.amount.val();
            self.counted_negative.next = self.amount_negative.val();
        }
        clear!(self.single, self.single_negative);
        if self.kind.val().get_bit(kind::SINGLE) {
            self.single.next = 1.into();
            self.single_negative.next = ALL_COUNT_BITS;
        }
        clear!(self.made, self.made_negative);
        if self.kind.val().get_bit(kind::INITS) {
            self.made.next = self.amount_negative.val();
            self.made_negative.next = self.amount.val();
        }
        self.dropped.next = 0.into();
        if self.kind.val().get_bit(kind::DROPS_COUNTED) {
            self.dropped.next = self.amount.val();
        }
        self.left.next = 0.into();
        if self.kind.val().get_bit(kind::DROPS_SINGLE) {
            self.left.next = 1.into();
        }
        clear!(self.completed, self.moved_negative);
        if self.kind.val().get_bit(kind::COMPLETES) {
            self.completed.next = bit_cast::<TX_BITS, COUNT_BITS>(self.amount.val());
            self.moved_negative.next = self.negative.val();
        }
        self.expected.next = 0.into();
        if self.kind.val().get_bit(kind::EXPECTS) {
            self.expected.next = self.negative.val();
            self.moved_negative.next = self.moved_negative.val() | bit_cast::<TX_BITS, COUNT_BITS>(self.amount.val());
        }
        self.begun.next = 0.into();
        if self.kind.val().get_bit(kind::BEGINS) {
            self.begun.next = ALL_TX_BITS;
            self.moved_negative.next = self.moved_negative.val() | 1;
        }
        self.ended.next = 0.into();
        if self.kind.val().get_bit(kind::ENDS) {
            self.ended.next = 1.into();
            self.moved_negative.next = ALL_TX_BITS;
        }
        self.arrivals.next = self.counted.val() | self.single.val() | self.made.val();
        self.drops.next = self.dropped.val() | self.left.val() | self.made.val();
        self.moved.next = self.completed.val() | self.expected.val() | self.begun.val() | self.ended.val();

        self.stored.next = 0.into();
        for byte in 0..8 {
            if self.mask.val().get_bit(byte) {
                self.stored.next = self.stored.val() | (bits::<64>(0xff) << (8 * byte));
            }
        }
        self.asked.next = 0.into();
        if self.kind.val().get_bit(kind::COUNTS) {
            self.asked.next = self.negative.val();
        }
        self.rest.next = bit_cast::<64, TX_BITS>(self.asked.val());
        if self.kind.val().get_bit(kind::TAINTS) {
            self.rest.next = self.rest.val() | FAULT;
        }
        self.delta.d.next = (self.data.val() & self.stored.val())
            | self.rest.val()
            | (bit_cast::<64, COUNT_BITS>(self.arrivals.val()) << word::PENDING.lsb)
            | (bit_cast::<64, TX_BITS>(self.moved.val()) << word::TX.lsb)
            | (bit_cast::<64, COUNT_BITS>(self.drops.val()) << word::EXPECTED.lsb);
        self.delta_negative.d.next = (bit_cast::<64, COUNT_BITS>(
            self.counted_negative.val() | self.single_negative.val() | self.made_negative.val(),
        ) << word::PENDING.lsb)
            | (bit_cast::<64, TX_BITS>(self.moved_negative.val()) << word::TX.lsb);
        self.whole.next = 0.into();
        if self.kind.val().get_bit(kind::REPLACES) & !self.kind.val().get_bit(kind::STORES) {
            self.whole.next = ALL_BYTES;
        }
        self.mask_p1.d.next = self.mask.val() | self.whole.val();
    }

    fn gate(&mut self) {
        clear!(self.gate1, self.gate2, self.gate1_negative, self.gate2_negative, self.kept);
        for byte in 0..8 {
            if !self.mask_p1.q.val().get_bit(byte) {
                if self.same[0].q.val() {
                    self.gate1.next = self.gate1.val() | (bits::<64>(0xff) << (8 * byte));
                }
                if self.same[1].q.val() & !(self.same[0].q.val() & self.mask_p2.q.val().get_bit(byte)) {
                    self.gate2.next = self.gate2.val() | (bits::<64>(0xff) << (8 * byte));
                }
                if !(self.replaced1.q.val() & self.mask_p2.q.val().get_bit(byte))
                    & !(self.replaced2.q.val() & self.mask_p3.q.val().get_bit(byte))
                {
                    self.kept.next = self.kept.val() | (bits::<8>(1) << byte);
                }
            }
        }
        // counted requests are behind no store: all or nothing
        if self.counts1.q.val() {
            self.gate1_negative.next = ALL_BITS;
        }
        if self.counts2.q.val() & !self.replaced1.q.val() {
            self.gate2_negative.next = ALL_BITS;
        }
        self.keeps.d.next = self.kept.val();
        self.ahead1.d.next = self.own.q.val() & self.gate1.val();
        self.ahead1_negative.d.next = self.own_negative.q.val() & self.gate1_negative.val();
        self.ahead2.d.next = self.own_p3.q.val() & self.gate2.val();
        self.ahead2_negative.d.next = self.own_negative_p3.q.val() & self.gate2_negative.val();
        self.own.d.next = self.delta.q.val();
        self.own_negative.d.next = self.delta_negative.q.val();
        self.own_p3.d.next = self.own.q.val();
        self.own_negative_p3.d.next = self.own_negative.q.val();
        self.mask_p2.d.next = self.mask_p1.q.val();
        self.mask_p3.d.next = self.mask_p2.q.val();

        self.follows1[0].d.next = self.same[0].q.val() & !self.kinds[0].val().get_bit(kind::REPLACES);
        self.follows2[0].d.next =
            self.same[1].q.val() & !self.kinds[0].val().get_bit(kind::REPLACES) & !self.replaced1.q.val();
        self.behind1[0].d.next = self.same[0].q.val();
        self.behind2[0].d.next = self.same[1].q.val();
        self.hazard[0].d.next =
            (self.same[0].q.val() & self.near1.q.val()) | (self.same[1].q.val() & self.near2.q.val());
        // arrivals less one, zero without arrivals: a carry means more arrivals than pending
        self.some_arrive.next = 0.into();
        if self.kinds[0].val().get_bit(kind::ARRIVES) {
            self.some_arrive.next = ALL_COUNT_BITS;
        }
        self.arrivals_less[0].d.next =
            !self.delta_negative.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb) & self.some_arrive.val();
        self.tx_sign[0].d.next = self.delta.q.val().get_bit(word::TX_SIGN);
    }

    fn pair(&mut self) {
        self.pair.d.next = ((self.own.q.val() | self.ahead1.q.val()) & SINGLE_BITS)
            | (bit_cast::<64, COUNT_BITS>(
                self.own.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb)
                    + self.ahead1.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb),
            ) << word::PENDING.lsb)
            | (bit_cast::<64, TX_BITS>(
                self.own.q.val().get_bits::<TX_BITS>(word::TX.lsb)
                    + self.ahead1.q.val().get_bits::<TX_BITS>(word::TX.lsb),
            ) << word::TX.lsb)
            | (bit_cast::<64, COUNT_BITS>(
                self.own.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb)
                    + self.ahead1.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb),
            ) << word::EXPECTED.lsb);
        self.pair_negative.d.next = (bit_cast::<64, COUNT_BITS>(
            self.own_negative.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb)
                + self.ahead1_negative.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb),
        ) << word::PENDING.lsb)
            | (bit_cast::<64, TX_BITS>(
                self.own_negative.q.val().get_bits::<TX_BITS>(word::TX.lsb)
                    + self.ahead1_negative.q.val().get_bits::<TX_BITS>(word::TX.lsb),
            ) << word::TX.lsb);
        self.reload1_p3.d.next = self.own.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb)
            + self.ahead1.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb);
        self.tx1_p3.d.next = self.own.q.val().get_bits::<TX_BITS>(word::TX.lsb);
        self.ahead2_p3.d.next = self.ahead2.q.val();
        self.ahead2_negative_p3.d.next = self.ahead2_negative.q.val();
    }

    fn total(&mut self) {
        self.total.d.next = ((self.pair.q.val() | self.ahead2_p3.q.val()) & SINGLE_BITS)
            | (bit_cast::<64, COUNT_BITS>(
                self.pair.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb)
                    + self.ahead2_p3.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb),
            ) << word::PENDING.lsb)
            | (bit_cast::<64, TX_BITS>(
                self.pair.q.val().get_bits::<TX_BITS>(word::TX.lsb)
                    + self.ahead2_p3.q.val().get_bits::<TX_BITS>(word::TX.lsb),
            ) << word::TX.lsb)
            | (bit_cast::<64, COUNT_BITS>(
                self.pair.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb)
                    + self.ahead2_p3.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb),
            ) << word::EXPECTED.lsb);
        self.total_negative.d.next = (bit_cast::<64, COUNT_BITS>(
            self.pair_negative.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb)
                + self.ahead2_negative_p3.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb),
        ) << word::PENDING.lsb)
            | (bit_cast::<64, TX_BITS>(
                self.pair_negative.q.val().get_bits::<TX_BITS>(word::TX.lsb)
                    + self.ahead2_negative_p3.q.val().get_bits::<TX_BITS>(word::TX.lsb),
            ) << word::TX.lsb);
        self.reload1.d.next =
            self.reload1_p3.q.val() + self.ahead2_p3.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb);
        self.reload2.d.next = self.pair.q.val().get_bits::<COUNT_BITS>(word::PENDING.lsb)
            + self.ahead2_p3.q.val().get_bits::<COUNT_BITS>(word::EXPECTED.lsb);
        self.tx1.d.next = self.tx1_p3.q.val();
        self.tx2.d.next = self.pair.q.val().get_bits::<TX_BITS>(word::TX.lsb);
    }

    fn carry(&mut self) {
        for s in 0..self.steps[0] {
            self.follows1[s + 1].d.next = self.follows1[s].q.val();
        }
        for s in 0..self.steps[1] {
            self.follows2[s + 1].d.next = self.follows2[s].q.val();
        }
        for s in 0..self.steps[2] {
            connect!(self.*[s + 1] <<= self.*[s]: behind1, behind2);
        }
        for s in 0..self.steps[3] {
            self.hazard[s + 1].d.next = self.hazard[s].q.val();
        }
        for s in 0..self.steps[4] {
            connect!(self.*[s + 1] <<= self.*[s]: arrivals_less, tx_sign);
        }
        self.some_leave.next = 0.into();
        if self.leaves.val() {
            self.some_leave.next = ALL_COUNT_BITS;
        }
        self.drops_less.d.next = self.arrivals_less[4].q.val() & self.some_leave.val();
    }
}
