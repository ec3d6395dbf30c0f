//! Outlet: reads blocks of shared memory and sends them to global memory and to other CTAs.
//!
//! **What.** Accepts *moves*: a block of 32 bytes to read through the door (DMA port), and the destination of the bytes that the byte
//! enables select. The data leaves in order, as a beat of the write channel to global memory or as a beat to CTAs. A *mark* among the moves
//! leaves in order with them, and is reported: all blocks before it have then been read and sent.
//!
//! ```text
//!   move ─┬─► door: read ─── 4 cycles ──► data ──┬─► swap halves ─┬─► mem_wr: address, strobe, reduction, burst
//! └─► destination ───────────────────────┘                └─► beat: CTAs, strobe, bytes and barrier
//! ```
//! **Timing.** One move a cycle, 32 bytes. Up to eight are in flight.
//!
//! ```text
//!   cycle    0          1 2 3    4         5
//!   move     taken               words     mem_wr or beat
//! ```
//! Addresses are multiples of 16, so the data keeps its halves' order or swaps them; or a move *shifts*: what is written is the upper half
//! of the block before it, which is carried, and the lower half of its own. Such a row of moves begins with one that writes nothing, or ends
//! with one that reads nothing.
//!
//! ```text
//!   shared   |. a|b c|d .|       moves   read . a    read b c    read d
//!   global   |a b|c d|                               write a b   write c d
//! ```

use super::channels::MemoryWrite;
use super::reduction::{REDUCTION_BITS, ReductionCode};
use super::sender::Put;
use crate::cells::fifo::Fifo;
use crate::copies::messages::{extent, movement};
use crate::hardware;
use crate::hdl::*;
use crate::word::address::BEAT_WORDS;

/// Maximum number of moves in flight.
pub const MOVES: usize = 8;
/// Words of a move's destination.
const WAY_WORDS: usize = 4;
/// Width of a move's kind.
pub const MOVE_BITS: usize = 2;

