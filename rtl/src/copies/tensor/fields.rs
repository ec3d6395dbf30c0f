//! What the words of a tensor map mean.
//!
//! **What.** The fields of the first eight words of a map, in the layout of an H200
//! (`testbench/silicon/tensor/README.md`). Words 8 to 15 mean nothing. A dimension that the tensor does not have is one of
//! size 1: its fields are zero.
//!
//! ```text
//!   word  63              47   44        35  32 31                          0
//!   0     |........|             address / 16                          |....|
//!   1     |          stride 1 / 16            | promotion, round, fill, swizzle, interleave, element, rank, im2col |
//!   2     |          stride 3 / 16            |       stride 2 / 16         |
//!   3     |............| strides 4 to 1, 35:32|       stride 4 / 16         |
//!   4, 5  |    size 1 - 1, size 3 - 1         |  size 0 - 1, size 2 - 1     |
//!   6     | box 0 - 1 |... element strides - 1|       size 4 - 1            |
//!   7     |...................................| box 4 - 1 .. box 1 - 1      |
//! ```
//! **Timing.** All outputs follow `words` in the same cycle.

use crate::hardware;
use crate::hdl::*;

/// Dimensions of a tensor at most.
pub const DIMENSIONS: usize = 5;
/// Words of a map that mean something.
pub const MAP_WORDS: usize = 8;
/// Width of an address in pieces of 16 bytes.
pub const PIECE_ADDRESS: usize = 44;

hardware! {
    /// The fields of a tensor map.
    pub module MapFields = "map_fields" {
        /// The words.
        pub words: Lanes<Signal<In, Word>> = Lanes::new(MAP_WORDS),
        /// The map is one of im2col.
        pub im2col: Signal<Out, Bit>,
        /// Rank - 1.
        pub rank: Signal<Out, Bits<3>>,
        /// Code of the element type.
        pub element: Signal<Out, Bits<4>>,
        /// Bytes of an element, as a power of two.
        pub scale: Signal<Out, Bits<2>>,
        /// The element type is one of floating point.
        pub floats: Signal<Out, Bit>,
        /// Channels in slices: 0 none, 1 of 16 bytes, 2 of 32 bytes.
        pub interleave: Signal<Out, Bits<2>>,
        /// Swizzle: 0 none, 1 to 3: 32, 64, 128 bytes.
        pub swizzle: Signal<Out, Bits<2>>,
        /// What lies outside is filled with NaN.
        pub fill: Signal<Out, Bit>,
        /// Loads round to tf32.
        pub rounds: Signal<Out, Bit>,
        /// Address of the tensor in pieces of 16 bytes.
        pub base: Signal<Out, Bits<PIECE_ADDRESS>>,
        /// Its lowest five bits.
        pub base_low: Signal<Out, Bits<5>>,
        /// What is above 48 bits of it.
        pub base_high: Signal<Out, Bits<9>>,
        /// Bytes from one to the next along dimensions 1 to 4, in pieces of 16.
        pub stride: Lanes<Signal<Out, Bits<36>>> = Lanes::new(DIMENSIONS - 1),
        /// Size - 1 of each dimension.
        pub last: Lanes<Signal<Out, Bits<32>>> = Lanes::new(DIMENSIONS),
        /// Element stride - 1 of each dimension.
        pub step: Lanes<Signal<Out, Bits<3>>> = Lanes::new(DIMENSIONS),
        /// Box - 1 of each dimension.
        pub box_last: Lanes<Signal<Out, Bits<8>>> = Lanes::new(DIMENSIONS),
        /// Bytes of a row of the box without interleave: 2,048 at most.
        pub row_bytes: Signal<Out, Bits<12>>,

        /// Elements of it.
        pub row_elements: Signal<Local, Bits<12>>,
        /// Upper four bits of the strides of dimensions 4 to 1.
        pub upper: Signal<Local, Bits<16>>,
    }
    processes { Read }
    /// The block.
    built by pub fn new() {}
}

