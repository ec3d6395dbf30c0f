//! Maps: reads tensor maps from global memory, measures them, and keeps the last few.
//!
//! **What.** A map is requested by its address; its words and measures are valid from the cycle in which `ready` is 1. A map
//! that is not kept is read: two beats of 32 bytes, since nothing behind the first 64 bytes of a map means anything; then it is
//! measured ([`sizer`](super::sizer)), once. It is kept until it is forgotten or replaced by another, round robin.
//!
//! ```text
//!   cycle        0       1       2     ...  n       n+1     n+2     ...  n+3+m           m: of the sizer
//!   want         ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//!   mem_req              asked
//!   beats                                   0       1
//!   sizer                                                   start        done
//!   ready        (at once, if it is here)                                     yes
//! ```
//! **Forgetting.** `fence.proxy.tensormap` has a map forgotten, whatever wrote it: what is read afterwards is read again. Without the
//! fence an old map may be used, as on silicon.

use super::fields::MAP_WORDS;
use super::sizer::PRODUCT_BITS;
use super::verdict::VerdictCode;
use crate::hardware;
use crate::hdl::*;

/// Maps that are kept.
pub const KEPT_MAPS: usize = 4;
/// Width of the number of one.
const KEPT_BITS: usize = 2;
/// Width of a map's address in blocks of 64 bytes.
pub const MAP_ADDRESS: usize = 42;
/// Width of what is kept beside the words: verdict, pieces, and whether they are too many.
const MEASURE_BITS: usize = 25;

hardware! {
    /// Maps: a reader of tensor maps, and the last few of them.
    pub module Maps = "tensor_maps" {
        /// A map is wanted.
        pub want: Signal<In, Bit>,
        /// Its address, in blocks of 64 bytes.
        pub address: Signal<In, Bits<MAP_ADDRESS>>,
        /// It is here.
        pub ready: Signal<Out, Bit>,
        /// The map with this address is forgotten.
        pub forget: Signal<In, Bit>,
        /// Whether it keeps its limits.
        pub verdict: Signal<Out, VerdictCode>,
        /// Pieces of 16 bytes that its box takes in shared memory.
        pub pieces: Signal<Out, Bits<PRODUCT_BITS>>,
        /// They are more than that.
        pub is_large: Signal<Out, Bit>,
        /// Its words.
        pub map: Lanes<Signal<Out, Word>> = Lanes::new(MAP_WORDS),

        /// The words that are shown are to be measured.
        pub measure_start: Signal<Out, Bit>,
        /// They have been.
        pub measure_done: Signal<In, Bit>,
        /// Whether the map keeps its limits.
        pub measured_verdict: Signal<In, VerdictCode>,
        /// Pieces that its box takes.
        pub measured_pieces: Signal<In, Bits<PRODUCT_BITS>>,
        /// They are more than that.
        pub measured_large: Signal<In, Bit>,

        /// Two beats are asked of the global memory, at the address that is wanted.
        pub mem_req_valid: OutControlReg<Bit>,
        /// It is taken.
        pub mem_req_taken: Signal<In, Bit>,
        /// A beat of them comes.
        pub beat_valid: Signal<In, Bit>,
        /// Its words.
        pub beat_data: Lanes<Signal<In, Word>> = Lanes::new(4),

        /// The words, each of all maps.
        pub store: Lanes<LutRam<Word, Bits<KEPT_BITS>>> = Lanes::of(MAP_WORDS, || LutRam::new(KEPT_MAPS)),
        /// Their measures.
        pub measures: LutRam<Bits<MEASURE_BITS>, Bits<KEPT_BITS>> = LutRam::new(KEPT_MAPS),
        /// Addresses of the maps.
        pub tag: Lanes<Reg<Bits<MAP_ADDRESS>>> = Lanes::new(KEPT_MAPS),
        /// Those that are whole.
        pub whole: ControlReg<Bits<KEPT_MAPS>>,
        /// A map is being read or measured.
        pub busy: ControlReg<Bit>,
        /// The second beat comes next.
        pub second: ControlReg<Bit>,
        /// It begins to be measured.
        pub measuring: ControlReg<Bit>,
        /// The place of the map that is read next, or is being read.
        pub place: ControlReg<Bits<KEPT_BITS>>,

        /// Which maps have the address.
        pub alike: Signal<Local, Bits<KEPT_MAPS>>,
        /// Which of them is whole.
        pub found: Signal<Local, Bits<KEPT_MAPS>>,
        /// Its number, or that of the one that is read.
        pub number: Signal<Local, Bits<KEPT_BITS>>,
        /// The place as a bit.
        pub place_bit: Signal<Local, Bits<KEPT_MAPS>>,
        /// A map begins to be read.
        pub begins: Signal<Local, Bit>,
        /// Its measures are stored.
        pub measured: Signal<Local, Bit>,
        /// Measures of the map.
        pub measure: Signal<Local, Bits<MEASURE_BITS>>,
    }
    processes { Find, Show, Move }
    /// The block, which has no map yet.
    built by pub fn new() {}
}