hardware! {
    /// Outlet: reads blocks of shared memory and sends them.
    pub module Outlet = "outlet" {
        /// Move valid.
        pub move_valid: Signal<In, Bit>,
        /// Move accepted.
        pub move_ready: Signal<Out, Bit>,
        /// Kind: 0 to global memory, 1 to CTAs, 2 a mark.
        pub move_kind: Signal<In, Bits<MOVE_BITS>>,
        /// Address of the block to read, a multiple of 32.
        pub move_from: Signal<In, Bits<24>>,
        /// Address of the block to write, a multiple of 32.
        pub move_to: Signal<In, Bits<48>>,
        /// Byte enables of the block to write.
        pub move_strobe: Signal<In, Bits<32>>,
        /// Reduction.
        pub move_reduction: Signal<In, ReductionCode>,
        /// Byte enables of the block to read, in its own order.
        pub move_wanted: Signal<In, Bits<32>>,
        /// The move reads a block.
        pub move_reads: Signal<In, Bit>,
        /// The move writes.
        pub move_writes: Signal<In, Bit>,
        /// Swap the halves of the block.
        pub move_swap: Signal<In, Bit>,
        /// Then write its lower half as the upper one, behind the upper half of the block before it.
        pub move_shift: Signal<In, Bit>,
        /// To global memory: last move of the burst.
        pub move_last: Signal<In, Bit>,
        /// To global memory: number of the burst.
        pub move_number: Signal<In, BurstIndex>,
        /// To CTAs: destinations.
        pub move_ctas: Signal<In, CtaMask>,
        /// To CTAs: bytes to complete after the move.
        pub move_bytes: Signal<In, Bits<8>>,
        /// To CTAs: address of the barrier on which they complete.
        pub move_barrier: Signal<In, Bits<24>>,
        /// Mark: its thread.
        pub move_thread: Signal<In, CopierIndex>,

        /// Read request valid.
        pub read_valid: Signal<Out, Bit>,
        /// Address of the block to read.
        pub read_address: Signal<Out, Bits<24>>,
        /// Bytes needed.
        pub read_strobe: Signal<Out, Bits<32>>,
        /// Read request accepted.
        pub read_taken: Signal<In, Bit>,
        /// Words of the oldest read valid.
        pub found_valid: Signal<In, Bit>,
        /// Words of the oldest read.
        pub found: Lanes<Signal<In, Word>> = Lanes::new(BEAT_WORDS),

        /// Write beat to global memory.
        pub wr: MemoryWrite<Out>,

        /// Beat to CTAs valid; address, byte enables, data and reduction are those of `wr`.
        pub beat_valid: Signal<Out, Bit>,
        /// Beat accepted.
        pub beat_ready: Signal<In, Bit>,
        /// Destination CTAs.
        pub beat_ctas: Signal<Out, CtaMask>,
        /// Number of bytes to complete.
        pub beat_bytes: Signal<Out, Bits<8>>,
        /// Address of the barrier.
        pub beat_barrier: Signal<Out, Bits<24>>,

        /// A mark leaves.
        pub marks: Signal<Out, Bit>,
        /// Thread of the mark.
        pub mark_thread: Signal<Out, CopierIndex>,
        /// No move is in flight.
        pub idle: Signal<Out, Bit>,

        /// Destinations of the blocks.
        pub way: Fifo = Fifo::new(WAY_WORDS, MOVES, places),
        /// Blocks read.
        pub blocks: Fifo = Fifo::new(BEAT_WORDS, MOVES, places),
        /// Destination of the oldest block, first word.
        pub head: Signal<Local, Word>,
        /// Destination of the oldest block, second word.
        pub extent: Signal<Local, Word>,
        /// Destination CTAs of the oldest block.
        pub place: Signal<Local, Word>,
        /// Burst number of the oldest block, or thread of the mark.
        pub whose: Signal<Local, Word>,
        /// Kind of the oldest move.
        pub kind: Signal<Local, Bits<MOVE_BITS>>,
        /// The oldest move has a block.
        pub reads: Signal<Local, Bit>,
        /// The data of the oldest move is complete.
        pub is_whole: Signal<Local, Bit>,
        /// Block of the oldest move, in write order.
        pub turned: Lanes<Signal<Local, Word>> = Lanes::new(BEAT_WORDS),
        /// Upper half of the last block that left.
        pub carried: Lanes<ControlReg<Word>> = Lanes::new(2),
        /// The oldest move leaves without a write.
        pub passes: Signal<Local, Bit>,
        /// The oldest block leaves.
        pub leaves: Signal<Local, Bit>,
        /// A move is accepted.
        pub enters: Signal<Local, Bit>,
    }
    constants {
        /// Code of a move to global memory.
        GLOBAL: Bits<MOVE_BITS> = Put::Global.constant();
        /// Code of a move to CTAs.
        CTA: Bits<MOVE_BITS> = Put::Cluster.constant();
        /// Code of a mark.
        MARK: Bits<MOVE_BITS> = Put::Commit.constant();
    }
    processes { Show, Look, Move }
    /// An outlet whose queues have `places` locations, at least 8.
    built by pub fn new(places: usize) {}
}

