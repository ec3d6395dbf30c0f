//! Sizer: does a map keep its limits, and how much shared memory does its box take?
//!
//! **What.** The limits that the driver of an H200 keeps are looked at, and the box is measured in two ways: in pieces of 16
//! bytes from its first to its last in shared memory (gaps of the swizzle too), and in bytes as the driver computes them
//! (`testbench/silicon/tensor/README.md`): box sizes divided by element strides, rounded down.
//!
//! **Why this shape.** A map is measured once, when it has been read, and the results are kept with it; so a bit a cycle will
//! do. Division and multiplication go along together: a bit of the quotient, highest first, adds what has been multiplied so far.
//!
//! ```text
//!   for each dimension        load     9 cycles of                                          end
//!                             box,     rest = 2 rest + bit; bit of the quotient = rest >= step   up = up_sum (+ up, if there is a rest)
//!                             up, down up_sum = 2 up_sum + (up, if it is one)                down = down_sum
//! ```
//! **Timing.** `done` comes 2 + 11 x rank cycles after `start`, for a cycle; the results stay until the next `start`. A map that
//! breaks a limit of its own is done after two. The fields must stay meanwhile.

use super::fields::DIMENSIONS;
use super::verdict::{Verdict, VerdictCode};
use crate::hardware;
use crate::hdl::*;

/// Width of a product: one that is larger is called large, and not followed.
pub const PRODUCT_BITS: usize = 19;
/// Width of a product that grows by a bit.
const SUM_BITS: usize = PRODUCT_BITS + 3;
/// Bytes that a box may have: all shared memory of an SM of an H200, which is 1 KiB more than a CTA can have.
const MOST_BYTES: u64 = 228 << 10;

