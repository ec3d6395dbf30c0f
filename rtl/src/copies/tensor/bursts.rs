//! Bursts: cuts the rows of a copy into bursts of global memory, and into what is filled.
//!
//! **What.** A row has up to three parts: pieces before the tensor, pieces inside it, pieces behind it. What is inside is asked of the
//! global memory in bursts that do not cross a 128-byte boundary; what is outside goes to the filler as a whole. A row that is outside in
//! another dimension is one part. One burst or fill a cycle.
//!
//! ```text
//!   row        |0 1 2 3 4 5 6 7 8 9|      lead 3, bound 8: 3 filled, 5 from global memory, 2 filled
//!   global            |. . a b|c d e . .        128-byte boundary between b and c
//!   cycle       0      1      2      3
//!               fill   ab     cde    fill       the next row begins in cycle 4
//! ```
//! **Timing.** The row register is refilled in the cycle of a row's last part: a row of 16 to 128 bytes inside one boundary takes one
//! cycle. `burst_*` is valid in the cycle in which a burst is put into the register of requests.

use super::fields::PIECE_ADDRESS;
use super::origin::ROW_BITS;
use crate::hardware;
use crate::hdl::*;

/// Width of a place in shared memory, in pieces of 16 bytes.
pub const PLACE_BITS: usize = 20;

hardware! {
    /// Bursts: what is asked of global memory, and what is filled.
    pub module Cutter = "tensor_bursts" {
        /// A copy begins.
        pub load: Signal<In, Bit>,
        /// Where it goes in shared memory, in pieces.
        pub to: Signal<In, Bits<PLACE_BITS>>,
        /// Pieces of a row.
        pub count: Signal<In, Bits<ROW_BITS>>,
        /// From one row to the next in shared memory.
        pub pitch: Signal<In, Bits<ROW_BITS>>,
        /// Pieces before the tensor.
        pub lead: Signal<In, Bits<ROW_BITS>>,
        /// The first piece behind it.
        pub bound: Signal<In, Bits<ROW_BITS>>,
        /// Bytes of the last piece inside, if not all.
        pub tail: Signal<In, Bits<4>>,

        /// A row is there.
        pub row_valid: Signal<In, Bit>,
        /// Its address in pieces.
        pub row_address: Signal<In, Bits<PIECE_ADDRESS>>,
        /// Its coordinates are inside the tensor.
        pub row_inside: Signal<In, Bit>,
        /// It is taken.
        pub row_take: Signal<Out, Bit>,
        /// There is a row.
        pub active: OutControlReg<Bit>,

        /// A burst can be asked for.
        pub burst_ready: Signal<In, Bit>,
        /// One is.
        pub burst_valid: Signal<Out, Bit>,
        /// Its address in pieces.
        pub burst_from: Signal<Out, Bits<PIECE_ADDRESS>>,
        /// Where it goes, in pieces.
        pub burst_to: Signal<Out, Bits<PLACE_BITS>>,
        /// How many pieces.
        pub burst_count: Signal<Out, Bits<4>>,
        /// Bytes of its last piece, if not all.
        pub burst_tail: Signal<Out, Bits<4>>,
        /// Another part of its row is before it.
        pub burst_follows: Signal<Out, Bit>,
        /// The next burst begins where it ends, in both memories.
        pub burst_more: Signal<Out, Bit>,
        /// Pieces can be filled.
        pub fill_ready: Signal<In, Bit>,
        /// Some are.
        pub fill_valid: Signal<Out, Bit>,
        /// How many, from `burst_to` on.
        pub fill_count: Signal<Out, Bits<ROW_BITS>>,

        /// Pieces of a row of the copy.
        pub count_of: Reg<Bits<ROW_BITS>>,
        /// From one row to the next.
        pub pitch_of: Reg<Bits<ROW_BITS>>,
        /// Pieces before the tensor.
        pub lead_of: Reg<Bits<ROW_BITS>>,
        /// The first piece behind it.
        pub end_of: Reg<Bits<ROW_BITS>>,
        /// Bytes of the last piece inside.
        pub tail_of: Reg<Bits<4>>,
        /// Where the next row goes.
        pub next_to: Reg<Bits<PLACE_BITS>>,

        /// The row is inside.
        pub is_inside: Reg<Bit>,
        /// Pieces of it that are done.
        pub position: Reg<Bits<ROW_BITS>>,
        /// Address of the next one.
        pub from: Reg<Bits<PIECE_ADDRESS>>,
        /// Where it goes.
        pub place: Reg<Bits<PLACE_BITS>>,

        /// Where the part ends.
        pub part_end: Signal<Local, Bits<ROW_BITS>>,
        /// It is inside the tensor.
        pub reads: Signal<Local, Bit>,
        /// Pieces of it that are left.
        pub left: Signal<Local, Bits<ROW_BITS>>,
        /// Pieces up to the boundary.
        pub room: Signal<Local, Bits<4>>,
        /// Pieces that are done in this cycle.
        pub done: Signal<Local, Bits<ROW_BITS>>,
        /// Pieces that are done after it.
        pub reached: Signal<Local, Bits<ROW_BITS>>,
        /// The part can go.
        pub goes: Signal<Local, Bit>,
        /// The row ends with it.
        pub ends: Signal<Local, Bit>,
    }
    processes { Cut, Go }
}

