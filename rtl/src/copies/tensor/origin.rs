//! Origin: where a copy begins in global memory, what its steps are, and which pieces of a row are inside the tensor.
//!
//! **What.** Multiplies the coordinates with the strides, and the strides with the element strides. Addresses are in pieces of
//! 16 bytes, modulo 2^44: those of what is outside the tensor mean nothing, and are not used.
//!
//! **Why this shape.** One copy is made ready while the one before it runs; so a bit of all coordinates a cycle is enough, highest
//! first, and the sums stay short. Coordinates that fit into 16 bits, as nearly all do, take half of the cycles.
//!
//! ```text
//!   cycle      0        1       2      ...   17 or 33    +1      +2      +3
//!   start      yes
//!   bit                 15/31   14/30  ...   0
//!   partial                     the strides whose coordinate has the bit; those of the sign count against them
//!   sum                         x 2 + partial            + base  + dimension 0
//!   done                                                                 yes, until the next start
//! ```
//! **A row.** Without interleave it is `count` pieces. `lead` of them lie before the tensor, the pieces from there to `bound` inside it;
//! of the last of those only `tail` bytes are (0 means all 16). Dimension 0 begins at a multiple of 16 bytes, so only the end of a
//! tensor can cut a piece. Interleaved, each slice is a row of one or two pieces of its own.

use super::fields::{DIMENSIONS, PIECE_ADDRESS};
use crate::hardware;
use crate::hdl::*;

/// Width of a count of pieces in a row.
pub const ROW_BITS: usize = 8;
/// Width of a distance in dimension 0, in bytes, with its sign.
const DISTANCE_BITS: usize = 38;

hardware! {
    /// Origin: first address, increments and shape of the rows of a copy.
    pub module Origin = "tensor_origin" {
        /// The fields of a map and the coordinates are there.
        pub start: Signal<In, Bit>,
        /// Everything has been reckoned.
        pub done: OutControlReg<Bit>,
        /// Coordinates.
        pub at: Lanes<Signal<In, Bits<32>>> = Lanes::new(DIMENSIONS),
        /// Address of the tensor in pieces.
        pub base: Signal<In, Bits<PIECE_ADDRESS>>,
        /// Strides of dimensions 1 to 4 in pieces.
        pub stride: Lanes<Signal<In, Bits<36>>> = Lanes::new(DIMENSIONS - 1),
        /// Element strides - 1.
        pub step: Lanes<Signal<In, Bits<3>>> = Lanes::new(DIMENSIONS),
        /// Bytes of an element, as a power of two.
        pub scale: Signal<In, Bits<2>>,
        /// Channels in slices.
        pub interleave: Signal<In, Bits<2>>,
        /// Swizzle.
        pub swizzle: Signal<In, Bits<2>>,
        /// Size - 1 of dimension 0.
        pub last: Signal<In, Bits<32>>,
        /// Bytes of a row of the box without interleave.
        pub row_bytes: Signal<In, Bits<12>>,

        /// Address of the first row in pieces.
        pub first: OutReg<Bits<PIECE_ADDRESS>>,
        /// Pieces from one row to the next along each dimension.
        pub increment: Lanes<OutReg<Bits<PIECE_ADDRESS>>> = Lanes::new(DIMENSIONS),
        /// Pieces of a row.
        pub count: OutReg<Bits<ROW_BITS>>,
        /// Pieces from one row to the next in shared memory.
        pub pitch: OutReg<Bits<ROW_BITS>>,
        /// Pieces before the tensor.
        pub lead: OutReg<Bits<ROW_BITS>>,
        /// The first piece behind it.
        pub bound: OutReg<Bits<ROW_BITS>>,
        /// Bytes of the piece before that, if not all, that are inside.
        pub tail: OutReg<Bits<4>>,
        /// Pieces behind a row that are not written.
        pub gap: Signal<Out, Bits<ROW_BITS>>,
        /// Whether the coordinate of dimension 0 is a multiple of 16 bytes.
        pub is_aligned: Signal<Out, Bit>,

        /// It reckons.
        pub busy: ControlReg<Bit>,
        /// Cycles that are left.
        pub left: Reg<Bits<6>>,
        /// The bit of the sign is the next one.
        pub sign: Reg<Bit>,
        /// Bits of the coordinates of dimensions 1 to 4, highest first.
        pub shift: Lanes<Reg<Bits<32>>> = Lanes::new(DIMENSIONS - 1),
        /// What the last bit adds.
        pub partial: Reg<Bits<PIECE_ADDRESS>>,
        /// Bits of the element strides that are left.
        pub step_left: ControlReg<Bits<3>>,
        /// They, highest first.
        pub step_shift: Lanes<Reg<Bits<4>>> = Lanes::new(DIMENSIONS),

        /// All coordinates fit into 16 bits.
        pub is_short: Signal<Local, Bit>,
        /// Bits above the lowest 15 of a coordinate.
        pub above: Signal<Local, Bits<17>>,
        /// A stride.
        pub stretch: Signal<Local, Bits<36>>,
        /// An element stride - 1.
        pub pause: Signal<Local, Bits<3>>,
        /// What each dimension adds.
        pub part: Lanes<Signal<Local, Bits<PIECE_ADDRESS>>> = Lanes::new(DIMENSIONS - 1),
        /// What all do.
        pub parts: Signal<Local, Bits<PIECE_ADDRESS>>,
        /// Strides of all dimensions: that of slices too.
        pub pace: Lanes<Signal<Local, Bits<PIECE_ADDRESS>>> = Lanes::new(DIMENSIONS),
        /// The coordinate of dimension 0, with its sign, as slices are counted.
        pub slice: Signal<Local, Bits<PIECE_ADDRESS>>,
        /// The same in pieces.
        pub along: Signal<Local, Bits<PIECE_ADDRESS>>,
        /// The coordinate of dimension 0, with its sign.
        pub wide: Signal<Local, Bits<DISTANCE_BITS>>,
        /// In bytes.
        pub distance: Signal<Local, Bits<DISTANCE_BITS>>,
        /// Bytes of a row of the tensor.
        pub size: Signal<Local, Bits<DISTANCE_BITS>>,
        /// Its elements.
        pub elements: Signal<Local, Bits<DISTANCE_BITS>>,
        /// Bytes from the first piece to the end of the tensor, with their sign.
        pub reaches: Signal<Local, Bits<DISTANCE_BITS>>,
        /// They, rounded up to pieces.
        pub rounded: Signal<Local, Bits<DISTANCE_BITS>>,
        /// Bytes from the first piece to the start of the tensor, if it is behind it.
        pub behind: Signal<Local, Bits<DISTANCE_BITS>>,
        /// Bytes of a row of the box.
        pub row: Signal<Local, Bits<DISTANCE_BITS>>,
    }
    processes { Reckon, Measure, Step }
    /// The block.
    built by pub fn new() {}
}

