//! Reducer: performs the reductions of beats in shared memory.
//!
//! **What.** Reads the block of 32 bytes through the door (DMA port), combines every element with the beat's, and writes the result through
//! the door. In between, the banks are closed to the ports, so a reduction is atomic, element by element. After it, the door is closed for
//! one cycle, which the ports have to themselves.
//!
//! ```text
//!   cycle      0      1 2 3     4         5         6        7
//!   door       read             words               store
//!   phase      ask    wait ───────────►  compute   store    rest
//!   ports      closed ─────────────────────────────────┘    open
//! ```
//! **Why this shape.** One unit of arithmetic a CTA, however many banks there are, and none in the banks' own pipelines,
//! whose clock it would cost. A reduction of 32 bytes takes 8 cycles; stores and copies take one.

use super::reduction::{ACTION_BITS, Action, ELEMENT_BITS, Element, ReductionCode};
use crate::copies::messages::reduction;
use crate::hardware;
use crate::hdl::*;
use crate::word::address::BEAT_WORDS;

hardware! {
    /// Reducer: reads, combines and writes a block of shared memory while the ports are locked out.
    pub module Reducer = "reducer" {
        /// Beat with a reduction valid; it stays until its result is written.
        pub valid: Signal<In, Bit>,
        /// Reduction.
        pub code: Signal<In, ReductionCode>,
        /// Words of the beat.
        pub operand: Lanes<Signal<In, Word>> = Lanes::new(BEAT_WORDS),
        /// Request to read the block.
        pub reads: Signal<Out, Bit>,
        /// Request to write the result.
        pub stores: Signal<Out, Bit>,
        /// The door accepts, or begins, the read or write.
        pub taken: Signal<In, Bit>,
        /// Words of the block valid.
        pub found_valid: Signal<In, Bit>,
        /// Words of the block.
        pub found: Lanes<Signal<In, Word>> = Lanes::new(BEAT_WORDS),
        /// Result to write.
        pub result: Lanes<OutReg<Word>> = Lanes::new(BEAT_WORDS),
        /// The ports are locked out.
        pub locks: Signal<Out, Bit>,
        /// Cycle reserved for the ports: no other access begins at the door.
        pub rests: Signal<Out, Bit>,
        /// The access at the door takes several cycles, and has some left.
        pub held: Signal<In, Bit>,

        /// State: 0 request, 1 wait, 2 compute, 3 write, 4 rest.
        pub phase: ControlReg<Bits<3>>,
        /// Words read.
        pub old: Lanes<Reg<Word>> = Lanes::new(BEAT_WORDS),
        /// Operation.
        pub action: Signal<Local, Bits<ACTION_BITS>>,
        /// Type of the elements.
        pub element: Signal<Local, Bits<ELEMENT_BITS>>,
        /// Half of a word read.
        pub old_half: Signal<Local, Bits<32>>,
        /// Same half of the operand.
        pub new_half: Signal<Local, Bits<32>>,
        /// Half of a word read, mapped so that an unsigned comparison orders it.
        pub old_rank: Signal<Local, Bits<32>>,
        /// Half of the operand, mapped so that an unsigned comparison orders it.
        pub new_rank: Signal<Local, Bits<32>>,
        /// The half in memory is less than the operand's.
        pub less: Signal<Local, Bit>,
        /// Result of each half.
        pub part: Lanes<Signal<Local, Bits<32>>> = Lanes::new(2 * BEAT_WORDS),
        /// Lower half of a word's result.
        pub lower: Signal<Local, Bits<32>>,
        /// Upper half of a word's result.
        pub upper: Signal<Local, Bits<32>>,
        /// Result of a 64-bit word.
        pub whole: Signal<Local, Word>,
    }
    constants {
        /// Sum.
        ADD: Bits<ACTION_BITS> = Action::Add.constant();
        /// Minimum.
        MIN: Bits<ACTION_BITS> = Action::Min.constant();
        /// Maximum.
        MAX: Bits<ACTION_BITS> = Action::Max.constant();
        /// Increment.
        INC: Bits<ACTION_BITS> = Action::Inc.constant();
        /// Decrement.
        DEC: Bits<ACTION_BITS> = Action::Dec.constant();
        /// Bitwise AND.
        AND: Bits<ACTION_BITS> = Action::And.constant();
        /// Bitwise OR.
        OR: Bits<ACTION_BITS> = Action::Or.constant();
        /// Bitwise XOR.
        XOR: Bits<ACTION_BITS> = Action::Xor.constant();
        /// Type: signed, 32 bits.
        S32: Bits<ELEMENT_BITS> = Element::S32.constant();
        /// First type of 64 bits.
        U64: Bits<ELEMENT_BITS> = Element::U64.constant();
        /// Sign bit.
        SIGN: Bits<32> = Bits::constant(0x8000_0000);
        /// State: read request.
        ASK: Bits<3> = Bits::constant(0);
        /// State: wait for the words.
        WAIT: Bits<3> = Bits::constant(1);
        /// State: compute.
        COMPUTE: Bits<3> = Bits::constant(2);
        /// State: write request.
        STORE: Bits<3> = Bits::constant(3);
        /// State: cycle of the ports.
        REST: Bits<3> = Bits::constant(4);
    }
    processes { Show, Step, Compute }
    /// A reducer.
    built by pub fn new() {}
}