#[processes]
impl Cutter {
    fn cut(&mut self) {
        self.part_end.next = self.count_of.q.val();
        self.reads.next = false;
        if self.is_inside.q.val() {
            if self.position.q.val() < self.end_of.q.val() {
                self.part_end.next = self.end_of.q.val();
                self.reads.next = true;
            }
            if self.position.q.val() < self.lead_of.q.val() {
                self.part_end.next = self.lead_of.q.val();
                self.reads.next = false;
            }
        }
        self.left.next = self.part_end.val() - self.position.q.val();
        self.room.next = bits::<4>(8) - bit_cast::<4, 3>(self.from.q.val().get_bits::<3>(0));
        self.done.next = self.left.val();
        self.burst_tail.next = self.tail_of.q.val();
        self.burst_more.next = false;
        if self.reads.val() & (self.left.val() > bit_cast::<ROW_BITS, 4>(self.room.val())) {
            self.burst_more.next = true;
            self.done.next = bit_cast::<ROW_BITS, 4>(self.room.val());
            self.burst_tail.next = 0.into();
        }
        self.reached.next = self.position.q.val() + self.done.val();
        self.burst_valid.next = self.active.q.val() & self.reads.val() & self.burst_ready.val();
        self.fill_valid.next = self.active.q.val() & !self.reads.val() & self.fill_ready.val();
        self.goes.next = self.burst_valid.val() | self.fill_valid.val();
        self.ends.next = self.goes.val() & (self.reached.val() == self.count_of.q.val());
        self.burst_from.next = self.from.q.val();
        self.burst_to.next = self.place.q.val();
        self.burst_count.next = self.done.val().get_bits::<4>(0);
        self.burst_follows.next = self.position.q.val().any();
        self.fill_count.next = self.done.val();
        self.row_take.next = self.row_valid.val() & (self.ends.val() | !self.active.q.val());
    }

    fn go(&mut self) {
        self.active.d.next = (self.active.q.val() & !self.ends.val()) | self.row_take.val();
        keep!(self.is_inside, self.position, self.from, self.place, self.next_to);
        if self.goes.val() {
            self.position.d.next = self.reached.val();
            self.from.d.next = self.from.q.val() + bit_cast::<PIECE_ADDRESS, ROW_BITS>(self.done.val());
            self.place.d.next = self.place.q.val() + bit_cast::<PLACE_BITS, ROW_BITS>(self.done.val());
        }
        if self.row_take.val() {
            self.is_inside.d.next = self.row_inside.val();
            self.position.d.next = 0.into();
            self.from.d.next = self.row_address.val();
            self.place.d.next = self.next_to.q.val();
            self.next_to.d.next = self.next_to.q.val() + bit_cast::<PLACE_BITS, ROW_BITS>(self.pitch_of.q.val());
        }
        if self.load.val() {
            self.count_of.d.next = self.count.val();
            self.pitch_of.d.next = self.pitch.val();
            self.lead_of.d.next = self.lead.val();
            self.end_of.d.next = self.bound.val();
            self.tail_of.d.next = self.tail.val();
            self.next_to.d.next = self.to.val();
        }
    }
}