#[processes]
impl Origin {
    fn reckon(&mut self) {
        self.is_short.next = true;
        for d in 1..5 {
            self.above.next = self.at[d].val().get_bits::<17>(15);
            if self.above.val().any() & (!self.above.val()).any() {
                self.is_short.next = false;
            }
        }
        self.pace[0].next = 1.into();
        if self.interleave.val() == 2 {
            self.pace[0].next = 2.into();
        }
        for d in 0..4 {
            self.stretch.next = self.stride[d].val();
            self.pace[d + 1].next = bit_cast::<PIECE_ADDRESS, 36>(self.stretch.val());
            self.part[d].next = 0.into();
            if self.shift[d].q.val().get_bit(31) {
                self.part[d].next = bit_cast::<PIECE_ADDRESS, 36>(self.stretch.val());
            }
        }
        self.parts.next = (self.part[0].val() + self.part[1].val()) + (self.part[2].val() + self.part[3].val());
        if self.sign.q.val() {
            self.parts.next = (bits::<PIECE_ADDRESS>(0) - (self.part[0].val() + self.part[1].val()))
                - (self.part[2].val() + self.part[3].val());
        }
    }

    fn measure(&mut self) {
        self.wide.next = bit_cast::<DISTANCE_BITS, 32>(self.at[0].val());
        if self.at[0].val().get_bit(31) {
            self.wide.next = bit_cast::<DISTANCE_BITS, 32>(self.at[0].val()) | (bits::<DISTANCE_BITS>(63) << 32);
        }
        self.elements.next = bit_cast::<DISTANCE_BITS, 32>(self.last.val()) + 1;
        self.distance.next = self.wide.val();
        self.size.next = self.elements.val();
        if self.scale.val() == 1 {
            self.distance.next = self.wide.val() << 1;
            self.size.next = self.elements.val() << 1;
        }
        if self.scale.val() == 2 {
            self.distance.next = self.wide.val() << 2;
            self.size.next = self.elements.val() << 2;
        }
        if self.scale.val() == 3 {
            self.distance.next = self.wide.val() << 3;
            self.size.next = self.elements.val() << 3;
        }
        self.is_aligned.next = self.interleave.val().any() | !self.distance.val().get_bits::<4>(0).any();
        self.slice.next = bit_cast::<PIECE_ADDRESS, DISTANCE_BITS>(self.wide.val());
        if self.at[0].val().get_bit(31) {
            self.slice.next =
                bit_cast::<PIECE_ADDRESS, DISTANCE_BITS>(self.wide.val()) | (bits::<PIECE_ADDRESS>(63) << 38);
        }
        self.along.next = bit_cast::<PIECE_ADDRESS, 34>(self.distance.val().get_bits::<34>(4));
        if self.distance.val().get_bit(37) {
            self.along.next = bit_cast::<PIECE_ADDRESS, 34>(self.distance.val().get_bits::<34>(4))
                | (bits::<PIECE_ADDRESS>(1023) << 34);
        }
        if self.interleave.val().any() {
            self.along.next = self.slice.val();
        }
        if self.interleave.val() == 2 {
            self.along.next = self.slice.val() << 1;
        }
        self.row.next = bit_cast::<DISTANCE_BITS, 12>(self.row_bytes.val());
        self.behind.next = bits::<DISTANCE_BITS>(0) - self.distance.val();
        self.reaches.next = self.size.val() - self.distance.val();
        self.rounded.next = self.reaches.val() + 15;

        self.count.d.next = self.row_bytes.val().get_bits::<8>(4);
        self.pitch.d.next = self.row_bytes.val().get_bits::<8>(4);
        if self.swizzle.val() == 1 {
            self.pitch.d.next = 2.into();
        }
        if self.swizzle.val() == 2 {
            self.pitch.d.next = 4.into();
        }
        if self.swizzle.val() == 3 {
            self.pitch.d.next = 8.into();
        }
        self.lead.d.next = 0.into();
        if self.distance.val().get_bit(37) {
            self.lead.d.next = self.behind.val().get_bits::<8>(4);
            if self.behind.val() >= self.row.val() {
                self.lead.d.next = self.row_bytes.val().get_bits::<8>(4);
            }
        }
        self.tail.d.next = 0.into();
        self.bound.d.next = self.row_bytes.val().get_bits::<8>(4);
        if self.reaches.val() < self.row.val() {
            self.bound.d.next = self.rounded.val().get_bits::<8>(4);
            self.tail.d.next = self.reaches.val().get_bits::<4>(0);
        }
        if self.reaches.val().get_bit(37) {
            self.bound.d.next = 0.into();
        }
        if self.interleave.val().any() {
            self.count.d.next = self.pace[0].val().get_bits::<8>(0);
            self.pitch.d.next = self.pace[0].val().get_bits::<8>(0);
            self.lead.d.next = 0.into();
            self.bound.d.next = self.pace[0].val().get_bits::<8>(0);
            self.tail.d.next = 0.into();
        }
        self.gap.next = self.pitch.d.val() - self.count.d.val();
    }