#[processes]
impl Maps {
    fn find(&mut self) {
        clear!(self.alike, self.place_bit);
        self.number.next = self.place.q.val();
        for e in 0..4 {
            if self.tag[e].q.val() == self.address.val() {
                self.alike.next = self.alike.val() | (bits::<KEPT_MAPS>(1) << e);
            }
            if self.place.q.val() == e.to_bits() {
                self.place_bit.next = bits::<KEPT_MAPS>(1) << e;
            }
        }
        self.found.next = self.alike.val() & self.whole.q.val();
        if !self.busy.q.val() {
            for e in 0..4 {
                if self.found.val().get_bit(e) {
                    self.number.next = e.to_bits();
                }
            }
        }
        self.ready.next = self.want.val() & self.found.val().any();
        for w in 0..MAP_WORDS {
            self.store[w].read_address.next = self.number.val();
        }
        self.measures.read_address.next = self.number.val();
    }

    fn show(&mut self) {
        for w in 0..MAP_WORDS {
            self.map[w].next = self.store[w].read_data.val();
        }
        self.measure.next = self.measures.read_data.val();
        self.verdict.next = self.measure.val().get_bits::<5>(0);
        self.pieces.next = self.measure.val().get_bits::<PRODUCT_BITS>(5);
        self.is_large.next = self.measure.val().get_bit(24);
        // the words are there in the cycle after the second beat
        self.measure_start.next = self.measuring.q.val();
    }

    fn r#move(&mut self) {
        self.begins.next = self.want.val() & !self.found.val().any() & !self.busy.q.val();
        self.measured.next = self.busy.q.val() & self.measure_done.val();
        self.busy.d.next = (self.busy.q.val() | self.begins.val()) & !self.measured.val();
        self.mem_req_valid.d.next = (self.mem_req_valid.q.val() & !self.mem_req_taken.val()) | self.begins.val();
        self.second.d.next = self.second.q.val() != self.beat_valid.val();
        self.measuring.d.next = self.second.q.val() & self.beat_valid.val();
        self.place.d.next = self.place.q.val();
        if self.forget.val() {
            self.whole.d.next = self.whole.q.val() & !self.alike.val();
        }
        if self.begins.val() {
            self.whole.d.next = self.whole.q.val() & !self.place_bit.val();
        }
        if self.measured.val() {
            self.whole.d.next = self.whole.q.val() | self.place_bit.val();
            self.place.d.next = self.place.q.val() + 1;
        }
        for e in 0..4 {
            self.tag[e].d.next = self.tag[e].q.val();
            if self.begins.val() & self.place_bit.val().get_bit(e) {
                self.tag[e].d.next = self.address.val();
            }
        }
        for w in 0..4 {
            self.store[w].write_enable.next = self.beat_valid.val() & !self.second.q.val();
            self.store[w].write_address.next = self.place.q.val();
            self.store[w].write_data.next = self.beat_data[w].val();
            self.store[w + 4].write_enable.next = self.beat_valid.val() & self.second.q.val();
            self.store[w + 4].write_address.next = self.place.q.val();
            self.store[w + 4].write_data.next = self.beat_data[w].val();
        }
        self.measures.write_enable.next = self.measured.val();
        self.measures.write_address.next = self.place.q.val();
        self.measures.write_data.next = bit_cast::<MEASURE_BITS, 5>(self.measured_verdict.val())
            | (bit_cast::<MEASURE_BITS, PRODUCT_BITS>(self.measured_pieces.val()) << 5)
            | (bit_cast::<MEASURE_BITS, 1>(self.measured_large.val().into()) << 24);
    }
}