#[processes]
impl Reducer {
    fn show(&mut self) {
        self.reads.next = self.valid.val() & (self.phase.q.val() == ASK);
        self.stores.next = self.phase.q.val() == STORE;
        self.rests.next = self.phase.q.val() == REST;
        self.locks.next = self.valid.val() & !self.rests.val();
    }

    fn step(&mut self) {
        if self.reads.val() & self.taken.val() {
            self.phase.d.next = WAIT;
        }
        if (self.phase.q.val() == WAIT) & self.found_valid.val() {
            self.phase.d.next = COMPUTE;
        }
        if self.phase.q.val() == COMPUTE {
            self.phase.d.next = STORE;
        }
        if self.stores.val() & self.taken.val() {
            self.phase.d.next = REST;
        }
        if self.rests.val() & !self.held.val() {
            self.phase.d.next = ASK;
        }
        for w in 0..BEAT_WORDS {
            if self.found_valid.val() {
                self.old[w].d.next = self.found[w].val();
            }
        }
    }

    fn compute(&mut self) {
        self.action.next = self.code.val().get_bits::<ACTION_BITS>(reduction::ACTION);
        self.element.next = self.code.val().get_bits::<ELEMENT_BITS>(reduction::ELEMENT);
        for w in 0..BEAT_WORDS {
            for h in 0..2 {
                self.old_half.next = self.old[w].q.val().get_bits::<32>(h * 32);
                self.new_half.next = self.operand[w].val().get_bits::<32>(h * 32);
                self.old_rank.next = self.old_half.val();
                self.new_rank.next = self.new_half.val();
                if self.element.val() == S32 {
                    self.old_rank.next = self.old_half.val() ^ SIGN;
                    self.new_rank.next = self.new_half.val() ^ SIGN;
                }
                self.less.next = self.new_rank.val() > self.old_rank.val();
                self.part[w + w + h].next = self.old_half.val() + self.new_half.val();
                if self.action.val() == MIN {
                    self.part[w + w + h].next = self.new_half.val();
                    if self.less.val() {
                        self.part[w + w + h].next = self.old_half.val();
                    }
                }
                if self.action.val() == MAX {
                    self.part[w + w + h].next = self.old_half.val();
                    if self.less.val() {
                        self.part[w + w + h].next = self.new_half.val();
                    }
                }
                if self.action.val() == INC {
                    self.part[w + w + h].next = 0.into();
                    if self.less.val() {
                        self.part[w + w + h].next = self.old_half.val() + 1;
                    }
                }
                if self.action.val() == DEC {
                    self.part[w + w + h].next = self.new_half.val();
                    if self.old_half.val().any() & (self.new_half.val() >= self.old_half.val()) {
                        self.part[w + w + h].next = self.old_half.val() - 1;
                    }
                }
                if self.action.val() == AND {
                    self.part[w + w + h].next = self.old_half.val() & self.new_half.val();
                }
                if self.action.val() == OR {
                    self.part[w + w + h].next = self.old_half.val() | self.new_half.val();
                }
                if self.action.val() == XOR {
                    self.part[w + w + h].next = self.old_half.val() ^ self.new_half.val();
                }
            }
            self.lower.next = self.part[w + w].val();
            self.upper.next = self.part[w + w + 1].val();
            self.whole.next = bit_cast::<64, 32>(self.lower.val()) | (bit_cast::<64, 32>(self.upper.val()) << 32);
            if (self.action.val() == ADD) & (self.element.val() >= U64) {
                self.whole.next = self.old[w].q.val() + self.operand[w].val();
            }
            if self.phase.q.val() == COMPUTE {
                self.result[w].d.next = self.whole.val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::reduction::Reduction;

    /// Result of two halves, or of a word, by the rule.
    fn expected(reduction: Reduction, old: u64, new: u64) -> u64 {
        let halves = |rule: &dyn Fn(u32, u32) -> u32| {
            u64::from(rule(old as u32, new as u32)) | u64::from(rule((old >> 32) as u32, (new >> 32) as u32)) << 32
        };
        match (reduction.action, reduction.element) {
            (Action::Add, Element::U64 | Element::S64) => old.wrapping_add(new),
            (Action::Add, _) => halves(&u32::wrapping_add),
            (Action::Min, Element::S32) => halves(&|a, b| (a as i32).min(b as i32) as u32),
            (Action::Max, Element::S32) => halves(&|a, b| (a as i32).max(b as i32) as u32),
            (Action::Min, _) => halves(&u32::min),
            (Action::Max, _) => halves(&u32::max),
            (Action::Inc, _) => halves(&|a, b| if a >= b { 0 } else { a + 1 }),
            (Action::Dec, _) => halves(&|a, b| if a == 0 || a > b { b } else { a - 1 }),
            (Action::And, _) => old & new,
            (Action::Or, _) => old | new,
            (Action::Xor, _) => old ^ new,
            (Action::AddFtz, _) => unreachable!("shared memory does none"),
        }
    }

    #[test]
    fn every_reduction_of_edges_and_noise() {
        let edges = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fffe];
        let mut noise = 0x2545_f491_4f6c_dd1du64;
        let mut values: Vec<u64> = edges.iter().flat_map(|low| edges.map(|high| low | high << 32)).collect();
        for _ in 0..60 {
            noise = noise.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            values.push(noise);
        }
        let mut reducer = Reducer::new();
        for reduction in Reduction::all().filter(|reduction| reduction.is_for_shared()) {
            for old in values.chunks(BEAT_WORDS) {
                for new in &values {
                    let mut cycles = 0;
                    reducer.valid.next = true;
                    reducer.code.next = u64::from(reduction.code()).into();
                    loop {
                        reducer.settle();
                        let stores = reducer.stores.val();
                        assert!(reducer.locks.val());
                        reducer.taken.next = reducer.reads.val() || stores;
                        reducer.found_valid.next = cycles == 4;
                        for word in 0..BEAT_WORDS {
                            reducer.operand[word].next = new.rotate_left(word as u32 * 8).into();
                            reducer.found[word].next = old.get(word).copied().unwrap_or(0).into();
                            if stores && let Some(old) = old.get(word) {
                                let left = expected(reduction, *old, new.rotate_left(word as u32 * 8));
                                assert_eq!(reducer.result[word].q.val().raw(), left, "{reduction:?} {old:x} {new:x}");
                            }
                        }
                        reducer.settle();
                        reducer.tick();
                        cycles += 1;
                        if stores {
                            break;
                        }
                    }
                    assert_eq!(cycles, 7);
                    reducer.valid.next = false;
                    reducer.settle();
                    assert!(!reducer.locks.val());
                    reducer.settle();
                    reducer.tick();
                }
            }
        }
    }
}
