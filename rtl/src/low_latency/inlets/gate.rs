//! Gate: the port for loads and stores of warps. A step of an access goes into all banks at once, to a row of its own in each.
//!
//! **What.** Accepts a step (at most one row per bank, and its store data) and inserts it into the pipelines of its banks in place of
//! requests: those banks grant no port in that cycle. So it is performed in order with everything else in the banks, forwarding included,
//! as the beats of copies are (`inlets/door.rs`). The words read are valid in c4.
//!
//! ```text
//!   cycle    0               1       2                   3     4
//!   step     valid, taken            replace, insert           seen: words found, with the port that asked
//!   banks    closed to the ports
//! ```
//! **Fairness.** After seven cycles in a row in which requests of ports waited, the gate is closed for one cycle, so that they pass. While
//! none waits, it is never closed.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Gate: inserts steps of loads and stores of warps into the banks, beside the ports.
    pub module Gate = "gate" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Step valid.
        pub valid: Signal<In, Bit>,
        /// Port of the step.
        pub port: Signal<In, PortNumber>,
        /// Banks accessed by the step; may be zero.
        pub banks: Signal<In, BankMask>,
        /// Halves of the word of each bank that are stored.
        pub stored: Banks<Signal<In, Bits<2>>> = Banks::new(banks),
        /// Store data of each bank.
        pub words: Banks<Signal<In, Word>> = Banks::new(banks),
        /// Requests of ports wait for a bank.
        pub crowded: Signal<In, Bit>,
        /// Step accepted.
        pub taken: Signal<Out, Bit>,
        /// Banks accessed in this cycle.
        pub closed: Signal<Out, BankMask>,
        /// Bits of each bank's word to replace, two cycles later.
        pub replace: Banks<Signal<Out, Word>> = Banks::new(banks),
        /// New value of the bits to replace.
        pub insert: Banks<Signal<Out, Word>> = Banks::new(banks),
        /// The step in c4 is valid, for the first time.
        pub seen: Signal<Out, Bit>,
        /// Port of the step in c4.
        pub port_c4: OutStageReg<PortNumber>,

        /// Consecutive cycles in which the gate was open and requests waited.
        pub streak: ControlReg<Bits<3>>,
        /// The pipeline was stalled in the last cycle: the step in c4 has already been reported.
        pub stood: ControlReg<Bit>,
        /// Step in c1 valid.
        pub valid_c1: StageControlReg<Bit>,
        /// Step in c2 valid.
        pub valid_c2: StageControlReg<Bit>,
        /// Step in c3 valid.
        pub valid_c3: StageControlReg<Bit>,
        /// Step in c4 valid.
        pub valid_c4: StageControlReg<Bit>,
        /// Port of the step in c1.
        pub port_c1: StageReg<PortNumber>,
        /// Port of the step in c2.
        pub port_c2: StageReg<PortNumber>,
        /// Port of the step in c3.
        pub port_c3: StageReg<PortNumber>,
        /// Store data in c1.
        pub words_c1: Banks<StageReg<Word>> = Banks::new(banks),
        /// Halves to store in c1.
        pub stored_c1: Banks<StageReg<Bits<2>>> = Banks::new(banks),
        /// Store data in c2.
        pub words_c2: Banks<StageReg<Word>> = Banks::new(banks),
        /// Halves to store in c2.
        pub stored_c2: Banks<StageReg<Bits<2>>> = Banks::new(banks),
    }
    constants {
        /// Mask of the lower half of a word.
        LOWER: Word = Bits::constant(0xffff_ffff);
        /// Mask of the upper half of a word.
        UPPER: Word = Bits::constant(0xffff_ffff_0000_0000);
    }
    processes { See, Open, Hand }
    staged by advance
    /// A gate into this many banks.
    built by pub fn new(banks: usize) {}
}

#[processes]
impl Gate {
    /// Result of the step in c4. Depends on registers only.
    fn see(&mut self) {
        self.seen.next = self.valid_c4.q.val() & !self.stood.q.val();
        for b in 0..self.replace.len() {
            self.replace[b].next = 0.into();
            if self.stored_c2[b].q.val().get_bit(0) {
                self.replace[b].next = self.replace[b].val() | LOWER;
            }
            if self.stored_c2[b].q.val().get_bit(1) {
                self.replace[b].next = self.replace[b].val() | UPPER;
            }
            self.insert[b].next = self.words_c2[b].q.val() & self.replace[b].val();
        }
    }

    fn open(&mut self) {
        self.taken.next = self.valid.val() & self.advance.val() & (self.streak.q.val() != 7);
        self.closed.next = 0.into();
        if self.taken.val() {
            self.closed.next = self.banks.val();
        }
        self.streak.d.next = 0.into();
        if self.taken.val() & self.crowded.val() {
            self.streak.d.next = self.streak.q.val() + 1;
        }
        if self.valid.val() & !self.advance.val() {
            self.streak.d.next = self.streak.q.val();
        }
        self.stood.d.next = !self.advance.val();
    }

    fn hand(&mut self) {
        self.valid_c1.d.next = self.taken.val();
        self.valid_c2.d.next = self.valid_c1.q.val();
        self.valid_c3.d.next = self.valid_c2.q.val();
        self.valid_c4.d.next = self.valid_c3.q.val();
        self.port_c1.d.next = self.port.val();
        self.port_c2.d.next = self.port_c1.q.val();
        self.port_c3.d.next = self.port_c2.q.val();
        self.port_c4.d.next = self.port_c3.q.val();
        for b in 0..self.stored.len() {
            self.words_c1[b].d.next = self.words[b].val();
            self.words_c2[b].d.next = self.words_c1[b].q.val();
            self.stored_c1[b].d.next = self.stored[b].val();
            self.stored_c2[b].d.next = self.stored_c1[b].q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step is seen four cycles later, once, however long the pipeline stands still.
    #[test]
    fn a_step_is_seen_once() {
        let mut gate = Gate::new(2);
        let mut seen = Vec::new();
        for cycle in 0..20u64 {
            gate.advance.next = !(6..9).contains(&cycle);
            gate.valid.next = cycle == 2;
            gate.port.next = 5.into();
            gate.settle();
            if gate.seen.val() {
                seen.push((cycle, gate.port_c4.q.val().raw()));
            }
            gate.tick();
        }
        assert_eq!(seen, [(6, 5)]);
    }

    /// It is shut in one of eight cycles if others wait, and never if none does.
    #[test]
    fn the_gate_shuts_for_those_that_wait() {
        for (crowded, open) in [(true, 14), (false, 16)] {
            let mut gate = Gate::new(4);
            gate.advance.next = true;
            gate.valid.next = true;
            gate.banks.next = 15.into();
            gate.crowded.next = crowded;
            let taken = (0..16).filter(|_| {
                gate.settle();
                gate.tick();
                gate.taken.val()
            });
            assert_eq!(taken.count(), open);
        }
    }
}