    fn step(&mut self) {
        self.pause.next = 0.into();
        self.busy.d.next = self.busy.q.val();
        self.done.d.next = self.done.q.val() & !self.start.val();
        self.left.d.next = self.left.q.val() - 1;
        self.sign.d.next = false;
        self.partial.d.next = self.parts.val();
        self.first.d.next = self.first.q.val();
        if self.step_left.q.val().any() {
            self.step_left.d.next = self.step_left.q.val() - 1;
        }
        for d in 0..4 {
            self.shift[d].d.next = self.shift[d].q.val() << 1;
        }
        for d in 0..5 {
            self.step_shift[d].d.next = self.step_shift[d].q.val() << 1;
            if self.step_left.q.val().any() {
                self.increment[d].d.next = self.increment[d].q.val() << 1;
                if self.step_shift[d].q.val().get_bit(3) {
                    self.increment[d].d.next = (self.increment[d].q.val() << 1) + self.pace[d].val();
                }
            }
        }
        if self.busy.q.val() {
            self.first.d.next = (self.first.q.val() << 1) + self.partial.q.val();
            if self.left.q.val() == 2 {
                self.first.d.next = self.first.q.val() + self.base.val();
            }
            if self.left.q.val() == 1 {
                self.first.d.next = self.first.q.val() + self.along.val();
                self.busy.d.next = false;
                self.done.d.next = true;
            }
        }
        if self.start.val() {
            self.busy.d.next = true;
            self.sign.d.next = true;
            clear!(self.partial, self.first);
            // a cycle each bit, one until the last is in the sum, one for each of the other two
            self.left.d.next = 35.into();
            for d in 0..4 {
                self.shift[d].d.next = self.at[d + 1].val();
            }
            if self.is_short.val() {
                self.left.d.next = 19.into();
                for d in 0..4 {
                    self.shift[d].d.next = self.at[d + 1].val() << 16;
                }
            }
            self.step_left.d.next = 4.into();
            for d in 0..5 {
                self.pause.next = self.step[d].val();
                self.step_shift[d].d.next = bit_cast::<4, 3>(self.pause.val()) + 1;
                self.increment[d].d.next = 0.into();
            }
        }
    }
}