#[processes]
impl MapFields {
    fn read(&mut self) {
        self.im2col.next = self.words[1].val().get_bit(0);
        self.rank.next = self.words[1].val().get_bits::<3>(4);
        self.element.next = self.words[1].val().get_bits::<4>(7);
        self.interleave.next = self.words[1].val().get_bits::<2>(11);
        self.swizzle.next = self.words[1].val().get_bits::<2>(13);
        self.fill.next = self.words[1].val().get_bit(15);
        self.rounds.next = self.words[1].val().get_bit(16);
        // u8 0, u16 1, u32 2, s32 3, u64 4, s64 5, f16 6, f32 7, f32 flushed 8, f64 9, bf16 10
        self.floats.next = self.element.val() >= bits::<4>(6);
        self.scale.next = 2.into();
        if self.element.val() == 0 {
            self.scale.next = 0.into();
        }
        if (self.element.val() == 1) | (self.element.val() == 6) | (self.element.val() == 10) {
            self.scale.next = 1.into();
        }
        if (self.element.val() == 4) | (self.element.val() == 5) | (self.element.val() == 9) {
            self.scale.next = 3.into();
        }
        self.base.next = self.words[0].val().get_bits::<PIECE_ADDRESS>(4);
        self.base_low.next = self.words[0].val().get_bits::<5>(0);
        self.base_high.next = self.words[0].val().get_bits::<9>(48);

        self.upper.next = self.words[3].val().get_bits::<16>(32);
        self.stride[0].next = bit_cast::<36, 32>(self.words[1].val().get_bits::<32>(32))
            | (bit_cast::<36, 4>(self.upper.val().get_bits::<4>(0)) << 32);
        self.stride[1].next = bit_cast::<36, 32>(self.words[2].val().get_bits::<32>(0))
            | (bit_cast::<36, 4>(self.upper.val().get_bits::<4>(4)) << 32);
        self.stride[2].next = bit_cast::<36, 32>(self.words[2].val().get_bits::<32>(32))
            | (bit_cast::<36, 4>(self.upper.val().get_bits::<4>(8)) << 32);
        self.stride[3].next = bit_cast::<36, 32>(self.words[3].val().get_bits::<32>(0))
            | (bit_cast::<36, 4>(self.upper.val().get_bits::<4>(12)) << 32);
        self.last[0].next = self.words[4].val().get_bits::<32>(0);
        self.last[1].next = self.words[4].val().get_bits::<32>(32);
        self.last[2].next = self.words[5].val().get_bits::<32>(0);
        self.last[3].next = self.words[5].val().get_bits::<32>(32);
        self.last[4].next = self.words[6].val().get_bits::<32>(0);
        self.box_last[0].next = self.words[6].val().get_bits::<8>(56);
        self.box_last[1].next = self.words[7].val().get_bits::<8>(0);
        self.box_last[2].next = self.words[7].val().get_bits::<8>(8);
        self.box_last[3].next = self.words[7].val().get_bits::<8>(16);
        self.box_last[4].next = self.words[7].val().get_bits::<8>(24);
        self.step[0].next = self.words[6].val().get_bits::<3>(32);
        self.step[1].next = self.words[6].val().get_bits::<3>(35);
        self.step[2].next = self.words[6].val().get_bits::<3>(38);
        self.step[3].next = self.words[6].val().get_bits::<3>(41);
        self.step[4].next = self.words[6].val().get_bits::<3>(44);
        for d in 1..5 {
            if self.rank.val() < d.to_bits() {
                clear!(self.last[d], self.box_last[d], self.step[d]);
            }
        }
        for d in 0..4 {
            if self.rank.val() <= d.to_bits() {
                self.stride[d].next = 0.into();
            }
        }

        self.row_elements.next = bit_cast::<12, 8>(self.box_last[0].val()) + 1;
        self.row_bytes.next = self.row_elements.val();
        if self.scale.val() == 1 {
            self.row_bytes.next = self.row_elements.val() << 1;
        }
        if self.scale.val() == 2 {
            self.row_bytes.next = self.row_elements.val() << 2;
        }
        if self.scale.val() == 3 {
            self.row_bytes.next = self.row_elements.val() << 3;
        }
    }
}