#[processes]
impl Outlet {
    fn show(&mut self) {
        // read data of an empty queue is masked to zero
        clear!(self.head, self.extent, self.place, self.whose);
        if self.way.valid.q.val() {
            self.head.next = self.way.first[0].val();
            self.extent.next = self.way.first[1].val();
            self.place.next = self.way.first[2].val();
            self.whose.next = self.way.first[3].val();
        }
        self.kind.next = self.head.val().get_bits::<MOVE_BITS>(movement::KIND);
        self.reads.next = self.head.val().get_bit(movement::READS);
        self.is_whole.next = self.way.valid.q.val()
            & (self.blocks.valid.q.val() | !self.reads.val())
            & self.head.val().get_bit(movement::WRITES);
        self.wr.valid.next = self.is_whole.val() & (self.kind.val() == GLOBAL);
        self.beat_valid.next = self.is_whole.val() & (self.kind.val() == CTA);
        self.passes.next = self.blocks.valid.q.val()
            & self.reads.val()
            & !self.head.val().get_bit(movement::WRITES)
            & (self.kind.val() != MARK);
        self.marks.next = self.way.valid.q.val() & (self.kind.val() == MARK);
        self.mark_thread.next = 0.into();
        if self.kind.val() == MARK {
            self.mark_thread.next = self.whose.val().get_bits::<COPIER_INDEX>(0);
        }
        self.wr.address.next = self.head.val().get_bits::<48>(movement::TO);
        self.wr.reduction.next = self.head.val().get_bits::<REDUCTION_BITS>(movement::REDUCTION);
        self.wr.last.next = self.head.val().get_bit(movement::LAST);
        self.wr.strobe.next = self.extent.val().get_bits::<32>(extent::STROBE);
        self.wr.id.next = 0.into();
        if self.kind.val() == GLOBAL {
            self.wr.id.next = self.whose.val().get_bits::<BURST_INDEX>(0);
        }
        self.beat_ctas.next = self.place.val().get_bits::<CTAS>(0);
        self.beat_bytes.next = self.extent.val().get_bits::<8>(extent::BYTES);
        self.beat_barrier.next = self.extent.val().get_bits::<24>(extent::BARRIER);
        for w in 0..BEAT_WORDS {
            self.turned[w].next = 0.into();
            if self.blocks.valid.q.val() & self.reads.val() {
                self.turned[w].next = self.blocks.first[w].val();
                if self.head.val().get_bit(movement::SWAP) {
                    for v in 0..BEAT_WORDS {
                        if w == v + 2 {
                            self.turned[w].next = self.blocks.first[v].val();
                        }
                        if v == w + 2 {
                            self.turned[w].next = self.blocks.first[v].val();
                        }
                    }
                }
            }
        }
        self.wr.data <<= self.turned;
        if self.head.val().get_bit(movement::SHIFT) {
            for w in 0..2 {
                self.wr.data[w].next = self.carried[w].q.val();
                self.wr.data[w + 2].next = self.turned[w].val();
            }
        }
        self.idle.next = !self.way.valid.q.val();
    }

    fn look(&mut self) {
        self.read_valid.next =
            self.move_valid.val() & (self.move_kind.val() != MARK) & self.move_reads.val() & self.way.room.q.val();
        self.read_address.next = self.move_from.val();
        self.read_strobe.next = self.move_wanted.val();
    }

    fn r#move(&mut self) {
        self.move_ready.next = self.read_valid.val() & self.read_taken.val();
        if (self.move_kind.val() == MARK) | !self.move_reads.val() {
            self.move_ready.next = self.way.room.q.val();
        }
        self.enters.next = self.move_valid.val() & self.move_ready.val();
        self.way.push.next = self.enters.val();
        self.way.words[0].next = bit_cast::<64, 48>(self.move_to.val())
            | (bit_cast::<64, REDUCTION_BITS>(self.move_reduction.val()) << movement::REDUCTION)
            | (bit_cast::<64, MOVE_BITS>(self.move_kind.val()) << movement::KIND)
            | (bit_cast::<64, 1>(self.move_last.val().into()) << movement::LAST)
            | (bit_cast::<64, 1>(self.move_swap.val().into()) << movement::SWAP)
            | (bit_cast::<64, 1>(self.move_shift.val().into()) << movement::SHIFT)
            | (bit_cast::<64, 1>(self.move_reads.val().into()) << movement::READS)
            | (bit_cast::<64, 1>(self.move_writes.val().into()) << movement::WRITES);
        self.way.words[1].next = bit_cast::<64, 32>(self.move_strobe.val())
            | (bit_cast::<64, 24>(self.move_barrier.val()) << extent::BARRIER)
            | (bit_cast::<64, 8>(self.move_bytes.val()) << extent::BYTES);
        self.way.words[2].next = bit_cast::<64, CTAS>(self.move_ctas.val());
        self.way.words[3].next = bit_cast::<64, BURST_INDEX>(self.move_number.val());
        if self.move_kind.val() == MARK {
            self.way.words[3].next = bit_cast::<64, COPIER_INDEX>(self.move_thread.val());
        }
        self.blocks.push.next = self.found_valid.val();
        self.blocks.words <<= self.found;
        self.leaves.next =
            (self.wr.valid.val() & self.wr.ready.val()) | (self.beat_valid.val() & self.beat_ready.val());
        self.way.take.next = self.leaves.val() | self.passes.val() | self.marks.val();
        self.blocks.take.next = (self.leaves.val() & self.reads.val()) | self.passes.val();
        for w in 0..2 {
            if self.blocks.take.val() {
                self.carried[w].d.next = self.turned[w + 2].val();
            }
        }
    }
}