hardware! {
    /// Sizer: the limits of a map, and the size of its box.
    pub module Sizer = "map_sizer" {
        /// A map is to be measured.
        pub start: Signal<In, Bit>,
        /// It has been.
        pub done: OutControlReg<Bit>,
        /// Whether it keeps its limits.
        pub verdict: Signal<Out, VerdictCode>,
        /// Pieces of 16 bytes that its box takes in shared memory, the gaps behind its last row too.
        pub pieces: Signal<Out, Bits<PRODUCT_BITS>>,
        /// They are more than that.
        pub is_large: Signal<Out, Bit>,

        /// The map is one of im2col.
        pub im2col: Signal<In, Bit>,
        /// Rank - 1.
        pub rank: Signal<In, Bits<3>>,
        /// Code of the element type.
        pub element: Signal<In, Bits<4>>,
        /// Bytes of an element, as a power of two.
        pub scale: Signal<In, Bits<2>>,
        /// The element type is one of floating point.
        pub floats: Signal<In, Bit>,
        /// Channels in slices.
        pub interleave: Signal<In, Bits<2>>,
        /// Swizzle.
        pub swizzle: Signal<In, Bits<2>>,
        /// What lies outside is filled with NaN.
        pub fill: Signal<In, Bit>,
        /// Loads round to tf32.
        pub rounds: Signal<In, Bit>,
        /// Lowest five bits of the tensor's address.
        pub base_low: Signal<In, Bits<5>>,
        /// What is above 48 bits of it.
        pub base_high: Signal<In, Bits<9>>,
        /// The lowest bit of a stride is set.
        pub odd_stride: Signal<In, Bit>,
        /// Element stride - 1 of each dimension.
        pub step: Lanes<Signal<In, Bits<3>>> = Lanes::new(DIMENSIONS),
        /// Box - 1 of each dimension.
        pub box_last: Lanes<Signal<In, Bits<8>>> = Lanes::new(DIMENSIONS),
        /// Bytes of a row of the box without interleave.
        pub row_bytes: Signal<In, Bits<12>>,

        /// It measures.
        pub busy: ControlReg<Bit>,
        /// A dimension is under way.
        pub running: ControlReg<Bit>,
        /// Which, or the next.
        pub dimension: Reg<Bits<3>>,
        /// Bits of its box that are left.
        pub left: Reg<Bits<4>>,
        /// They, highest first.
        pub shift: Reg<Bits<9>>,
        /// Rest of the division.
        pub rest: Reg<Bits<4>>,
        /// Pieces of the dimensions so far.
        pub up: Reg<Bits<PRODUCT_BITS>>,
        /// They are too many.
        pub up_large: Reg<Bit>,
        /// The same times the quotient so far.
        pub up_sum: Reg<Bits<PRODUCT_BITS>>,
        /// It is too much.
        pub up_sum_large: Reg<Bit>,
        /// Bytes as the driver reckons them.
        pub down: Reg<Bits<PRODUCT_BITS>>,
        /// They are too many.
        pub down_large: Reg<Bit>,
        /// The same times the quotient so far.
        pub down_sum: Reg<Bits<PRODUCT_BITS>>,
        /// It is too much.
        pub down_sum_large: Reg<Bit>,

        /// Limits but for that of all bytes.
        pub limit: Signal<Local, VerdictCode>,
        /// What the address must not have.
        pub address_bits: Signal<Local, Bits<5>>,
        /// Bytes that the swizzle spans.
        pub span: Signal<Local, Bits<12>>,
        /// Box - 1 of the dimension.
        pub box_of: Signal<Local, Bits<8>>,
        /// Its element stride - 1.
        pub step_of: Signal<Local, Bits<3>>,
        /// It multiplies what the box takes in shared memory.
        pub counts: Signal<Local, Bit>,
        /// It is the last one.
        pub is_last: Signal<Local, Bit>,
        /// Rest with the next bit.
        pub longer: Signal<Local, Bits<5>>,
        /// Element stride.
        pub divisor: Signal<Local, Bits<5>>,
        /// Rest less the element stride.
        pub shorter: Signal<Local, Bits<5>>,
        /// Bit of the quotient.
        pub quotient: Signal<Local, Bit>,
        /// Next `up_sum`.
        pub up_grown: Signal<Local, Bits<SUM_BITS>>,
        /// Next `down_sum`.
        pub down_grown: Signal<Local, Bits<SUM_BITS>>,
        /// `up_sum`, and once more `up` for a rest.
        pub up_end: Signal<Local, Bits<SUM_BITS>>,
    }
    constants {
        /// A box of more bytes is refused.
        MOST: Bits<PRODUCT_BITS> = Bits::constant(MOST_BYTES);
        /// No limit is broken.
        KEPT: VerdictCode = Verdict::Ok.constant();
        /// The rank.
        RANK: VerdictCode = Verdict::Rank.constant();
        /// The element type.
        ELEMENT: VerdictCode = Verdict::Element.constant();
        /// Rounding.
        ROUNDING: VerdictCode = Verdict::Rounding.constant();
        /// The interleave.
        INTERLEAVE: VerdictCode = Verdict::Interleave.constant();
        /// The rank with interleave.
        INTERLEAVE_RANK: VerdictCode = Verdict::InterleaveRank.constant();
        /// The fill.
        FILL: VerdictCode = Verdict::Fill.constant();
        /// The address.
        ADDRESS: VerdictCode = Verdict::Address.constant();
        /// Its range.
        ADDRESS_RANGE: VerdictCode = Verdict::AddressRange.constant();
        /// A stride.
        STRIDE: VerdictCode = Verdict::Stride.constant();
        /// A row of the box.
        BOX_ROW: VerdictCode = Verdict::BoxRow.constant();
        /// Its swizzle.
        BOX_SWIZZLE: VerdictCode = Verdict::BoxSwizzle.constant();
        /// The box.
        BOX_BYTES: VerdictCode = Verdict::BoxBytes.constant();
        /// The mode.
        IM2COL: VerdictCode = Verdict::Im2col.constant();
    }
    processes { Judge, Divide, Measure }
    /// The block.
    built by pub fn new() {}
}

