//! Inlet: the copier and the tensor engine at one port to global memory.
//!
//! **What.** Requests for bursts take turns; one that is shown stays until it is taken. The highest bit of a burst's number says whose it is,
//! and so where its beats go.
//!
//! ```text
//!   copier: bursts ─┐              copier ◄─┐
//!   tensor: bursts ─┴─► mem_req    tensor ◄─┴─ mem_rsp
//! ```
//! **Timing.** Everything passes in the cycle in which it comes. What is shown depends on registers only.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Inlet: two engines take turns.
    pub module Inlet = "inlet" {
        /// The copier asks for a burst.
        pub copier_asks: Signal<In, Bit>,
        /// The tensor engine does.
        pub tensor_asks: Signal<In, Bit>,
        /// Number of the tensor engine's burst.
        pub tensor_id: Signal<In, TensorIndex>,
        /// It is the tensor engine's turn.
        pub asks_tensor: Signal<Out, Bit>,
        /// Number of its burst at the port.
        pub tensor_number: Signal<Out, MemoryIndex>,
        /// What is shown is taken.
        pub ask_ready: Signal<In, Bit>,

        /// Number of the burst that a beat comes for.
        pub number: Signal<In, MemoryIndex>,
        /// It is one of the tensor engine.
        pub is_tensor: Signal<Out, Bit>,
        /// Its number there; 0 if it is none.
        pub tensor_answer: Signal<Out, TensorIndex>,
        /// Its number at the copier; 0 if it is none.
        pub copier_answer: Signal<Out, BurstIndex>,

        /// The bit of a number that says whose it is.
        pub whose: usize = bits - 1,
        /// The largest number that the tensor engine's width has.
        pub most: usize = (1 << tensor_bits) - 1,
        /// The tensor engine asks before the copier.
        pub ask_turn: ControlReg<Bit>,
    }
    processes { Choose, Sort, Move }
    /// For numbers of so many bits at the port, and at the tensor engine.
    built by pub fn new(bits: usize, tensor_bits: usize) {}
}

#[processes]
impl Inlet {
    fn choose(&mut self) {
        self.asks_tensor.next = self.tensor_asks.val() & (self.ask_turn.q.val() | !self.copier_asks.val());
        self.tensor_number.next =
            bit_cast::<MEMORY_INDEX, TENSOR_INDEX>(self.tensor_id.val()) | (bits::<MEMORY_INDEX>(1) << self.whose);
    }

    fn sort(&mut self) {
        self.is_tensor.next = self.number.val().get_bit(self.whose);
        clear!(self.tensor_answer, self.copier_answer);
        if self.is_tensor.val() {
            self.tensor_answer.next = bit_cast::<TENSOR_INDEX, MEMORY_INDEX>(self.number.val()) & self.most.to_bits();
        } else {
            self.copier_answer.next = bit_cast::<BURST_INDEX, MEMORY_INDEX>(self.number.val());
        }
    }

    fn r#move(&mut self) {
        // what is shown and not taken is shown again; else it is the other's turn
        if self.copier_asks.val() | self.tensor_asks.val() {
            self.ask_turn.d.next = self.asks_tensor.val() != self.ask_ready.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both are served in turn, and what is shown stays until it is taken.
    #[test]
    fn engines_take_turns() {
        let mut inlet = Inlet::new(5, 4);
        inlet.copier_asks.next = true;
        let mut taken = Vec::new();
        let mut held = None;
        for cycle in 0..20 {
            inlet.tensor_asks.next = cycle >= 3;
            inlet.ask_ready.next = cycle % 3 == 2;
            inlet.settle();
            let shown = inlet.asks_tensor.val();
            assert!(held.is_none_or(|held| held == shown), "what is shown stays");
            held = Some(shown).filter(|_| !inlet.ask_ready.val());
            if inlet.ask_ready.val() {
                taken.push(shown);
            }
            inlet.settle();
            inlet.tick();
        }
        assert_eq!(taken, [false, true, false, true, false, true]);
    }
}
