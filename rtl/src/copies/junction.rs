//! Junction: stream arbiter of the beats of several sources.
//!
//! **What.** Selects the beat of one source until all of its destinations have accepted it. Then the next source with a beat is granted,
//! round robin.
//!
//! ```text
//!   copier: loads ──────────┐
//!   outlet: bulk copies ────┼──► the beat ──► own memory, other CTAs
//!   post: st.async, red ────┘
//! ```
//! **Timing.** A beat passes in the cycle in which it arrives. The selection depends on registers only.

use super::reduction::ReductionCode;
use crate::hardware;
use crate::hdl::*;
use crate::word::address::BEAT_WORDS;

hardware! {
    /// Junction: stream arbiter of the beats of several sources.
    pub module Junction = "junction" {
        /// Beat of each source valid.
        pub valid: Lanes<Signal<In, Bit>> = Lanes::new(sources),
        /// Destination CTAs.
        pub ctas: Lanes<Signal<In, CtaMask>> = Lanes::new(sources),
        /// Address of the 32 bytes in each destination.
        pub address: Lanes<Signal<In, Bits<24>>> = Lanes::new(sources),
        /// Byte enables.
        pub strobe: Lanes<Signal<In, Bits<32>>> = Lanes::new(sources),
        /// Reduction.
        pub reduction: Lanes<Signal<In, ReductionCode>> = Lanes::new(sources),
        /// Data, 32 bytes.
        pub data: Lanes<Lanes<Signal<In, Word>>> = Lanes::grid(sources, BEAT_WORDS),
        /// Number of bytes completed after the beat.
        pub bytes: Lanes<Signal<In, Bits<8>>> = Lanes::new(sources),
        /// Address of the barrier on which they complete.
        pub barrier: Lanes<Signal<In, Bits<24>>> = Lanes::new(sources),
        /// Beat of each source accepted.
        pub taken: Lanes<Signal<Out, Bit>> = Lanes::new(sources),

        /// Beat at the output valid.
        pub out_valid: Signal<Out, Bit>,
        /// Destination CTAs.
        pub out_ctas: Signal<Out, CtaMask>,
        /// Address of the 32 bytes in each destination.
        pub out_address: Signal<Out, Bits<24>>,
        /// Byte enables.
        pub out_strobe: Signal<Out, Bits<32>>,
        /// Reduction.
        pub out_reduction: Signal<Out, ReductionCode>,
        /// Data, 32 bytes.
        pub out_data: Lanes<Signal<Out, Word>> = Lanes::new(BEAT_WORDS),
        /// Number of bytes completed after the beat.
        pub out_bytes: Signal<Out, Bits<8>>,
        /// Address of the barrier on which they complete.
        pub out_barrier: Signal<Out, Bits<24>>,
        /// All destinations have accepted the beat.
        pub done: Signal<In, Bit>,

        /// Words of a beat.
        pub words: usize = BEAT_WORDS,
        /// The selected beat is still being sent.
        pub held: ControlReg<Bit>,
        /// Source selected last.
        pub last: ControlReg<Bits<3>>,
        /// Mask of the sources above that one.
        pub past: ControlReg<Bits<8>>,
        /// Selected source.
        pub chosen: Signal<Local, Bits<3>>,
        /// A source is selected.
        pub found: Signal<Local, Bit>,
    }
    processes { Choose, Move }
    /// For this many sources, 1 to 8.
    built by pub fn new(sources: usize) {}
}

#[processes]
impl Junction {
    fn choose(&mut self) {
        self.chosen.next = self.last.q.val();
        self.found.next = self.held.q.val();
        for s in 0..self.valid.len() {
            if self.valid[s].val() & !self.found.val() & self.past.q.val().get_bit(s) {
                self.chosen.next = s.to_bits();
                self.found.next = true;
            }
        }
        for s in 0..self.valid.len() {
            if self.valid[s].val() & !self.found.val() {
                self.chosen.next = s.to_bits();
                self.found.next = true;
            }
        }
        self.out_valid.next = self.found.val();
        clear!(self.out_ctas, self.out_address, self.out_strobe, self.out_reduction, self.out_bytes, self.out_barrier);
        clear!(self.out_data);
        for s in 0..self.data.len() {
            if self.found.val() & (self.chosen.val() == s.to_bits()) {
                connect!(self.out_* <<= self.*[s]: ctas, address, strobe, reduction, bytes, barrier);
                self.out_data <<= self.data[s];
            }
        }
    }

    fn r#move(&mut self) {
        for s in 0..self.taken.len() {
            self.taken[s].next = self.done.val() & self.out_valid.val() & (self.chosen.val() == s.to_bits());
        }
        self.held.d.next = self.out_valid.val() & !self.done.val();
        self.last.d.next = self.chosen.val();
        for s in 0..self.valid.len() {
            if self.chosen.val() == s.to_bits() {
                self.past.d.next = bits::<8>(0xfe) << s;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sources that always have a beat are served in turn, and a beat stays until it is done.
    #[test]
    fn sources_take_turns() {
        let mut junction = Junction::new(3);
        let mut served = Vec::new();
        for cycle in 0..24u64 {
            for source in 0..3 {
                junction.valid[source].next = source != 1 || cycle >= 12;
                junction.address[source].next = (source as u64 * 32).into();
            }
            junction.settle();
            assert!(junction.out_valid.val());
            junction.done.next = cycle % 2 == 1;
            junction.settle();
            if let Some(source) = (0..3).find(|&source| junction.taken[source].val()) {
                assert_eq!(junction.out_address.val().raw(), source as u64 * 32);
                served.push(source);
            }
            junction.tick();
        }
        assert_eq!(served, [0, 2, 0, 2, 0, 2, 0, 1, 2, 0, 1, 2]);
    }
}