#[processes]
impl Sizer {
    fn judge(&mut self) {
        self.address_bits.next = self.base_low.val() & 15;
        if self.interleave.val() == 2 {
            self.address_bits.next = self.base_low.val();
        }
        self.span.next = 32.into();
        if self.swizzle.val() == 2 {
            self.span.next = 64.into();
        }
        if self.swizzle.val() == 3 {
            self.span.next = 128.into();
        }
        // the last that is assigned is the first that is told
        self.limit.next = KEPT;
        if (self.interleave.val() == 0) & self.swizzle.val().any() & (self.row_bytes.val() > self.span.val()) {
            self.limit.next = BOX_SWIZZLE;
        }
        if self.row_bytes.val().get_bits::<4>(0).any() {
            self.limit.next = BOX_ROW;
        }
        if (self.interleave.val() == 2) & self.odd_stride.val() {
            self.limit.next = STRIDE;
        }
        if self.base_high.val().any() {
            self.limit.next = ADDRESS_RANGE;
        }
        if self.address_bits.val().any() {
            self.limit.next = ADDRESS;
        }
        if self.im2col.val() {
            self.limit.next = IM2COL;
        }
        if self.fill.val() & !self.floats.val() {
            self.limit.next = FILL;
        }
        if self.interleave.val().any() & (self.rank.val() < bits::<3>(2)) {
            self.limit.next = INTERLEAVE_RANK;
        }
        if self.interleave.val() == 3 {
            self.limit.next = INTERLEAVE;
        }
        if self.rounds.val() & (self.element.val() != 7) & (self.element.val() != 8) {
            self.limit.next = ROUNDING;
        }
        if self.element.val() > bits::<4>(10) {
            self.limit.next = ELEMENT;
        }
        if self.rank.val() > bits::<3>(4) {
            self.limit.next = RANK;
        }
        self.verdict.next = self.limit.val();
        if (self.limit.val() == KEPT) & (self.down_large.q.val() | (self.down.q.val() > MOST)) {
            self.verdict.next = BOX_BYTES;
        }
        self.pieces.next = self.up.q.val();
        self.is_large.next = self.up_large.q.val();
    }

    fn divide(&mut self) {
        clear!(self.box_of, self.step_of);
        for d in 0..5 {
            if self.dimension.q.val() == d.to_bits() {
                self.box_of.next = self.box_last[d].val();
                self.step_of.next = self.step[d].val();
            }
        }
        self.is_last.next = self.dimension.q.val() == self.rank.val();
        // interleaved, a box is one deep in slices of channels, the last dimension but one
        self.counts.next = self.dimension.q.val().any();
        if self.interleave.val().any() {
            self.counts.next = (self.dimension.q.val() + 1) != self.rank.val();
        }
        self.divisor.next = bit_cast::<5, 3>(self.step_of.val()) + 1;
        self.longer.next =
            (bit_cast::<5, 4>(self.rest.q.val()) << 1) | bit_cast::<5, 1>(self.shift.q.val().get_bits::<1>(8));
        self.shorter.next = self.longer.val() - self.divisor.val();
        self.quotient.next = self.longer.val() >= self.divisor.val();
        self.up_grown.next = bit_cast::<SUM_BITS, PRODUCT_BITS>(self.up_sum.q.val()) << 1;
        self.down_grown.next = bit_cast::<SUM_BITS, PRODUCT_BITS>(self.down_sum.q.val()) << 1;
        if self.quotient.val() {
            self.up_grown.next = (bit_cast::<SUM_BITS, PRODUCT_BITS>(self.up_sum.q.val()) << 1)
                + bit_cast::<SUM_BITS, PRODUCT_BITS>(self.up.q.val());
            self.down_grown.next = (bit_cast::<SUM_BITS, PRODUCT_BITS>(self.down_sum.q.val()) << 1)
                + bit_cast::<SUM_BITS, PRODUCT_BITS>(self.down.q.val());
        }
        self.up_end.next = bit_cast::<SUM_BITS, PRODUCT_BITS>(self.up_sum.q.val());
        if self.rest.q.val().any() {
            self.up_end.next = bit_cast::<SUM_BITS, PRODUCT_BITS>(self.up_sum.q.val())
                + bit_cast::<SUM_BITS, PRODUCT_BITS>(self.up.q.val());
        }
    }

    fn measure(&mut self) {
        self.done.d.next = false;
        self.busy.d.next = self.busy.q.val() | self.start.val();
        keep!(self.running, self.dimension, self.left);
        self.shift.d.next = self.shift.q.val() << 1;
        keep!(self.rest, self.up, self.up_large, self.up_sum, self.up_sum_large, self.down, self.down_large);
        if self.running.q.val() {
            self.left.d.next = self.left.q.val() - 1;
            self.rest.d.next = self.longer.val().get_bits::<4>(0);
            if self.quotient.val() {
                self.rest.d.next = self.shorter.val().get_bits::<4>(0);
            }
            self.up_sum.d.next = self.up_grown.val().get_bits::<PRODUCT_BITS>(0);
            self.up_sum_large.d.next = self.up_sum_large.q.val()
                | self.up_grown.val().get_bits::<3>(19).any()
                | (self.quotient.val() & self.up_large.q.val());
            self.down_sum.d.next = self.down_grown.val().get_bits::<PRODUCT_BITS>(0);
            self.down_sum_large.d.next = self.down_sum_large.q.val()
                | self.down_grown.val().get_bits::<3>(19).any()
                | (self.quotient.val() & self.down_large.q.val());
            if !self.left.q.val().any() {
                // nothing is shifted in any more: the dimension ends
                self.running.d.next = false;
                self.down.d.next = self.down_sum.q.val();
                self.down_large.d.next = self.down_sum_large.q.val();
                if self.counts.val() {
                    self.up.d.next = self.up_end.val().get_bits::<PRODUCT_BITS>(0);
                    self.up_large.d.next = self.up_sum_large.q.val()
                        | self.up_end.val().get_bits::<3>(19).any()
                        | (self.rest.q.val().any() & self.up_large.q.val());
                }
                self.dimension.d.next = self.dimension.q.val() + 1;
                self.busy.d.next = !self.is_last.val();
                self.done.d.next = self.is_last.val();
            }
        }
        if self.busy.q.val() & !self.running.q.val() {
            self.running.d.next = true;
            self.left.d.next = 9.into();
            self.shift.d.next = bit_cast::<9, 8>(self.box_of.val()) + 1;
            clear!(self.rest, self.up_sum, self.up_sum_large, self.down_sum, self.down_sum_large);
            if self.limit.val() != KEPT {
                clear!(self.running, self.busy);
                self.done.d.next = true;
            }
        }
        if self.start.val() {
            self.dimension.d.next = 0.into();
            self.down.d.next = 1.into();
            if self.scale.val() == 1 {
                self.down.d.next = 2.into();
            }
            if self.scale.val() == 2 {
                self.down.d.next = 4.into();
            }
            if self.scale.val() == 3 {
                self.down.d.next = 8.into();
            }
            self.down_large.d.next = false;
            // pieces from one row to the next; interleaved, of a slice
            self.up.d.next = bit_cast::<PRODUCT_BITS, 8>(self.row_bytes.val().get_bits::<8>(4));
            if self.swizzle.val().any() {
                self.up.d.next = bit_cast::<PRODUCT_BITS, 8>(self.span.val().get_bits::<8>(4));
            }
            if self.interleave.val() == 1 {
                self.up.d.next = 1.into();
            }
            if self.interleave.val() == 2 {
                self.up.d.next = 2.into();
            }
            self.up_large.d.next = false;
        }
    }
}
